"""conv2d, conv2d_dx and conv2d_dw against a direct sum in NumPy."""

import numpy as np
import pytest
from driver import assert_close, make, run, sample

pytestmark = pytest.mark.native
FLOATS = ["float32", "float64", "float16", "bfloat16"]

# input, weights, stride, pad (top, bottom, left, right), dilation, group
CASES = {
    "lenet1": ((4, 1, 32, 32), (6, 1, 5, 5), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "lenet2": ((3, 6, 14, 14), (16, 6, 5, 5), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "pointwise": ((2, 20, 7, 9), (33, 20, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "pointwise, large": ((2, 20, 17, 18), (33, 20, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "many channels": ((1, 272, 5, 5), (8, 272, 3, 3), (2, 2), (1, 1, 1, 1), (1, 1), 1),
    "pointwise strided": ((2, 16, 8, 8), (8, 16, 1, 1), (2, 2), (0, 0, 0, 0), (1, 1), 1),
    "pointwise padded": ((2, 4, 5, 5), (8, 4, 1, 1), (2, 1), (1, 0, 2, 1), (1, 1), 1),
    "same": ((2, 16, 9, 9), (16, 16, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    "strided": ((2, 3, 17, 19), (8, 3, 7, 7), (2, 2), (3, 3, 3, 3), (1, 1), 1),
    "uneven pads": ((2, 5, 6, 7), (4, 5, 3, 2), (2, 3), (0, 2, 1, 0), (1, 1), 1),
    "dilated": ((2, 4, 11, 12), (6, 4, 3, 3), (1, 2), (2, 1, 0, 2), (2, 3), 1),
    "grouped": ((2, 8, 6, 6), (12, 2, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 4),
    "depthwise": ((2, 6, 8, 8), (6, 1, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 6),
    "depthwise strided": ((2, 17, 9, 9), (34, 1, 3, 3), (2, 2), (1, 0, 0, 1), (1, 1), 17),
    "one row": ((1, 3, 1, 9), (2, 3, 1, 4), (1, 1), (0, 0, 0, 0), (1, 2), 1),
    "one sample": ((1, 1, 1, 1), (1, 1, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "rows never read": ((1, 2, 8, 8), (3, 2, 2, 2), (3, 3), (0, 0, 0, 0), (1, 1), 1),
    "kernel in the padding": ((1, 1, 2, 2), (2, 1, 3, 3), (1, 1), (4, 4, 4, 4), (1, 1), 1),
}


class Reference:
    """The definition, one kernel tap at a time, in float64."""

    def __init__(self, x_shape, w_shape, stride, pad, dilation, group):
        self.x_shape, self.w_shape, self.stride, self.pad, self.group = (
            x_shape,
            w_shape,
            stride,
            pad,
            group,
        )
        self.dilation = dilation
        spans = [(k - 1) * d + 1 for k, d in zip(w_shape[2:], dilation, strict=True)]
        padded = (x_shape[2] + pad[0] + pad[1], x_shape[3] + pad[2] + pad[3])
        self.places = tuple((p - s) // t + 1 for p, s, t in zip(padded, spans, stride, strict=True))
        self.out_shape = (x_shape[0], w_shape[0], *self.places)

    def taps(self):
        """For each tap its (i, j) and the slices of the padded input that it reads."""
        (sh, sw), (dh, dw), (oh, ow) = self.stride, self.dilation, self.places
        for i in range(self.w_shape[2]):
            for j in range(self.w_shape[3]):
                rows = slice(i * dh, i * dh + (oh - 1) * sh + 1, sh)
                yield i, j, rows, slice(j * dw, j * dw + (ow - 1) * sw + 1, sw)

    def padded(self, x):
        t, b, left, right = self.pad
        return np.pad(np.asarray(x, np.float64), ((0, 0), (0, 0), (t, b), (left, right)))

    def split(self, a, axis):
        return np.split(np.asarray(a, np.float64), self.group, axis)

    def forward(self, x, w):
        p, out = self.padded(x), []
        for px, pw in zip(self.split(p, 1), self.split(w, 0), strict=True):
            out.append(
                sum(
                    np.einsum("nchw,oc->nohw", px[:, :, r, c], pw[:, :, i, j])
                    for i, j, r, c in self.taps()
                )
            )
        return np.concatenate(out, 1)

    def dx(self, dout, w):
        t, _, left, _ = self.pad
        parts = []
        for d, pw in zip(self.split(dout, 1), self.split(w, 0), strict=True):
            p = np.zeros(
                (self.x_shape[0], pw.shape[1], *self.padded(np.zeros(self.x_shape)).shape[2:])
            )
            for i, j, r, c in self.taps():
                p[:, :, r, c] += np.einsum("nohw,oc->nchw", d, pw[:, :, i, j])
            parts.append(p)
        h, w_ = self.x_shape[2:]
        return np.concatenate(parts, 1)[:, :, t : t + h, left : left + w_]

    def dw(self, x, dout):
        parts = []
        for px, d in zip(self.split(self.padded(x), 1), self.split(dout, 1), strict=True):
            part = np.zeros((d.shape[1], px.shape[1], *self.w_shape[2:]))
            for i, j, r, c in self.taps():
                part[:, :, i, j] = np.einsum("nchw,nohw->oc", px[:, :, r, c], d)
            parts.append(part)
        return np.concatenate(parts, 0)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("case", CASES)
def test_three_passes(case, dtype):
    x_shape, w_shape, stride, pad, dilation, group = CASES[case]
    ref = Reference(*CASES[case])
    x, w, d = sample(x_shape, dtype, 1), sample(w_shape, dtype, 2), sample(ref.out_shape, dtype, 3)
    at = {"stride": stride, "pad": pad, "dilation": dilation, "group": group}
    out = run("conv2d", [(x, dtype), (w, dtype)], [(ref.out_shape, dtype)], **at)
    assert_close(out, ref.forward(x, w), dtype)
    dx = run("conv2d_dx", [(d, dtype), (w, dtype)], [(x_shape, dtype)], in_shape=x_shape, **at)
    assert_close(dx, ref.dx(d, w), dtype)
    dw = run("conv2d_dw", [(x, dtype), (d, dtype)], [(w_shape, dtype)], w_shape=w_shape, **at)
    assert_close(dw, ref.dw(x, d), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_empty_batch(dtype):
    at = {"stride": (1, 1), "pad": (0, 0, 0, 0), "dilation": (1, 1), "group": 1}
    x, w, d = np.zeros((0, 3, 8, 8)), sample((4, 3, 3, 3), dtype), np.zeros((0, 4, 6, 6))
    assert run("conv2d", [(x, dtype), (w, dtype)], [(d.shape, dtype)], **at).shape == (0, 4, 6, 6)
    assert (
        run("conv2d_dx", [(d, dtype), (w, dtype)], [(x.shape, dtype)], in_shape=x.shape, **at).shape
        == x.shape
    )
    dw = run("conv2d_dw", [(x, dtype), (d, dtype)], [(w.shape, dtype)], w_shape=w.shape, **at)
    np.testing.assert_array_equal(dw, np.zeros(w.shape))


@pytest.mark.parametrize(
    "x,w,changed,message",
    [
        (
            (1, 3, 4, 4),
            (2, 3, 5, 5),
            {},
            r"the kernel spans \(5, 5\), more than the padded input's \(4, 4\)",
        ),
        ((1, 3, 8, 8), (2, 4, 3, 3), {}, "weights of 4 input channels do not fit an input of 3"),
        (
            (1, 3, 8, 8),
            (2, 3, 3, 3),
            {"group": 2},
            "group 2 does not divide 3 input and 2 output channels",
        ),
        ((1, 3, 8, 8), (2, 3, 3, 3), {"stride": (0, 1)}, "stride must be 2 integers of at least 1"),
        ((1, 3, 8, 8), (2, 3, 3, 3), {"pad": (0, 0)}, "pad must be 4 integers of at least 0"),
        ((3, 8, 8), (2, 3, 3, 3), {}, "4 dimensions"),
        ((1, 3, 8, 8), (2, 3, 3, 3), {"stride": (2, 2)}, "the result"),
    ],
)
def test_refusals(x, w, changed, message):
    at = {"stride": (1, 1), "pad": (0, 0, 0, 0), "dilation": (1, 1), "group": 1, **changed}
    with pytest.raises(ValueError, match=message):
        make("conv2d", [(x, "float32"), (w, "float32")], [((1, 2, 6, 6), "float32")], **at)

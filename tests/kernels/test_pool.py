"""Pooling against its definition, window by window."""

import numpy as np
import pytest
from driver import CODES, assert_close, make, run, sample

from minds import _core

pytestmark = pytest.mark.native
FLOATS = ["float32", "float64", "float16", "bfloat16"]

# input, kernel, stride, pad (top, bottom, left, right), dilation
CASES = {
    "pairs": ((2, 3, 8, 10), (2, 2), (2, 2), (0, 0, 0, 0), (1, 1)),
    "pairs, odd plane": ((2, 3, 7, 9), (2, 2), (2, 2), (0, 0, 0, 0), (1, 1)),
    "overlapping": ((2, 2, 9, 8), (3, 3), (2, 2), (1, 1, 1, 1), (1, 1)),
    "uneven": ((1, 4, 6, 7), (2, 3), (1, 2), (1, 0, 0, 2), (1, 1)),
    "dilated": ((1, 2, 9, 9), (2, 3), (1, 2), (0, 1, 2, 0), (2, 3)),
    "global": ((3, 2, 5, 4), (5, 4), (1, 1), (0, 0, 0, 0), (1, 1)),
    "gaps": ((1, 1, 7, 7), (1, 1), (3, 3), (0, 0, 0, 0), (1, 1)),
    "many planes": ((8, 16, 28, 28), (2, 2), (2, 2), (0, 0, 0, 0), (1, 1)),
}


def windows(shape, kernel, stride, pad, dilation):
    """(output row, output column, flat places in the plane), for each window."""
    h, w = shape[2:]
    grid = np.full((h + pad[0] + pad[1], w + pad[2] + pad[3]), -1)
    grid[pad[0] : pad[0] + h, pad[2] : pad[2] + w] = np.arange(h * w).reshape(h, w)
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    for i, top in enumerate(range(0, grid.shape[0] - spans[0] + 1, stride[0])):
        for j, left in enumerate(range(0, grid.shape[1] - spans[1] + 1, stride[1])):
            places = grid[
                top : top + spans[0] : dilation[0], left : left + spans[1] : dilation[1]
            ].ravel()
            yield i, j, places[places >= 0]


def out_shape(shape, kernel, stride, pad, dilation):
    last = list(windows(shape, kernel, stride, pad, dilation))[-1]
    return (*shape[:2], last[0] + 1, last[1] + 1)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("case", CASES)
def test_max(case, dtype):
    shape, kernel, stride, pad, dilation = CASES[case]
    x = sample(shape, dtype)
    flat, oshape = x.reshape(*shape[:2], -1), out_shape(*CASES[case])
    want, place = np.zeros(oshape), np.zeros(oshape, np.int64)
    for i, j, places in windows(*CASES[case]):
        first = flat[..., places].argmax(-1)
        place[..., i, j] = places[first]
        want[..., i, j] = np.take_along_axis(flat, place[..., i, j][..., None], -1)[..., 0]
    out, index = run(
        "max_pool2d",
        [(x, dtype)],
        [(oshape, dtype), (oshape, "int64")],
        kernel=kernel,
        stride=stride,
        pad=pad,
        dilation=dilation,
    )
    np.testing.assert_array_equal(out, want)
    np.testing.assert_array_equal(index, place)

    dout = sample(oshape, dtype, 1)
    dx = np.zeros((*shape[:2], shape[2] * shape[3]))
    for n in np.ndindex(*shape[:2]):
        np.add.at(dx[n], place[n].ravel(), dout[n].astype(np.float64).ravel())
    got = run("max_pool2d_dx", [(dout, dtype), (index, "int64")], [(shape, dtype)], in_shape=shape)
    assert_close(got, dx.reshape(shape), dtype)
    back = run("pool_gather", [(x, dtype), (index, "int64")], [(oshape, dtype)])
    np.testing.assert_array_equal(back, want)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("with_pad", [False, True])
@pytest.mark.parametrize("case", [c for c in CASES if CASES[c][4] == (1, 1)])
def test_average(case, with_pad, dtype):
    shape, kernel, stride, pad, _ = CASES[case]
    x, oshape = sample(shape, dtype), out_shape(*CASES[case])
    dout = sample(oshape, dtype, 1)
    want, dx = np.zeros(oshape), np.zeros((*shape[:2], shape[2] * shape[3]))
    for i, j, places in windows(*CASES[case]):
        count = kernel[0] * kernel[1] if with_pad else len(places)
        want[..., i, j] = x.reshape(*shape[:2], -1)[..., places].astype(np.float64).sum(-1) / count
        dx[..., places] += dout[..., i, j, None].astype(np.float64) / count
    at = {"kernel": kernel, "stride": stride, "pad": pad, "count_include_pad": with_pad}
    assert_close(run("avg_pool2d", [(x, dtype)], [(oshape, dtype)], **at), want, dtype)
    got = run("avg_pool2d_dx", [(dout, dtype)], [(shape, dtype)], in_shape=shape, **at)
    assert_close(got, dx.reshape(shape), dtype)


def test_not_a_number_is_the_maximum_and_the_first_of_equals_wins():
    x = np.array([[1, np.nan, 3, 3], [np.nan, 2, 3, 3]], np.float32).reshape(1, 1, 2, 4)
    for stride in ((2, 2), (1, 1)):  # two loops
        n = (2 - 2) // stride[0] + 1, (4 - 2) // stride[1] + 1
        out, index = run(
            "max_pool2d",
            [(x, "float32")],
            [((1, 1, *n), "float32"), ((1, 1, *n), "int64")],
            kernel=(2, 2),
            stride=stride,
            pad=(0, 0, 0, 0),
        )
        assert np.isnan(out[0, 0, 0, 0]) and index[0, 0, 0, 0] == 1
        assert out[0, 0, 0, -1] == 3 and index[0, 0, 0, -1] == 2
    low = np.full((1, 1, 2, 2), -np.inf, np.float32)
    out, index = run(
        "max_pool2d",
        [(low, "float32")],
        [((1, 1, 1, 1), "float32"), ((1, 1, 1, 1), "int64")],
        kernel=(2, 2),
        stride=(2, 2),
        pad=(0, 0, 0, 0),
    )
    assert out.item() == -np.inf and index.item() == 0


@pytest.mark.parametrize("dtype", FLOATS)
def test_empty_batch(dtype):
    x, o = (0, 3, 8, 8), (0, 3, 4, 4)
    at = {"kernel": (2, 2), "stride": (2, 2), "pad": (0, 0, 0, 0)}
    out, index = run("max_pool2d", [(np.zeros(x), dtype)], [(o, dtype), (o, "int64")], **at)
    assert out.shape == index.shape == o
    assert (
        run("max_pool2d_dx", [(out, dtype), (index, "int64")], [(x, dtype)], in_shape=x).shape == x
    )
    assert (
        run("avg_pool2d", [(np.zeros(x), dtype)], [(o, dtype)], count_include_pad=True, **at).shape
        == o
    )


@pytest.mark.parametrize(
    "changed,message",
    [
        ({"kernel": (9, 2)}, r"the kernel spans \(9, 2\), more than the padded input's \(8, 8\)"),
        ({"kernel": (0, 2)}, "the kernel must have a height and a width of at least 1"),
        ({"stride": (2, 0)}, "stride must be 2 integers of at least 1"),
        ({"pad": (-1, 0, 0, 0)}, "pad must be 4 integers of at least 0"),
        ({"stride": (1, 1)}, "the result"),
    ],
)
def test_refusals(changed, message):
    at = {"kernel": (2, 2), "stride": (2, 2), "pad": (0, 0, 0, 0), **changed}
    with pytest.raises(ValueError, match=message):
        make(
            "max_pool2d",
            [((1, 1, 8, 8), "float32")],
            [((1, 1, 4, 4), "float32"), ((1, 1, 4, 4), "int64")],
            **at,
        )
    with pytest.raises(ValueError, match=message):
        make(
            "avg_pool2d",
            [((1, 1, 8, 8), "float32")],
            [((1, 1, 4, 4), "float32")],
            count_include_pad=False,
            **at,
        )


@pytest.mark.parametrize("place", [-1, 64, 2**40])
def test_an_index_out_of_range_is_refused(place):
    shape, o = (1, 2, 8, 8), (1, 2, 4, 4)
    index = np.zeros(o, np.int64)
    index[0, 1, 2, 3] = place
    small = _core.Array.from_numpy(np.ones(o, np.float32), CODES["float32"])
    big = _core.Array.from_numpy(np.ones(shape, np.float32), CODES["float32"])
    index = _core.Array.from_numpy(index, CODES["int64"])
    message = f"index {place} is out of range for a plane of 64 elements"
    with pytest.raises(IndexError, match=message):
        make("max_pool2d_dx", [(o, "float32"), (o, "int64")], [(shape, "float32")], in_shape=shape)(
            small, index
        )
    with pytest.raises(IndexError, match=message):
        make("pool_gather", [(shape, "float32"), (o, "int64")], [(o, "float32")])(big, index)


def test_a_window_of_padding_only_is_refused():
    o = (1, 1, 5, 4)
    at = {"kernel": (2, 2), "stride": (2, 2), "pad": (2, 0, 0, 0)}
    with pytest.raises(ValueError, match="output position 0 lies wholly in the padding"):
        make("max_pool2d", [((1, 1, 8, 8), "float32")], [(o, "float32"), (o, "int64")], **at)
    with pytest.raises(ValueError, match="output position 0 lies wholly in the padding"):
        make(
            "avg_pool2d",
            [((1, 1, 8, 8), "float32")],
            [(o, "float32")],
            count_include_pad=True,
            **at,
        )

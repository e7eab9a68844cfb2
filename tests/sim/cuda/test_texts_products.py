"""The texts of products and convolutions against NumPy, in all orders of threads and blocks."""

import numpy as np
import pytest
from texts import compile_file

BATCH = np.dtype([(n, "i8", 8) for n in ("size", "x", "y", "out")])
WINDOW = np.dtype(
    [
        (n, "i8")
        for n in "in_h in_w out_h out_w kernel_h kernel_w stride_h stride_w top left "
        "dilation_h dilation_w".split()
    ]
)
PLANES = np.dtype([(n, "i8") for n in "samples channels h w top left framed_h framed_w".split()])
i64 = np.int64


def batch_of(*dims) -> np.void:
    """(size, step of x, of y, of the result) each, the innermost first."""
    b = np.zeros((), BATCH)
    b["size"] = 1
    for n, dim in enumerate(dims):
        for name, value in zip(BATCH.names, dim):
            b[name][n] = value
    return b[()]


NAMES = {"f4": "float", "f8": "double", "i1": "i8", "u2": "u16", "i4": "i32", "u8": "u64"}


@pytest.mark.parametrize(
    "dtype, trans_x, trans_y",
    [("f4", x, y) for x in (0, 1) for y in (0, 1)] + [(t, 0, 1) for t in ("f8", "i1", "u2", "u8")],
)
def test_a_product(dtype, trans_x, trans_y):
    m, n, k, r = 70, 67, 21, np.random.RandomState(1)
    x = r.randint(0, 100, (2, 3, m, k)).astype(dtype)
    y = r.randint(0, 100, (3, k, n)).astype(dtype)
    bias = r.randint(-90000, 0, n).astype(dtype) if dtype[0] == "f" else None
    out = np.zeros((2, 3, m, n), dtype)
    sums = {"f": NAMES[dtype]}.get(dtype[0], "u64" if dtype[1] == "8" else "u32")
    module = compile_file("product", {"T": NAMES[dtype], "OUT": NAMES[dtype], "SUM": sums})
    module.launch(
        "product",
        5,
        256,
        np.ascontiguousarray(x.swapaxes(2, 3)) if trans_x else x,
        np.ascontiguousarray(y.swapaxes(1, 2)) if trans_y else y,
        bias,
        np.int32(bias is not None),
        out,
        *map(i64, (m, n, k, 1 if trans_x else k, m if trans_x else 1)),
        *map(i64, (1 if trans_y else n, k if trans_y else 1)),
        batch_of((3, m * k, k * n, m * n), (2, 3 * m * k, 0, 3 * m * n)),
        i64(6),
    )
    wide = "f8" if dtype[0] == "f" else "u8"
    wanted = x.astype(wide) @ y.astype(wide)
    if bias is not None:
        wanted = np.maximum(wanted + bias, 0)
    np.testing.assert_array_equal(out, wanted.astype(dtype))


def columns_of(x, kernel, stride, pad, dilation):
    """The windows of images, as kernels/unroll.cu orders them."""
    (top, bottom, left, right), (n, c, h, w) = pad, x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    oh = (h + top + bottom - (kernel[0] - 1) * dilation[0] - 1) // stride[0] + 1
    ow = (w + left + right - (kernel[1] - 1) * dilation[1] - 1) // stride[1] + 1
    out = np.zeros((n, c, *kernel, oh, ow), x.dtype)
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            rows = slice(i * dilation[0], i * dilation[0] + (oh - 1) * stride[0] + 1, stride[0])
            cols = slice(j * dilation[1], j * dilation[1] + (ow - 1) * stride[1] + 1, stride[1])
            out[:, :, i, j] = padded[:, :, rows, cols]
    return out


CASES = [
    ((3, 3), (1, 1), (1, 1, 1, 1), (1, 1)),
    ((3, 2), (2, 1), (0, 1, 2, 0), (1, 2)),
    ((1, 1), (2, 3), (0, 0, 0, 0), (1, 1)),
]


def window_of(x, columns, stride, pad, dilation) -> np.void:
    sizes = (*x.shape[2:], *columns.shape[4:], *columns.shape[2:4])
    return np.array((*sizes, *stride, pad[0], pad[2], *dilation), WINDOW)[()]


@pytest.mark.parametrize("index", ["u32", "u64"])
@pytest.mark.parametrize("kernel, stride, pad, dilation", CASES)
def test_windows_as_columns_and_back(kernel, stride, pad, dilation, index):
    r = np.random.RandomState(2)
    x = r.randn(2, 3, 7, 6).astype("f")
    wanted = columns_of(x, kernel, stride, pad, dilation)
    window = window_of(x, wanted, stride, pad, dilation)
    found = np.full_like(wanted, np.nan)
    bits = compile_file("unroll", {"T": "u32", "SUM": "float", "INDEX": index})
    bits.launch("unroll", 3, 64, x.view("u4"), found.view("u4"), window, i64(found.size))
    np.testing.assert_array_equal(found, wanted)

    # The way back is the adjoint: <columns(x), d> = <x, back(d)>, for whole numbers to the last bit.
    d, whole = (r.randint(-9, 9, a.shape).astype("f") for a in (wanted, x))
    back = np.full_like(x, np.nan)
    numbers = compile_file("unroll", {"T": "float", "SUM": "float", "INDEX": index})
    numbers.launch("roll_back", 2, 64, d, back, window, i64(back.size))
    assert (columns_of(whole, kernel, stride, pad, dilation) * d).sum() == (whole * back).sum()


def test_parts_are_added_up_in_turns():
    parts, sums = np.random.RandomState(3).randn(3, 50), np.full(50, np.nan)
    out, module = (
        np.full(50, np.nan),
        compile_file("unroll", {"T": "double", "SUM": "double", "INDEX": "u32"}),
    )
    module.launch("add_parts", 1, 32, parts, i64(3), sums, None, i64(50), np.int32(1))
    np.testing.assert_array_equal(sums, parts[0] + parts[1] + parts[2])
    module.launch("add_parts", 1, 32, parts, i64(2), sums, out, i64(50), np.int32(0))
    np.testing.assert_array_equal(out, sums + parts[0] + parts[1])


@pytest.mark.parametrize("frame", [(0, 0, 0, 0), (1, 0, 2, 3)])
@pytest.mark.parametrize("shape", [(2, 3, 7, 9), (1, 70, 2, 5), (3, 33, 1, 1)])
def test_channels_last_and_first(shape, frame):
    x = np.random.RandomState(4).randint(0, 1 << 16, shape).astype("u2")
    top, bottom, left, right = frame
    wanted = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right))).transpose(0, 2, 3, 1)
    planes = np.array((*shape, top, left, *wanted.shape[1:3]), PLANES)[()]
    last, first = np.ones(wanted.shape, "u2"), np.ones_like(x)
    module = compile_file("conv_layout", {"T": "u16"})
    module.launch("channels_to_last", 4, 256, x, last, planes)
    np.testing.assert_array_equal(last, wanted)
    module.launch("channels_to_first", 4, 256, last, first, planes)
    np.testing.assert_array_equal(first, x)

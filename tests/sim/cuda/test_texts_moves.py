"""The texts that move, fetch, scatter and order, with places of 32 and of 64 bits: the plug-in takes
the latter for tensors that no simulator has room for.
"""

import numpy as np
import pytest
from texts import compile_file

WIDE = pytest.mark.parametrize("wide", [0, 1], ids=["32", "64"])
RNG = np.random.default_rng(0)


def lists(*numbers):
    """Lists of numbers, or numbers, as a struct that a kernel takes by value."""
    flat = np.concatenate([np.ravel(n) for n in numbers]).astype(np.int64)
    return flat.view(f"V{flat.nbytes}")[0]


def number(n):
    return np.int64(n)


def told():
    """A fault word, and the struct that a kernel takes for it."""
    word = np.zeros(4, np.int64)
    return word, lists([word.ctypes.data, 7])


def steps(shape):
    """The strides of a dense array, in elements."""
    return np.array([int(np.prod(shape[d + 1 :])) for d in range(len(shape))])


@WIDE
def test_a_box(wide):
    x, out = RNG.integers(0, 255, (5, 6, 7)).astype(np.uint16), np.zeros((7, 5, 6), np.uint16)
    kernels = compile_file("move", {"T": "u16", "RANK": 3, "WIDE": wide})
    box = lists(out.shape, steps(x.shape)[[2, 0, 1]], steps(out.shape))
    kernels.launch("move_box", 2, 64, x, out, box, number(out.size))
    np.testing.assert_array_equal(out, x.transpose(2, 0, 1))


@WIDE
def test_tiles(wide):
    x, out = RNG.integers(0, 255, (3, 40, 70)).astype(np.uint32), np.zeros((3, 70, 40), np.uint32)
    kernels = compile_file("move", {"T": "u32", "RANK": 1, "WIDE": wide})
    exchange = lists([40, 70, 70, 40, 3 * 2 * 3])
    kernels.launch("move_tiles", 4, 256, x, out, lists(3, 2800, 2800), exchange)
    np.testing.assert_array_equal(out, x.transpose(0, 2, 1))


@WIDE
def test_an_inset(wide):
    x, out = RNG.integers(0, 255, (3, 4)).astype(np.uint8), np.zeros((9, 6), np.uint8)
    kernels = compile_file("move", {"T": "u8", "RANK": 2, "WIDE": wide})
    box = lists(out.shape, [1, 2], [3, 1], x.shape, steps(x.shape))
    kernels.launch("move_inset", 1, 32, x, out, box, lists([9, 0]), number(out.size))
    wanted = np.full_like(out, 9)
    wanted[1::3, 2:] = x
    np.testing.assert_array_equal(out, wanted)


@WIDE
def test_points(wide):
    x = RNG.integers(0, 255, (4, 5, 6)).astype(np.uint8)
    at = np.stack([RNG.integers(-4, 4, 9), RNG.integers(-5, 5, 9)], 1)
    out, (word, tell) = np.zeros((9, 6), np.uint8), told()
    kernels = compile_file("gather", {"T": "u8", "I": "i64", "DEPTH": 2, "WIDE": wide})
    rows = lists([1, 20, 9, 6, 1])
    kernels.launch("gather_points", 2, 32, x, at, out, rows, lists([4, 5]), tell)
    np.testing.assert_array_equal(out, x[tuple(at.T)])
    assert not word.any()


@WIDE
@pytest.mark.parametrize("count", [300, 5000])
def test_rows_are_combined_in_their_order(count, wide):
    """gather_dx as the plug-in launches it: rows, their order, sums."""
    key = np.uint64 if wide else np.uint32
    bound, width = 70, 3
    at = RNG.integers(-bound, bound, count)
    src = RNG.standard_normal((count, width)).astype(np.float32)
    (word, tell), rows = told(), np.zeros(count, key)
    compile_file("scatter", {"I": "i64", "WIDE": wide}).launch(
        "scatter_rows", 2, 256, at, rows, number(count), number(bound), number(bound), tell
    )
    np.testing.assert_array_equal(rows, at % bound)
    order, found = compile_file("order", {"WIDE": wide, "FEW": 512}), []
    for _ in range(2):
        found.append(np.zeros(count, key))
    if count <= 512:
        order.launch("order_few", 1, 256, rows, *found, np.int32(count))
    else:
        share, blocks = 2048, (count + 2047) // 2048
        counts = np.zeros(256 * blocks, key)
        sizes = number(count), number(share), np.int32(0)
        order.launch("order_count", blocks, 256, rows, counts, *sizes)
        order.launch("order_scan", 1, 256, counts, np.int32(counts.size))
        order.launch("order_place", blocks, 256, rows, None, counts, *found, *sizes)
    np.testing.assert_array_equal(found[1], np.argsort(rows, kind="stable"))
    out, wanted = (np.zeros((bound, width), np.float32) for _ in range(2))
    combine = {"T": "float", "A": "float", "JOIN": "join_add", "LAST_ONLY": 0, "WIDE": wide}
    shares = lists([1, bound, width, count])
    compile_file("combine", combine).launch("combine", 2, 256, *found, src, out, shares)
    np.add.at(wanted, at, src)  # one after the other
    assert out.tobytes() == wanted.tobytes() and not word.any()

"""transpose, broadcast_to, flip, concat, split, strided_slice, its gradient, pad, tril, triu,
arange, eye.
"""

import itertools

import numpy as np
import pytest
from driver import CODES, make, round_to, run

DTYPES = list(CODES)
WIDTHS = [
    "bool",
    "uint8",
    "bfloat16",
    "float16",
    "int32",
    "float64",
]  # one per element size, and the odd ones


def numbers(shape, dtype):
    """Different bits everywhere, as far as the dtype allows."""
    n = int(np.prod(shape))
    if dtype == "bool":
        return np.random.default_rng(n).random(shape) < 0.5
    return round_to((np.arange(n) * 7 % 251 % 127).reshape(shape), dtype)


def alone(op, x, dtype, shape, /, **attrs):
    return run(op, [(x, dtype)], [(shape, dtype)], **attrs)


@pytest.mark.parametrize("dtype", DTYPES)
def test_transpose_of_every_dtype(dtype):
    x = numbers((3, 70, 35), dtype)
    for perm in itertools.permutations(range(3)):
        want = x.transpose(perm)
        np.testing.assert_array_equal(alone("transpose", x, dtype, want.shape, perm=perm), want)


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize(
    ("shape", "perm"),
    [
        ((), ()),
        ((5,), (0,)),
        ((1, 4), (1, 0)),
        ((130, 67), (1, 0)),
        ((2, 3, 4, 5), (3, 1, 0, 2)),
        ((2, 1, 3, 1), (3, 2, 1, 0)),
        ((8, 3, 32, 32), (0, 2, 3, 1)),
        ((8, 32, 32, 3), (0, 3, 1, 2)),
        ((4, 6, 5, 16), (0, 2, 1, 3)),
        ((3, 0, 2), (2, 0, 1)),
        ((2, 3, 2, 3, 2, 3), (5, 0, 4, 1, 3, 2)),
        ((2,) * 10, (9, 0, 8, 1, 7, 2, 6, 3, 5, 4)),
        ((16, 16), (1, 0)),
        ((15, 17), (1, 0)),
        ((300, 300), (1, 0)),
    ],
)
def test_transpose(shape, perm, dtype):
    x = numbers(shape, dtype)
    want = x.transpose(perm)
    np.testing.assert_array_equal(alone("transpose", x, dtype, want.shape, perm=perm), want)


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize(
    ("shape", "to"),
    [
        ((), ()),
        ((), (2, 3)),
        ((3,), (4, 3)),
        ((4, 1), (4, 5)),
        ((2, 1, 3), (5, 2, 4, 3)),
        ((1,), (0,)),
        ((0, 1), (0, 3)),
        ((1, 1), (300, 200)),
        ((100, 1, 7), (100, 90, 7)),
    ],
)
def test_broadcast_to(shape, to, dtype):
    x = numbers(shape, dtype)
    np.testing.assert_array_equal(
        alone("broadcast_to", x, dtype, to, shape=to), np.broadcast_to(x, to)
    )


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((5,), (0,)),
        ((3, 4), (0, 1)),
        ((3, 4), ()),
        ((3, 4, 5), (1,)),
        ((), ()),
        ((0, 2), (0,)),
        ((70, 90), (1,)),
        ((4, 3, 32), (0, 1)),
        ((2,) * 10, (0, 2, 4, 6, 8)),
    ],
)
def test_flip(shape, axis, dtype):
    x = numbers(shape, dtype)
    np.testing.assert_array_equal(alone("flip", x, dtype, shape, axis=axis), np.flip(x, axis))


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize(
    ("shapes", "axis"),
    [
        ([(3,), (4,)], 0),
        ([(2, 3), (2, 1), (2, 0), (2, 5)], 1),
        ([(2, 3, 4), (5, 3, 4)], 0),
        ([(2, 3, 4), (2, 1, 4)], 1),
        ([(0, 3), (0, 3)], 0),
        ([(6, 1)], 1),
        ([(1000, 40), (1000, 24)], 1),
        ([(2, 2)] * 20, 0),
        ([(3, 16), (3, 0), (3, 48)] * 6, 1),
    ],
)
def test_concat_and_split(shapes, axis, dtype):
    parts = [numbers(s, dtype) for s in shapes]
    whole = np.concatenate(parts, axis)
    got = run("concat", [(p, dtype) for p in parts], [(whole.shape, dtype)], axis=axis)
    np.testing.assert_array_equal(got, whole)
    sizes = tuple(s[axis] for s in shapes)
    back = run("split", [(whole, dtype)], [(s, dtype) for s in shapes], sizes=sizes, axis=axis)
    for b, p in zip(back if len(parts) > 1 else [back], parts, strict=True):
        np.testing.assert_array_equal(b, p)


SLICES = [
    ((10,), np.s_[2:7:1]),
    ((10,), np.s_[8:1:-3]),
    ((10,), np.s_[::-1]),
    ((10,), np.s_[3:3:1]),
    ((10,), np.s_[1::100]),
    ((6, 7), np.s_[1:5:2, ::-2]),
    ((6, 7), np.s_[::1, 2:4:1]),
    ((4, 5, 6), np.s_[0:4:1, 1:2:1, 5:0:-1]),
    ((), ()),
    ((0, 3), np.s_[::1, 0:2:1]),
    ((40, 50, 60), np.s_[1:39:2, ::1, 7:43:1]),
    ((70, 90), np.s_[::-1, ::1]),
    ((6, 4, 32), np.s_[4:0:-2, ::1, ::1]),
    ((6, 4, 32), np.s_[1:5:1, ::1, 16:32:1]),
]


def bounds(shape, key):
    """begin, end and step for all axes; where a negative step runs to the front, end is -1."""
    key = key if isinstance(key, tuple) else (key,)
    return [
        tuple(v) for v in zip(*(k.indices(n) for k, n in zip(key, shape, strict=True)), strict=True)
    ] or [
        (),
        (),
        (),
    ]


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize(("shape", "key"), SLICES)
def test_strided_slice_and_gradient(shape, key, dtype):
    x = numbers(shape, dtype)
    begin, end, step = bounds(shape, key)
    want = x[key]
    np.testing.assert_array_equal(
        alone("strided_slice", x, dtype, want.shape, begin=begin, end=end, step=step), want
    )
    spread = np.zeros_like(x)
    spread[key] = want
    got = alone(
        "strided_slice_dx", want, dtype, shape, shape=shape, begin=begin, end=end, step=step
    )
    np.testing.assert_array_equal(got, spread)


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint64", "float16", "bfloat16", "float32", "float64"]
)
@pytest.mark.parametrize(
    ("shape", "pads"),
    [
        ((), ()),
        ((3,), (2, 1)),
        ((3, 4), (0, 0, 1, 2)),
        ((2, 3, 4), (1, 0, 0, 2, 3, 1)),
        ((0, 2), (1, 1, 0, 0)),
        ((3, 4), (0, 0, 0, 0)),
        ((200, 300), (1, 1, 3, 3)),
        ((4, 8, 16), (1, 2, 0, 0, 0, 0)),
        ((4, 8, 16), (0, 0, 8, 1, 0, 0)),
        ((2, 16, 16), (0, 0, 8, 8, 16, 32)),
    ],
)
def test_pad(shape, pads, dtype):
    x = numbers(shape, dtype)
    pairs = [(pads[2 * d], pads[2 * d + 1]) for d in range(len(shape))]
    value = 1 if dtype == "bool" else 3
    want = np.pad(x, pairs, constant_values=value) if shape else x
    for v in (value, float(value)):
        np.testing.assert_array_equal(
            alone("pad", x, dtype, want.shape, paddings=pads, value=v), want
        )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [-100, -2, 0, 1, 3, 2**62])
@pytest.mark.parametrize("shape", [(4, 4), (2, 3, 5), (7, 2), (0, 3), (3, 0)])
def test_triangles(shape, k, dtype):
    x = numbers(shape, dtype)
    bounded = max(-200, min(200, k))
    np.testing.assert_array_equal(alone("tril", x, dtype, shape, k=k), np.tril(x, bounded))
    np.testing.assert_array_equal(alone("triu", x, dtype, shape, k=k), np.triu(x, bounded))


@pytest.mark.parametrize("args", [(0, 10, 1), (5, -5, -3), (2, 2, 1), (3, 1, 1), (-4, 100_000, 7)])
@pytest.mark.parametrize("dtype", ["int16", "int64", "float32", "float64", "float16"])
def test_arange(args, dtype):
    want = np.arange(*args)
    with np.errstate(over="ignore"):
        want = want.astype(dtype)
    got = run(
        "arange",
        [],
        [(want.shape, dtype)],
        **dict(zip(("start", "stop", "step"), args, strict=True)),
    )
    np.testing.assert_array_equal(got, want)


def test_arange_of_fractions_rounds_once():
    want = (0.1 + np.arange(37) * 0.25).astype(np.float32)
    got = run("arange", [], [((37,), "float32")], start=0.1, stop=9.2, step=0.25)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("n", "m"), [(3, 3), (2, 5), (5, 2), (0, 3), (3, 0)])
def test_eye(n, m, dtype):
    np.testing.assert_array_equal(run("eye", [], [((n, m), dtype)], n=n, m=m), np.eye(n, m))


REFUSED = {
    "transpose a repeated axis": (
        "not a permutation",
        "transpose",
        [(3, 4)],
        [(3, 3)],
        {"perm": (0, 0)},
    ),
    "transpose too few axes": ("does not fit", "transpose", [(3, 4)], [(3,)], {"perm": (0,)}),
    "transpose to another shape": (
        "the output has shape",
        "transpose",
        [(3, 4)],
        [(3, 4)],
        {"perm": (1, 0)},
    ),
    "broadcast to fewer axes": (
        "does not broadcast",
        "broadcast_to",
        [(1, 3)],
        [(3,)],
        {"shape": (3,)},
    ),
    "broadcast 2 to 3": ("does not broadcast", "broadcast_to", [(2,)], [(3,)], {"shape": (3,)}),
    "flip twice": ("given twice", "flip", [(3, 3)], [(3, 3)], {"axis": (1, 1)}),
    "flip beyond": ("axis 2 is out of range", "flip", [(3, 3)], [(3, 3)], {"axis": (2,)}),
    "concat of unequal": ("part 1 has shape", "concat", [(2, 3), (3, 3)], [(2, 6)], {"axis": 1}),
    "concat too short": ("the parts make 5", "concat", [(2,), (3,)], [(6,)], {"axis": 0}),
    "split wrong sizes": (
        "sizes do not agree",
        "split",
        [(5,)],
        [(2,), (3,)],
        {"sizes": (3, 2), "axis": 0},
    ),
    "slice beyond": (
        "leaves axis 0",
        "strided_slice",
        [(5,)],
        [(6,)],
        {"begin": (0,), "end": (6,), "step": (1,)},
    ),
    "slice before": (
        "leaves axis 0",
        "strided_slice",
        [(5,)],
        [(3,)],
        {"begin": (-1,), "end": (2,), "step": (1,)},
    ),
    "slice backwards beyond": (
        "leaves axis 0",
        "strided_slice",
        [(5,)],
        [(6,)],
        {"begin": (4,), "end": (-2,), "step": (-1,)},
    ),
    "slice by zero": (
        "is zero",
        "strided_slice",
        [(5,)],
        [(5,)],
        {"begin": (0,), "end": (5,), "step": (0,)},
    ),
    "slice of wrong rank": (
        "must have 1",
        "strided_slice",
        [(5,)],
        [(5,)],
        {"begin": (), "end": (), "step": ()},
    ),
    "pad negative": ("negative", "pad", [(5,)], [(4,)], {"paddings": (-1, 0), "value": 0.0}),
    "pad overflow": (
        "too large",
        "pad",
        [(5,)],
        [(4,)],
        {"paddings": (2**63 - 1, 0), "value": 0.0},
    ),
    "pad wrong rank": (
        "two per axis",
        "pad",
        [(5,)],
        [(5,)],
        {"paddings": (0, 0, 0, 0), "value": 0.0},
    ),
    "triangle of a vector": ("rank 2 or more", "tril", [(5,)], [(5,)], {"k": 0}),
    "arange of wrong length": (
        "the range another",
        "arange",
        [],
        [(4,)],
        {"start": 0, "stop": 5, "step": 1},
    ),
    "arange without step": (
        "step is zero",
        "arange",
        [],
        [(0,)],
        {"start": 0, "stop": 0, "step": 0},
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    message, op, inputs, outputs, attrs = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        make(op, [(s, "float32") for s in inputs], [(s, "float32") for s in outputs], **attrs)

"""Fused elementwise kernels: the same bits as their steps one by one, and malformed programs
refused.
"""

from __future__ import annotations

import numpy as np
import pytest
from driver import CODES, make, round_to, run, to_array, to_numpy

from minds import _core
from minds.ops.define import P

pytestmark = pytest.mark.native

FLOATS = ["float32", "float64", "float16", "bfloat16"]
ONE = ["exp", "tanh", "sigmoid", "relu", "neg", "square", "sqrt", "abs", "sin"]
TWO = ["add", "sub", "mul", "div", "maximum", "minimum"]
SHAPES = [(1,), (5,), (3, 7), (16, 64), (2, 3, 300), (1300,), (9, 257), (0, 4)]


def bits(a: np.ndarray) -> bytes:
    return np.ascontiguousarray(a).tobytes()


def one_by_one(shape, inputs: list, steps: list) -> list:
    """What each step gives when its own kernel runs; inputs are (array, dtype) pairs, likewise the
    values.
    """
    values = [(to_array(np.asarray(a), t), t, a.shape) for a, t in inputs]
    for op, operands, to in steps:
        args = [values[k] for k in operands]
        if op == "select":
            dtype = args[1][1]
        else:
            dtype = to or (
                "bool" if op in ("less", "equal", "isnan", "logical_not") else args[0][1]
            )
        whole = np.broadcast_shapes(*[s for _, _, s in args])
        kernel = make(
            op,
            [(s, t) for _, t, s in args],
            [(whole, dtype)],
            **({"dtype": dtype} if op == "cast" else {}),
        )
        values.append((kernel(*[a for a, _, _ in args]), dtype, whole))
    return values[len(inputs) :]


def fused(shape, inputs: list, steps: list, outs: list, dtypes: list) -> list:
    """The same by one kernel; `outs` are steps."""
    got = run(
        "tile",
        inputs,
        [(shape, t) for t in dtypes],
        ops=" ".join(op for op, _, _ in steps),
        args=tuple(k for _, operands, _ in steps for k in operands),
        casts=tuple(CODES[to] for op, _, to in steps if op == "cast"),
        outs=tuple(len(inputs) + k for k in outs),
        shape=shape,
    )
    return got if isinstance(got, list) else [got]


def program(rng, count: int, steps: int, dtype: str) -> list:
    """Random steps over `count` inputs, of which the first has the shape of the result."""
    made: list = []
    whole = [0]
    for k in range(steps):
        x = int(rng.choice(whole))
        y = int(rng.integers(count + k))
        if y >= count and y not in whole:  # a bool
            y = x
        kind = rng.integers(4)
        if kind == 0:
            made.append((str(rng.choice(ONE)), [x], None))
        elif kind == 3 and k > 2:
            made += [("less", [x, y], None), ("select", [count + len(made), y, x], None)]
        else:
            made.append((str(rng.choice(TWO)), [x, y] if rng.integers(2) else [y, x], None))
        if len(made) > k:
            whole.append(count + len(made) - 1)
        if len(made) >= steps:
            break
    return made


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_random_programs_equal_their_steps(shape, dtype):
    for seed in range(12):
        rng = np.random.default_rng([seed, len(shape)])
        row = tuple(n if k == len(shape) - 1 else 1 for k, n in enumerate(shape))
        column = tuple(1 if k == len(shape) - 1 else n for k, n in enumerate(shape))
        inputs = [
            (round_to(rng.standard_normal(s), dtype), dtype)
            for s in (shape, (), row, shape, column, shape[-1:])
        ]
        steps = program(rng, len(inputs), 14, dtype)
        with np.errstate(all="ignore"):
            want = one_by_one(shape, inputs, steps)
        outs = [k for k, (_, _, s) in enumerate(want) if s == shape][-5:]
        got = fused(shape, inputs, steps, outs, [want[k][1] for k in outs])
        for k, g in zip(outs, got, strict=True):
            assert bits(g) == bits(to_numpy(want[k][0])), (seed, steps[k])


def has_kernel(op: str) -> bool:
    return any(_core.has_kernel(op, "cpu", code) for code in CODES.values())


@pytest.mark.parametrize(
    "op",
    sorted({o.kernel for o in P if o.elementwise and has_kernel(o.kernel)} - {"select", "cast"}),
)
def test_every_elementwise_kernel_is_a_step(op):
    """What the compiler may fuse, the fused kernel knows: for each dtype of the op's own kernel."""
    arity = next(len(o.tensor_at) for o in P if o.kernel == op and o.elementwise)
    for dtype, code in CODES.items():
        checked = op in ("floor_divide", "mod", "fmod", "pow") and "float" not in dtype
        if not _core.has_kernel(op, "cpu", code) or checked:
            continue
        x = np.abs(np.random.default_rng(0).standard_normal((600,)) * 3).astype(np.float32)
        x = round_to(x, dtype) if "float" in dtype else x.astype(dtype)
        logical = dtype == "bool" or op in (
            "equal",
            "not_equal",
            "less",
            "less_equal",
            "greater",
            "greater_equal",
            "isnan",
            "isinf",
            "isfinite",
            "logical_and",
            "logical_or",
            "logical_xor",
            "logical_not",
        )
        out = "bool" if logical else dtype
        with np.errstate(all="ignore"):
            want = run(op, [(x, dtype)] * arity, [((600,), out)])
            got = run(
                "tile",
                [(x, dtype)],
                [((600,), out)],
                ops=op,
                args=(0,) * arity,
                casts=(),
                outs=(1,),
                shape=(600,),
            )
        assert bits(got) == bits(want), dtype


def test_casts_and_selects_mix_dtypes():
    rng = np.random.default_rng(3)
    x, n = (
        rng.standard_normal((40, 40)).astype(np.float32),
        rng.integers(-5, 5, (40,)).astype(np.int32),
    )
    steps = [
        ("cast", [0], "int32"),
        ("add", [2, 1], None),
        ("cast", [3], "float32"),
        ("less", [4, 0], None),
        ("select", [5, 0, 4], None),
        ("cast", [6], "float64"),
        ("cast", [3], "bfloat16"),
    ]
    inputs = [(x, "float32"), (n, "int32")]
    want = one_by_one((40, 40), inputs, steps)
    outs = list(range(len(steps)))
    got = fused((40, 40), inputs, steps, outs, [t for _, t, _ in want])
    for k, g in enumerate(got):
        assert bits(g) == bits(to_numpy(want[k][0])), steps[k]


def test_many_live_values_take_smaller_tiles():
    """More scratch than a thread's stack should hold: forty doubles at once."""
    x = np.random.default_rng(0).standard_normal(3000)
    steps = [("sin", [0], None)] + [
        ("exp", [1 + k], None) if k % 2 else ("neg", [1 + k], None) for k in range(44)
    ]
    steps += [("add", [1, 2], None)]
    steps += [("add", [46 + k, 3 + k], None) for k in range(43)]
    inputs = [(x, "float64")]
    with np.errstate(all="ignore"):
        want = one_by_one((3000,), inputs, steps)
        got = fused((3000,), inputs, steps, [len(steps) - 1], ["float64"])[0]
    assert bits(got) == bits(to_numpy(want[-1][0]))


def test_threads_do_not_matter():
    x = np.random.default_rng(0).standard_normal((700, 333)).astype(np.float32)
    column = np.random.default_rng(1).standard_normal((700, 1)).astype(np.float32)
    steps = [("tanh", [0], None), ("mul", [2, 1], None), ("sub", [3, 0], None)]
    before, got = _core.get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            _core.set_num_threads(threads)
            got.append(
                bits(
                    fused(
                        (700, 333), [(x, "float32"), (column, "float32")], steps, [2], ["float32"]
                    )[0]
                )
            )
    finally:
        _core.set_num_threads(before)
    assert got[0] == got[1] == got[2]


GOOD = dict(ops="add exp", args=(0, 1, 2), casts=(), outs=(3,), shape=(4, 3))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(ops=""), "length"),
        (dict(ops="add explode"), "no op 'explode'"),
        (dict(args=(0, 1)), "operands"),
        (dict(args=(0, 1, 3)), "operands"),
        (dict(args=(0, 1, -1)), "operands"),
        (dict(args=(0, 1, 2, 2)), "operands"),
        (dict(outs=(4,)), "outputs"),
        (dict(outs=(0,)), "outputs"),
        (dict(outs=()), "outputs"),
        (dict(shape=(4, 4)), "broadcast"),
        (dict(shape=(-1, 3)), "negative"),
        (dict(shape=(3, 4, 1)), "broadcast"),
        (dict(ops="add cast"), "cast"),
        (dict(ops="add cast", casts=(14,)), "cast"),
        (dict(ops="add cast", casts=(11,)), "same dtype"),
        (dict(ops="add bitwise_not"), "not defined"),
        (dict(ops="less add", args=(0, 1, 2, 0)), "two dtypes"),
        (dict(ops="add select", args=(0, 1, 2, 2, 2)), "select"),
        (dict(ops=" ".join(["neg"] * 200), args=tuple(range(1, 201))), "length"),
    ],
    ids=str,
)
def test_malformed_programs_are_refused(change, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make(
            "tile",
            [((4, 3), "float32"), ((3,), "float32")],
            [((4, 3), "float32")],
            **{**GOOD, **change},
        )


def test_integer_division_is_refused():
    with pytest.raises(TypeError, match="not defined"):
        make(
            "tile",
            [((4,), "int32")],
            [((4,), "int32")],
            ops="floor_divide",
            args=(0, 0),
            casts=(),
            outs=(1,),
            shape=(4,),
        )

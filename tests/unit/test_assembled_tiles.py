"""Fused elementwise kernels as machine code: the bits of the loops that run step by step, for numbers of
all kinds. On processors without such code both are the same loops.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops

SPECIAL = """0 -0 inf -inf nan 1e-40 -1e-40 1e-45 3e38 -3e38 88.7 89.1 -88 -103.9 -104.1 0.625 0.92 4 1 -1
0.5 2 1e-30 0.70710677 0.7071068 1.4142135 1.1754944e-38"""
FLOATS = ms.float32, ms.bfloat16, ms.float16


def numbers(seed: int, n: int, dtype=ms.float32) -> Tensor:
    """Special numbers, and others of several sizes."""
    rng = np.random.default_rng(seed)
    special = np.array(SPECIAL.split(), np.float32)
    sizes = rng.choice([0.1, 1, 10, 100], n - len(special))
    x = np.concatenate([special, rng.standard_normal(n - len(special)) * sizes])
    rng.shuffle(x)
    return Tensor(x.astype(np.float32)).astype(dtype)


def agree(fn, *args) -> list:
    """The results of a compiled function, which have the same bits with and without machine code."""
    found = []
    for setting in "01":
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MINDS_MACHINE_CODE", setting)
            found.append([v.asnumpy() for v in ms.jit(lambda *a: fn(*a))(*args)])
    for a, b in zip(*found, strict=True):
        assert a.dtype == b.dtype and a.tobytes() == b.tobytes()
    return found[1]


def functions(x, y):
    return (
        *(ops.sqrt(x) + y, ops.rsqrt(x) * y, ops.reciprocal(x) - y, ops.relu(x) / y),
        *(ops.abs(x) + y, -x * y, ops.sign(x) - y, ops.square(x) + x),
        *(ops.exp(x) + y, ops.log(x) * 2.0, ops.tanh(x) - 0.5, ops.sigmoid(x) * y, ops.erf(x) + x),
        *(ops.maximum(x, y) + x, ops.minimum(x, y) * y, 0.5 / x + y),
    )


def comparisons(x, y):
    found = []
    for op in (ops.equal, ops.not_equal, ops.less, ops.less_equal, ops.greater, ops.greater_equal):
        t = op(x, y)
        found += [t, ops.where(t, x, y) + x, ops.cast(op(x, 0.5), ms.float32) * 2.0]
    both = ops.logical_and(x > y, ops.logical_not(y < 0.5))
    return (*found, both, ops.logical_xor(ops.isnan(x), x == y))


def conversions(x, y):
    z = ops.cast(x, ms.float32) * 1.7
    return (
        *(z + y, ops.cast(z, ms.bfloat16) + 1.0, ops.cast(z, ms.float16) * 3.0),
        *(ops.cast(x + y, ms.bool_), ops.cast(z, ms.float16) + x),
    )


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("fn", [functions, comparisons, conversions])
def test_every_formula_gives_the_bits_of_its_loop(fn, dtype):
    agree(fn, numbers(0, 1200 + 13, dtype), numbers(1, 1200 + 13, dtype))


def test_avx2_gives_the_same_bits():
    program = """if True:
        import test_assembled_tiles as t
        for dtype in t.FLOATS:
            for fn in t.functions, t.comparisons, t.conversions:
                t.agree(fn, t.numbers(0, 1213, dtype), t.numbers(1, 1213, dtype))
        t.test_operands_of_other_shapes()
        t.test_more_values_than_registers()
    """
    here = pathlib.Path(__file__).parent
    env = os.environ | {"MINDS_ISA": "avx2", "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program], cwd=here, env=env, check=True)


def test_operands_of_other_shapes():
    x, row, column = numbers(0, 37 * 129).reshape(37, 129), numbers(1, 129), numbers(2, 37)
    agree(
        lambda x, b, c: (ops.tanh(x + b) * c, (x - c) * ops.sigmoid(b + x)),
        *(x, row, column.reshape(37, 1)),
    )
    mask = Tensor(np.random.default_rng(3).random(5000) > 0.5)
    agree(
        lambda x, m: (ops.where(m, x * 2.0, x + 1.0), ops.logical_not(m), ops.logical_or(m, x > 0)),
        *(numbers(4, 5000), mask),
    )


def test_more_values_than_registers():
    def f(x, y):
        t = [x * float(k + 1) + y for k in range(20)]
        s = t[0]
        for k in range(1, 20):
            s = s * t[k] * 0.1 + ops.tanh(t[19 - k])
        return s, t[3] + s

    rng = np.random.default_rng(5)
    x, y = (rng.standard_normal(3000).astype(np.float32) for _ in range(2))
    s, _ = agree(f, Tensor(x), Tensor(y))
    t = [x * np.float64(k + 1) + y for k in range(20)]
    wanted = t[0]
    for k in range(1, 20):
        wanted = wanted * t[k] * 0.1 + np.tanh(t[19 - k])
    near = np.abs(wanted) < 1e3
    np.testing.assert_allclose(s[near], wanted[near], rtol=1e-3, atol=1e-3)


def test_a_gradient_of_twelve_functions():
    def chain(x):
        y = ops.tanh(x * 0.5 + 1.0) * ops.sigmoid(x) - ops.exp(-x * x)
        return ops.sum(y * y / (1.0 + ops.abs(x)) + ops.relu(y) * 0.1)

    x = Tensor(np.random.default_rng(6).standard_normal(4000).astype(np.float32))
    (compiled,) = agree(lambda x: (ms.grad(chain)(x),), x)
    wide = ms.grad(chain)(x.astype(ms.float64)).asnumpy()
    np.testing.assert_allclose(compiled, wide, rtol=2e-5, atol=2e-6)

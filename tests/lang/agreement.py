"""Runs a program as CPython over PyNative ops, compiled, and differentiated in both ways;
everything must agree exactly.
"""

from __future__ import annotations

import dataclasses

import numpy as np

import minds as ms
from minds import Tensor


def plain(value):
    """A result as nested Python values and NumPy arrays."""
    if isinstance(value, Tensor):
        return value.asnumpy()
    if isinstance(value, (tuple, list)):
        return (
            type(value)(map(plain, value))
            if not hasattr(value, "_fields")
            else tuple(map(plain, value))
        )
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return (
            type(value).__name__,
            plain({f.name: getattr(value, f.name) for f in dataclasses.fields(value)}),
        )
    return value


def assert_same(a, b) -> None:
    """Equal structure, types, dtypes, shapes and bits."""
    a, b = plain(a), plain(b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        assert isinstance(a, np.ndarray) and isinstance(b, np.ndarray), (a, b)
        assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, a.shape, b.dtype, b.shape)
        np.testing.assert_array_equal(a, b)
    elif isinstance(a, (tuple, list)):
        assert type(a) is type(b) and len(a) == len(b), (a, b)
        for x, y in zip(a, b):
            assert_same(x, y)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for k in a:
            assert_same(a[k], b[k])
    else:
        assert type(a) is type(b), (a, b)
        assert a == b or a != a and b != b, (a, b)


def agree(fn, *args):
    """CPython and the compiled program give the same; returns it."""
    expected = fn(*args)
    got = ms.jit(fn)(*args)
    assert_same(got, expected)
    return expected


def gradients_agree(fn, *args, position=0, numeric=True, tolerance=1e-4):
    """The tape and the compiled gradient give the same bits; in float64 they match central
    differences.
    """

    def gradient(*inputs):
        return ms.value_and_grad(fn, position)(*inputs)

    expected = gradient(*args)
    assert_same(ms.jit(gradient)(*args), expected)
    if numeric:
        _check_numerically(fn, args, position, tolerance)
    return expected[1]


def _check_numerically(fn, args, position, tolerance) -> None:
    rng = np.random.default_rng(7)
    doubles = [
        Tensor(a.asnumpy().astype(np.float64)) if isinstance(a, Tensor) and a.dtype.is_float else a
        for a in args
    ]
    x = doubles[position].asnumpy()
    direction = rng.standard_normal(x.shape)
    direction /= max(np.linalg.norm(direction), 1e-12)
    step = 1e-5

    def at(t):
        moved = list(doubles)
        moved[position] = Tensor(x + t * direction)
        out = fn(*moved)
        outs = out if isinstance(out, (tuple, list)) else (out,)
        return sum(float(o.asnumpy().sum()) for o in outs)

    numeric = (at(step) - at(-step)) / (2 * step)
    found = float((ms.grad(fn, position)(*doubles).asnumpy() * direction).sum())
    assert abs(found - numeric) <= tolerance * max(1.0, abs(numeric)), (found, numeric)

"""Runs a program as CPython over PyNative ops, compiled, and differentiated in both ways; all must
agree to the bit, gradients that are summed in another order within `Sums.tolerance`.
"""

from __future__ import annotations

import dataclasses
from collections import deque

import numpy as np

import minds as ms
from minds import Tensor
from minds.ad import tape
from minds.ops.define import P


class Sums:
    """Inside ``with``, the additions of cotangents that eager gradients make.

    Compiled and eager gradients add the same terms. Where one value has two names (a branch, a
    loop or a function may return what its caller uses too), compiled code sums under each name
    first. Every addition rounds by at most half a unit in the last place of its result, in either
    mode; what it is off by is carried on as the sum itself is, by linear maps. So after ``count``
    additions the two differ by at most ``count`` units in the last place of the largest number that
    was met, the gradient included. Nothing added up: no tolerance, equal bits.

    Attributes:
        count: how many additions.
        largest: the largest finite magnitude among their operands and results.
    """

    def __init__(self):
        self.count, self.largest = 0, 0.0

    def __enter__(self):
        def add(x, y):
            total = P.add(x, y)
            self.count += 1
            for t in (x, y, total):
                self._see(t)
            return total

        tape.install(add)
        return self

    def __exit__(self, *exc):
        tape.install(P.add)

    def _see(self, t) -> None:
        with tape.suspended():
            a = np.abs(t.asnumpy().astype(np.float64))
        self.largest = max(self.largest, a[np.isfinite(a)].max(initial=0.0))

    def tolerance(self, expected) -> float:
        """How far from the array ``expected`` another order of the same additions may lead."""
        if not self.count or expected.dtype.kind != "f":
            return 0.0
        finite = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
        return float(self.count * np.finfo(expected.dtype).eps * max(self.largest, finite))


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
    if isinstance(value, deque):
        return "deque", value.maxlen, plain(list(value))
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return (
            type(value).__name__,
            plain({f.name: getattr(value, f.name) for f in dataclasses.fields(value)}),
        )
    return value


def assert_same(a, b, sums=None) -> None:
    """Equal structure, types, dtypes, shapes and bits; with ``sums`` within its tolerance."""
    a, b = plain(a), plain(b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        assert isinstance(a, np.ndarray) and isinstance(b, np.ndarray), (a, b)
        assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, a.shape, b.dtype, b.shape)
        within = sums.tolerance(b) if sums is not None else 0.0
        if within:
            np.testing.assert_allclose(a, b, rtol=0, atol=within)
        else:
            np.testing.assert_array_equal(a, b)
    elif isinstance(a, (tuple, list)):
        assert type(a) is type(b) and len(a) == len(b), (a, b)
        for x, y in zip(a, b):
            assert_same(x, y, sums)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for k in a:
            assert_same(a[k], b[k], sums)
    else:
        assert type(a) is type(b), (a, b)
        assert a == b or a != a and b != b, (a, b)


def agree(fn, *args):
    """CPython and the compiled program give the same; returns it."""
    expected = fn(*args)
    got = ms.jit(fn)(*args)
    assert_same(got, expected)
    return expected


def gradients_agree(fn, *args, position=0, numeric=True, tolerance=1e-4, joins=False):
    """The tape and the compiled gradient give the same value to the bit, and the same gradient: to
    the bit, or within `Sums.tolerance` where the program ``joins`` names. In float64 they match
    central differences.
    """

    def gradient(*inputs):
        return ms.value_and_grad(fn, position)(*inputs)

    with Sums() as sums:
        expected = gradient(*args)
    found = ms.jit(gradient)(*args)
    assert_same(found[0], expected[0])
    assert_same(found[1], expected[1], sums if joins else None)
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

"""Numerical check of gradients: directional derivatives in float64 against central differences, to
any order.

A function of several arguments is reduced to scalars: its outputs are contracted with random
weights, its gradients with random directions, so one comparison per order tests every element of
every gradient.
"""

from __future__ import annotations

import numpy as np

from ..ad.tape import Tape
from ..base import dtype as dt
from ..base.errors import complain
from ..ops.define import P
from ..tensor import Tensor


def tape_gradients(fn, args: list) -> list:
    """The gradients of the scalar function ``fn`` by the eager tape; None where nothing flows."""
    tape = Tape()
    for a in args:
        tape.watch(a)
    with tape:
        out = fn(*args)
    return tape.gradients([out], [P.full((), 1, out.dtype)], args)


def check_grad(
    fn,
    args,
    order: int = 2,
    *,
    gradients=tape_gradients,
    h: float = 1e-3,
    rtol: float = 1e-6,
    atol: float = 1e-8,
    seed: int = 0,
) -> None:
    """Compare the derivatives of ``fn`` at ``args`` with differences, up to ``order``.

    Args:
        fn (Callable): a function of tensors that returns a tensor or a tuple of them; only floating
            point results count.
        args (list): the point: tensors, arrays or numbers. Those in floating point are varied, in
            float64; others are fixed.
        order (int): the highest derivative checked. Default 2.
        gradients (Callable): ``(scalar fn, tensors) -> gradients``; by default the eager tape.
        h (float): the step; the differences have error O(h⁴), so that 1e-3 leaves about 11 digits
            of smooth functions.
        rtol, atol (float): allowed relative and absolute difference of a directional derivative.
        seed (int): of the random weights and directions.

    Raises:
        AssertionError: a derivative is wrong; the message says of which order, and both values.
        ValueError: ``order`` is not positive, or no argument is floating point.

    Examples:
        >>> from minds import ops
        >>> ops.check_grad(lambda x, y: ops.sin(x * y), [[1.0, 2.0], 3.0])
        >>> wrong = ops.custom_bprop(lambda x: x * x, lambda x, out, dout: (dout * x,))
        >>> try:
        ...     ops.check_grad(wrong, [3.0])
        ... except AssertionError as e:
        ...     print(str(e).split(":")[1])
         derivative of order 1
    """
    if not isinstance(order, int) or order < 1:
        raise complain(ValueError, f"check_grad: order is {order!r}", expected="a positive int")
    rng = np.random.default_rng(seed)
    fixed = [_tensor(a) for a in args]
    varied = [i for i, a in enumerate(fixed) if a.dtype.is_float]
    point = [fixed[i] for i in varied]
    if not point:
        raise complain(ValueError, "check_grad: no argument is floating point")

    def scalar(*xs):
        full = list(fixed)
        for i, x in zip(varied, xs):
            full[i] = x
        return _contract(fn(*full), weights)

    weights = _weights(fn(*fixed), rng)
    for k in range(1, order + 1):
        along = [rng.standard_normal(x.shape) for x in point]
        expected = _difference(scalar, point, along, h)
        slopes = _directional(scalar, [Tensor(v) for v in along], gradients)
        found = float(slopes(*point).asnumpy())
        if not abs(found - expected) <= atol + rtol * max(abs(expected), abs(found)):
            raise complain(
                AssertionError,
                f"derivative of order {k}: found {found!r}, differences give {expected!r}",
            )
        scalar = slopes


def _tensor(a) -> Tensor:
    """``a`` as a tensor, float64 if it is floating point."""
    array = a.asnumpy() if isinstance(a, Tensor) else np.asarray(a)
    return Tensor(array.astype(np.float64)) if array.dtype.kind == "f" else Tensor(array)


def _floats(out) -> list:
    return [
        o
        for o in (out if isinstance(out, (tuple, list)) else (out,))
        if isinstance(o, Tensor) and o.dtype.is_float
    ]


def _weights(out, rng) -> list:
    return [Tensor(rng.standard_normal(o.shape)) for o in _floats(out)]


def _contract(out, weights: list):
    """The sum of all outputs times their weights."""
    total = None
    for o, w in zip(_floats(out), weights):
        o = o if o.dtype is dt.float64 else P.cast(o, dt.float64)
        part = P.sum(P.mul(o, w), tuple(range(len(o.shape))), False)
        total = part if total is None else P.add(total, part)
    return total


def _directional(fn, along: list, gradients):
    """The function x -> sum of gradient(fn)(x) times ``along``."""

    def slope(*xs):
        found = [(g, v) for g, v in zip(gradients(fn, list(xs)), along) if g is not None]
        return (
            _contract([g for g, _ in found], [v for _, v in found])
            if found
            else P.full((), 0, dt.float64)
        )

    return slope


def _difference(fn, point: list, along: list, h: float) -> float:
    """The derivative of ``fn`` at ``point`` along ``along``, from four values."""

    def at(step: float) -> float:
        return float(fn(*[Tensor(x.asnumpy() + step * v) for x, v in zip(point, along)]).asnumpy())

    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)

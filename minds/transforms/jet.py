"""Higher derivatives along a curve: `jet` and `derivative`."""

from __future__ import annotations

import math

from .. import ops
from ..base import dtype as dt
from ..base.errors import complain
from ..tensor import Tensor
from .jvp import jvp


def jet(fn, primals, series):
    r"""The derivatives of ``fn`` along a curve.

    The curve is :math:`x(t) = x_0 + \sum_k x_k t^k / k!` with ``primals`` :math:`x_0` and ``series``
    :math:`x_1, x_2, …`; the result holds the derivatives of ``fn(x(t))`` at :math:`t = 0`.

    Args:
        fn (Callable): a function or Cell.
        primals (Tensor | tuple[Tensor]): the inputs.
        series (Tensor | tuple[Tensor]): for each input its derivatives, stacked along the first
            axis.
    Returns:
        tuple: the output of ``fn``, and its derivatives, stacked along the first axis; a tuple of
            each if ``fn`` has
        several outputs.
    Raises:
        TypeError: ``primals`` or ``series`` is of another type.
        ValueError: they do not fit each other.

    Examples:
        >>> import minds as ms
        >>> y, dy = ms.ops.jet(lambda x: x * x * x, ms.Tensor([2.0]), ms.Tensor([[1.0], [0.0], [0.0]]))
        >>> print(y, dy.reshape(-1))
        [8.] [12. 12.  6.]
    """
    points, curves = _as_tuple(primals), _as_tuple(series)
    if not all(isinstance(v, Tensor) for v in (*points, *curves)):
        raise complain(
            TypeError,
            "jet: primals and series must be Tensors",
            expected="a Tensor, or a tuple of Tensors",
        )
    points, curves = [tuple([_floating(v) for v in vs]) for vs in (points, curves)]
    order = curves[0].shape[0] if curves and curves[0].ndim else 0
    if (
        len(points) != len(curves)
        or order == 0
        or any(s.shape != (order, *p.shape) for p, s in zip(points, curves))
    ):
        raise complain(
            ValueError,
            f"jet: the inputs have shapes {[p.shape for p in points]}, the series "
            f"{[s.shape for s in curves]}",
            expected="(order, *shape of the input) each",
        )

    def along(t):
        args = ()
        for p, s in zip(points, curves):
            y = s[order - 1] / math.factorial(order)
            for k in range(order - 1, 0, -1):
                y = y * t + s[k - 1] / math.factorial(k)
            args = args + (y * t + p,)
        return fn(*args)

    zero, one = ops.zeros((), points[0].dtype), ops.ones((), points[0].dtype)
    value, found = along(zero), []
    for _ in range(order):
        along = _slope(along, one)
        found.append(along(zero))
    if isinstance(value, tuple):
        return value, tuple([ops.stack([row[i] for row in found]) for i in range(len(value))])
    return value, ops.stack(found)


def derivative(fn, primals, order: int):
    """The derivative of ``fn`` of some order, all inputs growing alike.

    Args:
        fn (Callable): a function or Cell.
        primals (Tensor | tuple[Tensor]): the inputs.
        order (int): how often to differentiate, at least once.
    Returns:
        tuple: the output of ``fn``, and its derivative; a tuple of each if ``fn`` has several
            outputs.
    Raises:
        TypeError: ``order`` is no int, or ``primals`` of another type.
        ValueError: ``order`` is below 1.

    Examples:
        >>> import minds as ms
        >>> y, dy = ms.ops.derivative(lambda x: x * x * x, ms.Tensor([2.0]), 2)
        >>> print(y, dy)
        [8.] [12.]
    """
    if isinstance(order, bool) or not isinstance(order, int):
        raise complain(
            TypeError, f"derivative: order has type {type(order).__name__}", expected="int"
        )
    if order < 1:
        raise complain(ValueError, f"derivative: order is {order}", expected="1 or more")
    series = tuple([_unit(p, order) for p in _as_tuple(primals)])
    value, found = jet(fn, primals, series if isinstance(primals, (tuple, list)) else series[0])
    return value, tuple([s[order - 1] for s in found]) if isinstance(value, tuple) else found[
        order - 1
    ]


def _floating(v: Tensor) -> Tensor:
    """Whole numbers are points of float32 curves.

    Raises:
        TypeError: of a dtype that has no derivatives.
    """
    if v.dtype in (dt.int32, dt.int64):
        return ops.cast(v, dt.float32)
    if not (v.dtype.is_float or v.dtype.is_complex):
        raise complain(
            TypeError,
            f"jet: a tensor has dtype {v.dtype}",
            expected="a floating point number, int32 or int64",
        )
    return v


def _as_tuple(v) -> tuple:
    return tuple(v) if isinstance(v, (tuple, list)) else (v,)


def _slope(fn, one):
    """The derivative of a function of one number."""
    return lambda t: jvp(fn, (t,), (one,))[1]


def _unit(p, order: int):
    """The series of a curve that is a line: one, then zeros."""
    if not isinstance(p, Tensor):
        raise complain(
            TypeError, f"derivative: primals holds {type(p).__name__}", expected="Tensor"
        )
    return ops.stack([ops.ones_like(p)] + [ops.zeros_like(p) for _ in range(order - 1)])


__all__ = ["derivative", "jet"]

"""The softmax along a dimension, and its logarithm."""

from __future__ import annotations

from ..tensor import Tensor
from .define import P, op
from .rules import axis_of, floating, same


def _axis(x, axis) -> dict:
    return {"axis": axis_of(axis, x.ndim)}


@op(batch="axis")
def softmax(input: Tensor, axis: int = -1) -> Tensor:
    r"""The softmax along ``axis``: :math:`e^{x_i} / \sum_c e^{x_c}`, computed without overflow.

    Args:
        input (Tensor[(..., C, ...), float]): logits.
        axis (int): the normalised dimension. Default: -1.

    Returns:
        Tensor: of the same shape and dtype; sums to 1 along ``axis``.

    Raises:
        TypeError: ``input`` is not floating point.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.softmax(Tensor([1.0, 1.0])))
        [0.5 0.5]
    """
    floating(input, "input")
    return same(input)


softmax.normalize(_axis)


@softmax.bprop
def _(x, axis, out, dout):
    return (out * (dout - P.sum(out * dout, (axis,), True)),)


@op(batch="axis", function=True, method=True, cls="LogSoftmax(axis=-1)")
def log_softmax(logits: Tensor, axis: int = -1) -> Tensor:
    r"""The logarithm of the softmax along ``axis``: :math:`x_i - \log\sum_c e^{x_c}`.

    Args:
        logits (Tensor[(..., C, ...), float]): logits.
        axis (int): the normalised dimension. Default: -1.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``logits`` is not floating point.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.log_softmax(Tensor([1.0, 1.0])))
        [-0.6931472 -0.6931472]
    """
    floating(logits, "logits")
    return same(logits)


log_softmax.normalize(_axis)


@log_softmax.bprop
def _(x, axis, out, dout):
    return (dout - P.exp(out) * P.sum(dout, (axis,), True),)

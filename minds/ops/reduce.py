"""Reductions over dimensions, and the positions of extremes.

``axis`` is None or () for all dimensions, an int, or several; rules and kernels see a sorted tuple.
"""

from __future__ import annotations

from ..base.dtype import bool_, int64
from ..base.errors import expect
from ..ir.abstract import AbstractTensor
from ..tensor import Tensor
from .define import P, op
from .rules import axes_of, axis_of, holomorphic, numeric, reduced, truth


def _axes(x, axis, keepdims) -> dict:
    return {"axis": axes_of(axis, x.ndim), "keepdims": truth(keepdims, "keepdims")}


def _kept(t, x, axis):
    """``t``, a reduction of ``x``, with the reduced dimensions as 1."""
    return P.reshape(t, reduced(x.shape, axis, True))


def _nonempty(x, axis) -> None:
    expect(
        all(x.shape[a] > 0 for a in axis), "the reduced part", "not empty", got=f"shape {x.shape}"
    )


@op(batch="axis")
def sum_(input: Tensor, axis: tuple = None, keepdims: bool = False) -> Tensor:
    r"""The sum over dimensions.

    Args:
        input (Tensor[any shape, number]): the operand.
        axis (int, tuple[int]): the dimensions to sum over. Default: all.
        keepdims (bool): keep them with size 1. Default: False.

    Returns:
        Tensor: of the same dtype; 0 where nothing is summed.

    Raises:
        TypeError: ``input`` is bool.
        ValueError: ``axis`` is out of range or names a dimension twice.

    Examples:
        >>> print(ops.sum(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [4. 6.]
    """
    numeric(input, "input")
    return AbstractTensor(reduced(input.shape, axis, keepdims), input.dtype)


sum_.normalize(_axes)


@sum_.bprop
def _(x, axis, keepdims, out, dout):
    return (P.broadcast_to(_kept(dout, x, axis), x.shape),)


@op(batch="axis")
def prod(input: Tensor, axis: tuple = None, keepdims: bool = False) -> Tensor:
    r"""The product over dimensions. Its gradient is exact where factors are 0.

    Args:
        input (Tensor[any shape, number]): the operand.
        axis (int, tuple[int]): the dimensions to multiply over. Default: all.
        keepdims (bool): keep them with size 1. Default: False.

    Returns:
        Tensor: of the same dtype; 1 where nothing is multiplied.

    Raises:
        TypeError: ``input`` is bool.
        ValueError: ``axis`` is out of range or names a dimension twice.

    Examples:
        >>> print(ops.prod(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [3. 8.]
    """
    numeric(input, "input")
    return AbstractTensor(reduced(input.shape, axis, keepdims), input.dtype)


prod.normalize(_axes)


@prod.bprop
@holomorphic
def _(x, axis, keepdims, out, dout):
    # The product of all other factors, as those before times those after: a polynomial, so zeros
    # need no care.
    kept = tuple(i for i in range(len(x.shape)) if i not in axis)
    perm, shape = kept + axis, tuple(x.shape[i] for i in kept)
    last = len(shape)
    count = 1
    for a in axis:
        count *= x.shape[a]
    t = P.reshape(P.transpose(x, perm), shape + (count,))
    others = P.cumprod(t, last, False, True) * P.cumprod(t, last, True, True)
    dx = others * P.reshape(dout, shape + (1,))
    inverse = tuple(perm.index(i) for i in range(len(perm)))
    return (P.transpose(P.reshape(dx, tuple(x.shape[i] for i in perm)), inverse),)


@op(batch="axis", cls="ReduceMax(keep_dims=False)")
def amax(input: Tensor, axis: tuple = None, keepdims: bool = False) -> Tensor:
    r"""The maximum over dimensions; nan where one is nan. Equal maxima share the gradient evenly.

    Args:
        input (Tensor): the operand.
        axis (int, tuple[int]): the dimensions to reduce. Default: all.
        keepdims (bool): keep them with size 1. Default: False.

    Returns:
        Tensor: of the same dtype.

    Raises:
        ValueError: ``axis`` is out of range or names a dimension twice, or there is nothing to
            choose from.

    Examples:
        >>> print(ops.amax(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [3. 4.]
    """
    _nonempty(input, axis)
    return AbstractTensor(reduced(input.shape, axis, keepdims), input.dtype)


@op(batch="axis", cls="ReduceMin(keep_dims=False)")
def amin(input: Tensor, axis: tuple = None, keepdims: bool = False) -> Tensor:
    r"""The minimum over dimensions; nan where one is nan. Equal minima share the gradient evenly.

    Args:
        input (Tensor): the operand.
        axis (int, tuple[int]): the dimensions to reduce. Default: all.
        keepdims (bool): keep them with size 1. Default: False.

    Returns:
        Tensor: of the same dtype.

    Raises:
        ValueError: ``axis`` is out of range or names a dimension twice, or there is nothing to
            choose from.

    Examples:
        >>> print(ops.amin(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [1. 2.]
    """
    _nonempty(input, axis)
    return AbstractTensor(reduced(input.shape, axis, keepdims), input.dtype)


def _extreme(x, axis, keepdims, out, dout):
    hit = P.cast(P.equal(x, _kept(out, x, axis)), x.dtype)
    share = _kept(dout, x, axis) / P.sum(hit, axis, True)
    return (hit * share,)


amax.normalize(_axes)
amin.normalize(_axes)
amax.bprop(_extreme)
amin.bprop(_extreme)


@op(nondiff=True, batch="axis", cls="ReduceAll(keep_dims=False)", method=True)
def all_(input: Tensor, axis: tuple = None, keepdims: bool = False) -> Tensor:
    """Whether all elements along dimensions are nonzero.

    Args:
        input (Tensor): the operand.
        axis (int, tuple[int]): the dimensions to reduce. Default: all.
        keepdims (bool): keep them with size 1. Default: False.

    Returns:
        Tensor: of dtype bool; True where nothing is reduced.

    Raises:
        ValueError: ``axis`` is out of range or names a dimension twice.

    Examples:
        >>> print(ops.all(Tensor([[True, False], [True, True]]), 1))
        [False  True]
    """
    return AbstractTensor(reduced(input.shape, axis, keepdims), bool_)


@op(nondiff=True, batch="axis", cls="ReduceAny(keep_dims=False)", method=True)
def any_(input: Tensor, axis: tuple = None, keepdims: bool = False) -> Tensor:
    """Whether an element along dimensions is nonzero.

    Args:
        input (Tensor): the operand.
        axis (int, tuple[int]): the dimensions to reduce. Default: all.
        keepdims (bool): keep them with size 1. Default: False.

    Returns:
        Tensor: of dtype bool; False where nothing is reduced.

    Raises:
        ValueError: ``axis`` is out of range or names a dimension twice.

    Examples:
        >>> print(ops.any(Tensor([[True, False], [False, False]]), 1))
        [ True False]
    """
    return AbstractTensor(reduced(input.shape, axis, keepdims), bool_)


all_.normalize(_axes)
any_.normalize(_axes)


def _one_axis(x, axis, keepdims) -> dict:
    return {"axis": axis_of(axis, x.ndim), "keepdims": truth(keepdims, "keepdims")}


def _position(x, axis: int, keepdims: bool) -> AbstractTensor:
    axes = (axis,) if x.shape else ()
    _nonempty(x, axes)
    return AbstractTensor(reduced(x.shape, axes, keepdims), int64)


@op(nondiff=True, batch="axis")
def argmax(input: Tensor, axis: int = -1, keepdims: bool = False) -> Tensor:
    """The position of the first maximum along a dimension; nan counts as the maximum.

    Args:
        input (Tensor): the operand.
        axis (int): the dimension. Default: -1.
        keepdims (bool): keep it with size 1. Default: False.

    Returns:
        Tensor: of dtype int64.

    Raises:
        ValueError: ``axis`` is out of range, or the dimension is empty.

    Examples:
        >>> print(ops.argmax(Tensor([[1.0, 2.0], [4.0, 3.0]]), 1))
        [1 0]
    """
    return _position(input, axis, keepdims)


@op(nondiff=True, batch="axis")
def argmin(input: Tensor, axis: int = -1, keepdims: bool = False) -> Tensor:
    """The position of the first minimum along a dimension; nan counts as the minimum.

    Args:
        input (Tensor): the operand.
        axis (int): the dimension. Default: -1.
        keepdims (bool): keep it with size 1. Default: False.

    Returns:
        Tensor: of dtype int64.

    Raises:
        ValueError: ``axis`` is out of range, or the dimension is empty.

    Examples:
        >>> print(ops.argmin(Tensor([[1.0, 2.0], [4.0, 3.0]]), 1))
        [0 1]
    """
    return _position(input, axis, keepdims)


argmax.normalize(_one_axis)
argmin.normalize(_one_axis)

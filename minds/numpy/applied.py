"""`minds.numpy`: what calls functions of the user's, or makes text. Compiled code reads its source, as it
does that of the functions that it calls.
"""

from __future__ import annotations

from ..ops.define import P
from ..ops.functional import WITHIN as F
from .create import array_of


def piecewise(x, condlist, funclist, *args, **kw):
    """At each place the value of the function whose condition holds; the last one if there is one
    more.

    Args:
        x (Tensor): the operand.
        condlist (list[Tensor[bool]]): the conditions.
        funclist (list[Callable | number]): a function of ``x``, or a number, for each; one more for
            the rest, which is 0 by default.
        args (Any), kw (Any): passed to the functions.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> x = ms.Tensor([-1.0, 2.0])
        >>> print(ms.numpy.piecewise(x, [x < 0], [lambda v: -v, 9]))
        [1. 9.]
    """
    x = array_of(x)
    conditions = condlist if isinstance(condlist, (list, tuple)) else [condlist]
    values = [f(x, *args, **kw) if callable(f) else f for f in funclist]
    out = values[len(conditions)] if len(values) > len(conditions) else 0
    for condition, value in zip(conditions, values, strict=False):
        out = F.where(array_of(condition), array_of(value, weak=True), out)
    return P.cast(P.broadcast_to(array_of(out), x.shape), x.dtype)


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """A function of vectors on all vectors along a dimension.

    Args:
        func1d (Callable): of a vector, and ``args`` and ``kwargs``.
        axis (int): the dimension.
        arr (Tensor): the operand.
        args (Any), kwargs (Any): passed to the function.

    Returns:
        Tensor: the results in the place of the dimension.

    Raises:
        TypeError: ``arr`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.apply_along_axis(lambda v: v.sum(), 1, [[1, 2], [3, 4]]))
        [3 7]
    """
    x = F.moveaxis(array_of(arr), axis, -1)
    lead = x.shape[:-1]
    rows = P.reshape(x, (-1, x.shape[-1]))
    out = F.stack([array_of(func1d(rows[i], *args, **kwargs)) for i in range(rows.shape[0])])
    inner = out.shape[1:]
    out = P.reshape(out, lead + inner)
    places = range(len(lead), len(lead) + len(inner))
    axis %= len(lead) + 1
    return F.moveaxis(out, tuple(places), tuple(range(axis, axis + len(inner)))) if inner else out


def apply_over_axes(func, a, axes):
    """A function of a tensor and a dimension, dimension by dimension.

    Args:
        func (Callable): of a tensor and a dimension.
        a (Tensor): the operand.
        axes (int | tuple[int]): the dimensions.

    Returns:
        Tensor: of the same number of dimensions.

    Raises:
        TypeError: ``a`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.apply_over_axes(ms.numpy.sum, ms.Tensor([[1, 2], [3, 4]]), (0, 1)))
        [[10]]
    """
    a = array_of(a)
    for axis in (axes,) if isinstance(axes, int) else axes:
        out = func(a, axis)
        a = out if len(out.shape) == len(a.shape) else F.expand_dims(out, axis)
    return a


def array_str(a):
    """The text of a tensor.

    Args:
        a (Tensor): the tensor.

    Returns:
        str: its elements in brackets.

    Raises:
        TypeError: another number of arguments than one.

    Examples:
        >>> import minds as ms
        >>> ms.numpy.array_str(ms.Tensor([1, 2]))
        '[1 2]'
    """
    return str(a)

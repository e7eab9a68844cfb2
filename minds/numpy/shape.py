"""Shapes, joining, splitting, choosing, sorting and searching in `minds.numpy`."""

from __future__ import annotations

import numpy as np

from ..base import dtype as dt
from ..base.limits import times
from ..ir.dim import is_size
from ..ops.define import P
from ..ops.found import made_of
from ..ops.functional import WITHIN as F
from ..tensor import Tensor
from .create import array_of


def _on_first(fn):
    """``fn`` with its first operand made a tensor."""

    def function(a, *args, **kwargs):
        return fn(array_of(a), *args, **kwargs)

    return function


def _on_each(fn):
    """``fn`` with each element of its first operand made a tensor."""

    def function(arrays, *args, **kwargs):
        return fn([array_of(a) for a in arrays], *args, **kwargs)

    return function


def _atleast(fn):
    def function(*arrays):
        out = [fn(array_of(a)) for a in arrays]
        return out[0] if len(out) == 1 else out

    return function


def _axis(fn):
    def function(a, axis=-1):
        return fn(array_of(a), axis)

    return function


expand_dims, squeeze = _on_first(F.expand_dims), _on_first(lambda a, axis=None: F.squeeze(a, axis))
reshape = _on_first(
    lambda x, new_shape: P.reshape(
        x, new_shape if isinstance(new_shape, (tuple, list)) else (new_shape,)
    )
)
ravel = _on_first(lambda x: P.reshape(x, (-1,)))
transpose = _on_first(lambda a, axes=None: a.transpose(*(() if axes is None else (tuple(axes),))))
moveaxis = _on_first(lambda a, source, destination: F.moveaxis(a, source, destination))
swapaxes = _on_first(lambda x, axis1, axis2: F.swapaxes(x, axis1, axis2))
flip = _on_first(
    lambda m, axis=None: P.flip(m, axis if axis is not None else tuple(range(len(m.shape))))
)
fliplr, flipud, rot90 = (
    _on_first(F.fliplr),
    _on_first(F.flipud),
    _on_first(lambda a, k=1, axes=(0, 1): F.rot90(a, k, axes)),
)
broadcast_to = _on_first(
    lambda array, shape: P.broadcast_to(array, (shape,) if is_size(shape) else tuple(shape))
)
tile = _on_first(lambda a, reps: F.tile(a, (reps,) if isinstance(reps, int) else tuple(reps)))


def take_along_axis(arr, indices, axis):
    """The elements at positions along a dimension; the other dimensions broadcast.

    Args:
        arr (Tensor): the elements.
        indices (Tensor[int]): the positions.
        axis (int): the dimension; None for the flattened tensor.

    Returns:
        Tensor: of the shape of ``indices``, broadcast.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.take_along_axis([[1, 2], [3, 4]], [[1], [0]], 1))
        [[2]
         [3]]
    """
    arr, indices = array_of(arr), array_of(indices)
    if axis is None:
        return P.gather_d(P.reshape(arr, (-1,)), 0, indices)
    axis %= len(arr.shape)
    shape = np.broadcast_shapes(
        *[tuple(1 if i == axis else n for i, n in enumerate(v.shape)) for v in (arr, indices)]
    )

    def wide(v):
        return P.broadcast_to(
            v, tuple(v.shape[axis] if i == axis else n for i, n in enumerate(shape))
        )

    return P.gather_d(wide(arr), axis, wide(indices))


def concatenate(arrays, axis=0):
    """Tensors one after the other along a dimension.

    Args:
        arrays (list[Tensor]): the tensors.
        axis (int): the dimension; None flattens them. Default: 0.

    Returns:
        Tensor: all elements.

    Raises:
        ValueError: the shapes do not fit.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.concatenate(([1, 2], [3])))
        [1 2 3]
    """
    arrays = [array_of(a) for a in arrays]
    if axis is None:
        return F.concat([P.reshape(a, (-1,)) for a in arrays], 0)
    return F.concat(arrays, axis)


stack = _on_each(lambda arrays, axis=0: F.stack(arrays, axis))
hstack, vstack = _on_each(F.hstack), _on_each(F.vstack)
dstack, column_stack = _on_each(F.dstack), _on_each(F.column_stack)
hsplit, vsplit, dsplit = _on_first(F.hsplit), _on_first(F.vsplit), _on_first(F.dsplit)
atleast_1d, atleast_2d, atleast_3d = (
    _atleast(F.atleast_1d),
    _atleast(F.atleast_2d),
    _atleast(F.atleast_3d),
)


def array_split(x, indices_or_sections, axis=0):
    """Parts along a dimension, as equal as can be.

    Args:
        x (Tensor): the operand.
        indices_or_sections (int | list[int]): how many parts, or where they end.
        axis (int): the dimension. Default: 0.

    Returns:
        tuple[Tensor]: the parts.

    Raises:
        TypeError: ``x`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> [part.tolist() for part in ms.numpy.array_split(ms.Tensor([1, 2, 3]), 2)]
        [[1, 2], [3]]
    """
    return F.tensor_split(array_of(x), indices_or_sections, axis)


def split(x, indices_or_sections, axis=0):
    """Parts along a dimension; a number of sections must divide it."""
    x = array_of(x)
    if isinstance(indices_or_sections, int) and x.shape[axis] % indices_or_sections:
        raise ValueError(
            f"split: {x.shape[axis]} elements do not divide into {indices_or_sections} parts"
        )
    return F.tensor_split(x, indices_or_sections, axis)


def rollaxis(x, axis, start=0):
    """A dimension moved before ``start``.

    Args:
        x (Tensor): the operand.
        axis (int): the dimension.
        start (int): before which it goes. Default: 0.

    Returns:
        Tensor: of the same elements.

    Raises:
        TypeError: ``x`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> ms.numpy.rollaxis(ms.ops.ones((2, 3, 4)), 2).shape
        (4, 2, 3)
    """
    x = array_of(x)
    n = len(x.shape)
    axis, start = axis % n, start + n if start < 0 else start
    return F.moveaxis(x, axis, start - 1 if axis < start else start)


def roll(a, shift, axis=None):
    """Elements shifted along dimensions, those that leave coming in again."""
    a = array_of(a)
    if axis is None:
        return P.reshape(F.roll(P.reshape(a, (-1,)), shift, 0), a.shape)
    return F.roll(a, shift, axis)


def repeat(a, repeats, axis=None):
    """Each element several times.

    Args:
        a (Tensor | number): the elements.
        repeats (int | list[int]): how often, all or each along ``axis``.
        axis (int): the dimension. Default: None, the flattened tensor.

    Returns:
        Tensor: the elements.

    Raises:
        TypeError: ``a`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.repeat([1, 2], 2))
        [1 1 2 2]
    """
    a = array_of(a)
    a, axis = (P.reshape(a, (-1,)), 0) if axis is None else (a, axis)
    return F.repeat_interleave(a, repeats if isinstance(repeats, int) else list(repeats), axis)


def append(arr, values, axis=None):
    """``values`` after ``arr``.

    Args:
        arr (Tensor | number): what comes first.
        values (Tensor | number): what follows.
        axis (int): the dimension. Default: None, both are flattened.

    Returns:
        Tensor: both.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.
        ValueError: the shapes do not fit.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.append([1, 2], [3]))
        [1 2 3]
    """
    return concatenate((arr, values), axis)


def broadcast_arrays(*args):
    """Tensors in their common shape.

    Args:
        args (Tensor | number ...): the operands.

    Returns:
        list[Tensor]: of one shape.

    Raises:
        ValueError: the shapes do not broadcast.

    Examples:
        >>> import minds as ms
        >>> [v.shape for v in ms.numpy.broadcast_arrays([1, 2], [[3]])]
        [(1, 2), (1, 2)]
    """
    return list(F.broadcast_tensors(*[array_of(a) for a in args]))


def pad(
    arr,
    pad_width,
    mode="constant",
    stat_length=None,
    constant_values=0,
    end_values=0,
    reflect_type="even",
    **kwargs,
):
    """Elements around a tensor; the modes of NumPy. Differentiable for ``constant`` alone."""
    x = array_of(arr)
    if mode == "constant" and isinstance(constant_values, (int, float)):
        pairs = np.broadcast_to(np.asarray(pad_width), (len(x.shape), 2)).tolist()
        return P.pad(x, tuple(map(tuple, pairs)), constant_values)
    options = {
        "constant": {"constant_values": constant_values},
        "linear_ramp": {"end_values": end_values},
        "reflect": {"reflect_type": reflect_type},
        "symmetric": {"reflect_type": reflect_type},
    }.get(mode, {})
    if mode in ("maximum", "minimum", "mean", "median"):
        options = {"stat_length": stat_length}
    if callable(mode):
        options = kwargs
    out = Tensor(np.pad(x.asnumpy(), pad_width, mode, **options), x.dtype)
    return made_of(out, (x,), f"pad with mode {mode!r}")


def take(a, indices, axis=None, mode="clip"):
    """Elements at positions."""
    return F.take(array_of(a), array_of(indices), axis, mode)


def choose(a, choices, mode="clip"):
    """At each place the element of the choice that stands here.

    Args:
        a (Tensor[int]): which choice.
        choices (list[Tensor]): the choices; shapes broadcast.
        mode (str): ``"clip"`` or ``"wrap"`` for numbers out of range. Default: ``"clip"``.

    Returns:
        Tensor: of the broadcast shape.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.choose([0, 1], [[1, 2], [3, 4]]))
        [1 4]
    """
    return array_of(a).choose([array_of(c) for c in choices], mode)


def select(condlist, choicelist, default=0):
    """At each place the element of the first choice whose condition holds."""
    out = array_of(default, weak=True)
    for condition, choice in list(zip(condlist, choicelist, strict=True))[::-1]:
        out = F.where(array_of(condition), array_of(choice, weak=True), out)
    return out


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


def _on_host(fn, dtype=None):
    """A function of NumPy whose result's size depends on values; in PyNative mode only."""

    def host(*args, **kwargs):
        # Lists of numbers as MindSpore takes them: ints are int32.
        args = [array_of(v) if isinstance(v, list) else v for v in args]
        sources = tuple([v for v in args if isinstance(v, Tensor)])
        out = fn(*[v.asnumpy() if isinstance(v, Tensor) else v for v in args], **kwargs)

        def convert(v):
            made = array_of(v if isinstance(v, np.ndarray) else np.asarray(v).tolist(), dtype)
            return made_of(made, sources, fn.__name__) if made.dtype.is_inexact else made

        return tuple(map(convert, out)) if isinstance(out, tuple) else convert(out)

    return host


argwhere = _on_host(np.argwhere)


def setdiff1d(ar1, ar2, assume_unique=False):
    """The elements of one tensor that are not in another; in PyNative mode only.

    Args:
        ar1 (Tensor): the elements.
        ar2 (Tensor): the others.
        assume_unique (bool): whether no element comes twice, which is faster. Default: False.

    Returns:
        Tensor: a vector, in order.

    Raises:
        TypeError: the elements are no numbers.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.setdiff1d(ms.Tensor([3, 1, 2]), ms.Tensor([2])))
        [1 3]
    """
    return _on_host(np.setdiff1d)(ar1, ar2, assume_unique)


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The elements that are in both tensors; in PyNative mode only.

    Args:
        ar1 (Tensor): the one.
        ar2 (Tensor): the other.
        assume_unique (bool): whether no element comes twice, which is faster. Default: False.
        return_indices (bool): whether the positions in both are returned too. Default: False.

    Returns:
        Tensor: a vector, in order; or it and two vectors of positions.

    Raises:
        TypeError: the elements are no numbers.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.intersect1d(ms.Tensor([3, 1, 2]), ms.Tensor([2, 3])))
        [2 3]
    """
    return _on_host(np.intersect1d)(ar1, ar2, assume_unique, return_indices)


def unravel_index(indices, shape, order="C"):
    """The coordinates of positions in a flattened tensor; in PyNative mode only.

    Args:
        indices (Tensor[int] | int): the positions.
        shape (tuple[int]): the shape.
        order (str): ``"C"``, row by row, or ``"F"``. Default: ``"C"``.

    Returns:
        tuple[Tensor[int32]]: one tensor per dimension.

    Raises:
        ValueError: a position is out of range.

    Examples:
        >>> import minds as ms
        >>> rows, columns = ms.numpy.unravel_index([1, 5], (2, 3))
        >>> print(rows, columns)
        [0 1] [1 2]
    """
    return _on_host(np.unravel_index, dt.int32)(indices, shape, order)


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """The positions in a flattened tensor of coordinates; in PyNative mode only.

    Args:
        multi_index (tuple[numpy.ndarray | int]): one array of coordinates per dimension.
        dims (tuple[int]): the shape.
        mode (str): ``"raise"``, ``"wrap"`` or ``"clip"`` for coordinates out of range. Default:
            ``"raise"``.
        order (str): ``"C"``, row by row, or ``"F"``. Default: ``"C"``.

    Returns:
        Tensor[float32]: the positions.

    Raises:
        ValueError: a coordinate is out of range, with ``"raise"``.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.ravel_multi_index((1, 2), (2, 3)))
        5.0
    """
    if hasattr(multi_index, "__len__"):
        times(len(multi_index), "the number of dimensions", 64)
    return _on_host(np.ravel_multi_index, dt.float32)(multi_index, dims, mode, order)


def unique(x, return_inverse=False):
    """The distinct elements, and with ``return_inverse`` for each element which it is."""
    out = F.unique(P.reshape(array_of(x), (-1,)))
    return out if return_inverse else out[0]


def isin(element, test_elements, invert=False):
    """Where elements are among others.

    Args:
        element (Tensor | number): the elements.
        test_elements (Tensor | number): the others.
        invert (bool): whether it is where they are not. Default: False.

    Returns:
        Tensor[bool]: of the shape of ``element``.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.isin([1, 2, 3], [1, 3]))
        [ True False  True]
    """
    x, others = array_of(element), P.reshape(array_of(test_elements), (-1,))
    found = P.any(P.equal(P.reshape(x, x.shape + (1,)), others), -1)
    return P.logical_not(found) if invert else found


def in1d(ar1, ar2, invert=False):
    """Where elements of a vector are among others.

    Args:
        ar1 (Tensor | number): the elements, flattened.
        ar2 (Tensor | number): the others.
        invert (bool): whether it is where they are not. Default: False.

    Returns:
        Tensor[bool]: a vector.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.in1d(ms.Tensor([1, 2, 3]), [1, 3]))
        [ True False  True]
    """
    return isin(P.reshape(array_of(ar1), (-1,)), ar2, invert)


def searchsorted(a, v, side="left", sorter=None):
    """Where values would have to be inserted."""
    return P.cast(
        F.searchsorted(
            array_of(a), array_of(v), side=side, sorter=None if sorter is None else array_of(sorter)
        ),
        dt.int32,
    )


def digitize(x, bins, right=False):
    """The interval that each element falls into.

    Args:
        x (Tensor): the elements.
        bins (Tensor): the edges, rising or falling.
        right (bool): whether an interval contains its right edge. Default: False.

    Returns:
        Tensor[int]: of the shape of ``x``.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.digitize([0.5, 1.5], [0.0, 1.0, 2.0]))
        [1 2]
    """
    bins = array_of(bins)
    values = bins.asnumpy()
    if values.size > 1 and values[0] > values[-1]:
        return bins.size - P.search(P.flip(bins, (0,)), array_of(x), right)
    return P.search(bins, array_of(x), not right)


def isscalar(element):
    """Whether a value is a number, a bool or a str.

    Args:
        element (Any): the value.

    Returns:
        bool: whether.

    Raises:
        TypeError: another number of arguments than one.

    Examples:
        >>> import minds as ms
        >>> ms.numpy.isscalar(3.5), ms.numpy.isscalar([3.5])
        (True, False)
    """
    return isinstance(element, (int, float, bool, complex, str))


def size(a, axis=None):
    """How many elements there are, along ``axis``."""
    shape = array_of(a).shape
    return int(np.prod(shape)) if axis is None else shape[axis]


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


def result_type(*arrays_and_dtypes):
    """The dtype that operands are promoted to.

    Args:
        arrays_and_dtypes (Tensor | number | dtype | str ...): the operands.

    Returns:
        dtype: the common one.

    Raises:
        TypeError: one is no dtype and no operand.

    Examples:
        >>> import minds as ms
        >>> ms.numpy.result_type(ms.Tensor([1.0]), ms.int32)
        Float32
    """
    out = None
    for v in arrays_and_dtypes:
        v = np.dtype(v) if isinstance(v, str) else v
        kind = v if isinstance(v, (dt.DType, type, np.dtype)) else array_of(v).dtype
        out = dt.of(kind) if out is None else dt.promote(out, dt.of(kind))
    return out


def promote_types(type1, type2):
    """The dtype that holds two others.

    Args:
        type1 (dtype), type2 (dtype): the two.

    Returns:
        dtype: the common one.

    Raises:
        TypeError: one is no dtype.

    Examples:
        >>> import minds as ms
        >>> ms.numpy.promote_types(ms.int32, ms.float16)
        Float16
    """
    return dt.promote(dt.of(type1), dt.of(type2))


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

"""`minds.numpy`: shapes, joining, splitting, choosing."""

from __future__ import annotations

import numpy as np

from ..ir.dim import is_size
from ..ops.define import P
from ..ops.function.common import is_tensor
from ..ops.functional import WITHIN as F
from ..ops.unbacked import made_of
from ..tensor import Tensor
from .create import array_of


def _atleast(fn):
    def function(*arrays):
        out = [fn(array_of(a)) for a in arrays]
        return out[0] if len(out) == 1 else out

    return function


def _axis(fn):
    def function(a, axis=-1):
        return fn(array_of(a), axis)

    return function


def expand_dims(a, axis):
    """The same elements with more dimensions of size 1."""
    return F.expand_dims(array_of(a), axis)


def squeeze(a, axis=None):
    """The same elements without dimensions of size 1."""
    return F.squeeze(array_of(a), axis)


def reshape(x, new_shape):
    """The same elements in another shape.

    Args:
        x (Tensor): the elements.
        new_shape (int | tuple[int]): the shape; one size may be -1.

    Returns:
        Tensor: of ``new_shape``.

    Raises:
        TypeError: ``x`` is neither a Tensor nor what makes one.
        ValueError: the shape has another number of elements.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.reshape([1, 2, 3, 4], (2, -1)))
        [[1 2]
         [3 4]]
    """
    sizes = new_shape if isinstance(new_shape, (tuple, list)) else (new_shape,)
    return P.reshape(array_of(x), sizes)


def ravel(x):
    """All elements in one dimension.

    Args:
        x (Tensor): the elements.

    Returns:
        Tensor: of rank 1.

    Raises:
        TypeError: ``x`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.ravel([[1, 2], [3, 4]]))
        [1 2 3 4]
    """
    return P.reshape(array_of(x), (-1,))


def transpose(a, axes=None):
    """The dimensions in another order, by default reversed."""
    return array_of(a).transpose(*(() if axes is None else (tuple(axes),)))


def moveaxis(a, source, destination):
    """Dimensions moved to other places."""
    return F.moveaxis(array_of(a), source, destination)


def swapaxes(x, axis1, axis2):
    """Two dimensions exchanged."""
    return F.swapaxes(array_of(x), axis1, axis2)


def flip(m, axis=None):
    """Elements in reverse order along dimensions, by default along all."""
    m = array_of(m)
    return P.flip(m, axis if axis is not None else tuple(range(len(m.shape))))


def fliplr(m):
    """Columns in reverse order."""
    return F.fliplr(array_of(m))


def flipud(m):
    """Rows in reverse order."""
    return F.flipud(array_of(m))


def rot90(a, k=1, axes=(0, 1)):
    """Turned by 90 degrees ``k`` times."""
    return F.rot90(array_of(a), k, axes)


def broadcast_to(array, shape):
    """The same elements repeated to a shape."""
    return P.broadcast_to(array_of(array), (shape,) if is_size(shape) else tuple(shape))


def tile(a, reps):
    """The tensor several times along dimensions."""
    return F.tile(array_of(a), (reps,) if isinstance(reps, int) else tuple(reps))


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


def stack(arrays, axis=0):
    """Tensors of one shape along a new dimension."""
    return F.stack([array_of(a) for a in arrays], axis)


def hstack(tup):
    """Tensors side by side: along the second dimension, those of rank 1 along the first."""
    return F.hstack([array_of(a) for a in tup])


def vstack(tup):
    """Tensors one below the other; those of rank 1 are rows."""
    return F.vstack([array_of(a) for a in tup])


def dstack(tup):
    """Tensors one behind the other, along the third dimension."""
    return F.dstack([array_of(a) for a in tup])


def column_stack(tup):
    """Tensors side by side; those of rank 1 are columns."""
    return F.column_stack([array_of(a) for a in tup])


def hsplit(x, indices_or_sections):
    """Parts along the second dimension, of rank 1 along the first."""
    return F.hsplit(array_of(x), indices_or_sections)


def vsplit(x, indices_or_sections):
    """Parts along the first dimension."""
    return F.vsplit(array_of(x), indices_or_sections)


def dsplit(x, indices_or_sections):
    """Parts along the third dimension."""
    return F.dsplit(array_of(x), indices_or_sections)


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
    """Elements around a tensor; the modes of NumPy. Those that repeat elements are differentiable, as
    ``constant`` is with one value.
    """
    x = array_of(arr)
    if mode in ("edge", "wrap") or (mode in ("reflect", "symmetric") and reflect_type == "even"):
        for axis, pair in enumerate(
            np.broadcast_to(np.asarray(pad_width), (len(x.shape), 2)).tolist()
        ):
            if any(pair):
                x = F.take(x, Tensor(np.pad(np.arange(x.shape[axis]), pair, mode)), axis)
        return x
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
    if not is_tensor(choices):
        choices = [array_of(c) for c in choices]
    return array_of(a).choose(choices, mode)


def select(condlist, choicelist, default=0):
    """At each place the element of the first choice whose condition holds."""
    out = array_of(default, weak=True)
    for condition, choice in list(zip(condlist, choicelist, strict=True))[::-1]:
        out = F.where(array_of(condition), array_of(choice, weak=True), out)
    return out

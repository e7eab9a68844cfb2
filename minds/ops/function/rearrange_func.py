"""Splitting, stacking, views and parts of tensors beyond the common ones."""

from __future__ import annotations

import itertools
import math

from ...base import dtype as dt
from ...base.errors import expect
from ...base.limits import times
from .. import checked
from ..define import P
from ..faces import face
from ..rules import axis_of
from .array_func import moveaxis, swapaxes
from .common import as_int64, as_tensor, cut, operands
from .join_func import concat, stack, tensor_split, vstack


def _each(inputs, fit):
    """``fit`` of one tensor, or of each of several."""
    return tuple([fit(x) for x in inputs]) if isinstance(inputs, (tuple, list)) else fit(inputs)


def atleast_1d(inputs):
    """Scalars as vectors; several tensors give a tuple.

    Args:
        inputs (Tensor, list[Tensor]): the operand, or several.

    Returns:
        Tensor or tuple[Tensor]: of rank 1 or more.

    Raises:
        AttributeError: an operand is no Tensor.

    Examples:
        >>> print(ops.atleast_1d(Tensor(2)))
        [2]
    """
    return _each(inputs, lambda x: x if x.shape else P.reshape(x, (1,)))


def atleast_2d(inputs):
    """Vectors as matrices of one row; several tensors give a tuple.

    Args:
        inputs (Tensor, list[Tensor]): the operand, or several.

    Returns:
        Tensor or tuple[Tensor]: of rank 2 or more.

    Raises:
        AttributeError: an operand is no Tensor.

    Examples:
        >>> print(ops.atleast_2d(Tensor([1, 2])))
        [[1 2]]
    """
    return _each(inputs, lambda x: P.reshape(x, (1,) * (2 - len(x.shape)) + x.shape))


def atleast_3d(inputs):
    """Tensors of rank 3 or more: a vector becomes (1, N, 1), a matrix (M, N, 1).

    Args:
        inputs (Tensor, list[Tensor]): the operand, or several.

    Returns:
        Tensor or tuple[Tensor]: of rank 3 or more.

    Raises:
        AttributeError: an operand is no Tensor.

    Examples:
        >>> ops.atleast_3d(Tensor([1, 2])).shape
        (1, 2, 1)
    """

    def fit(x):
        shape = x.shape
        return (
            x
            if len(shape) > 2
            else P.reshape(x, shape + (1,) if len(shape) == 2 else (1, x.size, 1))
        )

    return _each(inputs, fit)


@face(method=True)
def hsplit(input, indices_or_sections):
    """Parts along the second dimension (the first of vectors). See `tensor_split`.

    Args:
        input (Tensor): the operand.
        indices_or_sections (int, tuple[int]): how many parts, or where they start.

    Returns:
        tuple[Tensor]: the parts.

    Raises:
        ValueError: ``input`` has a rank that does not fit.

    Examples:
        >>> print(ops.hsplit(Tensor([1, 2, 3, 4]), 2)[1])
        [3 4]
    """
    return tensor_split(input, indices_or_sections, 0 if len(input.shape) == 1 else 1)


@face(method=True)
def vsplit(input, indices_or_sections):
    """Parts along the first dimension. See `tensor_split`.

    Args:
        input (Tensor): of rank 2 or more.
        indices_or_sections (int, tuple[int]): how many parts, or where they start.

    Returns:
        tuple[Tensor]: the parts.

    Raises:
        ValueError: ``input`` has a rank that does not fit.

    Examples:
        >>> print(ops.vsplit(Tensor([[1], [2]]), 2)[1])
        [[2]]
    """
    expect(len(input.shape) >= 2, "input", "of rank 2 or more", got=f"shape {input.shape}")
    return tensor_split(input, indices_or_sections, 0)


@face(method=True)
def dsplit(input, indices_or_sections):
    """Parts along the third dimension. See `tensor_split`.

    Args:
        input (Tensor): of rank 3 or more.
        indices_or_sections (int, tuple[int]): how many parts, or where they start.

    Returns:
        tuple[Tensor]: the parts.

    Raises:
        ValueError: ``input`` has a rank that does not fit.

    Examples:
        >>> ops.dsplit(ops.ones((1, 1, 4)), 2)[0].shape
        (1, 1, 2)
    """
    expect(len(input.shape) >= 3, "input", "of rank 3 or more", got=f"shape {input.shape}")
    return tensor_split(input, indices_or_sections, 2)


@face(mint=True)
def dstack(tensors):
    """Join tensors along the third dimension.

    Args:
        tensors (tuple[Tensor], list[Tensor]): the operands.

    Returns:
        Tensor: of rank 3 or more.

    Raises:
        TypeError: ``tensors`` is no sequence of tensors.

    Examples:
        >>> print(ops.dstack((Tensor([1, 2]), Tensor([3, 4]))))
        [[[1 3]
          [2 4]]]
    """
    return concat(atleast_3d(operands(tensors)), 2)


def column_stack(tensors):
    """Join tensors as columns.

    Args:
        tensors (tuple[Tensor], list[Tensor]): vectors, which are columns, and matrices.

    Returns:
        Tensor: of rank 2 or more.

    Raises:
        TypeError: ``tensors`` is no sequence of tensors.

    Examples:
        >>> print(ops.column_stack((Tensor([1, 2]), Tensor([3, 4]))))
        [[1 3]
         [2 4]]
    """
    columns = [P.reshape(x, (x.size, 1)) if len(x.shape) < 2 else x for x in operands(tensors)]
    return concat(columns, 1)


def row_stack(tensors):
    """Join tensors as rows. See `vstack`.

    Args:
        tensors (tuple[Tensor], list[Tensor]): the operands.

    Returns:
        Tensor: joined.

    Raises:
        TypeError: ``tensors`` is no sequence of tensors.

    Examples:
        >>> print(ops.row_stack((Tensor([1, 2]), Tensor([3, 4]))))
        [[1 2]
         [3 4]]
    """
    return vstack(tensors)


@face(method=True)
def narrow(input, axis, start, length):
    """``length`` positions of a dimension from ``start`` on.

    Args:
        input (Tensor): the operand.
        axis (int): the dimension.
        start (int): the first position.
        length (int): how many.

    Returns:
        Tensor: of size ``length`` along ``axis``.

    Raises:
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.narrow(Tensor([1, 2, 3, 4]), 0, 1, 2))
        [2 3]
    """
    axis = axis_of(axis, len(input.shape))
    n = input.shape[axis]
    start = start + n if start < 0 else start
    expect(
        0 <= start <= n and 0 <= length <= n - start,
        "start and length",
        f"within {n}",
        got=(start, length),
    )
    return cut(input, axis, start, start + length)


@face(method=True)
def view_as(input, other):
    """The same elements in the shape of ``other``.

    Args:
        input (Tensor): the operand.
        other (Tensor): gives the shape.

    Returns:
        Tensor: of the shape of ``other`` and the dtype of ``input``.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``other`` does not fit ``input``.

    Examples:
        >>> ops.view_as(ops.ones((4,)), ops.ones((2, 2))).shape
        (2, 2)
    """
    return P.reshape(input, other.shape)


def expand_as(input, other):
    """``input`` repeated to the shape of ``other``.

    Args:
        input (Tensor): the operand.
        other (Tensor): gives the shape.

    Returns:
        Tensor: of the shape of ``other`` and the dtype of ``input``.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``other`` does not fit ``input``.

    Examples:
        >>> ops.expand_as(ops.ones((1, 2)), ops.ones((3, 2))).shape
        (3, 2)
    """
    return P.broadcast_to(input, other.shape)


def expand(input_x, size):
    """``input_x`` repeated to a shape; -1 keeps a size.

    Args:
        input_x (Tensor): the operand.
        size (tuple[int], Tensor): the shape.

    Returns:
        Tensor: of that shape.

    Raises:
        TypeError: ``input_x`` is not a Tensor.

    Examples:
        >>> ops.expand(ops.ones((1, 2)), (3, -1)).shape
        (3, 2)
    """
    size = tuple(size.tolist()) if hasattr(size, "tolist") else tuple(size)
    return P.broadcast_to(input_x, size)


@face(method=True)
def movedim(x, source, destination):
    """Dimensions moved to other places. See `moveaxis`.

    Args:
        x (Tensor): the operand.
        source (int, tuple[int]): where dimensions are.
        destination (int, tuple[int]): where they go.

    Returns:
        Tensor: with its dimensions in the new order.

    Raises:
        ValueError: ``x`` has a rank that does not fit.

    Examples:
        >>> ops.movedim(ops.ones((2, 3)), 0, 1).shape
        (3, 2)
    """
    return moveaxis(x, source, destination)


@face(method=True)
def reverse(x, axis):
    """The elements in opposite order along dimensions. See `flip`.

    Args:
        x (Tensor): the operand.
        axis (tuple[int], list[int]): the dimensions.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``x`` is not a Tensor.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.reverse(Tensor([1, 2]), (0,)))
        [2 1]
    """
    return P.flip(x, axis)


@face(cls="ReverseSequence(seq_dim, batch_dim=0)")
def reverse_sequence(x, seq_lengths, seq_dim, batch_dim=0):
    """The first elements of each sequence in opposite order.

    Args:
        x (Tensor): the sequences.
        seq_lengths (Tensor[int]): how many elements of each are turned.
        seq_dim (int): the dimension of the elements.
        batch_dim (int): the dimension of the sequences. Default: 0.

    Returns:
        Tensor: of the same shape.

    Raises:
        TypeError: ``seq_lengths`` is not a Tensor.
        ValueError: the shape of ``seq_lengths`` does not fit ``x``.

    Examples:
        >>> print(ops.reverse_sequence(Tensor([[1, 2, 3]]), Tensor([2]), 1))
        [[2 1 3]]
    """
    rank = len(x.shape)
    seq, batch = axis_of(seq_dim, rank, "seq_dim"), axis_of(batch_dim, rank, "batch_dim")

    def along(axis):
        return tuple(-1 if i == axis else 1 for i in range(rank))

    step = P.reshape(P.arange(0, x.shape[seq], 1, dt.int64), along(seq))
    given = as_int64(seq_lengths, "seq_lengths")
    lengths = checked.lengths(given, x.shape[seq], "reverse_sequence: seq_lengths")
    length = P.reshape(lengths, along(batch))
    index = P.select(P.less(step, length), length - 1 - step, step)
    return P.gather_d(x, seq, P.broadcast_to(index, x.shape))


@face(cls="ChannelShuffle(group: groups)")
def channel_shuffle(x, groups):
    """Channels of groups interleaved.

    Args:
        x (Tensor[(N, C, ...)]): the operand.
        groups (int): how many groups; divides C.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: ``x`` has a rank that does not fit.

    Examples:
        >>> print(ops.channel_shuffle(Tensor([[[1], [2], [3], [4]]]), 2).asnumpy().ravel())
        [1 3 2 4]
    """
    n, c = x.shape[:2]
    expect(groups > 0 and c % groups == 0, "groups", f"a divisor of {c}", got=groups)
    out = swapaxes(P.reshape(x, (n, groups, c // groups) + x.shape[2:]), 1, 2)
    if groups == 1 or type(c) is int and groups == c:
        out = P.copy(out)  # no view
    return P.reshape(out, x.shape)


def pixel_unshuffle(input, downscale_factor):
    """Squares of pixels as channels: (..., C, H r, W r) becomes (..., C r², H, W).

    Args:
        input (Tensor[(..., C, H r, W r)]): the images.
        downscale_factor (int): r.

    Returns:
        Tensor[(..., C r², H, W)]: of the same dtype.

    Raises:
        ValueError: ``input`` has a rank that does not fit.

    Examples:
        >>> ops.pixel_unshuffle(ops.ones((1, 1, 4, 4)), 2).shape
        (1, 4, 2, 2)
    """
    r = downscale_factor
    *lead, c, h, w = input.shape
    expect(h % r == 0 and w % r == 0, "downscale_factor", f"a divisor of {(h, w)}", got=r)
    k = len(lead)
    out = P.reshape(input, (*lead, c, h // r, r, w // r, r))
    out = P.transpose(out, (*range(k + 1), k + 2, k + 4, k + 1, k + 3))
    return P.reshape(out, (*lead, c * r * r, h // r, w // r))


_ROWS = 10_000_000


def combinations(input, r=2, with_replacement=False):
    """All choices of ``r`` elements of a vector, one row each.

    Args:
        input (Tensor[(N,)]): the elements.
        r (int): how many of them. Default: 2.
        with_replacement (bool): an element may stand several times. Default: False.

    Returns:
        Tensor[(M, r)]: the choices.

    Raises:
        ValueError: ``input`` has a rank that does not fit.
        ValueError: there are more than ten million.

    Examples:
        >>> print(ops.combinations(Tensor([1, 2, 3])))
        [[1 2]
         [1 3]
         [2 3]]
    """
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    n = int(input.shape[0])
    count = math.comb(n + r - 1 if with_replacement and n else n, r)
    times(count, "combinations: the number of rows", _ROWS)
    rows = list(choose(range(input.shape[0]), r))
    if not rows:
        return P.full((0, r), 0, input.dtype)
    return P.gather(input, as_tensor(rows, dt.int64), 0)


def cartesian_prod(*inputs):
    """All choices of one element of each vector, one row each.

    Args:
        inputs (Tensor): vectors.

    Returns:
        Tensor[(M, K)]: the choices, of K vectors.

    Raises:
        ValueError: ``inputs`` has a rank that does not fit.

    Examples:
        >>> print(ops.cartesian_prod(Tensor([1, 2]), Tensor([3])))
        [[1 3]
         [2 3]]
    """
    sizes = tuple(x.shape[0] for x in inputs)
    columns = []
    for i, x in enumerate(inputs):
        wide = tuple(-1 if k == i else 1 for k in range(len(sizes)))
        columns.append(P.reshape(P.broadcast_to(P.reshape(x, wide), sizes), (-1,)))
    return stack(columns, 1)


@face(method=True)
def slice_scatter(input, src, axis=0, start=None, end=None, step=1):
    """``input`` with ``src`` written to a slice of a dimension.

    Args:
        input (Tensor): the operand.
        src (Tensor): what is written.
        axis (int): the dimension. Default: 0.
        start (int): the first position. Default: None, which is 0.
        end (int): the first behind the slice. Default: None, which is the size.
        step (int): the distance. Default: 1.

    Returns:
        Tensor: of the shape of ``input``.

    Raises:
        TypeError: ``src`` is not a Tensor.
        ValueError: ``axis`` is out of range.
        ValueError: the shape of ``src`` does not fit ``input``.

    Examples:
        >>> print(ops.slice_scatter(Tensor([1, 2, 3]), Tensor([8, 9]), 0, 1, 3))
        [1 8 9]
    """
    axis = axis_of(axis, len(input.shape))
    places = list(range(*slice(start, end, step).indices(input.shape[axis])))
    inside = {p: k for k, p in enumerate(places)}
    src = P.broadcast_to(
        P.cast(src, input.dtype), input.shape[:axis] + (len(places),) + input.shape[axis + 1 :]
    )
    from_both = P.concat((input, src), axis)
    n = input.shape[axis]
    order = [n + inside[i] if i in inside else i for i in range(n)]
    return P.gather(from_both, as_tensor(order, dt.int64), axis)


@face(method=True)
def select_scatter(input, src, axis, index):
    """``input`` with ``src`` written to one position of a dimension.

    Args:
        input (Tensor): the operand.
        src (Tensor): what is written.
        axis (int): the dimension.
        index (int): the position.

    Returns:
        Tensor: of the shape of ``input``.

    Raises:
        TypeError: ``src`` is not a Tensor.
        ValueError: ``axis`` is out of range.
        ValueError: the shape of ``src`` does not fit ``input``.

    Examples:
        >>> print(ops.select_scatter(Tensor([[1, 2], [3, 4]]), Tensor([8, 9]), 0, 1))
        [[1 2]
         [8 9]]
    """
    axis = axis_of(axis, len(input.shape))
    n = input.shape[axis]
    expect(-n <= index < n, "index", f"in [{-n}, {n})", got=index)
    index %= n
    shape = input.shape[:axis] + (1,) + input.shape[axis + 1 :]
    return slice_scatter(input, P.reshape(src, shape), axis, index, index + 1)

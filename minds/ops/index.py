"""Reading and writing at positions given by integer tensors.

Where several positions coincide, additions all count and so do gradients. Positions out of range
are an IndexError when the program runs; negative ones count from the end.
"""

from __future__ import annotations

import functools

from ..base import dtype as dt
from ..base.errors import expect
from ..ir.abstract import AbstractTensor
from ..tensor import Tensor
from .batching import moved, rows_of
from .define import P, op
from .rules import axis_of, dims_of, integral, same
from .sharding import Rule, names


def _zeros(shape, dtype):
    return P.full(shape, 0, dtype)


@op
def gather(x: Tensor, indices: Tensor, axis: int) -> Tensor:
    """Slices of ``x`` at positions along one dimension: ``x.take(indices, axis)`` of NumPy.

    Args:
        x (Tensor): the operand.
        indices (Tensor[any shape, int]): the positions.
        axis (int): the dimension.

    Returns:
        Tensor: of shape ``x.shape[:axis] + indices.shape + x.shape[axis + 1:]``.

    Raises:
        TypeError: ``indices`` holds no integers.
        ValueError: ``axis`` is out of range.
        IndexError: a position is out of range.

    Examples:
        >>> print(ops.gather(Tensor([1.0, 2.0, 3.0]), Tensor([2, 0]), 0))
        [3. 1.]
    """
    integral(indices, "indices")
    expect(x.ndim > 0, "x", "of rank 1 or more")
    return AbstractTensor(x.shape[:axis] + indices.shape + x.shape[axis + 1 :], x.dtype)


@gather.normalize
def _(x, indices, axis):
    return {"axis": axis_of(axis, x.ndim)}


@gather.bprop
def _(x, indices, axis, out, dout):
    return P.gather_dx(dout, indices, x.shape, axis), None


@gather.shard
def _(x, indices, axis):
    rank = len(x.shape)
    letters, places = names(rank), names(len(indices.shape), rank)
    out = (*letters[:axis], *places, *letters[axis + 1 :])
    return Rule((tuple(letters), tuple(places)), (out,), local={letters[axis]: _gathered_part})


def _gathered_part(x, indices, axis, part, parts):
    """What a part of the slices adds to all that are gathered: zeros for those of others."""
    at, mine = _within(indices, x.shape[axis], part, parts)
    found = P.gather(x, at, axis)
    return P.select(_beside(mine, axis, found.shape), found, P.full((), 0, x.dtype))


def _within(indices, size: int, part: int, parts: int) -> tuple:
    """Positions in one of several parts of ``size`` elements, and which of them are there. They are looked
    up in a list of all positions, which refuses those that are in no part, and knows negative ones.
    """
    wide = dt.int32 if size * parts < 1 << 31 else dt.int64
    counted = P.gather(P.arange(0, size * parts, 1, wide), indices, 0) - size * part
    mine = P.logical_and(counted >= 0, counted < size)
    return P.select(mine, counted, P.full((), 0, wide)), mine


def _beside(mine, axis: int, shape: tuple):
    """A value for each position, for slices of ``shape``."""
    behind = len(shape) - axis - len(mine.shape)
    return P.reshape(mine, (1,) * axis + tuple(mine.shape) + (1,) * behind)


@gather.batch
def _(b, x, indices, axis):
    if not b.mask[1]:
        return P.gather(x, indices, axis + 1)
    if not b.mask[0]:
        return moved(P.gather(x, indices, axis), axis, 0)
    found = P.gather_nd(
        moved(x, axis + 1, 1), rows_of(P.reshape(indices, (*indices.shape, 1)), b.n)
    )
    return _shifted(found, 1, len(indices.shape) - 1, axis)


def _shifted(x, first: int, count: int, by: int):
    """``x`` with the ``count`` dimensions from ``first`` on ``by`` dimensions further back."""
    order = [d for d in range(len(x.shape)) if not first <= d < first + count]
    order[first + by : first + by] = range(first, first + count)
    return P.transpose(x, tuple(order))


@op
def gather_dx(dout: Tensor, indices: Tensor, shape: tuple, axis: int) -> Tensor:
    """The gradient of `gather`: zeros of ``shape`` with the slices of ``dout`` added at their
    positions.

    Args:
        dout (Tensor): the cotangent of the gathered slices.
        indices (Tensor[any shape, int]): their positions.
        shape (tuple[int]): the shape of what was gathered from.
        axis (int): the dimension.

    Returns:
        Tensor[shape]: of the dtype of ``dout``.

    Raises:
        ValueError: ``dout`` has not the shape that gathering gives.
        IndexError: a position is out of range.
    """
    expected = shape[:axis] + indices.shape + shape[axis + 1 :]
    expect(dout.shape == expected, "dout", f"of shape {expected}", got=dout.shape)
    return AbstractTensor(shape, dout.dtype)


@gather_dx.normalize
def _(dout, indices, shape, axis):
    shape = dims_of(shape, "shape")
    return {"shape": shape, "axis": axis_of(axis, len(shape))}


@gather_dx.bprop
def _(d, indices, shape, axis, out, dout):
    return P.gather(dout, indices, axis), None


@gather_dx.shard
def _(d, indices, shape, axis):
    letters, places = names(len(shape)), names(len(indices.shape), len(shape))
    dout = (*letters[:axis], *places, *letters[axis + 1 :])
    own = {letters[axis]: _scattered_part}
    return Rule((dout, tuple(places)), (tuple(letters),), {"shape": tuple(letters)}, local=own)


def _scattered_part(d, indices, shape, axis, part, parts):
    """The slices that are added in a part of the result."""
    at, mine = _within(indices, shape[axis], part, parts)
    d = P.select(_beside(mine, axis, d.shape), d, P.full((), 0, d.dtype))
    return P.gather_dx(d, at, shape, axis)


@gather_dx.batch
def _(b, d, indices, shape, axis):
    if not b.mask[1]:
        return P.gather_dx(d, indices, (b.n, *shape), axis + 1)
    d, indices = b.every(d, indices)
    count = len(indices.shape) - 1
    d = _shifted(d, 1 + axis, count, -axis)
    wide = (b.n, shape[axis], *shape[:axis], *shape[axis + 1 :])
    return moved(
        P.scatter_nd(rows_of(P.reshape(indices, (*indices.shape, 1)), b.n), d, wide), 1, axis + 1
    )


def _along(x, dim, index, name: str) -> None:
    integral(index, name)
    fits = len(index.shape) == len(x.shape) and all(
        i <= n or d == dim for d, (i, n) in enumerate(zip(index.shape, x.shape, strict=False))
    )
    expect(
        fits,
        name,
        f"of rank {len(x.shape)} and no larger than {x.shape} but along dim {dim}",
        got=index.shape,
    )


@op(batch="axis", function=True, cls=True)
def gather_d(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """Elements of ``x`` at positions along one dimension: ``out[i][j] = x[index[i][j]][j]`` for dim
    0.

    Args:
        x (Tensor): the operand.
        dim (int): the dimension.
        index (Tensor[int]): the positions; of the same rank, no larger than ``x`` in other
            dimensions.

    Returns:
        Tensor: of the shape of ``index``.

    Raises:
        TypeError: ``index`` holds no integers.
        ValueError: ``dim`` is out of range, or ``index`` does not fit.
        IndexError: a position is out of range.

    Examples:
        >>> print(ops.gather_d(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1, Tensor([[0, 0], [1, 0]])))
        [[1. 1.]
         [4. 3.]]
    """
    _along(x, dim, index, "index")
    return AbstractTensor(index.shape, x.dtype)


@gather_d.normalize
def _(x, dim, index):
    return {"dim": axis_of(dim, x.ndim, "dim")}


@gather_d.bprop
def _(x, dim, index, out, dout):
    return P.scatter_add_d(_zeros(x.shape, dout.dtype), dim, index, dout), None


@op(promote="x src", batch="axis")
def scatter_add_d(x: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """``x`` with elements of ``src`` added at positions along one dimension: the adjoint of
    `gather_d`.

    Args:
        x (Tensor): the operand.
        dim (int): the dimension.
        index (Tensor[int]): the positions.
        src (Tensor): what is added, of the shape of ``index``.

    Returns:
        Tensor: of the shape of ``x``.

    Raises:
        TypeError: ``index`` holds no integers.
        ValueError: ``dim`` is out of range, or the shapes do not fit.
        IndexError: a position is out of range.
    """
    _along(x, dim, index, "index")
    expect(src.shape == index.shape, "src", f"of the shape of index, {index.shape}", got=src.shape)
    return same(x)


@scatter_add_d.normalize
def _(x, dim, index, src):
    return {"dim": axis_of(dim, x.ndim, "dim")}


@scatter_add_d.bprop
def _(x, dim, index, src, out, dout):
    return dout, None, P.gather_d(dout, dim, index)


def _nd(shape: tuple, indices) -> tuple:
    """The shape of the slices that rows of ``indices`` choose from an array of ``shape``."""
    integral(indices, "indices")
    expect(indices.ndim > 0, "indices", "of rank 1 or more")
    depth = indices.shape[-1]
    expect(1 <= depth <= len(shape), "the last size of indices", f"in [1, {len(shape)}]", got=depth)
    return indices.shape[:-1] + shape[depth:]


@op(function=True, method=True, cls=True)
def gather_nd(input_x: Tensor, indices: Tensor) -> Tensor:
    """Elements or slices of ``input_x``, each at the position that a row of ``indices`` gives.

    Args:
        input_x (Tensor): the operand.
        indices (Tensor[(..., D), int]): positions in the first D dimensions.

    Returns:
        Tensor: of shape ``indices.shape[:-1] + input_x.shape[D:]``.

    Raises:
        TypeError: ``indices`` holds no integers.
        ValueError: rows are longer than the rank of ``input_x``.
        IndexError: a position is out of range.

    Examples:
        >>> print(ops.gather_nd(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[0, 1], [1, 0]])))
        [2. 3.]
    """
    return AbstractTensor(_nd(input_x.shape, indices), input_x.dtype)


@gather_nd.bprop
def _(x, indices, out, dout):
    return P.scatter_nd(indices, dout, x.shape), None


@gather_nd.shard
def _(x, indices):
    depth, places = indices.shape[-1], names(len(indices.shape) - 1)
    letters = names(len(x.shape), len(places))
    if x.dtype is dt.bool_:  # there is no sum of terms
        letters = [None] * depth + letters[depth:]
    reaches, compute = _in_parts(letters[:depth], _found_part)
    operands = tuple(letters), (*places, None)
    return Rule(operands, ((*places, *letters[depth:]),), reaches=reaches, compute=compute)


def _in_parts(letters: list, part) -> tuple:
    """What a rule says of dimensions in which rows of indices give positions: they may be divided, and
    ``part`` is what a part then is.
    """
    return {c: () for c in letters if c}, functools.partial(_part, part, letters)


def _part(part, letters, *given, places):
    return part(*given, {letters.index(c): at for c, at in places.items()})


def _places(indices, sizes: tuple, divided: dict) -> tuple:
    """Positions in a part of ``sizes`` elements, column by column, and which rows of indices are there; those
    of others are 0 in the dimensions that are divided.

    Args:
        divided (dict[int, tuple]): for dimensions which part this is, and of how many.
    """
    columns, mine = [], None
    for d in range(indices.shape[-1]):
        column = P.gather(indices, P.full((), d, dt.int32), len(indices.shape) - 1)
        if d in divided:
            column, here = _within(column, sizes[d], *divided[d])
            mine = here if mine is None else P.logical_and(mine, here)
        columns.append(P.reshape(P.cast(column, dt.int64), (*column.shape, 1)))
    return columns, mine


def _found_part(x, indices, divided):
    """What a part of a tensor adds to all that is gathered: zeros for those of others."""
    columns, mine = _places(indices, x.shape, divided)
    found = P.gather_nd(x, P.concat(tuple(columns), len(indices.shape) - 1))
    return P.select(_beside(mine, 0, found.shape), found, P.full((), 0, x.dtype))


@gather_nd.batch
def _(b, x, indices):
    if not b.mask[0]:
        return P.gather_nd(x, indices)
    return P.gather_nd(x, rows_of(b.every(x, indices)[1], b.n))


@op(function=True, cls=True)
def scatter_nd(indices: Tensor, updates: Tensor, shape: tuple) -> Tensor:
    """Zeros of ``shape`` with ``updates`` added at the positions that rows of ``indices`` give.

    Args:
        indices (Tensor[(..., D), int]): positions in the first D dimensions.
        updates (Tensor): what is added, of shape ``indices.shape[:-1] + shape[D:]``.
        shape (tuple[int]): the shape of the result.

    Returns:
        Tensor[shape]: of the dtype of ``updates``.

    Raises:
        TypeError: ``indices`` holds no integers.
        ValueError: the shapes do not fit.
        IndexError: a position is out of range.

    Examples:
        >>> print(ops.scatter_nd(Tensor([[1], [1]]), Tensor([2.0, 3.0]), (3,)))
        [0. 5. 0.]
    """
    expected = _nd(shape, indices)
    expect(updates.shape == expected, "updates", f"of shape {expected}", got=updates.shape)
    return AbstractTensor(shape, updates.dtype)


@scatter_nd.normalize
def _(indices, updates, shape):
    return {"shape": dims_of(shape, "shape")}


@scatter_nd.bprop
def _(indices, updates, shape, out, dout):
    return None, P.gather_nd(dout, indices)


@scatter_nd.shard
def _(indices, updates, shape):
    depth, places = indices.shape[-1], names(len(indices.shape) - 1)
    out = names(len(shape), len(places))
    reaches, compute = _in_parts(out[:depth], _added_part)
    operands, attrs = ((*places, None), (*places, *out[depth:])), {"shape": tuple(out)}
    return Rule(operands, (tuple(out),), attrs, reaches=reaches, compute=compute)


def _added_part(indices, updates, shape, divided):
    """The updates that are added in a part of the result."""
    columns, mine = _places(indices, shape, divided)
    own = P.select(_beside(mine, 0, updates.shape), updates, P.full((), 0, updates.dtype))
    return P.scatter_nd(P.concat(tuple(columns), len(indices.shape) - 1), own, shape)


@scatter_nd.batch
def _(b, indices, updates, shape):
    indices, updates = b.every(indices, updates)
    return P.scatter_nd(rows_of(indices, b.n), updates, (b.n, *shape))


MODES = ("update", "add", "sub", "mul", "div", "max", "min")


@op(promote="x updates", inplace={"out": "x"})
def tensor_scatter(x: Tensor, indices: Tensor, updates: Tensor, mode: str) -> Tensor:
    """``x`` with ``updates`` combined into it at the positions that rows of ``indices`` give.

    Args:
        x (Tensor): the operand.
        indices (Tensor[(..., D), int]): positions in the first D dimensions.
        updates (Tensor): of shape ``indices.shape[:-1] + x.shape[D:]``.
        mode (str): ``update``, ``add``, ``sub``, ``mul``, ``div``, ``max`` or ``min``.

    Returns:
        Tensor: of the shape of ``x``.

    Raises:
        TypeError: ``indices`` holds no integers.
        ValueError: the shapes do not fit, or ``mode`` is another word.
        IndexError: a position is out of range.
    """
    expect(mode in MODES, "mode", f"one of {', '.join(MODES)}", got=repr(mode))
    expected = _nd(x.shape, indices)
    expect(updates.shape == expected, "updates", f"of shape {expected}", got=updates.shape)
    return same(x)


@tensor_scatter.bprop
def _(x, indices, updates, mode, out, dout):
    if mode == "update":
        changed = P.gather_nd(dout, indices)  # before dout gives its place away
        return (
            P.tensor_scatter(dout, indices, _zeros(updates.shape, dout.dtype), "update"),
            None,
            changed,
        )
    if mode in ("add", "sub"):
        g = P.gather_nd(dout, indices)
        return dout, None, g if mode == "add" else -g
    if mode == "div":
        return (
            P.tensor_scatter(dout, indices, updates, "div"),
            None,
            -(P.gather_nd(out * dout, indices) / updates),
        )
    if mode == "mul":
        # The product of the other factors; through `out` it is right where several updates hit one
        # element.
        zero = P.equal(updates, 0)
        others = P.select(
            zero, P.gather_nd(x, indices), P.gather_nd(out, indices) / P.select(zero, 1, updates)
        )
        return (
            P.tensor_scatter(dout, indices, updates, "mul"),
            None,
            P.gather_nd(dout, indices) * others,
        )
    # max, min: whoever equals the result shares the gradient.
    hit = P.cast(P.equal(P.gather_nd(out, indices), updates), dout.dtype)
    kept = P.cast(P.equal(out, x), dout.dtype)
    share = dout / (kept + P.scatter_nd(indices, hit, x.shape))
    return share * kept, None, P.gather_nd(share, indices) * hit


@tensor_scatter.shard
def _(x, indices, updates, mode):
    depth, places = indices.shape[-1], (None,) * (len(indices.shape) - 1)
    out = names(len(x.shape))
    if mode in ("max", "min"):  # those of what each device has
        places = tuple(names(len(places), len(out)))
    reaches, compute = _in_parts(out[:depth], _changed_part)
    operands = tuple(out), (*places, None), (*places, *out[depth:])
    how = mode if mode in ("max", "min") else "sum"
    return Rule(operands, (tuple(out),), how=how, reaches=reaches, compute=compute)


def _changed_part(x, indices, updates, mode, divided):
    """A part of the result. What belongs to others goes to a slice behind the last, which is cut off."""
    columns, mine = _places(indices, x.shape, divided)
    d, rank = min(divided), len(x.shape)
    behind = P.full((), x.shape[d], dt.int64)
    columns[d] = P.select(P.reshape(mine, columns[d].shape), columns[d], behind)
    room = P.pad(x, tuple([(0, int(i == d)) for i in range(rank)]), 0)
    at = P.concat(tuple(columns), len(indices.shape) - 1)
    changed = P.tensor_scatter(room, at, updates, mode)
    return P.strided_slice(changed, (0,) * rank, tuple(x.shape), (1,) * rank)


@tensor_scatter.batch
def _(b, x, indices, updates, mode):
    x, indices, updates = b.every(x, indices, updates)
    return P.tensor_scatter(x, rows_of(indices, b.n), updates, mode)

"""The moves between layouts as collectives of a rank, in graphs and at once."""

from __future__ import annotations

from collections.abc import Callable

from ..ops.define import P
from .cut import cut, share
from .layout import Mesh
from .redistribute import Move


def exchanged(mesh: Mesh, rank: int, value, move: Move, first: int = 0):
    """A rank's part of a tensor behind a move.

    Args:
        mesh (Mesh): the devices.
        rank (int): which of them this is.
        value (Tensor): its part before.
        move (Move): what is done.
        first (int): the rank of the world that is the first of the mesh. Default: 0.

    Returns:
        Tensor: its part then.
    """
    ranks = mesh.group(rank, *move.axes)
    if len(ranks) == 1:
        return value  # along axes of one device all layouts are the same
    at = ranks.index(rank)
    ranks = tuple([first + r for r in ranks])
    if move.kind == "cut":
        return share(value, move.to, at, len(ranks))
    if move.kind == "term":
        nothing = -0.0 if value.dtype.is_float else 0  # added to any number, this is the number
        return value if at == 0 else P.full(tuple(value.shape), nothing, value.dtype)
    if move.kind == "all_gather":
        return _gather(value, move.dim, ranks)
    if move.kind == "all_to_all":
        return _swap(value, move.dim, move.to, ranks, at)
    if move.kind == "all_reduce":
        return P.all_reduce(value, move.how, ranks)
    return _scatter(value, move.how, move.to, ranks)


def _gather(x, dim: int, ranks: tuple):
    """The parts of all ranks along ``dim``; the collective puts them in front."""
    shape, n = x.shape, len(ranks)
    every = P.all_gather(x, ranks)
    if dim == 0:
        return every
    every = P.reshape(every, (n, *shape))
    every = P.transpose(every, (*range(1, dim + 1), 0, *range(dim + 1, len(shape) + 1)))
    return P.reshape(every, (*shape[:dim], n * shape[dim], *shape[dim + 1 :]))


def _scatter(x, how: str, dim: int, ranks: tuple):
    """This rank's part along ``dim`` of the sum."""
    shape, n = x.shape, len(ranks)
    local = (*shape[:dim], shape[dim] // n, *shape[dim + 1 :])
    if dim:
        x = P.reshape(x, (*shape[:dim], n, shape[dim] // n, *shape[dim + 1 :]))
        x = P.transpose(x, (dim, *range(dim), *range(dim + 1, len(shape) + 1)))
        x = P.reshape(x, (n * local[0], *local[1:]))
    return P.reduce_scatter(x, how, ranks)


def reached(mesh: Mesh, rank: int, value, dim: int, axes: tuple, spans: Callable, first: int = 0):
    """Elements of a dimension that devices divide, from and to where a device needs them.

    Args:
        mesh (Mesh): the devices.
        rank (int): which of them this is.
        value (Tensor): its part.
        dim (int): the dimension.
        axes (tuple[str]): along which axes it is divided.
        spans (Callable): of which part a device has and how many there are, the first element that it
            needs and the one behind the last.
        first (int): the rank of the world that is the first of the mesh. Default: 0.

    Returns:
        Tensor: what it needs.
    """
    ranks = tuple([first + r for r in mesh.group(rank, *axes)])
    at, parts = mesh.place_along(rank, axes)
    size = value.shape[dim]

    def common(owner: int, taker: int) -> tuple[int, int]:
        """What one part needs of another, counted in that."""
        begin, end = spans(taker, parts)
        low = max(begin - owner * size, 0)
        return low, max(min(end - owner * size, size), low)

    def some(low: int, high: int):
        part = [slice(0, n) for n in value.shape]
        part[dim] = slice(low, high)
        return cut(value, tuple(part))

    others = [r for r in range(parts) if r != at]
    given = [(r, *span) for r in others if (span := common(at, r))[1] > span[0]]
    wanted = [(r, *span) for r in others if (span := common(r, at))[1] > span[0]]
    low, high = common(at, at)
    pieces = {at: some(low, high)} if high > low or not wanted else {}
    if given or wanted:
        shapes = [
            (*value.shape[:dim], high - low, *value.shape[dim + 1 :]) for _, low, high in wanted
        ]
        got = P.exchange(
            tuple([some(low, high) for _, low, high in given]),
            tuple([ranks[r] for r, *_ in given]),
            tuple([ranks[r] for r, *_ in wanted]),
            tuple(shapes),
            value.dtype,
            0,
            ranks,
        )
        pieces.update({r: got[i] for i, (r, *_) in enumerate(wanted)})
    found = [pieces[r] for r in sorted(pieces)]
    return found[0] if len(found) == 1 else P.concat(tuple(found), dim)


def _swap(x, dim: int, to: int, ranks: tuple, at: int):
    """Divided along ``to`` in place of ``dim``."""
    shares = [share(x, to, i, len(ranks)) for i in range(len(ranks))]
    others = [i for i in range(len(ranks)) if i != at]
    near = tuple([ranks[i] for i in others])
    got = P.exchange(
        tuple([shares[i] for i in others]),
        near,
        near,
        tuple([tuple(shares[i].shape) for i in others]),
        x.dtype,
        0,
        ranks,
    )
    for place, i in enumerate(others):
        shares[i] = got[place]
    return P.concat(tuple(shares), dim)


__all__ = ["exchanged", "reached"]

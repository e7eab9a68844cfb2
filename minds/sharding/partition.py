"""The program of one rank: a graph of ops on its parts, and of collectives.

Arguments and what references hold are whole on every rank; the program cuts its part of them, and what
it writes and returns is whole again.
"""

from __future__ import annotations

from ..base.errors import InternalError
from ..ir.abstract import AbstractTensor, AbstractTuple
from ..ir.build import Builder, building
from ..ir.node import Apply, Constant, Graph, Node, Param
from ..ops.define import P
from .cut import cut, share
from .divide import Divided
from .layout import Sharding
from .propagate import Shardings, shape_of, whole
from .redistribute import Move, path


def partition(graph: Graph, shardings: Shardings, rank: int, parts: bool = False) -> Graph:
    """The graph that a rank runs in place of ``graph``: with the same parameters and the same result.

    Args:
        graph (Graph): the program behind J.
        shardings (Shardings): how its values lie.
        rank (int): in the mesh.
        parts (bool): whether the rank is given its parts of the arguments, rather than the whole.
            Default: False.

    Returns:
        Graph: the new one; ``graph`` stays as it is.

    Raises:
        NotImplementedError: the program has loops, branches or calls on values of the run.
    """
    local = Graph(graph.name, graph.loc)
    params = {}
    for p in graph.params:
        abstract = p.abstract
        if parts and isinstance(abstract, AbstractTensor):
            shape = shardings.of(p).local(shardings.mesh, abstract.shape)
            abstract = AbstractTensor(shape, abstract.dtype)
        new = local.add_param(p.name, abstract, p.loc)
        new.default = p.default
        params[p] = new
    target = _Rank(shardings, local, params, rank)
    walk = Divided(shardings, target, {p: target.argument(p) for p in graph.params})
    result = walk.run(graph)
    local.output = target.builder.make_tuple(result) if isinstance(result, tuple) else result
    local.has_effect = graph.has_effect
    return local


class _Rank:
    """The `divide.Target` that emits."""

    def __init__(self, shardings: Shardings, graph: Graph, params: dict[Param, Param], rank: int):
        self.shardings, self.mesh, self.rank = shardings, shardings.mesh, rank
        self.params, self.builder = params, Builder(graph)

    def argument(self, p: Param):
        """This rank's part of an argument; of a reference, which is whole, nothing yet."""
        new, layout = self.params[p], self.shardings.of(p)
        if hasattr(p.abstract, "value") or layout == whole(p.abstract) or new.shape != p.shape:
            return new
        return self._cut(new, layout, shape_of(p))

    def constant(self, n: Constant) -> Node:
        return n

    def apply(self, n: Apply, args: list):
        self.builder.loc = n.loc
        with building(self.builder):
            made = n.fn(*args)
        if isinstance(made.abstract, AbstractTuple):
            return tuple([self.builder.getitem(made, i) for i in range(len(made.abstract.items))])
        return made

    def load(self, p: Node) -> Node:
        value = self.builder.load(self.params[p])
        return self._cut(value, self.shardings.of(p), shape_of(p))

    def assign(self, p: Node, value: Node) -> None:
        start, spec = self.shardings.of(p), p.abstract.value
        end = whole(spec)
        for move in path(self.mesh, spec.shape, spec.dtype.itemsize, start, end):
            value = self._exchanged(value, move)
        if value.shape != spec.shape:
            raise InternalError(None, "when a result was made whole", f"{value.shape} for {spec}")
        self.builder.assign(self.params[p], value)

    def move(self, value: Node, move: Move, spec: AbstractTensor) -> Node:
        return self._exchanged(value, move)

    def _exchanged(self, value: Node, move: Move) -> Node:
        ranks = self.mesh.group(self.rank, move.axis)
        at = ranks.index(self.rank)
        with building(self.builder):
            if move.kind == "cut":
                return share(value, move.to, at, len(ranks))
            if move.kind == "all_gather":
                return _gather(value, move.dim, ranks)
            if move.kind == "all_to_all":
                return _swap(value, move.dim, move.to, ranks, at)
            if move.kind == "all_reduce":
                return P.all_reduce(value, move.how, ranks)
            return _scatter(value, move.how, move.to, ranks)

    def _cut(self, value: Node, layout: Sharding, shape: tuple) -> Node:
        with building(self.builder):
            return cut(value, layout.part(self.mesh, shape, self.rank))


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


__all__ = ["partition"]

"""The program of one rank: a graph of ops on its parts, and of collectives.

What a reference holds is the rank's part (`parts`). Arguments are whole on every rank unless told
otherwise: the program cuts its part of them. What it returns is whole.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ir.abstract import AbstractRef, AbstractTensor, AbstractTuple
from ..ir.build import Builder, building
from ..ir.node import Apply, Constant, Graph, Node, Param
from ..ops.define import P
from .cut import cut
from .divide import Divided
from .exchange import exchanged
from .layout import Mesh, Sharding
from .parts import Laid
from .pipeline import Pipelined
from .propagate import Shardings, shape_of, strategies, whole
from .redistribute import Move
from .stages import StageMap


def partition(
    graph: Graph,
    shardings: Shardings,
    rank: int,
    parts: bool = False,
    stages: StageMap | None = None,
) -> Graph:
    """The graph that a rank runs in place of ``graph``: with the same parameters and the same result.

    Args:
        graph (Graph): the program behind J.
        shardings (Shardings): how its values lie.
        rank (int): in the mesh, or where there are several groups of its size, among all.
        parts (bool): whether the rank is given its parts of the arguments, rather than the whole.
            Default: False.
        stages (StageMap): of a pipeline, each of which is on a mesh. Default: None.

    Returns:
        Graph: the new one, with the flag ``lies``, `parts.Laid`; ``graph`` stays as it is.
    """
    local = Graph(graph.name, graph.loc)
    params, mesh = {}, shardings.mesh
    references = [p for p in graph.params if isinstance(p.abstract, AbstractRef)]
    group, inner = divmod(rank, mesh.size)
    homes = {} if stages is None else stages.homes
    layouts = tuple([shardings.of(p) for p in references])
    owners = tuple([homes.get(p) for p in references])
    groups = 1 if stages is None else stages.groups
    told = strategies(shardings)
    local.flags["lies"] = Laid(mesh, inner, layouts, owners, group, groups, told)
    for p in graph.params:
        abstract = p.abstract
        if isinstance(abstract, AbstractRef):
            spec = abstract.value
            if homes.get(p, group) != group:
                abstract = AbstractRef(AbstractTensor((0,), spec.dtype))
            else:
                abstract = AbstractRef(_part(mesh, shardings.of(p), spec))
        elif parts and isinstance(abstract, AbstractTensor):
            abstract = _part(mesh, shardings.of(p), abstract)
        new = local.add_param(p.name, abstract, p.loc)
        new.default = p.default
        params[p] = new
    target = _Rank(shardings, local, params, inner, group * mesh.size)
    given = {p: target.argument(p) for p in graph.params}
    if stages is None:
        walk = Divided(shardings, target, given)
    else:
        walk = Pipelined(shardings, target, given, stages, group, lambda g: g * mesh.size + inner)
    result = walk.run(graph)
    local.output = target.builder.make_tuple(result) if isinstance(result, tuple) else result
    local.has_effect = graph.has_effect
    return local


def _part(mesh: Mesh, layout: Sharding, abstract: AbstractTensor) -> AbstractTensor:
    if not layout.axes:
        return abstract
    return AbstractTensor(layout.local(mesh, abstract.shape), abstract.dtype)


class _Rank:
    """The `divide.Target` that emits."""

    def __init__(
        self, shardings: Shardings, graph: Graph, params: dict[Param, Param], rank: int, first: int
    ):
        self.shardings, self.mesh, self.rank = shardings, shardings.mesh, rank
        self.first = first  # the rank of the world that is the mesh's first
        self.params, self.builder = params, Builder(graph)
        self.held = params

    def within(self, graph: Graph) -> _Rank:
        """The same for a graph that the program calls, which has no parameters yet; ``held`` are the
        program's.
        """
        inner = _Rank(self.shardings, graph, {}, self.rank, self.first)
        inner.held = self.params
        return inner

    def argument(self, p: Param):
        """This rank's part of an argument; of a reference, which is whole, nothing yet."""
        new, layout = self.params[p], self.shardings.of(p)
        if hasattr(p.abstract, "value") or layout == whole(p.abstract) or new.shape != p.shape:
            return new
        return self._cut(new, layout, shape_of(p))

    def constant(self, n: Constant) -> Node:
        return n

    def apply(self, n: Apply, args: list, local: Callable | None = None):
        self.builder.loc = n.loc
        fn = n.fn if local is None else local(self.rank)
        with building(self.builder):
            made = fn(*args)
        return self._parts(made)

    def call(self, n: Apply, fn, args: list):
        self.builder.loc = n.loc
        made = self.builder.emit(fn, [self._joined(a) for a in args], n.abstract)
        return self._parts(made)

    def _joined(self, value):
        """A tuple's parts as one node."""
        if isinstance(value, tuple):
            return self.builder.make_tuple([self._joined(v) for v in value])
        return value

    def _parts(self, value: Node):
        """A node as a tuple of its parts."""
        if not isinstance(value.abstract, AbstractTuple):
            return value
        parts = range(len(value.abstract.items))
        return tuple([self._parts(self.builder.getitem(value, i)) for i in parts])

    def load(self, p: Node) -> Node:
        return self.builder.load(self.params[p])

    def assign(self, p: Node, value: Node) -> None:
        self.builder.assign(self.params[p], value)

    def move(self, value: Node, move: Move, spec: AbstractTensor) -> Node:
        with building(self.builder):
            return exchanged(self.mesh, self.rank, value, move, self.first)

    def send(self, rank: int, value: Node, tag: int, loc) -> None:
        """Begin to send a tensor to another rank of the world."""
        self.builder.loc = loc
        with building(self.builder):
            P.exchange((value,), (rank,), (), (), value.dtype, tag, (), True)

    def receive(self, rank: int, spec: AbstractTensor, tag: int, loc) -> Node:
        """What another rank of the world has sent."""
        self.builder.loc = loc
        with building(self.builder):
            got = P.exchange((), (), (rank,), (spec.shape,), spec.dtype, tag)
        return self.builder.getitem(got, 0)

    def _cut(self, value: Node, layout: Sharding, shape: tuple) -> Node:
        with building(self.builder):
            return cut(value, layout.part(self.mesh, shape, self.rank))


__all__ = ["partition"]

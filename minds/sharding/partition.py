"""The program of one rank: a graph of ops on its parts, and of collectives.

What a reference holds is the rank's part (`parts`). Arguments are whole on every rank unless told
otherwise: the program cuts its part of them. What it returns is whole.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ir import prim, stack, walk
from ..ir.abstract import AbstractRef, AbstractTensor, AbstractTuple
from ..ir.build import Builder, as_node, building
from ..ir.node import Apply, Constant, Graph, Node, Param, is_apply
from ..ops.define import P
from .cut import cut
from .divide import Divided
from .exchange import exchanged, reached
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
        divided = Divided(shardings, target, given)
    else:
        divided = Pipelined(
            shardings, target, given, stages, group, lambda g: g * mesh.size + inner
        )
    local.output = target.joined(divided.run(graph))
    target.finish()
    local.has_effect = graph.has_effect
    return local


def local_type(mesh: Mesh, layout: Sharding | tuple, abstract):
    """The type of a device's part of a value."""
    if isinstance(abstract, AbstractTuple):
        items = zip(layout, abstract.items, strict=True)
        return AbstractTuple([local_type(mesh, s, a) for s, a in items])
    return _part(mesh, layout, abstract) if isinstance(abstract, AbstractTensor) else abstract


def sweep(graph: Graph) -> None:
    """Remove what nobody uses, so that a call at the end is one in tail position."""
    for n in graph.reversed():
        if not n.uses and not walk.effectful(n):
            graph.remove(n)


def _part(mesh: Mesh, layout: Sharding, abstract: AbstractTensor) -> AbstractTensor:
    if not layout.axes:
        return abstract
    return AbstractTensor(layout.local(mesh, abstract.shape), abstract.dtype)


class _Rank:
    """The `divide.Target` that emits: into one graph, and others into those that it calls.

    Attributes:
        callees: for each graph that is divided too this rank's part of it.
        open: those whose parts have parameters and no body yet.
    """

    def __init__(
        self, shardings: Shardings, graph: Graph, params: dict[Param, Param], rank: int, first: int
    ):
        self.shardings, self.mesh, self.rank = shardings, shardings.mesh, rank
        self.first = first  # the rank of the world that is the mesh's first
        self.params, self.builder = params, Builder(graph)
        self.held = params
        self.callees: dict[Graph, Graph] = {}
        self.open: list[Graph] = []

    def within(self, graph: Graph) -> _Rank:
        """The same for a graph that the program calls, which has no parameters yet; ``held`` are the
        program's.
        """
        inner = _Rank(self.shardings, graph, {}, self.rank, self.first)
        inner.held, inner.callees, inner.open = self.params, self.callees, self.open
        return inner

    def finish(self) -> None:
        """Emit the bodies of the graphs that are called."""
        while self.open:
            g = self.open.pop()
            local = self.callees[g]
            params = dict(zip(g.params, local.params, strict=True))
            inside = self.within(local)
            inside.params = params
            given = {p: inside.parts(new) for p, new in params.items()}
            local.output = inside.joined(Divided(self.shardings, inside, given).returned(g))
            sweep(local)
        for h in self.callees.values():
            as_node(h).abstract.signature[1] = h.ret.abstract
        if self.callees:
            sweep(self.builder.graph)
            walk.mark_effects(self.builder.graph)

    def _callee(self, g: Graph) -> Graph:
        """This rank's part of a graph that is called."""
        found = self.callees.get(g)
        if found is None:
            found = self.callees[g] = Graph(g.name, g.loc)
            found.flags, found.has_effect = dict(g.flags), g.has_effect
            for p, layout in zip(g.params, self.shardings.passing.params(g), strict=True):
                abstract = p.abstract
                if isinstance(abstract, AbstractRef):
                    held = self.shardings.of(p)
                    abstract = AbstractRef(local_type(self.mesh, held, abstract.value))
                else:
                    abstract = local_type(self.mesh, layout, abstract)
                found.add_param(p.name, abstract, p.loc)
            self.open.append(g)
        return found

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
        return self.parts(as_node(made))

    def call(self, n: Apply, fn, args: list, condition=None):
        self.builder.loc = n.loc
        if condition is not None:
            fn = self.builder.emit(prim.switch, (condition, *fn.args[1:]), fn.abstract)
        made = self.builder.emit(fn, [self.joined(a) for a in args], n.abstract)
        return self.parts(made)

    def enter(self, n: Apply, graphs: list[Graph], condition, args: list):
        self.builder.loc = n.loc
        result = local_type(self.mesh, self.shardings.of(n), n.abstract)
        fn, *other = map(self._callee, graphs)
        if other:
            fn = self.builder.switch(condition, fn, *other)
            fn.abstract.signature[1] = result
        return self.parts(self.builder.emit(fn, [self.joined(a) for a in args], result))

    def push(self, n: Apply, values: list) -> Node:
        self.builder.loc = n.loc
        below, *held = map(self.joined, values)
        return stack.push(self.builder, below, held, stack.pushed(n))

    def pop(self, n: Apply, value, layouts: tuple) -> tuple:
        self.builder.loc = n.loc
        return self.parts(self.builder.emit(value, (), local_type(self.mesh, layouts, n.abstract)))

    def joined(self, value):
        """A tuple's parts as one node: that of which they are the parts, if they are all of its."""
        if not isinstance(value, tuple):
            return value
        items = [self.joined(v) for v in value]
        made = items[0].args[0] if items and is_apply(items[0], prim.tuple_getitem) else None
        if made is not None and len(made.abstract.items) == len(items):
            numbers = [
                v.args[1].value if is_apply(v, prim.tuple_getitem) and v.args[0] is made else None
                for v in items
            ]
            if numbers == list(range(len(items))):
                return made
        return self.builder.make_tuple(items)

    def parts(self, value: Node):
        """A node as a tuple of its parts."""
        if not isinstance(value.abstract, AbstractTuple):
            return value
        parts = range(len(value.abstract.items))
        return tuple([self.parts(self.builder.getitem(value, i)) for i in parts])

    def load(self, p: Node) -> Node:
        return self.builder.load(self.params[p])

    def assign(self, p: Node, value: Node) -> None:
        self.builder.assign(self.params[p], value)

    def move(self, value: Node, move: Move, spec: AbstractTensor) -> Node:
        with building(self.builder):
            return exchanged(self.mesh, self.rank, value, move, self.first)

    def reach(self, value: Node, dtype, dim: int, axes: tuple, spans: Callable) -> Node:
        with building(self.builder):
            return reached(self.mesh, self.rank, value, dim, axes, spans, self.first)

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

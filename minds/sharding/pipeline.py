"""The program of one rank of a pipeline: calls of the passes of its stages (`passes`) in the order of the
schedule, with what stages send each other.

Sending begins where a value is made and goes on while the program does; a stage waits where it needs a value.
Since all stages follow one table of events, none waits for what comes after what waits for it. The values of
the micro-batches go one after the other, with one tag.
"""

from __future__ import annotations

from .._core import crc32
from ..base import dtype as dt
from ..base.errors import complain
from ..ir import prim
from ..ir.abstract import AbstractTensor
from ..ir.build import building
from ..ir.node import Apply, Graph, Node
from ..ops.define import P
from ..ops.staged import LEAVING
from .cut import cut
from .divide import Divided
from .passes import PassWalk, StagePass, leaves, rebuilt
from .propagate import Shardings, whole
from .schedule import PassTime
from .stages import REST, Pass, StageMap, taken

_TAGS = 32768


class Pipelined(Divided):
    """The walk over a graph, of a rank of a group of devices.

    Attributes:
        stages: which group computes what.
        group: this one.
        peer: the rank of the world that has this place in another group.
        held: values of micro-batches.
        totals: what the micro-batches so far have of what they give.
    """

    def __init__(
        self, shardings: Shardings, target, params: dict, stages: StageMap, group: int, peer
    ):
        super().__init__(shardings, target, params)
        self.stages, self.group, self.peer = stages, group, peer
        self.takers = self._find_takers()
        self.tags = self._find_tags()
        self.has: set[Node] = set()
        self.held: dict[tuple[Node, int], object] = {}
        self.totals: dict[Apply, dict[int, object]] = {}
        self.nodes: dict[Pass, list[Apply]] = {}
        self.passes: dict[Pass, StagePass] = {}

    def run(self, graph: Graph):
        """The result of the graph, whole on every rank."""
        rest = []
        for n in graph:
            at = self.stages.where.get(n)
            if n is self.stages.end:
                self._do_early()
            if at is not None:
                (rest if at.phase == REST else self.nodes.setdefault(at, [])).append(n)
            elif n not in self.stages.loose and self.stages.group(n) in (None, self.group):
                self._do(n)
        for event in self.stages.orders[self.group]:
            self._do_pass(event)
        for n in rest if self.stages.marked else graph:
            self._do_rest(n)
        self._need(graph.output)
        found = self.get(graph.output, whole(graph.output.abstract))
        here = (self.peer(self.group),)
        with building(self.target.builder):  # a message to itself, behind all that was begun
            P.exchange((P.full((1,), 0, dt.int32),), here, here, ((1,),), dt.int32, 0, (), True)
        return found

    def _do(self, n: Apply) -> None:
        for a in taken(n):
            self._need(a)
        self.values[n, self.shardings.of(n)] = self._apply(n)
        self._made(n)

    def _do_rest(self, n: Apply) -> None:
        """What is behind the passes."""
        at = self.stages.where.get(n)
        mine = at is not None and at.stage % self.stages.groups == self.group
        if mine and at.phase == REST:
            if n.fn in LEAVING:
                self.values[n, self.shardings.of(n)] = self._total(n)
                self._made(n)
            else:
                self._do(n)
        elif at is not None and not mine and self.group in self.stages.takers(n):
            self._need(n.args[1])  # what a parameter that all keep holds now
            self.target.assign(n.args[0], self.get(n.args[1], self.shardings.of(n.args[0])))

    def _made(self, n: Apply) -> None:
        self.has.add(n)
        for g in sorted(self.takers.get(n, ())):
            self._send(n, self.values[n, self.shardings.of(n)], g)

    def _need(self, a: Node) -> None:
        """Receive a value that another group computes."""
        if not isinstance(a, Apply) or a in self.has:
            return
        if a.fn is prim.make_tuple and self.stages.group(a) != self.group:
            for part in a.args:
                self._need(part)
            self.values[a, self.shardings.of(a)] = self._apply(a)
        elif self.stages.group(a) not in (None, self.group):
            self.values[a, self.shardings.of(a)] = self._receive(a)
        self.has.add(a)

    # ---- micro-batches

    def _do_early(self) -> None:
        for micro in range(self.stages.micros if self.stages.early else 0):
            walk = Divided(self.shardings, self.target, {})
            for n in self.stages.early:
                for a in n.operands:
                    key = a, self.shardings.of(a)
                    if self.stages.repeats(a):
                        walk.values[key] = self._of_micro(a, micro)
                    elif key in self.values:
                        walk.values[key] = self.values[key]
                self.held[n, micro] = walk.values[n, self.shardings.of(n)] = walk._apply(n)

    def _do_pass(self, event: PassTime) -> None:
        at = Pass(event.stage, event.phase)
        if at not in self.nodes:
            return
        if at not in self.passes:
            nodes = self.nodes[at]
            target = self.target.within(Graph(f"{at.phase}{at.stage}", nodes[0].loc))
            walk = PassWalk(self.shardings, target, self.stages, self.group, nodes)
            self.passes[at] = walk.result(nodes, self.takers)
        body, b = self.passes[at], self.target.builder
        args = [v for n, layout in body.inputs for v in leaves(self._input(n, layout, event.micro))]
        b.loc = body.graph.loc
        result = b.call(body.graph, args)
        made = iter([b.getitem(result, i) for i in range(len(result.abstract.items))])
        for n in body.outputs:
            self._gave(n, rebuilt(self.shardings.of(n), made), event.micro)

    def _input(self, n: Node, layout, micro: int):
        if layout is None:
            return self.target.params[n]
        if self.stages.repeats(n):
            return self._of_micro(n, micro)
        self._need(n)
        return self.get(n, layout)

    def _of_micro(self, n: Apply, micro: int):
        """The value of a micro-batch, as it lies."""
        if (n, micro) not in self.held:
            if n.fn is P.micro_part:
                self.held[n, micro] = self._part_of(n, micro)
            else:
                self.held[n, micro] = self._receive(n)
        return self.held[n, micro]

    def _part_of(self, n: Apply, micro: int):
        self._need(n.args[0])
        x = self._micro_operand(n)
        with building(self.target.builder):
            every = [slice(0, size) for size in x.shape]
            every[1] = slice(micro, micro + 1)
            return P.reshape(cut(x, tuple(every)), (x.shape[0], *x.shape[2:]))

    def _gave(self, n: Apply, value, micro: int) -> None:
        """A pass has made a value: send it, and add up what leaves."""
        self.held[n, micro] = value
        if not self.stages.repeats(n) or not self.stages.marked:
            self.values[n, self.shardings.of(n)] = value
            self.has.add(n)
        for g in sorted(self.takers.get(n, ())):
            self._send(n, value, g)
        for m in n.uses:
            if m.fn in LEAVING:
                self._add(m, value, micro)

    def _add(self, m: Apply, value, micro: int) -> None:
        so_far = self.totals.setdefault(m, {})
        if m.fn is P.micro_joined:
            so_far[micro] = value
            return
        value = self._walk(value, m.abstract, self.shardings.of(m.args[0]), self.shardings.of(m))
        with building(self.target.builder):
            so_far[0] = P.add(so_far[0], value) if so_far else value

    def _total(self, n: Apply):
        """What all micro-batches give."""
        parts = [v for _, v in sorted(self.totals.pop(n).items())]
        with building(self.target.builder):
            if n.fn is P.micro_total:
                return parts[0]
            shape = parts[0].shape
            rows = tuple([P.reshape(v, (shape[0], 1, *shape[1:])) for v in parts])
            return P.concat(rows, 1)

    def _apply(self, n: Apply):
        found = super()._apply(n)
        if n.fn is P.micro_total:  # of what all micro-batches share
            with building(self.target.builder):
                found = P.mul(found, P.full((), self.stages.micros, n.abstract.dtype))
        return found

    # ---- messages

    def _receive(self, n: Apply):
        at = self.stages.group(n)
        return self.target.receive(self.peer(at), self._spec(n), self.tags[n, self.group], n.loc)

    def _send(self, n: Apply, value, group: int) -> None:
        self._spec(n)
        self.target.send(self.peer(group), value, self.tags[n, group], n.loc)

    def _spec(self, n: Apply) -> AbstractTensor:
        if not isinstance(n.abstract, AbstractTensor):
            raise complain(
                NotImplementedError,
                f"pipeline: {n.abstract!r} goes from one stage to another",
                loc=n.loc,
                expected="tensors",
            )
        shape = self.shardings.of(n).local(self.shardings.mesh, n.abstract.shape)
        return AbstractTensor(shape, n.abstract.dtype)

    def _find_takers(self) -> dict[Node, set[int]]:
        """For each value the other groups that take it."""
        found: dict[Node, set[int]] = {}

        def take(a: Node, groups: set[int]) -> None:
            if not isinstance(a, Apply) or a not in self.stages.where:
                return
            others = groups - {self.stages.group(a)}
            if others and a.fn is prim.make_tuple:
                for part in a.args:
                    take(part, others)
            elif others:
                found.setdefault(a, set()).update(others)

        graph = self.stages.graph
        for n in graph:
            groups = self.stages.takers(n)
            for a in taken(n):
                take(a, groups)
        take(graph.output, set(range(self.stages.groups)))
        return found

    def _find_tags(self) -> dict:
        """A tag for each message between two groups: none that another of them has as its number."""
        found, used, next_ = {}, {}, {}
        for n in self.stages.graph:
            for g in sorted(self.takers.get(n, ())):
                pair = self.stages.group(n), g
                taken_, tag = used.setdefault(pair, set()), next_.get(pair, 1)
                while len(taken_) < _TAGS // 2 and _number(tag) in taken_:
                    tag += 1
                taken_.add(_number(tag))
                found[n, g], next_[pair] = tag, tag + 1
        return found


def _number(tag: int) -> int:
    """The number by which the core tells messages of a tag apart."""
    return crc32(f"exchange {tag}".encode()) % _TAGS


__all__ = ["Pipelined"]

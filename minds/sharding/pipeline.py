"""The program of one rank of a pipeline: the passes of its stages in the order of the schedule, with what
stages send each other.

Sending begins where a value is made and goes on while the program does; a stage waits where it needs a value.
Since all stages follow one table of events, none waits for what comes after what waits for it.
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
from .divide import Divided
from .propagate import Shardings, whole
from .stages import REST, StageMap

_TAGS = 32768


class Pipelined(Divided):
    """The walk over a graph, of a rank of a group of devices.

    Attributes:
        stages: which group computes what.
        group: this one.
        peer: the rank of the world that has this place in another group.
    """

    def __init__(
        self, shardings: Shardings, target, params: dict, stages: StageMap, group: int, peer
    ):
        super().__init__(shardings, target, params)
        self.stages, self.group, self.peer = stages, group, peer
        self.takers = self._find_takers()
        self.tags = self._find_tags()
        self.has: set[Node] = set()

    def run(self, graph: Graph):
        """The result of the graph, whole on every rank."""
        passes: dict = {}
        for n in graph:
            at = self.stages.where.get(n)
            if at is not None:
                passes.setdefault(at, []).append(n)
            elif self.stages.group(n) in (None, self.group):
                self._do(n)
        for event in self.stages.orders[self.group]:
            for n in passes.get(self.stages.of_event(event), ()):
                self._do(n)
        for n in graph:
            at = self.stages.where.get(n)
            mine = at is not None and at.stage % self.stages.groups == self.group
            if mine and at.phase == REST:
                self._do(n)
            elif at is not None and not mine and self.group in self.stages.takers(n):
                self._need(n.args[1])  # what a parameter that all keep holds now
                self.target.assign(n.args[0], self.get(n.args[1], self.shardings.of(n.args[0])))
        self._need(graph.output)
        found = self.get(graph.output, whole(graph.output.abstract))
        here = (self.peer(self.group),)
        with building(self.target.builder):  # a message to itself, behind all that was begun
            P.exchange((P.full((1,), 0, dt.int32),), here, here, ((1,),), dt.int32, 0, (), True)
        return found

    def _do(self, n: Apply) -> None:
        for a in n.operands:
            self._need(a)
        self.values[n, self.shardings.of(n)] = self._apply(n)
        self.has.add(n)
        for g in sorted(self.takers.get(n, ())):
            self._send(n, g)

    def _need(self, a: Node) -> None:
        """Receive a value that another group computes."""
        if not isinstance(a, Apply) or a in self.has:
            return
        if a.fn is prim.make_tuple and self.stages.group(a) != self.group:
            for part in a.args:
                self._need(part)
            self.values[a, self.shardings.of(a)] = self._apply(a)
        elif self.stages.group(a) not in (None, self.group):
            made = self.target.receive(
                self.peer(self.stages.group(a)), self._spec(a), self.tags[a, self.group], a.loc
            )
            self.values[a, self.shardings.of(a)] = made
        self.has.add(a)

    def _send(self, n: Apply, group: int) -> None:
        value = self.values[n, self.shardings.of(n)]
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
            for a in n.operands:
                take(a, groups)
        take(graph.output, set(range(self.stages.groups)))
        return found

    def _find_tags(self) -> dict:
        """A tag for each message between two groups: none that another of them has as its number."""
        found, used, next_ = {}, {}, {}
        for n in self.stages.graph:
            for g in sorted(self.takers.get(n, ())):
                pair = self.stages.group(n), g
                taken, tag = used.setdefault(pair, set()), next_.get(pair, 1)
                while len(taken) < _TAGS // 2 and _number(tag) in taken:
                    tag += 1
                taken.add(_number(tag))
                found[n, g], next_[pair] = tag, tag + 1
        return found


def _number(tag: int) -> int:
    """The number by which the core tells messages of a tag apart."""
    return crc32(f"exchange {tag}".encode()) % _TAGS


__all__ = ["Pipelined"]

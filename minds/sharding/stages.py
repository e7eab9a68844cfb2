"""Which stage of a pipeline computes what, and in which pass.

Stages are marked where they begin (`P.staged`, with `P.cotangent` on the way back); what is computed from
marked values belongs to the stage of these. What depends on nothing marked is computed by the stages that
use it. Any such division computes the same: what a stage lacks is sent to it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..base.errors import complain
from ..ir import prim
from ..ir.abstract import AbstractRef, AbstractTensor
from ..ir.node import Apply, Constant, Graph, Node, Param
from ..ops.define import Op, P
from .schedule import BACKWARD, FORWARD, WEIGHTS, PassTime, events

REST = "R"
"""What needs the backward passes of several stages: norms of all gradients, and what follows."""


@dataclass(frozen=True)
class Pass:
    """Of a stage for a micro-batch."""

    stage: int
    phase: str
    micro: int


class StageMap:
    """The stages of a program.

    Attributes:
        groups: how many groups of devices there are; stage s is of group s modulo that.
        orders: the events of each group.
        where: the pass of each node that a stage computes.
        homes: the group of what one alone needs besides: nodes, and parameters that it alone keeps.
    """

    def __init__(self, graph: Graph, groups: int, schedule: str):
        self.graph, self.groups = graph, groups
        marks = [n for n in graph if n.fn is P.staged]
        micros = 1 + max([0, *[n.args[2].value for n in marks]])
        last = max([0, *[n.args[1].value for n in marks]])
        chunks = 1 + last // groups
        if chunks > 1 and schedule != "interleaved":
            raise complain(
                ValueError,
                f"pipeline: stage {last} of a pipeline of {groups}",
                expected=f"in [0, {groups})",
                cure='pipeline_config={"pipeline_interleave": True} for several stages on each device',
            )
        order = "gpipe" if micros == 1 else schedule  # with one, there is nothing to interleave
        self.orders = events(order, groups, micros, chunks)
        self.splits = order == "zb"
        self.turn = {
            (e.stage, e.phase, e.micro): i for order in self.orders for i, e in enumerate(order)
        }
        self.where: dict[Node, Pass] = {}
        self.homes: dict[Node, int] = {}
        self._assigned: dict[Node, Pass] = {}
        self._micros: dict[Node, int] = {}  # of what no stage computes alone
        for n in graph:
            found = self._pass(n)
            if found is not None:
                self.where[n] = found
        if self.splits:
            self._split()
        self._find_homes()

    def group(self, n: Node) -> int | None:
        """The group that computes a node; None, all that need it."""
        found = self.where.get(n)
        return self.homes.get(n) if found is None else found.stage % self.groups

    def takers(self, n: Apply) -> set[int]:
        """The groups that take the operands of a node."""
        if n.fn is prim.assign and n.args[0] not in self.homes:
            return set(range(self.groups))
        g = self.group(n)
        return set(range(self.groups)) if g is None else {g}

    def of_event(self, event: PassTime) -> Pass:
        return Pass(event.stage, event.phase, event.micro)

    # ---- passes, in program order

    def _pass(self, n: Apply) -> Pass | None:
        fn = n.fn
        if fn is prim.load:
            return self._assigned.get(n.args[0])
        if fn is prim.assign:
            found = self.where.get(n.args[1])
            if found is not None:
                self._assigned[n.args[0]] = found
            return found
        if fn is P.staged:
            return self._staged(n)
        if fn is P.cotangent:
            return self._cotangent(n)
        known = [(self.where[a], _size(a)) for a in n.operands if a in self.where]
        if known:
            return self._joined(known)
        micros = [self._micros[a] for a in n.args if a in self._micros]
        if micros:
            self._micros[n] = max(micros)
        return None

    def _staged(self, n: Apply) -> Pass | None:
        value, stage, micro, _ = n.args
        before = self.where.get(value)
        if before is None:
            own = micro.value if micro.value >= 0 else self._micros.get(value, 0)
            if stage.value >= 0:
                return Pass(stage.value, FORWARD, own)
            self._micros[n] = own
            return None
        if stage.value < 0 or before.phase != FORWARD:
            return before
        if stage.value < before.stage:
            raise complain(
                ValueError,
                f"pipeline: stage {stage.value} takes what stage {before.stage} gives",
                loc=n.loc,
                cure="number the stages in the order in which they run",
            )
        return Pass(stage.value, FORWARD, before.micro)

    def _cotangent(self, n: Apply) -> Pass | None:
        dout, value, micro = n.args
        before, of = self.where.get(dout), self.where.get(value)
        if of is None or (before is not None and before.phase == REST):
            return before
        if micro.value >= 0:
            return Pass(of.stage, BACKWARD, micro.value)
        return Pass(of.stage, BACKWARD, of.micro if before is None else before.micro)

    def _joined(self, known: list[tuple[Pass, int]]) -> Pass:
        """The pass of what takes values of these passes and sizes."""
        largest = max(known, key=lambda k: (k[1], k[0].stage))[0].stage
        back = {p.stage for p, _ in known if p.phase != FORWARD}
        rest = any(p.phase == REST for p, _ in known)
        if not rest and len(back) > 1:
            rest = all(size <= 1 for p, size in known if p.stage != largest)
        if rest:
            return Pass(largest, REST, 0)
        stage = min(back) if back else max(p.stage for p, _ in known)
        latest = max([(p.phase, p.micro) for p, _ in known], key=lambda k: self.turn[(stage, *k)])
        return Pass(stage, *latest)

    def _split(self) -> None:
        """What of a backward pass no other stage waits for."""
        wanted: set[Node] = set()
        for n in self.graph.reversed():
            mine = self.where.get(n)
            if mine is None or mine.phase != BACKWARD:
                continue
            for m in n.uses:
                theirs = self.where.get(m)
                if theirs is not None and (theirs.stage != mine.stage or m in wanted):
                    wanted.add(n)
        for n, p in self.where.items():
            if p.phase == BACKWARD and n not in wanted:
                self.where[n] = Pass(p.stage, WEIGHTS, p.micro)

    # ---- homes, against program order

    def _find_homes(self) -> None:
        kept: dict[Param, set] = {}
        for n in self.graph.reversed():
            if n in self.where:
                groups = {self.group(n)}
            elif n.fn is prim.assign or getattr(n.fn, "has_effect", False):
                groups = set(range(self.groups))
            else:
                groups = set()
                for m in n.uses:
                    g = self.group(m) if m is not self.graph.ret else None
                    groups |= set(range(self.groups)) if g is None else {g}
                if len(groups) == 1:
                    self.homes[n] = min(groups)
            for p in () if isinstance(n.fn, Op) else n.args:
                if isinstance(p.abstract, AbstractRef):
                    kept.setdefault(p, set()).update(groups)
        for p, groups in kept.items():
            if isinstance(p.abstract, AbstractRef) and len(groups) == 1:
                self.homes[p] = min(groups)


def _size(n: Node) -> int:
    a = n.abstract
    return a.size if isinstance(a, AbstractTensor) and not isinstance(n, Constant) else 0


__all__ = ["REST", "Pass", "StageMap"]

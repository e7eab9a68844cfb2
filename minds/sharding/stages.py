"""Which stage of a pipeline computes what, and in which pass.

Stages are marked where they begin (`P.staged`, with `P.cotangent` on the way back); what is computed from
marked values belongs to the stage of these. What depends on nothing marked is computed by the stages that
use it. Any such division computes the same: what a stage lacks is sent to it.

The program has its network once, for a micro-batch that stands for all (`ops.staged`). A value that depends
on what enters by `micro_part` is one of each micro-batch, until it leaves by `micro_total` or `micro_joined`.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..base.errors import complain
from ..ir import prim, walk
from ..ir.abstract import AbstractRef, AbstractTensor
from ..ir.node import Apply, Constant, Graph, Node, Param
from ..ops.define import Op, P
from ..ops.staged import ENTERING, LEAVING
from .schedule import BACKWARD, FORWARD, WEIGHTS, events

REST = "R"
"""What follows the passes of all micro-batches, or needs the backward passes of several stages."""

_ORDER = {FORWARD: 0, BACKWARD: 1, WEIGHTS: 2}


@dataclass(frozen=True)
class Pass:
    """Of a stage, for each micro-batch."""

    stage: int
    phase: str


def micro_count(graph: Graph) -> int:
    """For how many micro-batches a program's network stands; 0 where it says nothing of them.

    Raises:
        ValueError: it says two numbers.
    """
    counts = {n.args[1].value: n.loc for n in graph if n.fn in ENTERING}
    if len(counts) > 1:
        told = " and ".join(map(str, counts))
        raise complain(
            ValueError, f"pipeline: {told} micro-batches in one program", loc=[*counts.values()][1]
        )
    return next(iter(counts), 0)


def in_each(graph: Graph) -> dict[Apply, None]:
    """What a program does for each micro-batch."""
    found: dict[Apply, None] = {}
    for n in graph:
        if n.fn is P.micro_part or n.fn not in LEAVING and any(a in found for a in n.operands):
            found[n] = None
    return found


def taken(n: Apply) -> tuple:
    """The operands whose values an application needs. Where it calls one of two graphs, it chooses itself."""
    if n.fn is P.cotangent:
        return n.args[:1]
    if walk.is_called_switch(n):
        return ()
    return (n.fn.args[0], *n.args) if walk.is_called_switch(n.fn) else n.operands


class StageMap:
    """The stages of a program.

    Attributes:
        groups: how many groups of devices there are; stage s is of group s modulo that.
        micros: how many micro-batches there are.
        orders: the events of each group.
        where: the pass of each node that a stage computes.
        homes: the group of what one alone needs besides: nodes, and parameters that it alone keeps.
        loose: what depends on the micro-batch, and on no stage: each stage computes what it needs of it.
        early: of that what has effects, and what these need; done for all micro-batches where `end` is.
        end: the last application of the forward pass; None where there are no micro-batches.
    """

    def __init__(self, graph: Graph, groups: int, schedule: str):
        self.graph, self.groups = graph, groups
        count = micro_count(graph)
        self.marked, self.micros = count > 0, max(count, 1)
        last = max([0, *[n.args[1].value for n in graph if n.fn is P.staged]])
        chunks = 1 + last // groups
        if chunks > 1 and schedule != "interleaved":
            raise complain(
                ValueError,
                f"pipeline: stage {last} of a pipeline of {groups}",
                expected=f"in [0, {groups})",
                cure='pipeline_config={"pipeline_interleave": True} for several stages on each device',
            )
        order = (
            "gpipe" if self.micros == 1 else schedule
        )  # with one, there is nothing to interleave
        self.orders = events(order, groups, self.micros, chunks)
        self._find_span()
        self._written: dict[Node, Pass | None] = {}  # for each micro-batch, by a stage or by all
        known = None
        while known != self._written:  # loads before a write are known by the second time
            known = dict(self._written)
            self.where: dict[Node, Pass] = {}
            self.loose: dict[Apply, None] = {}
            self._last: dict[Node, Pass] = {}  # the pass of the last write so far
            self._find_passes()
        self._find_early()
        if order == "zb":
            self._split()
        self.homes: dict[Node, int] = {}
        self._find_homes()
        if self.marked:
            self._check()

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

    def repeats(self, n: Node) -> bool:
        """Whether there is a value of each micro-batch."""
        at = self.where.get(n)
        return n in self.loose or at is not None and at.phase != REST

    def _find_span(self) -> None:
        """From where to where the forward pass of the micro-batches goes."""
        self._place = {n: i for i, n in enumerate(self.graph)} if self.marked else {}
        self.end, self._span = None, range(0)
        if self.marked:
            nodes = list(self._place)
            first = next(i for i, n in enumerate(nodes) if n.fn in ENTERING)
            back = next((i for i, n in enumerate(nodes) if n.fn is P.cotangent), len(nodes))
            last = max([i for i, n in enumerate(nodes[:back]) if n.fn in LEAVING], default=first)
            self.end, self._span = nodes[last], range(first, last)

    # ---- passes, in program order

    def _find_passes(self) -> None:
        for n in self.graph:
            found = self._pass(n)
            if found is not None:
                self.where[n] = found
            elif self.marked and self._is_loose(n):
                self.loose[n] = None

    def _pass(self, n: Apply) -> Pass | None:
        fn = n.fn
        if fn is prim.load:
            return self._loaded(n)
        if fn is prim.assign:
            found = self.where.get(n.args[1])
            if found is not None:
                self._last[n.args[0]] = found
                if self.marked and found.phase != REST:
                    self._written[n.args[0]] = found
            return found
        if fn is P.staged:
            return self._staged(n)
        if fn is P.cotangent:
            return self._cotangent(n)
        if fn in LEAVING:
            before = self.where.get(n.args[0])
            return None if before is None else Pass(before.stage, REST)
        known = [(self.where[a], _size(a)) for a in n.operands if a in self.where]
        return self._joined(n, known) if known else None

    def _loaded(self, n: Apply) -> Pass | None:
        """Who reads what a stage writes."""
        last, each = self._last.get(n.args[0]), self._written.get(n.args[0])
        if each is not None and self._place[n] in self._span:
            return each
        return Pass(last.stage, REST) if self.marked and last is not None else last

    def _is_loose(self, n: Apply) -> bool:
        if n.fn in LEAVING:
            return False
        found = n.fn is P.micro_part or any(a in self.loose for a in n.operands)
        if self._place[n] in self._span:
            found = found or n.has_effect or n.fn is prim.load and n.args[0] in self._written
        if found and n.fn is prim.assign:
            self._written[n.args[0]] = None
        return found

    def _staged(self, n: Apply) -> Pass | None:
        value, stage = n.args
        before = self.where.get(value)
        if before is None:
            return Pass(stage.value, FORWARD)
        if before.phase != FORWARD:
            return before
        if stage.value < before.stage:
            raise complain(
                ValueError,
                f"pipeline: stage {stage.value} takes what stage {before.stage} gives",
                loc=n.loc,
                cure="number the stages in the order in which they run",
            )
        return Pass(stage.value, FORWARD)

    def _cotangent(self, n: Apply) -> Pass | None:
        dout, value = n.args
        before, of = self.where.get(dout), self.where.get(value)
        if before is not None and before.phase == REST and self.marked:
            raise self._waits(n)
        if of is None or (before is not None and before.phase == REST):
            return before
        return Pass(of.stage, BACKWARD)

    def _joined(self, n: Apply, known: list[tuple[Pass, int]]) -> Pass:
        """The pass of what takes values of these passes and sizes."""
        largest = max(known, key=lambda k: (k[1], k[0].stage))[0].stage
        back = {p.stage for p, _ in known if p.phase != FORWARD}
        rest = any(p.phase == REST for p, _ in known)
        if rest and self.marked:
            if any(p.phase != REST for p, _ in known) or any(a in self.loose for a in n.operands):
                raise self._waits(n)
        elif not rest and len(back) > 1:
            rest = not self.marked and all(size <= 1 for p, size in known if p.stage != largest)
        if rest:
            return Pass(largest, REST)
        stage = min(back) if back else max(p.stage for p, _ in known)
        return Pass(stage, max([p.phase for p, _ in known], key=_ORDER.__getitem__))

    def _waits(self, n: Apply) -> Exception:
        return complain(
            ValueError,
            "pipeline: a micro-batch needs what is known only when all of them are done",
            loc=n.loc,
            cure="let the network in PipelineCell give the loss itself",
        )

    def _find_early(self) -> None:
        wanted: set[Node] = set()
        for n in reversed(self.loose):
            reads = n.fn is prim.load and n.args[0] in self._written
            if n in wanted or reads or n.has_effect:
                wanted.update([n, *[a for a in n.operands if a in self.loose]])
        self.early = [n for n in self.loose if n in wanted and n.fn is not P.micro_part]

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
                self.where[n] = Pass(p.stage, WEIGHTS)

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

    def _check(self) -> None:
        """Raise where what is there for each micro-batch is taken as if it were there once."""
        for n in self.graph:
            if n.fn in LEAVING and n.args[0] in self.loose:
                raise complain(
                    ValueError,
                    "pipeline: what the network in PipelineCell gives belongs to no stage",
                    loc=n.loc,
                    cure="set pipeline_stage of its cells",
                )
            if n.fn is not prim.assign or not self.repeats(n):
                continue
            at = self.where.get(n)
            if at is not None and (at.phase != FORWARD or n.args[0] not in self.homes):
                raise complain(
                    NotImplementedError,
                    f"pipeline: {n.args[0].name} is written for each micro-batch",
                    loc=n.loc,
                    expected="only by the forward pass of the one stage that uses it",
                )
        if self.repeats(self.graph.output):
            raise complain(
                NotImplementedError,
                "pipeline: what is there for each micro-batch leaves the program",
                expected="what PipelineCell gives",
            )


def _size(n: Node) -> int:
    a = n.abstract
    return a.size if isinstance(a, AbstractTensor) and not isinstance(n, Constant) else 0


__all__ = ["REST", "Pass", "StageMap", "in_each", "micro_count", "taken"]

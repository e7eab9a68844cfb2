"""Loops that keep less for their gradients (`recompute_loops`): cut into segments that run again when
the gradient is taken.

A loop h(state), in whatever graphs it goes on, becomes

    outer(state, length) = let (ends, state') = segment(state, length)
                           in h(state') if ends else outer(state', length + 1)

where ``segment`` runs ``length`` iterations; it is recomputed, so it keeps the state at its start only. If
the loop ends inside of a segment, this gives the state at the start of the last iteration, which h
itself then runs. Since lengths grow by one, n iterations leave some √(2n) states, and a segment that
runs again has at most √(2n) + `FIRST` iterations; with a fixed length they leave n / length.

Only loops whose graphs call one another in tail position, and have no effects, are cut; of nested ones
the outermost. The program must be closed, and stays so.
"""

from __future__ import annotations

from ..ir import prim, walk
from ..ir.abstract import BOOL, INT, AbstractFunction, AbstractRef, AbstractTuple
from ..ir.build import Builder, building
from ..ir.clone import copies
from ..ir.node import Apply, Constant, Graph, Param, set_args, set_fn
from ..ops.define import P

FIRST = 16
"""Iterations of the first segment."""


def segments(graph: Graph, options=None) -> Graph:
    """Cut the loops that are marked with the flag ``segments``, where gradients are taken."""
    calls = walk.call_map(graph)
    if not any("segments" in g.flags for g in calls):
        return graph
    walk.mark_effects(graph, calls)
    done: set[Graph] = set()
    for group in reversed(walk.components(calls)):
        loop = (
            _Loop(group, calls) if "segments" in group[0].flags and group[0] not in done else None
        )
        if loop is not None and loop.can_be_cut:
            done.update(*[walk.graphs(g) for g in group])
            loop.cut(group[0].flags["segments"])
    for g in calls:
        g.flags.pop("segments", None)
    return graph


class _Loop:
    """A group of graphs that call one another.

    Attributes:
        header: the one that others call.
        can_be_cut: whether it is a loop that can be cut.
        state: the indices of the header's params that an iteration may change.
    """

    def __init__(self, group: list[Graph], calls: dict):
        self.group = dict.fromkeys(group)
        outside = {h for g in calls if g not in self.group for h in calls[g] if h in self.group}
        self.can_be_cut = len(outside) == 1 and all(map(self._loops, group))
        if self.can_be_cut:
            (self.header,) = outside
            self.state = self._state()
            types = [self.header.params[i].abstract for i in self.state]
            self.kind = AbstractTuple((BOOL, *types))
            self.can_be_cut = not any(isinstance(t, (AbstractFunction, AbstractRef)) for t in types)

    def _loops(self, g: Graph) -> bool:
        """Whether ``g`` has no effect and goes on in the group only by its tail call."""
        tail, targets = walk.tail_call(g)
        others = [
            h
            for n in g
            if n is not tail and tail is not None and n is not tail.fn
            for h in walk.referred(n)
        ]
        return (
            not g.has_effect
            and "bprop" not in g.flags
            and any(h in self.group for h in targets)
            and not any(h in self.group for h in others)
        )

    def _state(self) -> list[int]:
        header = self.header
        same: dict = {p: {i} for i, p in enumerate(header.params)}
        changed = True
        while changed:
            changed = False
            for g in self.group:
                n, targets = walk.tail_call(g)
                for h in [h for h in targets if h in self.group]:
                    for p, a in zip(h.params, n.args):
                        given = same.get(a, set()) if a.__class__ is Param else {None}
                        if not given <= same.setdefault(p, set()):
                            same[p] |= given
                            changed = True
        return [i for i, p in enumerate(header.params) if same[p] != {i}]

    def cut(self, every: int | None) -> None:
        """Cut it into segments of ``every`` iterations; None: of growing length."""
        header = self.header
        users = [n for n in header.callers if n.graph not in self.group]
        segment, params, length = self._graph("segment", header)
        segment.output = self._call(segment, self._enter(), [*params, length], self.kind)
        segment.flags["recompute"] = True
        outer = self._outer(segment, every)
        start, params, _ = self._graph("segments", header, False)
        start.output = self._call(
            start, outer, [*params, FIRST if every is None else every], header.ret.abstract
        )
        for n in users:
            set_args(
                n,
                [
                    Constant(start, a.abstract, a.loc) if walk.graph_of(a) is header else a
                    for a in n.args
                ],
            )
            if n.fn is header:
                set_fn(n, start)

    @staticmethod
    def _graph(name: str, like: Graph, counts: bool = True) -> tuple:
        """A graph with the params of another one, and an int."""
        g = Graph(name, like.loc)
        params = [g.add_param(p.name, p.abstract, p.loc) for p in like.params]
        return g, params, g.add_param("length", INT) if counts else None

    @staticmethod
    def _call(g: Graph, fn, args: list, kind):
        return Builder(g, loc=g.loc).emit(fn, args, kind)

    def _outer(self, segment: Graph, every: int | None) -> Graph:
        header, result = self.header, self.header.ret.abstract
        outer, params, length = self._graph("segments", header)
        again, again_params, again_length = self._graph("segments:next", header)
        last, last_params, _ = self._graph("segments:last", header)
        last.output = self._call(last, header, last_params, result)
        with building(Builder(again)):
            longer = P.add(again_length, 1) if every is None else again_length
        again.output = self._call(again, outer, [*again_params, longer], result)
        with building(Builder(outer, loc=header.loc)) as b:
            t = b.emit(segment, [*params, length], self.kind)
            for k, i in enumerate(self.state):
                params[i] = b.getitem(t, k + 1)
            outer.output = b.emit(b.switch(b.getitem(t, 0), last, again), [*params, length], result)
        return outer

    def _enter(self) -> Graph:
        """The copy of the loop that counts its iterations: where it starts one."""
        new = copies(list(self.group))
        enter, params, left = self._graph("segment:loop", self.header)
        stop, stop_params, _ = self._graph("segment:stop", self.header)
        go, go_params, go_left = self._graph("segment:go", self.header)
        for g in self.group:
            new[g].flags.pop("segments", None)
            self._count(g, new, enter)
        with building(Builder(stop)) as b:
            stop.output = b.make_tuple([False, *[stop_params[i] for i in self.state]])
        at = [go_params[i] for i in self.state]
        go.output = self._call(go, new[self.header], [*go_params, *at, go_left], self.kind)
        with building(Builder(enter, loc=enter.loc)) as b:
            callee = b.switch(P.less_equal(left, 0), stop, go)
            enter.output = b.emit(callee, [*params, left], self.kind)
        return enter

    def _count(self, g: Graph, new: dict, enter: Graph) -> None:
        """Let the copy of a graph know the state at the start of the iteration, and what is left."""
        h, (_, targets) = new[g], walk.tail_call(g)
        at = [h.add_param("at", t) for t in self.kind.items[1:]]
        left, n = h.add_param("left", INT), h.tail
        graphs = [self._way(t, new, enter) for t in targets]
        b = Builder(h, loc=n.loc)
        callee = graphs[0] if len(graphs) == 1 else b.switch(n.fn.args[0], *graphs)
        h.output = b.emit(callee, [*n.args, *at, left], self.kind)
        switch = n.fn if n.fn.__class__ is Apply and n.fn.fn is prim.switch else None
        h.remove(n)
        if switch is not None and not switch.uses:
            h.remove(switch)

    def _way(self, t: Graph, new: dict, enter: Graph) -> Graph:
        """What stands for a graph that is called in tail position."""
        if t in self.group and t is not self.header:
            return new[t]
        g, params, _ = self._graph(t.name, t, False)
        at = [g.add_param("at", a) for a in self.kind.items[1:]]
        left = g.add_param("left", INT)
        with building(Builder(g, loc=g.loc)) as b:
            if t is self.header:
                g.output = b.emit(enter, [*params, P.sub(left, 1)], self.kind)
            else:
                g.output = b.make_tuple([True, *at])
        return g

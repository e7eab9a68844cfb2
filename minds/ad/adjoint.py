"""What J makes of a graph g: the augmented primal ▶g and the backpropagator ◀g.

    ▶g(params) -> (out, ◀g)
    ◀g(dout leaves..., sums..., params of g...) -> cotangents of the leaves of g's params

The graphs that tail calls reach from g (`tail_calls`), such as those of a loop, are its *region*.
Inside, programs are in continuation-passing style:

    ▶m(params, back) -> (out, ◀)     tail-calls ▶h(args, ◀m); or returns, with ◀m
    ◀m(cotangents..., params of g...)     tail-calls back(cotangents of m's params..., params of g...)

So ◀m is a closure over what it uses of ▶m, and over what comes after it: an iteration of a loop adds one
link to a chain, and neither forward nor backward do calls nest. `passes.continuations` makes records of
these closures, so that the next J finds data. ◀ takes the params of g again, so that what is the same in
all iterations is in no link; `passes.unread` drops those that nothing uses.
"""

from __future__ import annotations

from collections import Counter

from ..ir import walk
from ..ir.abstract import STACK, AbstractFunction, AbstractTuple, continuation
from ..ir.build import Builder
from ..ir.node import Graph, Node, Param
from .activity import Activity
from .cotangents import dual_abstract, leaves, leaves_of


def tail_calls(activity: Activity, sites: list[Graph]) -> dict[Graph, tuple | None]:
    """For each graph the tail call that stays in its region, and what that may call.

    A tail call that leads out of all cycles of tail calls, to a graph that is called elsewhere too, is
    like any other call. Else each region would have its own copy of that graph and of all behind it,
    and functions that call each other in a row would take time quadratic in their number. For the same
    reason a cycle that is entered at several graphs, such as that of functions that call each other, is
    divided, and the calls from one part to another are like any others.
    """
    found = {m: _tail_call(m, calls) for m, calls in activity.calls.items()}
    below = {m: dict.fromkeys(tail[1] if tail else ()) for m, tail in found.items()}
    cycles = walk.components(below)
    cycle = {m: i for i, ms in enumerate(cycles) for m in ms}
    entered = Counter([*sites, *activity.values])
    for m, calls in activity.calls.items():
        for n, targets in calls.items():
            stays = found[m] is not None and n is found[m][0]
            entered.update(h for h in targets if not stays or cycle[h] != cycle[m])
    part: dict[Graph, Graph] = {}
    for ms in cycles:
        entries = [m for m in ms if entered[m]]
        if len(entries) > 1:
            inside = set(ms)
            part.update(_parts(entries, {m: [h for h in below[m] if h in inside] for m in ms}))
    for m, tail in found.items():
        targets = tail[1] if tail else ()
        leads_out = any(entered[h] > 1 for h in targets) and all(
            cycle[h] != cycle[m] for h in targets
        )
        if leads_out or any(part.get(h) is not part.get(m) for h in targets if h in part):
            found[m] = None
    return found


def _parts(firsts: list[Graph], below: dict[Graph, list[Graph]]) -> dict[Graph, Graph]:
    """For each graph of a cycle the first graph of its part: graphs that tail calls reach from one of
    ``firsts`` only. What two parts would have begins a part of its own.
    """
    while True:
        part = {g: g for g in firsts}
        work, new = list(firsts), {}
        while work:
            m = work.pop()
            for h in below[m]:
                if h not in part:
                    work.append(h)
                if part.setdefault(h, part[m]) is not part[m] and part[h] is not h:
                    new[h] = None
            if any(part[h] is not part[m] for h in below[m]):
                new.update(dict.fromkeys(h for h in below[m] if part[h] is not h))
        if not new:
            return part
        firsts = [*firsts, *new]


def _tail_call(m: Graph, calls: dict) -> tuple | None:
    """The last apply of ``m`` and what it may call, if it is a call whose result ``m`` returns."""
    tail = m.tail if m.output is m.tail and "recompute" not in m.flags else None
    return (tail, calls[tail]) if calls.get(tail) else None


class TailRegion:
    """The graphs that tail calls reach from one.

    Attributes:
        tails: for each of them the tail call through which gradients flow, if it has one, and what
            that may call.
        constant: for the params that are always a param of the first graph, the index of that.
        everywhere: the indices of the params that all graphs of the region have.
        returns: whether the first graph is called from its region.
    """

    def __init__(self, g: Graph, tail_calls: dict):
        self.graph, self.tails = g, {}
        stack = [g]
        while stack:
            m = stack.pop()
            if m not in self.tails:
                self.tails[m] = tail_calls[m]
                stack += reversed(tail_calls[m][1] if tail_calls[m] else ())
        self.constant = self._constants()
        known = [{self.constant.get(p) for p in m.params} for m in self.tails]
        self.everywhere = set.intersection(*known) - {None}
        self.returns = any(g in tail[1] for tail in self.tails.values() if tail)

    def _constants(self) -> dict[Param, int]:
        found: dict = {p: i for i, p in enumerate(self.graph.params) if _is_read(p)}
        found.update((p, None) for p in self.graph.params if p not in found)
        changed = True
        while changed:
            changed = False
            for tail, targets in filter(None, self.tails.values()):
                for i, a in enumerate(tail.args):
                    params = [h.params[i] for h in targets]
                    same = {found.get(a), *[found[p] for p in params if p in found]}
                    value = same.pop() if len(same) == 1 else None
                    changed = changed or any(p not in found or found[p] != value for p in params)
                    found.update((p, value) for p in params)
        return {p: i for p, i in found.items() if i is not None}


def _is_read(p: Param) -> bool:
    """Whether ◀ may read a param once more: stacks are read once."""
    return all(t is not STACK for _, t in leaves(p.abstract))


class Convention:
    """Which cotangents ◀g takes and gives; the same for graphs that stand in one switch.

    Attributes:
        out: the leaves of the result of g.
        places: the leaves of its params: (index, path, type).
        wanted: for each of ``places``, whether ◀g returns its cotangent.
        can_sum: for each, whether ◀g could take a sum of cotangents, to which it adds.
        dout: for each of ``out``, whether ◀g takes its cotangent; None while nobody called ◀g.
        sums: for each of ``places``, whether ◀g takes a sum; None while nobody called ◀g.
        given: the indices of the params that ◀g takes.
        type: of ◀g.
        result: the type of what ▶g returns.
        answer: the type of what ◀g returns.
    """

    def __init__(self, g: Graph, active: set[int], regions: list[TailRegion], shared: bool):
        everywhere = set.intersection(*[r.everywhere for r in regions])
        self.out = leaves(g.ret.abstract)
        self.places = [(i, *leaf) for i, p in enumerate(g.params) for leaf in leaves(p.abstract)]
        self.wanted = [i in active for i, _, _ in self.places]
        self.can_sum = [w and i in everywhere for w, (i, _, _) in zip(self.wanted, self.places)]
        self.dout = [True] * len(self.out) if shared else None
        self.sums = self.can_sum if shared else None
        self.given = [i for i, p in enumerate(g.params) if _is_read(p)]
        self.type = continuation(g.name)
        self.result = AbstractTuple((dual_abstract(g.ret.abstract), self.type))
        self.answer = AbstractTuple([t for _, _, t in self.returned()])

    def fix(self, dout: list[bool], sums: list[bool]) -> None:
        """Let ◀g take what its only caller has, if that was open."""
        if self.dout is None:
            self.dout, self.sums = dout, sums

    def taken(self) -> list[tuple]:
        """The leaves of the result whose cotangents ◀g takes."""
        self.fix([False] * len(self.out), [False] * len(self.places))
        return [leaf for leaf, d in zip(self.out, self.dout) if d]

    def summed(self) -> list[tuple]:
        """The leaves of the params whose sums ◀g takes."""
        return [place for place, s in zip(self.places, self.sums) if s]

    def take(self, g: Graph, types: list) -> dict[int, Param]:
        """Let ``g`` take the params of ▶ that ◀ takes, of these types. Returns them by index."""
        return {i: g.add_param("given", types[i]) for i in self.given}

    def call(self, b: Builder, back: Node, first: list, params: list, answer=None) -> Node:
        """Call ◀, or the ◀ before it in its region, with ``first`` and params of ▶. ``answer`` is the
        type of what it gives, where that is not as this convention says.
        """
        args = [*first, *[params[i] for i in self.given]]
        return b.emit(back, args, answer or self.answer)

    def returned(self) -> list[tuple]:
        """The leaves of the params whose cotangents ◀g returns."""
        return [place for place, w in zip(self.places, self.wanted) if w]


class Adjoint:
    """▶ and ◀ of a graph, whose bodies are made later.

    Attributes:
        again: whether this is what ◀ of a recomputed graph runs.
        forward: ▶g.
        fronts: ▶m for the graphs m of the region; for g it is ▶g itself if no other calls it.
    """

    def __init__(self, activity: Activity, region: TailRegion, convention: Convention, again: bool):
        self.activity, self.region, self.convention = activity, region, convention
        self.graph, self.again, self.forward = region.graph, again, dual_graph(region.graph)
        self.fronts, self._types = {}, {}
        for m in region.tails:
            self.fronts[m] = self.forward
            if m is not self.graph or region.returns:
                self.fronts[m] = dual_graph(m)
                self.fronts[m].add_param("back", self.continuation(m))

    def continuation(self, m: Graph) -> AbstractFunction:
        """The type of what takes the cotangents of the params of ``m``; graphs that stand in one
        switch share it.
        """
        if m not in self._types:
            kind = continuation(m.name)
            self._types.update(dict.fromkeys(self.activity.alternatives(m), kind))
        return self._types[m]

    def carried(self, m: Graph) -> list[tuple]:
        """The leaves of the params of ``m`` whose cotangents ◀m gives: (param, path, type)."""
        active = self.activity.params[m]
        return leaves_of([p for i, p in enumerate(m.params) if i in active])


def dual_graph(g: Graph) -> Graph:
    """▶g without a body."""
    forward = Graph("▶" + g.name, g.loc)
    forward.has_effect = g.has_effect
    for p in g.params:
        forward.add_param(p.name, dual_abstract(p.abstract), p.loc)
    return forward

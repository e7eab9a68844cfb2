"""Walks over graphs: what is reachable, what is free, what recurs, what has effects.

Each is one sweep over the nodes with explicit stacks; nothing here is kept up to date
incrementally, callers ask again after they have changed something. "Reachable" follows callees,
graphs in constant arguments, and custom gradients (``flags["bprop"]``).
"""

from __future__ import annotations

from . import prim
from .abstract import STACK
from .node import Apply, Constant, Graph, Node, Param, _count

MENTIONING = frozenset((Graph, Apply, Constant, Param, prim.Structural))
"""The classes of callees whose applies may mention graphs: an op has none among its operands."""


_NODES = frozenset((Apply, Constant, Param))


def referred(n: Apply):
    """The graphs that ``n`` mentions, as callee and as constant arguments."""
    if n.fn.__class__ is Graph:
        yield n.fn
    for a in n.operands:
        if a.__class__ is Constant and a.value.__class__ is Graph:
            yield a.value


def children(g: Graph) -> dict[Graph, None]:
    """The graphs that ``g`` mentions, each once, in program order."""
    found: dict[Graph, None] = {}
    n = g.head
    while n is not None:
        fn = n.fn
        if fn.__class__ not in MENTIONING:
            n = n.next
            continue
        if fn.__class__ is Graph:
            found[fn] = None
        elif fn.__class__ is Constant and fn.value.__class__ is Graph:
            found[fn.value] = None
        for a in n.args:
            if a.__class__ is Constant and a.value.__class__ is Graph:
                found[a.value] = None
        n = n.next
    if g.ret is not None:
        out = g.ret.args[0]
        if out.__class__ is Constant and out.value.__class__ is Graph:
            found[out.value] = None
    if "bprop" in g.flags:
        found[g.flags["bprop"]] = None
    return found


def call_map(root: Graph) -> dict[Graph, dict[Graph, None]]:
    """Every graph reachable from ``root``, in depth-first order, with the graphs it mentions."""
    seen: dict[Graph, dict] = {}
    stack = [root]
    while stack:
        g = stack.pop()
        if g in seen:
            continue
        seen[g] = below = children(g)
        stack.extend(reversed(below))
    return seen


def graphs(root: Graph) -> list[Graph]:
    """``root`` and every graph reachable from it, in depth-first order."""
    return list(call_map(root))


def components(calls: dict[Graph, dict[Graph, None]]) -> list[list[Graph]]:
    """The strongly connected components of a call map, callees before callers (Tarjan, with an
    explicit stack).
    """
    index: dict[Graph, int] = {}
    low: dict[Graph, int] = {}
    on_stack, path, out = set(), [], []
    for start in calls:
        if start in index:
            continue
        work = [(start, iter(calls[start]))]
        index[start] = low[start] = len(index)
        path.append(start)
        on_stack.add(start)
        while work:
            g, rest = work[-1]
            for h in rest:
                if h not in index:
                    index[h] = low[h] = len(index)
                    path.append(h)
                    on_stack.add(h)
                    work.append((h, iter(calls[h])))
                    break
                if h in on_stack:
                    low[g] = min(low[g], index[h])
            else:
                work.pop()
                if work:
                    up = work[-1][0]
                    low[up] = min(low[up], low[g])
                if low[g] == index[g]:
                    at = _position(path, g)
                    out.append(path[at:])
                    on_stack.difference_update(path[at:])
                    del path[at:]
    return out


def _position(path: list, g: Graph) -> int:
    """Where ``g`` stands on the path, searched from its end, since components are popped there."""
    at = len(path) - 1
    while path[at] is not g:
        at -= 1
    return at


def recursive(root: Graph, calls: dict | None = None) -> set[Graph]:
    """The graphs that can reach themselves (a loop's header and body among them)."""
    calls = call_map(root) if calls is None else calls
    return {g for c in components(calls) for g in c if len(c) > 1 or g in calls[g]}


def reaching(primitive, calls: dict[Graph, dict[Graph, None]]) -> set[Graph]:
    """The graphs from which an apply of ``primitive`` can be reached."""
    found: set[Graph] = set()
    for group in components(calls):
        if any(not found.isdisjoint(calls[g]) or any(n.fn is primitive for n in g) for g in group):
            found.update(group)
    return found


def free_variables(
    root: Graph, calls: dict | None = None, joined: dict | None = None
) -> dict[Graph, dict[Node, None]]:
    """The free variables of each reachable graph, those of the graphs it mentions included, in
    order of discovery.

    ``joined`` maps a graph to graphs that are to get whatever it has free (branches of one switch
    share their lists). The work is the sum of the answers' sizes times the number of mentions, plus
    one sweep.
    """
    calls = call_map(root) if calls is None else calls
    mentioned_by: dict[Graph, list[Graph]] = {g: [] for g in calls}
    for g, below in calls.items():
        for h in below:
            mentioned_by[h].append(g)
    free: dict[Graph, dict[Node, None]] = {}
    work = []
    for g in calls:
        free[g] = own = {}
        n = g.head
        while n is not None:
            for a in n.args:
                if a.graph is not g and a.graph is not None:
                    own[a] = None
            if isinstance(n.fn, Node) and n.fn.graph is not g and n.fn.graph is not None:
                own[n.fn] = None
            n = n.next
        if g.ret is not None and g.ret.args[0].graph not in (g, None):
            own[g.ret.args[0]] = None
        work += [(g, v) for v in own]
    work.reverse()
    while work:
        g, v = work.pop()
        for h in mentioned_by[g] + list(joined.get(g, ()) if joined else ()):
            if v.graph is not h and v not in free[h]:
                free[h][v] = None
                work.append((h, v))
    return free


def graph_of(n: Node) -> Graph | None:
    """The graph that ``n`` names, if it is a constant graph."""
    return n.value if n.__class__ is Constant and n.value.__class__ is Graph else None


def targets(fn) -> list[Graph] | None:
    """The graphs that a callee may be: followed through switch and partial; None where it cannot be
    told.
    """
    out, stack = [], [fn]
    while stack:
        f = stack.pop()
        if f.__class__ is Graph:
            out.append(f)
        elif f.__class__ is Constant and f.value.__class__ is Graph:
            out.append(f.value)
        elif f.__class__ is Apply and f.fn is prim.switch:
            stack += (f.args[2], f.args[1])
        elif f.__class__ is Apply and f.fn is prim.partial:
            stack.append(f.args[0])
        else:
            return None
    return out


def applied(f: Node) -> tuple[Graph | None, list[Node]]:
    """The graph that a function value is a partial application of, None where it cannot be told,
    and what it captured.
    """
    captured: list[Node] = []
    while f.__class__ is Apply and f.fn is prim.partial:
        captured[:0] = f.args[1:]
        f = f.args[0]
    return graph_of(f), captured


def is_call(n: Apply) -> bool:
    """Whether ``n`` calls a graph or a function value."""
    return n.fn.__class__ is Graph or isinstance(n.fn, Node)


def is_called_switch(n: Node) -> bool:
    """Whether ``n`` is a switch of graphs that is only called, where it stands."""
    return (
        n.__class__ is Apply
        and n.fn is prim.switch
        and all(map(graph_of, n.args[1:]))
        and all(u.fn is n and u.graph is n.graph and n not in u.args for u in n.uses)
    )


def direct_targets(fn) -> list[Graph] | None:
    """The graphs that a callee is known to be: itself, or the branches of a switch that is only
    called.
    """
    if fn.__class__ is Graph:
        return [fn]
    if is_called_switch(fn):
        return [graph_of(a) for a in fn.args[1:]]
    g = graph_of(fn)
    return None if g is None else [g]


def tail_call(g: Graph) -> tuple[Apply | None, list[Graph]]:
    """The call in tail position, and what it may call."""
    n = g.tail
    if n is None or g.output is not n or not is_call(n):
        return None, []
    return n, direct_targets(n.fn) or []


def mark_effects(root: Graph, calls: dict | None = None) -> None:
    """Set ``has_effect`` of every reachable graph: it, or something it calls, has an effect; an
    unknown callee has one.
    """
    calls = call_map(root) if calls is None else calls
    called_by: dict[Graph, list[Graph]] = {g: [] for g in calls}
    work = []
    for g in calls:
        dirty = False
        n = g.head
        while n is not None:
            cls = n.fn.__class__
            if cls is Graph or cls in _NODES:
                callees = targets(n.fn)
                if callees is None:
                    dirty = dirty or n.fn.abstract is not STACK
                else:
                    for h in callees:
                        called_by.setdefault(h, []).append(g)
            elif n.fn.has_effect:
                dirty = True
            n = n.next
        g.has_effect = dirty
        if dirty:
            work.append(g)
    while work:
        for g in called_by[work.pop()]:
            if not g.has_effect:
                g.has_effect = True
                work.append(g)


def effectful(n: Apply) -> bool:
    """Whether ``n`` must stay: like ``n.has_effect``, but sees through switch and partial. Needs
    `mark_effects`.
    """
    if not isinstance(n.fn, Node):
        return n.fn.has_effect
    callees = targets(n.fn)
    if callees is None:
        return n.fn.abstract is not STACK
    return any(g.has_effect for g in callees)


def bury(dead: Graph) -> list[Graph]:
    """Drop the uses that an unreachable graph makes of others. Returns the graphs that lost a
    caller.
    """
    lost = []
    n = dead.head
    while n is not None:
        lost += referred(n)
        _count(n, -1)
        n.graph = None
        n = n.next
    if dead.ret is not None:
        lost += referred(dead.ret)
        _count(dead.ret, -1)
        dead.ret.graph = None
    dead.head = dead.tail = dead.ret = None
    return lost


def bury_unreachable(before: list[Graph], root: Graph) -> list[Graph]:
    """Bury those of ``before`` that a step left unreachable, so that they no longer count as
    callers and users. Returns the graphs that are reachable.
    """
    now = call_map(root)
    for g in before:
        if g not in now and g.ret is not None:
            bury(g)
    return list(now)

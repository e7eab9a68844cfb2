"""Which params of which graphs gradients flow to: what ◀ of a graph with several callers, or of a loop, has
to care for.

A node is active if a wanted value reaches it on a differentiable path. The sets of params grow from the J
sites through calls until nothing changes; a graph is swept again only when one of its params was added. A
graph used as a value is taken to be active in all.
"""
from __future__ import annotations

from collections import deque

from ..ir import prim, walk
from ..ir.node import Apply, Graph, Node
from .zeros import has_function, leaves


def is_called_switch(n: Node) -> bool:
    """Whether ``n`` is a switch of graphs that is only called."""
    return (
        n.__class__ is Apply
        and n.fn is prim.switch
        and all(map(walk.graph_of, n.args[1:]))
        and all(u.fn is n and n not in u.args for u in n.uses)
    )


def direct_targets(fn) -> list[Graph] | None:
    """The graphs that a callee is known to be: itself, or the branches of a switch that is only called."""
    if fn.__class__ is Graph:
        return [fn]
    if is_called_switch(fn):
        return [walk.graph_of(a) for a in fn.args[1:]]
    g = walk.graph_of(fn)
    return None if g is None else [g]


def op_flows(n: Apply, active: set) -> bool:
    """Whether the op ``n`` passes gradients from its results to an operand."""
    return not n.fn.nondiff and any(a in active for a in n.args) and bool(leaves(n.abstract))


def call_flows(n: Apply, targets: list[Graph] | None, active: set) -> bool:
    """Whether the call ``n`` must be one of ▶: gradients flow, or functions pass, whose form is another
    there.
    """
    return (
        targets is None
        or has_function(n.abstract)
        or any(a in active or has_function(a.abstract) for a in n.args)
    )


def active_params(sites: list[tuple[Graph, set[int]]]) -> dict[Graph, set[int]]:
    """For each graph that J reaches from the sites, given with their wanted params, the indices of its active
    params.
    """
    found: dict[Graph, set[int]] = {}
    linked: dict[Graph, set[Graph]] = {}
    work: deque[Graph] = deque()

    def grow(g: Graph, indices: set[int]) -> None:
        stack = [g]
        while stack:
            h = stack.pop()
            have = found.get(h)
            if have is None or not indices <= have:
                found[h] = indices | (have or set())
                work.append(h)
                stack += linked.get(h, ())

    for g, indices in sites:
        grow(g, indices)
    while work:
        g = work.popleft()
        if "bprop" not in g.flags:
            _sweep(g, {g.params[i] for i in found[g]}, grow, linked, found)
    return found


def _sweep(g: Graph, active: set, grow, linked: dict, found: dict) -> None:
    """Spread activity over the applies of ``g``; ``grow`` what it calls."""
    for n in (*g, g.ret):
        called = n.fn.__class__ is Graph or isinstance(n.fn, Node)
        targets = direct_targets(n.fn) if called else None
        if called and call_flows(n, targets, active):
            active.add(n)
            _pass_on(n, targets or (), active, grow, linked, found)
        elif n.fn.__class__ is prim.Structural:
            if n.fn not in (prim.load, prim.assign) and any(a in active for a in n.args):
                active.add(n)
        elif not called and op_flows(n, active):
            active.add(n)
        if not is_called_switch(n):
            for h in filter(None, map(walk.graph_of, n.args)):
                grow(h, set(range(len(h.params))))


def _pass_on(n: Apply, targets, active: set, grow, linked: dict, found: dict) -> None:
    if len(targets) == 2:
        f, h = targets
        linked.setdefault(f, set()).add(h)
        linked.setdefault(h, set()).add(f)
    indices = {i for i, a in enumerate(n.args) if a in active or has_function(a.abstract)}
    for h in targets:
        indices |= found.get(h, set())
    for h in targets:
        grow(h, indices)

"""Params that nothing reads: afterwards no graph takes one that is only handed on.

A param is read if something else than a call that hands it on uses it, or if what it is handed on as is
read. So a loop carries nothing that no iteration looks at, and a backpropagator is given nothing that it
does not use. Graphs that are called at the same places, by a switch or as continuations of one type, keep
the same params. A graph that is any other value, or that has its own gradient, keeps all.
"""

from __future__ import annotations

from typing import NamedTuple

from ..ir import prim, walk
from ..ir.abstract import is_continuation
from ..ir.node import Apply, Graph, Node, set_args


class CalledTogether(NamedTuple):
    """Graphs that are called at the same places, and these."""

    graphs: dict[Graph, None]
    sites: dict[Apply, None]


def drop_unread(root: Graph, calls: dict) -> None:
    """Drop the params that nothing reads, and what is passed for them."""
    groups = _groups(root, calls) if len(calls) > 1 else []
    at = {n: k for k, group in enumerate(groups) for n in group.sites}
    places = {
        p: (k, i)
        for k, group in enumerate(groups)
        for g in group.graphs
        for i, p in enumerate(g.params)
    }
    handed: dict[tuple, list] = {}
    for n, k in at.items():
        for i, a in enumerate(n.args):
            if a in places:
                handed.setdefault((k, i), []).append(places[a])
    read = {place for p, place in places.items() if any(n not in at or n.fn is p for n in p.uses)}
    work = list(read)
    while work:
        new = set(handed.get(work.pop(), ())) - read
        read |= new
        work += new
    for k in {k for k, _ in places.values()} if len(read) < len(set(places.values())) else ():
        for n in groups[k].sites:
            set_args(n, [a for i, a in enumerate(n.args) if (k, i) in read])
        for g in groups[k].graphs:
            g.params[:] = [p for i, p in enumerate(g.params) if (k, i) in read]


def _groups(root: Graph, calls: dict) -> list[CalledTogether]:
    """The graphs of which all calls are known."""
    continued: dict[object, list[Apply]] = {}
    for g in calls:
        for n in g:
            if isinstance(n.fn, Node) and is_continuation(n.fn.abstract):
                continued.setdefault(n.fn.abstract, []).append(n)
    uses = {g: _uses(g) for g in calls}
    made: dict[object, list[Graph]] = {}
    for g, (_, _, kinds) in uses.items():
        for kind in kinds:
            made.setdefault(kind, []).append(g)
    kept = {h for g in calls if "bprop" in g.flags for h in (g, g.flags["bprop"])} | {root}
    found, seen = [], set()
    for g in calls:
        group, stack, known = CalledTogether({}, {}), [g] if g not in seen else [], True
        while stack:
            h = stack.pop()
            if h in group.graphs:
                continue
            group.graphs[h] = None
            sites, mates, kinds = uses.get(h, (None, (), ()))
            known = known and sites is not None and h not in kept
            group.sites.update(dict.fromkeys(sites or ()))
            stack += mates
            for kind in kinds:
                group.sites.update(dict.fromkeys(continued.get(kind, ())))
                stack += made[kind]
        seen.update(group.graphs)
        if known and group.graphs:
            found.append(group)
    return found


def _uses(g: Graph) -> tuple:
    """(the calls of ``g`` itself, or None if it is a value that anybody may call; the graphs that stand
    in switches with it; the types of the continuations that it is).
    """
    sites: list[Apply] = []
    mates: list[Graph] = []
    kinds: dict = {}
    for n in g.callers:
        types = [a.abstract for a in n.args if walk.graph_of(a) is g]
        if walk.is_called_switch(n):
            sites += n.uses
            mates += map(walk.graph_of, n.args[1:])
        elif n.fn is prim.partial or not all(map(is_continuation, types)):
            return None, (), ()
        else:
            kinds.update(dict.fromkeys(types))
            sites += [n] if n.fn is g else []
    return sites, mates, kinds

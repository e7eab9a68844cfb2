"""The step ``rest``, before closures are lifted: where a call may return a value that its caller
uses too, and the order of their cotangents matters (`alias.critical`), the rest of the caller
becomes a graph that the callee calls instead of returning.

    y = switch(c, f, g)()        ->      switch(c, f, g)(), where f() = rest(x), g() = rest(2 * x)
    ... x ... y ...                      rest(y): ... x ... y ...

Then the two are arguments of one call, and ◀ gives arguments that are the same value one sum
(`Pair.alias`). The callee's graphs on the way out are changed in place where nobody else calls
them, else copied.
"""

from __future__ import annotations

from ..ir import prim, walk
from ..ir.abstract import AbstractFunction, AbstractTuple
from ..ir.build import Builder, as_node
from ..ir.clone import copies
from ..ir.node import Apply, Graph, Node, move, replace, set_args, set_fn
from .activity import direct_targets
from .alias import Uses, critical
from .zeros import has_function

ROOM = 4
"""Continuations take what they see as arguments, all together at most so many per apply of the
program: then its size stays linear.
"""


def rest(root: Graph, options=None) -> Graph:
    """Give critical calls their continuations."""
    calls = walk.call_map(root)
    # A batch may go both ways of a condition: then what follows would be run twice.
    batched = _below(calls, prim.vmap)
    inside = [g for g in _below(calls, prim.J) if g not in batched]
    if not inside:
        return root
    free = walk.free_variables(root, calls)
    uses = Uses(inside, free)
    left = ROOM * sum(1 for g in inside for _ in g)
    for g in reversed(inside):
        for n in critical(g, uses):
            k = _split(n)
            if k is not None:
                free[k] = seen = _seen(k, free)
                for user in k.callers:
                    free.setdefault(user.graph, {}).update(seen)
                left -= len(seen)
            if left < 0:
                return root
    return root


def _seen(k: Graph, free: dict) -> dict[Node, None]:
    """The free variables of a continuation, whose own continuation is known already."""
    found: dict[Node, None] = {}
    for n in (*k, k.ret):
        found.update((a, None) for a in n.operands if a.graph not in (k, None))
        for h in walk.referred(n):
            found.update((v, None) for v in free.get(h, ()) if v.graph is not k)
    return found


def _below(calls: dict, transformation) -> dict[Graph, None]:
    """The graphs that can be reached from a function that J or vmap transforms."""
    roots = []
    for g in calls:
        for n in g:
            if n.fn is transformation:
                f = n.args[0]
                while f.__class__ is Apply and f.fn is prim.partial:
                    f = f.args[0]
                roots.append(walk.graph_of(f))
    found: dict[Graph, None] = {}
    stack = [g for g in roots if g is not None]
    while stack:
        g = stack.pop()
        if g not in found:
            found[g] = None
            stack += calls[g]
    return found


def _split(n: Apply) -> Graph | None:
    """Make what follows the call ``n`` its continuation, unless that cannot be; returns that
    graph.
    """
    g, way = n.graph, _way_out(n)
    moved = _functions_behind(n) if way is not None else None
    if moved is None:
        return None
    others = {h for _, h in _other_mentions(n, way)}
    if any(v.graph in way for h in others for v in walk.free_variables(h)[h]):
        return None
    if others:
        way = _copied(n, way)
    k = Graph(f"{g.name}:rest", n.loc)
    k.has_effect = g.has_effect
    value = _params(Builder(k, loc=n.loc), n.abstract)
    m = n.next
    while m is not None:
        moved.append(m)
        m = m.next
    for m in moved:
        move(m, k)
    replace(n, value)
    k.output = g.output
    _return_through(n, way, k)
    return k


def _params(b: Builder, a) -> Node:
    """A value of type ``a`` from new params of the graph of ``b``, one per leaf."""
    if isinstance(a, AbstractTuple):
        return b.make_tuple([_params(b, item) for item in a.items])
    return b.graph.add_param(f"r{len(b.graph.params)}", a, b.loc)


def _tail(g: Graph) -> Apply | None:
    """The call that ``g`` ends with."""
    out = g.output
    called = out.__class__ is Apply and (out.fn.__class__ is Graph or isinstance(out.fn, Node))
    return out if called and out is g.tail and direct_targets(out.fn) is not None else None


def _way_out(n: Apply) -> list[Graph] | None:
    """The graphs through which the call ``n`` returns; None where they cannot be given another way
    out.
    """
    found: dict[Graph, None] = {}
    stack = list(direct_targets(n.fn))
    while stack:
        g = stack.pop()
        if g.ret is None or g.flags:
            return None
        if g not in found:
            found[g] = None
            call = _tail(g)
            stack += direct_targets(call.fn) if call is not None else ()
    below = {h for g in found for h in walk.graphs(g)}
    return None if n.graph in below else list(found)


def _functions_behind(n: Apply) -> list[Apply] | None:
    """The function values made before ``n`` that only what follows uses; None where there are
    others.
    """
    behind: set = set()
    m = n.next
    while m is not None:
        behind.add(m)
        m = m.next
    moved: dict[Apply, None] = {}
    for m in (*behind, n.graph.ret):
        for a in m.operands:
            if a.uses is None or a is n or a in behind or not has_function(a.abstract):
                continue
            made = (
                a.__class__ is Apply
                and a.fn in (prim.switch, prim.J, prim.vmap)
                and a.graph is n.graph
            )
            if not made or not behind.issuperset(a.uses):
                return None
            moved[a] = None
    return list(moved)


def _other_mentions(n: Apply, way: list[Graph]) -> list[tuple]:
    """(apply, graph) where one of the graphs is mentioned other than by the call ``n`` and by tail
    calls.
    """
    calls = [n, *(call for call in map(_tail, way) if call is not None)]
    own = {*calls, *(call.fn for call in calls if _is_switch(call) and len(call.fn.uses) == 1)}
    return [(u, g) for g in way for u in g.callers if u not in own]


def _is_switch(call: Apply) -> bool:
    return call.fn.__class__ is Apply


def _copied(n: Apply, way: list[Graph]) -> list[Graph]:
    """Copies of the graphs, which ``n`` calls instead; what these call elsewhere returns as
    before.
    """
    new = copies(way)
    if _is_switch(n):
        s = n.fn
        f, h = [new[g] for g in direct_targets(s)]
        set_fn(n, Builder(n.graph, n, s.loc).switch(s.args[0], f, h))
        if not s.uses:
            s.graph.remove(s)
    else:
        set_fn(n, new[direct_targets(n.fn)[0]])
    old = {new[g]: g for g in way}
    for u, g in _other_mentions(n, list(old)):
        if u.fn is g:
            set_fn(u, old[g])
        set_args(u, [as_node(old[g]) if walk.graph_of(a) is g else a for a in u.args])
    return list(old)


def _return_through(n: Apply, way: list[Graph], k: Graph) -> None:
    """Let the graphs call ``k`` with what they returned, and the graph of ``n`` return what ``n``
    gives.
    """
    calls = [n]
    for g in way:
        g.has_effect |= k.has_effect
        call = _tail(g)
        if call is None:
            b = Builder(g, loc=g.output.loc)
            g.output = b.call(k, _leaves(b, g.output))
        else:
            calls.append(call)
    for call in calls:
        call.abstract = k.ret.abstract
        call.graph.output = call
    for call in calls:
        if _is_switch(call):
            s = call.fn
            set_args(s, (s.args[0], *map(as_node, direct_targets(s))))
            s.abstract = AbstractFunction(tuple(direct_targets(s)))
            s.abstract.signature[1] = k.ret.abstract


def _leaves(b: Builder, v: Node) -> list[Node]:
    """The leaves of a value, in the order of `_params`."""
    if not isinstance(v.abstract, AbstractTuple):
        return [v]
    return [leaf for i in range(len(v.abstract.items)) for leaf in _leaves(b, b.getitem(v, i))]


__all__ = ["rest"]

"""Lambda lifting: afterwards no graph has free variables.

What a graph has free becomes its first parameters. A call of the graph passes them; where the graph
is a value (returned, put into a tuple, given to J, passed on) it becomes ``partial(graph,
captured…)``. The two graphs of a switch that is called get the same captured parameters, the union of
what they need, so that it can be called with either; a graph that is also used elsewhere stands in such a
switch through a wrapper. A custom gradient gets the captured parameters of its graph.
"""

from __future__ import annotations

from ..ir import prim, walk
from ..ir.abstract import AbstractFunction
from ..ir.build import as_node, calling
from ..ir.node import Apply, Constant, Graph, Node, Param, set_args, set_fn
from .continuations import continuations
from .unread import drop_unread


def close(graph: Graph, options=None) -> Graph:
    """Remove all free variables from the program."""
    calls = walk.call_map(graph)
    drop_unread(graph, calls)
    free = walk.free_variables(graph, calls)
    return continuations(_lifted(graph, calls, free) if any(free.values()) else graph)


def _lifted(graph: Graph, calls: dict, free: dict) -> Graph:
    for g in calls:
        for n in g:
            if n.fn is prim.switch:
                _separate(n, free)
    calls = walk.call_map(graph)
    joined: dict[Graph, list[Graph]] = {}
    for g in calls:
        if "bprop" in g.flags:
            _join(joined, g, g.flags["bprop"])
        for n in g:
            if walk.is_called_switch(n):
                _join(joined, *map(walk.graph_of, n.args[1:]))
    free = walk.free_variables(graph, calls, joined)
    assert not free[graph], f"{graph!r}: free variables at the root: {list(free[graph])}"
    lift = _Lift(free)
    for g in calls:
        lift.rewrite(g)
    for g in calls:
        g.params[:0] = lift.params.get(g, {}).values()
    return graph


def _join(joined: dict, f: Graph, h: Graph) -> None:
    joined.setdefault(f, []).append(h)
    joined.setdefault(h, []).append(f)


def _separate(n: Apply, free: dict) -> None:
    """Prepare a switch of closures that is called where it stands, where what is captured can be passed:
    another switch is the value that it is elsewhere, and its graphs are its own, lest what they capture
    would have to agree with other places where they stand.
    """
    f, h = map(walk.graph_of, n.args[1:])
    calls = [u for u in n.uses if u.fn is n and u.graph is n.graph and n not in u.args]
    if not calls or f is None or h is None or not (free[f] or free[h]):
        return
    if len(calls) < len(n.uses):
        value = n.graph.insert(Apply(prim.switch, n.args, n.abstract, n.loc), n.next)
        for u in [u for u in n.uses if u not in calls]:
            set_args(u, [value if a is n else a for a in u.args])
            if u.fn is n:
                set_fn(u, value)
    own = [
        a
        if g.callers == {n: 1} and "bprop" not in g.flags
        else Constant(calling(g), a.abstract, a.loc)
        for a, g in zip(n.args[1:], (f, h))
    ]
    set_args(n, (n.args[0], *own))


class _Lift:
    """Rewrites one graph at a time, given everyone's free variables."""

    def __init__(self, free: dict):
        order: dict[Node, int] = {}
        for vs in free.values():
            for v in vs:
                order.setdefault(v, len(order))
        self.free = {g: sorted(vs, key=order.__getitem__) for g, vs in free.items()}
        self.params: dict[Graph, dict[Node, Param]] = {
            g: {v: Param(_name(v), v.abstract, g, v.loc) for v in vs}
            for g, vs in self.free.items()
            if vs
        }

    def rewrite(self, g: Graph) -> None:
        own = self.params.get(g, {})
        n = g.head
        while n is not None:
            after = n.next
            self._apply(g, n, own)
            n = after
        self._apply(g, g.ret, own)

    def _captured(self, h: Graph, own: dict) -> list[Node]:
        """What to pass for the free variables of ``h``, seen from a graph whose own ones are
        ``own``.
        """
        return [own.get(v, v) for v in self.free[h]]

    def _apply(self, g: Graph, n: Apply, own: dict) -> None:
        if not own and n.fn.__class__ not in walk.MENTIONING:
            return
        if walk.is_called_switch(n):
            if n.args[0] in own:
                set_args(n, (own[n.args[0]], *n.args[1:]))
            captured = self._captured(walk.graph_of(n.args[1]), own)
            for user in list(n.uses) if captured else ():
                set_args(user, (*captured, *user.args))
            return
        args, front = [], []
        for i, a in enumerate(n.args):
            h = walk.graph_of(a)
            if h is not None and self.free.get(h):
                captured = self._captured(h, own)
                if n.fn is prim.partial and i == 0:
                    front = captured
                else:
                    place = n if n is not g.ret else None
                    a = g.insert(
                        Apply(
                            prim.partial, (a, *captured), a.abstract or as_node(h).abstract, n.loc
                        ),
                        place,
                    )
            elif a in own:
                a = own[a]
            args.append(a)
        if front:
            args[1:1] = front
        fn, h = n.fn, n.fn if n.fn.__class__ is Graph else None
        if isinstance(fn, Node):
            h = walk.graph_of(fn)
            fn = h or own.get(fn, fn)
        if h is not None and self.free.get(h):
            args[:0] = self._captured(h, own)
        if fn is not n.fn:
            set_fn(n, fn)
        if len(args) != len(n.args) or any(a is not b for a, b in zip(args, n.args)):
            set_args(n, args)


def _name(v: Node) -> str:
    """A name for the parameter that stands for ``v``."""
    if v.__class__ is Param:
        return v.name
    if isinstance(v.abstract, AbstractFunction):
        return "back" if v.abstract.key.__class__ is tuple and v.abstract.key[0] == "back" else "fn"
    return "item" if v.fn is prim.tuple_getitem else getattr(v.fn, "name", "value").strip("◀▶_")

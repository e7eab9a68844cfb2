"""What values may be one tensor at run time, and where that matters to the bits of a gradient.

A *place* is a node and a path of indices into it, seen through tuples (`resolve`). The result of a
call may be what the callee was given, or what it sees: its `origins`. The eager tape has one sum of
cotangents for a tensor, whatever its names; ◀ has one for each place. Where two places may be one
tensor, adding up each by itself and then both gives other roundings than adding all in reverse
program order, unless one of them has a single contribution that comes last.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..ir import prim, walk
from ..ir.node import Apply, Constant, Graph, Node, Param
from .activity import direct_targets
from .leaf import resolve
from .zeros import leaves

MOST = 64
"""A place with more origins is not followed."""


@dataclass
class Use:
    """The contributions to a place behind a position, in the order in which ◀ makes them: how many,
    and when the first and the last one.
    """

    count: int
    first: int
    last: int

    def add(self, count: int, at: int) -> None:
        self.count, self.first, self.last = (
            self.count + count,
            min(self.first, at),
            max(self.last, at),
        )


def order_matters(a: Use, b: Use) -> bool:
    """Whether the sum of one place and that of another differ from the sum of all in order."""
    if a.count == b.count == 1:
        return False
    return not (a.last < b.first and b.count == 1 or b.last < a.first and a.count == 1)


def places(v: Node) -> list[tuple]:
    """The places of the differentiable leaves of a value."""
    return [resolve(v, path) for path, _ in leaves(v.abstract)] if v.abstract is not None else []


def origins(place: tuple) -> set[tuple]:
    """The places that ``place`` may be, itself included; itself only where they are too many."""
    found, stack = {place}, [place]
    while stack:
        v, path = stack.pop()
        for near in _before(v, path):
            if near not in found and near[0].__class__ is not Constant:
                found.add(near)
                stack.append(near)
                if len(found) > MOST:
                    return {place}
    return found


def _before(v: Node, path: tuple):
    """The places whose value a place takes without an op."""
    if v.__class__ is Param:
        at = v.graph.params.index(v)
        return [resolve(u.args[at], path) for u in _calls(v.graph) if at < len(u.args)]
    if v.__class__ is Apply and (v.fn.__class__ is Graph or isinstance(v.fn, Node)):
        return [resolve(g.output, path) for g in direct_targets(v.fn) or () if g.ret is not None]
    return ()


def _calls(g: Graph) -> list[Apply]:
    """The calls of ``g`` that can be seen."""
    found: list = []
    for u in g.callers:
        if u.fn is g or walk.graph_of(u.fn) is g:
            found.append(u)
        elif u.fn is prim.switch:
            found += [c for c in u.uses if c.fn is u]
    return found


class Uses:
    """How values are used, in the graphs that are differentiated.

    Args:
        inside: these graphs.
        free: the free variables of every graph.
    """

    def __init__(self, inside: list[Graph], free: dict[Graph, dict]):
        self.free = free
        self._summed: set[tuple] = set()
        self._links: dict[tuple, set] = {}
        for g in inside:
            for n, after in self.backward(g):
                self._note(g, n, after)

    def backward(self, g: Graph):
        """Each apply of ``g``, last first, with the uses behind it by place (one dict, which
        grows).
        """
        after: dict[tuple, Use] = {}
        at = 0
        for place in places(g.output):
            _use(after, place, 1, at)
        for n in g.reversed():
            yield n, after
            for place, count in self._contributions(n):
                at += 1
                _use(after, place, count, at)

    def _contributions(self, n: Apply):
        """The places that an apply adds to, and how often: two for more than once."""
        if n.fn in (prim.make_tuple, prim.tuple_getitem):
            return
        structural = n.fn.__class__ in (Graph, prim.Structural) or isinstance(n.fn, Node)
        if not structural and n.fn.nondiff:
            return
        for a in n.operands:
            for place in places(a):
                yield place, 2 if structural else 1
        for h in walk.referred(n):
            for v in self.free.get(h, ()):
                for place in places(v):
                    yield place, 2

    def _note(self, g: Graph, n: Apply, after: dict) -> None:
        """Which params and free variables have a sum already when ◀ of what ``n`` calls is
        called.
        """
        for h in walk.referred(n):
            for v in self.free.get(h, ()):
                self._summed.update(p for p in places(v) if p in after)
        for h in (
            (direct_targets(n.fn) or ())
            if n.fn.__class__ is Graph or isinstance(n.fn, Node)
            else ()
        ):
            for p, a in zip(h.params, n.args):
                for path, _ in leaves(p.abstract):
                    place = resolve(a, path)
                    if place in after:
                        self._summed.add((p, path))
                    elif place[0].__class__ is Param or place[0].graph is not g:
                        self._links.setdefault((p, path), set()).add(place)

    def outside(self, place: tuple) -> bool:
        """Whether a place has a sum that comes from outside of the graph in which it is used."""
        seen, stack = {place}, [place]
        while stack:
            p = stack.pop()
            if p in self._summed:
                return True
            stack += self._links.get(p, set()) - seen
            seen |= self._links.get(p, set())
        return False


def _use(after: dict, place: tuple, count: int, at: int) -> None:
    have = after.get(place)
    if have is None:
        after[place] = Use(count, at, at)
    else:
        have.add(count, at)


def critical(g: Graph, uses: Uses) -> list[Apply]:
    """The calls in ``g`` whose result may be another value that is used too, so that the order
    matters; last first.
    """
    found: dict[Apply, None] = {}
    known: dict[tuple, list] = {}  # origin → places behind that it may be
    for n, after in uses.backward(g):
        if not (n.fn.__class__ is Graph or isinstance(n.fn, Node)) or direct_targets(n.fn) is None:
            continue
        for path, _ in leaves(n.abstract):
            y = n, path
            if y not in after:
                continue
            for x in origins(y):
                if x is not y and x != y and _clash(uses, g, after, x, after[y]):
                    found[n] = None
                for z in known.get(x, ()):
                    if order_matters(after[z], after[y]):
                        found[n] = found[z[0]] = None
                known.setdefault(x, []).append(y)
    return [n for n in g.reversed() if n in found]


def _clash(uses: Uses, g: Graph, after: dict, x: tuple, y: Use) -> bool:
    """Whether the order of what ``x`` and a result that may be ``x`` get matters."""
    have = after.get(x)
    if have is None:
        have = Use(0, y.last + 1, -1)
    outer = (x[0].__class__ is Param or x[0].graph is not g) and uses.outside(x)
    use = Use(have.count, have.first, have.last)
    if outer:
        use.add(1, -1)
    return use.count > 0 and order_matters(use, y)


__all__ = ["Uses", "critical", "origins", "places"]

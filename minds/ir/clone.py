"""Copies of graphs, and substitution of many nodes at once."""

from __future__ import annotations

from . import walk
from .abstract import AbstractFunction
from .node import Apply, Constant, Graph, Node, Param, _count


def substitute(new: dict[Node, Node]) -> list[Apply]:
    """Replace each key by its value everywhere, every user rebuilt once. Returns the users.

    Values are taken as they are: a value that is itself a key is not followed.
    """
    users: dict[Apply, None] = {}
    for old in new:
        users.update(old.uses)
    get = new.get
    for n in users:
        _count(n, -1)
        if isinstance(n.fn, Node):
            n.fn = get(n.fn, n.fn)
        n.args = tuple([get(a, a) for a in n.args])
        _count(n, 1)
    return list(users)


def nested(roots: list[Graph]) -> list[Graph]:
    """``roots`` and the graphs reachable from them that use, directly or not, a node of one of
    these: what a copy must copy.
    """
    calls: dict[Graph, dict] = {}
    stack = list(roots)
    while stack:
        g = stack.pop()
        if g not in calls:
            calls[g] = walk.children(g)
            stack.extend(reversed(calls[g]))
    inside, order = set(roots), list(roots)
    if len(calls) == len(inside):
        return order
    free = walk.free_variables(roots[0], calls)
    grew = True
    while grew:
        grew = False
        for g in calls:
            if g not in inside and any(v.graph in inside for v in free[g]):
                inside.add(g)
                order.append(g)
                grew = True
    return order


class Cloner:
    """Copies the graphs ``roots`` with the closures nested in them; what they mention of each other
    is redirected.

    ``nodes`` and ``graphs`` map old to new; seed ``nodes`` with what params are to become. In a
    ``closed`` program nothing is nested, and nobody looks.
    """

    def __init__(
        self, roots: list[Graph], nodes: dict[Node, Node] | None = None, closed: bool = False
    ):
        self.nodes = {} if nodes is None else nodes
        self.graphs: dict[Graph, Graph] = {}
        self.order = list(roots) if closed else nested(roots)
        self._late: list[tuple] = []

    def shells(self, skip: Graph | None = None) -> None:
        """Make the new graphs with their params (not for ``skip``, whose body goes elsewhere)."""
        for g in self.order:
            if g is skip:
                continue
            self.graphs[g] = h = Graph(g.name, g.loc)
            h.has_effect = g.has_effect
            for p in g.params:
                q = Param(p.name, p.abstract, h, p.loc, p.default)
                h.params.append(q)
                self.nodes[p] = q

    def copy(self, n: Apply) -> Apply:
        """A copy of ``n`` with operands as far as they are known; unknown ones are filled in by
        `finish`.
        """
        nodes, missing, args = self.nodes, False, []
        for a in n.args:
            b = nodes.get(a)
            if b is None:
                b = a
                if a.__class__ is Constant:
                    if a.value.__class__ is Graph and a.value in self.graphs:
                        b = self._constant(a)
                elif a.graph in self.graphs or a.__class__ is Apply:
                    missing = True
            args.append(b)
        fn = n.fn
        if fn.__class__ is Graph:
            fn = self.graphs.get(fn, fn)
        elif isinstance(fn, Node):
            b = nodes.get(fn)
            if b is None:
                missing = True
            else:
                fn = b
        m = Apply(fn, args, n.abstract, n.loc)
        nodes[n] = m
        if missing:
            self._late.append(m)
        return m

    def _constant(self, c: Constant) -> Constant:
        """A constant of the copied graph."""
        g = self.graphs[c.value]
        abstract = c.abstract
        if isinstance(abstract, AbstractFunction) and abstract.key is c.value:
            fresh = AbstractFunction(g)
            fresh.signature[:] = abstract.signature
            abstract = fresh
        return Constant(g, abstract, c.loc)

    def value(self, n: Node) -> Node:
        """What became of an operand."""
        if n.__class__ is Constant and n.value.__class__ is Graph and n.value in self.graphs:
            return self._constant(n)
        return self.nodes.get(n, n)

    def body(self, g: Graph, to: Graph, before: Apply | None = None) -> list[Apply]:
        """Copy the applies of ``g`` into ``to``."""
        made = []
        n = g.head
        while n is not None:
            made.append(to.insert(self.copy(n), before))
            n = n.next
        return made

    def finish(self) -> None:
        """Fill in operands that were copied after their users (closures that look back into their
        parent).
        """
        get = self.nodes.get
        for m in self._late:
            _count(m, -1)
            if isinstance(m.fn, Node):
                m.fn = get(m.fn, m.fn)
            m.args = tuple([get(a, a) for a in m.args])
            _count(m, 1)


def copies(roots: list[Graph]) -> dict[Graph, Graph]:
    """Copies of ``roots`` and of the closures nested in them, by what they are copies of."""
    c = Cloner(roots)
    c.shells()
    for g in c.order:
        c.body(g, c.graphs[g])
    c.finish()
    for g in c.order:
        h = c.graphs[g]
        if g.ret is not None:
            h.output = c.value(g.output)
            h.ret.abstract, h.ret.loc = g.ret.abstract, g.ret.loc
        h.flags = dict(g.flags)
        if "bprop" in h.flags:
            h.flags["bprop"] = c.graphs.get(h.flags["bprop"], h.flags["bprop"])
    return c.graphs


def clone(root: Graph, closed: list[Graph] | None = None) -> Graph:
    """A copy of ``root`` and of the closures nested in it; a graph it mentions that stands alone is
    shared.

    Args:
        closed: further graphs to copy although they stand alone (`copy_program` passes all).
    """
    return copies([root, *(g for g in closed or () if g is not root)])[root]


def copy_program(root: Graph) -> Graph:
    """A copy of ``root`` and everything reachable from it."""
    return clone(root, walk.graphs(root))

"""Nodes and graphs.

A `Graph` is a list of `Apply` nodes in program order (an intrusive doubly linked list, so
insertion, removal and moving a range are O(1) per node), some `Param`s and one result. Program
order is the order of effects; an apply is alive if it is used or has an effect. An argument that
belongs to another graph is a free variable; a graph with one is a closure.
The result is the argument of ``ret``, an apply of `prim.return_` that stands outside the list, so a
result is a use like any other.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..base.errors import CompileTimeError, ambiguous, complain, needing, no_scalar
from . import prim


class Node:
    """Base of nodes. ``uses`` counts, per Apply, how often it has this node as function or
    argument.
    """

    __slots__ = ("abstract", "graph", "loc", "uses", "__weakref__")

    def __init__(self, abstract, graph, loc):
        self.abstract, self.graph, self.loc, self.uses = abstract, graph, loc, {}

    # What gradient rules and composites ask of their operands, tensors and nodes alike.
    shape = property(lambda self: self.abstract.shape)
    dtype = property(lambda self: self.abstract.dtype)
    ndim = property(lambda self: len(self.abstract.shape))
    size = property(lambda self: self.abstract.size)

    def __bool__(self) -> bool:
        """A node has no truth: Python code that is run while compiling must not decide by it."""
        if _several(self.abstract):
            raise ambiguous(self.abstract)
        raise self._undecided("the truth of a run-time value is needed while compiling")

    def __int__(self) -> int:
        """Nor is it a number then."""
        raise self._unknown("int")

    def __float__(self) -> float:
        raise self._unknown("float")

    def _unknown(self, kind: str) -> Exception:
        if _several(self.abstract):
            return no_scalar(self.abstract, kind)
        return self._undecided(f"a run-time value is needed while compiling, by {kind}()")

    def __eq__(self, other) -> bool:
        """Nodes are equal to themselves. Whether one is a known number is no question either: False
        would choose a way silently.
        """
        if type(other) in _NUMBERS:
            if _several(self.abstract):
                raise ambiguous(self.abstract)
            raise self._undecided(f"whether a run-time value is {other} is asked while compiling")
        return True if self is other else NotImplemented

    __hash__ = object.__hash__

    def _undecided(self, what: str) -> Exception:
        cure = "let compiled code decide: in a function that it calls"
        return needing(complain(CompileTimeError, what, cure=cure), [self])


_NUMBERS = frozenset((bool, int, float))


def _several(abstract) -> bool:
    """Whether that is a tensor which is known to have no or several elements."""
    size = getattr(abstract, "size", 1)
    return type(size) is int and size != 1


class Param(Node):
    """A parameter of a graph."""

    __slots__ = ("name", "default")

    def __init__(self, name: str, abstract, graph, loc=None, default=None):
        super().__init__(abstract, graph, loc)
        self.name, self.default = name, default

    def __repr__(self) -> str:
        return f"%{self.name}"


class Constant(Node):
    """A value known at compile time: Python value, Tensor, Graph. It belongs to no graph and keeps
    no uses.
    """

    __slots__ = ("value",)

    def __init__(self, value, abstract=None, loc=None):
        self.abstract, self.graph, self.loc, self.uses = abstract, None, loc, None
        self.value = value

    def __repr__(self) -> str:
        return f"Constant({self.value!r})"


class Apply(Node):
    """The application of ``fn`` (an op, a `Graph` or a `Node`) to ``args`` (nodes). MindSpore calls
    it CNode.
    """

    __slots__ = ("fn", "args", "prev", "next")

    def __init__(self, fn, args, abstract=None, loc=None):
        self.abstract, self.graph, self.loc, self.uses = abstract, None, loc, {}
        self.fn, self.args, self.prev, self.next = fn, tuple(args), None, None

    @property
    def operands(self) -> tuple:
        """The arguments, after the callee where that is a node."""
        return (self.fn, *self.args) if isinstance(self.fn, Node) else self.args

    @property
    def has_effect(self) -> bool:
        """Whether this apply must stay and keep its place even if unused."""
        return self.fn.has_effect if not isinstance(self.fn, Node) else True

    def __repr__(self) -> str:
        return f"<{getattr(self.fn, 'name', self.fn)} {self.abstract!r}>"


class Graph:
    """A function: parameters, applies in program order, and the node it returns.

    ``callers`` counts the applies that mention this graph (as callee or in a Constant argument).
    ``flags``
    holds what passes know of it: ``bprop``, the graph of its own gradient; ``recompute``, that its
        gradient runs
    it again; ``apart``, that it must not be inlined.
    """

    __slots__ = (
        "name",
        "params",
        "ret",
        "head",
        "tail",
        "loc",
        "flags",
        "callers",
        "has_effect",
        "__weakref__",
    )

    def __init__(self, name: str, loc=None):
        self.name, self.params, self.ret, self.loc = name, [], None, loc
        self.head = self.tail = None
        self.flags: dict = {}
        self.callers: dict = {}
        self.has_effect = False

    def __iter__(self) -> Iterator[Apply]:
        """The applies in program order; the current one may be removed while iterating."""
        n = self.head
        while n is not None:
            after = n.next
            yield n
            n = after

    def reversed(self) -> Iterator[Apply]:
        """The applies, last first."""
        n = self.tail
        while n is not None:
            before = n.prev
            yield n
            n = before

    @property
    def output(self) -> Node | None:
        """The node this graph returns; set it to give the graph another result."""
        return None if self.ret is None else self.ret.args[0]

    @output.setter
    def output(self, node: Node) -> None:
        if self.ret is None:
            self.ret = Apply(prim.return_, (node,))
            self.ret.graph = self
            _count(self.ret, 1)
        else:
            set_args(self.ret, (node,))
        self.ret.abstract = node.abstract

    def add_param(self, name: str, abstract, loc=None) -> Param:
        """Append a parameter."""
        p = Param(name, abstract, self, loc)
        self.params.append(p)
        return p

    def __repr__(self) -> str:
        return f"@{self.name}"

    # The list. `Apply.graph` is set by insertion and cleared by removal.

    def insert(self, n: Apply, before: Apply | None = None) -> Apply:
        """Put ``n`` before ``before``, or at the end, and count its uses."""
        assert n.graph is None
        n.graph = self
        n.next = before
        n.prev = before.prev if before is not None else self.tail
        if n.prev is None:
            self.head = n
        else:
            n.prev.next = n
        if before is None:
            self.tail = n
        else:
            before.prev = n
        _count(n, 1)
        return n

    def detach(self, n: Apply) -> None:
        """Take ``n`` out of the list without touching use counts (to insert it elsewhere with
        `attach`).
        """
        if n.prev is None:
            self.head = n.next
        else:
            n.prev.next = n.next
        if n.next is None:
            self.tail = n.prev
        else:
            n.next.prev = n.prev
        n.prev = n.next = n.graph = None

    def clear(self) -> None:
        """Drop every apply and the result, used or not: for a graph that is abandoned with all who
        use it.
        """
        for n in self.reversed():
            _count(n, -1)
        if self.ret is not None:
            _count(self.ret, -1)
        self.head = self.tail = self.ret = None

    def remove(self, n: Apply) -> None:
        """Take ``n`` out of the list and drop its uses of others. Nothing may use ``n``."""
        assert not n.uses, f"{n!r} is still used"
        self.detach(n)
        _count(n, -1)


def _count(n: Apply, by: int) -> None:
    """Add ``by`` to the use counts that ``n`` is responsible for."""
    fn = n.fn
    for a in n.args:
        counts = a.uses
        if counts is None:
            if a.value.__class__ is not Graph:
                continue
            counts = a.value.callers
        _bump(counts, n, by)
    if fn.__class__ is Graph:
        _bump(fn.callers, n, by)
    elif isinstance(fn, Node):
        _bump(fn.value.callers if fn.uses is None else fn.uses, n, by)


def _bump(counts: dict, key, by: int) -> None:
    left = counts.get(key, 0) + by
    if left:
        counts[key] = left
    else:
        del counts[key]


def move(n: Apply, to: Graph, before: Apply | None = None) -> None:
    """Move ``n`` with its uses to another place or graph."""
    n.graph.detach(n)
    _count(n, -1)
    to.insert(n, before)


def set_args(n: Apply, args) -> None:
    """Give ``n`` other arguments."""
    _count(n, -1)
    n.args = tuple(args)
    _count(n, 1)


def set_fn(n: Apply, fn) -> None:
    """Give ``n`` another callee."""
    _count(n, -1)
    n.fn = fn
    _count(n, 1)


def exchange(n: Apply, m: Apply) -> None:
    """Make each of two applies that do not use one another what the other is; their users stay."""
    for a in (n, m):
        _count(a, -1)
    n.fn, n.args, n.abstract, m.fn, m.args, m.abstract = (
        *(m.fn, m.args, m.abstract),
        *(n.fn, n.args, n.abstract),
    )
    for a in (n, m):
        _count(a, 1)


def replace(old: Node, new: Node) -> None:
    """Make every use of ``old`` a use of ``new``. Costs a few pointer moves per operand of the
    users, even wide ones.
    """
    counts = new.uses
    if counts is None:
        counts = new.value.callers if isinstance(new.value, Graph) else {}
    for user, n in list(old.uses.items()):
        if user.fn is old:
            user.fn = new
        user.args = tuple([new if a is old else a for a in user.args])
        counts[user] = counts.get(user, 0) + n
    old.uses.clear()


def is_apply(n, fn=None) -> bool:
    """Whether ``n`` is an Apply (of ``fn``, where given)."""
    return type(n) is Apply and (fn is None or n.fn is fn)

"""The values that a value holds: one view of containers, records and functions.

A function of a call that is over keeps what it sees of that call's variables, and with it the
functions among them, which may see it in turn. All that such functions reach is one *group*: the
frames of the calls, with the variables that are free in some function of the group. In its parts an
`Inner` stands for a function of the group, so that they are finite.
"""

from __future__ import annotations

import types
from collections import deque
from dataclasses import dataclass

from ..base import tree
from ..base.errors import refuse
from ..ir.node import Apply, Constant, Param
from ..tensor import Parameter, Tensor
from .function_types import Bound, Closure, Frame, UnionValue
from .source import free_names
from .value_types import (
    Box,
    Leaf,
    LocalDict,
    LocalList,
    LocalSet,
    Made,
    MadeError,
    MutableDict,
    MutableList,
    MutableTuple,
    RunList,
    Sometimes,
    attributes_of,
    is_made,
    made,
    made_error,
    record,
    said,
)


@dataclass(eq=False)
class Parts:
    """What a value consists of.

    Attributes:
        head: what it is besides its items; values with equal heads differ in their items only.
        items: the values that it holds.
        remake: ``remake(items)`` is a value like it with other items.
    """

    head: tuple
    items: list
    remake: object


PLACES = 20_000
"""A walk that meets so many containers looks whether they are few that hold one another often."""

SHARED = 10
"""A value of many places is refused if a container stands in more than so many on average."""


class Walk:
    """A walk over all places of ``root``: what stands in several is met in each, so that containers
    that hold one another twice, and so on to a depth of thirty, would be met a billion times.
    """

    def __init__(self, root):
        self.root, self.left = root, PLACES

    def parts(self, v) -> Parts | None:
        """`parts` of the next place.

        Raises:
            TypeError: few containers stand in very many places of the root.
        """
        p = parts(v)
        if p is not None:
            self.left -= 1
            if self.left == 0:
                expect_few_places(self.root)
        return p


def expect_few_places(root) -> None:
    """Raise `TypeError` if few containers stand in very many places of ``root``."""
    known: dict[int, tuple] = {}

    def places(v) -> int:
        p = parts(v)
        if p is None:
            return 0
        if id(v) not in known:
            known[id(v)] = (1, v)  # one that holds itself
            known[id(v)] = (1 + sum(map(places, p.items)), v)
        return known[id(v)][0]

    count = places(root)
    if count >= PLACES and count > SHARED * len(known):
        raise refuse(
            TypeError,
            f"{len(known)} lists, tuples, dicts or objects that hold one another stand in {count:,} "
            "places of one value, which is taken apart into all of them",
            cure="hold each of them once, or pass the parts that are needed",
        )


@dataclass(eq=False)
class Inner:
    """In the parts of a group: the function of ``source`` that sees frame number ``at``."""

    source: object
    at: int
    defaults: list
    kw_defaults: list
    name: str


def parts(v) -> Parts | None:
    """The parts of ``v``; None for what holds no values."""
    kind = type(v)
    make = _MAKERS.get(kind)
    if make is not None:
        return make(v)
    if isinstance(v, tuple) and hasattr(v, "_fields"):
        return Parts((kind,), list(v), lambda items: kind(*items))
    held = getattr(kind, "_parts", None)
    if held is not None:
        head, items, remake = held(v)
        return Parts((kind, *head), items, remake)
    if isinstance(v, (BaseException, MadeError)):
        return _error(v)
    if is_made(v):
        kind = v.kind if kind is Made else kind
        return Parts((Made, kind), [attributes_of(v)], lambda items: made(kind, items[0]))
    names = record(v)
    if names is not None:
        return Parts(
            (kind,), [getattr(v, n) for n in names], lambda items: tree.record(kind, names, items)
        )
    return None


def _error(v):
    like = v.like if type(v) is MadeError else v
    held = [v.args, *([attributes_of(v)] if is_made(v) else ())]
    return Parts(
        (type(like), said(like), id(like.__cause__)),
        held,
        lambda items: made_error(like, *items),
    )


def _tuple(v):
    return Parts((tuple, len(v)), list(v), tuple)


def _list(v):
    kind = getattr(v, "kind", None)
    return Parts((list, len(v), kind), list(v), lambda items: LocalList(items, kind))


def _run_list(v):
    kind = v.kind
    return Parts((RunList, kind, *parts(v.held).head), [v.held], lambda items: RunList(items, kind))


def _dict(v):
    keys, kind = tuple(v), getattr(v, "kind", None)
    head = (dict, keys, kind)
    return Parts(head, list(v.values()), lambda items: LocalDict(zip(keys, items), kind))


def _set(v):
    """A set holds nothing that only the run knows: sets with other elements differ in what they are."""
    return Parts((set, frozenset(v)), [], lambda items: LocalSet(v))


def _bound(v):
    return Parts((Bound, id(v.fn), v.name), [v.owner], lambda items: Bound(v.fn, items[0], v.name))


def _method(v):
    """A method of an object that holds values; one of a cell is a function like others."""
    if parts(v.__self__) is None:
        return None
    return Parts(
        (types.MethodType, id(v.__func__)),
        [v.__self__],
        lambda items: types.MethodType(v.__func__, items[0]),
    )


def _choice(v):
    return Parts(
        (UnionValue, len(v.options)),
        [v.selector, *v.options],
        lambda items: UnionValue(tuple(items[1:]), items[0]),
    )


def _function(cls, v, *head):
    """A function in terms of its defaults, ``cls`` being `Closure` or `Inner`."""
    count = len(v.defaults)

    def remake(items):
        return cls(
            v.source, v.frame if cls is Closure else v.at, items[:count], items[count:], v.name
        )

    return Parts((cls, id(v.source.tree), *head), [*v.defaults, *v.kw_defaults], remake)


def _closure(v):
    if v.frame.finished:
        return _Group(v).parts()
    return _function(Closure, v, id(v.frame)) if v.defaults or v.kw_defaults else None


def _sometimes(v):
    return Parts((Sometimes,), [v.known, v.value], lambda items: Sometimes(*items))


def _nothing(v) -> None:
    """What holds no values."""


_MAKERS = {
    **dict.fromkeys((Apply, Constant, Param, Tensor, Parameter, Leaf), _nothing),
    **dict.fromkeys((bool, int, float, str, type(None)), _nothing),
    tuple: _tuple,
    list: _list,
    LocalList: _list,
    Box: _list,
    RunList: _run_list,
    dict: _dict,
    LocalDict: _dict,
    MutableTuple: _tuple,
    MutableList: _list,
    MutableDict: _dict,
    LocalSet: _set,
    Bound: _bound,
    UnionValue: _choice,
    Sometimes: _sometimes,
    types.MethodType: _method,
    Closure: _closure,
    Inner: lambda v: _function(Inner, v, v.at),
}


class _Group:
    """The functions that ``root`` reaches through the variables of calls that are over."""

    def __init__(self, root: Closure):
        self.numbers: dict[int, int] = {}
        self.frames: list[Frame] = []
        self.slots: dict[tuple, object] = {}
        self.work: deque = deque()
        self.root = self.hidden(root)
        while self.work:
            at, name = self.work.popleft()
            self.slots[at, name] = self.hidden(self.frames[at].vars[name])

    def hidden(self, v):
        """``v`` with `Inner`s for its functions."""
        if type(v) is Closure:
            if v.frame.finished:
                at = self._enter(v)
                return Inner(
                    v.source,
                    at,
                    *[[self.hidden(d) for d in ds] for ds in (v.defaults, v.kw_defaults)],
                    v.name,
                )
            if not (v.defaults or v.kw_defaults):
                return v
        return mapped(v, self.hidden)

    def _enter(self, v: Closure) -> int:
        """The number of the frame that ``v`` sees; its free variables are put on the list of work."""
        scope, first = v.frame, None
        while scope is not None and scope.finished:
            at = self.numbers.setdefault(id(scope), len(self.frames))
            if at == len(self.frames):
                self.frames.append(scope)
            first = at if first is None else first
            for name in free_names(v.source.tree):
                if name in scope.vars and (at, name) not in self.slots:
                    self.slots[at, name] = None
                    self.work.append((at, name))
            scope = scope.outer
        return first

    def parts(self) -> Parts:
        places = [(id(f.source.tree), self._outer(f)) for f in self.frames]
        return Parts(
            (Closure, tuple(places), tuple(self.slots)),
            [self.root, *self.slots.values()],
            self.remake,
        )

    def _outer(self, frame: Frame):
        outer = frame.outer
        return (
            ("finished", self.numbers[id(outer)])
            if outer is not None and outer.finished
            else id(outer)
        )

    def remake(self, items: list) -> Closure:
        """The root of a group of new frames that have ``items`` for variables."""
        frames = [
            Frame({}, f.source, f.outer, f.globals, f.cells, f.caller, finished=True)
            for f in self.frames
        ]
        for f in frames:
            if id(f.outer) in self.numbers:
                f.outer = frames[self.numbers[id(f.outer)]]
        known: dict = {}

        def shown(v):
            if type(v) is Closure and v.frame.finished:
                return v  # a function of another group, whose `Inner`s are that group's
            if type(v) is not Inner:
                return mapped(v, shown)
            key = (v.at, v.source.tree, *map(id, v.defaults), *map(id, v.kw_defaults))
            if key not in known:
                known[key] = Closure(
                    v.source,
                    frames[v.at],
                    *[[shown(d) for d in ds] for ds in (v.defaults, v.kw_defaults)],
                    v.name,
                )
            return known[key]

        for (at, name), item in zip(self.slots, items[1:]):
            frames[at].vars[name] = shown(item)
        return shown(items[0])


def mapped(v, change, anew: bool = False):
    """``v`` with ``change`` applied to what it holds; itself where nothing changes, unless made ``anew``."""
    p = parts(v)
    if p is None:
        return v
    items = [change(e) for e in p.items]
    return v if not anew and all(a is b for a, b in zip(items, p.items)) else p.remake(items)

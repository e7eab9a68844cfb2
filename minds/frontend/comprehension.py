"""Comprehensions and generator expressions.

A list, set or dict comprehension is computed where it stands, its variables bound only meanwhile. A
generator expression is an iterator: it computes an element when that is taken, with the variables
around it as they are then.
"""

from __future__ import annotations

from dataclasses import replace

import gast

from ..base.errors import CompileTimeError, complain, needing
from ..ir.node import Node
from .access import END, SPENT, Iterated
from .compare import as_key
from .expr import expr
from .iterators import iterator, turns
from .scalars import truth
from .source import Source, bound_names
from .stmt import assign
from .store import Bindings
from .values import LocalDict, LocalList, LocalSet, Missing


@expr(gast.ListComp)
def _list(ip, node):
    return LocalList(_comprehension(ip, node, lambda: ip.eval(node.elt)))


@expr(gast.SetComp)
def _set(ip, node):
    return LocalSet(
        _comprehension(ip, node, lambda: as_key(ip, ip.eval(node.elt), "an element of a set"))
    )


@expr(gast.DictComp)
def _dict(ip, node):
    return LocalDict(
        _comprehension(ip, node, lambda: (as_key(ip, ip.eval(node.key)), ip.eval(node.value)))
    )


@expr(gast.GeneratorExp)
def _generator(ip, node):
    return Generated(node, ip.frames[-1], iterator(ip, ip.eval(node.generators[0].iter)))


def _own_source(node, outer) -> Source:
    """The scope of a comprehension: its targets."""
    names = frozenset(bound_names([g.target for g in node.generators]))
    return Source(node, outer.source.file, outer.source.name, names)


def _comprehension(ip, node, element) -> list:
    """The elements of a comprehension. Functions made in it see its variables, in a frame of their
    own.
    """
    outer, first = ip.frames[-1], ip.eval(node.generators[0].iter)
    if not any(isinstance(n, (gast.Lambda, gast.GeneratorExp)) for n in gast.walk(node)):
        names = bound_names([g.target for g in node.generators])
        hidden = {n: outer.vars.get(n, _ABSENT) for n in names}
        out = _elements(ip, node, first, element)
        for name, value in hidden.items():
            if value is _ABSENT:
                outer.vars.pop(name, None)
            else:
                outer.vars[name] = value
        return out
    own = replace(
        outer,
        vars=Bindings(ip.store),
        source=_own_source(node, outer),
        outer=outer,
        depth=ip.nested,
    )
    ip.frames.append(own)
    try:
        return _elements(ip, node, first, element)
    finally:
        own.finished = True
        ip.frames.pop()


_ABSENT = object()


def _elements(ip, node, first, element) -> list:
    """The elements, with the targets bound while they are computed."""
    out: list = []

    def level(i: int, iterable) -> None:
        g = node.generators[i]
        for item in turns(ip, iterable):
            assign(ip, g.target, item)
            if not _passes(ip, g):
                continue
            if i + 1 < len(node.generators):
                level(i + 1, ip.eval(node.generators[i + 1].iter))
            else:
                out.append(element())

    level(0, first)
    return out


def _passes(ip, generator) -> bool:
    """Whether the conditions behind a `for` hold."""
    for condition in generator.ifs:
        test = truth(ip, ip.eval(condition))
        if isinstance(test, Node):
            raise needing(
                complain(
                    CompileTimeError,
                    "the length of a comprehension depends on a run-time value",
                    cure="multiply by the condition, or use ops.select",
                ),
                [test],
            )
        if not test:
            return False
    return True


class Generated(Iterated):
    """A generator expression. Its variables live in a frame of their own, and in its state between
    turns.

    Args:
        node: the expression. outer: the frame that it stands in. first: the iterator of its first
            `for`.
    """

    __slots__ = ("frame", "node")

    def __init__(self, node, outer, first):
        source = _own_source(node, outer)
        unset = {
            n: Missing(NameError, f"{n!r} has no value yet", "")
            for n in [*sorted(source.assigned), *map(_level, range(1, len(node.generators)))]
        }
        super().__init__((), **unset, **{_level(0): first}, at=0)
        self.node, self.frame = node, replace(outer, vars={}, source=source, outer=outer, loop=None)

    @staticmethod
    def _parts(v) -> tuple:
        def remake(items):
            new = Iterated.of_state(Generated, (), items[0])
            new.node, new.frame = v.node, v.frame
            return new

        return (id(v.node), id(v.frame)), [v.state], remake

    def advance(self, ip):
        level, frame = self.place(ip), self.frame
        if level < 0:
            return END
        frame.vars, frame.finished = Bindings(ip.store, self.state), False
        frame.depth = ip.nested
        ip.frames.append(frame)
        try:
            level = self._turn(ip, frame.vars, level)
            value = END if level < 0 else ip.eval(self.node.elt)
        finally:
            frame.finished = True
            ip.frames.pop()
        ip.touch(self.state)
        self.state.update({**frame.vars, "at": level})
        return value

    def _turn(self, ip, vars: dict, level: int) -> int:
        """Bind the variables of the next element: the number of the innermost `for`, or SPENT at
        the end.
        """
        generators = self.node.generators
        while level >= 0:
            item = vars[_level(level)].advance(ip)
            if item is END:
                level -= 1
                continue
            assign(ip, generators[level].target, item)
            if not _passes(ip, generators[level]):
                continue
            if level == len(generators) - 1:
                return level
            level += 1
            vars[_level(level)] = iterator(ip, ip.eval(generators[level].iter))
        return SPENT


def _level(k: int) -> str:
    """The name of the iterator of a generator expression's `for` number ``k``."""
    return f"<for {k}>"


__all__ = ["Generated"]

"""Comprehensions, generator expressions and the generator functions of `polyfills`.

Each is statements with `yield`: a comprehension is the nest of loops that it abbreviates. They are
run up to a `yield`, and go on behind it when the next element is taken; between two elements, the
variables and the place are the generator's state.
"""

from __future__ import annotations

from dataclasses import replace

import gast

from ..base.errors import CompileTimeError, complain, needing
from ..base.kept import remembered
from ..ir.node import Node
from . import desugar
from .compare import as_key
from .emit import Bottom
from .expr import expr
from .iterated import END, SPENT, Iterated, expect_few
from .iterators import iterator, sequence
from .registry import emits
from .scalars import truth
from .source import Source, bound_names, contains, nodes_in, source_of
from .stmt import assign
from .store import Bindings
from .values import Frame, LocalDict, LocalList, LocalSet, Missing

loops = remembered(desugar.loops)


@expr(gast.ListComp)
def _list(ip, node):
    return LocalList(_elements(ip, node))


@expr(gast.SetComp)
def _set(ip, node):
    return LocalSet([as_key(ip, v, "an element of a set") for v in _elements(ip, node)])


@expr(gast.DictComp)
def _dict(ip, node):
    return LocalDict([(as_key(ip, k), v) for k, v in _elements(ip, node)])


@expr(gast.GeneratorExp)
def _generator(ip, node):
    outer, body = ip.frames[-1], loops(node)
    first = {_place(body[0]): iterator(ip, ip.eval(node.generators[0].iter))}
    source = Source(node, outer.source.file, outer.source.name, frozenset(_names(node)))
    return Generated(replace(outer, vars={}, source=source, outer=outer, loop=None), body, first)


def _names(node) -> set:
    """The variables of a comprehension."""
    return bound_names([g.target for g in node.generators])


def _elements(ip, node) -> list:
    """The elements; variables that functions see are in a frame of their own."""
    if any(isinstance(n, (gast.Lambda, gast.GeneratorExp)) for n in nodes_in(node)):
        return _generator(ip, node).take_all(ip)
    body, frame, found = loops(node), ip.frames[-1], []
    value = ip.eval(node.generators[0].iter)
    first = iterator(ip, sequence(ip, value) if type(value) is range else value)
    names = _names(node) | {_place(s) for s in nodes_in(body[0]) if isinstance(s, gast.For)}
    hidden = {n: frame.vars.pop(n) for n in names if n in frame.vars}
    frame.vars[_place(body[0])] = first
    run(ip, body, _FIRST, found)
    for n in names:
        frame.vars.pop(n, None)
    frame.vars.update(hidden)
    return found


# ---- running up to a `yield`

_FIRST = (0,)
"""The way to the first loop of a comprehension, whose iterator is there."""


@remembered
def _steers(statement: gast.AST) -> bool:
    """Whether a statement must be run here: it may reach a `yield`, or the end of a loop."""
    return contains([statement], (gast.Yield, gast.Break, gast.Continue, gast.Return))


def run(ip, statements: list, way: tuple = (), found: list | None = None):
    """Run ``statements``, from behind the `yield` to which ``way`` leads, if any.

    Args:
        found: gets the elements; None where they are taken one by one.
    Returns:
        None at the end; (way, element) at a `yield`; else the statement that leaves a loop.
    """
    for at in range(way[0] if way else 0, len(statements)):
        s, inner = statements[at], way[1:] if way else None
        way = ()
        if not _steers(s):
            ip.run(s)
            if not ip.live:
                raise Bottom
            continue
        left = _STEPS[type(s)](ip, s, inner, found)
        if type(left) is tuple:
            return (at, *left[0]), left[1]
        if left is not None:
            return left
    return None


def _yield(ip, s, inner, found):
    if inner is not None:
        return None
    element = ip.eval(s.value.value)
    if found is None:
        return (), element
    found.append(element)
    expect_few(found)
    return None


def _if(ip, s, inner, found):
    if inner:
        at, *inner = inner
    else:
        at, inner = 0 if _holds(ip, s.test) else 1, ()
    left = run(ip, (s.body, s.orelse)[at], tuple(inner), found)
    return ((at, *left[0]), left[1]) if type(left) is tuple else left


def _for(ip, s, inner, found):
    vars, place = ip.frames[-1].vars, _place(s)
    if inner is None:
        vars[place] = iterator(ip, ip.eval(s.iter))

    def bound() -> bool:
        item = vars[place].advance(ip)
        if item is not END:
            assign(ip, s.target, item)
        return item is not END

    return _repeat(ip, s, inner, found, bound)


def _while(ip, s, inner, found):
    return _repeat(ip, s, inner, found, lambda: _holds(ip, s.test))


def _repeat(ip, s, inner, found, goes_on):
    while inner or goes_on():
        left = run(ip, s.body, inner or (), found)
        inner = ()
        if left is not None and not isinstance(left, gast.Continue):
            return None if isinstance(left, gast.Break) else left
    return None


_STEPS = {gast.Expr: _yield, gast.If: _if, gast.For: _for, gast.While: _while}
_STEPS.update(dict.fromkeys((gast.Break, gast.Continue, gast.Return), lambda ip, s, *_: s))


def _holds(ip, condition) -> bool:
    test = truth(ip, ip.eval(condition))
    if isinstance(test, Node):
        what = "the length of a comprehension depends on a run-time value"
        cure = "multiply by the condition, or use ops.select"
        raise needing(complain(CompileTimeError, what, cure=cure), [test])
    return test


def _place(s: gast.For) -> str:
    """The variable that holds the iterator of a loop."""
    return f"<for {s.target.lineno}:{s.target.col_offset}>"


# ---- generators as values


@remembered
def _ways(first: gast.AST) -> list:
    """The ways to the `yield`s where generators with this first statement stood, by number."""
    return [(), _FIRST]


def _number(first: gast.AST, way: tuple) -> int:
    ways = _ways(first)
    if way not in ways:
        ways.append(way)
    return ways.index(way)


class Generated(Iterated):
    """A generator: a function with `yield` that has been called, or a generator expression.

    Args:
        frame: its activation. body: its statements. bound: the variables that it starts with.
    """

    __slots__ = ("body", "frame")

    def __init__(self, frame, body: list, bound: dict):
        unset = {
            n: Missing(NameError, f"{n!r} has no value yet", "") for n in frame.source.assigned
        }
        places = {_place(n): None for s in body for n in nodes_in(s) if isinstance(n, gast.For)}
        at = int(frame.outer is not None)  # of an expression, behind the first iterator
        super().__init__({**places, **unset, **bound, "<at>": at})
        self.frame, self.body = frame, body

    @property
    def around(self):
        """The frame whose variables it sees besides its own."""
        return self.frame.outer

    def copy_at(self, state):
        new = super().copy_at(state)
        new.frame, new.body = self.frame, self.body
        return new

    @staticmethod
    def _parts(v) -> tuple:
        return (id(v.body[0]), id(v.around)), [v.state], lambda items: v.copy_at(items[0])

    def advance(self, ip):
        left = None if self.place(ip) < 0 else self._run(ip, None)
        return left[1] if type(left) is tuple else END

    def take_all(self, ip) -> list:
        found: list = []
        if self.place(ip) >= 0:
            self._run(ip, found)
        return found

    def _run(self, ip, found):
        frame, first = self.frame, self.body[0]
        frame.vars, frame.finished = Bindings(ip.store, self.state), False
        frame.depth = ip.flow.nested
        frame.region = ip.frames[-1].region
        way = _ways(first)[self.state["<at>"]]
        ip.frames.append(frame)
        try:
            left = run(ip, self.body, way, found)
        finally:
            frame.finished = True
            ip.frames.pop()
        at = _number(first, left[0]) if type(left) is tuple else SPENT
        ip.touch(self.state)
        self.state.update({**frame.vars, "<at>": at})
        return left


def generator(*functions):
    """Register a generator function that stands for functions of Python. Its parameters
    ``iterable`` and ``*iterables`` are iterators from the start.
    """

    def register(fn):
        def emit(ip, *args, **kwargs):
            source = source_of(fn)
            vars: dict = {}
            frame = Frame(vars, source, None, fn.__globals__, {}, ip.here())
            defaults = list((fn.__kwdefaults__ or {}).values())
            ip.bind(frame, fn.__name__, list(args), kwargs, list(fn.__defaults__ or ()), defaults)
            if "iterable" in vars:
                vars["iterable"] = iterator(ip, vars["iterable"])
            if "iterables" in vars:
                vars["iterables"] = tuple([iterator(ip, v) for v in vars["iterables"]])
            return Generated(frame, source.tree.body, vars)

        return emits(fn, *functions)(emit) and fn

    return register

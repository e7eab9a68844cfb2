"""Comprehensions, generator expressions and the generator functions of `polyfills`.

Each is statements with `yield`: a comprehension is the nest of loops that it abbreviates. They are
run up to a `yield`, and go on behind it when the next element is taken; between two elements, the
variables and the place are the generator's state.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial

import gast

from ..base.errors import CompileTimeError, ParseError, complain, needing
from ..base.kept import remembered
from ..ir.node import Node
from . import desugar, handlers, yields
from .access import getattr_
from .compare import as_key
from .describe import describe
from .driven import collect
from .emit import Bottom
from .flow import Region, inside
from .function_types import Frame, Missing
from .iterated import END, SPENT, Iterated, expect_few
from .iterators import iterator, sequence
from .matching import known_case
from .polyfills.contexts import close
from .raises import throw
from .region import trial, undo
from .registry import EMITTERS, EXPR, emits, expr, method
from .scalars import truth
from .source import Source, bound_names, source_of
from .stmt import assign, instance_of
from .store import Bindings
from .text import plain_class
from .value_types import LocalDict, LocalList, LocalSet, Thrown
from .variables import share
from .walks import contains, nodes_in, steers

loops = remembered(desugar.loops)


@expr(gast.GeneratorExp)
def _generator(ip, node, whole: bool = False):
    outer, body = ip.frames[-1], loops(node)
    value = ip.eval(node.generators[0].iter)
    if whole and type(value) is range:
        value = sequence(ip, value)  # which refuses what is too long before the first turn
    first = {_place(body[0]): iterator(ip, value)}
    source = Source(node, outer.source.file, outer.source.name, frozenset(_names(node)))
    frame = replace(outer, vars={}, source=source, outer=outer, loop=None)
    return Generated(frame, body, first, _EXPRESSION)


@expr(gast.ListComp)
def _list(ip, node):
    """A list; of which only the run knows the length where data choose its elements."""
    start = trial(ip)
    try:
        return LocalList(_generator(ip, node, True).take_all(ip))
    except CompileTimeError:
        undo(ip, start)
    frame, (place, loop) = ip.frames[-1], _collecting(node)
    hidden = {n: frame.vars.pop(n) for n in _names(node) if n in frame.vars}
    frame.vars[place] = LocalList()
    ip.run(loop)
    for n in _names(node):
        frame.vars.pop(n, None)
    frame.vars.update(hidden)
    return frame.vars.pop(place)


@remembered
def _collecting(node) -> tuple:
    """(variable, the loop that appends the elements of a comprehension to the list in it)."""
    place = f"<list {node.lineno}:{node.col_offset}>"
    (loop,) = desugar.loops(node)
    inner = loop
    while not isinstance(inner.body[0], gast.Expr):
        inner = inner.body[0]
    append = gast.Attribute(desugar.load(place), "append", gast.Load())
    inner.body = [gast.Expr(gast.Call(append, [node.elt], []))]
    return place, desugar.placed(loop, node)


EXPR[gast.SetComp] = lambda ip, node: LocalSet(
    [as_key(ip, v, "an element of a set") for v in _generator(ip, node, True).take_all(ip)]
)
EXPR[gast.DictComp] = lambda ip, node: LocalDict(
    [(as_key(ip, k), v) for k, v in _generator(ip, node, True).take_all(ip)]
)


def _names(node) -> set:
    """The variables of a comprehension."""
    return bound_names([g.target for g in node.generators])


@expr(gast.Yield)
@expr(gast.YieldFrom)
def _inside(ip, node):
    raise _misplaced("a handler, or of what may not be computed,")


def _misplaced(where: str) -> Exception:
    what = f"'yield' inside of {where} is not supported in compiled code"
    return complain(ParseError, what, cure="assign its value to a variable in a statement before")


# ---- running up to a `yield`


@remembered
def _is_run_here(s: gast.AST) -> bool:
    """Whether a statement must be run here: it may reach a `yield`, or leave a loop around it."""
    return contains([s], (gast.Yield, gast.Return)) or steers(s, (gast.Break, gast.Continue))


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
        if not _is_run_here(s):
            ip.run(s)
            continue
        step = _STEPS.get(type(s))
        if step is None:
            raise _misplaced(type(s).__name__.lower())
        left = step(ip, s, inner, found)
        if type(left) is tuple:
            return (at, *left[0]), left[1]
        if left is not None:
            return left
    return None


def _yield(ip, s, inner, found):
    if not isinstance(s.value, gast.Yield):
        return ip.run(s)  # refused: a part that may not be computed
    if inner is None:
        element = ip.eval(s.value.value)
        if found is None:
            return (), element
        found.append(element)
        expect_few(found)
    sent = ip.frames[-1].vars.get(_SENT)
    if sent is not None:  # to this `yield`, not to those behind it
        ip.frames[-1].vars[_SENT] = None
    if isinstance(sent, Thrown):
        sent = _handed_on(ip, ip.frames[-1].vars.get(getattr(s, "delegates", None)), sent)
    for target in getattr(s, "targets", ()):
        assign(ip, target, sent)
    return None


@dataclass
class _Given:
    """What a generator that was raised in has given: that of ``yield from``."""

    element: object


def _handed_on(ip, source, thrown):
    """Raise what was thrown at a `yield`; at that of ``yield from source`` in the generator ``source``."""
    if isinstance(source, Generated):
        if not issubclass(plain_class(thrown.error), GeneratorExit):
            return _Given(_thrown(ip, source, thrown.error))
        _close(ip, source)
    throw(ip, thrown.error, thrown.place)
    raise Bottom


def _part(ip, statements: list, number: int, way: tuple, found):
    """`run` of one of the blocks of a statement."""
    left = run(ip, statements, way, found)
    return ((number, *left[0]), left[1]) if type(left) is tuple else left


def _if(ip, s, inner, found):
    at, *way = inner or (0 if _holds(ip, s.test) else 1,)
    return _part(ip, (s.body, s.orelse)[at], at, tuple(way), found)


def _match(ip, s, inner, found):
    at, *way = inner or (known_case(ip, s, lambda test: _known(ip, test)),)
    return None if at is None else _part(ip, s.cases[at].body, at, tuple(way), found)


def _for(ip, s, inner, found):
    vars, place = ip.frames[-1].vars, _place(s)
    if inner is None:
        vars[place] = iterator(ip, ip.eval(s.iter))

    def bound() -> bool:
        item = vars[place].advance(ip)
        if item is not END:
            assign(ip, s.target, item)
        return item is not END

    def closing(*body):
        leave = partial(ip.call, close, [vars[place]], {})
        left = handlers.finishing(ip, f"{place} left", lambda: _part(*body), lambda v: v, leave)
        if isinstance(_going_on(ip, left), (gast.Break, gast.Return)):
            leave()
        return left

    finishes = isinstance(s.iter, gast.Call) and vars[place].finishes
    return _repeat(ip, s, inner, found, bound, closing if finishes else _part)


def _while(ip, s, inner, found):
    return _repeat(ip, s, inner, found, lambda: _holds(ip, s.test))


def _repeat(ip, s, inner, found, goes_on, part=_part):
    if inner and inner[0]:
        return _part(ip, s.orelse, 1, inner[1:], found)
    inner = inner and inner[1:]
    while inner or goes_on():
        left = part(ip, s.body, 0, inner or (), found)
        inner = ()
        if left is not None and not isinstance(left, gast.Continue):
            return None if isinstance(left, gast.Break) else left
    return _part(ip, s.orelse, 1, (), found)


def _try(ip, s, inner, found):
    number, *way = inner or (0,)
    way = tuple(way)
    if number in _PENDING:
        left = _part(ip, s.finalbody, number, way, found)
        return left if left is not None or number == 2 else _PENDING[number]()

    def body():
        return _part(ip, s.body, 0, way, found)

    def orelse(left, way=()):
        return _part(ip, s.orelse, 1, way, found) if left is None else left

    def final(left):
        if type(left) is tuple:
            return left
        number = next(k for k, kind in _PENDING.items() if isinstance(left, kind))
        last = _part(ip, s.finalbody, number, (), found)
        return left if last is None else last

    def rest():
        return orelse(None, way)

    def handle(handler, way=()):
        return _part(ip, handler.body, 3 + s.handlers.index(handler), way, found)

    if number > 2:
        again = partial(handlers.handled, ip, s.handlers[number - 3], partial(handle, way=way))
        return _going_on(ip, handlers.finally_(ip, s, again, final))
    parts = (body, orelse) if number == 0 else (rest, lambda left: left)
    return _going_on(ip, handlers.protected(ip, s, *parts, final, handle))


_PENDING = {2: type(None), -1: gast.Return, -2: gast.Break, -3: gast.Continue}
"""The number of the way into a `finally`, by the statement that it is entered with."""


def _with(ip, s, inner, found):
    if inner is None:
        handlers.enter(ip, s)
    way = tuple(inner[1:]) if inner else ()
    return _going_on(ip, handlers.entered(ip, s, lambda: _part(ip, s.body, 0, way, found)))


def _going_on(ip, left):
    if not ip.live:
        raise Bottom
    return left


def _return(ip, s, inner, found):
    if s.value is not None:
        ip.frames[-1].vars[_RESULT] = ip.eval(s.value)
    return s


_SENT, _RESULT = "<sent>", "<result>"
"""Where a generator has what was sent to it, and what it returns."""

_STEPS = {gast.If: _if, gast.For: _for, gast.While: _while, gast.Try: _try, gast.Return: _return}
_STEPS.update({gast.With: _with, gast.Match: _match})
_STEPS.update(dict.fromkeys((gast.Expr, gast.Assign), _yield))
_STEPS.update(dict.fromkeys((gast.Break, gast.Continue), lambda ip, s, *_: s))


def _holds(ip, condition) -> bool:
    return _known(ip, truth(ip, ip.eval(condition)))


def _known(ip, test) -> bool:
    """``test``, on which depends where a generator goes on."""
    if isinstance(test, Node):
        what = "the length of a comprehension depends on a run-time value"
        cure = "multiply by the condition, or use ops.select"
        if yields.is_generator(ip.frames[-1].source.tree):
            what = "whether a generator yields here depends on a run-time value"
            cure = "loop over it with a for statement that has no break, or collect the values in a list"
        raise needing(complain(CompileTimeError, what, cure=cure), [test])
    return test


def _place(s: gast.For) -> str:
    """The variable that holds the iterator of a loop."""
    return f"<for {s.target.lineno}:{s.target.col_offset}>"


# ---- generators as values


_EXPRESSION = 1
"""The number of the way to the first loop of a comprehension, whose iterator is there."""


@remembered
def _ways(first: gast.AST) -> list:
    """The ways to the `yield`s where generators with this first statement stood, by number."""
    return [(), (0, 0)]


def _number(first: gast.AST, way: tuple) -> int:
    ways = _ways(first)
    if way not in ways:
        ways.append(way)
    return ways.index(way)


class Generated(Iterated):
    """A generator: a function with `yield` that has been called, or a generator expression.

    Args:
        frame: its activation. body: its statements. bound: the variables that it starts with.
        at: the number of the way to where it starts.
    """

    def __init__(self, frame, body: list, bound: dict, at: int = 0):
        unset = {
            n: Missing(NameError, f"{n!r} has no value yet", "") for n in frame.source.assigned
        }
        places = {_place(n): None for s in body for n in nodes_in(s) if isinstance(n, gast.For)}
        super().__init__({_SENT: None, _RESULT: None, **places, **unset, **bound, "<at>": at})
        self.frame, self.body = frame, body

    @property
    def around(self):
        """The frame whose variables it sees besides its own."""
        return self.frame.outer

    @property
    def result(self) -> tuple:
        """(what it has returned,)."""
        value = self.state.get(_RESULT)
        return () if value is None or isinstance(value, Missing) else (value,)

    def copy_at(self, state):
        new = super().copy_at(state)
        new.frame, new.body = self.frame, self.body
        return new

    @staticmethod
    def _parts(v) -> tuple:
        return (id(v.body[0]), id(v.around)), [v.state], lambda items: v.copy_at(items[0])

    def advance(self, ip, sent=None):
        if self.place(ip) < 0 and any(f is self.frame for f in ip.frames):
            raise complain(ValueError, "generator already executing")
        self._send(ip, sent)
        left = None if self.place(ip) < 0 else self._run(ip, None)
        return left[1] if type(left) is tuple else END

    def is_new(self) -> bool:
        """Whether it is that of a function, and has not begun."""
        return self.is_function() and self.state["<at>"] == 0

    def is_function(self) -> bool:
        """Whether it is that of a function."""
        return isinstance(self.frame.source.tree, gast.FunctionDef)

    @property
    def finishes(self) -> bool:
        """Whether it may have something to do where it is closed."""
        return contains(self.body, (gast.Try, gast.With))

    def as_left(self, frame) -> Generated:
        """This generator where it leaves the call whose variables it sees, ``frame``."""
        if self.around is not frame:
            return self
        new = self.copy_at(self.state)
        new.frame = replace(self.frame, outer=replace(frame, vars=dict(frame.vars), finished=True))
        return new

    def as_list(self, ip) -> LocalList:
        if not self.is_new() and (self.is_function() or self.state["<at>"] != _EXPRESSION):
            return super().as_list(ip)
        start = trial(ip)
        try:
            return super().as_list(ip)
        except CompileTimeError:
            undo(ip, start)
            return collect(ip, self, "" if self.is_function() else _place(self.body[0]))

    def take_all(self, ip) -> list:
        found: list = []
        if self.place(ip) >= 0:
            self._run(ip, found)
        return found

    def _send(self, ip, sent) -> None:
        if sent is None and self.state.get(_SENT) is None:
            return
        if self.place(ip) == 0:
            raise complain(TypeError, "can't send non-None value to a just-started generator")
        ip.touch(self.state)
        self.state[_SENT] = sent

    def _run(self, ip, found):
        frame, first = self.frame, self.body[0]
        frame.vars, frame.finished = Bindings(ip.store, self.state), False
        frame.depth = ip.flow.nested
        outer = ip.frames[-1].region if ip.frames else None
        frame.region = outer or Region(ip.builder, len(ip.graphs))
        way = _ways(first)[self.state["<at>"]]
        gone = Missing(NameError, "the generator has ended", "make it anew")
        ip.store.set(self.state, {**dict.fromkeys(self.state, gone), "<at>": SPENT})  # if it raises
        ip.frames.append(frame)
        try:
            with nullcontext() if outer else inside(ip, frame.region):  # behind the program's end
                left = run(ip, self.body, way, found)
        except StopIteration as e:  # it would end the loop over the generator without a word
            raise complain(RuntimeError, "generator raised StopIteration") from e
        finally:
            frame.finished = True
            ip.frames.pop()
        at = _number(first, left[0]) if type(left) is tuple else SPENT
        ip.touch(self.state)
        kept = {k: v for k, v in frame.vars.items() if at >= 0 or k == _RESULT}
        self.state.update({**kept, "<at>": at})
        return left


@emits(yields.generator)
def _started(ip, frame):
    share(ip, frame)
    return Generated(frame, frame.source.tree.body, frame.vars)


@emits(yields.advance)
def _advance(ip, source, sent):
    if isinstance(sent, _Given):
        return sent.element
    if isinstance(source, Generated):
        return source.advance(ip, sent)
    return source.advance(ip) if sent is None else ip.call(getattr_(ip, source, "send"), [sent], {})


def _thrown(ip, source, error):
    source._send(ip, Thrown(error, None))
    left = None if source.place(ip) < 0 else source._run(ip, None)
    return left[1] if type(left) is tuple else END


EMITTERS[yields.throw_into] = lambda ip, *given: _thrown(ip, *given) is not END
EMITTERS[yields.is_ended] = lambda ip, element: element is END
EMITTERS[yields.result_of] = lambda ip, source: (
    next(iter(source.result), None) if isinstance(source, Iterated) else None
)


@method("send", Generated)
def _send(ip, source, value):
    v = source.advance(ip, value)
    return ip.call(next, [source], {}) if v is END else v


@method("throw", Generated)
def _throw(ip, source, error, value=None, traceback=None):
    if value is not None and isinstance(error, type):
        error = value if isinstance(value, error) else ip.call(error, [value], {})
    error = instance_of(ip, error)
    if not isinstance(error, BaseException):
        raise complain(TypeError, f"throw(): {describe(error)} is no exception")
    v = _thrown(ip, source, error)
    return ip.call(next, [source], {}) if v is END else v


@method("close", Generated)
def _close(ip, source):
    """``generator.close()``."""
    if source.finishes and source.place(ip) > 0:
        ip.call(close, [source], {})
    source.move(ip, SPENT)


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

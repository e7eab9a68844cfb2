"""Conditionals and loops.

A loop runs in one of two ways. *Unrolled*: its items are known now and few. *Rolled*
(`loop_fixpoint`): a graph that calls itself. A loop of known length that does not roll, for whatever
reason, is unrolled.
"""

from __future__ import annotations

from functools import partial

import gast

from ..base.errors import CompileTimeError
from ..ir.dim import Unbacked, current, is_size, variables
from ..ir.node import Node
from . import special
from .conditions import runtime_if
from .counted import counted
from .driven import can_drive, drive
from .emit import Bottom
from .flow import stop, to_end, to_start
from .handlers import finishing
from .iterated import Iterated
from .iterators import iterator, turns
from .loop_fixpoint import Loop, final, roll
from .polyfills.contexts import close
from .raises import attempted, leaving
from .region import go_on, trial, tried, undo
from .registry import stmt
from .scalars import binary, truth
from .source import bound_names
from .stmt import assign
from .union_values import narrow
from .value_types import View
from .walks import contains

UNROLLED = 64
"""Loops in loops are unrolled to so many copies of the innermost body, where that is a choice."""

LEFT = 32
"""In a longer loop that may be left early, the lengths of lists are found by the run if need be."""

NODES, TURNS = 100_000, 10_000
"""A loop that does not roll makes at most so many nodes, and has at most so many iterations."""


@stmt(gast.If)
def _if(ip, node):
    test = truth(ip, ip.eval(node.test))
    if isinstance(test, Node):
        runtime_if(ip, test, lambda: _where(ip, node, True), lambda: _where(ip, node, False))
    else:
        ip.block(node.body if test else node.orelse)


def _where(ip, node, holds: bool) -> None:
    """One side of an `if`."""
    narrow(ip, node.test, holds)
    ip.block(node.body if holds else node.orelse)


@stmt(gast.Break)
@stmt(gast.Continue)
def _leave(ip, node):
    leaving(ip, to_end if isinstance(node, gast.Break) else to_start)


@stmt(gast.While)
def _while(ip, node):
    """A `while`: iterations whose condition is known now are unrolled as far as `options.unroll`,
    the rest is rolled. Where that fails, it is unrolled as long as the condition is known.
    """
    by_choice = contains(node.body, gast.Break) or ip.flow.unrolled * ip.options.unroll > UNROLLED
    breaks: list = []
    turns = _Turns(ip, node, breaks, 0 if by_choice else ip.options.unroll)
    _iterate(ip, node, turns, 1, breaks)
    while ip.live and turns.test is not False:
        why = _rolled(ip, node, _while_roller(ip, node, turns.test is True), turns.test is True)
        if why is None:
            _behind(ip, breaks)
            return
        turns = _Turns(ip, node, breaks, TURNS + 1, why)
        _iterate(ip, node, turns, 1, breaks, why)
    _end(ip, node, breaks)


def _while_roller(ip, node, known: bool):
    """What rolls a `while` whose condition is ``known`` at its start."""
    countable = known and not isinstance(node.test, gast.Constant)

    def condition():
        return truth(ip, ip.eval(node.test))

    return lambda: roll(ip, node, condition, lambda: None, set(), countable)


class _Turns:
    """The iterations of a `while` as long as its condition is known now, and at most so many.

    Attributes:
        test: what the condition was at last: True or False, or None where only the run knows it.
        breaks: the paths that have left the loop.
        why: why the loop is unrolled, if it is no choice.
    """

    def __init__(self, ip, node, breaks: list, most: int, why: Exception | None = None):
        self.ip, self.node, self.breaks, self.most, self.why = ip, node, breaks, most, why
        self.test = True

    def __iter__(self):
        ip, node, ways = self.ip, self.node, self._ways()
        endless = isinstance(node.test, gast.Constant)
        for taken in range(self.most + 1):
            start = trial(ip)
            test = truth(ip, ip.eval(node.test))
            self.test = None if isinstance(test, Node) else bool(test)
            if self.test is None or test and taken == self.most:
                undo(ip, start)
                return
            ip.store.drop(start.path.version)
            if not test:
                return
            yield lambda: None
            if self.why is not None and endless and self._ways() != ways:
                raise self.why  # data decide where it ends

    def _ways(self) -> int:
        return len(self.breaks) + len(self.ip.frames[-1].region.exits)


def _rolled(ip, node, attempt, known: bool) -> Exception | None:
    """``attempt()`` to make a loop one of the program. Why it is none; then nothing has happened. A
    loop that was unrolled is not tried again. Where its iterations are not ``known``, its error is
    raised.
    """
    if known and node in ip.flow.unrollable:
        return ip.flow.unrollable[node]
    flow, stacked, held = ip.flow, ip.flow.stacked, dict(ip.tensors.held)
    why = tried(ip, attempt)
    if why is not None and flow.stacked > stacked:  # elements can be set by selection, too
        ip.tensors.held, flow.stacking = held, False
        try:
            why = tried(ip, attempt)
        finally:
            flow.stacking = True
    if why is not None and not known:
        raise why
    return why


def _iterate(
    ip, node, binders, times: int, breaks: list, why: Exception | None = None, body=None
) -> None:
    """Interpret the body once per binder, of which there are about so many; its `break`s are added
    to ``breaks``. Where the loop is unrolled since it cannot be rolled, ``why``. ``body()``
    interprets it, where more than it is to be done.

    Raises:
        TypeError: the program would be too large.
    """
    frame, outer, start = ip.frames[-1], ip.flow.unrolled, ip.flow.emitted
    ip.flow.unrolled *= max(1, times)
    for turn, bind in enumerate(_taken(ip, binders)):
        loop = frame.loop = Loop(frame.loop)
        try:
            attempted(ip, bind)
            body() if body is not None else ip.block(node.body)
        except Bottom:
            ip.flow.live = False
        finally:
            frame.loop = loop.outer
        breaks += loop.breaks
        if loop.continues:
            go_on(ip, ([stop(ip)] if ip.live else []) + loop.continues)
        if not ip.live:
            break
        if why is not None and (turn >= TURNS or ip.flow.emitted - start > NODES):
            raise _too_long(turn + 1, why)
    ip.flow.unrolled = outer
    if why is not None:
        ip.flow.unrollable[node] = why


def _taken(ip, binders):
    """The binders; none where taking one raises."""
    binders = iter(binders)
    while True:
        try:
            bind = attempted(ip, lambda: next(binders, None))
        except Bottom:
            ip.flow.live = False
            return
        if bind is None:
            return
        yield bind


def _too_long(turns: int, why: Exception) -> Exception:
    """The error for a loop that does not roll, and is too long to be unrolled."""
    complaint = getattr(why, "complaint", None)
    head = f"{type(why).__name__}: {why}" if complaint is None else complaint.head
    return final(
        TypeError,
        f"{head}. So the loop is unrolled, but its program is too large after {turns} iterations",
        loc=complaint and complaint.loc,
        expected=f"at most {NODES} operations and {TURNS} iterations",
        cure="let each iteration do the same with values of one type, and write results into a "
        "tensor (y[i] = …) or a list of equal tensors",
    )


def _end(ip, node, breaks: list) -> None:
    """Behind the last iteration: the loop's `else`, then where `break`s lead."""
    if ip.live:
        ip.block(node.orelse)
    _behind(ip, breaks)


def _behind(ip, breaks: list) -> None:
    if breaks:
        go_on(ip, ([stop(ip)] if ip.live else []) + breaks)


def _over_items(ip, node, iterable) -> None:
    """A loop over what is taken one by one: it is unrolled."""
    breaks: list = []
    times = iterable.count(ip) if isinstance(iterable, Iterated) else None
    binders = (_binder(ip, node.target, v) for v in turns(ip, iterable))
    times = times if times is not None else _size(iterable)
    _iterate(ip, node, binders, times, breaks, body=_closing(ip, node, iterable))
    _end(ip, node, breaks)


def _closing(ip, node, iterable):
    """What interprets the body of a loop over ``iterable``: a generator that nothing else has, and that
    has something to do at its end, is closed where the loop is left before.
    """

    def body() -> None:
        ip.block(node.body)

    if not (isinstance(node.iter, gast.Call) and getattr(iterable, "finishes", False)):
        return body
    name = f"<for {node.lineno}:{node.col_offset} left>"
    leave = partial(ip.call, close, [iterable], {})
    return lambda: finishing(ip, name, body, lambda left: None, leave, of_loop=True)


def _over_generator(ip, node, source) -> None:
    """A loop over a generator: where only the run knows what it yields, its body is interpreted."""
    start = trial(ip)
    try:
        _over_items(ip, node, source)
    except CompileTimeError:
        undo(ip, start)
        drive(ip, source, node)


@stmt(gast.For)
def _for(ip, node):
    iterable = ip.eval(node.iter)
    by_index, breaks = counted(ip, iterable), []
    if by_index is None:
        if special.has(iterable, "__iter__"):
            iterable = iterator(ip, iterable)
        if isinstance(iterable, Iterated) and iterable.is_new() and can_drive(node):
            _over_generator(ip, node, iterable)
        else:
            _over_items(ip, node, iterable)
        return
    length, item = by_index
    if not is_size(length) or any(type(x) is Unbacked for x in variables(length)):
        _count_loop(ip, node, length, item, 0, False)
        return
    first = _first(ip, node, length)
    why = None
    if first:
        _iterate(ip, node, [_binder(ip, node.target, item, i) for i in range(first)], first, breaks)
    if ip.live and (type(length) is not int or first < length):
        many = type(length) is int and length > LEFT
        many = many and contains(node.body, (gast.Break, gast.Return))  # it may be left early
        for exact in (True, False) if many else (True,):
            attempt = partial(_count_loop, ip, node, length, item, first, exact)
            why = _rolled(ip, node, attempt, True)
            if why is None:
                return
        size = ip.native(int, length)
        binders = (_binder(ip, node.target, item, i) for i in range(first, size))
        _iterate(ip, node, binders, size - first, breaks, why)
    _end(ip, node, breaks)


def _first(ip, node, length) -> int:
    """How many iterations stand before a rolled loop: all of a short one; one where that gives
    variables their first value, or a number a tensor's type.
    """
    short = type(length) is int and length <= ip.options.unroll
    if short and ip.flow.unrolled * length <= UNROLLED:
        return length
    if contains(node.body, gast.Break) or not _needs_first(ip, node):
        return 0
    # Of a size that is open, only where the example is a real one.
    return int(type(length) is int or not current().generic and length > 0)


def _size(iterable) -> int:
    """About how many iterations a loop over ``iterable`` has."""
    return len(iterable) if isinstance(iterable, (tuple, list, dict, set, str, View)) else 1


def _binder(ip, target, item, index=None):
    return lambda: assign(ip, target, item if index is None else item(index))


def _needs_first(ip, node) -> bool:
    """Whether the first iteration must stand apart: it gives variables their first value, or a
    number a tensor's type.
    """
    vars = ip.frames[-1].vars
    bound = bound_names(node.body)
    return (
        any(n not in vars for n in bound)
        or any(type(vars.get(n)) in (int, float, bool) for n in bound)
        or bool(bound_names([node.target]) - set(vars))
    )


def _count_loop(ip, node, length, item, start: int, countable: bool) -> None:
    """A rolled loop over an index."""
    frame = ip.frames[-1]
    counter = f"<i{node.lineno}:{node.col_offset}>"
    frame.vars[counter] = start

    def condition():
        return truth(ip, binary(ip, gast.Lt, frame.vars[counter], length))

    def bind():
        index = frame.vars[counter]
        frame.vars[counter] = binary(ip, gast.Add, index, 1)
        assign(ip, node.target, item(index))

    names = {counter} | bound_names([node.target])
    roll(ip, node, condition, bind, names, countable)
    if ip.live:
        frame.vars.pop(counter, None)

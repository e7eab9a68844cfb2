"""Conditionals and loops.

A loop runs in one of two ways. *Unrolled*: its items are known now and few, or each is needed as a
compile-time value. *Rolled* (`loop_fixpoint`): a graph that calls itself.
"""

from __future__ import annotations

import gast

from ..base.errors import CompileTimeError
from ..ir.dim import current, is_size
from ..ir.node import Node
from .counted import counted
from .flow import fork, resume, stop
from .iterated import Iterated
from .iterators import turns
from .loop_fixpoint import Loop, roll
from .raises import leaving
from .region import discard, go_on, runtime_if
from .scalars import binary, truth
from .source import bound_names
from .stmt import assign, stmt
from .union_values import narrow
from .value_types import View
from .walks import contains

UNROLLED = 64
"""Loops in loops are unrolled to so many copies of the innermost body, where that is a choice."""


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
def _break(ip, node):
    leaving(ip)
    if ip.live:
        ip.frames[-1].loop.breaks.append(stop(ip))
    ip.flow.live = False


@stmt(gast.Continue)
def _continue(ip, node):
    leaving(ip)
    if ip.live:
        ip.frames[-1].loop.continues.append(stop(ip))
    ip.flow.live = False


@stmt(gast.While)
def _while(ip, node):
    """A `while`: iterations whose condition is known now are unrolled as far as `options.unroll`,
    the rest is rolled.
    """
    rolled = contains(node.body, gast.Break) or ip.flow.unrolled * ip.options.unroll > UNROLLED
    for _ in range(0 if rolled else ip.options.unroll):
        mark, tail, graphs = fork(ip), ip.builder.graph.tail, len(ip.graphs)
        test = truth(ip, ip.eval(node.test))
        if isinstance(test, Node):
            discard(ip, graphs)
            resume(ip, mark)
            _cut(ip.builder.graph, tail)
            break
        ip.store.drop(mark.version)
        if not test:
            ip.block(node.orelse)
            return
        _iterate(ip, node, [lambda: None], 1, last=False)
        if not ip.live:
            return
    roll(ip, node, lambda: truth(ip, ip.eval(node.test)), lambda: None, set())


def _cut(graph, tail) -> None:
    """Drop the nodes behind ``tail``."""
    while graph.tail is not tail:
        n = graph.tail
        n.uses.clear()
        graph.remove(n)


def _iterate(ip, node, binders, times: int, last: bool = True) -> None:
    """Interpret the body once per binder, of which there are about so many; with ``last``, then the
    loop's `else`. Breaks lead behind it.
    """
    frame, breaks = ip.frames[-1], []
    outer = ip.flow.unrolled
    ip.flow.unrolled *= max(1, times)
    for bind in binders:
        loop = frame.loop = Loop(frame.loop)
        try:
            bind()
            ip.block(node.body)
        finally:
            frame.loop = loop.outer
        breaks += loop.breaks
        if loop.continues:
            go_on(ip, ([stop(ip)] if ip.live else []) + loop.continues)
        if not ip.live:
            break
    ip.flow.unrolled = outer
    if last and ip.live:
        ip.block(node.orelse)
    if breaks:
        go_on(ip, ([stop(ip)] if ip.live else []) + breaks)


@stmt(gast.For)
def _for(ip, node):
    iterable = ip.eval(node.iter)
    by_index = counted(ip, iterable)
    if by_index is None:
        times = iterable.count(ip) if isinstance(iterable, Iterated) else None
        binders = (_binder(ip, node.target, v) for v in turns(ip, iterable))
        _iterate(ip, node, binders, times if times is not None else _size(iterable))
        return
    length, item = by_index
    if is_size(length):

        def binders(start: int, stop: int) -> list:
            return [_binder(ip, node.target, item, i) for i in range(start, stop)]

        if (
            type(length) is int
            and length <= ip.options.unroll
            and ip.flow.unrolled * length <= UNROLLED
        ):
            _iterate(ip, node, binders(0, length), length)
            return
        first = not contains(node.body, gast.Break) and _needs_first(ip, node) and _is_long(length)
        if first:
            _iterate(ip, node, binders(0, 1), 1, last=False)
        if not ip.live:
            return
        try:
            _count_loop(ip, node, length, item, int(first))
        except CompileTimeError:
            # The body needs the index, or what it picks, while compiling: cells in a list, say.
            size = ip.native(int, length)
            _iterate(ip, node, binders(int(first), size), size)
        return
    _count_loop(ip, node, length, item, 0)


def _size(iterable) -> int:
    """About how many iterations a loop over ``iterable`` has."""
    return len(iterable) if isinstance(iterable, (tuple, list, dict, set, str, View)) else 1


def _is_long(length) -> bool:
    """Whether a loop has a first iteration: of a size that is open, only where the example is a
    real one.
    """
    return type(length) is int or not current().generic and length > 0


def _binder(ip, target, item, index=None):
    if index is None:
        return lambda: assign(ip, target, item)
    return lambda: assign(ip, target, item(index))


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


def _count_loop(ip, node, length, item, start: int) -> None:
    """A rolled loop over an index."""
    frame = ip.frames[-1]
    counter = f"<i{node.lineno}:{node.col_offset}>"
    before = fork(ip)
    frame.vars[counter] = start

    def condition():
        return truth(ip, binary(ip, gast.Lt, frame.vars[counter], length))

    def bind():
        index = frame.vars[counter]
        frame.vars[counter] = binary(ip, gast.Add, index, 1)
        assign(ip, node.target, item(index))

    try:
        names = {counter} | bound_names([node.target])
        roll(ip, node, condition, bind, names, is_size(length))
    except CompileTimeError:
        resume(ip, before)
        raise
    if ip.live:
        frame.vars.pop(counter, None)

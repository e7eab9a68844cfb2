"""Conditionals and loops.

A loop runs in one of two ways. *Unrolled*: its items are known now and few, or each is needed as a
compile-time value. *Rolled* (`rolled`): a graph that calls itself.
"""

from __future__ import annotations

import gast

from ..base.errors import CompileTimeError
from ..ir.dim import current, is_size
from ..ir.node import Node
from ..tensor import Tensor
from .chosen import narrow
from .counted import counted
from .iterated import END, Iterated
from .iterators import iterator, turns
from .kinds import View
from .merge import refill
from .region import Path, discard, go_on, here, runtime_if
from .rolled import Loop, roll
from .scalars import binary, is_scalar, truth
from .source import bound_names, contains
from .stmt import assign, stmt
from .values import parts

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
    ip.frames[-1].loop.breaks.append(here(ip))
    ip.live = False


@stmt(gast.Continue)
def _continue(ip, node):
    ip.frames[-1].loop.continues.append(here(ip))
    ip.live = False


@stmt(gast.While)
def _while(ip, node):
    """A `while`: iterations whose condition is known now are unrolled as far as `options.unroll`,
    the rest is rolled.
    """
    rolled = contains(node.body, gast.Break) or ip.unrolled * ip.options.unroll > UNROLLED
    for _ in range(0 if rolled else ip.options.unroll):
        mark = _Mark(ip)
        test = truth(ip, ip.eval(node.test))
        mark.drop(ip)
        if isinstance(test, Node):
            mark.undo(ip)
            break
        if not test:
            ip.block(node.orelse)
            return
        _iterate(ip, node, [lambda: None], 1, last=False)
        if not ip.live:
            return
    roll(ip, node, lambda: truth(ip, ip.eval(node.test)), lambda: None, set())


class _Mark:
    """A position in the current graph to which `undo` returns, dropping what was emitted since."""

    def __init__(self, ip):
        self.graph, self.tail, self.builder = ip.builder.graph, ip.builder.graph.tail, ip.builder
        self.graphs, self.loaded = len(ip.graphs), dict(ip.loaded)
        self.vars = dict(ip.frames[-1].vars)
        self.state = Path(None, {}, {}, 0)
        ip.paths.append(self.state)

    def undo(self, ip) -> None:
        """Forget what was emitted and bound since the mark."""
        discard(ip, self.graphs)
        while self.graph.tail is not self.tail:
            n = self.graph.tail
            n.uses.clear()
            self.graph.remove(n)
        ip.builder, ip.loaded = self.builder, self.loaded
        ip.frames[-1].vars = self.vars
        for container, contents in self.state.heap.values():
            refill(container, contents)

    def drop(self, ip) -> None:
        """There is nothing to undo any more."""
        at = len(ip.paths) - 1  # near the end; before it are the paths of all loops before
        while ip.paths[at] is not self.state:
            at -= 1
        del ip.paths[at]


def _iterate(ip, node, binders, times: int, last: bool = True) -> None:
    """Interpret the body once per binder, of which there are about so many; with ``last``, then the
    loop's `else`. Breaks lead behind it.
    """
    frame, breaks, mark, ended = ip.frames[-1], [], len(ip.paths), []
    outer = ip.unrolled
    ip.unrolled *= max(1, times)
    for bind in binders:
        loop = frame.loop = Loop(frame.loop)
        try:
            bind()
            ip.block(node.body)
        finally:
            frame.loop = loop.outer
        breaks += loop.breaks
        if loop.continues:
            ended += _meet(ip, loop.continues)
        if not ip.live:
            break
    ip.unrolled = outer
    if last and ip.live:
        ip.block(node.orelse)
    if breaks:
        ended += _meet(ip, breaks)
    # Ways out of the function, and of loops around, stay open: what changes behind this loop does
    # not there.
    over = set(map(id, ended))
    ip.paths[mark:] = [p for p in ip.paths[mark:] if id(p) not in over]


def _meet(ip, paths: list) -> list:
    """Go on from the present position and the paths; all these."""
    paths = ([here(ip)] if ip.live else []) + paths
    go_on(ip, paths)
    return paths


@stmt(gast.For)
def _for(ip, node):
    iterable = ip.eval(node.iter)
    by_index = counted(ip, iterable)
    if by_index is None:
        times = iterable.count(ip) if isinstance(iterable, Iterated) else None
        binders = (_binder(ip, node.target, v) for v in _turns(ip, node, iterable))
        _iterate(ip, node, binders, times if times is not None else _size(iterable))
        return
    length, item = by_index
    if is_size(length):

        def binders(start: int, stop: int) -> list:
            return [_binder(ip, node.target, item, i) for i in range(start, stop)]

        if type(length) is int and length <= ip.options.unroll and ip.unrolled * length <= UNROLLED:
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


def _turns(ip, node, iterable):
    """The elements of what a loop iterates over. Tensors among them are held by a variable, as by
    any other
    that names them: one of which items are set is another tensor when its turn comes.
    """
    if not _holds_tensors(iterable):
        yield from turns(ip, iterable)
        return
    frame, name = ip.frames[-1], f"<items{node.lineno}:{node.col_offset}>"
    frame.vars[name] = iterator(ip, iterable)
    while (v := frame.vars[name].advance(ip)) is not END:
        yield v
    frame.vars.pop(name)


def _holds_tensors(v) -> bool:
    if isinstance(v, (Node, Tensor)):
        return not is_scalar(v)
    p = None if callable(v) else parts(v)
    return p is not None and any(map(_holds_tensors, p.items))


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
    before = dict(frame.vars)
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
        frame.vars = before
        raise
    if ip.live:
        frame.vars.pop(counter, None)

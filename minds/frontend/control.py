"""Conditionals and loops.

A loop runs in one of two ways. *Unrolled*: its items are known now and few, or each is needed as a
compile-time value.
*Rolled*: a header graph takes the variables that the body changes (its parameters), tests the condition, and
chooses between a body graph that tail-calls the header, and an exit graph. The types of the parameters are a
fixpoint: the body is interpreted again if it leaves a variable with another type than it found. If the body
may `return`, what follows the loop is interpreted inside the exit, so that the loop's value is the
function's; else the exit returns the variables.
"""
from __future__ import annotations

from dataclasses import dataclass, field

import gast

from ..base import dtype as dt
from ..base.errors import CompileTimeError, ParseError, complain
from ..ir.abstract import NONE, AbstractTensor
from ..ir.node import Node
from ..ops.define import P
from ..tensor import Parameter, Tensor
from . import region, values
from .access import sequence, subscript
from .emit import EmitBuilder
from .expr import truth
from .recursion import discard, same
from .region import Path, Region, convert, go_on, here, join_all, runtime_if
from .scalars import binary, is_scalar, to_kind
from .source import bound_names, contains, stored_names
from .stmt import assign, stmt
from .values import Leaf, LocalDict, Missing, Same, extract, leaf_abstracts, unflatten, widen


@stmt(gast.If)
def _if(ip, node):
    test = truth(ip, ip.eval(node.test))
    if isinstance(test, Node):
        runtime_if(ip, test, lambda: ip.block(node.body), lambda: ip.block(node.orelse))
    else:
        ip.block(node.body if test else node.orelse)


ROUNDS = 30
"""A loop's body is interpreted at most so often; each round moves some variable's type up a chain of two or three."""


@dataclass(eq=False)
class Loop:
    """Where `break` and `continue` of the innermost loop lead.

    Attributes:
        breaks, continues: the paths that took them.
        outer: the enclosing loop of the same function.
    """

    outer: Loop | None
    breaks: list = field(default_factory=list)
    continues: list = field(default_factory=list)

    def ways(self) -> int:
        """How many ways out were taken so far, in this loop and those around it."""
        return len(self.breaks) + len(self.continues) + (self.outer.ways() if self.outer else 0)


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
    """A `while`: iterations whose condition is known now are unrolled as far as `options.unroll`, the rest is
    rolled.
    """
    breaks_ahead = contains(node.body, gast.Break)
    for _ in range(0 if breaks_ahead else ip.options.unroll):
        mark = _Mark(ip)
        test = truth(ip, ip.eval(node.test))
        if isinstance(test, Node):
            mark.undo(ip)
            break
        if not test:
            ip.block(node.orelse)
            return
        _iterate(ip, node, [lambda: None], last=False)
        if not ip.live:
            return
    _rolled(ip, node, lambda: truth(ip, ip.eval(node.test)), lambda: None, set())


class _Mark:
    """A position in the current graph to which `undo` returns, dropping what was emitted since."""

    def __init__(self, ip):
        self.graph, self.tail, self.builder = ip.builder.graph, ip.builder.graph.tail, ip.builder
        self.graphs, self.loaded = len(ip.graphs), dict(ip.loaded)
        self.vars = dict(ip.frames[-1].vars)

    def undo(self, ip) -> None:
        """Forget what was emitted and bound since the mark."""
        discard(ip, self.graphs)
        while self.graph.tail is not self.tail:
            n = self.graph.tail
            n.uses.clear()
            self.graph.remove(n)
        ip.builder, ip.loaded = self.builder, self.loaded
        ip.frames[-1].vars = self.vars


def _iterate(ip, node, binders: list, last: bool = True) -> None:
    """Interpret the body once per binder; with ``last``, then the loop's `else`. Breaks lead behind it."""
    frame, breaks, mark = ip.frames[-1], [], len(ip.paths)
    for bind in binders:
        loop = frame.loop = Loop(frame.loop)
        try:
            bind()
            ip.block(node.body)
        finally:
            frame.loop = loop.outer
        breaks += loop.breaks
        if loop.continues:
            go_on(ip, ([here(ip)] if ip.live else []) + loop.continues)
        if not ip.live:
            break
    if last and ip.live:
        ip.block(node.orelse)
    if breaks:
        go_on(ip, ([here(ip)] if ip.live else []) + breaks)
    del ip.paths[mark:]


@stmt(gast.For)
def _for(ip, node):
    iterable = ip.eval(node.iter)
    counted = _counted(ip, iterable)
    if counted is None:
        _iterate(ip, node, [_binder(ip, node.target, v) for v in sequence(ip, iterable)])
        return
    length, item = counted
    if isinstance(length, int):
        def binders(start: int, stop: int) -> list:
            return [_binder(ip, node.target, item, i) for i in range(start, stop)]
        if length <= ip.options.unroll:
            _iterate(ip, node, binders(0, length))
            return
        first = not contains(node.body, gast.Break) and _needs_first(ip, node)
        if first:
            _iterate(ip, node, binders(0, 1), last=False)
        if not ip.live:
            return
        try:
            _count_loop(ip, node, length, item, int(first))
        except CompileTimeError:
            # The body needs the index, or what it picks, while compiling: cells in a list, say.
            _iterate(ip, node, binders(int(first), length))
        return
    _count_loop(ip, node, length, item, 0)


def _binder(ip, target, item, index=None):
    if index is None:
        return lambda: assign(ip, target, item)
    return lambda: assign(ip, target, item(index))


def _needs_first(ip, node) -> bool:
    """Whether the first iteration must stand apart: it gives variables their first value, or a number a
    tensor's type.
    """
    vars = ip.frames[-1].vars
    bound = bound_names(node.body)
    return (
        any(n not in vars for n in bound)
        or any(type(vars.get(n)) in (int, float, bool) for n in bound)
        or bool(bound_names([node.target]) - set(vars))
    )


def _counted(ip, iterable):
    """(length, item(i)) of what can be iterated by an index that is known only at run time; else None."""
    if isinstance(iterable, range):
        return (
            len(iterable),
            lambda i: (
                binary(ip, gast.Add, iterable.start, binary(ip, gast.Mult, i, iterable.step))
                if (isinstance(i, Node))
                else iterable[i]
            ),
        )
    if isinstance(iterable, RuntimeRange):
        return iterable.length(ip), lambda i: iterable.item(ip, i)
    if (
        isinstance(iterable, (Node, Tensor))
        and isinstance(iterable.abstract, AbstractTensor)
        and iterable.shape
    ):
        return iterable.shape[0], lambda i: row(ip, iterable, i)
    return None


def row(ip, x, i):
    """``x[i]`` for a tensor and an index that may be known only at run time."""
    if not isinstance(i, Node):
        return subscript(ip, x, i)
    index = ip.native(P.scalar_to_tensor, i, dt.int64) if is_scalar(i) else i
    return ip.native(P.gather, ip.node(x), index, 0)


@dataclass(eq=False)
class RuntimeRange:
    """A ``range`` with a bound that is known only at run time."""

    start: object
    stop: object
    step: object

    def length(self, ip) -> Node:
        """The number of items: max(0, ceil((stop - start) / step))."""
        span = binary(ip, gast.Sub, self.stop, self.start)
        n = binary(
            ip,
            gast.FloorDiv,
            binary(ip, gast.Sub, binary(ip, gast.Add, span, self.step), _sign(ip, self.step)),
            self.step,
        )
        return ip.native(P.maximum, to_kind(ip, n, int), 0)

    def item(self, ip, i):
        """The item at index ``i``."""
        return binary(ip, gast.Add, self.start, binary(ip, gast.Mult, i, self.step))


def _sign(ip, step):
    if isinstance(step, Node):
        return ip.native(P.sign, step)
    if step == 0:
        raise complain(ValueError, "range() arg 3 must not be zero")
    return 1 if step > 0 else -1


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
        _rolled(ip, node, condition, bind, names, isinstance(length, int))
    except CompileTimeError:
        frame.vars = before
        raise
    if ip.live:
        frame.vars.pop(counter, None)


def _rolled(ip, node, condition, bind, extra: set, countable: bool = False) -> None:
    """A loop as graphs. ``condition()`` tests, ``bind()`` starts an iteration, ``extra`` names are changed
    besides the body's. A ``countable`` loop can be unrolled instead.

    Raises:
        CompileTimeError: the body needs what changes in it while compiling, or (countable) a variable has no
            common type over the iterations, such as a tuple that grows; nothing has been emitted then.
    """
    frame = ip.frames[-1]
    changed = bound_names([*node.body, node.test] if isinstance(node, gast.While) else node.body) | extra
    stored = {id(frame.vars.get(n)) for n in stored_names(node.body)}
    names = [n for n, v in frame.vars.items() if n in changed or id(v) in stored and _is_changeable(v)]
    for n in names:
        if id(frame.vars[n]) in stored and _is_changeable(frame.vars[n]):
            _refuse_alias(ip, n, frame.vars[n])
    # A break in the loop's own `else` belongs to the loop around it.
    returns = contains([*node.body, *node.orelse], gast.Return) or contains(
        node.orelse, (gast.Break, gast.Continue))
    skeletons = {n: _widen(frame.vars[n]) for n in names}
    containers: dict = {}
    initial, loaded = dict(frame.vars), dict(ip.loaded)
    entry = ip.builder
    rounds = 0
    while True:
        rounds += 1
        mark = len(ip.graphs)
        attempt = _Attempt(ip, node, condition, bind, skeletons, containers, returns, loaded)
        try:
            found, found_containers = attempt.run(initial)
            if countable:
                attempt.expect_types(found)
            if rounds > ROUNDS:
                raise complain(CompileTimeError, "the types of a loop's variables do not settle",
                               cure="give each variable one type before the loop, and keep it")
        except CompileTimeError:
            discard(ip, mark)
            attempt.forget()
            frame.vars, ip.live = initial, True
            ip.builder, ip.loaded = entry, loaded
            raise
        if attempt.stable(found, found_containers):
            break
        skeletons, containers = found, found_containers
        discard(ip, mark)
        attempt.forget()
        frame.vars = dict(initial)
        ip.builder, ip.loaded = entry, dict(loaded)
    attempt.finish(initial, entry)


def _is_changeable(v) -> bool:
    return isinstance(v, (Node, Tensor)) and not isinstance(v, Parameter)


def _refuse_alias(ip, name: str, tensor) -> None:
    """A loop carries each name apart, so a tensor that it changes must have one name."""
    for frame in ip.frames:
        for other, value in frame.vars.items():
            held = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else (value,)
            if any(v is tensor for v in held) and (other != name or frame is not ip.frames[-1]):
                raise complain(
                    ParseError,
                    f"the tensor {name!r} is changed in a loop, and {other!r} names or holds it too",
                    cure=f"copy it before the loop: {name} = {name}.copy()",
                )


def _widen(v):
    return v if isinstance(v, Missing) else widen(v)


class _Attempt:
    """One interpretation of a rolled loop under assumed types of its variables."""

    def __init__(self, ip, node, condition, bind, skeletons, containers, returns, loaded):
        self.ip, self.node, self.condition, self.bind = ip, node, condition, bind
        self.skeletons, self.containers, self.returns = skeletons, containers, returns
        self.frame = ip.frames[-1]
        self.region = ip.tails[-1] if returns else Region(ip.builder)
        self.counts = (
            len(self.region.pending),
            len(self.region.exits),
            len(self.frame.region.exits),
            len(self.region.dead),
        )
        self.header = ip.graph(f"{self.frame.source.name}:{'for' if isinstance(node, gast.For) else 'while'}")
        self.wanted = []
        for s in (*skeletons.values(), *(s for _, s in containers.values())):
            leaf_abstracts(s, self.wanted)
        self.back: list = []
        self.born, self.open = values.births(), len(ip.paths)
        self.loop = self.own = None
        self.before: dict = {}

    def run(self, initial: dict):
        """Interpret header, body and exit; returns the skeletons that the variables should have."""
        ip, frame = self.ip, self.frame
        self._enter(initial)
        if not self.returns:
            ip.tails.append(self.region)
        ip.journal.append({})
        saved_region = frame.region
        self.loop = frame.loop = Loop(frame.loop)
        try:
            self._iteration()
        finally:
            frame.loop = self.loop.outer
            frame.region = saved_region
            self.changed = ip.journal.pop()
            for key, (_, old) in self.changed.items():
                self.before.setdefault(key, old)
            if not self.returns:
                ip.tails.pop()
        return self._found(initial)

    def _enter(self, initial: dict) -> None:
        ip = self.ip
        params = iter([self.header.add_param(f"v{i}", a, ip.here()) for i, a in enumerate(self.wanted)])
        self.frame.vars = {**initial, **{n: unflatten(s, params) for n, s in self.skeletons.items()}}
        for key, (container, s) in self.containers.items():
            ip.touch(container)
            self.before[key] = container.copy()
            region._refill(container, unflatten(s, params))
        ip.builder, ip.loaded = EmitBuilder(ip, self.header), {}

    def _iteration(self) -> None:
        ip = self.ip
        test = self.condition()
        base = Path(ip.builder, dict(self.frame.vars), {}, self.born)
        if not isinstance(test, Node):
            self.exit_path = None if test else base
            if test:
                self._body()
            return
        body, exit_ = ip.graph(f"{self.frame.source.name}:body"), ip.graph(f"{self.frame.source.name}:after")
        where = ip.builder
        where.loc = ip.here()
        call = where.call(where.switch(test, body, exit_), (), NONE)
        self.region.pending.append((where.graph, call))
        heap = {k: (c, c.copy()) for k, (c, _) in self.containers.items()}
        self.exit_path = Path(EmitBuilder(ip, exit_), dict(self.frame.vars), heap, self.born)
        ip.builder, ip.loaded = EmitBuilder(ip, body), dict(ip.loaded)
        self._body()

    def _body(self) -> None:
        ip = self.ip
        self.bind()
        ip.block(self.node.body)
        if ip.live:
            self.loop.continues.append(here(ip))
        for path in self.loop.continues:
            self.back.append(path)
        ip.live = True

    def _found(self, initial: dict):
        """The skeletons joined over the entry and every way back to the header."""
        found, containers = {}, {}
        for name, skeleton in self.skeletons.items():
            value = skeleton
            for path in self.back:
                value = join_all(self.ip, name, [value, path.vars.get(name)])
                if isinstance(value, Missing):
                    break
            found[name] = value if isinstance(value, Missing) else _widen(value)
        for key, (container, old) in self.changed.items():
            if container.born >= self.born:
                continue
            value = widen(old) if key not in self.containers else self.containers[key][1]
            for path in self.back:
                now = path.heap[key][1] if key in path.heap else container
                value = join_all(self.ip, "a container", [value, widen(now)])
                if isinstance(value, Missing):
                    raise complain(
                        CompileTimeError,
                        f"a list or dict changes its structure in a loop: {value.why or value.text}",
                        cure="give the loop a length that is known when the program is compiled",
                    )
            containers[key] = (container, value)
        return found, containers

    def expect_types(self, found: dict) -> None:
        """Raise unless every variable that had a type still has one."""
        for name, skeleton in found.items():
            if isinstance(skeleton, Missing) and not isinstance(self.skeletons[name], Missing):
                raise complain(CompileTimeError, skeleton.text, cure=skeleton.cure)

    def stable(self, found: dict, containers: dict) -> bool:
        """Whether the assumption holds."""
        return all(same(s, found[n]) or isinstance(s, Missing) and isinstance(found[n], Missing)
                   for n, s in self.skeletons.items()) and (
            containers.keys() == self.containers.keys() and all(
                same(containers[k][1], self.containers[k][1]) for k in containers))

    def forget(self) -> None:
        """Undo what this attempt noted in regions and containers outside of it."""
        pending, exits, returned, dead = self.counts
        del self.region.pending[pending:], self.region.exits[exits:], self.frame.region.exits[returned:]
        del self.region.dead[dead:], self.ip.paths[self.open:]
        for key, (container, _) in self.changed.items():
            region._refill(container, self.before[key])

    def finish(self, initial: dict, entry) -> None:
        """Close the graphs, call the header from where the loop stands, and go on behind it."""
        ip = self.ip
        for path in self.back:
            with ip.apart(path.builder):
                args = self._args(
                    path.vars, {k: path.heap.get(k, (None, c))[1] for k, (c, _) in self.containers.items()}
                )
                path.builder.loc = ip.here()
                call = path.builder.call(self.header, args, NONE)
            self.region.pending.append((path.builder.graph, call))
        with ip.apart(entry):
            args = self._args(initial, {k: self.before[k] for k in self.containers})
            entry.loc = ip.here()
            call = entry.call(self.header, args, NONE)
        for key, (container, _) in self.changed.items():
            region._refill(container, self.before[key])
            if ip.journal and container.born < self.born:
                ip.journal[-1].setdefault(key, (container, self.before[key]))
        if self.returns:
            self.region.pending.append((entry.graph, call))
            go_on(ip, self._exit())
        else:
            self._go_on_behind(entry, call)
        # The exits of the function stay open, the loop's own ways out are closed.
        ended = set(map(id, self.loop.breaks + self.loop.continues))
        ip.paths[self.open:] = [p for p in ip.paths[self.open:] if id(p) not in ended]

    def _args(self, vars: dict, contents: dict) -> list:
        leaves: list = []
        for n, s in self.skeletons.items():
            extract(s, vars.get(n), leaves)
        for k, (_, s) in self.containers.items():
            extract(s, contents[k], leaves)
        return [convert(self.ip, v, a) for v, a in zip(leaves, self.wanted)]

    def _exit(self) -> list:
        """The paths that leave the loop: its normal end (after the `else`), then the breaks."""
        ip = self.ip
        if self.exit_path is None:
            return self.loop.breaks
        ip.journal.append({})
        go_on(ip, [self.exit_path])
        ip.block(self.node.orelse)
        paths = [here(ip)] if ip.live else []
        for key, (container, old) in ip.journal.pop().items():
            region._refill(container, old)
            if ip.journal and container.born < self.born:
                ip.journal[-1].setdefault(key, (container, old))
        return paths + self.loop.breaks

    def _go_on_behind(self, entry, call) -> None:
        """The ways out return the variables; interpretation goes on after the call of the header."""
        ip, frame = self.ip, self.frame
        ip.tails.append(self.region)
        try:
            paths = self._exit()
        finally:
            ip.tails.pop()
        if not paths:
            region.settle(ip, self.region, [])
            ip.builder, ip.live = entry, False
            return
        merged, _ = region._join_vars(ip, [p.vars for p in paths])
        containers = region._join_heap(ip, paths, self.born)
        wanted, wrapped = [], {}
        for n, s in merged.items():
            wrapped[n] = self._exported(s, containers)
            leaf_abstracts(wrapped[n], wanted)
        boxes = {k: self._exported(s, {}) for k, s in containers.items()}
        for s in boxes.values():
            leaf_abstracts(s, wanted)
        for path in paths:
            leaves = [v for n, s in wrapped.items() for v in extract(s, path.vars.get(n), [])]
            for k, s in boxes.items():
                extract(s, region._contents(path, k, paths), leaves)
            with ip.apart(path.builder):
                path.builder.graph.output = region.pack(
                    ip, [convert(ip, v, a) for v, a in zip(leaves, wanted)]
                )
        call.abstract = region.packed(wanted)
        region.settle(ip, self.region, wanted)
        ip.builder, ip.loaded, ip.live = entry, {}, True
        leaves = iter(region.unpack(ip, call, len(wanted)))
        frame.vars = {n: unflatten(s, leaves) for n, s in wrapped.items()}
        region._refill_all(ip, boxes, paths, leaves)

    def _exported(self, value, containers: dict):
        """The skeleton of a variable as the loop returns it: nodes of the loop's own graphs become leaves."""
        if isinstance(value, (list, dict)) and id(value) in containers:
            return Same(value)
        if isinstance(value, Same):
            inner = self._exported(value.value, containers)
            return inner if leaf_abstracts(inner, []) else value
        if isinstance(value, Node) and value.graph in self._graphs():
            return widen(value)
        p = values.parts(value)
        if p is None:
            return value
        items = [self._exported(v, containers) for v in p.items]
        changed = isinstance(value, (list, dict)) or any(a is not b for a, b in zip(items, p.items))
        return p.remake(items) if changed else value

    def _graphs(self) -> set:
        """The graphs made for this loop."""
        if self.own is None:
            self.own = set(self.ip.graphs[self.ip.graphs.index(self.header):])
        return self.own

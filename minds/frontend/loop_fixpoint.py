"""Loops as graphs.

A header graph takes what the body changes (variables, and the contents of lists and dicts) as
parameters, tests the condition, and chooses between a body graph that tail-calls the header, and an
exit graph. What the parameters are is an assumption, and a fixpoint: the body is interpreted again
if it leaves a variable with another type than it found, or another list in its place. If the body
may `return`, what follows the loop is interpreted inside the exit, so that the loop's value is the
function's; else the exit returns the variables.
"""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field

import gast

from ..base.errors import CompileTimeError, ParseError, complain, refuse
from ..ir.abstract import NONE
from ..ir.node import Apply, Node, Param
from ..ir.shape_env import carrying, of_any_size
from . import recursive_closures, region
from .emit import Bottom, EmitBuilder
from .flow import Path, Region, at, die, fork, here, inside, nested, resume, stop
from .function_types import Missing
from .header import Header, is_changeable
from .merge import Merge, reachable
from .raises import Escapes, attempted, caught
from .region import convert, discard, go_on
from .source import bound_names, stored_names
from .tables import Wanted
from .value_types import Column, RunList
from .values import leaves_of
from .walks import contains

ROUNDS = 30
"""A loop's body is interpreted at most so often; each round moves a type up a chain of two or three."""


WISHES = 300
"""So often lists become rows before a loop (`tables`)."""


def final(kind: type, *what, **more) -> Exception:
    """`refuse` a loop that is wrong in whatever way it is compiled."""
    error = refuse(kind, *what, **more)
    error.final = True
    return error


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


def roll(ip, node, condition, bind, extra: set, countable: bool = False) -> None:
    """A loop as graphs. ``condition()`` tests, ``bind()`` starts an iteration, ``extra`` names are
    changed besides the body's. A ``countable`` loop can be unrolled instead.

    Raises:
        CompileTimeError: the body needs what changes in it while compiling, or (countable) a
            variable has no common type over the iterations, such as a tuple that grows; nothing has
            been emitted then.
    """
    inside = [*node.body, node.test] if isinstance(node, gast.While) else node.body
    changed, stored = bound_names(inside) | extra, stored_names(node.body)
    entry = fork(ip)
    assumed = Header.first(ip, entry, changed, stored, ("loop", id(node)), countable)
    opens = bool(node.orelse and ip.activations.catches)
    rounds = wishes = 0
    while rounds < ROUNDS and wishes < WISHES:
        mark, turn = len(ip.graphs), recursive_closures.begin(ip)
        attempt = _Attempt(ip, node, condition, bind, assumed, entry, countable, opens)
        fits, wanted = False, None
        try:
            attempt.run()
            found = attempt.found()
            recursive_closures.settle(ip)
            if countable:
                attempt.expect_types(found)
            fits = found.is_like(assumed) and not turn.dirty
        except Escapes as e:
            if e.region is not attempt.region:
                raise
            opens, found = True, assumed
        except Wanted as w:
            if w.attempt is not attempt:
                raise
            wanted = w
        finally:
            recursive_closures.end(ip, turn)
            if not fits:
                recursive_closures.forget(ip, turn)
                discard(ip, mark)
                attempt.forget()
        if fits:
            attempt.expect_end()
            attempt.expect_one_name(found)
            if countable:
                attempt.expect_readable()
            attempt.finish(found)
            return
        if wanted is not None:
            wanted.make(ip)
            entry = fork(ip)
            found = Header.first(ip, entry, changed, stored, ("loop", id(node)), countable)
            wishes += 1
        else:
            rounds += 1
        assumed = found
    raise complain(
        CompileTimeError,
        "the types of a loop's variables do not settle",
        cure="give each variable one type before the loop, and keep it",
    )


def _returns(node) -> bool:
    """Whether a loop leaves what is around it."""
    # A break in the loop's own `else` belongs to the loop around it.
    return contains([*node.body, *node.orelse], gast.Return) or contains(
        node.orelse, (gast.Break, gast.Continue)
    )


class _Attempt:
    """One interpretation of a rolled loop under an assumption."""

    def __init__(self, ip, node, condition, bind, assumed: Header, entry: Path, countable, opens):
        self.ip, self.node, self.condition, self.bind = ip, node, condition, bind
        self.countable = countable
        self.assumed, self.returns, self.entry = assumed, opens or _returns(node), entry
        self.frame = ip.frames[-1]
        self.region = (
            ip.flow.tails[-1] if self.returns else Region(ip.builder, len(ip.graphs), sealed=True)
        )
        self.counts = (
            len(self.region.pending),
            len(self.region.exits),
            len(self.frame.region.exits),
            len(self.region.dead),
        )
        self.made, self.caught = len(ip.graphs), caught(ip)
        self.header = ip.graph(
            f"{self.frame.source.name}:{'for' if isinstance(node, gast.For) else 'while'}"
        )
        self.back: list = []
        self.loop, self.noted = None, len(ip.tensors.log)
        self.held = (ip.tensors.held.copy(), ip.flow.twice.copy(), ip.flow.in_place.copy())

    # ---- interpreting

    def run(self) -> None:
        """Interpret header, body and exit."""
        ip, frame = self.ip, self.frame
        self._enter()
        saved, trunk, unrolled = frame.region, ip.flow.trunk, ip.flow.unrolled
        ip.flow.attempts.append(self)
        self.loop = frame.loop = Loop(frame.loop)
        try:
            with nested(ip), nullcontext() if self.returns else inside(ip, self.region):
                attempted(ip, self._iteration)
        finally:
            ip.flow.attempts.pop()
            frame.loop, frame.region = self.loop.outer, saved
            ip.flow.trunk, ip.flow.unrolled = trunk, unrolled

    def own(self) -> set:
        """The graphs made in this attempt."""
        return set(self.ip.graphs[self.made :])

    def is_before(self, v) -> bool:
        """Whether a value of the run is there before the loop."""
        return not isinstance(v, (Apply, Param)) or v.graph not in self.own()

    def _enter(self) -> None:
        ip, add_param = self.ip, self.header.add_param
        wanted = self.assumed.wanted
        self.assumed.begin([add_param(f"v{i}", a, ip.here()) for i, a in enumerate(wanted)])
        ip.flow.builder = EmitBuilder(ip, self.header)
        self.start = here(ip)
        self.born = self.start.version.ended

    def _iteration(self) -> None:
        ip, dead = self.ip, len(self.region.dead)
        try:
            test = self.condition()
        except Bottom:
            if len(self.region.dead) == dead:  # it calls what has no type yet
                raise
            self.exit_path = None
            return
        base = here(ip)
        if not isinstance(test, Node):
            self.exit_path = None if test else base
            if test:
                self._body()
            return
        body, exit_ = [ip.graph(f"{self.frame.source.name}:{part}") for part in ("body", "after")]
        where = ip.builder
        where.loc = ip.here()
        call = where.call(where.switch(test, body, exit_), (), NONE)
        self.region.pending.append((where.graph, call))
        self.exit_path = Path(EmitBuilder(ip, exit_), base.version)
        ip.flow.builder = EmitBuilder(ip, body)
        self._body()

    def _body(self) -> None:
        ip = self.ip
        if self.countable:  # what fails in every iteration may not where it is unrolled
            ip.flow.trunk = (ip.builder.graph, ip.flow.nested, None)
        try:
            attempted(ip, self.bind)
            ip.block(self.node.body)
        except Bottom:
            ip.flow.live = False
        if ip.live:
            self.loop.continues.append(stop(ip))
        self.back += self.loop.continues
        ip.flow.live = True

    # ---- the fixpoint

    def found(self) -> Header:
        """What the next iteration finds."""
        assumed, paths = self.assumed, [self.start, *self.back]
        with carrying(assumed.sizes):
            found = Header(
                self.ip, paths, self.entry, self.born, assumed, self.header, assumed.token
            )
            found.next(assumed)
        return found

    def expect_one_name(self, found: Header) -> None:
        """A tensor that the loop changes must have one name where an iteration starts, unless it
        always has the others.
        """
        ip, tensors = self.ip, self.ip.tensors
        touched = tensors.families(tensors.log[self.noted :])
        if not touched:
            return
        with at(ip, self.start):
            outer = reachable(ip) - set(map(id, self.header.params))
        # What an iteration makes and changes has no name at its start: it is a parameter there.
        touched &= (
            outer | set(map(id, self.header.params)) | tensors.families(map(id, found.handed[0]))
        )
        held, parameters = self._held(found), set(map(id, ip.parameters.found))
        for leaves in found.handed:
            for k, v in enumerate(leaves):
                if id(self.header.params[k]) not in touched:
                    continue
                if held & tensors.family(v):
                    raise self._changed(found.label(k), "is changed in a loop, and in a list")
                if k not in found.boxed and parameters & tensors.family(v):
                    ip.parameters.chosen.expect_known()
                    what = "is changed in a loop, and a Parameter in some iterations"
                    raise self._changed(found.label(k), what)
            own = [
                (k, tensors.family(v))
                for k, v in enumerate(leaves)
                if is_changeable(v) and k not in found.boxed
            ]
            names = Counter(i for _, identities in own for i in identities)
            for k, identities in own:
                if touched.isdisjoint({id(self.header.params[k]), *identities}):
                    continue
                if any(names[i] > 1 or i in outer for i in identities):
                    what = "is changed in a loop, and has another name in some iterations"
                    raise self._changed(found.label(k), what)
        if held & touched & outer:
            raise self._changed("", "is changed in a loop, and in a list")

    def expect_readable(self) -> None:
        """Raise if the loop changes a container in one iteration that has another name: which it is
        would be known where the loop is unrolled.
        """
        ip = self.ip
        for path in [*self.back, *self.loop.breaks]:
            cells = ip.store.changed(self.entry.version, path.version).values()
            with at(ip, path):
                lost = [c for c in cells if getattr(c, "stale", None) is not None]
                named = reachable(ip) if lost else ()
                for c in lost:
                    if id(c) in named:
                        ip.aliases.usable(c)

    @staticmethod
    def _changed(name: str, what: str) -> Exception:
        name, x = (f"the tensor {name!r}", name) if name else ("a tensor", "x")
        return complain(ParseError, f"{name} {what}", cure=f"copy it: {x} = {x}.copy()")

    def _held(self, found: Header) -> set:
        """The identities of the tensors in lists of the run, those that enter the loop too."""
        held = set(self.ip.tensors.held)
        for leaves in found.handed:
            for v in leaves:
                if type(v) is Column and type(v.of) is not RunList:
                    held.update(map(id, leaves_of(v.of)))
        return held

    def expect_types(self, found: Header) -> None:
        """Raise unless every variable that had a type still has one."""
        for k, (skeleton, _) in enumerate(found.places):
            known = self.assumed.places[k][0] if k < len(self.assumed.places) else None
            if isinstance(skeleton, Missing) and not isinstance(known, Missing):
                raise complain(CompileTimeError, skeleton.text, cure=skeleton.cure)

    def expect_end(self) -> None:
        """Raise if nothing leaves the loop."""
        ways = (len(self.region.exits), len(self.frame.region.exits), len(self.region.dead))
        if caught(self.ip) > self.caught:
            return
        if self.exit_path is None and not self.loop.breaks and ways == self.counts[1:]:
            raise final(
                RuntimeError,
                "this loop never ends: its condition holds whatever the data, and nothing in it "
                "leaves",
                cure="let the condition depend on what the loop changes, or leave it with break or return",
            )

    def forget(self) -> None:
        """Undo what this attempt noted in regions and containers outside of it."""
        pending, exits, returned, dead = self.counts
        del (
            self.region.pending[pending:],
            self.region.exits[exits:],
            self.frame.region.exits[returned:],
        )
        del self.region.dead[dead:]
        self.ip.tensors.held, self.ip.flow.twice, self.ip.flow.in_place = self.held
        resume(self.ip, self.entry)

    # ---- going on behind the loop

    def finish(self, found: Header) -> None:
        """Close the graphs, call the header from where the loop stands, and go on behind it."""
        ip, (first, *rest) = self.ip, found.handed
        for path, leaves in zip(self.back, rest):
            with at(ip, path):
                self.region.pending.append((ip.builder.graph, self._call(leaves)))
        resume(ip, self.entry)
        entry, call = ip.builder, self._call(first)
        for k, (param, alike) in enumerate(zip(self.header.params, zip(*found.handed))):
            if k not in found.boxed:
                ip.tensors.may_be(param, alike)
        if self.returns:
            self.region.pending.append((entry.graph, call))
            go_on(ip, self._exit())
        else:
            self._go_on_behind(entry, call)

    def _call(self, leaves: list) -> Node:
        """A call of the header with these leaves."""
        args = [convert(self.ip, v, a) for v, a in zip(leaves, self.assumed.wanted)]
        self.ip.builder.loc = self.ip.here()
        return self.ip.builder.call(self.header, args, NONE)

    def _exit(self) -> list:
        """The paths that leave the loop: its normal end (after the `else`), then the breaks."""
        ip = self.ip
        if self.exit_path is None:
            return self.loop.breaks
        with nested(ip):
            resume(ip, self.exit_path)
            ip.block(self.node.orelse)
        return ([stop(ip)] if ip.live else []) + self.loop.breaks

    def _go_on_behind(self, entry, call) -> None:
        """The ways out return the variables; interpretation goes on after the call of the header."""
        ip, frame = self.ip, self.frame
        with inside(ip, self.region):
            paths = self._exit()
        if not paths:
            region.settle(ip, self.region, [])
            ip.flow.builder = entry
            die(ip)  # in the loop
            return
        own = self.own()
        merge = Merge(ip, paths, self.entry.version, self.born, lambda n: n.graph in own)
        names = merge.variables()
        # Behind the loop they are not those of its start, which the value that it starts from has
        # too.
        wanted = list(map(of_any_size, merge.abstracts()))
        region.hand_over(ip, paths, merge, wanted)
        call.abstract = region.packed(wanted)
        region.settle(ip, self.region, wanted)
        ip.flow.builder, ip.flow.live = entry, True
        ip.parameters.loaded.clear()
        frame.vars.replace(zip(names, merge.fill(region.unpack(ip, call, len(wanted)))))

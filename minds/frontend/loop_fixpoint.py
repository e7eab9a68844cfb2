"""Loops as graphs.

A header graph takes what the body changes (variables, and the contents of lists and dicts) as
parameters, tests the condition, and chooses between a body graph that tail-calls the header, and an
exit graph. What the parameters are is an assumption, and a fixpoint: the body is interpreted again
if it leaves a variable with another type than it found, or another list in its place. If the body
may `return`, what follows the loop is interpreted inside the exit, so that the loop's value is the
function's; else the exit returns the variables.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import gast

from ..base.errors import CompileTimeError, ParseError, complain
from ..ir.abstract import NONE
from ..ir.node import Node
from ..ir.shape_env import carrying, of_any_size
from ..tensor import Parameter, Tensor
from . import recursive_closures, region
from .emit import EmitBuilder
from .flow import Path, Region, at, fork, here, resume, stop
from .merge import Merge, family, no_common, reachable, sharing
from .region import convert, discard, go_on
from .source import bound_names, contains, stored_names
from .store import clock
from .value_types import Box
from .values import (
    Leaf,
    LocalList,
    Mismatch,
    Missing,
    Same,
    extract,
    is_function,
    leaf_abstracts,
    parts,
    record,
    same,
    unflatten,
    widen,
)

ROUNDS = 30
"""A loop's body is interpreted at most so often; each round moves some variable's type up a chain
of two or three.
"""


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


@dataclass(eq=False)
class Assumption:
    """What a loop's body finds at the start of each iteration.

    Attributes:
        skeletons: name → skeleton of the variables that the loop changes.
        contents: identity → (container, skeleton of what it holds).
        entries: identity of a container that the loop made for a place → the one that stands there
            before the loop.
        groups: (name or identity, number of the leaf) → what leaves that hold one tensor share.
        sizes: found by the run, of what an iteration may leave in another size.
        written: what an iteration adds to `Tensors.written`.
    """

    skeletons: dict
    contents: dict = field(default_factory=dict)
    entries: dict = field(default_factory=dict)
    groups: dict = field(default_factory=dict)
    sizes: set = field(default_factory=set)
    written: dict = field(default_factory=dict)

    def places(self) -> list:
        """(name or identity, skeleton) of everything that is handed over."""
        return [*self.skeletons.items(), *((k, s) for k, (_, s) in self.contents.items())]

    def leaves(self, vars: dict, held: dict) -> dict:
        """(name or identity, number of the leaf) → leaf, of these variables and contents of
        containers.
        """
        out = {}
        for key, s in self.places():
            if key in self.contents and s.stale is not None:
                continue
            found = extract(s, held[key] if key in self.contents else vars.get(key), [])
            out.update(((key, k), v) for k, v in enumerate(found))
        return out

    def admit(self, ip, paths: list[dict]) -> None:
        """The functions of places where any may stand are known before they are called."""
        kinds = {
            (key, k): a for key, s in self.places() for k, a in enumerate(leaf_abstracts(s, []))
        }
        for leaves in paths:
            for place, v in leaves.items():
                if recursive_closures.is_open(kinds[place]) and is_function(v):
                    recursive_closures.admit(ip, v, kinds[place].key)

    def is_content(self, place: tuple) -> bool:
        """Whether a leaf is what a tensor holds, and no tensor itself."""
        return place[0] in self.contents and type(self.contents[place[0]][0]) is Box

    def regroup(self, paths: list[dict], old: dict) -> None:
        """Find the leaves that hold one tensor on all ``paths`` and were in one of the ``old``
        groups.
        """
        keys: dict = {}
        for j, place in enumerate(paths[0]):
            column = [p[place] for p in paths]
            key = old.get(place), j if self.is_content(place) else sharing(column, j)
            self.groups[place] = keys.setdefault(key, len(keys))


def roll(ip, node, condition, bind, extra: set, countable: bool = False) -> None:
    """A loop as graphs. ``condition()`` tests, ``bind()`` starts an iteration, ``extra`` names are
    changed besides the body's. A ``countable`` loop can be unrolled instead.

    Raises:
        CompileTimeError: the body needs what changes in it while compiling, or (countable) a
            variable has no common type over the iterations, such as a tuple that grows; nothing has
            been emitted then.
    """
    frame = ip.frames[-1]
    assumed = _first_assumption(ip, node, extra)
    entry, initial = fork(ip), dict(frame.vars)
    for _ in range(ROUNDS):
        mark, turn = len(ip.graphs), recursive_closures.begin(ip)
        attempt = _Attempt(ip, node, condition, bind, assumed, entry)
        fits = False
        try:
            attempt.run()
            found = attempt.found(initial)
            recursive_closures.settle(ip)
            if countable:
                attempt.expect_types(found)
            fits = attempt.holds(found) and not turn.dirty
        finally:
            recursive_closures.end(ip, turn)
            if not fits:
                recursive_closures.forget(ip, turn)
                discard(ip, mark)
                attempt.forget()
        if fits:
            attempt.expect_end()
            attempt.expect_one_name(found)
            attempt.finish(initial)
            return
        assumed = found
    raise complain(
        CompileTimeError,
        "the types of a loop's variables do not settle",
        cure="give each variable one type before the loop, and keep it",
    )


def _first_assumption(ip, node, extra: set) -> Assumption:
    """What the loop changes for all that its syntax says, as it is before the loop."""
    vars = ip.frames[-1].vars
    inside = [*node.body, node.test] if isinstance(node, gast.While) else node.body
    changed = bound_names(inside) | extra
    assumed = Assumption({n: widened(v) for n, v in vars.items() if n in changed})
    for n in stored_names(node.body):  # of which items are set
        v = vars.get(n)
        if n not in changed and _is_changeable(v):
            box = ip.tensors.box(v)
            assumed.contents[id(box)] = (box, LocalList([Leaf(box[0].abstract)]))
    held = {k: c for k, (c, _) in assumed.contents.items()}
    assumed.regroup([assumed.leaves(vars, held)], {})
    return assumed


def _returns(node) -> bool:
    """Whether a loop leaves what is around it."""
    # A break in the loop's own `else` belongs to the loop around it.
    return contains([*node.body, *node.orelse], gast.Return) or contains(
        node.orelse, (gast.Break, gast.Continue)
    )


def _is_changeable(v) -> bool:
    return isinstance(v, (Node, Tensor)) and not isinstance(v, Parameter)


def widened(v):
    """The skeleton of a variable that a loop changes: `widen`, but lists and dicts stay what they
    are.
    """
    if isinstance(v, Same):
        return v if family(v.value) is not None else widened(v.value)
    if isinstance(v, Missing):
        return v
    if family(v) is not None:
        return Same(v)
    if isinstance(v, tuple) or record(v) is not None:
        p = parts(v)
        return p.remake([widened(e) for e in p.items])
    return widen(v)


class _Attempt:
    """One interpretation of a rolled loop under an assumption."""

    def __init__(self, ip, node, condition, bind, assumed: Assumption, entry: Path):
        self.ip, self.node, self.condition, self.bind = ip, node, condition, bind
        self.assumed, self.returns, self.entry = assumed, _returns(node), entry
        self.frame = ip.frames[-1]
        self.region = ip.flow.tails[-1] if self.returns else Region(ip.builder, len(ip.graphs))
        self.counts = (
            len(self.region.pending),
            len(self.region.exits),
            len(self.frame.region.exits),
            len(self.region.dead),
        )
        self.made = len(ip.graphs)
        self.header = ip.graph(
            f"{self.frame.source.name}:{'for' if isinstance(node, gast.For) else 'while'}"
        )
        abstracts = [a for _, s in assumed.places() for a in leaf_abstracts(s, [])]
        self.first = {g: place for place, g in reversed(assumed.groups.items())}
        self.first = [self.first[g] for g in range(len(self.first))]
        at = dict(zip(assumed.groups, abstracts))
        self.wanted = [at[place] for place in self.first]
        self.back: list = []
        self.loop, self.noted = None, len(ip.tensors.log)
        self.origins = {k: c.origins for k, (c, _) in assumed.contents.items()}

    # ---- interpreting

    def run(self) -> None:
        """Interpret header, body and exit."""
        ip, frame = self.ip, self.frame
        self._enter()
        if not self.returns:
            ip.flow.tails.append(self.region)
        ip.flow.nested += 1
        saved_region = frame.region
        self.loop = frame.loop = Loop(frame.loop)
        try:
            self._iteration()
        finally:
            frame.loop = self.loop.outer
            frame.region = saved_region
            ip.flow.nested -= 1
            if not self.returns:
                ip.flow.tails.pop()

    def _enter(self) -> None:
        ip, assumed = self.ip, self.assumed
        shared = [self.header.add_param(f"v{i}", a, ip.here()) for i, a in enumerate(self.wanted)]
        params = iter([shared[g] for g in assumed.groups.values()])
        self.frame.vars.update({n: unflatten(s, params) for n, s in assumed.skeletons.items()})
        for container, s in assumed.contents.values():
            contents = unflatten(s, params)
            contents.stale = s.stale
            ip.store.set(container, contents)
        ip.parameters.loaded.clear()
        for identity, (writer, _, why) in assumed.written.items():
            ip.tensors.written[identity] = (writer, clock(), why)
        ip.flow.builder = EmitBuilder(ip, self.header)
        self.start = here(ip)
        self.born = self.start.version.ended

    def _iteration(self) -> None:
        ip = self.ip
        test = self.condition()
        base = here(ip)
        if not isinstance(test, Node):
            self.exit_path = None if test else base
            if test:
                self._body()
            return
        body, exit_ = (
            ip.graph(f"{self.frame.source.name}:body"),
            ip.graph(f"{self.frame.source.name}:after"),
        )
        where = ip.builder
        where.loc = ip.here()
        call = where.call(where.switch(test, body, exit_), (), NONE)
        self.region.pending.append((where.graph, call))
        self.exit_path = Path(EmitBuilder(ip, exit_), base.version)
        ip.flow.builder = EmitBuilder(ip, body)
        self._body()

    def _body(self) -> None:
        ip = self.ip
        self.bind()
        ip.block(self.node.body)
        if ip.live:
            self.loop.continues.append(stop(ip))
        self.back += self.loop.continues
        ip.flow.live = True

    # ---- the fixpoint

    def found(self, initial: dict) -> Assumption:
        """What the next iteration finds, joined over the entry and every way back to the header."""
        with carrying(self.assumed.sizes):
            return self._merged(initial)

    def _merged(self, initial: dict) -> Assumption:
        assumed = self.assumed
        self.merge = merge = _HeaderMerge(
            self.ip,
            [self.start, *self.back],
            self.entry.version,
            self.born,
            assumed.entries,
            self.node,
            self.header,
        )
        back = merge.paths[1:]
        renamed = {
            n: v
            for n, v in initial.items()
            if n not in assumed.skeletons and any(p.vars.get(n) is not v for p in back)
        }
        skeletons = {}
        for name, known in (assumed.skeletons | renamed).items():
            alike = [p.vars.get(name) for p in merge.paths]
            skeletons[name] = known if isinstance(known, Missing) else merge.variable(name, alike)
        contents = {}
        for key, (container, skeleton, _) in merge.contents.items():
            contents[key] = (container, skeleton)
        merge.link()
        entries = {
            id(made): assumed.entries.get(id(alike[0]), alike[0]) for made, alike in merge.sources
        }
        new = Assumption(skeletons, contents, entries, sizes=assumed.sizes)
        starts = [
            new.leaves(initial, self._at_entry(new)),
            *[
                new.leaves(p.vars, {k: merge.contents[k][2][j] for k in contents})
                for j, p in enumerate(back, 1)
            ],
        ]
        new.admit(self.ip, starts)
        new.regroup(starts, assumed.groups)
        self.starts, before = starts, merge.paths[0].written
        written = {k: w for p in back for k, w in p.written.items() if before.get(k) is not w}
        known = reachable(self.ip) if written else ()
        new.written = assumed.written | {k: w for k, w in written.items() if k in known}
        return new

    def _at_entry(self, assumed: Assumption) -> dict:
        """What the containers of an assumption hold before the loop."""
        return {k: assumed.entries.get(k, c) for k, (c, _) in assumed.contents.items()}

    def expect_one_name(self, found: Assumption) -> None:
        """A tensor that is changed in the loop must have one name where an iteration starts, unless
        it always has the others.
        """
        ip, tensors = self.ip, self.ip.tensors
        touched = set(tensors.log[self.noted :])
        if not touched:
            return
        with at(ip, self.start):
            outer = reachable(ip) - set(map(id, self.header.params))
        for leaves in self.starts:
            own = {p: v for p, v in leaves.items() if _is_changeable(v) and not found.is_content(p)}
            holders: dict = {}
            for place, v in own.items():
                for identity in tensors.family(v):
                    holders.setdefault(identity, set()).add(found.groups[place])
            for place, v in own.items():
                family = tensors.family(v)
                param = self.header.params[found.groups[place]]
                if touched.isdisjoint({id(param), *family}):
                    continue
                if any(len(holders[i]) > 1 or i in outer for i in family):
                    name = place[0] if isinstance(place[0], str) else "of a list or dict"
                    raise complain(
                        ParseError,
                        f"the tensor {name!r} is changed in a loop, and has another name "
                        "in some iterations",
                        cure=f"copy it: {name} = {name}.copy()",
                    )

    def expect_types(self, found: Assumption) -> None:
        """Raise unless every variable that had a type still has one."""
        for name, skeleton in found.skeletons.items():
            if isinstance(skeleton, Missing) and not isinstance(
                self.assumed.skeletons.get(name), Missing
            ):
                raise complain(CompileTimeError, skeleton.text, cure=skeleton.cure)

    def expect_end(self) -> None:
        """Raise if nothing leaves the loop."""
        ways = (len(self.region.exits), len(self.frame.region.exits), len(self.region.dead))
        if self.exit_path is None and not self.loop.breaks and ways == self.counts[1:]:
            raise complain(
                RuntimeError,
                "this loop never ends: its condition holds whatever the data, and nothing in it "
                "leaves",
                cure="let the condition depend on what the loop changes, or leave it with break or return",
            )

    def holds(self, found: Assumption) -> bool:
        """Whether the assumption does."""
        assumed = self.assumed
        return (
            found.skeletons.keys() == assumed.skeletons.keys()
            and all(
                same(s, found.skeletons[n])
                or isinstance(s, Missing)
                and isinstance(found.skeletons[n], Missing)
                for n, s in assumed.skeletons.items()
            )
            and found.contents.keys() == assumed.contents.keys()
            and found.groups == assumed.groups
            and found.written.keys() == assumed.written.keys()
            and all(
                same(found.contents[k][1], s)
                and (found.contents[k][1].stale is None) == (s.stale is None)
                and c.origins == self.origins[k]
                for k, (c, s) in assumed.contents.items()
            )
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
        resume(self.ip, self.entry)

    # ---- going on behind the loop

    def finish(self, initial: dict) -> None:
        """Close the graphs, call the header from where the loop stands, and go on behind it."""
        ip, contents, handed = self.ip, self.assumed.contents, []
        for j, path in enumerate(self.back, 1):
            held = {k: self.merge.contents[k][2][j] for k in contents}
            leaves = self.assumed.leaves(self.merge.paths[j].vars, held)
            with at(ip, path):
                self.region.pending.append((ip.builder.graph, self._call(leaves, handed)))
        resume(ip, self.entry)
        entry = ip.builder
        call = self._call(self.assumed.leaves(initial, self._at_entry(self.assumed)), handed)
        for param, alike in zip(self.header.params, zip(*handed)):
            ip.tensors.may_be(param, alike)
        if self.returns:
            self.region.pending.append((entry.graph, call))
            go_on(ip, self._exit())
        else:
            self._go_on_behind(entry, call)

    def _call(self, leaves: dict, handed: list) -> Node:
        """A call of the header with these leaves."""
        chosen = [leaves[place] for place in self.first]
        handed.append(chosen)
        args = [convert(self.ip, v, a) for v, a in zip(chosen, self.wanted)]
        self.ip.builder.loc = self.ip.here()
        return self.ip.builder.call(self.header, args, NONE)

    def _exit(self) -> list:
        """The paths that leave the loop: its normal end (after the `else`), then the breaks."""
        ip = self.ip
        if self.exit_path is None:
            return self.loop.breaks
        ip.flow.nested += 1
        resume(ip, self.exit_path)
        ip.block(self.node.orelse)
        ip.flow.nested -= 1
        return ([stop(ip)] if ip.live else []) + self.loop.breaks

    def _go_on_behind(self, entry, call) -> None:
        """The ways out return the variables; interpretation goes on after the call of the
        header.
        """
        ip, frame = self.ip, self.frame
        ip.flow.tails.append(self.region)
        try:
            paths = self._exit()
        finally:
            ip.flow.tails.pop()
        if not paths:
            region.settle(ip, self.region, [])
            ip.flow.builder, ip.flow.live = entry, False
            return
        own = set(ip.graphs[self.made :])
        merge = Merge(ip, paths, self.entry.version, self.born, lambda n: n.graph in own)
        names = merge.variables()
        # Behind the loop they are not those of its start, which the value that it starts from has
        # too.
        wanted = list(map(of_any_size, merge.abstracts()))
        for path, leaves in zip(paths, merge.handed):
            with at(ip, path):
                args = [convert(ip, v, a) for v, a in zip(leaves, wanted)]
                ip.builder.graph.output = region.pack(ip, args)
        call.abstract = region.packed(wanted)
        region.settle(ip, self.region, wanted)
        ip.flow.builder, ip.flow.live = entry, True
        ip.parameters.loaded.clear()
        frame.vars.replace(zip(names, merge.fill(region.unpack(ip, call, len(wanted)))))


class _HeaderMerge(Merge):
    """The state at the start of an iteration: the first path is the one assumed, the others are
    ways back.

    A container that the loop made for a place serves that place again; every other combination gets
    a new one.
    """

    def __init__(self, ip, paths, base, born, made: dict, node, header):
        self.own, self.token = made, ("loop", id(node))
        # What every iteration hands on as it was is a param of the header all the same.
        super().__init__(ip, paths, base, born, lambda n: n.graph is header)

    def variable(self, name: str, alike: list):
        """The skeleton of a variable, or a `Missing`."""
        try:
            return widened(self.join(alike))
        except Mismatch as e:
            return no_common(name, e)

    def _different(self, why: Mismatch) -> Exception:
        return complain(
            CompileTimeError,
            f"a list or dict changes its structure in a loop: {why}",
            cure="give the loop a length that is known when the program is compiled",
        )

    def _keep(self, c) -> None:
        if id(c) not in self.own:
            super()._keep(c)

    def _new(self, alike):
        first = alike[0]
        return (
            first
            if id(first) in self.own and id(first) not in self.contents
            else super()._new(alike)
        )

    def _is_kept(self, alike) -> bool:
        return super()._is_kept(alike) and id(alike[0]) not in self.own

    def _origins(self, v, shared: bool) -> set:
        """Containers of the body do not live on to the next interpretation: one token stands for
        them.
        """
        if v.born < self.born:
            return super()._origins(v, shared)
        old = {
            o
            for o in v.origins or ()
            if o in self.ip.aliases.groups and self.ip.aliases.groups[o][0].born < self.born
        }
        return old | {self.token} if shared else old

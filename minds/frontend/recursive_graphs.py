"""The graphs of recursive functions: types that are found together.

A recursive function with arguments of certain types is a `Recursive`: a graph that calls itself, and
others that call it back. Those that are met while one is interpreted, and could stand where that one
does, make a `Group` with it: all of them are interpreted in rounds, each once in a round, until no
type changes. So a call whose result has no type yet abandons its path (`Bottom`) until the next
round, and mutual recursion costs as many interpretations as there are functions, times the rounds.

Lists and dicts older than the group that its functions change (with the attributes of objects, which
are dicts) are its *state*: each graph takes what they hold after the arguments, and returns what they
hold after the result.

A group serves later calls, too, as long as what it was made from stands as it did.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field

from ..base.errors import ParseError, complain, refuse
from ..ir import prim
from ..ir.abstract import INT
from ..ir.node import Apply, Constant, Graph, Node, set_args
from ..ir.shape_env import carrying, of_any_size
from . import recursive_closures, region, values
from .emit import CALLEE, Bottom, EmitBuilder
from .flow import Path, Region, here, inside, resume
from .function_types import UNKNOWN, Closure, Frame
from .merge import family, reachable
from .nesting import chain_type
from .store import Bindings, clock
from .structure import parts
from .value_types import (
    LOCAL,
    Box,
    LocalDict,
    LocalList,
    Same,
    attributes_of,
    containers_of,
    is_made,
)
from .values import Mismatch, extract, flatten, join, leaf_abstracts, same, unflatten, widen

ROUNDS = 30
"""A group is interpreted at most so often; each round moves some type up a chain of two or three."""

NEVER = object()
"""The result of a function of which all ways that end raise."""


@dataclass(eq=False)
class Recursive:
    """A function that is interpreted into a graph.

    Attributes:
        group: the functions whose types are found with its own.
        key, frame: the function, and the call that needed it.
        args, result: the skeletons of its arguments, and of its result where known.
        graph, depth: the graph of this round, and its parameter for the number of recursive calls
            around it.
        lost: the numbers of the tensors among the leaves of its arguments that it changes.
        counted: (call, test that it is not too deep) of the recursive calls in it.
        passed: the lists and dicts of its result that it did not make.
        waits, dies: whether paths were abandoned because another function has no type yet; whether
            some path raises.
    """

    group: Group
    key: tuple
    frame: Frame
    args: dict
    result: object = UNKNOWN
    graph: Graph | None = None
    depth: Node | None = None
    lost: list = field(default_factory=list)
    counted: list = field(default_factory=list)
    passed: list = field(default_factory=list)
    waits: bool = False
    dies: bool = False

    state = property(lambda self: self.group.state)
    name = property(lambda self: self.frame.source.name)

    def begin(self, ip) -> None:
        """Make the graph of a round, with its parameters."""
        self.graph = ip.graph(self.name)
        wanted = with_state(self.args, self.state)
        self.leaves = [
            self.graph.add_param(f"v{i}", of_any_size(a), ip.here()) for i, a in enumerate(wanted)
        ]
        self.depth = self.graph.add_param("depth", INT, ip.here())
        self.counted, self.passed = [], []
        self.waits = self.dies = False

    def _activation(self, ip, leaves) -> Frame:
        """The activation whose arguments are parameters of the graph."""
        frame, vars = self.frame, Bindings(ip.store, unflatten(self.args, leaves))
        inner = Frame(vars, frame.source, frame.outer, frame.globals, frame.cells, frame.caller)
        callee = inner.vars.pop(CALLEE, None)
        if callee is not None:
            inner.outer, inner.callee = callee.frame, callee
        inner.args, inner.graph_of, inner.began = frame.args, self, began(ip, self.graph)
        return inner

    def interpret(self, ip, start) -> None:
        """Interpret the body into the graph, from where the group starts, and come back."""
        leaves = iter(self.leaves)
        inner = self._activation(ip, leaves)
        outer = set(map(id, containers_of(tuple(self.frame.args.values()), [])))
        given = set(map(id, containers_of(tuple(inner.vars.values()), []))) - outer
        noted, changes = len(ip.store.log), len(ip.tensors.log)
        ends = Region(EmitBuilder(ip, self.graph), len(ip.graphs))
        running = ip.activations.active.setdefault(self.key, [])
        running.append(inner)
        ip.parameters.loaded.clear()
        ip.flow.nested += 1
        try:
            with ip.inside(ends.base), inside(ip, ends):
                for container, skeleton in self.state.values():
                    ip.store.set(container, unflatten(skeleton, leaves))
                young = clock()
                for name, v in list(inner.vars.items()):
                    inner.vars[name] = ip.parameters.chosen.together(v)
                value = ip.interpret(inner)
                recursive_closures.settle(ip)
                self._end(ip, start, given, value, noted, young)
        except Bottom:
            self._without_value(ip, ends)
        except Mismatch as e:
            raise refuse(
                TypeError,
                f"{self.name}: results have no common type: {e}",
                cure="return the same structure, dtype and shape on every path",
            ) from None
        finally:
            running.pop()
            ip.flow.nested -= 1
            resume(ip, start)
            changed = set(ip.tensors.log[changes:])
            self.lost = [i for i, p in enumerate(self.graph.params) if id(p) in changed]

    def _end(self, ip, start, given: set, value, noted: int, young: int) -> None:
        """The graph returns ``value`` and the state, if their types are those that were assumed."""
        kept = _kept(value, young)
        with carrying(self.group.sizes):
            found = widen(kept) if self.result in (UNKNOWN, NEVER) else join(self.result, kept)
        self.passed = [
            c
            for c in containers_of(flatten(kept, []), [])
            if type(c) not in (list, dict) and c.born < young
        ]
        state = self._found_state(ip, start, noted, given)
        if same(found, self.result) and same_state(state, self.state):
            out = extract(found, value, [])
            for container, skeleton in self.state.values():
                extract(skeleton, container, out)
            wanted = with_state(found, self.state)
            self.graph.output = region.pack(
                ip, [region.convert(ip, v, a) for v, a in zip(out, wanted)]
            )
        self.result = found
        self.group.found.update(state)

    def _without_value(self, ip, ends: Region) -> None:
        """No path of the body returns, as far as types are known."""
        self.dies = bool(ends.dead)
        if self.dies and not self.waits and not ip.activations.turns[-1].dirty:
            region.close(ip, ends, [])
            self.result = NEVER

    def _found_state(self, ip, start, mark: int, given: set) -> dict:
        """identity → (container, skeleton of what it holds) of the older ones that were changed."""
        store, state = ip.store, {}
        changed = {id(c): c for c in store.log[mark:] if isinstance(c, LOCAL)}
        held = {k: c.saved() for k, c in changed.items()}
        now = store.version()
        store.go(start.version)
        before = {k: c.saved() for k, c in changed.items()}
        known = reachable(ip)
        store.go(now)
        for key, container in changed.items():
            if type(container) is Box and key not in known:
                continue
            if key in given:
                raise complain(
                    ParseError,
                    f"{self.name}: a recursive function changes a list or dict, and each call "
                    "gets another one",
                    cure="pass the same one down, or return the new elements",
                )
            if container.born < start.version.ended:
                found = self.group.found.get(key) or self.state.get(key)
                skeleton = _contents(before[key]) if found is None else found[1]
                state[key] = (container, joined(self.frame, skeleton, held[key]))
        return state


class Group:
    """Recursive functions whose types are found together, from one position of the program.

    Attributes:
        members: the functions.
        state: identity → (list or dict that they change, skeleton of what it holds). What never
            changes in it is itself in the skeleton. ``found``: that of the round; ``met``: what
            calls of members handed over, where that has another form.
        spread: the functions of which every call inside becomes one of a member, whatever its
            arguments are.
        seen: (identity of a frame, name) → (frame, value) of the variables of older calls that
            were read.
        frames, catches, enclosure, mark: the calls that go on around it, how much waits for
            exceptions, the graph whose results alone are known outside, how many graphs there were.
        entry, checked: the version from which it was made, and one behind it up to which nothing
            has changed on which it depends.
        writes: whether a parameter is written.
        open: whether its types are still being found; ``moved`` whether the last round changed one.
    """

    def __init__(self, ip, version=None, spread=()):
        self.ip, self.members, self.spread = ip, [], set(spread)
        self.state, self.found, self.met, self.seen, self.sizes = {}, {}, {}, {}, set()
        self.frames, self.catches = list(ip.frames), len(ip.activations.catches)
        self.enclosure, self.mark = ip.flow.enclosure, len(ip.graphs)
        self.writes, self.open, self.moved = False, True, True
        self.start = here(ip) if version is None else Path(ip.builder, version)
        self.entry = self.checked = self.start.version

    def add(self, key, frame: Frame, args: dict) -> Recursive:
        """One more function."""
        made = Recursive(self, key, frame, args)
        self.members.append(made)
        self.ip.activations.defined.setdefault(key, []).append(made)
        return made

    def solve(self) -> None:
        """Interpret the functions until their types no longer change."""
        ip = self.ip
        ip.activations.groups.append(self)
        try:
            for k in range(ROUNDS):
                mark, turn = len(ip.graphs), recursive_closures.begin(ip)
                try:
                    settled = self._round(mark, turn, k == 0)
                finally:
                    recursive_closures.end(ip, turn)
                if settled:
                    break
                region.discard(ip, mark)
                recursive_closures.forget(ip, turn)
            else:
                raise refuse(
                    TypeError,
                    f"{self.members[0].name}: the types of a recursive function do not settle",
                    cure="return the same structure, dtype and shape on every path",
                )
            self.open = False
        finally:
            ip.activations.groups.pop()
            if self.open:
                forget(ip, lambda m: m.group is self)
        for m in self.members:
            _uncount(m)

    def _round(self, mark: int, turn, first: bool) -> bool:
        """Interpret each function once; whether nothing has changed. What was found last, which is
        called by the others, comes first from the second round on.
        """
        ip, self.found, self.met = self.ip, {}, {}
        before = {m: (m.result, m.lost) for m in self.members}
        admit(ip, self.members[0].args, self.members[0].frame)
        for m in self.members:
            m.begin(ip)
        for m in self.members if first else self.members[::-1]:  # more may come while this goes on
            m.interpret(ip, self.start)
        for key, (frame, container, now) in self.met.items():
            _, known = self.found.get(key) or self.state[key]
            self.found[key] = (container, joined(frame, known, now))
        effects = (n for g in ip.graphs[mark:] for n in g if n.has_effect)
        writes = any(not isinstance(n.fn, (Graph, Node)) for n in effects)
        self.moved = (
            writes != self.writes
            or not same_state(self.found, self.state)
            or any(m not in before for m in self.members)
            or any(not same(m.result, r) or m.lost != lost for m, (r, lost) in before.items())
        )
        self.state, self.writes = self.found, writes
        stuck = [m for m in self.members if m.graph.ret is None]
        if stuck and not self.moved and not turn.dirty:
            self._stuck(stuck)
        return not self.moved and not stuck and not turn.dirty

    def _stuck(self, stuck: list) -> None:
        """No function in ``stuck`` has a path that returns, as far as those around it have types."""
        ip = self.ip
        if _others_unknown(ip):
            region.discard(ip, self.mark)
            raise Bottom
        for m in stuck:
            if not m.dies:
                raise recursive_closures.endless(m.name)
            m.result = NEVER

    # ---- whose calls it serves

    def takes(self, frame: Frame, args: dict) -> bool:
        """Whether a function that is met inside may be one of the members: it would be the same
        where the group starts.
        """
        if len(self.ip.activations.catches) != self.catches:
            return False
        known = self.ip.flow.enclosure is self.enclosure and self._holds(frame.outer)
        return known and self._is_older(list(args.values()), {})

    def _holds(self, scope) -> bool:
        while scope is not None and scope.finished:
            scope = scope.outer
        return scope is None or any(scope is f for f in self.frames)

    def _is_older(self, v, seen: dict) -> bool:
        """Whether ``v`` is, which is not looked at twice; ``seen``: by identity, what was."""
        if isinstance(v, Same):
            v = v.value
            held = attributes_of(v) if is_made(v) else v
            return getattr(held, "born", 0) < self.entry.ended and self._is_older(v, seen)
        kind = chain_type(v)
        if kind is not None:
            around = kind.key.frames or kind.key.base
            return around is not None and all(map(self._holds, around))
        if isinstance(v, Closure) and not self._holds(v.frame):
            return False
        p = None if id(v) in seen else parts(v)
        if p is None:
            return True
        seen[id(v)] = v
        return all(self._is_older(e, seen) for e in p.items)

    def serves(self) -> bool:
        """Whether its graphs may be called where the interpreter is."""
        ip = self.ip
        if self.open:
            return True
        if ip.flow.enclosure is not self.enclosure:
            return False
        changed, version = {}, ip.store.now
        while version is not self.entry and version is not self.checked:
            if version.depth <= self.entry.depth:
                return False
            changed.update(version.other)
            version = version.parent
        for key, (cell, _) in changed.items():
            older = isinstance(cell, LOCAL) and cell.born < self.entry.ended
            if older and key not in self.state:
                return False
        if any(f.vars.get(name) is not v for (_, name), (f, v) in self.seen.items()):
            return False
        if ip.store.now.parent.depth >= self.checked.depth:
            self.checked = ip.store.now.parent
        return all(_is_form(c, s) for c, s in self.state.values())


def began(ip, graph: Graph) -> tuple:
    """Where the code of a call starts: the graph, the number of branches and loops around it, how
    much waits for exceptions, the graph whose results alone are known outside.
    """
    flow = ip.flow
    return graph, flow.nested, len(ip.activations.catches), flow.enclosure


@contextmanager
def at_start(ip, call: Frame):
    """Be where paths part first inside of a call that is interpreted: what is defined there serves
    all of them. Gives the version, None where there is no such place.
    """
    version, graph, nested, *around = ip.store.now, *call.began
    here_too = any(f is call for f in ip.frames)
    if not here_too or around != [len(ip.activations.catches), ip.flow.enclosure]:
        yield None
        return
    while version.parent is not None and version.parent.ended > call.vars.born:
        version = version.parent
    if version is ip.store.now:
        yield None
        return
    saved, depth, at = here(ip), ip.flow.nested, ip.frames.index(call) + 1
    inner = ip.frames[at:]
    del ip.frames[at:]
    ip.flow.nested = nested
    resume(ip, Path(EmitBuilder(ip, graph), version))
    try:
        yield version
    finally:
        ip.frames[at:] = inner
        ip.flow.nested = depth
        resume(ip, saved)


def saw(ip, frame: Frame, name: str, value) -> None:
    """A variable of a call around the present one is read; ``value`` is None if it has none yet."""
    for group in ip.activations.groups:
        if any(frame is f for f in group.frames):
            group.seen.setdefault((id(frame), name), (frame, value))


def forget(ip, which) -> None:
    """No call finds the functions of which ``which(function)`` holds any more."""
    defined = ip.activations.defined
    for key, made in list(defined.items()):
        defined[key] = [m for m in made if not which(m)]
        if not defined[key]:
            del defined[key]


def discarded(ip, mark: int) -> None:
    """The graphs made since there were ``mark`` are gone."""
    if ip.activations.defined:
        forget(ip, lambda m: not m.group.open and m.group.mark >= mark)


def _is_form(container, skeleton) -> bool:
    """Whether ``skeleton`` is that of what ``container`` holds."""
    p, q = parts(skeleton), parts(container)
    if p.head != q.head:
        return False
    try:
        return all(
            a is b or same(join(a, b.value if isinstance(b, Same) else b), a)
            for a, b in zip(p.items, q.items)
        )
    except Mismatch:
        return False


def _others_unknown(ip) -> bool:
    """Whether a group around the innermost, or a function of the run, waits for a type: paths may
    go through it.
    """
    return recursive_closures.waiting(ip) or any(
        m.result is UNKNOWN for group in ip.activations.groups[:-1] for m in group.members
    )


def _other_form(frame: Frame, why: Mismatch) -> Exception:
    return complain(
        ParseError,
        f"{frame.source.name}: a list or dict that a recursive function changes has no fixed form: "
        f"{why}",
        cure="only the run knows how often it is called: return the new elements, or write into a tensor",
    )


def joined(frame: Frame, known, now):
    """The skeleton of what a list or dict may hold that holds ``now``, too."""
    p, q = parts(known), parts(now)
    try:
        if p.head != q.head:
            raise Mismatch(values.difference(known, now))
        items = []
        for a, b in zip(p.items, q.items):
            if isinstance(b, Same):
                b = b.value
            both = a if a is b else join(a, b)
            items.append(a if same(both, a) else _kept_wide(both))
        return p.remake(items)
    except Mismatch as e:
        raise _other_form(frame, e) from None


def _contents(container):
    """The skeleton of what a list or dict holds where nothing of it changes."""
    p = parts(container)
    return p.remake([Same(v) if has_identity(v) else v for v in p.items])


def _kept_wide(v):
    """`widen`, but lists, dicts and objects stay what they are."""
    if isinstance(v, Same):
        return v if has_identity(v.value) else _kept_wide(v.value)
    if has_identity(v):
        return Same(v)
    if type(v) is tuple:
        return tuple(map(_kept_wide, v))
    return widen(v)


def has_identity(v) -> bool:
    """Whether ``v`` is a list or dict, or an object that compiled code makes."""
    return family(v) is not None or is_made(v)


def _kept(value, young: int):
    """``value``, in which older lists and dicts are themselves."""
    if type(value) in (LocalList, LocalDict) and value.born < young:
        return Same(value)
    if is_made(value) and attributes_of(value).born < young:
        return Same(value)
    return tuple([_kept(v, young) for v in value]) if type(value) is tuple else value


def with_state(skeleton, state: dict) -> list:
    """The abstract values of the leaves of a skeleton and of the state."""
    wanted = leaf_abstracts(skeleton, [])
    for _, contents in state.values():
        leaf_abstracts(contents, wanted)
    return wanted


def same_state(a: dict, b: dict) -> bool:
    return a.keys() == b.keys() and all(same(s, b[k][1]) for k, (_, s) in a.items())


def admit(ip, skeleton: dict, frame: Frame) -> None:
    """The functions that are passed where any may stand are known before they are called."""
    for name, s in skeleton.items():
        _admit(ip, s, frame.args[name])


def _admit(ip, skeleton, v) -> None:
    kind = chain_type(skeleton)
    if kind is not None and values.is_function(v):
        recursive_closures.admit(ip, v, kind.key)
    elif type(skeleton) is tuple or family(skeleton) is not None:
        for s, e in zip(parts(skeleton).items, parts(v).items):
            _admit(ip, s, e)


def _is_item(n: Node, of: Node) -> bool:
    return isinstance(n, Apply) and n.fn is prim.tuple_getitem and n.args[0] is of


def _uncount(target: Recursive) -> None:
    """Count calls in tail position alone: others take memory, which ends what is endless."""
    for node, fits in target.counted:
        out = node.graph.output
        parts = out.args if isinstance(out, Apply) and out.fn is prim.make_tuple else (out,)
        if all(p is node or _is_item(p, node) for p in parts):
            continue
        for user in list(fits.uses):
            set_args(user, [Constant(True) if a is fits else a for a in user.args])
        set_args(node, (*node.args[:-1], Constant(0, INT)))

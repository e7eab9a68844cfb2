"""Recursive closures: functions that hold one another without end, as values of the run.

A function that is wrapped anew in each call of a recursion or in each iteration of a loop has no
finite form while compiling. Where that is met, the place gets the type of a `RecursiveClosures`, and the
functions that come into it become its *members*: closures of the program, made by ``partial`` of a
graph and of what the function holds. All members take and return the same types, which are found as
those of recursive functions are: assumed, and interpreted again while they change.

Variables of calls that go on (``RecursiveClosures.frames``) are not held: CPython reads them when
the function runs. So a call of a chain passes what they are then, as more arguments; which ones,
shows when the members are interpreted.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..base.errors import complain, refuse
from ..ir import prim
from ..ir.abstract import NONE, AbstractFunction
from ..ir.node import Constant, Graph, Node
from ..tensor import Tensor
from . import conditions, region, values
from .describe import describe
from .emit import Bottom, EmitBuilder
from .flow import Region
from .function_types import UNKNOWN, Closure, Frame, Missing, RecursiveClosures, UnionValue, Unseen
from .merge import family
from .nesting import chain_type, grown
from .source import free_names
from .store import Bindings
from .structure import mapped
from .value_types import CONTAINERS, LocalDict, Same, containers_of
from .values import Mismatch, extract, flatten, join, leaf_abstracts, same, unflatten, widen

ROUNDS = 30
"""The members of a chain are interpreted at most so often for types that change."""


@dataclass(eq=False)
class Member:
    """A form of function in a chain.

    Attributes:
        skeleton: the function; its leaves are what the program keeps with it.
        graph: takes the leaves, the variables that the chain sees, and the arguments.
        version: that of the chain for which the graph was made; -1: for none.
        made_at: how many graphs there were then.
        used: the turns in which its form was first relied on.
    """

    skeleton: object
    graph: Graph
    version: int = -1
    made_at: int = 0
    used: tuple | None = None


@dataclass(eq=False)
class Turn:
    """One interpretation of what may be interpreted again; ``dirty`` where it must be."""

    dirty: bool = False
    chains: list = field(default_factory=list)


def begin(ip) -> Turn:
    """Start a turn."""
    turn = Turn()
    ip.activations.turns.append(turn)
    return turn


def end(ip, turn: Turn) -> None:
    """End a turn, whether it was interpreted to its end or not."""
    del ip.activations.turns[ip.activations.turns.index(turn) :]


def forget(ip, turn: Turn) -> None:
    """What relied on a chain in this turn is dropped."""
    for chain in ip.activations.chains:
        for v in (chain, *chain.members):
            if v.used is not None and turn in v.used:
                v.used = None


def _moved(ip, what, used) -> None:
    """A type changes that was first relied on in the turns ``used``: the innermost of them is repeated."""
    if used is None:
        return
    for turn in reversed(used):
        if turn in ip.activations.turns:
            turn.dirty = True
            return
    raise refuse(
        TypeError,
        "a function that holds others like it without end is used with other types than before: "
        f"{what}",
        cure="give it the same types of arguments and of what it holds everywhere",
    )


def discarded(ip, mark: int) -> None:
    """The graphs made since there were ``mark`` are gone."""
    chains = ip.activations.chains
    ip.activations.chains = [c for c in chains if c.since < mark or c.busy]
    for chain in ip.activations.chains:
        for m in chain.members:
            if m.made_at >= mark:
                m.version = -1


# ---- members


HELD = (
    "is held by a function that holds others like it without end, or was passed to it",
    "copy it first: x = x.copy()",
)
"""Why a tensor cannot be changed in place, and the cure."""


def as_member(ip, value, chain: RecursiveClosures) -> Node:
    """The node of a function that becomes one of ``chain``."""
    if isinstance(value, Same):
        value = value.value
    if isinstance(value, UnionValue):
        return conditions.of_choice(ip, value, lambda v: as_member(ip, v, chain))
    if isinstance(value, Node) and value.abstract is chain.type:
        return value
    member, value = admit(ip, value, chain)
    member.used = tuple(ip.activations.turns) if member.used is None else member.used
    wanted = leaf_abstracts(member.skeleton, [])
    leaves = extract(member.skeleton, value, [])
    ip.tensors.held.update((id(v), (v, *HELD)) for v in leaves if isinstance(v, (Node, Tensor)))
    held = [region.convert(ip, v, a) for v, a in zip(leaves, wanted)]
    if not held:
        return Constant(member.graph, chain.type, ip.here())
    return ip.builder.emit(prim.partial, [member.graph, *held], chain.type)


def admit(ip, value, chain: RecursiveClosures) -> tuple:
    """(the member for a function, the function with what it holds)."""
    _register(ip, chain)
    if not values.is_function(value) and chain_of(value) is None:
        raise complain(
            TypeError,
            f"{describe(value)} stands where functions do",
            cure="give it the same type on every path",
        )
    value = _Holder(ip, chain).root(value)
    for m in chain.members:
        joined = values.joint(m.skeleton, value)
        if joined is not values.APART:
            if not same(joined, m.skeleton):
                _moved(ip, f"{describe(value)} holds another value", m.used)
                m.skeleton, m.version = joined, -1
            return m, value
    m = Member(flatten(value, []), Graph(getattr(value, "name", None) or chain.name, ip.here()))
    chain.members.append(m)
    if chain.result is UNKNOWN:
        _moved(ip, f"{describe(value)} is another one", chain.used)  # it may have a result
    return m, value


def unreachable(ip, chain: RecursiveClosures) -> Node:
    """A function of the chain for a place that is never called."""
    _register(ip, chain)
    found = next((m for m in chain.members if m.skeleton is _never), None)
    if found is None:
        found = Member(_never, Graph(chain.name, ip.here()))
        chain.members.append(found)
    return Constant(found.graph, chain.type)


def _never():
    """Stands for a function that nothing calls."""


def _register(ip, chain: RecursiveClosures) -> None:
    if chain.frames is None:
        chain.frames = list(chain.base or ip.frames)
    if chain not in ip.activations.chains:
        ip.activations.chains.append(chain)
        chain.since = len(ip.graphs)
        for m in chain.members:
            m.version, m.used = -1, None
        chain.used = None


def chain_of(v) -> RecursiveClosures | None:
    """The chain of a function that is a value of the run."""
    kind = chain_type(v)
    return None if kind is None else kind.key


def is_open(a) -> bool:
    """Whether ``a`` is the type of the functions of a chain."""
    return isinstance(a, AbstractFunction) and isinstance(a.key, RecursiveClosures)


class _Holder:
    """Makes functions that hold their variables: copies of the calls that they see, but for
    ``chain.frames``. Functions like the members that they hold become members themselves.
    """

    def __init__(self, ip, chain: RecursiveClosures):
        self.ip, self.chain = ip, chain
        self.outside = set(map(id, chain.frames))
        self.frames: dict = {}
        self.functions: dict = {}

    def root(self, v):
        """The function itself."""
        if isinstance(v, Closure):
            return self._function(v)
        return v if isinstance(v, Node) else mapped(v, self.value)

    def value(self, v):
        """A value that a function holds."""
        if isinstance(v, Unseen):
            v = v.read(self.ip)
        if isinstance(v, Closure):
            if v.source.tree in self.chain.trees:
                return as_member(self.ip, v, self.chain)
            return self._function(v)
        if isinstance(v, (Node, Tensor)):
            return v
        if type(v) in CONTAINERS and family(v) is not None and hasattr(v, "fixed"):
            v.fixed = v.fixed or (
                "that a function of the run holds cannot be changed",
                "copy it first",
            )
        return mapped(v, self.value)

    def _function(self, f: Closure) -> Closure:
        known = self.functions.get(id(f))
        if known is not None:
            return known
        new = self.functions[id(f)] = Closure(f.source, f.frame, [], [], f.name)
        new.frame = self._scope(f.frame, free_names(f.source.tree))
        new.defaults, new.kw_defaults = [
            list(map(self.value, d)) for d in (f.defaults, f.kw_defaults)
        ]
        return new

    def _scope(self, frame: Frame | None, names: tuple):
        if frame is None:
            return None
        if any(frame is s for s in self.chain.stands.values()):
            return frame
        if id(frame) in self.outside:
            return _stand_in(self.chain, frame)
        copy = self.frames.get(id(frame))
        if copy is None:
            copy = self.frames[id(frame)] = replace(
                frame, vars={}, finished=True, node=None, args=None, graph_of=None
            )
        copy.outer = self._scope(frame.outer, names)
        for n in names:
            if n in frame.vars and n not in copy.vars and not isinstance(frame.vars[n], Missing):
                copy.vars[n] = None
                copy.vars[n] = self.value(frame.vars[n])
        return copy


def _stand_in(chain: RecursiveClosures, frame: Frame) -> Frame:
    """What members see for a call around them; unlike that it never ends."""
    found = chain.stands.get(id(frame))
    if found is None:
        found = chain.stands[id(frame)] = replace(frame, finished=False)
        if any(frame.outer is f for f in chain.frames):
            found.outer = _stand_in(chain, frame.outer)
    return found


# ---- calls


def call(ip, node: Node, args: list, kwargs: dict, own: dict | None = None):
    """A call of a function that is a value of the run; ``own`` has variables of calls that are over."""
    chain = chain_of(node)
    holder = _Holder(ip, chain)
    given = (
        tuple(map(holder.value, args)),
        LocalDict((k, holder.value(v)) for k, v in kwargs.items()),
    )
    _meet_args(ip, chain, given)
    if chain.result is UNKNOWN:
        solve(ip, chain)
    chain.used = tuple(ip.activations.turns) if chain.used is None else chain.used
    if chain.result is UNKNOWN and not ip.activations.turns:
        raise endless(chain.name)
    if chain.result is UNKNOWN:
        raise Bottom
    leaves: list = []
    for key, (frame, skeleton) in list(chain.seen.items()):
        v = own[key] if own and key in own else frame.vars.get(key[1])
        v = v.read(ip) if isinstance(v, Unseen) else v
        joined = _join(skeleton, v)
        if not same(joined, skeleton):
            _moved(ip, f"{key[1]!r}", chain.used)
            chain.seen[key], chain.version = (frame, joined), chain.version + 1
        extract(joined, v, leaves)
    extract(chain.args, given, leaves)
    wanted = [*_seen_types(chain), *leaf_abstracts(chain.args, [])]
    nodes = [region.convert(ip, v, a) for v, a in zip(leaves, wanted)]
    results = leaf_abstracts(chain.result, [])
    ip.builder.loc = ip.here()
    called = ip.builder.call(node, nodes, region.packed(results))
    ip.parameters.loaded.clear()  # it may have written what was read before
    return unflatten(chain.result, iter(region.unpack(ip, called, len(results))))


def _seen_types(chain: RecursiveClosures) -> list:
    found: list = []
    for _, skeleton in chain.seen.values():
        leaf_abstracts(skeleton, found)
    return found


def _meet_args(ip, chain: RecursiveClosures, given) -> None:
    """The types of the arguments of a call join those known."""
    if chain.args is None:
        chain.args, chain.version = widen(given), chain.version + 1
        return
    joined = _join(chain.args, given)
    if not same(joined, chain.args):
        joined = widen(joined)
        _moved(ip, f"{describe(given[0])} is passed", chain.used)
        chain.args, chain.version = joined, chain.version + 1


def _join(known, v):
    try:
        return join(known, v)
    except Mismatch as e:
        raise refuse(
            TypeError,
            f"a function that holds others like it without end has no common type: {e}",
            cure="call it with the same structure, dtypes and shapes everywhere, and return the same",
        ) from None


# ---- the graphs of members


def settle(ip) -> None:
    """Make the graphs of all members whose types are known."""
    for chain in list(ip.activations.chains):
        if chain.args is not None and any(m.version != chain.version for m in chain.members):
            solve(ip, chain)


def close(ip) -> None:
    """At the end of the program: every member gets its graph, also where nothing calls it."""
    settle(ip)
    for chain in ip.activations.chains:
        for m in chain.members:
            if m.graph.ret is None:
                if chain.args is not None:
                    raise endless(chain.name)
                for i, a in enumerate(leaf_abstracts(m.skeleton, [])):
                    m.graph.add_param(f"v{i}", a)
                m.graph.output = Constant(None, NONE)


def endless(name: str) -> Exception:
    """The error of a function that has no result."""
    return complain(
        RecursionError,
        f"{name}: every path calls it again, a loop without end",
        cure="a recursive function needs a path that returns without a recursive call",
    )


def waiting(ip) -> bool:
    """Whether what is interpreted now goes on later with the result of a function that has no type yet."""
    return len(ip.activations.turns) > 1 and any(
        c.result is UNKNOWN and c.args is not None for c in ip.activations.chains
    )


def solve(ip, chain: RecursiveClosures) -> None:
    """Make the graphs of the members of a chain, again while its types change."""
    if chain.busy:
        return
    chain.busy = True
    try:
        for _ in range(ROUNDS):
            mark, version, turn = len(ip.graphs), chain.version, begin(ip)
            try:
                for m in chain.members:  # more may come while this goes on
                    if m.version != chain.version:
                        _make(ip, chain, m)
            finally:
                end(ip, turn)
            if not turn.dirty and version == chain.version:
                return
            region.discard(ip, mark)
            forget(ip, turn)
        raise refuse(
            TypeError,
            f"{chain.name}: the types of functions that hold one another do not settle",
            cure="give what they take, hold and return one type",
        )
    finally:
        chain.busy = False


def _make(ip, chain: RecursiveClosures, m: Member) -> None:
    """Interpret a member into its graph, if its result has a type yet."""
    graph, version = m.graph, chain.version
    graph.clear()
    graph.params.clear()
    m.made_at = len(ip.graphs)
    wanted = [*leaf_abstracts(m.skeleton, []), *_seen_types(chain), *leaf_abstracts(chain.args, [])]
    params = iter([graph.add_param(f"v{i}", a, ip.here()) for i, a in enumerate(wanted)])
    ip.tensors.held.update((id(p), (p, *HELD)) for p in graph.params)
    fn = unflatten(m.skeleton, params)
    saved = [(f, f.vars) for f in chain.frames]
    for f, vars in saved:
        f.vars = Bindings(ip.store, {n: Unseen(chain, f, n, v) for n, v in vars.items()})
        _stand_in(chain, f).vars = f.vars
    for (_, name), (f, skeleton) in chain.seen.items():
        f.vars[name] = unflatten(skeleton, params)
    args, kwargs = unflatten(chain.args, params)
    for c in containers_of((*args, *kwargs.values()), []):
        c.fixed = ("that is passed to a function of the run cannot be changed", "copy it first")
    source = chain.frames[-1].source
    around = Frame(Bindings(ip.store), source, None, {}, {}, ip.here(), node=source.tree)
    builder = EmitBuilder(ip, graph)
    ends = Region(builder, len(ip.graphs))
    ip.frames.append(around)
    ip.flow.tails.append(ends)
    try:
        with ip.apart(builder), region.enclosed(ip, sure=False):
            if fn is _never:
                value = UNKNOWN
            else:
                value = region.run_region(ip, lambda: ip.call(fn, list(args), dict(kwargs)))
                _meet_result(ip, chain, value)
            if chain.result is UNKNOWN:
                return
            types = leaf_abstracts(chain.result, [])
            if value is UNKNOWN:
                out = [region.anything(ip, a) for a in types]
            else:
                out = [
                    region.convert(ip, v, a)
                    for v, a in zip(extract(chain.result, value, []), types)
                ]
            graph.output = region.pack(ip, out)
            m.version = version
    except Bottom:
        if ends.dead and chain.result is not UNKNOWN:
            # It raises on every path.
            region.close(ip, ends, leaf_abstracts(chain.result, []))
            m.version = version
    finally:
        ip.flow.tails.pop()
        ip.frames.pop()
        for f, vars in saved:
            f.vars = vars


def _meet_result(ip, chain: RecursiveClosures, value) -> None:
    found = widen(value) if chain.result is UNKNOWN else _join(chain.result, value)
    if chain.result is UNKNOWN or not same(found, chain.result):
        _moved(ip, f"{describe(value)} is returned", chain.used)
        chain.result, chain.version = found, chain.version + 1
        chain.type.signature[1] = region.packed(leaf_abstracts(found, []))


def see(ip, chain: RecursiveClosures, frame: Frame, name: str, value):
    """A member reads a variable of a call that goes on."""
    key = (id(frame), name)
    if key not in chain.seen:
        _moved(ip, f"{name!r} is read", chain.used)
        if ip.activations.turns:
            ip.activations.turns[-1].dirty = True
        skeleton = flatten(value, [])
        chain.seen[key], chain.version = (frame, skeleton), chain.version + 1


# ---- where chains begin


def for_recursion(ip, v, first: Frame) -> RecursiveClosures | None:
    """The chain for an argument of a recursive function that its calls wrap; None where they do
    not. ``first`` is its outermost activation.
    """
    frames = ip.frames[: next((i for i, f in enumerate(ip.frames) if f is first), len(ip.frames))]
    outside = set(map(id, frames))
    trees = grown(v, lambda scope: id(scope) in outside, chains=True)
    if not trees:
        return None
    chain = RecursiveClosures(getattr(v, "name", "function"), trees)
    chain.base = frames
    return chain

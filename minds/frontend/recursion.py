"""Recursive functions: calls that do not inline.

A call is recursive when the same function is active with arguments of the same abstract value. It
is then interpreted into a graph that calls itself. The type of its result is found from the paths
that do not recurse: a recursive call whose type is not known yet abandons its path (`Bottom`), and
interpretation is repeated until the type no longer changes. A function all of whose paths wait for
that of a call around it abandons that call's path in turn.

Lists and dicts older than the call that the function changes (with the attributes of objects, which
are dicts) are its *state*: the graph takes what they hold after the arguments, and returns what
they hold after the result.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..base.errors import ParseError, complain, refuse
from ..ir import prim
from ..ir.abstract import INT
from ..ir.dim import Dim
from ..ir.node import Apply, Constant, Graph, Node, set_args
from ..ir.shape_env import carrying, of_any_size
from ..ir.sizes import alike
from ..ops.define import P
from . import recursive_closures, region, values
from .emit import CALLEE, Bottom, EmitBuilder
from .flow import Region, die, here, inside, resume
from .function_types import UNKNOWN, UnionValue
from .merge import family, reachable
from .store import Bindings, clock
from .value_types import Box, Thrown
from .values import (
    Closure,
    Frame,
    Leaf,
    Mismatch,
    Same,
    abstract,
    extract,
    flatten,
    join,
    join_abstract,
    leaf_abstracts,
    parts,
    same,
    same_object,
    unflatten,
    widen,
)

STATIC_DEPTH = 40
"""Recursion over compile-time values is unrolled to this depth; then numbers among the arguments
become run-time values, and sizes that differ from call to call what the run finds.
"""


@dataclass(eq=False)
class Recursive:
    """A function that is being interpreted into a graph: its argument skeleton, and its result's
    where known.

    Attributes:
        state: identity → (list or dict that it changes, skeleton of what it holds). What never
            changes in it is itself in the skeleton.
        lost: the numbers of the tensors among the leaves of its arguments that it changes.
        depth: the number of recursive calls around the activation.
        counted: (call, test that it is not too deep) of the recursive calls in it.
        met: identity → (list or dict, skeleton of what it held at calls of the graph), where that
            is another.
        passed: the lists and dicts of its result that it did not make.
    """

    graph: Graph
    args: dict
    result: object
    state: dict
    lost: list
    depth: Node
    counted: list = field(default_factory=list)
    met: dict = field(default_factory=dict)
    passed: list = field(default_factory=list)


ROUNDS = 30
"""A function is interpreted at most so often; each round moves some type up a chain of two or
three.
"""


NEVER = object()
"""The result of a function of which all ways that end raise."""


def find(ip, frame: Frame, running: list):
    """How to call ``frame``'s function if that is recursion, else None (inline it)."""
    general = len(running) > STATIC_DEPTH
    for other in reversed(running):
        target = other.graph_of
        if target is not None and _fits(_skeleton(frame.args, other.args, general), target.args):
            return lambda: call(ip, target, frame)
    wrapped = {
        n: recursive_closures.for_recursion(ip, v, running[0])
        for n, v in frame.args.items()
        if isinstance(v, Closure) and n != CALLEE
    }
    for other in reversed(running):
        skeleton = _skeleton(frame.args, other.args, general)
        skeleton.update((n, Leaf(chain.type)) for n, chain in wrapped.items() if chain is not None)
        if general or _fits(_skeleton(other.args, frame.args, False), skeleton):
            return lambda: _Definition(ip, frame, skeleton, running).call()
    return None


def _fits(skeleton: dict, wanted: dict) -> bool:
    """Whether arguments are those of a graph: equal, or a function where any may stand."""
    return skeleton.keys() == wanted.keys() and all(
        same(s, w, alike)
        or values.chain_type(w) is not None
        and (values.is_function(s) or values.chain_type(s))
        for s, w in zip(skeleton.values(), wanted.values())
    )


def _skeleton(args: dict, others: dict, general: bool) -> dict:
    """The skeleton of arguments. A list or dict that is the same in another activation, with
    ``others``, is
    itself: it is passed down. The numbers of ``general`` arguments become run-time values.
    """
    return {n: _typed(v, others.get(n), general) for n, v in args.items()}


def _typed(v, other, general: bool):
    """The skeleton of an argument; a size that is open is another one in each call, as a number of
    the run is, and where ``general`` a size that differs from the ``other``'s.
    """
    if _has_identity(v) and same_object(v, other):
        return Same(v)
    if type(v) is tuple and type(other) is tuple and len(v) == len(other):
        return tuple([_typed(a, b, general) for a, b in zip(v, other)])
    if not general:
        return widen(v) if type(v) is Dim else flatten(v, [])
    typed = widen(v, deep=True)
    joined = (
        typed is not v and type(typed) is Leaf and join_abstract(typed.abstract, abstract(other))
    )
    return Leaf(joined) if joined and joined is not typed.abstract else typed


def _has_identity(v) -> bool:
    return family(v) is not None or values.is_made(v)


class _Definition:
    """The interpretation of a recursive function into a graph."""

    def __init__(self, ip, frame: Frame, skeleton: dict, running: list):
        self.ip, self.frame, self.args, self.running = ip, frame, skeleton, running
        self.result, self.state, self.sizes, self.lost = UNKNOWN, {}, set(), []

    def call(self):
        """Interpret until the types no longer change, and call it."""
        ip = self.ip
        for _ in range(ROUNDS):
            mark, turn = len(ip.graphs), recursive_closures.begin(ip)
            try:
                admit(ip, self.args, self.frame)
                inner = self._activation()
                found, state = self._round(inner, mark)
            finally:
                recursive_closures.end(ip, turn)
            lost, self.lost = self.lost, inner.graph_of.lost
            if (
                same(found, self.result)
                and _same_state(state, self.state)
                and lost == self.lost
                and not turn.dirty
            ):
                break
            self.result, self.state = found, state
            region.discard(ip, mark)
            recursive_closures.forget(ip, turn)
        else:
            raise refuse(
                TypeError,
                f"{self.frame.source.name}: the types of a recursive function do not settle",
                cure="return the same structure, dtype and shape on every path",
            )
        _uncount(inner.graph_of)
        if _writes(ip.graphs[mark:]):
            ip.parameters.loaded.clear()
        return call(ip, inner.graph_of, self.frame)

    def _activation(self) -> Frame:
        """The activation whose arguments are parameters of a new graph."""
        ip, frame = self.ip, self.frame
        graph = ip.graph(frame.source.name)
        wanted = _with_state(self.args, self.state)
        self.leaves = iter(
            [graph.add_param(f"v{i}", of_any_size(a), ip.here()) for i, a in enumerate(wanted)]
        )
        inner = Frame(
            Bindings(ip.store, unflatten(self.args, self.leaves)),
            frame.source,
            frame.outer,
            frame.globals,
            frame.cells,
            frame.caller,
        )
        depth = graph.add_param("depth", INT, ip.here())
        callee = inner.vars.pop(CALLEE, None)
        if callee is not None:
            inner.outer, inner.callee = callee.frame, callee
        inner.args, inner.graph_of = (
            frame.args,
            Recursive(graph, self.args, self.result, self.state, self.lost, depth),
        )
        return inner

    def _round(self, inner: Frame, mark: int) -> tuple:
        """Interpret the body once: the skeletons of its result and of its state."""
        ip, target = self.ip, inner.graph_of
        given = {
            id(c)
            for c in values.containers_of(tuple(inner.vars.values()), [])
            if id(c) not in set(map(id, values.containers_of(tuple(self.frame.args.values()), [])))
        }
        start, noted, changes = here(ip), len(ip.store.log), len(ip.tensors.log)
        ends = Region(EmitBuilder(ip, target.graph), len(ip.graphs))
        self.running.append(inner)
        ip.parameters.loaded.clear()
        ip.flow.nested += 1
        try:
            with ip.inside(ends.base), inside(ip, ends):
                for container, skeleton in self.state.values():
                    ip.store.set(container, unflatten(skeleton, self.leaves))
                young = clock()
                value = ip.interpret(inner)
                recursive_closures.settle(ip)
                kept = _kept(value, young)
                with carrying(self.sizes):
                    found = widen(kept) if self.result is UNKNOWN else join(self.result, kept)
                target.passed = [
                    c
                    for c in values.containers_of(flatten(kept, []), [])
                    if type(c) not in (list, dict) and c.born < young
                ]
                state = self._found_state(start, noted, given, target.met)
                if same(found, self.result) and _same_state(state, self.state):
                    out = extract(found, value, [])
                    for container, skeleton in state.values():
                        extract(skeleton, container, out)
                    wanted = _with_state(found, state)
                    target.graph.output = region.pack(
                        ip, [region.convert(ip, v, a) for v, a in zip(out, wanted)]
                    )
        except Bottom:
            if ip.activations.turns[-1].dirty:
                return self.result, self.state
            if ends.dead:
                region.close(ip, ends, [])
                return NEVER, {}
            if _others_unknown(ip, inner):
                region.discard(ip, mark)
                raise
            raise recursive_closures.endless(self.frame.source.name) from None
        except Mismatch as e:
            raise refuse(
                TypeError,
                f"{self.frame.source.name}: results have no common type: {e}",
                cure="return the same structure, dtype and shape on every path",
            ) from None
        finally:
            self.running.pop()
            ip.flow.nested -= 1
            resume(ip, start)
            changed = set(ip.tensors.log[changes:])
            target.lost = [i for i, p in enumerate(target.graph.params) if id(p) in changed]
        return found, state

    def _found_state(self, start, mark: int, given: set, met: dict) -> dict:
        """identity → (container, skeleton of what it holds) of the older ones that were changed."""
        store, state = self.ip.store, {}
        changed = {id(c): c for c in store.log[mark:] if isinstance(c, values.LOCAL)}
        held = {k: c.saved() for k, c in changed.items()}
        now = store.version()
        store.go(start.version)
        before = {k: c.saved() for k, c in changed.items()}
        known = reachable(self.ip)
        store.go(now)
        for key, container in changed.items():
            if type(container) is Box and key not in known:
                continue
            if key in given:
                raise complain(
                    ParseError,
                    f"{self.frame.source.name}: a recursive function changes a list or dict, and "
                    "each call "
                    "gets another one",
                    cure="pass the same one down, or return the new elements",
                )
            if container.born < start.version.ended:
                known = self.state[key][1] if key in self.state else _contents(before[key])
                for now in (held[key], *[s for k, (_, s) in met.items() if k == key]):
                    known = _joined(self.frame, known, now)
                state[key] = (container, known)
        return state


def _other_form(frame: Frame, why: Mismatch) -> Exception:
    return complain(
        ParseError,
        f"{frame.source.name}: a list or dict that a recursive function changes has no fixed form: "
        f"{why}",
        cure="only the run knows how often it is called: return the new elements, or write into a tensor",
    )


def _joined(frame: Frame, known, now):
    """The skeleton of what a list or dict may hold that holds ``now``, too."""
    p, q = parts(known), parts(now)
    try:
        if p.head != q.head:
            raise Mismatch(values.difference(known, now))
        items = []
        for a, b in zip(p.items, q.items):
            if isinstance(b, Same):
                b = b.value
            joined = a if a is b else join(a, b)
            items.append(a if same(joined, a) else _kept_wide(joined))
        return p.remake(items)
    except Mismatch as e:
        raise _other_form(frame, e) from None


def _contents(container):
    """The skeleton of what a list or dict holds where nothing of it changes."""
    p = parts(container)
    return p.remake([Same(v) if _has_identity(v) else v for v in p.items])


def _kept_wide(v):
    """`widen`, but lists, dicts and objects stay what they are."""
    if isinstance(v, Same):
        return v if _has_identity(v.value) else _kept_wide(v.value)
    if _has_identity(v):
        return Same(v)
    if type(v) is tuple:
        return tuple(map(_kept_wide, v))
    return widen(v)


def _kept(value, young: int):
    """``value``, in which older lists and dicts are themselves."""
    if type(value) in (values.LocalList, values.LocalDict) and value.born < young:
        return Same(value)
    if values.is_made(value) and values.attributes_of(value).born < young:
        return Same(value)
    return tuple([_kept(v, young) for v in value]) if type(value) is tuple else value


def _with_state(skeleton, state: dict) -> list:
    """The abstract values of the leaves of a skeleton and of the state."""
    wanted = leaf_abstracts(skeleton, [])
    for _, contents in state.values():
        leaf_abstracts(contents, wanted)
    return wanted


def _same_state(a: dict, b: dict) -> bool:
    return a.keys() == b.keys() and all(same(s, b[k][1]) for k, (_, s) in a.items())


def admit(ip, skeleton: dict, frame: Frame) -> None:
    """The functions that are passed where any may stand are known before they are called."""
    for name, s in skeleton.items():
        kind = values.chain_type(s)
        if kind is not None and values.is_function(frame.args[name]):
            recursive_closures.admit(ip, frame.args[name], kind.key)


def _others_unknown(ip, frame: Frame) -> bool:
    """Whether a call around that of ``frame``, or of a function of the run, waits for its type: the
    paths of ``frame`` may go through it.
    """
    return recursive_closures.waiting(ip) or any(
        f.graph_of is not None and f.graph_of.result is UNKNOWN and f is not frame
        for running in ip.activations.active.values()
        for f in running
    )


def _writes(graphs: list) -> bool:
    return any(n.has_effect and not isinstance(n.fn, (Graph, Node)) for g in graphs for n in g)


def _around(ip) -> Recursive | None:
    """The recursive function in whose graph the interpreter is."""
    if any(chain.busy for chain in ip.activations.chains):
        return None
    return next((f.graph_of for f in reversed(ip.frames) if f.graph_of is not None), None)


def _deeper(ip, frame: Frame, around: Recursive) -> Node:
    """A test whether a call is not inside of too many: else the program raises."""
    most = ip.options.calls
    what = f"{frame.source.name}: calls are nested more than {most} deep"
    fits = ip.native(P.less, around.depth, most)
    region.require(ip, fits, RecursionError(f"{what}; ms.set_recursion_limit allows more"))
    return fits


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


def call(ip, target: Recursive, frame: Frame):
    """A call of the graph of a recursive function."""
    if target.result is UNKNOWN:
        admit(ip, target.args, frame)
        raise Bottom
    given = extract(target.args, frame.args, [])
    for key, (container, skeleton) in target.state.items():
        now = _joined(frame, skeleton, container)
        if not same(now, skeleton):
            target.met[key] = (container, now)
        extract(skeleton, container, given)
    around = _around(ip)
    fits = None if around is None else _deeper(ip, frame, around)
    # The graph may call itself: what it is given and gives has other sizes than its own, with other
    # names.
    args = [
        region.convert(ip, v, of_any_size(a))
        for v, a in zip(given, _with_state(target.args, target.state))
    ]
    args.append(ip.node(0 if around is None else ip.native(P.add, around.depth, 1)))
    results = list(map(of_any_size, _with_state(target.result, target.state)))
    ip.builder.loc = ip.here()
    node = ip.builder.call(target.graph, args, region.packed(results))
    if around is not None:
        around.counted.append((node, fits))
    if target.result is NEVER:
        die(ip)
        raise Bottom
    leaves = iter(region.unpack(ip, node, len(results)))
    value = unflatten(target.result, leaves)
    for container, skeleton in target.state.values():
        ip.touch(container)
        ip.store.set(container, unflatten(skeleton, leaves))
    for i in target.lost:
        why = f"line {ip.here().line} passes it to a recursive function that changes it"
        ip.tensors.lose(ip, given[i], why)
    if target.passed:
        _pass_on(ip, target, frame, value)
    return _received(ip, value)


def _received(ip, value):
    """The value of a call, which may have returned what it raises to where that is caught."""
    if isinstance(value, Thrown):
        region.throw_again(ip, value)
        raise Bottom
    if not isinstance(value, UnionValue) or not any(isinstance(v, Thrown) for v in value.options):
        return value
    return region.of_choice(ip, value, lambda v: _received(ip, v))


def _pass_on(ip, target: Recursive, frame: Frame, value) -> None:
    """A list or dict in the result may be one that was passed in, or an older one."""
    known = (*values.containers_of(tuple(frame.args.values()), []), *target.passed)
    for c in known:
        ip.aliases.know(c)
    for c in values.containers_of(value, []):
        if not any(c is k for k in known):
            c.fixed = ("that a recursive function passes on cannot be changed", "copy it first")
            ip.aliases.add(c, set(map(id, known)))

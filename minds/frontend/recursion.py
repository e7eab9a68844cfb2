"""Recursive functions: calls that do not inline.

A call is recursive when the same function is active with arguments of the same abstract value, and
data of the run decide that it gets there. It is then a call of a graph (`recursive_graphs`), and so
is every later call that this graph serves. What no data decide is done while compiling, as deep as
the source goes.
"""

from __future__ import annotations

from ..base.errors import ParseError, complain
from ..ir import walk
from ..ir.abstract import AbstractScalar, AbstractTensor
from ..ir.dim import Dim
from ..ir.node import Node
from ..ir.shape_env import of_any_size
from ..ir.sizes import alike
from ..ops.define import P
from ..tensor import Tensor
from . import conditions, recursive_closures, region, values
from .emit import CALLEE, Bottom
from .flow import die
from .function_types import UNKNOWN, Frame, UnionValue
from .merge import family
from .nesting import chain_type
from .recursive_graphs import (
    NEVER,
    Group,
    Recursive,
    admit,
    at_start,
    has_identity,
    joined,
    with_state,
)
from .structure import Walk, expect_few_places, parts
from .value_types import Box, Leaf, Same, Thrown, abstract, containers_of, is_made
from .values import extract, flatten, join_abstract, same, same_object, unflatten, widen

STATIC_DEPTH = 40
"""Recursion over compile-time values is unrolled to this depth; then numbers among the arguments
become run-time values, and sizes that differ from call to call what the run finds.
"""

INLINED = 200
"""So many calls of a function that differ in numbers and functions alone, on paths that data of the
run choose inside of one of its calls, are inlined; then calls with arguments of the same types become
one graph.
"""

REPEATED = 2
"""The same of calls that do not differ in what is known of their arguments."""

SHARED = 64
"""So many calls of a function that are alike, on paths that data of the run choose, are inlined though
none is inside of another; then they become one graph, where that is possible: functions of which each
calls the next one on two paths have twice as many calls at each level.
"""

FORMS = 1000
"""A function has at most so many graphs for arguments that are known while compiling."""

SAME = 150
"""So many nested calls of one function are taken for unbounded recursion."""


def find(ip, frame: Frame, key, running: list):
    """How to call ``frame``'s function if it has a graph or needs one, else None (inline it)."""
    group = ip.activations.groups[-1] if ip.activations.groups else None
    spread = group is not None and key in group.spread
    made = ip.activations.defined.get(key, ())
    general = _repeats(frame, running) or spread and _repeats(frame, [m.frame for m in made])
    alone = _skeleton(frame.args, {}, False) if made and not general else None
    for known in reversed(made):
        skeleton = alone
        if general or any(map(_names, known.args.values())):
            skeleton = _skeleton(frame.args, known.frame.args, general)
        if _fits(skeleton, known.args) and known.group.serves():
            return lambda: call(ip, known, frame)
    if not running:
        return None
    for other in (running[0], running[-1]) if general else running:
        if not general and (other.began[0] is ip.builder.graph or _differ(frame, other)):
            continue
        skeleton = _skeleton(frame.args, other.args, general)
        for n, v in frame.args.items():
            if n != CALLEE:
                skeleton[n] = _with_chains(ip, v, skeleton[n], running[0])
        if _fits(_skeleton(other.args, frame.args, general), skeleton):
            return lambda: _define(ip, frame, key, skeleton, other)
    first = running[0]
    if not spread and (first.began[0] is ip.builder.graph or _inlined(first.inlined, frame.args)):
        return None
    args = _skeleton(frame.args, {}, False)
    return lambda: _define(ip, frame, key, args, first, () if spread else {key})


def share(ip, frame: Frame, key):
    """The graph to call for ``frame``'s function, which is not active, if it has been called so often that it
    gets one; else None (inline it).
    """
    around = len(ip.activations.catches), ip.flow.enclosure
    first = next((f for f in ip.frames if f.began and f.began[2:] == around), None)
    if first is None or first.began[0] is ip.builder.graph or ip.activations.groups:
        return None
    counts = ip.activations.called.setdefault(key, {})
    sketch = tuple([(n, _sketch(v, True)) for n, v in frame.args.items()])
    counts[sketch] = counts.get(sketch, 0) + 1
    if counts[sketch] != SHARED:
        return None
    made = []
    with at_start(ip, first) as version:
        if version:
            region.tried(ip, lambda: _make_shared(ip, version, key, frame, made))
    return made[0] if made and made[0].group.serves() else None


def _make_shared(ip, version, key, frame: Frame, made: list) -> None:
    """Make a graph for calls like ``frame``'s, unless they may have what is younger than it."""
    args = _skeleton(frame.args, {}, False)
    group = Group(ip, version)
    if group.takes(frame, args):
        function = group.add(key, frame, args)
        group.solve()
        made.append(function)


def _inlined(counts: dict, args: dict) -> bool:
    """Whether a call with ``args`` is inlined; ``counts`` has how many are by now."""
    for most, exact in ((REPEATED, True), (INLINED, False)):
        key = (exact, *[(n, _sketch(v, exact)) for n, v in args.items()])
        counts[key] = counts.get(key, 0) + 1
        if counts[key] > most:
            return False
    return True


def _repeats(frame: Frame, others: list) -> bool:
    """Whether many calls have arguments that differ from these in numbers and functions alone."""
    if len(others) <= STATIC_DEPTH:
        return False
    for f in (frame, *others):
        if f.form is None:
            f.form = hash(tuple([(n, _sketch(v, False, False)) for n, v in f.args.items()]))
    return sum(f.form == frame.form for f in others) > STATIC_DEPTH


def _sketch(v, exact: bool, inside: bool = True, seen: dict | None = None):
    """Equal for values that are known to be equal, or may be so, if ``exact``; else also for those that
    differ in numbers and functions alone; ``inside`` says the same of what containers hold.
    """
    kind = type(v)
    if kind in _PLAIN:
        return (kind, v) if exact or kind in (str, bool) else kind
    if isinstance(v, Node):
        number = isinstance(v.abstract, AbstractScalar) and not inside
        return v.abstract.kind if number else v.abstract
    if values.is_function(v):
        return id(v) if exact else kind
    return _held(v, seen, lambda e, seen: _sketch(e, inside, inside, seen))


def _held(v, seen: dict | None, sketch) -> object:
    """The sketch of a container: of one that is met again, or that holds itself, only once."""
    p, seen = parts(v), {} if seen is None else seen
    if p is None:
        return type(v)
    if id(v) in seen:
        return seen[id(v)]
    if has_identity(v):
        seen[id(v)] = len(seen)
    found = hash((type(v), *[sketch(e, seen) for e in p.items]))
    if has_identity(v) or type(v) is tuple:
        seen[id(v)] = found
    return found


def _define(ip, frame: Frame, key, skeleton: dict, first: Frame, spread=()):
    """A call of a function that gets a graph: with the group around if that takes it, else alone;
    where its ``first`` call starts, if it is the same there.
    """
    expect_few_places(list(frame.args.values()))
    groups = ip.activations.groups
    if groups and not spread and groups[-1].takes(frame, skeleton):
        if len(ip.activations.defined.get(key, ())) >= (
            FORMS if key in groups[-1].spread else SAME
        ):
            ip.refuse_depth(frame, SAME)
        made = groups[-1].add(key, frame, skeleton)
        made.begin(ip)
        return call(ip, made, frame)
    types = [a for s in skeleton.values() for a in values.leaf_abstracts(s, [])]
    if not any(map(recursive_closures.is_open, types)):
        with at_start(ip, first) as version:
            group = version and Group(ip, version, spread)
            made = group and group.takes(frame, skeleton) and group.add(key, frame, skeleton)
            if made:
                group.solve()
        if made and group.serves():
            return call(ip, made, frame)
    group = Group(ip, None, spread)
    made = group.add(key, frame, skeleton)
    group.solve()
    return call(ip, made, frame)


def _with_chains(ip, v, skeleton, first: Frame):
    """The skeleton of an argument, in which functions that each call wraps anew may be any."""
    if values.is_function(v) and not is_made(v):
        chain = recursive_closures.for_recursion(ip, v, first)
        return skeleton if chain is None else Leaf(chain.type)
    p = parts(v)
    q = None if p is None or isinstance(v, Node) else parts(skeleton)
    if q is None or not (type(v) is tuple or family(v) is not None) or len(p.items) != len(q.items):
        return skeleton
    items = [_with_chains(ip, e, s, first) for e, s in zip(p.items, q.items)]
    return skeleton if all(a is b for a, b in zip(items, q.items)) else q.remake(items)


_PLAIN = (bool, int, float, str, type(None))


def _differ(frame: Frame, other: Frame) -> bool:
    """Whether arguments that are known differ, which is quickly seen."""
    for f in (frame, other):
        if f.known is None:
            f.known = {n: hash(_known(v)) for n, v in f.args.items()}
    return any(other.known.get(n) != h for n, h in frame.known.items())


def _known(v, seen: dict | None = None):
    """What is known of an argument; what only the run knows, and functions, may be anything."""
    if type(v) in _PLAIN:
        return type(v), v
    if isinstance(v, Node) or values.is_function(v):
        return None
    return _held(v, seen, _known)


def _fits(skeleton: dict, wanted: dict) -> bool:
    """Whether arguments are those of a graph: equal, or a function where any may stand."""
    return skeleton.keys() == wanted.keys() and all(
        _may_be(s, w) for s, w in zip(skeleton.values(), wanted.values())
    )


def _names(s) -> bool:
    """Whether the skeleton of an argument holds a container that is itself."""
    return isinstance(s, Same) or type(s) is tuple and any(map(_names, s))


def _may_be(s, wanted) -> bool:
    if chain_type(wanted) is not None:
        return values.is_function(s) or chain_type(s) is not None
    if type(s) is type(wanted) and (type(s) is tuple or family(s) is not None):
        p, q = parts(s), parts(wanted)
        return p.head == q.head and all(map(_may_be, p.items, q.items))
    return same(s, wanted, alike)


def _skeleton(args: dict, others: dict, general: bool) -> dict:
    """The skeleton of arguments. A list or dict that is the same in another activation, with
    ``others``, is
    itself: it is passed down. The numbers of ``general`` arguments become run-time values.
    """
    return {n: _typed(v, others.get(n), general) for n, v in args.items()}


def _typed(v, other, general: bool, walk: Walk | None = None):
    """The skeleton of an argument; a size that is open is another one in each call, as a number of
    the run is, and where ``general`` a size that differs from the ``other``'s.
    """
    if has_identity(v) and same_object(v, other):
        return Same(v)
    if type(v) is tuple and type(other) is tuple and len(v) == len(other):
        walk = walk or Walk(v)
        walk.parts(v)
        return tuple([_typed(a, b, general, walk) for a, b in zip(v, other)])
    if not general:
        return widen(v) if type(v) is Dim else flatten(v, [])
    typed = widen(v, deep=True)
    if typed is v or type(typed) is not Leaf:
        return typed
    both = typed.abstract, abstract(other)
    data = all(isinstance(a, (AbstractTensor, AbstractScalar)) for a in both)
    joined = join_abstract(*both) if data else None
    return Leaf(joined) if joined and joined is not typed.abstract else typed


def _around(ip) -> Recursive | None:
    """The recursive function in whose graph the interpreter is."""
    if any(chain.busy for chain in ip.activations.chains):
        return None
    return _innermost(ip)


def _innermost(ip) -> Recursive | None:
    return next((f.graph_of for f in reversed(ip.frames) if f.graph_of is not None), None)


def _deeper(ip, frame: Frame, around: Recursive) -> Node:
    """A test whether a call is not inside of too many: else the program raises."""
    most = ip.options.calls
    what = f"{frame.source.name}: calls are nested more than {most} deep"
    fits = ip.native(P.less, around.depth, most)
    cure = f"ms.set_recursion_limit({2 * most // 1000}) allows {2 * most}"
    conditions.require(ip, fits, RecursionError(f"{what}; {cure}"))
    return fits


def call(ip, target: Recursive, frame: Frame):
    """A call of the graph of a recursive function."""
    if target.result is UNKNOWN:
        admit(ip, target.args, frame)
        waiting = _innermost(ip)
        if waiting is not None and waiting is not target:
            waiting.waits = True
        raise Bottom
    if target.group.writes:
        ip.parameters.loaded.clear()
    given = extract(target.args, frame.args, [])
    for key, (container, skeleton) in target.state.items():
        now = joined(frame, skeleton, container)
        if not same(now, skeleton):
            known = target.group.met.get(key)
            now = now if known is None else joined(frame, known[2], now)
            target.group.met[key] = (frame, container, now)
        extract(skeleton, container, given)
    _expect_one_name(ip, target, extract(target.args, frame.args, []))
    around = _around(ip)
    fits = None if around is None else _deeper(ip, frame, around)
    # The graph may call itself: what it is given and gives has other sizes than its own, with other
    # names.
    args = [
        region.convert(ip, v, of_any_size(a))
        for v, a in zip(given, with_state(target.args, target.state))
    ]
    args.append(ip.node(0 if around is None else ip.native(P.add, around.depth, 1)))
    results = list(map(of_any_size, with_state(target.result, target.state)))
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


def _expect_one_name(ip, target: Recursive, given: list) -> None:
    """A tensor that a recursive function changes is not known to it by another name: another
    argument, or a variable around it.

    Raises:
        ParseError: it is.
    """
    tensors = ip.tensors.views
    roots = [tensors.owner(v) if isinstance(v, (Node, Tensor)) else None for v in given]
    changed = {id(c.of) for c, _ in target.state.values() if type(c) is Box}
    twice = any(id(r) in changed for r in roots if r is not None)
    for i in target.lost:
        twice |= any(
            r is roots[i] for k, r in enumerate(roots) if k != i and given[k] is not given[i]
        )
    if not twice and target.lost:
        inside = set(walk.graphs(target.graph))
        lost = {id(roots[i]) for i in target.lost}
        twice = any(
            id(tensors.owner(v)) in lost
            for g in inside
            for n in g
            for v in n.operands
            if isinstance(v, Node) and v.graph not in inside
        )
    if twice:
        raise complain(
            ParseError,
            f"{target.name}, which is recursive, changes a tensor that it knows by another name too, "
            "or as a part of another",
            cure="pass a copy, x.copy(), or use one name",
        )


def _received(ip, value):
    """The value of a call, which may have returned what it raises to where that is caught."""
    if isinstance(value, Thrown):
        conditions.throw_again(ip, value)
        raise Bottom
    if not isinstance(value, UnionValue) or not any(isinstance(v, Thrown) for v in value.options):
        return value
    return conditions.of_choice(ip, value, lambda v: _received(ip, v))


def _pass_on(ip, target: Recursive, frame: Frame, value) -> None:
    """A list or dict in the result may be one that was passed in, or an older one."""
    known = (*containers_of(tuple(frame.args.values()), []), *target.passed)
    for c in known:
        ip.aliases.know(c)
    for c in containers_of(value, []):
        if not any(c is k for k in known):
            c.fixed = ("that a recursive function passes on cannot be changed", "copy it first")
            ip.aliases.add(c, set(map(id, known)))

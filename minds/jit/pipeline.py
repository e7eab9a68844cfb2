"""From a Python callable and its arguments to a program: the steps, and what a program depends
on.
"""

from __future__ import annotations

import contextlib
import gc
import weakref
from dataclasses import dataclass
from functools import partial

from .. import _core, eager_views
from ..ad import j as ad_j
from ..ad import tape
from ..base.deep import with_room
from ..base.errors import (
    CompileTimeError,
    InternalError,
    UserError,
    complain,
    is_frontend_fault,
    locate,
    refuse,
    user_loc,
)
from ..base.options import Options, freeze
from ..batch import step as batch_step
from ..frontend import (
    classes,
    collection_kinds,
    containers,
    control,
    copies,
    extremes,
    generators,
    handlers,
    iteration,
    library,
    loops,
    matching,
    numbers,
    open_lists,
    operators,
    polyfills,
    records,
    recursive_closures,
    region,
    setitem,
    sorting,
)
from ..frontend.aliases import OUTSIDE
from ..frontend.counted import RuntimeRange
from ..frontend.emit import Bottom
from ..frontend.imports import Captures
from ..frontend.interp import EMITTERS, Interp
from ..frontend.iterated import Iterated
from ..frontend.iterators import Items, Zipped
from ..frontend.run_lists import Listed, exact, holds_lists, rows_of
from ..frontend.slots import closed_class, slots_of
from ..frontend.source import loc_of
from ..frontend.text import Text
from ..frontend.union_values import is_data
from ..frontend.value_types import RunArray, RunList, View, is_made, of_python, record
from ..frontend.values import (
    LOCAL,
    Bound,
    Closure,
    Leaf,
    LocalDict,
    LocalList,
    LocalSet,
    UnionValue,
    containers_of,
    describe,
    flatten,
    leaf_abstracts,
    parts,
    unflatten,
)
from ..frontend.variables import LeftUnset
from ..ir import dim, walk
from ..ir.abstract import INT, AbstractScalar
from ..ir.fault import printed
from ..ir.node import Apply, Constant
from ..ir.shape_env import Respecialise, ShapeEnv
from ..lower.program import lower
from ..ops import inplace_methods
from ..ops import tensor_hooks as hooks
from ..passes.attend import attend
from ..passes.close import close
from ..passes.cse import cse
from ..passes.driver import run_steps
from ..passes.loads import loads
from ..passes.segments import segments
from ..passes.simplify import simplify, tidy
from ..sharding.step import Elsewhere, agree, divide, is_elsewhere, whole_types
from ..tensor import Parameter, Tensor
from .arguments import Numbers, key_of, scalar_array, skeleton_of
from .guards import Guards

EMITTERS[hooks.register_hook] = setitem.register_hook
for _name in inplace_methods.TABLE:
    EMITTERS[getattr(Tensor, _name)] = setitem.in_place(_name)


STEPS = (
    ("simplify", simplify),
    ("close", close),
    ("close_segments", segments),
    ("vmap", batch_step.make_step(simplify, close)),
    ("attend", attend),
    ("j", ad_j.make_step(simplify, close)),
    ("close_again", close),
    ("cse", cse),
    ("loads", loads),
    ("tidy", tidy),
    ("divide", divide),
)
"""The way from the typed graph to what `lower` takes."""


class Program:
    """One compiled specialisation.

    Attributes:
        out: the skeleton of the result.
        given: (number, skeleton) of the lists and dicts that change, those of the arguments and
            those that were made outside behind them; None if there are none at all.
        stored: the numbers of the leaves, those of outside too, that change.
    """

    __slots__ = ("executable", "guards", "given", "out", "stored", "wrap")

    def __init__(self, executable, out, given, stored: list, guards: Guards):
        self.executable, self.guards = executable, guards
        self.out, self.given, self.stored = out, given, stored
        results = [a for s in (out, *[s for _, s in given or ()]) for a in leaf_abstracts(s, [])]
        self.wrap = [number if isinstance(a, AbstractScalar) else Tensor._wrap for a in results]
        self.wrap += [Tensor._wrap] * len(stored)
        executable.bind([p._array for p in guards.parameters])

    parameters = property(lambda self: self.guards.parameters)

    def __call__(self, leaves: list, held: list, args: tuple, kwargs: dict):
        """Run for these ``leaves``. What changes as the program says are tensors among these, and
        lists and dicts in the arguments of the call, and ``held``, those outside.

        Raises:
            ValueError: what changes is passed twice.
        """
        changing = self.given is not None or self.stored
        given = self._changed((args, *kwargs.values()), leaves, held) if changing else ()
        arrays = []
        for v in leaves:
            arrays.append(v._array if isinstance(v, Tensor) else scalar_array(v))
        found = []
        for wrap, array in zip(self.wrap, self.executable(arrays)):
            found.append(wrap(array))
        if self.guards.writes:
            self.outdate()
        if not changing and type(self.out) is Leaf:
            return found[0]
        values = iter(found)
        result = restored(self.out, values, given)
        for i, skeleton in self.given or ():
            now = restored(skeleton, values, given)
            given[i].clear()
            given[i].extend(now) if hasattr(now, "extend") else given[i].update(now)
        for i in self.stored:
            _hold(leaves[i], next(values))
        return result

    def can_sink(self) -> bool:
        """Whether its runs may follow one another without Python: it changes nothing but parameters,
        and gives no list of the caller's.
        """
        outs = self.out if type(self.out) is tuple else (self.out,)
        plain = self.given is None or all(type(v) is Leaf for v in outs)
        return plain and not (self.given or self.stored or hooks.registered)

    def sink(self, feed, rest: list) -> tuple:
        """Run for each batch of ``feed``, whose leaves ``rest`` follow.

        Returns:
            tuple: (what the last run gave, how many there were).
        """
        arrays = [v._array if isinstance(v, Tensor) else scalar_array(v) for v in rest]
        try:
            found, count = self.executable.sink(feed, arrays)
        finally:
            if self.guards.writes:
                self.outdate()
        leaves = [wrap(array) for wrap, array in zip(self.wrap, found)]
        return restored(self.out, iter(leaves), ()) if count else None, count

    def outdate(self) -> None:
        """Views of the parameters are out of date, since the program writes some."""
        for p in self.parameters:
            if p._shares is not None:
                eager_views.outdate(p)

    def _changed(self, args: tuple, leaves: list, held: list) -> list:
        """What may change or stay in what changes: lists and dicts of the caller and of outside,
        then the leaves. What changes must not be passed twice.
        """
        given = []
        if self.given is not None:
            outside = self.guards.imports
            given = containers_of(args, [])
            given += [held[v] if type(v) is int else v for v in outside]
        if self.given or self.stored:
            _expect_once(given if self.given else (), "list or dict")
            _expect_once(
                [t for t in leaves if isinstance(t, Tensor)] if self.stored else (), "tensor"
            )
            _expect_apart(leaves, self.stored)
        return given + leaves


def parse(
    fn,
    args: tuple,
    kwargs: dict,
    options: Options,
    taken: Numbers | None = None,
    types: list | None = None,
    itself: bool = False,
    captures: Captures | None = None,
) -> tuple:
    """Interpret ``fn(*args, **kwargs)``.

    Args:
        taken (Numbers | None): how the numbers among the arguments are taken; None for values of
            the run.
        types (list | None): the abstract values of the leaves, where they are not those of the
            arguments: with dimensions that are open; and a size for a number that is an open one.
        itself (bool): whether a list or dict made outside that is returned is that itself, changed
            or not.
        captures (Captures | None): how what is read outside is taken; None for constants.
    Returns:
        (Interp, output skeleton): the root graph is in the interpreter.
    """
    given, carried = (fn, args, kwargs, options, taken, types, itself, captures, user_loc()), set()
    while True:
        parsed = partial(tape.recording, tape.active(), partial(_parse, *given, carried))
        try:
            return with_room(parsed, [tape.local, dim.state])
        except LeftUnset as e:
            carried.add(e.name)


def _parse(
    fn, args: tuple, kwargs: dict, options, taken, types: list | None, itself, captures, at, carried
) -> tuple:
    name = getattr(fn, "__name__", None) or type(fn).__name__
    ip = Interp(name, options, captures, carried)
    ip.root.loc = at
    skeleton = skeleton_of((args, kwargs), taken)
    types = leaf_abstracts(skeleton, []) if types is None else types
    types = whole_types(types, options.division)
    nodes = [ip.root.add_param(f"x{i}", INT if dim.is_size(a) else a) for i, a in enumerate(types)]
    if hooks.registered:
        ip.parameters.hooks = _hooks_by_node((args, kwargs), nodes, taken)
    values = [a if dim.is_size(a) else n for a, n in zip(types, nodes)]
    inner_args, inner_kwargs = open_lists.taken(ip, unflatten(skeleton, iter(values)))
    given = containers_of((inner_args, *inner_kwargs.values()), [])
    _fix_objects((inner_args, inner_kwargs))
    ip.tensors.arguments = nodes
    start = ip.store.version()
    try:
        value = ip.call(fn, list(inner_args), dict(inner_kwargs))
        recursive_closures.close(ip)
    except Bottom:
        if ip.flow.fails is None or not ip.flow.fails.dead:
            raise complain(RecursionError, f"{name}: every path recurses or raises") from None
        region.settle(ip, ip.flow.fails, [])
        ip.flow.builder, value = ip.flow.fails.base, None
    except InternalError as e:
        raise InternalError(e.__cause__, e.step, printed(ip.root)) from e.__cause__
    except Exception as e:
        if is_frontend_fault(e):
            raise InternalError(e, f"when {name} was interpreted", printed(ip.root)) from e
        if isinstance(e, CompileTimeError):
            e.numbers = _sources(e.needs, {n: i for i, n in enumerate(nodes)})
            e.captured = [
                r.path for n, r in ip.imports.leaves.items() if nodes.index(n) in (e.numbers or ())
            ]
        if isinstance(e, (TypeError, ValueError, SyntaxError)):
            raise locate(e, ip.root.loc) from e.__cause__
        raise
    leaves: list = []
    imports, captured = [c for _, c in ip.imports.pairs], ip.imports.leaves
    changed = ip.store.changed(start, ip.store.version())
    everything = {id(c): Given(i) for i, c in enumerate((*given, *imports))}
    place = (
        everything
        if itself
        else {
            id(c): everything[id(c)] for c in (*given, *imports) if c.born > 0 or id(c) in changed
        }
    )
    value = loaded(ip, value, place)
    _expect_data(ip, value)
    out = flatten(value, leaves)
    if given or len(place) > len(given):
        ip.imports.given = [
            (i, flatten(loaded(ip, c.copy(), place), leaves))
            for i, c in enumerate(given)
            if id(c) in changed
        ]
        known = {id(n): Given(i) for i, n in enumerate(nodes, len(everything)) if n in captured}
        for i, c in enumerate(imports, len(given)):
            if id(c) in changed:
                _expect_data(ip, c)
                now = loaded(ip, c.copy(), {**everything, **known}, keep=True)
                ip.imports.given.append((i, flatten(now, leaves)))
    leaves += [nodes[i] for i in ip.tensors.stored()]
    ip.root.output = ip.builder.make_tuple([ip.node(v) for v in leaves])
    assert ip.builder.graph is ip.root
    _close_dead_ends(ip)
    walk.mark_effects(ip.root, walk.call_map(ip.root))
    return ip, out


def _sources(needs: tuple, places: dict) -> set | None:
    """The places of the parameters from which alone nodes are computed; None if there are others,
    or no nodes.
    """
    found, seen, stack = set(), set(), list(needs)
    while stack:
        n = stack.pop()
        if n in places:
            found.add(places[n])
        elif type(n) is Apply:
            stack += [a for a in n.operands if a not in seen]
            seen.update(n.operands)
        elif type(n) is not Constant:
            return None
    return found or None


def _hooks_by_node(value, nodes: list, taken: Numbers | None) -> dict:
    """The hooks of the tensors among the arguments, by the identity of the node that stands for
    each.
    """
    leaves: list = []
    key_of(value, leaves, taken and taken.fresh())
    return {
        id(n): hooks.of(v) for n, v in zip(nodes, leaves) if isinstance(v, Tensor) and hooks.of(v)
    }


def _close_dead_ends(ip: Interp) -> None:
    """Drop the graphs that nothing mentions any more."""
    for g in ip.graphs:
        if not g.callers and g.ret is None:
            g.clear()


def _expect_once(values, what: str) -> None:
    if len(set(map(id, values))) < len(values):
        raise complain(
            ValueError,
            f"a {what} that compiled code changes is passed twice",
            loc=user_loc(),
            cure="pass a copy",
        )


def _expect_apart(leaves: list, stored: list) -> None:
    """Raise if a tensor that changes shares elements with another."""
    roots = [eager_views.of(t) for t in leaves if isinstance(t, Tensor)]
    for i in stored:
        if sum(r is eager_views.of(leaves[i]) for r in roots) > 1:
            raise complain(
                ValueError,
                "a tensor that compiled code changes shares its elements with another that it is "
                "given: one is a view of the other",
                loc=user_loc(),
                cure="pass a copy: x[0].copy()",
            )


def _hold(x: Tensor, new: Tensor) -> None:
    """``x`` has the value of ``new`` behind the program, and so have its views."""
    if x._shares is None:
        x._array, x._abstract = new._array, None
    else:
        x.copy_(new)


@dataclass(frozen=True)
class Given:
    """In the skeleton of a result: a list or dict of the caller's or of outside, or a tensor of
    outside, by its number (`Program.given`).
    """

    number: int


@dataclass(frozen=True, eq=False)
class KnownTensor:
    """In the skeleton of a result: this very tensor."""

    value: Tensor


def loaded(ip: Interp, value, place: dict | None = None, keep: bool = False):
    """``value`` with parameters replaced by what they hold, or all tensors `KnownTensor`, and lists and
    dicts by their entries in ``place``.
    """
    if keep and isinstance(value, Tensor):
        return KnownTensor(value)
    if isinstance(value, Parameter):
        return ip.read(value)
    if type(value) is dim.Dim:
        return ip.node(value)
    if place and id(value) in place:
        return place[id(value)]
    if ip.tensors.arrays and id(value) in ip.tensors.boxes:
        value = ip.tensors.known(value)
    ip.usable(value)
    if type(value) is RunList:
        if not holds_lists(value):
            rows = rows_of(ip, value)
            return Listed(rows.skeleton, exact(ip, rows), value.kind)
        value = list(value)
    if type(value) in (tuple, list):
        return type(value)([loaded(ip, v, place, keep) for v in value])
    if isinstance(value, (LocalList, dict)):
        p = parts(value) or parts(dict(value))
        return p.remake([loaded(ip, v, place, keep) for v in p.items])
    if isinstance(value, Zipped):  # map, zip and enumerate: a tuple, as in MindSpore
        value = tuple(value.take_all(ip))
    elif isinstance(value, Iterated):
        value = Items(tuple(value.take_all(ip)))
    if isinstance(value, (tuple, View, Iterated, RuntimeRange)) or (
        record(value) is not None and not (keep and not is_made(value))
    ):
        p = parts(value)
        return p.remake([loaded(ip, v, place, keep) for v in p.items])
    return value


def _fix_objects(value, inside: bool = False) -> None:
    """What objects among the arguments hold cannot be changed: the caller would not see it."""
    if isinstance(value, LOCAL) and inside:
        value.fixed = OUTSIDE
    p = parts(value)
    for v in p.items if p is not None else ():
        _fix_objects(v, inside or is_made(value) or record(value) is not None)


def _expect_data(ip, value, above: tuple = ()) -> None:
    """Raise if what a compiled function returns, which is within ``above``, is a function that it
    made, or holds itself.
    """
    if any(value is a for a in above):
        what = f"jit: a {type(value).__name__.removeprefix('Local').lower()} that holds itself is returned"
        raise refuse(RecursionError, what, cure="return what it holds")
    if isinstance(value, (Closure, Bound)) or isinstance(value, UnionValue) and not is_data(value):
        loc = loc_of(value.source.tree, value.source, None) if isinstance(value, Closure) else None
        raise complain(
            RuntimeError,
            f"Function in output is not supported: {describe(value)} is returned, which only "
            "compiled code can call",
            loc=loc,
            cure="return what it gives, or make it outside of the compiled function",
        )
    if (
        type(value) in ip.activations.classes
        or isinstance(value, type)
        and value in ip.activations.classes
    ):
        what = f"{describe(value)}, of a class made in compiled code, is returned"
        raise refuse(TypeError, what, cure="define the class outside of the compiled function")
    kind = getattr(value, "kind", None)
    if isinstance(value, LOCAL) and kind is not None:
        _expect_data(ip, kind.given, above)
    p = parts(value)
    items = value if isinstance(value, (set, frozenset)) else () if p is None else p.items
    for v in items:
        _expect_data(ip, v, (*above, value))


def build(
    fn,
    args: tuple,
    kwargs: dict,
    options: Options | None = None,
    taken: Numbers | None = None,
    captures: Captures | None = None,
    reads: list | None = None,
) -> Program:
    """Compile ``fn`` for arguments like these; what was read outside (`Read`) becomes ``reads``.

    Raises:
        ParseError, TypeError, ValueError, …: the source cannot be compiled for them; the message
        shows the user's line.
    """
    options = options or freeze()

    def finish(ip, out, graph, scope):
        there = not is_elsewhere(options.division)
        executable = (
            lower(graph, options, bool(scope.found)) if there else Elsewhere(options.division)
        )
        agree(ip.parameters.found, options.division)
        if reads is not None:
            reads[:] = ip.imports.reads.values()
        return Program(executable, out, ip.imports.given, ip.tensors.stored(), Guards.of(ip))

    return build_graph(fn, args, kwargs, options, taken, finish, captures=captures)


def build_graph(
    fn,
    args: tuple,
    kwargs: dict,
    options: Options,
    taken: Numbers | None,
    finish,
    itself: bool = True,
    captures: Captures | None = None,
):
    """What ``finish(ip, out, graph, scope)`` gives for the interpreter, the skeleton of the result,
    the graph and the assumptions of a compilation.
    """
    known, first = {}, None
    while True:
        scope = ShapeEnv({}, True, known)
        try:
            with quietly(), scope:
                ip, out = parse(fn, args, kwargs, options, taken, itself=itself, captures=captures)
                return finish(ip, out, run_steps(ip.root, STEPS, options), scope)
        except Respecialise as e:
            known = dim.narrowed(known, e.known)
        except UserError as e:
            # It may be right if two sizes that the run finds are equal; the program checks that
            # they are.
            equation, first = scope.doubted(), first or e
            if equation is None:
                raise first from first.__cause__
            if not scope.may_equal(dim.of_var(equation[0]), equation[1]):
                first = None  # that the paths do not agree says more
            known = dim.narrowed(known, dict([equation]))


def number(array: _core.Array):
    """A run-time scalar as the Python number it is."""
    return array.item()


def restored(skeleton, leaves, given):
    """The user's value: `unflatten`, with containers of the plain kind, or the caller's own."""
    kind = type(skeleton)
    if kind is Leaf:
        return next(leaves)
    if kind is tuple:
        return tuple([restored(v, leaves, given) for v in skeleton])
    if kind in (LocalList, list):
        return of_python(skeleton, [restored(v, leaves, given) for v in skeleton])
    if kind in (LocalDict, dict):
        return of_python(skeleton, {k: restored(v, leaves, given) for k, v in skeleton.items()})
    if kind is Listed:
        return skeleton.elements([restored(v, leaves, given) for v in skeleton.columns])
    if kind is RunArray:
        return skeleton.restored(restored(skeleton.node, leaves, given))
    if kind is RuntimeRange:
        return range(*[restored(v, leaves, given) for v in parts(skeleton).items])
    if kind is Given:
        return given[skeleton.number]
    if kind is UnionValue:
        at = next(leaves)
        return [restored(v, leaves, given) for v in skeleton.options][at]
    if kind is KnownTensor:
        return skeleton.value
    if isinstance(skeleton, tuple) and hasattr(skeleton, "_fields"):
        return kind(*[restored(v, leaves, given) for v in skeleton])
    if kind is LocalSet:
        return set(skeleton)
    if kind is View:
        return getattr(restored(skeleton.of, leaves, given), skeleton.name)()
    if kind is Items:
        return iter(restored(skeleton.state["of"], leaves, given))
    if kind is Text:
        return skeleton.render([restored(v, leaves, given) for v in skeleton.values])
    if is_made(skeleton):
        kind = closed_class(kind)
        new, held = object.__new__(kind), restored(skeleton.__dict__, leaves, given)
        for name in slots_of(kind):
            if name in held:
                object.__setattr__(new, name, held.pop(name))
        if held:
            new.__dict__.update(held)
        return new
    if record(skeleton) is not None:
        p = parts(skeleton)
        return p.remake([restored(v, leaves, given) for v in p.items])
    return skeleton


@contextlib.contextmanager
def quietly():
    """No recording on tapes, and no cyclic garbage collection: a compilation makes many nodes that
    live until its end, which it would visit.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        with tape.suspended():
            yield
    finally:
        if was_on:
            gc.enable()


__all__ = [
    "STEPS",
    "Guards",
    "Program",
    "build",
    "build_graph",
    "loaded",
    "number",
    "parse",
    "quietly",
    "restored",
]

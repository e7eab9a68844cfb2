"""From a Python callable and its arguments to a typed graph. The parts of the frontend that register
what they do are imported here.
"""

from __future__ import annotations

import types
from functools import partial

from .. import sharding
from ..ad import tape
from ..base.deep import with_room
from ..base.errors import (
    CompileTimeError,
    InternalError,
    complain,
    is_frontend_fault,
    locate,
    refuse,
    user_loc,
)
from ..base.options import Options
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
    recursive_closures,
    region,
    setitem,
    sorting,
)
from ..frontend.aliases import OUTSIDE
from ..frontend.describe import describe
from ..frontend.emit import Bottom
from ..frontend.flow import Uncarried
from ..frontend.function_types import Bound, Closure, UnionValue
from ..frontend.imports import Captures
from ..frontend.interp import Interp
from ..frontend.registry import EMITTERS
from ..frontend.source import loc_of
from ..frontend.structure import parts
from ..frontend.union_values import is_data
from ..frontend.value_types import LOCAL, containers_of, is_made, record
from ..frontend.values import flatten, leaf_abstracts, unflatten
from ..ir import dim, walk
from ..ir.abstract import INT
from ..ir.fault import printed
from ..ir.node import Apply, Constant
from ..ops import inplace_methods
from ..ops import tensor_hooks as hooks
from ..tensor import Tensor
from .arguments import Numbers, key_of, skeleton_of
from .results import Given, loaded

EMITTERS[hooks.register_hook] = setitem.register_hook
for _name in inplace_methods.TABLE:
    EMITTERS[getattr(Tensor, _name)] = setitem.in_place(_name)


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
        except Uncarried as e:
            carried.add(e.what)


def _parse(
    fn, args: tuple, kwargs: dict, options, taken, types: list | None, itself, captures, at, carried
) -> tuple:
    name = getattr(fn, "__name__", None) or type(fn).__name__
    ip = Interp(name, options, captures, carried)
    ip.root.loc = at
    skeleton = skeleton_of((args, kwargs), taken)
    leaves = leaf_abstracts(skeleton, []) if types is None else types
    if options.division is not None:
        leaves = sharding.step.whole_types(leaves, options.division)
    nodes = [ip.root.add_param(f"x{i}", INT if dim.is_size(a) else a) for i, a in enumerate(leaves)]
    if hooks.registered:
        ip.parameters.hooks = _hooks_by_node((args, kwargs), nodes, taken)
    values = [a if dim.is_size(a) else n for a, n in zip(leaves, nodes)]
    inner_args, inner_kwargs = open_lists.taken(ip, unflatten(skeleton, iter(values)))
    given = containers_of((inner_args, *inner_kwargs.values()), [])
    _fix_objects((inner_args, inner_kwargs))
    ip.tensors.arguments = nodes
    ip.tensors.constant = constant_nodes(
        (*args, *kwargs.values()), (*inner_args, *inner_kwargs.values())
    )
    start = ip.store.version()
    value = _interpreted(ip, name, fn, inner_args, inner_kwargs, nodes)
    return ip, _returned(ip, value, given, nodes, start, itself)


def _interpreted(ip, name: str, fn, args: tuple, kwargs: dict, nodes: list):
    """What ``fn`` gives, or None where it always fails; what is wrong with it is about its lines."""
    try:
        value = ip.call(fn, list(args), dict(kwargs))
        recursive_closures.close(ip)
        return value
    except Bottom:
        if ip.flow.fails is None or not ip.flow.fails.dead:
            raise complain(RecursionError, f"{name}: every path recurses or raises") from None
        region.settle(ip, ip.flow.fails, [])
        ip.flow.builder = ip.flow.fails.base
        return None
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


class _StandIns(dict):
    """What stands for lists and dicts in a result, by identity.

    Attributes:
        used: whether something was looked up: the result holds one of the caller's or of outside.
    """

    used = False

    def __getitem__(self, key):
        self.used = True
        return super().__getitem__(key)


def _returned(ip, value, given: list, nodes: list, start, itself: bool):
    """Close the root graph with ``value`` and what was changed since ``start`` among the containers
    ``given`` and those outside. Returns the skeleton of ``value``.
    """
    leaves: list = []
    imports, captured = [c for _, c in ip.imports.pairs], ip.imports.leaves
    changed = ip.store.changed(start, ip.store.version())
    everything = {id(c): Given(i) for i, c in enumerate((*given, *imports))}
    place = _StandIns(
        everything
        if itself
        else {
            id(c): everything[id(c)] for c in (*given, *imports) if c.born > 0 or id(c) in changed
        }
    )
    value = loaded(ip, value, place)
    _expect_data(ip, value)
    out = flatten(value, leaves)
    if place.used or any(id(c) in changed for c in (*given, *imports)):
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
    return out


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


def constant_nodes(given: tuple, inner: tuple) -> set:
    """The nodes of containers among arguments that are no `mutable`: to MindSpore these are
    constants, by which `GradOperation` does not differentiate.
    """
    found: list = []
    for v, stands in zip(given, inner):
        if type(v) in (tuple, list, dict):
            flatten(stands, found)
    return set(found)


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


def _fix_objects(value, inside: bool = False) -> None:
    """What objects among the arguments hold cannot be changed: the caller would not see it."""
    if isinstance(value, LOCAL) and inside:
        value.fixed = OUTSIDE
    p = parts(value)
    for v in p.items if p is not None else ():
        _fix_objects(v, inside or is_made(value) or record(value) is not None)


def _expect_data(ip, value, above: tuple = ()) -> None:
    """Raise if what a compiled function returns, which is within ``above``, is a function that it
    made, a method, or holds itself.
    """
    if any(value is a for a in above):
        what = f"jit: a {type(value).__name__.removeprefix('Local').lower()} that holds itself is returned"
        raise refuse(RecursionError, what, cure="return what it holds")
    methods = (Closure, Bound, types.MethodType)
    if isinstance(value, methods) or isinstance(value, UnionValue) and not is_data(value):
        loc = loc_of(value.source.tree, value.source, None) if isinstance(value, Closure) else None
        raise complain(
            RuntimeError,
            f"Function in output is not supported: {describe(value)} is returned"
            + (
                ", which only compiled code can call" if isinstance(value, (Closure, Bound)) else ""
            ),
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

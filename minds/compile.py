"""From a Python callable and its arguments to a program, and the cache of programs.

A program is valid for: the skeleton of the arguments (shapes, dtypes and structure; numbers are run-time
values unless the source needs them while compiling), the options, and the attributes of cells that
interpretation read (the guards).
"""
from __future__ import annotations

import contextlib
import functools
import gc
import weakref
from dataclasses import dataclass

from . import _core
from .ad import hooks, tape
from .ad import j as ad_j
from .base import dtype as dt
from .base.errors import CompileTimeError, IntegerTooLarge, complain, locate, user_loc
from .base.options import Options, freeze
from .batch import step as batch_step
from .frontend import (  # noqa: F401  (some register themselves)
    containers,
    control,
    extremes,
    library,
    numbers,
    region,
    store,
)
from .frontend.emit import Bottom
from .frontend.interp import EMITTERS, Interp
from .frontend.kinds import is_made
from .frontend.text import Text
from .frontend.values import Leaf, LocalDict, LocalList, containers_of, flatten, leaf_abstracts, unflatten
from .ir import walk
from .ir.abstract import AbstractScalar
from .ir.clone import copy_program
from .lower.program import lower
from .ops import inplace_methods
from .passes.close import close
from .passes.cse import cse
from .passes.driver import run_steps
from .passes.loads import loads
from .passes.simplify import simplify
from .tensor import Parameter, Tensor

EMITTERS[hooks.register_hook] = store.register_hook
for _name in inplace_methods.TABLE:
    EMITTERS[getattr(Tensor, _name)] = store.in_place(_name)

STEPS = (("simplify", simplify), ("close", close), ("vmap", batch_step.make_step(simplify, close)),
         ("j", ad_j.make_step(simplify, close)), ("close_again", close), ("cse", cse), ("loads", loads),
         ("tidy", simplify))
"""The way from the typed graph to what `lower` takes."""


class Program:
    """One compiled specialisation."""

    __slots__ = ("executable", "out", "given", "stored", "wrap", "parameters", "guards", "version", "keep")

    def __init__(self, executable, out, interp: Interp, keep):
        self.executable, self.out, self.keep = executable, out, keep
        self.given, self.stored = interp.given, interp.stored
        results = [a for s in (out, *[s for _, s in self.given or ()]) for a in leaf_abstracts(s, [])]
        self.wrap = [_number if isinstance(a, AbstractScalar) else Tensor._wrap for a in results]
        self.wrap += [Tensor._wrap] * len(self.stored)
        self.parameters, self.guards, self.version = interp.parameters, list(interp.guards.values()), None
        executable.bind([p._array for p in interp.parameters])

    def valid(self) -> bool:
        """Whether the attributes that were read while compiling are as they were."""
        for owner, name, value in self.guards:
            now = owner.__dict__.get(name, _ABSENT)
            if now is not value and not (
                type(now) is type(value) and type(now) in (bool, int, float, str) and now == value
            ):
                return False
        return all(p.abstract is a for p, a in self.keep[1])

    def __call__(self, arrays: list, args: tuple, tensors: list):
        """Run for these arrays; ``args`` are the caller's, whose lists and dicts, and ``tensors``, those among
        them, change as the program says.

        Raises:
            ValueError: what changes is passed twice.
        """
        given = containers_of(args, []) if self.given is not None else ()
        if self.given or self.stored:
            _expect_once(given if self.given else (), "list or dict")
            _expect_once([t for t in tensors if isinstance(t, Tensor)] if self.stored else (), "tensor")
        leaves = iter([wrap(a) for wrap, a in zip(self.wrap, self.executable(arrays))])
        result = _restore(self.out, leaves, given)
        for i, skeleton in self.given or ():
            now = _restore(skeleton, leaves, given)
            given[i].clear()
            given[i].extend(now) if isinstance(now, list) else given[i].update(now)
        for i in self.stored:
            tensors[i]._array, tensors[i]._abstract = next(leaves)._array, None
        return result


_ABSENT = object()


def parse(fn, args: tuple, kwargs: dict, options: Options, static: bool) -> tuple:
    """Interpret ``fn(*args, **kwargs)``.

    Args:
        static (bool): numbers among the arguments are compile-time values.
    Returns:
        (Interp, output skeleton): the root graph is in the interpreter.
    """
    name = getattr(fn, "__name__", None) or type(fn).__name__
    ip = Interp(name, options)
    ip.root.loc = user_loc()
    skeleton = skeleton_of((args, kwargs), static)
    nodes = [ip.root.add_param(f"x{i}", a) for i, a in enumerate(leaf_abstracts(skeleton, []))]
    if hooks.any_registered():
        ip.hooks = _hooks_by_node((args, kwargs), nodes, static)
    inner_args, inner_kwargs = unflatten(skeleton, iter(nodes))
    given = containers_of((inner_args, *inner_kwargs.values()), [])
    ip.arguments.extend(nodes)
    start = region.here(ip, outermost=True)
    try:
        value = ip.call(fn, list(inner_args), dict(inner_kwargs))
    except Bottom:
        if ip.fails is None or not ip.fails.dead:
            raise complain(RecursionError, f"{name}: every path recurses or raises") from None
        region.settle(ip, ip.fails, [])
        ip.builder, value = ip.fails.base, None
    except (TypeError, ValueError, SyntaxError) as e:
        raise locate(e, ip.root.loc) from e.__cause__
    leaves: list = []
    place = {id(c): Given(i) for i, c in enumerate(given)}
    out = flatten(loaded(ip, value, place), leaves)
    if given:
        ip.given = [(i, flatten(loaded(ip, c.copy(), place), leaves)) for i, c in enumerate(given)
                    if id(c) in start.heap]
    ip.stored = [i for i, (n, now) in enumerate(zip(nodes, ip.arguments)) if n is not now]
    leaves += [ip.arguments[i] for i in ip.stored]
    ip.root.output = ip.builder.make_tuple([ip.node(v) for v in leaves])
    assert ip.builder.graph is ip.root
    _close_dead_ends(ip)
    walk.mark_effects(ip.root, walk.call_map(ip.root))
    return ip, out


def _hooks_by_node(value, nodes: list, static: bool) -> dict:
    """The hooks of the tensors among the arguments, by the identity of the node that stands for each."""
    leaves: list = []
    _key(value, leaves, static)
    return {id(n): hooks.of(v) for n, v in zip(nodes, leaves) if isinstance(v, Tensor) and hooks.of(v)}


def _close_dead_ends(ip: Interp) -> None:
    """Drop the graphs that nothing mentions any more."""
    for g in ip.graphs:
        if not g.callers and g.ret is None:
            g.clear()


def _expect_once(values, what: str) -> None:
    if len(set(map(id, values))) < len(values):
        raise complain(ValueError, f"a {what} that compiled code changes is passed twice", loc=user_loc(),
                       cure="pass a copy")


@dataclass(frozen=True)
class Given:
    """In the skeleton of a result: a list or dict of the caller's, by its number among the arguments."""

    number: int


def loaded(ip: Interp, value, place: dict | None = None):
    """``value`` with parameters replaced by what they hold, and lists and dicts by their entries in ``place``."""
    if isinstance(value, Parameter):
        return ip.read(value)
    if place and id(value) in place:
        return place[id(value)]
    ip.usable(value)
    if is_made(value):
        raise complain(TypeError, f"an object of class {type(value).__name__} that compiled code made is returned",
                       cure="return what it holds")
    if type(value) in (tuple, list, LocalList):
        return type(value)([loaded(ip, v, place) for v in value])
    if isinstance(value, dict):
        return LocalDict((k, loaded(ip, v, place)) for k, v in value.items())
    return value


def skeleton_of(value, static: bool):
    """The skeleton of arguments: tensors, and numbers unless ``static``, are leaves."""
    kind = type(value)
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        return Leaf(value.abstract)
    if kind is int or kind is float:
        return value if static else Leaf(AbstractScalar(kind))
    if kind is tuple or kind is list:
        return (tuple if kind is tuple else LocalList)([skeleton_of(v, static) for v in value])
    if kind is dict:
        return LocalDict((k, skeleton_of(v, static)) for k, v in value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*[skeleton_of(v, static) for v in value])
    return value


def build(fn, args: tuple, kwargs: dict, options: Options | None = None, static: bool = False) -> Program:
    """Compile ``fn`` for arguments like these.

    Raises:
        ParseError, TypeError, ValueError, …: the source cannot be compiled for them; the message shows the
        user's line.
    """
    options = options or freeze()
    with tape.suspended(), _no_collection():
        ip, out = parse(fn, args, kwargs, options, static)
        graph = run_steps(ip.root, STEPS, options)
        executable = lower(graph, options)
    keep = ((args, kwargs), [(p, p.abstract) for p in ip.parameters])
    return Program(executable, out, ip, keep)


def _number(array: _core.Array):
    """A run-time scalar as the Python number it is."""
    return array.item()


def _restore(skeleton, leaves, given):
    """The user's value: `unflatten`, with containers of the plain kind, or the caller's own."""
    kind = type(skeleton)
    if kind is Leaf:
        return next(leaves)
    if kind is tuple:
        return tuple([_restore(v, leaves, given) for v in skeleton])
    if kind in (LocalList, list):
        return [_restore(v, leaves, given) for v in skeleton]
    if kind in (LocalDict, dict):
        return {k: _restore(v, leaves, given) for k, v in skeleton.items()}
    if kind is Given:
        return given[skeleton.number]
    if isinstance(skeleton, tuple) and hasattr(skeleton, "_fields"):
        return kind(*[_restore(v, leaves, given) for v in skeleton])
    return skeleton.render([_restore(v, leaves, given) for v in skeleton.values]) if kind is Text else skeleton


@contextlib.contextmanager
def _no_collection():
    """No cyclic garbage collection inside: a compilation makes many nodes that live until its end, which it
    would visit.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class Cache:
    """The programs of one callable."""

    __slots__ = ("programs", "static")

    def __init__(self):
        self.programs: dict = {}
        self.static = False

    def find(self, key, version):
        """A valid program for ``key``, or None."""
        for program in self.programs.get(key, ()):
            if program.version == version and version is not None:
                return program
        for program in self.programs.get(key, ()):
            if program.valid():
                program.version = version
                return program
        return None


_caches: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def cache_of(owner) -> Cache:
    """The cache that belongs to a function or cell."""
    found = _caches.get(owner)
    if found is None:
        found = _caches[owner] = Cache()
    return found


def run(owner, fn, args: tuple, kwargs: dict, spec=None):
    """Call ``fn`` compiled. ``owner`` holds the cache, ``spec`` tells apart the functions that share it."""
    cache = cache_of(owner)
    leaves: list = []
    key = (spec, _key(args, leaves, cache.static), _key(kwargs, leaves, cache.static) if kwargs else None,
           hooks.version())
    version = getattr(owner, "_version", None)
    program = cache.find(key, version)
    if program is None:
        try:
            program = build(fn, args, kwargs, static=cache.static)
        except CompileTimeError:
            if cache.static or not any(type(v) in (int, float) for v in leaves):
                raise
            cache.static = True
            return run(owner, fn, args, kwargs, spec)
        program.version = version
        cache.programs.setdefault(key, []).append(program)
    arrays = [v._array if isinstance(v, Tensor) else _scalar(v) for v in leaves]
    return program(arrays, (args, *kwargs.values()), leaves)


_CODES = {int: dt.int64.code, float: dt.float64.code}


def _scalar(v) -> _core.Array:
    if type(v) is int and not -2 ** 63 <= v < 2 ** 63:
        raise complain(IntegerTooLarge, f"the int {v} does not fit 64 bits", cure="pass a float")
    return _core.Array.full((), _CODES[type(v)], v)


def _key(value, leaves: list, static: bool):
    """A hashable key of arguments; what the program takes at run time goes to ``leaves``."""
    kind = type(value)
    if kind is Tensor:
        leaves.append(value)
        return (value.abstract, *map(id, hooks.of(value))) if hooks.any_registered() else value.abstract
    if kind is int or kind is float:
        if static:
            return (kind, value)
        leaves.append(value)
        return kind
    if kind is tuple or kind is list:
        return (kind, *[_key(v, leaves, static) for v in value])
    if kind is dict:
        return (kind, *[(k, _key(v, leaves, static)) for k, v in value.items()])
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (kind, *[_key(v, leaves, static) for v in value])
    if kind in (bool, str, type(None), dt.DType):
        return (kind, value)
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        leaves.append(value)
        return value.abstract
    return (kind, id(value))


def jit(fn=None, **settings):
    """Compile a function or method: each call runs the program for its arguments.

    Under an eager `grad` the function runs eagerly, with the same numbers.

    Args:
        fn (Callable): the function; None makes a decorator.
        **settings: MindSpore's compiler settings (``jit_level``, ``backend``, ``capture_mode``, …), without
        effect.
    Returns:
        Callable: the compiled function.
    Raises:
        TypeError: ``fn`` is no function.

    Examples:
        >>> import minds as ms
        >>> @ms.jit
        ... def square_sum(x):
        ...     return (x * x).sum()
        >>> float(square_sum(ms.Tensor([1.0, 2.0])))
        5.0
    """
    if fn is None:
        return functools.partial(jit, **settings)
    if not callable(fn):
        raise complain(TypeError, f"jit: fn has type {type(fn).__name__}", expected="a function")
    target = getattr(fn, "_compiled_from", fn)

    @functools.wraps(target)
    def compiled(*args, **kwargs):
        if tape.active():
            return target(*args, **kwargs)
        return run(_owner(target, args), target, args, kwargs, target)
    compiled._compiled_from = target
    return compiled


def _owner(target, args: tuple):
    """Who holds the cache: the cell for a method, else the function."""
    return args[0] if args and hasattr(type(args[0]), "construct") else getattr(target, "__func__", target)


def call_cell(cell, args: tuple, kwargs: dict):
    """A cell in graph mode."""
    if tape.active():
        return cell._call_eagerly(args, kwargs)
    return run(cell, cell, args, kwargs)


def compile_cell(cell, args: tuple, kwargs: dict) -> None:
    """Compile a cell for arguments like these."""
    build(cell, args, kwargs)


def stages(fn, args: tuple, kwargs: dict | None = None) -> dict:
    """Every stage of a compilation by name: graphs, and at the end the executable."""
    options = freeze()
    with tape.suspended():
        ip, _ = parse(getattr(fn, "_compiled_from", fn), args, kwargs or {}, options, False)
        found = {"parse": copy_program(ip.root)}
        graph = ip.root
        for name, step in STEPS:
            graph = run_steps(graph, [(name, step)], options)
            found[name] = copy_program(graph)
        found["lower"] = lower(graph, options)
    return found


__all__ = ["Program", "build", "call_cell", "compile_cell", "jit", "parse", "run", "stages"]

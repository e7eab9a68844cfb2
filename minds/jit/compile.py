"""The cache of programs, and what runs through it: `jit` and cells in graph mode.

A program is valid for: the skeleton of the arguments (shapes, dtypes and structure; numbers are
run-time values unless the source needs them while compiling), the options, and what interpretation
read outside (the guards); tensors outside, and numbers that were seen to differ, are values of the
run too. Where dimensions are declared open, one compilation
serves many shapes (`family`), and each of them has its program here.
"""

from __future__ import annotations

import functools
import math
import types
import warnings
import weakref
from functools import partial

from .._core import rerun
from ..ad import tape
from ..base import tree
from ..base.devices import used
from ..base.errors import (
    CompileTimeError,
    InternalError,
    UserError,
    complain,
    is_frontend_fault,
    user_loc,
)
from ..base.kept import can_keep, kept
from ..base.options import (
    GRAPH_MODE,
    freeze,
    get_context,
    memory_limited,
    memory_size,
    narrowed,
    place,
)
from ..frontend.imports import Captures
from ..frontend.interp import EMITTERS
from ..frontend.library import itself
from ..ir.abstract import AbstractTensor
from ..ir.clone import copy_program
from ..ir.dim import Dim, Var, of_var
from ..ir.shape_env import ShapeEnv
from ..lower.program import lower
from ..ops import autocast
from ..ops import tensor_hooks as hooks
from ..passes.driver import run_steps
from ..tensor import Tensor, TensorType
from . import compile_cache
from .arguments import (
    OPEN,
    ROWS,
    Numbers,
    identities,
    key_of,
    leaf_parts,
    named_parts,
    without_sizes,
)
from .family import KEPT, Family, build_family
from .guards import settled
from .history import Compile, Recompiles, explain
from .latest import remember
from .pipeline import STEPS, Program, build, loaded, parse
from .signature import Signature, declared_by, examples

_REMEMBERED = 1000  # compilations in the history of one cache
ITSELF = "itself"
"""Tells the programs of a function or cell from those of what is made of it."""


class Cache:
    """The programs of one callable.

    Attributes:
        programs: by the key of the arguments.
        numbers: how the numbers among the arguments are taken, by the function; values of the run
            where it is not there.
        families: by the key without sizes, the compilations with open dimensions.
        narrow: the keys without sizes for which no program in general is tried any more.
        shapes: by the key without sizes, those that were seen (`jit` with ``dynamic=1``).
        captures: how what is read outside is taken, by the function.
        history: a record of each of the latest compilations.
        latest: the programs that ran last, for the core (`jit.latest`).
        watched: by the key of the arguments, references to the objects that it tells by identity.
    """

    __slots__ = (
        "__weakref__",
        "captures",
        "families",
        "history",
        "latest",
        "narrow",
        "numbers",
        "programs",
        "shapes",
        "watched",
    )

    def __init__(self):
        self.watched: dict = {}
        self.programs: dict = {}
        self.numbers: dict[object, Numbers] = {}
        self.families: dict[object, list[Family]] = {}
        self.narrow: set = set()
        self.shapes: dict = {}
        self.captures: dict[object, Captures] = {}
        self.history: list[Compile] = []
        self.latest: list[tuple] = []

    def find(self, key, leaves: list) -> tuple | None:
        """(a program for ``key``, ``leaves`` with what it takes from outside behind, the containers
        that it read there); None if there is none whose guards hold.
        """
        programs = self.programs.get(key, ())
        for at, program in enumerate(programs):
            containers = program.guards.hold(leaves)
            if containers is not None:
                if at:
                    programs.insert(0, programs.pop(at))
                return program, leaves, containers
        return None

    def keep(self, key, program) -> None:
        """Add a program; the one that was used longest ago is dropped where there are too many."""
        programs = self.programs.setdefault(key, [])
        programs.insert(0, program)
        del programs[VARIANTS:]
        while len(self.programs) > KINDS:
            del self.programs[next(iter(self.programs))]

    def taking(self, spec, attempt):
        """``attempt(captures)``, with how the function takes what is outside (`settled`)."""
        return settled(self.captures.setdefault(spec, Captures()), attempt)

    def watch(self, key, objects: list) -> None:
        """Forget what was compiled for ``key`` when one of ``objects`` dies, whose identities it
        has: the next object may get the same one.
        """
        if not objects or key in self.watched:
            return
        cache = weakref.ref(self)

        def forget(_):
            if cache() is not None:
                cache()._forget(key)

        self.watched[key] = [weakref.ref(o, forget) if can_keep(o) else o for o in objects]

    def _forget(self, key) -> None:
        self.latest.clear()
        self.watched.pop(key, None)
        self.programs.pop(key, None)
        general = without_sizes(key)
        self.families.pop(general, None)
        self.shapes.pop(general, None)
        self.narrow.discard(general)


VARIANTS, KINDS = 32, 1024
"""So many programs of a function are kept for arguments of one kind, and for so many kinds."""


def cache_of(owner) -> Cache:
    """The cache that belongs to a function, a cell, or the object of a method."""
    found = kept(owner)
    cache = found.get("programs")
    return found.setdefault("programs", Cache()) if cache is None else cache


def holder(fn, otherwise):
    """Who holds the programs of ``fn`` and of what is made of it, so that what is made anew finds
    them: the function, the object of a method, or ``otherwise`` where nothing can be kept for it.
    """
    owner = fn.__self__ if type(fn) is types.MethodType else fn
    return owner if can_keep(owner) else otherwise


def run(
    owner,
    fn,
    args: tuple,
    kwargs: dict,
    spec=ITSELF,
    auto: bool = False,
    cache: Cache | None = None,
):
    """Call ``fn`` compiled. ``owner`` holds the cache, ``spec`` tells apart the functions that
    share it; ``auto`` leaves dimensions open that were seen to differ.
    """
    cache = cache or cache_of(owner)
    result = run_again(cache, spec, args, kwargs)
    if result is not NotImplemented:
        return result
    try:
        program, leaves, held = find(owner, fn, args, kwargs, spec, auto, cache)
    except Exception as e:
        _expect_no_fault(e, fn)
        raise
    return program(leaves, held, args, kwargs)


def run_again(cache: Cache, spec, args: tuple, kwargs: dict):
    """What the program of the latest call gives, if it serves this one too; else NotImplemented."""
    if cache.latest and not hooks.registered:
        at = place() if used or narrowed else None
        return rerun(cache.latest, spec, at, hooks.changes[0], args, kwargs)
    return NotImplemented


def _expect_no_fault(e: Exception, fn) -> None:
    """A fault of the compiler is no property of the function, nor an error of the user's."""
    if is_frontend_fault(e):
        name = getattr(fn, "__qualname__", type(fn).__name__)
        raise InternalError(e, f"when {name} was compiled") from e


def find(
    owner,
    fn,
    args: tuple,
    kwargs: dict,
    spec=ITSELF,
    auto: bool = False,
    cache: Cache | None = None,
) -> tuple:
    """(the program for a call, the leaves of its arguments and of what it takes from outside, the
    containers that it read there): one that there is, or a new one.

    Numbers are values of the run; one that must be known while compiling is taken in another way
    from then on. Where a program of values of the run cannot be, one of constants is tried.
    """
    cache, tried, first, missed = cache or cache_of(owner), None, None, []
    while True:
        taken = cache.numbers.get(spec) if cache.numbers else None
        walk = None if taken is None else taken.fresh()
        leaves: list = []
        try:
            positional = key_of(args, leaves, walk)
            named = key_of(kwargs, leaves, walk) if kwargs else None
        except RecursionError:
            raise _holds_itself() from None
        key = (spec, positional, named, hooks.changes[0], place() if used or narrowed else None)
        found = cache.find(key, leaves)
        if found is not None:
            remember(cache.latest, key, found[0])
            return found
        miss = CacheMiss(cache, owner, fn, args, kwargs, spec, key, leaves, taken)
        stored = miss.stored()
        if type(stored) is Numbers and taken is None:
            cache.numbers[spec] = stored
            continue
        try:
            if type(stored) is Program:
                program = miss.keep(stored)
            else:
                program = cache.taking(spec, partial(miss.program, auto))
                miss.store(program, missed)
        except UserError as e:
            tried, given = tried or [taken], named_parts(fn, args, kwargs)
            if isinstance(e, CompileTimeError):
                wider = (taken or Numbers()).wider(e.numbers, given)
            else:
                wider, first = (taken or Numbers()).fixed(given), first or e
            cache.latest.clear()  # numbers are taken in another way from now on
            if wider is None:
                cache.numbers[spec] = tried[0]
                e = _clearer(first, e)
                raise e from e.__cause__
            cache.numbers[spec] = wider
            missed.append(miss)
            continue
        more, containers = program.guards.begin()
        return program, leaves + more, containers


def _holds_itself() -> Exception:
    return complain(
        RecursionError,
        "Detect recursion when converting python object. a list or dict "
        "among the arguments holds itself",
        loc=user_loc(),
        cure="pass what it holds",
    )


def _clearer(first: Exception | None, e: Exception) -> Exception:
    """The error to show of a call that failed with numbers of the run (``first``) and with constants:
    that of constants says what CPython would, unless it is that constants make the program too large.
    """
    if first is None or isinstance(e, CompileTimeError):
        return first or e
    said, before = getattr(e, "complaint", None), getattr(first, "complaint", None)
    if said is not None and before is not None and said.loc == before.loc:
        said.cure = said.cure or before.cure
    return e


class CacheMiss:
    """A call for which there is no program."""

    def __init__(self, cache: Cache, owner, fn, args, kwargs, spec, key, leaves, taken):
        self.cache, self.owner, self.fn, self.args, self.kwargs = cache, owner, fn, args, kwargs
        self.spec, self.key, self.leaves, self.taken = spec, key, leaves, taken
        self.on_disk: compile_cache.CacheFile | None = None
        self.why: str | None = None  # a dimension that was declared open is fixed
        self.noted: tuple | None = None  # what a program read, and its parameters
        self.stale = next((p.guards for p in cache.programs.get(key, ())), None)
        if self.stale is not None:
            cache.captures[spec].vary(self.stale.varied())

    def program(self, auto: bool, captures: Captures) -> Program:
        """Find or make one."""
        self.captures = captures
        signature = getattr(self.fn, "_signature", None) or (
            declared_by(self.owner) if _of_construct(self.fn, self.owner) else None
        )
        types = None
        if signature is not None:
            types = signature.open_types(self.fn, self.args, self.kwargs, self.leaves, self.taken)
        elif auto:
            types = self._differing()
        found = self._fitting()
        types = self._opened(types) if found is None else None
        if types is not None and any(map(_is_open, types)):
            found = self._family(types)
        if found is not None:
            return self._member(*found)
        call = self.fn, self.args, self.kwargs
        reads: list = []
        program = build(*call, taken=self.taken, captures=captures, reads=reads)
        self.noted = reads, program.guards.parameters
        return self.keep(program)

    def stored(self) -> Program | Numbers | None:
        """What the disk has (`compile_cache`), where nothing was learnt yet of how the function takes what
        is outside.
        """
        known = self.cache.captures.get(self.spec)
        if known is None or not (known.how or known.frozen):
            given = self.fn, self.args, self.kwargs, self.taken
            self.on_disk = compile_cache.entry(*given, skipped=(Cache,))
        return self.on_disk and self.on_disk.load()

    def store(self, program: Program, missed: list) -> None:
        """Keep a program on the disk, and what other calls have missed (`find`)."""
        if self.on_disk is None or self.noted is None:
            return
        if self.on_disk.save(program, self.noted, self.leaves):
            for miss in missed:
                if miss.on_disk is not None:
                    miss.on_disk.save_instead(self.taken)

    def keep(self, program: Program) -> Program:
        """Keep a program for the arguments that has no open dimensions."""
        self.cache.captures.setdefault(self.spec, Captures())
        self._note(self._record(), None)
        self._watch(program.guards)
        self.cache.keep(self.key, program)
        return program

    def _watch(self, guards) -> None:
        objects = identities((self.args, self.kwargs), [])
        objects += getattr(self.fn, "_identities", tuple)()
        guards.refer_weakly(objects)
        self.cache.watch(self.key, objects)

    def _record(self) -> Compile:
        return Compile(self.spec, self.fn, self.args, self.kwargs, self.taken)

    def _note(self, record: Compile, family: Family | None) -> None:
        """Write a compilation into the history."""
        history = self.cache.history
        families = self.cache.families.get(without_sizes(self.key), ())
        record.why = self.why
        record.reason = explain(
            record,
            [c for c in history if c.spec == self.spec],
            self.stale,
            self.owner,
            [f for f in families if f is not family],
            self.leaves,
        )
        record.family = family
        history.append(record)
        del history[:-_REMEMBERED]

    def _fitting(self) -> tuple | None:
        """(a family that there is for the arguments, the binding), or None."""
        families = self.cache.families.get(without_sizes(self.key)) if self.cache.families else None
        if families is None:
            return None
        families[:] = [f for f in families if f.guards.now() is not None]
        for family in families:
            env = family.sizes(self.leaves)
            if env is not None:
                return family, env
        return None

    def _family(self, types: list) -> tuple | None:
        """(a new family for the arguments, the binding), or None."""
        cache, key = self.cache, without_sizes(self.key)
        families = cache.families.setdefault(key, [])
        record = self._record()
        for general in (True, False):
            if general and key in cache.narrow:
                continue
            call = self.fn, self.args, self.kwargs
            family, why = build_family(
                *call, types, self.taken, self.leaves, general, self.captures
            )
            self.why = why or self.why
            if family is not None:
                if not general:
                    cache.narrow.add(key)
                families.append(family)
                self._note(record, family)
                return family, family.sizes(self.leaves)
        return None

    def _member(self, family: Family, env: dict) -> Program:
        """The program of a family for a binding; the oldest of too many is dropped."""
        program = family.program(env)
        self._watch(family.guards)
        self.cache.programs[self.key] = [program]
        family.programs.append(self.key)
        if len(family.programs) > KEPT:
            self.cache.programs.pop(family.programs.pop(0), None)
        return program

    def _opened(self, types: list | None) -> list | None:
        """``types`` with a size for each number that is an open one, and open lengths of lists."""
        places = leaf_parts(named_parts(self.fn, self.args, self.kwargs), self.taken)
        if self.taken is None and not any(how is ROWS for _, _, _, how in places):
            return types
        given = types or [None] * len(places)
        return [
            of_var(Var(name, -math.inf))
            if how is OPEN
            else AbstractTensor((Dim(f"len({name})"), *v.shape[1:]), v.dtype)
            if how is ROWS
            else a
            for (_, name, v, how), a in zip(places, given)
        ]

    def _differing(self) -> list | None:
        """Types with open dimensions where sizes differ from those of earlier calls; None if this
        is the first.
        """
        key = without_sizes(self.key)
        shapes = [v.shape if isinstance(v, Tensor) else () for v in self.leaves]
        seen = self.cache.shapes.setdefault(key, shapes)
        if seen == shapes:
            return None
        types, merged = [], []
        for i, (v, old, new) in enumerate(zip(self.leaves, seen, shapes)):
            merged.append(tuple([n if m == n else None for m, n in zip(old, new)]))
            dims = [Dim(f"size{i}_{k}") if n is None else n for k, n in enumerate(merged[-1])]
            types.append(AbstractTensor(dims, v.dtype) if None in merged[-1] else None)
        self.cache.shapes[key] = merged
        return types


def _is_open(a) -> bool:
    return type(a) is Dim or a is not None and any(type(d) is Dim for d in a.shape)


def _of_construct(fn, owner) -> bool:
    """Whether the arguments of ``fn`` are those of the ``construct`` of ``owner``: itself, or its
    gradient.
    """
    while fn is not owner and hasattr(fn, "fn"):
        fn = fn.fn
    return fn is owner or getattr(fn, "__name__", None) == "construct"


def jit(
    fn=None,
    *,
    input_signature=None,
    dynamic: int = 0,
    fallback: bool = False,
    memory_limit=None,
    **settings,
):
    """Compile a function or method: each call runs the program for its arguments.

    Under an eager `grad` the function runs eagerly, with the same numbers.

    Args:
        fn (Callable): the function; None makes a decorator.
        input_signature (Tensor | tuple | list): per argument a Tensor without values, whose
            dimensions may be
            open (None, or `Dim`): one compilation serves all sizes. None for an argument leaves it
            as it is given.
        dynamic (int): 1 leaves dimensions open from the second size on. Default: 0.
        fallback (bool): whether a function that cannot be compiled runs eagerly, from then on, with a
            warning that names the line; a fault of minds is an error all the same. Default:
            ``False``: that is an error.
        memory_limit (int | str): bytes, or such as "1.5GB", that a run may hold: parameters,
            arguments and all that is computed. Where it would hold more, values are computed again,
            or kept on the host, until they are needed: the results are the same to the bit. Lists
            of records that rolled loops keep for gradients are not counted (`recompute_loops` is for
            them). Default: ``None``, that of `set_context` (``max_device_memory``).
        **settings: MindSpore's compiler settings (``jit_level``, ``backend``, ``capture_mode``, …),
        without effect.
    Returns:
        Callable: the compiled function.
    Raises:
        TypeError: ``fn`` is no function, ``input_signature`` holds something else, or ``memory_limit``
            is neither an int nor a str.
        ValueError: ``dynamic`` is neither 0 nor 1, or ``memory_limit`` is no size.
        MemoryError: in a call: ``memory_limit`` is too small; the message has what holds most.

    Examples:
        >>> import minds as ms
        >>> @ms.jit
        ... def square_sum(x):
        ...     return (x * x).sum()
        >>> float(square_sum(ms.Tensor([1.0, 2.0])))
        5.0
    """
    if dynamic not in (0, 1):
        raise complain(ValueError, f"jit: dynamic is {dynamic!r}", expected="0 or 1")
    if fn is None:
        return partial(
            jit,
            input_signature=input_signature,
            dynamic=dynamic,
            fallback=fallback,
            memory_limit=memory_limit,
            **settings,
        )
    if not callable(fn):
        raise complain(TypeError, f"jit: fn has type {type(fn).__name__}", expected="a function")
    target = uncompiled(fn)
    if input_signature is not None:
        given = (
            tuple(input_signature)
            if isinstance(input_signature, (tuple, list))
            else (input_signature,)
        )
        _check_declared(given)
        held = getattr(target, "__func__", target)
        if not hasattr(held, "__dict__"):
            what = f"jit: fn is the builtin function {held.__name__}, which has no input_signature"
            raise complain(TypeError, what, expected="a function written in Python")
        held._signature = Signature(given, {}, "input_signature")

    @functools.wraps(target)
    def staging_specialize(*args, **kwargs):  # MindSpore's callers know it by this name
        if tape.active() or autocast.regions and autocast.current() or fallback and compiled._eager:
            return target(*args, **kwargs)
        if args and hasattr(type(args[0]), "construct"):
            owner = args[0]
            spec, cache = _spec(target, owner), cache_of(owner)
        else:
            owner, spec, cache = own
        if fallback:
            return _run_or_fall_back(compiled, owner, target, args, kwargs, spec, auto, cache)
        return run(owner, target, args, kwargs, spec, auto, cache)

    auto, compiled = bool(dynamic), staging_specialize
    compiled._compiled_from, compiled._eager, compiled._limit = target, False, None
    owner = holder(target, compiled)
    own = owner, _spec(target, owner), cache_of(owner)
    return compiled if memory_limit is None else _limited(compiled, memory_limit)


def _limited(compiled, limit):
    """``compiled``, whose programs hold at most so much memory."""
    nbytes = memory_size(limit, "jit: memory_limit")

    @functools.wraps(compiled)
    def staging_specialize(*args, **kwargs):
        with memory_limited(nbytes):
            return compiled(*args, **kwargs)

    staging_specialize._limit = nbytes
    return staging_specialize


_warned: set = set()
"""The places of which a warning has said that they cannot be compiled."""


def _run_or_fall_back(
    compiled, owner, target, args: tuple, kwargs: dict, spec, auto: bool, cache: Cache
):
    """`run`; where ``target`` cannot be compiled, it is called, now and from now on."""
    try:
        program, leaves, held = find(owner, target, args, kwargs, spec, auto, cache)
    except InternalError:
        raise
    except Exception as e:
        _expect_no_fault(e, target)
        result = target(*args, **kwargs)  # raises what is wrong in any mode
        compiled._eager = True
        _warn_once(target, e)
        return result
    return program(leaves, held, args, kwargs)


def _warn_once(target, e: Exception) -> None:
    """Say that ``target`` runs eagerly, and why, once for each place."""
    loc = getattr(getattr(e, "complaint", None), "loc", None) or user_loc()
    if (loc.file, loc.line) not in _warned:
        _warned.add((loc.file, loc.line))
        name = getattr(target, "__qualname__", type(target).__name__)
        text = f"{name} runs eagerly, since it cannot be compiled: {e}"
        warnings.warn_explicit(text, RuntimeWarning, loc.file, loc.line)


def _check_declared(given: tuple) -> None:
    for v in tree.leaves(given):
        if not (v is None or isinstance(v, (TensorType, Tensor))):
            raise complain(
                TypeError,
                f"jit: input_signature has a {type(v).__name__}",
                expected="Tensors of shape and dtype alone, None, or containers of them",
            )


def _spec(target, owner):
    """What tells the programs of a compiled function from others that ``owner`` holds."""
    return ITSELF if owner is target else getattr(target, "__func__", target)


def recompiles(fn) -> Recompiles:
    """Each compilation of a compiled function or a cell (the latest 1,000), with what made it
    necessary.

    A program is used again for arguments of the same shapes, dtypes and structure, whatever the
    numbers. With dimensions declared open it is used for all sizes.

    Args:
        fn (Callable): what `jit` or `grad` made, or a cell.

    Returns:
        Recompiles: a sequence of compilations, with ``reason`` and ``place``; prints as a list.

    Raises:
        TypeError: ``fn`` is nothing that is compiled.

    Examples:
        >>> import minds as ms
        >>> @ms.jit
        ... def scale(x, n):
        ...     return x * n
        >>> for n in (3, 4, 2.5):
        ...     y = scale(ms.Tensor([1.0]), n)
        >>> [c.reason for c in ms.recompiles(scale)]
        ['the first call', 'argument `n` changed from int 3 to float 2.5']
    """
    target, of = getattr(fn, "_compiled_from", fn), getattr(fn, "__self__", None)
    if hasattr(target, "_spec"):
        owner, wanted = target._owner(), target._spec()
    elif hasattr(type(target), "construct"):
        owner, wanted = target, None
    elif hasattr(fn, "_compiled_from") and callable(target):
        owner = _owner(target, (of,), getattr(fn, "__func__", fn))
        wanted = _spec(target, owner)
    else:
        raise complain(
            TypeError,
            f"recompiles: fn is a {type(fn).__name__} that is not compiled",
            expected="what jit or grad made, or a cell",
        )
    history = [c for c in cache_of(owner).history if wanted is None or c.spec == wanted]
    return Recompiles(getattr(target, "__name__", None) or type(target).__name__, history)


def uncompiled(fn):
    """The function or method that `jit` was given."""
    target = getattr(fn, "_compiled_from", fn)
    if type(fn) is types.MethodType and target is not fn:
        return types.MethodType(target, fn.__self__)
    return target


def _owner(target, args: tuple, otherwise):
    """Who holds the cache: the cell for a method of one, else the `holder`."""
    if args and hasattr(type(args[0]), "construct"):
        return args[0]
    return holder(target, otherwise)


def program_of(fn, args: tuple) -> tuple:
    """(the program that a call of ``fn`` runs, the leaves that it takes); (None, ()) where the call
    runs none, as in PyNative mode or under an eager gradient.
    """
    if tape.active() or autocast.regions and autocast.current():
        return None, ()
    target = getattr(fn, "_compiled_from", None)
    if target is not None and not fn._eager:
        target = uncompiled(fn)
        owner = _owner(target, args, fn)
        with memory_limited(fn._limit):
            found = find(owner, target, args, {}, _spec(target, owner))
    elif hasattr(type(fn), "construct") and get_context("mode") == GRAPH_MODE:
        found = find(fn, fn, args, {})
    else:
        return None, ()
    return found[:2]


def call_cell(cell, args: tuple, kwargs: dict):
    """A cell in graph mode."""
    if tape.active():
        return cell._call_eagerly(args, kwargs)
    return run(cell, cell, args, kwargs)


def run_library(cell, args: tuple, kwargs: dict):
    """A cell in PyNative mode, of library code alone, compiled; op by op where that cannot be."""
    cache = cache_of(cell)
    result = run_again(cache, ITSELF, args, kwargs)
    if result is not NotImplemented:
        return result
    try:
        program, leaves, held = find(cell, cell, args, kwargs, ITSELF, False, cache)
    except InternalError:
        raise
    except Exception as e:
        _expect_no_fault(e, cell)
        return cell._run_op_by_op(args, kwargs)  # raises what is wrong in any mode
    return program(leaves, held, args, kwargs)


def compile_cell(cell, args: tuple, kwargs: dict) -> None:
    """Compile a cell for arguments like these; for one of shape and dtype alone, whose dimensions
    may be open, there is a program for each size then.
    """
    if not any(isinstance(v, TensorType) for v in (*args, *kwargs.values())):
        find(cell, cell, args, kwargs)
        return
    before = cell.get_inputs()
    cell.set_inputs(*args) if args else cell.set_inputs(**kwargs)
    try:
        find(cell, cell, tuple(examples(args)), dict(zip(kwargs, examples(tuple(kwargs.values())))))
    finally:
        cell._inputs = before


def stages(fn, args: tuple, kwargs: dict | None = None) -> dict:
    """Every stage of a compilation by name: graphs, and at the end the executable. What is read
    outside are constants.
    """
    options = freeze()
    with tape.suspended(), ShapeEnv({}, True) as scope:
        ip, _ = parse(uncompiled(fn), args, kwargs or {}, options)
        found = {"parse": copy_program(ip.root)}
        graph = ip.root
        for name, step in STEPS:
            graph = run_steps(graph, [(name, step)], options)
            found[name] = copy_program(graph)
        found["lower"] = lower(graph, options, bool(scope.found))
    return found


EMITTERS[jit] = lambda ip, fn=None, **settings: (
    itself if fn is None else fn
)  # it is compiled already


__all__ = [
    "STEPS",
    "Program",
    "build",
    "cache_of",
    "call_cell",
    "compile_cell",
    "holder",
    "jit",
    "loaded",
    "parse",
    "recompiles",
    "run",
    "stages",
    "uncompiled",
]

"""`jit`, and cells in graph mode."""

from __future__ import annotations

import functools
import types
import warnings
from functools import partial

from .. import lower, sharding
from ..ad import tape
from ..base import tree
from ..base.errors import InternalError, complain, user_loc
from ..base.options import (
    GRAPH_MODE,
    freeze,
    get_context,
    memory_limited,
    memory_size,
    narrowed,
)
from ..frontend.library import itself
from ..frontend.registry import EMITTERS
from ..ir.clone import copy_program
from ..ir.shape_env import ShapeEnv
from ..ops import autocast
from ..passes.driver import run_steps
from ..tensor import Tensor, TensorType
from . import steps
from .cache import ITSELF, Cache, cache_of, holder
from .find import expect_no_fault, find, run, run_again
from .history import Recompiles
from .signature import Signature, examples


def jit(
    fn=None,
    *,
    input_signature=None,
    dynamic: int = 0,
    fallback: bool = False,
    memory_limit=None,
    function=None,
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
        function (Callable): MindSpore's name for ``fn``. Default: ``None``.
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
    fn = function if fn is None else fn
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
            if narrowed:
                sharding.step.expect_undivided(target)
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
        expect_no_fault(e, target)
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
        if narrowed:
            sharding.step.expect_undivided(cell)
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
        expect_no_fault(e, cell)
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


def places_of(cell) -> dict:
    """Where the parameters are of the program of a cell that was compiled last for several processes.

    Args:
        cell (Cell): the cell.

    Returns:
        dict[str, tuple]: for each name the shape of the whole, and its `sharding.parts.PartsPlace`.
    """
    for programs in reversed(cache_of(cell).programs.values()):
        for program in programs:
            if program.lies is not None:
                held = enumerate(program.parameters)
                return {p.name: (p.shape, program.lies.place(i)) for i, p in held}
    return {}


def strategies_of(cell) -> tuple:
    """How ops are divided in the program of a cell that was compiled last for several processes.

    Args:
        cell (Cell): the cell.

    Returns:
        tuple: names of ops, and in how many parts each dimension of each operand is.
    """
    programs = [p for found in cache_of(cell).programs.values() for p in found]
    return next((p.lies.strategies for p in reversed(programs) if p.lies is not None), ())


def stages(fn, args: tuple, kwargs: dict | None = None) -> dict:
    """Every stage of a compilation by name: graphs, and at the end the executable. What is read
    outside are constants.
    """
    options = freeze()
    with tape.suspended(), ShapeEnv({}, True) as scope:
        ip, _ = steps.parse(uncompiled(fn), args, kwargs or {}, options)
        found = {"parse": copy_program(ip.root)}
        graph = ip.root
        for name, step in steps.STEPS:
            graph = run_steps(graph, [(name, step)], options)
            found[name] = copy_program(graph)
        found["lower"] = lower.program.lower(graph, options, bool(scope.found))
    return found


EMITTERS[jit] = lambda ip, fn=None, **settings: (
    itself if fn is None else fn
)  # it is compiled already

"""The program for a call: one that there is, or a new one.

A program is valid for: the skeleton of the arguments (shapes, dtypes and structure; numbers are
run-time values unless the source needs them while compiling), the options, and what interpretation
read outside (the guards); tensors outside, and numbers that were seen to differ, are values of the
run too. Where dimensions are declared open, one compilation serves many shapes (`family`), and each
of them has its program here.
"""

from __future__ import annotations

from functools import partial

from .._core import rerun
from ..base.devices import used
from ..base.errors import (
    CompileTimeError,
    InternalError,
    UserError,
    as_shown,
    complain,
    is_frontend_fault,
    user_loc,
)
from ..base.options import narrowed, place
from ..ops import tensor_hooks as hooks
from .arguments import Numbers, key_of, named_parts
from .cache import ITSELF, Cache, cache_of
from .latest import remember
from .miss import CacheMiss
from .program import Program


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
        expect_no_fault(e, fn)
        raise as_shown(e) from e.__cause__
    return program(leaves, held, args, kwargs)


def run_again(cache: Cache, spec, args: tuple, kwargs: dict):
    """What the program of the latest call gives, if it serves this one too; else NotImplemented."""
    if cache.latest and not hooks.registered:
        at = place() if used or narrowed else None
        return rerun(cache.latest, spec, at, hooks.changes[0], args, kwargs)
    return NotImplemented


def expect_no_fault(e: Exception, fn) -> None:
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

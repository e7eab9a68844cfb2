"""The programs of a cache that ran last, in the form in which the core finds and runs them again without
Python (`csrc/python/latest.cc`).
"""

from __future__ import annotations

from functools import partial

from .. import lower
from ..frontend.value_types import Leaf
from ..ir.abstract import AbstractScalar
from ..ops import tensor_hooks as hooks
from ..tensor import Tensor
from .program import Program
from .results import number, restored

_FEW = 8


def remember(latest: list, key: tuple, program: Program) -> None:
    """Put a program for ``key`` to the front of ``latest``, if it can run without Python."""
    entry = _entry(key, program)
    if entry is not None and not any(e[_PROGRAM] is entry[_PROGRAM] for e in latest):
        latest.insert(0, entry)
        del latest[_FEW:]


_PROGRAM = 5


def _entry(key: tuple, program: Program) -> tuple | None:
    """None for a program that changes what it is given, or takes tensors with hooks."""
    changing = program.given is not None or program.stored
    hooked = hooks.registered or program.guards.hooks
    if changing or hooked or type(program.executable) is not lower.program.Executable:
        return None
    spec, positional, named, changes, place = key
    found = program.executable, program.guards.table, _arrangement(program), _makers(program)
    executable, table, out, makers = found
    return spec, place, changes, positional, named, executable.native, table, out, makers


def _makers(program: Program) -> tuple:
    """What makes the leaves of the result: the class of tensors, or a function."""
    results = program.executable.results
    return tuple([number if isinstance(a, AbstractScalar) else Tensor for a in results])


def _arrangement(program: Program):
    """How the leaves make the result: None for one, a tuple for several, else a function of them."""
    found = _plain(program.out)
    if program.guards.writes:
        return partial(_updated, program)
    return partial(_arranged, program.out) if found is _OTHER else found


_OTHER = object()


def _plain(skeleton):
    if type(skeleton) is Leaf:
        return None
    if type(skeleton) is not tuple:
        return _OTHER
    parts = tuple(map(_plain, skeleton))
    return _OTHER if _OTHER in parts else parts


def _updated(program: Program, leaves: list):
    program.outdate()
    return _arranged(program.out, leaves)


def _arranged(skeleton, leaves: list):
    return restored(skeleton, iter(leaves), ())


__all__ = ["remember"]

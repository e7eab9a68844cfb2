"""A call for which there is no program: one is found in a family of sizes, or made."""

from __future__ import annotations

import math

from .. import jit
from ..base import options
from ..frontend.imports import Captures
from ..ir.abstract import AbstractTensor
from ..ir.dim import Dim, Var, of_var
from ..tensor import Tensor
from . import steps
from .arguments import OPEN, ROWS, Numbers, identities, leaf_parts, named_parts, without_sizes
from .cache import Cache
from .family import KEPT, Family, build_family
from .history import Compile, explain
from .program import Program
from .signature import declared_by

_REMEMBERED = 1000  # compilations in the history of one cache


class CacheMiss:
    """A call for which there is no program."""

    def __init__(self, cache: Cache, owner, fn, args, kwargs, spec, key, leaves, taken):
        self.cache, self.owner, self.fn, self.args, self.kwargs = cache, owner, fn, args, kwargs
        self.spec, self.key, self.leaves, self.taken = spec, key, leaves, taken
        self.on_disk: jit.compile_cache.CacheFile | None = None
        self.noted: tuple | None = None  # what a program read, and its parameters
        self.why: str | None = None  # a dimension that was declared open is fixed
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
        call, reads = (self.fn, self.args, self.kwargs), []
        program = steps.build(*call, taken=self.taken, captures=captures, reads=reads)
        self.noted = reads, program.guards.parameters
        return self.keep(program)

    def stored(self) -> Program | Numbers | None:
        """What the disk has (`compile_cache`), where nothing was learnt yet of how the function takes what
        is outside.
        """
        known = self.cache.captures.get(self.spec)
        if options.compile_cache() and (known is None or not (known.how or known.frozen)):
            given = self.fn, self.args, self.kwargs, self.taken
            self.on_disk = jit.compile_cache.entry(*given, skipped=(Cache,))
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
        self.noted = family.reads, family.guards.parameters
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

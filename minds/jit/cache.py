"""The programs of a function, cell or object, held by itself."""

from __future__ import annotations

import types
import weakref

from ..base.kept import can_keep, kept
from ..frontend.imports import Captures
from .arguments import Numbers, without_sizes
from .family import Family
from .guards import settled
from .history import Compile

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

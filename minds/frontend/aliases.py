"""Lists, dicts and sets that may be the same object, depending on run-time data.

Where paths meet that hold different containers in one place, there is a new one behind, which may
be any of them (its *origins*). Changing one makes the others stale: an alias is right or refused.
"""

from __future__ import annotations

from ..base.errors import ParseError, complain, refuse
from .imports import is_outside
from .value_types import CONTAINERS, LOCAL

OUTSIDE = (
    "made outside of compiled code cannot be changed in it",
    "make it inside, or copy it first",
)
"""Why a plain list or dict cannot be changed, and the cure."""


class Aliases:
    """Those of one compilation.

    Attributes:
        groups: by the identity of a container, those that may be it.
    """

    def __init__(self, ip):
        self.ip, self.groups = ip, {}

    def know(self, container) -> None:
        """Others may be this container."""
        self.groups.setdefault(id(container), [container])

    def add(self, container, origins: set) -> None:
        """``container`` may be, when the program runs, any of those with these identities."""
        origins = frozenset(origins - {id(container)})
        if not origins:
            return
        container.origins = origins | {id(container)}
        for origin in container.origins:
            group = self.groups.setdefault(origin, [])
            if not any(c is container for c in group):
                group.append(container)

    def choose(self, choices: list) -> None:
        """Of each (container, others) the first is, when the program runs, one of the others. If no
        two of these may be the same, one of the containers at most is the one that several have
        among their others.
        """
        of = {id(v): self._related(v) for _, others in choices for v in others}
        apart = all(len(of.keys() & related.keys()) == 1 for related in of.values())
        found = [(c, [m for v in others for m in of[id(v)].values()]) for c, others in choices]
        for container, others in found:
            group = self.groups.setdefault(id(container), [container])
            for other in others if apart else [*others, *[c for c, _ in choices]]:
                group.append(other)
                for origin in other.origins or (id(other),):
                    self.groups.setdefault(origin, [other]).append(container)

    def _related(self, v) -> dict:
        """``v`` and what it may be, by their identities."""
        found = {id(v): v}
        for origin in v.origins or (id(v),):
            found.update((id(c), c) for c in self.groups.get(origin, ()))
        return found

    def touch(self, container) -> None:
        """Before a container changes: what may be an alias of it becomes stale.

        Raises:
            ParseError: it must not be changed.
        """
        ip, kind = self.ip, CONTAINERS.get(type(container))
        if kind is None:
            raise complain(TypeError, f"a {type(container).__name__} cannot be changed")
        fixed = OUTSIDE if type(container) is kind else container.fixed
        if fixed is not None:
            raise complain(
                ParseError, f"a {kind.__name__} {fixed[0]}", cure=f"{fixed[1]}: {kind.__name__}(…)"
            )
        if ip.options.strict and is_outside(container):
            raise refuse(
                TypeError,
                f"a {kind.__name__} {OUTSIDE[0]} with jit_syntax_level STRICT",
                cure=f"{OUTSIDE[1]}, or set jit_syntax_level to LAX",
            )
        for origin in container.origins or (id(container),):
            for other in self.groups.get(origin, ()):
                if other is not container and other.stale is None:
                    ip.store.note(other)
                    other.stale = (
                        f"line {ip.here().line} changes a {kind.__name__} that may be the same"
                    )
        ip.store.note(container)

    @staticmethod
    def usable(v):
        """``v``, unless it is a container whose contents are not known here.

        Raises:
            ParseError: a container that may be the same was changed.
        """
        if v.__class__ in LOCAL and v.stale is not None:
            what = CONTAINERS[v.__class__].__name__
            raise complain(
                ParseError,
                f"this {what} cannot be used any more: {v.stale}, depending on run-time data",
                cure=f"copy it before the condition or loop that chooses between them: {what}(…)",
            )
        return v

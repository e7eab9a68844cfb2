"""Why a function was compiled: a record of each compilation, and what made it necessary."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from types import FunctionType, ModuleType

from ..base.errors import user_loc
from ..frontend.describe import describe
from ..frontend.imports import ATTRIBUTE, CELL, CLASS, ENTRY, ITEM
from ..frontend.value_types import MUTABLE_KINDS
from ..ir.abstract import AbstractTensor
from ..tensor import Tensor
from .arguments import Numbers, key_of, leaf_parts, named_parts
from .guards import Place, shown


class Compile:
    """One compilation.

    Attributes:
        name: the function or cell.
        reason: what made it necessary, as a sentence.
        place: where the call stands, ``file:line``.
        why: why a dimension that was declared open is fixed in the program, or None.
        sizes: for how many sizes of open dimensions the program was lowered; 1 without such
            dimensions.
    """

    __slots__ = ("family", "key", "marked", "name", "parts", "place", "reason", "spec", "why")

    def __init__(self, spec, fn, args: tuple, kwargs: dict, taken: Numbers | None):
        at = user_loc()
        self.spec, self.reason, self.family, self.why = spec, "", None, None
        self.name = getattr(fn, "__name__", None) or type(fn).__name__
        self.place = "" if at is None else f"{os.path.basename(at.file)}:{at.line}"
        parts, walk = named_parts(fn, args, kwargs), taken and taken.fresh()
        leaves = {i for i, *_ in leaf_parts(parts, taken)}
        self.marked = _marked([*args, *kwargs.values()])
        self.parts = {name: _part(v, i in leaves, walk) for i, (name, v) in enumerate(parts)}

    @property
    def sizes(self) -> int:
        return 1 if self.family is None else len(self.family.programs)

    def differences(self, earlier: Compile) -> list[str]:
        """What changed in the arguments since an earlier compilation, a clause each."""
        found = []
        for name, (key, text, abstract) in self.parts.items():
            before = earlier.parts.get(name)
            if before is None:
                found.append(f"argument `{name}` is new: {text}")
            elif before[0] != key:
                found.append(
                    f"argument `{name}` changed from {before[1]} to {text}"
                    + ("" if self.why else _cure(before[2], abstract))
                )
        if self.marked != earlier.marked:
            found.append("other containers are `mutable`")
        found += [f"argument `{name}` is gone" for name in earlier.parts if name not in self.parts]
        return found + [f"sizes that are declared open are fixed: {self.why}"] * bool(
            found and self.why
        )

    def __repr__(self) -> str:
        return f"{self.name} at {self.place}: {self.reason}"


def _marked(v, path: tuple = ()) -> set:
    """The places of the containers that `mutable` made."""
    own = {path} if type(v) in MUTABLE_KINDS else set()
    items = (
        v.items() if isinstance(v, dict) else enumerate(v) if isinstance(v, (tuple, list)) else ()
    )
    return own.union(*[_marked(e, (*path, k)) for k, e in items])


def _part(v, leaf: bool, walk: Numbers | None) -> tuple:
    """(what the program depends on, its text, the abstract value of a tensor) of a part of the
    arguments.
    """
    key = key_of(v, [], walk)
    if isinstance(v, Tensor) and leaf:
        return key, repr(v.abstract), v.abstract
    if not isinstance(v, (bool, int, float, str, Tensor)) and v is not None:
        another = "another " if not callable(v) or hasattr(v, "construct") else ""
        return key, another + describe(v), None
    return key, describe(v), None


def _cure(old, new) -> str:
    """What to declare where two tensors differ in sizes only."""
    if not (isinstance(old, AbstractTensor) and isinstance(new, AbstractTensor)) or (
        old.dtype is not new.dtype or old.ndim != new.ndim
    ):
        return ""
    shape = ", ".join(str(m) if n == m else "None" for n, m in zip(old.shape, new.shape))
    return f"; declare the dimension dynamic: Tensor(shape=[{shape}], dtype=ms.{new.dtype.name})"


def explain(
    new: Compile, earlier: list[Compile], stale, owner, families: list, leaves: list
) -> str:
    """Why ``new`` was necessary.

    Args:
        earlier: the compilations of the same function before it.
        stale: the `Guards` of a program for the same arguments that do not hold any more, or None.
        families: those for other sizes of open dimensions.
    """
    changed = stale.changed() if stale is not None else None
    if changed is not None:
        return _outside(owner, *changed)
    if not earlier:
        return "the first call"
    for family in families:
        broken = _broken(family, leaves)
        if broken is not None:
            return f"the program for other sizes holds only where {broken}"
    closest = min(reversed(earlier), key=lambda c: len(new.differences(c)))
    return "; ".join(new.differences(closest)) or "a hook was registered or removed"


def _outside(owner, place: Place | None, now) -> str:
    """What changed outside."""
    if place is None:
        return "two things made outside that were different ones are the same"
    name, change = place.name, f"changed from {place.was} to {shown(now)}"
    holder = place.owner() if type(place.owner) is weakref.ref else place.owner
    if isinstance(now, (list, dict, set)) and place.number is type(now):
        return f"a {type(now).__name__} made outside changed"
    if place.kind == CELL:
        return f"variable `{name}` of an enclosing function {change}"
    if place.kind == ITEM or any(holder is k for k in (list, dict, tuple)):
        return f"a {holder.__name__} made outside changed: item {name!r} {change}"
    if place.kind == ENTRY and holder is None:
        return f"global `{name}` {change}"
    if place.kind not in (ENTRY, CLASS, ATTRIBUTE):
        return f"parameter `{name}` {change}"
    if name in ("__code__", "__defaults__", "__kwdefaults__"):
        return f"{name} of function `{holder.__name__}` changed"
    for path, cell in getattr(owner, "cells_and_names", lambda: ())():
        if cell is holder:
            return f"attribute `self.{path}{'.' * bool(path)}{name}` {change}"
    named = holder if isinstance(holder, (type, ModuleType, FunctionType)) else type(holder)
    return f"attribute `{named.__name__}.{name}` {change}"


def _broken(family, leaves: list) -> str | None:
    """An assumption of a family that the sizes of these arguments break; None if it is not for them
    at all.
    """
    env = family.binding(leaves)
    return None if env is None else family.scope.broken(env)


class Recompiles(Sequence):
    """The compilations of a function or cell, in order: iterate over them, count them with ``len``,
    print them.
    """

    __slots__ = ("_items", "name")

    def __init__(self, name: str, items: list[Compile]):
        self.name, self._items = name, items

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, i):
        return self._items[i]

    def __str__(self) -> str:
        head = f"{self.name}: compiled {len(self)} time{'s' * (len(self) != 1)}"
        lines = [
            f"  {i + 1}. {c.place}: {c.reason}" + (f" ({c.sizes} sizes)" if c.sizes != 1 else "")
            for i, c in enumerate(self)
        ]
        return "\n".join([head, *lines])

    __repr__ = __str__


__all__ = ["Compile", "Recompiles", "explain"]

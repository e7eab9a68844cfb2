"""What a program depends on outside of its arguments, and what it takes from there at each call."""

from __future__ import annotations

import types

import numpy as np

from .. import _core
from ..frontend.imports import (
    ABSENT,
    ATTRIBUTE,
    CELL,
    CLASS,
    ENTRY,
    ITEM,
    Attribute,
    Read,
    of_class,
)
from ..ops import tensor_hooks as hooks
from ..tensor import Parameter, Tensor

_SELF = 5
"""A place beside those of `frontend.imports`: the holder itself."""
(
    _ABSENT,
    _SAME,
    _METHOD,
    _CONTENT,
    _ABSTRACT,
    _TENSOR,
    _NUMBER,
    _LEAF,
    _TUPLE,
    _LIST,
    _DICT,
    _SET,
    _CONTAINER,
) = range(13)
"""How what stands in a place is compared: as in ``csrc/python/guards.cc``."""


class Guards:
    """Those of one program.

    Attributes:
        parameters: in the order in which the program takes them; their types must stay.
        table: a row for each comparison, for `_core.changed`; `reads` has the `Read` of each, or a
            parameter.
        imports: for each list, dict, set or attribute that stands outside and may change its number
            among the containers that `now` gives, or it itself.
        first: what `now` gave while compiling.
        hooks: those of the tensors that it takes.
        keep: what must live as long as the program, since its key has identities.
    """

    __slots__ = ("_numbers", "first", "hooks", "imports", "keep", "parameters", "reads", "table")

    def __init__(self, ip, keep):
        self.parameters, self.keep = ip.parameters.found, keep
        rows: list[tuple] = []
        self.reads: list = []
        self.first: tuple = [], []
        self._numbers: dict[int, int] = {}
        for r in ip.imports.reads.values():
            self._add(rows, r, self._row(r, ip.imports.captures))
        for p in self.parameters:
            self._add(rows, p, (_SELF, p, None, _ABSTRACT, p.abstract))
        self.table = tuple(rows)
        self.hooks = _hooks(self.first[0])
        self.imports = [
            v if type(v) is Attribute else self._numbers.get(id(v), v) for v, _ in ip.imports.pairs
        ]

    def _add(self, rows: list, of, row: tuple) -> None:
        rows.append(row)
        self.reads.append(of)

    def _row(self, r: Read, captures) -> tuple:
        holder, name = r.holder, r.name
        if type(holder) is Read:
            holder = self._numbers[id(holder.value)]
        return (r.place, holder, name, *self._compared(r, captures))

    def _compared(self, r: Read, captures) -> tuple:
        """(how what stands in a place is compared, with what)."""
        value, kind = r.value, type(r.value)
        leaves, containers = self.first
        if r.leaf is not None:
            leaves.append(value)
            if not isinstance(value, Tensor):
                return _NUMBER, kind
            self._numbers[id(value)] = len(leaves) - 1
            return _TENSOR, (kind, value.abstract)
        known = self._numbers.get(id(value))
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            return (_CONTENT, value._array.copy()) if known is None else (_LEAF, known)
        if isinstance(value, (np.ndarray, np.number, np.bool_)):
            return _CONTENT, value.copy()
        how = _HOW.get(tuple if isinstance(value, tuple) else kind)
        if how is None:
            plain = _METHOD if kind is types.MethodType else _SAME
            return (_ABSENT, None) if value is ABSENT else (plain, value)
        if known is not None:
            return _CONTAINER, known
        self._numbers[id(value)] = len(containers)
        containers.append(value)
        return how[0], how[1](value)

    def now(self) -> tuple | None:
        """(the tensors and numbers that the program takes, the containers that it read), as they
        are now; None if the program is not for what is read now.
        """
        leaves: list = []
        containers: list = []
        if _core.changed(self.table, leaves, containers) is not None:
            return None
        if (hooks.registered or self.hooks) and _hooks(leaves) != self.hooks:
            return None
        return leaves, containers

    def changed(self) -> tuple | None:
        """(the `Read`, or the parameter, of the first thing that is no longer as it was, what
        stands there now); (None, None) if what were different objects is one; None if all is as it
        was.
        """
        at = _core.changed(self.table, [], [])
        if at is None:
            return None
        return (None, None) if at == len(self.table) else (self.reads[at], self._present()[at])

    def varied(self) -> list:
        """The keys of the places whose number or tensor is another one now."""
        return [
            r.key
            for r, row, v in zip(self.reads, self.table, self._present())
            if row[3] in (_SAME, _CONTENT)
            and _alike(r.value, v)
            and _core.changed(((ENTRY, {0: v}, 0, *row[3:]),), [], []) is not None
        ]

    def _present(self) -> list:
        """What stands in each place now."""
        found, containers = [], []
        for place, holder, name, how, _ in self.table:
            v = _look(place, containers[holder] if type(holder) is int else holder, name)
            found.append(v)
            if _TUPLE <= how <= _SET:
                containers.append(v)
        return found


def _look(place: int, holder, name):
    """What stands in a place."""
    try:
        if place in (ENTRY, ITEM):
            return holder[name]
        if place == CELL:
            return holder.cell_contents
        if place == CLASS:
            return of_class(holder, name)
        return getattr(holder, name) if place == ATTRIBUTE else holder
    except (LookupError, TypeError, ValueError, AttributeError):
        return ABSENT


def _alike(old, new) -> bool:
    """Whether a program could take both values of a place at run time."""
    kinds = {type(old), type(new)}
    return kinds <= {int, float} or kinds == {Tensor} and old.abstract is new.abstract


def _hooks(leaves: list) -> list:
    return [hooks.of(v) for v in leaves if isinstance(v, Tensor) and hooks.of(v)]


_HOW = {
    tuple: (_TUPLE, lambda v: (type(v), len(v))),
    list: (_LIST, len),
    dict: (_DICT, tuple),
    set: (_SET, tuple),
}

__all__ = ["Guards"]

"""What a program depends on outside of its arguments, and what it takes from there at each call."""

from __future__ import annotations

import array
import types
import weakref
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

from .. import _core
from ..base.errors import UserError
from ..frontend.describe import describe
from ..frontend.imports import (
    ABSENT,
    ATTRIBUTE,
    CELL,
    CLASS,
    ENTRY,
    ITEM,
    Attribute,
    Captures,
    Read,
    is_read_by_item,
    of_class,
)
from ..frontend.value_types import MutableDict, MutableList
from ..ops import tensor_hooks as hooks
from ..tensor import Parameter, Tensor

_SELF = 5
"""A place beside those of `frontend.imports`: the holder itself."""
(
    _ABSENT,
    _SAME,
    _ONE,
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
) = range(14)
"""How what stands in a place is compared: as in ``csrc/python/guards.cc``."""


class Place:
    """What messages tell of a place, and what stood there.

    Attributes:
        path: as of a `Read`.
        kind: of `frontend.imports`, or that of a parameter's type.
        name: the variable, attribute, key or index.
        owner: a reference to the object whose attribute it is, the kind of the container that it is
            an item of, or None.
        was: the number, string or type that stood there, as text; `number` what `type` gives.
    """

    __slots__ = ("kind", "name", "number", "owner", "path", "was")

    def __init__(self, path, kind: int, name, owner, value):
        self.path, self.kind, self.name, self.owner = path, kind, name, owner
        self.was, self.number = shown(value), type(value)


class Guards:
    """Those of one program. What can be held weakly is: a program keeps nothing alive.

    Attributes:
        parameters: in the order in which the program takes them; their types must stay.
        table: a row for each comparison, for `_core.changed`; `places` what messages tell of it.
        imports: for each list, dict, set or attribute that stands outside and may change its number
            among the containers that `now` gives, or it itself.
        first: what `now` gave while compiling, until it is taken.
        hooks: those of the tensors that it takes.
        writes: whether the program writes parameters.
    """

    __slots__ = ("first", "hooks", "imports", "parameters", "places", "table", "writes")

    def __init__(self, reads, parameters: list, writes: bool, pairs=()):
        self.parameters, self.writes = parameters, writes
        writer = _Writer()
        for r in reads:
            writer.add(r)
        for p in self.parameters:
            writer.rows.append((_SELF, weakref.ref(p), None, _ABSTRACT, p.abstract))
            writer.places.append(Place(None, _SELF, p.name, None, p))
        self.table, self.places = tuple(writer.rows), writer.places
        self.first = writer.leaves, writer.containers
        self.hooks = _hooks(writer.leaves)
        self.imports = [
            v if type(v) is Attribute else writer.numbers.get(id(v), v) for v, _ in pairs
        ]

    @classmethod
    def of(cls, ip) -> Guards:
        """Those of what was interpreted."""
        found, imports = ip.parameters, ip.imports
        return cls(imports.reads.values(), found.found, bool(found.written), imports.pairs)

    def assume(self, name: str) -> None:
        """An attribute of the parameters must stay the object that it is."""
        known = {id(row[1]) for row in self.table if row[2] == name}
        for p in self.parameters:
            value = getattr(p, name)
            if id(weakref.ref(p)) in known:  # of another program of the family
                continue
            self.table += ((ATTRIBUTE, weakref.ref(p), name, *_identity(value)),)
            self.places.append(Place(None, _SELF, p.name, None, p))

    def refer_weakly(self, objects: list) -> None:
        """Keep no parameter that is one of ``objects``, with which the program goes."""
        ids = set(map(id, objects))
        self.parameters = [weakref.proxy(p) if id(p) in ids else p for p in self.parameters]

    def begin(self) -> tuple:
        """`now`, right after compiling."""
        first, self.first = self.first, None
        return self.now() or first

    def now(self) -> tuple | None:
        """(the tensors and numbers that the program takes, the containers that it read), as they
        are now; None if the program is not for what is read now.
        """
        leaves: list = []
        containers = self.hold(leaves)
        return None if containers is None else (leaves, containers)

    def hold(self, leaves: list):
        """`now`, with what the program takes put behind other ``leaves``."""
        hooked = hooks.registered or self.hooks
        if not self.table and not hooked:
            return ()
        containers: list = []
        count = len(leaves)
        if _core.changed(self.table, leaves, containers) is not None:
            del leaves[count:]
            return None
        if hooked and _hooks(leaves[count:]) != self.hooks:
            del leaves[count:]
            return None
        return containers

    def changed(self) -> tuple | None:
        """(the first `Place` where something else stands now, that); (None, None) if what were
        different objects is one; None if all is as it was.
        """
        at = _core.changed(self.table, [], [])
        if at is None:
            return None
        return (None, None) if at == len(self.table) else (self.places[at], self._present()[at])

    def varied(self) -> list:
        """The paths of the places whose number, tensor or tuple of plain values is another one
        now.
        """
        return [
            place.path
            for place, row, v in zip(self.places, self.table, self._present())
            if row[3] in (_SAME, _CONTENT)
            and (
                place.number in _NUMBERS
                and type(v) in _NUMBERS
                or place.number is type(v) is Tensor
                or place.number is type(v)
                and issubclass(place.number, tuple)
            )
            and _core.changed(((ENTRY, {0: v}, 0, *row[3:]),), [], []) is not None
        ]

    def _present(self) -> list:
        """What stands in each place now."""
        found, containers = [], []
        for place, holder, name, how, _ in self.table:
            if type(holder) is int:
                holder = containers[holder]  # ABSENT where what had it is gone
            elif type(holder) is weakref.ref:
                holder = holder()
            v = ABSENT if holder is None else _look(place, holder, name)
            found.append(v)
            if _TUPLE <= how <= _SET:
                containers.append(v)
        return found


_NUMBERS = (int, float)


class _Writer:
    """Writes the table of a program.

    Attributes:
        numbers: by identity the number of a tensor that the program takes, and of a container.
    """

    def __init__(self):
        self.rows: list[tuple] = []
        self.places: list[Place] = []
        self.leaves: list = []
        self.containers: list = []
        self.numbers: dict[int, int] = {}

    def add(self, r: Read) -> None:
        holder, owner, count = r.holder, None, len(self.containers)
        if type(holder) is Read:
            owner, holder = type(holder.value), self.numbers[id(holder.value)]
        elif r.place in (ATTRIBUTE, CLASS):
            owner = holder = _weakly(holder)
        if r.owner is not None:
            owner = _weakly(r.owner)
        self.rows.append((r.place, holder, r.name, *self.compared(r)))
        self.places.append(Place(r.path, r.place, r.name, owner, r.value))
        if len(self.containers) > count and _is_own_dict(r.value):
            self._all_of(r)

    def _all_of(self, r: Read) -> None:
        """Rows for all that a dict holds whose class is the user's own: what its methods read of it,
        nobody sees.
        """
        value = r.value
        items = dict.items(value) if isinstance(value, dict) else enumerate(value)
        place = ENTRY if isinstance(value, dict) else ITEM
        for name, v in list(items):
            inner, count = Read(place, r, name, v), len(self.containers)
            self.add(inner)
            if len(self.containers) > count and type(v) in (dict, list, tuple):
                self._all_of(inner)

    def compared(self, r: Read) -> tuple:
        """(how what stands in a place is compared, with what)."""
        value, kind = r.value, type(r.value)
        if r.leaf is not None:
            self.leaves.append(value)
            if not isinstance(value, Tensor):
                return _NUMBER, kind
            self.numbers[id(value)] = len(self.leaves) - 1
            return _TENSOR, (kind, value.abstract)
        known = self.numbers.get(id(value))
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            return (_CONTENT, value._array.copy()) if known is None else (_LEAF, known)
        if isinstance(value, (np.ndarray, np.number, np.bool_)):
            return _CONTENT, value.copy()
        if isinstance(value, (array.array, memoryview)):
            return _CONTENT, np.array(value)
        how = _CONTAINERS.get(tuple if is_read_by_item(kind) else kind)
        if r.whole:
            how = None
        if how is None and isinstance(value, (list, set, deque, bytearray)):
            how = _ELEMENTS
        if how is None and _is_own_dict(value):
            how = _OWN_DICT
        if how is None:
            return _identity(value)
        if known is not None:
            return _CONTAINER, known
        self.numbers[id(value)] = len(self.containers)
        self.containers.append(value)
        return how[0], (kind, how[1](value))


_CONTAINERS = {
    tuple: (_TUPLE, len),
    **dict.fromkeys((list, MutableList), (_LIST, len)),
    deque: (_LIST, len),
    **dict.fromkeys((dict, MutableDict, defaultdict, OrderedDict, Counter), (_DICT, tuple)),
    set: (_SET, tuple),
}
_ELEMENTS = _SET, tuple
_OWN_DICT = _DICT, lambda v: tuple(dict.keys(v))


def _is_own_dict(value) -> bool:
    """Whether the class of ``value`` is not known here, and derives from dict."""
    return isinstance(value, dict) and type(value) not in _CONTAINERS


def _identity(value) -> tuple:
    """How an object is compared that is no container."""
    if value is ABSENT:
        return _ABSENT, None
    if type(value) is types.MethodType:
        return _METHOD, value
    return (_ONE, weakref.ref(value)) if type(value).__weakrefoffset__ else (_SAME, value)


def _weakly(holder):
    return weakref.ref(holder) if type(holder).__weakrefoffset__ else holder


def settled(captures: Captures, attempt):
    """``attempt(captures)``, with more of what is outside known while compiling until it succeeds:
    what is needed then, at last everything.
    """
    first = None
    while True:
        captures.used = False
        try:
            return attempt(captures)
        except UserError as e:
            if getattr(e, "captured", ()):
                captures.fix(e.captured)
            elif getattr(e, "changed", ()) and not captures.frozen:
                captures.vary(e.changed)
            elif captures.used and not getattr(e, "numbers", None):
                captures.frozen, first = True, e
            else:
                captures.frozen &= first is None
                raise (first or e) from (first or e).__cause__


def _hooks(leaves: list) -> list:
    return [hooks.of(v) for v in leaves if isinstance(v, Tensor) and hooks.of(v)]


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


def shown(v) -> str:
    """A value as messages show it."""
    if v is ABSENT:
        return "nothing"
    if isinstance(v, (bool, int, float, str)) or v is None:
        return repr(v)
    if isinstance(v, (Tensor, type, types.FunctionType)):
        return describe(v)
    return type(v).__name__


__all__ = ["Guards", "Place", "settled", "shown"]

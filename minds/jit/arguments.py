"""The arguments of a compiled call: what of them is fixed in a program (its key), and what it takes
at run time (the leaves, in one order everywhere).
"""

from __future__ import annotations

import inspect

from .. import _core
from ..base import dtype as dt
from ..base import tree
from ..base.errors import IntegerTooLarge, complain
from ..frontend.open_lists import OPEN_KINDS, as_argument, columns_of
from ..frontend.structure import parts
from ..frontend.value_types import KINDS, MUTABLE_KINDS, Leaf, LocalDict, LocalList, made
from ..ir.abstract import AbstractScalar, AbstractTensor
from ..ops import tensor_hooks as hooks
from ..tensor import Parameter, Tensor

RUN, OPEN, FIXED, ROWS = object(), object(), object(), object()
"""How a program takes a number: as a value of the run, as an open size with a value per lowering,
as a constant; and a tensor: as rows of which there may be any number.
"""


_FEW = 64


def decides(v) -> bool:
    """Whether a tensor is a small one of whole numbers, whose contents may be sizes, axes or
    positions, or one bool, which may be a flag; or an open list of numbers.
    """
    if type(v) in OPEN_KINDS:
        return len(v) <= _FEW and all(type(e) in (int, bool) for e in v)
    if not isinstance(v, Tensor) or isinstance(v, Parameter):
        return False
    return v.dtype.is_int and v.size <= _FEW or v.dtype.is_bool and v.size == 1


MOST = 200_000
"""Lists that hold others twice, and so on, may have more places than can be visited."""


class Numbers:
    """How the numbers among the arguments are taken, by their order among them.

    Attributes:
        how: the exceptions; `rest` is the rule.
        counts: whether tensors and open lists that `decides` tells are constants too.
    """

    __slots__ = ("at", "counts", "how", "rest")

    def __init__(self, how: dict | None = None, rest=RUN, counts: bool = False):
        self.how, self.rest, self.at, self.counts = how or {}, rest, 0, counts

    def fresh(self) -> Numbers:
        """The same, for a walk over the arguments."""
        return Numbers(self.how, self.rest, self.counts)

    def next(self, kind: type):
        """How the next number, an int or a float, is taken; only an int is a size."""
        self.at += 1
        how = self.how.get(self.at - 1, self.rest)
        return RUN if how is OPEN and kind is float else how

    def wider(self, leaves: set | None, parts: list) -> Numbers | None:
        """What to try where these numbers must be known while compiling: an int as an open size,
        then as a constant; at last tensors whose contents may decide a shape as constants. None if
        all are.

        Args:
            leaves: the leaves of which that is said; None if it is not known.
            parts: the `named_parts` of the arguments.
        """
        given = [i for i, (_, v) in enumerate(parts) if type(v) in (int, float)]
        taken = leaf_parts(parts, self)
        of_tensors = leaves is not None and all(isinstance(taken[at][2], Tensor) for at in leaves)
        if self.rest is FIXED or not given or of_tensors:
            if self.counts or not any(decides(v) for _, v in parts):
                return None
            return Numbers(self.how, self.rest, True)
        how = dict(self.how)
        for at, (i, _, v, now) in enumerate(taken):
            if leaves is not None and at in leaves and not isinstance(v, Tensor):
                sizes = now is RUN and type(v) is int and -(2**63) <= v < 2**63
                how[given.index(i)] = OPEN if sizes else FIXED
        if how == self.how:
            return Numbers(rest=FIXED, counts=self.counts)
        return Numbers(how, counts=self.counts)

    def fixed(self, parts: list) -> Numbers | None:
        """All as constants; None if they are already."""
        if self.rest is FIXED or not any(type(v) in (int, float) for _, v in parts):
            return None
        return Numbers(rest=FIXED, counts=self.counts)


CONSTANTS = Numbers(rest=FIXED)


def skeleton_of(value, numbers: Numbers | None = None):
    """The skeleton of arguments: tensors, and numbers that are no constants, are leaves."""
    return _skeleton(value, numbers and numbers.fresh())


def _skeleton(value, numbers):
    kind = type(value)
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        return value if numbers and numbers.counts and decides(value) else Leaf(value.abstract)
    if kind is int or kind is float:
        return value if numbers and numbers.next(kind) is FIXED else Leaf(AbstractScalar(kind))
    if kind is tuple or kind is list:
        return (tuple if kind is tuple else LocalList)([_skeleton(v, numbers) for v in value])
    if kind is dict:
        return LocalDict((k, _skeleton(v, numbers)) for k, v in value.items())
    if kind in OPEN_KINDS:
        if numbers and numbers.counts and decides(value):
            return tuple(value) if OPEN_KINDS[kind] is tuple else LocalList(value)
        found = as_argument(value)
        return _skeleton(OPEN_KINDS[kind](value), numbers) if found is None else found
    if kind in MUTABLE_KINDS:
        return _skeleton(MUTABLE_KINDS[kind](value), numbers)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*[_skeleton(v, numbers) for v in value])
    names = fields_of(value)
    if names is not None:
        held = [_skeleton(getattr(value, n), numbers) for n in names]
        if value.__dataclass_params__.frozen:
            return parts(value).remake(held)
        return made(kind, LocalDict(zip(names, held)))
    return value


def fields_of(value) -> tuple | None:
    """The names of the fields of an object of a dataclass, whose parts an argument consists of;
    else None.
    """
    kind = type(value)
    fields = getattr(kind, "__dataclass_fields__", None)
    if fields is None or kind.__module__.startswith("minds.") or hasattr(kind, "construct"):
        return None
    return tuple([n for n in fields if hasattr(value, n)]) if kind.__dictoffset__ else None


_BY_VALUE = frozenset((bool, int, float, str, type(None), dt.DType))
"""Types of what a key has itself, or of leaves."""


def key_of(value, leaves: list, numbers: Numbers | None = None):
    """A hashable key of arguments; what the program takes at run time goes to ``leaves``.
    ``numbers`` is used up.
    """
    kind = type(value)
    if numbers is not None and numbers.counts and decides(value):
        if kind in OPEN_KINDS:
            return (FIXED, kind, *[(type(v), v) for v in value])
        return (FIXED, value.dtype, value.shape, value.get_bytes())
    if kind is Tensor:
        leaves.append(value)
        return (value.abstract, *map(id, hooks.of(value))) if hooks.registered else value.abstract
    if kind is int or kind is float:
        how = RUN if numbers is None else numbers.next(kind)
        if how is FIXED:
            return (kind, value)
        leaves.append(value)
        return kind if how is RUN else (OPEN, _word(value))
    if kind is tuple or kind is list:
        if len(leaves) > MOST:
            raise complain(ValueError, f"the arguments hold more than {MOST:,} numbers and tensors")
        key = [kind]
        plain = numbers is None and not hooks.registered
        for v in value:  # a tensor, which most arguments are, without a call
            if plain and type(v) is Tensor:
                leaves.append(v)
                key.append(v.abstract)
            else:
                key.append(key_of(v, leaves, numbers))
        return tuple(key)
    if kind is dict:
        return (kind, *[(k, key_of(v, leaves, numbers)) for k, v in value.items()])
    if kind in OPEN_KINDS:
        return _key_of_rows(value, leaves, numbers)
    if kind in MUTABLE_KINDS:
        return (kind, *key_of(MUTABLE_KINDS[kind](value), leaves, numbers)[1:])
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (kind, *[key_of(v, leaves, numbers) for v in value])
    if kind in _BY_VALUE:
        return (kind, value)
    names = fields_of(value)
    if names is not None:
        return (kind, *[(n, key_of(getattr(value, n), leaves, numbers)) for n in names])
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        leaves.append(value)
        return value.abstract
    if kind in KINDS:  # one object, which holds constants
        held = [(type(v), v) if type(v) in _BY_VALUE else id(v) for v in _held(value)]
        keys = value if isinstance(value, dict) else ()
        return (kind, id(value), len(held), *keys, *held)
    return (kind, id(value))


def _key_of_rows(value, leaves: list, numbers):
    """The key of a list of an open length."""
    found = columns_of(value)
    if found is None:
        return key_of(OPEN_KINDS[type(value)](value), leaves, numbers)
    skeleton, columns = found
    leaves += columns
    return (type(value), repr(skeleton), *[c.abstract for c in columns])


def _held(value) -> list:
    """What an object of a class of `collections` holds."""
    return list(value.values() if isinstance(value, dict) else value)


_PLAIN = {**OPEN_KINDS, **MUTABLE_KINDS}


def identities(value, found: list) -> list:
    """Append to ``found`` the objects of which `key_of` takes the identity."""
    kind = _PLAIN.get(type(value)) or type(value)
    if isinstance(value, Tensor) and kind is not Parameter:
        found += hooks.of(value)
    elif kind is tuple or kind is list or isinstance(value, tuple) and hasattr(value, "_fields"):
        for v in value:
            identities(v, found)
    elif kind is dict:
        for v in value.values():
            identities(v, found)
    elif kind not in _BY_VALUE:
        names = fields_of(value)
        for n in names or ():
            identities(getattr(value, n), found)
        if names is None:
            found.append(value)
        if kind in KINDS:
            found += _held(value)
    return found


def without_sizes(key):
    """A key of arguments in which tensors have rank and dtype only, and open numbers no value."""
    if type(key) is AbstractTensor:
        return key.ndim, key.dtype
    if type(key) is not tuple:
        return key
    return (OPEN,) if len(key) == 2 and key[0] is OPEN else tuple(map(without_sizes, key))


_CODES = {int: dt.int64.code, float: dt.float64.code}


def _word(v):
    """``v``, if it is no int that the run has no room for."""
    if type(v) is int and not -(2**63) <= v < 2**63:
        raise complain(
            IntegerTooLarge, f"jit: the int {v} does not fit 64 bits", cure="pass a float"
        )
    return v


def scalar_array(v) -> _core.Array:
    return _core.Array.full((), _CODES[type(v)], _word(v))


def array_of(v) -> _core.Array:
    """What a program takes for a tensor or number."""
    return v._array if isinstance(v, Tensor) else scalar_array(v)


def names_of(fn) -> list[str]:
    """The names of the positional parameters of a function, of a cell's ``construct``, or of what
    `grad` made.
    """
    while not hasattr(fn, "construct") and not inspect.isroutine(fn) and hasattr(fn, "fn"):
        fn = fn.fn
    try:
        parameters = inspect.signature(getattr(fn, "construct", fn)).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def named_parts(fn, args: tuple, kwargs: dict) -> list:
    """(name, value) of every argument, containers taken apart: ``x``, ``x[0]``, ``x['key']``. The
    leaves among them stand in the order in which `key_of` finds them.
    """
    names, out = names_of(fn), []
    for i, v in enumerate(args):
        out += tree.paths(v, names[i] if i < len(names) else f"args[{i}]", _is_whole)
    for k, v in kwargs.items():
        out += tree.paths(v, k, _is_whole)
    return out


def _is_whole(v) -> bool:
    """Whether `key_of` takes a container for one object: of another kind of dict, or of a dataclass
    whose fields are none of the argument's.
    """
    if isinstance(v, dict):
        return type(v) is not dict and type(v) not in MUTABLE_KINDS
    if type(v) in OPEN_KINDS:
        return columns_of(v) is not None
    return hasattr(type(v), "__dataclass_fields__") and fields_of(v) is None


def leaf_parts(parts: list, numbers: Numbers | None) -> list:
    """(place, name, leaf, how it is taken) of the leaves among `named_parts`, in order; the place
    is that of the part.
    """
    walk, found = numbers and numbers.fresh(), []
    for i, (name, v) in enumerate(parts):
        if isinstance(v, Tensor):
            if not isinstance(v, Parameter) and not (walk and walk.counts and decides(v)):
                found.append((i, name, v, RUN))
        elif type(v) in OPEN_KINDS:
            if not (walk and walk.counts and decides(v)):
                found += [(i, name, c, ROWS) for c in columns_of(v)[1]]
        elif type(v) in (int, float):
            how = walk.next(type(v)) if walk else RUN
            if how is not FIXED:
                found.append((i, name, v, how))
    return found


__all__ = [
    "CONSTANTS",
    "FIXED",
    "OPEN",
    "ROWS",
    "RUN",
    "Numbers",
    "array_of",
    "decides",
    "fields_of",
    "identities",
    "key_of",
    "leaf_parts",
    "named_parts",
    "names_of",
    "scalar_array",
    "skeleton_of",
    "without_sizes",
]

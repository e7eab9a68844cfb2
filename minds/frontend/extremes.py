"""``min`` and ``max`` as compiled code sees them."""

from __future__ import annotations

import dataclasses
import functools

import gast

from ..base.errors import ambiguous, complain, performed
from ..ir.node import Node
from ..ops.define import P
from . import run_lists, special
from .compare import compared
from .conditions import runtime_if
from .iterated import Iterated
from .iterators import sequence
from .registry import EMITTERS, runtime
from .run_lists import is_tensor
from .scalars import binary, is_scalar, kind_of, to_kind, truth
from .sorting import deciding
from .text import holds_runtime

MOST_ROWS = 16
"""So many rows are compared one by one: the first of equal ones gets the gradient."""
_ABSENT = object()
_ORDER = {min: gast.Lt, max: gast.Gt}


def _extreme(ip, pick, args, key, default):
    """``pick``, `min` or `max`, of ``args`` or of the elements of the only one."""
    if len(args) == 1 and isinstance(args[0], Iterated):
        args = (args[0].as_list(ip),)
    if len(args) == 1 and run_lists.is_open(args[0]) and key is None:
        empty = ValueError(f"{pick.__name__}() arg is an empty sequence")
        found = _of_rows(ip, pick, run_lists.tensor(ip, args[0], empty))
        return run_lists.like_elements(ip, args[0], found)
    if len(args) == 1 and is_tensor(args[0]) and key is None:
        return _of_rows(ip, pick, args[0])
    items = sequence(ip, args[0]) if len(args) == 1 else list(args)
    if not items:
        if default is not _ABSENT:
            return default
        raise complain(ValueError, f"{pick.__name__}() arg is an empty sequence.")
    keys = items if key is None else [ip.call(key, [v], {}) for v in items]
    known = deciding(keys)
    if known is not keys:
        return items[performed(pick, range(len(items)), key=known.__getitem__)]
    if any(map(_is_compared, keys)) or key is not None and runtime(*keys):
        return functools.reduce(lambda a, b: _better(ip, pick, a, b), zip(keys, items))[1]
    if key is not None or not runtime(*items):
        return items[performed(pick, range(len(items)), key=keys.__getitem__)]

    def two(a, b):
        if is_scalar(a) and is_scalar(b):
            kind = float if float in (kind_of(a), kind_of(b)) else int
            a, b = to_kind(ip, a, kind), to_kind(ip, b, kind)
        beyond = binary(ip, _ORDER[pick], _comparable(pick, b), _comparable(pick, a))
        if not isinstance(beyond, Node):
            return b if truth(ip, beyond) else a
        return ip.native(P.select, beyond, ip.node(b), ip.node(a))

    return functools.reduce(two, items)


def _is_compared(v) -> bool:
    """Whether a value is no number, and its order a question to the compiler."""
    if isinstance(v, (tuple, list)):
        return holds_runtime(v)
    return special.has(v, "__lt__") or special.has(v, "__gt__") or dataclasses.is_dataclass(v)


def _better(ip, pick, a: tuple, b: tuple):
    """``b`` if its key is beyond that of ``a``, else ``a``: pairs of a key and a value."""
    test = truth(ip, compared(ip, _ORDER[pick](), b[0], _comparable(pick, a[0])))
    if isinstance(test, Node):
        return runtime_if(ip, test, lambda: b, lambda: a)
    return b if test else a


def _of_rows(ip, pick, x):
    """The smallest or largest of the rows of a tensor, which must have one element each."""
    if not x.shape:
        raise complain(TypeError, "Cannot iterate over a scalar tensor.")
    if not x.shape[0]:
        raise complain(ValueError, f"{pick.__name__}() arg is an empty sequence.")
    if x.shape[0] > 1 and x.size > x.shape[0]:
        raise ambiguous(x.abstract)
    if x.shape[0] <= MOST_ROWS:
        rows = sequence(ip, x)
        return rows[0] if len(rows) == 1 else _extreme(ip, pick, rows, None, _ABSENT)
    return ip.native(P.amin if pick is min else P.amax, ip.node(x), (0,), False)


def _comparable(pick, v):
    """``v``, unless its order is not known now, or is none."""
    if is_tensor(v) and v.size > 1:
        raise ambiguous(v.abstract)
    if isinstance(v, (tuple, list)):
        for e in v:
            _comparable(pick, e)
            if is_tensor(e):
                what = f"{pick.__name__}() cannot support tensor in list or tuple nested now."
                raise complain(TypeError, what, cure="compare the tensors themselves")
    return v


for _pick in (min, max):
    EMITTERS[_pick] = lambda ip, *args, key=None, default=_ABSENT, pick=_pick: _extreme(
        ip, pick, args, key, default
    )

"""Comparison: order, equality, identity and membership of values, as CPython asks for them.

Values known now answer now. Where a container holds what only the run knows, so does the answer: a
run-time bool that is made of the comparisons of the elements.
"""

from __future__ import annotations

import dataclasses
import operator
from collections import OrderedDict

import gast

from ..base.errors import complain, performed
from ..ir.dim import Dim
from ..ir.node import Node
from ..ops.define import P
from ..tensor import Tensor
from . import list_places, run_arrays, run_lists, special, union_values
from .access import plain_name
from .describe import describe, need_static
from .function_types import UnionValue
from .iterated import Iterated
from .iterators import sequence
from .run_lists import is_tensor
from .scalars import PYTHON, binary, is_scalar, negated, truth_scalar
from .structure import mapped
from .text import Text
from .value_types import LOCAL, RunArray, View, attributes_of, is_made, record
from .values import same_object


def compared(ip, op, left, right):
    """``left op right`` for a gast comparison operator."""
    if isinstance(left, UnionValue):
        return union_values.tested(ip, left, lambda v: compared(ip, op, v, right))
    if isinstance(right, UnionValue):
        return union_values.tested(ip, right, lambda v: compared(ip, op, left, v))
    if isinstance(op, (gast.Is, gast.IsNot)):
        single = _is_single(left, right) or _is_single(right, left)
        same = binary(ip, gast.Eq, left, right) if single else same_object(left, right)
        return same if isinstance(op, gast.Is) else negated(ip, same)
    if isinstance(op, (gast.In, gast.NotIn)):
        found = contains(ip, left, right)
        return found if isinstance(op, gast.In) else negated(ip, found)
    if type(left) is type(right) and _is_generated(type(left), type(op)):
        left, right = _fields(left), _fields(right)
    if isinstance(op, (gast.Eq, gast.NotEq)) and _apart(left, right):
        return isinstance(op, gast.NotEq)
    if isinstance(left, _COMPOUND) and isinstance(right, _COMPOUND) and _has_unknown((left, right)):
        return _compare_compound(ip, op, left, right)
    return binary(ip, type(op), left, right)


_SINGLE = range(-5, 257)
"""The ints of which CPython has one object each, as of True and False: they are the same where they
are equal.
"""


def _is_single(value, known) -> bool:
    """Whether a number of the run is the object ``known`` where it is equal to it."""
    kind = type(known)
    one = kind is bool or kind is int and known in _SINGLE
    return one and isinstance(value, Node) and is_scalar(value) and value.abstract.kind is kind


_COMPOUND = (tuple, list, dict, View)


def _apart(left, right) -> bool:
    """Whether containers differ by their classes: a deque is no list, an OrderedDict has an order."""
    ours, theirs = (
        getattr(v, "kind", None) if isinstance(v, LOCAL) else None for v in (left, right)
    )
    if isinstance(left, list) and isinstance(right, list):
        return getattr(ours, "cls", list) is not getattr(theirs, "cls", list)
    ordered = ours and theirs and ours.cls is theirs.cls is OrderedDict
    return bool(ordered) and list(left) != list(right)


def _is_generated(cls: type, op: type) -> bool:
    """Whether `dataclass` has written the comparison of ``cls``: it compares the fields."""
    name = special.COMPARE.get(op, "")
    method = getattr(cls, f"__{'eq' if name == 'ne' else name}__", None)
    return (
        dataclasses.is_dataclass(cls)
        and getattr(getattr(method, "__code__", None), "co_filename", None) == "<string>"
    )


def _fields(v) -> tuple:
    return tuple([getattr(v, f.name) for f in dataclasses.fields(type(v)) if f.compare])


def _has_unknown(v, seen: set | None = None) -> bool:
    """Whether Python's own comparison of ``v`` would meet what it cannot compare; a container that
    stands in many places, ``seen``, is looked at once.
    """
    if isinstance(v, (tuple, list, dict)):
        seen = set() if seen is None else seen
        if id(v) in seen:
            return False
        seen.add(id(v))
        return any(_has_unknown(e, seen) for e in (v.values() if isinstance(v, dict) else v))
    asked = isinstance(v, (Node, Tensor, Dim, Text, View, UnionValue, RunArray))
    return asked or _is_generated(type(v), gast.Eq) or special.has(v, "__eq__")


_SIGNS = {gast.Lt: "<", gast.LtE: "<=", gast.Gt: ">", gast.GtE: ">="}


_STRICT = {gast.Lt: gast.Lt, gast.LtE: gast.Lt, gast.Gt: gast.Gt, gast.GtE: gast.Gt}


def _compare_compound(ip, op, left, right):
    """The order of two containers is that of the first elements that differ."""
    if isinstance(op, (gast.Eq, gast.NotEq)):
        same = equal(ip, left, right)
        return same if isinstance(op, gast.Eq) else negated(ip, same)
    if not any(isinstance(left, kind) and isinstance(right, kind) for kind in (tuple, list)):
        what = f"{_SIGNS[type(op)]!r} not supported between instances of"
        raise complain(TypeError, f"{what} {plain_name(left)!r} and {plain_name(right)!r}")
    pairs: list = []
    for a, b in zip(left, right):
        same = equal(ip, a, b)
        if same is not True:
            pairs.append((a, b, same))
        if same is False:
            break  # what stands behind is not compared
    result = PYTHON[type(op)](len(left), len(right))
    for a, b, same in reversed(pairs):
        ordered = truth_scalar(ip, compared(ip, _STRICT[type(op)](), a, b))
        result = or_(ip, and_(ip, same, result), and_(ip, negated(ip, same), ordered))
    return result


def and_(ip, a, b):
    """``a and b`` for bools, known now or at run time, without short circuit; so is `or_`."""
    if isinstance(a, Node) and isinstance(b, Node):
        return ip.native(P.logical_and, a, b)
    known, other = (b, a) if isinstance(a, Node) else (a, b)
    return other if known else False


def or_(ip, a, b):
    if isinstance(a, Node) and isinstance(b, Node):
        return ip.native(P.logical_or, a, b)
    known, other = (b, a) if isinstance(a, Node) else (a, b)
    return True if known else other


def equal(ip, a, b):
    """Whether two elements are equal, as CPython's containers ask: a bool, or a run-time bool."""
    if a is b:
        return True
    if isinstance(a, UnionValue):
        return union_values.tested(ip, a, lambda v: equal(ip, v, b))
    if isinstance(b, UnionValue):
        return union_values.tested(ip, b, lambda v: equal(ip, a, v))
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        if isinstance(a, tuple) is not isinstance(b, tuple) or len(a) != len(b):
            return False
        return _all_equal(ip, a, b)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and _all_equal(ip, a.values(), [b[k] for k in a])
    if isinstance(a, View) or isinstance(b, View):
        return _equal_views(ip, a, b)
    if type(a) is RunArray or type(b) is RunArray:
        return truth_scalar(ip, binary(ip, gast.Eq, a, b))
    if type(a) is type(b) and _is_generated(type(a), gast.Eq):
        return equal(ip, _fields(a), _fields(b))
    if is_tensor(a) or is_tensor(b):
        if not all(is_tensor(v) or is_scalar(v) for v in (a, b)) or (
            is_tensor(a) and is_tensor(b) and a.shape != b.shape
        ):
            return False
    elif not (is_scalar(a) and is_scalar(b)):
        if isinstance(a, Node) or isinstance(b, Node):
            return False
        if not (special.has(a, "__eq__") or special.has(b, "__eq__")):
            return bool(a == b)
    same = binary(ip, gast.Eq, a, b)
    if is_tensor(same) and same.abstract.size != 1:
        same = ip.native(lambda: P.all(ip.node(same), None, False))
    return truth_scalar(ip, same)


def _equal_views(ip, a, b):
    """Views of dicts, which are sets: what is in one is in the other."""
    if isinstance(a, View) and a.name == "values" or isinstance(b, View) and b.name == "values":
        return False
    if not all(isinstance(v, (View, set, frozenset)) for v in (a, b)):
        return False
    items, others = (v.items() if isinstance(v, View) else list(v) for v in (a, b))
    if len(items) != len(others):
        return False
    return fold(ip, (contains(ip, v, others) for v in items), True)


def _all_equal(ip, a, b):
    return fold(ip, (equal(ip, v, w) for v, w in zip(a, b)), True)


def fold(ip, tests, empty: bool):
    """Whether all of some bools hold if ``empty``, else any: those behind one that decides are not asked."""
    result = empty
    for test in tests:
        result = and_(ip, result, test) if empty else or_(ip, result, test)
        if result is not empty and not isinstance(result, Node):
            break
    return result


def contains(ip, item, container):
    """``item in container``."""
    if isinstance(container, (Node, Tensor)) and (item is None or isinstance(item, str)):
        return False
    if isinstance(container, (Node, Tensor)):
        found = ip.native(lambda: P.any(P.equal(ip.node(container), item), None, False))
        return truth_scalar(ip, found)
    if type(container) is RunArray:
        return run_arrays.called(ip, operator.contains, [container, item])
    if isinstance(container, range) and isinstance(item, Node) and is_scalar(item):
        return _in_range(ip, item, container)
    if isinstance(container, View):
        container = container.of if container.name == "keys" else container.items()
    if isinstance(item, (Node, Dim)) and isinstance(container, (dict, set, frozenset)):
        container = tuple(container)  # a number of the run has no hash
    if run_lists.is_open(container):
        found = list_places.matches(ip, container, item)
        return truth_scalar(ip, ip.native(lambda: P.any(found, None, False)))
    if isinstance(container, (tuple, list)):
        return fold(ip, (equal(ip, v, item) for v in container), False)
    if getattr(type(container), "__contains__", ip) is None:
        name = type(container).__name__
        raise complain(TypeError, f"'{name}' object is not a container")
    found = special.call(ip, container, "__contains__", item)
    if found is not NotImplemented:
        return truth_scalar(ip, found)
    own = special.has(container, "__iter__") or special.has(container, "__getitem__")
    if isinstance(container, Iterated) or own:
        return contains(ip, item, tuple(sequence(ip, container)))
    return performed(operator.contains, container, as_key(ip, item, "the item"))


def _in_range(ip, item, r: range):
    if not r:
        return False
    low, high = min(r[0], r[-1]), max(r[0], r[-1])
    inside = and_(ip, binary(ip, gast.LtE, low, item), binary(ip, gast.LtE, item, high))
    steps = binary(ip, gast.Mod, binary(ip, gast.Sub, item, low), abs(r.step))
    return and_(ip, inside, binary(ip, gast.Eq, steps, 0))


def as_key(ip, v, what: str = "a key of a dict"):
    """``v`` as a key of a dict or an element of a set: its value is known now.

    Raises:
        CompileTimeError: it is not.
        TypeError: it cannot be one.
    """
    v = _known(ip, v, what)
    if _mutable(v):
        expected = "a string, a number, or a tuple of such"
        raise complain(TypeError, f"{what} is {describe(v)}, which may change", expected=expected)
    return v


def _known(ip, v, what: str, tensors: list | None = None):
    """``v``, and what decides its hash: elements of tuples, fields of a frozen dataclass, attributes of
    an object whose class says how it is hashed.

    Tensors of the run are refused, or noted in ``tensors``: an object may hold some if what equals it
    is known all the same, as where only their shapes are compared.
    """
    if isinstance(v, tuple) and any(isinstance(e, (Node, Dim, tuple, RunArray)) for e in v):
        items = [_known(ip, e, what, tensors) for e in v]
        return type(v)(*items) if hasattr(v, "_fields") else tuple(items)
    if is_made(v) and special.has(v, "__hash__"):
        within: list = []
        for name, held in list(attributes_of(v).items()):
            attributes_of(v)[name] = _known(ip, held, what, within)
        if within:
            need_static(special.call(ip, v, "__eq__", v), what)
    elif record(v) and type(v).__hash__ is not object.__hash__:
        return mapped(v, lambda e: _known(ip, e, what, tensors))
    if tensors is not None and isinstance(v, Node) and is_tensor(v):
        tensors.append(v)
        return v
    return ip.native(int, v) if isinstance(v, Dim) else need_static(v, what)


def _mutable(v) -> bool:
    mutable = isinstance(v, (list, dict)) or type(v).__hash__ is None
    return mutable or isinstance(v, tuple) and any(map(_mutable, v))

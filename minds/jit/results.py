"""What a program returns: the skeleton of a result made from a value of the interpreter, and the
user's value made from the skeleton.
"""

from __future__ import annotations

from dataclasses import dataclass

from .. import _core
from ..frontend.counted import RuntimeRange
from ..frontend.function_types import UnionValue
from ..frontend.interp import Interp
from ..frontend.iterated import Iterated
from ..frontend.iterators import Items, Zipped
from ..frontend.run_lists import Listed, exact, holds_lists, rows_of
from ..frontend.slots import closed_class, slots_of
from ..frontend.structure import parts
from ..frontend.text import Text
from ..frontend.value_types import (
    Leaf,
    LocalDict,
    LocalList,
    LocalSet,
    RunArray,
    RunList,
    View,
    is_made,
    of_python,
    record,
)
from ..ir import dim
from ..tensor import Parameter, Tensor


@dataclass(frozen=True)
class Given:
    """In the skeleton of a result: a list or dict of the caller's or of outside, or a tensor of
    outside, by its number (`Program.given`).
    """

    number: int


@dataclass(frozen=True, eq=False)
class KnownTensor:
    """In the skeleton of a result: this very tensor."""

    value: Tensor


def loaded(ip: Interp, value, place: dict | None = None, keep: bool = False):
    """``value`` with parameters replaced by what they hold, or all tensors `KnownTensor`, and lists and
    dicts by their entries in ``place``.
    """
    if keep and isinstance(value, Tensor):
        return KnownTensor(value)
    if isinstance(value, Parameter):
        return ip.read(value)
    if type(value) is dim.Dim:
        return ip.node(value)
    if place and id(value) in place:
        return place[id(value)]
    if ip.tensors.arrays and id(value) in ip.tensors.boxes:
        value = ip.tensors.known(value)
    ip.usable(value)
    if type(value) is RunList:
        if not holds_lists(value):
            rows = rows_of(ip, value)
            return Listed(rows.skeleton, exact(ip, rows), value.kind)
        value = list(value)
    if type(value) in (tuple, list):
        return type(value)([loaded(ip, v, place, keep) for v in value])
    if isinstance(value, (LocalList, dict)):
        p = parts(value) or parts(dict(value))
        return p.remake([loaded(ip, v, place, keep) for v in p.items])
    if isinstance(value, Zipped):  # map, zip and enumerate: a tuple, as in MindSpore
        value = tuple(value.take_all(ip))
    elif isinstance(value, Iterated):
        value = Items(tuple(value.take_all(ip)))
    if isinstance(value, (tuple, View, Iterated, RuntimeRange)) or (
        record(value) is not None and not (keep and not is_made(value))
    ):
        p = parts(value)
        # An object of a class of tuples that compiled code does not make is the caller's.
        return value if p is None else p.remake([loaded(ip, v, place, keep) for v in p.items])
    return value


def number(array: _core.Array):
    """A run-time scalar as the Python number it is."""
    return array.item()


def restored(skeleton, leaves, given):
    """The user's value: `unflatten`, with containers of the plain kind, or the caller's own."""
    kind = type(skeleton)
    if kind is Leaf:
        return next(leaves)
    if kind is tuple:
        return tuple([restored(v, leaves, given) for v in skeleton])
    if kind in (LocalList, list):
        return of_python(skeleton, [restored(v, leaves, given) for v in skeleton])
    if kind in (LocalDict, dict):
        return of_python(skeleton, {k: restored(v, leaves, given) for k, v in skeleton.items()})
    if kind is Listed:
        return skeleton.elements([restored(v, leaves, given) for v in skeleton.columns])
    if kind is RunArray:
        return skeleton.restored(restored(skeleton.node, leaves, given))
    if kind is RuntimeRange:
        return range(*[restored(v, leaves, given) for v in parts(skeleton).items])
    if kind is Given:
        return given[skeleton.number]
    if kind is UnionValue:
        at = next(leaves)
        return [restored(v, leaves, given) for v in skeleton.options][at]
    if kind is KnownTensor:
        return skeleton.value
    if isinstance(skeleton, tuple) and hasattr(skeleton, "_fields"):
        return kind(*[restored(v, leaves, given) for v in skeleton])
    if kind is LocalSet:
        return set(skeleton)
    if kind is View:
        return getattr(restored(skeleton.of, leaves, given), skeleton.name)()
    if kind is Items:
        return iter(restored(skeleton.state["of"], leaves, given))
    if kind is Text:
        return skeleton.render([restored(v, leaves, given) for v in skeleton.values])
    if is_made(skeleton):
        kind = closed_class(kind)
        new, held = object.__new__(kind), restored(skeleton.__dict__, leaves, given)
        for name in slots_of(kind):
            if name in held:
                object.__setattr__(new, name, held.pop(name))
        if held:
            new.__dict__.update(held)
        return new
    if record(skeleton) is not None:
        p = parts(skeleton)
        return p.remake([restored(v, leaves, given) for v in p.items])
    return skeleton

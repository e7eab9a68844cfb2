"""Whether what an op is given, and what its inference rule gives, is what its definition says."""

from __future__ import annotations

import math
import operator

import numpy as np

from ..base import dtype as dt
from ..base.errors import CompileTimeError, complain, needing
from ..base.kinds import fits, shown
from ..base.limits import MEMORY, check_memory
from ..ir.abstract import Abstract, AbstractTensor, AbstractTuple
from ..ir.dim import Dim
from ..ir.node import Constant, Node
from ..tensor import Parameter, Tensor
from .promotion import NUMBERS

TENSOR, OPTIONAL, TENSORS, ATTR = "tensor", "optional", "tensors", "attr"
"""The kinds of an op's parameters."""

CHECKED = {"bool": "bool", "str": "str"}
"""By annotation, the kinds of the attributes that no rule converts."""

PLAIN = {"int": "an int", "tuple": "a tuple of ints"}
"""By annotation, those of which a rule may convert others than tensors."""

SETTLED = {"float": "float", "dt.DType": "DType"}
"""By annotation, the kinds of those that are so once the rules have been applied."""

_ATTRIBUTES = {
    "bool": (bool, int),
    "int": (int, Dim),
    "float": (int, float, Dim),
    "str": str,
    "tuple": (tuple, list),
    "dt.DType": dt.DType,
}
"""What the annotations of attributes stand for."""

NO_NODE = (bool, int, float, str, type(None), dt.DType)
"""Classes of attributes that hold no value of the run."""


def check_attributes(o, values: list, which: list) -> None:
    """Raise TypeError if one of these attributes is not of the type that the definition says."""
    for i, p, kind in which:
        v, tensor = values[i], hasattr(values[i], "asnumpy")
        array = tensor or isinstance(v, np.ndarray)
        if p.annotation in PLAIN:
            if tensor:
                what = f"{o.name}: {p.name} must be {kind}, got {shown(v)}"
                raise complain(TypeError, what)
        elif _counts(kind, v):
            raise complain(TypeError, f"{o.name}: {p.name} must be a bool, got {v!r}")
        elif v is not p.default and (array or not fits(kind, v, loosely=True)):
            what = f"{o.name}: {p.name} is {shown(v)}"
            raise complain(TypeError, what, expected=kind)


def _counts(kind: str, v) -> bool:
    """Whether a number stands where a bool is wanted: most often an argument in another's place."""
    return kind == "bool" and isinstance(v, (int, float)) and not isinstance(v, bool)


def attributes_of(o, kinds: dict) -> list:
    """(index, parameter, kind) of the attributes whose annotations have a kind in ``kinds``."""
    return [
        (i, p, kinds[p.annotation])
        for i, p in enumerate(o.signature.parameters.values())
        if o.kinds[i] == ATTR and p.annotation in kinds
    ]


def known_attribute(o, i: int, v):
    """The attribute ``v`` of a call on nodes, with the numbers that `mutable` made of the run, though
    they are known.

    Raises:
        CompileTimeError: it is, or contains, what only the run knows.
    """
    if _node_in(v) is None:
        return v
    v = _without_constants(v)
    found = _node_in(v)
    if found is None:
        return v
    raise needing(
        complain(
            CompileTimeError,
            f"{o.name}: {o.names[i]} must be known when the program is compiled",
            operands=[(o.names[i], repr(found.abstract))],
            cure="pass a constant, or compute it from shapes",
        ),
        [found],
    )


def _node_in(v) -> Node | None:
    """A node that an attribute is or contains."""
    if isinstance(v, (tuple, list)):
        return next((n for n in map(_node_in, v) if n is not None), None)
    return v if isinstance(v, Node) else None


def _without_constants(v):
    """An attribute with numbers in place of the constants that they are."""
    if isinstance(v, (tuple, list)):
        return tuple(map(_without_constants, v))
    return v.value if isinstance(v, Constant) and type(v.value) in NUMBERS else v


def ints_given(value):
    """The ints that a tensor of whole numbers, of rank 0 or 1, holds and stands for as an axis or a
    shape, as such a tensor of one element among others does; any other value itself.
    """
    if isinstance(value, (tuple, list)) and any(isinstance(v, Tensor) for v in value):
        held = [_int_given(v) for v in value]
        return value if all(map(operator.is_, held, value)) else tuple(held)
    tensor = isinstance(value, Tensor) and not isinstance(value, Parameter)
    if not tensor or not value.dtype.is_int or value.ndim > 1:
        return value
    held = value.asnumpy().tolist()
    return tuple(held) if isinstance(held, list) else held


def _int_given(value):
    held = value if type(value) is tuple else ints_given(value)
    return held[0] if held is not value and type(held) is tuple and len(held) == 1 else held


def without_tensors(o, args: tuple, kwargs: dict) -> tuple | None:
    """The arguments of a call with ints in place of tensors that are given as an axis, a shape or
    another attribute of ints; None if there are none.
    """
    ints = {p.name: kind for _, p, kind in attributes_of(o, {"int": int, "tuple": (int, tuple)})}

    def plain(name: str, v):
        held = ints_given(v) if name in ints else v
        return held if isinstance(held, ints.get(name, object)) else v

    new = [plain(n, v) for n, v in zip(o.names, args)], {n: plain(n, v) for n, v in kwargs.items()}
    same = all(map(operator.is_, (*new[0], *new[1].values()), (*args, *kwargs.values())))
    return None if same or len(args) > len(o.names) else new


def unfit(o, abstracts: list) -> list:
    """(name, text) of the parameters whose values are of another kind than declared."""
    found = []
    for p, kind, v in zip(o.signature.parameters.values(), o.kinds, abstracts):
        if kind == ATTR:
            plain = _ATTRIBUTES.get(str(p.annotation).removesuffix(" | None"), object)
            fit = v is p.default or not isinstance(v, (Node, Abstract)) and isinstance(v, plain)
            if isinstance(v, (tuple, list)):
                fit = fit and not any(isinstance(e, (Node, Abstract)) for e in v)
        else:
            items = v if kind == TENSORS and isinstance(v, (tuple, list)) else (v,)
            fit = all(hasattr(a, "dtype") for a in items) or kind == OPTIONAL and v is None
        if not fit:
            found.append((p.name, v if isinstance(v, str) else repr(v)))
    return found


def check_size(result: Abstract) -> None:
    """Raise if there is no such result, or no memory that holds it."""
    for a in result.items if isinstance(result, AbstractTuple) else (result,):
        if not isinstance(a, AbstractTensor) or _fits_memory(a):
            continue
        wrong = next((d for d in a.shape if not hasattr(d, "__index__")), None)
        if wrong is not None:
            raise complain(TypeError, f"a size of the result is {shown(wrong)}", expected="an int")
        if all(type(d) is int for d in a.shape):
            if math.prod([d or 1 for d in a.shape]) * a.dtype.itemsize >= 2**63:
                raise complain(MemoryError, f"the size of {a!r} overflows")
            check_memory(a.size * a.dtype.itemsize, repr(a))
            if any(type(d) is int and d < 0 for d in a.shape):
                raise complain(ValueError, f"the result would have the shape {a.shape}")


def _fits_memory(a: AbstractTensor) -> bool:
    """Whether all sizes are known and none is wrong: each op asks, so this is quick."""
    for d in a.shape:
        if type(d) is not int or d < 0 or d >= 2**31:
            return False
    return a.size * a.dtype.itemsize <= MEMORY

"""Attributes, subscripts and iteration of values."""

from __future__ import annotations

import difflib
import math
import operator
import types
from collections import namedtuple

from ..arrays.host import told_steps
from ..base import dtype as dt
from ..base.errors import CompileTimeError, NoItem, complain, performed, refuse
from ..ir.abstract import AbstractScalar, AbstractTensor
from ..ir.dim import Dim
from ..ir.node import Node
from ..ops.composite import Applied
from ..ops.define import P, stacked
from ..tensor import Parameter, Tensor
from . import (
    attributes,
    foreign,
    list_places,
    run_arrays,
    run_lists,
    size_witnesses,
    special,
    text,
)
from .conditions import of_choice, require
from .describe import describe, need_static, no_key, no_place
from .function_types import Bound, Closure, UnionValue
from .imports import ABSENT, ATTRIBUTE
from .iterated import ByIndex, Iterated
from .raises import awaited
from .region import row_at
from .registry import method_of
from .scalars import is_scalar, kind_of, to_kind
from .value_types import (
    CONTAINERS,
    GIVEN,
    LOCAL,
    NUMBERS,
    LocalDict,
    LocalList,
    RunArray,
    RunList,
    is_made,
)
from .values import STRINGS, Mismatch, join_all

EMPTY = "cannot get item by index from an empty sequence"
_STATIC = ("shape", "dtype", "ndim", "size", "itemsize", "nbytes", "strides")
_VALUES = ("asnumpy", "numpy", "tolist", "__array__")
_OF_PARAMETERS = ("name", "requires_grad", "layerwise_parallel", "parallel_optimizer")
_HOST_ONLY = {
    **dict.fromkeys(_VALUES),
    **dict.fromkeys(("set_data", "assign_value"), "use ops.assign"),
    **dict.fromkeys(("data_ptr", "device", "get_bytes"), "ask for it outside"),
    "set_dtype": "use astype",
}


def getattr_(ip, owner, name: str):
    """``owner.name``.

    Raises:
        AttributeError: there is no such attribute.
        ParseError: it cannot be used in compiled code.
    """
    if name == "__class__":
        return ip.call(type, [owner], {})
    if isinstance(owner, Node):
        size_witnesses.note(ip.parameters.loaded, owner)  # its shape may be read
        return _of_node(ip, owner, name)
    if type(owner) is RunArray:
        return run_arrays.attribute(ip, owner, name)
    if isinstance(owner, Tensor):
        if name in _HOST_ONLY and id(owner) in ip.tensors.boxes:
            return _of_node(ip, ip.node(owner), name)
        return _of_tensor(ip, owner, name)
    owner = operator.index(owner) if type(owner) is Dim else owner
    imports = ip.imports
    if not imports.attributes or (id(owner), name) not in imports.attributes:
        value = imports.stored(owner, type(owner), name)
        if value is not NotImplemented:
            return value
    if isinstance(owner, LOCAL) or type(owner) in (list, dict, tuple, str, set):
        return _of_container(owner, name)
    if isinstance(owner, Iterated):
        method = method_of(name, type(owner), Iterated)
        if method is None:
            what = f"'{type(owner).__name__.lower()}' object has no attribute {name!r}"
            raise complain(AttributeError, f"{what} in compiled code")
        return Bound(method, owner, name)
    if isinstance(owner, tuple) and (method := method_of(name, namedtuple)) is not None:
        return Bound(method, owner, name)
    if isinstance(owner, UnionValue):
        return of_choice(ip, owner, lambda v: getattr_(ip, v, name))
    if isinstance(owner, Closure):
        if name == "__call__":
            return owner
        if name != "__name__":
            lacks = complain if name not in dir(types.FunctionType) else refuse  # CPython has it
            raise lacks(AttributeError, f"a function has no attribute {name!r} in compiled code")
        return owner.name
    if type(owner) is Applied and name in Applied.__slots__:
        return LocalDict(owner.keywords) if name == "keywords" else getattr(owner, name)
    return _of_object(ip, owner, name)


def _of_object(ip, owner, name: str):
    """``owner.name`` of an object, a class or a module, as Python looks it up."""
    imports = ip.imports
    if imports.attributes.get((id(owner), name)):
        return imports.attributes[id(owner), name][name]
    if is_made(owner):
        ip.usable(owner.__dict__)
    if attributes.stands(owner):
        value = attributes.computed(ip, owner, name)
        if value is not NotImplemented:
            return value
    elif isinstance(owner, type):
        value = attributes.of_type(ip, owner, name)
        if value is not NotImplemented:
            return value
    try:
        if text.is_of_host(owner):
            what = f"{name!r} of what a host function has raised is known only at run time"
            raise complain(CompileTimeError, what, cure="return it from the host function")
        if isinstance(owner, BaseException):
            return getattr(owner, name)
        value = ip.native(getattr, owner, name)
    except AttributeError as e:
        imports.attribute_read(owner, name, ABSENT)
        what = _number_lacks(type(owner), name) if type(owner) in NUMBERS else str(e)
        raise complain(AttributeError, what, cure=did_you_mean(name, dir(owner))) from None
    return imports.attribute_read(owner, name, value)


def _number_lacks(kind: type, name: str) -> str:
    """Compiled code names a number's type as MindSpore does: Int, Float, Bool."""
    return f"'{kind.__name__.capitalize()}' object has no attribute {name!r}"


def _of_container(owner, name: str):
    kind = getattr(owner, "kind", None)
    if kind is not None and GIVEN.get(kind.cls) == name:
        return kind.given
    method = kind and method_of(name, kind.cls)
    if method is not None:
        return Bound(method, owner, name)
    if name in BEHIND and hasattr(owner, name):
        return Bound(BEHIND[name], owner, name)
    method = method_of(name, CONTAINERS.get(type(owner), type(owner)))
    if not hasattr(owner if kind is None else kind.cls, name) and (method is None or kind):
        what = f"'{plain_name(owner)}' object has no attribute {name!r}"
        raise complain(AttributeError, what, cure=did_you_mean(name, dir(type(owner))))
    return Bound(method or getattr(type(owner), name), owner, name)


def did_you_mean(name: str, names) -> str | None:
    """A cure for a name that does not exist: one that is like it."""
    found = difflib.get_close_matches(name, [n for n in names if not n.startswith("_")], 1, 0.7)
    return f"did you mean {found[0]!r}?" if found else None


BEHIND: dict = {}
"""What the methods behind operators, ``x.__add__``, are to compiled code; filled by `operators`."""


def _of_node(ip, owner: Node, name: str):
    a = owner.abstract
    if isinstance(a, AbstractTensor):
        if name in ("shape", "dtype", "ndim", "size"):
            return getattr(a, name)
        if name in ("itemsize", "nbytes"):
            return a.dtype.itemsize * (a.size if name == "nbytes" else 1)
        if name == "strides":
            return tuple([a.dtype.itemsize * n for n in strides(ip, owner)])
        return _tensor_attribute(ip, owner, name)
    if isinstance(a, AbstractScalar):
        if name == "real":
            return owner
        if name in BEHIND and hasattr(a.kind, name):
            return Bound(BEHIND[name], owner, name)
        if hasattr(a.kind, name):
            need_static(owner, f"a number that {name} is asked of")
        what = _number_lacks(a.kind, name)
        raise complain(AttributeError, what, cure="wrap it in ops.scalar_to_tensor")
    raise complain(AttributeError, f"{a!r} has no attribute {name!r}")


def _of_tensor(ip, owner: Tensor, name: str):
    if name in _STATIC:
        return getattr(owner, name)
    if name == "data":
        return owner
    if isinstance(owner, Parameter):
        if name == "value":
            return Bound(_value, owner, name)
        if name in _OF_PARAMETERS or name in owner.__dict__:
            return ip.imports.read(ATTRIBUTE, owner, name, getattr(owner, name))
    return _tensor_attribute(ip, owner, name)


def strides(ip, x) -> list:
    """Elements to step in each dimension: those of a view in its root; of other tensors, and of open
    sizes, rows are one behind the other.
    """
    _, way = ip.tensors.views.of(x)
    if way is not None and not any(type(n) is Dim for n in (*x.shape, *way.shape)):
        return told_steps(x.shape, way.strides)
    return [math.prod(x.shape[k + 1 :]) for k in range(len(x.shape))]


def _value(p):
    return p


def _tensor_attribute(ip, owner, name: str):
    if name in _VALUES and foreign.is_known_tensor(owner):
        return Bound(foreign.value_method(name), owner, name)
    if name in _VALUES:
        return Bound(to_list if name == "tolist" else as_array, owner, name)
    if name in _HOST_ONLY:
        what = f"Tensor.{name} needs a value, which compiled code does not have"
        raise complain(CompileTimeError, what, cure=_HOST_ONLY[name])
    found = getattr(Tensor, name, None)
    if found is not None and name in BEHIND:
        return Bound(BEHIND[name], owner, name)
    if found is None:
        what = f"'Tensor' object has no attribute {name!r}"
        raise complain(AttributeError, what, cure=did_you_mean(name, dir(Tensor)))
    if isinstance(found, property):
        return ip.part(found.fget, owner)
    return Bound(found, owner, name)


def as_array(tensor, *dtype):
    """What compiled code calls instead of ``Tensor.asnumpy``; `to_list` instead of ``tolist``."""


def to_list(tensor):
    """The items of a tensor of the run, as lists of numbers of the run."""


def subscript(ip, owner, index):
    """``owner[index]``."""
    if type(owner) is UnionValue:
        return of_choice(ip, owner, lambda v: subscript(ip, v, index))
    if type(index) is UnionValue:
        return of_choice(ip, index, lambda v: subscript(ip, owner, v))
    if type(owner) is RunList:
        find = list_places.sliced if isinstance(index, slice) else run_lists.item
        return find(ip, owner, index)
    if type(owner) is RunArray:
        return run_arrays.called(ip, operator.getitem, [owner, index])
    if isinstance(owner, (Node, Tensor)):
        if isinstance(owner, Node) and isinstance(owner.abstract, AbstractScalar):
            raise complain(TypeError, f"a run-time {owner.abstract!r} cannot be indexed")
        if awaited(ip, IndexError):
            _require_places(ip, owner.shape, index if isinstance(index, tuple) else (index,))
        return ip.part(Tensor.__getitem__, owner, index)
    if type(owner) is LocalDict and owner.kind is not None:
        missing = method_of("__missing__", owner.kind.cls)
        key = known_key(index)
        if missing is not None and not performed(operator.contains, owner, key):
            return ip.call(missing, [owner, key], {})
    if isinstance(owner, (tuple, list)) and isinstance(index, Node):
        return _choose(ip, owner, index)
    if isinstance(owner, (tuple, list)) and isinstance(index, slice) and is_of_run(index):
        try:
            return list_places.sliced(ip, owner, index)
        except Mismatch:
            return _known_item(owner, index)
    if isinstance(owner, dict) and type(owner) not in (dict, LocalDict):
        ip.imports.class_read(type(owner), "__missing__", None)
        if special.has(owner, "__missing__"):
            key = known_key(need_static(index, "the key"))
            if not performed(operator.contains, owner, key):
                return special.call(ip, owner, "__missing__", key)
    if isinstance(owner, (tuple, list, dict, str, range)):
        return _known_item(owner, index)
    if isinstance(owner, ByIndex):
        return subscript(ip, tuple(owner.elements(ip)), index)
    if hasattr(type(owner), "construct"):
        if isinstance(index, Node):
            return _choose(ip, list(owner), index)
        return ip.native(type(owner).__getitem__, owner, need_static(index, "the index"))
    if isinstance(owner, type):
        return ip.native(operator.getitem, owner, need_static(index, "the index"))
    getitem = getattr(type(owner), "__getitem__", None)
    if isinstance(getitem, types.FunctionType) or special.has(owner, "__getitem__"):
        ip.imports.class_read(type(owner), "__getitem__", getitem)
        return ip.call(getitem, [owner, index], {})
    if getitem is not None:
        return ip.native(getitem, owner, need_static(index, "the index"))
    raise complain(TypeError, f"{describe(owner)} cannot be indexed")


def _require_places(ip, shape: tuple, indices: tuple) -> None:
    """The program checks the numbers that index a tensor, where a handler waits for that."""
    for size, i in zip(shape, indices):
        if i is None or i is ...:
            break  # what follows has other dimensions
        if isinstance(i, Node) and is_scalar(i):
            place_in(ip, i, size, "elements")


def _known_item(owner, index):
    """An item of a container of Python, whose place is known now."""
    index = need_static(index, "the index")
    if isinstance(owner, dict):
        index = known_key(index)
        if isinstance(index, (list, dict, set)):
            raise complain(TypeError, f"unhashable type: {plain_name(index)!r}")
    elif isinstance(index, slice):
        index = known_slice(index)
    elif isinstance(index, Tensor):
        index = operator.index(index)
    try:
        found = owner[index]
    except IndexError:
        if not owner:
            raise complain(NoItem, EMPTY) from None
        raise no_place(index, len(owner), plain_name(owner)) from None
    except KeyError:
        raise no_key(index, owner) from None
    except (TypeError, ValueError) as e:
        raise complain(type(e), str(e)) from None
    return LocalList(found) if isinstance(found, list) and isinstance(index, slice) else found


def is_of_run(index: slice) -> bool:
    """Whether only the run knows a bound of a slice."""
    return any(isinstance(b, Node) for b in (index.start, index.stop, index.step))


def known_slice(index: slice) -> slice:
    """A slice whose bounds are known now."""
    bounds = (index.start, index.stop, index.step)
    return slice(*[need_static(part, "the bounds of a slice") for part in bounds])


def known_key(v):
    """``v``, which names an entry of a dict: an open size is the number that it is now.

    Raises:
        CompileTimeError: it is a run-time value.
    """
    return int(need_static(v, "a key")) if type(v) is Dim else need_static(v, "a key")


def plain_name(owner) -> str:
    """What Python calls the class of a container."""
    kind = getattr(owner, "kind", None)
    return kind.cls.__name__ if kind else type(owner).__name__


FEW = 8
"""One of so many tensors is chosen by conditions, one of more from a stack of them."""


def _choose(ip, owner, index: Node):
    """An element of a sequence, chosen at run time: data of one type, or functions."""
    if not owner:
        raise complain(NoItem, EMPTY)
    if all(map(_is_callable, owner)):
        return _choose_function(ip, owner, index)
    dtype = getattr(index.abstract, "dtype", None)
    if dtype is not None and dtype.is_float:
        what = f"{plain_name(owner)} indices must be integers or slices, not {describe(index)}"
        raise complain(TypeError, what, cure="convert it with int()")
    if getattr(index, "shape", ()):
        index = run_lists.as_index(ip, index)
    if awaited(ip, IndexError):
        index = place_in(ip, index, len(owner), "elements")
    if all(map(is_scalar, owner)):
        return _choose_number(ip, owner, index)
    if all(v is None or isinstance(v, (str, bytes)) for v in owner):
        return _choose_known(ip, list(owner), index)
    tensors = all(isinstance(v, (Node, Tensor)) or type(v) in NUMBERS for v in owner)
    types = {v.abstract for v in owner if isinstance(v, (Node, Tensor))}
    few = len(owner) <= FEW and not any(map(is_scalar, owner))
    if all(isinstance(v, (tuple, list, dict)) for v in owner) and _alike(owner):
        tensors, types, few = True, (), True
    if not tensors or len(types) > 1:
        need_static(index, "the index")
    if few:
        place = place_in(ip, index, len(owner), "elements")
        return of_choice(ip, UnionValue(tuple(range(len(owner))), place), lambda k: owner[k])
    chosen = ip.native(row_at, index, *[ip.node(v) for v in owner])
    ip.tensors.may_be(chosen, list(owner))
    ip.parameters.chosen.note_place(chosen, owner, index)
    return chosen


def _is_callable(v) -> bool:
    known = not isinstance(v, (Node, Tensor)) and callable(v)
    return known or isinstance(v, (Closure, Bound, UnionValue))


def _choose_function(ip, owner, index: Node):
    """One of several functions."""
    a = index.abstract
    if isinstance(a, AbstractTensor):
        got = f"got {describe(index)}"
        if not a.dtype.is_int:
            what = f"switch_layer index must be an int32 or int64, {got}"
            raise complain(ValueError, what, cure="convert it with int()")
        if a.shape:
            what = f"switch_layer index must be a 0 dimension tensor, {got}"
            raise complain(ValueError, what, cure="take an element of it")
    place = place_in(ip, index, len(owner), "functions")
    if not any(isinstance(v, UnionValue) for v in owner):
        return UnionValue(tuple(owner), place)
    return of_choice(ip, UnionValue(tuple(owner), place), lambda v: v)


def _choose_known(ip, owner: list, index: Node):
    """One of several strings."""
    place = place_in(ip, index, len(owner), "elements")
    options = list(dict.fromkeys(owner))
    if len(options) > STRINGS:
        need_static(index, f"the index of one among more than {STRINGS} strings")
    if len(options) == 1:
        return options[0]
    if len(options) < len(owner):
        place = _choose_number(ip, [options.index(v) for v in owner], place)
    return UnionValue(tuple(options), place)


def _alike(values) -> bool:
    """Whether values have a common form."""
    try:
        join_all(values)
    except Mismatch:
        return False
    return True


def _choose_number(ip, owner, index: Node):
    """One of several numbers."""
    kinds = set(map(kind_of, owner))
    kind = float if float in kinds else int if int in kinds else bool
    dtype = {float: dt.float64, int: dt.int64, bool: dt.bool_}[kind]
    if not any(isinstance(v, (Node, Dim)) for v in owner):
        table = ip.node(Tensor(list(owner), dtype))
    else:
        rows = [ip.native(P.scalar_to_tensor, ip.node(to_kind(ip, v, kind)), dtype) for v in owner]
        table = ip.native(stacked, rows)
    at = ip.native(P.scalar_to_tensor, index, dt.int64)
    return ip.native(lambda: P.item(P.gather(table, at, 0), kind.__name__))


def place_in(ip, index: Node, count: int, what: str, where=None) -> Node:
    """The place that ``index`` means among ``count``; the program checks the range, ``where`` it matters."""
    index = to_kind(ip, run_lists.as_index(ip, index), int)
    fits = ip.native(lambda: P.logical_and(P.greater_equal(index, -count), P.less(index, count)))
    if where is not None:
        fits = ip.native(lambda: P.logical_or(P.logical_not(where), fits))
    given = text.formatted(ip, "%", f"Given index %d out of range for {count} {what}", index)
    require(ip, fits, IndexError(given))
    return ip.native(lambda: P.mod(P.add(index, count), count))

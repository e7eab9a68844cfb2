"""Attributes, subscripts and iteration of values."""

from __future__ import annotations

import difflib
import operator
import types

from ..base import dtype as dt
from ..base.errors import CompileTimeError, complain, needing
from ..ir.abstract import AbstractScalar, AbstractTensor
from ..ir.dim import Dim
from ..ir.node import Node
from ..ops.define import P
from ..tensor import Parameter, Tensor
from . import attributes, chosen, foreign, size_witnesses, special, text
from .kinds import View, is_made
from .region import of_choice, require
from .scalars import is_scalar, to_kind
from .values import (
    CONTAINERS,
    LOCAL,
    Bound,
    Choice,
    Closure,
    LocalDict,
    LocalList,
    Mismatch,
    describe,
    flatten,
    join,
    need_static,
)

_STATIC = ("shape", "dtype", "ndim", "size", "itemsize", "nbytes", "strides")
_HOST_ONLY = {
    "asnumpy": "return the tensor and convert it outside",
    "numpy": "return the tensor and convert it outside",
    "tolist": "return the tensor and convert it outside",
    "set_data": "use ops.assign",
    "__array__": "return the tensor and convert it outside",
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
        size_witnesses.note(ip.loaded, owner)  # its shape may be read
        return _of_node(ip, owner, name)
    if isinstance(owner, Tensor):
        if name in _HOST_ONLY and id(owner) in ip.tensors.boxes:
            return _of_node(ip, ip.node(owner), name)
        return _of_tensor(ip, owner, name)
    if isinstance(owner, LOCAL) or type(owner) in (list, dict, tuple, str, set):
        if name in _SPECIAL and hasattr(owner, name):
            return Bound(_SPECIAL[name], owner, name)
        if not hasattr(owner, name) and (_family(owner), name) not in METHODS:
            raise complain(
                AttributeError,
                f"'{_name(owner)}' object has no attribute {name!r}",
                cure=did_you_mean(name, dir(type(owner))),
            )
        if isinstance(owner, tuple) and name in getattr(owner, "_fields", ()):
            return getattr(owner, name)
        return Bound(METHODS.get((_family(owner), name)) or getattr(type(owner), name), owner, name)
    if name in NAMED_TUPLE and isinstance(owner, tuple):
        return Bound(NAMED_TUPLE[name], owner, name)
    if isinstance(owner, Choice):
        return chosen.each(ip, owner, lambda v: getattr_(ip, v, name))
    if isinstance(owner, Closure):
        if name == "__name__":
            return owner.name
        raise complain(AttributeError, f"a function has no attribute {name!r} in compiled code")
    if ip.imports.attributes.get((id(owner), name)):
        return ip.imports.attributes[id(owner), name][name]
    if name in getattr(owner, "__dict__", ()) and hasattr(type(owner), "construct"):
        ip.guards[id(owner), name] = (owner, name, owner.__dict__[name])
    if is_made(owner):
        ip.usable(owner.__dict__)
    if attributes.stands(owner):
        value = attributes.computed(ip, owner, name)
        if value is not NotImplemented:
            return value
        if attributes.of_class(owner, name) is None and name not in getattr(owner, "__dict__", ()):
            value = attributes.fallback(ip, owner, name)
            if value is not NotImplemented:
                return value
    try:
        return ip.seen(owner, name, ip.native(getattr, owner, name))
    except AttributeError as e:
        raise complain(AttributeError, str(e), cure=did_you_mean(name, dir(owner))) from None


def did_you_mean(name: str, names) -> str | None:
    """A cure for a name that does not exist: one that is like it."""
    found = difflib.get_close_matches(name, [n for n in names if not n.startswith("_")], 1, 0.7)
    return f"did you mean {found[0]!r}?" if found else None


_SPECIAL = {
    "__len__": len,
    "__getitem__": operator.getitem,
    "__contains__": operator.contains,
    "__add__": operator.add,
    "__mul__": operator.mul,
    "__eq__": operator.eq,
    "__ne__": operator.ne,
}
"""What the special methods of containers and strings are to compiled code."""

NAMED_TUPLE: dict = {}
"""name → what a method of a named tuple does, known to `EMITTERS`; filled by `containers`."""

METHODS: dict = {}
"""(class, name) → what stands for a method of a builtin container or string, known to `EMITTERS`;
filled by `containers`.
"""


def _family(owner) -> type:
    return CONTAINERS.get(type(owner)) or type(owner)


def _of_node(ip, owner: Node, name: str):
    a = owner.abstract
    if isinstance(a, AbstractTensor):
        if name in ("shape", "dtype", "ndim", "size"):
            return getattr(a, name)
        if name in ("itemsize", "nbytes"):
            return a.dtype.itemsize * (a.size if name == "nbytes" else 1)
        return _tensor_attribute(ip, owner, name)
    if isinstance(a, AbstractScalar):
        if name in ("real",):
            return owner
        if hasattr(a.kind, name):
            need_static(owner, f"a number that {name} is asked of")
        raise complain(
            AttributeError,
            f"'{a.kind.__name__.capitalize()}' object has no attribute {name!r}",
            cure="wrap it in ops.scalar_to_tensor",
        )
    raise complain(AttributeError, f"{a!r} has no attribute {name!r}")


def _of_tensor(ip, owner: Tensor, name: str):
    if (
        name in _STATIC
        or isinstance(owner, Parameter)
        and name in ("name", "requires_grad", "layerwise_parallel", "parallel_optimizer")
    ):
        return getattr(owner, name)
    if name in ("data",):
        return owner
    if name == "value" and isinstance(owner, Parameter):
        return Bound(_value, owner, name)
    if isinstance(owner, Parameter) and name in owner.__dict__:
        return owner.__dict__[name]
    return _tensor_attribute(ip, owner, name)


def _value(p):
    return p


def _tensor_attribute(ip, owner, name: str):
    if name in _HOST_ONLY and foreign.is_known_tensor(owner) and name != "set_data":
        return Bound(foreign.value_method(name), owner, name)
    if name in _HOST_ONLY:
        raise complain(
            CompileTimeError,
            f"Tensor.{name} needs a value, which compiled code does not have",
            cure=_HOST_ONLY[name],
        )
    found = getattr(Tensor, name, None)
    if found is None:
        raise complain(
            AttributeError,
            f"'Tensor' object has no attribute {name!r}",
            cure=did_you_mean(name, dir(Tensor)),
        )
    if isinstance(found, property):
        return ip.native(found.fget, ip.node(owner))
    return Bound(found, owner, name)


def subscript(ip, owner, index):
    """``owner[index]``."""
    if type(owner) is Choice:
        return chosen.each(ip, owner, lambda v: subscript(ip, v, index))
    if type(index) is Choice:
        return chosen.each(ip, index, lambda v: subscript(ip, owner, v))
    if isinstance(owner, (Node, Tensor)):
        if isinstance(owner, Node) and isinstance(owner.abstract, AbstractScalar):
            raise complain(TypeError, f"a run-time {owner.abstract!r} cannot be indexed")
        return ip.native(Tensor.__getitem__, ip.node(owner), index)
    if isinstance(owner, (tuple, list)) and _is_runtime_index(index):
        return _choose(ip, owner, index)
    if isinstance(owner, (tuple, list, dict, str, range)):
        need_static(index, "the index")
        if isinstance(index, slice):
            known_slice(index)
        if isinstance(owner, dict):
            index = known_key(index)
        elif isinstance(index, Tensor):
            index = int(index)
        try:
            found = owner[index]
        except IndexError:
            raise complain(
                IndexError,
                f"index {index} is out of range for a {_name(owner)} of {len(owner)} elements",
            ) from None
        except KeyError:
            raise complain(
                KeyError, f"key {index!r} is not in the dict", expected=f"one of {list(owner)}"
            ) from None
        except TypeError as e:
            raise complain(TypeError, str(e)) from None
        return LocalList(found) if isinstance(found, list) and isinstance(index, slice) else found
    if isinstance(owner, ByIndex):
        return subscript(ip, tuple(owner.elements(ip)), index)
    if hasattr(type(owner), "construct"):
        if _is_runtime_index(index):
            return _choose(ip, list(owner), index)
        return ip.native(type(owner).__getitem__, owner, need_static(index, "the index"))
    getitem = getattr(type(owner), "__getitem__", None)
    if isinstance(getitem, types.FunctionType):
        return ip.call(getitem, [owner, index], {})
    if getitem is not None:
        return ip.native(getitem, owner, need_static(index, "the index"))
    raise complain(TypeError, f"{describe(owner)} cannot be indexed")


def known_slice(index: slice) -> slice:
    """A slice whose bounds are known now."""
    for part in (index.start, index.stop, index.step):
        need_static(part, "the bounds of a slice")
    return index


def known_key(v):
    """``v``, which names an entry of a dict: an open size is the number that it is now.

    Raises:
        CompileTimeError: it is a run-time value.
    """
    return int(need_static(v, "a key")) if type(v) is Dim else need_static(v, "a key")


def _name(owner) -> str:
    return type(owner).__name__.removeprefix("Local").lower()


def _is_runtime_index(index) -> bool:
    return isinstance(index, Node)


FEW = 8
"""One of so many tensors is chosen by conditions, which copies none and keeps what it is; one of
more from a stack of them.
"""


def _choose(ip, owner, index: Node):
    """An element of a static sequence chosen at run time: tensors or numbers of one type, or
    functions.
    """
    if not owner:
        raise complain(ValueError, "cannot get item by index from an empty sequence")
    if all(
        isinstance(v, (Closure, Bound, Choice)) or callable(v) and not isinstance(v, (Node, Tensor))
        for v in owner
    ):
        return _choose_function(ip, owner, index)
    if getattr(index.abstract, "dtype", None) is not None and index.abstract.dtype.is_float:
        raise complain(
            TypeError,
            f"{_name(owner)} indices must be integers or slices, not {describe(index)}",
            cure="convert it with int()",
        )
    if all(isinstance(v, (tuple, list, dict)) for v in owner) and _alike(owner):
        return of_choice(
            ip,
            Choice(tuple(range(len(owner))), _place(ip, index, len(owner), "elements")),
            lambda k: owner[k],
        )
    kinds = {type(v) for v in owner}
    if any(isinstance(v, Node) for v in owner) and all(map(is_scalar, owner)):
        return _choose_number(ip, owner, index)
    if not all(isinstance(v, (Node, Tensor, bool, int, float)) for v in owner) or (
        len({v.abstract for v in owner if isinstance(v, (Node, Tensor))}) > 1
    ):
        need_static(index, "the index")
    if kinds <= {bool, int, float}:
        dtype = Tensor(list(map(float, owner)) if float in kinds else list(owner)).dtype
        table = ip.node(Tensor(list(owner), "float64" if dtype.is_float else dtype))
        kind = "float" if float in kinds else "int" if int in kinds else "bool"
        return ip.native(
            lambda: P.item(P.gather(table, P.scalar_to_tensor(index, dt.int64), 0), kind)
        )
    if len(owner) <= FEW and not any(map(is_scalar, owner)):
        return of_choice(
            ip,
            Choice(tuple(range(len(owner))), _place(ip, index, len(owner), "elements")),
            lambda k: owner[k],
        )
    stacked = ip.native(lambda: methods_stack([ip.node(v) for v in owner]))
    return ip.native(lambda: P.gather(stacked, P.scalar_to_tensor(index, dt.int64), 0))


def _choose_function(ip, owner, index: Node):
    """One of several functions."""
    a = index.abstract
    if isinstance(a, AbstractTensor):
        if not a.dtype.is_int:
            raise complain(
                ValueError,
                f"switch_layer index must be an int32 or int64, got {describe(index)}",
                cure="convert it with int()",
            )
        if a.shape:
            raise complain(
                ValueError,
                f"switch_layer index must be a 0 dimension tensor, got {describe(index)}",
                cure="take an element of it",
            )
    place = _place(ip, index, len(owner), "functions")
    if not any(isinstance(v, Choice) for v in owner):
        return Choice(tuple(owner), place)
    return of_choice(ip, Choice(tuple(owner), place), lambda v: v)


def _alike(values) -> bool:
    """Whether values have a common form."""
    skeleton = flatten(values[0], [])
    try:
        for v in values[1:]:
            skeleton = join(skeleton, v)
    except Mismatch:
        return False
    return True


def _choose_number(ip, owner, index: Node):
    """One of several numbers, of which some are known only at run time."""
    kinds = [v.abstract.kind if isinstance(v, Node) else type(v) for v in owner]
    kind = float if float in kinds else int if int in kinds else bool
    dtype = {float: dt.float64, int: dt.int64, bool: dt.bool_}[kind]
    rows = [ip.native(P.scalar_to_tensor, ip.node(to_kind(ip, v, kind)), dtype) for v in owner]
    return ip.native(
        lambda: P.item(
            P.gather(methods_stack(rows), P.scalar_to_tensor(index, dt.int64), 0), kind.__name__
        )
    )


def _place(ip, index: Node, count: int, what: str) -> Node:
    """The place that ``index`` means among ``count``; one out of range is an error when the program
    gets here.
    """
    if isinstance(index.abstract, AbstractTensor):
        index = ip.native(P.item, index, "int")
    index = to_kind(ip, index, int)
    fits = ip.native(lambda: P.logical_and(P.greater_equal(index, -count), P.less(index, count)))
    given = text.formatted(ip, "%", f"Given index %d out of range for {count} {what}", index)
    require(ip, fits, IndexError(given))
    return ip.native(lambda: P.mod(P.add(index, count), count))


def methods_stack(nodes: list):
    """The nodes stacked along a new first axis."""
    rows = [P.reshape(n, (1, *n.shape)) for n in nodes]
    return P.concat(tuple(rows), 0)


ITEMS = 1_000_000
"""The number of elements into which a range may be taken apart."""


def sequence(ip, value) -> list:
    """The elements of a value whose length is known now: for unpacking, star arguments and unrolled
    loops.
    """
    if isinstance(value, (Node, Tensor)) and not isinstance(value.abstract, AbstractScalar):
        if not value.shape:
            raise complain(TypeError, "Cannot iterate over a scalar tensor.")
        return [subscript(ip, value, i) for i in range(value.shape[0])]
    if isinstance(value, Node):
        raise complain(TypeError, f"a run-time {value.abstract!r} object is not iterable")
    if isinstance(value, range) and len(value) > ITEMS:
        raise complain(
            MemoryError,
            f"{value} would be taken apart into {len(value)} elements while compiling",
            expected=f"at most {ITEMS}",
            cure="loop over the range, or use ops.arange",
        )
    if isinstance(value, (tuple, list, str, range, dict, set, frozenset)):
        return list(value)
    if isinstance(value, Iterated):
        return value.take_all(ip)
    if isinstance(value, ByIndex):
        return value.elements(ip)
    if isinstance(value, View):
        return value.items()
    if isinstance(value, (type(iter([])), map, filter, zip, enumerate)):
        raise complain(
            TypeError,
            f"a {type(value).__name__} made outside of compiled code cannot be used in it",
        )
    if special.has(value, "__iter__"):
        return ip.call(iter, [value], {}).take_all(ip)
    iterate = getattr(type(value), "__iter__", None)
    if iterate is None and not hasattr(type(value), "__getitem__"):
        raise complain(TypeError, f"'{_name(value)}' object is not iterable")
    try:
        return list(value)
    except TypeError as e:
        raise complain(TypeError, str(e)) from None


class ByIndex:
    """What has ``length(ip)`` elements, ``item(ip, i)`` each, and a length that only the run
    knows.
    """

    __slots__ = ()

    def elements(self, ip) -> list:
        """The elements one by one: the program is made for this length.

        Raises:
            CompileTimeError: the length is a number of the run.
        """
        length = self.length(ip)
        if isinstance(length, Node):
            raise needing(
                complain(
                    CompileTimeError,
                    "the number of elements must be known when the program is compiled",
                    cure="iterate with a for loop",
                ),
                [length],
            )
        return [self.item(ip, i) for i in range(ip.native(int, length))]


END = object()
"""What an iterator gives where it has no more elements."""

SPENT = -1
"""The place of an iterator that has no more elements, whatever its list gets."""


class Iterated:
    """An iterator of compiled code (`zip`, `enumerate`, `map`, a generator expression, …): see
    `iterators`.

    Attributes:
        of: the values that it draws from.
        state: how far it is: a dict of compiled code, which tells an iterator from its copies.
        joined: where paths meet, what it draws from and how far it is are joined each by itself.
    """

    __slots__ = ("of", "state")
    joined = True

    def __init__(self, of: tuple, **state):
        self.of, self.state = of, LocalDict(state)

    @staticmethod
    def of_state(cls: type, of: tuple, state) -> Iterated:
        """An iterator of ``cls`` that is as far as ``state`` says."""
        new = object.__new__(cls)
        new.of, new.state = of, state
        return new

    @staticmethod
    def _parts(v) -> tuple:
        cls = type(v)
        return (
            (len(v.of),),
            [*v.of, v.state],
            lambda items: Iterated.of_state(cls, tuple(items[:-1]), items[-1]),
        )

    def advance(self, ip):
        """The next element, or `END`."""
        raise NotImplementedError

    def count(self, ip) -> int | None:
        """How many elements are left, where that is known without taking them."""
        return None

    def place(self, ip):
        """How far it is.

        Raises:
            CompileTimeError: that depends on run-time data.
        """
        at = self.state["at"]
        if isinstance(at, Node):
            raise needing(
                complain(
                    CompileTimeError,
                    "how many elements were taken from this iterator depends on run-time data",
                    cure="make the iterator anew, or loop over a list by index",
                ),
                [at],
            )
        return at

    def move(self, ip, at) -> None:
        """It is at ``at`` from now on."""
        ip.touch(self.state)
        self.state["at"] = at

    def take_all(self, ip) -> list:
        """What is left; nothing is left after it."""
        taken: list = []
        while (v := self.advance(ip)) is not END:
            taken.append(v)
            if len(taken) > ITEMS:
                raise complain(
                    MemoryError,
                    f"the iterator has more than {ITEMS} elements",
                    cure="take as many as are needed: itertools.islice(…)",
                )
        return taken

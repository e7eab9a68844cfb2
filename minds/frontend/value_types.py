"""What a variable may hold while source is interpreted.

A value is a `Node` (known at run time), or any Python object (known now). Tuples, `LocalList`s,
`LocalDict`s and functions hold values. `structure.parts` says which, `values` does with them what branches
and loops need.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass

import numpy as np

from ..base.errors import CompileTimeError, complain
from ..base.loc import Loc
from ..ir.build import abstract_of
from ..ir.node import Node
from ..tensor import Tensor
from .function_types import Closure
from .slots import open_class
from .store import StoreCell, clock

NUMBERS = (bool, int, float)


@dataclass(frozen=True)
class CollectionKind:
    """A class of `collections`, with what its objects have besides their elements.

    Attributes:
        cls: `deque`, which is a list in compiled code; or `defaultdict`, `OrderedDict`, `Counter`;
            or `tuple`, where only the run knows its length.
        given: the length that a deque may have, the function that makes what is missing in a
            defaultdict; else None.
    """

    cls: type
    given: object = None

    def made(self, items):
        """An object of Python."""
        if self.cls is defaultdict:
            return defaultdict(self.given, items)
        return deque(items, self.given) if self.cls is deque else self.cls(items)


GIVEN = {deque: "maxlen", defaultdict: "default_factory"}
"""The attributes that a `CollectionKind` gives."""


def of_python(container, items):
    """A container of Python like ``container``, with ``items``."""
    kind = getattr(container, "kind", None)
    if kind is not None:
        return kind.made(items)
    return (dict if isinstance(container, dict) else list)(items)


TUPLE = CollectionKind(tuple)
"""The kind of a tuple of which only the run knows the length, which is a `RunList`."""


class Container(StoreCell):
    """A list, dict or set made by interpreted code: it may be changed there.

    Attributes:
        stale: why it must not be read: what may be an alias of it was changed. None where it may.
        origins: identities of the containers it may be, where paths met that held different ones.
        fixed: why it must not be changed, and the cure, or None.
        kind: which class of `collections` it is of, or None.
    """

    __slots__ = ()

    def __init__(self, items=(), kind=None):
        super().__init__(items)
        self.born, self.stale, self.origins, self.fixed = clock(), None, None, None
        self.kind = kind

    def copy(self):
        """What it holds, and whether that is stale."""
        new = type(self)(self)
        new.stale, new.kind = self.stale, self.kind
        return new

    def put(self, contents) -> None:
        super().put(contents)
        self.stale = getattr(contents, "stale", None)


class LocalList(Container, list):
    """A list."""

    __slots__ = ("born", "fixed", "kind", "origins", "stale")
    __hash__ = object.__hash__

    def put(self, contents) -> None:
        if type(contents) is RunList:
            self.__class__, contents, stale = RunList, [contents.held], contents.stale
        else:
            stale = getattr(contents, "stale", None)
            if type(self) is RunList:
                self.__class__ = LocalList
        self.clear()
        self.extend(contents)
        self.stale = stale


class RunList(LocalList):
    """A list whose elements are rows of tensors. A list becomes one, and is one no more, by its
    contents: what Python holds in it is a `Rows` or a `Window`. To Python it is a list of its
    elements where its length is known; they are nodes that are made when they are asked for.
    """

    __slots__ = ()
    held = property(lambda self: list.__getitem__(self, 0))

    @property
    def rows(self) -> Rows:
        """What it holds, which is no `Window`."""
        assert type(self.held) is Rows
        return self.held

    @property
    def size(self) -> int | None:
        """Its length; None where only the run knows it."""
        return self.held.size

    def copy(self):
        new = RunList([self.held], self.kind)
        new.stale = self.stale
        return new

    def _unknown(self, *_):
        raise complain(
            CompileTimeError,
            "only the run knows how many elements this list has, which is needed while compiling",
            cure="use append, pop, len, an index, a for loop, ops.stack or ops.concat",
        )

    def __len__(self):
        return self._unknown() if self.size is None else self.size

    def _by_elements(name: str):
        def asked(self, *args):
            if self.size is None:
                self._unknown()
            return getattr(self.held.ip.elements_of(self), name)(*args)

        return asked

    __iter__, __getitem__ = _by_elements("__iter__"), _by_elements("__getitem__")
    __contains__, __reversed__ = _by_elements("__contains__"), _by_elements("__reversed__")
    __add__, __mul__, __rmul__ = map(_by_elements, ("__add__", "__mul__", "__rmul__"))
    __eq__, __ne__, __lt__, __gt__, __le__, __ge__ = map(
        _by_elements, ("__eq__", "__ne__", "__lt__", "__gt__", "__le__", "__ge__")
    )
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _unknown
    __hash__ = object.__hash__


@dataclass(eq=False)
class Rows:
    """Values of one form as rows of tensors, such as the elements of a `RunList`.

    Attributes:
        ip: the interpreter.
        skeleton: that of a value.
        count: how many there are.
        columns: for each of its leaves a tensor, whose first rows are those of the values.
        alike: for each column the tensors that its rows are, where these may change.
    """

    ip: object
    skeleton: object
    count: object
    columns: list
    alike: list | None = None
    joined = True

    @property
    def size(self) -> int | None:
        """How many there are, where that is known."""
        return self.count if type(self.count) is int else None

    @staticmethod
    def _parts(v) -> tuple:
        held = [v.count, *v.columns]
        head = v.skeleton, v.size
        return head, held, lambda items: Rows(v.ip, v.skeleton, items[0], items[1:])


@dataclass(eq=False)
class Window:
    """A list in a table: ``dims[0]`` elements, or lists of ``dims[1:]``, from ``start`` on.

    Attributes:
        ip: the interpreter.
        of: the `RunList` of all elements of the table, which all lists in it read and change.
        start: a number, known now or to the run.
        lists: the lists that it held before they were in the table, where these are known.
    """

    ip: object
    of: RunList
    start: object
    dims: tuple
    lists: tuple = ()
    joined = True
    size = property(lambda self: self.dims[0])

    @staticmethod
    def _parts(v) -> tuple:
        held = [v.of, v.start, *v.lists]
        head = v.dims, len(v.lists)
        return head, held, lambda items: Window(v.ip, *items[:2], v.dims, tuple(items[2:]))


@dataclass(eq=False)
class Column:
    """A column of ``of``, a list, as one whose elements are of ``skeleton``; not emitted yet."""

    skeleton: object
    of: object
    at: int
    abstract = None


@dataclass(eq=False)
class RunArray:
    """An array of NumPy, or a number of it (``cls`` is `np.ndarray` or `np.generic`), whose items
    only the run knows: those of the tensor ``node`` (`run_arrays`).
    """

    cls: type
    node: object
    joined = True

    @staticmethod
    def _parts(v) -> tuple:
        return (v.cls,), [v.node], lambda items: RunArray(v.cls, *items)

    def restored(self, tensor):
        """The array of NumPy, or the number, for the tensor of the run."""
        array = tensor.asnumpy()
        return array if self.cls is np.ndarray else array[()]


class Box(LocalList):
    """What a tensor that is changed in place holds, as the item of a list that is older than all
    versions.

    Attributes:
        of: the tensor.
        owners: identity of what a tensor holds → (that, the tensor).
    """

    __slots__ = ("of", "owners")

    def __init__(self, items=(), of=None, owners=None):
        super().__init__(items)
        self.of, self.owners, self.born = of, owners, 0

    def put(self, contents) -> None:
        super().put(contents)
        self.owners[id(contents[0])] = (contents[0], self.of)


class LocalDict(Container, dict):
    """A dict."""

    __slots__ = ("born", "fixed", "kind", "origins", "stale")
    __hash__ = object.__hash__


class LocalSet(Container, set):
    """A set, whose elements are known now."""

    __slots__ = ("born", "fixed", "kind", "origins", "stale")
    __hash__ = None


class MutableTuple(tuple):
    """A tuple that `mutable` gave: as an argument, `GradOperation` differentiates by it."""

    __slots__ = ()


class MutableList(list):
    """A list that `mutable` gave."""

    __slots__ = ()


class MutableDict(dict):
    """A dict that `mutable` gave."""

    __slots__ = ()


MUTABLE_KINDS = {MutableTuple: tuple, MutableList: list, MutableDict: dict}
_MARKED = {kind: marked for marked, kind in MUTABLE_KINDS.items()}


def marked(value):
    """``value`` as `mutable` gives it: a container says of itself that it was given so."""
    kind = _MARKED.get(type(value))
    return value if kind is None else kind(value)


LOCAL = (LocalList, LocalDict, LocalSet)
"""The containers that interpreted code makes."""

LOCALS = {
    list: LocalList,
    dict: LocalDict,
    set: LocalSet,
    MutableList: LocalList,
    MutableDict: LocalDict,
}
"""What stands in interpreted code for those of Python."""


def local(v):
    """``v``, or where it is a list, dict or set of Python one like it of interpreted code."""
    kind = LOCALS.get(type(v))
    return v if kind is None else kind(v)


KINDS = {
    deque: (LocalList, lambda v: CollectionKind(deque, v.maxlen)),
    defaultdict: (LocalDict, lambda v: CollectionKind(defaultdict, v.default_factory)),
    OrderedDict: (LocalDict, lambda v: CollectionKind(OrderedDict)),
    Counter: (LocalDict, lambda v: CollectionKind(Counter)),
}
"""Classes of `collections`: what their objects are in compiled code, and of which kind."""


class View:
    """``keys()``, ``values()`` or ``items()`` of a dict, as it is when it is looked at.

    Attributes:
        of: the dict. name: which of the three.
    """

    __slots__ = ("name", "of")
    joined = True

    def __init__(self, of, name: str):
        self.of, self.name = of, name

    @staticmethod
    def _parts(v) -> tuple:
        return (v.name,), [v.of], lambda items: View(items[0], v.name)

    def items(self) -> list:
        """What it holds now."""
        return list(getattr(self.of, self.name)())

    def __len__(self) -> int:
        return len(self.of)


CONTAINERS = {
    LocalList: list,
    RunList: list,
    Box: list,
    LocalDict: dict,
    LocalSet: set,
    list: list,
    dict: dict,
    MutableList: list,
    MutableDict: dict,
}
for _cls in (LocalList, RunList, LocalDict, LocalSet):
    _cls.__name__ = CONTAINERS[_cls].__name__  # CPython's messages name the class of an operand
RunArray.__name__ = "ndarray"
"""The types with an identity that matters, and what they are to the user."""


OF_ROWS = {RunList}  # lists whose elements are no containers


def containers_of(value, out: list) -> list:
    """The lists and dicts that a value consists of, outermost first."""
    if type(value) in CONTAINERS and getattr(value, "kind", None) is not TUPLE:
        out.append(value)
    if isinstance(value, (tuple, list)) and type(value) not in OF_ROWS:
        for v in value:
            containers_of(v, out)
    elif isinstance(value, dict):
        for v in value.values():
            containers_of(v, out)
    return out


Closure.__name__ = "function"


@dataclass(eq=False)
class Sometimes:
    """A variable that inner functions read and that only some of the paths to here have set.

    Attributes:
        known: whether it is set, a bool that the program computes.
    """

    known: object
    value: object


@dataclass(frozen=True)
class Leaf:
    """The place of a run-time value in a skeleton."""

    abstract: object


@dataclass(frozen=True, eq=False)
class Entry(Leaf):
    """A leaf of the element at ``place`` of ``rows``, its ``at``-th, where paths meet; not emitted yet."""

    rows: Rows
    at: int
    place: object


@dataclass(eq=False)
class Same:
    """In a skeleton: this very object, whose identity matters because it may be changed. What a
    list or dict holds is then told apart, for all places at once.
    """

    value: object


@dataclass(eq=False)
class Made:
    """In a skeleton: an object of class ``kind`` that compiled code made, with these attributes."""

    kind: type
    attributes: object


@dataclass(eq=False)
class MadeError:
    """In a skeleton: an exception whose attributes are the skeleton of a dict."""

    like: BaseException
    args: tuple
    attributes: object


def made_error(like: BaseException, args: tuple, attributes=None):
    """An exception that lives while compiling, as ``like`` with other arguments; and with
    attributes, where its class has an ``__init__`` written in Python.
    """
    if type(attributes) not in (LocalDict, type(None)) or type(args) is not tuple:
        return MadeError(like, args, attributes)
    kind = type(like)
    new = kind.__new__(kind, *args)
    new.args = args
    new.__cause__, new.__suppress_context__ = like.__cause__, like.__suppress_context__
    if attributes is not None:
        new.__dict__ = attributes
    elif hasattr(like, "complaint"):
        new.complaint = like.complaint
    return new


def said(error: BaseException) -> tuple | None:
    """What tells an error that minds found from others; each interpretation of a place makes one."""
    complaint = getattr(error, "complaint", None)
    if complaint is None:
        return None
    head, at = complaint.head, complaint.loc
    return head if isinstance(head, str) else type(head), at and (at.file, at.line, at.col)


@dataclass(eq=False)
class Thrown:
    """An exception of the run on its way, from the place where it was raised."""

    error: BaseException
    place: Loc | None
    like: BaseException | None = None

    @staticmethod
    def _parts(v) -> tuple:
        at, like = v.place and (v.place.file, v.place.line, v.place.col), v.like or v.error
        head = (at, type(like), said(like), id(like.__cause__))
        return head, [v.error], lambda items: Thrown(items[0], v.place, like)


def made(kind: type, attributes):
    """An object that lives while compiling. Its attributes are a dict of compiled code, so that
    changes of them follow the rules of changes of dicts. A `Made` where they are the skeleton of
    one.
    """
    if type(attributes) is not LocalDict:
        return Made(kind, attributes)
    new = object.__new__(open_class(kind))
    object.__setattr__(new, "__dict__", attributes)
    return new


def is_made(v) -> bool:
    """Whether ``v`` is an object that compiled code made."""
    kind = type(v)
    return (
        kind in (Made, MadeError)
        or kind.__dictoffset__ != 0
        and type(getattr(v, "__dict__", None)) is LocalDict
    )


def attributes_of(v):
    """The attributes of an object that compiled code made."""
    return v.attributes if type(v) in (Made, MadeError) else v.__dict__


_Params = type(vars(Loc)["__dataclass_params__"])
"""The class of what `dataclass` keeps of its arguments: a metaclass may give others by that name."""


def record(v):
    """The field names of an object of a frozen dataclass, () of one that compiled code made; else None."""
    if is_made(v):
        return ()
    kind = type(v)
    params = getattr(kind, "__dataclass_params__", None)
    if type(params) is not _Params or not params.frozen or kind.__module__.startswith("minds."):
        return None
    return tuple(kind.__dataclass_fields__)


def abstract(v):
    """The abstract value of a leaf; None for what exists only at compile time."""
    return v.abstract if isinstance(v, (Node, Tensor, Leaf)) else abstract_of(v)

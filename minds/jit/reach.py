"""What a call can reach, numbered in a fixed order, and the digest of all of it.

Two calls with equal digests, in whatever processes, reach structures that are alike object by object:
what has a number in one has it in the other, so numbers name objects in files (`cache_entry`). Known to
the digest are the code of functions, their defaults, what their closures hold and the global names that
they use; classes of users' with all that they have; the attributes of objects, the items of
containers. Of parameters it has types and names, of tensors types, and what small ones of whole numbers
hold, which may be sizes. Code of minds is known by its version (`compile_cache.stamp`). What it cannot
look into is `opaque`: a program that depends on such an object is not kept.
"""

from __future__ import annotations

import builtins
import dis
import functools
import hashlib
import linecache
import sys
import types
import weakref
from collections import deque

import numpy as np

from .. import _core
from ..base import dtype as dt
from ..base.kept import Kept, remembered
from ..frontend.imports import is_library
from ..frontend.value_types import MutableDict, MutableList, MutableTuple
from ..ir.dim import Dim, variables
from ..ops.define import LIBRARY, Op, P
from ..tensor import Parameter, Tensor, TensorType
from .arguments import FIXED, RUN, Numbers, decides, fields_of

_MOST = 200_000
"""So many objects are looked at."""
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented))
_CLOSED = frozenset(sys.stdlib_module_names) | {"numpy", "scipy", "gast"}
"""Packages known by their versions, whose functions are not looked into."""
_UNSEEN = {"logging", "threading", "concurrent", "multiprocessing", "asyncio"}
"""Those of which no object decides what a program is."""
_WRITTEN = 1 << 9
"""The flag of classes that Python code has made."""
_BUILTIN = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
)

_LOADS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_GLOBALS"}
"""The instructions that look for a name among the globals."""
_SEQUENCES = (tuple, list, MutableTuple, MutableList)


class Unknown(Exception):
    """A call whose program cannot be told by what it reaches."""


class Reach:
    """What some objects lead to.

    Attributes:
        objects: in the order in which they were found; `numbers` by identity where they are.
        opaque: the numbers of those that were not looked into.
        contents: the numbers of tensors and arrays whose elements the digest does not have.
        skipped: classes of objects that say nothing.
    """

    def __init__(self, skipped: tuple = ()):
        self.objects: list = []
        self.numbers: dict[int, int] = {}
        self.opaque: set[int] = set()
        self.contents: list[int] = []
        self.skipped = (Kept, *skipped)
        self._tokens: list[str] = []
        self._told: set[int] = set()  # dicts of attributes, which the object has told
        self._next = 0

    def add(self, *roots) -> None:
        """Look at ``roots``, and at all that they lead to."""
        self._tokens += [self.ref(v) for v in roots]
        while self._next < len(self.objects):
            if self._next > _MOST:
                raise Unknown("too many objects")
            o = self.objects[self._next]
            self._next += 1
            self._tokens.append("\n")
            (_LOOKS.get(type(o)) or _look_of(type(o)))(self, o)

    def argument(self, v, numbers: Numbers | None) -> None:
        """Note an argument as `arguments.key_of` takes it: tensors and numbers of the run by type."""
        kind = type(v)
        if kind is int or kind is float:
            how = RUN if numbers is None else numbers.next(kind)
            if how not in (RUN, FIXED):
                raise Unknown("an open size")
            self._tokens.append(kind.__name__ if how is RUN else self.ref(v))
        elif kind in _SEQUENCES or isinstance(v, tuple) and hasattr(v, "_fields"):
            self._tokens += [self.ref(kind), str(len(v))]
            for e in v:
                self.argument(e, numbers)
        elif kind is dict or kind is MutableDict:
            self._tokens += [self.ref(kind), str(len(v))]
            for k, e in v.items():
                self._tokens.append(self.ref(k))
                self.argument(e, numbers)
        elif fields_of(v) is not None:
            self._tokens.append(self.ref(kind))
            for n in fields_of(v):
                self.argument(getattr(v, n), numbers)
        else:
            fixed = numbers is not None and numbers.counts and decides(v)
            if fixed and not isinstance(v, Tensor):  # an open list, taken as its numbers
                self._tokens.append(f"{kind.__name__}{list(v)}")
            else:
                self._tokens.append(self.ref(v) + (repr(v.get_bytes()) if fixed else ""))

    def digest(self) -> str:
        """Of all that was looked at."""
        return hashlib.sha256("\0".join(self._tokens).encode("utf-8", "replace")).hexdigest()

    def elements(self, number: int) -> bytes:
        """The digest of the elements of one of `contents`, as they are now."""
        v = self.objects[number]
        data = v.get_bytes() if isinstance(v, Tensor) else np.ascontiguousarray(v).tobytes()
        return hashlib.sha256(data).digest()

    def ref(self, v) -> str:
        """A word for ``v``: what it is if that is plain, else its number."""
        kind = type(v)
        if kind in _PLAIN:
            return hex(v) if kind is int else f"{kind.__name__} {v!r}"
        number = self.numbers.get(id(v))
        if number is None:
            number = self.numbers[id(v)] = len(self.objects)
            self.objects.append(v)
        return f"#{number}"

    # ---- kinds of objects

    def _put(self, *words: str) -> None:
        self._tokens += words

    def _function(self, fn: types.FunctionType) -> None:
        if is_closed(fn):
            self._put(
                "code", fn.__globals__["__name__"], fn.__qualname__, str(fn.__code__.co_firstlineno)
            )
            self._tokens += [self.ref(v) for v in (fn.__defaults__, fn.__kwdefaults__)]
            self._tokens += [self.ref(c) for c in fn.__closure__ or ()]
            return
        self._put("function", self.ref(fn.__code__), self.ref(fn.__globals__))
        held = (fn.__defaults__, fn.__kwdefaults__, fn.__module__, fn.__qualname__)
        self._tokens += [self.ref(v) for v in held]
        self._tokens += [self.ref(c) for c in fn.__closure__ or ()]
        self._items(fn.__dict__)
        modules = []
        for name in _globals(fn.__code__):
            value = fn.__globals__.get(name, _ABSENT)
            value = vars(builtins).get(name, _ABSENT) if value is _ABSENT else value
            if value is not _ABSENT:
                self._put(name, self.ref(value))
                modules += [value] if isinstance(value, types.ModuleType) else []
        modules += [
            v for v in map(_content, fn.__closure__ or ()) if isinstance(v, types.ModuleType)
        ]
        self._members(modules, _names(fn.__code__))

    def _members(self, modules: list, names: tuple) -> None:
        """What modules of users' have under the names that code mentions."""
        seen = set()
        while modules:
            m = modules.pop()
            if m.__name__ in seen or is_closed(m):
                continue
            seen.add(m.__name__)
            own = vars(m)
            self._put("module", self.ref(own))
            for name in names:
                if name in own:
                    self._put(name, self.ref(own[name]))
                    modules += [own[name]] if isinstance(own[name], types.ModuleType) else []

    def _class(self, cls: type) -> None:
        self._put("class", cls.__module__, cls.__qualname__)
        if not cls.__flags__ & _WRITTEN or is_library(cls.__module__) and is_closed(cls):
            return
        self._tokens += [self.ref(c) for c in (type(cls), *cls.__bases__)]
        self._items(cls.__dict__)

    def _items(self, d) -> None:
        self._put(str(len(d)))
        for k, v in list(d.items()):
            if not isinstance(v, self.skipped):
                self._put(self.ref(k), self.ref(v))

    def _dict(self, d) -> None:
        if d.get("__builtins__") is not None and "__name__" in d:  # the globals of a module
            self._put("globals", repr(d["__name__"]))
            return
        if id(d) not in self._told:
            self._put("dict", self.ref(type(d)))
            self._items(d)
            self._attributes(d)

    def _sequence(self, v) -> None:
        self._put("items", self.ref(type(v)), str(len(v)))
        for e in list.__iter__(v) if isinstance(v, list) else v:
            self._put("" if isinstance(e, self.skipped) else self.ref(e))
        self._attributes(v)

    def _set(self, v) -> None:
        if all(type(e) in _PLAIN for e in v):
            self._put("set", type(v).__name__, *sorted(map(self.ref, v)))
        else:
            self._hidden(v)

    def _tensor(self, v) -> None:
        self._put("tensor", self.ref(type(v)), repr(v.abstract))
        if isinstance(v, Parameter):
            self._put(repr(v.name), repr(v.requires_grad), repr(v.layerwise_parallel))
            self._put(repr(v.parallel_optimizer))
            self._items(v.__dict__)
        elif decides(v):
            self._put(repr(v.get_bytes()))
        else:
            self.contents.append(self.numbers[id(v)])

    def _declaration(self, v: TensorType) -> None:
        self._put("declared", v.dtype.name, repr(v.dims))
        for d in v.dims or ():
            if isinstance(d, Dim):
                self._put(*[repr((x, x.low, x.high, x.factor, x.rest)) for x in variables(d)])
            elif type(d) is not int and d is not None:  # a Symbol
                self._put(self.ref(d))

    def _array(self, v) -> None:
        if v.dtype.hasobject:
            self._hidden(v)
            return
        self._put("array", repr(v.dtype), repr(v.shape))
        self.contents.append(self.numbers[id(v)])

    def _instance(self, v) -> None:
        if isinstance(v, Op) and v in (vars(P).get(v.name), vars(LIBRARY).get(v.name)):
            self._put("op", v.name)
            return
        kind = type(v)
        if isinstance(v, self.skipped) or _package(kind.__module__) in _UNSEEN:
            self._hidden(v)
            return
        self._put("object", self.ref(kind))
        if not self._attributes(v):
            self._hidden(v)

    def _attributes(self, v) -> bool:
        """Note the attributes of an object; False if it has no place for any."""
        kind, own = type(v), getattr(v, "__dict__", None)
        if type(own) is dict:
            unread = getattr(kind, "_UNREAD", ())
            items = [(k, e) for k, e in own.items() if k not in unread]
            self._put("attributes", self.ref(own))
            self._told.add(id(own))
            for k, e in items:
                if not isinstance(e, self.skipped):
                    self._put(self.ref(k), self.ref(e))
        slots = _slots(kind)
        for member in slots:
            e = _slot(member, v)
            if e is not _ABSENT and not isinstance(e, self.skipped):
                self._put(member.__name__, self.ref(e))
        return type(own) is dict or bool(slots) or kind is object

    def _hidden(self, v) -> None:
        self._put("opaque", type(v).__module__, type(v).__qualname__)
        self.opaque.add(self.numbers[id(v)])

    def _parts(self, kind: str, *parts) -> None:
        self._put(kind, *[self.ref(p) for p in parts])


_ABSENT = object()


def is_closed(v) -> bool:
    """Whether a function, class or module is known by the version of what it is in. What a function or
    class says of its module may be copied from another one.
    """
    if type(v) is types.FunctionType:
        module = v.__globals__.get("__name__")
    elif isinstance(v, types.ModuleType):
        module = v.__name__
    else:
        module, found = v.__module__, sys.modules.get(v.__module__)
        for name in v.__qualname__.split("."):
            found = getattr(found, name, None)
        if found is not v and is_library(module):
            return False
    return is_library(module) or _package(module) in _CLOSED


def _package(module) -> str:
    return module.partition(".")[0] if isinstance(module, str) else ""


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return _ABSENT


def _slot(member, v):
    try:
        return member.__get__(v)
    except AttributeError:
        return _ABSENT


@functools.lru_cache(maxsize=4096)
def _slots(kind: type) -> tuple:
    found = [m for c in kind.__mro__ for m in c.__dict__.values()]
    return tuple([m for m in found if type(m) is types.MemberDescriptorType])


@remembered
def _names(code: types.CodeType) -> tuple:
    """The global names and attributes that code mentions, and the code inside of it, in order."""
    found = dict.fromkeys(code.co_names)
    for c in code.co_consts:
        if type(c) is types.CodeType:
            found.update(dict.fromkeys(_names(c)))
    return tuple(found)


@remembered
def _globals(code: types.CodeType) -> tuple:
    """Those of `_names` that may be global: an attribute may have the name of a global that nothing reads."""
    found = dict.fromkeys(i.argval for i in dis.get_instructions(code) if i.opname in _LOADS)
    for c in code.co_consts:
        if type(c) is types.CodeType:
            found.update(dict.fromkeys(_globals(c)))
    return tuple(found)


@remembered
def _code(code: types.CodeType) -> str:
    """What code says, and its lines as the frontend reads them."""
    words = [code.co_filename, code.co_name, code.co_code, code.co_names, code.co_varnames]
    words += [code.co_freevars, code.co_cellvars, code.co_firstlineno, code.co_flags]
    words += [code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount]
    words.append(getattr(code, "co_linetable", None))
    words.append(getattr(code, "co_exceptiontable", None))
    last = max([n for *_, n in code.co_lines() if n is not None], default=code.co_firstlineno)
    words.append(linecache.getlines(code.co_filename)[code.co_firstlineno - 1 : last])
    return "".join(map(repr, words)) + "".join(map(_constant, code.co_consts))


def _constant(v) -> str:
    if type(v) is types.CodeType:
        return _code(v)
    if type(v) is frozenset:
        return repr(sorted(map(_constant, v)))
    if type(v) is tuple:
        return f"({','.join(map(_constant, v))})"
    return hex(v) if type(v) is int else f"{type(v).__name__} {v!r}"


_LOOKS = {
    types.FunctionType: Reach._function,
    types.CodeType: lambda r, v: r._put("code", _code(v)),
    types.MethodType: lambda r, v: r._parts("method", v.__func__, v.__self__),
    types.CellType: lambda r, v: r._parts("cell", *[c for c in [_content(v)] if c is not _ABSENT]),
    types.ModuleType: lambda r, v: r._parts("module", v.__name__),
    types.MappingProxyType: lambda r, v: (r._put("proxy"), r._items(v)),
    property: lambda r, v: r._parts("property", v.fget, v.fset, v.fdel),
    staticmethod: lambda r, v: r._parts("static", v.__func__),
    classmethod: lambda r, v: r._parts("of class", v.__func__),
    functools.partial: lambda r, v: r._parts("partial", v.func, v.args, v.keywords),
    weakref.ref: lambda r, v: r._parts("weak", v()),
    range: lambda r, v: r._put(repr(v)),
    slice: lambda r, v: r._parts("slice", v.start, v.stop, v.step),
    dt.DType: lambda r, v: r._put("dtype", v.name),
    _core.Memo: lambda r, v: r._put("memo"),  # of a function of the library, which is named
    object: lambda r, v: r._put("object"),
}
"""How objects are looked at, by class."""


def _look_of(kind: type):
    """How objects of a class are looked at that has no entry."""
    if issubclass(kind, type):
        look = Reach._class
    elif issubclass(kind, dict):
        look = Reach._dict
    elif issubclass(kind, (list, tuple, deque)):
        look = Reach._sequence
    elif issubclass(kind, (set, frozenset)):
        look = Reach._set
    elif issubclass(kind, TensorType):
        look = Reach._declaration
    elif issubclass(kind, types.ModuleType):
        look = _LOOKS[types.ModuleType]
    elif issubclass(kind, Tensor):
        look = Reach._tensor
    elif issubclass(kind, (np.ndarray, np.generic)):
        look = Reach._array
    elif issubclass(kind, _BUILTIN):
        return _look_at_builtin
    elif issubclass(kind, _PLAIN):
        return _look_at_number
    else:
        look = Reach._instance
    return look


def _look_at_builtin(reach: Reach, v) -> None:
    owner = getattr(v, "__self__", None)
    owner = None if isinstance(owner, types.ModuleType) else owner
    of = getattr(v, "__objclass__", owner)
    reach._parts("builtin", getattr(v, "__module__", None), v.__name__, of)


def _look_at_number(reach: Reach, v) -> None:
    """A value of a class that derives from that of a number or text, such as a member of an enum."""
    plain = next(c for c in type(v).__mro__ if c in _PLAIN)
    reach._put("value", reach.ref(type(v)), plain.__repr__(v))
    reach._attributes(v)


__all__ = ["Reach", "Unknown", "is_closed"]

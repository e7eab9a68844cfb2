"""What was made outside of compiled code: where it is read, and what stands for it while compiling.

A *place* is a variable of a module or of an enclosing function, an attribute, an item of a
container that was read before. Each that is read is noted with the value that it had (`Read`): a
program is for these values. A tensor becomes an argument of the program, which takes what stands in
the place at each call, and so does a number that was seen to differ (`Captures`). Each list, dict
and set is one `LocalList`, `LocalDict` or `LocalSet`, whatever places lead to it; what the source
changes in that, the program changes in the original at its end. An attribute that it sets is such a
dict.
"""

from __future__ import annotations

import itertools
import types
from collections import defaultdict

import numpy as np

from ..base.errors import CompileTimeError, ParseError, complain
from ..ir.build import abstract_of
from ..ir.node import Node
from ..ops import tensor_hooks as hooks
from ..tensor import Parameter, Tensor
from . import special
from .describe import describe
from .slots import HEAP_TYPE
from .structure import parts
from .value_types import (
    KINDS,
    LOCALS,
    LocalDict,
    LocalList,
    LocalSet,
    MutableTuple,
    is_made,
    record,
)

_ages = itertools.count(-1, -1)

ENTRY, CELL, CLASS, ATTRIBUTE, ITEM = range(5)
"""The kinds of places: an entry of a dict, a variable of a function, what a class or its bases
have, an attribute found in any way, an item of a list or tuple.
"""

ABSENT = object()
"""What stands in a place that is empty."""

_FEW, _MOST = 64, 1000
_FIXED = (type(None), bool, int, float, complex, str, bytes, range, slice, frozenset)
"""The classes of objects whose attributes stay what they are."""


class Captures:
    """How the tensors and numbers outside are taken.

    Attributes:
        how: by the path of a place whether it is read when the program runs, where that differs from
            the rule.
        frozen: whether all are constants.
        used: whether one was read at run time.
    """

    def __init__(self, frozen: bool = False):
        self.how: dict[tuple, bool] = {}
        self.frozen, self.used = frozen, False

    def at_run_time(self, path: tuple, value) -> bool:
        """Whether the program reads a place itself. The rule: tensors, save small ones of whole
        numbers, which may be sizes or positions; these and numbers from their second value on.
        """
        if type(value) is int and not -(2**63) <= value < 2**63:
            return False
        if isinstance(value, Tensor):
            varies = value.dtype.is_float or value.size > _FEW
        else:
            varies = self.how.get(path[1], False)  # of a tuple of numbers that was another one
        taken = not self.frozen and self.how.get(path, varies)
        self.used |= taken
        return taken

    def vary(self, paths) -> None:
        """These places were seen to differ."""
        if len(self.how) > _MOST:  # of objects that come and go
            self.how.clear()
        for path in paths:
            self.how.setdefault(path, True)

    def fix(self, paths) -> None:
        """What these places hold must be known while compiling."""
        self.how.update(dict.fromkeys(paths, False))


class Read:
    """A place and what stood there.

    Attributes:
        place: its kind.
        holder: the object that has it, or the `Read` of a container.
        name: the variable, attribute, key or index.
        owner: the object whose attribute it is.
        leaf: the node of the program's argument that stands for it, or None.
        whole: whether it is a tuple that is compared as one.
    """

    __slots__ = ("holder", "leaf", "name", "owner", "place", "stands", "value", "whole")

    def __init__(self, place: int, holder, name, value, owner=None):
        self.place, self.holder, self.name, self.value = place, holder, name, value
        self.owner = owner
        self.leaf = self.stands = None
        self.whole = False

    @property
    def path(self) -> tuple:
        """What tells it apart in other compilations, for other values on the way to it."""
        of = self.holder.path if type(self.holder) is Read else id(self.holder)
        return self.place, of, None if self.place == CELL else self.name


class Imports:
    """Those of one compilation.

    Attributes:
        reads: by the key of the place, in order.
        pairs: (original, what stands for it while compiling) of lists, dicts and sets, in the order
            in which they were found.
        known: by identity of what stands for something else: (original, what stands for it).
        leaves: the nodes of tensors and numbers that the program reads, each with its `Read`.
        given: (number, skeleton of what it holds at the end) of the lists and dicts that were
            changed, among those of the arguments and the imports behind them; None if there are no
            such.
        attributes: by the identity of an object and a name, what stands for an attribute that was
            set.
        constants: by identity, the tensors and arrays whose contents are known, with a `Read`.
        users: the classes that were seen, each with whether it is a user's; ``ordinary`` those whose
            objects have attributes and nothing else.
        raws: by class and name, what ordinary classes have under a name.
    """

    def __init__(self, ip, captures: Captures):
        self.ip, self.captures = ip, captures
        self.reads: dict[tuple, Read] = {}
        self.given: list[tuple] | None = None
        self.pairs: list[tuple] = []
        self.attributes: dict[tuple, LocalDict] = {}
        self.known: dict[int, tuple] = {}
        self.leaves: dict[Node, Read] = {}
        self.constants: dict[int, Read] = {}
        self.users: dict[type, bool] = {}
        self.ordinary: set[type] = set()
        self.raws: dict[tuple, object] = {}

    # ---- places

    def read(self, place: int, holder, name, value, owner=None):
        """What stands for ``value``, which was read in a place."""
        if isinstance(value, Node):
            return value
        of = holder.value if type(holder) is Read else holder
        key = place, id(of), None if place == CELL else name
        found = self.reads.get(key)
        if found is None:
            found = self.reads[key] = Read(place, holder, name, value, owner)
            found.stands = self._stands(value, found)
        elif found.value is not value and value is not ABSENT:
            return self._stands(value, None)  # library code has set it for a while
        return found.stands

    def of(self, value):
        """What stands for ``value``, of which nothing says where it was read."""
        return self._stands(value, None)

    def expect_own(self, value) -> None:
        """To be called before compiled code changes a tensor or array.

        Raises:
            CompileTimeError: it is a tensor of outside; next time the program reads it.
            ParseError: it is of outside, and its contents must be known.
        """
        read = self.constants.get(id(value))
        if read is None:
            return
        what = f"{describe(value)}, made outside, cannot be changed here: its contents are known"
        cure = "change a copy of it"
        if isinstance(value, Tensor) and self.captures.how.get(read.path, True):
            e = complain(CompileTimeError, what, cure=cure)
            e.changed = [read.path]
            raise e
        raise complain(ParseError, what, cure=cure)

    def has_read(self, owner, name: str) -> bool:
        """Whether an attribute of an object, a global name or a variable was read."""
        if type(owner) is types.CellType:
            return (CELL, id(owner), None) in self.reads
        return (ENTRY, id(owner if type(owner) is dict else vars(owner)), name) in self.reads

    def attribute_read(self, owner, name: str, value):
        """What stands for ``owner.name``; ABSENT where there is none."""
        kind, own = type(owner), getattr(owner, "__dict__", None)
        if kind in self.ordinary and type(own) is dict and not isinstance(value, Node):
            return self._of_object(owner, kind, own, name, value)
        if isinstance(value, Node) or kind in _FIXED:
            return value
        if record(owner) is not None or isinstance(
            owner, tuple
        ):  # it holds values of compiled code
            made = is_made(owner) and name in own
            return value if made else self.class_read(kind, name, value)
        if issubclass(kind, types.ModuleType):
            if is_library(owner.__name__):
                return value
            place = (ENTRY, own) if name in own else (ATTRIBUTE, owner)
            return self.read(*place, name, value, owner)
        if isinstance(owner, type):
            self.class_read(owner, name, value)
            found = of_class(owner, name) is not ABSENT
            return self.class_read(owner if found else kind, name, value)
        if kind is super:
            return self._of_bases(owner, name, value)
        if not issubclass(kind, BaseException):
            self.ordinary.add(kind)
        return self._of_object(owner, kind, own, name, value)

    def stored(self, owner, kind: type, name: str):
        """`attribute_read` where the attribute is one of the object's own, or a method of its class,
        and reading it runs no code; else NotImplemented.
        """
        if issubclass(kind, types.ModuleType):
            value = owner.__dict__.get(name, ABSENT)
            return NotImplemented if value is ABSENT else self.attribute_read(owner, name, value)
        if kind not in self.ordinary or kind.__getattribute__ is not object.__getattribute__:
            return NotImplemented
        own = getattr(owner, "__dict__", None)
        if type(own) is not dict:
            return NotImplemented
        raw, value = self._raw(kind, name), own.get(name, ABSENT)
        if raw is ABSENT is not value:
            self.class_read(kind, name, None)
        elif value is ABSENT and type(raw) is types.FunctionType:
            value = types.MethodType(raw, owner)
            self.class_read(kind, name, raw)
            self.read(ENTRY, own, name, ABSENT, owner)
        else:
            return NotImplemented
        return value if isinstance(value, Node) else self._of_object(owner, kind, own, name, value)

    def _raw(self, kind: type, name: str):
        """`of_class`, of an ordinary class."""
        found = self.raws.get((kind, name))
        if found is None:
            found = self.raws[kind, name] = of_class(kind, name)
        return found

    def _of_object(self, owner, kind: type, own, name: str, value):
        """What stands for ``owner.name`` of an object of a class like any other."""
        raw = self._raw(kind, name)
        self._note_class(owner, kind)
        if type(own) is dict:
            if name in own and own[name] is value:
                return self.read(ENTRY, own, name, value, owner)
            self.read(ENTRY, own, name, ABSENT, owner)
        if isinstance(raw, _SLOTS) or raw is ABSENT is not value:
            return self._computed(owner, name, value)
        if isinstance(raw, property) and _is_plain(value):
            return self._computed(owner, name, value)
        return self.class_read(kind, name, value)

    def class_read(self, cls: type, name: str, value):
        """What stands for ``value``, which a class or one of its bases has under a name, or makes of that."""
        if self._is_users(cls):
            raw = of_class(cls, name)
            stands = self.read(CLASS, cls, name, raw)
            return stands if raw is value else value
        return value

    def _of_bases(self, owner: super, name: str, value):
        """What ``super().name`` gives: the program depends on the classes up to where it is."""
        order = owner.__self_class__.__mro__
        self.read(ATTRIBUTE, owner.__self_class__, "__mro__", order)
        for cls in order[order.index(owner.__thisclass__) + 1 :]:
            self.class_read(cls, name, value)
            if name in cls.__dict__:
                break
        return value

    def class_of(self, v) -> None:
        """Note the class of an object of a user's."""
        if record(v) is None and not isinstance(v, tuple):
            self._note_class(v, type(v))

    def _note_class(self, v, kind: type) -> None:
        if self._is_users(kind) and v.__class__ is kind:
            self.read(ATTRIBUTE, v, "__class__", kind)
            self.class_read(kind, "__getattribute__", None)

    def _is_users(self, cls: type) -> bool:
        """Whether Python code outside of this library has made a class."""
        known = self.users.get(cls)
        if known is None:
            known = bool(cls.__flags__ & HEAP_TYPE) and not is_library(cls.__module__)
            self.users[cls] = known
        return known

    def _computed(self, owner, name: str, value):
        """What stands for an attribute that the class computes: noted where two looks see one."""
        if value is ABSENT or _is_plain(value) or getattr(owner, name) is value:
            return self.read(ATTRIBUTE, owner, name, value)
        return value

    # ---- what stands for a value

    def _stands(self, value, read: Read | None):
        kind = type(value)
        found = self.known.get(id(value))
        if found is not None:
            return found[1]
        if kind in _THEMSELVES:
            return value
        if isinstance(value, Tensor):
            return value if isinstance(value, Parameter) else self._leaf(value, read)
        if kind is int or kind is float:
            return self._leaf(value, read)
        if kind in LOCALS or kind in KINDS:
            return self._container(value, read)
        if is_read_by_item(kind):
            if read is not None and _is_plain(tuple(value)):
                read.whole = not self.captures.how.get(read.path)
                if read.whole:
                    return value
            held = [self._held(ITEM, read, i, v) for i, v in enumerate(value)]
        elif record(value) is not None and not is_made(value):
            held = [self._field(value, n, getattr(value, n)) for n in record(value)]
        else:
            special.expect_plain_lookup(kind)
            if isinstance(value, np.ndarray):
                self.constants[id(value)] = read
            if kind is types.MappingProxyType:
                what = "a mappingproxy shows a dict that compiled code cannot watch"
                raise complain(ParseError, what, cure="read the dict itself, or a copy of it")
            if "cell_list" in getattr(value, "__dict__", ()):  # read by library code
                self.read(ENTRY, vars(value), "cell_list", value.cell_list)
            return value
        return self._remade(value, held)

    def _field(self, value, name: str, held):
        own = getattr(value, "__dict__", None)
        place = (ATTRIBUTE, value) if own is None else (ENTRY, own)
        return self.read(*place, name, held, value)

    def _remade(self, value, held: list):
        """An immutable ``value`` with what stands for its items; itself where nothing does."""
        p = parts(value)
        changed = any(a is not b for a, b in zip(held, p.items))
        new = p.remake(held) if changed else value
        self.known[id(value)] = value, new
        return new

    def _held(self, place: int, read: Read | None, name, value):
        return self._stands(value, None) if read is None else self.read(place, read, name, value)

    def _leaf(self, value, read: Read | None):
        """The node of an argument of the program, or the value itself."""
        if read is None or not self.captures.at_run_time(read.path, value):
            self.constants[id(value)] = read
            return value
        ip = self.ip
        node = ip.root.add_param(f"captured{len(self.leaves)}", abstract_of(value), ip.root.loc)
        ip.tensors.arguments.append(node)
        self.leaves[node], read.leaf = read, node
        if isinstance(value, Tensor):
            self.known[id(value)] = value, node
            if hooks.registered and hooks.of(value):
                ip.parameters.hooks[id(node)] = hooks.of(value)
        return node

    def _container(self, value, read: Read | None):
        if type(value) in KINDS:
            made, kind_of = KINDS[type(value)]
            new = made((), kind_of(value))
        else:
            new = LOCALS[type(value)]()
        new.born = next(_ages)
        self.known[id(value)] = value, new  # it may hold itself
        self.pairs.append((value, new))
        if isinstance(value, defaultdict):
            self.attribute_read(value, "default_factory", value.default_factory)
        if type(new) is LocalList:
            new.extend([self._held(ITEM, read, i, v) for i, v in enumerate(value)])
        elif type(new) is LocalSet:
            new.update(value)
        else:
            new.update((k, self._held(ENTRY, read, k, v)) for k, v in value.items())
        return new

    def attribute(self, owner, name: str) -> LocalDict:
        """The dict that stands for an attribute of an object that is set."""
        key = id(owner), name
        if key not in self.attributes:
            new = self.attributes[key] = LocalDict()
            new.born = next(_ages)
            self.pairs.append((Attribute(owner, name), new))
        return self.attributes[key]


class Attribute:
    """One attribute of an object, global name of a module (``owner`` is its globals) or variable (a
    cell), as a dict of one item, which a program sets.
    """

    def __init__(self, owner, name: str):
        self.owner, self.name = owner, name

    def clear(self) -> None:
        """Nothing: a program deletes no attributes."""

    def update(self, now: dict) -> None:
        """Set it, unless it is so already."""
        value = now[self.name]
        if self._now(self) is value:
            return
        if type(self.owner) is dict:
            self.owner[self.name] = value
        else:
            setattr(self.owner, self.name, value)

    def _now(self, otherwise):
        owner = self.owner
        if type(owner) is types.CellType:
            return owner.cell_contents
        return (owner if type(owner) is dict else vars(owner)).get(self.name, otherwise)


_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


def _is_plain(v) -> bool:
    return type(v) in _PLAIN or type(v) is tuple and all(map(_is_plain, v))


def is_read_by_item(kind: type) -> bool:
    """Whether each item of a tuple of this class is a place of its own; other classes of tuples are
    objects that compiled code does not make.
    """
    return (
        kind is tuple
        or kind is MutableTuple
        or issubclass(kind, tuple)
        and hasattr(kind, "_fields")
    )


def is_library(module) -> bool:
    """Whether a module, by its name, is of this library, which nobody changes."""
    return isinstance(module, str) and (module == "minds" or module.startswith("minds."))


_THEMSELVES = {
    bool,
    str,
    bytes,
    type,
    type(None),
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
}
"""The types of what stands for itself wherever it is read."""


def of_class(cls: type, name: str):
    """What a class or one of its bases has under a name; ABSENT if nothing."""
    for c in cls.__mro__:
        if name in c.__dict__:
            return c.__dict__[name]
    return ABSENT


def is_outside(container) -> bool:
    """Whether a list, dict or set of compiled code stands for one made outside."""
    return container.born < 0

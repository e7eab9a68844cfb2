"""What a variable may hold while source is interpreted, and how values of two paths are joined.

A value is a `Node` (known at run time), or any Python object (known now). Tuples, `LocalList`s and
`LocalDict`s hold values. `flatten` splits a value into run-time leaves and a static skeleton; `join` finds
the skeleton that the values of two paths share, `extract` the parts of a value where a skeleton has leaves.
"""
from __future__ import annotations

import itertools
import os
import types
from dataclasses import dataclass

import gast

from ..base.errors import CompileTimeError, complain
from ..base.loc import Loc
from ..ir.abstract import AbstractFunction, AbstractScalar, AbstractTensor
from ..ir.build import abstract_of
from ..ir.node import Node, Param
from ..ops.define import Op
from ..tensor import Parameter, Tensor
from .source import Source

NUMBERS = (bool, int, float)


_births = itertools.count(1)


def births() -> int:
    """A time: later than the birth of every container there is."""
    return next(_births)


class LocalList(list):
    """A list made by interpreted code: it may be changed there. ``born`` orders containers by age."""

    __slots__ = ("born",)
    __hash__ = object.__hash__

    def __init__(self, items=()):
        super().__init__(items)
        self.born = next(_births)

    def copy(self) -> LocalList:
        return LocalList(self)


class LocalDict(dict):
    """A dict made by interpreted code."""

    __slots__ = ("born",)
    __hash__ = object.__hash__

    def __init__(self, items=()):
        super().__init__(items)
        self.born = next(_births)

    def copy(self) -> LocalDict:
        return LocalDict(self)


@dataclass(eq=False)
class Closure:
    """A function defined in interpreted code, with the frame it sees."""

    source: Source
    frame: object
    defaults: list
    kw_defaults: list
    name: str


@dataclass(eq=False)
class Bound:
    """A method found on a run-time value or a parameter: ``fn(owner, *args)``."""

    fn: object
    owner: object
    name: str


@dataclass(eq=False)
class Choice:
    """One of several functions, chosen at run time by its place in ``options``."""

    options: tuple
    selector: object


@dataclass(eq=False)
class Missing:
    """A variable that has no usable value here; reading it is the error."""

    kind: type
    text: str
    cure: str
    why: str = ""


@dataclass(frozen=True)
class Leaf:
    """The place of a run-time value in a skeleton."""

    abstract: object


@dataclass(eq=False)
class Same:
    """In a skeleton: this very object, whose identity matters because it may be changed."""

    value: object


def record(v):
    """The field names of an object of a frozen dataclass of the user's; else None."""
    kind = type(v)
    params = getattr(kind, "__dataclass_params__", None)
    if params is None or not params.frozen or kind.__module__.startswith("minds."):
        return None
    return tuple(kind.__dataclass_fields__)


def rebuilt(v, parts):
    """An object like ``v`` with other values of its fields."""
    new = object.__new__(type(v))
    for name, part in zip(record(v), parts):
        object.__setattr__(new, name, part)
    return new


def fields_of(v) -> list:
    """The values of the fields of a `record`."""
    return [getattr(v, name) for name in record(v)]


def is_runtime(v) -> bool:
    """Whether ``v`` is, or becomes when used, a value of the running program."""
    return isinstance(v, (Node, Tensor))


def describe(v) -> str:
    """A value's type as messages show it."""
    if isinstance(v, Node):
        return repr(v.abstract)
    if isinstance(v, Parameter):
        return f"{v.abstract!r}  Parameter {v.name!r}"
    if isinstance(v, Tensor):
        return repr(v.abstract)
    if isinstance(v, (tuple, list)):
        inner = ", ".join(describe(e) for e in v)
        return f"[{inner}]" if isinstance(v, list) else f"({inner})"
    if isinstance(v, dict):
        return "{" + ", ".join(f"{k!r}: {describe(e)}" for k, e in v.items()) + "}"
    if isinstance(v, (bool, int, float, str)):
        return f"{type(v).__name__} {v!r}"
    if v is None or isinstance(v, Op):
        return repr(v).replace("P.", "ops.")
    if isinstance(v, Leaf):
        return repr(v.abstract)
    return getattr(v, "__name__", None) or type(v).__name__


def described(v) -> str:
    """`describe`, and where a node comes from."""
    at = getattr(v, "loc", None)
    if at is None or isinstance(v, Param):
        return describe(v)
    return f"{describe(v)}  from {os.path.basename(at.file)}:{at.line}"


def flatten(v, leaves: list):
    """The skeleton of ``v``; its run-time leaves (nodes and tensors) are appended to ``leaves``."""
    if isinstance(v, Node):
        leaves.append(v)
        return Leaf(v.abstract)
    if isinstance(v, Tensor) and not isinstance(v, Parameter):
        leaves.append(v)
        return Leaf(v.abstract)
    kind = type(v)
    if kind is tuple or kind is list or kind is LocalList:
        return (LocalList if kind is list else kind)([flatten(e, leaves) for e in v])
    if kind is dict or kind is LocalDict:
        return LocalDict((k, flatten(e, leaves)) for k, e in v.items())
    if isinstance(v, tuple) and hasattr(v, "_fields"):
        return kind(*[flatten(e, leaves) for e in v])
    if kind is Choice:
        leaves.append(v.selector)
        return Choice(v.options, Leaf(abstract(v.selector)))
    return v if record(v) is None else rebuilt(v, [flatten(e, leaves) for e in fields_of(v)])


def unflatten(skeleton, leaves):
    """The inverse of `flatten`; ``leaves`` is an iterator."""
    if isinstance(skeleton, Leaf):
        return next(leaves)
    if isinstance(skeleton, Same):
        return skeleton.value
    kind = type(skeleton)
    if kind is tuple or kind is LocalList:
        return kind([unflatten(e, leaves) for e in skeleton])
    if kind is dict or kind is LocalDict:
        return LocalDict([(k, unflatten(e, leaves)) for k, e in skeleton.items()])
    if isinstance(skeleton, tuple) and hasattr(skeleton, "_fields"):
        return kind(*[unflatten(e, leaves) for e in skeleton])
    if kind is Bound:
        return Bound(skeleton.fn, unflatten(skeleton.owner, leaves), skeleton.name)
    if kind is Choice:
        return Choice(skeleton.options, unflatten(skeleton.selector, leaves))
    return skeleton if record(skeleton) is None else rebuilt(
        skeleton, [unflatten(e, leaves) for e in fields_of(skeleton)])


class Mismatch(Exception):
    """Two values have no common form; the text says why."""


def same_function(a, b) -> bool:
    """Whether two closures come from one `def` in one activation, so that they see the same variables."""
    return (isinstance(a, Closure) and isinstance(b, Closure) and a is not b and a.frame is b.frame
            and a.source.tree is b.source.tree
            and all(x is y for x, y in zip((*a.defaults, *a.kw_defaults), (*b.defaults, *b.kw_defaults))))


def join(a, b):
    """The skeleton that two values share: what is the same stays, run-time places become a `Leaf`.

    Raises:
        Mismatch: they have no common form.
    """
    if isinstance(a, Same):
        a = a.value
    if same_function(a, b):
        return a
    if a is b:
        return Same(a) if isinstance(a, (tuple, list, dict)) else a
    for v in (a, b):
        if isinstance(v, Missing):
            raise Mismatch(v.text)
    kind = type(a)
    if kind is type(b):
        if kind in NUMBERS and a == b and str(a) == str(b):
            return a
        if kind in (tuple, LocalList, list) or isinstance(a, tuple) and hasattr(a, "_fields"):
            if len(a) != len(b):
                raise Mismatch(f"a {_noun(a)} of {len(a)} elements on one path, of {len(b)} on the other")
            items = [join(x, y) for x, y in zip(a, b)]
            return kind(*items) if hasattr(a, "_fields") else (LocalList if kind is list else kind)(items)
        if kind in (dict, LocalDict):
            if list(a) != list(b):
                raise Mismatch(f"dicts with different keys: {list(a)} and {list(b)}")
            return LocalDict([(k, join(a[k], b[k])) for k in a])
        if kind is Bound and a.fn is b.fn:
            return Bound(a.fn, join(a.owner, b.owner), a.name)
        if record(a) is not None:
            return rebuilt(a, [join(x, y) for x, y in zip(fields_of(a), fields_of(b))])
    x, y = abstract(a), abstract(b)
    if isinstance(x, (AbstractTensor, AbstractScalar)) and isinstance(y, (AbstractTensor, AbstractScalar)):
        both = join_abstract(x, y)
        if both is not None:
            return Leaf(both)
    if isinstance(x, AbstractFunction) and x is y:
        return Leaf(x)
    if kind is type(b) and kind in (str, bytes, type, range, slice) and a == b:
        return a
    options = _options(a), _options(b)
    if all(options):
        return _choice(*options)
    raise Mismatch(f"{_with_place(a)} on one path, {_with_place(b)} on the other")


def _options(v) -> tuple:
    """The functions that ``v`` may be; () for what cannot be chosen at run time."""
    if isinstance(v, Choice):
        return v.options
    if isinstance(v, (Op, types.FunctionType)) or hasattr(type(v), "construct"):
        return (v,)
    # What a finished call made may hold nodes of the branch that it was called in.
    return (v,) if isinstance(v, Closure) and not v.frame.finished else ()


def _choice(a: tuple, b: tuple) -> Choice:
    if len(b) > len(a):
        a, b = b, a
    if len(b) == 1:
        a = a if b[0] in a else a + b
    elif a[:len(b)] != b:
        raise Mismatch("one of several functions on one path, of others on the other")
    return Choice(a, Leaf(AbstractScalar(int)))


def _with_place(v) -> str:
    """A value's type, and for a node the line it comes from."""
    at = getattr(v, "loc", None)
    return describe(v) if at is None else f"{describe(v)} (line {at.line})"


def leaf_abstracts(skeleton, out: list) -> list:
    """The abstract values of the leaves of a skeleton, in order."""
    if isinstance(skeleton, Leaf):
        out.append(skeleton.abstract)
    elif isinstance(skeleton, (tuple, list)):
        for e in skeleton:
            leaf_abstracts(e, out)
    elif isinstance(skeleton, dict):
        for e in skeleton.values():
            leaf_abstracts(e, out)
    elif isinstance(skeleton, Bound):
        leaf_abstracts(skeleton.owner, out)
    elif isinstance(skeleton, Choice):
        leaf_abstracts(skeleton.selector, out)
    elif record(skeleton) is not None:
        for e in fields_of(skeleton):
            leaf_abstracts(e, out)
    return out


def extract(skeleton, value, out: list) -> list:
    """The parts of ``value`` that stand where ``skeleton`` has leaves."""
    if isinstance(skeleton, Leaf):
        out.append(value)
    elif isinstance(skeleton, (tuple, list)):
        for s, v in zip(skeleton, value):
            extract(s, v, out)
    elif isinstance(skeleton, dict):
        for k, s in skeleton.items():
            extract(s, value[k], out)
    elif isinstance(skeleton, Bound):
        extract(skeleton.owner, value.owner, out)
    elif isinstance(skeleton, Choice):
        place = value.selector if isinstance(value, Choice) else skeleton.options.index(value)
        extract(skeleton.selector, place, out)
    elif record(skeleton) is not None:
        for s, v in zip(fields_of(skeleton), fields_of(value)):
            extract(s, v, out)
    return out


def widen(v):
    """The skeleton of a value that a loop changes: numbers become run-time scalars."""
    kind = type(v)
    if (
        isinstance(v, (Node, Leaf))
        or kind in NUMBERS
        or isinstance(v, Tensor)
        and not isinstance(v, Parameter)
    ):
        return Leaf(abstract(v))
    if kind is tuple or kind is list or kind is LocalList:
        return (LocalList if kind is list else kind)([widen(e) for e in v])
    if isinstance(v, tuple) and hasattr(v, "_fields"):
        return kind(*[widen(e) for e in v])
    if kind in (dict, LocalDict):
        return LocalDict([(k, widen(e)) for k, e in v.items()])
    if kind is Choice:
        return Choice(v.options, widen(v.selector))
    return v if record(v) is None else rebuilt(v, [widen(e) for e in fields_of(v)])


def _noun(v) -> str:
    return "list" if isinstance(v, list) else "tuple"


def abstract(v):
    """The abstract value of a leaf; None for what exists only at compile time."""
    return v.abstract if isinstance(v, (Node, Tensor, Leaf)) else abstract_of(v)


def join_abstract(x, y):
    """The abstract value that holds both, or None: a number fits a rank-0 tensor and a wider number."""
    if x is y:
        return x
    if isinstance(x, AbstractScalar) and isinstance(y, AbstractScalar):
        return AbstractScalar(float if float in (x.kind, y.kind) else int)
    if isinstance(x, AbstractScalar):
        x, y = y, x
    if isinstance(y, AbstractScalar) and x.shape == () and (x.dtype.is_float or y.kind is not float):
        return x
    return None


def need_static(v, what: str):
    """``v``, which must be known now.

    Raises:
        CompileTimeError: it is a run-time value.
    """
    if isinstance(v, Node):
        raise complain(CompileTimeError, f"{what} must be known when the program is compiled",
                       operands=[(what, repr(v.abstract))], cure="pass a constant, or compute it from shapes")
    return v


@dataclass(eq=False)
class Frame:
    """One activation of a function: its variables and where it is.

    Attributes:
        vars: local variables.
        source: the function's syntax.
        outer: the frame of the function that encloses it, for closures.
        globals, cells: where free names are looked up.
        caller: the place of the call.
        finished: whether the call has returned.
    """

    vars: dict
    source: Source
    outer: Frame | None
    globals: dict
    cells: dict
    caller: Loc | None
    node: gast.AST | None = None
    region: object = None
    loop: object = None
    args: dict | None = None
    graph_of: object = None
    finished: bool = False

"""Python's builtins and the classes of tensors, as compiled code sees them."""

from __future__ import annotations

import abc
import functools
import operator
import sys
import types
from dataclasses import replace

import gast
import numpy as np

from ..arrays.host import MOST_DIMS
from ..base import dtype as dt
from ..base.errors import CompileTimeError, ParseError, complain, performed, refuse
from ..base.options import is_divided
from ..ir.abstract import AbstractScalar
from ..ir.dim import Dim
from ..ir.node import Apply, Node, Param
from ..ops import sequences
from ..ops.composite import Applied
from ..ops.define import P, stacked
from ..ops.views import lie_in_order
from ..tensor import Parameter, Tensor, element_dtype
from ..tensor import tensor as make_tensor
from . import access, handlers, run_arrays, run_lists, size_witnesses, special, text
from .access import getattr_
from .compare import as_key
from .counted import RuntimeRange
from .describe import describe, need_static
from .foreign import is_known_tensor
from .function_types import Bound, Closure, UnionValue
from .imports import ATTRIBUTE
from .iterated import Iterated
from .iterators import sequence
from .numbers import known
from .registry import EMITTERS, asks, emits, runtime
from .scalars import binary, is_scalar, kind_of, number_of, to_kind, truth, truth_scalar
from .slots import HEAP_TYPE, closed_class
from .stmt import (
    delete_attribute,
    handling,
    remove_attribute,
    set_attribute,
    store_attribute,
)
from .value_types import (
    CONTAINERS,
    LOCAL,
    TUPLE,
    LocalDict,
    LocalList,
    LocalSet,
    RunArray,
    RunList,
    View,
    is_made,
    made,
)
from .variables import lookup

emits(is_divided)(lambda ip: is_divided())  # programs are kept by it


@emits(len)
def _len(ip, x):
    if isinstance(x, (Node, Tensor)):
        if isinstance(x.abstract, AbstractScalar) or not x.shape:
            number = isinstance(x.abstract, AbstractScalar)
            what = f"object of type {x.abstract.kind.__name__!r} has no len()" if number else ""
            raise complain(TypeError, what or "Not support len of a 0-D tensor.")
        size_witnesses.note(ip.parameters.loaded, x)
        return x.shape[0]
    if type(x) is RunList:
        return run_lists.length(ip, x)
    if type(x) is RunArray:
        return _len(ip, x.node)
    if isinstance(x, Iterated):
        raise complain(TypeError, "an iterator has no len()", cure="make a list of it")
    if isinstance(x, RuntimeRange):
        return x.length(ip)
    length = special.call(ip, x, "__len__")
    if length is NotImplemented:
        return ip.native(len, x)
    if type(length) is int and length < 0:
        raise complain(ValueError, "__len__() should return >= 0")
    return length


@emits(range)
def _range(ip, *bounds):
    bounds = [
        operator.index(b) if is_known_tensor(b) else run_arrays.operand(ip, b) for b in bounds
    ]
    if not runtime(*bounds):
        return performed(range, *bounds)
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    return RuntimeRange(*[_as_int(ip, b) for b in (start, stop, step)])


def _as_int(ip, v):
    v = ip.node(v) if isinstance(v, Tensor) else v  # of a parameter the run knows the number
    return v if type(v) is Dim else run_lists.as_index(ip, v)


@emits(sum)
def _sum(ip, iterable, start=0):
    if isinstance(start, (str, text.Text)):
        raise complain(TypeError, "sum() can't sum strings [use ''.join(seq) instead]")
    if isinstance(iterable, Iterated):
        iterable = iterable.as_list(ip)
    if run_lists.is_open(iterable):
        rows, first = run_lists.tensor(ip, iterable), ip.node(start) if runtime(start) else start
        if getattr(first, "shape", None) == rows.shape[1:] and first.dtype is rows.dtype:
            # As CPython adds: the start first.
            row = ip.native(P.reshape, first, (1, *first.shape))
            rows, start = ip.native(P.concat, (row, rows), 0), 0
        total = ip.native(P.sum, rows, (0,), False)
        return binary(ip, gast.Add, start, run_lists.like_elements(ip, iterable, total))
    if isinstance(iterable, (Node, Tensor)) and iterable.shape:
        return binary(ip, gast.Add, start, ip.native(P.sum, ip.node(iterable), (0,), False))
    return functools.reduce(lambda a, b: binary(ip, gast.Add, a, b), sequence(ip, iterable), start)


@emits(abs)
@asks("__abs__")
def _abs(ip, x):
    if runtime(x):
        return ip.native(P.abs, x)
    if type(x) is RunArray:
        return run_arrays.called(ip, abs, [x])
    return performed(abs, x)


@emits(round)
@asks("__round__")
def _round(ip, number, ndigits=None):
    x = number
    if not runtime(x):
        return performed(round, x, *(() if ndigits is None else (ndigits,)))
    if ndigits is not None:
        if is_scalar(x) and kind_of(x) is float:
            return round(need_static(x, "a number that is rounded to digits"), ndigits)
        what = "round() with digits is not supported on a run-time value"
        raise complain(ParseError, what, cure="multiply, round, and divide")
    if is_scalar(x) and kind_of(x) is not float:
        return to_kind(ip, x, int)
    rounded = ip.native(P.round, x)
    return to_kind(ip, rounded, int) if is_scalar(x) else rounded


@emits(pow)
def _pow(ip, base, exp, mod=None):
    if mod is not None:
        known = need_static(base, "base"), need_static(exp, "exponent"), need_static(mod, "modulus")
        return performed(pow, *known)
    return binary(ip, gast.Pow, base, exp)


@emits(divmod)
@asks("__divmod__")
def _divmod(ip, a, b):
    return binary(ip, gast.FloorDiv, a, b), binary(ip, gast.Mod, a, b)


# ---- classes and attributes


@emits(isinstance)
def _isinstance(ip, v, classes):
    classes = _flat(classes)
    if isinstance(v, BaseException) and not text.is_of_host(v):
        return issubclass(text.plain_class(v), classes)
    if text.is_of_host(v) and not issubclass(type(v), classes):
        raise _class_of_host(v)
    if isinstance(v, _STANDING) or getattr(v, "kind", None) is not None:
        return performed(issubclass, _type(ip, v), classes)
    ip.imports.class_of(v)
    for cls in classes:
        own = type(cls).__module__.partition(".")[0] not in sys.stdlib_module_names
        if own and special.has(cls, "__instancecheck__"):
            known = performed(isinstance, v, classes[: classes.index(cls)])
            return known or ip.call(bool, [special.call(ip, cls, "__instancecheck__", v)], {})
        if isinstance(cls, abc.ABCMeta):
            ip.imports.read(ATTRIBUTE, REGISTERED, "token", REGISTERED.token)
    return performed(isinstance, v, classes)


class _Registered:
    """What classes are registered as subclasses of abstract ones, as a text that differs when they do."""

    @property
    def token(self) -> str:
        return str(abc.get_cache_token())


REGISTERED = _Registered()


_STANDING = (Node, Dim, text.Text, RunArray, RunList, View, *LOCAL, Iterated, Closure, Bound)
"""What stands in compiled code for values of other classes."""


def _class_of_host(v) -> Exception:
    what = (
        f"the class of what a host function has raised, a kind of {type(v).__name__}, is asked for"
    )
    return complain(CompileTimeError, what, cure="catch the class")


def _flat(classes) -> tuple:
    """The classes that ``isinstance`` compares with: a tuple of them may hold tuples."""
    if isinstance(classes, tuple):
        return tuple([c for part in classes for c in _flat(part)])
    tells = any("__instancecheck__" in c.__dict__ for c in type(classes).__mro__)
    if not isinstance(classes, type) and not tells:
        what = f"isinstance() arg 2 must be a type or tuple of types, got {describe(classes)}"
        raise complain(TypeError, what)
    return (classes,)


@emits(type)
def _type(ip, v, *parts):
    if parts:
        cls = performed(type, need_static(v, "the name of a class"), *parts)
        cls.__module__ = parts[-1].get("__module__", "builtins")  # no module has it
        return cls
    if type(v) is RunArray:
        return v.node.abstract.dtype.np.type if v.cls is np.generic else v.cls
    if isinstance(v, (Node, Dim)):
        return v.abstract.kind if isinstance(v.abstract, AbstractScalar) else Tensor
    if text.is_of_host(v):
        raise _class_of_host(v)
    if isinstance(v, BaseException):
        return text.plain_class(v)
    if isinstance(v, LOCAL) and v.kind is not None:
        return v.kind.cls
    if is_made(v):
        return closed_class(type(v))
    if isinstance(v, View):
        return type(getattr({}, v.name)())
    if isinstance(v, Iterated):
        return types.GeneratorType if hasattr(v, "body") else type(iter(()))
    if isinstance(v, Bound):
        of_tensor = isinstance(v.owner, (Node, Tensor))
        return types.MethodType if of_tensor else types.BuiltinMethodType
    if isinstance(v, Closure):
        return types.FunctionType
    ip.imports.class_of(v)
    return {**CONTAINERS, text.Text: str}.get(type(v), type(v))


def _name(v) -> str:
    """The name of an attribute."""
    if not isinstance(need_static(v, "the attribute's name"), (str, text.Text)):
        raise complain(TypeError, f"attribute name must be string, not {describe(v)}")
    return v


@emits(hasattr)
def _hasattr(ip, owner, name):
    try:
        getattr_(ip, owner, _name(name))
    except AttributeError as e:
        _expect_lack(e)
        return False
    return True


@emits(getattr)
def _getattr(ip, owner, name, *default):
    try:
        return getattr_(ip, owner, _name(name))
    except AttributeError as e:
        _expect_lack(e)
        if default:
            return default[0]
        raise


def _expect_lack(error: AttributeError) -> None:
    """Raise ``error`` where CPython has the attribute."""
    if hasattr(error, "complaint") and error.complaint.refused:
        raise error


@emits(super)
def _super(ip, *args):
    if args:
        return performed(super, *args)
    frame = ip.frames[-1]
    try:
        cls = lookup(ip, "__class__")
    except NameError:
        raise complain(RuntimeError, "super(): there is no enclosing class") from None
    first = [a.id for a in (*frame.source.tree.args.posonlyargs, *frame.source.tree.args.args)][:1]
    if not first:
        raise complain(RuntimeError, "super(): no arguments")
    return performed(super, cls, frame.vars[first[0]])


# ---- conversions


def _known_size(ip, v):
    """A constant tensor of one whole number or bool, such as may be a size, an axis or a flag; else None."""
    v = ip.tensors.present(v)
    return (
        v
        if is_known_tensor(v) and not v.dtype.is_float and v.size == 1 and not v.dtype.is_complex
        else None
    )


def _number(kind: type):
    zero = kind()

    def emit(ip, v=zero, /, base=None):
        if base is not None and kind is not int:
            raise complain(TypeError, f"{kind.__name__} expected at most 1 argument, got 2")
        if base is not None:
            known = need_static(v, "a number in another base"), need_static(base, "the base")
            return performed(int, *known)
        if isinstance(v, Tensor):
            found = _known_size(ip, v)
            v = ip.node(v) if found is None else found
        if type(v) is RunArray:
            v = v.node
        if not isinstance(v, (Node, Dim)):
            return truth_scalar(ip, v) if kind is bool else performed(kind, v)
        if isinstance(v.abstract, AbstractScalar):
            return to_kind(ip, v, kind) if kind is not bool else truth(ip, v)
        if kind is bool:
            return ip.native(P.item, truth(ip, v), "bool")
        if v.abstract.size != 1:
            what = f"Only one element tensors can be converted to Python scalars: {kind.__name__}()"
            raise complain(ValueError, f"{what} of {v.abstract!r}", expected="one element")
        return number_of(ip, v, kind.__name__)

    return emit


EMITTERS[int] = asks("__int__", "__index__", "__trunc__")(_number(int))
EMITTERS[float] = asks("__float__", "__index__")(_number(float))
EMITTERS[bool] = _number(bool)
for _fn in (ascii, bin, bytes, chr, complex, hex, oct, ord, str.maketrans):
    EMITTERS[_fn] = known(_fn)


@emits(hash)
def _hash(ip, v):
    found = special.call(ip, v, "__hash__")
    return performed(hash, as_key(ip, v, "what is hashed")) if found is NotImplemented else found


def _keys(ip, v) -> list:
    return [as_key(ip, e, "an element of a set") for e in sequence(ip, v)]


def _pair(ip, v) -> tuple:
    """A key and a value, of what a dict is made of."""
    pair = sequence(ip, v)
    if len(pair) != 2:
        raise complain(ValueError, f"an element of a dict has length {len(pair)}", expected="2")
    return as_key(ip, pair[0]), pair[1]


@emits(dict)
def _dict(ip, v=(), /, **kwargs):
    if special.has(v, "keys"):
        keys = sequence(ip, special.call(ip, v, "keys"))
        v = [(k, access.subscript(ip, v, k)) for k in keys]
    made = LocalDict(v if isinstance(v, dict) else [_pair(ip, p) for p in sequence(ip, v)])
    made.update(kwargs)
    return made


@emits(print)
def _print(ip, *args, sep=" ", end="\n"):
    if any(text.holds_runtime(a) and not isinstance(a, (Node, Parameter)) for a in args):
        shown = [text.formatted(ip, "{}", (ord("s"), ""), a) for a in args]
        between = [part for s in shown for part in (sep, s)][1:]
        template = text.Template(ip, text.joined(between))
        ip.native(P.print, template.nodes, template, end)
    else:
        ip.native(_print_op, args, sep, end)


def _print_op(args, sep: str, end: str):
    tensors = tuple(a for a in args if isinstance(a, (Node, Tensor)))
    template = sep.join(
        "{}" if isinstance(a, (Node, Tensor)) else str(a).replace("{", "{{").replace("}", "}}")
        for a in args
    )
    P.print(tensors, template, end)


# ---- functools


@emits(functools.update_wrapper)
def _named(ip, wrapper, wrapped, *names, **more):
    """``wrapper`` with the name of ``wrapped``."""
    name = (
        getattr(wrapped, "__name__", None) if callable(wrapped) else getattr(wrapped, "name", None)
    )
    return replace(wrapper, name=name) if isinstance(wrapper, Closure) and name else wrapper


# ---- tensors


@emits(access.as_array)
def _as_array(ip, x, dtype=None):
    array = run_arrays.of_tensor(ip, x)
    return array if dtype is None else ip.call(np.asarray, [array, dtype], {})


@emits(access.to_list)
def _to_list(ip, x):
    if x.abstract.shape:
        return LocalList([_to_list(ip, access.subscript(ip, x, i)) for i in range(x.shape[0])])
    return _item(ip, ip.node(x))


@emits(Tensor.item)
def _item(ip, x, *index):
    if index:
        x = access.subscript(ip, x, index if len(index) > 1 else index[0])
    a = x.abstract
    if a.size != 1:
        what = f"item: the tensor has {a.size} elements"
        raise complain(ValueError, what, expected="exactly one")
    kind = "bool" if a.dtype.is_bool else "float" if a.dtype.is_float else "int"
    return number_of(ip, x, kind)


@emits(Parameter)
def _parameter(ip, default_input, name=None, requires_grad=True, *rest, **settings):
    """One that this call alone has: a tensor of its own, to which no gradient flows."""
    small = type(default_input) is int and -(2**31) <= default_input < 2**31
    data = _tensor_of(ip, _now(ip, default_input), dt.int32 if small else None, None, None)
    if isinstance(data, (Apply, Param)) and data not in ip.imports.leaves:
        what = "a Parameter cannot be made of a value of the run in compiled code"
        raise refuse(ValueError, what, cure="make it in __init__, and assign to it here")
    return ip.parameters.make(ip.node(data))


@emits(Tensor.stride)
def _stride(ip, x, dim=None):
    found = access.strides(ip, x)
    return LocalList(found) if dim is None else found[need_static(dim, "dim")]


@emits(Tensor.is_contiguous)
def _is_contiguous(ip, x):
    return lie_in_order(x.shape, access.strides(ip, x))


@emits(Tensor, make_tensor)
def _tensor(ip, input_data=None, dtype=None, shape=None, init=None, const_arg=False):
    data = _now(ip, input_data)
    found = _tensor_of(ip, data, element_dtype(dtype), shape, init)
    return ip.native(P.reshape, found, found.shape) if found is data else found


def _now(ip, data, depth: int = 0):
    """A tensor, or nested sequences of such: what they, and parameters among them, hold now."""
    if isinstance(data, (tuple, list)) and type(data) is not RunList and depth <= MOST_DIMS:
        return [_now(ip, v, depth + 1) for v in data]
    return ip.read(data) if isinstance(data, Parameter) else ip.tensors.known(data)


def _tensor_of(ip, data, dtype, shape, init):
    """What `Tensor` makes of this; perhaps ``data`` itself."""
    if isinstance(data, (tuple, list)) and any(type(v) is RunArray for v in data):
        data = run_arrays.called(ip, np.array, [data])
    if type(data) is RunArray:
        data = data.node
    if run_lists.is_open(data):
        of = data.rows.skeleton
        data, floats = run_lists.tensor(ip, data), getattr(of.abstract, "kind", None) is float
        dtype = dt.float32 if dtype is None and floats else dtype
    if isinstance(data, (tuple, list)) and sequences.holds_nodes(data):
        return _of_shape(ip, ip.native(lambda: stacked(data, dtype)), shape)
    if not isinstance(data, Node):
        return Tensor(data, dtype, shape, init)
    a = data.abstract
    if isinstance(a, AbstractScalar):
        plain = dt.float32 if a.kind is float else a.dtype
        data = ip.native(P.scalar_to_tensor, data, dtype or plain)
    elif dtype is not None and dtype is not a.dtype:
        data = ip.native(P.cast, data, dtype)
    return _of_shape(ip, data, shape)


def _of_shape(ip, made: Node, shape):
    return made if shape is None else ip.native(P.broadcast_to, made, shape)


# ---- what one expression says


def _new(cls: type):
    if not cls.__flags__ & HEAP_TYPE and cls is not object:
        name = cls.__name__
        raise complain(TypeError, f"object.__new__({name}) is not safe, use {name}.__new__()")
    return made(cls, LocalDict())


def _handled(ip, tell, nothing):
    """What `sys.exc_info` tells in a handler of the function, or without any."""
    if not ip.activations.handling:
        return nothing
    return handlers.each_value(handlers.error_of(handling(ip, "sys.exc_info")), tell)


def itself(fn):
    """The identity: what a decorator is that compiled code need not apply."""
    return fn


EMITTERS.update(
    {
        vars: lambda ip, owner: getattr_(ip, owner, "__dict__"),
        str: lambda ip, v="": text.formatted(ip, "{}", (ord("s"), ""), v),
        repr: lambda ip, v: text.formatted(ip, "{}", (ord("r"), ""), v),
        format: lambda ip, v, spec="": text.formatted(ip, "{}", (-1, spec), v),
        tuple: lambda ip, v=(): (
            RunList([v.held], TUPLE) if run_lists.is_open(v) else tuple(sequence(ip, v))
        ),
        list: lambda ip, v=(): (
            run_lists.copied(ip, v)
            if type(v) is RunList
            else v.as_list(ip)
            if isinstance(v, Iterated)
            else LocalList(sequence(ip, v))
        ),
        set: lambda ip, v=(): LocalSet(_keys(ip, v)),
        frozenset: lambda ip, v=(): frozenset(_keys(ip, v)),
        slice: lambda ip, *bounds: performed(slice, *bounds),
        setattr: lambda ip, owner, name, value: set_attribute(ip, owner, _name(name), value),
        delattr: lambda ip, owner, name: delete_attribute(ip, owner, _name(name)),
        issubclass: lambda ip, cls, classes: performed(
            issubclass, need_static(cls, "a class"), _flat(classes)
        ),
        callable: lambda ip, v: (
            isinstance(v, (Closure, Bound, UnionValue)) or not isinstance(v, Node) and callable(v)
        ),
        object.__new__: lambda ip, cls, *args, **kwargs: _new(cls),
        object.__setattr__: lambda ip, owner, name, value: store_attribute(
            ip, owner, _name(name), value
        ),
        object.__delattr__: lambda ip, owner, name: remove_attribute(ip, owner, _name(name)),
        sys.exc_info: lambda ip: _handled(
            ip, lambda e: (text.plain_class(e), e, None), (None,) * 3
        ),
        dict.fromkeys: lambda ip, keys, value=None: LocalDict(
            [(as_key(ip, k), value) for k in sequence(ip, keys)]
        ),
        functools.partial: lambda ip, fn, *args, **kwargs: Applied(fn, args, kwargs),
        functools.wraps: lambda ip, wrapped, *names, **more: Applied(
            functools.update_wrapper, (), {"wrapped": wrapped}
        ),
        itself: lambda ip, fn: fn,
        access._value: lambda ip, p: ip.read(p),
        Tensor.contiguous: lambda ip, x: (
            x if _is_contiguous(ip, x) else ip.native(P.copy, ip.node(x))
        ),
        Tensor.from_numpy: lambda ip, array: (
            array.node if type(array) is RunArray else Tensor.from_numpy(array)
        ),
    }
)

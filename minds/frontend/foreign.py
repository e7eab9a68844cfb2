"""NumPy and Python's own classes in compiled code: what is known while compiling is computed then.

An array is a value that is known now, like a number or a string. Calls of NumPy, SciPy and `re`, and
of methods of numbers, strings, bytes, ranges, sets and classes, run at once if their arguments are
all known. Arrays that compiled code sees are read-only: ``x += y`` and ``x[i] = y`` make a new
array, and every name of the old one names the new one.
"""

from __future__ import annotations

import functools
import types
from operator import index

import numpy as np

from ..base import tree
from ..base.errors import CompileTimeError, ParseError, complain
from ..ir.dim import Dim
from ..ir.node import Node
from ..ops.define import Op, P
from ..tensor import Parameter, Tensor
from . import run_arrays
from .describe import need_static
from .function_types import Bound, Closure, Method, UnionValue
from .iterated import Iterated
from .value_types import NUMBERS, LocalDict, LocalList, RunArray, is_made

_ROOTS = ("numpy", "re", "scipy")
_CONSTANT = (bool, int, float, complex, str, bytes, range, slice, frozenset, type, property)
_OF_SETS = {"copy", "difference", "intersection", "isdisjoint", "issubset", "issuperset"}
_OF_SETS |= {"symmetric_difference", "union"}
_OF_SUBCLASSES = {"get", "keys", "values", "items", "index", "count"}
"""What is read of objects of outside whose class derives from dict or list."""
_OF_RUN = (Node, Tensor, Dim, Closure, Bound, UnionValue, Method, RunArray)
_METHODS = (types.BuiltinMethodType, types.MethodDescriptorType, types.ClassMethodDescriptorType)


def is_foreign(fn) -> bool:
    """Whether ``fn`` is of NumPy, SciPy or `re`, or a method of a constant of Python."""
    if isinstance(fn, _METHODS):
        owner = getattr(fn, "__objclass__", None) or type(fn.__self__)
        if issubclass(owner, _CONSTANT) or owner is set and fn.__name__ in _OF_SETS:
            return True
        if issubclass(owner, (dict, list)) and fn.__name__ in _OF_SUBCLASSES:
            return True
    owner = getattr(fn, "__self__", None)
    if owner is not None and not isinstance(owner, type(np)):
        fn = type(owner)
    module = getattr(fn, "__module__", None) or type(fn).__module__
    return callable(fn) and isinstance(module, str) and module.split(".")[0] in _ROOTS


def is_pure(fn) -> bool:
    """Whether ``fn`` is a function or class of Python's library that computes something, and does
    nothing else; or a method of an object of such a class.
    """
    if not isinstance(fn, _FUNCTIONS):
        return False
    of, owner = fn, getattr(fn, "__self__", None)
    if owner is not None and not isinstance(owner, (type, types.ModuleType)):
        of = type(owner)
    return getattr(of, "__module__", None) in _PURE and fn.__name__ not in _TELLS_TIME


_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, type)


_PURE = set(
    "_decimal _hashlib _json _struct _statistics base64 binascii calendar cmath colorsys datetime "
    "decimal difflib fnmatch fractions hashlib html inspect ipaddress json json.decoder "
    "json.encoder numbers posixpath pprint shlex statistics string struct textwrap typing "
    "unicodedata urllib.parse uuid zlib".split()
)
"""Modules of Python's library: what they compute from known values is computed while compiling."""
_TELLS_TIME = {"now", "today", "utcnow", "uuid1", "uuid4", "ctime"}


def are_known(values) -> bool:
    """Whether CPython can compute with these values now."""
    return all(_is_known(v) for v in values)


def _is_known(v) -> bool:
    if isinstance(v, (tuple, list, set, frozenset)):
        return all(map(_is_known, v))
    if isinstance(v, dict):
        return all(map(_is_known, v.values()))
    return not isinstance(v, _OF_RUN) and not is_made(v)


def call(ip, fn, args: list, kwargs: dict):
    """``fn(*args, **kwargs)``, computed now.

    Raises:
        CompileTimeError: an argument is a run-time value.
        ParseError: ``fn`` draws random numbers, which would be the same in every run of the
            program.
    """
    name = getattr(fn, "__name__", type(fn).__name__)
    if run_arrays.is_asked(fn, args, kwargs):
        return run_arrays.called(ip, fn, args, kwargs)
    drawn = isinstance(getattr(fn, "__self__", None), (np.random.RandomState, np.random.Generator))
    drawn = drawn or "random" in (getattr(fn, "__module__", None) or "")
    if drawn or name == "rvs":
        where = "numpy.random" if drawn else "scipy.stats"
        what = f"{where}.{name} would be drawn once, when the program is compiled"
        cure = "use ops.normal or ops.uniform, or draw outside and pass the array"
        raise complain(ParseError, what, cure=cure)
    drained = [v.take_all(ip) if isinstance(v, Iterated) else None for v in args]
    args = [v if d is None else d for v, d in zip(args, drained)]
    for v in (*args, *kwargs.values()):
        try:
            _need_known(v, f"an argument of {_qualified(fn, name)}")
        except (CompileTimeError, TypeError) as e:
            if isinstance(getattr(P, name, None), Op):
                e.complaint.cure = f"use ops.{name}"
            raise
    args, kwargs = tree.map(counted, args), tree.map(counted, kwargs)
    args = [v if d is None else iter(v) for v, d in zip(args, drained)]
    return frozen(ip.native(fn, *args, **kwargs))


def counted(v, what: str = "an argument"):
    """``v``, which must be known; an open size as the number that the program is then made for."""
    return index(v) if type(v) is Dim else need_static(v, what)


def _qualified(fn, name: str) -> str:
    module = getattr(fn, "__module__", None) or type(fn).__module__
    return f"{module.split('.')[0]}.{name}"


def _need_known(value, what: str) -> None:
    for v in tree.leaves(value):
        if isinstance(v, Parameter):
            problem = f"{what} is a Parameter, whose value is known only at run time"
            raise complain(TypeError, problem, cure="use ops on it")
        need_static(v, what)


_ATOMS = frozenset((type(None), bool, int, float, complex, str, bytes))


def frozen(v):
    """``v`` with its arrays read-only, and lists that compiled code may change."""
    if isinstance(v, np.ndarray):
        v = v.view()
        v.flags.writeable = False
    elif type(v) is tuple and _ATOMS.issuperset(map(type, v)):
        pass  # a long one may be made longer at each iteration
    elif type(v) in (tuple, list):
        v = (tuple if type(v) is tuple else LocalList)(
            [e if isinstance(e, Node) else frozen(e) for e in v]
        )
    elif type(v) is dict:
        v = LocalDict((k, frozen(e)) for k, e in v.items())
    return v


def stored(array: np.ndarray, index, value) -> np.ndarray:
    """A copy of ``array`` with ``value`` at ``index``."""
    _need_known(index, "the index")
    _need_known(value, "an element of an array")
    new = array.copy()
    new[index] = value
    return frozen(new)


def operand(v):
    """An operand of an op: arrays become tensors, NumPy's numbers Python's."""
    if isinstance(v, np.ndarray):
        return Tensor(v)
    if type(v) is RunArray:
        return v.node
    if isinstance(v, np.generic):
        return v.item()
    if isinstance(v, (int, float)) and type(v) not in NUMBERS:  # of an enum
        return int(v) if isinstance(v, int) else float(v)
    return v


def is_array(v) -> bool:
    """Whether ``v`` is an array of NumPy."""
    return isinstance(v, np.ndarray)


def value_method(name: str):
    """A method that needs a tensor's value, of a tensor that is known now: called at once."""

    @functools.wraps(getattr(Tensor, name))
    def method(tensor, *args):
        return frozen(getattr(tensor, name)(*args))

    return method


def is_known_tensor(v) -> bool:
    """Whether ``v`` is a tensor whose value is known now."""
    return isinstance(v, Tensor) and not isinstance(v, Parameter)

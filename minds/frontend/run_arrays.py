"""Arrays of NumPy whose items only the run knows.

``x.asnumpy()`` of a tensor of the run is one, and so is what NumPy computes from one, or from such
tensors. NumPy itself is called when the program gets there, by the op ``host``. Of which type the
result is, is found while compiling: NumPy is called with made-up items. Where that says nothing,
since the size of the result depends on the items, they must be known while compiling.
"""

from __future__ import annotations

import math
import operator
import types
import warnings

import numpy as np

from ..base.errors import CompileTimeError, complain, needing, refuse
from ..ir.abstract import NONE, AbstractScalar, AbstractTensor, AbstractTuple
from ..ir.dim import Dim
from ..ir.node import Node
from ..ops.define import Op, P
from ..tensor import Parameter, Tensor
from .describe import describe
from .function_types import Bound
from .structure import parts
from .value_types import NUMBERS, Leaf, LocalList, RunArray
from .values import flatten, leaf_abstracts, same, unflatten

_STATIC = ("shape", "ndim", "size", "itemsize", "nbytes", "dtype")
_MODULES = ("numpy", "scipy")


class NumpyCall:
    """A call of NumPy with arguments of which the run knows some: what `P.host` runs.

    Attributes:
        fn, arguments: what is called, and the skeleton of its arguments.
        results: the skeleton of what it gives.
    """

    __hash__ = None  # no key has it

    def __init__(self, fn, name: str, arguments):
        self.fn, self.name, self.arguments = fn, name, arguments
        self.kinds, self.results = leaf_abstracts(arguments, []), None

    def infer(self, abstracts):
        """The abstract value of the op's result."""
        found = leaf_abstracts(self.results, [])
        return NONE if not found else found[0] if len(found) == 1 else AbstractTuple(found)

    def run(self, values):
        """The results for values.

        Raises:
            ValueError: they are of other types than those that the program is made for.
        """
        found: list = []
        arrays = [v.asnumpy() if isinstance(v, Tensor) else v for v in values]
        skeleton = _typed(self._called(arrays), found)
        if not same(skeleton, self.results, operator.eq):
            raise complain(
                ValueError,
                f"{self.name} gives {describe(skeleton)} for these items",
                expected=f"{describe(self.results)}, as the program is made for",
                cure="call it outside of the compiled function",
            )
        found = [Tensor(v, a.dtype) for v, a in zip(found, leaf_abstracts(skeleton, []))]
        return tuple(found) if len(found) != 1 else found[0]

    def no_gradient(self) -> Exception:
        """The error where a derivative passes."""
        what, cure = (
            f"{self.name} has no gradient",
            "use ops, or wrap its inputs in ops.stop_gradient",
        )
        return complain(TypeError, what, cure=cure)

    def _called(self, values: list):
        given = [_as_given(v, a) for v, a in zip(values, self.kinds)]
        args, kwargs = mapped_arrays(unflatten(self.arguments, iter(given)))
        return self.fn(*args, **kwargs)

    def find_results(self, nodes: list) -> None:
        """Find the types of the results.

        Raises:
            CompileTimeError: they depend on the items.
        """
        found, failed = [], None
        for made in (_ordinals, np.ones, np.zeros):
            try:
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found.append(_typed(self._called([_example(a, made) for a in self.kinds]), []))
            except CompileTimeError:
                raise
            except Exception as e:
                failed = e  # it may work with the items that come
        if not found:
            kind = next(
                (k for k in (TypeError, IndexError, KeyError) if isinstance(failed, k)), ValueError
            )
            raise complain(kind, f"{self.name}: {failed}") from None
        if not all(same(found[0], other, operator.eq) for other in found[1:]):
            what = f"an argument of {self.name}, whose items decide the shape of the result,"
            name = self.name.rpartition(".")[2]
            known = isinstance(getattr(P, name, None), Op)
            error = complain(
                CompileTimeError,
                f"{what} must be known when the program is compiled",
                operands=[("argument", describe(n)) for n in nodes],
                cure=f"use ops.{name}"
                if known
                else "use ops, or call it outside and pass the result",
            )
            raise needing(error, nodes)
        self.results = found[0]


def _ordinals(shape, dtype):
    return np.arange(1, math.prod(shape) + 1).reshape(shape).astype(dtype)


def _example(a, made):
    """Made-up items of an argument."""
    if isinstance(a, AbstractScalar):
        return np.asarray(made((), a.dtype.np), a.dtype.np)
    return np.asarray(made(tuple(map(int, a.shape)), a.dtype.np))


def _as_given(array, a):
    """A leaf as NumPy gets it: a number of Python, or an array that cannot be written."""
    array = np.asarray(array)
    if isinstance(a, AbstractScalar):
        return a.kind(array.item())
    array = array.view()
    array.flags.writeable = False
    return array


def mapped_arrays(v):
    """``v`` with arrays and numbers of NumPy for each `RunArray`, whose node is an array."""
    if type(v) is RunArray:
        return v.node if v.cls is np.ndarray else v.node[()]
    if type(v) in (tuple, list, LocalList):
        return (tuple if type(v) is tuple else list)([mapped_arrays(e) for e in v])
    return {k: mapped_arrays(e) for k, e in v.items()} if isinstance(v, dict) else v


def _typed(value, leaves: list):
    """The skeleton of what NumPy gave; its leaves are appended to ``leaves``."""
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "buifc":
        leaves.append(value)
        a = AbstractTensor(value.shape, Tensor(np.zeros((), value.dtype)).dtype)
        return RunArray(np.ndarray if isinstance(value, np.ndarray) else np.generic, Leaf(a))
    if type(value) in NUMBERS:
        leaves.append(value)
        return Leaf(AbstractScalar(type(value)))
    if type(value) in (tuple, list) or isinstance(value, tuple):
        kind = LocalList if isinstance(value, list) else tuple
        return kind([_typed(v, leaves) for v in value])
    if value is None or isinstance(value, str):
        return value
    what = f"NumPy gives {type(value).__name__}, which compiled code cannot have"
    raise complain(CompileTimeError, what, cure="call it outside of the compiled function")


def is_asked(fn, args, kwargs) -> bool:
    """Whether ``fn`` is NumPy's, and gets arrays or tensors of which only the run knows the items."""
    owner = getattr(fn, "__self__", None)
    of = fn if owner is None or isinstance(owner, types.ModuleType) else type(owner)
    module = getattr(of, "__module__", None) or type(of).__module__
    if not isinstance(module, str) or module.split(".")[0] not in _MODULES or "random" in module:
        return False
    return any(map(_holds_run, (*args, *kwargs.values())))


def _holds_run(v) -> bool:
    if isinstance(v, (tuple, list)):
        return any(map(_holds_run, v))
    if isinstance(v, Node):
        return isinstance(v.abstract, AbstractTensor)
    return isinstance(v, (RunArray, Parameter))


def called(ip, fn, args, kwargs=None, name: str = ""):
    """``fn(*args, **kwargs)``, by NumPy when the program runs."""
    leaves: list = []
    given = _read(ip, (tuple(args), kwargs or {}))
    call = NumpyCall(fn, name or f"numpy.{getattr(fn, '__name__', fn)}", flatten(given, leaves))
    nodes = [ip.node(v) for v in leaves]
    call.find_results(nodes)
    found = ip.native(P.host, tuple(nodes), call)
    count = len(leaf_abstracts(call.results, []))
    return unflatten(call.results, iter(() if count == 0 else (found,) if count == 1 else found))


def _read(ip, v):
    """``v`` with arrays for its tensors, and numbers for its sizes."""
    if isinstance(v, Parameter):
        v = ip.read(v)
    if isinstance(v, Tensor) or isinstance(v, Node) and isinstance(v.abstract, AbstractTensor):
        return of_tensor(ip, v)
    if type(v) is Dim:
        return operator.index(v)
    if type(v) is RunArray:
        return v
    p = parts(v)
    return v if p is None else p.remake([_read(ip, e) for e in p.items])


def of_tensor(ip, v) -> RunArray:
    """The items of a tensor, through which no gradient flows, as none does eagerly."""
    return RunArray(np.ndarray, ip.native(P.stop_gradient, ip.node(v)))


def attribute(ip, v: RunArray, name: str):
    """``v.name``."""
    a = v.node.abstract
    if name in ("dtype", "itemsize", "nbytes"):
        item = a.dtype.np
        return {"dtype": item, "itemsize": item.itemsize}.get(name, item.itemsize * a.size)
    if name in _STATIC:
        return getattr(a, name)
    found = getattr(np.ndarray, name, None)
    if found is None:
        raise complain(AttributeError, f"'numpy.ndarray' object has no attribute {name!r}")
    if not callable(found):
        return called(ip, getattr, [v, name], name=f"ndarray.{name}")
    return Bound(_Method(name), v, name)


class _Method:
    """A method of arrays."""

    def __init__(self, name: str):
        self.name = self.__name__ = name

    def _emit(self, ip, args, kwargs):
        name = self.name
        return called(
            ip, lambda v, *a, **k: getattr(v, name)(*a, **k), args, kwargs, f"ndarray.{name}"
        )


def operand(ip, v):
    """``v`` for an op: a tensor for an array of the run, a number for a number of NumPy."""
    if type(v) is RunArray:
        a = v.node.abstract
        kind = "bool" if a.dtype.is_bool else "float" if a.dtype.is_float else "int"
        return v.node if v.cls is np.ndarray else ip.native(P.item, v.node, kind)
    if type(v) in (tuple, list, LocalList) and any(type(e) is RunArray for e in v):
        return type(v)([operand(ip, e) for e in v])
    return v


def expect_number(v: RunArray) -> None:
    """Raise where ``v``, which is changed in place, is an array."""
    what = "an array of NumPy whose items only the run knows is changed in place"
    if v.cls is np.ndarray:
        raise refuse(TypeError, what, cure="make a new one: a = a + 1")


def elements(ip, v: RunArray) -> list:
    """``list(v)``."""
    if not v.node.abstract.shape:
        raise complain(TypeError, "iteration over a 0-d array")
    return [called(ip, operator.getitem, [v, i]) for i in range(v.node.abstract.shape[0])]

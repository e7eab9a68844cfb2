"""Operators and methods of tensors, the same functions for `Tensor` and for `Node`.

Methods are the faces ``method`` of definitions (`faces`). MindSpore spells some parameters in two
ways (``axis`` and ``dim``, ``keepdims``, ``keep_dims`` and ``keepdim``); methods take both.
"""

from __future__ import annotations

import inspect
import types

from .. import _core
from ..base import dtype as dt
from ..base.boundary import called_by_user, public, refuse, without_numpy
from ..base.errors import complain
from ..ir import build
from ..ir.abstract import AbstractScalar, AbstractTensor, AbstractTuple
from . import functional
from .define import Op, P
from .docs import SPELLINGS
from .faces import Face, offered
from .function.indexing import getitem, setitem
from .rules import known

# ---- operators


def _swapped(fn):
    return lambda self, other: fn(other, self)


def _logic(bits, truth):
    """A bitwise operator; on bools, the logical one."""

    def operator(x, y):
        both = all(isinstance(v, bool) or getattr(v, "dtype", None) is dt.bool_ for v in (x, y))
        return truth(x, y) if both else bits(x, y)

    return operator


_and = _logic(P.bitwise_and, P.logical_and)
_or = _logic(P.bitwise_or, P.logical_or)
_xor = _logic(P.bitwise_xor, P.logical_xor)

BINARY = {
    "add": P.add,
    "sub": P.sub,
    "mul": P.mul,
    "truediv": P.div,
    "floordiv": P.floor_divide,
    "mod": P.mod,
    "divmod": lambda x, y: (P.floor_divide(x, y), P.mod(x, y)),
    "pow": P.pow,
    "matmul": functional.matmul,
    "and": _and,
    "or": _or,
    "xor": _xor,
    "lshift": P.left_shift,
    "rshift": P.right_shift,
}
COMPARE = {"lt": P.less, "le": P.less_equal, "gt": P.greater, "ge": P.greater_equal}


def _equal(x, other):
    return False if other is None or isinstance(other, str) else P.equal(x, other)


def _not_equal(x, other):
    return True if other is None or isinstance(other, str) else P.not_equal(x, other)


# ---- methods


_OTHERS = (
    *SPELLINGS.items(),
    *(("dim0", "axis0"), ("dim1", "axis1"), ("dim2", "axis2")),
    *(("other", "exponent"), ("value", "other"), ("x2", "other"), ("tensor2", "other")),
    *(("y", "other"), ("source", "tensor")),
)


def _method(name: str, found: Face):
    """A plain function, so that it binds to its object, that takes both spellings of a parameter."""
    fn = functional.documented(found)
    signature = fn.signature if isinstance(fn, Op) else inspect.signature(fn)
    takes = signature.parameters
    others = {
        other: mine
        for other, mine in (*_OTHERS, *map(reversed, _OTHERS))
        if mine in takes and other not in takes
    }
    if found.like and not others:
        return public(fn, name)

    def method(self, *args, **kwargs):
        for other in others.keys() & kwargs.keys():
            kwargs[others[other]] = kwargs.pop(other)
        if kwargs.get("out", kwargs) is None and "out" not in takes:
            del kwargs["out"]  # NumPy's functions say that there is none
        try:
            return fn(self, *args, **kwargs)
        except Exception as e:
            plain = without_numpy(e, args, kwargs) if called_by_user() else None
            if plain is not None:
                return method(self, *plain[0], **plain[1])
            return refuse(e, name, fn, (self, *args), kwargs, fn.__doc__)

    method.__name__ = method.__qualname__ = name
    method.__code__ = method.__code__.replace(co_name=name)  # which messages say
    method.__doc__, method.__signature__ = fn.__doc__, signature
    return method


def table() -> dict:
    """Name of each method → the function."""
    return {n: _method(n, f) for n, f in offered("method").items() if not n.endswith("_")}


def _node_item(self, index):
    """``node[i]``: an element of a tuple, or indexing of a tensor."""
    if isinstance(self.abstract, AbstractTuple):
        if isinstance(index, int):
            n = len(self.abstract.items)
            if not -n <= index < n:  # also what ends an iteration
                raise complain(IndexError, f"a tuple of {n} elements is indexed by {index}")
            return build.current().getitem(self, index % n)
        raise complain(
            TypeError,
            f"a tuple is indexed by {index!r}",
            expected="an int known when the program is compiled",
        )
    if isinstance(self.abstract, AbstractScalar):
        known(self, "what is indexed or taken apart")
    return getitem(self, index)


def _node_items(self):
    """The elements of a tuple, or the rows of a tensor."""
    if isinstance(self.abstract, AbstractTuple):
        return (self[i] for i in range(len(self.abstract.items)))
    if isinstance(self.abstract, AbstractTensor) and not self.abstract.shape:
        raise complain(TypeError, "Cannot iterate over a scalar tensor.")
    known(self.shape[:1], "the number of items")
    return (self[i] for i in range(self.shape[0]))


def _copy(self):
    """A tensor of its own with the same values; gradients flow through.

    Returns:
        Tensor: of the same shape and dtype.

    Examples:
        >>> import minds as ms
        >>> x = ms.Tensor([1.0])
        >>> y = x.copy()
        >>> x.asnumpy()[0] = 5.0
        >>> print(y)
        [1.]
    """
    return P.copy(self)


def install(Tensor: type, Node: type) -> None:
    """Give both classes the operators and methods.

    Nodes compare by identity (they are keys of dicts), so ``==`` and ``!=`` are for tensors alone;
    rules that run on both write `P.equal`.
    """
    methods = table()
    for owner, operator in ((Tensor, _operator), (Node, _of_nodes)):
        for name, fn in BINARY.items():
            setattr(owner, f"__{name}__", _binary(operator(fn), f"__r{name}__"))
            setattr(owner, f"__r{name}__", operator(_swapped(fn)))
        for name, fn in (*COMPARE.items(), ("neg", P.neg), ("abs", P.abs)):
            setattr(owner, f"__{name}__", operator(fn))
        owner.__invert__ = operator(P.logical_not)
        owner.__pos__ = _operator(lambda x: x)
        for name, fn in methods.items():
            if not any(name in vars(c) for c in owner.__mro__[:-1]):
                setattr(owner, name, fn)
        for name, found in offered("property").items():
            fn = functional.documented(found)
            setattr(owner, name, property(fn, doc=fn.__doc__))
    Tensor.__eq__, Tensor.__ne__, Tensor.__getitem__ = _equal, _not_equal, getitem
    _by_the_core(Tensor)
    for owner in (
        Tensor,
        Node,
    ):  # ``x += y`` is ``x = x + y``: a tensor that another name has stays
        for name in BINARY:
            if name != "divmod":
                setattr(owner, f"__i{name}__", getattr(owner, f"__{name}__"))
    Tensor.copy = _copy
    Tensor.__array_priority__ = 1000  # NumPy's operators leave a Tensor on their right to ours
    Node.__getitem__, Node.__iter__ = _node_item, _node_items
    for name in ("shape", "ndim", "size"):
        setattr(Node, name, property(_asked(name)))


def _asked(name: str):
    """What library code asks of a node: of a number of the run that the user gives, as of a number,
    there is no such thing. The dtype tells the numbers' kinds apart, which code for both asks for.
    """

    def get(self):
        if type(self.abstract) is AbstractScalar:
            builder = build.current()
            if builder is not None and builder.for_user:
                raise AttributeError(
                    f"{self.abstract.kind.__name__!r} object has no attribute {name!r}"
                )
        return getattr(self.abstract, name)

    return get


def _by_the_core(Tensor: type) -> None:
    """Let the core do the operators that are ops, on operands like those of an earlier call."""
    others = {"neg": P.neg, "abs": P.abs, "eq": P.equal, "ne": P.not_equal, "matmul": P.matmul}
    for name, fn in {**BINARY, **COMPARE, **others}.items():
        for method, swapped in ((f"__{name}__", False), (f"__r{name}__", True)):
            if isinstance(fn, Op) and method in vars(Tensor):
                setattr(Tensor, method, _core.method(fn, vars(Tensor)[method], swapped))
    Tensor.__getitem__ = _core.memo(getitem)


def _binary(fn, reflected: str):
    """An operator that leaves what is no operand to the other side's class, if a user's class has
    an answer. Called by its name, that of a sum or difference takes a factor of the second operand.
    """
    scales = reflected in ("__radd__", "__rsub__")

    def operator(self, other, **alpha):
        if alpha:
            if not scales or alpha.keys() != {"alpha"}:
                what = f"{reflected.replace('r', '', 1)}: got an argument {next(iter(alpha))!r}"
                raise complain(TypeError, what, expected="one operand")
            return fn(self, other * alpha["alpha"])
        try:
            return fn(self, other)
        except TypeError:
            method = getattr(type(other), reflected, None)
            if isinstance(method, types.FunctionType) and not isinstance(other, type(self)):
                return NotImplemented
            raise

    return operator


def _operator(fn):
    """A plain function, so that it binds to its object."""
    return lambda self, *other: fn(self, *other)


def _of_nodes(fn):
    """An operator of nodes: on numbers alone it is Python's, also where the user's ops are not."""

    def operator(self, *other):
        builder = build.current()
        tensor = isinstance(self.abstract, AbstractTensor)
        if builder is None or not builder.for_user or tensor:
            return fn(self, *other)
        builder.for_user = not all(
            isinstance(build.as_node(v).abstract, AbstractScalar) for v in (self, *other)
        )
        try:
            return fn(self, *other)
        finally:
            builder.for_user = True

    return operator


__all__ = ["getitem", "install", "setitem", "table"]

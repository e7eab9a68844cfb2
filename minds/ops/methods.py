"""Operators and methods of tensors, the same functions for `Tensor` and for `Node`.

Most methods are public functions of `functional` under the same name. Those whose method form has
other parameters stand here. MindSpore spells some parameters in two ways (``axis`` and ``dim``,
``keepdims``, ``keep_dims`` and ``keepdim``); methods take both.
"""

from __future__ import annotations

import functools
import inspect
import types

from ..base import dtype as dt
from ..base.errors import complain
from ..ir import build
from ..ir.abstract import AbstractScalar, AbstractTuple
from . import functional as F
from . import rare_methods
from .define import Op, P
from .faces import offered
from .function.common import dims_from, is_tensor
from .function.indexing import getitem, setitem

# ---- operators


def _swapped(fn):
    return lambda self, other: fn(other, self)


def _invert(x):
    return P.logical_not(x) if x.dtype.is_bool else P.bitwise_not(x)


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
    "pow": P.pow,
    "matmul": F.matmul,
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


# ---- methods with parameters of their own

_SPELLINGS = {"dim": "axis", "keep_dims": "keepdims", "keepdim": "keepdims"}


def _spellings(fn):
    """Let ``fn`` take MindSpore's other spellings of ``axis`` and ``keepdims``."""

    @functools.wraps(fn)
    def method(*args, **kwargs):
        for other in _SPELLINGS.keys() & kwargs.keys():
            kwargs[_SPELLINGS[other]] = kwargs.pop(other)
        return fn(*args, **kwargs)

    return method


@_spellings
def sum_(self, axis=None, dtype=None, keepdims=False, initial=None):
    """The sum over ``axis``; see `ops.sum`."""
    if isinstance(dtype, bool):
        dtype, keepdims = None, dtype
    out = F.sum(self, axis, keepdims, dtype=dtype)
    return out if initial is None else out + initial


@_spellings
def mean(self, axis=None, keepdims=False, *, dtype=None):
    """The mean over ``axis``; see `ops.mean`."""
    return F.mean(self if dtype is None else P.cast(self, dt.of(dtype)), axis, keepdims)


@_spellings
def prod(self, axis=None, keepdims=False, dtype=None):
    """The product over ``axis``; see `ops.prod`."""
    return F.prod(self, axis, keepdims, dtype)


@_spellings
def max_(self, axis=None, keepdims=False, *, initial=None, where=None, return_indices=False):
    """The maximum over ``axis``, and with ``return_indices`` its position; see `ops.max`."""
    if return_indices:
        return F.max(self, axis, keepdims, initial=initial, where=where)
    return F.amax(self, axis, keepdims, initial=initial, where=where)


@_spellings
def min_(self, axis=None, keepdims=False, *, initial=None, where=None, return_indices=False):
    """The minimum over ``axis``, and with ``return_indices`` its position; see `ops.min`."""
    if return_indices:
        return F.min(self, axis, keepdims, initial=initial, where=where)
    return F.amin(self, axis, keepdims, initial=initial, where=where)


@_spellings
def argmax(self, axis=None, keepdims=False):
    """The position of the maximum; see `ops.argmax`."""
    return F.argmax(self, axis, keepdims)


@_spellings
def argmin(self, axis=None, keepdims=False):
    """The position of the minimum; see `ops.argmin`."""
    return F.argmin(self, axis, keepdims)


@_spellings
def all_(self, axis=None, keepdims=False):
    """Whether all elements are nonzero; see `ops.all`."""
    return P.all(self, axis, keepdims)


@_spellings
def any_(self, axis=None, keepdims=False):
    """Whether an element is nonzero; see `ops.any`."""
    return P.any(self, axis, keepdims)


@_spellings
def var(self, axis=None, ddof=0, keepdims=False, *, correction=None):
    """The variance over ``axis``; see `ops.var`. ``correction`` is another name of ``ddof``."""
    return F.var(self, axis, ddof if correction is None else correction, keepdims)


@_spellings
def std(self, axis=None, ddof=0, keepdims=False, *, correction=None):
    """The standard deviation over ``axis``; see `ops.std`. ``correction`` is another name of
    ``ddof``.
    """
    return F.std(self, axis, ddof if correction is None else correction, keepdims)


def add(self, other, *, alpha=1):
    """``self + alpha * other``; see `ops.add`."""
    return P.add(self, other if alpha == 1 else other * alpha)


def sub(self, other, *, alpha=1):
    """``self - alpha * other``; see `ops.sub`."""
    return P.sub(self, other if alpha == 1 else other * alpha)


def subtract(self, other, *, alpha=1):
    """``self - alpha * other``; see `ops.sub`."""
    return sub(self, other, alpha=alpha)


@_spellings
def argmax_with_value(self, axis=0, keepdims=False):
    """The maximum along ``axis``, and its position."""
    return F.max(self, axis, keepdims)


@_spellings
def argmin_with_value(self, axis=0, keepdims=False):
    """The minimum along ``axis``, and its position."""
    return F.min(self, axis, keepdims)


def remainder(self, other=None, *, divisor=None):
    """The remainder of floor division by ``other``, also called ``divisor``; see
    `ops.remainder`.
    """
    return F.remainder(self, divisor if other is None else other)


@_spellings
def amax(self, axis=None, keepdims=False, *, initial=None, where=None):
    """The maximum over ``axis``; see `ops.amax`."""
    return F.amax(self, axis, keepdims, initial=initial, where=where)


@_spellings
def amin(self, axis=None, keepdims=False, *, initial=None, where=None):
    """The minimum over ``axis``; see `ops.amin`."""
    return F.amin(self, axis, keepdims, initial=initial, where=where)


@_spellings
def cumsum(self, axis=None, dtype=None):
    """The running sums; see `ops.cumsum`. Without ``axis`` of the flattened tensor."""
    return (
        F.cumsum(P.reshape(self, (-1,)), 0, dtype) if axis is None else F.cumsum(self, axis, dtype)
    )


@_spellings
def cumprod(self, axis, dtype=None):
    """The running products; see `ops.cumprod`."""
    return F.cumprod(self, axis, dtype)


@_spellings
def softmax(self, axis=-1, *, dtype=None):
    """The softmax; see `ops.softmax`."""
    return F.softmax(self, axis, dtype=dtype)


@_spellings
def split(self, split_size_or_sections=None, axis=0, *, split_size=None):
    """Parts along ``axis``; see `ops.split`."""
    return F.split(
        self, split_size if split_size_or_sections is None else split_size_or_sections, axis
    )


@_spellings
def squeeze(self, axis=None):
    """Without dimensions of size 1; see `ops.squeeze`."""
    return F.squeeze(self, axis)


def reshape(self, *shape):
    """The same elements in another shape, given as a tuple or as ints; see `ops.reshape`."""
    return P.reshape(self, dims_from(shape))


def reshape_as(self, other):
    """The same elements in the shape of ``other``."""
    return P.reshape(self, other.shape)


def transpose(self, *axes):
    """Permuted dimensions, given as a tuple or as ints; reversed where none are given. Two ints of
    a larger rank are exchanged.
    """
    axes, rank = dims_from(axes), len(self.shape)
    if not axes or axes == (None,):
        axes = tuple(reversed(range(rank)))
    elif len(axes) == 2 and rank != 2:
        return F.swapaxes(self, *axes)
    return P.transpose(self, axes)


def permute(self, *axis):
    """Permuted dimensions, given as a tuple or as ints; see `ops.permute`."""
    return P.transpose(self, dims_from(axis))


def flatten(self, order="C", *dims, start_dim=0, end_dim=-1):
    """Dimensions merged, all by default; see `ops.flatten`. Also as ``flatten(start_dim,
    end_dim)``.
    """
    if isinstance(order, int):
        order, start_dim = "C", order
        end_dim = dims[0] if dims else end_dim
    return F.flatten(self, order, start_dim=start_dim, end_dim=end_dim)


def expand(self, *size):
    """Broadcast to a shape, given as a tuple or as ints; see `ops.broadcast_to`."""
    return P.broadcast_to(self, dims_from(size))


def expand_as(self, other=None, *, x=None):
    """Broadcast to the shape of ``other``, also called ``x``."""
    return P.broadcast_to(self, (x if other is None else other).shape)


def tile(self, *reps):
    """The tensor repeated along dimensions; see `ops.tile`."""
    return F.tile(self, dims_from(reps))


def repeat(self, repeats, axis=None):
    """Each element repeated, as NumPy's ``repeat``; see `ops.repeat_interleave`."""
    return F.repeat_interleave(self, repeats, axis)


def flip(self, *dims):
    """The order of elements reversed along dimensions; see `ops.flip`."""
    return P.flip(self, dims_from(dims))


def astype(self, dtype, copy=True):
    """The elements as another type; without ``copy`` the tensor itself where nothing changes; see
    `ops.cast`.
    """
    dtype = dt.of(dtype)
    if self.dtype is dtype:
        return P.copy(self) if copy and build.current() is None else self
    return P.cast(self, dtype)


def to(self, dtype=None, non_blocking=False, copy=False, *, device=None):
    """The elements as another type; see `ops.cast`. Another tensor stands for its type; the only
    device is the CPU.
    """
    if isinstance(dtype, str) and dtype.upper() == "CPU":
        dtype = None
    if isinstance(non_blocking, dt.DType):
        dtype = non_blocking
    if device is not None and str(device).upper() != "CPU":
        raise complain(ValueError, f"to: device is {device!r}", expected="'CPU'")
    return astype(self, getattr(dtype, "dtype", dtype) or self.dtype, copy)


def type_(self, dtype=None):
    """The name of the element type; with ``dtype``, the elements as that type."""
    return str(self.dtype) if dtype is None else F.cast(self, dtype)


def type_as(self, other):
    """The elements as the type of ``other``."""
    return F.cast(self, other.dtype)


def _as(dtype):
    def method(self):
        return F.cast(self, dtype)

    method.__doc__ = f"""The elements as {dtype.name}."""
    return method


def where(self, condition, y):
    """``self`` where ``condition`` holds, else ``y``; see `ops.where`."""
    return F.where(condition, self, y)


def select(self, condition, y):
    """``self`` where ``condition`` holds, else ``y``; see `ops.where`. ``select(dim, index)`` is
    the slice at one position.
    """
    if isinstance(condition, int) and isinstance(y, int):
        return P.reshape(
            F.narrow(self, condition, y % self.shape[condition], 1),
            tuple(n for i, n in enumerate(self.shape) if i != condition % len(self.shape)),
        )
    return F.where(condition, self, y)


def gather(self, input_indices, axis, batch_dims=0):
    """Slices at positions along ``axis``; see `ops.gather`. With a position tensor second,
    ``gather(dim, index)`` of elements.
    """
    if is_tensor(axis):
        return P.gather_d(self, input_indices, axis)
    return F.gather(self, input_indices, axis, batch_dims)


def view(self, *shape):
    """The same elements in another shape; see `Tensor.reshape`."""
    return P.reshape(self, dims_from(shape))


def fill(self, value):
    """A tensor of the same shape and dtype filled with ``value``."""
    return F.full_like(self, value)


def new_zeros(self, size, dtype=None):
    """Zeros of ``size`` in the dtype of this tensor."""
    return F.zeros(size, self.dtype if dtype is None else dtype)


def new_ones(self, size, dtype=None):
    """Ones of ``size`` in the dtype of this tensor."""
    return F.ones(size, self.dtype if dtype is None else dtype)


@_spellings
def sort(self, axis=-1, descending=False, *, stable=False):
    """The elements in order, and where they were; see `ops.sort`."""
    return F.sort(self, axis, descending)


def allclose(self, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether all elements are close; see `ops.isclose`."""
    return P.all(F.isclose(self, other, rtol, atol, equal_nan))


def contiguous(self):
    """This tensor: tensors are always contiguous."""
    return self


def value(self):
    """This tensor."""
    return self


def init_data(self, *args, **kwargs):
    """This tensor: its data exists from the start."""
    return self


def is_contiguous(self):
    """True: tensors are always contiguous."""
    return True


def T(self):
    """The tensor with reversed dimensions."""
    return transpose(self)


def H(self):
    """The tensor with reversed dimensions."""
    return transpose(self)


def mT(self):
    """The tensor with its last two dimensions exchanged."""
    return F.swapaxes(self, -1, -2)


PROPERTIES = {"T": T, "mT": mT, "H": H, "mH": rare_methods.mH}
NUMBERS = {
    "float": dt.float32,
    "half": dt.float16,
    "double": dt.float64,
    "int": dt.int32,
    "long": dt.int64,
    "short": dt.int16,
    "byte": dt.uint8,
    "bool": dt.bool_,
    "bfloat16": dt.bfloat16,
}
OWN = (
    add,
    sub,
    subtract,
    argmax_with_value,
    argmin_with_value,
    remainder,
    sum_,
    mean,
    prod,
    max_,
    min_,
    argmax,
    argmin,
    all_,
    any_,
    var,
    std,
    amax,
    amin,
    cumsum,
    cumprod,
    softmax,
    split,
    squeeze,
    reshape,
    reshape_as,
    transpose,
    permute,
    flatten,
    expand,
    expand_as,
    tile,
    repeat,
    flip,
    astype,
    to,
    type_,
    type_as,
    where,
    select,
    gather,
    view,
    fill,
    new_zeros,
    new_ones,
    sort,
    allclose,
    contiguous,
    is_contiguous,
    value,
    init_data,
    *rare_methods.OWN,
)


def _method(name: str, fn):
    """A plain function of the op or function ``fn``, so that it binds to its object."""
    signature = inspect.signature(fn.infer_rule if isinstance(fn, Op) else fn)
    takes = signature.parameters
    others = {
        other: mine
        for other, mine in (*_SPELLINGS.items(), *map(reversed, _SPELLINGS.items()))
        if mine in takes and other not in takes
    }

    def method(self, *args, **kwargs):
        for other in others.keys() & kwargs.keys():
            kwargs[others[other]] = kwargs.pop(other)
        return fn(self, *args, **kwargs)

    method.__name__ = method.__qualname__ = name
    method.__doc__, method.__signature__ = fn.__doc__, signature
    return method


def table() -> dict:
    """Name of each method → the function."""
    methods = {fn.__name__.rstrip("_"): fn for fn in OWN}
    methods.update((name, _as(dtype)) for name, dtype in NUMBERS.items())
    for name, f in offered("method").items():
        if not name.endswith("_"):
            methods[name] = _method(name, f.target)
    return methods


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
    return getitem(self, index)


def _copy(self):
    """A tensor of its own with the same values; gradients flow through."""
    return P.copy(self)


def install(Tensor: type, Node: type) -> None:
    """Give both classes the operators and methods.

    Nodes compare by identity (they are keys of dicts), so ``==`` and ``!=`` are for tensors alone;
    rules that run on both write `P.equal`.
    """
    for owner, operator in ((Tensor, _operator), (Node, _of_nodes)):
        for name, fn in BINARY.items():
            setattr(owner, f"__{name}__", _binary(operator(fn), f"__r{name}__"))
            setattr(owner, f"__r{name}__", operator(_swapped(fn)))
        for name, fn in COMPARE.items():
            setattr(owner, f"__{name}__", operator(fn))
        owner.__neg__, owner.__abs__ = operator(P.neg), operator(P.abs)
        owner.__invert__ = operator(_invert)
        owner.__pos__ = contiguous
        for name, fn in table().items():
            if name not in vars(owner):
                setattr(owner, name, fn)
        for name, fn in PROPERTIES.items():
            setattr(owner, name, property(fn, doc=fn.__doc__))
    Tensor.__eq__, Tensor.__ne__, Tensor.__getitem__ = _equal, _not_equal, getitem
    Tensor.copy = _copy
    Tensor.__array_priority__ = 1000  # NumPy's operators leave a Tensor on their right to ours
    Node.__getitem__ = _node_item
    for name in ("shape", "dtype", "ndim", "size"):
        setattr(Node, name, property(lambda self, name=name: getattr(self.abstract, name)))


def _binary(fn, reflected: str):
    """An operator that leaves what is no operand to the other side's class, if a user's class has
    an answer.
    """

    def operator(self, other):
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
        if builder is None or not builder.for_user:
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

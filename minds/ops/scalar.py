"""Between dtypes, and between scalars (Python numbers known at run time) and tensors."""

from __future__ import annotations

from ..base import dtype as dt
from ..base.errors import expect
from ..ir.abstract import AbstractScalar, AbstractTensor
from ..tensor import Tensor
from .define import P, op
from .promotion import KIND_OF
from .rules import same


def _dtype(dtype) -> dict:
    return {"dtype": dt.of(dtype)}


@op(tensor=True, elementwise=True)
def cast(input: Tensor, dtype: dt.DType) -> Tensor:
    """``input`` with another element type; floating point to integer truncates towards 0.

    A number beyond the range of an integer type wraps: -3.0 is 253 as uint8. From int32 on for types up to
    that, and from int64 on for the others, floats are the least number, as nan is, of which narrow types
    have the low bits.

    Args:
        input (Tensor | number): the operand.
        dtype (dtype): the new element type.

    Returns:
        Tensor: the same shape, of ``dtype``.

    Raises:
        TypeError: ``dtype`` is none.

    Examples:
        >>> print(ops.cast(Tensor([1.7, -1.7]), ms.int32))
        [ 1 -1]
    """
    return AbstractTensor(input.shape, dtype)


@cast.normalize
def _(x, dtype):
    return _dtype(dtype)


@cast.bprop
def _(x, dtype, out, dout):
    # Of a complex cotangent, the cast to a real dtype takes the real part. Only `GradOperation` asks
    # for the gradient of bools.
    flows = dtype.kind in "fc" or x.dtype.kind not in "fc"
    return (P.cast(dout, x.dtype) if flows else None,)


@cast.batch
def _(b, x, dtype):
    return P.cast(x, dtype)


@op(method=True, batch="leading", cls="Identity")
def copy(input: Tensor) -> Tensor:
    """The same values in a buffer of its own.

    Args:
        input (Tensor): the operand.

    Returns:
        Tensor: equal to ``input``.

    Examples:
        >>> print(ops.deepcopy(Tensor([1.0])))
        [1.]
    """
    return same(input)


@copy.bprop
def _(x, out, dout):
    return (dout,)


@op(kernel="cast")
def scalar_cast(x: Tensor, dtype: dt.DType) -> Tensor:
    """A scalar of another kind, as Python's ``bool``, ``int`` and ``float`` do.

    Args:
        x (number): the operand.
        dtype (dtype): bool, int64 or float64.

    Returns:
        number: of that kind.

    Raises:
        TypeError: ``dtype`` is no dtype of scalars.
    """
    expect(dtype in KIND_OF, "dtype", "bool, int64 or float64", TypeError, got=dtype.name)
    return (
        AbstractScalar(KIND_OF[dtype])
        if isinstance(x, AbstractScalar)
        else AbstractTensor(x.shape, dtype)
    )


def _converted(x, dtype):
    """A cast of batched numbers, which like single ones have gradients only from float to float."""
    return P.cast(x if x.dtype.is_float and dtype.is_float else P.stop_gradient(x), dtype)


@scalar_cast.batch
def _(b, x, dtype):
    return _converted(x, dtype)


@scalar_cast.normalize
def _(x, dtype):
    return _dtype(dtype)


@scalar_cast.bprop
def _(x, dtype, out, dout):
    return (P.scalar_cast(dout, x.dtype) if x.dtype.is_float else None,)


@op(nondiff=True)
def fit(x: Tensor, bits: Tensor) -> Tensor:
    """An int as it is, where it fits an integer of so many bits.

    Args:
        x (int): the operand.
        bits (int): how many; negative, of an unsigned integer.

    Returns:
        int: ``x``.

    Raises:
        ValueError: it does not fit.
    """
    return same(x)


def fitting(x, dtype: dt.DType):
    """An int of a program as one that ``dtype`` holds, checked when the program runs."""
    if x.abstract.kind is not int or dtype.kind not in "iu" or dtype is dt.int64:
        return x
    bits = 8 * dtype.itemsize
    return P.fit(x, -bits if dtype.kind == "u" else bits)


@op(kernel="cast", tensor=True)
def scalar_to_tensor(x: Tensor, dtype: dt.DType = dt.float32) -> Tensor:
    """A scalar as a Tensor of rank 0.

    Args:
        x (number): the scalar.
        dtype (dtype): the element type. Default: float32.

    Returns:
        Tensor: of shape () and ``dtype``.

    Raises:
        ValueError: ``x`` has dimensions.

    Examples:
        >>> print(ops.scalar_to_tensor(2))
        2.0
    """
    expect(x.shape == (), "x", "a scalar", got=x)
    return AbstractTensor((), dtype)


@scalar_to_tensor.batch
def _(b, x, dtype):
    return _converted(x, dtype)


@scalar_to_tensor.normalize
def _(x, dtype):
    return _dtype(dtype)


@scalar_to_tensor.bprop
def _(x, dtype, out, dout):
    if not x.dtype.is_float:
        return (None,)
    scalar = isinstance(x.abstract, AbstractScalar)
    return (P.item(dout, "float") if scalar else P.cast(dout, x.dtype),)


_KINDS = {"bool": bool, "int": int, "float": float}


@op(kernel="cast")
def item(x: Tensor, kind: str = "float") -> Tensor:
    """The only element of a tensor as a scalar.

    Args:
        x (Tensor): of one element.
        kind (str): ``bool``, ``int`` or ``float``.

    Returns:
        number: of that kind.

    Raises:
        TypeError: ``x`` is complex and ``kind`` is not ``bool``: compiled code has no complex numbers.
        ValueError: ``x`` has not exactly one element, or ``kind`` is another word.
    """
    expect(kind in _KINDS, "kind", "'bool', 'int' or 'float'", got=repr(kind))
    expect(x.size == 1, "x", "a tensor of one element", got=x)
    real = kind == "bool" or not x.dtype.is_complex
    expect(real, "x", "a real number in compiled code", TypeError, got=x)
    return AbstractScalar(_KINDS[kind])


@item.bprop
def _(x, kind, out, dout):
    return (P.reshape(P.scalar_to_tensor(dout, x.dtype), x.shape) if x.dtype.is_float else None,)


@item.batch
def _(b, x, kind):
    return _converted(P.reshape(x, (b.n,)), AbstractScalar(_KINDS[kind]).dtype)

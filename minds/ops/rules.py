"""What inference rules and gradient rules of many ops share: broadcasting, axes, checks.

Everything here works on abstract values, nodes and tensors alike, through ``shape`` and ``dtype``
alone.
"""

from __future__ import annotations

from ..base import dtype as dt
from ..base.errors import CompileTimeError, NoGradient, complain, expect, needing
from ..ir.abstract import AbstractTensor
from ..ir.dim import current, is_size
from ..ir.node import Node
from .define import P


class Cotangents:
    """The cotangents of an op with several results, as its gradient rule takes them: ``d[i]`` makes
    zeros, by ``zero(i)``, where none came; ``d.get(i)`` gives None.
    """

    __slots__ = ("_parts", "_zero")

    def __init__(self, parts: list, zero):
        self._parts, self._zero = parts, zero

    def get(self, i: int):
        """The cotangent of result ``i``, or None."""
        return self._parts[i]

    def __getitem__(self, i: int):
        if self._parts[i] is None:
            self._parts[i] = self._zero(i)
        return self._parts[i]

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self):
        return (self[i] for i in range(len(self._parts)))


def same(x) -> AbstractTensor:
    """The abstract value of a result like ``x``."""
    return AbstractTensor(x.shape, x.dtype)


def broadcast(a: tuple, b: tuple) -> tuple:
    """The shape that ``a`` and ``b`` broadcast to.

    Raises:
        ValueError: two sizes differ and neither is 1.
    """
    if alike(a, b):
        return a
    n = max(len(a), len(b))
    a_, b_ = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    joint = []
    for p, q in zip(a_, b_, strict=False):
        # A one that is known first: of a `Dim` no more is asked than must be.
        if _certain(p, q) or type(q) is int and q == 1:
            joint.append(p)
        elif type(p) is int and p == 1 or p == q or p == 1:
            joint.append(q)
        elif q == 1:
            joint.append(p)
        else:
            if current() is not None:
                current().unfit = p, q
            raise complain(
                ValueError,
                f"shapes {a} and {b} do not broadcast",
                expected="sizes that are equal or 1, counted from the last dimension",
            )
    return tuple(joint)


def alike(a: tuple, b: tuple) -> bool:
    """Whether two shapes are equal for all sizes: nothing is asked of a `Dim`."""
    if current() is None:
        return a == b
    return len(a) == len(b) and all(map(_certain, a, b))


def _certain(p, q) -> bool:
    return p is q or type(p) is type(q) is int and p == q


def unbroadcast(grad, shape: tuple):
    """Sum ``grad`` down to ``shape``, from which its own shape was broadcast."""
    if alike(grad.shape, shape):
        return grad
    lead = len(grad.shape) - len(shape)
    axes = tuple(
        i
        for i, n in enumerate(grad.shape)
        if i < lead or not _certain(shape[i - lead], n) and shape[i - lead] == 1 and n != 1
    )
    summed = P.sum(grad, axes, False) if axes else grad
    return summed if alike(summed.shape, shape) else P.reshape(summed, shape)


def filled(number, x, i: int, name: str, strict: bool):
    """The gradient that a user's rule gave for input ``i``, ``x``, as a number: one of each element.

    Raises:
        TypeError: it is strict (`fitted`).
    """
    if strict:
        raise complain(
            TypeError,
            f"{name}: the gradient of the {i}th arg should be a Tensor, but is {number}",
        )
    return P.full(x.shape, number, x.dtype)


def fitted(grad, x, i: int, name: str, strict: bool):
    """The gradient that a user's rule gave for input ``i``, ``x``, in the shape and dtype of ``x``.

    Args:
        strict (bool): it must have them already (MindSpore's ``check_bprop``); else it is summed
            and cast.
    Raises:
        ValueError, TypeError: it is strict, and the shape or the dtype is another.
        RuntimeError: the shape of ``x`` does not broadcast to that of the gradient.
    """
    if strict and grad.shape != x.shape:
        raise complain(
            ValueError,
            f"{name}: the gradient should have the same shape as the {i}th arg {x.shape}, but has "
            f"{grad.shape}",
        )
    if strict and grad.dtype is not x.dtype:
        raise complain(
            TypeError,
            f"{name}: the gradient should have the same dtype as the {i}th arg {x.dtype.name}, but "
            "has "
            f"{grad.dtype.name}",
        )
    if grad.shape != x.shape:
        lead = len(grad.shape) - len(x.shape)
        if lead < 0 or any(n not in (1, m) for n, m in zip(x.shape, grad.shape[lead:])):
            raise complain(
                RuntimeError,
                f"{name}: the shape of input {i} and of its grad tensor should be broadcast to "
                f"one another: {x.shape} and {grad.shape}",
                expected="the shape of the input",
            )
        grad = unbroadcast(grad, x.shape)
    return grad if grad.dtype is x.dtype else P.cast(grad, x.dtype)


def conjugate(x):
    """``x``, conjugated where it is complex: what a gradient multiplies by."""
    return P.conj(x) if x.dtype.is_complex else x


def holomorphic(rule):
    """A gradient rule for complex operands too, from one that multiplies ``dout`` by derivatives.

    The cotangent of z is dL/dx + i dL/dy, so that of the operand of a holomorphic f is dout times
    the conjugate of f'(z): the rule is run on the conjugate of dout, and what it gives conjugated.
    """

    def conjugated(x, *rest):
        *rest, dout = rest
        if not x.dtype.is_complex:
            return rule(x, *rest, dout)
        grads = rule(x, *rest, P.conj(dout))
        return tuple(g if g is None else conjugate(g) for g in grads)

    return conjugated


def no_gradient(op: str, operand: str) -> NoGradient:
    """The error of a gradient rule for an operand by which the derivative is not known."""
    return complain(
        NoGradient,
        f"{op}: has no gradient with respect to {operand}",
        cure="wrap that operand in ops.stop_gradient if none should flow",
    )


def known(value, name: str) -> None:
    """Raise unless ``value``, or each of several, is known while compiling.

    Raises:
        CompileTimeError: it is a number of the run; the compiler then tries again with constants.
    """
    for v in value if isinstance(value, (tuple, list)) else (value,):
        if isinstance(v, Node):
            raise needing(
                complain(
                    CompileTimeError,
                    f"{name} must be known when the program is compiled",
                    operands=[(name, repr(v.abstract))],
                    cure="pass a constant, or compute it from shapes",
                ),
                [v],
            )


def axis_of(axis, ndim: int, name: str = "axis") -> int:
    """``axis`` as a non-negative int.

    Raises:
        TypeError: it is no int, or not known while compiling.
        ValueError: it is out of range.
    """
    known(axis, name)
    expect(
        isinstance(axis, int) and not isinstance(axis, bool),
        name,
        "an int",
        TypeError,
        got=repr(axis),
    )
    n = max(ndim, 1)  # a scalar has the one dimension that it would have as a vector
    expect(-n <= axis < n, name, f"in [{-n}, {n})", got=axis)
    return axis % n


def axes_of(axis, ndim: int) -> tuple:
    """``axis`` (None or () for all, an int, several) as a sorted tuple of non-negative ints.

    Raises:
        TypeError, ValueError: one of them is no int, out of range, or given twice.
    """
    if axis is None or isinstance(axis, (tuple, list)) and not axis:
        return tuple(range(ndim))
    if not isinstance(axis, (tuple, list)):
        axis = (axis,)
    if ndim == 0:
        expect(all(a in (0, -1) for a in axis), "axis", "0 or -1 for a scalar", got=axis)
        return ()
    found = tuple(sorted(axis_of(a, ndim) for a in axis))
    expect(len(set(found)) == len(found), "axis", "without repetition", got=axis)
    return found


def truth(value, name: str) -> bool:
    """``value``, which must be a bool: an int in its place is a mistake about the order of arguments.

    Raises:
        TypeError: it is something else.
    """
    expect(type(value).__name__ in ("bool", "bool_"), name, "a bool", TypeError, got=repr(value))
    return bool(value)


def reduced(shape: tuple, axis: tuple, keepdims: bool) -> tuple:
    """The shape left when the dimensions in ``axis`` are reduced."""
    if keepdims:
        return tuple(1 if i in axis else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axis)


def dims_of(value, name: str) -> tuple:
    """A shape, given as an int or a sequence of ints, as a tuple of non-negative ints.

    Raises:
        TypeError, ValueError: an element is no int, or negative.
    """
    known(value, name)
    if is_size(value) or isinstance(value, int) and not isinstance(value, bool):
        value = (value,)
    expect(
        isinstance(value, (tuple, list)) and all(map(is_size, value)),
        name,
        "an int or a tuple of ints",
        TypeError,
        got=repr(value),
    )
    expect(all(n >= 0 for n in value), name, "without negative sizes", got=value)
    return tuple(value)


def scaled_by(x, factor):
    """``x * factor``, or ``x`` itself where the factor is known to be 1."""
    return x if type(factor) in (int, float) and factor == 1 else x * factor


def pair_of(value, name: str, least: int = 1) -> tuple:
    """``value`` or ``(value, value)`` as two ints that are at least ``least``.

    Raises:
        TypeError, ValueError: it is neither an int nor two of them, or too small.
    """
    known(value, name)
    two = (
        (value, value)
        if is_size(value)
        else tuple(value)
        if isinstance(value, (tuple, list))
        else ()
    )
    expect(
        len(two) == 2 and all(map(is_size, two)),
        name,
        "an int or two ints",
        TypeError,
        got=repr(value),
    )
    expect(all(n >= least for n in two), name, f"at least {least}", got=value)
    return two


def floating(x, name: str) -> None:
    """Raise TypeError unless ``x`` is floating point."""
    expect(
        x.dtype.is_float,
        name,
        "floating point",
        TypeError,
        got=x.dtype.name,
        cure="cast it with .astype(ms.float32)",
    )


def integral(x, name: str) -> None:
    """Raise TypeError unless ``x`` holds integers."""
    expect(
        x.dtype.is_int,
        name,
        "of an integer dtype",
        TypeError,
        got=x.dtype.name,
        cure="cast it with .astype(ms.int32)",
    )


def numeric(x, name: str) -> None:
    """Raise TypeError if ``x`` is bool."""
    expect(
        not x.dtype.is_bool,
        name,
        "numeric",
        TypeError,
        got="bool",
        cure="cast it with .astype(ms.int32)",
    )


def part_of(x) -> dt.DType:
    """The dtype of the real part of ``x``."""
    return PARTS.get(x.dtype, x.dtype)


def whole_of(x) -> dt.DType:
    """The complex dtype that holds ``x``."""
    return x.dtype if x.dtype.is_complex else WHOLE.get(x.dtype, dt.complex64)


WHOLE = {dt.float32: dt.complex64, dt.float64: dt.complex128}
PARTS = {dt.complex64: dt.float32, dt.complex128: dt.float64}


def joined(x, y, dtype: dt.DType | None = None) -> AbstractTensor:
    """The abstract result of a broadcasting binary op."""
    return AbstractTensor(broadcast(x.shape, y.shape), dtype or x.dtype)

"""Primitive classes that solve equations with matrices, choose elements by rank, and take windows;
MindSpore offers them as classes alone.
"""

from __future__ import annotations

import itertools

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...tensor import Tensor
from ..define import P
from ..faces import face, primitive
from ..function.common import as_tensor, cut, hosted, known_values, sizes_of
from ..functional import WITHIN as F
from ..rules import same


def _turned(x):
    """The conjugate transpose."""
    x = F.swapaxes(x, -1, -2)
    return P.conj(x) if x.dtype.is_complex else x


def _square(x, name: str) -> int:
    n = x.shape[-1] if len(x.shape) > 1 else 0
    expect(len(x.shape) > 1 and x.shape[-2] == n, name, "square matrices", got=x.shape)
    return n


@primitive
def MatrixTriangularSolve(lower=True, adjoint=False):
    """The solutions of A X = B, or of its conjugate transpose, with one triangle of A."""

    def call(matrix, rhs):
        _square(matrix, "matrix")
        half = P.tril(matrix, 0) if lower else P.triu(matrix, 0)
        return P.solve(_turned(half) if adjoint else half, rhs)

    return call


@primitive
def MatrixSolveLs(fast=True):
    """The X for which ``|A X - B|`` is least; with ``fast`` by the normal equations, to which
    ``l2_regularizer`` times the square of X is added.
    """

    def call(matrix, rhs, l2_regularizer):
        rows, columns = matrix.shape[-2:]
        extra = P.cast(l2_regularizer, matrix.dtype) if fast else 0
        back = _turned(matrix)
        if rows >= columns:
            eye = P.eye(columns, columns, matrix.dtype)
            return P.solve(P.matmul(back, matrix) + eye * extra, P.matmul(back, rhs))
        eye = P.eye(rows, rows, matrix.dtype)
        return P.matmul(back, P.solve(P.matmul(matrix, back) + eye * extra, rhs))

    return call


@primitive
def Lstsq(fast=True, l2_regularizer=0.0):
    """The X for which the square of A X - B is least, and of these the smallest; with ``fast``,
    ``l2_regularizer`` times the square of X is added.
    """
    extra = l2_regularizer if fast else 0.0

    def call(x, a):
        a = a if len(a.shape) > 1 else F.expand_dims(a, 1)
        rows, columns = x.shape
        back = P.transpose(x, (1, 0))
        if rows >= columns:
            eye = P.eye(columns, columns, x.dtype)
            return P.solve(P.matmul(back, x) + eye * extra, P.matmul(back, a))
        return P.matmul(back, P.solve(P.matmul(x, back) + P.eye(rows, rows, x.dtype) * extra, a))

    return call


def _logm(x):
    import scipy.linalg

    flat = x.reshape(-1, *x.shape[-2:])
    rows = [scipy.linalg.logm(m) for m in flat]
    return np.array(rows, x.dtype).reshape(x.shape)


@hosted(_logm)
def _matrix_logarithm(x: Tensor):
    return same(x)


@face(cls="MatrixLogarithm")
def _(x):
    """The logarithms of complex square matrices."""
    _square(x, "x")
    expect(x.dtype.is_complex, "x", "complex", TypeError, got=x.dtype.name)
    return _matrix_logarithm(x)


@face(cls="TridiagonalMatMul")
def _(superdiag, maindiag, subdiag, rhs):
    """The product of a matrix with three diagonals, each a row of its length, and ``rhs``."""
    n = rhs.shape[-2]

    def scaled(diagonal, rows):
        return P.reshape(diagonal, (*diagonal.shape[:-2], diagonal.shape[-1], 1)) * rows

    zero = cut(rhs, len(rhs.shape) - 2, 0, 1) * 0
    below = F.concat((cut(rhs, len(rhs.shape) - 2, 1, n), zero), -2)
    above = F.concat((zero, cut(rhs, len(rhs.shape) - 2, 0, n - 1)), -2)
    return scaled(superdiag, below) + scaled(maindiag, rhs) + scaled(subdiag, above)


@primitive
def NuclearNorm(dim=None, keepdim=False):
    """The sum of the singular values of matrices, which lie along two dimensions."""

    def call(x):
        return F.norm(x, "nuc", (0, 1) if dim is None else tuple(dim), keepdim)

    return call


@primitive
def NthElement(reverse=False):
    """The element of the last dimension with ``n`` smaller ones; larger ones with ``reverse``."""

    def call(input, n):
        size = input.shape[-1]
        n = n if isinstance(n, int) else int(known_values("NthElement", n)[0])
        expect(0 <= n < size, "n", f"from 0 to {size - 1}", got=n)
        rank = len(input.shape) - 1
        ordered, _ = F.sort(input, rank, reverse)
        return F.squeeze(cut(ordered, rank, n, n + 1), rank)

    return call


@face(cls="CompareAndBitpack")
def _(x, threshold):
    """Bits that say which elements are larger than ``threshold``, eight of the last dimension in a
    uint8, the first the highest.
    """
    expect(len(x.shape) > 0 and x.shape[-1] % 8 == 0, "x", "of 8 k columns", got=x.shape)
    large = P.logical_and(x, P.logical_not(threshold)) if x.dtype.is_bool else x > threshold
    bits = P.reshape(P.cast(large, dt.int32), (*x.shape[:-1], x.shape[-1] // 8, 8))
    return P.cast(P.sum(bits * as_tensor([128, 64, 32, 16, 8, 4, 2, 1], dt.int32), -1), dt.uint8)


@primitive
def ExtractVolumePatches(kernel_size, strides, padding):
    """The windows of volumes, with the elements of a window along the channels."""
    expect(padding in ("VALID", "SAME"), "padding", "'VALID' or 'SAME'", got=repr(padding))

    def of(values):
        return (values,) * 3 if isinstance(values, int) else tuple(values)[-3:]

    kernel, steps = of(kernel_size), of(strides)

    def call(input_x):
        x = input_x
        if padding == "SAME":
            sides = []
            for n, k, s in zip(x.shape[2:], kernel, steps):
                total = max((-(-n // s) - 1) * s + k - n, 0)
                sides = [total // 2, total - total // 2, *sides]
            x = F.pad(x, tuple(sides))
        ends = [(n - k) // s + 1 for n, k, s in zip(x.shape[2:], kernel, steps)]
        parts = []
        for at in itertools.product(*map(range, kernel)):
            begin = (0, 0, *at)
            end = (*x.shape[:2], *[a + (n - 1) * s + 1 for a, n, s in zip(at, ends, steps)])
            parts.append(P.strided_slice(x, begin, end, (1, 1, *steps)))
        return F.concat(parts, 1)

    return call


@face(cls="Expand")
def _(x, shape):
    """``x`` repeated to a shape; -1 keeps a size."""
    wanted = sizes_of(shape)
    lead = len(wanted) - len(x.shape)
    return P.broadcast_to(
        x, tuple(x.shape[i - lead] if n == -1 else n for i, n in enumerate(wanted))
    )


@primitive
def PadV3(mode="constant", paddings_contiguous=True):
    """``x`` with more elements before and after it: ``paddings`` gives their numbers for the last
    dimension first, side by side, or with ``paddings_contiguous`` unset those before all first.
    """
    expect(
        mode in ("constant", "reflect", "edge", "circular"),
        "mode",
        "'constant', 'reflect', 'edge' or 'circular'",
        got=repr(mode),
    )

    def call(x, paddings, constant_value=None):
        sides = sizes_of(paddings)
        if not paddings_contiguous:
            half = len(sides) // 2
            sides = tuple(n for pair in zip(sides[:half], sides[half:]) for n in pair)
        if mode != "constant":
            return F.pad(x, sides, "replicate" if mode == "edge" else mode)
        if constant_value is None:
            return F.pad(x, sides)
        inner = F.pad(P.full(x.shape, 1, dt.bool_), sides)
        return P.select(inner, F.pad(x, sides), P.cast(constant_value, x.dtype))

    return call


@face(cls="CheckNumerics")
def _(x):
    """``x``; NaN and infinities in it are an error where the program runs."""
    bad = P.logical_not(P.all(P.isfinite(x), tuple(range(len(x.shape)))))
    return _checked(x, bad)


def _refuse(x, bad):
    expect(not bad, "CheckNumerics: x", "finite", RuntimeError)
    return x


@hosted(_refuse)
def _checked(x: Tensor, bad: Tensor):
    return same(x)


@_checked.bprop
def _(x, bad, out, dout):
    return dout, None


@face(cls="MapUniform")
def _(input, per_group_size, group_num):
    """Numbers dealt to groups in turn: ``input % group_num * per_group_size + input // group_num``."""
    return input % group_num * per_group_size + P.floor_divide(input, group_num)

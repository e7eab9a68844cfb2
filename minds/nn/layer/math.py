"""Cells around functions of linear algebra and statistics, from MindSpore's older interface."""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...ops.define import P
from ..cell import Cell
from . import checks


class MatMul(Cell):
    """The matrix product of the inputs, either transposed first.

    Args:
        transpose_x1 (bool), transpose_x2 (bool): exchange the last two dimensions. Default False.
    Inputs:
        - **x1** (Tensor), **x2** (Tensor)
    Outputs:
        Tensor.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.MatMul(transpose_x2=True)(ms.ops.ones((2, 3)), ms.ops.ones((4, 3))).shape
        (2, 4)
    """

    def __init__(self, transpose_x1=False, transpose_x2=False):
        super().__init__()
        self.transpose_x1 = checks.boolean("MatMul", "transpose_x1", transpose_x1)
        self.transpose_x2 = checks.boolean("MatMul", "transpose_x2", transpose_x2)

    def construct(self, x1, x2):
        if self.transpose_x1 and x1.ndim > 1:
            x1 = x1.swapaxes(-1, -2)
        if self.transpose_x2 and x2.ndim > 1:
            x2 = x2.swapaxes(-1, -2)
        return ops.matmul(x1, x2)


class Norm(Cell):
    """The Euclidean norm over dimensions.

    Args:
        axis (int, tuple[int]): the dimensions. Default (), all.
        keep_dims (bool): keep them with size 1. Default False.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Norm(axis=1)(ms.Tensor([[3.0, 4.0]])).asnumpy().tolist()
        [5.0]
    """

    def __init__(self, axis=(), keep_dims=False):
        super().__init__()
        self.axis, self.keep_dims = axis, checks.boolean("Norm", "keep_dims", keep_dims)

    def construct(self, x):
        return ops.sqrt(P.sum(ops.square(x), self.axis, self.keep_dims))

    def extend_repr(self):
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


class Moments(Cell):
    """Mean and (biased) variance over dimensions.

    Args:
        axis (int, tuple[int]): the dimensions. Default None, all.
        keep_dims (bool): keep them with size 1. Default None, False.
    Outputs:
        Tuple of mean and variance; of a float16 input, computed in float32.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> [float(v) for v in nn.Moments()(ms.Tensor([1.0, 3.0]))]
        [2.0, 1.0]
    """

    def __init__(self, axis=None, keep_dims=None):
        super().__init__()
        self.axis, self.keep_dims = axis, bool(keep_dims)

    def construct(self, x):
        wide = ops.cast(x, dt.float32) if x.dtype == dt.float16 else x
        mean = ops.mean(wide, self.axis, True)
        variance = ops.mean(ops.square(wide - ops.stop_gradient(mean)), self.axis, self.keep_dims)
        mean = mean if self.keep_dims else ops.mean(wide, self.axis, False)
        return ops.cast(mean, x.dtype), ops.cast(variance, x.dtype)


class ReduceLogSumExp(Cell):
    r""":math:`\log\sum e^x` over dimensions, without overflow.

    Args:
        axis (int, tuple[int]): the dimensions.
        keep_dims (bool): keep them with size 1. Default False.
    """

    def __init__(self, axis, keep_dims=False):
        super().__init__()
        self.axis, self.keep_dims = axis, checks.boolean("ReduceLogSumExp", "keep_dims", keep_dims)

    def construct(self, x):
        return ops.logsumexp(x, self.axis, self.keep_dims)


class Range(Cell):
    """The numbers from ``start`` to before ``limit`` in steps of ``delta``.

    Args:
        start (number): the first; or the limit, where none is given, counting from 0.
        limit (number): Default None.
        delta (number): Default 1.

    Examples:
        >>> from minds import nn
        >>> nn.Range(1, 6, 2)().asnumpy().tolist()
        [1, 3, 5]
    """

    def __init__(self, start, limit=None, delta=1):
        super().__init__()
        if delta == 0:
            raise complain(ValueError, "Range: delta is 0", expected="another number")
        first, last = (0, start) if limit is None else (start, limit)
        self.values = ops.arange(first, last, delta)

    def construct(self):
        return self.values


class Roll(Cell):
    """Shifts elements along dimensions, those that fall off come in on the other side.

    Args:
        shift (int, tuple[int]): by how much.
        axis (int, tuple[int]): along which dimensions.
    """

    def __init__(self, shift, axis):
        super().__init__()
        self.shift, self.axis = shift, axis

    def construct(self, input_x):
        return ops.roll(input_x, self.shift, self.axis)


class Tril(Cell):
    """The lower triangle of matrices.

    Inputs:
        - **x** (Tensor[(..., M, N)]), **k** (int) - up to which diagonal. Default 0.
    """

    def construct(self, x, k=0):
        return ops.tril(x, k)


class Triu(Cell):
    """The upper triangle of matrices; inputs as `Tril`."""

    def construct(self, x, k=0):
        return ops.triu(x, k)


class LGamma(Cell):
    r""":math:`\log|\Gamma(x)|`."""

    def construct(self, x):
        return ops.lgamma(x)


class DiGamma(Cell):
    r"""The derivative of :math:`\log\Gamma(x)`."""

    def construct(self, x):
        return ops.digamma(x)


class MatrixDiag(Cell):
    """Matrices with given diagonals.

    Inputs:
        - **x** (Tensor[(..., N)])
    Outputs:
        Tensor[(..., N, N)].

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.MatrixDiag()(ms.Tensor([1.0, 2.0])).asnumpy().tolist()
        [[1.0, 0.0], [0.0, 2.0]]
    """

    def construct(self, x):
        n = x.shape[-1]
        return ops.expand_dims(x, -1) * ops.eye(n, n, x.dtype)


class MatrixDiagPart(Cell):
    """The diagonals of matrices ``(..., M, N)``: a Tensor ``(..., min(M, N))``."""

    def construct(self, x):
        n = min(x.shape[-2], x.shape[-1])
        square = x[..., :n, :n]
        return ops.sum(ops.select(ops.eye(n, n, dt.bool_), square, ops.zeros_like(square)), -1)


class MatrixSetDiag(Cell):
    """Matrices ``(..., M, N)`` with other diagonals ``(..., min(M, N))``."""

    def construct(self, x, diagonal):
        rows, columns = x.shape[-2], x.shape[-1]
        n = min(rows, columns)
        wide = ops.expand_dims(diagonal, -1) * ops.eye(n, n, x.dtype)
        wide = P.pad(wide, ((0, 0),) * (x.ndim - 2) + ((0, rows - n), (0, columns - n)), 0)
        return ops.select(ops.eye(rows, columns, dt.bool_), wide, x)


class IGamma(Cell):
    """The regularised lower incomplete gamma function of a and x; see `ops.igamma`."""

    def construct(self, a, x):
        return ops.igamma(a, x)


class LBeta(Cell):
    """The logarithm of the beta function, lgamma(x) + lgamma(y) - lgamma(x + y)."""

    def construct(self, x, y):
        return ops.lgamma(x) + ops.lgamma(y) - ops.lgamma(x + y)


class MatDet(Cell):
    """The determinants of symmetric positive definite matrices, from their Cholesky factors."""

    def construct(self, a):
        n = a.shape[-1]
        diagonal = ops.sum(P.cholesky(a, False) * ops.eye(n, n, a.dtype), -1)
        return ops.square(ops.prod(diagonal, -1))


class MatInverse(Cell):
    """The inverses of symmetric positive definite matrices."""

    def construct(self, a):
        return ops.cholesky_inverse(P.cholesky(a, False)) if a.ndim == 2 else P.inverse(a)


__all__ = [
    "DiGamma",
    "IGamma",
    "LBeta",
    "LGamma",
    "MatDet",
    "MatInverse",
    "MatMul",
    "MatrixDiag",
    "MatrixDiagPart",
    "MatrixSetDiag",
    "Moments",
    "Norm",
    "Range",
    "ReduceLogSumExp",
    "Roll",
    "Tril",
    "Triu",
]

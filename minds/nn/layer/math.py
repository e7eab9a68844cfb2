"""Cells around functions of linear algebra and statistics, from MindSpore's older interface."""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...base.late import all_of, late
from ...ops.define import P
from ..cell import Cell
from . import checks


class MatMul(Cell):
    """The matrix product of the inputs, either transposed first.

    Args:
        transpose_x1 (bool), transpose_x2 (bool): exchange the last two dimensions. Default False.

    Inputs:
        - **x1** (Tensor[(..., M, K)]), **x2** (Tensor[(..., K, N)]) - after they are transposed;
          vectors too, as for `ops.matmul`.

    Outputs:
        Tensor[(..., M, N)].

    Raises:
        TypeError: an argument is no bool.
        ValueError: the shapes do not fit.

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
    r"""The Euclidean norm :math:`\sqrt{\sum x^2}` over dimensions.

    Args:
        axis (int, tuple[int]): the dimensions. Default (), all.
        keep_dims (bool): keep them with size 1. Default False.

    Inputs:
        - **x** (Tensor[float])

    Outputs:
        Tensor of the dtype of ``x``, without the dimensions, or with size 1 for them.

    Raises:
        TypeError: ``keep_dims`` is no bool.
        ValueError, IndexError: ``axis`` is out of range.

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

    Inputs:
        - **x** (Tensor[float])

    Outputs:
        Tuple of mean and variance, of the dtype of ``x``; of a float16 input, computed in float32.

    Raises:
        ValueError, IndexError: ``axis`` is out of range.

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
    r"""The function :math:`\log\sum e^x` over dimensions, without overflow.

    Args:
        axis (int, tuple[int]): the dimensions.
        keep_dims (bool): keep them with size 1. Default False.

    Inputs:
        - **x** (Tensor[float])

    Outputs:
        Tensor of the dtype of ``x``, without the dimensions, or with size 1 for them.

    Raises:
        TypeError: ``keep_dims`` is no bool.
        ValueError, IndexError: ``axis`` is out of range.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.ReduceLogSumExp(0)(ms.Tensor([1000.0, 0.0])))
        1000.0
    """

    def __init__(self, axis, keep_dims=False):
        super().__init__()
        self.axis = axis if axis is None else checks.ints_of("ReduceLogSumExp", "axis", axis)
        self.keep_dims = checks.boolean("ReduceLogSumExp", "keep_dims", keep_dims)

    def construct(self, x):
        return ops.logsumexp(x, self.axis, self.keep_dims)


class Range(Cell):
    """The numbers from ``start`` to before ``limit`` in steps of ``delta``.

    Args:
        start (number): the first; or the limit, where none is given, counting from 0.
        limit (number): where the numbers end, exclusive. Default None.
        delta (number): the step. Default 1.

    Outputs:
        Tensor of rank 1, int32 where all three are ints.

    Raises:
        ValueError: ``delta`` is 0.

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
        whole = all(isinstance(n, int) for n in (first, last, delta))
        self.values = ops.arange(first, last, delta, dtype=dt.int32 if whole else None)

    def construct(self):
        return self.values


class Roll(Cell):
    """Shifts elements along dimensions, those that fall off come in on the other side.

    Args:
        shift (int, tuple[int]): by how much.
        axis (int, tuple[int]): along which dimensions.

    Inputs:
        - **input_x** (Tensor)

    Outputs:
        Tensor, of the shape and dtype of the input.

    Raises:
        TypeError: an argument is no int and no tuple of ints.
        ValueError, IndexError: ``axis`` is out of range, or there are not as many as shifts.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.Roll(1, 0)(ms.Tensor([1.0, 2.0, 3.0])))
        [3. 1. 2.]
    """

    def __init__(self, shift, axis):
        super().__init__()
        self.shift = checks.ints_of("Roll", "shift", shift)
        self.axis = checks.ints_of("Roll", "axis", axis)
        shifts, axes = (v if isinstance(v, (tuple, list)) else (v,) for v in (shift, axis))
        if len(shifts) != len(axes):
            what = f"Roll: shift is {shift}, axis {axis}"
            raise complain(ValueError, what, expected="one shift for each axis")

    def construct(self, input_x):
        return ops.roll(input_x, self.shift, self.axis)


class Tril(Cell):
    """The lower triangle of matrices.

    Inputs:
        - **x** (Tensor[(..., M, N)]), **k** (int) - up to which diagonal. Default 0.

    Outputs:
        Tensor, of the shape and dtype of ``x``, with zeros above the diagonal.

    Raises:
        ValueError: ``x`` has fewer than two dimensions.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> print(nn.Tril()(ops.ones((2, 2))))
        [[1. 0.]
         [1. 1.]]
    """

    def construct(self, x, k=0):
        return ops.tril(x, k)


class Triu(Cell):
    """The upper triangle of matrices.

    Inputs:
        - **x** (Tensor[(..., M, N)]), **k** (int) - from which diagonal on. Default 0.

    Outputs:
        Tensor, of the shape and dtype of ``x``, with zeros below the diagonal.

    Raises:
        ValueError: ``x`` has fewer than two dimensions.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> print(nn.Triu()(ops.ones((2, 2))))
        [[1. 1.]
         [0. 1.]]
    """

    def construct(self, x, k=0):
        return ops.triu(x, k)


class LGamma(Cell):
    r"""The logarithm of the gamma function, :math:`\log|\Gamma(x)|`.

    Inputs:
        - **x** (Tensor[float])

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is no Tensor or number.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.LGamma()(ms.Tensor([1.0, 2.0])).asnumpy().round(4))
        [0. 0.]
    """

    def construct(self, x):
        return ops.lgamma(x)


class DiGamma(Cell):
    r"""The derivative of :math:`\log\Gamma(x)`.

    Inputs:
        - **x** (Tensor[float])

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is no Tensor or number.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.DiGamma()(ms.Tensor([1.0])).asnumpy().round(4))
        [-0.5772]
    """

    def construct(self, x):
        return ops.digamma(x)


class MatrixDiag(Cell):
    """Matrices with given diagonals.

    Inputs:
        - **input_x** (Tensor[(..., N)])

    Outputs:
        Tensor[(..., N, N)].

    Raises:
        IndexError: ``input_x`` has rank 0.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.MatrixDiag()(ms.Tensor([1.0, 2.0])).asnumpy().tolist()
        [[1.0, 0.0], [0.0, 2.0]]
    """

    def construct(self, input_x):
        n = input_x.shape[-1]
        return ops.expand_dims(input_x, -1) * ops.eye(n, n, input_x.dtype)


class MatrixDiagPart(Cell):
    """The diagonals of matrices.

    Inputs:
        - **input_x** (Tensor[(..., M, N)])

    Outputs:
        Tensor[(..., min(M, N))].

    Raises:
        IndexError: ``input_x`` has fewer than two dimensions.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.MatrixDiagPart()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [1. 4.]
    """

    def construct(self, input_x):
        n = min(input_x.shape[-2], input_x.shape[-1])
        square = input_x[..., :n, :n]
        return ops.sum(ops.select(ops.eye(n, n, dt.bool_), square, ops.zeros_like(square)), -1)


class MatrixSetDiag(Cell):
    """Matrices with other diagonals.

    Inputs:
        - **input_x** (Tensor[(..., M, N)]), **diagonal** (Tensor[(..., min(M, N))])

    Outputs:
        Tensor, of the shape and dtype of ``input_x``.

    Raises:
        IndexError: ``input_x`` has fewer than two dimensions.
        ValueError: the diagonals have another size.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> from minds import ops
        >>> print(nn.MatrixSetDiag()(ops.zeros((2, 2)), ms.Tensor([1.0, 2.0])))
        [[1. 0.]
         [0. 2.]]
    """

    def construct(self, input_x, diagonal):
        rows, columns = input_x.shape[-2], input_x.shape[-1]
        n = min(rows, columns)
        wide = ops.expand_dims(diagonal, -1) * ops.eye(n, n, input_x.dtype)
        wide = P.pad(wide, ((0, 0),) * (input_x.ndim - 2) + ((0, rows - n), (0, columns - n)), 0)
        return ops.select(ops.eye(rows, columns, dt.bool_), wide, input_x)


class IGamma(Cell):
    r"""The regularised lower incomplete gamma function
    :math:`P(a, x) = \frac1{\Gamma(a)}\int_0^x t^{a-1} e^{-t} dt`.

    Inputs:
        - **a** (Tensor[float]), **x** (Tensor[float]) - positive, of shapes that broadcast.

    Outputs:
        Tensor of the broadcast shape.

    Raises:
        ValueError: the shapes do not broadcast.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.IGamma()(ms.Tensor([1.0]), ms.Tensor([1.0])).asnumpy().round(4))
        [0.6321]
    """

    def construct(self, a, x):
        return ops.igamma(a, x)


class LBeta(Cell):
    r"""The logarithm of the beta function,
    :math:`\log\Gamma(x) + \log\Gamma(y) - \log\Gamma(x + y)`.

    Inputs:
        - **x** (Tensor[float]), **y** (Tensor[float]) - positive, of shapes that broadcast.

    Outputs:
        Tensor of the broadcast shape.

    Raises:
        ValueError: the shapes do not broadcast.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.LBeta()(ms.Tensor([2.0]), ms.Tensor([2.0])).asnumpy().round(4))
        [-1.7918]
    """

    def construct(self, x, y):
        return ops.lgamma(x) + ops.lgamma(y) - ops.lgamma(x + y)


class MatDet(Cell):
    """The determinants of symmetric positive definite matrices, from their Cholesky factors.

    Inputs:
        - **a** (Tensor[(..., N, N), float]) - symmetric positive definite.

    Outputs:
        Tensor[(...)], of the dtype of ``a``.

    Raises:
        ValueError: the matrices are not square.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(f"{float(nn.MatDet()(ms.Tensor([[4.0, 2.0], [2.0, 3.0]]))):.4f}")
        8.0000
    """

    def construct(self, a):
        n = a.shape[-1]
        diagonal = ops.sum(P.cholesky(a, False) * ops.eye(n, n, a.dtype), -1)
        return ops.square(ops.prod(diagonal, -1))


class MatInverse(Cell):
    """The inverses of symmetric positive definite matrices.

    Inputs:
        - **a** (Tensor[(..., N, N), float]) - symmetric positive definite.

    Outputs:
        Tensor, of the shape and dtype of ``a``.

    Raises:
        ValueError: the matrices are not square.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.MatInverse()(ms.Tensor([[4.0, 0.0], [0.0, 2.0]])).asnumpy().round(4))
        [[0.25 0.  ]
         [0.   0.5 ]]
    """

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

# MindSpore has other layers here too.
__getattr__, __dir__ = late(__name__, {}, (), all_of("nn"))

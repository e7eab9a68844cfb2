"""Matrices: products with addition, diagonals, triangles, covariance."""

from __future__ import annotations

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...base.limits import check_memory, times
from ...tensor import Tensor
from ..define import P
from ..faces import face
from ..repeated import repeated
from ..rules import axis_of, broadcast, conjugate
from .array_func import moveaxis, swapaxes
from .common import is_tensor, wide, widened
from .join_func import concat, stack
from .linalg_func import matmul, tensor_dot


def _scaled(x, factor):
    return x if factor == 1 else x * factor


@face(method=True, mint=True)
def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    r""":math:`\beta x + \alpha \sum_i A_i B_i` over a batch of products.

    Args:
        input (Tensor): x, which broadcasts to (M, N).
        batch1 (Tensor[(B, M, K), number]): the left factors.
        batch2 (Tensor[(B, K, N), number]): the right factors.
        beta (number): the factor of x. Default: 1.
        alpha (number): the factor of the products. Default: 1.

    Returns:
        Tensor[(M, N)]: the sum.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``batch1`` does not fit ``input``.

    Examples:
        >>> print(ops.addbmm(Tensor([[1.0]]), ops.ones((3, 1, 2)), ops.ones((3, 2, 1))))
        [[7.]]
    """
    expect(
        len(batch1.shape) == len(batch2.shape) and len(batch1.shape) in (2, 3),
        "batch1 and batch2",
        "both of rank 3, or of rank 2",
        got=f"shapes {batch1.shape} and {batch2.shape}",
    )
    return _scaled(input, beta) + _scaled(P.sum(P.matmul(batch1, batch2), 0), alpha)


@face(method=True, mint=True)
def addmv(input, mat, vec, *, beta=1, alpha=1):
    r""":math:`\beta x + \alpha A v`.

    Args:
        input (Tensor): x, which broadcasts to (M,).
        mat (Tensor[(M, N), number]): A.
        vec (Tensor[(N,), number]): v.
        beta (number): the factor of x. Default: 1.
        alpha (number): the factor of the product. Default: 1.

    Returns:
        Tensor[(M,)]: the sum.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``mat`` does not fit ``input``.

    Examples:
        >>> print(ops.addmv(Tensor([1.0]), ops.ones((1, 2)), ops.ones((2,))))
        [3.]
    """
    return _scaled(input, beta) + _scaled(matmul(mat, vec), alpha)


@face(method=True)
def addr(x, vec1, vec2, beta=1, alpha=1):
    r""":math:`\beta x + \alpha u v^T`.

    Args:
        x (Tensor): which broadcasts to (M, N).
        vec1 (Tensor[(M,), number]): u.
        vec2 (Tensor[(N,), number]): v.
        beta (number): the factor of x. Default: 1.
        alpha (number): the factor of the product. Default: 1.

    Returns:
        Tensor[(M, N)]: the sum.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.addr(Tensor([[1.0]]), Tensor([2.0]), Tensor([3.0])))
        [[7.]]
    """
    return _scaled(x, beta) + _scaled(
        P.mul(P.reshape(vec1, (-1, 1)), P.reshape(vec2, (1, -1))), alpha
    )


@face(method=True, cls=True)
def addcmul(input, tensor1, tensor2, value=1):
    r""":math:`x + v a b`, elementwise.

    Args:
        input (Tensor[any shape, number]): x.
        tensor1 (Tensor[any shape, number]): a.
        tensor2 (Tensor[any shape, number]): b; shapes broadcast.
        value (number, Tensor): v. Default: 1.

    Returns:
        Tensor: of the shape that all broadcast to.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.addcmul(Tensor([1.0]), Tensor([2.0]), Tensor([3.0]), value=10))
        [61.]
    """
    return input + P.mul(tensor1, tensor2) * value


@face(method=True, cls=True)
def addcdiv(input, tensor1, tensor2, value=1):
    r""":math:`x + v a / b`, elementwise.

    Args:
        input (Tensor[any shape, float]): x.
        tensor1 (Tensor[any shape, float]): a.
        tensor2 (Tensor[any shape, float]): b; shapes broadcast.
        value (number, Tensor): v. Default: 1.

    Returns:
        Tensor: of the shape that all broadcast to.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.addcdiv(Tensor([1.0]), Tensor([6.0]), Tensor([3.0]), value=10))
        [21.]
    """
    return input + P.div(tensor1, tensor2) * value


@face(method=True)
def adjoint(x):
    """The last two dimensions exchanged, and complex numbers conjugated.

    Args:
        x (Tensor[(..., M, N)]): the matrices.

    Returns:
        Tensor[(..., N, M)]: of the same dtype.

    Raises:
        ValueError: ``x`` has a rank that does not fit.

    Examples:
        >>> print(ops.adjoint(Tensor([[1.0, 2.0]])))
        [[1.]
         [2.]]
    """
    out = swapaxes(x, -1, -2)
    return P.conj(out) if x.dtype.is_complex else out


@face(method=True, mint=True)
@repeated
def t(input):
    """The transpose of a matrix; a vector or a scalar is returned as it is.

    Args:
        input (Tensor): of rank 2 or less.

    Returns:
        Tensor: of the same dtype.

    Raises:
        ValueError: the rank is larger than 2.

    Examples:
        >>> print(ops.t(Tensor([[1, 2], [3, 4]])))
        [[1 3]
         [2 4]]
    """
    expect(len(input.shape) <= 2, "input", "of rank 2 or less", got=f"shape {input.shape}")
    return P.transpose(input, (1, 0)) if len(input.shape) == 2 else input


def batch_dot(x1, x2, axes=None):
    """The sums of products over one dimension of each operand, sample by sample.

    Args:
        x1, x2 (Tensor[(B, ...), number]): the operands.
        axes (int, tuple[int]): the dimensions that meet. Default: the last, and the last but one.

    Returns:
        Tensor: B first, then the other dimensions of ``x1`` and of ``x2``.

    Raises:
        ValueError: the shape of ``x2`` does not fit ``x1``.

    Examples:
        >>> ops.batch_dot(ops.ones((2, 3, 4)), ops.ones((2, 4, 5)), axes=(2, 1)).shape
        (2, 3, 5)
    """
    a, b = len(x1.shape), len(x2.shape)
    if axes is None:
        axes = (a - 1, 1 if b == 2 else b - 2)
    left, right = (axes, axes) if isinstance(axes, int) else axes
    left, right = axis_of(left, a, "axes"), axis_of(right, b, "axes")
    expect(left > 0 and right > 0, "axes", "other than the batch", got=axes)
    x, y = moveaxis(x1, left, -1), moveaxis(x2, right, 1)
    rows, columns = x.shape[1:-1], y.shape[2:]
    out = P.matmul(
        P.reshape(x, (x.shape[0], -1, x.shape[-1])), P.reshape(y, (y.shape[0], y.shape[1], -1))
    )
    shape = (x.shape[0],) + rows + columns
    return P.reshape(out, shape if len(shape) > 1 else shape + (1,))


def block_diag(*inputs):
    """A matrix with the operands along its diagonal and zeros elsewhere.

    Args:
        inputs (Tensor): of rank 2 or less: a scalar or a vector is a matrix of one row.

    Returns:
        Tensor: of rank 2.

    Raises:
        ValueError: ``inputs`` has a rank that does not fit.

    Examples:
        >>> print(ops.block_diag(Tensor([[1]]), Tensor([[2, 3]])))
        [[1 0 0]
         [0 2 3]]
    """
    blocks = [P.reshape(x, (1,) * (2 - len(x.shape)) + x.shape) for x in inputs]
    width, left, rows = sum(b.shape[1] for b in blocks), 0, []
    sizes = [width, *(b.shape[0] for b in blocks)]
    if all(type(n) is int for n in sizes) and blocks:
        check_memory(width * sum(sizes[1:]) * blocks[0].dtype.itemsize, "the result")
    for b in blocks:
        rows.append(P.pad(b, ((0, 0), (left, width - left - b.shape[1])), 0))
        left += b.shape[1]
    return concat(rows, 0)


def _diagonal_mask(rows: int, columns: int, offset: int):
    """A bool matrix that is True on a diagonal."""
    i, j = P.arange(0, rows, 1, dt.int64), P.arange(0, columns, 1, dt.int64)
    return P.equal(P.reshape(i, (-1, 1)) + offset, P.reshape(j, (1, -1)))


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Matrices with the last dimension of ``input`` on a diagonal and zeros elsewhere.

    Args:
        input (Tensor): the operand.
        offset (int): how far right of the main diagonal. Default: 0.
        dim1, dim2 (int): where the rows and columns stand in the result. Default: -2 and -1.

    Returns:
        Tensor: of one rank more.

    Raises:
        ValueError: ``input`` has a rank that does not fit.

    Examples:
        >>> print(ops.diag_embed(Tensor([1, 2])))
        [[1 0]
         [0 2]]
    """
    n = input.shape[-1] + abs(offset)
    rank = len(input.shape) + 1
    start = (max(-offset, 0), max(offset, 0))
    wide = P.pad(input, ((0, 0),) * (rank - 2) + ((start[1], n - start[1] - input.shape[-1]),), 0)
    full = P.broadcast_to(P.reshape(wide, wide.shape[:-1] + (1, n)), wide.shape[:-1] + (n, n))
    out = P.select(_diagonal_mask(n, n, offset), full, P.full((), 0, input.dtype))
    return moveaxis(out, (-2, -1), (axis_of(dim1, rank, "dim1"), axis_of(dim2, rank, "dim2")))


@face(method=True)
def diagflat(input, offset=0):
    """A matrix with all elements of ``input`` on a diagonal.

    Args:
        input (Tensor): the elements.
        offset (int): which diagonal; positive ones lie above. Default: 0.

    Returns:
        Tensor: a square matrix of the same dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.diagflat(Tensor([1, 2]), 1))
        [[0 1 0]
         [0 0 2]
         [0 0 0]]
    """
    return diag_embed(P.reshape(input, (-1,)), offset)


@face(method=True)
def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """``input`` with ``src`` on a diagonal of two of its dimensions.

    Args:
        input (Tensor): the operand.
        src (Tensor): the diagonal; its last dimension runs along it.
        offset (int): how far right of the main diagonal. Default: 0.
        dim1, dim2 (int): the rows and columns. Default: 0 and 1.

    Returns:
        Tensor: like ``input``.

    Raises:
        ValueError: the shape of ``src`` does not fit ``input``.

    Examples:
        >>> print(ops.diagonal_scatter(Tensor([[1, 2], [3, 4]]), Tensor([8, 9])))
        [[8 2]
         [3 9]]
    """
    x = moveaxis(input, (dim1, dim2), (-2, -1))
    m, n = x.shape[-2:]
    k = src.shape[-1]
    spread = diag_embed(src, offset)
    top, left = max(-offset, 0), max(offset, 0)
    expect(
        k == min(m - top, n - left), "src", f"of {min(m - top, n - left)} elements", got=src.shape
    )
    size = spread.shape[-1]
    spread = P.pad(
        spread, ((0, 0),) * (len(x.shape) - 2) + ((0, max(m - size, 0)), (0, max(n - size, 0))), 0
    )
    begin, end = (0,) * len(x.shape), x.shape
    spread = P.strided_slice(spread, begin, end, (1,) * len(end)) if spread.shape != end else spread
    return moveaxis(
        P.select(_diagonal_mask(m, n, offset), P.cast(spread, x.dtype), x), (-2, -1), (dim1, dim2)
    )


@face(cls=True)
def matrix_band_part(x, lower, upper):
    """Matrices with zeros more than ``lower`` below and ``upper`` above the diagonal; -1 keeps all.

    Args:
        x (Tensor[(..., M, N)]): the matrices.
        lower (int, Tensor): how many diagonals below the main one stay.
        upper (int, Tensor): how many above.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.matrix_band_part(ops.ones((2, 2)), 0, -1))
        [[1. 1.]
         [0. 1.]]
    """
    lower, upper = (int(n) for n in (lower, upper))
    x = x if lower < 0 else P.triu(x, -lower)
    return x if upper < 0 else P.tril(x, upper)


@face(cls="TrilIndices(row, col, offset=0, dtype=int32)")
def tril_indices(row, col, offset=0, *, dtype=dt.int64):
    """Rows and columns of the lower triangle of a matrix, in row order.

    Args:
        row (int): the number of rows.
        col (int): the number of columns.
        offset (int): the last diagonal that counts. Default: 0.
        dtype (dtype): of the result. Default: ``ms.int64``.

    Returns:
        Tensor[(2, N)]: rows and columns.

    Raises:
        TypeError: ``row`` has a wrong type.

    Examples:
        >>> print(ops.tril_indices(2, 2))
        [[0 1 1]
         [0 0 1]]
    """
    _check_places(row, col, _in_lower(row, col, offset))
    lengths = np.clip(np.arange(row) + (offset + 1), 0, col)
    return _places(np.zeros_like(lengths), lengths, dtype)


@face(cls="TriuIndices(row, col, offset=0, dtype=int32)")
def triu_indices(row, col, offset=0, *, dtype=dt.int64):
    """Rows and columns of the upper triangle of a matrix, in row order.

    Args:
        row (int): the number of rows.
        col (int): the number of columns.
        offset (int): the first diagonal that counts. Default: 0.
        dtype (dtype): of the result. Default: ``ms.int64``.

    Returns:
        Tensor[(2, N)]: rows and columns.

    Raises:
        TypeError: ``row`` has a wrong type.

    Examples:
        >>> print(ops.triu_indices(2, 2))
        [[0 0 1]
         [0 1 1]]
    """
    _check_places(row, col, row * col - _in_lower(row, col, offset - 1))
    first = np.clip(np.arange(row) + offset, 0, col)
    return _places(first, col - first, dtype)


def _in_lower(row: int, col: int, offset: int) -> int:
    """How many elements the lower triangle of a matrix has."""

    def sum_to(n: int) -> int:
        return n * (n + 1) // 2 if n > 0 else 0

    over = sum_to(row + offset - col) - sum_to(offset - col)
    return sum_to(row + offset) - sum_to(offset) - over


def _check_places(row: int, col: int, count: int) -> None:
    """Raise unless rows and columns are sizes, and memory holds a list of so many places."""
    for n, name in ((row, "row"), (col, "col")):
        expect(n >= 0, name, "at least 0", got=n)
    check_memory(8 * row + 48 * count, "the list of places")


def _places(first, lengths, dtype):
    """Rows and columns of the elements of each row: so many from the first on."""
    before = np.repeat(np.cumsum(lengths) - lengths - first, lengths)
    places = np.repeat(np.arange(len(lengths)), lengths), np.arange(len(before)) - before
    return Tensor(np.stack(places), dt.of(dtype))


@face(method=True, mint=True, cls="Cross(dim=-65530)")
def cross(input, other, dim=None):
    """The cross products of vectors of 3.

    Args:
        input, other (Tensor): the operands; they broadcast.
        dim (int): the dimension of size 3. Default: the first of that size.

    Returns:
        Tensor: of the broadcast shape.

    Raises:
        ValueError: the dimension has another size.

    Examples:
        >>> print(ops.cross(Tensor([1.0, 0.0, 0.0]), Tensor([0.0, 1.0, 0.0])))
        [0. 0. 1.]
    """
    shape = broadcast(input.shape, other.shape)
    if dim is None or dim == -65530:
        dim = next((i for i, n in enumerate(shape) if n == 3), None)
        expect(dim is not None, "input", "with a dimension of size 3", got=f"shape {shape}")
    axis = axis_of(dim, len(shape), "dim")
    sizes = [((1,) * len(shape) + x.shape)[axis - len(shape)] for x in (input, other)]
    expect(sizes == [3, 3], "dim", "one of size 3", got=dim)
    a, b = (P.split(P.broadcast_to(x, shape), (1, 1, 1), axis) for x in (input, other))
    return concat([a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))], axis)


@face(method=True)
def cov(input, *, correction=1, fweights=None, aweights=None):
    """The covariance matrix of variables in rows.

    Args:
        input (Tensor): a matrix, or the vector of one variable.
        correction (int): what is taken from the number of samples. Default: 1.
        fweights (Tensor[int]): how often each sample counts. Default: once.
        aweights (Tensor): weights of the samples. Default: equal.

    Returns:
        Tensor: a matrix, or a scalar for one variable; of half floats float32.

    Raises:
        TypeError: ``correction`` has a wrong type.

    Examples:
        >>> print(ops.cov(Tensor([[0.0, 2.0], [2.0, 0.0]])))
        [[ 2. -2.]
         [-2.  2.]]
    """
    x = wide(input)
    x = P.reshape(x, (1, -1)) if len(x.shape) < 2 else x
    w = None
    for weights in (fweights, aweights):
        if weights is not None:
            weights = P.cast(weights, x.dtype)
            w = weights if w is None else w * weights
    total = x.shape[1] if w is None else P.sum(w)
    centre = x - (P.sum(x if w is None else x * w, 1, True) / total)
    if aweights is None or correction == 0:
        scale = total - correction
    else:
        scale = total - correction * (P.sum(w * P.cast(aweights, x.dtype)) / total)
    scale = P.maximum(scale, 0) if is_tensor(scale) else max(scale, 0)
    out = P.matmul(centre if w is None else centre * w, conjugate(centre), False, True) / scale
    return P.reshape(out, ()) if out.shape == (1, 1) else out


def vander(x, N=None):
    """The powers of the elements of a vector, in rows, the highest first.

    Args:
        x (Tensor[(M,), number]): the elements.
        N (int): the number of columns. Default: None, which is M.

    Returns:
        Tensor[(M, N)]: the powers; of integers int64.

    Raises:
        ValueError: ``x`` has a rank that does not fit.

    Examples:
        >>> print(ops.vander(Tensor([1, 2]), 3))
        [[1 1 1]
         [4 2 1]]
    """
    n = x.shape[0] if N is None else N
    x = widened(x)
    one = P.full(x.shape, 1, x.dtype)
    columns = [one]
    for _ in times(n, "N")[1:]:
        columns.append(columns[-1] * x)
    return stack(columns[::-1], 1) if n else P.full((x.shape[0], 0), 0, x.dtype)


def vecdot(x, y, *, axis=-1):
    """The sums of products along a dimension.

    Args:
        x (Tensor[any shape, number]): one operand.
        y (Tensor[any shape, number]): the other; shapes broadcast.
        axis (int): the dimension that is summed. Default: -1.

    Returns:
        Tensor: without that dimension; of integers int64.

    Raises:
        TypeError: ``y`` is not a Tensor.
        ValueError: ``axis`` is out of range.
        ValueError: the shape of ``y`` does not fit ``x``.

    Examples:
        >>> print(ops.vecdot(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
        11.0
    """
    return P.sum(widened(P.mul(P.conj(x) if x.dtype.is_complex else x, y)), axis)


@face(method=True, cls=True)
def ger(input, vec2):
    """The products of each element of one vector with each of another.

    Args:
        input (Tensor[(M,), number]): one vector.
        vec2 (Tensor[(N,), number]): the other.

    Returns:
        Tensor[(M, N)]: the products.

    Raises:
        TypeError: ``input`` has a dtype that is not supported.

    Examples:
        >>> print(ops.ger(Tensor([1.0, 2.0]), Tensor([3.0])))
        [[3.]
         [6.]]
    """
    return tensor_dot(input, vec2, 0)

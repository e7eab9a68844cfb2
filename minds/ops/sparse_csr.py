"""Matrices by rows, `CSRTensor`, and functions of them."""

from __future__ import annotations

import numpy as np

from ..base import dtype as dt
from ..base.errors import complain, expect
from ..tensor import Tensor
from .define import P
from .functional import WITHIN as F
from .sparse_base import _checked, _hold, _shown, _Sparse, expect_kind
from .sparse_coo import COOTensor, coo_add


class CSRTensor(_Sparse):
    """A matrix of which some elements are stored row by row; the others are 0.

    Args:
        indptr (Tensor[(M + 1,), int]): where each row begins among the elements, and their number.
        indices (Tensor[(N,), int]): the column of each element.
        values (Tensor[(N, ...)]): the elements.
        shape (tuple[int]): the shape of the whole.
        csr_tensor (CSRTensor): takes these from another one instead.

    Raises:
        TypeError: an argument has another type.
        ValueError: the numbers of columns and elements, or rows, differ.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([1.0, 2.0]), (2, 3))
        >>> print(x.to_dense())
        [[0. 1. 0.]
         [2. 0. 0.]]
    """

    def __init__(self, indptr=None, indices=None, values=None, shape=None, csr_tensor=None):
        if csr_tensor is not None:
            expect(
                isinstance(csr_tensor, CSRTensor), "CSRTensor: csr_tensor", "a CSRTensor", TypeError
            )
            indptr, indices, values, shape = csr_tensor.to_tuple()
        self.shape = _checked(self, "CSRTensor", indices, values, shape)
        expect(_hold(self, indptr), "CSRTensor: indptr", "a Tensor", TypeError)
        if indptr.shape != (self.shape[0] + 1,) or indices.shape[0] != values.shape[0]:
            raise complain(
                ValueError,
                f"CSRTensor: indptr of shape {indptr.shape}, indices {indices.shape} and values "
                f"{values.shape} for shape {self.shape}",
                expected="a start for each row and the end, one column per value",
            )
        self.indptr, self.indices, self.values = indptr, indices, values

    def with_values(self, values) -> CSRTensor:
        """The same places with other values.

        Args:
            values (Tensor[(N, ...)]): one for each element that is stored.

        Returns:
            CSRTensor: a new one.

        Examples:
            >>> import minds as ms
            >>> x = ms.CSRTensor(ms.Tensor([0, 1, 2]), ms.Tensor([1, 0]), ms.Tensor([1.0, 2.0]), (2, 3))
            >>> print(x.with_values(ms.Tensor([5.0, 6.0])).to_dense())
            [[0. 5. 0.]
             [6. 0. 0.]]
        """
        return CSRTensor(self.indptr, self.indices, values, self.shape)

    def rows(self) -> Tensor:
        """The row of each element.

        Returns:
            Tensor[(N,), int]: the rows.

        Examples:
            >>> import minds as ms
            >>> x = ms.CSRTensor(ms.Tensor([0, 1, 2]), ms.Tensor([1, 0]), ms.Tensor([1.0, 2.0]), (2, 3))
            >>> print(x.rows())
            [0 1]
        """
        return _rows(self.indptr, self.values.shape[0])

    def to_tuple(self) -> tuple:
        """What it is made of.

        Returns:
            tuple[Tensor, Tensor, Tensor, tuple[int]]: indptr, indices, values and shape.

        Examples:
            >>> import minds as ms
            >>> x = ms.CSRTensor(ms.Tensor([0, 1, 2]), ms.Tensor([1, 0]), ms.Tensor([1.0, 2.0]), (2, 3))
            >>> x.to_tuple()[3]
            (2, 3)
        """
        return self.indptr, self.indices, self.values, self.shape

    def to_coo(self) -> COOTensor:
        """The same matrix by coordinates.

        Returns:
            COOTensor: of the same elements.

        Examples:
            >>> import minds as ms
            >>> x = ms.CSRTensor(ms.Tensor([0, 1, 2]), ms.Tensor([1, 0]), ms.Tensor([1.0, 2.0]), (2, 3))
            >>> print(x.to_coo().indices)
            [[0 1]
             [1 0]]
        """
        return COOTensor(
            F.stack([P.cast(self.rows(), self.indices.dtype), self.indices], 1),
            self.values,
            self.shape,
        )

    def to_dense(self) -> Tensor:
        """The whole matrix.

        Returns:
            Tensor: of the shape and dtype of this one.

        Examples:
            >>> import minds as ms
            >>> x = ms.CSRTensor(ms.Tensor([0, 1, 2]), ms.Tensor([1, 0]), ms.Tensor([1.0, 2.0]), (2, 3))
            >>> print(x.to_dense())
            [[0. 1. 0.]
             [2. 0. 0.]]
        """
        places = F.stack([P.cast(self.rows(), dt.int64), P.cast(self.indices, dt.int64)], 1)
        return P.tensor_scatter(P.full(self.shape, 0, self.dtype), places, self.values, "add")

    def mv(self, dense_vector) -> Tensor:
        """The product with a vector.

        Args:
            dense_vector (Tensor[(N, 1)]): the vector, as a column.

        Returns:
            Tensor[(M, 1)]: the product.

        Examples:
            >>> import minds as ms
            >>> x = ms.CSRTensor(ms.Tensor([0, 1, 2]), ms.Tensor([1, 0]), ms.Tensor([1.0, 2.0]), (2, 3))
            >>> print(x.mv(ms.ops.ones((3, 1))))
            [[1.]
             [2.]]
        """
        return csr_mv(self, dense_vector)

    def mm(self, matrix):
        """The product with a matrix, dense or sparse.

        Args:
            matrix (Tensor[(N, K)] | CSRTensor): the right factor.

        Returns:
            Tensor[(M, K)] | CSRTensor: the product, dense or sparse as the factor.

        Examples:
            >>> import minds as ms
            >>> x = ms.CSRTensor(ms.Tensor([0, 1, 2]), ms.Tensor([1, 0]), ms.Tensor([1.0, 2.0]), (2, 3))
            >>> print(x.mm(ms.ops.ones((3, 1))))
            [[1.]
             [2.]]
        """
        return csr_mm(self, matrix)

    def sum(self, axis) -> Tensor:
        """The sums along a dimension, which is kept.

        Args:
            axis (int): the dimension, 1.

        Returns:
            Tensor[(M, 1)]: the sums.

        Examples:
            >>> import minds as ms
            >>> x = ms.CSRTensor(ms.Tensor([0, 1, 2]), ms.Tensor([1, 0]), ms.Tensor([1.0, 2.0]), (2, 3))
            >>> print(x.sum(1))
            [[1.]
             [2.]]
        """
        return csr_reduce_sum(self, axis)

    def add(self, b, alpha, beta) -> CSRTensor:
        """``alpha`` times this matrix and ``beta`` times ``b``.

        Args:
            b (CSRTensor): of the same shape.
            alpha (Tensor | number): the factor of this matrix.
            beta (Tensor | number): the factor of ``b``.

        Returns:
            CSRTensor: the sum.

        Examples:
            >>> import minds as ms
            >>> x = ms.CSRTensor(ms.Tensor([0, 1, 2]), ms.Tensor([1, 0]), ms.Tensor([1.0, 2.0]), (2, 3))
            >>> print(x.add(x, 1.0, 2.0).values)
            [3. 6.]
        """
        return csr_add(self, b, alpha, beta)

    def __mul__(self, other):
        return csr_mul(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return csr_div(self, other)

    def __add__(self, other):
        return csr_add(self, other, 1, 1)

    def __sub__(self, other):
        return csr_add(self, other, 1, -1)

    def __repr__(self) -> str:
        return (
            f"CSRTensor(shape={list(self.shape)}, dtype={self.dtype}, "
            f"indptr={_shown(self.indptr)}, "
            f"indices={_shown(self.indices)}, values={_shown(self.values)})"
        )


COOTensor._by_rows = CSRTensor


def csr2coo(indptr, nnz) -> Tensor:
    """The row of each element.

    Args:
        indptr (Tensor[(M + 1,), int]): where each row begins.
        nnz (int): the number of elements.

    Returns:
        Tensor[(nnz,)]: the rows, of the same dtype.

    Raises:
        TypeError: ``indptr`` is not a Tensor.
        ValueError: ``nnz`` is another number than that of the elements.

    Examples:
        >>> print(ops.csr2coo(Tensor([0, 1, 1, 2]), 2))
        [0 2]
    """
    expect_kind("csr2coo: indptr", indptr, Tensor)
    if indptr[-1] != nnz:
        raise complain(ValueError, "csr2coo: nnz is another number than that of the elements")
    return _rows(indptr, nnz)


def _rows(indptr, nnz):
    after = F.searchsorted(indptr, F.arange(nnz), right=True)
    return P.cast(after - 1, indptr.dtype)


def csr_mv(csr_tensor, dense) -> Tensor:
    """The product with a vector (N, 1).

    Args:
        csr_tensor (CSRTensor[(M, N)]): the matrix.
        dense (Tensor[(N, 1)]): the vector.

    Returns:
        Tensor[(M, 1)]: the product.

    Raises:
        TypeError: ``csr_tensor`` is not a CSRTensor.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 1, 1]), Tensor([1]), Tensor([0.5]), (2, 2))
        >>> print(ops.csr_mv(x, Tensor([[1.0], [2.0]])))
        [[1.]
         [0.]]
    """
    expect_kind("csr_mv: csr_tensor", csr_tensor, CSRTensor)
    expect_kind("csr_mv: dense", dense, Tensor)
    seen = P.gather(dense, P.cast(csr_tensor.indices, dt.int64), 0) * P.reshape(
        csr_tensor.values, (-1, 1)
    )
    return F.unsorted_segment_sum(seen, csr_tensor.rows(), csr_tensor.shape[0])


def csr_mm(a, b, trans_a=False, trans_b=False, adjoint_a=False, adjoint_b=False):
    """The product of a sparse matrix with a dense or a sparse one, which gives a sparse one.

    Args:
        a (CSRTensor[(M, K)]): the left factor.
        b (CSRTensor, Tensor): the right factor, of shape (K, N).
        trans_a (bool): transpose ``a``. Default: False.
        trans_b (bool): transpose ``b``. Default: False.
        adjoint_a (bool): the same for real numbers. Default: False.
        adjoint_b (bool): the same for real numbers. Default: False.

    Returns:
        CSRTensor or Tensor: of shape (M, N).

    Raises:
        TypeError: ``a`` is not a CSRTensor.
        ValueError: the inner sizes differ.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 1, 1]), Tensor([1]), Tensor([0.5]), (2, 2))
        >>> print(ops.csr_mm(x, Tensor([[1.0], [2.0]])))
        [[1.]
         [0.]]
    """
    expect_kind("csr_mm: a", a, CSRTensor)
    expect_kind("csr_mm: b", b, (CSRTensor, Tensor))

    def turned(x, turn):
        if not turn:
            return x
        if isinstance(x, Tensor):
            return P.transpose(x, (1, 0))
        coo = x.to_coo()
        return COOTensor(P.flip(coo.indices, (1,)), coo.values, coo.shape[::-1]).to_csr()

    a, b = turned(a, trans_a or adjoint_a), turned(b, trans_b or adjoint_b)
    expect(
        a.shape[1] == b.shape[0],
        "csr_mm: the matrices",
        "of sizes that fit",
        got=f"{a.shape} and {b.shape}",
    )
    if isinstance(b, Tensor):
        return csr_mv(a, b)
    product = P.matmul(a.to_dense(), b.to_dense())
    reached = np.argwhere((a.to_dense().asnumpy() != 0) @ (b.to_dense().asnumpy() != 0))
    reached = reached.astype(a.indices.dtype.np)
    return COOTensor(
        Tensor(reached), F.gather_nd(product, Tensor(reached)), (a.shape[0], b.shape[1])
    ).to_csr()


def csr_reduce_sum(csr_tensor, axis) -> Tensor:
    """The sums along a dimension, which is kept.

    Args:
        csr_tensor (CSRTensor[(M, N, ...)]): the operand.
        axis (int): the dimension, 0 or 1.

    Returns:
        Tensor: of shape (M, 1, ...) or (1, N, ...).

    Raises:
        TypeError: ``csr_tensor`` is not a CSRTensor.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 1, 1]), Tensor([1]), Tensor([0.5]), (2, 2))
        >>> print(ops.csr_reduce_sum(x, 1))
        [[0.5]
         [0. ]]
    """
    expect_kind("csr_reduce_sum: csr_tensor", csr_tensor, CSRTensor)
    expect(axis % csr_tensor.ndim < 2, "csr_reduce_sum: axis", "0 or 1", got=axis)
    axis %= csr_tensor.ndim
    places = csr_tensor.rows() if axis == 1 else csr_tensor.indices
    total = F.unsorted_segment_sum(csr_tensor.values, places, csr_tensor.shape[1 - axis])
    kept = (-1, 1) if axis == 1 else (1, -1)
    return P.reshape(total, (*kept, *csr_tensor.values.shape[1:]))


def csr_add(a, b, alpha, beta) -> CSRTensor:
    """``alpha a + beta b``.

    Args:
        a (CSRTensor): one operand.
        b (CSRTensor): the other.
        alpha (Tensor[() or (1,)]): the factor of ``a``.
        beta (Tensor[() or (1,)]): the factor of ``b``.

    Returns:
        CSRTensor: of the same shape.

    Raises:
        TypeError: an operand is not a CSRTensor.
        ValueError: the shapes differ, or a factor has several elements.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 1, 1]), Tensor([1]), Tensor([0.5]), (2, 2))
        >>> print(ops.csr_add(x, x, Tensor(1.0), Tensor(3.0)).values)
        [2.]
    """
    expect_kind("csr_add: a", a, CSRTensor)
    expect_kind("csr_add: b", b, CSRTensor)
    expect(
        a.shape == b.shape, "csr_add: the matrices", "of one shape", got=f"{a.shape} and {b.shape}"
    )
    for name, factor in (("alpha", alpha), ("beta", beta)):
        size = getattr(factor, "shape", ())
        expect(size in ((), (1,)), f"csr_add: {name}", "a number or a tensor of one", got=size)
    left, right = a.to_coo(), b.to_coo()
    return coo_add(
        left.with_values(left.values * alpha), right.with_values(right.values * beta)
    ).to_csr()


def _beside(x: CSRTensor, other):
    """The elements of ``other`` at the places of ``x``."""
    if isinstance(other, (int, float)):
        return other
    places = F.stack([P.cast(x.rows(), dt.int64), P.cast(x.indices, dt.int64)], 1)
    return F.gather_nd(P.broadcast_to(other, x.shape), places)


def csr_mul(x, y) -> CSRTensor:
    """The products with the elements of a dense matrix.

    Args:
        x (CSRTensor): the sparse factor.
        y (Tensor, number): the dense one, which broadcasts.

    Returns:
        CSRTensor: of the shape of ``x``.

    Raises:
        TypeError: ``x`` is not a CSRTensor.
        ValueError: ``y`` does not broadcast.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 1, 1]), Tensor([1]), Tensor([0.5]), (2, 2))
        >>> print(ops.csr_mul(x, Tensor([[4.0, 6.0]])).values)
        [3.]
    """
    expect_kind("csr_mul: x", x, CSRTensor)
    return x.with_values(x.values * _beside(x, y))


def csr_div(x, y) -> CSRTensor:
    """The quotients by the elements of a dense matrix.

    Args:
        x (CSRTensor): the dividend.
        y (Tensor, number): the divisor, which broadcasts.

    Returns:
        CSRTensor: of the shape of ``x``.

    Raises:
        TypeError: ``x`` is not a CSRTensor.
        ValueError: ``y`` does not broadcast.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 1, 1]), Tensor([1]), Tensor([0.5]), (2, 2))
        >>> print(ops.csr_div(x, Tensor([[4.0, 0.25]])).values)
        [2.]
    """
    expect_kind("csr_div: x", x, CSRTensor)
    return x.with_values(x.values / _beside(x, y))


def csr_gather(indptr, indices, dense, sparse_shape) -> Tensor:
    """The elements of a dense matrix at the places of a sparse one.

    Args:
        indptr (Tensor[(M + 1,), int]): where each row begins.
        indices (Tensor[(K,), int]): the columns.
        dense (Tensor[(M, N)]): the matrix.
        sparse_shape (tuple[int]): the shape of the sparse matrix.

    Returns:
        Tensor[(K,)]: the elements.

    Raises:
        TypeError: ``dense`` is not a Tensor.
        ValueError: its shape does not fit.

    Examples:
        >>> print(ops.csr_gather(Tensor([0, 1, 1]), Tensor([1]), Tensor([[1.0, 2.0]]), (2, 2)))
        [2.]
    """
    expect_kind("csr_gather: dense", dense, Tensor)
    return _beside(
        CSRTensor(indptr, indices, P.full(indices.shape, 0, dense.dtype), sparse_shape), dense
    )


def csr_softmax(logits, dtype) -> CSRTensor:
    """The softmax of each row, among its elements.

    Args:
        logits (CSRTensor[(M, N), float]): the operand.
        dtype (dtype): of the result.

    Returns:
        CSRTensor: of the same shape.

    Raises:
        TypeError: ``logits`` is not a CSRTensor.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 1, 1]), Tensor([1]), Tensor([0.5]), (2, 2))
        >>> print(ops.csr_softmax(x, ms.float32).values)
        [1.]
    """
    expect_kind("csr_softmax: logits", logits, CSRTensor)
    rows, n = logits.rows(), logits.shape[0]
    top = P.stop_gradient(F.unsorted_segment_max(logits.values, rows, n))
    raised = P.exp(logits.values - P.gather(top, rows, 0))
    return logits.with_values(
        F.cast(raised / P.gather(F.unsorted_segment_sum(raised, rows, n), rows, 0), dtype)
    )

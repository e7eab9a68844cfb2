"""Sparse tensors: `COOTensor` by coordinates, `CSRTensor` by rows, `RowTensor` of some slices; and
functions on them.

What changes values alone keeps the places. Where places change (sums of two, products, coalescing)
they are found on the host, so that these are for PyNative mode.
"""

from __future__ import annotations

import sys

import numpy as np

from ..base import dtype as dt
from ..base.errors import complain, expect
from ..base.limits import check_memory
from ..tensor import Tensor
from .define import P
from .faces import face, offered
from .function.common import is_tensor
from .functional import WITHIN as F
from .functional import public_of


class _Sparse:
    """What the formats share: ``values``, ``shape`` and what follows from these."""

    _plain_instances = True  # compiled code makes them: they are their attributes

    @property
    def dtype(self) -> dt.DType:
        """The element type.

        Examples:
            >>> import minds as ms
            >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, -2.0]), (2, 3))
            >>> x.dtype
            Float32
        """
        return self.values.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions.

        Examples:
            >>> import minds as ms
            >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, -2.0]), (2, 3))
            >>> x.ndim
            2
        """
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements are stored.

        Examples:
            >>> import minds as ms
            >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, -2.0]), (2, 3))
            >>> x.size
            2
        """
        return self.values.size

    @property
    def itemsize(self) -> int:
        """Bytes of one element.

        Examples:
            >>> import minds as ms
            >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, -2.0]), (2, 3))
            >>> x.itemsize
            4
        """
        return self.values.itemsize

    def with_values(self, values):
        """The same places with other values.

        Args:
            values (Tensor[(N, ...)]): one for each element that is stored.

        Returns:
            COOTensor, CSRTensor: of the same kind.

        Raises:
            NotImplementedError: the subclass does not define it.

        Examples:
            >>> import minds as ms
            >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, -2.0]), (2, 3))
            >>> print(x.with_values(ms.Tensor([5.0, 6.0])).to_dense())
            [[0. 5. 0.]
             [0. 0. 6.]]
        """
        raise NotImplementedError

    def abs(self):
        """The absolute values, at the same places.

        Returns:
            COOTensor, CSRTensor: of the same kind.

        Examples:
            >>> import minds as ms
            >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, -2.0]), (2, 3))
            >>> print(x.abs().values)
            [1. 2.]
        """
        return self.with_values(P.abs(self.values))

    def astype(self, dtype):
        """The elements as another type, at the same places.

        Args:
            dtype (dtype): the type.

        Returns:
            COOTensor, CSRTensor: of the same kind.

        Examples:
            >>> import minds as ms
            >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, -2.0]), (2, 3))
            >>> x.astype(ms.float16).dtype
            Float16
        """
        return self.with_values(F.cast(self.values, dtype))

    def __neg__(self):
        return self.with_values(P.neg(self.values))


def _tuple(shape) -> tuple:
    return tuple(int(n) for n in (shape.asnumpy() if isinstance(shape, Tensor) else shape))


def _hold(owner, *parts) -> bool:
    """Whether these parts of ``owner`` are Tensors. Those of an object that compiled code makes may
    be tensors of the run; no other object may hold such, for what it becomes in the end is not known.
    """
    of_run = type(vars(owner)) is not dict
    return all(is_tensor(v) if of_run else isinstance(v, Tensor) for v in parts)


def _checked(owner, name: str, indices, values, shape) -> tuple:
    """The shape as a tuple."""
    expect(_hold(owner, indices, values), f"{name}: indices and values", "Tensors", TypeError)
    expect(
        isinstance(shape, (tuple, list, Tensor)),
        f"{name}: shape",
        "a tuple",
        TypeError,
        got=type(shape).__name__,
    )
    return _tuple(shape)


class COOTensor(_Sparse):
    """A tensor of which some elements are stored, each with its coordinates; the others are 0.

    Args:
        indices (Tensor[(N, rank), int]): the coordinates, one row for each element.
        values (Tensor[(N,)]): the elements.
        shape (tuple[int]): the shape of the whole.
        coo_tensor (COOTensor): takes these from another one instead.

    Raises:
        TypeError: an argument has another type.
        ValueError: the numbers of rows and elements, or rank and columns, differ.

    Examples:
        >>> x = ms.COOTensor(Tensor([[0, 1], [1, 2]]), Tensor([1.0, 2.0]), (2, 3))
        >>> print(x.to_dense())
        [[0. 1. 0.]
         [0. 0. 2.]]
    """

    def __init__(self, indices=None, values=None, shape=None, coo_tensor=None):
        if coo_tensor is not None:
            expect(
                isinstance(coo_tensor, COOTensor), "COOTensor: coo_tensor", "a COOTensor", TypeError
            )
            indices, values, shape = coo_tensor.to_tuple()
        self.shape = _checked(self, "COOTensor", indices, values, shape)
        if (
            len(indices.shape) != 2
            or indices.shape[0] != values.shape[0]
            or indices.shape[1] != len(self.shape)
        ):
            raise complain(
                ValueError,
                f"COOTensor: indices of shape {indices.shape} for {values.shape[0]} values and "
                "shape "
                f"{self.shape}",
                expected="one row per value, one column per dimension",
            )
        self.indices, self.values = indices, values

    def with_values(self, values) -> COOTensor:
        """The same places with other values.

        Args:
            values (Tensor[(N,)]): one for each element that is stored.

        Returns:
            COOTensor: a new one.

        Examples:
            >>> import minds as ms
            >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, -2.0]), (2, 3))
            >>> print(x.with_values(ms.Tensor([5.0, 6.0])).to_dense())
            [[0. 5. 0.]
             [0. 0. 6.]]
        """
        return COOTensor(self.indices, values, self.shape)

    def to_tuple(self) -> tuple:
        """What it is made of.

        Returns:
            tuple[Tensor, Tensor, tuple[int]]: indices, values and shape.

        Examples:
            >>> import minds as ms
            >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, -2.0]), (2, 3))
            >>> x.to_tuple()[2]
            (2, 3)
        """
        return self.indices, self.values, self.shape

    def to_dense(self) -> Tensor:
        """The whole tensor; elements with the same coordinates are added.

        Returns:
            Tensor: of the shape and dtype of this one.

        Examples:
            >>> import minds as ms
            >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, -2.0]), (2, 3))
            >>> print(x.to_dense())
            [[ 0.  1.  0.]
             [ 0.  0. -2.]]
        """
        return P.tensor_scatter(
            P.full(self.shape, 0, self.dtype), P.cast(self.indices, dt.int64), self.values, "add"
        )

    def to_csr(self) -> CSRTensor:
        """The same matrix by rows.

        Returns:
            CSRTensor: of the same elements.

        Raises:
            ValueError: the tensor is no matrix.

        Examples:
            >>> import minds as ms
            >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, -2.0]), (2, 3))
            >>> print(x.to_csr().indptr)
            [0 1 2]
        """
        expect(self.ndim == 2, "to_csr: the tensor", "of rank 2", got=self.shape)
        rows = self.indices.asnumpy()
        order = np.lexsort((rows[:, 1], rows[:, 0]))
        starts = np.searchsorted(rows[order, 0], np.arange(self.shape[0] + 1)).astype(rows.dtype)
        return CSRTensor(
            Tensor(starts),
            Tensor(rows[order, 1].copy()),
            P.gather(self.values, Tensor(order), 0),
            self.shape,
        )

    def coalesce(self) -> COOTensor:
        """Bring the coordinates in order and add elements with the same ones.

        Returns:
            COOTensor: a new one.

        Examples:
            >>> import minds as ms
            >>> x = ms.COOTensor(ms.Tensor([[1, 0], [1, 0]]), ms.Tensor([1.0, 2.0]), (2, 2))
            >>> print(x.coalesce().values)
            [3.]
        """
        rows = self.indices.asnumpy()
        unique, place = np.unique(rows, axis=0, return_inverse=True)
        values = F.unsorted_segment_sum(self.values, Tensor(place.reshape(-1)), len(unique))
        return COOTensor(Tensor(unique.astype(rows.dtype)), values, self.shape)

    def add(self, other, thresh=0) -> COOTensor:
        """The sum; elements whose absolute value is below ``thresh`` are left out.

        Args:
            other (COOTensor): of the same shape and dtype.
            thresh (number): the bound. Default: 0.

        Returns:
            COOTensor: the sum.

        Raises:
            ValueError: the shapes differ.

        Examples:
            >>> import minds as ms
            >>> x = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, -2.0]), (2, 3))
            >>> print(x.add(x).values)
            [ 2. -4.]
        """
        return coo_add(self, other, thresh)

    def __add__(self, other):
        if isinstance(other, COOTensor):
            return coo_add(self, other, 0)
        return self.to_dense() + other

    __radd__ = __add__

    def __sub__(self, other):
        return self + -other

    def __mul__(self, other):
        other = (
            other
            if isinstance(other, (int, float))
            else F.gather_nd(P.broadcast_to(other, self.shape), self.indices)
        )
        return self.with_values(self.values * other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = (
            other
            if isinstance(other, (int, float))
            else F.gather_nd(P.broadcast_to(other, self.shape), self.indices)
        )
        return self.with_values(self.values / other)

    def __repr__(self) -> str:
        return (
            f"COOTensor(shape={list(self.shape)}, dtype={self.dtype}, "
            f"indices={_shown(self.indices)}, "
            f"values={_shown(self.values)})"
        )


def _shown(t: Tensor) -> str:
    line = "\n" if t.ndim > 1 else ""
    return f"Tensor(shape={list(t.shape)}, dtype={t.dtype}, value={line}{t})"


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
        return csr2coo(self.indptr, self.values.shape[0])

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


class RowTensorInner:
    """Some of the slices along the first dimension of a tensor, as gradients of embeddings are.

    Args:
        indices (Tensor[(N,), int]): which slices. Default: None.
        values (Tensor[(N, ...)]): the slices. Default: None.
        shape (tuple[int]): the shape of the whole. Default: None.
        row_tensor (RowTensor): takes these from another one instead. Default: None.

    Raises:
        TypeError: neither ``shape`` nor ``row_tensor`` is given.

    Examples:
        >>> x = ms.RowTensor(Tensor([0]), Tensor([[1.0, 2.0]]), (3, 2))
        >>> x.dense_shape
        (3, 2)
    """

    _plain_instances = True

    def __init__(self, indices=None, values=None, shape=None, row_tensor=None):
        if row_tensor is not None:
            indices, values, shape = row_tensor.indices, row_tensor.values, row_tensor.dense_shape
        self.indices, self.values, self.dense_shape = indices, values, _tuple(shape)

    def __repr__(self) -> str:
        return (
            f"RowTensor(shape={list(self.dense_shape)}, dtype={self.values.dtype}, "
            f"indices={_shown(self.indices)}, "
            f"values={_shown(self.values)})"
        )


class RowTensor(RowTensorInner):
    """Some of the slices along the first dimension of a tensor; see `RowTensorInner`.

    Args:
        indices (Tensor[(N,), int]): which slices. Default: None.
        values (Tensor[(N, ...)]): the slices. Default: None.
        shape (tuple[int]): the shape of the whole. Default: None.
        row_tensor (RowTensor): takes these from another one instead. Default: None.

    Raises:
        TypeError: neither ``shape`` nor ``row_tensor`` is given.

    Examples:
        >>> import minds as ms
        >>> ms.RowTensor(ms.Tensor([0]), ms.Tensor([[1.0, 2.0]]), (3, 2)).dense_shape
        (3, 2)
    """


class SparseTensor(COOTensor):
    """A tensor by coordinates: an older name of `COOTensor`.

    Args:
        indices (Tensor[(N, rank), int]): the coordinates, one row for each element. Default: None.
        values (Tensor[(N,)]): the elements. Default: None.
        shape (tuple[int]): the shape of the whole. Default: None.
        coo_tensor (COOTensor): takes these from another one instead. Default: None.

    Raises:
        TypeError: an argument has another type.

    Examples:
        >>> import minds as ms
        >>> print(ms.SparseTensor(ms.Tensor([[1]]), ms.Tensor([2.0]), (2,)).to_dense())
        [0. 2.]
    """


def _expect_kind(what: str, value, kind) -> None:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    wanted = " or a ".join(k.__name__ for k in kinds)
    expect(isinstance(value, kind), what, f"a {wanted}", TypeError, got=type(value).__name__)


@face(method="to_coo")
def dense_to_sparse_coo(tensor) -> COOTensor:
    """The elements that are not 0, by coordinates.

    Args:
        tensor (Tensor): the operand.

    Returns:
        COOTensor: of the same shape.

    Raises:
        TypeError: ``tensor`` is not a Tensor.

    Examples:
        >>> print(ops.dense_to_sparse_coo(Tensor([[0.0, 3.0]])).values)
        [3.]
    """
    _expect_kind("dense_to_sparse_coo: tensor", tensor, Tensor)
    where = np.argwhere(tensor.asnumpy()).astype(np.int32)
    return COOTensor(Tensor(where), F.gather_nd(tensor, Tensor(where)), tensor.shape)


@face(method="to_csr")
def dense_to_sparse_csr(tensor) -> CSRTensor:
    """The elements of a matrix that are not 0, by rows.

    Args:
        tensor (Tensor[(M, N)]): the operand.

    Returns:
        CSRTensor: of the same shape.

    Raises:
        TypeError: ``tensor`` is not a Tensor.

    Examples:
        >>> print(ops.dense_to_sparse_csr(Tensor([[0.0, 3.0]])).indptr)
        [0 1]
    """
    return dense_to_sparse_coo(tensor).to_csr()


def coo_add(x1, x2, thresh=0) -> COOTensor:
    """The sum of two; elements whose absolute value is below ``thresh`` are left out.

    Args:
        x1 (COOTensor): one operand.
        x2 (COOTensor): the other.
        thresh (number, Tensor): the least absolute value that is kept. Default: 0.

    Returns:
        COOTensor: of the same shape.

    Raises:
        TypeError: an operand is not a COOTensor.
        ValueError: the shapes differ.

    Examples:
        >>> x = ms.COOTensor(Tensor([[0, 1]]), Tensor([0.5]), (2, 2))
        >>> print(ops.coo_add(x, x, 0).values)
        [1.]
    """
    _expect_kind("coo_add: x1", x1, COOTensor)
    _expect_kind("coo_add: x2", x2, COOTensor)
    expect(
        x1.shape == x2.shape,
        "coo_add: the tensors",
        "of one shape",
        ValueError,
        got=f"{x1.shape} and {x2.shape}",
    )
    both = COOTensor(
        P.concat((x1.indices, x2.indices), 0), P.concat((x1.values, x2.values), 0), x1.shape
    ).coalesce()
    limit = float(thresh.asnumpy() if isinstance(thresh, Tensor) else thresh)
    keep = np.flatnonzero(np.abs(both.values.asnumpy()) >= limit)
    if len(keep) == both.size:
        return both
    return COOTensor(
        P.gather(both.indices, Tensor(keep), 0), P.gather(both.values, Tensor(keep), 0), x1.shape
    )


def coo_concat(sp_input, concat_dim=0) -> COOTensor:
    """Several, one after the other along a dimension; coordinates in order.

    Args:
        sp_input (tuple[COOTensor], list[COOTensor]): the operands.
        concat_dim (int): the dimension. Default: 0.

    Returns:
        COOTensor: as long as all together along the dimension.

    Raises:
        TypeError: an operand is not a COOTensor.

    Examples:
        >>> x = ms.COOTensor(Tensor([[0, 1]]), Tensor([0.5]), (2, 2))
        >>> ops.coo_concat((x, x)).shape
        (4, 2)
    """
    for x in sp_input if isinstance(sp_input, (tuple, list)) else (sp_input,):
        _expect_kind("coo_concat: sp_input", x, COOTensor)
    dim, offset, indices = concat_dim % sp_input[0].ndim, 0, []
    for x in sp_input:
        indices.append(x.indices.asnumpy() + np.eye(x.ndim, dtype=np.int64)[dim] * offset)
        offset += x.shape[dim]
    indices = np.concatenate(indices)
    order = np.lexsort(indices.T[::-1])
    values = P.gather(P.concat(tuple(x.values for x in sp_input), 0), Tensor(order), 0)
    shape = tuple(offset if i == dim else n for i, n in enumerate(sp_input[0].shape))
    return COOTensor(Tensor(indices[order]), values, shape)


def coo2csr(row_indices, height) -> Tensor:
    """Where each row begins, of row numbers in order.

    Args:
        row_indices (Tensor[(N,), int]): the rows, not decreasing.
        height (int): the number of rows.

    Returns:
        Tensor[(height + 1,)]: the places, of the same dtype.

    Raises:
        TypeError: ``row_indices`` is not a Tensor.

    Examples:
        >>> print(ops.coo2csr(Tensor([0, 2]), 3))
        [0 1 1 2]
    """
    _expect_kind("coo2csr: row_indices", row_indices, Tensor)
    expect(type(height) is int and height >= 0, "height", "an int of at least 0", got=height)
    check_memory(8 * height, "the list of rows")
    rows = row_indices.asnumpy()
    return Tensor(np.searchsorted(rows, np.arange(height + 1)).astype(rows.dtype))


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
    _expect_kind("csr2coo: indptr", indptr, Tensor)
    starts = indptr.asnumpy()
    expect(nnz == starts[-1], "nnz", f"the number of elements, {starts[-1]}", got=nnz)
    return Tensor(np.repeat(np.arange(len(starts) - 1), np.diff(starts)).astype(starts.dtype))


def csr_to_coo(tensor) -> COOTensor:
    """The same matrix by coordinates.

    Args:
        tensor (CSRTensor): the operand.

    Returns:
        COOTensor: of the same shape.

    Raises:
        TypeError: ``tensor`` is not a CSRTensor.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 1, 1]), Tensor([1]), Tensor([0.5]), (2, 2))
        >>> print(ops.csr_to_coo(x).indices)
        [[0 1]]
    """
    _expect_kind("csr_to_coo: tensor", tensor, CSRTensor)
    return tensor.to_coo()


def csr_to_dense(csr_tensor) -> Tensor:
    """The whole matrix.

    Args:
        csr_tensor (CSRTensor): the operand.

    Returns:
        Tensor: of the same shape.

    Raises:
        TypeError: ``csr_tensor`` is not a CSRTensor.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 1, 1]), Tensor([1]), Tensor([0.5]), (2, 2))
        >>> print(ops.csr_to_dense(x))
        [[0.  0.5]
         [0.  0. ]]
    """
    _expect_kind("csr_to_dense: csr_tensor", csr_tensor, CSRTensor)
    return csr_tensor.to_dense()


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
    _expect_kind("csr_mv: csr_tensor", csr_tensor, CSRTensor)
    _expect_kind("csr_mv: dense", dense, Tensor)
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
    _expect_kind("csr_mm: a", a, CSRTensor)
    _expect_kind("csr_mm: b", b, (CSRTensor, Tensor))

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
        csr_tensor (CSRTensor[(M, N)]): the operand.
        axis (int): the dimension.

    Returns:
        Tensor: of shape (M, 1) or (1, N).

    Raises:
        TypeError: ``csr_tensor`` is not a CSRTensor.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 1, 1]), Tensor([1]), Tensor([0.5]), (2, 2))
        >>> print(ops.csr_reduce_sum(x, 1))
        [[0.5]
         [0. ]]
    """
    _expect_kind("csr_reduce_sum: csr_tensor", csr_tensor, CSRTensor)
    axis %= csr_tensor.ndim
    if axis == 1:
        return P.reshape(
            F.unsorted_segment_sum(csr_tensor.values, csr_tensor.rows(), csr_tensor.shape[0]),
            (-1, 1),
        )
    return P.reshape(
        F.unsorted_segment_sum(csr_tensor.values, csr_tensor.indices, csr_tensor.shape[1]), (1, -1)
    )


def csr_add(a, b, alpha, beta) -> CSRTensor:
    """``alpha a + beta b``.

    Args:
        a (CSRTensor): one operand.
        b (CSRTensor): the other.
        alpha (Tensor): the factor of ``a``.
        beta (Tensor): the factor of ``b``.

    Returns:
        CSRTensor: of the same shape.

    Raises:
        TypeError: an operand is not a CSRTensor.
        ValueError: the shapes differ.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 1, 1]), Tensor([1]), Tensor([0.5]), (2, 2))
        >>> print(ops.csr_add(x, x, Tensor(1.0), Tensor(3.0)).values)
        [2.]
    """
    _expect_kind("csr_add: a", a, CSRTensor)
    _expect_kind("csr_add: b", b, CSRTensor)
    expect(
        a.shape == b.shape, "csr_add: the matrices", "of one shape", got=f"{a.shape} and {b.shape}"
    )
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
    _expect_kind("csr_mul: x", x, CSRTensor)
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
    _expect_kind("csr_div: x", x, CSRTensor)
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
    _expect_kind("csr_gather: dense", dense, Tensor)
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
    _expect_kind("csr_softmax: logits", logits, CSRTensor)
    rows, n = logits.rows(), logits.shape[0]
    top = P.stop_gradient(F.unsorted_segment_max(logits.values, rows, n))
    raised = P.exp(logits.values - P.gather(top, rows, 0))
    return logits.with_values(
        F.cast(raised / P.gather(F.unsorted_segment_sum(raised, rows, n), rows, 0), dtype)
    )


_EACH = """`ops.{name}` of each stored element.

Args:
    x ({kind}): the operand.

Returns:
    {kind}: of the same shape.

Raises:
    TypeError: ``x`` is not a {kind}.

Examples:
    >>> x = ops.dense_to_sparse_{prefix}(Tensor([[0.0, 1.0], [0.5, 0.0]]))
    >>> ops.{prefix}_{name}(x).shape
    (2, 2)
"""


def _each(prefix: str, name: str, function):
    kind = COOTensor if prefix == "coo" else CSRTensor

    def apply(x):
        _expect_kind(f"{prefix}_{name}: x", x, kind)
        return x.with_values(function(x.values))

    apply.__name__ = apply.__qualname__ = f"{prefix}_{name}"
    apply.__doc__ = _EACH.format(prefix=prefix, name=name, kind=kind.__name__)
    return apply


ELEMENTWISE = {
    f"{prefix}_{name}": _each(prefix, name, f.target)
    for prefix in ("coo", "csr")
    for name, f in offered("sparse").items()
}
NAMES = dict(public_of(sys.modules[__name__])) | ELEMENTWISE
"""The functions, which are among `ops`."""

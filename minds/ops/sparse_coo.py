"""Tensors by coordinates, `COOTensor`, and functions of them."""

from __future__ import annotations

import numpy as np

from ..base import dtype as dt
from ..base.errors import complain, expect
from ..base.limits import check_memory
from ..tensor import Tensor
from .define import P
from .faces import face
from .functional import WITHIN as F
from .sparse_base import _checked, _shown, _Sparse, expect_kind
from .unbacked import positions


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

    _by_rows: type  # `CSRTensor`, which its module says

    def __init__(self, indices=None, values=None, shape=None, coo_tensor=None):
        if coo_tensor is not None:
            expect(
                isinstance(coo_tensor, COOTensor), "COOTensor: coo_tensor", "a COOTensor", TypeError
            )
            indices, values, shape = coo_tensor.to_tuple()
        self.shape = _checked(self, "COOTensor", indices, values, shape)
        if tuple(indices.shape) == (
            0,
        ):  # no element, and so no row whose length would tell the rank
            indices = P.reshape(indices, (0, len(self.shape)))
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

    def to_csr(self):
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
        height, width = self.shape
        check_memory(8 * height, "the list of rows")
        dtype, (rows, columns) = self.indices.dtype, F.unstack(P.cast(self.indices, dt.int64), 1)
        order = F.argsort(rows * width + columns)
        starts = F.searchsorted(P.gather(rows, order, 0), P.arange(0, height + 1, 1, dt.int64))
        return self._by_rows(
            P.cast(starts, dtype),
            P.cast(P.gather(columns, order, 0), dtype),
            P.gather(self.values, order, 0),
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
        return self.with_values(self.values * self._beside(other))

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self.with_values(self.values / self._beside(other))

    def _beside(self, other):
        """A number, or what a tensor has where the elements are."""
        if isinstance(other, (int, float)):
            return other
        return F.gather_nd(P.broadcast_to(other, self.shape), self.indices)

    def __repr__(self) -> str:
        return (
            f"COOTensor(shape={list(self.shape)}, dtype={self.dtype}, "
            f"indices={_shown(self.indices)}, "
            f"values={_shown(self.values)})"
        )


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
    expect_kind("dense_to_sparse_coo: tensor", tensor, Tensor)
    where = P.cast(positions(tensor), dt.int32)
    return COOTensor(where, F.gather_nd(tensor, where), tensor.shape)


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
    expect_kind("coo_add: x1", x1, COOTensor)
    expect_kind("coo_add: x2", x2, COOTensor)
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
        expect_kind("coo_concat: sp_input", x, COOTensor)
    dim, offset, indices = concat_dim % sp_input[0].ndim, 0, []
    for x in sp_input:
        indices.append(x.indices.asnumpy() + np.eye(x.ndim, dtype=np.int64)[dim] * offset)
        offset += x.shape[dim]
    indices = np.concatenate(indices)
    order = np.lexsort(indices.T[::-1])
    values = P.gather(P.concat(tuple(x.values for x in sp_input), 0), Tensor(order), 0)
    shape = tuple(offset if i == dim else n for i, n in enumerate(sp_input[0].shape))
    return COOTensor(Tensor(indices[order]), values, shape)

"""`minds.numpy`: window functions, and grids of indices."""

from __future__ import annotations

import numpy as np

from ..base import dtype as dt
from ..ops.define import P
from ..ops.functional import WITHIN as F
from ..tensor import Tensor
from .create import array_of, asarray


def meshgrid(*xi, sparse=False, indexing="xy"):
    """Coordinates of a grid.

    Args:
        xi (Tensor ...): the coordinates of each dimension, vectors.
        sparse (bool): whether each result keeps size 1 in the other dimensions. Default: False.
        indexing (str): ``"xy"``, the second vector counts rows, or ``"ij"``. Default: ``"xy"``.

    Returns:
        tuple[Tensor]: one tensor per vector.

    Raises:
        ValueError: ``indexing`` is neither.

    Examples:
        >>> import minds as ms
        >>> x, y = ms.numpy.meshgrid([1, 2], [3, 4])
        >>> print(x, y)
        [[1 2]
         [1 2]] [[3 3]
         [4 4]]
    """
    grids = F.meshgrid(*[P.reshape(array_of(x), (-1,)) for x in xi], indexing=indexing)
    if not sparse:
        return tuple(grids)
    out = []
    for i, x in enumerate(xi):
        place = {0: 1, 1: 0}.get(i, i) if indexing == "xy" and len(xi) > 1 else i
        out.append(P.reshape(array_of(x), tuple(-1 if k == place else 1 for k in range(len(xi)))))
    return tuple(out)


def bartlett(M):
    """The triangular window of Bartlett.

    Args:
        M (int): the number of points.

    Returns:
        Tensor[(M,), float32]: the window, 1 in the middle of an odd number of points.

    Raises:
        TypeError: ``M`` is no number.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.bartlett(3).asnumpy().round(2) + 0.0)
        [0. 1. 0.]
    """
    return Tensor(np.bartlett(M), dt.float32)


def blackman(M):
    """The window of Blackman, of three cosine terms.

    Args:
        M (int): the number of points.

    Returns:
        Tensor[(M,), float32]: the window, 1 in the middle of an odd number of points.

    Raises:
        TypeError: ``M`` is no number.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.blackman(3).asnumpy().round(2) + 0.0)
        [0. 1. 0.]
    """
    return Tensor(np.blackman(M), dt.float32)


def hamming(M):
    """The raised cosine window of Hamming.

    Args:
        M (int): the number of points.

    Returns:
        Tensor[(M,), float32]: the window, 1 in the middle of an odd number of points.

    Raises:
        TypeError: ``M`` is no number.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.hamming(3).asnumpy().round(2) + 0.0)
        [0.08 1.   0.08]
    """
    return Tensor(np.hamming(M), dt.float32)


def hanning(M):
    """The raised cosine window of Hann.

    Args:
        M (int): the number of points.

    Returns:
        Tensor[(M,), float32]: the window, 1 in the middle of an odd number of points.

    Raises:
        TypeError: ``M`` is no number.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.hanning(3).asnumpy().round(2) + 0.0)
        [0. 1. 0.]
    """
    return Tensor(np.hanning(M), dt.float32)


def _indices(fn):
    """A function of NumPy that gives positions, as int32 tensors."""

    def positions(*args, **kwargs):
        out = fn(*[v.shape if isinstance(v, Tensor) else v for v in args], **kwargs)
        return tuple(Tensor(v, dt.int32) for v in out)

    return positions


tril_indices, triu_indices = _indices(np.tril_indices), _indices(np.triu_indices)


def diag_indices(n, ndim=2):
    """The positions of the main diagonal of a tensor whose dimensions are equal.

    Args:
        n (int): the size of each dimension.
        ndim (int): how many dimensions. Default: 2.

    Returns:
        tuple[Tensor[(n,), int32]]: one tensor per dimension.

    Raises:
        TypeError: a number is no int.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.diag_indices(2)[0])
        [0 1]
    """
    return _indices(np.diag_indices)(n, ndim)


def tril_indices_from(arr, k=0):
    """The positions of the lower triangle of matrices of this shape.

    Args:
        arr (Tensor[(..., M, N)]): of which only the shape matters.
        k (int): the diagonal; above 0 over the main one. Default: 0.

    Returns:
        tuple[Tensor[int32], Tensor[int32]]: rows and columns.

    Raises:
        IndexError: ``arr`` has fewer than two dimensions.

    Examples:
        >>> import minds as ms
        >>> rows, columns = ms.numpy.tril_indices_from(ms.ops.ones((2, 2)))
        >>> print(rows, columns)
        [0 1 1] [0 0 1]
    """
    return tril_indices(arr.shape[-2], k=k, m=arr.shape[-1])


def triu_indices_from(arr, k=0):
    """The positions of the upper triangle of matrices of this shape.

    Args:
        arr (Tensor[(..., M, N)]): of which only the shape matters.
        k (int): the diagonal; above 0 over the main one. Default: 0.

    Returns:
        tuple[Tensor[int32], Tensor[int32]]: rows and columns.

    Raises:
        IndexError: ``arr`` has fewer than two dimensions.

    Examples:
        >>> import minds as ms
        >>> rows, columns = ms.numpy.triu_indices_from(ms.ops.ones((2, 2)))
        >>> print(rows, columns)
        [0 0 1] [0 1 1]
    """
    return triu_indices(arr.shape[-2], k=k, m=arr.shape[-1])


def indices(dimensions, dtype=dt.int32, sparse=False):
    """The positions of a grid of ``dimensions``, one tensor for each.

    Args:
        dimensions (tuple[int]): the sizes of the grid.
        dtype (dtype): the element type. Default: int32.
        sparse (bool): whether each result keeps size 1 in the other dimensions. Default: False.

    Returns:
        list[Tensor]: one tensor per dimension.

    Raises:
        TypeError: ``dimensions`` is no tuple of ints.

    Examples:
        >>> import minds as ms
        >>> rows, columns = ms.numpy.indices((2, 2))
        >>> print(rows)
        [[0 0]
         [1 1]]
    """
    out = np.indices(dimensions, sparse=sparse)
    return [Tensor(v, dt.of(dtype)) for v in out]


class _Grid:
    """`mgrid` and `ogrid`: coordinates of a grid given by slices."""

    def __init__(self, numpy):
        self._numpy = numpy

    def __getitem__(self, key):
        out = self._numpy[key]
        return (
            [asarray(v.tolist()) for v in out]
            if isinstance(out, (tuple, list))
            else asarray(out.tolist())
        )


mgrid, ogrid = _Grid(np.mgrid), _Grid(np.ogrid)


def ix_(*args):
    """Vectors reshaped so that they index a grid.

    Args:
        args (Tensor ...): vectors of positions.

    Returns:
        tuple[Tensor]: each along a dimension of its own.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> [v.shape for v in ms.numpy.ix_([0, 1], [2, 3, 4])]
        [(2, 1), (1, 3)]
    """
    return tuple(
        P.reshape(array_of(x), tuple(-1 if k == i else 1 for k in range(len(args))))
        for i, x in enumerate(args)
    )

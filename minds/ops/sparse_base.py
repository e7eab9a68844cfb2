"""What the formats of sparse tensors share, and `RowTensor`, which is some slices of a tensor.

What changes values alone keeps the places. Where places change (sums of two, products, coalescing)
they are found on the host, so that these are for PyNative mode.
"""

from __future__ import annotations

from ..base import dtype as dt
from ..base.errors import expect
from ..tensor import Tensor
from .define import P
from .function.common import is_tensor
from .functional import WITHIN as F


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


def _shown(t: Tensor) -> str:
    line = "\n" if t.ndim > 1 else ""
    return f"Tensor(shape={list(t.shape)}, dtype={t.dtype}, value={line}{t})"


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


def expect_kind(what: str, value, kind) -> None:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    wanted = " or a ".join(k.__name__ for k in kinds)
    fits = isinstance(value, kind) or (Tensor in kinds and is_tensor(value))
    expect(fits, what, f"a {wanted}", TypeError, got=type(value).__name__)

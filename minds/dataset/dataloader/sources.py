"""What a `DataLoader` loads from."""

from __future__ import annotations

from typing import Generic, TypeVar

from ...base.errors import complain

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Base of datasets whose elements have numbers: a subclass defines ``__getitem__``, and ``__len__``
    where its length is known.

    Examples:
        >>> from minds.dataset.dataloader import Dataset
        >>> class Squares(Dataset):
        ...     def __getitem__(self, index):
        ...         return index * index
        ...     def __len__(self):
        ...         return 5
        >>> Squares()[3]
        9
    """

    def __getitem__(self, index) -> T_co:
        raise NotImplementedError(f"{type(self).__name__} must implement __getitem__ method.")


class IterableDataset(Dataset[T_co]):
    """Base of datasets whose elements come one after the other: a subclass defines ``__iter__``. With
    several processes each iterates over the whole, unless it asks `get_worker_info` for its share.

    Examples:
        >>> from minds.dataset.dataloader import IterableDataset
        >>> class Squares(IterableDataset):
        ...     def __iter__(self):
        ...         return (i * i for i in range(3))
        >>> list(Squares())
        [0, 1, 4]
    """

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} must implement __iter__ method.")


class TensorDataset(Dataset):
    """The rows of tensors: element ``i`` is the tuple of their ``[i]``.

    Args:
        tensors (Tensor): of equal first dimension.

    Raises:
        ValueError: first dimensions differ.

    Examples:
        >>> import minds as ms
        >>> from minds.dataset.dataloader import TensorDataset
        >>> data = TensorDataset(ms.Tensor([1, 2]), ms.Tensor([3, 4]))
        >>> [int(x) for x in data[1]], len(data)
        ([2, 4], 2)
    """

    def __init__(self, *tensors):
        if any(t.shape[0] != tensors[0].shape[0] for t in tensors):
            said = "All tensors must have the same size in the first dimension."
            raise complain(ValueError, said)
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple([t[index] for t in self.tensors])

    def __len__(self) -> int:
        return self.tensors[0].shape[0]

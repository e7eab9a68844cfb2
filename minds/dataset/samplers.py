"""Samplers: which rows of a random access source an epoch visits, and in which order.

A sampler is a pure function from the number of rows and what is drawn to an array of indices.
"""

from __future__ import annotations

import numpy as np

from ..base import data_parallel
from ..base.errors import complain
from .arguments import check_type
from .orders import Draws
from .pipeline import DatasetError
from .recorded import Recorded
from .source_arguments import INT64_MAX, sampler_alone
from .source_arguments import shards as shards_fit


def _count(name: str, value, low: int = 1, said: str | None = None):
    """``value``, an int in range; ``said`` is said of one that is too small."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, np.integer))):
        raise complain(TypeError, f"{name} must be integer but was: {value}.")
    if value is not None and value < low and said is not None:
        raise DatasetError(f"{said}, but got: {value}")
    if value is not None and value < low:
        said = f"{name} exceeds the boundary between {low} and {INT64_MAX}(INT64_MAX)!"
        raise complain(ValueError, f"{said} Got {value}.")
    if value is not None and value > INT64_MAX:
        said = f"{name} exceeds the boundary between {low} and {INT64_MAX}(INT64_MAX)!"
        raise complain(ValueError, said)
    return value


def _flag(name: str, value) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise complain(TypeError, f"{name} must be a boolean value but was: {value}.")
    return value


class BuiltinSampler(Recorded):
    """The common part of the samplers of this module.

    Args:
        num_samples (int, optional): how many rows at most.
    """

    shuffles = False
    spread = False  # whether all processes must draw the same numbers

    def __init__(self, num_samples: int | None = None):
        # 0 means "all", as in MindSpore.
        self.num_samples = _count("num_samples", num_samples, 0) or None
        self.child = None

    def parse(self) -> BuiltinSampler:
        """The sampler itself: MindSpore's core takes another object, which this gives there.

        Returns:
            Sampler: it.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.SequentialSampler().parse().count(4)
            4
        """
        return self

    def add_child(self, sampler) -> None:
        """Let ``sampler`` choose first; this sampler then chooses among its rows.

        Args:
            sampler (Sampler, iterable): chooses first.

        Raises:
            RuntimeError: there is one that chooses first already.

        Examples:
            >>> import minds.dataset as ds
            >>> sampler = ds.SequentialSampler(num_samples=2)
            >>> sampler.add_child(ds.SubsetSampler([3, 1, 0]))
            >>> [int(x) for x, in ds.NumpySlicesDataset([5, 6, 7, 8], sampler=sampler)]
            [8, 6]
        """
        if self.child is not None:
            raise DatasetError("Cannot add child sampler, this sampler already has a child.")
        self.child = sampler

    def get_num_samples(self) -> int | None:
        """How many rows are chosen at most, by this sampler and those that choose first.

        Returns:
            int: the smallest of their numbers; None if none has one.

        Examples:
            >>> import minds.dataset as ds
            >>> sampler = ds.SequentialSampler(num_samples=3)
            >>> sampler.add_child(ds.RandomSampler(num_samples=2))
            >>> sampler.get_num_samples()
            2
        """
        child = getattr(self.child, "get_num_samples", lambda: None)()
        return min((n for n in (self.num_samples, child) if n is not None), default=None)

    def get_child(self):
        """The sampler that chooses first.

        Returns:
            Sampler, iterable: it, or None.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.SequentialSampler().get_child() is None
            True
        """
        return self.child

    def order(self, size: int, draws: Draws, labels=None) -> np.ndarray:
        """The indices of an epoch.

        Args:
            size (int): the number of rows.
            draws (Draws): what is drawn from.
            labels (Callable, optional): gives the class of each row; `PKSampler` needs it. Default:
                None.

        Returns:
            numpy.ndarray: int64.

        Raises:
            RuntimeError: the sampler does not fit this number of rows.

        Examples:
            >>> import minds.dataset as ds
            >>> from minds.dataset.orders import Draws
            >>> ds.SequentialSampler(1).order(4, Draws(0)).tolist()
            [1, 2, 3]
        """
        if self.child is None:
            return self._pick(size, draws, labels)[: self.num_samples]
        base = order_of(self.child, size, draws, labels)
        return base[self._pick(len(base), draws, lambda: labels()[base])[: self.num_samples]]

    def _pick(self, size: int, draws, labels) -> np.ndarray:
        raise NotImplementedError

    def count(self, size: int) -> int:
        """The number of indices of an epoch.

        Args:
            size (int): the number of rows.

        Returns:
            int: how many of them are visited.

        Raises:
            RuntimeError: it depends on the labels, as for `PKSampler`.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.SequentialSampler(1).count(4)
            3
        """
        return len(self.order(size, Draws(0)))


class SequentialSampler(BuiltinSampler):
    """Rows in order.

    Args:
        start_index (int, optional): the first row. Default: 0.
        num_samples (int, optional): how many rows at most. Default: all.

    Raises:
        TypeError: an argument is no int.
        ValueError: an argument is negative.

    Examples:
        >>> import minds.dataset as ds
        >>> d = ds.NumpySlicesDataset([5, 6, 7], sampler=ds.SequentialSampler(1))
        >>> [int(x) for x, in d.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [6, 7]
    """

    def __init__(self, start_index: int | None = None, num_samples: int | None = None):
        super().__init__(num_samples)
        said = "SequentialSampler: start_index_ must be greater than or equal to 0"
        self.start_index = _count("start_index", start_index, 0, said) or 0

    def _pick(self, size, draws, labels):
        if self.start_index >= max(size, 1):
            raise DatasetError(
                "SequentialSampler: Invalid parameter, start_index must be less than num_rows, but got "
                f"start_index: {self.start_index}, num_rows: {size}."
            )
        return np.arange(self.start_index, size)


class RandomSampler(BuiltinSampler):
    """Rows in random order, a new order each epoch.

    Args:
        replacement (bool): whether a row can be drawn again. Default: False.
        num_samples (int, optional): how many rows at most. Default: all.
        shuffle (bool, optional): accepted, without effect.

    Raises:
        TypeError: ``replacement`` is no bool or ``num_samples`` no int.
        ValueError: ``num_samples`` is negative.

    Examples:
        >>> import minds.dataset as ds
        >>> sorted(int(x) for x, in ds.NumpySlicesDataset([5, 6, 7], sampler=ds.RandomSampler()))
        [5, 6, 7]
    """

    shuffles = True

    def __init__(self, replacement: bool = False, num_samples: int | None = None, shuffle=None):
        super().__init__(num_samples)
        self.replacement = _flag("replacement", replacement)

    def _pick(self, size, draws, labels):
        return draws.integers(size, size) if self.replacement and size else draws.permutation(size)


class SubsetSampler(BuiltinSampler):
    """The rows of a list of indices, in the order of the list.

    Args:
        indices (list[int]): the rows.
        num_samples (int, optional): how many of them at most. Default: all.

    Raises:
        TypeError: ``indices`` holds something else than ints.
        RuntimeError: an index is out of range (raised when the pipeline runs).

    Examples:
        >>> import minds.dataset as ds
        >>> [int(x) for x, in ds.NumpySlicesDataset([5, 6, 7], sampler=ds.SubsetSampler([2, 0]))]
        [7, 5]
    """

    def __init__(self, indices, num_samples: int | None = None):
        super().__init__(num_samples)
        found = np.atleast_1d(np.asarray(list(indices) if np.iterable(indices) else indices))
        if found.size and (found.dtype.kind not in "iu" or found.ndim > 1):
            whole = (int, np.integer)
            i, odd = next((i, v) for i, v in enumerate(indices) if not isinstance(v, whole))
            raise complain(
                TypeError,
                f"SubsetSampler: Type of indices element must be int, but got list[{i}]: {odd}, type: "
                f"{type(odd)}.",
            )
        self.indices = found.astype(np.int64)

    def _pick(self, size, draws, labels):
        return check_indices(self.indices, size)


class SubsetRandomSampler(SubsetSampler):
    """The rows of a list of indices, in random order.

    Args:
        indices (list[int]): the rows.
        num_samples (int, optional): how many of them at most. Default: all.

    Raises:
        TypeError: ``indices`` holds something else than ints.
        RuntimeError: an index is out of range (raised when the pipeline runs).

    Examples:
        >>> import minds.dataset as ds
        >>> d = ds.NumpySlicesDataset([5, 6, 7], sampler=ds.SubsetRandomSampler([2, 0]))
        >>> sorted(int(x) for x, in d)
        [5, 7]
    """

    shuffles = True

    def _pick(self, size, draws, labels):
        return draws.permutation(check_indices(self.indices, size), counts_up=False)


class DistributedSampler(BuiltinSampler):
    """One process's share of the rows: every ``num_shards``-th row.

    Without ``offset`` all shares have the same length, and rows of the beginning fill the last
    ones up. All processes draw the same order, so their shares are disjoint; without a seed it
    depends on the epoch alone.

    Args:
        num_shards (int): the number of processes.
        shard_id (int): which of them this is.
        shuffle (bool): whether the rows are shuffled before they are shared. Default: True.
        num_samples (int, optional): how many rows at most. Default: all.
        offset (int): the shard that gets the first row; -1: shard 0, and equal lengths. Default:
            -1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``shard_id`` or ``offset`` is out of range.

    Examples:
        >>> import minds.dataset as ds
        >>> sampler = ds.DistributedSampler(2, 1, shuffle=False)
        >>> [int(x) for x, in ds.NumpySlicesDataset([5, 6, 7, 8], sampler=sampler)]
        [6, 8]
    """

    spread = True

    def __init__(
        self,
        num_shards: int,
        shard_id: int,
        shuffle: bool = True,
        num_samples: int | None = None,
        offset: int = -1,
    ):
        super().__init__(num_samples)
        name = "DistributedSampler:"
        said = f"{name} num_shards must be greater than 0"
        self.num_shards = _count("num_shards", num_shards, 1, said)
        said = f"{name} shard_id must be in range [0, {num_shards})"
        self.shard_id = _count("shard_id", shard_id, 0, said)
        if not isinstance(shuffle, bool):
            said = f"shuffle must be a boolean value or valid shuffle mode but was: {shuffle}."
            raise complain(TypeError, said)
        if shard_id >= num_shards:
            raise DatasetError(f"{said}, but got: {shard_id}")
        if _count("offset", offset, -1) > num_shards:
            said = f"{name} offset must be no more than num_shards({num_shards})"
            raise DatasetError(f"{said}, but got: {offset}")
        self.shuffle, self.offset, self.shuffles = shuffle, offset, shuffle

    def _pick(self, size, draws, labels):
        order = draws.permutation(size, ahead=1) if self.shuffle else np.arange(size)
        if self.offset >= 0:
            return order[(self.shard_id - self.offset) % self.num_shards :: self.num_shards]
        share = -(-size // self.num_shards)
        return (
            np.resize(order, share * self.num_shards)[self.shard_id :: self.num_shards]
            if size
            else order
        )


class WeightedRandomSampler(BuiltinSampler):
    """Rows drawn with given weights.

    Args:
        weights (list[float]): the weight of each row, not negative, not all zero.
        num_samples (int, optional): how many rows at most. Default: as many as there are weights.
        replacement (bool): whether a row can be drawn again. Default: True.

    Raises:
        TypeError: ``weights`` is no list, or holds something else than numbers.
        RuntimeError: there are none, one is negative or not finite, or all are zero.

    Examples:
        >>> import minds.dataset as ds
        >>> sampler = ds.WeightedRandomSampler([0.0, 1.0, 0.0], num_samples=2)
        >>> [int(x) for x, in ds.NumpySlicesDataset([5, 6, 7], sampler=sampler)]
        [6, 6]
    """

    shuffles = True

    def __init__(self, weights, num_samples: int | None = None, replacement: bool = True):
        super().__init__(num_samples)
        self.weights = self._checked(weights)
        self.replacement = _flag("replacement", replacement)

    @staticmethod
    def _checked(weights) -> np.ndarray:
        given = weights if isinstance(weights, (list, np.ndarray)) else [weights]
        for i, w in enumerate(given):
            if isinstance(w, bool) or not isinstance(w, (int, float, np.number)):
                said = f"but got w[{i}]: {w}, type: {type(w)}."
                raise complain(TypeError, f"type of weights element must be number, {said}")
        name, made = "WeightedRandomSampler: ", np.asarray(given, np.float64)
        if not len(made):
            raise DatasetError(f"{name}weights vector must not be empty")
        if not np.isfinite(made).all() or (made < 0).any():
            odd = made[~(np.isfinite(made) & (made >= 0))][0]
            raise DatasetError(
                f"{name}weights vector must not contain negative numbers, got: {odd}"
            )
        if not made.any():
            raise DatasetError(f"{name}elements of weights vector must not be all zero")
        return made

    def _pick(self, size, draws, labels):
        if len(self.weights) > size:
            raise DatasetError(
                f"WeightedRandomSampler: there are {len(self.weights)} weights for {size} rows"
            )
        n, weights = len(self.weights), self.weights
        if self.replacement:
            ends = np.cumsum(weights / weights.sum())
            ends[-1] = 1.0
            return np.searchsorted(ends, draws.uniform(min(self.num_samples or n, size)))
        # Exponential races: the row with weight w arrives at rate w; rows without weight come last,
        # in order.
        with np.errstate(divide="ignore"):
            arrival = -np.log(1.0 - draws.uniform(n)) / weights
        return np.argsort(arrival, kind="stable")


class PKSampler(BuiltinSampler):
    """``num_val`` rows of each of ``num_class`` classes.

    Args:
        num_val (int): rows per class.
        num_class (int, optional): how many classes. Default: all.
        shuffle (bool): whether the rows of a class are drawn at random. Default: False.
        class_column (str): the column that holds the class. Default: ``"label"``.
        num_samples (int, optional): how many rows at most. Default: all.

    Raises:
        TypeError: a number is no int.
        ValueError: a number is not positive.

    Examples:
        >>> import minds.dataset as ds
        >>> sampler = ds.PKSampler(1)
        >>> data = {"x": [5, 6, 7, 8], "label": [1, 1, 0, 0]}
        >>> [int(x) for x, _ in ds.NumpySlicesDataset(data, sampler=sampler)]
        [7, 5]
    """

    def __init__(
        self,
        num_val: int,
        num_class: int | None = None,
        shuffle: bool = False,
        class_column: str = "label",
        num_samples: int | None = None,
    ):
        super().__init__(num_samples)
        said = "PKSampler: num_val must be greater than 0"
        self.num_val = _count("num_val", num_val, 1, said)
        self.num_class = _count("num_class", num_class)
        if not isinstance(class_column, str):
            raise complain(TypeError, f"class_column must be a str value but was: {class_column}.")
        self.class_column, self.shuffle = class_column, _flag("shuffle", shuffle)
        self.shuffles = shuffle

    def _pick(self, size, draws, labels):
        classes = np.asarray(labels()).reshape(size)
        picked = []
        for c in np.unique(classes)[: self.num_class]:
            found = np.flatnonzero(classes == c)
            picked.append((draws.permutation(found) if self.shuffle else found)[: self.num_val])
        return np.concatenate(picked) if picked else np.zeros(0, np.int64)

    def count(self, size):
        raise DatasetError("PKSampler: the number of rows depends on the labels")


class Sampler:
    """Base of users' samplers: define ``__iter__`` that yields indices.

    ``self.dataset_size`` is the number of rows; ``self.num_samples`` what was given here, or the
    number of rows.

    Args:
        num_samples (int, optional): how many rows at most. Default: all.

    Raises:
        TypeError: ``num_samples`` is no int.
        ValueError: it is negative.

    Examples:
        >>> import minds.dataset as ds
        >>> class Backwards(ds.Sampler):
        ...     def __iter__(self):
        ...         return iter(range(self.dataset_size - 1, -1, -1))
        >>> d = ds.NumpySlicesDataset([1, 2, 3], sampler=Backwards())
        >>> [int(x) for x, in d.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [3, 2, 1]
    """

    def __init__(self, num_samples: int | None = None):
        self.num_samples, self.dataset_size, self.child_sampler = (
            _count("num_samples", num_samples, 0),
            0,
            None,
        )

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} defines no __iter__")

    def reset(self) -> None:
        """Called after the indices of an epoch were taken; a subclass may define it.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.Sampler().reset()
        """


class IterSampler(Sampler):
    """An iterable of indices as a sampler.

    Args:
        sampler (iterable): gives the indices of each epoch.
        num_samples (int, optional): how many rows at most. Default: the iterable's length, where it has one.

    Raises:
        TypeError: ``num_samples`` is no int.
        ValueError: it is negative.

    Examples:
        >>> import minds.dataset as ds
        >>> d = ds.NumpySlicesDataset([1, 2, 3], sampler=ds.IterSampler([2, 0]))
        >>> [int(x) for x, in d.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        [3, 1]
    """

    def __init__(self, sampler, num_samples: int | None = None):
        if num_samples is None and hasattr(sampler, "__len__"):
            num_samples = len(sampler)
        super().__init__(num_samples)
        self.sampler = sampler

    def __iter__(self):
        return iter(self.sampler)


def check_indices(indices: np.ndarray, size: int) -> np.ndarray:
    """``indices``, all of which must be rows.

    Raises:
        DatasetError: one is out of range.
    """
    bad = indices[(indices < 0) | (indices >= size)]
    if bad.size:
        said = f"Sample ID ({bad[0]}) is out of bound, expected range [0, {size - 1}]"
        raise DatasetError(f"sampler: {said}")
    return indices


def class_column(sampler) -> str | None:
    """The column that the `PKSampler` among a sampler and those that choose before it names, if any."""
    while sampler is not None:
        if isinstance(sampler, PKSampler):
            return sampler.class_column
        sampler = getattr(sampler, "child", None)
    return None


def order_of(sampler, size: int, draws, labels=None) -> np.ndarray:
    """The indices that any kind of sampler gives: one of ours, a user's, or an iterable of ints."""
    if isinstance(sampler, BuiltinSampler):
        return sampler.order(size, draws, labels)
    limit = getattr(sampler, "num_samples", None) or None
    if isinstance(sampler, Sampler):
        sampler.dataset_size, sampler.num_samples = size, sampler.num_samples or size
    indices = np.asarray(list(sampler))
    if indices.size and indices.dtype.kind not in "iu":
        raise DatasetError(f"sampler: the indices must be ints, got {indices.dtype}")
    return check_indices(indices.astype(np.int64)[:limit], size)


def choose(sampler, shuffle, num_samples, num_shards, shard_id):
    """The sampler that a source's arguments ask for.

    Raises:
        ValueError: arguments contradict each other.
        TypeError: ``sampler`` or ``shuffle`` has a wrong type.
    """
    if shuffle is not None and not isinstance(shuffle, (bool, np.bool_)):
        check_type("shuffle", shuffle, (bool,))
    shards_fit(num_shards, shard_id)
    if sampler is None:
        num_shards, shard_id = data_parallel.shards(num_shards, shard_id)
    elif isinstance(sampler, (int, list, tuple, np.ndarray)) and not isinstance(sampler, bool):
        sampler_alone(sampler, shuffle, None, num_shards)
        return SubsetSampler(sampler, num_samples)
    else:
        sampler_alone(sampler, shuffle, num_samples, num_shards)
        is_sampler = isinstance(sampler, BuiltinSampler) or np.iterable(sampler)
        if not is_sampler or isinstance(sampler, str):
            raise complain(
                TypeError,
                f"Unsupported sampler object of type ({type(sampler)})",
                expected="an int, an iterable, or a sampler of minds.dataset",
            )
        return sampler
    if num_shards is not None:
        return DistributedSampler(num_shards, shard_id, shuffle is not False, num_samples)
    if shuffle is False:
        return SequentialSampler(None, num_samples)
    return RandomSampler(num_samples is not None, num_samples)  # MindSpore's: with replacement

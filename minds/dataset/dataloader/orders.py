"""Samplers of a `DataLoader`: iterables of the indices, or lists of indices, that it loads."""

from __future__ import annotations

import itertools
import math
from typing import Generic

import numpy as np

from ...base.errors import complain
from ...base.world import world
from .checks import positive, typed
from .sources import T_co


class Sampler(Generic[T_co]):
    """Base of samplers: a subclass defines ``__iter__``, and ``__len__`` where its length is known.

    Args:
        data_source (Dataset, optional): accepted.

    Examples:
        >>> from minds.dataset.dataloader import Sampler
        >>> class Twice(Sampler):
        ...     def __iter__(self):
        ...         return iter([0, 0, 1, 1])
        >>> list(Twice())
        [0, 0, 1, 1]
    """

    def __init__(self, data_source=None):
        pass


class SequentialSampler(Sampler[int]):
    """All indices in order.

    Args:
        data_source (Dataset): what is sampled; its length counts.

    Examples:
        >>> from minds.dataset.dataloader import SequentialSampler
        >>> list(SequentialSampler("abc"))
        [0, 1, 2]
    """

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Indices in random order.

    Args:
        data_source (Dataset): what is sampled; its length counts.
        replacement (bool): whether an index can be drawn again. Default: False.
        num_samples (int, optional): how many indices; beyond the length without replacement another order
            begins. Default: the length.
        generator (numpy.random.Generator, optional): what is drawn from. Default: one that starts from
            NumPy's global generator.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``num_samples`` is not positive.

    Examples:
        >>> from minds.dataset.dataloader import RandomSampler
        >>> sorted(RandomSampler("abc"))
        [0, 1, 2]
    """

    def __init__(self, data_source, replacement: bool = False, num_samples=None, generator=None):
        for name, value, kind in (
            ("replacement", replacement, bool),
            ("num_samples", num_samples, int),
            ("generator", generator, np.random.Generator),
        ):
            if value is not None and not isinstance(value, kind):
                called = "numpy.random.Generator" if kind is np.random.Generator else kind.__name__
                said = f"{name} must be {called}, but got: {type(value).__name__}"
                raise complain(TypeError, said)
        if num_samples is not None and num_samples <= 0:
            said = (
                f"num_samples must be a positive integer value, but got num_samples = {num_samples}"
            )
            raise complain(ValueError, said)
        self.data_source, self.replacement = data_source, replacement
        self._num_samples, self.generator = num_samples, generator

    @property
    def num_samples(self) -> int:
        """How many indices there are.

        Examples:
            >>> from minds.dataset.dataloader import RandomSampler
            >>> RandomSampler("abc", num_samples=2).num_samples
            2
        """
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        n, left = len(self.data_source), self.num_samples
        rng = self.generator or np.random.default_rng(np.random.randint(2**63 - 1, dtype=np.int64))
        while left > 0 and n:
            drawn = (
                rng.integers(0, n, min(left, 32)) if self.replacement else rng.permutation(n)[:left]
            )
            yield from drawn.tolist()
            left -= len(drawn)

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list]):
    """Lists of the indices of another sampler.

    Args:
        sampler (Sampler, iterable): gives the indices.
        batch_size (int): how many are one list.
        drop_last (bool): whether a last list with fewer is left out.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``batch_size`` is not positive.

    Examples:
        >>> from minds.dataset.dataloader import BatchSampler
        >>> list(BatchSampler(range(5), 2, False))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler, batch_size: int, drop_last: bool):
        self.sampler = sampler
        self.batch_size = positive("batch_size", batch_size)
        self.drop_last = typed("drop_last", drop_last, bool)

    def __iter__(self):
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self) -> int:
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)


class DistributedSampler(Sampler[int]):
    """One process's share of the indices; all shares have the same length.

    Args:
        dataset (Dataset): what is sampled; its length counts.
        num_replicas (int, optional): how many shares. Default: the number of processes.
        rank (int, optional): which share. Default: this process's.
        shuffle (bool): whether indices are shuffled, another way in each epoch. Default: True.
        seed (int): of the shuffle. Default: 0.
        drop_last (bool): whether shares are filled up by leaving indices out, else by the first ones
            again. Default: False.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``num_replicas`` or ``rank`` is out of range.

    Examples:
        >>> from minds.dataset.dataloader import DistributedSampler
        >>> list(DistributedSampler("abcde", 2, 1, shuffle=False))
        [1, 3, 0]
    """

    def __init__(
        self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False
    ):
        num_replicas = world.size if num_replicas is None else num_replicas
        rank = world.rank if rank is None else rank
        for name, value, kind in (
            ("num_replicas", num_replicas, int),
            ("rank", rank, int),
            ("shuffle", shuffle, bool),
            ("seed", seed, int),
            ("drop_last", drop_last, bool),
        ):
            if not isinstance(value, kind):
                said = f"{name} must be {kind.__name__}, but got: {type(value).__name__}"
                raise complain(TypeError, said)
        if num_replicas <= 0:
            said = f"Invalid num_replicas: {num_replicas}, num_replicas must be greater than 0."
            raise complain(ValueError, said)
        if not 0 <= rank < num_replicas:
            said = f"Invalid rank: {rank}, rank must be in the interval [0, {num_replicas - 1}]"
            raise complain(ValueError, said)
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.shuffle, self.seed, self.drop_last, self.epoch = shuffle, seed, drop_last, 0
        n = len(dataset)
        self.num_samples = n // num_replicas if drop_last else math.ceil(n / num_replicas)
        self.total_samples = self.num_samples * num_replicas

    def __iter__(self):
        n = len(self.dataset)
        rng = np.random.default_rng(self.seed + self.epoch)
        order = rng.permutation(n) if self.shuffle else np.arange(n)
        return iter(np.resize(order, self.total_samples)[self.rank :: self.num_replicas].tolist())

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch comes next: it decides the shuffle.

        Args:
            epoch (int): its number.

        Raises:
            TypeError: it is no int.

        Examples:
            >>> from minds.dataset.dataloader import DistributedSampler
            >>> sampler = DistributedSampler("abcde", 2, 0)
            >>> sampler.set_epoch(3)
            >>> sampler.epoch
            3
        """
        if not isinstance(epoch, int):
            raise complain(TypeError, f"epoch must be int, but got: {type(epoch).__name__}")
        self.epoch = epoch

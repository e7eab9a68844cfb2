"""`DataLoader`: batches of what a dataset's elements become, in this process or several."""

from __future__ import annotations

import itertools
import time
from typing import Generic

import numpy as np

from ...base.errors import complain
from ..processes import ordered_processes
from .checks import not_negative, positive, typed
from .collating import converted, gathered, tensors
from .orders import BatchSampler, RandomSampler, SequentialSampler
from .sources import IterableDataset, T_co
from .workers import ENDED, Fetching, Serving


def _excluded(given: dict, why: str) -> None:
    for name, is_given in given.items():
        if is_given:
            raise complain(ValueError, f"{name} cannot be specified {why}.")


class DataLoader(Generic[T_co]):
    """Batches of the elements of a dataset, in this process or, with ``num_workers``, in several, which are
    forked for each iteration and whose batches come in order.

    Args:
        dataset (Dataset): elements by index, or an `IterableDataset`.
        batch_size (int, optional): elements of a batch; None: elements come on their own. Default: 1.
        shuffle (bool, optional): whether indices come in random order. Default: None, they do not.
        sampler (Sampler, iterable, optional): gives the indices.
        batch_sampler (Sampler, iterable, optional): gives the lists of indices.
        num_workers (int): processes; 0: this one. Default: 0.
        collate_fn (Callable, optional): makes a batch of a list of elements. Default: `default_collate`, and
            `default_convert` where there are no batches.
        pin_memory (bool): accepted, without effect. Default: False.
        drop_last (bool): whether a last batch with fewer elements is left out. Default: False.
        timeout (float): seconds that a batch of the processes may take; 0: any. Default: 0.0.
        worker_init_fn (Callable, optional): called with the number of a process when that begins.
        multiprocessing_context (str, optional): ``"fork"``.
        generator (numpy.random.Generator, optional): what shuffles and seeds are drawn from.
        prefetch_factor (int, optional): accepted: a process has two batches to make at any time.
        persistent_workers (bool): accepted: processes are forked for each iteration. Default: False.
        in_order (bool): accepted: batches are always in order. Default: True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or excludes another.
        NotImplementedError: the dataset has no ``__getitem__``.

    Examples:
        >>> from minds.dataset.dataloader import DataLoader
        >>> [x.asnumpy().tolist() for x in DataLoader([5, 6, 7], batch_size=2)]
        [[5, 6], [7]]
    """

    def __init__(
        self,
        dataset,
        batch_size=1,
        shuffle=None,
        sampler=None,
        batch_sampler=None,
        num_workers=0,
        collate_fn=None,
        pin_memory=False,
        drop_last=False,
        timeout=0.0,
        worker_init_fn=None,
        multiprocessing_context=None,
        generator=None,
        *,
        prefetch_factor=None,
        persistent_workers=False,
        in_order=True,
    ):
        self._iterates = isinstance(dataset, IterableDataset)
        self._check_order(dataset, batch_size, shuffle, sampler, batch_sampler, drop_last)
        not_negative("num_workers", num_workers)
        typed("pin_memory", pin_memory, bool)
        not_negative("timeout", timeout, (int, float))
        typed("generator", generator, np.random.Generator, optional=True)
        positive("prefetch_factor", prefetch_factor, optional=True)
        typed("persistent_workers", persistent_workers, bool)
        typed("in_order", in_order, bool)
        for name, value in (
            ("multiprocessing_context", multiprocessing_context),
            ("prefetch_factor", prefetch_factor),
            ("persistent_workers", persistent_workers or None),
        ):
            if value is not None and num_workers == 0:
                said = (
                    f"{name} must only be specified when num_workers is greater than 0, but got: 0."
                )
                raise complain(ValueError, said)
        if getattr(multiprocessing_context, "_name", multiprocessing_context) not in (None, "fork"):
            said = f"multiprocessing_context must be 'fork', but got: {multiprocessing_context!r}."
            raise complain(ValueError, said)
        self.dataset, self.num_workers, self.collate_fn = dataset, num_workers, collate_fn
        self.pin_memory, self.timeout, self.worker_init_fn = pin_memory, timeout, worker_init_fn
        self.multiprocessing_context, self.in_order = multiprocessing_context, in_order
        self.prefetch_factor = prefetch_factor or (2 if num_workers else None)
        self.persistent_workers = persistent_workers
        self.generator = generator if generator is not None else np.random.default_rng()
        self.drop_last = drop_last
        if sampler is None and not self._iterates:
            sampler = (
                RandomSampler(dataset, generator=self.generator)
                if shuffle
                else SequentialSampler(dataset)
            )
        self.sampler = itertools.repeat(None) if sampler is None else sampler
        if batch_sampler is not None:
            batch_size = None
        elif batch_size is not None:
            batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)
        self.batch_size, self.batch_sampler = batch_size, batch_sampler

    def _check_order(self, dataset, batch_size, shuffle, sampler, batch_sampler, drop_last) -> None:
        """Which arguments exclude each other."""
        if self._iterates:
            given = {"shuffle": shuffle, "sampler": sampler is not None}
            _excluded(
                {**given, "batch_sampler": batch_sampler is not None},
                "when dataset is iterable style",
            )
        elif not hasattr(dataset, "__getitem__"):
            said = (
                f"{type(dataset).__name__} should implement __getitem__ method if it is map style."
            )
            raise complain(NotImplementedError, said)
        positive("batch_size", batch_size, optional=True)
        typed("shuffle", shuffle, bool, optional=True)
        typed("drop_last", drop_last, bool)
        if sampler is not None and shuffle:
            raise complain(ValueError, "sampler cannot be specified with shuffle.")
        if batch_sampler is not None:
            given = {"batch_size": batch_size != 1, "shuffle": shuffle}
            _excluded(
                {**given, "sampler": sampler is not None, "drop_last": drop_last},
                "with batch_sampler",
            )

    @property
    def _indices(self):
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __len__(self) -> int:
        if not self._iterates:
            return len(self._indices)
        n, size = len(self.dataset), self.batch_size or 1
        return n // size if self.drop_last and self.batch_size else -(-n // size)

    def __iter__(self):
        batched = self.batch_sampler is not None
        collate = self.collate_fn or (gathered if batched else converted)
        done = tensors if self.collate_fn is None else lambda made: made
        fetching = Fetching(self.dataset, self._iterates, batched, self.drop_last, collate)
        if self.num_workers:
            return self._in_processes(fetching, done)
        return self._here(fetching, done)

    def _here(self, fetching: Fetching, done):
        for indices in self._indices:
            made = fetching.fetch(indices)
            if isinstance(made, str) and made == ENDED:
                return
            yield done(made)

    def _in_processes(self, fetching: Fetching, done):
        seed, since = int(self.generator.integers(2**31)), [time.monotonic()]
        serving = Serving(fetching, self.num_workers, seed, self.worker_init_fn)
        results = ordered_processes(
            serving,
            enumerate(self._indices),
            self.num_workers,
            (seed, 0, 0),
            lambda: self._late(since[0]),
            most=1,
        )
        ended = 0
        for made in results:
            if isinstance(made, str) and made == ENDED:
                ended += 1
                if ended == self.num_workers:
                    results.close()
                    return
                continue
            ended = 0
            yield done(made)
            since[0] = time.monotonic()

    def _late(self, since: float) -> bool:
        if self.timeout and time.monotonic() - since > self.timeout:
            said = f"DataLoader timed out waiting for data after {self.timeout} seconds."
            raise complain(RuntimeError, said)
        return False

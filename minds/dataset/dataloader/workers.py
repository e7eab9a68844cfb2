"""What the processes of a `DataLoader` run, and what they know of themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

ENDED = "the elements of this process have ended"

_here: WorkerInfo | None = None


@dataclass(frozen=True)
class WorkerInfo:
    """One of the processes of a `DataLoader`.

    Attributes:
        id (int): its number.
        num_workers (int): how many there are.
        seed (int): its seed.
        dataset (Dataset): its copy of the dataset.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


def get_worker_info() -> WorkerInfo | None:
    """Which of a `DataLoader`'s processes this is.

    Returns:
        WorkerInfo: its ``id``, ``num_workers``, ``seed`` and ``dataset``; None in all other processes.

    Examples:
        >>> from minds.dataset.dataloader import get_worker_info
        >>> print(get_worker_info())
        None
    """
    return _here


class Fetching:
    """Elements by index, or one after the other, as batches.

    Args:
        dataset (Dataset): what is loaded.
        iterates (bool): whether it is an `IterableDataset`.
        batched (bool): whether indices come as lists, and elements are put together.
        drop_last (bool): whether a last batch with fewer elements is left out.
        collate (Callable): makes a batch, or an element, what it becomes.
    """

    def __init__(self, dataset, iterates: bool, batched: bool, drop_last: bool, collate: Callable):
        self._dataset, self._batched, self._drop, self._collate = (
            dataset,
            batched,
            drop_last,
            collate,
        )
        self._iterates, self._elements, self._ended = iterates, None, False

    def fetch(self, indices):
        """What comes next; `ENDED` where there is nothing."""
        if not self._iterates:
            found = [self._dataset[i] for i in indices] if self._batched else self._dataset[indices]
            return self._collate(found)
        if self._elements is None:
            self._elements = iter(self._dataset)
        found = []
        for _ in indices if self._batched else range(1):
            if self._ended:
                break
            for element in self._elements:
                found.append(element)
                break
            else:
                self._ended = True
        if not found or self._batched and self._drop and len(found) < len(indices):
            return ENDED
        return self._collate(found if self._batched else found[0])


class Serving:
    """`Fetching` in a process: tells it which it is, and calls the user's function, when it begins.

    Args:
        fetching (Fetching): does the work.
        workers (int): how many processes there are; item n is the work of process n modulo their number.
        seed (int): the first process's seed.
        begin (Callable, optional): called with the number of the process.
    """

    def __init__(self, fetching: Fetching, workers: int, seed: int, begin):
        self._fetching, self._workers, self._seed, self._begin = fetching, workers, seed, begin
        self._begun = False

    def __call__(self, numbered: tuple):
        global _here
        number, indices = numbered
        if not self._begun:
            self._begun, i = True, number % self._workers
            _here = WorkerInfo(i, self._workers, self._seed + i, self._fetching._dataset)
            if self._begin is not None:
                self._begin(i)
        return self._fetching.fetch(indices)

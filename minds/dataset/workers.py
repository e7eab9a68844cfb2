"""What applies a function to items, in order: threads, or the processes of `processes`.

Threads are daemons, unlike those of `concurrent.futures`: a program that ends, or that the user
interrupts, does not wait for a call that has not returned.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from queue import SimpleQueue

from .processes import ordered_processes


class _Job:
    """A call for a worker, and what came of it."""

    __slots__ = ("done", "error", "fn", "item", "result")

    def __init__(self, fn: Callable, item):
        self.fn, self.item = fn, item
        self.result = self.error = None
        self.done = threading.Lock()
        self.done.acquire()

    def run(self) -> None:
        try:
            self.result = self.fn(self.item)
        except BaseException as e:  # belongs to whoever asks for the result
            self.error = e
        self.done.release()

    def get(self):
        self.done.acquire()
        if self.error is not None:
            raise self.error
        return self.result


def _work(jobs: SimpleQueue, ended: threading.Event) -> None:
    while (job := jobs.get()) is not None:
        if not ended.is_set():
            job.run()


def ordered_map(fn: Callable, items, workers: int) -> Iterator:
    """``fn`` over ``items`` in order, by up to ``workers`` threads, with few items in flight."""
    if workers <= 1:
        # Not `map`: a StopIteration of the user's function would end the epoch unseen.
        for item in items:
            yield fn(item)
        return
    jobs, pending, ended = SimpleQueue(), deque(), threading.Event()
    for _ in range(workers):
        threading.Thread(
            target=_work, args=(jobs, ended), name="minds-dataset", daemon=True
        ).start()
    try:
        for item in items:
            job = _Job(fn, item)
            pending.append(job)
            jobs.put(job)
            if len(pending) >= 2 * workers:
                yield pending.popleft().get()
        while pending:
            yield pending.popleft().get()
    finally:
        ended.set()
        for _ in range(workers):
            jobs.put(None)


def parallel(node, fn: Callable, items, run) -> Iterator:
    """``fn`` over ``items`` in order, by the threads or processes of a node of a pipeline."""
    if not node.processes:
        return ordered_map(fn, items, node.workers)
    seed = run.seed, run.places.get(node, 0), run.epoch
    return ordered_processes(fn, items, node.workers, seed, run.is_stopped)

"""What applies a function to items, in order: threads, or the processes of `processes`.

Threads are daemons, unlike those of `concurrent.futures`: a program that ends, or that the user
interrupts, does not wait for a call that has not returned.
"""

from __future__ import annotations

import threading
import time
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

    def get(self, stage=None):
        if stage is not None:
            stage.takes += 1
            stage.ready += not self.done.locked()
        self.done.acquire()
        if self.error is not None:
            raise self.error
        return self.result


def _work(jobs: SimpleQueue, ended: threading.Event) -> None:
    while (job := jobs.get()) is not None:
        if not ended.is_set():
            job.run()


def ordered_map(fn: Callable, items, workers: int, stage=None) -> Iterator:
    """``fn`` over ``items`` in order, by up to ``workers`` threads, with few items in flight; a
    ``stage`` (`metering`) counts results, and those that are there when they are asked for; one that
    is tuned may get more threads.
    """
    tuned = stage is not None and stage.tuned
    if workers <= 1 and not tuned:
        # Not `map`: a StopIteration of the user's function would end the epoch unseen.
        for item in items:
            yield fn(item)
        return
    jobs, pending, ended = SimpleQueue(), deque(), threading.Event()

    def hire(count: int) -> None:
        for _ in range(count):
            threading.Thread(
                target=_work, args=(jobs, ended), name="minds-dataset", daemon=True
            ).start()

    hire(workers)
    try:
        for item in items:
            if tuned and stage.node.workers > workers:
                hire(stage.node.workers - workers)
                workers = stage.node.workers
            job = _Job(fn, item)
            pending.append(job)
            jobs.put(job)
            if len(pending) >= 2 * workers:
                yield pending.popleft().get(stage)
        while pending:
            yield pending.popleft().get(stage)
    finally:
        ended.set()
        for _ in range(workers):
            jobs.put(None)


def parallel(node, fn: Callable, items, run) -> Iterator:
    """``fn`` over ``items`` in order, by the threads or processes of a node of a pipeline."""
    if (stage := node.stage) is None:
        return _parallel(node, fn, items, run)
    stage.parallel = True

    def timed(item):
        begin = time.perf_counter()
        return fn(item), time.perf_counter() - begin

    return _counted(_parallel(node, timed, items, run), stage)


def _parallel(node, fn: Callable, items, run) -> Iterator:
    if not node.processes:
        return ordered_map(fn, items, node.workers, node.stage)
    seed = run.seed, run.places.get(node, 0), run.epoch
    return ordered_processes(fn, items, node.workers, seed, run.is_stopped, node.stage)


def _counted(results: Iterator, stage) -> Iterator:
    for result, seconds in results:
        stage.busy += seconds
        yield result

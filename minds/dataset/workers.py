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

_MOST = 32  # items of a call
_SHORT, _LONG = 0.001, 0.004  # seconds of a call: it becomes longer below, shorter above


class _Job:
    """Items for a worker, and what came of them: of cheap ones several, for handing over a call costs as
    much as some do.
    """

    __slots__ = ("done", "error", "fn", "items", "results", "seconds")

    def __init__(self, fn: Callable, items: list):
        self.fn, self.items = fn, items
        self.results, self.error, self.seconds = [], None, 0.0
        self.done = threading.Lock()
        self.done.acquire()

    def run(self, ended: threading.Event) -> None:
        begin, fn, results = time.perf_counter(), self.fn, self.results
        try:
            for item in self.items:
                if ended.is_set():
                    break
                results.append(fn(item))
        except BaseException as e:  # belongs to whoever asks for the result
            self.error = e
        self.seconds = time.perf_counter() - begin
        self.done.release()

    def get(self, stage=None) -> Iterator:
        if stage is not None:
            stage.takes += 1
            stage.ready += not self.done.locked()
        self.done.acquire()
        yield from self.results
        if self.error is not None:
            raise self.error


def _work(jobs: SimpleQueue, ended: threading.Event) -> None:
    while (job := jobs.get()) is not None:
        job.run(ended)


def _filled(items: Iterator, size: int) -> list:
    """The next ``size`` of ``items``, or the fewer that come without waiting."""
    chunk, begin = [], time.perf_counter()
    for item in items:
        chunk.append(item)
        if len(chunk) == size or time.perf_counter() - begin > _SHORT:
            break
    return chunk


def in_chunks(items) -> Iterator[list]:
    """``items`` by some dozens, by fewer where they come slowly."""
    items = iter(items)
    while chunk := _filled(items, _MOST):
        yield chunk


def ordered_map(fn: Callable, items, workers: int, stage=None) -> Iterator:
    """``fn`` over ``items`` in order, by up to ``workers`` threads, with few calls in flight; a
    ``stage`` (`metering`) counts results, and those that are there when they are asked for; one that
    is tuned may get more threads.
    """
    tuned = stage is not None and stage.tuned
    if workers <= 1 and not tuned:
        # Not `map`: a StopIteration of the user's function would end the epoch unseen.
        for item in items:
            yield fn(item)
        return
    jobs, pending, ended, size = SimpleQueue(), deque(), threading.Event(), 1

    def hire(count: int) -> None:
        for _ in range(count):
            threading.Thread(
                target=_work, args=(jobs, ended), name="minds-dataset", daemon=True
            ).start()

    hire(workers)
    try:
        items = iter(items)
        while chunk := _filled(items, size):
            if tuned and stage.node.workers > workers:
                hire(stage.node.workers - workers)
                workers = stage.node.workers
            pending.append(_Job(fn, chunk))
            jobs.put(pending[-1])
            if len(pending) >= 2 * workers:
                job = pending.popleft()
                yield from job.get(stage)
                if job.seconds < _SHORT and len(job.items) == size:
                    size = min(2 * size, _MOST)
                elif job.seconds > _LONG:
                    size = max(size // 2, 1)
        while pending:
            yield from pending.popleft().get(stage)
    finally:
        ended.set()
        for _ in range(workers):
            jobs.put(None)


def parallel(node, fn: Callable, items, run, first: int = 0) -> Iterator:
    """``fn`` over ``items`` in order, by the threads or processes of a node of a pipeline; ``first`` is the
    number of the first item in its epoch.
    """
    if (stage := node.stage) is None:
        return _parallel(node, fn, items, run, first)
    stage.parallel = True

    def timed(item):
        begin = time.perf_counter()
        return fn(item), time.perf_counter() - begin

    return _counted(_parallel(node, timed, items, run, first), stage)


def _parallel(node, fn: Callable, items, run, first: int) -> Iterator:
    if not node.processes:
        return ordered_map(fn, items, node.workers, node.stage)
    seed = run.seed, run.places.get(node, 0), run.epoch
    return ordered_processes(fn, items, node.workers, seed, run.is_stopped, node.stage, first=first)


def _counted(results: Iterator, stage) -> Iterator:
    for result, seconds in results:
        stage.busy += seconds
        yield result

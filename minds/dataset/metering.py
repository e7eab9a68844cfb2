"""What each operation of a pipeline does while it runs: rows, seconds, and whether they were ready."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass

from .pipeline import Operation, RandomAccess, Run, start


@dataclass
class Meter:
    """The figures of one operation.

    Attributes:
        name (str): what it is.
        node (Operation): the operation that runs.
        inputs (list[Meter]): the stages that it reads.
        rows (int): rows, or batches, that it gave; of random access the elements that were asked for.
        seconds (float): that whoever reads it waited for it, its inputs' included.
        busy (float): seconds of its functions, over all workers.
        takes (int), ready (int): results of workers that were asked for, and of these those that were
            there.
        parallel (bool): whether it has workers.
        tuned (bool): whether the number of its threads may change while it runs.
    """

    name: str
    node: Operation
    inputs: list[Meter]
    rows: int = 0
    seconds: float = 0.0
    busy: float = 0.0
    takes: int = 0
    ready: int = 0
    parallel: bool = False
    tuned: bool = False

    @property
    def own(self) -> float:
        """Seconds of work of its own: of its functions, or what its inputs do not explain."""
        if self.parallel:
            return self.busy
        return max(self.seconds - sum(s.seconds for s in self.inputs), 0.0)


class _Metered(Operation):
    """An operation that counts and times what is read from it."""

    def __init__(self, stage: Meter):
        node = stage.node
        self._stage, self._node, self.children, self.columns = stage, node, (node,), node.columns
        self.repeats, self.batch_size = node.repeats, node.batch_size

    def __getattr__(self, name: str):
        return getattr(self._node, name)

    workers = property(lambda self: self._node.workers)
    processes = property(lambda self: self._node.processes)

    def view(self):
        view = self._node.view()
        if view is None:
            return None
        gather = view.gather and self._timed(view.gather, len)
        return RandomAccess(view.order, self._timed(view.row, lambda _: 1), gather)

    def _timed(self, fn: Callable, count: Callable) -> Callable:
        stage = self._stage

        def call(places):
            begin = time.perf_counter()
            found = fn(places)
            stage.seconds += time.perf_counter() - begin
            stage.rows += count(places)
            return found

        return call

    def rows(self, run):
        return self._counted(self._node.rows(run))

    def rows_after(self, run, skip):
        return self._counted(self._node.rows_after(run, skip))

    def rows_into(self, run, skip, place):
        return self._counted(self._node.rows_into(run, skip, place))

    def _counted(self, rows):
        stage, now = self._stage, time.perf_counter
        while True:
            begin = now()
            row = next(rows, None)
            stage.seconds += now() - begin
            if row is None:
                return
            stage.rows += 1
            yield row

    def size(self) -> int:
        return self._node.size()

    def origin(self, run, index):
        return self._node.origin(run, index)


def metered(
    node: Operation, seed: int, seeded: bool, tuned: bool = False
) -> tuple[Operation, Run, list[Meter]]:
    """A pipeline of the same rows whose operations are measured; ``tuned``: their threads may change.

    Returns:
        tuple: its last operation, its first epoch, and the stages, the last operation's first.
    """
    places = start(node, seed, seeded).places
    stages: list[Meter] = []
    copies: dict[Operation, _Metered] = {}

    def made(original: Operation) -> _Metered:
        if original not in copies:
            inner = copy.copy(original)
            stage = Meter(_named(original), inner, [])
            stage.tuned = tuned and original.tunable and not original.processes
            stages.append(stage)
            inner.children = tuple(made(c) for c in original.children)
            stage.inputs = [c._stage for c in inner.children]
            inner.stage = stage
            copies[original] = _Metered(stage)
        return copies[original]

    last = made(node)
    same = {copied._node: places[original] for original, copied in copies.items()}
    return last, Run(seed, same, 0, seeded), stages


def _named(node: Operation) -> str:
    said = getattr(node, "what", None) or getattr(node, "name", None)
    return said if isinstance(said, str) else type(node).__name__.removesuffix("Node").lower()

"""Autotune: workers and the queue of rows are changed while a pipeline runs, towards what limits it.

Rows are the same for any number of workers, so that tuning changes nothing but time.
"""

from __future__ import annotations

import json
import os
import time
from typing import NamedTuple

from . import config
from .metering import Meter

INTERVAL = 32
"""Rows between decisions where `config.set_autotune_interval` says nothing."""

BUDGET = 512 << 20
"""Bytes that the queue of ready rows may hold."""

_BEHIND = 0.5  # a stage whose results are ready less often than this is waited for
_LOAD = 0.3  # whose workers have less to do than this part of the time does not limit
_QUEUE = 128  # rows in the queue at most


class _Count(NamedTuple):
    """A stage's counts at a time."""

    busy: float
    takes: int
    ready: int


class Tuner:
    """Looks at a pipeline's stages after each row, and decides now and then.

    Args:
        stages (list[Meter]): those of a metered pipeline.
        channel: the queue of ready rows: has ``capacity``, and ``level()``.
    """

    def __init__(self, stages: list[Meter], channel):
        self._stages, self._channel = [s for s in stages if s.tuned], channel
        self._interval = config.get_autotune_interval() or INTERVAL
        self._most = os.cpu_count() or 1
        self._rows, self._levels, self._began = 0, [], time.perf_counter()
        self._seen = {id(s): _Count(0.0, 0, 0) for s in self._stages}

    def after(self, row) -> None:
        """A row was put into the queue."""
        self._rows += 1
        self._levels.append(self._channel.level())
        if self._rows % self._interval == 0:
            self._decide(row)
            self._levels.clear()
            self._began = time.perf_counter()

    def _decide(self, row) -> None:
        seen, now = self._seen, {id(s): _Count(s.busy, s.takes, s.ready) for s in self._stages}
        self._seen = now
        low = sum(1 for level in self._levels if level <= 1) / len(self._levels)
        if low < 0.5:
            return  # rows are ready before they are wanted: nothing limits
        if low < 1:  # sometimes ahead and sometimes behind: what a longer queue evens out
            nbytes = sum(getattr(v, "nbytes", 0) for v in row) or 1
            most = min(_QUEUE, max(BUDGET // nbytes, 1))
            self._channel.capacity = max(
                self._channel.capacity, min(2 * self._channel.capacity, most)
            )
        behind, seconds = [], time.perf_counter() - self._began
        for s in self._stages:
            was, is_ = seen[id(s)], now[id(s)]
            takes = is_.takes - was.takes
            load = (is_.busy - was.busy) / s.node.workers / seconds
            if takes and (is_.ready - was.ready) / takes < _BEHIND and load > _LOAD:
                behind.append((load, s))
        if behind and sum(s.node.workers - 1 for s in self._stages) < self._most:
            max(behind, key=lambda pair: pair[0])[1].node.workers += 1

    def summary(self) -> dict:
        """What was chosen, as `config.set_enable_autotune` writes it."""
        return {
            "remark": "Written by autotune.",
            "summary": [f"{s.name} (num_parallel_workers: {s.node.workers})" for s in self._stages],
            "prefetch_size": self._channel.capacity,
        }

    def save(self, prefix: str | None) -> None:
        """Write the summary to ``prefix`` and ``_0.json``; nowhere without a prefix."""
        if prefix is not None:
            with open(f"{prefix}_0.json", "w", encoding="utf-8") as f:
                json.dump(self.summary(), f, indent=2)

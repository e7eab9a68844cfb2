"""`Profile`: what ran, with its time per op and per line, and the memory in use."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from typing import NamedTuple

from ..base import marks
from ..base.errors import complain
from ..lower import watch
from .pictures import flame_graph, memory_chart
from .places import place_of
from .trace import write_trace


class Share(NamedTuple):
    """A row of a table of `Profile`.

    Attributes:
        name (str): of the op, or the place of the line.
        calls (int): how many kernels ran.
        ms (float): milliseconds that they took together.
        share (float): of the time of all kernels, from 0 to 1.
    """

    name: str
    calls: int
    ms: float
    share: float


class Profile(watch.Recording):
    """Notes each kernel that runs, in compiled programs and in eager calls, with its time, the user's
    line, and the memory that is in use. On a device with memory of its own each kernel is waited for.

    Attributes:
        running (bool): whether it notes what runs.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> x = ops.ones((8, 8))
        >>> with ms.profile() as p:
        ...     _ = ops.matmul(x, x)
        >>> [row.name for row in p.ops()], p.lines()[0].calls
        (['matmul'], 1)
    """

    def start(self) -> Profile:
        """Note what runs from now on.

        Returns:
            Profile: itself.

        Raises:
            RuntimeError: it is running already.

        Examples:
            >>> import minds as ms
            >>> p = ms.profile().start()
            >>> p.stop()
        """
        if self.running:
            raise complain(RuntimeError, "profile: it runs already", cure="call stop() first")
        super().start()
        return self

    def stop(self) -> None:
        """Note nothing any more; without effect where it does not run.

        Examples:
            >>> import minds as ms
            >>> ms.profile().stop()
        """
        if self.running:
            super().stop()

    def __enter__(self) -> Profile:
        return self.start()

    def __exit__(self, *error) -> None:
        self.stop()

    @staticmethod
    def mark(name: str) -> _Range:
        """A stretch of time with a name, for the trace.

        Args:
            name (str): what it is called.

        Returns:
            context manager: the stretch.

        Examples:
            >>> import minds as ms
            >>> with ms.profile() as p, p.mark("warm up"):
            ...     pass
            >>> [m.name for m in p.marks]
            ['warm up']
        """
        return _Range(name)

    # ---- tables

    def ops(self) -> list[Share]:
        """The time of each kind of kernel, the most first.

        Returns:
            list[Share]: a row per op.

        Examples:
            >>> import minds as ms
            >>> ms.profile().ops()
            []
        """
        return self._table(lambda w: w.op)

    def lines(self) -> list[Share]:
        """The time of each line of the user's that kernels come from, the most first; that of its
        gradient has ``◀`` before it.

        Returns:
            list[Share]: a row per line.

        Examples:
            >>> import minds as ms
            >>> ms.profile().lines()
            []
        """
        return self._table(place_of)

    def _table(self, name) -> list[Share]:
        found = defaultdict(lambda: [0, 0])
        for w in self.work:
            if w.op:
                entry = found[name(w)]
                entry[0] += 1
                entry[1] += w.end - w.begin
        total = sum(t for _, t in found.values()) or 1
        rows = [Share(n, calls, t / 1e6, t / total) for n, (calls, t) in found.items()]
        return sorted(rows, key=lambda r: -r.ms)

    def memory(self) -> list[tuple[float, int]]:
        """The bytes in use over time.

        Returns:
            list[tuple]: (milliseconds since the first kernel began, bytes), after each kernel.

        Examples:
            >>> import minds as ms
            >>> ms.profile().memory()
            []
        """
        begin = min((w.begin for w in self.work), default=0)
        return sorted(((w.end - begin) / 1e6, w.in_use) for w in self.work)

    def waiting(self) -> float:
        """How long steps waited for rows of a dataset.

        Returns:
            float: milliseconds.

        Examples:
            >>> import minds as ms
            >>> ms.profile().waiting()
            0.0
        """
        return sum(m.end - m.begin for m in self.marks if m.name == "wait for data") / 1e6

    def __str__(self) -> str:
        parts = []
        for title, rows in (("op", self.ops()), ("line", self.lines())):
            parts.append(f"{'ms':>10}  {'share':>6}  {'calls':>7}  {title}")
            parts += [f"{r.ms:10.3f}  {r.share:6.1%}  {r.calls:7d}  {r.name}" for r in rows[:20]]
            parts += [f"{'':27}  and {len(rows) - 20} more"] * (len(rows) > 20) + [""]
        parts.append(f"waited for data: {self.waiting():.3f} ms")
        return "\n".join(parts)

    # ---- files

    def save_trace(self, path: str) -> None:
        """Write a trace that https://ui.perfetto.dev and Chrome's about:tracing open: kernels, runs of
        programs and marks by thread, exchanges with other processes, and the memory in use.

        Args:
            path (str): the file, in JSON; compressed where it ends in ``.gz``.

        Raises:
            OSError: it cannot be written.

        Examples:
            >>> import os, tempfile
            >>> import minds as ms
            >>> path = os.path.join(tempfile.mkdtemp(), "trace.json")
            >>> ms.profile().save_trace(path)
            >>> os.path.exists(path)
            True
        """
        write_trace(path, self.work, self.marks, exchanges=self.exchanges)

    def save_flame_graph(self, path: str) -> None:
        """Write a picture of the time by function, line and op: each bar stands on its caller and is as
        wide as its time.

        Args:
            path (str): the file, in SVG.

        Raises:
            OSError: it cannot be written.

        Examples:
            >>> import os, tempfile
            >>> import minds as ms
            >>> path = os.path.join(tempfile.mkdtemp(), "flames.svg")
            >>> ms.profile().save_flame_graph(path)
            >>> open(path).read(4)
            '<svg'
        """
        with open(os.fspath(path), "w", encoding="utf-8") as f:
            f.write(flame_graph(self.work))

    def save_memory_chart(self, path: str) -> None:
        """Write a picture of the memory in use over time.

        Args:
            path (str): the file, in SVG.

        Raises:
            OSError: it cannot be written.

        Examples:
            >>> import os, tempfile
            >>> import minds as ms
            >>> path = os.path.join(tempfile.mkdtemp(), "memory.svg")
            >>> ms.profile().save_memory_chart(path)
            >>> open(path).read(4)
            '<svg'
        """
        with open(os.fspath(path), "w", encoding="utf-8") as f:
            f.write(memory_chart(self.memory()))


class _Range:
    """A stretch of time from ``__enter__`` to ``__exit__``."""

    def __init__(self, name: str):
        self.name, self.begin = name, 0

    def __enter__(self):
        self.begin = time.perf_counter_ns()
        return self

    def __exit__(self, *error):
        marks.mark(self.name, self.begin, time.perf_counter_ns())


profile = Profile

__all__ = ["Profile", "Share", "profile"]

"""`Dataset.profile`: what each operation of a pipeline takes, and which limits it."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from xml.sax.saxutils import escape

from . import config
from .handle import DatasetHandle, whole
from .metering import Meter, metered

_HEAD = "stage", "rows", "rows/s", "ms each", "workers", "ready", "share", "waits"
_WIDTH, _BAR, _LEFT = 760, 22, 300  # pixels of the picture


@dataclass(frozen=True)
class StageFigures:
    """What one operation took.

    Args:
        name (str): what it is.
        rows (int): rows, or batches, that it gave.
        rate (float): of these per second of the whole run.
        each (float): seconds of work of its own for one.
        workers (int): threads or processes.
        ready (float, optional): the share of its workers' results that were there when they were
            asked for: near 1 it is ahead of what reads it, near 0 it is waited for. None for what
            has no workers.
        share (float): its work, over all workers, as a part of the run's time.
        waits (float): the part of the time in which it waited for the rows that it works on. Default: 0.0.

    Examples:
        >>> import minds.dataset as ds
        >>> ds.StageFigures("map: f", 10, 5.0, 0.1, 2, 0.5, 0.25).name
        'map: f'
    """

    name: str
    rows: int
    rate: float
    each: float
    workers: int
    ready: float | None
    share: float
    waits: float = 0.0


class DatasetProfile:
    """What `Dataset.profile` measured; printing it gives a table.

    Args:
        stages (list[StageFigures]): the operations, the last first.
        seconds (float): the whole run.

    Attributes:
        limit (StageFigures): the operation that limits the rate.

    Examples:
        >>> import minds.dataset as ds
        >>> figures = ds.NumpySlicesDataset(list(range(8))).batch(4).profile()
        >>> [s.rows for s in figures.stages]
        [2, 8]
    """

    def __init__(self, stages: list[StageFigures], seconds: float):
        self.stages, self.seconds = stages, seconds
        self.limit = max(stages, key=lambda s: s.share / s.workers)

    def __str__(self) -> str:
        rows = [_HEAD, *map(_cells, self.stages)]
        widths = [max(len(r[i]) for r in rows) for i in range(len(_HEAD))]
        lines = [
            "  ".join(
                c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(r, widths))
            ).rstrip()
            for r in rows
        ]
        lines.append(f"{self.seconds:.3f} s; limited by {self.limit.name}")
        return "\n".join(lines)

    def svg(self) -> str:
        """A picture: each operation's work as a part of the time, by workers, and in grey how long it waited
        for rows.

        Returns:
            str: an SVG document.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2]).profile().svg()[:4]
            '<svg'
        """
        height = _BAR * len(self.stages) + 8
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
            'font-family="sans-serif" font-size="12">'
        ]
        for i, s in enumerate(self.stages):
            y, whole = 4 + i * _BAR, _WIDTH - _LEFT - 150
            length, waits = (whole * min(v, 1) for v in (s.share / s.workers, s.waits))
            colour = "#c33" if s is self.limit else "#69c"
            said = f"{s.each * 1e3:.3f} ms × {s.rows}"
            said += "" if s.ready is None else f", {s.ready:.0%} ready"
            parts += [
                f'<text x="4" y="{y + 15}">{escape(s.name[:44])}</text>',
                f'<rect x="{_LEFT}" y="{y + 3}" width="{length:.1f}" height="{_BAR - 6}" '
                f'fill="{colour}"/>',
                f'<rect x="{_LEFT}" y="{y + _BAR - 3}" width="{waits:.1f}" height="3" fill="#bbb"/>',
                f'<text x="{_LEFT + length + 6:.1f}" y="{y + 15}">{said}</text>',
            ]
        return "\n".join([*parts, "</svg>", ""])


def _cells(s: StageFigures) -> tuple[str, ...]:
    ready = "" if s.ready is None else f"{s.ready:.0%}"
    each = f"{s.each * 1e3:.3f}"
    parts = f"{s.share:.0%}", f"{s.waits:.0%}"
    return s.name, str(s.rows), f"{s.rate:.1f}", each, str(s.workers), ready, *parts


def figures(stage: Meter, seconds: float) -> StageFigures:
    """A stage's counts over a run of so many seconds."""
    ready = stage.ready / stage.takes if stage.takes else None
    each, workers = stage.own / max(stage.rows, 1), stage.node.workers
    share, waits = stage.own / seconds, sum(s.seconds for s in stage.inputs) / seconds
    return StageFigures(
        stage.name, stage.rows, stage.rows / seconds, each, workers, ready, share, waits
    )


class Profiling(DatasetHandle):
    """The methods of `Dataset` that measure it."""

    _part_of = "Dataset"

    def profile(self, num_rows: int | None = None) -> DatasetProfile:
        """Run the pipeline as fast as it goes, and measure each operation.

        Args:
            num_rows (int, optional): after how many rows, or batches, to stop. Default: after one
                epoch.

        Returns:
            DatasetProfile: rate, work, workers, readiness and waiting by operation; which one limits.

        Raises:
            TypeError: ``num_rows`` is no int.
            ValueError: ``num_rows`` is not positive.
            RuntimeError: the pipeline fails.

        Examples:
            >>> import time
            >>> import minds.dataset as ds
            >>> d = ds.NumpySlicesDataset(list(range(6)), "x")
            >>> d = d.map(lambda x: time.sleep(0.01) or x, "x")
            >>> print(d.profile().limit.name)
            map: <lambda>
        """
        limit = None if num_rows is None else whole("num_rows", num_rows, 1)
        node, run, stages = metered(self._node, config.get_seed(), True)
        begin = time.perf_counter()
        for _ in itertools.islice(node.rows(run), limit):
            pass
        seconds = time.perf_counter() - begin
        return DatasetProfile([figures(s, seconds) for s in stages], seconds)

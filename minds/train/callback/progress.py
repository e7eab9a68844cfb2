"""`ProgressBar`: where the training is, how fast, and how long it will take."""

from __future__ import annotations

import sys
import time

from ...base.boundary import checked
from .base import Callback, loss_of

_EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(part: float, width: int = 20) -> str:
    """A bar of ``width`` characters of which ``part``, from 0 to 1, is full."""
    eighths = round(min(max(part, 0.0), 1.0) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if full < width else "")).ljust(width)


def duration(seconds: float) -> str:
    """Seconds as ``m:ss`` or ``h:mm:ss``."""
    minutes, s = divmod(round(seconds), 60)
    hours, m = divmod(minutes, 60)
    return f"{hours}:{m:02d}:{s:02d}" if hours else f"{m}:{s:02d}"


class ProgressBar(Callback):
    """Shows epoch and step, steps and rows a second, the time left, the loss, and the part of the time in
    which steps waited for data. On a terminal one line per epoch that is written over; elsewhere a line at
    the end of each epoch.

    Args:
        every (float): the seconds between two looks at the loss, which a device is waited for. Default: 0.2.
        file (Any, optional): where it is written. Default: standard error.

    Raises:
        TypeError: ``every`` is no number.

    Examples:
        >>> import sys
        >>> import numpy as np
        >>> import minds as ms
        >>> from minds import nn, train
        >>> x = np.ones((8, 2), np.float32)
        >>> data = ms.dataset.NumpySlicesDataset((x, x[:, :1]), ["x", "y"]).batch(4)
        >>> net = nn.Dense(2, 1)
        >>> model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
        >>> model.train(1, data, train.ProgressBar(file=sys.stdout))  # doctest: +ELLIPSIS
        epoch 1/1 ████████████████████ 2/2, ... steps/s, ... rows/s, left 0:00, data wait ...%, loss ...
    """

    @checked
    def __init__(self, every: float = 0.2, file=None):
        self._every, self._file = every, file
        self._begin = self._shown = 0.0
        self._steps = self._rows = self._waited = self._line = 0

    def on_train_epoch_begin(self, run_context):
        p = run_context.original_args()
        self._begin = self._shown = time.perf_counter()
        self._steps = self._rows = 0
        self._first = p.cur_step_num
        self._waited = getattr(p.get("train_rows"), "waited", 0)

    def on_train_step_end(self, run_context):
        """Count the step, and show where the training is.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> shown = train.ProgressBar(every=60)
            >>> params = train.callback.CallbackParams(cur_step_num=1, train_dataset_element=())
            >>> shown.on_train_epoch_begin(train.callback.RunContext(params))
            >>> shown.on_train_step_end(train.callback.RunContext(params))
        """
        p = run_context.original_args()
        element = p.get("train_dataset_element") or ()
        shape = getattr(element[0], "shape", ()) if len(element) else ()
        self._rows += shape[0] if shape else 1
        now = time.perf_counter()
        out = self._out()
        if now - self._shown >= self._every and out.isatty():
            self._shown = now
            text = self._text(p, now)
            out.write("\r" + text.ljust(self._line))
            out.flush()
            self._line = len(text)

    def on_train_epoch_end(self, run_context):
        out, text = self._out(), self._text(run_context.original_args(), time.perf_counter())
        out.write(("\r" + text.ljust(self._line) if out.isatty() else text) + "\n")
        out.flush()
        self._line = 0

    def _out(self):
        return sys.stderr if self._file is None else self._file

    def _text(self, p, now: float) -> str:
        took, steps = max(now - self._begin, 1e-9), p.cur_step_num - self._first
        done = (p.cur_step_num - 1) % p.batch_num + 1
        left = (p.epoch_num * p.batch_num - p.cur_step_num) * took / max(steps, 1)
        waited = (getattr(p.get("train_rows"), "waited", 0) - self._waited) / 1e9
        parts = [
            f"epoch {p.cur_epoch_num}/{p.epoch_num} {bar(done / p.batch_num)} {done}/{p.batch_num}",
            f"{steps / took:.3g} steps/s",
            f"{self._rows / took:.4g} rows/s",
            f"left {duration(left)}",
            f"data wait {min(waited / took, 1):.0%}",
        ]
        loss = loss_of(p.get("net_outputs"))
        return ", ".join(parts + ([] if loss is None else [f"loss {loss:.4g}"]))


__all__ = ["ProgressBar"]

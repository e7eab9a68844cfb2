"""`FlopsUtilizationCollector`: how much of what a machine could compute a training uses."""

from __future__ import annotations

import math
import os
import time

from ...base.boundary import checked
from ...base.errors import complain
from ...base.world import world
from ...lower.watch import Recording
from .base import Callback


def percentage(part: float) -> str:
    """A part of 1 as percent, cut after two digits."""
    return f"{math.floor(part * 10**4) / 100:.2f}%"


class FlopsUtilizationCollector(Callback):
    """Prints the time of steps and which part of a machine's peak their products of matrices, convolutions
    and attention used, forward and backward. They are counted as the first step runs them, so those of
    a branch or a loop are, and what is computed again for the gradient is among them. For graph mode.

    Args:
        data_size (int): the steps of an epoch; nothing is printed for its last one.
        computility (float): the peak of a device, in operations of floating point a second. Default: 1.
        full_flops (bool): whether the operations of all devices are shown, not only this one's.
            Default: ``True``.
        enable_ma_collector (bool): whether numbers are written to files in the folder ``MA_LOG_DIR`` as
            well. Default: ``False``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``data_size`` is not positive; or the network is not compiled (raised in training).

    Examples:
        >>> import numpy as np
        >>> import minds as ms
        >>> from minds import nn, train
        >>> x, y = np.ones((64, 10), np.float32), np.zeros(64, np.int32)
        >>> data = ms.dataset.NumpySlicesDataset((x, y), ["x", "y"]).batch(32)
        >>> net = nn.Dense(10, 5)
        >>> loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        >>> model = train.Model(net, loss, nn.Momentum(net.trainable_params(), 0.01, 0.9))
        >>> counts = train.FlopsUtilizationCollector(data.get_dataset_size(), computility=10e6)
        >>> ms.set_context(mode=ms.GRAPH_MODE)
        >>> model.train(1, data, counts)  # doctest: +ELLIPSIS
        Full model flops is 6400, ...
        Train per step time: ... ms mfu:...% hfu:...%
    """

    @checked
    def __init__(
        self,
        data_size: int,
        computility: float = 1,
        full_flops: bool = True,
        enable_ma_collector: bool = False,
    ):
        if data_size < 1:
            said = f"FlopsUtilizationCollector: data_size is {data_size}"
            raise complain(ValueError, said, expected="at least 1")
        self.data_size, self.computility, self.full_flops = data_size, computility, full_flops
        self._files = enable_ma_collector
        self._record, self._flops, self._begin = Recording(), None, 0.0

    def step_begin(self, run_context):
        if self._flops is None:
            self._record.start()
        self._begin = time.perf_counter()

    def step_end(self, run_context):
        """Print the time of the step and the parts of the peak.

        Args:
            run_context (RunContext): what the hook is told.

        Raises:
            ValueError: the network is not compiled.

        Examples:
            >>> from minds import train
            >>> counts = train.FlopsUtilizationCollector(1)
            >>> params = train.callback.CallbackParams(mode="train", cur_step_num=1)
            >>> run = train.callback.RunContext(params)
            >>> counts.step_begin(run)
            >>> try:
            ...     counts.step_end(run)
            ... except ValueError as e:
            ...     print(str(e).splitlines()[0])
            FlopsUtilizationCollector: no compiled program ran
        """
        p = run_context.original_args()
        ms = (time.perf_counter() - self._begin) * 1e3
        steps = p.get("batch_num", 1) if p.get("dataset_sink_mode") else 1
        if self._flops is None:
            self._count(steps)
        ms /= steps
        if p.cur_step_num % self.data_size == 0 and steps == 1:
            return
        used = percentage(self._flops / self.computility / ms * 1e3)
        line = f"{p.mode.title()} per step time: {ms:5.3f} ms"
        print(f"{line} mfu:{used} hfu:{used}", flush=True)
        if self._files:
            stamp = f'{{type="per_step_time", rank_id="{world.rank}"}} {ms} {_now()}\n'
            self._write("time_step", f"time_monitor{stamp}")

    def _count(self, steps: int) -> None:
        self._record.stop()
        if not any(w.program for w in self._record.work):
            raise complain(
                ValueError,
                "FlopsUtilizationCollector: no compiled program ran",
                cure="call set_context(mode=GRAPH_MODE) before the training",
            )
        self._flops = mine = sum(w.flops for w in self._record.work) // steps
        self._record = Recording()
        shard = f"Shard model flops is {mine}, Shard hardware flops is {mine}."
        full = mine * world.size
        head = f"Full model flops is {full}, Full hardware flops is {full}, "
        print((head if self.full_flops else "") + shard, flush=True)
        if self._files:
            lines = [
                f'flops{{type="{kind}_flops", rank_id="{world.rank}"}} {mine} {_now()}\n'
                for kind in ("model", "hardware")
            ]
            self._write("flops", "".join(lines))

    def end(self, run_context):
        if self._record.running:
            self._record.stop()

    @staticmethod
    def _write(name: str, text: str) -> None:
        folder = os.environ.get("MA_LOG_DIR", "./")
        with open(os.path.join(folder, f"{name}_rank_{world.rank}.txt"), "w") as f:
            f.write(text)


def _now() -> int:
    return round(time.time() * 1e3)


__all__ = ["FlopsUtilizationCollector"]

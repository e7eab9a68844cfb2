"""`WaitedDSCallback`: rows that wait for the training's last step or epoch."""

from __future__ import annotations

import threading

from ...dataset import DSCallback, config
from ...dataset.pipeline import DatasetError
from .base import Callback


class WaitedDSCallback(Callback, DSCallback):
    """Given to `Dataset.map` and to `Model.train` both: before the next rows, or the next epoch, are made, it
    waits for the training to be done with those before, and calls ``sync_step_begin`` or
    ``sync_epoch_begin``, of which a subclass defines what it needs. The pipeline runs in one thread.

    Args:
        step_size (int): the rows of a step, such as the size of a batch. Default: 1.

    Raises:
        TypeError: ``step_size`` is no int.
        ValueError: it is not positive.

    Examples:
        >>> import numpy as np
        >>> import minds.dataset as ds
        >>> from minds import nn, train
        >>> seen = []
        >>> class Losses(ds.WaitedDSCallback):
        ...     def sync_step_begin(self, train_run_context, ds_run_context):
        ...         seen.append(train_run_context.original_args().cur_step_num)
        >>> losses = Losses()
        >>> x = np.ones((3, 2), np.float32)
        >>> data = ds.NumpySlicesDataset((x, x[:, :1]), ["x", "y"], shuffle=False)
        >>> data = data.map(lambda x: x, "x", callbacks=losses).batch(1)
        >>> net = nn.Dense(2, 1)
        >>> train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, data, losses)
        >>> seen
        [1, 2]
    """

    waits = True

    def __init__(self, step_size: int = 1):
        DSCallback.__init__(self, step_size)
        self._changed = threading.Condition()
        self._done = {"step": 0, "epoch": 0}
        self._contexts = {"step": None, "epoch": None}
        self.training_ended = False

    def sync_epoch_begin(self, train_run_context, ds_run_context):
        """Before the rows of an epoch, after the training of the one before; a subclass defines it.

        Args:
            train_run_context (RunContext): of the training.
            ds_run_context (DSRunContext): of the rows.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.WaitedDSCallback().sync_epoch_begin(None, None)
        """

    def sync_step_begin(self, train_run_context, ds_run_context):
        """Before the rows of a step, after the training of the one before; a subclass defines it.

        Args:
            train_run_context (RunContext): of the training.
            ds_run_context (DSRunContext): of the rows.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.WaitedDSCallback().sync_step_begin(None, None)
        """

    # ---- of the training

    def __exit__(self, *error):
        self._release("step", None, end=True)

    def on_train_begin(self, run_context):
        self._done, self.training_ended = {"step": 0, "epoch": 0}, False

    def step_end(self, run_context):
        """A step of the training is done.

        Args:
            run_context (RunContext): of the training.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.WaitedDSCallback().step_end(None)
        """
        self._release("step", run_context)

    def epoch_end(self, run_context):
        """An epoch of the training is done.

        Args:
            run_context (RunContext): of the training.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.WaitedDSCallback().epoch_end(None)
        """
        self._release("epoch", run_context)

    def end(self, run_context):
        """The training is done: nothing waits any more.

        Args:
            run_context (RunContext): of the training.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.WaitedDSCallback().end(None)
        """
        self._release("step", run_context, end=True)

    def _release(self, what: str, run_context, end: bool = False) -> None:
        with self._changed:
            self._done[what] += 1
            self._contexts[what] = run_context or self._contexts[what]
            self.training_ended |= end
            self._changed.notify_all()

    # ---- of the rows

    def ds_epoch_begin(self, ds_run_context):
        """Wait for the epoch before.

        Args:
            ds_run_context (DSRunContext): of the rows.

        Raises:
            RuntimeError: it takes longer than ``config.get_callback_timeout()`` seconds.

        Examples:
            >>> import minds.dataset as ds
            >>> from minds.dataset.callbacks import DSRunContext
            >>> ds.WaitedDSCallback().ds_epoch_begin(DSRunContext(1, 0, 0))
        """
        if type(self).sync_epoch_begin is WaitedDSCallback.sync_epoch_begin:
            return
        if ds_run_context.cur_epoch_num > 1:
            self._wait("epoch", ds_run_context.cur_epoch_num - 1)
            self.sync_epoch_begin(self._contexts["epoch"], ds_run_context)

    def ds_step_begin(self, ds_run_context):
        """Wait for the step before.

        Args:
            ds_run_context (DSRunContext): of the rows.

        Raises:
            RuntimeError: it takes longer than ``config.get_callback_timeout()`` seconds.

        Examples:
            >>> import minds.dataset as ds
            >>> from minds.dataset.callbacks import DSRunContext
            >>> ds.WaitedDSCallback().ds_step_begin(DSRunContext(1, 1, 1))
        """
        if type(self).sync_step_begin is WaitedDSCallback.sync_step_begin:
            return
        if ds_run_context.cur_step_num > self.step_size:
            self._wait("step", (ds_run_context.cur_step_num - 1) // self.step_size)
            self.sync_step_begin(self._contexts["step"], ds_run_context)

    def _wait(self, what: str, number: int) -> None:
        limit = config.get_callback_timeout()
        with self._changed:
            free = self._changed.wait_for(
                lambda: self.training_ended or self._done[what] >= number, limit
            )
        if not free:
            raise DatasetError(f"ds_{what}_begin timed out after {limit} second(s).")


__all__ = ["WaitedDSCallback"]

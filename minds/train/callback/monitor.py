"""Callbacks that tell how the training goes: losses, times, a history, any functions."""

from __future__ import annotations

import math
import time

from ...base.boundary import checked
from ...base.errors import complain
from .base import Callback, loss_of


class LossMonitor(Callback):
    """Prints the loss, and stops the training with an error when it is not finite.

    Args:
        per_print_times (int): print every so many steps; 0 never prints. Default: 1.

    Raises:
        TypeError: ``per_print_times`` is no int.
        ValueError: it is negative; or the loss is not finite (raised in training).

    Examples:
        >>> import minds as ms
        >>> from minds import train
        >>> params = train.callback.CallbackParams(cur_epoch_num=1, cur_step_num=2, batch_num=4)
        >>> params.net_outputs = ms.Tensor(0.5)
        >>> train.LossMonitor().on_train_step_end(train.callback.RunContext(params))
        epoch: 1 step: 2, loss is 0.5
    """

    def __init__(self, per_print_times: int = 1):
        is_count = isinstance(per_print_times, int) and not isinstance(per_print_times, bool)
        if not is_count or per_print_times < 0:
            raise complain(
                ValueError if is_count else TypeError,
                f"LossMonitor: per_print_times is {per_print_times!r}",
                expected="an int of at least 0",
            )
        self._every, self._last = per_print_times, 0

    def begin(self, run_context):
        self._last = 0

    def on_eval_begin(self, run_context):
        """Nothing: the steps of the training go on."""

    def step_end(self, run_context):
        """Print the loss, every so many steps.

        Args:
            run_context (RunContext): what the hook is told.

        Raises:
            ValueError: the loss is not finite.

        Examples:
            >>> import minds as ms
            >>> from minds import train
            >>> params = train.callback.CallbackParams(cur_epoch_num=1, cur_step_num=2, batch_num=4)
            >>> params.net_outputs = ms.Tensor(0.5)
            >>> train.LossMonitor().step_end(train.callback.RunContext(params))
            epoch: 1 step: 2, loss is 0.5
        """
        p = run_context.original_args()
        loss, step = loss_of(p.net_outputs), (p.cur_step_num - 1) % p.batch_num + 1
        if loss is None:
            return
        if not math.isfinite(loss):
            raise complain(
                ValueError,
                f"LossMonitor: epoch: {p.cur_epoch_num} step: {step}: the loss is {loss}",
                cure="look for a too large learning rate or for wrong data",
            )
        if self._every and p.cur_step_num - self._last >= self._every:
            self._last = p.cur_step_num
            print(f"epoch: {p.cur_epoch_num} step: {step}, loss is {loss}", flush=True)

    def on_eval_step_end(self, run_context):
        p = run_context.original_args()
        loss = loss_of(p.net_outputs)
        if (
            p.mode == "eval"
            and loss is not None
            and self._every
            and p.cur_step_num % self._every == 0
        ):
            print(
                f"epoch: {p.get('cur_epoch_num', 1)} step: {p.cur_step_num}, loss is {loss}",
                flush=True,
            )


class TimeMonitor(Callback):
    """Prints the time of each epoch and of a step in it.

    Args:
        data_size (int, optional): print after so many steps instead. Default: the batches of an
            epoch.
        data_time (bool): accepted; batches are prefetched.

    Raises:
        TypeError: ``data_size`` is no int.
        ValueError: ``data_size`` is not positive.

    Examples:
        >>> import minds as ms
        >>> from minds.dataset import transforms
        >>> from minds import nn
        >>> from minds import train
        >>> net = nn.Dense(1, 1)
        >>> model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        >>> data = ms.dataset.NumpySlicesDataset(([[1.0]] * 4, [[1.0]] * 4), ["x", "y"])
        >>> cast = ms.dataset.transforms.TypeCast(ms.float32)
        >>> data = data.map(cast, "x").map(cast, "y").batch(2)
        >>> model.train(1, data, train.TimeMonitor())  # doctest: +ELLIPSIS
        Train epoch time: ... ms, per step time: ... ms
    """

    def __init__(self, data_size: int | None = None, data_time: bool = False):
        if data_size is not None and (
            isinstance(data_size, bool) or not isinstance(data_size, int)
        ):
            raise complain(
                TypeError,
                f"TimeMonitor: data_size has type {type(data_size).__name__}",
                expected="an int",
            )
        if data_size is not None and data_size < 1:
            raise complain(
                ValueError, f"TimeMonitor: data_size is {data_size}", expected="a positive int"
            )
        self.data_size, self._begin, self._eval_begin = data_size, 0.0, 0.0

    def epoch_begin(self, run_context):
        self._begin = time.perf_counter()

    def epoch_end(self, run_context):
        self._tell("Train", self._begin, run_context.original_args())

    def on_eval_epoch_begin(self, run_context):
        self._eval_begin = time.perf_counter()

    def on_eval_epoch_end(self, run_context):
        self._tell("Eval", self._eval_begin, run_context.original_args())

    def _tell(self, what: str, begin: float, p) -> None:
        ms = (time.perf_counter() - begin) * 1000
        steps = self.data_size or p.get("batch_num") or 1
        print(f"{what} epoch time: {ms:5.3f} ms, per step time: {ms / steps:5.3f} ms", flush=True)


class History(Callback):
    """Keeps the last outputs and the evaluation results of each epoch.

    Attributes:
        epoch (dict): ``{"epoch": [1, 2, …]}``.
        history (dict): ``net_output`` and the name of each metric → one value per epoch.

    Examples:
        >>> import minds as ms
        >>> from minds.dataset import transforms
        >>> from minds import nn
        >>> from minds import train
        >>> net = nn.Dense(1, 1)
        >>> model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        >>> data = ms.dataset.NumpySlicesDataset(([[1.0]] * 4, [[1.0]] * 4), ["x", "y"])
        >>> cast = ms.dataset.transforms.TypeCast(ms.float32)
        >>> data = data.map(cast, "x").map(cast, "y").batch(2)
        >>> history = train.History()
        >>> model.train(2, data, history)
        >>> history.epoch, list(history.history)
        ({'epoch': [1, 2]}, ['net_output'])
    """

    def __init__(self):
        self.epoch, self.history = {}, {}

    def begin(self, run_context):
        self.epoch, self.history = {"epoch": []}, {}

    def state(self):
        return self.epoch, self.history

    def restore(self, state):
        self.epoch, self.history = state

    def on_eval_begin(self, run_context):
        """An evaluation within the training does not start a new history.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> history = train.History()
            >>> history.on_eval_begin(train.callback.RunContext(train.callback.CallbackParams()))
        """

    def on_eval_epoch_end(self, run_context):
        """The results are read at the end of the training epoch.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> history = train.History()
            >>> history.on_eval_epoch_end(train.callback.RunContext(train.callback.CallbackParams()))
        """

    def epoch_end(self, run_context):
        p = run_context.original_args()
        self.epoch.setdefault("epoch", []).append(p.get("cur_epoch_num", 1))
        outputs = p.get("net_outputs")
        self.history.setdefault("net_output", []).append(
            outputs.asnumpy()[()] if hasattr(outputs, "asnumpy") else outputs
        )
        for name, value in (p.get("eval_results") or {}).items():
            self.history.setdefault(name, []).append(value)


_HOOKS = tuple(
    f"on_{phase}_{when}"
    for phase in ("train", "eval")
    for when in ("epoch_begin", "epoch_end", "step_begin", "step_end", "begin", "end")
)


class LambdaCallback(Callback):
    """A callback from functions, each called with the run context.

    Args:
        on_train_epoch_begin (Callable, optional), on_train_epoch_end (Callable, optional): the
            hooks of a training epoch.
        on_train_step_begin (Callable, optional), on_train_step_end (Callable, optional): those of a
            training step.
        on_train_begin (Callable, optional), on_train_end (Callable, optional): those of a training.
        on_eval_epoch_begin (Callable, optional), on_eval_epoch_end (Callable, optional): those of
            an evaluation's epoch.
        on_eval_step_begin (Callable, optional), on_eval_step_end (Callable, optional): those of an
            evaluation's step.
        on_eval_begin (Callable, optional), on_eval_end (Callable, optional): those of an
            evaluation.

    Examples:
        >>> from minds.train import LambdaCallback
        >>> tell = LambdaCallback(on_train_epoch_end=lambda run: print(run.original_args().cur_epoch_num))
    """

    @checked
    def __init__(
        self,
        on_train_epoch_begin=None,
        on_train_epoch_end=None,
        on_train_step_begin=None,
        on_train_step_end=None,
        on_train_begin=None,
        on_train_end=None,
        on_eval_epoch_begin=None,
        on_eval_epoch_end=None,
        on_eval_step_begin=None,
        on_eval_step_end=None,
        on_eval_begin=None,
        on_eval_end=None,
    ):
        given = dict(locals())
        for hook in _HOOKS:
            if given[hook] is not None:
                setattr(self, hook, given[hook])

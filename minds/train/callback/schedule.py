"""Callbacks that steer the training: learning rates, early stopping."""

from __future__ import annotations

import math

import numpy as np

from ...base.errors import complain
from ...tensor import Parameter, Tensor
from .base import Callback, as_float, loss_of


def learning_rate_of(params) -> Parameter:
    """The learning rate of the running training, which a callback may change.

    Raises:
        ValueError: the optimizer is missing or follows a schedule of its own.
    """
    optimizer = params.get("optimizer") or getattr(params.train_network, "optimizer", None)
    rate = getattr(optimizer, "learning_rate", None)
    if not isinstance(rate, Parameter) or rate.size != 1:
        raise complain(
            ValueError,
            "the learning rate is not one number that a callback could change",
            cure="give the optimizer a float",
        )
    return rate


def set_learning_rate(rate: Parameter, value: float) -> None:
    """Change a learning rate in place, so that compiled programs see it."""
    rate.set_data(Tensor(np.full(rate.shape, value), rate.dtype))


class LearningRateScheduler(Callback):
    """Sets the learning rate after each step.

    Args:
        learning_rate_function (Callable): gets the present rate and the number of the step; gives
            the new rate.

    Raises:
        TypeError: ``learning_rate_function`` is no function, or gives no number (raised in
            training).

    Examples:
        >>> from minds.train import LearningRateScheduler
        >>> decay = LearningRateScheduler(lambda lr, step: lr * 0.9 if step % 1000 == 0 else lr)
    """

    def __init__(self, learning_rate_function):
        if not callable(learning_rate_function):
            raise complain(
                TypeError,
                "LearningRateScheduler: learning_rate_function has type "
                + type(learning_rate_function).__name__,
                expected="a function",
            )
        self.learning_rate_function = learning_rate_function

    def on_eval_step_end(self, run_context):
        """Nothing: an evaluation has no rate."""

    def step_end(self, run_context):
        """Set the rate of the next step.

        Args:
            run_context (RunContext): what the hook is told.

        Raises:
            TypeError: the function gives no number.
            ValueError: the optimizer's rate is not one number.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> from minds import train
            >>> optimizer = nn.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")], 0.5)
            >>> params = train.callback.CallbackParams(optimizer=optimizer, cur_step_num=1)
            >>> run = train.callback.RunContext(params)
            >>> train.LearningRateScheduler(lambda lr, step: lr / 2).step_end(run)
            >>> float(optimizer.get_lr())
            0.25
        """
        p = run_context.original_args()
        rate = learning_rate_of(p)
        old = float(rate.item())
        new = self.learning_rate_function(old, p.cur_step_num)
        if isinstance(new, Tensor):
            new = new.item()
        if not isinstance(new, (int, float)) or isinstance(new, bool):
            raise complain(
                TypeError,
                f"LearningRateScheduler: the function gave {type(new).__name__}",
                expected="a number",
            )
        if new != old:
            set_learning_rate(rate, new)


class _Watching(Callback):
    """Shared by callbacks that compare a value of each epoch with the best one before."""

    def __init__(self, monitor, min_delta, patience, verbose, mode):
        name = type(self).__name__
        if not isinstance(monitor, str):
            raise complain(
                TypeError, f"{name}: monitor has type {type(monitor).__name__}", expected="a str"
            )
        if isinstance(min_delta, bool) or not isinstance(min_delta, (int, float)):
            raise complain(
                TypeError,
                f"{name}: min_delta has type {type(min_delta).__name__}",
                expected="a number",
            )
        if isinstance(patience, bool) or not isinstance(patience, int):
            raise complain(
                TypeError, f"{name}: patience has type {type(patience).__name__}", expected="an int"
            )
        if patience < 0:
            raise complain(ValueError, f"{name}: patience is {patience}", expected="at least 0")
        if mode not in ("auto", "min", "max"):
            raise complain(
                ValueError, f"{name}: mode is {mode!r}", expected="'auto', 'min' or 'max'"
            )
        self.monitor, self.patience, self.verbose = monitor, patience, verbose
        falling = mode == "min" or mode == "auto" and "acc" not in monitor.lower()
        self._sign, self._delta, self._best, self._wait = (
            -1 if falling else 1,
            abs(min_delta),
            -math.inf,
            0,
        )

    _remembered = ("_best", "_wait")

    def state(self):
        return {name: getattr(self, name) for name in self._remembered}

    def restore(self, state):
        for name in self._remembered:
            setattr(self, name, state[name])

    def _value(self, p):
        if self.monitor == "loss":
            value = loss_of(p.get("net_outputs"))
        else:
            results = p.get("eval_results") or {}
            value = results.get("loss" if self.monitor == "eval_loss" else self.monitor)
            value = None if value is None else as_float(value)
        return value

    def _improved(self, value: float) -> bool:
        """Whether ``value`` is the best so far; counts the epochs since the best."""
        score = self._sign * value
        if score - self._delta > self._best:
            self._best, self._wait = score, 0
            return True
        self._wait += 1
        return False


class EarlyStopping(_Watching):
    """Ends the training when a value has not improved for some epochs.

    Args:
        monitor (str): ``"loss"``, ``"eval_loss"`` or the name of a metric. Default:
            ``"eval_loss"``.
        min_delta (float): by how much it must improve. Default: 0.
        patience (int): for how many epochs it may not. Default: 0.
        verbose (bool): whether to print. Default: False.
        mode (str): ``"min"``, ``"max"`` or ``"auto"``: better is more for names with ``acc``.
            Default: ``"auto"``.
        baseline (float, optional): what the value must be better than.
        restore_best_weights (bool): whether the parameters of the best epoch are put back. Default:
            False.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``patience`` is negative or ``mode`` unknown.

    Examples:
        >>> import minds as ms
        >>> from minds import train
        >>> stop = train.EarlyStopping("loss", patience=1)
        >>> params = train.callback.CallbackParams(net_outputs=ms.Tensor(0.5), cur_epoch_num=1)
        >>> run = train.callback.RunContext(params)
        >>> stop.on_train_begin(run)
        >>> stop.on_train_epoch_end(run)
        >>> stop.on_train_epoch_end(run)
        >>> run.get_stop_requested()
        True
    """

    def __init__(
        self,
        monitor="eval_loss",
        min_delta=0,
        patience=0,
        verbose=False,
        mode="auto",
        baseline=None,
        restore_best_weights=False,
    ):
        super().__init__(monitor, min_delta, patience, verbose, mode)
        if baseline is not None and not isinstance(baseline, (int, float)):
            raise complain(
                TypeError,
                f"EarlyStopping: baseline has type {type(baseline).__name__}",
                expected="a number",
            )
        self.baseline, self.restore_best_weights = baseline, restore_best_weights
        self.stopped_epoch, self._weights = 0, None

    _remembered = ("_best", "_wait", "stopped_epoch", "_weights")

    def on_train_begin(self, run_context):
        self._wait, self.stopped_epoch, self._weights = 0, 0, None
        self._best = -math.inf if self.baseline is None else self._sign * self.baseline

    def on_train_epoch_end(self, run_context):
        p = run_context.original_args()
        value = self._value(p)
        if value is None:
            return
        if self._improved(value):
            if self.restore_best_weights:
                self._weights = {q.name: q.copy() for q in p.train_network.get_parameters()}
            return
        if self._wait >= self.patience:
            self.stopped_epoch = p.cur_epoch_num
            run_context.request_stop()
            if self.restore_best_weights and self._weights:
                if self.verbose:
                    print("Restoring model weights from the end of the best epoch.", flush=True)
                for q in p.train_network.get_parameters():
                    q.set_data(self._weights[q.name])

    def on_train_end(self, run_context):
        if self.stopped_epoch and self.verbose:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping", flush=True)


class ReduceLROnPlateau(_Watching):
    """Lowers the learning rate when a value has not improved for some epochs.

    Args:
        monitor (str): as in `EarlyStopping`. Default: ``"eval_loss"``.
        factor (float): what the rate is multiplied by, in ``[0, 1)``. Default: 0.1.
        patience (int): for how many epochs the value may not improve. Default: 10.
        verbose (bool): whether to print. Default: False.
        mode (str): as in `EarlyStopping`. Default: ``"auto"``.
        min_delta (float): by how much the value must improve. Default: 1e-4.
        cooldown (int): for how many epochs after a change nothing is counted. Default: 0.
        min_lr (float): the smallest rate. Default: 0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``factor`` is out of range, or a number is negative.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> from minds import train
        >>> optimizer = nn.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")], 0.5)
        >>> plateau = train.ReduceLROnPlateau("loss", factor=0.5, patience=1)
        >>> params = train.callback.CallbackParams(net_outputs=ms.Tensor(0.5), optimizer=optimizer)
        >>> run = train.callback.RunContext(params)
        >>> plateau.on_train_begin(run)
        >>> plateau.on_train_epoch_end(run)
        >>> plateau.on_train_epoch_end(run)
        >>> float(optimizer.get_lr())
        0.25
    """

    def __init__(
        self,
        monitor="eval_loss",
        factor=0.1,
        patience=10,
        verbose=False,
        mode="auto",
        min_delta=1e-4,
        cooldown=0,
        min_lr=0,
    ):
        super().__init__(monitor, min_delta, patience, verbose, mode)
        if not isinstance(factor, float) or not 0 <= factor < 1:
            raise complain(
                ValueError, f"ReduceLROnPlateau: factor is {factor!r}", expected="a float in [0, 1)"
            )
        if not isinstance(cooldown, int) or cooldown < 0 or min_lr < 0:
            raise complain(
                ValueError,
                f"ReduceLROnPlateau: cooldown is {cooldown!r}, min_lr {min_lr!r}",
                expected="numbers of at least 0",
            )
        self.factor, self.cooldown, self.min_lr, self._rest = factor, cooldown, float(min_lr), 0

    _remembered = ("_best", "_wait", "_rest")

    def on_train_begin(self, run_context):
        self._wait, self._rest, self._best = 0, 0, -math.inf

    def on_train_epoch_end(self, run_context):
        """Lower the rate where the value has not improved for long enough.

        Args:
            run_context (RunContext): what the hook is told.

        Raises:
            ValueError: the optimizer's rate is not one number.

        Examples:
            >>> import minds as ms
            >>> from minds import train
            >>> params = train.callback.CallbackParams(net_outputs=ms.Tensor(0.5))
            >>> train.ReduceLROnPlateau("loss").on_train_epoch_end(train.callback.RunContext(params))
        """
        p = run_context.original_args()
        value = self._value(p)
        if value is None:
            return
        if self._rest > 0:
            self._rest, self._wait = self._rest - 1, 0
        if self._improved(value) or self._rest > 0:
            return
        if self._wait >= self.patience:
            rate = learning_rate_of(p)
            old = float(rate.item())
            if old > self.min_lr:
                new = max(old * self.factor, self.min_lr)
                set_learning_rate(rate, new)
                self._rest, self._wait = self.cooldown, 0
                if self.verbose:
                    print(
                        f"Epoch {p.cur_epoch_num:05d}: ReduceLROnPlateau reducing learning rate to "
                        f"{np.float32(new)}.",
                        flush=True,
                    )

"""`find_learning_rate`: trains for some steps with rates that grow, and says which one is good."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..base.boundary import checked
from ..base.errors import complain
from ..tensor import Tensor
from .callback.base import Callback, loss_of
from .callback.schedule import learning_rate_of, set_learning_rate

_MOST = 100_000  # steps: more are a mistake in the argument


class FoundRate(NamedTuple):
    """What `find_learning_rate` gives.

    Attributes:
        rate (float): where the loss falls fastest.
        rates (list[float]): those that were tried, growing.
        losses (list[float]): the loss of each, smoothed.
    """

    rate: float
    rates: list
    losses: list


class _Growing(Callback):
    """Raises the rate in each step, and notes losses, until one is four times the best."""

    def __init__(self, low: float, high: float, steps: int, smoothing: float):
        self.low, self.factor = low, (high / low) ** (1 / max(steps - 1, 1))
        self.steps, self.smoothing = steps, smoothing
        self.rates, self.losses, self.mean = [], [], 0.0

    def on_train_step_begin(self, run_context):
        p = run_context.original_args()
        set_learning_rate(learning_rate_of(p), self.low * self.factor ** len(self.rates))

    def on_train_step_end(self, run_context):
        loss = loss_of(run_context.original_args().net_outputs)
        done = len(self.rates) + 1
        if loss is None:
            raise complain(TypeError, "find_learning_rate: the step gives no loss")
        self.mean = self.smoothing * self.mean + (1 - self.smoothing) * loss
        smooth = self.mean / (1 - self.smoothing**done)
        if not math.isfinite(loss) or self.losses and smooth > 4 * min(self.losses):
            run_context.request_stop()
            return
        self.rates.append(self.low * self.factor ** (done - 1))
        self.losses.append(smooth)
        if done == self.steps:
            run_context.request_stop()


@checked
def find_learning_rate(
    model,
    train_dataset,
    low: float = 1e-6,
    high: float = 1.0,
    steps: int = 100,
    smoothing: float = 0.9,
) -> FoundRate:
    """Train for some steps, each with a larger rate, until the loss explodes; afterwards all parameters are
    what they were.

    Args:
        model (Model): with an optimizer whose rate is one number.
        train_dataset (Dataset): batches; they are repeated where they are too few.
        low (float), high (float): the first and the last rate. Default: 1e-6, 1.0.
        steps (int): how many, 3 to 100,000. Default: 100.
        smoothing (float): how much of the mean loss is kept in each step, in [0, 1). Default: 0.9.

    Returns:
        FoundRate: the rate where the smoothed loss falls fastest, and what was tried.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the rates do not grow, or ``steps`` is out of its range; the optimizer follows a schedule.

    Source: Smith, Cyclical Learning Rates for Training Neural Networks, https://arxiv.org/abs/1506.01186.

    Examples:
        >>> import numpy as np
        >>> import minds as ms
        >>> from minds import nn, train
        >>> x = np.ones((8, 2), np.float32)
        >>> data = ms.dataset.NumpySlicesDataset((x, x[:, :1]), ["x", "y"]).batch(4)
        >>> net = nn.Dense(2, 1)
        >>> model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
        >>> 1e-6 <= train.find_learning_rate(model, data, steps=20).rate <= 1
        True
    """
    if not 0 < low < high or not 3 <= steps <= _MOST or not 0 <= smoothing < 1:
        raise complain(
            ValueError,
            f"find_learning_rate: low is {low}, high {high}, steps {steps}, smoothing {smoothing}",
            expected=f"0 < low < high, 3 to {_MOST} steps, and a smoothing in [0, 1)",
        )
    held = [(p, Tensor(p.asnumpy().copy(), p.dtype)) for p in model.train_network.get_parameters()]
    growing = _Growing(low, high, steps, smoothing)
    size = train_dataset.get_dataset_size()
    try:
        model.train(-(-steps // size), train_dataset, growing)
    finally:
        for p, value in held:
            p.set_data(value)
    rates, losses = growing.rates, growing.losses
    if len(rates) < 3:
        raise complain(
            ValueError, f"find_learning_rate: the loss explodes at once, at {low}", cure="lower low"
        )
    # Over so many rates the loss changes by more than from batch to batch.
    width = min(max(steps // 10, 1), len(losses) - 1)
    first = min(width, len(losses) - 1 - width)  # the first means are of few batches
    falls = [b - a for a, b in zip(losses[first:], losses[first + width :])]
    return FoundRate(rates[first + falls.index(min(falls)) + width // 2], rates, losses)


__all__ = ["FoundRate", "find_learning_rate"]

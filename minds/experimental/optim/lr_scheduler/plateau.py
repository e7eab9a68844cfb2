"""A scheduler that looks at a value: it lowers the rates when that does not improve."""

from __future__ import annotations

import math

from ....base.boundary import guard as _guard
from ....nn.layer import checks
from ....tensor import Tensor
from .scheduler import check_optimizer, per_group, rates, set_rate


class ReduceLROnPlateau:
    """Lowers the rate when a value has not improved for some epochs.

    Args:
        optimizer (Optimizer): whose rates are set.
        mode (str): ``"min"`` or ``"max"``: what is better. Default: ``"min"``.
        factor (float): what the rate is multiplied by, below 1. Default: 0.1.
        patience (int): for how many epochs the value may not improve. Default: 10.
        threshold (float): by how much it must improve. Default: 1e-4.
        threshold_mode (str): whether that is ``"rel"``, a share of the best, or ``"abs"``. Default:
            ``"rel"``.
        cooldown (int): for how many epochs after a change nothing is counted. Default: 0.
        min_lr (float, list[float]): the least rate, or one for each group. Default: 0.
        eps (float): a change that is smaller is left out. Default: 1e-8.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: one is out of range.

    Examples:
        >>> from minds.experimental import optim
        >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
        >>> scheduler = optim.lr_scheduler.ReduceLROnPlateau(sgd, patience=1)
        >>> for _ in range(3):
        ...     scheduler.step(1.0)
        >>> round(sgd.param_groups[0]["lr"].item(), 4)
        0.05
    """

    def __init__(
        self,
        optimizer,
        mode="min",
        factor=0.1,
        patience=10,
        threshold=1e-4,
        threshold_mode="rel",
        cooldown=0,
        min_lr=0,
        eps=1e-8,
    ):
        name = "ReduceLROnPlateau"
        check_optimizer(name, optimizer)
        self.mode = checks.one_of(name, "mode", mode, ("min", "max"))
        self.threshold_mode = checks.one_of(name, "threshold_mode", threshold_mode, ("rel", "abs"))
        self.factor = checks.number_in(name, "factor", factor, 0, 1, "[)")
        self.patience = checks.int_at_least(name, "patience", patience, 0)
        self.cooldown = checks.int_at_least(name, "cooldown", cooldown, 0)
        self.threshold = checks.number_in(name, "threshold", threshold, 0, math.inf)
        self.eps = checks.number_in(name, "eps", eps, 0, math.inf)
        self.optimizer = optimizer
        self.min_lrs = per_group(name, "min_lr", min_lr, optimizer)
        self.best = math.inf if mode == "min" else -math.inf
        self.last_epoch = self.num_bad_epochs = self.cooldown_counter = 0

    @property
    def in_cooldown(self) -> bool:
        """Whether nothing is counted now.

        Examples:
            >>> from minds.experimental import optim
            >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
            >>> optim.lr_scheduler.ReduceLROnPlateau(sgd).in_cooldown
            False
        """
        return self.cooldown_counter > 0

    def _improves(self, value: float) -> bool:
        sign = 1 if self.mode == "min" else -1
        margin = self.threshold
        if self.threshold_mode == "rel":
            margin = self.threshold * abs(self.best) if math.isfinite(self.best) else 0.0
        return sign * value < sign * self.best - margin

    def step(self, metrics) -> None:
        """See the value of an epoch, and set the rates.

        Args:
            metrics (float, Tensor): the value.

        Examples:
            >>> from minds.experimental import optim
            >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
            >>> optim.lr_scheduler.ReduceLROnPlateau(sgd).step(Tensor(1.0))
        """
        value = float(metrics.asnumpy()) if isinstance(metrics, Tensor) else float(metrics)
        self.last_epoch += 1
        if self._improves(value):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs <= self.patience:
            return
        for group, low in zip(self.optimizer.param_groups, self.min_lrs):
            old = group["lr"].item()
            new = max(old * self.factor, low)
            if old - new > self.eps:
                set_rate(group, new)
        self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0

    def get_last_lr(self) -> list[Tensor]:
        """The rates.

        Returns:
            list[Tensor[(), float32]]: one per group.

        Examples:
            >>> from minds.experimental import optim
            >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
            >>> optim.lr_scheduler.ReduceLROnPlateau(sgd).get_last_lr()[0].item()
            0.5
        """
        return rates(self.optimizer)


__all__ = [
    "ReduceLROnPlateau",
]
_guard(__name__)

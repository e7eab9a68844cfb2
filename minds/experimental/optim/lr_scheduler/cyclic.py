"""A scheduler whose rates rise and fall again and again."""

from __future__ import annotations

import math

from ....base.boundary import guard as _guard
from ....nn.layer import checks
from .scheduler import LRScheduler, check_optimizer, per_group, set_rate


class CyclicLR(LRScheduler):
    """The rate goes up from ``base_lr`` to ``max_lr`` and down again, in lines.

    Args:
        optimizer (Optimizer): whose rates are set.
        base_lr (float, list[float]): the least rate, or one for each group.
        max_lr (float, list[float]): the largest rate, or one for each group.
        step_size_up (int): the steps up. Default: 2000.
        step_size_down (int): the steps down. Default: None, as many.
        mode (str): ``"triangular"``; ``"triangular2"``, half as high each time; ``"exp_range"``, times
            ``gamma`` to the number of steps. Default: ``"triangular"``.
        gamma (float): see ``mode``. Default: 1.
        scale_fn (Callable): the height, in place of ``mode``. Default: None.
        scale_mode (str): what it gets: the number of the ``"cycle"``, or of ``"iterations"``. Default:
            ``"cycle"``.
        last_epoch (int): as in `LRScheduler`. Default: -1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: one is out of range.

    Source: Smith, Cyclical Learning Rates for Training Neural Networks, 2015.

    Examples:
        >>> from minds.experimental import optim
        >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
        >>> scheduler = optim.lr_scheduler.CyclicLR(sgd, 0.1, 0.5, 4)
        >>> scheduler.step()
        >>> round(sgd.param_groups[0]["lr"].item(), 4)
        0.2
    """

    def __init__(
        self,
        optimizer,
        base_lr,
        max_lr,
        step_size_up=2000,
        step_size_down=None,
        mode="triangular",
        gamma=1.0,
        scale_fn=None,
        scale_mode="cycle",
        last_epoch=-1,
    ):
        name = "CyclicLR"
        check_optimizer(name, optimizer)
        up = checks.positive_int(name, "step_size_up", step_size_up)
        down = (
            up
            if step_size_down is None
            else checks.positive_int(name, "step_size_down", step_size_down)
        )
        self.total_size, self.step_ratio = up + down, up / (up + down)
        if scale_fn is None:
            checks.one_of(name, "mode", mode, ("triangular", "triangular2", "exp_range"))
        checks.one_of(name, "scale_mode", scale_mode, ("cycle", "iterations"))
        self.mode, self.gamma = mode, checks.number_in(name, "gamma", gamma, 0, math.inf)
        self._scale_fn, self.scale_mode = scale_fn, scale_mode
        if scale_fn is None and mode == "exp_range":
            self.scale_mode = "iterations"
        self.max_lrs = per_group(name, "max_lr", max_lr, optimizer)
        if last_epoch == -1:
            for group, low in zip(
                optimizer.param_groups, per_group(name, "base_lr", base_lr, optimizer)
            ):
                set_rate(group, checks.number_in(name, "base_lr", low, 0, math.inf))
                group["initial_lr"] = group["lr"].item()
        super().__init__(optimizer, last_epoch)

    def _height(self, x) -> float:
        if self._scale_fn is not None:
            return self._scale_fn(x)
        return {"triangular": 1.0, "triangular2": 0.5 ** (x - 1)}.get(self.mode, self.gamma**x)

    def get_lr(self):
        cycle = 1 + self.last_epoch // self.total_size
        place = 1 + self.last_epoch / self.total_size - cycle
        part = (
            place / self.step_ratio
            if place <= self.step_ratio
            else (place - 1) / (self.step_ratio - 1)
        )
        height = self._height(cycle if self.scale_mode == "cycle" else self.last_epoch)
        return [
            low + (high - low) * part * height for low, high in zip(self.base_lrs, self.max_lrs)
        ]


__all__ = [
    "CyclicLR",
]
_guard(__name__)

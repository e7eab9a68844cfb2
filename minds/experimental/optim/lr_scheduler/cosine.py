"""Schedulers along a cosine."""

from __future__ import annotations

import math

from ....base.boundary import guard as _guard
from ....nn.layer import checks
from .scheduler import LRScheduler, set_rate


class CosineAnnealingLR(LRScheduler):
    """Half a wave of a cosine from the first rate to ``eta_min`` in ``T_max`` epochs, and back.

    Args:
        optimizer (Optimizer): whose rates are set.
        T_max (int): the epochs of half a wave.
        eta_min (float): the least rate. Default: 0.
        last_epoch (int): as in `LRScheduler`. Default: -1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: one is out of range.

    Examples:
        >>> from minds.experimental import optim
        >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
        >>> scheduler = optim.lr_scheduler.CosineAnnealingLR(sgd, 4)
        >>> for _ in range(2):
        ...     scheduler.step()
        >>> round(sgd.param_groups[0]["lr"].item(), 4)
        0.25
    """

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max = checks.positive_int("CosineAnnealingLR", "T_max", T_max)
        self.eta_min = checks.number_in("CosineAnnealingLR", "eta_min", eta_min, 0, math.inf)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        epoch, half = self.last_epoch, self.T_max
        if epoch == 0:
            return self._now()
        if (epoch - 1 - half) % (2 * half) == 0:
            rise = (1 - math.cos(math.pi / half)) / 2
            return [
                rate + (base - self.eta_min) * rise
                for rate, base in zip(self._now(), self.base_lrs)
            ]
        change = (1 + math.cos(math.pi * epoch / half)) / (
            1 + math.cos(math.pi * (epoch - 1) / half)
        )
        return [change * (rate - self.eta_min) + self.eta_min for rate in self._now()]

    def _at(self):
        wave = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * wave for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half waves of a cosine from the first rate to ``eta_min``, each from the start, of ``T_0`` epochs and
    then ``T_mult`` times as many as before.

    Args:
        optimizer (Optimizer): whose rates are set.
        T_0 (int): the epochs of the first.
        T_mult (int): the factor of their lengths. Default: 1.
        eta_min (float): the least rate. Default: 0.
        last_epoch (int): as in `LRScheduler`. Default: -1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: one is out of range.

    Examples:
        >>> from minds.experimental import optim
        >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
        >>> scheduler = optim.lr_scheduler.CosineAnnealingWarmRestarts(sgd, 2)
        >>> for _ in range(2):
        ...     scheduler.step()
        >>> round(sgd.param_groups[0]["lr"].item(), 4)
        0.5
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0, last_epoch=-1):
        name = "CosineAnnealingWarmRestarts"
        self.T_0 = checks.positive_int(name, "T_0", T_0)
        self.T_mult = checks.positive_int(name, "T_mult", T_mult)
        self.eta_min = checks.number_in(name, "eta_min", eta_min, 0, math.inf)
        super().__init__(optimizer, last_epoch)

    def step(self, epoch=None):
        if epoch is None:
            super().step()
            return
        # As torch, between whole epochs too: a step may be a batch.
        self.last_epoch = checks.number_in(type(self).__name__, "epoch", epoch, 0, math.inf)
        self._rates = self.get_lr()
        self.last_epoch = math.floor(epoch)
        for group, rate in zip(self.optimizer.param_groups, self._rates):
            set_rate(group, rate)

    def get_lr(self):
        done, length = self.last_epoch, self.T_0
        if self.T_mult == 1:
            done %= length
        while done >= length:
            done, length = done - length, length * self.T_mult
        wave = (1 + math.cos(math.pi * done / length)) / 2
        return [self.eta_min + (base - self.eta_min) * wave for base in self.base_lrs]


__all__ = [
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
]
_guard(__name__)

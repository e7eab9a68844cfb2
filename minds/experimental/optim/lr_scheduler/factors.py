"""Schedulers whose rate is the first one times a factor of the epoch."""

from __future__ import annotations

import bisect
import math
from collections import Counter

from ....base.boundary import guard as _guard
from ....base.errors import complain
from ....nn.layer import checks
from .scheduler import LRScheduler


class _FactorLR(LRScheduler):
    """The first rate times ``_factor(epoch)``. A step goes on from the present rates, which another
    scheduler may have changed too: it multiplies them by what the factor changed.
    """

    def _factor(self, epoch: int) -> float:
        raise NotImplementedError

    def get_lr(self):
        new = self._factor(self.last_epoch)
        if self.last_epoch == 0:
            return [rate * new for rate in self._now()]
        old = self._factor(self.last_epoch - 1)
        # From a rate of zero nothing leads on.
        return self._at() if old == 0 else [rate * (new / old) for rate in self._now()]

    def _at(self):
        return [base * self._factor(self.last_epoch) for base in self.base_lrs]


class StepLR(_FactorLR):
    """The rate times ``gamma`` after every ``step_size`` epochs.

    Args:
        optimizer (Optimizer): whose rates are set.
        step_size (int): the epochs of a rate.
        gamma (float): the factor. Default: 0.1.
        last_epoch (int): as in `LRScheduler`. Default: -1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: one is out of range.

    Examples:
        >>> from minds.experimental import optim
        >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
        >>> scheduler = optim.lr_scheduler.StepLR(sgd, 2)
        >>> for _ in range(2):
        ...     scheduler.step()
        >>> round(sgd.param_groups[0]["lr"].item(), 4)
        0.05
    """

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size = checks.positive_int("StepLR", "step_size", step_size)
        self.gamma = checks.number_in("StepLR", "gamma", gamma, 0, math.inf)
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch):
        return self.gamma ** (epoch // self.step_size)


class MultiStepLR(_FactorLR):
    """The rate times ``gamma`` after each of the given epochs.

    Args:
        optimizer (Optimizer): whose rates are set.
        milestones (list[int]): the epochs, in order; one may come twice.
        gamma (float): the factor. Default: 0.1.
        last_epoch (int): as in `LRScheduler`. Default: -1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: one is out of range.

    Examples:
        >>> from minds.experimental import optim
        >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
        >>> scheduler = optim.lr_scheduler.MultiStepLR(sgd, [1, 2])
        >>> for _ in range(2):
        ...     scheduler.step()
        >>> round(sgd.param_groups[0]["lr"].item(), 4)
        0.005
    """

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        if not isinstance(milestones, (list, tuple)):
            raise complain(
                TypeError,
                f"MultiStepLR: milestones has type {type(milestones).__name__}",
                expected="a list of ints",
            )
        for m in milestones:
            checks.int_at_least("MultiStepLR", "a milestone", m, 0)
        self.milestones, self._falls = Counter(milestones), sorted(milestones)
        self.gamma = checks.number_in("MultiStepLR", "gamma", gamma, 0, math.inf)
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch):
        return self.gamma ** bisect.bisect_right(self._falls, epoch)


class ConstantLR(_FactorLR):
    """The rate times ``factor`` for the first ``total_iters`` epochs.

    Args:
        optimizer (Optimizer): whose rates are set.
        factor (float): in [0, 1]. Default: 1/3.
        total_iters (int): how many epochs. Default: 5.
        last_epoch (int): as in `LRScheduler`. Default: -1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: one is out of range.

    Examples:
        >>> from minds.experimental import optim
        >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
        >>> scheduler = optim.lr_scheduler.ConstantLR(sgd, 0.5, 4)
        >>> for _ in range(3):
        ...     scheduler.step()
        >>> round(sgd.param_groups[0]["lr"].item(), 4)
        0.25
    """

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        self.factor = checks.number_in("ConstantLR", "factor", factor, 0, 1)
        self.total_iters = checks.int_at_least("ConstantLR", "total_iters", total_iters, 0)
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch):
        return self.factor if epoch < self.total_iters else 1.0


class ExponentialLR(_FactorLR):
    """The rate times ``gamma`` after every epoch.

    Args:
        optimizer (Optimizer): whose rates are set.
        gamma (float): the factor.
        last_epoch (int): as in `LRScheduler`. Default: -1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: one is out of range.

    Examples:
        >>> from minds.experimental import optim
        >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
        >>> scheduler = optim.lr_scheduler.ExponentialLR(sgd, 0.5)
        >>> for _ in range(2):
        ...     scheduler.step()
        >>> round(sgd.param_groups[0]["lr"].item(), 4)
        0.125
    """

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = checks.number_in("ExponentialLR", "gamma", gamma, 0, math.inf)
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch):
        return self.gamma**epoch


class LinearLR(_FactorLR):
    """The rate times a factor that goes in a line from ``start_factor`` to ``end_factor``.

    Args:
        optimizer (Optimizer): whose rates are set.
        start_factor (float): in (0, 1]. Default: 1/3.
        end_factor (float): in [0, 1]. Default: 1.
        total_iters (int): the epochs of the line. Default: 5.
        last_epoch (int): as in `LRScheduler`. Default: -1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: one is out of range.

    Examples:
        >>> from minds.experimental import optim
        >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
        >>> scheduler = optim.lr_scheduler.LinearLR(sgd, 0.5, 1.0, 4)
        >>> for _ in range(2):
        ...     scheduler.step()
        >>> round(sgd.param_groups[0]["lr"].item(), 4)
        0.375
    """

    def __init__(
        self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1
    ):
        self.start_factor = checks.number_in("LinearLR", "start_factor", start_factor, 0, 1, "(]")
        self.end_factor = checks.number_in("LinearLR", "end_factor", end_factor, 0, 1)
        self.total_iters = checks.positive_int("LinearLR", "total_iters", total_iters)
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch):
        part = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * part


class PolynomialLR(_FactorLR):
    """The rate times :math:`(1 - t / T)^p` after t of T epochs.

    Args:
        optimizer (Optimizer): whose rates are set.
        total_iters (int): T. Default: 5.
        power (float): p. Default: 1.
        last_epoch (int): as in `LRScheduler`. Default: -1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: one is out of range.

    Examples:
        >>> from minds.experimental import optim
        >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
        >>> scheduler = optim.lr_scheduler.PolynomialLR(sgd, 4)
        >>> for _ in range(2):
        ...     scheduler.step()
        >>> round(sgd.param_groups[0]["lr"].item(), 4)
        0.25
    """

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters = checks.positive_int("PolynomialLR", "total_iters", total_iters)
        self.power = checks.number_in("PolynomialLR", "power", power, 0, math.inf)
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch):
        return (1 - min(epoch, self.total_iters) / self.total_iters) ** self.power


__all__ = [
    "ConstantLR",
    "ExponentialLR",
    "LinearLR",
    "MultiStepLR",
    "PolynomialLR",
    "StepLR",
]
_guard(__name__)

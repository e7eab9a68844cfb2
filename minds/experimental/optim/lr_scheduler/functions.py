"""Schedulers whose rates are functions of the user's."""

from __future__ import annotations

from collections.abc import Callable

from ....base.boundary import guard as _guard
from ....base.errors import complain
from .scheduler import LRScheduler, check_optimizer, per_group


def _functions(name: str, given, optimizer) -> list:
    found = per_group(name, "lr_lambda", given, optimizer)
    for f in found:
        if not isinstance(f, Callable):
            raise complain(
                TypeError, f"{name}: lr_lambda has type {type(f).__name__}", expected="a function"
            )
    return found


class LambdaLR(LRScheduler):
    """The first rate times a function of the epoch.

    Args:
        optimizer (Optimizer): whose rates are set.
        lr_lambda (Callable, list[Callable]): the function, or one for each group.
        last_epoch (int): as in `LRScheduler`. Default: -1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: one is out of range.

    Examples:
        >>> from minds.experimental import optim
        >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
        >>> scheduler = optim.lr_scheduler.LambdaLR(sgd, lambda epoch: 1 / (1 + epoch))
        >>> for _ in range(1):
        ...     scheduler.step()
        >>> round(sgd.param_groups[0]["lr"].item(), 4)
        0.25
    """

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        check_optimizer("LambdaLR", optimizer)
        self.lr_lambdas = _functions("LambdaLR", lr_lambda, optimizer)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [base * f(self.last_epoch) for base, f in zip(self.base_lrs, self.lr_lambdas)]


class MultiplicativeLR(LRScheduler):
    """The rate times a function of the epoch, after every epoch.

    Args:
        optimizer (Optimizer): whose rates are set.
        lr_lambda (Callable, list[Callable]): the function, or one for each group.
        last_epoch (int): as in `LRScheduler`. Default: -1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: one is out of range.

    Examples:
        >>> from minds.experimental import optim
        >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
        >>> scheduler = optim.lr_scheduler.MultiplicativeLR(sgd, lambda epoch: 0.5)
        >>> for _ in range(2):
        ...     scheduler.step()
        >>> round(sgd.param_groups[0]["lr"].item(), 4)
        0.125
    """

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        check_optimizer("MultiplicativeLR", optimizer)
        self.lr_lambdas = _functions("MultiplicativeLR", lr_lambda, optimizer)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self.last_epoch == 0:
            return self._now()
        return [rate * f(self.last_epoch) for rate, f in zip(self._now(), self.lr_lambdas)]


__all__ = [
    "LambdaLR",
    "MultiplicativeLR",
]
_guard(__name__)

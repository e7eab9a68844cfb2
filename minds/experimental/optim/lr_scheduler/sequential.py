"""Several schedulers, one after the other."""

from __future__ import annotations

import bisect

from ....base.boundary import guard as _guard
from ....base.errors import complain
from ....tensor import Tensor
from .scheduler import check_optimizer, rates, set_rate


class SequentialLR:
    """Several schedulers, one after the other.

    Args:
        optimizer (Optimizer): whose rates are set.
        schedulers (list[LRScheduler]): of this optimizer.
        milestones (list[int]): the epochs at which the next one begins: one fewer than schedulers.
        last_epoch (int): as in `LRScheduler`. Default: -1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a scheduler has another optimizer, or the numbers do not fit.

    Examples:
        >>> from minds.experimental import optim
        >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
        >>> warm = optim.lr_scheduler.ConstantLR(sgd, 0.1, 2)
        >>> falls = optim.lr_scheduler.ExponentialLR(sgd, 0.5)
        >>> scheduler = optim.lr_scheduler.SequentialLR(sgd, [warm, falls], [2])
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(round(sgd.param_groups[0]["lr"].item(), 4))
        ...     scheduler.step()
        >>> rates
        [0.05, 0.05, 0.5, 0.25]
    """

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        check_optimizer("SequentialLR", optimizer)
        for s in schedulers:
            if getattr(s, "optimizer", None) is not optimizer:
                raise complain(ValueError, "SequentialLR: a scheduler has another optimizer")
        if len(milestones) != len(schedulers) - 1:
            raise complain(
                ValueError,
                f"SequentialLR: {len(milestones)} milestones for {len(schedulers)} schedulers",
                expected=f"{len(schedulers) - 1}",
            )
        self.optimizer, self.schedulers, self.milestones = optimizer, list(schedulers), milestones
        self.last_epoch = last_epoch + 1
        # Each scheduler has set its first rate: back to the beginning of the first.
        for group in optimizer.param_groups:
            set_rate(group, group["initial_lr"])
        for s in self.schedulers:
            s.last_epoch -= 1
        self.schedulers[0].step()

    def step(self) -> None:
        """Go to the next epoch and set its rates.

        Examples:
            >>> from minds.experimental import optim
            >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
            >>> schedulers = [optim.lr_scheduler.ExponentialLR(sgd, g) for g in (0.5, 0.1)]
            >>> optim.lr_scheduler.SequentialLR(sgd, schedulers, [3]).step()
            >>> sgd.param_groups[0]["lr"].item()
            0.25
        """
        self.last_epoch += 1
        i = bisect.bisect_right(self.milestones, self.last_epoch)
        if i > 0 and self.milestones[i - 1] == self.last_epoch:
            self.schedulers[i].step(0)
        else:
            self.schedulers[i].step()

    def get_last_lr(self) -> list[Tensor]:
        """The rates that were set last.

        Returns:
            list[Tensor[(), float32]]: one per group.

        Examples:
            >>> from minds.experimental import optim
            >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
            >>> schedulers = [optim.lr_scheduler.ExponentialLR(sgd, g) for g in (0.5, 0.1)]
            >>> optim.lr_scheduler.SequentialLR(sgd, schedulers, [3]).get_last_lr()[0].item()
            0.5
        """
        return rates(self.optimizer)


__all__ = [
    "SequentialLR",
]
_guard(__name__)

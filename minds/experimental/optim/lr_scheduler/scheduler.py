"""What schedulers are made of: the epoch, the first rates and the present ones of the groups."""

from __future__ import annotations

from ....base import dtype as dt
from ....base.boundary import guard as _guard
from ....base.errors import complain
from ....nn.layer import checks
from ....tensor import Tensor
from ..optimizer import Optimizer


def check_optimizer(name: str, optimizer) -> None:
    if not isinstance(optimizer, Optimizer):
        raise complain(
            TypeError,
            f"{name}: optimizer has type {type(optimizer).__name__}",
            expected="an optimizer of minds.experimental.optim",
        )


def set_rate(group: dict, rate: float) -> None:
    group["lr"].set_data(Tensor(rate, dt.float32))


def rates(optimizer) -> list[Tensor]:
    """The present rate of each group."""
    return [Tensor(group["lr"].item(), dt.float32) for group in optimizer.param_groups]


def per_group(name: str, argument: str, value, optimizer) -> list:
    """A value for each group."""
    if not isinstance(value, (list, tuple)):
        return [value] * len(optimizer.param_groups)
    if len(value) != len(optimizer.param_groups):
        raise complain(
            ValueError,
            f"{name}: {argument} has {len(value)} elements for {len(optimizer.param_groups)} groups",
        )
    return list(value)


class LRScheduler:
    """Base of schedulers: a subclass defines ``get_lr``, the rate of each group, from
    ``self.last_epoch``, ``self.base_lrs`` and ``self.get_last_lr()``.

    Args:
        optimizer (Optimizer): whose rates are set.
        last_epoch (int): the number of epochs that are done, less one. Default: -1, which takes the
            rates as they are for the first ones.

    Raises:
        TypeError: an argument has a wrong type.
        KeyError: ``last_epoch`` is not -1, and a group has no ``"initial_lr"``.

    Examples:
        >>> from minds.experimental import optim
        >>> class Halves(optim.lr_scheduler.LRScheduler):
        ...     def get_lr(self):
        ...         return [lr * 0.5**self.last_epoch for lr in self.base_lrs]
        >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
        >>> halves = Halves(sgd)
        >>> halves.step()
        >>> halves.get_last_lr()[0].item()
        0.25
    """

    def __init__(self, optimizer, last_epoch=-1):
        name = type(self).__name__
        check_optimizer(name, optimizer)
        checks.int_at_least(name, "last_epoch", last_epoch, -1)
        self.optimizer, self.last_epoch = optimizer, last_epoch
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"].item())
            elif "initial_lr" not in group:
                raise complain(KeyError, f"{name}: group {i} has no 'initial_lr'")
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self._rates = self._now()
        self.step()

    def _now(self) -> list[float]:
        return [group["lr"].item() for group in self.optimizer.param_groups]

    def get_lr(self) -> list[float]:
        """The rates of the present epoch.

        Returns:
            list[float]: one per group.

        Examples:
            >>> from minds.experimental import optim
            >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
            >>> optim.lr_scheduler.StepLR(sgd, 2).get_lr()
            [0.5]
        """
        raise NotImplementedError("a scheduler defines get_lr")

    def _at(self) -> list[float]:
        """The rates of ``self.last_epoch``, whatever the present ones are."""
        return self.get_lr()

    @property
    def _last_lr(self) -> list[Tensor]:
        """`get_last_lr`, as classes of users that are written for MindSpore read it."""
        return self.get_last_lr()

    def get_last_lr(self) -> list[Tensor]:
        """The rates that were set last.

        Returns:
            list[Tensor[(), float32]]: one per group.

        Examples:
            >>> from minds.experimental import optim
            >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
            >>> optim.lr_scheduler.StepLR(sgd, 2).get_last_lr()[0].item()
            0.5
        """
        return [Tensor(rate, dt.float32) for rate in self._rates]

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch and set its rates.

        Args:
            epoch (int, optional): go to this epoch instead. Default: None.

        Raises:
            TypeError: ``epoch`` is no int.

        Examples:
            >>> from minds.experimental import optim
            >>> sgd = optim.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.5)
            >>> scheduler = optim.lr_scheduler.StepLR(sgd, 1, 0.5)
            >>> scheduler.step()
            >>> sgd.param_groups[0]["lr"].item()
            0.25
        """
        name = type(self).__name__
        if epoch is None:
            self.last_epoch += 1
            self._rates = list(self.get_lr())
        else:
            self.last_epoch = checks.int_at_least(name, "epoch", epoch, 0)
            self._rates = list(self._at())
        for group, rate in zip(self.optimizer.param_groups, self._rates):
            set_rate(group, float(rate))


__all__ = [
    "LRScheduler",
    "check_optimizer",
    "per_group",
    "rates",
    "set_rate",
]
_guard(__name__)

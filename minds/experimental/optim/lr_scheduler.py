"""Schedulers: they set the learning rates of the groups of an optimizer, once an epoch or a step.

``step()`` counts ``last_epoch`` on and sets the rates that ``get_lr`` gives. Definitions: the
documentation of torch.optim.lr_scheduler, whose numbers these give.
"""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Callable

from ...base import dtype as dt
from ...base.boundary import guard as _guard
from ...base.errors import complain
from ...nn.layer import checks
from ...tensor import Tensor
from .optimizer import Optimizer


def _check_optimizer(name: str, optimizer) -> None:
    if not isinstance(optimizer, Optimizer):
        raise complain(
            TypeError,
            f"{name}: optimizer has type {type(optimizer).__name__}",
            expected="an optimizer of minds.experimental.optim",
        )


def _set_rate(group: dict, rate: float) -> None:
    group["lr"].set_data(Tensor(rate, dt.float32))


def _per_group(name: str, argument: str, value, optimizer) -> list:
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
        _check_optimizer(name, optimizer)
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
            at = getattr(self, "_at", self.get_lr)
            self._rates = list(at())
        for group, rate in zip(self.optimizer.param_groups, self._rates):
            _set_rate(group, float(rate))


class StepLR(LRScheduler):
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

    def get_lr(self):
        falls = self.last_epoch > 0 and self.last_epoch % self.step_size == 0
        return [rate * (self.gamma if falls else 1) for rate in self._now()]

    def _at(self):
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
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
        self.milestones = Counter(milestones)
        self.gamma = checks.number_in("MultiStepLR", "gamma", gamma, 0, math.inf)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [rate * self.gamma ** self.milestones[self.last_epoch] for rate in self._now()]

    def _at(self):
        done = bisect.bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**done for base in self.base_lrs]


class ConstantLR(LRScheduler):
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

    def get_lr(self):
        if self.last_epoch == 0:
            return [rate * self.factor for rate in self._now()]
        ends = self.last_epoch == self.total_iters
        return [rate / self.factor if ends else rate for rate in self._now()]

    def _at(self):
        factor = self.factor if self.last_epoch < self.total_iters else 1
        return [base * factor for base in self.base_lrs]


class LinearLR(LRScheduler):
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

    def _factor(self, epoch: int) -> float:
        part = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * part

    def get_lr(self):
        if self.last_epoch == 0:
            return [rate * self.start_factor for rate in self._now()]
        change = self._factor(self.last_epoch) / self._factor(self.last_epoch - 1)
        return [rate * change for rate in self._now()]

    def _at(self):
        return [base * self._factor(self.last_epoch) for base in self.base_lrs]


class ExponentialLR(LRScheduler):
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

    def get_lr(self):
        return [rate * (self.gamma if self.last_epoch > 0 else 1) for rate in self._now()]

    def _at(self):
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
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

    def _factor(self, epoch: int) -> float:
        return (1 - min(epoch, self.total_iters) / self.total_iters) ** self.power

    def get_lr(self):
        if self.last_epoch == 0 or self.last_epoch > self.total_iters:
            return self._now()
        change = self._factor(self.last_epoch) / self._factor(self.last_epoch - 1)
        return [rate * change for rate in self._now()]

    def _at(self):
        return [base * self._factor(self.last_epoch) for base in self.base_lrs]


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
        _check_optimizer("LambdaLR", optimizer)
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
        _check_optimizer("MultiplicativeLR", optimizer)
        self.lr_lambdas = _functions("MultiplicativeLR", lr_lambda, optimizer)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self.last_epoch == 0:
            return self._now()
        return [rate * f(self.last_epoch) for rate, f in zip(self._now(), self.lr_lambdas)]


def _functions(name: str, given, optimizer) -> list:
    found = _per_group(name, "lr_lambda", given, optimizer)
    for f in found:
        if not isinstance(f, Callable):
            raise complain(
                TypeError, f"{name}: lr_lambda has type {type(f).__name__}", expected="a function"
            )
    return found


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
            _set_rate(group, rate)

    def get_lr(self):
        done, length = self.last_epoch, self.T_0
        if self.T_mult == 1:
            done %= length
        while done >= length:
            done, length = done - length, length * self.T_mult
        wave = (1 + math.cos(math.pi * done / length)) / 2
        return [self.eta_min + (base - self.eta_min) * wave for base in self.base_lrs]


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
        _check_optimizer(name, optimizer)
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
        self.max_lrs = _per_group(name, "max_lr", max_lr, optimizer)
        if last_epoch == -1:
            for group, low in zip(
                optimizer.param_groups, _per_group(name, "base_lr", base_lr, optimizer)
            ):
                _set_rate(group, checks.number_in(name, "base_lr", low, 0, math.inf))
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
        _check_optimizer("SequentialLR", optimizer)
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
            _set_rate(group, group["initial_lr"])
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
        return [Tensor(group["lr"].item(), dt.float32) for group in self.optimizer.param_groups]


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
        _check_optimizer(name, optimizer)
        self.mode = checks.one_of(name, "mode", mode, ("min", "max"))
        self.threshold_mode = checks.one_of(name, "threshold_mode", threshold_mode, ("rel", "abs"))
        self.factor = checks.number_in(name, "factor", factor, 0, 1, "[)")
        self.patience = checks.int_at_least(name, "patience", patience, 0)
        self.cooldown = checks.int_at_least(name, "cooldown", cooldown, 0)
        self.threshold = checks.number_in(name, "threshold", threshold, 0, math.inf)
        self.eps = checks.number_in(name, "eps", eps, 0, math.inf)
        self.optimizer = optimizer
        self.min_lrs = _per_group(name, "min_lr", min_lr, optimizer)
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
                _set_rate(group, new)
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
        return [Tensor(group["lr"].item(), dt.float32) for group in self.optimizer.param_groups]


__all__ = [
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
_guard(__name__)

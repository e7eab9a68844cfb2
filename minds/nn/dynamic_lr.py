"""Learning rates as lists, one number per step, to be passed to an optimiser."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..base.errors import complain
from ..base.limits import times
from .layer import checks

MOST_STEPS = 10**8
"""A list of more would not be built within reasonable time."""


def _per_epoch(
    name: str, total_step, step_per_epoch, decay_epoch, rate: Callable[[int], float]
) -> list[float]:
    """``rate(epoch)`` for each step, after checking what the schedules share."""
    checks.positive_int(name, "total_step", total_step)
    checks.positive_int(name, "step_per_epoch", step_per_epoch)
    checks.positive_int(name, "decay_epoch", decay_epoch)
    return [rate(i // step_per_epoch) for i in times(total_step, f"{name}: total_step", MOST_STEPS)]


def _positive(name: str, **numbers) -> None:
    for called, v in numbers.items():
        checks.float_in(name, called, v, 0, math.inf, "()")


def _stairs(epoch: int, decay_epoch: int, is_stair: bool) -> float:
    """Epochs in units of ``decay_epoch``, rounded down for stairs."""
    checks.boolean("a learning rate", "is_stair", is_stair)
    return epoch // decay_epoch if is_stair else epoch / decay_epoch


def piecewise_constant_lr(milestone, learning_rates) -> list[float]:
    """Constant pieces: ``learning_rates[i]`` until step ``milestone[i]``.

    Args:
        milestone (list[int], tuple[int]): where each piece ends, increasing.
        learning_rates (list[float], tuple[float]): one per piece.
    Returns:
        list[float]: of ``milestone[-1]`` numbers.
    Raises:
        TypeError, ValueError: the lists differ in length, or hold something else.

    Examples:
        >>> from minds import nn
        >>> nn.piecewise_constant_lr([2, 3], [0.1, 0.01])
        [0.1, 0.1, 0.01]
    """
    for called, v in (("milestone", milestone), ("learning_rates", learning_rates)):
        if not isinstance(v, (list, tuple)):
            raise complain(
                TypeError,
                f"piecewise_constant_lr: {called} has type {type(v).__name__}",
                expected="a list or tuple",
            )
    if not milestone or len(milestone) != len(learning_rates):
        raise complain(
            ValueError,
            f"piecewise_constant_lr: {len(milestone)} milestones and {len(learning_rates)} "
            "learning rates",
            expected="equally many, at least one",
        )
    rates, start = [], 0
    for end, rate in zip(milestone, learning_rates):
        checks.positive_int("piecewise_constant_lr", "a milestone", end)
        checks.float_in("piecewise_constant_lr", "a learning rate", rate, 0, math.inf)
        if end <= start:
            raise complain(
                ValueError,
                f"piecewise_constant_lr: milestone is {list(milestone)}",
                expected="increasing steps",
            )
        rates += [rate] * len(times(end - start, "piecewise_constant_lr: a milestone", MOST_STEPS))
        start = end
    return rates


def exponential_decay_lr(
    learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False
):
    r"""A rate that is multiplied again and again: :math:`lr \cdot rate^{epoch/decay\_epoch}`.

    Args:
        learning_rate (float): the first.
        decay_rate (float): the factor of ``decay_epoch`` epochs.
        total_step (int): the number of steps.
        step_per_epoch (int): steps in an epoch.
        decay_epoch (int): epochs between multiplications.
        is_stair (bool): round the exponent down. Default False.

    Returns:
        list[float]: of ``total_step`` numbers.

    Raises:
        TypeError, ValueError: an argument has a wrong type or is not positive.

    Examples:
        >>> from minds import nn
        >>> nn.exponential_decay_lr(0.5, 0.5, 3, 1, 1)
        [0.5, 0.25, 0.125]
    """
    _positive("exponential_decay_lr", learning_rate=learning_rate, decay_rate=decay_rate)
    return _per_epoch(
        "exponential_decay_lr",
        total_step,
        step_per_epoch,
        decay_epoch,
        lambda e: learning_rate * decay_rate ** _stairs(e, decay_epoch, is_stair),
    )


def natural_exp_decay_lr(
    learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False
):
    r"""A rate that decays exponentially: :math:`lr \cdot e^{-rate \cdot epoch}`; with ``is_stair``
    the epoch is rounded down to multiples of ``decay_epoch``.

    Args:
        learning_rate (float): the first.
        decay_rate (float): the exponent of one epoch.
        total_step (int): the number of steps.
        step_per_epoch (int): steps in an epoch.
        decay_epoch (int): epochs between changes, with ``is_stair``.
        is_stair (bool): round the epoch down. Default False.

    Returns:
        list[float]: of ``total_step`` numbers.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is not positive.

    Examples:
        >>> from minds import nn
        >>> nn.natural_exp_decay_lr(1.0, 0.0001, 1, 1, 1)
        [1.0]
    """
    _positive("natural_exp_decay_lr", learning_rate=learning_rate, decay_rate=decay_rate)
    unit = decay_epoch if checks.boolean("natural_exp_decay_lr", "is_stair", is_stair) else 1
    return _per_epoch(
        "natural_exp_decay_lr",
        total_step,
        step_per_epoch,
        decay_epoch,
        lambda e: learning_rate * math.exp(-decay_rate * (e // unit * unit)),
    )


def inverse_decay_lr(
    learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False
):
    r"""A rate that decays like the inverse of the epoch:
    :math:`lr/(1 + rate \cdot epoch/decay\_epoch)`.

    Args:
        learning_rate (float): the first.
        decay_rate (float): how fast it decays.
        total_step (int): the number of steps.
        step_per_epoch (int): steps in an epoch.
        decay_epoch (int): the unit of epochs.
        is_stair (bool): round the quotient of epochs down. Default False.

    Returns:
        list[float]: of ``total_step`` numbers.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is not positive.

    Examples:
        >>> from minds import nn
        >>> nn.inverse_decay_lr(1.0, 1.0, 2, 1, 1)
        [1.0, 0.5]
    """
    _positive("inverse_decay_lr", learning_rate=learning_rate, decay_rate=decay_rate)
    return _per_epoch(
        "inverse_decay_lr",
        total_step,
        step_per_epoch,
        decay_epoch,
        lambda e: learning_rate / (1 + decay_rate * _stairs(e, decay_epoch, is_stair)),
    )


def cosine_decay_lr(min_lr, max_lr, total_step, step_per_epoch, decay_epoch):
    r"""A rate that falls like half a cosine:
    :math:`min + (max - min)(1 + \cos(\pi\,epoch/decay\_epoch))/2`, and the least after
    ``decay_epoch``.

    Args:
        min_lr (float), max_lr (float): the bounds.
        total_step (int): the number of steps.
        step_per_epoch (int): steps in an epoch.
        decay_epoch (int): epochs from the largest to the least.

    Returns:
        list[float]: of ``total_step`` numbers.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``min_lr`` is not below ``max_lr``, or a number not positive.

    Examples:
        >>> from minds import nn
        >>> nn.cosine_decay_lr(0.0, 1.0, 3, 1, 2)
        [1.0, 0.5, 0.0]
    """
    checks.float_in("cosine_decay_lr", "min_lr", min_lr, 0, math.inf)
    _positive("cosine_decay_lr", max_lr=max_lr)
    if min_lr >= max_lr:
        raise complain(
            ValueError,
            f"cosine_decay_lr: min_lr is {min_lr}, max_lr {max_lr}",
            expected="min_lr < max_lr",
        )
    half = 0.5 * (max_lr - min_lr)
    return _per_epoch(
        "cosine_decay_lr",
        total_step,
        step_per_epoch,
        decay_epoch,
        lambda e: min_lr + half * (1 + math.cos(math.pi * min(e, decay_epoch) / decay_epoch)),
    )


def polynomial_decay_lr(
    learning_rate,
    end_learning_rate,
    total_step,
    step_per_epoch,
    decay_epoch,
    power,
    update_decay_epoch=False,
):
    r"""A rate that falls like a power: :math:`(lr - end)(1 - \min(epoch, D)/D)^{power} + end`, with
    D ``decay_epoch``.

    Args:
        learning_rate (float), end_learning_rate (float): first and last.
        total_step (int): the number of steps.
        step_per_epoch (int): steps in an epoch.
        decay_epoch (int): epochs from first to last.
        power (float): above 0.
        update_decay_epoch (bool): D is the next multiple of ``decay_epoch`` instead. Default False.

    Returns:
        list[float]: of ``total_step`` numbers.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> from minds import nn
        >>> nn.polynomial_decay_lr(1.0, 0.0, 3, 1, 2, 1.0)
        [1.0, 0.5, 0.0]
    """
    _positive("polynomial_decay_lr", learning_rate=learning_rate, power=power)
    checks.float_in("polynomial_decay_lr", "end_learning_rate", end_learning_rate, 0, math.inf)

    checks.boolean("polynomial_decay_lr", "update_decay_epoch", update_decay_epoch)

    def rate(epoch: int) -> float:
        span = (
            decay_epoch * max(math.ceil(epoch / decay_epoch), 1)
            if update_decay_epoch
            else decay_epoch
        )
        return (learning_rate - end_learning_rate) * (
            1 - min(epoch, span) / span
        ) ** power + end_learning_rate

    return _per_epoch("polynomial_decay_lr", total_step, step_per_epoch, decay_epoch, rate)


def warmup_lr(learning_rate, total_step, step_per_epoch, warmup_epoch):
    """Grows from 0 by equal amounts per epoch, reaching ``learning_rate`` after ``warmup_epoch``.

    Args:
        learning_rate (float): the last.
        total_step (int): the number of steps.
        step_per_epoch (int): steps in an epoch.
        warmup_epoch (int): epochs until then; 0 for none.

    Returns:
        list[float]: of ``total_step`` numbers.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is not positive.

    Examples:
        >>> from minds import nn
        >>> nn.warmup_lr(1.0, 3, 1, 2)
        [0.0, 0.5, 1.0]
    """
    _positive("warmup_lr", learning_rate=learning_rate)
    return _per_epoch(
        "warmup_lr",
        total_step,
        step_per_epoch,
        max(warmup_epoch, 1),
        lambda e: learning_rate * min(e / warmup_epoch, 1.0) if warmup_epoch else learning_rate,
    )


__all__ = [
    "cosine_decay_lr",
    "exponential_decay_lr",
    "inverse_decay_lr",
    "natural_exp_decay_lr",
    "piecewise_constant_lr",
    "polynomial_decay_lr",
    "warmup_lr",
]

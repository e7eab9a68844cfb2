"""Learning rates as cells: functions of the step that are compiled with the optimiser."""

from __future__ import annotations

import math

from .. import ops
from ..base import dtype as dt
from ..base.errors import complain
from .cell import Cell
from .layer import checks


class LearningRateSchedule(Cell):
    """Base of the schedules; a subclass defines ``construct(global_step)`` and returns a Tensor.

    Inputs:
        - **global_step** (Tensor[() or (1,), int32]) - steps so far.

    Outputs:
        Tensor of the same shape, float32.

    Raises:
        NotImplementedError: the subclass does not define ``construct``.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> class Halved(nn.LearningRateSchedule):
        ...     def construct(self, global_step):
        ...         return 1.0 / (1.0 + global_step)
        >>> Halved()(ms.Tensor(1, ms.int32)).asnumpy().item()
        0.5
    """

    def construct(self, global_step):
        raise complain(NotImplementedError, f"{self.cls_name}: construct is not defined")


def _progress(global_step, decay_steps, is_stair):
    """Steps in units of ``decay_steps``, rounded down for stairs."""
    p = ops.cast(global_step, dt.float32) / float(decay_steps)
    return ops.floor(p) if is_stair else p


class _Decay(LearningRateSchedule):
    """Schedules of a first learning rate, a rate of decay and a number of steps."""

    def __init__(self, learning_rate, decay_rate, decay_steps, is_stair=False):
        super().__init__()
        name = self.cls_name
        self.learning_rate = checks.float_in(
            name, "learning_rate", learning_rate, 0, math.inf, "()"
        )
        self.decay_rate = checks.float_in(name, "decay_rate", decay_rate, 0, math.inf, "()")
        self.decay_steps = checks.positive_int(name, "decay_steps", decay_steps)
        self.is_stair = checks.boolean(name, "is_stair", is_stair)


class ExponentialDecayLR(_Decay):
    r"""A rate that is multiplied again and again: :math:`lr \cdot rate^{step/decay\_steps}`.

    Args:
        learning_rate (float): the first.
        decay_rate (float): the factor of ``decay_steps`` steps.
        decay_steps (int): steps between multiplications.
        is_stair (bool): round the exponent down. Default False.

    Inputs:
        - **global_step** (Tensor[() or (1,), int32]) - steps so far.

    Outputs:
        Tensor of the same shape, float32.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is not positive.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.ExponentialDecayLR(0.5, 0.5, 1)(ms.Tensor(1, ms.int32)).asnumpy().item()
        0.25
    """

    def construct(self, global_step):
        return self.learning_rate * self.decay_rate ** _progress(
            global_step, self.decay_steps, self.is_stair
        )


class NaturalExpDecayLR(_Decay):
    r"""A rate that decays exponentially: :math:`lr \cdot e^{-rate \cdot step}`; with ``is_stair``
    the step is rounded down to multiples of ``decay_steps``.

    Args:
        learning_rate (float): the first.
        decay_rate (float): the exponent of one step.
        decay_steps (int): steps between changes, with ``is_stair``.
        is_stair (bool): round the step down. Default False.

    Inputs:
        - **global_step** (Tensor[() or (1,), int32]) - steps so far.

    Outputs:
        Tensor of the same shape, float32.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is not positive.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(f"{float(nn.NaturalExpDecayLR(1.0, 0.5, 2)(ms.Tensor(2, ms.int32))):.4f}")
        0.3679
    """

    def construct(self, global_step):
        step = ops.cast(global_step, dt.float32)
        if self.is_stair:
            step = ops.floor(step / float(self.decay_steps)) * float(self.decay_steps)
        return self.learning_rate * ops.exp(-self.decay_rate * step)


class InverseDecayLR(_Decay):
    r"""A rate that decays like the inverse of the step:
    :math:`lr/(1 + rate \cdot step/decay\_steps)`.

    Args:
        learning_rate (float): the first.
        decay_rate (float): how fast it decays.
        decay_steps (int): the unit of steps.
        is_stair (bool): round the quotient of steps down. Default False.

    Inputs:
        - **global_step** (Tensor[() or (1,), int32]) - steps so far.

    Outputs:
        Tensor of the same shape, float32.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is not positive.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> float(nn.InverseDecayLR(1.0, 1.0, 2)(ms.Tensor(2, ms.int32)))
        0.5
    """

    def construct(self, global_step):
        return self.learning_rate / (
            1 + self.decay_rate * _progress(global_step, self.decay_steps, self.is_stair)
        )


class CosineDecayLR(LearningRateSchedule):
    r"""A rate that falls like half a cosine:
    :math:`min + (max - min)(1 + \cos(\pi\,step/decay\_steps))/2`, and the least after
    ``decay_steps``.

    Args:
        min_lr (float), max_lr (float): the bounds.
        decay_steps (int): steps from the largest to the least.

    Inputs:
        - **global_step** (Tensor[() or (1,), int32]) - steps so far.

    Outputs:
        Tensor of the same shape, float32.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``min_lr`` is not below ``max_lr``, or ``decay_steps`` not positive.

    Source: Loshchilov and Hutter, SGDR, 2016.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> float(nn.CosineDecayLR(0.0, 1.0, 4)(ms.Tensor(2, ms.int32)).asnumpy().round(4))
        0.5
    """

    def __init__(self, min_lr, max_lr, decay_steps):
        super().__init__()
        self.min_lr = checks.float_in("CosineDecayLR", "min_lr", min_lr, 0, math.inf)
        self.max_lr = checks.float_in("CosineDecayLR", "max_lr", max_lr, 0, math.inf, "()")
        self.decay_steps = checks.positive_int("CosineDecayLR", "decay_steps", decay_steps)
        if min_lr >= max_lr:
            raise complain(
                ValueError,
                f"CosineDecayLR: min_lr is {min_lr}, max_lr {max_lr}",
                expected="min_lr < max_lr",
            )

    def construct(self, global_step):
        p = ops.minimum(ops.cast(global_step, dt.float32), float(self.decay_steps)) / float(
            self.decay_steps
        )
        return self.min_lr + 0.5 * (self.max_lr - self.min_lr) * (1.0 + ops.cos(math.pi * p))


class PolynomialDecayLR(LearningRateSchedule):
    r"""A rate that falls like a power: :math:`(lr - end)(1 - \min(step, D)/D)^{power} + end`, with D
    ``decay_steps``.

    Args:
        learning_rate (float), end_learning_rate (float): first and last.
        decay_steps (int): steps from first to last.
        power (float): above 0.
        update_decay_steps (bool): D is the next multiple of ``decay_steps`` instead. Default False.

    Inputs:
        - **global_step** (Tensor[() or (1,), int32]) - steps so far.

    Outputs:
        Tensor of the same shape, float32.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> float(nn.PolynomialDecayLR(1.0, 0.0, 4, 2.0)(ms.Tensor(2, ms.int32)))
        0.25
    """

    def __init__(
        self, learning_rate, end_learning_rate, decay_steps, power, update_decay_steps=False
    ):
        super().__init__()
        name = "PolynomialDecayLR"
        self.learning_rate = checks.float_in(
            name, "learning_rate", learning_rate, 0, math.inf, "()"
        )
        self.end_learning_rate = checks.float_in(
            name, "end_learning_rate", end_learning_rate, 0, math.inf
        )
        self.decay_steps = checks.positive_int(name, "decay_steps", decay_steps)
        self.power = checks.float_in(name, "power", power, 0, math.inf, "()")
        self.update_decay_steps = checks.boolean(name, "update_decay_steps", update_decay_steps)

    def construct(self, global_step):
        step = ops.cast(global_step, dt.float32)
        span = float(self.decay_steps)
        if self.update_decay_steps:
            span = span * ops.maximum(ops.ceil(step / span), 1.0)
        p = ops.minimum(step, span) / span
        return (self.learning_rate - self.end_learning_rate) * (
            1.0 - p
        ) ** self.power + self.end_learning_rate


class WarmUpLR(LearningRateSchedule):
    r"""A rate that grows to its value: :math:`lr \cdot \min(step/warmup\_steps, 1)`.

    Args:
        learning_rate (float): the last.
        warmup_steps (int): steps until then.

    Inputs:
        - **global_step** (Tensor[() or (1,), int32]) - steps so far.

    Outputs:
        Tensor of the same shape, float32.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Source: Goyal et al., Accurate, Large Minibatch SGD, 2017.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> float(nn.WarmUpLR(1.0, 4)(ms.Tensor(1, ms.int32)))
        0.25
    """

    def __init__(self, learning_rate, warmup_steps):
        super().__init__()
        self.learning_rate = checks.float_in(
            "WarmUpLR", "learning_rate", learning_rate, 0, math.inf
        )
        self.warmup_steps = checks.positive_int("WarmUpLR", "warmup_steps", warmup_steps)

    def construct(self, global_step):
        steps = float(self.warmup_steps)
        return self.learning_rate * (ops.minimum(ops.cast(global_step, dt.float32), steps) / steps)


__all__ = [
    "CosineDecayLR",
    "ExponentialDecayLR",
    "InverseDecayLR",
    "LearningRateSchedule",
    "NaturalExpDecayLR",
    "PolynomialDecayLR",
    "WarmUpLR",
]

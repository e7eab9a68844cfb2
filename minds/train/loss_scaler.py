"""Loss scaling by hand: what a training loop of its own multiplies the loss by, and its gradients
by the inverse of.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

from .. import ops
from ..base import dtype as dt
from ..nn.layer import checks
from ..tensor import Parameter, Tensor


class LossScaler(ABC):
    """Base of loss scalers: multiplies the loss, divides the gradients, and adapts the scale.

    Raises:
        TypeError: a method is not defined by the subclass.

    Examples:
        >>> from minds import amp
        >>> class Doubled(amp.LossScaler):
        ...     def scale(self, inputs):
        ...         return inputs * 2
        ...     def unscale(self, inputs):
        ...         return tuple(g / 2 for g in inputs)
        ...     def adjust(self, grads_finite):
        ...         return False
        >>> print(Doubled().scale(ms.Tensor(3.0)))
        6.0
    """

    @abstractmethod
    def scale(self, inputs):
        """Multiply by the scale.

        Args:
            inputs (Tensor, tuple[Tensor]): the loss.
        """

    @abstractmethod
    def unscale(self, inputs):
        """Divide by the scale.

        Args:
            inputs (Tensor, tuple[Tensor]): the gradients.
        """

    @abstractmethod
    def adjust(self, grads_finite):
        """Adapt the scale.

        Args:
            grads_finite (Tensor[(), bool]): whether the last gradients were finite.
        """


def _times(inputs, factor):
    """``inputs * factor``; each tensor keeps its dtype."""
    if isinstance(inputs, (tuple, list)):
        return type(inputs)([_times(v, factor) for v in inputs])
    return inputs * ops.cast(factor, inputs.dtype)


class _Scaling(LossScaler):
    """What both scalers share: a parameter ``scale_value``."""

    _plain_instances = True

    def __init__(self, scale_value):
        name = type(self).__name__
        checks.number_in(name, "scale_value", scale_value, 1, math.inf, "[)")
        self.scale_value = Parameter(Tensor(scale_value, dt.float32), name="scale_value")

    def scale(self, inputs):
        """Multiply by the scale.

        Args:
            inputs (Tensor, tuple[Tensor]): the loss, of any shape and float dtype.

        Returns:
            Tensor or tuple[Tensor], like ``inputs``.

        Examples:
            >>> from minds import amp
            >>> print(amp.StaticLossScaler(8.0).scale(ms.Tensor([1.0, 2.0])))
            [ 8. 16.]
        """
        return _times(inputs, self.scale_value)

    def unscale(self, inputs):
        """Divide by the scale.

        Args:
            inputs (Tensor, tuple[Tensor]): the gradients, of any shapes and float dtypes.

        Returns:
            Tensor or tuple[Tensor], like ``inputs``.

        Examples:
            >>> from minds import amp
            >>> print(amp.StaticLossScaler(8.0).unscale((ms.Tensor([8.0]), ms.Tensor([4.0])))[1])
            [0.5]
        """
        return _times(inputs, ops.reciprocal(self.scale_value))


class StaticLossScaler(_Scaling):
    """A scale that stays.

    Args:
        scale_value (float): the scale, at least 1.

    Raises:
        TypeError: it is no number.
        ValueError: it is less than 1.

    Examples:
        >>> from minds import amp
        >>> print(amp.StaticLossScaler(2**10).scale(ms.Tensor([1.0])))
        [1024.]
    """

    def adjust(self, grads_finite):
        """Nothing: the scale stays.

        Args:
            grads_finite (Tensor[(), bool]): whether the last gradients were finite.

        Returns:
            bool: False.

        Examples:
            >>> from minds import amp
            >>> amp.StaticLossScaler(2.0).adjust(ms.Tensor(False))
            False
        """
        return False


class DynamicLossScaler(_Scaling):
    """A scale that falls where gradients overflow, and grows after many steps without.

    Args:
        scale_value (float): the scale at first, at least 1.
        scale_factor (int): what it is divided and multiplied by.
        scale_window (int): after so many steps without overflow it grows.

    Raises:
        TypeError: an argument is no number.
        ValueError: ``scale_value`` is less than 1, or another is not positive.

    Examples:
        >>> from minds import amp
        >>> scaler = amp.DynamicLossScaler(scale_value=2**10, scale_factor=2, scale_window=1)
        >>> scaler.adjust(amp.all_finite((ms.Tensor([float("nan"), 1.0]),)))
        True
        >>> print(scaler.scale_value.asnumpy())
        512.0
    """

    def __init__(self, scale_value, scale_factor, scale_window):
        super().__init__(scale_value)
        name = type(self).__name__
        self.scale_factor = checks.positive_int(name, "scale_factor", scale_factor)
        self.scale_window = checks.positive_int(name, "scale_window", scale_window)
        self.counter = Parameter(Tensor(0, dt.int32), name="counter")

    def adjust(self, grads_finite):
        """Adapt the scale.

        Args:
            grads_finite (Tensor[(), bool]): whether the last gradients were finite.

        Returns:
            bool: True.

        Examples:
            >>> from minds import amp
            >>> scaler = amp.DynamicLossScaler(8.0, 2, 1)
            >>> scaler.adjust(ms.Tensor(True))
            True
            >>> print(scaler.scale_value.asnumpy())
            16.0
        """
        scale, one = self.scale_value, ops.ones((), dt.float32)
        more = scale * self.scale_factor
        grows = ops.logical_and(self.counter == self.scale_window - 1, ops.isfinite(more))
        less = ops.maximum(one, scale / self.scale_factor)
        ops.assign(self.scale_value, ops.select(grads_finite, ops.select(grows, more, scale), less))
        count = (self.counter + 1) % self.scale_window
        ops.assign(self.counter, ops.select(grads_finite, count, ops.zeros_like(count)))
        return True


def init_status():
    """The register in which MindSpore 2.0's Ascend devices note an overflow, for `all_finite`.

    Returns:
        Tensor[(8,), float32]: zeros.

    Examples:
        >>> from minds import amp
        >>> amp.init_status().shape
        (8,)
    """
    return ops.zeros((8,), dt.float32)


def all_finite(inputs, status=None):
    """Whether all elements of all tensors are finite.

    Args:
        inputs (Tensor, tuple[Tensor], list[Tensor]): tensors of any shapes and float dtypes, or
            nested tuples of them.
        status (Tensor): of `init_status`; of MindSpore 2.0; no effect. Default None.

    Returns:
        Tensor[(), bool].

    Raises:
        TypeError: ``inputs`` holds something else.

    Examples:
        >>> from minds import amp
        >>> print(amp.all_finite((ms.Tensor([1.0, float("inf")]), ms.Tensor([1.0]))))
        False
    """
    if not isinstance(inputs, (tuple, list)):
        return ops.isfinite(inputs).all()
    found = Tensor(True)
    for v in inputs:
        found = ops.logical_and(found, all_finite(v))
    return found


__all__ = ["DynamicLossScaler", "LossScaler", "StaticLossScaler", "all_finite", "init_status"]

"""Loss scaling: how much the loss is multiplied by before the gradients of a float16 network are
taken.
"""

from __future__ import annotations

from .. import nn
from ..base.errors import complain


def _positive(name: str, value, low: float = 0):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise complain(TypeError, f"{name} must be a number, got {type(value).__name__}")
    if value <= low:
        raise complain(ValueError, f"{name} must be greater than {low}, got {value}")
    return value


class LossScaleManager:
    """Base of loss scale managers: how much the loss is multiplied by before gradients are taken.

    Examples:
        >>> from minds import train
        >>> class Doubled(train.LossScaleManager):
        ...     def get_loss_scale(self):
        ...         return 2.0
        >>> Doubled().get_loss_scale()
        2.0
    """

    def get_loss_scale(self) -> float:
        """The present scale.

        Returns:
            float: the scale.

        Examples:
            >>> from minds import train
            >>> train.FixedLossScaleManager(8.0).get_loss_scale()
            8.0
        """
        raise NotImplementedError

    def update_loss_scale(self, overflow: bool) -> None:
        """Tell whether the last gradients overflowed.

        Args:
            overflow (bool): whether they did.

        Raises:
            NotImplementedError: the subclass does not define it.

        Examples:
            >>> from minds import train
            >>> scale = train.DynamicLossScaleManager(8.0)
            >>> scale.update_loss_scale(True)
            >>> scale.get_loss_scale()
            4.0
        """
        raise NotImplementedError

    def get_update_cell(self):
        """The cell that changes the scale within a compiled step, or None.

        Returns:
            Cell: such as `nn.DynamicLossScaleUpdateCell`, or None.

        Examples:
            >>> from minds import train
            >>> train.DynamicLossScaleManager(8.0).get_update_cell().get_loss_scale()
            8.0
        """
        raise NotImplementedError


class FixedLossScaleManager(LossScaleManager):
    """One scale for the whole training.

    Args:
        loss_scale (float): the scale. Default: 128.0.
        drop_overflow_update (bool): whether a step whose gradients overflow leaves the parameters
            as they are. Default: True.

    Raises:
        TypeError: ``loss_scale`` is no number.
        ValueError: ``loss_scale`` is not positive.

    Examples:
        >>> from minds.train import FixedLossScaleManager
        >>> FixedLossScaleManager(1024.0).get_loss_scale()
        1024.0
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True):
        self._scale, self._drop = _positive("loss_scale", loss_scale), drop_overflow_update

    def get_loss_scale(self) -> float:
        """The scale.

        Returns:
            float: the scale.

        Examples:
            >>> from minds import train
            >>> train.FixedLossScaleManager(8.0).get_loss_scale()
            8.0
        """
        return self._scale

    def get_drop_overflow_update(self) -> bool:
        """Whether a step with overflow is left out.

        Returns:
            bool: whether.

        Examples:
            >>> from minds import train
            >>> train.FixedLossScaleManager(8.0, False).get_drop_overflow_update()
            False
        """
        return self._drop

    def update_loss_scale(self, overflow: bool) -> None:
        """Nothing: the scale is fixed.

        Args:
            overflow (bool): without effect.

        Examples:
            >>> from minds import train
            >>> train.FixedLossScaleManager(8.0).update_loss_scale(True)
        """

    def get_update_cell(self):
        """The cell of the compiled step, or None where overflow is not looked at.

        Returns:
            FixedLossScaleUpdateCell: the cell, or None.

        Examples:
            >>> from minds import train
            >>> train.FixedLossScaleManager(8.0, False).get_update_cell() is None
            True
        """
        return nn.FixedLossScaleUpdateCell(self._scale) if self._drop else None


class DynamicLossScaleManager(LossScaleManager):
    """A scale that shrinks at each overflow and grows after many steps without one.

    Args:
        init_loss_scale (float): the first scale. Default: 2**24.
        scale_factor (int): what it is divided or multiplied by. Default: 2.
        scale_window (int): after how many steps without overflow it grows. Default: 2000.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``init_loss_scale`` is less than 1, ``scale_factor`` not greater than 1, or
            ``scale_window`` not positive.

    Examples:
        >>> from minds.train import DynamicLossScaleManager
        >>> scale = DynamicLossScaleManager(8.0, scale_window=1)
        >>> scale.update_loss_scale(True)
        >>> scale.get_loss_scale()
        4.0
    """

    def __init__(
        self, init_loss_scale: float = 2**24, scale_factor: int = 2, scale_window: int = 2000
    ):
        if _positive("init_loss_scale", init_loss_scale) < 1:
            raise complain(ValueError, f"init_loss_scale must be at least 1, got {init_loss_scale}")
        self._factor, self._window = (
            _positive("scale_factor", scale_factor, 1),
            _positive("scale_window", scale_window),
        )
        self._scale, self._good = init_loss_scale, 0

    def get_loss_scale(self) -> float:
        """The present scale.

        Returns:
            float: the scale.

        Examples:
            >>> from minds import train
            >>> train.DynamicLossScaleManager(8.0).get_loss_scale()
            8.0
        """
        return self._scale

    def get_drop_overflow_update(self) -> bool:
        """A step with overflow is always left out.

        Returns:
            bool: True.

        Examples:
            >>> from minds import train
            >>> train.DynamicLossScaleManager(8.0).get_drop_overflow_update()
            True
        """
        return True

    def update_loss_scale(self, overflow: bool) -> None:
        """Shrink after an overflow, grow after ``scale_window`` steps without one.

        Args:
            overflow (bool): whether the last gradients overflowed.

        Examples:
            >>> from minds import train
            >>> scale = train.DynamicLossScaleManager(8.0, scale_window=1)
            >>> scale.update_loss_scale(False)
            >>> scale.get_loss_scale()
            16.0
        """
        if overflow:
            self._scale, self._good = max(self._scale / self._factor, 1), 0
            return
        self._good += 1
        if self._good >= self._window:
            self._scale, self._good = self._scale * self._factor, 0

    def get_update_cell(self):
        """The cell of the compiled step.

        Returns:
            DynamicLossScaleUpdateCell: the cell, which starts with the present scale.

        Examples:
            >>> from minds import train
            >>> train.DynamicLossScaleManager(8.0).get_update_cell().get_loss_scale()
            8.0
        """
        return nn.DynamicLossScaleUpdateCell(self._scale, self._factor, self._window)


__all__ = ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager"]

"""`LossBase`, and how a loss of each element becomes the loss of a batch."""

from __future__ import annotations

from ... import ops
from ..cell import Cell
from ..layer import checks

REDUCTIONS = ("mean", "sum", "none")


class LossBase(Cell):
    """Base of the losses; a subclass defines ``construct(logits, labels)`` and may end it with
    ``self.get_loss(x)``.

    Args:
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.

    Inputs:
        - **logits** (Tensor), **labels** (Tensor) - what is compared; the subclass says of which
          shapes.

    Outputs:
        Tensor, the loss.

    Raises:
        ValueError: another reduction.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> class Quartic(nn.LossBase):
        ...     def construct(self, logits, labels):
        ...         return self.get_loss((logits - labels) ** 4)
        >>> Quartic()(ms.Tensor([1.0, 2.0]), ms.Tensor([0.0, 0.0])).asnumpy().item()
        8.5
    """

    def __init__(self, reduction="mean"):
        super().__init__()
        self.reduction = checks.one_of(self.cls_name, "reduction", reduction, REDUCTIONS)

    @property
    def reduce(self) -> bool:
        """Whether the losses of the elements become one number.

        Returns:
            bool: False for the reduction ``none``.

        Examples:
            >>> from minds import nn
            >>> nn.L1Loss(reduction="sum").reduce
            True
        """
        return self.reduction != "none"

    @property
    def average(self) -> bool:
        """Whether that number is their mean.

        Returns:
            bool: True for the reduction ``mean``.

        Examples:
            >>> from minds import nn
            >>> nn.L1Loss(reduction="sum").average
            False
        """
        return self.reduction == "mean"

    def get_axis(self, x):
        """All dimensions of ``x``.

        Args:
            x (Tensor): a tensor of any shape.

        Returns:
            tuple[int]: the numbers from 0 to before the rank of ``x``.

        Examples:
            >>> from minds import nn
            >>> from minds import ops
            >>> nn.L1Loss().get_axis(ops.ones((2, 3)))
            (0, 1)
        """
        return tuple(range(x.ndim))

    def get_loss(self, x, weights=1.0):
        """``weights * x``, reduced.

        Args:
            x (Tensor): the losses of the elements.
            weights (number, Tensor): broadcastable to ``x``. Default 1.

        Returns:
            Tensor: of the dtype of ``x``.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> print(nn.L1Loss().get_loss(ms.Tensor([1.0, 3.0]), 2.0))
            4.0
        """
        if not isinstance(weights, float) or weights != 1.0:
            x = ops.cast(weights * x, x.dtype)
        return self._reduce(x)

    def _reduce(self, x):
        if self.reduction == "mean":
            return ops.mean(x)
        if self.reduction == "sum":
            return ops.sum(x)
        return x

    def construct(self, logits, labels):
        raise NotImplementedError(f"{type(self).__name__}: construct is not defined")


def same_shape(name, a, b, what):
    """Refuse operands of different shapes, which would broadcast silently."""
    if a.shape != b.shape:
        raise ValueError(
            f"{name}: {what[0]} has shape {a.shape}, {what[1]} {b.shape}; expected equal shapes"
        )


__all__ = ["REDUCTIONS", "LossBase", "same_shape"]

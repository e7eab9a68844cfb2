"""Softmax and its relatives."""

from __future__ import annotations

from ... import ops
from ...base.errors import complain
from ..cell import Cell
from . import checks


class Softmax(Cell):
    r"""The softmax :math:`e^{x_i}/\sum_j e^{x_j}` along a dimension.

    Args:
        axis (int, tuple[int]): the dimension; a tuple has one element. Default -1.

    Inputs:
        - **input** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``input``.

    Raises:
        TypeError: ``axis`` is neither an int nor a tuple of one, or ``input`` is no Tensor.
        ValueError, IndexError: ``axis`` is out of range.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Softmax()(ms.Tensor([0.0, 0.0])).asnumpy().tolist()
        [0.5, 0.5]
    """

    def __init__(self, axis=-1):
        super().__init__()
        if isinstance(axis, tuple) and len(axis) == 1:
            axis = axis[0]
        if not checks.is_int(axis):
            raise complain(
                TypeError,
                f"{self.cls_name}: axis has type {type(axis).__name__}",
                expected="an int",
            )
        self.axis = axis

    def construct(self, input):
        return ops.softmax(input, self.axis)


class Softmin(Softmax):
    r"""The function `Softmax` of the negated input, :math:`e^{-x_i}/\sum_j e^{-x_j}`.

    Args:
        axis (int, tuple[int]): the dimension; a tuple has one element. Default -1.

    Inputs:
        - **x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``axis`` is neither an int nor a tuple of one, or ``x`` is no Tensor.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.Softmin()(ms.Tensor([0.0, 100.0])))
        [1.0e+00 3.8e-44]
    """

    def construct(self, x):
        return ops.softmax(-x, self.axis)


class LogSoftmax(Softmax):
    r"""The logarithm :math:`x_i - \log\sum_j e^{x_j}` of `Softmax`, without overflow.

    Args:
        axis (int, tuple[int]): the dimension; a tuple has one element. Default -1.

    Inputs:
        - **x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``axis`` is neither an int nor a tuple of one, or ``x`` is no Tensor.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.LogSoftmax()(ms.Tensor([0.0, 1000.0])))
        [-1000.     0.]
    """

    def construct(self, x):
        return ops.log_softmax(x, self.axis)


class Softmax2d(Cell):
    """The function `Softmax` over the channels of images.

    Inputs:
        - **x** (Tensor[(N, C, H, W) or (C, H, W), float])

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is no Tensor.
        ValueError, IndexError: ``x`` has fewer than three dimensions.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.Softmax2d()(ms.Tensor([[[0.0]], [[0.0]]])).shape)
        (2, 1, 1)
    """

    def construct(self, x):
        return ops.softmax(x, -3)


__all__ = ["LogSoftmax", "Softmax", "Softmax2d", "Softmin"]

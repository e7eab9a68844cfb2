"""Activations made of pieces: rectifiers, shrinks and thresholds."""

from __future__ import annotations

import numpy as np

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...common.initializer import initializer
from ...tensor import Parameter, Tensor
from ..cell import Cell
from . import checks


class ReLU(Cell):
    r"""The rectified linear unit :math:`\max(x, 0)`.

    Inputs:
        - **input** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``input``.

    Raises:
        TypeError: ``input`` is no Tensor or number.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.ReLU()(ms.Tensor([-1.0, 2.0])).asnumpy().tolist()
        [0.0, 2.0]
    """

    def construct(self, input):
        return ops.relu(input)


class ReLU6(Cell):
    r"""The rectified linear unit cut at 6: :math:`\min(\max(x, 0), 6)`.

    Inputs:
        - **x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is no Tensor or number.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.ReLU6()(ms.Tensor([-1.0, 2.0, 9.0])))
        [0. 2. 6.]
    """

    def construct(self, x):
        return ops.relu6(x)


class SeLU(Cell):
    r"""The scaled exponential linear unit :math:`s\,(\max(x, 0) + \min(\alpha(e^x - 1), 0))` with s
    = 1.0507009873554805 and α = 1.6732632423543772.

    Inputs:
        - **input_x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``input_x``.

    Raises:
        TypeError: ``input_x`` is no Tensor or number.

    Source: Klambauer et al., Self-Normalizing Neural Networks, 2017.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.SeLU()(ms.Tensor([-100.0, 0.0, 1.0])))
        [-1.7580993  0.         1.050701 ]
    """

    def construct(self, input_x):
        return ops.selu(input_x)


class ELU(Cell):
    r"""The exponential linear unit: :math:`x` above 0, :math:`\alpha(e^x - 1)` below.

    Args:
        alpha (float): the limit below. Default 1.

    Inputs:
        - **x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is no Tensor or number, or ``alpha`` no number.

    Source: Clevert et al., Fast and Accurate Deep Network Learning by Exponential Linear Units,
        2016.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.ELU(2.0)(ms.Tensor([-100.0, 3.0])))
        [-2.  3.]
    """

    def __init__(self, alpha=1.0):
        super().__init__()
        self.alpha = alpha

    def construct(self, x):
        return ops.elu(x, self.alpha)


class CELU(Cell):
    r"""The continuously differentiable exponential linear unit
    :math:`\max(x, 0) + \min(\alpha(e^{x/\alpha} - 1), 0)`.

    Args:
        alpha (float): not 0. Default 1.

    Inputs:
        - **x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        ValueError: ``alpha`` is 0.
        TypeError: ``x`` is no Tensor or number.

    Source: Barron, Continuously Differentiable Exponential Linear Units, 2017.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.CELU(2.0)(ms.Tensor([-100.0, 3.0])))
        [-2.  3.]
    """

    def __init__(self, alpha=1.0):
        super().__init__()
        if alpha == 0:
            raise complain(ValueError, "CELU: alpha is 0", expected="another number")
        self.alpha = alpha

    def construct(self, x):
        return ops.celu(x, self.alpha)


class LeakyReLU(Cell):
    r""":math:`x` above 0, :math:`\alpha x` below.

    Args:
        alpha (float): the slope below 0. Default 0.2.

    Inputs:
        - **x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is no Tensor or number, or ``alpha`` no number.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.LeakyReLU(0.5)(ms.Tensor([-2.0, 2.0])).asnumpy().tolist()
        [-1.0, 2.0]
    """

    def __init__(self, alpha=0.2):
        super().__init__()
        self.alpha = alpha

    def construct(self, x):
        return ops.leaky_relu(x, self.alpha)


class RReLU(Cell):
    """`LeakyReLU` with a slope drawn for each element in training, and the mean slope otherwise
    (MindSpore always draws).

    Args:
        lower (float), upper (float): bounds of the slope. Default 1/8 and 1/3.

    Inputs:
        - **x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        ValueError: ``lower`` exceeds ``upper``.
        TypeError: ``x`` is no Tensor, or one of them is no number.

    Source: Xu et al., Empirical Evaluation of Rectified Activations in Convolutional Network, 2015.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.RReLU(0.2, 0.4)(ms.Tensor([-1.0, 2.0])))
        [-0.3  2. ]
    """

    def __init__(self, lower=1 / 8, upper=1 / 3):
        super().__init__()
        self.lower = float(checks.any_number("RReLU", "lower", lower))
        self.upper = float(checks.any_number("RReLU", "upper", upper))
        if lower > upper:
            raise complain(
                ValueError, f"RReLU: lower is {lower}, upper {upper}", expected="lower <= upper"
            )

    def construct(self, x):
        if self.training:
            slope = self.lower + (self.upper - self.lower) * ops.rand_like(x)
            return ops.select(x >= 0, x, slope * x)
        return ops.select(x >= 0, x, (self.lower + self.upper) / 2 * x)


class PReLU(Cell):
    """`LeakyReLU` whose slope is a parameter, one for all channels or one for each (the second
    dimension).

    Args:
        channel (int): 1 or the number of channels. Default 1.
        w (float, list, numpy.ndarray, Tensor): the first slopes, a number or ``channel`` of them.
            Default 0.25.

    Inputs:
        - **x** (Tensor[(N, C, ...), float]) - with C = ``channel`` unless that is 1.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``channel`` is no int.
        ValueError: ``channel`` is not positive, ``w`` does not hold ``channel`` numbers, or the
            channels of ``x`` are others.

    Source: He et al., Delving Deep into Rectifiers, 2015.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.PReLU(2, [0.5, 0.25])(ms.Tensor([[-4.0, -4.0]])))
        [[-2. -1.]]
    """

    def __init__(self, channel=1, w=0.25):
        super().__init__()
        checks.positive_int("PReLU", "channel", channel)
        if isinstance(w, (float, int)):
            first = Tensor(np.full((channel,), w, np.float32))
        else:
            first = Tensor(w, dt.float32)
            if first.shape != (channel,):
                raise complain(
                    ValueError, f"PReLU: w has shape {first.shape}", expected=f"({channel},)"
                )
        self.w = Parameter(initializer(first, [channel]), name="a")

    def construct(self, x):
        return ops.prelu(x, self.w)


class HShrink(Cell):
    """The hard shrink function: the identity outside of ``[-lambd, lambd]``, else 0.

    Args:
        lambd (float): the threshold. Default 0.5.

    Inputs:
        - **input** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``input``.

    Raises:
        TypeError: ``input`` is no Tensor or number.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.HShrink()(ms.Tensor([-1.0, 0.25, 2.0])))
        [-1.  0.  2.]
    """

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = checks.any_number("HShrink", "lambd", lambd)

    def construct(self, input):
        return ops.hardshrink(input, self.lambd)


class SoftShrink(Cell):
    """The soft shrink function: moves its input towards 0 by ``lambd``, but not past it.

    Args:
        lambd (float): at least 0. Default 0.5.

    Inputs:
        - **input** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``input``.

    Raises:
        TypeError: ``lambd`` is no number, or ``input`` is no Tensor or number.
        ValueError: ``lambd`` is negative.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.SoftShrink()(ms.Tensor([-1.0, 0.25, 2.0])))
        [-0.5  0.   1.5]
    """

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = checks.number_in("SoftShrink", "lambd", lambd, 0, float("inf"))

    def construct(self, input):
        return ops.softshrink(input, self.lambd)


class Hardtanh(Cell):
    """The input cut to ``[min_val, max_val]``.

    Args:
        min_val (number), max_val (number): the bounds. Default -1 and 1.

    Inputs:
        - **x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        ValueError: ``min_val`` is not below ``max_val``.
        TypeError: ``x`` is no Tensor or number.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.Hardtanh()(ms.Tensor([-3.0, 0.5, 2.0])))
        [-1.   0.5  1. ]
    """

    def __init__(self, min_val=-1.0, max_val=1.0):
        super().__init__()
        if min_val >= max_val:
            raise complain(
                ValueError,
                f"Hardtanh: min_val is {min_val}, max_val {max_val}",
                expected="min_val < max_val",
            )
        self.min_val, self.max_val = min_val, max_val

    def construct(self, x):
        return ops.hardtanh(x, self.min_val, self.max_val)


class Threshold(Cell):
    """The input where it exceeds ``threshold``, else ``value``.

    Args:
        threshold (number): the bound.
        value (number): what stands for elements that do not exceed it.

    Inputs:
        - **input_x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``input_x``.

    Raises:
        TypeError: ``input_x`` is no Tensor or number.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.Threshold(0.5, 9.0)(ms.Tensor([0.0, 0.5, 1.0])))
        [9. 9. 1.]
    """

    def __init__(self, threshold, value):
        super().__init__()
        self.threshold, self.value = threshold, value

    def construct(self, input_x):
        return ops.threshold(input_x, self.threshold, self.value)


__all__ = [
    "CELU",
    "ELU",
    "HShrink",
    "Hardtanh",
    "LeakyReLU",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SeLU",
    "SoftShrink",
    "Threshold",
]

"""Activations: cells around the functions of `minds.ops`, and their names for `get_activation`."""

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
        - **x** (Tensor)
    Outputs:
        Tensor of the same shape and dtype.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.ReLU()(ms.Tensor([-1.0, 2.0])).asnumpy().tolist()
        [0.0, 2.0]
    """

    def construct(self, x):
        return ops.relu(x)


class ReLU6(Cell):
    r""":math:`\min(\max(x, 0), 6)`; inputs and outputs as `ReLU`."""

    def construct(self, x):
        return ops.relu6(x)


class Sigmoid(Cell):
    r""":math:`1/(1 + e^{-x})`; inputs and outputs as `ReLU`."""

    def construct(self, x):
        return ops.sigmoid(x)


class Tanh(Cell):
    r""":math:`\tanh x`; inputs and outputs as `ReLU`."""

    def construct(self, x):
        return ops.tanh(x)


class Tanhshrink(Cell):
    r""":math:`x - \tanh x`; inputs and outputs as `ReLU`."""

    def construct(self, x):
        return ops.tanhshrink(x)


class SiLU(Cell):
    r""":math:`x \sigma(x)`; inputs and outputs as `ReLU`."""

    def construct(self, x):
        return ops.silu(x)


class Mish(Cell):
    r""":math:`x \tanh(\log(1 + e^x))`; inputs and outputs as `ReLU`."""

    def construct(self, x):
        return ops.mish(x)


class HSigmoid(Cell):
    r""":math:`\min(\max(x/6 + 1/2, 0), 1)`; inputs and outputs as `ReLU`."""

    def construct(self, x):
        return ops.hardsigmoid(x)


class HSwish(Cell):
    r""":math:`x\,\min(\max(x + 3, 0), 6)/6`; inputs and outputs as `ReLU`."""

    def construct(self, x):
        return ops.hardswish(x)


class Softsign(Cell):
    r""":math:`x/(1 + |x|)`; inputs and outputs as `ReLU`."""

    def construct(self, x):
        return ops.softsign(x)


class LogSigmoid(Cell):
    r""":math:`\log\sigma(x)`, without overflow; inputs and outputs as `ReLU`."""

    def construct(self, x):
        return ops.logsigmoid(x)


class SeLU(Cell):
    r""":math:`s\,(\max(x, 0) + \min(\alpha(e^x - 1), 0))` with s = 1.0507009873554805 and α =
    1.6732632423543772.

    Source: Klambauer et al., Self-Normalizing Neural Networks, 2017.
    """

    def construct(self, x):
        return ops.selu(x)


class FastGelu(Cell):
    r""":math:`x\,\sigma(1.702 x)`, an approximation of `GELU`; inputs and outputs as `ReLU`."""

    def construct(self, x):
        return ops.fast_gelu(x)


class GELU(Cell):
    r"""The Gaussian error linear unit :math:`x\,\Phi(x)`.

    Args:
        approximate (bool): use :math:`x/2\,(1 + \tanh(\sqrt{2/\pi}(x + 0.044715x^3)))`. Default True.

    Source: Hendrycks and Gimpel, Gaussian Error Linear Units, 2016.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.GELU(approximate=False)(ms.Tensor([1.0])).asnumpy().round(4).tolist()
        [0.8413000106811523]
    """

    def __init__(self, approximate=True):
        super().__init__()
        self.approximate = checks.boolean("GELU", "approximate", approximate)

    def construct(self, x):
        return ops.gelu(x, "tanh" if self.approximate else "none")


class ELU(Cell):
    r""":math:`x` above 0, :math:`\alpha(e^x - 1)` below.

    Args:
        alpha (float): the limit below. Default 1.
    """

    def __init__(self, alpha=1.0):
        super().__init__()
        self.alpha = alpha

    def construct(self, x):
        return ops.elu(x, self.alpha)


class CELU(Cell):
    r""":math:`\max(x, 0) + \min(\alpha(e^{x/\alpha} - 1), 0)`.

    Args:
        alpha (float): not 0. Default 1.
    Raises:
        ValueError: ``alpha`` is 0.
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
    Raises:
        ValueError: ``lower`` exceeds ``upper``.

    Source: Xu et al., Empirical Evaluation of Rectified Activations in Convolutional Network, 2015.
    """

    def __init__(self, lower=1 / 8, upper=1 / 3):
        super().__init__()
        if lower > upper:
            raise complain(
                ValueError, f"RReLU: lower is {lower}, upper {upper}", expected="lower <= upper"
            )
        self.lower, self.upper = float(lower), float(upper)

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
        w (float, list, numpy.ndarray, Tensor): the first slopes. Default 0.25.
    Raises:
        ValueError: ``w`` does not hold ``channel`` numbers.

    Source: He et al., Delving Deep into Rectifiers, 2015.
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
        self.a = Parameter(initializer(first, [channel]), name="a")

    def construct(self, x):
        return ops.prelu(x, self.a)


class HShrink(Cell):
    """The identity outside of ``[-lambd, lambd]``, else 0.

    Args:
        lambd (float): the threshold. Default 0.5.
    """

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def construct(self, x):
        return ops.hardshrink(x, self.lambd)


class SoftShrink(Cell):
    """Moves its input towards 0 by ``lambd``, but not past it.

    Args:
        lambd (float): at least 0. Default 0.5.
    """

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = checks.number_in("SoftShrink", "lambd", lambd, 0, float("inf"))

    def construct(self, x):
        return ops.softshrink(x, self.lambd)


class Hardtanh(Cell):
    """The input cut to ``[min_val, max_val]``.

    Args:
        min_val (number), max_val (number): the bounds. Default -1 and 1.
    Raises:
        ValueError: ``min_val`` is not below ``max_val``.
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
        threshold (number), value (number): as said.
    """

    def __init__(self, threshold, value):
        super().__init__()
        self.threshold, self.value = threshold, value

    def construct(self, x):
        return ops.threshold(x, self.threshold, self.value)


class GLU(Cell):
    r""":math:`a\,\sigma(b)`, where a and b are the halves of the input along ``axis``.

    Args:
        axis (int): Default -1.
    """

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

    def construct(self, x):
        return ops.glu(x, self.axis)


class Softmax(Cell):
    r""":math:`e^{x_i}/\sum_j e^{x_j}` along a dimension.

    Args:
        axis (int, tuple[int]): the dimension. Default -1.
    Inputs:
        - **x** (Tensor)
    Outputs:
        Tensor of the same shape and dtype.
    Raises:
        TypeError: ``axis`` is neither an int nor a tuple of ints.

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

    def construct(self, x):
        return ops.softmax(x, self.axis)


class Softmin(Softmax):
    """`Softmax` of the negated input."""

    def construct(self, x):
        return ops.softmax(-x, self.axis)


class LogSoftmax(Softmax):
    """The logarithm of `Softmax`, without overflow."""

    def construct(self, x):
        return ops.log_softmax(x, self.axis)


class Softmax2d(Cell):
    """`Softmax` over the channels of ``(N, C, H, W)`` or ``(C, H, W)``."""

    def construct(self, x):
        return ops.softmax(x, -3)


_NAMES: dict[str, type[Cell]] = {
    "softmin": Softmin,
    "softmax": Softmax,
    "softmax2d": Softmax2d,
    "logsoftmax": LogSoftmax,
    "relu": ReLU,
    "relu6": ReLU6,
    "rrelu": RReLU,
    "silu": SiLU,
    "tanh": Tanh,
    "tanhshrink": Tanhshrink,
    "hardtanh": Hardtanh,
    "gelu": GELU,
    "fast_gelu": FastGelu,
    "elu": ELU,
    "sigmoid": Sigmoid,
    "softsign": Softsign,
    "prelu": PReLU,
    "leakyrelu": LeakyReLU,
    "hswish": HSwish,
    "hsigmoid": HSigmoid,
    "logsigmoid": LogSigmoid,
    "softshrink": SoftShrink,
    "hshrink": HShrink,
    "threshold": Threshold,
    "mish": Mish,
}


def get_activation(name: str | None, prim_name: str | None = None) -> Cell | None:
    """The activation of a name.

    Args:
        name (str): such as ``relu``; None gives None.
        prim_name (str): named in the error.
    Returns:
        Cell: a new cell.
    Raises:
        KeyError: the name is unknown.

    Examples:
        >>> from minds import nn
        >>> nn.get_activation("relu")
        ReLU()
    """
    if name is None:
        return None
    if name not in _NAMES:
        raise complain(
            KeyError,
            f"{prim_name or 'get_activation'}: {name!r} names no activation",
            expected=", ".join(_NAMES),
        )
    return _NAMES[name]()


def activation_cell(owner: str, activation):
    """What a layer's argument ``activation`` means: nothing (None, ""), a name, or something to
    call.
    """
    if activation is None or activation == "":
        return None
    if not isinstance(activation, str) and callable(activation):
        return activation
    if isinstance(activation, str):
        return get_activation(activation, owner)
    raise complain(
        TypeError,
        f"{owner}: activation has type {type(activation).__name__}",
        expected="a str, a Cell or a function",
    )


__all__ = [
    "CELU",
    "ELU",
    "FastGelu",
    "GELU",
    "GLU",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SeLU",
    "SiLU",
    "Sigmoid",
    "SoftShrink",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "activation_cell",
    "get_activation",
]

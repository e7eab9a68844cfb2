"""Smooth activations, cells around the functions of `minds.ops`; and the names of all activations."""

from __future__ import annotations

from ... import ops
from ...base.errors import complain
from ...base.late import all_of, late
from ..cell import Cell
from . import checks
from .rectifier import (
    ELU,
    Hardtanh,
    HShrink,
    LeakyReLU,
    PReLU,
    ReLU,
    ReLU6,
    RReLU,
    SoftShrink,
    Threshold,
)
from .softmax import LogSoftmax, Softmax, Softmax2d, Softmin


class Sigmoid(Cell):
    """The logistic function :math:`1/(1 + e^{-x})`.

    Inputs:
        - **x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is no Tensor or number.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.Sigmoid()(ms.Tensor([0.0, 100.0])))
        [0.5 1. ]
    """

    def construct(self, x):
        return ops.sigmoid(x)


class Tanh(Cell):
    r"""The hyperbolic tangent :math:`\tanh x`.

    Inputs:
        - **x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is no Tensor or number.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.Tanh()(ms.Tensor([0.0, 100.0])))
        [0. 1.]
    """

    def construct(self, x):
        return ops.tanh(x)


class Tanhshrink(Cell):
    r"""The remainder :math:`x - \tanh x` of the hyperbolic tangent.

    Inputs:
        - **x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is no Tensor or number.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.Tanhshrink()(ms.Tensor([0.0, 100.0])))
        [ 0. 99.]
    """

    def construct(self, x):
        return ops.tanhshrink(x)


class SiLU(Cell):
    r"""The sigmoid-weighted linear unit :math:`x\,\sigma(x)`.

    Inputs:
        - **x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is no Tensor or number.

    Source: Elfwing et al., Sigmoid-Weighted Linear Units for Neural Network Function Approximation
        in Reinforcement Learning, 2017.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.SiLU()(ms.Tensor([0.0, 100.0])))
        [  0. 100.]
    """

    def construct(self, x):
        return ops.silu(x)


class Mish(Cell):
    r"""The self-regularised unit :math:`x \tanh(\log(1 + e^x))`.

    Inputs:
        - **input_x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``input_x``.

    Raises:
        TypeError: ``input_x`` is no Tensor or number.

    Source: Misra, Mish: A Self Regularized Non-Monotonic Activation Function, 2019.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.Mish()(ms.Tensor([0.0, 100.0])))
        [  0. 100.]
    """

    def construct(self, input_x):
        return ops.mish(input_x)


class HSigmoid(Cell):
    r"""A sigmoid made of lines: :math:`\min(\max(x/6 + 1/2, 0), 1)`.

    Inputs:
        - **input** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``input``.

    Raises:
        TypeError: ``input`` is no Tensor or number.

    Source: Howard et al., Searching for MobileNetV3, 2019.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.HSigmoid()(ms.Tensor([-4.0, 0.0, 1.5])))
        [0.   0.5  0.75]
    """

    def construct(self, input):
        return ops.hardsigmoid(input)


class HSwish(Cell):
    r"""A swish made of lines: :math:`x\,\min(\max(x + 3, 0), 6)/6`.

    Inputs:
        - **input** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``input``.

    Raises:
        TypeError: ``input`` is no Tensor or number.

    Source: Howard et al., Searching for MobileNetV3, 2019.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.HSwish()(ms.Tensor([-4.0, 0.0, 1.5])))
        [0.    0.    1.125]
    """

    def construct(self, input):
        return ops.hardswish(input)


class Softsign(Cell):
    """The quotient :math:`x/(1 + |x|)`.

    Inputs:
        - **x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is no Tensor or number.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.Softsign()(ms.Tensor([-1.0, 0.0, 3.0])))
        [-0.5   0.    0.75]
    """

    def construct(self, x):
        return ops.softsign(x)


class LogSigmoid(Cell):
    r"""The logarithm of the logistic function, :math:`\log\sigma(x)`, without overflow.

    Inputs:
        - **input_x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``input_x``.

    Raises:
        TypeError: ``input_x`` is no Tensor or number.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.LogSigmoid()(ms.Tensor([-1000.0, 1000.0])))
        [-1000.    -0.]
    """

    def construct(self, input_x):
        return ops.logsigmoid(input_x)


class FastGelu(Cell):
    r"""The approximation :math:`x\,\sigma(1.702 x)` of `GELU`.

    Inputs:
        - **x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` is no Tensor or number.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.FastGelu()(ms.Tensor([-100.0, 0.0, 100.0])))
        [ -0.   0. 100.]
    """

    def construct(self, x):
        return ops.fast_gelu(x)


class GELU(Cell):
    r"""The Gaussian error linear unit :math:`x\,\Phi(x)`.

    Args:
        approximate (bool): use :math:`x/2\,(1 + \tanh(\sqrt{2/\pi}(x + 0.044715x^3)))`. Default
            True.

    Inputs:
        - **x** (Tensor[float]) - of any shape.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``approximate`` is no bool, or ``x`` is no Tensor or number.

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


class GLU(Cell):
    r"""The gated linear unit :math:`a\,\sigma(b)`, where a and b are the halves of the input along
    ``axis``.

    Args:
        axis (int): the dimension that is halved. Default -1.

    Inputs:
        - **x** (Tensor[float]) - of an even size along ``axis``.

    Outputs:
        Tensor of the dtype of ``x``, half as large along ``axis``.

    Raises:
        ValueError: the size along ``axis`` is odd.

    Source: Dauphin et al., Language Modeling with Gated Convolutional Networks, 2016.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.GLU()(ms.Tensor([[3.0, 0.0], [4.0, 100.0]])))
        [[1.5]
         [4. ]]
    """

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

    def construct(self, x):
        return ops.glu(x, self.axis)


_activation: dict[str, type[Cell]] = {
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
    if name not in _activation:
        raise complain(
            KeyError,
            f"{prim_name or 'get_activation'}: {name!r} names no activation",
            expected=", ".join(_activation),
        )
    return _activation[name]()


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
    "FastGelu",
    "GELU",
    "GLU",
    "HSigmoid",
    "HSwish",
    "LogSigmoid",
    "Mish",
    "SiLU",
    "Sigmoid",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "activation_cell",
    "get_activation",
]

# MindSpore has other layers here too.
__getattr__, __dir__ = late(__name__, {}, (), all_of("nn"))

"""Activations composed of ops."""

from __future__ import annotations

from ...base import dtype as dt
from ...base.errors import expect
from ..define import P
from ..faces import face


def _by(op, x, *numbers):
    """``op(x, *numbers)``; where some are values of the run, by what the op is made of."""
    known = all(type(n) in (int, float) for n in numbers)
    return op(x, *numbers) if known else op.decompose_rule(x, *numbers)


def _whole(result, x):
    """``result`` in the dtype of ``x``: of integers cut to whole numbers, as MindSpore has it."""
    return result if result.dtype is x.dtype else P.cast(result, x.dtype)


def softmax(input, axis=-1, *, dtype=None):
    r"""The softmax along ``axis``: :math:`e^{x_i} / \sum_c e^{x_c}`.

    Args:
        input (Tensor[(..., C, ...), float]): logits.
        axis (int): the normalised dimension. Default: -1.
        dtype (dtype): the dtype to compute in. Default: that of ``input``.

    Returns:
        Tensor: of the same shape.

    Raises:
        TypeError: ``input`` is not floating point.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.softmax(Tensor([1.0, 1.0])))
        [0.5 0.5]
    """
    return P.softmax(input if dtype is None else P.cast(input, dt.of(dtype)), axis)


def softmin(x, axis=-1, *, dtype=None):
    """The softmax of ``-x``.

    Args:
        x (Tensor[any shape, float]): the operand.
        axis (int): the dimension that sums to 1. Default: -1.
        dtype (dtype): cast to it first. Default: None.

    Returns:
        Tensor: of the shape of ``x``.

    Raises:
        TypeError: ``x`` is not a Tensor.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.softmin(Tensor([1.0, 1.0])))
        [0.5 0.5]
    """
    return softmax(-x, axis, dtype=dtype)


@face(cls="ReLU6", sparse=True)
def relu6(x):
    r""":math:`\min(\max(x, 0), 6)`. Its gradient at 0 and at 6 is 0 and 1, as in MindSpore.

    Args:
        x (Tensor[any shape, number]): the operand.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.relu6(Tensor([-1.0, 3.0, 7.0])))
        [0. 3. 6.]
    """
    return P.relu6(x)


def leaky_relu(input, alpha=0.2):
    r""":math:`x` where positive, else :math:`\alpha x`.

    Args:
        input (Tensor): the operand.
        alpha (float): the slope below 0. Default: 0.2.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.leaky_relu(Tensor([-1.0, 3.0]), 0.5))
        [-0.5  3. ]
    """
    return _whole(P.select(input > 0, input, input * alpha), input)


@face(cls="PReLU", mint="nn.functional.prelu")
def prelu(input, weight):
    """`leaky_relu` with one slope for each channel (dimension 1), or one for all.

    Args:
        input (Tensor[(N, C, ...), float]): the operand.
        weight (Tensor[(C,), float]): the slopes below 0; of one element for all channels.

    Returns:
        Tensor: of the shape and dtype of ``input``.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``weight`` does not fit ``input``.

    Examples:
        >>> print(ops.prelu(Tensor([[-1.0, 3.0]]), Tensor([0.5])))
        [[-0.5  3. ]]
    """
    expect(len(weight.shape) <= 1, "weight", "of rank 1", got=weight.shape)
    if weight.size == 1:
        weight = P.reshape(weight, (1,) * min(len(input.shape), 1))
    else:
        weight = P.reshape(weight, (1, weight.size) + (1,) * (len(input.shape) - 2))
    return P.select(input > 0, input, input * weight)


@face(cls="Elu(alpha=1.0)")
def elu(input_x, alpha=1.0):
    r""":math:`x` where positive, else :math:`\alpha (e^x - 1)`.

    Args:
        input_x (Tensor[any shape, float]): the operand.
        alpha (float): the limit below 0 is -alpha. Default: 1.0.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input_x`` is not a Tensor.

    Examples:
        >>> print(ops.elu(Tensor([0.0, 3.0])))
        [0. 3.]
    """
    return _by(P.elu, input_x, alpha)


@face(cls="CeLU(alpha=1.0)")
def celu(x, alpha=1.0):
    r""":math:`\max(0, x) + \min(0, \alpha (e^{x / \alpha} - 1))`.

    Args:
        x (Tensor[any shape, float]): the operand.
        alpha (float): the limit below 0 is -alpha; not 0. Default: 1.0.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.celu(Tensor([0.0, 3.0])))
        [0. 3.]
    """
    return _by(P.celu, x, alpha)


@face(cls="SeLU")
def selu(input_x):
    r""":math:`s (\max(0, x) + \min(0, a (e^x - 1)))` with a = 1.67326324, s = 1.05070098.

    Args:
        input_x (Tensor[any shape, float]): the operand.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input_x`` is not a Tensor.

    Source: Klambauer et al., https://arxiv.org/abs/1706.02515.

    Examples:
        >>> print(ops.selu(Tensor([0.0, 1.0])))
        [0.       1.050701]
    """
    return _whole(elu(input_x, 1.6732632423543772) * 1.0507009873554805, input_x)


@face(alias="swish", cls="SiLU")
def silu(input):
    r""":math:`x\,\sigma(x)`.

    Args:
        input (Tensor[any shape, float]): the operand.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.silu(Tensor([0.0, 1.0])))
        [0.        0.7310586]
    """
    return P.silu(input)


@face(cls=True, mint="nn.functional.softplus nn.Softplus")
def softplus(input, beta=1, threshold=20):
    r""":math:`\frac1\beta \log(1 + e^{\beta x})`, and :math:`x` where :math:`\beta x` exceeds
    ``threshold``.

    Args:
        input (Tensor[any shape, float]): the operand.
        beta (number): the sharpness. Default: 1.
        threshold (number): beyond it the function is linear. Default: 20.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.softplus(Tensor([0.0, 30.0])))
        [ 0.6931472 30.       ]
    """
    return _by(P.softplus, input, beta, threshold)


def logsigmoid(x):
    r""":math:`\log \sigma(x)`, without overflow.

    Args:
        x (Tensor[any shape, float]): the operand.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.logsigmoid(Tensor([0.0])))
        [-0.6931472]
    """
    return -softplus(-x)


@face(cls=True)
def mish(x):
    r""":math:`x \tanh(\mathrm{softplus}(x))`.

    Args:
        x (Tensor[any shape, float]): the operand.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.mish(Tensor([0.0])))
        [0.]
    """
    return P.mish(x)


@face(alias="hsigmoid", cls="HSigmoid", mint="nn.functional.hardsigmoid nn.Hardsigmoid")
def hardsigmoid(input):
    r""":math:`\min(\max((x + 3) / 6, 0), 1)`; its gradient on the edges is 0.

    Args:
        input (Tensor[any shape, float]): the operand.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.hardsigmoid(Tensor([-4.0, 0.0, 4.0])))
        [0.  0.5 1. ]
    """
    return _whole(P.hardsigmoid(input), input)


@face(alias="hswish", cls="HSwish", mint="nn.functional.hardswish nn.Hardswish")
def hardswish(input):
    r""":math:`x` times `hardsigmoid`.

    Args:
        input (Tensor[any shape, float]): the operand.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.hardswish(Tensor([-4.0, 0.0, 4.0])))
        [0. 0. 4.]
    """
    return _whole(P.hardswish(input), input)


@face(mint="nn.functional.gelu nn.GELU")
def gelu(input, approximate="none"):
    r""":math:`x\,\Phi(x)` with the normal distribution function, or its approximation by a tanh.

    Args:
        input (Tensor[any shape, float]): the operand.
        approximate (str): ``"none"`` or ``"tanh"``. Default: ``"none"``.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: ``approximate`` is another word.

    Source: Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415.

    Examples:
        >>> print(ops.gelu(Tensor([0.0])))
        [0.]
    """
    return P.gelu(input, approximate)


@face(cls="FastGelu FastGeLU")
def fast_gelu(x):
    r""":math:`x\,\sigma(1.702 |x|)\,e^{0.851 (x - |x|)}`.

    Args:
        x (Tensor[any shape, float]): the operand.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.fast_gelu(Tensor([0.0])))
        [0.]
    """
    return P.fast_gelu(x)


@face(cls=True, sparse=True)
def softsign(x):
    r""":math:`x / (1 + |x|)`.

    Args:
        x (Tensor[any shape, float]): the operand.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.softsign(Tensor([1.0])))
        [0.5]
    """
    return x / (P.abs(x) + 1)


def tanhshrink(input):
    r""":math:`x - \tanh x`.

    Args:
        input (Tensor[any shape, float]): the operand.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.tanhshrink(Tensor([0.0])))
        [0.]
    """
    return input - P.tanh(input)


def hardtanh(input, min_val=-1.0, max_val=1.0):
    """``input`` limited to a range; the gradient on its edges is 0.

    Args:
        input (Tensor[any shape, number]): the operand.
        min_val (number): the lower bound. Default: -1.0.
        max_val (number): the upper bound. Default: 1.0.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.hardtanh(Tensor([-2.0, 0.5, 2.0])))
        [-1.   0.5  1. ]
    """
    out = P.select(input <= min_val, min_val, P.select(input >= max_val, max_val, input))
    return out if out.dtype is input.dtype else P.cast(out, input.dtype)


@face(method=True, mint="nn.functional.hardshrink nn.Hardshrink", cls="HShrink(lambd=0.5)")
def hardshrink(input, lambd=0.5):
    """0 where the absolute value is at most ``lambd``.

    Args:
        input (Tensor[any shape, float]): the operand.
        lambd (float): the threshold. Default: 0.5.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.hardshrink(Tensor([-1.0, 0.5])))
        [-1.  0.]
    """
    return P.select(P.abs(input) <= lambd, 0, input)


@face(
    alias="soft_shrink", mint="nn.functional.softshrink nn.Softshrink", cls="SoftShrink(lambd=0.5)"
)
def softshrink(input, lambd=0.5):
    """``input`` moved towards 0 by ``lambd``, and 0 where it would cross.

    Args:
        input (Tensor[any shape, float]): the operand.
        lambd (float): the distance. Default: 0.5.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.softshrink(Tensor([-1.0, 0.5])))
        [-0.5  0. ]
    """
    small = P.less_equal(P.abs(input), lambd)  # a NaN is not, and stays
    return P.select(small, 0, P.select(input > 0, input - lambd, input + lambd))


def threshold(input, thr, value):
    """``input`` where it exceeds ``thr``, else ``value``.

    Args:
        input (Tensor[any shape, number]): the operand.
        thr (number): the threshold.
        value (number): stands for what does not exceed it.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.threshold(Tensor([-1.0, 1.0]), 0, 5))
        [5. 1.]
    """
    return _whole(P.select(input <= thr, value, input), input)


@face(method=True)
def logit(input, eps=None):
    r""":math:`\log(x / (1 - x))`, of ``input`` limited to [``eps``, 1 - ``eps``] where that is
    given.

    Args:
        input (Tensor[any shape, float]): probabilities.
        eps (float): the distance that is kept from 0 and 1. Default: None, which keeps none.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.logit(Tensor([0.5])))
        [0.]
    """
    if eps is not None:
        input = P.minimum(P.maximum(input, eps), 1 - eps)
    return P.log(input / (1 - input))


@face(cls="GLU(axis=-1)")
def glu(x, axis=-1):
    r""":math:`a\,\sigma(b)` with the halves a and b of ``x``.

    Args:
        x (Tensor[any shape, float]): of an even size along ``axis``.
        axis (int): the dimension that is halved. Default: -1.

    Returns:
        Tensor: half as long along ``axis``, of the same dtype.

    Raises:
        ValueError: ``x`` has a rank that does not fit.

    Examples:
        >>> print(ops.glu(Tensor([2.0, 0.0])))
        [1.]
    """
    axis = axis % len(x.shape)
    n = x.shape[axis]
    expect(n % 2 == 0, f"the size of axis {axis}", "even", got=n)
    parts = P.split(x, (n // 2, n // 2), axis)
    return parts[0] * P.sigmoid(parts[1])

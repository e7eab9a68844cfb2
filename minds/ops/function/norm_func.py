"""Normalisation under MindSpore's names."""

from __future__ import annotations

import math

from ...base.errors import complain, expect
from ..define import P
from ..faces import face
from ..repeated import repeated
from ..states import keep_statistics


def batch_norm(
    input_x, running_mean, running_var, weight, bias, training=False, momentum=0.1, eps=1e-5
):
    """Normalise each channel by its running statistics, or in training by the batch's own.

    Args:
        input_x (Tensor[(N, C, ...), float]): the batch.
        running_mean, running_var (Parameter[(C,)] | Tensor[(C,)]): used where ``training`` is False;
            otherwise the batch's mean and unbiased variance are averaged into Parameters.
        weight, bias (Tensor[(C,)]): scale and offset.
        training (bool): use the batch's statistics. Default: False.
        momentum (float): the share of the batch in the running statistics. Default: 0.1.
        eps (float): added to the variance. Default: 1e-5.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input_x`` is not a Tensor.
        ValueError: the shape of ``running_mean`` does not fit ``input_x``.

    Examples:
        >>> one, zero = ops.ones((1,)), ops.zeros((1,))
        >>> print(ops.batch_norm(Tensor([[2.0]]), zero, one, one, zero, eps=0.0))
        [[2.]]
    """
    if training:
        out, mean, variance = P.batch_norm(input_x, weight, bias, eps)
        keep_statistics(input_x, (running_mean, running_var), (mean, variance), momentum)
        return P.cast(out, input_x.dtype)
    out = P.batch_norm_infer(input_x, weight, bias, running_mean, running_var, eps)
    return P.cast(out, input_x.dtype)


@face(mint="nn.functional.layer_norm")
@repeated
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Normalise over the last dimensions.

    Args:
        input (Tensor[any shape, float]): the operand.
        normalized_shape (int, tuple[int]): the sizes of these dimensions.
        weight (Tensor): scale, of ``normalized_shape``. Default: ones.
        bias (Tensor): offset, of ``normalized_shape``. Default: zeros.
        eps (float): added to the variance. Default: 1e-5.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: ``input`` does not end in ``normalized_shape``.

    Examples:
        >>> print(ops.layer_norm(Tensor([1.0, 3.0]), (2,), eps=0.0))
        [-1.  1.]
    """
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    begin = len(input.shape) - len(shape)
    expect(
        begin >= 0 and input.shape[begin:] == shape,
        "layer_norm: normalized_shape",
        f"the end of {input.shape}",
        got=shape,
    )
    weight = P.full(shape, 1, input.dtype) if weight is None else weight
    bias = P.full(shape, 0, input.dtype) if bias is None else bias
    return P.layer_norm(input, weight, bias, begin, eps)[0]


@face(mint="nn.functional.group_norm")
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Normalise each group of channels of each sample.

    Args:
        input (Tensor[(N, C, ...), float]): the batch.
        num_groups (int): a divisor of C.
        weight, bias (Tensor[(C,)]): scale and offset. Default: ones and zeros.
        eps (float): added to the variance. Default: 1e-5.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: ``num_groups`` does not divide the channels.

    Examples:
        >>> print(ops.group_norm(Tensor([[1.0, 3.0]]), 1, eps=0.0))
        [[-1.  1.]]
    """
    n, c = input.shape[:2]
    if c % num_groups:
        raise complain(ValueError, f"group_norm: {num_groups} groups do not divide {c} channels")
    rows = P.reshape(input, (n, num_groups, c // num_groups * math.prod(input.shape[2:])))
    size = rows.shape[2:]
    out = P.layer_norm(rows, P.full(size, 1, input.dtype), P.full(size, 0, input.dtype), 2, eps)[0]
    out = P.reshape(out, input.shape)
    wide = (1, c) + (1,) * (len(input.shape) - 2)
    out = out if weight is None else P.mul(out, P.reshape(weight, wide))
    return out if bias is None else P.add(out, P.reshape(bias, wide))


def rms_norm(x, gamma, epsilon=1e-6):
    r""":math:`\gamma x / \sqrt{\mathrm{mean}(x^2) + \epsilon}` over the last dimensions, those of
    ``gamma``.

    Args:
        x (Tensor[any shape, float]): the operand.
        gamma (Tensor): the scale.
        epsilon (float): added to the mean. Default: 1e-6.

    Returns:
        tuple: the result, and the reciprocal root.

    Raises:
        ValueError: the shape of ``gamma`` does not fit ``x``.

    Source: Zhang and Sennrich, https://arxiv.org/abs/1910.07467.

    Examples:
        >>> print(ops.rms_norm(Tensor([2.0, 2.0]), ops.ones((2,)), 0.0)[0])
        [1. 1.]
    """
    axes = tuple(range(len(x.shape) - len(gamma.shape), len(x.shape)))
    r = P.rsqrt(P.sum(P.square(x), axes, True) / gamma.size + epsilon)
    return x * r * gamma, r


@face(cls="L2Normalize(axis=0, epsilon=0.0001)")
def normalize(x, axis=0, epsilon=1e-4):
    r""":math:`x / \sqrt{\max(\sum x^2, \epsilon)}` along ``axis``.

    Args:
        x (Tensor[any shape, float]): the operand.
        axis (int, tuple[int]): the dimensions that are summed. Default: 0.
        epsilon (float): the least sum. Default: 0.0001.

    Returns:
        Tensor: of the same shape and dtype.

    Examples:
        >>> print(ops.L2Normalize()(Tensor([3.0, 4.0])))
        [0.6 0.8]
    """
    return x * P.rsqrt(P.maximum(P.sum(P.square(x), axis, True), epsilon))

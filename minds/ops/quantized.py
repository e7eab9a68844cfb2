"""Products and convolutions with int8 weights. What they are given is quantised on the way, by its own
range, so nothing has to be calibrated; sums are of integers, and exact.

Gradients are those of the product of what was given with the weights as reals: as if it had not
been rounded. The weights have none.
"""

from __future__ import annotations

from ..base import dtype as dt
from ..base.errors import expect
from ..ir.abstract import AbstractTensor
from ..tensor import Tensor
from .batching import merged
from .conv import _attributes, _result
from .define import P, op


def _check(x, w, scale, bias, rank: int) -> tuple:
    """The dimension that stacks several, if there is one: (size,) or ()."""
    expect(x.dtype is dt.float32, "x", "a float32 tensor", TypeError, got=x.dtype)
    expect(w.dtype is dt.int8, "w", "an int8 tensor", TypeError, got=w.dtype)
    expect(x.ndim in (rank, rank + 1), "x", f"of rank {rank} or {rank + 1}", got=f"shape {x.shape}")
    stack = x.shape[:-rank]
    expect(w.ndim == x.ndim, "w", f"of rank {x.ndim}, as x", got=f"shape {w.shape}")
    expect(w.shape[:-rank] == stack, "w", f"of {stack} in front, as x", got=f"shape {w.shape}")
    rows = w.shape[: len(stack) + 1]
    for name, value in (("scale", scale), ("bias", bias)):
        expect(value.dtype is dt.float32, name, "a float32 tensor", TypeError, got=value.dtype)
        expect(value.shape == rows, name, f"of shape {rows}", got=value.shape)
    return stack


def _stacked(b, op, rank: int, x, w, scale, bias, *attributes):
    """The examples of a batch: more rows or images where the weights are the same, else a stack."""
    if b.mask == (True, False, False, False) and len(w.shape) == rank:
        return op(merged(x, 0), w, scale, bias, *attributes)
    operands = b.every(x, w, scale, bias)
    if len(operands[0].shape) > rank + 1:
        operands = [merged(v, 0) for v in operands]
    return op(*operands, *attributes)


def _along(vector, axis: int, rank: int):
    """A vector of outputs, or a stack of them, where the outputs are dimension ``axis`` of ``rank``."""
    shape = [1] * rank
    shape[: len(vector.shape) - 1], shape[axis] = vector.shape[:-1], vector.shape[-1]
    return P.reshape(vector, tuple(shape))


def _of_factors(scale, bias, out, dout, axis: int, need) -> tuple:
    """The gradients of the scale and the bias."""
    rank = len(out.shape)
    others = tuple([i for i in range(rank) if i != axis and i >= len(scale.shape) - 1])
    found = [None, None]
    if need[2]:
        products = (out - _along(bias, axis, rank)) / _along(scale, axis, rank)
        found[0] = P.sum(dout * products, others, False)
    if need[3]:
        found[1] = P.sum(dout, others, False)
    return tuple(found)


def _reals(w, scale):
    return P.cast(w, dt.float32) * _along(scale, len(scale.shape) - 1, len(w.shape))


@op()
def quantized_matmul(x: Tensor, w: Tensor, scale: Tensor, bias: Tensor) -> Tensor:
    r"""Rows times int8 weights.

    .. math:: y_{ij} = b_j + s_j \sum_k \hat x_{ik} w_{jk}

    where :math:`\hat x` is ``x`` rounded to 256 levels between the least and the largest element of
    its row, 0 among them. A row with an element that is not finite gives NaN. All operands may have
    one more dimension in front, which stacks several products.

    Args:
        x (Tensor[(M, K), float32]): the rows.
        w (Tensor[(N, K), int8]): the weights.
        scale (Tensor[(N,), float32]): what a row of the weights is multiplied with, not 0.
        bias (Tensor[(N,), float32]): what is added.

    Returns:
        Tensor[(M, N), float32].

    Raises:
        TypeError: a dtype is another.
        ValueError: shapes do not fit, or K is above 65,000.
    """
    stack = _check(x, w, scale, bias, 2)
    expect(x.shape[-1] == w.shape[-1], "x", f"of {w.shape[-1]} columns", got=f"shape {x.shape}")
    return AbstractTensor((*stack, x.shape[-2], w.shape[-2]), dt.float32)


@quantized_matmul.bprop
def _(x, w, scale, bias, out, dout, need):
    dx = P.matmul(dout, _reals(w, scale), False, False) if need[0] else None
    return dx, None, *_of_factors(scale, bias, out, dout, len(out.shape) - 1, need)


@quantized_matmul.batch
def _(b, x, w, scale, bias):
    return _stacked(b, P.quantized_matmul, 2, x, w, scale, bias)


quantized_matmul.shard("m ., n ., n, n -> m n")


@op()
def quantized_conv2d(
    x: Tensor,
    w: Tensor,
    scale: Tensor,
    bias: Tensor,
    stride: tuple = (1, 1),
    pad: tuple = (0, 0, 0, 0),
    dilation: tuple = (1, 1),
) -> Tensor:
    r"""Two-dimensional cross-correlation with int8 weights.

    .. math:: y_{n,o,i,j} = b_o + s_o \sum_{c,p,q} \hat x_{n,c,\,u i + d p - t,\,u j + d q - l}\; w_{o,p,q,c}

    where :math:`\hat x` is ``x`` rounded to 256 levels between the least and the largest element of
    its image, 0 among them, and u the stride. An image with an element that is not finite gives
    NaN. All tensors may have one more dimension in front, which stacks several convolutions.

    Args:
        x (Tensor[(N, C, H, W), float32]): the images.
        w (Tensor[(O, KH, KW, C), int8]): the weights.
        scale (Tensor[(O,), float32]): what the weights of an output channel are multiplied with, not 0.
        bias (Tensor[(O,), float32]): what is added.
        stride (tuple[int]): the step of the window, down and right. Default: (1, 1).
        pad (tuple[int]): zeros added above, below, left and right. Default: none.
        dilation (tuple[int]): the distance of the window's elements. Default: (1, 1).

    Returns:
        Tensor[(N, O, OH, OW), float32].

    Raises:
        TypeError: a dtype is another.
        ValueError: shapes do not fit, the window is larger than the padded image, or C KH KW is above
            65,000.
    """
    stack = _check(x, w, scale, bias, 4)
    o, kh, kw, c = w.shape[-4:]
    shape = _result(x.shape[-4:], (o, c, kh, kw), stride, pad, dilation, 1)
    return AbstractTensor((*stack, *shape), dt.float32)


@quantized_conv2d.normalize
def _(x, w, scale, bias, stride, pad, dilation):
    attributes = _attributes(stride, pad, dilation, 1)
    del attributes["group"]
    return attributes


@quantized_conv2d.bprop
def _(x, w, scale, bias, stride, pad, dilation, out, dout, need):
    more = _of_factors(scale, bias, out, dout, len(out.shape) - 3, need)
    if not need[0]:
        return None, None, *more
    front, window = range(len(x.shape) - 4), (stride, pad, dilation)
    order = (*front, *[len(front) + i for i in (0, 3, 1, 2)])
    weights = P.transpose(_reals(w, scale), order)
    backward = P.each_conv2d_dx if front else P.conv2d_dx
    return backward(dout, weights, x.shape, *window, 1), None, *more


@quantized_conv2d.batch
def _(b, x, w, scale, bias, stride, pad, dilation):
    return _stacked(b, P.quantized_conv2d, 4, x, w, scale, bias, stride, pad, dilation)


quantized_conv2d.shard("n . . ., o . . ., o, o -> n o . .")

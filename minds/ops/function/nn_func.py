"""Layers as functions: dense, convolution, padding, and some more."""

from __future__ import annotations

import math

from ...base import dtype as dt
from ...base.errors import expect
from ..define import P
from ..faces import face
from ..rules import pair_of
from .common import window_pad
from .elsewhere import elsewhere
from .vector_norm_func import norm


def bias_add(input_x, bias):
    """Add one number to each channel (dimension 1).

    Args:
        input_x (Tensor[(N, C, ...)]): the operand.
        bias (Tensor[(C,)]): the numbers.

    Returns:
        Tensor: of the same shape.

    Raises:
        ValueError: ``bias`` has not one number per channel.

    Examples:
        >>> print(ops.bias_add(Tensor([[1.0, 2.0]]), Tensor([10.0, 20.0])))
        [[11. 22.]]
    """
    expect(len(input_x.shape) >= 2, "bias_add: input_x", "of rank 2 or more", got=input_x.shape)
    expect(
        bias.shape == input_x.shape[1:2],
        "bias_add: bias",
        f"of shape {input_x.shape[1:2]}",
        got=bias.shape,
    )
    return P.add(input_x, P.reshape(bias, (1, bias.shape[0]) + (1,) * (len(input_x.shape) - 2)))


@face(alias="linear", mint="nn.functional.linear", cls="Dense")
def dense(input, weight, bias=None):
    """A linear layer: ``input @ weight.T + bias``.

    Args:
        input (Tensor[(..., I), float]): the operand.
        weight (Tensor[(O, I), float]): the weights, or a vector of I.
        bias (Tensor[(O,), float]): the offsets. Default: None.

    Returns:
        Tensor[(..., O)]: of the common dtype.

    Raises:
        ValueError: the sizes do not fit.

    Examples:
        >>> print(ops.dense(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]]), Tensor([0.5])))
        [[11.5]]
    """
    lead = input.shape[:-1]
    rows = input if len(input.shape) == 2 else P.reshape(input, (math.prod(lead), input.shape[-1]))
    if len(weight.shape) == 1:
        out, shape = P.matmul(rows, P.reshape(weight, (1, weight.size)), False, True), lead
    else:
        out, shape = P.matmul(rows, weight, False, True), lead + weight.shape[:1]
    if out.shape != shape:
        out = P.reshape(out, shape)
    return out if bias is None else P.add(out, bias)


def conv2d(input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    r"""Two-dimensional convolution (cross-correlation).

    Args:
        input (Tensor[(N, C, H, W), float]): the images.
        weight (Tensor[(O, C / groups, KH, KW), float]): the weights.
        bias (Tensor[(O,), float]): one offset per output channel. Default: None.
        stride (int, tuple[int]): the step of the window. Default: 1.
        pad_mode (str): ``"valid"``, ``"same"`` or ``"pad"``. Default: ``"valid"``.
        padding (int, tuple[int]): with ``"pad"``: for all sides, (height, width), or (top, bottom,
            left, right). Default: 0.
        dilation (int, tuple[int]): the distance of the window's elements. Default: 1.
        groups (int): into how many independent parts the channels are divided. Default: 1.

    Returns:
        Tensor[(N, O, OH, OW)]: of the common dtype.

    Raises:
        TypeError: an operand is not floating point.
        ValueError: shapes do not fit, or the window is larger than the padded image.

    Examples:
        >>> ops.conv2d(ops.ones((1, 3, 8, 8)), ops.ones((4, 3, 3, 3)), pad_mode="same").shape
        (1, 4, 8, 8)
    """
    stride, dilation = pair_of(stride, "stride"), pair_of(dilation, "dilation")
    expect(
        len(input.shape) == 4 and len(weight.shape) == 4,
        "conv2d: input and weight",
        "of rank 4 (NCHW, OIHW)",
        got=f"{input.shape} and {weight.shape}",
    )
    pads = window_pad(pad_mode, padding, input.shape[2:], weight.shape[2:], stride, dilation)
    out = P.conv2d(input, weight, stride, pads, dilation, groups)
    return out if bias is None else bias_add(out, bias)


def conv1d(input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    """One-dimensional convolution of (N, C, L) with weights (O, C / groups, K). See `conv2d`.

    Args:
        input (Tensor[(N, C, L), float]): the signals.
        weight (Tensor[(O, C / groups, K), float]): the weights.
        bias (Tensor[(O,), float]): is added to each channel. Default: None.
        stride (int): the distance of windows. Default: 1.
        pad_mode (str): "valid", "same" or "pad". Default: "valid".
        padding (int, tuple[int]): zeros on both sides, with "pad". Default: 0.
        dilation (int): the distance of a window's elements. Default: 1.
        groups (int): parts into which channels are divided. Default: 1.

    Returns:
        Tensor[(N, O, L')]: the convolution.

    Raises:
        ValueError: the shape of ``weight`` does not fit ``input``.

    Examples:
        >>> ops.conv1d(ops.ones((1, 3, 8)), ops.ones((4, 3, 3))).shape
        (1, 4, 6)
    """
    one = [
        v[0] if isinstance(v, (tuple, list)) and len(v) == 1 else v
        for v in (stride, dilation, padding)
    ]
    low, high = one[2] if isinstance(one[2], (tuple, list)) else (one[2], one[2])
    x = P.reshape(input, input.shape[:2] + (1,) + input.shape[2:])
    w = P.reshape(weight, weight.shape[:2] + (1,) + weight.shape[2:])
    out = conv2d(x, w, bias, (1, one[0]), pad_mode, (0, 0, low, high), (1, one[1]), groups)
    return P.reshape(out, out.shape[:2] + out.shape[3:])


def pad(input_x, padding, mode="constant", value=None):
    """Add elements around the last dimensions.

    Args:
        input_x (Tensor): the operand.
        padding (tuple[int]): how many before and after, the last dimension first; negative numbers
            cut.
        mode (str): ``"constant"``, ``"reflect"``, ``"replicate"`` or ``"circular"``. Default:
            ``"constant"``.
        value (number): their value in mode ``"constant"``. Default: 0.

    Returns:
        Tensor: of the same dtype.

    Raises:
        ValueError: ``mode`` is another word, ``padding`` has an odd length or is too long or too
        large for the mode.

    Examples:
        >>> print(ops.pad(Tensor([1.0, 2.0]), (1, 2)))
        [0. 1. 2. 0. 0.]
    """
    rank = len(input_x.shape)
    expect(
        len(padding) % 2 == 0 and len(padding) <= 2 * rank,
        "padding",
        f"at most {rank} pairs",
        got=padding,
    )
    expect(
        mode in ("constant", "reflect", "replicate", "circular"),
        "mode",
        "'constant', 'reflect', 'replicate' or 'circular'",
        got=repr(mode),
    )
    pairs = [(0, 0)] * rank
    for i in range(len(padding) // 2):
        pairs[rank - 1 - i] = (padding[2 * i], padding[2 * i + 1])
    cut = tuple(
        slice(max(-lo, 0), n - max(-hi, 0))
        for n, (lo, hi) in zip(input_x.shape, pairs, strict=False)
    )
    if any(lo < 0 or hi < 0 for lo, hi in pairs):
        begin, end = tuple(s.start for s in cut), tuple(s.stop for s in cut)
        input_x = P.strided_slice(input_x, begin, end, (1,) * rank)
    pairs = [(max(lo, 0), max(hi, 0)) for lo, hi in pairs]
    if mode == "constant":
        return P.pad(input_x, tuple(pairs), value or 0)
    for axis, (lo, hi) in enumerate(pairs):
        if lo or hi:
            input_x = _edge(input_x, axis, lo, hi, mode)
    return input_x


def _edge(x, axis: int, lo: int, hi: int, mode: str):
    """Padding by elements of the tensor itself: positions that wrap, mirror or stop at the edge."""
    n = x.shape[axis]
    limit = n - 1 if mode == "reflect" else n if mode == "circular" else max(lo, hi)
    expect(
        n > 0 and max(lo, hi) <= limit, "padding", f"at most {limit} in mode {mode!r}", got=(lo, hi)
    )
    i = P.arange(-lo, n + hi, 1, dt.int64)
    if mode == "circular":
        i = P.mod(i, n)
    elif mode == "replicate":
        i = P.minimum(P.maximum(i, 0), n - 1)
    else:
        i = n - 1 - P.abs(n - 1 - P.abs(i))
    return P.gather(x, i, axis)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    r""":math:`x \cdot y / \max(\|x\| \|y\|, \epsilon)` along ``dim``.

    Args:
        x1 (Tensor[any shape, float]): vectors.
        x2 (Tensor[any shape, float]): vectors; shapes broadcast.
        dim (int): the dimension along which they lie. Default: 1.
        eps (float): the least divisor. Default: 1e-08.

    Returns:
        Tensor: without that dimension.

    Raises:
        TypeError: ``x1`` is not a Tensor.
        ValueError: ``dim`` is out of range.
        ValueError: the shape of ``x2`` does not fit ``x1``.

    Examples:
        >>> print(ops.cosine_similarity(Tensor([[3.0, 4.0]]), Tensor([[3.0, 4.0]])))
        [1.]
    """
    size = P.sqrt(P.maximum(P.sum(P.square(x1), dim), eps * eps)) * P.sqrt(
        P.maximum(P.sum(P.square(x2), dim), eps * eps)
    )
    return P.sum(x1 * x2, dim) / size


@face(mint="nn.functional.pixel_shuffle nn.PixelShuffle")
def pixel_shuffle(input, upscale_factor):
    """Channels as finer pixels: (N, C r², H, W) to (N, C, H r, W r).

    Args:
        input (Tensor[(..., C r², H, W)]): the images.
        upscale_factor (int): r.

    Returns:
        Tensor[(..., C, H r, W r)]: of the same dtype.

    Raises:
        ValueError: ``input`` has a rank that does not fit.

    Examples:
        >>> ops.pixel_shuffle(ops.ones((1, 4, 2, 2)), 2).shape
        (1, 1, 4, 4)
    """
    *lead, c, h, w = input.shape
    r = upscale_factor
    expect(c % (r * r) == 0, "the number of channels", f"a multiple of {r * r}", got=c)
    x = P.reshape(input, (math.prod(lead), c // (r * r), r, r, h, w))
    return P.reshape(P.transpose(x, (0, 1, 4, 2, 5, 3)), (*lead, c // (r * r), h * r, w * r))


@face(cls="Cdist(p=2.0)")
def cdist(x1, x2, p=2.0):
    """The distances of all rows of ``x1`` from all rows of ``x2``, in the p-norm.

    Args:
        x1 (Tensor[(..., M, D), float]): rows.
        x2 (Tensor[(..., N, D), float]): rows.
        p (float): which norm, 0 or more. Default: 2.0.

    Returns:
        Tensor[(..., M, N)]: the distances.

    Raises:
        ValueError: the shape of ``x2`` does not fit ``x1``.

    Examples:
        >>> print(ops.cdist(Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]])))
        [[5.]]
    """
    a = P.reshape(x1, x1.shape[:-1] + (1,) + x1.shape[-1:])
    b = P.reshape(x2, x2.shape[:-2] + (1,) + x2.shape[-2:])
    return norm(a - b, p, -1)


# MindSpore has other functions here too.
__getattr__, __dir__ = elsewhere(
    __name__,
    {
        "compat.nn_functions": """_check_attn_mask_shape _check_kpm_shape _check_qkv_shape
            _in_projection _in_projection_packed _inner_dropout _inner_pad _interploate_ext_make_tuple
            _interpolate_ext_scale_factor_convert_size linear
            multi_head_attention_forward"""
    },
)

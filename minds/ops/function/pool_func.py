"""Pooling under MindSpore's names."""

from __future__ import annotations

import math

from ...base import dtype as dt
from ...base.errors import expect
from ...base.limits import check_memory
from ..conv import pads_of
from ..define import P
from ..faces import face
from ..rules import pair_of
from .windows import ceiled, region_max


def _pool_windows(x, kernel_size, stride, padding, dilation, ceil_mode):
    kernel = pair_of(kernel_size, "kernel_size")
    stride = kernel if stride is None else pair_of(stride, "stride")
    dilation = pair_of(dilation, "dilation")
    top, bottom, left, right = pads_of(padding)
    if ceil_mode:
        bottom = ceiled(x.shape[-2], kernel[0], stride[0], top, bottom, dilation[0])
        right = ceiled(x.shape[-1], kernel[1], stride[1], left, right, dilation[1])
    return kernel, stride, (top, bottom, left, right), dilation


def _batched(x):
    """``x`` as NCHW, and whether the batch dimension was added."""
    expect(len(x.shape) in (3, 4), "x", "of rank 3 or 4 (NCHW)", got=x.shape)
    return (P.reshape(x, (1,) + x.shape), True) if len(x.shape) == 3 else (x, False)


def max_pool2d(
    x, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False
):
    """The maximum in each window.

    Args:
        x (Tensor[(N, C, H, W), float]): the images, or one without N.
        kernel_size (int, tuple[int]): height and width of the window.
        stride (int, tuple[int]): its step. Default: ``kernel_size``.
        padding (int, tuple[int]): how far windows may reach over the edges. Default: 0.
        dilation (int, tuple[int]): the distance of the window's elements. Default: 1.
        return_indices (bool): also return where the maxima were. Default: False.
        ceil_mode (bool): let the last windows reach over the end. Default: False.

    Returns:
        Tensor[(N, C, OH, OW)]; with ``return_indices`` a tuple with the positions in the plane,
        int64.

    Raises:
        TypeError: ``x`` is not floating point.
        ValueError: a window is larger than the padded image.

    Examples:
        >>> print(ops.max_pool2d(Tensor([[[[1.0, 2.0], [4.0, 3.0]]]]), 2))
        [[[[4.]]]]
    """
    x, single = _batched(x)
    out = P.max_pool2d(x, *_pool_windows(x, kernel_size, stride, padding, dilation, ceil_mode))
    parts = tuple(P.reshape(out[i], out[i].shape[1:]) if single else out[i] for i in (0, 1))
    return parts if return_indices else parts[0]


def avg_pool2d(
    input_x,
    kernel_size=1,
    stride=1,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=0,
):
    """The mean of each window.

    Args:
        input_x (Tensor[(N, C, H, W), float]): the images, or one without N.
        kernel_size (int, tuple[int]): height and width of the window. Default: 1.
        stride (int, tuple[int]): its step. Default: 1.
        padding (int, tuple[int]): zeros added around. Default: 0.
        ceil_mode (bool): let the last windows reach over the end. Default: False.
        count_include_pad (bool): whether these zeros count in the mean. Default: True.
        divisor_override (int): divide the sums by this instead. Default: 0 (do not).

    Returns:
        Tensor[(N, C, OH, OW)]: of the same dtype.

    Raises:
        TypeError: ``input_x`` is not floating point.
        ValueError: a window is larger than the padded image.

    Examples:
        >>> print(ops.avg_pool2d(Tensor([[[[1.0, 2.0], [4.0, 3.0]]]]), 2))
        [[[[2.5]]]]
    """
    x, single = _batched(input_x)
    kernel, stride, pads, _ = _pool_windows(x, kernel_size, stride, padding, 1, ceil_mode)
    if divisor_override:
        out = P.avg_pool2d(x, kernel, stride, pads, True) * (
            kernel[0] * kernel[1] / divisor_override
        )
    elif count_include_pad and ceil_mode and pads != pads_of(padding):
        # The zeros that were asked for count, those that only let a window end do not.
        asked = pads_of(padding)
        x = P.pad(x, ((0, 0), (0, 0), asked[:2], asked[2:]), 0)
        out = P.avg_pool2d(x, kernel, stride, (0, pads[1] - asked[1], 0, pads[3] - asked[3]), False)
    else:
        out = P.avg_pool2d(x, kernel, stride, pads, count_include_pad)
    return P.reshape(out, out.shape[1:]) if single else out


def _regions(size: int, out: int, dtype):
    """The (out, size) matrix whose row i averages the i-th of ``out`` regions, from floor(i n / m)
    to ceil((i
    + 1) n / m).
    """
    if type(size) is int and type(out) is int:
        check_memory(out * (24 + size * (2 + dtype.itemsize)), f"what divides {size} into {out}")
    i = P.reshape(P.arange(0, out, 1, dt.int64), (out, 1))
    first, last = P.floor_divide(i * size, out), P.floor_divide((i + 1) * size + (out - 1), out)
    at = P.reshape(P.arange(0, size, 1, dt.int64), (1, size))
    inside = P.logical_and(at >= first, at < last)
    return P.cast(inside, dtype) / P.cast(last - first, dtype)


def _target(output_size, x) -> tuple:
    shape = x.shape
    two = output_size if isinstance(output_size, (tuple, list)) else (output_size, output_size)
    sizes = tuple(n if o is None else o for o, n in zip(two, shape[-2:], strict=False))
    if all(type(n) is int for n in (*shape, *sizes)):
        check_memory(math.prod((*shape[:-2], *sizes)) * x.dtype.itemsize, "the result")
    return sizes


@face(
    mint="nn.functional.adaptive_avg_pool2d nn.AdaptiveAvgPool2d",
    cls="AdaptiveAvgPool2D(output_size)",
)
def adaptive_avg_pool2d(input, output_size):
    """The means of so many regions of nearly equal size.

    Args:
        input (Tensor[(N, C, H, W), float]): the images, or one without N.
        output_size (int, tuple[int]): height and width of the result; None keeps a size.

    Returns:
        ``Tensor[(N, C, *output_size)]``: of the same dtype.

    Raises:
        ValueError: ``input`` has a rank that does not fit.

    Examples:
        >>> print(ops.adaptive_avg_pool2d(Tensor([[[[1.0, 2.0], [4.0, 3.0]]]]), 1))
        [[[[2.5]]]]
    """
    x, single = _batched(input)
    (h, w), (oh, ow) = x.shape[2:], _target(output_size, x)
    if h % oh == 0 and w % ow == 0:
        out = P.avg_pool2d(x, (h // oh, w // ow), None, (0, 0, 0, 0), True)
    else:
        out = P.matmul(P.matmul(_regions(h, oh, x.dtype), x), _regions(w, ow, x.dtype), False, True)
    return P.reshape(out, out.shape[1:]) if single else out


@face(mint="nn.functional.adaptive_max_pool2d nn.AdaptiveMaxPool2d")
def adaptive_max_pool2d(input, output_size, return_indices=False):
    """The maxima of so many regions of nearly equal size.

    Args:
        input (Tensor[(N, C, H, W), float]): the images, or one without N.
        output_size (int, tuple[int]): height and width of the result; None keeps a size.
        return_indices (bool): also return where the maxima were. Default: False.

    Returns:
        ``Tensor[(N, C, *output_size)]``; with ``return_indices`` a tuple with the positions, int64.

    Raises:
        ValueError: ``input`` has a rank that does not fit.

    Examples:
        >>> print(ops.adaptive_max_pool2d(Tensor([[[[1.0, 2.0], [4.0, 3.0]]]]), 1))
        [[[[4.]]]]
    """
    (h, w), (oh, ow) = input.shape[-2:], _target(output_size, input)
    if h % oh == 0 and w % ow == 0:
        return max_pool2d(input, (h // oh, w // ow), return_indices=return_indices)
    out, index = region_max(input, (oh, ow))
    return (out, index) if return_indices else out


def _on_rows(x):
    """``x`` of (N, C, L) or (C, L) as images of height 1."""
    expect(len(x.shape) in (2, 3), "input", "of rank 2 or 3", got=f"shape {x.shape}")
    return P.reshape(x, x.shape[:-1] + (1, x.shape[-1]))


def _off_rows(out):
    return P.reshape(out, out.shape[:-2] + out.shape[-1:])


def avg_pool1d(
    input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True
):
    """The mean of each window of (N, C, L). See `avg_pool2d`.

    Args:
        input_x (Tensor[(N, C, L), float]): the signals.
        kernel_size (int): the size of windows. Default: 1.
        stride (int): their distance. Default: 1.
        padding (int): zeros on both sides. Default: 0.
        ceil_mode (bool): windows may go beyond the end. Default: False.
        count_include_pad (bool): padding counts as zeros. Default: True.

    Returns:
        Tensor[(N, C, L')]: the means.

    Raises:
        ValueError: ``input_x`` has a rank that does not fit.

    Examples:
        >>> print(ops.avg_pool1d(Tensor([[[1.0, 3.0]]]), 2))
        [[[2.]]]
    """
    kernel, step, pad = (
        v[0] if isinstance(v, tuple) else v for v in (kernel_size, stride, padding)
    )
    return _off_rows(
        avg_pool2d(
            _on_rows(input_x),
            (1, kernel),
            (1, step),
            (0, 0, pad, pad),
            ceil_mode,
            count_include_pad,
        )
    )


@face(mint="nn.functional.adaptive_avg_pool1d nn.AdaptiveAvgPool1d")
def adaptive_avg_pool1d(input, output_size):
    """The means of so many regions of (N, C, L). See `adaptive_avg_pool2d`.

    Args:
        input (Tensor[(N, C, L), float]): the signals.
        output_size (int): how many regions.

    Returns:
        Tensor[(N, C, output_size)]: the means.

    Raises:
        ValueError: ``input`` has a rank that does not fit.

    Examples:
        >>> print(ops.adaptive_avg_pool1d(Tensor([[[1.0, 3.0]]]), 1))
        [[[2.]]]
    """
    size = output_size[0] if isinstance(output_size, (tuple, list)) else output_size
    return _off_rows(adaptive_avg_pool2d(_on_rows(input), (1, size)))


@face(mint="nn.functional.adaptive_max_pool1d nn.AdaptiveMaxPool1d")
def adaptive_max_pool1d(input, output_size, return_indices=False):
    """The maxima of so many regions of (N, C, L). See `adaptive_max_pool2d`.

    Args:
        input (Tensor[(N, C, L), float]): the signals.
        output_size (int): how many regions.
        return_indices (bool): give positions too. Default: False.

    Returns:
        Tensor or tuple[Tensor]: the maxima, and with ``return_indices`` where they were.

    Raises:
        ValueError: ``input`` has a rank that does not fit.

    Examples:
        >>> print(ops.adaptive_max_pool1d(Tensor([[[1.0, 3.0]]]), 1))
        [[[3.]]]
    """
    size = output_size[0] if isinstance(output_size, (tuple, list)) else output_size
    out = adaptive_max_pool2d(_on_rows(input), (1, size), return_indices)
    return tuple(_off_rows(v) for v in out) if return_indices else _off_rows(out)


def lp_pool2d(x, norm_type, kernel_size, stride=None, ceil_mode=False):
    r"""The power average of each window, :math:`(\sum x^p)^{1/p}`.

    Args:
        x (Tensor[(N, C, H, W), float]): the images, or one without N.
        norm_type (float): the power p, not 0.
        kernel_size (int, tuple[int]): height and width of the window.
        stride (int, tuple[int]): its step. Default: ``kernel_size``.
        ceil_mode (bool): let the last windows reach over the end. Default: False.

    Returns:
        Tensor[(N, C, OH, OW)]: of the same dtype.

    Raises:
        TypeError: ``x`` is not a Tensor.

    Examples:
        >>> print(ops.lp_pool2d(Tensor([[[[3.0, 4.0]]]]), 2.0, (1, 2)))
        [[[[5.]]]]
    """
    kernel = pair_of(kernel_size, "kernel_size")
    power = float(norm_type)
    mean = avg_pool2d(P.pow(x, power), kernel, kernel if stride is None else stride, 0, ceil_mode)
    total = mean * (kernel[0] * kernel[1])
    return P.pow(P.sign(total) * P.relu(P.abs(total)), 1.0 / power)


def lp_pool1d(x, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The power average of each window of (N, C, L). See `lp_pool2d`.

    Args:
        x (Tensor[(N, C, L) or (C, L), float]): the signals.
        norm_type (number): which power.
        kernel_size (int): the size of windows.
        stride (int): their distance. Default: None, which is ``kernel_size``.
        ceil_mode (bool): windows may go beyond the end. Default: False.

    Returns:
        Tensor: of one value for each window.

    Raises:
        ValueError: ``x`` has a rank that does not fit.

    Examples:
        >>> print(ops.lp_pool1d(Tensor([[[3.0, 4.0]]]), 2.0, 2))
        [[[5.]]]
    """
    step = kernel_size if stride is None else stride
    return _off_rows(lp_pool2d(_on_rows(x), norm_type, (1, kernel_size), (1, step), ceil_mode))

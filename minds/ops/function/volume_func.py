"""Convolution and pooling of volumes (N, C, D, H, W), composed of the two-dimensional primitives;
pools whose regions
are unequal or drawn at random; and what undoes a pool."""

from __future__ import annotations

import math

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...tensor import Tensor
from ..conv import pads_of
from ..define import P
from ..faces import face
from ..rules import pair_of
from .common import as_tensor
from .gather_func import tensor_scatter_elements
from .random_func import rand
from .windows import (
    both_sides,
    ceiled_pads,
    convolve_volume,
    convolve_volume_back,
    edges_of,
    largest,
    max_volume,
    mean_volume,
    region_max,
    same_pads,
    triple_of,
)


def conv3d(input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    """Three-dimensional convolution (cross-correlation).

    Args:
        input (Tensor[(N, C, D, H, W), float]): the volumes.
        weight (Tensor[(O, C / groups, KD, KH, KW), float]): the weights.
        bias (Tensor[(O,), float]): added to each channel. Default: None.
        stride (int, tuple[int]): the step of the window. Default: 1.
        pad_mode (str): ``"valid"``, ``"same"`` or ``"pad"``, as in `conv2d`. Default: ``"valid"``.
        padding (int, tuple[int]): with ``"pad"``, zeros on both sides of each dimension. Default:
            0.
        dilation (int, tuple[int]): the distance of the window's elements. Default: 1.
        groups (int): into how many independent parts the channels are divided. Default: 1.

    Returns:
        Tensor[(N, O, OD, OH, OW)]: of the common dtype.

    Raises:
        ValueError: shapes do not fit, or the window is larger than the padded volume.

    Examples:
        >>> print(ops.conv3d(ops.ones((1, 1, 2, 2, 2)), ops.ones((1, 1, 2, 2, 2))))
        [[[[[8.]]]]]
    """
    expect(
        pad_mode in ("valid", "same", "pad"),
        "pad_mode",
        "'valid', 'same' or 'pad'",
        got=repr(pad_mode),
    )
    stride, dilation = triple_of(stride, "stride"), triple_of(dilation, "dilation")
    pads = both_sides(padding)
    if pad_mode == "same":
        pads = same_pads(input.shape[2:], weight.shape[2:], stride, dilation)
    out = convolve_volume(input, weight, stride, pads, dilation, groups)
    return out if bias is None else out + P.reshape(bias, (1, -1, 1, 1, 1))


def conv3d_transpose(
    inputs, weight, pad_mode="valid", padding=0, stride=1, dilation=1, group=1, output_padding=0
):
    """Three-dimensional transposed convolution, without bias.

    Args:
        inputs (Tensor[(N, C, D, H, W), float]): the volumes.
        weight (Tensor[(C, O / group, KD, KH, KW), float]): the weights.
        pad_mode, padding, stride, dilation, group (str, int, tuple[int]): as in `conv3d`.
        output_padding (int, tuple[int]): sizes added at the ends. Default: 0.

    Returns:
        Tensor[(N, O, D', H', W'), float]: the gradient of a convolution with respect to its
            volumes.

    Raises:
        ValueError: the shape of ``weight`` does not fit ``inputs``.

    Examples:
        >>> ops.conv3d_transpose(ops.ones((1, 1, 2, 2, 2)), ops.ones((1, 1, 3, 3, 3)), stride=2).shape
        (1, 1, 5, 5, 5)
    """
    stride, dilation = triple_of(stride, "stride"), triple_of(dilation, "dilation")
    pads, more = both_sides(padding), triple_of(output_padding, "output_padding")
    if pad_mode == "same":
        pads = same_pads(
            [n * s for n, s in zip(inputs.shape[2:], stride, strict=True)],
            weight.shape[2:],
            stride,
            dilation,
        )
    return convolve_volume_back(inputs, weight, stride, pads, dilation, group, more)


@face(mint="nn.functional.conv_transpose2d")
def conv_transpose2d(
    input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    """Two-dimensional transposed convolution: the gradient of `conv2d` with respect to its images.

    Args:
        input (Tensor[(N, C, H, W), float]): the images, or one without N.
        weight (Tensor[(C, O / groups, KH, KW), float]): the weights.
        bias (Tensor[(O,), float]): added to each channel. Default: None.
        stride, padding, groups, dilation (int, tuple[int]): as in `conv2d`.
        output_padding (int, tuple[int]): sizes added at the ends. Default: 0.

    Returns:
        Tensor[(N, O, OH, OW)]: with OH = (H - 1) stride - 2 padding + dilation (KH - 1) +
        output_padding + 1.

    Raises:
        ValueError: the shape of ``weight`` does not fit ``input``.

    Examples:
        >>> ops.conv_transpose2d(ops.ones((1, 1, 2, 2)), ops.ones((1, 1, 3, 3)), stride=2).shape
        (1, 1, 5, 5)
    """
    x = P.reshape(input, (1,) + input.shape) if len(input.shape) == 3 else input
    stride, dilation = pair_of(stride, "stride"), pair_of(dilation, "dilation")
    pads, more = pads_of(padding), pair_of(output_padding, "output_padding", 0)
    size = tuple(
        (n - 1) * s + (k - 1) * d + 1 - pads[2 * i] - pads[2 * i + 1] + m
        for i, (n, s, k, d, m) in enumerate(
            zip(x.shape[2:], stride, weight.shape[2:], dilation, more, strict=True)
        )
    )
    out = P.conv2d_dx(
        x, weight, (x.shape[0], weight.shape[1] * groups) + size, stride, pads, dilation, groups
    )
    out = out if bias is None else out + P.reshape(bias, (1, -1, 1, 1))
    return P.reshape(out, out.shape[1:]) if len(input.shape) == 3 else out


# ---- pools


def max_pool3d(
    x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """The maximum in each window of (N, C, D, H, W) or (C, D, H, W).

    Args:
        x (Tensor[(N, C, D, H, W), float]): the volumes.
        kernel_size (int, tuple[int]): the window.
        stride (int, tuple[int]): its step. Default: ``kernel_size``.
        padding (int, tuple[int]): how far windows may reach over the edges. Default: 0.
        dilation (int, tuple[int]): the distance of the window's elements. Default: 1.
        ceil_mode (bool): let the last windows reach over the end. Default: False.
        return_indices (bool): also return where in its volume each maximum is. Default: False.

    Returns:
        Tensor[(N, C, OD, OH, OW)]; with ``return_indices`` a tuple with the positions, int64.

    Raises:
        ValueError: ``x`` has a rank that does not fit.

    Examples:
        >>> print(ops.max_pool3d(ops.reshape(ops.arange(8.0), (1, 1, 2, 2, 2)), 2))
        [[[[[7.]]]]]
    """
    kernel, dilation = triple_of(kernel_size, "kernel_size"), triple_of(dilation, "dilation")
    step = kernel if stride is None else triple_of(stride, "stride")
    pads = both_sides(padding)
    if ceil_mode:
        pads = ceiled_pads(x.shape[-3:], kernel, step, pads, dilation)
    out, index = max_volume(x, kernel, step, pads, dilation)
    return (out, index) if return_indices else out


def avg_pool3d(
    input_x,
    kernel_size=1,
    stride=1,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=0,
):
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W).

    Args:
        input_x (Tensor[(N, C, D, H, W), float]): the volumes.
        kernel_size, stride, padding, ceil_mode (int, tuple[int], bool): as in `max_pool3d`.
        count_include_pad (bool): whether padding counts as zeros. Default: True.
        divisor_override (int): divides the sum instead of the window's size, unless 0. Default: 0.

    Returns:
        Tensor[(N, C, OD, OH, OW)]: of the same dtype.

    Raises:
        ValueError: ``input_x`` has a rank that does not fit.

    Examples:
        >>> print(ops.avg_pool3d(ops.reshape(ops.arange(8.0), (1, 1, 2, 2, 2)), 2))
        [[[[[3.5]]]]]
    """
    kernel, step = triple_of(kernel_size, "kernel_size"), triple_of(stride, "stride")
    pads = both_sides(padding)
    return mean_volume(input_x, kernel, step, pads, count_include_pad, ceil_mode, divisor_override)


def _sizes(output_size, shape: tuple, rank: int) -> tuple:
    given = (
        (output_size,) * rank
        if isinstance(output_size, int) or output_size is None
        else tuple(output_size)
    )
    return tuple(
        n if o is None or o == -1 else o for o, n in zip(given, shape[-rank:], strict=True)
    )


@face(
    cls="AdaptiveAvgPool3D(output_size)",
    mint="nn.functional.adaptive_avg_pool3d nn.AdaptiveAvgPool3d",
)
def adaptive_avg_pool3d(input, output_size):
    """The means of so many regions of (N, C, D, H, W). See `adaptive_avg_pool2d`.

    Args:
        input (Tensor[(N, C, D, H, W), float]): the volumes.
        output_size (int, tuple[int]): how many regions.

    Returns:
        Tensor: of those sizes.

    Raises:
        ValueError: ``input`` has a rank that does not fit.

    Examples:
        >>> print(ops.adaptive_avg_pool3d(ops.reshape(ops.arange(8.0), (1, 1, 2, 2, 2)), 1))
        [[[[[3.5]]]]]
    """
    out = input
    for i, (n, o) in enumerate(
        zip(input.shape[-3:], _sizes(output_size, input.shape, 3), strict=True)
    ):
        if n != o:
            regions = list(edges_of(n, o))
            mean = np.zeros((n, o))
            for j, (a, b) in enumerate(regions):
                mean[a:b, j] = 1 / (b - a)
            axes = tuple(k for k in range(len(out.shape)) if k != len(out.shape) - 3 + i) + (
                len(out.shape) - 3 + i,
            )
            back = tuple(np.argsort(axes).tolist())
            out = P.transpose(
                P.matmul(P.transpose(out, axes), P.cast(Tensor(mean), out.dtype)), back
            )
    return out


def adaptive_max_pool3d(input, output_size, return_indices=False):
    """The maxima of so many regions of (N, C, D, H, W). See `adaptive_max_pool2d`.

    Args:
        input (Tensor[(N, C, D, H, W), float]): the volumes.
        output_size (int, tuple[int]): how many regions.
        return_indices (bool): give positions too. Default: False.

    Returns:
        Tensor or tuple[Tensor]: the maxima, and with ``return_indices`` where they were.

    Raises:
        ValueError: ``input`` has a rank that does not fit.

    Examples:
        >>> print(ops.adaptive_max_pool3d(ops.reshape(ops.arange(8.0), (1, 1, 2, 2, 2)), 1))
        [[[[[7.]]]]]
    """
    out, index = region_max(input, _sizes(output_size, input.shape, 3))
    return (out, P.cast(index, dt.int32)) if return_indices else out


def _drawn(samples, size: int, out: int, kernel: int):
    """Where windows begin whose distances vary around (size - kernel) / (out - 1), after Graham,
    Fractional Max-Pooling, 2014; (N C, out) of samples (N C,) in [0, 1).
    """
    step = (size - kernel) / (out - 1) if out > 1 else 0.0
    u = P.reshape(samples, (-1, 1))
    i = P.reshape(P.arange(0, out, 1, dt.int64), (1, -1))
    start = P.floor((P.cast(i, u.dtype) + u) * step) - P.floor(u * step)
    return P.select(P.equal(i, out - 1), size - kernel, P.cast(start, dt.int64))


def _fractional(x, kernel: tuple, size: tuple, samples, order: tuple, return_indices):
    rank, sizes = len(kernel), _fractional_size(x.shape, *size, len(kernel))
    for n, o, k in zip(x.shape[-rank:], sizes, kernel, strict=True):
        expect(1 <= o <= n - k + 1, "output_size", f"from 1 to {n} - {k} + 1", got=o)
    count = math.prod(x.shape[:-rank])
    samples = rand(count, rank) if samples is None else P.reshape(as_tensor(samples), (-1, rank))
    samples = P.broadcast_to(samples, (count, rank)) if samples.shape[0] == 1 else samples
    places = 0
    for i, (n, o, k) in enumerate(zip(x.shape[-rank:], sizes, kernel, strict=True)):
        u = P.strided_slice(samples, (0, order[i]), (count, order[i] + 1), (1, 1))
        at = P.reshape(_drawn(u, n, o, k), (count, o, 1)) + P.reshape(
            P.arange(0, k, 1, dt.int64), (1, 1, k)
        )
        shape = [count] + [1] * (2 * rank)
        shape[1 + i], shape[1 + rank + i] = o, k
        places = places + P.reshape(at, tuple(shape)) * math.prod(
            x.shape[len(x.shape) - rank + i + 1 :]
        )
    places = P.reshape(places, (count, math.prod(sizes), math.prod(kernel)))
    out, index = largest(x, places, x.shape[:-rank] + tuple(sizes), rank)
    return (out, index) if return_indices else out


def _fractional_size(shape, output_size, output_ratio, rank) -> tuple:
    expect(
        (output_size is None) != (output_ratio is None),
        "output_size or output_ratio",
        "one of them",
        got=f"{output_size} and {output_ratio}",
    )
    if output_size is not None:
        return (pair_of if rank == 2 else triple_of)(output_size, "output_size")
    ratio = (output_ratio,) * rank if isinstance(output_ratio, float) else tuple(output_ratio)
    return tuple(int(n * r) for n, r in zip(shape[-rank:], ratio, strict=True))


def fractional_max_pool2d(
    input,
    kernel_size,
    output_size=None,
    output_ratio=None,
    return_indices=False,
    _random_samples=None,
):
    """The maxima of windows whose distances are drawn at random.

    Args:
        input (Tensor[(N, C, H, W), float]): the images, or one without N.
        kernel_size (int, tuple[int]): the window.
        output_size (int, tuple[int]): the size of the result, or
        output_ratio (float, tuple[float]): its ratio to the size of the images.
        return_indices (bool): also return where in its plane each maximum is. Default: False.
        _random_samples (Tensor[(N, C, 2), float]): numbers in [0, 1) to use instead of random ones.

    Returns:
        ``Tensor[(N, C, *output_size)]``; with ``return_indices`` a tuple with the positions, int64.

    Raises:
        ValueError: both or neither of ``output_size`` and ``output_ratio`` are given.

    Examples:
        >>> ops.fractional_max_pool2d(ops.ones((1, 1, 5, 5)), 2, output_size=(2, 3)).shape
        (1, 1, 2, 3)
    """
    kernel, size = pair_of(kernel_size, "kernel_size"), (output_size, output_ratio)
    return _fractional(input, kernel, size, _random_samples, (1, 0), return_indices)


def fractional_max_pool3d(
    input,
    kernel_size,
    output_size=None,
    output_ratio=None,
    return_indices=False,
    _random_samples=None,
):
    """The maxima of windows whose distances are drawn at random, in (N, C, D, H, W). See
    `fractional_max_pool2d`.

    Args:
        input (Tensor[(N, C, D, H, W), float]): the volumes.
        kernel_size (int, tuple[int]): the sizes of windows.
        output_size (int, tuple[int]): how many windows. Default: None.
        output_ratio (float, tuple[float]): their number as a share of the sizes, instead. Default:
            None.
        return_indices (bool): give positions too. Default: False.

    Returns:
        Tensor or tuple[Tensor]: the maxima, and with ``return_indices`` where they were.

    Raises:
        ValueError: ``input`` has a rank that does not fit.

    Examples:
        >>> ops.fractional_max_pool3d(ops.ones((1, 1, 5, 5, 5)), 2, output_size=(2, 3, 3)).shape
        (1, 1, 2, 3, 3)
    """
    kernel, size = triple_of(kernel_size, "kernel_size"), (output_size, output_ratio)
    return _fractional(input, kernel, size, _random_samples, (0, 1, 2), return_indices)


def _unpooled(x, indices, rank, kernel_size, stride, padding, output_size, name):
    def several(v):
        return (v,) * rank if isinstance(v, int) else tuple(v)

    kernel = several(kernel_size)
    step = kernel if stride is None or stride == 0 else several(stride)
    size = tuple(
        (n - 1) * s - 2 * p + k
        for n, s, p, k in zip(x.shape[-rank:], step, several(padding), kernel, strict=True)
    )
    if output_size:
        expect(isinstance(output_size, (tuple, list)), "output_size", "a tuple of ints", TypeError)
        wanted = tuple(output_size)[-rank:]
        expect(
            all(n - s < w < n + s for n, s, w in zip(size, step, wanted, strict=True)),
            f"{name}: output_size",
            f"within a stride of {size}",
            got=wanted,
        )
        size = wanted
    lead = x.shape[:-rank]
    flat, index = (P.reshape(v, (math.prod(lead), -1)) for v in (x, indices))
    zeros = P.full((math.prod(lead), math.prod(size)), 0, x.dtype)
    return P.reshape(tensor_scatter_elements(zeros, index, flat, 1), lead + size)


def max_unpool1d(x, indices, kernel_size, stride=None, padding=0, output_size=None):
    """The maxima of a pool of (N, C, L) at their places, zeros elsewhere. See `max_unpool2d`.

    Args:
        x (Tensor[(N, C, L) or (C, L), number]): the maxima.
        indices (Tensor[any shape, int]): where each was.
        kernel_size (int, tuple[int]): of the pool.
        stride (int, tuple[int]): of the pool. Default: None, which is ``kernel_size``.
        padding (int, tuple[int]): of the pool. Default: 0.
        output_size (tuple[int]): the size of the result, where that is ambiguous. Default: None.

    Returns:
        Tensor: of the size before the pool.

    Raises:
        TypeError: ``indices`` is not a Tensor.
        ValueError: the shape of ``indices`` does not fit ``x``.

    Examples:
        >>> print(ops.max_unpool1d(Tensor([[[4.0]]]), Tensor([[[1]]]), 2))
        [[[0. 4.]]]
    """
    return _unpooled(x, indices, 1, kernel_size, stride, padding, output_size, "max_unpool1d")


def max_unpool2d(x, indices, kernel_size, stride=None, padding=0, output_size=None):
    """The maxima of a pool of (N, C, H, W) at their places, zeros elsewhere.

    Args:
        x (Tensor): the maxima.
        indices (Tensor): where in its plane each of them was.
        kernel_size, stride, padding (int, tuple[int]): of the pool; ``stride`` is ``kernel_size`` by default.
        output_size (tuple[int]): the size of the result, where that is ambiguous. Default: None.

    Returns:
        Tensor: of the size that was pooled.

    Raises:
        ValueError: ``output_size`` is further off than a stride.

    Examples:
        >>> print(ops.max_unpool2d(Tensor([[[[4.0]]]]), Tensor([[[[2]]]]), 2))
        [[[[0. 0.]
           [4. 0.]]]]
    """
    return _unpooled(x, indices, 2, kernel_size, stride, padding, output_size, "max_unpool2d")


def max_unpool3d(x, indices, kernel_size, stride=None, padding=0, output_size=None):
    """The maxima of a pool of (N, C, D, H, W) at their places, zeros elsewhere. See `max_unpool2d`.

    Args:
        x (Tensor[(N, C, D, H, W) or (C, D, H, W), number]): the maxima.
        indices (Tensor[any shape, int]): where each was.
        kernel_size (int, tuple[int]): of the pool.
        stride (int, tuple[int]): of the pool. Default: None, which is ``kernel_size``.
        padding (int, tuple[int]): of the pool. Default: 0.
        output_size (tuple[int]): the size of the result, where that is ambiguous. Default: None.

    Returns:
        Tensor: of the size before the pool.

    Raises:
        TypeError: ``indices`` is not a Tensor.
        ValueError: the shape of ``indices`` does not fit ``x``.

    Examples:
        >>> ops.max_unpool3d(ops.ones((1, 1, 1, 1, 1)), ops.zeros((1, 1, 1, 1, 1), ms.int64), 2).shape
        (1, 1, 2, 2, 2)
    """
    return _unpooled(x, indices, 3, kernel_size, stride, padding, output_size, "max_unpool3d")


@face(cls="LRN(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS')")
def lrn(x, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"):
    r"""Local response normalisation, :math:`x_c / (b + \alpha \sum_{|i - c| \le r} x_i^2)^\beta`.

    Args:
        x (Tensor[(N, C, H, W), float]): the images.
        depth_radius (int): how many channels on each side are summed. Default: 5.
        bias, alpha, beta (float): the constants of the formula.
        norm_region (str): ``"ACROSS_CHANNELS"``.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: ``x`` has a rank that does not fit.

    Examples:
        >>> print(ops.lrn(Tensor([[[[1.0]], [[2.0]]]]), depth_radius=1).asnumpy().ravel().round(3))
        [0.408 0.816]
    """
    expect(
        norm_region == "ACROSS_CHANNELS", "norm_region", "'ACROSS_CHANNELS'", got=repr(norm_region)
    )
    n, c, h, w = x.shape
    width = 2 * depth_radius + 1
    mean = P.avg_pool2d(
        P.reshape(P.square(x), (n, 1, c, h * w)),
        (width, 1),
        (1, 1),
        (depth_radius, depth_radius, 0, 0),
        True,
    )
    return x / P.pow(P.reshape(mean, x.shape) * (alpha * width) + bias, beta)

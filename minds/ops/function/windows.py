"""What convolutions and pools with windows share: sizes and paddings, volumes by planes, regions of
unequal size.

Pooling of volumes separates: first over planes, then over the depth. A convolution gathers the
slices that a window spans into the channels, and is then one two-dimensional convolution over all
windows.
"""

from __future__ import annotations

import math

import numpy as np

from ...base.errors import expect
from ...base.limits import times
from ...tensor import Tensor
from ..define import P


def ceiled(size: int, kernel: int, stride: int, low: int, high: int, dilation: int) -> int:
    """How much further a window may reach at the end with ceil_mode; it must start inside or in the
    padding before.
    """
    reach = (kernel - 1) * dilation + 1
    n = -(-(size + low + high - reach) // stride)
    if n * stride >= size + low:
        n -= 1
    return max(n * stride + reach - size - low, high)


def ceiled_pads(sizes, kernel, stride, pads, dilation) -> tuple:
    """``pads``, two of each dimension, with those at the ends as far as ceil_mode lets windows reach."""
    ends = [
        ceiled(n, kernel[i], stride[i], pads[2 * i], pads[2 * i + 1], dilation[i])
        for i, n in enumerate(sizes)
    ]
    return tuple(p for low, high in zip(pads[::2], ends, strict=True) for p in (low, high))


def edges_of(size: int, out: int) -> list:
    """The first and last position of each of ``out`` regions of nearly equal size."""
    regions = times(out, "output_size", 100_000)
    return [(i * size // out, -(-(i + 1) * size // out)) for i in regions]


def region_max(x, sizes: tuple) -> tuple:
    """The maxima of so many regions of nearly equal size of the last dimensions, and where they
    are.
    """
    rank, whole = len(sizes), x.shape[-len(sizes) :]
    places = np.zeros((1,) * (2 * rank), np.int64)
    for i, (n, o) in enumerate(zip(whole, sizes, strict=True)):
        edges = edges_of(n, o)
        widest = max(b - a for a, b in edges)
        # A region that is narrower repeats its last position, which does not change its maximum.
        at = np.array([[min(a + j, b - 1) for j in range(widest)] for a, b in edges])
        shape = [1] * (2 * rank)
        shape[i], shape[rank + i] = at.shape
        places = places + at.reshape(shape) * math.prod(whole[i + 1 :])
    return largest(x, Tensor(places.reshape(math.prod(sizes), -1)), x.shape[:-rank] + sizes, rank)


def largest(x, places, shape: tuple, rank: int) -> tuple:
    """The largest elements at ``places`` (..., windows, candidates) of the last ``rank``
    dimensions.
    """
    flat = P.reshape(x, (-1, math.prod(x.shape[-rank:])))
    places = P.broadcast_to(places, (flat.shape[0],) + places.shape[-2:])
    seen = P.reshape(P.gather_d(flat, 1, P.reshape(places, (flat.shape[0], -1))), places.shape)
    best = P.argmax(seen, 2, True)
    return P.reshape(P.gather_d(seen, 2, best), shape), P.reshape(
        P.gather_d(places, 2, best), shape
    )


def triple_of(value, name: str) -> tuple:
    """``value`` or three times ``value``, as three ints.

    Raises:
        TypeError: it is neither an int nor three of them.
    """
    three = (value,) * 3 if isinstance(value, (int, float)) else tuple(value)
    three = tuple(int(n) for n in three[-3:])
    expect(len(three) == 3, name, "an int or three ints", TypeError, got=repr(value))
    return three


def both_sides(padding) -> tuple:
    """``padding`` (an int, three or six of them) as (front, back, top, bottom, left, right)."""
    six = (padding,) * 6 if isinstance(padding, int) else tuple(padding)
    return tuple(p for p in six for _ in range(2)) if len(six) == 3 else six


def same_pads(sizes, kernel, stride, dilation) -> tuple:
    """The six paddings with which a window gives ceil(size / stride) results; the odd one is
    behind.
    """
    pads = ()
    for n, k, s, d in zip(sizes, kernel, stride, dilation, strict=True):
        need = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
        pads += (need // 2, need - need // 2)
    return pads


def convolve_volume(x, weight, stride: tuple, pads: tuple, dilation: tuple, group: int = 1):
    """The cross-correlation of volumes with weights (O, C / group, KD, KH, KW)."""
    (kd, kh, kw), (sd, sh, sw), (dd, dh, dw) = weight.shape[2:], stride, dilation
    if pads[0] or pads[1]:
        x = P.pad(x, ((0, 0), (0, 0), pads[:2], (0, 0), (0, 0)), 0)
    n, c, d, h, w = x.shape
    depth = (d - (kd - 1) * dd - 1) // sd + 1
    expect(
        depth > 0,
        "the kernel's depth",
        f"at most that of the padded volume, {d}",
        got=(kd - 1) * dd + 1,
    )
    slices = [
        P.reshape(
            P.strided_slice(
                x,
                (0, 0, i * dd, 0, 0),
                (n, c, i * dd + (depth - 1) * sd + 1, h, w),
                (1, 1, sd, 1, 1),
            ),
            (n, c, 1, depth, h, w),
        )
        for i in range(kd)
    ]
    # (N, C, kd, depth, H, W) → one image of C·kd channels for each sample and window.
    seen = P.transpose(P.concat(tuple(slices), 2), (0, 3, 1, 2, 4, 5))
    flat = P.reshape(weight, (weight.shape[0], -1, kh, kw))
    out = P.conv2d(
        P.reshape(seen, (n * depth, c * kd, h, w)), flat, (sh, sw), pads[2:], (dh, dw), group
    )
    return P.transpose(P.reshape(out, (n, depth) + out.shape[1:]), (0, 2, 1, 3, 4))


def convolve_volume_back(
    x, weight, stride: tuple, pads: tuple, dilation: tuple, group: int = 1, more: tuple = (0, 0, 0)
):
    """The transposed convolution of volumes with weights (C, O / group, KD, KH, KW): each depth of
    the kernel is one transposed convolution of planes, laid where it belongs and summed. ``more``
    sizes are added at the ends.
    """
    n, c, d, h, w = x.shape
    sizes = [
        (m - 1) * s + (k - 1) * e + 1 - pads[2 * i] - pads[2 * i + 1] + a
        for i, (m, s, k, e, a) in enumerate(
            zip((d, h, w), stride, weight.shape[2:], dilation, more, strict=True)
        )
    ]
    planes = P.reshape(P.transpose(x, (0, 2, 1, 3, 4)), (n * d, c, h, w))
    whole = (d - 1) * stride[0] + (weight.shape[2] - 1) * dilation[0] + 1
    shape = (n * d, weight.shape[1] * group, sizes[1], sizes[2])
    total = 0
    for i in range(weight.shape[2]):
        tap = P.reshape(
            P.strided_slice(
                weight, (0, 0, i, 0, 0), weight.shape[:2] + (i + 1,) + weight.shape[3:], (1,) * 5
            ),
            weight.shape[:2] + weight.shape[3:],
        )
        y = P.conv2d_dx(planes, tap, shape, stride[1:], pads[2:], dilation[1:], group)
        y = P.transpose(P.reshape(y, (n, d) + shape[1:]), (0, 2, 1, 3, 4))
        if stride[0] > 1:
            y = P.pad(
                P.reshape(y, (n, shape[1], d, 1) + shape[2:]),
                ((0, 0),) * 3 + ((0, stride[0] - 1),) + ((0, 0),) * 2,
                0,
            )
            y = P.reshape(y, (n, shape[1], d * stride[0]) + shape[2:])
            y = P.strided_slice(
                y, (0,) * 5, (n, shape[1], (d - 1) * stride[0] + 1) + shape[2:], (1,) * 5
            )
        low = i * dilation[0]
        total = total + P.pad(
            y, ((0, 0), (0, 0), (low, whole - low - y.shape[2]), (0, 0), (0, 0)), 0
        )
    if more[0]:
        total = P.pad(total, ((0, 0), (0, 0), (0, more[0]), (0, 0), (0, 0)), 0)
    end = (n, shape[1], pads[0] + sizes[0]) + shape[2:]
    return P.strided_slice(total, (0, 0, pads[0], 0, 0), end, (1,) * 5)


def max_volume(x, kernel: tuple, stride: tuple, pads: tuple, dilation: tuple) -> tuple:
    """The largest element of each window of (..., D, H, W), and where in its volume it is."""
    lead, (d, h, w) = x.shape[:-3], x.shape[-3:]
    planes, place = P.max_pool2d(
        P.reshape(x, (-1, d, h, w)), kernel[1:], stride[1:], pads[2:], dilation[1:]
    )
    size = planes.shape[2:]
    lines = P.reshape(planes, (-1, 1, d, size[0] * size[1]))
    out, which = P.max_pool2d(
        lines, (kernel[0], 1), (stride[0], 1), pads[:2] + (0, 0), (dilation[0], 1)
    )
    shape, area = lead + (out.shape[2],) + size, size[0] * size[1]
    flat = P.reshape(which, (which.shape[0], -1))
    within = P.gather_d(P.reshape(place, (flat.shape[0], -1)), 1, flat)
    index = P.floor_divide(flat, area) * (h * w) + within
    return P.reshape(out, shape), P.reshape(index, shape)


def mean_volume(
    x, kernel: tuple, stride: tuple, pads: tuple, counted: bool, ceil: bool, divisor: int | None
):
    """The mean of each window of (..., D, H, W); padding is among the ``counted``, or not. With ``ceil``
    windows may reach over the end, where nothing counts. A ``divisor`` stands for the count.
    """
    reach = ceiled_pads(x.shape[-3:], kernel, stride, pads, (1, 1, 1)) if ceil else pads
    if divisor:
        return mean_volume(x, kernel, stride, reach, True, False, None) * (
            math.prod(kernel) / divisor
        )
    if counted and reach != pads:
        pairs = ((0, 0),) * (len(x.shape) - 3) + (pads[:2], pads[2:4], pads[4:])
        x, counted = P.pad(x, pairs, 0), False
        reach = tuple(r - p for r, p in zip(reach, pads, strict=True))
    pads = reach
    lead, (d, h, w) = x.shape[:-3], x.shape[-3:]
    planes = P.avg_pool2d(P.reshape(x, (-1, d, h, w)), kernel[1:], stride[1:], pads[2:], counted)
    size = planes.shape[2:]
    lines = P.reshape(planes, (-1, 1, d, size[0] * size[1]))
    out = P.avg_pool2d(lines, (kernel[0], 1), (stride[0], 1), pads[:2] + (0, 0), counted)
    return P.reshape(out, lead + (out.shape[2],) + size)

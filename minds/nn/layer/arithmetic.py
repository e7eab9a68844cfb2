"""What the layers of which networks have most compute, as library code: a program that is compiled runs
it as it is instead of interpreting it again for each layer.
"""

from __future__ import annotations

from ... import ops
from ...ops.define import P


def affine(x, weight, bias):
    """:math:`x W^T + b` of the rows of ``x``, of rank 2; without a bias where it is None."""
    if x.ndim != 2:
        x = ops.reshape(x, (-1, x.shape[-1]))
    x = P.matmul(x, weight, transpose_b=True)
    return x if bias is None else x + bias


def convolve(x, weight, bias, stride, pads, dilation, group):
    """The convolution of ``x``, of shape (N, C, H, W); without a bias where it is None."""
    out = P.conv2d(x, weight, stride, pads, dilation, group)
    return out if bias is None else out + ops.reshape(bias, (1, -1, 1, 1))


def normalise_batch(x, gamma, beta, eps, mean, variance, keep, add):
    """Normalisation by the batch's own statistics. Of the moving averages ``mean`` and ``variance``
    the share ``keep`` stays, and of the batch's those in ``add`` are added.
    """
    out, now, var = P.batch_norm(x, gamma, beta, eps)
    ops.assign(mean, mean * keep + ops.stop_gradient(now) * add[0])
    ops.assign(variance, variance * keep + ops.stop_gradient(var) * add[1])
    return ops.cast(out, x.dtype)


def normalise_together(x, gamma, beta, eps, statistics, keep, ranks):
    """`normalise_batch` by the statistics of the batches of all ``ranks``. Of the moving averages the share
    ``keep[0]`` stays; the others are those of the mean and the variance that are added.
    """
    axes = (0, *range(2, x.ndim))
    wide = (1, x.shape[1], *[1] * (x.ndim - 2))
    count = len(ranks) * (x.size // x.shape[1])
    now = P.all_reduce(P.sum(x, axes, False), "sum", ranks) / count
    offset = x - P.reshape(now, wide)
    var = P.all_reduce(P.sum(offset * offset, axes, False), "sum", ranks) / count
    mean, variance = statistics
    ops.assign(mean, mean * keep[0] + ops.stop_gradient(now) * keep[1])
    ops.assign(variance, variance * keep[0] + ops.stop_gradient(var) * keep[2])
    scale = P.reshape(gamma * P.rsqrt(var + eps), wide)
    return ops.cast(offset * scale + P.reshape(beta, wide), x.dtype)

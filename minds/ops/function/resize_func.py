"""Resizing images and volumes: each dimension apart, as a product with the matrix of its weights."""

from __future__ import annotations

import math

import numpy as np

from ...base.errors import expect
from ...tensor import Tensor
from ..define import P

_RANK = {"linear": 3, "bilinear": 4, "trilinear": 5, "bicubic": 4}


def _places(n: int, m: int, scale: float | None, aligned: bool, half: bool):
    """Where the ``m`` new elements lie among the ``n`` old ones."""
    i = np.arange(m, dtype=np.float64)
    if aligned:
        return i * ((n - 1) / (m - 1) if m > 1 else 0.0)
    step = 1.0 / scale if scale else n / m
    return (i + 0.5) * step - 0.5 if half else i * step


def _weights(n: int, m: int, mode: str, scale: float | None, aligned: bool):
    """The (m, n) matrix that resizes a dimension."""
    w, rows = np.zeros((m, n)), np.arange(m)
    if mode in ("nearest", "nearest-exact"):
        exact = mode == "nearest-exact"
        at = np.floor(_places(n, m, scale, aligned, exact) + (0.5 if exact or aligned else 0.0))
        w[rows, np.clip(at, 0, n - 1).astype(int)] = 1
    elif mode == "area":
        for i in rows:
            first, last = i * n // m, -(-(i + 1) * n // m)
            w[i, first:last] = 1 / (last - first)
    elif mode == "bicubic":
        at = _places(n, m, scale, aligned, True)
        low = np.floor(at)
        for k in range(-1, 3):
            np.add.at(w, (rows, np.clip(low + k, 0, n - 1).astype(int)), _cubic(at - low - k))
    else:
        at = np.clip(_places(n, m, scale, aligned, True), 0, None)
        low = np.minimum(np.floor(at), n - 1).astype(int)
        part = np.minimum(at, n - 1) - low
        np.add.at(w, (rows, low), 1 - part)
        np.add.at(w, (rows, np.minimum(low + 1, n - 1)), part)
    return w


def _cubic(t, a: float = -0.75):
    """The kernel of cubic convolution (Keys, 1981)."""
    t = np.abs(t)
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = (((t - 5) * t + 8) * t - 4) * a
    return np.where(t <= 1, near, np.where(t < 2, far, 0.0))


def interpolate(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None
):
    """Signals, images or volumes in another size.

    Args:
        input (Tensor[(N, C, *sizes), float]): what to resize.
        size (int, tuple[int]): the new sizes. Default: from ``scale_factor``.
        scale_factor (float, tuple[float]): how many times larger each dimension becomes. Default: None.
        mode (str): ``"nearest"``, ``"nearest-exact"``, ``"linear"``, ``"bilinear"``, ``"trilinear"``,
            ``"bicubic"`` or ``"area"``. Default: ``"nearest"``.
        align_corners (bool): corners keep their values. Default: False.
        recompute_scale_factor (bool): take the scale from the sizes, which are whole. Default: False.

    Returns:
        Tensor[(N, C, *size)]: of the same dtype.

    Raises:
        ValueError: none or both of ``size`` and ``scale_factor`` are given, or ``mode`` does not fit the
            rank.

    Examples:
        >>> print(ops.interpolate(Tensor([[[1.0, 3.0]]]), size=4))
        [[[1. 1. 3. 3.]]]
    """
    rank = len(input.shape)
    expect(
        mode in (*_RANK, "nearest", "nearest-exact", "area"), "mode", "one of the seven modes", got=repr(mode)
    )
    expect(
        rank >= 3 and _RANK.get(mode, rank) == rank,
        "mode",
        f"one for a tensor of rank {rank}",
        got=repr(mode),
    )
    expect((size is None) != (scale_factor is None), "size and scale_factor", "given one, and not both")
    old = input.shape[2:]
    if size is not None:
        sizes = (size,) * len(old) if isinstance(size, int) else tuple(size)
        scales = (None,) * len(old)
    else:
        scales = (scale_factor,) * len(old) if isinstance(scale_factor, (int, float)) else tuple(scale_factor)
        sizes = tuple(math.floor(n * s) for n, s in zip(old, scales, strict=True))
        scales = (None,) * len(old) if recompute_scale_factor else scales
    expect(len(sizes) == len(old), "size", f"of {len(old)} numbers", got=sizes)
    out = input
    for d, (n, m, s) in enumerate(zip(old, sizes, scales, strict=True), 2):
        if n == m and not s:
            continue
        w = Tensor(_weights(n, m, mode, s, bool(align_corners)), input.dtype)
        perm = tuple(i for i in range(rank) if i != d) + (d,)
        back = tuple(range(d)) + (rank - 1,) + tuple(range(d, rank - 1))
        moved = out if d == rank - 1 else P.transpose(out, perm)
        moved = P.reshape(P.matmul(P.reshape(moved, (-1, n)), w, False, True), moved.shape[:-1] + (m,))
        out = moved if d == rank - 1 else P.transpose(moved, back)
    return out


def upsample(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None
):
    """See `interpolate`.

    Examples:
        >>> print(ops.upsample(Tensor([[[1.0, 3.0]]]), scale_factor=2.0))
        [[[1. 1. 3. 3.]]]
    """
    return interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)

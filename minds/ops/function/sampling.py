"""Sampling of images and volumes between their elements."""

from __future__ import annotations

import math

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...tensor import Tensor
from ..define import P
from .array_func import expand_dims


def taps_of(at, mode: str, size: int) -> list:
    """(position, weight) pairs of one dimension whose weighted sum samples at ``at``; positions may
    lie outside.
    """
    if mode == "nearest":
        return [(P.round(at), None)]
    low = P.floor(at)
    part = at - low
    if mode == "bilinear":
        return [(low, 1 - part), (low + 1, part)]
    a = -0.75  # cubic convolution (Keys, 1981)

    def near(t):
        return ((a + 2) * t - (a + 3)) * t * t + 1

    def far(t):
        return (((t - 5) * t + 8) * t - 4) * a

    return [
        (low - 1, far(part + 1)),
        (low, near(part)),
        (low + 1, near(1 - part)),
        (low + 2, far(2 - part)),
    ]


def sampled(flat, sizes: list, taps: list, outside: str, aligned: bool):
    """The weighted sums over all combinations of ``taps`` (one list per dimension) of (N, C,
    prod(sizes)); each place has the shape (N, ...).
    """
    shape = taps[0][0][0].shape
    total = 0
    todo = [(0, None, None, 0)]
    while todo:
        i, place, weight, inside = todo.pop()
        if i == len(taps):
            index = P.broadcast_to(
                P.reshape(P.cast(place, dt.int64), (shape[0], 1, -1)),
                flat.shape[:2] + (math.prod(shape[1:]),),
            )
            value = P.reshape(P.gather_d(flat, 2, index), flat.shape[:2] + shape[1:])
            if outside == "zeros":
                keep = P.cast(inside, flat.dtype)
                weight = keep if weight is None else weight * keep
            total = total + (value if weight is None else value * expand_dims(weight, 1))
            continue
        n = sizes[i]
        for at, w in taps[i]:
            at = reflected(at, n, aligned) if outside == "reflection" else at
            fits = P.logical_and(P.greater_equal(at, 0), P.less_equal(at, n - 1))
            where = P.maximum(P.minimum(at, n - 1), 0)
            todo.append(
                (
                    i + 1,
                    where if place is None else place * n + where,
                    w if weight is None else weight if w is None else weight * w,
                    fits if i == 0 else P.logical_and(inside, fits),
                )
            )
    return total


def reflected(at, n: int, aligned: bool):
    """``at`` mirrored at the centres of the outer elements, or at their edges."""
    if n == 1 and aligned:
        return at * 0
    low, span = (0.0, n - 1.0) if aligned else (-0.5, float(n))
    off = P.abs(at - low)
    turns = P.floor(off / span)
    extra = off - turns * span
    even = P.equal(turns - P.floor(turns * 0.5) * 2, 0)
    return P.maximum(P.minimum(P.select(even, extra + low, span - extra + low), n - 1), 0)


def bilinear(x, places: list):
    """Images (N, C, H, W) sampled at ``places`` (rows and columns, each (N, ...)), with zeros
    outside.
    """
    flat = P.reshape(x, x.shape[:2] + (-1,))
    return sampled(
        flat,
        list(x.shape[2:]),
        [taps_of(p, "bilinear", n) for p, n in zip(places, x.shape[2:], strict=True)],
        "zeros",
        False,
    )


def deformed(x, offsets, kernel, strides, padding, dilations, groups: int, modulated: bool):
    """(N, C, K, OH, OW): what the elements of a window see that are moved by ``offsets``, and times
    their weights. Parameters as in `deformable_conv2d`, of height and width alone.
    """
    (n, c, h, w), (kh, kw) = x.shape, kernel
    oh, ow = offsets.shape[2:]
    k = kh * kw
    moves = P.reshape(offsets, (n, -1, groups, k, oh, ow))
    base = []
    for axis, m in enumerate((oh, ow)):
        at = np.arange(m)[None, :] * strides[axis] - padding[2 * axis]
        at = at + np.arange(kernel[axis])[:, None] * dilations[axis]
        at = np.repeat(at, kw, 0) if axis == 0 else np.tile(at, (kh, 1))
        base.append(Tensor(at.reshape((k, oh, 1) if axis == 0 else (k, 1, ow)).astype(np.float32)))

    def part(i):
        one = P.strided_slice(moves, (0, i, 0, 0, 0, 0), (n, i + 1, groups, k, oh, ow), (1,) * 6)
        return P.reshape(one, (n * groups, k, oh, ow))

    places = [part(1) + base[0], part(0) + base[1]]
    seen = bilinear(P.reshape(x, (n * groups, c // groups, h, w)), places)
    seen = seen * expand_dims(part(2), 1) if modulated else seen
    return P.reshape(seen, (n, c, k, oh, ow))


# ---- resizing: each dimension apart, as a product with the matrix of its weights, or as what it chooses


def _places(n: int, m: int, scale: float | None, aligned: bool, half: bool):
    """Where the ``m`` new elements lie among the ``n`` old ones."""
    i = np.arange(m, dtype=np.float64)
    if aligned:
        return i * ((n - 1) / (m - 1) if m > 1 else 0.0)
    step = 1.0 / scale if scale else n / m
    return (i + 0.5) * step - 0.5 if half else i * step


def weights_of(n: int, m: int, mode: str, scale: float | None, aligned: bool, half: bool = True):
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
        at = _places(n, m, scale, aligned, half)
        low = np.floor(at)
        for k in range(-1, 3):
            np.add.at(w, (rows, np.clip(low + k, 0, n - 1).astype(int)), _cubic(at - low - k))
    else:
        at = np.clip(_places(n, m, scale, aligned, half), 0, None)
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


def _chosen(matrix):
    """The positions that a matrix chooses, if each row has a 1 and zeros. Elements that are not chosen
    have no part in the result then, whatever they are.
    """
    only = ((matrix != 0).sum(1) == 1).all() and (matrix.max(1, initial=0) == 1).all()
    return Tensor(matrix.argmax(1)) if only else None


def through(input, matrices: list):
    """Each dimension after the second times its matrix (m, n); None leaves it."""
    out, rank = input, len(input.shape)
    for d, matrix in enumerate(matrices, 2):
        if matrix is None:
            continue
        chosen = _chosen(matrix)
        if chosen is not None:
            out = P.gather(out, chosen, d)
            continue
        w, (m, n) = Tensor(matrix, input.dtype), matrix.shape
        perm = tuple(i for i in range(rank) if i != d) + (d,)
        back = tuple(range(d)) + (rank - 1,) + tuple(range(d, rank - 1))
        moved = out if d == rank - 1 else P.transpose(out, perm)
        moved = P.reshape(
            P.matmul(P.reshape(moved, (-1, n)), w, False, True), moved.shape[:-1] + (m,)
        )
        out = moved if d == rank - 1 else P.transpose(moved, back)
    return out


def resized(x, sizes: tuple, mode: str, aligned: bool, half: bool):
    """The dimensions of ``x`` after the second in other sizes; integers as float32, but for the nearest."""
    rank = len(sizes) + 2
    expect(
        len(x.shape) == rank, "x", f"of rank {rank}, for {len(sizes)} sizes", got=f"shape {x.shape}"
    )
    if not x.dtype.is_float and mode != "nearest":
        return resized(P.cast(x, dt.float32), sizes, mode, aligned, half)
    kind = "nearest-exact" if mode == "nearest" and half else mode
    return through(
        x,
        [
            None if n == m else weights_of(n, m, kind, None, aligned, half)
            for n, m in zip(x.shape[2:], sizes, strict=True)
        ],
    )

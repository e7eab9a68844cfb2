"""Resizing an image as two small matrices: one row of weights per output pixel and axis.

Pixel centres lie at half integers. Weights as in OpenCV: NEAREST takes the pixel at floor(i·scale),
LINEAR and CUBIC interpolate without smoothing when shrinking, AREA averages what a pixel covers.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ... import _core

KINDS = {"nearest": 0, "linear": 1, "cubic": 2, "area": 3, "pillow_cubic": 5}
"""Interpolations and their numbers in the core."""

_CUBIC_A = -0.75


def _cubic(t: np.ndarray) -> np.ndarray:
    """Keys' kernel. Source: R. Keys, Cubic convolution interpolation for digital image processing,
    1981.
    """
    t, a = np.abs(t), _CUBIC_A
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((t - 5) * t + 8) * t * a - 4 * a
    return np.where(t <= 1, near, np.where(t < 2, far, 0.0))


@lru_cache(maxsize=256)
def weights(old: int, new: int, kind: str) -> np.ndarray:
    """The matrix (new, old) whose rows are the weights of the old pixels."""
    scale, i, w = old / new, np.arange(new), np.zeros((new, old))
    if kind == "nearest":
        w[i, np.minimum((i * (1 / (new / old))).astype(int), old - 1)] = 1  # as OpenCV rounds it
        return w
    if kind == "area":
        begin, pixel = (i * scale)[:, None], np.arange(old)[None]
        overlap = np.minimum(begin + scale, pixel + 1) - np.maximum(begin, pixel)
        return np.clip(overlap, 0, None) / scale
    centre = (i + 0.5) * scale - 0.5
    base = np.floor(centre).astype(int)
    for tap in (0, 1) if kind == "linear" else (-1, 0, 1, 2):
        distance = centre - (base + tap)
        value = 1 - np.abs(distance) if kind == "linear" else _cubic(distance)
        np.add.at(w, (i, np.clip(base + tap, 0, old - 1)), value)
    return w


def resize(a: np.ndarray, height: int, width: int, kind: str) -> np.ndarray:
    """An image (H, W) or (H, W, C) in another size: bytes and 32-bit floats by the native core,
    others by matrices; integers are rounded to the nearest.
    """
    if a.dtype in (np.uint8, np.float32):
        to = np.empty((height, width, *a.shape[2:]), a.dtype)
        _core.resize_image(np.ascontiguousarray(a), KINDS[kind], to)
        return to
    if a.dtype == np.float16 or kind == "pillow_cubic":
        made = resize(a.astype(np.float32), height, width, kind)
        return (np.rint(made) if a.dtype.kind in "iu" else made).astype(a.dtype)
    rows, cols = weights(a.shape[0], height, kind), weights(a.shape[1], width, kind)
    if kind == "nearest":
        return np.ascontiguousarray(a[rows.argmax(1)][:, cols.argmax(1)])
    tall = (rows @ a.reshape(a.shape[0], -1)).reshape(height, *a.shape[1:])
    wide = tall @ cols.T if a.ndim == 2 else cols @ tall
    if a.dtype.kind in "iu":
        limits = np.iinfo(a.dtype)
        wide = np.clip(np.floor(wide + 0.5), limits.min, limits.max)
    return np.ascontiguousarray(wide.astype(a.dtype))

"""Pools whose windows follow a drawn sequence of bounds, as TensorFlow has them: images in NHWC."""

from __future__ import annotations

import math

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...ir.abstract import AbstractTensor, AbstractTuple
from ...tensor import Tensor
from ..define import P
from ..faces import primitive
from ..function.common import hosted, key_of


def _bounds(size: int, ratio: float, draws, pseudo: bool) -> np.ndarray:
    """Where the windows begin, and the end: steps are the ratio rounded down or up, in a random order
    or, with ``pseudo``, as a line of the slope of the ratio is rounded.
    """
    count = int(size / ratio)
    slope = size / count
    if pseudo:
        rest = count - 1
        most = min(
            (math.floor(slope) + 1 - 1e-6) / slope, (size - math.floor(slope)) / slope - rest
        )
        inner = np.ceil(slope * (np.arange(1, count) + draws[0] * max(min(most, 1), 0)))
        found = np.concatenate(
            [[0], np.minimum(inner, size - (count - np.arange(1, count))), [size]]
        )
        return found.astype(np.int64)
    low = math.floor(slope)
    steps = np.full(count, low, np.int64)
    steps[np.argsort(draws[:count], kind="stable")[: size - low * count]] += 1
    return np.concatenate([[0], np.cumsum(steps)])


def _windows(bounds, overlapping: bool, size: int) -> list[tuple]:
    return [
        (int(a), min(int(b) + overlapping, size))
        for a, b in zip(bounds[:-1], bounds[1:], strict=True)
    ]


def _each_window(rows, columns, overlapping, shape):
    for i, (a, b) in enumerate(_windows(rows, overlapping, shape[1])):
        for j, (c, d) in enumerate(_windows(columns, overlapping, shape[2])):
            yield i, j, slice(a, b), slice(c, d)


def _pool(x, draws, ratios, pseudo, overlapping, average):
    rows, columns = (_bounds(x.shape[1 + i], ratios[1 + i], draws[i], pseudo) for i in (0, 1))
    out = np.empty((x.shape[0], len(rows) - 1, len(columns) - 1, x.shape[3]), x.dtype)
    for i, j, a, b in _each_window(rows, columns, overlapping, x.shape):
        part = x[:, a, b]
        out[:, i, j] = part.mean((1, 2)) if average else part.max((1, 2))
    return out, rows, columns


def _back(dout, x, out, rows, columns, overlapping, average):
    dx = np.zeros(x.shape, dout.dtype)
    for i, j, a, b in _each_window(rows, columns, overlapping, x.shape):
        part, share = x[:, a, b], dout[:, i : i + 1, j : j + 1]
        if average:
            dx[:, a, b] += share / (part.shape[1] * part.shape[2])
            continue
        flat = part.reshape(len(x), -1, x.shape[3])
        first = np.arange(flat.shape[1])[None, :, None] == flat.argmax(1)[:, None]
        dx[:, a, b] += first.reshape(part.shape) * share
    return dx


@hosted(_back, nondiff=True)
def fractional_dx(
    dout: Tensor,
    x: Tensor,
    out: Tensor,
    rows: Tensor,
    columns: Tensor,
    overlapping: bool,
    average: bool,
):
    return AbstractTensor(x.shape, dout.dtype)


@hosted(_pool)
def _fractional(
    x: Tensor, draws: Tensor, ratios: tuple, pseudo: bool, overlapping: bool, average: bool
):
    n, h, w, c = x.shape
    sizes = tuple([int(s / r) for s, r in zip((h, w), ratios[1:3])])
    bounds = [AbstractTensor((s + 1,), dt.int64) for s in sizes]
    return AbstractTuple((AbstractTensor((n, *sizes, c), x.dtype), *bounds))


@_fractional.bprop
def _(x, draws, ratios, pseudo, overlapping, average, out, dout):
    return fractional_dx(dout[0], x, *out, overlapping, average), None


def _maker(average: bool):
    def make(
        pooling_ratio,
        pseudo_random=False,
        overlapping=False,
        deterministic=False,
        seed=0,
        seed2=0,
    ):
        ratios = tuple([float(r) for r in pooling_ratio])
        fits = len(ratios) == 4 and ratios[0] == ratios[3] == 1 and min(ratios) >= 1
        expect(fits, "pooling_ratio", "(1.0, rows, columns, 1.0), at least 1", got=pooling_ratio)

        def call(x):
            expect(len(x.shape) == 4, "x", "of rank 4", got=x.shape)
            drawn = seed or seed2 or (1 if deterministic else 0)
            draws = P.uniform(key_of(drawn), (2, max(x.shape[1:3])), dt.float64)
            return _fractional(x, draws, ratios, pseudo_random, overlapping, average)

        return call

    return make


_DOC = """The {what} of windows whose bounds are drawn.

    Args:
        pooling_ratio (list[float]): (1.0, rows, columns, 1.0): the sizes of ``x`` over those of the
            result.
        pseudo_random (bool): the bounds follow a straight line. Default: False.
        overlapping (bool): windows share their bounds. Default: False.
        deterministic (bool): the same bounds each time the program starts. Default: False.
        seed, seed2 (int): of the stream; 0 for the common one. Default: 0.
        x (Tensor[(N, H, W, C), number]): the images.

    Returns:
        tuple[Tensor]: the result, and the bounds of rows and of columns.

    Raises:
        ValueError: a ratio is below 1, or those of N and C are not 1.

    Examples:
        >>> pool = ops.{name}([1.0, 2.0, 2.0, 1.0])
        >>> pool(ops.ones((1, 4, 4, 2)))[0].shape
        (1, 2, 2, 2)
    """


def _offer(name: str, what: str, average: bool) -> None:
    make = _maker(average)
    make.__doc__ = _DOC.format(what=what, name=name)
    primitive(make, name=name)


_offer("FractionalMaxPool", "maxima", False)
_offer("FractionalAvgPool", "means", True)

"""`minds.numpy`: products, statistics, histograms and interpolation."""

from __future__ import annotations

import numpy as np

from ..base import dtype as dt
from ..base import tree
from ..base.errors import expect
from ..ops.define import P
from ..ops.functional import WITHIN as F
from ..ops.unbacked import made_of
from ..tensor import Tensor
from .create import array_of, to_float, with_dtype
from .searching import _on_host


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Differences of neighbours."""
    x = array_of(a)

    def edge(v):
        v = None if v is None else array_of(v)
        return (
            v
            if v is None or v.shape
            else P.broadcast_to(
                v, tuple(1 if i == axis % len(x.shape) else s for i, s in enumerate(x.shape))
            )
        )

    ends = edge(prepend), edge(append)
    common = x.dtype
    for v in ends:
        common = common if v is None else dt.promote(common, v.dtype)
    return F.diff(
        with_dtype(x, common),
        n,
        axis,
        *[None if v is None else with_dtype(v, common) for v in ends],
    )


def ediff1d(ary, to_end=None, to_begin=None):
    """Differences of neighbours of the flattened tensor, between given ends.

    Args:
        ary (Tensor | number): the operand.
        to_end (Tensor): what follows the differences. Default: None.
        to_begin (Tensor): what stands before them. Default: None.

    Returns:
        Tensor: a vector.

    Raises:
        TypeError: ``ary`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.ediff1d([1, 2, 4], to_end=[9]))
        [1 2 9]
    """
    parts = [F.diff(P.reshape(array_of(ary), (-1,)))]
    parts = ([] if to_begin is None else [P.reshape(array_of(to_begin), (-1,))]) + parts
    return F.concat(parts + ([] if to_end is None else [P.reshape(array_of(to_end), (-1,))]), 0)


def trapz(y, x=None, dx=1.0, axis=-1):
    """The integral by the trapezoidal rule."""
    return F.trapz(to_float(array_of(y)), None if x is None else array_of(x), dx=dx, dim=axis)


# ---- common divisors


def _of_whole_numbers(fn):
    """A function of integers that takes floats too, outside compiled code, where they are whole."""

    def function(x1, x2, dtype=None):
        x1, x2 = array_of(x1), array_of(x2)
        kind = dt.promote(x1.dtype, x2.dtype)
        if kind.is_float and isinstance(x1, Tensor) and isinstance(x2, Tensor):
            for v in (x1, x2):
                expect(F.all(P.equal(P.floor(v), v)), "an operand", "of whole numbers", got=v)
            out = P.cast(fn(P.cast(x1, dt.int64), P.cast(x2, dt.int64)), kind)
        else:
            out = fn(x1, x2)
        return with_dtype(out, dtype)

    return function


gcd, lcm = _of_whole_numbers(F.gcd), _of_whole_numbers(F.lcm)


# ---- products


def _pair(fn):
    def product(a, b, *args, **kwargs):
        return fn(array_of(a), array_of(b), *args, **kwargs)

    return product


dot, inner, kron = _pair(F.dot), _pair(F.inner), _pair(F.kron)
outer = _pair(lambda a, b: F.outer(P.reshape(a, (-1,)), P.reshape(b, (-1,))))
tensordot = _pair(lambda a, b, axes=2: F.tensor_dot(a, b, axes))


def matmul(x1, x2, dtype=None):
    """The product of matrices, broadcast over the dimensions before."""
    return with_dtype(F.matmul(array_of(x1), array_of(x2)), dtype)


def multi_dot(arrays):
    """The product of several matrices.

    Args:
        arrays (list[Tensor]): the matrices.

    Returns:
        Tensor: the product, multiplied from the left.

    Raises:
        ValueError: the shapes do not fit.

    Examples:
        >>> import minds as ms
        >>> ms.numpy.multi_dot([ms.ops.ones((2, 3)), ms.ops.ones((3, 4)), ms.ops.ones((4, 1))]).shape
        (2, 1)
    """
    out = array_of(arrays[0])
    for a in arrays[1:]:
        out = F.matmul(out, array_of(a))
    return out


def matrix_power(a, n):
    """A square matrix to an integer power."""
    x = array_of(a)
    return F.matrix_power(x, n)


def norm(x, ord=None, axis=None, keepdims=False):
    """A norm of vectors or matrices."""
    return F.norm(to_float(array_of(x)), ord, axis, bool(keepdims))


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross products of vectors of 2 or 3."""
    axisa, axisb, axisc = (axis,) * 3 if axis is not None else (axisa, axisb, axisc)
    a, b = F.moveaxis(array_of(a), axisa, -1), F.moveaxis(array_of(b), axisb, -1)
    flat = a.shape[-1] == 2 and b.shape[-1] == 2

    def parts(v):
        n = v.shape[-1]
        found = [P.reshape(p, p.shape[:-1]) for p in P.split(v, (1,) * n, len(v.shape) - 1)]
        return found if n == 3 else [*found, found[0] * 0]

    (x, y, z), (u, v, w) = parts(a), parts(b)
    if flat:
        return x * v - y * u
    return F.moveaxis(F.stack([y * w - z * v, z * u - x * w, x * v - y * u], -1), -1, axisc)


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, dtype=None):
    """The covariance matrix."""
    x = to_float(array_of(m))
    x = P.transpose(x, (1, 0)) if not rowvar and len(x.shape) == 2 and x.shape[0] != 1 else x
    if y is not None:
        other = to_float(array_of(y))
        other = (
            P.transpose(other, (1, 0))
            if not rowvar and len(other.shape) == 2 and other.shape[0] != 1
            else other
        )
        x = F.concat([P.reshape(v, (1, -1)) if len(v.shape) < 2 else v for v in (x, other)], 0)
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = [None if w is None else array_of(w) for w in (fweights, aweights)]
    return with_dtype(F.cov(x, correction=ddof, fweights=weights[0], aweights=weights[1]), dtype)


def corrcoef(x, y=None, rowvar=True, dtype=None):
    """The correlation coefficients.

    Args:
        x (Tensor): the variables, in rows.
        y (Tensor): more variables. Default: None.
        rowvar (bool): whether variables are rows; else columns. Default: True.
        dtype (dtype): the element type of the result. Default: None.

    Returns:
        Tensor[(N, N)]: the coefficients, in [-1, 1].

    Raises:
        TypeError: ``x`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.corrcoef([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]).asnumpy().round(3))
        [[ 1. -1.]
         [-1.  1.]]
    """
    c = cov(x, y, rowvar)
    if not c.shape:
        return with_dtype(c / c, dtype)
    deviation = P.sqrt(F.diagonal(c))
    out = c / P.reshape(deviation, (-1, 1)) / P.reshape(deviation, (1, -1))
    return with_dtype(P.minimum(P.maximum(out, -1.0), 1.0), dtype)


def _slid(a, v, mode: str):
    """Sums of products of ``v`` with the windows of ``a``."""
    a, v = to_float(array_of(a)), to_float(array_of(v))
    n, m = a.shape[0], v.shape[0]
    low, high = {"full": (m - 1, m - 1), "same": (m // 2, (m - 1) // 2), "valid": (0, 0)}[mode]
    out = P.conv2d(
        P.reshape(a, (1, 1, 1, n)), P.reshape(v, (1, 1, 1, m)), (1, 1), (0, 0, low, high), (1, 1), 1
    )
    return P.reshape(out, (-1,))


def convolve(a, v, mode="full"):
    """The convolution of two vectors.

    Args:
        a (Tensor[(N,)]): the first.
        v (Tensor[(M,)]): the second.
        mode (str): ``"full"``, ``"same"`` (of the longer one's size) or ``"valid"`` (without
            edges). Default: ``"full"``.

    Returns:
        Tensor: a vector; of integers it is one of integers.

    Raises:
        KeyError: another mode.
        ValueError: a vector is empty.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.convolve([1.0, 2.0], [1.0, 1.0]))
        [1. 3. 2.]
    """
    a, v = _vectors(a, v)
    kind = dt.promote(a.dtype, v.dtype)
    if kind.is_float:
        return _convolved(a, v, mode)
    return P.cast(_convolved(P.cast(a, dt.float64), P.cast(v, dt.float64), mode), kind)


def _vectors(*operands):
    """Operands as vectors; a number is one of one element."""
    made = [array_of(v) for v in operands]
    for v in made:
        expect(not v.shape or v.shape[0] > 0, "a vector", "not empty", got=v.shape)
    return [v if v.shape else P.reshape(v, (1,)) for v in made]


def _convolved(a, v, mode: str):
    """The convolution of two vectors of floats."""
    a, v = (v, a) if v.shape[0] > a.shape[0] else (a, v)
    n, m = a.shape[0], v.shape[0]
    out = _slid(a, P.flip(v, (0,)), "full")
    start, size = {"full": (0, n + m - 1), "same": ((m - 1) // 2, n), "valid": (m - 1, n - m + 1)}[
        mode
    ]
    return P.strided_slice(out, (start,), (start + size,), (1,))


def correlate(a, v, mode="valid"):
    """The correlation of two vectors.

    Args:
        a (Tensor[(N,)]): the first.
        v (Tensor[(M,)]): the second.
        mode (str): as in `convolve`. Default: ``"valid"``.

    Returns:
        Tensor: a vector, float.

    Raises:
        KeyError: another mode.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.correlate([1.0, 2.0, 3.0], [1.0, 1.0]))
        [3. 5.]
    """
    a, v = _vectors(a, v)
    if v.shape[0] > a.shape[0]:
        return P.flip(correlate(v, a, mode), (0,))
    return _convolved(a, P.flip(v, (0,)), mode)


# ---- what NumPy computes on the host


_counts, _counts2d = _on_host(np.histogram, dt.float32), _on_host(np.histogram2d, dt.float32)
_edges = _on_host(np.histogram_bin_edges, dt.float32)


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of the bins that `histogram` takes.

    Args:
        a (Tensor): the operand, flattened.
        bins (int | Tensor | str): as of `histogram`. Default: 10.
        range (tuple[float, float]): the outer edges. Default: None, those of the elements.
        weights (Tensor): has no effect, as NumPy's. Default: None.

    Returns:
        Tensor: one edge more than there are bins, float32.

    Raises:
        ValueError: ``bins`` is not positive.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.histogram_bin_edges([1.0, 2.0, 2.5], bins=2))
        [1.   1.75 2.5 ]
    """
    return _edges(a, bins, range, weights)


def histogram2d(x, y, bins=10, range=None, weights=None, density=False):
    """How many points lie in each rectangle of a grid, and the edges of the grid.

    Args:
        x (Tensor[(N,)]): the first coordinates.
        y (Tensor[(N,)]): the second ones.
        bins (int | tuple): how many bins, or their edges, of both coordinates or of each. Default: 10.
        range (tuple): the outer edges of each. Default: None, those of the points.
        weights (Tensor[(N,)]): of the points. Default: None, all 1.
        density (bool): whether the integral is made 1. Default: False.

    Returns:
        tuple[Tensor, Tensor, Tensor]: the counts, and the edges of both coordinates, float32.

    Raises:
        ValueError: ``x`` and ``y`` differ in length.

    Examples:
        >>> import minds as ms
        >>> counts, _, edges = ms.numpy.histogram2d([0.0, 1.0, 1.0], [0.0, 0.0, 2.0], bins=2)
        >>> print(counts, edges)
        [[1. 0.]
         [1. 1.]] [0. 1. 2.]
    """
    return _counts2d(x, y, bins, range, density, weights)


def histogram(a, bins=10, range=None, weights=None, density=False):
    """How many elements lie between the edges, and the edges; edges that are given are returned as
    they are.

    Args:
        a (Tensor): the operand, flattened.
        bins (int | Tensor | str): how many bins, their edges, or NumPy's name of a rule. Default:
            10.
        range (tuple[float, float]): the outer edges. Default: None, those of the elements.
        weights (Tensor): of the elements. Default: None, all 1.
        density (bool): whether the integral is made 1. Default: False.

    Returns:
        tuple[Tensor, Tensor]: the counts, float32, and the edges.

    Raises:
        ValueError: ``bins`` is not positive.

    Examples:
        >>> import minds as ms
        >>> counts, edges = ms.numpy.histogram([1.0, 2.0, 2.5], bins=2)
        >>> print(counts, edges)
        [1. 2.] [1.   1.75 2.5 ]
    """
    counts, edges = _counts(a, bins, range, density, weights)
    return counts, edges if isinstance(bins, (int, str)) else array_of(bins)


def histogramdd(sample, bins=10, range=None, weights=None, density=False):
    """A histogram of points; the edges are a list.

    Args:
        sample (Tensor[(N, D)] | list[Tensor[(N,)]]): the points, or their coordinates.
        bins (int | list): how many bins, or for each dimension how many or the edges. Default: 10.
        range (list[tuple[float, float]]): the outer edges. Default: None, those of the points.
        weights (Tensor[(N,)]): of the points. Default: None, all 1.
        density (bool): whether the integral is made 1. Default: False.

    Returns:
        tuple[Tensor, list[Tensor]]: the counts, float32, and the edges.

    Raises:
        ValueError: ``bins`` is not positive.

    Examples:
        >>> import minds as ms
        >>> counts, edges = ms.numpy.histogramdd([[0.0, 1.0], [0.0, 1.0]], bins=2)
        >>> print(counts)
        [[1. 0.]
         [0. 1.]]
    """

    def plain(v):
        return (
            v.asnumpy()
            if isinstance(v, Tensor)
            else [plain(e) for e in v]
            if isinstance(v, (list, tuple))
            else v
        )

    given = sample
    if isinstance(sample, (list, tuple)):
        sample = np.stack([np.asarray(plain(s)) for s in sample], -1)
    counts, edges = np.histogramdd(plain(sample), plain(bins), range, density, plain(weights))
    sources = [*tree.leaves(given), *tree.leaves(bins), weights]
    sources = tuple([v for v in sources if isinstance(v, Tensor)])
    made = [made_of(Tensor(v, dt.float32), sources, "histogramdd") for v in (counts, *edges)]
    return made[0], made[1:]


def bincount(x, weights=None, minlength=0, length=None):
    """How often each integer occurs; with ``length`` as many are counted, whatever occurs."""
    out = F.bincount(
        array_of(x), None if weights is None else array_of(weights), length or minlength
    )
    out = out if length is None else out[:length]
    return P.cast(out, dt.float32) if weights is None else out


def interp(x, xp, fp, left=None, right=None):
    """Linear interpolation between points.

    Args:
        x (Tensor): where.
        xp (Tensor[(N,)]): the places of the points, rising.
        fp (Tensor[(N,)]): their values.
        left (number): the value below all places. Default: None, the first.
        right (number): the value above all places. Default: None, the last.

    Returns:
        Tensor: of the shape of ``x``, float.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.interp([0.5, 3.0], [0.0, 1.0], [0.0, 10.0]))
        [ 5. 10.]
    """
    x, xp, fp = (to_float(array_of(v)) for v in (x, xp, fp))
    n = xp.shape[0]
    at = P.minimum(P.maximum(P.search(xp, x, True), 1), n - 1)
    x0, x1, y0, y1 = (
        P.gather(xp, at - 1, 0),
        P.gather(xp, at, 0),
        P.gather(fp, at - 1, 0),
        P.gather(fp, at, 0),
    )
    out = y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    out = P.select(P.less(x, xp[0]), fp[0] if left is None else left, out)
    return P.select(P.greater(x, xp[n - 1]), fp[n - 1] if right is None else right, out)


def gradient(f, *varargs, axis=None, edge_order=1):
    """Central differences, one-sided at the edges.

    Args:
        f (Tensor): the values.
        varargs (number ...): the distance of neighbours, one for all dimensions or one for each.
            Default: 1.
        axis (int | tuple[int]): the dimensions. Default: None, all.
        edge_order (int): the order of the differences at the edges, 1 or 2. Default: 1.

    Returns:
        Tensor: of the shape of ``f``; a list, one per dimension, if there are several.

    Raises:
        TypeError: ``f`` is neither a Tensor nor what makes one.
        ValueError: ``edge_order`` is neither 1 nor 2, or there are not more elements than that.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.gradient([1.0, 2.0, 4.0]))
        [1.  1.5 2. ]
    """
    x = to_float(array_of(f))
    axes = range(len(x.shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    axes = [a % len(x.shape) for a in axes]
    steps = (
        [1.0] * len(axes)
        if not varargs
        else list(varargs) * (len(axes) if len(varargs) == 1 else 1)
    )
    expect(edge_order in (1, 2), "edge_order", "1 or 2", got=edge_order)
    out = []
    for a, h in zip(axes, steps, strict=True):
        expect(x.shape[a] > edge_order, "f", f"of more than {edge_order} elements", got=x.shape)
        d = F.diff(x, axis=a)
        n = d.shape[a]
        first, last = F.narrow(d, a, 0, 1), F.narrow(d, a, n - 1, 1)
        if edge_order == 2:
            first = 1.5 * first - 0.5 * F.narrow(d, a, 1, 1)
            last = 1.5 * last - 0.5 * F.narrow(d, a, n - 2, 1)
        middle = (F.narrow(d, a, 0, n - 1) + F.narrow(d, a, 1, n - 1)) * 0.5
        out.append(F.concat([first, middle, last], a) / h)
    return out[0] if len(out) == 1 else out

"""Primitive classes of random numbers whose call differs from the function's."""

from __future__ import annotations

import math

import numpy as np

from ...base import dtype as dt
from ...base.errors import complain, expect
from ..define import P
from ..faces import primitive
from ..function.common import as_tensor, inexact, key_of, known_values, sizes_of
from ..functional import WITHIN as F


@primitive(like="standard_normal")
def StandardNormal(seed=0, seed2=0):
    return lambda shape: F.standard_normal(shape, seed or seed2)


@primitive(like="rand")
def UniformReal(seed=0, seed2=0):
    return lambda shape: F.rand(*shape, seed=seed or seed2)


@primitive(like="bernoulli")
def Bernoulli(seed=-1, offset=0):
    def call(x, p):
        key = key_of(seed + offset if seed > 0 else 0)
        chance = P.broadcast_to(P.cast(as_tensor(p), dt.float32), x.shape)
        return P.cast(P.less(P.uniform(key, x.shape, dt.float32), chance), x.dtype)

    return call


@primitive(like="multinomial_with_replacement")
def Multinomial(seed=0, seed2=0, dtype=dt.int32):
    return lambda x, num_samples: P.cast(
        F.multinomial_with_replacement(inexact(x), seed, seed2, int(num_samples)), dtype
    )


@primitive(like="multinomial_with_replacement")
def MultinomialWithReplacement(numsamples, replacement=False):
    return lambda x, seed, offset: F.multinomial_with_replacement(
        x,
        *[
            int(v) if isinstance(v, int) else int(known_values("seed", v)[0])
            for v in (seed, offset)
        ],
        numsamples,
        replacement,
    )


@primitive(like="choice_with_mask")
def RandomChoiceWithMask(count=256, seed=0, seed2=0):
    return lambda input_x: F.choice_with_mask(input_x, count, seed or seed2)


@primitive(like="random_gamma")
def RandomGamma(seed=0, seed2=0):
    return lambda shape, alpha: F.random_gamma(shape, alpha, seed or seed2)


@primitive(like="gamma")
def Gamma(seed=0, seed2=0):
    return lambda shape, alpha, beta: F.gamma(shape, alpha, beta, seed or seed2 or None)


@primitive(like="poisson")
def Poisson(seed=0, seed2=0):
    return lambda shape, mean: F.poisson(shape, mean, seed or seed2 or None)


@primitive(like="random_poisson")
def RandomPoisson(seed=0, seed2=0, dtype=dt.int64):
    return lambda shape, rate: F.random_poisson(shape, rate, seed or seed2, dtype)


@primitive(like="shuffle")
def RandomShuffle(seed=0, seed2=0):
    return lambda x: F.shuffle(x, seed or seed2)


@primitive(like="standard_laplace")
def StandardLaplace(seed=0, seed2=0):
    return lambda shape: F.standard_laplace(sizes_of(shape), seed or seed2)


@primitive(like="standard_normal")
def TruncatedNormal(dtype=dt.float32, seed=0, seed2=0):
    """The normal distribution between -2 and 2, by its inverse."""
    edge = math.erf(2 / math.sqrt(2))

    def call(shape):
        u = P.uniform(key_of(seed or seed2), sizes_of(shape), dt.float64)
        return P.cast(P.erfinv((u * 2 - 1) * edge) * math.sqrt(2), dtype)

    return call


@primitive(like="randint")
def UniformInt(seed=0, seed2=0):
    def call(shape, minval, maxval):
        u = P.uniform(key_of(seed or seed2), sizes_of(shape), dt.float64)
        return P.cast(P.floor(u * (maxval - minval)), dt.int32) + P.cast(
            as_tensor(minval), dt.int32
        )

    return call


@primitive
def Cauchy(size, median=0.0, sigma=1.0):
    """Numbers of a Cauchy distribution, by its inverse.

    Args:
        size (list[int], tuple[int]): the shape.
        median (float): the middle. Default: 0.0.
        sigma (float): the half width at half height. Default: 1.0.

    Returns:
        Tensor[size, float32]: the numbers.

    Raises:
        ValueError: ``size`` has a negative element.

    Examples:
        >>> ops.Cauchy([2, 3])().shape
        (2, 3)
    """

    def call():
        u = P.uniform(key_of(0), sizes_of(size), dt.float32)
        return median + sigma * P.tan(math.pi * (u - 0.5))

    return call


@primitive
def LogNormalReverse(mean=1.0, std=2.0):
    """Numbers of a lognormal distribution in the shape of the operand.

    Args:
        mean, std (float): of the logarithm. Default: 1.0 and 2.0.
        input_data (Tensor[any shape, float]): gives shape and dtype.

    Returns:
        Tensor: like ``input_data``.

    Raises:
        TypeError: ``input_data`` is not floating point.

    Examples:
        >>> ops.LogNormalReverse(0.0, 0.0)(ops.zeros((2,))).asnumpy().tolist()
        [1.0, 1.0]
    """

    def call(input_data):
        normal = F.standard_normal(input_data.shape)
        return P.cast(P.exp(mean + std * normal), input_data.dtype)

    return call


@primitive
def NonDeterministicInts(dtype=dt.int64):
    """Integers of the whole range of a dtype.

    Args:
        dtype (dtype): int32 or int64. Default: ``int64``.
        shape (tuple[int] | Tensor[(rank,), int]): the shape.

    Returns:
        Tensor[shape, dtype]: the integers.

    Raises:
        TypeError: ``dtype`` is no integer dtype.

    Examples:
        >>> ops.NonDeterministicInts()((2, 3)).shape
        (2, 3)
    """
    expect(dtype.is_int, "dtype", "an integer dtype", TypeError, got=dtype)
    bits = 8 * dtype.itemsize

    def call(shape):
        sizes = sizes_of(shape)
        halves = [
            P.cast(P.uniform(key_of(0), sizes, dt.float64) * 2.0**32, dt.int64) for _ in range(2)
        ]
        whole = halves[0] * (1 << 32) + halves[1] if bits == 64 else halves[0]
        return P.cast(whole - (1 << 31) if bits < 64 else whole, dtype)

    return call


@primitive(inner=True)
def Uniform(minval=0.0, maxval=1.0, seed=0, offset=0):
    """Numbers between two bounds in the shape of the operand."""

    def call(x):
        if not x.dtype.is_float:
            raise complain(TypeError, f"x has dtype {x.dtype}", expected="a floating-point dtype")
        u = P.uniform(key_of(seed or offset), x.shape, dt.float32)
        return P.cast(minval + (maxval - minval) * u, x.dtype)

    return call


@primitive
def ParameterizedTruncatedNormal(seed=0, seed2=0):
    """Rows of normal distributions, each between its own bounds, by their inverse.

    Args:
        seed, seed2 (int): of the stream; 0 for the common one. Default: 0.
        shape (tuple[int] | Tensor[(rank,), int]): the shape; a row for each distribution.
        mean, stdevs, min, max (Tensor[(rows,), float]): of each row.

    Returns:
        Tensor[shape]: the numbers.

    Raises:
        ValueError: a parameter has another number of rows.

    Examples:
        >>> zero, one = Tensor([0.0]), Tensor([1.0])
        >>> x = ops.ParameterizedTruncatedNormal()((1, 8), zero, one, zero, one)
        >>> bool((x >= 0).all() and (x <= 1).all())
        True
    """

    def call(shape, mean, stdevs, min, max):
        sizes = sizes_of(shape)
        lift = (-1,) + (1,) * (len(sizes) - 1)
        centre, width, low, high = (P.reshape(v, lift) for v in (mean, stdevs, min, max))
        root = math.sqrt(2.0)
        first, last = (P.erf((v - centre) / (width * root)) for v in (low, high))
        u = P.uniform(key_of(seed or seed2), sizes, mean.dtype)
        drawn = centre + width * root * P.erfinv(first + (last - first) * u)
        return P.maximum(P.minimum(drawn, high), low)

    return call


@primitive
def Randperm(max_length=1, pad=-1, dtype=dt.int32):
    """A random order of ``n`` numbers, filled up with ``pad``.

    Args:
        max_length (int): how many elements the result has. Default: 1.
        pad (int): what follows behind ``n`` numbers. Default: -1.
        dtype (dtype): of the result. Default: ``int32``.
        n (Tensor[(1,), int]): how many numbers.

    Returns:
        Tensor[(max_length,), dtype]: 0 to n - 1 in a random order, and ``pad``.

    Raises:
        ValueError: ``n`` has another shape.

    Examples:
        >>> print(ops.Randperm(3, -1)(Tensor([1], ms.int32)))
        [ 0 -1 -1]
    """

    def call(n):
        expect(n.shape == (1,), "n", "of one element", got=n.shape)
        u = P.uniform(key_of(0), (max_length,), dt.float64)
        inside = P.less(P.arange(0, max_length, 1, dt.int64), P.cast(n, dt.int64))
        order = F.argsort(P.select(inside, u, 2.0))
        return P.cast(P.select(inside, P.cast(order, dt.int64), pad), dtype)

    return call


@primitive
def RandpermV2(seed=0, offset=0, dtype=dt.int64):
    """The numbers below ``n`` in a random order.

    Args:
        seed, offset (int): choose the stream; 0 for the global one. Default: 0.
        dtype (dtype): of the result. Default: ``int64``.
        n (int): how many.

    Returns:
        Tensor[(n,), dtype]: the numbers.

    Raises:
        ValueError: ``n`` is negative.

    Examples:
        >>> print(ops.RandpermV2()(1))
        [0]
    """
    return lambda n: F.randperm(n, seed, offset, dtype)


def _hits(true_classes, sampled):
    row, _, at = np.nonzero(true_classes[:, :, None] == sampled[None, None, :])
    weights = np.full(row.shape, np.finfo(np.float32).min, np.float32)
    return row.astype(np.int32), at.astype(np.int64), weights


@primitive
def ComputeAccidentalHits(num_true=1):
    """Where a sampled class is a target class.

    Args:
        num_true (int): the number of target classes of a row. Default: 1.
        true_classes (Tensor[(N, num_true), int]): the target classes.
        sampled_candidates (Tensor[(M,), int]): the sampled classes.

    Returns:
        tuple: for each hit the row, int32, the position among the samples, int64, and the lowest
        float32.

    Raises:
        ValueError: ``true_classes`` has another number of columns.
        CompileTimeError: in compiled code, since the number of hits is found by running.

    Examples:
        >>> hits = ops.ComputeAccidentalHits(1)(Tensor([[1], [2]]), Tensor([2, 0]))
        >>> print(hits[0], hits[1])
        [1] [0]
    """

    def call(true_classes, sampled_candidates):
        expect(
            len(true_classes.shape) == 2 and true_classes.shape[1] == num_true,
            "true_classes",
            f"with {num_true} columns",
            got=true_classes.shape,
        )
        values = known_values("ComputeAccidentalHits", true_classes, sampled_candidates)
        return tuple(as_tensor(part) for part in _hits(*values))

    return call

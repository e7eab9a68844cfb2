"""Primitive classes of random numbers whose call differs from the function's."""

from __future__ import annotations

import math

from ...base import dtype as dt
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

"""Methods of tensors, and functions of `minds.mint`, whose parameters are not those of the
function: random numbers.
"""

from __future__ import annotations

import math

from ...base import dtype as dt
from ...base.errors import expect
from ..define import P
from ..faces import face
from ..function.common import is_tensor, own_stream
from ..functional import WITHIN as F


@face(mint="bernoulli")
def _(input, *, generator=None):
    return F.bernoulli(input, input, own_stream(generator))


@face(mint="multinomial")
def _(input, num_samples, replacement=False, *, generator=None):
    return F.multinomial(input, num_samples, replacement, own_stream(generator))


@face(mint="normal")
def _(mean=0.0, std=1.0, size=None, generator=None):
    if size is None:
        size = mean.shape if is_tensor(mean) else std.shape
    return F.normal(size, mean, std, own_stream(generator))


@face(mint="rand")
def _(*size, generator=None, dtype=None, device=None):
    return F.rand(*size, dtype=dtype, seed=own_stream(generator))


@face(mint="rand_like")
def _(input, *, dtype=None, device=None):
    return F.rand_like(input, dtype=dtype)


@face(mint="randint", like="randint")
def _randint(*args, generator=None, dtype=None, device=None):
    low, high, size = args if len(args) == 3 else (0, *args)
    return F.randint(low, high, size, own_stream(generator), dtype=dtype)


@face(mint="randint_like")
def _(input, *bounds, dtype=None, device=None):
    return _randint(*bounds, input.shape, dtype=dtype or input.dtype)


@face(mint="randn")
def _(*size, generator=None, dtype=None, device=None):
    return F.randn(*size, dtype=dtype, seed=own_stream(generator))


@face(mint="randn_like")
def _(input, *, dtype=None, device=None):
    return F.randn_like(input, dtype=dtype)


@face(mint="randperm")
def _(n, *, generator=None, dtype=dt.int64):
    return F.randperm(n, own_stream(generator) or 0, dtype=dtype)


@face(method="cauchy")
def _(self, median=0.0, sigma=1.0):
    """Random numbers of Cauchy's distribution, in the shape of this tensor.

    Args:
        median (float): where the density is highest. Default: 0.0.
        sigma (float): half the width at half the height, positive. Default: 1.0.

    Returns:
        Tensor: of this shape and dtype.

    Raises:
        ValueError: ``sigma`` is not positive.

    Examples:
        >>> Tensor([[1.0, 2.0]]).cauchy().shape
        (1, 2)
    """
    expect(sigma > 0, "sigma", "positive", got=sigma)
    turns = F.rand(*self.shape) - 0.5
    return F.cast(P.tan(turns * math.pi) * sigma + median, self.dtype)


@face(method="log_normal")
def _(self, mean=1.0, std=2.0):
    """Random numbers whose logarithms are of the normal distribution, in the shape of this tensor.

    Args:
        mean (float): the mean of the logarithms. Default: 1.0.
        std (float): their standard deviation. Default: 2.0.

    Returns:
        Tensor: of this shape and dtype.

    Examples:
        >>> Tensor([[1.0, 2.0]]).log_normal().shape
        (1, 2)
    """
    return F.cast(P.exp(F.randn(*self.shape) * std + mean), self.dtype)


@face(method="uniform", like="uniform")
def _(self, from_=0.0, to=1.0, generator=None):
    return F.cast(
        F.rand(*self.shape, seed=own_stream(generator)) * (to - from_) + from_, self.dtype
    )

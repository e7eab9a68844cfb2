"""The categorical distribution."""

from __future__ import annotations

import numpy as np

from .... import ops
from ....base import dtype as dt
from ....base.errors import complain
from .. import params
from ..variable import Distribution


class Categorical(Distribution):
    r"""A distribution over the integers from 0 to k - 1.

    Args:
        probs (list, numpy.ndarray, Tensor): the probabilities, of shape (..., k); the last dimension
            sums to 1. Default: None, given in each call.
        seed (int): as in `Distribution`. Default: None.
        dtype (dtype): of the samples. Default: ``ms.int32``.
        name (str): its name. Default: ``"Categorical"``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``probs`` has rank 0, is not between 0 and 1, or does not sum to 1.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> print(msd.Categorical([0.25, 0.75]).prob(Tensor([0, 1, 1])))
        [0.25 0.75 0.75]
    """

    def __init__(self, probs=None, seed=None, dtype=dt.int32, name="Categorical"):
        self._begin(seed, dtype, name, {"probs": probs}, floats=False)
        (self._probs,) = self.default_parameters
        if self._probs is not None:
            self._check()

    def _check(self) -> None:
        if self._probs.ndim == 0:
            raise complain(ValueError, "Categorical: probs has rank 0", expected="at least 1")
        params.check_probability(self._probs)
        if not np.allclose(self._probs.asnumpy().sum(-1), 1, atol=1e-6):
            raise complain(ValueError, "Categorical: probs does not sum to 1 in each row")

    @property
    def probs(self):
        """Tensor: the probabilities."""
        return self._probs

    def _numbers(self, p):
        return ops.arange(p.shape[-1]).astype(p.dtype)

    def _mean(self, probs=None):
        p = self._check_param_type(probs)
        return ops.sum(p * self._numbers(p), -1, keepdim=True)

    def _mode(self, probs=None):
        return ops.cast(ops.argmax(self._check_param_type(probs), -1), self.dtype)

    def _var(self, probs=None):
        p = self._check_param_type(probs)
        number = self._numbers(p)
        away = number - ops.sum(p * number, -1, keepdim=True)
        return ops.sum(p * ops.square(away), -1, keepdim=True)

    def _entropy(self, probs=None):
        p = self._check_param_type(probs)
        return -ops.sum(ops.xlogy(p, p), -1)

    def _kl_loss(self, dist, probs_b, probs=None):
        self._check_distribution_name(dist)
        q, p = self._place(probs_b), self._check_param_type(probs)
        return ops.sum(ops.xlogy(p, p) - ops.xlogy(p, q), -1)

    def _cross_entropy(self, dist, probs_b, probs=None):
        self._check_distribution_name(dist)
        q, p = self._place(probs_b), self._check_param_type(probs)
        return -ops.sum(ops.xlogy(p, q), -1)

    def _log_prob(self, value, probs=None):
        return ops.log(self._prob(value, probs))

    def _prob(self, value, probs=None):
        value, p = ops.floor(self._place(value)), self._check_param_type(probs)
        hit = ops.equal(ops.expand_dims(value, -1), self._numbers(p))
        return ops.sum(ops.where(hit, p, 0.0), -1)

    def _cdf(self, value, probs=None):
        value, p = ops.floor(self._place(value)), self._check_param_type(probs)
        under = ops.expand_dims(value, -1) >= self._numbers(p)
        return ops.sum(ops.where(under, p, 0.0), -1)

    def _sample(self, shape=(), probs=None):
        p = self._check_param_type(probs)
        if not isinstance(shape, tuple):
            raise TypeError("shape must be a tuple")
        # The largest of log p plus Gumbel's noise.
        u = ops.clamp(
            ops.rand(shape + p.shape, dtype=dt.float32, seed=self.seed), 1e-30, 1 - 2**-24
        )
        return ops.cast(ops.argmax(ops.log(p) - ops.log(-ops.log(u)), -1), self.dtype)

"""Bernoulli's distribution."""

from __future__ import annotations

from .... import ops
from ....base import dtype as dt
from .. import params
from ..variable import Distribution


class Bernoulli(Distribution):
    r"""Bernoulli's distribution: 1 with probability p, else 0.

    Args:
        probs (float, list, numpy.ndarray, Tensor): p, between 0 and 1. Default: None, given in each
            call.
        seed (int): as in `Distribution`. Default: None.
        dtype (dtype): of the samples. Default: ``ms.int32``.
        name (str): its name. Default: ``"Bernoulli"``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``probs`` is not between 0 and 1.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> print(msd.Bernoulli(0.25).prob(Tensor([0, 1])))
        [0.75 0.25]
    """

    def __init__(self, probs=None, seed=None, dtype=dt.int32, name="Bernoulli"):
        self._begin(seed, dtype, name, {"probs": probs}, floats=False)
        (self._probs,) = self.default_parameters
        params.check_probability(self._probs)

    @property
    def probs(self):
        """Tensor: the probability of 1."""
        return self._probs

    def _mean(self, probs1=None):
        return self._check_param_type(probs1)

    def _mode(self, probs1=None):
        return ops.cast(self._check_param_type(probs1) > 0.5, self.dtype)

    def _var(self, probs1=None):
        p = self._check_param_type(probs1)
        return p * (1 - p)

    def _entropy(self, probs1=None):
        p = self._check_param_type(probs1)
        return -p * ops.log(p) - (1 - p) * ops.log1p(-p)

    def _kl_loss(self, dist, probs1_b, probs1=None):
        self._check_distribution_name(dist)
        q, p = self._place(probs1_b), self._check_param_type(probs1)
        return p * ops.log(p / q) + (1 - p) * ops.log((1 - p) / (1 - q))

    def _log_prob(self, value, probs1=None):
        return ops.log(self._prob(value, probs1))

    def _prob(self, value, probs1=None):
        value, p = self._place(value), self._check_param_type(probs1)
        return p * value + (1 - p) * (1 - value)

    def _cdf(self, value, probs1=None):
        value, p = self._place(value), self._check_param_type(probs1)
        below = ops.where(value < 0, 0.0, 1 - p)
        return ops.where(value < 1, below, 1.0)

    def _sample(self, shape=(), probs1=None):
        p = self._check_param_type(probs1)
        u = ops.rand(self._drawn_shape(shape, p), dtype=dt.float32, seed=self.seed)
        return ops.cast(u < p, self.dtype)

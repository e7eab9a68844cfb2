"""The normal distribution."""

from __future__ import annotations

import math

from .... import ops
from ....base import dtype as dt
from .. import params
from ..variable import Distribution


class Normal(Distribution):
    r"""The normal distribution: density :math:`\exp(-(x - \mu)^2 / 2\sigma^2) / \sigma\sqrt{2\pi}`.

    Args:
        mean (float, list, numpy.ndarray, Tensor): :math:`\mu`. Default: None, given in each call.
        sd (float, list, numpy.ndarray, Tensor): :math:`\sigma`, above 0. Default: None.
        seed (int): as in `Distribution`. Default: None.
        dtype (dtype): of the samples, floating point. Default: ``ms.float32``.
        name (str): its name. Default: ``"Normal"``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``sd`` is not above 0.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> print(msd.Normal(0.0, 1.0).log_prob(Tensor([0.0, 1.0])))
        [-0.9189385 -1.4189385]
    """

    shown = ("mean", "standard deviation")

    def __init__(self, mean=None, sd=None, seed=None, dtype=dt.float32, name="Normal"):
        self._begin(seed, dtype, name, {"mean": mean, "sd": sd})
        self._mean_value, self._sd_value = self.default_parameters
        params.check_positive(self._sd_value, "standard deviation")

    def _mean(self, mean=None, sd=None):
        return self._check_param_type(mean, sd)[0]

    def _mode(self, mean=None, sd=None):
        return self._check_param_type(mean, sd)[0]

    def _sd(self, mean=None, sd=None):
        return self._check_param_type(mean, sd)[1]

    def _entropy(self, mean=None, sd=None):
        _, sd = self._check_param_type(mean, sd)
        return ops.log(sd) + 0.5 * math.log(2 * math.pi * math.e)

    def _kl_loss(self, dist, mean_b, sd_b, mean=None, sd=None):
        self._check_distribution_name(dist)
        mean_b, sd_b = self._place(mean_b), self._place(sd_b)
        mean, sd = self._check_param_type(mean, sd)
        ratio = ops.log(sd) - ops.log(sd_b)
        return 0.5 * ops.square((mean - mean_b) / sd_b) + 0.5 * ops.expm1(2 * ratio) - ratio

    def _log_prob(self, value, mean=None, sd=None):
        value = self._place(value)
        mean, sd = self._check_param_type(mean, sd)
        z = (value - mean) / sd
        return -0.5 * ops.square(z) - ops.log(sd) - 0.5 * math.log(2 * math.pi)

    def _cdf(self, value, mean=None, sd=None):
        value = self._place(value)
        mean, sd = self._check_param_type(mean, sd)
        return 0.5 * ops.erfc((mean - value) / (sd * math.sqrt(2.0)))

    def _survival_function(self, value, mean=None, sd=None):
        value = self._place(value)
        mean, sd = self._check_param_type(mean, sd)
        return 0.5 * ops.erfc((value - mean) / (sd * math.sqrt(2.0)))

    def _sample(self, shape=(), mean=None, sd=None):
        mean, sd = self._check_param_type(mean, sd)
        drawn = ops.randn(self._drawn_shape(shape, mean), dtype=self.parameter_type, seed=self.seed)
        return ops.cast(mean + drawn * sd, self.dtype)

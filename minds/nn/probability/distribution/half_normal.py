"""The half normal distribution."""

from __future__ import annotations

import math

from .... import ops
from ....base import dtype as dt
from .. import params
from ..variable import Distribution


class HalfNormal(Distribution):
    r"""The distribution of :math:`\mu + |X - \mu|` where X is normal with mean :math:`\mu` and standard
    deviation :math:`\sigma`.

    Args:
        mean (float, list, numpy.ndarray, Tensor): :math:`\mu`. Default: None, given in each call.
        sd (float, list, numpy.ndarray, Tensor): :math:`\sigma`, above 0. Default: None.
        seed (int): as in `Distribution`. Default: None.
        dtype (dtype): of the samples, floating point. Default: ``ms.float32``.
        name (str): its name. Default: ``"HalfNormal"``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``sd`` is not above 0.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> print(msd.HalfNormal(0.0, 1.0).prob(Tensor([-1.0, 0.0])))
        [0.        0.7978846]
    """

    def __init__(self, mean=None, sd=None, seed=None, dtype=dt.float32, name="HalfNormal"):
        self._begin(seed, dtype, name, {"mean": mean, "sd": sd})
        self._mean_value, self._sd_value = self.default_parameters
        params.check_positive(self._sd_value, "standard deviation")

    def _mean(self, mean=None, sd=None):
        mean, sd = self._check_param_type(mean, sd)
        return mean + sd * math.sqrt(2 / math.pi)

    def _mode(self, mean=None, sd=None):
        return self._check_param_type(mean, sd)[0]

    def _var(self, mean=None, sd=None):
        _, sd = self._check_param_type(mean, sd)
        return ops.square(sd) * (1 - 2 / math.pi)

    def _entropy(self, mean=None, sd=None):
        _, sd = self._check_param_type(mean, sd)
        return ops.log(sd) + 0.5 * math.log(math.pi * math.e / 2)

    def _log_prob(self, value, mean=None, sd=None):
        value = self._place(value)
        mean, sd = self._check_param_type(mean, sd)
        inside = -0.5 * ops.square((value - mean) / sd) - ops.log(sd) + 0.5 * math.log(2 / math.pi)
        return ops.where(value < mean, float("-inf"), inside)

    def _cdf(self, value, mean=None, sd=None):
        value = self._place(value)
        mean, sd = self._check_param_type(mean, sd)
        return ops.erf(ops.relu(value - mean) / (sd * math.sqrt(2.0)))

    def _sample(self, shape=(), mean=None, sd=None):
        mean, sd = self._check_param_type(mean, sd)
        drawn = ops.randn(self._drawn_shape(shape, mean), dtype=self.parameter_type, seed=self.seed)
        return ops.cast(mean + ops.abs(drawn) * sd, self.dtype)

"""Laplace's distribution."""

from __future__ import annotations

from .... import ops
from ....base import dtype as dt
from .. import params
from ..variable import Distribution


class Laplace(Distribution):
    r"""Laplace's distribution: density :math:`\exp(-|x - \mu| / b) / 2b`.

    Args:
        mean (float, list, numpy.ndarray, Tensor): :math:`\mu`. Default: None, given in each call.
        sd (float, list, numpy.ndarray, Tensor): b, above 0; the standard deviation is
            :math:`b\sqrt{2}`. Default: None.
        seed (int): as in `Distribution`. Default: None.
        dtype (dtype): of the samples, floating point. Default: ``ms.float32``.
        name (str): its name. Default: ``"Laplace"``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``sd`` is not above 0.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> print(msd.Laplace(0.0, 0.5).log_prob(Tensor([0.5, 1.0])))
        [-1. -2.]
    """

    def __init__(self, mean=None, sd=None, seed=None, dtype=dt.float32, name="Laplace"):
        self._begin(seed, dtype, name, {"mean": mean, "sd": sd})
        self._mean_value, self._sd_value = self.default_parameters
        params.check_positive(self._sd_value, "standard deviation")

    def _mean(self, mean=None, sd=None):
        return self._check_param_type(mean, sd)[0]

    def _mode(self, mean=None, sd=None):
        return self._check_param_type(mean, sd)[0]

    def _var(self, mean=None, sd=None):
        _, scale = self._check_param_type(mean, sd)
        return 2 * ops.square(scale)

    def _entropy(self, mean=None, sd=None):
        _, scale = self._check_param_type(mean, sd)
        return 1 + ops.log(2 * scale)

    def _log_prob(self, value, mean=None, sd=None):
        value = self._place(value)
        mean, scale = self._check_param_type(mean, sd)
        return -ops.abs(value - mean) / scale - ops.log(2 * scale)

    def _cdf(self, value, mean=None, sd=None):
        value = self._place(value)
        mean, scale = self._check_param_type(mean, sd)
        z = (value - mean) / scale
        return 0.5 - 0.5 * ops.sign(z) * ops.expm1(-ops.abs(z))

    def _sample(self, shape=(), mean=None, sd=None):
        mean, scale = self._check_param_type(mean, sd)
        shape = self._drawn_shape(shape, mean)
        # Half of the numbers on each side; 1 - |u| is never 0.
        u = 2 * ops.rand(shape, dtype=self.parameter_type, seed=self.seed) - 1
        drawn = -ops.sign(u) * ops.log1p(-ops.abs(u) * (1 - 2**-24))
        return ops.cast(mean + scale * drawn, self.dtype)

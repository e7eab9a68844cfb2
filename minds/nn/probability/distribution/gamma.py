"""The gamma distribution."""

from __future__ import annotations

from .... import ops
from ....base import dtype as dt
from .. import params
from ..variable import Distribution


class Gamma(Distribution):
    r"""The gamma distribution: density :math:`\beta^\alpha x^{\alpha - 1} e^{-\beta x} / \Gamma(\alpha)`.

    Args:
        concentration (float, list, numpy.ndarray, Tensor): :math:`\alpha`, above 0. Default: None,
            given in each call.
        rate (float, list, numpy.ndarray, Tensor): :math:`\beta`, above 0. Default: None.
        seed (int): as in `Distribution`. Default: None.
        dtype (dtype): of the samples, floating point. Default: ``ms.float32``.
        name (str): its name. Default: ``"Gamma"``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a parameter is not above 0.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> print(msd.Gamma(1.0, 2.0).prob(Tensor([0.0])), msd.Gamma(4.0, 2.0).var())
        [2.] 1.0
    """

    def __init__(self, concentration=None, rate=None, seed=None, dtype=dt.float32, name="Gamma"):
        self._begin(seed, dtype, name, {"concentration": concentration, "rate": rate})
        self._concentration, self._rate = self.default_parameters
        params.check_positive(self._concentration, "concentration")
        params.check_positive(self._rate, "rate")

    @property
    def concentration(self):
        """Tensor: alpha."""
        return self._concentration

    @property
    def rate(self):
        """Tensor: beta."""
        return self._rate

    def _mean(self, concentration=None, rate=None):
        a, b = self._check_param_type(concentration, rate)
        return a / b

    def _var(self, concentration=None, rate=None):
        a, b = self._check_param_type(concentration, rate)
        return a / ops.square(b)

    def _mode(self, concentration=None, rate=None):
        a, b = self._check_param_type(concentration, rate)
        return ops.where(a > 1, (a - 1) / b, float("nan"))

    def _entropy(self, concentration=None, rate=None):
        a, b = self._check_param_type(concentration, rate)
        return a - ops.log(b) + ops.lgamma(a) + (1 - a) * ops.digamma(a)

    def _kl_loss(self, dist, concentration_b, rate_b, concentration=None, rate=None):
        self._check_distribution_name(dist)
        a_b, b_b = self._place(concentration_b), self._place(rate_b)
        a, b = self._check_param_type(concentration, rate)
        rates = a_b * (ops.log(b) - ops.log(b_b)) + a * (b_b / b - 1)
        return (a - a_b) * ops.digamma(a) + ops.lgamma(a_b) - ops.lgamma(a) + rates

    def _log_prob(self, value, concentration=None, rate=None):
        value = self._place(value)
        a, b = self._check_param_type(concentration, rate)
        return ops.xlogy(a - 1, value) - b * value + a * ops.log(b) - ops.lgamma(a)

    def _cdf(self, value, concentration=None, rate=None):
        value = self._place(value)
        a, b = self._check_param_type(concentration, rate)
        return ops.igamma(a, b * ops.relu(value))

    def _sample(self, shape=(), concentration=None, rate=None):
        a, b = self._check_param_type(concentration, rate)
        return ops.cast(ops.gamma(self._drawn_shape(shape, a), a, b, seed=self.seed), self.dtype)

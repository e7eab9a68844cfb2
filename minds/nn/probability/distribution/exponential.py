"""The exponential distribution."""

from __future__ import annotations

from .... import ops
from ....base import dtype as dt
from .. import params
from ..variable import Distribution


class Exponential(Distribution):
    r"""The exponential distribution: density :math:`\lambda e^{-\lambda x}` for :math:`x \ge 0`.

    Args:
        rate (float, list, numpy.ndarray, Tensor): :math:`\lambda`, above 0. Default: None, given in
            each call.
        seed (int): as in `Distribution`. Default: None.
        dtype (dtype): of the samples, floating point. Default: ``ms.float32``.
        name (str): its name. Default: ``"Exponential"``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``rate`` is not above 0.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> print(msd.Exponential(2.0).prob(Tensor([-1.0, 0.0])))
        [0. 2.]
    """

    def __init__(self, rate=None, seed=None, dtype=dt.float32, name="Exponential"):
        self._begin(seed, dtype, name, {"rate": rate})
        (self._rate,) = self.default_parameters
        params.check_positive(self._rate, "rate")

    @property
    def rate(self):
        """Tensor: the inverse of the mean."""
        return self._rate

    def _mean(self, rate=None):
        return 1 / self._check_param_type(rate)

    def _mode(self, rate=None):
        return ops.zeros_like(self._check_param_type(rate))

    def _sd(self, rate=None):
        return 1 / self._check_param_type(rate)

    def _entropy(self, rate=None):
        return 1 - ops.log(self._check_param_type(rate))

    def _kl_loss(self, dist, rate_b, rate=None):
        self._check_distribution_name(dist)
        rate_b, rate = self._place(rate_b), self._check_param_type(rate)
        return ops.log(rate) - ops.log(rate_b) + rate_b / rate - 1

    def _log_prob(self, value, rate=None):
        value, rate = self._place(value), self._check_param_type(rate)
        return ops.where(value < 0, float("-inf"), ops.log(rate) - rate * value)

    def _cdf(self, value, rate=None):
        value, rate = self._place(value), self._check_param_type(rate)
        return -ops.expm1(-rate * ops.relu(value))

    def _log_survival(self, value, rate=None):
        value, rate = self._place(value), self._check_param_type(rate)
        return -rate * ops.relu(value)

    def _sample(self, shape=(), rate=None):
        rate = self._check_param_type(rate)
        u = ops.rand(self._drawn_shape(shape, rate), dtype=self.parameter_type, seed=self.seed)
        return ops.cast(-ops.log1p(-u) / rate, self.dtype)

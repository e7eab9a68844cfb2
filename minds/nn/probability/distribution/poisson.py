"""Poisson's distribution."""

from __future__ import annotations

from .... import ops
from ....base import dtype as dt
from .. import params
from ..variable import Distribution


class Poisson(Distribution):
    r"""Poisson's distribution: :math:`\lambda^k e^{-\lambda} / k!`.

    Args:
        rate (float, list, numpy.ndarray, Tensor): :math:`\lambda`, above 0. Default: None, given in
            each call.
        seed (int): as in `Distribution`. Default: None.
        dtype (dtype): of the samples. Default: ``ms.float32``.
        name (str): its name. Default: ``"Poisson"``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``rate`` is not above 0.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> print(msd.Poisson([2.0]).prob(Tensor([0, 1])).asnumpy().round(4))
        [0.1353 0.2707]
    """

    def __init__(self, rate=None, seed=None, dtype=dt.float32, name="Poisson"):
        self._begin(seed, dtype, name, {"rate": rate}, floats=False)
        (self._rate,) = self.default_parameters
        params.check_positive(self._rate, "rate")

    @property
    def rate(self):
        """Tensor: the mean."""
        return self._rate

    def _mean(self, rate=None):
        return self._check_param_type(rate)

    def _mode(self, rate=None):
        return ops.floor(self._check_param_type(rate))

    def _var(self, rate=None):
        return self._check_param_type(rate)

    def _log_prob(self, value, rate=None):
        value, rate = self._place(value), self._check_param_type(rate)
        return ops.where(
            value < 0,
            float("-inf"),
            value * ops.log(rate) - ops.lgamma(ops.relu(value) + 1) - rate,
        )

    def _cdf(self, value, rate=None):
        value, rate = ops.floor(self._place(value)), self._check_param_type(rate)
        return ops.where(value < 0, 0.0, ops.igammac(ops.relu(value) + 1, rate))

    def _sample(self, shape=(), rate=None):
        rate = self._check_param_type(rate)
        drawn = ops.poisson(self._drawn_shape(shape, rate), rate, seed=self.seed)
        return ops.cast(drawn, self.dtype)

"""The uniform distribution."""

from __future__ import annotations

from .... import ops
from ....base import dtype as dt
from .. import params
from ..variable import Distribution


class Uniform(Distribution):
    r"""The uniform distribution on an interval.

    Args:
        low (float, list, numpy.ndarray, Tensor): its lower end. Default: None, given in each call.
        high (float, list, numpy.ndarray, Tensor): its upper end, above ``low``. Default: None.
        seed (int): as in `Distribution`. Default: None.
        dtype (dtype): of the samples, floating point. Default: ``ms.float32``.
        name (str): its name. Default: ``"Uniform"``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``low`` is not below ``high``.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> print(msd.Uniform(0.0, 4.0).cdf(Tensor([-1.0, 1.0, 5.0])))
        [0.   0.25 1.  ]
    """

    def __init__(self, low=None, high=None, seed=None, dtype=dt.float32, name="Uniform"):
        self._begin(seed, dtype, name, {"low": low, "high": high})
        self._low, self._high = self.default_parameters
        params.check_below(self._low, self._high)

    @property
    def low(self):
        """Tensor: the lower end."""
        return self._low

    @property
    def high(self):
        """Tensor: the upper end."""
        return self._high

    def _mean(self, low=None, high=None):
        low, high = self._check_param_type(low, high)
        return (low + high) / 2

    def _var(self, low=None, high=None):
        low, high = self._check_param_type(low, high)
        return ops.square(high - low) / 12

    def _entropy(self, low=None, high=None):
        low, high = self._check_param_type(low, high)
        return ops.log(high - low)

    def _kl_loss(self, dist, low_b, high_b, low=None, high=None):
        self._check_distribution_name(dist)
        low_b, high_b = self._place(low_b), self._place(high_b)
        low, high = self._check_param_type(low, high)
        within = ops.logical_and(low_b <= low, high <= high_b)
        return ops.where(within, ops.log(high_b - low_b) - ops.log(high - low), float("inf"))

    def _prob(self, value, low=None, high=None):
        value = self._place(value)
        low, high = self._check_param_type(low, high)
        within = ops.logical_and(low <= value, value <= high)
        return ops.where(within, 1 / (high - low), 0.0)

    def _cdf(self, value, low=None, high=None):
        value = self._place(value)
        low, high = self._check_param_type(low, high)
        return ops.clamp((value - low) / (high - low), 0.0, 1.0)

    def _sample(self, shape=(), low=None, high=None):
        low, high = self._check_param_type(low, high)
        u = ops.rand(self._drawn_shape(shape, low), dtype=self.parameter_type, seed=self.seed)
        return ops.cast(low + (high - low) * u, self.dtype)

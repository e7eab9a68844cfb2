"""The logistic distribution."""

from __future__ import annotations

import math

from .... import ops
from ....base import dtype as dt
from .. import params
from ..variable import Distribution


class Logistic(Distribution):
    r"""The logistic distribution: cumulative :math:`1 / (1 + e^{-(x - \mu) / s})`.

    Args:
        loc (float, list, numpy.ndarray, Tensor): :math:`\mu`. Default: None, given in each call.
        scale (float, list, numpy.ndarray, Tensor): s, above 0. Default: None.
        seed (int): as in `Distribution`. Default: None.
        dtype (dtype): of the samples, floating point. Default: ``ms.float32``.
        name (str): its name. Default: ``"Logistic"``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``scale`` is not above 0.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> print(msd.Logistic(0.0, 1.0).cdf(Tensor([0.0])))
        [0.5]
    """

    shown = ("location", "scale")

    def __init__(self, loc=None, scale=None, seed=None, dtype=dt.float32, name="Logistic"):
        self._begin(seed, dtype, name, {"loc": loc, "scale": scale})
        self._loc, self._scale = self.default_parameters
        params.check_positive(self._scale, "scale")

    @property
    def loc(self):
        """Tensor: the mean."""
        return self._loc

    @property
    def scale(self):
        """Tensor: s."""
        return self._scale

    def _mean(self, loc=None, scale=None):
        return self._check_param_type(loc, scale)[0]

    def _mode(self, loc=None, scale=None):
        return self._check_param_type(loc, scale)[0]

    def _sd(self, loc=None, scale=None):
        return self._check_param_type(loc, scale)[1] * (math.pi / math.sqrt(3.0))

    def _entropy(self, loc=None, scale=None):
        return ops.log(self._check_param_type(loc, scale)[1]) + 2

    def _standard(self, value, loc, scale):
        """The value in units of the scale, and the scale."""
        value = self._place(value)
        loc, scale = self._check_param_type(loc, scale)
        return (value - loc) / scale, scale

    def _log_prob(self, value, loc=None, scale=None):
        z, scale = self._standard(value, loc, scale)
        return -z - 2 * ops.softplus(-z) - ops.log(scale)

    def _cdf(self, value, loc=None, scale=None):
        return ops.sigmoid(self._standard(value, loc, scale)[0])

    def _log_cdf(self, value, loc=None, scale=None):
        return -ops.softplus(-self._standard(value, loc, scale)[0])

    def _survival_function(self, value, loc=None, scale=None):
        return ops.sigmoid(-self._standard(value, loc, scale)[0])

    def _log_survival(self, value, loc=None, scale=None):
        return -ops.softplus(self._standard(value, loc, scale)[0])

    def _sample(self, shape=(), loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        shape = self._drawn_shape(shape, loc)
        # Numbers in (0, 1): neither end has a finite image.
        u = ops.clamp(
            ops.rand(shape, dtype=self.parameter_type, seed=self.seed), 2**-25, 1 - 2**-24
        )
        return ops.cast(loc + scale * (ops.log(u) - ops.log1p(-u)), self.dtype)

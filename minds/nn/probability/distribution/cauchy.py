"""Cauchy's distribution."""

from __future__ import annotations

import math

from .... import ops
from ....base import dtype as dt
from .. import params
from ..variable import Distribution


class Cauchy(Distribution):
    r"""Cauchy's distribution: density :math:`1 / (\pi s (1 + ((x - x_0) / s)^2))`. It has no mean and no
    variance.

    Args:
        loc (float, list, numpy.ndarray, Tensor): :math:`x_0`. Default: None, given in each call.
        scale (float, list, numpy.ndarray, Tensor): s, above 0. Default: None.
        seed (int): as in `Distribution`. Default: None.
        dtype (dtype): of the samples, floating point. Default: ``ms.float32``.
        name (str): its name. Default: ``"Cauchy"``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``scale`` is not above 0.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> print(msd.Cauchy(0.0, 1.0).cdf(Tensor([0.0, 1.0])))
        [0.5  0.75]
    """

    shown = ("location", "scale")

    def __init__(self, loc=None, scale=None, seed=None, dtype=dt.float32, name="Cauchy"):
        self._begin(seed, dtype, name, {"loc": loc, "scale": scale})
        self._loc, self._scale = self.default_parameters
        params.check_positive(self._scale, "scale")

    @property
    def loc(self):
        """Tensor: the mode."""
        return self._loc

    @property
    def scale(self):
        """Tensor: s."""
        return self._scale

    def _mean(self, *args, **kwargs):
        return self._undefined("mean")

    def _sd(self, *args, **kwargs):
        return self._undefined("standard deviation")

    def _var(self, *args, **kwargs):
        return self._undefined("variance")

    def _mode(self, loc=None, scale=None):
        return self._check_param_type(loc, scale)[0]

    def _entropy(self, loc=None, scale=None):
        _, scale = self._check_param_type(loc, scale)
        return ops.log(scale) + math.log(4 * math.pi)

    def _kl_loss(self, dist, loc_b, scale_b, loc=None, scale=None):
        self._check_distribution_name(dist)
        loc_b, scale_b = self._place(loc_b), self._place(scale_b)
        loc, scale = self._check_param_type(loc, scale)
        both = ops.square(scale + scale_b) + ops.square(loc - loc_b)
        return ops.log(both) - ops.log(4 * scale * scale_b)

    def _log_prob(self, value, loc=None, scale=None):
        value = self._place(value)
        loc, scale = self._check_param_type(loc, scale)
        z = (value - loc) / scale
        return -ops.log1p(ops.square(z)) - ops.log(scale) - math.log(math.pi)

    def _cdf(self, value, loc=None, scale=None):
        value = self._place(value)
        loc, scale = self._check_param_type(loc, scale)
        return ops.atan((value - loc) / scale) / math.pi + 0.5

    def _sample(self, shape=(), loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        u = ops.rand(self._drawn_shape(shape, loc), dtype=self.parameter_type, seed=self.seed)
        return ops.cast(loc + scale * ops.tan(math.pi * (u - 0.5)), self.dtype)

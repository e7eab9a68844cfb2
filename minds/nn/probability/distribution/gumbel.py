"""Gumbel's distribution."""

from __future__ import annotations

import math

import numpy as np

from .... import ops
from ....base import dtype as dt
from ..bijector import GumbelCDF, Invert
from ..transformed import TransformedDistribution
from ..variable import Distribution
from .uniform import Uniform


class Gumbel(TransformedDistribution):
    r"""Gumbel's distribution: cumulative :math:`\exp(-e^{-(x - \mu) / s})`.

    Args:
        loc (float, list, numpy.ndarray, Tensor): :math:`\mu`.
        scale (float, list, numpy.ndarray, Tensor): s, above 0.
        seed (int): as in `Distribution`. Default: 0.
        dtype (dtype): of the samples, floating point. Default: ``ms.float32``.
        name (str): its name. Default: ``"Gumbel"``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``scale`` is not above 0.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> print(msd.Gumbel(1.0, 2.0).mode(), msd.Gumbel(0.0, 1.0).cdf(Tensor([0.0])))
        1.0 [0.36787945]
    """

    def __init__(self, loc, scale, seed=0, dtype=dt.float32, name="Gumbel"):
        cdf = GumbelCDF(loc, scale)
        super().__init__(Invert(cdf), Uniform(0.0, 1.0, dtype=dtype), seed, name)
        self.parameter_type = cdf.parameter_type
        self._reset_parameters()
        self._loc, self._scale = (
            self._add_parameter(loc, "loc"),
            self._add_parameter(scale, "scale"),
        )
        self._batch_shape = self._broadcast_shape = cdf.batch_shape
        self._is_scalar_batch = cdf.is_scalar_batch

    @property
    def loc(self):
        """Tensor: the mode."""
        return self._loc

    @property
    def scale(self):
        """Tensor: s."""
        return self._scale

    def _both(self):
        return self._check_param_type(None, None)

    def _mean(self):
        loc, scale = self._both()
        return loc + scale * np.euler_gamma

    def _mode(self):
        return self._both()[0]

    def _sd(self):
        return self._both()[1] * (math.pi / math.sqrt(6.0))

    def _entropy(self):
        return ops.log(self._both()[1]) + (1 + np.euler_gamma)

    def _log_prob(self, value):
        value = self._place(value)
        loc, scale = self._both()
        z = (value - loc) / scale
        return -z - ops.exp(-z) - ops.log(scale)

    def _log_cdf(self, value):
        value = self._place(value)
        loc, scale = self._both()
        return -ops.exp(-(value - loc) / scale)

    def _cdf(self, value):
        return ops.exp(self._log_cdf(value))

    def _survival_function(self, value):
        return -ops.expm1(self._log_cdf(value))

    def _log_survival(self, value):
        return ops.log(self._survival_function(value))

    def _kl_loss(self, dist, loc_b, scale_b):
        self._check_distribution_name(dist)
        loc_b, scale_b = self._place(loc_b), self._place(scale_b)
        loc, scale = self._both()
        shift, ratio = (loc - loc_b) / scale_b, scale / scale_b
        far = ops.exp(-shift + ops.lgamma(ratio + 1)) - 1
        return ops.log(scale_b) - ops.log(scale) + np.euler_gamma * (ratio - 1) + shift + far

    def _sample(self, shape=()):
        loc, scale = self._both()
        u = ops.rand(self._drawn_shape(shape, loc), dtype=self.parameter_type, seed=self.seed)
        u = ops.clamp(u, 1e-30, 1 - 2**-24)
        return ops.cast(loc - scale * ops.log(-ops.log(u)), self.dtype)

    def extend_repr(self):
        return Distribution.extend_repr(self)

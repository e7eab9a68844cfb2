"""The log-normal distribution."""

from __future__ import annotations

import math

from .... import ops
from ....base import dtype as dt
from ..bijector import Exp
from ..transformed import TransformedDistribution
from ..variable import Distribution
from .normal import Normal


class LogNormal(TransformedDistribution):
    r"""The distribution of :math:`e^X` where X is normal.

    Args:
        loc (float, list, numpy.ndarray, Tensor): the mean of X. Default: None, given in each call.
        scale (float, list, numpy.ndarray, Tensor): the standard deviation of X, above 0. Default:
            None.
        seed (int): as in `Distribution`. Default: 0.
        dtype (dtype): of the samples, floating point. Default: ``ms.float32``.
        name (str): its name. Default: ``"LogNormal"``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``scale`` is not above 0.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> print(msd.LogNormal(0.0, 1.0).cdf(Tensor([1.0])))
        [0.5]
    """

    def __init__(self, loc=None, scale=None, seed=0, dtype=dt.float32, name="LogNormal"):
        super().__init__(Exp(), Normal(loc, scale, dtype=dtype), seed, name)
        self._reset_parameters()
        self._loc, self._scale = (
            self._add_parameter(loc, "loc"),
            self._add_parameter(scale, "scale"),
        )

    @property
    def loc(self):
        """Tensor: the mean of X."""
        return self._loc

    @property
    def scale(self):
        """Tensor: the standard deviation of X."""
        return self._scale

    def _mean(self, loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        return ops.exp(loc + ops.square(scale) / 2)

    def _mode(self, loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        return ops.exp(loc - ops.square(scale))

    def _var(self, loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        return ops.expm1(ops.square(scale)) * ops.exp(2 * loc + ops.square(scale))

    def _entropy(self, loc=None, scale=None):
        loc, scale = self._check_param_type(loc, scale)
        return loc + ops.log(scale) + 0.5 * math.log(2 * math.pi * math.e)

    def _kl_loss(self, dist, loc_b, scale_b, loc=None, scale=None):
        self._check_distribution_name(dist)
        loc, scale = self._check_param_type(loc, scale)
        return self.distribution.kl_loss("Normal", loc_b, scale_b, loc, scale)

    def extend_repr(self):
        return Distribution.extend_repr(self)

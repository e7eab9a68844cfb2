"""Student's t distribution."""

from __future__ import annotations

import math

from .... import ops
from ....base import dtype as dt
from .. import params
from ..variable import Distribution


class StudentT(Distribution):
    r"""Student's t distribution: density proportional to
    :math:`(1 + ((x - \mu) / \sigma)^2 / \nu)^{-(\nu + 1) / 2}`.

    Args:
        df (float, list, numpy.ndarray, Tensor): the degrees of freedom :math:`\nu`, above 0. Default:
            None, given in each call.
        mean (float, list, numpy.ndarray, Tensor): :math:`\mu`. Default: None.
        sd (float, list, numpy.ndarray, Tensor): :math:`\sigma`, above 0. Default: None.
        seed (int): as in `Distribution`. Default: None.
        dtype (dtype): of the samples, floating point. Default: ``ms.float32``.
        name (str): its name. Default: ``"StudentT"``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``df`` or ``sd`` is not above 0.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> print(msd.StudentT(1.0, 0.0, 1.0).prob(Tensor([0.0])))
        [0.3183099]
    """

    def __init__(self, df=None, mean=None, sd=None, seed=None, dtype=dt.float32, name="StudentT"):
        self._begin(seed, dtype, name, {"df": df, "mean": mean, "sd": sd})
        self._df, self._mean_value, self._sd_value = self.default_parameters
        params.check_positive(self._df, "df")
        params.check_positive(self._sd_value, "standard deviation")

    def _mean(self, df=None, mean=None, sd=None):
        df, mean, _ = self._check_param_type(df, mean, sd)
        return ops.where(df > 1, mean, float("nan"))

    def _mode(self, df=None, mean=None, sd=None):
        return self._check_param_type(df, mean, sd)[1]

    def _var(self, df=None, mean=None, sd=None):
        df, _, sd = self._check_param_type(df, mean, sd)
        heavy = ops.where(df > 1, float("inf"), float("nan"))
        return ops.where(df > 2, ops.square(sd) * df / (df - 2), heavy)

    def _log_prob(self, value, df=None, mean=None, sd=None):
        value = self._place(value)
        df, mean, sd = self._check_param_type(df, mean, sd)
        half = (df + 1) / 2
        tail = half * ops.log1p(ops.square((value - mean) / sd) / df)
        norm = ops.lgamma(half) - ops.lgamma(df / 2) - 0.5 * ops.log(math.pi * df) - ops.log(sd)
        return norm - tail

    def _sample(self, shape=(), df=None, mean=None, sd=None):
        df, mean, sd = self._check_param_type(df, mean, sd)
        drawn = ops.randn(self._drawn_shape(shape, df), dtype=self.parameter_type, seed=self.seed)
        squares = ops.gamma(drawn.shape, df / 2, ops.ones_like(df) / 2, seed=self.seed)
        return ops.cast(mean + sd * drawn / ops.sqrt(squares / df), self.dtype)

"""The beta distribution."""

from __future__ import annotations

from .... import ops
from ....base import dtype as dt
from .. import params
from ..variable import Distribution


class Beta(Distribution):
    r"""The beta distribution: density :math:`x^{\alpha - 1} (1 - x)^{\beta - 1} / B(\alpha, \beta)` on
    [0, 1].

    Args:
        concentration1 (float, list, numpy.ndarray, Tensor): :math:`\alpha`, above 0. Default: None,
            given in each call.
        concentration0 (float, list, numpy.ndarray, Tensor): :math:`\beta`, above 0. Default: None.
        seed (int): as in `Distribution`. Default: None.
        dtype (dtype): of the samples, floating point. Default: ``ms.float32``.
        name (str): its name. Default: ``"Beta"``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a parameter is not above 0.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> print(msd.Beta(2.0, 2.0).prob(Tensor([0.5])).asnumpy().round(4), msd.Beta(3.0, 1.0).mean())
        [1.5] 0.75
    """

    def __init__(
        self, concentration1=None, concentration0=None, seed=None, dtype=dt.float32, name="Beta"
    ):
        given = {"concentration1": concentration1, "concentration0": concentration0}
        self._begin(seed, dtype, name, given)
        self._concentration1, self._concentration0 = self.default_parameters
        params.check_positive(self._concentration1, "concentration1")
        params.check_positive(self._concentration0, "concentration0")

    @property
    def concentration1(self):
        """Tensor: alpha."""
        return self._concentration1

    @property
    def concentration0(self):
        """Tensor: beta."""
        return self._concentration0

    def _mean(self, concentration1=None, concentration0=None):
        a, b = self._check_param_type(concentration1, concentration0)
        return a / (a + b)

    def _var(self, concentration1=None, concentration0=None):
        a, b = self._check_param_type(concentration1, concentration0)
        return a * b / (ops.square(a + b) * (a + b + 1))

    def _mode(self, concentration1=None, concentration0=None):
        a, b = self._check_param_type(concentration1, concentration0)
        inside = ops.logical_and(a > 1, b > 1)
        return ops.where(inside, (a - 1) / (a + b - 2), float("nan"))

    def _entropy(self, concentration1=None, concentration0=None):
        a, b = self._check_param_type(concentration1, concentration0)
        both = (a + b - 2) * ops.digamma(a + b)
        return _log_beta(a, b) - (a - 1) * ops.digamma(a) - (b - 1) * ops.digamma(b) + both

    def _kl_loss(
        self,
        dist,
        concentration1_b,
        concentration0_b,
        concentration1=None,
        concentration0=None,
    ):
        self._check_distribution_name(dist)
        a_b, b_b = self._place(concentration1_b), self._place(concentration0_b)
        a, b = self._check_param_type(concentration1, concentration0)
        both = (a_b - a + b_b - b) * ops.digamma(a + b)
        own = (a - a_b) * ops.digamma(a) + (b - b_b) * ops.digamma(b)
        return _log_beta(a_b, b_b) - _log_beta(a, b) + own + both

    def _log_prob(self, value, concentration1=None, concentration0=None):
        value = self._place(value)
        a, b = self._check_param_type(concentration1, concentration0)
        return ops.xlogy(a - 1, value) + ops.xlogy(b - 1, 1 - value) - _log_beta(a, b)

    def _sample(self, shape=(), concentration1=None, concentration0=None):
        a, b = self._check_param_type(concentration1, concentration0)
        shape = self._drawn_shape(shape, a)
        one = ops.ones_like(a)
        x, y = (ops.gamma(shape, v, one, seed=self.seed) for v in (a, b))
        return ops.cast(x / (x + y), self.dtype)


def _log_beta(a, b):
    """The logarithm of the beta function."""
    return ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)

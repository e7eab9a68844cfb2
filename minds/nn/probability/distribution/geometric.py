"""The geometric distribution."""

from __future__ import annotations

from .... import ops
from ....base import dtype as dt
from .. import params
from ..variable import Distribution


class Geometric(Distribution):
    r"""The geometric distribution: the number of failures before the first success,
    :math:`p (1 - p)^k`.

    Args:
        probs (float, list, numpy.ndarray, Tensor): p, the probability of success, between 0 and 1.
            Default: None, given in each call.
        seed (int): as in `Distribution`. Default: None.
        dtype (dtype): of the samples. Default: ``ms.int32``.
        name (str): its name. Default: ``"Geometric"``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``probs`` is not between 0 and 1.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> print(msd.Geometric(0.5).prob(Tensor([0, 1, 2])))
        [0.5   0.25  0.125]
    """

    def __init__(self, probs=None, seed=None, dtype=dt.int32, name="Geometric"):
        self._begin(seed, dtype, name, {"probs": probs}, floats=False)
        (self._probs,) = self.default_parameters
        params.check_probability(self._probs)

    @property
    def probs(self):
        """Tensor: the probability of success."""
        return self._probs

    def _mean(self, probs1=None):
        p = self._check_param_type(probs1)
        return (1 - p) / p

    def _mode(self, probs1=None):
        return ops.cast(ops.zeros_like(self._check_param_type(probs1)), self.dtype)

    def _var(self, probs1=None):
        p = self._check_param_type(probs1)
        return (1 - p) / ops.square(p)

    def _entropy(self, probs1=None):
        p = self._check_param_type(probs1)
        return -((1 - p) * ops.log1p(-p) + p * ops.log(p)) / p

    def _kl_loss(self, dist, probs1_b, probs1=None):
        self._check_distribution_name(dist)
        q, p = self._place(probs1_b), self._check_param_type(probs1)
        return ops.log(p / q) + (1 - p) / p * ops.log((1 - p) / (1 - q))

    def _prob(self, value, probs1=None):
        value, p = ops.floor(self._place(value)), self._check_param_type(probs1)
        return ops.where(value < 0, 0.0, p * ops.pow(1 - p, ops.relu(value)))

    def _cdf(self, value, probs1=None):
        value, p = ops.floor(self._place(value)), self._check_param_type(probs1)
        return ops.where(value < 0, 0.0, 1 - ops.pow(1 - p, ops.relu(value) + 1))

    def _sample(self, shape=(), probs1=None):
        p = self._check_param_type(probs1)
        u = ops.rand(self._drawn_shape(shape, p), dtype=dt.float32, seed=self.seed)
        return ops.cast(ops.floor(ops.log1p(-u) / ops.log1p(-p)), self.dtype)

"""`TransformedDistribution`: the distribution of an image of a random variable."""

from __future__ import annotations

import numpy as np

from ... import ops
from ...base.errors import complain
from .variable import Distribution


class TransformedDistribution(Distribution):
    """The distribution of g(X), where X has a distribution and g is a bijector.

    Args:
        bijector (Bijector): g.
        distribution (Distribution): that of X, of floating point.
        seed (int): as in `Distribution`. Default: None, that of ``distribution``.
        name (str): its name. Default: ``"transformed_distribution"``.

    Raises:
        TypeError: an argument has a wrong type.

    Examples:
        >>> import minds.nn.probability.bijector as msb
        >>> import minds.nn.probability.distribution as msd
        >>> double = msd.TransformedDistribution(msb.ScalarAffine(2.0), msd.Normal(0.0, 1.0))
        >>> print(double.mean(), double.cdf(Tensor([0.0])))
        0.0 [0.5]
    """

    def __init__(self, bijector, distribution, seed=None, name="transformed_distribution"):
        kind = type(self).__name__
        # The bijectors are made of distributions: they are known by what they do.
        if not hasattr(bijector, "inverse_log_jacobian"):
            raise complain(
                TypeError,
                f"{kind}: bijector has type {type(bijector).__name__}",
                expected="a Bijector",
            )
        if not isinstance(distribution, Distribution) or not distribution.dtype.is_float:
            raise complain(
                TypeError,
                f"{kind}: distribution has type {type(distribution).__name__}",
                expected="a Distribution of floating point",
            )
        param = {"bijector": bijector, "distribution": distribution}
        seed = distribution.seed if seed is None else seed
        super().__init__(seed, distribution.dtype, name, param)
        self._bijector, self._distribution = bijector, distribution
        self.parameter_type = distribution.parameter_type
        self._is_linear_transformation = bijector.is_constant_jacobian
        self.default_parameters = distribution.default_parameters
        self.parameter_names = distribution.parameter_names
        self._batch_shape = distribution.batch_shape
        self._is_scalar_batch = distribution.is_scalar_batch and (
            bijector.is_scalar_batch or bijector.batch_shape is None
        )
        shapes = [s for s in (distribution.batch_shape, bijector.batch_shape) if s is not None]
        self._broadcast_shape = (
            np.broadcast_shapes(*shapes) if self._batch_shape is not None else None
        )

    @property
    def bijector(self):
        """Bijector: g."""
        return self._bijector

    @property
    def distribution(self):
        """Distribution: that of X."""
        return self._distribution

    @property
    def is_linear_transformation(self):
        """bool: whether g has the same derivative everywhere."""
        return self._is_linear_transformation

    def _log_prob(self, value, *args, **kwargs):
        before = self._bijector.inverse(value)
        return self._distribution.log_prob(
            before, *args, **kwargs
        ) + self._bijector.inverse_log_jacobian(value)

    def _prob(self, value, *args, **kwargs):
        return ops.exp(self._log_prob(value, *args, **kwargs))

    def _side(self, below: str, above: str, value, args, kwargs):
        """A function of X below the inverse; where g decreases, the one above it."""
        before, falls = self._bijector.inverse(value), self._bijector.decreases()
        found = getattr(self._distribution, below)(before, *args, **kwargs)
        if falls is None:
            return found
        return ops.where(falls, getattr(self._distribution, above)(before, *args, **kwargs), found)

    def _cdf(self, value, *args, **kwargs):
        return self._side("cdf", "survival_function", value, args, kwargs)

    def _log_cdf(self, value, *args, **kwargs):
        return self._side("log_cdf", "log_survival", value, args, kwargs)

    def _survival_function(self, value, *args, **kwargs):
        return self._side("survival_function", "cdf", value, args, kwargs)

    def _log_survival(self, value, *args, **kwargs):
        return self._side("log_survival", "log_cdf", value, args, kwargs)

    def _sample(self, *args, **kwargs):
        return self._bijector.forward(self._distribution.sample(*args, **kwargs))

    def _mean(self, *args, **kwargs):
        if not self._is_linear_transformation:
            raise ValueError("mean must be implemented for a transformation that is not linear")
        return self._bijector.forward(self._distribution.mean(*args, **kwargs))

    def _entropy(self, *args, **kwargs):
        if not self._is_linear_transformation:
            raise ValueError("entropy must be implemented for a transformation that is not linear")
        middle = self._distribution.mean(*args, **kwargs)
        return self._distribution.entropy(*args, **kwargs) + self._bijector.forward_log_jacobian(
            middle
        )

    def extend_repr(self) -> str:
        return ""

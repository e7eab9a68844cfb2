"""The bijectors."""

from __future__ import annotations

from .... import ops
from ....base.errors import complain
from .. import params
from .bijector import Bijector


def _log_expm1(x):
    """:math:`\\log(e^x - 1)` without overflow."""
    return x + ops.log(-ops.expm1(-x))


class PowerTransform(Bijector):
    r"""The map :math:`x \mapsto (1 + c x)^{1/c}` for :math:`x > -1/c`; :math:`e^x` where c is 0.

    Args:
        power (float, list, numpy.ndarray, Tensor): c, at least 0. Default: 0.
        name (str): its name. Default: ``"PowerTransform"``.

    Raises:
        ValueError: ``power`` is negative.

    Examples:
        >>> import minds.nn.probability.bijector as msb
        >>> print(msb.PowerTransform(0.5).forward(Tensor([2.0, 4.0])))
        [4. 9.]
    """

    def __init__(self, power=0.0, name="PowerTransform"):
        super().__init__(name=name, param={"param_dict": {"power": power}})
        self._power = self._add_parameter(power, "power")
        if (self._power.asnumpy() < 0).any():
            raise complain(ValueError, "PowerTransform: power must be greater or equal to zero")

    @property
    def power(self):
        """Tensor: c."""
        return self._power

    def _parts(self, value):
        """c, 1 where it is 0, and whether it is."""
        c = self.cast_param_by_value(value, self._power)
        none = ops.equal(c, 0)
        return c, ops.select(none, ops.ones_like(c), c), none

    def _forward(self, x):
        x = self._check_value_dtype(x)
        c, safe, none = self._parts(x)
        return ops.where(none, ops.exp(x), ops.exp(ops.log1p(x * c) / safe))

    def _inverse(self, y):
        y = self._check_value_dtype(y)
        _, safe, none = self._parts(y)
        return ops.where(none, ops.log(y), ops.expm1(ops.log(y) * safe) / safe)

    def _forward_log_jacobian(self, x):
        x = self._check_value_dtype(x)
        c, safe, none = self._parts(x)
        return ops.where(none, x, (1 / safe - 1) * ops.log1p(x * c))

    def _inverse_log_jacobian(self, y):
        y = self._check_value_dtype(y)
        c, _, _ = self._parts(y)
        return (c - 1) * ops.log(y)


class Exp(PowerTransform):
    r"""The map :math:`x \mapsto e^x`.

    Args:
        name (str): its name. Default: ``"Exp"``.

    Examples:
        >>> import minds.nn.probability.bijector as msb
        >>> print(msb.Exp().forward(Tensor([0.0])))
        [1.]
    """

    def __init__(self, name="Exp"):
        super().__init__(0.0, name)

    def extend_repr(self):
        return "exp"

    def _forward(self, x):
        return ops.exp(self._check_value_dtype(x))

    def _inverse(self, y):
        return ops.log(self._check_value_dtype(y))

    def _forward_log_jacobian(self, x):
        return self._check_value_dtype(x) * 1

    def _inverse_log_jacobian(self, y):
        return -ops.log(self._check_value_dtype(y))


class ScalarAffine(Bijector):
    r"""The map :math:`x \mapsto a x + b`.

    Args:
        scale (float, list, numpy.ndarray, Tensor): a. Default: 1.
        shift (float, list, numpy.ndarray, Tensor): b. Default: 0.
        name (str): its name. Default: ``"ScalarAffine"``.

    Raises:
        TypeError: ``scale`` and ``shift`` have different dtypes, or are no numbers.

    Examples:
        >>> import minds.nn.probability.bijector as msb
        >>> print(msb.ScalarAffine(2.0, 1.0).forward(Tensor([1.0, 2.0])))
        [3. 5.]
    """

    def __init__(self, scale=1.0, shift=0.0, name="ScalarAffine"):
        super().__init__(True, name=name, param={"param_dict": {"scale": scale, "shift": shift}})
        self._scale = self._add_parameter(scale, "scale")
        self._shift = self._add_parameter(shift, "shift")

    @property
    def scale(self):
        """Tensor: a."""
        return self._scale

    @property
    def shift(self):
        """Tensor: b."""
        return self._shift

    def decreases(self):
        return ops.less(self._scale, 0)

    def _both(self, value):
        return (
            self.cast_param_by_value(value, self._scale),
            self.cast_param_by_value(value, self._shift),
        )

    def _forward(self, x):
        scale, shift = self._both(self._check_value_dtype(x))
        return scale * x + shift

    def _inverse(self, y):
        scale, shift = self._both(self._check_value_dtype(y))
        return (y - shift) / scale

    def _forward_log_jacobian(self, x):
        scale, _ = self._both(self._check_value_dtype(x))
        return ops.log(ops.abs(scale))

    def _inverse_log_jacobian(self, y):
        scale, _ = self._both(self._check_value_dtype(y))
        return -ops.log(ops.abs(scale))


class Softplus(Bijector):
    r"""The map :math:`x \mapsto \log(1 + e^{k x}) / k`.

    Args:
        sharpness (float, list, numpy.ndarray, Tensor): k, above 0. Default: 1.
        name (str): its name. Default: ``"Softplus"``.

    Raises:
        TypeError: ``sharpness`` is no number.
        ValueError: it is not above 0.

    Examples:
        >>> import minds.nn.probability.bijector as msb
        >>> print(msb.Softplus(2.0).forward(Tensor([0.0])))
        [0.3465736]
    """

    def __init__(self, sharpness=1.0, name="Softplus"):
        super().__init__(name=name, param={"param_dict": {"sharpness": sharpness}})
        self._sharpness = self._add_parameter(sharpness, "sharpness")
        params.check_positive(self._sharpness, "sharpness")

    @property
    def sharpness(self):
        """Tensor: k."""
        return self._sharpness

    def _forward(self, x):
        k = self.cast_param_by_value(self._check_value_dtype(x), self._sharpness)
        return ops.softplus(k * x) / k

    def _inverse(self, y):
        k = self.cast_param_by_value(self._check_value_dtype(y), self._sharpness)
        return _log_expm1(k * y) / k

    def _forward_log_jacobian(self, x):
        k = self.cast_param_by_value(self._check_value_dtype(x), self._sharpness)
        return -ops.softplus(-k * x)

    def _inverse_log_jacobian(self, y):
        k = self.cast_param_by_value(self._check_value_dtype(y), self._sharpness)
        return -ops.log(-ops.expm1(-k * y))


class GumbelCDF(Bijector):
    r"""The map :math:`x \mapsto \exp(-\exp(-(x - \mu) / s))`, the cumulative distribution function of
    Gumbel's distribution.

    Args:
        loc (float, list, numpy.ndarray, Tensor): :math:`\mu`. Default: 0.
        scale (float, list, numpy.ndarray, Tensor): s, above 0. Default: 1.
        name (str): its name. Default: ``"GumbelCDF"``.

    Raises:
        TypeError: ``loc`` and ``scale`` have different dtypes, or are no numbers.
        ValueError: ``scale`` is not above 0.

    Examples:
        >>> import minds.nn.probability.bijector as msb
        >>> print(msb.GumbelCDF().inverse(msb.GumbelCDF().forward(Tensor([0.5]))))
        [0.5]
    """

    def __init__(self, loc=0.0, scale=1.0, name="GumbelCDF"):
        super().__init__(name=name, param={"param_dict": {"loc": loc, "scale": scale}})
        self._loc = self._add_parameter(loc, "loc")
        self._scale = self._add_parameter(scale, "scale")
        params.check_positive(self._scale, "scale")

    @property
    def loc(self):
        """Tensor: the mode."""
        return self._loc

    @property
    def scale(self):
        """Tensor: s."""
        return self._scale

    def _both(self, value):
        return (
            self.cast_param_by_value(value, self._loc),
            self.cast_param_by_value(value, self._scale),
        )

    def _forward(self, x):
        loc, scale = self._both(self._check_value_dtype(x))
        return ops.exp(-ops.exp(-(x - loc) / scale))

    def _inverse(self, y):
        loc, scale = self._both(self._check_value_dtype(y))
        return loc - scale * ops.log(-ops.log(y))

    def _forward_log_jacobian(self, x):
        loc, scale = self._both(self._check_value_dtype(x))
        z = (x - loc) / scale
        return -z - ops.exp(-z) - ops.log(scale)

    def _inverse_log_jacobian(self, y):
        _, scale = self._both(self._check_value_dtype(y))
        return ops.log(scale / (-y * ops.log(y)))


class Invert(Bijector):
    """The inverse of a bijector.

    Args:
        bijector (Bijector): the map.
        name (str): its name. Default: ``""``, made from the map's.

    Raises:
        TypeError: ``bijector`` is no Bijector.

    Examples:
        >>> import minds.nn.probability.bijector as msb
        >>> print(msb.Invert(msb.ScalarAffine(2.0, 1.0)).forward(Tensor([3.0])))
        [1.]
    """

    def __init__(self, bijector, name=""):
        if not isinstance(bijector, Bijector):
            raise complain(
                TypeError,
                f"Invert: bijector has type {type(bijector).__name__}",
                expected="a Bijector",
            )
        super().__init__(
            bijector.is_constant_jacobian,
            bijector.is_injective,
            name or f"Invert{bijector.name}",
            bijector.dtype,
            {"bijector": bijector},
        )
        self._bijector = bijector
        self._batch_shape, self._is_scalar_batch = bijector.batch_shape, bijector.is_scalar_batch

    @property
    def bijector(self):
        """Bijector: the map that is inverted."""
        return self._bijector

    def decreases(self):
        return self._bijector.decreases()

    def _forward(self, x):
        return self._bijector.inverse(x)

    def _inverse(self, y):
        return self._bijector.forward(y)

    def _forward_log_jacobian(self, x):
        return self._bijector.inverse_log_jacobian(x)

    def _inverse_log_jacobian(self, y):
        return self._bijector.forward_log_jacobian(y)

    def extend_repr(self):
        return ""

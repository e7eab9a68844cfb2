"""`Bijector`: an invertible map of random variables."""

from __future__ import annotations

from .... import ops
from ....base import dtype as dt
from ....base.errors import complain
from ...cell import Cell
from ...layer import checks
from .. import params
from ..transformed import TransformedDistribution
from ..variable import Distribution

FUNCTIONS = ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian")


class Bijector(Cell):
    """Base of invertible maps: a subclass defines ``_forward``, ``_inverse``,
    ``_forward_log_jacobian`` and ``_inverse_log_jacobian``.

    Called with a Distribution it gives the distribution of the mapped variable; called with the
    name of one of the four functions, what that gives.

    Args:
        is_constant_jacobian (bool): whether the derivative is the same everywhere. Default: False.
        is_injective (bool): whether it is one to one. Default: True.
        name (str): its name. Default: None.
        dtype (dtype): of the values, floating point. Default: None, that of a value.
        param (dict): the arguments of the subclass; ``"param_dict"`` in it has the map's own.
            Default: None.

    Raises:
        TypeError: an argument has a wrong type.

    Examples:
        >>> import minds.nn.probability.bijector as msb
        >>> class Twice(msb.Bijector):
        ...     def __init__(self):
        ...         super().__init__(True, True, "Twice", None, {})
        ...     def _forward(self, x):
        ...         return 2 * x
        ...     def _inverse(self, y):
        ...         return y / 2
        >>> print(Twice().inverse(Tensor([4.0])))
        [2.]
    """

    def __init__(
        self, is_constant_jacobian=False, is_injective=True, name=None, dtype=None, param=None
    ):
        super().__init__()
        kind = type(self).__name__
        if not isinstance(name, str):
            raise complain(
                TypeError, f"{kind}: name has type {type(name).__name__}", expected="a str"
            )
        for argument, value in (
            ("is_constant_jacobian", is_constant_jacobian),
            ("is_injective", is_injective),
        ):
            checks.boolean(kind, argument, value)
        if dtype is not None and not dt.of(dtype).is_float:
            raise complain(TypeError, f"{kind}: dtype is {dtype}", expected="floating point")
        self._name, self._dtype = name, dtype
        self._is_constant_jacobian, self._is_injective = is_constant_jacobian, is_injective
        self._given = {
            k: v for k, v in (param or {}).items() if k not in ("self", "param") and k[0] != "_"
        }
        own = self._given.get("param_dict", {})
        self.parameter_type = params.common_dtype(own, dtype)
        self._batch_shape = params.common_shape(own) if own else None
        self._is_scalar_batch = params.are_numbers(own) if own else False
        self.default_parameters, self.parameter_names = [], []

    def _add_parameter(self, value, name):
        if value is None:
            raise complain(TypeError, f"{type(self).__name__}: {name} is None", expected="numbers")
        tensor = params.as_tensor(value, self.parameter_type)
        self.default_parameters.append(tensor)
        self.parameter_names.append(name)
        return tensor

    @property
    def name(self):
        """str: its name."""
        return self._name

    @property
    def dtype(self):
        """dtype: of the values, or None."""
        return self._dtype

    @property
    def parameters(self):
        """dict: what it was made with."""
        return self._given

    @property
    def is_constant_jacobian(self):
        """bool: whether the derivative is the same everywhere."""
        return self._is_constant_jacobian

    @property
    def is_injective(self):
        """bool: whether it is one to one."""
        return self._is_injective

    @property
    def batch_shape(self):
        """tuple[int]: the shape of its parameters, or None."""
        return self._batch_shape

    @property
    def is_scalar_batch(self):
        """bool: whether its parameters are numbers."""
        return self._is_scalar_batch

    def decreases(self):
        """Where the map decreases.

        Returns:
            Tensor[bool]: broadcasts with values; None: nowhere.

        Examples:
            >>> import minds.nn.probability.bijector as msb
            >>> print(msb.ScalarAffine(-2.0).decreases(), msb.Exp().decreases())
            True None
        """
        return

    def _check_value_dtype(self, value):
        params.expect_tensor(value, "the input value of a bijector")
        if self.dtype is None:
            if not value.dtype.is_float:
                raise TypeError("the input value of a bijector must be floating point")
        elif value.dtype != self.dtype:
            raise TypeError("the input value of a bijector must have its dtype")
        return value

    def cast_param_by_value(self, value, para):
        """A parameter in the dtype of a value.

        Args:
            value (Tensor): the value.
            para (Tensor): the parameter.

        Returns:
            Tensor: ``para`` in the dtype of ``value``.

        Examples:
            >>> import minds.nn.probability.bijector as msb
            >>> x = Tensor([1.0], ms.float16)
            >>> msb.Exp().cast_param_by_value(x, Tensor(2.0)).dtype
            Float16
        """
        return ops.cast(para, value.dtype)

    def forward(self, value, *args, **kwargs):
        """The map.

        Args:
            value (Tensor[float]): where.

        Returns:
            Tensor: the image.

        Examples:
            >>> import minds.nn.probability.bijector as msb
            >>> print(msb.ScalarAffine(2.0, 1.0).forward(Tensor([1.0])))
            [3.]
        """
        return self._forward(value, *args, **kwargs)

    def inverse(self, value, *args, **kwargs):
        """The inverse of the map.

        Args:
            value (Tensor[float]): where.

        Returns:
            Tensor: what the map sends to ``value``.

        Examples:
            >>> import minds.nn.probability.bijector as msb
            >>> print(msb.ScalarAffine(2.0, 1.0).inverse(Tensor([3.0])))
            [1.]
        """
        return self._inverse(value, *args, **kwargs)

    def forward_log_jacobian(self, value, *args, **kwargs):
        """The logarithm of the absolute value of the map's derivative.

        Args:
            value (Tensor[float]): where.

        Returns:
            Tensor: the logarithm.

        Examples:
            >>> import minds.nn.probability.bijector as msb
            >>> print(msb.Exp().forward_log_jacobian(Tensor([3.0])))
            [3.]
        """
        return self._forward_log_jacobian(value, *args, **kwargs)

    def inverse_log_jacobian(self, value, *args, **kwargs):
        """The logarithm of the absolute value of the inverse's derivative.

        Args:
            value (Tensor[float]): where.

        Returns:
            Tensor: the logarithm.

        Examples:
            >>> import minds.nn.probability.bijector as msb
            >>> print(msb.Exp().inverse_log_jacobian(Tensor([1.0])) + 0)
            [0.]
        """
        return self._inverse_log_jacobian(value, *args, **kwargs)

    def __call__(self, *args, **kwargs):
        if args and isinstance(args[0], Distribution):
            return TransformedDistribution(self, args[0])
        return super().__call__(*args, **kwargs)

    def construct(self, name, *args, **kwargs):
        if name not in FUNCTIONS:
            raise NotImplementedError(f"{name} is not implemented for {self._name} bijector")
        return getattr(self, name)(*args, **kwargs)

    def extend_repr(self) -> str:
        return params.text(
            self.parameter_names, self.default_parameters, self.batch_shape, self.is_scalar_batch
        )

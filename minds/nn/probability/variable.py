"""`Distribution`: what is known of a random variable."""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ..cell import Cell
from ..layer import checks
from . import params

FUNCTIONS = (
    "prob",
    "log_prob",
    "cdf",
    "log_cdf",
    "survival_function",
    "log_survival",
    "mean",
    "mode",
    "sd",
    "var",
    "entropy",
    "kl_loss",
    "cross_entropy",
    "sample",
    "get_dist_args",
    "get_dist_type",
)
"""What a Distribution can be called with."""


class Distribution(Cell):
    """Base of distributions: a subclass defines some of ``_prob``, ``_log_prob``, ``_cdf``,
    ``_survival_function``, ``_mean``, ``_mode``, ``_var``, ``_entropy``, ``_kl_loss``, ``_sample`` and
    so on; what follows from those need not be defined.

    Every function takes parameters of the distribution behind its own arguments, in place of those
    that the object was made with. ``dist("log_prob", x)`` is ``dist.log_prob(x)``, compiled in graph
    mode.

    Args:
        seed (int): what samples are drawn from besides the global seed. None is 0.
        dtype (dtype): of the samples.
        name (str): its name.
        param (dict): the arguments of the subclass; ``"param_dict"`` in it has the distribution's own
            parameters.

    Raises:
        TypeError: an argument has a wrong type, or the parameters have different dtypes.
        ValueError: ``seed`` is negative, or the parameters do not broadcast.

    Examples:
        >>> import minds.nn.probability.distribution as msd
        >>> class Point(msd.Distribution):
        ...     def __init__(self, at):
        ...         super().__init__(None, ms.float32, "Point", {"param_dict": {"at": at}})
        ...         self._at = self._add_parameter(at, "at")
        ...     def _mean(self, at=None):
        ...         return self._check_param_type(at)
        ...     def _var(self, at=None):
        ...         return ops.zeros_like(self._check_param_type(at))
        >>> print(Point(2.0).mean(), Point(2.0).sd())
        2.0 0.0
    """

    def __init__(self, seed, dtype, name, param):
        super().__init__()
        kind = type(self).__name__
        if not isinstance(name, str):
            raise complain(
                TypeError, f"{kind}: name has type {type(name).__name__}", expected="a str"
            )
        self._name, self._dtype = name, None if dtype is None else dt.of(dtype)
        self._seed = checks.int_at_least(kind, "seed", 0 if seed is None else seed, 0)
        self._given = {k: v for k, v in param.items() if k != "self" and k[0] != "_"}
        self.default_parameters, self.parameter_names = [], []
        if "distribution" in self._given:
            return
        own = self._given.get("param_dict", {})
        self.parameter_type = params.common_dtype(own, self._dtype)
        self._batch_shape = params.common_shape(own)
        self._is_scalar_batch = params.are_numbers(own)
        self._broadcast_shape = self._batch_shape

    def _begin(self, seed, dtype, name, given: dict, floats: bool = True) -> None:
        """`__init__` with the parameters ``given``; ``floats``: whether samples must be floating
        point.
        """
        found = dt.of(dtype)
        if not found.is_float and (floats or found is dt.bool_ or found.is_complex):
            raise complain(
                TypeError,
                f"{type(self).__name__}: dtype is {found.name}",
                expected="floating point" if floats else "a real number's",
            )
        Distribution.__init__(self, seed, dtype, name, {"param_dict": given})
        for n, v in given.items():
            self._add_parameter(v, n)

    def _add_parameter(self, value, name):
        tensor = None if value is None else params.as_tensor(value, self.parameter_type)
        self.default_parameters.append(tensor)
        self.parameter_names.append(name)
        return tensor

    def _reset_parameters(self) -> None:
        self.default_parameters, self.parameter_names = [], []

    def _check_param_type(self, *args):
        """The parameters of a call, or those of the object, in one shape and dtype."""
        found = []
        for arg, name, own in zip(args, self.parameter_names, self.default_parameters):
            if arg is None:
                if own is None:
                    raise TypeError(f"{name} must be a Tensor: it was not given before")
                arg = own
            found.append(ops.cast(params.expect_tensor(arg, name), self.parameter_type))
        return params.together(found)

    def _check_value(self, value, name):
        return params.expect_tensor(value, name)

    def _place(self, value):
        """A value in the parameters' dtype."""
        return ops.cast(self._check_value(value, "value"), self.parameter_type)

    def _check_distribution_name(self, dist) -> None:
        if dist != type(self).__name__:
            raise ValueError(f"dist is {dist}; expected {type(self).__name__}")

    def _drawn_shape(self, shape, parameter) -> tuple:
        """The shape of samples: ``shape``, then that of the parameters."""
        if not isinstance(shape, tuple):
            raise TypeError("shape must be a tuple")
        return shape + parameter.shape

    def _undefined(self, what: str):
        raise ValueError(f"{what} is undefined for {type(self).__name__} distribution")

    def _missing(self, what: str):
        raise NotImplementedError(
            f"{what} is not implemented for {type(self).__name__} distribution"
        )

    @property
    def name(self):
        """str: its name."""
        return self._name

    @property
    def dtype(self):
        """dtype: of the samples."""
        return self._dtype

    @property
    def seed(self):
        """int: what samples are drawn from besides the global seed."""
        return self._seed

    @property
    def parameters(self):
        """dict: what it was made with."""
        return self._given

    @property
    def is_scalar_batch(self):
        """bool: whether its parameters are numbers."""
        return self._is_scalar_batch

    @property
    def batch_shape(self):
        """tuple[int]: the shape of its parameters; None where one is missing."""
        return self._batch_shape

    @property
    def broadcast_shape(self):
        """tuple[int]: the shape of its values."""
        return self._broadcast_shape

    # ---- densities

    def prob(self, value, *args, **kwargs):
        """The density, or the probability of a discrete value.

        Args:
            value (Tensor): where.

        Returns:
            Tensor: the density.

        Examples:
            >>> import minds.nn.probability.distribution as msd
            >>> print(msd.Uniform(0.0, 2.0).prob(Tensor([1.0, 3.0])))
            [0.5 0. ]
        """
        if hasattr(self, "_prob"):
            return self._prob(value, *args, **kwargs)
        if hasattr(self, "_log_prob"):
            return ops.exp(self._log_prob(value, *args, **kwargs))
        return self._missing("prob")

    def log_prob(self, value, *args, **kwargs):
        """The logarithm of `prob`.

        Args:
            value (Tensor): where.

        Returns:
            Tensor: the logarithm.

        Examples:
            >>> import minds.nn.probability.distribution as msd
            >>> print(msd.Exponential(1.0).log_prob(Tensor([2.0])))
            [-2.]
        """
        if hasattr(self, "_log_prob"):
            return self._log_prob(value, *args, **kwargs)
        if hasattr(self, "_prob"):
            return ops.log(self._prob(value, *args, **kwargs))
        return self._missing("log_prob")

    def cdf(self, value, *args, **kwargs):
        """The probability of at most ``value``.

        Args:
            value (Tensor): where.

        Returns:
            Tensor: the probability.

        Examples:
            >>> import minds.nn.probability.distribution as msd
            >>> print(msd.Normal(0.0, 1.0).cdf(Tensor([0.0])))
            [0.5]
        """
        if hasattr(self, "_cdf"):
            return self._cdf(value, *args, **kwargs)
        if hasattr(self, "_log_cdf"):
            return ops.exp(self._log_cdf(value, *args, **kwargs))
        if hasattr(self, "_survival_function"):
            return 1 - self._survival_function(value, *args, **kwargs)
        if hasattr(self, "_log_survival"):
            return 1 - ops.exp(self._log_survival(value, *args, **kwargs))
        return self._missing("cdf")

    def log_cdf(self, value, *args, **kwargs):
        """The logarithm of `cdf`.

        Args:
            value (Tensor): where.

        Returns:
            Tensor: the logarithm.

        Examples:
            >>> import minds.nn.probability.distribution as msd
            >>> print(msd.Uniform(0.0, 1.0).log_cdf(Tensor([2.0])))
            [0.]
        """
        if hasattr(self, "_log_cdf"):
            return self._log_cdf(value, *args, **kwargs)
        return ops.log(self.cdf(value, *args, **kwargs))

    def survival_function(self, value, *args, **kwargs):
        """The probability of more than ``value``.

        Args:
            value (Tensor): where.

        Returns:
            Tensor: the probability.

        Examples:
            >>> import minds.nn.probability.distribution as msd
            >>> print(msd.Uniform(0.0, 4.0).survival_function(Tensor([1.0])))
            [0.75]
        """
        if hasattr(self, "_survival_function"):
            return self._survival_function(value, *args, **kwargs)
        if hasattr(self, "_log_survival"):
            return ops.exp(self._log_survival(value, *args, **kwargs))
        return 1 - self.cdf(value, *args, **kwargs)

    def log_survival(self, value, *args, **kwargs):
        """The logarithm of `survival_function`.

        Args:
            value (Tensor): where.

        Returns:
            Tensor: the logarithm.

        Examples:
            >>> import minds.nn.probability.distribution as msd
            >>> print(msd.Exponential(2.0).log_survival(Tensor([1.0])))
            [-2.]
        """
        if hasattr(self, "_log_survival"):
            return self._log_survival(value, *args, **kwargs)
        return ops.log(self.survival_function(value, *args, **kwargs))

    # ---- moments and information

    def mean(self, *args, **kwargs):
        """The mean.

        Returns:
            Tensor: of the parameters' shape.

        Examples:
            >>> import minds.nn.probability.distribution as msd
            >>> print(msd.Gamma([3.0], [2.0]).mean())
            [1.5]
        """
        if hasattr(self, "_mean"):
            return self._mean(*args, **kwargs)
        return self._missing("mean")

    def mode(self, *args, **kwargs):
        """The most likely value.

        Returns:
            Tensor: of the parameters' shape.

        Examples:
            >>> import minds.nn.probability.distribution as msd
            >>> print(msd.Gamma([3.0], [2.0]).mode())
            [1.]
        """
        if hasattr(self, "_mode"):
            return self._mode(*args, **kwargs)
        return self._missing("mode")

    def var(self, *args, **kwargs):
        """The variance.

        Returns:
            Tensor: of the parameters' shape.

        Examples:
            >>> import minds.nn.probability.distribution as msd
            >>> print(msd.Normal(0.0, 3.0).var())
            9.0
        """
        if hasattr(self, "_var"):
            return self._var(*args, **kwargs)
        if hasattr(self, "_sd"):
            return ops.square(self._sd(*args, **kwargs))
        return self._missing("var")

    def sd(self, *args, **kwargs):
        """The standard deviation.

        Returns:
            Tensor: of the parameters' shape.

        Examples:
            >>> import minds.nn.probability.distribution as msd
            >>> print(msd.Exponential(0.5).sd())
            2.0
        """
        if hasattr(self, "_sd"):
            return self._sd(*args, **kwargs)
        if hasattr(self, "_var"):
            return ops.sqrt(self._var(*args, **kwargs))
        return self._missing("sd")

    def entropy(self, *args, **kwargs):
        """The entropy, in nats.

        Returns:
            Tensor: of the parameters' shape.

        Examples:
            >>> import minds.nn.probability.distribution as msd
            >>> print(msd.Exponential(1.0).entropy())
            1.0
        """
        if hasattr(self, "_entropy"):
            return self._entropy(*args, **kwargs)
        return self._missing("entropy")

    def kl_loss(self, dist, *args, **kwargs):
        """The Kullback-Leibler divergence of this distribution (a) from another of its kind (b).

        Args:
            dist (str): the kind, such as ``"Normal"``.
            args (Tensor): the parameters of b; then those of a, if they are not the object's.

        Returns:
            Tensor: in nats.

        Raises:
            ValueError: ``dist`` is another kind.

        Examples:
            >>> import minds.nn.probability.distribution as msd
            >>> print(msd.Normal(0.0, 1.0).kl_loss("Normal", Tensor([1.0]), Tensor([1.0])))
            [0.5]
        """
        if hasattr(self, "_kl_loss"):
            return self._kl_loss(dist, *args, **kwargs)
        return self._missing("kl_loss")

    def cross_entropy(self, dist, *args, **kwargs):
        """The cross entropy of this distribution (a) and another of its kind (b).

        Args:
            dist (str): the kind.
            args (Tensor): as in `kl_loss`.

        Returns:
            Tensor: in nats.

        Raises:
            ValueError: ``dist`` is another kind.

        Examples:
            >>> import minds.nn.probability.distribution as msd
            >>> print(msd.Exponential(1.0).cross_entropy("Exponential", Tensor([1.0])))
            [1.]
        """
        if hasattr(self, "_cross_entropy"):
            return self._cross_entropy(dist, *args, **kwargs)
        if not (hasattr(self, "_kl_loss") and hasattr(self, "_entropy")):
            return self._missing("cross_entropy")
        own = args[len(self.parameter_names) :]
        return self._entropy(*own) + self._kl_loss(dist, *args, **kwargs)

    # ---- samples and descriptions

    def sample(self, *args, **kwargs):
        """Draw samples.

        Args:
            shape (tuple[int]): how many. Default: ().

        Returns:
            Tensor: of shape ``shape`` and then that of the parameters.

        Examples:
            >>> import minds.nn.probability.distribution as msd
            >>> msd.Normal([0.0, 1.0, 2.0], 1.0).sample((2,)).shape
            (2, 3)
        """
        if hasattr(self, "_sample"):
            return self._sample(*args, **kwargs)
        return self._missing("sample")

    def get_dist_args(self, *args, **kwargs):
        """The parameters.

        Returns:
            tuple[Tensor | None]: those of the call, or of the object, or None.

        Examples:
            >>> import minds.nn.probability.distribution as msd
            >>> print(msd.Normal(1.0, 2.0).get_dist_args()[1])
            2.0
        """
        if hasattr(self, "_get_dist_args"):
            return self._get_dist_args(*args, **kwargs)
        if not self.parameter_names:
            return self._missing("get_dist_args")
        missing = (None,) * (len(self.parameter_names) - len(args))
        found = []
        for arg, name, own in zip(args + missing, self.parameter_names, self.default_parameters):
            arg = kwargs.get(name) if arg is None else arg
            found.append(own if arg is None else params.expect_tensor(arg, name))
        return tuple(found)

    def get_dist_type(self):
        """The kind.

        Returns:
            str: the name of the class.

        Examples:
            >>> import minds.nn.probability.distribution as msd
            >>> msd.Normal().get_dist_type()
            'Normal'
        """
        if hasattr(self, "_get_dist_type"):
            return self._get_dist_type()
        return type(self).__name__

    def construct(self, name, *args, **kwargs):
        if name not in FUNCTIONS:
            return self._missing(name)
        return getattr(self, name)(*args, **kwargs)

    shown: tuple = ()
    """What ``repr`` calls the parameters, where it is not their names."""

    def extend_repr(self) -> str:
        return params.text(
            self.shown or self.parameter_names,
            self.default_parameters,
            self.batch_shape,
            self.is_scalar_batch,
        )

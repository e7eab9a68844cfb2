"""Initialisers: how the first values of a weight are drawn.

An initialiser is called with a NumPy array and fills it in place, drawing from the generator of
`minds.common.seed`. Fans
follow the layouts of the weights: ``(out, in, *kernel)``.
"""

from __future__ import annotations

import math
import numbers

import numpy as np

from ..base import dtype as dt
from ..base.boundary import guard as _guard
from ..base.errors import complain
from ..tensor import Parameter, Tensor
from .seed import generator

_aliases: dict[str, type[Initializer]] = {}


class Initializer:
    """Base of the initialisers; a subclass defines ``_initialize(arr)``, which fills ``arr`` in
    place.

    Args:
        kwargs (Any): kept as attributes.

    Examples:
        >>> import numpy as np
        >>> from minds.common.initializer import Initializer, initializer
        >>> class Ramp(Initializer):
        ...     def _initialize(self, arr):
        ...         arr[...] = np.arange(arr.size).reshape(arr.shape)
        >>> initializer(Ramp(), [2, 2]).asnumpy().tolist()
        [[0.0, 1.0], [2.0, 3.0]]
    """

    def __init__(self, **kwargs):
        self._kwargs = kwargs
        self.__dict__.update(kwargs)

    def __init_subclass__(cls, alias: tuple[str, ...] = (), **kwargs):
        super().__init_subclass__(**kwargs)
        if not cls.__name__.startswith("_"):
            _aliases.update(dict.fromkeys((cls.__name__.lower(), *alias), cls))

    def _initialize(self, arr: np.ndarray) -> None:
        raise NotImplementedError(f"{type(self).__name__}._initialize is not defined")

    def __call__(self, arr: np.ndarray) -> None:
        self._initialize(arr)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._kwargs.items())})"


def _normal(arr: np.ndarray, mean: float, sigma: float) -> None:
    arr[...] = generator().standard_normal(arr.shape, dtype=np.float32) * np.float32(
        sigma
    ) + np.float32(mean)


def _uniform(arr: np.ndarray, bound: float) -> None:
    arr[...] = (generator().random(arr.shape, dtype=np.float32) * 2 - 1) * np.float32(bound)


def _truncated(arr: np.ndarray, mean: float, sigma: float, a: float, b: float) -> None:
    """A normal distribution cut to ``[a, b]`` in units of sigma: values outside are drawn again."""
    draw = generator().standard_normal(arr.size, dtype=np.float32)
    outside = np.flatnonzero((draw < a) | (draw > b))
    while outside.size:
        again = generator().standard_normal(outside.size, dtype=np.float32)
        draw[outside] = again
        outside = outside[(again < a) | (again > b)]
    arr[...] = draw.reshape(arr.shape) * np.float32(sigma) + np.float32(mean)


def fans(shape) -> tuple[int, int]:
    """``(fan_in, fan_out)`` of a weight of layout ``(out, in, *kernel)``.

    Args:
        shape (tuple[int]): of the weight.

    Returns:
        tuple[int, int]: how many inputs an output depends on, and how many outputs depend on an
            input.

    Raises:
        ValueError: the weight has fewer than two dimensions.

    Examples:
        >>> from minds import common
        >>> common.initializer.fans((8, 3, 5, 5))
        (75, 200)
    """
    if len(shape) < 2:
        raise complain(
            ValueError,
            f"initializer: a weight of shape {tuple(shape)} has no fans",
            expected="at least two dimensions",
        )
    area = math.prod(shape[2:])
    return shape[1] * area, shape[0] * area


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which weights in front of a nonlinearity are scaled.

    Args:
        nonlinearity (str): ``sigmoid``, ``tanh``, ``relu``, ``leaky_relu``, ``selu``, ``linear`` or
            a convolution's name.
        param (float): the negative slope of ``leaky_relu``; default 0.01.
    Returns:
        float: the gain.
    Raises:
        ValueError: the name is unknown.

    Examples:
        >>> from minds.common.initializer import calculate_gain
        >>> round(calculate_gain("relu"), 4)
        1.4142
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope * slope))
    gains = {"sigmoid": 1.0, "linear": 1.0, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 0.75}
    if nonlinearity in gains:
        return gains[nonlinearity]
    if nonlinearity.startswith("conv"):
        return 1.0
    raise complain(
        ValueError,
        f"calculate_gain: nonlinearity is {nonlinearity!r}",
        expected=f"one of {', '.join([*gains, 'leaky_relu', 'conv…'])}",
    )


class Zero(Initializer, alias=("zeros",)):
    """All zeros; also named ``zeros``.

    Args:
        kwargs (Any): kept as attributes.

    Examples:
        >>> from minds import common
        >>> print(common.initializer.initializer("zeros", [2]))
        [0. 0.]
    """

    def _initialize(self, arr):
        arr[...] = 0


class One(Initializer, alias=("ones",)):
    """All ones; also named ``ones``.

    Args:
        kwargs (Any): kept as attributes.

    Examples:
        >>> from minds import common
        >>> print(common.initializer.initializer("ones", [2]))
        [1. 1.]
    """

    def _initialize(self, arr):
        arr[...] = 1


class Constant(Initializer):
    """One value everywhere.

    Args:
        value (number, numpy.ndarray): broadcast to the weight's shape.

    Examples:
        >>> from minds import common
        >>> print(common.initializer.initializer(common.initializer.Constant(3), [2]))
        [3. 3.]
    """

    def __init__(self, value):
        super().__init__(value=value)

    def _initialize(self, arr):
        arr[...] = self.value


class Normal(Initializer):
    """The normal distribution :math:`N(mean, sigma^2)`.

    Args:
        sigma (float): standard deviation. Default 0.01.
        mean (float): mean. Default 0.

    Examples:
        >>> from minds import common
        >>> common.initializer.initializer(common.initializer.Normal(0.1), [2, 3]).shape
        (2, 3)
    """

    def __init__(self, sigma: float = 0.01, mean: float = 0.0):
        super().__init__(sigma=sigma, mean=mean)

    def _initialize(self, arr):
        _normal(arr, self.mean, self.sigma)


class TruncatedNormal(Initializer):
    """A normal distribution whose values lie within ``[mean + a·sigma, mean + b·sigma]``.

    Args:
        sigma (float): standard deviation before the cut. Default 0.01.
        mean (float): mean before the cut. Default 0.
        a (float), b (float): the cut in units of sigma. Default -2 and 2.

    Examples:
        >>> from minds import ops
        >>> from minds import common
        >>> init = common.initializer.TruncatedNormal(0.5, a=-1.0, b=1.0)
        >>> bool((ops.abs(common.initializer.initializer(init, [100])) <= 0.5).all())
        True
    """

    def __init__(self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0):
        super().__init__(sigma=sigma, mean=mean, a=a, b=b)

    def _initialize(self, arr):
        _truncated(arr, self.mean, self.sigma, self.a, self.b)


class Uniform(Initializer):
    """The uniform distribution on ``[-scale, scale]``.

    Args:
        scale (float): the bound. Default 0.07.

    Examples:
        >>> from minds import ops
        >>> from minds import common
        >>> init = common.initializer.Uniform(0.5)
        >>> bool((ops.abs(common.initializer.initializer(init, [100])) <= 0.5).all())
        True
    """

    def __init__(self, scale: float = 0.07):
        super().__init__(scale=scale)

    def _initialize(self, arr):
        _uniform(arr, self.scale)


class _He(Initializer):
    """The gain and the fan that both of He's initialisers use."""

    def __init__(
        self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
    ):
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        if mode not in ("fan_in", "fan_out"):
            raise complain(
                ValueError,
                f"{type(self).__name__}: mode is {mode!r}",
                expected="'fan_in' or 'fan_out'",
            )

    def _sigma(self, shape) -> float:
        fan = fans(shape)[self.mode == "fan_out"]
        return calculate_gain(self.nonlinearity, self.negative_slope) / math.sqrt(fan)


class HeNormal(_He, alias=("he_normal",)):
    r"""The normal distribution of deviation :math:`gain/\sqrt{fan}`.

    Args:
        negative_slope (number): of ``leaky_relu``. Default 0.
        mode (str): ``fan_in`` keeps the variance forward, ``fan_out`` backward. Default fan_in.
        nonlinearity (str): ``relu`` or ``leaky_relu``. Default leaky_relu.

    Raises:
        ValueError: another mode.

    Source: He et al., Delving Deep into Rectifiers, 2015.

    Examples:
        >>> from minds import common
        >>> common.initializer.initializer("he_normal", [2, 3]).shape
        (2, 3)
    """

    def _initialize(self, arr):
        _normal(arr, 0.0, self._sigma(arr.shape))


class HeUniform(_He, alias=("he_uniform",)):
    r"""The uniform distribution on :math:`\pm gain\sqrt{3/fan}`.

    Args:
        negative_slope (number): of ``leaky_relu``. Default 0.
        mode (str): ``fan_in`` keeps the variance forward, ``fan_out`` backward. Default fan_in.
        nonlinearity (str): ``relu`` or ``leaky_relu``. Default leaky_relu.

    Raises:
        ValueError: another mode.

    Source: He et al., Delving Deep into Rectifiers, 2015.

    Examples:
        >>> from minds import common
        >>> common.initializer.initializer("he_uniform", [2, 3]).shape
        (2, 3)
    """

    def _initialize(self, arr):
        _uniform(arr, math.sqrt(3.0) * self._sigma(arr.shape))


class _Xavier(Initializer):
    """The deviation that both of Glorot's initialisers use."""

    def __init__(self, gain: float = 1):
        super().__init__(gain=gain)

    def _sigma(self, shape) -> float:
        return self.gain * math.sqrt(2.0 / sum(fans(shape)))


class XavierNormal(_Xavier, alias=("xavier_normal",)):
    r"""The normal distribution of deviation :math:`gain\sqrt{2/(fan_{in}+fan_{out})}`.

    Args:
        gain (number): scale. Default 1.

    Source: Glorot and Bengio, Understanding the difficulty of training deep feedforward neural
    networks, 2010.

    Examples:
        >>> from minds import common
        >>> common.initializer.initializer("xavier_normal", [2, 3]).shape
        (2, 3)
    """

    def _initialize(self, arr):
        _normal(arr, 0.0, self._sigma(arr.shape))


class XavierUniform(_Xavier, alias=("xavier_uniform",)):
    r"""The uniform distribution on :math:`\pm gain\sqrt{6/(fan_{in}+fan_{out})}`.

    Args:
        gain (number): scale. Default 1.

    Source: Glorot and Bengio, Understanding the difficulty of training deep feedforward neural
        networks, 2010.

    Examples:
        >>> from minds import ops
        >>> from minds import common
        >>> weight = common.initializer.initializer("xavier_uniform", [2, 4])
        >>> bool((ops.abs(weight) <= 1).all())
        True
    """

    def _initialize(self, arr):
        _uniform(arr, math.sqrt(3.0) * self._sigma(arr.shape))


class VarianceScaling(Initializer):
    """A distribution of variance :math:`scale/n`, with n the chosen fan.

    Args:
        scale (float): positive. Default 1.
        mode (str): ``fan_in``, ``fan_out`` or ``fan_avg``. Default fan_in.
        distribution (str): ``truncated_normal``, ``untruncated_normal`` or ``uniform``. Default
            truncated_normal.

    Raises:
        ValueError: an argument is not one of these.

    Examples:
        >>> from minds import common
        >>> init = common.initializer.VarianceScaling(2.0, "fan_avg", "uniform")
        >>> common.initializer.initializer(init, [2, 3]).shape
        (2, 3)
    """

    def __init__(
        self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal"
    ):
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        if not scale > 0:
            raise complain(
                ValueError, f"VarianceScaling: scale is {scale}", expected="a positive number"
            )
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise complain(
                ValueError,
                f"VarianceScaling: mode is {mode!r}",
                expected="'fan_in', 'fan_out' or 'fan_avg'",
            )
        if distribution not in ("truncated_normal", "untruncated_normal", "uniform"):
            raise complain(
                ValueError,
                f"VarianceScaling: distribution is {distribution!r}",
                expected="'truncated_normal', 'untruncated_normal' or 'uniform'",
            )

    def _initialize(self, arr):
        fan_in, fan_out = fans(arr.shape)
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        sigma = math.sqrt(self.scale / max(1.0, n))
        if self.distribution == "uniform":
            _uniform(arr, math.sqrt(3.0) * sigma)
        elif self.distribution == "untruncated_normal":
            _normal(arr, 0.0, sigma)
        else:
            # 0.8796… is the deviation of the unit normal cut to [-2, 2].
            _truncated(arr, 0.0, sigma / 0.87962566103423978, -2.0, 2.0)


class Identity(Initializer):
    """The identity matrix, for a weight of two dimensions.

    Args:
        kwargs (Any): kept as attributes.

    Examples:
        >>> from minds import common
        >>> print(common.initializer.initializer("identity", [2, 3]))
        [[1. 0. 0.]
         [0. 1. 0.]]
    """

    def _initialize(self, arr):
        if arr.ndim != 2:
            raise complain(
                ValueError, f"Identity: the weight has {arr.ndim} dimensions", expected="2"
            )
        arr[...] = np.eye(*arr.shape)


class Orthogonal(Initializer):
    """A (semi-)orthogonal matrix: rows or columns, whichever are fewer, are orthonormal.

    Args:
        gain (float): scale. Default 1.

    Source: Saxe et al., Exact solutions to the nonlinear dynamics of learning in deep linear
        networks, 2013.

    Examples:
        >>> from minds import ops
        >>> from minds import common
        >>> q = common.initializer.initializer(common.initializer.Orthogonal(), [2, 3])
        >>> print(ops.matmul(q, q.T).asnumpy().round(4) + 0.0)
        [[1. 0.]
         [0. 1.]]
    """

    def __init__(self, gain: float = 1.0):
        super().__init__(gain=gain)

    def _initialize(self, arr):
        if arr.ndim < 2:
            raise complain(
                ValueError,
                f"Orthogonal: the weight has {arr.ndim} dimensions",
                expected="at least 2",
            )
        rows, columns = arr.shape[0], math.prod(arr.shape[1:])
        draw = generator().standard_normal((max(rows, columns), min(rows, columns)))
        q, r = np.linalg.qr(draw)
        q *= np.sign(np.diag(r))
        arr[...] = self.gain * (q.T if rows < columns else q).reshape(arr.shape)


class Sparse(Initializer):
    """A matrix of normal values with a given fraction of zeros in each column.

    Args:
        sparsity (float): fraction of each column that is zero.
        sigma (float): deviation of the others. Default 0.01.

    Source: Martens, Deep learning via Hessian-free optimization, 2010.

    Examples:
        >>> from minds import common
        >>> weight = common.initializer.initializer(common.initializer.Sparse(0.5), [4, 2])
        >>> int((weight == 0).sum())
        4
    """

    def __init__(self, sparsity: float, sigma: float = 0.01):
        super().__init__(sparsity=sparsity, sigma=sigma)

    def _initialize(self, arr):
        if arr.ndim != 2:
            raise complain(
                ValueError, f"Sparse: the weight has {arr.ndim} dimensions", expected="2"
            )
        _normal(arr, 0.0, self.sigma)
        zeros = math.ceil(self.sparsity * arr.shape[0])
        order = np.argsort(generator().random(arr.shape), axis=0)
        arr[order < zeros] = 0


class Dirac(Initializer):
    """A convolution that passes as many input channels through as possible.

    Args:
        groups (int): groups of the convolution. Default 1.

    Examples:
        >>> from minds import common
        >>> print(common.initializer.initializer("dirac", [2, 2, 3]))
        [[[0. 1. 0.]
          [0. 0. 0.]]
        <BLANKLINE>
         [[0. 0. 0.]
          [0. 1. 0.]]]
    """

    def __init__(self, groups: int = 1):
        super().__init__(groups=groups)

    def _initialize(self, arr):
        if not 3 <= arr.ndim <= 5:
            raise complain(
                ValueError, f"Dirac: the weight has {arr.ndim} dimensions", expected="3, 4 or 5"
            )
        if arr.shape[0] % self.groups:
            raise complain(
                ValueError,
                f"Dirac: {arr.shape[0]} output channels do not divide into {self.groups} groups",
            )
        arr[...] = 0
        out = arr.shape[0] // self.groups
        centre = tuple(n // 2 for n in arr.shape[2:])
        for g in range(self.groups):
            for i in range(min(out, arr.shape[1])):
                arr[(g * out + i, i, *centre)] = 1


def find(init) -> Initializer:
    """The initialiser meant by an Initializer, a name or a number.

    Args:
        init (Initializer, str, number): an initialiser, its name, or the number that fills the
            weight.

    Returns:
        Initializer: the initialiser.

    Raises:
        TypeError: ``init`` is none of these.
        ValueError: no initialiser has this name.

    Examples:
        >>> from minds import common
        >>> common.initializer.find("zeros")
        Zero()
    """
    if isinstance(init, Initializer):
        return init
    if isinstance(init, str):
        cls = _aliases.get(init.lower())
        if cls is None or cls is Constant:
            raise complain(
                ValueError,
                f"initializer: {init!r} names no initialiser",
                expected=", ".join(sorted(n for n in _aliases if n != "constant")),
            )
        return cls()
    if isinstance(init, numbers.Number) and not isinstance(init, bool):
        return Constant(init)
    raise complain(
        TypeError,
        f"initializer: init has type {type(init).__name__}",
        expected="an Initializer, a name, a number or a Tensor",
    )


def initializer(init, shape=None, dtype=dt.float32) -> Tensor:
    """A Tensor filled by an initialiser.

    Args:
        init (Tensor, str, Initializer, number): what fills it; a Tensor is returned as it is.
        shape (tuple[int], list[int], int): its shape.
        dtype (dtype): its element type. Default float32.
    Returns:
        Tensor: of ``shape`` and ``dtype``.
    Raises:
        TypeError: ``init`` is none of these.
        ValueError: the name is unknown, or ``shape`` is no tuple of positive ints.

    Examples:
        >>> from minds.common.initializer import initializer, Constant
        >>> initializer(Constant(2.0), [2, 2]).asnumpy().tolist()
        [[2.0, 2.0], [2.0, 2.0]]
        >>> initializer("ones", 3).shape
        (3,)
    """
    if isinstance(init, Tensor):
        if (
            shape is not None
            and tuple(shape if isinstance(shape, (tuple, list)) else (shape,)) != init.shape
        ):
            raise complain(
                ValueError,
                f"initializer: the Tensor has shape {init.shape}, asked for {tuple(shape)}",
            )
        return init.value() if isinstance(init, Parameter) else init
    init = find(init)
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if any(not isinstance(n, (int, np.integer)) or isinstance(n, bool) or n <= 0 for n in shape):
        raise complain(ValueError, f"initializer: shape is {shape}", expected="positive ints")
    return Tensor(shape=tuple(map(int, shape)), dtype=dtype, init=init)


__all__ = [
    "Constant",
    "Dirac",
    "HeNormal",
    "HeUniform",
    "Identity",
    "Initializer",
    "Normal",
    "One",
    "Orthogonal",
    "Sparse",
    "TruncatedNormal",
    "Uniform",
    "VarianceScaling",
    "XavierNormal",
    "XavierUniform",
    "Zero",
    "calculate_gain",
    "initializer",
]
_guard(__name__)

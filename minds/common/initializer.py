"""Initialisers: how the first values of a weight are drawn.

An initialiser is called with a NumPy array and fills it in place, drawing from the generator of
`minds.common.seed`.
"""

from __future__ import annotations

import math
import numbers

import numpy as np

from ..base import dtype as dt
from ..base.boundary import guard as _guard
from ..base.errors import complain
from ..base.late import late
from ..tensor import Parameter, Tensor
from .fans import (
    HeNormal,
    HeUniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
    calculate_gain,
)
from .fans import (
    fans as fans,
)
from .initializer_base import ALIASES, Initializer, draw_normal, draw_truncated, draw_uniform
from .seed import generator


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
        draw_normal(arr, self.mean, self.sigma)


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
        draw_truncated(arr, self.mean, self.sigma, self.a, self.b)


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
        draw_uniform(arr, self.scale)


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
        draw_normal(arr, 0.0, self.sigma)
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
        cls = ALIASES.get(init.lower())
        if cls is None or cls is Constant:
            raise complain(
                ValueError,
                f"initializer: {init!r} names no initialiser",
                expected=", ".join(sorted(n for n in ALIASES if n != "constant")),
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

__getattr__, __dir__ = late(
    __name__,
    {
        "compat.initializers": """_INITIALIZER_ALIAS _assignment _calculate_correct_fan
            _calculate_fan_in_and_fan_out _calculate_gain _calculate_in_and_out _init_random_normal
            _init_random_uniform _init_truncated_normal _register"""
    },
)

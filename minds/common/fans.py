"""Initialisers whose spread follows from the fans of a weight: He, Xavier, variance scaling. Fans follow
the layouts of the weights: ``(out, in, *kernel)``.
"""

from __future__ import annotations

import math

from ..base.errors import complain
from .initializer_base import Initializer, draw_normal, draw_truncated, draw_uniform


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
        draw_normal(arr, 0.0, self._sigma(arr.shape))


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
        draw_uniform(arr, math.sqrt(3.0) * self._sigma(arr.shape))


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
        draw_normal(arr, 0.0, self._sigma(arr.shape))


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
        draw_uniform(arr, math.sqrt(3.0) * self._sigma(arr.shape))


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
            draw_uniform(arr, math.sqrt(3.0) * sigma)
        elif self.distribution == "untruncated_normal":
            draw_normal(arr, 0.0, sigma)
        else:
            # 0.8796… is the deviation of the unit normal cut to [-2, 2].
            draw_truncated(arr, 0.0, sigma / 0.87962566103423978, -2.0, 2.0)

"""Layer, group and instance normalisation; for batches see `batch_norm`."""

from __future__ import annotations

import numbers

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...common.initializer import initializer
from ...ops.define import P
from ...tensor import Parameter
from ..cell import Cell
from . import checks


class _InstanceNorm(Cell):
    """Normalisation of each channel of each sample."""

    ranks: tuple[int, ...] = ()

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        gamma_init="ones",
        beta_init="zeros",
        dtype=dt.float32,
    ):
        super().__init__()
        name = self.cls_name
        self.num_features = checks.positive_int(name, "num_features", num_features)
        self.eps = checks.number_in(name, "eps", eps, 0, 1)
        self.momentum = checks.number_in(name, "momentum", momentum, 0, 1)
        checks.boolean(name, "affine", affine)
        shape = [num_features]
        self.moving_mean = Parameter(
            initializer("zeros", shape, dtype), name="mean", requires_grad=False
        )
        self.moving_variance = Parameter(
            initializer("ones", shape, dtype), name="variance", requires_grad=False
        )
        self.gamma = Parameter(
            initializer(gamma_init, shape, dtype), name="gamma", requires_grad=affine
        )
        self.beta = Parameter(
            initializer(beta_init, shape, dtype), name="beta", requires_grad=affine
        )

    def construct(self, x):
        if x.ndim not in self.ranks:
            checks.refuse_rank(self.cls_name, x, self.ranks)
        wide = (1, self.num_features) + (1,) * (x.ndim - 2)
        return _groups(x, x.shape[:2], self.eps) * ops.reshape(self.gamma, wide) + ops.reshape(
            self.beta, wide
        )

    def extend_repr(self):
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"gamma={self.gamma}, beta={self.beta}, moving_mean={self.moving_mean}, "
            f"moving_variance={self.moving_variance}"
        )


def _groups(x, lead, eps):
    """``x``, seen as ``lead`` rows, with each row normalised."""
    rows = ops.reshape(x, lead + (-1,))
    size = rows.shape[-1]
    out = P.layer_norm(
        rows, ops.ones((size,), x.dtype), ops.zeros((size,), x.dtype), len(lead), eps
    )[0]
    return ops.reshape(out, x.shape)


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of ``(N, C, L)``: each channel of each sample gets mean 0 and variance
    1, then a scale γ and an offset β.

    Args:
        num_features (int): C.
        eps (float): added to the variance. Default 1e-5.
        momentum (float): kept for compatibility: the statistics are always the instance's own.
            Default 0.1.
        affine (bool): whether γ and β are trained. Default True.
        gamma_init (Tensor, str, Initializer, number), beta_init (Tensor, str, Initializer, number):
            first γ and β. Default ones and zeros.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, C, L), float])

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or the rank of ``x`` is another.

    Source: Ulyanov et al., Instance Normalization, 2016.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.InstanceNorm1d(1)(ms.Tensor([[[1.0, 3.0]]])).asnumpy().round(3))
        [[[-1.  1.]]]
    """

    ranks = (3,)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of ``(N, C, H, W)``: each channel of each sample gets mean 0 and
    variance 1, then a scale γ and an offset β.

    Args:
        num_features (int): C.
        eps (float): added to the variance. Default 1e-5.
        momentum (float): kept for compatibility: the statistics are always the instance's own.
            Default 0.1.
        affine (bool): whether γ and β are trained. Default True.
        gamma_init (Tensor, str, Initializer, number), beta_init (Tensor, str, Initializer, number):
            first γ and β. Default ones and zeros.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, C, H, W), float])

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or the rank of ``x`` is another.

    Source: Ulyanov et al., Instance Normalization, 2016.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.InstanceNorm2d(1)(ms.Tensor([[[[1.0, -1.0]]]])).asnumpy().round(3).tolist()
        [[[[1.0, -1.0]]]]
    """

    ranks = (4,)


class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of ``(N, C, D, H, W)``: each channel of each sample gets mean 0 and
    variance 1, then a scale γ and an offset β.

    Args:
        num_features (int): C.
        eps (float): added to the variance. Default 1e-5.
        momentum (float): kept for compatibility: the statistics are always the instance's own.
            Default 0.1.
        affine (bool): whether γ and β are trained. Default True.
        gamma_init (Tensor, str, Initializer, number), beta_init (Tensor, str, Initializer, number):
            first γ and β. Default ones and zeros.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, C, D, H, W), float])

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or the rank of ``x`` is another.

    Source: Ulyanov et al., Instance Normalization, 2016.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> nn.InstanceNorm3d(2)(ops.ones((1, 2, 3, 4, 5))).shape
        (1, 2, 3, 4, 5)
    """

    ranks = (5,)


class LayerNorm(Cell):
    r"""Normalises the last dimensions: :math:`\gamma (x - \mu)/\sqrt{\sigma^2 + \epsilon} + \beta`.

    Args:
        normalized_shape (tuple[int], list[int]): the shape of γ and β.
        begin_norm_axis (int): the first dimension that is normalised. Default -1.
        begin_params_axis (int): the first dimension of γ and β. Default -1.
        gamma_init (Tensor, str, Initializer, number), beta_init (Tensor, str, Initializer, number):
            first γ and β. Default ones and zeros.
        epsilon (float): added to the variance. Default 1e-7.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **input_x** (Tensor[float]) - its last dimensions are ``normalized_shape``.

    Outputs:
        Tensor, of the shape and dtype of ``input_x``.

    Raises:
        TypeError: ``normalized_shape`` is no tuple or list, or ``epsilon`` no number.
        ValueError: the last dimensions of ``input_x`` are others.

    Source: Ba et al., Layer Normalization, 2016.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.LayerNorm([2])(ms.Tensor([[1.0, -1.0], [3.0, 5.0]])).asnumpy().round(3).tolist()
        [[1.0, -1.0], [-1.0, 1.0]]
    """

    def __init__(
        self,
        normalized_shape,
        begin_norm_axis=-1,
        begin_params_axis=-1,
        gamma_init="ones",
        beta_init="zeros",
        epsilon=1e-7,
        dtype=dt.float32,
    ):
        super().__init__()
        if not isinstance(normalized_shape, (tuple, list)):
            raise complain(
                TypeError,
                f"LayerNorm: normalized_shape has type {type(normalized_shape).__name__}",
                expected="a tuple or list of ints",
            )
        if not isinstance(epsilon, numbers.Real):
            raise complain(
                TypeError,
                f"LayerNorm: epsilon has type {type(epsilon).__name__}",
                expected="a number",
            )
        self.normalized_shape = normalized_shape
        self.begin_norm_axis, self.begin_params_axis = begin_norm_axis, begin_params_axis
        self.epsilon = epsilon
        self.gamma = Parameter(initializer(gamma_init, normalized_shape, dtype), name="gamma")
        self.beta = Parameter(initializer(beta_init, normalized_shape, dtype), name="beta")

    def construct(self, input_x):
        first = (
            self.begin_norm_axis + input_x.ndim
            if self.begin_norm_axis < 0
            else self.begin_norm_axis
        )
        params = (
            self.begin_params_axis + input_x.ndim
            if self.begin_params_axis < 0
            else self.begin_params_axis
        )
        if first == params:
            return P.layer_norm(input_x, self.gamma, self.beta, first, self.epsilon)[0]
        return _groups(input_x, input_x.shape[:first], self.epsilon) * self.gamma + self.beta

    def extend_repr(self):
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma={self.gamma}, beta={self.beta}"
        )


class GroupNorm(Cell):
    """Normalises groups of channels of each sample.

    Args:
        num_groups (int): divides ``num_channels``.
        num_channels (int): the second dimension.
        eps (float): added to the variance. Default 1e-5.
        affine (bool): whether γ and β are trained. Default True.
        gamma_init (Tensor, str, Initializer, number), beta_init (Tensor, str, Initializer, number):
            first γ and β. Default ones and zeros.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, C, ...), float])

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``num_groups`` does not divide ``num_channels``.

    Source: Wu and He, Group Normalization, 2018.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.GroupNorm(2, 2)(ms.ops.ones((1, 2, 4, 4))).shape
        (1, 2, 4, 4)
    """

    def __init__(
        self,
        num_groups,
        num_channels,
        eps=1e-5,
        affine=True,
        gamma_init="ones",
        beta_init="zeros",
        dtype=dt.float32,
    ):
        super().__init__()
        self.num_groups = checks.positive_int("GroupNorm", "num_groups", num_groups)
        self.num_channels = checks.positive_int("GroupNorm", "num_channels", num_channels)
        if num_channels % num_groups:
            raise complain(
                ValueError,
                f"GroupNorm: num_channels is {num_channels}, num_groups {num_groups}",
                expected="a multiple of num_groups",
            )
        self.eps = checks.any_number("GroupNorm", "eps", eps)
        self.affine = checks.boolean("GroupNorm", "affine", affine)
        self.gamma = Parameter(
            initializer(gamma_init, [num_channels], dtype), name="gamma", requires_grad=affine
        )
        self.beta = Parameter(
            initializer(beta_init, [num_channels], dtype), name="beta", requires_grad=affine
        )

    def construct(self, x):
        return self._cal_output(x)

    @staticmethod
    def _channel_check(channel: int, num_channel: int, prim_name: str | None = None) -> None:
        """Refuse another number of channels; MindSpore's networks call it in layers of their own."""
        if channel != num_channel:
            what = f"{prim_name or 'GroupNorm'}: the input has {channel} channels"
            raise complain(ValueError, what, expected=f"{num_channel}")

    def _cal_output(self, x):
        """The result; MindSpore's networks override it in layers of their own."""
        wide = (1, self.num_channels) + (1,) * (x.ndim - 2)
        out = _groups(x, (x.shape[0], self.num_groups), self.eps)
        return out * ops.reshape(self.gamma, wide) + ops.reshape(self.beta, wide)

    def extend_repr(self):
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"


__all__ = [
    "GroupNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
]

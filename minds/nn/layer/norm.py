"""Normalisation layers. Statistics that are kept for inference are parameters that `construct`
assigns in training.
"""

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
from .arithmetic import normalise_batch


class _BatchNorm(Cell):
    """Batch normalisation over all dimensions but the second.

    Invariant: ``moving = momentum·moving + (1 - momentum)·batch`` after each step that uses the
    batch's statistics; the variance so kept is the unbiased one, the one divided by is not.
    """

    ranks: tuple[int, ...] = ()

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.9,
        affine=True,
        gamma_init="ones",
        beta_init="zeros",
        moving_mean_init="zeros",
        moving_var_init="ones",
        use_batch_statistics=None,
        data_format="NCHW",
        dtype=dt.float32,
    ):
        super().__init__()
        name = self.cls_name
        self.num_features = checks.positive_int(name, "num_features", num_features)
        self.momentum = checks.number_in(name, "momentum", momentum, 0, 1)
        self.eps = checks.number_in(name, "eps", eps, 0, 1)
        self.format = checks.one_of(name, "data_format", data_format, ("NCHW", "NHWC", "NCDHW"))
        if use_batch_statistics is not None:
            checks.boolean(name, "use_batch_statistics", use_batch_statistics)
        self.use_batch_statistics = use_batch_statistics
        shape = [num_features]
        self.moving_mean = Parameter(
            initializer(moving_mean_init, shape, dtype), name="mean", requires_grad=False
        )
        self.moving_variance = Parameter(
            initializer(moving_var_init, shape, dtype), name="variance", requires_grad=False
        )
        self.gamma = Parameter(
            initializer(gamma_init, shape, dtype), name="gamma", requires_grad=affine
        )
        self.beta = Parameter(
            initializer(beta_init, shape, dtype), name="beta", requires_grad=affine
        )

    def construct(self, x):
        if x.ndim not in self.ranks:
            _refuse_rank(self.cls_name, x, self.ranks)
        if self.format == "NHWC":
            return ops.transpose(self._normalise(ops.transpose(x, (0, 3, 1, 2))), (0, 2, 3, 1))
        return self._normalise(x)

    def _normalise(self, x):
        use_batch = (
            self.training if self.use_batch_statistics is None else self.use_batch_statistics
        )
        if not use_batch:
            return P.batch_norm_infer(
                x, self.gamma, self.beta, self.moving_mean, self.moving_variance, self.eps
            )
        count, add = x.size // self.num_features, 1.0 - self.momentum
        # A single element has no unbiased variance; its biased one, 0, is kept instead.
        scale = count / (count - 1) if count > 1 else 1.0
        return normalise_batch(
            x,
            self.gamma,
            self.beta,
            self.eps,
            self.moving_mean,
            self.moving_variance,
            self.momentum,
            (add, scale * add),
        )

    def extend_repr(self):
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"gamma={self.gamma}, beta={self.beta}, moving_mean={self.moving_mean}, "
            f"moving_variance={self.moving_variance}"
        )


def _refuse_rank(name, x, ranks):
    wanted = " or ".join(str(r) for r in ranks)
    raise ValueError(f"{name}: the input has {x.ndim} dimensions; expected {wanted}")


class BatchNorm1d(_BatchNorm):
    r"""Batch normalisation of ``(N, C)`` or ``(N, C, L)``:
    :math:`\gamma (x - \mu)/\sqrt{\sigma^2 + \epsilon} + \beta`, with mean and variance over all
    dimensions but C.

    In training the batch's mean and variance are used and moving averages of them kept, which
    are used otherwise.

    Args:
        num_features (int): C.
        eps (float): added to the variance. Default 1e-5.
        momentum (float): weight of the past in the moving averages. Default 0.9.
        affine (bool): whether γ and β are trained. Default True.
        gamma_init (Tensor, str, Initializer, number), beta_init (Tensor, str, Initializer, number):
            first γ and β. Default ones and zeros.
        moving_mean_init (Tensor, str, Initializer, number), moving_var_init (Tensor, str,
            Initializer, number): first moving averages. Default zeros and ones.
        use_batch_statistics (bool): True or False decides independently of ``training``. Default
            None.
        data_format (str): without effect for these ranks. Default NCHW.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, C) or (N, C, L), float])

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or the rank of ``x`` is another.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.BatchNorm1d(4)(ms.ops.ones((2, 4))).shape
        (2, 4)
    """

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    r"""Batch normalisation of ``(N, C, H, W)``:
    :math:`\gamma (x - \mu)/\sqrt{\sigma^2 + \epsilon} + \beta`.

    In training the batch's mean and variance are used and moving averages of them kept, which
    are used otherwise.

    Args:
        num_features (int): C.
        eps (float): added to the variance. Default 1e-5.
        momentum (float): weight of the past in the moving averages. Default 0.9.
        affine (bool): whether γ and β are trained. Default True.
        gamma_init (Tensor, str, Initializer, number), beta_init (Tensor, str, Initializer, number):
            first γ and β. Default ones and zeros.
        moving_mean_init (Tensor, str, Initializer, number), moving_var_init (Tensor, str,
            Initializer, number): first moving averages. Default zeros and ones.
        use_batch_statistics (bool): True or False decides independently of ``training``. Default
            None.
        data_format (str): ``NCHW`` or ``NHWC``. Default NCHW.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, C, H, W), float])

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or the rank of ``x`` is another.

    Source: Ioffe and Szegedy, Batch Normalization, 2015.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.BatchNorm2d(1).set_train()
        >>> net(ms.Tensor([[[[1.0, -1.0]]]])).asnumpy().round(3).tolist()
        [[[[1.0, -1.0]]]]
    """

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of ``(N, C, D, H, W)``, as `BatchNorm2d`.

    Args:
        num_features (int): C.
        eps (float): added to the variance. Default 1e-5.
        momentum (float): weight of the past in the moving averages. Default 0.9.
        affine (bool): whether γ and β are trained. Default True.
        gamma_init (Tensor, str, Initializer, number), beta_init (Tensor, str, Initializer, number):
            first γ and β. Default ones and zeros.
        moving_mean_init (Tensor, str, Initializer, number), moving_var_init (Tensor, str,
            Initializer, number): first moving averages. Default zeros and ones.
        use_batch_statistics (bool): True or False decides independently of ``training``. Default
            None.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, C, D, H, W), float])

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or the rank of ``x`` is another.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> nn.BatchNorm3d(2)(ops.ones((1, 2, 3, 4, 5))).shape
        (1, 2, 3, 4, 5)
    """

    ranks = (5,)

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.9,
        affine=True,
        gamma_init="ones",
        beta_init="zeros",
        moving_mean_init="zeros",
        moving_var_init="ones",
        use_batch_statistics=None,
        dtype=dt.float32,
    ):
        super().__init__(
            num_features,
            eps,
            momentum,
            affine,
            gamma_init,
            beta_init,
            moving_mean_init,
            moving_var_init,
            use_batch_statistics,
            "NCDHW",
            dtype,
        )


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation over all devices; with one device as `BatchNorm2d`, for inputs of rank 2
    to 5.

    Args:
        num_features (int): C.
        eps (float): added to the variance. Default 1e-5.
        momentum (float): weight of the past in the moving averages. Default 0.9.
        affine (bool): whether γ and β are trained. Default True.
        gamma_init (Tensor, str, Initializer, number), beta_init (Tensor, str, Initializer, number):
            first γ and β. Default ones and zeros.
        moving_mean_init (Tensor, str, Initializer, number), moving_var_init (Tensor, str,
            Initializer, number): first moving averages. Default zeros and ones.
        use_batch_statistics (bool): True or False decides independently of ``training``. Default
            None.
        process_groups (list): which devices share statistics; without effect on one. Default None,
            all.
        dtype (dtype): of the parameters. Default float32.

    Inputs:
        - **x** (Tensor[(N, C, ...), float]) - of rank 2 to 5.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or the rank of ``x`` is another.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> nn.SyncBatchNorm(2)(ops.ones((3, 2, 4))).shape
        (3, 2, 4)
    """

    ranks = (2, 3, 4, 5)

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.9,
        affine=True,
        gamma_init="ones",
        beta_init="zeros",
        moving_mean_init="zeros",
        moving_var_init="ones",
        use_batch_statistics=None,
        process_groups=None,
        dtype=dt.float32,
    ):
        super().__init__(
            num_features,
            eps,
            momentum,
            affine,
            gamma_init,
            beta_init,
            moving_mean_init,
            moving_var_init,
            use_batch_statistics,
            "NCHW",
            dtype,
        )


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
        self.eps, self.momentum = eps, checks.number_in(name, "momentum", momentum, 0, 1)
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
            _refuse_rank(self.cls_name, x, self.ranks)
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
        - **x** (Tensor[float]) - its last dimensions are ``normalized_shape``.

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``normalized_shape`` is no tuple or list, or ``epsilon`` no number.
        ValueError: the last dimensions of ``x`` are others.

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

    def construct(self, x):
        first = self.begin_norm_axis + x.ndim if self.begin_norm_axis < 0 else self.begin_norm_axis
        params = (
            self.begin_params_axis + x.ndim
            if self.begin_params_axis < 0
            else self.begin_params_axis
        )
        if first == params:
            return P.layer_norm(x, self.gamma, self.beta, first, self.epsilon)[0]
        return _groups(x, x.shape[:first], self.epsilon) * self.gamma + self.beta

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
        self.eps, self.affine = eps, checks.boolean("GroupNorm", "affine", affine)
        self.gamma = Parameter(
            initializer(gamma_init, [num_channels], dtype), name="gamma", requires_grad=affine
        )
        self.beta = Parameter(
            initializer(beta_init, [num_channels], dtype), name="beta", requires_grad=affine
        )

    def construct(self, x):
        wide = (1, self.num_channels) + (1,) * (x.ndim - 2)
        out = _groups(x, (x.shape[0], self.num_groups), self.eps)
        return out * ops.reshape(self.gamma, wide) + ops.reshape(self.beta, wide)

    def extend_repr(self):
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"


__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "GroupNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
    "SyncBatchNorm",
]

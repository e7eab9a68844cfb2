"""Batch normalisation. Statistics that are kept for inference are parameters that `construct`
assigns in training.
"""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...base.world import ranks_of, world
from ...common.initializer import initializer
from ...ops.define import P
from ...tensor import Parameter
from ..cell import Cell
from . import checks
from .arithmetic import normalise_batch, normalise_together


def sharing(groups) -> tuple:
    """The ranks that share this one's statistics, by a list of groups of them or None."""
    for group in groups or ():
        if world.rank in group:
            return tuple(group)
    return (world.rank,) if groups else ranks_of()


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
            checks.refuse_rank(self.cls_name, x, self.ranks)
        if self.format == "NHWC":
            return ops.transpose(self._normalise(ops.transpose(x, (0, 3, 1, 2))), (0, 2, 3, 1))
        return self._normalise(x)

    def _normalise(self, x):
        use_batch = (
            self.training if self.use_batch_statistics is None else self.use_batch_statistics
        )
        if not use_batch:
            out = P.batch_norm_infer(
                x, self.gamma, self.beta, self.moving_mean, self.moving_variance, self.eps
            )
            return ops.cast(out, x.dtype)
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


class BatchNorm3d(Cell):
    """Batch normalisation of ``(N, C, D, H, W)``, by the `BatchNorm2d` that is its
    ``bn2d``.

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
        super().__init__()
        self.bn2d = BatchNorm2d(
            num_features,
            eps,
            momentum,
            affine,
            gamma_init,
            beta_init,
            moving_mean_init,
            moving_var_init,
            use_batch_statistics,
            dtype=dtype,
        )

    def construct(self, x):
        if x.ndim != 5:
            checks.refuse_rank(self.cls_name, x, (5,))
        return self.bn2d._normalise(x)


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation with the statistics of all processes, which have equally many rows; with one
    process as `BatchNorm2d`, for inputs of rank 2 to 5.

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
        process_groups (list[list[int]]): which processes share statistics. Default None, all.
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
        self.process_groups = process_groups

    def _normalise(self, x):
        ranks = sharing(self.process_groups)
        use_batch = (
            self.training if self.use_batch_statistics is None else self.use_batch_statistics
        )
        if len(ranks) == 1 or not use_batch:
            return super()._normalise(x)
        count, add = len(ranks) * (x.size // self.num_features), 1.0 - self.momentum
        keep = (self.momentum, add, add * count / (count - 1))
        statistics = (self.moving_mean, self.moving_variance)
        return normalise_together(x, self.gamma, self.beta, self.eps, statistics, keep, ranks)


__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"]

"""Losses of numbers: differences, likelihoods and margins."""

from __future__ import annotations

import math

from ... import ops
from ..cell import Cell
from ..layer import checks
from .base import REDUCTIONS, LossBase, same_shape


class L1Loss(LossBase):
    r"""The absolute difference :math:`|x - y|`.

    Args:
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.
    Inputs:
        - **logits** (Tensor), **labels** (Tensor) - of shapes that broadcast.
    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.L1Loss()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])).asnumpy().item()
        1.0
    """

    def construct(self, logits, labels):
        return ops.l1_loss(logits, labels, self.reduction)


class MAELoss(L1Loss):
    """`L1Loss`, of operands that may also differ in dtype."""


class MSELoss(LossBase):
    r"""The squared difference :math:`(x - y)^2`; arguments, inputs and outputs as `L1Loss`.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.MSELoss()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])).asnumpy().item()
        2.0
    """

    def construct(self, logits, labels):
        return ops.mse_loss(logits, labels, self.reduction)


class RMSELoss(LossBase):
    r"""The root of the mean squared difference.

    Inputs:
        - **logits** (Tensor), **labels** (Tensor) - of shapes that broadcast.
    Outputs:
        Tensor of rank 0.
    """

    def __init__(self):
        super().__init__()

    def construct(self, logits, labels):
        return ops.sqrt(ops.mse_loss(logits, labels))


class SmoothL1Loss(LossBase):
    r"""Quadratic near 0, absolute beyond: :math:`d^2/2\beta` where :math:`|d| < \beta`, else
    :math:`|d| - \beta/2`.

    Args:
        beta (float): where the two meet, at least 0. Default 1.
        reduction (str): ``mean``, ``sum`` or ``none``. Default none.
    Inputs:
        - **logits** (Tensor), **labels** (Tensor) - of one shape.
    Outputs:
        Tensor.
    Raises:
        ValueError: ``beta`` is negative, or the shapes differ.
    """

    def __init__(self, beta=1.0, reduction="none"):
        super().__init__(reduction)
        self.beta = checks.number_in("SmoothL1Loss", "beta", beta, 0, math.inf)

    def construct(self, logits, labels):
        same_shape("SmoothL1Loss", logits, labels, ("logits", "labels"))
        return ops.smooth_l1_loss(logits, labels, self.beta, self.reduction)


class HuberLoss(LossBase):
    r""":math:`d^2/2` where :math:`|d| \le \delta`, else :math:`\delta(|d| - \delta/2)`.

    Args:
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.
        delta (number): where the two meet, above 0. Default 1.
    """

    def __init__(self, reduction="mean", delta=1.0):
        super().__init__(reduction)
        self.delta = checks.number_in("HuberLoss", "delta", delta, 0, math.inf, "()")

    def construct(self, logits, labels):
        return ops.huber_loss(logits, labels, self.reduction, self.delta)


class KLDivLoss(LossBase):
    r"""The Kullback-Leibler divergence :math:`y (\log y - x)` of log-probabilities x from
    probabilities y.

    Args:
        reduction (str): also ``batchmean``, the sum divided by the first dimension. Default mean.
    """

    def __init__(self, reduction="mean"):
        Cell.__init__(self)
        self.reduction = checks.one_of(
            "KLDivLoss", "reduction", reduction, (*REDUCTIONS, "batchmean")
        )

    def construct(self, logits, labels):
        return ops.kl_div(logits, labels, self.reduction)


class CosineEmbeddingLoss(LossBase):
    r""":math:`1 - \cos(x_1, x_2)` where y is 1, :math:`\max(0, \cos(x_1, x_2) - margin)` where y
    is -1.

    Args:
        margin (float): in [-1, 1]. Default 0.
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.
    Inputs:
        - **logits_x1** (Tensor[(N, D)]), **logits_x2** (Tensor[(N, D)]), **labels** (Tensor[(N,)])
    Outputs:
        Tensor.
    """

    def __init__(self, margin=0.0, reduction="mean"):
        super().__init__(reduction)
        self.margin = checks.number_in("CosineEmbeddingLoss", "margin", margin, -1, 1)

    def construct(self, logits_x1, logits_x2, labels):
        same_shape("CosineEmbeddingLoss", logits_x1, logits_x2, ("logits_x1", "logits_x2"))
        return ops.cosine_embedding_loss(logits_x1, logits_x2, labels, self.margin, self.reduction)


class MarginRankingLoss(LossBase):
    r""":math:`\max(0, -y (x_1 - x_2) + margin)`, with y 1 where x₁ should rank higher, else -1.

    Args:
        margin (float): Default 0.
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.
    """

    def __init__(self, margin=0.0, reduction="mean"):
        super().__init__(reduction)
        self.margin = margin

    def construct(self, input1, input2, target):
        return ops.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class TripletMarginLoss(LossBase):
    r""":math:`\max(d(a, p) - d(a, n) + margin, 0)`, with d the p-norm of the difference.

    Args:
        p (int): the norm. Default 2.
        swap (bool): use the smaller of d(a, n) and d(p, n). Default False.
        eps (float): added to differences. Default 1e-6.
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.
        margin (float): Default 1.
    """

    def __init__(self, p=2, swap=False, eps=1e-6, reduction="mean", margin=1.0):
        super().__init__(reduction)
        self.p, self.swap, self.eps, self.margin = (
            p,
            checks.boolean("TripletMarginLoss", "swap", swap),
            eps,
            margin,
        )

    def construct(self, x, positive, negative):
        return ops.triplet_margin_loss(
            x, positive, negative, self.margin, self.p, self.eps, self.swap, self.reduction
        )


class TripletMarginWithDistanceLoss(LossBase):
    r""":math:`\max(d(a, p) - d(a, n) + margin, 0)` with any distance d.

    Args:
        distance_function (Callable): of two Tensors. Default None, the Euclidean distance of rows.
        swap (bool): use the smaller of d(a, n) and d(p, n). Default False.
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.
        margin (float): Default 1.
    """

    def __init__(self, distance_function=None, swap=False, reduction="mean", margin=1.0):
        super().__init__(reduction)
        self.distance_function = euclidean if distance_function is None else distance_function
        self.swap, self.margin = (
            checks.boolean("TripletMarginWithDistanceLoss", "swap", swap),
            margin,
        )

    def construct(self, x, positive, negative):
        far = self.distance_function(x, negative)
        if self.swap:
            far = ops.minimum(far, self.distance_function(positive, negative))
        return self._reduce(ops.maximum(self.distance_function(x, positive) - far + self.margin, 0))


def euclidean(a, b):
    """The Euclidean distance of rows."""
    return ops.sqrt(ops.sum(ops.square(a - b), -1))


class GaussianNLLLoss(LossBase):
    r"""The negative logarithm of a normal density :math:`(\log v + (x - y)^2/v)/2` with variance v.

    Args:
        full (bool): add :math:`\log(2\pi)/2`. Default False.
        eps (float): lower bound of the variance, above 0. Default 1e-6.
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.
    """

    def __init__(self, *, full=False, eps=1e-6, reduction="mean"):
        super().__init__(reduction)
        self.full = checks.boolean("GaussianNLLLoss", "full", full)
        self.eps = checks.number_in("GaussianNLLLoss", "eps", eps, 0, math.inf, "()")

    def construct(self, logits, labels, var):
        return ops.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)


class PoissonNLLLoss(LossBase):
    r"""The negative logarithm of a Poisson likelihood :math:`e^x - y x` (or :math:`x - y\log x`).

    Args:
        log_input (bool): x is the logarithm of the rate. Default True.
        full (bool): add Stirling's approximation of :math:`\log y!` where y > 1. Default False.
        eps (float): added to the rate before its logarithm. Default 1e-8.
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.
    """

    def __init__(self, log_input=True, full=False, eps=1e-8, reduction="mean"):
        super().__init__(reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def construct(self, input, target):
        loss = (
            ops.exp(input) - target * input
            if self.log_input
            else input - target * ops.log(input + self.eps)
        )
        if self.full:
            y = ops.maximum(target, 1)
            stirling = y * ops.log(y) - y + 0.5 * ops.log(2 * math.pi * y)
            loss = loss + ops.select(target > 1, stirling, ops.zeros_like(stirling))
        return self._reduce(loss)


__all__ = [
    "CosineEmbeddingLoss",
    "GaussianNLLLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "MAELoss",
    "MSELoss",
    "MarginRankingLoss",
    "PoissonNLLLoss",
    "RMSELoss",
    "SmoothL1Loss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]

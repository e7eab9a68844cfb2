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
        return self._reduce(ops.abs(logits - labels))


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
        return self._reduce(ops.square(logits - labels))


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
        return ops.sqrt(ops.mean(ops.square(logits - labels)))


class SmoothL1Loss(LossBase):
    r"""Quadratic near 0, absolute beyond: :math:`d^2/2\beta` where :math:`|d| < \beta`, else :math:`|d| - \beta/2`.

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
        d = ops.abs(logits - labels)
        if self.beta == 0:
            return self._reduce(d)
        return self._reduce(ops.select(d < self.beta, 0.5 * d * d / self.beta, d - 0.5 * self.beta))


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
        d = ops.abs(logits - labels)
        return self._reduce(ops.select(d <= self.delta, 0.5 * d * d, self.delta * (d - 0.5 * self.delta)))


class KLDivLoss(LossBase):
    r"""The Kullback-Leibler divergence :math:`y (\log y - x)` of log-probabilities x from probabilities y.

    Args:
        reduction (str): also ``batchmean``, the sum divided by the first dimension. Default mean.
    """

    def __init__(self, reduction="mean"):
        Cell.__init__(self)
        self.reduction = checks.one_of("KLDivLoss", "reduction", reduction, (*REDUCTIONS, "batchmean"))

    def construct(self, logits, labels):
        # 0·log 0 is 0: the logarithm is taken of 1 there, so that the gradient is finite too.
        log = ops.log(ops.select(labels > 0, labels, ops.ones_like(labels)))
        loss = labels * (log - logits)
        if self.reduction == "batchmean":
            return ops.sum(loss) / logits.shape[0]
        return self._reduce(loss)


class CosineEmbeddingLoss(LossBase):
    r""":math:`1 - \cos(x_1, x_2)` where y is 1, :math:`\max(0, \cos(x_1, x_2) - margin)` where y is -1.

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
        dot = ops.sum(logits_x1 * logits_x2, -1)
        norms = ops.sum(logits_x1 * logits_x1, -1) * ops.sum(logits_x2 * logits_x2, -1)
        cosine = dot / ops.sqrt(norms)
        apart = ops.maximum(cosine - self.margin, 0)
        zeros = ops.zeros_like(cosine)
        return self._reduce(ops.select(labels == 1, 1 - cosine, zeros) + ops.select(labels == -1, apart, zeros))


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
        return self._reduce(ops.maximum(self.margin - target * (input1 - input2), 0))


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
        self.p, self.swap, self.eps, self.margin = p, checks.boolean("TripletMarginLoss", "swap", swap), eps, margin

    def _distance(self, a, b):
        return ops.sum(ops.abs(a - b + self.eps) ** self.p, -1) ** (1.0 / self.p)

    def construct(self, x, positive, negative):
        far = self._distance(x, negative)
        if self.swap:
            far = ops.minimum(far, self._distance(positive, negative))
        return self._reduce(ops.maximum(self._distance(x, positive) - far + self.margin, 0))


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
        # The bound keeps the variance's gradient, as a cut that is not seen by it.
        var = var + ops.stop_gradient(ops.maximum(var, self.eps) - var)
        loss = 0.5 * (ops.log(var) + ops.square(logits - labels) / var)
        return self._reduce(loss + 0.5 * math.log(2 * math.pi) if self.full else loss)


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
        loss = ops.exp(input) - target * input if self.log_input else input - target * ops.log(input + self.eps)
        if self.full:
            y = ops.maximum(target, 1)
            stirling = y * ops.log(y) - y + 0.5 * ops.log(2 * math.pi * y)
            loss = loss + ops.select(target > 1, stirling, ops.zeros_like(stirling))
        return self._reduce(loss)


__all__ = ["CosineEmbeddingLoss", "GaussianNLLLoss", "HuberLoss", "KLDivLoss", "L1Loss", "MAELoss", "MSELoss",
           "MarginRankingLoss", "PoissonNLLLoss", "RMSELoss", "SmoothL1Loss", "TripletMarginLoss"]

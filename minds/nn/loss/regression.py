"""Losses of numbers: differences, likelihoods and margins."""

from __future__ import annotations

import math

from ... import ops
from ..cell import Cell
from ..layer import checks
from .base import REDUCTIONS, LossBase, same_shape


class L1Loss(LossBase):
    """The absolute difference :math:`|x - y|`.

    Args:
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.

    Inputs:
        - **logits** (Tensor[float]), **labels** (Tensor[float]) - of shapes that broadcast.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of the (broadcast) shape of the
            inputs.

    Raises:
        ValueError: another reduction, or the shapes do not broadcast.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.L1Loss()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])).asnumpy().item()
        1.0
    """

    def construct(self, logits, labels):
        return ops.l1_loss(logits, labels, self.reduction)


class MAELoss(L1Loss):
    """The absolute difference :math:`|x - y|` as `L1Loss`, of operands that may also differ in
    dtype.

    Args:
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.

    Inputs:
        - **logits** (Tensor), **labels** (Tensor) - of shapes that broadcast.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of the (broadcast) shape of the
            inputs.

    Raises:
        ValueError: another reduction, or the shapes do not broadcast.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.MAELoss("none")(ms.Tensor([1.0, 2.0]), ms.Tensor([1, 4])))
        [0. 2.]
    """


class MSELoss(LossBase):
    """The squared difference :math:`(x - y)^2`.

    Args:
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.

    Inputs:
        - **logits** (Tensor[float]), **labels** (Tensor[float]) - of shapes that broadcast.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of the (broadcast) shape of the
            inputs.

    Raises:
        ValueError: another reduction, or the shapes do not broadcast.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.MSELoss()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])).asnumpy().item()
        2.0
    """

    def construct(self, logits, labels):
        return ops.mse_loss(logits, labels, self.reduction)


class RMSELoss(LossBase):
    r"""The root of the mean squared difference, :math:`\sqrt{\frac1N\sum (x - y)^2}`.

    Inputs:
        - **logits** (Tensor), **labels** (Tensor) - of shapes that broadcast.

    Outputs:
        Tensor of rank 0.

    Raises:
        ValueError: the shapes do not broadcast.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.RMSELoss()(ms.Tensor([1.0, 2.0]), ms.Tensor([4.0, 5.0])))
        3.0
    """

    def __init__(self):
        super().__init__()

    def construct(self, logits, label):
        return ops.sqrt(ops.mse_loss(logits, label))


class SmoothL1Loss(LossBase):
    r"""Quadratic near 0, absolute beyond: :math:`d^2/2\beta` where :math:`|d| < \beta`, else
    :math:`|d| - \beta/2`.

    Args:
        beta (float): where the two meet, at least 0. Default 1.
        reduction (str): ``mean``, ``sum`` or ``none``. Default none.

    Inputs:
        - **logits** (Tensor[float]), **labels** (Tensor[float]) - of one shape.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of the shape of the inputs.

    Raises:
        TypeError: ``beta`` is no number.
        ValueError: ``beta`` is negative, another reduction, or the shapes differ.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.SmoothL1Loss()(ms.Tensor([0.5, 3.0]), ms.Tensor([0.0, 0.0])))
        [0.125 2.5  ]
    """

    def __init__(self, beta=1.0, reduction="none"):
        super().__init__(reduction)
        self.beta = checks.number_in("SmoothL1Loss", "beta", beta, 0, math.inf)

    def construct(self, logits, labels):
        same_shape("SmoothL1Loss", logits, labels, ("logits", "labels"))
        return ops.smooth_l1_loss(logits, labels, self.beta, self.reduction)


class HuberLoss(LossBase):
    r"""The loss of Huber: :math:`d^2/2` where :math:`|d| \le \delta`, else
    :math:`\delta(|d| - \delta/2)`, of differences d.

    Args:
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.
        delta (number): where the two meet, above 0. Default 1.

    Inputs:
        - **logits** (Tensor[float]), **labels** (Tensor[float]) - of shapes that broadcast.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of the (broadcast) shape of the
            inputs.

    Raises:
        TypeError: ``delta`` is no number.
        ValueError: ``delta`` is not positive, or another reduction.

    Source: Huber, Robust Estimation of a Location Parameter, 1964.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.HuberLoss("none")(ms.Tensor([0.5, 3.0]), ms.Tensor([0.0, 0.0])))
        [0.125 2.5  ]
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
        reduction (str): ``mean``, ``sum``, ``none`` or ``batchmean``, the sum divided by the first
            dimension. Default mean.

    Inputs:
        - **logits** (Tensor[float]) - log-probabilities x.
        - **labels** (Tensor[float]) - probabilities y, of the shape of the logits.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``.

    Raises:
        ValueError: another reduction.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> from minds import ops
        >>> loss = nn.KLDivLoss("sum")(ops.log(ms.Tensor([0.5, 0.5])), ms.Tensor([0.25, 0.75]))
        >>> print(f"{float(loss):.4f}")
        0.1308
    """

    def __init__(self, reduction="mean"):
        Cell.__init__(self)
        self.reduction = checks.one_of(
            "KLDivLoss", "reduction", reduction, (*REDUCTIONS, "batchmean")
        )

    def construct(self, logits, labels):
        return ops.kl_div(logits, labels, self.reduction)


class CosineEmbeddingLoss(LossBase):
    r"""The loss of a pair, :math:`1 - \cos(x_1, x_2)` where y is 1,
    :math:`\max(0, \cos(x_1, x_2) - margin)` where y is -1.

    Args:
        margin (float): in [-1, 1]. Default 0.
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.

    Inputs:
        - **logits_x1** (Tensor[(N, D)]), **logits_x2** (Tensor[(N, D)]) - the pairs.
        - **labels** (Tensor[(N,)]) - 1 or -1 for each.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of shape (N,).

    Raises:
        TypeError: ``margin`` is no number.
        ValueError: ``margin`` is out of range, another reduction, or the shapes of the pairs
            differ.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> loss = nn.CosineEmbeddingLoss(reduction="none")
        >>> a, b = ms.Tensor([[1.0, 0.0], [1.0, 0.0]]), ms.Tensor([[0.0, 2.0], [3.0, 0.0]])
        >>> print(loss(a, b, ms.Tensor([1, -1])))
        [1. 1.]
    """

    def __init__(self, margin=0.0, reduction="mean"):
        super().__init__(reduction)
        self.margin = checks.number_in("CosineEmbeddingLoss", "margin", margin, -1, 1)

    def construct(self, logits_x1, logits_x2, labels):
        same_shape("CosineEmbeddingLoss", logits_x1, logits_x2, ("logits_x1", "logits_x2"))
        return ops.cosine_embedding_loss(logits_x1, logits_x2, labels, self.margin, self.reduction)


class MarginRankingLoss(LossBase):
    r"""The loss of a ranking, :math:`\max(0, -y (x_1 - x_2) + margin)`, with y 1 where x₁ should
    rank higher, else -1.

    Args:
        margin (float): by how much it should. Default 0.
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.

    Inputs:
        - **input1** (Tensor[float]), **input2** (Tensor[float]) - of one shape.
        - **target** (Tensor) - 1 or -1, of the same shape.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of the shape of the inputs.

    Raises:
        ValueError: another reduction, or the shapes do not fit.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> loss = nn.MarginRankingLoss(reduction="none")
        >>> print(loss(ms.Tensor([1.0, 1.0]), ms.Tensor([3.0, 3.0]), ms.Tensor([1.0, -1.0])))
        [2. 0.]
    """

    def __init__(self, margin=0.0, reduction="mean"):
        super().__init__(reduction)
        self.margin = margin

    def construct(self, input1, input2, target):
        return ops.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class TripletMarginLoss(LossBase):
    r"""The loss of triplets, :math:`\max(d(a, p) - d(a, n) + margin, 0)`, with d the p-norm of the
    difference.

    Args:
        p (int): the norm. Default 2.
        swap (bool): use the smaller of d(a, n) and d(p, n). Default False.
        eps (float): added to differences. Default 1e-6.
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.
        margin (float): by how much the negative should be further away. Default 1.

    Inputs:
        - **x** (Tensor[(N, D)]), **positive** (Tensor[(N, D)]), **negative** (Tensor[(N, D)]) - the
          anchors a, and p and n.
        - **margin** (float) - that of this call, where the layer's is 1. Default 1.0.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of shape (N,).

    Raises:
        TypeError: ``swap`` is no bool.
        ValueError: another reduction.

    Source: Balntas et al., Learning Shallow Convolutional Feature Descriptors with Triplet Losses,
        2016.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> a, p, n = ms.Tensor([[0.0, 0.0]]), ms.Tensor([[3.0, 4.0]]), ms.Tensor([[0.0, 2.0]])
        >>> print(f"{float(nn.TripletMarginLoss()(a, p, n)):.3f}")
        4.000
    """

    def __init__(self, p=2, swap=False, eps=1e-6, reduction="mean", margin=1.0):
        super().__init__(reduction)
        self.p, self.swap, self.eps, self.margin = (
            p,
            checks.boolean("TripletMarginLoss", "swap", swap),
            eps,
            margin,
        )

    def construct(self, x, positive, negative, margin=1.0):
        margin = margin if self.margin == 1.0 else self.margin
        return ops.triplet_margin_loss(
            x, positive, negative, margin, self.p, self.eps, self.swap, self.reduction
        )


class TripletMarginWithDistanceLoss(LossBase):
    r"""The loss of triplets, :math:`\max(d(a, p) - d(a, n) + margin, 0)`, with any distance d.

    Args:
        distance_function (Callable): d, of two Tensors (N, D), gives (N,). Default None, the
            Euclidean distance of rows.
        swap (bool): use the smaller of d(a, n) and d(p, n). Default False.
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.
        margin (float): by how much the negative should be further away. Default 1.

    Inputs:
        - **x** (Tensor[(N, D)]), **positive** (Tensor[(N, D)]), **negative** (Tensor[(N, D)]) - the
          anchors a, and p and n.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of shape (N,).

    Raises:
        TypeError: ``swap`` is no bool.
        ValueError: another reduction.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> from minds import ops
        >>> loss = nn.TripletMarginWithDistanceLoss(lambda a, b: ops.sum(ops.abs(a - b), 1))
        >>> a, p, n = ms.Tensor([[0.0, 0.0]]), ms.Tensor([[3.0, 4.0]]), ms.Tensor([[0.0, 2.0]])
        >>> print(loss(a, p, n))
        6.0
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

    Inputs:
        - **logits** (Tensor[float]) - the means x.
        - **labels** (Tensor[float]) - the values y, of the same shape.
        - **var** (Tensor[float]) - the variances v, of a shape that broadcasts to it.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of the shape of the inputs.

    Raises:
        TypeError: ``full`` is no bool, or ``eps`` no number.
        ValueError: ``eps`` is not positive, or another reduction.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> x, y, v = ms.Tensor([0.0, 0.0]), ms.Tensor([1.0, 3.0]), ms.Tensor([1.0, 1.0])
        >>> print(nn.GaussianNLLLoss()(x, y, v))
        2.5
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

    Inputs:
        - **input** (Tensor[float]) - the logarithm of the rate, or the rate.
        - **target** (Tensor) - the counts y, of a shape that broadcasts.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of the (broadcast) shape of the
            inputs.

    Raises:
        ValueError: another reduction, or the shapes do not broadcast.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.PoissonNLLLoss()(ms.Tensor([0.0, 0.0]), ms.Tensor([1.0, 3.0])))
        1.0
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

"""Losses of classes. Class ids out of range are refused when the loss runs, with the id and its
row.
"""

from __future__ import annotations

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...ops.define import P
from ...ops.placed import place
from ...tensor import Tensor
from ..layer import checks
from ..layer.activation import activation_cell
from ..layer.softmax import Softmax
from .base import LossBase, same_shape


class SoftmaxCrossEntropyWithLogits(LossBase):
    r"""The cross entropy :math:`-\sum_c y_c \log softmax(x)_c` of each sample.

    Args:
        sparse (bool): labels are class ids instead of distributions. Default False.
        reduction (str): ``mean``, ``sum`` or ``none``. Default none.

    Inputs:
        - **logits** (Tensor[(N, C), float]) - unnormalised log-probabilities.
        - **labels** (Tensor[(N,), int]) if sparse, else (Tensor[(N, C)]).

    Outputs:
        Tensor[(N,)], of rank 0 unless the reduction is ``none``.

    Raises:
        TypeError: ``sparse`` is no bool.
        ValueError: another reduction, a class id is out of range, or the shapes do not fit.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        >>> print(f"{float(loss(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1]))):.4f}")
        0.6931
    """

    def __init__(self, sparse=False, reduction="none"):
        super().__init__(reduction)
        self.sparse = checks.boolean("SoftmaxCrossEntropyWithLogits", "sparse", sparse)
        self.softmax_cross_entropy = ops.SoftmaxCrossEntropyWithLogits()
        self.one_hot = ops.OneHot()

    def construct(self, logits, labels):
        strategy = self.softmax_cross_entropy.attrs.get("in_strategy")
        if strategy is not None:
            logits = place(logits, strategy[0])
        logp = ops.log_softmax(logits, -1)
        if self.sparse:
            return self._reduce(P.nll(logp, labels))
        same_shape("SoftmaxCrossEntropyWithLogits", logits, labels, ("logits", "labels"))
        return self._reduce(-ops.sum(labels * logp, -1))


def _class_weight(name, weight):
    if weight is not None and not isinstance(weight, Tensor):
        raise complain(
            TypeError,
            f"{name}: weight has type {type(weight).__name__}",
            expected="a Tensor or None",
        )
    return weight


class NLLLoss(LossBase):
    r"""The weighted negative log-likelihood :math:`-w_t\, x_t` of class ids t under
    log-probabilities x.

    Args:
        weight (Tensor[(C,)]): of the classes. Default None, all 1.
        ignore_index (int): a class id that does not count. Default -100.
        reduction (str): ``mean`` (divided by the sum of the weights), ``sum`` or ``none``. Default
            mean.

    Inputs:
        - **logits** (Tensor[(N, C)], or (C,), or (N, C, d1, …)), **labels** (Tensor[(N,), int], (),
            or (N, d1, …))

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of the labels' shape.

    Raises:
        TypeError: ``weight`` is no Tensor, or ``ignore_index`` no int.
        ValueError: another reduction, or a class id is out of range.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.NLLLoss()(ms.Tensor([[-1.0, -2.0]]), ms.Tensor([1])).asnumpy().item()
        2.0
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean"):
        super().__init__(reduction)
        self.weight = _class_weight(self.cls_name, weight)
        if not checks.is_int(ignore_index):
            raise complain(
                TypeError,
                f"{self.cls_name}: ignore_index has type {type(ignore_index).__name__}",
                expected="an int",
            )
        self.ignore_index = ignore_index

    def construct(self, logits, labels):
        return ops.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class CrossEntropyLoss(NLLLoss):
    """The cross entropy of softmax(x) with class ids or with distributions over the classes.

    Args:
        weight (Tensor[(C,)]): of the classes. Default None, all 1.
        ignore_index (int): a class id that does not count. Default -100.
        reduction (str): ``mean`` (divided by the sum of the weights), ``sum`` or ``none``. Default
            mean.
        label_smoothing (float): ε: targets become :math:`(1 - ε) y + ε/C`. Default 0.

    Inputs:
        - **logits** (Tensor[(N, C)], or (C,), or (N, C, d1, …))
        - **labels** (Tensor) - int class ids as in `NLLLoss`, or probabilities of the shape of the
          logits.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``.

    Raises:
        TypeError: ``weight`` is no Tensor, or ``label_smoothing`` no number.
        ValueError: another reduction, ``label_smoothing`` is outside of [0, 1], or a class id is
            out of range.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(f"{float(nn.CrossEntropyLoss()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1]))):.4f}")
        0.6931
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
        super().__init__(weight, ignore_index, reduction)
        self.label_smoothing = checks.number_in(
            "CrossEntropyLoss", "label_smoothing", label_smoothing, 0, 1
        )

    def construct(self, logits, labels):
        return ops.cross_entropy(
            logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


class BCELoss(LossBase):
    r"""The binary cross entropy :math:`-w (y\log x + (1 - y)\log(1 - x))` of probabilities x, with
    logarithms of at least 1e-12.

    Args:
        weight (Tensor): of the elements, broadcastable. Default None.
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.

    Inputs:
        - **logits** (Tensor[float]) - probabilities.
        - **labels** (Tensor[float]) - of the same shape, in [0, 1].

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of the shape of the inputs.

    Raises:
        TypeError: ``weight`` is no Tensor.
        ValueError: another reduction, or the shapes differ.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.BCELoss()(ms.Tensor([0.5, 1.0]), ms.Tensor([1.0, 1.0])))
        0.3465736
    """

    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction)
        self.weight = _class_weight("BCELoss", weight)

    def construct(self, logits, labels):
        same_shape("BCELoss", logits, labels, ("logits", "labels"))
        return ops.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    r"""The binary cross entropy of :math:`\sigma(x)`, without overflow.

    Args:
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.
        weight (Tensor): of the elements, broadcastable. Default None.
        pos_weight (Tensor): of the positive class, broadcastable. Default None.

    Inputs:
        - **input** (Tensor[float]) - unnormalised.
        - **target** (Tensor[float]) - of the same shape, in [0, 1].

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of the shape of the inputs.

    Raises:
        TypeError: a weight is no Tensor.
        ValueError: another reduction, or the shapes differ.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.BCEWithLogitsLoss("none")(ms.Tensor([0.0, -100.0]), ms.Tensor([1.0, 1.0])))
        [  0.6931472 100.       ]
    """

    def __init__(self, reduction="mean", weight=None, pos_weight=None):
        super().__init__(reduction)
        self.weight = _class_weight("BCEWithLogitsLoss", weight)
        self.pos_weight = _class_weight("BCEWithLogitsLoss", pos_weight)

    def construct(self, input, target):
        same_shape("BCEWithLogitsLoss", input, target, ("input", "target"))
        return ops.binary_cross_entropy_with_logits(
            input, target, self.weight, self.pos_weight, self.reduction
        )


class DiceLoss(LossBase):
    r"""The loss of overlap, :math:`1 - 2\sum xy / (\sum x^2 + \sum y^2 + smooth)`, of probabilities
    x and labels y.

    Args:
        smooth (float): above 0, keeps the quotient finite. Default 1e-5.

    Inputs:
        - **logits** (Tensor[float]), **label** (Tensor[float]) - of one shape.

    Outputs:
        Tensor of rank 0.

    Raises:
        TypeError: ``smooth`` is no number.
        ValueError: ``smooth`` is not positive, or the shapes differ.

    Source: Milletari et al., V-Net, 2016.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(f"{float(nn.DiceLoss()(ms.Tensor([1.0, 0.0]), ms.Tensor([1.0, 1.0]))):.4f}")
        0.3333
    """

    def __init__(self, smooth=1e-5):
        super().__init__()
        self.smooth = checks.number_in("DiceLoss", "smooth", smooth, 0, float("inf"), "()")

    def construct(self, logits, label):
        same_shape("DiceLoss", logits, label, ("logits", "label"))
        both = ops.sum(logits * label)
        total = ops.sum(logits * logits) + ops.sum(label * label)
        return 1 - 2 * both / (total + self.smooth)


class MultiClassDiceLoss(LossBase):
    """The mean of `DiceLoss` over the classes (the second dimension), weighted.

    Args:
        weights (Tensor[(C,)]): of the classes. Default None, all 1.
        ignore_indiex (int): a class that does not count. Default None.
        activation (str, Cell): applied to the logits; None for none. Default softmax (over the
            classes).

    Inputs:
        - **logits** (Tensor[(N, C, ...), float]), **label** (Tensor[(N, C, ...), float]) - of one
          shape.

    Outputs:
        Tensor of rank 0.

    Raises:
        TypeError: ``weights`` is no Tensor.
        KeyError: ``activation`` names none.
        ValueError: the shapes differ.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> loss = nn.MultiClassDiceLoss(activation=None)
        >>> y = ms.Tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> print(f"{float(loss(y, y)):.4f}, {float(loss(1 - y, y)):.4f}")
        0.0000, 1.0000
    """

    def __init__(self, weights=None, ignore_indiex=None, activation="softmax"):
        super().__init__()
        self.dice = DiceLoss()
        self.weights = _class_weight("MultiClassDiceLoss", weights)
        self.ignore_indiex = ignore_indiex
        if ignore_indiex is not None and not checks.is_int(ignore_indiex):
            raise complain(
                TypeError,
                f"MultiClassDiceLoss: ignore_indiex has type {type(ignore_indiex).__name__}",
                expected="an int or None",
            )
        self.activation = (
            Softmax(1)
            if activation == "softmax"
            else activation_cell("MultiClassDiceLoss", activation)
        )

    def construct(self, logits, label):
        same_shape("MultiClassDiceLoss", logits, label, ("logits", "label"))
        if self.activation is not None:
            logits = self.activation(logits)
        total = 0.0
        for c in range(label.shape[1]):
            if c != self.ignore_indiex:
                loss = self.dice(logits[:, c], label[:, c])
                total = total + (loss if self.weights is None else loss * self.weights[c])
        return total / label.shape[1]


class FocalLoss(LossBase):
    r"""Cross entropy in which easy samples count less: :math:`-w_t (1 - p_t)^\gamma \log p_t`.

    Args:
        weight (Tensor[(C,)]): of the classes. Default None, all 1.
        gamma (float): how much less easy samples count. Default 2.
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.

    Inputs:
        - **logits** (Tensor[(N, C)] or (N, C, H, W))
        - **labels** (Tensor) - one-hot of the same shape, or int class ids (N, 1) or (N, 1, H, W).

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of shape (N,).

    Raises:
        TypeError: ``weight`` is no Tensor.
        ValueError: another reduction.

    Source: Lin et al., Focal Loss for Dense Object Detection, 2017.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(f"{float(nn.FocalLoss()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[1]]))):.4f}")
        0.1733
    """

    def __init__(self, weight=None, gamma=2.0, reduction="mean"):
        super().__init__(reduction)
        self.weight = _class_weight("FocalLoss", weight)
        self.gamma = checks.any_number("FocalLoss", "gamma", gamma)

    def construct(self, logits, labels):
        shape = logits.shape[:2] + (-1,)
        logp = ops.log_softmax(ops.reshape(logits, shape), 1)
        labels = ops.reshape(labels, labels.shape[:2] + (-1,))
        if labels.shape[1] == 1 and logits.shape[1] != 1:
            labels = ops.one_hot(
                ops.cast(ops.squeeze(labels, 1), dt.int32), logits.shape[1], 1, 0, 1
            )
        picked = ops.cast(labels, logp.dtype)
        loss = -picked * (1 - ops.exp(logp)) ** self.gamma * logp
        if self.weight is not None:
            loss = loss * ops.reshape(self.weight, (1, -1, 1))
        loss = ops.mean(ops.sum(loss, 1), -1)
        return self._reduce(loss)


class HingeEmbeddingLoss(LossBase):
    r"""The hinge of a distance: :math:`x` where y is 1, :math:`\max(0, margin - x)` where y is -1.

    Args:
        margin (float): how far dissimilar pairs should be apart. Default 1.
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.

    Inputs:
        - **logits** (Tensor[float]) - distances x.
        - **labels** (Tensor) - 1 or -1, of a shape that broadcasts.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of the (broadcast) shape of the
            inputs.

    Raises:
        ValueError: another reduction, or the shapes do not broadcast.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> loss = nn.HingeEmbeddingLoss(reduction="none")
        >>> print(loss(ms.Tensor([0.25, 0.25]), ms.Tensor([1.0, -1.0])))
        [0.25 0.75]
    """

    def __init__(self, margin=1.0, reduction="mean"):
        super().__init__(reduction)
        self.margin = checks.any_number("HingeEmbeddingLoss", "margin", margin)

    def construct(self, logits, labels):
        return ops.hinge_embedding_loss(logits, labels, self.margin, self.reduction)


class SoftMarginLoss(LossBase):
    r"""The logistic loss :math:`\log(1 + e^{-y x})` of labels y, 1 or -1.

    Args:
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.

    Inputs:
        - **logits** (Tensor[float]), **labels** (Tensor[float]) - of one shape.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of the shape of the inputs.

    Raises:
        ValueError: another reduction, or the shapes differ.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(f"{float(nn.SoftMarginLoss()(ms.Tensor([0.0]), ms.Tensor([1.0]))):.4f}")
        0.6931
    """

    def construct(self, logits, labels):
        return ops.soft_margin_loss(logits, labels, self.reduction)


class MultiLabelSoftMarginLoss(LossBase):
    r"""The mean over the classes of the binary cross entropy of :math:`\sigma(x)`.

    Args:
        weight (Tensor[(C,)]): of the classes. Default None.
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.

    Inputs:
        - **x** (Tensor[(N, C), float]), **target** (Tensor[(N, C)]) - 1 for each class that
          applies, else 0.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of shape (N,).

    Raises:
        TypeError: ``weight`` is no Tensor.
        ValueError: another reduction, or the shapes do not broadcast.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> loss = nn.MultiLabelSoftMarginLoss()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[1.0, 0.0]]))
        >>> print(f"{float(loss):.4f}")
        0.6931
    """

    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction)
        self.weight = _class_weight("MultiLabelSoftMarginLoss", weight)

    def construct(self, x, target):
        loss = (1 - target) * x + ops.log1p(ops.exp(-ops.abs(x))) + ops.maximum(-x, 0)
        if self.weight is not None:
            loss = loss * self.weight
        return self._reduce(ops.mean(loss, -1))


class MultiMarginLoss(LossBase):
    r"""The hinge loss of several classes: the mean over c ≠ t of
    :math:`w_t \max(0, margin - x_t + x_c)^p`.

    Args:
        p (int): 1 or 2. Default 1.
        margin (float): by how much the true class should lead. Default 1.
        reduction (str): ``mean``, ``sum`` or ``none``. Default mean.
        weight (Tensor[(C,)]): of the classes. Default None.

    Inputs:
        - **x** (Tensor[(N, C)]), **target** (Tensor[(N,), int]) - the scores and the class ids.
        - **weight** (Tensor[(C,)]) - in place of the constructor's. Default None.

    Outputs:
        Tensor, of rank 0 unless the reduction is ``none``, then of shape (N,).

    Raises:
        TypeError: ``weight`` is no Tensor.
        ValueError: ``p`` is neither 1 nor 2, or another reduction.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.MultiMarginLoss()(ms.Tensor([[2.0, 1.5]]), ms.Tensor([0])))
        0.25
    """

    def __init__(self, p=1, margin=1.0, reduction="mean", weight=None):
        super().__init__(reduction)
        self.p = checks.one_of(
            "MultiMarginLoss", "p", checks.int_at_least("MultiMarginLoss", "p", p, 1), (1, 2)
        )
        self.margin = checks.any_number("MultiMarginLoss", "margin", margin)
        self.weight = _class_weight("MultiMarginLoss", weight)

    def construct(self, x, target, weight=None):
        weight = self.weight if weight is None else weight
        mine = P.gather_d(x, 1, ops.expand_dims(ops.cast(target, dt.int64), 1))
        lack = ops.maximum(self.margin - mine + x, 0) ** self.p
        others = 1 - ops.cast(ops.one_hot(target, x.shape[1], 1, 0, -1), x.dtype)
        loss = ops.sum(lack * others, 1) / x.shape[1]
        return self._reduce(loss if weight is None else loss * P.gather(weight, target, 0))


__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "DiceLoss",
    "FocalLoss",
    "HingeEmbeddingLoss",
    "MultiClassDiceLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "SoftMarginLoss",
    "SoftmaxCrossEntropyWithLogits",
]

"""Losses composed of ops. ``reduction`` is ``"mean"``, ``"sum"`` or ``"none"``."""

from __future__ import annotations

from ...base import dtype as dt
from ...base.errors import complain, expect
from ..define import P
from ..faces import face
from ..repeated import repeated
from .activation_func import softplus
from .common import expect_flag, expect_reduction, inexact, reduce_loss
from .vector_norm_func import norm


@face(mint="nn.functional.cross_entropy nn.CrossEntropyLoss")
@repeated
def cross_entropy(
    input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0
):
    r"""The cross entropy of logits with class ids or with class probabilities.

    .. math:: \ell_n = -w_{t_n} \log \frac{e^{x_{n, t_n}}}{\sum_c e^{x_{n, c}}}

    Args:
        input (Tensor[(N, C), (N, C, ...) or (C,), float]): logits.
        target (Tensor[(N,), (N, ...) or (), int]): class ids; or probabilities of the shape of
        ``input``. weight (Tensor[(C,), float]): the weight of each class. Default: ones.
        ignore_index (int): samples with this class id do not count. Default: -100.
        reduction (str): ``"mean"`` (weighted), ``"sum"`` or ``"none"``. Default: ``"mean"``.
        label_smoothing (float): how much probability is spread over all classes. Default: 0.0.

    Returns:
        Tensor: a scalar, or one loss per sample.

    Raises:
        ValueError: the shapes do not fit, a class id is out of range, or ``reduction`` is another
            word.

    Examples:
        >>> print(ops.cross_entropy(Tensor([[0.0, 0.0]]), Tensor([1])))
        0.6931472
    """
    axis = 0 if len(input.shape) == 1 else 1
    logp = P.log_softmax(input, axis)
    if target.dtype.is_float:
        return _soft_loss(logp, target, weight, axis, reduction, label_smoothing)
    return nll_loss(logp, target, weight, ignore_index, reduction, label_smoothing)


def _soft_loss(logp, target, weight, axis, reduction, smoothing):
    """The cross entropy with class probabilities."""
    expect(
        target.shape == logp.shape,
        "cross_entropy: target",
        f"of shape {logp.shape}, probabilities",
        got=target.shape,
    )
    classes = logp.shape[axis]
    if smoothing > 0:
        target = target * (1 - smoothing) + smoothing / classes
    if weight is not None:
        target = target * P.reshape(weight, (classes,) + (1,) * (len(logp.shape) - 1 - axis))
    loss = -P.sum(logp * target, axis)
    if reduction == "mean":
        return P.sum(loss) / max(loss.size, 1)
    return reduce_loss(loss, reduction)


def nll_loss(inputs, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    r"""The negative log-likelihood of class ids: :math:`-w_{t_n} x_{n, t_n}`.

    Args:
        inputs (Tensor[(N, C), (N, C, ...) or (C,), float]): log-probabilities.
        target (Tensor[(N,), (N, ...) or (), int]): class ids.
        weight (Tensor[(C,), float]): the weight of each class. Default: ones.
        ignore_index (int): samples with this class id do not count. Default: -100.
        reduction (str): ``"mean"`` (weighted), ``"sum"`` or ``"none"``. Default: ``"mean"``.
        label_smoothing (float): how much probability is spread over all classes. Default: 0.0.

    Returns:
        Tensor: a scalar, or one loss per sample.

    Raises:
        ValueError: the shapes do not fit, a class id is out of range, or ``reduction`` is another
            word.

    Examples:
        >>> print(ops.nll_loss(Tensor([[-1.0, -2.0]]), Tensor([1])))
        2.0
    """
    expect_reduction(reduction)
    shape = inputs.shape
    if len(shape) == 1:
        inputs = P.reshape(inputs, (1,) + shape)
    elif len(shape) > 2:
        rows = P.transpose(inputs, (0, *range(2, len(shape)), 1))
        inputs = P.reshape(rows, (rows.size // max(shape[1], 1), shape[1]))
    expected = () if len(shape) == 1 else shape[:1] + shape[2:]
    expect(target.shape == expected, "nll_loss: target", f"of shape {expected}", got=target.shape)
    classes = inputs.shape[1]
    ids = P.reshape(target, (inputs.shape[0],))
    counted = P.not_equal(ids, ignore_index)
    ids = P.select(counted, ids, 0)
    share = P.cast(counted, inputs.dtype)
    if weight is not None:
        expect(
            weight.shape == (classes,),
            "nll_loss: weight",
            f"of shape {(classes,)}",
            got=weight.shape,
        )
        share = share * P.gather(weight, ids, 0)
    loss = P.nll(inputs, ids) * share
    if label_smoothing > 0:
        spread = P.sum(inputs if weight is None else inputs * weight, 1)
        spread = -(spread * P.cast(counted, inputs.dtype))
        loss = loss * (1 - label_smoothing) + spread * (label_smoothing / classes)
    if reduction == "mean":
        return P.sum(loss) / P.sum(share)
    return P.sum(loss) if reduction == "sum" else P.reshape(loss, target.shape)


@face(cls=True)
def softmax_cross_entropy_with_logits(logits, labels):
    """The cross entropy of each row of logits with probabilities.

    Args:
        logits (Tensor[(N, C), float]): the logits.
        labels (Tensor[(N, C), float]): the probabilities of the classes.

    Returns:
        Tensor[(N,)]: the losses, in the dtype of ``logits``.

    Examples:
        >>> print(ops.SoftmaxCrossEntropyWithLogits()(Tensor([[0.0, 0.0]]), Tensor([[0.0, 1.0]]))[0])
        [0.6931472]
    """
    logp = P.log_softmax(logits, -1)
    return -P.sum(logp * labels, -1), P.stop_gradient(P.exp(logp) - labels)


@face(mint="nn.functional.mse_loss nn.MSELoss")
def mse_loss(input, target, reduction="mean"):
    r"""The squared error :math:`(x - t)^2`.

    Args:
        input (Tensor[any shape, float]): predictions.
        target (Tensor[any shape, float]): what they should be; broadcasts.
        reduction (str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or one loss per element.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``target`` does not fit ``input``.

    Examples:
        >>> print(ops.mse_loss(Tensor([1.0, 3.0]), Tensor([1.0, 1.0])))
        2.0
    """
    return reduce_loss(P.square(inexact(input - target)), reduction)


@face(mint="nn.functional.l1_loss nn.L1Loss")
def l1_loss(input, target, reduction="mean"):
    r"""The absolute error :math:`|x - t|`.

    Args:
        input (Tensor[any shape, float]): predictions.
        target (Tensor[any shape, float]): what they should be; broadcasts.
        reduction (str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or one loss per element.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``target`` does not fit ``input``.

    Examples:
        >>> print(ops.l1_loss(Tensor([1.0, 3.0]), Tensor([1.0, 1.0])))
        1.0
    """
    return reduce_loss(P.abs(input - target), reduction)


@face(cls="SmoothL1Loss(beta=1.0, reduction='none')")
def smooth_l1_loss(input, target, beta=1.0, reduction="none"):
    r""":math:`(x - t)^2 / 2\beta` below ``beta``, else :math:`|x - t| - \beta / 2`.

    Args:
        input (Tensor[any shape, float]): predictions.
        target (Tensor[any shape, float]): what they should be.
        beta (float): where the square becomes a line. Default: 1.0.
        reduction (str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"none"``.

    Returns:
        Tensor: a scalar, or one loss per element.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``target`` does not fit ``input``.

    Examples:
        >>> print(ops.smooth_l1_loss(Tensor([1.0, 3.0]), Tensor([0.0, 0.0])))
        [0.5 2.5]
    """
    expect(beta >= 0, "beta", "at least 0", got=beta)
    error = P.abs(input - target)
    if beta == 0:
        return reduce_loss(error, reduction)
    return reduce_loss(
        P.select(error < beta, P.square(error) * (0.5 / beta), error - 0.5 * beta), reduction
    )


def huber_loss(input, target, reduction="mean", delta=1.0):
    r""":math:`(x - t)^2 / 2` below ``delta``, else :math:`\delta (|x - t| - \delta / 2)`.

    Args:
        input (Tensor[any shape, float]): x.
        target (Tensor[any shape, float]): t.
        reduction (str): "mean", "sum" or "none". Default: "mean".
        delta (float): where the loss becomes linear; positive. Default: 1.0.

    Returns:
        Tensor: a scalar, or with "none" one loss for each element.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``target`` does not fit ``input``.

    Examples:
        >>> print(ops.huber_loss(Tensor([1.0, 3.0]), Tensor([0.0, 0.0]), "none"))
        [0.5 2.5]
    """
    error = P.abs(input - target)
    return reduce_loss(
        P.select(error <= delta, P.square(error) * 0.5, (error - 0.5 * delta) * delta), reduction
    )


@face(cls="BinaryCrossEntropy(reduction='mean')")
def binary_cross_entropy(logits, labels, weight=None, reduction="mean"):
    r"""The cross entropy of probabilities: :math:`-w (t \log p + (1 - t) \log(1 - p))`.

    Args:
        logits (Tensor[any shape, float]): probabilities, in [0, 1].
        labels (Tensor[any shape, float]): what they should be.
        weight (Tensor): of each element; broadcasts. Default: ones.
        reduction (str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or one loss per element. Logarithms are of at least 1e-12.

    Raises:
        TypeError: ``logits`` is not a Tensor.

    Examples:
        >>> print(ops.binary_cross_entropy(Tensor([0.5]), Tensor([1.0])))
        0.6931472
    """
    yes, no = P.log(P.maximum(logits, 1e-12)), P.log(P.maximum(1 - logits, 1e-12))
    loss = -(labels * yes + (1 - labels) * no)
    return reduce_loss(loss if weight is None else loss * weight, reduction)


@face(cls="BCEWithLogitsLoss(reduction='mean')")
def binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction="mean"):
    r"""The cross entropy of the probabilities :math:`\sigma(x)`, without overflow.

    Args:
        input (Tensor[any shape, float]): logits.
        target (Tensor[any shape, float]): probabilities.
        weight (Tensor): of each element; broadcasts. Default: ones.
        pos_weight (Tensor): of the positive part; broadcasts. Default: ones.
        reduction (str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or one loss per element.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.binary_cross_entropy_with_logits(Tensor([0.0]), Tensor([1.0])))
        0.6931472
    """
    soft = softplus(-input)
    if pos_weight is not None:
        soft = soft * ((pos_weight - 1) * target + 1)
    loss = (1 - target) * input + soft
    return reduce_loss(loss if weight is None else loss * weight, reduction)


@face(cls="KLDivLoss(reduction='mean')")
def kl_div(logits, labels, reduction="mean"):
    r"""The Kullback-Leibler divergence :math:`t (\log t - x)` of log-probabilities from
    probabilities; 0 where t is 0.

    Args:
        logits (Tensor[any shape, float]): log-probabilities.
        labels (Tensor[any shape, float]): probabilities.
        reduction (str): ``"mean"``, ``"batchmean"`` (the sum over the first size), ``"sum"`` or
            ``"none"``.
            Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or one value per element.

    Raises:
        TypeError: ``logits`` is not a Tensor.

    Examples:
        >>> print(ops.kl_div(Tensor([-1.0]), Tensor([1.0])))
        1.0
    """
    positive = labels > 0
    loss = P.select(positive, labels * (P.log(P.select(positive, labels, 1)) - logits), 0)
    if reduction == "batchmean":
        return P.sum(loss) / logits.shape[0]
    return reduce_loss(loss, reduction)


@face(
    mint="nn.functional.soft_margin_loss nn.SoftMarginLoss", cls="SoftMarginLoss(reduction='mean')"
)
def soft_margin_loss(input, target, reduction="mean"):
    r""":math:`\log(1 + e^{-t x})`.

    Args:
        input (Tensor[any shape, float]): x.
        target (Tensor[any shape, float]): t, 1 or -1.
        reduction (str): "mean", "sum" or "none". Default: "mean".

    Returns:
        Tensor: a scalar, or with "none" one loss for each element.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.soft_margin_loss(Tensor([0.0]), Tensor([1.0])))
        0.6931472
    """
    return reduce_loss(softplus(-(target * input)), reduction)


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction="mean"):
    r""":math:`\max(0, -t (x - y) + margin)`.

    Args:
        input1 (Tensor[any shape, float]): x.
        input2 (Tensor[any shape, float]): y.
        target (Tensor[any shape, number]): t, 1 where x should be larger, else -1.
        margin (float): the least distance. Default: 0.0.
        reduction (str): "mean", "sum" or "none". Default: "mean".

    Returns:
        Tensor: a scalar, or with "none" one loss for each element.

    Raises:
        TypeError: ``input1`` is not a Tensor.

    Examples:
        >>> print(ops.margin_ranking_loss(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])))
        2.0
    """
    return reduce_loss(P.relu(-(target * (input1 - input2)) + margin), reduction)


def hinge_embedding_loss(inputs, targets, margin=1.0, reduction="mean"):
    """``inputs`` where the target is 1, and what they lack of ``margin`` where it is -1.

    Args:
        inputs (Tensor[any shape, float]): distances.
        targets (Tensor[any shape, number]): 1 or -1.
        margin (float): the least distance where the target is -1. Default: 1.0.
        reduction (str): "mean", "sum" or "none". Default: "mean".

    Returns:
        Tensor: a scalar, or with "none" one loss for each element.

    Raises:
        TypeError: ``inputs`` is not a Tensor.

    Examples:
        >>> print(ops.hinge_embedding_loss(Tensor([0.5]), Tensor([-1.0])))
        0.5
    """
    loss = P.select(P.equal(targets, 1), inputs, P.relu(margin - inputs))
    return reduce_loss(loss, reduction)


@face(mint="nn.functional.cosine_embedding_loss")
def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean"):
    """One minus the cosine where the target is 1, and its excess over ``margin`` where it is -1.

    Args:
        input1 (Tensor[(N, D) or (D,), float]): vectors.
        input2 (Tensor[(N, D) or (D,), float]): vectors to compare them with.
        target (Tensor[(N,) or (), number]): 1 for alike, -1 for different ones.
        margin (float): the cosine that different ones may have. Default: 0.0.
        reduction (str): "mean", "sum" or "none". Default: "mean".

    Returns:
        Tensor: a scalar, or with "none" one loss for each pair.

    Raises:
        TypeError: ``input1`` is not a Tensor.
        ValueError: the shape of ``input2`` does not fit ``input1``.

    Examples:
        >>> print(ops.cosine_embedding_loss(Tensor([[3.0, 4.0]]), Tensor([[3.0, 4.0]]), Tensor([-1.0])))
        1.0
    """
    size = P.sqrt(P.sum(P.square(input1), -1) * P.sum(P.square(input2), -1) + 1e-12)
    cosine = P.sum(input1 * input2, -1) / size
    return reduce_loss(P.select(P.equal(target, 1), 1 - cosine, P.relu(cosine - margin)), reduction)


def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, reduction="mean"
):
    """How much the positive is not nearer to the anchor than the negative, by ``margin``.

    Args:
        anchor (Tensor[(N, D), float]): the vectors.
        positive (Tensor[(N, D), float]): those that should be near.
        negative (Tensor[(N, D), float]): those that should be far.
        margin (float): by how much. Default: 1.0.
        p (int): which norm measures distances. Default: 2.
        eps (float): is added to differences. Default: 1e-06.
        swap (bool): measure from the positive where that is nearer to the negative. Default: False.
        reduction (str): "mean", "sum" or "none". Default: "mean".

    Returns:
        Tensor: a scalar, or with "none" one loss for each row.

    Raises:
        TypeError: ``anchor`` is not a Tensor, or ``swap`` is no bool.

    Examples:
        >>> print(ops.triplet_margin_loss(Tensor([[0.0]]), Tensor([[0.0]]), Tensor([[5.0]])))
        0.0
    """
    expect_flag("swap", swap)
    near, far = norm(anchor - positive + eps, p, -1), norm(anchor - negative + eps, p, -1)
    if swap:
        far = P.minimum(far, norm(positive - negative + eps, p, -1))
    return reduce_loss(P.relu(near - far + margin), reduction)


def gaussian_nll_loss(x, target, var, full=False, eps=1e-6, reduction="mean"):
    r""":math:`\frac12 (\log\sigma^2 + (x - t)^2 / \sigma^2)`, with the variance at least ``eps``.

    Args:
        x (Tensor[any shape, float]): the means.
        target (Tensor[any shape, float]): the observations.
        var (Tensor[any shape, float]): the variances, which broadcast.
        full (bool): add the constant :math:`\log(2\pi)/2`. Default: False.
        eps (float): the least variance. Default: 1e-06.
        reduction (str): "mean", "sum" or "none". Default: "mean".

    Returns:
        Tensor: a scalar, or with "none" one loss for each element.

    Raises:
        TypeError: ``x`` is not a Tensor, or ``full`` is no bool.

    Examples:
        >>> print(ops.gaussian_nll_loss(Tensor([1.0]), Tensor([1.0]), Tensor([1.0])))
        0.0
    """
    expect_flag("full", full)
    if eps <= 0:
        raise complain(ValueError, f"gaussian_nll_loss: eps is {eps}", expected="a positive number")
    bounded = P.maximum(var, eps)
    loss = (P.log(bounded) + P.square(x - target) / bounded) * 0.5
    return reduce_loss(loss + 0.9189385332046727 if full else loss, reduction)


def multilabel_soft_margin_loss(input, target, weight=None, reduction="mean"):
    """The mean over classes of the binary cross entropy of logits.

    Args:
        input (Tensor[(N, C), float]): the logits.
        target (Tensor[(N, C)]): 0 or 1 for each class.
        weight (Tensor[C]): of each class. Default: 1.
        reduction (str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or of shape (N,).

    Raises:
        TypeError: ``target`` is not a Tensor.
        ValueError: the shape of ``target`` does not fit ``input``.

    Examples:
        >>> print(ops.multilabel_soft_margin_loss(Tensor([[0.0, 0.0]]), Tensor([[1.0, 0.0]])))
        0.6931472
    """
    target = P.cast(target, input.dtype)
    point = P.maximum(input, 0) - input * target + P.log1p(P.exp(-P.abs(input)))
    point = point if weight is None else point * weight
    return reduce_loss(P.sum(point, -1) / input.shape[-1], reduction)


@face(cls="MultiMarginLoss(p=1, margin=1.0, reduction='mean')")
def multi_margin_loss(input, target, p=1, margin=1, weight=None, reduction="mean"):
    """The hinge loss of each class that comes too near to the target's, averaged over classes.

    Args:
        input (Tensor[(N, C), float]): the scores.
        target (Tensor[N, int]): the classes.
        p (int): the power of the hinge, 1 or 2. Default: 1.
        margin (float): the distance to keep. Default: 1.
        weight (Tensor[C]): of each class. Default: 1.
        reduction (str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.

    Returns:
        Tensor: a scalar, or of shape (N,).

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``target`` does not fit ``input``.

    Examples:
        >>> print(ops.multi_margin_loss(Tensor([[0.5, 0.0]]), Tensor([0])))
        0.25
    """
    expect(p in (1, 2), "p", "1 or 2", got=p)
    index = P.reshape(P.cast(target, dt.int64), (-1, 1))
    hinge = P.relu(margin - P.gather_d(input, 1, index) + input)
    hinge = P.square(hinge) if p == 2 else hinge
    hinge = hinge if weight is None else hinge * P.reshape(P.gather(weight, target, 0), (-1, 1))
    other = P.not_equal(P.reshape(P.arange(0, input.shape[1], 1, dt.int64), (1, -1)), index)
    return reduce_loss(P.sum(P.select(other, hinge, 0), 1) / input.shape[1], reduction)

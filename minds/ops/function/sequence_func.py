"""Alignment of sequences (CTC), short-time Fourier transforms, deformable convolution, losses over
sets of labels, and
random choices among categories."""

from __future__ import annotations

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...tensor import Tensor
from .. import checked
from ..define import P
from ..faces import face
from ..rules import integral
from .array_func import expand_dims
from .common import as_int64, expect_flag, key_of, reduce_loss
from .join_func import stack
from .sampling import deformed

_NEVER = -1e30
"""Stands for the logarithm of 0 in the recursion, where infinities would make gradients undefined.
"""


def _log_add(*terms):
    top = terms[0]
    for t in terms[1:]:
        top = P.maximum(top, t)
    top = P.stop_gradient(top)
    total = 0
    for t in terms:
        total = total + P.exp(t - top)
    return P.log(total) + top


def _ctc_alphas(log_probs, targets, input_lengths, target_lengths, blank: int) -> tuple:
    """The forward variables of CTC, (T, N, 2 S + 1), and the logarithms of the probabilities of the
    targets.
    """
    t, n, c = log_probs.shape
    targets = P.cast(targets, dt.int64)
    s = targets.shape[1]
    blanks = P.full((n, s), blank, dt.int64)
    labels = P.concat(
        (P.reshape(stack([blanks, targets], -1), (n, 2 * s)), P.full((n, 1), blank, dt.int64)), 1
    )
    width = 2 * s + 1
    # A label may be reached past a blank, unless it repeats the one before.
    before = P.concat(
        (P.full((n, 2), blank, dt.int64), P.strided_slice(labels, (0, 0), (n, width - 2), (1, 1))),
        1,
    )
    skips = P.not_equal(labels, before)
    place = P.reshape(P.arange(0, width, 1, dt.int64), (1, width))

    def shifted(a, by):
        return P.concat(
            (P.full((n, by), _NEVER, a.dtype), P.strided_slice(a, (0, 0), (n, width - by), (1, 1))),
            1,
        )

    alphas, alpha = [], None
    for i in range(t):
        seen = P.gather_d(
            P.reshape(P.strided_slice(log_probs, (i, 0, 0), (i + 1, n, c), (1, 1, 1)), (n, c)),
            1,
            labels,
        )
        if alpha is None:
            alpha = P.select(P.less(place, 2), seen, _NEVER)
        else:
            moved = (
                _log_add(alpha, shifted(alpha, 1), P.select(skips, shifted(alpha, 2), _NEVER))
                + seen
            )
            alpha = P.select(
                P.greater(P.reshape(input_lengths, (n, 1)), i), P.maximum(moved, _NEVER), alpha
            )
        alphas.append(alpha)
    last = P.reshape(P.cast(target_lengths, dt.int64), (n, 1)) * 2
    ends = P.gather_d(alpha, 1, last), P.gather_d(alpha, 1, P.maximum(last - 1, 0))
    none = P.equal(last, 0)
    total = P.reshape(_log_add(ends[0], P.select(none, _NEVER, ends[1])), (n,))
    return alphas, total


@face(cls="CTCLossV2(blank=0, reduction='none', zero_infinity=False)")
def ctc_loss(
    log_probs,
    targets,
    input_lengths,
    target_lengths,
    blank=0,
    reduction="mean",
    zero_infinity=False,
):
    """Connectionist temporal classification: minus the logarithm of the probability of all
    alignments of a target.

    Args:
        log_probs (Tensor[(T, N, C), float]): logarithms of the classes' probabilities at each time.
        targets (Tensor[(N, S), int]): the targets.
        input_lengths (Tensor[(N,), int], tuple[int]): how many times count.
        target_lengths (Tensor[(N,), int], tuple[int]): how many labels count.
        blank (int): the class of the blank. Default: 0.
        reduction (str): ``"mean"`` over targets, each divided by its length, ``"sum"`` or
            ``"none"``.
        zero_infinity (bool): targets that are too long give 0 instead of infinity. Default: False.

    Returns:
        tuple: the loss, and the forward variables (N, T, 2 S + 1).

    Raises:
        TypeError: ``targets`` is not a Tensor, or ``zero_infinity`` is no bool.
        ValueError: the shape of ``targets`` does not fit ``log_probs``, or a length is out of range.

    Source: Graves et al., Connectionist Temporal Classification, 2006.

    Examples:
        >>> x = ops.log(Tensor([[[0.6, 0.4]], [[0.5, 0.5]]]))
        >>> loss, _ = ops.ctc_loss(x, Tensor([[1]]), Tensor([2]), Tensor([1]), reduction="none")
        >>> print(loss.asnumpy().round(4))
        [0.3567]
    """
    expect_flag("zero_infinity", zero_infinity)

    def tensor(v):
        return Tensor(v, dt.int64) if isinstance(v, (tuple, list)) else v

    given, wanted = tensor(input_lengths), tensor(target_lengths)
    for name, v in (("targets", targets), ("input_lengths", given), ("target_lengths", wanted)):
        integral(v, name)
    inputs = checked.lengths(given, log_probs.shape[0], "ctc_loss: input_lengths")
    lengths = checked.lengths(wanted, targets.shape[-1], "ctc_loss: target_lengths")
    alphas, total = _ctc_alphas(log_probs, targets, inputs, lengths, blank)
    never = P.less(total, _NEVER / 2)
    loss = P.select(never, 0.0 if zero_infinity else float("inf"), -total)
    alpha = P.transpose(stack(alphas), (1, 0, 2))
    alpha = P.select(P.less(alpha, _NEVER / 2), -float("inf"), alpha)
    if reduction == "mean":
        loss = loss / P.cast(P.maximum(lengths, 1), loss.dtype)
    return reduce_loss(loss, reduction), P.stop_gradient(alpha)


def stft(
    x,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    pad_mode="REFLECT",
    normalized=False,
    onesided=None,
    return_complex=None,
):
    """The short-time Fourier transform: transforms of windows along a signal.

    Args:
        x (Tensor[(L,) or (B, L), number]): the signals.
        n_fft (int): the length of the transforms.
        hop_length (int): the distance of the windows. Default: n_fft // 4.
        win_length (int): the length of the window. Default: n_fft.
        window (Tensor[(win_length,)]): its weights. Default: ones.
        center (bool): windows are centred at their times, the signal is continued by n_fft // 2.
            Default: True.
        pad_mode (str): how it is continued, ``"REFLECT"`` or ``"CONSTANT"``.
        normalized (bool): divide by the square root of n_fft. Default: False.
        onesided (bool): only the first n_fft // 2 + 1 frequencies. Default: whether ``x`` is real.
        return_complex (bool): complex numbers, or pairs of numbers in the last dimension. Default:
            whether ``x`` is complex.

    Returns:
        Tensor[(B, frequencies, times)], with a last dimension of 2 where pairs are returned.

    Raises:
        ValueError: ``x`` has a rank that does not fit.

    Examples:
        >>> ops.stft(ops.ones((2, 64)), 16).shape
        (2, 9, 17, 2)
    """
    hop, length = hop_length or n_fft // 4, win_length or n_fft
    is_complex = x.dtype.is_complex
    onesided = not is_complex if onesided is None else onesided
    return_complex = is_complex if return_complex is None else return_complex
    rows = P.reshape(x, (1,) + x.shape) if len(x.shape) == 1 else x
    if center:
        half = n_fft // 2
        at = (
            np.pad(np.arange(rows.shape[1]), half, "reflect")
            if pad_mode.upper() == "REFLECT"
            else None
        )
        rows = (
            P.pad(rows, ((0, 0), (half, half)), 0) if at is None else P.gather(rows, Tensor(at), 1)
        )
    count = (rows.shape[1] - n_fft) // hop + 1
    expect(count > 0, "n_fft", f"at most the length of the signal, {rows.shape[1]}", got=n_fft)
    places = np.arange(count)[:, None] * hop + np.arange(n_fft)
    frames = P.reshape(P.gather(rows, Tensor(places.ravel()), 1), (rows.shape[0], count, n_fft))
    weights = P.full((length,), 1, rows.dtype) if window is None else window
    left = (n_fft - length) // 2
    weights = P.pad(weights, ((left, n_fft - length - left),), 0)
    out = P.transpose(P.dft(frames * weights, n_fft, 2), (0, 2, 1))
    if onesided:
        out = P.strided_slice(out, (0, 0, 0), (out.shape[0], n_fft // 2 + 1, count), (1, 1, 1))
    out = out * (n_fft**-0.5) if normalized else out
    out = P.reshape(out, out.shape[1:]) if len(x.shape) == 1 else out
    return out if return_complex else stack([P.real(out), P.imag(out)], -1)


def multilabel_margin_loss(input, target, reduction="mean"):
    r"""The hinges between each true class and each other one, :math:`\sum_{i, j} \max(0, 1 -
    (x_{y_j} - x_i)) / C`.

    Args:
        input (Tensor[(N, C) or (C,), float]): scores.
        target (Tensor, int): the true classes, in the same shape; -1 ends them.
        reduction (str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.

    Returns:
        Tensor: a number, or one for each sample.

    Raises:
        TypeError: ``target`` is not a Tensor.
        ValueError: the shape of ``target`` does not fit ``input``.

    Examples:
        >>> x, target = Tensor([[0.1, 0.2, 0.4, 0.8]]), Tensor([[3, 0, -1, 1]])
        >>> print(ops.multilabel_margin_loss(x, target).asnumpy().round(3))
        0.85
    """
    x = expand_dims(input, 0) if len(input.shape) == 1 else input
    y = P.reshape(as_int64(target, "target"), x.shape)
    ended = P.greater(P.cumsum(P.cast(P.less(y, 0), dt.int32), 1, False, False), 0)
    live = P.logical_not(ended)
    safe = P.select(live, y, 0)
    truth = P.tensor_scatter(
        P.full((x.shape[0] * x.shape[1],), 0, x.dtype),
        P.reshape(
            safe + P.reshape(P.arange(0, x.shape[0], 1, dt.int64), (-1, 1)) * x.shape[1], (-1, 1)
        ),
        P.reshape(P.cast(live, x.dtype), (-1,)),
        "add",
    )
    others = P.equal(P.reshape(truth, x.shape), 0)
    gaps = P.maximum(1 - expand_dims(P.gather_d(x, 1, safe), 2) + expand_dims(x, 1), 0)
    counted = P.logical_and(expand_dims(live, 2), expand_dims(others, 1))
    loss = P.sum(P.select(counted, gaps, 0), (1, 2), False) / x.shape[1]
    loss = reduce_loss(loss, reduction)
    return P.reshape(loss, ()) if len(input.shape) == 1 else loss


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3):
    """Negative numbers times a slope drawn from [lower, upper).

    Args:
        input (Tensor[any shape, float]): the operand.
        lower (float): the least slope. Default: 1/8.
        upper (float): is not reached. Default: 1/3.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` has a dtype that is not supported.

    Examples:
        >>> print(ops.rrelu(Tensor([0.0, 2.0])))
        [0. 2.]
    """
    slope = P.uniform(key_of(None), input.shape, dt.float32) * (upper - lower) + lower
    return P.select(P.less(input, 0), input * P.cast(slope, input.dtype), input)


def shuffle(x, seed=None):
    """The slices along the first dimension, in random order.

    Args:
        x (Tensor): the operand.
        seed (int): of the generator. Default: None, which continues the global one.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: ``x`` has a rank that does not fit.

    Examples:
        >>> sorted(ops.shuffle(Tensor([1, 2, 3])).tolist())
        [1, 2, 3]
    """
    return P.gather(x, P.sort(P.uniform(key_of(seed), x.shape[:1], dt.float32), 0, False)[1], 0)


@face(method=True, cls="RandomCategorical(dtype=int64)")
def random_categorical(logits, num_sample, seed=0, dtype=dt.int64):
    """Categories drawn with probabilities softmax(logits), after Gumbel.

    Args:
        logits (Tensor[(N, C), float]): the scores.
        num_sample (int): how many are drawn of each row.
        seed (int): a stream of its own. Default: 0.
        dtype (dtype): of the result. Default: int64.

    Returns:
        Tensor[(N, num_sample)]

    Raises:
        ValueError: ``logits`` has a rank that does not fit.

    Examples:
        >>> ops.random_categorical(ops.ones((2, 5)), 3).shape
        (2, 3)
    """
    n, c = logits.shape
    u = P.uniform(key_of(seed), (n, num_sample, c), dt.float32)
    noisy = expand_dims(P.cast(logits, dt.float32), 1) - P.log(-P.log(P.maximum(u, 1e-30)))
    return P.cast(P.argmax(noisy, 2, False), dtype)


def multinomial_with_replacement(x, seed, offset, numsamples, replacement=False):
    """Categories drawn with probabilities proportional to ``x``, each time among all.

    Args:
        x (Tensor[(N, C) or (C,), float]): weights that are not negative.
        seed, offset (int): a stream of their own.
        numsamples (int): how many are drawn.
        replacement (bool): of no meaning here, as in MindSpore.

    Returns:
        Tensor[(N, numsamples) or (numsamples,), int64]

    Raises:
        ValueError: ``x`` has a rank that does not fit.

    Examples:
        >>> print(ops.multinomial_with_replacement(Tensor([[0.0, 9.0]]), 2, 5, 2))
        [[1 1]]
    """
    x = checked.weights(x, x.shape[-1], "multinomial_with_replacement: x")
    rows = expand_dims(x, 0) if len(x.shape) == 1 else x
    out = random_categorical(P.log(rows), numsamples, seed + offset)
    return P.reshape(out, (numsamples,)) if len(x.shape) == 1 else out


def deformable_conv2d(
    x,
    weight,
    offsets,
    kernel_size,
    strides,
    padding,
    bias=None,
    dilations=(1, 1, 1, 1),
    groups=1,
    deformable_groups=1,
    modulated=True,
):
    """Convolution whose window's elements are moved by offsets, and weighted.

    Args:
        x (Tensor[(N, C, H, W), float]): the images.
        weight (Tensor[(O, C / groups, KH, KW), float]): the weights.
        offsets (Tensor[(N, 3 G KH KW, OH, OW), float]): for each element and place the moves to the
            right and down, and the weight; without the weight where it is not ``modulated``.
        kernel_size (tuple[int]): (KH, KW).
        strides, dilations (tuple[int]): four numbers, of N, C, H and W.
        padding (tuple[int]): above, below, left and right.
        bias (Tensor[(O,), float]): Default: None.
        groups, deformable_groups (int): into how many parts the channels are divided for the
            weights, and for the offsets. Default: 1.
        modulated (bool): whether there are weights among the offsets. Default: True.

    Returns:
        Tensor[(N, O, OH, OW)]: of the same dtype.

    Raises:
        ValueError: the shape of ``weight`` does not fit ``x``.

    Source: Zhu et al., Deformable ConvNets v2, 2018.

    Examples:
        >>> x, w, moves = ops.ones((1, 1, 3, 3)), ops.ones((1, 1, 2, 2)), ops.zeros((1, 12, 2, 2))
        >>> y = ops.deformable_conv2d(x, w, moves, (2, 2), (1, 1, 1, 1), (0, 0, 0, 0))
        >>> print(y.shape)
        (1, 1, 2, 2)
    """
    seen = deformed(
        x, offsets, kernel_size, strides[2:], padding, dilations[2:], deformable_groups, modulated
    )
    n, c, k, oh, ow = seen.shape
    # (N, C, K, OH, OW) as one image whose windows are the elements.
    seen = P.reshape(seen, (n, c * k, oh, ow))
    out = P.conv2d(
        seen, P.reshape(weight, (weight.shape[0], -1, 1, 1)), (1, 1), (0, 0, 0, 0), (1, 1), groups
    )
    out = P.cast(out, x.dtype)
    return out if bias is None else out + P.reshape(bias, (1, -1, 1, 1))

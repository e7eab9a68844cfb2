"""Primitive classes of older programs, most of them a function under another signature."""

from __future__ import annotations

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...ir.abstract import AbstractTensor, AbstractTuple
from ...tensor import Tensor
from ..define import P
from ..faces import primitive
from ..function.common import as_tensor, hosted, key_of, known_values
from ..functional import WITHIN as F


@primitive
def FloatStatus():
    """Whether a tensor has an element that is infinite or nan.

    Args:
        x (Tensor[any shape, float]): the operand.

    Returns:
        Tensor[(1,), float32]: 1 where there is one, else 0.

    Raises:
        TypeError: ``x`` is not floating point.

    Examples:
        >>> print(ops.FloatStatus()(Tensor([1.0, float("nan")])))
        [1.]
    """

    def call(x):
        expect(x.dtype.is_float, "x", "floating point", TypeError, got=x.dtype)
        finite = F.all(P.isfinite(P.reshape(x, (-1,))), 0, True)
        return P.cast(P.logical_not(finite), dt.float32)

    return call


@primitive(like="log_softmax")
def LogSoftmaxExt():
    def call(input, dim=None, dtype=None):
        if dim is None:
            dim = 0 if len(input.shape) in (0, 1, 3) else 1
        return P.log_softmax(input if dtype is None else P.cast(input, dt.of(dtype)), dim)

    return call


@primitive
def SelectView():
    """A row of a dimension, without that dimension.

    Args:
        input (Tensor): the operand.
        dim (int): the dimension.
        index (int): the row.

    Returns:
        Tensor: ``input`` without ``dim``.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> print(ops.SelectView()(Tensor([[1, 2], [3, 4]]), 0, 1))
        [3 4]
    """

    def call(input, dim, index):
        rank = len(input.shape)
        expect(-rank <= dim < rank, "dim", f"in [{-rank}, {rank})", got=dim)
        return input[(slice(None),) * (dim % rank) + (index,)]

    return call


@primitive
def RandpermV2(seed=0, offset=0, dtype=dt.int64):
    """The numbers below ``n`` in a random order.

    Args:
        seed, offset (int): choose the stream; 0 for the global one. Default: 0.
        dtype (dtype): of the result. Default: ``int64``.
        n (int): how many.

    Returns:
        Tensor[(n,), dtype]: the numbers.

    Raises:
        ValueError: ``n`` is negative.

    Examples:
        >>> print(ops.RandpermV2()(1))
        [0]
    """
    return lambda n: F.randperm(n, seed, offset, dtype)


@primitive(like="tensor_scatter_add")
def ScatterNonAliasingAdd():
    return lambda input_x, indices, updates: F.scatter_nd_add(input_x, indices, updates)


def _hits(true_classes, sampled):
    row, _, at = np.nonzero(true_classes[:, :, None] == sampled[None, None, :])
    weights = np.full(row.shape, np.finfo(np.float32).min, np.float32)
    return row.astype(np.int32), at.astype(np.int64), weights


@primitive
def ComputeAccidentalHits(num_true=1):
    """Where a sampled class is a target class.

    Args:
        num_true (int): the number of target classes of a row. Default: 1.
        true_classes (Tensor[(N, num_true), int]): the target classes.
        sampled_candidates (Tensor[(M,), int]): the sampled classes.

    Returns:
        tuple: for each hit the row, int32, the position among the samples, int64, and the lowest
        float32.

    Raises:
        ValueError: ``true_classes`` has another number of columns.
        CompileTimeError: in compiled code, since the number of hits is found by running.

    Examples:
        >>> hits = ops.ComputeAccidentalHits(1)(Tensor([[1], [2]]), Tensor([2, 0]))
        >>> print(hits[0], hits[1])
        [1] [0]
    """

    def call(true_classes, sampled_candidates):
        expect(
            len(true_classes.shape) == 2 and true_classes.shape[1] == num_true,
            "true_classes",
            f"with {num_true} columns",
            got=true_classes.shape,
        )
        values = known_values("ComputeAccidentalHits", true_classes, sampled_candidates)
        return tuple(as_tensor(part) for part in _hits(*values))

    return call


def _transducer_row(logs, labels, blank):
    """The negative logarithm of the probability of ``labels``, and its gradient by the logarithms."""
    steps, places = logs.shape[:2]
    empty, emit = logs[:, :, blank], np.full((steps, places), -np.inf)
    emit[:, :-1] = np.take_along_axis(logs[:, :-1], labels[None, :, None], 2)[:, :, 0]
    before, after = np.full((steps, places), -np.inf), np.full((steps + 1, places + 1), -np.inf)
    after[steps, places - 1] = 0.0
    for t in range(steps):
        for u in range(places):
            waited = before[t - 1, u] + empty[t - 1, u] if t else -np.inf
            emitted = before[t, u - 1] + emit[t, u - 1] if u else -np.inf
            before[t, u] = np.logaddexp(waited, emitted) if t or u else 0.0
    for t in reversed(range(steps)):
        for u in reversed(range(places)):
            emitted = after[t, u + 1] + emit[t, u] if u + 1 < places else -np.inf
            after[t, u] = np.logaddexp(after[t + 1, u] + empty[t, u], emitted)
    total, grad = after[0, 0], np.zeros_like(logs)
    grad[:, :, blank] = -np.exp(before + empty + after[1:, :places] - total)
    moved = -np.exp(before[:, :-1] + emit[:, :-1] + after[:steps, 1:places] - total)
    for u in range(places - 1):
        grad[:, u, labels[u]] += moved[:, u]
    return -total, grad


def _transducer(acts, labels, input_lengths, label_lengths, blank):
    costs, grads = np.zeros(len(acts), acts.dtype), np.zeros_like(acts)
    for n, (steps, count) in enumerate(zip(input_lengths, label_lengths, strict=True)):
        x = acts[n, :steps, : count + 1].astype(np.float64)
        top = x.max(-1, keepdims=True)
        logs = x - top - np.log(np.exp(x - top).sum(-1, keepdims=True))
        costs[n], grad = _transducer_row(logs, labels[n, :count].astype(np.int64), blank)
        grads[n, :steps, : count + 1] = grad - np.exp(logs) * grad.sum(-1, keepdims=True)
    return costs, grads


@hosted(_transducer)
def _rnnt_loss(
    acts: Tensor, labels: Tensor, input_lengths: Tensor, label_lengths: Tensor, blank: int
):
    rows = AbstractTensor((acts.shape[0],), acts.dtype)
    return AbstractTuple((rows, AbstractTensor(acts.shape, acts.dtype)))


@_rnnt_loss.bprop
def _(acts, labels, input_lengths, label_lengths, blank, out, dout):
    dacts = P.reshape(dout[0], (-1, 1, 1, 1)) * out[1]
    return dacts, None, None, None


@primitive
def RNNTLoss(blank_label=0):
    """The loss of a recurrent network transducer, and its gradient.

    Args:
        blank_label (int): the class of no label. Default: 0.
        acts (Tensor[(B, T, U, V), float]): the scores of the classes at each time and place.
        labels (Tensor[(B, U - 1), int]): the labels.
        input_lengths, label_lengths (Tensor[(B,), int]): how many times and labels count.

    Returns:
        tuple: the costs (B,), and their gradients with respect to ``acts``.

    Raises:
        ValueError: shapes do not fit.

    Source: Graves, Sequence Transduction with Recurrent Neural Networks, 2012.

    Examples:
        >>> acts, lengths = ops.zeros((1, 1, 2, 4)), Tensor([1], ms.int32)
        >>> costs, grads = ops.RNNTLoss()(acts, Tensor([[1]], ms.int32), lengths, lengths)
        >>> print(costs)
        [2.7725887]
    """

    def call(acts, labels, input_lengths, label_lengths):
        expect(len(acts.shape) == 4, "acts", "of rank 4", got=acts.shape)
        batch, _, places, classes = acts.shape
        shape = (batch, places - 1)
        expect(tuple(labels.shape) == shape, "labels", f"of shape {shape}", got=labels.shape)
        expect(0 <= blank_label < classes, "blank_label", f"in [0, {classes})", got=blank_label)
        return _rnnt_loss(acts, labels, input_lengths, label_lengths, blank_label)

    return call


def _distorted(size, boxes, least, key, ratios, areas, attempts, whole):
    """A box by trial: of a random ratio and area, somewhere in the image, and covering enough."""
    rng = np.random.default_rng(np.abs(key.astype(np.int64)))
    high, wide = int(size[0]), int(size[1])
    boxes = boxes.reshape(-1, 4) * np.array([high, wide, high, wide])
    if not len(boxes) and whole:
        boxes = np.array([[0.0, 0.0, high, wide]])
    top, left, h, w = 0, 0, high, wide
    for _ in range(attempts):
        ratio = rng.uniform(*ratios)
        area = rng.uniform(*areas) * high * wide
        tall, broad = round(np.sqrt(area / ratio)), round(np.sqrt(area * ratio))
        if not (0 < tall <= high and 0 < broad <= wide):
            continue
        y, x = rng.integers(high - tall + 1), rng.integers(wide - broad + 1)
        low = np.maximum(boxes[:, :2], [y, x])
        shared = np.prod(np.clip(np.minimum(boxes[:, 2:], [y + tall, x + broad]) - low, 0, None), 1)
        own = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
        if np.any((shared >= least.reshape(-1)[0] * own) & (own > 0)):
            top, left, h, w = y, x, tall, broad
            break
    begin = np.array([top, left, 0]).astype(size.dtype)
    box = [[[top / high, left / wide, (top + h) / high, (left + w) / wide]]]
    return begin, np.array([h, w, -1]).astype(size.dtype), np.array(box, np.float32)


@hosted(_distorted, nondiff=True)
def _distorted_box(
    size: Tensor,
    boxes: Tensor,
    least: Tensor,
    key: Tensor,
    ratios: tuple,
    areas: tuple,
    attempts: int,
    whole: bool,
):
    three = AbstractTensor((3,), size.dtype)
    return AbstractTuple((three, three, AbstractTensor((1, 1, 4), dt.float32)))


@primitive
def SampleDistortedBoundingBoxV2(
    seed=0,
    seed2=0,
    aspect_ratio_range=(0.75, 1.33),
    area_range=(0.05, 1.0),
    max_attempts=100,
    use_image_if_no_bounding_boxes=False,
):
    """A random part of an image that covers enough of one of its boxes.

    Args:
        seed, seed2 (int): choose the stream; 0 for the global one. Default: 0.
        aspect_ratio_range (tuple[float]): bounds of the width by the height. Default: (0.75, 1.33).
        area_range (tuple[float]): bounds of the part of the image. Default: (0.05, 1.0).
        max_attempts (int): after so many trials the whole image is taken. Default: 100.
        use_image_if_no_bounding_boxes (bool): without boxes, the image is one. Default: False.
        image_size (Tensor[(3,), int]): height, width and channels.
        bounding_boxes (Tensor[(B, N, 4), float32]): (y0, x0, y1, x1), as parts of the image.
        min_object_covered (Tensor[(1,), float32]): how much of a box the part covers at least.

    Returns:
        tuple: the first element and the size of the part, for `ops.slice`, and its box (1, 1, 4).

    Raises:
        ValueError: shapes do not fit, or there is no box.

    Examples:
        >>> op = ops.SampleDistortedBoundingBoxV2(seed=1)
        >>> boxes = Tensor([[[0.0, 0.0, 1.0, 1.0]]])
        >>> begin, size, box = op(Tensor([8, 8, 3]), boxes, Tensor([0.1]))
        >>> print(box.shape)
        (1, 1, 4)
    """
    for name, (low, high) in (
        ("aspect_ratio_range", aspect_ratio_range),
        ("area_range", area_range),
    ):
        expect(0 < low <= high, name, "positive and in order", got=(low, high))
    ranges = tuple(map(float, aspect_ratio_range)), tuple(map(float, area_range))
    expect(max_attempts > 0, "max_attempts", "positive", got=max_attempts)

    def call(image_size, bounding_boxes, min_object_covered):
        expect(image_size.shape == (3,), "image_size", "of shape (3,)", got=image_size.shape)
        expect(
            len(bounding_boxes.shape) == 3 and bounding_boxes.shape[2] == 4,
            "bounding_boxes",
            "of shape (B, N, 4)",
            got=bounding_boxes.shape,
        )
        some = bounding_boxes.size > 0 or use_image_if_no_bounding_boxes
        expect(some, "bounding_boxes", "at least one box", got=bounding_boxes.shape)
        return _distorted_box(
            image_size,
            bounding_boxes,
            as_tensor(min_object_covered, dt.float32),
            key_of(seed or seed2),
            *ranges,
            max_attempts,
            use_image_if_no_bounding_boxes,
        )

    return call

"""Primitive classes that choose among boxes."""

from __future__ import annotations

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...ir.abstract import AbstractTensor, AbstractTuple
from ...tensor import Tensor
from ..faces import primitive
from ..function.common import as_tensor, hosted, key_of, known_values


def _areas(boxes):
    return (boxes[..., 2] - boxes[..., 0]) * (boxes[..., 3] - boxes[..., 1])


def _overlap(box, others):
    """The areas that a box shares with others, as parts of the areas of both together."""
    corners = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    shared = np.prod(np.clip(corners, 0, None), axis=1)
    union = _areas(box) + _areas(others) - shared
    return np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)


def _kept(boxes, scores, count, most, least) -> list:
    """The boxes of one class that overlap none better, best first."""
    corners = np.concatenate(
        [np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])], axis=1
    )
    kept: list = []
    for i in np.argsort(-scores, kind="stable"):
        if len(kept) == count or scores[i] <= least:
            break
        if not kept or (_overlap(corners[i], corners[kept]) <= most).all():
            kept.append(i)
    return kept


def _combined(boxes, scores, most, least, per_class, total, clip):
    n, classes = len(boxes), scores.shape[2]
    out = np.zeros((n, total, 4), boxes.dtype)
    best, kinds = np.zeros((n, total), scores.dtype), np.zeros((n, total), scores.dtype)
    counts = np.zeros(n, np.int32)
    for b in range(n):
        found = []
        for c in range(classes):
            of_class = boxes[b, :, c if boxes.shape[2] > 1 else 0]
            kept = _kept(of_class, scores[b, :, c], per_class, most, least)
            found += [(-scores[b, i, c], c, of_class[i]) for i in kept]
        found.sort(key=lambda row: row[0])
        counts[b] = min(len(found), total)
        for k, (score, c, box) in enumerate(found[:total]):
            out[b, k], best[b, k], kinds[b, k] = box, -score, c
    return np.clip(out, 0, 1) if clip else out, best, kinds, counts


@hosted(_combined, nondiff=True)
def _combined_nms(
    boxes: Tensor,
    scores: Tensor,
    most: Tensor,
    least: Tensor,
    per_class: int,
    total: int,
    clip: bool,
):
    n = boxes.shape[0]
    rows = AbstractTensor((n, total), dt.float32)
    return AbstractTuple(
        (AbstractTensor((n, total, 4), dt.float32), rows, rows, AbstractTensor((n,), dt.int32))
    )


def _count(value, name: str) -> int:
    value = value if isinstance(value, int) else int(known_values(name, value)[0])
    expect(value >= 0, name, "0 or more", got=value)
    return value


@primitive
def CombinedNonMaxSuppression(pad_per_class=False, clip_boxes=True):
    """Of each image the boxes of the best scores that overlap no better one of their class: boxes,
    scores, classes, filled up with zeros, and how many there are.
    """

    def call(
        boxes, scores, max_output_size_per_class, max_total_size, iou_threshold, score_threshold
    ):
        expect(len(boxes.shape) == 4, "boxes", "of rank 4", got=boxes.shape)
        expect(len(scores.shape) == 3, "scores", "of rank 3", got=scores.shape)
        expect(
            boxes.shape[:2] == scores.shape[:2],
            "scores",
            f"{boxes.shape[:2]} first",
            got=scores.shape,
        )
        classes = scores.shape[2]
        expect(
            boxes.shape[2] in (1, classes), "boxes", f"with 1 or {classes} classes", got=boxes.shape
        )
        per_class = _count(max_output_size_per_class, "max_output_size_per_class")
        total = _count(max_total_size, "max_total_size")
        if pad_per_class:
            total = min(total, per_class * classes)
        thresholds = as_tensor(iou_threshold), as_tensor(score_threshold)
        return _combined_nms(boxes, scores, *thresholds, per_class, total, bool(clip_boxes))

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

"""Primitive classes that choose among boxes."""

from __future__ import annotations

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...ir.abstract import AbstractTensor, AbstractTuple
from ...tensor import Tensor
from ..faces import primitive
from ..function.common import as_tensor, hosted, known_values


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

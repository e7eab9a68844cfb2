"""Boxes (x0, y0, x1, y1) in pixels: how much they overlap, and how one is told by its way from another."""

from __future__ import annotations

import math

import numpy as np

from ... import ops

FARTHEST = math.log(1000 / 16)
"""The largest logarithm of a growth that `decode` believes."""


def area(boxes):
    """Of (..., 4), never below 0."""
    return ops.maximum(boxes[..., 2] - boxes[..., 0], 0.0) * ops.maximum(
        boxes[..., 3] - boxes[..., 1], 0.0
    )


def iou(a, b):
    """Intersection over union of each of (..., A, 4) with each of (..., B, 4): (..., A, B)."""
    a, b = ops.expand_dims(a, -2), ops.expand_dims(b, -3)
    size = ops.maximum(
        ops.minimum(a[..., 2:], b[..., 2:]) - ops.maximum(a[..., :2], b[..., :2]), 0.0
    )
    both = size[..., 0] * size[..., 1]
    return both / ops.maximum(area(a) + area(b) - both, 1e-9)


def complete_iou(a, b):
    """Intersection over union of (..., 4) with the boxes at the same places of the other, less the distance
    of their centres and the difference of their proportions (Zheng et al., Distance-IoU Loss, 2020).
    """
    size = ops.maximum(
        ops.minimum(a[..., 2:], b[..., 2:]) - ops.maximum(a[..., :2], b[..., :2]), 0.0
    )
    both = size[..., 0] * size[..., 1]
    overlap = both / ops.maximum(area(a) + area(b) - both, 1e-7)
    hull = ops.maximum(a[..., 2:], b[..., 2:]) - ops.minimum(a[..., :2], b[..., :2])
    apart = (a[..., :2] + a[..., 2:] - b[..., :2] - b[..., 2:]) / 2
    distance = ops.sum(apart * apart, -1) / (ops.sum(hull * hull, -1) + 1e-7)
    turns = _slope(b) - _slope(a)
    form = turns * turns * (4 / math.pi**2)
    weight = ops.stop_gradient(form / (form - overlap + 1 + 1e-7))
    return overlap - distance - weight * form


def _slope(boxes):
    """The angle of a box's diagonal."""
    w, h = boxes[..., 2] - boxes[..., 0], boxes[..., 3] - boxes[..., 1]
    return ops.atan(w / ops.maximum(h, 1e-7))


def centred(boxes):
    """Boxes (..., 4) as centres (..., 2) and sizes (..., 2)."""
    size = boxes[..., 2:] - boxes[..., :2]
    return boxes[..., :2] + 0.5 * size, size


def encode(boxes, anchors, weights=(1.0, 1.0, 1.0, 1.0)):
    """The ways from anchors to boxes: how far the centre moves, in sizes of the anchor, and the logarithm of
    how much it grows, each times its weight.
    """
    (a, a_size), (b, b_size) = centred(anchors), centred(boxes)
    a_size, b_size = ops.maximum(a_size, 1e-3), ops.maximum(b_size, 1e-3)
    wx, wy, ww, wh = weights
    moved, grown = (b - a) / a_size, ops.log(b_size / a_size)
    return ops.stack(
        (moved[..., 0] * wx, moved[..., 1] * wy, grown[..., 0] * ww, grown[..., 1] * wh), -1
    )


def decode(ways, anchors, weights=(1.0, 1.0, 1.0, 1.0)):
    """The boxes to which `encode` gives these ways."""
    centre, size = centred(anchors)
    wx, wy, ww, wh = weights
    x = centre[..., 0] + ways[..., 0] / wx * size[..., 0]
    y = centre[..., 1] + ways[..., 1] / wy * size[..., 1]
    w = 0.5 * size[..., 0] * ops.exp(ops.minimum(ways[..., 2] / ww, FARTHEST))
    h = 0.5 * size[..., 1] * ops.exp(ops.minimum(ways[..., 3] / wh, FARTHEST))
    return ops.stack((x - w, y - h, x + w, y + h), -1)


def clipped(boxes, height: float, width: float):
    """Boxes (..., 4) cut at the image's borders."""
    x0, y0 = ops.clip(boxes[..., 0], 0, width), ops.clip(boxes[..., 1], 0, height)
    x1, y1 = ops.clip(boxes[..., 2], 0, width), ops.clip(boxes[..., 3], 0, height)
    return ops.stack((x0, y0, x1, y1), -1)


def suppress(boxes: np.ndarray, scores: np.ndarray, threshold: float) -> np.ndarray:
    """Non-maximum suppression: the places of the boxes that overlap no stronger one that is kept by more
    than ``threshold``, the strongest first.

    Args:
        boxes (numpy.ndarray): ``(A, 4)``.
        scores (numpy.ndarray): ``(A,)``.
        threshold (float): of intersection over union.

    Returns:
        numpy.ndarray: ints.

    Examples:
        >>> import numpy as np
        >>> from minds.models.parts.boxes import suppress
        >>> boxes = np.array([[0, 0, 9, 9], [0, 0, 9, 8], [20, 20, 25, 25.0]])
        >>> suppress(boxes, np.array([0.5, 0.9, 0.4]), 0.5).tolist()
        [1, 2]
    """
    kept, rest = [], np.argsort(-scores, kind="stable")
    areas = (boxes[:, 2:] - boxes[:, :2]).clip(0).prod(-1)
    while len(rest):
        first, rest = rest[0], rest[1:]
        kept.append(first)
        low = np.maximum(boxes[first, :2], boxes[rest, :2])
        high = np.minimum(boxes[first, 2:], boxes[rest, 2:])
        both = (high - low).clip(0).prod(-1)
        rest = rest[both <= threshold * (areas[first] + areas[rest] - both)]
    return np.array(kept, np.int64)


def detections(
    scores: np.ndarray,
    boxes: np.ndarray,
    least: float = 0.05,
    threshold: float = 0.5,
    most: int = 100,
    candidates: int = 1000,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What is in an image, class by class without overlaps.

    Args:
        scores (numpy.ndarray): ``(A, C)``.
        boxes (numpy.ndarray): ``(A, 4)``, or for each class ``(A, C, 4)``.
        least (float): score of a detection. Default 0.05.
        threshold (float): of `suppress`. Default 0.5.
        most (int): detections. Default 100.
        candidates (int): of each class that are looked at. Default 1000.

    Returns:
        tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]: boxes ``(D, 4)``, scores ``(D,)`` and classes
        ``(D,)``, the strongest first.

    Examples:
        >>> import numpy as np
        >>> from minds.models.parts.boxes import detections
        >>> detections(np.array([[0.1, 0.9]]), np.ones((1, 4)), least=0.5)[2].tolist()
        [1]
    """
    found = [(np.zeros((0, 4)), np.zeros(0), np.zeros(0, np.int64))]
    for c in range(scores.shape[1]):
        strong = np.flatnonzero(scores[:, c] > least)
        strong = strong[np.argsort(-scores[strong, c], kind="stable")[:candidates]]
        own = boxes[strong] if boxes.ndim == 2 else boxes[strong, c]
        kept = suppress(own, scores[strong, c], threshold)
        found.append((own[kept], scores[strong[kept], c], np.full(len(kept), c)))
    where, how, which = (np.concatenate(column) for column in zip(*found))
    order = np.argsort(-how, kind="stable")[:most]
    return where[order], how[order], which[order]

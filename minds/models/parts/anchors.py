"""Anchors: the boxes that a detector's results are told from, and which of them stands for which object."""

from __future__ import annotations

import numpy as np

from ... import ops
from ...base import dtype as dt
from ...tensor import Tensor
from .boxes import iou


def around(scales, ratios) -> np.ndarray:
    """Boxes around the origin (scales · ratios, 4); ``ratios`` are of height to width."""
    roots = np.sqrt(np.asarray(ratios, np.float32))
    w = ((1 / roots)[:, None] * np.asarray(scales, np.float32)).ravel()
    h = (roots[:, None] * np.asarray(scales, np.float32)).ravel()
    return (np.stack((-w, -h, w, h), 1) / 2).round()


def on_grid(cell: np.ndarray, height: int, width: int, stride: tuple) -> np.ndarray:
    """``cell``'s boxes (A, 4) at each place of a grid: (height · width · A, 4)."""
    y, x = np.mgrid[:height, :width].reshape(2, -1).astype(np.float32) * np.array(
        [[stride[0]], [stride[1]]], np.float32
    )
    return (np.stack((x, y, x, y), 1)[:, None] + cell).reshape(-1, 4).astype(np.float32)


def pyramid_anchors(cells: list, sizes: list, image: tuple) -> Tensor:
    """The anchors of all levels, one behind the other: of ``cells`` on grids of ``sizes`` over an ``image``
    (height, width).
    """
    rows = [
        on_grid(cell, h, w, (image[0] // h, image[1] // w)) for cell, (h, w) in zip(cells, sizes)
    ]
    return Tensor(np.concatenate(rows))


def overlaps(anchors, boxes, labels):
    """Intersection over union (N, A, M) of anchors (A, 4) or (N, A, 4) with boxes (N, M, 4); -1 where there
    is no object.
    """
    return ops.where(ops.expand_dims(labels >= 0, 1), iou(anchors, boxes), -1.0)


def match(anchors, boxes, labels, high: float, low: float, every_object: bool = True):
    """Which object each anchor stands for.

    Args:
        anchors (Tensor): ``(A, 4)``, or ``(N, A, 4)``.
        boxes (Tensor): ``(N, M, 4)``, the objects.
        labels (Tensor): ``(N, M)``, their classes, -1 where there is none.
        high (float): the overlap from which on an anchor stands for the object that it overlaps most.
        low (float): the overlap below which it stands for none. Those between are not used.
        every_object (bool): whether the anchors that overlap an object most stand for one, too.

    Returns:
        tuple[Tensor, Tensor, Tensor]: the object's number ``(N, A)``, whether the anchor stands for it, and
        whether it stands for none.

    Examples:
        >>> import minds as ms
        >>> from minds.models.parts.anchors import match
        >>> boxes = ms.Tensor([[[0, 0, 9, 9], [5, 5, 8, 8]]], ms.float32)
        >>> found = match(boxes[0], boxes, ms.Tensor([[3, -1]]), 0.7, 0.3)
        >>> [x.asnumpy().tolist() for x in found]
        [[[0, 0]], [[True, False]], [[False, True]]]
    """
    much = overlaps(anchors, boxes, labels)
    best, number = ops.max(much, 2)[0], ops.argmax(much, 2)
    stands = best >= high
    if every_object:
        most = ops.maximum(ops.max(much, 1, True)[0], 1e-9)
        stands = ops.logical_or(stands, ops.sum((much >= most).astype(dt.float32), 2) > 0)
    return number, stands, ops.logical_and(best < low, ops.logical_not(stands))


def of_objects(values, number):
    """What each anchor's object has: of values (N, M) or (N, M, D) those at (N, A)."""
    return ops.gather(values, number, 1, 1)

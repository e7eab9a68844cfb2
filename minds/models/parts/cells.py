"""What the YOLO networks share: results that belong to a cell of a grid and one of its anchors.

A network's result is (N, A, 5 + classes): centre, size, objectness and classes, of all levels one behind
the other, row by row of the grid, each cell's anchors side by side. `standing` says where each stands.
"""

from __future__ import annotations

import numpy as np

from ... import ops
from ...base import dtype as dt
from ...tensor import Tensor
from .boxes import centred


def flattened(x, anchors: int):
    """(N, anchors · K, H, W) as (N, H · W · anchors, K)."""
    n, channels, h, w = x.shape
    x = ops.reshape(x, (n, anchors, channels // anchors, h, w))
    return ops.reshape(ops.transpose(x, (0, 3, 4, 1, 2)), (n, h * w * anchors, -1))


def standing(anchors: tuple, strides: tuple, image: tuple) -> Tensor:
    """Of each result its cell's corner (x, y) and stride, and its anchor's width and height: (A, 5)."""
    rows = []
    for own, stride in zip(anchors, strides):
        h, w = image[0] // stride, image[1] // stride
        y, x = np.mgrid[:h, :w].reshape(2, h * w, 1)
        cell = np.concatenate((x, y, np.full_like(x, stride)), 1)
        shapes = np.tile(np.array(own), (h * w, 1))
        rows.append(np.concatenate((cell.repeat(len(own), 0), shapes), 1))
    return Tensor(np.concatenate(rows).astype(np.float32))


class Cells:
    """The grids of all levels over an image.

    Args:
        anchors (tuple): of each level, its anchors' widths and heights in pixels.
        strides (tuple[int]): of each level, pixels of a cell.
        image (tuple[int, int]): height and width.
    """

    def __init__(self, anchors: tuple, strides: tuple, image: tuple):
        self.anchors = [np.asarray(a, np.float32) for a in anchors]
        self.strides = strides
        self.grids = [(image[0] // s, image[1] // s) for s in strides]
        counts = [h * w * len(a) for (h, w), a in zip(self.grids, self.anchors)]
        self.first = [sum(counts[:i]) for i in range(len(counts) + 1)]
        """The place of each level's first result, and the number of all."""

    def place(self, level: int, x, y, anchor):
        """The place of the result of a cell (x, y) and an anchor of a level."""
        height, width = self.grids[level]
        x, y = ops.clip(x, 0, width - 1), ops.clip(y, 0, height - 1)
        row = (y * width + x).astype(dt.int32) * len(self.anchors[level])
        return self.first[level] + row + anchor


def best_shapes(cells: Cells, boxes, labels):
    """Of each object (N, M) the place of its cell and of the anchor that is most of its form, and whether
    there is an object.
    """
    centre, size = centred(boxes)
    shapes = Tensor(np.concatenate(cells.anchors))
    both = ops.minimum(size[..., None, :], shapes)
    both = both[..., 0] * both[..., 1]
    area = size[..., 0] * size[..., 1]
    overlap = both / (area[..., None] + shapes[:, 0] * shapes[:, 1] - both)
    best = ops.argmax(overlap, 2).astype(dt.int32)
    places, before = ops.zeros(labels.shape, dt.int32), 0
    for level, stride in enumerate(cells.strides):
        own = best - before
        number = len(cells.anchors[level])
        here = ops.logical_and(own >= 0, own < number)
        x, y = ops.floor(centre[..., 0] / stride), ops.floor(centre[..., 1] / stride)
        place = cells.place(level, x, y, ops.clip(own, 0, number - 1))
        places = ops.where(here, place, places)
        before += number
    return places, labels >= 0


def near_shapes(cells: Cells, boxes, labels, most: float = 4.0):
    """Of each object (N, M) the places of all anchors that are at most so many times larger or smaller, in
    its cell and the two cells next to its middle: (N, M, K), and which of these count.
    """
    centre, size = centred(boxes)
    places, counts = [], []
    for level, stride in enumerate(cells.strides):
        height, width = cells.grids[level]
        ratio = ops.maximum(size[..., None, :], 1e-3) / Tensor(cells.anchors[level])
        fits = ops.max(ops.maximum(ratio, 1 / ratio), -1)[0] < most
        fits = ops.logical_and(fits, ops.expand_dims(labels >= 0, -1))
        x, y = centre[..., 0] / stride, centre[..., 1] / stride
        right, down = x - ops.floor(x), y - ops.floor(y)
        beside = (
            (0, 0, x >= 0),
            (-1, 0, ops.logical_and(right < 0.5, x > 1)),
            (1, 0, ops.logical_and(right > 0.5, x < width - 1)),
            (0, -1, ops.logical_and(down < 0.5, y > 1)),
            (0, 1, ops.logical_and(down > 0.5, y < height - 1)),
        )
        for dx, dy, there in beside:
            for a in range(len(cells.anchors[level])):
                places.append(cells.place(level, ops.floor(x) + dx, ops.floor(y) + dy, a))
                counts.append(ops.logical_and(there, fits[..., a]))
    return ops.stack(places, -1), ops.stack(counts, -1)


def spread(values, places, counts, number: int):
    """The largest of the values (N, K) at each place, (N, number); 0 where none counts."""
    n = values.shape[0]
    rows = places + ops.arange(n).reshape(n, 1).astype(dt.int32) * number
    values = ops.where(counts, values, 0.0)
    highest = ops.unsorted_segment_max(
        ops.reshape(values, (-1,)), ops.reshape(rows, (-1,)), n * number
    )
    return ops.reshape(ops.maximum(highest, 0.0), (n, number))

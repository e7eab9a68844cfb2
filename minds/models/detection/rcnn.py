"""What Faster R-CNN and Mask R-CNN share: proposals, samples of them, and what lies in a box."""

from __future__ import annotations

import math

import numpy as np

from ... import nn, ops
from ...base import dtype as dt
from ...common.initializer import Normal
from ...tensor import Tensor
from ..parts.anchors import around, match, of_objects, pyramid_anchors
from ..parts.boxes import clipped, decode, encode
from ..parts.losses import within
from ..parts.vision import conv

CELLS = [around([s], (0.5, 1.0, 2.0)) for s in (32, 64, 128, 256, 512)]


def sample(stands, none, total: int, share: float):
    """A random choice (N, positives + total) of what stands for an object, at most ``share`` of ``total``,
    and of what stands for none, so many that both are ``total``: places, and which of these are used.
    """
    most = min(int(total * share), stands.shape[1])
    draw = ops.rand(stands.shape)
    key, yes = ops.topk(ops.where(stands, draw + 1, 0.0), most)
    found = key > 0
    room = total - ops.sum(found.astype(dt.int32), 1, keepdim=True)
    key, no = ops.topk(ops.where(none, draw + 1, 0.0), min(total, none.shape[1]))
    others = ops.logical_and(key > 0, ops.arange(no.shape[1]).reshape(1, -1) < room)
    return ops.concat((yes, no), 1), found, others


def strongest(boxes, scores, number: int, threshold: float = 0.7):
    """The ``number`` strongest of boxes (A, 4), and their scores; minus infinity for those that overlap a
    stronger one.
    """
    scores, order = ops.topk(scores, min(number, scores.shape[0]))
    boxes = ops.gather(boxes, order, 0)
    _, _, kept = ops.NMSWithMask(threshold)(ops.concat((boxes, ops.expand_dims(scores, 1)), 1))
    size = boxes[:, 2:] - boxes[:, :2]
    kept = ops.logical_and(kept, ops.logical_and(size[:, 0] > 1e-3, size[:, 1] > 1e-3))
    return boxes, ops.where(kept, scores, -math.inf)


class RPNHead(nn.Cell):
    """How much each anchor looks like an object, and the way to it."""

    def __init__(self, width: int):
        super().__init__()
        first = conv(width, width, 3, bias=True)
        self.conv = nn.SequentialCell(nn.SequentialCell(first, nn.ReLU()))
        self.cls_logits = nn.Conv2d(width, 3, 1, has_bias=True, weight_init=Normal(0.01))
        self.bbox_pred = nn.Conv2d(width, 12, 1, has_bias=True, weight_init=Normal(0.01))

    def construct(self, levels):
        scores, ways = [], []
        for x in levels:
            x = self.conv(x)
            n = x.shape[0]
            scores.append(ops.reshape(ops.transpose(self.cls_logits(x), (0, 2, 3, 1)), (n, -1)))
            ways.append(ops.reshape(ops.transpose(self.bbox_pred(x), (0, 2, 3, 1)), (n, -1, 4)))
        return scores, ways


class RPN(nn.Cell):
    """Proposals: boxes that could hold an object.

    ``room`` says how many of each level are looked at, and how many are kept, while training and else.
    """

    def __init__(self, width: int, room: tuple):
        super().__init__()
        self.head, self.room = RPNHead(width), room

    def construct(self, levels, image):
        scores, ways = self.head(levels)
        anchors = pyramid_anchors(CELLS, [x.shape[2:] for x in levels], image)
        joined = ops.concat(scores, 1), ops.concat(ways, 1)
        proposals, counts = self._proposals(scores, joined[1], anchors, image)
        return joined[0], joined[1], anchors, proposals, counts

    def _proposals(self, scores, ways, anchors, image):
        room = self.room[0] if self.training else self.room[1]
        boxes = ops.stop_gradient(clipped(decode(ways, anchors), *image))
        found, counts = [], []
        for n in range(boxes.shape[0]):
            first, rows, keys = 0, [], []
            for level in scores:
                last = first + level.shape[1]
                row, key = strongest(boxes[n, first:last], ops.stop_gradient(level[n]), room)
                rows.append(row)
                keys.append(key)
                first = last
            key, order = ops.topk(ops.concat(keys, 0), min(room, sum(k.shape[0] for k in keys)))
            found.append(ops.gather(ops.concat(rows, 0), order, 0))
            counts.append(key > -1e30)
        return ops.stack(found, 0), ops.stack(counts, 0)

    def loss(self, scores, ways, anchors, boxes, labels):
        """Of 256 anchors: whether there is an object, and where."""
        number, stands, none = match(anchors, boxes, labels, 0.7, 0.3)
        places, yes, no = sample(stands, none, 256, 0.5)
        chosen = ops.gather(scores, places, 1, 1)
        wanted = ops.concat((ops.ones(yes.shape, dt.float32), ops.zeros(no.shape, dt.float32)), 1)
        wrong = ops.binary_cross_entropy_with_logits(chosen, wanted, reduction="none")
        used = ops.concat((yes, no), 1)
        total = ops.maximum(ops.sum(used.astype(dt.float32)), 1.0)
        places = places[:, : yes.shape[1]]
        target = encode(
            of_objects(boxes, ops.gather_elements(number, 1, places)),
            ops.gather(anchors, places, 0),
        )
        far = ops.smooth_l1_loss(ops.gather(ways, places, 1, 1), target, beta=1 / 9)
        return within(wrong, used) / total, within(far, yes) / total


def look(levels, boxes, image, size: int):
    """What the finest four levels show in boxes (N, P, 4), from the level that fits each box's size:
    (N · P, C, size, size). Each place is the mean of 2×2 points between four pixels (ROI align).

    The pixels of all levels are rows of one matrix, so that a box is read from its own level alone.
    """
    levels = levels[:4]
    n, number = boxes.shape[:2]
    sizes = np.array([x.shape[2:] for x in levels])
    before = np.cumsum([0, *sizes.prod(1)])
    flat = [ops.reshape(ops.transpose(x, (0, 2, 3, 1)), (n, -1, x.shape[1])) for x in levels]
    flat = ops.reshape(ops.concat(flat, 1), (-1, levels[0].shape[1]))
    rows = ops.reshape(boxes, (-1, 4))
    area = (rows[:, 2] - rows[:, 0]) * (rows[:, 3] - rows[:, 1])
    level = ops.floor(4 + ops.log2(ops.sqrt(ops.maximum(area, 1e-6)) / 224 + 1e-6))
    level = ops.clip(level, 2, 5).astype(dt.int32) - 2
    whose = ops.repeat_interleave(ops.arange(n), number, 0).astype(dt.int32)
    first = whose * int(before[-1]) + ops.gather(Tensor(before[:4].astype(np.int32)), level, 0)
    scales = Tensor((sizes / np.array(image)).astype(np.float32))
    rows = rows * ops.gather(scales, level, 0)[:, [1, 0, 1, 0]]
    limits = ops.gather(Tensor(sizes.astype(np.int32)), level, 0)
    down = _between(rows[:, 1], rows[:, 3], limits[:, :1], 2 * size)
    right = _between(rows[:, 0], rows[:, 2], limits[:, 1:], 2 * size)
    out = 0.0
    for y, y_weight in down:
        for x, x_weight in right:
            places = (first.expand_dims(-1) + y * limits[:, 1:])[:, :, None] + x[:, None]
            weight = y_weight[:, :, None] * x_weight[:, None]
            out = out + ops.gather(flat, places, 0) * ops.expand_dims(weight, -1)
    out = ops.mean(ops.reshape(out, (-1, size, 2, size, 2, flat.shape[1])), (2, 4))
    return ops.transpose(out, (0, 3, 1, 2))


def _between(low, high, limit, points: int):
    """Of points spread evenly from ``low`` to ``high`` (R,), the pixels below and above, (R, points) each,
    and how much each of the two counts. There are ``limit`` (R, 1) pixels.
    """
    steps = (ops.arange(points).astype(dt.float32) + 0.5) / points
    where = low.expand_dims(-1) + ops.maximum(high - low, 1.0).expand_dims(-1) * steps
    last = limit - 1
    where = ops.minimum(ops.maximum(where, 0.0), last.astype(dt.float32))
    below = ops.floor(where)
    share = where - below
    below = below.astype(dt.int32)
    return (below, 1 - share), (ops.minimum(below + 1, last), share)


WEIGHTS = (10.0, 10.0, 5.0, 5.0)


class BoxHead(nn.Cell):
    """Two dense layers over what lies in a box."""

    def __init__(self, width: int, inner: int):
        super().__init__()
        self.fc6, self.fc7 = nn.Dense(width * 49, inner), nn.Dense(inner, inner)

    def construct(self, x):
        return ops.relu(self.fc7(ops.relu(self.fc6(ops.reshape(x, (x.shape[0], -1))))))


class BoxPredictor(nn.Cell):
    """What is in a box, and the way to it for each class."""

    def __init__(self, inner: int, num_classes: int):
        super().__init__()
        self.cls_score = nn.Dense(inner, num_classes)
        self.bbox_pred = nn.Dense(inner, 4 * num_classes)

    def construct(self, x):
        return self.cls_score(x), self.bbox_pred(x)


def sampled(proposals, counts, boxes, labels, total: int = 512, share: float = 0.25):
    """A choice of proposals, the objects' own boxes among them, and what is wanted of them.

    Returns:
        tuple: boxes (N, S, 4), the objects' numbers (N, S), classes (N, S), 0 for the background, which are
        used (N, S), and which of the first stand for an object.
    """
    real = labels >= 0
    candidates = ops.concat((proposals, boxes), 1)
    counts = ops.concat((counts, real), 1)
    number, stands, none = match(candidates, boxes, labels, 0.5, 0.5, False)
    stands, none = ops.logical_and(stands, counts), ops.logical_and(none, counts)
    places, yes, no = sample(stands, none, total, share)
    number = ops.gather_elements(number, 1, places)
    which = of_objects(labels, number) + 1
    object_ = ops.concat((yes, ops.zeros(no.shape, dt.bool_)), 1)
    which = ops.where(object_, which, 0).astype(dt.int32)
    return ops.gather(candidates, places, 1, 1), number, which, ops.concat((yes, no), 1), yes


def box_losses(logits, ways, chosen, wanted, which, used, yes):
    """The cross entropy of the classes of sampled boxes, and the distance of the ways of those that stand for
    an object, both per box.
    """
    n, number = which.shape
    chances = ops.log_softmax(ops.reshape(logits, (n, number, -1)), -1)
    wrong = -ops.squeeze(ops.gather_elements(chances, 2, ops.expand_dims(which, 2)), 2)
    total = ops.maximum(ops.sum(used.astype(dt.float32)), 1.0)
    most = yes.shape[1]
    own = ops.reshape(ways, (n, number, -1, 4))[:, :most]
    places = ops.broadcast_to(which[:, :most, None, None], (n, most, 1, 4))
    own = ops.squeeze(ops.gather_elements(own, 2, places), 2)
    target = encode(wanted[:, :most], chosen[:, :most], WEIGHTS)
    far = ops.smooth_l1_loss(own, target, beta=1 / 9)
    return within(wrong, used) / total, within(far, yes) / total

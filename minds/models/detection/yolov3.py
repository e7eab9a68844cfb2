"""YOLO v3 (Redmon and Farhadi, An Incremental Improvement, 2018)."""

from __future__ import annotations

import functools

import numpy as np

from ... import nn, ops
from ...base import dtype as dt
from ..parts.anchors import overlaps
from ..parts.boxes import centred, detections
from ..parts.cells import Cells, best_shapes, flattened, spread, standing
from ..parts.losses import classes, count, within
from ..parts.vision import ConvNorm
from ..registry import register

STRIDES = (8, 16, 32)
ANCHORS = (
    ((10, 13), (16, 30), (33, 23)),
    ((30, 61), (62, 45), (59, 119)),
    ((116, 90), (156, 198), (373, 326)),
)
conv_norm = functools.partial(ConvNorm, activation=functools.partial(nn.LeakyReLU, 0.1))


class DarknetResidual(nn.Cell):
    """Convolutions of 1×1 and 3×3 beside a shortcut."""

    def __init__(self, width: int):
        super().__init__()
        self.conv1 = conv_norm(width, width // 2)
        self.conv2 = conv_norm(width // 2, width, 3)

    def construct(self, x):
        return x + self.conv2(self.conv1(x))


class Darknet(nn.Cell):
    """Darknet-53 without its head: the results of the last three stages."""

    def __init__(self, width: int, layers: tuple):
        super().__init__()
        self.stem = conv_norm(3, width, 3)
        stages = []
        for i, number in enumerate(layers):
            cells = [conv_norm(width << i, width << (i + 1), 3, 2)]
            cells += [DarknetResidual(width << (i + 1)) for _ in range(number)]
            stages.append(nn.SequentialCell(cells))
        self.stages = nn.CellList(stages)

    def construct(self, x):
        x, found = self.stem(x), []
        for stage in self.stages:
            x = stage(x)
            found.append(x)
        return found[-3:]


class Level(nn.Cell):
    """Five convolutions, and two more that answer."""

    def __init__(self, inputs: int, width: int, outputs: int):
        super().__init__()
        cells = []
        for i in range(5):
            cells.append(
                conv_norm(inputs, width, 1) if i % 2 == 0 else conv_norm(width, 2 * width, 3)
            )
            inputs = 2 * width
        self.convs = nn.SequentialCell(cells)
        self.grow = conv_norm(width, 2 * width, 3)
        self.answer = nn.Conv2d(2 * width, outputs, 1, has_bias=True)

    def construct(self, x):
        x = self.convs(x)
        return x, self.answer(self.grow(x))


@register(yolov3={})
class YOLOv3(nn.Cell):
    """Three levels of a Darknet-53, with three anchors for each of their pixels.

    Args:
        num_classes (int): Default 80.
        width (int): channels of the first convolution. Default 32.
        layers (tuple[int]): residual blocks of each stage. Default (1, 2, 8, 8, 4).
        anchors (tuple): of each level, widths and heights in pixels. Default those of COCO.

    Inputs:
        - **x** (Tensor[(N, 3, H, W), float]) - H and W are multiples of 32.

    Outputs:
        Tuple of results Tensor[(N, A, 5 + num_classes)] and where they stand, Tensor[(A, 5)].

    Examples:
        >>> from minds import models, ops
        >>> net = models.yolov3(width=2, layers=(1,) * 5, num_classes=3)
        >>> [x.shape for x in net(ops.ones((1, 3, 64, 64)))]
        [(1, 252, 8), (252, 5)]
    """

    def __init__(
        self,
        num_classes: int = 80,
        width: int = 32,
        layers: tuple = (1, 2, 8, 8, 4),
        anchors: tuple = ANCHORS,
    ):
        super().__init__()
        self.anchors = anchors
        self.backbone = Darknet(width, layers)
        outputs = 3 * (5 + num_classes)
        self.coarse = Level(32 * width, 16 * width, outputs)
        self.reduce1 = conv_norm(16 * width, 8 * width)
        self.middle = Level(24 * width, 8 * width, outputs)
        self.reduce2 = conv_norm(8 * width, 4 * width)
        self.fine = Level(12 * width, 4 * width, outputs)

    def construct(self, x):
        fine, middle, coarse = self.backbone(x)
        x32, y32 = self.coarse(coarse)
        x16, y16 = self.middle(ops.concat((_doubled(self.reduce1(x32)), middle), 1))
        _, y8 = self.fine(ops.concat((_doubled(self.reduce2(x16)), fine), 1))
        out = ops.concat([flattened(y, 3) for y in (y8, y16, y32)], 1)
        return out, standing(self.anchors, STRIDES, x.shape[2:])


def _doubled(x):
    return ops.repeat_interleave(ops.repeat_interleave(x, 2, 2), 2, 3)


def boxes_of(out, table):
    """The boxes (N, A, 4) of results, in pixels."""
    centre = (ops.sigmoid(out[..., :2]) + table[:, :2]) * table[:, 2:3]
    half = ops.exp(ops.minimum(out[..., 2:4], 10.0)) * table[:, 3:] / 2
    return ops.concat((centre - half, centre + half), -1)


class YOLOv3Loss(nn.Cell):
    """What the anchors that are most of an object's form say wrongly of it, and what all others say is there.

    Args:
        net (YOLOv3): whose results are judged.
        image (tuple[int, int]): height and width.

    Inputs:
        - **out** (tuple) - the net's result.
        - **boxes** (Tensor[(N, M, 4)]), **labels** (Tensor[(N, M)]) - the objects.

    Outputs:
        Tensor, a scalar.

    Examples:
        >>> import minds as ms
        >>> from minds import models, ops
        >>> from minds.models.detection.yolov3 import YOLOv3Loss
        >>> net = models.yolov3(width=2, layers=(1,) * 5, num_classes=3)
        >>> boxes, labels = ms.Tensor([[[10.0, 10.0, 60.0, 50.0]]]), ms.Tensor([[1]])
        >>> YOLOv3Loss(net, (64, 64))(net(ops.ones((1, 3, 64, 64))), boxes, labels).shape
        ()
    """

    def __init__(self, net: YOLOv3, image: tuple):
        super().__init__()
        self.cells = Cells(net.anchors, STRIDES, image)

    def construct(self, out, boxes, labels):
        out, table = out
        places, counts = best_shapes(self.cells, boxes, labels)
        rows, own = ops.gather(out, places, 1, 1), ops.gather(table, places, 0)
        centre, size = centred(boxes)
        offset = centre / own[..., 2:3] - own[..., :2]
        growth = ops.log(ops.maximum(size, 1e-3) / own[..., 3:])
        area = self.cells.grids[0][0] * self.cells.grids[0][1] * STRIDES[0] ** 2
        small = 2 - size[..., 0] * size[..., 1] / area
        off = _wrong(rows[..., :2], offset) + 0.5 * (rows[..., 2:4] - growth) ** 2
        kinds = _wrong(rows[..., 5:], classes(labels, out.shape[-1] - 5))
        told = ops.ones(labels.shape, dt.float32)
        there = spread(told, places, counts, out.shape[1])
        best = ops.max(overlaps(ops.stop_gradient(boxes_of(out, table)), boxes, labels), 2)[0]
        judged = ops.logical_or(there > 0, best < 0.5)
        sure = within(_wrong(out[..., 4], there), judged)
        told = within(off * small[..., None], counts) + within(kinds, counts)
        return (told + sure) / count(counts)


def _wrong(logits, targets):
    return ops.binary_cross_entropy_with_logits(logits, targets, reduction="none")


def yolo_detections(out: tuple, boxes_of, **how) -> list[tuple]:
    """What is in each image.

    Args:
        out (tuple): of a network.
        boxes_of (Callable): the boxes of its results.
        how (Any): ``least``, ``threshold``, ``most`` of `detections`.

    Returns:
        list[tuple]: for each image boxes ``(D, 4)``, scores ``(D,)`` and classes ``(D,)``.

    Examples:
        >>> from minds import models, ops
        >>> from minds.models.detection.yolov3 import boxes_of, yolo_detections
        >>> net = models.yolov3(width=2, layers=(1,) * 5, num_classes=3)
        >>> len(yolo_detections(net(ops.ones((1, 3, 64, 64))), boxes_of, least=0.9))
        1
    """
    rows, table = out
    boxes = boxes_of(rows, table).asnumpy()
    chances = ops.sigmoid(rows[..., 4:]).asnumpy()
    scores: np.ndarray = chances[..., :1] * chances[..., 1:]
    return [detections(s, b, **how) for s, b in zip(scores, boxes)]

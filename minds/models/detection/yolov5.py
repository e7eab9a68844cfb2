"""YOLO v5 (Jocher et al., Ultralytics YOLOv5, 2020), named as there."""

from __future__ import annotations

import math

from ... import nn, ops
from ...base import dtype as dt
from ..parts.boxes import complete_iou
from ..parts.cells import Cells, flattened, near_shapes, spread, standing
from ..parts.losses import classes, within
from ..parts.vision import conv
from ..registry import register
from .yolov3 import ANCHORS, STRIDES

BALANCE = (4.0, 1.0, 0.4)
"""How much each level's objectness counts."""


class Conv(nn.Cell):
    """A convolution, batch normalisation and SiLU."""

    def __init__(self, inputs, outputs, size=1, stride=1, padding=None):
        super().__init__()
        self.conv = conv(inputs, outputs, size, stride, padding)
        self.bn = nn.BatchNorm2d(outputs, 1e-3, 0.97)

    def construct(self, x):
        return ops.silu(self.bn(self.conv(x)))


class YOLOBottleneck(nn.Cell):
    """Convolutions of 1×1 and 3×3, beside a shortcut where there is one."""

    def __init__(self, width: int, shortcut: bool):
        super().__init__()
        self.cv1, self.cv2 = Conv(width, width), Conv(width, width, 3)
        self.add = shortcut

    def construct(self, x):
        y = self.cv2(self.cv1(x))
        return x + y if self.add else y


class C3(nn.Cell):
    """Bottlenecks over half of the channels, the other half beside them (cross-stage partial network)."""

    def __init__(self, inputs: int, outputs: int, number: int, shortcut: bool = True):
        super().__init__()
        half = outputs // 2
        self.cv1, self.cv2 = Conv(inputs, half), Conv(inputs, half)
        self.cv3 = Conv(2 * half, outputs)
        self.m = nn.SequentialCell([YOLOBottleneck(half, shortcut) for _ in range(number)])

    def construct(self, x):
        return self.cv3(ops.concat((self.m(self.cv1(x)), self.cv2(x)), 1))


class SPPF(nn.Cell):
    """What is strongest within 5, 9 and 13 pixels."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.cv1, self.cv2 = Conv(inputs, inputs // 2), Conv(2 * inputs, outputs)
        self.m = nn.MaxPool2d(5, 1, "pad", 2)

    def construct(self, x):
        kept = [self.cv1(x)]
        for _ in range(3):
            kept.append(self.m(kept[-1]))
        return self.cv2(ops.concat(kept, 1))


class Detect(nn.Cell):
    """One convolution for each level."""

    def __init__(self, sizes: list, outputs: int):
        super().__init__()
        self.m = nn.CellList([nn.Conv2d(n, 3 * outputs, 1, has_bias=True) for n in sizes])

    def construct(self, levels):
        return ops.concat([flattened(m(x), 3) for m, x in zip(self.m, levels)], 1)


class Twice(nn.Cell):
    """The image twice as large."""

    def construct(self, x):
        return ops.repeat_interleave(ops.repeat_interleave(x, 2, 2), 2, 3)


class Join(nn.Cell):
    """Channels side by side."""

    def construct(self, *xs):
        return ops.concat(xs, 1)


@register(
    yolov5n={"depth": 0.33, "width": 0.25},
    yolov5s={"depth": 0.33, "width": 0.5},
    yolov5m={"depth": 0.67, "width": 0.75},
    yolov5l={"depth": 1.0, "width": 1.0},
)
class YOLOv5(nn.Cell):
    """A network of partial stages, down and up and down again, with three anchors for each pixel of three
    levels.

    Args:
        depth (float), width (float): how many of the blocks and channels of the largest.
        num_classes (int): Default 80.
        anchors (tuple): of each level, widths and heights in pixels. Default those of COCO.

    Inputs:
        - **x** (Tensor[(N, 3, H, W), float]) - H and W are multiples of 32.

    Outputs:
        Tuple of results Tensor[(N, A, 5 + num_classes)] and where they stand, Tensor[(A, 5)].

    Examples:
        >>> from minds import models, ops
        >>> net = models.yolov5n(width=0.03, num_classes=3)
        >>> [x.shape for x in net(ops.ones((1, 3, 64, 64)))]
        [(1, 252, 8), (252, 5)]
    """

    def __init__(self, depth: float, width: float, num_classes: int = 80, anchors: tuple = ANCHORS):
        super().__init__()
        self.anchors = anchors
        a, b, c, d, e = (math.ceil(n * width / 8) * 8 for n in (64, 128, 256, 512, 1024))
        few, more, most = (max(round(n * depth), 1) for n in (3, 6, 9))
        self.model = nn.CellList(
            [
                *(Conv(3, a, 6, 2, 2), Conv(a, b, 3, 2), C3(b, b, few)),
                *(Conv(b, c, 3, 2), C3(c, c, more), Conv(c, d, 3, 2), C3(d, d, most)),
                *(Conv(d, e, 3, 2), C3(e, e, few), SPPF(e, e)),
                *(Conv(e, d), Twice(), Join(), C3(2 * d, d, few, False)),
                *(Conv(d, c), Twice(), Join(), C3(2 * c, c, few, False)),
                *(Conv(c, c, 3, 2), Join(), C3(2 * c, d, few, False)),
                *(Conv(d, d, 3, 2), Join(), C3(2 * d, e, few, False)),
                Detect([c, d, e], 5 + num_classes),
            ]
        )

    def construct(self, x):
        image = x.shape[2:]
        beside = {12: 6, 16: 4, 19: 14, 22: 10}
        kept = []
        for i, cell in enumerate(self.model[:-1]):
            x = cell(x, kept[beside[i]]) if i in beside else cell(x)
            kept.append(x)
        out = self.model[-1]([kept[17], kept[20], kept[23]])
        return out, standing(self.anchors, STRIDES, image)


def boxes_of(out, table):
    """The boxes (N, A, 4) of results, in pixels."""
    near = ops.sigmoid(out[..., :4])
    centre = (2 * near[..., :2] - 0.5 + table[..., :2]) * table[..., 2:3]
    half = (2 * near[..., 2:]) ** 2 * table[..., 3:] / 2
    return ops.concat((centre - half, centre + half), -1)


class YOLOv5Loss(nn.Cell):
    """How far the boxes of the anchors near an object's form are from it, what they say it is, and how well
    each knows how much it overlaps one.

    Args:
        net (YOLOv5): whose results are judged.
        image (tuple[int, int]): height and width.

    Inputs:
        - **out** (tuple) - the net's result.
        - **boxes** (Tensor[(N, M, 4)]), **labels** (Tensor[(N, M)]) - the objects.

    Outputs:
        Tensor, a scalar.

    Examples:
        >>> import minds as ms
        >>> from minds import models, ops
        >>> from minds.models.detection.yolov5 import YOLOv5Loss
        >>> net = models.yolov5n(width=0.03, num_classes=3)
        >>> boxes, labels = ms.Tensor([[[10.0, 10.0, 60.0, 50.0]]]), ms.Tensor([[1]])
        >>> YOLOv5Loss(net, (64, 64))(net(ops.ones((1, 3, 64, 64))), boxes, labels).shape
        ()
    """

    def __init__(self, net: YOLOv5, image: tuple):
        super().__init__()
        self.cells = Cells(net.anchors, STRIDES, image)

    def construct(self, out, boxes, labels):
        out, table = out
        n, number = out.shape[:2]
        places, counts = near_shapes(self.cells, boxes, labels)
        each = places.shape[2]
        wanted = ops.reshape(ops.repeat_interleave(boxes, each, 1), (n, -1, 4))
        which = ops.reshape(ops.repeat_interleave(labels, each, 1), (n, -1))
        places, counts = ops.reshape(places, (n, -1)), ops.reshape(counts, (n, -1))
        rows = ops.gather(out, places, 1, 1)
        overlap = complete_iou(boxes_of(rows, ops.gather(table, places, 0)), wanted)
        total = ops.maximum(ops.sum(counts.astype(dt.float32)), 1.0)
        kinds = within(_wrong(rows[..., 5:], classes(which, out.shape[-1] - 5)), counts)
        told = spread(ops.stop_gradient(overlap), places, counts, number)
        unsure = _wrong(out[..., 4], told)
        sure = 0.0
        for level, weight in enumerate(BALANCE):
            first, last = self.cells.first[level], self.cells.first[level + 1]
            sure = sure + weight * ops.mean(unsure[:, first:last])
        far = within(1 - overlap, counts) / total
        return 0.05 * far + sure + 0.5 * kinds / (total * (out.shape[-1] - 5))


def _wrong(logits, targets):
    return ops.binary_cross_entropy_with_logits(logits, targets, reduction="none")

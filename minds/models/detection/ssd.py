"""SSD (Liu et al., Single Shot MultiBox Detector, 2016), named as in torchvision."""

from __future__ import annotations

import numpy as np

from ... import nn, ops
from ...base import dtype as dt
from ...common.initializer import initializer
from ...tensor import Parameter, Tensor
from ..parts.anchors import match, of_objects, on_grid
from ..parts.boxes import clipped, decode, detections, encode
from ..parts.losses import count, within
from ..parts.vision import conv
from ..registry import register

SCALES = (0.07, 0.15, 0.33, 0.51, 0.69, 0.87, 1.05)
RATIOS = ((2,), (2, 3), (2, 3), (2, 3), (2,), (2,))
STRIDES = (8, 16, 32, 64, 100, 300)
WEIGHTS = (10.0, 10.0, 5.0, 5.0)


def default_boxes(sizes: list, image: int) -> Tensor:
    """Default boxes of all levels, one behind the other, cut at the borders."""
    rows = []
    for k, (height, width) in enumerate(sizes):
        own, next_ = SCALES[k], (SCALES[k] * SCALES[k + 1]) ** 0.5
        forms = [(own, own), (next_, next_)]
        for ratio in RATIOS[k]:
            long, short = own * ratio**0.5, own / ratio**0.5
            forms += [(long, short), (short, long)]
        half = np.array(forms).clip(0, 1) * image / 2
        stride = STRIDES[k] * image / 300
        cell = np.concatenate((stride / 2 - half, stride / 2 + half), 1)
        rows.append(on_grid(cell, height, width, (stride, stride)))
    return Tensor(np.concatenate(rows))


def convs(*steps: tuple) -> list:
    """Convolutions (arguments of `conv`), each with ReLU."""
    return [cell for step in steps for cell in (conv(*step, bias=True), nn.ReLU())]


def stage(inputs: int, outputs: int, number: int) -> list:
    """Convolutions of 3×3."""
    return convs((inputs, outputs, 3), *[(outputs, outputs, 3)] * (number - 1))


class SSDBackbone(nn.Cell):
    """VGG-16 without its dense layers, and convolutions to ever smaller images: six levels."""

    def __init__(self, width: int):
        super().__init__()
        w = width
        self.scale_weight = Parameter(initializer(20.0, [8 * w]), name="scale_weight")
        self.features = nn.SequentialCell(
            *stage(3, w, 2),
            nn.MaxPool2d(2, 2),
            *stage(w, 2 * w, 2),
            nn.MaxPool2d(2, 2),
            *stage(2 * w, 4 * w, 3),
            nn.MaxPool2d(2, 2, "pad", ceil_mode=True),
            *stage(4 * w, 8 * w, 3),
        )
        far = [
            nn.MaxPool2d(3, 1, "pad", 1),
            conv(8 * w, 16 * w, 3, dilation=6, bias=True),
            nn.ReLU(),
        ]
        far = nn.SequentialCell(*far, *convs((16 * w, 16 * w)))
        fifth = [nn.MaxPool2d(2, 2), *stage(8 * w, 8 * w, 3)]
        self.extra = nn.CellList(
            [
                nn.SequentialCell(*fifth, far),
                nn.SequentialCell(*convs((16 * w, 4 * w), (4 * w, 8 * w, 3, 2))),
                nn.SequentialCell(*convs((8 * w, 2 * w), (2 * w, 4 * w, 3, 2))),
                nn.SequentialCell(*convs((4 * w, 2 * w), (2 * w, 4 * w, 3, 1, 0))),
                nn.SequentialCell(*convs((4 * w, 2 * w), (2 * w, 4 * w, 3, 1, 0))),
            ]
        )
        self.sizes = [8 * w, 16 * w, 8 * w, 4 * w, 4 * w, 4 * w]

    def construct(self, x):
        x = self.features(x)
        length = ops.sqrt(ops.sum(x * x, 1, True))
        levels = [x / ops.maximum(length, 1e-12) * self.scale_weight.reshape(1, -1, 1, 1)]
        for cells in self.extra:
            x = cells(x)
            levels.append(x)
        return levels


class Answers(nn.Cell):
    """A convolution for each level, ``size`` numbers for each of its default boxes."""

    def __init__(self, sizes: list, size: int):
        super().__init__()
        self.size = size
        self.module_list = nn.CellList(
            [
                conv(n, (2 + 2 * len(ratios)) * size, 3, bias=True)
                for n, ratios in zip(sizes, RATIOS)
            ]
        )

    def construct(self, levels):
        found = []
        for cell, x in zip(self.module_list, levels):
            x = ops.transpose(cell(x), (0, 2, 3, 1))
            found.append(ops.reshape(x, (x.shape[0], -1, self.size)))
        return ops.concat(found, 1)


class SSDHead(nn.Cell):
    """What each default box stands for, and the way to its object."""

    def __init__(self, sizes: list, num_classes: int):
        super().__init__()
        self.classification_head = Answers(sizes, num_classes)
        self.regression_head = Answers(sizes, 4)

    def construct(self, levels):
        return self.classification_head(levels), self.regression_head(levels)


@register(ssd300_vgg16={})
class SSD(nn.Cell):
    """One answer for each of many default boxes, over six levels of a VGG-16.

    Args:
        num_classes (int): the background among them. Default 91.
        width (int): channels of the first convolutions. Default 64.

    Inputs:
        - **x** (Tensor[(N, 3, S, S), float]) - normalised; made for 300×300.

    Outputs:
        Tuple of logits Tensor[(N, A, num_classes)], ways Tensor[(N, A, 4)] and default boxes
        Tensor[(A, 4)].

    Examples:
        >>> from minds import models, ops
        >>> net = models.ssd300_vgg16(width=2, num_classes=3)
        >>> [x.shape for x in net(ops.ones((1, 3, 300, 300)))]
        [(1, 8732, 3), (1, 8732, 4), (8732, 4)]
    """

    def __init__(self, num_classes: int = 91, width: int = 64):
        super().__init__()
        self.backbone = SSDBackbone(width)
        self.head = SSDHead(self.backbone.sizes, num_classes)

    def construct(self, x):
        levels = self.backbone(x)
        logits, ways = self.head(levels)
        return logits, ways, default_boxes([level.shape[2:] for level in levels], x.shape[2])


def ssd_loss(out: tuple, boxes, labels):
    """The cross entropy of the boxes that stand for an object and of three times as many others, those
    that are most wrong, and the distance of the former's ways.

    Args:
        out (tuple): of `SSD`.
        boxes (Tensor): ``(N, M, 4)``, the objects.
        labels (Tensor): ``(N, M)``, their classes, the background not among them; -1 where there is none.

    Returns:
        Tensor: a scalar.

    Examples:
        >>> import minds as ms
        >>> from minds import models, ops
        >>> from minds.models.detection.ssd import ssd_loss
        >>> boxes, labels = ms.Tensor([[[10.0, 10.0, 200.0, 150.0]]]), ms.Tensor([[1]])
        >>> ssd_loss(models.ssd300_vgg16(width=2)(ops.ones((1, 3, 300, 300))), boxes, labels).shape
        ()
    """
    logits, ways, anchors = out
    number, stands, _ = match(anchors, boxes, labels, 0.5, 0.5)
    which = ops.where(stands, of_objects(labels, number) + 1, 0).astype(dt.int32)
    chances = ops.log_softmax(logits, -1)
    wrong = -ops.squeeze(ops.gather_elements(chances, 2, ops.expand_dims(which, 2)), 2)
    # The rank of each box among those that stand for nothing, the most wrong first.
    others = ops.stop_gradient(ops.where(stands, -1.0, wrong))
    rank = ops.argsort(ops.argsort(others, 1, True), 1)
    room = 3 * ops.sum(stands.astype(dt.int32), 1, keepdim=True)
    used = ops.logical_or(stands, ops.logical_and(rank < room, others >= 0))
    wanted = encode(of_objects(boxes, number), anchors, WEIGHTS)
    far = within(ops.smooth_l1_loss(ways, wanted), stands)
    return (within(wrong, used) + far) / count(stands)


def ssd_detections(out: tuple, image: tuple, **how) -> list[tuple]:
    """What is in each image.

    Args:
        out (tuple): of `SSD`.
        image (tuple[int, int]): height and width.
        how (Any): ``least``, ``threshold``, ``most`` of `detections`.

    Returns:
        list[tuple]: for each image boxes ``(D, 4)``, scores ``(D,)`` and classes ``(D,)``, the background
        not among these.

    Examples:
        >>> from minds import models, ops
        >>> from minds.models.detection.ssd import ssd_detections
        >>> net = models.ssd300_vgg16(width=2, num_classes=3)
        >>> len(ssd_detections(net(ops.ones((1, 3, 300, 300))), (300, 300), least=0.9))
        1
    """
    logits, ways, anchors = out
    boxes = clipped(decode(ways, anchors, WEIGHTS), *image).asnumpy()
    scores = ops.softmax(logits, -1).asnumpy()[:, :, 1:]
    return [detections(s, b, **how) for s, b in zip(scores, boxes)]

"""CenterNet (Zhou et al., Objects as Points, 2019), over residual networks."""

from __future__ import annotations

import numpy as np

from ... import nn, ops
from ...base import dtype as dt
from ...common.initializer import Constant
from ..classification.resnet import DEPTHS
from ..parts.boxes import centred
from ..parts.losses import count
from ..parts.pyramid import Body
from ..parts.vision import conv
from ..registry import register


def head(inputs: int, inner: int, outputs: int, bias: float = 0.0) -> nn.SequentialCell:
    last = nn.Conv2d(inner, outputs, 1, has_bias=True, bias_init=Constant(bias))
    return nn.SequentialCell(conv(inputs, inner, 3, bias=True), nn.ReLU(), last)


@register(centernet_resnet18=DEPTHS[18], centernet_resnet50=DEPTHS[50])
class CenterNet(nn.Cell):
    """At each of a quarter of the pixels: how much it is the middle of an object, the object's size, and how
    far off the pixel is.

    Args:
        block (type), layers (tuple[int]): of the residual network.
        num_classes (int): Default 80.
        stem (int): channels of the residual network's first convolution. Default 64.
        width (int): channels of the transposed convolutions. Default 256.
        inner (int): channels of the heads. Default 64.

    Inputs:
        - **x** (Tensor[(N, 3, H, W), float]) - H and W are multiples of 32.

    Outputs:
        Tuple of logits Tensor[(N, num_classes, H / 4, W / 4)], sizes (width, height) and offsets (x, y),
        Tensor[(N, 2, H / 4, W / 4)] each, in pixels of the result.

    Examples:
        >>> from minds import models, ops
        >>> net = models.centernet_resnet18(stem=4, width=8, inner=4, num_classes=3)
        >>> [x.shape for x in net(ops.ones((1, 3, 64, 64)))]
        [(1, 3, 16, 16), (1, 2, 16, 16), (1, 2, 16, 16)]
    """

    def __init__(
        self,
        block: type,
        layers: tuple,
        num_classes: int = 80,
        stem: int = 64,
        width: int = 256,
        inner: int = 64,
    ):
        super().__init__()
        self.body = Body(False, block=block, layers=layers, width=stem)
        inputs, cells = 8 * stem * block.expansion, []
        for _ in range(3):
            cells.append(nn.Conv2dTranspose(inputs, width, 4, 2, "pad", 1))
            cells += [nn.BatchNorm2d(width), nn.ReLU()]
            inputs = width
        self.deconv_layers = nn.SequentialCell(cells)
        self.hm = head(width, inner, num_classes, -2.19)
        self.wh, self.reg = head(width, inner, 2), head(width, inner, 2)

    def construct(self, x):
        x = self.deconv_layers(self.body(x)[3])
        return self.hm(x), self.wh(x), self.reg(x)


def radius(size, overlap: float = 0.7):
    """How far a corner may move so that boxes of ``size`` (..., 2) still overlap so much: the least of the
    three ways in which both corners can move.
    """
    w, h = size[..., 0], size[..., 1]
    total, area = w + h, w * h
    ways = (
        (1.0, total, area * (1 - overlap) / (1 + overlap)),
        (4.0, 2 * total, (1 - overlap) * area),
        (4 * overlap, -2 * overlap * total, (overlap - 1) * area),
    )
    found = [(b + ops.sqrt(ops.maximum(b * b - 4 * a * c, 0.0))) / 2 for a, b, c in ways]
    return ops.minimum(ops.minimum(found[0], found[1]), found[2])


def heat(centre, size, labels, num_classes: int, height: int, width: int):
    """The map (N, num_classes, height, width) that has a hill at each object's middle, 1 high."""
    n, number = labels.shape
    spread = (2 * ops.floor(ops.maximum(radius(size), 0.0)) + 1) / 6
    middle = ops.floor(centre)
    y, x = ops.arange(height).reshape(1, 1, height, 1), ops.arange(width).reshape(1, 1, 1, width)
    away = (x - middle[..., 0][..., None, None]) ** 2 + (y - middle[..., 1][..., None, None]) ** 2
    hills = ops.exp(-away / (2 * spread * spread)[..., None, None])
    hills = ops.where((labels >= 0)[..., None, None], hills, 0.0)
    rows = ops.arange(n).reshape(n, 1) * num_classes + ops.maximum(labels, 0)
    highest = ops.unsorted_segment_max(
        ops.reshape(hills, (n * number, height, width)),
        ops.reshape(rows.astype(dt.int32), (-1,)),
        n * num_classes,
    )
    return ops.reshape(ops.maximum(highest, 0.0), (n, num_classes, height, width))


def centernet_loss(out: tuple, boxes, labels):
    """The focal loss of the middles, a tenth of the sizes' distance, and the offsets' distance.

    Args:
        out (tuple): of `CenterNet`.
        boxes (Tensor): ``(N, M, 4)``, the objects, in pixels of the image.
        labels (Tensor): ``(N, M)``, their classes, -1 where there is none.

    Returns:
        Tensor: a scalar.

    Examples:
        >>> import minds as ms
        >>> from minds import models, ops
        >>> from minds.models.detection.centernet import centernet_loss
        >>> net = models.centernet_resnet18(stem=4, width=8, inner=4, num_classes=3)
        >>> boxes = ms.Tensor([[[10.0, 10.0, 60.0, 50.0]]])
        >>> centernet_loss(net(ops.ones((1, 3, 64, 64))), boxes, ms.Tensor([[2]])).shape
        ()
    """
    logits, sizes, offsets = out
    n, classes, height, width = logits.shape
    centre, size = centred(boxes / 4)
    wanted = heat(centre, size, labels, classes, height, width)
    here = wanted >= 1
    sure = ops.softplus(-logits), ops.softplus(logits)
    chances = ops.sigmoid(logits)
    missed = ops.sum(ops.where(here, (1 - chances) ** 2 * sure[0], 0.0))
    made_up = ops.sum(ops.where(here, 0.0, (1 - wanted) ** 4 * chances**2 * sure[1]))
    x = ops.clip(ops.floor(centre[..., 0]), 0, width - 1)
    y = ops.clip(ops.floor(centre[..., 1]), 0, height - 1)
    places = (y * width + x).astype(dt.int32)
    there = ops.expand_dims((labels >= 0).astype(dt.float32), -1)

    def at(maps):
        rows = ops.transpose(ops.reshape(maps, (n, 2, height * width)), (0, 2, 1))
        return ops.gather(rows, places, 1, 1)

    far = ops.sum(ops.abs(at(sizes) - size) * there)
    off = ops.sum(ops.abs(at(offsets) - (centre - ops.stack((x, y), -1))) * there)
    return (missed + made_up + 0.1 * far + off) / count(labels >= 0)


def centernet_detections(out: tuple, least: float = 0.3, most: int = 100) -> list[tuple]:
    """What is in each image: the pixels that are more a middle than the eight around them.

    Args:
        out (tuple): of `CenterNet`.
        least (float): score of a detection. Default 0.3.
        most (int): detections. Default 100.

    Returns:
        list[tuple]: for each image boxes ``(D, 4)``, scores ``(D,)`` and classes ``(D,)``, the strongest
        first.

    Examples:
        >>> from minds import models, ops
        >>> from minds.models.detection.centernet import centernet_detections
        >>> net = models.centernet_resnet18(stem=4, width=8, inner=4, num_classes=3)
        >>> len(centernet_detections(net(ops.ones((1, 3, 64, 64)))))
        1
    """
    logits, sizes, offsets = out
    scores = ops.sigmoid(logits)
    peaks = ops.max_pool2d(scores, 3, 1, 1) == scores
    scores = ops.where(peaks, scores, 0.0).asnumpy()
    found = []
    for score, size, off in zip(scores, sizes.asnumpy(), offsets.asnumpy()):
        order = np.argsort(-score, axis=None, kind="stable")[:most]
        which, y, x = np.unravel_index(order[score.ravel()[order] > least], score.shape)
        middle = np.stack((x + off[0, y, x], y + off[1, y, x]), 1)
        half = np.stack((size[0, y, x], size[1, y, x]), 1) / 2
        boxes = 4 * np.concatenate((middle - half, middle + half), 1)
        found.append((boxes, score[which, y, x], which))
    return found

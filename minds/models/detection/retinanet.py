"""RetinaNet (Lin et al., Focal Loss for Dense Object Detection, 2017), named as in torchvision."""

from __future__ import annotations

import math

from ... import nn, ops
from ...common.initializer import Constant, Normal
from ..classification.resnet import BasicBlock, Bottleneck
from ..parts.anchors import around, match, of_objects, pyramid_anchors
from ..parts.boxes import clipped, decode, detections, encode
from ..parts.losses import classes, count, focal, within
from ..parts.pyramid import Backbone
from ..registry import register

RATIOS = (0.5, 1.0, 2.0)
CELLS = [
    around([s, int(s * 2 ** (1 / 3)), int(s * 2 ** (2 / 3))], RATIOS)
    for s in (32, 64, 128, 256, 512)
]
"""Nine anchors at each place, of each level."""


def conv(inputs: int, outputs: int, bias: float = 0.0) -> nn.Conv2d:
    return nn.Conv2d(
        inputs, outputs, 3, 1, "pad", 1,
        has_bias=True, weight_init=Normal(0.01), bias_init=Constant(bias),
    )  # fmt: skip


class Tower(nn.Cell):
    """Four convolutions and one that answers, ``size`` numbers for each anchor; for all levels the same."""

    def __init__(self, width: int, size: int, name: str, bias: float):
        super().__init__()
        self.size = size
        self.conv = nn.CellList(
            [nn.SequentialCell(conv(width, width), nn.ReLU()) for _ in range(4)]
        )
        self.answer = name
        setattr(self, name, conv(width, 9 * size, bias))

    def construct(self, levels):
        return ops.concat([self._one(x) for x in levels], 1)

    def _one(self, x):
        for layer in self.conv:
            x = layer(x)
        x = getattr(self, self.answer)(x)
        n, _, h, w = x.shape
        x = ops.transpose(ops.reshape(x, (n, 9, self.size, h, w)), (0, 3, 4, 1, 2))
        return ops.reshape(x, (n, h * w * 9, self.size))


class RetinaNetHead(nn.Cell):
    """What each anchor stands for, and the way to its object."""

    def __init__(self, width: int, num_classes: int):
        super().__init__()
        rare = -math.log((1 - 0.01) / 0.01)
        self.classification_head = Tower(width, num_classes, "cls_logits", rare)
        self.regression_head = Tower(width, 4, "bbox_reg", 0.0)

    def construct(self, levels):
        return self.classification_head(levels), self.regression_head(levels)


@register(
    retinanet_resnet50={"block": Bottleneck, "layers": (3, 4, 6, 3)},
    retinanet_resnet18={"block": BasicBlock, "layers": (2, 2, 2, 2)},
)
class RetinaNet(nn.Cell):
    """One answer for each of many anchors, over a feature pyramid.

    Args:
        block (type), layers (tuple[int]): of the residual network.
        num_classes (int): Default 91.
        stem (int): channels of the residual network's first convolution. Default 64.
        width (int): channels of the pyramid. Default 256.
        freeze (bool): whether batch normalisation keeps its statistics. Default True.

    Inputs:
        - **x** (Tensor[(N, 3, H, W), float]) - normalised; H and W are multiples of 128.

    Outputs:
        Tuple of logits Tensor[(N, A, num_classes)], ways Tensor[(N, A, 4)] and anchors Tensor[(A, 4)].

    Examples:
        >>> from minds import models, ops
        >>> net = models.retinanet_resnet18(stem=4, width=8, num_classes=3)
        >>> [x.shape for x in net(ops.ones((1, 3, 128, 128)))]
        [(1, 3069, 3), (1, 3069, 4), (3069, 4)]
    """

    def __init__(
        self,
        block: type,
        layers: tuple,
        num_classes: int = 91,
        stem: int = 64,
        width: int = 256,
        freeze: bool = True,
    ):
        super().__init__()
        self.backbone = Backbone(block, layers, stem, width, 3, "convs", freeze)
        self.head = RetinaNetHead(width, num_classes)

    def construct(self, x):
        levels = self.backbone(x)
        logits, ways = self.head(levels)
        sizes = [level.shape[2:] for level in levels]
        return logits, ways, pyramid_anchors(CELLS, sizes, x.shape[2:])


def retinanet_loss(out: tuple, boxes, labels):
    """The focal loss of the classes, and the distance of the ways of those anchors that stand for an object.

    Args:
        out (tuple): of `RetinaNet`.
        boxes (Tensor): ``(N, M, 4)``, the objects.
        labels (Tensor): ``(N, M)``, their classes, -1 where there is none.

    Returns:
        Tensor: a scalar.

    Examples:
        >>> import minds as ms
        >>> from minds import models, ops
        >>> from minds.models.detection.retinanet import retinanet_loss
        >>> net = models.retinanet_resnet18(stem=4, width=8, num_classes=3)
        >>> boxes = ms.Tensor([[[10.0, 10.0, 60.0, 50.0]]])
        >>> retinanet_loss(net(ops.ones((1, 3, 128, 128))), boxes, ms.Tensor([[2]])).shape
        ()
    """
    logits, ways, anchors = out
    number, stands, none = match(anchors, boxes, labels, 0.5, 0.4)
    which = ops.where(stands, of_objects(labels, number), -1)
    wrong = focal(logits, classes(which, logits.shape[-1]))
    wanted = encode(of_objects(boxes, number), anchors)
    used = ops.logical_or(stands, none)
    return (within(wrong, used) + within(ops.abs(ways - wanted), stands)) / count(stands)


def retinanet_detections(out: tuple, image: tuple, **how) -> list[tuple]:
    """What is in each image.

    Args:
        out (tuple): of `RetinaNet`.
        image (tuple[int, int]): height and width.
        how (Any): ``least``, ``threshold``, ``most`` of `detections`.

    Returns:
        list[tuple]: for each image boxes ``(D, 4)``, scores ``(D,)`` and classes ``(D,)``.

    Examples:
        >>> from minds import models, ops
        >>> from minds.models.detection.retinanet import retinanet_detections
        >>> net = models.retinanet_resnet18(stem=4, width=8, num_classes=3)
        >>> len(retinanet_detections(net(ops.ones((1, 3, 128, 128))), (128, 128), least=0.5))
        1
    """
    logits, ways, anchors = out
    boxes = clipped(decode(ways, anchors), *image).asnumpy()
    scores = ops.sigmoid(logits).asnumpy()
    return [detections(s, b, **how) for s, b in zip(scores, boxes)]

"""Faster R-CNN (Ren et al., Towards Real-Time Object Detection with Region Proposal Networks, 2015) over a
feature pyramid, named as in torchvision.
"""

from __future__ import annotations

import numpy as np

from ... import nn, ops
from ..classification.resnet import DEPTHS
from ..parts.boxes import clipped, decode, detections
from ..parts.pyramid import Backbone
from ..registry import register
from .rcnn import RPN, WEIGHTS, BoxHead, BoxPredictor, box_losses, look, of_objects, sampled


class RoIHeads(nn.Cell):
    """What is in each of some boxes."""

    def __init__(self, width: int, inner: int, num_classes: int):
        super().__init__()
        self.box_head = BoxHead(width, inner)
        self.box_predictor = BoxPredictor(inner, num_classes)

    def construct(self, levels, boxes, image):
        return self.box_predictor(self.box_head(look(levels, boxes, image, 7)))


@register(
    fasterrcnn_resnet50_fpn=DEPTHS[50],
    fasterrcnn_resnet18_fpn=DEPTHS[18],
)
class FasterRCNN(nn.Cell):
    """A network that proposes boxes, and one that looks into them.

    Args:
        block (type), layers (tuple[int]): of the residual network.
        num_classes (int): the background among them. Default 91.
        stem (int): channels of the residual network's first convolution. Default 64.
        width (int): channels of the pyramid. Default 256.
        inner (int): of the dense layers. Default 1024.
        room (tuple[int, int]): how many proposals of each level are looked at, and how many are kept, while
            training and else. Default (2000, 1000).
        freeze (bool): whether batch normalisation keeps its statistics. Default True.

    Inputs:
        - **x** (Tensor[(N, 3, H, W), float]) - normalised; H and W are multiples of 32.
        - **boxes** (Tensor[(N, M, 4)]), **labels** (Tensor[(N, M)]) - the objects, to learn from; labels do
          not count the background, and are -1 where there is no object. Default None.

    Outputs:
        With objects, a tuple of four losses: of the proposals whether there is an object and where, and of
        what is in them which and where. Else a tuple of logits Tensor[(N · P, num_classes)], ways
        Tensor[(N · P, 4 · num_classes)], proposals Tensor[(N, P, 4)] and which of these count.

    Examples:
        >>> from minds import models, ops
        >>> settings = {"stem": 4, "width": 8, "inner": 16, "num_classes": 3, "room": (20, 10)}
        >>> net = models.fasterrcnn_resnet18_fpn(**settings).set_train(False)
        >>> [x.shape for x in net(ops.ones((1, 3, 64, 64)))]
        [(10, 3), (10, 12), (1, 10, 4), (1, 10)]
    """

    heads = RoIHeads

    def __init__(
        self,
        block: type,
        layers: tuple,
        num_classes: int = 91,
        stem: int = 64,
        width: int = 256,
        inner: int = 1024,
        room: tuple = (2000, 1000),
        freeze: bool = True,
    ):
        super().__init__()
        self.backbone = Backbone(block, layers, stem, width, 4, "pool", freeze)
        self.rpn = RPN(width, room)
        self.roi_heads = self.heads(width, inner, num_classes)

    def construct(self, x, boxes=None, labels=None):
        levels = self.backbone(x)
        scores, ways, anchors, proposals, counts = self.rpn(levels, x.shape[2:])
        if boxes is None:
            answers = self.roi_heads(levels, proposals, x.shape[2:])
            return (*answers, proposals, counts)
        first = self.rpn.loss(scores, ways, anchors, boxes, labels)
        chosen, number, which, used, yes = sampled(proposals, counts, boxes, labels)
        answers = self.roi_heads(levels, chosen, x.shape[2:])
        wanted = of_objects(boxes, number)
        return (*first, *box_losses(*answers, chosen, wanted, which, used, yes))


def fasterrcnn_detections(out: tuple, image: tuple, **how) -> list[tuple]:
    """What is in each image.

    Args:
        out (tuple): of `FasterRCNN`.
        image (tuple[int, int]): height and width.
        how (Any): ``least``, ``threshold``, ``most`` of `detections`.

    Returns:
        list[tuple]: for each image boxes ``(D, 4)``, scores ``(D,)`` and classes ``(D,)``, the background
        not among these.

    Examples:
        >>> from minds import models, ops
        >>> from minds.models.detection.faster_rcnn import fasterrcnn_detections
        >>> settings = {"stem": 4, "width": 8, "inner": 16, "num_classes": 3, "room": (20, 10)}
        >>> net = models.fasterrcnn_resnet18_fpn(**settings).set_train(False)
        >>> len(fasterrcnn_detections(net(ops.ones((1, 3, 64, 64))), (64, 64)))
        1
    """
    logits, ways, proposals, counts = out
    n, number = proposals.shape[:2]
    boxes = decode(ops.reshape(ways, (n, number, -1, 4)), ops.expand_dims(proposals, 2), WEIGHTS)
    boxes = clipped(boxes, *image).asnumpy()[:, :, 1:]
    scores = ops.softmax(ops.reshape(logits, (n, number, -1)), -1).asnumpy()[:, :, 1:]
    scores = np.where(counts.asnumpy()[:, :, None], scores, 0)
    return [detections(s, b, **how) for s, b in zip(scores, boxes)]

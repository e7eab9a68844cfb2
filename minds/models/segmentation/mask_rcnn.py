"""Mask R-CNN (He et al., 2017), named as in torchvision."""

from __future__ import annotations

from ... import nn, ops
from ...base import dtype as dt
from ..classification.resnet import DEPTHS
from ..detection.faster_rcnn import FasterRCNN, RoIHeads
from ..detection.rcnn import box_losses, look, of_objects, sampled
from ..parts.losses import within
from ..parts.vision import conv
from ..registry import register


class MaskPredictor(nn.Cell):
    """A mask of 28×28 for each class."""

    def __init__(self, width: int, num_classes: int):
        super().__init__()
        self.conv5_mask = nn.Conv2dTranspose(width, width, 2, 2, "valid", has_bias=True)
        self.mask_fcn_logits = conv(width, num_classes, bias=True)

    def construct(self, x):
        return self.mask_fcn_logits(ops.relu(self.conv5_mask(x)))


class MaskHeads(RoIHeads):
    """What is in each of some boxes, and which of its pixels belong to it."""

    def __init__(self, width: int, inner: int, num_classes: int):
        super().__init__(width, inner, num_classes)
        cells = [nn.SequentialCell(conv(width, width, 3, bias=True), nn.ReLU()) for _ in range(4)]
        self.mask_head = nn.SequentialCell(cells)
        self.mask_predictor = MaskPredictor(width, num_classes)

    def masks(self, levels, boxes, image):
        """The logits (N · P, num_classes, 28, 28) of boxes (N, P, 4)."""
        return self.mask_predictor(self.mask_head(look(levels, boxes, image, 14)))


@register(maskrcnn_resnet50_fpn=DEPTHS[50], maskrcnn_resnet18_fpn=DEPTHS[18])
class MaskRCNN(FasterRCNN):
    """Faster R-CNN that also tells which pixels of a box belong to its object.

    Args:
        block (type), layers (tuple[int]): of the residual network.
        others (Any): as of `FasterRCNN`.

    Inputs:
        - **x** (Tensor[(N, 3, H, W), float]) - normalised; H and W are multiples of 32.
        - **boxes** (Tensor[(N, M, 4)]), **labels** (Tensor[(N, M)]), **masks** (Tensor[(N, M, H, W)]) - the
          objects, to learn from. Default None.

    Outputs:
        With objects, a tuple of five losses, the last that of the masks. Else as of `FasterRCNN`;
        ``masks_in`` tells the masks of what was found.

    Examples:
        >>> from minds import models, ops
        >>> settings = {"stem": 4, "width": 8, "inner": 16, "num_classes": 3, "room": (20, 10)}
        >>> net = models.maskrcnn_resnet18_fpn(**settings).set_train(False)
        >>> x, boxes = ops.ones((1, 3, 64, 64)), ops.ones((1, 5, 4))
        >>> net(x)[2].shape, net.masks_in(x, boxes).shape
        ((1, 10, 4), (5, 3, 28, 28))
    """

    heads = MaskHeads

    def masks_in(self, x, boxes):
        """The logits (N · P, num_classes, 28, 28) of boxes (N, P, 4) in images; the background is the first
        class.
        """
        return self.roi_heads.masks(self.backbone(x), boxes, x.shape[2:])

    def construct(self, x, boxes=None, labels=None, masks=None):
        if boxes is None:
            return super().construct(x)
        levels = self.backbone(x)
        scores, ways, anchors, proposals, counts = self.rpn(levels, x.shape[2:])
        first = self.rpn.loss(scores, ways, anchors, boxes, labels)
        chosen, number, which, used, yes = sampled(proposals, counts, boxes, labels)
        answers = self.roi_heads(levels, chosen, x.shape[2:])
        second = box_losses(*answers, chosen, of_objects(boxes, number), which, used, yes)
        most = yes.shape[1]
        logits = self.roi_heads.masks(levels, chosen[:, :most], x.shape[2:])
        third = mask_loss(logits, chosen[:, :most], number[:, :most], which[:, :most], yes, masks)
        return (*first, *second, third)


def mask_loss(logits, boxes, number, which, yes, masks):
    """The cross entropy of each pixel of the masks of sampled boxes that stand for an object."""
    n, objects = masks.shape[:2]
    rows = ops.arange(n).reshape(n, 1) * objects + number
    rois = ops.concat((ops.expand_dims(rows.astype(dt.float32), -1), boxes), -1)
    pictures = ops.reshape(masks.astype(dt.float32), (n * objects, 1, *masks.shape[2:]))
    wanted = ops.ROIAlign(28, 28, 1.0, 2, 0)(pictures, ops.reshape(rois, (-1, 5)))
    places = ops.broadcast_to(ops.reshape(which, (-1, 1, 1, 1)), wanted.shape)
    own = ops.gather_elements(logits, 1, places)
    wrong = ops.binary_cross_entropy_with_logits(own, wanted, reduction="none")
    each = ops.reshape(ops.mean(wrong, (1, 2, 3)), yes.shape)
    return within(each, yes) / ops.maximum(ops.sum(yes.astype(dt.float32)), 1.0)

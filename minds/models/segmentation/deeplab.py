"""DeepLab v3 (Chen et al., Rethinking Atrous Convolution for Semantic Image Segmentation, 2017), named as in
torchvision.
"""

from __future__ import annotations

from ... import nn, ops
from ..classification.resnet import DEPTHS
from ..parts.pyramid import Body
from ..parts.vision import ConvNorm, conv
from ..registry import register


class Everywhere(nn.SequentialCell):
    """The mean over the image, a convolution of it, at each place."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__(nn.AdaptiveAvgPool2d(1), *ConvNorm(inputs, outputs).cell_list)

    def construct(self, x):
        mean = super().construct(x)
        return ops.broadcast_to(mean, mean.shape[:2] + x.shape[2:])


class Rates(nn.Cell):
    """Atrous spatial pyramid pooling: convolutions that look near and far, and everywhere."""

    def __init__(self, inputs: int, outputs: int, rates: tuple):
        super().__init__()
        near = ConvNorm(inputs, outputs)
        far = [ConvNorm(inputs, outputs, 3, dilation=r) for r in rates]
        self.convs = nn.CellList([near, *far, Everywhere(inputs, outputs)])
        self.project = nn.SequentialCell(
            *ConvNorm((len(rates) + 2) * outputs, outputs).cell_list, nn.Dropout(p=0.5)
        )

    def construct(self, x):
        return self.project(ops.concat([conv(x) for conv in self.convs], 1))


@register(deeplabv3_resnet50=DEPTHS[50], deeplabv3_resnet101=DEPTHS[101])
class DeepLabV3(nn.Cell):
    """A residual network whose last two stages keep the image's size, and convolutions of several rates.

    Args:
        block (type), layers (tuple[int]): of the residual network.
        num_classes (int): Default 21.
        stem (int): channels of the residual network's first convolution. Default 64.
        width (int): channels of the head. Default 256.
        rates (tuple[int]): of its convolutions. Default (12, 24, 36).

    Inputs:
        - **x** (Tensor[(N, 3, H, W), float])

    Outputs:
        Tensor[(N, num_classes, H, W)]; while training, a tuple of it and what a smaller head says of the
        last stage but one, whose loss is added with a weight of 0.5.

    Examples:
        >>> from minds import models, ops
        >>> net = models.deeplabv3_resnet50(stem=2, width=4, layers=(1, 1, 1, 1))
        >>> net.set_train(False)(ops.ones((1, 3, 32, 32))).shape
        (1, 21, 32, 32)
    """

    def __init__(
        self,
        block: type,
        layers: tuple,
        num_classes: int = 21,
        stem: int = 64,
        width: int = 256,
        rates: tuple = (12, 24, 36),
    ):
        super().__init__()
        self.backbone = Body(False, block=block, layers=layers, width=stem, dilated=2)
        found = 8 * stem * block.expansion
        self.classifier = nn.SequentialCell(
            Rates(found, width, rates),
            *ConvNorm(width, width, 3).cell_list,
            conv(width, num_classes, bias=True),
        )
        self.aux_classifier = nn.SequentialCell(
            *ConvNorm(found // 2, found // 8, 3).cell_list,
            nn.Dropout(p=0.1),
            conv(found // 8, num_classes, bias=True),
        )

    def construct(self, x):
        found = self.backbone(x)
        out = _as_large(self.classifier(found[3]), x)
        if not self.training:
            return out
        return out, _as_large(self.aux_classifier(found[2]), x)


def _as_large(out, x):
    return ops.interpolate(out, x.shape[2:], mode="bilinear", align_corners=False)


def deeplab_loss(out, labels):
    """The cross entropy of each pixel, and half of the smaller head's.

    Args:
        out (tuple): of `DeepLabV3` while training.
        labels (Tensor): ``(N, H, W)``, -100 where none is known.

    Returns:
        Tensor: a scalar.

    Examples:
        >>> import minds as ms
        >>> from minds import models, ops
        >>> from minds.models.segmentation.deeplab import deeplab_loss
        >>> out = ops.ones((1, 3, 4, 4))
        >>> round(float(deeplab_loss((out, out), ops.zeros((1, 4, 4), ms.int32))), 4)
        1.6479
    """
    return ops.cross_entropy(out[0], labels) + 0.5 * ops.cross_entropy(out[1], labels)

"""U-Net (Ronneberger et al., Convolutional Networks for Biomedical Image Segmentation, 2015)."""

from __future__ import annotations

from ... import nn, ops
from ..registry import register


def double(inputs: int, outputs: int, mode: str, normed: bool) -> nn.SequentialCell:
    """Two convolutions of 3×3."""
    cells = []
    for channels in (inputs, outputs):
        cells.append(nn.Conv2d(channels, outputs, 3, 1, mode, has_bias=not normed))
        cells += [nn.BatchNorm2d(outputs), nn.ReLU()] if normed else [nn.ReLU()]
    return nn.SequentialCell(cells)


@register(unet={}, unet_same={"mode": "same", "normed": True})
class UNet(nn.Cell):
    """Down to small images of many channels and up again, with what was seen on the way down.

    Args:
        num_classes (int): Default 2.
        channels (int): of the image. Default 1.
        width (int): channels of the first convolutions. Default 64.
        depth (int): how often the image is halved. Default 4.
        mode (str): ``"valid"`` as in the paper, where the result is smaller than the image, or
            ``"same"``. Default ``"valid"``.
        normed (bool): whether batch normalisation follows the convolutions. Default False.

    Inputs:
        - **x** (Tensor[(N, channels, H, W), float])

    Outputs:
        Tensor[(N, num_classes, H', W')]; for ``"same"``, H' = H and W' = W, multiples of 2^depth.

    Examples:
        >>> from minds import models, ops
        >>> models.unet_same(width=2)(ops.ones((1, 1, 32, 32))).shape
        (1, 2, 32, 32)
    """

    def __init__(
        self,
        num_classes: int = 2,
        channels: int = 1,
        width: int = 64,
        depth: int = 4,
        mode: str = "valid",
        normed: bool = False,
    ):
        super().__init__()
        sizes = [width << i for i in range(depth + 1)]
        self.down = nn.CellList(
            [double(a, b, mode, normed) for a, b in zip([channels, *sizes], sizes)]
        )
        self.pool = nn.MaxPool2d(2, 2)
        backwards = sizes[::-1]
        self.grow = nn.CellList(
            [
                nn.Conv2dTranspose(a, b, 2, 2, "valid", has_bias=True)
                for a, b in zip(backwards, backwards[1:])
            ]
        )
        self.up = nn.CellList(
            [double(a, b, mode, normed) for a, b in zip(backwards, backwards[1:])]
        )
        self.head = nn.Conv2d(width, num_classes, 1, has_bias=True)

    def construct(self, x):
        kept = []
        for i, convs in enumerate(self.down):
            x = convs(self.pool(x) if i else x)
            kept.append(x)
        kept.pop()
        for grow, convs in zip(self.grow, self.up):
            x = grow(x)
            x = convs(ops.concat((cut(kept.pop(), x.shape[2], x.shape[3]), x), 1))
        return self.head(x)


def cut(x, height: int, width: int):
    """The middle of an image."""
    top, left = (x.shape[2] - height) // 2, (x.shape[3] - width) // 2
    return x[:, :, top : top + height, left : left + width]

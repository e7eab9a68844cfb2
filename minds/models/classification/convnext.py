"""ConvNeXt (Liu et al. 2022)."""

from __future__ import annotations

from ... import nn, ops
from ...common.initializer import initializer
from ...tensor import Parameter
from ..parts.vision import (
    ChannelsFirst,
    ChannelsLast,
    DropPath,
    LayerNorm2d,
    conv,
    layer_norm,
    rates_of_depth,
)
from ..registry import register


class ConvNeXtBlock(nn.Cell):
    """A depthwise convolution of 7×7 and a perceptron over the channels, scaled and added to what came in."""

    def __init__(self, width: int, drop: float, scale: float):
        super().__init__()
        self.layer_scale = Parameter(initializer(scale, (width, 1, 1)))
        self.block = nn.SequentialCell(
            conv(width, width, 7, groups=width, bias=True),
            ChannelsLast(),
            layer_norm(width),
            nn.Dense(width, 4 * width),
            nn.GELU(approximate=False),
            nn.Dense(4 * width, width),
            ChannelsFirst(),
        )
        self.stochastic_depth = DropPath(drop)

    def construct(self, x):
        return x + self.stochastic_depth(self.layer_scale * self.block(x))


@register(
    convnext_tiny={"widths": (96, 192, 384, 768), "layers": (3, 3, 9, 3), "drop_path": 0.1},
    convnext_small={"widths": (96, 192, 384, 768), "layers": (3, 3, 27, 3), "drop_path": 0.4},
    convnext_base={"widths": (128, 256, 512, 1024), "layers": (3, 3, 27, 3), "drop_path": 0.5},
    convnext_large={"widths": (192, 384, 768, 1536), "layers": (3, 3, 27, 3), "drop_path": 0.5},
)
class ConvNeXt(nn.Cell):
    """A convolutional network with what made transformers train well.

    Args:
        widths (tuple[int]): channels of each stage.
        layers (tuple[int]): blocks in each stage.
        drop_path (float): share of the examples for which training leaves out the last block. Default 0.
        layer_scale (float): first value of the scales of the blocks. Default 1e-6.
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.

    Inputs:
        - **x** (Tensor[(N, in_channels, H, W), float]): of at least 32×32; made for 224×224.

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> net = models.convnext_tiny(num_classes=5, widths=(8, 16), layers=(1, 1))
        >>> net(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        widths: tuple[int, ...],
        layers: tuple[int, ...],
        drop_path: float = 0.0,
        layer_scale: float = 1e-6,
        num_classes: int = 1000,
        in_channels: int = 3,
    ):
        super().__init__()
        stem = conv(in_channels, widths[0], 4, 4, 0, bias=True)
        cells = [nn.SequentialCell(stem, LayerNorm2d(widths[0]))]
        rates = iter(rates_of_depth(drop_path, sum(layers)))
        for i, (width, count) in enumerate(zip(widths, layers)):
            if i:
                halving = conv(widths[i - 1], width, 2, 2, 0, bias=True)
                cells.append(nn.SequentialCell(LayerNorm2d(widths[i - 1]), halving))
            blocks = [ConvNeXtBlock(width, next(rates), layer_scale) for _ in range(count)]
            cells.append(nn.SequentialCell(blocks))
        self.features = nn.SequentialCell(cells)
        head = nn.Dense(widths[-1], num_classes)
        self.classifier = nn.SequentialCell(LayerNorm2d(widths[-1]), nn.Flatten(), head)

    def construct(self, x):
        return self.classifier(ops.mean(self.features(x), (2, 3), keep_dims=True))

"""MLP-Mixer (Tolstikhin et al. 2021)."""

from __future__ import annotations

from ... import nn, ops
from ..parts.vision import DropPath, layer_norm, mlp, rates_of_depth
from ..registry import register


class MixerBlock(nn.Cell):
    """A perceptron over the patches and one over the channels, each added to what came in."""

    def __init__(self, patches: int, width: int, token_hidden: int, hidden: int, drop: float):
        super().__init__()
        self.norm1 = layer_norm(width)
        self.mlp_tokens = mlp(patches, token_hidden)
        self.norm2 = layer_norm(width)
        self.mlp_channels = mlp(width, hidden)
        self.drop_path = DropPath(drop)

    def construct(self, x):
        y = self.mlp_tokens(ops.swapaxes(self.norm1(x), 1, 2))
        x = x + self.drop_path(ops.swapaxes(y, 1, 2))
        return x + self.drop_path(self.mlp_channels(self.norm2(x)))


SIZES = {"s": (512, 8), "b": (768, 12), "l": (1024, 24)}
"""Channels and blocks."""


@register(
    **{
        f"mlp_mixer_{size}_{patch}": {"patch": patch, "width": width, "layers": layers}
        for size, (width, layers) in SIZES.items()
        for patch in (16, 32)
    }
)
class MLPMixer(nn.Cell):
    """Perceptrons over patches and over channels in turn.

    Args:
        patch (int): height and width of a patch.
        width (int): channels; the perceptrons have half and four times as many inside.
        layers (int): blocks.
        image_size (int): height and width of the images. Default 224.
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.
        drop_path (float): share of the examples for which training leaves out the last block. Default 0.

    Inputs:
        - **x** (Tensor[(N, in_channels, image_size, image_size), float])

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> net = models.mlp_mixer_s_16(num_classes=5, image_size=32, layers=1)
        >>> net(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        patch: int,
        width: int,
        layers: int,
        image_size: int = 224,
        num_classes: int = 1000,
        in_channels: int = 3,
        drop_path: float = 0.0,
    ):
        super().__init__()
        self.width, patches = width, (image_size // patch) ** 2
        self.stem = nn.Conv2d(in_channels, width, patch, patch, "valid", has_bias=True)
        self.blocks = nn.SequentialCell(
            [
                MixerBlock(patches, width, width // 2, 4 * width, rate)
                for rate in rates_of_depth(drop_path, layers)
            ]
        )
        self.norm = layer_norm(width)
        self.head = nn.Dense(width, num_classes)

    def construct(self, x):
        x = ops.reshape(self.stem(x), (x.shape[0], self.width, -1))
        x = self.norm(self.blocks(ops.swapaxes(x, 1, 2)))
        return self.head(ops.mean(x, 1))

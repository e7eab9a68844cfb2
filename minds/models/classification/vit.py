"""Vision transformers: ViT (Dosovitskiy et al. 2021) and DeiT (Touvron et al. 2021)."""

from __future__ import annotations

from ... import nn, ops
from ...common.initializer import TruncatedNormal, initializer
from ...tensor import Parameter
from ..parts.vision import DropPath, layer_norm, mlp, named, rates_of_depth
from ..registry import register


class ViTBlock(nn.Cell):
    """Attention and a perceptron, each of what is normalised, and added to what came in."""

    def __init__(self, width: int, heads: int, hidden: int, dropout: float, drop_path: float):
        super().__init__()
        self.ln_1 = layer_norm(width)
        self.self_attention = nn.MultiheadAttention(width, heads, dropout, batch_first=True)
        self.dropout = nn.Dropout(p=dropout)
        self.ln_2 = layer_norm(width)
        self.mlp = mlp(width, hidden, dropout)
        self.drop_path = DropPath(drop_path)

    def construct(self, x):
        y = self.ln_1(x)
        y, _ = self.self_attention(y, y, y, need_weights=False)
        x = x + self.drop_path(self.dropout(y))
        return x + self.drop_path(self.mlp(self.ln_2(x)))


class ViTEncoder(nn.Cell):
    """Adds each place's embedding, and runs the blocks."""

    def __init__(self, length: int, width: int, blocks: list[ViTBlock], dropout: float):
        super().__init__()
        self.pos_embedding = Parameter(initializer(TruncatedNormal(0.02), (1, length, width)))
        self.dropout = nn.Dropout(p=dropout)
        self.layers = named(**{f"encoder_layer_{i}": block for i, block in enumerate(blocks)})
        self.ln = layer_norm(width)

    def construct(self, x):
        return self.ln(self.layers(self.dropout(x + self.pos_embedding)))


def _size(patch: int, width: int, layers: int, heads: int, **others) -> dict:
    return {"patch": patch, "width": width, "layers": layers, "heads": heads, **others}


@register(
    vit_b_16=_size(16, 768, 12, 12),
    vit_b_32=_size(32, 768, 12, 12),
    vit_l_16=_size(16, 1024, 24, 16),
    vit_l_32=_size(32, 1024, 24, 16),
    vit_h_14=_size(14, 1280, 32, 16),
    deit_tiny=_size(16, 192, 12, 3, drop_path=0.1),
    deit_small=_size(16, 384, 12, 6, drop_path=0.1),
    deit_base=_size(16, 768, 12, 12, drop_path=0.1),
    deit_tiny_distilled=_size(16, 192, 12, 3, drop_path=0.1, distilled=True),
    deit_small_distilled=_size(16, 384, 12, 6, drop_path=0.1, distilled=True),
    deit_base_distilled=_size(16, 768, 12, 12, drop_path=0.1, distilled=True),
)
class ViT(nn.Cell):
    """A transformer over patches of the image and a token for the class, whose logits are made of what
    becomes of the token.

    Args:
        patch (int): height and width of a patch.
        width (int): size of a token.
        layers (int): blocks.
        heads (int): heads of the attention.
        hidden (int): size of the perceptrons' inner layer. Default None, four times ``width``.
        image_size (int): height and width of the images. Default 224.
        num_classes (int): logits. Default 1000.
        in_channels (int): channels of the images. Default 3.
        dropout (float): share of the activations that training drops. Default 0.
        drop_path (float): share of the examples for which training leaves out the last block. Default 0.
        distilled (bool): a second token and head, which learn from a teacher (DeiT). Default False.

    Inputs:
        - **x** (Tensor[(N, in_channels, image_size, image_size), float])

    Outputs:
        Tensor[(N, num_classes)]; with ``distilled`` in training a tuple of both heads', else their mean.

    Examples:
        >>> from minds import models, ops
        >>> net = models.deit_tiny(num_classes=5, image_size=32, layers=2)
        >>> net(ops.ones((1, 3, 32, 32))).shape
        (1, 5)
    """

    def __init__(
        self,
        patch: int,
        width: int,
        layers: int,
        heads: int,
        hidden: int | None = None,
        image_size: int = 224,
        num_classes: int = 1000,
        in_channels: int = 3,
        dropout: float = 0.0,
        drop_path: float = 0.0,
        distilled: bool = False,
    ):
        super().__init__()
        self.width, self.distilled = width, distilled
        tokens = 2 if distilled else 1
        self.class_token = Parameter(initializer("zeros", (1, tokens, width)))
        self.conv_proj = nn.Conv2d(in_channels, width, patch, patch, "valid", has_bias=True)
        blocks = [
            ViTBlock(width, heads, hidden or 4 * width, dropout, rate)
            for rate in rates_of_depth(drop_path, layers)
        ]
        length = (image_size // patch) ** 2 + tokens
        self.encoder = ViTEncoder(length, width, blocks, dropout)
        self.heads = named(head=nn.Dense(width, num_classes))
        if distilled:
            self.head_dist = nn.Dense(width, num_classes)

    def construct(self, x):
        n = x.shape[0]
        patches = ops.transpose(ops.reshape(self.conv_proj(x), (n, self.width, -1)), (0, 2, 1))
        tokens = ops.broadcast_to(self.class_token, (n,) + self.class_token.shape[1:])
        x = self.encoder(ops.cat((tokens, patches), 1))
        logits = self.heads(x[:, 0])
        if not self.distilled:
            return logits
        taught = self.head_dist(x[:, 1])
        return (logits, taught) if self.training else (logits + taught) / 2

"""Feature pyramids over a residual network, named as in torchvision (Lin et al., Feature Pyramid Networks for
Object Detection, 2017).
"""

from __future__ import annotations

from ... import nn, ops
from ..classification.resnet import ResNet
from .vision import conv


def frozen(norm: nn.Cell) -> None:
    """Let a batch normalisation keep its statistics and factors, as detectors do whose batches are small."""
    norm.use_batch_statistics = False
    norm.gamma.requires_grad = norm.beta.requires_grad = False


class Body(ResNet):
    """A residual network without its head: the results of the four stages."""

    def __init__(self, freeze: bool = True, **settings):
        super().__init__(**settings)
        del self.fc
        for _, cell in self.cells_and_names():
            if freeze and isinstance(cell, nn.BatchNorm2d):
                frozen(cell)

    def construct(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        found = []
        for stage in (self.layer1, self.layer2, self.layer3, self.layer4):
            x = stage(x)
            found.append(x)
        return found


class Pyramid(nn.Cell):
    """Images of one width at all resolutions: each is what its stage found, and what the next coarser says.

    ``extra`` says what comes behind the coarsest: ``"pool"``, every second pixel of it, or ``"convs"``, two
    convolutions.
    """

    def __init__(self, sizes: list, width: int, extra: str):
        super().__init__()
        self.inner_blocks = nn.CellList(
            [nn.SequentialCell(conv(n, width, bias=True)) for n in sizes]
        )
        self.layer_blocks = nn.CellList(
            [nn.SequentialCell(conv(width, width, 3, bias=True)) for _ in sizes]
        )
        self.extra_blocks = Further(width) if extra == "convs" else None

    def construct(self, found):
        above = self.inner_blocks[-1](found[-1])
        levels = [self.layer_blocks[-1](above)]
        for i in range(len(found) - 2, -1, -1):
            here = self.inner_blocks[i](found[i])
            above = here + ops.interpolate(above, here.shape[2:], mode="nearest")
            levels.insert(0, self.layer_blocks[i](above))
        if self.extra_blocks is None:
            return levels + [levels[-1][:, :, ::2, ::2]]
        return levels + self.extra_blocks(levels[-1])


class Further(nn.Cell):
    """Two coarser levels by convolutions."""

    def __init__(self, width: int):
        super().__init__()
        self.p6, self.p7 = (conv(width, width, 3, 2, bias=True) for _ in range(2))

    def construct(self, x):
        x = self.p6(x)
        return [x, self.p7(ops.relu(x))]


class Backbone(nn.Cell):
    """A residual network and a pyramid over its last ``stages`` stages."""

    def __init__(self, block, layers, stem: int, width: int, stages: int, extra: str, freeze: bool):
        super().__init__()
        self.stages = stages
        self.body = Body(freeze, block=block, layers=layers, width=stem)
        sizes = [(stem << i) * block.expansion for i in range(4)]
        self.fpn = Pyramid(sizes[-stages:], width, extra)

    def construct(self, x):
        return self.fpn(self.body(x)[-self.stages :])

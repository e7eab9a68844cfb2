"""CycleGAN (Zhu et al., Unpaired Image-to-Image Translation using Cycle-Consistent Adversarial Networks,
2017).
"""

from __future__ import annotations

from ... import nn, ops
from ...common.initializer import Normal
from ..registry import register


def conv(inputs: int, outputs: int, size: int, stride: int = 1, padding: int = 0) -> nn.Conv2d:
    mode = "pad" if padding else "valid"
    return nn.Conv2d(
        inputs, outputs, size, stride, mode, padding, has_bias=True, weight_init=Normal(0.02)
    )


def norm(channels: int) -> nn.InstanceNorm2d:
    return nn.InstanceNorm2d(channels, affine=False)


class MirroredResidual(nn.Cell):
    """Two convolutions beside a shortcut, over images that go on mirrored beyond their borders."""

    def __init__(self, width: int):
        super().__init__()
        self.conv_block = nn.SequentialCell(
            nn.ReflectionPad2d(1),
            conv(width, width, 3),
            norm(width),
            nn.ReLU(),
            nn.ReflectionPad2d(1),
            conv(width, width, 3),
            norm(width),
        )

    def construct(self, x):
        return x + self.conv_block(x)


@register(cyclegan_generator={"blocks": 9}, cyclegan_generator_6={"blocks": 6})
class CycleGANGenerator(nn.Cell):
    """From images of one kind to the other: down twice, residual blocks, up twice.

    Args:
        blocks (int): residual blocks; 6 for images of 128×128, 9 for 256×256.
        width (int): Default 64.
        channels (int): of the images. Default 3.

    Inputs:
        - **x** (Tensor[(N, channels, H, W), float]) - in [-1, 1]; H and W are multiples of 4.

    Outputs:
        Tensor, as ``x``.

    Examples:
        >>> from minds import models, ops
        >>> models.cyclegan_generator_6(width=2)(ops.ones((1, 3, 16, 16))).shape
        (1, 3, 16, 16)
    """

    def __init__(self, blocks: int, width: int = 64, channels: int = 3):
        super().__init__()
        cells = [nn.ReflectionPad2d(3), conv(channels, width, 7), norm(width), nn.ReLU()]
        for n in (1, 2):
            cells += [conv(n * width, 2 * n * width, 3, 2, 1), norm(2 * n * width), nn.ReLU()]
        cells += [MirroredResidual(4 * width) for _ in range(blocks)]
        for n in (4, 2):
            up = nn.Conv2dTranspose(
                n * width,
                n * width // 2,
                3,
                2,
                "pad",
                1,
                1,
                has_bias=True,
                weight_init=Normal(0.02),
            )
            cells += [up, norm(n * width // 2), nn.ReLU()]
        cells += [nn.ReflectionPad2d(3), conv(width, channels, 7), nn.Tanh()]
        self.model = nn.SequentialCell(cells)

    def construct(self, x):
        return self.model(x)


@register(cyclegan_discriminator={})
class CycleGANDiscriminator(nn.Cell):
    """How real each patch of 70×70 looks.

    Args:
        width (int): Default 64.
        channels (int): of the images. Default 3.

    Inputs:
        - **x** (Tensor[(N, channels, H, W), float])

    Outputs:
        Tensor[(N, 1, H / 8 - 2, W / 8 - 2)].

    Examples:
        >>> from minds import models, ops
        >>> models.cyclegan_discriminator(width=2)(ops.ones((1, 3, 32, 32))).shape
        (1, 1, 2, 2)
    """

    def __init__(self, width: int = 64, channels: int = 3):
        super().__init__()
        cells = [conv(channels, width, 4, 2, 1), nn.LeakyReLU(0.2)]
        for inputs, outputs, stride in ((1, 2, 2), (2, 4, 2), (4, 8, 1)):
            cells.append(conv(inputs * width, outputs * width, 4, stride, 1))
            cells += [norm(outputs * width), nn.LeakyReLU(0.2)]
        self.model = nn.SequentialCell(cells + [conv(8 * width, 1, 4, 1, 1)])

    def construct(self, x):
        return self.model(x)


class GeneratorsLoss(nn.Cell):
    """What both generators shall lower: the discriminators' doubt, by least squares, and how far an image
    is from itself behind both generators.

    Args:
        there (Cell), back (Cell): the generators.
        judge_a (Cell), judge_b (Cell): the discriminators of the first and the second kind.
        cycle (float): weight of the second part. Default 10.

    Inputs:
        - **a** (Tensor[(N, C, H, W), float]), **b** - images of both kinds.

    Outputs:
        Tensor, a scalar.

    Examples:
        >>> from minds import models, ops
        >>> from minds.models.generative.cyclegan import GeneratorsLoss
        >>> makers = [models.cyclegan_generator_6(width=2, blocks=1) for _ in range(2)]
        >>> judges = [models.cyclegan_discriminator(width=2) for _ in range(2)]
        >>> x = ops.ones((1, 3, 32, 32))
        >>> GeneratorsLoss(*makers, *judges)(x, x).shape
        ()
    """

    def __init__(self, there, back, judge_a, judge_b, cycle: float = 10.0):
        super().__init__()
        self.there, self.back, self.judge_a, self.judge_b = there, back, judge_a, judge_b
        self.cycle = cycle

    def construct(self, a, b):
        made_b, made_a = self.there(a), self.back(b)
        doubt = ops.mean((self.judge_b(made_b) - 1) ** 2) + ops.mean(
            (self.judge_a(made_a) - 1) ** 2
        )
        far = ops.mean(ops.abs(self.back(made_b) - a)) + ops.mean(ops.abs(self.there(made_a) - b))
        return doubt + self.cycle * far


def judges_loss(real, made):
    """What a discriminator shall lower, of what it says of real images and of made ones.

    Args:
        real (Tensor), made (Tensor): its results.

    Returns:
        Tensor: a scalar.

    Examples:
        >>> from minds import ops
        >>> from minds.models.generative.cyclegan import judges_loss
        >>> float(judges_loss(ops.ones((1, 1)), ops.zeros((1, 1))))
        0.0
    """
    return 0.5 * (ops.mean((real - 1) ** 2) + ops.mean(made**2))

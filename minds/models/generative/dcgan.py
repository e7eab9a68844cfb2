"""DCGAN (Radford et al., Unsupervised Representation Learning with Deep Convolutional Generative
Adversarial Networks, 2016).
"""

from __future__ import annotations

from ... import nn, ops
from ...common.initializer import Normal
from ..registry import register


def norm(channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, gamma_init=Normal(0.02, 1.0))


@register(dcgan_generator={})
class DCGANGenerator(nn.Cell):
    """Transposed convolutions from a random vector to an image in [-1, 1].

    Args:
        noise (int): size of the vector. Default 100.
        width (int): channels before the image. Default 64.
        channels (int): of the image. Default 3.
        size (int): of the image, a power of 2 from 16 on. Default 64.

    Inputs:
        - **z** (Tensor[(N, noise), float])

    Outputs:
        Tensor[(N, channels, size, size)].

    Examples:
        >>> from minds import models, ops
        >>> models.dcgan_generator(width=2, size=16)(ops.ones((2, 100))).shape
        (2, 3, 16, 16)
    """

    def __init__(self, noise: int = 100, width: int = 64, channels: int = 3, size: int = 64):
        super().__init__()
        grow, inputs, cells = size // 8, noise, []
        while grow >= 1:
            outputs = width * grow
            stride, mode, padding = (
                (1, "valid", 0) if inputs == noise and not cells else (2, "pad", 1)
            )
            cells += [grown(inputs, outputs, stride, mode, padding), norm(outputs), nn.ReLU()]
            inputs, grow = outputs, grow // 2
        self.main = nn.SequentialCell(cells + [grown(inputs, channels, 2, "pad", 1), nn.Tanh()])

    def construct(self, z):
        return self.main(ops.reshape(z, z.shape + (1, 1)))


def grown(inputs: int, outputs: int, stride: int, mode: str, padding: int) -> nn.Cell:
    return nn.Conv2dTranspose(inputs, outputs, 4, stride, mode, padding, weight_init=Normal(0.02))


@register(dcgan_discriminator={})
class DCGANDiscriminator(nn.Cell):
    """Convolutions from an image to the logit of its being real.

    Args:
        width (int): channels behind the first one. Default 64.
        channels (int): of the image. Default 3.
        size (int): of the image, a power of 2 from 16 on. Default 64.

    Inputs:
        - **x** (Tensor[(N, channels, size, size), float])

    Outputs:
        Tensor[(N,)].

    Examples:
        >>> from minds import models, ops
        >>> models.dcgan_discriminator(width=2, size=16)(ops.ones((2, 3, 16, 16))).shape
        (2,)
    """

    def __init__(self, width: int = 64, channels: int = 3, size: int = 64):
        super().__init__()
        cells = [shrunk(channels, width), nn.LeakyReLU(0.2)]
        inputs = width
        for _ in range(size.bit_length() - 4):
            cells += [shrunk(inputs, 2 * inputs), norm(2 * inputs), nn.LeakyReLU(0.2)]
            inputs *= 2
        last = nn.Conv2d(inputs, 1, 4, 1, "valid", weight_init=Normal(0.02))
        self.main = nn.SequentialCell(cells + [last])

    def construct(self, x):
        return ops.reshape(self.main(x), (-1,))


def shrunk(inputs: int, outputs: int) -> nn.Cell:
    return nn.Conv2d(inputs, outputs, 4, 2, "pad", 1, weight_init=Normal(0.02))


class DiscriminatorLoss(nn.Cell):
    """What the discriminator shall lower: how wrong it is of real images and of made ones.

    Inputs:
        - **real** (Tensor[(N, C, H, W), float])
        - **z** (Tensor[(N, noise), float]) - of which images are made.

    Outputs:
        Tensor, a scalar.

    Examples:
        >>> from minds import models, ops
        >>> from minds.models.generative.dcgan import DiscriminatorLoss
        >>> nets = models.dcgan_generator(width=2, size=16), models.dcgan_discriminator(width=2, size=16)
        >>> DiscriminatorLoss(*nets)(ops.ones((2, 3, 16, 16)), ops.ones((2, 100))).shape
        ()
    """

    def __init__(self, generator: nn.Cell, discriminator: nn.Cell):
        super().__init__()
        self.generator, self.discriminator = generator, discriminator

    def construct(self, real, z):
        made = ops.stop_gradient(self.generator(z))
        yes, no = self.discriminator(real), self.discriminator(made)
        return ops.mean(ops.softplus(-yes)) + ops.mean(ops.softplus(no))


class GeneratorLoss(nn.Cell):
    """What the generator shall lower: how little the discriminator takes its images for real ones.

    Inputs:
        - **z** (Tensor[(N, noise), float])

    Outputs:
        Tensor, a scalar.

    Examples:
        >>> from minds import models, ops
        >>> from minds.models.generative.dcgan import GeneratorLoss
        >>> nets = models.dcgan_generator(width=2, size=16), models.dcgan_discriminator(width=2, size=16)
        >>> GeneratorLoss(*nets)(ops.ones((2, 100))).shape
        ()
    """

    def __init__(self, generator: nn.Cell, discriminator: nn.Cell):
        super().__init__()
        self.generator, self.discriminator = generator, discriminator

    def construct(self, z):
        return ops.mean(ops.softplus(-self.discriminator(self.generator(z))))

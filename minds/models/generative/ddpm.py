"""Denoising diffusion (Ho et al., Denoising Diffusion Probabilistic Models, 2020)."""

from __future__ import annotations

import math

import numpy as np

from ... import nn, ops
from ...base import dtype as dt
from ...tensor import Tensor
from ..parts.attention import attend
from ..registry import register


def conv(inputs: int, outputs: int, size: int = 3, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(inputs, outputs, size, stride, "pad", size // 2, has_bias=True)


def norm(channels: int, groups: int) -> nn.GroupNorm:
    return nn.GroupNorm(groups, channels, eps=1e-6)


def time_waves(times, width: int):
    """Sines and cosines (N, width) of times (N,)."""
    half = width // 2
    speeds = ops.exp(ops.arange(half).astype(dt.float32) * (-math.log(10000) / (half - 1)))
    turns = ops.expand_dims(times.astype(dt.float32), -1) * speeds
    return ops.concat((ops.sin(turns), ops.cos(turns)), -1)


class DenoisingBlock(nn.Cell):
    """Two convolutions beside a shortcut; between them the time is added."""

    def __init__(self, inputs: int, outputs: int, time: int, groups: int, dropout: float):
        super().__init__()
        self.norm1, self.conv1 = norm(inputs, groups), conv(inputs, outputs)
        self.time_emb_proj = nn.Dense(time, outputs)
        self.norm2, self.conv2 = norm(outputs, groups), conv(outputs, outputs)
        self.dropout = nn.Dropout(p=dropout)
        self.conv_shortcut = conv(inputs, outputs, 1) if inputs != outputs else None

    def construct(self, x, time):
        y = (
            self.conv1(ops.silu(self.norm1(x)))
            + self.time_emb_proj(ops.silu(time))[..., None, None]
        )
        y = self.conv2(self.dropout(ops.silu(self.norm2(y))))
        return y + (x if self.conv_shortcut is None else self.conv_shortcut(x))


class PixelAttention(nn.Cell):
    """Attention of each pixel to all, beside a shortcut."""

    def __init__(self, channels: int, groups: int):
        super().__init__()
        self.group_norm = norm(channels, groups)
        self.to_q, self.to_k = nn.Dense(channels, channels), nn.Dense(channels, channels)
        self.to_v, self.to_out = nn.Dense(channels, channels), nn.Dense(channels, channels)

    def construct(self, x):
        n, c, h, w = x.shape
        y = ops.transpose(ops.reshape(self.group_norm(x), (n, 1, c, h * w)), (0, 1, 3, 2))
        y = self.to_out(attend(self.to_q(y), self.to_k(y), self.to_v(y)))
        return x + ops.reshape(ops.transpose(y, (0, 1, 3, 2)), (n, c, h, w))


class DenoisingStage(nn.Cell):
    """A block, and attention behind it where the image is small enough."""

    def __init__(self, inputs, outputs, time, groups, dropout, attends):
        super().__init__()
        self.resnet = DenoisingBlock(inputs, outputs, time, groups, dropout)
        self.attention = PixelAttention(outputs, groups) if attends else None

    def construct(self, x, time):
        x = self.resnet(x, time)
        return x if self.attention is None else self.attention(x)


@register(ddpm_cifar={})
class DenoisingUNet(nn.Cell):
    """A U-Net that tells the noise in an image, of which it knows how noisy it is.

    Args:
        channels (int): of the image. Default 3.
        width (int): Default 128.
        scales (tuple[int]): channels of each resolution, in widths. Default (1, 2, 2, 2).
        blocks (int): per resolution. Default 2.
        attends (tuple[int]): the resolutions, by their number, with attention. Default (1,).
        groups (int): of the norms. Default 32.
        dropout (float): Default 0.1.

    Inputs:
        - **x** (Tensor[(N, channels, H, W), float])
        - **times** (Tensor[(N,), int])

    Outputs:
        Tensor, as ``x``.

    Examples:
        >>> import minds as ms
        >>> from minds import models
        >>> net = models.ddpm_cifar(width=4, scales=(1, 2), groups=2)
        >>> net(ms.ops.ones((2, 3, 8, 8)), ms.Tensor([3, 7])).shape
        (2, 3, 8, 8)
    """

    def __init__(
        self,
        channels: int = 3,
        width: int = 128,
        scales: tuple = (1, 2, 2, 2),
        blocks: int = 2,
        attends: tuple = (1,),
        groups: int = 32,
        dropout: float = 0.1,
    ):
        super().__init__()
        self.width, self.blocks = width, blocks
        time = 4 * width
        self.time1, self.time2 = nn.Dense(width, time), nn.Dense(time, time)
        self.conv_in = conv(channels, width)
        sizes, inputs, down, shrink = [width], width, [], []
        for i, scale in enumerate(scales):
            for _ in range(blocks):
                down.append(
                    DenoisingStage(inputs, scale * width, time, groups, dropout, i in attends)
                )
                inputs = scale * width
                sizes.append(inputs)
            if i + 1 < len(scales):
                shrink.append(conv(inputs, inputs, 3, 2))
                sizes.append(inputs)
        self.down, self.shrink = nn.CellList(down), nn.CellList(shrink)
        self.mid1 = DenoisingStage(inputs, inputs, time, groups, dropout, True)
        self.mid2 = DenoisingBlock(inputs, inputs, time, groups, dropout)
        up, grow = [], []
        for i, scale in reversed(list(enumerate(scales))):
            for _ in range(blocks + 1):
                both = inputs + sizes.pop()
                up.append(DenoisingStage(both, scale * width, time, groups, dropout, i in attends))
                inputs = scale * width
            if i:
                grow.append(conv(inputs, inputs))
        self.up, self.grow = nn.CellList(up), nn.CellList(grow)
        self.norm_out, self.conv_out = norm(inputs, groups), conv(inputs, channels)

    def construct(self, x, times):
        time = self.time2(ops.silu(self.time1(time_waves(times, self.width))))
        x = self.conv_in(x)
        kept = [x]
        for i, stage in enumerate(self.down):
            x = stage(x, time)
            kept.append(x)
            if (i + 1) % self.blocks == 0 and i + 1 < len(self.down):
                x = self.shrink[i // self.blocks](x)
                kept.append(x)
        x = self.mid2(self.mid1(x, time), time)
        for i, stage in enumerate(self.up):
            x = stage(ops.concat((x, kept.pop()), 1), time)
            if (i + 1) % (self.blocks + 1) == 0 and i + 1 < len(self.up):
                doubled = ops.repeat_interleave(ops.repeat_interleave(x, 2, 2), 2, 3)
                x = self.grow[i // (self.blocks + 1)](doubled)
        return self.conv_out(ops.silu(self.norm_out(x)))


class Diffusion:
    """How noise is added to images in steps, and taken away again.

    Args:
        steps (int): Default 1000.
        first (float), last (float): variance that the first and the last step add, with even steps
            between. Default 1e-4 and 0.02.

    Examples:
        >>> import minds as ms
        >>> from minds import models
        >>> from minds.models.generative.ddpm import Diffusion
        >>> net = models.ddpm_cifar(width=4, scales=(1, 2), groups=2)
        >>> Diffusion(5).sample(net, (2, 3, 8, 8)).shape
        (2, 3, 8, 8)
    """

    def __init__(self, steps: int = 1000, first: float = 1e-4, last: float = 0.02):
        self.steps = steps
        self.betas = np.linspace(first, last, steps)
        self.left = np.cumprod(1 - self.betas)
        """The share of the image's variance that is left behind each step."""

    def noisy(self, images: np.ndarray, rng: np.random.Generator) -> tuple:
        """A training batch of images in [-1, 1]: noisy images, times, and the noise to be told.

        Args:
            images (numpy.ndarray): ``(N, C, H, W)``.
            rng (numpy.random.Generator): what is drawn from.

        Returns:
            tuple[Tensor, Tensor, Tensor]: the mean squared error of ``net(noisy, times)`` and the
            noise is the loss.
        """
        times = rng.integers(0, self.steps, len(images))
        noise = rng.standard_normal(images.shape)
        left = self.left[times].reshape(-1, 1, 1, 1)
        mixed = np.sqrt(left) * images + np.sqrt(1 - left) * noise
        return (
            Tensor(mixed.astype(np.float32)),
            Tensor(times.astype(np.int32)),
            Tensor(noise.astype(np.float32)),
        )

    def sample(self, net, shape: tuple, seed: int = 0, every: int = 1) -> np.ndarray:
        """Images made of noise alone.

        Args:
            net (Cell): tells the noise.
            shape (tuple[int]): ``(N, C, H, W)``.
            seed (int): of the noise. Default 0.
            every (int): steps that are taken at once, of those that training knows. Default 1.

        Returns:
            numpy.ndarray: in [-1, 1], of float32.
        """
        rng = np.random.default_rng(seed)
        x = rng.standard_normal(shape).astype(np.float32)
        times = list(range(self.steps - 1, -1, -every))
        for time, before in zip(times, [*times[1:], -1]):
            told = net(Tensor(x), Tensor(np.full(shape[0], time, np.int32))).asnumpy()
            x = self._less_noisy(
                x, told, self.left[time], self.left[before] if before >= 0 else 1.0, rng
            )
        return x

    @staticmethod
    def _less_noisy(x, noise, left, before, rng) -> np.ndarray:
        """From the share ``left`` of the image's variance to ``before``: the posterior, given the image
        that the noise leaves.
        """
        image = ((x - np.sqrt(1 - left) * noise) / np.sqrt(left)).clip(-1, 1)
        beta = 1 - left / before
        mean = (np.sqrt(before) * beta * image + np.sqrt(1 - beta) * (1 - before) * x) / (1 - left)
        spread = np.sqrt(beta * (1 - before) / (1 - left))
        return (mean + spread * rng.standard_normal(x.shape)).astype(np.float32)

"""Deep Speech 2 (Amodei et al., End-to-End Speech Recognition in English and Mandarin, 2015)."""

from __future__ import annotations

from ... import nn, ops
from ..registry import register


class Recurrent(nn.Cell):
    """A recurrent layer in both directions, whose results are added, behind a norm."""

    def __init__(self, inputs: int, hidden: int, normed: bool):
        super().__init__()
        self.norm = nn.BatchNorm1d(inputs) if normed else None
        self.rnn = nn.GRU(inputs, hidden, bidirectional=True)

    def construct(self, x):
        length, n, size = x.shape
        if self.norm is not None:
            x = ops.reshape(self.norm(ops.reshape(x, (length * n, size))), x.shape)
        out, _ = self.rnn(x)
        there, back = ops.chunk(out, 2, -1)
        return there + back


@register(deepspeech2={})
class DeepSpeech2(nn.Cell):
    """Convolutions over a spectrogram, recurrent layers in both directions, and a dense layer.

    Args:
        num_classes (int): symbols, of which 0 is the blank. Default 29.
        bins (int): frequencies. Default 161.
        hidden (int): of the recurrent layers. Default 800.
        layers (int): recurrent ones. Default 5.
        channels (int): of the convolutions. Default 32.

    Inputs:
        - **x** (Tensor[(N, bins, T), float])

    Outputs:
        Tensor[(N, ⌈T / 2⌉, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.deepspeech2(bins=20, hidden=4, layers=1, channels=2)(ops.ones((2, 20, 12))).shape
        (2, 6, 29)
    """

    def __init__(
        self,
        num_classes: int = 29,
        bins: int = 161,
        hidden: int = 800,
        layers: int = 5,
        channels: int = 32,
    ):
        super().__init__()
        self.conv1 = nn.Conv2d(1, channels, (41, 11), 2, "pad", (20, 20, 5, 5))
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, (21, 11), (2, 1), "pad", (10, 10, 5, 5))
        self.bn2 = nn.BatchNorm2d(channels)
        inputs = channels * (((bins + 1) // 2 + 1) // 2)
        self.rnns = nn.CellList(
            [Recurrent(hidden if i else inputs, hidden, i > 0) for i in range(layers)]
        )
        self.norm, self.head = nn.BatchNorm1d(hidden), nn.Dense(hidden, num_classes, has_bias=False)

    def construct(self, x):
        x = ops.clip(self.bn1(self.conv1(ops.expand_dims(x, 1))), 0, 20)
        x = ops.clip(self.bn2(self.conv2(x)), 0, 20)
        n, c, f, t = x.shape
        x = ops.transpose(ops.reshape(x, (n, c * f, t)), (2, 0, 1))
        for rnn in self.rnns:
            x = rnn(x)
        x = self.head(self.norm(ops.reshape(x, (t * n, -1))))
        return ops.transpose(ops.reshape(x, (t, n, -1)), (1, 0, 2))

"""LeNet-5 for grey images of digits (LeCun et al. 1998)."""

from __future__ import annotations

from ... import nn
from ..registry import register


@register(lenet5={})
class LeNet(nn.Cell):
    """Two convolutions with pooling, and three dense layers, for images of 32×32.

    Args:
        num_classes (int): logits. Default 10.
        in_channels (int): channels of the images. Default 1.

    Inputs:
        - **x** (Tensor[(N, in_channels, 32, 32), float])

    Outputs:
        Tensor[(N, num_classes)].

    Examples:
        >>> from minds import models, ops
        >>> models.lenet5()(ops.ones((2, 1, 32, 32))).shape
        (2, 10)
    """

    def __init__(self, num_classes: int = 10, in_channels: int = 1):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, 6, 5, pad_mode="valid", has_bias=True)
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True)
        self.pool = nn.MaxPool2d(2, 2)
        self.relu = nn.ReLU()
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(400, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, num_classes)

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.flatten(self.pool(self.relu(self.conv2(x))))
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))

"""ResNet for images, from cells: the network whose compile time is tested and measured.

Source: He et al., Deep Residual Learning for Image Recognition, 2015; the stride is in the 3×3
convolution.
"""

from __future__ import annotations

from minds import nn, ops


class Bottleneck(nn.Cell):
    """1×1, 3×3 and 1×1 convolutions with batch normalisation around a shortcut."""

    def __init__(self, inputs: int, width: int, stride: int):
        super().__init__()
        outputs = 4 * width
        self.conv1, self.bn1 = (
            nn.Conv2d(inputs, width, 1, weight_init="he_normal"),
            nn.BatchNorm2d(width),
        )
        self.conv2 = nn.Conv2d(width, width, 3, stride, "pad", 1, weight_init="he_normal")
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3, self.bn3 = (
            nn.Conv2d(width, outputs, 1, weight_init="he_normal"),
            nn.BatchNorm2d(outputs),
        )
        self.relu = nn.ReLU()
        self.shortcut = None
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.SequentialCell(
                nn.Conv2d(inputs, outputs, 1, stride, weight_init="he_normal"),
                nn.BatchNorm2d(outputs),
            )

    def construct(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        if self.shortcut is not None:
            x = self.shortcut(x)
        return self.relu(out + x)


class ResNet(nn.Cell):
    """A stem, four stages of bottlenecks, the mean over the image, and a dense layer."""

    def __init__(self, counts=(3, 4, 6, 3), classes: int = 1000, width: int = 64):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, 2, "pad", 3, weight_init="he_normal")
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU()
        self.max_pool = nn.MaxPool2d(3, 2, "pad", 1)
        stages, inputs = [], width
        for i, count in enumerate(counts):
            blocks = []
            for j in range(count):
                blocks.append(Bottleneck(inputs, width << i, 2 if j == 0 and i > 0 else 1))
                inputs = 4 * (width << i)
            stages.append(nn.SequentialCell(blocks))
        self.stages = nn.CellList(stages)
        self.head = nn.Dense(inputs, classes)

    def construct(self, x):
        x = self.max_pool(self.relu(self.bn1(self.conv1(x))))
        for stage in self.stages:
            x = stage(x)
        return self.head(ops.mean(x, (2, 3)))


def resnet50(classes: int = 1000) -> ResNet:
    """The network of 50 layers."""
    return ResNet((3, 4, 6, 3), classes)


def training_step(net: nn.Cell) -> nn.TrainOneStepCell:
    """The step of cross entropy and momentum with weight decay."""
    loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    opt = nn.Momentum(net.trainable_params(), 0.1, 0.9, weight_decay=1e-4)
    return nn.TrainOneStepCell(loss, opt).set_train()

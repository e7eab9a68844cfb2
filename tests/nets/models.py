"""Small networks that the tests train."""

from __future__ import annotations

from minds import nn, ops


class LeNet5(nn.Cell):
    """LeCun's network for 32×32 images, with relu and max pooling."""

    def __init__(self, classes: int = 10, channels: int = 1):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(16 * 5 * 5, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, classes)

    def construct(self, x):
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


def mlp(sizes=(20, 32, 16, 5)) -> nn.SequentialCell:
    """Dense layers with layer normalisation and gelu between them."""
    cells = []
    for a, b in zip(sizes[:-2], sizes[1:-1]):
        cells += [nn.Dense(a, b), nn.LayerNorm((b,)), nn.GELU()]
    return nn.SequentialCell(*cells, nn.Dense(*sizes[-2:]))


class SmallCNN(nn.Cell):
    """Two convolutions with batch normalisation, and dropout before the head."""

    def __init__(self, classes: int = 4):
        super().__init__()
        self.block1 = nn.SequentialCell(
            nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2, 2)
        )
        self.block2 = nn.SequentialCell(
            nn.Conv2d(8, 16, 3, has_bias=True), nn.BatchNorm2d(16), nn.ReLU(), nn.AvgPool2d(2, 2)
        )
        self.dropout = nn.Dropout(p=0.2)
        self.head = nn.Dense(16 * 2 * 2, classes)

    def construct(self, x):
        x = self.block2(self.block1(x))
        return self.head(self.dropout(ops.reshape(x, (x.shape[0], -1))))


class CharLSTM(nn.Cell):
    """An embedding, a recurrent layer, and a prediction from its last state."""

    def __init__(self, vocabulary: int = 11, hidden: int = 12):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 6)
        self.lstm = nn.LSTM(6, hidden, batch_first=True)
        self.head = nn.Dense(hidden, vocabulary)

    def construct(self, ids):
        out, _ = self.lstm(self.embedding(ids))
        return self.head(out[:, -1])

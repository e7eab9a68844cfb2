"""Small networks, with data and an optimiser each, for devices to train."""

from __future__ import annotations

import math

import numpy as np
from bert import Bert, MaskedLoss
from data import batches
from models import CharLSTM, LeNet5
from resnet import ResNet

import minds as ms
from minds import nn, ops


def classifier(make):
    def loss():
        return nn.WithLossCell(
            make(), nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        )

    return loss


def sequences(count):
    rng = np.random.RandomState(0)
    for _ in range(count):
        start = rng.randint(0, 11, (8, 1))
        ids = (start + np.arange(7)) % 11
        yield ids[:, :6].astype(np.int32), ids[:, 6].astype(np.int32)


def sentences(count):
    rng = np.random.RandomState(0)
    for _ in range(count):
        ids, segments = rng.randint(0, 20, (2, 2, 8)).astype(np.int32)
        counts = np.ones((2, 8), np.int32)
        counts[0, 6:] = 0
        labels = np.where(rng.rand(2, 8) < 0.3, ids, -100)
        yield ids, segments % 2, counts, labels.astype(np.int32)


class Block(nn.Cell):
    """Attention to what came before, and a dense part, each around a residual."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.norms = nn.CellList([nn.LayerNorm((width,)) for _ in range(2)])
        self.qkv, self.out = nn.Dense(width, 3 * width), nn.Dense(width, width)
        self.up, self.down = nn.Dense(width, 2 * width), nn.Dense(2 * width, width)
        self.dropout = nn.Dropout(p=0.1)

    def construct(self, x):
        n, length, width = x.shape
        parts = ops.split(self.qkv(self.norms[0](x)), width, -1)
        q, k, v = [p.reshape(n, length, self.heads, -1).swapaxes(1, 2) for p in parts]
        scores = ops.matmul(q, k.swapaxes(-1, -2)) / math.sqrt(width // self.heads)
        earlier = ops.tril(ops.ones((length, length), ms.float32)) > 0
        weights = self.dropout(ops.softmax(ops.where(earlier, scores, -1e9), -1))
        mixed = ops.matmul(weights, v).swapaxes(1, 2).reshape(n, length, width)
        x = x + self.out(mixed)
        return x + self.dropout(self.down(ops.gelu(self.up(self.norms[1](x)))))


class Gpt(nn.Cell):
    """A decoder of one block, which tells each next token; the table of tokens is the head, too."""

    def __init__(self, tokens: int = 11, width: int = 8, length: int = 6):
        super().__init__()
        self.tokens = nn.Embedding(tokens, width)
        self.places = nn.Embedding(length, width)
        self.block = Block(width, 2)
        self.norm = nn.LayerNorm((width,))

    def construct(self, ids):
        x = self.tokens(ids) + self.places(ops.arange(ids.shape[1]))
        x = self.norm(self.block(x))
        return ops.matmul(x, self.tokens.embedding_table.T)


class NextLoss(nn.Cell):
    """The cross entropy of the next tokens."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, ids, following):
        scores = self.net(ids)
        return ops.cross_entropy(scores.reshape(-1, scores.shape[-1]), following.reshape(-1))


def texts(count):
    rng = np.random.RandomState(0)
    for _ in range(count):
        ids = ((rng.randint(0, 11, (4, 1)) + np.arange(7)) % 11).astype(np.int32)
        yield ids[:, :-1], ids[:, 1:]


NETS = {
    "lenet": (
        classifier(LeNet5),
        lambda: batches(4, 8, (1, 32, 32), 10),
        lambda ps: nn.Adam(ps, 2e-3),
    ),
    "resnet": (
        classifier(lambda: ResNet((1, 1), 4, 8)),
        lambda: batches(3, 4, (3, 16, 16), 4),
        lambda ps: nn.SGD(ps, 0.01, 0.9, weight_decay=1e-4, nesterov=True),
    ),
    "bert": (
        lambda: MaskedLoss(Bert(20, 1, 8, 2, 16)),
        lambda: sentences(3),
        lambda ps: nn.AdamWeightDecay(ps, 0.01),
    ),
    "lstm": (classifier(CharLSTM), lambda: sequences(4), lambda ps: nn.Momentum(ps, 0.1, 0.9)),
    "gpt": (lambda: NextLoss(Gpt()), lambda: texts(4), lambda ps: nn.Lamb(ps, 0.02)),
}


def trained(name: str) -> tuple:
    """The losses of some steps of a network, and its parameters afterwards."""
    make, data, optimiser = NETS[name]
    ms.common.set_seed(3)
    net = make()
    step = nn.TrainOneStepCell(net, optimiser(net.trainable_params())).set_train()
    losses = [step(*map(ms.Tensor, batch)) for batch in data()]
    return losses, list(net.get_parameters())

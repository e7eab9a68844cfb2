"""Small networks train on the device with the CPU's losses, bit for bit, in both modes."""

import numpy as np
import pytest
from bert import Bert, MaskedLoss
from data import batches
from models import CharLSTM, LeNet5
from placed import MODES, assert_same
from resnet import ResNet

import minds as ms
from minds import nn


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
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NETS)
def test_trains_as_on_the_cpu(name, mode, device):
    make, data, optimiser = NETS[name]

    def run():
        ms.common.set_seed(3)
        net = make()
        step = nn.TrainOneStepCell(net, optimiser(net.trainable_params())).set_train()
        losses = [step(*map(ms.Tensor, batch)) for batch in data()]
        return losses, list(net.get_parameters())

    assert_same(run, device, MODES[mode])

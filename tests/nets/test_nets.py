"""Small networks trained in both modes: the loss curves are equal bit for bit, and fall."""

from __future__ import annotations

import json
import os
import sys

import numpy as np
import pytest

import minds as ms
from minds import nn

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from data import batches, first_values
from models import CharLSTM, LeNet5, SmallCNN, mlp
from resnet import ResNet, resnet50, training_step


def curve(make, data, optimiser, mode) -> tuple[list, list]:
    """Losses of all steps and the parameters after them."""
    ms.set_context(mode=mode)
    try:
        ms.common.set_seed(3)
        net = make()
        loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
        step = nn.TrainOneStepCell(loss, optimiser(net.trainable_params())).set_train()
        losses = [step(ms.Tensor(x), ms.Tensor(y)).asnumpy().item() for x, y in data]
        return losses, [np.array(p.asnumpy()) for p in net.get_parameters()]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def sequences(count=25):
    rng = np.random.RandomState(0)
    for _ in range(count):
        start = rng.randint(0, 11, (16, 1))
        ids = (start + np.arange(7)) % 11
        yield ids[:, :6].astype(np.int32), ids[:, 6].astype(np.int32)


CASES = {
    "lenet": (LeNet5, lambda: batches(30, 16, (1, 32, 32), 10), lambda ps: nn.Adam(ps, 2e-3)),
    "mlp": (
        mlp,
        lambda: batches(30, 32, (20,), 5),
        lambda ps: nn.AdamWeightDecay(ps, 0.01, weight_decay=0.01),
    ),
    "cnn": (
        SmallCNN,
        lambda: batches(20, 16, (1, 8, 8), 4),
        lambda ps: nn.Adam(ps, nn.CosineDecayLR(1e-3, 1e-2, 20)),
    ),
    "lstm": (CharLSTM, sequences, lambda ps: nn.Adam(ps, 0.02)),
    "resnet": (
        lambda: ResNet((1, 1), 4, 8),
        lambda: batches(20, 8, (3, 16, 16), 4),
        lambda ps: nn.SGD(ps, 0.01, 0.9, weight_decay=1e-4, nesterov=True),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_graph_as_eager(name):
    make, data, optimiser = CASES[name]
    eager, eager_params = curve(make, data(), optimiser, ms.PYNATIVE_MODE)
    graph, graph_params = curve(make, data(), optimiser, ms.GRAPH_MODE)
    assert graph == eager
    for a, b in zip(graph_params, eager_params):
        np.testing.assert_array_equal(a, b)
    third = len(eager) // 3
    assert np.mean(eager[-third:]) < 0.8 * np.mean(eager[:third])


def test_lenet_as_torch():
    """200 steps of Momentum from the same weights on the same data: the losses recorded from torch,
    to 1e-3.
    """
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "lenet_torch.json")) as f:
        wanted = json.load(f)
    net = LeNet5()
    for i, p in enumerate(net.get_parameters()):
        p.set_data(ms.Tensor(first_values(i, p.shape)))
    loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
    step = nn.TrainOneStepCell(loss, nn.Momentum(net.trainable_params(), 0.01, 0.9)).set_train()
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        losses = [
            float(step(ms.Tensor(x), ms.Tensor(y))) for x, y in batches(200, 32, (1, 32, 32), 10)
        ]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    np.testing.assert_allclose(losses, wanted, rtol=1e-3)


def test_resnet50_has_its_parameters():
    net = resnet50()
    assert sum(p.size for p in net.trainable_params()) == 25_557_032
    assert len(net.trainable_params()) == 161 and len(net.untrainable_params()) == 106


def test_resnet50_compiles():
    """The whole training step becomes a program."""
    step = training_step(resnet50(10))
    step.compile(ms.Tensor(np.zeros((2, 3, 64, 64), np.float32)), ms.Tensor(np.zeros(2, np.int32)))

"""Sink mode on a device: the bits of single steps, batches that are copied while steps run."""

import numpy as np
import pytest
from placed import on

import minds as ms
from minds import _core, nn, train
from minds.dataset import NumpySlicesDataset
from minds.jit.program import Program


def weights(epochs, **options):
    x = np.random.default_rng(0).standard_normal((44, 16)).astype(np.float32)
    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(16, 32), nn.ReLU(), nn.Dense(32, 1))
    data = NumpySlicesDataset((x, x.sum(1, keepdims=True)), ["x", "y"], shuffle=False)
    model = train.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.01, 0.9))
    model.train(epochs, data.batch(8), **options)
    return [p.asnumpy().tobytes() for p in net.get_parameters()]


def test_the_same_as_single_steps(device):
    """In graph mode: in PyNative mode steps are single ones anyway."""
    with on(device, ms.GRAPH_MODE):
        wanted = weights(4)
        assert weights(4, dataset_sink_mode=True) == wanted
        assert weights(8, dataset_sink_mode=True, sink_size=3) == wanted


def test_batches_are_copied_ahead(device, monkeypatch):
    """All but the first of an epoch come with copies of their own lane."""
    put = []
    feed = _core.Feed

    class Noted:
        def __init__(self, capacity):
            self.feed = feed(capacity)

        def put(self, arrays, copies):
            put.append((copies is not None, {a.device.label for a in arrays}))
            return self.feed.put(arrays, copies)

        def end(self):
            self.feed.end()

    sink = Program.sink
    monkeypatch.setattr("minds._core.Feed", Noted)
    monkeypatch.setattr(Program, "sink", lambda self, f, rest: sink(self, f.feed, rest))
    with on(device, ms.GRAPH_MODE):
        weights(2, dataset_sink_mode=True)
    assert len(put) == 12 and all(labels == {f"{device}:0"} for _, labels in put)
    assert sum(ahead for ahead, _ in put) >= 6


def test_a_row_at_fault_is_named_after_the_sink(device):
    class Picks(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(np.ones(4, np.float32))

        def construct(self, i):
            return self.w[i].sum()

    with on(device, ms.GRAPH_MODE):
        net = Picks()
        model = train.Model(net, None, nn.SGD(net.trainable_params(), 0.1))
        rows = NumpySlicesDataset(np.array([0, 1, 9, 2], np.int32), shuffle=False).batch(1)
        with pytest.raises(IndexError):
            model.train(1, rows, dataset_sink_mode=True)
            ms.hal.synchronize()

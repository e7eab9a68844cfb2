"""Batches are copied to the device while the step before them runs."""

import time

import numpy as np
import pytest
from placed import MODES, assert_same, on, simulated

import minds as ms
from minds import _core, nn, train
from minds.dataset import NumpySlicesDataset


def batches(rows: int = 40, batch: int = 8, epochs: int = 2, **options):
    x = np.random.default_rng(0).standard_normal((rows, 16)).astype(np.float32)
    y = np.arange(rows, dtype=np.int32)
    data = NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(batch)
    return x, y, data.create_tuple_iterator(num_epochs=epochs, **options)


def test_all_rows_arrive(device):
    with on(device):
        x, y, rows = batches()
        for _ in range(2):
            found = [(a.asnumpy(), b.asnumpy()) for a, b in rows]
            np.testing.assert_array_equal(np.concatenate([a for a, _ in found]), x)
            np.testing.assert_array_equal(np.concatenate([b for _, b in found]), y)


@simulated  # whose commands take their time
def test_a_copy_runs_beside_the_step(device):
    with on(device):
        x, _, rows = batches()
        while len(rows._channel._items) < 2:  # by the thread behind the iterator
            time.sleep(0.001)
        next(rows)
        sent = rows._next[1]
        w = ms.Tensor(np.ones((300, 300), np.float32))
        for _ in range(100):
            w = w + 1
        while not sent.copies.done():
            pass
        assert not _core.current_stream(sent.device).idle()
        np.testing.assert_array_equal(next(rows)[0].asnumpy(), x[8:16])
        w.asnumpy()


def test_a_device_that_changes_between_two_rows(device):
    with on(device):
        x, _, rows = batches()
        first, _ = next(rows)
        with on("CPU"):
            second, _ = next(rows)
        third, _ = next(rows)
    own = f"{device}:0"
    assert (first.device, second.device, third.device) == (own, "CPU", own)
    for t, at in ((first, 0), (second, 8), (third, 16)):
        np.testing.assert_array_equal(t.asnumpy(), x[at : at + 8])


@pytest.mark.parametrize("mode", MODES)
def test_training_is_the_same(mode, device):
    x = np.random.default_rng(0).standard_normal((40, 16)).astype(np.float32)

    def losses():
        ms.common.set_seed(1)
        net = nn.SequentialCell(nn.Dense(16, 32), nn.ReLU(), nn.Dense(32, 1))
        data = NumpySlicesDataset((x, x.sum(1, keepdims=True)), ["x", "y"], shuffle=False)
        seen = []

        class Collect(train.Callback):
            def on_train_step_end(self, run):
                seen.append(float(run.original_args().net_outputs))

        model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01))
        model.train(3, data.batch(8), Collect(), dataset_sink_mode=True)
        assert seen[-1] < seen[0]
        return seen

    assert_same(losses, device, MODES[mode])


def test_errors_come_with_their_row(device):
    def source():
        yield (np.zeros(3, np.float32),)
        yield (np.ones(3, np.float32),)
        raise KeyError("the third")

    with on(device):
        rows = ms.dataset.GeneratorDataset(source, ["x"]).create_tuple_iterator(num_epochs=1)
        assert float(next(rows)[0].sum()) == 0
        assert float(next(rows)[0].sum()) == 3
        with pytest.raises(Exception, match="the third"):
            next(rows)
        rows.stop()

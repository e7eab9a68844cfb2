"""Sink mode: steps in the core from a queue of batches, with the numbers of steps one by one."""

import threading

import numpy as np
import pytest

import minds as ms
from minds import nn, ops, train
from minds.dataset import GeneratorDataset, NumpySlicesDataset
from minds.train.sinking import _Feeder

MODES = {"graph": ms.GRAPH_MODE, "eager": ms.PYNATIVE_MODE}


@pytest.fixture(params=MODES)
def mode(request):
    before = ms.get_context("mode")
    ms.set_context(mode=MODES[request.param])
    yield request.param
    ms.set_context(mode=before)


@pytest.fixture
def graph():
    before = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=before)


def data(rows=44, batch=8, shuffle=False):
    x = np.random.default_rng(0).standard_normal((rows, 6)).astype(np.float32)
    y = x.sum(1, keepdims=True)
    return NumpySlicesDataset((x, y), ["x", "y"], shuffle=shuffle).batch(batch)


def model(loss=None):
    ms.set_seed(4)
    net = nn.SequentialCell(nn.Dense(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dense(16, 1))
    made = train.Model(net, loss or nn.MSELoss(), nn.Adam(net.trainable_params(), 0.01))
    return made, net


def trained(epochs, callbacks=None, **options):
    made, net = model()
    made.train(epochs, data(), callbacks, **options)
    return [p.asnumpy().tobytes() for p in made.train_network.get_parameters()]


class Epochs(train.Callback):
    """What is seen at the end of each epoch."""

    def __init__(self):
        self.seen = []

    def on_train_epoch_end(self, run):
        c = run.original_args()
        self.seen.append((c.cur_epoch_num, c.cur_step_num, float(c.net_outputs)))


class Steps(Epochs):
    def on_train_step_end(self, run):
        self.on_train_epoch_end(run)


def test_an_epoch_is_the_same(mode):
    """The last batch is smaller than the others."""
    one, sunk = Epochs(), Epochs()
    assert trained(3, one) == trained(3, sunk, dataset_sink_mode=True)
    assert one.seen == sunk.seen and len(sunk.seen) == 3


def test_a_callback_for_steps_is_called_in_each(mode):
    one, sunk = Steps(), Steps()
    assert trained(2, one) == trained(2, sunk, dataset_sink_mode=True)
    assert one.seen == sunk.seen and len(sunk.seen) == 2 * 6 + 2


def test_epochs_of_some_steps(mode):
    """Twelve steps of six batches per epoch of the dataset are two of these."""
    seen = Steps()
    found = trained(4, seen, dataset_sink_mode=True, sink_size=3)
    assert found == trained(2)
    assert [row[:2] for row in seen.seen] == [(k, 3 * k) for k in (1, 1, 2, 2, 3, 3, 4, 4)[::1]]
    assert trained(3, dataset_sink_mode=True, sink_size=10) == trained(5)


def test_no_python_runs_between_steps(graph, monkeypatch):
    """The cell is called for none of the six batches."""
    made, net = model()
    calls = []
    called = type(made.train_network).__call__
    monkeypatch.setattr(
        type(made.train_network),
        "__call__",
        lambda self, *row: calls.append(row) or called(self, *row),
    )
    made.train(2, data(), dataset_sink_mode=True)
    assert not calls
    made.train(1, data())
    assert len(calls) == 6


def test_one_feeder_lives_as_long_as_its_batches(graph):
    trained(2, dataset_sink_mode=True)
    assert not [t for t in threading.enumerate() if isinstance(t, _Feeder)]


def test_an_error_of_the_dataset(mode):
    def rows():
        for k in range(5):
            if k == 3:
                raise KeyError("the fourth")
            yield np.ones(6, np.float32), np.ones(1, np.float32)

    made, _ = model()
    source = GeneratorDataset(rows, ["x", "y"], num_samples=5).batch(1)
    with pytest.raises(Exception, match="the fourth"):
        made.train(1, source, dataset_sink_mode=True)
    made.train(1, data(), dataset_sink_mode=True)  # nothing is left of it


def test_an_error_of_a_step(mode):
    """It names the line, and the thread that feeds ends."""

    class Picks(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(np.ones(4, np.float32))

        def construct(self, i):
            return self.w[i].sum()

    net = Picks()
    made = train.Model(net, None, nn.SGD(net.trainable_params(), 0.1))
    source = NumpySlicesDataset(np.array([0, 1, 9, 2], np.int32), shuffle=False).batch(1)
    with pytest.raises(IndexError) as e:
        made.train(1, source, dataset_sink_mode=True)
    assert "self.w[i].sum()" in str(e.value) or "out of" in str(e.value)
    assert not [t for t in threading.enumerate() if isinstance(t, _Feeder)]
    assert np.isfinite(net.w.asnumpy()).all()


def test_what_python_must_do_in_each_step_is_done(graph):
    """A list that a cell changes, and a hook."""

    class Counts(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(np.ones(6, np.float32))
            self.seen = []

        def construct(self, x, y):
            self.seen.append(x.sum())
            return ((x * self.w).sum(1, keepdims=True) - y).square().mean()

    net = Counts()
    made = train.Model(net, None, nn.SGD(net.trainable_params(), 0.1))
    made.train(1, data(), dataset_sink_mode=True)
    assert len(net.seen) == 6


def test_a_stopped_training_goes_on_as_it_would_have(graph, tmp_path):
    file = str(tmp_path / "state")

    class Save(train.Callback):
        def on_train_epoch_end(self, run):
            if run.original_args().cur_epoch_num == 2:
                train.save_state(file, run.original_args())

    wanted = trained(4, dataset_sink_mode=True)
    made, _ = model()
    made.train(2, data(), dataset_sink_mode=True)
    half = [p.asnumpy().tobytes() for p in made.train_network.get_parameters()]
    made.train(4, data(), dataset_sink_mode=True, initial_epoch=2)
    assert half != [p.asnumpy().tobytes() for p in made.train_network.get_parameters()] == wanted


def test_fit_evaluates_between_sinks(mode):
    losses = []

    class Note(train.Callback):
        def on_eval_end(self, run):
            losses.append(run.original_args().eval_results["mse"])

    ms.set_seed(4)
    net = nn.Dense(6, 1)
    made = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.05), {"mse"})
    made.fit(3, data(), data(), callbacks=Note(), dataset_sink_mode=True)
    assert losses == sorted(losses, reverse=True) and len(losses) == 3


# ---- data_sink


def test_data_sink_takes_the_rows_in_order(mode):
    source = NumpySlicesDataset(np.arange(5, dtype=np.float32), shuffle=False)
    for size in (1, 2, 5, 7):
        step = ms.data_sink(lambda x: x * 2, source, sink_size=size)
        found = [float(step()) for _ in range(4)]
        assert found == [2.0 * ((size * k - 1) % 5) for k in range(1, 5)]


def test_data_sink_trains(mode):
    def losses(make):
        made, net = model()
        loss, optimizer = nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.01, 0.9)
        gradient = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)

        def step(x, y):
            value, grads = gradient(x, y)
            optimizer(grads)
            return value

        return make(step)

    def one_by_one(step):
        step = ms.jit(step)
        for row in data().create_tuple_iterator(num_epochs=2):
            last = step(*row)
        return float(last)

    def sunk(step):
        return float(ms.data_sink(step, data(), 6, jit_config=ms.JitConfig())())

    assert losses(one_by_one) == losses(sunk)


@pytest.mark.parametrize(
    "args, error",
    [
        ((3, data()), TypeError),
        ((abs, [1]), TypeError),
        ((abs, data(), 0), ValueError),
        ((abs, data(), 1.0), TypeError),
    ],
)
def test_data_sink_refuses(args, error):
    with pytest.raises(error, match="data_sink"):
        ms.data_sink(*args)


def test_sizes_that_are_none():
    for size, error in ((0, ValueError), (-2, ValueError), (True, TypeError), ("3", TypeError)):
        with pytest.raises(error, match="sink_size"):
            trained(1, dataset_sink_mode=True, sink_size=size)
        with pytest.raises(error, match="sink_size"):
            trained(1, dataset_sink_mode=False, sink_size=size)
    with pytest.raises(ValueError, match="resume is given"):
        trained(1, dataset_sink_mode=True, sink_size=3, resume="file")


def test_random_numbers_are_those_of_single_steps(graph):
    class Drops(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense, self.dropout = nn.Dense(6, 1), nn.Dropout(p=0.5)

        def construct(self, x, y):
            return ops.square(self.dense(self.dropout(x)) - y).mean()

    def weights(**options):
        ms.set_seed(4)
        net = Drops()
        made = train.Model(net, None, nn.SGD(net.trainable_params(), 0.1))
        made.train(2, data(), **options)
        return net.dense.weight.asnumpy().tobytes()

    assert weights() == weights(dataset_sink_mode=True)

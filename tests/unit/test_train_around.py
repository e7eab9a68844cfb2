"""What is around an optimizer or a training: accumulated and clipped gradients, averaged weights, the search
for a rate, the progress bar, counts of operations, loops in sink mode.
"""

import io
import re
import time

import numpy as np
import pytest

import minds as ms
import minds.dataset as ds
from minds import nn, ops, train
from minds.train import callback

BOTH = pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])


@pytest.fixture(autouse=True)
def _default_mode():
    before = ms.get_context("mode")
    yield
    ms.set_context(mode=before)


X = np.random.default_rng(3).normal(size=(32, 3)).astype(np.float32)
Y = (X @ np.array([[1.0], [-2.0], [0.5]])).astype(np.float32)


def _data(batch, n=32):
    return ds.NumpySlicesDataset((X[:n], Y[:n]), ["x", "y"], shuffle=False).batch(batch)


def _net():
    net = nn.Dense(3, 1, "zeros", "zeros")
    return net


def _weights(net):
    return np.concatenate([p.asnumpy().ravel() for p in net.trainable_params()])


def _trained(make, batch, epochs=1, mode=ms.GRAPH_MODE, callbacks=None, **options):
    ms.set_context(mode=mode)
    net = _net()
    optimizer = make(net.trainable_params())
    train.Model(net, nn.MSELoss(), optimizer, **options).train(epochs, _data(batch), callbacks)
    return net, optimizer


@BOTH
@pytest.mark.parametrize("steps", [1, 2, 4])
def test_accumulating_is_a_larger_batch(steps, mode):
    large, _ = _trained(lambda p: nn.Momentum(p, 0.1, 0.9), 8, mode=mode)
    small, optimizer = _trained(
        lambda p: train.GradientAccumulation(nn.Momentum(p, 0.1, 0.9), steps), 8 // steps, mode=mode
    )
    np.testing.assert_allclose(_weights(small), _weights(large), rtol=2e-6)
    assert optimizer.count == 0


def test_accumulated_sums_are_saved_and_loaded(tmp_path):
    net, optimizer = _trained(lambda p: train.GradientAccumulation(nn.SGD(p, 0.1), 3), 8)
    assert optimizer.count == 1
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    ms.save_checkpoint(step, str(tmp_path / "a.ckpt"))
    names = set(ms.load_checkpoint(str(tmp_path / "a.ckpt")))
    assert {"accumulated_steps", "accumulated.weight", "accumulated.bias"} <= names


def _gradients():
    rng = np.random.default_rng(5)
    return [rng.normal(size=s).astype(np.float32) for s in ((3, 2), (4,))]


def _clipped(**limits):
    gs = _gradients()
    params = [ms.Parameter(ms.Tensor(np.zeros_like(g)), name=f"p{i}") for i, g in enumerate(gs)]
    train.ClippedGradients(nn.SGD(params, 1.0), **limits)(tuple(map(ms.Tensor, gs)))
    return [-p.asnumpy() for p in params]


@BOTH
def test_clipping(mode):
    ms.set_context(mode=mode)
    gs = _gradients()
    for got, g in zip(_clipped(value=0.3), gs):
        np.testing.assert_allclose(got, np.clip(g, -0.3, 0.3))
    for got, g in zip(_clipped(norm=1.0), gs):
        np.testing.assert_allclose(got, g / max(np.linalg.norm(g), 1), rtol=1e-6)
    whole = np.sqrt(sum((g**2).sum() for g in gs))
    for got, g in zip(_clipped(global_norm=1.0), gs):
        np.testing.assert_allclose(got, g / whole, rtol=1e-6)
    for got, g in zip(_clipped(global_norm=100.0), gs):
        np.testing.assert_allclose(got, g, rtol=1e-6)


def test_clipping_in_half_precision_keeps_zero_gradients():
    p = ms.Parameter(ms.Tensor(np.ones(2, np.float32)), name="p")
    train.ClippedGradients(nn.SGD([p], 1.0), norm=1.0)((ms.Tensor(np.zeros(2, np.float32)),))
    assert p.asnumpy().tolist() == [1, 1]


@BOTH
@pytest.mark.parametrize("warmup", [False, True])
def test_averages(warmup, mode):
    seen = []
    watch = train.LambdaCallback(
        on_train_step_end=lambda run: seen.append(_weights(run.original_args().network))
    )
    net, optimizer = _trained(
        lambda p: train.AveragedWeights(nn.SGD(p, 0.1), 0.9, warmup), 4, 2, mode, watch
    )
    expected = np.zeros(4)
    for n, w in enumerate(seen, 1):
        d = min((1 + n) / (10 + n), 0.9) if warmup else 0.9
        expected = d * expected + (1 - d) * w
    last = _weights(net)
    optimizer.swap()
    np.testing.assert_allclose(_weights(net), expected, rtol=1e-5)
    optimizer.swap()
    np.testing.assert_array_equal(_weights(net), last)


def test_evaluations_see_the_averages():
    net = _net()
    optimizer = train.AveragedWeights(nn.SGD(net.trainable_params(), 0.1), 0.5)
    model = train.Model(net, nn.MSELoss(), optimizer, metrics={"mse"})
    errors = []
    watch = train.LambdaCallback(
        on_eval_step_end=lambda run: errors.append(_weights(net)),
    )
    model.fit(1, _data(8), _data(32), callbacks=[train.EvaluateAverages(optimizer), watch])
    np.testing.assert_allclose(errors[0], _weights(net))  # kept at the end
    optimizer.swap()
    assert abs(errors[0] - _weights(net)).max() > 1e-3


def test_around_one_another_with_loss_scale():
    def make(p):
        inner = train.ClippedGradients(nn.Adam(p, 0.05), global_norm=1.0)
        return train.AveragedWeights(train.GradientAccumulation(inner, 2), 0.9)

    scale = ms.amp.FixedLossScaleManager(8.0, drop_overflow_update=False)
    net, optimizer = _trained(make, 4, 30, loss_scale_manager=scale)
    np.testing.assert_allclose(_weights(net)[:3], [1, -2, 0.5], atol=0.1)
    assert float(optimizer.get_lr()) == pytest.approx(0.05)


@pytest.mark.parametrize(
    "make, kind, said",
    [
        (lambda o: train.GradientAccumulation(o, 0), ValueError, "steps is 0"),
        (lambda o: train.GradientAccumulation(o, 1.5), TypeError, "steps is 1.5"),
        (lambda o: train.GradientAccumulation(nn.ReLU(), 2), TypeError, "has type ReLU"),
        (lambda o: train.ClippedGradients(o), ValueError, "no limit is given"),
        (lambda o: train.ClippedGradients(o, norm=0), ValueError, "norm is 0"),
        (lambda o: train.AveragedWeights(o, 1.5), ValueError, "decay is 1.5"),
        (lambda o: train.EvaluateAverages(o), TypeError, "has type SGD"),
    ],
)
def test_what_is_refused(make, kind, said):
    with pytest.raises(kind, match=said):
        make(nn.SGD(_net().trainable_params(), 0.1))


# ---- the search for a rate


def test_the_found_rate_trains():
    net = _net()
    model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    before = _weights(net)
    found = train.find_learning_rate(model, _data(8), 1e-4, 10.0, 80)
    np.testing.assert_array_equal(_weights(net), before)
    assert float(model._optimizer.get_lr()) == pytest.approx(0.1)
    # A quadratic loss: beyond 2 / its largest curvature the loss grows.
    steepest = np.linalg.eigvalsh(2 * X.T @ X / len(X)).max()
    assert found.rates[-1] > 1 / steepest > found.rate > 1e-3
    assert len(found.rates) == len(found.losses) < 80
    ratios = np.diff(np.log(found.rates))
    np.testing.assert_allclose(ratios, np.log(1e5) / 79, rtol=1e-6)


def test_the_first_means_are_no_fall():
    """What differs from batch to batch is more than small rates change."""
    noisy = np.random.default_rng(3).standard_normal((24, 3)).astype(np.float32)
    target = noisy.sum(1, keepdims=True) + 3
    data = ds.NumpySlicesDataset((noisy, target), ["x", "y"], shuffle=False).batch(3)
    net = _net()
    model = train.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 0.1))
    assert train.find_learning_rate(model, data).rate > 1e-3


def test_rates_that_do_not_grow():
    net = _net()
    model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    with pytest.raises(ValueError, match="0 < low < high"):
        train.find_learning_rate(model, _data(8), 1.0, 0.1)
    with pytest.raises(ValueError, match="3 to 100000 steps"):
        train.find_learning_rate(model, _data(8), steps=10**9)


# ---- progress


def test_progress_of_each_epoch():
    net, out = _net(), io.StringIO()
    model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    model.train(2, _data(8), train.ProgressBar(file=out))
    lines = out.getvalue().splitlines()
    form = r"epoch {}/2 █{{20}} 4/4, \S+ steps/s, \S+ rows/s, left {}, data wait \d+%, loss \S+"
    assert re.fullmatch(form.format(1, r"0:\d\d"), lines[0])
    assert re.fullmatch(form.format(2, "0:00"), lines[1]) and len(lines) == 2


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_on_a_terminal_is_written_over():
    net, out = _net(), _Terminal()
    model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    model.train(1, _data(8), train.ProgressBar(every=0, file=out))
    assert out.getvalue().count("\n") == 1 and out.getvalue().count("\r") == 5


def test_progress_says_when_data_is_late():
    def late():
        for x, y in zip(X, Y):
            time.sleep(0.01)
            yield x, y

    net, out = _net(), io.StringIO()
    model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    data = ds.GeneratorDataset(late, ["x", "y"]).batch(4)
    model.train(2, data, train.ProgressBar(file=out))
    assert int(re.search(r"data wait (\d+)%", out.getvalue().splitlines()[1])[1]) > 60


@pytest.mark.parametrize(
    "part, shown", [(0, "    "), (1, "████"), (0.5, "██  "), (0.28125, "█▏  "), (2, "████")]
)
def test_bars(part, shown):
    assert callback.progress.bar(part, 4) == shown


@pytest.mark.parametrize("seconds, shown", [(0, "0:00"), (61.4, "1:01"), (3600, "1:00:00")])
def test_durations(seconds, shown):
    assert callback.progress.duration(seconds) == shown


# ---- operations


def _flops(net, loss, inputs, capsys):
    ms.set_context(mode=ms.GRAPH_MODE)
    data = ds.NumpySlicesDataset(inputs, shuffle=False).batch(len(inputs[0]))
    model = train.Model(net, loss, nn.SGD(net.trainable_params(), 0.1))
    model.train(1, data, train.FlopsUtilizationCollector(2, computility=1e9))
    return int(re.search(r"Shard model flops is (\d+)", capsys.readouterr().out)[1])


def test_operations_of_a_product(capsys):
    x, y = np.ones((32, 10), np.float32), np.ones((32, 5), np.float32)
    assert _flops(nn.Dense(10, 5), nn.MSELoss(), (x, y), capsys) == 2 * 2 * 32 * 10 * 5


def test_operations_of_convolutions(capsys):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first = nn.Conv2d(3, 4, 3, pad_mode="valid")
            self.second = nn.Conv2d(4, 2, 3, pad_mode="valid", group=2)

        def construct(self, x):
            return self.second(self.first(x)).mean((1, 2, 3))

    x, y = np.ones((2, 3, 8, 8), np.float32), np.ones(2, np.float32)
    first, second = 2 * 2 * 4 * 6 * 6 * 3 * 9, 2 * 2 * 2 * 4 * 4 * 2 * 9
    # Each forward and for its weights; the second also for its images.
    assert _flops(Net(), nn.MSELoss(), (x, y), capsys) == 2 * first + 3 * second


def test_operations_need_a_compiled_network():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = _net()
    model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    with pytest.raises(ValueError, match="no compiled program ran"):
        model.train(1, _data(8), train.FlopsUtilizationCollector(4))


# ---- sink mode by hand


@BOTH
def test_a_connected_network_takes_rows(mode):
    ms.set_context(mode=mode)
    one, two = _net(), _net()
    steps = [
        nn.TrainOneStepCell(nn.WithLossCell(n, nn.MSELoss()), nn.SGD(n.trainable_params(), 0.1))
        for n in (one, two)
    ]
    helper = train.DatasetHelper(_data(8), dataset_sink_mode=True, sink_size=2)
    connected = train.connect_network_with_dataset(steps[0], helper)
    for _ in range(4):
        for inputs in helper:
            loss = connected(*inputs)
    assert helper.sink_size() == (2 if mode == ms.GRAPH_MODE else 1)
    for _ in range(2):
        for x, y in _data(8):
            expected = steps[1](x, y)
    np.testing.assert_array_equal(loss.asnumpy(), expected.asnumpy())
    np.testing.assert_array_equal(_weights(one), _weights(two))
    helper.release()


def test_a_helper_without_sink_mode():
    helper = train.DatasetHelper(_data(8), dataset_sink_mode=False, epoch_num=1)
    assert [tuple(x.shape) for x, _ in helper] == [(8, 3)] * 4
    assert helper.types_shapes()[1] == [[8, 3], [8, 1]]
    with pytest.raises(RuntimeError, match="not in sink mode"):
        train.connect_network_with_dataset(nn.ReLU(), helper)


def test_helpers_refuse():
    with pytest.raises(TypeError, match="has type list"):
        train.DatasetHelper([1])
    with pytest.raises(ValueError, match="sink_size is 0"):
        train.DatasetHelper(_data(8), True, 0)
    helper = train.DatasetHelper(_data(8))
    train.connect_network_with_dataset(nn.ReLU(), helper)
    with pytest.raises(ValueError, match="another network"):
        train.connect_network_with_dataset(nn.ReLU(), helper)

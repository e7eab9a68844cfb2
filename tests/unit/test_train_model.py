"""`Model`: its loops against the same loops written out, hooks in order, and what is refused."""

import numpy as np
import pytest

import minds as ms
import minds.dataset as ds
from minds import nn, train

RNG = np.random.default_rng(0)
X = RNG.random((20, 4)).astype(np.float32)
Y = RNG.integers(0, 3, 20).astype(np.int32)


def data(n=20, batch=5):
    return ds.NumpySlicesDataset((X[:n], Y[:n]), ["x", "y"], shuffle=False).batch(batch)


def cross_entropy():
    return nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


def make(metrics=("accuracy", "loss"), **kwargs):
    ms.set_seed(1)
    net = nn.Dense(4, 3)
    return net, train.Model(
        net,
        cross_entropy(),
        nn.Momentum(net.trainable_params(), 0.1, 0.9),
        metrics=set(metrics),
        **kwargs,
    )


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"], autouse=True)
def mode(request):
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=before)


def softmax(z):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def reference(weight, bias, epochs):
    """Momentum on softmax regression in float64: the losses of all steps and the final
    parameters.
    """
    weight, bias, losses = weight.astype(np.float64), bias.astype(np.float64), []
    moments = [np.zeros_like(weight), np.zeros_like(bias)]
    for _ in range(epochs):
        for i in range(0, 20, 5):
            x, y = X[i : i + 5], Y[i : i + 5]
            p = softmax(x @ weight.T + bias)
            losses.append(-np.log(p[np.arange(5), y]).mean())
            d = (p - np.eye(3)[y]) / 5
            moments = [0.9 * m + g for m, g in zip(moments, (d.T @ x, d.sum(0)))]
            weight, bias = weight - 0.1 * moments[0], bias - 0.1 * moments[1]
    return losses, weight, bias


class Recorder(train.Callback):
    def __init__(self):
        self.losses, self.steps = [], []

    def on_train_step_end(self, run_context):
        p = run_context.original_args()
        self.losses.append(float(p.net_outputs))
        self.steps.append((p.cur_epoch_num, p.cur_step_num, p.batch_num, p.epoch_num))


def test_training_follows_the_formulas():
    net, model = make()
    losses, weight, bias = reference(net.weight.asnumpy().copy(), net.bias.asnumpy().copy(), 3)
    seen = Recorder()
    model.train(3, data(), callbacks=seen)
    np.testing.assert_allclose(seen.losses, losses, rtol=1e-5)
    np.testing.assert_allclose(net.weight.asnumpy(), weight, rtol=1e-4, atol=1e-6)
    assert seen.steps == [(1 + i // 4, 1 + i, 4, 3) for i in range(12)]
    result = model.eval(data())
    logits = X @ weight.T + bias
    assert result["accuracy"] == np.mean(logits.argmax(1) == Y)
    assert result["loss"] == pytest.approx(
        -np.log(softmax(logits)[np.arange(20), Y]).mean(), rel=1e-5
    )
    np.testing.assert_allclose(model.predict(ms.Tensor(X)).asnumpy(), logits, rtol=1e-4, atol=1e-5)


HOOKS = [
    f"on_{p}_{w}"
    for p in ("train", "eval")
    for w in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
]


class Log(train.Callback):
    def __init__(self):
        self.calls = []

    def __enter__(self):
        self.calls.append("enter")
        return self

    def __exit__(self, *error):
        self.calls.append("exit")


for hook in HOOKS:
    setattr(Log, hook, lambda self, run, hook=hook: self.calls.append(hook[3:]))


def test_hooks_come_in_order(capsys):
    _, model = make()
    log = Log()
    model.fit(1, data(10), data(5), callbacks=[log])
    step = ["train_step_begin", "train_step_end"]
    assert log.calls == [
        "enter",
        "train_begin",
        "train_epoch_begin",
        *step,
        *step,
        "eval_begin",
        "eval_epoch_begin",
        "eval_step_begin",
        "eval_step_end",
        "eval_epoch_end",
        "eval_end",
        "train_epoch_end",
        "train_end",
        "exit",
    ]
    assert "Eval result: epoch 1, metrics: {'accuracy':" in capsys.readouterr().out


def test_old_hooks_are_called_in_training_and_evaluation():
    calls = []

    class Old(train.Callback):
        def step_end(self, run_context):
            calls.append(run_context.original_args().mode)

    _, model = make()
    model.train(1, data(10), callbacks=Old())
    model.eval(data(10), callbacks=Old())
    assert calls == ["train"] * 2 + ["eval"] * 2


def test_request_stop_ends_after_the_step():
    _, model = make()
    seen = Recorder()
    stop = train.LambdaCallback(
        on_train_step_end=lambda run: run.original_args().cur_step_num == 3 and run.request_stop()
    )
    model.train(5, data(), callbacks=[seen, stop])
    assert len(seen.losses) == 3


def test_initial_epoch_and_valid_frequency(capsys):
    _, model = make()
    seen = Recorder()
    model.train(3, data(), callbacks=seen, initial_epoch=1)
    assert seen.steps[0][:2] == (2, 5) and len(seen.steps) == 8
    model.fit(4, data(), data(), valid_frequency=2)
    model.fit(3, data(), data(), valid_frequency=[1])
    lines = [line[:20] for line in capsys.readouterr().out.splitlines()]
    assert lines == ["Eval result: epoch 2", "Eval result: epoch 4", "Eval result: epoch 1"]


def test_evaluation_inside_a_hook_leaves_training_on():
    """Dropout is active in the second epoch although a hook evaluated after the first."""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense, self.dropout = nn.Dense(4, 3), nn.Dropout(p=0.5)

        def construct(self, x):
            return self.dense(self.dropout(x))

    net = Net()
    model = train.Model(
        net, cross_entropy(), nn.SGD(net.trainable_params(), 0.0), metrics={"accuracy"}
    )
    flags = []
    model.train(
        2,
        data(),
        callbacks=train.LambdaCallback(
            on_train_step_end=lambda run: flags.append(net.dropout.training),
            on_train_epoch_end=lambda run: model.eval(data()),
        ),
    )
    assert flags == [True] * 8 and net.dropout.training is False


def test_loss_inside_the_network():
    class WithLoss(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense, self.loss = nn.Dense(4, 3), cross_entropy()

        def construct(self, x, y):
            return self.loss(self.dense(x), y)

    net = WithLoss()
    seen = Recorder()
    train.Model(net, optimizer=nn.SGD(net.trainable_params(), 0.5)).train(
        5, data(batch=20), callbacks=seen
    )
    assert len(seen.losses) == 5 and seen.losses == sorted(seen.losses, reverse=True)


def test_eval_network_and_indexes():
    class Eval(nn.Cell):
        def __init__(self, net):
            super().__init__()
            self.net, self.loss = net, cross_entropy()

        def construct(self, x, y):
            z = self.net(x)
            return y, z, self.loss(z, y)

    net, model = make()
    other = train.Model(
        net,
        metrics={"accuracy": train.Accuracy(), "loss": train.Loss()},
        eval_network=Eval(net),
        eval_indexes=[2, 1, 0],
    )
    assert other.eval(data()) == model.eval(data())
    swapped = train.Model(
        net, metrics={"a": train.Accuracy().set_indexes([1, 0])}, eval_network=Eval(net)
    )
    assert swapped.eval(data())["a"] == model.eval(data())["accuracy"]


@pytest.mark.parametrize(
    "manager",
    [
        train.FixedLossScaleManager(1024.0),
        train.FixedLossScaleManager(1024.0, drop_overflow_update=False),
        train.DynamicLossScaleManager(1024.0, scale_window=4),
    ],
    ids=["fixed", "keep", "dynamic"],
)
def test_loss_scale_does_not_change_the_training(manager):
    """Powers of two scale without rounding, so that the parameters are the same."""
    net, plain = make()
    plain.train(2, data())
    ms.set_seed(1)
    scaled = nn.Dense(4, 3)
    optimizer = nn.Momentum(
        scaled.trainable_params(),
        0.1,
        0.9,
        loss_scale=1.0 if manager.get_drop_overflow_update() else 1024.0,
    )
    model = train.Model(scaled, cross_entropy(), optimizer, loss_scale_manager=manager)
    seen = []
    model.train(
        2,
        data(),
        callbacks=[
            train.LossMonitor(0),
            train.LambdaCallback(
                on_train_step_end=lambda run: seen.append(run.original_args().net_outputs)
            ),
        ],
    )
    np.testing.assert_allclose(scaled.weight.asnumpy(), net.weight.asnumpy(), rtol=1e-6)
    if isinstance(manager, train.DynamicLossScaleManager):
        assert [float(scale) for _, _, scale in seen] == [1024] * 4 + [2048] * 4


def test_build_runs_nothing():
    net, model = make()
    before = net.weight.asnumpy().copy()
    if ms.get_context("mode") == ms.GRAPH_MODE:
        model.build(data(), data())
    assert (net.weight.asnumpy() == before).all()


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda m: train.Model(3), TypeError, "network has type int"),
        (lambda m: train.Model(nn.ReLU(), optimizer=3), TypeError, "optimizer has type int"),
        (lambda m: train.Model(nn.ReLU(), metrics={"q"}), KeyError, "no metric 'q'"),
        (lambda m: train.Model(nn.ReLU(), metrics=3), TypeError, "metrics has type int"),
        (lambda m: train.Model(nn.ReLU(), amp_level="O7"), ValueError, "'O7'"),
        (lambda m: train.Model(nn.ReLU(), wrong=1), TypeError, "'wrong'"),
        (
            lambda m: train.Model(nn.ReLU(), eval_network=nn.ReLU(), eval_indexes=[0]),
            ValueError,
            "three",
        ),
        (lambda m: m.train(0, data()), ValueError, "epoch is 0"),
        (lambda m: m.train(1.0, data()), TypeError, "epoch"),
        (lambda m: m.train(1, data(), initial_epoch=1), ValueError, "initial_epoch"),
        (lambda m: m.train(1, [1, 2]), TypeError, "expected a Dataset"),
        (lambda m: m.train(1, data(), callbacks=[3]), TypeError, "callbacks"),
        (
            lambda m: m.train(1, ds.NumpySlicesDataset((X,), ["x"]).batch(5)),
            ValueError,
            "columns x",
        ),
        (lambda m: m.train(1, data().skip(4)), ValueError, "empty"),
        (lambda m: m.eval(data().skip(4)), ValueError, "empty"),
        (
            lambda m: train.Model(nn.Dense(4, 3), cross_entropy()).train(1, data()),
            ValueError,
            "no optimizer",
        ),
        (
            lambda m: train.Model(nn.Dense(4, 3), cross_entropy()).eval(data()),
            ValueError,
            "no metrics",
        ),
        (lambda m: m.predict(3), TypeError, "type int"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call(make()[1])


def test_users_exception_passes_and_callbacks_are_left():
    def boom(run):
        raise LookupError("mine")

    _, model = make()
    log = Log()
    with pytest.raises(LookupError, match="mine"):
        model.train(1, data(), callbacks=[log, train.LambdaCallback(on_train_step_end=boom)])
    assert log.calls[-1] == "exit"


class _Rows:
    """Rows of a library that minds does not know."""

    def __init__(self, n=3):
        self.n, self.at, self.resets = n, 0, 0

    def get_dataset_size(self):
        return self.n

    def output_shapes(self):
        return ((2, 4), (2,))

    def reset(self):
        self.at, self.resets = 0, self.resets + 1

    def __iter__(self):
        return self

    def __next__(self):
        if self.at == self.n:
            raise StopIteration
        self.at += 1
        return ms.Tensor(np.ones((2, 4), np.float32)), np.zeros(2, np.int32)


def test_rows_of_other_libraries():
    net = nn.Dense(4, 3)
    model = train.Model(
        net,
        nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        nn.SGD(net.trainable_params(), 0.1),
        metrics={"accuracy"},
    )
    rows, steps = _Rows(), []
    seen = train.LambdaCallback(
        on_train_step_end=lambda run: steps.append(run.original_args().cur_step_num)
    )
    model.fit(2, rows, _Rows(2), callbacks=seen)
    assert steps == [1, 2, 3, 4, 5, 6] and rows.resets >= 2
    assert model.eval(_Rows(2))["accuracy"] == 1


@pytest.mark.parametrize("metrics", [(), [], ["accuracy"], ("accuracy",), "accuracy"])
def test_metrics_are_a_dict_or_a_set(metrics):
    with pytest.raises(TypeError, match="a set of names"):
        train.Model(nn.ReLU(), nn.MSELoss(), metrics=metrics)


def test_metrics_need_what_is_evaluated():
    with pytest.raises(ValueError, match="neither eval_network nor loss_fn"):
        train.Model(nn.ReLU(), metrics={"accuracy"})
    assert train.Model(nn.ReLU(), metrics={"loss"}, eval_network=nn.ReLU()).eval_network


@pytest.mark.parametrize("sink", ["True", 1, None])
def test_sink_mode_is_a_bool(sink):
    net = nn.Dense(4, 3)
    model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    with pytest.raises(TypeError, match="dataset_sink_mode is"):
        model.train(1, _Rows(), dataset_sink_mode=sink)

"""The plug-in for Ascend on what stands in for CANN: its values, its training, and what it refuses."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest
from placed import MODES, assert_same, on
from small_nets import NETS, trained

import minds as ms
from minds import Tensor, nn, ops

pytestmark = pytest.mark.usefixtures("libraries")


def drawn(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).uniform(0.2, 2.0, shape).astype(dtype)


def mlp_losses(device: str, mode: int) -> list[float]:
    """What 30 steps of an MLP lose."""
    with on(device, mode):
        ms.set_seed(3)
        net = nn.SequentialCell(
            nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 12), nn.Tanh(), nn.Dense(12, 4)
        )
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        optimizer = nn.Momentum(net.trainable_params(), 0.2, 0.9)

        def forward(x, y):
            return loss(net(x), y)

        step = ms.value_and_grad(forward, None, optimizer.parameters)
        x = drawn(20, 8, seed=1) - 1
        y = np.argmax(x[:, :4] + x[:, 4:], axis=1).astype(np.int32)
        found = []
        for _ in range(30):
            value, gradients = step(Tensor(x), Tensor(y))
            optimizer(gradients)
            found.append(float(value.asnumpy()))
        return found


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_an_mlp_trains_with_the_cpus_loss_curve(mode):
    wanted = mlp_losses("CPU", mode)
    found = mlp_losses("Ascend", mode)
    assert wanted[-1] < 0.6 * wanted[0]
    np.testing.assert_allclose(found, wanted, rtol=2e-5)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NETS)
def test_a_net_trains_with_the_cpus_loss_curve(name, mode):
    assert_same(lambda: trained(name), "Ascend", MODES[mode])


OPTIMISERS = {
    "SGD": {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True},
    "Momentum": {"learning_rate": 0.1, "momentum": 0.9, "weight_decay": 0.01},
    "Adam": {"weight_decay": 0.01},
    "AdamWeightDecay": {"weight_decay": 0.01},
    "RMSProp": {"learning_rate": 0.1, "momentum": 0.5, "centered": True},
    "Adagrad": {},
    "Lamb": {"learning_rate": 0.01},
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", OPTIMISERS)
def test_an_optimiser_takes_the_cpus_steps(name, mode):
    def run():
        ms.set_seed(2)
        net = nn.SequentialCell(nn.Dense(5, 7), nn.Tanh(), nn.Dense(7, 3))
        opt = getattr(nn, name)(net.trainable_params(), **OPTIMISERS[name])
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), opt)
        x, y = Tensor(drawn(4, 5)), Tensor(drawn(4, 3, seed=1))
        return [step(x, y) for _ in range(4)], [p.value() for p in net.trainable_params()]

    assert_same(run, "Ascend", MODES[mode])


class Mixed(nn.Cell):
    """Convolution, batch norm and a dense part."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4)
        self.dense = nn.Dense(4 * 16, 3)

    def construct(self, x):
        x = ops.relu(self.norm(self.conv(x)))
        return self.dense(x.reshape(x.shape[0], -1))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "level, dtype", [("O1", ms.float16), ("O2", ms.float16), ("O3", ms.bfloat16)]
)
def test_mixed_precision_trains(level, dtype, mode):
    def run():
        ms.set_seed(5)
        net = ms.amp.auto_mixed_precision(Mixed(), level, dtype)
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        opt = nn.Momentum(net.trainable_params(), 0.05, 0.9)
        step = ms.value_and_grad(
            lambda x, y: loss(net(x).astype(ms.float32), y), None, opt.parameters
        )
        x, y = Tensor(drawn(6, 2, 4, 4) - 1), Tensor(np.arange(6, dtype=np.int32) % 3)
        found = []
        for _ in range(3):
            value, gradients = step(x, y)
            opt(gradients)
            found.append(float(value.asnumpy()))
        return found

    with on("CPU", MODES[mode]):
        wanted = run()
    with on("Ascend", MODES[mode]):
        found = run()
    np.testing.assert_allclose(found, wanted, rtol=2e-2 if dtype == ms.bfloat16 else 4e-3)


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_a_pooling_keeps_nan_and_the_first_of_equals(mode):
    x = np.array([[[[1, 1, 0, -2], [1, np.nan, 0, 0], [5, 4, -1, -1], [3, 5, -1, -1]]]], np.float32)
    gradients = {}
    for device in ("CPU", "Ascend"):
        with on(device, mode):
            pool = nn.MaxPool2d(2, 2)
            value, gradient = ms.value_and_grad(lambda x, p=pool: p(x).sum())(Tensor(x))
            gradients[device] = gradient.asnumpy().tolist()
            assert np.isnan(float(value.asnumpy()))
    assert gradients["Ascend"] == gradients["CPU"]


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_layer_norm_agrees_with_the_cpus(mode):
    found = {}
    for device in ("CPU", "Ascend"):
        with on(device, mode):
            norm = nn.LayerNorm((6,))
            weights = Tensor(drawn(2, 5, 6, seed=3))
            fn = ms.value_and_grad(
                lambda x, n=norm, w=weights: (n(x) * w).sum(), 0, norm.trainable_params()
            )
            value, (dx, (dgamma, dbeta)) = fn(Tensor(drawn(2, 5, 6)))
            found[device] = [t.asnumpy() for t in (value, dx, dgamma, dbeta)]
    for a, c in zip(found["Ascend"], found["CPU"], strict=True):
        np.testing.assert_allclose(a, c, rtol=1e-5, atol=1e-5)


def reference_softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


CASES = {
    "add": (lambda x, y: x + y, lambda x, y: x + y),
    "sub": (lambda x, y: x - y, lambda x, y: x - y),
    "mul": (lambda x, y: x * y, lambda x, y: x * y),
    "div": (lambda x, y: x / y, lambda x, y: x / y),
    "pow": (lambda x, y: x**y, lambda x, y: x**y),
    "maximum": (ops.maximum, np.maximum),
    "minimum": (ops.minimum, np.minimum),
    "less": (lambda x, y: x < y, lambda x, y: x < y),
    "greater_equal": (lambda x, y: x >= y, lambda x, y: x >= y),
    "where": (lambda x, y: ops.where(x > 1, x, y), lambda x, y: np.where(x > 1, x, y)),
    "broadcast": (lambda x, y: x + y[0], lambda x, y: x + y[0]),
    "unary": (
        lambda x, y: (
            ops.exp(-x) + ops.log(y) * ops.sqrt(x) + ops.tanh(y) + ops.relu(x - 1) + ops.abs(x - y)
        ),
        lambda x, y: (
            np.exp(-x) + np.log(y) * np.sqrt(x) + np.tanh(y) + np.maximum(x - 1, 0) + np.abs(x - y)
        ),
    ),
    "sigmoid": (lambda x, y: ops.sigmoid(x), lambda x, y: 1 / (1 + np.exp(-x))),
    "sum": (lambda x, y: x.sum(0), lambda x, y: x.sum(0)),
    "mean": (lambda x, y: x.mean(), lambda x, y: x.mean()),
    "amax": (lambda x, y: x.max(axis=1), lambda x, y: x.max(axis=1)),
    "transpose": (lambda x, y: x.T @ y, lambda x, y: x.T @ y),
    "matmul": (lambda x, y: ops.matmul(x, y.T), lambda x, y: x @ y.T),
    "concat": (lambda x, y: ops.concat((x, y), 1), lambda x, y: np.concatenate((x, y), 1)),
    "slice": (lambda x, y: x[1:, ::2] * y[:-1, 1::2], lambda x, y: x[1:, ::2] * y[:-1, 1::2]),
    "softmax": (lambda x, y: ops.softmax(x), lambda x, y: reference_softmax(x)),
    "cast": (lambda x, y: x.astype(ms.int32) + 1, lambda x, y: x.astype(np.int32) + 1),
}


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("name", CASES)
def test_values_agree_with_numpy(name, mode):
    fn, reference = CASES[name]
    x, y = drawn(4, 6), drawn(4, 6, seed=1)
    with on("Ascend", mode):
        found = fn(Tensor(x), Tensor(y))
        assert found.device == "Ascend:0"
        np.testing.assert_allclose(found.asnumpy(), reference(x, y), rtol=3e-6, atol=1e-6)


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_gradients_agree_with_the_cpus(mode):
    def fn(x, w):
        h = ops.tanh(ops.matmul(x, w)) * ops.sigmoid(x[:, :3])
        return (ops.log_softmax(h)[:, 1] * h.max(axis=1)).sum()

    found = {}
    for device in ("CPU", "Ascend"):
        with on(device, mode):
            gradients = ms.grad(fn, (0, 1))(Tensor(drawn(5, 4)), Tensor(drawn(4, 3, seed=2)))
            found[device] = [g.asnumpy() for g in gradients]
    for a, c in zip(found["Ascend"], found["CPU"], strict=True):
        np.testing.assert_allclose(a, c, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int32", "int64", "uint8", "bool"])
def test_values_of_every_type_come_back(dtype):
    values = np.array([[0, 1, 2], [3, 1, 0]])
    with on("Ascend"):
        x = Tensor(values, getattr(ms, dtype if dtype != "bool" else "bool_"))
        moved = x.T.astype(ms.float32)
    assert moved.asnumpy().tolist() == (values != 0 if dtype == "bool" else values).T.tolist()


@pytest.mark.parametrize("mode", MODES)
def test_a_class_that_is_none_is_the_cpus_error(mode):
    def run():
        logits, labels = Tensor(drawn(2, 3)), Tensor(np.array([1, 7], np.int32))
        return ops.cross_entropy(logits, labels, reduction="none")

    with on("Ascend", MODES[mode]), pytest.raises(ValueError) as e:
        run().asnumpy()
    assert "class id 7 at position 1 is out of range [0, 3)" in str(e.value)
    assert "ops.cross_entropy(logits, labels" in str(e.value)


TABLE, LINE = drawn(4, 3), drawn(5)
BAD_DATA = {
    "gather": lambda i: ops.gather(Tensor(TABLE), i, 0),
    "gather_d": lambda i: ops.gather_elements(Tensor(LINE), 0, i),
    "gather_nd": lambda i: ops.gather_nd(Tensor(TABLE), i.reshape(-1, 1)),
    "scatter": lambda i: ops.tensor_scatter_add(Tensor(LINE), i.reshape(-1, 1), Tensor(LINE[:3])),
    "floor_divide": lambda i: Tensor(np.array([3, 4, 5])) // (i - 7),
    "mod": lambda i: Tensor(np.array([3, 4, 5])) % (i - 7),
    "pow": lambda i: Tensor(np.array([3, 4, 5])) ** (6 - i),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", BAD_DATA)
def test_wrong_data_is_the_cpus_error(name, mode):
    found = {}
    for device in ("CPU", "Ascend"):
        with on(device, MODES[mode]), pytest.raises((IndexError, ValueError)) as e:
            fn = ms.jit(BAD_DATA[name]) if mode == "graph" else BAD_DATA[name]
            fn(Tensor(np.array([1, -2, 7]))).asnumpy()
        found[device] = type(e.value), str(e.value).partition("\n")[0]
        with on(device):  # the process goes on
            assert (Tensor([1.0, 2.0]) + 1).asnumpy().tolist() == [2, 3]
    assert found["Ascend"] == found["CPU"]


@pytest.mark.parametrize("mode", MODES)
def test_random_numbers_are_the_cpus(mode):
    def run():
        ms.set_seed(7)
        drop = nn.Dropout(p=0.5).set_train()
        draw = ms.jit(lambda x: drop(x) + ops.rand(3, 4)) if mode == "graph" else drop
        x = ops.ones((3, 4))
        return draw(x), draw(x), ops.randn(5), ops.randint(0, 9, (4,)), ops.randperm(6)

    with on("CPU", MODES[mode]):
        wanted = [t.asnumpy() for t in run()]
    with on("Ascend", MODES[mode]):
        found = run()
        assert {t.device for t in found} == {"Ascend:0"}
    for f, w in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(f.asnumpy(), w)


@pytest.mark.parametrize("mode", MODES)
def test_the_second_device_trains_too(mode):
    assert_same(lambda: trained("lstm"), "Ascend:1", MODES[mode])


def test_devices_exchange_and_are_not_mixed():
    assert ms.device_count("Ascend") == 2
    a, b = (Tensor(drawn(300)).to(f"Ascend:{n}") for n in (0, 1))
    with on("Ascend:0"), pytest.raises(ValueError, match="Ascend:1"):
        ops.add(a, b)
    with on("Ascend:1"):
        found = (a.to("Ascend:1") + b) * 2
    assert found.device == "Ascend:1"
    np.testing.assert_array_equal(found.asnumpy(), drawn(300) * 4)


@pytest.mark.parametrize("mode", MODES)
def test_the_host_runs_what_it_may(mode):
    x = drawn(6)
    with on("Ascend", MODES[mode]):
        ms.set_context(host_fallback=True)
        try:
            fn = (
                ms.jit(lambda x: ops.lgamma(x * 2) + 1)
                if mode == "graph"
                else (lambda x: ops.lgamma(x * 2) + 1)
            )
            found = fn(Tensor(x))
        finally:
            ms.set_context(host_fallback=False)
    assert found.device == "Ascend:0"
    with on("CPU"):
        wanted = ops.lgamma(Tensor(x) * 2) + 1
    np.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())


def test_events_do_not_become_more():
    library = ctypes.CDLL(os.path.join(os.environ["MINDS_ASCEND_LIBRARIES"], "libascendcl.so"))
    counts = []
    with on("Ascend", ms.GRAPH_MODE):
        step = ms.jit(lambda x: (x * 2).sum())
        for n in range(60):
            step(Tensor(drawn(50, seed=n))).asnumpy()
            counts.append(library.ascend_simulator_events())
    assert max(counts[30:]) <= max(counts[:30])


def test_memory_is_used_again():
    with on("Ascend"):
        x = Tensor(drawn(64, 64))
        for _ in range(3):
            x = x * 0.5 + 1
        x.asnumpy()
        before = ms.hal.memory_stats()["total_reserved_memory"]
        for _ in range(40):
            x = x * 0.5 + 1
        x.asnumpy()
        assert ms.hal.memory_stats()["total_reserved_memory"] == before


def test_what_is_missing_is_refused_in_one_list():
    def fn(x):
        return ops.lgamma(x) + ops.hypot(x, x)

    with on("Ascend", ms.GRAPH_MODE), pytest.raises(TypeError) as e:
        ms.jit(fn)(Tensor(drawn(4)))
    assert "lgamma" in str(e.value) and "hypot" in str(e.value)


def test_without_cann_one_sentence_says_how_it_is_got(tmp_path):
    program = "import minds as ms; ms.set_context(device_target='Ascend')"
    env = {**os.environ, "MINDS_ASCEND_LIBRARIES": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert (
        "libascendcl.so) is missing; install Huawei's Ascend driver and the CANN toolkit"
        in run.stderr
    )

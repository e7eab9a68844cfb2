"""The plug-in for Ascend on what stands in for CANN: its values, its training, and what it refuses."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from placed import MODES, on

import minds as ms
from minds import Tensor, nn, ops

HERE = os.path.dirname(os.path.abspath(__file__))


@pytest.fixture(scope="module", autouse=True)
def libraries(tmp_path_factory):
    """CANN's libraries are those of the build; nothing may break their rules."""
    report = tmp_path_factory.mktemp("ascend") / "report"
    built = os.path.join(os.environ["MINDS_PLUGINS"].split(":")[0], "ascend")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINDS_ASCEND_LIBRARIES", built)
        patch.setenv("MINDS_ASCEND_REPORT", str(report))
        yield
    assert not report.exists(), report.read_text()


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


def lenet_losses(device: str, mode: int) -> list[float]:
    """What 8 steps of LeNet lose, on images of two classes."""
    with on(device, mode):
        ms.set_seed(4)
        net = nn.SequentialCell(
            nn.Conv2d(1, 6, 5, pad_mode="same"),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True),
            nn.ReLU(),
            nn.MaxPool2d(3, 2, pad_mode="pad", padding=1),
            nn.Flatten(),
            nn.Dense(16 * 9, 30),
            nn.ReLU(),
            nn.Dense(30, 10),
        )
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)

        def forward(x, y):
            return loss(net(x), y)

        step = ms.value_and_grad(forward, None, optimizer.parameters)
        y = (np.arange(8) % 2).astype(np.int32)
        x = drawn(8, 1, 20, 20, seed=5) * np.where(y == 0, 1, -1).astype(np.float32).reshape(
            8, 1, 1, 1
        )
        found = []
        for _ in range(8):
            value, gradients = step(Tensor(x), Tensor(y))
            optimizer(gradients)
            found.append(float(value.asnumpy()))
        return found


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_lenet_trains_with_the_cpus_loss_curve(mode):
    wanted = lenet_losses("CPU", mode)
    found = lenet_losses("Ascend", mode)
    assert wanted[-1] < 0.6 * wanted[0]
    np.testing.assert_allclose(found, wanted, rtol=2e-4)


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
        y = ops.sort(x)[0]
        return ops.cumsum(y, 0)

    with on("Ascend", ms.GRAPH_MODE), pytest.raises(TypeError) as e:
        ms.jit(fn)(Tensor(drawn(4)))
    assert "sort" in str(e.value) and "cumsum" in str(e.value)


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

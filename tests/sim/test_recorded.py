"""Programs that run often: from the third run on a device that records queues straight stretches of
them as one. What changes from run to run must not be what was recorded.
"""

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops

RUNS = 6


def on(device: str, make) -> list:
    """What the runs of a function give on a device."""
    ms.set_context(device_target=device)
    try:
        return [np.array(r) for r in make()]
    finally:
        ms.set_context(device_target="CPU")


def check(device: str, make, sums: bool = False) -> None:
    """The device's results are the CPU's; sums may be taken in another order where its kernels are others."""
    for got, want in zip(on(device, make), on("CPU", make), strict=True):
        rtol = 2e-6 if sums and device != "sim" else 0
        np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol)


def test_arguments_and_kept_results(device):
    def make():
        @ms.jit
        def f(x, y):
            z = x * y + x
            return ops.relu(ops.reshape(z, (-1,)).sum() - z), z[0]

        x = [Tensor(np.full((3, 4), n - 2.5, np.float32)) for n in range(RUNS)]
        kept = [f(x[n], x[n if n % 2 else 0]) for n in range(RUNS)]
        return [r.asnumpy() for pair in kept for r in pair]

    check(device, make)


def test_numbers_that_change(device):
    def make():
        @ms.jit
        def f(x, a):
            return (x * a + a) * x - a

        x = Tensor(np.arange(6.0, dtype=np.float32))
        return [f(x, ms.mutable(n // 4 + 0.5)).asnumpy() for n in range(2 * RUNS)]

    check(device, make)


def test_training(device):
    def make():
        ms.set_seed(1)
        net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 2))
        steps = nn.TrainOneStepCell(
            nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9)
        )
        r = np.random.RandomState(0)
        losses = [
            steps(Tensor(r.randn(5, 4).astype("f")), Tensor(r.randn(5, 2).astype("f")))
            for _ in range(RUNS)
        ]
        return [v.asnumpy() for v in (*losses, *net.trainable_params())]

    check(device, make, sums=True)


def test_a_parameter_from_outside_between_runs(device):
    def make():
        p = Parameter(Tensor(np.ones(4, np.float32)), name="p")

        @ms.jit
        def f(x):
            y = p * x + x
            ops.assign(p, y - 1)
            return (y * p).sum()

        found = []
        for n in range(RUNS):
            if n % 4 == 3:
                p.set_data(Tensor(np.full(4, n, np.float32)))
            found += [f(Tensor(np.full(4, n + 0.25, np.float32))).asnumpy(), p.asnumpy().copy()]
        return found

    check(device, make)


def test_a_fault_in_a_stretch_that_was_recorded(device):
    ms.set_context(device_target=device)

    @ms.jit
    def f(x, i):
        y = ops.gather(x, i, 0) * 2
        return (y + 1).sum() - y.sum()

    x, good = Tensor(np.ones((4, 3), np.float32)), Tensor(np.array([1, 2], np.int32))
    for _ in range(RUNS):
        assert f(x, good).asnumpy() == 6
    with pytest.raises(IndexError, match="index 9 at position 1 is out of range"):
        f(x, Tensor(np.array([3, 9], np.int32))).asnumpy()
    assert f(x, good).asnumpy() == 6
    ms.set_context(device_target="CPU")


def test_an_arena_stays_until_memory_is_asked_back(device):
    ms.set_context(device_target=device)

    @ms.jit
    def f(x):
        y = ops.cumsum(ops.cumsum(ops.cumsum(ops.cumsum(x, 0), 1), 0), 1)
        return ops.cumsum(y, 0)[-1, -1]

    x = Tensor(np.ones((1024, 300), np.float32))
    free = ms.hal.memory_allocated()
    found = [f(x).asnumpy() for _ in range(4)]
    kept = ms.hal.memory_allocated() - free
    assert kept > 1 << 20
    ms.hal.empty_cache()
    assert ms.hal.memory_allocated() - free < kept - (1 << 20)
    found += [f(x).asnumpy() for _ in range(4)]
    assert len(set(map(float, found))) == 1
    ms.set_context(device_target="CPU")

"""Reductions, normalisations, scans and sorts of sizes that a device cuts in parts: the table of ops
has small ones.
"""

import numpy as np
import pytest
from placed import assert_same

import minds as ms
from minds import Tensor, ops


def given(*shape, dtype="float32", seed=0):
    """Numbers of both signs; integers have many that are equal."""
    r = np.random.RandomState(seed)
    x = r.randn(*shape) if dtype.startswith(("f", "b")) else r.randint(-90, 90, shape)
    return Tensor(x.astype(np.float32 if dtype == "bfloat16" else dtype)).astype(getattr(ms, dtype))


SUMS = [
    ((1 << 17,), None),
    ((3, 30001), 1),
    ((3, 30000), 1),
    ((20001, 3), 0),
    ((4, 700, 70), 1),
    ((7, 40, 30, 9), (0, 2)),
    ((7, 40, 3, 8), (1, 3)),
    ((2, 3, 2, 3, 2, 3, 2, 3, 2), (0, 2, 4, 6, 8)),
    ((0, 5), 0),
    ((5, 0, 3), 0),
]


@pytest.mark.parametrize("shape, axis", SUMS, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8"])
def test_sums(shape, axis, dtype, device):
    def run():
        x = given(*shape, dtype=dtype)
        wide = x if dtype == "int8" else ops.abs(x)  # so that an error is one of the result
        return wide.sum(axis), (x > -2).all(axis), (x > 2).any(axis)

    assert_same(run, device)


@pytest.mark.parametrize("shape, axis", [s for s in SUMS if 0 not in s[0]], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float16", "int64"])
def test_extremes(shape, axis, dtype, device):
    def run():
        x = given(*shape, dtype=dtype)
        found = x.max(axis), x.min(axis)
        return found if isinstance(axis, tuple) else (*found, x.argmax(axis), x.argmin(axis))

    assert_same(run, device)


def test_a_nan_is_the_extreme(device):
    def run():
        x = given(5, 9001)
        x[1, 77] = float("nan")
        x[1, 8000] = float("nan")
        return (
            ops.isnan(x.max(axis=1)),
            x.argmax(1),
            x.argmin(0)[:3],
            ops.isnan(ops.softmax(x)).sum(1),
        )

    assert_same(run, device)


@pytest.mark.parametrize(
    "shape, axis", [((3, 5000), 1), ((70, 96), 1), ((9, 301), 1), ((2, 300, 40), 1)]
)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_softmax(shape, axis, dtype, device):
    def run():
        x = given(*shape, dtype=dtype)
        return ops.softmax(x, axis), ops.log_softmax(x, axis)

    assert_same(run, device)


def test_rows_without_a_number(device):
    def run():
        x = ops.full((3, 700), -float("inf"))
        x[1, 600] = 2.0
        return ops.softmax(x), ops.log_softmax(x)

    assert_same(run, device)


@pytest.mark.parametrize("shape", [(300, 96), (5, 3001), (3, 9000)], ids=str)
def test_layer_norm_and_its_gradient(shape, device):
    def run():
        x, gamma, beta = given(*shape), given(shape[1], seed=1), given(shape[1], seed=2)
        weights = given(*shape, seed=3)
        return ms.value_and_grad(
            lambda *a: (ops.layer_norm(a[0], (shape[1],), a[1], a[2]) * weights).sum(), (0, 1, 2)
        )(x, gamma, beta)[1]

    assert_same(run, device)


@pytest.mark.parametrize("shape", [(8, 3, 30, 31), (500, 5), (2, 4, 3000)], ids=str)
def test_batch_norm_and_its_gradient(shape, device):
    def run():
        x, gamma, beta = given(*shape), given(shape[1], seed=1), given(shape[1], seed=2)
        mean, var, weights = ops.zeros((shape[1],)), ops.ones((shape[1],)), given(*shape, seed=3)

        def loss(x, gamma, beta):
            y = ops.batch_norm(x, mean, var, gamma, beta, training=True)
            return (y * weights).sum()

        return ms.grad(loss, (0, 1, 2))(x, gamma, beta)

    assert_same(run, device)


@pytest.mark.parametrize(
    "shape, axis", [((30000,), 0), ((3, 2000, 5), 1), ((4, 1500), 1), ((70, 60), 0)]
)
@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "complex64"])
def test_scans(shape, axis, dtype, device):
    def run():
        x = given(*shape, dtype="float32" if dtype == "complex64" else dtype)
        if dtype == "complex64":
            x = ops.complex(x, x * 0.5 - 0.1)
        y = x * 0.01 + 1 if dtype != "int32" else x
        sums = ops.cumsum(x if dtype == "int32" else y, axis)
        return sums, ops.cumprod(y, axis)

    assert_same(run, device)


@pytest.mark.parametrize(
    "shape, axis", [((1, 10300), 1), ((5000, 2), 0), ((70, 33), 1), ((3, 2048), 1)]
)
@pytest.mark.parametrize("dtype", ["float32", "int8", "float64"])
def test_orders(shape, axis, dtype, device):
    def run():
        x = given(*shape, dtype=dtype)
        few = ops.topk(x if axis else x.T, 7), ops.topk(x if axis else x.T, 3, largest=False)
        return ops.sort(x, axis), ops.sort(x, axis, descending=True), few

    assert_same(run, device)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_pools_with_overlap(dtype, device):
    def run():
        x = given(2, 3, 41, 37, dtype=dtype)

        def loss(pool, x):
            y = pool(x)
            return (y * y).sum()

        pools = [
            lambda x: ops.max_pool2d(x, 3, stride=2, padding=1),
            lambda x: ops.max_pool2d(x, 5, stride=1),
            lambda x: ops.avg_pool2d(x, 3, stride=2, padding=1),
        ]
        return [(pool(x), ms.grad(lambda x, pool=pool: loss(pool, x))(x)) for pool in pools]

    assert_same(run, device)


def test_the_first_class_at_fault_is_named(device):
    def run():
        logits, labels = given(4000, 5), np.zeros(4000, np.int32)
        labels[3000], labels[77] = -3, 9
        return ms.jit(ops.nll_loss)(logits, Tensor(labels)).asnumpy()

    assert_same(run, device)

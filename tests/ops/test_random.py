"""Random ops: distributions by their moments, keys that differ, results that repeat with a seed."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops
from minds.ops import P

N = 20000


def key(n: int) -> Tensor:
    return Tensor(np.array([7, n]))


def test_uniform_fills_the_unit_interval():
    x = P.uniform(key(1), (N,), ms.float32).asnumpy()
    assert 0 <= x.min() < 0.001 and 0.999 < x.max() < 1
    assert abs(x.mean() - 0.5) < 0.01 and abs(x.var() - 1 / 12) < 0.005


def test_normal_has_its_moments():
    x = P.normal(key(2), (N,), ms.float64).asnumpy()
    assert abs(x.mean()) < 0.03 and abs(x.var() - 1) < 0.05 and abs((x**3).mean()) < 0.1
    assert abs((np.abs(x) < 1).mean() - 0.6827) < 0.02


def test_bernoulli_and_randint():
    x = P.bernoulli(key(3), 0.3, (N,), ms.float16).asnumpy()
    assert set(np.unique(x)) == {0, 1} and abs(x.astype(np.float64).mean() - 0.3) < 0.015
    i = P.randint(key(4), -2, 3, (N,), ms.int32).asnumpy()
    assert set(np.unique(i)) == {-2, -1, 0, 1, 2} and np.bincount(i + 2).min() > N / 5 * 0.9


def test_permutation_holds_each_once():
    p = P.permutation(key(5), 1000).asnumpy()
    assert sorted(p) == list(range(1000)) and list(p) != list(range(1000))


@pytest.mark.parametrize(
    "draw",
    [
        lambda k: P.uniform(k, (9,), "float32"),
        lambda k: P.normal(k, (9,), "float32"),
        lambda k: P.permutation(k, 99),
    ],
)
def test_a_key_decides_the_numbers(draw):
    assert (draw(key(1)).asnumpy() == draw(key(1)).asnumpy()).all()
    assert (draw(key(1)).asnumpy() != draw(key(2)).asnumpy()).any()


def test_calls_draw_fresh_keys():
    assert (ops.rand(100).asnumpy() != ops.rand(100).asnumpy()).any()
    a, b = ops.rand(100, seed=1), ops.rand(100, seed=2)
    assert (a.asnumpy() != b.asnumpy()).any()


@pytest.mark.parametrize("p", [0.0, 0.25, 1.0])
def test_dropout_keeps_the_mean(p):
    x = ops.ones((N,))
    y = ops.dropout(x, p).asnumpy()
    if p == 1:
        assert (y == 0).all()
    else:
        assert abs((y == 0).mean() - p) < 0.015 and set(np.unique(y)) <= {
            0,
            np.float32(1 / (1 - p)),
        }
    assert ops.dropout(x, p, training=False) is x


def test_dropout_gradient_uses_the_same_mask():
    def f(x):
        return ops.sum(ops.dropout(x, 0.5) * x)

    x = ops.full((1000,), 3.0, dtype=ms.float32)
    g = ms.grad(f)(x).asnumpy()
    assert set(np.unique(g)) == {0, 12}


def test_dropout2d_drops_whole_channels():
    y = ops.dropout2d(ops.ones((50, 20, 2, 2)), 0.5).asnumpy().reshape(1000, 4)
    assert (y == y[:, :1]).all() and 0.4 < (y[:, 0] == 0).mean() < 0.6


def test_shapes_and_dtypes_of_the_public_functions():
    assert (
        ops.randn(2, 3).shape == (2, 3) and ops.randn((2, 3), dtype=ms.float64).dtype is ms.float64
    )
    assert ops.randint(0, 5, (4,)).dtype is ms.int64
    x = ops.uniform((N,), 2.0, 4.0).asnumpy()
    assert x.min() >= 2 and x.max() < 4
    n = ops.normal((N,), Tensor(5.0), 0.5).asnumpy()
    assert abs(n.mean() - 5) < 0.03 and abs(n.std() - 0.5) < 0.02
    b = ops.bernoulli(ops.ones((N,)), Tensor(0.2)).asnumpy()
    assert abs(b.mean() - 0.2) < 0.02

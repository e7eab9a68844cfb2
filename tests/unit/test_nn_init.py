"""Initialisers: ranges, moments, structure, seeds; and the values that layers start from."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import minds as ms
from minds import nn
from minds.common import initializer as init
from minds.common.initializer import initializer

SHAPE = (200, 300)


@pytest.fixture(autouse=True)
def seeded():
    ms.common.set_seed(1)


def values(how, shape=SHAPE):
    return initializer(how, shape).asnumpy()


@pytest.mark.parametrize("a, b", [(3.0, 4.0), (-9.0, -8.0), (-0.01, 0.01), (30.0, 31.0)])
def test_a_normal_distribution_cut_to_its_tail(a, b):
    found = values(init.TruncatedNormal(1.0, 0.0, a, b), (4000,))
    assert stats.kstest(found, stats.truncnorm(a, b).cdf).pvalue > 0.01


def test_a_cut_that_leaves_nothing():
    for a, b in ((0.0, -1.0), (1.0, 1.0), (float("nan"), 1.0)):
        with pytest.raises(ValueError, match="a less than b"):
            values(init.TruncatedNormal(1.0, 0.0, a, b), (3,))


@pytest.mark.parametrize(
    "how, sigma, bound",
    [
        ("normal", 0.01, None),
        (init.Normal(0.1), 0.1, None),
        ("uniform", 0.07 / 3**0.5, 0.07),
        ("he_normal", (2 / 300) ** 0.5, None),
        ("he_uniform", (2 / 300) ** 0.5, (6 / 300) ** 0.5),
        (init.HeUniform(5**0.5), (1 / 900) ** 0.5, (1 / 300) ** 0.5),
        (init.HeNormal(0.5, "fan_out"), (2 / 1.25 / 200) ** 0.5, None),
        ("xavier_normal", (2 / 500) ** 0.5, None),
        ("xavier_uniform", (2 / 500) ** 0.5, (6 / 500) ** 0.5),
        ("truncatedNormal", 0.01 * 0.8796, 0.02),
        (init.VarianceScaling(2.0, "fan_avg", "uniform"), (2 / 250) ** 0.5, None),
        (init.VarianceScaling(1.0), (1 / 300) ** 0.5, 2 / 0.8796 * (1 / 300) ** 0.5),
        (init.VarianceScaling(1.0, "fan_out", "untruncated_normal"), (1 / 200) ** 0.5, None),
    ],
)
def test_random(how, sigma, bound):
    a = values(how)
    assert a.shape == SHAPE and a.dtype == np.float32
    assert abs(a.mean()) < 0.02 * sigma and abs(a.std() / sigma - 1) < 0.02
    if bound is not None:
        assert abs(a).max() <= bound * 1.0001 and abs(a).max() > 0.99 * bound


def test_truncation_is_in_units_of_sigma():
    a = values(init.TruncatedNormal(0.5, 3.0, -1.0, 2.0))
    assert 2.5 <= a.min() < 2.51 and 3.99 < a.max() <= 4.0


def test_fixed():
    assert (
        (values("ones") == 1).all() and (values("zeros") == 0).all() and (values(2.5) == 2.5).all()
    )
    assert (values(init.Constant(3)) == 3).all()
    np.testing.assert_array_equal(values(init.Identity(), (2, 3)), np.eye(2, 3))
    q = values(init.Orthogonal(2.0), (4, 3, 2))
    np.testing.assert_allclose(q.reshape(4, 6) @ q.reshape(4, 6).T, 4 * np.eye(4), atol=1e-5)
    q = values(init.Orthogonal(), (6, 2))
    np.testing.assert_allclose(q.T @ q, np.eye(2), atol=1e-5)
    s = values(init.Sparse(0.3, 0.5), (10, 7))
    assert ((s == 0).sum(0) == 3).all()
    d = values(init.Dirac(2), (4, 2, 3, 3))
    assert d.sum() == 4 and d[0, 0, 1, 1] == d[1, 1, 1, 1] == d[2, 0, 1, 1] == d[3, 1, 1, 1] == 1


def test_arguments():
    assert (
        initializer("ones", 3).shape == (3,)
        and initializer("ones", (2,), ms.float16).dtype is ms.float16
    )
    assert initializer("ones", [2, 2], ms.bfloat16).dtype is ms.bfloat16
    t = ms.Tensor([1.0, 2.0])
    assert initializer(t, [2]) is t
    for how, shape, kind in (
        ("nope", [2], ValueError),
        ("constant", [2], ValueError),
        ("ones", [-1], ValueError),
        ("ones", ["a"], ValueError),
        (None, [2], TypeError),
        (t, [3], ValueError),
        (init.Identity(), [2], ValueError),
        (init.HeNormal(), [2], ValueError),
        (init.Dirac(), [2, 2], ValueError),
    ):
        with pytest.raises(kind):
            initializer(how, shape)
    for make in (
        lambda: init.HeNormal(mode="x"),
        lambda: init.VarianceScaling(0),
        lambda: init.VarianceScaling(1, "x"),
        lambda: init.VarianceScaling(1, "fan_in", "x"),
        lambda: init.calculate_gain("x"),
    ):
        with pytest.raises(ValueError):
            make()


def test_seed_repeats_everything():
    def draw():
        ms.common.set_seed(5)
        return [
            values("normal"),
            ms.ops.dropout(ms.ops.ones((1000,)), 0.5).asnumpy(),
            np.random.rand(3),
        ]

    for a, b in zip(draw(), draw()):
        np.testing.assert_array_equal(a, b)
    assert ms.common.get_seed() == 5
    assert not np.array_equal(values("normal"), values("normal"))
    for bad, kind in ((1.0, TypeError), (True, TypeError), (-1, ValueError), (2**32, ValueError)):
        with pytest.raises(kind):
            ms.common.set_seed(bad)


@pytest.mark.parametrize(
    "make, bounds",
    [
        (lambda: nn.Dense(100, 200), {"weight": 0.1, "bias": 0.1}),
        (lambda: nn.Conv2d(16, 32, 3, has_bias=True), {"weight": 1 / 12, "bias": 1 / 12}),
        (lambda: nn.Conv2d(16, 32, 3, has_bias=True, group=4), {"weight": 1 / 6, "bias": 1 / 6}),
        (
            lambda: nn.Conv2dTranspose(16, 32, 3, has_bias=True),
            {"weight": 288**-0.5, "bias": 288**-0.5},
        ),
        (
            lambda: nn.LSTMCell(8, 100),
            dict.fromkeys(("weight_ih", "weight_hh", "bias_ih", "bias_hh"), 0.1),
        ),
        (lambda: nn.BiDense(20, 30, 40), {"weight": 20**-0.5, "bias": 20**-0.5}),
    ],
)
def test_layers_start_within(make, bounds):
    ms.set_seed(3)
    cell = make()
    assert [p.name for p in cell.get_parameters()] == list(bounds)
    for p in cell.get_parameters():
        assert 0.85 * bounds[p.name] < abs(p.asnumpy()).max() <= bounds[p.name]


def test_embedding_starts_normal_with_a_zero_row():
    table = nn.Embedding(1000, 20, padding_idx=3).embedding_table.asnumpy()
    assert (table[3] == 0).all() and abs(table.std() / 0.01 - 1) < 0.02

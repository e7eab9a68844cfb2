"""Empty tensors, values that are not finite, and operands of foreign kinds."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops
from minds.ops import P

E = np.zeros((0, 3))
NONE = Tensor(np.zeros(0, np.int64))
EMPTY = {
    "exp": (P.exp, [E], np.exp),
    "add": (P.add, [E, np.ones(3)], np.add),
    "select": (P.select, [E > 0, E, E], np.where),
    "sum": (lambda x: P.sum(x, 0), [E], lambda x: x.sum(0)),
    "prod": (lambda x: P.prod(x, 0), [E], lambda x: x.prod(0)),
    "sum kept": (lambda x: P.sum(x, 1), [E], lambda x: x.sum(1)),
    "all": (P.all, [E > 0], np.all),
    "any": (P.any, [E > 0], np.any),
    "matmul": (P.matmul, [E, np.ones((3, 2))], np.matmul),
    "matmul inner": (P.matmul, [E.T, E], np.matmul),
    "concat": (
        lambda x, y: P.concat((x, y), 0),
        [E, np.ones((2, 3))],
        lambda x, y: np.concatenate((x, y)),
    ),
    "split": (lambda x: P.split(x, (0, 0), 0)[1], [E], lambda x: x),
    "transpose": (lambda x: P.transpose(x, (1, 0)), [E], np.transpose),
    "pad": (lambda x: P.pad(x, ((1, 1), (0, 0)), 2), [E], lambda x: np.full((2, 3), 2.0)),
    "gather": (lambda x: P.gather(x, NONE, 1), [E], lambda x: np.zeros((0, 0))),
    "slice": (lambda x: x[:, ::-1], [E], lambda x: x),
    "softmax": (P.softmax, [E], lambda x: x),
    "cumsum": (lambda x: P.cumsum(x, 0), [E], lambda x: x),
    "sort": (lambda x: P.sort(x)[0], [E], lambda x: x),
    "nll": (lambda x: P.nll(x, NONE), [E], lambda x: np.zeros(0)),
    "flip": (lambda x: P.flip(x, 0), [E], lambda x: x),
    "tile": (lambda x: ops.tile(x, (2, 1)), [E], lambda x: x),
    "conv2d": (
        lambda x: P.conv2d(x, ops.ones((4, 2, 3, 3), ms.float64)),
        [np.zeros((0, 2, 5, 5))],
        lambda x: np.zeros((0, 4, 3, 3)),
    ),
    "max_pool2d": (
        lambda x: P.max_pool2d(x, 2)[0],
        [np.zeros((0, 2, 4, 4))],
        lambda x: np.zeros((0, 2, 2, 2)),
    ),
    "layer_norm": (lambda x: ops.layer_norm(x, (3,)), [E], lambda x: x),
}


@pytest.mark.parametrize("name", EMPTY)
def test_empty_operands(name):
    fn, arrays, reference = EMPTY[name]
    tensors, expected = [Tensor(a) for a in arrays], np.asarray(reference(*arrays))
    found = fn(*tensors)
    assert found.shape == expected.shape and found.dtype.np == expected.dtype
    np.testing.assert_array_equal(found.asnumpy(), expected)
    assert ms.jit(lambda *x: fn(*x))(*tensors).shape == expected.shape
    if found.dtype.is_float and tensors[0].dtype.is_float:
        assert ms.grad(lambda x, *rest: ops.sum(fn(x, *rest)))(*tensors).shape == tensors[0].shape


def test_a_mean_of_nothing_is_nan():
    assert np.isnan(float(ops.mean(Tensor(E)))) and float(ops.sum(Tensor(E))) == 0


@pytest.mark.parametrize("bad", [3, -1, 99])
def test_class_ids_out_of_range_are_named(bad):
    for run in (ops.cross_entropy, ms.jit(lambda x, t: ops.cross_entropy(x, t))):
        with pytest.raises(ValueError, match=str(bad)):
            run(ops.ones((2, 3)), Tensor([0, bad]))


def test_labels_that_are_no_class_ids():
    with pytest.raises(
        ValueError,
        match=r"cross_entropy: target must be of shape \(2, 3\), probabilities, got \(2,\)",
    ):
        ops.cross_entropy(ops.ones((2, 3)), Tensor([0.0, float("nan")]))


def test_softmax_of_large_and_infinite_logits():
    x = np.array([[1000.0, 1000.0, -1000.0], [-np.inf, 0.0, 0.0]])
    np.testing.assert_allclose(P.softmax(Tensor(x)).asnumpy(), [[0.5, 0.5, 0], [0, 0.5, 0.5]])
    assert ops.logsumexp(Tensor([1000.0, 1000.0]), 0).asnumpy() == pytest.approx(1000.6931)
    assert ops.logsumexp(Tensor([-np.inf, -np.inf]), 0).asnumpy() == -np.inf


def test_losses_of_large_logits_are_finite():
    x, t = Tensor([800.0, -800.0]), Tensor([0.0, 1.0])
    assert float(ops.binary_cross_entropy_with_logits(x, t)) == 800
    assert np.isfinite(
        ms.grad(lambda x: ops.binary_cross_entropy_with_logits(x, t))(x).asnumpy()
    ).all()
    for fn in (ops.softplus, ops.elu, ops.selu, ops.celu, ops.mish, ops.gelu, ops.silu):
        g = ms.grad(lambda x, fn=fn: ops.sum(fn(x)))(x).asnumpy()
        np.testing.assert_allclose(g[0], 1.0507 if fn is ops.selu else 1, rtol=1e-4)
        np.testing.assert_allclose(g[1], 0, atol=1e-6)


def test_half_sums_do_not_overflow_in_means():
    x = ops.full((200, 200), 60000.0, dtype=ms.float16)
    assert float(ops.mean(x)) == 60000


def test_numpy_arrays_and_numbers_as_operands():
    x = Tensor([1.0, 2.0])
    for found in (x * np.array([3.0, 4.0], np.float32), np.array([3.0, 4.0], np.float32) * x):
        assert isinstance(found, Tensor) and found.asnumpy().tolist() == [3, 8]
    for found in (x * np.float32(2), np.float64(2) * x, x * np.int64(2)):
        assert (
            isinstance(found, Tensor)
            and found.dtype is ms.float32
            and found.asnumpy().tolist() == [2, 4]
        )
    assert ops.add(x, [1.0, 1.0]).asnumpy().tolist() == [2, 3]


def test_integers_in_float_functions():
    assert (
        ops.exp(Tensor([0, 1])).dtype is ms.float32 and ops.sqrt(Tensor([True])).dtype is ms.float32
    )
    assert ops.mean(Tensor([1, 2])).dtype is ms.int64 and int(ops.mean(Tensor([1, 2]))) == 1
    assert ops.atan2(Tensor([0]), Tensor([1])).dtype is ms.float32


def test_run_time_scalars_stay_numbers():
    @ms.jit
    def f(n, x):
        k = n * 2 + 1
        return x * k, ops.full((2,), k), ops.scalar_to_tensor(k, ms.int64), x / n

    product, filled, boxed, quotient = f(3, Tensor([1.0, 2.0]))
    assert product.asnumpy().tolist() == [7, 14] and product.dtype is ms.float32
    assert filled.asnumpy().tolist() == [7, 7] and boxed.dtype is ms.int64 and int(boxed) == 7
    assert quotient.dtype is ms.float32


def test_a_comparison_does_not_overwrite_what_it_broadcasts():
    """A row of four floats has as many bytes as the (4, 4) bools that come of it."""
    row, column = (
        np.array([0.0, 3.0, 1.0, 2.0], np.float32),
        np.arange(4, dtype=np.float32).reshape(4, 1),
    )

    @ms.jit
    def f(x, y):
        return (x + 0.0) > y

    np.testing.assert_array_equal(f(Tensor(row), Tensor(column)).asnumpy(), row > column)

"""Primitive classes that few programs use: values against NumPy or worked by hand, in both modes."""

import math

import numpy as np
import pytest
from test_small_classes import MODES, check_gradient, f32, i64, run, same

import minds as ms
from minds import Parameter, Tensor, ops
from minds.ops.operations import _sequence_ops as S
from minds.ops.operations import nn_ops, random_ops, sparse_ops

RNG = np.random.RandomState(3)


@MODES
def test_pools_with_windows_of_rank_4(compiled):
    x = RNG.rand(1, 2, 4, 4).astype(np.float32)
    tiles = x.reshape(1, 2, 2, 2, 2, 2)
    same(run(nn_ops.MaxPoolV1((1, 1, 2, 2), (1, 1, 2, 2)), compiled, x), tiles.max((3, 5)))
    same(run(nn_ops.AvgPoolV1(2, 2), compiled, x), tiles.mean((3, 5)))
    nhwc = nn_ops.MaxPoolV1((1, 2, 2, 1), (1, 2, 2, 1), "same", "NHWC")
    moved = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
    same(run(nhwc, compiled, moved), tiles.max((3, 5)).transpose(0, 2, 3, 1))


@MODES
def test_linear_algebra_by_class(compiled):
    a = RNG.rand(2, 3, 3)
    a = a + a.transpose(0, 2, 1)
    values, vectors = run(ops.SelfAdjointEig(), compiled, a)
    same([values], np.linalg.eigvalsh(a))
    same([vectors * values[:, None] @ vectors.transpose(0, 2, 1)], a)
    d = np.array([[1.0, 2, 3, 0], [9, 8, 7, 6], [0, 5, 6, 1]])
    matrix = np.diag(d[1]) + np.diag(d[0, :-1], 1) + np.diag(d[2, 1:], -1)
    rhs = RNG.rand(4, 2)
    same(run(ops.TridiagonalSolve(), compiled, d, rhs), np.linalg.solve(matrix, rhs))
    x = RNG.rand(5, 2)
    same(run(ops.Quantile(0), compiled, x, np.array([0.3])), np.quantile(x, [0.3], 0))


@MODES
def test_norms_and_losses_by_class(compiled):
    x, one = RNG.rand(2, 3, 4, 4), np.ones((2, 3, 1, 1))
    mean, spread = x.mean((2, 3), keepdims=True), x.var((2, 3), keepdims=True)
    y = (x - mean) / np.sqrt(spread + 1e-5) * 2 + one
    args = 2 * one, one, 0 * one, one
    same(run(nn_ops.InstanceNormV2(), compiled, x, *args), y, mean, spread)
    kept = run(nn_ops.InstanceNormV2(is_training=False), compiled, x, *args)[0]
    same([kept], x / np.sqrt(1 + 1e-5) * 2 + one)
    z, labels = RNG.rand(2, 3), i64([1, 0])
    p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    found = run(nn_ops.SparseSoftmaxCrossEntropyWithLogitsV2(), compiled, z, labels)
    same(found, -np.log(p[[0, 1], labels]), p - np.eye(3)[labels])
    found = run(ops.ConfusionMatrix(3), compiled, i64([0, 1, 1]), i64([2, 1, 1]))
    same(found, [[0, 0, 1], [0, 2, 0], [0, 0, 0]])
    gamma = RNG.rand(4)
    out, inverse = run(ops.RmsNorm(), compiled, x, gamma)
    root = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6)
    same([out, inverse], x * root * gamma, root)


@MODES
def test_a_depthwise_convolution_and_scattered_sums(compiled):
    x, w = RNG.rand(1, 2, 3, 3), RNG.rand(2, 2, 1, 1)
    found = run(ops.DepthwiseConv2dNative(2, 1), compiled, x, w)
    expected = np.stack([x[:, c] * w[m, c, 0, 0] for c in (0, 1) for m in (0, 1)], 1)
    same(found, expected)
    indices, updates = i64([[0, 2], [1, 1]]), f32([[1, 2], [3, 4]])
    found = run(ops.ScatterAddWithAxis(1), compiled, f32([[0] * 3] * 2), indices, updates)
    same(found, [[1, 0, 2], [0, 7, 0]])
    same(run(ops.operations.RangeV2(), compiled, i64(1), i64(9), i64(3)), [1, 4, 7])


@MODES
def test_boxes_that_overlap_are_left_out(compiled):
    boxes = f32([[0, 0, 2, 2], [0, 0, 2, 1.9], [3, 3, 4, 4], [0, 0, 0.1, 0.1]])
    scores, fn = f32([0.5, 0.9, 0.3, 0.05]), ops.NonMaxSuppressionV3()
    same(run(fn, compiled, boxes, scores, i64(5), f32(0.5), f32(0.1)), [1, 2])
    same(run(fn, compiled, boxes, scores, i64(1), f32(0.5), f32(0.1)), [1])
    same(run(fn, compiled, boxes, scores, i64(5), f32(0.99), f32(0.1)), [1, 0, 2])


@MODES
def test_sets_and_ragged_rows(compiled):
    places, values = i64([[0, 0], [0, 1], [1, 0]]), i64([1, 1, 2])

    def sizes(i, v):
        return sparse_ops.SetSize()(i, v, (2, 2))

    same(run(sizes, compiled, places, values), [1, 1])

    def moved(i):
        return sparse_ops.SparseReshape()(i, (2, 3), (3, -1))

    found = run(moved, compiled, i64([[0, 0], [0, 1], [1, 2]]))
    same(found, [[0, 0], [0, 1], [2, 1]], [3, 2])
    dense, x = RNG.rand(2, 3), np.zeros((2, 3))
    i, v, shape = run(
        lambda d: sparse_ops.Sspaddmm()(
            Tensor([[0], [1]]),
            Tensor([2.0], ms.float64),
            (2, 3),
            Tensor([[0, 1], [0, 1]]),
            Tensor([1.0, 2.0], ms.float64),
            (2, 2),
            d,
            3.0,
            0.5,
        ),
        compiled,
        dense,
    )
    np.add.at(x, tuple(i), v)
    same([x, shape], np.array([[0, 1, 0], [0, 0, 0]]) + 3 * np.diag([1.0, 2]) @ dense, [2, 3])
    x = f32([1, 2, 3, 4, 5])
    by_rows = sparse_ops.RaggedTensorToTensor(["FIRST_DIM_SIZE", "VALUE_ROWIDS"])
    by_splits = sparse_ops.RaggedTensorToTensor(["ROW_SPLITS"])
    for fn, given, shape, expected in (
        (by_rows, (Tensor(3), Tensor([0, 0, 1, 2, 2])), (3, 3), [[1, 2, 9], [3, 9, 9], [4, 5, 9]]),
        (by_splits, (Tensor([0, 3, 3, 5]),), (3, 2), [[1, 2], [9, 9], [4, 5]]),
    ):
        same(run(lambda x, fn=fn, s=shape, g=given: fn(s, x, 9.0, g), compiled, x), expected)


def test_steps_on_rows_are_the_dense_steps_of_those_rows():
    grad, rows = f32([[1, 2], [3, 4]]), np.array([0, 2])
    w = np.arange(6, dtype=np.float32).reshape(3, 2) + 1

    def parameter():
        return Parameter(Tensor(w))

    var, accum = parameter(), parameter()
    out = nn_ops.SparseApplyMomentum()(var, accum, 0.1, Tensor(grad), Tensor(rows), 0.9)
    expected, moved = w.copy(), w.copy()
    moved[rows] = 0.9 * w[rows] + grad
    expected[rows] -= 0.1 * moved[rows]
    same([out.asnumpy(), accum.asnumpy()], expected, moved)
    var = parameter()
    nn_ops.SparseApplyProximalGradientDescent()(var, 0.1, 0.0, 0.5, Tensor(grad), Tensor(rows))
    expected = w.copy()
    expected[rows] = (w[rows] - 0.1 * grad) / (1 + 0.1 * 0.5)
    same([var.asnumpy()], expected)
    states = [parameter() for _ in range(3)]
    nn_ops.SparseApplyAdagradDA()(*states, Tensor(grad), Tensor(rows), 0.1, 0.0, 0.02, 2)
    expected = w.copy()
    expected[rows] = -0.1 * (w[rows] + grad) / (0.02 * 2 * 0.1 + np.sqrt(w[rows] + grad**2))
    same([states[0].asnumpy()], expected)
    var, mean, square, moment = parameter(), Parameter(Tensor(0 * w)), parameter(), parameter()
    nn_ops.SparseApplyCenteredRMSProp()(
        var, mean, square, moment, 0.1, 0.9, 0.8, 1e-5, Tensor(grad), Tensor(rows)
    )
    centre, spread = 0.1 * grad, 0.9 * w[rows] + 0.1 * grad**2
    step = 0.8 * w[rows] + 0.1 * grad / np.sqrt(spread - centre**2 + 1e-5)
    same([var.asnumpy()[rows], var.asnumpy()[1]], w[rows] - step, w[1])


@MODES
def test_masks_of_bits(compiled):
    def call(x):
        mask = ops.DropoutGenMask(1, 2)(x.shape, 0.7)
        return mask, ops.DropoutDoMask()(x, mask, 0.7)

    x = RNG.rand(50, 30).astype(np.float32) + 1
    mask, out = run(call, compiled, x)
    bits = np.unpackbits(mask, bitorder="little")[: x.size].reshape(x.shape)
    assert mask.dtype == np.uint8 and mask.size % 16 == 0 and 0.6 < bits.mean() < 0.8
    same([out], x * bits / np.float32(0.7))


def test_random_numbers_by_class():
    ms.set_seed(5)
    x = ops.Cauchy([20000], 2.0, 3.0)().asnumpy()
    low, mid, high = np.quantile(x, [0.25, 0.5, 0.75])
    assert abs(mid - 2) < 0.2 and abs(low + 1) < 0.3 and abs(high - 5) < 0.3
    x = np.log(random_ops.LogNormalReverse(1.0, 2.0)(ops.zeros((20000,))).asnumpy())
    assert abs(x.mean() - 1) < 0.1 and abs(x.std() - 2) < 0.1
    whole = random_ops.NonDeterministicInts()((1000,)).asnumpy()
    assert whole.dtype == np.int64 and abs((whole > 0).mean() - 0.5) < 0.1
    assert np.abs(whole.astype(float)).max() > 2.0**61
    small = random_ops.NonDeterministicInts(ms.int32)((1000,)).asnumpy()
    assert small.dtype == np.int32 and small.min() < 0 < small.max()
    x = random_ops.Uniform(2.0, 4.0)(ops.zeros((1000,))).asnumpy()
    assert 2 <= x.min() < 2.1 and 3.9 < x.max() <= 4
    mean, one = Tensor([0.0, 10.0]), Tensor([1.0, 1.0])
    draw = random_ops.ParameterizedTruncatedNormal()
    x = draw((2, 1000), mean, one, mean - 1.0, mean + 2.0).asnumpy()
    assert x[0].min() >= -1 and x[0].max() <= 2 and x[1].min() >= 9 and 10 < x[1].mean() < 10.5
    order = ops.Randperm(6, -7)(Tensor([4], ms.int32)).asnumpy()
    assert sorted(order[:4]) == [0, 1, 2, 3] and order[4:].tolist() == [-7, -7]


@pytest.mark.parametrize("compiled", [False, True])
def test_sequences(compiled):
    x = Tensor([4.0, 5.0])

    def call(x):
        numbers = (1, 2, 1)
        return (
            S.SequenceCount()(numbers, 1),
            S.SequenceIndex()(numbers, 2),
            S.SequenceMul()(numbers, 2),
            S.SequenceAdd()(numbers, (x,))[3],
            S.SequenceSlice()(numbers, 0, 3, 2),
            S.SequenceMax()(numbers),
            S.SequenceMin()(numbers),
            S.InSequence()(3, numbers),
            S.ListAppend()([1], 2),
            S.ListInsert()([1, 3], 1, 2),
            S.SequenceStack()((x, x)),
            S.SequenceAddN()((x, x)),
            S.TupleToTensor()(numbers, ms.float32),
            S.TensorToScalar()(x[0]),
            S.TensorToTuple()(x),
            S.TensorToList()(x),
        )

    found = (ms.jit(call) if compiled else call)(x)
    assert found[:3] == (2, 1, (1, 2, 1, 1, 2, 1)) and found[4:8] == ((1, 1), 2, 1, False)
    assert found[8:10] == ([1, 2], [1, 2, 3]) and found[13] == ms.mint.item(x[:1]) == 4.0
    assert found[14] == (4.0, 5.0) and found[15] == [4.0, 5.0]
    tensors = [found[i].asnumpy() for i in (3, 10, 11, 12)]
    same(tensors, [4, 5], [[4, 5], [4, 5]], [8, 10], [1, 2, 1])


@MODES
def test_axes_given_as_a_tensor(compiled):
    x, axes = RNG.rand(3, 4, 2), i64([0, 2])
    for fn, expected in (
        (ops.reduce_sum, x.sum((0, 2))),
        (ops.ReduceSum(), x.sum((0, 2))),
        (ops.reduce_max, x.max((0, 2))),
        (ops.reduce_min, x.min((0, 2))),
    ):
        same(run(fn, compiled, x, axes), expected)
    same(run(lambda x: ops.reduce_sum(x, []), compiled, x), x.sum())
    same(run(ops.reduce_sum, compiled, x, i64(1)), x.sum(1))


@MODES
def test_pools_between_drawn_bounds(compiled):
    x = RNG.rand(2, 7, 5, 3)
    for cls, reduce in ((ops.FractionalMaxPool, np.max), (ops.FractionalAvgPool, np.mean)):
        for extra in (0, 1):
            pool = cls([1.0, 1.7, 1.3, 1.0], overlapping=bool(extra))
            out, rows, columns = run(pool, compiled, x)
            assert len(rows) == 5 and len(columns) == 4 and (rows[0], rows[-1]) == (0, 7)
            expected = [
                [
                    reduce(x[:, a : b + extra, c : d + extra], (1, 2))
                    for c, d in zip(columns[:-1], columns[1:])
                ]
                for a, b in zip(rows[:-1], rows[1:])
            ]
            same([out], np.moveaxis(expected, 2, 0))
    x, even = np.arange(16.0).reshape(1, 4, 4, 1), [1.0, 2.0, 2.0, 1.0]
    check_gradient(lambda x: ops.FractionalMaxPool(even)(x)[0], x, compiled)
    check_gradient(lambda x: ops.FractionalAvgPool(even)(x)[0], x, compiled)


def test_drawn_bounds_are_fair():
    for n, ratio in ((10, 1.44), (7, 1.7), (50, 2.9), (5, 1.0)):
        for pseudo in (False, True):
            pool = ops.FractionalMaxPool([1.0, ratio, 1.0, 1.0], pseudo)
            steps = [np.diff(pool(ops.ones((1, n, 1, 1)))[1].asnumpy()) for _ in range(20)]
            allowed = {math.floor(n / int(n / ratio)), math.floor(n / int(n / ratio)) + 1}
            assert all(s.sum() == n and len(s) == int(n / ratio) and s.min() >= 1 for s in steps)
            assert pseudo or {int(v) for s in steps for v in s} <= allowed
    with pytest.raises(ValueError, match="pooling_ratio"):
        ops.FractionalMaxPool([1.0, 0.5, 1.0, 1.0])

"""Rank 0, empty tensors, overlapping parts and other edges of ops, against NumPy."""

import math

import numpy as np
import pytest

import minds as ms
from minds import Tensor, mint, ops


def ramp(*shape):
    return np.arange(math.prod(shape)).reshape(shape).astype(np.float32)


def T(*shape):
    return Tensor(ramp(*shape))


def normed(a):
    return (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + 1e-5)


A = np.array([1 + 2j, 3 - 1j], np.complex64)
B = np.array([2 - 1j, 1j], np.complex64)
ONES = Tensor(np.ones(3, np.int8))
THREE = Tensor(3.0)
DISTANCES = np.linalg.norm(ramp(1, 4, 1, 5) - ramp(1, 1, 3, 5) - 1, axis=-1)

CASES = {
    "vdot conjugates": (lambda: mint.vdot(Tensor(A), Tensor(B)), np.vdot(A, B)),
    "hardtanh of ints": (lambda: ops.hardtanh(Tensor([3, -3, 0])), np.array([1, -1, 0])),
    "prelu, rank 0": (lambda: ops.prelu(Tensor(-3.0), Tensor([0.5])), np.float32(-1.5)),
    "renorm, largest": (
        lambda: ops.renorm(T(2, 2) + 1, math.inf, 0, 0.5),
        np.array([[0.25, 0.5], [0.375, 0.5]], np.float32),
    ),
    "masked_select, rank 0": (lambda: mint.masked_select(THREE, Tensor(True)), ramp(4)[3:]),
    "diff, never": (lambda: mint.diff(T(3), 0, 0, T(1)), ramp(3)),
    "cdist, ranks differ": (lambda: ops.cdist(T(4, 5), T(1, 3, 5) + 1), DISTANCES),
    "cdist, no batch": (lambda: mint.cdist(T(4, 5), T(0, 3, 5), p=1.5), ramp(0, 4, 3)),
    "kthvalue, rank 0": (lambda: mint.kthvalue(THREE, 1)[0], np.float32(3)),
    "transpose, rank 0": (lambda: mint.transpose(THREE, 0, -1), np.float32(3)),
    "squeeze, another size": (lambda: ops.squeeze(T(2, 1, 3), (0, 1)), ramp(2, 3)),
    "group_norm, no batch": (lambda: ops.group_norm(T(0, 4, 3), 2), ramp(0, 4, 3)),
    "group_norm": (lambda: ops.group_norm(T(1, 2, 3), 2), normed(ramp(1, 2, 3))),
    "var, half a correction": (
        lambda: mint.var(T(5), correction=0.5),
        np.float32(ramp(5).var() * 5 / 4.5),
    ),
    "var of nothing": (lambda: mint.var(T(0)), np.float32(np.nan)),
    "var of one": (lambda: mint.var(T(1)), np.float32(np.nan)),
    "reduce_sum, int8": (lambda: ops.reduce_sum(ONES), np.int8(3)),
    "parts that overlap": (
        lambda: ops.tensor_split(T(5), (-1, 4, 2, 1)),
        np.array_split(ramp(5), (-1, 4, 2, 1)),
    ),
    "columns that overlap": (
        lambda: ops.hsplit(T(2, 2, 2), (2, 1)),
        np.array_split(ramp(2, 2, 2), (2, 1), 1),
    ),
    "chunks of nothing": (lambda: mint.chunk(T(2, 0), 3, 1), [ramp(2, 0)] * 3),
    "reflectors of no matrices": (lambda: list(ops.geqrf(T(0, 2, 3))), [ramp(0, 2, 3), ramp(0, 2)]),
    "reflectors of nothing": (lambda: list(ops.geqrf(T(0, 3))), [ramp(0, 3), ramp(0)]),
    "counts are whole": (lambda: mint.bincount(Tensor([0, 2, 2])), np.array([1, 0, 2])),
    "rows of a tensor": (lambda: ops.vstack(T(2, 3)), ramp(2, 3)),
}


def several(v):
    return list(v) if isinstance(v, (tuple, list)) else [v]


@pytest.mark.parametrize("jit", [lambda fn: fn, ms.jit], ids=["eager", "graph"])
@pytest.mark.parametrize("name", CASES)
def test_agrees(name, jit):
    call, expected = CASES[name]
    got, wanted = several(jit(call)()), several(expected)
    assert len(got) == len(wanted)
    for a, b in zip(got, wanted):
        assert a.shape == b.shape and a.asnumpy().dtype == b.dtype
        assert np.allclose(a.asnumpy(), b, rtol=1e-5, equal_nan=True)


@pytest.mark.parametrize("jit", [lambda fn: fn, ms.jit], ids=["eager", "graph"])
def test_gradients(jit):
    x = Tensor([1.0, 3.0, 2.0, 5.0])
    grad = jit(ms.grad(lambda x: (ops.tensor_split(x, (3, 1))[2] * x[1:]).sum()))
    assert grad(x).asnumpy().tolist() == [0.0, 6.0, 4.0, 10.0]
    grad = jit(ms.grad(lambda x: ops.renorm(ops.reshape(x, (2, 2)), math.inf, 0, 2.0).sum()))
    a = x.asnumpy().reshape(2, 2)
    step, wanted = 1e-3, []
    for i in range(4):
        sums = []
        for sign in (1, -1):
            b = a.copy().reshape(-1)
            b[i] += sign * step
            b = b.reshape(2, 2).astype(np.float64)
            most = np.abs(b).max(1, keepdims=True)
            sums.append((b * np.where(most > 2.0, 2.0 / (most + 1e-7), 1)).sum())
        wanted.append((sums[0] - sums[1]) / (2 * step))
    assert np.allclose(grad(x).asnumpy(), wanted, atol=1e-3)


V = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]], np.float32)
GIVEN = {
    "sum": (ops.sum, [0], V.sum(0)),
    "mean": (ops.mean, 1, V.mean(1)),
    "amax": (ops.amax, [0, 1], V.max()),
    "ReduceMin": (ops.ReduceMin(), [1], V.min(1)),
    "ReduceMean": (ops.ReduceMean(True), [0], V.mean(0, keepdims=True)),
    "prod": (ops.prod, 0, V.prod(0)),
    "cumsum": (ops.cumsum, 1, V.cumsum(1)),
    "expand_dims": (ops.expand_dims, 1, V[:, None]),
    "reshape": (ops.reshape, [3, 2], V.reshape(3, 2)),
    "tile": (ops.tile, [2, 1], np.tile(V, (2, 1))),
    "broadcast_to": (ops.broadcast_to, [2, 2, 3], np.broadcast_to(V, (2, 2, 3))),
}


@pytest.mark.parametrize("name", GIVEN)
def test_a_tensor_of_ints_is_an_axis_or_a_shape(name):
    fn, given, want = GIVEN[name]
    plain = tuple(given) if isinstance(given, list) else given
    weight = Tensor(np.linspace(-1, 2, want.size).reshape(want.shape).astype(np.float32))

    def use(x, a):
        return fn(x, a)

    def loss(x, a):
        return (use(x, a) * weight).sum()

    expected = ms.grad(loss)(Tensor(V), plain).asnumpy()
    for call, diff in ((use, ms.grad(loss)), (ms.jit(use), ms.jit(ms.grad(loss)))):
        np.testing.assert_allclose(call(Tensor(V), Tensor(given)).asnumpy(), want, rtol=1e-6)
        np.testing.assert_array_equal(diff(Tensor(V), Tensor(given)).asnumpy(), expected)


@pytest.mark.parametrize("given", [[0.0], [True], [[0]], [2]])
def test_other_tensors_are_no_axis(given):
    with pytest.raises(ValueError if given == [2] else TypeError, match="^sum: axis must be"):
        ops.sum(Tensor(V), Tensor(given))


@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan])
def test_singular_values_of_what_is_not_finite(number):
    """They are refused in both modes: the iteration that finds them would not end."""
    x = Tensor(np.array([[1.0, 2.0, 3.0], [number, 4.0, 5.0], [6.0, 7.0, 9.0]]))
    for run in (ops.svd, ms.jit(lambda x: ops.svd(x))):
        with pytest.raises(ValueError, match="svd: SVD did not converge: a value is not finite"):
            run(x)

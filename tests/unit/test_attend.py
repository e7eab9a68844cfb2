"""Attention as one op: which programs become it, and that these compute what they did."""

import math

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops
from minds.ad import tape
from minds.base.options import freeze
from minds.jit.parsing import parse
from minds.passes import attend
from minds.passes.driver import Rewriter
from minds.passes.simplify import simplify

N, H, L, S, D = 2, 3, 5, 7, 16


def operands(dtype=ms.float16, rank=4):
    r = np.random.RandomState(0)
    lead = (N, H)[: rank - 2]
    arrays = [r.randn(*lead, n, D) for n in (L, S, S)]
    mask = np.where(r.rand(*(N, 1)[: rank - 2], 1, S) < 0.3, -1e4, 0)
    return [Tensor(a.astype("f")).astype(dtype) for a in (*arrays, mask)]


def plain(q, k, v, mask):
    return ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) / math.sqrt(D), -1), v)


def masked(q, k, v, mask):
    scores = ops.BatchMatMul(transpose_b=True)(q, k) * 0.25 + mask
    return ops.matmul(ops.softmax(scores, -1), v)


def mask_first(q, k, v, mask):
    scores = mask + ops.bmm(
        q * 0.25, ops.transpose(k, (*range(q.ndim - 2), q.ndim - 1, q.ndim - 2))
    )
    return ops.bmm(ops.softmax(scores, axis=-1), v)


def in_float32(q, k, v, mask):
    scores = ops.matmul(q, k.swapaxes(-1, -2)).astype(ms.float32) * 0.25 + mask.astype(ms.float32)
    return ops.matmul(ops.softmax(scores).astype(q.dtype), v)


def weights_kept(q, k, v, mask):
    weights = ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)), -1)
    return ops.matmul(weights, v), weights


def over_queries(q, k, v, mask):
    return ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)), -2), v)


def by_data(q, k, v, mask):
    return ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * q.sum(), -1), v)


def hits(fn, args) -> int:
    with tape.suspended():
        ip, _ = parse(fn, args, {}, freeze())
        rewriter = Rewriter(simplify(ip.root), attend.RULES)
        rewriter.run()
    return rewriter.counts["attention_of_product"][1]


@pytest.mark.parametrize("fn", [plain, masked, mask_first, in_float32], ids=lambda f: f.__name__)
@pytest.mark.parametrize("rank", [3, 4])
def test_it_becomes_one_op(fn, rank, monkeypatch):
    args = operands(rank=rank)
    assert hits(fn, args) == 1
    monkeypatch.setattr(attend, "has_kernel", lambda device: True)  # the CPU takes it apart again

    def loss(*args):
        y = fn(*args).astype(ms.float32)
        return (y * y).sum()

    at = (0, 1, 2, 3)
    found = ms.jit(fn)(*args), *ms.jit(ms.grad(loss, at))(*args)
    wide = [a.astype(ms.float32) for a in args]
    for f, w in zip(found, (fn(*wide), *ms.grad(loss, at)(*wide)), strict=True):
        w = w.asnumpy()
        assert f.dtype is ms.float16 and f.shape == w.shape
        np.testing.assert_allclose(f.astype(ms.float32).asnumpy(), w, atol=4e-3 * np.abs(w).max())


@pytest.mark.parametrize("fn", [weights_kept, over_queries, by_data], ids=lambda f: f.__name__)
def test_it_stays_as_it_is(fn):
    assert hits(fn, operands()) == 0


def test_dtypes_that_the_kernel_does_not_take_stay():
    assert hits(masked, operands(ms.float64)) == 0
    assert hits(masked, operands(ms.float32)) == 1
    assert hits(masked, operands(ms.bfloat16)) == 1


def test_second_derivatives(monkeypatch):
    monkeypatch.setattr(attend, "has_kernel", lambda device: True)
    args = operands()

    def slope(q):
        grads = ms.grad(lambda q: (masked(q, *args[1:]).astype(ms.float32) ** 2).sum())(q)
        return (grads.astype(ms.float32) ** 2).sum()

    found = ms.jit(ms.grad(slope))(args[0]).astype(ms.float32).asnumpy()
    monkeypatch.undo()
    args = [a.astype(ms.float32) for a in args]
    wanted = ms.jit(ms.grad(slope))(args[0]).asnumpy()
    np.testing.assert_allclose(found, wanted, atol=1e-2 * np.abs(wanted).max())

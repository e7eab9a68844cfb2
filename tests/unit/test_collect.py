"""Products that loops add up backwards are done for many iterations at once (`lower/collect.py`)."""

from __future__ import annotations

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops
from minds.lower import collect

N, D, H = 2, 3, 4


@pytest.fixture
def taken(monkeypatch):
    """Small products are collected too, of three iterations at a time; gives which have been: the
    numbers of products and column sums, for each loop.
    """
    found, rewrite = [], collect.AddingLoop.rewrite

    def spy(loop):
        operands = [len(numbers) for b in loop.blocks.values() for _, numbers in b.terms]
        found.append((operands.count(2), operands.count(1)))
        rewrite(loop)

    monkeypatch.setattr(collect.AddingLoop, "rewrite", spy)
    monkeypatch.setattr(collect, "LEAST", 1)
    monkeypatch.setattr(collect, "TIMES", 3)
    return found


def arrays(*shapes, dtype=np.float64):
    rng = np.random.default_rng(0)
    return [Tensor(0.5 * rng.standard_normal(s).astype(dtype)) for s in shapes]


def gradients(fn, wrt, *args, mode=ms.GRAPH_MODE):
    ms.set_context(mode=mode)
    try:
        g = ms.grad(fn, wrt)
        found = (ms.jit(g) if mode == ms.GRAPH_MODE else g)(*args)
        found = found if isinstance(found, tuple) else (found,)
        return [np.asarray(d.astype(ms.float64).asnumpy()) for d in found]
    finally:
        ms.set_context(mode=ms.GRAPH_MODE)


def agree(fn, wrt, *args):
    """The gradients in both modes, which agree."""
    compiled = gradients(fn, wrt, *args)
    for found, wanted in zip(compiled, gradients(fn, wrt, *args, mode=ms.PYNATIVE_MODE)):
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-13)
    return compiled


def recurrent(x, w, u, b, h):
    for t in range(x.shape[0]):
        h = ops.tanh(x[t] @ w + h @ u + b)
    return (h * h).sum()


def by_hand(x, w, u, b, h):
    """The gradients of `recurrent` by w, u and b."""
    x, w, u, b, h = (v.asnumpy().astype(np.float64) for v in (x, w, u, b, h))
    states = [h]
    for row in x:
        states.append(np.tanh(row @ w + states[-1] @ u + b))
    dw, du, db, dh = np.zeros_like(w), np.zeros_like(u), np.zeros_like(b), 2 * states[-1]
    for t in reversed(range(len(x))):
        d = dh * (1 - states[t + 1] ** 2)
        dw, du, db, dh = dw + x[t].T @ d, du + states[t].T @ d, db + d.sum(0), d @ u.T
    return dw, du, db


@pytest.mark.parametrize("steps", [9, 12, 13, 14])
def test_recurrent(taken, steps):
    """The first iteration stands before the loop: the room is left empty, or filled in part."""
    args = arrays((steps, N, D), (D, H), (H, H), (H,), (N, H))
    for found, wanted in zip(gradients(recurrent, (1, 2, 3), *args), by_hand(*args)):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)
    assert taken == [(2, 1)]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_other_dtypes(taken, dtype):
    args = arrays((12, N, D), (D, H), (H, H), (H,), (N, H))
    low = [v.astype(getattr(ms, dtype)) for v in args]
    unit = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1e-7}[dtype]
    for found, wanted in zip(gradients(recurrent, (1, 2, 3), *low), by_hand(*low)):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=40 * unit * np.abs(wanted).max())
    assert taken == [(2, 1)]


def test_weights_that_are_cast(taken):
    """As mixed precision does: products in bfloat16, sums in float32."""

    def low(v):
        return v.astype(ms.bfloat16)

    def fn(x, w, u, h):
        for t in range(x.shape[0]):
            h = ops.tanh(low(x[t]) @ low(w) + low(h) @ low(u)).astype(ms.float32)
        return (h * h).sum()

    args = arrays((14, N, D), (D, H), (H, H), (N, H), dtype=np.float32)
    eager = gradients(fn, (1, 2), *args, mode=ms.PYNATIVE_MODE)
    for found, wanted in zip(gradients(fn, (1, 2), *args), eager):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=0.03 * np.abs(wanted).max())
    assert taken == [(2, 0)]


def test_weights_of_other_shapes(taken):
    def fn(u, v, h):
        for _ in range(12):
            h = ops.tanh(h @ u.reshape(H, H) + ops.sin(h) @ v.reshape(H, H).T)
        return (h * h).sum()

    agree(fn, (0, 1, 2), *arrays((H * H,), (2, H * H // 2), (N, H)))
    assert taken == [(2, 0)]


def test_bits_repeat(taken):
    args = arrays((40, N, D), (D, H), (H, H), (H,), (N, H), dtype=np.float32)
    first = gradients(recurrent, (1, 2, 3), *args)
    assert all(map(np.array_equal, first, gradients(recurrent, (1, 2, 3), *args)))


def test_transposed_weights(taken):
    def fn(x, w, u, h):
        for t in range(x.shape[0]):
            h = ops.tanh(ops.matmul(x[t], w.T) + (u @ h.T).T)
        return (h * h).sum()

    agree(fn, (1, 2), *arrays((12, N, D), (H, D), (H, H), (N, H)))
    assert taken == [(2, 0)]


def test_one_weight_twice_in_an_iteration(taken):
    def fn(u, h):
        for _ in range(11):
            h = ops.tanh(ops.sin(h @ u) @ u)
        return (h * h).sum()

    agree(fn, (0, 1), *arrays((H, H), (N, H)))
    assert taken == [(2, 0)]


def test_a_loop_that_data_end(taken):
    def fn(u, h, limit):
        while (h * h).sum() < limit:
            h = h + 0.5 * ops.tanh(h @ u) + 0.1
        return (h * h).sum()

    u, h = arrays((H, H), (N, H))
    for limit in (-1.0, 3.0, 9.0, 30.0, 900.0):  # none, and ever more iterations
        agree(fn, (0, 1), u, h, Tensor(limit))
    assert taken[0] == (1, 0)


def test_branches(taken):
    def fn(u, v, h):
        for i in range(17):
            if h.sum() > 0:
                h = ops.tanh(h @ u) - 0.3 * i
            else:
                h = ops.cos(h @ v) + ops.sin(h @ u)
        return (h * h).sum()

    agree(fn, (0, 1, 2), *arrays((H, H), (H, H), (N, H)))


def test_ways_through_an_iteration(taken):
    def fn(u, v, h):
        for i in range(17):
            h = ops.tanh(h @ u) - 0.1 * i
            if h.sum() > 0:
                continue
            h = ops.cos(h @ v) + ops.sin(h @ u)
        return (h * h).sum()

    agree(fn, (0, 1, 2), *arrays((H, H), (H, H), (N, H)))
    assert taken == [(3, 0)]


def test_nested_loops(taken):
    def fn(u, v, h, n):
        for i in range(n):
            y = h
            for _ in range(i % 5):
                y = ops.tanh(y @ u)
            h = ops.sin(y @ v + h @ u)
        return (h * h).sum()

    args = arrays((H, H), (H, H), (N, H))
    for n in (0, 1, 2, 14):
        agree(fn, (0, 1, 2), *args, Tensor(n))
    assert (1, 0) in taken


def test_what_is_read_in_the_loop_stays(taken):
    """The user's own sum of products is no gradient, and is read."""

    def fn(x, y):
        total = x[0].T @ y[0]
        for t in range(1, x.shape[0]):
            total = total + x[t].T @ y[t]
        return (total * total).sum()

    def reads(u, h):
        for _ in range(12):
            h = ops.tanh(h @ (u * 1.5))
            u = u + 0.1 * (h.T @ h)
        return (h * h).sum()

    x, y = arrays((12, N, D), (12, N, H))
    agree(fn, (0, 1), x, y)
    assert taken == []
    agree(reads, (0, 1), *arrays((H, H), (N, H)))
    assert taken == []


def test_sums_that_change_places(taken):
    """Two weights take turns, so each accumulator holds one sum and then the other."""

    def fn(u, v, h):
        for _ in range(13):
            h = ops.tanh(h @ u)
            u, v = v, u
        return (h * h).sum()

    agree(fn, (0, 1, 2), *arrays((H, H), (H, H), (N, H)))
    assert taken == []


def test_forward_sums_keep_their_bits(taken):
    @ms.jit
    def fn(x, y):
        total = ops.zeros((D, H), ms.float32)
        for t in range(x.shape[0]):
            total = total + x[t].T @ y[t]
        return total

    x, y = arrays((12, N, D), (12, N, H), dtype=np.float32)
    wanted = np.zeros((D, H), np.float32)
    for a, b in zip(x.asnumpy(), y.asnumpy()):
        wanted = wanted + ops.matmul(Tensor(a.T), Tensor(b)).asnumpy()
    assert np.array_equal(fn(x, y).asnumpy(), wanted)
    assert taken == []


def test_second_order(taken):
    def slope(u, h):
        return (ms.grad(short)(u, h) ** 2).sum()

    def short(u, h):
        for _ in range(10):
            h = ops.tanh(h @ u)
        return (h * h).sum()

    u, h = arrays((H, H), (N, H))
    (found,) = gradients(slope, (0,), u, h)
    step, wanted = 1e-6, np.zeros((H, H))
    for i in np.ndindex(H, H):
        e = np.zeros((H, H))
        e[i] = step
        ends = [slope(Tensor(u.asnumpy() + s * e), h).asnumpy() for s in (1, -1)]
        wanted[i] = (ends[0] - ends[1]) / (2 * step)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-7)
    assert taken


def test_gradients_under_vmap(taken):
    def each(h, u):
        return ms.grad(lambda u: short(u, h))(u)

    def short(u, h):
        for _ in range(10):
            h = ops.tanh(h @ u)
        return (h * h).sum()

    u, hs = arrays((H, H), (3, N, H))
    found = ms.jit(ms.vmap(each, (0, None)))(hs, u).asnumpy()
    wanted = [gradients(lambda u, h=h: short(u, h), (0,), u)[0] for h in hs]
    np.testing.assert_allclose(found, np.stack(wanted), rtol=1e-11, atol=1e-13)


def test_lengths_of_the_call(taken):
    """A program for sequences of any length."""
    args = arrays((1, N, D), (D, H), (H, H), (H,), (N, H))
    signature = (Tensor(shape=[None, N, D], dtype=ms.float64), *args[1:])
    step = ms.jit(ms.grad(recurrent, (1, 2, 3)), input_signature=signature)
    for steps in (1, 2, 9, 30):
        x = arrays((steps, N, D))[0]
        for found, wanted in zip(step(x, *args[1:]), by_hand(x, *args[1:])):
            np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("cell", [nn.RNN, nn.GRU, nn.LSTM])
@pytest.mark.parametrize("form", ["plain", "lengths", "both ways"])
def test_layers(taken, cell, form):
    """Long sequences are a loop of the program, short ones are not: their gradients agree."""
    net = cell(D, H, bidirectional=form == "both ways")
    x = arrays((13, N, D), dtype=np.float32)[0]
    lengths = Tensor(np.array([13, 5], np.int32)) if form == "lengths" else None

    def loss(x):
        y, _ = net(x, None, lengths)
        return (y * y).sum()

    def found(mode):
        ms.set_context(mode=mode)
        try:
            g = ms.grad(loss, 0, net.trainable_params())
            dx, dw = (ms.jit(g) if mode == ms.GRAPH_MODE else g)(x)
            return [d.asnumpy() for d in (dx, *dw)]
        finally:
            ms.set_context(mode=ms.GRAPH_MODE)

    for a, b in zip(found(ms.GRAPH_MODE), found(ms.PYNATIVE_MODE)):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6 * max(1, np.abs(b).max()))
    assert taken and all(products >= 1 for products, _ in taken)

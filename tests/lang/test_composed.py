"""Chosen functions, loops as functions and `host` under derivatives, `vmap` and `recompute`, and
over parameters.
"""

import numpy as np
import pytest
from agreement import agree, assert_same

import minds as ms
from minds import Tensor, nn, ops

X = Tensor([0.5, -1.25, 2.0])
BATCH = Tensor(np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32))
ROWS = Tensor(np.random.default_rng(1).standard_normal((20, 3)).astype(np.float32))
sinh = ms.host(
    lambda v: np.sinh(v.asnumpy()), out=lambda v: v, grad=lambda v, out, dout: dout * cosh(v)
)
cosh = ms.host(
    lambda v: np.cosh(v.asnumpy()), out=lambda v: v, grad=lambda v, out, dout: dout * sinh(v)
)


def scaled(k):
    return lambda v: v * k


def carried(v):
    return ops.scan(lambda c, e: (ops.tanh(c * e), c.sum()), v, ROWS)


def vmap_of_scan(x, n):
    return ms.vmap(lambda v: carried(v)[1])(BATCH)


def vmap_of_while_loop(x, n):
    return ms.vmap(lambda v: ops.while_loop(lambda s: s.sum() < n, lambda s: ops.abs(s) + 0.5, v))(
        BATCH
    )


def vmap_of_fori_loop(x, n):
    return ms.vmap(lambda v: ops.fori_loop(0, n, lambda i, s: s * 0.5 + i, v))(BATCH)


def vmap_of_cond(x, n):
    return ms.vmap(lambda v: ops.cond(v.sum() > 0.0, lambda u: u * 2.0, lambda u: u - 1.0, v))(
        BATCH
    )


def vmap_of_switch_layer(x, n):
    layers = (ops.sin, ops.cos, lambda u: u * x)
    return ms.vmap(lambda v, i: ops.switch_layer(i, layers)(v))(BATCH, Tensor([0, 1, 2, 1]))


def vmap_of_a_chosen_function(x, n):
    def one(v):
        f = scaled(v) if v.sum() > 0.0 else scaled(2.0)
        return f(v)

    return ms.vmap(one)(BATCH)


def vmap_of_host(x, n):
    return ms.vmap(sinh)(BATCH), ms.vmap(lambda v: ms.grad(lambda u: sinh(u).sum())(v))(BATCH)


def jacobians_of_scan(x, n):
    return ms.jacrev(lambda v: carried(v)[0])(x), ms.jacfwd(lambda v: carried(v)[0])(x)


def hessian_of_while_loop(x, n):
    def loss(v):
        return ops.while_loop(lambda s: s[1] < n, lambda s: (ops.tanh(s[0]) * v, s[1] + 1), (v, 0))[
            0
        ].sum()

    return ms.hessian(loss)(x)


def hessian_of_fori_loop(x, n):
    return ms.hessian(lambda v: ops.fori_loop(0, n, lambda i, s: ops.tanh(s) * v, v).sum())(x)


def hessian_of_cond(x, n):
    return ms.hessian(
        lambda v: ops.cond(v.sum() > n, lambda u: (u * u * u).sum(), lambda u: ops.sin(u).sum(), v)
    )(x)


def hessian_of_a_chosen_function(x, n):
    return ms.hessian(lambda v: (scaled(v * v) if n > 2 else scaled(2.0))(v).sum())(x)


def third_order(x, n):
    def cube(c):
        return ops.fori_loop(0, 3, lambda i, s: s * c, c).sum()

    return ms.grad(lambda a: ms.grad(lambda b: ms.grad(cube)(b).sum())(a).sum())(x)


def derivatives_of_host(x, n):
    return ms.jvp(lambda v: sinh(v) * v, x, x), ms.hessian(lambda v: sinh(v).sum())(x)


def host_in_scan(x, n):
    return ms.grad(lambda v: ops.scan(lambda c, e: (sinh(c) * 0.1 + e, c), v, ROWS)[1].sum())(x)


def recomputed_scan(x, n):
    return ms.grad(lambda v: ms.recompute(lambda u: carried(u)[1], v).sum())(x)


def gradient_of_a_map(x, n):
    def loss(a, b):
        first, (second,) = ops.HyperMap(lambda v, w: (v * w).sum())((a, (b,)), (x, (x,)))
        return first * second

    return ms.grad(loss, (0, 1))(x, x * n)


PROGRAMS = [
    v
    for k, v in list(globals().items())
    if getattr(v, "__module__", "") == __name__
    and callable(v)
    and k not in ("sinh", "cosh", "scaled", "carried")
]


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda f: f.__name__)
def test_agrees(fn):
    for n in (1, 4):
        agree(fn, X, n)


def test_values_of_derivatives():
    np.testing.assert_allclose(third_order(X, 0).asnumpy(), 24 * X.asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(
        np.diag(derivatives_of_host(X, 0)[1].asnumpy()), np.sinh(X.asnumpy()), rtol=1e-6
    )


class Experts(nn.Cell):
    """A layer that data chooses, with parameters of its own and attributes."""

    def __init__(self):
        super().__init__()
        self.layers = nn.CellList(
            [nn.Dense(3, 3), nn.Dense(3, 3), nn.SequentialCell(nn.Dense(3, 3), nn.Tanh())]
        )
        self.scales = [1.0, 0.5, 2.0]

    def construct(self, x, i):
        chosen = self.layers[i]
        return chosen(x) * self.scales[i] + self.layers[-1](x)


class Routed(Experts):
    def construct(self, x, i):
        for k in range(6):
            x = super().construct(x, (i + k) % 3)
        return x


@pytest.mark.parametrize("kind", [Experts, Routed])
def test_layers_chosen_by_data(kind):
    net = kind()
    weights = net.trainable_params()

    def step(x, i):
        return ms.value_and_grad(lambda v: (net(v, i) ** 2.0).sum(), 0, weights)(x)

    compiled = ms.jit(step)
    for i in (0, 1, 2):
        assert_same(compiled(BATCH, i), step(BATCH, i))
    assert len(ms.recompiles(compiled)) == 1
    before = compiled(BATCH, 1)[0]
    ops.assign(net.layers[1].weight, net.layers[1].weight * 2.0)
    assert_same(compiled(BATCH, 1), step(BATCH, 1))
    assert float(before) != float(compiled(BATCH, 1)[0])


def test_attributes_of_a_chosen_layer():
    pair = tuple(Experts().layers)[:2]

    def f(i):
        return pair[i].weight + pair[i].in_channels

    for i in (0, 1):
        agree(f, i)


def test_many_functions_are_a_tree():
    fns = tuple([scaled(float(k)) for k in range(200)])

    def f(x, i):
        return fns[i](x)

    compiled = ms.jit(f)
    for i in (0, 1, 99, 199, -1):
        assert_same(compiled(X, i), f(X, i))
    assert len(ms.recompiles(compiled)) == 1

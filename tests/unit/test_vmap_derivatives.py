"""vmap and the derivatives of each other: eager = compiled to the bit, and the values of a loop
over the rows.
"""

import numpy as np
import pytest
from test_derivatives import both

import minds as ms
from minds import Tensor, nn, ops

ROWS = Tensor(np.random.default_rng(0).standard_normal((5, 3)))
X = ROWS.asnumpy()


def wave(r):
    return ops.sin(r) * r.sum()


def total(r):
    return (ops.sin(r) * r).sum()


def grown(r):
    while r.sum() < 6.0:
        r = r * r * 0.3 + 1.0
    return r


def grown_total(r):
    return (grown(r) ** 2).sum()


def pulled(r):
    value, pull = ms.vjp(wave, r)
    return value, pull(r)[0]


def curvature(r):
    return (ms.grad(total)(r) ** 2).sum()


ONE = {
    "jvp": lambda r: ms.jvp(wave, r, r * 2.0),
    "vjp": pulled,
    "jacrev": ms.jacrev(wave),
    "jacfwd": ms.jacfwd(wave),
    "hessian": ms.hessian(total),
    "grad_of_grad": ms.grad(curvature),
    "jvp_while": lambda r: ms.jvp(grown, r, r * 2.0),
    "jacrev_while": ms.jacrev(grown),
    "hessian_while": ms.hessian(grown_total),
}


@pytest.mark.parametrize("name", ONE)
def test_derivatives_of_each_row(name):
    fn = ONE[name]
    found = both(lambda a: ms.vmap(fn)(a), ROWS)
    rows = [fn(r) for r in ROWS]
    rows = [r if isinstance(r, tuple) else (r,) for r in rows]
    for f, e in zip(found, zip(*rows), strict=True):
        np.testing.assert_allclose(f, np.stack([t.asnumpy() for t in e]), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("fn", [total, grown_total], ids=["flat", "while"])
def test_derivatives_of_the_whole(fn):
    gradients = np.stack([ms.grad(fn)(r).asnumpy() for r in ROWS])
    hessians = np.stack([ms.hessian(fn)(r).asnumpy() for r in ROWS])
    eye = np.eye(5)
    for jacobian in (ms.jacrev, ms.jacfwd):
        (found,) = both(lambda a, jacobian=jacobian: jacobian(ms.vmap(fn))(a), ROWS)
        np.testing.assert_allclose(
            found, np.einsum("ij,ik->ikj", gradients, eye), rtol=1e-10, atol=1e-10
        )
    (found,) = both(lambda a: ms.hessian(lambda b: ms.vmap(fn)(b).sum())(a), ROWS)
    np.testing.assert_allclose(
        found, np.einsum("ijk,il->ijlk", hessians, eye), rtol=1e-10, atol=1e-10
    )
    (found,) = both(lambda a: ms.grad(lambda b: (ms.vmap(ms.grad(fn))(b) ** 2).sum())(a), ROWS)
    np.testing.assert_allclose(
        found, 2 * np.einsum("ijk,ij->ik", hessians, gradients), rtol=1e-9, atol=1e-9
    )


class Scaled(nn.Cell):
    """x * y and x + y, with gradients of its own: those of a product are multiplied by 3."""

    def construct(self, x, y):
        return x * y, x + y

    def bprop(self, x, y, out, dout):
        return dout[0] * y * 3.0 + dout[1], dout[0] * x * 3.0 + dout[1]


scaled = Scaled()


def test_custom_gradients():
    def one(r, shared):
        product, whole = scaled(r, shared)
        return product.sum() + (whole * whole).sum()

    v = X[0]
    dr, dv = 3 * v + 2 * (X + v), 3 * X + 2 * (X + v)
    each = both(lambda a, s: ms.vmap(ms.grad(one, (0, 1)), (0, None))(a, s), ROWS, ROWS[0])
    np.testing.assert_allclose(each[0], dr)
    np.testing.assert_allclose(each[1], dv)
    whole = both(
        lambda a, s: ms.grad(lambda b, c: ms.vmap(one, (0, None))(b, c).sum(), (0, 1))(a, s),
        ROWS,
        ROWS[0],
    )
    np.testing.assert_allclose(whole[0], dr)
    np.testing.assert_allclose(whole[1], dv.sum(0))


def test_custom_gradients_in_a_loop_that_rows_leave_at_their_own_times():
    def loss(r):
        while r.sum() < 6.0:
            r = scaled(r, r)[0] * 0.3 + 1.0
        return r.sum()

    expected = np.stack([ms.grad(loss)(r).asnumpy() for r in ROWS])
    for fn in (ms.vmap(ms.grad(loss)), ms.grad(lambda b: ms.vmap(loss)(b).sum())):
        (found,) = both(lambda a, fn=fn: fn(a), ROWS)
        np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_what_all_rows_share_is_computed_once():
    """The product with the weights is one for all rows, and no row has a copy of them."""
    from minds.jit.compile import stages
    from minds.ops import P

    w = Tensor(np.ones((3, 4), np.float32))

    def fn(rows):
        return ms.vmap(ms.grad(lambda r, v: ops.tanh(ops.matmul(r, v)).sum(), 1), (0, None))(
            rows, w
        )

    graph = stages(fn, (Tensor(np.ones((20, 3), np.float32)),))["tidy"]
    products = [n for n in graph if n.fn is P.matmul]
    assert [n.abstract.shape for n in products] == [(20, 4), (20, 3, 4)]
    assert not any(n.fn is P.broadcast_to and n.abstract.size == 20 * 12 for n in graph)


def test_a_jacobian_runs_the_function_once():
    from minds.jit.compile import stages
    from minds.ops import P

    graph = stages(ms.jacrev(lambda x: ops.tanh(ops.exp(x))), (Tensor(np.ones(50, np.float32)),))[
        "tidy"
    ]
    assert [n.abstract.shape for n in graph if n.fn in (P.tanh, P.exp)] == [(50,), (50,)]

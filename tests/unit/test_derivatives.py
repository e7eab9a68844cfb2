"""vjp, jvp, linearize, jacrev, jacfwd, hessian: eager = compiled to the bit, with the values of
formulas.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops

X = Tensor(np.array([0.5, -1.25, 2.0]))
Y = Tensor(np.array([3.0, 0.75]))
LONG = Tensor(np.linspace(0.1, 1.3, 12))


def bits(value):
    """The tensors of a nested result, as arrays."""
    if isinstance(value, (tuple, list)):
        return [a for v in value for a in bits(v)]
    return [value.asnumpy() if isinstance(value, Tensor) else value]


def both(fn, *args):
    """The result of ``fn``, which must be the same to the bit when compiled."""
    eager = bits(fn(*args))
    compiled = bits(ms.jit(fn)(*args))
    assert len(eager) == len(compiled)
    for a, b in zip(eager, compiled):
        np.testing.assert_array_equal(a, b)
        assert np.asarray(a).dtype == np.asarray(b).dtype
    return eager


def two_outputs(x, y):
    return (x * x).sum() * y, ops.sin(x) * y[0]


def jacobian_of_two(x, y):
    """The blocks of `two_outputs`: [output][input]."""
    first = [np.outer(y, 2 * x), np.eye(2) * (x * x).sum()]
    second = [np.diag(np.cos(x)) * y[0], np.outer(np.sin(x), [1.0, 0.0])]
    return [first, second]


def geometric(x):
    """1 + x + ... : a loop whose length depends on data."""
    s, i = ops.ones_like(x), 0
    while i < 12:
        s = s * x + 1.0
        i += 1
    return s


def grown(x):
    s = x
    while s.sum() < 50.0:
        s = s * x + 1.0
    return s


def power(x, n):
    if n == 0:
        return ops.ones_like(x)
    return x * power(x, n - 1)


x, y = X.asnumpy(), Y.asnumpy()


def test_vjp_is_called_twice():
    def fn(a, b):
        out, pull = ms.vjp(two_outputs, a, b)
        return out, pull((b, a)), pull(b * 2.0, a)

    found = both(fn, X, Y)
    (a, b), (c, d) = jacobian_of_two(x, y)
    np.testing.assert_allclose(found[2], y @ a + x @ c)
    np.testing.assert_allclose(found[3], y @ b + x @ d)
    np.testing.assert_allclose(found[4], 2 * y @ a + x @ c)
    np.testing.assert_allclose(found[5], 2 * y @ b + x @ d)


def test_vjp_has_aux_and_weights():
    w = ms.Parameter(Tensor(np.array([2.0, 3.0, 5.0])), name="w")

    def fn(a):
        out, pull, aux = ms.vjp(lambda v: (v * w, v + 1.0, w * 1.0), a, weights=[w], has_aux=True)
        (by_input,), (by_weight,) = pull(a)
        return out, aux, by_input, by_weight

    out, one, two, by_input, by_weight = both(fn, X)
    np.testing.assert_array_equal(out, x * [2, 3, 5])
    np.testing.assert_array_equal(one, x + 1)
    np.testing.assert_array_equal(by_input, x * [2, 3, 5])
    np.testing.assert_array_equal(by_weight, x * x)
    assert isinstance(ms.vjp(lambda v: v * w, X, weights=w)[1](X)[1], Tensor)


def test_jvp_of_two_outputs():
    found = both(lambda a, b: ms.jvp(two_outputs, (a, b), (b[0] * a, b)), X, Y)
    (a, b), (c, d) = jacobian_of_two(x, y)
    np.testing.assert_allclose(found[2], a @ (y[0] * x) + b @ y)
    np.testing.assert_allclose(found[3], c @ (y[0] * x) + d @ y)


def test_jvp_forms_of_arguments():
    one = ms.jvp(ops.sin, X, X)
    several = ms.jvp(lambda v: (ops.sin(v), v), (X,), (X,), has_aux=True)
    np.testing.assert_allclose(one[1].asnumpy(), np.cos(x) * x)
    np.testing.assert_array_equal(several[1].asnumpy(), one[1].asnumpy())
    assert len(several) == 3
    tangent = ms.jvp(lambda v: (v > 0.0, v * 2.0), X, X)[1]
    assert tangent[0].dtype is ms.bool_ and not tangent[0].asnumpy().any()
    with pytest.raises(ValueError, match="shapes"):
        ms.jvp(ops.sin, X, Y)


def test_linearize():
    def fn(a):
        out, push = ms.linearize(lambda v: ops.exp(v) * v.sum(), a)
        return out, push(a), push(a * 2.0)

    out, once, twice = both(fn, X)
    jacobian = np.diag(np.exp(x)) * x.sum() + np.exp(x)[:, None]
    np.testing.assert_allclose(once, jacobian @ x)
    np.testing.assert_allclose(twice, 2 * once)


@pytest.mark.parametrize("jacobian", [ms.jacrev, ms.jacfwd])
def test_jacobian_blocks(jacobian):
    found = both(lambda a, b: jacobian(two_outputs, (0, 1))(a, b), X, Y)
    for got, want in zip(found, [b for row in jacobian_of_two(x, y) for b in row]):
        np.testing.assert_allclose(got, want)
    first, aux = jacobian(two_outputs, 1, has_aux=True)(X, Y)
    np.testing.assert_allclose(first.asnumpy(), jacobian_of_two(x, y)[0][1])
    np.testing.assert_allclose(aux.asnumpy(), np.sin(x) * y[0])


@pytest.mark.parametrize("jacobian", [ms.jacrev, ms.jacfwd])
def test_jacobian_of_a_loop_by_a_rolled_loop(jacobian):
    v = LONG.asnumpy()
    (found,) = both(lambda a: jacobian(geometric)(a), LONG)
    np.testing.assert_allclose(found, np.diag(np.polyval(np.polyder(np.ones(13)), v)), rtol=1e-12)


def test_jacobian_of_a_matrix_and_a_scalar():
    m = Tensor(np.arange(6.0).reshape(2, 3))
    jac = ms.jacrev(lambda a: ops.matmul(a, a.T))(m).asnumpy()
    assert jac.shape == (2, 2, 2, 3)
    np.testing.assert_array_equal(jac, ms.jacfwd(lambda a: ops.matmul(a, a.T))(m).asnumpy())
    np.testing.assert_array_equal(ms.jacrev(lambda a: a.sum())(X).asnumpy(), np.ones(3))


def test_hessian():
    v = LONG.asnumpy()
    (found,) = both(lambda a: ms.hessian(lambda b: (ops.exp(b) * b.sum()).sum())(a), LONG)
    e = np.exp(v)
    np.testing.assert_allclose(found, np.diag(e * v.sum()) + e[:, None] + e[None, :])
    blocks = both(
        lambda a, b: ms.hessian(lambda p, q: (p * p).sum() * (q * q).sum(), (0, 1))(a, b), X, Y
    )
    np.testing.assert_allclose(blocks[0], 2 * np.eye(3) * (y @ y))
    np.testing.assert_allclose(blocks[1], 4 * np.outer(x, y))
    np.testing.assert_allclose(blocks[2], 4 * np.outer(y, x))
    np.testing.assert_allclose(blocks[3], 2 * np.eye(2) * (x @ x))


@pytest.mark.parametrize("outer", [ms.jacrev, ms.jacfwd])
@pytest.mark.parametrize("inner", [ms.jacrev, ms.jacfwd])
def test_jacobian_of_a_jacobian(outer, inner):
    (found,) = both(lambda a: outer(inner(lambda v: (v * v * v).sum()))(a), X)
    np.testing.assert_allclose(found, np.diag(6 * x))


def test_perturbations_are_not_confused():
    """d/dx (x · d/dy (x + y)) = 1: an inner derivative must not see the outer's variable as its
    own.
    """
    one = Tensor(np.array(1.0))

    def by_grad(a):
        return ms.grad(lambda p: p * ms.grad(lambda q: p + q)(one))(a)

    def by_jvp(a):
        return ms.jvp(lambda p: p * ms.jvp(lambda q: p + q, one, one)[1], a, one)[1]

    def mixed(a):
        return ms.grad(lambda p: p * ms.jvp(lambda q: p * q, p, one)[1])(a)

    assert both(by_grad, one) == [1.0]
    assert both(by_jvp, one) == [1.0]
    assert both(mixed, Tensor(np.array(3.0))) == [6.0]


def test_third_order():
    def by_jvp(a):
        def along(f):
            return lambda v: ms.jvp(f, v, ops.ones_like(v))[1]

        return along(along(along(ops.sin)))(a)

    def by_grad(a):
        def summed(f):
            return lambda v: ms.grad(f)(v).sum()

        return ms.grad(summed(summed(lambda v: ops.sin(v).sum())))(a)

    def by_all(a):
        return ms.grad(
            lambda v: ms.jvp(lambda w: ms.jacfwd(ops.sin)(w).sum(), v, ops.ones_like(v))[1]
        )(a)

    for fn in (by_jvp, by_grad, by_all):
        np.testing.assert_allclose(both(fn, X)[0], -np.cos(x), rtol=1e-14)


def test_through_a_loop_and_recursion():
    (found,) = both(lambda a: ms.jvp(grown, a, a)[1], Tensor(np.array([1.5, 2.0])))
    step = 1e-6
    at = [grown(Tensor(np.array([1.5, 2.0]) * (1 + s * step))).asnumpy() for s in (1, -1)]
    np.testing.assert_allclose(found, (at[0] - at[1]) / (2 * step), rtol=1e-7)
    (found,) = both(lambda a: ms.jvp(lambda v: power(v, 5), a, a)[1], X)
    np.testing.assert_allclose(found, 5 * x**5)
    (found,) = both(lambda a: ms.hessian(lambda v: power(v, 4).sum())(a), X)
    np.testing.assert_allclose(found, np.diag(12 * x**2))


def times(x, n):
    y, i = ops.ones_like(x), 0
    while i < n:
        y = y * x
        i += 1
    return y.sum()


def slope_of(fn):
    return lambda v, n: ms.grad(fn)(v, n).sum()


@pytest.mark.parametrize("order", [2, 3, 4])
def test_high_orders_through_a_long_while(order):
    """Powers by a loop of unknown length: the fourth derivative of x^100 takes time linear in the
    iterations.
    """
    fn, factor = times, 100.0
    for k in range(1, order):
        fn, factor = slope_of(fn), factor * (100 - k)
    v = np.array([0.9, 1.05])
    compiled = ms.jit(lambda a, n: ms.grad(fn)(a, n))(Tensor(v), 100).asnumpy()
    np.testing.assert_allclose(compiled, factor * v ** (100 - order), rtol=1e-11)
    if order < 4:
        eager = ms.grad(fn)(Tensor(v), 100).asnumpy()
        np.testing.assert_allclose(compiled, eager, rtol=0 if order < 3 else 1e-14)


def test_hessian_through_a_while_of_unknown_length():
    point = Tensor(np.array([1.5, 2.0]))
    (found,) = both(lambda a: ms.hessian(lambda v: grown(v).sum())(a), point)
    gradient = ms.grad(lambda v: grown(v).sum())
    step = 1e-6
    for i in range(2):
        e = np.eye(2)[i] * step
        high, low = (gradient(Tensor(point.asnumpy() + s * e)).asnumpy() for s in (1, -1))
        np.testing.assert_allclose(found[i], (high - low) / (2 * step), rtol=1e-6, atol=1e-6)


def test_of_jit_and_of_cells():
    net = nn.Dense(3, 2)
    net.weight.set_data(Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    point = Tensor([1.0, 1.0, 1.0])
    np.testing.assert_array_equal(ms.jacrev(net)(point).asnumpy(), net.weight.asnumpy())
    np.testing.assert_array_equal(
        ms.jacfwd(ms.jit(lambda v: v * v))(point).asnumpy(), 2 * np.eye(3)
    )
    np.testing.assert_array_equal(ms.jit(ms.jacfwd(ops.square))(point).asnumpy(), 2 * np.eye(3))


def test_graph_mode_compiles_the_outermost():
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        compiled = ms.jacfwd(geometric)(LONG).asnumpy()
        value, tangent = ms.jvp(geometric, LONG, LONG)
        out, pull = ms.vjp(geometric, LONG)
        (gradient,) = pull(LONG)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    np.testing.assert_array_equal(compiled, ms.jacfwd(geometric)(LONG).asnumpy())
    np.testing.assert_array_equal(tangent.asnumpy(), ms.jvp(geometric, LONG, LONG)[1].asnumpy())
    np.testing.assert_array_equal(gradient.asnumpy(), ms.vjp(geometric, LONG)[1](LONG)[0].asnumpy())
    np.testing.assert_array_equal(value.asnumpy(), out.asnumpy())


def test_the_hessian_of_a_long_loop_takes_linear_time():
    def total(v, n):
        s = v
        for _ in range(n):
            s = s * 0.5 + v * v
        return s.sum()

    compiled = ms.jit(lambda v, n: ms.hessian(lambda u: total(u, n))(v))
    found = compiled(X, 200).asnumpy()
    np.testing.assert_allclose(found, np.eye(3) * 4, rtol=1e-12)


def test_what_is_made_anew_finds_its_programs():
    def f(v):
        return (v * v * v).sum()

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        for _ in range(3):
            ms.jvp(f, X, X)
            ms.hessian(f)(X)
            ms.grad(lambda v: f(v))(X)
            ms.jacfwd(ms.grad(f))(X)
        assert (
            len(ms.recompiles(ms.hessian(f))) == 1
            and len(ms.recompiles(ms.jacfwd(ms.grad(f)))) == 1
        )
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_methods_of_two_objects_are_two_programs():
    class Scaled:
        def __init__(self, k):
            self.k = k

        def of(self, v):
            return v * v * self.k

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        found = [ms.jvp(Scaled(k).of, X, X)[1].asnumpy() for k in (1.0, 3.0)]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    np.testing.assert_allclose(found[1], 3 * found[0])


def test_refusals():
    with pytest.raises(TypeError, match="grad_position"):
        ms.jacrev(ops.sin, None)
    with pytest.raises(ValueError, match="out of range"):
        ms.jacfwd(ops.sin, 1)(X)
    with pytest.raises(ValueError, match="one output"):
        ms.vjp(ops.sin, X, has_aux=True)
    with pytest.raises(TypeError, match="no gradient"):
        ms.vjp(ops.sin, "x")
    with pytest.raises(ValueError, match="cotangents"):
        ms.vjp(ops.sin, X)[1]((X, X))
    with pytest.raises(TypeError, match="fn is int"):
        ms.hessian(3)


def test_one_tensor_in_two_places():
    """What was found for calls with one tensor in two places is not for those with two, and back."""
    a, b = np.float32([[1.0, 2.0], [3.0, -4.0]]), np.float32([[0.5, -1.0], [2.0, 0.25]])
    x, y = ms.Tensor(a), ms.Tensor(b)
    same = ms.grad(lambda x: (x * x).sum())
    apart = ms.grad(lambda x, y: (x * y).sum(), (0, 1))
    product = ms.grad(lambda x: (x @ x).sum())
    products = ms.grad(lambda x, y: (x @ y).sum(), (0, 1))
    one = np.ones((2, 2), np.float32)
    for _ in range(8):
        np.testing.assert_array_equal(same(x).asnumpy(), a + a)
        np.testing.assert_array_equal([g.asnumpy() for g in apart(x, y)], [b, a])
        np.testing.assert_array_equal(product(x).asnumpy(), one @ a.T + a.T @ one)
        np.testing.assert_array_equal([g.asnumpy() for g in products(x, y)], [one @ b.T, a.T @ one])
        np.testing.assert_array_equal([g.asnumpy() for g in apart(x, x)], [a, a])


def grow(x):
    """Doubles until the squares are above 100: at most four times here, so the result is 2ⁿ x."""
    s = (x * x).sum()
    while s < 100.0:
        x = x * 2.0
        s = (x * x).sum()
    return x


@pytest.mark.parametrize("size", (1, 2, 3, 12))
@pytest.mark.parametrize("derivative", (ms.jacfwd, ms.jacrev))
def test_jacobian_through_a_loop(size, derivative):
    x = np.linspace(1.5, 3.0, size)
    times = 0
    while (4.0**times * x * x).sum() < 100.0:
        times += 1
    found = ms.jit(derivative(grow))(Tensor(x)).asnumpy()
    np.testing.assert_array_equal(found, np.eye(size) * 2.0**times)
    # Of the sum of cubes of the grown, twice: 8ⁿ 6 x on the diagonal.
    twice = derivative(derivative(lambda v: (grow(v) ** 3).sum()))
    np.testing.assert_allclose(
        ms.jit(twice)(Tensor(x)).asnumpy(), np.diag(8.0**times * 6 * x), rtol=1e-13
    )
    eager = derivative(grow)(Tensor(x)).asnumpy()
    np.testing.assert_array_equal(eager, found)

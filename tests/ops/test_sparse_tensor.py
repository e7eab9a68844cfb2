"""Sparse tensors against SciPy's."""

import numpy as np
import pytest
import scipy.sparse

import minds as ms
from minds import COOTensor, CSRTensor, Tensor, ops

RNG = np.random.default_rng(4)


def matrix(rows, columns):
    """A random matrix with zeros, dense."""
    return np.where(RNG.random((rows, columns)) < 0.4, RNG.standard_normal((rows, columns)), 0.0)


A, B, C = matrix(4, 5), matrix(4, 5), matrix(5, 3)


def coo(a) -> COOTensor:
    return ops.dense_to_sparse_coo(Tensor(a))


def csr(a) -> CSRTensor:
    s = scipy.sparse.csr_matrix(a)
    return CSRTensor(Tensor(s.indptr), Tensor(s.indices), Tensor(s.data), a.shape)


def test_formats():
    """To each other and to dense ones."""
    for x in (
        coo(A),
        csr(A),
        coo(A).to_csr(),
        csr(A).to_coo(),
        COOTensor(coo_tensor=coo(A)),
        CSRTensor(csr_tensor=csr(A)),
    ):
        np.testing.assert_array_equal(x.to_dense().asnumpy(), A)
        assert (
            x.shape == (4, 5) and x.ndim == 2 and x.dtype is ms.float64 and x.size == (A != 0).sum()
        )
    twice = COOTensor(Tensor([[1, 0], [0, 1], [1, 0]]), Tensor([1.0, 2.0, 3.0]), (2, 2)).coalesce()
    assert twice.indices.tolist() == [[0, 1], [1, 0]] and twice.values.tolist() == [2, 4]
    with pytest.raises(ValueError, match="one row per value"):
        COOTensor(Tensor([[0, 1]]), Tensor([1.0, 2.0]), (2, 2))


def test_arithmetic():
    """Sums, products and sums along dimensions."""
    np.testing.assert_allclose((coo(A) + coo(B)).to_dense().asnumpy(), A + B)
    np.testing.assert_allclose(csr(A).add(csr(B), 2.0, 3.0).to_dense().asnumpy(), 2 * A + 3 * B)
    np.testing.assert_allclose(csr(A).mm(Tensor(C)).asnumpy(), A @ C)
    np.testing.assert_allclose(csr(A).mm(csr(C)).to_dense().asnumpy(), A @ C)
    np.testing.assert_allclose(ops.csr_mm(csr(A), Tensor(B), trans_b=True).asnumpy(), A @ B.T)
    np.testing.assert_allclose(csr(A).mv(Tensor(C[:, :1])).asnumpy(), A @ C[:, :1])
    for axis in (0, 1):
        np.testing.assert_allclose(csr(A).sum(axis).asnumpy(), A.sum(axis, keepdims=True))
    np.testing.assert_allclose((csr(A) * Tensor(B)).to_dense().asnumpy(), A * B)
    np.testing.assert_allclose((csr(A) / 2).to_dense().asnumpy(), A / 2)
    both = ops.coo_concat((coo(A), coo(B)), 1)
    np.testing.assert_array_equal(both.to_dense().asnumpy(), np.concatenate([A, B], 1))
    assert both.indices.asnumpy().tolist() == np.argwhere(np.concatenate([A, B], 1)).tolist()


def test_elementwise():
    """On the stored elements."""
    np.testing.assert_allclose(ops.csr_sin(csr(A)).to_dense().asnumpy(), np.sin(A))
    np.testing.assert_allclose(ops.coo_square(coo(A)).to_dense().asnumpy(), A * A)
    np.testing.assert_allclose(coo(A).abs().to_dense().asnumpy(), np.abs(A))
    soft = ops.csr_softmax(csr(A), ms.float64).to_dense().asnumpy()
    raised = np.where(A != 0, np.exp(A), 0)
    np.testing.assert_allclose(soft, raised / np.maximum(raised.sum(1, keepdims=True), 1e-300))


def test_gradient():
    """To the elements and to the dense operand."""
    x = csr(A)
    dv, dc = ms.grad(lambda v, c: x.with_values(v).mm(c).sum(), (0, 1))(x.values, Tensor(C))
    np.testing.assert_allclose(dc.asnumpy(), A.T @ np.ones((4, 3)))
    np.testing.assert_allclose(dv.asnumpy(), C.sum(1)[x.indices.asnumpy()])


def test_rows():
    """Some slices of a tensor."""
    x = ms.RowTensor(Tensor([0, 2]), Tensor([[1.0, 2.0], [3.0, 4.0]]), (3, 2))
    y = ms.common.sparse_tensor.RowTensorInner(row_tensor=x)
    assert y.dense_shape == (3, 2) and y.indices is x.indices and y.values is x.values


def doubled_coo(x, v, n):
    x = COOTensor(x.indices, v, x.shape)
    while n > 0:
        x, n = COOTensor(x.indices, x.values * 2, x.shape), n - 1
    return x


def doubled_csr(x, v, n):
    return CSRTensor(x.indptr, x.indices, v * 2**n, x.shape)


def doubled_rows(x, v, n):
    return ms.RowTensor(x.indices, v * 2**n, (4, 5))


@pytest.mark.parametrize(
    "fn, x",
    [
        (doubled_coo, coo(A)),
        (doubled_csr, csr(A)),
        (doubled_rows, ms.RowTensor(Tensor([0, 2]), Tensor(A[::2]), (4, 5))),
    ],
)
def test_made_in_compiled_code(fn, x):
    """They are made there, pass through loops, are returned, and have gradients."""
    made = ms.jit(fn)(x, x.values, 2)
    assert type(made) is type(x) and isinstance(made, type(fn(x, x.values, 2)))
    np.testing.assert_array_equal(made.values, x.values * 4)
    np.testing.assert_array_equal(made.indices, x.indices)
    if fn is not doubled_rows:
        np.testing.assert_array_equal(made.to_dense(), x.to_dense() * 4)
    for run in (fn, ms.jit(fn)):
        dv = ms.grad(lambda v: (run(x, v, 2).values ** 2).sum())(x.values)
        np.testing.assert_allclose(dv, x.values * 32)


def test_made_in_compiled_code_by_functions_and_methods():
    @ms.jit
    def f(v):
        return COOTensor(Tensor([[0, 1]]), v, 3)

    with pytest.raises(TypeError, match="COOTensor: shape must be a tuple, got int"):
        f(Tensor([1.0]))

    @ms.jit
    def g(v):
        return COOTensor(Tensor([[0, 1]]), v, (2, 2)).abs()

    assert g(Tensor([-2.0])).values.asnumpy().tolist() == [2.0]


DENSE = Tensor([[0.0, 0.25], [0.5, 0.0]])
COMPILED = {
    **{
        name: (lambda x, name=name: getattr(ops, name)(x))
        for name in ("csr_sin", "csr_abs", "csr_relu6")
    },
    "csr_mv": lambda x: ops.csr_mv(x, Tensor([[1.0], [2.0]])),
    "csr_softmax": lambda x: ops.csr_softmax(x, ms.float32),
    "csr_to_coo": lambda x: ops.csr_to_coo(x),
    "csr_to_dense": lambda x: ops.csr_to_dense(x),
    "coo_exp": lambda x: ops.coo_exp(x.to_coo()),
}


@pytest.mark.parametrize("name", COMPILED)
def test_sparse_functions_are_compiled(name):
    f, x = COMPILED[name], ops.dense_to_sparse_csr(DENSE)
    for compiled in (ms.jit(f), ms.jit(lambda values: f(x.with_values(values)))):
        got = compiled(x if compiled._compiled_from is f else x.values)
        assert type(got) is type(f(x))
        dense = [v if isinstance(v, Tensor) else v.to_dense() for v in (got, f(x))]
        np.testing.assert_array_equal(dense[0].asnumpy(), dense[1].asnumpy())

    def loss(values):
        out = f(x.with_values(values))
        return (out if isinstance(out, Tensor) else out.values).sum()

    np.testing.assert_allclose(
        ms.jit(ms.grad(loss))(x.values).asnumpy(), ms.grad(loss)(x.values).asnumpy(), rtol=1e-6
    )


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize("shape", [(4, 5), (3, 0), (6,), (2, 3, 2)], ids=str)
def test_the_places_of_a_dense_tensor_are_found_by_the_run(shape, mode):
    a = np.where(RNG.random(shape) < 0.5, RNG.standard_normal(shape), 0.0)

    def by_coordinates(x):
        found = ops.dense_to_sparse_coo(x)
        return found.indices, found.values, found.to_dense()

    def by_rows(x):
        found = ops.dense_to_sparse_csr(x)
        return found.indptr, found.indices, found.values

    def loss(x):
        values = ops.dense_to_sparse_coo(x).values
        return (values * values * values).sum()

    run = ms.jit if mode == "graph" else lambda f: f
    at = np.argwhere(a)
    wanted = [at, a[tuple(at.T)], a]
    for got, want in zip(run(by_coordinates)(Tensor(a)), wanted, strict=True):
        np.testing.assert_array_equal(got.asnumpy(), want)
    np.testing.assert_allclose(run(ms.grad(loss))(Tensor(a)).asnumpy(), 3 * a * a)
    if len(shape) != 2:
        with pytest.raises(ValueError, match="rank 2"):
            run(by_rows)(Tensor(a))
        return
    known = scipy.sparse.csr_matrix(a)
    for got, want in zip(run(by_rows)(Tensor(a)), (known.indptr, known.indices, known.data)):
        np.testing.assert_array_equal(got.asnumpy(), want)
        assert got.dtype in (ms.int32, ms.float64)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_rows_of_coordinates_that_the_run_finds(mode):
    def pointers(x):
        found = COOTensor(ops.nonzero(x), x[x != 0], (4, 5)).to_csr()
        return found.indptr, found.indices, found.values

    def total(x, values):
        return (COOTensor(ops.nonzero(x), values * 2, (4, 5)).to_csr().values * 3).sum()

    ms.set_context(mode=mode)
    try:
        for a in (A, B, np.zeros_like(A)):
            want, x = scipy.sparse.csr_matrix(a), Tensor(a)
            found = (ms.jit(pointers) if mode == ms.GRAPH_MODE else pointers)(x)
            for got, w in zip(found, (want.indptr, want.indices, want.data)):
                np.testing.assert_array_equal(got.asnumpy(), w)
            if want.nnz:
                grad = ms.grad(total, 1)(x, Tensor(want.data))
                np.testing.assert_array_equal(grad.asnumpy(), np.full(want.nnz, 6.0))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    shuffled = Tensor(np.array([[2, 1], [0, 3], [2, 0], [0, 3], [1, 1]], np.int32))
    by_rows = COOTensor(shuffled, Tensor([1.0, 2.0, 3.0, 4.0, 5.0]), (3, 4)).to_csr()
    assert by_rows.indptr.asnumpy().tolist() == [0, 2, 3, 5]
    assert by_rows.values.asnumpy().tolist() == [2.0, 4.0, 5.0, 3.0, 1.0]


@pytest.mark.parametrize("run", [lambda fn: fn, ms.jit], ids=["pynative", "graph"])
def test_matrices_by_rows_with_dense_ones(run):
    """Captured, and made inside; with several numbers at each place."""
    x, d = csr(A), Tensor(B)

    def outside():
        return (x * d).values, (d * x).to_dense(), (x / (d * d + 1)).to_dense(), x.to_dense()

    products, turned, quotients, dense = run(outside)()
    np.testing.assert_allclose(products.asnumpy(), (A * B)[A != 0])
    np.testing.assert_allclose(turned.asnumpy(), A * B)
    np.testing.assert_allclose(quotients.asnumpy(), A / (B * B + 1))
    np.testing.assert_allclose(dense.asnumpy(), A)

    def inside(indptr, indices, values, other):
        return (CSRTensor(indptr, indices, values, (4, 5)) * other).values.sum()

    got = run(ms.grad(inside, (2, 3)))(x.indptr, x.indices, x.values, d)
    np.testing.assert_allclose(got[0].asnumpy(), B[A != 0])
    np.testing.assert_allclose(got[1].asnumpy(), A)

    rows = np.array([[2.0, 1.0, 3.0], [4.0, 5.0, 6.0]])
    many = CSRTensor(Tensor([0, 1, 1, 2]), Tensor([0, 1]), Tensor(rows), (3, 2, 3))

    def sums():
        return ops.csr_reduce_sum(many, 1), ops.csr_reduce_sum(many, 0)

    by_row, by_column = run(sums)()
    np.testing.assert_array_equal(by_row.asnumpy(), [rows[:1], [[0, 0, 0]], rows[1:]])
    np.testing.assert_array_equal(by_column.asnumpy(), rows[None])


def test_sums_by_coordinates_of_captured_matrices_are_compiled():
    x, y = coo(A), coo(B)

    def sums():
        return (x + y).to_dense(), (x - y).to_dense()

    for got, want in zip(ms.jit(sums)(), (A + B, A - B)):
        np.testing.assert_allclose(got.asnumpy(), want)


def test_operators_on_matrices_that_compiled_code_makes():
    indices, values = Tensor([[0, 1], [1, 2]]), Tensor([-1.0, 2.0])

    def negated(i, v):
        return (-COOTensor(i, v, (3, 4))).values

    for run in (negated, ms.jit(negated)):
        assert run(indices, values).asnumpy().tolist() == [1, -2]


def test_a_matrix_without_elements():
    def made(i, v):
        return COOTensor(i, v, (3, 4))

    none = Tensor(np.zeros(0, np.int32)), Tensor(np.zeros(0, np.float32))
    for run in (made, ms.jit(made)):
        assert run(*none).indices.shape == (0, 2)
        assert not run(*none).to_dense().asnumpy().any()

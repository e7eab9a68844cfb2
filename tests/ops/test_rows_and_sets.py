"""Sums and products of sparse matrices by rows against SciPy, sets of rows against Python's sets, and what
makes sparse tensors of dense ones in compiled code.
"""

import numpy as np
import pytest
import scipy.sparse

import minds as ms
from minds import Tensor
from minds.ops.operations import sparse_ops

RNG = np.random.default_rng(5)
MODES = pytest.mark.parametrize("run", [lambda f: f, ms.jit], ids=["eager", "compiled"])


def by_rows(rows, columns, dtype=np.float64):
    dense = RNG.integers(1, 9, (rows, columns)) * (RNG.random((rows, columns)) < 0.4)
    m = scipy.sparse.csr_matrix(dense.astype(dtype))
    parts = np.array(m.shape, np.int32), np.array([0, m.nnz], np.int32), m.indptr, m.indices
    return m, [*map(Tensor, parts), Tensor(m.data)]


@MODES
def test_sums(run):
    (a, x), (b, y) = by_rows(4, 5), by_rows(4, 5)
    add = sparse_ops.SparseMatrixAdd()
    out = run(lambda *t: add(*t))(*x, *y, Tensor(2.0, ms.float64), Tensor(3.0, ms.float64))
    shape, bounds, starts, columns, values = [t.asnumpy() for t in out]
    got = scipy.sparse.csr_matrix((values, columns, starts), shape)
    np.testing.assert_array_equal(got.toarray(), (2 * a + 3 * b).toarray())
    assert bounds.tolist() == [0, len(values)]
    assert len(values) == np.count_nonzero(a.toarray() + b.toarray())
    zeros = add(*x, *x, Tensor(1.0, ms.float64), Tensor(-1.0, ms.float64))[4].asnumpy()
    assert zeros.tolist() == [0] * a.nnz  # places stay


@MODES
def test_products(run):
    a, x = by_rows(4, 5)
    for turn, dense in ((False, RNG.random((5, 3))), (True, RNG.random((4, 3)))):
        product = sparse_ops.SparseMatrixMatMul(transpose_x1=turn, transpose_output=True)
        got = run(lambda *t: product(*t))(*x, Tensor(dense)).asnumpy()
        np.testing.assert_allclose(got, ((a.T if turn else a) @ dense).T)
    by_values = ms.grad(
        lambda v: sparse_ops.SparseMatrixMatMul()(*x[:4], v, Tensor(np.ones((5, 1))))
    )
    np.testing.assert_array_equal(by_values(x[4]).asnumpy(), np.ones(a.nnz))


SETS = {
    "a-b": lambda a, b: a - b,
    "b-a": lambda a, b: b - a,
    "Intersection": lambda a, b: a & b,
    "union": lambda a, b: a | b,
}


@MODES
@pytest.mark.parametrize("kind", SETS)
def test_sets(kind, run):
    a, b = RNG.integers(0, 4, (2, 3, 3)), RNG.integers(0, 4, (2, 3, 5))
    wanted = {
        at: sorted(SETS[kind](set(a[at].tolist()), set(b[at].tolist()))) for at in np.ndindex(2, 3)
    }
    dense = sparse_ops.DenseToDenseSetOperation(kind)
    sparse = sparse_ops.DenseToSparseSetOperation(kind)
    places = np.argwhere(np.ones(b.shape)).astype(np.int64)
    of_both = Tensor(a), Tensor(b)
    of_sparse = Tensor(a), Tensor(places), Tensor(b.ravel()), Tensor(np.array(b.shape))
    for op, given in ((dense, of_both), (sparse, of_sparse)):
        indices, values, shape = [t.asnumpy() for t in run(lambda *t: op(*t))(*given)]
        found: dict = {at: [] for at in wanted}
        for (*at, i), value in zip(indices.tolist(), values.tolist()):
            assert i == len(found[tuple(at)])
            found[tuple(at)].append(value)
        assert found == wanted and values.dtype == a.dtype
        assert shape.tolist() == [2, 3, max(map(len, wanted.values()))]


def test_what_is_no_set_operation():
    x = Tensor(np.ones((2, 3), np.int32))
    for error, kind, other in (
        (ValueError, "minus", x),
        (ValueError, "union", x[:1]),
        (TypeError, "union", x.astype(ms.int64)),
        (TypeError, 3, x),
    ):
        with pytest.raises(error, match="DenseToDenseSetOperation"):
            sparse_ops.DenseToDenseSetOperation(kind)(x, other)
    with pytest.raises(ValueError, match="SparseMatrixAdd"):
        parts, others = by_rows(2, 3)[1], by_rows(2, 4)[1]
        sparse_ops.SparseMatrixAdd()(*parts, *others, Tensor(1.0), Tensor(1.0))


def test_sparse_tensors_made_by_methods():
    x = Tensor(np.array([[2.0, 0, -1], [0, 0, 1]]))

    @ms.jit
    def parts(x):
        rows, places = x.to_csr(), x.to_coo()
        return rows.indptr, rows.indices, rows.values, places.indices, places.values

    got = [t.asnumpy().tolist() for t in parts(x)]
    assert got == [[0, 2, 3], [0, 2, 2], [2, -1, 1], [[0, 0], [0, 2], [1, 2]], [2, -1, 1]]

"""Calls in the forms that MindSpore's own tests have, in both modes, against NumPy."""

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.ops import operations

A = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)


def both(fn, *args):
    """What ``fn`` gives in both modes, which is the same."""
    eager, compiled = fn(*args), ms.jit(fn)(*args)
    for e, c in zip(*[v if isinstance(v, tuple) else (v,) for v in (eager, compiled)], strict=True):
        assert e.dtype == c.dtype
        np.testing.assert_array_equal(e.asnumpy(), c.asnumpy())
    return eager


def test_the_sum_takes_its_options_in_either_order():
    x = Tensor(A)
    for got in (
        both(lambda x: x.sum(2, True, dtype=ms.float64), x),
        both(lambda x: x.sum(2, ms.float64, True), x),
        both(lambda x: x.sum(dim=2, keepdim=True, dtype=ms.float64), x),
    ):
        assert got.dtype == ms.float64
        np.testing.assert_allclose(got.asnumpy(), A.astype(np.float64).sum(2, keepdims=True))
    np.testing.assert_allclose(x.sum(None, None, False, 2.0).asnumpy(), A.sum() + 2, rtol=1e-5)


def test_a_sum_of_bools_says_whether_there_is_any():
    x = Tensor([[1.0, -1.0], [0.0, 0.0]])
    got = both(lambda x: x.sum(1, dtype=ms.bool_), x)
    assert got.dtype == ms.bool_ and got.asnumpy().tolist() == [True, False]
    got = both(lambda x: x.sum(axis=1, dtype=ms.bool_, initial=12), x)
    assert got.asnumpy().tolist() == [True, True]


def test_elements_are_gathered_by_the_names_dim_and_index():
    index = np.array([[0, 0], [1, 2]])
    x, at = Tensor(A[0]), Tensor(index)
    right = np.take_along_axis(A[0, :2], index, 1)
    for fn in (lambda x, i: x.gather(1, i), lambda x, i: x.gather(dim=1, index=i)):
        np.testing.assert_array_equal(both(fn, x, at).asnumpy(), right)
    got = both(lambda x, i: x.gather(i, axis=0), x, Tensor([2, 0]))
    np.testing.assert_array_equal(got.asnumpy(), A[0, [2, 0]])


def test_what_is_not_sorted_stands_in_its_own_order():
    x = Tensor([1.0, 5.0, 3.0, 4.0, 2.0])
    for fn in (operations.TopK(False), lambda x, k: x.topk(k, sorted=False)):
        values, at = both(lambda x, fn=fn: fn(x, 3), x)
        assert values.asnumpy().tolist() == [5, 3, 4] and at.asnumpy().tolist() == [1, 2, 3]
    moved = ms.grad(lambda x: ops.topk(x, 2, sorted=False)[0].sum() * 2)(x)
    assert moved.asnumpy().tolist() == [0, 2, 0, 2, 0]


def test_operators_by_their_names():
    x, y = Tensor([4.0, 6.0]), Tensor([1.0, 2.0])
    assert both(lambda x, y: x.__sub__(y, alpha=2), x, y).asnumpy().tolist() == [2, 2]
    assert both(lambda x, y: x.__iadd__(y), x, y).asnumpy().tolist() == [5, 8]
    z = x
    z -= y
    assert x.asnumpy().tolist() == [4, 6] and z.asnumpy().tolist() == [3, 4]
    with pytest.raises(TypeError, match="'beta'"):
        x.__add__(y, beta=2)
    with pytest.raises(TypeError, match="'alpha'"):
        x.__mul__(y, alpha=2)


def test_functions_of_numpy_call_the_methods():
    x = Tensor(A)
    assert bool(np.all(x < 9)) and not bool(np.any(x > 9))
    np.testing.assert_allclose(np.sum(x, axis=1).asnumpy(), A.sum(1), rtol=1e-5)
    np.testing.assert_allclose(np.asarray(np.max(x)), A.max())
    with pytest.raises(TypeError, match="out"):
        x.all(out=x)


@pytest.mark.parametrize(
    "axes, said",
    [
        (((0, 3, 4),), "the perm value must be in"),
        (((0, 1),), "size of perm should equal to rank of"),
        (((0, 1, 1),), "perms should all be unique dim"),
        ((0, 2.0), "number of axes must be equal to the dimension of Tensor"),
    ],
)
@pytest.mark.parametrize("compiled", [False, True])
def test_axes_that_do_not_fit_are_refused(axes, said, compiled):
    def transposed(x):
        return x.transpose(*axes)

    with pytest.raises(ValueError, match=said):
        (ms.jit(transposed) if compiled else transposed)(Tensor(A))


def test_a_call_that_fits_no_signature_is_shown():
    x = Tensor(A)
    with pytest.raises(TypeError, match=r'Failed calling div with +"div\(Tensor, Tensor, str\)"'):
        x.div(x, "trunc")
    with pytest.raises(TypeError, match=r'"div\(Tensor, Tensor, a=str\)"'):
        x.div(x, a="trunc")


def test_the_median_of_nothing():
    for t, right in ((np.int32, 0), (np.float32, np.nan)):
        values, at = operations.Median(global_median=True)(Tensor(np.zeros((2, 0, 3), t)))
        np.testing.assert_array_equal(values.asnumpy(), right)
        assert at.dtype == ms.int64


def test_maxima_of_unequal_blocks_have_places():
    out, at = both(nn.AdaptiveMaxPool2d((2, 3), True), Tensor(A[None, :, :, :]))
    parts = [slice(0, 2), slice(1, 3)], [slice(0, 2), slice(1, 3), slice(2, 4)]
    for c in range(2):
        for i, rows in enumerate(parts[0]):
            for j, columns in enumerate(parts[1]):
                block = A[c, rows, columns]
                assert out.asnumpy()[0, c, i, j] == block.max()
                assert A[c].ravel()[at.asnumpy()[0, c, i, j]] == block.max()


def test_where_joined_tensors_begin():
    shapes = tuple(Tensor(np.array([1, n, 3], np.int32)) for n in (2, 5, 4))
    op = operations.ConcatOffsetV1()
    got = both(lambda *s: op(Tensor(1, ms.int32), s), *shapes)
    assert got.asnumpy().tolist() == [[0, 0, 0], [0, 2, 0], [0, 7, 0]]


def test_lstm_with_a_projection():
    """Against MindSpore 2.10.0 on a CPU."""
    random = np.random.RandomState(0)
    w, x, h, c = (
        Tensor(random.randn(*s).astype(np.float32))
        for s in ((102,), (2, 1, 5), (1, 1, 2), (1, 1, 3))
    )
    out, last, cell, *_ = operations.LSTM(5, 3, 1, True, False, 0.0, 2)(x, h, c, w)
    np.testing.assert_allclose(
        out.asnumpy().ravel(), [0.37716752, -0.22006683, 0.6895111, -0.31698743], rtol=1e-5
    )
    np.testing.assert_allclose(last.asnumpy().ravel(), [0.6895111, -0.31698743], rtol=1e-5)
    np.testing.assert_allclose(
        cell.asnumpy().ravel(), [-1.7160598, 1.1916734, 0.4851828], rtol=1e-5
    )


def test_deformed_windows_with_channels_last():
    x = Tensor(A[None])
    offsets = Tensor(np.random.default_rng(1).uniform(0, 1, (1, 12, 2, 3)).astype(np.float32))
    setting = ((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))
    first = operations.DeformableOffsets(*setting)
    last = operations.DeformableOffsets(*setting, data_format="NHWC")

    def behind(x, offsets):
        return last(x.transpose(0, 2, 3, 1), offsets.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)

    np.testing.assert_array_equal(both(behind, x, offsets).asnumpy(), first(x, offsets).asnumpy())
    for a, b in zip(*[ms.grad(f, (0, 1))(x, offsets) for f in (first, behind)], strict=True):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5)


def test_operands_of_other_kinds_are_refused():
    rows = [Parameter(Tensor(np.ones((3, 2), np.float32)), name=n) for n in "abc"]
    settings = (0.9, 0.999, 0.001, 0.9, 0.999, 1e-8)
    grad, at = Tensor(np.ones((2, 2), np.float32)), Tensor([0, 1], ms.int32)
    step = operations.FusedSparseAdam()
    for wrong in ((grad, Tensor([0.0, 1.0])), (grad, [at, at]), ([grad, grad], at)):
        with pytest.raises(TypeError, match="FusedSparseAdam"):
            step(*rows, *settings, *wrong)
    step(*rows, *settings, grad, at)
    assert rows[0].asnumpy()[2, 0] == rows[0].asnumpy()[2, 1] < 1


def test_numbers_of_python_have_dtypes():
    from minds.common import dtype

    assert (
        dtype._get_py_obj_dtype(1j) is ms.complex128 and dtype._get_py_obj_dtype(1.0) is ms.float64
    )
    assert dtype._dtype_to_pytype(ms.uint8) is int
    assert Parameter(1)._load() is None


class Steps(nn.Cell):
    """Adagrad on each row of two parameters."""

    def __init__(self, axes):
        super().__init__()
        self.var, self.accum = (
            Parameter(Tensor(np.abs(A) + i), name=n) for i, n in enumerate(("var", "accum"))
        )
        op = operations.ApplyAdagrad()
        self.step = lambda var, accum, lr, grad: op(var, accum, lr, grad)
        for axis in axes:
            self.step = ms.vmap(self.step, (axis, axis, None, axis), 0)

    def construct(self, lr, grad):
        return self.step(self.var, self.accum, lr, grad)


@pytest.mark.parametrize("axes", [(0,), (2,), (0, 0), (1, 0)])
@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_steps_by_row_are_written_into_the_parameters(axes, mode):
    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        net, grad = Steps(axes), A + 1
        net(Tensor(0.1), Tensor(grad))
        accum = np.abs(A) + 1 + grad * grad
        np.testing.assert_allclose(net.accum.asnumpy(), accum, rtol=1e-6)
        right = np.abs(A) - 0.1 * grad / np.sqrt(accum)
        np.testing.assert_allclose(net.var.asnumpy(), right, rtol=1e-5)
    finally:
        ms.set_context(mode=before)


@pytest.mark.parametrize("dtype", (np.int16, np.int32, np.int64))
def test_the_inverse_of_integers_is_that_of_numpy(dtype):
    x = np.array([1, -1, 2, -5, 0], dtype)
    with np.errstate(all="ignore"):
        want = np.reciprocal(x)
    got = both(operations.Inv(), Tensor(x)).asnumpy()
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("compiled", [False, True])
def test_sequences_with_tensors_that_are_no_ints_are_refused_once(compiled):
    def call():
        return ops.ReduceMax()(Tensor(3), [[Tensor([1.0, 2.0])], Tensor([1.0, 2.0])])

    with pytest.raises(ValueError, match="axis must be"):
        ms.jit(call)() if compiled else call()


def test_a_number_of_the_run_that_a_function_asks_for_is_named():
    def call(k):
        return ops.max_pool3d(ops.ones((1, 1, 2, 2, 2)), k)

    with pytest.raises(TypeError, match="max_pool3d: a run-time value is needed while compiling"):
        ms.jit(call)(Tensor([1.0, 2.0]))

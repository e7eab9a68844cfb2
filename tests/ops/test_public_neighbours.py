"""What MindSpore's own tests of ops expect beyond the values of the table's rows."""

import numpy as np
import pytest
from scipy import optimize

import minds as ms
from minds import Tensor, nn, ops
from minds.base.errors import NoGradient
from minds.compat import gradient_ops, linalg_ops, op_utils

MODES = pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])


class Added(nn.Cell):
    def __init__(self):
        super().__init__()
        self.x = ms.Parameter(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)), name="x")
        self.add = ops.IndexAdd(1)

    def construct(self, indices, y):
        return self.add(self.x, indices, y)


@MODES
def test_index_add_changes_its_parameter_and_is_differentiated(mode):
    ms.set_context(mode=mode)
    net = Added()
    grad = ops.GradOperation(get_all=True, get_by_list=True, sens_param=True)
    dout = np.arange(6, dtype=np.float32).reshape(2, 3)
    by_input, by_weight = grad(net, ms.ParameterTuple(net.trainable_params()))(
        Tensor([1], ms.int32), Tensor([[1.0], [2.0]]), Tensor(dout)
    )
    np.testing.assert_array_equal(by_input[1].asnumpy(), dout[:, 1:2])
    np.testing.assert_array_equal(by_weight[0].asnumpy(), dout)
    np.testing.assert_array_equal(net.x.asnumpy(), [[0, 2, 2], [3, 6, 5]])


@MODES
def test_a_bool_beside_a_float_has_a_gradient_of_zeros(mode):
    ms.set_context(mode=mode)

    class Filled(nn.Cell):
        def construct(self, x, mask):
            return ops.grad(ops.masked_fill, (0, 1))(x, mask, 0.5)

    dx, dmask = Filled()(Tensor([1.0, 2.0]), Tensor([True, False]))
    assert dx.asnumpy().tolist() == [0, 1]
    assert (dmask.dtype, dmask.asnumpy().tolist()) == (ms.bool_, [False, False])
    with pytest.raises(TypeError):
        ops.grad(ops.masked_fill, 1)(Tensor([1.0]), Tensor([True]), 0.5)


@MODES
def test_a_position_out_of_range_is_an_index_error_and_a_runtime_error(mode):
    ms.set_context(mode=mode)
    take = ms.jit(ops.gather) if mode == ms.GRAPH_MODE else ops.gather
    for kind in (IndexError, RuntimeError):
        with pytest.raises(kind, match="index 7 .* is out of range"):
            take(Tensor([1.0, 2.0]), Tensor([7]), 0).asnumpy()


@pytest.mark.parametrize("reduce", [ops.sum, ops.mean, ops.prod, ops.argmax, ops.amax])
def test_keepdims_must_be_a_bool(reduce):
    with pytest.raises(TypeError, match="keepdims must be a bool, got 12"):
        reduce(Tensor([[1.0, 2.0]]), 1, 12)


MISTAKEN = [-1, 0, 1.5]


@pytest.mark.parametrize("value", MISTAKEN)
def test_a_number_is_no_bool_of_an_op(value):
    x = Tensor([[4.0, 1.0], [1.0, 3.0]])
    for call, name in (
        (lambda: ops.cholesky(x, value), "upper"),
        (lambda: ops.svd(x, full_matrices=value), "full_matrices"),
        (lambda: ops.sort(x, descending=value), "descending"),
        (lambda: ms.jit(lambda a: ops.sort(a, descending=value))(x), "descending"),
    ):
        with pytest.raises(TypeError, match=f"{name} must be a bool, got {value}"):
            call()


@pytest.mark.parametrize("value", [*MISTAKEN, "yes", None, (True,)])
@pytest.mark.parametrize(
    "cls, name",
    [
        (ops.ReduceSum, "keep_dims"),
        (ops.AffineGrid, "align_corners"),
        (ops.ScatterAdd, "use_locking"),
        (ops.Cholesky, "upper"),
    ],
)
def test_a_class_refuses_what_is_no_bool_when_it_is_made(cls, name, value):
    with pytest.raises(TypeError, match=f"{name} must be a bool"):
        cls(**{name: value})


def test_boxes_without_an_area_do_not_suppress_one_another():
    boxes = Tensor([[0, 0, 0, 0, 0.6], [0, 0, 0, 0, 0.1]], ms.float32)
    assert ops.NMSWithMask(0.5)(boxes)[2].asnumpy().tolist() == [True, True]


def test_crop_and_resize_bilinear_v2_counts_whole_pixels():
    image = np.arange(2 * 32 * 18 * 2).reshape(2, 32, 18, 2) + 8795
    boxes = np.array([[0, 0.5, 0.5, 0.0], [0, 0, 0.75, 1.75]], np.float32)
    op = ops.CropAndResize("bilinear_v2", 0.369)
    out = op(Tensor(image.astype(np.int32)), Tensor(boxes), Tensor([1, 0], ms.int32), (5, 3))
    # Recorded from MindSpore 2.10: the first box is 17 rows of one column; the second ends beyond its row.
    first = [10008.2, 10130.6, 10253.0, 10375.4, 10497.8]
    np.testing.assert_allclose(out.asnumpy()[0, :, :, 0], np.repeat([first], 3, 0).T, rtol=1e-6)
    np.testing.assert_allclose(out.asnumpy()[1, 0, :, 0], [8876.667, 8898, 8901], rtol=1e-6)


def test_gradients_of_upsampling_as_primitives():
    dout = np.random.default_rng(0).random((1, 2, 4, 6, 6), np.float32)
    for cls in (gradient_ops.UpsampleTrilinear3DGrad, gradient_ops.UpsampleNearest3DGrad):
        for size, scales in (((4, 6, 6), None), (None, (2.0, 2.0, 2.0))):
            found = cls()(Tensor(dout), (1, 2, 2, 3, 3), size, scales)
            assert found.shape == (1, 2, 2, 3, 3)
            np.testing.assert_allclose(found.asnumpy().sum(), dout.sum(), rtol=1e-5)


def test_names_of_modules_inside():
    assert op_utils.get_broadcast_shape([1, 2, 1], [3, 1, 4], "Add") == [3, 2, 4]
    assert op_utils.get_broadcast_shape([-1, 3], [1, 3], "Add") == [-1, 3]
    assert op_utils.get_broadcast_shape([-2], [1, 3], "Add") == [-2]
    with pytest.raises(ValueError, match="Add: x.shape is"):
        op_utils.get_broadcast_shape([2, 3], [4], "Add")
    a = Tensor([[2.0, 0.0], [0.0, 1.0]])
    assert linalg_ops.Eigh(False, True)(a).asnumpy().tolist() == [1, 2]
    assert linalg_ops.Svd is ops.operations.Svd
    x = Tensor([[1.0]])
    assert ops.Concat(axis=1)(tensors=(x, x)).shape == (1, 2)


def test_sequences_of_a_map_must_be_alike():
    x, both = Tensor([1.0]), ops.HyperMap()
    for one, other, kind, words in (
        ((x,), [x], TypeError, "the types of arguments in HyperMap must be consistent"),
        ((x,), (x, x), ValueError, "The tuples in HyperMap should have the same length"),
        ([x], [x, x], ValueError, "The lists in HyperMap should have the same length"),
    ):
        with pytest.raises(kind, match=words):
            both(ops.add, one, other)


def test_a_line_search_finds_the_step_of_scipy_in_both_modes():
    rng = np.random.default_rng(0)
    search = ms.scipy.optimize.line_search

    def rosen(x):
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    for turn in range(8):
        x, old = rng.normal(size=3), 0.5 + turn % 2
        p = -optimize.rosen_der(x) * 10.0 ** (turn % 4 - 2)
        want = optimize.line_search(
            optimize.rosen, optimize.rosen_der, x, p, old_old_fval=rosen(x) + old, maxiter=20
        )
        found = search(rosen, Tensor(x), Tensor(p), old_old_fval=rosen(x) + old)
        np.testing.assert_allclose(float(found.a_k), want[0], rtol=1e-9)
    step = ms.jit(lambda x, p: search(rosen, x, p).a_k)(Tensor(x), Tensor(p))
    np.testing.assert_allclose(float(step), float(search(rosen, Tensor(x), Tensor(p)).a_k))


@MODES
def test_what_unique_consecutive_is_not_asked_for_is_zero(mode):
    ms.set_context(mode=mode)
    x = Tensor(np.array([1, 1, 2, 2, 3, 1], np.int32))
    kept, runs, lengths = ops.UniqueConsecutive(return_counts=True)(x)
    np.testing.assert_array_equal(kept.asnumpy(), [1, 2, 3, 1])
    np.testing.assert_array_equal(lengths.asnumpy(), [2, 2, 1, 1])
    assert runs.shape == () and runs.dtype == ms.int64 and int(runs) == 0


@MODES
def test_batch_normalisation_keeps_the_dtype_of_its_batch(mode):
    ms.set_context(mode=mode)
    x = np.random.default_rng(0).normal(size=(4, 3, 2, 2)).astype(np.float16)
    for net in (nn.BatchNorm2d(3), ms.mint.nn.BatchNorm2d(3)):
        out = net.set_train()(Tensor(x))
        wide = x.astype(np.float32)
        centred = wide - wide.mean((0, 2, 3), keepdims=True)
        want = centred / np.sqrt((centred**2).mean((0, 2, 3), keepdims=True) + 1e-5)
        assert out.dtype == ms.float16 and net.set_train(False)(Tensor(x)).dtype == ms.float16
        np.testing.assert_allclose(out.asnumpy(), want.astype(np.float16), atol=2e-3)


def test_index_add_changes_parameters():
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(Tensor([1.0, 2.0]), name="w")

        def construct(self, y):
            return ops.index_add(self.w, Tensor([1], ms.int32), y, 0)

    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        net = Net()
        assert net(Tensor([5.0])).asnumpy().tolist() == net.w.asnumpy().tolist() == [1, 7]
        (grad,) = ms.grad(net, None, net.trainable_params())(Tensor([5.0]))
        assert grad.asnumpy().tolist() == [1, 1]


def test_means_of_segments_of_integers():
    for dtype in (ms.int8, ms.int64):
        x = Tensor([[-3, -1, 0], [1, 2, 4]], dtype)
        found = ops.SegmentMean()(x, Tensor([0, 0], ms.int32))
        assert (found.dtype, found.asnumpy().tolist()) == (dtype, [[-1, 0, 2]])


HALVES = {
    "inverse": np.linalg.inv,
    "det": np.linalg.det,
    "cholesky": np.linalg.cholesky,
    "svd": lambda x: np.linalg.svd(x)[1],
    "slogdet": lambda x: np.linalg.slogdet(x)[0],
    "logdet": lambda x: np.linalg.slogdet(x)[1],
    "pinv": np.linalg.inv,
    "cond": np.linalg.cond,
}


@pytest.mark.parametrize("name", HALVES)
def test_linear_algebra_of_halves(name):
    a = np.array([[4, 1, 0], [1, 3, 1], [0, 1, 2]], np.float32)
    found = getattr(ops, name)(Tensor(a, ms.float16))
    found = found[0] if isinstance(found, tuple) else found
    assert found.dtype == ms.float16
    np.testing.assert_allclose(found.asnumpy(), HALVES[name](a), rtol=2e-3, atol=2e-3)


def test_decompositions_of_complex_matrices():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(2, 3, 3)) + 1j * rng.normal(size=(2, 3, 3))
    x = Tensor(a, ms.complex128)
    s, u, v = (t.asnumpy() for t in ops.svd(x))
    np.testing.assert_allclose(u * s[:, None, :] @ v.conj().transpose(0, 2, 1), a, atol=1e-12)
    q, r = (t.asnumpy() for t in ops.qr(x))
    np.testing.assert_allclose(q @ r, a, atol=1e-12)
    np.testing.assert_allclose(np.exp(ops.logdet(x).asnumpy()), np.linalg.det(a), rtol=1e-12)
    np.testing.assert_allclose(ops.pinv(x).asnumpy(), np.linalg.inv(a), rtol=1e-9)
    np.testing.assert_allclose(ops.norm(x, 2, (1, 2)).asnumpy(), np.linalg.norm(a, 2, (1, 2)))
    with pytest.raises(NoGradient, match="svd: has no gradient with respect to complex"):
        ms.grad(lambda x: ops.real(ops.svd(x)[0]).sum())(x)


def test_cholesky_solve_reads_one_triangle():
    a, b = np.array([[4.0, 9.0], [1.0, 3.0]], np.float32), np.array([[1.0], [2.0]], np.float32)
    low = np.tril(a)
    found = ops.cholesky_solve(Tensor(b), Tensor(a))
    np.testing.assert_allclose(found.asnumpy(), np.linalg.solve(low @ low.T, b), rtol=1e-5)


def test_values_of_corners_as_recorded():
    # What MindSpore 2.10 gives.
    x = Tensor([1.0, 9.0])
    assert ops.clip_by_value(x, 5, 2).asnumpy().tolist() == [2, 2]
    nan = Tensor([float("nan")])
    assert ops.IsClose()(nan, nan).asnumpy().tolist() == [False]
    assert ops.is_nonzero(Tensor([[3.5]])) is True and x.allclose(x + 1) is False
    image = Tensor(np.arange(8).reshape(1, 1, 2, 4), ms.int32)
    small = ops.ResizeNearestNeighbor((2, 2))(image)
    assert (small.dtype, small.asnumpy().ravel().tolist()) == (ms.int32, [0, 2, 4, 6])
    bools = Tensor([[True, False], [True, True]])
    assert ops.ReduceSum()(bools, 0).asnumpy().tolist() == [True, True]
    assert ops.ReduceProd()(bools, 0).asnumpy().tolist() == [True, False]
    assert bools.sum_to_size((1, 2)).dtype == ms.int64
    assert ops.mse_loss(Tensor([1, 2], ms.int8), Tensor([3, 5], ms.int8)).item() == 6.5
    mean = ms.numpy.mean(Tensor([[1.0, 2.0], [3.0, 5.0]]), 0, True)
    assert mean.asnumpy().tolist() == [[2, 3.5]]
    gelu = ops.GeLU()(Tensor([1.0, 2.0, 3.0])).asnumpy()
    np.testing.assert_allclose(gelu, [0.841192, 1.9545976, 2.9963627], rtol=1e-6)
    out, mean, variance = ops.LayerNorm()(
        *(Tensor(v, ms.float16) for v in ([[1.0, 2.0]], [1.0, 1.0], [0.0, 0.0]))
    )
    assert [v.dtype for v in (out, mean, variance)] == [ms.float16, ms.float32, ms.float32]
    square = Tensor([[8.0, 7.0, 6.0], [5.0, 4.0, 3.0], [2.0, 1.0, 0.0]])
    assert ops.addbmm(ops.ones((3, 3)), square, square).shape == (3, 3)


def test_accumulation_of_sgd_begins_where_it_is_marked():
    w, a, stat = (
        ms.Parameter(Tensor(v), name=n)
        for v, n in (([2.0] * 3, "w"), ([0.1, 0.2, 0.3], "a"), ([1.0, 0.0, -1.0], "s"))
    )
    ops.SGD()(w, Tensor([1.0, -1.0, 0.5]), Tensor(0.1), a, Tensor(0.9), stat)
    np.testing.assert_allclose(w.asnumpy(), [1.9, 2.082, 1.923], rtol=1e-6)
    np.testing.assert_allclose(a.asnumpy(), [1.0, -0.82, 0.77], rtol=1e-6)
    assert stat.asnumpy().tolist() == [0, 0, -1]


@pytest.mark.parametrize(
    "name, exact",
    [
        ("mish", lambda x: x * np.tanh(np.log1p(np.exp(x)))),
        ("silu", lambda x: x / (1 + np.exp(-x))),
        ("softplus", lambda x: np.log1p(np.exp(x))),
        ("hardswish", lambda x: x * np.clip(x + 3, 0, 6) / 6),
    ],
)
def test_activations_of_halves_are_rounded_once(name, exact):
    x = np.linspace(-6, 6, 2001).astype(np.float16)
    want = exact(x.astype(np.float64)).astype(np.float16)
    found = getattr(ops, name)(Tensor(x)).asnumpy()
    assert (found != want).mean() < 2e-3 and np.abs(found - want).max() < 4e-3


def test_methods_take_both_spellings_of_a_parameter():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x.diagonal(axis1=1, axis2=0).asnumpy().tolist() == [1, 4]
    assert x.swapdims(dim0=0, dim1=1).asnumpy().tolist() == [[1, 3], [2, 4]]
    assert x.float_power(other=2).asnumpy().tolist() == x.multiply(value=x).asnumpy().tolist()


def test_triangular_solve_reads_one_half():
    a = np.array([[2.0, 1.0], [9.0, 4.0]], np.float32)
    b = np.array([[2.0], [8.0]], np.float32)
    for upper in (True, False):
        half = np.triu(a) if upper else np.tril(a)
        for turned in (True, False):
            x, copy = ms.mint.triangular_solve(Tensor(b), Tensor(a), upper, turned)
            np.testing.assert_allclose((half.T if turned else half) @ x.asnumpy(), b, rtol=1e-5)
            assert copy.asnumpy().tolist() == a.tolist()
    one = ms.mint.triangular_solve(Tensor(b), Tensor(a), unitriangular=True)[0]
    np.testing.assert_allclose(np.array([[1, 1], [0, 1]]) @ one.asnumpy(), b)

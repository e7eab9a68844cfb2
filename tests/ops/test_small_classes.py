"""Primitive classes that MindSpore offers as classes alone: values against NumPy, SciPy, colorsys or
the numbers of MindSpore 2.10, in both modes, and gradients against differences.
"""

import colorsys

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse

import minds as ms
from minds import Tensor, ops

MODES = pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])


def run(call, compiled, *args):
    """What ``call`` gives of tensors, as arrays."""
    args = [Tensor(a) if isinstance(a, np.ndarray) else a for a in args]
    out = (ms.jit(call) if compiled else call)(*args)
    out = out if isinstance(out, tuple) else (out,)
    return [t.asnumpy() for t in out]


def same(got, *expected):
    assert len(got) == len(expected)
    for g, e in zip(got, expected):
        np.testing.assert_allclose(g, e, rtol=1e-5, atol=1e-6)
        assert g.shape == np.shape(e)


def check_gradient(call, x, compiled):
    f = (lambda x: (call(x) * weights).sum()) if not compiled else None
    weights = Tensor(np.random.RandomState(1).rand(*call(Tensor(x)).shape))
    f = ms.jit(lambda x: (call(x) * weights).sum()) if compiled else f
    got = ms.grad(f)(Tensor(x)).asnumpy()
    for i in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[i] = 1e-6
        up, down = (float(f(Tensor(x + s))) for s in (step, -step))
        np.testing.assert_allclose(got[i], (up - down) / 2e-6, rtol=1e-4, atol=1e-6)


def i64(values):
    return np.array(values, np.int64)


def f32(values):
    return np.array(values, np.float32)


@MODES
def test_colours_are_those_of_colorsys(compiled):
    x = np.random.RandomState(0).rand(2, 3, 4, 3).astype(np.float32)
    x[0, 0, 0], x[0, 0, 1], x[0, 0, 2] = 0, 0.5, [1, 0, 0]

    def each(fn):
        return np.array([fn(*p) for p in x.reshape(-1, 3)]).reshape(x.shape)

    def turned(r, g, b):
        h, s, v = colorsys.rgb_to_hsv(r, g, b)
        return colorsys.hsv_to_rgb((h - 0.4) % 1, s, v)

    def stronger(r, g, b):
        h, s, v = colorsys.rgb_to_hsv(r, g, b)
        return colorsys.hsv_to_rgb(h, min(2 * s, 1), v)

    same(run(lambda x: ops.RGBToHSV()(x), compiled, x), each(colorsys.rgb_to_hsv))
    same(run(lambda x: ops.HSVToRGB()(x), compiled, x), each(colorsys.hsv_to_rgb))
    got = run(lambda x, d: ops.AdjustHue()(x, d), compiled, x, f32(-0.4))
    np.testing.assert_allclose(got[0], each(turned), atol=1e-5)
    same(run(lambda x, d: ops.AdjustSaturation()(x, d), compiled, x, f32(2)), each(stronger))
    mean = x.mean((1, 2), keepdims=True)
    contrast = ops.operations.AdjustContrastv2()
    same(run(lambda x, d: contrast(x, d), compiled, x, f32(3)), (x - mean) * 3 + mean)
    check_gradient(
        lambda x: ops.RGBToHSV()(x), np.array([[0.2, 0.7, 0.4], [0.9, 0.1, 0.3]]), compiled
    )


@MODES
def test_equations_and_diagonals(compiled):
    r = np.random.RandomState(0)
    a, b = r.rand(2, 4, 4) + 4 * np.eye(4), r.rand(2, 4, 3)
    lower = np.stack([scipy.linalg.solve_triangular(m, v, lower=True) for m, v in zip(a, b)])
    same(run(lambda a, b: ops.MatrixTriangularSolve()(a, b), compiled, a, b), lower)
    upper = np.stack(
        [scipy.linalg.solve_triangular(m, v, trans="C", lower=False) for m, v in zip(a, b)]
    )
    solve = ops.MatrixTriangularSolve(lower=False, adjoint=True)
    same(run(lambda a, b: solve(a, b), compiled, a, b), upper)
    tall, wide = r.rand(5, 3), r.rand(3, 5)
    for m in (tall, wide):
        v = r.rand(len(m), 2)
        least = np.linalg.lstsq(m, v, rcond=None)[0]
        same(run(lambda m, v: ops.Lstsq()(m, v), compiled, m, v), least)
        zero = np.array(0.0)
        same(run(lambda m, v, z: ops.MatrixSolveLs()(m, v, z), compiled, m, v, zero), least)
    c = (r.rand(3, 3) + 3 * np.eye(3)).astype(np.complex128)
    same(run(lambda c: ops.MatrixLogarithm()(c), compiled, c), scipy.linalg.logm(c))
    up, main, down, right = r.rand(1, 4), r.rand(1, 4), r.rand(1, 4), r.rand(4, 2)
    dense = np.diag(main[0]) + np.diag(up[0, :-1], 1) + np.diag(down[0, 1:], -1)
    product = ops.TridiagonalMatMul()
    got = run(lambda *t: product(*t), compiled, up, main, down, right)
    same(got, dense @ right)
    total = np.linalg.svd(tall, compute_uv=False).sum().reshape(1, 1)
    same(run(lambda x: ops.NuclearNorm(keepdim=True)(x), compiled, tall), total)
    rhs = Tensor(b[0])
    check_gradient(lambda x: ops.MatrixTriangularSolve()(x, rhs), a[0], compiled)
    ones = Tensor(np.ones((5, 1)))
    check_gradient(lambda x: ops.Lstsq()(x, ones), tall, compiled)


@MODES
def test_elements_and_windows(compiled):
    x = f32([[1, 5, 3, 9], [9, 7, 8, 2]])
    same(run(lambda x: ops.NthElement()(x, 1), compiled, x), np.sort(x)[:, 1])
    same(run(lambda x: ops.NthElement(reverse=True)(x, 0), compiled, x), x.max(1))
    y = np.random.RandomState(0).randn(3, 16).astype(np.float32)
    packed = np.packbits(y > 0.25, axis=-1)
    got = run(lambda y, t: ops.CompareAndBitpack()(y, t), compiled, y, f32(0.25))
    same(got, packed)
    assert got[0].dtype == np.uint8
    v = np.arange(2 * 27, dtype=np.float32).reshape(1, 2, 3, 3, 3)
    windows = np.lib.stride_tricks.sliding_window_view(v, (2, 2, 2), (2, 3, 4))
    windows = windows.transpose(0, 5, 6, 7, 1, 2, 3, 4).reshape(1, 16, 2, 2, 2)
    same(run(lambda v: ops.ExtractVolumePatches(2, 1, "VALID")(v), compiled, v), windows)
    assert run(lambda v: ops.ExtractVolumePatches(2, 2, "SAME")(v), compiled, v)[0].shape[2:] == (
        2,
        2,
        2,
    )
    same(run(lambda x: ops.Expand()(x, (3, -1, 4)), compiled, x), np.broadcast_to(x, (3, 2, 4)))
    pad = ops.PadV3("constant")
    expected = np.pad(x, ((0, 2), (1, 1)), constant_values=1.5)
    same(run(lambda x: pad(x, (1, 1, 0, 2), 1.5), compiled, x), expected)
    apart = ops.PadV3("constant", paddings_contiguous=False)
    same(run(lambda x: apart(x, (1, 0, 1, 2), 1.5), compiled, x), expected)
    n = np.arange(8, dtype=np.int32)
    same(run(lambda n: ops.MapUniform()(n, 3, 4), compiled, n), n % 4 * 3 + n // 4)
    check_gradient(
        lambda x: ops.ExtractVolumePatches(2, 1, "VALID")(x), v[:, :1].astype(np.float64), compiled
    )


@MODES
def test_numbers_that_are_not_finite_are_refused(compiled):
    same(run(lambda x: ops.CheckNumerics()(x), compiled, f32([1, 2])), f32([1, 2]))
    with pytest.raises(RuntimeError, match="finite"):
        run(lambda x: ops.CheckNumerics()(x), compiled, f32([1, np.nan]))


@MODES
def test_sparse_places(compiled):
    dense = np.zeros((4, 5), np.float32)
    dense[[0, 1, 1, 3], [1, 0, 4, 2]] = [1, 2, 3, 4]
    at = np.argwhere(dense)
    values, shape = dense[tuple(at.T)], i64(dense.shape)

    def filled(indices, values, shape=dense.shape):
        out = np.zeros(shape, values.dtype)
        np.add.at(out, tuple(indices.T), values)
        return out

    got = run(
        lambda *t: ops.SparseSlice()(*t), compiled, at, values, shape, i64([1, 0]), i64([2, 3])
    )
    same([filled(*got[:2], got[2])], dense[1:3, :3])
    shuffled = [2, 0, 3, 1]
    reorder = ops.operations.SparseReorder()
    got = run(lambda *t: reorder(*t), compiled, at[shuffled], values[shuffled], shape)
    same(got, at, values)
    other = np.where(np.arange(20).reshape(4, 5) % 3 == 0, -2, 0).astype(np.float32)
    at2 = np.argwhere(other)
    pair = at, values, shape, at2, other[tuple(at2.T)], shape
    add = ops.operations.SparseAdd()
    got = run(lambda *t: add(*t), compiled, *pair, f32(1.5))
    total = dense + other
    same([filled(*got[:2])], np.where(abs(total) >= 1.5, total, 0))
    for name, fn in (("Minimum", np.minimum), ("Maximum", np.maximum)):
        choose = getattr(ops.operations, f"SparseSparse{name}")()
        same([filled(*run(lambda *t: choose(*t), compiled, *pair))], fn(dense, other))
    row = f32([1, 2, 3, 4, 5])
    for name, fn in (("Add", np.add), ("Mul", np.multiply), ("Div", np.divide)):
        combine = getattr(ops.operations, f"SparseDenseCwise{name}")()
        got = run(lambda *t: combine(*t), compiled, at, values, shape, row)
        same(got, fn(values, np.broadcast_to(row, dense.shape)[tuple(at.T)]))
    fill = ops.operations.SparseFillEmptyRows()
    got = run(lambda *t: fill(*t), compiled, at, values, shape, f32(7))
    assert got[2].tolist() == [False, False, True, False] and got[3].tolist() == [0, 1, 2, 4]
    expected = dense.copy()
    expected[2, 0] = 7
    same([filled(*got[:2])], expected)


@MODES
def test_sizes_that_the_run_finds(compiled):
    x, y = i64([1, 2, 3, 4, 5, 6, 2]), i64([1, 3, 5])
    same(run(lambda x, y: ops.ListDiff()(x, y), compiled, x, y), [2, 4, 6, 2], [1, 3, 5, 6])
    places, values = i64([[0, 0, 1], [1, 1, 2]]), f32([1, 5, 4])
    got = run(lambda *t: ops.Coalesce()(*t), compiled, places, values, i64([3, 3]))
    same(got, [[0, 1], [1, 2]], [6, 4], [3, 3])
    bounds = [np.array(v, np.int32) for v in ([2, 5, 8], [3, 5, 12], [1, 1, 2])]
    got = run(lambda *t: ops.RaggedRange(ms.int64)(*t), compiled, *bounds)
    same(got, [0, 1, 1, 3], [2, 8, 10])
    to_sparse = ops.operations.RaggedTensorToSparse(ms.int64)
    got = run(lambda s, v: to_sparse([s], v), compiled, i64([0, 2, 2, 3]), f32([1, 2, 3]))
    same(got, [[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2])
    overlaps = f32([[1, 0.6, 0.1, 0], [0.6, 1, 0.2, 0.1], [0.1, 0.2, 1, 0.7], [0, 0.1, 0.7, 1]])
    scores = f32([0.9, 0.8, 0.7, 0.95])
    pick = ops.NonMaxSuppressionWithOverlaps()
    got = run(lambda o, s: pick(o, s, 4, 0.5, 0.0), compiled, overlaps, scores)
    same(got, [3, 0])


@MODES
def test_boxes_of_the_best_scores_of_each_class(compiled):
    boxes = f32([[[[0.1, 0.2, 0.3, 1.4]], [[0.1, 0.2, 0.3, 0.45]], [[0.5, 0.5, 0.9, 0.9]]]])
    scores = f32([[[0.7, 0.2], [0.6, 0.3], [0.5, 0.9]]])
    near = boxes.copy()
    near[0, 0, 0, 3] = 0.4
    choose = ops.CombinedNonMaxSuppression()
    got = run(lambda b, s: choose(b, s, 2, 3, 0.5, 0.25), compiled, near, scores)
    rows = [[0.5, 0.5, 0.9, 0.9], [0.1, 0.2, 0.3, 0.4], [0.5, 0.5, 0.9, 0.9]]
    same(got, [rows], [[0.9, 0.7, 0.5]], [[1, 0, 0]], [3])
    choose = ops.CombinedNonMaxSuppression(pad_per_class=True, clip_boxes=False)
    got = run(lambda b, s: choose(b, s, 1, 3, 0.5, 0.0), compiled, boxes, scores)
    same(got, [[rows[2], boxes[0, 0, 0]]], [[0.9, 0.7]], [[1, 0]], [2])


@MODES
def test_sparse_matrices_by_rows(compiled):
    m = scipy.sparse.random(4, 6, 0.4, "csr", np.float32, random_state=0)
    at = np.argwhere(m.toarray())
    P = ops.operations
    parts = i64(m.shape), i64([0, m.nnz]), i64(m.indptr), i64(m.indices), m.data
    same(
        run(lambda *t: P.SparseTensorToCSRSparseMatrix()(*t), compiled, at, m.data, parts[0]),
        *parts,
    )
    same(run(lambda x, i: P.DenseToCSRSparseMatrix()(x, i), compiled, m.toarray(), at), *parts)
    same(run(lambda *t: P.CSRSparseMatrixToDense()(*t), compiled, *parts), m.toarray())
    got = run(lambda *t: P.CSRSparseMatrixToSparseTensor()(*t), compiled, *parts)
    same(got, at, m.data, parts[0])
    same(run(lambda *t: P.SparseMatrixNNZ()(*t), compiled, *parts), [m.nnz])
    t = m.T.tocsr()
    got = run(lambda *t: P.SparseMatrixTranspose()(*t), compiled, *parts)
    same(got, t.shape, [0, t.nnz], t.indptr, t.indices, t.data)
    got = run(lambda *t: P.SparseMatrixSoftmax(ms.float32)(*t), compiled, *parts)
    of_rows = [np.exp(v) / np.exp(v).sum() for v in np.split(m.data, m.indptr[1:-1])]
    same(got[4:], np.concatenate(of_rows))


def _lstm(x, h, c, wi, wh, b):
    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    outs = []
    for step in x:
        i, f, g, o = np.split(step @ wi.T + h @ wh.T + b, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        outs.append(h)
    return np.stack(outs), h, c


@MODES
def test_lstm_with_one_vector_of_weights(compiled):
    r, size, width = np.random.RandomState(0), 3, 2
    x, h, c = r.randn(4, 2, width), r.randn(2, 2, size), r.randn(2, 2, size)
    w = [[r.randn(4 * size, n) for _ in "fb"] for n in (width, size)]
    b = [r.randn(4 * size) for _ in "fb"]
    flat = np.concatenate([p.ravel() for p in (*w[0], *w[1], *b)]).reshape(-1, 1, 1)
    forward = _lstm(x, h[0], c[0], w[0][0], w[1][0], b[0])
    back = _lstm(x[::-1], h[1], c[1], w[0][1], w[1][1], b[1])
    layer = ops.LSTM(width, size, 1, True, True, 0.0)
    got = run(lambda *t: layer(*t)[:3], compiled, x, h, c, flat)
    joined = np.concatenate([forward[0], back[0][::-1]], 2)
    same(got, joined, np.stack([forward[1], back[1]]), np.stack([forward[2], back[2]]))
    small = ops.LSTM(2, 1, 2, False, False, 0.0)
    given = Tensor(x[:, :1]), Tensor(h[:, :1, :1]), Tensor(c[:, :1, :1])
    check_gradient(lambda w: small(*given, w)[0], r.randn(20), compiled)
    with pytest.raises(ValueError, match="elements"):
        layer(Tensor(x), Tensor(h), Tensor(c), Tensor(flat[:-1]))


@MODES
def test_ctc_loss_of_sparse_labels(compiled):
    x = np.random.RandomState(0).randn(6, 2, 5)
    label = i64([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]]), np.array([2, 2, 1, 0, 3], np.int32)
    lengths = np.array([5, 6], np.int32)
    expected = {  # of MindSpore 2.10
        (False, True): [6.95928, 6.2693624],
        (False, False): [6.929628, 7.6392646],
        (True, True): [6.4769855, 6.2693624],
    }
    for options, losses in expected.items():
        ctc = ops.CTCLoss(*options)
        got = run(lambda *t: ctc(*t), compiled, x, *label, lengths)
        np.testing.assert_allclose(got[0], losses, rtol=1e-5)
        rest = [Tensor(v) for v in (*label, lengths)]
        check_gradient(lambda x: ctc(x, *rest)[0], x[:, :, :], compiled)
    start = Tensor(x)
    places = Tensor(np.array([(b, i) for b in (0, 1) for i in range(3)]))

    def padded(values):
        return ops.CTCLoss()(start, places, Tensor(np.array(values, np.int32)), Tensor(lengths))

    # What is no class ends a label: MindSpore 2.10 gives these for each of the paddings.
    for values in ([2, 2, -1, 0, 4, 4], [2, 2, 9, 0, 7, 4]):
        np.testing.assert_allclose(padded(values)[0].asnumpy(), [6.95928, 8.7094965], rtol=1e-5)
    blanks = x[:5, 0, 4] - np.log(np.exp(x[:5, 0]).sum(1))
    np.testing.assert_allclose(padded([4, 4, 4, 0, 4, 4])[0].asnumpy()[0], -blanks.sum(), rtol=1e-6)
    with pytest.raises(ValueError, match="labels_values"):
        padded([2, 4, 1, 0, 4, 4])
    with pytest.raises(ValueError, match="sequence_length"):
        ops.CTCLoss()(Tensor(x), Tensor(label[0]), Tensor(label[1]), Tensor(lengths // 3))
    with pytest.raises(ValueError, match="sequence_length"):
        ops.CTCLoss()(Tensor(x), Tensor(label[0]), Tensor(label[1]), Tensor(lengths + 1))


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
@pytest.mark.parametrize(
    "name, operands",
    [
        ("Exp", (5.0,)),
        ("Sin", (Tensor([True]),)),
        ("Sigmoid", (Tensor([1], ms.int32),)),
        ("Flatten", ([Tensor([[1.0]])],)),
        ("MatMul", (Tensor([[1.0]]), Tensor([[1]], ms.int32))),
        ("AddN", (Tensor([1.0]),)),
        ("AddN", ((Tensor([1.0]), Tensor([[1], [2]], ms.int32)),)),
        ("NMSWithMask", (Tensor([[1.0, 2.0, 3.0, 4.0]]),)),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_operands_that_classes_refuse(name, operands, mode):
    ms.set_context(mode=mode)

    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.op = getattr(ops, name)()

        def construct(self, *x):
            return self.op(*x)

    wanted = ValueError if name == "NMSWithMask" else TypeError
    with pytest.raises(wanted, match=name):
        Net()(*operands)


def test_star_imports_give_the_classes():
    found: dict = {}
    exec("from minds.ops.operations import *", found)
    assert found["MatMul"] is ops.MatMul and found["HookBackward"] is ops.HookBackward
    found = {}
    exec("from minds.ops import *\nfrom minds.nn.layer import *\nfrom minds.common import *", found)
    assert found["ReLU"] is ms.nn.ReLU and found["value_and_grad"] is ms.value_and_grad
    assert found["float32"] is ms.float32 and "P" not in found


@pytest.mark.parametrize(
    "make, operands, what",
    [
        (lambda: ops.Conv2D(2, 3), ((1, 1, 4, 4), (1, 1, 3, 3)), "Conv2D: weight"),
        (lambda: ops.Conv2D(2, 3), ((1, 1, 4, 4), (2, 1, 3, 2)), "Conv2D: weight"),
        (lambda: ops.Flatten(), ((),), "Flatten: input_x"),
        (lambda: ops.Split(3, 2), ((3, 4),), "Split: axis"),
        (lambda: ops.MaxPoolWithArgmaxV2(1), ((1, 4, 4),), "MaxPoolWithArgmaxV2: x"),
        (lambda: ops.ResizeNearestNeighbor((2, 2)), ((1, 4, 4),), "ResizeNearestNeighbor: x"),
    ],
)
def test_shapes_that_a_class_refuses(make, operands, what):
    tensors = [Tensor(np.ones(shape, np.float32)) for shape in operands]
    for call in (make(), ms.jit(make())):
        with pytest.raises(ValueError, match=what):
            call(*tensors)


def test_a_margin_may_be_a_tensor():
    x = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    loss = ops.TripletMarginLoss()
    margin = ms.Tensor([1.5])
    for call in (loss, ms.jit(loss)):
        assert call(Tensor(x), Tensor(x), Tensor(x + 1), margin).item() == pytest.approx(
            1.5 - 2**0.5, abs=1e-5
        )


@pytest.mark.parametrize("call", [lambda x: ops.split(x, 1), ops.irfft, lambda x: x.chunk(2)])
def test_a_rank_that_is_too_small_is_a_wrong_value(call):
    for run in (call, ms.jit(call)):
        with pytest.raises(ValueError):
            run(Tensor(1.0))

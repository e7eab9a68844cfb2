"""Pieces of images, transducers and recurrent networks by class: values against NumPy, torch's
definitions worked by hand and recorded results of MindSpore 2.10, in both modes, with gradients.
"""

import itertools

import numpy as np
import pytest
from test_small_classes import MODES, f32, run, same

import minds as ms
from minds import Tensor, ops

RNG = np.random.RandomState(7)
IMAGE = np.arange(25, dtype=np.float32).reshape(1, 5, 5, 1)


def _dilated(x, w, step, spread, pads):
    x = np.pad(x, ((0, 0), (0, 0), pads, pads), constant_values=-np.inf)
    kh, kw = w.shape[1:]
    oh, ow = ((x.shape[2 + i] - (k - 1) * spread - 1) // step + 1 for i, k in enumerate((kh, kw)))
    out = np.full((*x.shape[:2], oh, ow), -np.inf)
    for m, n in itertools.product(range(kh), range(kw)):
        rows = x[:, :, m * spread :, n * spread :][:, :, ::step, ::step][:, :, :oh, :ow]
        out = np.maximum(out, rows + w[:, m, n][None, :, None, None])
    return out


@MODES
@pytest.mark.parametrize("step,spread,mode", [(1, 1, "SAME"), (2, 1, "VALID"), (1, 2, "SAME")])
def test_dilation(compiled, step, spread, mode):
    x, w = RNG.rand(2, 3, 7, 7), RNG.rand(3, 3, 3)
    op = ops.Dilation2D(step, spread, mode)
    pads = (spread, spread) if mode == "SAME" else (0, 0)
    same(run(op, compiled, x, w), _dilated(x, w, step, spread, pads))
    ops.check_grad(op, [x, w], 1, h=1e-6, rtol=1e-5)


@MODES
def test_image_patches(compiled):
    x = RNG.rand(2, 3, 6, 5)
    got = run(ops.ExtractImagePatches((1, 1, 3, 2), (1, 1, 2, 1), (1, 1, 1, 2)), compiled, x)
    rows = [
        x[:, :, m : m + 4 : 2, n : n + 3] for m, n in itertools.product(range(3), range(0, 4, 2))
    ]
    same(got, np.concatenate(rows, 1))


@MODES
@pytest.mark.parametrize(
    "flags,want",
    [
        ((True, True), [[10, 11, 12], [15, 16, 17]]),
        ((False, False), [[0, 0, 1], [0, 5, 6]]),
        ((True, False), [[5, 6, 7], [10, 11, 12]]),
        ((False, True), [[0, 0, 0], [0, 0, 5]]),
    ],
)
def test_glimpse_as_recorded(compiled, flags, want):
    op = ops.ExtractGlimpse(*flags, False, "zero")
    got = run(lambda x, at: op(x, (2, 3), at), compiled, IMAGE, f32([[0.3, -0.2]]))
    same(got, np.array(want, np.float32)[None, :, :, None])


def test_noise_of_a_glimpse():
    """Outside of the image stands noise of the kind that was asked for."""
    far, image = Tensor(f32([[40.0, 40.0]])), Tensor(IMAGE)
    uniform = ops.ExtractGlimpse(False, False)(image, (30, 30), far).asnumpy()
    assert 0 <= uniform.min() and uniform.max() <= 1 and abs(uniform.mean() - 0.5) < 0.05
    normal = ops.ExtractGlimpse(False, False, False, "gaussian")(image, (30, 30), far).asnumpy()
    assert abs(normal.std() - 1) < 0.1 and normal.min() < 0
    with pytest.raises(ValueError, match="noise"):
        ops.ExtractGlimpse(noise="zero")


SCALED = {
    ("lanczos3", True): """1.4523654 2.5018725 3.8155477 5.166272 11.996049 13.045555 14.35923
        15.709955 19.972506 21.02201 22.335686 23.68641""",
    ("triangle", False): "1.5 2.625 3.875 5.125 11.5 12.625 13.875 15.125 20 21.125 22.375 23.625",
}


@MODES
@pytest.mark.parametrize("kind", SCALED)
def test_scaled_images_as_recorded(compiled, kind):
    op = ops.ScaleAndTranslate(*kind)
    got = run(
        lambda *a: op(a[0], (3, 4), *a[1:]), compiled, IMAGE, f32([0.5, 0.8]), f32([0.1, 0.2])
    )
    want = np.array(SCALED[kind].split(), np.float32).reshape(1, 3, 4, 1)
    np.testing.assert_allclose(np.asarray(got[0]), want, rtol=2e-6)


@pytest.mark.parametrize(
    "kind", ["lanczos1", "lanczos5", "gaussian", "box", "keyscubic", "mitchellcubic"]
)
def test_kernels_of_scaling(kind):
    """Each keeps a constant image, and scaling by 1 leaves the image where the kernel allows it."""
    flat, one = Tensor(np.full((1, 6, 6, 2), 3.0, np.float32)), Tensor(f32([1.0, 1.0]))
    half, none = Tensor(f32([0.5, 0.5])), Tensor(f32([0.0, 0.0]))
    got = ops.ScaleAndTranslate(kind)(flat, (3, 3), half, none).asnumpy()
    np.testing.assert_allclose(got, np.full((1, 3, 3, 2), 3.0), rtol=1e-5)
    if kind not in ("gaussian", "mitchellcubic"):
        got = ops.ScaleAndTranslate(kind)(Tensor(IMAGE), (5, 5), one, none).asnumpy()
        np.testing.assert_allclose(got, IMAGE, atol=1e-5)


@MODES
def test_deformed_windows(compiled):
    """Without moves they are the windows; the convolution with them is the deformable one."""
    x, op = RNG.rand(1, 2, 5, 5), ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (2, 3))
    still = np.zeros((1, 18, 4, 3))
    still[:, 12:] = 1
    tiles = run(op, compiled, x, still)[0]
    windows = np.lib.stride_tricks.sliding_window_view(x, (2, 3), (2, 3))
    same([tiles], windows.transpose(0, 1, 2, 4, 3, 5).reshape(1, 2, 8, 9))
    moved, w = RNG.rand(1, 18, 4, 3), RNG.rand(3, 2, 2, 3)
    tiles = run(op, compiled, x, moved)[0]
    want = ops.deformable_conv2d(
        Tensor(x), Tensor(w), Tensor(moved), (2, 3), (1, 1, 1, 1), (0, 0, 0, 0)
    )
    same(run(ops.Conv2D(3, (2, 3), stride=(2, 3)), compiled, tiles, w), want.asnumpy())


def _transducer_cost(logs, labels):
    """By all paths."""
    steps, places = logs.shape[:2]
    total = -np.inf
    for path in itertools.combinations(range(steps + places - 2), places - 1):
        t, u, cost = 0, 0, 0.0
        for i in range(steps + places - 2):
            if i in path:
                cost, u = cost + logs[t, u, labels[u]], u + 1
            else:
                cost, t = cost + logs[t, u, 0], t + 1
        total = np.logaddexp(total, cost + logs[t, u, 0])
    return -total


@MODES
def test_transducer(compiled):
    acts = RNG.rand(2, 4, 3, 5)
    labels, times, counts = (np.array(v, np.int32) for v in ([[1, 2], [3, 0]], [4, 3], [2, 1]))
    logs = acts - np.log(np.exp(acts).sum(-1, keepdims=True))
    want = [_transducer_cost(logs[0], [1, 2]), _transducer_cost(logs[1, :3, :2], [3])]
    costs, grads = run(ops.RNNTLoss(), compiled, acts, labels, times, counts)
    same([costs], want)
    move, h = RNG.randn(*acts.shape), 1e-5
    rest = [Tensor(v) for v in (labels, times, counts)]
    up, down = (ops.RNNTLoss()(Tensor(acts + s * move), *rest)[0].asnumpy() for s in (h, -h))
    slope = ((up - down) / (2 * h)).sum()
    np.testing.assert_allclose((np.asarray(grads) * move).sum(), slope, rtol=1e-6)
    found = ms.grad(lambda a: ops.RNNTLoss()(a, *rest)[0].sum())(Tensor(acts))
    same([found.asnumpy()], grads)


@MODES
def test_recurrent_networks_by_class(compiled):
    """As `ops.LSTM` and `nn.GRU` compute them from the same weights."""

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    x, w, b = RNG.rand(3, 2, 4), RNG.rand(7, 12), RNG.rand(12)
    h, c = RNG.rand(1, 2, 3), RNG.rand(1, 2, 3)
    op = ops.DynamicRNN(forget_bias=0.5)
    got = run(lambda *a: op(*a[:3], None, *a[3:]), compiled, x, w, b, h, c)
    state, cell = h[0], c[0]
    for t in range(3):
        i, j, f, o = np.split(np.concatenate([x[t], state], 1) @ w + b, 4, 1)
        cell = sigmoid(f + 0.5) * cell + sigmoid(i) * np.tanh(j)
        state = sigmoid(o) * np.tanh(cell)
        same([got[0][t], got[2][t], got[5][t]], state, cell, sigmoid(f + 0.5))
    ops.check_grad(lambda *a: op(*a[:3], None, *a[3:])[0], [x, w, b, h, c])
    for order, after in itertools.product(("rzh", "zrh"), (True, False)):
        gru = ops.DynamicGRUV2(gate_order=order, reset_after=after)
        v, u, p, q = RNG.rand(4, 9), RNG.rand(3, 9), RNG.rand(9), RNG.rand(9)
        outs = run(lambda *a, gru=gru: gru(*a[:5], None, a[5]), compiled, x, v, u, p, q, h[0])
        state = h[0]
        for t in range(3):
            seen, own = np.split(x[t] @ v + p, 3, 1), np.split(state @ u + q, 3, 1)
            gates = [sigmoid(a + b) for a, b in zip(seen[:2], own[:2], strict=True)]
            r, z = gates if order == "rzh" else gates[::-1]
            part = own[2] if after else (r * state) @ u[:, 6:] + q[6:]
            new = np.tanh(seen[2] + (r * part if after else part))
            state = (1 - z) * new + z * state
            same([outs[0][t], outs[2][t], outs[4][t]], state, z, new)


@MODES
def test_a_distorted_box(compiled):
    """It lies in the image, has an area and ratio in the ranges, and covers enough of a box."""
    op = ops.SampleDistortedBoundingBoxV2(3, 0, (0.8, 1.25), (0.2, 0.6))
    boxes = f32([[[0.2, 0.2, 0.7, 0.7]]])
    for _ in range(5):
        args = np.array([40, 50, 3], np.int32), boxes, f32([0.3])
        begin, size, box = (np.asarray(v) for v in run(op, compiled, *args))
        (y, x, _), (h, w, rest) = begin, size
        assert rest == -1 and 0 <= y <= 40 - h and 0 <= x <= 50 - w
        assert 0.75 < w / h < 1.35 and 0.18 < h * w / 2000 < 0.63
        same([box[0, 0]], f32([y / 40, x / 50, (y + h) / 40, (x + w) / 50]))
        low, high = np.maximum([y, x], [8, 10]), np.minimum([y + h, x + w], [28, 35])
        assert np.prod(np.clip(high - low, 0, None)) >= 0.3 * 500 - 1


def test_names_of_older_functions():
    """Each is the function of another name, or what it says on tuples and dtypes."""
    x = Tensor(f32([[1.0, -2.0], [0.2, 4.0]]))
    assert ops.tensor_ge(x, 1).asnumpy().tolist() == [[True, False], [False, True]]
    same([ops.pows(x, 2).asnumpy(), ops.tensor_muls(x, 2).asnumpy()], f32(x) ** 2, f32(x) * 2)
    same([ops.floordiv(x, 3).asnumpy(), ops.floormod(x, 3).asnumpy()], *np.divmod(f32(x), 3))
    assert ops.tail((1, 2, 3)) == (2, 3) and ops.shape_mul((2, 3)) == 6
    assert ops.reduced_shape((2, 3), ()) == (1, 1) and ops.tuple_div((4, 6), (2, 3)) == (2, 2)
    assert ops.broadcast_gradient_args((4, 1, 3), (5, 1)) == ((1,), (0, 2))
    cast = ops.mixed_precision_cast(ms.float16, {"a": x, "b": (x.astype(ms.int32), 3)})
    assert cast["a"].dtype is ms.float16 and cast["b"][0].dtype is ms.int32 and cast["b"][1] == 3
    inf = Tensor(f32([1.0, np.inf]))
    same([ops.FloatStatus()(v).asnumpy() for v in (x, inf)], [0.0], [1.0])
    hits = ops.ComputeAccidentalHits(2)(Tensor([[1, 2], [0, 4], [3, 3]]), Tensor([0, 1, 2, 3, 4]))
    assert hits[0].asnumpy().tolist() == [0, 0, 1, 1, 2, 2]
    assert hits[1].asnumpy().tolist() == [1, 2, 0, 4, 3, 3]
    assert (hits[2].asnumpy() == np.finfo(np.float32).min).all()
    for home in (ops.functional, ops.function):
        assert (home.csr_softmax, home.jvp, home.coo_abs) == (ops.csr_softmax, ops.jvp, ops.coo_abs)


@MODES
def test_diagonals_of_tensors(compiled):
    """Element (i, j, i, j) of the result is element (i, j)."""
    x = RNG.rand(2, 3)
    want = np.zeros((2, 3, 2, 3))
    for i, j in itertools.product(range(2), range(3)):
        want[i, j, i, j] = x[i, j]
    same(run(ops.diag, compiled, x), want)
    ops.check_grad(ops.diag, [x])
    with pytest.raises(ValueError, match="rank 1 or more"):
        ops.diag(Tensor(1.0))


def test_distances_of_sequences_while_compiled():
    """The shapes are attributes, so their values are known; as recorded of MindSpore 2.10."""

    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.distance = ops.EditDistance()
            self.first, self.second = Tensor([1, 1, 2]), Tensor([2, 2, 2])

        def construct(self, at, values, true_at, true_values):
            return self.distance(at, values, self.first, true_at, true_values, self.second)

    at = Tensor([[0, 0, 0], [1, 0, 1], [1, 1, 1]])
    true_at = Tensor([[0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1]])
    values, true = Tensor(f32([1, 2, 3])), Tensor(f32([1, 2, 3, 1]))
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        before = ms.get_context("mode")
        ms.set_context(mode=mode)
        got = Net()(at, values, true_at, true)
        ms.set_context(mode=before)
        same([got.asnumpy()], [[1.0, 1.0], [1.0, 0.0]])


def test_the_median_of_all():
    found = ops.Median(True)(Tensor(f32([[1, 2, 2, 3], [5, 5, 5, 5]])))
    assert [t.asnumpy().item() for t in found] == [3.0, 0]

"""Buffers and the state of cells; losses of sequences; cells around functions; occlusion."""

import itertools

import numpy as np
import pytest
from scipy import special

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.train import OcclusionSensitivity

RNG = np.random.default_rng(0)


class Counter(nn.Cell):
    """A parameter, a buffer and a sub-cell."""

    def __init__(self):
        super().__init__()
        self.register_buffer("offset", Tensor([4.0, 5.0]))
        self.register_buffer("scratch", Tensor([0.0]), persistent=False)
        self.w = Parameter(Tensor([1.0, 2.0]))
        self.inner = nn.Dense(2, 1)

    def construct(self, x):
        return x * self.w + self.offset


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_buffers(mode):
    """They are attributes, named, and part of the state; a program reads them."""
    net, before = Counter(), ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        assert net(Tensor([1.0, 1.0])).tolist() == [5, 7]
        net.offset = Tensor([0.0, 0.0])
        assert net(Tensor([1.0, 1.0])).tolist() == [1, 2]
    finally:
        ms.set_context(mode=before)
    assert [n for n, _ in net.named_buffers()] == ["offset", "scratch"]
    assert list(net.state_dict()) == ["w", "offset", "inner.weight", "inner.bias"]
    assert [n for n, _ in nn.SequentialCell(net).named_buffers()] == ["0.offset", "0.scratch"]
    assert net.get_buffer("offset") is net.offset
    with pytest.raises(KeyError, match="already has"):
        net.register_buffer("w", Tensor([1.0]))
    with pytest.raises(TypeError, match="a Tensor"):
        net.register_buffer("b", 3)


def test_state():
    """A state is taken by another cell; names and shapes must fit."""
    a, b = Counter(), Counter()
    a.w.set_data(Tensor([7.0, 8.0]))
    a.offset = Tensor([9.0, 9.0])
    assert b.load_state_dict(a.state_dict()) == ([], [])
    assert b.w.tolist() == [7, 8] and b.offset.tolist() == [9, 9]
    with pytest.raises(RuntimeError, match="unexpected"):
        b.load_state_dict({"other": Tensor([1.0])})
    assert b.load_state_dict({"other": Tensor([1.0])}, strict=False).unexpected_keys == ["other"]


def test_to():
    net = Counter().to(ms.float16)
    assert net.w.dtype is net.offset.dtype is net.inner.weight.dtype is ms.float16


def _ctc(logp, target):
    """Minus the logarithm of the probability of all paths that collapse to the target."""
    t, c = logp.shape
    total = 0.0
    for path in itertools.product(range(c), repeat=t):
        merged = [k for k, _ in itertools.groupby(path) if k]
        if merged == list(target):
            total += np.exp(sum(logp[i, k] for i, k in enumerate(path)))
    return -np.log(total)


def test_ctc():
    """Against the sum over all paths, with its gradient and targets that do not fit."""
    x = np.log(special.softmax(RNG.standard_normal((4, 3, 3)), 2))
    targets, lengths = np.array([[1, 2], [2, 2], [1, 0]]), [2, 2, 1]
    call = (Tensor(targets), Tensor([4, 4, 4]), Tensor(lengths))
    want = np.array([_ctc(x[:, i], targets[i, : lengths[i]]) for i in range(3)])
    np.testing.assert_allclose(
        nn.CTCLoss(reduction="none")(Tensor(x), *call).asnumpy(), want, rtol=1e-9
    )
    np.testing.assert_allclose(
        nn.CTCLoss()(Tensor(x), *call).asnumpy(), (want / lengths).mean(), rtol=1e-9
    )
    ms.ops.check_grad(lambda x: nn.CTCLoss(reduction="sum")(x, *call), [x], order=1)
    short = nn.CTCLoss(reduction="none")(
        Tensor(x), Tensor(targets), Tensor([4, 2, 4]), Tensor(lengths)
    )
    assert np.isinf(short.asnumpy()[1])
    assert (
        nn.CTCLoss(zero_infinity=True, reduction="none")(
            Tensor(x), Tensor(targets), Tensor([4, 2, 4]), Tensor(lengths)
        ).tolist()[1]
        == 0
    )


def test_functions_as_cells():
    a = RNG.standard_normal((3, 3))
    a = a @ a.T + np.eye(3)
    np.testing.assert_allclose(nn.MatDet()(Tensor(a)).asnumpy(), np.linalg.det(a))
    np.testing.assert_allclose(nn.MatInverse()(Tensor(a)).asnumpy(), np.linalg.inv(a), rtol=1e-9)
    x, y = Tensor([2.0, 3.0], ms.float64), Tensor([1.0, 2.0], ms.float64)
    np.testing.assert_allclose(nn.LBeta()(x, y).asnumpy(), special.betaln([2, 3], [1, 2]))
    np.testing.assert_allclose(nn.IGamma()(x, y).asnumpy(), special.gammainc([2, 3], [1, 2]))
    assert float(
        nn.MultilabelMarginLoss()(Tensor([[0.1, 0.2, 0.4, 0.8]]), Tensor([[3, 0, -1, 1]]))
    ) == pytest.approx(0.85)


def test_sampled_softmax():
    """With all classes sampled and equal expectations it is the cross entropy."""
    w, b, x = (Tensor(RNG.standard_normal(s)) for s in ((5, 4), (5,), (3, 4)))
    labels = np.array([0, 3, 4])
    every = (Tensor(np.arange(5)), Tensor(np.ones((3, 1))), Tensor(np.ones(5)))
    loss = nn.SampledSoftmaxLoss(5, 5, sampled_values=every)(w, b, Tensor(labels), x).asnumpy()
    logits = x.asnumpy() @ w.asnumpy().T + b.asnumpy()
    np.testing.assert_allclose(
        loss, special.logsumexp(logits, 1) - logits[np.arange(3), labels], rtol=1e-9
    )


def test_occlusion():
    """A linear network: the score falls by the weights of what is covered."""
    w = RNG.standard_normal((2, 6)).astype(np.float32)
    net = nn.Dense(6, 2, weight_init=Tensor(w), bias_init="zeros")

    class Flat(nn.Cell):
        def construct(self, x):
            return net(ops.reshape(x, (x.shape[0], -1)))

    image = RNG.standard_normal((1, 2, 3)).astype(np.float32)
    metric = OcclusionSensitivity(margin=1, n_batch=4)
    metric.update(Flat(), image, 1)
    part = image[0] * w[1].reshape(2, 3)
    want = [
        [part[max(i - 1, 0) : i + 1, max(j - 1, 0) : j + 1].sum() for j in range(3)]
        for i in range(2)
    ]
    np.testing.assert_allclose(metric.eval(), want, rtol=1e-4, atol=1e-5)
    metric = OcclusionSensitivity(b_box=[0, 1, 1, 1])
    metric.update(Flat(), image, 1)
    assert metric.eval().shape == (2, 1)
    with pytest.raises(RuntimeError, match="nothing was examined"):
        OcclusionSensitivity().eval()

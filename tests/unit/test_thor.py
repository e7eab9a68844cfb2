"""THOR against its formulas in NumPy, and how networks and models become of second order."""

import numpy as np
import pytest

import minds as ms
from minds import nn, ops, train

RNG = np.random.default_rng(5)
MODES = [ms.GRAPH_MODE, ms.PYNATIVE_MODE]


def _normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def _net():
    net = nn.SequentialCell(
        nn.Conv2d(1, 2, 3, pad_mode="same", has_bias=True), nn.Flatten(), nn.Dense(32, 3)
    )
    net[0].weight.set_data(ms.Tensor(_normal(2, 1, 3, 3)))
    return net


def _windows(x):
    """The 3 × 3 windows of the mean over the batch, padded by zeros: (9, H · W)."""
    x = np.pad(x.mean(0)[0], 1)
    n = x.shape[0] - 2
    return np.stack([x[i : i + n, j : j + n].ravel() for i in range(3) for j in range(3)])


def _inverse(m, damping):
    return np.linalg.inv(m + np.sqrt(damping) * np.eye(len(m)))


@pytest.mark.parametrize("mode", MODES)
def test_step(mode):
    """One step of a convolution and a dense layer with all options that change it."""
    ms.set_context(mode=mode)
    net, batch, rate, damping, scale = _net(), 4, 0.5, 0.3, 2.0
    w, b = net[0].weight.asnumpy().copy(), net[0].bias.asnumpy().copy()
    v, c = net[2].weight.asnumpy().copy(), net[2].bias.asnumpy().copy()
    opt = nn.thor(
        net,
        ms.Tensor([rate, 9.0]),
        ms.Tensor([damping, 9.0]),
        0.9,
        weight_decay=0.1,
        loss_scale=scale,
        batch_size=batch,
        decay_filter=lambda p: p.name.endswith("weight"),
    )
    x, d = _normal(batch, 1, 4, 4), _normal(batch, 3)
    fn = ms.value_and_grad(lambda x: (net(x) * ms.Tensor(d)).sum(), None, opt.parameters)
    grads = fn(ms.Tensor(x))[1]
    opt(grads)
    grads = [g.asnumpy() / scale for g in grads]
    # the dense layer
    seen = net[1](net[0](ms.Tensor(x))).asnumpy()  # shape only: the weights have changed
    y = np.stack([_conv(s, w, b) for s in x])
    flat = y.reshape(batch, -1)
    assert seen.shape == flat.shape
    factor = (batch / scale) ** 2
    a = _inverse(flat.T @ flat / 32, damping)
    g = _inverse(d.T @ d / batch * factor, damping)
    want = v - rate * (g @ grads[2] @ a + 0.1 * v)
    np.testing.assert_allclose(net[2].weight.asnumpy(), want, rtol=2e-4, atol=2e-4)
    np.testing.assert_allclose(net[2].bias.asnumpy(), c - rate * grads[3], rtol=1e-4, atol=1e-5)
    # the convolution
    rows = _windows(x)
    back = (d @ v).reshape(batch, 2, 16).mean(0)
    a = _inverse(rows @ rows.T / 16, damping / 16) / 4
    g = _inverse(back @ back.T / 16 * factor, damping / 16) / 4
    want = w - rate * ((g @ grads[0].reshape(2, 9) @ a).reshape(w.shape) + 0.1 * w)
    np.testing.assert_allclose(net[0].weight.asnumpy(), want, rtol=2e-4, atol=2e-4)
    assert int(opt.global_step) == 1 and [p.name for p in net.trainable_params()] == [
        "0.weight",
        "0.bias",
        "2.weight",
        "2.bias",
    ]


def _conv(x, w, b):
    x = np.pad(x[0], 1)
    return np.stack(
        [
            sum(w[o, 0, i, j] * x[i : i + 4, j : j + 4] for i in range(3) for j in range(3)) + b[o]
            for o in range(2)
        ]
    )


@pytest.mark.parametrize("mode", MODES)
def test_embedding_and_norm(mode):
    """Rows of a table are scaled by how often they were looked up; norms by the squared gradient."""
    ms.set_context(mode=mode)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(4, 3, embedding_table=ms.Tensor(_normal(4, 3)))
            self.norm = nn.LayerNorm((3,))

        def construct(self, ids):
            return self.norm(self.table(ids))

    net, ids = Net(), ms.Tensor([[0, 2], [2, 3]])
    opt = nn.thor(net, ms.Tensor([1.0]), ms.Tensor([0.25]), 0.0, batch_size=2)
    before = [p.asnumpy().copy() for p in opt.parameters]
    d = ms.Tensor(_normal(2, 2, 3))
    grads = ms.grad(lambda ids: (net(ids) * d).sum(), None, opt.parameters)(ids)
    rows = ms.grad(lambda r: (net.norm(r) * ms.Tensor(d.asnumpy().reshape(4, 3))).sum())(
        ops.gather(net.table.embedding_table, ids.reshape(-1), 0)
    ).asnumpy()
    opt(grads)
    counts, gradient = np.array([1.0, 0, 2, 1]), grads[0].asnumpy()
    want = gradient / (counts / 2 + 0.5)[:, None] @ _inverse(rows.T @ rows / 4 * 4, 0.25)
    moved = before[0] - net.table.embedding_table.asnumpy()
    np.testing.assert_allclose(moved, want, rtol=1e-3, atol=1e-5)
    for p, old, g in zip(opt.parameters[1:], before[1:], grads[1:]):
        g = g.asnumpy()
        np.testing.assert_allclose(old - p.asnumpy(), g / (g * g / 2 + 0.5), rtol=1e-4, atol=1e-6)


def test_blocks():
    """Factors of more than 128 rows are block diagonal."""
    from minds.nn.optim.thor import _inverse as inverse
    from minds.nn.optim.thor import _times as times

    m, rows = _normal(200, 200), _normal(200, 5)
    m = m @ m.T + 100 * np.eye(200, dtype=np.float32)
    cut = np.zeros_like(m)
    cut[:128, :128], cut[128:, 128:] = m[:128, :128], m[128:, 128:]
    got = times(inverse(ms.Tensor(m)), ms.Tensor(rows))
    np.testing.assert_allclose(got.asnumpy(), np.linalg.solve(cut, rows), rtol=1e-3, atol=1e-5)


def test_model():
    """A Model that computes the factors at every third step trains, and says who may be given."""
    net = nn.SequentialCell(nn.Dense(2, 1))
    rates = ms.Tensor([0.05] * 20)
    opt = nn.thor(net, rates, rates, 0.0, batch_size=4, frequency=3, enable_clip_grad=True)
    model = train.Model(net, nn.MSELoss(), opt)
    model = train.ConvertModelUtils.convert_to_thor_model(model, net, nn.MSELoss(), opt)
    x = _normal(16, 2)
    data = ms.dataset.NumpySlicesDataset((x, x.sum(1, keepdims=True)), shuffle=False).batch(4)
    losses, factors = [], []

    class Seen(train.Callback):
        def on_train_step_end(self, run_context):
            losses.append(float(run_context.original_args().net_outputs))
            factors.append(opt.matrix_a[0].asnumpy().copy())

    model.train(2, data, callbacks=Seen(), dataset_sink_mode=True)
    same = [bool((a == b).all()) for a, b in zip(factors, factors[1:])]
    assert same == [True, True, False, True, True, False, True]
    assert sum(losses[4:]) < sum(losses[:4])
    with pytest.raises(ValueError, match="sink_size is 3"):
        model.train(1, data, dataset_sink_mode=True, sink_size=3)
    with pytest.raises(TypeError, match="^ModelThor: optimizer has type SGD"):
        type(model)(net, nn.MSELoss(), nn.SGD(net.trainable_params()))


def test_layers_of_the_same_results():
    """A converted network computes what it did; what cannot be converted stays."""
    ids, net = ms.Tensor([[1, 2]]), nn.SequentialCell(nn.EmbeddingLookup(4, 3, target="DEVICE"))
    before = net(ids).asnumpy()
    train.ConvertNetUtils().convert_to_thor_net(net)
    assert type(net[0]) is nn.EmbeddingLookupThor
    np.testing.assert_array_equal(net(ids).asnumpy(), before)
    grouped = nn.SequentialCell(nn.Conv2d(2, 2, 3, group=2))
    train.ConvertNetUtils().convert_to_thor_net(grouped)
    assert type(grouped[0]) is nn.Conv2d
    with pytest.raises(ValueError, match="^Conv2dThor: group is 2"):
        nn.Conv2dThor(2, 2, 3, group=2)
    for momentum, frequency, error in (
        (1, 2, TypeError),
        (-1.0, 2, ValueError),
        (0.5, 1, ValueError),
    ):
        with pytest.raises(error, match="^thor: "):
            nn.thor(net, ms.Tensor([1.0]), ms.Tensor([1.0]), momentum, frequency=frequency)

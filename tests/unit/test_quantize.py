"""`minds.quantize`: which layers change, what they compute, and how close that is to float32."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, mint, nn, ops

MODES = pytest.mark.parametrize(
    "mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"]
)


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, has_bias=True)
        self.norm, self.depth = nn.BatchNorm2d(8), nn.Conv2d(8, 8, 3, group=8)
        self.down = nn.Conv2d(8, 16, 3, 2, "pad", 1)
        self.head = nn.Dense(16, 5, activation="relu")

    def construct(self, x):
        y = self.depth(ops.relu(self.norm(self.conv(x))))
        return self.head(self.down(y).mean((2, 3)))


def images(n=4, seed=0):
    return Tensor(np.random.default_rng(seed).standard_normal((n, 3, 9, 9)).astype(np.float32))


def test_which_layers_change():
    net = ms.quantize(Block())
    assert {n: type(c).__name__ for n, c in net.name_cells().items()} == {
        "conv": "QuantizedConv2d",
        "norm": "BatchNorm2d",
        "depth": "Conv2d",
        "down": "QuantizedConv2d",
        "head": "QuantizedDense",
    }
    assert net.conv.weight.dtype is ms.int8
    assert net.conv.weight.shape == (8, 3, 3, 3)
    names = [p.name for p in net.get_parameters()]
    assert {"conv.weight", "conv.scale", "conv.bias", "head.weight", "head.scale"} <= set(names)
    assert len(names) == len(set(names))
    trained = {p.name for p in net.trainable_params()}
    assert trained == {"norm.gamma", "norm.beta", "depth.weight"}


def test_containers_subclasses_shared_layers_and_other_spellings():
    class Own(nn.Dense):
        def construct(self, x):
            return super().construct(x) * 2

    shared = nn.Dense(4, 4)
    layers = [shared, nn.SequentialCell(shared, Own(4, 4)), mint.nn.Linear(4, 4)]
    net = ms.quantize(nn.SequentialCell(layers))
    assert net[0] is net[1][0]
    assert [type(c).__name__ for c in (net[0], net[1][1], net[2])] == [
        "QuantizedDense",
        "Own",
        "QuantizedDense",
    ]
    assert net(ops.ones((2, 4))).shape == (2, 4)
    assert isinstance(ms.quantize(mint.nn.Conv2d(3, 4, 3)), nn.QuantizedConv2d)
    reflected = mint.nn.Conv2d(3, 4, 3, padding=1, padding_mode="reflect")
    assert ms.quantize(reflected) is reflected
    assert isinstance(ms.quantize(nn.Dense(3, 4)), nn.QuantizedDense)
    plain = nn.ReLU()
    assert ms.quantize(plain) is plain


def test_skip():
    net = ms.quantize(nn.SequentialCell(Block(), nn.Dense(5, 5)), skip=("0", "1"))
    assert all(p.dtype is ms.float32 for p in net.get_parameters())
    net = ms.quantize(nn.SequentialCell(Block(), nn.Dense(5, 5)), skip=["0.conv", "1"])
    assert isinstance(net[0].conv, nn.Conv2d)
    assert isinstance(net[0].down, nn.QuantizedConv2d)
    with pytest.raises(ValueError, match="no cell 'hed'"):
        ms.quantize(Block(), skip=["hed"])
    with pytest.raises(TypeError, match="skip is 'head'"):
        ms.quantize(Block(), skip="head")
    with pytest.raises(TypeError, match="network has type int"):
        ms.quantize(1)


def test_weights_that_are_not_finite_are_refused():
    layer = nn.Dense(2, 2, weight_init=Tensor([[1.0, np.nan], [0.0, 1.0]]))
    with pytest.raises(ValueError, match="weight holds numbers that are not finite"):
        ms.quantize(layer)


@pytest.mark.parametrize(
    "layer",
    [
        nn.Dense(6, 3),
        nn.Dense(6, 3, has_bias=False, activation="tanh"),
        nn.Dense(6, 3, weight_init="zeros"),
    ],
    ids=["plain", "tanh", "zero"],
)
@pytest.mark.parametrize("shape", [(6,), (2, 6), (2, 3, 6), (12, 6)], ids=str)
def test_dense_is_close_to_the_layer(layer, shape):
    x = Tensor(np.random.default_rng(1).standard_normal(shape).astype(np.float32))
    made = nn.QuantizedDense(layer)
    out, wanted = made(x).asnumpy(), layer(x).asnumpy()
    assert out.shape == wanted.shape
    # Half a level of each factor of each product, and their product.
    unit = (x.asnumpy().max(-1) - x.asnumpy().min(-1).clip(max=0)).max() / 255
    w = np.abs(layer.weight.asnumpy()).sum(-1).max()
    slack = unit * w + np.abs(x.asnumpy()).sum(-1).max() * made.scale.asnumpy().max()
    assert np.abs(out - wanted).max() <= slack


@MODES
def test_both_modes_give_the_same_bits(mode):
    ms.set_seed(3)
    net = ms.quantize(Block().set_train(False))
    wanted = net(images()).asnumpy()
    ms.set_context(mode=mode)
    assert np.array_equal(net(images()).asnumpy(), wanted)
    assert np.array_equal(ms.jit(net.construct)(images()).asnumpy(), wanted)


def test_compiled_before_and_quantised_after():
    net = Block().set_train(False)
    ms.set_context(mode=ms.GRAPH_MODE)
    before = net(images()).asnumpy()
    after = ms.quantize(net)(images()).asnumpy()
    assert not np.array_equal(before, after)
    assert np.abs(before - after).max() < 0.05 * np.abs(before).max()


@MODES
def test_half_precision_around(mode):
    ms.set_context(mode=mode)
    layer = nn.QuantizedDense(nn.Dense(6, 3))
    x = Tensor(np.random.default_rng(1).standard_normal((4, 6)).astype(np.float32))
    assert layer(x.astype(ms.bfloat16)).dtype is ms.bfloat16
    net = ms.amp.auto_mixed_precision(ms.quantize(Block().set_train(False)), "O2", ms.bfloat16)
    assert net(images()).dtype is ms.float32


def test_checkpoint(tmp_path):
    path = str(tmp_path / "net.ckpt")
    net, other = (ms.quantize(Block().set_train(False)) for _ in range(2))
    ms.save_checkpoint(net, path)
    assert not np.array_equal(net(images()).asnumpy(), other(images()).asnumpy())
    assert ms.load_param_into_net(other, ms.load_checkpoint(path)) == ([], [])
    assert np.array_equal(net(images()).asnumpy(), other(images()).asnumpy())


def _reals(layer):
    """A layer in float32 with the weights that a quantised one has."""
    w = layer.weight.asnumpy()
    return w * layer.scale.asnumpy().reshape(-1, *[1] * (w.ndim - 1))


@MODES
def test_gradients_are_those_of_the_weights_as_reals(mode):
    ms.set_context(mode=mode)
    rng = np.random.default_rng(4)
    quantised = [ms.quantize(nn.Dense(6, 3)), ms.quantize(nn.Conv2d(3, 4, 3, 2, "pad", 1))]
    inputs = [Tensor(rng.standard_normal(s).astype(np.float32)) for s in ((5, 6), (2, 3, 7, 7))]
    plain = [
        lambda x, w: ops.matmul(x, w.T),
        lambda x, w: ops.P.conv2d(x, w.transpose(0, 3, 1, 2), (2, 2), (1, 1, 1, 1)),
    ]
    for layer, x, other in zip(quantised, inputs, plain):
        weight = Tensor(_reals(layer))
        v = Tensor(rng.standard_normal(layer(x).shape).astype(np.float32))
        found = ms.grad(lambda x: (layer(x) * v).sum())(x)
        wanted = ms.grad(lambda x: (other(x, weight) * v).sum())(x)
        assert np.allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)
        assert layer.trainable_params() == []
        # The result is linear in the scale and in the bias.
        factors = [layer.scale, layer.bias]
        for p in factors:
            p.requires_grad = True
        dscale, dbias = ms.grad(lambda x: (layer(x) * v).sum(), None, factors)(x)
        axes = tuple(i for i in range(v.ndim) if i != 1)
        assert np.allclose(dbias.asnumpy(), v.asnumpy().sum(axes), rtol=1e-5, atol=1e-5)
        wide = (1, -1, *[1] * (v.ndim - 2))
        products = (layer(x) - layer.bias.reshape(wide)) / layer.scale.reshape(wide)
        assert np.allclose(
            dscale.asnumpy(), (products * v).asnumpy().sum(axes), rtol=1e-4, atol=1e-2
        )


@MODES
def test_gradients_of_many(mode):
    """Under vmap each example has its own weights: a stack, whose gradients are each one's."""
    ms.set_context(mode=mode)
    rng = np.random.default_rng(5)
    one = ops.ones(2)
    shapes = {
        "quantized_matmul": ((3, 4, 6), (3, 2, 6)),
        "quantized_conv2d": ((3, 2, 4, 5, 5), (3, 2, 3, 3, 4)),
    }
    for name, (x_shape, w_shape) in shapes.items():
        op = getattr(ops.P, name)
        x = Tensor(rng.standard_normal(x_shape).astype(np.float32))
        w = Tensor(rng.integers(-9, 9, w_shape).astype(np.int8))

        def slope(x, w, s, op=op):
            return ms.grad(lambda x, s: (op(x, w, s, one) ** 2).sum(), (0, 1))(x, s)

        found = ms.vmap(slope, (0, 0, None))(x, w, one)
        for k in range(3):
            for many, each in zip(found, slope(x[k], w[k], one)):
                assert np.allclose(many[k].asnumpy(), each.asnumpy(), rtol=1e-4, atol=1e-2)


@MODES
def test_vmap(mode):
    ms.set_context(mode=mode)
    rng = np.random.default_rng(2)
    net, rows = (
        ms.quantize(nn.Dense(6, 3)),
        Tensor(rng.standard_normal((3, 5, 6)).astype(np.float32)),
    )
    assert np.array_equal(ms.vmap(net)(rows).asnumpy(), net(rows).asnumpy())
    conv, some = ms.quantize(Block().set_train(False)).conv, images(6).reshape(3, 2, 3, 9, 9)
    wanted = conv(some.reshape(6, 3, 9, 9)).reshape(3, 2, 8, 9, 9)
    assert np.array_equal(ms.vmap(conv)(some).asnumpy(), wanted.asnumpy())
    weights = Tensor(rng.integers(-9, 9, (3, 2, 6)).astype(np.int8))
    one = ops.ones(2)

    def product(w, x):
        return ops.P.quantized_matmul(x, w, one, one)

    out = ms.vmap(product)(weights, rows).asnumpy()
    assert np.array_equal(out, np.stack([product(w, x).asnumpy() for w, x in zip(weights, rows)]))


def test_any_batch_size():
    net = ms.quantize(Block().set_train(False))
    ms.set_context(mode=ms.GRAPH_MODE)
    step = ms.jit(net.construct, input_signature=Tensor(shape=[None, 3, 9, 9], dtype=ms.float32))
    for n in (1, 3, 20):
        assert np.array_equal(step(images(n)).asnumpy(), net(images(n)).asnumpy())


def test_accuracy_of_a_trained_classifier():
    """Rings and stripes in noise, learnt in float32: int8 answers alike in at least 99 of 100 cases."""
    rng = np.random.default_rng(5)
    at = np.linspace(-1, 1, 12)
    radius = np.hypot(*np.meshgrid(at, at))
    wave = rng.uniform(0, 6, (1200, 1, 1))
    kinds = rng.integers(0, 3, 1200)
    shapes = [
        np.sin(9 * radius + wave),
        np.sin(9 * at + wave) + 0 * radius,
        np.sin(9 * at[:, None] + wave),
    ]
    x = np.choose(kinds[:, None, None], [s + 0 * radius for s in shapes])
    x = (x + rng.normal(0, 0.8, x.shape)).astype(np.float32)[:, None]
    ms.set_seed(1)
    net = nn.SequentialCell(
        *(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Conv2d(8, 16, 3), nn.ReLU()),
        *(nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(144, 32), nn.ReLU(), nn.Dense(32, 3)),
    )
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Adam(net.trainable_params(), 3e-3))
    ms.set_context(mode=ms.GRAPH_MODE)
    for begin in list(range(0, 800, 50)) * 4:
        step(Tensor(x[begin : begin + 50]), Tensor(kinds[begin : begin + 50].astype(np.int32)))
    seen, truth = Tensor(x[800:]), kinds[800:]
    before = net(seen).asnumpy()
    after = ms.quantize(net)(seen).asnumpy()
    right = (before.argmax(1) == truth).mean()
    assert right > 0.9
    assert (after.argmax(1) == truth).mean() >= right - 0.01
    assert (after.argmax(1) == before.argmax(1)).mean() >= 0.99
    assert np.sqrt(((after - before) ** 2).mean() / (before**2).mean()) < 0.02

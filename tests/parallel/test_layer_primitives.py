"""Strategies of the primitives within layers, as scripts for MindSpore give them: the layer computes what it
did, divided as they say.
"""

import copy

import numpy as np
import pytest
from test_strategies import divided

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.ops.define import P

RNG = np.random.default_rng(0)


def real(*shape):
    return Tensor(RNG.standard_normal(shape).astype(np.float32))


ROWS = ((4, 1),)
IMAGES = ((2, 1, 1, 1),)
LAYERS = {
    "dense": (
        lambda: nn.Dense(6, 8),
        {"matmul": ((2, 1), (2, 1)), "bias_add": ((2, 2), (2,))},
        real(4, 6),
        (P.matmul, ((2, 1), (2, 1))),
    ),
    "dense of places": (
        lambda: nn.Dense(6, 8, activation="relu"),
        {"matmul": ((2, 2), (1, 2)), "bias_add": ((4, 1), (1,))},
        real(4, 3, 6),
        (P.matmul, ((2, 2), (1, 2))),
    ),
    "layer norm": (
        lambda: nn.LayerNorm((6,)),
        {"layer_norm": ((2, 2, 1), (1,), (1,))},
        real(4, 2, 6),
        (P.layer_norm, ((2, 2, 1), (1,), (1,))),
    ),
    "gelu": (nn.GELU, {"gelu": ((2, 2),)}, real(4, 6), (P.gelu, ((2, 2),))),
    "relu": (nn.ReLU, {"relu": ((2, 2),)}, real(4, 6), (P.relu, ((2, 2),))),
    "softmax": (nn.Softmax, {"softmax": ROWS}, real(4, 6), (P.softmax, ROWS)),
    "dropout": (
        lambda: nn.Dropout(p=0.5),
        {"dropout": ROWS},
        real(4, 6),
        None,
    ),
    "embedding": (
        lambda: nn.Embedding(8, 6),
        {"gather": ((2, 1), (2,)), "expand": ((2, 1),)},
        Tensor(RNG.integers(0, 8, (4, 3)).astype(np.int32)),
        (P.gather, ((2, 1), (2,))),
    ),
    "conv": (
        lambda: nn.Conv2d(2, 4, 3, has_bias=True),
        {"conv2d": ((2, 1, 1, 1), (2, 1, 1, 1)), "bias_add": ((2, 2, 1, 1), (2,))},
        real(2, 2, 4, 4),
        (P.conv2d, ((2, 1, 1, 1), (2, 1, 1, 1))),
    ),
    "conv of lines": (
        lambda: nn.Conv1d(2, 4, 3, has_bias=True),
        {"conv2d": ((2, 1, 1, 1), (2, 1, 1, 1))},
        real(2, 2, 4),
        (P.conv2d, ((2, 1, 1, 1), (2, 1, 1, 1))),
    ),
    "transposed": (
        lambda: nn.Conv2dTranspose(2, 4, 3, 2, has_bias=True),
        {"conv2d_transpose": ((2, 1, 1, 1), (1, 1, 1, 1))},
        real(2, 2, 4, 4),
        None,
    ),
    "pool": (lambda: nn.MaxPool2d(2, 2), {"max_pool": IMAGES}, real(2, 2, 4, 4), None),
    "batch norm": (
        lambda: nn.BatchNorm2d(2),
        {"bn_train": (*IMAGES, (1,), (1,), (1,), (1,)), "bn_infer": IMAGES},
        real(2, 2, 4, 4),
        None,
    ),
    "prelu": (
        lambda: nn.PReLU(2),
        {"prelu": ((2, 2, 1, 1), (2,))},
        real(2, 2, 4, 4),
        None,
    ),
    "one hot": (
        lambda: nn.OneHot(depth=6),
        {"onehot": ((2, 2), (), ())},
        Tensor(np.arange(4).astype(np.int32)),
        (P.one_hot, None),
    ),
}


class Around(nn.Cell):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def construct(self, x):
        return self.layer(x) * 2


@pytest.mark.parametrize("case", LAYERS)
def test_layers(case):
    make, told, x, expected = LAYERS[case]
    ms.set_seed(1)
    net = Around(make()).set_train()
    ms.set_seed(2)
    whole = net(x).asnumpy()
    for name, strategies in told.items():
        assert isinstance(getattr(net.layer, name), ops.Primitive)
        getattr(net.layer, name).shard(strategies)
    for fn in (net, copy.deepcopy(net)):
        ms.set_seed(2)
        result, shardings = divided(fn, x)
        for rank in result[0] if isinstance(result, tuple) else result:
            np.testing.assert_allclose(rank.asnumpy(), whole, rtol=1e-5, atol=1e-6)
        if expected is not None and expected[1] is not None:
            found = operands(shardings, expected[0])
            assert found == list(expected[1]), found
    ms.set_seed(2)
    np.testing.assert_allclose(net(x).asnumpy(), whole, rtol=1e-5, atol=1e-6)


def operands(shardings, op):
    """In how many parts the dimensions of the operands of the first application of an op are."""
    n = next(n for n in shardings.rules if n.fn is op)
    rule, axes = shardings.rules[n]
    return [
        tuple([shardings.mesh.parts(axes.get(c, ())) for c in letters]) for letters in rule.operands
    ]


def test_gradients():
    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(6, 8), nn.LayerNorm((8,)), nn.GELU(), nn.Dense(8, 4))
    x, weights = real(4, 6), tuple(net.trainable_params())

    def loss(x):
        return (net(x) ** 2).sum()

    expected = [g.asnumpy() for g in ms.grad(loss, None, weights)(x)]
    net[0].matmul.shard(((2, 1), (2, 1)))
    net[1].layer_norm.shard(((4, 1), (1,), (1,)))
    net[2].gelu.shard(((2, 2),))
    net[3].matmul.shard(((2, 2), (1, 2)))
    found, shardings = divided(ms.grad(loss, None, weights), x)
    for each, e in zip(found, expected):
        for g in each:
            np.testing.assert_allclose(g.asnumpy(), e, rtol=1e-4, atol=1e-5)
    lie = {
        n.name: s.dims
        for n, s in shardings.layouts.items()
        if getattr(n, "default", None) is not None
    }
    assert lie["0.weight"][0] and not lie["0.weight"][1] and lie["3.weight"][1]


class Own(nn.Dense):
    """A layer of the user's, by the primitives of what it extends."""

    def construct(self, x):
        return self.bias_add(self.matmul(x, self.weight), self.bias) + 1


def test_classes_of_users():
    x = real(4, 6)
    net = Own(6, 8)
    expected = x.asnumpy() @ net.weight.asnumpy().T + net.bias.asnumpy() + 1
    np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-5, atol=1e-5)
    net.matmul.shard(((2, 1), (2, 1)))
    for rank in divided(net, x)[0][0]:
        np.testing.assert_allclose(rank.asnumpy(), expected, rtol=1e-5, atol=1e-5)


def test_a_primitive_that_is_replaced():
    """The layer computes by what it is given, as in MindSpore."""
    x, net = real(4, 6), nn.Dense(6, 6)
    net.matmul = ops.MatMul()
    expected = x.asnumpy() @ net.weight.asnumpy() + net.bias.asnumpy()
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-5, atol=1e-5)


def test_compiled_before():
    """A program that was compiled before a strategy was given is not used for it."""
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        net, x = nn.Dense(6, 8), real(4, 6)
        net(x)
        ms.set_auto_parallel_context(
            parallel_mode="semi_auto_parallel", device_num=4, full_batch=True
        )
        net.compile(x)
        assert "weight" not in net.parameter_layout_dict or net.parameter_layout_dict["weight"][
            2
        ] == [8, 6]
        net.matmul.shard(((2, 1), (2, 1)))
        net.compile(x)
        assert net.parameter_layout_dict["weight"][2] == [4, 6]
        with pytest.raises(RuntimeError, match="is to be divided in 3"):
            net.matmul.shard(((3, 1), (1, 1)))
            net.compile(x)
    finally:
        ms.reset_auto_parallel_context()
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_what_is_not_there():
    for layer, name in ((nn.Dense(2, 2), "conv2d"), (nn.Flatten(), "matmul"), (nn.ReLU(), "gelu")):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
            getattr(layer, name)
    assert not hasattr(Around(nn.ReLU()), "relu")


def test_in_half_precision():
    net, x = nn.Dense(6, 8).to_float(ms.float16), real(4, 6)
    expected = net(x)
    net.matmul.shard(((2, 1), (2, 1)))
    found = net(x)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=2e-3, atol=2e-3)


def test_a_parameter_of_a_class_with_a_name_of_a_primitive():
    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.softmax = Parameter(real(3), name="softmax")

        def construct(self, x):
            return x * self.softmax

    net = Scaled()
    np.testing.assert_allclose(net(ops.ones((3,))).asnumpy(), net.softmax.asnumpy())

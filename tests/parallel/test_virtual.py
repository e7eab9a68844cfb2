"""Programs that all devices of a mesh run, against the program of one device: training steps of
networks whose inputs, weights and states are divided in every way that fits, and the usual ways by
name: data, tensor and sequence parallel, and sharded optimisers.
"""

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.base.options import OptimizerParallel
from minds.parallel.plan import graph_of
from minds.sharding.layout import Mesh, Sharding
from minds.sharding.propagate import propagate, shape_of
from minds.sharding.states import optimizer_parallel, states_of
from minds.sharding.virtual import run

MESH = Mesh(("dp", "mp"), (2, 2))
CUBE = Mesh(("dp", "mp", "sp"), (2, 2, 2))


class Mlp(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(8, 16, activation="relu"), nn.Dense(16, 4)

    def construct(self, x):
        return self.b(self.a(x))


class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.c1, self.c2 = nn.Conv2d(2, 4, 3, has_bias=True), nn.Conv2d(4, 8, 3, group=2)
        self.bn, self.pool, self.flat = nn.BatchNorm2d(8), nn.MaxPool2d(2, 2), nn.Flatten()
        self.mean, self.d = nn.AvgPool2d(2, 2), nn.Dense(32, 4)

    def construct(self, x):
        x = self.pool(ops.relu(self.c1(x)))
        return self.d(self.flat(self.mean(ops.relu(self.bn(self.c2(x))))))


class Bert(nn.Cell):
    """One block, with embedding, a causal mask and a head."""

    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(3)
        self.embed, self.first, self.second = (
            nn.Embedding(12, 8),
            nn.LayerNorm((8,)),
            nn.LayerNorm((8,)),
        )
        place = rng.standard_normal((1, 4, 8)).astype(np.float32)
        self.place = Parameter(Tensor(place), name="place")
        self.q, self.k, self.v, self.o = [nn.Dense(8, 8) for _ in range(4)]
        self.up, self.down, self.head = nn.Dense(8, 16), nn.Dense(16, 8), nn.Dense(8, 4)

    def heads(self, x):
        return ops.transpose(ops.reshape(x, (x.shape[0], 4, 2, 4)), (0, 2, 1, 3))

    def construct(self, x):
        h = self.embed(x) + self.place
        z = self.first(h)
        q, k, v = self.heads(self.q(z)), self.heads(self.k(z)), self.heads(self.v(z))
        scores = ops.matmul(q, ops.transpose(k, (0, 1, 3, 2))) / 2.0
        scores = scores + ops.triu(ops.full((4, 4), -1e9, dtype=ms.float32), 1)
        mixed = ops.transpose(ops.matmul(ops.softmax(scores, -1), v), (0, 2, 1, 3))
        h = h + self.o(ops.reshape(mixed, h.shape))
        h = h + self.down(ops.gelu(self.up(self.second(h))))
        return self.head(h)[:, -1]


def _floats(*shape):
    return lambda rng: rng.standard_normal(shape).astype(np.float32)


def _ints(high, *shape):
    return lambda rng: rng.integers(0, high, shape).astype(np.int32)


NETS = {
    "mlp": (Mlp, _floats(8, 8), lambda p: nn.Momentum(p, 0.1, 0.9)),
    "lenet": (LeNet, _floats(8, 2, 8, 8), lambda p: nn.SGD(p, 0.1)),
    "bert": (Bert, _ints(12, 8, 4), lambda p: nn.AdamWeightDecay(p, 0.01)),
}


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def make(name):
    """(the step, its arguments)."""
    ms.set_seed(5)
    rng = np.random.default_rng(7)
    net, inputs, optimizer = NETS[name]
    net = net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer(net.trainable_params()))
    step.set_train()
    return step, (Tensor(inputs(rng)), Tensor(_ints(4, 8)(rng)))


def compare(step, args, mesh, layout_of, steps=2):
    """Train with the layouts that ``layout_of(parameter)`` gives, or None. Returns the shardings."""
    graph = graph_of(step, args)
    held = {p.name: p for p in step.get_parameters()}
    given = {p: layout_of(p) for p in graph.params}
    shardings = propagate(graph, mesh, {p: s for p, s in given.items() if s is not None})
    names = [p.name for p in graph.params][len(args) :]
    values = [*args, *[held[n].copy() for n in names]]
    for _ in range(steps):
        expected = step(*args)
        found, values = run(graph, shardings, values)
        for loss in found[0]:
            np.testing.assert_allclose(loss.asnumpy(), expected.asnumpy(), rtol=3e-6)
    for name, value in zip(names, values[len(args) :]):
        expected = held[name].asnumpy()
        np.testing.assert_allclose(value.asnumpy(), expected, rtol=2e-4, atol=2e-6, err_msg=name)
    return {p.name: shardings.of(p) for p in graph.params}, shardings


def fitting(rng, mesh, shape):
    """A random layout of a shape."""
    dims, left = [[] for _ in shape], list(mesh.names)
    rng.shuffle(left)
    for a in left:
        d = rng.integers(-1, len(shape)) if shape else -1
        parts = np.prod([mesh.length(b) for b in (*dims[d], a)]) if d >= 0 else 0
        if d >= 0 and shape[d] % parts == 0:
            dims[d].append(a)
    return Sharding(tuple(map(tuple, dims)))


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("seed", range(4))
def test_any_layouts(graph_mode, name, seed):
    rng = np.random.default_rng(seed)
    step, args = make(name)
    compare(step, args, (MESH, CUBE)[seed % 2], lambda p: fitting(rng, MESH, shape_of(p)))


def _rows(p):
    """Inputs by samples."""
    return Sharding((("dp",), *((),) * (len(shape_of(p)) - 1))) if p.name in ("x0", "x1") else None


@pytest.mark.parametrize("name", NETS)
def test_data_parallel(graph_mode, name):
    layouts, shardings = compare(*make(name), Mesh(("dp",), (4,)), _rows)
    assert all(not s.axes for n, s in layouts.items() if n not in ("x0", "x1"))
    products = [
        n for n in shardings.layouts if getattr(getattr(n, "fn", None), "name", "") == "matmul"
    ]
    assert products and all("dp" in shardings.of(n).axes for n in products)


def test_tensor_parallel(graph_mode):
    ways = {"up.weight": ("mp", None), "down.weight": (None, "mp")}

    def layout_of(p):
        found = ways.get(p.name)
        if found is None:
            return _rows(p)
        return Sharding(tuple([(a,) if a else () for a in found]))

    layouts, shardings = compare(*make("bert"), MESH, layout_of)
    # The states lie as the weights do, and the hidden activations are never whole.
    assert layouts["adam_m.up.weight"] == layouts["up.weight"] == Sharding((("mp",), ()))
    hidden = [
        shardings.of(n)
        for n in shardings.layouts
        if n.abstract is not None and _shape(n) == (8, 4, 16)
    ]
    assert hidden and all(s.dims[0] == ("dp",) and s.dims[2] == ("mp",) for s in hidden)


def _shape(n):
    return getattr(n.abstract, "shape", None)


@pytest.mark.parametrize("weights", ("whole", "divided"))
def test_sharded_optimizer(graph_mode, weights):
    """States divided along the axis of the batch: gradients are reduced and scattered, weights are
    gathered, at the end of the step or where they are used.
    """

    def layout_of(p):
        shape = shape_of(p)
        divides = p.name.startswith("moments") and shape[0] % 4 == 0
        if divides:
            return Sharding((("dp",), *((),) * (len(shape) - 1)))
        return Sharding.whole(len(shape)) if weights == "whole" and "." in p.name else _rows(p)

    layouts, shardings = compare(*make("mlp"), Mesh(("dp",), (4,)), layout_of)
    assert layouts["moments.a.weight"].dims[0] == ("dp",)
    assert layouts["a.weight"].dims[0] == (() if weights == "whole" else ("dp",))


def test_states_of_a_network_within_another(graph_mode):
    """The optimiser was made before, so its states have shorter names than the weights."""

    class Within(nn.Cell):
        def __init__(self, net):
            super().__init__()
            self.net = net

        def construct(self, x):
            return self.net(x).sum()

    net = Mlp()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    step = nn.TrainOneStepCell(Within(net), optimizer).set_train()
    graph = graph_of(step, (Tensor(np.ones((8, 8), np.float32)),))
    weights = [p for p in graph.params if p.name.startswith("net.")]
    owners = {s.name: w.name for s, w in states_of(graph, weights).items()}
    assert owners == {f"moments.{w.name[4:]}": w.name for w in weights} and len(owners) == 4
    how = OptimizerParallel(1, 0, -1)
    mesh = Mesh(("dp",), (4,))
    found = optimizer_parallel(graph, mesh, {}, how)
    parts = {p: s for p, s in found.items() if s.axes}
    assert [p.name for p in parts] == [p.name for p in graph.params if p.name in owners]
    # Another program finds the states in parts, and the weights stay whole.
    again = optimizer_parallel(graph, mesh, parts, how)
    assert all(not again[w].axes for w in weights)

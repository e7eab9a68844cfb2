"""Loops, branches, functions and recursion in programs that are divided, against the program of one device:
bit for bit, as all numbers are whole and all sums exact. Random programs with their gradients, on random
meshes and layouts; and what real programs have: recurrences, layers in a loop, parameters that a loop writes.
"""

import functools
import importlib.util
import random

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.compat.context import parallel_settings
from minds.ir import walk
from minds.ir.abstract import AbstractRef, AbstractTensor
from minds.ir.build import Builder, as_node, building
from minds.ir.node import Graph
from minds.ops.define import P
from minds.parallel.plan import graph_of
from minds.sharding.cluster import cluster
from minds.sharding.cost import step_cost
from minds.sharding.layout import Mesh, Sharding
from minds.sharding.partition import partition
from minds.sharding.propagate import propagate, shape_of
from minds.sharding.search import Search
from minds.sharding.virtual import run

MESHES = [Mesh(("dp", "mp"), (2, 2)), Mesh(("a",), (4,)), Mesh(("dp", "mp", "sp"), (2, 2, 2))]

HEAD = """
import minds as ms
from minds import ops


def small(x):
    return ops.clamp(x, -6, 6)


def power(x, w, k):
    if k < 1:
        return x
    return small(power(ops.matmul(x, w), w, k - 1) + x)


def f(x, y, w, n):
"""
TAIL = """
    return x * 2.0 + y


def step(x, y, w, n):
    return ms.value_and_grad(lambda x, y, w: (f(x, y, w, n) * f(y, x, w, n)).sum(), (0, 1, 2))(x, y, w)
"""
SIMPLE = (
    "{a} = small(ops.matmul({b}, w))",
    "{a} = small(ops.matmul({b}, ops.transpose(w, (1, 0))))",
    "{a} = small({a} + {b})",
    "{a} = small({a} * {b})",
    "{a} = ops.relu({a}) - {b}",
    "{a} = small({b} - ops.sum({a}, 0, keepdim=True))",
    "{a} = {b} + ops.amax({a}, 1, keepdims=True)",
    "{a} = small(ops.matmul(ops.matmul({a}, ops.transpose({b}, (1, 0))), {a}))",
    "{a} = ops.stack(({a}, {b}), 0)[1]",
    "{a} = ops.concat(({a}[4:], {b}[:4]), 0)",
    "{a} = power({b}, w, n)",
)


def source(seed):
    """A program of two tensors, a weight and a number of the run."""
    rng = random.Random(seed)
    lines, left = [], [12]

    def block(indent, depth):
        for _ in range(rng.randint(1, 3)):
            left[0] -= 1
            a, b = rng.sample(("x", "y"), 2)
            kind = rng.random() if depth < 3 and left[0] > 0 else 1
            if kind < 0.3:
                i = f"i{len(lines)}"
                lines.append(f"{indent}{i} = 0")
                lines.append(f"{indent}while {i} < n:")
                block(indent + "    ", depth + 1)
                if rng.random() < 0.5:
                    lines.append(f"{indent}    {a} = {a} + ops.gather({b}, {i} % 8, 0)")
                lines.append(f"{indent}    {i} = {i} + 1")
            elif kind < 0.5:
                lines.append(f"{indent}if ops.sum({a}) > {rng.randint(-9, 9)}:")
                block(indent + "    ", depth + 1)
                lines.append(f"{indent}else:")
                block(indent + "    ", depth + 1)
            else:
                lines.append(indent + rng.choice(SIMPLE).format(a=a, b=b))

    while not any("while" in line for line in lines):
        left[0] = max(left[0], 4)
        block("    ", 0)
    return HEAD + "\n".join(lines) + "\n" + TAIL


def fitting(rng, mesh, shape):
    """A random layout of a shape."""
    dims = [()] * len(shape)
    for a in rng.sample(mesh.names, len(mesh.names)):
        d = rng.randrange(-1, len(shape)) if shape else -1
        if d >= 0 and shape[d] % mesh.parts((*dims[d], a)) == 0:
            dims[d] = (*dims[d], a)
    return Sharding(tuple(dims))


def check(step, args, rng, mesh):
    """Run a function on all devices and on one, with random layouts of its arguments."""
    graph = graph_of(step, args)
    shardings = propagate(graph, mesh, {p: fitting(rng, mesh, shape_of(p)) for p in graph.params})
    flat = []
    ms.base.tree.map(flat.append, step(*args))
    found, _ = run(graph, shardings, list(args))
    for value, every in zip(flat, found, strict=True):
        for one in every:
            np.testing.assert_array_equal(one.asnumpy(), value.asnumpy())


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed, whole, tmp_path):
    if seed not in (0, 1) and not whole:
        pytest.skip("60 programs: with --whole")
    path = tmp_path / f"program{seed}.py"
    path.write_text(source(seed))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    x, y, w = [
        Tensor(numbers.integers(-2, 3, s).astype(np.float64)) for s in ((8, 4), (8, 4), (4, 4))
    ]
    for trips in (0, 3):
        args = x, y, w, Tensor(trips, ms.int32)
        check(ms.jit(module.step), args, rng, rng.choice(MESHES))


def whole_numbers(rng, *shape):
    return Tensor(rng.integers(-1, 2, shape).astype(np.float64))


def collectives(graph, shardings):
    """The names of the collectives of rank 0 by graph."""
    local = partition(graph, shardings, 0)
    named = {
        g.name: [n.fn.name for n in g if "ranks" in getattr(n.fn, "names", ())]
        for g in walk.graphs(local)
    }
    return {name: found for name, found in named.items() if found}


class Recurrence(nn.Cell):
    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(3)
        self.w = Parameter(whole_numbers(rng, 4, 8), name="w")
        self.u = Parameter(whole_numbers(rng, 8, 8), name="u")

    def construct(self, x):
        h = ops.zeros((x.shape[1], 8), ms.float64)
        for t in range(12):
            h = ops.clamp(ops.matmul(x[t], self.w) + ops.matmul(h, self.u), 0, 3)
        return h.sum()


def trained(net, x, layouts, mesh):
    """A step on all devices and on one, with the parameters behind it."""
    step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.5, 0.5)).set_train()
    graph = graph_of(step, (x,))
    held = {p.name: p for p in step.get_parameters()}
    given = {p: s for p in graph.params if (s := layouts(p.name)) is not None}
    shardings = propagate(graph, mesh, given)
    before = [held[p.name].copy() for p in graph.params[1:]]
    expected = step(x)
    (losses,), after = run(graph, shardings, [x, *before])
    assert {v.asnumpy().item() for v in losses} == {expected.asnumpy().item()}
    for p, value in zip(graph.params[1:], after[1:], strict=True):
        np.testing.assert_array_equal(value.asnumpy(), held[p.name].asnumpy(), p.name)
    return graph, shardings


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_a_recurrence_by_samples(graph_mode):
    """Its loops are on each device's samples and send nothing: gradients are added up behind them."""
    x = whole_numbers(np.random.default_rng(1), 12, 8, 4)
    rows = Sharding(((), ("a",), ()))
    graph, shardings = trained(Recurrence(), x, lambda n: rows if n == "x0" else None, MESHES[1])
    assert collectives(graph, shardings) == {"TrainOneStepCell": ["all_reduce"] * 3}
    inside = [n for n in shardings.rules if n.graph is not graph and n.fn is P.matmul]
    assert len(inside) == 5


class Sequences(nn.Cell):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(4, 8), nn.Dense(8, 2)

    def construct(self, x):
        return self.head(self.lstm(x)[0][-1]).sum()


def test_cells_of_recurrences_by_samples(graph_mode):
    """A layer of `nn`, whose samples are in the second dimension, sends nothing but sums of gradients."""
    net = Sequences()
    step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 0.01)).set_train()
    x = Tensor(np.random.default_rng(1).standard_normal((12, 8, 4)).astype(np.float32))
    with parallel_settings(
        parallel_mode="semi_auto_parallel", device_num=4, global_rank=0, full_batch=True
    ):
        graph = graph_of(step, (x,))
    held = {p.name: p for p in step.get_parameters()}
    shardings = propagate(graph, MESHES[1], {graph.params[0]: Sharding(((), ("a",), ()))})
    before = [held[p.name].copy() for p in graph.params[1:]]
    expected = step(x)
    (losses,), after = run(graph, shardings, [x, *before])
    np.testing.assert_allclose(losses[0].asnumpy(), expected.asnumpy(), rtol=1e-5)
    for p, value in zip(graph.params[1:], after[1:], strict=True):
        np.testing.assert_allclose(value.asnumpy(), held[p.name].asnumpy(), rtol=1e-3, atol=2e-5)
    found = collectives(graph, shardings)
    assert list(found) == ["TrainOneStepCell"] and set(found["TrainOneStepCell"]) == {"all_reduce"}


class Layers(nn.Cell):
    """Equal layers of two products, in a loop over their stacked weights."""

    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(3)
        self.up = Parameter(whole_numbers(rng, 12, 4, 8), name="up")
        self.down = Parameter(whole_numbers(rng, 12, 8, 4), name="down")

    def construct(self, x):
        for i in range(12):
            h = ops.relu(ops.matmul(x, self.up[i]))
            x = ops.clamp(x + ops.matmul(h, self.down[i]), -4, 4)
        return x.sum()


def test_layers_in_a_loop(graph_mode):
    """Divided by samples and by channels: a sum in each direction for each layer, and the states lie as the
    weights.
    """
    x = whole_numbers(np.random.default_rng(1), 4, 4)
    ways = {
        "x0": (("dp",), ()),
        "up": ((), (), ("mp",)),
        "down": ((), ("mp",), ()),
    }
    graph, shardings = trained(
        Layers(), x, lambda n: Sharding(ways[n]) if n in ways else None, MESHES[0]
    )
    found = collectives(graph, shardings)
    assert found["▶Layers.construct:body"] == ["all_reduce"]
    states = {p.name: shardings.of(p) for p in graph.params if p.name.startswith("moments")}
    assert {n: s.dims for n, s in states.items()} == {
        "moments.up": ways["up"],
        "moments.down": ways["down"],
    }


def test_what_a_loop_writes():
    """Parameters are read and written in parts there too."""
    state = Parameter(ops.ones((4, 4), ms.float64), name="state")

    def fn(x, n):
        i = 0
        while i < n:
            x = ops.clamp(ops.matmul(x, state), -9, 9)
            state[:] = state * 2.0
            i += 1
        return x

    args = ops.ones((8, 4), ms.float64), Tensor(3, ms.int32)
    graph = graph_of(fn, args)
    held = next(p for p in graph.params if p.name == "state")
    rows = Sharding((("dp",), ()))
    shardings = propagate(graph, MESHES[0], {held: rows})
    results, after = run(graph, shardings, [*args, state.copy()])
    assert all((v.asnumpy() == 9).all() for v in results[0])
    assert (after[2].asnumpy() == 8).all()
    assert shardings.of(held) == rows and partition(graph, shardings, 0).params[2].shape == (2, 4)


def test_a_choice_of_functions():
    """Functions that data choose, and that are passed on, are divided too."""
    w = Parameter(ops.ones((4, 4), ms.float64) * 2.0, name="w")

    def again(f, x, k):
        if k < 1:
            return x
        return f(again(f, x, k - 1))

    def fn(x, n):
        def times(x):
            w[:] = w * 0.5
            return ops.matmul(x, w)

        return again(times if n > 2 else ops.square, x, n)

    for n, expected in ((1, 4.0), (3, 16.0)):
        args = ops.ones((8, 4), ms.float64) * 2.0, Tensor(n, ms.int32)
        graph = graph_of(fn, args)
        rows = {p: Sharding((("dp",), ())) for p in graph.params if p.name in ("x0", "w")}
        shardings = propagate(graph, MESHES[0], rows)
        results, _ = run(graph, shardings, [*args, w.copy()])
        assert all((v.asnumpy() == expected).all() for v in results[0])
        assert len(shardings.callees.graphs) == len(walk.graphs(graph)) - 1


def two_products(by_value):
    """A graph (x, v, w) -> x v w whose products are calls of one graph, or of it as a value."""
    matrix, x = AbstractRef(AbstractTensor((4, 4), ms.float64)), AbstractTensor((8, 4), ms.float64)
    product, caller, root = Graph("product"), Graph("caller"), Graph("root")
    for g in (product, caller):
        p, given = g.add_param("p", matrix), g.add_param("x", x)
        b = Builder(g)
        with building(b):
            if g is product:
                g.output = P.matmul(given, b.load(p))
            else:
                g.output = b.emit(g.add_param("f", as_node(product).abstract), (p, given), x)
    given, v, w = root.add_param("x0", x), root.add_param("v", matrix), root.add_param("w", matrix)
    b = Builder(root)
    for p in (v, w):
        given = b.call(caller, (p, given, product)) if by_value else b.call(product, (p, given))
    root.output = b.make_tuple([given])
    return root


@pytest.mark.parametrize("by_value", (False, True))
def test_what_must_be_whole(by_value):
    """Parameters for which one place stands lie alike; those that a function value takes are whole, as is
    what it computes. To ask for something else is an error.
    """
    graph = two_products(by_value)
    _, v, w = graph.params
    rows = Sharding((("dp",), ()))
    rng = np.random.default_rng(0)
    args = [whole_numbers(rng, 8, 4), whole_numbers(rng, 4, 4), whole_numbers(rng, 4, 4)]
    expected = functools.reduce(np.matmul, [a.asnumpy() for a in args])
    for given in ({v: rows}, {v: rows, w: rows}):
        shardings = propagate(graph, MESHES[0], {graph.params[0]: rows, **given})
        divided = len(given) == 2 and not by_value
        assert shardings.of(v) == shardings.of(w) == (rows if divided else Sharding.whole(2))
        results, _ = run(graph, shardings, args)
        for one in results[0]:
            np.testing.assert_array_equal(one.asnumpy(), expected)
    v.default = Parameter(args[1], name="v")
    v.default.strategy = ((2, 1), ())
    with pytest.raises(NotImplementedError, match="v is to be divided, and a function value or"):
        propagate(graph, MESHES[0], {v: rows})


@pytest.mark.parametrize("nested", (False, True))
def test_what_a_loop_costs(nested):
    """Its iterations are counted, on the way back too; so weights that it takes are searched."""
    w = Parameter(ops.ones((4, 4), ms.float64), name="w")

    def fn(x):
        for _ in range(0, 24, 2):
            if nested:
                for _ in range(10):
                    x = ops.tanh(ops.matmul(x, w))
            x = ops.tanh(ops.matmul(x, w))
        return x.sum()

    x = ops.ones((8, 4), ms.float64)
    graph = graph_of(ms.value_and_grad(fn, None, w), (x,))
    machine = cluster("cpu", 4)
    cost = step_cost(graph, propagate(graph, MESHES[0], {}), machine)
    products = 3 * 12 * (11 if nested else 1) - 1  # no gradient of the first operand is wanted
    assert cost.flops == pytest.approx(products * 2 * 8 * 4 * 4, rel=0.1)
    rows = {graph.params[0]: Sharding((("dp",), ()))}
    halved = step_cost(graph, propagate(graph, MESHES[0], rows), machine)
    assert halved.flops == pytest.approx(cost.flops / 2)
    assert any(
        p.name == "w" for group in Search(graph, MESHES[0], machine, {}).groups for p in group
    )

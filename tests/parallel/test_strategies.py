"""What users say of how programs are divided: layouts, strategies of ops and functions, plans of parameters,
and what they refuse.
"""

import functools
import math

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.base.options import Division
from minds.ops.define import P
from minds.parallel import Layout, shard
from minds.parallel.auto_parallel import AutoParallel
from minds.parallel.function import reshard
from minds.parallel.plan import graph_of
from minds.sharding.layout import Mesh, Sharding
from minds.sharding.propagate import propagate
from minds.sharding.redistribute import moved, path
from minds.sharding.step import given, mesh_of
from minds.sharding.virtual import run

RNG = np.random.default_rng(0)
X, W, V = [Tensor(RNG.integers(-4, 5, s).astype(np.float32)) for s in ((8, 4), (4, 8), (8, 4))]
LAYOUT = Layout((2, 2), ("dp", "mp"))


def divided(fn, *args, size=4, batch="full_batch"):
    """(what ``fn`` gives on each of some devices, the layouts by node)."""
    graph = graph_of(fn, args)
    mesh = mesh_of(graph, size)
    shardings = propagate(graph, mesh, given(graph, mesh, Division(size, 0, batch)))
    held = [p.default for p in graph.params if p.default is not None]
    result, _ = run(graph, shardings, [*args, *held])
    return result, shardings


def layouts(shardings, op):
    return [s for n, s in shardings.layouts.items() if getattr(n, "fn", None) is op]


def both(fn, *args, **options):
    """Check values and gradients against one device, to the bit: the numbers are small and whole."""
    expected = fn(*args)
    for rank in divided(fn, *args, **options)[0][0]:
        np.testing.assert_array_equal(rank.asnumpy(), expected.asnumpy())
    gradient = ms.grad(lambda *a: fn(*a).sum(), tuple(range(len(args))))
    expected = gradient(*args)
    found, shardings = divided(gradient, *args, **options)
    for g, e in zip(found, expected if isinstance(expected, tuple) else (expected,)):
        for rank in g:
            np.testing.assert_array_equal(rank.asnumpy(), e.asnumpy())
    return shardings


def test_reshard():
    def fn(x, w):
        x, w = reshard(x, LAYOUT("dp", "None")), reshard(w, LAYOUT("None", "mp"))
        return ops.relu(ops.matmul(x, w))

    both(fn, X, W)
    _, shardings = divided(fn, X, W)
    assert layouts(shardings, P.matmul) == [Sharding((("dp",), ("mp",)))]


@pytest.mark.parametrize(
    "strategy,dims",
    [
        (((2, 1), (1, 2)), (("axis0",), ("axis1",))),
        (((4, 1), (1, 1)), (("axis0", "axis1"), ())),
        (((1, 2), (2, 2)), ((), ("axis1",))),
        (((2, 2), (2, 1)), (("axis0",), ())),
        ((LAYOUT("mp", "None"), LAYOUT("None", "dp")), (("mp",), ("dp",))),
    ],
)
def test_strategy_of_an_op(strategy, dims):
    product = ops.MatMul().shard(strategy)
    both(lambda x, w: product(x, w), X, W)
    _, shardings = divided(lambda x, w: product(x, w), X, W)
    assert layouts(shardings, P.matmul)[0].dims == dims


@pytest.mark.parametrize(
    "strategy", [((4, 1), (1,)), ((2, 2), (1,)), ((2, 1), (2,)), ((1, 2), (2,))]
)
@pytest.mark.parametrize("axis", (0, 1, -1))
def test_a_table_in_parts(strategy, axis):
    """Each device looks up what it has; positions count from either end."""
    table, at = Tensor(np.arange(-32, 32, dtype=np.float32).reshape(8, 8)), Tensor([0, 7, -1, -8])
    gather = ops.Gather().shard(strategy)
    _, shardings = divided(lambda t, i: gather(t, i, axis), table, at)
    assert shardings.rules
    for rank in divided(lambda t, i: gather(t, i, axis), table, at)[0][0]:
        np.testing.assert_array_equal(
            rank.asnumpy(), table.asnumpy().take(at.asnumpy(), axis), strict=True
        )
    both(lambda t: gather(t, at, axis) * 2, table)


ROWS = Tensor([[0, 3], [-1, 2], [7, -4], [0, 3], [5, 0]])
CUBE = Tensor(RNG.integers(1, 5, (8, 4, 6)).astype(np.float32))
NEW = Tensor(RNG.choice([1.0, 2.0, 4.0], (5, 6)).astype(np.float32))


@pytest.mark.parametrize("strategy", [(4, 1, 1), (2, 2, 1), (1, 2, 2), (1, 4, 1)])
@pytest.mark.parametrize("kind", ["Update", "Add", "Sub", "Mul", "Div", "Max", "Min"])
def test_changes_in_parts(strategy, kind):
    """Each device changes what it has, wherever the positions point; positions may coincide."""
    rows = ROWS if kind != "Update" else ROWS[1:]
    new = NEW if kind != "Update" else NEW[1:]
    scatter = getattr(ops, f"TensorScatter{kind}")()
    scatter.shard((strategy, (1, 1), (1, strategy[2])))
    both(lambda x, u: scatter(x, rows, u) * 2, CUBE, new)
    found = divided(lambda x, u: scatter(x, rows, u) * 2, CUBE, new)[1]
    parts = [len(d) for d in layouts(found, P.tensor_scatter)[0].dims]
    assert [1 << n for n in parts] == list(strategy)


@pytest.mark.parametrize(
    "strategy", [((2, 2, 1), (1, 1)), ((4, 1, 1), (1, 1)), ((1, 2, 1), (2, 1))]
)
def test_found_in_parts(strategy):
    gather = ops.GatherNd().shard(strategy)
    rows = Tensor(np.concatenate([ROWS.asnumpy(), [[2, 2]]]))
    both(lambda x: gather(x, rows) * 2, CUBE)


@pytest.mark.parametrize("kind", ["Max", "Min", "Sum"])
@pytest.mark.parametrize("strategy", [((4, 1), (4,)), ((2, 2), (2,)), ((1, 4), (1,))])
def test_segments_in_parts(kind, strategy):
    """Segments that no slice of a device belongs to."""
    segments = getattr(ops, f"UnsortedSegment{kind}")().shard(strategy)
    ids, x = Tensor([0, 0, 3, 1, 1, 0, 3, 3]), Tensor(np.arange(32, dtype=np.float32).reshape(8, 4))
    expected = segments(x, ids, 4).asnumpy()
    for rank in divided(lambda x, i: segments(x, i, 4), x, ids)[0][0]:
        np.testing.assert_array_equal(rank.asnumpy(), expected)


def test_strategies_beside_attributes():
    """Only tensors have one; those of a tuple each their own."""
    turn, join = ops.Transpose().shard(((1, 4),)), ops.Concat(0).shard(((1, 4), (1, 4)))
    both(lambda x: turn(x, (1, 0)) * 2, X)
    _, shardings = divided(lambda x: turn(x, (1, 0)) * 2, X)
    assert layouts(shardings, P.transpose)[0].dims == (("axis0", "axis1"), ())
    both(lambda x, v: join((x, v)) * 2, X, V)
    _, shardings = divided(lambda x, v: join((x, v)) * 2, X, V)
    assert layouts(shardings, P.concat)[0].dims == ((), ("axis0", "axis1"))
    refused("1 strategies for 2 tensors", lambda x, v: ops.Add().shard(((4, 1),))(x, v), X, V)


@pytest.mark.parametrize("strategy", [(4, 1, 1, 1), (2, 2, 1, 1), (1, 1, 4, 1)])
def test_batch_norm_in_parts(strategy):
    """The statistics are those of the whole batch."""
    x = Tensor(RNG.integers(-4, 5, (4, 2, 4, 4)).astype(np.float32))
    one = Tensor(np.ones(2, np.float32))
    rest = ((strategy[1],),) * 4
    norm = ops.BatchNorm(is_training=True).shard((strategy, *rest))
    expected = norm(x, one, one, one, one)[0].asnumpy()
    found, shardings = divided(lambda x: norm(x, one, one, one, one)[0], x)
    assert shardings.rules
    for rank in found[0] if isinstance(found, tuple) else found:
        np.testing.assert_allclose(rank.asnumpy(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("strategy", [((1, 1, 2, 2), (1, 1, 1, 1)), ((2, 1, 2, 1), (1, 1, 1, 1))])
def test_windows_that_do_not_overlap(strategy):
    x = Tensor(RNG.integers(-4, 5, (2, 2, 4, 4)).astype(np.float32))
    w = Tensor(RNG.integers(-4, 5, (2, 2, 2, 2)).astype(np.float32))
    conv = ops.Conv2D(2, 2, stride=2, pad_mode="valid").shard(strategy)
    both(lambda x, w: conv(x, w), x, w)


def test_many_devices():
    """Axes that go together are one: the way between two layouts on ten axes is found at once."""
    start = Sharding(((), ("a", "b", "c"), ()))
    end = Sharding((("a", "b", "c", "d"), (), ("e", "f")))
    mesh = Mesh(tuple("abcdefghij"), (2,) * 10)
    moves = path(mesh, (64, 64, 64), 4, start, end)
    assert ("a", "b", "c") in [m.axes for m in moves]
    assert functools.reduce(moved, moves, start) == end


def test_result_of_an_op():
    product = ops.MatMul().shard(((2, 1), (1, 2)), ((4, 1),))
    both(lambda x, w: ops.relu(product(x, w)), X, W)
    _, shardings = divided(lambda x, w: ops.relu(product(x, w)), X, W)
    assert layouts(shardings, P.relu)[0].dims == (("axis0", "axis1"), ())


def test_function():
    def block(x, w, v):
        return ops.matmul(ops.relu(ops.matmul(x, w)), v)

    fn = shard(block, (LAYOUT("dp", "None"), LAYOUT("None", "mp"), LAYOUT("mp", "None")))
    both(fn, X, W, V)
    _, shardings = divided(fn, X, W, V)
    first, second = layouts(shardings, P.matmul)
    assert first.dims == (("dp",), ("mp",))
    assert second == Sharding((("dp",), ()), (("mp", "sum"),))


class Within(nn.Cell):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()

    def construct(self, x, w):
        return ops.matmul(self.act(x), w)


def test_cells_within_a_network_say_their_own():
    net = Within()
    net.act.shard((LAYOUT("dp", "None"),), ((1, 2),))
    for fn in (net, lambda x, w: net(x, w) * 2):
        found = both(fn, X, W)
        relu = layouts(found, P.relu)
        assert Sharding((("dp",), ())) in relu, relu
        assert Sharding(((), ("dp",))) in layouts(found, P.placed)
    with pytest.raises(TypeError, match="a strategy is 'dp'"):
        net.act.shard(("dp",))
    with pytest.raises(ValueError, match="2 strategies for 1"):
        net.act.shard(((1, 1), (1, 1)))
        divided(net, X, W)


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(W, name="w")

    def construct(self, x):
        return ops.matmul(x, self.w)


def test_parameters():
    net = Scaled()
    fn = shard(net, (LAYOUT("dp", "None"),), parameter_plan={"w": LAYOUT("None", "mp")})
    both(fn, X)
    _, shardings = divided(fn, X)
    assert [s.dims for n, s in shardings.layouts.items() if getattr(n, "name", "") == "w"] == [
        ((), ("mp",))
    ]


def test_parts_of_arguments():
    both(lambda x, w: ops.matmul(x, w).sum(0), X, W, batch=(((4, 1), ()), ((1, 1), ())))
    _, shardings = divided(lambda x: ops.exp(x), X, batch="data_parallel")
    assert layouts(shardings, P.exp)[0].dims == (("axis0", "axis1"), ())


def refused(match, fn, *args, error=(ValueError, RuntimeError), **options):
    for one in error:  # it is both
        with pytest.raises(one, match=match):
            divided(fn, *args, **options)


def test_refusals():
    other = Layout((4,), ("dp",))
    refused("are to be divided|is to be divided in 3", lambda x: ops.ReLU().shard(((3, 1),))(x), X)
    refused("is to be divided in 2", lambda x: ops.Softmax().shard(((1, 2),))(x), X)
    refused(
        "divide the same dimension", lambda x, w: ops.MatMul().shard(((1, 2), (1, 1)))(x, w), X, W
    )
    refused("no axes of a mesh", lambda x: ops.ReLU().shard(((8, 1),))(x), X)
    refused("a layout of 4 devices", lambda x: reshard(x, LAYOUT("dp", "None")), X, size=8)
    refused(
        "device matrices", lambda x: reshard(reshard(x, other("dp", "None")), LAYOUT("dp", "mp")), X
    )
    refused("3 elements, which 2", lambda x: reshard(x, LAYOUT("dp")), Tensor([1.0, 2.0, 3.0]))
    with pytest.raises(TypeError, match="a strategy is 'dp'"):
        ops.MatMul().shard(("dp", (1, 1)))
    with pytest.raises(TypeError, match="layout has type tuple"):
        reshard(X, (2, 1))
    with pytest.raises(ValueError, match="no parameter 'v'"):
        shard(Scaled(), (LAYOUT("dp", "None"),), parameter_plan={"v": (1, 1)})
    with pytest.raises(ValueError, match="3 strategies for 1 tensors"):
        shard(ops.relu, ((1, 1), (1, 1), (1, 1)))(X)


@pytest.mark.parametrize(
    "arguments,error",
    [
        (([2, 2], ("a", "b")), TypeError),
        (((2, 2), ["a", "b"]), TypeError),
        (((2, 2), ("a",)), ValueError),
        (((2, 2.0), ("a", "b")), TypeError),
        (((2, 2), ("a", 1)), TypeError),
        (((2, 2), ("a", "")), ValueError),
        (((2, 2), ("a", "None")), ValueError),
        (((2, 2), ("a", "a")), ValueError),
        (((2, 2), ("a", "b"), (0, 1, 2, 3)), TypeError),
    ],
)
def test_layout_refuses(arguments, error):
    with pytest.raises(error):
        Layout(*arguments)


def test_layout():
    layout = Layout((2, 2, 2), ("dp", "sp", "mp"))
    assert layout("dp", ("sp", "mp"), "None").to_dict() == {
        "device_matrix": (2, 2, 2),
        "tensor_map": (2, (1, 0), -1),
        "interleaved_parallel": False,
        "alias_name": ("dp", "sp", "mp"),
        "rank_list": list(range(8)),
    }
    for wrong in (("dp", "dp"), (("dp", "mp"), "mp")):
        with pytest.raises(ValueError):
            layout(*wrong)
    with pytest.raises(ValueError):
        layout("xp")


def test_compiled_for_processes_that_are_not_there():
    """A strategy can be tried without them; only a run needs them."""

    class Net(nn.Cell):
        def __init__(self, strategy):
            super().__init__()
            self.product = ops.MatMul().shard(strategy)
            self.w = Parameter(W, name="w")

        def construct(self, x):
            return self.product(x, self.w)

    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel", device_num=16, global_rank=3, full_batch=True
    )
    try:
        net = Net(((4, 2), (2, 2)))
        net.compile(X)
        with pytest.raises(RuntimeError, match="a program for 16 processes is run in a world of 1"):
            net(X)
        told = net.parameter_layout_dict["w"]
        assert math.prod(told[0]) == 16 and told[6] == list(W.shape)
        assert told[2] == [W.shape[0] // 2, W.shape[1] // 2] and told[1][0] != told[1][1]
        with pytest.raises(ValueError, match="divide the same dimension"):
            Net(((4, 4), (2, 2))).compile(X)
        ms.reset_auto_parallel_context()
        np.testing.assert_array_equal(net(X).asnumpy(), X.asnumpy() @ W.asnumpy())
    finally:
        ms.reset_auto_parallel_context()
        ms.set_context(mode=ms.PYNATIVE_MODE)
    np.testing.assert_array_equal(net(X).asnumpy(), X.asnumpy() @ W.asnumpy())


def test_loops(launch):
    code, out, err = launch(2, "loops.py")
    assert code == 0 and out.count("all is well") == 2, out + err


def test_auto_parallel_of_a_network():
    """Its settings hold while it is called or compiled, whatever the context's are."""
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(device_num=4, global_rank=1, gradients_mean=True)
    try:
        net = AutoParallel(Scaled())
        net.dataset_strategy("full_batch")
        net.hsdp(threshold=0, optimizer_level="level3")
        net.compile(X)
        with pytest.raises(RuntimeError, match="a program for 4 processes is run in a world of 1"):
            net(X)
        assert ms.get_auto_parallel_context("parallel_mode") == "stand_alone"
        assert ms.get_auto_parallel_context("device_num") == 4
        assert ms.get_auto_parallel_context("gradients_mean") is True
        np.testing.assert_array_equal(net.network(X).asnumpy(), X.asnumpy() @ W.asnumpy())
        net.pipeline(2, scheduler="gpipe")
        assert net.get_pipeline_stages() == 2
        net.compile(X)
        with pytest.raises(ValueError, match="pipeline_stages is 3"):
            net.pipeline(3)
        with pytest.raises(ValueError, match="optimizer_level is 'all'"):
            net.hsdp(optimizer_level="all")
        assert net.get_pipeline_stages() == 2
    finally:
        ms.reset_auto_parallel_context()
        ms.set_context(mode=ms.PYNATIVE_MODE)
    with pytest.raises(TypeError, match="network has type function"):
        AutoParallel(lambda x: x)
    with pytest.raises(ValueError, match="parallel_mode is 'best'"):
        AutoParallel(Scaled(), "best")


def test_eager_cells_are_refused():
    """Where programs are divided, one that is not compiled would be whole and say nothing."""
    net = nn.SequentialCell(nn.Dense(4, 4), nn.ReLU())
    x = ops.ones((8, 4))
    expected = net(x).asnumpy()
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=4, full_batch=True)
    try:
        for call in (net, ms.grad(lambda x: net(x).sum()), net[0], ms.jit(net)):
            with pytest.raises(RuntimeError, match="runs eagerly|a program for 4 processes"):
                call(x)
        with pytest.raises(
            RuntimeError, match=r"SequentialCell runs eagerly.*\n(.*\n)*.*GRAPH_MODE"
        ):
            net(x)
        assert ops.add(x, x).shape == (8, 4)  # an op by itself is this process's
    finally:
        ms.reset_auto_parallel_context()
    np.testing.assert_array_equal(net(x).asnumpy(), expected)

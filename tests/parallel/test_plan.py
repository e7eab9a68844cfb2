"""Plans: costs against closed forms, and the search against everything that there is to choose."""

import itertools
import json

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.parallel import Cluster, Link, cluster, plan
from minds.parallel.plan import graph_of as compiled
from minds.sharding.cost import step_cost
from minds.sharding.layout import Mesh, Sharding
from minds.sharding.propagate import propagate
from minds.sharding.search import Search

FOUR = Mesh(("dp",), (4,))
SQUARE = Mesh(("dp", "mp"), (2, 2))
MACHINES = Cluster(1e9, 1e11, 1e9, (Link(4, 1e10, 1e-6),))


class Mlp(nn.Cell):
    def __init__(self, width=16, layers=2):
        super().__init__()
        self.layers = nn.SequentialCell(
            [nn.Dense(width, width, has_bias=False) for _ in range(layers)]
        )

    def construct(self, x):
        return self.layers(x)


def graph_of(layers=2, width=16, batch=32):
    net = Mlp(width, layers)
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9)
    )
    step.set_train()
    x = Tensor(np.ones((batch, width), np.float32))
    graph = compiled(step, (x, x))
    return graph, {p.name: p for p in graph.params}


def cost(graph, mesh, layouts, machines=MACHINES):
    named = {p.name: p for p in graph.params}
    given = {named[n]: Sharding(dims) for n, dims in layouts.items()}
    return step_cost(graph, propagate(graph, mesh, given), machines)


ROWS = {"x0": (("dp",), ()), "x1": (("dp",), ())}
WHOLE = dict.fromkeys(("layers.0.weight", "layers.1.weight"), ((), ()))
STATES = {f"moments.{n}": (("dp",), ()) for n in WHOLE}


def test_memory_of_sharded_states():
    """The weights are 2 of 16 x 16 floats; with them, their states and the scalars everything is held."""
    graph, _ = graph_of()
    weights, scalars = 2 * 16 * 16 * 4, 3 * 4
    assert cost(graph, FOUR, ROWS | WHOLE).held == 2 * weights + scalars
    assert cost(graph, FOUR, ROWS | WHOLE | STATES).held == weights + weights // 4 + scalars
    assert cost(graph, FOUR, ROWS | STATES).held == weights // 2 + scalars


def test_work_of_data_parallel():
    """Three products of each layer but the first, which needs no gradient of its input; each device has
    a quarter of the rows. Gradients travel twice, less the own share.
    """
    graph, _ = graph_of()
    found = cost(graph, FOUR, ROWS | WHOLE)
    assert found.flops == 5 * 2 * 32 * 16 * 16 / 4
    gradients, loss = 2 * 16 * 16 * 4, 4
    assert found.traffic == {"dp": 2 * gradients * 3 // 4 + 2 * loss * 3 // 4}
    assert cost(graph, FOUR, {}).traffic == {}


@pytest.mark.parametrize("dtype", (ms.float16, ms.float32, ms.float64))
def test_traffic_has_the_size_of_the_elements(dtype):
    x = ops.ones((8, 4), dtype)
    graph = compiled(lambda x: ops.exp(x), (x,))
    found = cost(graph, FOUR, {"x0": (("dp",), ())})
    assert found.traffic == {"dp": 8 * 4 * dtype.itemsize * 3 // 4}


def test_link_of_an_axis():
    machines = cluster("h100", 32)
    mesh = Mesh(("pp", "dp", "mp"), (2, 4, 4))
    assert [machines.link(mesh, a).devices for a in mesh.names] == [32, 32, 8]
    with pytest.raises(ValueError, match="kind is 'abacus'"):
        cluster("abacus", 8)


def test_search_is_the_best_of_all():
    graph, _ = graph_of()
    search = Search(graph, Mesh(("dp",), (2,)), MACHINES, {})
    best = search.cost(search.run()).time
    everything = itertools.product(*search.options)
    assert best == min(search.cost(search._layouts(c)).time for c in everything)
    assert search.tried > 20


@pytest.mark.parametrize("mesh", (FOUR, SQUARE))
def test_search_is_not_worse_than_what_has_a_name(mesh):
    graph, _ = graph_of(layers=4, width=32, batch=16)
    search = Search(graph, mesh, MACHINES, {})
    best = search.cost(search.run()).time
    for start in search._starts():
        assert best <= search.cost(search._layouts(start)).time


def test_memory_decides():
    """Where the states do not fit, they are divided."""
    graph, _ = graph_of(width=64, batch=4)
    slow = Link(4, 1e6, 1e-3)
    everything = cost(graph, FOUR, {})
    roomy = Search(graph, FOUR, Cluster(1e12, 1e12, 1e9, (slow,)), {})
    assert roomy.cost(roomy.run()).communication == 0
    tight = Search(graph, FOUR, Cluster(1e12, 1e12, 0.7 * everything.memory, (slow,)), {})
    assert tight.cost(tight.run()).memory <= 0.7 * everything.memory


def test_equal_layers_are_one_choice():
    few, many = [Search(graph_of(layers=n)[0], SQUARE, MACHINES, {}) for n in (3, 12)]
    assert len(few.groups) == len(many.groups) == 3


def test_plan():
    w = Parameter(ops.ones((2048, 2048)), name="w")
    found = plan(lambda x: ops.matmul(x, w).sum(), (ops.ones((4096, 2048)),), MACHINES)
    told = json.loads(found.to_json())
    assert told["flops"] == 2 * 4096 * 2048 * 2048 / 4
    assert set(told["layouts"]) == {"x0", "w"}
    assert told["time"] == pytest.approx(told["compute"] + told["communication"])
    assert "4 devices" in str(found) and "w " in str(found)
    with pytest.raises(ValueError, match="a layout of 4 devices in a program of 8"):
        layout = ms.Layout((2, 2), ("a", "b"))
        plan(lambda x: ms.reshard(x, layout("a", "b")), (ops.ones((4, 4)),))

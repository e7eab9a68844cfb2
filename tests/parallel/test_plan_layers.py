"""Plans of networks of equal layers: few of them tell of the whole program, and nothing is left changed."""

import re

import pytest

import minds as ms
from minds import nn, ops
from minds.parallel import plan, shapes_alone
from minds.parallel.layers import FEW, equal_layers, with_layers
from minds.parallel.plan import graph_of, plan_graph
from minds.sharding.cluster import cluster
from minds.sharding.layout import Mesh


class Block(nn.Cell):
    def __init__(self, width, wide):
        super().__init__()
        self.norm = nn.LayerNorm((width,))
        self.up, self.down = nn.Dense(width, wide), nn.Dense(wide, width)

    def construct(self, x):
        return x + self.down(ops.gelu(self.up(self.norm(x))))


class Net(nn.Cell):
    def __init__(self, count, width=1024, wide=4096, numbered=False):
        super().__init__()
        self.table = nn.Embedding(8192, width)
        self.blocks = nn.CellList([Block(width, wide) for _ in range(count)])
        self.head, self.numbered = nn.Dense(width, 8192), numbered

    def construct(self, x, y):
        x = self.table(x)
        if self.numbered:
            for i in range(12):
                x = self.blocks[i](x)
        else:
            for block in self.blocks:
                x = block(x)
        return ops.cross_entropy(self.head(x), y)


def step_of(count, optimizer=nn.Adam, **more):
    with shapes_alone():
        net = Net(count, **more)
        step = nn.TrainOneStepCell(net, optimizer(net.trainable_params(), 0.1))
        step.set_train()
    x = ms.Tensor(shape=(4096,), dtype=ms.int32)
    return step, (x, x)


def whole(step, args, mesh):
    with shapes_alone():
        graph = graph_of(step, args)
        return plan_graph(graph, cluster("h100", mesh.size), mesh)


@pytest.mark.parametrize("optimizer", (nn.Adam, nn.SGD))
def test_as_the_whole_program(optimizer):
    step, args = step_of(16, optimizer)
    found = plan(step, args, {"dp": 8})
    expected = whole(step, args, Mesh(("dp",), (8,)))
    assert found.layouts == expected.layouts
    assert found.time == pytest.approx(expected.time, rel=0.02)
    assert found.cost.traffic == expected.cost.traffic
    assert found.cost.flops == pytest.approx(expected.cost.flops)
    assert found.cost.held == expected.cost.held
    assert found.memory == pytest.approx(expected.memory, rel=0.05)
    assert sum(s.end - s.start for s in found.spans) == pytest.approx(found.time)
    assert sum(h.bytes for h in found.peaks[0].holders) == pytest.approx(found.memory, rel=1e-3)


def test_many_are_not_more_work():
    """As many layouts are tried for 60 layers as for 20."""
    few, many = [plan(*step_of(n), {"dp": 4}) for n in (20, 60)]
    assert few.tried == many.tried > 1
    assert len([n for n in many.layouts if re.match(r"blocks\.\d+\.up\.weight", n)]) == 60
    alike = {re.sub(r"\.\d+\.", ".#.", n): d for n, d in few.layouts.items()}
    assert all(alike[re.sub(r"\.\d+\.", ".#.", n)] == d for n, d in many.layouts.items())


def test_the_step_stays_as_it_is():
    step, args = step_of(12)
    cells, names = list(step.network.blocks), [p.name for p in step.optimizer.moment1]
    weights = list(step.weights)
    container, count = equal_layers(step)
    assert container is step.network.blocks and count == 12
    with with_layers(step, container, FEW):
        assert len(container) == FEW and len(step.weights) == len(step.optimizer.moment1) < 30
    plan(step, args, {"dp": 2})
    assert list(step.network.blocks) == cells and list(step.weights) == weights
    assert [p.name for p in step.optimizer.moment1] == names


def test_layers_that_differ_are_all_planned():
    step, args = step_of(6)
    with shapes_alone():
        step.network.blocks[5] = Block(1024, 2048)
    assert equal_layers(step) is None and equal_layers(lambda x: x) is None
    step, args = step_of(4, numbered=True)  # it counts them itself
    found = plan(step, args, {"dp": 2})
    expected = whole(step, args, Mesh(("dp",), (2,)))
    assert (found.memory, found.time) == (expected.memory, expected.time)

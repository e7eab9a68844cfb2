"""Mixtures of experts whose tokens travel to their experts all to all."""

import pytest

import minds as ms
from minds import nn, ops
from minds.base.options import freeze
from minds.models.parts.experts import Experts
from minds.ops.define import P
from minds.parallel.plan import graph_of
from minds.sharding.partition import partition
from minds.sharding.step import laid_out


def test_what_travels(launch, tmp_path):
    """Losses of one process, and in the trace the bytes of the tokens whose experts are elsewhere."""
    code, out, err = launch(2, "experts.py", str(tmp_path))
    assert code == 0 and out.count("all is well") == 2, out + err


class Net(nn.Cell):
    def __init__(self, groups):
        super().__init__()
        self.first, self.last = nn.Dense(8, 8), nn.Dense(8, 1)
        self.experts = Experts(8, 16, 8, 2, capacity=1.0, groups=groups)

    def construct(self, x):
        return self.last(self.experts(self.first(x))).mean()


@pytest.fixture
def divided():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield lambda **settings: ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel", device_num=8, global_rank=0, **settings
    )
    ms.reset_auto_parallel_context()
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_of_a_mesh(divided):
    """Experts on one axis of two: four exchanges along it, and gradients of experts along the other."""
    layout, tokens = ms.Layout((2, 4), ("dp", "mp")), ("dp", "mp")
    net = Net(8)
    taken, given = layout("mp", "dp", "None"), layout("None", tokens, "None")
    net.experts.experts.shard((taken,), (given,))
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1)).set_train()
    divided(dataset_strategy=(layout(tokens, "None", "None"),))
    graph = graph_of(step, (ops.ones((8, 16, 8)),))
    shardings, _ = laid_out(graph, freeze().division)
    local = partition(graph, shardings, 5, True)
    room = 16 * 2 // 8
    sent = [n for n in local if n.fn is P.exchange]
    assert len(sent) == 4 and {n.args[1].value for n in sent} == {(4, 6, 7)}
    parts = {sum(t.size for t in n.abstract.items) for n in sent}
    assert parts == {8 * room * 8 * 3 // 4}  # of what a group's tokens are to the experts
    reduced = [n for n in local if n.fn in (P.all_reduce, P.all_reduce_bucket)]
    for name, shape in (("gate_up_proj", (2, 32, 8)), ("down_proj", (2, 8, 16))):
        p = next(p for p in local.params if p.name.endswith(name))
        assert p.abstract.value.shape == shape
        size = shape[0] * shape[1] * shape[2]
        assert any(n.abstract.size == size and n.args[2].value == (1, 5) for n in reduced)


def test_groups_are_equal():
    with pytest.raises(ValueError, match="Experts: 6 tokens in 4 groups"):
        Net(4)(ops.ones((1, 6, 8)))


def test_a_move_has_gradients_of_every_order():
    layout = ms.Layout((1,), ("dp",))

    def cube(x):
        return ops.sum(ms.reshard(x, layout("dp")) ** 3)

    for f in (cube, ms.jit(cube)):
        slope = ms.grad(lambda x, f=f: ops.sum(ms.grad(f)(x)))
        assert slope(ops.ones((2,))).asnumpy().tolist() == [6, 6]

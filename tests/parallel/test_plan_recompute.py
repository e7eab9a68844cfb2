"""Plans of steps that fit into memory only if some cells are recomputed."""

import dataclasses

import pytest
from test_plan_layers import Net, step_of

import minds as ms
from minds import nn
from minds.lower.peak import Peak
from minds.parallel import plan, shapes_alone
from minds.parallel.recomputation import candidates, fitted
from minds.parallel.step_plan import StepPlan
from minds.sharding.cluster import cluster
from minds.sharding.cost import StepCost
from minds.sharding.layout import Mesh
from minds.sharding.simulate import Span

ROWS = 1 << 14
X = ms.Tensor(shape=(ROWS,), dtype=ms.int32)


def marked(count, recomputed):
    """The step whose first cells are recomputed by the user."""
    with shapes_alone():
        net = Net(count)
        for block in list(net.blocks)[:recomputed]:
            block.recompute()
        return nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 0.1)).set_train()


def test_as_few_as_are_needed():
    """Found by halves, among plans whose memory is known."""
    step, _ = step_of(6)
    cells = candidates(step)
    assert list(cells) == [f"network.blocks.{i}" for i in range(6)]

    def plan_of():
        count = sum(c._recomputed for c in cells.values())
        assert all(c._recomputed for c in list(cells.values())[:count])
        span = Span(0, "forward", "compute", 0.0, 1.0 + count)
        peaks = {0: Peak(100 - 10 * count, 0, [])}
        return StepPlan(Mesh(("dp",), (1,)), {}, StepCost(), 1, machines, spans=[span], peaks=peaks)

    for room, count in ((100, 0), (99, 1), (90, 1), (61, 4), (40, 6), (39, 0)):
        machines = dataclasses.replace(cluster("h100", 1), memory=room)
        found = fitted(step, plan_of(), plan_of, None)
        assert found.recomputed == tuple(list(cells)[:count])
        assert found.memory == 100 - 10 * count and not any(c._recomputed for c in cells.values())
        if count:
            assert found.advice[0].startswith(f"recompute() {count} cells, network.blocks.0")


def test_a_step_that_would_not_fit():
    step, _ = step_of(2)
    kept = plan(step, (X, X), {"dp": 1}, memory=1e15)
    less = plan(marked(2, 2), (X, X), {"dp": 1}, memory=1e15)
    room = (kept.memory + less.memory) / 2
    found = plan(step, (X, X), {"dp": 1}, memory=room)
    assert found.memory <= room and found.recomputed[0] == "network.blocks.0"
    assert found.to_dict()["recomputed"] == list(found.recomputed)
    assert found.time > kept.time and kept.recomputed == ()
    found = plan(step, (X, X), {"dp": 1}, memory=1e6)  # not with all cells either
    assert found.recomputed == () and found.advice[0].startswith("a device has 0.001 GB")


def staged(recomputed=()):
    """A step of a pipeline of two stages, with four blocks and two."""
    with shapes_alone():
        net = Net(6)
        for i, block in enumerate(net.blocks):
            block.pipeline_stage = i // 4
            if i in recomputed:
                block.recompute()
        net.table.pipeline_stage, net.head.pipeline_stage = 0, 1
        net = nn.PipelineCell(net, 4)
        return nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1)).set_train()


def test_of_a_pipeline():
    """As few cells as are needed of each stage; a stage that fits keeps what it has."""

    def told(step, memory=1e15):
        return plan(step, (X, X), {"pp": 2, "dp": 1}, memory=memory)

    kept, one = told(staged()), told(staged((0,)))
    first, last = (kept.peaks[g].bytes for g in (0, 1))
    less = first - one.peaks[0].bytes
    assert first - 2 * less > last == one.peaks[1].bytes and less > 0
    alone = told(staged(), memory=first - less / 2)
    assert [n.rpartition(".")[2] for n in alone.recomputed] == ["0"]
    assert alone.peaks[0].bytes < first - less / 2 and alone.cost.flops == one.cost.flops
    assert alone.peaks[1].bytes == pytest.approx(last, rel=1e-3)
    both = told(staged(), memory=last - less / 2)
    numbers = [int(n.rpartition(".")[2]) for n in both.recomputed]
    assert {0, 4} <= set(numbers) and both.memory <= last - less / 2
    assert both.cost.flops == told(staged(numbers)).cost.flops


def test_of_equal_layers(whole):
    """Few of them tell how many are needed."""
    if not whole:
        pytest.skip("sixteen layers: with --whole")
    step, _ = step_of(16)
    kept = plan(step, (X, X), {"dp": 1}, memory=1e15)
    found = plan(step, (X, X), {"dp": 1}, memory=0.6 * kept.memory)
    count = len(found.recomputed)
    assert 0 < count < 16 and found.memory <= 0.6 * kept.memory
    told = plan(marked(16, 16), (X, X), {"dp": 1}, memory=1e15)
    per_layer = (kept.memory - told.memory) / 16
    assert found.memory == pytest.approx(kept.memory - count * per_layer, rel=1e-3)
    assert kept.memory - (count - 1) * per_layer > 0.6 * kept.memory
    assert kept.time < found.time < told.time


def test_what_a_recomputed_layer_keeps():
    """Its input alone, 2 s b h bytes of 16 bits (Korthikanti et al., Reducing Activation Recomputation)."""
    width, kept = 64, []
    for count in (1, 3):
        net = Net(count, width, 4 * width)
        for p in net.get_parameters():
            p.set_dtype(ms.float16)
        for block in net.blocks:
            block.recompute()
        found = plan(ms.value_and_grad(net, None, net.trainable_params()), (X, X), {"dp": 1})
        rows = [h for h in found.peaks[0].holders if h.what == "what add gives"]
        kept.append(sum(h.bytes for h in rows if h.loc is not None and not h.loc.backward))
    assert (kept[1] - kept[0]) / 2 == 2 * ROWS * width


@pytest.mark.parametrize(
    "memory, error, said",
    [("1", TypeError, "plan: memory has type str"), (0, ValueError, "plan: memory is 0")],
)
def test_refusals(memory, error, said):
    with pytest.raises(error, match=said):
        plan(nn.ReLU(), (ms.Tensor(shape=(4,), dtype=ms.float32),), memory=memory)

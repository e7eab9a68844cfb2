"""Pipelines: schedules against closed forms, what they need, and what users are told."""

import itertools
import re

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.ir import walk
from minds.ops.define import P
from minds.parallel.plan import graph_of
from minds.sharding.layout import Mesh
from minds.sharding.partition import partition
from minds.sharding.propagate import propagate
from minds.sharding.schedule import SCHEDULES, bubble, events
from minds.sharding.stages import StageMap
from minds.sharding.virtual import run


@pytest.mark.parametrize("n", (2, 4))
def test_equals_one_process(launch, n, whole):
    if n == 4 and not whole:
        pytest.skip("four processes: with --whole")
    code, out, err = launch(n, "pipeline.py")
    assert code == 0 and out.count("all is well") == n, out + err


@pytest.mark.parametrize(
    "what,said", [("reads", "the ranks' programs differ"), ("dies", "rank 1 was killed|has died")]
)
def test_no_stage_waits_for_ever(launch, what, said, whole):
    if what == "dies" and not whole:
        pytest.skip("a second failure: with --whole")
    code, _, err = launch(2, "pipeline_fails.py", "1", what, seconds=60)
    assert code != 0 and re.search(said, err), err


SIZES = [(p, m) for p in (1, 2, 3, 4, 8) for m in (1, 2, 4, 8, 16, 24) if m >= p]


@pytest.mark.parametrize("p,m", SIZES)
def test_bubbles(p, m):
    for schedule, costs in itertools.product(("gpipe", "1f1b"), ((1, 2, 0), (1, 1, 1), (3, 4, 0))):
        assert bubble(events(schedule, p, m, 1, costs)) == pytest.approx((p - 1) / m)
    for v in (2, 3, 4) if m % p == 0 else ():
        assert bubble(events("interleaved", p, m, v)) == pytest.approx((p - 1) / (v * m))
    # What is not waited for fills the gaps: between the least there can be and a part of 1f1b's.
    found = bubble(events("zb", p, m, 1, (1, 1, 1)))
    assert (p - 1) / (3 * m) - 1e-9 <= found <= 0.6 * (p - 1) / m + 1e-9


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("p,m", SIZES)
def test_every_pass_once_and_in_order(schedule, p, m):
    chunks = 2 if schedule == "interleaved" else 1
    if chunks > 1 and m % p:
        return
    timeline = events(schedule, p, m, chunks)
    all_events = [e for group in timeline for e in group]
    ends = {(e.stage, e.phase, e.micro): e for e in all_events}
    phases = 3 if schedule == "zb" else 2
    assert len(ends) == len(all_events) == phases * m * p * chunks
    for e in all_events:
        before = []
        if e.phase == "F" and e.stage:
            before = [(e.stage - 1, "F", e.micro)]
        if e.phase == "B":
            before = [(e.stage, "F", e.micro)]
            before += [(e.stage + 1, "B", e.micro)] if e.stage < p * chunks - 1 else []
        if e.phase == "W":
            before = [(e.stage, "B", e.micro)]
        assert all(ends[b].end <= e.start for b in before)
    for g, group in enumerate(timeline):
        assert all(a.end <= b.start for a, b in zip(group, group[1:]))
        assert {e.stage % p for e in group} == {g}


@pytest.mark.parametrize("p,m", SIZES)
def test_activations_of_1f1b(p, m):
    """A stage keeps those of at most as many micro-batches as there are stages from it on."""
    for g, group in enumerate(events("1f1b", p, m)):
        kept = most = 0
        for e in group:
            kept += 1 if e.phase == "F" else -1
            most = max(most, kept)
        assert most == min(p - g, m)


def test_schedules_are_checked():
    with pytest.raises(ValueError, match="schedule is 'best'"):
        events("best", 2, 4)
    with pytest.raises(ValueError, match="3 micro-batches are interleaved on 2"):
        events("interleaved", 2, 3, 2)


def test_micro_batches():
    x = ms.Tensor([[1.0], [2.0], [3.0], [4.0]])
    net = nn.PipelineCell(Square(), 2)
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        assert net(x).asnumpy().tolist() == [[1.0 + 4.0], [9.0 + 16.0]]
        gradient = ms.grad(net)(x)
        assert gradient.asnumpy().tolist() == [[2.0], [4.0], [6.0], [8.0]]
        with pytest.raises(ValueError, match="3 samples for 2 micro-batches"):
            net(x[:3])
    for wrong, error in ((0, ValueError), (1.0, TypeError), (True, TypeError)):
        with pytest.raises(error, match="micro_size"):
            nn.PipelineCell(Square(), wrong)
    with pytest.raises(ValueError, match="no cell 'b'"):
        nn.PipelineCell(Square(), 1, stage_config={"b": 0})
    with pytest.raises(TypeError, match="stage_config has type list"):
        nn.PipelineCell(Square(), 1, stage_config=[])


class Square(nn.Cell):
    def construct(self, x):
        return x * x


class Two(nn.Cell):
    def __init__(self, first, second):
        super().__init__()
        self.a, self.b = nn.Dense(4, 4), nn.Dense(4, 4)
        self.a.pipeline_stage, self.b.pipeline_stage = first, second

    def construct(self, x):
        return self.b(self.a(x))


@pytest.fixture
def compiled_elsewhere():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield lambda **settings: ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel", device_num=4, full_batch=True, **settings
    )
    ms.reset_auto_parallel_context()
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_refusals(compiled_elsewhere):
    x = ops.ones((2, 4))
    compiled_elsewhere(pipeline_stages=2, global_rank=3)
    Two(0, 1).compile(x)
    with pytest.raises(ValueError, match="stage 0 takes what stage 1 gives"):
        Two(1, 0).compile(x)
    with pytest.raises(ValueError, match="stage 2 of a pipeline of 2"):
        Two(0, 2).compile(x)
    for settings, error, match in (
        ({"pipeline_stages": 3}, ValueError, "pipeline_stages is 3"),
        ({"pipeline_stages": 0}, ValueError, "pipeline_stages is 0"),
        ({"pipeline_stages": "2"}, TypeError, "pipeline_stages has type str"),
        ({"pipeline_config": 1}, TypeError, "pipeline_config is 1"),
        ({"pipeline_config": {"pipeline_scheduler": "x"}}, ValueError, "scheduler is 'x'"),
    ):
        with pytest.raises(error, match=match):
            compiled_elsewhere(**settings)


def test_each_stage_has_its_part(compiled_elsewhere):
    """The program of a rank has its stage's products, and only its weights."""
    compiled_elsewhere(pipeline_stages=2)
    net = nn.PipelineCell(nn.WithLossCell(Two(0, 1), nn.MSELoss()), 2)
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params()))
    step.set_train()
    graph = graph_of(step, (ops.ones((4, 4)), ops.ones((4, 4))))
    stages, mesh = StageMap(graph, 2, "1f1b"), Mesh(("dp",), (2,))
    shardings = propagate(graph, mesh, {})
    for group, count in ((0, 2), (1, 3)):  # the first stage needs no gradient of its input
        local = partition(graph, shardings, 2 * group, stages=stages)
        forward, backward = [g for g in walk.graphs(local) if g is not local]
        assert [g.name for g in (forward, backward)] == [f"F{group}", f"B{group}"]
        assert sum(n.fn is P.matmul for g in (forward, backward) for n in g) == count
        assert all(sum(n.fn is g for n in local) == 2 for g in (forward, backward))
        sizes = {p.name: p.abstract.value.shape for p in local.params if p.default is not None}
        mine, other = ("a", "b") if group == 0 else ("b", "a")
        assert sizes[f"{mine}.weight"] == (4, 4) and sizes[f"{other}.weight"] == (0,)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_each_stage_is_lowered_once(compiled_elsewhere, schedule):
    """Graphs of more micro-batches have more calls, and nothing else."""
    stages = 4 if schedule == "interleaved" else 2
    seen = []
    for micros in (4, 32):
        compiled_elsewhere(pipeline_stages=2)
        net = nn.PipelineCell(nn.WithLossCell(Chain(stages), nn.MSELoss()), micros)
        step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params())).set_train()
        x = ops.ones((2 * micros, 4))
        graph = graph_of(step, (x, x))
        marks = StageMap(graph, 2, schedule)
        local = partition(graph, propagate(graph, Mesh(("dp",), (2,)), {}), 0, stages=marks)
        passes = [g for g in walk.graphs(local) if g is not local]
        calls = [sum(n.fn is g for n in local) for g in passes]
        assert set(calls) == {micros}
        rest = sum(1 for _ in local) / micros
        seen.append((len(list(graph)), {g.name: len(list(g)) for g in passes}, rest))
    assert seen[0][:2] == seen[1][:2] and seen[1][2] < seen[0][2]


class Chain(nn.Cell):
    def __init__(self, stages):
        super().__init__()
        self.parts = nn.CellList([nn.Dense(4, 4) for _ in range(stages)])
        for i, part in enumerate(self.parts):
            part.pipeline_stage = i

    def construct(self, x):
        for part in self.parts:
            x = part(x)
        return x


class Counting(nn.Cell):
    """Statistics before the first stage and in it, masks that are drawn, and a count of the calls."""

    def __init__(self):
        super().__init__()
        self.first, self.norm, self.inner = nn.Dense(4, 4), nn.BatchNorm1d(4), nn.BatchNorm1d(4)
        self.drop, self.last = nn.Dropout(p=0.5), nn.Dense(4, 4)
        self.inner.pipeline_stage, self.last.pipeline_stage = 0, 1
        self.calls = Parameter(ops.zeros(()), name="calls", requires_grad=False)

    def construct(self, x):
        self.calls += 1.0
        x = self.drop(self.inner(self.norm(self.first(x)) * self.calls))
        return self.last(x)


class InputGradient(nn.Cell):
    """The gradients of the input and of a weight."""

    def __init__(self, net):
        super().__init__()
        self.net, self.gradient = net, ms.value_and_grad(net, 0, net.trainable_params())

    def construct(self, x, y):
        value, (dx, dw) = self.gradient(x, y)
        return value, dx, dw[0]


@pytest.mark.parametrize("schedule", ("gpipe", "1f1b", "zb"))
def test_what_micro_batches_change(compiled_elsewhere, schedule):
    """Statistics, counts and draws come one micro-batch after the other, as in one process."""
    x, y = (Tensor(np.random.default_rng(i).standard_normal((8, 4))) for i in (0, 1))
    ms.set_seed(1)
    net = nn.PipelineCell(nn.WithLossCell(Counting(), nn.MSELoss()), 4)
    for p in net.get_parameters():
        p.set_dtype(ms.float64)
    step = InputGradient(net).set_train()
    before = {p.name: p.copy() for p in net.get_parameters()}
    ms.set_seed(2)
    expected = [v.asnumpy() for v in step(x, y)]
    held = {p.name: p.asnumpy() for p in net.get_parameters()}
    assert next(v for name, v in held.items() if name.endswith("calls")) == 4
    compiled_elsewhere(pipeline_stages=2)
    graph = graph_of(step, (x, y))
    marks = StageMap(graph, 2, schedule)
    values = [before[p.name] for p in graph.params if p.name in before]
    ms.set_seed(2)
    shardings = propagate(graph, Mesh(("dp",), (2,)), {})
    found, after = run(graph, shardings, [x, y, *values], marks)
    for ranks, value in zip(found, expected, strict=True):
        for v in ranks:
            np.testing.assert_allclose(v.asnumpy(), value, rtol=1e-10, atol=1e-12)
    for p, v in zip(graph.params[2:], after[2:]):
        np.testing.assert_allclose(v.asnumpy(), held[p.name], rtol=1e-10, err_msg=p.name)


class Branching(nn.Cell):
    """Each stage takes one of two ways, as its data say; the first in a loop, too."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(4, 4), nn.Dense(4, 4)
        self.first, self.last = Chosen(self.a, 0), Chosen(self.b, 3)
        self.first.pipeline_stage, self.last.pipeline_stage = 0, 1

    def construct(self, x):
        return self.last(self.first(x))


class Chosen(nn.Cell):
    def __init__(self, dense, turns):
        super().__init__()
        self.dense, self.turns = dense, turns

    def construct(self, x):
        if x.sum() > 0:
            x = ops.tanh(self.dense(x))
        else:
            x = ops.sin(self.dense(x)) + 1
        for i in range(ops.cast(x.max() * 0 + self.turns, ms.int32)):
            if x.sum() + i > 2:
                x = x - ops.tanh(self.dense(x))
            else:
                x = x * 0.5
        return x


@pytest.mark.parametrize("schedule", ("1f1b", "zb"))
def test_branches_on_data(compiled_elsewhere, schedule):
    """The way back of a stage goes as its micro-batch went."""
    x, y = (Tensor(np.random.default_rng(i).standard_normal((8, 4))) for i in (0, 1))
    ms.set_seed(1)
    net = nn.PipelineCell(nn.WithLossCell(Branching(), nn.MSELoss()), 4)
    for p in net.get_parameters():
        p.set_dtype(ms.float64)
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1)).set_train()
    before = {p.name: p.copy() for p in step.get_parameters()}
    expected = step(x, y).asnumpy()
    held = {p.name: p.asnumpy() for p in step.get_parameters()}
    compiled_elsewhere(pipeline_stages=2)
    graph = graph_of(step, (x, y))
    marks = StageMap(graph, 2, schedule)
    values = [before[p.name] for p in graph.params if p.name in before]
    shardings = propagate(graph, Mesh(("dp",), (2,)), {})
    (found,), after = run(graph, shardings, [x, y, *values], marks)
    for v in found:
        np.testing.assert_allclose(v.asnumpy(), expected, rtol=1e-10)
    for p, v in zip(graph.params[2:], after[2:]):
        np.testing.assert_allclose(v.asnumpy(), held[p.name], rtol=1e-10, err_msg=p.name)


class Leaking(nn.Cell):
    """The gradient of a function of what all micro-batches give."""

    def __init__(self, net):
        super().__init__()
        self.net, self.gradient = net, ms.grad(self.loss, None, net.trainable_params())

    def loss(self, x):
        return ops.log(self.net(x))

    def construct(self, x):
        return self.gradient(x)


def test_what_micro_batches_cannot_do(compiled_elsewhere):
    compiled_elsewhere(pipeline_stages=2)
    x = ops.ones((4, 4))
    net = nn.PipelineCell(nn.WithLossCell(Two(0, 1), nn.MSELoss()), 2)
    unstaged = nn.PipelineCell(Square(), 2)
    with pytest.raises(ValueError, match="belongs to no stage"):
        unstaged.compile(x)
    whole = nn.PipelineCell(nn.SequentialCell(Two(0, 1), Total()), 2)
    with pytest.raises(ValueError, match="known only when all of them are done"):
        Leaking(whole).compile(x)
    with pytest.raises(ValueError, match="2 and 4 micro-batches in one program"):
        Both(net, nn.PipelineCell(nn.WithLossCell(Two(0, 1), nn.MSELoss()), 4)).compile(x)


class Total(nn.Cell):
    def construct(self, x):
        return ops.sum(x)


class Both(nn.Cell):
    def __init__(self, a, b):
        super().__init__()
        self.a, self.b = a, b

    def construct(self, x):
        return self.a(x, x) + self.b(x, x)

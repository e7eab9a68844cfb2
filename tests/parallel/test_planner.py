"""The planner from the outside: steps that are too large for this machine, pipelines in time against closed
forms, memory by the lowering, and the command line.
"""

import importlib
import json
import runpy
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.parallel import plan, shapes_alone
from minds.parallel.__main__ import main
from minds.parallel.plan import graph_of
from minds.sharding.cluster import Link
from minds.sharding.layout import Mesh, Sharding
from minds.sharding.propagate import propagate
from minds.sharding.simulate import Simulation, bubble
from minds.sharding.stages import REST, StageMap

NET = """
import minds as ms
from minds import nn


class Net(nn.Cell):
    def __init__(self, width, stages):
        super().__init__()
        self.parts = nn.CellList([nn.Dense(width, width, has_bias=False) for _ in range(stages)])
        for i, part in enumerate(self.parts):
            part.pipeline_stage = i

    def construct(self, x):
        for part in self.parts:
            x = part(x)
        return x


def step(width=64, micros=8, stages=4, rows=64):
    net = Net(width, stages)
    loss = nn.PipelineCell(nn.WithLossCell(net, nn.MSELoss()), micros)
    cell = nn.TrainOneStepCell(loss, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    cell.set_train()
    x = ms.Tensor(shape=(rows, width), dtype=ms.float32)
    return cell, (x, x)


def nothing():
    return 3
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "net.py"
    path.write_text(NET)
    return str(path)


@pytest.fixture
def step(script):
    return runpy.run_path(script)["step"]


def test_tensors_of_a_shape_alone():
    with shapes_alone():
        net = nn.Dense(10**6, 10**6)
        states = nn.Adam(net.trainable_params(), 0.1).moment1
    assert net.weight.shape == (10**6, 10**6) and states[0].dtype is ms.float32
    with pytest.raises(RuntimeError, match="has no values"):
        net.weight.asnumpy()
    with pytest.raises(RuntimeError, match="has no values"):
        net(ops.ones((2, 10**6)))
    np.testing.assert_array_equal(nn.Dense(2, 2, weight_init="ones").weight.asnumpy(), 1)


def test_a_step_larger_than_the_machine(step):
    with shapes_alone():
        cell, args = step(1 << 17, 1, 2, 1 << 17)
    found = plan(cell, args, {"dp": 16, "mp": 8})
    weights = 2 * (1 << 34) * 4
    assert found.mesh.size == 128 and weights * 2 / 128 <= found.cost.held <= weights * 2 + 1e6
    assert found.memory > 80e9 and found.advice[0].startswith("a device has 80 GB")


def test_memory_is_that_of_the_program():
    """Of a program that one device runs, the planned memory is that of the report on the compiled one."""
    w = Parameter(ops.ones((256, 256)), name="w")

    def loss(x):
        return ops.sum(ops.tanh(ops.matmul(x, w)))

    step, x = ms.grad(loss), ops.ones((256, 256))
    found, told = plan(step, (x,), {"dp": 1}), ms.memory_report(step, x)
    workspace = sum(h.bytes for h in told.holders if h.what == "workspace of kernels")
    assert found.memory == told.bytes - workspace
    assert "test_planner.py" in str(found)


@pytest.mark.parametrize("schedule", ("gpipe", "1f1b"))
@pytest.mark.parametrize("stages, micros", ((2, 4), (4, 8), (4, 4)))
def test_bubbles_of_equal_stages(step, schedule, stages, micros):
    """Forward passes of a second and backward passes of two: the bubble is (p - 1) / m."""
    graph = graph_of(*step(8, micros, stages, 16), stages)
    marks, members = StageMap(graph, stages, schedule), {}
    for n, p in marks.where.items():
        members.setdefault(p, []).append(n)
    times = {}
    for p, nodes in members.items():
        seconds = {"F": 1.0, "B": 2.0}.get(p.phase, 0.0)
        times |= {n: (seconds / len(nodes), 0.0) for n in nodes}
    assert {p.phase for p in members} <= {"F", "B", REST}
    mesh = Mesh(("dp",), (1,))
    ran = Simulation(graph, marks, propagate(graph, mesh, {}), times, Link(4, np.inf, 0.0))
    assert bubble(ran.spans) == pytest.approx((stages - 1) / micros)
    # What the busiest stage sends: rows of each micro-batch on the way there, or on the way back.
    assert ran.traffic >= 16 * 8 * 4


def test_a_pipeline(step):
    cell, args = step()
    found = plan(cell, args, {"pp": 4, "dp": 2}, schedule="gpipe")
    assert found.stages == 4 and found.mesh.sizes == (2,) and set(found.peaks) == {0, 1, 2, 3}
    assert {s.group for s in found.spans} == {0, 1, 2, 3} and found.bubble > 0
    for s, t in zip(found.spans, found.spans[1:]):
        assert s.group != t.group or s.end <= t.start + 1e-12
    held = sum(h.bytes for h in found.peaks[1].holders if h.what.startswith("Parameter"))
    assert held < 3 * 64 * 64 * 4  # its own weight and state, not those of the other stages
    with pytest.raises(ValueError, match="no cell of the step is a stage"):
        plan(lambda x: x * 2, (ops.ones((4,)),), {"pp": 2, "dp": 2})


def test_strategies_bind_the_search():
    layout = ms.Layout((2, 4), ("dp", "mp"))
    w = Parameter(ops.ones((64, 64)), name="w")
    product = ops.MatMul().shard((layout("dp", "None"), layout("None", "mp")))
    found = plan(lambda x: product(x, w), (ops.ones((64, 64)),))
    assert found.mesh == Mesh(("dp", "mp"), (2, 4)) and found.layouts["w"] == ((), ("mp",))
    assert Sharding(found.layouts["w"]).local(found.mesh, (64, 64)) == (64, 16)


REFUSED = [
    ({"mesh": {"dp": 0}}, TypeError, "mesh is"),
    ({"mesh": [("dp", 2)]}, TypeError, "mesh is"),
    ({"machines": "abacus"}, ValueError, "kind is 'abacus'"),
    ({"machines": ms.parallel.cluster("h100", 4), "mesh": {"dp": 2}}, ValueError, "of 2 devices"),
]


@pytest.mark.parametrize("how, error, said", REFUSED)
def test_refusals(how, error, said):
    with pytest.raises(error, match=said):
        plan(lambda x: x * 2, (ops.ones((4,)),), **how)
    with pytest.raises(ValueError, match="known sizes"):
        plan(lambda x: x * 2, (Tensor(shape=(None, 4), dtype=ms.float32),))


def test_command_line(script, tmp_path, capsys):
    drawing = str(tmp_path / "a.svg")
    how = [f"{script}:step", "--mesh", "pp=4,dp=2", "--json", "--svg", drawing]
    line = [sys.executable, "-m", "minds.parallel", "plan", *how]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["stages"] == 4 and told["mesh"] == {"dp": 2}
    assert told["time"] == pytest.approx(max(s["end"] for s in told["timeline"]))
    assert told["memory"] == max(sum(h["bytes"] for h in p) for p in told["holders"].values())
    boxes = [e for e in ET.parse(drawing).iter() if e.tag.endswith("title")]
    assert len(boxes) == len(told["timeline"])
    for arguments, said in (
        ([f"{script}:step", "--mesh", "dp=2", "--devices", "4"], "a mesh of 2 devices"),
        ([f"{script}:none"], "no function 'none'"),
        ([f"{script}:nothing"], "gives no"),
        (["nowhere.py:f"], "no script 'nowhere.py'"),
    ):
        with pytest.raises(SystemExit, match=said):
            main(["plan", *arguments])
    with pytest.raises(SystemExit):
        main(["plan", f"{script}:step", "--mesh", "dp=a"])
    assert "is no mesh" in capsys.readouterr().err


def test_large_programs_are_estimated(monkeypatch):
    """One layout is taken and nothing is lowered; what is told of memory is near what the lowering tells."""
    net = nn.SequentialCell([nn.Dense(256, 256, activation="tanh") for _ in range(4)])
    cell = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9)
    )
    cell.set_train()
    x = Tensor(shape=(4096, 256), dtype=ms.float32)
    module = importlib.import_module("minds.parallel.plan")
    monkeypatch.setattr(module, "LARGE", 10)
    found = plan(cell, (x, x), {"dp": 2, "mp": 2})
    monkeypatch.setattr(module, "LARGE", 10**6)
    monkeypatch.setattr(module.Search, "run", lambda self, most: self._layouts(self._usual()[0]))
    lowered = plan(cell, (x, x), {"dp": 2, "mp": 2})
    assert found.is_estimate and found.tried == 0 and found.layouts == lowered.layouts
    assert abs(found.memory - lowered.memory) <= 0.25 * lowered.memory
    assert found.time == lowered.time and "lifetimes" in str(found)
    assert found.layouts["x0"] == (("dp",), ()) and found.layouts["0.weight"] == (("mp",), ())

"""The profiler: times by op and line, traces, flame graphs, schedules; the search for NaN."""

import csv
import json
import os
import re
import xml.etree.ElementTree as tree

import numpy as np
import pytest

import minds as ms
import minds.dataset as ds
from minds import nn, ops, profiler, train


def _work(x):
    y = ops.matmul(x, x)
    return ops.exp(y * 0.1).sum()


def _here(row) -> tuple[str, str]:
    """The file and the function of a row of lines."""
    file, function = re.fullmatch(r"(?:◀ )?(.*):\d+ \((.*)\)", row.name).groups()
    return file, function


@pytest.mark.parametrize("compiled", [True, False])
def test_ops_and_lines(compiled):
    x, fn = ops.ones((32, 32)), ms.jit(_work) if compiled else _work
    fn(x)
    with ms.profile() as p:
        fn(x)
        fn(x)
    counts = {row.name: row.calls for row in p.ops()}
    assert counts["matmul"] == 2
    assert {_here(row) for row in p.lines()} == {(__file__, "_work")}
    assert sum(row.share for row in p.ops()) == pytest.approx(1)
    assert p.lines()[0].ms == max(row.ms for row in p.lines())


def test_what_runs_outside_is_not_noted():
    x = ops.ones((4, 4))
    p = ms.profile()
    _ = x + x
    with p:
        pass
    _ = x + x
    assert p.ops() == []


def test_gradients_are_marked():
    g = ms.jit(ms.grad(lambda x: ops.tanh(ops.matmul(x, x)).sum()))
    x = ops.ones((8, 8))
    g(x)
    with ms.profile() as p:
        g(x)
    assert any(row.name.startswith("◀ ") for row in p.lines())


def test_profiles_nest():
    x = ops.ones((4, 4))
    with ms.profile() as outer:
        _ = ops.exp(x)
        with ms.profile() as inner:
            _ = ops.sin(x)
        _ = ops.cos(x)
    assert [row.name for row in inner.ops()] == ["sin"]
    assert {row.name for row in outer.ops()} == {"exp", "sin", "cos"}


def test_starting_twice_is_an_error():
    with ms.profile() as p, pytest.raises(RuntimeError, match="runs already"):
        p.start()


def test_the_trace_is_chromes_format(tmp_path):
    fn, x = ms.jit(_work), ops.ones((16, 16))
    with ms.profile() as p, p.mark("both"):
        fn(x)
        _work(x)
    p.save_trace(str(tmp_path / "t.json"))
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    spans = [e for e in events if e["ph"] == "X"]
    assert all(e["dur"] >= 0 and isinstance(e["tid"], int) for e in spans)
    run = next(e for e in spans if e["name"] == "run _work")
    inside = [e for e in spans if e["cat"] == "kernel" and e["args"]["program"] == "_work"]
    assert inside and all(run["ts"] <= e["ts"] <= run["ts"] + run["dur"] for e in inside)
    both = next(e for e in spans if e["name"] == "both")
    assert both["ts"] <= run["ts"] and {e["ph"] for e in events} == {"X", "C", "M"}
    assert {e["args"]["program"] for e in spans if e["cat"] == "kernel"} == {"_work", "eager"}


def test_pictures(tmp_path):
    with ms.profile() as p:
        _work(ops.ones((16, 16)))
    p.save_flame_graph(str(tmp_path / "f.svg"))
    p.save_memory_chart(str(tmp_path / "m.svg"))
    titles = [t.text for t in tree.parse(tmp_path / "f.svg").iter() if t.tag.endswith("title")]
    assert titles[0].startswith("all: ") and titles[0].endswith("100.0%")
    assert any(t.startswith("matmul: ") for t in titles)
    assert tree.parse(tmp_path / "m.svg").getroot().tag.endswith("svg")


def test_memory_over_time():
    with ms.profile() as p:
        big = ops.ones((1024, 1024)) + 1
    assert max(b for _, b in p.memory()) >= big.nbytes


def _steps(**given):
    s = profiler.schedule(**given)
    return "".join("-wRS"[s(n).value] for n in range(12))


@pytest.mark.parametrize(
    "given, steps",
    [  # what MindSpore 2.10's schedule says
        ({"wait": 1, "active": 2, "warmup": 1, "repeat": 2, "skip_first": 1}, "--wRS-wRS---"),
        ({"wait": 0, "active": 1}, "SSSSSSSSSSSS"),
        ({"wait": 2, "active": 3, "repeat": 1}, "--RRS-------"),
        ({"wait": 1, "active": 1, "warmup": 1}, "-wS-wS-wS-wS"),
    ],
)
def test_schedule(given, steps):
    assert _steps(**given) == steps


@pytest.mark.parametrize(
    "given, kind",
    [
        ({"wait": -1, "active": 1}, ValueError),
        ({"wait": 1, "active": 0}, ValueError),
        ({"wait": "a", "active": 1}, TypeError),
    ],
)
def test_schedule_refuses(given, kind):
    with pytest.raises(kind, match="schedule: "):
        profiler.schedule(**given)


def test_profile_by_steps(tmp_path):
    x, seen = ops.ones((4, 4)), []
    save = profiler.tensorboard_trace_handler(str(tmp_path), "worker")

    def ready(p):
        seen.append(p.step_num)
        save(p)

    plan = profiler.schedule(wait=1, active=2, repeat=2)
    with profiler.profile(schedule=plan, on_trace_ready=ready) as p:
        for n in range(8):
            _ = ops.sin(x) if n in (0, 3) else ops.cos(x)
            p.step()
    assert seen == [3, 6]
    folders = sorted(os.listdir(tmp_path))
    assert len(folders) == 2 and all(f.startswith("worker_") for f in folders)
    for f in folders:
        with open(tmp_path / f / "op_statistic.csv") as g:
            assert [(r["name"], r["calls"]) for r in csv.DictReader(g)] == [("cos", "2")]
        with open(tmp_path / f / "step_trace_time.csv") as g:
            assert len(list(csv.DictReader(g))) == 2


def _model():
    net = nn.Dense(4, 1)
    x = np.ones((8, 4), np.float32)
    data = ds.NumpySlicesDataset((x, x[:, :1]), ["x", "y"]).batch(4)
    return train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1)), data


def test_profiler_of_a_training(tmp_path):
    model, data = _model()
    p = profiler.Profiler(output_path=str(tmp_path))
    model.train(1, data)
    p.add_metadata("run", "7")
    p.add_metadata_json("sizes", "[1, 2]")
    p.analyse()
    whole = json.loads((tmp_path / "trace_view.json").read_text())
    assert whole["otherData"] == {"run": "7", "sizes": [1, 2]}
    assert "wait for data" in {e["name"] for e in whole["traceEvents"]}
    assert json.loads(p.op_analyse("matmul"))["matmul"]["calls"] >= 2
    p.offline_analyse(str(tmp_path))
    with pytest.raises(FileNotFoundError):
        p.offline_analyse(str(tmp_path / "no"))


def test_unknown_settings_are_refused():
    with pytest.raises(TypeError, match="there is no argument wrong"):
        profiler.Profiler(wrong=1)


def test_marks_of_domains(tmp_path):
    config = profiler._ExperimentalConfig(mstx=True, mstx_domain_include=["mine"])
    save = profiler.tensorboard_trace_handler(str(tmp_path))
    with profiler.profile(experimental_config=config, on_trace_ready=save):
        number = profiler.mstx.range_start("load", domain="mine")
        profiler.mstx.mark("here", domain="yours")
        profiler.mstx.range_end(number, domain="mine")
    [folder] = os.listdir(tmp_path)
    events = json.loads((tmp_path / folder / "trace_view.json").read_text())["traceEvents"]
    assert [e["name"] for e in events if e["ph"] == "X"] == ["mine: load"]
    with pytest.raises(ValueError, match="no range"):
        profiler.mstx.range_end(number, domain="mine")


def test_a_file_asks_for_steps(tmp_path):
    model, data = _model()
    (tmp_path / "profiler_config.json").write_text('{"start_step": 2, "stop_step": 3}')
    monitor = profiler.DynamicProfilerMonitor(str(tmp_path), str(tmp_path / "out"))
    model.train(2, data, monitor)
    [folder] = os.listdir(tmp_path / "out")
    assert folder.startswith("step_3_")


# ---- NaN


def _nan_line(x):
    y = x * 2
    z = ops.log(y - 3)
    return z.sum()


@pytest.mark.parametrize("compiled", [True, False])
def test_the_first_line_with_nan(compiled):
    fn, x = ms.jit(_nan_line) if compiled else _nan_line, ops.ones((4, 4))
    with ms.find_nan(), pytest.raises(RuntimeError, match="no operand does") as e:
        fn(x)
    assert "z = ops.log(y - 3)" in str(e.value)
    assert np.isnan(fn(x).asnumpy())
    with ms.find_nan():
        assert np.isfinite(fn(x * 2).asnumpy())


@pytest.mark.parametrize("compiled", [True, False])
def test_nan_in_a_gradient(compiled):
    def fn(x):
        root = ops.sqrt(x)
        return (root * 0).sum()

    g = ms.grad(fn)
    g = ms.jit(g) if compiled else g
    with ms.find_nan(), pytest.raises(RuntimeError, match="NaN"):
        g(ops.zeros((3,)))
    with ms.find_nan():
        g(ops.ones((3,)))


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32, ms.float64, ms.complex64])
def test_nan_of_each_dtype(dtype, compiled):
    def fn(x, y):
        return ops.concat((x, y))

    fn = ms.jit(fn) if compiled else fn
    x = ms.Tensor([1.0, -float("inf")]).astype(dtype)
    y = ms.Tensor([0.0, float("nan")]).astype(dtype)
    with ms.find_nan():
        fn(x, x)
    with ms.find_nan(), pytest.raises(RuntimeError, match="operand 1 does already"):
        fn(x, y)

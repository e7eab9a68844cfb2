"""`Dataset.profile` names what limits a pipeline; autotune gives it threads, and changes no row."""

import json
import os
import time
from xml.etree import ElementTree

import numpy as np
import pytest

import minds.dataset as ds
from minds.dataset import metering, tuning


def slow(seconds):
    def wait(x):
        time.sleep(seconds)
        return x

    return wait


def rows(data):
    return [v.tolist() for (v,) in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def pipeline(**how):
    data = ds.NumpySlicesDataset(np.arange(30), "x", shuffle=False)
    return data.map(slow(0.02), "x", **how).map(slow(0.001), "x").batch(5)


@pytest.mark.parametrize("how", [{}, {"num_parallel_workers": 2, "python_multiprocessing": True}])
def test_figures_of_each_operation(how):
    profile = pipeline(**how).profile()
    last, light, heavy, source = profile.stages
    assert [s.rows for s in profile.stages] == [6, 30, 30, 30]
    assert heavy.each >= 0.02 and 0.001 <= light.each < heavy.each and last.each < 0.02
    assert profile.limit is heavy and heavy.workers == how.get("num_parallel_workers", 1)
    assert heavy.rate == pytest.approx(30 / profile.seconds)
    assert source.ready is None and light.ready is None  # no threads besides the reader's
    assert how == {} or 0 <= heavy.ready <= 1
    lines = str(profile).splitlines()
    assert lines[0].split() == "stage rows rows/s ms each workers ready share waits".split()
    assert len(lines) == 6 and lines[-1].endswith("limited by map: wait")
    bars = ElementTree.fromstring(profile.svg()).findall("{http://www.w3.org/2000/svg}rect")
    assert len(bars) == 8  # work and waiting
    assert last.waits > 0.5 and source.waits == 0  # the last one waits for what limits


def test_so_many_rows_only():
    assert pipeline().profile(2).stages[0].rows == 2
    with pytest.raises(ValueError, match="num_rows"):
        pipeline().profile(0)


def test_what_is_measured_has_the_same_rows():
    data = ds.NumpySlicesDataset(np.arange(50), "x").shuffle(20).map(lambda x: x + 1).batch(4)
    ds.config.set_seed(9)
    wanted = rows(data)
    node, run, _ = metering.metered(data._node, 9, True)
    assert [v.tolist() for (v,) in node.rows(run)] == wanted


@pytest.fixture
def autotune(tmp_path):
    prefix = str(tmp_path / "tuned")
    ds.config.set_enable_autotune(True, prefix)
    ds.config.set_autotune_interval(5)
    yield prefix
    ds.config.set_enable_autotune(False)
    ds.config.set_autotune_interval(0)


def test_autotune_gives_threads_to_what_limits(autotune, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    data = ds.NumpySlicesDataset(np.arange(120), "x", shuffle=False)
    data = data.map(slow(0.005), "x").map(lambda x: x * 2, "x")
    assert rows(data) == [2 * i for i in range(120)]
    with open(autotune + "_0.json", encoding="utf-8") as f:
        chosen = json.load(f)["summary"]
    light, heavy = chosen
    assert heavy.startswith("map: wait") and int(heavy.split(": ")[-1].rstrip(")")) > 1
    assert light == "map: <lambda> (num_parallel_workers: 1)"
    assert data._node.workers == 1  # the user's own is as it was


def test_autotune_leaves_alone_what_is_fast_enough(autotune):
    data = ds.NumpySlicesDataset(np.arange(25), "x", shuffle=False).map(lambda x: x, "x")
    for _ in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        time.sleep(0.02)
    with open(autotune + "_0.json", encoding="utf-8") as f:
        assert json.load(f)["summary"] == ["map: <lambda> (num_parallel_workers: 1)"]


class Queue:
    capacity = 2

    def __init__(self, levels):
        self.levels = iter(levels)

    def level(self):
        return next(self.levels)


@pytest.mark.parametrize(
    "nbytes, capacity", [(8, 4), (tuning.BUDGET // 3, 3), (2 * tuning.BUDGET, 2)]
)
def test_a_longer_queue_where_rows_come_in_bursts(nbytes, capacity):
    queue = Queue([0, 0, 2, 0] * tuning.INTERVAL)
    tuner = tuning.Tuner([], queue)
    row = (np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), (nbytes,), (0,)),)
    for _ in range(tuning.INTERVAL):
        tuner.after(row)
    assert queue.capacity == capacity


def test_what_is_no_setting():
    with pytest.raises(TypeError, match="enable must be of type bool"):
        ds.config.set_enable_autotune(1)
    with pytest.raises(TypeError, match="json_filepath must be a str"):
        ds.config.set_enable_autotune(True, 3)
    with pytest.raises(RuntimeError, match="cannot be the empty string"):
        ds.config.set_enable_autotune(True, "")

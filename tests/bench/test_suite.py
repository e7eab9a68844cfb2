"""The comparison with other frameworks runs, and its report says what was measured."""

import importlib.util
import pathlib
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

SUITE = pathlib.Path(__file__).parents[2] / "benchmarks" / "suite"


@pytest.fixture
def report(monkeypatch):
    monkeypatch.syspath_prepend(SUITE)
    spec = importlib.util.spec_from_file_location("report", SUITE / "report.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def result(ms, losses=()):
    return SimpleNamespace(ms=ms, first=0.5, peak_mb=20.0, losses=list(losses))


def test_a_run():
    done = subprocess.run(
        [sys.executable, str(SUITE / "run.py"), "--rounds", "2", "loop", "eager_mlp"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    rows = [line.split(" | ") for line in done.stdout.splitlines()[2:]]
    assert [row[0] for row in rows] == [
        "| gradient of a loop that data ends",
        "| eager MLP 64-64-10 step, batch 32",
    ]
    assert all(float(row[1]) > 0 for row in rows)
    first, last = map(float, re.findall(r"([\d.]+) → ([\d.]+)", rows[1][-1])[0])
    assert last < first


def test_the_report(report):
    found = {
        "mlp": {"minds": result(2.0, [2.3, 1.5]), "torch": result(3.0), "jax": result(1.0)},
        "lenet": {"minds": result(4.0), "mindspore": result(8.0)},
        "elementwise": {"minds": result(8.0)},
        "gemm": {"minds": result(200.0), "torch": result(100.0)},
        "copy": {"torch": result(10.0)},
    }
    assert report.ratios(found) == {"lenet": 2.0, "mlp": 0.5}
    best = report.limits(found)
    assert best["float32"] == pytest.approx(2 * 2048**3 / 0.1 / 1e9)
    assert best["bytes"] == pytest.approx(2 * 4 * 2**25 / 0.01 / 1e9)
    flop = 3 * 2 * 128 * (784 * 1024 + 1024 * 1024 + 1024 * 10)
    assert report.share("mlp", 2.0, best) == f"{flop / 2e-3 / 1e9 / best['float32']:.0%}"
    assert report.share("lenet", 2.0, best) == ""
    lines = report.table(found).splitlines()
    assert "| 2 | 3 | 1 | – | **0.50** |" in lines[2] and "2.3 → 1.5" in lines[2]
    assert report.picture(report.ratios(found)).count("<rect") == 3

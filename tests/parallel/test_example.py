"""The example that trains in every way learns what one process does."""

import os
import re
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def losses(network, way, count):
    path = os.path.join(ROOT, "examples", "parallel", "train.py")
    options = ["--network", network, "--way", way, "--processes", str(count), "--steps", "3"]
    done = subprocess.run(
        [sys.executable, path, *options],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    found = re.search(r"loss ([0-9.]+) to ([0-9.]+)", done.stdout)
    return [float(v) for v in found.groups()]


@pytest.mark.parametrize("network", ("gpt", "resnet"))
@pytest.mark.parametrize("way", ("tensor", "data", "pipeline", "optimizer", "auto"))
def test_learns_the_same(launch, whole, network, way):
    if not whole and (network, way) != ("gpt", "tensor"):
        pytest.skip("every way: with --whole")
    if way in ("data", "pipeline") and network == "resnet":
        assert losses(network, way, 2)[1] < 3  # with batch statistics of fewer rows
    else:
        assert losses(network, way, 2) == pytest.approx(losses(network, "one", 1), rel=1e-4)

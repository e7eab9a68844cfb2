"""Programs of several processes, each with a simulated GPU, whose collectives are NCCL's: what they compute,
and that none hangs when another fails.
"""

import importlib.metadata
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import texts

PROGRAMS = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "parallel", "programs"
)


@pytest.fixture
def launch(tmp_path):
    """``launch(n, program, *arguments, **environment)``: its exit code, output and errors; no rule of the
    libraries' is broken.
    """
    try:
        importlib.metadata.version("mpich")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the wheel mpich is not installed: pip install minds[mpi]")
    report = tmp_path / "report"

    def run(n, program, *arguments, seconds=300, **environment):
        command = [sys.executable, "-m", "minds.launch", "-n", str(n)]
        done = subprocess.run(
            [*command, os.path.join(PROGRAMS, program), *arguments],
            capture_output=True,
            text=True,
            timeout=seconds,
            env={
                **os.environ,
                "OMP_NUM_THREADS": "1",
                "DEVICE": "GPU",
                "TMPDIR": str(tmp_path),
                "MINDS_CUDA_LIBRARIES": texts.BUILT,
                "MINDS_CUDA_REPORT": str(report),
                **environment,
            },
        )
        assert not report.exists(), report.read_text()
        return done.returncode, done.stdout, done.stderr

    return run


def trained(folder):
    return {f.name: dict(np.load(f)) for f in sorted(folder.iterdir())}


def test_lenet_of_two_equals_one(launch, tmp_path):
    results = []
    for n in (1, 2):
        folder = tmp_path / str(n)
        folder.mkdir()
        code, _, err = launch(n, "data_parallel.py", str(folder), STEPS="3", WAYS="by_cell")
        assert code == 0, err
        results.append(trained(folder))
    one, two = results
    assert len(one) == 2 and one.keys() == two.keys()
    for name in one:
        assert len(one[name]) == 12 and one[name].keys() == two[name].keys()
        for key, v in one[name].items():
            # Sums of the same terms in another order.
            assert np.abs(v - two[name][key]).max() <= 1e-5 * np.abs(v).max() + 1e-7, (name, key)


def test_collectives(launch):
    code, out, err = launch(2, "collectives.py")
    assert code == 0 and out.count("all is well") == 2, err


@pytest.mark.parametrize("how", ("kill", "differ"))
def test_a_rank_fails(launch, how):
    """While others wait for it on the device: they notice, and end."""
    began = time.monotonic()
    code, _, err = launch(2, "faults.py", "data", how, "1", MINDS_COMM_TIMEOUT="20")
    assert code == (128 + signal.SIGKILL if how == "kill" else 1) and "rank 1" in err, err
    assert time.monotonic() - began < 60

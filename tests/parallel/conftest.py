"""Programs of several processes."""

import importlib.metadata
import os
import subprocess
import sys

import pytest

HOME = os.path.dirname(os.path.abspath(__file__))


def _has_mpi() -> bool:
    try:
        importlib.metadata.version("mpich")
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


@pytest.fixture
def launch():
    """``launch(n, program, *arguments, **environment)``: its exit code, output and errors."""
    if not _has_mpi():
        pytest.skip("the wheel mpich is not installed: pip install minds[mpi]")

    def run(n, program, *arguments, seconds=120, options=(), **environment):
        path = os.path.join(HOME, "programs", program)
        done = subprocess.run(
            [sys.executable, "-m", "minds.launch", "-n", str(n), *options, path, *arguments],
            capture_output=True,
            text=True,
            timeout=seconds,
            env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        )
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def whole(request):
    """Whether all cases are wanted."""
    return request.config.getoption("whole")

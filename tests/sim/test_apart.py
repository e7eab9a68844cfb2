"""Tests that load what stands in for vendors' libraries into their own process."""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent


@pytest.mark.parametrize("place", ["ascend", "cuda/test_driver.py"])
def test_in_a_process_of_its_own(place):
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE / place)],
        env={**os.environ, "MINDS_APART": "1"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-4000:]
    assert " passed" in ran.stdout

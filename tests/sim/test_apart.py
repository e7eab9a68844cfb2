"""Tests that load what stands in for vendors' libraries into their own process."""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
WORDS = {
    "ascend": ["ascend"],
    "seam_on_ascend": [
        "test_device.py",
        "--device=ascend",
        "-k",
        "memory or forked or closure or numbers",
    ],
    "cuda_driver": ["cuda/test_driver.py"],
}


@pytest.mark.parametrize("name", WORDS)
def test_in_a_process_of_its_own(name):
    place, *options = WORDS[name]
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE / place), *options]
    ran = subprocess.run(
        [sys.executable, *words],
        env={**os.environ, "MINDS_APART": "1"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-4000:]
    assert " passed" in ran.stdout

"""The README's Python blocks run, each in a process of its own and in an empty folder."""

import pathlib
import re
import subprocess
import sys

import pytest

README = pathlib.Path(__file__).parents[2] / "README.md"
BLOCKS = re.findall(
    r"^```python\n(.*?)^```", README.read_text() if README.exists() else "", re.M | re.S
)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda b: b.split("\n")[0][:40])
def test_block_runs(block, tmp_path):
    (tmp_path / "example.py").write_text(block)  # the compiler reads the source from its file
    done = subprocess.run(
        [sys.executable, "example.py"], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr

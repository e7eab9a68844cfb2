"""The Python blocks of the guides run, each in a process of its own and in an empty folder."""
import pathlib
import re
import subprocess
import sys

import pytest

DOCS = pathlib.Path(__file__).parents[2] / "docs"
GUIDES = ["data.md", "training.md"]
BLOCKS = [(guide, block) for guide in GUIDES
          for block in re.findall(r"^```python\n(.*?)^```", (DOCS / guide).read_text(), re.M | re.S)]


@pytest.mark.parametrize("guide, block", BLOCKS, ids=[f"{guide}-{i}" for i, (guide, _) in enumerate(BLOCKS)])
def test_block_runs(guide, block, tmp_path):
    (tmp_path / "example.py").write_text(block)  # the compiler reads the source from its file
    done = subprocess.run([sys.executable, "example.py"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr

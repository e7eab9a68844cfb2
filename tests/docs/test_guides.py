"""The Python blocks of the guides run, each in a process of its own and in an empty folder, and
print what is shown.
"""

import pathlib
import re
import subprocess
import sys

import pytest

DOCS = pathlib.Path(__file__).parents[2] / "docs"
GUIDES = [str(p.relative_to(DOCS)) for p in sorted(DOCS.rglob("*.md")) if p.name != "walk.md"]
BLOCKS = [
    (guide, block, shown)
    for guide in GUIDES
    for block, shown in re.findall(
        r"^```python\n(.*?)^```\n(?:```\n(.*?)^```\n)?", (DOCS / guide).read_text(), re.M | re.S
    )
]


@pytest.mark.parametrize(
    "guide, block, shown", BLOCKS, ids=[f"{b[0]}-{i}" for i, b in enumerate(BLOCKS)]
)
def test_block_runs(guide, block, shown, tmp_path):
    (tmp_path / "example.py").write_text(block)  # the compiler reads the source from its file
    done = subprocess.run(
        [sys.executable, "example.py"], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert not shown or done.stdout == shown

"""Random calls of all public names end in a result or in an error about their arguments.

Each case calls a part of the names in a process of its own: `random_calls.py` says what counts as a
fault. With ``--whole`` each name is called 20 times in each mode. By hand: ``python
tests/errors/random_calls.py eager 20 0 /tmp/journal 'minds.ops.kron'``.
"""

import json
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
PARTS = 4
SAMPLED = 16
"""Without ``--whole``, one in so many names is called."""
CALLS = {"eager": 3, "graph": 1}


@pytest.mark.parametrize("mode", CALLS)
@pytest.mark.parametrize("part", range(PARTS))
def test_random_calls(part, mode, tmp_path, request):
    whole = request.config.getoption("whole")
    count, parts = (20, PARTS) if whole else (CALLS[mode], SAMPLED * PARTS)
    script, journal = os.path.join(HERE, "random_calls.py"), tmp_path / "call"
    run = subprocess.run(
        [sys.executable, "-X", "faulthandler", script, mode, str(count), "0"]
        + [str(journal), f"{part}/{parts}"],
        capture_output=True,
        text=True,
        timeout=3600,
    )
    under_way = journal.read_text().strip() if journal.exists() else "the import"
    assert run.returncode == 0, f"died in {under_way}\n{run.stderr[-2000:]}"
    assert json.loads(run.stdout.splitlines()[-1]) == []


CONSTRUCTIONS = "model checkpoint transform dataset optimizer".split()


@pytest.mark.parametrize("kinds", [CONSTRUCTIONS[:2], CONSTRUCTIONS[2:]], ids=",".join)
def test_random_constructions(kinds, tmp_path, request):
    count = 4000 if request.config.getoption("whole") else 60
    script, journal = os.path.join(HERE, "random_constructions.py"), tmp_path / "program"
    run = subprocess.run(
        [
            sys.executable,
            "-X",
            "faulthandler",
            script,
            ",".join(kinds),
            str(count),
            "0",
            str(journal),
        ],
        capture_output=True,
        text=True,
        timeout=3600,
    )
    under_way = journal.read_text().strip() if journal.exists() else "the import"
    assert run.returncode == 0, f"died in {under_way}\n{run.stderr[-2000:]}"
    assert json.loads(run.stdout.splitlines()[-1]) == []

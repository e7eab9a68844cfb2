"""The examples of the zoo as a user runs them: a few steps by default, to their final figure with
``--whole``.
"""

import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
# By name: arguments of a short run, what the last figure is called, its bound, and the pictures.
RUNS = {
    "bert_docstrings": (["--steps", "3", "--tuning", "3"], "accuracy", 0.68, ["loss.png"]),
    "char_gpt": (["--steps", "3", "--letters", "5"], "", 2.8, ["loss.png", "written.txt"]),
    "ddpm_digits": (
        ["--steps", "3", "--made", "4"], "distance to real digits", 6.0, ["loss.png", "made.png"],
    ),
    "detection_shapes": (
        ["--steps", "3", "--pictures", "8"], "mAP", 0.4, ["loss.png", "found.png"],
    ),
    "dqn_catch": (["--steps", "60"], "caught", 0.95, ["loss.png", "games.png"]),
    "gan_digits": (["--steps", "3"], "distance to real digits", 8.0, ["loss.png", "made.png"]),
    "gcn_digits": (["--steps", "3"], "accuracy", 0.95, ["graph.png"]),
    "unet_blobs": (["--steps", "3"], "intersection over union", 0.8, ["loss.png", "found.png"]),
}  # fmt: skip
SAMPLE = ("char_gpt", "detection_shapes", "dqn_catch", "gan_digits")
BETTER_BELOW = ("char_gpt", "ddpm_digits", "gan_digits")


def run(name: str, folder: pathlib.Path, *args: str) -> float:
    """The last figure of a run, whose pictures are there."""
    _, figure, _, files = RUNS[name]
    script = [sys.executable, str(EXAMPLES / name / "train.py"), "--out", str(folder)]
    done = subprocess.run([*script, *args], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-3000:]
    assert "100%" in done.stderr and "steps in" in done.stdout
    for file in files:
        assert (folder / file).stat().st_size > 0
    last = done.stdout.strip().splitlines()[-1]
    pattern = rf"^{figure} ([\d.]+)" if figure else r"^([\d.]+) bits"
    return float(re.search(pattern, last).group(1))


@pytest.mark.parametrize("name", RUNS)
def test_short(name, tmp_path, request):
    if name not in SAMPLE and not request.config.getoption("whole"):
        pytest.skip("half of the examples run by default, all of them: --whole")
    assert run(name, tmp_path, *RUNS[name][0]) >= 0


def test_modes_agree(tmp_path):
    steps = RUNS["gcn_digits"][0]
    graph = run("gcn_digits", tmp_path / "graph", *steps)
    eager = run("gcn_digits", tmp_path / "eager", *steps, "--mode", "pynative")
    assert abs(graph - eager) <= 1e-2 * abs(graph)


@pytest.mark.parametrize("name", RUNS)
def test_whole(name, tmp_path, request):
    if not request.config.getoption("whole"):
        pytest.skip("minutes of training: --whole")
    found, bound = run(name, tmp_path), RUNS[name][2]
    assert found <= bound if name in BETTER_BELOW else found >= bound

"""The ResNet example as a user runs it, small: both modes, bfloat16, going on after a stop."""

import pathlib
import re
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).parents[2] / "examples" / "resnet_cifar" / "train.py"


def run(folder, *args):
    """What a run prints, and the mean loss of each epoch."""
    small = ["--images", "128", "--width", "8", "--out", str(folder)]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *small, *args], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    bars = re.findall(r"epoch (\d+)/\d+: 100%.*?loss ([\d.]+)", done.stderr)
    return done.stdout, {int(epoch): float(loss) for epoch, loss in bars}


def test_modes_agree_and_training_goes_on(tmp_path):
    out, losses = run(tmp_path / "graph", "--epochs", "2")
    assert "128 images to train on, 512 to test, graph mode" in out
    assert list(losses) == [1, 2]
    assert (tmp_path / "graph" / "mistakes.png").read_bytes()[:4] == b"\x89PNG"
    _, eager = run(tmp_path / "eager", "--epochs", "1", "--mode", "pynative")
    assert abs(eager[1] - losses[1]) < 2e-3 * losses[1]
    _, rest = run(tmp_path / "graph", "--epochs", "3", "--resume")
    assert list(rest) == [3]


def test_bfloat16_follows_float32(tmp_path):
    _, wanted = run(tmp_path, "--epochs", "2")
    _, found = run(tmp_path, "--epochs", "2", "--bf16")
    assert found != wanted and all(abs(found[k] - v) < 0.02 * v for k, v in wanted.items())

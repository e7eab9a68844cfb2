"""The LeNet example as a user runs it: both modes, MNIST files, the picture, the checkpoint."""

import pathlib
import struct
import subprocess
import sys

import numpy as np
import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "examples" / "lenet_digits" / "train.py"


def run(*args):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *map(str, args)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def table(out):
    """The epochs' losses and accuracies, as printed."""
    lines = out.split("epoch      loss  accuracy  seconds\n")[1].split("\n\n")[0].splitlines()
    return [line.split()[:3] for line in lines]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    folders = {mode: tmp_path_factory.mktemp(mode) for mode in ("graph", "pynative")}
    return {
        mode: (run("--mode", mode, "--epochs", 3, "--out", folder), folder)
        for mode, folder in folders.items()
    }


def test_both_modes_give_the_same_losses(outputs):
    graph, pynative = (table(out) for out, _ in outputs.values())
    assert graph == pynative and [row[0] for row in graph] == ["1", "2", "3"]
    assert float(graph[2][1]) < float(graph[0][1]) / 3 and float(graph[2][2].rstrip("%")) > 90


def test_results_are_written(outputs):
    out, folder = outputs["graph"]
    assert "1437 images to train on, 360 to test, graph mode" in out
    assert "a new process loaded it and found the same accuracy" in out
    assert (
        folder / "lenet.ckpt"
    ).stat().st_size > 61_706 * 4  # the parameters of LeNet-5 in float32
    assert (folder / "mistakes.png").read_bytes()[:4] == b"\x89PNG"


def test_mnist_files(tmp_path):
    rng = np.random.default_rng(0)
    for part, n in (("train", 96), ("t10k", 40)):
        images, labels = (
            rng.integers(0, 256, (n, 28, 28), np.uint8),
            rng.integers(0, 10, n, np.uint8),
        )
        for kind, a in (("images-idx3", images), ("labels-idx1", labels)):
            head = struct.pack(f">BBBB{a.ndim}I", 0, 0, 8, a.ndim, *a.shape)
            (tmp_path / f"{part}-{kind}-ubyte").write_bytes(head + a.tobytes())
    out = run("--data", tmp_path, "--epochs", 1, "--out", tmp_path / "out")
    assert "96 images to train on, 40 to test" in out and "found the same accuracy" in out

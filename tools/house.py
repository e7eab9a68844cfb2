"""The figures that say how plain the house is: sizes, counts and compile times.

    python tools/house.py            the figures of the source
    python tools/house.py --times    also: cold compile of two training steps, warm compiled call

Times are CPU times of one process on this machine: compare them with another checkout's in the same hour, by
``PYTHONPATH=OTHER python OTHER/tools/house.py --times``, in turn and several times.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ELEMENTWISE = "erfc"
"""An elementwise op that no other op is made of: the files that name it are those that adding it
touches.
"""


def files(*patterns: str) -> list[str]:
    """The files git tracks that match, relative to the root."""
    found = subprocess.run(
        ["git", "ls-files", *patterns], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return [f for f in found.stdout.split() if os.path.exists(os.path.join(ROOT, f))]


def text(path: str) -> str:
    """What a file holds."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def lines(paths: list[str]) -> int:
    """How many lines the files have together."""
    return sum(text(p).count("\n") for p in paths)


def files_of_elementwise_op() -> tuple[list[str], list[str]]:
    """The hand-written source files that name an elementwise op that has all faces, comments and calls
    of it aside: those of all devices, and those of the devices beside the CPU.
    """
    word = re.compile(rf"(?<![A-Za-z0-9])(?<!ops\.){ELEMENTWISE}(?![A-Za-z0-9])", re.IGNORECASE)
    found = files("minds/*.py", "csrc/*.cc", "csrc/*.h", "csrc/*.cu", "csrc/*.cuh")
    named = [f for f in found if word.search(re.sub(r"(?m)(//|#).*$", "", text(f)))]
    devices = [f for f in named if f.startswith(("csrc/cuda/", "csrc/ascend/"))]
    return [f for f in named if f not in devices], devices


def interpreter() -> tuple[int, list[str]]:
    """The number of fields of the frontend's ``Interp``, and those written outside its module."""
    tree = ast.parse(text("minds/frontend/interp.py"))
    cls = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Interp")
    own = {
        n.attr
        for n in ast.walk(cls)
        if isinstance(n, ast.Attribute)
        and isinstance(n.ctx, ast.Store)
        and isinstance(n.value, ast.Name)
        and n.value.id == "self"
    }
    written = set()
    for path in files("minds/*.py"):
        if path == "minds/frontend/interp.py":
            continue
        for n in ast.walk(ast.parse(text(path))):
            if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and n.attr in own:
                owner = n.value
                name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
                if name in ("ip", "interp"):
                    written.add(f"{path}:{n.lineno} {n.attr}")
    return len(own), sorted(written)


def long_functions(folder: str, most: int) -> list[str]:
    """The functions below a folder with more than so many lines."""
    return [
        f"{path}:{n.lineno} {n.name} {n.end_lineno - n.lineno + 1}"
        for path in files(f"{folder}/*.py")
        for n in ast.walk(ast.parse(text(path)))
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))
        and n.end_lineno - n.lineno >= most
    ]


def documented() -> str:
    """The share of public names with complete docstrings."""
    counter = os.path.join(ROOT, "tools", "docstrings.py")
    table = subprocess.run([sys.executable, counter], check=True, capture_output=True, text=True)
    return " ".join(table.stdout.strip().splitlines()[-1].split()[1:])


def figures() -> None:
    """Print what the source alone tells."""
    frontend = files("minds/frontend/*.py")
    ad = [f for f in files("minds/ad/*.py") if f != "minds/ad/tape.py"]
    top = [f for f in files("minds/*.py") if f.count("/") == 1]
    named, devices = files_of_elementwise_op()
    fields, written = interpreter()
    marks = sum(len(re.findall(r"# (?:ruff: )?noqa", text(f))) for f in files("*.py"))
    rows = [
        (f"files that name an elementwise op ({ELEMENTWISE})", len(named)),
        ("further files that name it, of other devices", len(devices)),
        ("frontend, lines", lines(frontend)),
        ("frontend, files", len(frontend)),
        ("frontend, functions above 60 lines", len(long_functions("minds/frontend", 60))),
        ("Interp, fields", fields),
        ("Interp, writes of them from other modules", len(written)),
        ("ad/ without the tape, lines", lines(ad)),
        ("modules at the top level", len(top)),
        ("files above 600 lines", len([f for f in files("*.py") if lines([f]) > 600])),
        ("noqa", marks),
        ("minds/, lines of Python", lines(files("minds/*.py"))),
        ("csrc/, lines of C++", lines(files("csrc/*.cc", "csrc/*.h"))),
        ("public names with complete docstrings", documented()),
    ]
    for name, value in rows:
        print(f"{name:<50} {value}")


def timed(name: str, build, step, *args) -> None:
    """Print the median CPU time of cold compilations of ``step``."""
    spent = []
    for _ in range(7):
        start = time.process_time()
        build(step, args, {})
        spent.append(time.process_time() - start)
    print(f"{name:<50} {statistics.median(spent):.3f} s")


def times() -> None:
    """Print compile times of training steps, and what a warm call of a compiled cell costs."""
    sys.path.insert(0, os.path.join(ROOT, "tests", "nets"))
    import numpy as np
    from resnet import resnet50, training_step

    import minds as ms
    from minds import nn
    from minds.jit.pipeline import build

    ms.set_context(mode=ms.GRAPH_MODE)
    image = ms.Tensor(np.zeros((2, 3, 32, 32), np.float32))
    label = ms.Tensor(np.zeros(2, np.int32))

    words = ms.Tensor(np.zeros((2, 16), np.int32))
    step = training_step(resnet50())
    timed("cold compile, ResNet-50 training step", build, step, image, label)
    step = encoder_step(nn, ms.ops)
    timed("cold compile, BERT-base training step", build, step, words)
    net = nn.Dense(2, 2)
    x = ms.Tensor(np.zeros((1, 2), np.float32))
    net(x)
    print(f"{'warm compiled call, Python calls':<50} {python_calls(lambda: net(x))}")


def encoder_step(nn, ops):
    """The gradient of a Transformer encoder with the layers of BERT-base (12, 768, 12 heads)."""
    import minds as ms

    class Layer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.qkv, self.out = nn.Dense(768, 3 * 768), nn.Dense(768, 768)
            self.up, self.down = nn.Dense(768, 3072), nn.Dense(3072, 768)
            self.norm1, self.norm2 = nn.LayerNorm((768,)), nn.LayerNorm((768,))

        def heads(self, x):
            return ops.transpose(ops.reshape(x, (x.shape[0], x.shape[1], 12, 64)), (0, 2, 1, 3))

        def construct(self, x):
            q, k, v = ops.split(self.qkv(x), 768, -1)
            score = ops.matmul(self.heads(q), ops.swapaxes(self.heads(k), -1, -2)) / 8.0
            mixed = ops.matmul(ops.softmax(score), self.heads(v))
            mixed = ops.reshape(ops.transpose(mixed, (0, 2, 1, 3)), x.shape)
            x = self.norm1(x + self.out(mixed))
            return self.norm2(x + self.down(ops.gelu(self.up(x))))

    class Encoder(nn.Cell):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(1000, 768)
            self.layers = nn.CellList([Layer() for _ in range(12)])

        def construct(self, ids):
            x = self.words(ids)
            for layer in self.layers:
                x = layer(x)
            return x.mean()

    net = Encoder()
    gradient = ms.value_and_grad(net, None, net.trainable_params())

    def step(ids):
        return gradient(ids)

    return step


def python_calls(run) -> int:
    """How many Python functions one call enters."""
    count = 0

    def profile(frame, event, arg):
        nonlocal count
        count += event == "call"

    run()
    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count - 1


if __name__ == "__main__":
    sys.path.insert(0, os.path.join(ROOT, "tools"))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--times", action="store_true")
    asked = parser.parse_args()
    figures()
    if asked.times:
        times()

"""Altered files of programs: run as ``python altered_programs.py FOLDER KIND FIRST LAST``, in a process of
its own, since nothing that a file says may crash it.

Each alteration is loaded, and run if it loads. Loading ends well or in `ProgramFileError`, takes
no memory beyond ten times the file, and no time; a run may end in any exception.
"""

import io
import json
import os
import random
import re
import resource
import signal
import sys
import time
import zipfile

import numpy as np

import minds as ms
from minds import Parameter, Tensor, nn, ops, train

SLACK = 48 << 20  # of the process itself: caches, pages of the allocator
SECONDS = 5  # of the processor; 20 times as long on a clock is a hang


class Net(nn.Cell):
    """Something of everything: parameters, constants, a loop, a branch, texts, effects."""

    def __init__(self):
        super().__init__()
        self.layer = nn.SequentialCell(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.MaxPool2d(2, 2))
        self.table = Tensor(np.linspace(-1.0, 1.0, 36).reshape(12, 3).astype(np.float32))
        self.half = Parameter(Tensor([1.5, -2.0], ms.bfloat16), name="half", requires_grad=False)

    def construct(self, x, i, n):
        y = self.layer(x).reshape(x.shape[0], -1)[:, :12] @ self.table
        while n > 0:
            y = ops.tanh(y) + ops.gather(self.table, i, 0).sum()
            n = n - 1
        if y.sum() > 1e6:
            raise ValueError(f"{y.sum():>9} is too large")
        kept = y[y > 0]
        return ops.softmax(y), {"count": [n, None, "text", 7.5], "half": self.half}, kept.sum()


def step(x):
    return ops.sort(ops.pad(x, (1, 1)).reshape(-1, 2).astype(ms.int32), 0), x.std()


def inputs(which: int) -> tuple:
    if which == 0:
        x = np.random.default_rng(0).standard_normal((2, 2, 6, 6)).astype(np.float32)
        return Tensor(x), Tensor([0, 3], ms.int32), 2
    return (Tensor(np.arange(8, dtype=np.float32)),)


def make(folder: str) -> list:
    """The files that are altered."""
    paths = [os.path.join(folder, f"{i}.mindir") for i in range(3)]
    declared = (Tensor(shape=[None, 2, 6, 6], dtype=ms.float32), *inputs(0)[1:])
    for path, fn, args in zip(paths, (Net(), step, Net()), (inputs(0), inputs(1), declared)):
        ms.export(fn, *args, file_name=path, file_format="MINDIR")
    return paths


# ---- alterations

_VALUES = """0 1 -1 2 7 64 65536 2147483647 4294967296 9223372036854775807 99999999999999999999999 1e308
nan -inf None True '' 'x' () (0,) (-1,2) (1000000,1000000) {n0} {n0*n0*n0} dtype.float64 dtype.int8 dtype.bool
#000000000000 %0 %x0 @f""".split()
_NAMES = """add mul reshape broadcast_to host raise print tile gather slice pad concat matmul conv2d sort
exec open eval __class__ __import__ getattr make_tuple tuple_getitem switch partial J vmap load
assign return_ transpose cast view sum range zeros tensor""".split()
_JSON = [
    0, -1, 2**40, 2**70, 1e300, None, True, "", "exec", "x" * 1000, [], [[]], {}, "leaf",
    {"is": 5}, {"error": ["exec", [{"is": "open('/tmp/minds_was_here', 'w')"}], None]},
    {"error": ["ValueError", [], ["a", "b"]]}, {"error": ["open", [{"is": "/tmp/x"}], None]},
    {"text": [[["{}", [-1, ">9999999999"]]], [{"is": 1}]]},
    {"text": [[["format", "{0.__class__}"]], [{"is": 1}]]},
    {"text": [[["%", "%999999999d"]], [{"is": 1}]]},
    {"template": ["leaf", [True, True]]}, {"raised": [["exec", [], None], "leaf"]},
    {"tuple": [{"tuple": []}] * 3}, ["float64", [3]], ["float32", [-1]], ["float32", [2**40]],
]  # fmt: skip


def random_bytes(data: bytes, rng: random.Random) -> bytes:
    """A few bytes changed, removed or repeated; in the archive, or in one of its parts."""
    if rng.random() < 0.5:
        return _spoiled(data, rng)
    return _with_parts(data, lambda name, part: _spoiled(part, rng), rng)


def _spoiled(data: bytes, rng: random.Random) -> bytes:
    b = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at, how = rng.randrange(len(b) + 1), rng.random()
        if how < 0.6 and at < len(b):
            b[at] = rng.randrange(256) if rng.random() < 0.5 else b[at] ^ 1 << rng.randrange(8)
        elif how < 0.75:
            del b[at : at + rng.choice((1, 2, 8, 64, 10**6))]
        elif how < 0.9:
            b[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice((1, 4, 32))))
        else:
            b[at:at] = b[at : at + 100] * rng.choice((1, 3))
    return bytes(b)


def _with_parts(
    data: bytes, change, rng: random.Random, compress: int = zipfile.ZIP_STORED
) -> bytes:
    """The archive with one part changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", compress) as new:
        names = old.namelist()
        chosen = rng.choice(["program.txt", "program.json", *names])
        for name in names:
            part = old.read(name)
            new.writestr(name, change(name, part) if name == chosen else part)
    return out.getvalue()


def structured(data: bytes, rng: random.Random) -> bytes:
    """Something else that parses: other words in the program, other values in what belongs to it."""
    how = rng.random()
    if how < 0.03:  # small in the file, large in memory
        return _with_parts(data, lambda n, p: p + b" " * 50_000_000, rng, zipfile.ZIP_DEFLATED)

    def change(name: str, part: bytes) -> bytes:
        if name == "program.txt":
            return _other_program(part.decode(), rng).encode()
        if name == "program.json":
            return json.dumps(_other_json(json.loads(part), rng)).encode()
        return part[: rng.randrange(len(part) + 1)] if rng.random() < 0.5 else part * 2

    return _with_parts(data, change, rng)


def _other_program(text: str, rng: random.Random) -> str:
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        how, lines = rng.random(), text.split("\n")
        words = list(re.finditer(r"[%@][\w.]+|[\w.]+|\([^()]*\)", text))
        word = rng.choice(words)
        if how < 0.3:
            text = text[: word.start()] + rng.choice(_VALUES) + text[word.end() :]
        elif how < 0.5:
            text = text[: word.start()] + rng.choice(words).group() + text[word.end() :]
        elif how < 0.65:
            text = re.sub(
                r"= [\w.]+\(", f"= {rng.choice(_NAMES)}(", text, count=rng.randrange(1, 9)
            )
        elif how < 0.75:
            at = rng.randrange(len(lines))
            lines[at:at] = lines[at : at + 1] * rng.choice((1, 2))
            text = "\n".join(lines)
        elif how < 0.85:
            i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
            text = "\n".join(lines)
        elif how < 0.93:
            del lines[rng.randrange(len(lines))]
            text = "\n".join(lines)
        else:
            text += rng.choice(
                ("(" * 100_000, "[" * 9, "'", "@f() {\n  return 1\n}\n", "{" * 50_000)
            )
    return text


def _other_json(v, rng: random.Random):
    """``v`` with another value at one place."""
    if isinstance(v, (dict, list)) and v and rng.random() < 0.85:
        keys = list(v) if isinstance(v, dict) else range(len(v))
        key, v = rng.choice(list(keys)), v.copy()
        if rng.random() < 0.1:
            del v[key]
        else:
            v[key] = _other_json(v[key], rng)
        return v
    return rng.choice(_JSON)


# ---- the child


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def resident() -> int:
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize()


class Late(BaseException):
    pass


def late(*_):
    raise Late


def attempt(path: str, size: int, args: tuple) -> str:
    """Load a file, and run the program if it is one."""
    before, start = resident(), time.process_time()
    high = peak()
    signal.alarm(20 * SECONDS)
    try:
        program = ms.load(path)
    except train.ProgramFileError:
        program = None
    finally:
        signal.alarm(0)
    grown = max(peak() - max(high, before), 0)
    assert grown < 10 * size + SLACK, f"{grown} bytes for a file of {size}"
    assert time.process_time() - start < SECONDS
    if program is None:
        return "refused"
    signal.setitimer(signal.ITIMER_REAL, 2)
    try:
        program(*args)
    except (Exception, Late) as e:
        return type(e).__name__
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return "ran"


def main(folder: str, kind: str, first: int, last: int) -> None:
    paths = make(folder)
    ends: dict[str, int] = {}
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, late)
    for path, which in zip(paths, (0, 1, 0)):
        assert attempt(path, os.path.getsize(path), inputs(which)) == "ran"
    for seed in range(first, last):
        rng = random.Random(f"{kind} {seed}")
        which = rng.randrange(3)
        with open(paths[which], "rb") as f:
            data = {"random": random_bytes, "structured": structured}[kind](f.read(), rng)
        path = os.path.join(folder, "altered.mindir")
        with open(path, "wb") as f:
            f.write(data)
        print(f"seed {seed}", flush=True)
        end = attempt(path, len(data), inputs(which % 2))
        ends[end] = ends.get(end, 0) + 1
    print("ends", json.dumps(ends))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))

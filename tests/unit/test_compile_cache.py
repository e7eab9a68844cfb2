"""Programs on disk: what one process compiled, another finds, and never a stale one.

A new process is a module that is imported anew, from files that may have changed: its functions have no
programs in memory. Some tests start processes.
"""

import hashlib
import importlib
import json
import os
import random
import struct
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from cached_programs import modules, places, text

import minds as ms
from minds import Tensor, nn

compile_cache = importlib.import_module("minds.jit.compile_cache")
X = Tensor(np.array([0.5, -1.25, 2.0], np.float32))


def value(module):
    """What the program of a module gives compiled, and its gradient."""
    f = module.f
    g = ms.jit(ms.grad(lambda x: f(x).sum()))
    return np.concatenate([np.ravel(ms.jit(f)(X).asnumpy()), np.ravel(g(X).asnumpy())])


def expected(module):
    """The same, eagerly."""
    f = module.f
    return np.concatenate(
        [np.ravel(f(X).asnumpy()), np.ravel(ms.grad(lambda x: f(x).sum())(X).asnumpy())]
    )


HELPER = "import helper\n\ndef f(x):\n    return helper.g(x) + helper.K\n"
CHANGES = {
    "helper function": (
        {"program": HELPER, "helper": "K = 1.0\ndef g(x):\n    return x * 2.0\n"},
        {"helper": "K = 1.0\ndef g(x):\n    return x * 3.0\n"},
    ),
    "number of a module": (
        {"program": HELPER, "helper": "K = 1.0\ndef g(x):\n    return x * 2.0\n"},
        {"helper": "K = 2.0\ndef g(x):\n    return x * 2.0\n"},
    ),
    "helper of a helper": (
        {
            "program": "from helper import g\n\ndef f(x):\n    return g(x)\n",
            "helper": "import inner\n\ndef g(x):\n    return x * inner.h(x)\n",
            "inner": "def h(x):\n    return x + 1.0\n",
        },
        {"inner": "def h(x):\n    return x + 1.5\n"},
    ),
    "global": ("K = 2.0\ndef f(x):\n    return x * K\n", "K = 3.0\ndef f(x):\n    return x * K\n"),
    "type of a global": (
        "K = 2\ndef f(x):\n    return x * K if isinstance(K, int) else x\n",
        "K = 2.0\ndef f(x):\n    return x * K if isinstance(K, int) else x\n",
    ),
    "list": (
        "K = [1.0, 2.0]\ndef f(x):\n    for k in K:\n        x = x * k\n    return x\n",
        "K = [1.0, 2.0, 3.0]\ndef f(x):\n    for k in K:\n        x = x * k\n    return x\n",
    ),
    "nested dict": (
        "K = {'a': {'b': 2.0}}\ndef f(x):\n    return x * K['a']['b']\n",
        "K = {'a': {'b': 4.0}}\ndef f(x):\n    return x * K['a']['b']\n",
    ),
    "closure": (
        "def make(k):\n    def f(x):\n        return x * k\n    return f\nf = make(2.0)\n",
        "def make(k):\n    def f(x):\n        return x * k\n    return f\nf = make(2.5)\n",
    ),
    "function of a closure": (
        "def make(k):\n    return lambda x: k(x)\nf = make(lambda x: x * x)\n",
        "def make(k):\n    return lambda x: k(x)\nf = make(lambda x: x + x)\n",
    ),
    "default": (
        "def g(x, k=2.0):\n    return x * k\ndef f(x):\n    return g(x)\n",
        "def g(x, k=3.0):\n    return x * k\ndef f(x):\n    return g(x)\n",
    ),
    "default made elsewhere": (
        "K = 2.0\ndef g(x, *, k=K):\n    return x * k\ndef f(x):\n    return g(x)\n",
        "K = 3.0\ndef g(x, *, k=K):\n    return x * k\ndef f(x):\n    return g(x)\n",
    ),
    "class attribute": (
        "class C:\n    k = 2.0\nc = C()\ndef f(x):\n    return x * c.k\n",
        "class C:\n    k = 3.0\nc = C()\ndef f(x):\n    return x * c.k\n",
    ),
    "attribute of a base": (
        "class B:\n    k = 2.0\nclass C(B):\n    pass\nc = C()\ndef f(x):\n    return x * c.k\n",
        "class B:\n    k = 3.0\nclass C(B):\n    pass\nc = C()\ndef f(x):\n    return x * c.k\n",
    ),
    "method": (
        "class C:\n    def g(self, x):\n        return x * 2\nc = C()\ndef f(x):\n    return c.g(x)\n",
        "class C:\n    def g(self, x):\n        return x * 5\nc = C()\ndef f(x):\n    return c.g(x)\n",
    ),
    "property": (
        "class C:\n    @property\n    def k(self):\n        return 2.0\n"
        "c = C()\ndef f(x):\n    return x * c.k\n",
        "class C:\n    @property\n    def k(self):\n        return 4.0\n"
        "c = C()\ndef f(x):\n    return x * c.k\n",
    ),
    "attribute of an object": (
        "class C:\n    def __init__(self):\n        self.k = 2.0\n"
        "c = C()\ndef f(x):\n    return x * c.k\n",
        "class C:\n    def __init__(self):\n        self.k = 3.0\n"
        "c = C()\ndef f(x):\n    return x * c.k\n",
    ),
    "decorator": (
        "def twice(g):\n    return lambda x: g(g(x))\n@twice\ndef f(x):\n    return x * 1.5\n",
        "def twice(g):\n    return lambda x: g(x)\n@twice\ndef f(x):\n    return x * 1.5\n",
    ),
    "name of a function of the library": (
        "import functools\n@functools.wraps(ops.relu)\ndef f(x):\n    return x * 2.0\n",
        "import functools\n@functools.wraps(ops.relu)\ndef f(x):\n    return x * 3.0\n",
    ),
    "name of a function of Python": (
        "import functools, json\n@functools.wraps(json.dumps)\ndef g(x):\n    return x * 2.0\n"
        "def f(x):\n    return g(x)\n",
        "import functools, json\n@functools.wraps(json.dumps)\ndef g(x):\n    return x * 3.0\n"
        "def f(x):\n    return g(x)\n",
    ),
    "module of a class": (
        "class C:\n    __module__ = 'minds.nn.cell'\n    k = 2.0\nc = C()\n"
        "def f(x):\n    return x * c.k\n",
        "class C:\n    __module__ = 'minds.nn.cell'\n    k = 3.0\nc = C()\n"
        "def f(x):\n    return x * c.k\n",
    ),
    "partial": (
        "import functools\ndef g(k, x):\n    return x * k\nf = functools.partial(g, 2.0)\n",
        "import functools\ndef g(k, x):\n    return x * k\nf = functools.partial(g, 3.0)\n",
    ),
    "positions": (
        "K = Tensor([2, 0, 1])\ndef f(x):\n    return x[K] * x\n",
        "K = Tensor([2, 1, 1])\ndef f(x):\n    return x[K] * x\n",
    ),
    "captured tensor": (
        "K = Tensor([2.0, 0.5, 1.0])\ndef f(x):\n    return x * K\n",
        "K = Tensor([2.5, 0.5, 1.0])\ndef f(x):\n    return x * K\n",
    ),
    "dtype of a captured tensor": (
        "K = Tensor([2.0, 0.5, 1.0])\ndef f(x):\n    return x * K\n",
        "K = Tensor([2.0, 0.5, 1.1], ms.float16)\ndef f(x):\n    return x * K\n",
    ),
    "array": (
        "K = np.array([2.0, 0.5, 1.0], np.float32)\ndef f(x):\n    return x * Tensor(K)\n",
        "K = np.array([2.0, 1.5, 1.0], np.float32)\ndef f(x):\n    return x * Tensor(K)\n",
    ),
    "tuple": (
        "K = (2.0, 'a')\ndef f(x):\n    return x * K[0] if K[1] == 'a' else x\n",
        "K = (2.0, 'b')\ndef f(x):\n    return x * K[0] if K[1] == 'a' else x\n",
    ),
    "setting of a layer": (
        "net = nn.LeakyReLU(0.25)\ndef f(x):\n    return net(x)\n",
        "net = nn.LeakyReLU(0.5)\ndef f(x):\n    return net(x)\n",
    ),
    "attribute of a primitive": (
        "net = ops.LeakyRelu(0.25) if hasattr(ops, 'LeakyRelu') else ops.ReduceSum(True)\n"
        "def f(x):\n    return net(x) * x\n",
        "net = ops.ReLU()\ndef f(x):\n    return net(x) * x\n",
    ),
    "enum": (
        "import enum\nclass E(enum.Enum):\n    A = 2.0\ndef f(x):\n    return x * E.A.value\n",
        "import enum\nclass E(enum.Enum):\n    A = 3.0\ndef f(x):\n    return x * E.A.value\n",
    ),
    "dataclass": (
        "import dataclasses\n@dataclasses.dataclass\nclass D:\n    k: float = 2.0\n"
        "d = D()\ndef f(x):\n    return x * d.k\n",
        "import dataclasses\n@dataclasses.dataclass\nclass D:\n    k: float = 3.0\n"
        "d = D()\ndef f(x):\n    return x * d.k\n",
    ),
    "two names of one list": (
        "A = [1.0]\nB = A\ndef f(x):\n    A.append(2.0)\n    y = x * B[-1]\n    A.pop()\n    return y\n",
        "A = [1.0]\nB = [1.0]\ndef f(x):\n    A.append(2.0)\n    y = x * B[-1]\n    A.pop()\n"
        "    return y\n",
    ),
    "constexpr": (
        "K = 2.0\n@ops.constexpr\ndef g(n):\n    return n * K\ndef f(x):\n    return x * g(3)\n",
        "K = 3.0\n@ops.constexpr\ndef g(n):\n    return n * K\ndef f(x):\n    return x * g(3)\n",
    ),
    "absent global": (
        "def f(x):\n    return x * max(2.0, 1.0)\n",
        "def max(a, b):\n    return b\ndef f(x):\n    return x * max(2.0, 1.0)\n",
    ),
    "precision": (
        "class N(nn.Cell):\n    def construct(self, x):\n        return x * 1.0001\n"
        "net = N()\ndef f(x):\n    return net(x)\n",
        "class N(nn.Cell):\n    def construct(self, x):\n        return x * 1.0001\n"
        "net = N().to_float(ms.float16)\ndef f(x):\n    return net(x)\n",
    ),
}
UNCACHED = {"two names of one list"}
"""Programs that change what stands outside, which a file does not hold."""


def sources(given) -> dict:
    return {k: text(v) for k, v in (given if type(given) is dict else {"program": given}).items()}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_is_compiled_anew(name, places, modules):
    first, second = map(sources, CHANGES[name])
    before = value(modules(**first))
    assert (before == expected(modules(**first))).all()
    places.hits = 0
    assert (value(modules(**first)) == before).all()
    assert places.hits == (0 if name in UNCACHED else 2)
    after = modules(**second)
    assert (value(after) == expected(modules(**second))).all()
    assert (value(modules(**first)) == before).all()
    assert name in UNCACHED or (value(after) != before).any()


def test_a_found_program_has_its_guards(places, modules):
    source = text("K, W = 2.0, Tensor([1.0, 2.0, 3.0])\ndef f(x):\n    return x * K + W\n")
    ms.jit(modules(program=source).f)(X)
    module = modules(program=source)
    f = ms.jit(module.f)
    np.testing.assert_array_equal(f(X).asnumpy(), X.asnumpy() * 2 + [1, 2, 3])
    assert places.hits == 1
    module.W = Tensor([0.0, 0.0, 1.0])
    np.testing.assert_array_equal(f(X).asnumpy(), X.asnumpy() * 2 + [0, 0, 1])
    module.K = -1.0
    np.testing.assert_array_equal(f(X).asnumpy(), -X.asnumpy() + np.float32([0, 0, 1]))
    module.K = 2.0
    np.testing.assert_array_equal(f(X).asnumpy(), X.asnumpy() * 2 + [0, 0, 1])


def test_contents_that_are_constants(places, modules):
    """Of arrays that are larger than the ones that name a file."""
    source = text(
        "K = np.arange(300.0).astype(np.float32)\ndef f(x):\n    return x.sum() * Tensor(K)\n"
    )
    ms.jit(modules(program=source).f)(X)
    changed = source.replace("arange(300.0)", "arange(1.0, 301.0)")
    found = ms.jit(modules(program=changed).f)(X).asnumpy()
    assert places.hits == 0
    np.testing.assert_array_equal(found, np.arange(1.0, 301.0, dtype=np.float32) * np.float32(1.25))
    module = modules(program=changed)
    module.K[7] = -1.0
    assert ms.jit(module.f)(X).asnumpy()[7] == -1.25
    assert places.hits == 0


def test_arguments(places, modules):
    source = text("def f(x, n):\n    return x * {0.5: 2.0, 0.25: 4.0}[n], n\n")

    def run(*args):
        found = ms.jit(modules(program=source).f)(*args)
        return [v.asnumpy().tolist() if isinstance(v, Tensor) else v for v in found]

    for args in [(X, 0.5), (X, 0.25), (X[:2], 0.5), (X.astype(ms.float16), 0.5)]:
        first = run(*args)
        assert places.hits == 0
        assert run(*args) == first
        assert places.hits == 1, args
        places.hits = 0
        assert first == [(args[0].asnumpy() / args[1]).tolist(), args[1]]


def test_settings_and_versions(places, modules, monkeypatch):
    source = text("def f(x):\n    return x * 2\n")

    def hits():
        places.hits = 0
        ms.jit(modules(program=source).f)(X)
        return places.hits

    assert (hits(), hits()) == (0, 1)
    ms.set_context(max_call_depth=999)
    try:
        assert (hits(), hits()) == (0, 1)
    finally:
        ms.set_context(max_call_depth=1000)
    assert hits() == 1
    monkeypatch.setattr(compile_cache, "stamp", lambda: "another version")
    assert (hits(), hits()) == (0, 1)
    ms.set_context(enable_compile_cache=False)
    assert hits() == 0


def test_the_stamp_knows_sources_and_the_machine():
    told = compile_cache.stamp.__wrapped__()
    assert "jit/compile.py" in told and "_core" in told and ms.__version__ in told


def test_errors_name_the_same_line(places, modules):
    source = text("def f(x, i):\n    y = x * 2\n    return ops.gather(y, i, 0)\n")
    bad, errors = Tensor([7]), []
    for _ in range(2):
        f = ms.jit(modules(program=source).f)
        f(X, Tensor([1]))
        with pytest.raises(IndexError) as e:
            f(X, bad)
        errors.append(str(e.value))
    assert places.hits == 1
    assert errors[0] == errors[1] and "line 6" in errors[0]


TRAIN = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4)
        self.drop, self.out = nn.Dropout(p=0.5), nn.Dense(4, 3)

    def construct(self, x):
        return self.out(self.drop(ops.relu(self.norm(self.conv(x)))).mean((2, 3)))

def losses(steps=3):
    ms.set_seed(1)
    net = Net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Adam(net.trainable_params(), nn.cosine_decay_lr(0.0, 0.01, 10, 5, 2))
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
    x, y = np.random.rand(4, 1, 8, 8).astype(np.float32), np.array([0, 1, 2, 0], np.int32)
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        return [float(step(Tensor(x), Tensor(y))) for _ in range(steps)]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
"""


def test_a_training_step(places, modules):
    source = text(TRAIN)
    first = modules(program=source).losses()
    places.hits = 0
    assert modules(program=source).losses() == first
    assert places.hits == 1
    changed = modules(program=source.replace("p=0.5", "p=0.25")).losses()
    assert places.hits == 1 and changed != first
    ms.set_context(enable_compile_cache=False)
    assert modules(program=source).losses() == first


def test_a_global_with_an_attributes_name(places, modules):
    source = """
        loss = LOSS
        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.loss = nn.ReLU()
            def construct(self, x):
                return self.loss(x).sum()
        net = Net()
        """
    for value in (1.5, 2.5):
        ms.jit(modules(program=text(source.replace("LOSS", str(value)))).net)(X)
    assert places.hits == 1


def test_gradients_by_weights(places, modules):
    source = text("""
        net = nn.Dense(3, 2, "ones", "zeros")
        step = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
        def run(x):
            return ms.jit(step)(x)
        """)
    found = [modules(program=source).run(X.reshape(1, 3)) for _ in range(2)]
    assert places.hits == 1
    (a, (b, c)), (d, (e, f)) = found
    assert float(a) == float(d) == 2.5
    assert (b.asnumpy() == e.asnumpy()).all() and (c.asnumpy() == f.asnumpy()).all()


# ---- files


def one(places, modules, source="K = 2.0\ndef f(x):\n    return x * K + 1\n"):
    """A cached program: its file, and what runs it in a new process."""

    def run():
        return ms.jit(modules(program=text(source)).f)(X).asnumpy().tolist()

    want = run()
    (path,) = places.files()
    return path, run, want


def test_damaged_files_are_written_anew(places, modules):
    path, run, want = one(places, modules)
    good = path.read_bytes()
    r = random.Random(0)
    flipped = []
    for _ in range(25):
        at = r.randrange(len(good))
        flipped.append(good[:at] + bytes([good[at] ^ 1 << r.randrange(8)]) + good[at + 1 :])
    for bad in [b"", b"\0", good[:-1], good + b"\0", good[: len(good) // 2], b"#" * 999, *flipped]:
        path.write_bytes(bad)
        places.hits = places.kept = 0
        assert run() == want
        assert (places.hits, places.kept) == (0, 1)
        assert path.read_bytes() == good


def test_what_only_the_digest_fits_does_no_harm(places, modules):
    """Whoever can write the folder can make a program compute something else, and nothing worse."""
    path, run, _ = one(places, modules)
    good = path.read_bytes()
    start = len(compile_cache._MAGIC) + compile_cache._DIGEST
    r = random.Random(0)
    for _ in range(60):
        body = bytearray(good[start:])
        for _ in range(r.randint(1, 3)):
            body[r.randrange(len(body))] = r.randrange(256)
        path.write_bytes(compile_cache._MAGIC + hashlib.sha256(body).digest() + body)
        try:
            run()
        except (ValueError, TypeError, RuntimeError, MemoryError, IndexError):
            pass  # of the program that the file has


def test_a_file_holds_no_code(places, modules):
    path, _, _ = one(places, modules)
    start = len(compile_cache._MAGIC) + compile_cache._DIGEST
    data = path.read_bytes()[start:]
    (size,) = struct.unpack_from("<Q", data)
    about = json.loads(data[8 : 8 + size])
    assert 8 + size + sum(about["blobs"]) == len(data)
    assert {type(v) for v in about.values()} <= {int, list, dict, str, bool, type(None)}


def test_the_least_used_goes(places, modules, monkeypatch):
    path, _, _ = one(places, modules)
    size = path.stat().st_size
    monkeypatch.setenv("MINDS_COMPILE_CACHE_SIZE", f"{4.5 * size / 1024:.3f}KB")
    for k in range(3, 12):
        source = text(f"K = {k}.0\ndef f(x):\n    return x * K + 1\n")
        for n, p in enumerate(places.files()):
            if p != path:
                os.utime(p, (n + 1, n + 1))
        os.utime(path)
        ms.jit(modules(program=source).f)(X)
    assert path in places.files()
    assert sum(p.stat().st_size for p in places.files()) <= 4.5 * size


def test_a_folder_that_cannot_be_written(places, modules):
    places.folder.parent.mkdir(exist_ok=True)
    places.folder.write_text("a file")
    with pytest.warns(RuntimeWarning, match="cannot be kept"):
        assert ms.jit(modules(program=text("def f(x):\n    return x * 2\n")).f)(X)[0] == 1.0


def test_settings_are_checked():
    with pytest.raises(TypeError, match="enable_compile_cache has type str"):
        ms.set_context(enable_compile_cache="yes")
    with pytest.raises(TypeError, match="compile_cache_path has type int"):
        ms.set_context(compile_cache_path=3)


def test_processes_at_once(tmp_path):
    """Several begin together on an empty folder; one that comes later compiles nothing."""
    script = tmp_path / "script.py"
    script.write_text(
        text(TRAIN)
        + textwrap.dedent("""
        import importlib, sys
        cache = importlib.import_module("minds.jit.compile_cache")
        load, hits = cache.CacheFile.load, []
        def loaded(entry):
            hits.append(load(entry) is not None)
            return load(entry)
        cache.CacheFile.load = loaded
        print(losses(), any(hits))
        """)
    )
    env = {**os.environ, "MS_COMPILER_CACHE_ENABLE": "1", "OMP_NUM_THREADS": "1"}
    env["MS_COMPILER_CACHE_PATH"] = str(tmp_path / "cache")

    def start():
        command = [sys.executable, str(script)]
        return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)

    together = [start() for _ in range(3)]
    told = [p.communicate(timeout=120)[0] for p in together]
    assert all(p.returncode == 0 for p in together)
    last = start()
    told.append(last.communicate(timeout=120)[0])
    assert len({t.rpartition(" ")[0] for t in told}) == 1
    assert told[-1].endswith("True\n")
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_off_unless_asked(modules, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    ms.jit(modules(program=text("def f(x):\n    return x * 2\n")).f)(X)
    assert not (tmp_path / "minds").exists()
    monkeypatch.setenv("MS_COMPILER_CACHE_ENABLE", "1")
    ms.jit(modules(program=text("def f(x):\n    return x * 2\n")).f)(X)
    assert len(list((tmp_path / "minds").iterdir())) == 1


@pytest.mark.parametrize("kind", [nn.Dense, nn.LSTM])
def test_cells_of_the_library(kind, places):
    x, results = Tensor(np.ones((2, 3, 4), np.float32)), []
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        for _ in range(2):
            ms.set_seed(3)
            out = kind(4, 5)(x)
            found = out[0] if isinstance(out, tuple) else out
            results.append(found.asnumpy())
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert places.hits == 1
    np.testing.assert_array_equal(*results)

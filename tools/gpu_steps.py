"""Single steps of `gpu_check.py`, each a program of its own:

    python tools/gpu_steps.py --list
    python tools/gpu_steps.py NAME [--small]

A step compares the GPU with the CPU, or measures it; it prints lines for people, and last one line of JSON
with what it found. It fails by an exception. `--small` is for what stands in for a GPU.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import time
from collections.abc import Callable
from importlib import import_module, metadata, util

import numpy as np

import minds as ms
from minds import Tensor, nn, ops

SMALL = False
STEPS: dict[str, Callable] = {}
"""In the order in which they are to run: what a later one needs, an earlier one shows."""


def step(fn: Callable) -> Callable:
    STEPS[fn.__name__] = fn
    return fn


def size(whole: int, small: int) -> int:
    return small if SMALL else whole


def on(device: str, run: Callable, mode: int = ms.PYNATIVE_MODE):
    """What ``run`` gives where new tensors are on a device, as NumPy arrays."""
    ms.set_context(device_target=device, mode=mode)
    try:
        ms.set_seed(7)
        found = run()
        return [np.asarray(r.asnumpy()) for r in (found if isinstance(found, tuple) else (found,))]
    finally:
        ms.set_context(device_target="CPU", mode=ms.PYNATIVE_MODE)


def distance(found: np.ndarray, wanted: np.ndarray) -> float:
    """How far two results are apart, relative to the largest number; infinitely if NaN is elsewhere."""
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return float("inf")
    f, w = (a.astype(np.complex128 if a.dtype.kind == "c" else np.float64) for a in (found, wanted))
    if not np.array_equal(np.isnan(f), np.isnan(w)):
        return float("inf")
    largest = max(np.abs(np.nan_to_num(w)).max(initial=0.0), 1e-30)
    return float(np.abs(np.nan_to_num(f) - np.nan_to_num(w)).max(initial=0.0) / largest)


def compared(cases: dict, mode: int = ms.PYNATIVE_MODE) -> dict:
    """Each case (a function, how far it may be) on both devices. All run; then what failed is raised."""
    found, wrong = {}, []
    for name, (run, most) in cases.items():
        begin = time.perf_counter()
        try:
            got = on("GPU", run, mode)
            took = time.perf_counter() - begin
            far = max(map(distance, got, on("CPU", run, mode)))
            found[name] = {"apart": far, "seconds": round(took, 3)}
            if not far <= most:
                wrong.append(f"{name}: {far:.3g} apart, {most:.3g} is allowed")
        except Exception as e:
            found[name] = {"error": f"{type(e).__name__}: {e}"[:600]}
            wrong.append(f"{name}: {type(e).__name__}: {e}"[:600])
        print(name, found[name], flush=True)
    if wrong:
        print(json.dumps({"cases": found}), flush=True)
        raise AssertionError("; ".join(wrong))
    return {"cases": found}


def numbers(*shape: int, dtype=np.float32, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def median_ms(repeat: int, run: Callable, *args) -> float:
    """The median time of a run, which waits for the device at its end; two come before."""
    times = []
    for _ in range(2):
        run(*args)
    ms.hal.synchronize()
    for _ in range(repeat):
        begin = time.perf_counter()
        run(*args)
        ms.hal.synchronize()
        times.append(time.perf_counter() - begin)
    return float(np.median(times) * 1e3)


@step
def open_gpu() -> dict:
    """The driver, the compiler and the libraries are found; one GPU is opened."""
    count = ms.hal.device_count("GPU")
    ms.set_context(device_target="GPU")
    p = ms.hal.get_device_properties(0, "GPU")
    wheels = {
        d.metadata["Name"]: d.version
        for d in metadata.distributions()
        if (d.metadata["Name"] or "").startswith(("nvidia-", "torch", "jax", "numpy"))
    }
    return {"count": count, "properties": dict(p._asdict()), "wheels": wheels}


@step
def copies() -> dict:
    """Bytes there and back, of many sizes, and on other streams."""
    for n in (1, 3, 64, 1000, 16384, 16385, 1 << 20, (1 << 22) + 1):
        x = numbers(n, seed=n)
        there = Tensor(x).to("GPU")
        assert there.device == "GPU:0" and there.asnumpy().tobytes() == x.tobytes(), n
        assert there.to("GPU:0").cpu().asnumpy().tobytes() == x.tobytes(), n
    x = numbers(size(1 << 26, 1 << 16))
    up = median_ms(5, lambda: Tensor(x).to("GPU"))
    there = Tensor(x).to("GPU")
    down = median_ms(5, there.asnumpy)
    return {"to the device GB/s": x.nbytes / up / 1e6, "to the host GB/s": x.nbytes / down / 1e6}


@step
def first_kernel() -> dict:
    """One kernel: compiled, launched, right."""
    begin = time.perf_counter()
    x = Tensor(np.arange(1000, dtype=np.float32)).to("GPU")
    y = (x * 2 + 1).asnumpy()
    assert np.array_equal(y, np.arange(1000, dtype=np.float32) * 2 + 1)
    return {"seconds until its result": time.perf_counter() - begin}


def _pools(x):
    return ops.max_pool2d(x, 2, 2), ops.avg_pool2d(x, 2, 2)


def op_cases() -> dict:
    """One of each kind of kernel: name -> (function, how far from the CPU)."""
    a, b, k = numbers(65, 130), numbers(65, 130, seed=1), np.arange(65 * 130).reshape(65, 130) % 61
    image = numbers(2, 8, 17, 19)
    exact, close = 0.0, 3e-6

    def t(x, dtype=None):
        return Tensor(x if dtype is None else x.astype(dtype))

    half = {"float16": (ms.float16, 3e-3), "bfloat16": (ms.bfloat16, 2e-2)}
    cases = {
        "add broadcast": (lambda: t(a) + t(b)[:1], exact),
        "exp, tanh, log, sin": (
            lambda: (ops.exp(t(a)), ops.tanh(t(a)), ops.log(ops.abs(t(a)) + 1), ops.sin(t(a))),
            close,
        ),
        "erf, pow": (lambda: (ops.erf(t(a)), ops.pow(ops.abs(t(a)) + 0.5, t(b))), 1e-5),
        "float64": (lambda: ops.exp(t(a, np.float64)) / (t(b, np.float64) + 10), 1e-14),
        "integers": (lambda: (t(k) // 7, t(k) % 7, t(k) * t(k), t(k, np.int8) + 100), exact),
        "complex": (
            lambda: ops.exp(t(a + 1j * b, np.complex64)) * t(b + 1j * a, np.complex64),
            close,
        ),
        "where, compare": (lambda: ops.where(t(a) > t(b), t(a), t(b)), exact),
        "casts": (lambda: tuple(t(a).astype(d) for d in (ms.int32, ms.float16, ms.bool_)), exact),
        "sum, mean, max": (
            lambda: (t(a).sum(), t(a).mean(0), t(a).sum(1), t(a).max(1), t(a).argmax(1)),
            1e-5,
        ),
        "large sum": (lambda: t(numbers(size(1 << 24, 1 << 14)) + 1).sum(), 1e-5),
        "softmax": (lambda: (ops.softmax(t(a)), ops.log_softmax(t(a), 0)), close),
        "layer norm": (lambda: nn.LayerNorm((130,))(t(a)), 1e-5),
        "batch norm": (lambda: nn.BatchNorm2d(8).set_train()(t(image)), 1e-5),
        "cumsum, sort, topk": (
            lambda: (ops.cumsum(t(a), 1), *ops.sort(t(a)), *ops.topk(t(a), 5)),
            1e-5,
        ),
        "gather, scatter": (
            lambda: (
                ops.gather(t(a), t(k[0] % 65, np.int32), 0),
                ops.scatter_nd(t(k[:1].T % 65, np.int32), t(numbers(130, 4)), (65, 4)),
            ),
            exact,
        ),
        "concat, transpose, pad": (
            lambda: (
                ops.concat((t(a), t(b))),
                ops.transpose(t(a), (1, 0)) * 1,
                ops.pad(t(a), (1, 2)),
            ),
            exact,
        ),
        "pooling": (lambda: _pools(t(image)), 1e-6),
        "random": (lambda: (ops.standard_normal((1000,)), ops.rand(1000)), 1e-5),
        "one_hot, nll": (
            lambda: (
                ops.one_hot(t(k[:, 0], np.int32), 130),
                ops.cross_entropy(t(a), t(k[:, 0], np.int32)),
            ),
            1e-5,
        ),
        "product float32": (lambda: ops.matmul(t(a), t(b.T)), 1e-5),
        "product float64": (lambda: ops.matmul(t(a, np.float64), t(b.T, np.float64)), 1e-13),
        "product integers": (lambda: ops.matmul(t(k, np.int32), t(k.T, np.int32)), exact),
        "products in batches": (
            lambda: ops.matmul(t(numbers(3, 1, 17, 33)), t(numbers(1, 5, 33, 9))),
            1e-5,
        ),
        "dense with ReLU": (lambda: nn.Dense(130, 70, activation="relu")(t(a)), 1e-5),
    }
    for name, (dtype, most) in half.items():
        cases[f"product {name}"] = (
            lambda d=dtype: ops.matmul(t(a).astype(d), t(b.T).astype(d)).astype(ms.float32),
            most,
        )
        cases[f"convolution {name}"] = (
            lambda d=dtype: ops.conv2d(
                t(image).astype(d), t(numbers(16, 8, 3, 3)).astype(d), pad_mode="same"
            ).astype(ms.float32),
            most,
        )
    for title, options in {
        "": {},
        ", steps": {"stride": 2},
        ", groups": {"groups": 4},
        ", dilated": {"dilation": 2},
    }.items():
        weight = numbers(16, 8 // options.get("groups", 1), 3, 3)
        cases[f"convolution{title}"] = (
            lambda w=weight, o=options: ops.conv2d(t(image), t(w), pad_mode="pad", padding=1, **o),
            1e-5,
        )
        cases[f"gradients of a convolution{title}"] = (
            lambda w=weight, o=options: ms.grad(
                lambda x, y: ops.conv2d(x, y, pad_mode="pad", padding=1, **o).sum(), (0, 1)
            )(t(image), t(w)),
            2e-5,
        )
    return cases


@step
def ops_alone() -> dict:
    """One kernel of each kind, by itself."""
    return compared(op_cases())


def _chain(x):
    for _ in range(4):
        x = ops.tanh(x * 1.5 + 0.1) * ops.sigmoid(x) + x.sum(1, keepdims=True) * 1e-3
    return x


@step
def programs() -> dict:
    """Fused chains, gradients, control flow by data, and runs that are recorded."""
    x = numbers(200, 50)

    def branches(v):
        i = 0
        while v.max() < 100:
            v = v * 2 + 1
            i += 1
        return v if v.sum() > 0 else -v

    def often(v):
        run = ms.jit(ms.grad(lambda v: ops.square(_chain(v)).mean()))
        return tuple(run(Tensor(x + k)) for k in range(6))

    return compared(
        {
            "chain": (lambda: ms.jit(_chain)(Tensor(x)), 1e-5),
            "gradient": (lambda: ms.jit(ms.grad(lambda v: _chain(v).sum()))(Tensor(x)), 1e-4),
            "branches and loops": (lambda: ms.jit(branches)(Tensor(x)), 1e-5),
            "six runs of one program": (lambda: often(None), 1e-4),
        },
        ms.GRAPH_MODE,
    )


@step
def attention() -> dict:
    """Scaled products of queries and keys, with gradients: by tensor cores in 16 bits."""
    heads, length, width = size(8, 2), size(512, 48), 64
    q, k, v = (numbers(2, heads, length, width, seed=s) for s in range(3))

    def attend(q, k, v):
        scores = ops.matmul(q, k.swapaxes(-1, -2)) * (1 / width**0.5)
        return ops.matmul(ops.softmax(scores), v)

    def both(dtype):
        args = [Tensor(a).astype(dtype) for a in (q, k, v)]
        out = ms.jit(attend)(*args)
        dx = ms.jit(ms.grad(lambda *a: attend(*a).astype(ms.float32).sum(), (0, 1, 2)))(*args)
        return tuple(r.astype(ms.float32) for r in (out, *dx))

    return compared(
        {
            "float32": (lambda: both(ms.float32), 1e-4),
            "float16": (lambda: both(ms.float16), 2e-2),
            "bfloat16": (lambda: both(ms.bfloat16), 1e-1),
        }
    )


@step
def faults() -> dict:
    """Errors of the data come with their line, and the process goes on."""
    ms.set_context(device_target="GPU")
    x = Tensor(np.arange(5.0, dtype=np.float32))
    texts = []
    for run in (ops.gather, ms.jit(lambda x, i, a: ops.gather(x, i, a))):
        try:
            run(x, Tensor(np.array([1, 9])), 0).asnumpy()
        except IndexError as e:
            texts.append(str(e))
            assert "9" in str(e) and "gpu_steps.py" in str(e), e
    assert len(texts) == 2, texts
    assert (x + 1).asnumpy().tolist() == [1, 2, 3, 4, 5]
    return {"texts": texts}


@step
def streams() -> dict:
    """Streams wait for each other by events; times of events."""
    ms.set_context(device_target="GPU")
    for turn in range(20):
        x = Tensor(np.full(100_000, turn, np.float32))
        side = ms.hal.Stream()
        ready = ms.hal.Event()
        ready.record()
        with ms.hal.StreamCtx(side):
            ready.wait()
            y = x * 2
            done = ms.hal.Event()
            done.record()
        done.wait()
        assert float((y + x).sum()) == 3 * turn * 100_000
    first, last = ms.hal.Event(enable_timing=True), ms.hal.Event(enable_timing=True)
    first.record()
    for _ in range(10):
        x = x + 1
    last.record()
    last.synchronize()
    assert first.elapsed_time(last) > 0
    return {"ten launches, ms": first.elapsed_time(last)}


@step
def memory() -> dict:
    """Out of memory is an exception that lists the holders; afterwards all goes on."""
    ms.set_context(device_target="GPU")
    before = ms.hal.memory_allocated()
    total = ms.hal.get_device_properties(0, "GPU").total_memory
    held = ops.ones((total // 16,), ms.float32)  # a quarter
    try:
        ops.ones((total // 4,), ms.float32)
        raise AssertionError("more memory than the device has was given out")
    except MemoryError as e:
        text = str(e)
    assert "the largest holders" in text, text
    assert float((held[-1000:] + 1).sum()) == 2000
    del held
    gc.collect()
    assert ms.hal.memory_allocated() <= before + (1 << 16)
    return {"text": text[:400]}


def _training(make, x, y, optimiser, runs: int) -> Callable:
    def run():
        net = make()
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimiser(net.trainable_params()))
        step.set_train()
        return tuple(step(Tensor(x), Tensor(y)) for _ in range(runs))

    return run


def _cnn():
    return nn.SequentialCell(
        nn.Conv2d(1, 6, 5, pad_mode="valid"),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Conv2d(6, 16, 5, pad_mode="valid"),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Flatten(),
        nn.Dense(400, 84),
        nn.ReLU(),
        nn.Dense(84, 10),
    )


@step
def training() -> dict:
    """The losses of a small network in both modes are the CPU's."""
    x = numbers(16, 1, 32, 32)
    y = (np.arange(16) % 10).astype(np.int32)
    run = _training(_cnn, x, y, lambda ps: nn.Momentum(ps, 0.05, 0.9), size(12, 4))
    found = {}
    for name, mode in {"graph": ms.GRAPH_MODE, "eager": ms.PYNATIVE_MODE}.items():
        found |= {name: compared({name: (run, 2e-3)}, mode)["cases"][name]}
    return {"cases": found}


@step
def exchange() -> dict:
    """Memory is shared with torch, in both directions."""
    if util.find_spec("torch") is None:
        return {"did not run": "torch is not installed"}
    torch = import_module("torch")
    if not torch.cuda.is_available():
        return {"did not run": "torch sees no GPU"}
    ms.set_context(device_target="GPU")
    x = torch.arange(1000, device="cuda", dtype=torch.float32)
    mine = ms.utils.dlpack.from_dlpack(x)
    assert mine.device == "GPU:0"
    y = mine * 2 + 1
    back = torch.from_dlpack(y)
    assert torch.equal(back, x * 2 + 1)
    return {"torch": torch.__version__}


@step
def speed() -> dict:
    """How fast single pieces are; nothing is compared."""
    ms.set_context(device_target="GPU", mode=ms.GRAPH_MODE)
    found = {}
    n = size(8192, 128)
    for name, dtype in {"bfloat16": ms.bfloat16, "float32": ms.float32}.items():
        a, b = (Tensor(numbers(n, n, seed=s)).astype(dtype) for s in (0, 1))
        run = ms.jit(ops.matmul)
        found[f"product {n}³ {name}, TFLOP/s"] = 2 * n**3 / median_ms(10, run, a, b) / 1e9
    x = Tensor(numbers(size(1 << 28, 1 << 16)))
    for name, fn, moved in (
        ("x * 2 + 1", lambda x: x * 2 + 1, 2),
        ("chain of 8", lambda x: ops.tanh(ops.exp(-x * x) * 0.5 + x) * ops.sigmoid(x) - x, 2),
        ("sum", lambda x: x.sum(), 1),
    ):
        run = ms.jit(fn)
        found[f"{name}, GB/s"] = moved * x.nbytes / median_ms(10, run, x) / 1e6
    rows = x.reshape(-1, size(4096, 64))
    run = ms.jit(ops.softmax)
    found["softmax of rows, GB/s"] = 2 * x.nbytes / median_ms(10, run, rows) / 1e6

    def steps(v):
        for _ in range(100):
            v = ops.cumsum(v, 0)
        return v

    run, small = ms.jit(steps), Tensor(numbers(64, 64) * 1e-3)
    begin = time.perf_counter()
    run(small).asnumpy()
    found["100 small kernels, ms, first run"] = (time.perf_counter() - begin) * 1e3
    found["100 small kernels, ms, later"] = (
        median_ms(5, lambda: [run(small) for _ in range(10)]) / 10
    )
    ms.set_context(mode=ms.PYNATIVE_MODE)
    add = Tensor(numbers(16))

    def eager():
        v = add
        for _ in range(1000):
            v = v + add
        return v

    found["1,000 eager additions, ms"] = median_ms(3, eager)
    return found


def main() -> None:
    global SMALL
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name", nargs="?", choices=list(STEPS))
    parser.add_argument("--list", action="store_true", help="the names of all steps")
    parser.add_argument("--small", action="store_true")
    given = parser.parse_args()
    if given.list or given.name is None:
        print(" ".join(STEPS))
        return
    SMALL = given.small
    if SMALL:
        os.environ.setdefault("MINDS_SIM_DELAY", "0")
    print(json.dumps(STEPS[given.name]()), flush=True)


if __name__ == "__main__":
    main()

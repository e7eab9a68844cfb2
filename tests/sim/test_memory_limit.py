"""Programs of a device within a limit of memory: values wait on the host, on the copy lane."""

import gc
import re

import numpy as np
import pytest
from placed import on, simulated

import minds as ms
from minds import _core, ops
from minds.jit.cache import cache_of
from minds.lower.encode import encode
from minds.lower.format import ARRIVE
from minds.lower.program import Executable


def tensor(*shape, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    return ms.Tensor((rng.standard_normal(shape) * scale).astype(np.float32))


def loss(x, w):
    for _ in range(8):
        x = ops.tanh(x @ w)
    return (x * x).sum()


def measured(f, args):
    """What the first run takes beside its arguments, and its results."""
    device = _core.current_device()
    gc.collect()  # what earlier tests left would go while it runs
    device.synchronize()
    base = device.memory()["in_use"]
    device.reset_peaks()
    found = f(*args)
    device.synchronize()
    peak = device.memory()["peak"]
    return peak - base, [t.asnumpy() for t in found]


def rounded(device):
    """What `sim` adds to the few blocks of a run: 64 bytes behind each, and up to a multiple of 256."""
    return 6 * (256 + 64) if device == "sim" else 0


def text_of(f):
    (program,) = [p for ps in cache_of(f._compiled_from).programs.values() for p in ps]
    return program.executable.text()


@pytest.mark.parametrize("part", [0.75, 0.5])
def test_the_same_bits_in_less_memory(part, device):
    with on(device):
        args = tensor(128, 32), tensor(32, 32, seed=1, scale=0.1)
        most, whole = measured(ms.jit(ms.grad(loss, (0, 1))), args)
        limit = sum(a.nbytes for a in args) + int(part * most)
        f = ms.jit(ms.grad(loss, (0, 1)), memory_limit=limit)
        least, found = measured(f, args)
    for a, b in zip(whole, found, strict=True):
        assert a.tobytes() == b.tobytes()
    assert least <= part * most + rounded(device)


def dear(x, w):
    """What costs more to compute than to copy, again and again."""
    for _ in range(6):
        x = ops.tanh(ops.cumsum(x @ w, 0))
    return (x * x).sum()


@pytest.fixture
def slow_kernels(monkeypatch):
    """Values are copied rather than computed again."""
    monkeypatch.setattr("minds.lower.costs.Costs.seconds", lambda self, i: 1.0)


def test_values_wait_on_the_host(device, slow_kernels):
    with on(device):
        args = tensor(128, 32), tensor(32, 32, seed=1, scale=0.1)
        most, whole = measured(ms.jit(ms.grad(dear, (0, 1))), args)
        f = ms.jit(ms.grad(dear, (0, 1)), memory_limit=int(most * 0.7) + 24000)
        least, found = measured(f, args)
        again = [t.asnumpy() for t in f(*args)]
        text = text_of(f)
    for a, b, c in zip(whole, found, again, strict=True):
        assert a.tobytes() == b.tobytes() == c.tobytes()
    assert least <= 0.75 * most + rounded(device)
    assert re.search(r"SAVE .*; copy lane", text) and re.search(r"UPLOAD .*; copy lane", text)
    assert 0 < text.count("ARRIVE") <= text.count("= SAVE")


@simulated
def test_a_program_that_does_not_await_what_it_saved_is_refused(device, slow_kernels, monkeypatch):
    """Each wait left out in turn."""
    kept = []
    made = Executable.__init__

    def keep(self, program, code, at):
        kept.append(program)
        made(self, program, code, at)

    monkeypatch.setattr(Executable, "__init__", keep)
    with on(device):
        args = tensor(128, 32), tensor(32, 32, seed=1, scale=0.1)
        most, _ = measured(ms.jit(ms.grad(dear, (0, 1))), args)
        ms.jit(ms.grad(dear, (0, 1)), memory_limit=int(most * 0.8) + 24000)(*args)
        name = _core.current_device().name
    program = kept[-1]
    constants = [c._array for c in program.tables.constants]
    code = program.functions[0].code
    waits = [k for k, i in enumerate(code) if i.op == ARRIVE]
    assert waits
    _core.Program(encode(program, name), [], constants, name)
    for k in waits:
        mark = code.pop(k)
        with pytest.raises(ValueError, match="corrupted program"):
            _core.Program(encode(program, name), [], constants, name)
        code.insert(k, mark)


def test_what_cannot_fit_is_refused(device):
    with on(device):
        args = tensor(128, 32), tensor(32, 32, seed=1, scale=0.1)
        f = ms.jit(ms.grad(loss, (0, 1)), memory_limit="20KB")
        with pytest.raises(MemoryError, match="the memory is limited to 0.02 MiB") as e:
            f(*args)
    assert "test_memory_limit.py:" in str(e.value)

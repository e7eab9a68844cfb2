"""Programs as bytes that were changed: they are refused, or run without harm."""

from __future__ import annotations

import contextlib
import signal
import struct
import threading
import zlib

import numpy as np
import pytest
from program_graphs import (
    INT,
    P,
    array,
    chain_graph,
    graph,
    lower,
    recursion,
    ref,
    tensor,
)

import minds as ms
from minds import _core, ops
from minds.ir.build import building
from minds.jit.pipeline import build
from minds.tensor import Tensor

pytestmark = pytest.mark.native


def corpus() -> list:
    g, b, p, x = graph("step", ref(8), tensor(8))
    with building(b):
        b.assign(p, P.add(b.load(p), x))
        g.output = P.reshape(P.mul(x, b.load(p)), (2, 4))
    rec = recursion(
        [INT, tensor(4)],
        lambda n, x: P.equal(n, 0),
        lambda n, x: P.add(x, 0.0),
        lambda n, x: (P.sub(n, 1), P.mul(x, 1.0)),
        lambda n, x, r: P.add(x, r),
        tensor(4),
    )
    return [
        (lower(g), [array(np.ones(8, np.float32))], [array(np.ones(8, np.float32))]),
        (lower(rec), [array(5), array(np.ones(4, np.float32))], []),
        (lower(chain_graph()), [array(5), array(np.float32([1, 2])), array(True)], []),
    ]


@contextlib.contextmanager
def ended_after(seconds: float):
    """Raise KeyboardInterrupt inside if it lasts longer; a signal that comes too late is
    ignored.
    """
    running = [True]

    def stop(signum, frame):
        if running:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    timer = threading.Timer(seconds, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        yield
    finally:
        running.clear()
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, before)


def attempt(
    code: bytes, args: list, params: list, callbacks: list = (), constants: list = ()
) -> str:
    """Load and run what may be nonsense; the only acceptable ends are a result and an exception."""
    try:
        program = _core.Program(code, list(callbacks), list(constants))
    except Exception as e:
        return type(e).__mro__[2].__name__ if isinstance(e, _core.Error) else type(e).__name__
    program.stack_limit = 1 << 20
    program.memory_limit = _core.memory()["in_use"] + (64 << 20)
    try:
        program.bind([p.copy() for p in params])
        with ended_after(0.3):  # a mutated loop may not end
            program(args)
    except KeyboardInterrupt:
        return "endless"
    except Exception as e:
        return type(e).__name__
    return "ran"


def test_flipped_bytes_fail_the_checksum():
    e, args, params = corpus()[0]
    for at in range(len(e.code)):
        broken = bytearray(e.code)
        broken[at] ^= 1 << at % 8
        with pytest.raises(ValueError):
            _core.Program(bytes(broken), [], [])
    for cut in range(0, len(e.code), 7):
        with pytest.raises(ValueError):
            _core.Program(e.code[:cut], [], [])


def test_names_that_are_no_utf8_are_refused():
    e, args, params = corpus()[0]
    body = e.code[12:]
    letters = [at for at in range(len(body)) if body[at : at + 1].isalpha()]
    ends = set()
    for at in letters[:: max(1, len(letters) // 200)]:
        broken = body[:at] + b"\xff" + body[at + 1 :]
        code = e.code[:8] + struct.pack("<I", zlib.crc32(broken)) + broken
        ends.add(attempt(code, args, params))
    assert "UnicodeDecodeError" not in ends and "ValueError" in ends, ends


@pytest.mark.parametrize("which", range(3))
def test_hostile_programs_with_a_right_checksum_do_not_crash(which):
    e, args, params = corpus()[which]
    _mutate(e.code, args, params, np.random.default_rng(which), 3000)


def test_hostile_programs_whose_values_carry_their_shapes(monkeypatch):
    """What a run sizes goes through calls, closures and switches as kinds of its own."""
    loaded, load = [], _core.Program
    monkeypatch.setattr(_core, "Program", lambda *args: loaded.append(args) or load(*args))

    def chosen(x):
        y = x[x > 0]
        while y.sum() < 9.0:
            y = ops.concat((y, y[y > 1] + 1))
        return ms.grad(lambda t: (t * y).sum() if y.sum() > 0 else t.sum())(y), y

    x = Tensor([1.0, -1.0, 2.0])
    program = build(chosen, (x,), {})
    assert program([x], [], (x,), {})[1].tolist() == [1, 2, 3, 3, 4]
    monkeypatch.undo()
    code, callbacks, constants = loaded[0]
    _mutate(code, [x._array], [], np.random.default_rng(3), 2000, callbacks, constants)


def _mutate(
    code: bytes, args: list, params: list, rng, times: int, callbacks=(), constants=()
) -> None:
    """Run programs with a few other bytes."""
    assert attempt(code, args, params, callbacks, constants) == "ran"
    ends = {}
    for _ in range(times):
        body = bytearray(code[12:])
        for _ in range(rng.integers(1, 4)):
            at = int(rng.integers(len(body) // 4)) * 4
            if rng.random() < 0.5:
                body[at + int(rng.integers(4))] ^= 1 << int(rng.integers(8))
            else:
                body[at : at + 4] = struct.pack("<I", int(rng.integers(0, 20)))
        broken = code[:8] + struct.pack("<I", zlib.crc32(body)) + bytes(body)
        end = attempt(broken, args, params, callbacks, constants)
        ends[end] = ends.get(end, 0) + 1
    assert ends.get("ValueError", 0) > 300, ends

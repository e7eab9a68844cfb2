"""Compiled programs on the device equal those on the CPU bit for bit: networks, control flow,
recursion, gradients, sizes that the run finds, effects, and errors with their lines.
"""

from __future__ import annotations

import inspect
import struct
import zlib

import device_programs
import numpy as np
import pytest
import simulator
from models import CharLSTM, SmallCNN
from resnet import ResNet
from simulator import DEVICE, arrays, assert_same, compiled

import minds as ms
from minds import Tensor, _core, nn, ops
from minds.base.devices import target
from minds.lower import legalise
from minds.lower.encode import encode
from minds.lower.format import SIGNAL, WAIT
from minds.lower.kernels import device_traits, has_kernel
from minds.lower.lanes import schedule
from minds.lower.legalise import reachable
from minds.lower.linearize import LinearIR
from minds.lower.memory import plan
from minds.lower.place import Placement
from minds.lower.placed import PlacedLinearizer

pytestmark = pytest.mark.usefixtures("device")
X = Tensor([1.0, -2.0, 3.0, 0.5])
PROGRAMS = {
    name: fn
    for name, fn in vars(device_programs).items()
    if inspect.isfunction(fn) and fn.__module__ == "device_programs" and not name.startswith("_")
}


def given(fn) -> tuple:
    return (X, ms.mutable(5)) if "n" in inspect.signature(fn).parameters else (X,)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_programs_give_the_bits_and_the_errors_of_the_cpu(name):
    assert_same(PROGRAMS[name], *given(PROGRAMS[name]))


def test_parameters_of_rank_0():
    program = assert_same(device_programs.Counts(), X)
    assert [t.kind for t in program.transfers] == ["DOWNLOAD"]  # the condition


def training(make, optimiser, shape: tuple, classes: int) -> tuple:
    ms.common.set_seed(3)
    net = make()
    rng = np.random.default_rng(0)
    loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    step = nn.TrainOneStepCell(loss, optimiser(net.trainable_params())).set_train()
    return (
        step,
        Tensor(rng.standard_normal(shape).astype(np.float32)),
        Tensor(rng.integers(0, classes, shape[0]), ms.int32),
    )


NETS = {
    # A bias before batch normalisation has no gradient but rounding, which Adam must not make large.
    "cnn": (SmallCNN, lambda ps: nn.Adam(ps, 1e-2, eps=1e-3), (4, 1, 8, 8), 4),
    "resnet": (
        lambda: ResNet((1, 1), 4, 8),
        lambda ps: nn.SGD(ps, 0.01, 0.9, nesterov=True),
        (2, 3, 16, 16),
        4,
    ),
}


@pytest.mark.parametrize("name", NETS)
def test_a_training_step_never_waits_for_the_device(name):
    """What goes between the device and the host in a step, but for its arguments and results."""
    program = assert_same(*training(*NETS[name]), runs=3, least=1e-2)
    assert "DOWNLOAD" not in [t.kind for t in program.transfers]


def test_recurrent_training():
    ms.common.set_seed(3)
    net = CharLSTM()
    loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    step = nn.TrainOneStepCell(loss, nn.Adam(net.trainable_params(), 0.02)).set_train()
    ids = np.arange(42, dtype=np.int32).reshape(6, 7) % 11
    assert assert_same(step, Tensor(ids[:, :6]), Tensor(ids[:, 6])).transfers == []


def test_inspection_lists_what_goes_between_device_and_host():
    text = compiled(DEVICE, device_programs.branches_on_data, (X,)).text()
    line = inspect.getsourcelines(device_programs.branches_on_data)[1]
    tail = text.split("between the device and the host, which waits for each download:\n")[1]
    assert f"DOWNLOAD Tensor[(), bool]  {device_programs.__file__}:{line + 2}" in tail
    assert " away" in text


# ---- what the device cannot run


def without(monkeypatch, *kernels: str) -> None:
    monkeypatch.setattr(
        legalise,
        "has_kernel",
        lambda k, device, t: has_kernel(k, device, t) and (device == "cpu" or k not in kernels),
    )


def test_all_that_the_device_cannot_run_is_refused_with_its_lines(monkeypatch):
    def f(x):
        y = ops.sin(x)
        return ops.cumsum(y, 0) + ops.sin(y)

    without(monkeypatch, "sin", "cumsum")
    with pytest.raises(TypeError) as e:
        compiled(DEVICE, f, (X,))
    line = inspect.getsourcelines(f)[1]
    assert str(e.value).startswith(f"sin: no kernel on device '{target(DEVICE)}', the first of 3")
    assert all(f"test_compiled.py:{line + k}" in str(e.value) for k in (1, 2))
    assert "host_fallback=True" in str(e.value)


def test_host_fallback_runs_them_on_the_host(monkeypatch):
    def f(x, n):
        y = ops.sin(x) * n
        total = ops.cumsum(y, 0)
        for _ in range(n):
            total = ops.cumsum(total, 0) + y.sum()
        return total, ms.grad(lambda v: ops.sin(v).sum())(x)

    without(monkeypatch, "sin", "cumsum")
    program = assert_same(f, X, ms.mutable(3), host_fallback=True)
    assert {t.kind for t in program.transfers} == {"UPLOAD", "DOWNLOAD"}
    assert "RUN cumsum" in program.text()


# ---- what the runtime is given


def test_arrays_of_the_host_are_taken_and_results_stay_on_the_device():
    program = compiled(DEVICE, lambda x: ops.exp(x), (X,))
    there = program(arrays((X,)))[0]
    assert there.device.name == DEVICE
    again = program([there])[0]
    assert again.device.name == DEVICE
    on_cpu = compiled("cpu", lambda x: ops.exp(x), (X,))([there])[0]
    assert on_cpu.device.name == "cpu" and on_cpu.numpy().tobytes() == again.numpy().tobytes()


def test_constants_are_put_there_once():
    table = Tensor(np.arange(1000, dtype=np.float32))
    program = compiled(DEVICE, lambda x: (table * x[0]).sum(), (X,))
    assert "DOWNLOAD" not in [t.kind for t in program.transfers]
    assert program(arrays((X,)))[0].numpy() == np.arange(1000, dtype=np.float32).sum()


def test_a_fault_is_told_when_the_host_waits_and_then_no_more():
    program = compiled(DEVICE, device_programs.index_out_of_range, (X,))
    result = program(arrays((X,)))[0]  # nobody has waited yet
    with pytest.raises(IndexError, match="index 9 at position 1(.|\n)*device_programs.py"):
        result.numpy()
    result.numpy()


# ---- hostile bytes


def sealed(code: bytes, body: bytearray) -> bytes:
    return code[:8] + struct.pack("<I", zlib.crc32(body)) + bytes(body)


@pytest.mark.parametrize(
    "which", ["branches_on_data", "recursion_and_its_gradient", "random_numbers"]
)
def test_hostile_programs_do_not_crash(which):
    """Loading refuses what reads the device's memory as the host's, or too early."""
    fn = PROGRAMS[which]
    code = compiled(DEVICE, fn, given(fn)).code
    rng, refused = np.random.default_rng(1), 0
    for _ in range(400):
        body = bytearray(code[12:])
        for _ in range(rng.integers(1, 4)):
            at = int(rng.integers(len(body) // 4)) * 4
            if rng.random() < 0.5:
                body[at + int(rng.integers(4))] ^= 1 << int(rng.integers(8))
            else:
                body[at : at + 4] = struct.pack("<I", int(rng.integers(0, 20)))
        try:
            program = _core.Program(sealed(code, body), [], [], DEVICE)
            program.stack_limit = 1 << 20
        except (ValueError, TypeError, RuntimeError, MemoryError):
            refused += 1
    assert refused > 200


def scheduled(f):
    """A program with copies on their own lane, as instructions."""
    graph, _ = simulator.graph_of(f, (X,))
    traits = device_traits(DEVICE)
    p = LinearIR(graph, PlacedLinearizer, Placement(DEVICE, traits, graph, reachable(graph), set()))
    plan(p, traits["alignment"])
    schedule(p)
    return p


@pytest.mark.parametrize("left_out", [WAIT, SIGNAL])
def test_a_program_without_its_waits_is_refused(left_out):
    """In each function that has some, each in turn."""

    def f(x):
        total = x.sum()
        y = ops.exp(ops.sin(x))
        if total > 0:
            y = y * ops.standard_normal((4,)) + ops.uniform((4,), Tensor(0.0), Tensor(1.0))
        return y

    whole = scheduled(f)
    constants = [c._array for c in whole.tables.constants]
    assert _core.Program(encode(whole, DEVICE), [], constants, DEVICE).instructions > 0
    marks = [(g, k) for g in whole.functions for k, i in enumerate(g.code) if i.op == left_out]
    assert len(marks) > 2
    for g, k in marks:
        mark = g.code.pop(k)
        with pytest.raises(ValueError, match="corrupted program: function"):
            _core.Program(encode(whole, DEVICE), [], constants, DEVICE)
        g.code.insert(k, mark)

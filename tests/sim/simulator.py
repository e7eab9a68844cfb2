"""Compiled programs on the device of ``--device``, by default `sim`, as the compiler's parts make them:
with what goes between the device and the host.
"""

from __future__ import annotations

from types import SimpleNamespace

import devices
import numpy as np
from closeness import PROGRAM_ULPS, assert_agrees, is_exact

from minds import Tensor, _core
from minds.ad import tape
from minds.base.options import freeze
from minds.ir.abstract import AbstractRef
from minds.ir.shape_env import ShapeEnv
from minds.jit.compile import uncompiled
from minds.jit.parsing import parse
from minds.jit.pipeline import STEPS, run_steps
from minds.lower.program import Executable, lower

DEVICE = devices.NAME if devices.is_other() else "sim"
"""As the core names it."""


def graph_of(fn, args: tuple) -> tuple:
    """What is lowered of a function, and whether its run finds sizes."""
    options = freeze()
    with tape.suspended(), ShapeEnv({}, True) as scope:
        ip, _ = parse(uncompiled(fn), args, {}, options)
        return run_steps(ip.root, STEPS, options), bool(scope.found)


def compiled(device: str, fn, args: tuple, **options) -> Executable:
    """A function as a program for a device; bound to copies of its parameters, its `boxes`."""
    graph, finds = graph_of(fn, args)
    params = [p.default for p in graph.params if isinstance(p.abstract, AbstractRef)]
    with ShapeEnv({}, True):
        program = lower(graph, SimpleNamespace(device=device, **options), finds)
    program.boxes = [p._array.copy() for p in params]
    return program.bind(program.boxes)


def arrays(args) -> list:
    """The leaves of arguments as a program takes them."""
    found = []
    for a in args:
        if isinstance(a, (tuple, list)):
            found += arrays(a)
        else:
            found.append(a._array if isinstance(a, Tensor) else _core.Array.from_numpy(np.array(a)))
    return found


def outcome(device: str, fn, args: tuple, runs: int, **options) -> tuple:
    """(what some runs give and leave in the parameters, the program), or (the error, None)."""
    _core.seed(5)
    try:
        program = compiled(device, fn, args, **options)
        given = arrays(args)
        found = [r.numpy().copy() for _ in range(runs) for r in program(given)]
        return [*found, *(b.numpy().copy() for b in program.boxes)], program
    except Exception as e:
        return e, None


def assert_same(fn, *args, runs: int = 2, least: float = 0.0, **options) -> Executable | None:
    """A program gives the same, or the same error, on both devices: the bits where the device has the CPU's
    kernels. ``least``: the size of what was computed with, where a result is the rounding of zeros.
    Returns the device's program.
    """
    want, _ = outcome("cpu", fn, args, runs)
    got, program = outcome(DEVICE, fn, args, runs, **options)
    if isinstance(want, Exception) or isinstance(got, Exception):
        assert f"{type(got).__name__}: {got}" == f"{type(want).__name__}: {want}"
        return None
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        if is_exact(DEVICE):
            assert a.tobytes() == b.tobytes()
        else:
            assert_agrees(a, b, a.dtype.name, DEVICE, PROGRAM_ULPS, least)
    return program

"""The table of ops on what stands in for CANN: a row gives what the CPU gives, or Ascend refuses it."""

from __future__ import annotations

import pytest
import rows_array
import rows_elementwise
import rows_nn
from closeness import KERNEL_ULPS, OP_ULPS
from placed import MODES, assert_close, on, outcome
from rows import outputs

import minds as ms
from minds import Tensor, _core
from minds.ops.define import Op, P

pytestmark = pytest.mark.usefixtures("libraries")

ROWS = rows_elementwise.ROWS + rows_array.ROWS + rows_nn.ROWS
CASES = [(r, d) for r in ROWS for d in r.dtypes]
COMPILED = [(r, "float32" if "float32" in r.dtypes else r.dtypes[0]) for r in ROWS]
DIFFERENTIATED = [r for r in ROWS if r.grad and "float32" in r.dtypes]

MISSING = {
    *("digamma", "hypot", "left_shift", "lgamma", "quantized_conv2d", "quantized_matmul"),
    "right_shift",
}
"""Real ops that it cannot run in any dtype; docs/devices.md names them."""
HOSTS = {o.kernel for o in P if o.has_effect} | {"python_number", "complex"}
"""Kernels that no device but the CPU needs, as the host runs what has an effect (collectives, a new
key of the random numbers), and what makes complex numbers.
"""


def refused(found) -> bool:
    """Whether an outcome is the refusal of an op or a dtype."""
    kind, text = found if len(found) == 2 else (None, "")
    told = ("no Ascend kernel", "on device 'Ascend'", "on Ascend")
    return kind in ("TypeError", "ValueError") and any(t in text for t in told)


def compare(run, mode: int, ulps: float) -> None:
    with on("Ascend", mode):
        found = outcome(run)
    if refused(found):
        return
    with on("CPU", mode):
        wanted = outcome(run)
    assert_close(found, wanted, "Ascend", ulps)


@pytest.mark.parametrize("row,dtype", CASES, ids=str)
def test_eager(row, dtype):
    compare(lambda: row(*row.sample(dtype)), ms.PYNATIVE_MODE, OP_ULPS.get(row.op, 0))


@pytest.mark.parametrize("row,dtype", COMPILED, ids=str)
def test_compiled(row, dtype):
    def run():
        return ms.jit(row.__call__)(*row.sample(dtype))

    compare(run, ms.GRAPH_MODE, OP_ULPS.get(row.op, 0))


@pytest.mark.parametrize("row", DIFFERENTIATED, ids=str)
@pytest.mark.parametrize("mode", MODES)
def test_gradients(row, mode):
    def loss(*xs):
        total = Tensor(0.0, ms.float32)
        for out in outputs(row(*xs)):
            if out.dtype.is_float:
                weights = P.cast(P.arange(1, out.size + 1, 1, ms.int32), ms.float32) / out.size
                total = total + P.sum(P.cast(out, ms.float32) * weights.reshape(out.shape))
        return total

    def run():
        tensors = row.sample("float32")
        fn = ms.grad(loss, tuple(i for i, t in enumerate(tensors) if t.dtype.is_float))
        return (ms.jit(fn) if mode == "graph" else fn)(*tensors)

    compare(run, MODES[mode], 4 * KERNEL_ULPS)


def test_what_is_missing_is_known():
    _core.device_count("ascend")  # its plug-in is there from now on
    own = {op for device, op, _ in _core.kernels() if device == "ascend"}
    ops = [o for n in dir(P) if isinstance(o := getattr(P, n), Op)]
    cpu = {op for device, op, _ in _core.kernels() if device == "cpu"}
    lacking = {o.kernel for o in ops if o.kernel in cpu - own and not o.draws}
    assert {k for k in lacking - HOSTS if not getattr(P, k).decomposes(ms.float32)} == MISSING

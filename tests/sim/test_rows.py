"""The table of ops: each row gives the same bits on the device as on the CPU, in both modes, and so
do its gradients.
"""

import pytest
import rows_array
import rows_elementwise
import rows_host
import rows_nn
from closeness import HOST_ONLY, KERNEL_ULPS, OP_ULPS, is_exact
from placed import MODES, assert_same, on, outcome
from rows import squares

import minds as ms

ROWS = rows_elementwise.ROWS + rows_array.ROWS + rows_nn.ROWS
CASES = [(r, d) for r in ROWS for d in r.dtypes]


def is_refused(row, run, device: str, mode: int) -> bool:
    """Whether the op is for the CPU alone, which the device says."""
    if is_exact(device) or row.op not in HOST_ONLY:
        return False
    with on(device, mode):
        kind, text = outcome(run)
    assert kind == "TypeError" and text.startswith(f"{row.op}: has no ")
    return True


@pytest.mark.parametrize("row,dtype", CASES, ids=str)
def test_eager(row, dtype, device):
    if is_refused(row, lambda: row(*row.sample(dtype)), device, ms.PYNATIVE_MODE):
        return
    assert_same(lambda: row(*row.sample(dtype)), device, ulps=OP_ULPS.get(row.op, 0))


@pytest.mark.parametrize("row,dtype", CASES, ids=str)
def test_compiled(row, dtype, device):
    def run():
        return ms.jit(row.__call__)(*row.sample(dtype))

    if is_refused(row, run, device, ms.PYNATIVE_MODE):
        return
    assert_same(run, device, ulps=OP_ULPS.get(row.op, 0))


@pytest.mark.parametrize("row", rows_host.ROWS, ids=str)
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "graph"])
def test_what_the_host_computes(row, compiled, device):
    fn = ms.jit(row.__call__) if compiled else row
    assert_same(lambda: fn(*row.sample(row.dtypes[0])), device, places=False, least=1.0)


@pytest.mark.parametrize("row", [r for r in ROWS if r.grad], ids=str)
@pytest.mark.parametrize("mode", MODES)
def test_gradients(row, mode, device):
    if not is_exact(device) and row.op in HOST_ONLY:
        return  # refused: see `test_compiled`

    def run():
        tensors = row.sample("float32" if "float32" in row.dtypes else "float64")
        at = tuple(i for i, t in enumerate(tensors) if t.dtype.is_float)
        fn = ms.grad(squares(row), at)
        return (ms.jit(fn) if mode == "graph" else fn)(*tensors)

    assert_same(run, device, ulps=KERNEL_ULPS)

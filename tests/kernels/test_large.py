"""Kernels are prepared for more elements than 32 bits can count; nothing runs."""

import devices
import pytest
from driver import CODES

from minds import _core

N = 2**16
WHOLE = ((N, N), "int8")
FLOAT = ((N, N), "float32")
CASES = {
    "transpose": ([WHOLE], [WHOLE], {"perm": (1, 0)}),
    "flip": ([WHOLE], [WHOLE], {"axis": (1,)}),
    "broadcast_to": ([((N, 1), "int8")], [WHOLE], {"shape": (N, N)}),
    "pad": ([WHOLE], [((N, N + 3), "int8")], {"paddings": (0, 0, 1, 2), "value": 1}),
    "concat": ([WHOLE, ((N, 3), "int8")], [((N, N + 3), "int8")], {"axis": 1}),
    "gather": ([WHOLE, ((5,), "int64")], [((N, 5), "int8")], {"axis": 1}),
    "gather_d": ([WHOLE, ((N, 5), "int64")], [((N, 5), "int8")], {"dim": 1}),
    "gather_nd": ([WHOLE, ((5, 2), "int64")], [((5,), "int8")], {}),
    "gather_dx": ([((N, 5), "int8"), ((5,), "int64")], [WHOLE], {"shape": (N, N), "axis": 1}),
    "scatter_nd": ([((7, 2), "int64"), ((7,), "float32")], [FLOAT], {"shape": (N, N)}),
    "scatter_add_d": ([FLOAT, ((N, 5), "int32"), ((N, 5), "float32")], [FLOAT], {"dim": 1}),
    "tensor_scatter": ([FLOAT, ((7, 1), "int32"), ((7, N), "float32")], [FLOAT], {"mode": "max"}),
    "tril": ([WHOLE], [WHOLE], {}),
    "one_hot": (
        [((N,), "int32"), ((), "int8"), ((), "int8")],
        [WHOLE],
        {"depth": N, "axis": -1},
    ),
}


@pytest.mark.parametrize("op", CASES)
def test_more_than_32_bits_can_count(op):
    specs = [[(shape, CODES[t]) for shape, t in group] for group in CASES[op][:2]]
    assert _core.Kernel(op, devices.NAME, *specs, CASES[op][2])

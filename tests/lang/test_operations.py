"""Python's operations on values of any kind give in compiled code what they give in CPython, or are
refused. With ``--whole`` 6,000 of them.
"""

import numpy as np
import pytest
import random_operations

import minds as ms
from minds import Tensor, ops


@pytest.mark.parametrize("part", range(2))
def test_random_operations(part, tmp_path, request):
    count = 3000 if request.config.getoption("whole") else 100
    assert random_operations.faults(count, part, str(tmp_path)) == []


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: ops.add(x, [1, 2]),
        lambda x: ops.mul(x, np.ones(2)),
        lambda x: ops.maximum([1, 2], (2, 1)),
        lambda x: ops.where(x > 1, [1, 2], x),
        lambda x: ops.equal(x, [1, 2]),
        lambda x: ops.stack(x.reshape(2, 1)),
        lambda x: ops.dstack(x.reshape(2, 1)),
        lambda x: ops.add(x, (1, "a")),
        lambda x: ops.add(x, [[1], [2, 3]]),
        lambda x: x @ [1.0, 2.0],
        lambda x: ops.stack(x[0]),
        lambda x: ops.concat(x[0]),
        lambda x: ops.full((2,), -1.5, dtype=ms.uint8),
        lambda x: ops.group_norm(x.reshape(1, 2), 1, eps=np.datetime64("2000-01-01")),
    ],
)
def test_sequences_as_operands(fn):
    """What is one tensor, or an error, in eager code is so in compiled code."""
    outcomes = []
    for run in (fn, ms.jit(fn)):
        try:
            out = run(Tensor([1.0, 2.0]))
            outcomes.append((out.dtype, out.shape, out.tolist()))
        except (TypeError, ValueError) as e:
            outcomes.append(type(e))
    assert outcomes[0] == outcomes[1]

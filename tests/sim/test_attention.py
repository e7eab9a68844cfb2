"""Attention on a device: where that has a kernel for it, compiled programs use it, forward and in the
gradient; the numbers are those of float32 on the CPU, but for the rounding to 16 bits.
"""

import math

import numpy as np
import pytest
from placed import on
from simulator import compiled

import minds as ms
from minds import Tensor, ops
from minds.base import devices
from minds.passes import attend

CASES = [((2, 2), 37, 70, 32), ((3,), 5, 5, 64), ((1, 1), 66, 20, 16)]


def attention(q, k, v, mask):
    scores = ops.matmul(q, k.swapaxes(-1, -2)) / math.sqrt(q.shape[-1]) + mask
    return ops.matmul(ops.softmax(scores, -1), v)


def operands(lead, queries, keys, head, dtype):
    r = np.random.RandomState(0)
    arrays = [r.randn(*lead, n, head) for n in (queries, keys, keys)]
    arrays.append(np.where(r.rand(queries, keys) < 0.3, -1e4, 0))
    return [Tensor(a.astype("f")).astype(dtype) for a in arrays]


def results(args):
    def loss(*args):
        return (attention(*args).astype(ms.float32) ** 2).sum()

    found = attention_jit(*args), *ms.jit(ms.grad(loss, (0, 1, 2)))(*args)
    return [t.astype(ms.float32).asnumpy() for t in found]


attention_jit = ms.jit(attention)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("lead, queries, keys, head", CASES, ids=str)
def test_values_and_gradients(lead, queries, keys, head, dtype, device):
    narrow = getattr(ms, dtype)
    with on("CPU", ms.GRAPH_MODE):
        rounded = [a.astype(ms.float32) for a in operands(lead, queries, keys, head, narrow)]
        wanted = results(rounded)
    with on(device, ms.GRAPH_MODE):
        found = results(operands(lead, queries, keys, head, narrow))
    close = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 1e-5}[dtype]
    for f, w in zip(found, wanted, strict=True):
        assert np.abs(f - w).max() <= close * np.abs(w).max()


def test_the_kernel_is_used(device):
    name = devices.find(device).name
    with on(device, ms.GRAPH_MODE):
        text = compiled(name, attention, tuple(operands(*CASES[0], ms.float16))).text()
    assert ("RUN attention(" in text) == attend.has_kernel(name)
    assert ("RUN softmax(" in text) != attend.has_kernel(name)

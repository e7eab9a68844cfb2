"""Large operands are read where they are shown, or come by messages: sums in the order of the ranks, with
parts of different sizes, beside the program too.
"""

import sys

import numpy as np

import minds as ms
from minds import Tensor, _core, ops
from minds.communication import get_group_size, get_rank, init

init()
R, N = get_rank(), get_group_size()
rng = np.random.default_rng(3)


def check(n: int) -> None:
    x = rng.standard_normal((N, n)).astype(np.float32)
    total = x[0]
    for row in x[1:]:
        total = total + row
    own = Tensor(x[R])
    part = n // N
    for _ in range(3):  # places are used again
        assert np.array_equal(ops.AllReduce()(own).asnumpy(), total)
        assert np.array_equal(ops.AllReduce("max")(own).asnumpy(), x.max(0))
        assert np.array_equal(ops.AllGather()(own).asnumpy(), x.reshape(-1))
        scattered = ops.ReduceScatter()(own[: part * N]).asnumpy()
        assert np.array_equal(scattered, total[: part * N][R * part : (R + 1) * part])
    half = own.astype(ms.bfloat16)
    found = ops.AllReduce()(half).astype(ms.float32).asnumpy()
    parts = [Tensor(row).astype(ms.bfloat16).astype(ms.float32).asnumpy() for row in x]
    total = parts[0]
    for row in parts[1:]:
        total = total + row
    assert np.array_equal(found, Tensor(total).astype(ms.bfloat16).astype(ms.float32).asnumpy())


before = _core.comm_bytes_sent()
check(50_001)
once = _core.comm_bytes_sent() - before
_core.comm_share(False)
check(50_003)
assert abs(_core.comm_bytes_sent() - before - 2 * once) < 1000  # as many bytes in both ways
print("all is well", flush=True)
sys.exit(0)

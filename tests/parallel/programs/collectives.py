"""Every collective, in each mode, of each dtype, with its gradient, against NumPy: each rank knows what
the others have.
"""

import functools
import os
import sys
import time

import numpy as np

import minds as ms
from minds import nn, ops
from minds.communication import comm_func as cf
from minds.communication import create_group, get_group_size, get_rank, init
from minds.communication.handles import begin
from minds.ops.define import P

if "DEVICE" in os.environ:
    ms.set_context(device_target=os.environ["DEVICE"])
init()
R, N = get_rank(), get_group_size()
DTYPES = "int8 int32 uint8 int64 float16 float32 float64".split()
NUMPY = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
modes = (ms.PYNATIVE_MODE, ms.GRAPH_MODE)


def data(rank, shape=(2 * N, 3), dtype="float32"):
    """Whole numbers, so that all sums are exact."""
    rng = np.random.default_rng(rank)
    return rng.integers(1, 5, shape).astype(dtype)


def everybody(shape=(2 * N, 3), dtype="float32"):
    return [data(r, shape, dtype) for r in range(N)]


def check(got, want, what):
    got = got.astype(ms.float32).asnumpy() if got.dtype == ms.bfloat16 else got.asnumpy()
    assert got.dtype == want.dtype and np.array_equal(got, want), (what, R, got, want)


def reduced(op, parts):
    return functools.reduce(NUMPY[op], parts).astype(parts[0].dtype)


def both(cell, *inputs):
    """The results in both modes."""
    for mode in modes:
        ms.set_context(mode=mode)
        yield cell(*inputs)
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Apply(nn.Cell):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def construct(self, *xs):
        return self.fn(*xs)


def values():
    for dtype in DTYPES:
        all_x = everybody(dtype=dtype)
        x = ms.Tensor(all_x[R])
        for op in NUMPY:
            for out in both(Apply(ops.AllReduce(op)), x):
                check(out, reduced(op, all_x), ("AllReduce", op, dtype))
            for out in both(Apply(ops.ReduceScatter(op)), x):
                check(out, reduced(op, all_x)[2 * R : 2 * R + 2], ("ReduceScatter", op, dtype))
            for out in both(Apply(ops.Reduce(N - 1, op)), x):
                want = reduced(op, all_x) if R == N - 1 else np.zeros_like(all_x[0])
                check(out, want, ("Reduce", op, dtype))
        for out in both(Apply(ops.AllGather()), x):
            check(out, np.concatenate(all_x), ("AllGather", dtype))
        for root in range(N):
            for out in both(Apply(ops.Broadcast(root)), (x,)):
                check(out[0], all_x[root], ("Broadcast", root, dtype))
            for out in both(Apply(ops.CollectiveScatter(root)), x):
                check(out, all_x[root][2 * R : 2 * R + 2], ("CollectiveScatter", dtype))
            for out in both(Apply(ops.CollectiveGather(root)), x):
                check(out, np.concatenate(all_x) * (root == R), ("CollectiveGather", dtype))
        for out in both(Apply(ops.AlltoAll(N, 0, 1)), x):
            check(
                out, np.concatenate([a[2 * R : 2 * R + 2] for a in all_x], 1), ("AlltoAll", dtype)
            )
    small = ms.Tensor(data(R)).astype(ms.bfloat16)
    check(ops.AllReduce()(small), reduced("sum", everybody()), "bfloat16")
    flags = ms.Tensor(data(R) > 2)
    check(ops.AllGather()(flags), np.concatenate(everybody()) > 2, "bool")
    # Larger than what goes in one exchange, of a size that the ranks do not divide; of no elements.
    for shape in ((20_011,), (0, 3)):
        check(ops.AllReduce()(ms.Tensor(data(R, shape))), reduced("sum", everybody(shape)), shape)
    scalar = ops.AllReduce()(ms.Tensor(float(R), ms.float32))
    assert float(scalar) == sum(range(N))


def uneven():
    send = [i + 1 for i in range(N)]  # so many elements to each
    x = np.concatenate([np.full(s, 10 * R + i, np.float32) for i, s in enumerate(send)])
    want = np.concatenate([np.full(R + 1, 10 * r + R, np.float32) for r in range(N)])
    all_to_all_v = ops.AlltoAllV()
    for out in both(Apply(lambda x: all_to_all_v(x, send, [R + 1] * N)), ms.Tensor(x)):
        check(out, want, "AlltoAllV")
    ring = ops.NeighborExchange(
        [(R + 1) % N], [(R - 1) % N], [[R % 2 + 1]], [[(R + 1) % N % 2 + 1]], ms.float32
    )
    sent = ms.Tensor(np.full((R + 1) % N % 2 + 1, R, np.float32))
    for out in both(Apply(lambda x: ring((x,))[0]), sent):
        check(out, np.full(R % 2 + 1, (R - 1) % N, np.float32), "NeighborExchange")


def halo():
    """Images side by side, of which each gets a column of its neighbours."""
    left, right = (R - 1 if R else -1), (R + 1 if R + 1 < N else -1)
    ids = [-1, -1, right, -1, -1, -1, left, -1]
    exchange = ops.NeighborExchangeV2(ids, [0, 0, 1, 1], ids, [0, 0, 1, 1])
    whole = np.pad(np.concatenate(everybody((1, 1, 2, 3)), 3), [(0, 0)] * 3 + [(1, 1)])
    for out in both(Apply(exchange), ms.Tensor(data(R, (1, 1, 2, 3)))):
        check(out, whole[..., 3 * R : 3 * R + 5], "NeighborExchangeV2")


def gradients():
    """Of the sum over all ranks of their losses: by its definition, for weights that each rank has."""
    x, w = ms.Tensor(data(R)), data(R + 50)
    all_w = [data(r + 50) for r in range(N)]
    total = reduced("sum", all_w)
    own = slice(2 * R, 2 * R + 2)

    def weighted(fn, weights):
        weights = ms.Tensor(weights)
        return Apply(lambda x: (fn(x) * weights).sum())

    rows = [
        ("AllReduce", ops.AllReduce(), w, total),
        ("AllGather", ops.AllGather(), np.concatenate([w] * N), None),
        ("ReduceScatter", ops.ReduceScatter(), w[:2], np.concatenate([a[:2] for a in all_w])),
        ("Broadcast", lambda x: ops.Broadcast(0)((x,))[0], w, total * (R == 0)),
        ("Reduce", ops.Reduce(0), w, all_w[0]),
        ("AlltoAll", ops.AlltoAll(N, 0, 0), w, np.concatenate([a[own] for a in all_w])),
        ("CollectiveScatter", ops.CollectiveScatter(0), w[:2], None),
        ("CollectiveGather", ops.CollectiveGather(0), np.concatenate([w] * N), all_w[0]),
    ]
    for name, fn, weights, want in rows:
        if name == "AllGather":
            want = total
        if name == "CollectiveScatter":
            want = np.concatenate([a[:2] for a in all_w]) * (R == 0)
        for mode in modes:
            ms.set_context(mode=mode)
            check(ms.grad(weighted(fn, weights))(x), want.astype(np.float32), (name, mode))
    all_x = everybody()
    product, top = reduced("prod", all_x), reduced("max", all_x)
    for op, want in (("prod", total * product / all_x[R]), ("max", total * (all_x[R] == top))):
        for mode in modes:
            ms.set_context(mode=mode)
            got = ms.grad(weighted(ops.AllReduce(op), w))(x).asnumpy()
            assert np.allclose(got, want, 1e-6), (op, mode)
    ms.set_context(mode=ms.PYNATIVE_MODE)


def control_flow():
    """Effects keep program order, in loops and branches too."""

    @ms.jit
    def f(x, n):
        for _ in range(n):
            x = P.all_reduce(x, "sum", tuple(range(N)))
            if x.sum() > 1e6:
                x = x * 0
        return x

    check(f(ms.Tensor(data(R)), 3), reduced("sum", everybody()) * N**2, "loop")


def messages():
    if N == 1:
        return
    x = ms.Tensor(data(R, (300_000,)))
    to, source = (R + 1) % N, (R - 1) % N
    sent = cf.isend(x, to)
    got, came = cf.irecv(x, source)
    came.wait()
    sent.wait()
    check(got, data(source, (300_000,)), "irecv")
    if R == 0:
        cf.send(x, 1, tag=7)
    if R == 1:
        check(cf.recv(x, 0, tag=7), data(0, (300_000,)), "recv")
    both_ways = [
        cf.P2POp("isend", x, to),
        cf.P2POp("irecv", (300_000,), source, recv_dtype=x.dtype),
    ]
    check(cf.batch_isend_irecv(both_ways)[1], data(source, (300_000,)), "batch_isend_irecv")
    # What is begun is done late in some, and early in others.
    if R % 2 == 0:
        begin(lambda: time.sleep(0.2), lambda _: None)
    first, one = cf.all_reduce(x, async_op=True)
    second, two = cf.all_gather_into_tensor(x, async_op=True)
    time.sleep(R % 2 * 0.2)
    third, none = cf.reduce_scatter_tensor(ms.Tensor(data(R)))  # comes after those that were begun
    two.wait()
    one.wait()
    assert none is None
    check(first, reduced("sum", everybody((300_000,))), "async")
    check(second, np.concatenate(everybody((300_000,))), "async")
    check(third, reduced("sum", everybody())[2 * R : 2 * R + 2], "async")
    parts = [ms.Tensor(data(R, (i + 1,))) for i in range(N)]
    got, _ = cf.all_to_all_with_output_shape([(R + 1,)] * N, parts)
    for r, g in enumerate(got):
        check(g, data(r, (R + 1,)), "all_to_all")


def pairs():
    """`Send` and `Receive`, one after the other."""
    if N == 1:
        return
    x = data(0, (300, 7))
    for mode in modes:
        ms.set_context(mode=mode)
        for tag in (0, 3):
            if R == 0:
                Apply(ops.Send(tag, 1))(ms.Tensor(x * (tag + 1)))
            if R == 1:
                got = Apply(ops.Receive(tag, 0, (300, 7), ms.float32))()
                check(got, x * (tag + 1), "Receive")
    ms.set_context(mode=ms.PYNATIVE_MODE)


def groups():
    create_group("mine", [R])
    check(ops.AllReduce(group="mine")(ms.Tensor(data(R))), data(R), "a group of one")
    create_group("reversed", list(range(N))[::-1])
    gathered = ops.AllGather("reversed")(ms.Tensor(data(R)))
    check(gathered, np.concatenate(everybody()[::-1]), "another order")
    if N >= 4:
        pair = [R // 2 * 2, R // 2 * 2 + 1]
        create_group(f"pair {R // 2}", pair)
        out = ops.AllReduce(group=f"pair {R // 2}")(ms.Tensor(data(R)))
        check(out, data(pair[0]) + data(pair[1]), "pairs")


def other_lines():
    """Ranks that are never at the same line, and roots that take turns, call what the others call."""
    x = ms.Tensor(data(R))
    for _ in range(2):
        if R == 0:
            out = ops.AllReduce()(x)
        else:
            out = ops.AllReduce()(x)
        check(out, reduced("sum", everybody()), "lines")
    for root in range(N):
        if root == R:
            out = ops.Broadcast(root)((x,))[0]
        else:
            out = ops.Broadcast(root)((x,))[0]
        check(out, data(root), "roots")


for part in (values, uneven, halo, gradients, control_flow, messages, pairs, groups, other_lines):
    part()
ops.Barrier()()
print("all is well", file=sys.stdout)

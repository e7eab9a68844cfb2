"""A rank calls a collective, of a form that others have too, once more than the other: ``extra.py HOW``."""

import sys

import numpy as np

import minds as ms
from minds import ops
from minds.communication import comm_func, get_rank, init

init()
second, how = get_rank() == 1, sys.argv[1]
x = ms.Tensor(np.ones(4, np.float32))
all_reduce, broadcast = ops.AllReduce(), ops.Broadcast(1)


def begun(x):
    out, handle = comm_func.all_reduce(x, async_op=True)
    handle.wait()
    return out


@ms.jit
def step(x):
    y = all_reduce(x)
    if second and how == "compiled":
        y = all_reduce(y)
    return all_reduce(y * 2)


for _ in range(3):
    if how == "eager" and second:
        all_reduce(x)
    all_reduce(x)
    if how == "large":
        big = ms.Tensor(np.ones(20_000, np.float32))
        if second:
            all_reduce(big)
        all_reduce(big)
    if how == "root" and second:
        broadcast((x,))
    broadcast((x,))
    if how == "async" and second:
        begun(x)
    begun(x)
    if how == "compiled":
        step(x)
    if how == "message":
        comm_func.isend(x, 0).wait() if second else comm_func.recv(x, 1)
if how == "message" and second:
    comm_func.isend(x, 0).wait()
if how == "late" and second:
    broadcast((x,))
if how == "crossed":
    comm_func.recv(x, 1 - get_rank())
print("all is well")

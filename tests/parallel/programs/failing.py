"""One rank of two does not do what the other waits for."""

import os
import signal
import sys
import time

import numpy as np

import minds as ms
from minds import ops
from minds.communication import comm_func, get_rank, init
from minds.ops.define import P

init()
second, how = get_rank() == 1, sys.argv[1]
x = ms.Tensor(np.ones(4, np.float32))
all_reduce, all_gather = ops.AllReduce(), ops.AllGather()
all_reduce(x)
if how == "kill" and second:
    os.kill(os.getpid(), signal.SIGKILL)
if how == "raise" and second:
    raise ValueError("of its own")
if how == "exit" and second:
    sys.exit(3)
if how in ("sleep", "wait") and second:
    print("sleeps", flush=True)
    time.sleep(1000)
if how == "differ":
    (all_gather if second else all_reduce)(x)


@ms.jit
def step(x):
    return all_reduce(x) * 2


step(x)
if how == "sizes" and second:
    comm_func.recv(ms.Tensor(np.ones(5, np.float32)), 0)
if how == "sizes":
    comm_func.send(x, 1)
    time.sleep(1000)
if how == "several":  # messages between the two, of which the second is another one
    mine, others = (x, x[:3]), ((4,), (5 if second else 3,))
    P.exchange(mine, (1 - get_rank(),) * 2, (1 - get_rank(),) * 2, others, ms.float32, ranks=(0, 1))
    time.sleep(1000)

"""Parameters of which each process holds its part: training with optimizer parallel of each level, against
the same of one process, and everything that is done with such parameters besides.
"""

import copy
import os
import sys

import numpy as np

import minds as ms
from minds import Tensor, nn
from minds.communication import get_group_size, get_rank, init
from minds.communication.comm_func import barrier

init()
ms.set_context(mode=ms.GRAPH_MODE)
R, N, FOLDER = get_rank(), get_group_size(), sys.argv[1]
RNG = np.random.default_rng(0)
X = RNG.standard_normal((8, 8)).astype(np.float32)
Y = RNG.integers(0, 4, 8).astype(np.int32)
ROWS = slice(R * 8 // N, (R + 1) * 8 // N)


def step_of(seed=3):
    ms.set_seed(seed)
    net = nn.SequentialCell([nn.Dense(8, 16, activation="relu"), nn.Dense(16, 4)])
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Adam(net.trainable_params(), 0.05))
    step.set_train()
    return net, step


def divide(level, **more):
    config = {"optimizer_level": f"level{level}", "parallel_optimizer_threshold": 0}
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel",
        enable_parallel_optimizer=level > 0,
        parallel_optimizer_config=config if level else {},
        **more,
    )


def same(found, expected, what):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=3e-5, atol=1e-6, err_msg=what)


def values(step):
    return {p.name: p.asnumpy().copy() for p in step.get_parameters()}


def held(step):
    """Bytes that this process holds."""
    return sum(p.nbytes if p.lies is None else p.lies.array.nbytes for p in step.get_parameters())


net, step = step_of()
losses = [step(Tensor(X), Tensor(Y)).asnumpy() for _ in range(6)]
reference, outputs = values(step), net(Tensor(X)).asnumpy()

sizes = {}
for level in (0, 1, 2, 3):
    net, step = step_of(3 + R)  # rank 0's are the others' too
    divide(level)
    found = [step(Tensor(X[ROWS]), Tensor(Y[ROWS])).asnumpy() for _ in range(6)]
    same(found, losses, f"losses of level {level}")
    sizes[level] = held(step)
    same(values(step).values(), reference.values(), f"values of level {level}")
    assert held(step) == sizes[level]
    ms.reset_auto_parallel_context()
weights = sum(p.nbytes for p in net.trainable_params())
scalars = held(step_of()[1]) - 3 * weights
assert sizes[0] == 3 * weights + scalars, sizes
assert sizes[1] == sizes[2] == weights + 2 * weights // N + scalars, sizes
assert sizes[3] == 3 * weights // N + scalars, sizes

# What is done with them besides, at level 3.
net, step = step_of()
assert net(Tensor(X)).shape == (8, 4)  # a program from before anything of it is divided
divide(3)
x, y = Tensor(X[ROWS]), Tensor(Y[ROWS])
for _ in range(3):
    step(x, y)
w = net[0].weight
assert w.lies is not None and w.shape == (16, 8) and w.size == 128 and w.dtype is ms.float32
before = w.asnumpy().copy()
assert before.shape == (16, 8) and "16, 8" in repr(w) and w.lies is not None
np.testing.assert_array_equal(copy.deepcopy(w).asnumpy(), before)
np.testing.assert_array_equal(w.clone().asnumpy(), before)
np.testing.assert_array_equal(w.value().asnumpy(), before)
np.testing.assert_array_equal((w * 2).asnumpy(), 2 * before)
np.testing.assert_array_equal(w[3].asnumpy(), before[3])
row = w[3]
w.set_data(Tensor(before + 1))  # each keeps its part
assert w.lies is not None
np.testing.assert_array_equal(w.asnumpy(), before + 1)
np.testing.assert_array_equal((w * 2).asnumpy(), 2 * (before + 1))
w[0] = 5.0
np.testing.assert_array_equal(w.asnumpy(), np.vstack([np.full((1, 8), 5.0), before[1:] + 1]))
w.set_data(Tensor(before))
np.testing.assert_array_equal(
    (w + 0).asnumpy(), before
)  # a copy of the whole, which a step outdates
for _ in range(3):
    step(x, y)
same(values(step).values(), reference.values(), "values behind changes")
assert np.abs((w + 0).asnumpy() - before).max() > 1e-3

# Programs that are not divided take all of them, and later ones their parts again.
ms.reset_auto_parallel_context()
same([net(Tensor(X)).asnumpy()], [outputs], "a program that is not divided")
assert w.lies is None
divide(3)
step(x, y)
assert w.lies is not None
same([net(Tensor(X)).asnumpy()[ROWS]], [net(Tensor(X)).asnumpy()[ROWS]], "an evaluation")
# Each process saves its parts, and goes on from them.
net, step = step_of()
for _ in range(3):
    step(x, y)
saved = values(step)
os.makedirs(os.path.join(FOLDER, "parts", f"rank_{R}"))
file = os.path.join(FOLDER, "parts", f"rank_{R}", "a.ckpt")
ms.save_checkpoint(step, file, integrated_save=False)
ms.save_checkpoint(step, os.path.join(FOLDER, f"whole{R}.safetensors"), format="safetensors")
net, step = step_of(7 + R)
ms.load_checkpoint(file, step)
w = net[0].weight
assert w.lies is not None and w.lies.array.nbytes == w.nbytes // N
same(values(step).values(), saved.values(), "values of a checkpoint of parts")
for _ in range(3):
    step(x, y)
same(values(step).values(), reference.values(), "values behind a checkpoint of parts")
np.savez(os.path.join(FOLDER, f"reference{R}"), **reference)
np.savez(os.path.join(FOLDER, f"saved{R}"), **saved)

# A strategy file tells the layouts of another program.
strategy = os.path.join(FOLDER, f"strategy{N}.json")
ms.reset_auto_parallel_context()
divide(3, strategy_ckpt_save_file=strategy)
step_of()[1](x, y)
ms.reset_auto_parallel_context()
barrier()
divide(0, strategy_ckpt_config={"load_file": strategy})
net, step = step_of()
found = [step(x, y).asnumpy() for _ in range(6)]
same(found, losses, "losses with the layouts of a file")
assert held(step) == sizes[3]
print("all is well", flush=True)
sys.exit(0)

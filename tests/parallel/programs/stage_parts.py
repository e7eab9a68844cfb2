"""Training of a pipeline that goes on from checkpoints of the parts of its stages: ``stage_parts.py FOLDER``
trains and saves, ``stage_parts.py FOLDER STAGES [interleaved | rows]`` goes on in another way.
"""

import os
import sys

import numpy as np

import minds as ms
from minds import Tensor, nn
from minds.communication import get_group_size, get_rank, init

init()
ms.set_context(mode=ms.GRAPH_MODE)
R, N, FOLDER = get_rank(), get_group_size(), sys.argv[1]
RNG = np.random.default_rng(0)
X = Tensor(RNG.standard_normal((8, 8)).astype(np.float32))
Y = Tensor(RNG.integers(0, 4, 8).astype(np.int32))


def step_of(stages, seed=3):
    ms.set_seed(seed)
    net = nn.SequentialCell(*[nn.Dense(8, 8, activation="tanh") for _ in range(3)], nn.Dense(8, 4))
    for i, cell in enumerate(net):
        cell.pipeline_stage = i * stages // 4
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    cell = nn.PipelineCell(nn.WithLossCell(net, loss), 4)
    return nn.TrainOneStepCell(cell, nn.Adam(net.trainable_params(), 0.05)).set_train()


def divide(stages, **more):
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel", full_batch=True, pipeline_stages=stages, **more
    )


def values(step):
    return {p.name: p.asnumpy().copy() for p in step.get_parameters()}


def same(found, expected, what, rtol=3e-5):
    assert found.keys() == expected.keys()
    for name, e in expected.items():
        np.testing.assert_allclose(found[name], e, rtol, rtol / 10, err_msg=f"{what}: {name}")


def train_and_save():
    step = step_of(1)
    for _ in range(6):
        step(X, Y)
    end = values(step)
    zero = {"optimizer_level": "level1", "parallel_optimizer_threshold": 0}
    divide(2, enable_parallel_optimizer=N > 2, parallel_optimizer_config=zero)
    step = step_of(2)
    for _ in range(3):
        step(X, Y)
    file = os.path.join(FOLDER, "parts", f"rank_{R}", "a.ckpt")
    os.makedirs(os.path.dirname(file))
    ms.save_checkpoint(step, file, integrated_save=False)
    held = ms.load_checkpoint(file)
    mine = [n for n, p in held.items() if p.size]
    assert len(mine) < len(held) == len(end), mine
    saved = values(step)
    step = step_of(2, 7 + R)
    ms.load_checkpoint(file, step)
    same(values(step), saved, "values of a checkpoint", 0.0)
    assert any(p.lies is not None and p.lies.array.size == 0 for p in step.get_parameters())
    for _ in range(3):
        step(X, Y)
    same(values(step), end, "values behind a checkpoint")
    np.savez(os.path.join(FOLDER, f"saved{R}"), **saved)
    np.savez(os.path.join(FOLDER, f"end{R}"), **end)


def go_on(stages, way):
    """From the files of any number of ranks."""
    folder = os.path.join(FOLDER, "parts")
    files = [os.path.join(folder, f"rank_{r}", "a.ckpt") for r in range(len(os.listdir(folder)))]
    groups = 2 if way == "interleaved" else stages
    divide(groups, pipeline_config={"pipeline_interleave": way == "interleaved"})
    step = step_of(stages, 7)
    ms.load_distributed_checkpoint(step, files)
    same(values(step), dict(np.load(os.path.join(FOLDER, "saved0.npz"))), "loaded values", 0.0)
    for _ in range(3):
        step(X, Y)
    end = dict(np.load(os.path.join(FOLDER, "end0.npz")))
    same(values(step), end, f"values behind {stages} stages, {way}")


if len(sys.argv) == 2:
    train_and_save()
else:
    go_on(int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "")
print("all is well", flush=True)
sys.exit(0)

"""Checkpoints of the decoder of `decoder.py` for others: ``decoder_files.py FOLDER DATA MODEL STAGES``
trains, saves parts with their strategy, transforms them for other layouts, and goes on from them.
"""

import os
import sys

import numpy as np
from decoder import data, step_of

import minds as ms
from minds.communication import get_rank, init
from minds.communication.comm_func import barrier

FOLDER, SHAPE = sys.argv[1], tuple(map(int, sys.argv[2:5]))


def divide(shape, file, **more):
    ms.reset_auto_parallel_context()
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel",
        full_batch=True,
        pipeline_stages=shape[2],
        strategy_ckpt_save_file=file,
        **more,
    )


def saved(step, name):
    """The parameters of all, after each process has written its parts."""
    os.makedirs(f"{FOLDER}/{name}/rank_{get_rank()}", exist_ok=True)
    path = f"{FOLDER}/{name}/rank_{get_rank()}/net.ckpt"
    ms.save_checkpoint(step, path, integrated_save=False)
    barrier()
    return {p.name: p.asnumpy().copy() for p in step.get_parameters()}


def strategy_of(shape, file, rank=0):
    """Compiles for processes that are not there, and writes how parameters lie."""
    count = shape[0] * shape[1] * shape[2]
    divide(shape, file, device_num=count, global_rank=rank)
    step_of(*shape)[1].compile(*data()[0])
    ms.reset_auto_parallel_context()


def main():
    rank, first = get_rank(), data()
    os.makedirs(FOLDER, exist_ok=True)
    divide(SHAPE, f"{FOLDER}/from.ckpt")
    step = step_of(*SHAPE)[1]
    step(*first[0])
    values = saved(step, "from")
    later = step(*first[1]).asnumpy()

    # for one process
    ms.reset_auto_parallel_context()
    if rank == 0:
        ms.transform_checkpoints(
            f"{FOLDER}/from", f"{FOLDER}/one", "net", f"{FOLDER}/from.ckpt", None
        )
        whole = ms.load_checkpoint(f"{FOLDER}/one/rank_0/net0.ckpt")
        assert whole.keys() == values.keys(), set(whole) ^ set(values)
        for name, p in whole.items():
            np.testing.assert_array_equal(p.asnumpy(), values[name], err_msg=name)
        net = step_of(1, 1, SHAPE[2])[1]
        ms.load_param_into_net(net, whole, strict_load=True)
        np.testing.assert_allclose(net(*first[1]).asnumpy(), later, rtol=2e-5)

        # for eight, in two ways, and back
        for name, shape in (("eight", (2, 2, 2)), ("rows", (8, 1, 1))):
            strategy_of(shape, f"{FOLDER}/{name}.ckpt")
            count = shape[0] * shape[1] * shape[2]
            for to in range(count):
                ranks = ms.rank_list_for_transform(
                    to, f"{FOLDER}/from.ckpt", f"{FOLDER}/{name}.ckpt"
                )
                files = {r: f"{FOLDER}/from/rank_{r}/net.ckpt" for r in ranks}
                os.makedirs(f"{FOLDER}/{name}/rank_{to}", exist_ok=True)
                path = f"{FOLDER}/{name}/rank_{to}/net{to}.ckpt"
                ms.transform_checkpoint_by_rank(
                    to, files, path, f"{FOLDER}/from.ckpt", f"{FOLDER}/{name}.ckpt"
                )
            ms.transform_checkpoints(
                f"{FOLDER}/{name}",
                f"{FOLDER}/back",
                "net",
                f"{FOLDER}/{name}.ckpt",
                f"{FOLDER}/from.ckpt",
            )
    barrier()

    # each process its own
    divide(SHAPE, "")
    again = step_of(*SHAPE)[1]
    own = ms.load_checkpoint(f"{FOLDER}/back/rank_{rank}/net{rank}.ckpt", again)
    assert own
    np.testing.assert_allclose(again(*first[1]).asnumpy(), later, rtol=1e-6)
    again = step_of(*SHAPE)[1]
    files = [f"{FOLDER}/eight/rank_{r}/net{r}.ckpt" for r in range(8)]
    ms.load_distributed_checkpoint(again, files)
    np.testing.assert_allclose(again(*first[1]).asnumpy(), later, rtol=2e-5)
    print("is well", flush=True)


init()
ms.set_context(mode=ms.GRAPH_MODE)
main()

"""Programs that a batch system starts: SLURM's variables, and a server of ranks as `srun` has one."""

import os
import select
import subprocess
import sys

from minds.launch.pmi import Server

PROGRAM = """
import minds as ms
from minds import ops
from minds.communication import get_group_size, get_local_rank, get_rank, init
init()
total = ops.AllReduce()(ms.Tensor([1.0 + get_rank()])).asnumpy()
print(get_rank(), get_local_rank(), get_group_size(), total, flush=True)
"""


def task(rank, count, link=None):
    """A task of `srun -n count`."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PMI", "SLURM"))}
    env |= {"SLURM_PROCID": str(rank), "SLURM_LOCALID": str(rank), "SLURM_JOB_ID": "7"}
    env |= {"SLURM_NTASKS": str(count), "SLURM_STEP_NUM_TASKS": str(count)}
    fds = ()
    if link is not None:
        env |= {"PMI_RANK": str(rank), "PMI_SIZE": str(count), "PMI_FD": str(link.fileno())}
        fds = (link.fileno(),)
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", PROGRAM]
    return subprocess.Popen(command, env=env, pass_fds=fds, stdout=pipe, stderr=pipe, text=True)


def served(count):
    """The codes and outputs of some tasks whose MPI library finds the others."""
    server, tasks = Server(count), []
    for rank in range(count):
        with server.link(rank) as link:
            tasks.append(task(rank, count, link))
    while any(t.poll() is None for t in tasks):
        links = {link.fileno(): rank for rank, link in server.links.items()}
        for fd in select.select(list(links), [], [], 0.05)[0]:
            server.read(links[fd])
    return [(t.returncode, *t.communicate()) for t in tasks]


def test_tasks_of_srun(launch):
    for rank, (code, out, err) in enumerate(served(2)):
        assert (code, out) == (0, f"{rank} {rank} 2 [3.]\n"), err


def test_tasks_that_do_not_find_one_another(launch):
    """Each would train alone."""
    alone = task(1, 2)
    _, err = alone.communicate()
    assert alone.returncode == 1
    assert "srun has started 2 tasks, and the MPI library knows of one" in err
    assert "srun --mpi=pmi2" in err

"""A world of one: everything is there, and nothing of MPI is opened."""

import os
import runpy
import subprocess
import sys

import pytest

import minds as ms
from minds import communication as c
from minds import ops


@pytest.fixture(autouse=True)
def begun():
    c.init()
    yield
    c.release()


@pytest.mark.parametrize("program", ["collectives.py", "torch_names.py"])
def test_programs_of_one(program):
    here = os.path.dirname(os.path.abspath(__file__))
    runpy.run_path(os.path.join(here, "programs", program))


def test_groups():
    assert (c.get_rank(), c.get_group_size(), c.get_local_rank(), c.get_local_rank_size()) == (
        0,
        1,
        0,
        1,
    )
    c.create_group("mine", [0])
    assert c.get_process_group_ranks("mine") == [0] and c.get_rank("mine") == 0
    assert (
        c.get_world_rank_from_group_rank("mine", 0)
        == c.get_group_rank_from_world_rank(0, "mine")
        == 0
    )
    c.destroy_group("mine")


REFUSED = [
    (lambda: c.create_group("a", [0, 1]), ValueError, "rank_ids"),
    (lambda: c.create_group("a", [0, 0]), ValueError, "rank_ids"),
    (lambda: c.create_group("a", (0,)), TypeError, "a list of ints"),
    (lambda: c.create_group("a", ["0"]), TypeError, "an int"),
    (lambda: c.create_group("hccl_world_group", [0]), ValueError, "there is a group"),
    (lambda: c.destroy_group("hccl_world_group"), ValueError, "stays"),
    (lambda: c.destroy_group("none"), ValueError, "there is no group 'none'"),
    (lambda: c.get_rank(3), TypeError, "group has type int"),
    (lambda: c.get_group_size("none"), ValueError, "create_group"),
    (lambda: c.get_world_rank_from_group_rank("hccl_world_group", 1), ValueError, r"in \[0, 1\)"),
    (lambda: c.init(3), TypeError, "backend_name"),
    (lambda: c.init("gloo"), RuntimeError, "'mccl'"),
    (lambda: ops.AllReduce("mean"), ValueError, "'mean'"),
    (lambda: ops.AllReduce(group=1), TypeError, "group"),
    (lambda: ops.AllReduce()(ms.Tensor([True])), TypeError, "numbers"),
    (lambda: ops.Broadcast(1), ValueError, "rank 1"),
    (lambda: ops.P.all_reduce(ms.Tensor([1.0]), "sum", (0, 1)), ValueError, "world of 1"),
    (lambda: ops.P.all_gather(ms.Tensor(1.0), (0,)), ValueError, "dimension"),
    (lambda: c.comm_func.all_reduce(1.0), TypeError, "a Tensor"),
]


@pytest.mark.parametrize("call, error, said", REFUSED)
def test_refusals(call, error, said):
    with pytest.raises(error, match=said):
        call()


def test_before_init():
    c.release()
    assert c.get_rank() == 0 and c.get_group_size() == 1
    for call in (c.get_process_group_ranks, lambda: c.create_group("a", [0])):
        with pytest.raises(RuntimeError, match="init"):
            call()


def test_nothing_of_mpi_is_opened():
    text = (
        "import minds, sys; from minds import communication as c; c.init(); c.comm_func.barrier();"
        "assert 'mpi' not in open('/proc/self/maps').read()"
    )
    subprocess.run([sys.executable, "-c", text], check=True)

"""How the processes of a program begin to communicate, meet and leave.

A program is one process until `begin`; then it is as many as it was started as, by
``python -m minds.launch``, ``mpiexec`` or a batch system. Ranks come from the MPI library, which is
opened only if there are several.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.metadata
import json
import os
import shutil
import sys

from .. import _core
from ..base import ranks_watch
from ..base.errors import complain
from ..base.world import world

_WHEELS = ("mpich", "impi-rt")
_RECORD = 1024  # bytes that a process says of itself when it begins


def begin() -> None:
    """Begin to communicate.

    Raises:
        RuntimeError: there are several processes and no MPI library, or it knows nothing of the others.
    """
    if world.begun:
        return
    if _is_one_of_several() and world.watch is None:
        _open()
        world.rank, world.size = _core.comm_world()
        _expect_all(world.size)
    if world.size > 1 and world.watch is None:
        _meet()
        atexit.register(_leave)
    world.begun = True


def end() -> None:
    """Communicate no more, until the next `begin`; groups are forgotten."""
    world.begun = False
    world.groups.clear()


def _is_one_of_several() -> bool:
    """Whether whoever started this process says that there are others. How many there are, and which
    this one is, is the MPI library's to say.
    """
    named = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS")
    sizes = [os.environ[name] for name in named if name in os.environ]
    return any(s != "1" for s in sizes) or not sizes and "PMIX_RANK" in os.environ


def _expect_all(size: int) -> None:
    """Raise where SLURM has started several tasks and the MPI library knows of one: each would be alone."""
    tasks = os.environ.get("SLURM_STEP_NUM_TASKS", "1")
    if size == 1 and tasks != "1" and os.environ.get("PMI_SIZE") != "1":
        raise complain(
            RuntimeError,
            f"communication.init: srun has started {tasks} tasks, and the MPI library knows of one",
            cure="srun --mpi=pmi2; or start one task by python -m minds.launch, without srun",
        )


def _open() -> None:
    try:
        _core.comm_open(find_library())
    except RuntimeError as e:
        raise complain(
            RuntimeError,
            f"communication.init: {e}",
            expected="an MPI library with the standard ABI of MPI 5",
            cure="pip install minds[mpi], or set MINDS_MPI to the library's path",
        ) from None


def find_library() -> str:
    """The MPI library with the standard ABI: ``MINDS_MPI``, that of a wheel, or the system's."""
    if os.environ.get("MINDS_MPI"):
        return os.environ["MINDS_MPI"]
    for name in _WHEELS:
        try:
            files = importlib.metadata.files(name) or ()
        except importlib.metadata.PackageNotFoundError:
            continue
        for f in files:
            if f.name == "libmpi_abi.so.1":
                return os.path.realpath(str(f.locate()))
    return "libmpi_abi.so.1"


def _told(own: object) -> dict:
    """What each process says to all."""
    others = [r for r in range(world.size) if r != world.rank]
    text = json.dumps(own).encode().ljust(_RECORD)
    got = _core.comm_exchange(
        [(r, text) for r in others], [(r, _RECORD) for r in others], "communication.init()"
    )
    return dict(zip(others, (json.loads(g) for g in got))) | {world.rank: own}


def _meet() -> None:
    """Exchange what each process says of itself, and agree on a directory for notes."""
    own = {"host": world.hosts[0], "pid": os.getpid(), "place": ""}
    own["segment"] = _core.comm_segment()
    if world.rank == 0:
        own["place"] = ranks_watch.place()
    records = _told(own)
    world.hosts = [records[r]["host"] for r in range(world.size)]
    world.watch = ranks_watch.Watch(
        world.rank,
        [records[r]["pid"] for r in range(world.size)],
        world.hosts,
        records[0]["place"],
        _core.comm_counts,
    )
    _core.comm_watch(world.watch.waiting, world.watch.left, ranks_watch.running_line)
    _share(records)
    before = sys.excepthook

    def fails(kind, error, trace):
        world.watch.fail(f"{kind.__name__}: {error}".strip())
        before(kind, error, trace)

    sys.excepthook = fails


def _share(records: dict) -> None:
    """Agree on whether all processes may read one another's memory: those of one host, that let them."""
    reached = True
    for rank, r in records.items():
        if rank != world.rank:
            found = r["segment"]
            reached = reached and found is not None and _core.comm_reach(rank, r["pid"], *found)
    _core.comm_share(all(_told(reached).values()))


def _leave() -> None:
    """At the process's end: MPI ends in order only if all processes do."""
    with contextlib.suppress(RuntimeError, KeyboardInterrupt):
        _core.comm_settle()  # what devices still exchange
    try:
        in_order = world.watch.leave()
    except RuntimeError as e:
        # An exception here would not change the exit code.
        print(f"RuntimeError: {e}", file=sys.stderr)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)
    if in_order:
        _core.comm_close()  # returns when all are here, who have read their last notes
        if world.rank == 0 and "MINDS_NOTES" not in os.environ:
            shutil.rmtree(world.watch.directory, ignore_errors=True)

"""The processes of a program and their groups.

A program is one process until `begin`; then it is as many as it was started as, by
``python -m minds.launch``, ``mpiexec`` or a batch system. Ranks come from the MPI library, which is
opened only if there are several.
"""

from __future__ import annotations

import atexit
import importlib.metadata
import json
import os
import shutil
import socket
import sys

from .. import _core
from . import ranks_watch
from .errors import complain

WORLD_NAMES = ("hccl_world_group", "nccl_world_group", "mccl_world_group")
_WHEELS = ("mpich", "impi-rt")
_RECORD = 1024  # bytes that a process says of itself when it begins


class World:
    """What this process knows of the others.

    Attributes:
        begun (bool): between `begin` and `end`.
        rank (int), size (int): this process, and how many there are.
        hosts (list[str]): where each runs.
        groups (dict): ranks by the names that users gave.
        watch (Watch, None): what is told of and learnt from the others, if there are any.
    """

    def __init__(self):
        self.begun, self.rank, self.size = False, 0, 1
        self.hosts = [socket.gethostname()]
        self.groups: dict[str, tuple[int, ...]] = {}
        self.watch: ranks_watch.Watch | None = None

    def __deepcopy__(self, memo):
        return self


world = World()


def begin() -> None:
    """Begin to communicate.

    Raises:
        RuntimeError: there are several processes and no MPI library.
    """
    if world.begun:
        return
    if _is_one_of_several() and world.watch is None:
        _open()
        world.rank, world.size = _core.comm_world()
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


def _meet() -> None:
    """Exchange what each process says of itself, and agree on a directory for notes."""
    own = {"host": socket.gethostname(), "pid": os.getpid(), "place": ""}
    if world.rank == 0:
        own["place"] = ranks_watch.place()
    others = [r for r in range(world.size) if r != world.rank]
    text = json.dumps(own).encode().ljust(_RECORD)
    got = _core.comm_exchange(
        [(r, text) for r in others], [(r, _RECORD) for r in others], "communication.init()"
    )
    records = dict(zip(others, (json.loads(g) for g in got))) | {world.rank: own}
    world.hosts = [records[r]["host"] for r in range(world.size)]
    world.watch = ranks_watch.Watch(
        world.rank, [records[r]["pid"] for r in range(world.size)], world.hosts, records[0]["place"]
    )
    _core.comm_watch(world.watch.waiting, world.watch.left)
    before = sys.excepthook

    def fails(kind, error, trace):
        world.watch.fail(f"{kind.__name__}: {error}".strip())
        before(kind, error, trace)

    sys.excepthook = fails


def _leave() -> None:
    """At the process's end: MPI ends in order only if all processes do."""
    if world.watch.leave():
        _core.comm_close()  # returns when all are here, who have read their last notes
        if world.rank == 0 and "MINDS_NOTES" not in os.environ:
            shutil.rmtree(world.watch.directory, ignore_errors=True)


# ---- groups


def ranks_of(group=None, what: str = "communication") -> tuple[int, ...]:
    """The ranks of a group by its name; None is the world.

    Raises:
        TypeError: ``group`` is no name.
        ValueError: there is no such group.
    """
    if group is None:
        return tuple(range(world.size))
    if not isinstance(group, str):
        raise complain(
            TypeError, f"{what}: group has type {type(group).__name__}", expected="a str"
        )
    if group in WORLD_NAMES:
        return tuple(range(world.size))
    if group not in world.groups:
        known = ", ".join(map(repr, (WORLD_NAMES[0], *world.groups)))
        raise complain(
            ValueError,
            f"{what}: there is no group {group!r}",
            expected=f"one of {known}",
            cure="make it with create_group",
        )
    return world.groups[group]


def place_in(ranks: tuple, what: str) -> int:
    """Which of a group's processes this one is."""
    if world.rank not in ranks:
        raise complain(ValueError, f"{what}: rank {world.rank} is not in the group {list(ranks)}")
    return ranks.index(world.rank)

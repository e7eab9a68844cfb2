"""Who this process is: ranks and groups, under MindSpore's names."""

from __future__ import annotations

import os

from ..base.boundary import guard as _guard
from ..base.errors import complain
from ..base.world import WORLD_NAMES, place_in, ranks_of, world
from . import meeting

HCCL_WORLD_COMM_GROUP, NCCL_WORLD_COMM_GROUP, MCCL_WORLD_COMM_GROUP = WORLD_NAMES
_BACKENDS = ("hccl", "nccl", "mccl")


class GlobalComm:
    """What is true of all processes.

    Attributes:
        BACKEND (str): the library that they use, as MindSpore names it.
        WORLD_COMM_GROUP (str): the name of the group of all.
        INITED (bool): whether `init` was called.
        CHECK_ENVS (bool): accepted.

    Examples:
        >>> from minds.communication import GlobalComm
        >>> GlobalComm.WORLD_COMM_GROUP
        'hccl_world_group'
    """

    BACKEND = "hccl"
    WORLD_COMM_GROUP = HCCL_WORLD_COMM_GROUP
    INITED = False
    CHECK_ENVS = True


def init(backend_name: str | None = None) -> None:
    """Begin to communicate. What every process of a program calls first.

    On the CPU processes exchange messages by MPI, whatever the backend's name; one process alone needs
    nothing.

    Args:
        backend_name (str): ``"mccl"``, ``"hccl"`` or ``"nccl"``. Default: None, the device's.

    Raises:
        TypeError: ``backend_name`` is no str.
        RuntimeError: there is no such backend, or no MPI library.

    Examples:
        >>> from minds.communication import get_group_size, init
        >>> init()
        >>> get_group_size()
        1
    """
    if backend_name is not None and not isinstance(backend_name, str):
        what = f"init: backend_name has type {type(backend_name).__name__}"
        raise complain(TypeError, what, expected="a str")
    if backend_name not in (None, *_BACKENDS):
        what = f"init: backend_name is {backend_name!r}"
        raise complain(RuntimeError, what, expected="'hccl', 'nccl' or 'mccl'")
    meeting.begin()
    GlobalComm.INITED = True


def release() -> None:
    """End communication, until `init` is called again. Groups are forgotten.

    Examples:
        >>> from minds.communication import init, release
        >>> init()
        >>> release()
    """
    meeting.end()
    GlobalComm.INITED = False


def _begun(what: str) -> None:
    if not world.begun:
        raise complain(
            RuntimeError, f"{what}: communication has not begun", cure="call init() first"
        )


def _of_group(what: str, group, value, variable: str, otherwise: int) -> int:
    """``value(ranks)`` of a group; before `init`, what the launcher said, or ``otherwise``."""
    if group is not None and not isinstance(group, str):
        raise complain(
            TypeError, f"{what}: group has type {type(group).__name__}", expected="a str"
        )
    if not world.begun:
        return int(os.environ.get(variable, otherwise))
    return value(ranks_of(group, what))


def get_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """The number of this process in a group.

    Args:
        group (str): the group. Default: all processes.

    Returns:
        int: the number. Before `init` that of the variable ``RANK_ID``, or 0.

    Raises:
        TypeError: ``group`` is no str.
        ValueError: there is no such group, or this process is not in it.

    Examples:
        >>> from minds.communication import get_rank
        >>> get_rank()
        0
    """
    return _of_group("get_rank", group, lambda ranks: place_in(ranks, "get_rank"), "RANK_ID", 0)


def get_group_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """How many processes a group has.

    Args:
        group (str): the group. Default: all processes.

    Returns:
        int: the number. Before `init` that of the variable ``RANK_SIZE``, or 1.

    Raises:
        TypeError: ``group`` is no str.
        ValueError: there is no such group.

    Examples:
        >>> from minds.communication import get_group_size
        >>> get_group_size()
        1
    """
    return _of_group("get_group_size", group, len, "RANK_SIZE", 1)


def _beside(ranks: tuple) -> tuple:
    """Those of a group that run on this process's host."""
    return tuple([r for r in ranks if world.hosts[r] == world.hosts[world.rank]])


def get_local_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """The number of this process among those of a group that run on its host.

    Args:
        group (str): the group. Default: all processes.

    Returns:
        int: the number.

    Raises:
        TypeError: ``group`` is no str.
        ValueError: there is no such group, or this process is not in it.

    Examples:
        >>> from minds.communication import get_local_rank
        >>> get_local_rank()
        0
    """

    def number(ranks):
        return place_in(_beside(ranks), "get_local_rank")

    return _of_group("get_local_rank", group, number, "LOCAL_RANK", 0)


def get_local_rank_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """How many processes of a group run on this process's host.

    Args:
        group (str): the group. Default: all processes.

    Returns:
        int: the number.

    Raises:
        TypeError: ``group`` is no str.
        ValueError: there is no such group.

    Examples:
        >>> from minds.communication import get_local_rank_size
        >>> get_local_rank_size()
        1
    """

    def count(ranks):
        return len(_beside(ranks))

    return _of_group("get_local_rank_size", group, count, "LOCAL_RANK_SIZE", 1)


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """The number among all processes of one of a group.

    Args:
        group (str): the group.
        group_rank_id (int): the number in the group.

    Returns:
        int: the number among all.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there is no such group, or no such process in it.
        RuntimeError: `init` was not called.

    Examples:
        >>> from minds.communication import get_world_rank_from_group_rank, init
        >>> init()
        >>> get_world_rank_from_group_rank("hccl_world_group", 0)
        0
    """
    what = "get_world_rank_from_group_rank"
    _begun(what)
    ranks = ranks_of(group, what)
    _expect_int(what, "group_rank_id", group_rank_id)
    if not 0 <= group_rank_id < len(ranks):
        raise complain(
            ValueError,
            f"{what}: group_rank_id is {group_rank_id}",
            expected=f"in [0, {len(ranks)})",
        )
    return ranks[group_rank_id]


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """The number in a group of a process.

    Args:
        world_rank_id (int): the number among all.
        group (str): the group.

    Returns:
        int: the number in the group.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there is no such group, or the process is not in it.
        RuntimeError: `init` was not called.

    Examples:
        >>> from minds.communication import get_group_rank_from_world_rank, init
        >>> init()
        >>> get_group_rank_from_world_rank(0, "hccl_world_group")
        0
    """
    what = "get_group_rank_from_world_rank"
    _begun(what)
    ranks = ranks_of(group, what)
    _expect_int(what, "world_rank_id", world_rank_id)
    if world_rank_id not in ranks:
        expected = f"one of {list(ranks)}"
        raise complain(ValueError, f"{what}: world_rank_id is {world_rank_id}", expected=expected)
    return ranks.index(world_rank_id)


def _expect_int(what: str, name: str, value) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise complain(
            TypeError, f"{what}: {name} has type {type(value).__name__}", expected="an int"
        )


def create_group(group: str, rank_ids: list, options=None) -> None:
    """Make a group of processes. Those of the group call it, with the same numbers.

    Args:
        group (str): its name.
        rank_ids (list[int]): the numbers of its processes among all.
        options (Any): accepted.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: there is no such process, one is there twice, or the name is that of another group.
        RuntimeError: `init` was not called.

    Examples:
        >>> from minds.communication import create_group, get_group_size, init
        >>> init()
        >>> create_group("mine", [0])
        >>> get_group_size("mine")
        1
    """
    _begun("create_group")
    if not isinstance(group, str):
        what = f"create_group: group has type {type(group).__name__}"
        raise complain(TypeError, what, expected="a str")
    if not isinstance(rank_ids, list):
        what = f"create_group: rank_ids has type {type(rank_ids).__name__}"
        raise complain(TypeError, what, expected="a list of ints")
    for r in rank_ids:
        _expect_int("create_group", "rank_ids", r)
    all_there = all(0 <= r < world.size for r in rank_ids)
    if not rank_ids or not all_there or len(set(rank_ids)) < len(rank_ids):
        raise complain(
            ValueError,
            f"create_group: rank_ids is {rank_ids}",
            expected=f"different numbers in [0, {world.size})",
        )
    made = tuple(rank_ids)
    known = WORLD_NAMES if group not in world.groups else ()
    if group in known or world.groups.get(group, made) != made:
        raise complain(
            ValueError, f"create_group: there is a group {group!r}", cure="call destroy_group first"
        )
    world.groups[group] = made


def destroy_group(group: str) -> None:
    """Forget a group.

    Args:
        group (str): its name.

    Raises:
        TypeError: ``group`` is no str.
        ValueError: it is the group of all processes, or there is no such group.
        RuntimeError: `init` was not called.

    Examples:
        >>> from minds.communication import create_group, destroy_group, init
        >>> init()
        >>> create_group("first", [0])
        >>> destroy_group("first")
    """
    _begun("destroy_group")
    ranks_of(group, "destroy_group")
    if group in WORLD_NAMES:
        raise complain(ValueError, "destroy_group: the group of all processes stays")
    del world.groups[group]


def get_process_group_ranks(group: str = GlobalComm.WORLD_COMM_GROUP) -> list:
    """The processes of a group.

    Args:
        group (str): the group. Default: all processes.

    Returns:
        list[int]: their numbers among all.

    Raises:
        TypeError: ``group`` is no str.
        ValueError: there is no such group.
        RuntimeError: `init` was not called.

    Examples:
        >>> from minds.communication import get_process_group_ranks, init
        >>> init()
        >>> get_process_group_ranks()
        [0]
    """
    _begun("get_process_group_ranks")
    return list(ranks_of(group, "get_process_group_ranks"))


def get_comm_name(group: str = GlobalComm.WORLD_COMM_GROUP) -> str:
    """The name under which the library knows a group: its own.

    Args:
        group (str): the group. Default: all processes.

    Returns:
        str: the name.

    Raises:
        TypeError: ``group`` is no str.
        ValueError: there is no such group.
        RuntimeError: `init` was not called.

    Examples:
        >>> from minds.communication import get_comm_name, init
        >>> init()
        >>> get_comm_name()
        'hccl_world_group'
    """
    _begun("get_comm_name")
    ranks_of(group, "get_comm_name")
    return group


__all__ = [
    "HCCL_WORLD_COMM_GROUP",
    "MCCL_WORLD_COMM_GROUP",
    "NCCL_WORLD_COMM_GROUP",
    "create_group",
    "destroy_group",
    "get_comm_name",
    "get_group_rank_from_world_rank",
    "get_group_size",
    "get_local_rank",
    "get_local_rank_size",
    "get_process_group_ranks",
    "get_rank",
    "get_world_rank_from_group_rank",
    "init",
    "release",
]

_guard(__name__)

"""The processes of a program and their groups.

A program is one process until minds/communication/meeting.py has it meet the others.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .errors import complain

if TYPE_CHECKING:
    from .ranks_watch import Watch

WORLD_NAMES = ("hccl_world_group", "nccl_world_group", "mccl_world_group")


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
        self.hosts = [os.uname().nodename]
        self.groups: dict[str, tuple[int, ...]] = {}
        self.watch: Watch | None = None

    def __deepcopy__(self, memo):
        return self


world = World()


def local_rank() -> int:
    """The number of this process among those of its host, as the launcher says; 0 if none does."""
    named = ("LOCAL_RANK", "MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID")
    return int(next((os.environ[n] for n in named if n in os.environ), 0))


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

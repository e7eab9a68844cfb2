"""What MindSpore's models import from its module `communication._comm_helper`."""

from __future__ import annotations

from ..base.world import ranks_of, world
from ..communication.management import HCCL_WORLD_COMM_GROUP, GlobalComm


def _is_initialized() -> bool:
    """Whether `communication.init` was called."""
    return GlobalComm.INITED


def _is_available() -> bool:
    """Whether programs can be of several processes: always."""
    return True


def _is_mpi_available() -> bool:
    """Whether MPI can be used."""
    return True


def _is_hccl_available() -> bool:
    """Whether processes exchange by Huawei's library: no."""
    return False


def _is_nccl_available() -> bool:
    """Whether processes exchange by NVIDIA's library: no."""
    return False


def _get_rank_helper(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """This process's number in a group."""
    return ranks_of(group, "get_rank").index(world.rank)


def _get_size_helper(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """How many processes a group has."""
    return len(ranks_of(group, "get_group_size"))


def _get_group_ranks(group: str) -> list[int]:
    """The processes of a group."""
    return list(ranks_of(group, "get_process_group_ranks"))


__all__ = ["GlobalComm"]

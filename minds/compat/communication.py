"""`communication`: groups of processes. A program of minds runs in one process, which is a group by
itself.
"""

from __future__ import annotations

from ..base.errors import complain


def init(backend_name: str | None = None) -> None:
    """Begin: nothing is to be done for one process.

    Args:
        backend_name (str): accepted.

    Examples:
        >>> from minds.communication import init
        >>> init()
    """


def release() -> None:
    """End: nothing is to be done.

    Examples:
        >>> from minds.communication import release
        >>> release()
    """


def get_rank(group: str | None = None) -> int:
    """The number of this process in a group.

    Args:
        group (str): accepted.

    Returns:
        int: 0.

    Examples:
        >>> from minds.communication import get_rank
        >>> get_rank()
        0
    """
    return 0


def get_group_size(group: str | None = None) -> int:
    """How many processes a group has.

    Args:
        group (str): accepted.

    Returns:
        int: 1.

    Examples:
        >>> from minds.communication import get_group_size
        >>> get_group_size()
        1
    """
    return 1


def create_group(group: str, rank_ids: list) -> None:
    """Make a group of processes.

    Args:
        group (str): its name.
        rank_ids (list[int]): the numbers of its processes: ``[0]``.

    Raises:
        ValueError: there is no such process.

    Examples:
        >>> from minds.communication import create_group
        >>> create_group("mine", [0])
    """
    if list(rank_ids) != [0]:
        raise complain(
            ValueError, f"create_group: rank_ids is {rank_ids!r}", expected="[0], the only process"
        )


get_local_rank, get_local_rank_size = get_rank, get_group_size

__all__ = [
    "create_group",
    "get_group_size",
    "get_local_rank",
    "get_local_rank_size",
    "get_rank",
    "init",
    "release",
]

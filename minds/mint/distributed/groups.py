"""Who this process is, under torch's names."""

from __future__ import annotations

from ...base.boundary import guard as _guard
from ...base.world import world
from ...communication import management

_WORLD = management.HCCL_WORLD_COMM_GROUP


def init_process_group(
    backend="mccl",
    init_method=None,
    timeout=None,
    world_size=-1,
    rank=-1,
    store=None,
    group_name="",
    pg_options=None,
    device_id=None,
):
    """Begin to communicate; see `communication.init`.

    Args:
        backend (str): as for `communication.init`. Default: ``"mccl"``.
        init_method (str): accepted; the launcher says where the others are.
        timeout (timedelta): accepted; ``MINDS_COMM_TIMEOUT`` says how long a process waits.
        world_size (int): accepted.
        rank (int): accepted.
        store (Any): accepted.
        group_name (str): accepted.
        pg_options (Any): accepted.
        device_id (int): accepted.

    Raises:
        TypeError: ``backend`` is no str.
        RuntimeError: there is no such backend, or no MPI library.

    Examples:
        >>> from minds.mint.distributed import init_process_group
        >>> init_process_group()
    """
    management.init(backend)


def destroy_process_group(group=None):
    """Forget a group; without one, end communication.

    Args:
        group (str): the group. Default: None, all processes.

    Raises:
        ValueError: there is no such group.
        RuntimeError: communication has not begun.

    Examples:
        >>> from minds.mint.distributed import destroy_process_group
        >>> from minds.mint.distributed import init_process_group
        >>> init_process_group()
        >>> destroy_process_group()
    """
    if group is None or group in (_WORLD, management.MCCL_WORLD_COMM_GROUP):
        management.release()
    else:
        management.destroy_group(group)


def get_rank(group=None):
    """The number of this process in a group.

    Args:
        group (str): the group. Default: None, all processes.

    Returns:
        int: the number.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import get_rank
        >>> get_rank()
        0
    """
    return management.get_rank(_WORLD if group is None else group)


def get_world_size(group=None):
    """How many processes a group has.

    Args:
        group (str): the group. Default: None, all processes.

    Returns:
        int: the number.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.

    Examples:
        >>> from minds.mint.distributed import get_world_size
        >>> get_world_size()
        1
    """
    return management.get_group_size(_WORLD if group is None else group)


def new_group(
    ranks=None,
    timeout=None,
    backend=None,
    pg_options=None,
    use_local_synchronization=False,
    group_desc=None,
):
    """Make a group of processes.

    Args:
        ranks (list[int]): their numbers. Default: None, all.
        timeout (Any): accepted.
        backend (str): accepted.
        pg_options (Any): accepted.
        use_local_synchronization (bool): accepted.
        group_desc (str): its name. Default: None, made of the numbers.

    Returns:
        str: its name.

    Raises:
        TypeError: ``ranks`` is no list of ints.
        ValueError: there is no such process, or one is there twice.
        RuntimeError: communication has not begun.

    Examples:
        >>> from minds.mint.distributed import new_group
        >>> from minds.mint.distributed import init_process_group
        >>> init_process_group()
        >>> new_group([0])
        'group_0'
    """
    ranks = list(range(world.size)) if ranks is None else ranks
    name = group_desc or f"group_{'_'.join(map(str, ranks))}"
    management.create_group(name, ranks)
    return name


def get_backend(group=None):
    """The library that a group uses.

    Args:
        group (str): the group. Default: None, all processes.

    Returns:
        str: ``"mccl"``.

    Raises:
        ValueError: there is no such group.
        RuntimeError: communication has not begun.

    Examples:
        >>> from minds.mint.distributed import get_backend
        >>> from minds.mint.distributed import init_process_group
        >>> init_process_group()
        >>> get_backend()
        'mccl'
    """
    management.get_process_group_ranks(_WORLD if group is None else group)
    return "mccl"


def get_global_rank(group, group_rank):
    """The number among all processes of one of a group.

    Args:
        group (str): the group.
        group_rank (int): the number in the group.

    Returns:
        int: the number among all.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.
        RuntimeError: communication has not begun.

    Examples:
        >>> from minds.mint.distributed import get_global_rank
        >>> from minds.mint.distributed import init_process_group
        >>> init_process_group()
        >>> get_global_rank("hccl_world_group", 0)
        0
    """
    return management.get_world_rank_from_group_rank(group, group_rank)


def get_group_rank(group, global_rank):
    """The number in a group of a process.

    Args:
        group (str): the group.
        global_rank (int): the number among all.

    Returns:
        int: the number in the group.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.
        RuntimeError: communication has not begun.

    Examples:
        >>> from minds.mint.distributed import get_group_rank
        >>> from minds.mint.distributed import init_process_group
        >>> init_process_group()
        >>> get_group_rank("hccl_world_group", 0)
        0
    """
    return management.get_group_rank_from_world_rank(global_rank, group)


def get_process_group_ranks(group=None):
    """The processes of a group.

    Args:
        group (str): the group. Default: None, all processes.

    Returns:
        list[int]: their numbers among all.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the shapes do not fit, or there is no such group or process.
        RuntimeError: communication has not begun.

    Examples:
        >>> from minds.mint.distributed import get_process_group_ranks
        >>> from minds.mint.distributed import init_process_group
        >>> init_process_group()
        >>> get_process_group_ranks()
        [0]
    """
    return management.get_process_group_ranks(_WORLD if group is None else group)


def is_available():
    """Whether programs can be of several processes: always.

    Returns:
        bool: True.

    Examples:
        >>> from minds.mint.distributed import is_available
        >>> is_available()
        True
    """
    return True


def is_initialized():
    """Whether communication has begun.

    Returns:
        bool: whether.

    Examples:
        >>> from minds.mint.distributed import is_initialized
        >>> isinstance(is_initialized(), bool)
        True
    """
    return world.begun


__all__ = [
    "destroy_process_group",
    "get_backend",
    "get_global_rank",
    "get_group_rank",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "init_process_group",
    "is_available",
    "is_initialized",
    "new_group",
]

_guard(__name__)

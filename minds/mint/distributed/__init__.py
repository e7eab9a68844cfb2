"""`mint.distributed`: collectives under torch's names, which write their results into given tensors.

Ranks are of the world. With ``async_op=True`` a result is in place when ``wait`` of the returned handle has
returned; else None is returned. In compiled code use the primitives of `ops`, or `communication.comm_func`.
"""

from ...base.boundary import guard as _guard
from ...communication.comm_func import P2POp
from .groups import (
    destroy_process_group,
    get_backend,
    get_global_rank,
    get_group_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    init_process_group,
    is_available,
    is_initialized,
    new_group,
)
from .lists import (
    all_gather,
    all_to_all,
    barrier,
    broadcast,
    gather,
    reduce,
    reduce_scatter,
    scatter,
)
from .messages import (
    all_gather_object,
    batch_isend_irecv,
    broadcast_object_list,
    gather_object,
    irecv,
    isend,
    recv,
    recv_object_list,
    scatter_object_list,
    send,
    send_object_list,
)
from .tensors import (
    all_gather_into_tensor,
    all_gather_into_tensor_uneven,
    all_reduce,
    all_to_all_single,
    reduce_scatter_tensor,
    reduce_scatter_tensor_uneven,
)

__all__ = [
    "P2POp",
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_into_tensor_uneven",
    "all_gather_object",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "broadcast_object_list",
    "destroy_process_group",
    "gather",
    "gather_object",
    "get_backend",
    "get_global_rank",
    "get_group_rank",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "init_process_group",
    "irecv",
    "is_available",
    "is_initialized",
    "isend",
    "new_group",
    "recv",
    "recv_object_list",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "reduce_scatter_tensor_uneven",
    "scatter",
    "scatter_object_list",
    "send",
    "send_object_list",
]

_guard(__name__)

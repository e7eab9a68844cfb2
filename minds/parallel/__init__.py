"""Programs on many devices, as users say and see it."""

from ..base.boundary import guard as _guard
from ..base.late import late as _late
from ..base.outlines import shapes_alone
from ..sharding.cluster import Cluster, Link, cluster
from . import auto_parallel, function
from .pictures import layout_picture
from .plan import StepPlan, plan
from .shard import Layout, shard

__all__ = [
    "Cluster",
    "Layout",
    "Link",
    "StepPlan",
    "auto_parallel",
    "cluster",
    "function",
    "layout_picture",
    "plan",
    "shapes_alone",
    "shard",
]
__getattr__, __dir__ = _late(
    __name__,
    {
        "compat.algo_parameters": "get_algo_parameters reset_algo_parameters set_algo_parameters",
        "compat.checkpoint_parts": """convert_checkpoint_by_rank convert_checkpoints parameter_broadcast
            rank_list_for_convert restore_group_info_list set_op_strategy_config
            sync_pipeline_shared_parameters""",
        "train.slices": "build_searched_strategy load_segmented_checkpoints merge_sliced_parameter",
        "train": """load_distributed_checkpoint merge_pipeline_strategys rank_list_for_transform
            transform_checkpoint_by_rank transform_checkpoints unified_safetensors""",
    },
)
_guard(__name__)

"""What to use for a name of MindSpore's that minds does not have.

`late` and `compat` put it into the errors of a missing name, `compat.check` into its report.
"""

from __future__ import annotations

import sys

_CURES = {
    "it is a fused kernel of Ascend devices; write it with ops.matmul, ops.softmax and ops.rms_norm": """
        add_layer_norm add_rms_norm
        flash_attention_score fused_infer_attention_score incre_flash_attention lightning_indexer
        multi_scale_deformable_attn_function npu_gelu nsa_compress nsa_compress_attention
        nsa_select_attention prompt_flash_attention ring_attention_update rotary_position_embedding
        sparse_flash_attention speed_fusion_attention""",
    "it is a kernel of Ascend devices for experts; write it with ops.gather and ops.scatter_nd": """
        moe_distribute_combine moe_distribute_dispatch moe_init_routing_v2 moe_token_permute
        moe_token_unpermute""",
    "it joins a matrix product and a collective on Ascend devices; call ops.matmul and the collective": """
        all_gather_matmul matmul_reduce_scatter""",
    "it registers kernels of MindSpore's own compilers; use ops.Custom": """
        AiCPURegOp AkgAscendRegOp AkgCpuRegOp AkgGpuRegOp AkgRegOp CpuRegOp TBERegOp
        op_info_register""",
    "it keeps parameters on servers, which minds does not; use parallel training": """
        MapCacheIdx Pull Push SubAndFilter get_ps_context set_ps_context""",
    "its graphs are compiled at another place; use minds.jit": "GeSwitch J env_get environ_get",
    "MindSpore's CPU and GPU have no such tables either; use nn.Embedding": "MapParameter",
    "it builds on MindSpore's own C++ headers; use ops.Custom with a library of C++": "CustomOpBuilder",
    "use nn.DistributedGradReducer, which takes the mean of gradients": """
        AdaSumByDeltaWeightWrapCell AdaSumByGradWrapCell""",
    "data come from datasets, by train.Model or by a loop over one": "GetNextSingleOp",
    "say how data lie by set_auto_parallel_context(dataset_strategy=...)": "VirtualDatasetCellTriple",
    "say layouts by parallel.Layout and parallel.shard": "manual_split",
    "processes exchange objects by mint.distributed.all_gather_object": "TCPStore",
    "its files are read by load": "load_mindir",
    "its files are written by export": "save_mindir",
    "it recovers jobs on Ascend clusters; use train.BackupAndRestore": """
        OptTFTWrapper TFTCommValue RSCPluginHandle get_sdc_detect_result sdc_detect_start
        sdc_detect_stop stress_detect""",
}
_CURE_OF = {name: cure for cure, names in _CURES.items() for name in names.split()}
_FAMILIES = ("ops", "nn", "mint", "mint.nn", "mint.nn.functional", "numpy", "scipy", "train", "")


def advice(path: str) -> str:
    """What to use for a missing name, in a few words; empty where nothing is known.

    Args:
        path: the name with its modules, below the package: ``"ops.FloatStatus"``.

    Examples:
        >>> from minds.base.missing import advice
        >>> advice("nn.dense"), advice("ops.Dense2")
        ('use nn.Dense', '')
    """
    home, _, name = path.rpartition(".")
    if name in _CURE_OF:
        return _CURE_OF[name]
    root = __name__.split(".")[0]
    wanted = _plain(name)
    for family in dict.fromkeys((home, *_FAMILIES)):
        module = sys.modules.get(f"{root}.{family}".rstrip("."))
        alike = [n for n in _names_of(module) if _plain(n) == wanted]
        for found in (name, *alike):
            place = f"{family}.{found}".lstrip(".")
            if found in alike and place != path:
                return f"use {place}"
    return ""


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _names_of(module) -> list[str]:
    return [] if module is None else [n for n in dir(module) if not n.startswith("_")]

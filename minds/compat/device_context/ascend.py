"""Ascend devices."""

from __future__ import annotations

from ...hal import kinds
from .accepted import accepted


def device_count() -> int:
    """How many there are.

    Returns:
        int: the number.

    Examples:
        >>> ms.device_context.ascend.device_count() >= 0
        True
    """
    return kinds.device_count("Ascend")


def is_available() -> bool:
    """Whether there is one.

    Returns:
        bool: whether.

    Examples:
        >>> ms.device_context.ascend.is_available() in (True, False)
        True
    """
    return kinds.is_available("Ascend")


op_tuning = accepted("aclnn_cache aoe_job_type aoe_tune_mode op_compile")
op_precision = accepted("conv_allow_hf32 matmul_allow_hf32 op_precision_mode precision_mode")
op_debug = accepted("aclinit_config debug_option execute_timeout")

__all__ = ["device_count", "is_available", "op_debug", "op_precision", "op_tuning"]

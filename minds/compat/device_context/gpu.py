"""CUDA devices."""

from __future__ import annotations

from ...base.options import get_context, set_context
from ...hal import kinds
from .accepted import accepted


def conv_allow_tf32(value: bool) -> None:
    """Whether convolutions of float32 may be rounded to TF32.

    Args:
        value (bool): whether.

    Raises:
        TypeError: it is no bool.

    Examples:
        >>> ms.device_context.gpu.op_precision.conv_allow_tf32(False)
    """
    _allow("conv_allow_tf32", value)


def matmul_allow_tf32(value: bool) -> None:
    """Whether matrix products of float32 may be rounded to TF32.

    Args:
        value (bool): whether.

    Raises:
        TypeError: it is no bool.

    Examples:
        >>> ms.device_context.gpu.op_precision.matmul_allow_tf32(False)
    """
    _allow("matmul_allow_tf32", value)


def _allow(name: str, value: bool) -> None:
    set_context(gpu_config={**(get_context("gpu_config") or {}), name: value})


def device_count() -> int:
    """How many there are.

    Returns:
        int: the number.

    Examples:
        >>> ms.device_context.gpu.device_count() >= 0
        True
    """
    return kinds.device_count("GPU")


def is_available() -> bool:
    """Whether there is one.

    Returns:
        bool: whether.

    Examples:
        >>> ms.device_context.gpu.is_available() in (True, False)
        True
    """
    return kinds.is_available("GPU")


op_tuning = accepted("conv_dgrad_algo conv_fprop_algo conv_wgrad_algo")
op_precision = accepted("", conv_allow_tf32=conv_allow_tf32, matmul_allow_tf32=matmul_allow_tf32)

__all__ = ["device_count", "is_available", "op_precision", "op_tuning"]

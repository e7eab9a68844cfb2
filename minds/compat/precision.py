"""What MindSpore's models import from inside its module `train.amp`."""

from __future__ import annotations

from ..base import dtype as dt
from ..nn import Cell, WithLossCell
from ..train import amp
from ..train.loss_scale_manager import DynamicLossScaleManager
from ..train.mixed_precision import (
    BLACK_LIST,
    WHITE_LIST,
    auto_mixed_precision,
    custom_mixed_precision,
    keep_batch_norm,
    keep_float32,
)

AMP_WHITE_LIST = list(WHITE_LIST)
AMP_BLACK_LIST = list(BLACK_LIST)


def _level(keep: bool, cast: dt.DType, manager=None) -> dict:
    return {"keep_batchnorm_fp32": keep, "cast_model_type": cast, "loss_scale_manager": manager}


_config_level = {
    "O0": _level(False, dt.float32),
    "O1": _level(False, dt.float32),
    "O2": _level(True, dt.float16, DynamicLossScaleManager()),
    "O3": _level(False, dt.float16),
    "auto": _level(False, dt.float32),
}


def _do_keep_batchnorm_fp32(network: Cell) -> None:
    """Let the norms of a network in float16 compute in float32."""
    keep_batch_norm(network, dt.float16)


def _add_loss_network(network: Cell, loss_fn: Cell, cast_model_type: dt.DType) -> Cell:
    """The network with its loss, which computes in float32 where the network does not."""
    half = cast_model_type in (dt.float16, dt.bfloat16)
    return WithLossCell(network, amp.InFloat32(loss_fn) if half else loss_fn)


def _auto_black_list(network: Cell, black_list: list, dtype: dt.DType) -> Cell:
    """A network in a lower precision but for cells of some classes."""
    network.to_float(dtype)
    keep_float32(network, tuple(black_list), dtype)
    return network


def _auto_white_list(network: Cell, white_list: list, dtype: dt.DType) -> Cell:
    """A network of which cells of some classes compute in a lower precision."""
    return custom_mixed_precision(network, white_list=white_list, dtype=dtype)


def _auto_mixed_precision_rewrite(network: Cell, dtype, *, white_list=None, black_list=None):
    """A network of which some classes compute in a lower precision, or all but some."""
    return custom_mixed_precision(
        network, white_list=white_list, black_list=black_list, dtype=dtype
    )


__all__ = ["AMP_BLACK_LIST", "AMP_WHITE_LIST", "auto_mixed_precision"]

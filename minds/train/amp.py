"""Mixed precision, loss scaling, and the training step of a network that puts them together."""

from __future__ import annotations

from .. import nn
from ..base import dtype as dt
from ..base.boundary import guard as _guard
from ..base.errors import complain
from ..base.late import late
from ..nn.precision import CellPrecision
from .loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
from .loss_scaler import (
    DynamicLossScaler,
    LossScaler,
    StaticLossScaler,
    all_finite,
    init_status,
)
from .mixed_precision import (
    LEVELS,
    auto_mixed_precision,
    custom_mixed_precision,
    get_black_list,
    get_white_list,
    keep_batch_norm,
)


def build_train_network(
    network, optimizer, loss_fn=None, level: str = "O0", boost_level: str = "O0", **kwargs
):
    """A cell whose call is one training step and gives the loss.

    Args:
        network (Cell): the network; without ``loss_fn`` its output is the loss. It is changed as
            `auto_mixed_precision` says.
        optimizer (Optimizer, None): updates the parameters; None only computes the loss.
        loss_fn (Cell, optional): gets the network's output and the label; in float32, where the
            network computes in float16.
        level (str): ``"O0"``, ``"O1"``, ``"O2"``, ``"O3"`` or ``"auto"`` (`auto_mixed_precision`). ``"O2"``
            also scales the loss by a DynamicLossScaleManager. Default ``"O0"``.
        boost_level (str): ``"O0"``.
        kwargs (Any): what takes the place of what the level says: ``loss_scale_manager``, a
            LossScaleManager or None; ``cast_model_type``, float16 or float32, what the network
            computes in; ``keep_batchnorm_fp32``, whether its norms compute in float32.

    Returns:
        Cell: the step.

    Raises:
        TypeError: ``loss_scale_manager`` is none, or ``keep_batchnorm_fp32`` is no bool.
        ValueError: there is no such level, keyword or dtype.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> from minds import train
        >>> net = nn.Dense(2, 1, "zeros", "zeros")
        >>> opt = nn.SGD(net.trainable_params(), 0.1)
        >>> step = train.build_train_network(net, opt, nn.MSELoss())
        >>> print(step(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0]])))
        9.0
    """
    _check(level, boost_level, kwargs)
    _set_precision(network, level, kwargs)
    half = level in ("O2", "O3", "auto") or kwargs.get("cast_model_type") is dt.float16
    if loss_fn is not None:
        network = nn.WithLossCell(network, InFloat32(loss_fn) if half else loss_fn)
    if optimizer is None:
        return network
    manager = kwargs.get("loss_scale_manager", DynamicLossScaleManager() if level == "O2" else None)
    if manager is None:
        return nn.TrainOneStepCell(network, optimizer)
    update = manager.get_update_cell()
    if update is None:
        return nn.TrainOneStepCell(network, optimizer, manager.get_loss_scale())
    return nn.TrainOneStepWithLossScaleCell(network, optimizer, update)


class InFloat32(nn.Cell):
    """A loss of what a network in half precision gives."""

    def __init__(self, loss_fn):
        super().__init__(auto_prefix=False)
        self._loss_fn = loss_fn
        self._precision, self._plain = CellPrecision(dt.float32), False

    def construct(self, output, label):
        return self._loss_fn(output, label)


def _check(level, boost_level, kwargs: dict) -> None:
    name = "build_train_network"
    if level not in LEVELS or boost_level != "O0":
        raise complain(
            ValueError,
            f"{name}: level is {level!r}, boost_level {boost_level!r}",
            expected=f"{', '.join(map(repr, LEVELS))}, and 'O0'",
        )
    unknown = set(kwargs) - {"cast_model_type", "keep_batchnorm_fp32", "loss_scale_manager"}
    if unknown:
        raise complain(ValueError, f"{name}: there is no argument {', '.join(sorted(unknown))}")
    cast = kwargs.get("cast_model_type", dt.float32)
    if cast not in (dt.float16, dt.float32):
        raise complain(
            ValueError, f"{name}: cast_model_type is {cast!r}", expected="float16 or float32"
        )
    manager, keep = kwargs.get("loss_scale_manager"), kwargs.get("keep_batchnorm_fp32", False)
    if manager is not None and not isinstance(manager, LossScaleManager):
        raise complain(
            TypeError,
            f"{name}: loss_scale_manager has type {type(manager).__name__}",
            expected="a LossScaleManager",
        )
    if not isinstance(keep, bool):
        raise complain(
            TypeError,
            f"{name}: keep_batchnorm_fp32 has type {type(keep).__name__}",
            expected="a bool",
        )


def _set_precision(network, level: str, given: dict) -> None:
    """Let ``network`` compute as ``level`` says, and the keywords that take its place."""
    cast = given.get("cast_model_type")
    keep = given.get("keep_batchnorm_fp32", level == "O2")
    if cast is None and (level not in ("O2", "O3") or keep == (level == "O2")):
        auto_mixed_precision(network, level)
    elif cast is not dt.float32:
        network.to_float(dt.float16)
        if keep:
            keep_batch_norm(network, dt.float16)


__all__ = [
    "DynamicLossScaleManager",
    "DynamicLossScaler",
    "FixedLossScaleManager",
    "LossScaleManager",
    "LossScaler",
    "StaticLossScaler",
    "all_finite",
    "init_status",
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
]
_guard(__name__)

__getattr__, __dir__ = late(
    __name__,
    {
        "compat.precision": """AMP_BLACK_LIST AMP_WHITE_LIST _add_loss_network _auto_black_list
            _auto_mixed_precision_rewrite _auto_white_list _config_level _do_keep_batchnorm_fp32"""
    },
)

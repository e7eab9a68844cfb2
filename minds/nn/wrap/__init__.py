"""Cells around a network: with its loss, its gradient, its training step."""
from .cell_wrapper import (DistributedGradReducer, ForwardValueAndGrad, ParameterUpdate, TrainOneStepCell, WithEvalCell,
                           WithGradCell, WithLossCell)
from .loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell, TrainOneStepWithLossScaleCell

__all__ = ["DistributedGradReducer", "DynamicLossScaleUpdateCell", "FixedLossScaleUpdateCell", "ForwardValueAndGrad",
           "ParameterUpdate", "TrainOneStepCell", "TrainOneStepWithLossScaleCell", "WithEvalCell", "WithGradCell",
           "WithLossCell"]

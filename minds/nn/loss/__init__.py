"""Losses; `minds.nn` exports them all."""
from . import loss
from .loss import (BCELoss, BCEWithLogitsLoss, CTCLoss, MultilabelMarginLoss, SampledSoftmaxLoss, CosineEmbeddingLoss, CrossEntropyLoss, DiceLoss, FocalLoss,
                   GaussianNLLLoss, HingeEmbeddingLoss, HuberLoss, KLDivLoss, L1Loss, LossBase, MAELoss,
                   MarginRankingLoss, MSELoss, MultiClassDiceLoss, MultiLabelSoftMarginLoss, MultiMarginLoss,
                   NLLLoss, PoissonNLLLoss, RMSELoss, SmoothL1Loss, SoftMarginLoss,
                   SoftmaxCrossEntropyWithLogits, TripletMarginLoss, TripletMarginWithDistanceLoss)

__all__ = loss.__all__

"""`minds.nn.loss.loss`: MindSpore's place for the losses."""

from .base import LossBase
from .classification import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    DiceLoss,
    FocalLoss,
    HingeEmbeddingLoss,
    MultiClassDiceLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    NLLLoss,
    SoftMarginLoss,
    SoftmaxCrossEntropyWithLogits,
)
from .regression import (
    CosineEmbeddingLoss,
    GaussianNLLLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MAELoss,
    MarginRankingLoss,
    MSELoss,
    PoissonNLLLoss,
    RMSELoss,
    SmoothL1Loss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from .sequence import CTCLoss, MultilabelMarginLoss, SampledSoftmaxLoss

_Loss = LossBase

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "MultilabelMarginLoss",
    "SampledSoftmaxLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "DiceLoss",
    "FocalLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "LossBase",
    "MAELoss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiClassDiceLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "PoissonNLLLoss",
    "RMSELoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "SoftmaxCrossEntropyWithLogits",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]

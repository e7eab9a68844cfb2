"""Cells: layers, containers, losses, optimisers, learning rates."""

from .. import metrics as _metrics
from ..base.boundary import guard as _guard
from ..base.late import given_out as _given_out
from ..base.late import late as _late
from .cell import Cell
from .dynamic_lr import (
    cosine_decay_lr,
    exponential_decay_lr,
    inverse_decay_lr,
    natural_exp_decay_lr,
    piecewise_constant_lr,
    polynomial_decay_lr,
    warmup_lr,
)
from .grad import Jvp, Vjp
from .graph_cell import GraphCell
from .layer import primitives as _primitives
from .layer.activation import (
    GELU,
    GLU,
    FastGelu,
    HSigmoid,
    HSwish,
    LogSigmoid,
    Mish,
    Sigmoid,
    SiLU,
    Softsign,
    Tanh,
    Tanhshrink,
    get_activation,
)
from .layer.basic import (
    BiDense,
    ClipByNorm,
    Dense,
    Dropout,
    Dropout1d,
    Dropout2d,
    Dropout3d,
    Flatten,
    Identity,
    Linear,
    OneHot,
    Unflatten,
)
from .layer.batch_norm import BatchNorm1d, BatchNorm2d, BatchNorm3d, SyncBatchNorm
from .layer.combined import (
    LRN,
    Conv2dBnAct,
    DenseBnAct,
    L1Regularizer,
    LPPool1d,
    LPPool2d,
    TimeDistributed,
)
from .layer.container import CellDict, CellList, SequentialCell
from .layer.conv import Conv1d, Conv1dTranspose, Conv2d, Conv2dTranspose
from .layer.conv3d import Conv3d, Conv3dTranspose
from .layer.embedding import Embedding, EmbeddingLookup, MultiFieldEmbeddingLookup
from .layer.ext import (
    AvgPool1dExt,
    AvgPool2dExt,
    AvgPool3dExt,
    Dropout2dExt,
    DropoutExt,
    EmbeddingExt,
    L1LossExt,
    LayerNormExt,
    LogSoftmaxExt,
    MaxPool2dExt,
    PReLUExt,
)
from .layer.image import (
    PSNR,
    CentralCrop,
    ChannelShuffle,
    ImageGradients,
    PixelShuffle,
    PixelUnshuffle,
    ResizeBilinear,
    Unfold,
    Upsample,
)
from .layer.math import (
    DiGamma,
    IGamma,
    LBeta,
    LGamma,
    MatDet,
    MatInverse,
    MatMul,
    MatrixDiag,
    MatrixDiagPart,
    MatrixSetDiag,
    Moments,
    Norm,
    Range,
    ReduceLogSumExp,
    Roll,
    Tril,
    Triu,
)
from .layer.norm import GroupNorm, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d, LayerNorm
from .layer.padding import (
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    Pad,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad2d,
)
from .layer.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AvgPool1d,
    AvgPool2d,
    MaxPool1d,
    MaxPool2d,
)
from .layer.quantized import QuantizedConv2d, QuantizedDense
from .layer.rectifier import (
    CELU,
    ELU,
    Hardtanh,
    HShrink,
    LeakyReLU,
    PReLU,
    ReLU,
    ReLU6,
    RReLU,
    SeLU,
    SoftShrink,
    Threshold,
)
from .layer.rnn import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from .layer.similarity import MSSSIM, SSIM
from .layer.softmax import LogSoftmax, Softmax, Softmax2d, Softmin
from .layer.transformer import (
    MultiheadAttention,
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from .layer.unpool import MaxUnpool1d, MaxUnpool2d, MaxUnpool3d
from .layer.volume import (
    AdaptiveAvgPool3d,
    AdaptiveMaxPool3d,
    AvgPool3d,
    FractionalMaxPool2d,
    FractionalMaxPool3d,
    MaxPool3d,
)
from .learning_rate_schedule import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    LearningRateSchedule,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
)
from .loss.base import (
    LossBase,
)
from .loss.classification import (
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
from .loss.regression import (
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
from .loss.sequence import (
    CTCLoss,
    MultilabelMarginLoss,
    SampledSoftmaxLoss,
)
from .optim.adafactor import AdaFactor
from .optim.adam import (
    Adam,
    AdaMax,
    AdamOffload,
    AdamWeightDecay,
    Lamb,
    LazyAdam,
)
from .optim.adaptive import (
    FTRL,
    Adadelta,
    Adagrad,
    ProximalAdagrad,
    RMSProp,
)
from .optim.lars import (
    LARS,
)
from .optim.momentum import (
    SGD,
    Momentum,
)
from .optim.optimizer import (
    Optimizer,
    opt_init_args_register,
)
from .optim.rprop import (
    ASGD,
    Rprop,
)
from .sparse import SparseTensorDenseMatmul, SparseToDense
from .wrap.cell_wrapper import (
    ForwardValueAndGrad,
    GradAccumulationCell,
    ParameterUpdate,
    TrainOneStepCell,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
)
from .wrap.grad_reducer import (
    DistributedGradReducer,
    PipelineGradReducer,
)
from .wrap.loss_scale import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepWithLossScaleCell,
)
from .wrap.pipelines import (
    GradAccumulation,
    MicroBatchInterleaved,
    PipelineCell,
)

# MindSpore has the metrics here too.
globals().update(_given_out(_metrics))
_LATE = {
    "compat.api": "no_init_parameters",
    "nn.layer.thor": "Conv2dThor DenseThor EmbeddingLookupThor EmbeddingThor",
    "nn.optim.thor": "thor",
}
__all__ = sorted(
    [n for n, v in globals().items() if not n.startswith("_") and callable(v)]
    + " ".join(_LATE.values()).split()
)
__getattr__, __dir__ = _late(__name__, _LATE, ["probability"])
_guard(__name__)

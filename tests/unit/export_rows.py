"""Layers with a batch of any size: a row has the class, its arguments, and its inputs.

An input is its shape, with ``n`` for the size of the batch and ``t`` for another open one, after
what it holds: numbers (no prefix), numbers between 0 and 1 (``p``), whole numbers below k (``k``), the
number k (``=k``), signs (``s``), a row of 0 and a 1 (``h``), positive definite matrices (``d``).
"""

import numpy as np

from minds import Tensor, nn

relu = nn.ReLU()
DRAWN = Tensor([1, 4, 5]), Tensor([[0.5]]), Tensor([0.5, 0.2, 0.1])
dense, loss = nn.Dense(8, 4), nn.MSELoss()
encoder, decoder = nn.TransformerEncoderLayer(8, 2, 16), nn.TransformerDecoderLayer(8, 2, 16)


def value(spec: str | tuple, n: int | None):
    """An input for a batch of ``n``; for None its declaration."""
    if spec is None:
        return None
    if isinstance(spec, tuple):
        return tuple([value(s, n) for s in spec])
    kind, _, dims = spec.rpartition(":")
    sizes = {"n": n, "t": None if n is None else n + 1}
    shape = [sizes[d] if d in sizes else int(d) for d in dims.split()]
    if n is None:
        return Tensor(shape=shape, dtype=value(spec, 1).dtype)
    rng = np.random.default_rng(len(spec))
    if kind.isdigit():
        return Tensor(rng.integers(0, int(kind), shape).astype(np.int32))
    if kind[:1] == "=":
        return Tensor(np.full(shape, int(kind[1:]), np.int32))
    x = rng.uniform(0.05, 0.95, shape)
    if kind == "":
        x = 2 * x - 1
    elif kind == "s":
        x = np.sign(x - 0.5)
    elif kind == "h":
        x = np.eye(shape[-1])[x.argmax(-1)]
    elif kind == "d":
        x = x @ x.swapaxes(-1, -2) + np.eye(shape[-1])
    return Tensor(x.astype(np.float32))


NN = [
    # activations
    *[
        (name, (), "n 3 4")
        for name in """
        CELU ELU FastGelu GELU HShrink HSigmoid HSwish Hardtanh LeakyReLU LogSigmoid LogSoftmax
        LogSoftmaxExt Mish PReLU PReLUExt RReLU ReLU ReLU6 SeLU SiLU Sigmoid SoftShrink Softmax
        Softmin Softsign Tanh Tanhshrink Identity DiGamma LGamma
        Dropout DropoutExt Moments Norm L1Loss""".split()
        if name != "L1Loss"
    ],
    ("GLU", (), "n 3 4"),
    ("PReLU", (3,), "n 3 4"),
    ("Threshold", (0.1, 2.0), "n 3 4"),
    ("Softmax2d", (), "n 3 4 4"),
    # dense layers, embeddings
    ("Dense", (8, 4), "n 8"),
    ("Dense", (8, 4), "n 5 8"),
    ("Linear", (8, 4), "n 8"),
    ("DenseBnAct", (8, 4), "n 8"),
    ("BiDense", (3, 4, 5), "n 3", "n 4"),
    ("QuantizedDense", (dense,), "n 8"),
    ("QuantizedDense", (dense,), "n 5 8"),
    ("QuantizedConv2d", (nn.Conv2d(3, 4, 3, 2),), "n 3 6 t"),
    ("Embedding", (9, 4), "9:n 5"),
    ("EmbeddingExt", (9, 4), "9:n 5"),
    ("EmbeddingLookup", (9, 4), "9:n 5"),
    ("OneHot", (), "9:n 5"),
    ("Flatten", (), "n 3 4"),
    ("Unflatten", (1, (2, 3)), "n 6"),
    ("MatMul", (), "n 3 4", "n 4 5"),
    # convolutions
    ("Conv1d", (3, 4, 3), "n 3 8"),
    ("Conv1dTranspose", (3, 4, 3), "n 3 8"),
    ("Conv2d", (3, 4, 3), "n 3 8 8"),
    ("Conv2d", (4, 4, 3, 2, "pad", 1, 1, 2), "n 4 9 9"),
    ("Conv2dBnAct", (3, 4, 3), "n 3 8 8"),
    ("Conv2dTranspose", (3, 4, 3), "n 3 8 8"),
    ("Conv3d", (3, 4, 3), "n 3 4 4 4"),
    ("Conv3dTranspose", (3, 4, 3), "n 3 4 4 4"),
    ("Unfold", ([1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1]), "n 3 6 6"),
    # pooling
    ("AdaptiveAvgPool1d", (2,), "n 3 8"),
    ("AdaptiveAvgPool2d", (2,), "n 3 8 8"),
    ("AdaptiveAvgPool3d", (2,), "n 3 4 4 4"),
    ("AdaptiveMaxPool1d", (2,), "n 3 8"),
    ("AdaptiveMaxPool2d", (2,), "n 3 8 8"),
    ("AdaptiveMaxPool3d", (2,), "n 3 4 4 4"),
    ("AvgPool1d", (2, 2), "n 3 8"),
    ("AvgPool1dExt", (2, 2), "n 3 8"),
    ("AvgPool2d", (2, 2), "n 3 8 8"),
    ("AvgPool2dExt", (2, 2), "n 3 8 8"),
    ("AvgPool3d", (2, 2), "n 3 4 4 4"),
    ("AvgPool3dExt", (2, 2), "n 3 4 4 4"),
    ("MaxPool1d", (2, 2), "n 3 8"),
    ("MaxPool2d", (2, 2), "n 3 8 8"),
    ("MaxPool2dExt", (2, 2), "n 3 8 8"),
    ("MaxPool3d", (2, 2), "n 3 4 4 4"),
    ("LPPool1d", (2, 2), "n 3 8"),
    ("LPPool2d", (2, 2), "n 3 8 8"),
    ("FractionalMaxPool2d", (2, (2, 3), None, True, Tensor([[[0.3, 0.6]]])), "n 3 6 7"),
    ("FractionalMaxPool3d", (2, 2, None, False, Tensor([[[0.3, 0.6, 0.1]]])), "n 3 4 5 4"),
    # norms
    ("BatchNorm1d", (3,), "n 3"),
    ("BatchNorm2d", (3,), "n 3 4 4"),
    ("BatchNorm3d", (3,), "n 3 4 4 4"),
    ("SyncBatchNorm", (3,), "n 3 4 4"),
    ("GroupNorm", (2, 4), "n 4 5 5"),
    ("InstanceNorm1d", (3,), "n 3 4"),
    ("InstanceNorm2d", (3,), "n 3 4 4"),
    ("InstanceNorm3d", (3,), "n 3 4 4 4"),
    ("LayerNorm", ((4,),), "n 3 4"),
    ("LayerNormExt", ((4,),), "n 3 4"),
    ("LRN", (), "n 3 4 4"),
    ("ClipByNorm", (), "n 3", "p:1"),
    ("L1Regularizer", (0.1,), "n 3"),
    ("ReduceLogSumExp", (1,), "n 3 4"),
    # form
    ("CentralCrop", (0.5,), "n 3 8 8"),
    ("ChannelShuffle", (2,), "n 4 3 3"),
    ("ConstantPad1d", (1, 0.5), "n 3 4"),
    ("ConstantPad2d", (1, 0.5), "n 3 4 4"),
    ("ConstantPad3d", (1, 0.5), "n 3 4 4 4"),
    ("ReflectionPad1d", (1,), "n 3 4"),
    ("ReflectionPad2d", (1,), "n 3 4 4"),
    ("ReflectionPad3d", (1,), "n 3 4 4 4"),
    ("ReplicationPad1d", (1,), "n 3 4"),
    ("ReplicationPad2d", (1,), "n 3 4 4"),
    ("ReplicationPad3d", (1,), "n 3 4 4 4"),
    ("ZeroPad2d", (1,), "n 3 4 4"),
    ("Pad", (((0, 0), (1, 1)),), "n 3"),
    ("PixelShuffle", (2,), "n 4 3 3"),
    ("PixelUnshuffle", (2,), "n 4 4 4"),
    ("Upsample", ((8, 8),), "n 3 4 4"),
    ("Roll", (1, 1), "n 3"),
    ("Tril", (), "n 4 4"),
    ("Triu", (), "n 4 4"),
    ("MatrixDiag", (), "n 3"),
    ("MatrixDiagPart", (), "n 3 4"),
    ("MatrixSetDiag", (), "n 3 4", "n 3"),
    ("MatDet", (), "d:n 3 3"),
    ("MatInverse", (), "n 3 3"),
    ("IGamma", (), "p:n 3", "p:n 3"),
    ("LBeta", (), "p:n 3", "p:n 3"),
    ("ImageGradients", (), "n 3 4 4"),
    ("PSNR", (), "p:n 3 4 4", "p:n 3 4 4"),
    ("SSIM", (), "p:n 3 16 16", "p:n 3 16 16"),
    ("MSSSIM", (1.0, (0.5, 0.5), 5), "p:n 3 16 16", "p:n 3 16 16"),
    # dropout where it does nothing
    *[(f"Dropout{d}d", (), "n 3 4 4 4"[: 3 + 2 * d]) for d in (1, 2, 3)],
    ("Dropout2dExt", (), "n 3 4 4"),
    # losses
    *[
        (name, (), "n 3", "n 3")
        for name in """
        HuberLoss L1Loss L1LossExt MAELoss MSELoss RMSELoss SmoothL1Loss""".split()
    ],
    ("BCELoss", (), "p:n 3", "p:n 3"),
    ("BCEWithLogitsLoss", (), "n 3", "p:n 3"),
    ("CosineEmbeddingLoss", (), "n 3", "n 3", "s:n"),
    ("CrossEntropyLoss", (), "n 3", "3:n"),
    ("CrossEntropyLoss", (), "n 3 2 2", "3:n 2 2"),
    ("DiceLoss", (), "p:n 3", "h:n 3"),
    ("MultiClassDiceLoss", (), "p:n 3", "h:n 3"),
    ("FocalLoss", (), "n 3", "3:n 1"),
    ("GaussianNLLLoss", (), "n 3", "n 3", "p:n 3"),
    ("HingeEmbeddingLoss", (), "n 3", "s:n 3"),
    ("KLDivLoss", (), "n 3", "p:n 3"),
    ("MarginRankingLoss", (), "n", "n", "s:n"),
    ("MultiLabelSoftMarginLoss", (), "n 3", "h:n 3"),
    ("MultilabelMarginLoss", (), "n 3", "3:n 3"),
    ("MultiMarginLoss", (), "n 3", "3:n"),
    ("NLLLoss", (), "n 3", "3:n"),
    ("PoissonNLLLoss", (), "n 3", "p:n 3"),
    ("SoftMarginLoss", (), "n 3", "s:n 3"),
    ("SoftmaxCrossEntropyWithLogits", (), "n 3", "h:n 3"),
    ("SoftmaxCrossEntropyWithLogits", (True, "mean"), "n 3", "3:n"),
    ("TripletMarginLoss", (), "n 3", "n 3", "n 3"),
    ("TripletMarginWithDistanceLoss", (), "n 3", "n 3", "n 3"),
    ("SampledSoftmaxLoss", (3, 7, 1, DRAWN), "7 4", "7", "7:n", "n 4"),
    ("CTCLoss", (), "6 n 5", "4:n 2", "=6:n", "=2:n"),
    ("MaxUnpool1d", (2,), "n 3 4", "2:n 3 4"),
    ("MaxUnpool2d", (2,), "n 3 2 2", "4:n 3 2 2"),
    ("MaxUnpool3d", (2,), "n 3 2 2 2", "4:n 3 2 2 2"),
    ("Jvp", (relu,), "n 3", "n 3"),
    ("Vjp", (relu,), "n 3", "n 3"),
    ("SequentialCell", (relu, relu), "n 3"),
    ("TimeDistributed", (dense, 1), "n 5 8"),
    ("TransformerEncoder", (encoder, 2), "5 n 8"),
    ("TransformerDecoder", (decoder, 2), "5 n 8", "6 n 8"),
    ("WithLossCell", (dense, loss), "n 8", "n 4"),
    ("WithEvalCell", (dense, loss), "n 8", "n 4"),
    ("WithGradCell", (dense, loss), "n 8", "n 4"),
    ("ForwardValueAndGrad", (dense,), "n 8"),
    # recurrent layers, attention
    ("RNNCell", (4, 5), "n 4", "n 5"),
    ("GRUCell", (4, 5), "n 4", "n 5"),
    ("LSTMCell", (4, 5), "n 4", ("n 5", "n 5")),
    ("RNN", (4, 5), "6 n 4"),
    ("GRU", (4, 5), "6 n 4"),
    ("LSTM", (4, 5), "6 n 4"),
    ("LSTM", (4, 5, 2, True, True, 0.0, True), "n 6 4"),
    ("GRU", (4, 5, 1, True, True), "n 6 4"),
    *[(name, (4, 5), "t n 4") for name in ("RNN", "GRU", "LSTM")],
    *[
        (name, (4, 5, 2, *start, True, True, 0.0, True), "n t 4", None, "=1:n")
        for name, start in (("RNN", ("relu",)), ("GRU", ()), ("LSTM", ()))
    ],
    ("MultiheadAttention", (8, 2, 0.0, True, False, False, None, None, True), *["n t 8"] * 3),
    ("TransformerEncoderLayer", (8, 2, 16), "t n 8"),
    ("MultiheadAttention", (8, 2, 0.0, True, False, False, None, None, True), *["n 5 8"] * 3),
    ("TransformerEncoderLayer", (8, 2, 16), "5 n 8"),
    ("TransformerDecoderLayer", (8, 2, 16), "5 n 8", "6 n 8"),
    ("Transformer", (8, 2, 1, 1, 16), "5 n 8", "6 n 8"),
]

MINT = [
    *[
        (name, (), "n 3 4")
        for name in """
        ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh Identity LogSigmoid Mish PReLU ReLU
        ReLU6 SELU SiLU Sigmoid Softplus Softshrink Tanh Dropout Flatten""".split()
    ],
    ("Softmax", (1,), "n 3"),
    ("LogSoftmax", (1,), "n 3"),
    ("Threshold", (0.1, 2.0), "n 3"),
    ("Linear", (8, 4), "n 8"),
    ("Embedding", (9, 4), "9:n 5"),
    ("Conv2d", (3, 4, 3), "n 3 8 8"),
    ("Conv1d", (3, 4, 3), "n 3 8"),
    ("Conv3d", (3, 4, 3), "n 3 5 5 5"),
    ("ConvTranspose2d", (3, 4, 3), "n 3 8 8"),
    ("AdaptiveAvgPool1d", (2,), "n 3 8"),
    ("AdaptiveAvgPool2d", (2,), "n 3 8 8"),
    ("AdaptiveAvgPool3d", (2,), "n 3 4 4 4"),
    ("AdaptiveMaxPool1d", (2,), "n 3 8"),
    ("AdaptiveMaxPool2d", (2,), "n 3 8 8"),
    ("AvgPool1d", (2,), "n 3 8"),
    ("AvgPool2d", (2,), "n 3 8 8"),
    ("AvgPool3d", (2,), "n 3 4 4 4"),
    ("MaxPool2d", (2,), "n 3 8 8"),
    ("Upsample", ((8, 8),), "n 3 4 4"),
    ("UpsamplingBilinear2d", ((8, 8),), "n 3 4 4"),
    ("UpsamplingNearest2d", ((8, 8),), "n 3 4 4"),
    ("MaxUnpool2d", (2,), "n 3 2 2", "4:n 3 2 2"),
    ("ZeroPad1d", (1,), "n 3 4"),
    ("ZeroPad3d", (1,), "n 3 4 4 4"),
    ("BatchNorm1d", (3,), "n 3"),
    ("BatchNorm2d", (3,), "n 3 4 4"),
    ("BatchNorm3d", (3,), "n 3 4 4 4"),
    ("SyncBatchNorm", (3,), "n 3 4 4"),
    ("GroupNorm", (2, 4), "n 4 5 5"),
    ("LayerNorm", (4,), "n 3 4"),
    ("Dropout2d", (), "n 3 4 4"),
    ("PixelShuffle", (2,), "n 4 3 3"),
    ("Unfold", (2,), "n 3 6 6"),
    ("Fold", ((6, 6), 2), "n 12 25"),
    ("ZeroPad2d", (1,), "n 3 4 4"),
    *[
        (f"{kind}Pad{d}d", (1, 0.5) if kind == "Constant" else (1,), "n 3 4 4 4"[: 3 + 2 * d])
        for kind in ("Constant", "Reflection", "Replication")
        for d in (1, 2, 3)
    ],
    ("BCELoss", (), "p:n 3", "p:n 3"),
    ("BCEWithLogitsLoss", (), "n 3", "p:n 3"),
    ("CosineEmbeddingLoss", (), "n 3", "n 3", "s:n"),
    ("CrossEntropyLoss", (), "n 3", "3:n"),
    ("KLDivLoss", (), "n 3", "p:n 3"),
    ("L1Loss", (), "n 3", "n 3"),
    ("MSELoss", (), "n 3", "n 3"),
    ("NLLLoss", (), "n 3", "3:n"),
    ("SmoothL1Loss", (), "n 3", "n 3"),
    ("SoftMarginLoss", (), "n 3", "s:n 3"),
]

NO_LAYERS = """
    Optimizer ASGD AdaFactor AdaMax Adadelta Adagrad Adam AdamOffload AdamWeightDecay FTRL LARS Lamb LazyAdam
    Momentum ProximalAdagrad RMSProp Rprop SGD LearningRateSchedule CosineDecayLR
    ExponentialDecayLR InverseDecayLR NaturalExpDecayLR PolynomialDecayLR WarmUpLR
    DynamicLossScaleUpdateCell FixedLossScaleUpdateCell DistributedGradReducer ParameterUpdate
    GradAccumulation GradAccumulationCell MicroBatchInterleaved PipelineCell PipelineGradReducer
    TrainOneStepCell TrainOneStepWithLossScaleCell
    Conv2dThor DenseThor EmbeddingLookupThor EmbeddingThor
    Cell CellDict CellList GraphCell LossBase Range
""".split()
"""Parts of training steps, bases and containers, and what takes no batch."""
OTHER_INPUTS = {
    "ResizeBilinear": "takes a size, which is a tuple: see test_older_names",
    "MultiFieldEmbeddingLookup": "takes three tensors that fit: see test_fields",
    "SparseTensorDenseMatmul": "takes a tuple of ints: see test_elements_of_a_sparse_matrix",
    "SparseToDense": "takes a sparse tensor",
}

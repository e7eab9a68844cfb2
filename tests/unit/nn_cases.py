"""What `minds.nn` computes, written so that MindSpore 2.10 runs it too: a case takes the module and returns NumPy arrays.

`record_nn.py` runs the cases under MindSpore and writes `nn_reference.json`; `test_nn_reference.py` runs them under minds
and compares. A case uses only what both offer.
"""
from __future__ import annotations

import numpy as np

CASES = {}
NOT_AS_MINDSPORE = {
    "activation_SeLU": "its CPU gradient is not that of its forward function",
    "activation_RReLU": "it draws slopes outside of training too",
    "optimiser_04_Momentum": "its CPU kernel ignores use_nesterov",
    "optimiser_12_Adagrad": "its CPU kernel ignores update_slots",
    "optimiser_21_FTRL": "its CPU kernel takes l1 with the wrong sign for negative sums",
    "optimiser_centralised": "it ignores grad_centralization on CPU",
}
"""Cases in which minds does what MindSpore documents and MindSpore does not, and why; `test_nn_optim` has formulas."""


def case(fn):
    """Register a case under its function's name."""
    CASES[fn.__name__] = fn
    return fn


def draw(*shape, seed=0, dtype=np.float32, low=-1.0, high=1.0):
    """Uniform numbers that every machine and module agrees on."""
    return np.random.RandomState(seed).uniform(low, high, shape).astype(dtype)


def fill(net):
    """Give the parameters of ``net`` reproducible values; returns ``net``."""
    for i, p in enumerate(net.get_parameters()):
        if "moving" not in p.name and "mean" not in p.name and "variance" not in p.name:
            p.set_data(type(p.value())(draw(*p.shape, seed=100 + i)))
    return net


def run(ms, net, *inputs, train=True, grads=True, wrt=None):
    """Outputs, gradients of the inputs (those in ``wrt``) and of the weights, and untrained parameters after a run."""
    inputs = [ms.Tensor(x) for x in inputs]
    net.set_train(train)
    out = net(*inputs)
    outs = list(out) if isinstance(out, (tuple, list)) else [out]
    found = [o.asnumpy() for o in outs]
    weight = ms.Tensor(draw(*found[0].shape, seed=77))
    if grads:
        floats = tuple(i for i, x in enumerate(inputs)
                       if x.dtype == ms.float32 and (wrt is None or i in wrt))
        weights = list(net.trainable_params())

        def total(*args):
            result = net(*args)
            result = result[0] if isinstance(result, (tuple, list)) else result
            return (result * weight).sum()
        if not floats:
            d = list(ms.grad(total, None, weights)(*inputs))
        elif weights:
            d = ms.grad(total, floats if len(floats) > 1 else floats[0], weights)(*inputs)
            d = [*(d[0] if len(floats) > 1 else d[:1]), *d[1]]
        else:
            d = ms.grad(total, floats if len(floats) > 1 else floats[0])(*inputs)
            d = list(d) if isinstance(d, tuple) else [d]
        found += [g.asnumpy() for g in d]
    found += [p.asnumpy() for p in net.untrainable_params()]
    return [np.array(a) for a in found]


# ---- layers

@case
def dense(ms):
    return run(ms, fill(ms.nn.Dense(3, 4, activation="tanh")), draw(2, 5, 3))


@case
def dense_without_bias(ms):
    return run(ms, fill(ms.nn.Dense(3, 4, has_bias=False)), draw(2, 3))


@case
def bidense(ms):
    return run(ms, fill(ms.nn.BiDense(3, 4, 5)), draw(2, 3), draw(2, 4, seed=1))


@case
def conv2d_same(ms):
    return run(ms, fill(ms.nn.Conv2d(3, 4, 3, stride=2, has_bias=True)), draw(2, 3, 6, 7))


@case
def conv2d_pad(ms):
    net = ms.nn.Conv2d(4, 6, (3, 2), stride=(1, 2), pad_mode="pad", padding=(1, 2, 0, 1), dilation=(2, 1), group=2)
    return run(ms, fill(net), draw(2, 4, 7, 6))


@case
def conv2d_valid(ms):
    return run(ms, fill(ms.nn.Conv2d(2, 3, 2, pad_mode="valid")), draw(1, 2, 4, 4))


@case
def conv1d_same(ms):
    return run(ms, fill(ms.nn.Conv1d(3, 4, 4, stride=2, has_bias=True)), draw(2, 3, 9))


@case
def conv2d_transpose_same(ms):
    return run(ms, fill(ms.nn.Conv2dTranspose(3, 4, 3, stride=2, has_bias=True)), draw(2, 3, 4, 5))


@case
def conv2d_transpose_pad(ms):
    net = ms.nn.Conv2dTranspose(3, 4, 3, stride=2, pad_mode="pad", padding=1, output_padding=1, has_bias=True)
    return run(ms, fill(net), draw(2, 3, 4, 5))


@case
def conv2d_transpose_valid(ms):
    return run(ms, fill(ms.nn.Conv2dTranspose(3, 4, 2, stride=3, pad_mode="valid")), draw(2, 3, 4, 5))


@case
def conv1d_transpose(ms):
    return run(ms, fill(ms.nn.Conv1dTranspose(3, 4, 4, stride=2, pad_mode="pad", padding=1)), draw(2, 3, 9))


@case
def batch_norm2d_train(ms):
    return run(ms, fill(ms.nn.BatchNorm2d(3)), draw(4, 3, 2, 2))


@case
def batch_norm2d_eval(ms):
    net = ms.nn.BatchNorm2d(3, moving_mean_init="ones", momentum=0.7, eps=1e-3)
    return run(ms, fill(net), draw(4, 3, 2, 2), train=False)


@case
def layer_norm(ms):
    return run(ms, fill(ms.nn.LayerNorm((5,))), draw(2, 3, 5))


@case
def layer_norm_of_images(ms):
    return run(ms, fill(ms.nn.LayerNorm((3, 2, 2), 1, 1)), draw(2, 3, 2, 2))


@case
def group_norm(ms):
    return run(ms, fill(ms.nn.GroupNorm(2, 4)), draw(2, 4, 3, 3))


@case
def max_pool2d(ms):
    return run(ms, ms.nn.MaxPool2d(3, 2), draw(2, 2, 7, 6))


@case
def max_pool2d_same(ms):
    return run(ms, ms.nn.MaxPool2d(3, 2, "same"), draw(2, 2, 6, 6))


@case
def avg_pool2d(ms):
    return run(ms, ms.nn.AvgPool2d((3, 2), 2), draw(2, 2, 7, 6))


@case
def avg_pool2d_same(ms):
    return run(ms, ms.nn.AvgPool2d(3, 2, "same"), draw(2, 2, 6, 6))


@case
def max_pool2d_ceiled(ms):
    return run(ms, ms.nn.MaxPool2d(3, 2, "pad", padding=1, ceil_mode=True), draw(2, 2, 6, 7))


@case
def avg_pool2d_ceiled(ms):
    return run(ms, ms.nn.AvgPool2d(3, 2, "pad", padding=1, ceil_mode=True), draw(2, 2, 6, 7))


@case
def avg_pool2d_padded(ms):
    return run(ms, ms.nn.AvgPool2d(3, 2, "pad", padding=1, count_include_pad=False), draw(2, 2, 6, 7))


@case
def max_pool1d(ms):
    return run(ms, ms.nn.MaxPool1d(3, 2), draw(2, 2, 7))


@case
def avg_pool1d(ms):
    return run(ms, ms.nn.AvgPool1d(3, 2), draw(2, 2, 7))


@case
def adaptive_avg_pool2d(ms):
    return run(ms, ms.nn.AdaptiveAvgPool2d((2, 3)), draw(2, 2, 7, 6))


@case
def adaptive_avg_pool2d_even(ms):
    return run(ms, ms.nn.AdaptiveAvgPool2d((2, None)), draw(2, 2, 4, 3))


@case
def adaptive_max_pool2d(ms):
    return run(ms, ms.nn.AdaptiveMaxPool2d((2, 3)), draw(2, 2, 7, 6))


@case
def embedding(ms):
    return run(ms, fill(ms.nn.Embedding(5, 3)), np.array([[0, 4], [2, 2]], np.int32))


@case
def one_hot(ms):
    return run(ms, ms.nn.OneHot(depth=4, axis=-1, on_value=2.0), np.array([1, 3], np.int32), grads=False)


@case
def flatten(ms):
    return run(ms, ms.nn.Flatten(), draw(2, 3, 4))


@case
def pad_constant(ms):
    return run(ms, ms.nn.Pad(((1, 2), (0, 1))), draw(2, 3))


@case
def pad_reflect(ms):
    return run(ms, ms.nn.Pad(((1, 0), (2, 1)), "REFLECT"), draw(3, 4), grads=False)


@case
def pad_symmetric(ms):
    return run(ms, ms.nn.Pad(((1, 0), (2, 1)), "SYMMETRIC"), draw(3, 4), grads=False)


@case
def constant_pad2d(ms):
    return run(ms, ms.nn.ConstantPad2d((1, -1, 0, 2), 3.5), draw(1, 2, 3, 4))


@case
def reflection_pad1d(ms):
    return run(ms, ms.nn.ReflectionPad1d((2, 1)), draw(1, 2, 4))


@case
def lstm_cell(ms):
    return run(ms, _Pair(ms, fill(ms.nn.LSTMCell(3, 4))), draw(2, 3), draw(2, 4, seed=1), draw(2, 4, seed=2))


@case
def gru_cell(ms):
    return run(ms, fill(ms.nn.GRUCell(3, 4)), draw(2, 3), draw(2, 4, seed=1))


@case
def rnn_cell(ms):
    return run(ms, fill(ms.nn.RNNCell(3, 4, nonlinearity="relu")), draw(2, 3), draw(2, 4, seed=1))


def _Pair(ms, cell):
    """`LSTMCell` with its state as two inputs."""
    class Pair(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.cell = cell

        def construct(self, x, h, c):
            return self.cell(x, (h, c))
    return Pair()


def _recurrent(ms, make, states):
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.rnn = make()

        def construct(self, x, *states):
            return self.rnn(x, states if len(states) > 1 else states[0])[0]
    net = fill(Net())
    return run(ms, net, draw(5, 2, 3), *states)


@case
def lstm(ms):
    return _recurrent(ms, lambda: ms.nn.LSTM(3, 4, num_layers=2, bidirectional=True),
                      (draw(4, 2, 4, seed=1), draw(4, 2, 4, seed=2)))


@case
def gru(ms):
    return _recurrent(ms, lambda: ms.nn.GRU(3, 4), (draw(1, 2, 4, seed=1),))


@case
def rnn(ms):
    return _recurrent(ms, lambda: ms.nn.RNN(3, 4), (draw(1, 2, 4, seed=1),))


@case
def multihead_attention(ms):
    net = fill(ms.nn.MultiheadAttention(8, 2))

    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.attend = net

        def construct(self, q, k, v):
            return self.attend(q, k, v)
    return run(ms, Net(), draw(3, 2, 8), draw(4, 2, 8, seed=1), draw(4, 2, 8, seed=2), train=False)


# ---- activations: name, arguments

ACTIVATIONS = [("ReLU", ()), ("ReLU6", ()), ("Sigmoid", ()), ("Tanh", ()), ("Tanhshrink", ()), ("SiLU", ()),
               ("Mish", ()), ("HSigmoid", ()), ("HSwish", ()), ("Softsign", ()), ("LogSigmoid", ()), ("SeLU", ()),
               ("FastGelu", ()), ("GELU", ()), ("GELU", (False,)), ("ELU", ()), ("CELU", (2.0,)), ("LeakyReLU", (0.1,)),
               ("PReLU", ()), ("PReLU", (3,)), ("HShrink", ()), ("SoftShrink", (0.3,)), ("Hardtanh", ()),
               ("Threshold", (0.2, 5.0)), ("GLU", (0,)), ("Softmax", (1,)), ("Softmin", ()), ("LogSoftmax", ()),
               ("RReLU", ())]


def _activation(name, args):
    def fn(ms):
        # Where tanh is all but 1, its derivative is rounding only.
        high = 2 if name in ("Tanh", "Mish") else 7
        return run(ms, getattr(ms.nn, name)(*args), draw(4, 3, 2, low=-2 if high == 2 else -4, high=high), train=False)
    CASES[f"activation_{name}_{'_'.join(map(str, args))}".rstrip("_")] = fn


for _name, _args in ACTIVATIONS:
    _activation(_name, _args)


# ---- losses: name, keyword arguments, inputs

_X, _Y = draw(4, 3, low=-2, high=2), draw(4, 3, seed=1, low=-2, high=2)
_P, _Q = draw(4, 3, low=0.05, high=0.95), draw(4, 3, seed=1, low=0.05, high=0.95)
_IDS, _SIGNS = np.array([0, 2, 1, 2], np.int32), np.array([1, -1, 1, -1], np.int32)
_HOT = np.eye(3, dtype=np.float32)[_IDS]
_IMAGES, _MASKS = draw(2, 3, 2, 2), np.array([[[0, 2], [1, 1]], [[2, 2], [0, 1]]], np.int32)

LOSSES = [
    ("L1Loss", {}, (_X, _Y)), ("MSELoss", {"reduction": "sum"}, (_X, _Y)), ("RMSELoss", {}, (_X, _Y)),
    ("MAELoss", {"reduction": "none"}, (_X, _Y)), ("SmoothL1Loss", {"beta": 0.7}, (_X, _Y)),
    ("SmoothL1Loss", {"reduction": "mean"}, (_X, _Y)), ("HuberLoss", {"delta": 0.6}, (_X, _Y)),
    ("KLDivLoss", {"reduction": "batchmean"}, (_X, _P)), ("KLDivLoss", {}, (_X, _P)),
    ("CosineEmbeddingLoss", {"margin": 0.1}, (_X, _Y, _SIGNS)),
    ("MarginRankingLoss", {"margin": 0.3}, (_X[:, 0], _Y[:, 0], _SIGNS.astype(np.float32))),
    ("GaussianNLLLoss", {}, (_X, _Y, _P)), ("PoissonNLLLoss", {}, (_X, _P)),
    ("SoftmaxCrossEntropyWithLogits", {}, (_X, _HOT)),
    ("SoftmaxCrossEntropyWithLogits", {"sparse": True, "reduction": "mean"}, (_X, _IDS)),
    ("NLLLoss", {}, (_X, _IDS)), ("NLLLoss", {"ignore_index": 2, "reduction": "none"}, (_X, _IDS)),
    ("NLLLoss", {"reduction": "sum"}, (_IMAGES, _MASKS)), ("CrossEntropyLoss", {}, (_X, _IDS)),
    ("CrossEntropyLoss", {"label_smoothing": 0.2, "ignore_index": 1}, (_X, _IDS)),
    ("CrossEntropyLoss", {}, (_IMAGES, _MASKS)), ("CrossEntropyLoss", {"reduction": "none"}, (_X, _HOT)),
    ("BCELoss", {}, (_P, _Q)), ("BCEWithLogitsLoss", {}, (_X, _Q)),
    ("DiceLoss", {}, (_P, _HOT)), ("HingeEmbeddingLoss", {}, (_X[:, 0], _SIGNS.astype(np.float32))),
    ("SoftMarginLoss", {}, (_X[:, 0], _SIGNS.astype(np.float32))),
    ("MultiLabelSoftMarginLoss", {}, (_X, _HOT)), ("FocalLoss", {}, (_X, _IDS[:, None])),
]


def _loss(number, name, kwargs, inputs):
    # MindSpore gives zeros for the gradients of these losses' labels, minds the derivative.
    wrt = (0,) if name in ("KLDivLoss", "SoftmaxCrossEntropyWithLogits") else None

    def fn(ms):
        return run(ms, getattr(ms.nn, name)(**kwargs), *inputs, wrt=wrt)
    CASES[f"loss_{number:02d}_{name}"] = fn


for _i, _l in enumerate(LOSSES):
    _loss(_i, *_l)


@case
def loss_cross_entropy_weighted(ms):
    weight = ms.Tensor(np.array([0.5, 2.0, 1.5], np.float32))
    found = []
    for kwargs in ({}, {"label_smoothing": 0.3}, {"reduction": "sum", "label_smoothing": 0.1}):
        found += run(ms, ms.nn.CrossEntropyLoss(weight, **kwargs), _X, _IDS)
    return found


@case
def loss_bce_weighted(ms):
    weight, pos = ms.Tensor(_Q), ms.Tensor(np.array([0.5, 2.0, 1.5], np.float32))
    return (run(ms, ms.nn.BCELoss(weight), _P, _HOT)
            + run(ms, ms.nn.BCEWithLogitsLoss("sum", weight, pos), _X, _HOT))


# ---- optimisers: name, keyword arguments

OPTIMISERS = [
    ("SGD", {"learning_rate": 0.1}), ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "dampening": 0.3,
                                              "weight_decay": 0.05}),
    ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True}),
    ("Momentum", {"learning_rate": 0.1, "momentum": 0.9}),
    ("Momentum", {"learning_rate": 0.1, "momentum": 0.9, "use_nesterov": True, "weight_decay": 0.1,
                  "loss_scale": 4.0}),
    ("Momentum", {"learning_rate": [0.1, 0.05, 0.01, 0.2], "momentum": 0.8}),
    ("Adam", {"learning_rate": 0.05}), ("Adam", {"learning_rate": 0.05, "weight_decay": 0.1, "use_nesterov": True}),
    ("Adam", {"learning_rate": 0.05, "use_amsgrad": True}), ("AdamWeightDecay", {"learning_rate": 0.05}),
    ("AdamWeightDecay", {"learning_rate": 0.05, "weight_decay": 0.1}), ("Adagrad", {"learning_rate": 0.1}),
    ("Adagrad", {"learning_rate": 0.1, "update_slots": False, "weight_decay": 0.1}),
    ("RMSProp", {"learning_rate": 0.1}),
    ("RMSProp", {"learning_rate": 0.1, "momentum": 0.5, "centered": True, "decay": 0.8}),
    ("Adadelta", {"learning_rate": 0.5}), ("AdaMax", {"learning_rate": 0.05}), ("ASGD", {"learning_rate": 0.1}),
    ("ASGD", {"learning_rate": 0.1, "lambd": 0.1, "t0": 1.0, "weight_decay": 0.1}), ("Rprop", {"learning_rate": 0.1}),
    ("FTRL", {"learning_rate": 0.1}), ("FTRL", {"learning_rate": 0.1, "l1": 0.05, "l2": 0.1}),
    ("Lamb", {"learning_rate": 0.05}), ("Lamb", {"learning_rate": 0.05, "weight_decay": 0.1}),
    ("ProximalAdagrad", {"learning_rate": 0.1, "l1": 0.01, "l2": 0.02}), ("LazyAdam", {"learning_rate": 0.05}),
]


def steps(ms, make, count=4):
    """The parameters after each step of an optimiser on given gradients, and how it names its own parameters."""
    params = [ms.Parameter(ms.Tensor(draw(2, 3)), name="weight"), ms.Parameter(ms.Tensor(draw(3, seed=1)), name="gamma")]
    opt = make(params)
    found = []
    for i in range(count):
        # The sign changes between steps, and a gradient grows, so that no rule is met only in one regime.
        grads = tuple(ms.Tensor(draw(*p.shape, seed=10 + 2 * i + j) * (1 + i)) for j, p in enumerate(params))
        opt(grads)
        found += [np.array(p.asnumpy()) for p in params]
    return found


def _optimiser(number, name, kwargs):
    CASES[f"optimiser_{number:02d}_{name}"] = lambda ms: steps(ms, lambda ps: getattr(ms.nn, name)(ps, **kwargs))


for _i, _o in enumerate(OPTIMISERS):
    _optimiser(_i, *_o)


@case
def optimiser_groups(ms):
    def make(params):
        groups = [{"params": params[:1], "lr": 0.2, "weight_decay": 0.1}, {"params": params[1:]},
                  {"order_params": params}]
        return ms.nn.Momentum(groups, 0.1, 0.9, weight_decay=0.02)
    return steps(ms, make)


@case
def optimiser_schedule(ms):
    return steps(ms, lambda ps: ms.nn.Adam(ps, ms.nn.ExponentialDecayLR(0.1, 0.5, 2)))


@case
def optimiser_grouped_schedule(ms):
    def make(params):
        groups = [{"params": params[:1], "lr": [0.1, 0.2, 0.3, 0.4]}, {"params": params[1:]}]
        return ms.nn.SGD(groups, ms.nn.CosineDecayLR(0.01, 0.1, 3))
    return steps(ms, make)


@case
def optimiser_centralised(ms):
    def make(params):
        groups = [{"params": params[:1], "grad_centralization": True}, {"params": params[1:]}]
        return ms.nn.SGD(groups, 0.1)
    return steps(ms, make)


# ---- learning rates

@case
def dynamic_learning_rates(ms):
    nn = ms.nn
    lists = [nn.exponential_decay_lr(0.1, 0.9, 6, 2, 1), nn.exponential_decay_lr(0.1, 0.9, 6, 2, 2, True),
             nn.natural_exp_decay_lr(0.1, 0.9, 6, 2, 1), nn.natural_exp_decay_lr(0.1, 0.9, 6, 2, 2, True),
             nn.inverse_decay_lr(0.1, 0.5, 6, 1, 1), nn.inverse_decay_lr(0.1, 0.5, 6, 1, 2, True),
             nn.cosine_decay_lr(0.01, 0.1, 6, 2, 2), nn.polynomial_decay_lr(0.1, 0.01, 6, 2, 2, 0.5),
             nn.polynomial_decay_lr(0.1, 0.01, 6, 2, 2, 0.5, True), nn.piecewise_constant_lr([2, 5, 6], [0.1, 0.05, 0.01]),
             nn.warmup_lr(0.1, 6, 2, 2)]
    return [np.array(v, np.float64) for v in lists]


@case
def learning_rate_schedules(ms):
    nn = ms.nn
    cells = [nn.ExponentialDecayLR(0.1, 0.9, 4), nn.ExponentialDecayLR(0.1, 0.9, 4, True),
             nn.NaturalExpDecayLR(0.1, 0.9, 4), nn.NaturalExpDecayLR(0.1, 0.9, 4, True), nn.InverseDecayLR(0.1, 0.9, 4),
             nn.InverseDecayLR(0.1, 0.9, 4, True), nn.CosineDecayLR(0.01, 0.1, 4),
             nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5), nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5, True), nn.WarmUpLR(0.1, 3)]
    return [np.array([float(c(ms.Tensor(i, ms.int32)).asnumpy()) for i in range(7)], np.float32) for c in cells]


# ---- volumes

@case
def conv3d_same(ms):
    return run(ms, fill(ms.nn.Conv3d(2, 3, (2, 3, 3), stride=(1, 2, 1), has_bias=True)), draw(2, 2, 4, 5, 4))


@case
def conv3d_pad(ms):
    net = ms.nn.Conv3d(2, 4, 2, stride=2, pad_mode="pad", padding=(1, 0, 1, 1, 0, 1), dilation=1, group=1)
    return run(ms, fill(net), draw(1, 2, 4, 5, 4))


@case
def max_pool3d(ms):
    return run(ms, ms.nn.MaxPool3d((2, 3, 2), (2, 1, 2)), draw(2, 2, 4, 5, 4))


@case
def max_pool3d_indices(ms):
    return run(ms, ms.nn.MaxPool3d(2, 2, "pad", 1, return_indices=True), draw(1, 2, 4, 5, 4), grads=False)


@case
def avg_pool3d(ms):
    return run(ms, ms.nn.AvgPool3d((2, 3, 2), (2, 1, 2)), draw(2, 2, 4, 5, 4))


@case
def avg_pool3d_pad(ms):
    return run(ms, ms.nn.AvgPool3d(2, 2, "pad", 1, count_include_pad=False), draw(1, 2, 4, 5, 4))


# ---- whole blocks

@case
def batch_norm1d(ms):
    return run(ms, fill(ms.nn.BatchNorm1d(3)), draw(6, 3))


@case
def batch_norm3d(ms):
    return run(ms, fill(ms.nn.BatchNorm3d(2)), draw(3, 2, 2, 2, 2))


@case
def transformer_encoder_layer(ms):
    return run(ms, fill(ms.nn.TransformerEncoderLayer(8, 2, 12, 0.0)), draw(4, 2, 8))


@case
def transformer_encoder_layer_norm_first(ms):
    return run(ms, fill(ms.nn.TransformerEncoderLayer(8, 2, 12, 0.0, "gelu", norm_first=True, batch_first=True)),
               draw(2, 4, 8))


@case
def transformer_decoder_layer(ms):
    return run(ms, fill(ms.nn.TransformerDecoderLayer(8, 2, 12, 0.0)), draw(3, 2, 8), draw(4, 2, 8, seed=1))


@case
def transformer(ms):
    return run(ms, fill(ms.nn.Transformer(8, 2, 1, 1, 12, 0.0)), draw(4, 2, 8), draw(3, 2, 8, seed=1))


@case
def multihead_attention_masked(ms):
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.attend = ms.nn.MultiheadAttention(6, 2, kdim=5, vdim=4, batch_first=True)
            self.mask = ms.Tensor(np.triu(np.ones((3, 4), bool), 2))
            self.padding = ms.Tensor(np.array([[False, False, False, True], [False, True, False, False]]))

        def construct(self, q, k, v):
            return self.attend(q, k, v, key_padding_mask=self.padding, attn_mask=self.mask)
    return run(ms, fill(Net()), draw(2, 3, 6), draw(2, 4, 5, seed=1), draw(2, 4, 4, seed=2), train=False)


@case
def lstm_of_lengths(ms):
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.rnn = ms.nn.LSTM(3, 4, bidirectional=True, batch_first=True)

        def construct(self, x, lengths):
            out, (h, c) = self.rnn(x, None, lengths)
            return out, h, c
    return run(ms, fill(Net()), draw(2, 5, 3), np.array([5, 3], np.int32))


# ---- rearranging and measuring

SIMPLE = [
    ("PixelShuffle", (2,), (draw(1, 8, 2, 3),)), ("PixelUnshuffle", (2,), (draw(1, 2, 4, 6),)),
    ("ChannelShuffle", (2,), (draw(1, 6, 2, 2),)), ("CentralCrop", (0.5,), (draw(2, 3, 8, 6),)),
    ("ImageGradients", (), (draw(1, 2, 3, 4),)), ("PSNR", (2.0,), (draw(2, 3, 4, 4), draw(2, 3, 4, 4, seed=1))),
    ("Upsample", (None, 2.0, "nearest", None, True), (draw(1, 2, 3, 4),)), ("Upsample", ((5, 7), None, "bilinear"), (draw(1, 2, 3, 4),)),
    ("Upsample", ((5, 7), None, "bilinear", True), (draw(1, 2, 3, 4),)),
    ("Unfold", ((1, 2, 3, 1), (1, 2, 1, 1), (1, 1, 1, 1)), (draw(1, 2, 4, 5),)),
    ("MatMul", (False, True), (draw(2, 3), draw(4, 3, seed=1))), ("Norm", (1,), (draw(3, 4),)),
    ("Moments", (0,), (draw(3, 4),)), ("ReduceLogSumExp", (1,), (draw(3, 4),)), ("Roll", (1, 0), (draw(3, 4),)),
    ("Tril", (), (draw(3, 4),)), ("Triu", (), (draw(3, 4),)), ("LGamma", (), (draw(3, 4, low=0.5, high=3),)),
    ("DiGamma", (), (draw(3, 4, low=0.5, high=3),)), ("MatrixDiag", (), (draw(2, 3),)),
    ("MatrixDiagPart", (), (draw(2, 3, 4),)), ("MatrixSetDiag", (), (draw(2, 3, 4), draw(2, 3, seed=1))),
    ("ClipByNorm", (), (draw(3, 4), np.array(0.5, np.float32))), ("Softmax2d", (), (draw(2, 3, 2, 2),)),
    ("Unflatten", (1, (2, 3)), (draw(2, 6),)), ("L1Regularizer", (0.1,), (draw(2, 6),)),
    ("LPPool2d", (2.0, 2, 1), (draw(1, 2, 4, 4, low=0.1),)), ("LPPool1d", (3.0, 2), (draw(1, 2, 6, low=0.1),)),
    ("LRN", (2, 1.0, 0.5, 0.75), (draw(2, 5, 2, 2),)),
    ("MultiMarginLoss", (), (_X, _IDS.astype(np.int64))), ("TripletMarginLoss", (), (_X, _Y, _P)),
    ("TripletMarginWithDistanceLoss", (), (_X, _Y, _P)),
]


def _simple(number, name, args, inputs):
    CASES[f"simple_{number:02d}_{name}"] = lambda ms: run(ms, getattr(ms.nn, name)(*args), *inputs)


for _i, _s in enumerate(SIMPLE):
    _simple(_i, *_s)


@case
def conv2d_bn_act(ms):
    net = ms.nn.Conv2dBnAct(2, 3, 3, has_bn=True, activation="relu")
    return run(ms, fill(net), draw(2, 2, 4, 4))


@case
def dense_bn_act(ms):
    return run(ms, fill(ms.nn.DenseBnAct(3, 4, has_bn=True, activation="sigmoid")), draw(5, 3))


@case
def max_unpool2d(ms):
    index = np.array([[[[5, 3], [10, 12]]]], np.int64)
    return run(ms, ms.nn.MaxUnpool2d(2, 2), draw(1, 1, 2, 2), index, wrt=(0,))


@case
def time_distributed(ms):
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.over = ms.nn.TimeDistributed(fill(ms.nn.Dense(3, 4)), time_axis=1, reshape_with_axis=0)

        def construct(self, x):
            return self.over(x)
    return run(ms, Net(), draw(2, 5, 3))

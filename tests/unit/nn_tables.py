"""More cases of `nn_cases`, from tables: activations, losses, optimisers, learning rates, small
cells.
"""

from __future__ import annotations

import numpy as np
from nn_cases import CASES, case, draw, run

# ---- activations: name, arguments

ACTIVATIONS = [
    ("ReLU", ()),
    ("ReLU6", ()),
    ("Sigmoid", ()),
    ("Tanh", ()),
    ("Tanhshrink", ()),
    ("SiLU", ()),
    ("Mish", ()),
    ("HSigmoid", ()),
    ("HSwish", ()),
    ("Softsign", ()),
    ("LogSigmoid", ()),
    ("SeLU", ()),
    ("FastGelu", ()),
    ("GELU", ()),
    ("GELU", (False,)),
    ("ELU", ()),
    ("CELU", (2.0,)),
    ("LeakyReLU", (0.1,)),
    ("PReLU", ()),
    ("PReLU", (3,)),
    ("HShrink", ()),
    ("SoftShrink", (0.3,)),
    ("Hardtanh", ()),
    ("Threshold", (0.2, 5.0)),
    ("GLU", (0,)),
    ("Softmax", (1,)),
    ("Softmin", ()),
    ("LogSoftmax", ()),
    ("RReLU", ()),
]


def _activation(name, args):
    def fn(ms):
        # Where tanh is all but 1, its derivative is rounding only.
        high = 2 if name in ("Tanh", "Mish") else 7
        return run(
            ms,
            getattr(ms.nn, name)(*args),
            draw(4, 3, 2, low=-2 if high == 2 else -4, high=high),
            train=False,
        )

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
    ("L1Loss", {}, (_X, _Y)),
    ("MSELoss", {"reduction": "sum"}, (_X, _Y)),
    ("RMSELoss", {}, (_X, _Y)),
    ("MAELoss", {"reduction": "none"}, (_X, _Y)),
    ("SmoothL1Loss", {"beta": 0.7}, (_X, _Y)),
    ("SmoothL1Loss", {"reduction": "mean"}, (_X, _Y)),
    ("HuberLoss", {"delta": 0.6}, (_X, _Y)),
    ("KLDivLoss", {"reduction": "batchmean"}, (_X, _P)),
    ("KLDivLoss", {}, (_X, _P)),
    ("CosineEmbeddingLoss", {"margin": 0.1}, (_X, _Y, _SIGNS)),
    ("MarginRankingLoss", {"margin": 0.3}, (_X[:, 0], _Y[:, 0], _SIGNS.astype(np.float32))),
    ("GaussianNLLLoss", {}, (_X, _Y, _P)),
    ("PoissonNLLLoss", {}, (_X, _P)),
    ("SoftmaxCrossEntropyWithLogits", {}, (_X, _HOT)),
    ("SoftmaxCrossEntropyWithLogits", {"sparse": True, "reduction": "mean"}, (_X, _IDS)),
    ("NLLLoss", {}, (_X, _IDS)),
    ("NLLLoss", {"ignore_index": 2, "reduction": "none"}, (_X, _IDS)),
    ("NLLLoss", {"reduction": "sum"}, (_IMAGES, _MASKS)),
    ("CrossEntropyLoss", {}, (_X, _IDS)),
    ("CrossEntropyLoss", {"label_smoothing": 0.2, "ignore_index": 1}, (_X, _IDS)),
    ("CrossEntropyLoss", {}, (_IMAGES, _MASKS)),
    ("CrossEntropyLoss", {"reduction": "none"}, (_X, _HOT)),
    ("BCELoss", {}, (_P, _Q)),
    ("BCEWithLogitsLoss", {}, (_X, _Q)),
    ("DiceLoss", {}, (_P, _HOT)),
    ("HingeEmbeddingLoss", {}, (_X[:, 0], _SIGNS.astype(np.float32))),
    ("SoftMarginLoss", {}, (_X[:, 0], _SIGNS.astype(np.float32))),
    ("MultiLabelSoftMarginLoss", {}, (_X, _HOT)),
    ("FocalLoss", {}, (_X, _IDS[:, None])),
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
    return run(ms, ms.nn.BCELoss(weight), _P, _HOT) + run(
        ms, ms.nn.BCEWithLogitsLoss("sum", weight, pos), _X, _HOT
    )


# ---- optimisers: name, keyword arguments

OPTIMISERS = [
    ("SGD", {"learning_rate": 0.1}),
    ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.05}),
    ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True}),
    ("Momentum", {"learning_rate": 0.1, "momentum": 0.9}),
    (
        "Momentum",
        {
            "learning_rate": 0.1,
            "momentum": 0.9,
            "use_nesterov": True,
            "weight_decay": 0.1,
            "loss_scale": 4.0,
        },
    ),
    ("Momentum", {"learning_rate": [0.1, 0.05, 0.01, 0.2], "momentum": 0.8}),
    ("Adam", {"learning_rate": 0.05}),
    ("Adam", {"learning_rate": 0.05, "weight_decay": 0.1, "use_nesterov": True}),
    ("Adam", {"learning_rate": 0.05, "use_amsgrad": True}),
    ("AdamWeightDecay", {"learning_rate": 0.05}),
    ("AdamWeightDecay", {"learning_rate": 0.05, "weight_decay": 0.1}),
    ("Adagrad", {"learning_rate": 0.1}),
    ("Adagrad", {"learning_rate": 0.1, "update_slots": False, "weight_decay": 0.1}),
    ("RMSProp", {"learning_rate": 0.1}),
    ("RMSProp", {"learning_rate": 0.1, "momentum": 0.5, "centered": True, "decay": 0.8}),
    ("Adadelta", {"learning_rate": 0.5}),
    ("AdaMax", {"learning_rate": 0.05}),
    ("ASGD", {"learning_rate": 0.1}),
    ("ASGD", {"learning_rate": 0.1, "lambd": 0.1, "t0": 1.0, "weight_decay": 0.1}),
    ("Rprop", {"learning_rate": 0.1}),
    ("FTRL", {"learning_rate": 0.1}),
    ("FTRL", {"learning_rate": 0.1, "l1": 0.05, "l2": 0.1}),
    ("Lamb", {"learning_rate": 0.05}),
    ("Lamb", {"learning_rate": 0.05, "weight_decay": 0.1}),
    ("ProximalAdagrad", {"learning_rate": 0.1, "l1": 0.01, "l2": 0.02}),
    ("LazyAdam", {"learning_rate": 0.05}),
]


def steps(ms, make, count=4):
    """The parameters after each step of an optimiser on given gradients, and how it names its own
    parameters.
    """
    params = [
        ms.Parameter(ms.Tensor(draw(2, 3)), name="weight"),
        ms.Parameter(ms.Tensor(draw(3, seed=1)), name="gamma"),
    ]
    opt = make(params)
    found = []
    for i in range(count):
        # The sign changes between steps, and a gradient grows, so that no rule is met only in one
        # regime.
        grads = tuple(
            ms.Tensor(draw(*p.shape, seed=10 + 2 * i + j) * (1 + i)) for j, p in enumerate(params)
        )
        opt(grads)
        found += [np.array(p.asnumpy()) for p in params]
    return found


def _optimiser(number, name, kwargs):
    CASES[f"optimiser_{number:02d}_{name}"] = lambda ms: steps(
        ms, lambda ps: getattr(ms.nn, name)(ps, **kwargs)
    )


for _i, _o in enumerate(OPTIMISERS):
    _optimiser(_i, *_o)


@case
def optimiser_groups(ms):
    def make(params):
        groups = [
            {"params": params[:1], "lr": 0.2, "weight_decay": 0.1},
            {"params": params[1:]},
            {"order_params": params},
        ]
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
    lists = [
        nn.exponential_decay_lr(0.1, 0.9, 6, 2, 1),
        nn.exponential_decay_lr(0.1, 0.9, 6, 2, 2, True),
        nn.natural_exp_decay_lr(0.1, 0.9, 6, 2, 1),
        nn.natural_exp_decay_lr(0.1, 0.9, 6, 2, 2, True),
        nn.inverse_decay_lr(0.1, 0.5, 6, 1, 1),
        nn.inverse_decay_lr(0.1, 0.5, 6, 1, 2, True),
        nn.cosine_decay_lr(0.01, 0.1, 6, 2, 2),
        nn.polynomial_decay_lr(0.1, 0.01, 6, 2, 2, 0.5),
        nn.polynomial_decay_lr(0.1, 0.01, 6, 2, 2, 0.5, True),
        nn.piecewise_constant_lr([2, 5, 6], [0.1, 0.05, 0.01]),
        nn.warmup_lr(0.1, 6, 2, 2),
    ]
    return [np.array(v, np.float64) for v in lists]


@case
def learning_rate_schedules(ms):
    nn = ms.nn
    cells = [
        nn.ExponentialDecayLR(0.1, 0.9, 4),
        nn.ExponentialDecayLR(0.1, 0.9, 4, True),
        nn.NaturalExpDecayLR(0.1, 0.9, 4),
        nn.NaturalExpDecayLR(0.1, 0.9, 4, True),
        nn.InverseDecayLR(0.1, 0.9, 4),
        nn.InverseDecayLR(0.1, 0.9, 4, True),
        nn.CosineDecayLR(0.01, 0.1, 4),
        nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5),
        nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5, True),
        nn.WarmUpLR(0.1, 3),
    ]
    return [
        np.array([float(c(ms.Tensor(i, ms.int32)).asnumpy()) for i in range(7)], np.float32)
        for c in cells
    ]


# ---- rearranging and measuring

SIMPLE = [
    ("PixelShuffle", (2,), (draw(1, 8, 2, 3),)),
    ("PixelUnshuffle", (2,), (draw(1, 2, 4, 6),)),
    ("ChannelShuffle", (2,), (draw(1, 6, 2, 2),)),
    ("CentralCrop", (0.5,), (draw(2, 3, 8, 6),)),
    ("ImageGradients", (), (draw(1, 2, 3, 4),)),
    ("PSNR", (2.0,), (draw(2, 3, 4, 4), draw(2, 3, 4, 4, seed=1))),
    ("Upsample", (None, 2.0, "nearest", None, True), (draw(1, 2, 3, 4),)),
    ("Upsample", ((5, 7), None, "bilinear"), (draw(1, 2, 3, 4),)),
    ("Upsample", ((5, 7), None, "bilinear", True), (draw(1, 2, 3, 4),)),
    ("Unfold", ((1, 2, 3, 1), (1, 2, 1, 1), (1, 1, 1, 1)), (draw(1, 2, 4, 5),)),
    ("MatMul", (False, True), (draw(2, 3), draw(4, 3, seed=1))),
    ("Norm", (1,), (draw(3, 4),)),
    ("Moments", (0,), (draw(3, 4),)),
    ("ReduceLogSumExp", (1,), (draw(3, 4),)),
    ("Roll", (1, 0), (draw(3, 4),)),
    ("Tril", (), (draw(3, 4),)),
    ("Triu", (), (draw(3, 4),)),
    ("LGamma", (), (draw(3, 4, low=0.5, high=3),)),
    ("DiGamma", (), (draw(3, 4, low=0.5, high=3),)),
    ("MatrixDiag", (), (draw(2, 3),)),
    ("MatrixDiagPart", (), (draw(2, 3, 4),)),
    ("MatrixSetDiag", (), (draw(2, 3, 4), draw(2, 3, seed=1))),
    ("ClipByNorm", (), (draw(3, 4), np.array(0.5, np.float32))),
    ("Softmax2d", (), (draw(2, 3, 2, 2),)),
    ("Unflatten", (1, (2, 3)), (draw(2, 6),)),
    ("L1Regularizer", (0.1,), (draw(2, 6),)),
    ("LPPool2d", (2.0, 2, 1), (draw(1, 2, 4, 4, low=0.1),)),
    ("LPPool1d", (3.0, 2), (draw(1, 2, 6, low=0.1),)),
    ("LRN", (2, 1.0, 0.5, 0.75), (draw(2, 5, 2, 2),)),
    ("MultiMarginLoss", (), (_X, _IDS.astype(np.int64))),
    ("TripletMarginLoss", (), (_X, _Y, _P)),
    ("TripletMarginWithDistanceLoss", (), (_X, _Y, _P)),
]


def _simple(number, name, args, inputs):
    CASES[f"simple_{number:02d}_{name}"] = lambda ms: run(ms, getattr(ms.nn, name)(*args), *inputs)


for _i, _s in enumerate(SIMPLE):
    _simple(_i, *_s)

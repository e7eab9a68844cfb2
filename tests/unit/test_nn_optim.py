"""Optimisers: formulas in NumPy over several steps where no recorded numbers exist, groups,
learning rates, refusals.
"""

from __future__ import annotations

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn

RNG = np.random.RandomState(3)
P0 = RNG.randn(2, 3).astype(np.float32)
GRADS = [RNG.randn(2, 3).astype(np.float32) for _ in range(4)]


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def params(*names, value=P0):
    return [ms.Parameter(ms.Tensor(value), name=n) for n in names]


def trace(make):
    """The parameter after each step."""
    (w,) = params("w")
    opt = make([w])
    found = []
    for g in GRADS:
        opt((ms.Tensor(g),))
        found.append(np.array(w.asnumpy()))
    return found


def follow(rule):
    """The same by a NumPy rule ``(step, p, g, state) -> p`` in float64."""
    p, state, found = P0.astype(np.float64), {}, []
    for i, g in enumerate(GRADS):
        p = rule(i + 1, p, g.astype(np.float64), state)
        found.append(p)
    return found


def same(make, rule):
    for a, b in zip(trace(make), follow(rule)):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)


def test_momentum_nesterov_with_decay_and_loss_scale(mode):
    def rule(t, p, g, s):
        g = g / 8 + 0.1 * p
        s["v"] = 0.9 * s.get("v", 0) + g
        return p - 0.05 * (g + 0.9 * s["v"])

    same(
        lambda ps: nn.Momentum(ps, 0.05, 0.9, weight_decay=0.1, loss_scale=8.0, use_nesterov=True),
        rule,
    )


def test_adagrad_without_update(mode):
    same(
        lambda ps: nn.Adagrad(ps, 0.5, 0.1, update_slots=False),
        lambda t, p, g, s: p - 0.1 * g / np.sqrt(0.5),
    )


def test_centralised(mode):
    same(
        lambda ps: nn.SGD([{"params": ps, "grad_centralization": True}], 0.1),
        lambda t, p, g, s: p - 0.1 * (g - g.mean(1, keepdims=True)),
    )


def test_ftrl(mode):
    def rule(t, p, g, s):
        a = s.get("a", 0.1)
        s["a"] = a + g * g
        z = s["z"] = s.get("z", 0) + g - (np.sqrt(s["a"]) - np.sqrt(a)) / 0.1 * p
        return np.where(
            abs(z) > 0.05, (np.sign(z) * 0.05 - z) / (np.sqrt(s["a"]) / 0.1 + 2 * 0.2), 0
        )

    same(lambda ps: nn.FTRL(ps, learning_rate=0.1, l1=0.05, l2=0.2), rule)


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_lamb(mode, decay):
    def rule(t, p, g, s):
        m = s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
        v = s["v"] = 0.999 * s.get("v", 0) + 0.001 * g * g
        step = m / (1 - 0.9**t) / (np.sqrt(v / (1 - 0.999**t)) + 1e-6) + decay * p
        return p - 0.05 * np.linalg.norm(p) / np.linalg.norm(step) * step

    same(lambda ps: nn.Lamb(ps, 0.05, weight_decay=decay), rule)


def test_lamb_of_zeros_moves():
    (w,) = params("w", value=np.zeros(2, np.float32))
    nn.Lamb([w], 0.1)((ms.Tensor([1.0, 1.0]),))
    np.testing.assert_allclose(w.asnumpy(), [-0.1, -0.1], rtol=1e-4)


def test_schedule_and_dynamic_decay(mode):
    def rule(t, p, g, s):
        return p - 0.1 * 0.5 ** ((t - 1) / 2) * (g + 0.2 * 0.9 ** (t - 1) * p)

    same(
        lambda ps: nn.Momentum(
            ps,
            nn.ExponentialDecayLR(0.1, 0.5, 2),
            0.0,
            weight_decay=nn.ExponentialDecayLR(0.2, 0.9, 1),
        ),
        rule,
    )


def test_rate_for_each_step(mode):
    same(lambda ps: nn.SGD(ps, [0.1, 0.2, 0.3, 0.4]), lambda t, p, g, s: p - 0.1 * t * g)
    same(lambda ps: nn.SGD(ps, ms.Tensor([0.1, 0.2, 0.3, 0.4])), lambda t, p, g, s: p - 0.1 * t * g)


def test_half_precision_parameters(mode):
    w = ms.Parameter(ms.Tensor(np.ones(2, np.float16)), name="w")
    opt = nn.Adam([w], 0.1)
    opt((ms.Tensor(np.ones(2, np.float16)),))
    assert w.dtype is ms.float16
    np.testing.assert_allclose(w.asnumpy(), 0.9, atol=1e-3)


def test_names_of_states():
    opt = nn.Adam(params("conv.weight", "bn.gamma"), use_amsgrad=True)
    assert [p.name for p in opt.get_parameters()] == [
        "global_step",
        "learning_rate",
        "conv.weight",
        "bn.gamma",
        "beta1_power",
        "beta2_power",
        "moment1.conv.weight",
        "moment1.bn.gamma",
        "moment2.conv.weight",
        "moment2.bn.gamma",
        "vhat.conv.weight",
        "vhat.bn.gamma",
    ]
    assert opt.trainable_params() == list(opt.get_parameters())


def test_groups_and_their_settings():
    a, b, c = params("a", "b.gamma", "c")
    opt = nn.Momentum(
        [
            {"params": [b], "lr": 0.2, "weight_decay": 0.3},
            {"params": [a, c]},
            {"order_params": [c, b, a]},
        ],
        0.1,
        0.9,
        weight_decay=0.1,
    )
    assert [p.name for p in opt.parameters] == ["c", "b.gamma", "a"]
    assert (
        opt.is_group
        and opt.is_group_lr
        and not opt.dynamic_lr
        and opt.weight_decay == (0.1, 0.3, 0.1)
    )
    assert opt.get_weight_decay() == (0.1, 0.3, 0.1) and opt.decay_flags == (True, True, True)
    np.testing.assert_allclose([float(r) for r in opt.get_lr()], [0.1, 0.2, 0.1], rtol=1e-6)
    assert opt.get_lr_parameter(b).name == "learning_rate_group_0"
    assert [p.name for p in opt.get_lr_parameter([a, b])] == [
        "learning_rate",
        "learning_rate_group_0",
    ]
    with pytest.raises(ValueError, match="does not train"):
        opt.get_lr_parameter(params("z")[0])
    flags = nn.Momentum(params("w", "bn.gamma", "bn.beta"), 0.1, 0.9, weight_decay=0.1).decay_flags
    assert flags == (True, False, False)


def test_rates_of_groups_with_lists():
    a, b = params("a", "b")
    opt = nn.RMSProp([{"params": [a], "lr": (0.1, 0.2, 0.3)}, {"params": [b]}], 0.8)
    assert opt.dynamic_lr and [r.learning_rate.name for r in opt.learning_rate] == [
        "learning_rate_group_0",
        "learning_rate",
    ]
    np.testing.assert_allclose(opt.learning_rate[1].learning_rate.asnumpy(), [0.8] * 3)
    np.testing.assert_allclose(opt.get_lr_parameter(a).asnumpy(), [0.1, 0.2, 0.3])
    opt = nn.SGD([{"params": [a], "lr": 0.5, "weight_decay": 0.3}, {"params": [b]}], 0.1)
    assert [float(r) for r in opt.learning_rate] == [0.5, np.float32(0.1)] and opt.weight_decay == (
        0.3,
        0.0,
    )


def test_global_step_and_rate_advance(mode):
    (w,) = params("w")
    opt = nn.SGD([w], nn.CosineDecayLR(0.0, 1.0, 4))
    rates = []
    for g in GRADS[:3]:
        rates.append(float(opt.get_lr()))
        opt((ms.Tensor(g),))
    assert opt.global_step.asnumpy().tolist() == [3]
    np.testing.assert_allclose(
        rates, [0.5 + 0.5 * np.cos(np.pi * i / 4) for i in range(3)], rtol=1e-6
    )


def test_rate_can_be_changed(mode):
    (w,) = params("w")
    opt = nn.SGD([w], 0.5)
    opt((ms.Tensor(GRADS[0]),))
    opt.learning_rate.set_data(ms.Tensor(0.0))
    before = np.array(w.asnumpy())
    opt((ms.Tensor(GRADS[1]),))
    np.testing.assert_array_equal(w.asnumpy(), before)


@pytest.mark.parametrize(
    "make, kind, text",
    [
        (lambda: nn.SGD([]), ValueError, "parameters must not be empty"),
        (lambda: nn.SGD(3), TypeError, "parameters has type int"),
        (lambda: nn.SGD(params("w"), -0.1), ValueError, "learning_rate is -0.1"),
        (lambda: nn.SGD(params("w"), "a"), TypeError, "learning_rate has type str"),
        (lambda: nn.SGD(params("w"), weight_decay=-1), ValueError, "weight_decay is -1"),
        (lambda: nn.SGD(params("w"), weight_decay="a"), TypeError, "weight_decay has type str"),
        (lambda: nn.SGD(params("w"), loss_scale=0), ValueError, "loss_scale is 0"),
        (lambda: nn.SGD(params("w"), momentum=-1.0), ValueError, "momentum is -1.0"),
        (lambda: nn.SGD(params("w"), nesterov=True), ValueError, "nesterov with momentum 0.0"),
        (lambda: nn.SGD([*params("w"), 3]), TypeError, "Parameters only, or dicts only"),
        (lambda: nn.SGD([{"parms": params("w")}]), KeyError, "the key 'parms'"),
        (lambda: nn.SGD([{"lr": 0.1}]), KeyError, "no key 'params'"),
        (lambda: nn.SGD([{"params": []}]), ValueError, "a parameter group is empty"),
        (
            lambda: nn.SGD([{"params": params("w")}, {"order_params": []}]),
            ValueError,
            "order_params has 0 parameters",
        ),
        (lambda: nn.SGD(params("w", "w")), ValueError, "two parameters are named 'w'"),
        (lambda: nn.SGD(None), ValueError, "parameters is None"),
        (
            lambda: nn.SGD([{"params": (w := params("w"))}, {"params": w}]),
            RuntimeError,
            "'w' is in the groups twice",
        ),
        (
            lambda: nn.SGD(
                [{"params": params("a"), "lr": [0.1, 0.2]}, {"params": params("b")}], [0.1]
            ),
            ValueError,
            "have 1 and 2 elements",
        ),
        (lambda: nn.SGD(params("w"), np.array(0.1)), TypeError, "rank 0"),
        (lambda: nn.SGD(params("w")).get_lr_parameter(3), TypeError, "param has type int"),
        (lambda: nn.exponential_decay_lr(1, 0.9, 3, 1, 1), TypeError, "learning_rate has type int"),
        (lambda: nn.exponential_decay_lr(0.1, 0.9, 3, 1, 1, 1), TypeError, "is_stair has type int"),
        (
            lambda: nn.piecewise_constant_lr([1, 2], [1, 2]),
            TypeError,
            "a learning rate has type int",
        ),
        (lambda: nn.WarmUpLR(1, 3), TypeError, "learning_rate has type int"),
        (lambda: nn.Adam(params("w"), beta1=1.0), ValueError, "beta1 is 1.0"),
        (lambda: nn.Adam(params("w"), eps=0.0), ValueError, "eps is 0.0"),
        (lambda: nn.Rprop(params("w"), etas=(1.2, 0.5)), ValueError, "etas"),
        (lambda: nn.SGD(params("w"))(()), ValueError, "got 0 gradients for 1 parameters"),
        (
            lambda: nn.SGD(params("w"))((ms.Tensor([1.0]),)),
            ValueError,
            r"parameter w has shape \(2, 3\)",
        ),
        (lambda: nn.exponential_decay_lr(0.1, 0.9, 0, 1, 1), ValueError, "total_step is 0"),
        (lambda: nn.piecewise_constant_lr([2, 1], [0.1, 0.2]), ValueError, "increasing"),
        (lambda: nn.cosine_decay_lr(0.2, 0.1, 1, 1, 1), ValueError, "min_lr < max_lr"),
        (lambda: nn.ExponentialDecayLR(0.1, 0.9, 0), ValueError, "decay_steps is 0"),
    ],
)
def test_refused(make, kind, text):
    with pytest.raises(kind, match=text):
        make()


def test_own_optimiser(mode):
    class Signs(nn.Optimizer):
        def __init__(self, params, rate):
            super().__init__(rate, params)

        def construct(self, gradients):
            for p, g in zip(self.parameters, gradients):
                ms.ops.assign(p, p - ms.ops.sign(g) * self.learning_rate)
            return True

    same(lambda ps: Signs(ps, 0.1), lambda t, p, g, s: p - 0.1 * np.sign(g))


@pytest.mark.parametrize("group", [{"params": 3}, {"order_params": 3}])
def test_a_group_holds_a_list(group):
    with pytest.raises(TypeError, match="SGD: (order_)?params of a parameter group is int 3"):
        nn.SGD([group], 0.1)


def test_a_compiled_optimiser_takes_gradients_of_a_compiled_function():
    weight = ms.Parameter(Tensor([1.0, 2.0], ms.float32), name="w")
    optimiser = nn.Momentum([weight], 0.5, 0.9)
    gradient = ms.jit(ms.grad(lambda x: (weight * x).sum(), None, optimiser.parameters))
    before = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        optimiser(gradient(Tensor([2.0, 4.0], ms.float32)))
    finally:
        ms.set_context(mode=before)
    assert weight.asnumpy().tolist() == [0, 0]

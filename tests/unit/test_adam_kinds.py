"""The keywords of Adam that choose a kind in MindSpore, and optimisers without a step of their own."""

import numpy as np
import pytest

import minds as ms
from minds import nn
from minds.nn.probability import distribution as msd


def weights():
    return [ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")]


@pytest.mark.parametrize(
    "settings,kind,said",
    [
        ({"use_lazy": True, "use_offload": True}, ValueError, "can not both be True"),
        ({"use_lazy": True, "use_amsgrad": True}, ValueError, "no parameter named 'use_amsgrad'"),
        (
            {"use_offload": True, "use_amsgrad": True},
            ValueError,
            "no parameter named 'use_amsgrad'",
        ),
        ({"use_lazy": 1}, TypeError, "use_lazy"),
        ({"lazy": True}, KeyError, "lazy"),
    ],
)
def test_settings_that_exclude_each_other(settings, kind, said):
    with pytest.raises(kind, match=said):
        nn.Adam(weights(), **settings)


@pytest.mark.parametrize("settings", [{"use_lazy": True}, {"use_offload": True}])
def test_kinds_step_alike(settings):
    plain, other = weights(), weights()
    gradient = (ms.Tensor([0.5, -1.0]),)
    nn.Adam(plain, learning_rate=0.1)(gradient)
    nn.Adam(other, learning_rate=0.1, **settings)(gradient)
    np.testing.assert_array_equal(plain[0].asnumpy(), other[0].asnumpy())


def test_an_optimiser_without_a_step():
    with pytest.raises(NotImplementedError):
        nn.Optimizer(0.5, weights()).construct()


class Arguments(nn.Cell):
    def __init__(self):
        super().__init__()
        self.free, self.fixed = msd.Normal(dtype=ms.float32), msd.Normal(3.0, 4.0)

    def construct(self, x, mean, sd):
        given = self.free.get_dist_args(mean, sd)
        none = self.free.get_dist_args()
        return self.fixed.prob(x, *given), self.fixed.prob(x, *none), none


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_parameters_of_a_distribution_that_has_none(mode):
    ms.set_context(mode=mode)
    x = ms.Tensor([-2.0, 0.0, 3.0])
    given, own, none = Arguments()(x, ms.Tensor(0.0), ms.Tensor(1.0))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert none == (None, None)
    z, u = x.asnumpy(), (x.asnumpy() - 3) / 4
    np.testing.assert_allclose(given.asnumpy(), np.exp(-z * z / 2) / np.sqrt(2 * np.pi), rtol=1e-5)
    np.testing.assert_allclose(own.asnumpy(), np.exp(-u * u / 2) / np.sqrt(32 * np.pi), rtol=1e-5)


_WHOLE = {
    "Adam": "beta1 beta2 eps",
    "AdamWeightDecay": "beta1 beta2 eps",
    "AdaMax": "beta1 beta2 eps",
    "LazyAdam": "beta1 beta2 eps",
    "Lamb": "beta1 beta2 eps",
    "RMSProp": "decay momentum epsilon",
    "Adagrad": "accum",
    "Adadelta": "rho epsilon",
    "FTRL": "initial_accum lr_power l1 l2",
    "ProximalAdagrad": "accum l1 l2",
    "ASGD": "lambd alpha t0",
    "Momentum": "momentum",
}


@pytest.mark.parametrize("kind", _WHOLE)
def test_coefficients_are_floats(kind):
    for name in _WHOLE[kind].split():
        named = (
            {"learning_rate": 0.1, "momentum": 0.9}
            if kind == "Momentum"
            else {"learning_rate": 0.1}
        )
        parameter = ms.Parameter(ms.Tensor([1.0]), name="w")
        with pytest.raises(TypeError, match=f"{kind}: {name} has type int"):
            getattr(ms.nn, kind)([parameter], **{**named, name: 1})


def test_no_weight_decay_of_the_step_in_sgd():
    class Decay(nn.Cell):
        def construct(self, step):
            return 0.1

    with pytest.raises(
        TypeError, match="For 'SGD', dynamic weight decay is currently not supported"
    ):
        nn.SGD(weights(), weight_decay=Decay())
    groups = [{"params": weights(), "weight_decay": Decay()}]
    with pytest.raises(
        TypeError, match="For 'SGD', dynamic weight decay is currently not supported"
    ):
        nn.SGD(groups)


@pytest.mark.parametrize("error", [TypeError, RuntimeError])
def test_gradients_that_are_no_tuple(error):
    with pytest.raises(error, match="Adam: gradients has type Tensor"):
        nn.Adam(weights())(ms.Tensor([1.0]))


def test_dtype_converts():
    assert ms.dtype.dtype_to_nptype(ms.int8) is np.int8

"""What public training scripts write that no documentation of MindSpore names."""

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, amp, mint, nn, ops

MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["eager", "graph"])


def test_a_class_as_the_prefix_flag():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__(Net)
            self.slope, self.norm = nn.PReLU(3), mint.nn.BatchNorm2d(3)

    assert [p.name for p in Net().get_parameters()] == [  # as MindSpore 2.10
        "slope.w",
        "norm.weight",
        "norm.bias",
        "norm.running_mean",
        "norm.running_var",
        "norm.num_batches_tracked",
    ]
    assert nn.PReLU().w.name == "a"


@MODES
def test_rates_of_dropout_may_be_set(mode):
    ms.set_context(mode=mode)
    x = ops.ones((64,))
    for layer, off in ((nn.Dropout(p=0.5), {"p": 0.0}), (nn.Dropout(0.5), {"keep_prob": 1.0})):
        layer.set_train()
        assert (layer(x) == 0).any()
        for name, v in off.items():
            setattr(layer, name, v)
        assert (layer(x) == 1).all()


decay_step = ops.MultitypeFuncGraph("decay_step")


@decay_step.register("Tensor", "Tensor", "Tensor", "Tensor", "Bool", "Bool")
def _decay_step(lr, decay, param, gradient, decays, mine):
    if not mine:
        return gradient
    update = gradient + decay * param if decays else gradient
    return ops.assign(param, param - lr * update)


class Own(nn.Optimizer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        assert self.need_scale and self.reciprocal_scale.item() == 0.5
        self.reciprocal_scale, self.need_scale = 0.5, True  # as MindCV's optimisers do

    def construct(self, gradients):
        lr, decay, all_of = self.get_lr(), self.get_weight_decay(), self._parameters
        rest = (all_of, gradients, self.decay_flags, self.optim_filter)
        if self.is_group:
            return self.hyper_map(ops.partial(decay_step, lr), decay, *rest)
        return self.hyper_map(ops.partial(decay_step, lr, decay), *rest)


@MODES
@pytest.mark.parametrize("grouped", [False, True])
def test_an_optimiser_of_ones_own_maps_over_what_the_base_offers(mode, grouped):
    ms.set_context(mode=mode)
    params = [Parameter(Tensor([1.0, 2.0]), name="w"), Parameter(Tensor([3.0]), name="beta")]
    given = params
    if grouped:
        given = [{"params": params[:1], "weight_decay": 0.5}, {"params": params[1:]}]
    own = Own(0.1, given, weight_decay=0.0 if grouped else 0.5, loss_scale=2.0)
    own((Tensor([1.0, 1.0]), Tensor([1.0])))
    np.testing.assert_allclose(params[0].asnumpy(), [0.85, 1.8], rtol=1e-6)
    np.testing.assert_allclose(params[1].asnumpy(), [2.9], rtol=1e-6)


@MODES
@pytest.mark.parametrize("momentum", [0.3, None])
def test_running_statistics_under_torchs_names(mode, momentum):
    ms.set_context(mode=mode)
    x = np.random.RandomState(0).randn(3, 6, 2, 5).astype(np.float32)
    net = mint.nn.BatchNorm1d(2, momentum=momentum)
    net.set_train()
    mean, var = np.zeros(2), np.ones(2)
    for n, batch in enumerate(x, 1):
        share = 1 / n if momentum is None else momentum
        now = batch.mean((0, 2)), batch.var((0, 2), ddof=1)
        mean, var = (old + share * (new - old) for old, new in zip((mean, var), now))
        want = (batch - now[0][:, None]) / np.sqrt(batch.var((0, 2)) + 1e-5)[:, None]
        np.testing.assert_allclose(net(Tensor(batch)).asnumpy(), want, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(net.running_mean.asnumpy(), mean, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(net.running_var.asnumpy(), var, rtol=1e-5)
    assert net.num_batches_tracked.item() == 3 and net.num_batches_tracked.dtype == ms.int64
    net.set_train(False)
    want = (x[0] - mean[:, None]) / np.sqrt(var + 1e-5)[:, None]
    np.testing.assert_allclose(net(Tensor(x[0])).asnumpy(), want, rtol=1e-4, atol=1e-5)
    plain = mint.nn.BatchNorm1d(2, affine=False, track_running_stats=False)
    assert not list(plain.get_parameters())
    own = (x[0] - x[0].mean((0, 2))[:, None]) / np.sqrt(x[0].var((0, 2)) + 1e-5)[:, None]
    np.testing.assert_allclose(plain(Tensor(x[0])).asnumpy(), own, rtol=1e-4, atol=1e-5)


def test_the_window_of_one_dimension_has_one():
    assert mint.nn.Conv1d(2, 6, 3, groups=2).weight.shape == (6, 1, 3)


@MODES
def test_a_label_that_holds_the_blank(mode):
    """As in torch: ``torch.nn.functional.ctc_loss`` gives the same."""
    ms.set_context(mode=mode)
    x = np.random.RandomState(0).randn(6, 2, 4).astype(np.float32)
    logp = x - np.log(np.exp(x).sum(-1, keepdims=True))
    loss, _ = ops.ctc_loss(
        Tensor(logp), Tensor([[1, 3, 2], [3, 1, 1]]), Tensor([6, 6]), Tensor([3, 2]), 3, "none"
    )
    np.testing.assert_allclose(loss.asnumpy(), [5.7219, 5.0647], rtol=1e-5)


class Marked:
    pass


def test_names_of_earlier_versions():
    assert ms.ms_class(Marked) is Marked
    assert amp.all_finite((ops.ones((2,)),), amp.init_status())


def test_the_native_modules_random_numbers():
    from minds.compat.c_expression import _random_normal, _random_uniform

    a, b = np.zeros((2, 500), np.float32), np.zeros(500, np.float32)
    _random_normal(3, a[0], 1.0, 0.5)
    _random_normal(3, a[1], 1.0, 0.5)
    assert (a[0] == a[1]).all() and abs(a[0].mean() - 1) < 0.1 and abs(a[0].std() - 0.5) < 0.05
    _random_uniform(3, b, -1.0, 2.0)
    assert -1 <= b.min() < -0.9 and 1.9 < b.max() <= 2

"""`mindspore.boost`'s accumulation of gradients, and the optimizer's `target`."""

import importlib

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn

boost = importlib.import_module("minds.boost")


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_step_on_the_mean_of_gradients(mode):
    ms.set_context(mode=mode)
    rng = np.random.RandomState(0)
    first = rng.randn(2, 3).astype(np.float32)
    grads = rng.randn(6, 2, 3).astype(np.float32)
    w = Parameter(Tensor(first), name="w")
    step = boost.GradientAccumulation(3, nn.Momentum([w], 0.1, 0.9))
    alone = Parameter(Tensor(first), name="w")
    opt = nn.Momentum([alone], 0.1, 0.9)
    for i, g in enumerate(grads):
        assert float(step(Tensor(7.0), (Tensor(g),))) == 7
        if i % 3 == 2:
            opt((Tensor(grads[i - 2 : i + 1].mean(0)),))
        np.testing.assert_allclose(w.asnumpy(), alone.asnumpy(), rtol=1e-5, atol=1e-6)


def test_its_ops():
    total = Parameter(Tensor([1.0, 2.0]), name="total")
    boost.gradient_accumulation_op(4, total, Tensor([4.0, 8.0]))
    assert total.asnumpy().tolist() == [2.0, 4.0]
    boost.gradient_clear_op(total)
    assert total.asnumpy().tolist() == [0.0, 0.0]
    assert importlib.import_module("minds.boost.grad_accumulation").gradient_clear_op


def test_where_an_optimizer_runs():
    class Own(nn.Adam):
        @nn.Optimizer.target.setter
        def target(self, value):
            self._set_base_target(value)

    for cls in (nn.Adam, Own):
        opt = cls([Parameter(Tensor([1.0]), name="w")])
        opt.target = "Ascend"
        assert opt.target == "Ascend" and cls([Parameter(Tensor([1.0]), name="w")]).target == "CPU"
        with pytest.raises(ValueError, match="target"):
            opt.target = "x"
        with pytest.raises(TypeError, match="target"):
            opt.target = 3


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_the_op_of_a_layer_norm(mode):
    """A subclass calls it by MindSpore's name."""

    class Own(nn.LayerNorm):
        def construct(self, x):
            y, _, _ = self.layer_norm(x, self.gamma, self.beta)
            return y

    ms.set_context(mode=mode)
    x = np.random.RandomState(0).randn(2, 3, 4).astype(np.float32)
    want = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-7)
    np.testing.assert_allclose(Own((4,))(Tensor(x)).asnumpy(), want, rtol=1e-4, atol=1e-5)


def test_parts_of_boost():
    """Unit vectors in place of dense layers, groups of parameters, numbers of groups."""
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((4, 3)), rng.standard_normal((2, 3))
    net = nn.SequentialCell(nn.Dense(3, 3), nn.ReLU(), nn.Dense(3, 2))
    net[2].weight.set_data(Tensor(w.astype(np.float32)))
    less = boost.LessBN(net, fn_flag=True)
    assert net.get_flags()["less_bn"] and type(net[0]) is nn.Dense
    head = net[2]
    assert [p.name for p in head.trainable_params()] == ["2.weight", "2.multiplier"]
    head.multiplier.set_data(Tensor([3.0]))
    unit = [v / np.linalg.norm(v, axis=1, keepdims=True) for v in (x, w)]
    got = head(Tensor(x.astype(np.float32))).asnumpy()
    np.testing.assert_allclose(got, 3 * unit[0] @ unit[1].T, rtol=1e-5, atol=1e-6)
    assert less(Tensor(x.astype(np.float32))).shape == (4, 2)
    params = nn.SequentialCell(nn.Dense(2, 1), nn.Dense(1, 1)).trainable_params()
    process = boost.ParameterProcess()
    assert [p.comm_fusion for p in process.assign_parameter_group(params, [1, 3])] == [1, 2, 2, 3]
    assert process.assign_parameter_group([]) == []
    groups = [{"params": params[2:], "lr": 0.1, "weight_decay": 0.2}, {"order_params": params}]
    found = process.generate_group_params(params[1:], groups)
    assert found[0] == {"params": params[2:], "lr": 0.1, "weight_decay": 0.2}
    assert found[1] == {"order_params": params[1:]}
    assert found[2] == {"params": params[1:2], "lr": 0.1, "weight_decay": 0.2}
    assert process.generate_group_params(params, params) == [{"params": params}]
    for given, error in (((), ValueError), ([1], TypeError)):
        with pytest.raises(error, match="^generate_group_params: "):
            process.generate_group_params(params, given)

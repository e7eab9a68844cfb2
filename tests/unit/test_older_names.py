"""Names and parameters of MindSpore's older versions, and what its libraries look for in cells and data."""

from __future__ import annotations

import numpy as np
import pytest

import minds as ms
import minds.dataset as ds
from minds import Tensor, mint, nn, ops
from minds import numpy as mnp
from minds.nn.layer.container import _valid_index
from minds.ops.operations import PyFunc
from minds.train import boost

X = np.arange(12, dtype=np.float32).reshape(3, 4)


class Older(nn.Cell):
    def __init__(self):
        super().__init__()
        self.function = PyFunc(
            lambda a, b: (a + b, a.max()),
            [ms.float32] * 2,
            [(3, 4)] * 2,
            [ms.float32] * 2,
            [(3, 4), ()],
        )
        self.resize = nn.ResizeBilinear()

    def construct(self, x):
        both, most = self.function((x, x))
        image = ops.reshape(x, (1, 1, 3, 4))
        parts = ops.split(x, axis=1, output_num=2)
        kinds = (ops.typeof(2) == ms.int64, str(ops.typeof(x)))
        large = (
            self.resize(image, size=(6, 8)),
            self.resize(image, scale_factor=2, align_corners=True),
        )
        same = ops.interpolate(image, sizes=(6, 8), mode="bilinear", align_corners=True)
        return both, most, parts, kinds, large, same, ops.logsumexp(x, axis=0, keep_dims=True)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_older_names(mode):
    ms.set_context(mode=mode)
    both, most, parts, kinds, large, same, sums = Older()(Tensor(X))
    np.testing.assert_array_equal(both.asnumpy(), 2 * X)
    assert float(most) == 11.0 and kinds == (True, "Tensor[Float32]")
    np.testing.assert_array_equal(
        np.stack([p.asnumpy() for p in parts]), np.stack(np.split(X, 2, 1))
    )
    rows, cols = np.minimum(np.arange(6) / 2, 2), np.minimum(np.arange(8) / 2, 3)
    np.testing.assert_allclose(large[0].asnumpy()[0, 0], 4 * rows[:, None] + cols, rtol=1e-6)
    np.testing.assert_allclose(large[1].asnumpy(), same.asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(sums.asnumpy(), np.log(np.exp(X).sum(0, keepdims=True)), rtol=1e-6)


def test_names_of_parameters():
    x = Tensor(X)
    np.testing.assert_array_equal(ops.transpose(x, dims=(1, 0)).asnumpy(), X.T)
    np.testing.assert_array_equal(ops.transpose(x, input_perm=(1, 0)).asnumpy(), X.T)
    np.testing.assert_array_equal(ops.swapdims(x, dim0=0, dim1=1).asnumpy(), X.T)
    assert ops.unsqueeze(x, dim=0).shape == (1, 3, 4)
    np.testing.assert_array_equal(ops.true_divide(dividend=x, divisor=4).asnumpy(), X / 4)
    np.testing.assert_array_equal(ops.range(start=0, end=6, step=2, maxlen=10).asnumpy(), [0, 2, 4])
    np.testing.assert_array_equal(x.diagonal(axis1=1, axis2=0).asnumpy(), X.T.diagonal())
    np.testing.assert_array_equal(mnp.flip(m=X, axis=1).asnumpy(), X[:, ::-1])
    np.testing.assert_array_equal(mnp.bincount(x=[0, 2, 2], length=2).asnumpy(), [1, 0])
    assert mint.nn.Conv2d(1, 2, 3)(input=ops.ones((1, 1, 5, 5))).shape == (1, 2, 3, 3)


def test_what_libraries_look_for():
    net = nn.ReLU()
    assert net._forward_pre_hook == {}
    handle = net.register_forward_pre_hook(print)
    assert list(net._forward_pre_hook.values()) == [print]
    handle.remove()
    assert net._forward_pre_hook == {} == net._forward_hook
    assert _valid_index(3, -1) == 2
    with pytest.raises(IndexError, match="CellList: index is 3"):
        _valid_index(3, 3, "CellList")
    with pytest.raises(ValueError, match="5 channels"):
        nn.GroupNorm._channel_check(5, 4)
    rows = ds.NumpySlicesDataset([1, 2, 3])
    assert (rows.dataset_size, rows.get_dataset_size(), rows.dataset_size) == (None, 3, 3)


def test_boost_without_accelerations_trains_as_nn_does():
    def losses(step, *scale):
        net = nn.WithLossCell(nn.Dense(4, 1, weight_init="ones"), nn.MSELoss())
        net = step(net, nn.SGD(net.trainable_params(), 0.01), *scale)
        found = [net(Tensor(X), ops.ones((3, 1))) for _ in range(3)]
        return [float(v[0] if isinstance(v, tuple) else v) for v in found]

    ms.set_seed(1)
    plain = losses(nn.TrainOneStepCell)
    ms.set_seed(1)
    assert losses(boost.BoostTrainOneStepCell) == plain
    ms.set_seed(1)
    np.testing.assert_allclose(
        losses(boost.BoostTrainOneStepWithLossScaleCell, Tensor(8.0)), plain, rtol=1e-5
    )
    with pytest.raises(NotImplementedError, match="AutoBoost is not built"):
        boost.AutoBoost("O1")

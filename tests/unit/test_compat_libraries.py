"""What libraries for MindSpore use of its inside: mindformers, mindnlp, mindone, mindflow."""

import importlib.metadata
import subprocess
import sys

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, mint, nn, ops
from minds._c_expression import ParamInfo
from minds._c_expression.typing import BFloat
from minds.common.api import _pynative_executor as executor
from minds.dataset.vision.transforms import PyTensorOperation
from minds.nn.wrap.cell_wrapper import _MicroBatch

X = np.arange(6, dtype=np.float32).reshape(2, 3)


class Weight(Tensor):
    """A parameter of a library's own."""

    def __init__(self, data):
        super().__init__(data)
        self.param_info = ParamInfo()
        self.param_info.name, self.requires_grad = "own", True


def test_gradients_by_hand():
    """Recorded first, differentiated afterwards, by parameters that are named only then."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    w, v, x = Parameter(Tensor(X), name="w"), Weight(X), Tensor(X)

    def loss(x):
        return (w * w * x).sum() + 3 * v.sum()

    by = ops.GradOperation(False, True, False)
    executor.set_grad_flag(True)
    executor.new_graph(loss, x)
    value = loss(x)
    executor.end_graph(loss, value, x)
    first, second = executor.grad(loss, by, (w, v), None, x)
    np.testing.assert_allclose(first.asnumpy(), 2 * X * X)
    np.testing.assert_array_equal(second.asnumpy(), np.full((2, 3), 3))
    assert executor() == (first, second) and v.param_info.name == "own"
    (again,) = executor.grad(lambda: loss(x), by, (w,), None, False)  # runs it
    np.testing.assert_array_equal(again.asnumpy(), first.asnumpy())
    with pytest.raises(RuntimeError, match="no graph was begun"):
        executor.end_graph(loss, value)


def test_recording_off_and_on():
    ms.set_context(mode=ms.PYNATIVE_MODE)

    def fn(x):
        before = executor.enable_grad()
        executor.set_enable_grad(False)
        y = x * x
        executor.set_enable_grad(before)
        with ms._no_grad():
            executor.set_enable_grad(True)
            z = x * 5
        return x * y + z

    assert float(ms.grad(fn)(Tensor(3.0))) == 14 and executor.enable_grad()
    assert not executor.grad_flag() and not executor.requires_grad()


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_tensors_as_sizes(mode):
    ms.set_context(mode=mode)
    run = ms.jit if mode == ms.GRAPH_MODE else lambda f: f
    x, n = Tensor(X), Tensor(3)
    for fn in (
        lambda x, n: x.reshape((n, 2)),
        lambda x, n: x.view(n, 2),
        lambda x, n: ops.zeros((n, 2)),
        lambda x, n: x.new_ones((n, 2)),
    ):
        assert run(fn)(x, n).shape == (3, 2)
    assert run(lambda x, n: ops.tile(x, (n, 1)))(x, n).shape == (6, 3)
    got = run(lambda x, n: ops.repeat_interleave(x, n, 1))(x, n)
    np.testing.assert_array_equal(got.asnumpy(), X.repeat(3, 1))
    np.testing.assert_array_equal(run(lambda x: x.repeat(2, 3))(x).asnumpy(), np.tile(X, (2, 3)))
    np.testing.assert_array_equal(run(lambda x: x.repeat(2, axis=1))(x).asnumpy(), X.repeat(2, 1))
    np.testing.assert_array_equal(run(lambda x: x.repeat(2, 0))(x).asnumpy(), X.repeat(2, 0))
    np.testing.assert_array_equal(run(lambda x: x.repeat(2))(x).asnumpy(), X.repeat(2))
    assert run(lambda x: x.broadcast_to(4, 2, 3))(x).shape == (4, 2, 3)
    m = run(lambda x: x.expand_dims(0).baddbmm(batch1=x[None], batch2=ops.ones((1, 3, 3))))(x)
    np.testing.assert_allclose(m.asnumpy()[0], X + X @ np.ones((3, 3)))


def test_attributes_of_layers():
    layer, table = mint.nn.Linear(3, 4), mint.nn.Embedding(5, 2)
    assert (layer.in_features, layer.out_features) == (3, 4)
    assert (table.num_embeddings, table.embedding_dim) == (5, 2)
    assert mint.nn.LayerNorm(3).eps == 1e-5 and mint.nn.Conv2d(4, 4, 3, groups=2).groups == 2
    gelu = mint.nn.GELU()
    exact = gelu(Tensor(X)).asnumpy()
    assert gelu.approximate == "none"
    gelu.approximate = "tanh"
    assert 0 < abs(gelu(Tensor(X)).asnumpy() - exact).max() < 1e-3
    bare = mint.nn.LayerNorm(3)
    bare.bias = None
    np.testing.assert_allclose(bare(Tensor(X)).asnumpy().sum(1), 0, atol=1e-5)
    assert nn.L1Loss().average and nn.L1Loss("sum").reduce and not nn.L1Loss("none").reduce
    w = np.ones((4, 3, 2), np.float32)
    assert nn.Conv1d(3, 4, 2, weight_init=Tensor(w)).weight.shape == (4, 3, 1, 2)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_primitives_of_layers(mode):
    """A subclass computes with them; strategies that divide nothing need not fit."""
    ms.set_context(mode=mode)

    class Own(nn.Dense):
        def __init__(self):
            super().__init__(3, 4)
            self.matmul.shard(((1, 1, 1), (1,)))

        def construct(self, x):
            x = self.matmul(self.cast(x, ms.float32), self.weight)
            return self.bias_add(x, self.bias) if not self.activation_flag else x

    own, plain = Own(), nn.Dense(3, 4)
    ms.load_param_into_net(plain, own.parameters_dict())
    np.testing.assert_allclose(own(Tensor(X)).asnumpy(), plain(Tensor(X)).asnumpy(), rtol=1e-6)
    for layer, inner, shape in (
        (nn.Conv2d(2, 3, 3, 2, "pad", 1), "conv2d", (1, 2, 5, 5)),
        (nn.Conv2d(2, 4, (1, 3), group=2, dilation=2), "conv2d", (1, 2, 5, 6)),
    ):
        x = Tensor(np.random.default_rng(0).normal(size=shape).astype(np.float32))
        got = getattr(layer, inner)(x, layer.weight)
        np.testing.assert_allclose(got.asnumpy(), layer(x).asnumpy(), rtol=1e-5, atol=1e-6)
    x = Tensor(X)
    got = nn.LogSoftmax(0).log_softmax(x).asnumpy()
    np.testing.assert_allclose(got, nn.LogSoftmax(0)(x).asnumpy())


def test_small_names():
    parts = _MicroBatch(3)(2, Tensor(np.arange(6)), Tensor(np.arange(3)))
    assert [p.asnumpy().tolist() for p in parts] == [[4, 5], [2]]
    assert isinstance(ms.bfloat16, BFloat) and not isinstance(ms.float16, BFloat)
    assert ms.context.get_context(attr_key="device_target") == "CPU"
    assert ms.get_auto_parallel_context("pipeline_scheduler") == "1f1b"
    w = Parameter(Tensor(1.0), name="w")
    assert w.add_pipeline_stage(1) is None and w.param_info is w
    with pytest.raises(TypeError, match="add_pipeline_stage: stage is -1"):
        w.add_pipeline_stage(-1)

    class Half(PyTensorOperation):
        def _execute_py(self, img):
            return img / 2

    assert Half()(4) == 2


def test_the_package_has_a_version():
    """In a process of its own, where ``mindspore`` is minds."""
    code = """
import minds.compat; minds.compat.install()
import importlib.metadata, mindspore
print(importlib.metadata.version("mindspore") == mindspore.__version__, mindspore.__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "mindspore"]
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        importlib.metadata.version("mindspore")

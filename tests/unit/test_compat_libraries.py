"""What libraries for MindSpore use of its inside: mindformers, mindnlp, mindone, mindflow."""

import importlib.metadata
import subprocess
import sys

import numpy as np
import pytest

import minds as ms
import minds._c_dataengine as cde
from minds import Parameter, Tensor, _checkparam, mint, nn, ops
from minds._c_expression import ParamInfo
from minds._c_expression.typing import BFloat
from minds.common.api import _pynative_executor as executor
from minds.dataset.text import transforms as text_transforms
from minds.dataset.vision.transforms import PyTensorOperation
from minds.nn.layer.conv import _Conv, _deconv_output_length
from minds.nn.wrap.cell_wrapper import _MicroBatch
from minds.train.serialization import _exec_save

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
    tied, bias = mint.nn.Linear(3, 2, bias=False), Tensor([1.0, -2.0])
    before = tied(Tensor(X)).asnumpy()
    tied.bias = Parameter(bias, name="bias")  # as libraries tie the bias of a head
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        np.testing.assert_allclose(tied(Tensor(X)).asnumpy(), before + bias.asnumpy(), rtol=1e-6)
        assert tied(Tensor(X[None])).shape == (1, 2, 2)
    flipped = Tensor(X).flip(dims=(0, 1)).asnumpy()
    np.testing.assert_array_equal(flipped, X[::-1, ::-1])
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


class Thin(_Conv):
    """A convolution that a library derives, whose window has one dimension and whose steps have two."""

    def __init__(self, has_bias=False):
        super().__init__(2, 4, (3,), (1, 2), "pad", 1, (1, 1), 1, has_bias, "ones", "ones")

    def construct(self, x):
        weight, pads = self.weight.expand_dims(2), (0, 0, 1, 1)
        conv = ops.Conv2D(4, (1, 3), pad_mode="pad", pad=pads, stride=self.stride)
        return conv(x.expand_dims(2), weight).squeeze(2)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_layers_that_libraries_derive(mode):
    ms.set_context(mode=mode)
    net = Thin()
    assert net.weight.shape == (4, 2, 3) and net.bias is None and Thin(True).bias.shape == (4,)
    x = np.arange(10, dtype=np.float32).reshape(1, 2, 5)
    both = np.pad(x.sum(1), ((0, 0), (1, 1)))  # weights of one: sums of windows of both channels
    sums = np.stack([both[:, i : i + 3].sum(1) for i in (0, 2, 4)], 1)
    np.testing.assert_allclose(net(Tensor(x)).asnumpy(), np.repeat(sums[:, None], 4, 1))
    with pytest.raises(ValueError, match="Thin: group is 3"):
        _Conv.__init__(net, 2, 4, (3,), (1,), "pad", 0, (1,), 3, False, None, None)

    class Doubled(nn.GroupNorm):
        def _cal_output(self, x):
            return 2 * super()._cal_output(x)

    images = Tensor(np.arange(16, dtype=np.float32).reshape(1, 4, 2, 2))
    once, twice = nn.GroupNorm(2, 4)(images), Doubled(2, 4)(images)
    np.testing.assert_array_equal(twice.asnumpy(), 2 * once.asnumpy())


def test_sizes_of_transposed_convolutions():
    """By counting: each input writes its window into the output, at its step."""
    for size, window, step, spacing in [(5, 3, 2, 1), (4, 2, 3, 1), (3, 3, 1, 2)]:
        reach = spacing * (window - 1) + 1
        written = {i * step + k * spacing for i in range(size) for k in range(window)}
        full = max(written) + 1
        args = size, window, step, spacing
        assert _deconv_output_length(False, False, True, *args, 1) == full - 1
        assert _deconv_output_length(True, False, False, *args, 0) == full + max(step - reach, 0)
        assert _deconv_output_length(False, True, False, *args, 0) == size * step


def test_checks_that_libraries_import():
    check = _checkparam._check_3d_int_or_tuple
    assert check("k", 2, "Conv3d") == (2, 2, 2) and check("k", (1, 2, 3), "Conv3d") == (1, 2, 3)
    assert check("k", (1, 2, 3), "Conv3d", ret_five=True) == (1, 1, 1, 2, 3)
    assert check("k", (1, 1, 4, 5, 6), "Conv3d", allow_five=True) == (4, 5, 6)
    assert check("p", 0, "Conv3d", greater_zero=False) == (0, 0, 0)
    for bad in [(1, 2), (1, 1, 4, 5, 6), 0, (1, 2, True)]:
        with pytest.raises(ValueError, match="Conv3d.*k"):
            check("k", bad, "Conv3d")
    with pytest.raises(ValueError, match="a depth of 1"):
        check("d", (2, 1, 1), "Conv3d", third_one=True)
    with pytest.raises(TypeError, match="'?k'?"):
        check("k", 1.5, "Conv3d")
    assert _checkparam.check_and_canonicalize_axes((-1, 0), 3) == (2, 0)
    for wrong in [3, (0, -3), 1.0]:
        with pytest.raises((TypeError, ValueError), match="ax[ie]s"):
            _checkparam.check_and_canonicalize_axes(wrong, 3)


def test_transforms_that_libraries_derive():
    class Upper(text_transforms.TextTensorOperation, PyTensorOperation):
        def __init__(self):
            super().__init__()
            self.implementation = text_transforms.Implementation.PY

        def _execute_py(self, text):
            return np.char.upper(text)

    data = ms.dataset.NumpySlicesDataset(["a", "b"], ["text"], shuffle=False).map(Upper(), ["text"])
    rows = [str(row[0]) for row in data.create_tuple_iterator(output_numpy=True)]
    assert rows == ["A", "B"] and ms.dataset.Implementation.C == 0

    class Native(text_transforms.TextTensorOperation):
        def parse(self):
            return cde.LookupOperation

    with pytest.raises(NotImplementedError, match="Native: there is no _execute_py"):
        Native()("a")
    with pytest.raises(AttributeError, match="no attribute .LookupOperation"):
        Native().parse()
    taken = ms.dataset.NumpySlicesDataset([1, 2, 3]).take(2)
    assert isinstance(taken, ms.dataset.TakeDataset)
    assert not isinstance(taken.batch(1), ms.dataset.TakeDataset)


def test_a_checkpoint_from_values_by_name(tmp_path):
    file = str(tmp_path / "a.ckpt")
    _exec_save(file, {"w": Tensor(X), "v": [[2], "Float32", np.float32([1, 2])]})
    found = ms.load_checkpoint(file)
    np.testing.assert_array_equal(found["w"].asnumpy(), X)
    np.testing.assert_array_equal(found["v"].asnumpy(), [1, 2])
    assert found["w"].inited_param is None


def test_steps_of_dimensions_of_one_place():
    """As MindSpore and torch give them: those of a tensor laid out in one piece."""
    x = ms.ops.zeros((8, 4, 2))
    assert x.view(8, 1, 4, 2).stride() == [8, 8, 2, 1]
    assert x.swapaxes(0, 1).reshape(4, 1, 8, 2).stride() == [2, 64, 8, 1]
    assert x.view(8, 4, 2, 1).stride() == [8, 2, 1, 1]

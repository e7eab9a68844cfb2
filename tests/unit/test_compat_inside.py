"""Names from inside MindSpore's modules that libraries for it import."""

import logging

import numpy as np
import pytest

import minds as ms
import minds.dataset as ds
from minds import Tensor, log, nn, ops, train
from minds._checkparam import Rel, Validator, args_type_check, twice
from minds.common._grad_function import _Function
from minds.common.dtype import type_size_in_bytes
from minds.common.initializer import (
    _INITIALIZER_ALIAS,
    Initializer,
    _calculate_correct_fan,
    _calculate_gain,
    _calculate_in_and_out,
    _init_random_normal,
    _init_random_uniform,
    _init_truncated_normal,
    _register,
    initializer,
)
from minds.dataset.vision import py_transforms_util as images
from minds.device_context.ascend import op_precision
from minds.log import _LogActionOnce
from minds.nn.layer.normalization import LayerNorm, _BatchNorm
from minds.nn.layer.rnn_cells import RNNCellBase, _gru_cell, _lstm_cell, _rnn_tanh_cell
from minds.nn.layer.rnns import _DynamicLSTMCPUGPU
from minds.ops.auto_generate import MoeFinalizeRouting
from minds.ops.function.nn_func import multi_head_attention_forward
from minds.parallel._utils import _device_number_check, _get_device_num, _get_parallel_mode
from minds.train._utils import _make_directory, check_value_type
from minds.train.amp import _config_level, _do_keep_batchnorm_fp32
from minds.train.callback._callback import Callback, _handle_loss
from minds.train.callback._checkpoint import CheckpointManager
from minds.train.model import DatasetHelper, _StepSync, _transfer_tensor_to_tuple
from minds.train.serialization import _load_dismatch_prefix_params, tensor_to_np_type
from minds.train.summary.summary_record import _get_summary_tensor_data

RNG = np.random.default_rng(4)


def test_checks_of_arguments():
    assert Validator.check("n", 3, "limit", 2, Rel.GT) == 3 and twice(4) == (4, 4)
    assert Validator.check_number_range(0.5, 0.0, 1.0, Rel.INC_NEITHER, float) == 0.5
    assert Validator.check_str_by_regular("name_1")
    for refused in (
        lambda: Validator.check("n", 1, "limit", 2, Rel.GT),
        lambda: Validator.check("n", 1, "choices", (2, 3), Rel.IN),
        lambda: Validator.check_str_by_regular("a b"),
    ):
        with pytest.raises(ValueError, match=r"n is 1|a b"):
            refused()

    @args_type_check(a=int, b=(str, list))
    def called(a, b=None):
        return a, b

    assert called(1, b="x") == (1, "x") and called(1) == (1, None)
    with pytest.raises(TypeError, match="b is 2"):
        called(1, 2)
    with pytest.raises(TypeError, match="name"):
        check_value_type("name", True, [int, str])


def test_steps_of_recurrent_layers():
    """Against NumPy, and a layer over sequences of several lengths against one at a time."""
    x, h, c = (RNG.standard_normal((3, n)).astype("f") for n in (2, 4, 4))
    w = [RNG.standard_normal(s).astype("f") for s in ((16, 2), (16, 4), (16,), (16,))]

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    gates = x @ w[0].T + w[2] + h @ w[1].T + w[3]
    i, f, g, o = np.split(gates, 4, 1)
    cell = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    got = _lstm_cell(Tensor(x), (Tensor(h), Tensor(c)), *map(Tensor, w))
    np.testing.assert_allclose(got[1].asnumpy(), cell, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(got[0].asnumpy(), sigmoid(o) * np.tanh(cell), rtol=1e-5, atol=1e-6)
    simple = _rnn_tanh_cell(Tensor(x), Tensor(h), *[Tensor(a[:4]) for a in w])
    np.testing.assert_allclose(simple.asnumpy(), np.tanh(gates[:, :4]), rtol=1e-5, atol=1e-6)
    assert _gru_cell(Tensor(x), Tensor(h), *[Tensor(a[:12]) for a in w]).shape == (3, 4)
    long, lengths = RNG.standard_normal((5, 3, 2)).astype("f"), np.array([5, 2, 3])
    out, (last, _) = _DynamicLSTMCPUGPU()(
        Tensor(long), (Tensor(h), Tensor(c)), Tensor(lengths), *map(Tensor, w)
    )
    for row, length in enumerate(lengths):
        state = tuple(Tensor(v[row : row + 1]) for v in (h, c))
        for t in range(length):
            state = _lstm_cell(Tensor(long[t, row : row + 1]), state, *map(Tensor, w))
            np.testing.assert_allclose(out.asnumpy()[t, row], state[0].asnumpy()[0], rtol=1e-5)
        np.testing.assert_allclose(last.asnumpy()[row], state[0].asnumpy()[0], rtol=1e-5)
        assert not out.asnumpy()[length:, row].any()
    assert RNNCellBase(2, 4, True, num_chunks=4).weight_ih.shape == (16, 2)


class _ScaledProduct(_Function):
    @staticmethod
    def forward(ctx, x, factor, y):
        ctx.save_for_backward(x, y)
        ctx.factor = factor
        return x * y * factor, x + y

    @staticmethod
    def backward(ctx, product, total):
        x, y = ctx.saved_tensors
        return product * y * ctx.factor + total, None, product * x * ctx.factor + total


@pytest.mark.parametrize(
    "arguments, gradients, fault",
    [
        ((Tensor([1.0]), Tensor([2.0])), (Tensor([1.0]),), "wrong number of gradients"),
        (
            (Tensor([1.0]), 3.0),
            (Tensor([1.0]),) * 2,
            "Input is not tensor, but gradient is not none",
        ),
        ((Tensor([1.0]), Tensor([2.0])), (Tensor([1.0]), 4), "Gradient should be none or tensor"),
    ],
)
def test_gradients_that_do_not_fit_a_function(arguments, gradients, fault):
    class Sum(ms._Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, dout):
            return gradients

    with pytest.raises(RuntimeError, match=f"Sum.backward: .*{fault}"):
        ops.GradOperation(get_all=True)(Sum.apply)(*arguments)


def test_numbers_among_results_have_no_gradient():
    class Two(nn.Cell):
        def construct(self, x):
            return 3, x * x

        def bprop(self, x, out, dout):
            return (2 * x * dout[1] + 5 * dout[0],)

    net = Two()
    assert ms.grad(lambda x: net(x)[1])(Tensor([3.0])).asnumpy().tolist() == [6.0]


def test_buffers():
    data = np.zeros(80, np.float32)
    aligned = data[-data.ctypes.data // 4 % 16 :][:20]
    shared = ms.frombuffer(memoryview(aligned), ms.float32, count=3)
    aligned[1] = 7
    assert shared.asnumpy().tolist() == [0, 7, 0]
    assert ms.frombuffer(b"\x01\x00\x02\x00", ms.int16, offset=2).asnumpy().tolist() == [2]
    for buffer, about in (
        (b"", {}),
        ([1, 2], {}),
        (b"1234", {"offset": -1}),
        (b"1234", {"offset": 4}),
        (b"1234", {"count": 0}),
        (b"1234", {"count": -2}),
        (b"1234", {"count": 3}),
        (b"123", {}),
    ):
        with pytest.raises(RuntimeError, match="frombuffer"):
            ms.frombuffer(buffer, ms.int16, **about)


def test_helpers_of_scipy():
    from minds.compat.array_checks import _safe_normalize
    from minds.compat.diagonals import matrix_set_diag

    unit, norm = _safe_normalize(Tensor([3.0, 4.0]))
    np.testing.assert_allclose(unit.asnumpy(), [0.6, 0.8])
    assert float(norm) == 5
    assert [t.asnumpy().tolist() for t in _safe_normalize(Tensor([0.0, 0.0]))] == [[0, 0], 0]
    banded = matrix_set_diag(ops.zeros((2, 3)), Tensor([[1.0, 2.0], [3.0, 4.0]]), (0, 1))
    assert banded.asnumpy().tolist() == [[3, 1, 0], [0, 4, 2]]
    a, b, g = RNG.random((4, 2)), RNG.random((4, 3)), RNG.random((2, 3))
    by_a, by_b = ops.auto_generate.lstsq_v2_grad_op(Tensor(g), Tensor(a), Tensor(b))
    np.testing.assert_allclose(by_b.asnumpy(), np.linalg.pinv(a).T @ g)
    step = 1e-6 * RNG.random(a.shape)
    up, down = (np.sum(np.linalg.lstsq(a + s, b, rcond=None)[0] * g) for s in (step, -step))
    np.testing.assert_allclose(np.sum(by_a.asnumpy() * step), (up - down) / 2, rtol=1e-4)


@pytest.mark.parametrize("two", [Tensor([2]), Tensor(2), np.array(2)], ids=repr)
def test_tensors_of_one_element_among_sizes(two):
    x = ops.zeros((2, 3))
    assert x.reshape((Tensor([3]), two)).shape == ops.zeros((3, two)).shape == (3, 2)
    assert ops.tile(x, (Tensor([3]), two)).shape == (6, 6)
    for wrong in (Tensor([2, 1]), Tensor(2.0), np.array([2])):
        with pytest.raises((TypeError, ValueError), match="reshape"):
            x.reshape((3, wrong))


def test_approximate_equal_as_mindspore_says():
    assert ops.ApproximateEqual(2.0)(Tensor([1.0, 2.0]), Tensor([2.0, 4.0])).asnumpy().tolist() == [
        1,
        0,
    ]
    with pytest.raises(TypeError, match="the type of 'tolerance' should be 'float'"):
        ops.ApproximateEqual("0.1")
    with pytest.raises(ValueError, match="'x1' must have the same shape as 'x2'"):
        ops.approximate_equal(Tensor([1.0]), Tensor([1.0, 2.0]))


def test_flags_that_are_no_bools():
    x = ops.ones((4, 2))
    assert Tensor([1.0], const_arg=True).set_const_arg(False).shape == (1,)
    for call in (lambda: Tensor([1.0], const_arg=1), lambda: x.set_const_arg(1)):
        with pytest.raises(TypeError, match="the type of 'const_arg' should be 'bool'"):
            call()
    with pytest.raises(TypeError, match="gaussian_nll_loss: .*'full' should be 'bool'"):
        ops.gaussian_nll_loss(x, x, x, full=1)
    with pytest.raises(TypeError, match="triplet_margin_loss: .*'swap' should be 'bool'"):
        ops.triplet_margin_loss(x, x, x, swap=1)
    words, sizes = ops.ones((2, 3), ms.int32), (Tensor([5, 5]), Tensor([2, 2]))
    with pytest.raises(TypeError, match="ctc_loss: .*'zero_infinity' should be 'bool'"):
        ops.ctc_loss(ops.ones((5, 2, 4)), words, *sizes, zero_infinity=1)


def test_a_function_with_its_own_gradient():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 5.0])

    def both(x, y):
        product, total = _ScaledProduct.apply(x, 3.0, y)
        return (2 * product + total).sum()

    for got, want in zip(ms.grad(both, (0, 1))(Tensor(x), Tensor(y)), (6 * y + 1, 6 * x + 1)):
        np.testing.assert_allclose(got.asnumpy(), want)


def test_initial_values():
    assert _calculate_correct_fan((8, 3, 5, 5), "fan_in") == 75
    drawn = _init_random_normal(2.0, 0.5, (4000,))
    assert (
        drawn.dtype == np.float32 and abs(drawn.mean() - 2) < 0.05 and abs(drawn.std() - 0.5) < 0.05
    )
    drawn = _init_random_uniform(-1.0, 3.0, (4000,))
    assert -1 <= drawn.min() < -0.9 and 2.9 < drawn.max() <= 3


def test_images_as_functions():
    image = RNG.integers(0, 256, (4, 5, 3)).astype(np.uint8)
    assert images.is_numpy(image) and not images.is_pil(image)
    np.testing.assert_array_equal(images.hwc_to_chw(image), image.transpose(2, 0, 1))
    np.testing.assert_allclose(
        images.to_tensor(images.to_pil(image), "float32"), image.transpose(2, 0, 1) / 255, rtol=1e-6
    )
    with pytest.raises(TypeError, match="hwc_to_chw"):
        images.hwc_to_chw(image[0, 0])


def test_training(tmp_path):
    assert _get_parallel_mode() == "stand_alone" and _get_device_num() == 1
    assert issubclass(Callback, object) and _handle_loss(Tensor([1.0, 3.0])) == 2.0
    folder = _make_directory(str(tmp_path / "a" / "b"))
    for name in ("net-1_2.ckpt", "net-2_2.ckpt", "net_last.ckpt", "other-1_1.ckpt"):
        (tmp_path / "a" / "b" / name).write_text("")
    manager = CheckpointManager()
    manager.update_ckpoint_filelist(folder, "net")
    assert manager.ckpoint_num == 2
    manager.remove_oldest_ckpoint_file()
    manager.update_ckpoint_filelist(folder, "net")
    assert manager.ckpoint_num == 1
    assert _config_level["O2"]["cast_model_type"] is ms.float16
    net = nn.SequentialCell(nn.Dense(2, 3), nn.BatchNorm1d(3)).to_float(ms.float16)
    _do_keep_batchnorm_fp32(net)
    assert net(ops.ones((4, 2))).dtype is ms.float16
    assert tensor_to_np_type("Float16") == np.float16


def test_parameters_under_a_prefix():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.Dense(3, 1))
    given = {f"network.{p.name}": ms.Parameter(p + 1.0) for p in net.get_parameters()}
    before = {p.name: p.asnumpy().copy() for p in net.get_parameters()}
    assert len(ms.load_param_into_net(net, given, strict_load=True)[0]) == 4
    with pytest.warns(UserWarning, match=r"4 parameters .* prefix 'network.'"):
        missing, _ = ms.load_param_into_net(net, given)
    assert not missing
    for p in net.get_parameters():
        np.testing.assert_array_equal(p.asnumpy(), before[p.name] + 1)
    left = [p.name for p in net.get_parameters()]
    with pytest.warns(UserWarning, match="prefix"):
        _load_dismatch_prefix_params(net, given, left, False)
    assert not left


def test_what_summaries_were_given():
    _get_summary_tensor_data()
    ops.TensorSummary()("activations", Tensor([1.0, 2.0]))
    given = _get_summary_tensor_data()
    assert list(given) == ["activations[:Tensor]"] and not _get_summary_tensor_data()
    np.testing.assert_array_equal(given["activations[:Tensor]"].asnumpy(), [1, 2])
    assert train.summary.SummaryRecord


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_the_status_of_floats(mode):
    status = ops.FloatStatus()
    run = ms.jit(lambda x: status(x)) if mode == "graph" else status
    for values, want in (([1.0, 2.0], 0), ([np.inf, 1.0], 1), ([np.nan], 1)):
        got = run(Tensor(values, ms.float32))
        assert got.shape == (1,) and got.dtype is ms.float32 and got.asnumpy()[0] == want


def test_warnings_that_are_shown_once(caplog):
    logger = logging.getLogger("test_warnings_that_are_shown_once")

    @_LogActionOnce(logger, "key")
    def warned():
        logger.warning("shown")
        return 3

    assert [warned(), warned()] == [3, 3]
    assert [r.message for r in caplog.records] == ["shown"]


def test_warnings_of_the_module_that_are_shown_once(monkeypatch):
    shown = []
    handler = logging.Handler()
    handler.emit = lambda record: shown.append(record.getMessage())
    monkeypatch.setattr(logging.getLogger("minds"), "handlers", [handler])
    warned = _LogActionOnce(logger=log, key="of the module")(lambda: log.warning("once"))
    warned(), warned()
    assert shown == ["once"]


def test_kernels_of_other_devices_are_refused_when_they_are_called():
    kernel = MoeFinalizeRouting()
    with pytest.raises(RuntimeError, match=r"(?s)MoeFinalizeRouting: .*ops.topk"):
        kernel(Tensor([1.0]))

    @ms.jit
    def program(x, device):
        return kernel(x) if device == "Ascend" else x + 1.0

    assert program(Tensor([1.0]), "CPU").asnumpy() == [2]
    with pytest.raises(RuntimeError, match="MoeFinalizeRouting"):
        program(Tensor([1.0]), "Ascend")


def test_settings_by_kind_of_device():
    assert ms.device_context.cpu.device_count() == 1 and ms.device_context.cpu.is_available()
    assert op_precision.precision_mode("allow_fp32_to_fp16") is None
    ms.device_context.gpu.op_precision.matmul_allow_tf32(True)
    try:
        assert ms.get_context("gpu_config")["matmul_allow_tf32"] is True
    finally:
        ms.device_context.gpu.op_precision.matmul_allow_tf32(False)
    assert str(ms.QuantDtype.INT8) == "INT8" and ms.QuantDtype.UINT16.value() == 115


def test_kinds_of_datasets():
    rows = ds.NumpySlicesDataset({"x": [1, 2, 3, 4]}, shuffle=False)
    assert isinstance(rows.batch(2), ds.BatchDataset) and not isinstance(rows, ds.BatchDataset)
    assert isinstance(rows.batch(2).repeat(2), ds.RepeatDataset)
    assert isinstance(rows.map(lambda x: x, "x"), ds.MapDataset)
    assert isinstance(rows + rows, ds.ConcatDataset) and issubclass(ds.ZipDataset, ds.Dataset)
    assert not isinstance(3, ds.ZipDataset)


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize("same", [True, False])
def test_attention_as_a_function_of_its_weights(same, mode):
    """Against the layer, with masks of both kinds."""
    sizes = {} if same else {"kdim": 5, "vdim": 3}
    layer = nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True, **sizes)
    draw = [RNG.standard_normal(s).astype("f") for s in ((4, 3, 8), (6, 3, 5), (6, 3, 3))]
    q, k, v = map(Tensor, draw) if not same else [Tensor(draw[0])] * 3
    padding = RNG.random((3, k.shape[0])) < 0.3
    padding[:, 0] = False
    added = RNG.standard_normal((4, k.shape[0])).astype("f")
    want = layer(q, k, v, key_padding_mask=Tensor(padding), attn_mask=Tensor(added))

    def call(q, k, v, padding, added):
        own = (
            {"k_is_v": True, "q_is_k": True}
            if same
            else {
                "use_separate_proj_weight": True,
                "q_proj_weight": layer.q_proj_weight,
                "k_proj_weight": layer.k_proj_weight,
                "v_proj_weight": layer.v_proj_weight,
            }
        )
        return multi_head_attention_forward(
            *(q, k, v, 8, 2, layer.in_proj_weight if same else None, layer.in_proj_bias),
            *(layer.bias_k, layer.bias_v, True, 0.0, layer.out_proj.weight, layer.out_proj.bias),
            **{"key_padding_mask": padding, "attn_mask": added, **own},
        )

    run = ms.jit(call) if mode == "graph" else call
    for got, wanted in zip(run(q, k, v, Tensor(padding), Tensor(added)), want):
        np.testing.assert_allclose(got.asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)


def test_initialisers_of_ones_own():
    @_register("halves", "ones")
    class Half(Initializer):
        def _initialize(self, arr):
            arr[...] = 0.5

    for named in ("half", "halves"):
        assert initializer(named, [2]).asnumpy().tolist() == [0.5, 0.5]
    assert initializer("ones", [1]).asnumpy().tolist() == [1.0]  # a name that is taken stays
    assert _INITIALIZER_ALIAS["halves"] is Half

    class Zeros(Initializer):
        def _initialize(self, arr):
            arr[...] = 7

    assert initializer("zeros", [1]).asnumpy().tolist() == [0.0]
    assert _calculate_in_and_out(np.zeros((8, 3, 5, 5))) == (75, 200)
    assert abs(_calculate_gain("leaky_relu", 2) - 0.4**0.5) < 1e-12
    drawn = _init_truncated_normal(-1.0, 2.0, 1.0, 0.5, (4000,))
    assert 0.5 <= drawn.min() < 0.51 and 1.9 < drawn.max() <= 2


def test_names_of_training():
    assert _transfer_tensor_to_tuple(Tensor(1)) == (Tensor(1),)
    assert _transfer_tensor_to_tuple([2]) == [2] and issubclass(_StepSync, train.Callback)
    assert DatasetHelper is train.DatasetHelper
    _device_number_check("data_parallel", 2)
    with pytest.raises(ValueError, match="device_number is 2"):
        _device_number_check("stand_alone", 2)
    assert isinstance(nn.BatchNorm2d(2), _BatchNorm) and LayerNorm is nn.LayerNorm
    assert [type_size_in_bytes(d) for d in (ms.float16, ms.int64, ms.bool_)] == [2, 8, 1]

"""Settings beside the execution mode."""

import pytest

import minds as ms
from minds import context
from minds.base import options
from minds.ir.abstract import AbstractTensor
from minds.lower.kernels import attributes
from minds.ops.define import P


@pytest.fixture(autouse=True)
def reset():
    yield
    context.reset_auto_parallel_context()
    ms.set_context(deterministic="OFF", max_call_depth=1000)


def test_parallel_settings_are_kept_until_reset():
    assert context.get_auto_parallel_context("parallel_mode") == ms.ParallelMode.STAND_ALONE
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, device_num=8)
    assert ms.get_auto_parallel_context("device_num") == 8
    assert ms.get_auto_parallel_context("parallel_mode") == "data_parallel"
    ms.reset_auto_parallel_context()
    assert ms.get_auto_parallel_context("device_num") == 1


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: ms.set_auto_parallel_context(nonsense=1), ValueError),
        (lambda: ms.set_auto_parallel_context(parallel_mode="twice"), ValueError),
        (lambda: ms.get_auto_parallel_context("nonsense"), ValueError),
        (lambda: ms.set_device("TPU"), ValueError),
        (lambda: ms.set_device("CPU", -1), ValueError),
        (lambda: ms.set_deterministic("yes"), TypeError),
        (lambda: ms.set_recursion_limit(2.5), TypeError),
        (lambda: ms.set_recursion_limit(0), ValueError),
        (lambda: ms.set_context(device_id="0"), TypeError),
        (lambda: ms.set_context(device_id=-1), ValueError),
        (lambda: ms.set_context(device_target=0), TypeError),
        (lambda: ms.set_context(max_device_memory=1), TypeError),
        (lambda: ms.set_context(jit_config={"jit_level": ""}), ValueError),
    ],
)
def test_refused(call, error):
    with pytest.raises(error):
        call()


def test_a_refused_setting_changes_nothing():
    with pytest.raises(ValueError):
        ms.set_auto_parallel_context(device_num=4, nonsense=1)
    assert ms.get_auto_parallel_context("device_num") == 1


def test_kept_settings():
    ms.set_device("CPU", 0)
    ms.set_deterministic(True)
    ms.set_recursion_limit(50)
    assert ms.get_context("deterministic") == "ON" and ms.get_context("max_call_depth") == 50
    assert ms.get_context("device_target") == "CPU"
    ms.set_context(jit_config={"jit_level": "O1"})
    assert context.get_jit_config() == {"jit_level": "O1"}
    ms.set_context(jit_config=None)


def test_products_may_round_on_a_device_only():
    ms.set_context(gpu_config={"matmul_allow_tf32": True, "conv_fprop_algo": "performance"})
    try:
        assert options.tf32() == ("matmul",)
        assert options.freeze().tf32 == ()
        x = AbstractTensor((2, 2), ms.float32)
        told = attributes(P.matmul, (x, x, False, True), options.tf32())
        assert told == {"transpose_a": False, "transpose_b": True, "allow_tf32": True}
        assert "allow_tf32" not in attributes(P.transpose, (x, (1, 0)), options.tf32())
    finally:
        ms.set_context(gpu_config=None)
    assert options.tf32() == ()


@pytest.mark.parametrize(
    "config, error",
    [([], TypeError), ({"tf32": True}, ValueError), ({"conv_allow_tf32": 1}, ValueError)],
)
def test_a_wrong_gpu_config_is_refused(config, error):
    with pytest.raises(error, match="set_context: .*gpu_config"):
        ms.set_context(gpu_config=config)


def test_the_directory_of_graphs_is_made(tmp_path):
    before = ms.get_context("save_graphs_path")
    ms.set_context(save_graphs_path=str(tmp_path / "graphs"))
    assert (tmp_path / "graphs").is_dir()
    assert ms.get_context("save_graphs_path") == str(tmp_path / "graphs")
    ms.set_context(save_graphs_path=before)


def test_tensor_function():
    import numpy as np

    assert ms.tensor([1, 2]).dtype is ms.int64 and ms.tensor(2.5, ms.float16).dtype is ms.float16
    built = ms.jit(lambda x, n: ms.tensor([x.sum(), x.max()]) + ms.tensor(n, ms.float32))(
        ms.Tensor([1.0, 2.0]), 3
    )
    np.testing.assert_array_equal(built.asnumpy(), [6.0, 5.0])

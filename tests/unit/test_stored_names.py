"""Attributes of tensors and cells that MindSpore has and that say how they are stored and set."""

import numpy as np
import pytest

import minds as ms
from minds import nn, ops


def test_storage():
    """The memory as bytes."""
    x = ms.Tensor([[1.0, 2.0]])
    held = x.storage()
    assert isinstance(held, ms.UntypedStorage) and held.size() == held.nbytes() == 8
    assert held.data_ptr() == x.data_ptr() and held.device == "CPU" and held.element_size() == 1
    held.copy_(ms.Tensor(np.array([5, 6], np.int32)).untyped_storage())
    assert x.asnumpy().view(np.int32).tolist() == [[5, 6]] and x.dtype is ms.float32
    assert held.resize_(8) is held and not held.is_shared()
    with pytest.raises(ValueError, match="^copy_: 4 bytes"):
        held.copy_(ms.Tensor([1.0]).storage())
    with pytest.raises(ValueError, match="^resize_: 9 bytes"):
        held.resize_(9)
    with pytest.raises(TypeError, match="^copy_: source has type list"):
        held.copy_([1])


def test_changes():
    """Other elements, a shared memory, a setting of training."""
    x, source = ms.Tensor([1.0]), ms.Tensor([[2, 3]])
    assert x.set_(source) is x and x.dtype is ms.int64 and x.tolist() == [[2, 3]]
    assert x.assign_value_cpp(ms.Tensor([7])).tolist() == [7]
    array = np.arange(16, dtype=np.float32)
    assert ms.Tensor.from_dlpack(array).tolist() == array.tolist()
    np.testing.assert_array_equal(np.asarray(ms.from_dlpack(ms.Tensor([4.0]).to_dlpack())), [4.0])
    w = ms.Parameter(ms.Tensor([1.0]), name="w")
    assert w.requires_grad_(False) is w and not w.requires_grad and w.requires_grad_().requires_grad
    assert x.requires_grad_(True) is x and x.to_("CPU") is x
    assert ms.Tensor([[1, 2], [3, 4]]).index([ms.Tensor([1, 0])]).tolist() == [[3, 4], [1, 2]]
    for call, error in (
        (lambda: w.requires_grad_(1), TypeError),
        (lambda: x.set_([1]), TypeError),
        (lambda: x.to_("Ascend"), ValueError),
        (lambda: x.index(ms.Tensor([0])), TypeError),
        (x.pin_memory, RuntimeError),
        (x.delete_, RuntimeError),
        (x.offload, RuntimeError),
    ):
        with pytest.raises(error):
            call()


def test_one_answer():
    """What MindSpore asks of every tensor."""
    x = ms.Tensor([1.0])
    assert x.delta_seed == 0 and x.init_finished and x.offload_file_path() == ""
    for name in ("param_info", "parent_tensor_", "index_of_parent_", "symbolic_shape"):
        assert getattr(x, name) is None
    assert x.flush_from_cache() is x.wait_pipeline() is x.set_init_flag(True) is None
    assert x.set_cast_dtype() is None


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_cells(mode):
    """The phase follows training or what it is set to, and changes nothing that is computed."""
    ms.set_context(mode=mode)
    net = nn.SequentialCell(nn.Dense(2, 1, "ones", "zeros"))
    assert net.phase == "train" and net.set_train(False).phase == net[0].phase == "predict"
    net.phase = "train0"
    assert net.phase == "train0" and float(net(ops.ones((1, 2)))[0, 0]) == 2.0
    assert net.set_train().phase == "train"
    assert net.pipeline_segment == "NONE" and net.cell_type is None and not net.bprop_debug
    net.pipeline_segment = 1
    assert net[0].pipeline_segment == 1 and net[0].pipeline_stage == "NONE"
    net[0].bias.layerwise_parallel = True
    assert list(net.parameters_broadcast_dict()) == ["0.weight"]
    assert net.to_empty(device="CPU") is net and net.offload() is None
    net.bprop_debug = True
    assert net.bprop_debug and net.remove_redundant_parameters() is None
    for name, value, error in (
        ("pipeline_segment", "a", TypeError),
        ("pipeline_segment", -1, ValueError),
        ("pipeline_stage", 1.5, TypeError),
        ("bprop_debug", 1, TypeError),
    ):
        with pytest.raises(error, match=f"^{name}: it is set to"):
            setattr(net, name, value)
    for value, error in ((0, ValueError), ("soon", ValueError), (1.5, TypeError)):
        with pytest.raises(error, match="backward_prefetch"):
            net.offload(value)

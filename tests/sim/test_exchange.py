"""What the bindings say of a device's arrays: whose they are, who made them, who may read them."""

import numpy as np
import pytest
from placed import MODES, on
from test_device import run_alone

import minds as ms
from minds import Tensor, _core, holders, ops
from minds.base.devices import find, target
from minds.ops.define import P
from minds.utils.dlpack import from_dlpack, to_dlpack


def test_arrays_of_a_device_are_not_the_hosts(device):
    there = Tensor(np.arange(4.0)).to(device)._array
    assert not there.is_host and there.device is find(device)
    a = there.numpy()
    a[:] = 7
    assert there.numpy().tolist() == [0, 1, 2, 3]
    if there.device.name == "cuda":
        assert there.__cuda_array_interface__["data"] == (there.data_ptr, False)
    else:
        with pytest.raises(AttributeError, match=f"{device}:0"):
            _ = there.__cuda_array_interface__
    assert not hasattr(Tensor([1.0]), "__cuda_array_interface__")


def test_dlpack_shares_a_devices_memory(device):
    x = Tensor(np.arange(6.0).reshape(2, 3)).to(device)._array
    assert x.__dlpack_device__() == (2 if x.device.name == "cuda" else 12, 0)
    y = _core.Array.from_dlpack(x)
    assert y.data_ptr == x.data_ptr and y.device is x.device
    assert y.numpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    before = x.use_count
    del y
    assert x.use_count == before - 1
    copy = _core.Array.from_dlpack(x.__dlpack__(copy=True))
    assert copy.data_ptr != x.data_ptr and copy.numpy().tolist() == x.numpy().tolist()


def test_tensors_of_other_frameworks(device):
    """Another framework's tensor is an object with DLPack's two methods; a capsule is one without."""

    class Foreign:
        def __init__(self, array):
            self.array, self.streams = array, []

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

        def __dlpack__(self, *, stream=None, **options):
            self.streams.append(stream)
            return self.array.__dlpack__(stream=stream, **options)

    with on(device):
        x = Tensor(np.arange(6.0).reshape(2, 3)) * 2
        other = Foreign(x._array)
        mine = from_dlpack(other)
        assert mine.device == f"{device}:0" and mine._array.data_ptr == x._array.data_ptr
        assert other.streams == [x._array.device.stream().handle]
        assert (mine + 1).asnumpy().tolist() == [[1, 3, 5], [7, 9, 11]]
        capsule = to_dlpack(x)
        assert from_dlpack(capsule).asnumpy().tolist() == x.asnumpy().tolist()
        with pytest.raises(TypeError, match="capsule"):
            from_dlpack(capsule)  # it is used up
    with pytest.raises(TypeError, match="__dlpack__"):
        from_dlpack(3)
    with pytest.raises(TypeError, match="expected a Tensor"):
        to_dlpack([1.0])
    assert from_dlpack(np.arange(3)).asnumpy().tolist() == [0, 1, 2]


def test_dlpack_waits_for_the_consumers_stream(device):
    with on(device):
        x = ops.ones((1000,)) * 3
        own = x._array.device.stream().handle
        for stream in (None, own, own + 1, -1):
            y = _core.Array.from_dlpack(x._array.__dlpack__(stream=stream, max_version=(1, 0)))
            assert y.numpy().tolist() == [3.0] * 1000


def test_dlpack_takes_a_device_to_the_host(device):
    x = (Tensor(np.arange(3.0)).to(device) * 2)._array
    host = _core.Array.from_dlpack(x.__dlpack__(dl_device=(1, 0), max_version=(1, 0)))
    assert host.is_host and host.numpy().tolist() == [0, 2, 4]
    for wanted in ((1, 1), (3, 0), (12, 1)):
        with pytest.raises(BufferError, match=x.device.label):
            x.__dlpack__(dl_device=wanted)
    with pytest.raises(BufferError, match=x.device.label):
        x.__dlpack__(dl_device=(1, 0), copy=False)


def test_a_consumer_may_drop_what_is_still_read(device):
    """The owner of foreign memory goes only when the work that was queued on it has run."""
    with on(device):
        x = ops.ones((1 << 16,))
        for _ in range(20):
            y = Tensor._wrap(_core.Array.from_dlpack((x * 2)._array))
            z = y + 1
            del y
        assert z.asnumpy().min() == z.asnumpy().max() == 3


def test_numbers_of_the_host_meet_a_device(device):
    x = Tensor([1.0, 2.0]).to(device)
    assert (x * Tensor(3.0)).asnumpy().tolist() == [3, 6]
    with pytest.raises(ValueError, match="on different devices") as e:
        _ = x + Tensor([1.0, 2.0])
    assert "CPU" in str(e.value)
    assert f"{device}:0" in str(e.value)


def test_a_fault_names_the_line_that_was_launched(device):
    with on(device):
        x = Tensor(np.arange(5.0))
        bad = ops.gather(x, Tensor(np.array([1, 9])), 0)  # the line
        later = bad * 2 + 1
        with pytest.raises(IndexError, match="9") as e:
            later.asnumpy()
        assert "test_exchange.py" in str(e.value) and "the line" in str(e.value)
        assert (x + 1).asnumpy().tolist() == [1, 2, 3, 4, 5]


def test_holders_know_their_lines(device):
    with on(device):
        made = ops.ones((300, 1000))  # made here
        rows = holders.holders(made._array.device)
        assert rows[0][0] >= 300 * 1000 * 4
        mine = [text for _, text in rows if "(300, 1000)" in text]
        assert len(mine) == 1 and "made at test_exchange.py:" in mine[0]
        assert made._array.site[0].endswith("test_exchange.py")


def test_a_lack_of_memory_names_the_holders_and_passes(device):
    text = run_alone(
        f"""
        import minds as ms
        from minds import Parameter
        ms.set_context(device_target={device!r})
        size = ms.hal.get_device_properties(0).total_memory // 64
        weight = Parameter(ms.ops.ones((size,)), name="layer.weight")
        kept = [ms.ops.ones((size,)) for _ in range(4)]
        try:
            while True:
                kept.append(kept[-1] + 1)
        except MemoryError as e:
            print(e)
        del kept
        print("goes on:", float((weight * 2).sum()) / size)
        """,
        MINDS_SIM_MEMORY=str(64 << 20),
    )
    assert "the largest holders" in text and "Parameter 'layer.weight'" in text, text
    assert "other tensors" in text and "made at" in text, text
    assert text.endswith("goes on: 2.0\n"), text


def test_an_unwaited_fault_does_not_stop_the_process(device):
    text = run_alone(
        f"""
        import minds as ms
        ms.set_context(device_target={device!r})
        x = ms.ops.ones((3,))
        ms.ops.gather(x, ms.Tensor([5]), 0)
        try:
            ms.hal.synchronize()
        except IndexError as e:
            print("caught")
        print((x + 1).asnumpy())
        """
    )
    assert text == "caught\n[2. 2. 2.]\n", text


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_parameter_made_before_goes_along(mode, device):
    weight = ms.Parameter(np.ones(3, np.float32), name="w")
    with on(device, mode):
        x = ops.ones((3,))
        run = ms.jit(lambda x: weight * x) if mode == ms.GRAPH_MODE else lambda x: weight * x
        assert run(x).asnumpy().tolist() == [1, 1, 1]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_programs_and_copies_are_in_order_with_a_users_stream(mode, device):
    def double(x):
        return x * 2

    run = ms.jit(double) if mode == ms.GRAPH_MODE else double
    with on(device, mode):
        for k in range(10):
            with ms.hal.StreamCtx(ms.hal.Stream()):
                x = Tensor(np.full((500,), k, np.float32)) + 1
                y = run(x) + 3
                z = y.cpu().to(device) + x
                assert z.asnumpy().tolist() == [3.0 * k + 6] * 500


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_the_host_sends_what_is_on_a_device(mode, device):
    """Collectives are the host's: operands come from the device, and results go back to it."""

    def all_of(x):
        bucket = P.all_reduce_bucket((x, x * 3), "sum", (0,))
        return P.all_gather(x * 2, (0,)) + bucket[1] + P.broadcast_from(x, 0, (0,))

    def run(x):
        return all_of(x), ms.grad(lambda x: (all_of(x) ** 2).sum())(x)

    with on(device, mode):
        x = Tensor([[1.0, 2.0], [3.0, 4.0]])
        out, slope = (ms.jit(run) if mode == ms.GRAPH_MODE else run)(x)
        for t, times in ((out, 6), (slope, 72)):
            assert t.device.startswith(target(device))
            np.testing.assert_array_equal(t.asnumpy(), times * x.asnumpy())

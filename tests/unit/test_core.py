"""The native core through its bindings: arrays, exchange of memory, errors, threads."""

import contextlib
import gc
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from minds import Tensor, _core
from minds.base import dtype as dt

pytestmark = pytest.mark.native
Array = _core.Array
F32 = dt.float32.code
EXCHANGED = [t for t in dt.ALL if t is not dt.bfloat16]


def sample(t):
    """2x3 elements of dtype ``t``."""
    return np.array([[0, 1, 2], [3, 4, 120]]).astype(t.np)


def spec(*arrays):
    return [(a.shape, a.dtype) for a in arrays]


# ---- NumPy


@pytest.mark.parametrize("t", EXCHANGED, ids=lambda t: t.name)
def test_numpy_and_back(t):
    x = sample(t)
    a = Array.from_numpy(x)
    assert (a.shape, a.dtype, a.size, a.nbytes) == ((2, 3), t.code, 6, 6 * t.itemsize)
    assert a.numpy().dtype == t.np
    np.testing.assert_array_equal(a.numpy(), x)


def test_bfloat16_travels_as_its_bits():
    bits = np.array([0x3F80, 0x4000, 0x7FC0], np.uint16)
    a = Array.from_numpy(bits, dt.bfloat16.code)
    assert a.dtype == dt.bfloat16.code
    np.testing.assert_array_equal(a.numpy(), bits)
    assert Array.from_numpy(bits[1:2], dt.bfloat16.code).item() == 2.0


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1, 1, 1)])
def test_shapes_at_the_edge(shape):
    a = Array.from_numpy(np.ones(shape, np.float32))
    assert a.shape == shape and a.numpy().shape == shape
    assert a.copy().shape == shape


def test_strided_reversed_and_foreign_order_arrays_are_copied_right():
    x = np.arange(24.0).reshape(4, 6)
    for view in (
        x[::2, 1::2],
        x.T,
        x[::-1, ::-1],
        x.astype(">f8"),
        np.asfortranarray(x),
        np.broadcast_to(x[0], (3, 6)),
    ):
        np.testing.assert_array_equal(Array.from_numpy(view).numpy(), view)
        np.testing.assert_array_equal(Array.from_numpy(view, copy=False).numpy(), view)


def test_from_numpy_copies_unless_told_otherwise():
    x = np.zeros(100, np.float32)
    a = Array.from_numpy(x)
    x[0] = 1
    assert a.numpy()[0] == 0


def test_no_copy_of_aligned_memory():
    memory = np.zeros(64 + 16, np.uint8)
    start = -memory.ctypes.data % 64
    x = memory[start : start + 16].view(np.float32)
    a = Array.from_numpy(x, copy=False)
    x[2] = 5
    assert a.data_ptr == x.ctypes.data and a.numpy()[2] == 5
    del x, memory
    gc.collect()
    assert a.numpy()[2] == 5


def test_read_only_memory_is_copied():
    x = np.zeros(16, np.float32)
    x.flags.writeable = False
    assert Array.from_numpy(x, copy=False).data_ptr != x.ctypes.data


def test_numpy_view_shares_and_keeps_the_buffer():
    a = Array.full((4,), F32, 1.0)
    view = a.numpy()
    assert a.use_count == 2
    view[0] = 7
    assert a.numpy()[0] == 7
    del a
    gc.collect()
    assert view[0] == 7


def test_the_view_of_a_released_array_frees_it():
    before = _core.memory()["in_use"]
    view = Array.full((1 << 18,), F32, 1.0).numpy()
    assert _core.memory()["in_use"] > before
    del view
    gc.collect()
    assert _core.memory()["in_use"] == before


@pytest.mark.parametrize(
    "bad",
    [
        np.array(["a"]),
        np.array([object()]),
        np.zeros(2, "M8[s]"),
        np.zeros(2, np.dtype([("x", "f4")])),
    ],
)
def test_arrays_of_other_things_are_refused(bad):
    with pytest.raises(TypeError, match="no dtype of minds"):
        Array.from_numpy(bad)


def test_a_wrong_dtype_is_refused():
    with pytest.raises(TypeError, match="expected an array of float32, got int64"):
        Array.from_numpy(np.arange(3), F32)
    with pytest.raises(TypeError, match="bfloat16 is given by its bits"):
        Array.from_numpy(np.zeros(3, np.float32), dt.bfloat16.code)
    with pytest.raises(ValueError, match="no dtype has code 99"):
        Array.from_numpy(np.zeros(3), 99)


# ---- boxes


def test_reshape_shares_the_buffer():
    a = Array.from_numpy(np.arange(6.0))
    b = a.reshape((2, 3))
    b.numpy()[1, 2] = -1
    assert a.numpy()[5] == -1 and a.use_count == 2
    with pytest.raises(
        ValueError, match=r"cannot reshape Tensor\[\(6,\), float64\] to Tensor\[\(4,\), float64\]"
    ):
        a.reshape((4,))
    with pytest.raises(ValueError, match="negative dimension"):
        a.reshape((-1, -6))


def test_assign_replaces_the_buffer():
    a, b = Array.full((3,), F32, 1.0), Array.full((3,), F32, 2.0)
    old = a.numpy()
    a.assign(b)
    assert a.data_ptr == b.data_ptr and b.use_count == 2
    np.testing.assert_array_equal(old, 1)  # who looked at the old buffer still does
    with pytest.raises(ValueError, match="cannot assign"):
        a.assign(Array.full((4,), F32, 0.0))
    with pytest.raises(ValueError, match="cannot assign"):
        a.assign(Array.full((3,), dt.float64.code, 0.0))
    a.assign(Array.full((4,), dt.int8.code, 3), force=True)
    assert a.shape == (4,) and a.dtype == dt.int8.code


def test_copy_is_independent():
    a = Array.full((3,), F32, 1.0)
    b = a.copy()
    b.numpy()[0] = 9
    assert a.numpy()[0] == 1


@pytest.mark.parametrize("t", [t for t in dt.ALL if not t.is_complex], ids=lambda t: t.name)
def test_full_and_item(t):
    value = True if t.is_bool else 1.5 if t.is_float else 100
    a = Array.full((1, 1), t.code, value)
    assert a.item() == value and type(a.item()) is type(value)


def test_full_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="300 does not fit uint8"):
        Array.full((2,), dt.uint8.code, 300)
    with pytest.raises(ValueError, match="-1 does not fit uint64"):
        Array.full((2,), dt.uint64.code, -1)
    with pytest.raises(ValueError):
        Array.full((2,), dt.int32.code, float("nan"))
    with pytest.raises(TypeError):
        Array.full((2,), F32, "x")
    assert Array.full((), dt.uint64.code, 2**64 - 1).item() == 2**64 - 1


def test_item_needs_one_element():
    with pytest.raises(ValueError, match="exactly one element"):
        Array.full((2,), F32, 0.0).item()


@pytest.mark.parametrize(
    "shape, kind",
    [
        ((-1,), ValueError),
        ((2**62, 2**62), MemoryError),
        ((0, 2**62, 4), MemoryError),
        ((2**40,), MemoryError),
        ((1,) * 33, ValueError),
        ((2**70,), OverflowError),
        ((1.5,), TypeError),
        (3, TypeError),
        ("ab", TypeError),
        (None, TypeError),
    ],
)
def test_impossible_shapes(shape, kind):
    with pytest.raises(kind):
        Array.empty(shape, F32)
    with pytest.raises(kind):
        Array.full(shape, F32, 0.0)


# ---- DLPack


@pytest.mark.parametrize("t", EXCHANGED, ids=lambda t: t.name)
def test_dlpack_to_numpy(t):
    x = sample(t)
    a = Array.from_numpy(x)
    y = np.from_dlpack(a)
    np.testing.assert_array_equal(y, x)
    assert y.ctypes.data == a.data_ptr
    assert a.__dlpack_device__() == (1, 0)


@pytest.mark.parametrize("t", EXCHANGED, ids=lambda t: t.name)
def test_dlpack_from_numpy(t):
    x = np.stack([sample(t)] * 2)[:, ::-1].transpose(2, 0, 1)
    np.testing.assert_array_equal(Array.from_dlpack(x).numpy(), x)


def test_dlpack_shares_and_outlives():
    a = Array.full((5,), F32, 3.0)
    b = Array.from_dlpack(a)
    assert b.data_ptr == a.data_ptr
    a.numpy()[1] = 4
    del a
    gc.collect()
    assert b.numpy().tolist() == [3, 4, 3, 3, 3]


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (1, 1)])
def test_an_unused_capsule_releases_its_buffer(version):
    a = Array.full((5,), F32, 3.0)
    capsule = a.__dlpack__(max_version=version)
    assert a.use_count == 2
    del capsule
    gc.collect()
    assert a.use_count == 1


def test_dlpack_copy_and_bad_requests():
    a = Array.full((5,), F32, 3.0)
    b = Array.from_dlpack(a.__dlpack__(copy=True))
    assert b.data_ptr != a.data_ptr
    with pytest.raises(ValueError, match="stream"):
        a.__dlpack__(stream=1)
    with pytest.raises(BufferError, match="on the CPU"):
        a.__dlpack__(dl_device=(2, 0))
    with pytest.raises(TypeError, match="__dlpack__"):
        Array.from_dlpack(3)
    capsule = a.__dlpack__()
    Array.from_dlpack(capsule)
    with pytest.raises(TypeError, match="unused"):
        Array.from_dlpack(capsule)


def test_dlpack_of_read_only_memory_is_copied():
    x = np.zeros(32, np.float32)
    x.flags.writeable = False
    assert Array.from_dlpack(x).data_ptr != x.ctypes.data


# ---- kernels and errors


def test_kernel_checks_its_operands():
    a, b = Array.full((3,), F32, 1.0), Array.full((3,), F32, 2.0)
    add = _core.Kernel("add", "cpu", spec(a, b), spec(a), {})
    assert add(a, b).numpy().tolist() == [3, 3, 3]
    with pytest.raises(TypeError, match="takes 2 arrays, got 1"):
        add(a)
    with pytest.raises(
        ValueError,
        match=r"operand 1 must be Tensor\[\(3,\), float32\], got Tensor\[\(4,\), float32\]",
    ):
        add(a, Array.full((4,), F32, 2.0))
    with pytest.raises(ValueError, match="operand 0"):
        add(Array.full((3,), dt.float64.code, 1.0), b)
    for wrong in (3, None, np.zeros(3, np.float32)):
        with pytest.raises(TypeError):
            add(a, wrong)


def test_what_does_not_exist():
    s = ((3,), F32)
    with pytest.raises(RuntimeError, match="no kernel for float32 on cpu") as e:
        _core.Kernel("no_such_op", "cpu", [s], [s], {})
    assert isinstance(e.value, _core.Error) and e.value.instruction is None
    with pytest.raises(RuntimeError, match="'gpu' is not available"):
        _core.Kernel("add", "gpu", [s, s], [s], {})
    with pytest.raises(RuntimeError):
        _core.Kernel("add", "cpu", [], [], {})
    assert _core.has_kernel("add", "cpu", F32) and not _core.has_kernel("add", "tpu", F32)
    assert ("cpu", "add", F32) in _core.kernels()


@pytest.mark.parametrize(
    "inputs, outputs",
    [
        ([((3,), 99)], [((3,), F32)]),
        ([((-3,), F32)], [((3,), F32)]),
        ([3], [4]),
        ([((3,), F32, 1)], [((3,), F32)]),
        ("ab", "cd"),
        ([((3,), "f")], []),
    ],
)
def test_bad_signatures(inputs, outputs):
    with pytest.raises((TypeError, ValueError, RuntimeError)):
        _core.Kernel("exp", "cpu", inputs, outputs, {})


@pytest.mark.parametrize("value", [object(), {1: 2}, 2**70, [object()], ["a"], b"x"])
def test_bad_attributes(value):
    with pytest.raises((TypeError, ValueError, RuntimeError, OverflowError)):
        _core.Kernel("full", "cpu", [], [((3,), F32)], {"value": value})


def test_every_kernel_survives_nonsense():
    """No signature, however wrong, may do more than raise."""
    shapes = [(), (0,), (2, 3), (1, 2, 3, 4)]
    tried = 0
    for device, op, code in _core.kernels():
        for n in (0, 1, 2, 3):
            for shape in shapes:
                s = (shape, code)
                with contextlib.suppress(
                    TypeError, ValueError, IndexError, RuntimeError, MemoryError
                ):
                    _core.Kernel(op, device, [s] * n, [s], {})
                tried += 1
    assert tried


# ---- state


def test_random_state():
    before = _core.random_state()
    _core.seed(11)
    assert _core.random_state() == (11, 0)
    _core.set_random_state(5, 9)
    assert _core.random_state() == (5, 9)
    _core.set_random_state(*before)


def test_threads_setting():
    before = _core.get_num_threads()
    _core.set_num_threads(2)
    assert _core.get_num_threads() == 2
    _core.set_num_threads(0)
    assert _core.get_num_threads() == 1
    _core.set_num_threads(before)


def test_the_number_of_threads_changes_no_bit():
    x = Array.from_numpy(np.linspace(-9, 9, 300_001, dtype=np.float32))
    tanh = _core.Kernel("tanh", "cpu", spec(x), spec(x), {})
    before, seen = _core.get_num_threads(), set()
    for n in (1, 2, 3):
        _core.set_num_threads(n)
        seen.add(tanh(x).numpy().tobytes())
    _core.set_num_threads(before)
    assert len(seen) == 1


def test_kernels_run_from_many_threads():
    x = Array.from_numpy(np.linspace(-1, 1, 100_000, dtype=np.float32))
    exp = _core.Kernel("exp", "cpu", spec(x), spec(x), {})
    want, wrong = exp(x).numpy().tobytes(), []

    def work():
        for _ in range(10):
            if exp(x).numpy().tobytes() != want:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_a_forked_child_computes(tmp_path):
    """libgomp's threads do not survive a fork; the child goes on with one."""
    program = """
import os
import numpy as np
from minds import Tensor, _core
_core.set_num_threads(2)
x = _core.Array.from_numpy(np.ones(1 << 20, np.float32))
s = [(x.shape, x.dtype)]
k = _core.Kernel("exp", "cpu", s, s, {})
want = k(x).numpy().tobytes()
child = os.fork()
if child == 0:
    os._exit(0 if k(x).numpy().tobytes() == want and _core.get_num_threads() == 1 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], check=True, timeout=60, cwd=tmp_path
    )


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer shows its own limits")
def test_memory_is_reused_and_can_be_trimmed():
    a = Array.full((1 << 16,), F32, 0.0)
    at = a.data_ptr
    del a
    gc.collect()
    assert Array.empty((1 << 16,), F32).data_ptr == at
    _core.trim_memory()
    assert _core.memory()["cached"] == 0


def test_a_tensor_of_one_element_takes_a_format():
    assert f"{Tensor(1.5):.3f} {Tensor([2]):>4} {Tensor([1, 2])}" == "1.500    2 [1 2]"
    with pytest.raises(ValueError, match="format code 'f'"):
        format(Tensor([1, 2]), ".3f")

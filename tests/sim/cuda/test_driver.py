"""The simulated driver does what the manual says, and refuses what it forbids: each mistake that the
plug-in could make is made here.
"""

import ctypes
import os
import subprocess
import sys
from ctypes import byref, c_float, c_int, c_size_t, c_ulonglong, c_void_p

import pytest
import texts
from cuda_driver import Driver

SIZE = c_size_t(256)
TEXT = """
extern "C" __global__ void __launch_bounds__(64) add(float* x, float by, int n) {
  if (threadIdx.x < n) x[threadIdx.x] += by;
}
extern "C" __global__ void wide(double* x) {
  extern __shared__ double t[];
  t[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = t[threadIdx.x] * 2;
}
"""
FLOATS = ctypes.c_float * 64


@pytest.fixture(scope="module")
def cuda():
    return Driver()


@pytest.fixture
def stream(cuda):
    s = cuda.stream()
    yield s
    assert cuda.cuStreamDestroy_v2(s) == "fine"


@pytest.fixture
def add(cuda):
    return cuda.function(TEXT, "add")


@pytest.fixture
def x(cuda, stream):
    """64 floats of the device, zero."""
    at = cuda.memory(256, stream)
    assert cuda.cuMemsetD32Async(at, 0, c_size_t(64), stream) == "fine"
    yield at
    assert cuda.cuMemFreeAsync(at, stream) == "fine"


def read(cuda, x, stream) -> list:
    out = FLOATS()
    assert cuda.cuMemcpyDtoHAsync_v2(out, x, SIZE, stream) == "fine"
    assert cuda.cuStreamSynchronize(stream) == "fine"
    return list(out)


def test_launches_run_in_order(cuda, stream, add, x):
    for by in (1, 2, 4):
        assert cuda.launch(add, stream, x, c_float(by), c_int(60), block=64) == "fine"
    assert read(cuda, x, stream) == [7.0] * 60 + [0.0] * 4


def test_copies_read_pinned_memory_when_they_run(cuda, stream, x):
    pinned = cuda.pinned(256)
    floats = FLOATS.from_address(pinned.value)
    floats[:] = [3.0] * 64
    cuda.cuStreamSynchronize(stream)
    assert cuda.cuMemcpyHtoDAsync_v2(x, pinned, SIZE, stream) == "fine"
    assert read(cuda, x, stream) == [3.0] * 64
    assert cuda.cuMemFreeHost(pinned) == "fine"
    assert cuda.cuMemFreeHost(pinned) == "INVALID_VALUE"


def test_events_order_streams(cuda, stream, add, x):
    other, event = cuda.stream(), cuda.event()
    assert cuda.cuEventQuery(event) == "fine"  # never recorded: it has happened
    for _ in range(20):
        cuda.launch(add, stream, x, c_float(1), c_int(64), block=64)
        assert cuda.cuEventRecord(event, stream) == "fine"
        assert cuda.cuStreamWaitEvent(other, event, 0) == "fine"
        cuda.launch(add, other, x, c_float(1), c_int(64), block=64)
        assert cuda.cuEventRecord(event, other) == "fine"
        assert cuda.cuStreamWaitEvent(stream, event, 0) == "fine"
    assert cuda.cuEventSynchronize(event) == "fine"
    assert cuda.cuEventQuery(event) == "fine"
    assert read(cuda, x, stream) == [40.0] * 64
    assert cuda.cuEventDestroy_v2(event) == "fine"
    assert cuda.cuEventRecord(event, stream) == "INVALID_HANDLE"
    assert cuda.cuStreamDestroy_v2(other) == "fine"
    assert cuda.cuStreamSynchronize(other) == "INVALID_HANDLE"


def test_times(cuda, stream):
    start, end, ms = cuda.event(0), cuda.event(0), c_float()
    assert cuda.cuEventElapsedTime_v2(byref(ms), start, end) == "INVALID_HANDLE"
    cuda.cuEventRecord(start, stream)
    cuda.cuEventRecord(end, stream)
    cuda.cuEventSynchronize(end)
    assert cuda.cuEventElapsedTime_v2(byref(ms), start, end) == "fine"
    assert ms.value >= 0
    plain = cuda.event()
    assert cuda.cuEventElapsedTime_v2(byref(ms), start, plain) == "INVALID_HANDLE"
    for e in (start, end, plain):
        cuda.cuEventDestroy_v2(e)


def test_memory_in_the_order_of_calls(cuda, stream, add):
    x = cuda.memory(256, stream)
    assert cuda.cuMemFreeAsync(x, stream) == "fine"
    assert cuda.cuMemFreeAsync(x, stream) == "INVALID_VALUE"
    assert cuda.launch(add, stream, x, c_float(1), c_int(4)) == "INVALID_VALUE"
    assert cuda.cuMemsetD8Async(x, 0, c_size_t(1), stream) == "INVALID_VALUE"
    assert cuda.cuMemcpyDtoDAsync_v2(x, x, SIZE, stream) == "INVALID_VALUE"
    assert cuda.cuMemAllocAsync(byref(x), c_size_t(0), stream) == "INVALID_VALUE"
    assert cuda.cuMemAllocAsync(byref(x), c_size_t(1 << 40), stream) == "OUT_OF_MEMORY"


def test_areas(cuda, stream, x):
    host = FLOATS()
    inside = c_ulonglong(x.value + 4)
    assert cuda.cuMemcpyHtoDAsync_v2(inside, host, SIZE, stream) == "INVALID_VALUE"
    assert cuda.cuMemcpyHtoDAsync_v2(x, c_void_p(x.value), SIZE, stream) == "INVALID_VALUE"
    assert cuda.cuMemcpyDtoDAsync_v2(inside, x, c_size_t(64), stream) == "INVALID_VALUE"
    assert (
        cuda.cuMemsetD32Async(c_ulonglong(x.value + 2), 0, c_size_t(1), stream) == "INVALID_VALUE"
    )
    assert cuda.cuMemcpyDtoHAsync_v2(c_void_p(x.value), x, SIZE, stream) == "INVALID_VALUE"


def test_shapes_of_launches(cuda, stream, add, x):
    args = (x, c_float(1), c_int(4))
    assert cuda.launch(add, stream, *args, block=65) == "LAUNCH_OUT_OF_RESOURCES"
    assert cuda.launch(add, stream, *args, block=0) == "INVALID_VALUE"
    assert cuda.launch(add, stream, *args, grid=0) == "INVALID_VALUE"
    assert cuda.launch(add, stream, *args, shared=49153) == "INVALID_VALUE"
    assert cuda.launch(add, None, *args) == "NOT_SUPPORTED"
    assert cuda.launch(c_void_p(4), stream, *args) == "INVALID_HANDLE"


def test_more_shared_memory_is_asked_for(cuda, stream):
    wide, y = cuda.function(TEXT, "wide"), cuda.memory(512, stream)
    assert cuda.launch(wide, stream, y, block=64, shared=100 << 10) == "INVALID_VALUE"
    assert cuda.cuFuncSetAttribute(wide, 8, 300 << 10) == "INVALID_VALUE"
    assert cuda.cuFuncSetAttribute(wide, 8, 100 << 10) == "fine"
    assert cuda.launch(wide, stream, y, block=64, shared=100 << 10) == "fine"
    assert cuda.cuStreamSynchronize(stream) == "fine"
    assert cuda.cuMemFreeAsync(y, stream) == "fine"


def test_modules(cuda, add):
    offset, size, sizes = c_size_t(), c_size_t(), []
    while cuda.cuFuncGetParamInfo(add, c_size_t(len(sizes)), byref(offset), byref(size)) == "fine":
        sizes.append((offset.value, size.value))
    assert sizes == [(0, 8), (8, 4), (12, 4)]
    module, function = c_void_p(), c_void_p()
    assert cuda.cuModuleLoadData(byref(module), b"no image at all") == "INVALID_IMAGE"
    module = cuda.make("cuModuleLoadData", texts.cubin(TEXT))
    assert cuda.cuModuleGetFunction(byref(function), module, b"none") == "NOT_FOUND"
    assert cuda.cuModuleUnload(module) == "fine"
    assert cuda.cuModuleGetFunction(byref(function), module, b"add") == "INVALID_HANDLE"


def test_races_are_found_however_they_run():
    said = alone("""
d = Driver(); s, o = d.stream(), d.stream(); x = d.memory(256, s)
add, event = d.function(TEXT, "add"), d.event()
one = (x, c_float(1), c_int(1))
d.launch(add, s, *one); d.cuEventRecord(event, s); d.cuStreamWaitEvent(o, event, 0)
print(d.launch(add, o, *one), d.cuStreamSynchronize(o), d.launch(add, s, *one))
d.cuStreamSynchronize(s)
print(d.launch(add, o, *one), d.launch(add, s, *one))
""")
    assert "fine fine fine\nfine LAUNCH_FAILED\n" in said, said
    assert "add on stream 1 writes" in said and "neither waits for the other" in said


# ---- captures


def captured(cuda, stream, work, mode=1):
    """The graph of what is queued meanwhile."""
    assert cuda.cuStreamBeginCapture_v2(stream, mode) == "fine"
    work()
    graph = c_void_p()
    assert cuda.cuStreamEndCapture(stream, byref(graph)) == "fine"
    return graph


def test_a_graph_is_replayed(cuda, stream, add, x):
    graph = captured(
        cuda, stream, lambda: cuda.launch(add, stream, x, c_float(2), c_int(64), block=64)
    )
    assert read(cuda, x, stream) == [0.0] * 64  # nothing has run
    exec_ = cuda.make("cuGraphInstantiateWithFlags", graph, c_ulonglong(0))
    assert cuda.cuGraphDestroy(graph) == "fine"
    for _ in range(3):
        assert cuda.cuGraphLaunch(exec_, stream) == "fine"
    assert read(cuda, x, stream) == [6.0] * 64
    assert cuda.cuGraphExecDestroy(exec_) == "fine"
    assert cuda.cuGraphLaunch(exec_, stream) == "INVALID_VALUE"


def test_a_graph_of_two_streams(cuda, stream, add, x):
    other, fork, join = cuda.stream(), cuda.event(), cuda.event()

    def work():
        cuda.launch(add, stream, x, c_float(1), c_int(64), block=64)
        assert cuda.cuEventRecord(fork, stream) == "fine"
        assert cuda.cuStreamWaitEvent(other, fork, 0) == "fine"
        cuda.launch(add, other, x, c_float(1), c_int(64), block=64)
        assert cuda.cuEventRecord(join, other) == "fine"
        assert cuda.cuStreamWaitEvent(stream, join, 0) == "fine"
        cuda.launch(add, stream, x, c_float(1), c_int(64), block=64)

    exec_ = cuda.make("cuGraphInstantiateWithFlags", captured(cuda, stream, work), c_ulonglong(0))
    for _ in range(5):
        assert cuda.cuGraphLaunch(exec_, stream) == "fine"
    assert read(cuda, x, stream) == [15.0] * 64
    assert cuda.cuStreamDestroy_v2(other) == "fine"


def ended(cuda, stream) -> str:
    return cuda.cuStreamEndCapture(stream, byref(c_void_p()))


def test_what_a_capture_forbids(cuda, stream, add, x):
    cuda.cuStreamSynchronize(stream)
    event, host = cuda.event(), FLOATS()
    forbidden = {
        "cuStreamSynchronize": (stream,),
        "cuStreamQuery": (stream,),
        "cuCtxSynchronize": (),
        "cuMemHostAlloc": (byref(c_void_p()), SIZE, 0),
        "cuMemcpyHtoDAsync_v2": (x, host, SIZE, stream),
        "cuMemAllocAsync": (byref(c_ulonglong()), SIZE, stream),
        "cuModuleLoadData": (byref(c_void_p()), texts.cubin(TEXT)),
    }
    for name, args in forbidden.items():
        assert cuda.cuStreamBeginCapture_v2(stream, 1) == "fine"
        assert getattr(cuda, name)(*args) == "STREAM_CAPTURE_UNSUPPORTED", name
        assert ended(cuda, stream) in ("fine", "STREAM_CAPTURE_INVALIDATED")
    assert cuda.cuStreamBeginCapture_v2(stream, 1) == "fine"
    assert cuda.cuEventRecord(event, stream) == "fine"
    assert cuda.cuEventSynchronize(event) == "CAPTURED_EVENT"
    assert cuda.launch(add, stream, x, c_float(1), c_int(1)) == "STREAM_CAPTURE_INVALIDATED"
    assert ended(cuda, stream) == "STREAM_CAPTURE_INVALIDATED"
    assert ended(cuda, stream) == "INVALID_VALUE"
    assert read(cuda, x, stream) == [0.0] * 64


def test_streams_of_a_capture(cuda, stream, add, x):
    other, event = cuda.stream(), cuda.event()
    cuda.cuStreamSynchronize(stream)
    cuda.launch(add, other, x, c_float(0), c_int(1))
    assert cuda.cuEventRecord(event, other) == "fine"
    assert cuda.cuStreamBeginCapture_v2(stream, 1) == "fine"
    assert cuda.cuStreamWaitEvent(stream, event, 0) == "STREAM_CAPTURE_ISOLATION"
    assert ended(cuda, stream) == "STREAM_CAPTURE_INVALIDATED"
    assert cuda.cuStreamBeginCapture_v2(stream, 1) == "fine"
    assert cuda.cuEventRecord(event, stream) == "fine"
    assert cuda.cuStreamWaitEvent(other, event, 0) == "fine"
    cuda.launch(add, other, x, c_float(1), c_int(1))
    assert ended(cuda, other) == "STREAM_CAPTURE_UNMATCHED"
    assert ended(cuda, stream) == "STREAM_CAPTURE_UNJOINED"
    assert cuda.cuStreamDestroy_v2(other) == "fine"


def test_a_graph_knows_that_its_memory_is_gone(cuda, stream, add):
    y = cuda.memory(256, stream)
    graph = captured(
        cuda, stream, lambda: cuda.launch(add, stream, y, c_float(2), c_int(64), block=64)
    )
    exec_ = cuda.make("cuGraphInstantiateWithFlags", graph, c_ulonglong(0))
    assert cuda.cuMemFreeAsync(y, stream) == "fine"
    assert cuda.cuGraphLaunch(exec_, stream) == "INVALID_VALUE"


def test_leaks_are_counted(cuda, stream):
    before = cuda.living()
    event, x = cuda.event(), cuda.memory(256, stream)
    assert [a - b for a, b in zip(cuda.living(), before)] == [0, 1, 1, 0, 0, 0, 0]
    cuda.cuEventDestroy_v2(event)
    cuda.cuMemFreeAsync(x, stream)
    assert cuda.living() == before


# ---- what ends the context, each in a process of its own

STARTS = {
    "no cuInit": ("d = Driver(False); d.stream()", "NOT_INITIALIZED"),
    "no context": ("d.cuCtxSetCurrent(None); d.stream()", "INVALID_CONTEXT"),
    "another thread": (
        "t = threading.Thread(target=lambda: print(d.cuCtxSynchronize())); t.start(); t.join()",
        "INVALID_CONTEXT",
    ),
    "a fork": (
        "pid = os.fork()\nif pid == 0: print(d.cuCtxSynchronize(), flush=True); os._exit(0)\n"
        "os.waitpid(pid, 0)",
        "NOT_INITIALIZED",
    ),
}
STICKY = {
    "writes behind its block": (
        "d.launch(add, s, ctypes.c_ulonglong(x.value + 4), c_float(1), c_int(64), block=64)",
        "ILLEGAL_ADDRESS",
        "text.cu:3: reads 4 bytes",
    ),
    "a pointer of the host": (
        "h = FLOATS(); d.launch(add, s, ctypes.c_void_p(ctypes.addressof(h)), c_float(1), c_int(1))",
        "ILLEGAL_ADDRESS",
        "in no block that is in use",
    ),
    "an address that is not aligned": (
        "d.launch(add, s, ctypes.c_ulonglong(x.value + 2), c_float(1), c_int(1))",
        "MISALIGNED_ADDRESS",
        "text.cu:3: an address is not aligned",
    ),
    "another stream's memory, too early": (
        "o = d.stream(); d.launch(slow, s, x); y = d.memory(256, s)\n"
        "d.launch(add, o, y, c_float(1), c_int(64), block=64)\nd.cuStreamSynchronize(o)",
        "ILLEGAL_ADDRESS",
        "in no block that is in use",
    ),
}
SLOW = """
extern "C" __global__ void slow(float* x) { for (int i = 0; i < 3000000; ++i) x[i % 64] += 1; }
"""


def alone(code: str) -> str:
    """What a process prints that has a driver `d`, a stream `s`, memory `x` and functions."""
    program = f"""
import sys; sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
import ctypes, os, threading
from ctypes import c_float, c_int
from cuda_driver import Driver
from test_driver import FLOATS, SLOW, TEXT
{code}
"""
    env = {**os.environ, "MINDS_CUDA_LIBRARIES": texts.BUILT}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env)
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", STARTS)
def test_no_call_without(name):
    code, wanted = STARTS[name]
    start = "" if name == "no cuInit" else "d = Driver()\n"
    assert wanted in alone(start + code)


@pytest.mark.parametrize("name", STICKY)
def test_mistakes_of_kernels(name):
    code, wanted, message = STICKY[name]
    said = alone(f"""
d = Driver(); s = d.stream(); x = d.memory(256, s)
add, slow = d.function(TEXT, "add"), d.function(SLOW, "slow")
d.cuMemsetD32Async(x, 0, ctypes.c_size_t(64), s)
d.cuStreamSynchronize(s)
{code}
print(d.cuStreamSynchronize(s), d.cuCtxSynchronize(), d.message(700))
""")
    assert f"{wanted} {wanted}" in said, said
    assert message in said, said


def test_drivers_that_lack_what_is_optional_do(tmp_path):
    """One of CUDA 12.0: the function that came later is not in the library."""
    for name in os.listdir(texts.BUILT):
        if "libcuda.so" not in name and os.path.isfile(os.path.join(texts.BUILT, name)):
            os.symlink(os.path.join(texts.BUILT, name), tmp_path / name)
    with open(os.path.join(texts.BUILT, "libcuda.so.1"), "rb") as f:
        library = f.read()
    symbol = b"\0cuFuncGetParamInfo\0"
    assert symbol in library
    library = library.replace(symbol, symbol[:-2] + b"?\0")
    (tmp_path / "libcuda.so.1").write_bytes(library)
    program = (
        "import minds as ms\n"
        "ms.set_context(device_target='GPU')\n"
        "a, b = ms.hal.Event(enable_timing=True), ms.hal.Event(enable_timing=True)\n"
        "a.record(); x = ms.ops.ones((3,)) * 2; b.record(); b.synchronize()\n"
        "print(x.asnumpy(), a.elapsed_time(b) > 0)\n"
    )
    env = {**os.environ, "MINDS_CUDA_LIBRARIES": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env)
    assert done.stdout == "[2. 2. 2.] True\n", done.stderr

"""The simulated driver, called directly."""

from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_uint, c_ulonglong, c_void_p

import texts

CODES = {
    0: "fine",
    1: "INVALID_VALUE",
    2: "OUT_OF_MEMORY",
    3: "NOT_INITIALIZED",
    101: "INVALID_DEVICE",
    200: "INVALID_IMAGE",
    201: "INVALID_CONTEXT",
    400: "INVALID_HANDLE",
    500: "NOT_FOUND",
    600: "NOT_READY",
    700: "ILLEGAL_ADDRESS",
    701: "LAUNCH_OUT_OF_RESOURCES",
    716: "MISALIGNED_ADDRESS",
    719: "LAUNCH_FAILED",
    801: "NOT_SUPPORTED",
    900: "STREAM_CAPTURE_UNSUPPORTED",
    901: "STREAM_CAPTURE_INVALIDATED",
    902: "STREAM_CAPTURE_MERGE",
    903: "STREAM_CAPTURE_UNMATCHED",
    904: "STREAM_CAPTURE_UNJOINED",
    905: "STREAM_CAPTURE_ISOLATION",
    907: "CAPTURED_EVENT",
}
NON_BLOCKING, NO_TIMING = 1, 2


class Driver:
    """Calls give the name of their code; those that make something give it, or raise."""

    def __init__(self, start: bool = True) -> None:
        self.library = ctypes.CDLL(os.path.join(texts.BUILT, "libcuda.so.1"))
        if start:
            assert self.cuInit(0) == "fine"
            self.context = self.make("cuDevicePrimaryCtxRetain", 0)
            assert self.cuCtxSetCurrent(self.context) == "fine"

    def __getattr__(self, name: str):
        function = getattr(self.library, name)
        return lambda *args: CODES[function(*args)]

    def make(self, call: str, *args):
        """What a call gives by its first argument."""
        out = c_void_p()
        code = getattr(self, call)(byref(out), *args)
        assert code == "fine", code
        return out

    def stream(self) -> c_void_p:
        return self.make("cuStreamCreate", NON_BLOCKING)

    def event(self, flags: int = NO_TIMING) -> c_void_p:
        return self.make("cuEventCreate", flags)

    def memory(self, size: int, stream) -> c_ulonglong:
        out = c_ulonglong()
        assert self.cuMemAllocAsync(byref(out), ctypes.c_size_t(size), stream) == "fine"
        return out

    def pinned(self, size: int) -> c_void_p:
        return self.make("cuMemHostAlloc", ctypes.c_size_t(size), 0)

    def function(self, text: str, name: str) -> c_void_p:
        module = self.make("cuModuleLoadData", texts.cubin(text))
        return self.make("cuModuleGetFunction", module, name.encode())

    def launch(
        self, function, stream, *args, grid: int = 1, block: int = 32, shared: int = 0
    ) -> str:
        at = (c_void_p * len(args))(*(ctypes.cast(byref(a), c_void_p) for a in args))
        sides = map(c_uint, (grid, 1, 1, block, 1, 1, shared))
        return self.cuLaunchKernel(function, *sides, stream, at, None)

    def message(self, code: int) -> str:
        text = ctypes.c_char_p()
        self.library.cuGetErrorString(code, byref(text))
        return text.value.decode()

    def living(self) -> list[int]:
        """Streams, events, blocks, pinned blocks, modules, graphs, executable graphs."""
        counts = (c_ulonglong * 7)()
        self.library.cuda_simulator_living(counts)
        return list(counts)

"""Texts in CUDA C compiled by the stand-in of NVRTC and run on the CPU, with NumPy arrays for memory.

    module = compile_file("softmax", {"T": "float"})
    module.launch("softmax", 4, 256, x, out, np.int64(10))       # grid, block, arguments

`launch` runs the kernel in both orders of threads and both of blocks and compares the bits of all arrays;
`order` asks for one. What is wrong with a kernel (a barrier that some threads miss, an access of
memory that is nobody's) raises TextError with the line.
"""

from __future__ import annotations

import ctypes
import functools
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
KERNELS = os.path.join(ROOT, "csrc", "cuda", "kernels")
BUILT = os.environ.get("MINDS_CUDA_LIBRARIES") or os.path.join(
    ROOT, "build", "native", "tests", "sim", "cuda"
)
ORDERS = (0, 1, 2, 3)
"""Bit 0: the threads of a block run backward; bit 1: so do the blocks."""


class TextError(Exception):
    """A text does not compile, or a kernel does what it must not."""


@functools.cache
def libraries() -> tuple:
    """The fibers and the stand-in of NVRTC."""
    runner = ctypes.CDLL(os.path.join(BUILT, "libcuda_on_cpu.so"), ctypes.RTLD_GLOBAL)
    runner.cuda_text_open.restype = ctypes.c_void_p
    return runner, ctypes.CDLL(os.path.join(BUILT, "libnvrtc.so.13"))


def compile_text(text: str, defines: dict | None = None, name: str = "text.cu") -> Module:
    """A text's kernels; each of ``defines`` is a macro."""
    return Module(cubin(text, defines, name))


def cubin(text: str, defines: dict | None = None, name: str = "text.cu") -> bytes:
    """What the compiler makes of a text."""
    _, nvrtc = libraries()
    options = [f"-D{k}={v}".encode() for k, v in (defines or {}).items()]
    options += [b"--gpu-architecture=sm_90", b"--fmad=false", b"--std=c++17"]
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), name.encode(), 0, None, None)
    try:
        code = nvrtc.nvrtcCompileProgram(
            program, len(options), (ctypes.c_char_p * len(options))(*options)
        )
        size = ctypes.c_size_t()
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        if code != 0:
            raise TextError(log.value.decode())
        nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
        image = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetCUBIN(program, image)
        return image.raw
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def compile_file(family: str, defines: dict | None = None) -> Module:
    """The kernels of ``csrc/cuda/kernels/FAMILY.cu`` as the plug-in compiles them: after the prelude and
    the definitions, other files in place of the lines that include them.
    """
    done: set[str] = set()

    def expanded(file: str) -> str:
        done.add(file)
        with open(os.path.join(KERNELS, file)) as f:
            lines = [f'#line 1 "{file}"']
            for n, line in enumerate(f.read().split("\n")):
                if line.startswith('#include "'):
                    inner = line.split('"')[1]
                    text = "" if inner in done else expanded(inner)
                    line = f'{text}\n#line {n + 2} "{file}"'
                lines.append(line)
        return "\n".join(lines)

    given = [f"#define {k} {v}" for k, v in (defines or {}).items()]
    text = "\n".join([expanded("prelude.cuh"), *given, expanded(f"{family}.cu")])
    return compile_text(text, name=f"{family}.cu")


class Module:
    """A compiled text."""

    def __init__(self, cubin: bytes) -> None:
        runner, _ = libraries()
        message = ctypes.create_string_buffer(4000)
        self._file = os.memfd_create("text")
        os.write(self._file, cubin)
        path = f"/proc/{os.getpid()}/fd/{self._file}"
        self._module = runner.cuda_text_open(path.encode(), message, len(message))
        if not self._module:
            raise TextError(message.value.decode())

    def __del__(self) -> None:
        libraries()[0].cuda_text_close(ctypes.c_void_p(self._module))
        os.close(self._file)

    def parameters(self, kernel: str) -> list[int]:
        """The bytes of a kernel's parameters."""
        sizes = (ctypes.c_uint * 64)()
        count = libraries()[0].cuda_text_parameters(
            ctypes.c_void_p(self._module), kernel.encode(), sizes
        )
        if count < 0:
            raise TextError(f"there is no kernel {kernel!r}")
        return list(sizes[:count])

    def launch(self, kernel, grid, block, *args, shared: int = 0, order: int | None = None) -> None:
        """Runs a kernel. Arguments are arrays, which it reads and writes in place (None: a null pointer),
        and NumPy scalars or structured scalars of the parameters' sizes.
        """
        sizes = self.parameters(kernel)
        if len(sizes) != len(args):
            raise TextError(f"{kernel} takes {len(sizes)} arguments, not {len(args)}")
        arrays = [a for a in args if isinstance(a, np.ndarray)]
        before = [a.copy() for a in arrays]
        first = None
        for o in ORDERS if order is None else (order,):
            for a, b in zip(arrays, before):
                a[...] = b
            self._run(kernel, grid, block, args, sizes, shared, o)
            found = [a.tobytes() for a in arrays]
            first = first or found
            for n, (one, other) in enumerate(zip(first, found)):
                if one != other:
                    raise TextError(
                        f"{kernel}: array {n} depends on the order of threads or blocks"
                    )

    def _run(self, kernel, grid, block, args, sizes, shared, order) -> None:
        words, areas = [], []
        for n, (a, size) in enumerate(zip(args, sizes)):
            if isinstance(a, np.ndarray):
                assert a.flags.c_contiguous
                areas.append((a.ctypes.data, a.ctypes.data + a.nbytes))
                word = np.uint64(a.ctypes.data).tobytes()
            else:
                word = bytes(8) if a is None else np.asarray(a).tobytes()
            if len(word) != size:
                raise TextError(f"{kernel}: argument {n} has {len(word)} bytes, not {size}")
            # At the strictest alignment that a parameter can have.
            words.append(
                (ctypes.c_longdouble * (len(word) // 16 + 1)).from_buffer_copy(
                    word.ljust(16 * (len(word) // 16 + 1), b"\0")
                )
            )
        shape = [*triple(grid), *triple(block)]
        message = ctypes.create_string_buffer(4000)
        libraries()[0].cuda_text_launch(
            ctypes.c_void_p(self._module),
            kernel.encode(),
            (ctypes.c_void_p * len(words))(*(ctypes.addressof(w) for w in words)),
            (ctypes.c_uint * 6)(*shape),
            ctypes.c_size_t(shared),
            order,
            (ctypes.c_size_t * len(areas))(*(b for b, _ in areas)),
            (ctypes.c_size_t * len(areas))(*(e for _, e in areas)),
            ctypes.c_size_t(len(areas)),
            message,
            ctypes.c_size_t(len(message)),
        )
        if message.value:
            raise TextError(message.value.decode())


def triple(shape) -> tuple:
    """A shape of one to three numbers with three."""
    shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    return shape + (1,) * (3 - len(shape))

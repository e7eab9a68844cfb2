"""The native core: arrays, kernels, programs. dtypes are the codes of `minds.base.dtype`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Spec = tuple[Sequence[int], int]

class Error(Exception):
    """A failure of the native core; also an instance of the builtin class that fits."""

    instruction: int | None

class ValueFault(Error, ValueError): ...
class TypeFault(Error, TypeError): ...
class IndexFault(Error, IndexError): ...
class MemoryFault(Error, MemoryError): ...
class BackendFault(Error, RuntimeError): ...
class InternalFault(Error, RuntimeError): ...
class HostFault(Error, RuntimeError): ...
class ZeroDivisionFault(Error, ZeroDivisionError): ...
class OverflowFault(Error, OverflowError): ...

class Array:
    """A dense tensor in memory: a mutable box around a shared, reference-counted buffer."""

    @staticmethod
    def from_numpy(a: np.ndarray, dtype: int | None = None, copy: bool = True) -> Array:
        """An array with ``a``'s elements. ``copy=False`` shares memory if ``a`` is writable,
        contiguous and 64-byte aligned.
        """
    @staticmethod
    def from_dlpack(source: Any) -> Array:
        """An array that shares the memory of ``source`` where it is dense, writable and 64-byte
        aligned, else a copy.
        """
    @staticmethod
    def full(shape: Sequence[int], dtype: int, value: bool | int | float) -> Array: ...
    @staticmethod
    def empty(shape: Sequence[int], dtype: int) -> Array: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def use_count(self) -> int:
        """How many arrays, views and programs share the buffer."""
    @property
    def data_ptr(self) -> int: ...
    def numpy(self) -> np.ndarray:
        """A writable view, without a copy, that keeps the buffer alive. bfloat16 comes as its bits,
        ``uint16``.
        """
    def item(self) -> bool | int | float | complex: ...
    def reshape(self, shape: Sequence[int]) -> Array:
        """The same buffer under another shape."""
    def assign(self, other: Array, force: bool = False) -> None:
        """This box now holds ``other``'s buffer; ``force`` allows another shape or dtype."""
    def copy(self) -> Array: ...
    def __dlpack__(
        self,
        *,
        stream: None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class Kernel:
    """A kernel prepared for one signature; call it with arrays."""

    def __init__(
        self,
        op: str,
        device: str,
        inputs: Sequence[Spec],
        outputs: Sequence[Spec],
        attrs: dict[str, Any],
    ) -> None: ...
    def __call__(self, *arrays: Array) -> Any: ...

class Program:
    """A compiled program; see `minds.lower`."""

    memory_limit: int
    stack_limit: int
    instructions: int
    workspace: int
    def __init__(
        self, code: bytes, callbacks: list[Callable] = ..., constants: list[Array] = ...
    ) -> None: ...
    def bind(self, params: list[Array]) -> None: ...
    def __call__(self, args: list[Array]) -> list[Array]: ...

def kernels() -> list[tuple[str, str, int]]:
    """All kernels as (device, op, dtype)."""

def has_kernel(op: str, device: str, dtype: int) -> bool: ...
def elementwise() -> list[tuple[str, int, bool, bool]]:
    """The elementwise kernels: (name, operands, whether it gives bool, whether integers may be
    refused when it runs).
    """

def scalar_forms() -> list[tuple[int, str, int, int, int, bool]]:
    """The instructions on words: (number, kernel that does the same, operands, dtype of operands,
    of the result, whether it has CPython's errors).
    """

def number_forms() -> list[tuple[str, int, int]]:
    """What the kernel ``python_number`` computes: (op, dtype of operands, of the result)."""

def program_format() -> dict[str, Any]:
    """The constants of the format of programs."""

def changed(table: tuple, leaves: list, containers: list) -> int | None:
    """The first row of a table of reads that does not hold, its length if what were different
    objects is one now, else None. Fills the lists with the tensors and numbers that a run takes, and
    the containers.
    """

def set_num_threads(n: int) -> None: ...
def get_num_threads() -> int: ...
def cpu_features() -> str: ...
def seed(n: int) -> None:
    """Start the random sequence anew."""

def random_state() -> tuple[int, int]:
    """(seed, counter)."""

def set_random_state(seed: int, counter: int) -> None: ...
def memory() -> dict[str, int]:
    """Bytes ``in_use``, ``cached`` and the ``peak`` of use."""

def trim_memory() -> None:
    """Give cached memory back to the system."""

def crc32(bytes) -> int:
    """The checksum of zlib."""

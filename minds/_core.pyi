"""The native core: arrays, kernels, programs. dtypes are the codes of `minds.base.dtype`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Spec = tuple[Sequence[int], int]

class Error(Exception):
    """A failure of the native core; also an instance of the builtin class that fits."""

    instruction: int | None
    site: tuple[str, int, str] | None
    """The user's line (file, line, function) of an eager launch that its device found to have failed
    later, where `op` is its kernel.
    """
    op: str

class ValueFault(Error, ValueError): ...
class TypeFault(Error, TypeError): ...
class IndexFault(Error, IndexError): ...
class MemoryFault(Error, MemoryError): ...
class BackendFault(Error, RuntimeError): ...
class InternalFault(Error, RuntimeError): ...
class HostFault(Error, RuntimeError): ...
class ZeroDivisionFault(Error, ZeroDivisionError): ...
class OverflowFault(Error, OverflowError): ...

class Device:
    """A device that has been opened; there is one object for each, kept for ever."""

    @property
    def name(self) -> str:
        """The kind: "cpu", or that of a plug-in."""
    @property
    def index(self) -> int: ...
    @property
    def label(self) -> str:
        """Both, as ``"sim:0"``."""
    @property
    def is_host(self) -> bool:
        """Whether its memory is the host's, and what it is given has run when a call returns."""
    def memory(self) -> dict[str, int]:
        """Bytes of the pool: ``in_use``, ``cached``, ``peak``, ``peak_reserved``; of the device:
        ``total``, ``free``.
        """
    def properties(self) -> dict:
        """What it is: ``name`` of the product, ``major``, ``minor``, ``processors``, ``warp``,
        ``libraries`` with their versions; empty or 0 where it has no such thing.
        """
    def reset_peaks(self) -> None: ...
    def trim(self) -> None:
        """Give cached memory back to the system."""
    def synchronize(self) -> None:
        """Wait for all that is queued; raises what was wrong with its data."""
    def stream(self) -> Stream:
        """The default one."""
    def user_stream(self) -> Stream:
        """One of a few others, in turns."""

class Ahead:
    """Copies to a device that run beside what is queued there: arrays that this thread makes of the
    host's memory within ``with`` are copied on the copy lane.
    """

    def __init__(self, device: Device) -> None: ...
    def __enter__(self) -> Ahead: ...
    def __exit__(self, *error) -> None: ...
    def done(self) -> bool:
        """Whether the copies are there."""
    def wait(self) -> None:
        """Let the work that is queued from now on wait for the copies."""

class Stream:
    """Work queued on a device, run in order."""

    @property
    def device(self) -> Device: ...
    @property
    def handle(self) -> int:
        """The vendor's name of it; 0: it has none."""
    def idle(self) -> bool: ...
    def record(self, event: Event) -> None: ...
    def wait(self, event: Event) -> None: ...
    def synchronize(self) -> None: ...

class Event:
    """A point in a stream's work. One that was never recorded has happened."""

    def __init__(self, device: Device, timing: bool = False) -> None: ...
    @property
    def device(self) -> Device: ...
    def done(self) -> bool: ...
    def synchronize(self) -> None: ...
    def milliseconds_since(self, earlier: Event) -> float: ...

def device(name: str, index: int = 0) -> Device:
    """The device, opened if it is not yet.

    Raises:
        RuntimeError: the kind is unknown, or something that it needs is missing.
        ValueError: there are not so many.
    """

def device_count(name: str) -> int:
    """How many devices of a kind there are."""

def open_devices() -> list[Device]: ...
def current_device() -> Device:
    """Where new arrays are made."""

def set_device(device: Device) -> None:
    """Make it the one for new arrays."""

def use_device(device: Device | None) -> Device | None:
    """Make it the one for new arrays of this thread, or None for `set_device`'s; gives the former."""

def current_stream(device: Device) -> Stream:
    """Where this thread's eager work on the device is queued."""

def set_stream(stream: Stream) -> None:
    """Queue this thread's eager work on the stream's device there."""

def set_explain(fn: Callable[[Error], Exception] | None) -> None:
    """What a device says of an eager launch afterwards is raised as what ``fn`` gives for it;
    ``error.op`` is the kernel, ``error.site`` the user's line.
    """

def set_holders(fn: Callable[[str], str]) -> None:
    """To the message of a lack of memory is added what ``fn`` gives for it."""

def set_library(folder: str) -> None:
    """Frames of files in this folder are not the user's lines."""

class Array:
    """A dense tensor in memory: a mutable box around a shared, reference-counted buffer."""

    @staticmethod
    def from_numpy(
        a: np.ndarray,
        dtype: int | None = None,
        copy: bool = True,
        device: Device | str | None = None,
    ) -> Array:
        """An array on the device (None: the current one) with ``a``'s elements. ``copy=False`` shares
        the host's memory if ``a`` is writable, contiguous and 64-byte aligned.
        """
    @staticmethod
    def from_dlpack(source: Any) -> Array:
        """An array that shares the memory of ``source`` where it is dense, writable and 64-byte
        aligned, else a copy.
        """
    @staticmethod
    def full(
        shape: Sequence[int],
        dtype: int,
        value: bool | int | float,
        device: Device | str | None = None,
    ) -> Array: ...
    @staticmethod
    def empty(shape: Sequence[int], dtype: int, device: Device | str | None = None) -> Array: ...
    @property
    def device(self) -> Device: ...
    @property
    def is_host(self) -> bool: ...
    @property
    def site(self) -> tuple[str, int, str] | None:
        """The user's line that made it, of what is on a device other than the host."""
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
        """A writable view, without a copy, that keeps the buffer alive; of a device that is not the
        host a copy. bfloat16 comes as its bits, ``uint16``.
        """
    def item(self) -> bool | int | float | complex: ...
    def reshape(self, shape: Sequence[int]) -> Array:
        """The same buffer under another shape."""
    def assign(self, other: Array, force: bool = False) -> None:
        """This box now holds ``other``'s buffer; ``force`` allows another shape or dtype."""
    def copy(self) -> Array: ...
    def to(self, device: Device | str | None) -> Array:
        """A copy on a device (None: the current one)."""
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
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
        device: Device | str | None,
        inputs: Sequence[Spec],
        outputs: Sequence[Spec],
        attrs: dict[str, Any],
    ) -> None: ...
    def __call__(self, *arrays: Array) -> Any: ...

class Launch:
    """What one op, with operands and attributes like some, resolved to; the core runs it unless
    not ``native``.
    """

    native: bool
    on_host: bool
    abstract: Any
    many: bool
    params: list[Any]
    ways: tuple | None
    takes: bool

    def __init__(
        self,
        kernel: Kernel | None,
        view: Sequence[int] | None,
        abstract: Any,
        params: list[Any],
        has_rule: bool,
        plain: bool,
        pure: bool,
    ) -> None: ...
    def run(self, arrays: list[Array]) -> Any: ...
    def make(self, tensors: list[Any], rule: Callable[..., Any], params: list[Any]) -> Any: ...

class Op:
    """What an op resolved to. A call like an earlier one runs at once; others are ``called``."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class Memo:
    """A function made of ops, whose calls like earlier ones the core repeats."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class Method:
    """A method of tensors that is an op where that was resolved before."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class Tape:
    """What ran, in order, and the walk back over it; see `minds.ad.tape`."""

    def watch(self, t: Any) -> None: ...
    def tracks(self, x: Any) -> bool: ...
    def record(
        self, op: Any, params: list[Any], leaves: list[Any], out: Any, loc: Any = None
    ) -> None: ...
    def cut(self, op: Any, out: Any) -> None: ...
    def exchange(self, was: Any, now: Any) -> None: ...
    def walk(
        self,
        sums: dict[int, Any],
        outs: list[Any],
        douts: list[Any],
        keep: set[int],
        last: bool,
    ) -> None: ...

def set_tensor(
    type: type, dtype: type, describe: Callable[[tuple[int, ...], int], Any]
) -> None: ...
def wrap(array: Array) -> Any: ...
def abstract_of(tensor: Any) -> Any: ...
def dtype_of(tensor: Any) -> Any: ...
def shape_of(tensor: Any) -> tuple[int, ...]: ...
def describe_op(
    op: Op,
    names: list[str],
    kinds: list[str],
    defaults: list[Any],
    no_default: Any,
    plain: bool,
    nondiff: bool,
) -> None: ...
def set_vectorcall(type: type[Op]) -> None: ...
def found_launch(op: Op, params: list[Any], on: Any) -> Launch | None: ...
def keep_launch(op: Op, params: list[Any], on: Any, what: Launch | tuple[Any, ...]) -> None: ...
def memo(fn: Callable[..., Any], changes: bool = False) -> Memo: ...
def method(op: Op, otherwise: Callable[..., Any], swapped: bool = False) -> Method: ...
def set_eager(
    regions: list[Any], devices: set[str], cast: Op, constant: Callable[[Any, Any], Any]
) -> None: ...
def current_builder() -> Any: ...
def push_builder(builder: Any) -> None: ...
def pop_builder() -> None: ...
def active_tapes() -> tuple[Any, ...]: ...
def swap_tapes(tapes: tuple[Any, ...]) -> tuple[Any, ...]: ...
def set_views(quiet: set[int], note: Callable[..., None], many: int) -> None:
    """What notes views, but in the threads of a set, and how many entries a new list of views may have."""

def set_tape(
    add: Op,
    hooked: dict[int, Any],
    applied: Callable[[Any, Any], Any],
    cotangents: Callable[[list[Any], tuple[Any, ...]], Any],
    gradients: Callable[..., list[Any]],
    fail: Callable[[TypeError, Any], None],
) -> None: ...

class Program:
    """A compiled program; see `minds.lower`."""

    memory_limit: int
    stack_limit: int
    number: int
    """Of this process, from 1 on; as `take_spans` names it."""
    instructions: int
    workspace: int
    explain: Callable[[Error], Exception] | None
    """What a device says of a run afterwards is raised as what this gives."""
    def __init__(
        self,
        code: bytes,
        callbacks: list[Callable] = ...,
        constants: list[Array] = ...,
        device: str = "cpu",
        index: int = 0,
    ) -> None: ...
    def bind(self, params: list[Array]) -> None: ...
    def __call__(self, args: list[Array]) -> list[Array]: ...
    def sink(self, feed: Feed, rest: list[Array], most: int) -> tuple[list[Array], int]:
        """Run for one batch of ``feed`` after the other, followed by ``rest``, ``most`` times at the
        most; it ends before a batch of another shape. Gives the last results and how many runs
        there were.
        """

class Feed:
    """Batches for `Program.sink`, in the order in which they are put."""

    def __init__(self, capacity: int) -> None: ...
    def put(self, arrays: list[Array], copies: Ahead | None = None) -> bool:
        """Wait until there is room. False: it has ended. ``copies`` bring the arrays to the device."""
    def end(self) -> None:
        """Nothing more is put; what is there can be taken."""

def watch(times: bool, nan: bool) -> None:
    """Watch kernels from now on: note when each ran, fail at the first that gives a NaN."""

def take_spans() -> list[tuple]:
    """What ran while it was watched, and was not taken yet: (kernel, program, where, begin, end,
    thread, bytes in use). A program's kernel is at an instruction, an eager one (program 0) at a
    (file, line, function) or None; a whole run of a program has no kernel. Times are nanoseconds
    of the steady clock.
    """

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

def device_traits(name: str, index: int = 0) -> dict[str, Any]:
    """What the compiler must know of a device, which this opens."""

def program_format() -> dict[str, Any]:
    """The constants of the format of programs."""

def changed(table: tuple, leaves: list, containers: list) -> int | None:
    """The first row of a table of reads that does not hold, its length if what were different
    objects is one now, else None. Fills the lists with the tensors and numbers that a run takes, and
    the containers.
    """

def rerun(entries: list, spec: Any, place: Any, changes: int, args: tuple, kwargs: dict) -> Any:
    """The result of a call whose program is among the entries (`minds.jit.latest`), else
    NotImplemented.
    """

class CommJob:
    """Work on the thread of communication."""

    def wait(self, seconds: float) -> bool:
        """Until it has run, but no longer than that; whether it has."""

def comm_open(library: str) -> None:
    """Open an MPI library and begin."""

def comm_segment() -> tuple[int, int] | None:
    """Makes the memory that others of this host may read: its file, and the number that it begins with."""

def comm_reach(rank: int, pid: int, file: int, key: int) -> bool:
    """Whether that of another process is here."""

def comm_share(all: bool) -> None:
    """Says whether each process reaches each other's, for collectives that are prepared from now on."""

def comm_world() -> tuple[int, int]:
    """The rank of this process, and how many there are."""

def comm_watch(waiting: Callable, left: Callable, line: Callable) -> None:
    """``waiting(what, site, ranks, seconds)`` is called while this process waits, ``left()`` behind that;
    ``line()`` tells where the user's program is.
    """

def comm_settle() -> None:
    """Waits for what runs beside the program."""

def comm_exchange(send: list, receive: list, what: str) -> list[bytes]:
    """Sends (rank, bytes) and receives (rank, count)."""

def comm_close() -> None: ...
def comm_abort(code: int) -> None:
    """End all processes."""

def comm_counts() -> tuple[list[tuple[list[int], int]], list[tuple[int, int]]]:
    """How many collectives each group of ranks has had here; how many messages each rank got and gave."""

def comm_bytes_sent() -> int: ...
def take_exchanges() -> list[tuple]: ...
def comm_begin(work: Callable) -> CommJob:
    """Runs ``work()`` after what was begun before."""

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

def pooled_bytes(bytes: int) -> int:
    """What the host's pool takes for a buffer."""

def trim_memory() -> None:
    """Give cached memory back to the system."""

def crc32(bytes) -> int:
    """The checksum of zlib."""

def open_jpeg_library(path: str) -> bool:
    """Open libjpeg-turbo (version 62 of its interface); False where it is missing or another."""

def has_jpeg_library() -> bool: ...
def jpeg_size(file: Any) -> tuple[int, int]:
    """Height and width of a JPEG file's bytes; a BackendFault for four colours, a ValueFault for what
    is none.
    """

def augment_image(
    source: Any,
    encoded: bool,
    box: tuple[int, int, int, int],
    kind: int,
    mirror: bool,
    upside_down: bool,
    planar: bool,
    mean: tuple,
    std: tuple,
    to: np.ndarray,
) -> None:
    """Put a part (x, y, width, height) of an image of bytes, or of a JPEG file, into ``to``: resized to
    its shape, mirrored, normalised per channel where ``to`` is of floats, with the channels first
    where ``planar``.
    """

def resize_image(source: np.ndarray, kind: int, to: np.ndarray) -> None: ...
def warp_image(
    source: np.ndarray, map: tuple, projective: bool, kind: int, border: tuple, to: np.ndarray
) -> None:
    """Put an image seen through a map of nine numbers, from places of ``to`` to places of it, into
    ``to``.
    """

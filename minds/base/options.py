"""Settings of the process, and the frozen `Options` that one compilation sees."""

from __future__ import annotations

import contextlib
import os
import re
import threading
from dataclasses import dataclass, replace

from .. import _core
from . import devices
from .errors import complain
from .world import local_rank, world

GRAPH_MODE, PYNATIVE_MODE = 0, 1


@dataclass(frozen=True)
class OptimizerParallel:
    """How the states of optimisers are divided among devices that would hold the same.

    Attributes:
        level: 1 and 2 for states and gradients, 3 for weights too.
        threshold: weights of fewer bytes are left whole.
        most: in how many parts one is divided at most; -1, as many as there are devices.
    """

    level: int = 1
    threshold: int = 64 << 10
    most: int = -1


@dataclass(frozen=True)
class SearchLimits:
    """What a search for layouts tries: MindSpore's ``set_algo_parameters``, whose names these are."""

    fully_use_devices: bool = False
    elementwise_op_strategy_follow: bool = False
    enable_algo_approxi: bool = False
    algo_approxi_epsilon: float = 0.1
    tensor_slice_align_enable: bool = False
    tensor_slice_align_size: int = 16


@dataclass(frozen=True)
class Division:
    """How programs are divided among processes.

    Attributes:
        size, rank: how many processes there are, and which this one is.
        batch: how the arguments are divided already: ``full_batch``, not at all; ``data_parallel``, along
            dimension 0; or for each in how many parts its dimensions are, or along which axes, and
            names and sizes of these.
        searches: whether layouts that the program does not say are searched.
        optimizer: how the states of optimisers are divided, if they are.
        load, save: the strategy files that tell layouts of parameters, and that get what was found.
        stages: of a pipeline; each has as many of the processes.
        schedule: in which order a stage works, as of `sharding.schedule`.
        limits: what is tried where layouts are searched.
    """

    size: int
    rank: int
    batch: str | tuple = "data_parallel"
    searches: bool = False
    optimizer: OptimizerParallel | None = None
    load: str = ""
    save: str = ""
    stages: int = 1
    schedule: str = "1f1b"
    limits: SearchLimits = SearchLimits()

    width = property(lambda self: self.size // self.stages, doc="The processes of a stage.")


@dataclass(frozen=True)
class Options:
    """What a compilation depends on, read once at its start.

    Attributes:
        device, device_id: where the program runs, as the core names it.
        host_fallback: whether what the device cannot do is done on the host.
        tf32: of "matmul" and "conv" those whose float32 operands a GPU may round to TF32 (10 bits).
        memory_limit: bytes that a program may hold at a time; None: all that the device has.
        pool_limit: bytes that all that runs may hold; None likewise.
        unroll: a loop with at most this many static iterations is unrolled.
        strict: what the host would have to do at the end of the program is refused (MindSpore's
            jit_syntax_level STRICT): changes of lists and dicts made outside.
        calls: how deep the recursive calls of a run may nest: the setting max_call_depth counts
            thousands, since they take no stack of the machine.
        division: how the program is divided among processes, if it is.
        dump, time, check: the environment's MINDS_DUMP (step names), MINDS_TIME and MINDS_CHECK.
    """

    device: str = "cpu"
    device_id: int = 0
    host_fallback: bool = False
    tf32: tuple[str, ...] = ()
    memory_limit: int | None = None
    pool_limit: int | None = None
    unroll: int = 8
    strict: bool = False
    calls: int = 1_000_000
    division: Division | None = None
    dump: tuple[str, ...] = ()
    time: bool = False
    check: bool = False


@dataclass
class _Context:
    mode: int = PYNATIVE_MODE
    device_target: str = "CPU"
    device_id: int = 0
    host_fallback: bool = False
    chosen: bool = False  # the number of the device


_context = _Context()
_division: list[Division | None] = [None]
_search: list[SearchLimits] = [SearchLimits()]


def divide_among(division: Division | None) -> None:
    """Divide the programs that are compiled from now on, or no more."""
    alone = division is None or division.size == 1
    _division[0] = None if alone else replace(division, limits=_search[0])
    (narrowed.discard if _division[0] is None else narrowed.add)(DIVIDED)


def search_limits() -> SearchLimits:
    """What searches for layouts try from now on."""
    return _search[0]


def limit_search(limits: SearchLimits) -> None:
    """Say what searches for layouts try from now on."""
    _search[0] = limits
    divide_among(_division[0])


def is_divided() -> bool:
    """Whether programs are divided that are compiled from now on."""
    return _division[0] is not None


def stages() -> int:
    """In how many stages the programs are divided that are compiled from now on."""
    return 1 if _division[0] is None else _division[0].stages


# Settings of MindSpore that steer parts which minds has no need to steer: accepted, kept for
# get_context, without effect but for max_call_depth, jit_syntax_level, gpu_config, max_device_memory,
# memory_offload, enable_compile_cache and compile_cache_path.
_KEPT = {
    "save_graphs": False,
    "save_graphs_path": ".",
    "enable_graph_kernel": False,
    "graph_kernel_flags": "",
    "max_call_depth": 1000,
    "max_device_memory": "1024GB",
    "variable_memory_max_size": "30GB",
    "enable_reduce_precision": True,
    "precompile_only": False,
    "reserve_class_name_in_scope": True,
    "pynative_synchronize": False,
    "deterministic": "OFF",
    "runtime_num_threads": 0,
    "inter_op_parallel_num": 0,
    "enable_compile_cache": False,
    "compile_cache_path": "",
    "jit_syntax_level": 2,
    "memory_optimize_level": "O0",
    "enable_mem_reuse": True,
    "check_bprop": False,
    "grad_for_scalar": False,
    "debug_level": 0,
    "jit_config": None,
    "jit_level": "",
    "ascend_config": None,
    "env_config_path": "",
    "print_file_path": "",
    "enable_profiling": False,
    "profiling_options": "",
    "auto_tune_mode": "NO_TUNE",
    "disable_format_transform": False,
    "jit_enable_inplace_ops": True,
    "gpu_config": None,
    "support_binary": False,
    "exec_order": "bfs",
    "op_timeout": 900,
    "mempool_block_size": "1GB",
    "memory_offload": "OFF",
    "enable_dump": False,
    "save_dump_path": ".",
    "check_inputs": False,
    "enable_auto_mixed_precision": False,
    "enable_loop_sink": True,
    "enable_task_sink": True,
    "enable_sparse": False,
    "aoe_tune_mode": "",
    "aoe_config": None,
    "topo_order": None,
    "parameter_broadcast": False,
}
_kept = dict(_KEPT)


# Of gpu_config; the algorithms are chosen by the vendor's heuristics.
_GPU_CONFIG = {
    "conv_fprop_algo": str,
    "conv_dgrad_algo": str,
    "conv_wgrad_algo": str,
    "conv_allow_tf32": bool,
    "matmul_allow_tf32": bool,
}


def set_context(**settings) -> None:
    """Set how programs run.

    Args:
        mode (int): ``GRAPH_MODE`` (0) compiles cells, ``PYNATIVE_MODE`` (1, the default) runs them
            eagerly.
        device_target (str): "CPU", "GPU" or "Ascend": where new tensors are made and programs run.
        device_id (int): which device of that kind. Default: 0, in a program of several processes the
            number of this one among those of its host.
        host_fallback (bool): whether a program may do on the host what the device cannot; by
            default it is refused.
        gpu_config (dict): ``matmul_allow_tf32`` and ``conv_allow_tf32`` (bool, default False) let
            tensor cores round the operands of float32 products to 10 bits. Other keys are kept.
        max_device_memory (str): how much memory compiled programs may hold, such as "3.5GB" ("MB" too).
            A program that would hold more computes some values again when they are needed, and keeps
            some on the host meanwhile, with the same results; one that cannot do with so little is
            refused, with what holds most. Default "1024GB", no limit.
        memory_offload (str): "ON" does the same for all the memory that the device has. Default "OFF".
        enable_compile_cache (bool): whether programs for the CPU are kept on disk, where later processes
            find them: a call whose source, objects and settings are as they were runs what was compiled
            then. Default False, or True where the environment has ``MS_COMPILER_CACHE_ENABLE=1``.
        compile_cache_path (str): the folder for them, which nobody else should be able to write to. Default
            "", that of the environment's ``MS_COMPILER_CACHE_PATH``, else ``~/.cache/minds``. It holds at
            most 1 GiB, or ``MINDS_COMPILE_CACHE_SIZE``, such as "200MB"; what was not used for longest goes.
        settings (Any): these, and other settings of MindSpore's, which are kept for `get_context`.
            The directory of ``save_graphs_path`` is made.

    Raises:
        TypeError: a value has a wrong type.
        ValueError: an unknown setting or value.
        RuntimeError: the device, or a library that it needs, is missing.

    Examples:
        >>> import minds as ms
        >>> ms.set_context(mode=ms.PYNATIVE_MODE)
    """
    if "device_target" in settings or "device_id" in settings:
        _set_device(
            settings.get("device_target", _context.device_target),
            settings.get("device_id", _context.device_id),
            "device_id" in settings,
        )
    for name, value in settings.items():
        if name == "mode":
            if value not in (GRAPH_MODE, PYNATIVE_MODE) or isinstance(value, bool):
                raise complain(
                    ValueError,
                    f"set_context: mode is {value!r}",
                    expected="GRAPH_MODE (0) or PYNATIVE_MODE (1)",
                )
            _context.mode = value
        elif name == "host_fallback":
            if not isinstance(value, bool):
                raise complain(
                    ValueError, f"set_context: host_fallback is {value!r}", expected="a bool"
                )
            _context.host_fallback = value
        elif name in _kept:
            _kept[name] = _checked(name, value)
        elif name not in ("device_target", "device_id"):
            raise complain(ValueError, f"set_context: unknown setting {name!r}")


_TYPES = {"enable_compile_cache": bool, "compile_cache_path": str}


def _checked(name: str, value):
    """The value to keep for a setting."""
    if name in ("max_device_memory", "variable_memory_max_size"):
        if not isinstance(value, str):
            raise complain(
                TypeError,
                f"set_context: {name} has type {type(value).__name__}",
                expected="a str such as '3.5GB'",
            )
        memory_size(value, f"set_context: {name}")
        narrowed.add(LIMITED)
    elif name == "memory_offload":
        if value not in ("ON", "OFF"):
            raise complain(
                ValueError, f"set_context: memory_offload is {value!r}", expected="'ON' or 'OFF'"
            )
        narrowed.add(LIMITED)
    elif name in _TYPES and not isinstance(value, _TYPES[name]):
        what = f"set_context: {name} has type {type(value).__name__}"
        raise complain(TypeError, what, expected=f"a {_TYPES[name].__name__}")
    elif name == "gpu_config" and value is not None:
        _check_gpu_config(value)
    elif name == "save_graphs_path":
        value = os.path.abspath(value)
        os.makedirs(value, exist_ok=True)
    elif name == "jit_config" and value is not None:
        level = value.get("jit_level", "O0")
        if level not in ("O0", "O1", "O2"):
            raise complain(
                ValueError,
                f"set_context: jit_level of jit_config is {level!r}",
                expected="'O0', 'O1' or 'O2'",
            )
    return value


def _check_gpu_config(value) -> None:
    if not isinstance(value, dict):
        kind = type(value).__name__
        raise complain(
            TypeError, f"set_context: gpu_config has type {kind}", expected="a dict or None"
        )
    for key, v in value.items():
        kind = _GPU_CONFIG.get(key)
        if kind is None:
            expected = ", ".join(map(repr, _GPU_CONFIG))
            raise complain(
                ValueError, f"set_context: gpu_config has the key {key!r}", expected=expected
            )
        if not isinstance(v, kind):
            raise complain(
                ValueError,
                f"set_context: {key} of gpu_config is {v!r}",
                expected=f"a {kind.__name__}",
            )


def tf32() -> tuple[str, ...]:
    """Of "matmul" and "conv" those that gpu_config lets round float32 to TF32."""
    config = _kept["gpu_config"] or {}
    return tuple(k for k in ("conv", "matmul") if config.get(f"{k}_allow_tf32", False))


_UNLIMITED = None, "1024GB", "OFF"


def place() -> tuple | None:
    """The context's device, how it rounds, how much memory there is, and among which processes programs are
    divided; None for all of the CPU's. Every call of compiled code asks once a device was used or memory
    limited: it calls as little as it can.
    """
    label = limits = None
    if devices.used:
        device = _core.current_device()
        label = None if device.is_host else device.label
    if narrowed:
        limits = (
            getattr(_limits, "bytes", None),
            _kept["max_device_memory"],
            _kept["memory_offload"],
        )
        limits = None if limits == _UNLIMITED else limits
    division = _division[0] or (LAID if LAID in narrowed else None)
    if label is None and limits is None and division is None:
        return None
    return label, None if label is None else tf32(), limits, division, world.size


# ---- memory

LIMITED, DIVIDED, LAID = "memory", "processes", "parts"
narrowed: set[str] = set()
"""Has `LIMITED` where memory was ever limited, `DIVIDED` where programs are divided among processes, `LAID`
where a parameter ever lay in parts: programs differ by it then.
"""

_UNITS = {"GB": 30, "MB": 20, "KB": 10}
_limits = threading.local()


def memory_size(value, what: str) -> int:
    """Bytes: an int, or a str such as "3.5GB".

    Raises:
        TypeError: it is neither.
        ValueError: it is not positive, or no such str.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        found = value
    elif isinstance(value, str):
        parts = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)([GMK]B)", value)
        found = int(float(parts[1]) * 2 ** _UNITS[parts[2]]) if parts else 0
    else:
        raise complain(
            TypeError, f"{what} has type {type(value).__name__}", expected="a str such as '3.5GB'"
        )
    if found <= 0:
        raise complain(ValueError, f"{what} is {value!r}", expected="a size such as '3.5GB'")
    return found


@contextlib.contextmanager
def memory_limited(nbytes: int | None):
    """Within it this thread compiles programs that hold at most so many bytes; None: any number."""
    before, _limits.bytes = getattr(_limits, "bytes", None), nbytes
    if nbytes is not None:
        narrowed.add(LIMITED)
    try:
        yield
    finally:
        _limits.bytes = before


def memory_limit() -> int | None:
    """Bytes that a program may hold, as `memory_limited` says; None where nothing limits it."""
    return getattr(_limits, "bytes", None)


def pool_limit() -> int | None:
    """Bytes that all may hold, as the context says; None where nothing limits them."""
    if _kept["max_device_memory"] != _KEPT["max_device_memory"]:
        return memory_size(_kept["max_device_memory"], "max_device_memory")
    return _core.current_device().memory()["total"] if _kept["memory_offload"] == "ON" else None


# ---- programs on disk


AMBIENT: list = []
"""Functions that tell what else of the process a program may have as a constant."""


def compile_cache() -> str | None:
    """The folder where compiled programs are kept; None where they are not."""
    if not (
        _kept["enable_compile_cache"] or os.environ.get("MS_COMPILER_CACHE_ENABLE", "0") == "1"
    ):
        return None
    given = _kept["compile_cache_path"] or os.environ.get("MS_COMPILER_CACHE_PATH")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join("~", ".cache")
    return os.path.abspath(os.path.expanduser(given or os.path.join(home, "minds")))


def compile_cache_size() -> int:
    """How many bytes these may take."""
    given = os.environ.get("MINDS_COMPILE_CACHE_SIZE", "1GB")
    return memory_size(given, "MINDS_COMPILE_CACHE_SIZE")


def kept_settings() -> list:
    """The settings that a program may have read while it was compiled."""
    settings = {**_kept, "mode": _context.mode, "host_fallback": _context.host_fallback}
    return [(k, v) for k, v in sorted(settings.items()) if k not in _TYPES]


def _set_device(target, index, chosen: bool) -> None:
    """``chosen`` if the user says which; else each process of a program has the device of its number among
    those of its host.
    """
    if not isinstance(index, int) or isinstance(index, bool) or index < 0:
        kind = ValueError if type(index) is int else TypeError
        raise complain(kind, f"set_context: device_id is {index!r}", expected="an int >= 0")
    if not isinstance(target, str) or ":" in target:
        raise complain(
            ValueError if isinstance(target, str) else TypeError,
            f"set_context: device_target is {target!r}",
            expected="'CPU', 'GPU' or 'Ascend'",
        )
    host = devices.backend_of(target) == "cpu"  # its number says nothing
    _context.chosen = _context.chosen or chosen
    if not _context.chosen and not host:
        index = local_rank()
    found = devices.find(target, 0 if host else index, "set_context: device_target")
    _core.set_device(found)
    _context.device_target, _context.device_id = devices.target(target), index


def get_context(attr_key: str):
    """The value of a setting.

    Args:
        attr_key (str): the setting.

    Returns:
        Any: its value.

    Raises:
        ValueError: an unknown setting.

    Examples:
        >>> import minds as ms
        >>> ms.get_context("device_target")
        'CPU'
    """
    if attr_key in ("mode", "device_target", "device_id", "host_fallback"):
        return getattr(_context, attr_key)
    if attr_key in _kept:
        return _kept[attr_key]
    raise complain(ValueError, f"get_context: unknown setting {attr_key!r}")


def freeze(alone: bool = False) -> Options:
    """The options for a compilation that starts now; ``alone`` for what this process computes by itself."""
    env, device = os.environ, _core.current_device()
    return Options(
        device=device.name,
        device_id=device.index,
        host_fallback=_context.host_fallback,
        tf32=() if device.is_host else tf32(),
        memory_limit=memory_limit() if narrowed else None,
        pool_limit=pool_limit() if narrowed else None,
        strict=_kept["jit_syntax_level"] in (0, "STRICT")
        or env.get("MS_DEV_JIT_SYNTAX_LEVEL") == "0",
        calls=1000 * _kept["max_call_depth"],
        division=None if alone else _division[0],
        dump=tuple(s for s in env.get("MINDS_DUMP", "").split(",") if s),
        time=env.get("MINDS_TIME", "0") not in ("", "0"),
        check=env.get("MINDS_CHECK", "0") not in ("", "0"),
    )

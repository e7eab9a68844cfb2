"""Settings of the data pipeline, one function pair each, as in ``minds.dataset.config``.

A setting is read when an iterator is created. `set_seed` also restarts Python's and NumPy's own
generators, because user functions in a pipeline draw from those.
"""

from __future__ import annotations

import json
import random

import numpy as np

from ..base.boundary import guard as _guard
from ..base.errors import complain
from ..common import seed as global_seed
from .arguments import check_type
from .debug import DebugHook, PrintMetaDataHook
from .faulty import ErrorSamplesMode

_settings = {
    "seed": None,
    "prefetch_size": 16,
    "num_parallel_workers": None,
    "error_samples_mode": ErrorSamplesMode.RETURN,
}
_UNSEEDED = 5489
_WORKERS = 8


_SIZES = "(0, INT32_MAX(2147483647)]"
_INT32 = 2**31 - 1


def _whole(name: str, value, low: int, high: int, called: str, interval: str = "", verb="given is"):
    """``value`` as an int in ``[low, high]``; the rest is how a wrong one is told."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise complain(TypeError, f"{name} isn't of type int.")
    if not low <= value <= high:
        within = f" {interval}" if interval else ""
        raise complain(ValueError, f"{called} {verb} not within the required range{within}.")
    return int(value)


def set_seed(seed: int) -> None:
    """Make shuffles, samplers and random transforms of iterators created from now on reproducible.

    Args:
        seed (int): in ``[0, 2**32)``.

    Raises:
        TypeError: ``seed`` is no int.
        ValueError: ``seed`` is out of range.

    Examples:
        >>> import minds.dataset as ds
        >>> ds.config.set_seed(1)
        >>> d = ds.NumpySlicesDataset([1, 2, 3, 4])
        >>> first = [int(x) for x, in d]
        >>> first == [int(x) for x, in d]
        True
    """
    _settings["seed"] = _whole("seed", seed, 0, 2**32 - 1, "seed", "[0, UINT32_MAX(4294967295)]")
    random.seed(seed)
    np.random.seed(seed)


def explicit_seed() -> int | None:
    """The seed that the user chose here or with `minds.set_seed`, or None."""
    return _settings["seed"] if _settings["seed"] is not None else global_seed.get_seed()


def get_seed() -> int:
    """The seed in use; 5489 stands for none: every iterator then draws anew."""
    seed = explicit_seed()
    return _UNSEEDED if seed is None else seed


def set_prefetch_size(size: int) -> None:
    """Let the background thread of an iterator run at most ``size`` rows or batches ahead.

    Args:
        size (int): at least 1.
    """
    _settings["prefetch_size"] = _whole("size", size, 1, _INT32, "size", _SIZES, "is")


def get_prefetch_size() -> int:
    """How far the background thread of an iterator runs ahead."""
    return _settings["prefetch_size"]


def set_num_parallel_workers(num: int) -> None:
    """Set the threads of an operation that does not say ``num_parallel_workers`` itself; and, as in
    MindSpore, how many files of text or of TFRecord are read by turns: 8 where nobody sets it.

    Args:
        num (int): at least 1; 1 runs the operation in the iterator's own thread.
    """
    _settings["num_parallel_workers"] = _whole(
        "num", num, 1, 1024, "Number of parallel workers", _SIZES
    )


def get_num_parallel_workers() -> int:
    """The number that was set. 8 stands for none, and is the number of files that are read by turns then;
    operations run in the iterator's own thread.
    """
    return _settings["num_parallel_workers"] or _WORKERS


def threads() -> int:
    """The threads of an operation that does not say how many it has."""
    return _settings["num_parallel_workers"] or 1


def set_video_backend(backend: str) -> None:
    """Say what decodes videos.

    Args:
        backend (str): "CPU"; "Ascend" is refused.

    Raises:
        TypeError: ``backend`` is no str.
        ValueError: it is neither.
        RuntimeError: it is "Ascend".

    Examples:
        >>> import minds.dataset as ds
        >>> ds.config.set_video_backend("CPU")
        >>> ds.config.get_video_backend()
        'CPU'
    """
    check_type("backend", backend, (str,))
    if backend not in ("CPU", "Ascend"):
        said = "Input backend is not within the valid set of ['CPU', 'Ascend']."
        raise complain(ValueError, said)
    if backend == "Ascend":
        raise complain(RuntimeError, "set_video_backend: videos are decoded by the CPU only")


def get_video_backend() -> str:
    """What decodes videos: "CPU".

    Returns:
        str: the backend.

    Examples:
        >>> import minds.dataset as ds
        >>> ds.config.get_video_backend()
        'CPU'
    """
    return "CPU"


def set_error_samples_mode(error_samples_mode: ErrorSamplesMode) -> None:
    """Choose what becomes of rows that the functions of ``map`` fail on, as broken images.

    Args:
        error_samples_mode (ErrorSamplesMode): RETURN raises the error; SKIP leaves the row out; REPLACE
            gives the first good rows again at the end, as many as failed.

    Raises:
        TypeError: it is no ErrorSamplesMode.

    Examples:
        >>> import minds.dataset as ds
        >>> ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.SKIP)
        >>> d = ds.NumpySlicesDataset([1, 0, 2], shuffle=False).map(lambda x: 2 // int(x))
        >>> [int(x) for x, in d]
        [2, 1]
        >>> ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)
    """
    if not isinstance(error_samples_mode, ErrorSamplesMode):
        raise complain(
            TypeError,
            f"Argument error_samples_mode with value {error_samples_mode} is not of type "
            f"{[ErrorSamplesMode]}, but got {type(error_samples_mode)}.",
        )
    _settings["error_samples_mode"] = error_samples_mode


def get_error_samples_mode() -> ErrorSamplesMode:
    """What becomes of rows that the functions of ``map`` fail on."""
    return _settings["error_samples_mode"]


def _kept(name: str, default, kind: str, low: int | None = None, called: str = "Interval"):
    """Setter and getter of a setting of MindSpore that minds does not need: kept, without
    effect. ``kind`` is what is said of a value of another type, ``low`` the least int.
    """
    _settings[name] = default

    def setter(value, _more=None) -> None:
        if type(value) is not type(default):
            raise complain(TypeError, kind)
        if low is not None:
            interval = "" if called == "Timeout" else _SIZES if low else _SIZES.replace("(0", "[0")
            _whole(name, value, low, _INT32, called, interval)
        _settings[name] = value

    def getter():
        return _settings[name]

    setter.__name__, getter.__name__ = f"set_{name}", f"get_{name}"
    setter.__doc__ = f"Accepted for MindSpore's ``{name}``; without effect here."
    getter.__doc__ = f"What `set_{name}` was given; {default!r} by default."
    return setter, getter


set_auto_num_workers, get_auto_num_workers = _kept(
    "auto_num_workers", False, "enable must be of type bool."
)
set_auto_offload, get_auto_offload = _kept("auto_offload", False, "offload must be a bool dtype")
set_autotune_interval, get_autotune_interval = _kept(
    "autotune_interval", 0, "interval must be of type int.", 0
)
set_autotune_interval.__doc__ = "After how many rows autotune decides; 0 leaves that to it."
_settings["enable_autotune"], _settings["autotune_file"] = False, None


def set_enable_autotune(enable: bool, filepath_prefix: str | None = None) -> None:
    """Let pipelines choose their numbers of threads and the length of their queue while they run: where
    rows are waited for, what limits them gets another thread, up to the number of processors.

    Args:
        enable (bool): whether they do.
        filepath_prefix (str, optional): where to write what was chosen, at the end of a pipeline:
            ``_0.json`` is appended. Default: nowhere.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: ``filepath_prefix`` is empty.

    Examples:
        >>> import minds.dataset as ds
        >>> ds.config.set_enable_autotune(True)
        >>> ds.config.get_enable_autotune()
        True
        >>> ds.config.set_enable_autotune(False)
    """
    if not isinstance(enable, bool):
        raise complain(TypeError, "enable must be of type bool.")
    if filepath_prefix is not None and not isinstance(filepath_prefix, str):
        raise complain(TypeError, f"json_filepath must be a str value but was: {filepath_prefix}.")
    if filepath_prefix == "":
        raise complain(RuntimeError, "The value of json_filepath cannot be the empty string.")
    _settings["enable_autotune"], _settings["autotune_file"] = enable, filepath_prefix


def get_enable_autotune() -> bool:
    """Whether pipelines choose their numbers of threads; not by default."""
    return _settings["enable_autotune"]


def autotune_file() -> str | None:
    """Where what autotune chose is written, without ``_0.json``."""
    return _settings["autotune_file"]


set_callback_timeout, get_callback_timeout = _kept(
    "callback_timeout", 60, "timeout isn't of type int.", 1, "Timeout"
)
set_callback_timeout.__doc__ = "How many seconds rows wait for `Dataset.sync_update` at most."
set_dynamic_shape, get_dynamic_shape = _kept(
    "dynamic_shape", False, "is_dynamic must be a boolean dtype."
)
set_enable_shared_mem, get_enable_shared_mem = _kept(
    "enable_shared_mem", True, "enable must be of type bool."
)
set_enable_watchdog, get_enable_watchdog = _kept(
    "enable_watchdog", True, "enable must be a boolean dtype."
)
set_fast_recovery, get_fast_recovery = _kept(
    "fast_recovery", True, "fast_recovery must be a boolean dtype."
)
set_monitor_sampling_interval, get_monitor_sampling_interval = _kept(
    "monitor_sampling_interval", 1000, "interval isn't of type int.", 1
)
set_multiprocessing_timeout_interval, get_multiprocessing_timeout_interval = _kept(
    "multiprocessing_timeout_interval", 300, "interval isn't of type int.", 1
)
set_numa_enable, get_numa_enable = _kept(
    "numa_enable", False, "numa_enable must be a boolean dtype."
)

_settings["debug_mode"], _settings["debug_hooks"] = False, []


def set_debug_mode(debug_mode_flag: bool, debug_hook_list: list | None = None) -> None:
    """Set whether hooks look at what goes into the operations of ``map`` and comes out of them, of
    pipelines that are made from now on. These operations then run in one thread.

    Args:
        debug_mode_flag (bool): whether they do.
        debug_hook_list (list[DebugHook], optional): the hooks. Default: one that prints dtypes and shapes.

    Raises:
        TypeError: an argument has a wrong type.
    """
    if not isinstance(debug_mode_flag, bool):
        raise complain(TypeError, "debug_mode_flag isn't of type boolean.")
    hooks = [] if debug_hook_list is None else debug_hook_list
    if not isinstance(hooks, list):
        raise complain(TypeError, "debug_hook_list is not a list.")
    if not all(isinstance(hook, DebugHook) for hook in hooks):
        raise complain(TypeError, "All items in debug_hook_list must be of type DebugHook.")
    _settings.update(debug_mode=debug_mode_flag, debug_hooks=hooks or [PrintMetaDataHook()])


def get_debug_mode() -> bool:
    """Whether hooks look at the operations of ``map``."""
    return _settings["debug_mode"]


def debug_hooks() -> list[DebugHook]:
    """The hooks that look at the operations of ``map`` now."""
    return _settings["debug_hooks"] if _settings["debug_mode"] else []


_settings["multiprocessing_start_method"] = "fork"


def set_multiprocessing_start_method(start_method: str) -> None:
    """How the processes of ``python_multiprocessing`` are started. With another way than ``"fork"``
    using them is refused.

    Args:
        start_method (str): ``"fork"`` or ``"spawn"``.

    Raises:
        TypeError: it is no str.
        ValueError: it is another one.
    """
    if not isinstance(start_method, str):
        said = f"Argument start_method with value {start_method} is not of type {[str]}, but got "
        raise complain(TypeError, f"{said}{type(start_method)}.")
    if start_method not in ("fork", "spawn"):
        said = "Input start_method is not within the valid set of ['fork', 'spawn']."
        raise complain(ValueError, said)
    _settings["multiprocessing_start_method"] = start_method


def get_multiprocessing_start_method() -> str:
    """What `set_multiprocessing_start_method` was given."""
    return _settings["multiprocessing_start_method"]


_settings["iterator_mode"] = {"do_copy": False, "parallel_convert": False}


def set_iterator_mode(do_copy: bool = False, parallel_convert: bool = False) -> None:
    """Accepted for MindSpore's iterators; values are always the caller's own here.

    Args:
        do_copy (bool): accepted.
        parallel_convert (bool): accepted.

    Raises:
        TypeError: an argument is no bool.
    """
    for name, value in (("do_copy", do_copy), ("parallel_convert", parallel_convert)):
        if not isinstance(value, bool):
            said = f"Argument {name} with value {value} is not of type {[bool]}, but got {type(value)}."
            raise complain(TypeError, said)
    _settings["iterator_mode"] = {"do_copy": do_copy, "parallel_convert": parallel_convert}


def get_iterator_mode() -> dict:
    """What `set_iterator_mode` was given."""
    return dict(_settings["iterator_mode"])


def set_sending_batches(batch_num: int) -> None:
    """Accepted for MindSpore's sink mode; without effect here.

    Args:
        batch_num (int): at least 0.

    Raises:
        TypeError: it is no int.
        ValueError: it is negative.
    """
    if isinstance(batch_num, bool) or not isinstance(batch_num, int):
        raise complain(TypeError, "batch_num must be an int dtype.")
    _whole("batch_num", batch_num, 0, _INT32, "batch_num")


def load(file: str) -> None:
    """Take settings from a file of JSON: ``numParallelWorkers``, ``opConnectorSize``, ``seed``,
    ``monitorSamplingInterval``.

    Args:
        file (str): the file.

    Raises:
        TypeError: ``file`` is no str.
        RuntimeError: it is no such file.
    """
    if not isinstance(file, str):
        raise complain(TypeError, f"file must be a str, got {type(file).__name__}")
    setters = {
        "numParallelWorkers": set_num_parallel_workers,
        "opConnectorSize": set_prefetch_size,
        "seed": set_seed,
        "monitorSamplingInterval": set_monitor_sampling_interval,
    }
    try:
        with open(file, encoding="utf-8") as f:
            found = json.load(f)
        known = {name: found[name] for name in setters if name in found}
    except (OSError, ValueError, TypeError) as e:
        said = f"Invalid file: settings file:{file} is not exist, check input path of config 'load' API."
        raise RuntimeError(f"{said} {e}") from e
    for name, value in known.items():
        setters[name](value)


__all__ = sorted(n for n in dir() if n.startswith(("set_", "get_")))
__all__ += ["ErrorSamplesMode", "load"]
_guard(__name__)

"""Settings of the data pipeline, one function pair each, as in ``minds.dataset.config``.

A setting is read when an iterator is created. `set_seed` also restarts Python's and NumPy's own generators,
because user functions in a pipeline draw from those.
"""
from __future__ import annotations

import random

import numpy as np

from ..base.errors import complain
from ..common import seed as global_seed

_settings = {"seed": None, "prefetch_size": 16, "num_parallel_workers": 1}
_UNSEEDED = 5489


def _whole(name: str, value, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise complain(TypeError, f"{name} must be an int, got {type(value).__name__}")
    if not low <= value <= high:
        raise complain(ValueError, f"{name} must be in [{low}, {high}], got {value}")
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
    _settings["seed"] = _whole("seed", seed, 0, 2 ** 32 - 1)
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
    _settings["prefetch_size"] = _whole("size", size, 1, 2 ** 31 - 1)


def get_prefetch_size() -> int:
    """How far the background thread of an iterator runs ahead."""
    return _settings["prefetch_size"]


def set_num_parallel_workers(num: int) -> None:
    """Set the threads of an operation that does not say ``num_parallel_workers`` itself.

    Args:
        num (int): at least 1; 1 runs the operation in the iterator's own thread.
    """
    _settings["num_parallel_workers"] = _whole("num", num, 1, 1024)


def get_num_parallel_workers() -> int:
    """The threads of an operation that does not say it itself."""
    return _settings["num_parallel_workers"]


__all__ = ["get_num_parallel_workers", "get_prefetch_size", "get_seed", "set_num_parallel_workers",
           "set_prefetch_size", "set_seed"]

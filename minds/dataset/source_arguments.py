"""What the constructors of datasets check, with MindSpore's words: each parameter by its name.

`CHECKS` maps the name of a parameter that many datasets have to the function that checks it.
"""

from __future__ import annotations

import os

import numpy as np

from ..base.errors import complain
from .arguments import INT32, check_interval, check_type
from .cache import DatasetCache
from .pipeline import DatasetError
from .shuffles import Shuffle

INT32_MAX, INT64_MAX = 2**31 - 1, 2**63 - 1
MOST_WORKERS = max(64, os.cpu_count() or 1)


def of_type(name: str, value, *kinds: type):
    """``value``, which is of one of ``kinds``; a bool is no int here, an int of NumPy is one.

    Raises:
        TypeError: it is not.
    """
    if isinstance(value, (np.integer, np.bool_)):
        value = value.item()
    check_type(name, value, kinds)
    return value


def between(name: str, value, low: int, high: int = INT32_MAX) -> int:
    """``value``, an int in ``[low, high]``.

    Raises:
        TypeError: it is no int.
        ValueError: it is out of range.
    """
    if not low <= of_type(name, value, int) <= high:
        raise complain(
            ValueError, f"Input {name} is not within the required interval of [{low}, {high}]."
        )
    return int(value)


def one_of(name: str, value, allowed) -> str:
    """``value``, a str among ``allowed``.

    Raises:
        TypeError: it is no str.
        ValueError: it is not among them.
    """
    if of_type(name, value, str) not in allowed:
        raise complain(ValueError, f"Input {name} is not within the valid set of {list(allowed)}.")
    return value


def word(name: str, value) -> str:
    """``value``, a str."""
    return of_type(name, value, str)


def folder(name: str, value) -> str:
    """``value`` as the path of a folder that exists."""
    value = os.fspath(value) if isinstance(value, os.PathLike) else value
    of_type(name, value, str)
    if not os.path.isdir(value) or not os.access(value, os.R_OK):
        raise complain(
            ValueError,
            f"The folder {value} does not exist or is not a directory or permission denied!",
        )
    return value


def file(name: str, value) -> str:
    """``value`` as the path of a file that exists."""
    value = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(value, str):
        raise complain(TypeError, f"path: {value} is not string")
    if not os.path.isfile(value) or not os.access(value, os.R_OK):
        raise complain(
            ValueError,
            f"The file {os.path.abspath(value)} does not exist or permission denied!",
        )
    return value


def num_samples(name: str, value):
    """A number of rows; 0 stands for all, as None does."""
    if value is None:
        return None
    of_type(name, value, int)
    if not 0 <= value <= INT64_MAX:
        raise complain(
            ValueError,
            f"num_samples exceeds the boundary between 0 and {INT64_MAX}(INT64_MAX)! "
            "Input num_samples is not within the required interval of (0 to 2147483647).",
        )
    return int(value) or None


def num_parallel_workers(name: str, value):
    """A number of threads."""
    if value is None:
        return None
    of_type(name, value, int)
    if not 1 <= value <= MOST_WORKERS:
        raise complain(
            ValueError, f"num_parallel_workers exceeds the boundary between 1 and {MOST_WORKERS}!"
        )
    return int(value)


def shuffle(name: str, value):
    """Whether rows are shuffled."""
    return None if value is None else of_type(name, value, bool)


def shuffle_of_files(name: str, value) -> Shuffle | None:
    """How the rows of several files are shuffled: None for not at all."""
    if value is None or value is True:
        return Shuffle.GLOBAL
    if value is False:
        return None
    if not isinstance(value, Shuffle):
        raise complain(
            TypeError,
            "shuffle must be of boolean or enum of 'Shuffle' values like 'Shuffle.ADAPTIVE' or "
            "'Shuffle.GLOBAL' or 'Shuffle.PARTIAL' or 'Shuffle.FILES' or 'Shuffle.INFILE'.",
        )
    return value


_TOGETHER = "num_shards and shard_id need to be passed in together."


def shards(num_shards, shard_id) -> None:
    """Whether the two say which share of the rows is wanted.

    Raises:
        TypeError: one is no int.
        ValueError: one is out of range.
        RuntimeError: only one is given.
    """
    for name, value in (("num_shards", num_shards), ("shard_id", shard_id)):
        if value is not None:
            of_type(name, value, int)
    if num_shards is not None:
        between("num_shards", num_shards, 1)
        if shard_id is None:
            raise DatasetError(
                f"num_shards is specified and currently requires shard_id as well. {_TOGETHER}"
            )
        of_type("shard_id", shard_id, int)
        if not 0 <= shard_id < num_shards:
            raise complain(
                ValueError,
                f"Input shard_id is not within the required interval of [0, {num_shards - 1}]. "
                "shard_id should be less than num_shards.",
            )
    elif shard_id is not None:
        raise DatasetError(f"shard_id is specified but num_shards is not. {_TOGETHER}")


def sampler_alone(sampler, shuffle, num_samples, num_shards) -> None:
    """Whether nothing else says which rows are wanted where a sampler does.

    Raises:
        RuntimeError: something does.
    """
    if sampler is None:
        return
    others = (("shuffle", shuffle), ("sharding", num_shards), ("num_samples", num_samples))
    for name, value in others:
        if value is not None:
            raise DatasetError(
                f"sampler and {name} cannot be specified at the same time. Conflicting arguments during "
                f"sampler assignments. num_samples: {num_samples}, num_shards: {num_shards}, shuffle: "
                f"{shuffle}."
            )


def row_size(name: str, value) -> None:
    """Whether ``value`` is what MindSpore reserves for a row, in megabytes: one number, or one for what goes
    in and one for what comes out; -1: as much as it takes. Here rows of any size travel.

    Raises:
        TypeError: it is neither.
        ValueError: a number is below -1.
    """
    if value is None:
        return
    check_type(name, value, (int, list))
    if isinstance(value, list) and len(value) != 2:
        said = f"{name} should be a single integer or a list[in_rowsize, out_rowsize] of length 2."
        raise complain(TypeError, f"{said} It has {len(value)} elements.")
    for i, size in enumerate(value if isinstance(value, list) else [value]):
        called = f"{name}[{i}]" if isinstance(value, list) else name
        check_type(called, size, (int,))
        check_interval(called, size, -1, INT32)


def endings(name: str, value):
    """Endings of file names, in lower case; none for all files."""
    if value is None or value == []:
        return None
    for e in of_type(name, value, list):
        of_type(f"{name}[{e!r}]", e, str)
    return tuple(e.lower() for e in value)


def class_indexing(name: str, value):
    """Class name → number."""
    if value is None:
        return None
    for k, v in of_type(name, value, dict).items():
        of_type("class name", k, str)
        of_type("class index", v, int)
    return dict(value)


def cache(name: str, value):
    """A `DatasetCache`, or None."""
    return None if value is None else of_type(name, value, DatasetCache)


def decode(name: str, value) -> bool:
    """Whether images are decoded."""
    return False if value is None else of_type(name, value, bool)


def decrypt(name: str, value):
    """A function that gives the contents of a file by its name, or None."""
    if value is not None and not callable(value):
        raise complain(TypeError, f"{name} must be a callable function.")
    return value


CHECKS = {
    "dataset_dir": folder,
    "dataset_file": file,
    "annotation_file": file,
    "num_samples": num_samples,
    "num_parallel_workers": num_parallel_workers,
    "shuffle": shuffle,
    "extensions": endings,
    "class_indexing": class_indexing,
    "cache": cache,
    "decode": decode,
    "decrypt": decrypt,
    "extra_metadata": lambda name, value: of_type(name, value, bool),
}

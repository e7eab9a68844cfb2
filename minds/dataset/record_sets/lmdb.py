"""`LMDBDataset`: keys and values of an LMDB database, by the package lmdb."""

from __future__ import annotations

import contextlib
import os
import weakref

import numpy as np

from ...base.errors import complain
from .. import source_arguments as arguments
from ..collection import COMMON, Collection
from ..pipeline import DatasetError


class LMDBDataset(Collection):
    """Rows of an LMDB database, in the order of their keys: ``key`` and ``value`` as bytes (uint8). What
    a value means says a following ``map``.
    """

    parameters = "dataset_dir, " + COMMON
    columns = ("key", "value")
    checks = {"dataset_dir": lambda n, v: _database(n, v)}
    about = {"dataset_dir": "str): the database's folder, or its file"}

    def _entries(self, a):
        base = _open(a.dataset_dir)
        with _reading(base) as reading, reading.cursor() as cursor:
            return [(a.dataset_dir, key, base) for key in cursor.iternext(values=False)]

    def _row(self, a, entry):
        _, key, base = entry
        with _reading(base) as reading:
            value = reading.get(key)
        if value is None:
            raise ValueError(f"the key {key!r} is not there any more")
        return np.frombuffer(bytearray(key), np.uint8), np.frombuffer(bytearray(value), np.uint8)


_bases: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
"""The databases that are open, by file: a process may open one only once."""


def _database(name: str, value) -> str:
    path = arguments.of_type(name, value, str)
    if not os.path.exists(path):
        raise complain(ValueError, f"LMDBDataset: {path} does not exist")
    return path


@contextlib.contextmanager
def _reading(base):
    """A transaction that reads."""
    import lmdb

    try:
        with base.begin() as reading:
            yield reading
    except lmdb.Error as e:
        raise ValueError(e) from e


def _whole(path: str, base):
    """A database none of whose pages lies beyond the end of its file, where reading it ends the program.

    Raises:
        DatasetError: one does.
    """
    file = os.path.join(path, "data.mdb") if os.path.isdir(path) else path
    needed, there = (base.info()["last_pgno"] + 1) * base.stat()["psize"], os.path.getsize(file)
    if there < needed:
        raise DatasetError(f"LMDBDataset: {file} needs {needed} bytes, but has {there}")
    return base


def _open(path: str):
    try:
        import lmdb
    except ImportError:
        raise complain(ImportError, "LMDBDataset needs lmdb", cure="pip install lmdb") from None
    place = os.path.realpath(path)
    try:
        if (base := _bases.get(place)) is None:
            base = lmdb.open(path, subdir=os.path.isdir(path), readonly=True, lock=False)
            _bases[place] = base
        return _whole(path, base)
    except lmdb.Error as e:
        raise DatasetError(f"LMDBDataset: {path}: {e}") from e

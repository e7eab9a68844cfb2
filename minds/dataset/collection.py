"""Datasets of files, each declared by what differs: its parameters, columns, and how a row is made.

A declaration is a class. Its ``parameters`` are those of the constructor, in MindSpore's order; a
parameter is checked by its name (`source_arguments.CHECKS`) or by the class's own ``checks``. Signature and
docstring are derived.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import re
from types import SimpleNamespace

import numpy as np

from ..base.errors import complain
from . import samplers
from . import source_arguments as arguments
from .buffers import empty
from .datasets import Dataset
from .handle import workers_of
from .pipeline import DatasetError
from .rows_of_files import EntriesNode, ReadNode
from .vision import Decode

COMMON = (
    "num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None, "
    "shard_id=None, cache=None"
)
DECODED = COMMON.replace("sampler=None", "decode=False, sampler=None")
OF_FILES = (
    "num_samples=None, num_parallel_workers=None, shuffle=True, num_shards=None, shard_id=None, "
    "cache=None"
)

_ABOUT = {
    "dataset_dir": "str): the folder",
    "dataset_files": "str, list[str]): files, or patterns of their names",
    "dataset_file": "str): the file",
    "annotation_file": "str): the file of annotations",
    "num_samples": "int, optional): how many rows at most. Default: all",
    "num_parallel_workers": "int, optional): threads that read. Default: the setting of ``config``",
    "shuffle": "bool, Shuffle, optional): whether and how rows are shuffled. Default: they are",
    "sampler": "Sampler, iterable, optional): chooses rows and their order; excludes ``shuffle``",
    "num_shards": "int, optional): in how many parts the rows are shared",
    "shard_id": "int, optional): which part this is",
    "cache": "DatasetCache, optional): keeps rows in memory",
    "decode": "bool, optional): whether images are decoded; else a row has the bytes of a file",
    "extensions": "list[str], optional): the endings of files to take. Default: all",
    "class_indexing": "dict, optional): class name → number. Default: names in order, from 0",
    "decrypt": "Callable, optional): gives the bytes of a file by its name",
    "extra_metadata": "bool): whether a last column ``_meta-filename`` has the file's name",
}


def _signature(parameters: str) -> inspect.Signature:
    made = []
    for p in parameters.split(", "):
        name, has_default, default = p.partition("=")
        made.append(
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=_literal(default) if has_default else inspect.Parameter.empty,
            )
        )
    return inspect.Signature(made)


def _literal(text: str):
    known = {"None": None, "True": True, "False": False}
    if text in known:
        return known[text]
    return int(text) if re.fullmatch(r"-?\d+", text) else text.strip("'")


SOURCES: dict[str, type] = {}
"""The declared datasets, by name."""


class Declared(Dataset):
    """What declarations share: the constructor, by the signature that ``parameters`` say."""

    parameters = ""
    columns: tuple[str, ...] = ()
    usages: tuple[str, ...] = ()
    checks: dict = {}
    about: dict = {}

    def __init_subclass__(cls):
        super().__init_subclass__()
        if "parameters" not in cls.__dict__:
            return
        cls.signature_ = _signature(cls.parameters)
        SOURCES[cls.__name__] = cls
        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        whole = cls.signature_.replace(parameters=[own, *cls.signature_.parameters.values()])

        def __init__(self, *args, **kwargs):
            Declared.__init__(self, *args, **kwargs)

        __init__.__signature__ = whole
        __init__.__module__ = cls.__module__
        __init__.__qualname__ = f"{cls.__name__}.__init__"
        cls.__init__ = __init__
        cls.__doc__ = _documented(cls)

    def __init__(self, *args, **kwargs):
        try:
            bound = self.signature_.bind(*args, **kwargs)
        except TypeError as e:
            raise complain(TypeError, f"{e}") from None
        bound.apply_defaults()
        given = bound.arguments
        arguments.shards(given.get("num_shards"), given.get("shard_id"))
        made = {n: self._checked(n, v) for n, v in given.items()}
        # A sampler excludes what was given, whatever it was.
        arguments.sampler_alone(
            given.get("sampler"),
            given.get("shuffle"),
            made.get("num_samples"),
            given.get("num_shards"),
        )
        node = self._node_of(SimpleNamespace(**made))
        node.source = type(self).__name__, dict(given)
        super().__init__(node)

    def _checked(self, name: str, value):
        check = self.checks.get(
            name, self.usages if name == "usage" else arguments.CHECKS.get(name)
        )
        if not isinstance(check, tuple):
            return check(name, value) if check else value
        optional = self.signature_.parameters[name].default is None
        if not check or value is None and optional:
            return value
        return arguments.one_of(name, value, check)

    def _node_of(self, a):
        raise NotImplementedError


class Collection(Declared):
    """A dataset whose rows are made from a list of entries: ``_entries(a)`` gives it, ``_row(a, entry)``
    the values of a row.
    """

    label_column = "label"
    _classes: dict = {}

    def _node_of(self, a):
        chosen = samplers.choose(a.sampler, a.shuffle, a.num_samples, a.num_shards, a.shard_id)
        try:
            entries = self._entries(a)
        except (OSError, ValueError, KeyError, IndexError, TypeError) as e:
            if isinstance(e, DatasetError):
                raise
            place = "" if self._place(a) in str(e) else f" (in {self._place(a)})"
            raise DatasetError(f"{type(self).__name__}: {e}{place}") from e
        if not len(entries):
            raise DatasetError(
                f"Invalid data, {type(self).__name__} API can't read the data file (interface "
                f"mismatch or no data found). Check the files in {self._place(a)}"
            )
        node = EntriesNode(
            type(self).__name__,
            self._columns_of(a),
            entries,
            lambda entry: self._row(a, entry),
            self._file,
            chosen,
            workers_of(a.num_parallel_workers),
            getattr(a, "cache", None),
            self.label_column,
        )
        node.classes = self._classes
        return node

    @staticmethod
    def _place(a) -> str:
        """Where the files are, for messages."""
        return getattr(a, "dataset_dir", "the files")

    def _columns_of(self, a) -> tuple[str, ...]:
        """The columns that the arguments ask for."""
        return self.columns

    def _entries(self, a) -> list:
        """What rows are made of."""
        raise NotImplementedError

    def _row(self, a, entry) -> tuple:
        """The values of a row."""
        raise NotImplementedError

    @staticmethod
    def _file(entry) -> str:
        """The file of an entry."""
        return entry[0] if isinstance(entry, tuple) else entry


class Files(Declared):
    """A dataset whose rows are read from the beginnings of files: ``_files(a)`` gives them, ``_read(a,
    path)`` the rows of one.
    """

    def _node_of(self, a):
        files = self._files(a)
        missing = [f for f in files if not os.path.isfile(f)]
        if missing or not files:
            raise DatasetError(
                f"{type(self).__name__}: Invalid file, "
                f"{missing[0] if missing else self._folder(a)} does not exist or holds no data"
            )
        share = None if a.num_shards is None else (a.num_shards, a.shard_id)
        try:
            columns = self._columns_of(a)
        except UnicodeError as e:
            raise DatasetError(f"{type(self).__name__}: {files[0]}: {e}") from e
        return ReadNode(
            type(self).__name__,
            columns,
            files,
            lambda path: self._read(a, path),
            lambda path: self._count(a, path),
            a.shuffle,
            a.num_samples,
            share,
        )

    @staticmethod
    def _folder(a) -> str:
        """Where the files are, for messages."""
        return getattr(a, "dataset_dir", "the list of files")

    def _checked(self, name: str, value):
        if name == "shuffle":
            return arguments.shuffle_of_files(name, value)
        return super()._checked(name, value)

    def _columns_of(self, a) -> tuple[str, ...]:
        """The columns that the arguments ask for."""
        return self.columns

    def _files(self, a) -> list[str]:
        """The files."""
        raise NotImplementedError

    def _read(self, a, path: str):
        """An iterator of the rows of a file."""
        raise NotImplementedError

    def _count(self, a, path: str) -> int:
        """The number of rows of a file."""
        return sum(1 for _ in self._read(a, path))


def image(path: str, decode: bool, decrypt=None):
    """The bytes of an image file, or its pixels."""
    if decrypt is not None:
        data = decrypt(path)
        if not isinstance(data, (bytes, bytearray)):
            raise DatasetError("The return value of the decrypt function is not of type bytes")
        data = np.frombuffer(bytearray(data), np.uint8)
    else:
        data = file_array(path)
    return Decode()(data) if decode else data


def file_array(path: str) -> np.ndarray:
    """The contents of a file, in memory that other files had before."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        size = os.fstat(file).st_size
        data, at = empty((size,), np.uint8), 0
        while at < size:
            read = os.readv(file, [memoryview(data)[at:]])
            if not read:
                return data[:at].copy()  # it became shorter
            at += read
        return data
    finally:
        os.close(file)


@contextlib.contextmanager
def text_file(path: str):
    """A file of text. What goes wrong while it is read says which file it is."""
    with open(path, encoding="utf-8") as f:
        try:
            yield f
        except DatasetError:
            raise
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as e:
            said = f"there is no {e}" if isinstance(e, KeyError) else e
            raise ValueError(f"{path}: {said}") from e


def file_bytes(path: str) -> bytes:
    """The contents of a file."""
    with open(path, "rb") as f:
        return f.read()


def _documented(cls: type) -> str:
    """The docstring of a declaration: its own summary, its parameters, an example."""
    lines = [inspect.cleandoc(cls.__doc__ or ""), "", "Args:"]
    for name, p in cls.signature_.parameters.items():
        if name in cls.about:
            text = cls.about[name]
        elif name == "usage":
            text = f"str, optional): the part: {', '.join(cls.usages)}"
        else:
            text = _ABOUT[name]
        default = "" if p.default is inspect.Parameter.empty or "Default" in text else p.default
        lines.append(f"    {name} ({text}{'' if default == '' else f'. Default: {default}'}.")
    lines += [
        "",
        "Raises:",
        "    TypeError: an argument has a wrong type.",
        "    ValueError: there is no such file or folder, or an argument is out of range.",
        "    RuntimeError: files are missing or damaged, or arguments exclude each other.",
        "",
        "Examples:",
        "    >>> import minds.dataset as ds",
        f"    >>> ds.{cls.__name__}.columns",
        f"    {cls.columns!r}",
    ]
    return "\n".join(lines)

"""Compiled programs on disk: a first call finds what an earlier process compiled.

A file has the name of the digest of all that a call reaches (`reach`), of the settings, of this library
and of the machine; it is written under another name and renamed, so processes need not know of one
another. A file that is damaged, or outdated in what only the program tells (`cache_entry`), is passed
over and written anew. What cannot be told from outside is compiled as if there were no cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import warnings
from functools import cache

import numpy as np

from .. import _core
from ..base import options
from ..base.options import freeze
from ..lower.program import Executable
from ..ops import tensor_hooks as hooks
from ..version import __version__
from . import cache_entry
from .arguments import Numbers
from .program import Program
from .reach import Reach, Unknown

_MAGIC = b"minds compiled 1\n"
_DIGEST = hashlib.sha256().digest_size
_SUFFIX = ".program"


class CacheFile:
    """The place of a program in the cache.

    Attributes:
        reach: what the call reaches; path: the file.
    """

    __slots__ = ("path", "reach")

    def __init__(self, path: str, reach: Reach):
        self.path, self.reach = path, reach

    def load(self) -> Program | Numbers | None:
        """The program, or how it takes the numbers among the arguments if that is in another way; None if
        neither is there.
        """
        try:
            with open(self.path, "rb") as f:
                data = f.read()
        except OSError:
            return None
        start = len(_MAGIC) + _DIGEST
        if data[:start] != _MAGIC + hashlib.sha256(data[start:]).digest():
            return None
        try:
            found = cache_entry.read(data[start:], self.reach)
        except Exception:  # whatever is wrong with it, it is written anew
            return None
        with contextlib.suppress(OSError):
            os.utime(self.path)  # what is used stays
        return found

    def save(self, program: Program, noted: tuple, leaves: list) -> bool:
        """Write a program that was compiled, if a file can hold it."""
        if type(program.executable) is not Executable:
            return False
        return self._save(lambda: cache_entry.write(program, noted, self.reach, leaves))

    def save_instead(self, taken: Numbers) -> None:
        """Write that numbers among the arguments are taken in another way."""
        self._save(lambda: cache_entry.write_instead(taken))

    def _save(self, make) -> bool:
        try:
            data = make()
        except Unknown:
            return False
        folder = os.path.dirname(self.path)
        try:
            _write(self.path, _MAGIC + hashlib.sha256(data).digest() + data)
            _evict(folder)
        except OSError as e:
            what = f"compiled programs cannot be kept in {folder!r}: {e}"
            warnings.warn(what, RuntimeWarning, stacklevel=2)
            return False
        return True


def entry(fn, args: tuple, kwargs: dict, taken: Numbers | None, skipped: tuple) -> CacheFile | None:
    """Where the program for a call is, or will be; None if the cache is off or cannot tell.

    Args:
        taken: how numbers among the arguments are taken.
        skipped: classes of objects that programs do not depend on.
    """
    folder = options.compile_cache()
    if folder is None or hooks.registered:
        return None
    settings = freeze()
    if settings.device != "cpu" or settings.division or settings.pool_limit is not None:
        return None
    if settings.dump or settings.time or settings.check:  # somebody wants to see the compilation
        return None
    reach = Reach(skipped)
    try:
        numbers = taken and taken.fresh()
        reach.argument(args, numbers)
        reach.argument(kwargs, numbers)
        reach.add(fn)
    except Unknown:
        return None
    how = () if taken is None else cache_entry.of_numbers(taken)
    words = stamp(), settings, options.kept_settings(), [f() for f in options.AMBIENT], how
    words += _core.get_num_threads(), reach.digest()
    name = hashlib.sha256(repr(words).encode()).hexdigest()
    return CacheFile(os.path.join(folder, name + _SUFFIX), reach)


@cache
def stamp() -> str:
    """This library, as it is on disk, and the machine."""
    found, folders = [], [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    while folders:
        for e in sorted(os.scandir(folders.pop()), key=lambda e: e.name):
            if e.is_dir():
                folders += [e.path] if e.name != "__pycache__" else []
            elif e.name.endswith((".py", ".so")):
                told = e.stat()
                found.append((e.path, told.st_size, told.st_mtime_ns))
    versions = __version__, platform.python_version(), np.__version__
    return repr((versions, _core.cpu_features(), platform.machine(), found))


def _write(path: str, data: bytes) -> None:
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    temporary = f"{path}.{os.getpid()}.{os.urandom(4).hex()}"
    try:
        with open(temporary, "xb") as f:
            f.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _evict(folder: str) -> None:
    """Where the files are larger than the limit, remove what was not used for longest."""
    limit = options.compile_cache_size()
    with os.scandir(folder) as entries:
        files = [(e.stat(), e.path) for e in entries if _SUFFIX in e.name]
    total = sum(s.st_size for s, _ in files)
    for s, path in sorted(files, key=lambda f: f[0].st_mtime_ns) if total > limit else ():
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        total -= s.st_size
        if total <= limit * 3 // 4:
            break


__all__ = ["CacheFile", "entry", "stamp"]

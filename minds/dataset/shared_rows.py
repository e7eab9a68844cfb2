"""Rows that the processes of a user share: files in shared memory and, where they do not fit, on the disk.

A folder below /dev/shm belongs to a session. Who uses it holds a shared lock on its file ``users``. A small
process, started by the first user, waits for the whole lock and removes the folder then: users that are
killed leave nothing either. Rows are only appended: first their bytes, then, under a lock, a record of
fixed size in ``index``, so that what a killed process wrote in part is never read.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
import warnings
import weakref

import numpy as np

_RECORD = struct.Struct(
    "<16sQQQ"
)  # the key's digest, where the row begins, its bytes, and 1 on the disk
_MEMORY = "/dev/shm"


def _is(path: str, file: int) -> bool:
    """Whether ``file`` is still what is called ``path``."""
    with contextlib.suppress(OSError):
        return os.stat(path).st_ino == os.fstat(file).st_ino
    return False


def _path(below: str, session) -> str:
    return os.path.join(below, f"minds-cache-{os.getuid()}-{session}")


def _spilled(session: int) -> str:
    """What the session's part on the disk is called."""
    return f"{session}-spilled"


def _folder(below: str, session) -> str:
    """The session's folder, which is this user's alone."""
    path = _path(below, session)
    os.makedirs(path, mode=0o700, exist_ok=True)
    if os.lstat(path).st_uid != os.getuid():
        raise PermissionError(f"DatasetCache: {path} belongs to another user")
    return path


_REMOVER = """
import fcntl, os, shutil, sys
folder, *others = sys.argv[1:]
path = os.path.join(folder, "users")
users = os.open(path, os.O_RDWR)
if os.fork():
    os._exit(0)
os.setsid()
fcntl.flock(users, fcntl.LOCK_EX)
if os.path.exists(path) and os.stat(path).st_ino == os.fstat(users).st_ino:
    for other in others:
        shutil.rmtree(other, ignore_errors=True)
    for name in ("rows", "index", "users"):  # who opens the last one first waits, and finds all new
        if os.path.exists(os.path.join(folder, name)):
            os.unlink(os.path.join(folder, name))
    os.rmdir(folder)
"""


def _remove_behind(folders: list[str]) -> None:
    """Start the process that removes a session's folders behind its last user."""
    if sys.executable:
        command = [sys.executable, "-I", "-S", "-c", _REMOVER, *folders]
        nothing = subprocess.DEVNULL
        subprocess.run(command, check=False, stdin=nothing, stdout=nothing, stderr=nothing)


def _packed(row: tuple) -> list:
    """The bytes of a row: what its arrays are, then they."""
    head = json.dumps([[v.dtype.str, v.shape] for v in row]).encode()
    flat = [np.ascontiguousarray(v).reshape(-1).view(np.uint8) for v in row if v.nbytes]
    return [struct.pack("<I", len(head)), head, *flat]


def _unpacked(data: bytearray) -> tuple:
    """The arrays of a row, which are the caller's own."""
    end = 4 + struct.unpack_from("<I", data)[0]
    made = []
    for dtype, shape in json.loads(data[4:end]):
        empty = 0 in shape or np.dtype(dtype).itemsize == 0
        count = int(np.prod(shape, dtype=np.int64))
        flat = np.empty(count, dtype) if empty else np.frombuffer(data, dtype, count, end)
        made.append(flat.reshape(shape))
        end += flat.nbytes
    return tuple(made)


class SharedRows:
    """The rows of a session.

    Args:
        session (int): its number.
        size (int): how many bytes of shared memory its rows may take; 0 for no limit.
        spilling (bool): whether further rows are written to the disk.
    """

    def __init__(self, session: int, size: int, spilling: bool):
        memory = _MEMORY if os.access(_MEMORY, os.W_OK) else tempfile.gettempdir()
        disk = tempfile.gettempdir()
        users = self._enter(memory, disk, session)
        self._folders = [_folder(memory, session)]
        if spilling:
            self._folders.append(_folder(disk, _spilled(session)))
        opened = [os.path.join(folder, "rows") for folder in self._folders]
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._rows = [os.open(path, flags, 0o600) for path in opened]
        self._index = os.open(os.path.join(self._folders[0], "index"), flags, 0o600)
        self._size, self._known, self._read = size, {}, 0
        self._thread, self._full = threading.Lock(), False
        for handle in (*self._rows, self._index, users):
            weakref.finalize(self, os.close, handle)

    @staticmethod
    def _enter(memory: str, disk: str, session: int) -> int:
        """The lock of a user, after what nobody uses any more was removed."""
        while True:
            folder = _folder(memory, session)
            path = os.path.join(folder, "users")
            try:
                users = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except FileNotFoundError:  # its last user has just removed it
                continue
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is(path, users):
                    for name in ("rows", "index"):
                        with contextlib.suppress(OSError):
                            os.truncate(os.path.join(folder, name), 0)
                    _remove_behind([folder, _path(disk, _spilled(session))])
            fcntl.flock(users, fcntl.LOCK_SH)
            if _is(path, users):
                return users
            os.close(users)

    @staticmethod
    def _digest(key: str) -> bytes:
        return hashlib.blake2b(key.encode(), digest_size=16).digest()

    def _refresh(self) -> int:
        """Read the records that others wrote; where the next one goes."""
        end = os.fstat(self._index).st_size // _RECORD.size * _RECORD.size
        if end > self._read:
            for digest, *place in _RECORD.iter_unpack(
                os.pread(self._index, end - self._read, self._read)
            ):
                self._known[digest] = tuple(place)
            self._read = end
        return end

    def find(self, key: str) -> tuple | None:
        """The row of ``key``, if there is one."""
        digest = self._digest(key)
        with self._thread:
            if digest not in self._known:
                self._refresh()
            begin, count, spilled = self._known.get(digest, (0, 0, 0))
        if not count or spilled >= len(self._rows):
            return None
        data = bytearray(count)
        whole = os.preadv(self._rows[spilled], [data], begin) == count
        return _unpacked(data) if whole else None

    def add(self, key: str, row: tuple) -> None:
        """Keep a row, unless there is no room for it."""
        if self._full or any(v.dtype.hasobject for v in row):
            return
        parts = _packed(row)
        cost, digest = sum(map(len, parts)), self._digest(key)
        users = os.open(os.path.join(self._folders[0], "index"), os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(users, fcntl.LOCK_EX)
            with self._thread:
                end = self._refresh()
                if digest not in self._known:
                    self._write(digest, parts, cost, end)
        finally:
            os.close(users)

    def _write(self, digest: bytes, parts: list, cost: int, end: int) -> None:
        for spilled, file in enumerate(self._rows):
            begin = os.fstat(file).st_size
            if not spilled and self._size and begin + cost > self._size:
                continue
            try:
                if os.pwritev(file, parts, begin) != cost:
                    raise OSError(28, "No space left on device")
                os.pwrite(self._index, _RECORD.pack(digest, begin, cost, spilled), end)
                return
            except OSError as e:
                os.ftruncate(file, begin)
                if spilled + 1 == len(self._rows):
                    self._full = True
                    warnings.warn(f"DatasetCache: no more rows are kept: {e}", stacklevel=2)

    def counts(self) -> tuple[list[int], int]:
        """The bytes of each row in memory, and the number of rows on the disk."""
        with self._thread:
            self._refresh()
            places = list(self._known.values())
        return [count for _, count, spilled in places if not spilled], sum(p[2] for p in places)

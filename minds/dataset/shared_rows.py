"""Rows that the processes of a user share: files in shared memory and, where they do not fit, on the disk.

A folder below /dev/shm belongs to a session. Who uses it holds a shared lock on its file ``users``; the
last one removes it, and the next one empties what killed processes left. Rows are only appended: first
their bytes, then, under a lock, a record of fixed size in ``index``, so that what a killed process wrote in
part is never read.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import struct
import tempfile
import threading
import warnings
import weakref

import numpy as np

_RECORD = struct.Struct(
    "<16sQQQ"
)  # the key's digest, where the row begins, its bytes, and 1 on the disk
_MEMORY = "/dev/shm"


def _folder(below: str, session: int) -> str:
    """The session's folder, which is this user's alone."""
    path = os.path.join(below, f"minds-cache-{os.getuid()}-{session}")
    os.makedirs(path, mode=0o700, exist_ok=True)
    if os.lstat(path).st_uid != os.getuid():
        raise PermissionError(f"DatasetCache: {path} belongs to another user")
    return path


def _leave(folders: list[str], users: int, process: int) -> None:
    """Stop using a session; the last one removes its files."""
    os.close(users)
    if os.getpid() != process:
        return
    with contextlib.suppress(OSError):
        last = os.open(os.path.join(folders[0], "users"), os.O_RDWR)
        try:
            fcntl.flock(last, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for folder in folders:
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(last)


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
        users = self._enter(memory, session)
        self._folders = [_folder(memory, session)]
        if spilling:
            self._folders.append(_folder(tempfile.gettempdir(), f"{session}-spilled"))
        opened = [os.path.join(folder, "rows") for folder in self._folders]
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._rows = [os.open(path, flags, 0o600) for path in opened]
        self._index = os.open(os.path.join(self._folders[0], "index"), flags, 0o600)
        self._size, self._known, self._read = size, {}, 0
        self._thread, self._full = threading.Lock(), False
        for handle in (*self._rows, self._index):
            weakref.finalize(self, os.close, handle)
        weakref.finalize(self, _leave, self._folders, users, os.getpid())

    @staticmethod
    def _enter(memory: str, session: int) -> int:
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
                for name in ("rows", "index"):
                    with contextlib.suppress(OSError):
                        os.truncate(os.path.join(folder, name), 0)
            fcntl.flock(users, fcntl.LOCK_SH)
            with contextlib.suppress(OSError):
                if os.stat(path).st_ino == os.fstat(users).st_ino:
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

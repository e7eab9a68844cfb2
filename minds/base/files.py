"""Files that are replaced as a whole: a crash leaves the old file or the new one."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re

from .errors import complain

_TEMPORARY = re.compile(r"\..+\.\d+\.[0-9a-f]{8}\.tmp")


@contextlib.contextmanager
def replacing(path: str, what: str):
    """A new file, open for writing, that takes the name ``path`` when the block ends well.

    It is written under a temporary name in the same folder and brought to the disk before. A writer
    holds a lock on its temporary file; those without are of writers that were killed, and removed.

    Args:
        path (str): the file; an existing one is replaced.
        what (str): what it is, for messages.

    Raises:
        OSError: the folder is missing, not writable, or full. The old file is then untouched.
    """
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        error = complain(
            FileNotFoundError,
            f"there is no folder {folder!r} for the {what}",
            expected="the name of a file in a folder that exists",
        )
        error.errno, error.filename = errno.ENOENT, folder
        raise error
    _remove_left_ones(folder)
    temporary, descriptor = _temporary(folder, os.path.basename(path))
    try:
        with os.fdopen(descriptor, "wb") as f:
            yield f
            f.flush()
            os.fsync(f.fileno())
            os.replace(temporary, path)
    except BaseException as e:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        if isinstance(e, OSError) and e.filename is None and e.errno is not None:
            e.filename = path  # a full disk, which does not say whose file it was
        raise
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _temporary(folder: str, name: str) -> tuple[str, int]:
    """A new file with a lock on it: its path, and the descriptor."""
    while True:
        path = os.path.join(folder, f".{name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        if _locked(descriptor):
            return path, descriptor
        os.close(descriptor)  # another writer takes it for one that was left, and removes it


def _locked(descriptor: int) -> bool:
    """Whether this got the lock on a file that has a name still."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks
    return os.fstat(descriptor).st_nlink > 0


def _remove_left_ones(folder: str) -> None:
    """Remove the temporary files of writers that are gone."""
    for name in filter(_TEMPORARY.fullmatch, os.listdir(folder)):
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDWR)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(path)
            finally:
                os.close(descriptor)


__all__ = ["replacing"]

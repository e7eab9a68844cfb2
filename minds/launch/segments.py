"""Shared memory that processes which were killed have left behind.

MPICH removes its segments when processes end in order. One that was killed leaves its own, which nobody can
use any more; they would fill the memory of the host run by run.
"""

from __future__ import annotations

import contextlib
import os
import time

PREFIX = "mpich_shm_"
_YOUNG = 5.0
"""Seconds; one that was made just now may not be mapped yet."""


def sweep(folder: str = "/dev/shm") -> list[str]:
    """Remove the segments of this user's that no process has any more.

    Args:
        folder (str): where they are. Default: ``/dev/shm``.

    Returns:
        list[str]: the files that were removed.
    """
    found = _old(folder)
    if not found:
        return []
    used = _mapped(folder)
    removed = []
    for path in found:
        if path not in used:
            with contextlib.suppress(OSError):
                os.remove(path)
                removed.append(path)
    return removed


def _old(folder: str) -> list[str]:
    """This user's segments that are not young."""
    found = []
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if entry.name.startswith(PREFIX):
                with contextlib.suppress(OSError):
                    about = entry.stat(follow_symlinks=False)
                    if about.st_uid == os.getuid() and time.time() - about.st_mtime > _YOUNG:
                        found.append(entry.path)
    return found


def _mapped(folder: str) -> set[str]:
    """The segments that processes of this host have."""
    used = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/maps", encoding="utf-8") as f:
            for line in f:
                at = line.find(f"{folder}/{PREFIX}")
                if at >= 0:
                    used.add(line[at:].split()[0])
    return used


__all__ = ["sweep"]

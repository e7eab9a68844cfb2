"""How rows of several files are shuffled, and in which order they come."""

from __future__ import annotations

from enum import Enum


class Shuffle(str, Enum):
    """How the rows of several files are shuffled.

    Examples:
        >>> import minds.dataset as ds
        >>> ds.Shuffle.GLOBAL.value
        'global'
    """

    FALSE = "false"
    GLOBAL = "global"
    PARTIAL = "partial"
    ADAPTIVE = "adaptive"
    FILES = "files"
    INFILE = "infile"

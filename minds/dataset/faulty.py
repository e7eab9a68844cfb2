"""Rows that an operation cannot make: raised, left out, or replaced by others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum

_REMEMBERED = 64


class ErrorSamplesMode(IntEnum):
    """What becomes of a row that ``map`` fails on: its error ends the epoch; another row takes its
    place, at the end of the epoch; or it is left out.

    Examples:
        >>> import minds.dataset as ds
        >>> ds.config.ErrorSamplesMode.SKIP.value
        2
    """

    RETURN = 0
    REPLACE = 1
    SKIP = 2


class Failed:
    """Stands for a row that could not be made."""

    __slots__ = ("error",)

    def __init__(self, error: Exception):
        self.error = error


def caught(function: Callable) -> Callable:
    """``function``, which gives a `Failed` instead of raising."""

    def call(item):
        try:
            return function(item)
        except Exception as e:  # whatever the operation of the user's raised
            return Failed(e)

    return call


def tolerant(rows: Iterator, mode: ErrorSamplesMode) -> Iterator:
    """``rows`` without those that failed; with as many of the first good ones after the last where
    ``mode`` is REPLACE: then an epoch without a good row raises the first error.
    """
    good, failed, first = [], 0, None
    for row in rows:
        if isinstance(row, Failed):
            failed, first = failed + 1, first or row.error
            continue
        if mode is ErrorSamplesMode.REPLACE and len(good) < _REMEMBERED:
            good.append(row)
        yield row
    if mode is ErrorSamplesMode.REPLACE and failed:
        if not good:
            raise first
        for i in range(failed):
            yield good[i % len(good)]

"""Functions made of ops, whose calls PyNative mode repeats without running their Python again."""

from __future__ import annotations

import functools
from collections.abc import Callable

from .. import _core


def repeated(fn: Callable) -> Callable:
    """Marks a function of tensors and values whose ops depend on the tensors' dtypes and shapes and on
    the values alone, and that changes nothing. What a call was seen to do is kept with it
    (`csrc/python/memo.cc`); a call like it launches that and records it on the tapes.
    """
    run = _core.memo(fn)

    @functools.wraps(fn)
    def call(*args, **kwargs):
        return run(*args, **kwargs)

    return call


__all__ = ["repeated"]

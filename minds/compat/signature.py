"""How MindSpore's own primitives declare their inputs; minds reads names and kinds from `infer` methods
and functions, so that a signature is kept and has no effect.
"""

from __future__ import annotations

import enum
from typing import NamedTuple


class sig_rw(enum.Enum):
    """Whether an input is read or written."""

    RW_READ = 0
    RW_WRITE = 1
    RW_REF = 2
    RW_EMPTY_DEFAULT_VALUE = 3


class sig_kind(enum.Enum):
    """How an input is given."""

    KIND_POSITIONAL_KEYWORD = 0
    KIND_VAR_POSITIONAL = 1
    KIND_KEYWORD_ONLY = 2
    KIND_VAR_KEYWARD = 3
    KIND_EMPTY_DEFAULT_VALUE = 4


sig_dtype = enum.Enum(
    "sig_dtype", [*(f"T{i}" if i else "T" for i in range(10)), "T_EMPTY_DEFAULT_VALUE"]
)
"""Inputs of one letter share a dtype."""


class InputSignature(NamedTuple):
    """One input of a primitive."""

    name: str
    rw: object
    kind: object
    default: object
    dtype: object


def make_sig(
    name="var",
    rw=sig_rw.RW_READ,
    kind=sig_kind.KIND_POSITIONAL_KEYWORD,
    default=sig_kind.KIND_EMPTY_DEFAULT_VALUE,
    dtype=sig_dtype.T_EMPTY_DEFAULT_VALUE,
):
    """Describe an input of a primitive, for ``__mindspore_signature__``; has no effect.

    Args:
        name (str), rw (sig_rw), kind (sig_kind), default (Any), dtype (sig_dtype): kept.

    Returns:
        InputSignature: them.

    Examples:
        >>> from minds.ops import signature as sig
        >>> sig.make_sig("x", sig.sig_rw.RW_WRITE).name
        'x'
    """
    return InputSignature(name, rw, kind, default, dtype)


__all__ = ["make_sig", "sig_dtype", "sig_kind", "sig_rw"]

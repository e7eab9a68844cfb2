"""Inference is done once for what is alike: operands of known sizes, and plain attributes."""

from __future__ import annotations

from ..base import dtype as dt
from ..ir.abstract import AbstractScalar, AbstractTensor


def inferred(o, seen: list) -> tuple:
    """``o.infer(seen)``, done once for operands of known sizes and plain attributes."""
    if o.has_effect or o.finds:
        return o.infer(seen)
    try:
        key = tuple([_key_of(v) for v in seen])
    except _NoKey:
        return o.infer(seen)
    found = o.inferred.get(key)
    if found is None:
        found = o.infer(seen)
        if len(o.inferred) >= _MANY:
            o.inferred.clear()
        o.inferred[key] = found
    return found


_MANY = 4096


class _NoKey(Exception):
    """What an op is given has no key."""


def _key_of(v):
    """What tells an operand or attribute apart, 1 from True and from 1.0.

    Raises:
        _NoKey: it may change, or sizes are open, on which inference may ask questions.
    """
    kind = v.__class__
    if kind is AbstractTensor:
        if type(v.size) is not int or v.size == 0:
            raise _NoKey
        return v
    if kind is int or kind is str or v is None or kind is AbstractScalar:
        return v
    if kind is bool or kind is dt.DType or kind is float and v:
        return kind, v
    if kind is tuple:
        return (kind, *[_key_of(e) for e in v])
    raise _NoKey

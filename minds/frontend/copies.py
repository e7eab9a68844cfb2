"""``copy.copy`` and ``copy.deepcopy`` of values of compiled code."""

from __future__ import annotations

import copy

from ..ir.node import Node
from ..tensor import Parameter, Tensor
from . import run_lists
from .registry import emits
from .scalars import is_scalar
from .structure import parts
from .value_types import LOCAL, LocalDict, LocalList, RunList, attributes_of, is_made, made


@emits(copy.copy)
def _copy(ip, v):
    if type(v) is RunList:
        return run_lists.copied(ip, v)
    if isinstance(v, LOCAL):
        return v.copy()
    if type(v) in (list, dict):
        return (LocalList if type(v) is list else LocalDict)(v)
    if is_made(v):
        return made(type(v), LocalDict(attributes_of(v)))
    return _own(ip, v)


def _own(ip, v):
    """A tensor of its own; what cannot change is its own copy."""
    if isinstance(v, (Node, Tensor)) and not isinstance(v, Parameter) and not is_scalar(v):
        return ip.call(Tensor.copy, [v], {})
    return v


@emits(copy.deepcopy)
def _deepcopy(ip, v, memo=None):
    return _deep(ip, v, {})


def _deep(ip, v, known: dict):
    if id(v) in known:
        return known[id(v)][1]
    p = parts(v)
    if isinstance(v, (list, dict)):
        new = (LocalList if isinstance(v, list) else LocalDict)((), getattr(v, "kind", None))
        known[id(v)] = v, new  # it may hold itself
        if isinstance(v, list):
            new.extend([_deep(ip, e, known) for e in v])
        else:
            new.update({k: _deep(ip, e, known) for k, e in v.items()})
        return new
    if p is None or callable(v):
        new = _own(ip, v)
    else:
        new = p.remake([_deep(ip, e, known) for e in p.items])
    known[id(v)] = v, new
    return new

"""A sequence of tensors and numbers as one tensor, in both modes: its gradient goes to the tensors,
and numbers beside them are weak.
"""

from __future__ import annotations

import numpy as np

from ..arrays.host import MOST_DIMS, nested_too_deep
from ..base import dtype as dt
from ..ir import build
from ..ir.abstract import AbstractScalar, AbstractTensor
from ..ir.node import Node
from ..tensor import Tensor
from .promotion import common_dtype


def holds_tensors(v) -> bool:
    """Whether a nested sequence holds a tensor or a node."""
    return _holds(v, (Node, Tensor), MOST_DIMS)


def holds_nodes(v) -> bool:
    """Whether a nested sequence holds a node."""
    return _holds(v, Node, MOST_DIMS)


def _holds(v, kinds, depth: int) -> bool:
    if isinstance(v, (tuple, list)):
        return depth > 0 and any(_holds(e, kinds, depth - 1) for e in v)
    return isinstance(v, kinds)


def stacked(v, dtype: dt.DType | None, P, convert):
    """The tensor of a nested sequence.

    Args:
        v (tuple, list): tensors, nodes, numbers and sequences of such.
        dtype (DType): its dtype; None for the common one.
        P: the ops.
        convert (callable): ``convert(value, abstract, dtype)`` is an element as a tensor.

    Raises:
        TypeError: it holds something else.
        ValueError: elements have different shapes.
    """
    given, known = _plain(v), []
    _look(given, known)
    dtype = dtype or common_dtype(known, False)

    def made(e):
        if type(e) is not list:
            return convert(e, _abstract(e), dtype)
        rows = [made(part) for part in e]
        return P.concat(tuple([P.reshape(r, (1, *r.shape)) for r in rows]), 0)

    return made(given)


def _plain(v, depth: int = 0):
    if isinstance(v, (tuple, list)):
        if depth == MOST_DIMS:
            raise nested_too_deep()
        return [_plain(e, depth + 1) for e in v]
    return Tensor(v) if isinstance(v, (np.ndarray, np.generic)) else v


def _look(v, known: list) -> None:
    """Append the abstract values of the elements."""
    if type(v) is list:
        for e in v:
            _look(e, known)
    else:
        known.append(_abstract(v))


def _abstract(e):
    a = AbstractScalar(complex) if isinstance(e, complex) else build.abstract_of(e)
    if not isinstance(a, (AbstractTensor, AbstractScalar)):
        raise TypeError(f"an element has type {type(e).__name__}")
    return a

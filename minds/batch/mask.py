"""Masks: which parts of a value differ from example to example.

The mask of a tensor or number is a bool, that of a tuple the tuple of its elements' masks. A
batched tensor has the examples along dimension 0; a batched run-time number is a tensor of rank 1.
Functions and references are never batched.
"""

from __future__ import annotations

from ..ir.abstract import NONE, AbstractFunction, AbstractScalar, AbstractTensor, AbstractTuple
from ..ir.build import Builder, building
from ..ir.node import Constant, Node
from ..ops.batching import widened
from ..ops.define import P


class Unbatchable(Exception):
    """What cannot be computed for all examples at once: it is computed row by row."""


def full_mask(a, value: bool):
    """The mask of a value of type ``a`` that is batched throughout, or nowhere."""
    if isinstance(a, AbstractTuple):
        return tuple([full_mask(i, value) for i in a.items])
    return value and isinstance(a, (AbstractTensor, AbstractScalar))


def either(m, k):
    """Where one of two masks is set."""
    return tuple(map(either, m, k)) if isinstance(m, tuple) else m or k


def some(m) -> bool:
    """Whether a mask is set anywhere."""
    return any(map(some, m)) if isinstance(m, tuple) else m


def lifted(a, m, n: int):
    """The type of a value of type ``a`` where its parts under ``m`` are batched."""
    if isinstance(m, tuple):
        return AbstractTuple([lifted(i, k, n) for i, k in zip(a.items, m)])
    return AbstractTensor((n, *a.shape), a.dtype) if m else a


def coerced(b: Builder, x: Node, a, have, want, n: int) -> Node:
    """``x``, batched as ``have``, batched as ``want``, which is set wherever ``have`` is."""
    if have == want:
        return x
    if isinstance(want, tuple):
        return b.make_tuple(
            [
                coerced(b, b.getitem(x, i), t, h, w, n)
                for i, (t, h, w) in enumerate(zip(a.items, have, want))
            ]
        )
    with building(b):
        return widened(x, n)


def mapped_leaves(b: Builder, fn, m, *values: Node) -> Node:
    """``fn`` of the leaves of values of one structure; those that ``m`` leaves out are the first
    value's.
    """
    if isinstance(m, tuple):
        return b.make_tuple(
            [mapped_leaves(b, fn, k, *[b.getitem(v, i) for v in values]) for i, k in enumerate(m)]
        )
    if not m:
        return values[0]
    with building(b):
        return fn(*values)


def chosen(b: Builder, condition: Node, m, x: Node, y: Node) -> Node:
    """``x`` where the batched ``condition`` holds, else ``y``; both are batched as ``m``."""
    return mapped_leaves(b, lambda p, q: P.select(_along(condition, p), p, q), m, x, y)


def _along(condition: Node, x: Node) -> Node:
    return (
        condition
        if len(x.shape) == 1
        else P.reshape(condition, (x.shape[0],) + (1,) * (len(x.shape) - 1))
    )


def populated(b: Builder, active: Node, args: list, masks: list) -> list:
    """Arguments whose rows that are not active are copies of one that is, through which no gradient
    flows.

    What is computed with them is then what some active row computes: it ends, and raises no errors
    of its own; its results are dropped, and so are its gradients, even where they are not finite.
    """
    with building(b):
        first = P.argmax(P.cast(active, "int32"), 0, False)

    def fill(x):
        row = P.stop_gradient(P.gather(x, first, 0))
        return P.select(_along(active, x), x, P.reshape(row, (1, *row.shape)))

    return [mapped_leaves(b, fill, m, x) if some(m) else x for x, m in zip(args, masks)]


def zeros(b: Builder, a) -> Node:
    """A value of type ``a`` for a place that is never looked at."""
    if isinstance(a, AbstractTuple):
        return b.make_tuple([zeros(b, i) for i in a.items])
    if isinstance(a, AbstractScalar):
        return Constant(a.kind(0), a)
    if isinstance(a, AbstractTensor):
        with building(b):
            return P.full(a.shape, 0, a.dtype)
    if a is NONE:
        return Constant(None, NONE)
    raise Unbatchable(f"a value of type {a!r} is chosen for each example")


def has_function(a) -> bool:
    """Whether values of type ``a`` contain functions."""
    return isinstance(a, AbstractFunction) or isinstance(a, AbstractTuple) and a.has_function

"""Structural equality of programs."""

from __future__ import annotations

from . import walk
from .check import compatible
from .node import Constant, Graph, Node


def equal(a: Graph, b: Graph) -> bool:
    """Whether two programs are the same up to names: same graphs, applies in order, constants and
    types.
    """
    return difference(a, b) is None


def difference(a: Graph, b: Graph) -> str | None:
    """What `equal` stumbles over first, or None."""
    same: dict = {a: b}
    work = [(a, b)]
    graphs = []
    while work:  # first all params and applies by position, then operands
        g, h = work.pop()
        graphs.append((g, h))
        if len(g.params) != len(h.params):
            return f"{g!r} has {len(g.params)} parameters, {h!r} has {len(h.params)}"
        left, right = [*g.params, *g], [*h.params, *h]
        if len(left) != len(right):
            return f"{g!r} has {len(left)} params and applies, {h!r} has {len(right)}"
        for m, n in zip(left, right):
            same[m] = n
            if not _same_type(m.abstract, n.abstract):
                return f"{g!r}: {m!r} against {n!r}"
        for flag in ("bprop", "recompute", "apart"):
            if (flag in g.flags) != (flag in h.flags):
                return f"{g!r}: {flag}"
        below, other = list(walk.children(g)), list(walk.children(h))
        if len(below) != len(other):
            return f"{g!r} mentions {below}, {h!r} mentions {other}"
        for x, y in zip(below, other):
            if x not in same:
                same[x] = y
                work.append((x, y))
    for g, h in graphs:
        for m, n in zip([*g, g.ret], [*h, h.ret]):
            callee = same[m.fn] is n.fn if m.fn in same else m.fn is n.fn
            if (
                not callee
                or len(m.args) != len(n.args)
                or not all(_same_arg(x, y, same) for x, y in zip(m.args, n.args))
            ):
                return f"{g!r}: {m!r}{m.args} against {n!r}{n.args}"
    return None


def _same_type(a, b) -> bool:
    return a is b or a is not None and b is not None and compatible(a, b)


def _same_arg(a: Node, b: Node, same: dict) -> bool:
    if a.__class__ is not Constant or b.__class__ is not Constant:
        return (
            same.get(a, a) is b
        )  # what belongs to neither program is the same if it is the same node
    return (
        same.get(a.value) is b.value
        if a.value.__class__ is Graph
        else same_constant(a.value, b.value)
    )


def same_constant(a, b) -> bool:
    """Whether two constants are the same to the bit."""
    if type(a) is not type(b):
        return (
            {type(a), type(b)} <= {tuple, list}
            and len(a) == len(b)
            and all(map(same_constant, a, b))
        )
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same_constant, a, b))
    if hasattr(a, "asnumpy"):
        x, y = a.asnumpy(), b.asnumpy()
        return a.dtype is b.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()
    return repr(a) == repr(b) if type(a) is float else a is b or a == b

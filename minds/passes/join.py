"""The step ``join``: where the device has one kernel for several ops, these become one op. It comes before J,
so the gradient is one op too.

- ``nll(log_softmax(x))`` is `softmax_nll`;
- ``relu(batch_norm(x))``, or with something added that is there before, is `batch_norm_relu`.
"""

from __future__ import annotations

from .. import _core
from ..base import dtype as dt
from ..ir import prim, walk
from ..ir.build import Builder, building
from ..ir.node import Apply, Graph, Node, is_apply, replace
from ..ops.define import P


def join(graph: Graph, options=None) -> Graph:
    """Join ops for a device that has kernels for them; others' programs, and divided ones, whose rules the
    joined ops lack, stay as they are.
    """
    device = getattr(options, "device", "cpu")
    if getattr(options, "division", None) is not None:
        return graph
    for joined, joins in (("softmax_nll", _join_losses), ("batch_norm_relu", _join_norms)):
        if has_kernel(device, joined):
            for g in walk.graphs(graph):
                joins(g)
    return graph


def has_kernel(device: str, name: str) -> bool:
    """Whether a device has several ops as one kernel."""
    return device != "cpu" and _core.has_kernel(name, device, dt.float32.code)


def _join_losses(g: Graph) -> None:
    for n in list(g):
        if n.fn is not P.nll:
            continue
        logp, target = n.args
        rows = is_apply(logp, P.log_softmax) and logp.args[1].value == 1
        if not rows or len(logp.uses) > 1 or logp.abstract.dtype is not logp.args[0].abstract.dtype:
            continue
        b = Builder(g, n, n.loc)
        with building(b):
            made = P.softmax_nll(logp.args[0], target)
        _exchange(g, n, b.getitem(made, 0))
        g.remove(logp)


def _join_norms(g: Graph) -> None:
    order = {n: i for i, n in enumerate(g)}
    for n in [n for n in g if n.fn is P.batch_norm]:
        end, residual = _ending(g, n)
        if end is None or order.get(residual, -1) > order[n]:
            continue
        x, gamma, beta, eps = n.args
        b = Builder(g, n, n.loc)
        with building(b):
            made = P.batch_norm_relu(x, gamma, beta, residual, eps.value)
        for u in list(n.uses):
            item = b.getitem(made, u.args[1].value)
            _exchange(g, u, item)
            if u.args[1].value == 0:
                y = item
        g.remove(n)
        _exchange(g, end, y)
        if residual is not None:
            g.remove(end.args[0])


def _exchange(g: Graph, old: Apply, new: Node) -> None:
    """Put ``new`` in the place of ``old``."""
    replace(old, new)
    if g.output is old:
        g.output = new
    g.remove(old)


def _ending(g: Graph, n: Apply) -> tuple:
    """(relu of what ``n`` makes, what is added before, or None), or Nones."""
    none = None, None
    if not all(u.fn is prim.tuple_getitem for u in n.uses):
        return none
    items = [u for u in n.uses if u.args[1].value == 0]
    first = items[0] if len(items) == 1 else None
    end, residual = _only_user(g, first), None
    if is_apply(end, P.add):
        a, b = end.args
        residual = b if a is first else a
        fits = a is not b and getattr(residual, "abstract", None) is first.abstract
        end = _only_user(g, end) if fits else None
    return (end, residual) if is_apply(end, P.relu) else none


def _only_user(g: Graph, v: Apply | None) -> Apply | None:
    """What alone uses ``v``, once."""
    if v is None or v is g.output or sum(v.uses.values()) != 1:
        return None
    return next(iter(v.uses))

"""An op replaced by other ops, by its rule `Op.decompose`: for a backend without a kernel, and for
gradients of an op without a rule for them.
"""

from __future__ import annotations

from ..base.errors import UserError, locate
from ..ir import prim
from ..ir.build import Builder, as_node, building
from ..ir.node import Apply, Constant, replace
from .define import ATTR

_LIMIT = 100_000  # applies that one op may become; beyond it a rule calls itself


def decompose_all(n: Apply, again) -> None:
    """Replace ``n`` by what its rule emits, and of that the applies that ``again`` tells, depth first
    and in program order.
    """
    work, emitted, name = [n], 0, n.fn.name
    while work:
        made = decompose(work.pop())
        emitted += len(made)
        assert emitted < _LIMIT, f"the decomposition of {name} does not end"
        work += filter(again, made)


def decompose(n: Apply) -> list[Apply]:
    """Replace ``n`` by what its rule emits; these applies, last first.

    Raises:
        TypeError, ValueError: what the rule refuses, at the place of ``n``.
    """
    op, g, before = n.fn, n.graph, n.prev
    params = [_param(a, k) for a, k in zip(n.args, op.kinds, strict=True)]
    try:
        with building(Builder(g, n, n.loc)) as b:
            out = op.decompose_rule(*params)
            out = b.make_tuple(out) if isinstance(out, tuple) else as_node(out)
    except UserError as e:
        raise locate(e, n.loc) from e
    replace(n, out)
    if g.output is n:
        g.output = out
    emitted, m = [], n.prev
    while m is not before:
        emitted.append(m)
        m = m.prev
    g.remove(n)
    return emitted


def _param(a, kind: str):
    """What a decomposition rule gets: nodes for tensors, tuples of nodes, Python values for
    attributes.
    """
    if type(a) is Constant and (kind == ATTR or a.value is None):
        return a.value
    if type(a) is Apply and a.fn is prim.make_tuple:
        return a.args
    return a

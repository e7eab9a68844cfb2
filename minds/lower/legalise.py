"""Legalise: afterwards every op has a kernel on the device, is a view, or runs on the host.

An op without a kernel is replaced by its decomposition, in place: the rule runs with a builder at
the op's position, and what it emits is legalised too.
"""

from __future__ import annotations

from ..base.errors import UserError, complain, locate
from ..ir import prim
from ..ir.build import Builder, as_node, building
from ..ir.node import Apply, Constant, Graph, replace
from ..ops.define import ATTR, Op
from .kernels import has_kernel, selecting
from .select import leaves

_LIMIT = 100_000  # ops that one decomposition may emit, all levels together; beyond it a rule calls itself


def legalise(root: Graph, device: str = "cpu") -> Graph:
    """Decompose what the device has no kernel for, in every graph that runs.

    Raises:
        TypeError: an op has neither a kernel for its dtype nor a decomposition; at the user's line.
    """
    for g in reachable(root):
        n = g.head
        while n is not None:
            after = n.next
            if isinstance(n.fn, Op) and not supported(n, device):
                _decompose(n, device)
            n = after
    return root


def reachable(root: Graph) -> list[Graph]:
    """``root`` and the graphs that run with it, each before those it mentions first."""
    found, stack = {root: None}, [root]
    while stack:
        g = stack.pop()
        for n in g:
            for fn in (n.fn, *n.args):
                h = fn.value if type(fn) is Constant else fn
                if type(h) is Graph and h not in found:
                    found[h] = None
                    stack.append(h)
        h = g.output.value if type(g.output) is Constant else None
        if type(h) is Graph and h not in found:
            found[h] = None
            stack.append(h)
    return list(found)


def supported(n: Apply, device: str) -> bool:
    """Whether the device runs ``n`` as it is."""
    op = n.fn
    if op.kernel == "view" or op.host is not None:
        return True
    first = _selecting(n)
    return first is None or has_kernel(op.kernel, device, first)


def _selecting(n: Apply):
    operands = [v for i in n.fn.tensor_at for v in leaves(n.args[i].abstract)]
    return selecting(operands, leaves(n.abstract))


def _decompose(n: Apply, device: str) -> None:
    """Replace ``n`` by what its rule emits, and that in turn, depth first and in program order."""
    work, emitted = [n], 0
    while work:
        n = work.pop()
        op, g = n.fn, n.graph
        if op.decompose_rule is None:
            first = _selecting(n)
            raise complain(
                TypeError,
                f"{op.name}: has no kernel for {first.name} on device '{device}'",
                loc=n.loc,
                operands=operand_texts(n),
                cure="cast the operands to a supported dtype",
            )
        before, params = n.prev, [_param(a, k) for a, k in zip(n.args, op.kinds, strict=True)]
        try:
            with building(Builder(g, n, n.loc)) as b:
                out = op.decompose_rule(*params)
                out = b.make_tuple(out) if isinstance(out, tuple) else as_node(out)
        except UserError as e:
            raise locate(e, n.loc) from e
        replace(n, out)
        if g.output is n:
            g.output = out
        new, m = [], n.prev
        while m is not before:
            if isinstance(m.fn, Op) and not supported(m, device):
                new.append(m)
            m = m.prev
            emitted += 1
        g.remove(n)
        assert emitted < _LIMIT, f"the decomposition of {op.name} does not end"
        work += new


def _param(a, kind: str):
    """What a decomposition rule gets: nodes for tensors, tuples of nodes, Python values for
    attributes.
    """
    if type(a) is Constant and (kind == ATTR or a.value is None):
        return a.value
    if type(a) is Apply and a.fn is prim.make_tuple:
        return a.args
    return a


def operand_texts(n: Apply) -> list[tuple[str, str]]:
    """(name, type) of each tensor operand, as error messages show them."""
    named = ((n.fn.names[i], n.args[i].abstract) for i in n.fn.tensor_at)
    return [(name, repr(a)) for name, a in named if a is not None]

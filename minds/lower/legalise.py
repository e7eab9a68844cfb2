"""Legalise: afterwards every op has a kernel on the device, is a view, or runs on the host.

An op without a kernel is replaced by its decomposition, in place: the rule runs with a builder at
the op's position, and what it emits is legalised too.
"""

from __future__ import annotations

from ..base.errors import complain
from ..ir.node import Apply, Constant, Graph
from ..ops.decompose import decompose_all
from ..ops.define import Op
from .kernels import has_kernel, selecting
from .select import leaves


def legalise(root: Graph, device: str = "cpu") -> Graph:
    """Decompose what the device has no kernel for, in every graph that runs.

    Raises:
        TypeError: an op has neither a kernel for its dtype nor a decomposition; at the user's line.
    """
    for g in reachable(root):
        n = g.head
        while n is not None:
            after = n.next
            if _is_decomposed(n, device):
                decompose_all(n, lambda m: _is_decomposed(m, device))
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


def _is_decomposed(n: Apply, device: str) -> bool:
    """Whether ``n`` must be replaced by what it is made of.

    Raises:
        TypeError: it must, and has no decomposition.
    """
    op = n.fn
    if not isinstance(op, Op) or supported(n, device):
        return False
    if op.decompose_rule is None:
        first = _selecting(n)
        raise complain(
            TypeError,
            f"{op.name}: has no kernel for {first.name} on device '{device}'",
            loc=n.loc,
            operands=operand_texts(n),
            cure="cast the operands to a supported dtype",
        )
    return True


def operand_texts(n: Apply) -> list[tuple[str, str]]:
    """(name, type) of each tensor operand, as error messages show them."""
    named = ((n.fn.names[i], n.args[i].abstract) for i in n.fn.tensor_at)
    return [(name, repr(a)) for name, a in named if a is not None]

"""Where the sizes can be read that the program finds when it runs.

A size among the values of the source is an expression (`ir.dim`), not a node. Where the program
needs it as a number, or makes something of that size, a value that has it must be at hand: a
*witness*. `Parameters.loaded` holds them beside the parameters that were read, since both are seen
from the same places.
"""

from __future__ import annotations

from ..ir import build
from ..ir.abstract import INT, AbstractTensor, AbstractTuple
from ..ir.dim import Dim, Least, Unbacked, Var, lone, of_var, variables
from ..ir.node import Node
from ..ir.shape_env import finding
from ..ir.sizes import mentioned
from ..ops.define import P
from ..ops.unbacked import size_of, sized_by


def note(seen: dict, n) -> None:
    """The sizes of ``n``, if it is a node, can be seen from here on: (node, item of a tuple, dimension)."""
    if finding() and isinstance(n, Node):
        for i, a in enumerate(getattr(n.abstract, "items", (n.abstract,))):
            for axis, d in enumerate(a.shape if type(a) is AbstractTensor else ()):
                x = lone(d)
                if x is not None and of_var(x) is d:
                    seen.setdefault(x, (n, i, axis))


def witness(seen: dict, x: Unbacked, builder: build.Builder) -> Node:
    """The tensor that has the size ``x``."""
    n, i, _ = seen[x]
    return builder.getitem(n, i) if isinstance(n.abstract, AbstractTuple) else n


def witnessed(seen: dict, n: Node, builder: build.Builder) -> Node:
    """``n``, an apply of an op, with what tells the sizes in its shape that no operand has."""
    known = {x for a in n.args for x in mentioned(a.abstract)}
    for x in mentioned(n.abstract):
        if x in seen and x not in known:
            known.add(x)
            n = builder.emit(sized_by, (n, witness(seen, x, builder)), n.abstract)
    return n


def number(seen: dict, size: Dim, builder: build.Builder) -> Node:
    """A node for a size that is computed with as a number.

    What the run finds is read from the shape of what has it; a declared size is a constant of the
    program that is made for it.
    """
    if not any(x in seen for x in variables(size)):
        return build.as_node(size)
    with build.building(builder):
        total = None
        for monomial, factor in size.terms.items():
            for atom in monomial:
                v = _atom(seen, atom, builder)
                factor = v if type(factor) is int and factor == 1 else P.mul(v, factor)
            total = factor if total is None else P.add(total, factor)
    return total


def _atom(seen: dict, atom, builder: build.Builder) -> Node:
    if isinstance(atom, Var):
        return (
            build.as_node(of_var(atom))
            if atom not in seen
            else (builder.emit(size_of, (witness(seen, atom, builder), seen[atom][2]), INT))
        )
    op = P.minimum if type(atom) is Least else P.mod if atom.mod else P.floor_divide
    return op(*[number(seen, v, builder) if type(v) is Dim else v for v in (atom.a, atom.b)])

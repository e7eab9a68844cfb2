"""Branches and callees: afterwards a callee that is known is called directly."""

from __future__ import annotations

from ..ir import build, prim, walk
from ..ir.node import Apply, Constant, Graph, Node, is_apply
from .driver import CALL, rule


@rule(prim.switch)
def switch_of_constant(n: Apply):
    """switch(True, f, g) -> f, switch(False, f, g) -> g, switch(c, f, f) -> f."""
    cond, f, g = n.args
    if cond.__class__ is Constant:
        value = cond.value.item() if hasattr(cond.value, "item") else cond.value
        return f if value else g
    same = f is g or walk.graph_of(f) is not None and walk.graph_of(f) is walk.graph_of(g)
    return f if same else None


@rule(CALL)
def call_of_constant(n: Apply):
    """A constant graph as callee -> the graph itself."""
    g = walk.graph_of(n.fn) if isinstance(n.fn, Node) else None
    return None if g is None else build.current().call(g, n.args, n.abstract)


@rule(CALL)
def call_of_partial(n: Apply):
    """partial(f, a)(b) -> f(a, b)."""
    if not is_apply(n.fn, prim.partial):
        return None
    f, *given = n.fn.args
    return build.current().call(walk.graph_of(f) or f, (*given, *n.args), n.abstract)


@rule(prim.partial)
def partial_of_partial(n: Apply):
    """partial(partial(f, a), b) -> partial(f, a, b); partial(f) -> f."""
    f, *given = n.args
    if not given:
        return f
    return (
        build.current().emit(prim.partial, (*f.args, *given), n.abstract)
        if is_apply(f, prim.partial)
        else None
    )


@rule(CALL)
def pop_of_push(n: Apply):
    """What is popped from where it was just pushed (`ir.stack`) -> the stack, and the values."""
    if n.fn.__class__ is not Graph or "pop" not in n.fn.flags:
        return None
    known = is_apply(n.args[0], prim.partial)
    return build.current().make_tuple(n.args[0].args[1:]) if known else None


RULES = (
    switch_of_constant,
    call_of_constant,
    call_of_partial,
    partial_of_partial,
    pop_of_push,
)

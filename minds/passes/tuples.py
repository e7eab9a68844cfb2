"""Tuples: afterwards no element is taken of a tuple whose elements are known."""

from __future__ import annotations

from ..ir import prim
from ..ir.build import as_node
from ..ir.clone import substitute
from ..ir.node import Apply, Constant, is_apply
from .driver import rule


@rule(prim.tuple_getitem)
def getitem_of_make_tuple(n: Apply, rewriter):
    """tuple_getitem(make_tuple(a, b, ...), i) -> the i-th element.

    All elements that are taken are replaced at once: one by one, a tuple that is made of them again
    (the gradients of all weights) would be rebuilt for each.
    """
    t, i = n.args
    if is_apply(t, prim.make_tuple):
        others = [u for u in t.uses if u is not n and u.fn is prim.tuple_getitem]
        for user in substitute({u: t.args[u.args[1].value] for u in others}):
            rewriter.push(user)
        for u in others:
            rewriter.push(u)  # to be dropped
        return t.args[i.value]
    return as_node(t.value[i.value]) if t.__class__ is Constant else None


@rule(prim.make_tuple)
def make_tuple_of_getitems(n: Apply):
    """make_tuple(t[0], t[1], ...) of all elements of t -> t, so that a call in tail position is
    seen as one.
    """
    if not n.args or not is_apply(n.args[0], prim.tuple_getitem):
        return None
    t = n.args[0].args[0]
    if t.abstract is not n.abstract and len(t.abstract.items) != len(n.args):
        return None
    for i, a in enumerate(n.args):
        if not (is_apply(a, prim.tuple_getitem) and a.args[0] is t and a.args[1].value == i):
            return None
    return t


RULES = (getitem_of_make_tuple, make_tuple_of_getitems)

"""How functions hold one another: whether a recursion or a loop wraps one anew each time."""

from __future__ import annotations

from ..ir.abstract import AbstractFunction
from ..ir.node import Node
from ..tensor import Tensor
from .function_types import Closure, RecursiveClosures
from .source import free_names
from .structure import parts
from .value_types import Leaf, Same, is_made


def chain_type(v):
    """The type of a function that is a value of the run, or its place; None for others."""
    a = v.abstract if isinstance(v, (Node, Leaf)) else None
    return a if isinstance(a, AbstractFunction) and isinstance(a.key, RecursiveClosures) else None


def grown(v, ends, chains: bool = False) -> dict:
    """How many functions of a `def` hold one another in ``v``, for the defs of which more than one
    do. They are seen through calls as far as ``ends(call)`` says no, and with ``chains`` through
    functions of the run. Where ``v`` is such a function, only those defs whose functions hold one
    like it.
    """
    held: dict = {}
    _hold(v, ends, chains, held)
    deep: dict = {}
    counts = {tree: n for tree, n in _deepest(id(v), held, deep).items() if n > 1}
    own = [tree for tree in _first_trees(id(v), held, set()) if tree in counts]
    if not own:
        return counts
    holding = {held[key][0] for key, under in deep.items() if any(t in under for t in own)}
    return {tree: n for tree, n in counts.items() if tree in holding}


def _hold(v, ends, chains: bool, held: dict) -> None:
    """Find what ``v`` holds: identity → (the `def` of a function, or the class of an object that is
    called, the values that it holds).
    """
    kind = chain_type(v) if chains else None
    if id(v) in held or kind is None and isinstance(v, (Node, Tensor)):
        return
    tree = None
    if kind is not None:
        values = [kind.key]
    elif isinstance(v, RecursiveClosures):
        values = [m.skeleton for m in v.members]
    elif isinstance(v, Closure):
        tree, values, scope = v.source.tree, [*v.defaults, *v.kw_defaults], v.frame
        while scope is not None and not ends(scope):
            values += [scope.vars[n] for n in free_names(tree) if n in scope.vars]
            scope = scope.outer
    elif isinstance(v, Same):
        values = [v.value]
    else:
        p, tree = parts(v), type(v) if is_made(v) and callable(v) else None
        values = [] if p is None else p.items
    held[id(v)] = (tree, values)
    for e in values:
        _hold(e, ends, chains, held)


def _deepest(key: int, held: dict, deep: dict) -> dict:
    """`def` → how many of its functions hold one another in a value, itself included."""
    if key not in deep and key in held:
        tree, values = held[key]
        found = deep[key] = {}
        for e in values:
            for t, n in _deepest(id(e), held, deep).items():
                found[t] = max(n, found.get(t, 0))
        if tree is not None:
            found[tree] = found.get(tree, 0) + 1
    return deep.get(key, {})


def _first_trees(key: int, held: dict, seen: set) -> set:
    """The defs of the functions that a value is, or chooses among."""
    if key in seen or key not in held:
        return set()
    seen.add(key)
    tree, values = held[key]
    if tree is not None:
        return {tree}
    return set().union(*[_first_trees(id(e), held, seen) for e in values])

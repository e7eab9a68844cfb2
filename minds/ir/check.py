"""The verifier: what must hold of a program between any two steps. One sweep; raises
`AssertionError`, since a violation is our bug.

Always: list links, use and caller counts, definition before use in program order, types of
structural applies, arity and operand types of calls. ``closed=True`` (after ``close``): no free
variables. ``j=False`` (after ``j``): no J is left.
"""

from __future__ import annotations

from . import prim, walk
from .abstract import (
    AbstractFunction,
    AbstractNone,
    AbstractRef,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
)
from .node import Apply, Constant, Graph, Node
from .sizes import alike


def compatible(a, b) -> bool:
    """Whether a value of abstract ``a`` may stand where ``b`` is expected: equal, function types
    being nominal, but for whether they are constant, and so are the sizes that the run finds.
    """
    stack = [(a, b)]
    while stack:
        a, b = stack.pop()
        if a is b or alike(a, b):
            continue
        if (
            isinstance(a, AbstractTuple)
            and isinstance(b, AbstractTuple)
            and len(a.items) == len(b.items)
        ):
            stack += zip(a.items, b.items)
        elif not (
            isinstance(a, AbstractFunction)
            and isinstance(b, AbstractFunction)
            and a.constant is b.constant
        ):
            return False
    return True


def check(root: Graph, closed: bool = False, j: bool = True) -> Graph:
    """Verify ``root`` and everything reachable from it. Returns ``root``.

    Raises:
        AssertionError: an invariant does not hold; the message names the graph and the node.
    """
    calls = walk.call_map(root)
    uses: dict[Node, dict] = {}
    callers: dict[Graph, dict] = {}
    position: dict[Node, int] = {}
    for g in calls:
        _check_list(g, position)
    for g in calls:
        for n in [*g, g.ret]:
            _check_node(g, n, calls, position, closed, j)
            for a in n.operands:
                if a.__class__ is not Constant:
                    counts = uses.setdefault(a, {})
                    counts[n] = counts.get(n, 0) + 1
            for h in walk.referred(n):
                counts = callers.setdefault(h, {})
                counts[n] = counts.get(n, 0) + 1
    inside = {n for g in calls for n in (*g, g.ret)}
    for g in calls:
        for n in (*g.params, *g):
            _check_counts(f"{g!r}: uses of {n!r}", n.uses, uses.get(n, {}), inside)
        _check_counts(f"callers of {g!r}", g.callers, callers.get(g, {}), inside)
    free = walk.free_variables(root, calls)[root]
    assert not free, f"{root!r}: the root has free variables {list(free)}"
    return root


def _check_counts(what: str, kept: dict, found: dict, inside: set) -> None:
    """Counts must agree; users outside of the program may exist (a graph that another step still
    holds).
    """
    kept = {n: c for n, c in kept.items() if n in inside}
    assert kept == found, f"{what}: kept {kept}, found {found}"


def _check_list(g: Graph, position: dict) -> None:
    assert g.ret is not None, f"{g!r}: has no result"
    assert g.ret.fn is prim.return_ and len(g.ret.args) == 1 and g.ret.graph is g, (
        f"{g!r}: bad return"
    )
    for p in g.params:
        assert p.graph is g, f"{g!r}: parameter {p!r} belongs to {p.graph!r}"
        position[p] = -1
    assert len({id(p) for p in g.params}) == len(g.params), f"{g!r}: a parameter occurs twice"
    before, n, i = None, g.head, 0
    while n is not None:
        assert n.graph is g, f"{g!r}: {n!r} in the list belongs to {n.graph!r}"
        assert n.prev is before, f"{g!r}: broken links at {n!r}"
        position[n] = i
        before, n, i = n, n.next, i + 1
    assert g.tail is before, f"{g!r}: wrong tail"
    position[g.ret] = i


def _check_node(g: Graph, n: Apply, calls: dict, position: dict, closed: bool, j: bool) -> None:
    where = f"{g!r}: {n!r}"
    for a in n.operands:
        assert isinstance(a, Node), f"{where}: operand {a!r} is no node"
        if a.__class__ is Constant:
            continue
        assert a in position, f"{where}: {a!r} is in no reachable graph"
        if a.graph is g:
            assert position[a] < position[n], f"{where}: uses {a!r} before its definition"
        else:
            assert not closed, f"{where}: {a!r} of {a.graph!r} is a free variable"
            assert a.graph in calls, (
                f"{where}: {a!r} belongs to {a.graph!r}, which is not reachable"
            )
    assert n.abstract is not None, f"{where}: has no abstract value"
    if n.fn.__class__ is Graph or isinstance(n.fn, Node):
        _check_call(where, n)
    elif n.fn.__class__ is prim.Structural:
        assert j or n.fn is not prim.J, f"{where}: J is left"
        _STRUCTURAL[n.fn](where, n)
    else:
        assert not any(walk.graph_of(a) for a in n.args), f"{where}: an op takes a graph"


def _check_call(where: str, n: Apply) -> None:
    params = known_params(n.fn)
    if params is not None:
        assert len(params) == len(n.args), (
            f"{where}: {len(n.args)} arguments for {len(params)} parameters {params}"
        )
        for i, (a, p) in enumerate(zip(n.args, params)):
            assert compatible(a.abstract, p), (
                f"{where}: argument {i} is {a.abstract!r}, the parameter is {p!r}"
            )
    for h in walk.targets(n.fn) or ():
        if h.ret is not None:
            assert compatible(h.ret.abstract, n.abstract), (
                f"{where}: {h!r} returns {h.ret.abstract!r}"
            )
    if isinstance(n.fn, Node):
        assert isinstance(n.fn.abstract, AbstractFunction) or walk.graph_of(n.fn), (
            f"{where}: calls a {n.fn.abstract!r}"
        )


def known_params(fn) -> list | None:
    """The abstract values that a callee takes, where that can be seen: through switch, partial and
    constants.
    """
    given = 0
    while True:
        if fn.__class__ is Constant:
            fn = fn.value
        if fn.__class__ is Graph:
            return [p.abstract for p in fn.params][given:]
        if fn.__class__ is Apply and fn.fn is prim.switch:
            fn = fn.args[1]
        elif fn.__class__ is Apply and fn.fn is prim.partial:
            given += len(fn.args) - 1
            fn = fn.args[0]
        else:
            return None


def _function(where: str, a: Node) -> None:
    assert isinstance(a.abstract, AbstractFunction) or walk.graph_of(a), (
        f"{where}: {a!r} is no function"
    )


def _check_return(where: str, n: Apply) -> None:
    assert compatible(n.args[0].abstract, n.abstract), f"{where}: returns {n.args[0].abstract!r}"


def _check_make_tuple(where: str, n: Apply) -> None:
    assert isinstance(n.abstract, AbstractTuple) and len(n.abstract.items) == len(n.args), (
        f"{where}: bad tuple type"
    )
    for a, t in zip(n.args, n.abstract.items):
        assert compatible(a.abstract, t), f"{where}: element {a!r} is {a.abstract!r}"


def _check_getitem(where: str, n: Apply) -> None:
    t, i = n.args
    assert isinstance(t.abstract, AbstractTuple), f"{where}: {t!r} is {t.abstract!r}"
    assert (
        i.__class__ is Constant and type(i.value) is int and 0 <= i.value < len(t.abstract.items)
    ), f"{where}: index {i!r} of {t.abstract!r}"
    assert compatible(t.abstract.items[i.value], n.abstract), (
        f"{where}: item is {t.abstract.items[i.value]!r}"
    )


def _check_switch(where: str, n: Apply) -> None:
    cond, f, h = n.args
    c = cond.abstract
    assert isinstance(c, (AbstractScalar, AbstractTensor)) and c.size == 1 and c.dtype.is_bool, (
        f"{where}: the condition is {c!r}"
    )
    _function(where, f)
    _function(where, h)
    a, b = known_params(f), known_params(h)
    if a is not None and b is not None:
        assert len(a) == len(b) and all(map(compatible, a, b)), (
            f"{where}: branches take {a} and {b}"
        )
    f, h = walk.graph_of(f), walk.graph_of(h)
    if f and h and f.ret is not None and h.ret is not None:
        assert compatible(f.ret.abstract, h.ret.abstract), (
            f"{where}: branches return {f.ret.abstract!r} and {h.ret.abstract!r}"
        )


def _check_partial(where: str, n: Apply) -> None:
    f, *given = n.args
    _function(where, f)
    params = known_params(f)
    if params is not None:
        assert len(given) <= len(params), f"{where}: {len(given)} arguments for {params}"
        for a, p in zip(given, params):
            assert compatible(a.abstract, p), (
                f"{where}: {a!r} is {a.abstract!r}, the parameter is {p!r}"
            )


def _check_j(where: str, n: Apply) -> None:
    _function(where, n.args[0])


def _check_load(where: str, n: Apply) -> None:
    p = n.args[0].abstract
    assert isinstance(p, AbstractRef) and n.abstract is p.value, f"{where}: of {p!r}"


def _check_assign(where: str, n: Apply) -> None:
    p, v = n.args
    assert isinstance(p.abstract, AbstractRef), f"{where}: to {p.abstract!r}"
    assert (
        v.abstract is p.abstract.value
        or isinstance(v.abstract, AbstractNone)
        or (
            isinstance(v.abstract, AbstractScalar)
            and v.abstract.dtype is p.abstract.dtype
            and p.abstract.shape == ()
        )
    ), f"{where}: {v.abstract!r} to {p.abstract!r}"


_STRUCTURAL = {
    prim.return_: _check_return,
    prim.make_tuple: _check_make_tuple,
    prim.tuple_getitem: _check_getitem,
    prim.switch: _check_switch,
    prim.partial: _check_partial,
    prim.J: _check_j,
    prim.vmap: _check_j,
    prim.load: _check_load,
    prim.assign: _check_assign,
}

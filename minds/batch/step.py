"""The step ``vmap``: replaces each ``vmap(g, n, shared)`` by the batched form of ``g``, innermost
first.

As the frontend emits it: ``out = vmap(g, n, shared)(args)``, where every argument has the n
examples along dimension 0. ``g`` takes one example of each and returns a tuple of tensors; ``out``
is the tuple of its results with the examples along dimension 0, but one whose entry in ``shared``
is set is that of one example, the same for all. vmap(partial(g, captured...)) leaves the captured
ones as they are.

What ``g`` differentiates is differentiated first where that leaves no function values, so that what
is the same for all examples stays so; else J of the batched graph gives each example its gradient,
since no example sees another. What cannot be batched at all is called row by row (`rows`). The
program must be closed, and stays so.
"""

from __future__ import annotations

from ..ad import j as ad_j
from ..base.errors import complain
from ..ir import prim, walk
from ..ir.build import Builder, building
from ..ir.clone import copy_program
from ..ir.node import Apply, Graph, replace
from ..ops.define import P
from . import rows
from .body import batched
from .mask import Unbatchable, coerced, full_mask, has_function
from .plan import Plan


def make_step(simplify, close):
    """The step ``vmap`` of a step list, with the passes between its rounds."""
    j = ad_j.make_step(simplify, close)

    def vmap(graph: Graph, options=None) -> Graph:
        while True:
            sites = _ready(graph)
            if not sites:
                return graph
            before = walk.graphs(graph)
            for n in sites:
                for t in list(n.uses):
                    _expand(t, n, lambda g: close(j(g, options), options))
                n.graph.remove(n)
            graph = close(simplify(graph, options), options)
            walk.bury_unreachable(before, graph)

    return vmap


def _ready(root: Graph) -> list[Apply]:
    """The sites whose function contains none; where each contains another, the first."""
    calls = walk.call_map(root)
    sites = [n for g in calls for n in g if n.fn is prim.vmap]
    outer = walk.reaching(prim.vmap, calls) if sites else ()
    return [n for n in sites if walk.applied(n.args[0])[0] not in outer] or sites[:1]


def _expand(t: Apply, site: Apply, differentiated) -> None:
    """Replace the call ``t`` of a site."""
    g, given = walk.applied(site.args[0])
    n, shared = site.args[1].value, site.args[2].value
    masks = [False] * len(given) + [True] * len(t.args)
    b = Builder(t.graph, t, t.loc)
    args = [*given, *t.args]
    try:
        have, made = _batched(g, n, masks, differentiated)
    except Unbatchable:
        have = full_mask(g.ret.abstract, True)
        found = rows.loop(b, g, args, masks, n)
    else:
        _refuse_shared(t, have, shared)
        found = b.emit(made, args, made.ret.abstract)
    types = g.ret.abstract.items
    results = []
    for i, (a, m, single) in enumerate(zip(types, have, shared)):
        x = b.getitem(found, i)
        if not single:
            x = coerced(b, x, a, m, full_mask(a, True), n)
        elif m:
            with building(b):
                first = P.strided_slice(
                    x, (0,) * len(x.shape), (1, *x.shape[1:]), (1,) * len(x.shape)
                )
                x = P.reshape(first, x.shape[1:])
        results.append(x)
    replace(t, b.make_tuple(results))
    t.graph.remove(t)


def _refuse_shared(t: Apply, have, shared) -> None:
    """Raise if a result that is to be given once depends on the example."""
    for i, (m, single) in enumerate(zip(have, shared)):
        if m and single:
            raise complain(
                ValueError,
                f"vmap: out_axes is None for result {i}, which depends on the example",
                loc=t.loc,
                expected="an axis",
                cure="None is for results that are the same for all examples",
            )


def _batched(g: Graph, n: int, masks: list, differentiated) -> tuple:
    """(the mask of the result, the batched copy of ``g``)."""
    if ad_j.pending(g):
        first = differentiated(copy_program(g))
        if not any(map(_passes_functions, walk.graphs(first))):
            g = first
    plan = Plan(g, n, masks)
    made = batched(plan)
    return plan.out[g], made


def _passes_functions(g: Graph) -> bool:
    """Whether functions are values in ``g``: taken, returned, or chosen and not called at once."""
    if any(has_function(p.abstract) for p in g.params) or has_function(g.ret.abstract):
        return True
    return any(
        n.fn is prim.partial or has_function(n.abstract) and n.fn is not prim.switch for n in g
    )

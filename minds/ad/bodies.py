"""Fills the ▶ and ◀ of an adjoint, graph by graph of its region."""

from __future__ import annotations

from ..ir.build import Builder, building
from ..ir.node import Constant, Graph, Node
from .adjoint import Adjoint
from .cotangents import NEUTRAL, cotangent_abstract, named, type_at
from .expansion import Expansion
from .primal import AugmentedPrimal
from .reverse import Backpropagator


def fill(expansion: Expansion, adjoint: Adjoint) -> None:
    """Make what ``adjoint`` promises."""
    g, forward = adjoint.graph, adjoint.forward
    end = Graph("◀" + g.name, g.loc)
    found = [end.add_param("found", t) for _, _, t in adjoint.carried(g)]
    adjoint.convention.take(end, [p.abstract for p in forward.params])
    end.output = Builder(end).make_tuple(found)
    then = Constant(end, adjoint.continuation(g))
    for m, front in adjoint.fronts.items():
        _fill_member(expansion, adjoint, m, then if front is forward else front.params[-1])
    if adjoint.region.returns:
        b = Builder(forward, loc=g.loc)
        args = [*forward.params, then]
        forward.output = b.emit(adjoint.fronts[g], args, adjoint.convention.result)


def _fill_member(expansion: Expansion, adjoint: Adjoint, m: Graph, then: Node) -> None:
    """Make ▶m, and the ◀m that ends with a call of ``then``."""
    region, convention = adjoint.region, adjoint.convention
    front, rear, tail = adjoint.fronts[m], Graph("◀" + m.name, m.loc), region.tails[m]
    primal = AugmentedPrimal(expansion, m, front)
    back = Backpropagator(primal, rear)
    douts, sums, incoming, kind = {}, [], [], convention.type
    constant = {p: region.constant[p] for p in m.params if p in region.constant}
    first = {i: p for p, i in reversed(constant.items())}
    if tail is None:
        for path, t in convention.taken():
            douts[path] = rear.add_param("dout", named(t, m.output, path))
        for i, path, t in convention.summed():
            sums.append((i, path, rear.add_param("sum", named(t, first[i], path))))
    else:
        call, (h, *_) = tail
        kind, at = adjoint.continuation(h), {p: i for i, p in enumerate(h.params)}
        for p, path, _ in adjoint.carried(h):
            a = call.args[at[p]]
            t = cotangent_abstract(type_at(a.abstract, path))
            incoming.append((a, path, rear.add_param("dout", t)))
    types = [
        primal.dual.get(first.get(i), p).abstract for i, p in enumerate(adjoint.forward.params)
    ]
    given = convention.take(rear, types)
    back.given = {primal.dual[p]: given[i] for p, i in constant.items()}
    with building(back.builder) as b:
        for i, path, d in sums:
            back.add(first[i], path, d)
        for place in incoming:
            back.add(*place)
        out = back.fill(douts, tail and tail[0], adjoint.again)
        number = NEUTRAL if len(region.tails) > 1 else 0.0
        found = [
            back.result(p, path, t, number if p in constant else 0.0)
            for p, path, t in adjoint.carried(m)
        ]
        handed = [given.get(i) for i in range(len(adjoint.graph.params))]
        rear.output = convention.call(b, then, found, handed)
    b, backward = primal.builder, Constant(rear, kind)
    if tail is None:
        front.output = b.make_tuple((out, backward))
    else:
        b.loc = call.loc
        callee = primal.chosen(call, [adjoint.fronts[h] for h in tail[1]])
        args = [*map(primal.value, call.args), backward]
        front.output = b.emit(callee, args, convention.result)

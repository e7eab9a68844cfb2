"""The step ``j``: expands J(g), innermost first, into ▶g and ◀g. Programs are closed before it; it
makes closures, so close again.

At the surface, as the frontend emits it: ``t = J(g)(args)``, ``out, back = t``, ``grads =
back(dout)``: a tuple of one cotangent per argument, None for arguments without one. J(partial(g,
captured...)) leaves the captured ones out. An element of ``dout`` may be None: then nothing flows
from that result.

Inside there are ▶ and ◀ of leaves (`cotangents.leaves`), as `adjoint` says. ◀g returns the cotangents
of the active params (`activity`). A call site adds them to the sums it has, or passes these, and ◀g adds
to them: then a branch not taken costs nothing, nor does a recursion that reads rows of a table add up
tables. A graph with one call site takes those sums and the parts of ``dout`` that are there; any other
graph (recursive, called twice, a value) all of ``dout`` and all sums.

A function value f in ▶ is the triple (▶f, zero, add) of `functions`. A graph with
``flags["bprop"]`` = b is called as it is, and ◀ calls b(*params, out, dout). ``load`` is a constant.
"""

from __future__ import annotations

from ..base.errors import complain
from ..ir import prim, walk
from ..ir.abstract import NONE, is_continuation
from ..ir.build import Builder, building, calling
from ..ir.node import Apply, Constant, Graph, Node, replace
from ..ops.decompose import decompose_all
from ..ops.define import Op
from .activity import Activity
from .bodies import fill
from .cotangents import NEUTRAL, at_path, cotangent_abstract, has_function, zero, zeros
from .expansion import Expansion
from .functions import dual_of_graph


def pending(root: Graph) -> bool:
    """Whether the program still contains J."""
    return any(map(_has_j, walk.graphs(root)))


def _has_j(g: Graph) -> bool:
    return any(n.fn is prim.J for n in g)


def expand(root: Graph, options=None) -> Graph:
    """Expand those J whose function contains no J. The program must be closed; afterwards it is
    not.

    Raises:
        TypeError: a differentiable path leads through an op without gradient, or through a function
            known only at run time.
    """
    calls = walk.call_map(root)
    applies = [n for g in calls for n in g if n.fn is prim.J]
    outer = walk.reaching(prim.J, calls)
    for n in applies:
        if walk.applied(n.args[0])[0] is None:
            raise complain(
                TypeError,
                "grad: the function is known only at run time",
                loc=n.loc,
                cure="differentiate each of the functions it may be",
            )
    ready = [n for n in applies if walk.applied(n.args[0])[0] not in outer]
    if applies and not ready:
        raise complain(
            TypeError,
            "grad: a function differentiates itself while it runs",
            loc=applies[0].loc,
            cure="take the gradient outside of the recursion",
        )
    sites = [JSite(n, t) for n in ready for t in list(n.uses)]
    _separate(sites)
    reached = list(dict.fromkeys(h for s in sites for h in walk.graphs(s.graph)))
    _decompose_without_rule(reached)
    values = [h for s in sites for h in map(walk.graph_of, s.args) if h is not None]
    activity = Activity([(s.graph, s.wanted) for s in sites], values, reached)
    expansion = Expansion(activity, [s.graph for s in sites])
    for s in sites:
        _replace_site(expansion, s)
    for n in ready:
        n.graph.remove(n)
    while expansion.work:
        fill(expansion, expansion.work.popleft())
    return root


def _separate(sites: list[JSite]) -> None:
    """Let each graph be differentiated at one site: at others it is called by another graph."""
    seen: set[Graph] = set()
    for s in sites:
        if s.graph in seen:
            s.graph = calling(s.graph)
        seen.add(s.graph)


def _decompose_without_rule(graphs: list[Graph]) -> None:
    """Ops that have a decomposition and no gradient rule are differentiated as what they are made of."""
    for g in graphs:
        for n in list(g):
            if _is_decomposed(n):
                decompose_all(n, _is_decomposed)


def _is_decomposed(n: Apply) -> bool:
    op = n.fn
    return isinstance(op, Op) and not (op.bprop_rule or op.nondiff) and bool(op.decompose_rule)


def make_step(simplify, close):
    """The step ``j`` of a step list: rounds of `expand`, with the given passes between them, until
    no J is left.
    """

    def j(graph: Graph, options=None) -> Graph:
        found = walk.graphs(graph)
        while any(map(_has_j, found)):
            graph = simplify(expand(graph, options), options)
            if any(_continues(n) for g in walk.graphs(graph) for n in g):
                graph = simplify(close(graph, options), options)
            found = walk.bury_unreachable(found, graph)
            if any(map(_has_j, found)):
                graph = close(graph, options)
        for g in found:
            g.flags.pop("pop", None)
        return graph

    return j


def _continues(n: Apply) -> bool:
    """Whether ``n`` calls a continuation, of which `close` is to make data."""
    return isinstance(n.fn, Node) and is_continuation(n.fn.abstract)


# ---- the surface


class JSite:
    """A place ``t = J(partial(graph, captured...))(given...)``.

    Attributes:
        args: captured and given; ``first`` is the index of the first that is given.
        wanted: the params of ``graph`` whose gradients are looked at.
        dout_type: the type of the cotangents that are passed; NONE in place of an absent one.
    """

    def __init__(self, site: Apply, t: Apply):
        if t.fn is not site:
            raise complain(
                TypeError,
                "grad: the gradient function is used as a value",
                loc=t.loc,
                cure="call it at once",
            )
        self.t = t
        self.graph, captured = walk.applied(site.args[0])
        self.first, self.args = len(captured), (*captured, *t.args)
        if has_function(self.graph.ret.abstract):
            raise complain(TypeError, "grad: the function returns a function", loc=t.loc)
        backs = [u for u in t.uses if u.fn is prim.tuple_getitem and u.args[1].value == 1]
        calls = [u for back in backs for u in back.uses if u.fn is back]
        items = [u for c in calls for u in c.uses]
        known = len(calls) == sum(len(back.uses) for back in backs)
        known = known and all(u.fn is prim.tuple_getitem for u in (*t.uses, *items))
        wanted = {u.args[1].value for u in items} if known else range(len(t.args))
        self.wanted = {self.first + i for i in wanted}
        types = {c.args[0].abstract for c in calls}
        default = cotangent_abstract(self.graph.ret.abstract)
        self.dout_type = types.pop() if len(types) == 1 else default

    def has_dout(self, path: tuple) -> bool:
        """Whether the cotangent of a leaf of the result is passed."""
        a = self.dout_type
        for i in path:
            if a is NONE:
                return False
            a = a.items[i]
        return a is not NONE


def _replace_site(expansion: Expansion, site: JSite) -> None:
    """Replace ``t = J(g)(args)`` by (out, S), where S(dout) calls ◀g and regroups its leaves."""
    adjoint, t = expansion.adjoint(site.graph), site.t
    convention = adjoint.convention
    dout = [site.has_dout(path) for path, _ in convention.out]
    convention.fix(dout, [False] * len(convention.places))
    b = Builder(t.graph, t, t.loc)
    with building(b):
        args = [_dual_of_operand(expansion, a, t) for a in site.args]
        call = b.emit(adjoint.forward, args, convention.result)
        surface = _surface(convention, args, b.getitem(call, 1), site)
        replace(t, b.make_tuple((b.getitem(call, 0), Constant(surface, t.abstract.items[1]))))
    t.graph.remove(t)


def _surface(convention, args: list, back: Node, site: JSite) -> Graph:
    """S(dout) -> the tuple of one cotangent per given argument."""
    t, given = site.t, site.graph.params[site.first :]
    s = Graph("◀" + site.graph.name, t.loc)
    dout = s.add_param("dout", site.dout_type, t.loc)
    b = Builder(s, loc=t.loc.as_backward() if t.loc else None)
    with building(b):
        inputs = [
            at_path(b, dout, path) if site.has_dout(path) else zeros(kind)
            for path, kind in convention.taken()
        ]
        sums = [zero(b, args[i], path, kind, NEUTRAL) for i, path, kind in convention.summed()]
        result = convention.call(b, back, [*inputs, *sums], args)
        wanted = [(i, path) for i, path, _ in convention.returned()]
        if wanted == [(site.first + i, ()) for i in range(len(given))]:
            s.output = result
            return s
        found = {place: b.getitem(result, k) for k, place in enumerate(wanted)}
        numbered = enumerate(given, site.first)
        s.output = b.make_tuple(
            [_cotangent(b, p, found.get((i, ())), args[i]) for i, p in numbered]
        )
    return s


def _cotangent(b: Builder, p: Node, found: Node | None, dual: Node) -> Node:
    """The cotangent of a given argument, from that of its only leaf."""
    kind = cotangent_abstract(p.abstract)
    if kind is NONE:
        return Constant(None, NONE)
    return zero(b, dual, (), kind) if found is None else found


def _dual_of_operand(expansion: Expansion, a: Node, user: Apply) -> Node:
    """What stands in ▶ for an operand of the surrounding, not differentiated, program."""
    if walk.graph_of(a) is not None:
        return dual_of_graph(expansion, a)
    if has_function(a.abstract, expansion.activity.keep_functions):
        raise complain(
            TypeError,
            "grad: a function known only at run time enters a function that is differentiated",
            loc=user.loc,
            cure="differentiate each of the functions it may be",
        )
    return a

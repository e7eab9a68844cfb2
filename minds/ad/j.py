"""The step ``j``: expands J(g), innermost first, into ▶g and ◀g. Programs are closed before it; it
makes closures, so close again.

At the surface, as the frontend emits it: ``t = J(g)(args)``, ``out, back = t``, ``grads =
back(dout)``: a tuple of one cotangent per argument, None for arguments without one. J(partial(g,
captured...)) leaves the captured ones out.

Inside, with the leaves of `zeros.leaves`:
    ▶g(params) -> (out, ◀g)
    ◀g(dout leaves..., accumulators...) -> new accumulators
An accumulator is the caller's partial sum for a differentiable leaf of a param: ◀g adds its
contributions to it one by one in reverse program order, so that sums associate as they do on the
eager tape. The results are the
new sums. A graph with one call site is specialised to it (`Shape`): only leaves that are present
there are parameters, only those that are wanted are results. Any other graph (recursive, called
twice, a value) has what any of its sites may need (`Activity`); a site that has no sum yet passes
`zeros.neutral`. The two graphs of a switch agree.

At the surface an element of ``dout`` may be None: then nothing flows from that result.

A function value f in ▶ is the triple (▶f, zero, add) of `zeros.dual_abstract`; its ◀ has f's own
accumulator before those of the arguments. A graph with ``flags["bprop"]`` = b is called as it is,
and ◀ calls b(*params, out, dout). ``load`` is a constant.
"""

from __future__ import annotations

from ..base.errors import complain
from ..ir import prim, walk
from ..ir.abstract import NONE, AbstractTuple
from ..ir.build import Builder, building
from ..ir.node import Apply, Constant, Graph, Node, is_apply, replace
from .activity import Activity
from .body import expand_graph
from .functions import dual_of_graph
from .pairs import Pair, Shape, Transform, at_path, start
from .zeros import cotangent_abstract, has_function, leaves, zeros


def pending(root: Graph) -> bool:
    """Whether the program still contains J."""
    return any(n.fn is prim.J for g in walk.graphs(root) for n in g)


def expand(root: Graph, options=None) -> Graph:
    """Expand those J whose function contains no J. The program must be closed; afterwards it is
    not.

    Raises:
        TypeError: a differentiable path leads through an op without gradient, or through a function
            known only at run time.
    """
    calls = walk.call_map(root)
    sites = [n for g in calls for n in g if n.fn is prim.J]
    inner = _graphs_with_j(calls)
    ready = [n for n in sites if _function_of(n) not in inner]
    if sites and not ready:
        raise complain(
            TypeError,
            "grad: a function differentiates itself while it runs",
            loc=sites[0].loc,
            cure="take the gradient outside of the recursion",
        )
    places = [_Site(n, t) for n in ready for t in list(n.uses)]
    sites = [(p.graph, p.wanted) for p in places]
    sites += [
        (h, set(range(len(h.params))))
        for p in places
        for h in map(walk.graph_of, p.args)
        if h is not None
    ]
    transform = Transform(root, calls, Activity(sites))
    for p in places:
        _surface(transform, p)
    for n in ready:
        n.graph.remove(n)
    while transform.work:
        expand_graph(transform, transform.work.popleft())
    return root


def make_step(simplify, close):
    """The step ``j`` of a step list: rounds of `expand`, with the given passes between them, until
    no J is left.
    """

    def j(graph: Graph, options=None) -> Graph:
        while pending(graph):
            before = walk.graphs(graph)
            graph = simplify(expand(graph, options), options)
            walk.bury_unreachable(before, graph)
            if pending(graph):
                graph = close(graph, options)
        return graph

    return j


def _graphs_with_j(calls: dict) -> set[Graph]:
    """The graphs from which a J can be reached."""
    mentioned_by: dict[Graph, list] = {}
    for g, below in calls.items():
        for h in below:
            mentioned_by.setdefault(h, []).append(g)
    found = {g for g in calls if any(n.fn is prim.J for n in g)}
    stack = list(found)
    while stack:
        for g in mentioned_by.get(stack.pop(), ()):
            if g not in found:
                found.add(g)
                stack.append(g)
    return found


def _function_of(n: Apply) -> Graph:
    """The graph that the J apply ``n`` differentiates."""
    f = n.args[0]
    while is_apply(f, prim.partial):
        f = f.args[0]
    g = walk.graph_of(f)
    if g is None:
        raise complain(
            TypeError,
            "grad: the function is known only at run time",
            loc=n.loc,
            cure="differentiate each of the functions it may be",
        )
    return g


def _captured(f: Node) -> list[Node]:
    given: list[Node] = []
    while is_apply(f, prim.partial):
        given[:0] = f.args[1:]
        f = f.args[0]
    return given


# ---- the surface


class _Site:
    """A place ``t = J(partial(graph, given...))(args)``, and the params of ``graph`` whose
    gradients are looked at.
    """

    def __init__(self, site: Apply, t: Apply):
        if t.fn is not site:
            raise complain(
                TypeError,
                "grad: the gradient function is used as a value",
                loc=t.loc,
                cure="call it at once",
            )
        self.graph, self.t = _function_of(site), t
        given = _captured(site.args[0])
        self.first, self.args = len(given), (*given, *t.args)
        if has_function(self.graph.ret.abstract):
            raise complain(TypeError, "grad: the function returns a function", loc=t.loc)
        wanted = _wanted(t)
        self.wanted = {
            i
            for i in range(self.first, len(self.args))
            if wanted is None or i - self.first in wanted
        }


def _surface(transform: Transform, place: _Site) -> None:
    """Replace ``t = J(g)(args)`` by (out, S), where S(dout) calls ◀g and regroups its leaves."""
    pair, t = transform.pair(place.graph), place.t
    dout_type = _dout_type(t, cotangent_abstract(place.graph.ret.abstract))
    if pair.shape is None:
        cared = [i in place.wanted for i in pair.owners]
        pair.shape = Shape(
            [_present(dout_type, path) for path, _ in pair.out], [False] * len(cared), cared
        )
    builder = Builder(t.graph, t, t.loc)
    with building(builder):
        args = [dual_of_constant(transform, a, t) for a in place.args]
        call = builder.emit(pair.forward, args, pair.result)
        out, back = builder.getitem(call, 0), builder.getitem(call, 1)
        adapter = _adapter(pair, args, back, place, dout_type)
        replace(t, builder.make_tuple((out, Constant(adapter, t.abstract.items[1]))))
    t.graph.remove(t)


def _wanted(t: Apply) -> set[int] | None:
    """The arguments whose gradients are looked at; None: all, for all that can be told."""
    found: set[int] = set()
    for back in t.uses:
        if back.fn is not prim.tuple_getitem:
            return None
        if back.args[1].value == 0:
            continue
        for grads in back.uses:
            if grads.fn is not back:
                return None
            for item in grads.uses:
                if item.fn is not prim.tuple_getitem:
                    return None
                found.add(item.args[1].value)
    return found


def _dout_type(t: Apply, default):
    """The type of the cotangents that are passed; an element that is None instead of a cotangent is
    absent.
    """
    found = {
        call.args[0].abstract
        for back in t.uses
        if back.fn is prim.tuple_getitem and back.args[1].value == 1
        for call in back.uses
        if call.fn is back and len(call.args) == 1
    }
    return found.pop() if len(found) == 1 else default


def _present(a, path: tuple) -> bool:
    """Whether a cotangent of type ``a`` has a leaf at ``path``."""
    for i in path:
        if a is NONE:
            return False
        a = a.items[i]
    return a is not NONE


def _adapter(pair: Pair, args: list, back: Node, place: _Site, dout_type) -> Graph:
    """S(dout) -> the tuple of one cotangent per argument after those that are captured."""
    g, t, first = pair.graph, place.t, place.first
    s = Graph("◀" + g.name, t.loc)
    dout = s.add_param("dout", dout_type, t.loc)
    b = Builder(s, loc=t.loc.as_backward() if t.loc else None)
    with building(b):
        inputs = [
            at_path(b, dout, path) if _present(dout_type, path) else zeros(kind)
            for present, (path, kind) in zip(pair.shape.dout, pair.out)
            if present
        ]
        owners = [
            (i, path, kind) for i, p in enumerate(g.params) for path, kind in leaves(p.abstract)
        ]
        for present, (i, path, kind) in zip(pair.shape.acc, owners):
            if present:
                inputs.append(start(b, args[i], path, kind))
        kinds = [kind for want, (_, kind) in zip(pair.shape.want, pair.params) if want]
        result = b.emit(back, inputs, AbstractTuple(kinds))
        places = [(i, path) for want, (i, path, _) in zip(pair.shape.want, owners) if want]
        if places == [(i, ()) for i in range(first, len(g.params))]:
            s.output = result
            return s
        sums = {place: k for k, place in enumerate(places)}

        def leaf(i: int, path: tuple, kind) -> Node:
            if i in place.wanted:
                return b.getitem(result, sums[i, path])
            return start(b, args[i], path, kind, zeros)

        s.output = b.make_tuple(
            [_regroup(b, p.abstract, (i,), leaf) for i, p in enumerate(g.params) if i >= first]
        )
    return s


def _regroup(b: Builder, a, place: tuple, leaf) -> Node:
    """A cotangent of type ``cotangent_abstract(a)`` from its leaves; ``place`` is the param's index
    and the path in it.
    """
    kind = cotangent_abstract(a)
    if kind is NONE:
        return Constant(None, NONE)
    if isinstance(a, AbstractTuple):
        return b.make_tuple(
            [_regroup(b, item, (*place, i), leaf) for i, item in enumerate(a.items)]
        )
    return leaf(place[0], place[1:], kind)


def dual_of_constant(transform: Transform, a: Node, user: Apply) -> Node:
    """What stands in ▶ for an operand of the surrounding, not differentiated, program."""
    if not (walk.graph_of(a) or has_function(a.abstract)):
        return a
    if walk.graph_of(a):
        return dual_of_graph(transform, a)
    raise complain(
        TypeError,
        "grad: a function known only at run time enters a function that is differentiated",
        loc=user.loc,
        cure="differentiate each of the functions it may be",
    )

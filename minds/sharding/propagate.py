"""How each value of a program lies on a mesh, from how its parameters do.

The program is a graph behind J, so that a training step is propagated as a whole: gradients come out
as terms along the axes that divide the batch, and a state takes the layout of what it is updated by.
Nodes are met in program order. An axis of the mesh divides the factor (`ops.sharding`) along which the
largest operand that lies along it is divided; operands that lie otherwise are moved. What a program calls is
propagated with it (`callees`): in rounds, until no more slots are filled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..base.errors import complain
from ..ir import prim
from ..ir.abstract import AbstractRef, AbstractTensor, AbstractTuple
from ..ir.node import Apply, Graph, Node, Param
from ..ops.decompose import decompose_all
from ..ops.define import ATTR, TENSORS, Op, P
from ..ops.sharding import Rule, operands_of, rule_of
from .callees import Callees, Passing, popped, pushed, whole
from .choice import Choice, axes_of, is_absent, is_asked, operand_nodes, parts_of
from .layout import Mesh, Sharding


@dataclass
class Shardings:
    """What propagation found.

    Attributes:
        mesh: the devices.
        layouts: of parameters and of the results of applications; a tuple for several.
        rules: for each application that is divided its rule, and the axes of each of its factors.
        apart: applications that had better be what they are made of.
        met: values that ask for something of an op which were taken by one.
        wanted: layouts of parameters that follow from what ops on them are to do.
        applied: what is known of applications whatever the layouts are: their rules and sizes.
        sums: additions of terms, which are terms: the layout of operands and result.
        passing: how what is passed to graphs that the program calls, and comes from them, lies.
    """

    mesh: Mesh
    passing: Passing
    layouts: dict[Node, Sharding | tuple] = field(default_factory=dict)
    rules: dict[Apply, tuple[Rule, dict]] = field(default_factory=dict)
    apart: set[Apply] = field(default_factory=set)
    met: set[Node] = field(default_factory=set)
    wanted: dict[Node, Sharding] = field(default_factory=dict)
    applied: dict[Apply, tuple] = field(default_factory=dict)
    sums: dict[Apply, Sharding] = field(default_factory=dict)

    @property
    def callees(self) -> Callees:
        """The graphs that are divided besides the program itself."""
        return self.passing.callees

    def of(self, n: Node) -> Sharding | tuple:
        """The layout of a value; constants are everywhere."""
        found = self.layouts.get(n)
        return whole(n.abstract) if found is None else found


def propagate(
    graph: Graph,
    mesh: Mesh,
    given: dict[Param, Sharding],
    applied: dict | None = None,
    as_it_is: bool = False,
) -> Shardings | None:
    """The layouts of all values, where those of some parameters are given. The others lie as what is
    assigned to them, and are whole where that is. Ops that need all of what is divided are replaced by
    their decompositions in the graph; if that is to stay ``as_it_is``, the result is None instead.
    ``applied`` keeps what does not depend on layouts for another call.

    Raises:
        ValueError: a parameter cannot lie as given.
    """
    known, applied = dict(given), {} if applied is None else applied
    callees = applied.setdefault(graph, None) or Callees(graph)
    applied[graph] = callees
    known.update(_whole_references(callees, given))
    for p, s in given.items():
        s.check(mesh, shape_of(p), p.name)
    while True:
        shardings = _once(graph, mesh, known, applied, callees)
        if shardings.apart and as_it_is:
            return None
        if shardings.apart:
            for n in shardings.apart:
                decompose_all(n, shardings.apart.__contains__)
            continue
        found = {p: s for p, s in shardings.wanted.items() if p not in known}
        for n in _assignments(callees) if not found else ():
            p = callees.origin(n.args[0])
            if p not in known:
                s = shardings.of(n.args[1])
                if s.axes and not s.partial:
                    found[p] = s
        for group in callees.alike():
            lies = next((found[p] for p in group if p in found), None)
            found.update((p, lies) for p in group if lies is not None and p not in known)
        if not found:
            return shardings
        known.update(found)


def _assignments(callees: Callees) -> Iterator[Apply]:
    for g in (callees.root, *callees.graphs):
        yield from (n for n in g if n.fn is prim.assign)


def _whole_references(callees: Callees, given: dict[Param, Sharding]) -> dict[Param, Sharding]:
    """What is read and written where nothing is divided is whole, and so is what is to lie in several ways
    and is what one place refers to.
    """
    found = callees.whole_references()
    for group in callees.alike():
        if len({given.get(p) for p in group}) > 1:
            found.update(group)
    for p in found:
        asked = getattr(p.default, "__dict__", {}).get("strategy")
        if p in given and given[p].axes and asked is not None:
            raise complain(
                NotImplementedError,
                f"{p.name} is to be divided, and a function value or a function of other parameters uses it",
                loc=p.loc,
                cure="call the function that uses it where it is named, with this parameter alone",
            )
    return {p: whole(p.abstract.value) for p in found}


def shape_of(n: Node) -> tuple:
    """The shape of a tensor, or of what a reference holds."""
    return getattr(n.abstract, "value", n.abstract).shape


def _once(graph: Graph, mesh: Mesh, known: dict, applied: dict, callees: Callees) -> Shardings:
    passing = Passing(callees)
    while True:
        passing.changed = False
        shardings = Shardings(mesh, passing, applied=applied)
        for p in graph.params:
            shardings.layouts[p] = known.get(p) or whole(getattr(p.abstract, "value", p.abstract))
        for n in graph:
            shardings.layouts[n] = _result(shardings, n)
        for g in callees.graphs:
            _inside(shardings, g)
        if not passing.changed:
            return shardings


def _inside(shardings: Shardings, g: Graph) -> None:
    """One round through a graph that is called."""
    layouts, passing = shardings.layouts, shardings.passing
    for p, layout in zip(g.params, passing.params(g), strict=True):
        is_held = isinstance(p.abstract, AbstractRef)
        layouts[p] = shardings.of(passing.callees.origin(p)) if is_held else layout
    for n in g:
        layouts[n] = _result(shardings, n)
    passing.returned(g, shardings.of(g.output))


def _result(shardings: Shardings, n: Apply) -> Sharding | tuple:
    fn = n.fn
    if fn is prim.load or fn is prim.assign:
        return shardings.of(n.args[0])
    if fn is prim.make_tuple:
        return tuple(map(shardings.of, n.args))
    if fn is prim.tuple_getitem:
        return shardings.of(n.args[0])[n.args[1].value]
    if fn is P.placed:
        return _placed(shardings, n)
    if fn in MARKS:
        return _marked(shardings, n)
    if fn is P.micro_part or fn is P.micro_joined:
        return micro_layout(shardings.of(n.args[0]), fn is P.micro_joined)
    if not isinstance(fn, Op):
        return _called(shardings, n)
    if fn.has_effect or fn.host:
        return whole(n.abstract)
    if fn is P.add and (found := _sum(shardings, n)) is not None:
        shardings.sums[n] = found
        return found
    about = shardings.applied.get(n)
    if about is None:
        about = shardings.applied[n] = _about(n)
    rule, sizes, order = about
    if rule is None:
        return whole(n.abstract)
    if rule.decomposes and _divides_whole(shardings, n, rule):
        shardings.apart.add(n)
        shardings.met.update(filter(is_asked, operand_nodes(n)))
        return whole(n.abstract)
    axes = _chosen(shardings, n, rule, sizes, order)
    if not axes:
        return whole(n.abstract)
    shardings.rules[n] = rule, axes
    found = tuple([_of_result(shardings.mesh, rule, letters, axes) for letters in rule.results])
    return found if isinstance(n.abstract, AbstractTuple) else found[0]


def _called(shardings: Shardings, n: Apply) -> Sharding | tuple:
    """The layout of what a call gives."""
    passing = shardings.passing
    if n in passing.callees.targets:
        return passing.call(n, [shardings.of(a) for a in n.args])
    types = pushed(n)
    if types is not None:
        passing.pushed(types, [shardings.of(a) for a in n.args[1:]])
    types = popped(n)
    return whole(n.abstract) if types is None else passing.record(types)


def _sum(shardings: Shardings, n: Apply) -> Sharding | None:
    """The layout of a sum of two tensors, both of which devices have terms of, if they may stay terms."""
    if any(a.shape != n.shape or is_asked(a) for a in n.args):
        return None
    known = {shardings.of(a) for a in n.args if not shardings.passing.is_open(a)}
    lies = known.pop() if len(known) == 1 else None
    sums = lies is not None and lies.partial and all(how == "sum" for _, how in lies.partial)
    return lies if sums else None


MARKS = (P.staged, P.cotangent, P.micro_same, P.micro_total)
"""What gives its first operand."""


def _marked(shardings: Shardings, n: Apply) -> Sharding:
    """The layout of a mark: a cotangent lies as its value, and sums of micro-batches can be terms of sums
    alone.
    """
    layout = shardings.of(n.args[0])
    if n.fn is P.cotangent:
        return Sharding(shardings.of(n.args[1]).dims)
    if n.fn is not P.micro_total or all(how == "sum" for _, how in layout.partial):
        return layout
    return Sharding(layout.dims, tuple([t for t in layout.partial if t[1] == "sum"]))


def micro_layout(layout: Sharding, joined: bool) -> Sharding:
    """The layout without dimension 1, along which micro-batches are; or with it."""
    first, rest = layout.dims[:1], layout.dims[1 if joined else 2 :]
    return Sharding((*first, *(((),) if joined else ()), *rest), layout.partial)


def _divides_whole(shardings: Shardings, n: Apply, rule: Rule) -> bool:
    """Whether the first operand lies divided, or is to be, along a dimension that must be whole."""
    node, layout = operand_nodes(n)[0], layouts_of(shardings, n)[0]
    asked = node.args[1].value if is_asked(node) else ((),) * len(layout.dims)
    return any(
        letter is None and (axes or how not in ((), 1))
        for letter, axes, how in zip(rule.operands[0], layout.dims, asked)
    )


def abstracts_of(n: Apply) -> list:
    """The parameters of an op, with abstract values for tensors."""
    return [
        a.value
        if k == ATTR
        else a.abstract.items
        if k == TENSORS
        else a.abstract
        if not is_absent(a)
        else None
        for a, k in zip(n.args, n.fn.kinds)
    ]


def layouts_of(shardings: Shardings, n: Apply) -> list[Sharding]:
    """The layouts of the tensor operands, those of a variadic one each by itself."""
    found = [
        None if k != ATTR and is_absent(a) else shardings.of(a) for a, k in zip(n.args, n.fn.kinds)
    ]
    return operands_of(n.fn, found)


def _placed(shardings: Shardings, n: Apply) -> Sharding:
    """What is said of a value is its layout; what is asked for is for the op that takes it."""
    given, dims, _, asked = n.args
    before = shardings.of(given)
    if asked.value:
        return before
    found = Sharding(tuple(axes_of(shardings.mesh, dims.value, before)))
    found.check(shardings.mesh, n.abstract.shape, "reshard")
    _want(shardings, given, found)
    return found


def _want(shardings: Shardings, n: Node, layout: Sharding) -> None:
    """A parameter lies as the first op that says so takes it."""
    while isinstance(n, Apply) and n.fn is P.micro_same:
        n = n.args[0]
    if isinstance(n, Apply) and n.fn is prim.load:
        shardings.wanted.setdefault(shardings.callees.origin(n.args[0]), layout)


def _about(n: Apply) -> tuple:
    """The rule, the sizes of its factors, and its operands, the largest first."""
    params = abstracts_of(n)
    rule = rule_of(n.fn, params, n.abstract)
    if rule is None:
        return None, None, None
    tensors = operands_of(n.fn, params)
    outs = n.abstract.items if isinstance(n.abstract, AbstractTuple) else (n.abstract,)
    sizes = rule.sizes(tuple([t.shape for t in tensors]), tuple([o.shape for o in outs]))
    return rule, sizes, sorted(range(len(tensors)), key=lambda i: -_bytes(tensors[i]))


def _chosen(
    shardings: Shardings, n: Apply, rule: Rule, sizes: dict, order: list
) -> dict[str, tuple]:
    """The axes that divide each factor. What operands ask for binds the op that takes them first; it is a
    wish to others, those of its gradient among them.
    """
    nodes, lie = operand_nodes(n), layouts_of(shardings, n)
    operands = [(rule.operands[i], lie[i]) for i in order if lie[i].axes]
    asked = set(filter(is_asked, nodes))
    # A gradient that recomputes may be the first to take an operand that asks for something.
    binds = bool(asked - shardings.met) and not (n.loc is not None and n.loc.backward)
    shardings.met |= asked
    try:
        parts = parts_of(shardings.mesh, nodes, rule, sizes) if asked else None
        axes = _axes(shardings.mesh, operands, sizes, parts, n.loc)
    except ValueError:
        if binds:
            raise
        return _axes(shardings.mesh, operands, sizes, None)
    for node, letters in zip(nodes, rule.operands):
        if is_asked(node):
            _want(shardings, node.args[0], divided(letters, axes))
    return axes


def _axes(
    mesh: Mesh, operands: list, sizes: dict, parts: dict | None, loc=None
) -> dict[str, tuple]:
    choice = Choice(mesh, sizes, parts, loc)
    for letters, layout in operands:
        for letter, axes in zip(letters, layout.dims):
            for a in axes if letter is not None else ():
                choice.take(letter, a)
    choice.complete()
    return choice.axes


def _bytes(t: AbstractTensor) -> int:
    return math.prod(t.shape) * t.dtype.itemsize


def strategies(shardings: Shardings) -> tuple:
    """For each op that is divided, those of gradients aside, its name, and in how many parts each dimension
    of each of its operands is.
    """
    found = []
    for n, (rule, axes) in shardings.rules.items():
        if n.loc is None or not n.loc.backward:
            lie = [divided(letters, axes).dims for letters in rule.operands]
            found.append((n.fn.name, [list(map(shardings.mesh.parts, dims)) for dims in lie]))
    return tuple(found)


def divided(letters: tuple, axes: dict[str, tuple]) -> Sharding:
    """The layout of an operand whose factors are divided along ``axes``."""
    return Sharding(tuple([axes.get(c, ()) for c in letters]))


def _of_result(mesh: Mesh, rule: Rule, letters: tuple, axes: dict[str, tuple]) -> Sharding:
    terms = {a for c, along in axes.items() if c not in letters for a in along}
    partial = tuple([(a, rule.how) for a in mesh.names if a in terms])
    return Sharding(divided(letters, axes).dims, partial)


__all__ = [
    "MARKS",
    "Shardings",
    "abstracts_of",
    "divided",
    "layouts_of",
    "micro_layout",
    "propagate",
    "shape_of",
    "strategies",
    "whole",
]

"""Regions: where control leaves a piece of source, and how the ways out are brought together.

A region is a function body, or a loop whose body does not return. Interpretation goes on at one
position, the current builder. A condition on a run-time value interprets both branches into graphs
of their own. If both simply end, their variables are joined and interpretation goes on behind the
call of the switch. If a branch leaves (`return`, `break`, `continue`), the call of the switch
becomes a tail call: its value is the region's value, and interpretation goes on inside the branch
that did not leave; where several did not, a new graph takes their variables as parameters. So no
statement is interpreted twice, whatever the nesting.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace

import gast

from ..base import dtype as dt
from ..base.errors import ParseError, complain, is_frontend_fault, refuse
from ..base.loc import Loc
from ..ir.abstract import NONE, AbstractFunction, AbstractScalar, AbstractTuple
from ..ir.node import Constant, Node
from ..ir.shape_env import of_any_size
from ..ir.sizes import is_unbacked
from ..ops.define import P, stacked
from ..ops.unbacked import resized
from ..tensor import Tensor
from . import values
from .describe import describe
from .emit import Bottom, Control, EmitBuilder
from .flow import Path, Region, at, fork, inside, leave, resume
from .function_types import Carried, Closure, Missing, Unseen
from .merge import Merge, reachable
from .nesting import chain_type
from .raises import Barrier, Catcher, outer_kinds
from .source import Source, inner_names, line_at, loc_of
from .store import common
from .structure import mapped
from .value_types import CONTAINERS, LOCAL, NUMBERS, Box, Column, Entry, RunArray, abstract
from .values import Mismatch
from .walks import nodes_in


def run_region(ip, run):
    """The value of a region, whose ways out are `return`s and the end of ``run()`` with its value."""
    region = Region(ip.builder, len(ip.graphs))
    ip.frames[-1].region = region
    saved, ip.flow.live = ip.live, True
    # Paths that raise do not lead out of a graph that calls itself: they return what they raise.
    frame, catches = ip.frames[-1], ip.activations.catches
    returning = frame.graph_of is not None and bool(catches)
    try:
        with (
            inside(ip, region),
            Catcher(ip, outer_kinds(ip)) if returning else nullcontext() as ends,
        ):
            value = run()
            if ip.live:
                leave(ip, value)
        for path, thrown in ends.caught() if returning else ():
            region.exits.append((path, thrown, thrown.place))
    finally:
        ip.flow.live = saved
    return finish(ip, region)


def finish(ip, region: Region):
    """Type the ways out alike, close the graphs, and go on behind the region with its value."""
    frame = ip.frames[-1]
    if not region.exits:
        _to_outer(ip, region)
        raise Bottom
    if region.open and region.pending:  # paths lead to a handler: control goes on inside of it
        _to_outer(ip, region)
        return go_on_with(ip, [(path, value) for path, value, _ in region.exits])
    if not region.pending:
        path, value, _ = region.exits[0]
        resume(ip, path)
        if any(frame in chain.frames for chain in ip.activations.chains):
            return _AsOf(frame.vars, {}, region.born, frame).closed(value)
        return value
    paths = [path for path, _, _ in region.exits]
    own = set(ip.graphs[region.made :])
    merge = Merge(
        ip,
        paths,
        region.start,
        region.born,
        lambda n: n.graph in own,
        lambda end: _AsOf(end.vars, end.heap, region.born, frame).closed,
    )
    try:
        merge.place([value for _, value, _ in region.exits])
    except Mismatch:
        raise _no_common_result(ip, merge, region) from None
    wanted = merge.abstracts()
    hand_over(ip, paths, merge, wanted)
    settle(ip, region, wanted)
    ip.flow.builder = region.base
    tail = next(node for graph, node in region.pending if graph is region.base.graph)
    return merge.fill(unpack(ip, tail, len(wanted)))[0]


def _to_outer(ip, region: Region) -> None:
    """The calls in a region, and its graphs that raise, end the region around."""
    if not ip.flow.tails:
        ip.flow.fails = region
        return
    outer = ip.flow.tails[-1]
    outer.pending += region.pending
    outer.dead += region.dead
    outer.start = outer.start or region.start


def _no_common_result(ip, merge: Merge, region: Region) -> Exception:
    """The error that shows the first two ways out whose values do not fit."""
    first = region.exits[0]
    for way in region.exits[1:]:
        try:
            merge.join([first[1], *[way[1]] * (len(merge.paths) - 1)])
        except Mismatch:
            break
    _, value, at = way
    source = ip.frames[-1].source
    shown = [
        (f"line {place.line}: {line_at(place)}", describe(v))
        for v, place in ((first[1], first[2]), (value, at))
    ]
    chooses = _around(source, first[2])
    if chooses is not None:
        shown.insert(0, (f"line {chooses.line}: {line_at(chooses)}", "decides"))
    return refuse(
        TypeError,
        f"{source.name}: Cannot join the return values of different branches: "
        "they have no common type",
        loc=at,
        operands=shown,
        cure="return the same structure, dtype and shape on every path",
    )


def _around(source: Source, place: Loc) -> Loc | None:
    """Where the innermost condition or loop stands that has ``place`` inside."""
    around = [
        n
        for n in nodes_in(source.tree)
        if isinstance(n, (gast.If, gast.While, gast.For)) and n.lineno < place.line <= n.end_lineno
    ]
    return loc_of(max(around, key=lambda n: n.lineno), source, None) if around else None


class _AsOf:
    """Functions of the call that ends, ``frame``, with its variables as they are at the end of a
    path: with what containers younger than ``born`` held there, older ones keep their identity.
    """

    def __init__(self, vars: dict, heap: dict, born: int, frame):
        self.vars, self.heap, self.born, self.frame = vars, heap, born, frame
        self.frames: dict = {}
        self.functions: dict = {}

    def closed(self, value):
        """``value`` with such functions; lists and dicts stay what they are."""
        return value if type(value) in CONTAINERS else self._mapped(value, self.closed)

    def __call__(self, value):
        if isinstance(value, LOCAL):
            if value.born < self.born:
                return value
            value = self.heap.get(id(value), value)
        return self._mapped(value, self)

    def _mapped(self, value, change):
        if isinstance(value, Closure) and self._sees(value):
            return self._closed(value)
        if chain_type(value) is not None:
            return self._carried(value)
        return mapped(value, change, anew=isinstance(value, (list, dict)))

    def _carried(self, node: Node):
        """A function of the run with what it may see of the call."""
        if id(node) in self.functions or self.frame not in chain_type(node).key.frames:
            return self.functions.get(id(node), node)
        own: dict = {}
        made = self.functions[id(node)] = Carried(node, own)
        for name in sorted(inner_names(self.frame.source.tree)):
            v = self.vars.get(name, _UNSET)
            if v is not _UNSET and not isinstance(v, (Missing, Unseen)):
                # Where a member reads a function of its chain, the chain sees the variables.
                own[id(self.frame), name] = v if chain_type(v) is not None else self(v)
        return made

    def _sees(self, f: Closure) -> bool:
        """Whether ``f`` sees variables of the call that ends, perhaps through calls that are over."""
        scope = f.frame
        while scope is not None and scope is not self.frame and scope.finished:
            scope = scope.outer
        return scope is self.frame

    def _ended(self, scope):
        """A frame with its variables at the end of the path, and those around it up to that of the call."""
        if id(scope) not in self.frames:
            own = scope is self.frame
            ended = self.frames[id(scope)] = replace(scope, vars={}, finished=True)
            ended.outer = scope.outer if own else self._ended(scope.outer)
            for name, value in (self.vars if own else scope.vars).items():
                ended.vars[name] = self(value)
        return self.frames[id(scope)]

    def _closed(self, f: Closure) -> Closure:
        if id(f) in self.functions:
            return self.functions[id(f)]
        made = self.functions.setdefault(
            id(f), Closure(f.source, self._ended(f.frame), [], [], f.name)
        )
        made.defaults, made.kw_defaults = [list(map(self, d)) for d in (f.defaults, f.kw_defaults)]
        return made


_UNSET = object()


@contextmanager
def enclosed(ip, sure: bool = True, returned=()):
    """For code that becomes a graph of its own, whose results alone are known outside. It is
    ``sure`` to run where the program gets here: what it raises whatever the data is raised here.
    What lists and dicts hold that are ``returned`` is among its results.

    Raises:
        ParseError: it changed a list, a dict or a tensor that is older, or raises on all paths.
    """
    start, own, made = ip.store.version(), {ip.builder.graph}, len(ip.graphs)
    trunk, ends = ip.flow.trunk, Region(ip.builder, len(ip.graphs))
    barrier = Barrier(ip) if ip.activations.catches else nullcontext()
    outer, ip.flow.enclosure = ip.flow.enclosure, ip.builder.graph
    if sure:
        ip.flow.trunk = (ip.builder.graph, ip.flow.nested, None)
    try:
        with barrier, inside(ip, ends) if sure else nullcontext():
            yield
    except Bottom:
        if not ends.dead:
            raise
        what = "a function that is differentiated or mapped raises on every path"
        raise complain(ParseError, what, cure="decide outside of it what to raise") from None
    finally:
        ip.flow.trunk, ip.flow.enclosure = trunk, outer
    changed = ip.store.changed(start, ip.store.version()).values()
    older = [c for c in changed if c.born < start.ended and isinstance(c, LOCAL)]
    older = [c for c in older if not any(c is r for r in returned)]
    if not older:
        return
    with at(ip, Path(ip.builder, start)):
        known = reachable(ip)
    own.update(ip.graphs[made:])
    if any(type(c) is not Box for c in older):
        what = "list or dict"
    elif any(c.of.graph not in own if isinstance(c.of, Node) else id(c) in known for c in older):
        what = "tensor"
    else:
        return
    raise complain(
        ParseError,
        f"a function that is differentiated, mapped or recursive changes a {what} made "
        "outside of it",
        cure="return the new elements instead",
    )


def hand_over(ip, paths, merge: Merge, wanted: list) -> None:
    """The graphs in which paths end return what differs between the paths."""
    for path, leaves in zip(paths, merge.handed):
        with at(ip, path):
            ip.builder.graph.output = pack(ip, [convert(ip, v, a) for v, a in zip(leaves, wanted)])


def settle(ip, region: Region, wanted: list) -> None:
    """Type the pending tail calls; each is its graph's result, except where the region started."""
    for graph, node in region.pending:
        node.abstract = packed(wanted)
        if graph is not region.base.graph:
            graph.output = node
    for builder in region.dead:
        with ip.inside(builder):
            builder.graph.output = pack(ip, [anything(ip, a) for a in wanted])


def close(ip, region: Region, wanted: list) -> None:
    """`settle` a region without a way out: its graph never returns."""
    settle(ip, region, wanted)
    for graph, node in region.pending:
        if graph is region.base.graph:
            graph.output = node


def anything(ip, a) -> Node:
    """A node of abstract value ``a`` for a place that is never reached."""
    if isinstance(a, AbstractScalar):
        return Constant(a.kind(0), a)
    if isinstance(a, AbstractFunction):
        return ip.any_function(a.key)
    if is_unbacked(a):
        shape = [d if type(d) is int else 0 for d in a.shape]
        return ip.native(lambda: resized(P.full(shape, 0, a.dtype), of_any_size(a).shape))
    return ip.native(P.full, a.shape, 0, a.dtype)


def discard(ip, mark: int) -> None:
    """Abandon the graphs made since there were ``mark``, with the ways out of regions there."""
    gone = set(ip.graphs[mark:])
    for region in ip.flow.tails if gone else ():
        region.pending[:] = [call for call in region.pending if call[0] not in gone]
        region.dead[:] = [builder for builder in region.dead if builder.graph not in gone]
    for g in gone:
        g.clear()
    del ip.graphs[mark:]
    ip.discarded(mark)


@dataclass(frozen=True)
class Trial:
    """A position at which something is tried, to which `undo` returns."""

    path: Path
    tail: object
    graphs: int


def trial(ip) -> Trial:
    """The present position."""
    return Trial(fork(ip), ip.builder.graph.tail, len(ip.graphs))


def undo(ip, start: Trial) -> None:
    """Return to where something was tried: nothing has happened since."""
    discard(ip, start.graphs)
    resume(ip, start.path)
    graph, cut = ip.builder.graph, set()
    while graph.tail is not start.tail:
        n = graph.tail
        cut.add(n)
        n.uses.clear()
        graph.remove(n)
    pending = ip.flow.tails[-1].pending
    pending[:] = [call for call in pending if call[1] not in cut]


def tried(ip, attempt) -> Exception | None:
    """What ``attempt()`` raises; then nothing has happened."""
    before, changes = trial(ip), len(ip.tensors.log)
    try:
        attempt()
        return None
    except (Control, RecursionError, MemoryError):
        raise
    except Exception as e:
        if is_frontend_fault(e) or hasattr(e, "final"):
            raise
        undo(ip, before)
        del ip.tensors.log[changes:]
        return e


def packed(abstracts: list):
    """The abstract value of `pack`."""
    return abstracts[0] if len(abstracts) == 1 else AbstractTuple(abstracts) if abstracts else NONE


def pack(ip, nodes: list) -> Node:
    """One node for several: itself, a tuple, or the constant None."""
    if len(nodes) == 1:
        return nodes[0]
    return ip.builder.make_tuple(nodes) if nodes else Constant(None, NONE)


def unpack(ip, node: Node, count: int) -> list:
    """The inverse of `pack`."""
    return [node] if count == 1 else [ip.builder.getitem(node, i) for i in range(count)]


def convert(ip, value, wanted) -> Node:
    """A node of abstract value ``wanted`` for a leaf, which may be a number, a narrower scalar, for
    a scalar a tensor of rank 0, or a tensor of other sizes.
    """
    if isinstance(value, values.Filler):
        return anything(ip, wanted)
    if isinstance(value, values.Renumbered):
        return looked_up(ip, list(value.table), value.selector)
    if isinstance(value, values.ChosenArray):
        rows = [v.node if type(v) is RunArray else Tensor(v) for v in value.arrays]
        return convert(ip, ip.native(row_at, value.selector, *map(ip.node, rows)), wanted)
    if isinstance(value, (Column, Entry)):
        return convert(ip, ip.of_list(value), wanted)
    have = abstract(value)
    if have is wanted:
        return ip.node(value)
    if isinstance(wanted, AbstractFunction):
        return ip.as_member(value, wanted.key)
    if type(value) in NUMBERS:
        if isinstance(wanted, AbstractScalar):
            return Constant(wanted.kind(value), wanted)
        return ip.native(P.scalar_to_tensor, Constant(value, have), wanted.dtype)
    if isinstance(wanted, AbstractScalar):
        if not isinstance(have, AbstractScalar):
            return ip.native(P.item, value, wanted.kind.__name__)
        return ip.native(P.scalar_cast, value, wanted.dtype)
    if is_unbacked(wanted):
        return ip.native(resized, ip.node(value), wanted.shape)
    return ip.native(P.scalar_to_tensor, value, wanted.dtype)


def row_at(at, *rows):
    """The row that a place of the run tells."""
    return P.gather(stacked(rows), P.scalar_to_tensor(at, dt.int64), 0)


def looked_up(ip, table: list, at) -> Node:
    """``table[at]``, a whole number whose place the run finds."""
    rows, at = ip.node(Tensor(table, dt.int64)), ip.native(P.scalar_to_tensor, at, dt.int64)
    return ip.native(lambda: P.item(P.gather(rows, at, 0), "int"))


def go_on_with(ip, ways: list[tuple]):
    """`go_on` behind paths that have a value each; returns the joined one."""
    for path, value in ways:
        with at(ip, path):
            ip.frames[-1].vars[_VALUE] = value
            path.version = ip.store.now
    go_on(ip, [path for path, _ in ways])
    value = ip.frames[-1].vars.pop(_VALUE)
    if isinstance(value, Missing):
        raise no_common_value(value.why)
    return value


def no_common_value(why) -> Exception:
    """The error where the values of paths do not fit."""
    return refuse(
        TypeError,
        f"Cannot join the return values of different branches: they have no common type: {why}",
        cure="give both the same type, dtype and shape",
    )


_VALUE = "<value>"
"""The name of the value of a conditional expression where its branches meet."""


def go_on(ip, paths: list, lenient: bool = False) -> None:
    """Continue from the one path that is left, or from a graph that the several paths tail-call;
    none: dead code follows. ``lenient`` as in `Merge`.
    """
    if not paths:
        ip.flow.live = False
        return
    if len(paths) == 1:
        resume(ip, paths[0])
        return
    frame = ip.frames[-1]
    merge = Merge(ip, paths, common([p.version for p in paths]), lenient=lenient)
    names = merge.variables()
    wanted = merge.abstracts()
    graph = ip.graph(f"{frame.source.name}:rest")
    params = [graph.add_param(f"v{i}", a, ip.here()) for i, a in enumerate(wanted)]
    for path, leaves in zip(paths, merge.handed):
        with at(ip, path):
            args = [convert(ip, v, a) for v, a in zip(leaves, wanted)]
            ip.builder.loc = ip.here()
            call = ip.builder.call(graph, args, NONE)
            ip.flow.tails[-1].pending.append((ip.builder.graph, call))
    ip.flow.builder, ip.flow.live = EmitBuilder(ip, graph), True
    frame.vars.replace(zip(names, merge.fill(params)))

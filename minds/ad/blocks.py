"""Fills the ▶ and ◀ of an expansion: first what each graph computes, then, once it is known what each
◀ asks of its ▶, what is handed on and what is kept in records.
"""

from __future__ import annotations

from ..ir import prim, walk
from ..ir.abstract import BOOL, INT, STACK, AbstractFunction, AbstractScalar
from ..ir.build import Builder, as_node, building
from ..ir.node import Apply, Constant, Graph, Node, Param, set_args, set_fn
from ..ir.sizes import is_unbacked
from ..ops.define import P
from .adjoint import Adjoint
from .cotangents import NEUTRAL, cotangent_abstract, leaves, type_at, zero
from .expansion import Expansion
from .primal import AugmentedPrimal
from .region import RegionAdjoint
from .reverse import Backpropagator
from .stack import empty, new_key, pop, push


def expand_graphs(expansion: Expansion) -> None:
    """Fill ▶ and ◀ of all graphs that J reaches."""
    walks: list[WalkBack] = []
    calls: list[tuple] = []
    while expansion.work:
        item = expansion.work.popleft()
        if isinstance(item, RegionAdjoint):
            walks.append(WalkBack(expansion, item))
        else:
            calls += _fill_flat(expansion, item)
    others = set().union(*[w.graphs for w in walks])
    for b in [b for w in walks for b in w.blocks]:
        b.collect(others)
    _find_needed(walks, calls)
    for result, regions, args in calls + [c for w in walks for b in w.blocks for c in b.calls]:
        set_args(result, [*[args[i] for i in sorted(regions[0].needed)], *result.args])
    for w in walks:
        w.finish()


def _fill_flat(expansion: Expansion, adjoint: Adjoint) -> list[tuple]:
    """Fill ▶ and ◀ of a graph that is differentiated as a whole. Returns the calls of regions in
    ◀.
    """
    g, rear = adjoint.graph, Graph("◀" + adjoint.graph.name, adjoint.graph.loc)
    back = Backpropagator(AugmentedPrimal(expansion, g, adjoint.forward), rear)
    douts = {path: rear.add_param("dout", t) for path, t in adjoint.taken()}
    with building(back.builder):
        out = back.fill(douts)
        rear.output = back.builder.make_tuple([back.result(*v) for v in adjoint.wanted_leaves()])
    b = back.primal.builder
    b.graph.output = b.make_tuple((out, Constant(rear, adjoint.back_type)))
    return back.calls


def _find_needed(walks: list[WalkBack], calls: list[tuple]) -> None:
    """Find which constant params each ◀ needs, those for the ◀ that it calls included."""
    every = [(None, c) for c in calls] + [(b, c) for w in walks for b in w.blocks for c in b.calls]
    changed = True
    while changed:
        changed = False
        for block, (_, regions, args) in every:
            needed = set().union(*[r.needed for r in regions])
            for r in regions:
                changed = changed or r.needed != needed
                r.needed = needed
            for i in needed:
                changed = (block is not None and block.ask(args[i])) or changed


class Block:
    """▶ and ◀ of one graph of a region.

    Attributes:
        asked: the nodes of ▶ that ◀ uses, without constant params.
        calls: the calls of regions in ◀.
        inside: the graphs of ◀.
    """

    def __init__(self, region: RegionAdjoint, m: Graph, back: Backpropagator, out: Node | None):
        self.region, self.graph, self.out, self.calls = region, m, out, back.calls
        self.front, self.primal, self.rear = (
            back.primal.builder.graph,
            back.primal,
            back.builder.graph,
        )
        self.constant = {
            q: region.constant[p]
            for p, q in zip(m.params, self.front.params)
            if p in region.constant
        }
        self.asked: dict[Node, None] = {}

    def collect(self, others: set[Graph]) -> None:
        """Find what ◀ uses of ▶; ``others`` are the graphs that belong to other blocks."""
        self.inside, stack = {self.rear}, [self.rear]
        while stack:
            new = [
                h for h in walk.children(stack.pop()) if h not in others and h not in self.inside
            ]
            self.inside.update(new)
            stack += new
        for g in self.inside:
            for n in (*g, g.ret):
                for a in n.operands:
                    if a.graph is self.front:
                        self.ask(a)

    def ask(self, v: Node) -> bool:
        """Note that ◀ uses a value of ▶. Returns whether that is new."""
        if v in self.constant:
            new = self.constant[v] not in self.region.needed
            self.region.needed.add(self.constant[v])
        else:
            new = v.graph is self.front and v not in self.asked
            if new:
                self.asked[v] = None
        return new

    def use(self, new: dict[Node, Node]) -> None:
        """Let ◀ use other nodes."""
        for v, w in new.items():
            for n in [n for n in v.uses if n.graph in self.inside]:
                if n.fn is v:
                    set_fn(n, w)
                set_args(n, [w if a is v else a for a in n.args])

    def split(self) -> tuple[list[Node], list[Apply]]:
        """What ◀ uses of ▶: what must be kept, and numbers that follow from this."""
        order = {n: i for i, n in enumerate(self.front)}
        known, kept, derived = (
            {v for v, i in self.constant.items() if i in self.region.needed},
            [],
            [],
        )
        for v in sorted(self.asked, key=lambda v: order.get(v, -1)):
            number = v.__class__ is Apply and isinstance(v.abstract, AbstractScalar)
            cheap = number and getattr(v.fn, "elementwise", False)
            follows = cheap and all(a in known or a.graph is None for a in v.args)
            (derived if follows else kept).append(v)
            known.add(v)
        return kept, derived


class WalkBack:
    """Makes the ▶ and ◀ of a region.

    Attributes:
        blocks: those of its graphs.
        sums: the leaves of constant params whose sums are handed on.
    """

    def __init__(self, expansion: Expansion, region: RegionAdjoint):
        self.expansion, self.region = expansion, region
        self.taken, self.sums = region.taken(), region.summed()
        self.keys = {m: new_key() for m in (None, *region.tails)}
        self.stubs: dict[Graph | None, Graph] = {}
        self._links: list[tuple] = []
        self.blocks = [self._block(m) for m in region.tails]
        for m in region.exits:
            self._stub(m)
        for p, _, t in self.sums:
            if isinstance(t, AbstractFunction) or is_unbacked(t):
                region.needed.add(region.constant[p])
        self.graphs = {*region.fronts.values(), *region.rears.values(), *self.stubs.values()}
        self.graphs |= {region.forward, region.backward}

    def _incoming(self, m: Graph) -> list[tuple]:
        """The leaves whose cotangents ◀m takes: of its result, or of what it hands on."""
        tail = self.region.tails[m]
        if tail is None:
            taken = zip(leaves(m.ret.abstract), self.region.dout)
            return [(m.output, *leaf) for leaf, take in taken if take]
        found, (call, (first, *_)) = [], tail
        for p, path, _ in self.region.carried(first):
            a = call.args[first.params.index(p)]
            found.append((a, path, cotangent_abstract(type_at(a.abstract, path))))
        return found

    def _add_params(self, g: Graph, incoming: list) -> tuple[list, list, Node]:
        """The params of a ◀: cotangents, sums, the stack."""
        douts = [g.add_param("dout", t) for _, _, t in incoming]
        sums = [g.add_param("sum", t) for _, _, t in self.sums]
        return douts, sums, g.add_param("stack", STACK)

    def _block(self, m: Graph) -> Block:
        region, tail, incoming = self.region, self.region.tails[m], self._incoming(m)
        front, rear = region.fronts[m], region.rears[m]
        back = Backpropagator(AugmentedPrimal(self.expansion, m, front, front.params[-1]), rear)
        given, sums, back.stack = self._add_params(rear, incoming)
        places = [(self._same(m, p), path) for p, path, _ in self.sums]
        with building(back.builder):
            back.sums.update({(q[0], path): d for (q, path), d in zip(places, sums) if q})
            douts = {}
            if tail is None:
                douts = {path: d for (_, path, _), d in zip(incoming, given)}
            for (a, path, _), d in zip(incoming, given):
                if tail is not None:
                    back.add(a, path, d)
            out = back.fill(douts, tail and tail[0], region.again)
            found = [back.result(*place) for place in region.carried(m)]
            for (q, path), d in zip(places, sums):
                for other in q[1:]:
                    if (other, path) in back.sums:
                        back.add(q[0], path, back.sums[other, path])
                found.append(back.sums[q[0], path] if q else d)
            self._go_back(back.builder, m, [*found, back.stack])
        return Block(region, m, back, out)

    def _same(self, m: Graph, p: Node) -> list[Node]:
        """The params of ``m`` that are the constant param ``p`` of the region."""
        constant = self.region.constant
        return [q for q in m.params if q in constant and constant[q] == constant[p]]

    def _go_back(self, b: Builder, m: Graph, values: list) -> None:
        """Call the ◀ of what called ``m``."""
        region, before = self.region, self.region.before[m]
        if region.parent(m) is not None:
            b.graph.output = b.emit(region.rears[before[0]], values, region.back_result)
            self._links.append((b.graph.output, m, before[0]))
            return
        if before == [None]:
            self._return(b, values)
            return
        came = region.fronts[m].params[-2] if len(before) > 1 else None
        self._dispatch(b, came, [self._stub(h) for h in before], values)

    def _dispatch(
        self, b: Builder, number: Node | None, graphs: list, values: list, first=0
    ) -> None:
        """Return what that of the graphs returns which the number says."""
        if len(graphs) == 1:
            b.graph.output = b.emit(graphs[0], values, self.region.back_result)
            return
        if number.abstract is BOOL:
            chosen, f, g = number, graphs[1], graphs[0]
        else:
            half = len(graphs) // 2
            chosen = P.less(number, first + half)
            f = self._among(number, graphs[:half], values, first)
            g = self._among(number, graphs[half:], values, first + half)
        callee = b.emit(prim.switch, (chosen, f, g), AbstractFunction((f, g)))
        b.graph.output = b.emit(callee, values, self.region.back_result)

    def _among(self, number: Node, graphs: list, values: list, first: int) -> Graph:
        if len(graphs) == 1:
            return graphs[0]
        g = Graph(graphs[0].name)
        params = [g.add_param("x", v.abstract) for v in values]
        with building(Builder(g)) as b:
            self._dispatch(b, number, graphs, params, first)
        return g

    def _stub(self, m: Graph | None) -> Graph:
        """What takes the record that ``m`` left and calls ◀m; for None, what returns from the
        region. It is filled later.
        """
        if m is not None and self.region.pops(m):
            return self.region.rears[m]
        if m not in self.stubs:
            g = self.stubs[m] = Graph("◀" + (m or self.region.graph).name)
            self._add_params(
                g, self.region.carried(self.region.graph) if m is None else self._incoming(m)
            )
        return self.stubs[m]

    def _return(self, b: Builder, values: list) -> None:
        """The result of ◀ of the region."""
        places = [*self.region.carried(self.region.graph), *self.sums]
        found = {q[:2]: d for q, d in zip(places, values)}
        wanted = [found[q[:2]] for q in self.region.wanted_leaves()]
        b.graph.output = b.make_tuple([*wanted, values[-1]])

    # ---- when it is known what is kept

    def finish(self) -> None:
        """Hand on and keep what ◀ uses of ▶."""
        region = self.region
        first = region.fronts[region.graph]
        indices = sorted(region.needed)
        primal = {
            i: Param(first.params[i].name, first.params[i].abstract, region.backward)
            for i in indices
        }
        saved: dict[Graph | None, list] = {None: []}
        at: dict[Graph, dict] = {}
        for block in self.blocks:
            kept, derived = block.split()
            m, rear = block.graph, block.rear
            saved[m] = [*saved[region.parent(m)], *kept]
            start = Builder(rear, rear.head)
            at[m] = self._given(start, m, saved[m])
            new = {v: at[m][v] for v in kept} | {
                v: primal[i] for v, i in block.constant.items() if i in primal
            }
            for v in derived:
                start.loc = v.loc
                new[v] = start.emit(v.fn, [new.get(a, a) for a in v.args], v.abstract)
            block.use(new)
        for call, m, h in self._links:
            set_args(call, [*call.args, *[at[m][v] for v in saved[h]]])
        for block in self.blocks:
            if block.graph in self.stubs:
                self._fill_stub(block.graph, saved[block.graph])
            self._go_on(block, saved[block.graph])
        self._fill_entry(primal)

    def _given(self, b: Builder, m: Graph, saved: list) -> dict:
        """What was kept, where ◀m starts: params, or what it pops."""
        if not self.region.pops(m) or not saved:
            return {v: b.graph.add_param("saved", v.abstract) for v in saved}
        stack = b.graph.params[-1]
        users = list(stack.uses)
        left, *values = self._popped(b, stack, m, saved)
        for n in users:
            set_args(n, [left if a is stack else a for a in n.args])
        return dict(zip(saved, values))

    def _popped(self, b: Builder, stack: Node, m: Graph, saved: list) -> list[Node]:
        """The stack below the record of ``m``, and what that holds."""
        if not saved:
            return [stack]
        t = pop(b, stack, [v.abstract for v in saved], self.keys[m])
        return [b.getitem(t, i) for i in range(len(saved) + 1)]

    def _fill_stub(self, m: Graph, saved: list) -> None:
        g = self.stubs[m]
        b, (*given, stack) = Builder(g), g.params
        values = self._popped(b, stack, m, saved)
        g.output = b.emit(self.region.rears[m], [*given, *values], self.region.back_result)

    def _go_on(self, block: Block, saved: list) -> None:
        """The end of ▶: keep what is needed, and call the next graph or return."""
        region, m, primal = self.region, block.graph, block.primal
        b, stack, tail = primal.builder, primal.stack, region.tails[m]
        if tail is None:
            stack = push(b, stack, saved, self.keys[m]) if saved else stack
            if len(region.exits) > 1:
                stack = push(b, stack, [as_node(self._exit(m))], self.keys[None])
            block.front.output = b.make_tuple((block.out, stack))
            return
        n, targets = tail
        b.loc = n.loc
        graphs = [
            region.fronts[h] if region.parent(h) is m else self._edge(m, h, saved) for h in targets
        ]
        args = [primal.value(a) for a in n.args]
        block.front.output = b.emit(primal.chosen(n, graphs), [*args, stack], region.result)

    def _exit(self, m: Graph):
        i = self.region.exits.index(m)
        return bool(i) if len(self.region.exits) == 2 else i

    def _edge(self, m: Graph, h: Graph, saved: list) -> Graph:
        """Leaves the record of ``m`` and calls ▶h."""
        region, (g, params, stack) = self.region, self.region.before_front(h)
        b = Builder(g, loc=g.loc)
        stack = push(b, stack, saved, self.keys[m]) if saved else stack
        g.output = b.emit(region.fronts[h], [*params, region.number(h, m), stack], region.result)
        return g

    def _fill_entry(self, primal: dict) -> None:
        """◀ of the region, and what returns from it."""
        region, g = self.region, self.region.backward
        douts = [g.add_param("dout", t) for _, t in self.taken]
        flags = region.sums or [False] * len(region.params)
        passed = {q[:2]: g.add_param("sum", q[2]) for q, take in zip(region.params, flags) if take}
        stack = g.add_param("stack", STACK)
        g.params[:0] = primal.values()
        with building(Builder(g)) as b:
            sums = [
                passed.pop((p, path))
                if (p, path) in passed
                else zero(b, primal.get(region.constant[p]), path, t, NEUTRAL)
                for p, path, t in self.sums
            ]
            if not region.exits:  # it never returns
                g.output = b.make_tuple(
                    [zero(b, None, path, t) for _, path, t in region.wanted_leaves()] + [empty()]
                )
            else:
                number = None
                if len(region.exits) > 1:
                    kind = BOOL if len(region.exits) == 2 else INT
                    t = pop(b, stack, [kind], self.keys[None])
                    stack, number = b.getitem(t, 0), b.getitem(t, 1)
                self._dispatch(
                    b, number, [self._stub(m) for m in region.exits], [*douts, *sums, stack]
                )
        if None in self.stubs:
            end = self.stubs[None]
            with building(Builder(end)) as b:
                carried = region.carried(region.graph)
                values = [
                    P.add(passed[q[:2]], d) if q[:2] in passed else d
                    for q, d in zip(carried, end.params)
                ]
                self._return(b, [*values, *end.params[len(carried) :]])

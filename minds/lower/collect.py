"""Products that the backward pass of a loop adds up are done for many iterations at once.

    back(acc, …) = back(acc + xᵀ·d, …)

becomes a loop that writes the rows of x and d under those of earlier iterations, and adds one product
where there is no more room and where the loop ends. A column sum of such a d is taken with them. So the
gradient of a weight costs one long product for a few dozen iterations, and the accumulator is read
and written as rarely. The sums are taken in another order, which depends on shapes only.

An accumulator is a param that each iteration hands on with something added to it, and that nothing
reads before the loop ends. Only sums of cotangents are taken, never those of the user's own loops. Of
loops, those whose graphs call one another in tail position. The program must be closed, and stays so.
"""

from __future__ import annotations

from ..base import dtype as dt
from ..ir.abstract import INT, AbstractTensor
from ..ir.build import Builder, building
from ..ir.node import Apply, Graph, Node, Param, replace, set_args, set_fn
from ..ops.define import P
from .tail_loop import TailLoop, like, loops, renamed

MOST_ROWS, TIMES = 256, 64
"""A product has at most so many rows, of at most so many iterations."""

LEAST = 1 << 14
"""Products with fewer elements are left alone: they cost no more than to write down their rows."""


LAID = (P.reshape, P.transpose, P.cast)
"""What may be between a product and the sum to which it goes."""


def collect(graph: Graph) -> None:
    """Collect the products of all loops."""
    for loop in loops(graph, AddingLoop):
        if loop.find():
            loop.rewrite()


class Accumulator:
    """An accumulator.

    Attributes:
        values: the nodes that hold it: params, and sums of one of ``values`` and something else.
        places: for each graph of the loop the index at which its tail call passes it.
    """

    def __init__(self, values: dict[Node, None], tails: dict):
        self.values = values
        found = {g: [a in values for a in tail.args] for g, (tail, _) in tails.items()}
        self.places = {g: at.index(True) for g, at in found.items() if True in at}

    def terms(self) -> list[tuple[Apply, Apply]]:
        """The sums, each with what it adds, where that is computed for it alone."""
        sums = [n for n in self.values if n.__class__ is Apply]
        terms = [next(a for a in n.args if a not in self.values) for n in sums]
        return [(n, t) for n, t in zip(sums, terms) if t.__class__ is Apply and t.uses == {n: 1}]


class Collected:
    """What is collected of one graph, with the same number of rows per iteration.

    Attributes:
        rows, times: of an iteration; how many iterations there is room for.
        operands: (node, whether it lies transposed), each with a number.
        sites: the sums that are taken out.
        terms: what is added instead: the accumulator, and the numbers of two operands of a product, or
            of the one whose columns are summed.
    """

    def __init__(self, g: Graph, rows: int):
        self.graph, self.rows, self.times = g, rows, min(TIMES, MOST_ROWS // rows)
        self.operands: dict[tuple, int] = {}
        self.sites: list[tuple[Apply, Apply]] = []
        self.terms: list[tuple[Accumulator, list[int]]] = []

    def add(self, column: Accumulator, site: tuple[Apply, Apply], operands: list[tuple]) -> None:
        """Take a term that is added to ``column``."""
        numbers = [self.operands.setdefault(o, len(self.operands)) for o in operands]
        self.sites.append(site)
        self.terms.append((column, numbers))

    def params(self, g: Graph) -> list[Param]:
        """New params of ``g``: how many iterations are written down, and the buffers."""
        widths = [n.shape[not turned] for n, turned in self.operands]
        types = [
            AbstractTensor((self.times, self.rows, w), n.dtype)
            for w, (n, _) in zip(widths, self.operands)
        ]
        return [g.add_param("count", INT), *[g.add_param("rows", t) for t in types]]

    def write(self, count: Node, buffers: list[Node]) -> list[Node]:
        """The buffers with the rows of this iteration."""
        at = P.reshape(P.scalar_to_tensor(count, dt.int64), (1,))
        laid = [P.transpose(n, (1, 0)) if turned else n for n, turned in self.operands]
        return [P.tensor_scatter(buffer, at, n, "update") for buffer, n in zip(buffers, laid)]

    def added(self, sums: dict[Accumulator, Node], buffers: list[Node]) -> dict[Accumulator, Node]:
        """The accumulators with what the buffers hold."""
        sums, flat = dict(sums), [P.reshape(b, (-1, b.shape[2])) for b in buffers]
        for column, numbers in self.terms:
            if column in sums:
                old, (x, *y) = sums[column], [flat[i] for i in numbers]
                term = P.matmul(x, y[0], True, False) if y else P.sum(x, (0,))
                term = P.reshape(term, old.shape)
                sums[column] = P.add(
                    old, P.cast(term, old.dtype) if term.dtype is not old.dtype else term
                )
        return sums


def empty(buffers: list) -> list[Node]:
    """Zeros like ``buffers``."""
    return [P.full(b.shape, 0, b.dtype) for b in buffers]


class AddingLoop(TailLoop):
    """A loop whose products are collected.

    Attributes:
        blocks: by a graph and the rows of its products, what is collected of it.
    """

    def __init__(self, group: list[Graph], calls: dict):
        super().__init__(group, calls)
        self.blocks: dict[tuple, Collected] = {}

    # ---- what there is

    def find(self) -> bool:
        """Find the accumulators and what is added to them; whether something is collected."""
        seen: set[Node] = set()
        columns = []
        for p in [p for g in self.tails for p in g.params]:
            if p not in seen and any(_sums_cotangents(n) for n in p.uses):
                values = self._values(p)
                seen.update(values)
                if self._is_accumulator(values):
                    columns.append(Accumulator(values, self.tails))
        sites = [(column, *site) for column in columns for site in column.terms()]
        for site in sites:
            self._take_product(*site)
        for site in sites:
            self._take_sum(*site)
        return bool(self.blocks)

    def _values(self, p: Param) -> dict[Node, None]:
        """What ``p`` becomes and comes from, as far as it is handed on and added to."""
        values, work = {p: None}, [p]
        while work:
            v = work.pop()
            found = [n for n in v.uses if n.fn is P.add]
            tail, targets = self.tails[v.graph]
            for i in [i for i, a in enumerate(tail.args) if a is v]:
                found += [h.params[i] for h in targets if h in self.tails]
            if v.__class__ is Param:
                found += [a for a in self._given(v) if a.__class__ is Param]
            new = [n for n in dict.fromkeys(found) if n not in values]
            values.update(dict.fromkeys(new))
            work += new
        return values

    def _given(self, p: Param) -> list[Node]:
        """What the graphs of the loop pass for a param."""
        at = p.graph.params.index(p)
        return [tail.args[at] for tail, targets in self.tails.values() if p.graph in targets]

    def _is_accumulator(self, values: dict) -> bool:
        """Whether each of ``values`` is added to or handed on, once, and nothing else takes its
        place.
        """
        if any(sum(a in values for a in tail.args) > 1 for tail, _ in self.tails.values()):
            return False
        for v in values:
            if v.__class__ is Param:
                stays = all(a in values for a in self._given(v))
            else:
                stays = _sums_cotangents(v) and [a in values for a in v.args].count(True) == 1
            tail = self.tails[v.graph][0]
            handed = all(n is tail and v is not tail.fn or n in values for n in v.uses)
            if not (stays and handed and sum(v.uses.values()) <= 1):
                return False
        return True

    def _take_product(self, column: Accumulator, n: Apply, t: Apply) -> None:
        product, turned = _innermost(t)
        if product.fn is P.matmul and product.size >= LEAST:
            x, y, turned_x, turned_y = product.args
            rows = x.shape[not turned_x.value]
            if len(x.shape) == len(y.shape) == 2 and 0 < rows * 2 <= MOST_ROWS:
                block = self.blocks.setdefault((n.graph, rows), Collected(n.graph, rows))
                operands = [(x, not turned_x.value), (y, turned_y.value)]
                block.add(column, (n, t), operands[::-1] if turned else operands)

    def _take_sum(self, column: Accumulator, n: Apply, t: Apply) -> None:
        """A sum over the rows of what is collected for a product."""
        inner, _ = _innermost(t)
        if inner.fn is P.sum and inner.args[1].value == (0,):
            operand = inner.args[0], False
            for (g, _), block in self.blocks.items():
                if g is n.graph and operand in block.operands:
                    block.add(column, (n, t), [operand])
                    return

    # ---- what becomes of it

    def rewrite(self) -> None:
        """Let the loop carry the buffers."""
        header, blocks, users = self.header, list(self.blocks.values()), self.users()
        start = like(header)
        carried = {g: [block.params(g) for block in blocks] for g in self.tails}
        with building(Builder(start, loc=header.loc)) as b:
            first = [v for own in carried[header] for v in (b.constant(0), *empty(own[1:]))]
            start.output = b.emit(header, [*start.params, *first], header.ret.abstract)
        for g in self.tails:
            self._rewrite(g, carried[g])
        for n in users:
            args = [renamed(a, header, start) for a in n.args]
            set_args(n, args)
            if n.fn is header:
                set_fn(n, start)

    def _rewrite(self, g: Graph, carried: list[list[Node]]) -> None:
        """Let ``g`` write its rows, and hand on the buffers."""
        tail, targets = self.tails[g]
        for n, t in [site for block in self.blocks.values() for site in block.sites]:
            if n.graph is g:
                replace(n, n.args[0] if n.args[1] is t else n.args[1])
                g.remove(n)
                while t.fn in LAID:
                    g.remove(t)
                    t = t.args[0]
                g.remove(t)
        args, callee = list(tail.args), tail.fn
        with building(Builder(g, tail, tail.loc)) as b:
            for i, block in enumerate(self.blocks.values()):
                if block.graph is g:
                    carried[i] = self._write(b, block, args, *carried[i])
            graphs = [h if h in self.tails else self._end(g, h) for h in targets]
            new = graphs[0] if len(graphs) == 1 else b.switch(callee.args[0], *graphs)
            g.output = b.emit(new, args + [v for own in carried for v in own], tail.abstract)
        g.remove(tail)
        if callee.__class__ is Apply and not callee.uses:
            g.remove(callee)

    def _write(self, b: Builder, block: Collected, args: list, count: Node, *buffers) -> list[Node]:
        """Write the rows of ``block``; if there is no more room, add what is there to the accumulators
        among ``args``. Gives how many iterations are written down, and the buffers.
        """
        at = {c: c.places[block.graph] for c, _ in block.terms}
        buffers, count = block.write(count, buffers), P.add(count, 1)
        kept = [count, *buffers]

        def add(sums: dict, count: Node, *buffers) -> list:
            return [*block.added(sums, buffers).values(), b.constant(0), *empty(buffers)]

        def wait(sums: dict, *kept) -> list:
            return [*sums.values(), *kept]

        found = _either(
            b, P.equal(count, block.times), add, wait, {c: args[i] for c, i in at.items()}, kept
        )
        for i, v in zip(at.values(), found):
            args[i] = v
        return found[len(at) :]

    def _end(self, g: Graph, target: Graph) -> Graph:
        """What the tail call of ``g`` calls in place of ``target``, where the loop ends."""
        end = like(target)
        args = list(end.params)
        with building(Builder(end, loc=target.loc)) as b:
            for block in self.blocks.values():
                count, *buffers = block.params(end)
                at = {c: c.places[g] for c, _ in block.terms if g in c.places}

                def add(sums: dict, *buffers, block=block) -> list:
                    return list(block.added(sums, buffers).values())

                def wait(sums: dict, *_) -> list:
                    return list(sums.values())

                sums = {c: args[i] for c, i in at.items()}
                found = _either(b, P.less(0, count), add, wait, sums, buffers)
                for i, v in zip(at.values(), found):
                    args[i] = v
            end.output = b.emit(target, args, target.ret.abstract)
        return end


def _innermost(t: Apply) -> tuple[Apply, bool]:
    """What ``t`` is but for its type, and whether it is the transpose of that; itself where others
    use what is on the way.
    """
    inner, turned = t, False
    while inner.fn in LAID:
        transposes, below = inner.fn is P.transpose, inner.args[0]
        apart = (
            below.__class__ is not Apply or below.uses != {inner: 1} or below.graph is not t.graph
        )
        if (
            apart
            or inner.fn is P.reshape
            and turned
            or transposes
            and inner.args[1].value != (1, 0)
        ):
            return t, False
        inner, turned = below, turned != transposes
    return inner, turned


def _sums_cotangents(n: Apply) -> bool:
    """Whether ``n`` adds cotangents of one type."""
    is_sum = n.fn is P.add and n.loc is not None and n.loc.backward
    return is_sum and all(a.abstract is n.abstract for a in n.args)


def _either(b: Builder, cond: Node, then, other, sums: dict, values: list) -> list[Node]:
    """What ``then(sums, *values)`` gives where ``cond`` holds, else ``other``, as graphs."""
    graphs = []
    for fill in (then, other):
        g = Graph(fill.__name__, b.loc)
        own = {c: g.add_param("sum", v.abstract) for c, v in sums.items()}
        held = [g.add_param("held", v.abstract) for v in values]
        with building(Builder(g, loc=b.loc)) as inner:
            g.output = inner.make_tuple(fill(own, *held))
        graphs.append(g)
    kind = graphs[0].ret.abstract
    t = b.emit(b.switch(cond, *graphs), [*sums.values(), *values], kind)
    return [b.getitem(t, i) for i in range(len(kind.items))]

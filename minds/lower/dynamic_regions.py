"""Dynamic regions: what a program computes with sizes that its own run finds.

An op such as `nonzero` finds a size when it runs. What depends on that size, and nothing else, is
cut out of the graphs: each stretch of such ops becomes a *dynamic region*, a graph with open dimensions that
is lowered for each size it meets. For the rest of the program a region is one instruction, which
takes and gives values whose shapes the runtime carries with them; so they go through calls, loops,
closures and gradients like others.

A stretch ends where something else needs one of its results. It takes every size that it mentions
from the shapes of its operands, or of a value that is at hand only to tell that size.
"""

from __future__ import annotations

from ..base.errors import UserError, complain, locate
from ..ir import prim
from ..ir.abstract import INT, AbstractScalar, AbstractTensor, AbstractTuple
from ..ir.bind import bind
from ..ir.dim import Dim, Unbacked, eliminated, lone, narrowed, of_var, replaced, solved, variables
from ..ir.node import Apply, Constant, Graph, Node, set_args
from ..ir.sizes import bound, mentioned, open_, sizes_of
from ..ops.define import ATTR, TENSORS, Op
from .select import leaves

_KEPT = 256
"""So many programs of one region are kept, the latest made."""


def dynamic_region(operands: tuple[Tensor, ...], work: DynamicRegion):  # noqa: F821  (the annotations are the op's kinds)
    """What `work` computes of `operands`."""
    raise AssertionError("regions are typed when they are cut")


DYNAMIC_REGION = Op(dynamic_region, host=lambda operands, work: work(operands))


def is_open(n: Apply) -> bool:
    """Whether ``n`` is an op on values whose sizes are found by the run."""
    return isinstance(n.fn, Op) and (
        open_(n.abstract)
        or any(open_(a.value if type(a) is Constant else a.abstract) for a in n.args)
    )


class DynamicRegion:
    """The work of one region.

    Attributes:
        graph: typed and closed, with open dimensions.
        types: of the operands.
        lower: makes a program of a graph.
        loc: where in the user's code it stands.
        programs: by the sizes of the operands.
    """

    __slots__ = ("graph", "loc", "lower", "programs", "types")

    def __init__(self, graph: Graph, lower, loc):
        self.graph, self.lower, self.loc = graph, lower, loc
        self.types = [a for p in graph.params for a in leaves(p.abstract)]
        self.programs: dict[tuple, object] = {}

    def __call__(self, arrays: list) -> list:
        """Arrays in, arrays out.

        Raises:
            ValueError: the sizes are others than the program was compiled for.
        """
        key = tuple([a.shape for a in arrays])
        program = self.programs.get(key)
        if program is None:
            program = self.programs[key] = self._made(key)
            if len(self.programs) > _KEPT:
                del self.programs[next(iter(self.programs))]
        return program(arrays)

    def _made(self, shapes: tuple):
        env, wrong = sizes_of([p for a, s in zip(self.types, shapes) for p in zip(a.shape, s)])
        if wrong is not None:
            return self.lower(self._apart(shapes))
        graph = bind(self.graph, env)
        for n in graph:
            if isinstance(n.fn, Op):
                _infer_anew(n)
        return self.lower(graph)

    def _apart(self, shapes: tuple) -> Graph:
        """The graph for operands with one size that has several values: each turn of a loop finds its
        own, and a derivative of a derivative may have values of two turns. Each op must agree with
        itself, and none may need the size as a number.

        Raises:
            ValueError: one does not, or does.
        """
        graph, given = bind(self.graph, {}), iter(shapes)
        typed = {n: n.abstract for g in (graph.params, graph) for n in g}
        for p in graph.params:
            p.abstract = _of_shapes(p.abstract, given)
        for n in graph:
            if n.fn is prim.make_tuple:
                n.abstract = AbstractTuple([a.abstract for a in n.args])
                continue
            if n.fn is prim.tuple_getitem:
                n.abstract = n.args[0].abstract.items[n.args[1].value]
                continue
            if not any(type(a) is Constant and open_(a.value) for a in n.args):
                n.abstract = _inferred(n)
                known = [a for a in n.operands if type(a) is not Constant]
                if _agree([(typed[v], v.abstract) for v in (*known, n)]):
                    continue
            raise complain(
                ValueError,
                "sizes differ that must be equal",
                loc=self.loc,
                operands=[(repr(a), str(s)) for a, s in zip(self.types, shapes) if open_(a)],
            )
        graph.ret.abstract = graph.output.abstract
        return graph


def _of_shapes(a, shapes):
    """An abstract value with the next of ``shapes`` for each tensor or number."""
    if type(a) is AbstractTuple:
        return AbstractTuple([_of_shapes(i, shapes) for i in a.items])
    shape = next(shapes)
    return AbstractTensor(shape, a.dtype) if type(a) is AbstractTensor else a


def _agree(pairs: list) -> bool:
    """Whether abstract values with open sizes can be those without."""
    sizes = [
        p
        for a, b in pairs
        for x, y in zip(leaves(a), leaves(b), strict=True)
        for p in zip(x.shape, y.shape, strict=True)
    ]
    return sizes_of(sizes)[1] is None


def _inferred(n: Apply):
    """What the inference of an op gives for its operands as they are now.

    Raises:
        ValueError, …: it refuses them.
    """
    seen = [
        a.value
        if k == ATTR or type(a) is Constant and a.value is None
        else a.abstract.items
        if k == TENSORS
        else a.abstract
        for a, k in zip(n.args, n.fn.kinds, strict=True)
    ]
    try:
        return n.fn.infer(seen)[0]
    except UserError as e:
        raise locate(e, n.loc) from e.__cause__


def _infer_anew(n: Apply) -> None:
    """Ask the inference of an op again, for sizes that are known now.

    Raises:
        ValueError, …: it refuses them; or the result is another than was thought before they were
        known.
    """
    found = _inferred(n)
    if [(a.shape, a.dtype) for a in leaves(found)] != [
        (a.shape, a.dtype) for a in leaves(n.abstract)
    ]:
        raise complain(
            ValueError,
            f"{n.fn.name}: gives {found!r} for the sizes that the run found",
            loc=n.loc,
            expected=f"{n.abstract!r}, as for other sizes",
            cure="run it in PyNative mode",
        )


def cut(graphs: list[Graph], lower) -> None:
    """Cut the regions out of graphs, in place.

    Args:
        graphs (list): typed and closed.
        lower (callable): what makes a program of a region for given sizes.

    Raises:
        TypeError: a graph mentions a size that nothing in it tells.
    """
    for g in graphs:
        _Cutter(g, lower).run()


class _Cutter:
    """Cuts one graph."""

    def __init__(self, graph: Graph, lower):
        self.graph, self.lower = graph, lower
        self.members: dict[Apply, None] = {}  # the stretch that is not yet cut, in order
        self.tells: dict[
            Unbacked, tuple
        ] = {}  # a value whose shape tells a size: (node, path of items)

    def run(self) -> None:
        for p in self.graph.params:
            self._note(p, p.abstract, ())
        n = self.graph.head
        while n is not None:
            after = n.next
            self._visit(n)
            n = after
        self._visit(self.graph.ret)

    def _note(self, n: Node, a, path: tuple) -> None:
        """Remember the sizes that the shape of a value tells."""
        if type(a) is AbstractTuple:
            for i, item in enumerate(a.items):
                self._note(n, item, (*path, i))
        else:
            for x in _told(a):
                self.tells.setdefault(x, (n, path))

    def _visit(self, n: Apply) -> None:
        uses = any(a in self.members for a in n.operands)
        alone = isinstance(n.fn, Op) and (n.fn.host is not None or n.fn.has_effect)
        moves = n.fn in (prim.make_tuple, prim.tuple_getitem) and _is_data(n.abstract)
        if is_open(n) and not alone or uses and moves:
            self.members[n] = None
            return
        if uses:
            self._cut(n)
        kinds = n.fn.kinds if isinstance(n.fn, Op) else [None] * len(n.args)
        if any(type(a) is Constant and k != ATTR and open_(a.value) for a, k in zip(n.args, kinds)):
            set_args(
                n,
                [
                    a if type(a) is not Constant or k == ATTR else self._number(n, a)
                    for a, k in zip(n.args, kinds)
                ],
            )
        self._note(n, n.abstract, ())

    def _number(self, n: Apply, a: Constant) -> Node:
        """A node for an operand of ``n`` that is a size, or a tuple of such: a region computes
        it.
        """
        if type(a.value) is tuple:
            items = [
                self._number(n, Constant(v, t, a.loc)) for v, t in zip(a.value, a.abstract.items)
            ]
            return self._put(n, prim.make_tuple, items, a.abstract, a.loc)
        return self._emit(n, [], [a], a.loc or n.loc)[0] if type(a.value) is Dim else a

    def _cut(self, before: Apply) -> None:
        """Put the stretch into a region before ``before``."""
        members, self.members = self.members, {}
        outs = [m for m in members if any(u not in members for u in m.uses)]
        loc = next((m.loc for m in reversed(members) if isinstance(m.fn, Op)), before.loc)
        for old, new in zip(outs, self._emit(before, list(members), outs, loc)):
            for user in [u for u in old.uses if u not in members]:
                set_args(user, [new if a is old else a for a in user.args])
            self._note(new, new.abstract, ())
        for m in reversed(members):
            self.graph.remove(m)

    def _emit(self, before: Apply, members: list, outs: list, loc) -> list:
        """A region before ``before`` that computes ``members``. Returns the nodes for ``outs``."""
        inside = set(members)
        inputs = list(
            dict.fromkeys(
                a for m in members for a in m.args if type(a) is not Constant and a not in inside
            )
        )
        told = {x for a in inputs for x in _told(a.abstract)}
        names = _named([a.abstract for a in inputs], told)
        values = [v for m in members for v in (m, *m.args)] + outs
        for x in dict.fromkeys(
            x
            for v in values
            for x in mentioned(bound(v.value if type(v) is Constant else v.abstract, names))
        ):
            if x not in told:
                inputs.append(self._witness(before, x, loc))
                told.update(_told(inputs[-1].abstract))
        work = Graph("dynamic_region", loc)
        here: dict = {a: work.add_param(f"x{i}", a.abstract, a.loc) for i, a in enumerate(inputs)}
        for m in members:
            here[m] = work.insert(Apply(m.fn, [here.get(a, a) for a in m.args], m.abstract, m.loc))
        types = AbstractTuple([v.abstract for v in outs])
        work.output = work.insert(
            Apply(prim.make_tuple, [here.get(v, v) for v in outs], types, loc)
        )
        given = self._put(
            before, prim.make_tuple, inputs, AbstractTuple([a.abstract for a in inputs]), loc
        )
        job = Constant(DynamicRegion(bind(work, names), self.lower, loc))
        done = self._put(before, DYNAMIC_REGION, (given, job), types, loc)
        return [self._item(before, done, i) for i in range(len(outs))]

    def _put(self, before: Apply, fn, args, a, loc) -> Apply:
        return self.graph.insert(
            Apply(fn, args, a, loc), before if before is not self.graph.ret else None
        )

    def _item(self, before: Apply, t: Node, i: int) -> Apply:
        return self._put(
            before, prim.tuple_getitem, (t, Constant(i, INT)), t.abstract.items[i], t.loc
        )

    def _witness(self, before: Apply, x: Unbacked, loc) -> Node:
        """A value whose shape tells ``x``."""
        if x not in self.tells:
            raise complain(
                TypeError,
                f"the size `{x!r}`, which is known only at run time, is needed where no tensor has "
                "it",
                loc=loc,
                cure="pass a tensor of that size to the function that needs it",
            )
        n, path = self.tells[x]
        for i in path:
            n = self._item(before, n, i)
        return n


def _is_data(a) -> bool:
    """Whether values of type ``a`` are tensors and numbers alone, as an op takes them."""
    return all(type(leaf) in (AbstractTensor, AbstractScalar) for leaf in leaves(a))


def _told(a) -> list:
    """The variables that the shapes of a value tell."""
    if type(a) is AbstractTuple:
        return [x for item in a.items for x in _told(item)]
    shape = a.shape if type(a) is AbstractTensor else ()
    return [x for d in shape if (x := lone(d)) is not None and solved(d, 0) is not None]


def _named(types: list, told: set) -> dict:
    """What to replace so that sizes which no shape tells alone, but in an expression, are not
    mentioned: the expressions get names, which are told then.
    """
    known: dict = {}
    stack = list(reversed(types))
    while stack:
        a = stack.pop()
        if type(a) is AbstractTuple:
            stack += reversed(a.items)
        for d in a.shape if type(a) is AbstractTensor else ():
            d = replaced(d, known)
            if type(d) is Dim and not set(variables(d)) <= told:
                name = of_var(Unbacked(f"size.{len(known)}"))
                found = eliminated(d, name)
                if found is not None:
                    told.update(variables(name))
                    known = narrowed(known, dict([found]))
    return known

"""A compiled function in two programs: what can be computed from its arguments, and what needs
more, given later and any number of times. `vjp` and `linearize` outside of compiled code stand on
this.

One program is compiled in which the later arguments are parameters too. Its root is then cut: what
does not depend on them runs first and returns, besides the value, every tensor that the rest needs.
A function value cannot leave a program: what made it, a loop whose iterations are to be gone back
through, runs again in the second one.
"""

from __future__ import annotations

from functools import partial

from .. import lower
from ..base.errors import CompileTimeError
from ..base.options import freeze, place
from ..frontend.imports import Captures
from ..frontend.values import leaf_abstracts
from ..ir import prim, walk
from ..ir.abstract import NONE, AbstractRef, AbstractScalar, AbstractTensor
from ..ir.build import Builder
from ..ir.clone import Cloner
from ..ir.node import Apply, Constant, Graph, Node, Param, is_apply, replace
from ..ir.shape_env import ShapeEnv
from ..jit import steps
from ..jit.arguments import CONSTANTS, Numbers, array_of, identities, key_of
from ..jit.cache import cache_of
from ..jit.guards import Guards
from ..jit.program import arrays_of
from ..jit.results import restored
from ..ops import tensor_hooks as hooks
from ..passes.driver import run_steps
from ..tensor import Tensor


class Stages:
    """What is compiled. Subclasses give `first`."""

    def first(self, *args) -> tuple:
        """(value, the types of the later arguments, the function of these)."""
        raise NotImplementedError

    def _emit(self, ip, args, kwargs):
        value, types, later = ip.native(self.first, *args)
        self.params = [ip.root.add_param(f"later{i}", a) for i, a in enumerate(types)]
        return value, ip.native(later, self.params)


class Staged:
    """The two programs.

    Attributes:
        first, second: their executables.
        out: the skeleton of (value, what the second returns).
        count: the number of leaves of the value.
        types: of the later arguments.
        inputs: the numbers of the arguments that the second program needs.
        reads: the parameters that it reads by itself.
    """

    __slots__ = ("count", "guards", "first", "inputs", "out", "reads", "second", "types")

    def __init__(self, stages: Stages, args: tuple, taken: Numbers | None, captures: Captures):
        options = freeze(alone=True)
        with steps.quietly(), ShapeEnv({}, True) as scope:
            ip, self.out = steps.parse(stages, args, {}, options, taken, captures=captures)
            if ip.imports.given or ip.tensors.stored() or scope.found:
                raise Unsplit
            graph = run_steps(ip.root, steps.STEPS, options)
            self.count = len(leaf_abstracts(self.out[0], []))
            early, late, self.inputs = _cut(graph, stages.params, self.count)
            self.types = [p.abstract for p in stages.params]
            self.first, self.second = (
                lower.program.lower(early, options),
                lower.program.lower(late, options),
            )
        self.guards = Guards.of(ip)
        self.first.bind(arrays_of(self.guards.parameters))
        self.reads = [p.default for p in late.params if isinstance(p.abstract, AbstractRef)]


class Unsplit(Exception):
    """The function cannot be compiled in two parts."""


def run(owner, stages: Stages, args: tuple, spec) -> tuple:
    """(value, `Later`), by programs that are kept for arguments like these.

    Raises:
        Unsplit: something with an effect would have to run twice.
    """
    cache = cache_of(owner)
    leaves: list = []
    taken = cache.numbers.get(spec)
    key = (spec, key_of(args, leaves, taken and taken.fresh()), hooks.changes[0], place())
    found = cache.find(key, leaves)
    if found is None:
        try:
            program = cache.taking(spec, partial(Staged, stages, args, taken))
        except CompileTimeError:
            if taken is not None or not any(type(v) in (int, float) for v in leaves):
                raise
            cache.numbers[spec] = CONSTANTS
            return run(owner, stages, args, spec)
        cache.watch(key, identities(args, []))
        cache.keep(key, program)
        leaves += program.guards.begin()[0]
        found = program, leaves, ()
    program = found[0]
    arrays = list(map(array_of, leaves))
    results = program.first(arrays)
    values = iter(_wrapped(program.out[0], results[: program.count]))
    held = [Tensor._wrap(p._array.reshape(p.shape)) for p in program.reads]
    kept = [*(arrays[i] for i in program.inputs), *results[program.count :]]
    return restored(program.out[0], values, ()), Later(program, kept, held)


class Later:
    """The second program at one point."""

    def __init__(self, program: Staged, kept: list, held: list):
        self.program, self.kept, self.held = program, kept, held

    def __call__(self, values: list):
        """Its result for the later arguments, tensors or numbers of the types in
        ``program.types``.
        """
        program = self.program
        if self.held:
            program.second.bind([t._array for t in self.held])
        found = program.second([*self.kept, *map(array_of, values)])
        return restored(program.out[1], iter(_wrapped(program.out[1], found)), ())


def _wrapped(skeleton, arrays: list) -> list:
    return [
        a.item() if isinstance(t, AbstractScalar) else Tensor._wrap(a)
        for t, a in zip(leaf_abstracts(skeleton, []), arrays)
    ]


def _cut(root: Graph, later: list[Param], count: int) -> tuple[Graph, Graph, list]:
    """The roots of the two programs: ``root``, which from now on returns its first ``count``
    results and what the other one needs, and a copy of the rest; and the parameters that the other
    one needs as they are.
    """
    out = root.output
    results = list(out.args) if is_apply(out, prim.make_tuple) else _items(root, out)
    root.output = Constant(None, NONE)
    if is_apply(out, prim.make_tuple) and not out.uses:
        root.remove(out)
    waits: set[Node] = set(later)
    for n in root:
        if any(a in waits for a in n.operands):
            waits.add(n)
    needed, again = _needed(
        waits, results[count:], [a for n in root if n in waits for a in n.operands]
    )
    if any(n.fn.__class__ is Graph or isinstance(n.fn, Node) for n in again) and _has_effects(root):
        raise Unsplit
    copies = _copied(root)
    second = copies.graphs[root]
    second.output = _tuple(second, [copies.value(r) for r in results[count:]])
    given = {n: Param("kept", n.abstract, second, n.loc) for n in needed}
    for n, p in given.items():
        replace(copies.nodes[n], p)
    inputs, made = (
        [n for n in needed if n.__class__ is Param],
        [n for n in needed if n.__class__ is Apply],
    )
    root.output = _tuple(root, [*results[:count], *made])
    _drop(
        second,
        {copies.nodes[n] for n in root if n in copies.nodes and n not in waits and n not in again},
    )
    _drop(root, waits)
    refs = [p for p in root.params if isinstance(p.abstract, AbstractRef) and copies.nodes[p].uses]
    for p in refs:
        copies.nodes[p].default = p.default
    second.params = [
        *(copies.nodes[p] for p in refs),
        *(given[n] for n in (*inputs, *made)),
        *(copies.nodes[p] for p in later),
    ]
    root.params = [p for p in root.params if p not in later]
    for g in (root, second):
        walk.mark_effects(g, walk.call_map(g))
    plain = [p for p in root.params if not isinstance(p.abstract, AbstractRef)]
    return root, second, [plain.index(n) for n in inputs]


def _needed(waits: set, results: list, operands: list) -> tuple[dict, set]:
    """(the tensors and numbers to keep for what ``waits``, the applies that must run again
    there).
    """
    needed, again, stack = {}, set(), [*results, *operands]
    while stack:
        a = stack.pop()
        if (
            a.__class__ is Constant
            or a in waits
            or a in again
            or isinstance(a.abstract, AbstractRef)
        ):
            continue
        if isinstance(a.abstract, (AbstractTensor, AbstractScalar)):
            needed[a] = None
        else:
            again.add(a)
            stack += a.operands
    return needed, again


def _has_effects(root: Graph) -> bool:
    """Whether something that is called has an effect: it could not run twice."""
    return any(
        n.has_effect and not isinstance(n.fn, (Node, Graph))
        for g in walk.graphs(root)
        if g is not root
        for n in g
    )


def _copied(root: Graph) -> Cloner:
    """Copies of all graphs of a closed program."""
    copies = Cloner(walk.graphs(root))
    copies.shells()
    for g in copies.order:
        copies.body(g, copies.graphs[g])
    copies.finish()
    for g in copies.order:
        copies.graphs[g].output = copies.value(g.output)
        copies.graphs[g].flags = dict(g.flags)
    return copies


def _items(root: Graph, t: Node) -> list[Node]:
    builder = Builder(root)
    return [builder.getitem(t, i) for i in range(len(t.abstract.items))]


def _tuple(graph: Graph, nodes: list) -> Node:
    return Builder(graph).make_tuple(nodes)


def _drop(graph: Graph, dead: set) -> None:
    for n in graph.reversed():
        if n in dead:
            graph.remove(n)


__all__ = ["Later", "Stages", "Unsplit", "run"]

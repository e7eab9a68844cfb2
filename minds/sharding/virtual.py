"""All ranks of a world in one process: their programs (`partition`) run side by side, op by op.

A rank goes on until it needs what others have; collectives combine terms in the order of the ranks, as the
engines do.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Generator

import numpy as np

from ..base import dtype as dt
from ..base.errors import complain
from ..ir import prim, stack, walk
from ..ir.abstract import AbstractRef, AbstractScalar, AbstractTensor, AbstractTuple
from ..ir.build import as_node
from ..ir.node import Apply, Constant, Graph, Node
from ..ops.define import ATTR, Op, P
from ..tensor import Tensor, scalar_tensor
from .cut import cut, share
from .partition import partition
from .parts import Laid
from .propagate import Shardings, shape_of
from .stages import StageMap

_COMBINE = {"sum": P.add, "max": P.maximum, "min": P.minimum, "prod": P.mul}


def run(
    graph: Graph, shardings: Shardings, args: list[Tensor], stages: StageMap | None = None
) -> tuple[tuple, list[Tensor]]:
    """The result of a graph on all devices.

    Args:
        graph (Graph): the program.
        shardings (Shardings): how its values lie on a mesh.
        args (list[Tensor]): whole tensors, what they refer to for references.
        stages (StageMap): of a pipeline, each of which is on a mesh. Default: None.

    Returns:
        tuple: for each tensor of the result what the ranks have, and the arguments with what references
            refer to now.

    Raises:
        RuntimeError: ranks wait for one another.
    """
    count = shardings.mesh.size * (1 if stages is None else stages.groups)
    programs = [partition(graph, shardings, r, stages=stages) for r in range(count)]
    given = [_parts(graph, local.flags["lies"], args) for local in programs]
    done = lockstep(programs, given)
    laid = [local.flags["lies"] for local in programs]
    references = [i for i, p in enumerate(graph.params) if isinstance(p.abstract, AbstractRef)]
    after = list(args)
    for k, i in enumerate(references):
        after[i] = _joined(graph.params[i], k, laid, [held[i] for _, held in done])
    return tuple(zip(*[result for result, _ in done])), after


def _parts(graph: Graph, laid: Laid, args: list) -> list:
    """What a rank has of the arguments: parts of what references refer to."""
    found, k = [], 0
    for p, value in zip(graph.params, args):
        if isinstance(p.abstract, AbstractRef):
            place, k = laid.place(k), k + 1
            part = place.layout.part(place.mesh, shape_of(p), place.rank)
            value = P.full((0,), 0, value.dtype) if place.is_away else cut(value, part)
        found.append(value)
    return found


def _joined(p: Node, k: int, laid: list[Laid], held: list[Tensor]) -> Tensor:
    """What a parameter holds, whole; every rank that has a part must have the same."""
    shape, found = shape_of(p), {}
    for at, value in zip(laid, held):
        place = at.place(k)
        if not place.is_away:
            part = place.layout.part(place.mesh, shape, place.rank)
            key = tuple([(s.start, s.stop) for s in part])
            old = found.setdefault(key, value.asnumpy())
            assert (old == value.asnumpy()).all(), f"{p.name}: ranks disagree"
    out = np.zeros(shape, held[0].asnumpy().dtype)
    for key, value in found.items():
        out[tuple([slice(*k) for k in key])] = value
    return Tensor(out, held[0].dtype)


def lockstep(programs: list[Graph], args: list[list]) -> list[tuple]:
    """Run the programs of ranks, the first of rank 0.

    Args:
        programs (list[Graph]): of ops and collectives.
        args (list[list[Tensor]]): of each; what they refer to for references.

    Returns:
        list[tuple]: for each rank its result, and its arguments with what references refer to now.

    Raises:
        RuntimeError: ranks wait for one another.
    """
    drawn: list = []
    ranks = [_RankProgram(r, _steps(*given, drawn)) for r, given in enumerate(zip(programs, args))]
    posted: dict[tuple, deque] = {}
    while True:
        moved = False
        for rank in ranks:
            while rank.asks is not None and _served(rank, ranks, posted):
                moved = True
        if all(rank.asks is None for rank in ranks):
            return [rank.result for rank in ranks]
        if not moved:
            waiting = {r.number: r.asks[0].name for r in ranks if r.asks is not None}
            raise complain(RuntimeError, f"ranks wait for one another: {waiting}")


class _RankProgram:
    """A program as far as it has come: ``asks`` for what its next collective takes, or has a ``result``."""

    def __init__(self, number: int, steps: Generator):
        self.number, self.steps, self.result = number, steps, None
        self.sent = False
        self.go_on(None)

    def go_on(self, value) -> None:
        self.sent = False
        try:
            self.asks = self.steps.send(value)
        except StopIteration as e:
            self.asks, self.result = None, e.value


def _steps(graph: Graph, args: list, drawn: list | None) -> Generator:
    """The program of a rank: yields a collective with its operands, and is sent its result. ``drawn`` is what
    other effects gave to the rank that had them first; None where no other rank has them.
    """
    given = [
        _Held(a) if isinstance(p.abstract, AbstractRef) else a for p, a in zip(graph.params, args)
    ]
    result = yield from _Steps(drawn).run(graph, given)
    return result, [a.value if isinstance(a, _Held) else a for a in given]


class _Held:
    """What a reference refers to."""

    def __init__(self, value: Tensor):
        self.value = value


class _Steps:
    """The steps of one rank; function values are graphs with what they captured."""

    def __init__(self, drawn: list | None):
        self.drawn, self.effects = drawn, 0

    def run(self, graph: Graph, args: list) -> Generator:
        """What a graph gives, for what its parameters are."""
        while True:
            values: dict[Node, object] = dict(zip(graph.params, args, strict=True))
            for n in graph:
                if walk.is_call(n) and n is graph.output:
                    graph, args = self._callee(n, values)
                    break
                values[n] = yield from self._value(n, values)
            else:
                return _of(graph.output, values)
            if graph.flags.get("record") == 0:
                return _zeros(n.abstract)

    def _callee(self, n: Apply, values: dict) -> tuple[Graph, list]:
        """The graph that a call enters, and what its parameters are."""
        fn, captured = (n.fn, ()) if isinstance(n.fn, Graph) else _of(n.fn, values)
        return fn, [*captured, *[_of(a, values) for a in n.args]]

    def _value(self, n: Apply, values: dict) -> Generator:
        fn = n.fn
        if walk.is_call(n):
            graph, args = self._callee(n, values)
            if graph.flags.get("record") == 0:
                return _zeros(n.abstract)
            steps = _Steps(None) if "pass" in graph.flags else self
            return (yield from steps.run(graph, args))
        if isinstance(fn, Op):
            return (yield from self._op(n, values))
        if fn is prim.assign:
            held, value = [_of(a, values) for a in n.args]
            held.value = value
            return value
        args = [_of(a, values) for a in n.args]
        if fn is prim.load:
            return args[0].value
        if fn is prim.make_tuple:
            return tuple(args)
        if fn is prim.tuple_getitem:
            return args[0][n.args[1].value]
        if fn is prim.switch:
            return args[1] if args[0] else args[2]
        (graph, captured), *more = args  # partial
        return graph, (*captured, *more)

    def _op(self, n: Apply, values: dict) -> Generator:
        fn = n.fn
        given = [a.value if k == ATTR else _of(a, values) for a, k in zip(n.args, fn.kinds)]
        if "ranks" in fn.names:
            return (yield fn, dict(zip(fn.names, given)))
        if not fn.has_effect or self.drawn is None:
            return fn(*given)
        if self.effects == len(self.drawn):  # a key that is drawn, a line that is printed
            self.drawn.append(fn(*given))
        self.effects += 1
        return self.drawn[self.effects - 1]


def _of(a: Node, values: dict):
    """The value of a node."""
    if not isinstance(a, Constant):
        return values[a]
    if isinstance(a.value, Graph):
        return a.value, ()
    if isinstance(a.abstract, AbstractScalar):
        return scalar_tensor(a.value, a.abstract.dtype)
    if isinstance(a.abstract, AbstractTuple):
        return tuple([_of(as_node(v), values) for v in a.value])
    return a.value


def _zeros(abstract):
    """What a stack without records gives where a type is expected."""
    if isinstance(abstract, AbstractTuple):
        return tuple(map(_zeros, abstract.items))
    if isinstance(abstract, AbstractTensor):
        return P.full(abstract.shape, 0, abstract.dtype)
    if isinstance(abstract, AbstractScalar):
        return scalar_tensor(abstract.kind(), abstract.dtype)
    return stack.empty().value, ()


def _served(rank: _RankProgram, ranks: list[_RankProgram], posted: dict[tuple, deque]) -> bool:
    """Let a rank go on, with all that take part, if what it asks for is there."""
    fn, asked = rank.asks
    if fn is P.exchange:
        return _exchanged(rank, asked, posted)
    group = [ranks[r] for r in asked["ranks"]]
    if any(r.asks is None or r.asks[0] is not fn or not _agree(r.asks[1], asked) for r in group):
        return False
    results = _collective(fn, [r.asks[1] for r in group])
    for r, value in zip(group, results):
        r.go_on(value)
    return True


def _agree(a: dict, b: dict) -> bool:
    """Whether two ranks ask for the same collective."""
    return all(a[k] == b[k] for k in ("op", "root", "ranks") if k in a)


def _exchanged(rank: _RankProgram, asked: dict, posted: dict[tuple, deque]) -> bool:
    """Send to the boxes of others, and take from the own ones."""
    here, tag = rank.number, asked["tag"]
    if not rank.sent:
        for to, value in zip(asked["to"], asked["values"]):
            posted.setdefault((here, to, tag), deque()).append(value)
        rank.sent = True
    boxes = [posted.get((source, here, tag)) for source in asked["source"]]
    if not all(boxes):
        return False
    rank.go_on(tuple([box.popleft() for box in boxes]))
    return True


def _collective(fn: Op, asked: list[dict]) -> list:
    """What each rank of a group gets."""
    first, n = asked[0], len(asked)
    if fn is P.all_reduce_bucket:
        sums = tuple([_total(first["op"], list(v)) for v in zip(*[a["values"] for a in asked])])
        return [sums] * n
    given = [a["x" if "x" in a else "token"] for a in asked]
    if fn is P.all_reduce:
        return [_total(first["op"], given)] * n
    if fn is P.reduce_scatter:
        total = _total(first["op"], given)
        return [share(total, 0, i, n) for i in range(n)]
    if fn is P.reduce_to:
        total = _total(first["op"], given)
        return [total if i == first["root"] else P.zeros_like(total) for i in range(n)]
    if fn is P.broadcast_from:
        return [given[first["root"]]] * n
    return [P.concat(tuple(given), 0)] * n if fn is P.all_gather else given


def _total(op: str, given: list[Tensor]) -> Tensor:
    """Terms combined in order; 16-bit floats are rounded once."""
    dtype = given[0].dtype
    if dtype.is_float and dtype.itemsize == 2:
        return P.cast(_total(op, [P.cast(v, dt.float32) for v in given]), dtype)
    return functools.reduce(_COMBINE[op], given)


__all__ = ["lockstep", "run"]

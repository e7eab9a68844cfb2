"""Traces in PyNative mode: a function is interpreted as for a compiled program, its graph
transformed.

So a transformation that exists for graphs only (`minds.batch`) serves PyNative mode too, with the
numbers of a compiled program. Under a tape the graph is run op by op by the eager ops, which
record; else, from the second call on, it is compiled. A trace is used again while everything that
it read outside of its source is as it was.
"""

from __future__ import annotations

from .. import eager_views
from ..ad import j as ad_j
from ..ad import tape
from ..base.errors import UserError, complain
from ..base.kept import kept
from ..base.options import Options, freeze
from ..batch import step as batch_step
from ..frontend.imports import Captures
from ..frontend.value_types import containers_of
from ..frontend.values import leaf_abstracts
from ..ir import prim, walk
from ..ir.abstract import AbstractScalar
from ..ir.clone import copy_program
from ..ir.fault import attributed
from ..ir.node import Constant, Graph, Node, set_args
from ..jit.arguments import CONSTANTS, array_of, identities, key_of
from ..jit.evaluate import run
from ..jit.guards import Guards, settled
from ..jit.parsing import parse
from ..jit.pipeline import STEPS, quietly
from ..jit.program import arrays_of
from ..jit.results import restored
from ..lower.program import lower
from ..ops import tensor_hooks as hooks
from ..ops.define import P
from ..passes.close import close
from ..passes.driver import run_steps
from ..passes.simplify import simplify_differentiable
from ..tensor import Parameter, Tensor

TRANSFORM = (
    simplify_differentiable,
    close,
    batch_step.make_step(simplify_differentiable, close),
    ad_j.make_step(simplify_differentiable, close),
    close,
)
"""What a traced program goes through, which an eager tape may differentiate."""
_KEPT = 32  # traces of one function


class Untraceable(Exception):
    """The function must be run as it is: compiled code cannot do what it does, or it has
    effects.
    """


def traced(fn, args: tuple):
    """``fn(*args)``, where ``fn`` emits itself (``_emit``) and says whose traces it shares
    (``_owner``, ``_spec``).

    Raises:
        Untraceable: the caller has to run it in another way.
    """
    leaves: list = []
    options = freeze(alone=True)
    try:
        given = key_of(args, leaves, CONSTANTS.fresh())
    except RecursionError:
        what = f"{fn.__name__}: a list or dict among the arguments holds itself"
        raise complain(RecursionError, what, cure="pass what it holds") from None
    key = (fn._spec(), given, hooks.changes[0], options)
    here = kept(fn._owner())
    found = here.setdefault("traces", {})
    trace = found.get(key)
    now = None if trace is None else trace.guards.now()
    if now is None:
        captures = here.setdefault("captures", {}).setdefault(key[0], Captures())
        if trace is not None:
            captures.vary(trace.guards.varied())
        trace = found[key] = _Trace(fn, args, options, captures)
        now = trace.guards.begin()
        if len(found) > _KEPT:
            del found[next(iter(found))]
    return restored(trace.out, iter(trace.results(leaves + now[0])), containers_of(args, []))


class _Trace:
    """A function interpreted for arguments like these.

    Attributes:
        graph, out: what to run, closed; the skeleton of the result.
        guards: what was read outside.
        constants: the parameters, and the tensors of the source, in the order of the graph.
        keep: objects whose identities the key has.
    """

    __slots__ = ("constants", "graph", "guards", "keep", "options", "out", "program", "runs")

    def __init__(self, fn, args: tuple, options: Options, captures: Captures):
        with quietly():

            def attempt(captures):
                return parse(fn, args, {}, options, CONSTANTS, captures=captures)

            try:
                ip, self.out = settled(captures, attempt)
            except UserError as e:
                # Run eagerly, the function either works or raises its own error.
                raise Untraceable(str(e)) from e
            _share_tensors(ip.root)
            if _has_effects(ip.root) or ip.imports.given or ip.tensors.stored():
                raise Untraceable("effects happen example by example")
            graph = ip.root
            for step in TRANSFORM:
                with attributed("in a step of a trace", graph):
                    graph = step(graph, options)
        self.graph, self.options = graph, options
        self.keep = [*identities(args, []), *fn._identities()]
        self.constants = [p.default for p in graph.params if p.default is not None]
        self.guards = Guards.of(ip)
        self.program, self.runs = None, 0

    def results(self, leaves: list) -> list:
        """The leaves of the result for those of the arguments and of outside; a number is a tensor
        where a tape records, to which it must be known.
        """
        self.runs += 1
        if tape.active() or self.runs == 1:
            order = iter(leaves), iter(self.constants)
            given = [next(order[p.default is not None]) for p in self.graph.params]
            # A result is a tensor of its own, though it be an operand or a part of one.
            return self._as_typed(eager_views.apart(list(run(self.graph, given)), given))
        if self.program is None:
            self._compile()
        shared = [t for t in self.constants if not isinstance(t, Parameter)]
        return self._as_typed(
            list(map(Tensor._wrap, self.program(list(map(array_of, (*leaves, *shared))))))
        )

    def _as_typed(self, found: list) -> list:
        if tape.active():
            return found
        return [
            t.item() if isinstance(a, AbstractScalar) and isinstance(t, Tensor) else t
            for t, a in zip(found, leaf_abstracts(self.out, []))
        ]

    def _compile(self) -> None:
        with quietly():
            graph = run_steps(copy_program(self.graph), STEPS, self.options)
            self.program = lower(graph, self.options)
        held = [p for p in self.constants if isinstance(p, Parameter)]
        self.program.bind(arrays_of(held))


def _share_tensors(root: Graph) -> None:
    """Tensors that the source mentions become parameters: they may be on a tape, so nothing may
    fold them.
    """
    params: dict[int, Node] = {}
    for g in walk.graphs(root):
        for n in (*g, g.ret):
            if any(a.__class__ is Constant and isinstance(a.value, Tensor) for a in n.args):
                set_args(n, [_param(root, params, a) for a in n.args])


def _param(root: Graph, params: dict, a: Node) -> Node:
    if a.__class__ is not Constant or not isinstance(a.value, Tensor):
        return a
    p = params.get(id(a.value))
    if p is None:
        p = params[id(a.value)] = root.add_param("constant", a.abstract)
        p.default = a.value
    return p


_RAISE = getattr(P, "raise")


def _is_limit(n) -> bool:
    """Whether a node raises where calls nest too deeply: that ends the examples together."""
    return n.fn is _RAISE and isinstance(getattr(n.args[1], "value", None), RecursionError)


def _has_effects(root: Graph) -> bool:
    return any(
        n.fn is prim.assign
        or n.fn.__class__ is not prim.Structural
        and not isinstance(n.fn, (Graph, Node))
        and n.fn.has_effect
        and n.fn is not P.random_key
        and not _is_limit(n)
        for g in walk.graphs(root)
        for n in g
    )

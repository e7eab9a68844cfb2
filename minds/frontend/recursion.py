"""Calls that do not inline: recursive functions, and cells with a gradient of their own.

A call is recursive when the same function is active with arguments of the same abstract value. It is then
interpreted into a graph that calls itself. The type of its result is found from the paths that do not
recurse: a recursive call whose type is not known yet abandons its path (`Bottom`), and interpretation is
repeated until the type no longer changes. A function all of whose paths wait for that of a call around it
abandons that call's path in turn.
"""
from __future__ import annotations

from dataclasses import dataclass, field

from ..base.errors import complain
from ..base.options import get_context
from ..ir.abstract import AbstractTensor
from ..ir.dim import Dim
from ..ir.node import Graph, Node
from ..ops.define import P
from ..ops.rules import fitted
from ..tensor import Parameter
from . import region, values
from .emit import CALLEE, Bottom, EmitBuilder
from .values import Frame, Leaf, Mismatch, extract, flatten, join, leaf_abstracts, unflatten, widen

STATIC_DEPTH = 40
"""Recursion over compile-time values is unrolled to this depth; then numbers among the arguments become
run-time values.
"""


@dataclass(eq=False)
class Recursive:
    """A function that is being interpreted into a graph: its argument skeleton, and its result's where known;
    ``passed`` has the lists and dicts of its result that it did not make.
    """

    graph: Graph
    args: dict
    result: object
    passed: list = field(default_factory=list)


_UNKNOWN = object()


def find(ip, frame: Frame, running: list):
    """How to call ``frame``'s function if that is recursion, else None (inline it)."""
    general = len(running) > STATIC_DEPTH
    skeleton = {n: (widen(v, deep=True) if general else _typed(v)) for n, v in frame.args.items()}
    for other in reversed(running):
        target = other.graph_of
        if target is not None and same(skeleton, target.args):
            return lambda: call(ip, target, frame)
    if general or any(
        same(skeleton, {n: _typed(v) for n, v in other.args.items()}) for other in running
    ):
        return lambda: define(ip, frame, skeleton, running)
    return None


def _typed(v):
    """The skeleton of an argument; a size that is open is another one in each call, as a number of the run
    is.
    """
    return widen(v) if type(v) is Dim else flatten(v, [])


def same(a, b) -> bool:
    """Whether two skeletons are equal: static parts by identity or, for plain data, by value."""
    if a is b or values.same_function(a, b):
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, Leaf):
        return a.abstract is b.abstract
    if isinstance(a, values.Same):
        return a.value is b.value
    p, q = values.parts(a), values.parts(b)
    if p is not None:
        return q is not None and p.head == q.head and all(map(same, p.items, q.items))
    return type(a) in (bool, int, float, str, bytes, range, slice) and a == b


def define(ip, frame: Frame, skeleton: dict, running: list):
    """Interpret a recursive function into a graph, and call it."""
    result, loaded = _UNKNOWN, ip.loaded
    while True:
        mark = len(ip.graphs)
        graph = ip.graph(frame.source.name)
        leaves = iter(
            [graph.add_param(f"v{i}", a, ip.here()) for i, a in enumerate(leaf_abstracts(skeleton, []))]
        )
        inner = Frame(
            unflatten(skeleton, leaves), frame.source, frame.outer, frame.globals, frame.cells, frame.caller
        )
        callee = inner.vars.pop(CALLEE, None)
        if callee is not None:
            inner.outer, inner.callee = callee.frame, callee
        inner.args, inner.graph_of = frame.args, Recursive(graph, skeleton, result)
        running.append(inner)
        ip.loaded = {}
        ip.journal.append({})
        try:
            with ip.inside(EmitBuilder(ip, graph)), region.enclosed(ip):
                young = values.births()
                value = ip.interpret(inner)
                found = widen(value) if result is _UNKNOWN else join(result, value)
                inner.graph_of.passed = [c for c in values.containers_of(value, [])
                                         if type(c) not in (list, dict) and c.born < young]
                if same(found, result):
                    wanted = leaf_abstracts(found, [])
                    graph.output = region.pack(ip, [region.convert(ip, v, a)
                                                    for v, a in zip(extract(found, value, []), wanted)])
        except Bottom:
            if _others_unknown(ip, inner):
                discard(ip, mark)
                raise
            raise complain(
                RecursionError,
                f"{frame.source.name}: every path calls it again",
                cure="a recursive function needs a path that returns without a recursive call",
            ) from None
        except Mismatch as e:
            raise complain(
                TypeError,
                f"{frame.source.name}: results have no common type: {e}",
                cure="return the same structure, dtype and shape on every path",
            ) from None
        finally:
            running.pop()
            ip.journal.pop()
            ip.loaded = {}
        if same(found, result):
            break
        result = found
        discard(ip, mark)
    ip.loaded = {k: n for k, n in loaded.items() if not _writes(ip.graphs[mark:])}
    return call(ip, inner.graph_of, frame)


def _others_unknown(ip, frame: Frame) -> bool:
    """Whether a call around that of ``frame`` waits for its type: the paths of ``frame`` may go through
    it.
    """
    return any(f.graph_of is not None and f.graph_of.result is _UNKNOWN and f is not frame
               for running in ip.active.values() for f in running)


def _writes(graphs: list) -> bool:
    return any(n.has_effect and not isinstance(n.fn, (Graph, Node)) for g in graphs for n in g)


def call(ip, target: Recursive, frame: Frame):
    """A call of the graph of a recursive function."""
    if target.result is _UNKNOWN:
        raise Bottom
    wanted = leaf_abstracts(target.args, [])
    args = [region.convert(ip, v, a) for v, a in zip(extract(target.args, frame.args, []), wanted)]
    results = leaf_abstracts(target.result, [])
    ip.builder.loc = ip.here()
    node = ip.builder.call(target.graph, args, region.packed(results))
    value = unflatten(target.result, iter(region.unpack(ip, node, len(results))))
    if target.passed:
        _pass_on(ip, target, frame, value)
    return value


def _pass_on(ip, target: Recursive, frame: Frame, value) -> None:
    """A list or dict in the result may be one that was passed in, or an older one."""
    known = (*values.containers_of(tuple(frame.args.values()), []), *target.passed)
    for c in known:
        ip.aliases.setdefault(id(c), [c])
    for c in values.containers_of(value, []):
        c.fixed = ("that a recursive function passes on cannot be changed", "copy it first")
        ip.alias(c, set(map(id, known)))


def discard(ip, mark: int) -> None:
    """Abandon the graphs made since there were ``mark``."""
    for g in ip.graphs[mark:]:
        g.clear()
    del ip.graphs[mark:]


def call_with_bprop(ip, cell, args: list, kwargs: dict):
    """A cell that defines ``bprop(*inputs, out, dout)``: a graph that carries the graph of its gradient."""
    if kwargs:
        raise complain(TypeError, f"{type(cell).__name__}: a cell with bprop takes positional arguments only")
    given: list = []
    skeleton = flatten(tuple(args), given)
    for known in ip.customs:
        if known.cell is cell and same(known.args, skeleton):
            # Its gradient calls it, perhaps through that of another one.
            return known.call(ip, given)
    custom = _Custom(cell, skeleton, [a for a in args if isinstance(a, Parameter)])
    custom.interpret(ip, args)
    return custom.call(ip, given)


class _Custom:
    """A cell with its own gradient as graphs, for arguments of one skeleton. The graph takes the values of
    those that are parameters, so that they get their gradients; it reads them from the parameters.
    """

    def __init__(self, cell, skeleton, weights: list):
        self.cell, self.args, self.weights = cell, skeleton, weights

    def interpret(self, ip, args: list) -> None:
        """Make the graph and that of its gradient."""
        cell, skeleton = self.cell, self.args
        abstracts = leaf_abstracts(skeleton, [])
        name = type(cell).__name__

        def params(graph, wanted):
            return iter([graph.add_param(f"v{len(graph.params)}", a, ip.here()) for a in wanted])

        self.forward = forward = ip.graph(name)
        with ip.apart(EmitBuilder(ip, forward)), region.enclosed(ip):
            ins = unflatten(skeleton, params(forward, abstracts))
            params(forward, [w.abstract for w in self.weights])
            out = ip.call(cell.construct.__func__, [cell, *ins], {})
            outs: list = []
            self.result = flatten(out, outs)
            self.results = leaf_abstracts(self.result, [])
            forward.output = region.pack(ip, [ip.node(o) for o in outs])
        forward.flags["bprop"] = backward = ip.graph(f"{name}.bprop")
        ip.customs.append(self)
        try:
            with ip.apart(EmitBuilder(ip, backward)), region.enclosed(ip):
                ins = unflatten(skeleton, params(backward, abstracts))
                params(backward, [w.abstract for w in self.weights])
                out, dout = (self._result(ip, backward.add_param(n, region.packed(self.results), ip.here()))
                             for n in ("out", "dout"))
                grads = ip.call(type(cell).bprop, [cell, *ins, out, dout], {})
                backward.output = ip.builder.make_tuple(_gradients(ip, name, grads, args, abstracts))
        finally:
            ip.customs.pop()

    def call(self, ip, given: list):
        """A call of the graph."""
        ip.loaded = {}      # construct may have written what was read before
        ip.builder.loc = ip.here()
        return self._result(ip, ip.builder.call(self.forward, [ip.node(v) for v in (*given, *self.weights)],
                                                region.packed(self.results)))

    def _result(self, ip, node: Node):
        """The value of `construct` that a node of its leaves stands for."""
        return unflatten(self.result, iter(region.unpack(ip, node, len(self.results))))


class _Hook:
    """An identity whose gradient is what a user's function makes of it."""

    def __init__(self, fn):
        self.fn = fn

    def construct(self, x):
        return x

    def bprop(self, x, out, dout):
        changed = self.fn(dout)
        return (dout if changed is None else changed,)


def hooked(ip, value: Node, fns) -> Node:
    """``value`` with functions that see and may replace its gradient, the first one first."""
    for fn in reversed(fns):
        value = call_with_bprop(ip, _Hook(fn), [value], {})
    return value


def _gradients(ip, name: str, grads, args: list, abstracts: list) -> list:
    """What a user's bprop returned, as one node per leaf of the inputs, and per parameter among them."""
    grads = grads if isinstance(grads, (tuple, list)) else (grads,)
    if len(grads) != len(args):
        raise complain(
            TypeError,
            f"{name}.bprop: the gradients number: {len(grads)} is not equal to the args number: {len(args)}.",
            expected="one gradient per input of construct",
        )
    flat: list = []
    of_parameters: list = []
    strict = get_context("check_bprop")
    for i, (g, a) in enumerate(zip(grads, args)):
        inputs: list = [a] if isinstance(a, Parameter) else []
        flatten(a, inputs)
        found: list = []
        flatten(g, found)
        if g is None or type(g) in (int, float):
            found = [ip.native(P.full, v.abstract.shape, g or 0, v.abstract.dtype) for v in inputs]
        if len(found) != len(inputs) and inputs:
            raise complain(TypeError, f"{name}.bprop: gradient {i} does not have the structure of input {i}")
        for given, want in zip(found, inputs):
            if isinstance(want.abstract, AbstractTensor) and isinstance(given.abstract, AbstractTensor):
                given = ip.native(fitted, ip.node(given), want.abstract, i, f"{name}.bprop", strict)
            (of_parameters if want is a and isinstance(a, Parameter) else flat).append(ip.node(given))
    return flat + of_parameters

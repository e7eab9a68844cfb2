"""Eager evaluation of traced code: a function is interpreted as for a compiled program, its graph transformed,
and the result run op by op by the eager ops, on the tapes that are active.

So a transformation that exists for graphs only (`minds.batch`) serves PyNative mode too, with the numbers of a
compiled program, and its results have gradients.
"""
from __future__ import annotations

from .ad import j as ad_j
from .ad import tape
from .arguments import key_of
from .base.options import freeze
from .batch import step as batch_step
from .eager import custom_call
from .frontend.values import containers_of
from .ir import prim, walk
from .ir.abstract import AbstractScalar, AbstractTuple
from .ir.node import Constant, Graph, Node, set_args
from .ops.define import ATTR, P
from .passes.close import close
from .passes.simplify import structure
from .pipeline import parse, restored
from .tensor import Parameter, Tensor, scalar_tensor

STEPS = (structure, close, batch_step.make_step(structure, close), ad_j.make_step(structure, close), close)
"""What a traced program goes through: no rule that would change the order of a gradient's sums."""


class Untraceable(Exception):
    """The function must be run as it is: compiled code cannot do what it does, or it has effects."""


def traced(fn, args: tuple):
    """``fn(*args)``, where ``fn`` emits itself (``_emit``).

    Raises:
        Untraceable: the caller has to run it in another way.
    """
    leaves: list = []
    key_of(args, leaves, True)
    with tape.suspended():
        try:
            ip, out = parse(fn, args, {}, freeze(), True)
        except Exception as e:
            # Whatever it refuses: run eagerly, the function either works or raises its own error.
            raise Untraceable(str(e)) from e
        _share_tensors(ip.root)
        if _has_effects(ip.root) or ip.given or ip.stored:
            raise Untraceable("effects happen example by example")
        graph = ip.root
        for step in STEPS:
            graph = step(graph, ip.options)
    given = [*leaves, *[p.default for p in graph.params if p.default is not None]]
    assert len(given) == len(graph.params), f"{given} for {graph.params}"
    found = run(graph, given)
    values = iter([t.value() if isinstance(t, Parameter) else t for t in found])
    return restored(out, values, containers_of(args, []))


def _share_tensors(root: Graph) -> None:
    """Tensors that the source mentions become parameters: they may be on a tape, so nothing may fold them."""
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


def _has_effects(root: Graph) -> bool:
    return any(n.fn is prim.assign or n.fn.__class__ is not prim.Structural and not isinstance(n.fn, (Graph, Node))
               and n.fn.has_effect and n.fn is not P.random_key for g in walk.graphs(root) for n in g)


class _Function:
    """A function value: a graph with first arguments given."""

    __slots__ = ("graph", "given")

    def __init__(self, graph: Graph, given: tuple = ()):
        self.graph, self.given = graph, given


def run(g: Graph, args: list):
    """The value of a closed graph. Tail calls take no stack."""
    while True:
        values = dict(zip(g.params, args))
        tail = g.tail if g.output is g.tail and g.tail is not None and _is_call(g.tail) else None
        for n in g:
            if n is tail:
                break
            values[n] = _apply(n, values)
        if tail is None:
            return _value(g.output, values)
        g, args = _target(tail, values)
        if "bprop" in g.flags:
            return _custom(g, args)


def _is_call(n) -> bool:
    return n.fn.__class__ is Graph or isinstance(n.fn, Node)


def _value(a: Node, values: dict):
    if a.__class__ is not Constant:
        return values[a]
    v = a.value
    if v.__class__ is Graph:
        return _Function(v)
    if isinstance(a.abstract, AbstractScalar):
        return scalar_tensor(v, a.abstract.dtype)
    if isinstance(a.abstract, AbstractTuple):
        return tuple([_value(Constant(e, t), values) for e, t in zip(v, a.abstract.items)])
    return v


def _target(n, values: dict) -> tuple:
    """The graph that a call calls, and its arguments."""
    args = [_value(a, values) for a in n.args]
    if n.fn.__class__ is Graph:
        return n.fn, args
    f = _value(n.fn, values)
    return f.graph, [*f.given, *args]


def _custom(g: Graph, args: list):
    """A graph that has its own gradient."""
    b = g.flags["bprop"]
    count = (len(b.params) - len(g.params)) // 2

    def backward(*given):
        *params, out, dout = given
        outs = [out, dout] if count == 1 else [*out, *dout]
        return run(b, [*params, *outs])
    return custom_call(lambda *given: run(g, list(given)), backward, tuple(args))


def _apply(n, values: dict):
    fn = n.fn
    if _is_call(n):
        g, args = _target(n, values)
        return _custom(g, args) if "bprop" in g.flags else run(g, args)
    if fn is prim.make_tuple:
        return tuple([_value(a, values) for a in n.args])
    if fn is prim.tuple_getitem:
        return _value(n.args[0], values)[n.args[1].value]
    if fn is prim.switch:
        return _value(n.args[1] if bool(_value(n.args[0], values)) else n.args[2], values)
    if fn is prim.partial:
        f, *given = [_value(a, values) for a in n.args]
        return _Function(f.graph, (*f.given, *given))
    if fn is prim.load:
        return _value(n.args[0], values)
    args = [a.value if k == ATTR or a.__class__ is Constant and a.value is None else _value(a, values)
            for a, k in zip(n.args, fn.kinds)]
    return fn(*args)

"""Graphs run op by op by the eager ops, on the tapes that are active."""

from __future__ import annotations

from ..eager import custom_call
from ..ir import prim
from ..ir.abstract import AbstractScalar, AbstractTuple
from ..ir.node import Constant, Graph, Node
from ..ops.define import ATTR
from ..tensor import scalar_tensor


class _FunctionValue:
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
            return value_of(g.output, values)
        g, args = _target(tail, values)
        if "bprop" in g.flags:
            return _custom(g, args)


def _is_call(n) -> bool:
    return n.fn.__class__ is Graph or isinstance(n.fn, Node)


def value_of(a: Node, values: dict):
    if a.__class__ is not Constant:
        return values[a]
    v = a.value
    if v.__class__ is Graph:
        return _FunctionValue(v)
    if isinstance(a.abstract, AbstractScalar):
        return scalar_tensor(v, a.abstract.dtype)
    if isinstance(a.abstract, AbstractTuple):
        return tuple([value_of(Constant(e, t), values) for e, t in zip(v, a.abstract.items)])
    return v


def _target(n, values: dict) -> tuple:
    """The graph that a call calls, and its arguments."""
    args = [value_of(a, values) for a in n.args]
    if n.fn.__class__ is Graph:
        return n.fn, args
    f = value_of(n.fn, values)
    return f.graph, [*f.given, *args]


def _custom(g: Graph, args: list):
    """A graph that has its own gradient."""
    b = g.flags["bprop"]
    count = (len(b.params) - len(g.params)) // 2

    def backward(*given):
        *params, out, dout = given
        grads = run(b, [*params, *([out, dout] if count == 1 else [*out, *dout])])
        # What is captured comes first, and gets none.
        return [None] * (len(params) - len(grads)) + list(grads)

    return custom_call(lambda *given: run(g, list(given)), backward, tuple(args))


def _apply(n, values: dict):
    fn = n.fn
    if _is_call(n):
        g, args = _target(n, values)
        return _custom(g, args) if "bprop" in g.flags else run(g, args)
    if fn is prim.make_tuple:
        return tuple([value_of(a, values) for a in n.args])
    if fn is prim.tuple_getitem:
        return value_of(n.args[0], values)[n.args[1].value]
    if fn is prim.switch:
        return value_of(n.args[1] if bool(value_of(n.args[0], values)) else n.args[2], values)
    if fn is prim.partial:
        f, *given = [value_of(a, values) for a in n.args]
        return _FunctionValue(f.graph, (*f.given, *given))
    if fn is prim.load:
        return value_of(n.args[0], values)
    args = [
        a.value if k == ATTR or a.__class__ is Constant and a.value is None else value_of(a, values)
        for a, k in zip(n.args, fn.kinds)
    ]
    return fn(*args)

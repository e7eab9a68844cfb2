"""Short names to build programs by hand."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np

import minds.eager
import minds.ops
from minds.ad import j as j_module
from minds.ad.cotangents import cotangent_abstract
from minds.base import dtype as dt
from minds.ir import prim
from minds.ir.abstract import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    AbstractFunction,
    AbstractTensor,
    AbstractTuple,
)
from minds.ir.build import Builder, abstract_of, as_node, building, current
from minds.ir.check import check
from minds.ir.node import Apply, Constant, Graph, Node
from minds.ops.define import P
from minds.passes.close import close
from minds.passes.simplify import simplify
from minds.tensor import Tensor

if not hasattr(Node, "__mul__"):
    for method, name in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div")):
        setattr(Node, f"__{method}__", lambda x, y, name=name: getattr(P, name)(x, y))
        setattr(Node, f"__r{method}__", lambda x, y, name=name: getattr(P, name)(y, x))
    Node.__neg__ = lambda x: P.neg(x)
    Node.__getitem__ = lambda x, i: current().getitem(x, i)

F64 = AbstractTensor((), dt.float64)


def vec(*shape, dtype=dt.float64):
    return AbstractTensor(shape, dtype)


def tensor(value, dtype=np.float64):
    """A constant tensor."""
    return Tensor(np.asarray(value, dtype))


@contextmanager
def graph(name, *abstracts):
    """``with graph("f", F64) as (g, b, x):`` emits into g; set g.output inside."""
    g = Graph(name)
    params = [g.add_param(f"x{i}", a) for i, a in enumerate(abstracts)]
    b = Builder(g)
    with building(b):
        yield (g, b, *params)


def unary(name, fn, a=F64):
    """The graph of ``fn`` on one parameter."""
    with graph(name, a) as (g, b, x):
        g.output = fn(x)
    return g


def grad_call(b, g, args, dout=1.0):
    """(out, grads): the gradient of ``g`` at ``args`` as the frontend emits it."""
    out = g.ret.abstract
    j = b.emit(prim.J, (g,), AbstractFunction(("j", g.name)))
    t = b.emit(j, args, AbstractTuple((out, AbstractFunction(("back", g.name)))))
    kinds = [cotangent_abstract(as_node(a).abstract) for a in args]
    return b.getitem(t, 0), b.emit(b.getitem(t, 1), (_dout(out, dout),), AbstractTuple(kinds))


def gradient_of(g, *abstracts, dout=1.0):
    """The program (args) -> (g(args), gradients)."""
    with graph("root", *abstracts) as (root, b, *args):
        root.output = b.make_tuple(grad_call(b, g, args, dout))
    return root


def _dout(a, v):
    if isinstance(a, AbstractTensor):
        return as_node(tensor(np.full(a.shape, v), a.dtype.np))
    return as_node(v)


def expanded(root: Graph) -> Graph:
    """All J of ``root`` expanded, closed and simplified, verified after each step."""
    check(root)
    close(root)
    check(root, closed=True)
    root = j_module.make_step(simplify, close)(root)
    check(root, j=False)
    close(root)
    check(root, closed=True, j=False)
    simplify(root)
    return check(root, closed=True, j=False)


def loop(step, count: int, name="loop", state=(F64, F64)) -> Graph:
    """f(x, w): x = step(x, w) ``count`` times, as the frontend builds ``while``."""
    header, body, leave = Graph(f"{name}:while"), Graph(f"{name}:body"), Graph(f"{name}:end")
    with graph(name, *state) as (g, b, x, w):
        i, v = header.add_param("i", INT), header.add_param("v", state[0])
        leave.output = v
        with building(Builder(body)) as bb:
            body.output = bb.call(header, (P.add(i, 1), step(v, w)), state[0])
        with building(Builder(header)) as hb:
            header.output = hb.call(hb.switch(P.less(i, count), body, leave), (), state[0])
        g.output = b.call(header, (0, x), state[0])
    return g


def closure_program() -> Graph:
    """f(x, y): a closure over x inside a closure over y."""
    outer, inner = Graph("outer"), Graph("inner")
    with graph("f", F64, F64) as (g, b, x, y):
        v = P.sin(x)
        a = outer.add_param("a", F64)
        c = inner.add_param("c", F64)
        with building(Builder(inner)):
            inner.output = P.add(P.mul(c, v), a)
        with building(Builder(outer)) as ob:
            outer.output = P.mul(ob.call(inner, (a,)), y)
        g.output = P.add(b.call(outer, (x,)), b.call(outer, (y,)))
    return g


def closure_reference(x, y):
    """What `closure_program` computes."""

    def outer(a):
        return (a * np.sin(x) + a) * y

    return outer(x) + outer(y)


__all__ = [k for k in dir() if not k.startswith("__")]

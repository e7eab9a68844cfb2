"""Short names to build programs by hand."""
from __future__ import annotations

from contextlib import contextmanager

import numpy as np

import minds.ops  # noqa: F401  (the definitions)
from minds.base import dtype as dt
from minds.ir import prim
from minds.ir.abstract import FLOAT, INT, NONE, AbstractFunction, AbstractTensor, AbstractTuple
from minds.ir.build import Builder, abstract_of, as_node, building
from minds.ir.node import Apply, Constant, Graph, Node
from minds.ops import define
from minds.ops.define import P

from machine import Value

F64 = AbstractTensor((), dt.float64)


def vec(*shape, dtype=dt.float64):
    return AbstractTensor(shape, dtype)


def use_test_constants():
    """Constant tensors without the native core."""
    define.install_constant(lambda v, d: Value(np.asarray(v, d.np)))


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


def gradient_of(g, *abstracts, dout=1.0):
    """The program (args) -> (g(args), gradients), as the frontend emits it."""
    with graph("root", *abstracts) as (root, b, *args):
        out = g.ret.abstract
        back = AbstractFunction(("back", g))
        j = b.emit(prim.J, (g,), AbstractFunction(("j", g)))
        t = b.emit(j, args, AbstractTuple((out, back)))
        from minds.ad.zeros import cotangent_abstract
        grads = b.emit(b.getitem(t, 1), (_dout(out, dout),), AbstractTuple([cotangent_abstract(a) for a in abstracts]))
        root.output = b.make_tuple((b.getitem(t, 0), grads))
    return root


def _dout(a, v):
    if isinstance(a, AbstractTensor):
        one = Constant(Value(np.full(a.shape, v, a.dtype.np)))
        one.abstract = a
        return one
    return as_node(v)


__all__ = [k for k in dir() if not k.startswith("__")]

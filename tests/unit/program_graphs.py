"""Graphs for the tests of lowering and the runtime, built by hand as the frontend would build
them.
"""

from __future__ import annotations

import numpy as np

import minds.eager
import minds.ops
from minds import _core
from minds.base import dtype as dt
from minds.ir import prim
from minds.ir.abstract import BOOL, FLOAT, INT, AbstractFunction, AbstractRef, AbstractTensor
from minds.ir.build import Builder, building
from minds.ir.node import Graph
from minds.lower.program import lower
from minds.ops.define import P

F32, F64, I64 = dt.float32, dt.float64, dt.int64
CODES = {np.dtype(t.np): t.code for t in dt.ALL if t is not dt.bfloat16}


def tensor(*shape, dtype=F32) -> AbstractTensor:
    return AbstractTensor(shape, dtype)


def array(x, dtype=None) -> _core.Array:
    a = np.array(x, dtype)
    return _core.Array.from_numpy(a, CODES[a.dtype])


def graph(name: str, *abstracts) -> tuple:
    """A graph, its builder and its parameters."""
    g = Graph(name)
    return (g, Builder(g), *(g.add_param(f"p{i}", a) for i, a in enumerate(abstracts)))


def traced(fn, *abstracts, name="f") -> Graph:
    """The graph of straight-line code over nodes."""
    g, b, *params = graph(name, *abstracts)
    with building(b):
        out = fn(*params)
        g.output = b.make_tuple(out) if isinstance(out, tuple) else out
    return g


def run(g: Graph, *arrays) -> list:
    """The results of a program for NumPy operands."""
    return [r.numpy().copy() for r in lower(g)([array(a) for a in arrays])]


def switch(b: Builder, cond, f, g):
    """A switch between graphs or function nodes."""
    return b.emit(prim.switch, (cond, f, g), AbstractFunction((f, g)))


def while_loop(cond, body, state: list, result: int) -> Graph:
    """``while cond(*state): state = body(*state)``; returns ``state[result]``. The root takes the
    state.
    """
    root, head, step, end = Graph("root"), Graph("head"), Graph("step"), Graph("end")
    params = {
        g: [g.add_param(f"s{i}", a) for i, a in enumerate(state)] for g in (root, head, step, end)
    }
    end.output = params[end][result]
    b = Builder(head)
    with building(b):
        c = cond(*params[head])
    head.output = b.emit(switch(b, c, step, end), params[head], state[result])
    b = Builder(step)
    with building(b):
        new = body(*params[step])
    step.output = b.emit(head, new, state[result])
    root.output = Builder(root).emit(head, params[root], state[result])
    return root


def recursion(depth_state: list, stop, base, down, combine, result) -> Graph:
    """``f(*s) = base(*s) if stop(*s) else combine(*s, f(*down(*s)))``, not a tail call."""
    root, f, leaf, inner = Graph("root"), Graph("f"), Graph("leaf"), Graph("inner")
    params = {
        g: [g.add_param(f"s{i}", a) for i, a in enumerate(depth_state)]
        for g in (root, f, leaf, inner)
    }
    with building(Builder(leaf)):
        leaf.output = base(*params[leaf])
    b = Builder(f)
    with building(b):
        c = stop(*params[f])
    f.output = b.emit(switch(b, c, leaf, inner), params[f], result)
    b = Builder(inner)
    with building(b):
        r = b.emit(f, down(*params[inner]), result)
        inner.output = combine(*params[inner], r)
    root.output = Builder(root).emit(f, params[root], result)
    return root


def ref(*shape, dtype=F32) -> AbstractRef:
    return AbstractRef(tensor(*shape, dtype=dtype))


def chain_graph() -> Graph:
    """build(n, f): n closures, each holding the one before; then the last is called or dropped."""
    ident = traced(lambda x: x, tensor(2), name="ident")
    apply = Graph("apply")
    inner = apply.add_param("f", AbstractFunction("chain"))
    x = apply.add_param("x", tensor(2))
    b = Builder(apply)
    with building(b):
        y = P.add(x, 1.0)
    apply.output = b.emit(inner, (y,), tensor(2))
    build, more, done = Graph("build"), Graph("more"), Graph("done")
    fn = AbstractFunction("chain")
    state = [INT, fn, tensor(2), BOOL]
    params = {
        g: [g.add_param(f"s{i}", a) for i, a in enumerate(state)] for g in (build, more, done)
    }
    b = Builder(build)
    n, f, x, call = params[build]
    with building(b):
        c = P.greater(n, 0)
    build.output = b.emit(switch(b, c, more, done), params[build], tensor(2))
    b = Builder(more)
    n, f, x, call = params[more]
    with building(b):
        m = P.sub(n, 1)
    more.output = b.emit(build, (m, b.emit(prim.partial, (apply, f), fn), x, call), tensor(2))
    n, f, x, call = params[done]
    b = Builder(done)
    use = Graph("use")
    uf, ux = use.add_param("f", fn), use.add_param("x", tensor(2))
    use.output = Builder(use).emit(uf, (ux,), tensor(2))
    drop = Graph("drop")
    drop.add_param("f", fn)
    drop.output = drop.add_param("x", tensor(2))
    done.output = b.emit(switch(b, call, use, drop), (f, x), tensor(2))
    root, b, n, x, call = graph("root", INT, tensor(2), BOOL)
    root.output = b.emit(build, (n, ident, x, call), tensor(2))
    return root


__all__ = [
    "chain_graph",
    "BOOL",
    "CODES",
    "F32",
    "F64",
    "FLOAT",
    "I64",
    "INT",
    "P",
    "array",
    "graph",
    "lower",
    "prim",
    "recursion",
    "ref",
    "run",
    "switch",
    "tensor",
    "traced",
    "while_loop",
]

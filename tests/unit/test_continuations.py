"""Continuations become data: hand-built programs before and after, run by the reference machine."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from build_ir import F64, INT, Builder, Constant, Graph, P, building, check, close, graph, prim, vec
from machine import run
from test_loop_gradients import branches, compiled_graph

import minds as ms
from minds import Tensor
from minds.ir import walk
from minds.ir.abstract import AbstractTuple, continuation, is_continuation
from minds.passes.simplify import simplify

f64 = np.float64


def made_data(root: Graph) -> Graph:
    """``root`` without continuations, verified."""
    check(root)
    close(root)
    check(simplify(check(root, closed=True)), closed=True)
    nodes = [n for g in walk.graphs(root) for n in (*g.params, *g)]
    assert not any(is_continuation(n.abstract) for n in nodes)
    return root


def pushes(root: Graph) -> int:
    return sum(n.fn is prim.partial for g in walk.graphs(root) for n in g)


def scaling(name: str, kind, factor) -> Constant:
    """The continuation that multiplies what it takes."""
    g = Graph(name)
    x = g.add_param("x", F64)
    with building(Builder(g)):
        g.output = P.mul(x, factor)
    return Constant(g, kind)


def chosen(count: int) -> Graph:
    """f(i, x): i chooses one of ``count`` continuations, which is called afterwards."""
    kind = continuation("k")
    with graph("f", INT, F64, F64) as (f, b, i, x, w):
        made = [Graph(f"make{k}") for k in range(count)]
        for k, g in enumerate(made):
            with building(Builder(g)):
                g.output = scaling(f"k{k}", kind, P.add(w, float(k)))
        callee = made.pop()
        while made:
            g, k = Graph("choose"), len(made) - 1
            with building(Builder(g)) as inner:
                g.output = inner.emit(inner.switch(P.equal(i, k), made.pop(), callee), (), kind)
            callee = g
        f.output = b.emit(b.emit(callee, (), kind), (x,), F64)
    return f


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_one_of_several(count):
    root = made_data(chosen(count))
    assert pushes(root) == 0, "a number is kept beside the number of the graph"
    for i in range(count):
        assert run(root, i, f64(3.0), f64(2.0)) == 3.0 * (2.0 + i)


def test_large_values_are_in_records():
    kind = continuation("k")
    with graph("f", INT, F64, vec(5)) as (f, b, i, x, v):
        made = []
        for k in range(2):
            inner, g = Graph(f"k{k}"), Graph(f"make{k}")
            y = inner.add_param("y", F64)
            with building(Builder(g)):
                own = P.mul(v, float(k + 1))
                with building(Builder(inner)):
                    inner.output = P.mul(y, P.sum(own, (0,), False))
                g.output = Constant(inner, kind)
            made.append(g)
        t = b.emit(b.switch(P.equal(i, 0), *made), (), kind)
        f.output = b.emit(t, (x,), F64)
    root = made_data(f)
    assert pushes(root) == 2
    v = np.arange(5.0)
    assert [run(root, i, f64(3.0), v).item() for i in (0, 1)] == [30.0, 60.0]


def test_a_chain_in_a_loop():
    """h(i, k) = k(x) if i == 0 else h(i - 1, λv. k(v * i)): x * n!"""
    kind = continuation("k")
    header, body, leave = Graph("h"), Graph("body"), Graph("end")
    with graph("f", INT, F64) as (f, b, n, x):
        i, k = header.add_param("i", INT), header.add_param("k", kind)
        link, end = Graph("link"), Graph("stop")
        v = link.add_param("v", F64)
        end.output = end.add_param("v", F64)
        with building(Builder(link)) as bb:
            link.output = bb.emit(k, (P.mul(v, P.scalar_to_tensor(i, F64.dtype)),), F64)
        with building(Builder(body)) as bb:
            body.output = bb.emit(header, (P.sub(i, 1), Constant(link, kind)), F64)
        with building(Builder(leave)) as bb:
            leave.output = bb.emit(k, (x,), F64)
        with building(Builder(header)) as bb:
            header.output = bb.emit(bb.switch(P.greater(i, 0), body, leave), (), F64)
        f.output = b.emit(header, (n, Constant(end, kind)), F64)
    root = made_data(f)
    assert pushes(root) == 1
    assert [run(root, n, f64(0.5)) for n in (0, 1, 5)] == [0.5, 0.5, 60.0]


def test_a_call_of_what_is_never_made():
    kind = continuation("k")
    f = Graph("f")
    x, again = f.add_param("x", F64), Graph("again")
    t = again.add_param("x", F64)
    with building(Builder(again)) as b:
        again.output = b.emit(again, (t,), kind)
    with building(Builder(f)) as b:
        k = b.emit(again, (x,), kind)
        f.output = b.getitem(b.emit(k, (x,), AbstractTuple((F64,))), 0)
    made_data(f)


def test_a_small_branch_in_a_loop_keeps_one_record():
    assert pushes(compiled_graph(ms.grad(branches), Tensor(1.1), Tensor(7))) == 1

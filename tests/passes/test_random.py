"""Random programs mean the same with passes on and off, and their J is their gradient, to order
2.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

from build_ir import (
    F64,
    INT,
    AbstractTuple,
    Builder,
    Graph,
    P,
    Tensor,
    as_node,
    building,
    expanded,
    grad_call,
    gradient_of,
    graph,
    tensor,
)
from machine import run

from minds.ir import equal, text
from minds.ir.abstract import AbstractRef
from minds.ir.check import check
from minds.ir.clone import copy_program
from minds.passes.close import close
from minds.passes.cse import cse
from minds.passes.loads import loads
from minds.passes.simplify import simplify


class Writer:
    """Writes a random program of two float arguments: arithmetic, branches, loops, tuples,
    functions called again.
    """

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.functions: list[Graph] = []
        self.left = 24

    def program(self) -> Graph:
        with graph("main", F64, F64) as (g, b, x, y):
            g.output = self.block(b, [x, y], 0)
        return g

    def block(self, b: Builder, values: list, depth: int):
        """Emit a few statements over ``values``; the result is the last one, bounded by tanh."""
        with building(b):
            for _ in range(self.random.randint(1, 4)):
                self.left -= 1
                kinds = [self.arithmetic] * 4 + [self.tuple]
                if depth < 3 and self.left > 0:
                    kinds += [self.branch, self.loop, self.function, self.function]
                values.append(self.random.choice(kinds)(b, values, depth))
            return P.tanh(values[-1])

    def pick(self, values: list):
        return self.random.choice(values)

    def arithmetic(self, b, values, depth):
        op = self.random.choice(["add", "sub", "mul", "sin", "cos", "constant"])
        if op == "constant":
            return P.mul(
                self.pick(values), as_node(tensor(self.random.choice([0.5, -1.25, 1.0, 0.0])))
            )
        if op in ("sin", "cos"):
            return getattr(P, op)(self.pick(values))
        return getattr(P, op)(self.pick(values), self.pick(values))

    def tuple(self, b, values, depth):
        t = b.make_tuple([self.pick(values) for _ in range(3)])
        return P.add(b.getitem(t, self.random.randrange(3)), b.getitem(t, self.random.randrange(3)))

    def branch(self, b, values, depth):
        then, other = Graph("then"), Graph("else")
        cond = P.less(self.pick(values), self.pick(values))
        for g in (then, other):
            g.output = self.block(Builder(g), list(values), depth + 1)
        return b.call(b.switch(cond, then, other), (), F64)

    def loop(self, b, values, depth):
        header, body, leave = Graph("while"), Graph("body"), Graph("end")
        i, v, w = header.add_param("i", INT), header.add_param("v", F64), header.add_param("w", F64)
        inner = Builder(body)
        new = self.block(inner, [*values, v, w], depth + 1)
        with building(inner):
            body.output = inner.call(header, (P.add(i, 1), new, v), F64)
        leave.output = self.block(Builder(leave), [v, w], 3)
        with building(Builder(header)) as hb:
            header.output = hb.call(
                hb.switch(P.less(i, self.random.randrange(4)), body, leave), (), F64
            )
        return b.call(header, (0, self.pick(values), self.pick(values)), F64)

    def function(self, b, values, depth):
        reusable = [f for f, owner in self.functions if owner is b.graph]
        if reusable and self.random.random() < 0.5:
            f = self.random.choice(reusable)
        else:
            f = Graph("f")
            p = f.add_param("p", F64)
            f.output = self.block(Builder(f), [*values, p], depth + 1)
            self.functions.append((f, b.graph))
        return b.call(f, (self.pick(values),), F64)


def point(seed: int):
    rng = np.random.default_rng(seed)
    return [np.float64(v) for v in rng.uniform(-1, 1, 2)]


def value(g: Graph, args) -> float:
    return np.asarray(run(g, *args)).item()


@pytest.mark.parametrize("seed", range(60))
def test_passes_keep_the_meaning(seed):
    g = check(Writer(seed).program())
    args = point(seed)
    expected = value(g, args)
    again, table = copy_program(g), {}
    assert equal.difference(g, again) is None
    assert equal.difference(g, text.parse(text.dump(g, table), P, Tensor, table)) is None
    for name, step in (
        ("simplify", simplify),
        ("close", close),
        ("cse", cse),
        ("loads", loads),
        ("tidy", simplify),
    ):
        g = check(step(g), closed=name not in ("simplify",))
        assert value(g, args) == expected, f"after {name}"
    assert value(again, args) == expected, "the copy is independent"
    assert value(close(again), args) == expected


def slopes(f, args, h=1e-5):
    out = []
    for i in range(len(args)):
        up, down = list(args), list(args)
        up[i], down[i] = args[i] + h, args[i] - h
        out.append((f(up) - f(down)) / (2 * h))
    return out


@pytest.mark.parametrize("seed", range(60))
def test_j_is_the_gradient(seed):
    g, args = Writer(seed).program(), point(seed)
    plain = copy_program(g)
    root = gradient_of(g, F64, F64)
    unclosed = copy_program(root)
    out, grads = run(expanded(root), *args)
    assert np.asarray(out).item() == value(plain, args)
    np.testing.assert_allclose(grads, slopes(lambda a: value(plain, a), args), rtol=1e-5, atol=1e-7)
    again = run(expanded(simplify(unclosed)), *args)[1]
    np.testing.assert_array_equal(again, grads, "sums associate alike, inlined or not")


@pytest.mark.parametrize("seed", range(30))
def test_j_of_j(seed):
    def first():
        g = Writer(seed).program()
        with graph("first", F64, F64) as (d, b, x, y):
            d.output = b.getitem(grad_call(b, g, (x, y))[1], seed % 2)
        return d

    args = point(seed)
    plain = expanded(first())
    out, grads = run(expanded(gradient_of(first(), F64, F64)), *args)
    np.testing.assert_allclose(np.asarray(out).item(), value(plain, args), rtol=1e-12)
    np.testing.assert_allclose(grads, slopes(lambda a: value(plain, a), args), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_stores_and_loads_keep_their_order(seed):
    """Random reads and writes of two cells, in straight lines, branches and calls, with passes on
    and off.
    """
    rng, ref = random.Random(seed), AbstractRef(F64)

    def block(b, cells, x, depth):
        last = x
        with building(b):
            for _ in range(rng.randint(2, 6)):
                kind = rng.choice("rrwwbc") if depth < 2 else rng.choice("rw")
                if kind == "r":
                    last = P.add(last, b.load(rng.choice(cells)))
                elif kind == "w":
                    last = P.sin(b.assign(rng.choice(cells), P.cos(last)))
                elif kind == "b":
                    then, other = Graph("then"), Graph("else")
                    cond = P.less(last, as_node(tensor(0.3)))
                    for g in (then, other):
                        g.output = block(Builder(g), cells, last, depth + 1)
                    last = b.call(b.switch(cond, then, other), (), F64)
                else:
                    f = Graph("f")
                    p, v = f.add_param("p", ref), f.add_param("v", F64)
                    f.output = block(Builder(f), [p, *cells], v, depth + 1)
                    last = P.add(
                        b.call(f, (rng.choice(cells), last), F64),
                        b.call(f, (rng.choice(cells), last), F64),
                    )
        return last

    with graph("main", F64, ref, ref) as (g, b, x, p, q):
        g.output = block(b, [p, q], x, 0)

    def outcome(h):
        cells = [[np.float64(0.25)], [np.float64(-0.5)]]
        return np.asarray(run(h, np.float64(0.1), *cells)).item(), cells

    expected = outcome(check(g))
    for step in (simplify, close, cse, loads, simplify):
        g = check(step(g))
        assert outcome(g) == expected, step.__name__


def test_state_of_several_values():
    """A tuple of tuples carried through a loop, its gradient element by element."""
    inner = AbstractTuple((F64, F64))
    state = AbstractTuple((inner, F64))
    header, body, leave = Graph("while"), Graph("body"), Graph("end")
    with graph("main", F64, F64) as (g, b, x, y):
        i, s = header.add_param("i", INT), header.add_param("s", state)
        leave.output = s
        with building(Builder(body)) as bb:
            pair, c = bb.getitem(s, 0), bb.getitem(s, 1)
            p, q = bb.getitem(pair, 0), bb.getitem(pair, 1)
            body.output = bb.call(
                header,
                (P.add(i, 1), bb.make_tuple((bb.make_tuple((P.mul(p, c), P.add(q, p))), P.sin(q)))),
                state,
            )
        with building(Builder(header)) as hb:
            header.output = hb.call(hb.switch(P.less(i, 3), body, leave), (), state)
        t = b.call(header, (0, b.make_tuple((b.make_tuple((x, y)), y))), state)
        g.output = P.add(b.getitem(b.getitem(t, 0), 1), b.getitem(t, 1))
    plain, args = copy_program(g), [np.float64(0.4), np.float64(0.9)]
    grads = run(expanded(gradient_of(g, F64, F64)), *args)[1]
    np.testing.assert_allclose(grads, slopes(lambda a: value(plain, a), args), rtol=1e-7)

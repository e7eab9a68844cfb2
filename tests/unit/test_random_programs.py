"""Random programs against a NumPy interpreter of the same graph: lifetimes, donation, parameters,
calls.

Only additions, subtractions, products, flips and reshapes occur, so results must agree bit for bit.
"""

from __future__ import annotations

import numpy as np
import pytest
from program_graphs import BOOL, FLOAT, INT, P, array, lower, ref, switch, tensor

from minds import _core
from minds.ir import prim
from minds.ir.abstract import AbstractFunction
from minds.ir.build import Builder, building
from minds.ir.node import Apply, Constant, Graph, Node
from minds.tensor import Tensor

pytestmark = pytest.mark.native
SHAPES = [(4,), (2, 2), (1,), (), (300,)]
BINARY = ("add", "sub", "mul")


class Maker:
    """Makes one program. Functions made earlier can be called by later ones, so it ends."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.made: list[Graph] = []
        self.refs = [ref(*SHAPES[k]) for k in self.rng.integers(0, len(SHAPES), 3)]

    def pick(self, items):
        return items[int(self.rng.integers(len(items)))]

    def function(self, name: str) -> Graph:
        g = Graph(name)
        b = Builder(g)
        refs = [g.add_param(f"r{k}", r) for k, r in enumerate(self.refs)]
        inputs = int(self.rng.integers(1, 4))
        values = [g.add_param(f"x{k}", tensor(*self.pick(SHAPES))) for k in range(inputs)]
        values += [g.add_param("s", FLOAT), g.add_param("c", BOOL)]
        for _ in range(int(self.rng.integers(3, 16))):
            with building(b):
                values += self.step(b, refs, values)
        outs = [v for v in values if v.abstract is not BOOL]
        g.output = b.make_tuple([self.pick(outs) for _ in range(int(self.rng.integers(1, 4)))])
        g.has_effect = any(n.has_effect for n in g)
        self.made.append(g)
        return g

    def loop(self, name: str) -> Graph:
        """A function that counts down from 3; its calls of itself are tail calls or not."""
        t, tail = tensor(*self.pick(SHAPES)), bool(self.rng.integers(2))
        g, head, body, end = (Graph(f"{name}{part}") for part in ("", ":head", ":body", ":end"))
        params = {
            h: [h.add_param(f"p{k}", a) for k, a in enumerate([*self.refs, INT, t, BOOL])]
            for h in (head, body, end)
        }
        b = Builder(end)
        end.output = b.make_tuple([params[end][4]])
        b = Builder(head)
        with building(b):
            more = P.greater(params[head][3], 0)
        head.output = b.emit(switch(b, more, body, end), params[head], end.output.abstract)
        b = Builder(body)
        refs, (i, x, c) = params[body][:3], params[body][3:]
        values = [x, c]
        for _ in range(int(self.rng.integers(1, 6))):
            with building(b):
                values += [v for v in self.step(b, refs, values) if v.abstract is not FLOAT]
        new = self.pick([v for v in values if v.abstract is t])
        with building(b):
            rest = b.emit(head, (*refs, P.sub(i, 1), new, c), end.output.abstract)
            if not tail:
                y = b.getitem(rest, 0)
                rest = b.make_tuple([P.add(y, x)])
        body.output = rest
        b = Builder(g)
        args = [g.add_param(f"r{k}", r) for k, r in enumerate(self.refs)]
        x, _, c = g.add_param("x", t), g.add_param("s", FLOAT), g.add_param("c", BOOL)
        g.output = b.emit(head, (*args, 3, x, c), end.output.abstract)
        self.made.append(g)
        return g

    def step(self, b: Builder, refs: list, values: list) -> list:
        x = self.pick([v for v in values if v.abstract is not BOOL])
        kind = int(self.rng.integers(0, 12))
        if kind < 5:
            same = [v for v in values if v.abstract is x.abstract]
            return [getattr(P, self.pick(BINARY))(x, self.pick(same))]
        if kind == 5 and x.abstract is not FLOAT:
            return [
                P.reshape(
                    x, (*x.abstract.shape, 1) if len(x.abstract.shape) < 2 else (x.abstract.size,)
                )
            ]
        if kind == 6 and x.abstract is not FLOAT and x.abstract.shape:
            return [P.flip(x, (0,))]
        if kind == 7:
            return [b.load(self.pick(refs))]
        if kind == 8:
            r = self.pick(refs)
            fits = [v for v in values if v.abstract is r.abstract.value]
            if fits:
                b.assign(r, self.pick(fits[-2:]))
            return []
        if kind == 9:
            return [
                b.constant(Tensor(self.rng.standard_normal(self.pick(SHAPES)).astype(np.float32)))
            ]
        return self.call(b, refs, values)

    def call(self, b: Builder, refs: list, values: list) -> list:
        """A call: direct, through a switch, of a partial, or of one that a helper calls twice."""
        callable_ = []
        for g in self.made:
            args = [[v for v in values if v.abstract is p.abstract] for p in g.params[len(refs) :]]
            if all(args):
                callable_.append((g, [self.pick(a) for a in args]))
        if not callable_:
            return []
        g, args = self.pick(callable_)
        like = [[r for r in refs if r.abstract is p.abstract] for p in g.params[: len(refs)]]
        args = [*map(self.pick, like), *args]
        how = int(self.rng.integers(0, 4))
        if how == 0:
            out = b.emit(g, args, g.output.abstract)
        elif how == 1:
            like = [
                h
                for h in self.made
                if [p.abstract for p in h.params] == [p.abstract for p in g.params]
                and h.output.abstract is g.output.abstract
            ]
            cond = self.pick([v for v in values if v.abstract is BOOL])
            out = b.emit(switch(b, cond, g, self.pick(like)), args, g.output.abstract)
        else:
            cut = int(self.rng.integers(1, len(args)))
            f = b.emit(prim.partial, (g, *args[:cut]), AbstractFunction(object()))
            if how == 3:
                out = b.emit(self.twice(f, g, cut), (f, *args[cut:]), g.output.abstract)
            else:
                out = b.emit(f, args[cut:], g.output.abstract)
        return [b.getitem(out, k) for k in range(len(out.abstract.items))]

    def twice(self, f: Node, g: Graph, cut: int) -> Graph:
        h = Graph("twice")
        fn = h.add_param("f", f.abstract)
        args = [h.add_param(p.name, p.abstract) for p in g.params[cut:]]
        b = Builder(h)
        b.emit(fn, args, g.output.abstract)
        h.output = b.emit(fn, args, g.output.abstract)
        h.has_effect = True
        return h


def interpret(g: Graph, args: list, cells: dict):
    """The value of ``g`` for NumPy arguments; ``cells`` holds the parameters by key."""
    env: dict = dict(zip(g.params, args, strict=True))

    def value(n):
        if type(n) is not Constant:
            return env[n]
        return n.value.asnumpy() if isinstance(n.value, Tensor) else n.value

    def call(fn, given):
        while isinstance(fn, tuple):
            fn, given = fn[0], [*fn[1], *given]
        return interpret(fn, given, cells)

    for n in g:
        assert type(n) is Apply
        xs = [value(a) for a in n.args]
        if n.fn is prim.make_tuple:
            env[n] = xs
        elif n.fn is prim.tuple_getitem:
            env[n] = xs[0][xs[1]]
        elif n.fn is prim.switch:
            env[n] = xs[1] if xs[0] else xs[2]
        elif n.fn is prim.partial:
            env[n] = (xs[0], xs[1:])
        elif n.fn is prim.load:
            env[n] = cells[xs[0]].copy()
        elif n.fn is prim.assign:
            cells[xs[0]] = env[n] = xs[1].copy()
        elif isinstance(n.fn, Graph):
            env[n] = call(n.fn, xs)
        elif isinstance(n.fn, Node):
            env[n] = call(value(n.fn), xs)
        else:
            env[n] = {
                "add": np.add,
                "sub": np.subtract,
                "mul": np.multiply,
                "flip": np.flip,
                "greater": np.greater,
                "reshape": lambda x, s: np.asarray(x).reshape(s),
            }[n.fn.name](*xs)
    return value(g.output)


@pytest.mark.parametrize("seed", range(150))
def test_random_program(seed):
    maker = Maker(seed)
    for k in range(int(maker.rng.integers(1, 6))):
        make = maker.loop if maker.rng.random() < 0.3 else maker.function
        make(f"f{k}")
    root = maker.function("root")
    args = [
        np.asarray(maker.rng.standard_normal(p.abstract.shape), p.abstract.dtype.np)
        for p in root.params[3:-1]
    ] + [np.bool_(maker.rng.integers(2))]
    start = [np.asarray(maker.rng.standard_normal(r.shape), np.float32) for r in maker.refs]
    cells = dict(enumerate(start))
    with np.errstate(all="ignore"):
        want = interpret(root, [0, 1, 2, *args], cells)
    e = lower(root)
    for _ in range(2):  # the second run starts with warm memory
        boxes = [array(s) for s in start]
        before = [a.copy() for a in args]
        got = [r.numpy() for r in e.bind(boxes)([array(a) for a in args])]
        for x, y in zip(got, want, strict=True):
            np.testing.assert_array_equal(x, y)
        for k, box in enumerate(boxes):
            np.testing.assert_array_equal(box.numpy(), cells[k])
        for x, y in zip(args, before, strict=True):
            np.testing.assert_array_equal(x, y)


def test_nothing_is_left_in_memory():
    maker = Maker(1)
    for k in range(5):
        maker.function(f"f{k}")
    root = maker.function("root")
    e = lower(root)
    arrays = [array(np.ones(p.abstract.shape, p.abstract.dtype.np)) for p in root.params[3:]]
    boxes = [array(np.ones(r.shape, np.float32)) for r in maker.refs]
    e.bind(boxes)
    with np.errstate(all="ignore"):
        e(arrays)
        before = _core.memory()["in_use"]
        for _ in range(20):
            e(arrays)
    assert _core.memory()["in_use"] == before

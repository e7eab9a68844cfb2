"""Passes: what each does to a small program, and that the program still means the same."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from build_ir import (
    BOOL,
    F64,
    FLOAT,
    INT,
    AbstractFunction,
    AbstractTuple,
    Builder,
    Constant,
    Graph,
    P,
    Tensor,
    as_node,
    building,
    closure_program,
    closure_reference,
    dt,
    gradient_of,
    graph,
    loop,
    prim,
    tensor,
    unary,
    vec,
)
from machine import Machine, run

from minds.base.errors import InternalError
from minds.ir import equal, text, walk
from minds.ir.abstract import AbstractRef
from minds.ir.check import check
from minds.passes.close import close
from minds.passes.cse import cse
from minds.passes.driver import Rewriter, rule, run_steps, table
from minds.passes.loads import loads
from minds.passes.pattern import M, rules, wild
from minds.passes.simplify import RULES, simplify

f64 = np.float64


def names(g: Graph) -> list[str]:
    return [getattr(n.fn, "name", "call") for n in g]


def simplified(g: Graph) -> Graph:
    return check(simplify(check(g)))


# ---- inline


def test_calls_disappear():
    g = simplified(closure_program())
    assert {h.name for h in walk.graphs(g)} == {"f", "outer"}, "outer is called twice and captures"
    with graph("g", F64) as (g, b, x):
        f = unary("f", lambda v: b_call(unary("h", P.sin), P.cos(v)))
        g.output = b.call(f, (x,), F64)
    assert names(simplified(g)) == ["cos", "sin"] and len(walk.graphs(g)) == 1


def b_call(g, *args):
    from minds.ir.build import current

    return current().call(g, args)


def test_small_leaves_are_copied_large_ones_are_not():
    def wave(v):
        for _ in range(9):
            v = P.sin(v)
        return v

    small, large = unary("small", P.sin), unary("large", wave)
    with graph("g", F64) as (g, b, x):
        g.output = P.add(
            P.add(b.call(small, (x,)), b.call(small, (x,))),
            P.add(b.call(large, (x,)), b.call(large, (x,))),
        )
    assert {h.name for h in walk.graphs(simplified(g))} == {"g", "large"}
    np.testing.assert_allclose(run(g, f64(0.5)), 2 * np.sin(0.5) + 2 * wave_of(0.5))


def wave_of(v):
    for _ in range(9):
        v = np.sin(v)
    return v


def test_recursive_graphs_stay():
    g = simplified(loop(lambda v, w: P.mul(v, w), 3))
    assert {h.name for h in walk.graphs(g)} == {"loop", "loop:while", "loop:body", "loop:end"}
    assert run(g, f64(2.0), f64(3.0)) == 54


def test_deep_calls_move_each_node_once():
    depth, inner = 2000, unary("leaf", P.sin)
    for i in range(depth):
        with graph(f"g{i}", F64) as (g, b, x):
            g.output = P.sin(b.call(inner, (x,), F64))
        inner = g
    r = Rewriter(inner, RULES)
    r.run()
    assert len(names(inner)) == depth + 1
    assert r.counts["inline_call"][1] == depth
    check(inner)


def test_custom_gradients_are_not_inlined_before_j():
    mine = unary("mine", P.sin)
    mine.flags["bprop"] = unary("rule", P.sin)
    with graph("g", F64) as (g, b, x):
        g.output = b.call(mine, (x,))
    root = gradient_of(g, F64)
    simplify(root)
    assert mine in walk.graphs(root)
    with graph("g", F64) as (g, b, x):
        g.output = b.call(mine, (x,))
    assert names(simplify(g)) == ["sin"]


# ---- tuples, branches, constants, algebra, dead code


def test_tuples():
    with graph("g", F64, AbstractTuple((F64, F64))) as (g, b, x, t):
        pair = b.emit(prim.make_tuple, (x, P.sin(x)), AbstractTuple((F64, F64)))
        first = b.emit(prim.tuple_getitem, (pair, 1), F64)
        again = b.make_tuple((b.getitem(t, 0), b.getitem(t, 1)))
        g.output = b.make_tuple((first, again))
    assert names(simplified(g)) == ["sin", "make_tuple"] and g.output.args[1] is t


@pytest.mark.parametrize("cond, kept", [(True, "sin"), (False, "cos")])
@pytest.mark.parametrize("wrap", [lambda c: c, lambda c: Tensor(np.bool_(c))])
def test_switch_on_a_constant(cond, kept, wrap):
    with graph("g", F64) as (g, b, x):
        s = b.switch(as_node(wrap(cond)), unary("f", P.sin), unary("h", P.cos))
        g.output = b.call(s, (x,), F64)
    assert names(simplified(g)) == [kept]


def test_partial():
    f = Graph("f")
    a, c = f.add_param("a", F64), f.add_param("c", F64)
    with building(Builder(f)):
        f.output = P.sub(a, c)
    with graph("g", F64, F64) as (g, b, x, y):
        kind = AbstractFunction("k")
        p = b.emit(prim.partial, (b.emit(prim.partial, (f,), kind), x), kind)
        g.output = b.call(p, (y,), F64)
    assert names(simplified(g)) == ["sub"] and run(g, f64(5), f64(3)) == 2


@pytest.mark.parametrize(
    "build, value",
    [
        (lambda: P.add(Constant(2, INT), Constant(3, INT)), 5),
        (lambda: P.less(Constant(2, INT), Constant(3, INT)), True),
        (lambda: P.mul(Constant(0.1, FLOAT), Constant(3.0, FLOAT)), 0.1 * 3.0),
        (lambda: P.floor_divide(Constant(-7, INT), Constant(2, INT)), -4),
        (lambda: P.scalar_cast(Constant(2, INT), dt.float64), 2.0),
    ],
)
def test_scalars_fold(build, value):
    with graph("g") as (g, b):
        g.output = build()
    simplified(g)
    assert names(g) == [] and g.output.value == value and type(g.output.value) is type(value)


@pytest.mark.parametrize(
    "build",
    [
        lambda: P.floor_divide(Constant(1, INT), Constant(0, INT)),
        lambda: P.mul(Constant(2**62, INT), Constant(4, INT)),
    ],
)
def test_what_only_the_kernel_knows_is_not_folded(build):
    with graph("g") as (g, b):
        g.output = build()
    assert len(names(simplify(g))) == 1


def test_unused_applies_go_and_effects_stay():
    ref = AbstractRef(F64)
    dead = unary("dead", P.sin)
    with graph("g", F64, ref) as (g, b, x, p):
        P.mul(P.sin(x), P.cos(x))
        b.call(dead, (x,), F64)
        b.assign(p, x)
        g.output = x
    assert names(simplified(g)) == ["assign"] and not dead.callers


@pytest.mark.parametrize(
    "fn, left",
    [
        (lambda x: P.neg(P.neg(x)), 0),
        (lambda x: P.mul(x, as_node(tensor(1.0))), 0),
        (lambda x: P.sub(x, as_node(tensor(0.0))), 0),
        (lambda x: P.add(x, as_node(tensor(0.0))), 1),
        (lambda x: P.add(x, as_node(tensor(-0.0))), 0),
        (lambda x: P.sub(x, as_node(tensor(-0.0))), 1),
        (lambda x: P.transpose(P.transpose(x, (1, 0)), (1, 0)), 0),
        (lambda x: P.transpose(P.transpose(x, (1, 0)), (0, 1)), 1),
        (lambda x: P.reshape(P.reshape(x, (6,)), (2, 3)), 0),
        (lambda x: P.reshape(P.reshape(x, (6,)), (3, 2)), 1),
        (lambda x: P.cast(x, dt.float64), 0),
        (lambda x: P.cast(P.cast(x, dt.float32), dt.float64), 2),
        (lambda x: P.add(P.broadcast_to(as_node(tensor(-0.0)), (2, 3)), x), 0),
        (lambda x: P.add(P.mul(x, x), P.neg(x)), 2),
        (lambda x: P.add(P.neg(P.mul(x, x)), x), 2),
    ],
)
def test_algebra_is_exact_to_the_bit(fn, left):
    g = unary("g", fn, vec(2, 3))
    x = np.array([[0.0, -0.0, 1.5], [np.inf, -np.inf, 1e300]])
    before = run(g, x)
    simplified(g)
    assert len(names(g)) == left
    assert run(g, x).tobytes() == before.tobytes()


def test_a_looping_rule_is_named():
    (x,) = wild("x")
    looping = table(*rules(M.sin(x) >> (lambda n, x: P.sin(x))))
    with pytest.raises(AssertionError, match="sin_rule does not end"):
        Rewriter(unary("g", P.sin), looping).run()


def test_rules_are_tried_linearly_often():
    tries = []
    for n in (100, 200, 400):
        with graph("g", F64) as (g, b, x):
            for _ in range(n):
                x = P.neg(P.neg(P.sin(x)))
            g.output = x
        r = Rewriter(g, RULES)
        r.run()
        tries.append(sum(c[0] for c in r.counts.values()) / n)
        assert len(names(g)) == n
    assert max(tries) < 1.05 * min(tries)


def test_one_rule_may_serve_several_ops():
    @rule("sin", "cos")
    def to_tan(n):
        return P.tan(n.args[0])

    assert names(Rewriter(unary("g", lambda x: P.sin(P.cos(x))), table(to_tan)).run()) == [
        "tan",
        "tan",
    ]


# ---- close


def test_close_lifts_and_keeps_meaning():
    g = close(closure_program())
    check(g, closed=True)
    np.testing.assert_allclose(run(g, f64(0.3), f64(0.4)), closure_reference(0.3, 0.4))
    assert close(g) is g, "closed programs stay as they are"


def test_branches_get_equal_parameters():
    then, other = Graph("then"), Graph("else")
    with graph("f", F64, F64, BOOL) as (g, b, x, y, c):
        with building(Builder(then)):
            then.output = P.mul(x, y)
        other.output = y
        g.output = b.call(b.switch(c, then, other), (), F64)
    close(g)
    check(g, closed=True)
    assert [p.abstract for p in then.params] == [p.abstract for p in other.params] and len(
        then.params
    ) == 2
    assert run(g, 2.0, 3.0, True) == 6.0 and run(g, 2.0, 3.0, False) == 3.0


def test_a_graph_used_in_and_outside_of_a_switch_gets_a_wrapper():
    shared, other = Graph("shared"), Graph("else")
    with graph("f", F64, F64, BOOL) as (g, b, x, y, c):
        with building(Builder(shared)):
            shared.output = P.sin(x)
        other.output = y
        g.output = P.add(b.call(b.switch(c, shared, other), (), F64), b.call(shared, ()))
    close(g)
    check(g, closed=True)
    assert run(g, 2.0, 3.0, False) == 3.0 + np.sin(2.0) and run(g, 2.0, 3.0, True) == 2 * np.sin(
        2.0
    )


def test_closures_as_values_become_partials():
    with graph("f", F64, F64, BOOL) as (g, b, x, y, c):
        adds, muls = Graph("adds"), Graph("muls")
        for h, op in ((adds, P.add), (muls, P.mul)):
            v = h.add_param("v", F64)
            with building(Builder(h)):
                h.output = op(v, x)
        s = b.switch(c, adds, muls)
        t = b.make_tuple((s, adds))
        g.output = P.sub(
            b.call(b.getitem(t, 0), (y,), F64),
            P.sub(b.call(b.getitem(t, 1), (y,), F64), b.call(s, (y,), F64)),
        )
    close(g)
    check(g, closed=True)
    assert names(g).count("partial") == 3, "the tuple's graph, and each of the switch in it"
    assert names(g).count("switch") == 2
    assert run(g, 2.0, 3.0, False) == 6 - (5 - 6) and run(g, 2.0, 3.0, True) == 5 - (5 - 5)


def test_loops_close():
    g = close(loop(lambda v, w: P.mul(P.sin(v), w), 3))
    check(g, closed=True)
    assert run(g, f64(0.5), f64(2.0)) == run(
        loop(lambda v, w: P.mul(P.sin(v), w), 3), f64(0.5), f64(2.0)
    )


# ---- unread params


def countdown(*, value: bool = False, last=lambda v, z: v) -> tuple[Graph, Graph]:
    """(f, h): f(i, v, z) calls h, which halves i and hands v and z on, one of them doubled, until i is 0;
    then it returns ``last(v, z)``. ``value``: h is in a tuple too.
    """
    h, again, leave = Graph("h"), Graph("again"), Graph("leave")
    i, v, z = h.add_param("i", INT), h.add_param("v", F64), h.add_param("z", F64)
    leave.output = last(v, z)
    with building(Builder(again)) as b:
        again.output = b.call(h, (P.floor_divide(i, 2), P.mul(v, 2.0), z), F64)
    with building(Builder(h)) as b:
        h.output = b.call(b.switch(P.greater(i, 0), again, leave), (), F64)
    with graph("f", INT, F64, F64) as (f, b, i, v, z):
        callee = b.getitem(b.make_tuple((as_node(h), v)), 0) if value else h
        f.output = b.call(callee, (i, v, z), F64)
    return f, h


def test_a_param_that_is_only_handed_on_is_dropped():
    f, h = countdown()
    close(f)
    check(f, closed=True)
    assert [p.name for p in h.params] == ["i", "v"]
    assert run(f, 5, 1.5, 7.0) == 12.0
    again = next(g for g in walk.graphs(f) if g.name == "again")
    leave = next(g for g in walk.graphs(f) if g.name == "leave")
    assert len(again.params) == len(leave.params) == 2, "graphs of a switch take the same"


@pytest.mark.parametrize("options", [{"value": True}, {"last": lambda v, z: z}])
def test_a_param_that_may_be_read_stays(options):
    f, h = countdown(**options)
    close(f)
    check(f, closed=True)
    assert [p.name for p in h.params] == ["i", "v", "z"]
    assert run(f, 5, 1.5, 7.0) == (7.0 if "last" in options else 12.0)


def test_functions_with_their_own_gradient_keep_their_params():
    own, rule_ = Graph("own"), Graph("rule")
    x, _ = own.add_param("x", F64), own.add_param("y", F64)
    own.output = x
    given = [rule_.add_param(n, F64) for n in ("x", "y", "out", "dout")]
    with building(Builder(rule_)) as b:
        rule_.output = b.make_tuple((P.mul(given[3], 3.0), given[3]))
    own.flags["bprop"] = rule_
    with graph("f", F64, F64) as (f, b, x, y):
        f.output = b.call(own, (x, y), F64)
    close(f)
    assert len(own.params) == 2 and len(rule_.params) == 4


# ---- cse and loads


def test_cse_merges_equal_and_only_equal():
    with graph("g", F64) as (g, b, x):
        a = [
            P.sin(x),
            P.sin(x),
            P.add(x, as_node(tensor(0.0))),
            P.add(x, as_node(tensor(-0.0))),
            P.add(x, as_node(tensor(0.0))),
        ]
        g.output = b.make_tuple(a)
    x = np.float64(-0.0)
    before = run(g, x)
    check(cse(g))
    assert names(g) == ["sin", "add", "add", "make_tuple"]
    assert [v.tobytes() for v in run(g, x)] == [v.tobytes() for v in before]


def test_cse_of_loads_stops_at_writes():
    ref = AbstractRef(F64)
    with graph("g", ref, ref) as (g, b, p, q):
        a, c = b.load(p), b.load(p)
        b.assign(q, P.sin(a))
        d = b.load(p)
        b.assign(p, P.cos(a))
        g.output = b.make_tuple((a, c, d, b.load(p)))
    before = run(g, [f64(1)], [f64(2)])
    check(cse(g))
    assert names(g).count("load") == 2
    assert run(g, [f64(1)], [f64(2)]) == before


def test_loads_are_forwarded_and_dead_stores_dropped():
    ref = AbstractRef(F64)
    with graph("g", F64, ref, ref) as (g, b, x, p, q):
        first = b.assign(p, P.sin(x))
        second = b.assign(p, P.cos(first))
        b.assign(q, x)
        g.output = P.add(b.load(p), P.add(b.load(q), second))
    m, kept = Machine(), [f64(0)]
    expected = m.run(g, f64(0.3), kept, [f64(1)])
    check(loads(g))
    assert names(g).count("load") == 0 and names(g).count("assign") == 2
    again = [f64(0)]
    assert run(g, f64(0.3), again, [f64(1)]) == expected and again == kept


def test_a_store_that_a_call_reads_stays():
    ref = AbstractRef(F64)
    reader = Graph("reader")
    r = reader.add_param("r", ref)
    reader.output = Builder(reader).load(r)
    with graph("g", F64, ref) as (g, b, x, p):
        b.assign(p, P.sin(x))
        a = b.call(reader, (p,))
        b.assign(p, P.cos(x))
        g.output = P.add(a, b.load(p))
    expected = run(g, f64(0.3), [f64(0)])
    check(loads(g))
    assert names(g).count("assign") == 2 and names(g).count("load") == 0
    assert run(g, f64(0.3), [f64(0)]) == expected


def test_parameters_of_inner_graphs_may_alias():
    ref = AbstractRef(F64)
    inner = Graph("inner")
    p, q = inner.add_param("p", ref), inner.add_param("q", ref)
    with building(Builder(inner)) as b:
        a = b.load(p)
        b.assign(q, P.sin(a))
        inner.output = P.add(b.load(p), a)
    with graph("g", ref) as (g, b, p):
        g.output = b.call(inner, (p, p))
    expected = run(g, [f64(0.3)])
    check(loads(cse(g)))
    assert run(g, [f64(0.3)]) == expected == np.sin(0.3) + 0.3


# ---- steps


def test_steps_dump_time_and_check(capsys):
    def spoil(g, options):
        g.params[0].uses.clear()
        return g

    options = SimpleNamespace(dump=("simplify",), time=True, check=True)
    g = run_steps(closure_program(), [("simplify", simplify), ("close", close)], options)
    err = capsys.readouterr().err
    assert "# after simplify\n@f(" in err and "# after close" not in err and "minds: close" in err
    assert re.search(r"minds:   inline_call +\d+\.\d+ ms +\d+ of \d+", err)
    assert equal.equal(g, text.parse(text.dump(g), P, Tensor))
    with pytest.raises(InternalError, match="after the step spoil"):
        run_steps(g, [("spoil", spoil)], options)


def test_steps_bury_what_they_leave():
    g, f = Graph("g"), unary("f", P.sin)
    x = g.add_param("x", F64)
    b = Builder(g)
    g.output = b.call(f, (x,))

    def drop(graph, options):
        graph.output = graph.params[0]
        graph.remove(graph.head)
        return graph

    run_steps(g, [("drop", drop)], SimpleNamespace(dump=(), time=False, check=True))
    assert f.ret is None and not f.callers

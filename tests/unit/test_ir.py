"""The IR: lists and counts, walks, copies, the verifier, and text that parses back."""

from __future__ import annotations

import gc
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from build_ir import (
    F64,
    INT,
    NONE,
    AbstractFunction,
    AbstractTuple,
    Apply,
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
    expanded,
    gradient_of,
    graph,
    loop,
    prim,
    tensor,
    unary,
    vec,
)
from machine import run

from minds.base.loc import Loc
from minds.ir import equal, text, walk
from minds.ir.abstract import AbstractRef
from minds.ir.check import check, compatible
from minds.ir.clone import Cloner, clone, copy_program, substitute
from minds.ir.node import move, replace, set_args
from minds.passes.close import close


def test_program_order_and_use_counts():
    with graph("f", F64) as (g, b, x):
        y, z = P.sin(x), P.cos(x)
        w = P.mul(y, y)
        g.output = P.add(w, z)
    assert x.uses == {y: 1, z: 1} and y.uses == {w: 2}
    move(z, g, y)
    assert [n.fn.name for n in g] == ["cos", "sin", "mul", "add"]
    assert [n.fn.name for n in g.reversed()] == ["add", "mul", "sin", "cos"]
    replace(y, z)
    assert y.uses == {} and z.uses == {w: 2, g.output: 1}
    g.remove(y)
    check(g)
    with pytest.raises(AssertionError, match="still used"):
        g.remove(z)


def test_free_variables_are_transitive():
    g = closure_program()
    outer, inner = list(walk.children(g))[0], walk.graphs(g)[2]
    free = walk.free_variables(g)
    x, y = g.params
    assert set(free[inner]) == {outer.params[0], g.head}
    assert set(free[outer]) == {g.head, y} and not free[g]


def test_recursion_is_found():
    g = loop(lambda v, w: P.mul(v, w), 3)
    names = {h.name for h in walk.recursive(g)}
    assert names == {"loop:while", "loop:body"}


def test_walks_are_iterative_and_linear():
    depth = 3000
    inner = unary("leaf", P.sin)
    for i in range(depth):
        with graph(f"g{i}", F64) as (g, b, x):
            g.output = b.call(inner, (x,), F64)
        inner = g
    assert len(walk.graphs(inner)) == depth + 1
    assert not walk.recursive(inner)
    assert not any(walk.free_variables(inner).values())
    check(inner)


def test_effects_are_seen_through_switch_and_calls():
    ref = AbstractRef(F64)
    then, other = Graph("then"), Graph("else")
    with graph("f", F64, ref) as (g, b, x, p):
        with building(Builder(then)) as t:
            then.output = t.assign(p, x)
        other.output = x
        s = b.switch(P.less(x, as_node(tensor(0))), then, other)
        call = b.call(s, (), F64)
        pure = b.call(unary("pure", P.sin), (x,), F64)
        g.output = x
    walk.mark_effects(g)
    assert then.has_effect and g.has_effect and not other.has_effect
    assert walk.effectful(call) and not walk.effectful(pure)


def test_clone_copies_nested_closures_and_shares_the_rest():
    g = closure_program()
    shared = unary("shared", P.cos)
    with building(Builder(g)) as b:
        g.output = P.add(g.output, b.call(shared, (g.params[0],), F64))
    h = clone(g)
    check(h)
    assert equal.equal(g, h)
    old, new = set(walk.graphs(g)), set(walk.graphs(h))
    assert old & new == {shared}
    assert not set(walk.graphs(copy_program(h))) & new
    x, y = np.float64(0.3), np.float64(0.4)
    np.testing.assert_allclose(run(h, x, y), closure_reference(x, y) + np.cos(x))


def test_clone_of_a_loop():
    g = loop(lambda v, w: P.mul(P.sin(v), w), 4)
    h = copy_program(g)
    check(h)
    assert equal.equal(g, h)
    assert run(g, np.float64(0.3), np.float64(2)) == run(h, np.float64(0.3), np.float64(2))


def test_a_cloner_can_put_a_body_elsewhere():
    f = unary("f", lambda x: P.mul(P.sin(x), x))
    with graph("g", F64) as (g, b, y):
        c = Cloner([f], {f.params[0]: y})
        c.body(f, g)
        g.output = c.value(f.output)
    check(g)
    assert [n.fn.name for n in g] == ["sin", "mul"]


def test_substitute_replaces_many_at_once():
    with graph("f", F64, F64) as (g, b, x, y):
        g.output = b.make_tuple([x, y] * 50)
    (n,) = g
    users = substitute({x: y, y: x})
    assert users == [n] and n.args == (y, x) * 50
    check(g)


# ---- the verifier


def broken_definition():
    with graph("f", F64) as (g, b, x):
        y = P.sin(x)
        g.output = P.cos(y)
    move(g.output, g, y)
    return g


def broken_count():
    g = unary("f", P.sin)
    g.params[0].uses.clear()
    return g


def broken_arity():
    f = unary("f", P.sin)
    with graph("g", F64) as (g, b, x):
        g.output = b.call(f, (x, x), F64)
    return g


def broken_argument():
    f = unary("f", P.sin)
    with graph("g", INT) as (g, b, i):
        g.output = b.call(f, (i,), F64)
    return g


def broken_links():
    g = unary("f", lambda x: P.sin(P.cos(x)))
    g.tail.prev = None
    return g


def broken_tuple():
    with graph("g", F64) as (g, b, x):
        t = b.make_tuple((x,))
        g.output = b.emit(prim.tuple_getitem, (t, 3), F64)
    return g


def broken_switch():
    with graph("g", F64) as (g, b, x):
        f, h = unary("f", P.sin), unary("h", lambda v: P.greater(v, v))
        g.output = b.call(b.switch(P.less(x, x), f, h), (x,), F64)
    return g


def broken_scope():
    other = unary("other", P.sin)
    with graph("g", F64) as (g, b, x):
        g.output = P.cos(other.params[0])
    return g


@pytest.mark.parametrize(
    "make, message",
    [
        (broken_definition, "before its definition"),
        (broken_count, "uses of"),
        (broken_arity, "2 arguments for 1"),
        (broken_argument, "argument 0 is int"),
        (broken_links, "broken links"),
        (broken_tuple, "index"),
        (broken_switch, "branches return"),
        (broken_scope, "reachable"),
    ],
)
def test_the_verifier_finds(make, message):
    with pytest.raises(AssertionError, match=message):
        check(make())


def test_the_verifier_knows_stages():
    g = closure_program()
    check(g)
    with pytest.raises(AssertionError, match="free variable"):
        check(g, closed=True)
    root = gradient_of(unary("f", P.sin), F64)
    with pytest.raises(AssertionError, match="J is left"):
        check(root, j=False)


def test_function_types_are_nominal():
    f, g = AbstractFunction("f"), AbstractFunction("g")
    assert compatible(AbstractTuple((f, F64)), AbstractTuple((g, F64)))
    assert not compatible(AbstractTuple((f, F64)), AbstractTuple((F64, f)))


# ---- text


def attributes_program():
    ref = AbstractRef(vec(2, 3))
    with graph("f", vec(2, 3), ref, NONE, INT) as (g, b, x, p, nothing, i):
        y = P.transpose(P.reshape(x, (3, 2)), (1, 0))
        z = P.add(P.cast(y, dt.float64), b.load(p))
        b.assign(p, P.mul(z, as_node(tensor(-0.0))))
        w = P.add(z, as_node(Tensor(np.arange(12.0).reshape(2, 6)[:, :3].copy())))
        s = P.sum(P.mul(w, as_node(Tensor(np.ones((2, 3)) * np.arange(3.0)))), (0, 1), False)
        g.output = b.make_tuple((s, P.add(i, -3), nothing, b.make_tuple(())))
    return g


PROGRAMS = {
    "straight": lambda: unary("f", lambda x: P.mul(P.sin(x), x)),
    "closures": closure_program,
    "loop": lambda: loop(lambda v, w: P.mul(P.sin(v), w), 4),
    "attributes": attributes_program,
    "gradient": lambda: gradient_of(unary("f", P.sin), F64),
    "gradient of a loop": lambda: expanded(
        gradient_of(loop(lambda v, w: P.mul(P.sin(v), w), 4), F64, F64)
    ),
    "closed": lambda: close(closure_program()),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("locations", [False, True])
def test_text_parses_back(name, locations):
    g, table = PROGRAMS[name](), {}
    written = text.dump(g, table, locations)
    back = text.parse(written, P, Tensor, table)
    assert equal.difference(g, back) is None
    check(back)
    if not locations:
        assert text.dump(back, {}) == written, "a second round changes nothing"


def test_text_looks_like_this():
    b_loc = Loc("net.py", 3, 4, 3, 9, "construct")
    with graph("net", vec(2), F64) as (g, b, x, w):
        b.loc = b_loc
        g.output = P.sum(P.mul(x, P.mul(w, as_node(tensor(2.5)))), (0,), False)
    assert (
        text.dump(g, locations=True)
        == """\
@net(%x0 : Tensor[(2,), float64], %x1 : Tensor[(), float64]) {
  %0 = mul(%x1, tensor(float64, (), [2.5])) : Tensor[(), float64]  # net.py:3
  %1 = mul(%x0, %0) : Tensor[(2,), float64]  # net.py:3
  %2 = sum(%1, (0,), False) : Tensor[(), float64]  # net.py:3
  return %2
}
"""
    )


@pytest.mark.parametrize(
    "value",
    [
        0,
        -7,
        1.5,
        -0.0,
        float("inf"),
        float("-inf"),
        1e-30,
        True,
        None,
        'it\'s "so"\n',
        (),
        (1,),
        (1, (2.0, None)),
        dt.bfloat16,
    ],
)
def test_constants_survive(value):
    g = Graph("f")
    g.output = Constant(value, NONE)
    back = text.parse(text.dump(g), P, Tensor)
    assert equal.same_constant(back.output.value, value)


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "float16", "bfloat16", "float32", "int64"]
)
def test_tensors_survive_to_the_bit(dtype):
    t = Tensor(
        np.array([0, 1, 3.14159, -2.71828] if dtype not in ("bool", "uint8") else [0, 1, 1, 0]),
        dt.of(dtype),
    )
    g = Graph("f")
    g.output = as_node(t)
    assert equal.equal(g, text.parse(text.dump(g), P, Tensor))


@pytest.mark.parametrize(
    "source, message",
    [
        ("@f( {", "line 1"),
        ("@f() {\n  %0 = nonsense() : int\n  return %0\n}", "no op nonsense"),
        ("@f() {\n  return %9\n}", "%9 is not defined"),
        ("", "expected a graph"),
        ("@f() {\n  return $\n}", "line 2"),
    ],
)
def test_bad_text_is_refused(source, message):
    with pytest.raises(ValueError, match=message):
        text.parse(source, P, Tensor)


def test_difference_names_what_differs():
    a, b = unary("f", P.sin), unary("f", P.cos)
    assert "sin" in equal.difference(a, b)
    assert equal.difference(a, unary("g", P.sin)) is None


def test_set_args_keeps_counts():
    g = unary("f", lambda x: P.mul(x, x))
    n = g.output
    set_args(n, (n.args[0], as_node(tensor(1.0))))
    assert g.params[0].uses == {n: 1} and isinstance(n, Apply)
    check(g)


def test_types_of_functions_do_not_keep_graphs_alive():
    g = unary("f", P.sin)
    kind = AbstractFunction(("back", g))
    assert AbstractFunction(("back", g)) is kind and AbstractTuple((F64, kind)) is AbstractTuple(
        (F64, kind)
    )
    assert AbstractFunction(("back", unary("f", P.sin))) is not kind
    alive = weakref.ref(g)
    g.params[0].abstract = AbstractTuple((AbstractTuple((kind,)), F64))
    del g, kind
    gc.collect()
    assert alive() is None

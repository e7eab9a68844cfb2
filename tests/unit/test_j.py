"""J: gradients of hand-built programs against finite differences and closed forms, by the reference
machine.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from build_ir import (
    F64,
    FLOAT,
    INT,
    NONE,
    AbstractFunction,
    AbstractTuple,
    Builder,
    Constant,
    Graph,
    P,
    as_node,
    building,
    dt,
    expanded,
    grad_call,
    gradient_of,
    graph,
    loop,
    prim,
    tensor,
    unary,
    vec,
)
from machine import Machine, run

from minds.ad import j as j_module
from minds.base.loc import Loc
from minds.ir import walk
from minds.ir.abstract import AbstractRef
from minds.ops.define import op
from minds.tensor import Tensor

f64 = np.float64


def slope(f, *args, h=1e-6):
    """Central differences of a scalar function with respect to each argument."""
    out = []
    for i, a in enumerate(args):
        up, down = list(args), list(args)
        up[i], down[i] = a + h, a - h
        out.append((f(*up) - f(*down)) / (2 * h))
    return out


def only(x) -> float:
    return np.asarray(x).item()


def first_gradient(inner: Graph, *abstracts, index=0) -> Graph:
    """The graph of the ``index``-th gradient of ``inner``, to be differentiated again."""
    with graph("d" + inner.name, *abstracts) as (g, b, *args):
        g.output = b.getitem(grad_call(b, inner, args)[1], index)
    return g


def test_straight_line():
    root = expanded(gradient_of(unary("f", lambda x: P.mul(P.sin(x), x)), F64))
    out, (dx,) = run(root, f64(0.7))
    assert only(out) == np.sin(0.7) * 0.7
    assert only(dx) == np.sin(0.7) + 0.7 * np.cos(0.7)
    assert len(walk.graphs(root)) == 1, "everything is inlined"
    assert "broadcast_to" not in {n.fn.name for n in root}, "no zeros remain"


def test_sums_are_flat_in_reverse_program_order():
    """acc = ((c3 + c2) + c1): the order of the eager tape, also through an inlined call."""
    h = unary("h", lambda x: P.mul(x, as_node(tensor(0.1))))
    with graph("f", F64) as (g, b, x):
        a = P.mul(x, as_node(tensor(0.3)))
        c = P.add(a, b.call(h, (x,)))
        g.output = P.add(c, P.mul(x, as_node(tensor(0.7))))
    (dx,) = run(expanded(gradient_of(g, F64)), f64(2.0))[1]
    assert only(dx) == (0.7 + 0.1) + 0.3 != 0.7 + (0.1 + 0.3)


@pytest.mark.parametrize("x", [0.5, -0.5])
def test_branch(x):
    then, other = Graph("then"), Graph("else")
    with graph("f", F64, F64) as (g, b, a, y):
        with building(Builder(then)):
            then.output = P.mul(a, y)
        with building(Builder(other)):
            other.output = P.sin(a)
        chosen = b.call(b.switch(P.greater(a, as_node(tensor(0))), then, other), (), F64)
        g.output = P.add(chosen, a)
    out, (da, dy) = run(expanded(gradient_of(g, F64, F64)), f64(x), f64(3.0))
    assert only(out) == (x * 3 if x > 0 else np.sin(x)) + x
    assert only(da) == 1 + (3.0 if x > 0 else np.cos(x))
    assert only(dy) == (x if x > 0 else 0.0)
    assert x < 0 or not np.signbit(dy)


def _sine(v, w):
    return P.mul(P.sin(v), w)


def _python_loop(x, w, n=5):
    for _ in range(n):
        x = np.sin(x) * w
    return x


def test_while():
    out, grads = run(expanded(gradient_of(loop(_sine, 5), F64, F64)), f64(0.7), f64(1.3))
    assert only(out) == _python_loop(0.7, 1.3)
    np.testing.assert_allclose(grads, slope(_python_loop, 0.7, 1.3), rtol=1e-8)


def test_while_agrees_bit_for_bit_with_the_unrolled_program():
    with graph("f", F64, F64) as (g, b, x, w):
        v = x
        for _ in range(5):
            v = _sine(v, w)
        g.output = v
    flat = run(expanded(gradient_of(g, F64, F64)), f64(0.7), f64(1.3))
    assert flat == run(expanded(gradient_of(loop(_sine, 5), F64, F64)), f64(0.7), f64(1.3))


def test_second_order_through_while():
    inner = first_gradient(loop(_sine, 4), F64, F64)
    out, grads = run(expanded(gradient_of(inner, F64, F64)), f64(0.7), f64(1.3))

    def dx(x, w):
        return slope(lambda a: _python_loop(a, w, 4), x)[0]

    np.testing.assert_allclose(only(out), dx(0.7, 1.3), rtol=1e-8)
    np.testing.assert_allclose(grads, slope(dx, 0.7, 1.3, h=1e-4), rtol=1e-5)


def test_third_order_through_while():
    cube = loop(lambda v, w: P.mul(v, w), 3)  # x w^3
    once = first_gradient(cube, F64, F64, index=1)  # 3 x w^2
    twice = first_gradient(once, F64, F64, index=1)  # 6 x w
    out, (dx, dw) = run(expanded(gradient_of(twice, F64, F64)), f64(0.5), f64(2.0))
    np.testing.assert_allclose([only(out), only(dx), only(dw)], [6.0, 12.0, 3.0], rtol=1e-12)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_the_steps_of_a_high_derivative_are_linear_in_the_iterations(order):
    taken = []
    for n in (6, 12, 24):
        f = loop(_sine, n)
        for _ in range(order - 1):
            f = first_gradient(f, F64, F64)
        machine = Machine()
        machine.run(expanded(gradient_of(f, F64, F64)), f64(0.7), f64(1.1))
        taken.append(machine.steps)
    assert taken[2] - taken[1] == 2 * (taken[1] - taken[0])


def test_recursion_with_two_calls():
    """f(n, x) = x if n < 2 else f(n-1, x) * f(n-2, x): x^fibonacci(n)."""

    def program():
        f, base, step = Graph("f"), Graph("base"), Graph("step")
        n, x = f.add_param("n", INT), f.add_param("x", F64)
        base.output = x
        with building(Builder(step)) as b:
            step.output = P.mul(b.call(f, (P.sub(n, 1), x), F64), b.call(f, (P.sub(n, 2), x), F64))
        with building(Builder(f)) as b:
            f.output = b.call(b.switch(P.less(n, 2), base, step), (), F64)
        with graph("main", F64) as (g, b, a):
            g.output = b.call(f, (6, a))
        return g

    out, (da,) = run(expanded(gradient_of(program(), F64)), f64(1.1))
    np.testing.assert_allclose(only(out), 1.1**13)
    np.testing.assert_allclose(only(da), 13 * 1.1**12)
    inner = first_gradient(program(), F64)
    np.testing.assert_allclose(
        only(run(expanded(gradient_of(inner, F64)), f64(1.1))[1][0]), 13 * 12 * 1.1**11
    )


def test_tuples_as_state_and_result():
    pair = AbstractTuple((F64, F64))
    header, body, leave = Graph("h"), Graph("body"), Graph("end")
    with graph("f", F64, F64) as (g, b, x, y):
        i, s = header.add_param("i", INT), header.add_param("s", pair)
        leave.output = s
        with building(Builder(body)) as bb:
            p, q = bb.getitem(s, 0), bb.getitem(s, 1)
            body.output = bb.call(
                header, (P.add(i, 1), bb.make_tuple((P.mul(p, q), P.sin(p)))), pair
            )
        with building(Builder(header)) as hb:
            header.output = hb.call(hb.switch(P.less(i, 3), body, leave), (), pair)
        t = b.call(header, (0, b.make_tuple((x, y))), pair)
        g.output = P.add(b.getitem(t, 0), b.getitem(t, 1))

    def reference(p, q):
        for _ in range(3):
            p, q = p * q, np.sin(p)
        return p + q

    out, grads = run(expanded(gradient_of(g, F64, F64)), f64(0.8), f64(1.2))
    assert only(out) == reference(0.8, 1.2)
    np.testing.assert_allclose(grads, slope(reference, 0.8, 1.2), rtol=1e-8)


def test_integers_and_unused_arguments():
    with graph("f", F64, INT, F64) as (g, b, x, i, y):
        g.output = P.mul(x, x)
    root = gradient_of(g, F64, INT, F64)
    assert root.output.abstract.items[1].items == (F64, NONE, F64)
    out, (dx, di, dy) = run(expanded(root), f64(3.0), 2, f64(1.0))
    assert (only(dx), di, only(dy)) == (6.0, None, 0.0)


def test_scalars():
    with graph("f", FLOAT, FLOAT) as (g, b, x, y):
        g.output = P.mul(P.mul(x, y), x)
    assert run(expanded(gradient_of(g, FLOAT, FLOAT)), 3.0, 5.0) == (45.0, (30.0, 9.0))


def test_stop_gradient_and_nondiff():
    with graph("f", F64) as (g, b, x):
        g.output = P.add(P.mul(x, P.stop_gradient(x)), P.cast(P.greater(x, x), dt.float64))
    assert only(run(expanded(gradient_of(g, F64)), f64(3.0))[1][0]) == 3.0


def test_variadic_and_several_results():
    with graph("f", vec(4), vec(2)) as (g, b, x, y):
        parts = P.split(P.concat((x, y), 0), (1, 2, 3), 0)
        g.output = P.sum(P.mul(b.getitem(parts, 1), b.getitem(parts, 1)), (0,), False)
    x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([5.0, 6.0])
    out, (dx, dy) = run(expanded(gradient_of(g, vec(4), vec(2))), x, y)
    assert only(out) == 13
    np.testing.assert_array_equal(dx, [0, 4, 6, 0])
    np.testing.assert_array_equal(dy, [0, 0])


def test_an_element_has_one_sum_however_it_is_packed():
    with graph("f", vec(2)) as (g, b, x):
        t = b.make_tuple((x, x))
        once = P.concat(t, 0)
        again = P.concat(t, 0)
        g.output = P.sum(P.mul(once, again), (0,), False)
    (dx,) = run(expanded(gradient_of(g, vec(2))), np.array([1.0, 3.0]))[1]
    np.testing.assert_array_equal(dx, [4, 12])


def test_custom_bprop_is_called_and_may_capture():
    g = Graph("mine")
    x = g.add_param("x", F64)
    with graph("f", F64, F64) as (f, b, a, w):
        with building(Builder(g)):
            g.output = P.mul(x, w)
        rule = Graph("mine:bprop")
        p, out, dout = (rule.add_param(n, F64) for n in ("x", "out", "dout"))
        with building(Builder(rule)) as rb:
            rule.output = rb.make_tuple((P.mul(P.mul(dout, w), as_node(tensor(10.0))),))
        g.flags["bprop"] = rule
        f.output = b.call(g, (P.sin(a),))
    out, (da, dw) = run(expanded(gradient_of(f, F64, F64)), f64(0.3), f64(2.0))
    assert only(out) == np.sin(0.3) * 2
    np.testing.assert_allclose(only(da), 20 * np.cos(0.3))
    assert only(dw) == 0, "a captured value gets no gradient from a custom rule"


def test_loads_are_constants_and_effects_stay_in_order():
    ref = AbstractRef(F64)
    with graph("f", F64, ref) as (g, b, x, p):
        a = P.mul(x, b.load(p))
        b.assign(p, as_node_of(5.0))
        g.output = P.mul(a, b.load(p))
    cell, m = [f64(2.0)], Machine()
    out, (dx, dp) = m.run(expanded(gradient_of(g, F64, ref)), f64(3.0), cell)
    assert (only(out), only(dx), dp) == (30.0, 10.0, None)
    assert [k for k, _ in m.log] == ["assign"] and cell == [5.0]


def as_node_of(v):
    return as_node(tensor(v))


def test_captured_values_of_the_differentiated_function():
    """The gradient of a closure: what it captured has no gradient here, but gets one from the
    outside.
    """
    with graph("outer", F64, F64) as (g, b, x, y):
        inner = Graph("inner")
        a = inner.add_param("a", F64)
        with building(Builder(inner)):
            inner.output = P.mul(P.mul(a, a), y)
        g.output = b.getitem(grad_call(b, inner, (x,))[1], 0)  # 2xy
    out, (dx, dy) = run(expanded(gradient_of(g, F64, F64)), f64(3.0), f64(5.0))
    assert (only(out), only(dx), only(dy)) == (30.0, 10.0, 6.0)


def test_function_values_through_recursion():
    """apply(n, k, x) = x if n == 0 else apply(n-1, k, k(x)), where k captures w."""
    kind = AbstractFunction("k")
    kind.signature[:] = [[F64], F64]
    apply, base, step = Graph("apply"), Graph("base"), Graph("step")
    n, k, x = apply.add_param("n", INT), apply.add_param("k", kind), apply.add_param("x", F64)
    base.output = x
    with building(Builder(step)) as b:
        step.output = b.call(apply, (P.sub(n, 1), k, b.call(k, (x,), F64)), F64)
    with building(Builder(apply)) as b:
        apply.output = b.call(b.switch(P.less(n, 1), base, step), (), F64)
    with graph("main", F64, F64) as (g, b, a, w):
        times = Graph("times")
        v = times.add_param("v", F64)
        with building(Builder(times)):
            times.output = P.mul(P.sin(v), w)
        g.output = b.call(apply, (4, Constant(times, kind), a))
    out, grads = run(expanded(gradient_of(g, F64, F64)), f64(0.7), f64(1.3))
    assert only(out) == _python_loop(0.7, 1.3, 4)
    np.testing.assert_allclose(
        grads, slope(lambda a, w: _python_loop(a, w, 4), 0.7, 1.3), rtol=1e-8
    )


@pytest.mark.parametrize("x, w", [(0.5, 0.8), (0.8, 0.5)])
def test_a_switch_of_function_values(x, w):
    with graph("f", F64, F64) as (g, b, p, q):
        fs = []
        for name, fn in (("p", lambda v: P.mul(v, q)), ("q", lambda v: P.sin(P.mul(v, p)))):
            h = Graph(name)
            v = h.add_param("v", F64)
            with building(Builder(h)):
                h.output = fn(v)
            fs.append(h)
        s = b.switch(P.less(p, q), *fs)
        t = b.make_tuple((s, p))
        g.output = P.add(b.call(b.getitem(t, 0), (p,), F64), b.call(s, (q,), F64))

    def reference(x, w):
        k = (lambda v: v * w) if x < w else (lambda v: np.sin(v * x))
        return k(x) + k(w)

    out, grads = run(expanded(gradient_of(g, F64, F64)), f64(x), f64(w))
    assert only(out) == reference(x, w)
    np.testing.assert_allclose(grads, slope(reference, x, w), rtol=1e-8)


@op
def odd_op(x: Tensor):
    """An op without gradient."""
    return x


del P.odd_op  # not for tests that go through all ops


def test_an_op_without_gradient_is_an_error_at_its_line():
    with graph("f", F64) as (g, b, x):
        y = P.sin(x)
        b.loc = Loc("net.py", 7, 4, 7, 9, "construct")
        g.output = odd_op(y)
    with pytest.raises(TypeError) as e:
        expanded(gradient_of(g, F64))
    assert str(e.value).splitlines()[:2] == [
        "odd_op: has no gradient",
        '  File "net.py", line 7, in construct',
    ]


def test_an_op_without_gradient_is_no_error_where_none_flows():
    with graph("f", F64) as (g, b, x):
        odd_op(x)
        g.output = P.add(x, P.stop_gradient(odd_op(x)))
    assert "odd_op" in {n.fn.name for n in expanded(gradient_of(g, F64))}


def test_gradient_nodes_carry_the_place_of_their_primal():
    with graph("f", F64) as (g, b, x):
        b.loc = Loc("net.py", 3, 0, 3, 9, "construct")
        g.output = P.sin(x)
    backward = [n for n in expanded(gradient_of(g, F64)) if n.loc is not None and n.loc.backward]
    assert [n.fn.name for n in backward] == ["cos"] and backward[0].loc.line == 3


def test_unwanted_gradients_are_not_computed():
    with graph("f", F64, F64) as (g, b, x, w):
        g.output = P.mul(P.sin(P.exp(x)), w)
    with graph("root", F64, F64) as (root, b, x, w):
        root.output = b.getitem(grad_call(b, g, (x, w))[1], 1)
    assert [n.fn.name for n in expanded(root)] == ["exp", "sin"]


def test_unwanted_gradients_of_a_loop_are_not_computed():
    """x = sin(x) * w: the gradient by w needs sin(x) in ◀, that by x does not."""

    def backward(index: int):
        with graph("root", F64, F64) as (root, b, x, w):
            root.output = b.getitem(grad_call(b, loop(_sine, 4), (x, w))[1], index)
        found = expanded(root)
        return [
            n.fn.name
            for g in walk.graphs(found)
            if g.name.startswith("◀")
            for n in g
            if getattr(n.fn, "name", "") in ("mul", "cos", "add")
        ], found

    both, by_w = backward(1)
    alone, by_x = backward(0)
    assert sorted(alone) == ["cos", "mul", "mul"], (
        "and the state, which has no sum yet, needs no accumulator"
    )
    assert sorted(both) == ["add", "cos", "mul", "mul", "mul"]
    args = f64(0.7), f64(1.3)
    np.testing.assert_allclose(
        [run(by_x, *args), run(by_w, *args)],
        slope(lambda x, w: _python_loop(x, w, 4), 0.7, 1.3),
        rtol=1e-8,
    )


def test_a_cotangent_may_be_absent():
    """dout = (1, None): the second result contributes nothing, not even NaN times zero."""
    with graph("g", F64) as (g, b, x):
        second = P.log(P.sub(x, x))
        g.output = b.make_tuple((P.mul(x, x), P.mul(second, second)))
    with graph("root", F64) as (root, b, x):
        j = b.emit(prim.J, (g,), AbstractFunction(("j", "g")))
        t = b.emit(
            j, (x,), AbstractTuple((AbstractTuple((F64, F64)), AbstractFunction(("back", "g"))))
        )
        dout = b.make_tuple((as_node(tensor(1.0)), Constant(None, NONE)))
        root.output = b.getitem(b.emit(b.getitem(t, 1), (dout,), AbstractTuple((F64,))), 0)
    assert only(run(expanded(root), f64(3.0))) == 6.0


def test_a_backpropagator_called_twice():
    g = unary("f", lambda x: P.mul(P.sin(x), x))
    with graph("root", F64) as (root, b, x):
        j = b.emit(prim.J, (g,), AbstractFunction(("j", "f")))
        t = b.emit(j, (x,), AbstractTuple((F64, AbstractFunction(("back", "f")))))
        back = b.getitem(t, 1)
        one, two = (b.emit(back, (as_node_of(d),), AbstractTuple((F64,))) for d in (1.0, 2.0))
        root.output = P.add(b.getitem(one, 0), b.getitem(two, 0))
    np.testing.assert_allclose(
        only(run(expanded(root), f64(0.7))), 3 * (np.sin(0.7) + 0.7 * np.cos(0.7))
    )


def test_grad_inside_its_own_recursion_is_refused():
    f = Graph("f")
    x = f.add_param("x", F64)
    with building(Builder(f)) as b:
        j = b.emit(prim.J, (f,), AbstractFunction(("j", "f")))
        t = b.emit(j, (x,), AbstractTuple((F64, AbstractFunction(("back", "f")))))
        f.output = b.getitem(t, 0)
    with pytest.raises(TypeError, match="differentiates itself"):
        j_module.expand(f)


def test_long_loops_need_no_native_recursion():
    root = expanded(gradient_of(loop(lambda v, w: P.mul(v, w), 3000), F64, F64))
    out, (dx, dw) = run(root, f64(1.0), f64(1.0001))
    np.testing.assert_allclose(only(dx), 1.0001**3000)
    np.testing.assert_allclose(only(dw), 3000 * 1.0001**2999)


def _chain(n: int) -> Graph:
    with graph("chain", vec(8)) as (g, b, x):
        v = x
        for _ in range(n // 2):
            v = P.sin(P.mul(v, x))
        g.output = P.sum(v, (0,), False)
    return g


def test_growth_is_linear():
    """The number of nodes J and the passes make per node of the source does not grow with its
    length.
    """
    per_node = []
    for n in (200, 400, 800):
        root = gradient_of(_chain(n), vec(8))
        expanded(root)
        per_node.append(sum(1 for _ in root) / n)
    assert max(per_node) < 1.02 * min(per_node)

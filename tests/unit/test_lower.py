"""Lowering: what becomes of a graph, where values live, and that the cost is linear."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest
from program_graphs import (
    BOOL,
    F32,
    FLOAT,
    INT,
    P,
    array,
    graph,
    lower,
    prim,
    recursion,
    ref,
    run,
    switch,
    tensor,
    traced,
    while_loop,
)
from test_hostile_programs import corpus

import minds
from minds import Parameter, Tensor, ops
from minds.base import dtype as dt
from minds.base.loc import Loc
from minds.ir.abstract import AbstractFunction, AbstractTensor, AbstractTuple
from minds.ir.build import Builder, building
from minds.ir.node import Graph, set_args
from minds.jit.inspection import inspect
from minds.lower.disassemble import _Disassembler
from minds.lower.encode import encode
from minds.lower.format import CALL, CLOSURE, LOAD, RUN, SCALAR, SWITCH_TAIL, TAIL
from minds.lower.legalise import legalise, reachable
from minds.lower.linearize import LinearIR
from minds.lower.memory import ArenaBlock, _best_fit, plan
from minds.lower.select import leaves
from minds.ops.define import Op


def planned(g: Graph) -> Program:
    p = LinearIR(legalise(g))
    plan(p)
    return p


def opcodes(p: Program, k: int = 0) -> list[int]:
    return [i.op for i in p.functions[k].code]


# ---- values and instructions


def test_dead_applies_are_not_lowered():
    def f(x):
        P.exp(x)
        return P.add(x, x)

    p = planned(traced(f, tensor(3)))
    assert [p.tables.kernel_list[i.target][0] for i in p.functions[0].code if i.op == RUN] == [
        "add"
    ]


def test_tuples_cost_no_instruction():
    g, b, x = graph("f", AbstractTuple((tensor(2), AbstractTuple((INT, tensor(3))))))
    inner = b.emit(prim.tuple_getitem, (x, 1), x.abstract.items[1])
    last = b.emit(prim.tuple_getitem, (inner, 1), tensor(3))
    g.output = b.make_tuple([last, b.emit(prim.tuple_getitem, (x, 0), tensor(2))])
    assert len(planned(g).functions[0].code) == 1
    got = [
        r.numpy() for r in lower(g)([array(v) for v in (np.zeros(2, "f4"), 7, np.ones(3, "f4"))])
    ]
    np.testing.assert_array_equal(got[0], np.ones(3))
    np.testing.assert_array_equal(got[1], np.zeros(2))


def test_leaves_of_types():
    assert leaves(AbstractTuple((INT, AbstractTuple(()), AbstractTuple((FLOAT, BOOL))))) == [
        INT,
        FLOAT,
        BOOL,
    ]


def test_views_take_no_instruction_and_equal_kernels_are_one():
    def f(x):
        y = P.reshape(P.exp(x), (6,))
        return P.reshape(P.add(y, P.reshape(P.exp(P.reshape(y, (2, 3))), (6,))), (3, 2))

    p = planned(traced(f, tensor(2, 3)))
    assert opcodes(p)[:-1] == [RUN] * 3
    assert len(p.tables.kernel_list) == 2


def test_attributes_that_are_equal_in_python_stay_apart():
    p = planned(traced(lambda x: tuple(P.full((2,), v, F32) for v in (1.0, 2.0, 1.0)), tensor(2)))
    assert len(p.tables.kernel_list) == 2


def test_scalar_arithmetic_needs_no_kernel():
    p = planned(traced(lambda i, x: P.mul(P.add(x, 1.5), P.scalar_cast(i, dt.float64)), INT, FLOAT))
    assert opcodes(p)[:-1] == [SCALAR] * 3 and not p.tables.kernel_list


def test_a_loop_is_tail_calls_without_closures():
    p = planned(while_loop(lambda i, n: P.less(i, n), lambda i, n: (P.add(i, 1), n), [INT, INT], 0))
    assert [opcodes(p, k)[-1] for k in range(3)] == [TAIL, SWITCH_TAIL, TAIL]
    assert all(i.op != CLOSURE for f in p.functions for i in f.code)


def test_partials_that_are_only_called_become_arguments():
    """What `close` leaves: partial(switch(c, f, g), captured)(x)."""
    f, g = traced(P.add, tensor(2), tensor(2)), traced(P.mul, tensor(2), tensor(2))
    root, b, c, x, y = graph("root", BOOL, tensor(2), tensor(2))
    s = b.emit(prim.partial, (switch(b, c, f, g), x), AbstractFunction("s"))
    root.output = b.emit(s, (y,), tensor(2))
    assert opcodes(planned(root)) == [SWITCH_TAIL]
    u, v = np.float32([2, 3]), np.float32([5, 7])
    np.testing.assert_array_equal(run(root, True, u, v)[0], u + v)
    np.testing.assert_array_equal(run(root, False, u, v)[0], u * v)


def test_a_call_before_an_effect_is_no_tail_call():
    g, b, p, x = graph("f", ref(2), tensor(2))
    h = traced(lambda a: P.add(a, a), tensor(2))
    out = b.emit(h, (x,), tensor(2))
    with building(b):
        b.assign(p, x)
    g.output = out
    assert CALL in opcodes(planned(g))


# ---- legalising


def decomposed_op(depth: int = 1):
    def t_twice(x):
        return AbstractTensor(x.shape, x.dtype)

    t_twice.__annotations__ = {"x": "Tensor"}
    op = Op(t_twice, kernel=f"t_no_such_kernel_{depth}")
    inner = decomposed_op(depth - 1) if depth > 1 else None
    op.decompose(lambda x: P.add(inner(x), x) if inner else P.add(x, x))
    return op


def test_ops_without_kernel_are_decomposed_until_all_have_one():
    g, b, x = graph("f", tensor(3))
    with building(b):
        g.output = P.exp(decomposed_op(3)(x))
    v = np.float32([0.5, 1, 2])
    np.testing.assert_allclose(run(g, v)[0], np.exp(4 * v), rtol=1e-6)


def test_an_op_without_kernel_or_decomposition_names_the_line():
    def t_nothing(x):
        return AbstractTensor(x.shape, x.dtype)

    t_nothing.__annotations__ = {"x": "Tensor"}
    g, b, x = graph("f", tensor(3))
    b.loc = Loc("net.py", 12, 0, 12, 5, "Net.construct")
    with building(b):
        g.output = Op(t_nothing)(x)
    with pytest.raises(
        TypeError, match='t_nothing: has no kernel for float32(.|\n)*net.py", line 12'
    ):
        lower(g)


def test_a_failing_kernel_names_op_line_and_operands():
    g, b, x, i = graph("f", tensor(3), tensor(2, dtype=dt.int64))
    with building(b):
        y = P.add(x, x)
        b.loc = Loc("net.py", 7, 4, 7, 9, "Net.construct")
        g.output = P.gather(y, i, 0)
    with pytest.raises(IndexError) as e:
        lower(g)([array(np.zeros(3, "f4")), array(np.array([0, 3]))])
    text = str(e.value)
    assert (
        text.startswith("gather: ") and 'net.py", line 7' in text and "Tensor[(2,), int64]" in text
    )


def test_a_kernel_that_refuses_its_operands_names_the_line():
    def t_bad(x, y, transpose_a, transpose_b):
        return AbstractTensor((2, 2), x.dtype)

    t_bad.__annotations__ = {
        "x": "Tensor",
        "y": "Tensor",
        "transpose_a": "bool",
        "transpose_b": "bool",
    }
    g, b, x, y = graph("f", tensor(2, 3), tensor(4, 2))
    b.loc = Loc("net.py", 3, 0, 3, 9, "Net.construct")
    with building(b):
        g.output = Op(t_bad, kernel="matmul")(x, y, False, False)
    with pytest.raises((ValueError, RuntimeError), match='t_bad: (.|\n)*net.py", line 3'):
        lower(g)


def test_functions_cannot_cross_the_root():
    f = traced(lambda a: P.add(a, a), tensor(2))
    g, b, _ = graph("f", tensor(2))
    g.output = b.constant(f)
    with pytest.raises(TypeError, match="the result is a function"):
        lower(g)


# ---- memory


def check_no_overlap(blocks: list[Block]) -> None:
    for a in blocks:
        for b in blocks:
            if a is not b and a.start <= b.end and b.start <= a.end:
                assert a.offset + a.size <= b.offset or b.offset + b.size <= a.offset


def test_best_fit_never_overlaps_and_reuses():
    rng = np.random.default_rng(0)
    for trial in range(50):
        blocks = []
        for start in range(60):
            blocks.append(
                ArenaBlock(int(rng.integers(0, 9)), start, start + int(rng.integers(0, 12)))
            )
        top = _best_fit(blocks, trial)
        check_no_overlap([b for b in blocks if b.size])
        live = max(sum(b.size for b in blocks if b.start <= t <= b.end) for t in range(60))
        assert trial + live <= top <= trial + 2 * live


def test_a_chain_needs_two_buffers():
    def f(x):
        for _ in range(30):
            x = P.flip(x, (0,))
        return P.sum(x, (0,), False)

    assert planned(traced(f, tensor(1024))).functions[0].arena * 64 == 2 * 4096


def test_values_across_a_call_lie_at_the_bottom():
    """In f(n, x): the big temporary dies before the call, so the call keeps only the small one."""

    def down(n, x):
        return P.sub(n, 1), P.mul(x, 2.0)

    g = recursion(
        [INT, tensor(16)],
        lambda n, x: P.less(n, 1),
        lambda n, x: P.mul(x, 1.0),
        down,
        lambda n, x, r: P.add(r, x),
        tensor(16),
    )
    inner = next(h for h in reachable(g) if h.name == "inner")
    b = Builder(inner, inner.head)
    with building(b):
        x = inner.params[1]
        big = P.broadcast_to(x, (1024, 16))
        small = P.sum(P.exp(big), (0,), False)
    call = next(n for n in inner if isinstance(n.fn, Graph))
    set_args(call, (call.args[0], small))
    f = next(f for f in planned(g).functions if f.name == "inner")
    i = next(i for i in f.code if i.op == CALL)
    assert i.keep * 64 == 64 and f.arena * 64 >= 65536


def in_place_add():
    def t_add_in_place(x, y):
        return AbstractTensor(x.shape, x.dtype)

    t_add_in_place.__annotations__ = {"x": "Tensor", "y": "Tensor"}
    return Op(t_add_in_place, kernel="add", inplace={"out": "x y"})


def test_dying_operands_give_their_place():
    add = in_place_add()

    def f(x):
        y = P.exp(x)
        for _ in range(5):
            y = add(y, x)
        return P.sum(y, (0,), False)

    g = traced(f, tensor(1024))
    assert planned(g).functions[0].arena * 64 == 4096
    v = np.linspace(0, 1, 1024, dtype=np.float32)
    want = np.exp(v.astype(np.float64)) + 5 * v
    np.testing.assert_allclose(run(g, v)[0], want.sum(), rtol=1e-5)


def test_an_operand_used_twice_or_later_keeps_its_place():
    add = in_place_add()

    def f(x):
        y = P.exp(x)
        z = add(y, y)
        return P.add(add(y, z), y), z

    v = np.float32([1, 2, 3])
    total, z = run(traced(f, tensor(3)), v)
    e = np.exp(v)
    np.testing.assert_allclose(z, 2 * e, rtol=1e-6)
    np.testing.assert_allclose(total, 4 * e, rtol=1e-6)


def test_an_update_is_written_by_its_kernel():
    """assign(p, add(load(p), x)) is one kernel that writes into the parameter; the value is read
    there.
    """
    add = in_place_add()
    g, b, p, x = graph("step", ref(64), tensor(64))
    with building(b):
        new = add(b.load(p), x)
        b.assign(p, new)
        g.output = P.exp(new)
    e, box = lower(g), array(np.ones(64, np.float32))
    assert (
        "= RUN add(o2!, o1!)" in e.text() and "*o0 from o2" in e.text() and "ASSIGN" not in e.text()
    )
    address = box.numpy().ctypes.data
    for k in range(2, 5):
        out = e.bind([box])([array(np.ones(64, np.float32))])[0].numpy()
        np.testing.assert_allclose(out, np.exp(np.float32(k)), rtol=1e-6)
        assert box.numpy().ctypes.data == address
        np.testing.assert_array_equal(box.numpy(), k)


def test_an_update_does_not_pass_a_load():
    add = in_place_add()
    g, b, p, x = graph("step", ref(8), tensor(8))
    with building(b):
        new = add(b.load(p), x)
        old = b.load(p)
        b.assign(p, new)
        g.output = b.make_tuple([old, b.load(p)])
    e, box = lower(g), array(np.ones(8, np.float32))
    old, now = (r.numpy() for r in e.bind([box])([array(np.ones(8, np.float32))]))
    np.testing.assert_array_equal(old, 1)
    np.testing.assert_array_equal(now, 2)


# ---- text and cost


def test_text_shows_functions_places_and_memory():
    loop = while_loop(
        lambda i, x: P.less(i, 3), lambda i, x: (P.add(i, 1), P.mul(x, x)), [INT, tensor(4)], 1
    )
    text = lower(loop).text()
    assert "@2 end(w0: int64[], o0: float32[4] kept) -> float32[4]" in text
    assert (
        "SWITCH_TAIL w0 ? @1 step(w3, o1!) : @2 end(w3, o1!)" in text
    )  # the head is copied to its calls
    assert "new o1 = RUN mul(o0, o0!) : float32[4]" in text


@pytest.mark.parametrize("build", range(3))
def test_text_of_every_instruction(build):
    """The disassembler reads each corpus program to its last byte."""
    e, *_ = corpus()[build]
    reader = _Disassembler(e.code[12:])
    lines = list(reader.lines())
    assert reader.at == len(reader.code) and reader.instruction == e.instructions < len(lines)


def test_lowering_is_linear():
    """Counted in calls of functions, Python's and built in, which no load of the machine
    changes.
    """

    def cost(n: int) -> int:
        def chain(x):
            values = [x]
            for k in range(n):
                values.append(P.add(values[-1], values[-1 - k % 40 if k > 40 else 0]))
            return values[-1]

        g = traced(chain, tensor(8))
        calls = 0

        def count(frame, event, arg):
            nonlocal calls
            calls += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            encode(planned(g), "cpu")
        finally:
            sys.setprofile(None)
        return calls

    assert cost(4000) < 4.1 * cost(1000)


def test_loads_of_rank_zero_parameters_are_words():
    g, b, p = graph("f", ref())
    g.output = b.load(p)
    assert [i.op for i in planned(g).functions[0].code][0] == LOAD
    e, box = lower(g), array(np.float32(2.5))
    assert e.bind([box])([])[0].numpy() == 2.5


def test_a_parameter_is_updated_in_its_own_place():
    p = Parameter(Tensor(np.ones(8, np.float32)), name="p")

    @minds.jit
    def step(a, b):
        ops.assign(p, a * 2.0 - (p - b) * 0.5)

    a, b = Tensor(np.full(8, 3, np.float32)), Tensor(np.full(8, 5, np.float32))
    text = inspect(step, a, b)["lower"].text()
    load, ref = re.search(r"(\w+) = LOAD (\w+)", text).groups()
    assert f"*{ref} from {load} = RUN tile" in text, text
    step(a, b)
    np.testing.assert_array_equal(p.asnumpy(), np.full(8, 8, np.float32))

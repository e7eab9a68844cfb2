"""Placement: what stays with the host, what lives on a device that has memory of its own, what goes
between them, and on which lane. No device is needed: programs are not loaded.
"""

from __future__ import annotations

import pytest
from program_graphs import (
    BOOL,
    F32,
    FLOAT,
    I64,
    INT,
    P,
    graph,
    recursion,
    ref,
    switch,
    tensor,
    traced,
    while_loop,
)

from minds import Tensor
from minds.base.loc import Loc
from minds.ir.abstract import AbstractFunction, AbstractTensor
from minds.ir.build import building
from minds.lower.encode import encode
from minds.lower.format import DOWNLOAD, OPCODES, RUN, SIGNAL, SWITCH_TAIL, TAIL, UPLOAD, WAIT
from minds.lower.fuse import fuse
from minds.lower.lanes import _Touched, schedule
from minds.lower.legalise import legalise, reachable
from minds.lower.linearize import TENSOR, WORD, LinearIR
from minds.lower.memory import plan
from minds.lower.place import Placement
from minds.lower.placed import PlacedLinearizer
from minds.ops.define import Op

TRAITS = {"host_memory": False, "immediates": True, "fuses": False, "lanes": 3, "alignment": 256}


def placed(g, on_host=(), **traits) -> LinearIR:
    traits = TRAITS | traits
    placement = Placement("sim", traits, g, reachable(legalise(g)), set(on_host))
    p = LinearIR(g, PlacedLinearizer, placement)
    if traits["fuses"]:
        fuse(p)
    plan(p, traits["alignment"])
    if traits["lanes"] > 1:
        schedule(p)
    assert encode(p, "device")
    return p


def moves(p: LinearIR) -> list[tuple[str, str]]:
    """(opcode, type) of all copies."""
    return [
        (OPCODES[i.op], repr(p.tables.type_list[i.type]))
        for f in p.functions
        for i in f.code
        if i.op in (UPLOAD, DOWNLOAD)
    ]


def function(p: LinearIR, name: str):
    return next(f for f in p.functions if f.name == name)


def test_a_loss_of_rank_0_stays_on_the_device():
    g, b, w, x = graph("step", ref(4), tensor(4))
    with building(b):
        loss = P.sum(P.mul(b.load(w), x), (0,), False)
        b.assign(w, P.sub(b.load(w), P.mul(x, loss)))
        g.output = loss
    p = placed(g)
    assert moves(p) == []
    assert p.functions[0].results[0][0].kind == TENSOR


def test_numbers_are_words_of_the_host_and_go_to_kernels_by_value():
    p = placed(
        traced(lambda x, n: P.add(x, P.scalar_to_tensor(P.mul(n, 2.0), F32)), tensor(3), FLOAT)
    )
    assert moves(p) == []
    add = next(i for i in p.functions[0].code if i.op == RUN and i.node.fn.name == "add")
    assert [s.kind for s, _ in add.ins] == [TENSOR, WORD]


def test_a_device_whose_kernels_take_no_words_gets_them_uploaded_once():
    def f(x, n):
        y = P.scalar_to_tensor(n, F32)
        return P.mul(P.add(P.add(x, y), y), Tensor(2.0))

    p = placed(traced(f, tensor(3), FLOAT), immediates=False)
    assert moves(p) == [("UPLOAD", "Tensor[(), float32]")]
    assert [c.asnumpy().tolist() for c in p.tables.constants] == [
        2.0
    ]  # a constant is there already


def test_a_tensor_counter_stays_with_the_host_through_a_loop():
    def body(i, x, limit):
        return P.add(i, Tensor(1)), P.add(x, P.cast(i, F32)), limit

    g = while_loop(
        lambda i, x, limit: P.less(i, P.scalar_to_tensor(limit, I64)),
        body,
        [tensor(dtype=I64), tensor(4), INT],
        1,
    )
    root, b, x, n = graph("f", tensor(4), INT)
    head = g.output.fn
    root.output = b.emit(head, (b.constant(Tensor(0)), x, n), tensor(4))
    assert moves(placed(root)) == []
    # As an argument of the program it is the caller's tensor, which is on the device.
    assert ("DOWNLOAD", "Tensor[(), bool]") in moves(placed(g))


def test_a_condition_on_data_is_one_download_with_its_line():
    here = Loc("net.py", 7, 0, 7, 0, "f")
    g = while_loop(
        lambda x: P.less(P.sum(x, (0,), False), Tensor(9.0)),
        lambda x: (P.add(x, x),),
        [tensor(4)],
        0,
    )
    head = g.output.fn
    head.output.fn.loc = head.output.loc = here
    p = placed(g)
    found = [i for f in p.functions for i in f.code if i.op == DOWNLOAD]
    assert [p.tables.type_list[i.type] for i in found] == [AbstractTensor((), BOOL.dtype)]
    assert found[0].node.loc is here


def test_tail_calls_stay_tail_calls():
    def body(n, acc):
        return P.sub(n, 1), P.add(acc, Tensor(1.0))

    g = while_loop(lambda n, acc: P.greater(n, 0), body, [INT, tensor()], 1)
    root, b, n = graph("f", INT)
    root.output = b.emit(g.output.fn, (n, b.constant(Tensor(0.0))), tensor())
    p = placed(root)
    assert function(p, "head").code[-1].op == SWITCH_TAIL
    assert function(p, "step").code[-1].op == TAIL
    assert moves(p) == [("UPLOAD", "Tensor[(), float32]")]  # the result, which is the caller's


def test_a_number_made_of_data_is_downloaded_once():
    def f(x):
        n = P.item(P.sum(x, (0,), False))
        return P.add(n, 1.0), P.mul(n, 2.0)

    p = placed(traced(f, tensor(4)))
    assert [m[0] for m in moves(p)] == ["DOWNLOAD"]
    assert all(s.kind == WORD for s, _ in p.functions[0].results)


def test_function_values_take_and_give_what_their_types_say():
    twice = traced(lambda x: P.add(x, x), tensor(), name="twice")
    once = traced(lambda x: P.mul(x, x), tensor(), name="once")
    direct, b, c = graph("direct", BOOL)
    two = b.constant(Tensor(2.0))
    direct.output = b.make_tuple([b.emit(switch(b, c, twice, once), (two,), tensor()), c])
    found = Placement("sim", TRAITS, direct, reachable(direct), set())
    assert found.params[twice] == found.results[twice] == found.results[once] == [True]
    fn = AbstractFunction("chosen")
    apply, b, f = graph("apply", fn)
    apply.output = b.emit(f, (b.constant(Tensor(2.0)),), tensor())
    chosen, b, c = graph("chosen", BOOL)
    chosen.output = b.emit(apply, (switch(b, c, twice, once),), tensor())
    found = Placement("sim", TRAITS, chosen, reachable(chosen), set())
    assert found.params[twice] == found.results[twice] == found.results[once] == [False]
    assert moves(placed(chosen)) == []


def test_recursion_on_numbers_needs_no_copies():
    g = recursion(
        [INT, tensor(4)],
        lambda n, x: P.equal(n, 0),
        lambda n, x: P.add(x, 0.0),
        lambda n, x: (P.sub(n, 1), P.mul(x, 1.0)),
        lambda n, x, r: P.add(x, r),
        tensor(4),
    )
    assert moves(placed(g)) == []


def test_what_the_host_is_told_to_run_gets_copies_on_both_sides():
    g = traced(lambda x: P.exp(P.sin(P.add(x, x))), tensor(4))
    sin = next(n for n in g if n.fn is P.sin)
    p = placed(g, on_host=[sin])
    assert moves(p) == [
        ("DOWNLOAD", "Tensor[(4,), float32]"),
        ("UPLOAD", "Tensor[(4,), float32]"),
    ]


def test_keys_of_random_numbers_are_drawn_by_the_host():
    p = placed(traced(lambda: P.uniform(P.random_key(), (3,), F32)))
    assert moves(p) == [("UPLOAD", "Tensor[(2,), int64]")]


def test_views_between_words_and_memory():
    p = placed(traced(lambda n: P.reshape(P.scalar_to_tensor(n, F32), (1, 1)), FLOAT))
    assert [m[0] for m in moves(p)] == ["UPLOAD"]
    p = placed(traced(lambda x: P.item(P.reshape(x, ())), tensor(1, 1)))
    assert [m[0] for m in moves(p)] == ["DOWNLOAD"]


# ---- lanes


def test_a_download_waits_for_what_makes_its_operand_and_no_more():
    def f(x):
        total = P.sum(x, (0,), False)
        y = P.exp(P.sin(x))
        return P.add(P.item(total), 1.0), y

    g = traced(f, tensor(4))
    code = placed(g).functions[0].code
    at = {i.node.fn.name: k for k, i in enumerate(code) if i.op == RUN}
    signal = next(k for k, i in enumerate(code) if i.op == SIGNAL)
    wait = next(k for k, i in enumerate(code) if i.op == WAIT)
    assert signal == at["sum"] + 1
    assert code[wait].lane == 1 and code[wait + 1].op == DOWNLOAD and code[wait + 1].lane == 1
    assert code[signal].target == code[wait].target


def test_no_lane_is_given_where_there_is_one():
    p = placed(traced(lambda x: P.item(P.sum(x, (0,), False)), tensor(4)), lanes=1)
    assert {i.op for i in p.functions[0].code}.isdisjoint((WAIT, SIGNAL))


def test_an_upload_beside_kernels_is_waited_for_by_its_readers():
    def f(x, n):
        y = P.sin(x)
        z = P.exp(P.add(y, y))
        return P.add(z, P.reshape(P.scalar_to_tensor(n, F32), (1,)))

    code = placed(traced(f, tensor(4), FLOAT)).functions[0].code
    upload = next(k for k, i in enumerate(code) if i.op == UPLOAD)
    assert code[upload].lane == 1
    assert code[upload - 1].op == WAIT  # the arena may still be read by what ran before
    assert code[upload + 1].op == SIGNAL
    assert [(i.op, i.lane) for i in code[upload + 2 : upload + 3]] == [(WAIT, 0)]


def test_pieces_of_the_arena_remember_their_last_users():
    t = _Touched()
    assert t.use(0, 10, 1) == []
    assert t.use(5, 15, 2) == [1]
    assert sorted(t.use(0, 20, 3)) == [1, 2]
    assert t.use(12, 13, 4) == [3]
    assert sorted(set(t.use(0, 20, 5))) == [3, 4]
    assert t.use(20, 20, 6) == [] and t.use(20, 30, 7) == []


# ---- what a device cannot run


def lacking(name: str) -> Op:
    def rule(x):
        return AbstractTensor(x.shape, x.dtype)

    rule.__annotations__ = {"x": "Tensor"}
    rule.__name__ = name
    return Op(rule)


def test_all_ops_without_a_kernel_are_refused_at_once():
    first, second = lacking("t_first"), lacking("t_second")

    def f(x):
        return second(P.exp(first(x))), first(x)

    g = traced(f, tensor(4))
    for k, n in enumerate(n for n in g if n.fn in (first, second)):
        n.loc = Loc("net.py", 10 + k, 0, 10 + k, 0, "f")
    with pytest.raises(TypeError) as e:
        legalise(g)
    text = str(e.value)
    assert text.startswith("t_first: no kernel on device 'CPU', the first of 3")
    for row in ("t_first", "t_second", "net.py:10", "net.py:11", "net.py:12"):
        assert row in text


def test_nothing_runs_on_the_host_that_it_cannot_run():
    op = lacking("t_third")
    found = set()
    with pytest.raises(TypeError, match="t_third: has no kernel for float32 on device 'CPU'"):
        legalise(traced(lambda x: op(x), tensor(4)), "cpu", found)
    assert found == set()

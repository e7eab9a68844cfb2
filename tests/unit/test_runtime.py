"""The runtime: values against NumPy, control flow in bounded memory, parameters, errors, hostile
bytes.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import threading

import numpy as np
import pytest
from program_graphs import (
    BOOL,
    F32,
    F64,
    FLOAT,
    INT,
    P,
    array,
    chain_graph,
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

from minds import _core
from minds.base import dtype as dt
from minds.ir.abstract import AbstractFunction, AbstractTensor, AbstractTuple
from minds.ir.build import Builder, building
from minds.ir.node import Graph
from minds.lower.format import SCALARS
from minds.ops.define import Op
from minds.tensor import Tensor

pytestmark = pytest.mark.native
RNG = np.random.default_rng(0)


def randn(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


# ---- straight lines


def test_elementwise_chain_equals_numpy():
    x, y = randn(5, 7), randn(5, 7)
    (out,) = run(traced(lambda a, b: P.mul(P.add(a, b), a), tensor(5, 7), tensor(5, 7)), x, y)
    np.testing.assert_array_equal(out, (x + y) * x)


def test_views_share_and_tuples_are_flat():
    x = randn(2, 6)
    g = traced(lambda a: (P.reshape(P.add(a, a), (3, 4)), a), tensor(2, 6))
    summed, same = run(g, x)
    np.testing.assert_array_equal(summed, (x + x).reshape(3, 4))
    np.testing.assert_array_equal(same, x)


def test_rank_zero_and_one_element_views():
    x = np.float32(3)
    g = traced(lambda a, b: (P.reshape(P.add(a, a), (1, 1)), P.reshape(b, ())), tensor(), tensor(1))
    up, down = run(g, x, np.float32([4]))
    np.testing.assert_array_equal(up, [[6]])
    assert down.shape == () and down == 4


def test_results_are_fresh_buffers():
    e = lower(traced(lambda a: (a, a, P.add(a, a)), tensor(4)))
    x = array(randn(4))
    first, second, total = e([x])
    first.numpy()[:] = 0
    assert not np.array_equal(first.numpy(), second.numpy()) and np.array_equal(
        second.numpy(), x.numpy()
    )
    assert total.use_count == 1


def test_empty_tensors():
    (out,) = run(traced(lambda a: P.exp(P.add(a, a)), tensor(0, 3)), np.zeros((0, 3), np.float32))
    assert out.shape == (0, 3)


def test_constants_are_shared_and_not_written():
    c = Tensor(np.float32([1, 2, 3]))
    e = lower(traced(lambda a: P.add(P.mul(a, c), c), tensor(3)))
    for _ in range(2):
        np.testing.assert_array_equal(e([array(np.float32([1, 1, 1]))])[0].numpy(), [2, 4, 6])
    np.testing.assert_array_equal(c.asnumpy(), [1, 2, 3])


def test_constant_as_result_is_copied():
    c = Tensor(np.float32([1, 2, 3]))
    g, b, _ = graph("f", tensor(3))
    g.output = b.make_tuple([b.constant(c)])
    (out,) = lower(g)([array(randn(3))])
    out.numpy()[:] = 0
    assert np.array_equal(c.asnumpy(), [1, 2, 3])


def test_wrong_arguments_are_refused():
    e = lower(traced(lambda a: P.add(a, a), tensor(2, 2)))
    with pytest.raises(TypeError, match="takes 1 arrays, got 2"):
        e([array(randn(2, 2))] * 2)
    with pytest.raises(TypeError, match=r"argument 0 is Tensor.*compiled for"):
        e([array(randn(3))])
    with pytest.raises(TypeError, match="compiled for"):
        e([array(np.zeros((2, 2), np.float64))])


SPECIAL = {
    "float64": [0.0, -0.0, 1.5, -2.25, 1e308, 5e-324, np.inf, -np.inf, np.nan],
    "float32": [0.0, -0.0, 1.5, -2.25, 3e38, 1e-45, np.inf, -np.inf, np.nan],
    "int64": [0, 1, -1, 7, -(2**63), 2**63 - 1],
    "bool": [False, True],
}


@pytest.mark.parametrize(
    "key", SCALARS, ids=lambda k: "-".join(str(getattr(p, "name", p)) for p in k)
)
def test_words_equal_kernels_bit_for_bit(key):
    """The same op on words and, by the same kernel as everywhere, on tensors of one element."""
    name, dtype = key[0], key[1]
    op = getattr(P, name)
    unary = len(op.tensor_at) == 1
    extra = key[2:] if name == "cast" else ()
    args = [tensor(dtype=dtype)] * (1 if unary else 2)
    e = lower(traced(lambda *a: op(*a, *extra), *args))
    assert e._program.instructions == 2 and "RUN" not in e.text()
    spec = [((1,), dtype.code)] * len(args)
    values = np.array(SPECIAL[dtype.name], dtype.np)
    out_dtype = e.results[0].dtype
    kernel = _core.Kernel(
        name, "cpu", spec, [((1,), out_dtype.code)], {"dtype": extra[0]} if extra else {}
    )
    for v in values:
        for w in values[:1] if unary else values:
            given = [v] if unary else [v, w]
            word = e([array(a) for a in given])[0].numpy().tobytes()
            assert word == kernel(*[array([a]) for a in given]).numpy().tobytes(), (given, word)


# ---- control flow


def counting(body_of_x=lambda x: P.add(x, 0.5)):
    return while_loop(
        lambda i, x, n: P.less(i, n),
        lambda i, x, n: (P.add(i, 1), body_of_x(x), n),
        [INT, FLOAT, INT],
        1,
    )


def test_while_of_a_million_iterations():
    e = lower(counting())
    n = 1_000_000
    assert e([array(0), array(0.0), array(n)])[0].numpy() == n / 2


def test_while_with_tensors_runs_in_constant_memory():
    g = while_loop(
        lambda i, x: P.less(i, 100_000),
        lambda i, x: (P.add(i, 1), P.add(x, P.mul(x, 0.0))),
        [INT, tensor(256)],
        1,
    )
    e = lower(g)
    x = randn(256)
    e([array(0), array(x)])
    before = _core.memory()["peak"]
    out = e([array(0), array(x)])[0].numpy()
    np.testing.assert_array_equal(out, x)
    assert _core.memory()["peak"] == before


def test_switch_takes_the_right_side_and_condition_may_be_a_tensor():
    g, b, c, x = graph("f", AbstractTensor((1,), dt.bool_), tensor(3))
    left, right = traced(lambda a: P.add(a, a), tensor(3)), traced(lambda a: P.mul(a, a), tensor(3))
    with building(b):
        r = b.emit(switch(b, c, left, right), (x,), tensor(3))
        g.output = P.add(r, x)
    v = randn(3)
    np.testing.assert_array_equal(run(g, np.array([True]), v)[0], v + v + v)
    np.testing.assert_array_equal(run(g, np.array([False]), v)[0], v * v + v)


def test_deep_recursion_uses_the_heap():
    """f(n, x) = x if n == 0 else x + f(n - 1, x * 1): every level keeps its x."""
    g = recursion(
        [INT, tensor(4)],
        lambda n, x: P.equal(n, 0),
        lambda n, x: P.add(x, 0.0),
        lambda n, x: (P.sub(n, 1), P.mul(x, 1.0)),
        lambda n, x, r: P.add(x, r),
        tensor(4),
    )
    e = lower(g)
    depth = 100_000
    out = e([array(depth), array(np.ones(4, np.float32))])[0].numpy()
    np.testing.assert_array_equal(out, depth + 1)


def test_recursion_that_does_not_end_is_an_error_and_leaves_nothing_behind():
    g = recursion(
        [INT, tensor(4)],
        lambda n, x: P.less(n, 0),
        lambda n, x: P.add(x, 0.0),
        lambda n, x: (P.add(n, 1), P.mul(x, 1.0)),
        lambda n, x, r: P.add(x, r),
        tensor(4),
    )
    e = lower(g)
    e.limit(stack=64 << 20)
    gc.collect()
    before = _core.memory()["in_use"]
    for _ in range(3):
        with pytest.raises(RecursionError, match="recursion is too deep"):
            e([array(0), array(np.ones(4, np.float32))])
    assert _core.memory()["in_use"] - before < 1 << 20


def test_memory_limit():
    g = recursion(
        [INT, tensor(1 << 18)],
        lambda n, x: P.less(n, 0),
        lambda n, x: P.add(x, 0.0),
        lambda n, x: (P.add(n, 1), P.mul(x, 1.0)),
        lambda n, x, r: P.add(x, r),
        tensor(1 << 18),
    )
    e = lower(g)
    e.limit(memory=_core.memory()["in_use"] + (256 << 20))
    with pytest.raises(MemoryError, match="out of memory"):
        e([array(0), array(np.ones(1 << 18, np.float32))])


# ---- function values


@pytest.mark.parametrize("call", [True, False], ids=["called", "dropped"])
def test_a_million_nested_closures(call):
    """They are freed without recursion, and calling through them reuses one frame."""
    n = 1_000_000
    out = lower(chain_graph())([array(n), array(np.float32([1, 2])), array(call)])[0].numpy()
    np.testing.assert_array_equal(out, np.float32([1, 2]) + (n if call else 0))


def test_closures_capture_words_and_tensors_and_are_called_twice():
    add = traced(
        lambda s, t, x: P.add(P.mul(x, s), t), tensor(), tensor(3), tensor(3), name="affine"
    )
    g, b, s, t, x = graph("f", tensor(), tensor(3), tensor(3))
    one = b.emit(prim.partial, (add, s), AbstractFunction("one"))
    two = b.emit(prim.partial, (one, t), AbstractFunction("two"))
    keep = traced(lambda f, y: y, AbstractFunction("two"), tensor(3), name="keep")
    call = Graph("call")
    cf, cx = call.add_param("f", AbstractFunction("two")), call.add_param("x", tensor(3))
    cb = Builder(call)
    call.output = cb.emit(cf, (cb.emit(cf, (cx,), tensor(3)),), tensor(3))
    with building(b):
        g.output = P.add(b.emit(call, (two, x), tensor(3)), b.emit(keep, (two, x), tensor(3)))
    sv, tv, xv = np.float32(2), randn(3), randn(3)
    np.testing.assert_array_equal(run(g, sv, tv, xv)[0], (xv * sv + tv) * sv + tv + xv)


def test_functions_from_tuples_and_switch_values():
    """A callee out of a tuple that a call returned, and a switch used as a value."""
    fn = AbstractFunction("pick")
    double, square = (
        traced(lambda a: P.add(a, a), tensor(2)),
        traced(lambda a: P.mul(a, a), tensor(2)),
    )
    pick = Graph("pick")
    c = pick.add_param("c", BOOL)
    b = Builder(pick)
    pick.output = b.make_tuple([switch(b, c, double, square), b.constant(1.5)])
    pick.output.abstract = AbstractTuple((fn, FLOAT))
    g, b, c, x = graph("f", BOOL, tensor(2))
    pair = b.emit(pick, (c,), AbstractTuple((fn, FLOAT)))
    f, k = b.emit(prim.tuple_getitem, (pair, 0), fn), b.emit(prim.tuple_getitem, (pair, 1), FLOAT)
    with building(b):
        g.output = P.mul(b.emit(f, (x,), tensor(2)), P.scalar_to_tensor(k, F32))
    v = randn(2)
    np.testing.assert_array_equal(run(g, True, v)[0], (v + v) * np.float32(1.5))
    np.testing.assert_array_equal(run(g, False, v)[0], v * v * np.float32(1.5))


# ---- parameters


def test_assign_in_place_and_copy_on_write():
    g, b, p, x = graph("step", ref(1000), tensor(1000))
    with building(b):
        b.assign(p, P.add(b.load(p), x))
    g.output = b.constant(None)
    e = lower(g)
    box, x = array(np.zeros(1000, np.float32)), array(np.ones(1000, np.float32))
    e.bind([box])
    assert e([x]) == []
    address = box.numpy().ctypes.data
    e([x])
    assert box.numpy().ctypes.data == address, (
        "an update of a parameter that nobody shares is in place"
    )
    seen = box.numpy()
    e([x])
    np.testing.assert_array_equal(box.numpy(), 3)
    np.testing.assert_array_equal(seen, 2)


def test_assign_does_not_overtake_a_live_load():
    g, b, p, x = graph("step", ref(4), tensor(4))
    with building(b):
        old = b.load(p)
        b.assign(p, x)
        new = b.load(p)
        b.assign(p, P.add(new, new))
        g.output = b.make_tuple([old, new, b.load(p)])
    e, box = lower(g), array(np.float32([1, 2, 3, 4]))
    old, new, now = (r.numpy() for r in e.bind([box])([array(np.float32([5, 6, 7, 8]))]))
    np.testing.assert_array_equal(old, [1, 2, 3, 4])
    np.testing.assert_array_equal(new, [5, 6, 7, 8])
    np.testing.assert_array_equal(now, [10, 12, 14, 16])
    np.testing.assert_array_equal(box.numpy(), now)


def test_parameters_of_rank_zero_and_in_callees():
    """A counter, updated twice in a function that gets the reference as an argument."""
    bump = Graph("bump")
    q = bump.add_param("q", ref(dtype=F64))
    b = Builder(bump)
    with building(b):
        b.assign(q, P.add(b.load(q), b.constant(1.0)))
        bump.output = b.load(q)
    g, b, p = graph("f", ref(dtype=F64))
    with building(b):
        b.emit(bump, (p,), tensor(dtype=F64))
        b.emit(bump, (p,), tensor(dtype=F64))
        g.output = b.load(p)
    e, box = lower(g), array(np.float64(5))
    assert e.bind([box])([])[0].numpy() == 7 and box.numpy() == 7


def test_a_failure_keeps_what_was_assigned_before_it():
    g, b, p, x, i = graph("f", ref(3), tensor(3), tensor(2, dtype=dt.int64))
    with building(b):
        b.assign(p, P.add(x, x))
        g.output = P.gather(x, i, 0)
    e, box = lower(g), array(np.zeros(3, np.float32))
    with pytest.raises(IndexError, match="gather"):
        e.bind([box])([array(np.float32([1, 2, 3])), array(np.array([0, 9]))])
    np.testing.assert_array_equal(box.numpy(), [2, 4, 6])


def test_binding():
    g, b, p, q = graph("f", ref(2), ref(2))
    with building(b):
        g.output = P.add(b.load(p), b.load(q))
    e, box = lower(g), array(np.ones(2, np.float32))
    with pytest.raises(TypeError, match="2 parameters, bound are 0"):
        e([])
    with pytest.raises(ValueError, match="bound to two"):
        e.bind([box, box])
    with pytest.raises(TypeError, match="parameter 1 is"):
        e.bind([box, array(np.ones(3, np.float32))])([])


# ---- threads, interrupts, hosts


def test_calls_from_many_threads():
    e = lower(counting(lambda x: P.add(x, 1.0)))
    got = [None] * 8

    def work(k):
        got[k] = [float(e([array(0), array(float(k)), array(20_000)])[0].numpy()) for _ in range(5)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert got == [[k + 20_000.0] * 5 for k in range(8)]


def test_updates_from_many_threads_are_not_lost():
    g, b, p, x = graph("step", ref(64), tensor(64))
    with building(b):
        b.assign(p, P.add(b.load(p), x))
    g.output = b.constant(None)
    e, box, x = lower(g), array(np.zeros(64, np.float32)), array(np.ones(64, np.float32))
    e.bind([box])
    threads = [threading.Thread(target=lambda: [e([x]) for _ in range(200)]) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    np.testing.assert_array_equal(box.numpy(), 800)


INTERRUPTED = """
import signal, threading
import minds as ms

def count(n):
    i = 0
    while i < n:
        i += 1
    return i

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a background job ignores
compiled = ms.jit(count)
compiled(3)
threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
try:
    compiled(2**62)
except KeyboardInterrupt:
    print("stopped")
"""


def test_keyboard_interrupt_stops_a_loop(tmp_path):
    """In a process of its own: a late signal would end the test run."""
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert run.stdout == "stopped\n", run.stderr[-2000:]


def test_host_functions_and_their_errors():
    def t_host_double(x):
        return AbstractTensor(x.shape, x.dtype)

    t_host_double.__annotations__ = {"x": "Tensor"}
    seen = []

    def kernel(x):
        seen.append(x.copy())
        if x[0] < 0:
            raise KeyError("negative")
        return x * 2

    op = Op(t_host_double, host=kernel)
    g, b, x = graph("f", tensor(2))
    with building(b):
        g.output = P.add(op(P.add(x, x)), x)
    e = lower(g)
    np.testing.assert_array_equal(e([array(np.float32([1, 2]))])[0].numpy(), [5, 10])
    np.testing.assert_array_equal(seen[0], [2, 4])
    with pytest.raises(KeyError, match="negative"):
        e([array(np.float32([-1, 2]))])

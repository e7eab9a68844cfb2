"""Objects that enter and leave compiled code, and what may not be done with them."""

import dataclasses

import numpy as np
import programs_objects as p
import pytest
from agreement import agree, assert_same

import minds as ms
from minds import Tensor, ops

X = Tensor([0.5, -1.25, 2.0])


def returned(x, n):
    s = p.State(x, n)
    s.count = s.count + 1
    return s, p.Frozen(x, n), (p.Child(x), [p.Pair(n, p.Typed(x))]), {"k": p.Doubled(n)}


def taken(frozen, state, pair):
    return (
        frozen.apply(state.x) + pair.b.double,
        state.count + frozen.times,
        state.log[0],
        state.step(pair.b.first),
    )


def test_returned():
    agree(returned, X, 4)
    state = ms.jit(returned)(X, 4)[0]
    assert type(state) is p.State and type(state.log) is list and type(state.__dict__) is dict
    state.count = 7
    state.log.append(1)


def test_taken():
    def given(k):
        return p.Frozen(0.5, k), p.State(X * k, k, [k]), p.Pair(1, p.Typed(X, k))

    compiled = ms.jit(taken)
    for k in (2, 3, 4):
        assert_same(compiled(*given(k)), taken(*given(k)))
    assert len(ms.recompiles(compiled)) == 1


def test_taken_by_a_gradient():
    def loss(x, state):
        return (x * state.x * state.count).sum()

    def slope(x, state):
        return ms.grad(loss)(x, state)

    agree(slope, X, p.State(X, 3))


def test_another_class_compiles_anew():
    def f(state):
        return state.step(state.x).x

    compiled = ms.jit(f)
    for state in (p.State(X), p.Child(X), p.State(X * 2.0)):
        assert_same(compiled(state), f(state))


def test_arguments_do_not_change():
    def set_attribute(state):
        state.count = 3
        return state.x

    def append(state):
        state.log.append(3)
        return state.x

    for f in (set_attribute, append):
        with pytest.raises(SyntaxError, match="made outside of compiled code cannot be changed"):
            ms.jit(f)(p.State(X))


def test_frozen_objects_do_not_change():
    def f(x):
        c = p.Frozen(x)
        c.scale = 2.0
        return c.apply(x)

    with pytest.raises(Exception, match="cannot"):
        ms.jit(f)(X)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda x: p.State(), "misses the argument 'x'"),
        (lambda x: p.State(x, 1, [], 3), "takes 3 positional arguments but 4 were given"),
        (lambda x: p.State(x, x=x), "got multiple values for argument 'x'"),
        (lambda x: p.State(x, size=3), "got an unexpected keyword argument 'size'"),
    ],
)
def test_wrong_arguments(make, message):
    with pytest.raises(TypeError, match=message):
        ms.jit(make)(X)


def test_functions_that_compiled_code_made_do_not_leave():
    for f in (
        lambda x: lambda v: v * x,
        lambda x: (x, [p.scaled(x)]),
        lambda x: ops.sin if x.sum() > 0.0 else ops.cos,
    ):
        with pytest.raises(RuntimeError, match="Function in output is not supported"):
            ms.jit(f)(X)
    assert ms.jit(lambda x: (x, ops.sin))(X)[1] is ops.sin


def test_aliases_of_objects():
    def one(x, n):
        a = p.Counter(x)
        b = a
        b.add(n)
        return a.total, a is b, p.Counter(x) is a

    def two(x, n):
        a, b = p.Counter(x), p.Counter(x * 2.0)
        c = a if n > 2 else b
        return c.total, c.calls

    def chosen_and_changed(x, n):
        a, b = p.Counter(x), p.Counter(x * 2.0)
        c = a if n > 2 else b
        c.add(1)
        return a.total

    for n in (1, 5):  # a number is a constant where no program serves all
        agree(one, X, n)
        agree(two, X, n)
        agree(chosen_and_changed, X, n)
    with pytest.raises(SyntaxError, match="cannot be used any more"):
        ms.jit(chosen_and_changed)(X, Tensor(3))


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


@dataclasses.dataclass(slots=True)
class SlottedData:
    v: Tensor
    k: int = 3


def test_objects_with_slots_are_returned():
    @ms.jit
    def f(x, n):
        s = Slotted(x * n)
        s.b = n
        return s, Slotted(x), [SlottedData(x, n)]

    s, t, (d,) = f(Tensor([1.0, 2.0]), 3)
    assert type(s) is type(t) is Slotted and type(d) is SlottedData
    assert s.a.asnumpy().tolist() == [3.0, 6.0] and s.b == 3 and not hasattr(t, "b")
    assert d.v.asnumpy().tolist() == [1.0, 2.0] and d.k == 3


class Level:
    """Calls the level below on two paths that data choose."""

    def __init__(self, k, below):
        self.k, self.below = k, below

    def run(self, x):
        if x.sum() > self.k:
            return self.below.run(x * 0.9) + 1.0
        return self.below.run(x + 0.1)


class Ground:
    def run(self, x):
        return x * x


def test_levels_that_branch_become_one_graph_each():
    """2**30 ways lead through 30 levels."""

    def tower(x):
        o = Ground()
        for i in range(30):
            o = Level(i * 0.3, o)
        return o.run(x)

    x = Tensor([0.5, 2.0, 1.0])
    np.testing.assert_allclose(ms.jit(tower)(x).asnumpy(), tower(x).asnumpy(), rtol=1e-6)
    got, want = ms.jit(ms.grad(tower))(x), ms.grad(tower)(x)
    np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-6)


class Scaled:
    """Refuses what it holds, which data decide, before all of its attributes are there."""

    def __init__(self, a, shape):
        self.shape = shape
        if a.sum() > 100:
            raise ValueError("too much")
        self.a = a


def in_a_condition(x, z):
    if x < 4:
        z = Scaled(z.a + x, z.shape)
    return z.a


def in_a_loop(x, z):
    while x < 4:
        z = Scaled(z.a + x, z.shape)
        x = x + 1
    return z.a


def in_conditions_of_a_loop(x, z):
    w = z
    for _ in range(3):
        if x < 4:
            z = Scaled(z.a + x, z.shape)
        else:
            w = Scaled(z.a * 2, w.shape)
        x = x + 1
    return z.a, w.a


@pytest.mark.parametrize("f", [in_a_condition, in_a_loop, in_conditions_of_a_loop])
@pytest.mark.parametrize("x", [2.0, 5.0])
def test_an_argument_is_replaced_by_an_object_that_checks_itself(f, x):
    def given():
        return Tensor(x), Scaled(Tensor([1.0, 2.0]), (2, 4))

    got, want = ms.jit(f)(*given()), f(*given())
    for a, b in zip(*(v if isinstance(v, tuple) else (v,) for v in (got, want)), strict=True):
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


def test_an_object_that_checks_itself_raises_in_a_loop():
    with pytest.raises(ValueError, match="too much"):
        ms.jit(in_a_loop)(Tensor(2.0), Scaled(Tensor([50.0, 50.0]), (2, 4)))


def test_a_sparse_argument_is_replaced_in_a_loop():
    @ms.jit
    def f(x, z):
        while x < 4:
            z = ms.CSRTensor(z.indptr, z.indices, z.values + x, z.shape)
            x = x + 1
        return z

    z = ms.CSRTensor(Tensor([0, 1, 2]), Tensor([0, 1]), Tensor([1.0, 2.0]), (2, 4))
    found = f(Tensor(2.0), z)
    assert found.shape == (2, 4) and found.values.asnumpy().tolist() == [6.0, 7.0]

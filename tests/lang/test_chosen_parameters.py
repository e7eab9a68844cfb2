"""Parameters of which data choose one, and which are written then: compiled code does what CPython
does, with gradients by what is read of them.
"""

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.base.errors import ParseError

UP, DOWN = Tensor([1.0, 1.0]), Tensor([-1.0, -2.0])


class Base(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = [Parameter(Tensor([k, k + 1.0]), name=f"p{k}") for k in (1, 3, 5)]
        self.few = (self.a, self.b, self.c)
        self.many = tuple([Parameter(Tensor([k, -k]).astype(ms.float32)) for k in range(11)])
        self.all = ms.ParameterTuple([*self.few, *self.many])


def by_condition(s, x):
    p = s.a if x.sum() > 0 else s.b
    ops.assign(p, x * 7)
    return p * 2 + s.a - s.b


def by_statement(s, x):
    if x.sum() > 0:
        p = s.a
    else:
        p = s.b
    p += x
    p[0] = x[1] * 9
    return p * s.a * s.b


def one_of_them_is_written(s, x):
    p = s.a if x.sum() > 0 else s.b
    before = p * 1
    ops.assign(s.a, x * 5)
    return p * before


def by_index(s, x):
    i = ops.argmax(x * Tensor([1.0, 0.5])) + 1
    p = s.few[i]
    ops.assign_add(p, x)
    q = s.many[i * 4]
    ops.assign(q, q + x * p)
    return p * q + s.many[4]


def in_a_loop(s, x):
    i, p, y = 0, s.a, x
    while y.sum() < 40 and i < 5:
        ops.assign(p, p + y)
        y = y * 2 + p
        p = s.b if i % 2 == 0 else s.c
        i += 1
    return y * p


def an_alias_in_a_long_loop(s, x):
    p, y = s.a, x
    for _ in range(12):
        y = y + p * 0.1
        ops.assign(s.a, s.a * 1.1)
        y = y + p.sum()
        p = s.b if y.sum() > 30 else s.a
    return y


def by_turns(s, x):
    i, y = x.sum() * 0, x * 0
    while i < 13:
        p = s.many[(i % 11).astype(ms.int32)]
        ops.assign(p, p + x)
        y = y + p * s.many[3]
        i = i + 1
    return y


def choices_of_choices_and_views(s, x):
    p = s.a if x.sum() > 0 else s.b
    q = p if x[0] > -0.5 else s.c
    q.add_(x)
    tail = q[1:]
    tail.mul_(3)
    return p * q + tail


def by_a_function(s, x):
    def pick(v):
        if v.sum() > 0:
            return s.a
        return s.b

    p = pick(x)
    ops.assign(p, x * 3)
    q = pick(-x)
    ops.assign(q, p + 1)
    return p * q


def under_a_condition(s, x):
    p = s.a if x.sum() > 0 else s.b
    if x[0] > 0:
        ops.assign(p, x * 4)
        z = p * 1
    else:
        z = p * 2
        ops.assign(s.b, x)
    return p * z


def by_an_optimizer_op(s, x):
    p = s.a if x.sum() > 0 else s.b
    ops.ApplyMomentum()(p, s.c, 0.1, x, 0.9)
    return p * s.c


def in_a_dict_of_an_object(s, x):
    held = {"w": s.a, "n": 1} if x.sum() > 0 else {"w": s.b, "n": 2}
    for _ in range(held["n"]):
        ops.assign(held["w"], held["w"] * x)
    return held["w"] + s.a


def in_a_recursive_function(s, x):
    def again(p, v):
        if v.sum() > 40:
            return v * p
        ops.assign(p, p * 0.5 + v)
        return again(p, v * 2 + p) + s.a

    return again(s.a if x[0] > 0 else s.b, ops.abs(x)) * s.b


def another_in_each_call(s, x):
    def again(p, q, v):
        if v.sum() > 40:
            return p * 2 + v
        p += v * 0.1
        if v[0] > 5:
            q[0] = v[1]
        return again(q if v[1] > 3 else p, s.c, v * 1.5)

    p = s.many[(x[0] > 0).astype(ms.int32) + 2]
    return again(p, s.few[(x[1] > 0).astype(ms.int32)], ops.abs(x)) + s.a * s.c


def two_that_call_one_another(s, x):
    def odd(p, v):
        ops.assign(p, p + v)
        return even(p, v * 1.5) if v.sum() < 30 else v * p

    def even(p, v):
        q = s.a if v[0] > 4 else p
        return odd(q, v + q * 0.1) + p

    return odd(s.b if x[0] > 0 else s.c, ops.abs(x)) * s.a


PROGRAMS = [
    in_a_recursive_function,
    another_in_each_call,
    two_that_call_one_another,
    by_condition,
    by_statement,
    one_of_them_is_written,
    by_index,
    in_a_loop,
    an_alias_in_a_long_loop,
    by_turns,
    choices_of_choices_and_views,
    by_a_function,
    under_a_condition,
    by_an_optimizer_op,
    in_a_dict_of_an_object,
]


def numbers(v):
    if isinstance(v, (tuple, list)):
        return [n for e in v for n in numbers(e)]
    return [v.asnumpy()]


def found(mode, program, run):
    """What calls give, and all parameters after each."""
    ms.set_context(mode=mode)
    try:
        net = type("Net", (Base,), {"construct": lambda s, x: program(s, x)})()
        called = run(net)
        return [n for x in (UP, DOWN, UP * 0.5) for v in (called(x), net.all) for n in numbers(v)]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def derivative(net):
    return ms.grad(lambda x: (net(x) ** 2).sum(), 0, weights=list(net.all[:5]))


def second(net):
    inner = ms.grad(lambda x: (net(x) ** 2).sum())
    return ms.grad(lambda x: (inner(x) * x).sum())


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("run", [lambda net: net, derivative, second], ids=["value", "grad", "2nd"])
def test_modes_agree(program, run):
    want = found(ms.PYNATIVE_MODE, program, run)
    for a, b in zip(found(ms.GRAPH_MODE, program, run), want, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5)


def test_one_chosen_outside_of_the_function_that_is_differentiated():
    class Net(Base):
        def construct(self, x):
            p = self.a if x.sum() > 0 else self.b
            return ms.grad(lambda x: (p * p * x).sum(), None, weights=[self.a, self.b])(x)

    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        da, db = Net()(UP)
        ms.set_context(mode=ms.PYNATIVE_MODE)
        np.testing.assert_array_equal(da.asnumpy(), [2.0, 4.0])
        np.testing.assert_array_equal(db.asnumpy(), [0.0, 0.0])


def test_a_parameter_or_another_tensor_is_refused():
    class Net(Base):
        def construct(self, x):
            p = self.a if x.sum() > 0 else x * 2
            ops.assign(p, x)
            return p

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        with pytest.raises(ParseError, match="may be the Parameter p1 or another tensor"):
            Net()(UP)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)

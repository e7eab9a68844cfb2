"""Objects of several classes of which data choose one are copies of what they may be: where that would
show, since one of them is changed, compiled code refuses it; and exceptions with an ``__init__`` of
their own, which is interpreted.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor
from minds.base.errors import ParseError

X = Tensor([1.0, 2.0])


class Some:
    def __init__(self, a):
        self.a = a


class Other(Some):
    pass


def one_is_set(x, n):
    p, q = Some(x), Other(x)
    o = p if x.sum() > n else q
    o.a = o.a * 2.0
    return o.a + p.a


def what_it_may_be_is_set(x, n):
    p, q = Some(x), Other(x)
    o = p if x.sum() > n else q
    p.a = p.a * 2.0
    return o.a


def in_a_list(x, n):
    p, q = Some(x), Other(x)
    held = [p]
    if x.sum() > n:
        held[0] = q
    p.a = p.a * 2.0
    return held[0].a


def in_a_long_loop(x, n):
    p, q = Some(x), Other(x)
    o = p
    for i in range(12):
        o = q if x.sum() > i + n else p
        p.a = p.a * 1.5
    return o.a


def in_a_loop_of_the_run(x, n):
    p, q, i = Some(x), Other(x), 0
    o = p
    while i < n + 2:
        p.a = p.a * 1.5
        x = x + o.a
        o = q if x.sum() > i + n else p
        i += 1
    return x


@pytest.mark.parametrize(
    "fn", [one_is_set, what_it_may_be_is_set, in_a_list, in_a_long_loop, in_a_loop_of_the_run]
)
def test_refused(fn):
    with pytest.raises(ParseError, match="chosen at run time|may be the same"):
        ms.jit(fn)(X, Tensor(2.0) if fn is not in_a_loop_of_the_run else 2)


def by_turns(x, n):
    p, q, i = Some(x), Other(x * 2.0), 0
    while i < n:
        o = q if x.sum() > i + n else p
        x = x + o.a
        i += 1
    return x * p.a


def test_what_is_only_read_is_chosen():
    for n in (0, 1, 4):
        np.testing.assert_array_equal(ms.jit(by_turns)(X, n).asnumpy(), by_turns(X, n).asnumpy())


class Held(ValueError):
    def __init__(self, v, k):
        super().__init__(k)
        self.v = v


def raised(x, n):
    raise Held(x * 2.0, n)


def raised_of_what_is_known(x, n):
    try:
        raise Held(3, "text")
    finally:
        x = x * 2.0


def raised_under_a_condition(x, n):
    if x.sum() > 0:
        raise Held(x * 2.0, n)
    return x


@pytest.mark.parametrize("fn", [raised, raised_of_what_is_known, raised_under_a_condition])
def test_an_exception_holds_what_it_was_made_of(fn):
    with pytest.raises(Held) as want:
        fn(X, 5)
    with pytest.raises(Held) as found:
        ms.jit(fn)(X, 5)
    assert found.value.args == want.value.args
    np.testing.assert_array_equal(np.array(found.value.v), np.array(want.value.v))

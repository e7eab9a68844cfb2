"""Functions of the standard library in compiled code: `itertools`, `copy`, `collections`; and keys
of dicts that are numbers of the run.
"""

import copy
import itertools
from collections import namedtuple

import numpy as np
import pytest
from agreement import agree, assert_same

import minds as ms
from minds import Tensor, mint, nn

X = Tensor([0.5, -1.25, 2.0])


def products(x, n):
    return [a * b for a, b in itertools.product((x, n), (2, 3))], list(
        itertools.product((1, n), repeat=2)
    )


def orders(x, n):
    items = [x, n, 3]
    return (
        list(itertools.permutations(items, 2)),
        list(itertools.combinations(items, 2)),
        [a for a in itertools.combinations_with_replacement((n, 1), 2)],
    )


def slices(x, n):
    row = [n, 1, 2, 3, 4]
    return (
        list(itertools.islice(row, 3)),
        list(itertools.islice(row, 1, None, 2)),
        list(itertools.chain(row, (x,))),
        list(itertools.chain.from_iterable([[n], [1, 2]])),
        list(itertools.zip_longest((1, n), (x,), fillvalue=0)),
        list(itertools.repeat(n, 3)),
    )


def folds(x, n):
    return (
        list(itertools.accumulate((n, 1, 2))),
        list(itertools.accumulate((x, x), lambda a, b: a * b)),
        list(itertools.accumulate((1, n), initial=5)),
        list(itertools.starmap(pow, ((2, 3), (n, 2)))),
    )


def copies(x, n):
    rows = [[n], {"a": [x]}]
    shallow, deep = copy.copy(rows), copy.deepcopy(rows)
    rows[0].append(1)
    rows[1]["a"][0] = x * 2.0
    y = copy.deepcopy(x)
    y[0] = 7.0
    return rows, shallow, deep, x, y


def shared_copies(x, n):
    inner = [n]
    a, b = copy.deepcopy((inner, inner))
    a.append(1)
    return a, b, a is b, inner


def named(x, n):
    pair = namedtuple("pair", "first, second")
    p = pair(x, second=n)
    return p.first * p.second, p._replace(second=1), namedtuple("one", ["k"])(k=n).k


def classes(x, n):
    return (
        issubclass(type(n), (int, float)),
        issubclass(bool, int),
        issubclass(type(x), (list, tuple)),
    )


def in_a_dict(x, n):
    table = {1: "one", 5: "five", "n": 2}
    return n in table, n + 1 not in table, n in {1, 7}, table.get(n), n in (1, x.shape[0])


@pytest.mark.parametrize(
    "program", [products, orders, slices, folds, copies, shared_copies, classes, in_a_dict]
)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_agrees(program, n):
    agree(program, X, n)


def test_named_tuple():
    got, expected = ms.jit(named)(X, 3), named(X, 3)
    assert_same(got[0], expected[0])
    assert got[1]._fields == ("first", "second") and got[1].second == 1 and got[2] == 3
    assert type(got[1]).__module__ == __name__


def test_many_numbers_in_a_dict():
    """Membership is asked when the program runs: one program serves all numbers."""

    @ms.jit
    def f(a, table):
        return a in table

    assert [f(a, {1: 2.0, 4: 5.0}) for a in range(6)] == [a in (1, 4) for a in range(6)]


def test_tensors_in_lists():
    a, b = Tensor([1.0, 2.0]), Tensor([1.0, 3.0])

    @ms.jit
    def f(x, y, z):
        return x in [y, x], x in [y, z], [y, z].count(x), y in [x, (1, 2)]

    assert f(a, b, a * 1.0) == (True, True, 1, False)


def test_mask_of_rank_0():
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        try:
            for t, index in (
                (Tensor(2.0), True),
                (X, True),
                (X, (True, 1)),
                (X, (slice(1), None, True)),
            ):
                got = ms.jit(lambda v, i=index: v[i])(t)
                np.testing.assert_array_equal(got.asnumpy(), t.asnumpy()[index])
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)


def test_compiled_construct_of_one_object():
    """``net.construct = jit(net.construct)`` knows its object inside of other compiled code too."""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.k = 3.0

        def construct(self, x):
            return x * x * self.k

    net = Net()
    net.construct = ms.jit(net.construct)

    @ms.jit
    def derivative(x):
        return ms.grad(net)(x), net(x)

    assert_same(derivative(X), (X * 6.0, X * X * 3.0))


def test_container_that_holds_itself():
    rows = [1]
    rows.append(rows)
    with pytest.raises(RuntimeError, match="holds itself"):
        ms.jit(lambda v: v)(rows)


def test_torch_names_of_group_norm():
    norm = mint.nn.GroupNorm(2, 4)
    assert sorted(p.name for p in norm.get_parameters()) == ["bias", "weight"]
    norm.weight = ms.Parameter(Tensor([1.0, 2.0, 3.0, 4.0]))
    x = Tensor(np.random.default_rng(0).normal(size=(2, 4, 3)).astype(np.float32))
    plain = nn.GroupNorm(2, 4)(x).asnumpy()
    np.testing.assert_allclose(
        norm(x).asnumpy(), plain * np.arange(1, 5)[:, None], rtol=1e-5, atol=1e-6
    )
    bare = mint.nn.GroupNorm(2, 4, affine=False)
    assert bare.weight is None and not list(bare.get_parameters())
    np.testing.assert_allclose(bare(x).asnumpy(), plain, rtol=1e-5, atol=1e-6)


def test_print_is_none():
    """As the value of a function: a hook that only prints leaves the gradient."""

    @ms.jit
    def f(x):
        return print("x", x) is None, print() is None, (lambda v: print(v))(x) is None

    assert f(X) == (True, True, True)
    hook = ms.ops.HookBackward(lambda grads: print("gradient", grads))
    assert_same(ms.jit(ms.grad(lambda x: hook(x * x) * 3.0))(X), X * 6.0)

"""Numbers among the arguments: values of the run, open sizes where one is needed as a size,
constants where it must be.
"""

import itertools

import numpy as np
import pytest
from agreement import assert_same

import minds as ms
from minds import Tensor, ops
from minds.base import tree

X = Tensor(np.arange(12, dtype=np.float32).reshape(6, 2))


def reasons(fn):
    return [c.reason for c in ms.recompiles(fn)]


def until(x, k):
    return x[:k], x[k:], x[k - 1], x[k : k + 2]


def filled(x, k):
    return ops.zeros((k, 2)), ops.arange(k), ops.full((k,), 1.5), ops.one_hot(x.astype(ms.int32), k)


def shaped(x, k):
    return x.reshape(k, -1), x.reshape((-1, k)), ops.tile(x, (k, 1)), ops.broadcast_to(x[0], (k, 2))


def top(x, k):
    return ops.topk(x[:, 0], k)


def counted_down(x, k):
    s = ops.zeros((k,))
    while k > 0:
        s, k = s + k * x[0, 1], k - 1
    return s


def gradient(x, k):
    return ms.grad(lambda x: (x[:k] * x[:k]).sum() / k)(x)


def of_two(x, k):
    def pair(sizes):
        return ops.zeros(sizes["a"]), ops.ones((sizes["b"][0],))

    return pair({"a": k, "b": [k + 1]})


@pytest.mark.parametrize(
    "fn", [until, filled, shaped, top, counted_down, gradient, of_two], ids=lambda f: f.__name__
)
def test_an_int_used_as_a_size(fn):
    """One compilation serves all numbers."""
    compiled = ms.jit(fn)
    for k in (1, 2, 3, 6, 2) if fn is not until else (1, 2, 3, 4, 2):
        assert_same(compiled(X, k), fn(X, k))
    assert len(ms.recompiles(compiled)) == 1, str(ms.recompiles(compiled))
    assert ms.recompiles(compiled)[0].sizes == 4


def comprehended(x, k):
    return (
        [x[i] * i for i in range(k)],
        sum([x[i] for i in range(k)]),
        list(range(1, k + 1)),
        {i: x[i] for i in range(k)},
    )


def enumerated(x, k):
    s = ops.zeros(2)
    for i, j in enumerate(range(2, k + 2), 1):
        s = s * 0.5 + x[i - 1] * j
    return s


def zipped(x, k):
    s = ops.zeros(2)
    for i, (row, j) in enumerate(zip(x, range(k))):
        s = s * 0.5 + row * j + i
    return s


def backwards(x, k):
    s = ops.zeros(2)
    for i in reversed(range(k)):
        s = s * 0.5 + x[i]
    return s


@pytest.mark.parametrize(
    "fn, compilations", [(comprehended, 4), (enumerated, 1), (zipped, 1), (backwards, 1)]
)
def test_an_int_that_counts(fn, compilations):
    """A loop counts at run time; a list has a length that the program is made for."""
    compiled = ms.jit(fn)
    for k in (1, 2, 3, 6, 2):
        assert_same(compiled(X, k), fn(X, k))
        assert_same(
            ms.jit(lambda x: ms.grad(lambda x: fn(x, k).sum())(x))(X) if compilations == 1 else X,
            ms.grad(lambda x: fn(x, k).sum())(X) if compilations == 1 else X,
        )
    assert len(ms.recompiles(compiled)) == compilations, str(ms.recompiles(compiled))


def test_an_iterator_that_only_the_run_can_count_is_used_once():
    @ms.jit
    def f(x, k):
        pairs, s = enumerate(range(k)), ops.zeros(2)
        for i, j in pairs:
            s = s + x[i] * j
        for i, _ in pairs:
            s = s + x[i]
        return s

    with pytest.raises(SyntaxError, match="is used twice"):
        f(X, Tensor(2))
    np.testing.assert_array_equal(f(X, 2), X[1])  # of a known number


def test_only_the_number_that_must_be_known_is_a_constant():
    @ms.jit
    def f(x, axis, scale, k, pair):
        return (ops.sum(x, axis) * scale + pair[0])[:k] + pair[1]

    for axis, scale, k, pair in (
        (0, 0.5, 1, (1, 2.5)),
        (0, 1.5, 2, (3, 4.5)),
        (1, 2.5, 2, (0, 0.0)),
        (1, 2, 1, (0, 0.0)),
        (0, 3.5, 2, (7, 8.0)),
    ):
        want = np.asarray(
            (X.asnumpy().sum(axis) * np.float32(scale) + pair[0])[:k] + np.float32(pair[1]),
            np.float32,
        )
        np.testing.assert_array_equal(f(X, axis, scale, k, pair).asnumpy(), want)
    assert reasons(f) == [
        "the first call",
        "argument `axis` changed from int 0 to int 1; argument `k` changed from int 1 to int 2",
        "argument `scale` changed from float 2.5 to int 2; argument `k` changed from int 2 to int "
        "1",
    ]


def test_a_size_and_an_open_dimension():
    n = ms.Dim("n")
    compiled = ms.jit(
        lambda x, k: x[:k].sum() + x[k:].mean(),
        input_signature=(Tensor(shape=[n, 2], dtype=ms.float32), None),
    )
    for rows, k in ((6, 2), (5, 2), (6, 3), (4, 1)):
        assert_same(compiled(X[:rows], k), X[:rows][:k].sum() + X[:rows][k:].mean())
    assert len(ms.recompiles(compiled)) == 1


def repeated(x, lo, hi):
    out, i = (), lo
    while i < hi:
        out, i = (*out, x * i), i + 1
    return out


def chosen(x, n, half):
    y = (x, x * n) if n > 2 else x
    if half > 0.25:
        y = y[0] * half if n > 2 else y
    return y


@pytest.mark.parametrize(
    "fn, args",
    [
        (repeated, (1, 4)),
        (repeated, (2, 2)),
        (chosen, (3, 0.5)),
        (chosen, (1, 0.5)),
        (chosen, (3, 0.0)),
    ],
)
def test_numbers_are_constants_where_no_program_of_all_numbers_is_possible(fn, args):
    compiled, want = ms.jit(fn), fn(X, *args)
    for _ in range(2):
        got = compiled(X, *args)
        assert type(got) is type(want)
        for g, w in zip(tree.leaves(got), tree.leaves(want), strict=True):
            np.testing.assert_array_equal(g, w)

    def total(run):
        return lambda x: sum([v.sum() for v in tree.leaves(run(x, *args))], x.sum())

    np.testing.assert_array_equal(ms.grad(total(compiled))(X), ms.grad(total(fn))(X))
    np.testing.assert_array_equal(ms.jit(ms.grad(total(fn)))(X), ms.grad(total(fn))(X))


def test_a_refused_call_changes_nothing():
    @ms.jit
    def f(x, k, scale):
        return (x, scale) if k > 100 else x * scale

    with pytest.raises(TypeError, match="no common type"):
        f(X, Tensor(1), 0.5)

    @ms.jit
    def g(x, k, scale):
        return ops.zeros((int((x.sum() * scale).item()),)) + k

    for _ in range(2):
        with pytest.raises(TypeError, match="must be known when the program is compiled"):
            g(X, 1, 0.5)

    @ms.jit
    def h(x, k):
        return ops.topk(x[:, 0], k)

    with pytest.raises(ValueError, match="k must be"):
        h(X, 9)
    assert h(X, 2)[0].shape == (2,)


@pytest.mark.parametrize("order", list(itertools.permutations((3, 2.5, True, 2))))
def test_what_is_a_size_for_one_call_is_none_for_another(order):
    """A float in the place of an int that is a size is a value of the run."""

    def f(x, n):
        if isinstance(n, bool):
            return x * 3.0
        return ops.tile(x, (n,)) * n if isinstance(n, int) else x * n

    compiled = ms.jit(lambda x, n: f(x, n))
    for n in (*order, *order):
        assert_same(compiled(X, n), f(X, n))


def test_numbers_that_mutable_made_are_sizes():
    def f(x):
        shape = ms.mutable(x.shape)
        return (
            ops.ones(shape),
            ops.reshape(x, (shape[0], 1)),
            ops.broadcast_to(x, (ms.mutable(3), *shape)),
            ops.sum(x, ms.mutable(0)),
        )

    x = Tensor([1.0, 2.0])
    for a, b in zip(f(x), ms.jit(f)(x)):
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())
    assert ms.jit(f)(x)[2].shape == (3, 2)

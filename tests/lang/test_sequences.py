"""Builtins over sequences and numbers in compiled code: as in CPython, or refused with its
message.
"""

import numpy as np
import pytest
from agreement import agree

import minds as ms
from minds import Tensor, nn, ops

X = Tensor([1.5, -2.0, 4.0])


def slices(x):
    a = list(range(9))
    a[0:3] = (x, 1, 2)
    a[::4] = [10, 20, 30]
    b = [1, 2, 3, 4]
    b[1:3] = []
    b[1:1] = x
    b[50:] = (7,)
    return a, b


def assigned_from_arguments(a, b, start, stop, step):
    a = list(a)
    a[start:stop:step] = b
    return tuple(a)


def dicts(x):
    made = dict.fromkeys(("a", "b"), x)
    other = {}.fromkeys([1, (2, "c")])
    return made, other, (2, "c") in other


def special_methods(x):
    xs = [x, 1]
    return (
        xs.__len__(),
        getattr((3, 4), "__getitem__")(1),
        "abc".__contains__("b"),
        getattr({"k": 1}, "__len__")(),
    )


def numbers(x):
    return (
        int("ff", 16),
        int("0b101", 0),
        int("12"),
        float("1e-3"),
        isinstance(x, (int, (list, (Tensor, str)))),
    )


def extremes(x):
    return (
        max([(1, 2), (1, 3)]),
        min({"b": 1, "a": 2}),
        max("abca"),
        max(x),
        min(x[0], x[1], x[2]),
        max([], default=x),
        min((x * 2,)),
        max([3, -5, 4], key=abs),
    )


@pytest.mark.parametrize("fn", [slices, dicts, special_methods, numbers, extremes])
def test_as_cpython(fn):
    agree(fn, X)


@pytest.mark.parametrize(
    "bounds",
    [
        (0, 5, None),
        (0, 1, None),
        (-12, 456, None),
        (1234, 0, None),
        (1, 3, None),
        (None, None, None),
    ],
)
def test_slice_with_bounds_of_the_call(bounds):
    agree(assigned_from_arguments, (1, 2, 3, 4, 5, 6, 7, 8, 9), [11, 22, 33], *bounds)
    agree(assigned_from_arguments, (1, 2, 3, 4, 5, 6, 7, 8, 9), (11, 22, 33), 0, None, 3)


@pytest.mark.parametrize("n, k", [(5, 0), (5, 3), (-7, 2), (2**40, 20), (True, 1)])
def test_shifts(n, k):
    agree(lambda a, b: (a << b, a >> b, a >> 1), n, k)


def refused(fn, *args, kind, message):
    with pytest.raises(kind, match=message):
        ms.jit(fn)(*args)


def test_negative_shift_count():
    for fn in (lambda a, b: a << b, lambda a, b: a >> b):
        refused(fn, 16, -2, kind=ValueError, message="shift count must be a non-negative integer")
    refused(
        lambda a: a << -1, 16, kind=ValueError, message="shift count must be a non-negative integer"
    )


def test_int_beyond_64_bits():
    for kind in (OverflowError, RuntimeError):
        refused(lambda a: a + 1, 2**63, kind=kind, message="does not fit 64 bits")


@pytest.mark.parametrize(
    "fn, kind, message",
    [
        (lambda x: max(x, x + 1), ValueError, "array with more than one element is ambiguous"),
        (
            lambda x: min(ops.stack((x, x))),
            ValueError,
            "array with more than one element is ambiguous",
        ),
        (lambda x: max(x[0]), TypeError, "Cannot iterate over a scalar tensor"),
        (
            lambda x: max([[x[0]], [x[1]]]),
            TypeError,
            "cannot support tensor in list or tuple nested now",
        ),
        (lambda x: max(()), ValueError, "arg is an empty sequence"),
        (lambda x: int(x), ValueError, "Only one element tensors can be converted"),
        (lambda x: [1, 2].pop(2), IndexError, "The pop index out of range"),
        (lambda x: isinstance(x, [list]), TypeError, "arg 2 must be a type or tuple of types"),
        (lambda x: {[1, 2]: 3}, TypeError, "a key of a dict"),
        (lambda x: {(1, [2]): 3 for _ in range(1)}, TypeError, "a key of a dict"),
        (lambda x: [1].uncount(1), AttributeError, "'list' object has no attribute 'uncount'"),
        (
            lambda x: assigned_from_arguments([1, 2, 3, 4, 5], [1, 2], 0, None, 2),
            ValueError,
            "attempt to assign sequence of size 2",
        ),
        (
            lambda x: assigned_from_arguments([1, 2, 3], 1, 0, None, 1),
            TypeError,
            "assign (an )?iterable",  # Python 3.13 has other words
        ),
    ],
)
def test_refused(fn, kind, message):
    refused(fn, X, kind=kind, message=message)


def test_dict_has_key():
    """MindSpore's dicts have it in compiled code."""
    assert ms.jit(lambda: ({"a": 1}.has_key("a"), {"a": 1}.has_key("b")))() == (True, False)


def test_branches_of_different_types_show_both():
    def chosen(x, y):
        if x < y:
            a = x
        else:
            a = (y, 0)
        return a

    def left(x, y):
        if x < y:
            return x, y
        return 0

    for fn, first, second in ((chosen, "a = x", "a = (y, 0)"), (left, "return x, y", "return 0")):
        with pytest.raises(
            TypeError, match="Cannot join the return values of different branches"
        ) as caught:
            ms.jit(fn)(Tensor(1.0), Tensor(2.0))
        assert first in str(caught.value) and second in str(caught.value)


def test_no_gradient_through_any_structure():
    def f(x):
        a, (b, _) = ops.stop_gradient((x, [x * 2, None]))
        return ops.sum(x * a * b)

    np.testing.assert_array_equal(ms.grad(f)(X).asnumpy(), ms.jit(ms.grad(f))(X).asnumpy())
    np.testing.assert_array_equal(ms.grad(f)(X).asnumpy(), 2 * X.asnumpy() ** 2)


def test_filled_like_a_structure():
    x = (X, [1, 2.5], True)
    for fn, want in ((ops.composite.zeros_like, 0), (ops.composite.ones_like, 1)):
        for made in (fn(x), ms.jit(fn)(x)):
            np.testing.assert_array_equal(made[0].asnumpy(), np.full(3, want, np.float32))
            assert list(made[1]) == [want, float(want)] and made[2] is bool(want)


def found_in_list(x, v):
    return [1.5, x[1], x[0], x.sum()].index(v) * x


def found_in_tuple(x, v):
    return x * (7.0, x[0] * 2, v).index(v, 1), ("a", "b").index("b"), [x.sum(), 2].index(2)


def found_or_not(x, v):
    try:
        at = [x[0], x[1]].index(v)
    except ValueError:
        at = -1
    return at, x * at


@pytest.mark.parametrize("v", [1.5, -2.0, 3.0, 3.5])
@pytest.mark.parametrize("fn", [found_in_list, found_in_tuple, found_or_not])
def test_index_of_what_data_decide(fn, v):
    if fn is found_in_list and v == 3.0:
        for run in (fn, ms.jit(fn)):
            with pytest.raises(ValueError, match="is not in"):
                run(X, v)
    else:
        agree(fn, X, v)


def test_index_of_tensors():
    @ms.jit
    def f(x, v):
        return [Tensor([1]), Tensor([2]), x].index(v), (x, v).index(v)

    assert f(Tensor([5]), Tensor([2])) == (1, 1) and f(Tensor([5]), Tensor([5])) == (2, 0)
    with pytest.raises(ValueError, match="is not in the list"):
        f(Tensor([5]), Tensor([7]))


def test_enumerate_starts_at_an_int():
    f = ms.jit(lambda x, start: list(enumerate(x, start)))
    assert [i for i, _ in f(X, 4)] == [4, 5, 6] and f(X, True)[0][0] == 1
    for start in (1.5, Tensor(1.5)):
        with pytest.raises(TypeError, match="'start' should be a const int number"):
            f(X, start)


def test_cell_of_a_list_chosen_by_data():
    cells = nn.CellList([nn.ReLU(), nn.Tanh()])
    f = ms.jit(lambda i, x: cells[i](x))
    for i, fn in enumerate((lambda v: np.maximum(v, 0), np.tanh)):
        np.testing.assert_allclose(f(Tensor(i), X).asnumpy(), fn(X.asnumpy()), rtol=1e-6)


def row_changed(n):
    d, row = [[0.0] * 2 for _ in range(4)], [1.0, 2.0]
    d[n] = row
    row[1] = 7.0
    return d[2]


def table_changed(n):
    d, row = [[0.0] * 2 for _ in range(4)], [1.0, 2.0]
    d[n] = row
    d[2][1] = 7.0
    return row


def replaced_changed(n):
    d = [[0.0] * 2 for _ in range(4)]
    row = d[2]
    d[n] = [1.0, 2.0]
    d[2][1] = 7.0
    return row


def twice_in_a_table(n):
    d, row = [[0.0] * 2 for _ in range(4)], [1.0, 2.0]
    d[n] = row
    d[n - 1] = row
    d[2][1] = 7.0
    return d[1]


def inner_changed(n):
    d = [[[1.0], [2.0]], [[3.0], [4.0]]]
    row = d[n % 2][n % 2]
    row[0] = 9.0
    return d


def in_a_loop(n):
    d = [[0.0] * 2 for _ in range(4)]
    for i in range(n):
        row = [1.0, 2.0]
        d[i] = row
        row[1] = 7.0
    return d[1]


@pytest.mark.parametrize(
    "f",
    [row_changed, table_changed, replaced_changed, twice_in_a_table, inner_changed, in_a_loop],
)
def test_a_list_put_at_a_place_of_the_run_is_right_or_refused(f):
    with pytest.raises(
        (SyntaxError, TypeError), match="any more: line|cannot be replaced in a list"
    ):
        ms.jit(lambda x: f(int(x)))(Tensor(2.0))

"""Lists and tuples among the arguments of which one program takes any length (`mutable`)."""

import pytest
from agreement import assert_same

import minds as ms
from minds import Tensor, nn, ops

X = Tensor([1.0, 2.0])


def seen(t):
    return len(t), t[0], t[-1], sum(t[1:], t[0]), [v * 2 for v in t], t[::-1]


@pytest.mark.parametrize(
    "make",
    [
        lambda n: tuple(range(n)),
        lambda n: [0.5 * k for k in range(n)],
        lambda n: tuple([X * k for k in range(n)]),
    ],
)
def test_one_program_for_all_lengths(make):
    compiled = ms.jit(seen)
    before = len(ms.recompiles(compiled))
    for n in (3, 2, 5, 8, 1, 13):
        assert_same(compiled(ms.mutable(make(n), True)), seen(make(n)))
    assert len(ms.recompiles(compiled)) == before + 1


def test_elements_of_several_leaves():
    def f(pairs, other):
        return len(pairs), [a * k for a, k in pairs], other["t"][1:]

    compiled = ms.jit(f)
    for n in (2, 5, 3):
        given = [(X * k, k) for k in range(n)], {"t": tuple(range(n))}
        want = f(*given)
        assert_same(
            compiled(ms.mutable(given[0], True), {"t": ms.mutable(given[1]["t"], True)}), want
        )


def test_the_caller_sees_changes():
    @ms.jit
    def f(t, v):
        t.append(v)
        t[0] = t[0] + v
        return len(t)

    for given in ([1, 2], [1, 2, 3]):
        xs = ms.mutable(given, True)
        assert f(xs, 5) == len(given) + 1 and xs == [6, *given[1:], 5]


def test_what_is_no_row_is_a_list_like_others():
    for given in ((), [], [[1], [2]], (X, Tensor([1.0]))):
        assert_same(ms.jit(lambda t: t)(ms.mutable(given, True)), given)


class Product(nn.Cell):
    def construct(self, xs, y):
        s = y
        for v in xs:
            s = s * v
        return s


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("kind", [tuple, list])
def test_gradients(mode, kind):
    ms.set_context(mode=mode)
    net, ones = Product(), Tensor([1.0, 1.0])
    for n in (2, 3, 4):
        xs = kind([X + k for k in range(n)])
        by_xs, by_y = ms.grad(net, (0, 1))(ms.mutable(xs, True), ones)
        assert isinstance(by_xs, kind) and len(by_xs) == n
        for k in range(n):
            others = [X + i for i in range(n) if i != k]
            assert_same(by_xs[k] * 1.0, Product()(others, ones))
        assert_same(by_y * 1.0, Product()(xs, ones))


def test_what_is_known_of_it():
    f = ops.functional

    @ms.jit
    def asked(t, u):
        return (
            f.is_sequence_shape_unknown(t),
            f.is_sequence_shape_unknown(u),
            f.is_sequence_value_unknown(t),
            f.isconstant(t),
            f.isconstant(len(t)),
        )

    assert asked(ms.mutable((1, 2), True), (1, 2)) == (True, False, True, False, False)


def test_tuples_stay_tuples():
    t = ms.mutable((1, 2), True)
    for fn, kind, text in (
        (lambda t: t.append(3), AttributeError, "'tuple' object has no attribute 'append'"),
        (lambda t: t + [3], TypeError, "unsupported operand"),
    ):
        with pytest.raises(kind, match=text):
            ms.jit(fn)(t)

    def sets(t):
        t[0] = 3
        return t

    with pytest.raises(TypeError, match="does not support item assignment"):
        ms.jit(sets)(t)
    with pytest.raises(ValueError, match="shape do not match"):
        ms.jit(lambda x: ms.mutable((x, Tensor([1.0])), True))(X)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("kind", [tuple, list])
def test_gradient_by_open_numbers(mode, kind):
    ms.set_context(mode=mode)

    def squares(values):
        total = 0.0
        for v in values:
            total = total + v * v
        return total

    for fn in (squares, ms.jit(squares)):
        for given in ([1.0, 2.0, 3.0], [4.0]):
            found = ms.grad(fn)(ms.mutable(kind(given), True))
            assert found == kind(2 * v for v in given)

"""`ms.host`: CPython called from programs. The same results, effects, gradients and errors as at
once.
"""

import numpy as np
import pytest
from agreement import agree, assert_same, gradients_agree

import minds as ms
from minds import Tensor, nn, ops

X = Tensor([0.5, -1.25, 2.0])


def same(x, *_):
    return x.shape, x.dtype


sinh = ms.host(lambda x: np.sinh(x.asnumpy()), out=same, grad=lambda x, out, dout: dout * cosh(x))
cosh = ms.host(
    lambda x: np.cosh(x.asnumpy()), out=lambda x: x, grad=lambda x, out, dout: dout * sinh(x)
)


@ms.host(out=float)
def largest(x):
    assert isinstance(x, Tensor)
    return float(np.abs(x.asnumpy()).max())


@ms.host(
    out=(
        (3,),
        ms.float32,
    ),
    grad=lambda a, b, out, dout: (dout * b, dout * a),
)
def product(a, b):
    return a * b


@ms.host(
    out=(float, ms.Tensor(shape=(2,), dtype=ms.float64), {"k": int, "flag": bool}, [((), ms.int32)])
)
def several(x, n, *, text):
    assert type(n) is int and text == "known now"
    return float(x.sum()), np.full(2, n / 2), {"flag": n > 2, "k": n + 1}, [Tensor(n, ms.int32)]


def value(x, n):
    return sinh(x) * n


def in_a_loop(x, n):
    for _ in range(n):
        x = sinh(x) * 0.5
    return x


def in_a_branch(x, n):
    if n > 2:
        return sinh(x)
    return x * largest(x)


def in_a_while_that_it_ends(x, n):
    while largest(x) > 0.01:
        x = x * 0.25
    return x, n


def many_results(x, n):
    a, b, c, (d,) = several(x, n, text="known now")
    return x * a, b * 2.0, c["k"] + n, c["flag"], d


def two_tensors(x, n):
    return product(x, x + n)


def in_a_recursion(x, n):
    return x if n <= 0 else in_a_recursion(cosh(x) * 0.25, n - 1)


def mapped(x, n):
    return ms.vmap(sinh)(x) + n


def made_inside(x, n):
    norm = ms.host(np.linalg.norm, out=float)
    return norm(x) + n


def chosen(x, n):
    f = sinh if n > 2 else cosh
    return f(x)


class Spectrum(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = ms.Parameter(Tensor([1.0, 2.0, 3.0]))

    @staticmethod
    @ms.host(out=same)
    def order(x):
        return np.sort(x.asnumpy())

    def construct(self, x, n):
        ops.assign(self.weight, self.weight + 1.0)
        before = self.order(self.weight * x)
        ops.assign(self.weight, self.weight - 1.0)
        return before + self.order(self.weight) * n


CELL = Spectrum()


def in_a_cell(x, n):
    return CELL(x, n)


PROGRAMS = [
    value,
    in_a_loop,
    in_a_branch,
    in_a_while_that_it_ends,
    many_results,
    two_tensors,
    in_a_recursion,
    mapped,
    made_inside,
    chosen,
    in_a_cell,
]


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda f: f.__name__)
def test_agrees(fn):
    for n in (0, 1, 3, 12):
        agree(fn, X, n)


@pytest.mark.parametrize(
    "fn", [value, in_a_loop, in_a_recursion, two_tensors, chosen], ids=lambda f: f.__name__
)
def test_gradients_agree(fn):
    for n in (1, 3, 9):
        gradients_agree(lambda x, n=n, fn=fn: fn(x, n).sum(), X, numeric=fn is not two_tensors)


def test_second_order():
    def second(x):
        return ms.grad(lambda u: ms.grad(lambda v: sinh(v).sum())(u).sum())(x)

    np.testing.assert_allclose(agree(second, X).asnumpy(), np.sinh(X.asnumpy()), rtol=1e-6)


def test_effects_keep_their_order_and_number():
    seen = []

    @ms.host
    def note(*values):
        seen.append(tuple(v.asnumpy().tolist() if isinstance(v, Tensor) else v for v in values))

    def effects(x, n):
        note("start")
        for i in range(n):
            note(i, x.sum())
            x = x * 2.0
        if n > 2:
            note("many", n)
        else:
            note("few")
        note(x)
        return x

    for n in (0, 2, 12):
        effects(X, n)
        expected = list(seen)
        seen.clear()
        ms.jit(effects)(X, n)
        assert seen == expected and len(seen) == n + 3
        seen.clear()


def test_the_function_gets_copies():
    @ms.host
    def spoil(x):
        x[0] = 100.0

    def f(x):
        y = x + 1.0
        spoil(y)
        return y

    assert_same(agree(f, X), X + 1.0)


def test_a_number_that_is_not_exact_in_float32():
    @ms.host(out=float)
    def through(v):
        return v

    assert agree(lambda n: through(n * 0.1), 3) == 3 * 0.1


class Odd(Exception):
    def __init__(self, code, why):
        super().__init__(code, why)
        self.code = code


def test_exceptions_are_raised_again_with_the_place_of_the_call():
    @ms.host(out=float)
    def fails(n):
        raise Odd(n, "no")

    def f(x, n):
        if n > 2:
            return fails(n) * x
        return x

    assert_same(ms.jit(f)(X, 1), X)
    with pytest.raises(Odd) as caught:
        ms.jit(f)(X, 5)
    assert caught.value.code == 5 and caught.value.args == (5, "no")
    if hasattr(caught.value, "__notes__"):
        (note,) = caught.value.__notes__
        assert "return fails(n) * x" in note and "test_host.py" in note and "^^^^^^^^" in note
    with pytest.raises(Odd):
        f(X, 5)


@pytest.mark.parametrize(
    "result, kind, message",
    [
        (np.zeros(3), TypeError, "wrong returned Tensor[(3,), float64]"),
        (np.zeros(4, np.float32), ValueError, "wrong returned Tensor[(4,), float32]"),
        ("text", TypeError, "wrong returned str 'text'"),
        (None, TypeError, "wrong returned NoneType None"),
        ([1.0, 2.0], ValueError, "wrong returned list [1.0, 2.0]"),
    ],
)
def test_broken_promises(result, kind, message):
    @ms.host(out=((3,), ms.float32))
    def wrong(x):
        return result

    def f(x):
        return wrong(x) * 2.0

    for run in (f, ms.jit(f)):
        with pytest.raises(kind) as caught:
            run(X)
        assert message in str(caught.value) and "expected Tensor[(3,), float32]" in str(
            caught.value
        )
        assert "return wrong(x) * 2.0" in str(caught.value)


def test_a_result_that_was_not_promised():
    @ms.host
    def nothing(x):
        return 3

    for run in (nothing, ms.jit(lambda x: nothing(x))):
        with pytest.raises(TypeError, match="nothing returned int 3"):
            run(X)


def test_no_gradient_is_an_error_that_says_so():
    for run in (ms.grad(lambda x: x.sum() * largest(x)),):
        assert_same(run(X), Tensor([2.0, 2.0, 2.0]))  # a Python number carries none
    plain = ms.host(lambda x: x.asnumpy(), out=same)
    for run in (
        ms.grad(lambda x: plain(x).sum()),
        ms.jit(lambda x: ms.grad(lambda v: plain(v).sum())(x)),
    ):
        with pytest.raises(TypeError, match="has no gradient"):
            run(X)
    agree(lambda x: ms.grad(lambda v: (plain(ops.stop_gradient(v)) * v).sum())(x), X)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: ms.host(3), "host: fn is int 3"),
        (lambda: ms.host(abs, out=3), "host: out of abs is 3"),
        (
            lambda: ms.host(abs, out=ms.Tensor(shape=(None, 2), dtype=ms.float32)),
            "out of abs has shape",
        ),
        (lambda: ms.host(abs, out=float, grad=1), "host: grad is int 1"),
    ],
)
def test_wrong_declarations(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


def test_a_function_of_compiled_code_is_refused():
    def f(x):
        return ms.host(lambda v: v, out=float)(x)

    with pytest.raises(TypeError, match="is a function of compiled code"):
        ms.jit(f)(X)


def test_loops_compile_once():
    calls = []

    @ms.host(out=lambda x: calls.append(1) or (x.shape, x.dtype))
    def twice(x):
        return x.asnumpy() * 2

    def f(x, n):
        i = 0
        while i < n:
            x, i = twice(x) * 0.5, i + 1
        return x

    compiled = ms.jit(f)
    assert_same(compiled(X, 1000), X)
    assert len(calls) < 5


def test_results_without_elements():
    @ms.host(out=((0, 2), ms.float32))
    def nothing(x):
        return np.zeros((0, 2), np.float32)

    found = ms.jit(lambda x: (nothing(x), x + 1))(X)
    assert found[0].shape == (0, 2)
    np.testing.assert_array_equal(found[1].asnumpy(), X.asnumpy() + 1)

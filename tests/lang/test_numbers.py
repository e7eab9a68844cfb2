"""Numbers known only at run time: values and errors of CPython, for ordinary and for extreme
operands.
"""

import builtins
import itertools
import math

import numpy as np
import pytest

import minds as ms

INTS = (0, 1, -1, 2, -3, 7, 62, 64, 2**62, -(2**63), 2**63 - 1, 3037000500)
FLOATS = (0.0, -0.0, 1.0, -1.5, 2.5, 1e300, -1e300, math.inf, math.nan, 1e-320, 3.7, -2.0, 1 / 3)

BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "divmod": lambda a, b: divmod(a, b),
    "pow": lambda a, b: float(a) ** b,
    "square_and_cube": lambda a, b: a**2 + b**3,
    "compare": lambda a, b: (a < b, a <= b, a == b, a != b, a > b, a >= b),
    "extremes": lambda a, b: (min(a, b), max(a, b)) if a != b else (a, a),
}
SHIFTS = {"left_shift": lambda a, b: a << b, "right_shift": lambda a, b: a >> b}
MATH = """sqrt log exp log1p expm1 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc
    floor ceil trunc fabs degrees radians isnan isinf isfinite""".split()


def outcome(fn, *args):
    """The value as text, or the class of the builtin error; what 64 bits cannot hold is an
    OverflowError.
    """
    try:
        value = fn(*args)
    except (ArithmeticError, ValueError) as e:
        return next(c for c in type(e).__mro__ if vars(builtins).get(c.__name__) is c)
    for v in value if isinstance(value, tuple) else (value,):
        if isinstance(v, complex):
            return ValueError
        if isinstance(v, int) and not -(2**63) <= v < 2**63:
            return OverflowError
    return repr(value)


def assert_as_cpython(fn, operands) -> None:
    compiled = ms.jit(fn)
    wrong = {
        a: (got, want)
        for a in operands
        if (got := outcome(compiled, *a)) != (want := outcome(fn, *a))
    }
    assert not wrong


@pytest.mark.parametrize("name", BINARY)
def test_two_ints(name):
    assert_as_cpython(BINARY[name], itertools.product(INTS, INTS))


@pytest.mark.parametrize("name", BINARY)
def test_two_floats(name):
    pairs = list(itertools.product(FLOATS, FLOATS))
    if name == "pow":  # CPython overflows where the result is complex, too
        pairs = [(a, b) for a, b in pairs if not (a == -1e300 and b in (2.5, 3.7))]
    if name == "extremes":
        pairs = [(a, b) for a, b in pairs if a == a and b == b]
    assert_as_cpython(BINARY[name], pairs)


@pytest.mark.parametrize("name", SHIFTS)
def test_shifts(name):
    assert_as_cpython(SHIFTS[name], [(a, b) for a, b in itertools.product(INTS, INTS) if b < 100])


@pytest.mark.parametrize("name", MATH)
def test_mathematics(name):
    fn = getattr(math, name)
    assert_as_cpython(
        lambda x: fn(x), [(a,) for a in (*FLOATS, 5.0, 0.5, -0.5, 0.9999, 710.0, -3.0)]
    )


@pytest.mark.parametrize("fn", [int, float, bool, round, abs], ids=lambda f: f.__name__)
def test_conversions(fn):
    operands = [(a,) for a in (*FLOATS, 0.5, 1.5, 2.5, -0.5, 1e18, 1e19, -9.3e18)]
    assert_as_cpython(lambda x: fn(x), operands)


def quotient(a, b):
    c = a + 1
    if c > 5:
        return c // b
    return c / b


@pytest.mark.parametrize("a", (1, 10))
def test_an_error_has_its_line(a):
    with pytest.raises(ZeroDivisionError) as e:
        ms.jit(quotient)(a, 0)
    assert "test_numbers.py" in str(e.value) and ("c // b" if a > 5 else "c / b") in str(e.value)


def guarded(a, b):
    return a / b if b else 0.0


def test_the_branch_that_is_not_taken_does_not_divide():
    assert ms.jit(guarded)(1.0, 0.0) == 0.0 and ms.jit(guarded)(1.0, 4.0) == 0.25


def test_tensors_follow_ieee():
    x = ms.Tensor([1.0, -1.0, 0.0])
    out = ms.jit(lambda x: x / 0.0)(x)
    assert str(out) == "[ inf -inf  nan]"
    assert ms.jit(lambda x: (x.sum() / 0.0).item())(x + 1.0) == math.inf


def test_a_gradient_where_there_is_none_is_no_error():
    def f(x):
        return math.sqrt(x) * 2.0

    assert ms.jit(lambda x: ms.grad(f)(x))(0.0) == math.inf


AT_THE_EDGE = [
    0,
    -1,
    5,
    2**53,
    2**53 + 1,
    -(2**53) - 1,
    2**62 + 1,
    2**63 - 1,
    -(2**63),
    -(2**63) + 1,
]
BEYOND = [
    -0.0,
    0.5,
    5.0,
    2.0**53,
    2.0**53 + 2,
    -(2.0**53),
    2.0**62,
    2.0**63,
    -(2.0**63),
    1e300,
    math.inf,
    -math.inf,
    math.nan,
]


def test_divmod_of_tensors_is_as_in_numpy():
    a = np.array([7.5, -7.5, 3.0], np.float32)
    both = lambda x: (*divmod(x, 2.0), *divmod(-20.0, x), *divmod(x, x))
    wanted = both(a)
    for fn in (both, ms.jit(both)):
        for got, want in zip(fn(ms.Tensor(a)), wanted, strict=True):
            np.testing.assert_array_equal(got.asnumpy(), want)


def test_ints_and_floats_are_compared_exactly():
    def compared(i, f):
        return i == f, i != f, i < f, i <= f, i > f, i >= f, f < i, f == i

    compiled = ms.jit(compared)
    for i in AT_THE_EDGE:
        for f in BEYOND:
            assert compiled(i, f) == compared(i, f), (i, f)
    assert len(ms.recompiles(compiled)) == 1


@pytest.mark.parametrize(
    "dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
)
def test_an_int_meets_a_dtype_that_holds_it_or_fails(dtype):
    """As in eager mode, whose reference is NumPy's range of the dtype."""

    def summed(x, n, times):
        for _ in range(times):
            x = x + n
        return x

    x, info = ms.Tensor([0], getattr(ms, dtype)), np.iinfo(dtype)
    compiled = ms.jit(summed)
    compiled(x, 1, 9), compiled(x, 2, 10)
    for n in {info.min, info.min - 1, info.max, info.max + 1, -1, 0, 2**31, 2**40, -(2**40)}:
        if not -(2**63) <= n < 2**63:
            continue
        if info.min <= n <= info.max:
            assert compiled(x, n, 1).asnumpy() == n == summed(x, n, 1).asnumpy()
            assert compiled(x, n, 1).dtype is x.dtype
            continue
        for fn in (compiled, summed):
            with pytest.raises(ValueError, match=f"{n} does not fit {dtype}"):
                fn(x, n, 12)
    assert len(ms.recompiles(compiled)) <= 3


def test_the_object_that_a_number_is():
    """CPython has one object of each bool and of each small int."""
    two, three, yes, no = 2, 3, True, False

    def asked(x):
        n = int(x)
        large = n > 2
        return (
            n is three,
            n is two,
            n is not three,
            large is yes,
            large is not no,
            n is yes,
            n is None,
        )

    for n in (3, 1):
        assert ms.jit(asked)(ms.Tensor([n])) == asked(n)


def test_containers_without_order():
    def before(x):
        return [x, 1] < (x, 2)

    for fn in (before, ms.jit(before)):
        with pytest.raises(
            TypeError, match="'<' not supported between instances of 'list' and 'tuple'"
        ):
            fn(ms.Tensor([1]))


def test_a_class_made_by_type():
    made = ms.jit(lambda: type("C", (object,), {"n": 3}))()
    assert repr(made) == "<class 'C'>" and made.n == 3

"""Loops and recursion as machine code: CPython's and NumPy's results, and the interpreter's bits."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops


def outcomes(make, *args):
    """What the program that ``make`` gives does interpreted and as machine code: arrays, or the
    error's type and text.
    """
    found = []
    for setting in "01":
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MINDS_MACHINE_CODE", setting)
            program = ms.jit(make())
            try:
                found.append(leaves(program(*args)))
            except Exception as e:
                found.append((type(e), str(e)))
    return found


def leaves(value):
    if isinstance(value, (tuple, list)):
        return [a for v in value for a in leaves(v)]
    return [value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)]


def agreed(make, *args):
    """The result, of which both have the same bits."""
    interpreted, compiled = outcomes(make, *args)
    assert len(interpreted) == len(compiled)
    for a, b in zip(interpreted, compiled):
        assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return compiled


def newton():
    def root(a, steps):
        x = a
        for _ in range(steps):
            x = 0.5 * (x + a / x)
        return x

    return root


def collatz():
    def steps(n):
        count, highest = 0, n
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            highest = max(highest, n)
            count = count + 1
        return count, highest

    return steps


def ackermann():
    def a(m, n):
        if m == 0:
            return n + 1
        if n == 0:
            return a(m - 1, 1)
        return a(m - 1, a(m, n - 1))

    return a


def mixed():
    def run(x, n):
        flips, i, total = False, 0, 0.0
        while i < n:
            flips = not flips
            if flips and x > 0.25 or i == 3:
                total = total - x * i
                x = -x * 0.9
            else:
                x = abs(x) + 1.0 / (i + 1)
            total = total + min(x, 0.5) - max(x, -0.5)
            i = i + 1
        return total, x, flips

    return run


def divided():
    def run(a, b, n):
        total = 0
        while n > 0:
            total = total + a // b * 3 + a % b
            a, b, n = b + n, a - 2 * n, n - 1
        return total, a // b, a % b

    return run


@pytest.mark.parametrize(
    ("make", "args"),
    [
        (divided, (17, 5, 6)),
        (divided, (-17, 5, 6)),
        (divided, (17, -5, 5)),
        (divided, (-(2**40), 7, 4)),
        (divided, (6, -1, 1)),
        (newton, (2.0, 0)),
        (newton, (2.0, 9)),
        (newton, (1e-300, 600)),
        (collatz, (27,)),
        (collatz, (837799,)),
        (ackermann, (2, 6)),
        (mixed, (0.3, 40)),
        (mixed, (float("nan"), 7)),
        (mixed, (float("-inf"), 7)),
    ],
)
def test_numbers_are_cpythons(make, args):
    wanted = make()(*args)
    found = agreed(make, *args)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for f, w in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(f, w)


def rotating():
    def run(a, b, c, p, q, r, s, t, n):
        while n > 0:
            a, b, c = c, a, b
            p, q, r = q * 0.5 + a, r, p
            s, t = t, s
            if s:
                a, b, q, r = b, a, r, q
            else:
                c, p = c + n, -p
            n = n - 1
        return a, b, c, p, q, r, s, t

    return run


def crowded():
    """More numbers than there are registers."""

    def run(a, b, c, d, e, f, g, h, x, n):
        i = 0
        while i < n:
            a, b, c, d, e, f, g, h = b, c, d, e, f, g, h, a + i
            x = x + (a - b) * 0.5 + c * d - e * f * 0.25 + g - h
            i = i + 1
        return a, b, c, d, e, f, g, h, x

    return run


def alternating():
    """A loop whose body calls itself in two ways."""

    def up(x, y, n):
        if n <= 0:
            return x, y
        if n % 3 == 0:
            return down(y, x + 1.0, n - 1)
        return up(x + y, y * 0.5, n - 1)

    def down(y, x, n):
        if n <= 0:
            return y, x
        return up(y - x, x, n - 2)

    return up


@pytest.mark.parametrize("n", (0, 1, 2, 3, 11))
@pytest.mark.parametrize(
    ("make", "args"),
    [
        (rotating, (1, 2, 3, 0.5, -1.5, 2.25, True, False)),
        (crowded, (1, 2, 3, 4, 5, 6, 7, 8, 0.5)),
        (alternating, (0.5, 2.0)),
    ],
)
def test_numbers_that_change_places(make, args, n):
    for f, w in zip(agreed(make, *args, n), make()(*args, n), strict=True):
        np.testing.assert_array_equal(f, w)


def test_float32_numbers_that_change_places():
    def make():
        def run(a, b, c, n):
            i = 0
            while i < n:
                a, b, c = b, c * 0.5 + a, a - b * i
                i = i + 1
            return a, b, c

        return run

    args = [np.float32(v) for v in (0.1, -2.7, 3.3)]
    a, b, c = args
    for i in range(9):
        a, b, c = b, c * np.float32(0.5) + a, a - b * np.float32(i)
    assert [v.item() for v in agreed(make, *map(Tensor, args), 9)] == [a, b, c]


def overflowing():
    def run(n):
        x = 3
        while n > 0:
            x = x * x
            n = n - 1
        return x

    return run


def dividing():
    def run(n):
        x = 0.0
        while n > -2:
            x = x + 1.0 / n
            n = n - 1
        return x

    return run


def reading():
    def run(x, n):
        i = 0
        s = x[0] * 0.0
        while i < n:
            s = s + x[i] * x[-i]
            i = i + 1
        return s

    return run


def endless():
    def run(n):
        if n == -1:
            return 0
        return run(n + 1) + 1

    return run


@pytest.mark.parametrize(
    ("make", "args", "kind", "text"),
    [
        (overflowing, (10,), OverflowError, "64 bits"),
        (dividing, (4,), ZeroDivisionError, "division by zero"),
        (divided, (3, 0, 2), ZeroDivisionError, "by zero"),
        (divided, (-(2**63), -1, 1), OverflowError, "64 bits"),
        (reading, (Tensor(np.arange(5.0)), 7), IndexError, "out of range"),
        (endless, (0,), MemoryError, "recursion is too deep"),
    ],
)
def test_errors_are_the_interpreters(make, args, kind, text):
    interpreted, compiled = outcomes(make, *args)
    assert interpreted == compiled
    assert issubclass(compiled[0], kind) and text in compiled[1]
    assert "test_machine_code.py" in compiled[1]


def test_elements():
    x = np.arange(1.0, 6.0)
    (found,) = agreed(reading, Tensor(x), 5)
    assert found == x[0] * x[0] + sum(x[i] * x[-i] for i in range(1, 5))


def turning(dtype):
    """A point on an orbit, of the elements of small tensors."""

    def make():
        def run(x, v, h, n):
            kept = ops.concat((x, v))
            for i in range(n):
                r = ops.sqrt((x * x).sum())
                a = -x / (r * r * r)
                v = v + a * h
                x = x + v * h
                turned = ops.stack((x[1], -x[0]))
                kept = ops.select(kept > 0.1, kept, ops.concat((turned, v)) * 0.5)
                if x[1] < 0.0 and i % 7 == 3:
                    kept = kept.reshape(2, 2).T.reshape(4) + turned.sum()
            return x, v, kept

        return run

    def numpy(x, v, h, n):
        kept = np.concatenate((x, v))
        for i in range(n):
            r = np.sqrt((x * x).sum())
            v = v + -x / (r * r * r) * h
            x = x + v * h
            turned = np.stack((x[1], -x[0]))
            kept = np.where(kept > 0.1, kept, np.concatenate((turned, v)) * dtype(0.5))
            if x[1] < 0.0 and i % 7 == 3:
                kept = kept.reshape(2, 2).T.reshape(4) + turned.sum()
        return x, v, kept

    return make, numpy


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
def test_small_tensors_are_numpys(dtype):
    make, numpy = turning(dtype)
    args = np.array([1.0, 0.1], dtype), np.array([-0.2, 0.9], dtype), dtype(0.01)
    wanted = numpy(*args, 500)
    found = agreed(make, *map(Tensor, args), 500)
    for f, w in zip(found, wanted, strict=True):
        np.testing.assert_allclose(f, w, rtol=2e-3 if dtype is np.float32 else 1e-12)


def test_gradients_of_small_tensors():
    make, numpy = turning(np.float64)
    x, v, h = np.array([1.0, 0.1]), np.array([-0.2, 0.9]), np.float64(0.01)

    def gradient():
        run = make()
        return ms.grad(lambda x, v, h, n: run(x, v, h, n)[0].sum(), (0, 1, 2))

    found = agreed(gradient, Tensor(x), Tensor(v), Tensor(h), 60)
    for k, value in enumerate((x, v, h)):
        for e in range(value.size):
            ends = []
            for by in (1e-6, -1e-6):
                args = [x.copy(), v.copy(), np.array(h)]
                args[k].reshape(-1)[e] += by
                ends.append(numpy(*args, 60)[0].sum())
            np.testing.assert_allclose(
                found[k].reshape(-1)[e], (ends[0] - ends[1]) / 2e-6, rtol=1e-7
            )


def shared():
    """Tensors that several places hold while functions call each other."""

    def even(n, a, b):
        if n == 0:
            return a, b, a
        return odd(n - 1, b, b + a)

    def odd(n, a, b):
        if n == 0:
            return b, a, b
        first, second, third = even(n - 1, a * 0.5, a)
        return first + b, second, third - a

    return even


@pytest.mark.parametrize("size", (2, 3, 100))
@pytest.mark.parametrize("n", (0, 1, 2, 7))
def test_tensors_that_are_shared(size, n):
    a, b = np.linspace(0.0, 1.0, size), np.linspace(2.0, -1.0, size)
    found = agreed(shared, n, Tensor(a), Tensor(b))
    for f, w in zip(found, shared()(n, a, b), strict=True):
        np.testing.assert_array_equal(f, w)


def aliased():
    """A tensor that changes, with another name for what it was."""

    def run(x, n):
        first, before, i = x, x, 0
        while i < n:
            before = x if i % 3 == 0 else before
            x = x * 0.5 + before
            x = -x + 0.25
            i = i + 1
        return first, before, x

    return run


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("n", (0, 1, 2, 9))
def test_results_in_the_place_of_an_operand(dtype, n):
    x = np.array([0.1, -2.7, 3.3], dtype)
    given = Tensor(x)
    for f, w in zip(agreed(aliased, given, n), aliased()(x, n), strict=True):
        np.testing.assert_array_equal(f, w)
    np.testing.assert_array_equal(given.asnumpy(), x)


DIVIDENDS = 0, 1, -1, 5, 6, -6, -7, 2**31, -(2**40), 2**63 - 9, -(2**63), 10**18 + 3, -(10**18)


@pytest.mark.parametrize("divisor", [2, 3, 5, 7, 10, 64, 641, 2**30, 2**31 - 1, 1, -3, 2**40])
def test_known_divisors(divisor):
    def make():
        def divided(x, n):
            quotient = rest = 0
            for _ in range(n):
                quotient, rest = x // divisor, x % divisor
                x = x + 1
            return quotient, rest

        return divided

    for x in DIVIDENDS:
        found = agreed(make, x, 8)
        assert [int(v) for v in found] == [(x + 7) // divisor, (x + 7) % divisor]


def chosen():
    def choose(n, x):
        total, low, high, flag = 0, 0.0, x, False
        for i in range(n):
            if i % 3 == 0:
                total = total + i // 2
            if low < high:
                low, high = high * 0.5, low + 1.0
            else:
                low = low - 2.0
            if flag:
                flag = total > 40
            else:
                flag, total = high < low, total - 1
        return total, low, high, flag

    return choose


def chosen_in_python(n, x):
    total, low, high, flag = 0, 0.0, x, False
    for i in range(n):
        if i % 3 == 0:
            total = total + i // 2
        if low < high:
            low, high = high * 0.5, low + 1.0
        else:
            low = low - 2.0
        if flag:
            flag = total > 40
        else:
            flag, total = high < low, total - 1
    return total, low, high, flag


@pytest.mark.parametrize("n", [0, 1, 7, 100])
def test_short_branches(n):
    found = [v.item() for v in agreed(chosen, n, 3.0)]
    assert found == [*chosen_in_python(n, 3.0)]


def test_a_short_branch_that_swaps():
    def make():
        def swapped(n):
            a, b = 1, 2
            for i in range(n):
                if i % 2 == 0:
                    a, b = b, a
                else:
                    a, b = a + b, a - b
            return a, b

        return swapped

    a, b = 1, 2
    for i in range(9):
        a, b = (b, a) if i % 2 == 0 else (a + b, a - b)
    assert [v.item() for v in agreed(make, 9)] == [a, b]


def test_a_short_branch_leaves_what_is_rare_to_the_interpreter():
    def make():
        def grown(n, x):
            for i in range(n):
                if i > 2:
                    x = x + x
            return x

        return grown

    assert agreed(make, 5, 3)[0] == 12
    interpreted, compiled = outcomes(make, 80, 3)
    assert interpreted == compiled and issubclass(compiled[0], Exception)

"""Strings that hold run-time values: as CPython makes them, when the program prints, raises or
returns.
"""

import numpy as np
import pytest
from agreement import agree

import minds as ms
from minds import Parameter, Tensor, nn, ops

X = Tensor([1.5, -2.0])


def outcome(fn, *args):
    """What ``fn`` gives, or the kind and the first line of what it raises."""
    try:
        return fn(*args)
    except Exception as e:
        kind = next(k for k in type(e).__mro__ if k.__module__ == "builtins")
        return kind.__name__, str(e).split("\n")[0]


def fails_alike(fn, *args):
    """Compiled, ``fn`` gives or raises what it does in CPython; returns that."""
    expected = outcome(fn, *args)
    assert outcome(ms.jit(fn), *args) == expected
    return expected


def returned(x, n):
    s = "x is " + str(x) + f" and {n:>4}"
    return (
        s,
        "%s-%d" % (x, n),
        "{0} {k!r}".format(x, k=n),
        ", ".join([str(n), "z"]),
        f"{[n, 1]} {n * 0.5:.2f}",
    )


def test_returned_and_joined():
    assert agree(returned, X, 7) == (
        "x is [ 1.5 -2. ] and    7",
        "[ 1.5 -2. ]-7",
        "[ 1.5 -2. ] 7",
        "7, z",
        "[7, 1] 3.50",
    )


def test_printed_in_order(capsys):
    @ms.jit
    def f(x, n):
        print(f"n = {n}", [n, x.shape], {"n": n}, sep="; ")
        print(f"twice = {n * 2}", end=".\n")
        return x

    f(X, 3)
    assert capsys.readouterr().out == "n = 3; [3, (2,)]; {'n': 3}\ntwice = 6.\n"


def test_a_parameter_is_shown_as_it_is_then(capsys):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(2.0), name="w")

        def construct(self, x):
            before = f"{self.w.value()}"
            self.w += x
            return before + f" then {self.w.value()}"

    ms.set_context(mode=ms.GRAPH_MODE)
    net = Net()
    assert net(Tensor(3.0)) == "2.0 then 5.0" and net(Tensor(1.0)) == "5.0 then 6.0"


def sign(x):
    if x > 0:
        raise ValueError(f"positive: {x}")
    elif x < 0:
        raise TypeError("negative", x)
    return x


def either(x):
    if x > 0:
        raise ValueError(f"positive: {x}")
    raise IndexError("not positive")


def calls(x, y):
    if y > 0:
        return x * 2.0
    either(x)
    return x


def asserts(x):
    assert x < 1.0, f"{x} is not below one"
    return x


def recursive(n):
    if n < 0:
        raise ValueError(f"n is {n}")
    return 1 if n == 0 else n * recursive(n - 1)


def half(x):
    if x > 0:
        return x
    raise ValueError("not positive: %s" % x)


def in_expression(x, y):
    return (x * 2 if y > 0 else half(x)) + 1


@pytest.mark.parametrize(
    "fn, inputs",
    [
        (sign, [(1.5,), (-1.5,), (0.0,)]),
        (either, [(1.5,), (-1.5,)]),
        (calls, [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)]),
        (asserts, [(0.5,), (1.5,)]),
        (recursive, [(5,), (-3,)]),
        (in_expression, [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)]),
    ],
)
def test_raised(fn, inputs):
    seen = [fails_alike(fn, *args) for args in inputs]
    assert any(isinstance(s, tuple) for s in seen)


def test_a_cell_that_always_raises_among_others():
    class Raises(nn.Cell):
        def construct(self, x):
            raise ValueError(f"chosen with {x}")

    cells = nn.CellList([nn.ReLU(), Raises()])
    f = ms.jit(lambda i, x: cells[i](x))
    np.testing.assert_array_equal(f(Tensor(0), X).asnumpy(), [1.5, 0.0])
    with pytest.raises(ValueError, match=r"chosen with \[ 1.5 -2. \]"):
        f(Tensor(1), X)


def test_gradient_of_a_program_that_may_raise():
    def loss(x):
        if ops.sum(x) > 100:
            raise ValueError(f"too large: {ops.sum(x)}")
        return ops.sum(x * x)

    gradient = ms.jit(ms.grad(loss))
    np.testing.assert_array_equal(gradient(X).asnumpy(), [3.0, -4.0])
    with pytest.raises(ValueError, match="too large: 200"):
        gradient(Tensor([100.0, 100.0]))


@pytest.mark.parametrize(
    "use",
    [
        lambda s: len(s),
        lambda s: s == "a",
        lambda s: s[0],
        lambda s: {s: 1},
        lambda s: [c for c in s],
        lambda s: 1 if s else 2,
        lambda s: s.upper(),
    ],
)
def test_a_use_that_needs_the_string_now_is_refused(use):
    with pytest.raises(TypeError, match="not known when the program is compiled|must be known"):
        ms.jit(lambda x: use(f"{x}"))(X)

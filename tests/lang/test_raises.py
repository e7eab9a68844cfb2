"""What raises on a path that data choose raises there, with CPython's exception; other paths have
their values and gradients. What raises whatever the data is an error while compiling.
"""

import inspect

import programs_contexts
import programs_raises
import programs_try
import pytest
from agreement import Sums, assert_same

import minds as ms
from minds import Tensor, ops

X = Tensor([0.5, -1.25, 2.0])
NUMBERS = (0, 1, 2, 3, 5)
PROGRAMS = {
    name: fn
    for module in (programs_contexts, programs_raises, programs_try)
    for name, fn in vars(module).items()
    if inspect.isfunction(fn)
    and list(inspect.signature(fn).parameters) == ["x", "n"]
    and name[0] != "_"
}


def outcome(fn, *args):
    """The class of what ``fn`` raises by name, or its value."""
    try:
        return fn(*args)
    except Exception as e:
        return f"raises {type(e).__name__}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_agrees(name):
    fn = PROGRAMS[name]

    def loss(x, n):
        y = fn(x, n)
        return ((y[0] if isinstance(y, tuple) else y) * 0.5).sum()

    def gradient(x, n):
        return ms.value_and_grad(loss)(x, n)

    for eager in (fn, gradient):
        compiled = ms.jit(eager)
        for n in NUMBERS:
            with Sums() as sums:
                expected = outcome(eager, X, n)
            assert_same(outcome(compiled, X, n), expected, sums)


@ms.jit
def _far(x, n):
    xs = [x, x]
    if n > 2:
        x = xs[7]
    return x


def test_message_has_the_place():
    assert (_far(X, 1) == X).all()
    for _ in range(2):
        with pytest.raises(
            IndexError, match=r"(?s)7 is out of range.*test_raises.*x = xs\[7\]\n.*\^"
        ):
            _far(X, 3)


@pytest.mark.parametrize(
    "wrong, kind",
    [
        (lambda x, n: [x][3] * n, IndexError),
        (lambda x, n: {}["a"] * n, KeyError),
        (lambda x, n: x.reshape(7) * n, ValueError),
        (lambda x, n: ms.grad(lambda v: v.reshape(7).sum())(x) * n, ValueError),
        (lambda x, n: [x.reshape(7 + 0 * i) for i in range(3)], ValueError),
    ],
)
def test_certain_errors_are_found_while_compiling(wrong, kind):
    ran = []
    log = ms.host(lambda n: ran.append(n), out=None)

    def program(x, n):
        log(n)
        return wrong(x, n)

    with pytest.raises(kind):
        ms.jit(program)(X, 3)
    assert not ran


def test_refusals_stay_errors_while_compiling():
    def different(x, n):
        if n > 2:
            y = (x, x) if n > 3 else x
            return y * 2.0
        return x

    with pytest.raises(TypeError, match="Cannot join"):
        ms.jit(different)(X, Tensor(0))

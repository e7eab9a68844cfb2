"""`ms.jit(fallback=True)`: what cannot be compiled runs eagerly, with a warning that names the line."""

import warnings

import numpy as np
import pytest

import minds as ms
from minds import Tensor

X = Tensor([1.0, -2.0])


def warned(fn, *args):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = fn(*args)
    return result, found


def test_falls_back_with_one_warning():
    @ms.jit(fallback=True)
    def f(x):
        with open("/dev/null") as file:
            return x * 2.0, file.name

    (y, name), found = warned(f, X)
    assert y.asnumpy().tolist() == [2.0, -4.0] and name == "/dev/null"
    (one,) = found
    assert one.category is RuntimeWarning and one.filename == __file__
    assert "f runs eagerly" in str(one.message) and "'with' is not supported" in str(one.message)
    with open(__file__) as file:
        assert "with open(" in file.read().split("\n")[one.lineno - 1]
    assert not warned(f, X)[1] and not warned(f, Tensor([1.0]))[1]


def test_once_for_each_place():
    def make():
        async def never():
            return 1

        return ms.jit(lambda x: (x, np.unique(x.asnumpy()).sum().item()), fallback=True)

    assert len(warned(make(), X)[1]) == 1
    assert len(warned(make(), X)[1]) == 0


def test_what_is_wrong_in_any_mode_is_raised():
    @ms.jit(fallback=True)
    def f(x):
        return x.asnumpy() @ [[1.0]]

    with pytest.raises(ValueError, match="matmul"), warnings.catch_warnings():
        warnings.simplefilter("error")
        f(X)


def test_what_compiles_is_compiled():
    @ms.jit(fallback=True)
    def f(x, n):
        return x * n

    assert not warned(f, X, 2)[1] and len(ms.recompiles(f)) == 1


def test_gradients_of_what_falls_back():
    @ms.jit(fallback=True)
    def f(x):
        scale = float(np.unique(x.asnumpy())[-1])
        return (x * x * scale).sum()

    grad, found = warned(ms.grad(f), X)
    assert grad.asnumpy().tolist() == [2.0, -4.0] and not found


def test_without_fallback_it_is_an_error():
    @ms.jit
    def f(x):
        return np.unique(x.asnumpy())

    with pytest.raises(Exception, match="numpy.unique"):
        f(X)

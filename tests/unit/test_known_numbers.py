"""What library code asks of numbers of the run is answered, or the number becomes known; it is never
taken for another one.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops
from minds.base.errors import CompileTimeError
from minds.ir.abstract import AbstractScalar
from minds.ir.node import Constant, Param

X = Tensor(np.arange(6.0).reshape(2, 3).astype(np.float32))


@pytest.mark.parametrize("k", [-1, 0, 1, 2, 3, 6])
def test_a_number_among_the_arguments_that_the_library_compares(k):
    found = ms.jit(lambda x, k: ops.rot90(x, k, (0, 1)))(X, k)
    np.testing.assert_array_equal(found.asnumpy(), np.rot90(X.asnumpy(), k))


@pytest.mark.parametrize("p", [0, 1, 2, 3])
def test_orders_of_norms(p):
    compiled = ms.jit(lambda x, p: ops.cdist(x, x + 1, float(p)))
    np.testing.assert_allclose(
        compiled(X, p).asnumpy(), ops.cdist(X, X + 1, float(p)).asnumpy(), rtol=1e-6
    )


def test_a_factor_stays_a_number_of_the_run():
    f = ms.jit(lambda x, a: ops.subtract(x, x + 1, alpha=a))
    for a in (2, 1, 3, 4):
        np.testing.assert_array_equal(f(X, a).asnumpy(), X.asnumpy() - a * (X.asnumpy() + 1))
    assert [c.reason for c in ms.recompiles(f)] == ["the first call"]


def test_nodes_are_equal_to_themselves():
    a, b = (Param(n, AbstractScalar(int), None) for n in "ab")
    assert a == a and a != b and a in [b, a] and len({a, b}) == 2 and a != "a" and a is not None
    for number in (1, 2.0, True):
        with pytest.raises(CompileTimeError, match=f"is {number}"):
            assert a != number
    assert Constant(1) != Constant(1)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_numbers_that_both_modes_refuse_alike(mode):
    ms.set_context(mode=mode)
    try:
        w = ms.Parameter(X, name="w")
        for error, call in (
            (OverflowError, lambda x: ops.relu(-(2**70))),
            (ValueError, lambda x: ops.functional.scalar_floordiv(1, 0)),
            (ValueError, lambda x: ops.assign(w, 1)),
            (TypeError, lambda x: ops.broadcast_gradient_args((), x)),
            (ValueError, lambda x: ops.fractional_max_pool2d(x, 2, output_size=10**9)),
            (TypeError, lambda x: ops.fractional_max_pool2d(x, 2, output_size=(1, 1, 1))),
        ):
            with pytest.raises(error):
                (ms.jit(call) if mode == ms.GRAPH_MODE else call)(X)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)

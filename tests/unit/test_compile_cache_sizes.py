"""Programs on disk that are for many sizes: those of an open dimension, and declared shapes."""

import numpy as np
import pytest
from cached_programs import modules, places, text

from minds import Tensor

OPEN = text("""
    @ms.jit(input_signature=(Tensor(shape=[None, 3], dtype=ms.float32),))
    def f(x):
        return x * x.shape[0] + K[0]

    K = [2.0]
""")


def test_sizes_of_an_open_dimension_that_were_met(places, modules):
    def run(module, n):
        return module.f(Tensor(np.ones((n, 3), np.float32))).asnumpy()

    first = modules(program=OPEN)
    for n in (2, 5):
        np.testing.assert_array_equal(run(first, n), np.full((n, 3), n + 2.0, np.float32))
    assert (places.hits, places.kept) == (0, 2)
    again = modules(program=OPEN)
    for n in (5, 2, 7):
        np.testing.assert_array_equal(run(again, n), np.full((n, 3), n + 2.0, np.float32))
    assert (places.hits, places.kept) == (2, 3)
    again.K[0] = 3.0
    np.testing.assert_array_equal(run(again, 5), np.full((5, 3), 8.0, np.float32))


def test_a_declared_shape_holds_for_what_is_found(places, modules):
    plain = OPEN.replace("(Tensor(shape=[None, 3], dtype=ms.float32),)", "None")
    declared = OPEN.replace("None, 3", "4, None")
    x = Tensor(np.ones((2, 3), np.float32))
    modules(program=plain).f(x)
    with pytest.raises(ValueError):
        modules(program=declared).f(x)

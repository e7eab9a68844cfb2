"""docs/walk.md shows what minds prints, and what it claims holds."""
import numpy as np
import walk

import minds as ms


def test_listings_are_what_minds_prints():
    page = walk.read()
    assert walk.filled(page) == page


def test_the_printed_gradient_runs_and_is_right():
    names = walk.run_source(walk.read())
    x = ms.Tensor([1.0, 2.0])
    compiled, eager = ms.jit(names["slope"])(x, 1.0), names["slope"](x, 1.0)
    np.testing.assert_array_equal(compiled.asnumpy(), eager.asnumpy())
    # x is halved twice before its sum is at most 1: the result is sum((x/4)²), its gradient x/8.
    np.testing.assert_array_equal(compiled.asnumpy(), x.asnumpy() / 8)
    got = names["stages"]["tidy"].function()(x, 1.0)
    np.testing.assert_array_equal(got[0].asnumpy() if isinstance(got, tuple) else got.asnumpy(), compiled.asnumpy())

"""`minds.numpy.fft` against NumPy's and SciPy's transforms, compiled and not."""

import numpy as np
import pytest
import scipy.fft

import minds as ms
from minds.numpy import fft

X = np.random.default_rng(0).normal(size=(4, 6))
OPTIONS = [{}, {"norm": "ortho"}, {"norm": "forward"}]


@pytest.mark.parametrize("name", [n for n in fft.__all__ if "freq" not in n and "shift" not in n])
def test_transforms(name):
    one = name in fft._MAKERS[fft._one].split()
    for options in [*OPTIONS, {"n": 5, "axis": 0} if one else {"s": (3, 8)}]:
        want = getattr(scipy.fft, name)(X, **options)

        def transformed(x, options=options):
            return getattr(fft, name)(x, **options)

        for call in (transformed, ms.jit(transformed)):
            np.testing.assert_allclose(call(ms.Tensor(X)).asnumpy(), want, rtol=1e-4, atol=1e-5)


def test_shifts_and_frequencies():
    for name in ("fftshift", "ifftshift"):
        for axes in (None, 0, (0, 1)):
            got = getattr(fft, name)(ms.Tensor(X), axes)
            np.testing.assert_allclose(got.asnumpy(), getattr(np.fft, name)(X, axes))
    for name in ("fftfreq", "rfftfreq"):
        for n, d in ((7, 1.0), (8, 0.5)):
            got = getattr(fft, name)(n, d)
            np.testing.assert_allclose(got.asnumpy(), getattr(np.fft, name)(n, d), rtol=1e-6)

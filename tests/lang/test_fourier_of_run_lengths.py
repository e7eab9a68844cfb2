"""Fourier transforms whose length is a number of the run, with gradients; references: NumPy, torch's
formula by the adjoint.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops


class Transform(nn.Cell):
    def __init__(self, name):
        super().__init__()
        self.transform = getattr(ops, name)

    def construct(self, x, n, dim):
        return self.transform(x, n, dim)


class Slope(nn.Cell):
    def __init__(self, net, sens):
        super().__init__()
        self.net, self.sens = net, sens
        self.grad = ops.GradOperation(sens_param=True)

    def construct(self, x, n, dim):
        return self.grad(self.net)(x, n, dim, self.sens)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("length", [2, 3, 5])
@pytest.mark.parametrize("name", ["fft", "rfft", "hfft"])
def test_length_of_the_run(mode, name, length):
    x = np.random.default_rng(1).normal(size=(3, 2)).astype(np.float32)
    reference = getattr(np.fft, name)
    expected = reference(x, length, 0)
    sens = np.ones(expected.shape, np.complex64 if np.iscomplexobj(expected) else np.float32)
    ms.set_context(mode=mode)
    net, slope = Transform(name), Slope(Transform(name), Tensor(sens))
    for cell in (net, slope):
        cell.set_inputs(
            Tensor(shape=[None, None], dtype=ms.float32), ms.mutable(length), ms.mutable(0)
        )
    found = net(Tensor(x), ms.mutable(length), ms.mutable(0)).asnumpy()
    gradient = slope(Tensor(x), ms.mutable(length), ms.mutable(0)).asnumpy()
    ms.set_context(mode=ms.PYNATIVE_MODE)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    # The gradient of a linear map, by unit vectors.
    units = np.eye(x.size, dtype=np.float32).reshape(-1, *x.shape)
    adjoint = [np.real(np.sum(np.conj(reference(u, length, 0)) * sens)) for u in units]
    np.testing.assert_allclose(gradient.ravel(), adjoint, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("value", [1, 2.5, True, "s", None])
def test_rank_of_what_is_no_tensor(value):
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        with pytest.raises(TypeError):
            Rank()(value)
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Rank(nn.Cell):
    def construct(self, x):
        return ops.Rank()(x)

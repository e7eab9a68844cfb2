"""What libraries compute of matrices and signals where a device has them, as the CPU does: batches, sizes,
broadcasting, dtypes, errors, gradients.
"""

import numpy as np
import pytest
from placed import MODES, assert_same, on, outcome

import minds as ms
from minds import Tensor, ops

RNG = np.random.default_rng(5)


def matrices(*shape, dtype="float32"):
    x = RNG.standard_normal(shape)
    if dtype.startswith("complex"):
        x = x + 1j * RNG.standard_normal(shape)
    return (x + 2 * np.eye(shape[-2], shape[-1])).astype(dtype)


def definite(*shape):
    x = matrices(*shape)
    return x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1], dtype="float32")


def same(fn, *arrays, device: str, mode: str):
    called = ms.jit(lambda *xs: fn(*xs)) if mode == "graph" else fn
    assert_same(lambda: called(*map(Tensor, arrays)), device, places=False, least=1.0)


SOLVED = {
    "cholesky": (ops.cholesky, definite(2, 3, 3)),
    "upper": (lambda x: ops.cholesky(x, upper=True), definite(4, 4)),
    "inverse": (ops.inverse, matrices(2, 2, 3, 3)),
    "inverse of complex": (ops.inverse, matrices(2, 3, 3, dtype="complex64")),
    "det": (ops.det, matrices(5, 3, 3, dtype="float64")),
    "det of complex": (ops.det, matrices(3, 3, dtype="complex128")),
    "det of none": (ops.det, np.zeros((2, 0, 0), "float32")),
    "slogdet": (ops.slogdet, matrices(3, 4, 4)),
    "slogdet of a singular matrix": (ops.slogdet, np.ones((2, 2), "float32")),
    "qr of tall": (lambda x: ops.qr(x), matrices(2, 5, 3)),
    "qr of wide": (lambda x: ops.qr(x), matrices(3, 5, dtype="float64")),
    "inverse of none": (ops.inverse, np.zeros((0, 3, 3), "float32")),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SOLVED)
def test_factors(name, mode, device):
    fn, x = SOLVED[name]
    same(fn, x, device=device, mode=mode)


@pytest.mark.parametrize(
    "a,b", [((3, 3), (3, 2)), ((2, 1, 3, 3), (4, 3, 1)), ((2, 3, 3), (2, 3, 4))]
)
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_solutions(a, b, dtype, device):
    arrays = matrices(*a, dtype=dtype), matrices(*b, dtype=dtype)
    same(ops.matrix_solve, *arrays, device=device, mode="eager")


UNSOLVED = {
    "inverse": (ops.inverse, "inverse: a matrix is not invertible"),
    "cholesky": (ops.cholesky, "cholesky: a matrix is not positive definite"),
    "solve": (lambda x: ops.matrix_solve(x, x), "solve: a matrix is not invertible"),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", UNSOLVED)
def test_what_has_no_answer_is_an_error(name, mode, device):
    fn, message = UNSOLVED[name]
    called = ms.jit(lambda x: fn(x)) if mode == "graph" else fn
    for place in ("CPU", device):
        with on(place, ms.PYNATIVE_MODE):
            kind, text = outcome(lambda: called(Tensor(np.zeros((2, 2, 2), "float32"))))
        assert kind == "ValueError" and message in text.partition("\n")[0]


@pytest.mark.parametrize("mode", MODES)
def test_a_gradient(mode, device):
    def loss(x):
        return ops.slogdet(x)[1] + ops.cholesky(x).sum() + (ops.inverse(x) * x).sum()

    same(lambda x: ms.grad(loss)(x), definite(3, 3), device=device, mode=mode)


FOURIER = {
    "rows": lambda x: ops.fft(x),
    "cut": lambda x: ops.fft(x, 3),
    "padded, another axis": lambda x: ops.fft(x, 7, 0, "ortho"),
    "back": lambda x: ops.ifft(x, norm="forward"),
    "real": lambda x: ops.irfft(ops.rfft(x)),
    "of two axes": lambda x: ops.fft2(x),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", FOURIER)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "complex64"])
def test_transforms(name, dtype, mode, device):
    x = RNG.standard_normal((4, 5)) * 4
    x = (x + 1j).astype(dtype) if dtype == "complex64" else x.astype(dtype)
    fn = FOURIER[name]
    if name == "real" and dtype == "complex64":
        fn = FOURIER["rows"]
    same(fn, x, device=device, mode=mode)

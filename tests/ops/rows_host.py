"""Rows of ops that the host computes: matrices, complex numbers, special functions, running
extremes.
"""

import numpy as np
from rows import DOUBLES, INTS, Row, integers, normal, several, uniform
from scipy import special

from minds.ops import P

SQUARE = several(lambda rng: rng.standard_normal((2, 3, 3)) + 3 * np.eye(3))
TALL = several(lambda rng: rng.standard_normal((2, 4, 3)) + 2 * np.eye(4, 3))


def _definite(x):
    """Symmetric positive definite matrices of any; the row differentiates through this too."""
    return P.matmul(x, x, False, True) + 3.0 * P.eye(3, 3, x.dtype)


def _definite_array(x):
    return x @ np.swapaxes(x, -1, -2) + 3 * np.eye(3)


def _parts(z):
    return z.real, z.imag


def _both(z):
    return P.real(z), P.imag(z)


def _searched(a, v):
    return np.stack([np.searchsorted(r, w, "right") for r, w in zip(a, v, strict=True)])


BESSEL = {
    name: (getattr(special, name), *bounds)
    for name, bounds in {
        "i0": (0.5, 3),
        "i0e": (0.5, 3),
        "i1": (0.5, 3),
        "i1e": (0.5, 3),
        "j0": (0.5, 3),
        "j1": (0.5, 3),
        "k0": (0.5, 3),
        "k0e": (0.5, 3),
        "k1": (0.5, 3),
        "k1e": (0.5, 3),
        "y0": (0.5, 3),
        "y1": (0.5, 3),
    }.items()
}


def _from_eigenvectors(values, v):
    return P.matmul(v * P.reshape(values, (2, 1, 3)), P.inverse(v))


ROWS = [
    Row("inverse", SQUARE, np.linalg.inv, dtypes=DOUBLES, slack=64),
    Row("det", SQUARE, np.linalg.det, dtypes=DOUBLES, slack=64),
    Row("slogdet", SQUARE, np.linalg.slogdet, dtypes=DOUBLES, slack=64),
    Row(
        "cholesky",
        several(normal(2, 3, 3)),
        lambda x: np.linalg.cholesky(_definite_array(x)),
        call=lambda x: P.cholesky(_definite(x)),
        dtypes=DOUBLES,
        slack=64,
    ),
    Row(
        "cholesky",
        several(normal(3, 3)),
        lambda x: np.linalg.cholesky(_definite_array(x)).T,
        call=lambda x: P.cholesky(_definite(x), True),
        dtypes=DOUBLES,
        slack=64,
        note="upper",
    ),
    Row(
        "solve",
        lambda rng: [*SQUARE(rng), rng.standard_normal((3, 2))],
        lambda a, b: np.linalg.solve(a, np.broadcast_to(b, (2, 3, 2))),
        dtypes=DOUBLES,
        slack=64,
    ),
    Row(
        "qr",
        TALL,
        lambda x: tuple(np.stack(m) for m in zip(*map(np.linalg.qr, x), strict=True)),
        dtypes=DOUBLES,
        slack=64,
    ),
    Row(
        "svd",
        TALL,
        lambda x: (np.linalg.svd(x)[1], x),
        dtypes=DOUBLES,
        slack=64,
        call=lambda x: (lambda s, u, v: (s, P.matmul(u * P.reshape(s, (2, 1, 3)), v, False, True)))(
            *P.svd(x)
        ),
    ),
    Row(
        "eigvals",
        several(normal(3, 3)),
        lambda x: (np.linalg.eigvals(x) ** 3).sum().real,
        call=lambda x: P.real(P.sum(P.pow(P.eigvals(x), 3))),
        dtypes=DOUBLES,
        slack=64,
    ),
    Row(
        "eig",
        several(normal(2, 3, 3)),
        lambda x: _parts(x.astype(complex)),
        call=lambda x: _both(_from_eigenvectors(*P.eig(x))),
        dtypes=DOUBLES,
        slack=512,
    ),
    Row(
        "real",
        several(normal(3), normal(3)),
        lambda x, y: x,
        call=lambda x, y: P.real(P.complex(x, y)),
        dtypes=DOUBLES,
    ),
    Row(
        "imag",
        several(normal(3), normal(3)),
        lambda x, y: y,
        call=lambda x, y: P.imag(P.complex(x, y)),
        dtypes=DOUBLES,
    ),
    Row(
        "conj",
        several(normal(3), normal(3)),
        lambda x, y: (x, -y),
        dtypes=DOUBLES,
        call=lambda x, y: _both(P.conj(P.complex(x, y))),
    ),
    Row(
        "complex",
        several(normal(3), normal(3)),
        lambda x, y: _parts((x + 1j * y) ** 2 / (2 - 1j * y)),
        call=lambda x, y: (lambda z, w: _both(z * z / (2.0 - P.complex(w, y))))(
            P.complex(x, y), x * 0.0
        ),
        dtypes=DOUBLES,
        slack=16,
    ),
    Row(
        "dft",
        several(normal(2, 5)),
        lambda x: _parts(np.fft.fft(x, 4, 1)),
        dtypes=DOUBLES,
        slack=8,
        call=lambda x: _both(P.dft(x, 4, 1)),
    ),
    Row(
        "dft",
        several(normal(3, 2)),
        lambda x: _parts(np.fft.ifft(x, 5, 0, "ortho")),
        dtypes=DOUBLES,
        slack=8,
        call=lambda x: _both(P.dft(x, 5, 0, "ortho", True)),
        note="inverse",
    ),
    Row("erfinv", several(uniform(-0.9, 0.9, 4)), special.erfinv, dtypes=DOUBLES, slack=8),
    Row(
        "zeta",
        several(np.array([2.5, 3.0]), uniform(1, 3, 2)),
        special.zeta,
        dtypes=DOUBLES,
        grad=False,
        slack=8,
    ),
    Row(
        "zeta",
        several(uniform(1, 3, 2)),
        lambda q: special.zeta(2.0, q),
        dtypes=DOUBLES,
        slack=8,
        call=lambda q: P.zeta(2.0, q),
        note="other",
    ),
    Row(
        "igamma",
        several(uniform(1, 3, 3)),
        lambda x: special.gammainc(2.0, x),
        dtypes=DOUBLES,
        slack=8,
        call=lambda x: P.igamma(2.0, x),
    ),
    Row(
        "igammac",
        several(uniform(1, 3, 3)),
        lambda x: special.gammaincc(2.0, x),
        dtypes=DOUBLES,
        slack=8,
        call=lambda x: P.igammac(2.0, x),
    ),
    Row(
        "cummax",
        several(normal(3, 4)),
        lambda x: (
            np.maximum.accumulate(x, 1),
            np.array([[int(np.argmax(r[: i + 1])) for i in range(4)] for r in x]),
        ),
        call=lambda x: P.cummax(x, 1),
    ),
    Row(
        "cummin",
        several(normal(3, 4)),
        lambda x: (
            np.minimum.accumulate(x, 0),
            np.array([[int(np.argmin(c[: i + 1])) for c in x.T] for i in range(3)]),
        ),
        call=lambda x: P.cummin(x, 0),
    ),
    Row(
        "search",
        several(np.array([[1.0, 2.0, 2.0], [0.0, 1.0, 5.0]]), np.array([[2.0, 0.0], [5.0, 1.5]])),
        _searched,
        call=lambda a, v: P.search(a, v, True),
        grad=False,
        dtypes=DOUBLES,
    ),
    Row("gcd", several(integers(1, 40, 6), integers(1, 40, 6)), np.gcd, dtypes=INTS, grad=False),
    *[
        Row(f"bessel_{name}", several(uniform(low, high, 4)), f, dtypes=DOUBLES, slack=16)
        for name, (f, low, high) in BESSEL.items()
    ],
]

"""Fits the polynomials of csrc/cpu/kernels/coefficients.h: minimax in the function's relative error.

Lawson's iteration: weighted least squares on Chebyshev nodes, the weights growing where the error
is largest.
"""

import numpy as np
from scipy import special


def fit(name, target, weight, low, high, degree, basis=lambda x: x, float32=True):
    """Prints P, lowest coefficient first: ``target(x) ~ P(basis(x))``, the error times
    ``weight(x)`` minimal.
    """
    nodes = np.cos(np.pi * (np.arange(4000) + 0.5) / 4000)
    x = (low + high) / 2 + (high - low) / 2 * nodes
    t, v, w = target(x), basis(x), np.ones_like(x)
    best = (np.inf, None)
    for _ in range(400):
        scale = np.sqrt(w) * weight(x)
        c = np.polynomial.polynomial.polyfit(v, t, degree, w=scale)
        error = np.abs((np.polynomial.polynomial.polyval(v, c) - t) * weight(x))
        if error.max() < best[0]:
            best = (error.max(), c)
        w = w * error
        w /= w.sum()
    error, c = best
    digits = (lambda k: f"{np.float32(k):.9g}f") if float32 else (lambda k: f"{k:.17g}")
    print(f"// {name}: on [{low:.5g}, {high:.5g}], relative error {error:.1e}")
    print("{" + ", ".join(digits(k) for k in c) + "}")


def around_zero(f, x, order):
    """f(x) computed by ``order`` terms of a series near 0, where the closed form would cancel."""
    return sum(c * x**k for k, c in enumerate(f[:order]))


half_ln2 = np.log(2) / 2 * 1.001
factorial = special.factorial
fit(
    "exp: (e^r - 1 - r) / r^2",
    lambda r: around_zero(1 / factorial(np.arange(2, 24)), r, 22),
    lambda r: r**2 / np.exp(r),
    -half_ln2,
    half_ln2,
    4,
)
series = np.array([(-1) ** k / (k + 3) for k in range(200)])
low, high = np.sqrt(0.5) - 1, np.sqrt(2) - 1
fit(
    "log: (log(1 + f) - f + f^2/2) / f^3",
    lambda f: around_zero(series, f, 200),
    lambda f: np.abs(f**3 / np.log1p(f)),
    low,
    high,
    8,
)


def tanh_rest(x):
    small = np.abs(x) < 0.05
    y = np.where(small, 1.0, x)
    return np.where(
        small,
        -1 / 3 + x**2 * (2 / 15 - x**2 * (17 / 315 - x**2 * 62 / 2835)),
        (np.tanh(y) - y) / y**3,
    )


fit(
    "tanh: (tanh(x) - x) / x^3, in x^2",
    tanh_rest,
    lambda x: x**3 / np.tanh(x),
    1e-4,
    0.626,
    4,
    np.square,
)
fit(
    "erf: erf(x) / x - 1, in x^2",
    lambda x: special.erf(x) / x - 1,
    lambda x: x / special.erf(x),
    1e-4,
    0.93,
    6,
    np.square,
)
fit(
    "erf: log(erfc(x))",
    lambda x: special.log_ndtr(-x * np.sqrt(2)) + np.log(2),
    special.erfc,
    0.92,
    4.0,
    9,
)
quarter = np.pi / 4 * 1.001
sin_series = np.array([(-1) ** (k + 1) / factorial(2 * k + 3) for k in range(12)])
cos_series = np.array([(-1) ** k / factorial(2 * k + 4) for k in range(12)])
fit(
    "sin: (sin(r) - r) / r^3, in r^2",
    lambda r: around_zero(sin_series, r**2, 12),
    lambda r: r**3 / np.sin(r),
    1e-4,
    quarter,
    4,
    np.square,
    False,
)
fit(
    "cos: (cos(r) - 1 + r^2/2) / r^4, in r^2",
    lambda r: around_zero(cos_series, r**2, 12),
    lambda r: r**4 / np.cos(r),
    1e-4,
    quarter,
    4,
    np.square,
    False,
)

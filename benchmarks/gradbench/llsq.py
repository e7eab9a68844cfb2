"""`llsq`: the linear least squares fit of a polynomial to the sign function."""

import numpy as np

import minds as ms

from .evaluation import Evaluation, tensor


def primal(x, t):
    r""":math:`\frac12 \sum_i (\mathrm{sign}(t_i) - \sum_j x_j t_i^j)^2`, by Horner's rule."""
    polynomial = ms.ops.zeros_like(t)
    for j in range(x.shape[0]):
        polynomial = polynomial * t + x[-1 - j]
    residual = ms.ops.sign(t) - polynomial
    return (residual * residual).sum() * 0.5


def prepare(data: dict) -> tuple:
    """The coefficients, and the points in [-1, 1]."""
    return tensor(data["x"]), tensor(np.linspace(-1, 1, data["n"]))


FUNCTIONS = {
    "primal": Evaluation(prepare, ms.jit(primal)),
    "gradient": Evaluation(prepare, ms.jit(ms.grad(primal))),
}

"""`ode`: differential equations by Runge and Kutta's method; the steps are counted only at run
time.
"""

import minds as ms
from minds import ops

from .evaluation import Evaluation, tensor


def slope(x, y):
    """y₀' = x₀, yᵢ' = xᵢ yᵢ₋₁."""
    return ops.concat((x[:1], x[1:] * y[:-1]))


def primal(x, s):
    """y(2) after s steps from y(0) = 0."""
    h = 2.0 / s
    y = ops.zeros_like(x)
    for _ in range(s):
        k1 = slope(x, y)
        k2 = slope(x, y + k1 * (h / 2.0))
        k3 = slope(x, y + k2 * (h / 2.0))
        k4 = slope(x, y + k3 * h)
        y = y + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6.0)
    return y


def last(x, s):
    """The last element of the solution."""
    return primal(x, s)[-1]


def prepare(data: dict) -> tuple:
    """The coefficients and the number of steps."""
    return tensor(data["x"]), data["s"]


FUNCTIONS = {
    "primal": Evaluation(prepare, ms.jit(primal)),
    "gradient": Evaluation(prepare, ms.jit(ms.grad(last))),
}

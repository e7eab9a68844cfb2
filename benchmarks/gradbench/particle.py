"""`particle`: the control of an electric field that steers a charge through the origin.

The field is the gradient of a potential, the path is Euler's, the control is found by gradient
descent.
"""

import minds as ms
from minds import Tensor, ops

from .descent import GRADIENTS, argmin
from .evaluation import Evaluation, tensor

STEP = 0.1


def potential(x, charges):
    """Of unit charges at the rows of ``charges``."""
    total = (x * 0.0).sum()
    for i in range(charges.shape[0]):
        away = x - charges[i]
        total = total + 1.0 / ops.sqrt((away * away).sum())
    return total


def miss(w, gradient):
    """How far from the origin the path meets the axis, squared."""
    charges = ops.stack(
        (ops.concat((w * 0.0 + 10.0, 10.0 - w)), ops.concat((w * 0.0 + 10.0, w * 0.0)))
    )
    x, velocity = Tensor([0.0, 8.0], ms.float64), Tensor([0.75, 0.0], ms.float64)
    there = x + velocity * STEP
    while there[1] > 0.0:
        force = -gradient(lambda y: potential(y, charges))(x)
        x, velocity = there, velocity + force * STEP
        there = x + velocity * STEP
    left = -x[1] / velocity[1]
    at = x[0] + velocity[0] * left
    return at * at


def solver(outer: str, inner: str):
    """The program with the given modes, "f" or "r", of differentiation."""
    of_outer, of_inner = GRADIENTS[outer], GRADIENTS[inner]

    def solve(w):
        return argmin(lambda v: miss(v, of_inner), w, of_outer)[0]

    return ms.jit(solve)


FUNCTIONS = {
    modes: Evaluation(lambda data: (tensor([data["w"]]),), solver(*modes))
    for modes in ("ff", "fr", "rf", "rr")
}

"""`saddle`: a saddle point by descent on the result of an ascent."""

import minds as ms
from minds import ops

from .descent import GRADIENTS, argmax, argmin
from .evaluation import Evaluation, tensor


def f(x, y):
    """(x₁² + x₂²) - (y₁² + y₂²)."""
    return (x * x).sum() - (y * y).sum()


def solver(outer: str, inner: str):
    """The program with the given modes, "f" or "r", of differentiation."""
    of_outer, of_inner = GRADIENTS[outer], GRADIENTS[inner]

    def solve(start):
        def highest(x):
            return f(x, argmax(lambda y: f(x, y), start, of_inner))

        x = argmin(highest, start, of_outer)
        y = argmax(lambda y: f(x, y), start, of_outer)
        return ops.concat((x, y))

    return ms.jit(solve)


FUNCTIONS = {
    modes: Evaluation(lambda data: (tensor(data["start"]),), solver(*modes))
    for modes in ("ff", "fr", "rf", "rr")
}

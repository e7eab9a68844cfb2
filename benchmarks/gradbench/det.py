"""`det`: a determinant by expansion along rows, recursively: one function for minors of all sizes.

A minor is what is left of the last rows without the columns in the set ``used``, the bits of an
integer.
"""

import minds as ms

from .evaluation import Evaluation, flat, tensor


def minor(a, row, used):
    """The determinant of the rows from ``row`` on, without the columns ``used``."""
    size = a.shape[0]
    if row == size:
        return a[0, 0] * 0.0 + 1.0
    total = a[0, 0] * 0.0
    sign = 1.0
    for column in range(size):
        if used & (1 << column) == 0:
            total = total + a[row, column] * sign * minor(a, row + 1, used | (1 << column))
            sign = -sign
    return total


def primal(a, row, used):
    """The determinant."""
    return minor(a, row, used)


def prepare(data: dict) -> tuple:
    """The matrix, all rows, no column used."""
    return tensor(data["A"]).reshape(data["ell"], data["ell"]), 0, 0


FUNCTIONS = {
    "primal": Evaluation(prepare, ms.jit(primal)),
    "gradient": Evaluation(prepare, ms.jit(ms.grad(primal)), flat),
}

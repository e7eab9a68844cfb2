"""`hello`: a square and its derivative."""

import minds as ms

from .evaluation import Evaluation, tensor


def square(x):
    """x squared."""
    return x * x


FUNCTIONS = {
    "square": Evaluation(lambda x: (tensor(x),), ms.jit(square)),
    "double": Evaluation(lambda x: (tensor(x),), ms.jit(ms.grad(square))),
}

"""`lse`: the logarithm of a sum of exponentials, from its parts."""

import minds as ms
from minds import ops

from .evaluation import Evaluation, tensor


def logsumexp(x, axis: int = 0):
    r""":math:`m + \log \sum_i e^{x_i - m}` with :math:`m = \max_i x_i`, along ``axis``."""
    largest = x.max(axis, keepdims=True)
    return (largest + ops.log(ops.exp(x - largest).sum(axis, keepdims=True))).squeeze(axis)


def primal(x):
    """Of a vector."""
    return logsumexp(x)


def prepare(data: dict) -> tuple:
    """The vector."""
    return (tensor(data["x"]),)


FUNCTIONS = {
    "primal": Evaluation(prepare, ms.jit(primal)),
    "gradient": Evaluation(prepare, ms.jit(ms.grad(primal))),
}

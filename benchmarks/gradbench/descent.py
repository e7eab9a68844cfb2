"""The gradient descent that `saddle` and `particle` are stated with; its gradients are of either
mode.

The functions to minimise are closures, and may themselves descend: loops of derivatives of loops of
derivatives.
"""

import minds as ms

TOLERANCE = 1e-5
GRADIENTS = {"f": ms.jacfwd, "r": ms.grad}


def magnitude(v):
    """The Euclidean norm."""
    return ms.ops.sqrt((v * v).sum())


def argmin(f, x, gradient):
    """Where ``f`` is smallest: the rate doubles after ten steps down, and halves after one that is
    not.
    """
    value, slope = f(x), gradient(f)(x)
    rate, steps = 1e-5, 0
    while magnitude(slope) > TOLERANCE:
        if steps == 10:
            rate, steps = rate * 2.0, 0
        else:
            there = x - slope * rate
            if magnitude(x - there) <= TOLERANCE:
                break
            value_there = f(there)
            if value_there < value:
                x, value, slope, steps = there, value_there, gradient(f)(there), steps + 1
            else:
                rate, steps = rate / 2.0, 0
    return x


def argmax(f, x, gradient):
    """Where ``f`` is largest."""
    return argmin(lambda y: -f(y), x, gradient)

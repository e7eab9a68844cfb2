"""Line search by the strong Wolfe conditions."""

from __future__ import annotations

from typing import NamedTuple

from ...base.errors import expect
from ...tensor import Tensor
from ...transforms.grad import value_and_grad


class LineSearchResults(NamedTuple):
    """What a line search gives.

    Attributes:
        failed (bool): no step was found that satisfies the conditions.
        nit, nfev, ngev (int): how many rounds, values and gradients it took.
        k (int): the rounds, as ``nit``.
        a_k (float): the step.
        f_k (float): the value there.
        g_k (Tensor): the gradient there.
        status (int): 0, or 1 if it failed.
    """

    failed: bool
    nit: int
    nfev: int
    ngev: int
    k: int
    a_k: float
    f_k: float
    g_k: Tensor
    status: int


def line_search(
    f, xk, pk, jac=None, gfk=None, old_fval=None, old_old_fval=None, c1=1e-4, c2=0.9, maxiter=20
):
    r"""A step a along ``pk`` with :math:`f(x + a p) \le f(x) + c_1 a\, g^T p` and
    :math:`|g(x + a p)^T p| \le c_2 |g^T p|`.

    Args:
        f (Callable): the function.
        xk (Tensor[(N,)]): where the search begins.
        pk (Tensor[(N,)]): its direction.
        jac (Callable): the gradient; by default that of ``f``.
        gfk (Tensor[(N,)]): the gradient at ``xk``, if it is known.
        old_fval, old_old_fval (float): the value at ``xk`` and at the point before, if they are
            known.
        c1, c2 (float): the constants of the conditions.
        maxiter (int): how many rounds are allowed. Default: 20.

    Returns:
        LineSearchResults

    Raises:
        TypeError: ``f`` has a wrong type.

    Source: Nocedal and Wright, Numerical Optimization, 2006, algorithms 3.5 and 3.6.

    Examples:
        >>> from minds.scipy.optimize import line_search
        >>> out = line_search(lambda x: (x * x).sum(), Tensor([1.0]), Tensor([-2.0]))
        >>> round(float(out.f_k), 4)
        0.0
    """
    expect(maxiter > 0, "maxiter", "positive", got=maxiter)
    both = value_and_grad(f) if jac is None else lambda x: (f(x), jac(x))
    counts = [0]

    def at(a):
        counts[0] += 1
        value, grad = both(xk + pk * a)
        return float(value), grad, float((grad * pk).sum())

    if gfk is None or old_fval is None:
        f0, _, d0 = at(0.0)
    else:
        f0, d0 = float(old_fval), float((gfk * pk).sum())
    before, a = (0.0, f0, d0), 1.0
    if old_old_fval is not None and d0 != 0:
        guess = 1.01 * 2 * (f0 - float(old_old_fval)) / d0
        a = guess if 0 < guess < 1 else 1.0
    low = high = None
    for i in range(maxiter):
        value, grad, slope = at(a)
        if low is None:
            if value > f0 + c1 * a * d0 or i and value >= before[1]:
                low, high = before, (a, value, slope)
            elif abs(slope) <= -c2 * d0:
                return LineSearchResults(
                    False, i + 1, counts[0], counts[0], i + 1, a, value, grad, 0
                )
            elif slope >= 0:
                low, high = (a, value, slope), before
            else:
                before, a = (a, value, slope), 2 * a
                continue
        elif value > f0 + c1 * a * d0 or value >= low[1]:
            high = (a, value, slope)
        elif abs(slope) <= -c2 * d0:
            return LineSearchResults(False, i + 1, counts[0], counts[0], i + 1, a, value, grad, 0)
        else:
            if slope * (high[0] - low[0]) >= 0:
                high = low
            low = (a, value, slope)
        a = _between(low, high)
    value, grad, _ = at(a)
    return LineSearchResults(True, maxiter, counts[0], counts[0], maxiter, a, value, grad, 1)


def _between(low: tuple, high: tuple) -> float:
    """Where the parabola through the lower end with its slope and the other end is least; else the
    middle.
    """
    (a, fa, da), (b, fb, _) = low, high
    width = b - a
    curve = fb - fa - da * width
    step = -da * width * width / (2 * curve) if curve else 0.0
    margin = 0.1 * abs(width)
    return (
        a + step
        if margin <= step * (1 if width > 0 else -1) <= abs(width) - margin
        else a + 0.5 * width
    )

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
        nfev, ngev (int): how many values and gradients it took.
        nit, k (int): as ``ngev``.
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
    :math:`|g(x + a p)^T p| \le c_2 |g^T p|`, as SciPy finds it.

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
        a = 1.0 if guess < 0 else min(1.0, guess)
    last = (0.0, f0)
    low = high = None
    for i in range(maxiter):
        value, grad, slope = at(a)
        here = (a, value, slope)
        if value > f0 + c1 * a * d0 or i and value >= before[1]:
            low, high = before, here
            break
        if abs(slope) <= -c2 * d0:
            return LineSearchResults(False, i + 1, counts[0], counts[0], i + 1, a, value, grad, 0)
        if slope >= 0:
            low, high = here, before
            break
        before, a = here, 2 * a
    if low is not None:
        for i in range(_NARROW):
            a = _between(low, high, last if i else None)
            value, grad, slope = at(a)
            here = (a, value, slope)
            if value > f0 + c1 * a * d0 or value >= low[1]:
                last, high = high, here
                continue
            if abs(slope) <= -c2 * d0:
                return LineSearchResults(
                    False, i + 1, counts[0], counts[0], i + 1, a, value, grad, 0
                )
            if slope * (high[0] - low[0]) >= 0:
                last, high = high, low
            else:
                last = low
            low = here
    value, grad, _ = at(a)
    return LineSearchResults(True, maxiter, counts[0], counts[0], maxiter, a, value, grad, 1)


_NARROW = 11
"""How often SciPy narrows the interval."""


def _between(low: tuple, high: tuple, last: tuple | None) -> float:
    """Where the cubic through both ends and ``last`` with the lower end's slope is least, or the
    parabola through both ends, unless that is near an end; else the middle.
    """
    a, f, slope = low
    width = high[0] - a
    rise = high[1] - f - slope * width
    left, right = min(a, high[0]), max(a, high[0])
    if last is not None:
        step = _cubic(slope, width, rise, last[0] - a, last[1] - f - slope * (last[0] - a))
        if left + 0.2 * width <= a + step <= right - 0.2 * width:
            return a + step
    step = -slope * width * width / (2 * rise) if rise else 0.0
    if left + 0.1 * width <= a + step <= right - 0.1 * width:
        return a + step
    return a + 0.5 * width


def _cubic(slope, b: float, rise_b: float, c: float, rise_c: float) -> float:
    """Where a cubic with a slope at 0 and what it rises above it at ``b`` and ``c`` is least; 0 if
    there is no such place.
    """
    scale = b * b * c * c * (b - c)
    if scale == 0:
        return 0.0
    third = (c * c * rise_b - b * b * rise_c) / scale
    second = (b * b * b * rise_c - c * c * c * rise_b) / scale
    root = second * second - 3 * third * slope
    if third == 0 or root < 0:
        return 0.0
    return (root**0.5 - second) / (3 * third)

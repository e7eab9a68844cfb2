"""Line search by the strong Wolfe conditions."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

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
    import scipy.optimize

    expect(maxiter > 0, "maxiter", "positive", got=maxiter)
    both = value_and_grad(f) if jac is None else lambda x: (f(x), jac(x))
    x, p = xk.asnumpy(), pk.asnumpy()
    last: list = [None, None, None]  # where, the value and the gradient there

    def at(where):
        if last[0] is None or not np.array_equal(last[0], where):
            value, grad = both(Tensor(where.astype(x.dtype)))
            last[:] = [where.copy(), float(value), grad]
        return last

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it failed is told in the result
        a, nfev, ngev, *_ = scipy.optimize.line_search(
            lambda v: at(v)[1],
            lambda v: at(v)[2].asnumpy(),
            x,
            p,
            gfk=None if gfk is None else gfk.asnumpy(),
            old_fval=None if old_fval is None else float(old_fval),
            old_old_fval=None if old_old_fval is None else float(old_old_fval),
            c1=c1,
            c2=c2,
            maxiter=maxiter,
        )
    failed = a is None
    a = _step(last[0], x, p) if failed else float(a)
    _, value, grad = at(x + a * p)
    return LineSearchResults(failed, ngev, nfev, ngev, ngev, a, value, grad, int(failed))


def _step(where, x, p) -> float:
    """How far along ``p`` a point is from ``x``."""
    length = float(np.vdot(p, p))
    return float(np.vdot(where - x, p)) / length if where is not None and length else 0.0

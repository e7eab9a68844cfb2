"""Minimisation: BFGS, L-BFGS, and Lagrange multipliers with Adam."""

from __future__ import annotations

from typing import NamedTuple

from ... import ops
from ...base import dtype as dt
from ...base.errors import expect
from ...tensor import Tensor
from ...transforms.grad import value_and_grad
from .line_search import line_search


class OptimizeResults(NamedTuple):
    """What a minimisation gives.

    Attributes:
        x (Tensor): the solution.
        success (bool): the gradient became small.
        status (int): 0, or 1 if it did not in so many rounds, or 3 if a line search failed.
        fun (Tensor): the value at the solution.
        jac (Tensor): the gradient there.
        hess_inv (Tensor): the inverse Hessian's estimate; None for L-BFGS.
        nfev, njev, nit (int): how many values, gradients and rounds it took.
    """

    x: Tensor
    success: bool
    status: int
    fun: Tensor
    jac: Tensor
    hess_inv: Tensor
    nfev: int
    njev: int
    nit: int


class LagrangeResults(NamedTuple):
    """What the method of multipliers gives: the best feasible point, its value, and the
    multipliers.
    """

    best_value: Tensor
    loss: Tensor
    multipliers: Tensor

    @property
    def x(self) -> Tensor:
        """The solution."""
        return self.best_value


def _descended(fn, x, direction, updated, state, maxiter, gtol, norm, both):
    """Quasi-Newton steps until the gradient is small: ``direction(state, g)``, ``updated(state, s,
    y)``.
    """
    value, g = both(x)
    nfev, nit, status, old = 1, 0, 1, None
    while nit < maxiter:
        if float(ops.norm(g, norm)) < gtol:
            status = 0
            break
        p = direction(state, g)
        found = line_search(fn, x, p, lambda z: both(z)[1], g, value, old, maxiter=10)
        nfev += found.nfev
        nit += 1
        if found.failed and found.f_k >= float(value):
            status = 3
            break
        s = p * found.a_k
        state = updated(state, s, found.g_k - g)
        old, value, x, g = value, Tensor(found.f_k, dt.float32), x + s, found.g_k
    return x, status, value, g, state, nfev, nit


def _bfgs(fn, x0, both, maxiter=None, gtol=1e-5, norm=float("inf"), **_):
    n = x0.shape[0]
    eye = ops.eye(n, n, x0.dtype)

    def updated(h, s, y):
        sy = float((s * y).sum())
        if sy <= 1e-10:
            return h
        r = 1.0 / sy
        a = eye - ops.outer(s, y) * r
        return ops.matmul(ops.matmul(a, h), ops.transpose(a, (1, 0))) + ops.outer(s, s) * r

    x, status, value, g, h, nfev, nit = _descended(
        fn, x0, lambda h, g: -ops.matmul(h, g), updated, eye, maxiter or n * 200, gtol, norm, both
    )
    return OptimizeResults(x, status == 0, status, value, g, h, nfev, nfev, nit)


def _lbfgs(fn, x0, both, maxiter=None, gtol=1e-5, norm=float("inf"), history_size=20, **_):
    def direction(pairs, g):
        q, factors = g, []
        for s, y, r in reversed(pairs):
            a = float((s * q).sum()) * r
            factors.append(a)
            q = q - y * a
        if pairs:
            s, y, r = pairs[-1]
            q = q * (1.0 / (r * float((y * y).sum())))
        for (s, y, r), a in zip(pairs, reversed(factors), strict=True):
            q = q + s * (a - float((y * q).sum()) * r)
        return -q

    def updated(pairs, s, y):
        sy = float((s * y).sum())
        return [*pairs, (s, y, 1.0 / sy)][-history_size:] if sy > 1e-10 else pairs

    x, status, value, g, _, nfev, nit = _descended(
        fn, x0, direction, updated, [], maxiter or x0.shape[0] * 200, gtol, norm, both
    )
    return OptimizeResults(x, status == 0, status, value, g, None, nfev, nfev, nit)


def _lagrange(
    fn,
    x0,
    constraints,
    save_tol=None,
    obj_weight=1.0,
    lower=None,
    upper=None,
    learning_rate=0.1,
    coincide_func=None,
    rounds=10,
    steps=100,
    log_sw=False,
    **_,
):
    """Rounds of Adam on the objective with multipliers and quadratic penalties; the best feasible
    point is kept.
    """
    x, multipliers, weight = x0, [0.0] * len(constraints), 10.0
    tolerance = save_tol or [1e-2] * len(constraints)
    best = None

    def values(z):
        common = coincide_func(z) if coincide_func is not None else z
        return fn(common) * obj_weight, [c(common) for c in constraints]

    def loss(z, factors):
        total, broken = values(z)
        for m, c in zip(factors, broken, strict=True):
            over = ops.relu(c + m / weight)
            total = total + 0.5 * weight * over * over
        return total

    grad = value_and_grad(loss, 0)
    for _ in range(rounds):
        m = v = ops.zeros_like(x)
        for t in range(1, steps + 1):
            value, g = grad(x, multipliers)
            m, v = m * 0.9 + g * 0.1, v * 0.999 + g * g * 0.001
            x = x - learning_rate * (m / (1 - 0.9**t)) / (ops.sqrt(v / (1 - 0.999**t)) + 1e-8)
            x = x if lower is None else ops.maximum(x, lower)
            x = x if upper is None else ops.minimum(x, upper)
            if log_sw:
                print(f"loss {float(value):.6f}")
        value, broken = values(x)
        broken = [float(c) for c in broken]
        if all(c <= s for c, s in zip(broken, tolerance, strict=True)) and (
            best is None or float(value) <= best[0]
        ):
            best = float(value), x
        multipliers = [max(0.0, f + weight * c) for f, c in zip(multipliers, broken, strict=True)]
    value, x = best or (float(value), x)
    return LagrangeResults(x, Tensor(value, dt.float32), Tensor(multipliers, dt.float32))


def minimize(
    func,
    x0,
    args=(),
    method=None,
    jac=None,
    hess=None,
    hessp=None,
    bounds=None,
    constraints=(),
    tol=None,
    callback=None,
    options=None,
):
    """The least value of a function of a vector.

    Args:
        func (Callable): ``func(x, *args)``, a number.
        x0 (Tensor[(N,), float]): where the search begins.
        args (tuple): further arguments. Default: ().
        method (str): ``"BFGS"``, ``"LBFGS"`` or ``"LAGRANGE"``, in any case of letters.
        jac (Callable): the gradient; by default that of ``func``.
        hess, hessp, bounds, callback (None): are not used.
        constraints (list[Callable]): functions that must not be positive; with Lagrange.
        tol (float): how small the gradient must become. Default: 1e-5.
        options (dict): ``maxiter``, ``gtol``, ``norm``, ``history_size``; with Lagrange ``rounds``,
            ``steps``, ``learning_rate``, ``lower``, ``upper``, ``obj_weight``, ``save_tol``,
            ``coincide_func``, ``log_sw``.

    Returns:
        OptimizeResults; with Lagrange an object with ``best_value``, the solution.

    Raises:
        ValueError: ``method`` is another, or an argument is given that is not supported.

    Source: Nocedal and Wright, Numerical Optimization, 2006, algorithms 6.1 and 7.5.

    Examples:
        >>> from minds.scipy.optimize import minimize
        >>> out = minimize(lambda p: ((p - 3.0) ** 2).sum(), ops.zeros((2,)), method="BFGS")
        >>> print(out.x.asnumpy().round(3))
        [3. 3.]
    """
    kinds = ("bfgs", "lbfgs", "lagrange")
    expect(
        isinstance(method, str) and method.lower() in kinds,
        "method",
        "'BFGS', 'LBFGS' or 'LAGRANGE'",
        got=repr(method),
    )
    expect(
        hess is None and hessp is None and bounds is None and callback is None,
        "hess, hessp, bounds and callback",
        "None",
    )
    options = {k: v for k, v in (options or {}).items() if v is not None}
    if tol is not None:
        options.setdefault("gtol", tol)

    def fn(x):
        return func(x, *args)

    if method.lower() == "lagrange":
        return _lagrange(fn, x0, list(constraints), **options)
    both = value_and_grad(fn) if jac is None else lambda x: (fn(x), jac(x, *args))
    return (_bfgs if method.lower() == "bfgs" else _lbfgs)(fn, x0, both, **options)

"""`minds.numpy`: polynomials, coefficients of the highest power first."""

from __future__ import annotations

from ..base.limits import times
from ..ops.define import P
from ..ops.functional import WITHIN as F
from .create import array_of, to_float
from .math import convolve

# ---- polynomials, the highest power first


def _aligned(a, b):
    a, b = (P.reshape(array_of(v), (-1,)) for v in (a, b))
    n = max(a.shape[0], b.shape[0])
    return tuple(P.pad(v, ((n - v.shape[0], 0),), 0) for v in (a, b))


def polyadd(a1, a2):
    """The sum of two polynomials.

    Args:
        a1 (Tensor[(N,)]), a2 (Tensor[(M,)]): the coefficients, the highest power first.

    Returns:
        Tensor: the coefficients.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.polyadd([1.0, 2.0], [3.0]))
        [1. 5.]
    """
    a, b = _aligned(a1, a2)
    return P.add(a, b)


def polysub(a1, a2):
    """The difference of two polynomials.

    Args:
        a1 (Tensor[(N,)]), a2 (Tensor[(M,)]): the coefficients, the highest power first.

    Returns:
        Tensor: the coefficients.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.polysub([1.0, 2.0], [3.0]))
        [ 1. -1.]
    """
    a, b = _aligned(a1, a2)
    return P.sub(a, b)


def polymul(a1, a2):
    """The product of two polynomials.

    Args:
        a1 (Tensor[(N,)]), a2 (Tensor[(M,)]): the coefficients, the highest power first.

    Returns:
        Tensor: the coefficients.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.polymul([1.0, 2.0], [3.0]))
        [3. 6.]
    """
    return convolve(a1, a2)


def polyval(p, x):
    """The value of a polynomial.

    Args:
        p (Tensor[(N,)]): the coefficients, the highest power first.
        x (Tensor): where.

    Returns:
        Tensor: of the shape of ``x``.

    Raises:
        TypeError: an operand is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.polyval([1.0, 0.0, 2.0], [3.0]))
        [11.]
    """
    p, x = array_of(p), array_of(x)
    out = x * 0
    for i in range(p.shape[0]):
        out = out * x + p[i]
    return out


def polyder(p, m=1):
    """The derivative of a polynomial.

    Args:
        p (Tensor[(N,)]): the coefficients, the highest power first.
        m (int): how often it is taken. Default: 1.

    Returns:
        Tensor: the coefficients.

    Raises:
        TypeError: ``p`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.polyder([1.0, 2.0, 3.0]))
        [2. 2.]
    """
    p = array_of(p)
    for _ in times(m, "m"):
        n = p.shape[0] - 1
        p = F.narrow(p, 0, 0, n) * array_of(list(range(n, 0, -1)), p.dtype)
    return p


def polyint(p, m=1, k=None):
    """The antiderivative of a polynomial, with constants ``k``.

    Args:
        p (Tensor[(N,)]): the coefficients, the highest power first.
        m (int): how often it is taken. Default: 1.
        k (number | list[number]): the constants. Default: None, 0.

    Returns:
        Tensor: the coefficients, float.

    Raises:
        TypeError: ``p`` is neither a Tensor nor what makes one.

    Examples:
        >>> import minds as ms
        >>> print(ms.numpy.polyint([2.0, 2.0]))
        [1. 2. 0.]
    """
    p = to_float(array_of(p))
    times(m, "m")
    k = [0] * m if k is None else [k] * m if isinstance(k, (int, float)) else list(k)
    for i in range(m):
        n = p.shape[0]
        p = F.concat([p / array_of(list(range(n, 0, -1)), p.dtype), array_of([k[i]], p.dtype)], 0)
    return p

"""Random numbers from keys.

`random_key` draws a fresh key from the global state: an effect, so program order decides which key
a call gets. Everything else is a pure function of its key: element i of a result depends on (key,
i) alone, whatever the number of threads.

Source: Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3,
https://doi.org/10.1145/2063384.2063405 (Philox4x32-10).
"""

from __future__ import annotations

from ..base import dtype as dt
from ..base.errors import expect
from ..ir.abstract import AbstractTensor
from ..tensor import Tensor
from .define import P, op
from .rules import dims_of


@op(effect=True, nondiff=True)
def random_key() -> Tensor:
    """A fresh key: the global seed and a counter that grows.

    Returns:
        Tensor[(2,), int64]: the key.
    """
    return AbstractTensor((2,), dt.int64)


@random_key.batch
def _(b):
    # Each example its own key: as many as are needed, drawn from one.
    return P.randint(P.random_key(), 0, 2**63 - 1, (b.n, 2), dt.int64)


def _drawn(key, shape, dtype) -> AbstractTensor:
    expect(
        key.shape == (2,) and key.dtype is dt.int64,
        "key",
        "a key from random_key()",
        TypeError,
        got=key,
    )
    return AbstractTensor(shape, dtype)


@op(nondiff=True, draws=True)
def uniform(key: Tensor, shape: tuple, dtype: dt.DType) -> Tensor:
    """Numbers uniform on [0, 1).

    Args:
        key (Tensor[(2,), int64]): the key.
        shape (tuple[int]): the shape.
        dtype (dtype): floating point.

    Returns:
        Tensor[shape]: of ``dtype``.

    Raises:
        TypeError: ``dtype`` is not floating point.
    """
    expect(dtype.is_float, "dtype", "floating point", TypeError, got=dtype.name)
    return _drawn(key, shape, dtype)


@op(nondiff=True, draws=True)
def normal(key: Tensor, shape: tuple, dtype: dt.DType) -> Tensor:
    """Numbers of the normal distribution with mean 0 and variance 1.

    Args:
        key (Tensor[(2,), int64]): the key.
        shape (tuple[int]): the shape.
        dtype (dtype): floating point.

    Returns:
        Tensor[shape]: of ``dtype``.

    Raises:
        TypeError: ``dtype`` is not floating point.
    """
    expect(dtype.is_float, "dtype", "floating point", TypeError, got=dtype.name)
    return _drawn(key, shape, dtype)


@op(nondiff=True, draws=True)
def bernoulli(key: Tensor, p: float, shape: tuple, dtype: dt.DType) -> Tensor:
    """1 with probability ``p``, else 0.

    Args:
        key (Tensor[(2,), int64]): the key.
        p (float): the probability, in [0, 1].
        shape (tuple[int]): the shape.
        dtype (dtype): the element type.

    Returns:
        Tensor[shape]: of ``dtype``.

    Raises:
        ValueError: ``p`` is no probability.
    """
    expect(0 <= p <= 1, "p", "in [0, 1]", got=p)
    return _drawn(key, shape, dtype)


@op(nondiff=True, draws=True)
def randint(key: Tensor, low: int, high: int, shape: tuple, dtype: dt.DType) -> Tensor:
    """Integers uniform on [low, high).

    Args:
        key (Tensor[(2,), int64]): the key.
        low, high (int): the bounds.
        shape (tuple[int]): the shape.
        dtype (dtype): the element type.

    Returns:
        Tensor[shape]: of ``dtype``.

    Raises:
        ValueError: there is no integer between the bounds.
    """
    for name, bound in (("low", low), ("high", high)):
        expect(type(bound) is int, name, "an int", TypeError, got=repr(bound))
    expect(low < high, "low", "below high", got=f"{low} and {high}")
    return _drawn(key, shape, dtype)


@op(nondiff=True, draws=True)
def permutation(key: Tensor, n: int) -> Tensor:
    """A random order of the integers from 0 to ``n - 1``.

    Args:
        key (Tensor[(2,), int64]): the key.
        n (int): how many.

    Returns:
        Tensor[(n,), int64]: each of them once.

    Raises:
        ValueError: ``n`` is negative.
    """
    return _drawn(key, dims_of(n, "n"), dt.int64)


def _shape(key, shape, dtype) -> dict:
    return {"shape": dims_of(shape, "shape"), "dtype": dt.of(dtype)}


uniform.normalize(_shape)
normal.normalize(_shape)


@bernoulli.normalize
def _(key, p, shape, dtype):
    return {"p": float(p), **_shape(key, shape, dtype)}


@randint.normalize
def _(key, low, high, shape, dtype):
    return _shape(key, shape, dtype)

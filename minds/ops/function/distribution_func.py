"""Sampling of distributions without a closed form, and of candidates, which NumPy does on the host."""

from __future__ import annotations

import math

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...base.limits import times
from ...ir.abstract import AbstractTensor, AbstractTuple
from ...tensor import Tensor
from ..bessel import gamma_density, igamma_by_shape
from ..define import P
from ..faces import face
from ..rules import unbroadcast
from .common import as_tensor, hosted, key_of, known_values


# ---- distributions
def _rng(key):
    return np.random.default_rng([int(k) & 0xFFFFFFFF for k in key])


@hosted(lambda key, alpha, shape, dtype: _rng(key).standard_gamma(alpha, shape + alpha.shape))
def _gamma(key: Tensor, alpha: Tensor, shape: tuple, dtype: dt.DType):
    return AbstractTensor(shape + alpha.shape, dtype)


@_gamma.bprop
def _(key, alpha, shape, dtype, out, dout):
    """By implicit reparameterisation: the share below the sample stays what it is."""
    every = P.broadcast_to(alpha, out.shape)
    slope = -igamma_by_shape(every, out) / gamma_density(every, out)
    return None, unbroadcast(P.cast(dout * slope, alpha.dtype), alpha.shape)


@hosted(lambda key, rate, shape, dtype: _rng(key).poisson(rate, shape + rate.shape), nondiff=True)
def _poisson(key: Tensor, rate: Tensor, shape: tuple, dtype: dt.DType):
    return AbstractTensor(shape + rate.shape, dtype)


def _dims(shape) -> tuple:
    if isinstance(shape, (int, tuple, list)):
        return (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
    return tuple(int(n) for n in known_values("random", shape)[0])


def random_gamma(shape, alpha, seed=None):
    """Numbers of the gamma distributions of these shapes, with scale 1.

    Args:
        shape (Tensor, tuple[int]): how many of each; stands before the shape of ``alpha``.
        alpha (Tensor[any shape, float]): the distributions' shapes.
        seed (int): a stream of its own. Default: None.

    Returns:
        ``Tensor[(*shape, *alpha.shape)]``: of the dtype of ``alpha``.

    Raises:
        TypeError: ``alpha`` is not a Tensor.

    Examples:
        >>> ops.random_gamma((7,), Tensor([0.5, 1.5])).shape
        (7, 2)
    """
    alpha = as_tensor(alpha)
    return _gamma(key_of(seed), alpha, _dims(shape), alpha.dtype)


def gamma(shape, alpha, beta, seed=None):
    r"""Numbers of the gamma distribution with density proportional to :math:`x^{\alpha - 1}
    e^{-\beta x}`.

    Args:
        shape (tuple[int]): of the samples for each pair of parameters.
        alpha (Tensor[any shape, float]): the shape parameter.
        beta (Tensor[any shape, float]): the rate.
        seed (int): of the generator. Default: None, which continues the global one.

    Returns:
        Tensor: of the shape that ``shape`` and the parameters broadcast to.

    Raises:
        TypeError: ``alpha`` is not a Tensor.
        ValueError: the shape of ``beta`` does not fit ``alpha``.

    Examples:
        >>> ops.gamma((3, 1), Tensor([[3.0, 4.0]]), Tensor([1.0])).shape
        (3, 2)
    """
    alpha, beta = as_tensor(alpha), as_tensor(beta)
    full = np.broadcast_shapes(_dims(shape), alpha.shape, beta.shape)
    return _gamma(key_of(seed), P.broadcast_to(alpha, full), (), dt.float32) / beta


def random_poisson(shape, rate, seed=None, dtype=dt.float32):
    """Numbers of the Poisson distributions of these rates.

    Args:
        shape (Tensor, tuple[int]): how many of each; stands before the shape of ``rate``.
        rate (Tensor[any shape, number]): the means.
        seed (int): a stream of its own. Default: None.
        dtype (dtype): of the result. Default: float32.

    Returns:
        ``Tensor[(*shape, *rate.shape)]``

    Raises:
        TypeError: ``rate`` is not a Tensor.

    Examples:
        >>> ops.random_poisson((7,), Tensor([0.5, 1.5])).shape
        (7, 2)
    """
    return _poisson(key_of(seed), as_tensor(rate), _dims(shape), dtype)


def poisson(shape, mean, seed=None):
    """Numbers of the Poisson distributions of these means. See `random_poisson`.

    Args:
        shape (tuple[int]): of the samples for each mean.
        mean (Tensor[any shape, float]): the means.
        seed (int): of the generator. Default: None, which continues the global one.

    Returns:
        Tensor: of the shape that ``shape`` and ``mean`` broadcast to.

    Raises:
        TypeError: ``mean`` is not a Tensor.

    Examples:
        >>> ops.poisson((7, 2), Tensor([0.5, 1.5])).shape
        (7, 2)
    """
    mean = as_tensor(mean)
    return _poisson(
        key_of(seed),
        P.broadcast_to(mean, np.broadcast_shapes(_dims(shape), mean.shape)),
        (),
        dt.float32,
    )


def _sampled(key, true_classes, num_sampled, unique, range_max, log, dtype):
    """Classes, and how often each true and each sampled one is expected among them."""
    rng = _rng(key)
    pick = _log_uniform if log else _uniform
    drawn = pick(rng, range_max, num_sampled, unique)

    def expected(classes):
        p = _share(classes, range_max) if log else np.full(classes.shape, 1 / range_max)
        if unique and num_sampled != range_max:
            return 1 - (1 - p) ** num_sampled
        return np.minimum(p * num_sampled, 1) if unique else p * num_sampled

    # Uniform classes beyond the range are as likely as those within.
    return drawn, expected(np.clip(true_classes, 0, range_max - 1)), expected(drawn)


def _uniform(rng, range_max: int, count: int, unique: bool):
    return rng.choice(range_max, count, replace=not unique)


def _share(classes, range_max: int):
    """The probabilities of classes."""
    return np.log((classes + 2) / (classes + 1)) / math.log(range_max + 1)


def _log_uniform(rng, range_max: int, count: int, unique: bool):
    """Classes by `_share`, which adds up to log(k + 1) / log(range_max + 1) for the first k."""
    if unique and range_max <= max(8 * count, 1 << 16):
        # Drawn one after the other they come as the first events of processes with these rates do.
        times = rng.standard_exponential(range_max) / _share(np.arange(range_max), range_max)
        first = np.argpartition(times, count - 1)[:count] if count < range_max else np.arange(count)
        return first[np.argsort(times[first])]

    def drawn(count: int):
        powers = np.exp(rng.random(count) * math.log(range_max + 1))
        return np.clip(powers.astype(np.int64) - 1, 0, range_max - 1)

    found = drawn(4 * count if unique else count)
    while unique:  # as one class after the other would be: what was there already does not count
        found = found[np.sort(np.unique(found, return_index=True)[1])][:count]
        if len(found) == count:
            break
        found = np.concatenate([found, drawn(count)])
    return found


@hosted(_sampled, nondiff=True)
def _candidates(
    key: Tensor,
    true_classes: Tensor,
    num_sampled: int,
    unique: bool,
    range_max: int,
    log: bool,
    dtype: dt.DType,
):
    return AbstractTuple(
        (
            AbstractTensor((num_sampled,), dtype),
            AbstractTensor(true_classes.shape, dt.float32),
            AbstractTensor((num_sampled,), dt.float32),
        )
    )


def _expect_classes(true_classes, num_true) -> None:
    shape = true_classes.shape
    expect(
        len(shape) == 2 and shape[1] == num_true,
        "true_classes",
        f"of shape (N, {num_true})",
        got=shape,
    )


_SAMPLED = 1 << 20
"""So many classes are drawn at most."""


def _expect_enough(num_sampled: int, unique: bool, range_max: int) -> None:
    times(num_sampled, "num_sampled", _SAMPLED)
    expect(0 < range_max < 1 << 53, "range_max", "at least 1 and below 2**53", got=range_max)
    expect(
        not unique or num_sampled <= range_max,
        "num_sampled",
        f"at most range_max, {range_max}",
        got=num_sampled,
    )


@face(
    cls="UniformCandidateSampler(num_true, num_sampled, unique, range_max, seed=0, "
    "remove_accidental_hits: None = False)",
)
def uniform_candidate_sampler(
    true_classes, num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits=False
):
    """Classes drawn uniformly.

    Args:
        true_classes (Tensor[(N, num_true), int]): the true classes.
        num_true (int): how many there are in each row.
        num_sampled (int): how many are drawn, at most 2**20.
        unique (bool): without repetition.
        range_max (int): how many classes there are.
        seed (int): a stream of its own. Default: 0.
        remove_accidental_hits (bool): of no meaning here, as in MindSpore.

    Returns:
        tuple: the classes, and how often each true and each drawn one is expected.

    Raises:
        ValueError: ``unique``, and more are drawn than there are.

    Examples:
        >>> drawn, _, _ = ops.uniform_candidate_sampler(Tensor([[1], [3]]), 1, 3, False, 4)
        >>> drawn.shape
        (3,)
    """
    _expect_classes(true_classes, num_true)
    _expect_enough(num_sampled, unique, range_max)
    return _candidates(
        key_of(seed), true_classes, num_sampled, unique, range_max, False, true_classes.dtype
    )


@face(cls="LogUniformCandidateSampler(num_true=1, num_sampled=5, unique=True, range_max=5, seed=0)")
def log_uniform_candidate_sampler(
    true_classes, num_true=1, num_sampled=5, unique=True, range_max=5, seed=0
):
    """Classes drawn with probabilities that fall as log((k + 2) / (k + 1)). See
    `uniform_candidate_sampler`.

    Args:
        true_classes (Tensor[(N, num_true), int]): the classes of each sample.
        num_true (int): how many. Default: 1.
        num_sampled (int): how many classes are drawn, at most 2**20. Default: 5.
        unique (bool): no class twice. Default: True.
        range_max (int): the number of classes. Default: 5.
        seed (int): of the generator. Default: 0.

    Returns:
        tuple[Tensor]: the classes drawn, the expected counts of the true ones, and of those drawn.

    Raises:
        TypeError: ``true_classes`` is not a Tensor.

    Examples:
        >>> drawn, _, _ = ops.log_uniform_candidate_sampler(Tensor([[1], [3]]), 1, 3, True, 4)
        >>> drawn.shape
        (3,)
    """
    _expect_classes(true_classes, num_true)
    _expect_enough(num_sampled, unique, range_max)
    return _candidates(key_of(seed), true_classes, num_sampled, unique, range_max, True, dt.int64)


_DRAWN = 1 << 22
"""So many positions are drawn at most: each is a row of the result, whether or not it is filled."""


@hosted(lambda key, x, count: _chosen(_rng(key), x, count), nondiff=True)
def _choice(key: Tensor, x: Tensor, count: int):
    return AbstractTuple(
        (AbstractTensor((count, len(x.shape)), dt.int32), AbstractTensor((count,), dt.bool_))
    )


def _chosen(rng, x, count):
    where = np.argwhere(x)
    picked = rng.permutation(where)[:count]
    index, mask = np.zeros((count, x.ndim), np.int32), np.zeros(count, bool)
    index[: len(picked)], mask[: len(picked)] = picked, True
    return index, mask


def choice_with_mask(input_x, count=256, seed=None):
    """Positions of nonzero elements drawn at random, and which of the rows hold one.

    Args:
        input_x (Tensor[any shape, bool]): the mask.
        count (int): how many are drawn at most, up to 2**22: so many rows are returned, however few
            elements are nonzero. Default: 256.
        seed (int): a stream of its own. Default: None.

    Returns:
        tuple: positions (count, rank), int32, and a mask (count,).

    Raises:
        TypeError: ``input_x`` is not a Tensor.
        ValueError: ``count`` is too large, or negative.

    Examples:
        >>> index, mask = ops.choice_with_mask(Tensor([False, True]), 2)
        >>> print(index.tolist(), mask)
        [[1], [0]] [ True False]
    """
    expect(len(times(count, "count", _DRAWN)) == count, "count", "at least 0", got=count)
    return _choice(key_of(seed), input_x, count)

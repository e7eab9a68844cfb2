"""Random tensors and dropout. Each call draws a key; ``seed`` shifts it, so that equal programs can
be told apart.
"""

from __future__ import annotations

from ...base import dtype as dt
from ...base.errors import expect
from .. import checked
from ..define import P
from ..faces import face
from .common import as_tensor, dims_from, is_tensor, key_of
from .elsewhere import elsewhere


def dropout(input, p=0.5, training=True, seed=None):
    r"""Set elements to 0 with probability ``p`` and scale the others by :math:`1 / (1 - p)`.

    Args:
        input (Tensor[any shape, float]): the operand.
        p (float): the probability, in [0, 1]. Default: 0.5.
        training (bool): otherwise ``input`` is returned. Default: True.
        seed (int): a stream of its own. Default: None.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: ``p`` is no probability.

    Source: Srivastava et al., Dropout, https://jmlr.org/papers/v15/srivastava14a.html.

    Examples:
        >>> print(ops.dropout(Tensor([1.0, 2.0]), training=False))
        [1. 2.]
    """
    return _dropped(input, p, training, 0, seed)


def _dropped(input, p: float, training: bool, spatial: int, seed=None):
    """Elements, or channels of so many dimensions, set to 0, the others scaled."""
    expect(0 <= p <= 1, "p", "in [0, 1]", got=p)
    if not training or p == 0:
        return input
    if p == 1:
        return input * 0
    shape = input.shape[: len(input.shape) - spatial] + (1,) * spatial
    mask = P.bernoulli(key_of(seed), 1.0 - p, shape, dt.bool_)
    return P.select(mask, input * (1 / (1.0 - p)), 0)


def dropout1d(input, p=0.5, training=True):
    """Set whole channels of (N, C, L) to 0. See `dropout`.

    Args:
        input (Tensor[(N, C, L) or (C, L), float]): the signals.
        p (float): the share of channels that is dropped. Default: 0.5.
        training (bool): whether to drop at all. Default: True.

    Returns:
        Tensor: of the same shape; kept channels are divided by ``1 - p``.

    Raises:
        TypeError: ``p`` has a wrong type.

    Examples:
        >>> ops.dropout1d(ops.ones((1, 2, 3)), training=False).shape
        (1, 2, 3)
    """
    return _dropped(input, p, training, 1)


def dropout2d(input, p=0.5, training=True):
    """Set whole channels of (N, C, H, W) to 0. See `dropout`.

    Args:
        input (Tensor[(N, C, H, W), float]): the images.
        p (float): the share of channels that is dropped. Default: 0.5.
        training (bool): whether to drop at all. Default: True.

    Returns:
        Tensor: of the same shape; kept channels are divided by ``1 - p``.

    Raises:
        TypeError: ``p`` has a wrong type.

    Examples:
        >>> ops.dropout2d(ops.ones((1, 2, 3, 3)), training=False).shape
        (1, 2, 3, 3)
    """
    return _dropped(input, p, training, 2)


def dropout3d(input, p=0.5, training=True):
    """Set whole channels of (N, C, D, H, W) to 0. See `dropout`.

    Args:
        input (Tensor[(N, C, D, H, W), float]): the volumes.
        p (float): the share of channels that is dropped. Default: 0.5.
        training (bool): whether to drop at all. Default: True.

    Returns:
        Tensor: of the same shape; kept channels are divided by ``1 - p``.

    Raises:
        TypeError: ``p`` has a wrong type.

    Examples:
        >>> ops.dropout3d(ops.ones((1, 2, 3, 3, 3)), training=False).shape
        (1, 2, 3, 3, 3)
    """
    return _dropped(input, p, training, 3)


def rand(*size, dtype=None, seed=None):
    """Numbers uniform on [0, 1).

    Args:
        size (int, tuple[int]): the shape.
        dtype (dtype): floating point. Default: float32.
        seed (int): a stream of its own. Default: None.

    Returns:
        Tensor[size]: of ``dtype``.

    Raises:
        TypeError: ``size`` has a wrong type.

    Examples:
        >>> ops.rand(2, 3).shape
        (2, 3)
    """
    return P.uniform(key_of(seed), dims_from(size), dt.float32 if dtype is None else dt.of(dtype))


def rand_like(input, seed=None, *, dtype=None):
    """Numbers uniform on [0, 1), in the shape of ``input``.

    Args:
        input (Tensor): gives the shape.
        seed (int): of the generator. Default: None, which continues the global one.
        dtype (dtype): of the result. Default: that of ``input``.

    Returns:
        Tensor: of the shape of ``input``.

    Raises:
        TypeError: ``input`` has a dtype that is not supported.

    Examples:
        >>> ops.rand_like(ops.ones((2,))).shape
        (2,)
    """
    return rand(*input.shape, dtype=input.dtype if dtype is None else dtype, seed=seed)


def randn(*size, dtype=None, seed=None):
    """Numbers of the standard normal distribution.

    Args:
        size (int, tuple[int]): the shape.
        dtype (dtype): floating point. Default: float32.
        seed (int): a stream of its own. Default: None.

    Returns:
        Tensor[size]: of ``dtype``.

    Raises:
        TypeError: ``size`` has a wrong type.

    Examples:
        >>> ops.randn(2, 3).shape
        (2, 3)
    """
    return P.normal(key_of(seed), dims_from(size), dt.float32 if dtype is None else dt.of(dtype))


def randn_like(input, seed=None, *, dtype=None):
    """Numbers of the standard normal distribution, in the shape of ``input``.

    Args:
        input (Tensor): gives the shape.
        seed (int): of the generator. Default: None, which continues the global one.
        dtype (dtype): of the result. Default: that of ``input``.

    Returns:
        Tensor: of the shape of ``input``.

    Raises:
        TypeError: ``input`` has a dtype that is not supported.

    Examples:
        >>> ops.randn_like(ops.ones((2,))).shape
        (2,)
    """
    return randn(*input.shape, dtype=input.dtype if dtype is None else dtype, seed=seed)


def standard_normal(shape, seed=None):
    """Numbers of the standard normal distribution. See `randn`.

    Args:
        shape (tuple[int]): the shape.
        seed (int): of the generator. Default: None, which continues the global one.

    Returns:
        Tensor[shape, float32]: the samples.

    Raises:
        TypeError: ``shape`` has a wrong type.

    Examples:
        >>> ops.standard_normal((2,)).shape
        (2,)
    """
    return randn(*dims_from((shape,) if isinstance(shape, (tuple, list)) else (shape,)), seed=seed)


def normal(shape, mean, stddev, seed=None):
    """Numbers of a normal distribution.

    Args:
        shape (tuple[int]): the shape.
        mean (Tensor | number): the mean; broadcasts.
        stddev (Tensor | number): the standard deviation; broadcasts.
        seed (int): a stream of its own. Default: None.

    Returns:
        Tensor: of float32.

    Raises:
        TypeError: ``shape`` has a wrong type.

    Examples:
        >>> ops.normal((2,), 0.0, 1.0).shape
        (2,)
    """
    return P.normal(key_of(seed), shape, dt.float32) * stddev + mean


def uniform(shape, minval, maxval, seed=None, dtype=dt.float32):
    """Numbers uniform on [``minval``, ``maxval``).

    Args:
        shape (tuple[int]): the shape.
        minval, maxval (Tensor | number): the bounds; they broadcast.
        seed (int): a stream of its own. Default: None.
        dtype (dtype): float32, or an integer type. Default: float32.

    Returns:
        Tensor: of ``dtype``.

    Raises:
        TypeError: ``shape`` has a wrong type.

    Examples:
        >>> ops.uniform((2,), 0.0, 1.0).shape
        (2,)
    """
    dtype = dt.of(dtype)
    if dtype.is_int and (is_tensor(minval) or is_tensor(maxval)):
        u = P.uniform(key_of(seed), shape, dt.float64)
        return P.cast(P.floor(u * P.cast(P.sub(maxval, minval), dt.float64)), dtype) + P.cast(
            as_tensor(minval), dtype
        )
    if dtype.is_int:
        return P.randint(key_of(seed), int(minval), int(maxval), shape, dtype)
    return P.uniform(key_of(seed), shape, dtype) * (maxval - minval) + minval


def randint(low, high, size, seed=None, *, dtype=None):
    """Integers uniform on [``low``, ``high``).

    Args:
        low, high (int): the bounds.
        size (tuple[int]): the shape.
        seed (int): a stream of its own. Default: None.
        dtype (dtype): Default: int64.

    Returns:
        Tensor[size]: of ``dtype``.

    Raises:
        ValueError: there is no integer between the bounds.

    Examples:
        >>> ops.randint(0, 10, (2,)).shape
        (2,)
    """
    return P.randint(key_of(seed), low, high, size, dt.int64 if dtype is None else dt.of(dtype))


def randperm(n, seed=0, offset=0, dtype=dt.int64):
    """A random order of the integers from 0 to ``n - 1``.

    Args:
        n (int): how many integers.
        seed (int): of the generator. Default: 0.
        offset (int): added to a seed that is not 0. Default: 0.
        dtype (dtype): of the result. Default: ``ms.int64``.

    Returns:
        Tensor[(n,)]: the permutation.

    Raises:
        TypeError: ``n`` has a wrong type.

    Examples:
        >>> ops.randperm(4).shape
        (4,)
    """
    out = P.permutation(key_of(seed + offset if offset and seed else seed), n)
    return out if dt.of(dtype) is dt.int64 else P.cast(out, dt.of(dtype))


@face(method=True)
def bernoulli(input, p=0.5, seed=None):
    """1 with probability ``p``, else 0, in the shape and dtype of ``input``.

    Args:
        input (Tensor): gives shape and dtype.
        p (Tensor | float): the probabilities; broadcasts. Default: 0.5.
        seed (int): a stream of its own. Default: None.

    Returns:
        Tensor: like ``input``.

    Raises:
        TypeError: ``input`` has a dtype that is not supported.

    Examples:
        >>> ops.bernoulli(ops.ones((2,))).shape
        (2,)
    """
    if not is_tensor(p):
        return P.bernoulli(key_of(seed), p, input.shape, input.dtype)
    return P.cast(P.less(P.uniform(key_of(seed), input.shape, dt.float32), p), input.dtype)


def gumbel_softmax(logits, tau=1.0, hard=False, dim=-1):
    """Samples of the Gumbel-softmax distribution.

    Args:
        logits (Tensor[any shape, float]): unnormalised log-probabilities.
        tau (float): the temperature. Default: 1.0.
        hard (bool): one-hot samples, with the gradient of the soft ones. Default: False.
        dim (int): the dimension. Default: -1.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: ``dim`` is out of range.

    Source: Jang, Gu and Poole, https://arxiv.org/abs/1611.01144.

    Examples:
        >>> ops.gumbel_softmax(ops.ones((2, 3))).shape
        (2, 3)
    """
    u = P.uniform(key_of(None), logits.shape, logits.dtype)
    noise = -P.log(-P.log(P.maximum(u, 1e-7)))
    soft = P.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    n = logits.shape[dim]
    one = as_tensor(1, logits.dtype)
    picked = P.one_hot(P.argmax(soft, dim, False), n, one, one * 0, dim)
    return P.stop_gradient(picked - soft) + soft


@face(method=True)
def multinomial(input, num_samples, replacement=True, seed=None):
    """Positions drawn with probabilities in proportion to weights.

    Args:
        input (Tensor[(..., N), float]): the weights, not negative; a vector or a matrix.
        num_samples (int): how many to draw.
        replacement (bool): a position may be drawn again. Default: True.
        seed (int): a stream of its own. Default: None.

    Returns:
        Tensor[(..., num_samples)]: int32.

    Raises:
        ValueError: more samples than positions are asked for without replacement, or a weight is
            negative, infinite or nan, or all of them are 0.

    Examples:
        >>> print(ops.multinomial(Tensor([0.0, 1.0]), 3))
        [1 1 1]
    """
    expect(len(input.shape) in (1, 2), "input", "a vector or a matrix", got=f"shape {input.shape}")
    n = input.shape[-1]
    x = checked.weights(P.cast(input, dt.float32), n, "multinomial: input")
    if not replacement:
        expect(num_samples <= n, "num_samples", f"at most {n}", got=num_samples)
        # The largest of u^(1/w) are a sample without replacement (Efraimidis and Spirakis, 2006).
        u = P.maximum(P.uniform(key_of(seed), x.shape, dt.float32), 1e-30)
        order = P.select(P.greater(x, 0), P.log(u) / P.maximum(x, 1e-30), float("-inf"))
        return P.cast(P.topk(order, num_samples, -1, True)[1], dt.int32)
    edges = P.cumsum(x, -1)
    u = P.uniform(key_of(seed), input.shape[:-1] + (num_samples,), dt.float32)
    last = P.strided_slice(
        edges, (0,) * (len(x.shape) - 1) + (n - 1,), edges.shape, (1,) * len(x.shape)
    )
    return P.cast(P.minimum(P.search(edges, u * last, True), n - 1), dt.int32)


def randint_like(input, low, high, seed=None, *, dtype=None):
    """Integers uniform on [``low``, ``high``), in the shape of ``input``.

    Args:
        input (Tensor): gives the shape.
        low (int): the least.
        high (int): is not reached.
        seed (int): of the generator. Default: None, which continues the global one.
        dtype (dtype): of the result. Default: that of ``input``.

    Returns:
        Tensor: of the shape of ``input``.

    Raises:
        TypeError: ``low`` has a wrong type.

    Examples:
        >>> ops.randint_like(ops.ones((2,)), 0, 10).shape
        (2,)
    """
    dtype = input.dtype if dtype is None else dt.of(dtype)
    out = randint(low, high, input.shape, seed, dtype=dtype if dtype.is_int else dt.int64)
    return P.cast(out, dtype)


def laplace(shape, mean, lambda_param, seed=None):
    """Numbers of a Laplace distribution of given mean and scale.

    Args:
        shape (tuple[int]): of the samples.
        mean (Tensor[any shape, float]): the means.
        lambda_param (Tensor[any shape, float]): the scales; shapes broadcast.
        seed (int): of the generator. Default: None, which continues the global one.

    Returns:
        Tensor: of the shape that all broadcast to.

    Raises:
        TypeError: ``mean`` is not a Tensor.
        ValueError: the shape of ``lambda_param`` does not fit ``mean``.

    Examples:
        >>> ops.laplace((2,), Tensor(0.0), Tensor(1.0)).shape
        (2,)
    """
    u = P.uniform(key_of(seed), shape, dt.float32) - 0.5
    return mean - P.sign(u) * P.log1p(P.maximum(P.abs(u) * -2, -0.9999999)) * lambda_param


def standard_laplace(shape, seed=None):
    """Numbers of the Laplace distribution of mean 0 and scale 1.

    Args:
        shape (tuple[int]): the shape.
        seed (int): of the generator. Default: None, which continues the global one.

    Returns:
        Tensor[shape, float32]: the samples.

    Raises:
        TypeError: ``shape`` has a wrong type.

    Examples:
        >>> ops.standard_laplace((2,)).shape
        (2,)
    """
    return laplace(shape, 0.0, 1.0, seed)


# MindSpore has other functions here too.
__getattr__, __dir__ = elsewhere(__name__)

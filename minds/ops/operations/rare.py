"""Primitive classes that few programs use: pools with windows of rank 4, distributions by class, steps
that are a function under another signature.
"""

from __future__ import annotations

import math

import numpy as np

from ...base import dtype as dt
from ...base.errors import complain, expect
from ...ir.abstract import AbstractTensor, AbstractTuple
from ...tensor import Tensor
from ..define import P
from ..faces import primitive
from ..function.common import as_tensor, hosted, key_of, sizes_of, window_pad
from ..function.number_func import approximate_equal, check_tolerance
from ..functional import WITHIN as F
from ..rules import pair_of


def _pool(kind: str):
    def make(kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"):
        hwc = data_format == "NHWC"

        def plane(v, name):
            four = isinstance(v, (tuple, list)) and len(v) == 4
            return pair_of((v[1:3] if hwc else v[2:]) if four else v, name)

        kernel, step = plane(kernel_size, "kernel_size"), plane(strides, "strides")

        def call(x):
            x = P.transpose(x, (0, 3, 1, 2)) if hwc else x
            pads = window_pad(pad_mode, 0, x.shape[2:], kernel, step, (1, 1))
            if kind == "max":
                out = P.max_pool2d(x, kernel, step, pads)[0]
            else:
                out = P.avg_pool2d(x, kernel, step, pads, False)
            return P.transpose(out, (0, 2, 3, 1)) if hwc else out

        return call

    return make


@primitive(inner=True)
def ReLUV3():
    """``max(x, 0)``."""
    return lambda x: F.relu(x)


@primitive
def Load():
    """The value that a parameter has now, as MindSpore's compiler reads it.

    Inputs:
        - **variable** (Parameter) - the parameter.
        - **monad** (Any) - without effect. Default: None.

    Outputs:
        Tensor, a copy.

    Examples:
        >>> print(ops.operations.Load()(ms.Parameter(Tensor([1.0, 2.0]))))
        [1. 2.]
    """
    return lambda variable, monad=None: P.copy(variable)


@primitive
def Cauchy(size, median=0.0, sigma=1.0):
    """Numbers of a Cauchy distribution, by its inverse.

    Args:
        size (list[int], tuple[int]): the shape.
        median (float): the middle. Default: 0.0.
        sigma (float): the half width at half height. Default: 1.0.

    Returns:
        Tensor[size, float32]: the numbers.

    Raises:
        ValueError: ``size`` has a negative element.

    Examples:
        >>> ops.Cauchy([2, 3])().shape
        (2, 3)
    """

    def call():
        u = P.uniform(key_of(0), sizes_of(size), dt.float32)
        return median + sigma * P.tan(math.pi * (u - 0.5))

    return call


@primitive
def LogNormalReverse(mean=1.0, std=2.0):
    """Numbers of a lognormal distribution in the shape of the operand.

    Args:
        mean, std (float): of the logarithm. Default: 1.0 and 2.0.
        input_data (Tensor[any shape, float]): gives shape and dtype.

    Returns:
        Tensor: like ``input_data``.

    Raises:
        TypeError: ``input_data`` is not floating point.

    Examples:
        >>> ops.LogNormalReverse(0.0, 0.0)(ops.zeros((2,))).asnumpy().tolist()
        [1.0, 1.0]
    """

    def call(input_data):
        normal = F.standard_normal(input_data.shape)
        return P.cast(P.exp(mean + std * normal), input_data.dtype)

    return call


@primitive
def NonDeterministicInts(dtype=dt.int64):
    """Integers of the whole range of a dtype.

    Args:
        dtype (dtype): int32 or int64. Default: ``int64``.
        shape (tuple[int] | Tensor[(rank,), int]): the shape.

    Returns:
        Tensor[shape, dtype]: the integers.

    Raises:
        TypeError: ``dtype`` is no integer dtype.

    Examples:
        >>> ops.NonDeterministicInts()((2, 3)).shape
        (2, 3)
    """
    expect(dtype.is_int, "dtype", "an integer dtype", TypeError, got=dtype)
    bits = 8 * dtype.itemsize

    def call(shape):
        sizes = sizes_of(shape)
        halves = [
            P.cast(P.uniform(key_of(0), sizes, dt.float64) * 2.0**32, dt.int64) for _ in range(2)
        ]
        whole = halves[0] * (1 << 32) + halves[1] if bits == 64 else halves[0]
        return P.cast(whole - (1 << 31) if bits < 64 else whole, dtype)

    return call


@primitive(inner=True)
def Uniform(minval=0.0, maxval=1.0, seed=0, offset=0):
    """Numbers between two bounds in the shape of the operand."""

    def call(x):
        if not x.dtype.is_float:
            raise complain(TypeError, f"x has dtype {x.dtype}", expected="a floating-point dtype")
        u = P.uniform(key_of(seed or offset), x.shape, dt.float32)
        return P.cast(minval + (maxval - minval) * u, x.dtype)

    return call


@primitive
def ParameterizedTruncatedNormal(seed=0, seed2=0):
    """Rows of normal distributions, each between its own bounds, by their inverse.

    Args:
        seed, seed2 (int): of the stream; 0 for the common one. Default: 0.
        shape (tuple[int] | Tensor[(rank,), int]): the shape; a row for each distribution.
        mean, stdevs, min, max (Tensor[(rows,), float]): of each row.

    Returns:
        Tensor[shape]: the numbers.

    Raises:
        ValueError: a parameter has another number of rows.

    Examples:
        >>> zero, one = Tensor([0.0]), Tensor([1.0])
        >>> x = ops.ParameterizedTruncatedNormal()((1, 8), zero, one, zero, one)
        >>> bool((x >= 0).all() and (x <= 1).all())
        True
    """

    def call(shape, mean, stdevs, min, max):
        sizes = sizes_of(shape)
        lift = (-1,) + (1,) * (len(sizes) - 1)
        centre, width, low, high = (P.reshape(v, lift) for v in (mean, stdevs, min, max))
        root = math.sqrt(2.0)
        first, last = (P.erf((v - centre) / (width * root)) for v in (low, high))
        u = P.uniform(key_of(seed or seed2), sizes, mean.dtype)
        drawn = centre + width * root * P.erfinv(first + (last - first) * u)
        return P.maximum(P.minimum(drawn, high), low)

    return call


@primitive
def Quantile(dim=None, keep_dims=False, ignore_nan=False):
    """Quantiles along a dimension, interpolated linearly.

    Args:
        dim (int): the dimension; None stands for all elements. Default: None.
        keep_dims (bool): leave the dimension with size 1. Default: False.
        ignore_nan (bool): of what is a number. Default: False.
        input (Tensor[any shape, float]): the operand.
        q (Tensor[(M,), float]): which quantiles, in [0, 1].

    Returns:
        Tensor[(M, ...)]: the quantiles.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> print(ops.Quantile(0)(Tensor([1.0, 2.0, 4.0]), Tensor([0.5])))
        [2.]
    """
    fn = F.nanquantile if ignore_nan else F.quantile
    return lambda input, q: fn(input, q, dim, keep_dims)


@hosted(lambda x: np.linalg.eigh(x), nondiff=True)
def _eigh(x: Tensor):
    return AbstractTuple((AbstractTensor(x.shape[:-1], x.dtype), AbstractTensor(x.shape, x.dtype)))


@primitive(inner=True)
def SelfAdjointEig(compute_v=True):
    """The eigenvalues of symmetric matrices, rising, and the vectors; 0 in place of these if they are not
    wanted.
    """

    def call(x):
        values, vectors = _eigh(x)
        return values, vectors if compute_v else P.full((1,), 0, x.dtype)

    return call


@hosted(lambda diagonals, rhs: _tridiagonal(diagonals, rhs), nondiff=True)
def _solve_tridiagonal(diagonals: Tensor, rhs: Tensor):
    return AbstractTensor(rhs.shape, rhs.dtype)


def _tridiagonal(diagonals, rhs):
    n = rhs.shape[-2]
    matrix = np.zeros(rhs.shape[:-2] + (n, n), rhs.dtype)
    at = np.arange(n)
    matrix[..., at, at] = diagonals[..., 1, :]
    matrix[..., at[:-1], at[1:]] = diagonals[..., 0, :-1]
    matrix[..., at[1:], at[:-1]] = diagonals[..., 2, 1:]
    return np.linalg.solve(matrix, rhs)


@primitive(inner=True)
def TridiagonalSolve(partial_pivoting=True):
    """The solution of a system whose matrix is given by its diagonals: upper, main, lower.

    Args:
        partial_pivoting (bool): has no effect: rows are always exchanged where that helps.
    """

    def call(diagonals, rhs):
        fits = diagonals.shape[-2] == 3 and diagonals.shape[-1] == rhs.shape[-2]
        expect(fits, "diagonals", f"of shape (..., 3, {rhs.shape[-2]})", got=diagonals.shape)
        return _solve_tridiagonal(diagonals, rhs)

    return call


@primitive(inner=True)
def RangeV2(maxlen=1000000):
    """Numbers from ``start`` to before ``limit``.

    Args:
        maxlen (int): has no effect: there may be any number of them.
    """
    return lambda start, limit, delta: F.range(start, limit, delta)


@primitive
def ScatterAddWithAxis(axis=0):
    """``updates`` added at ``indices`` along a dimension.

    Args:
        axis (int): the dimension. Default: 0.
        input_x (Tensor[any shape, number]): the operand.
        indices (Tensor[any shape, int]): where, along ``axis``.
        updates (Tensor): of the shape of ``indices``.

    Returns:
        Tensor: like ``input_x``.

    Raises:
        IndexError: an index is out of range.

    Examples:
        >>> op = ops.ScatterAddWithAxis(1)
        >>> print(op(Tensor([[1, 2, 3]]), Tensor([[2, 0]]), Tensor([[5, 7]])))
        [[8 2 8]]
    """
    return lambda input_x, indices, updates: F.tensor_scatter_elements(
        input_x, indices, updates, axis, "add"
    )


@primitive
def Randperm(max_length=1, pad=-1, dtype=dt.int32):
    """A random order of ``n`` numbers, filled up with ``pad``.

    Args:
        max_length (int): how many elements the result has. Default: 1.
        pad (int): what follows behind ``n`` numbers. Default: -1.
        dtype (dtype): of the result. Default: ``int32``.
        n (Tensor[(1,), int]): how many numbers.

    Returns:
        Tensor[(max_length,), dtype]: 0 to n - 1 in a random order, and ``pad``.

    Raises:
        ValueError: ``n`` has another shape.

    Examples:
        >>> print(ops.Randperm(3, -1)(Tensor([1], ms.int32)))
        [ 0 -1 -1]
    """

    def call(n):
        expect(n.shape == (1,), "n", "of one element", got=n.shape)
        u = P.uniform(key_of(0), (max_length,), dt.float64)
        inside = P.less(P.arange(0, max_length, 1, dt.int64), P.cast(n, dt.int64))
        order = F.argsort(P.select(inside, u, 2.0))
        return P.cast(P.select(inside, P.cast(order, dt.int64), pad), dtype)

    return call


@primitive
def RmsNorm(epsilon=1e-6):
    """`rms_norm` over the last dimension, and the inverse of the roots.

    Args:
        epsilon (float): is added to the mean of squares. Default: 1e-06.
        x (Tensor[(..., N), float]): the operand.
        gamma (Tensor[(N,), float]): the scale.

    Returns:
        tuple[Tensor, Tensor]: the normalised operand, and the factors.

    Raises:
        ValueError: ``gamma`` has another shape.

    Examples:
        >>> print(ops.RmsNorm(0.0)(Tensor([3.0, -3.0]), ops.ones((2,)))[0])
        [ 1. -1.]
    """
    return lambda x, gamma: F.rms_norm(x, gamma, epsilon)


@primitive(inner=True)
def InstanceNormV2(is_training=True, momentum=0.1, epsilon=1e-5):
    """Normalisation of each image and channel, by its own mean and variance, which are returned too, or by
    the given ones.
    """

    def call(x, gamma, beta, mean, variance):
        axes = tuple(range(2, len(x.shape)))
        lift = mean.shape[:2] + (1,) * (len(x.shape) - 2)
        if not is_training:
            found, spread = P.reshape(mean, lift), P.reshape(variance, lift)
        else:
            found = F.mean(x, axes, True)
            spread = F.mean(P.square(x - found), axes, True)
        out = (x - found) * P.rsqrt(spread + epsilon)
        out = out * P.reshape(gamma, lift) + P.reshape(beta, lift)
        shape = mean.shape
        return out, P.reshape(found, shape), P.reshape(spread, shape)

    return call


@primitive(inner=True)
def SparseSoftmaxCrossEntropyWithLogitsV2():
    """The loss of each row for the class id in ``labels``, and its gradient."""

    def call(features, labels):
        log = F.log_softmax(features, -1)
        hot = P.cast(F.one_hot(labels, features.shape[-1], 1, 0), features.dtype)
        return -P.sum(log * hot, (len(features.shape) - 1,), False), P.exp(log) - hot

    return call


@primitive
def ConfusionMatrix(num_classes, dtype="int32"):
    """How often each class was taken for each.

    Args:
        num_classes (int): the number of classes.
        dtype (str): of the result. Default: "int32".
        labels, predictions (Tensor[(N,), int]): class ids.
        weights (Tensor[(N,), number]): of each pair. Default: None, 1.

    Returns:
        Tensor[(num_classes, num_classes), dtype]: in rows by label.

    Raises:
        IndexError: an id is out of range.

    Examples:
        >>> print(ops.ConfusionMatrix(2)(Tensor([0, 1]), Tensor([1, 1])))
        [[0 1]
         [0 1]]
    """

    def call(labels, predictions, weights=None):
        kind = dt.of(dtype)
        weights = P.full(labels.shape, 1, kind) if weights is None else P.cast(weights, kind)
        at = F.stack((P.cast(labels, dt.int64), P.cast(predictions, dt.int64)), 1)
        zeros = P.full((num_classes, num_classes), 0, kind)
        return P.tensor_scatter(zeros, at, weights, "add")

    return call


@primitive
def DepthwiseConv2dNative(
    channel_multiplier, kernel_size, mode=3, pad_mode="valid", pad=0, stride=1, dilation=1, group=1
):
    """A convolution of each channel by itself.

    Args:
        channel_multiplier (int): how many results each channel has.
        kernel_size (int, tuple[int]): the window; the weights tell.
        mode (int): has no effect. Default: 3.
        pad_mode (str): "valid", "same" or "pad". Default: "valid".
        pad, stride, dilation (int, tuple[int]): of the windows. Default: 0, 1 and 1.
        group (int): has no effect. Default: 1.
        x (Tensor[(N, C, H, W), float]): the images.
        w (Tensor[(channel_multiplier, C, KH, KW), float]): the weights.

    Returns:
        Tensor[(N, C * channel_multiplier, OH, OW)]: the results.

    Raises:
        ValueError: ``w`` has another number of channels.

    Examples:
        >>> op = ops.DepthwiseConv2dNative(1, 1)
        >>> print(op(ops.ones((1, 2, 1, 1)), Tensor([[[[2.0]], [[3.0]]]])).flatten())
        [2. 3.]
    """

    def call(x, w):
        c = x.shape[1]
        expect(
            w.shape[:2] == (channel_multiplier, c), "w", f"of {channel_multiplier} x {c} kernels"
        )
        filters = P.reshape(P.transpose(w, (1, 0, 2, 3)), (c * channel_multiplier, 1) + w.shape[2:])
        return F.conv2d(x, filters, None, stride, pad_mode, pad, dilation, c)

    return call


@primitive
def DropoutGenMask(Seed0=0, Seed1=0):
    """One bit for each element of a shape, set with ``keep_prob``, in bytes; filled up to 128 bits.

    Args:
        Seed0, Seed1 (int): of the stream; 0 for the common one. Default: 0.
        shape (tuple[int]): the shape.
        keep_prob (float | Tensor[(), float]): how likely a bit is set.

    Returns:
        Tensor[(bytes,), uint8]: the bits, lowest first.

    Raises:
        ValueError: ``shape`` has a negative element.

    Examples:
        >>> print(ops.DropoutGenMask()((3,), 1.0)[:2])
        [255 255]
    """

    def call(shape, keep_prob):
        n = math.prod(sizes_of(shape))
        size = -(-n // 128) * 128
        kept = P.less(P.uniform(key_of(Seed0 or Seed1), (size,), dt.float32), keep_prob)
        weights = as_tensor([1 << i for i in range(8)], dt.int64)
        bits = P.reshape(P.cast(kept, dt.int64), (size // 8, 8)) * weights
        return P.cast(P.sum(bits, (1,), False), dt.uint8)

    return call


@primitive
def DropoutDoMask():
    """The elements whose bits are set, divided by ``keep_prob``; zeros elsewhere.

    Args:
        input_x (Tensor[any shape, float]): the operand.
        mask (Tensor[(bytes,), uint8]): as of `DropoutGenMask`.
        keep_prob (float | Tensor[(), float]): how likely a bit was set.

    Returns:
        Tensor: like ``input_x``.

    Raises:
        ValueError: ``mask`` is too short.

    Examples:
        >>> print(ops.DropoutDoMask()(Tensor([1.0, 2.0]), Tensor([2], ms.uint8), 0.5))
        [0. 4.]
    """

    def call(input_x, mask, keep_prob):
        n = math.prod(input_x.shape)
        powers = as_tensor([1 << i for i in range(8)], dt.int64)
        bits = P.reshape(P.cast(mask, dt.int64), (-1, 1)) // powers % 2
        bits = P.reshape(P.strided_slice(P.reshape(bits, (-1,)), (0,), (n,), (1,)), input_x.shape)
        return P.select(
            P.not_equal(bits, 0), input_x / keep_prob, P.full(input_x.shape, 0, input_x.dtype)
        )

    return call


@primitive(like="approximate_equal")
def ApproximateEqual(tolerance=1e-05):
    """See `ops.approximate_equal`."""
    check_tolerance(tolerance)
    return lambda x, y: approximate_equal(x, y, tolerance)


primitive(name="AvgPoolV1", inner=True)(_pool("avg"))
primitive(name="MaxPoolV1", inner=True)(_pool("max"))

"""Bands of diagonals of matrices, packed as rows, and matrices made of them.

Row i of a packed band is the diagonal hi - i; shorter ones are filled up on the side that ``align``
says. The places are known while compiling, so that each function is one gather.
"""

from __future__ import annotations

import math

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...base.limits import times
from ...tensor import Tensor
from ..define import P
from ..faces import face
from .array_func import expand_dims
from .columns_func import fold
from .common import as_tensor, known_values

_ALIGN = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _band(k) -> tuple:
    """The lowest and the highest diagonal that ``k`` (an int, one or two, or a tensor of these)
    means.
    """
    if not isinstance(k, (int, tuple, list)):
        k = known_values("matrix_diag", k)[0].ravel().tolist()
    two = (k, k) if isinstance(k, int) else tuple(k) * 2 if len(k) == 1 else tuple(k)
    expect(
        len(two) == 2 and two[0] <= two[1],
        "k",
        "one diagonal, or the lowest and the highest",
        got=k,
    )
    times(two[1] - two[0] + 1, "k")
    return two


def _length(rows: int, columns: int, d: int) -> int:
    return min(rows + min(d, 0), columns - max(d, 0))


def _offset(d: int, longest: int, rows: int, columns: int, align: str) -> int:
    expect(align in _ALIGN, "align", f"one of {', '.join(_ALIGN)}", got=repr(align))
    above, below = align.split("_")
    left = d >= 0 and above == "LEFT" or d <= 0 and below == "LEFT"
    return 0 if left else longest - _length(rows, columns, d)


def _taken(x, shape_of_last: tuple, places, keep, otherwise):
    """The elements at flat ``places`` of the last dimensions, and ``otherwise`` where ``keep`` is
    False.
    """
    rank = len(shape_of_last)
    lead = x.shape[: len(x.shape) - rank]
    flat = P.reshape(x, (-1, math.prod(shape_of_last)))
    seen = P.reshape(P.gather(flat, Tensor(places.ravel()), 1), lead + places.shape)
    if keep.all():
        return seen
    return P.select(Tensor(keep), seen, otherwise)


@face(cls="MatrixDiagPartV3(align='RIGHT_LEFT')")
def matrix_diag_part(x, k, padding_value, align="RIGHT_LEFT"):
    """A band of diagonals of matrices, each one a row.

    Args:
        x (Tensor[(..., M, N)]): the matrices.
        k (int, tuple[int], Tensor): the diagonal, or the lowest and the highest one; positive ones
            are above the main.
        padding_value (number, Tensor): fills up shorter diagonals.
        align (str): on which side diagonals above and below the main are filled: ``"RIGHT_LEFT"``
            aligns those above on the right, those below on the left. Default: ``"RIGHT_LEFT"``.

    Returns:
        Tensor[(..., K, L)]: without K for a single diagonal.

    Raises:
        ValueError: ``x`` has a rank that does not fit.

    Examples:
        >>> print(ops.matrix_diag_part(Tensor([[1, 2], [3, 4]]), (0, 1), 0))
        [[0 2]
         [1 4]]
    """
    low, high = _band(k)
    rows, columns = x.shape[-2:]
    longest = max(_length(rows, columns, d) for d in range(low, high + 1))
    places, keep = (np.zeros((high - low + 1, longest), t) for t in (np.int64, bool))
    for i, d in enumerate(range(high, low - 1, -1)):
        at = np.arange(_length(rows, columns, d))
        to = at + _offset(d, longest, rows, columns, align)
        places[i, to], keep[i, to] = (at + max(-d, 0)) * columns + at + max(d, 0), True
    if low == high:
        places, keep = places[0], keep[0]
    return _taken(x, (rows, columns), places, keep, P.cast(as_tensor(padding_value), x.dtype))


def _laid(rows: int, columns: int, low: int, high: int, longest: int, align: str) -> tuple:
    """For each element of a matrix its flat place in the packed band, and whether it is in the
    band.
    """
    i, j = np.mgrid[:rows, :columns]
    d = j - i
    keep = (d >= low) & (d <= high)
    offsets = np.array([_offset(n, longest, rows, columns, align) for n in range(low, high + 1)])
    inside = np.clip(d, low, high)
    places = (high - inside) * longest + np.minimum(i, j) + offsets[inside - low]
    return np.where(keep, places, 0), keep


@face(cls="MatrixDiagV3(align='RIGHT_LEFT')")
def matrix_diag(x, k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    """Matrices with these diagonals; the inverse of `matrix_diag_part`.

    Args:
        x (Tensor[(..., K, L)]): the diagonals, without K for a single one.
        k (int, tuple[int], Tensor): which ones they are. Default: 0.
        num_rows, num_cols (int, Tensor): the size; -1 for the least that fits. Default: -1.
        padding_value (number, Tensor): is elsewhere. Default: 0.
        align (str): as in `matrix_diag_part`.

    Returns:
        Tensor[(..., num_rows, num_cols)]: of the same dtype.

    Raises:
        ValueError: ``x`` has a rank that does not fit.

    Examples:
        >>> print(ops.matrix_diag(Tensor([1, 2]), 1))
        [[0 1 0]
         [0 0 2]
         [0 0 0]]
    """
    low, high = _band(k)
    longest = x.shape[-1]
    rows, columns = (
        n if isinstance(n, int) else int(known_values("matrix_diag", n)[0])
        for n in (num_rows, num_cols)
    )
    least = longest - min(high, 0), longest + max(low, 0)
    if rows == -1 and columns == -1:
        rows = columns = max(least)
    rows, columns = (least[0] if rows == -1 else rows), (least[1] if columns == -1 else columns)
    packed = x.shape[-1:] if low == high else x.shape[-2:]
    places, keep = _laid(rows, columns, low, high, longest, align)
    return _taken(x, packed, places, keep, P.cast(as_tensor(padding_value), x.dtype))


@face(cls="MatrixSetDiagV3(align='RIGHT_LEFT')")
def matrix_set_diag(x, diagonal, k=0, align="RIGHT_LEFT"):
    """Matrices with a band of diagonals replaced.

    Args:
        x (Tensor[(..., M, N)]): the matrices.
        diagonal (Tensor[(..., K, L)]): the new diagonals, without K for a single one.
        k (int, tuple[int], Tensor): which ones they are. Default: 0.
        align (str): as in `matrix_diag_part`.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Raises:
        TypeError: ``x`` has a rank that does not fit.

    Examples:
        >>> print(ops.matrix_set_diag(Tensor([[1, 2], [3, 4]]), Tensor([8, 9])))
        [[8 2]
         [3 9]]
    """
    low, high = _band(k)
    packed = diagonal.shape[-1:] if low == high else diagonal.shape[-2:]
    places, keep = _laid(*x.shape[-2:], low, high, diagonal.shape[-1], align)
    dtype = dt.promote(x.dtype, diagonal.dtype)
    return _taken(P.cast(diagonal, dtype), packed, places, keep, P.cast(x, dtype))


@face(cls="Padding(pad_dim_size=8)")
def padding(x, pad_dim_size=8):
    """The last dimension, of size 1, filled up with zeros.

    Args:
        x (Tensor[(..., 1)]): the operand.
        pad_dim_size (int): the size of the last dimension afterwards. Default: 8.

    Returns:
        Tensor[(..., pad_dim_size)]: of the same dtype.

    Raises:
        ValueError: ``x`` has a rank that does not fit.

    Examples:
        >>> print(ops.padding(Tensor([[1.0], [2.0]]), 3))
        [[1. 0. 0.]
         [2. 0. 0.]]
    """
    expect(
        x.shape[-1] == 1 and pad_dim_size > 0, "x", "of size 1 in the last dimension", got=x.shape
    )
    return P.pad(x, ((0, 0),) * (len(x.shape) - 1) + ((0, pad_dim_size - 1),), 0)


@face(cls="MirrorPad(mode='REFLECT')")
def mirror_pad(input_x, paddings, mode):
    """The tensor continued by its mirror image.

    Args:
        input_x (Tensor): the operand.
        paddings (Tensor[(rank, 2), int], tuple): how many elements before and after, in each
        dimension.
        mode (str): ``"REFLECT"`` without the edge, ``"SYMMETRIC"`` with it.

    Returns:
        Tensor: larger by the paddings, of the same dtype.

    Raises:
        TypeError: ``paddings`` is not a Tensor.
        ValueError: the shape of ``paddings`` does not fit ``input_x``.

    Examples:
        >>> print(ops.mirror_pad(Tensor([1, 2, 3]), Tensor([[2, 1]]), "SYMMETRIC"))
        [2 1 1 2 3 3]
    """
    expect(mode in ("REFLECT", "SYMMETRIC"), "mode", "'REFLECT' or 'SYMMETRIC'", got=repr(mode))
    if not isinstance(paddings, (tuple, list)):
        paddings = known_values("mirror_pad", paddings)[0].tolist()
    out = input_x
    for axis, (low, high) in enumerate(paddings):
        at = np.pad(
            np.arange(input_x.shape[axis]),
            (int(low), int(high)),
            "reflect" if mode == "REFLECT" else "symmetric",
        )
        out = P.gather(out, Tensor(at), axis) if low or high else out
    return out


@face(cls=True)
def population_count(input_x):
    """How many bits of each integer are 1.

    Args:
        input_x (Tensor[any shape, int16 or uint16]): the integers.

    Returns:
        Tensor: of the same shape, uint8.

    Raises:
        TypeError: ``input_x`` has a rank that does not fit.

    Examples:
        >>> print(ops.population_count(Tensor([0, 1, 3], ms.int16)))
        [0 1 2]
    """
    bits = 8 * input_x.dtype.itemsize
    last = P.bitwise_and(
        P.right_shift(
            expand_dims(input_x, -1), P.cast(P.arange(0, bits, 1, dt.int64), input_x.dtype)
        ),
        1,
    )
    return P.cast(P.sum(P.cast(last, dt.int32), -1, False), dt.uint8)


@face(cls="Pdist(p=2.0)")
def pdist(input, p=2.0):
    r"""The distances :math:`\|x_i - x_j\|_p` of all pairs i < j of rows.

    Args:
        input (Tensor[(..., N, M), float]): the points.
        p (float): which norm. Default: 2.

    Returns:
        Tensor[(..., N (N - 1) / 2)]: of the same dtype.

    Raises:
        ValueError: ``input`` has a rank that does not fit.

    Examples:
        >>> print(ops.pdist(Tensor([[0.0, 0.0], [3.0, 4.0]])))
        [5.]
    """
    i, j = np.triu_indices(input.shape[-2], 1)
    axis = len(input.shape) - 2
    off = P.abs(P.sub(P.gather(input, Tensor(i), axis), P.gather(input, Tensor(j), axis)))
    return _length_of(off, p)


def _length_of(off, p: float):
    """The p-norm of the last dimension of numbers that are not negative, with gradient 0 at 0."""
    if p == 0:
        return P.sum(P.cast(P.not_equal(off, 0), off.dtype), -1, False)
    if math.isinf(p):
        return P.amax(off, -1, False)
    total = P.sum(P.pow(off, p), -1, False)
    zero = P.equal(total, 0)
    return P.select(zero, 0, P.pow(P.select(zero, 1, total), 1 / p))


def dist(input, other, p=2):
    r""":math:`\|x - y\|_p` of all elements.

    Args:
        input (Tensor[any shape, float]): x.
        other (Tensor): y; shapes broadcast.
        p (number): which norm. Default: 2.

    Returns:
        Tensor: a scalar.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``other`` does not fit ``input``.

    Examples:
        >>> print(ops.dist(Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]])))
        5.0
    """
    return _length_of(P.reshape(P.abs(P.sub(input, other)), (-1,)), float(p))


@face(method=True, cls="Renorm(p, dim, maxnorm)")
def renorm(input, p, axis, maxnorm):
    """The slices along a dimension, scaled down where their norm is larger.

    Args:
        input (Tensor[any shape, float]): the operand.
        p (float): which norm.
        axis (int): the dimension.
        maxnorm (float): what norms are at most afterwards.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` has a dtype that is not supported.

    Examples:
        >>> print(ops.renorm(Tensor([[3.0, 4.0], [0.0, 1.0]]), 2, 0, 1.0).asnumpy().round(4))
        [[0.6 0.8]
         [0.  1. ]]
    """
    others = tuple(i for i in range(len(input.shape)) if i != axis % len(input.shape))
    if p == math.inf:
        norm = P.amax(P.abs(input), others, True)
    else:
        norm = P.pow(P.sum(P.pow(P.abs(input), float(p)), others, True), 1.0 / p)
    return input * P.select(P.greater(norm, maxnorm), maxnorm / (norm + 1e-7), 1)


def bidense(input1, input2, weight, bias=None):
    r""":math:`y_o = x_1^T A_o x_2 + b_o`.

    Args:
        input1 (Tensor[(..., N), float]): the left operand.
        input2 (Tensor[(..., M), float]): the right operand.
        weight (Tensor[(O, N, M), float]): the forms.
        bias (Tensor[(O,), float]): Default: None.

    Returns:
        Tensor[(..., O)]: of the common dtype.

    Raises:
        TypeError: ``input1`` is not a Tensor.
        ValueError: the shape of ``input2`` does not fit ``input1``.

    Examples:
        >>> print(ops.bidense(ops.ones((1, 2)), ops.ones((1, 3)), ops.ones((4, 2, 3))))
        [[6. 6. 6. 6.]]
    """
    o, n, m = weight.shape
    left = P.matmul(
        P.reshape(input1, (-1, n)), P.reshape(P.transpose(weight, (1, 0, 2)), (n, o * m))
    )
    out = P.sum(P.reshape(left, (-1, o, m)) * P.reshape(input2, (-1, 1, m)), -1, False)
    out = P.reshape(out, input1.shape[:-1] + (o,))
    return out if bias is None else out + bias


@face(cls=True)
def eps(x):
    """The distance of 1 and the next larger number of this dtype, in the shape of ``x``.

    Args:
        x (Tensor[any shape, float]): gives shape and dtype.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: ``x`` has a dtype that is not supported.

    Examples:
        >>> print(ops.eps(Tensor([5.0], ms.float32)))
        [1.1920929e-07]
    """
    smallest = 2.0**-7 if x.dtype is dt.bfloat16 else float(np.finfo(x.dtype.np).eps)
    return P.full(x.shape, smallest, x.dtype)


def swiglu(input, dim=-1):
    """The first half along a dimension, through SiLU, times the second half.

    Args:
        input (Tensor[any shape, float]): of an even size along ``dim``.
        dim (int): the dimension that is halved. Default: -1.

    Returns:
        Tensor: half as long along ``dim``.

    Raises:
        IndexError: ``dim`` is out of range.

    Examples:
        >>> print(ops.swiglu(Tensor([0.0, 2.0])))
        [0.]
    """
    half = input.shape[dim] // 2
    first, second = (
        P.gather(input, P.arange(a, a + half, 1, dt.int64), dim % len(input.shape))
        for a in (0, half)
    )
    return first * P.sigmoid(first) * second


@face(cls=True)
def type_as(input, other):
    """``input`` in the dtype of ``other``.

    Args:
        input (Tensor): the operand.
        other (Tensor): gives the dtype.

    Returns:
        Tensor: of the shape of ``input`` and the dtype of ``other``.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> ops.type_as(Tensor([1]), Tensor([1.0])).dtype
        Float32
    """
    return P.cast(input, other.dtype)


@face(method=True, cls="Col2Im(kernel_size, dilation=1, padding: padding_value = 0, stride=1)")
def col2im(input_x, output_size, kernel_size, dilation, padding_value, stride):
    """Columns (N, C, K, L) summed at their places in images (N, C, H, W). See `fold`.

    Args:
        input_x (Tensor[(N, C, K, L), float]): the columns.
        output_size (tuple[int], Tensor): (H, W).
        kernel_size (tuple[int]): of the windows.
        dilation (tuple[int]): the distance of a window's elements.
        padding_value (tuple[int]): how far the images were padded.
        stride (tuple[int]): the distance of windows.

    Returns:
        Tensor[(N, C, H, W)]: the sums, of the same dtype.

    Raises:
        ValueError: ``input_x`` has a rank that does not fit.

    Examples:
        >>> ops.col2im(ops.ones((1, 1, 4, 1)), (2, 2), (2, 2), (1, 1), (0, 0), (1, 1)).shape
        (1, 1, 2, 2)
    """
    size = (
        output_size
        if isinstance(output_size, (tuple, list))
        else tuple(known_values("col2im", output_size)[0].tolist())
    )
    flat = P.reshape(input_x, (input_x.shape[0], -1, input_x.shape[-1]))
    return fold(flat, tuple(size), kernel_size, dilation, padding_value, stride)

"""New tensors under MindSpore's names."""

from __future__ import annotations

from ...base import dtype as dt
from ...base.errors import expect
from ...ir.dim import Dim, is_size
from ...ir.node import Node
from ..define import P
from ..faces import face
from ..repeated import repeated
from ..rules import known
from .common import as_tensor, is_tensor


def _shape(size) -> tuple:
    if is_tensor(size):
        expect(hasattr(size, "tolist"), "shape", "known when the program is compiled", TypeError)
        size = size.tolist()
    return (size,) if is_size(size) or isinstance(size, (int, Node)) else tuple(size)


def full(size, fill_value, *, dtype=None):
    """A tensor filled with one number.

    Args:
        size (int, tuple[int]): its shape.
        fill_value (number | Tensor): the number.
        dtype (dtype): its element type. Default: that of a tensor, int64 for a number, as in
            MindSpore.

    Returns:
        Tensor[size]: of ``dtype``.

    Raises:
        TypeError, ValueError: ``size`` is no shape.

    Examples:
        >>> print(ops.full((2,), 7.5, dtype=ms.float32))
        [7.5 7.5]
    """
    if isinstance(fill_value, Node) or is_tensor(fill_value):
        known(size, "shape")
        value = as_tensor(fill_value, dt.int64 if dtype is None else dt.of(dtype))
        return P.broadcast_to(value if dtype is None else P.cast(value, dt.of(dtype)), _shape(size))
    return P.full(_shape(size), fill_value, dt.int64 if dtype is None else dt.of(dtype))


@face(cls=True)
def fill(type, shape, value):
    """A tensor of ``type`` and ``shape`` filled with ``value``. See `full`.

    Args:
        type (dtype): the dtype.
        shape (tuple[int]): the shape.
        value (number): the element.

    Returns:
        Tensor: of that shape and dtype.

    Raises:
        TypeError: ``type`` has a wrong type.

    Examples:
        >>> print(ops.fill(ms.int32, (2,), 7))
        [7 7]
    """
    return full(shape, value, dtype=type)


@face(cls=True)
def zeros(size, dtype=None):
    """A tensor of zeros.

    Args:
        size (int, tuple[int]): its shape.
        dtype (dtype): its element type. Default: float32.

    Returns:
        Tensor[size]: of ``dtype``.

    Raises:
        TypeError: ``size`` has a wrong type.

    Examples:
        >>> print(ops.zeros((2,)))
        [0. 0.]
    """
    return P.full(_shape(size), 0, dt.float32 if dtype is None else dt.of(dtype))


@face(cls=True)
def ones(shape, dtype=None):
    """A tensor of ones.

    Args:
        shape (int, tuple[int]): its shape.
        dtype (dtype): its element type. Default: float32.

    Returns:
        Tensor[shape]: of ``dtype``.

    Raises:
        TypeError: ``shape`` has a wrong type.

    Examples:
        >>> print(ops.ones((2,)))
        [1. 1.]
    """
    return P.full(_shape(shape), 1, dt.float32 if dtype is None else dt.of(dtype))


@face(cls="Fills", mint=True)
def full_like(input, fill_value, *, dtype=None):
    """A tensor of the shape (and dtype) of ``input``, filled with one number.

    Args:
        input (Tensor): gives the shape.
        fill_value (number): the element.
        dtype (dtype): the dtype. Default: that of ``input``.

    Returns:
        Tensor: of the shape of ``input``.

    Raises:
        TypeError: ``fill_value`` has a wrong type.

    Examples:
        >>> print(ops.full_like(Tensor([1.0, 2.0]), 7))
        [7. 7.]
    """
    return full(input.shape, fill_value, dtype=input.dtype if dtype is None else dtype)


@face(cls=True, mint=True)
def zeros_like(input, *, dtype=None):
    """Zeros of the shape (and dtype) of ``input``.

    Args:
        input (Tensor): gives the shape.
        dtype (dtype): the dtype. Default: that of ``input``.

    Returns:
        Tensor: of the shape of ``input``.

    Raises:
        TypeError: ``dtype`` has a wrong type.

    Examples:
        >>> print(ops.zeros_like(Tensor([1.0, 2.0])))
        [0. 0.]
    """
    return P.full(input.shape, 0, input.dtype if dtype is None else dt.of(dtype))


@face(cls=True, mint=True)
def ones_like(input, *, dtype=None):
    """Ones of the shape (and dtype) of ``input``.

    Args:
        input (Tensor): gives the shape.
        dtype (dtype): the dtype. Default: that of ``input``.

    Returns:
        Tensor: of the shape of ``input``.

    Raises:
        TypeError: ``dtype`` has a wrong type.

    Examples:
        >>> print(ops.ones_like(Tensor([3.0, 2.0])))
        [1. 1.]
    """
    return P.full(input.shape, 1, input.dtype if dtype is None else dt.of(dtype))


def _number(x):
    return x.item() if is_tensor(x) and hasattr(x, "asnumpy") else x


@face(alias="tensor_range", mint="arange range", cls="Range(maxlen: None = 1000000)")
def arange(start=0, end=None, step=1, *, dtype=None):
    """The numbers from ``start`` up to but without ``end``, ``step`` apart.

    Args:
        start (number): the first one; alone, it is ``end`` and counting starts from 0. Default: 0.
        end (number): the bound. Default: None.
        step (number): the distance. Default: 1.
        dtype (dtype): the element type. Default: int64 if all are ints, else float32.

    Returns:
        Tensor[(N,)]: of ``dtype``.

    Raises:
        ValueError: ``step`` is 0, or leads away from ``end``.

    Examples:
        >>> print(ops.arange(1, 7, 2))
        [1 3 5]
    """
    start, end, step = _number(start), _number(end), _number(step)
    if end is None:
        start, end = 0, start
    if all(isinstance(v, (int, float, Dim)) for v in (start, end, step)):
        expect(not (end - start) * step < 0, "step", f"towards end, {end}, from {start}", got=step)
    if dtype is None:
        dtype = dt.float32 if any(isinstance(v, float) for v in (start, end, step)) else dt.int64
    return P.arange(start, end, step, dt.of(dtype))


@face(cls="LinSpace")
def linspace(start, end, steps):
    """``steps`` numbers from ``start`` to ``end``, both included, evenly spaced.

    Args:
        start (number | Tensor): the first.
        end (number | Tensor): the last.
        steps (int): how many.

    Returns:
        Tensor[(steps,)]: of float32, or the dtype of ``start``.

    Raises:
        TypeError: ``start`` or ``end`` is complex.
        ValueError: ``steps`` is not positive.

    Examples:
        >>> print(ops.linspace(0, 1, 3))
        [0.  0.5 1. ]
    """
    steps = _number(steps)
    known(steps, "steps")
    expect(is_size(steps) and steps > 0, "steps", "a positive int", got=steps)
    for name, end_point in (("start", start), ("end", end)):
        if is_tensor(end_point):
            dtype = end_point.dtype
            expect(not dtype.is_complex, name, "real", TypeError, got=dtype.name)
    dtype = start.dtype if is_tensor(start) else dt.float32
    if steps == 1:
        return P.cast(full((1,), start), dtype)
    ramp = P.arange(0, steps, 1, dtype)
    # From both ends, so that the last number is exactly `end`.
    step = (end - start) / (steps - 1)
    return P.select(P.less(ramp, steps // 2), start + ramp * step, end - (steps - 1 - ramp) * step)


@face(cls="LogSpace(steps=10, base=10, dtype=float32)")
def logspace(start, end, steps, base=10, *, dtype=dt.float32):
    """``steps`` powers of ``base``, whose exponents are evenly spaced from ``start`` to ``end``.

    Args:
        start (number): the first exponent.
        end (number): the last exponent.
        steps (int): how many numbers.
        base (number): the base. Default: 10.
        dtype (dtype): the dtype. Default: ``ms.float32``.

    Returns:
        Tensor[(steps,)]: the powers.

    Raises:
        TypeError: ``start`` has a wrong type.

    Examples:
        >>> print(ops.logspace(0, 2, 3))
        [  1.  10. 100.]
    """
    return P.cast(P.pow(float(base), linspace(start, end, steps)), dt.of(dtype))


@face(cls=True, mint=True)
def eye(n, m=None, dtype=None):
    """A matrix with ones on the main diagonal and zeros elsewhere.

    Args:
        n (int): rows.
        m (int): columns. Default: ``n``.
        dtype (dtype): the element type. Default: float32.

    Returns:
        Tensor[(n, m)]: of ``dtype``.

    Raises:
        ValueError: a size is negative.

    Examples:
        >>> print(ops.eye(2))
        [[1. 0.]
         [0. 1.]]
    """
    return P.eye(n, m, dt.float32 if dtype is None else dt.of(dtype))


def _of_rank_0(value):
    """A tensor of one element as a scalar; anything else as it is."""
    one = is_tensor(value) and value.shape and all(n == 1 for n in value.shape)
    return P.reshape(value, ()) if one else value


@face(cls="OneHot(axis=-1)")
@repeated
def one_hot(indices, depth, on_value=1, off_value=0, axis=-1):
    """Rows with ``on_value`` at one position and ``off_value`` elsewhere; all off where an index is
    out of range.

    Args:
        indices (Tensor[any shape, int]): the positions.
        depth (int): the length of each row.
        on_value (Tensor | number): a scalar, or of one element. Default: 1.
        off_value (Tensor | number): a scalar, or of one element. Default: 0.
        axis (int): where the new dimension goes; -1 is last. Default: -1.

    Returns:
        Tensor: of the common dtype of the two values.

    Raises:
        TypeError: ``indices`` holds no integers, or ``depth`` is no int.
        ValueError: ``axis`` is out of range, or ``depth`` is negative.

    Examples:
        >>> print(ops.one_hot(Tensor([0, 2]), 3))
        [[1 0 0]
         [0 0 1]]
    """
    return P.one_hot(indices, depth, _of_rank_0(on_value), _of_rank_0(off_value), axis)


@face(method=True, mint=True)
def tril(input, diagonal=0):
    """The lower triangles of the matrices in the last two dimensions.

    Args:
        input (Tensor): of rank 2 or more.
        diagonal (int): the last diagonal kept; 0 is the main one. Default: 0.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.tril(Tensor([[1, 2], [3, 4]])))
        [[1 0]
         [3 4]]
    """
    return P.tril(input, diagonal)


@face(method=True, mint=True)
def triu(input, diagonal=0):
    """The upper triangles of the matrices in the last two dimensions.

    Args:
        input (Tensor): of rank 2 or more.
        diagonal (int): the first diagonal kept; 0 is the main one. Default: 0.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.triu(Tensor([[1, 2], [3, 4]])))
        [[1 2]
         [0 4]]
    """
    return P.triu(input, diagonal)


@face(cls=True)
def diag(input):
    """The elements on the diagonal of a tensor of twice the dimensions: the diagonal matrix of a vector.

    Args:
        input (Tensor[(N, ...)]): the diagonal, of rank 1 or more.

    Returns:
        Tensor[(N, ..., N, ...)]: element (i, ..., i, ...) is element (i, ...) of ``input``; zeros
        elsewhere, of the same dtype.

    Raises:
        ValueError: ``input`` has rank 0.

    Examples:
        >>> print(ops.diag(Tensor([1, 2])))
        [[1 0]
         [0 2]]
    """
    expect(len(input.shape) > 0, "input", "of rank 1 or more", got=input.shape)
    n = input.size
    square = P.select(P.eye(n, n, dt.bool_), P.reshape(input, (1, n)), 0)
    return square if len(input.shape) == 1 else P.reshape(square, (*input.shape, *input.shape))


@face(cls="DiagPart")
def diagonal(input, offset=0, dim1=0, dim2=1):
    """The diagonals of the matrices in two dimensions.

    Args:
        input (Tensor): of rank 2 or more.
        offset (int): which diagonal; 0 is the main one. Default: 0.
        dim1, dim2 (int): rows and columns. Default: 0, 1.

    Returns:
        Tensor: without these dimensions, the diagonal as a new last one.

    Raises:
        TypeError: ``offset`` has a wrong type.

    Examples:
        >>> print(ops.diagonal(Tensor([[1, 2], [3, 4]])))
        [1 4]
    """
    rank = len(input.shape)
    a, b = dim1 % rank, dim2 % rank
    expect(a != b, "dim1 and dim2", "different", got=(dim1, dim2))
    if a > b:
        a, b, offset = b, a, -offset
    rest = tuple(i for i in range(rank) if i not in (a, b))
    x = P.transpose(input, (*rest, a, b))
    rows, columns = x.shape[-2:]
    n = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    flat = P.reshape(x, x.shape[:-2] + (rows * columns,))
    first = max(offset, 0) + max(-offset, 0) * columns
    last = first + (n - 1) * (columns + 1) + 1
    if type(n) is int and n == 0:
        first = last = 0
    zeros, ones = (0,) * len(rest), (1,) * len(rest)
    return P.strided_slice(flat, (*zeros, first), (*flat.shape[:-1], last), (*ones, columns + 1))


@face(cls=True, mint=True)
def trace(input):
    """The sum of the main diagonal of a matrix.

    Args:
        input (Tensor[(M, N)]): the matrix.

    Returns:
        Tensor: a scalar of the same dtype.

    Raises:
        TypeError: ``input`` has a dtype that is not supported.

    Examples:
        >>> print(ops.trace(Tensor([[1.0, 2.0], [3.0, 4.0]])))
        5.0
    """
    return (P.any if input.dtype.is_bool else P.sum)(diagonal(input))


@face(cls="TupleToArray")
def tuple_to_array(input_x):
    """Numbers that are known when the program is compiled as a vector.

    Args:
        input_x (tuple[number]): the numbers, of one kind.

    Returns:
        Tensor[(N,)]: int32, float32 or bool.

    Raises:
        TypeError: ``input_x`` has a wrong type.

    Examples:
        >>> print(ops.tuple_to_array((1, 2, 3)))
        [1 2 3]
    """
    found = as_tensor(list(input_x))
    return P.cast(found, dt.int32) if found.dtype is dt.int64 else found


def make_range(start, limit=None, delta=1):
    """The ints from ``start`` up to but without ``limit``, ``delta`` apart, as a tuple.

    Args:
        start (int): the first; the limit where that is not given.
        limit (int): the first that is not in it. Default: None.
        delta (int): the step. Default: 1.

    Returns:
        tuple[int]: the numbers.

    Raises:
        TypeError: ``start`` has a wrong type.

    Examples:
        >>> ops.make_range(0, 6, 2)
        (0, 2, 4)
    """
    return tuple(range(start) if limit is None else range(start, limit, delta))

"""Primitive classes that make, join, split and rearrange tensors whose call differs from the function's."""

from __future__ import annotations

from ...base import dtype as dt
from ...base.errors import expect
from ...tensor import Tensor
from ..define import P
from ..faces import face, primitive
from ..function.common import as_tensor, expect_tolerance, known_values, sizes_of
from ..functional import WITHIN as F
from ..rules import axis_of


def _several(args):
    """Operands given one by one, or as one tuple."""
    return args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args


@primitive(like="concat")
def Concat(axis=0):
    return lambda *operands, tensors=None: F.concat(
        _several(operands) if tensors is None else tensors, axis
    )


@primitive(like="meshgrid")
def Meshgrid(indexing="xy"):
    return lambda inputs: F.meshgrid(*inputs, indexing=indexing)


@primitive(like="split")
def Split(axis=0, output_num=1):
    def call(x):
        at = axis_of(axis, len(x.shape))
        return F.split(x, (x.shape[at] // output_num,) * output_num, at)

    return call


@face(cls="Flatten", like="flatten")
def _(input_x):
    expect(len(input_x.shape) > 0, "input_x", "of rank 1 or more", got=f"shape {input_x.shape}")
    flat = F.flatten(input_x)
    return flat if len(flat.shape) > 1 else P.reshape(flat, (*input_x.shape, 1))


@primitive(like="cast")
def ScalarCast():
    def call(input_x, input_y):
        """A number as one of the kind that a dtype is of."""
        if not isinstance(input_x, (bool, int, float)):
            return F.cast(input_x, input_y)
        dtype = dt.of(input_y)
        return (bool if dtype.is_bool else int if dtype.is_int else float)(input_x)

    return call


@primitive(like="stack")
def Stack(axis=0):
    return lambda *tensors: F.stack(_several(tensors), axis)


@primitive(like="stack")
def Pack(axis=0):
    return lambda *tensors: F.stack(_several(tensors), axis)


@primitive(like="batch_to_space_nd")
def BatchToSpace(block_size, crops):
    return lambda x: F.batch_to_space_nd(x, (block_size,) * 2, crops)


@face(cls="BatchToSpaceNDV2", like="batch_to_space_nd")
def _(x, block_shape, crops):
    return F.batch_to_space_nd(
        x, sizes_of(block_shape), known_values("BatchToSpaceNDV2", as_tensor(crops))[0].tolist()
    )


@primitive(like="space_to_batch_nd")
def SpaceToBatch(block_size, paddings):
    return lambda x: F.space_to_batch_nd(x, (block_size,) * 2, paddings)


def _data_format(src_format, dst_format):
    order = [src_format.index(c) for c in dst_format]
    back = [dst_format.index(c) for c in src_format]
    return order, back


@primitive
def DataFormatDimMap(src_format="NHWC", dst_format="NCHW"):
    """Dimensions of the layout ``dst_format`` as those of ``src_format``.

    Args:
        src_format (str): the layout of the result. Default: ``"NHWC"``.
        dst_format (str): the layout that numbers are given in. Default: ``"NCHW"``.
        x (Tensor[int]): the dimensions.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: the layouts have other letters.

    Examples:
        >>> print(ops.DataFormatDimMap()(Tensor([1, 3])))
        [3 2]
    """
    return lambda x: P.gather(
        Tensor(_data_format(src_format, dst_format)[0], x.dtype), P.mod(x, len(src_format)), 0
    )


@primitive
def DataFormatVecPermute(src_format="NHWC", dst_format="NCHW"):
    """Sizes in one layout as those in another.

    Args:
        src_format (str): the layout that numbers are given in. Default: ``"NHWC"``.
        dst_format (str): the other one. Default: ``"NCHW"``.
        x (Tensor[(4,), int]): one number per dimension.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: the layouts have other letters.

    Examples:
        >>> print(ops.DataFormatVecPermute()(Tensor([1, 2, 3, 4])))
        [1 4 2 3]
    """
    return lambda x: P.gather(x, Tensor(_data_format(src_format, dst_format)[0]), 0)


@face(cls="EmbeddingLookup")
def _(table, indices, offset=0):
    """Rows of a table; zeros for positions outside of it.

    Args:
        table (Tensor[(N, ...)]): the table.
        indices (Tensor[int]): the rows.
        offset (int): the number of the first row. Default: 0.

    Returns:
        Tensor: of shape ``indices.shape + table.shape[1:]``.

    Raises:
        TypeError: ``indices`` holds no integers.

    Examples:
        >>> print(ops.EmbeddingLookup()(Tensor([[1.0], [2.0]]), Tensor([1, 5]), 0).ravel())
        [2. 0.]
    """
    rows = P.sub(indices, offset)
    fits = P.logical_and(P.greater_equal(rows, 0), P.less(rows, table.shape[0]))
    found = P.gather(table, P.select(fits, rows, 0), 0)
    return P.select(P.reshape(fits, fits.shape + (1,) * (len(table.shape) - 1)), found, 0)


@face(cls="InvertPermutation")
def _(input_x):
    """The permutation that undoes another.

    Args:
        input_x (tuple[int] | Tensor): a permutation of 0, 1, ….

    Returns:
        tuple[int] | Tensor: the place of each number.

    Raises:
        ValueError: ``input_x`` is no permutation.

    Examples:
        >>> ops.InvertPermutation()((2, 0, 1))
        (1, 2, 0)
    """
    if isinstance(input_x, (tuple, list)):
        expect(
            sorted(input_x) == list(range(len(input_x))), "input_x", "a permutation", got=input_x
        )
        return tuple(sorted(range(len(input_x)), key=input_x.__getitem__))
    n = input_x.shape[0]
    places = P.cast(P.arange(0, n, 1, dt.int64), input_x.dtype)
    return P.tensor_scatter(places, P.reshape(P.cast(input_x, dt.int64), (n, 1)), places, "update")


@face(cls="ParallelConcat", like="concat")
def _(values):
    return P.concat(tuple(values), 0)


def _unraveled(indices, dims):
    """Coordinates of flat positions, one column each."""
    sizes, out, rest = sizes_of(dims), [], indices
    for n in reversed(sizes):
        out.append(P.mod(rest, n))
        rest = P.floor_divide(rest, n)
    return F.stack(out[::-1], 0)


@face(cls="UnravelIndex")
def _(indices, dims):
    """Positions in a flattened tensor as positions per dimension.

    Args:
        indices (Tensor[int]): the positions.
        dims (Tensor[int]): the sizes of the dimensions.

    Returns:
        Tensor: one row per dimension.

    Raises:
        TypeError: an operand holds no integers.

    Examples:
        >>> print(ops.UnravelIndex()(Tensor([3]), Tensor([2, 2])).ravel())
        [1 1]
    """
    return _unraveled(indices, dims)


@primitive(like="bucketize")
def Bucketize(boundaries):
    return lambda input: F.bucketize(input, list(boundaries), right=True)


def _depth_to_space(x, size):
    n, c, h, w = x.shape
    out = P.reshape(x, (n, size, size, c // (size * size), h, w))
    return P.reshape(
        P.transpose(out, (0, 3, 4, 1, 5, 2)), (n, c // (size * size), h * size, w * size)
    )


@primitive
def DepthToSpace(block_size):
    """Channels moved into blocks of height and width.

    Args:
        block_size (int): the side of a block.
        x (Tensor[(N, C, H, W)]): the images; the square of ``block_size`` divides C.

    Returns:
        Tensor[(N, C / b^2, b H, b W)]: of the same dtype.

    Raises:
        ValueError: the channels do not divide.

    Examples:
        >>> ops.DepthToSpace(2)(ops.ones((1, 4, 1, 1))).shape
        (1, 1, 2, 2)
    """
    return lambda x: _depth_to_space(x, block_size)


@face(cls="FillV2", like="fill")
def _(shape, value):
    return P.broadcast_to(value, tuple(shape.tolist() if hasattr(shape, "tolist") else shape))


@face(cls="IdentityN")
def _(x):
    """Copies of several tensors.

    Args:
        x (tuple[Tensor]): the tensors.

    Returns:
        tuple[Tensor]: of the same values.

    Raises:
        TypeError: an element is no Tensor.

    Examples:
        >>> [int(v) for v in ops.IdentityN()((Tensor(1), Tensor(2)))]
        [1, 2]
    """
    return tuple(P.copy(v) for v in x)


@primitive(like="searchsorted")
def LowerBound(out_type=dt.int32):
    return lambda sorted_x, values: P.cast(P.search(sorted_x, values, False), out_type)


@primitive(like="searchsorted")
def UpperBound(out_type=dt.int32):
    return lambda sorted_x, values: P.cast(P.search(sorted_x, values, True), out_type)


@primitive(like="searchsorted")
def SearchSorted(dtype=dt.int64, right=False):
    return lambda sorted_sequence, values, sorter=None: P.cast(
        F.searchsorted(sorted_sequence, values, right=right, sorter=sorter), dtype
    )


def _space_to_depth(x, size):
    n, c, h, w = x.shape
    out = P.reshape(x, (n, c, h // size, size, w // size, size))
    return P.reshape(
        P.transpose(out, (0, 3, 5, 1, 2, 4)), (n, c * size * size, h // size, w // size)
    )


@primitive
def SpaceToDepth(block_size):
    """Blocks of height and width moved into channels.

    Args:
        block_size (int): the side of a block.
        x (Tensor[(N, C, H, W)]): the images; ``block_size`` divides H and W.

    Returns:
        Tensor[(N, C b^2, H / b, W / b)]: of the same dtype.

    Raises:
        ValueError: height or width do not divide.

    Examples:
        >>> ops.SpaceToDepth(2)(ops.ones((1, 1, 2, 2))).shape
        (1, 4, 1, 1)
    """
    return lambda x: _space_to_depth(x, block_size)


@primitive(like="split")
def SplitV(size_splits, split_dim, num_split=None):
    given = list(size_splits)
    if given.count(-1) != 1:
        return lambda x: F.split(x, given, split_dim)

    def call(x):
        rest = x.shape[split_dim] - sum(given) - 1
        return F.split(x, [rest if n == -1 else n for n in given], split_dim)

    return call


@primitive(inner=True)
def ConcatOffsetV1():
    """Where along ``axis`` tensors of the shapes ``x`` begin when they are joined."""

    def call(axis, x):
        shapes = F.stack(tuple(x), 0)
        rank = shapes.shape[1]
        before = P.cumsum(shapes, 0) - shapes
        along = P.equal(P.arange(0, rank, 1, dt.int64), P.mod(P.cast(axis, dt.int64), rank))
        return P.select(along, before, 0)

    return call


@primitive
def UniqueConsecutive(return_inverse=False, return_counts=False, dim=None):
    """The elements (or slices along ``dim``) without equal neighbours, which run each came from and how
    long the runs are; the number 0 for what is not asked for.
    """

    def call(x):
        kept, *told = F.unique_consecutive(x, True, True, dim)
        none = as_tensor(0, dt.int64)
        asked = return_inverse, return_counts
        return kept, *(t if on else none for t, on in zip(told, asked, strict=True))

    return call


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


@primitive(inner=True)
def RangeV2(maxlen=1000000):
    """Numbers from ``start`` to before ``limit``.

    Args:
        maxlen (int): has no effect: there may be any number of them.
    """
    return lambda start, limit, delta: F.range(start, limit, delta)


@primitive
def SelectView():
    """A row of a dimension, without that dimension.

    Args:
        input (Tensor): the operand.
        dim (int): the dimension.
        index (int): the row.

    Returns:
        Tensor: ``input`` without ``dim``.

    Raises:
        ValueError: ``dim`` is out of range.

    Examples:
        >>> print(ops.SelectView()(Tensor([[1, 2], [3, 4]]), 0, 1))
        [3 4]
    """

    def call(input, dim, index):
        rank = len(input.shape)
        expect(-rank <= dim < rank, "dim", f"in [{-rank}, {rank})", got=dim)
        return input[(slice(None),) * (dim % rank) + (index,)]

    return call


@primitive(like="approximate_equal")
def ApproximateEqual(tolerance=1e-05):
    expect_tolerance(tolerance)
    return lambda x, y: F.approximate_equal(x, y, tolerance)

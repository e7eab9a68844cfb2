"""Gathering from, and scattering to, positions given by integer tensors."""

from __future__ import annotations

from ...base import dtype as dt
from ...base.errors import expect
from ...ir import build
from ...ir.node import Node
from ...tensor import Parameter
from ..define import P
from ..faces import face
from ..rules import axis_of
from .common import as_int64, as_tensor
from .control_func import assign


@face(cls="Gather(batch_dims=0) GatherV2 SparseGatherV2")
def gather(input_params, input_indices, axis, batch_dims=0):
    """Slices at positions along one dimension.

    Args:
        input_params (Tensor): the operand.
        input_indices (Tensor[any shape, int]): the positions.
        axis (int): the dimension.
        batch_dims (int): how many leading dimensions both operands share. Default: 0.

    Returns:
        Tensor: of shape ``x.shape[:axis] + indices.shape[batch_dims:] + x.shape[axis + 1:]``.

    Raises:
        IndexError: a position is out of range.

    Examples:
        >>> print(ops.gather(Tensor([1.0, 2.0, 3.0]), Tensor([2, 0]), 0))
        [3. 1.]
    """
    if batch_dims == 0:
        return P.gather(input_params, input_indices, axis)
    x, index = input_params, input_indices
    axis = axis_of(axis, len(x.shape))
    expect(0 < batch_dims <= axis, "batch_dims", f"in [0, {axis}]", got=batch_dims)
    # One flat dimension: row r of the batch starts at r * n.
    lead, n = x.shape[:batch_dims], x.shape[axis]
    b = 1
    for s in lead:
        b *= s
    x = P.reshape(x, (b,) + x.shape[batch_dims:])
    perm = (
        0,
        axis - batch_dims + 1,
        *[d for d in range(1, len(x.shape)) if d != axis - batch_dims + 1],
    )
    moved = P.transpose(x, perm)
    flat = P.reshape(moved, (b * n,) + moved.shape[2:])
    inner = index.shape[batch_dims:]
    index = P.reshape(as_int64(index, "index"), (b, -1))
    index = P.select(index < 0, index + n, index) + P.reshape(
        P.arange(0, b * n, max(n, 1), dt.int64), (b, 1)
    )
    out = P.gather(flat, index, 0)
    between = axis - batch_dims
    out = P.reshape(out, (b,) + inner + moved.shape[2:])
    k = len(inner)
    perm = (
        0,
        *range(1 + k, 1 + k + between),
        *range(1, 1 + k),
        *range(1 + k + between, len(out.shape)),
    )
    out = P.transpose(out, perm)
    return P.reshape(out, lead + out.shape[1:])


@face(method=True)
def gather_elements(input, dim, index):
    """Elements at positions along one dimension: ``out[i][j] = x[index[i][j]][j]`` for dim 0.

    Args:
        input (Tensor): x.
        dim (int): the dimension.
        index (Tensor[any shape, int]): positions along it; of the rank of ``input``.

    Returns:
        Tensor: of the shape of ``index`` and the dtype of ``input``.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: ``dim`` is out of range.
        ValueError: the shape of ``index`` does not fit ``input``.

    Examples:
        >>> print(ops.gather_elements(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1, Tensor([[0, 0], [1, 0]])))
        [[1. 1.]
         [4. 3.]]
    """
    return P.gather_d(input, dim, index)


@face(method=True)
def take(input, indices=None, axis=None, mode="clip", *, index=None):
    """Elements at positions, of the flattened tensor or along one dimension.

    Args:
        input (Tensor): the operand.
        indices (Tensor[any shape, int]): the positions.
        axis (int): the dimension; None flattens first. Default: None.
        mode (str): what a position out of range means: ``"raise"``, ``"wrap"`` or ``"clip"``.
            Default: ``"clip"``.
        index (Tensor): another name of ``indices``.

    Returns:
        Tensor: the elements.

    Raises:
        TypeError: ``input`` is not a Tensor.
        IndexError: ``axis`` is out of range.

    Examples:
        >>> print(Tensor([1.0, 2.0, 3.0]).take(Tensor([2, 7])))
        [3. 3.]
    """
    expect(mode in ("raise", "wrap", "clip"), "mode", "'raise', 'wrap' or 'clip'", got=repr(mode))
    if axis is None:
        input, axis = P.reshape(input, (-1,)), 0
    expect((indices is None) != (index is None), "indices", "given, once", TypeError)
    index = as_tensor(index if indices is None else indices)
    n = input.shape[axis]
    if mode == "clip":
        index = P.minimum(P.maximum(index, 0), n - 1)
    elif mode == "wrap":
        index = P.mod(index, n)
    return P.gather(input, index, axis)


@face(method=True)
def index_select(input, axis, index):
    """Slices at positions along one dimension. See `gather`.

    Args:
        input (Tensor): the operand.
        axis (int): the dimension.
        index (Tensor[(N,), int]): the positions.

    Returns:
        Tensor: of size N along ``axis``.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: ``axis`` is out of range.

    Examples:
        >>> print(ops.index_select(Tensor([1.0, 2.0]), 0, Tensor([1])))
        [2.]
    """
    return P.gather(input, index, axis)


@face(mint="nn.functional.embedding")
def embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False
):
    """Rows of a table.

    Args:
        input (Tensor[any shape, int]): which rows.
        weight (Tensor[(N, D)]): the table.
        padding_idx (int): a row that gets no gradient. Default: None.
        max_norm (float): the rows that are read are scaled down to this norm, in the table too, which is
            changed in place; gradients do not see it. Default: None.
        norm_type (float): p of that norm. Default: 2.
        scale_grad_by_freq (bool): whether the gradient of a row is divided by how often ``input`` has
            it. Default: False.

    Returns:
        Tensor: of shape ``input.shape + (D,)``.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.embedding(Tensor([1]), Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[3. 4.]]
        >>> print(ops.embedding(Tensor([1]), Tensor([[1.0, 2.0], [3.0, 4.0]]), max_norm=1.0))
        [[0.6 0.8]]
    """
    rows, at = P.gather(weight, input, 0), P.reshape(P.cast(input, dt.int64), (-1, 1))
    if scale_grad_by_freq:
        once = P.full(at.shape[:1], 1.0, dt.float32)
        times = P.tensor_scatter(P.full(weight.shape[:1], 0.0, dt.float32), at, once, "add")
        rows = _valued(rows, rows / P.reshape(P.gather(times, input, 0), input.shape + (1,)))
    if max_norm is not None:
        held = P.stop_gradient(rows)
        norms = P.pow(P.sum(P.pow(P.abs(held), norm_type), -1, keepdims=True), 1.0 / norm_type)
        held = P.select(P.greater(norms, max_norm), held * (max_norm / (norms + 1e-7)), held)
        renewed = P.reshape(held, (-1, weight.shape[1]))
        rows = _valued(held, rows)
        assign(weight, P.tensor_scatter(P.stop_gradient(weight), at, renewed, "update"))
    if padding_idx is None:
        return rows
    fixed = P.reshape(P.equal(input, padding_idx % weight.shape[0]), input.shape + (1,))
    return P.select(fixed, P.stop_gradient(rows), rows)


def _valued(value, gradient):
    """``value``, with the gradient of something else."""
    return P.stop_gradient(value) + (gradient - P.stop_gradient(gradient))


def _scattered(mode: str, name: str, **faces):
    def scatter(input_x, indices, updates):
        return P.tensor_scatter(input_x, indices, updates, mode)

    scatter.__name__ = scatter.__qualname__ = name
    scatter.__doc__ = f"""``input_x`` with ``updates`` combined into it (mode ``{mode}``) at positions.

    Args:
        input_x (Tensor): the operand.
        indices (Tensor[(..., D), int]): each row a position in the first D dimensions.
        updates (Tensor): of shape ``indices.shape[:-1] + input_x.shape[D:]``.

    Returns:
        Tensor: of the shape of ``input_x``.

    Raises:
        TypeError: an operand is not a Tensor, or ``indices`` not of integers.
        ValueError: the shape of ``updates`` does not fit.
        IndexError: a position is out of range.

    Examples:
        >>> ops.{name}(Tensor([1.0, 2.0]), Tensor([[0]]), Tensor([3.0])).shape
        (2,)
    """
    return face(cls=True, **faces)(scatter)


tensor_scatter_update = _scattered("update", "tensor_scatter_update")
tensor_scatter_add = _scattered("add", "tensor_scatter_add")
tensor_scatter_sub = _scattered("sub", "tensor_scatter_sub", method="scatter_sub")
tensor_scatter_mul = _scattered("mul", "tensor_scatter_mul", method="scatter_mul")
tensor_scatter_div = _scattered("div", "tensor_scatter_div", method="scatter_div")
tensor_scatter_max = _scattered("max", "tensor_scatter_max", method="scatter_max")
tensor_scatter_min = _scattered("min", "tensor_scatter_min", method="scatter_min")


@face(method=True, cls="TensorScatterElements(axis=0, reduction='none')")
def tensor_scatter_elements(input_x, indices, updates, axis=0, reduction="none"):
    """``input_x`` with elements of ``updates`` written at positions along one dimension.

    Args:
        input_x (Tensor): the operand.
        indices (Tensor[int]): the positions, of the same rank.
        updates (Tensor): of the shape of ``indices``.
        axis (int): the dimension. Default: 0.
        reduction (str): ``"none"`` replaces, ``"add"`` adds. Default: ``"none"``.

    Returns:
        Tensor: of the shape of ``input_x``.

    Raises:
        TypeError: ``updates`` is not a Tensor.
        ValueError: ``axis`` is out of range.
        ValueError: the shape of ``indices`` does not fit ``input_x``.

    Examples:
        >>> print(ops.tensor_scatter_elements(Tensor([1.0, 2.0]), Tensor([1]), Tensor([5.0])))
        [1. 5.]
    """
    expect(reduction in ("none", "add"), "reduction", "'none' or 'add'", got=repr(reduction))
    if reduction == "add":
        return P.scatter_add_d(input_x, axis, indices, updates)
    axis = axis_of(axis, len(input_x.shape))
    columns = []
    for d, n in enumerate(indices.shape):
        wide = tuple(n if k == d else 1 for k in range(len(indices.shape)))
        i = (
            as_int64(indices)
            if d == axis
            else P.broadcast_to(P.reshape(P.arange(0, n, 1, dt.int64), wide), indices.shape)
        )
        columns.append(P.reshape(i, indices.shape + (1,)))
    rows = P.concat(tuple(columns), len(indices.shape))
    return P.tensor_scatter(input_x, rows, updates, "update")


def index_add(x, indices, y, axis, use_lock=True, check_index_bound=True):
    """``x`` with the slices of ``y`` added at positions along one dimension. A Parameter is changed.

    Args:
        x (Tensor, Parameter): the operand.
        indices (Tensor[(N,), int]): the positions.
        y (Tensor): the slices, of size N along ``axis``.
        axis (int): the dimension.
        use_lock (bool): no effect. Default: True.
        check_index_bound (bool): no effect: positions are always checked. Default: True.

    Returns:
        Tensor: of the shape and dtype of ``x``.

    Raises:
        TypeError: ``indices`` is not a Tensor.
        ValueError: ``axis`` is out of range.
        ValueError: the shape of ``indices`` does not fit ``x``.

    Examples:
        >>> print(ops.index_add(Tensor([1.0, 2.0]), Tensor([1]), Tensor([5.0]), 0))
        [1. 7.]
    """
    out = x + P.gather_dx(P.cast(y, x.dtype), indices, x.shape, axis)
    held = isinstance(x, Node) and build.current().may_be_parameter(x)
    if held or isinstance(x, Parameter):
        assign(x, out)  # the gradient is that of the sum
    return out


@face(cls=True)
def unsorted_segment_sum(input_x, segment_ids, num_segments):
    """The sums of the slices that belong to each segment.

    Args:
        input_x (Tensor): the slices.
        segment_ids (Tensor[int]): the segment of each; its shape is a prefix of that of
            ``input_x``.
        num_segments (int): how many segments there are.

    Returns:
        Tensor: of shape ``(num_segments,) + input_x.shape[segment_ids.ndim:]``.

    Raises:
        ValueError: the shape of ``segment_ids`` does not fit ``input_x``.

    Examples:
        >>> print(ops.unsorted_segment_sum(Tensor([1.0, 2.0, 3.0]), Tensor([0, 0, 1]), 2))
        [3. 3.]
    """
    rest = input_x.shape[len(segment_ids.shape) :]
    return P.gather_dx(input_x, segment_ids, (num_segments,) + rest, 0)

"""Exchanges in which each process of a group has a part for each other one."""

from __future__ import annotations

from ..base.boundary import guard as _guard
from ..base.errors import complain
from ..base.world import ranks_of, world
from ..ops.define import P
from ..ops.operations.comm import by_rows, exchanged, expect_tensor, listed
from . import handles


def all_to_all_with_output_shape(output_shape_list, input_tensor_list, group=None, async_op=False):
    """A tensor to each process of a group, and one from each.

    Args:
        output_shape_list (list[Tensor], list[tuple[int]]): the shapes of those that come, or tensors
            of these shapes.
        input_tensor_list (list[Tensor]): those that are sent.
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        tuple: a tuple of what came, and a `CommHandle` or None.

    Raises:
        TypeError: an element has a wrong type, or the dtypes differ.
        ValueError: there is not one tensor for each process.

    Examples:
        >>> from minds.communication.comm_func import all_to_all_with_output_shape
        >>> print(all_to_all_with_output_shape([(1,)], [Tensor([2.0])])[0][0])
        [2.]
    """
    what = "all_to_all_with_output_shape"
    ranks = ranks_of(group, what)
    for x in input_tensor_list:
        expect_tensor(x, what)
    if not len(input_tensor_list) == len(output_shape_list) == len(ranks):
        raise complain(ValueError, f"{what}: the lists do not have {len(ranks)} elements")
    shapes = [tuple(getattr(s, "shape", s)) for s in output_shape_list]
    dtype = input_tensor_list[0].dtype

    def work():
        got = exchanged(input_tensor_list, shapes, dtype, ranks)
        return tuple(listed(got, len(ranks)))

    out, handle = handles.maybe_beside(
        async_op,
        [(s, dtype) for s in shapes],
        lambda: work()[0] if async_op and len(ranks) == 1 else work(),
    )
    return (out if isinstance(out, tuple) else (out,)), handle


def split_sizes(sizes, rows: int, n: int, what: str) -> list:
    """How many of so many rows each of ``n`` processes has, where None means equally many."""
    if sizes is None or len(sizes) == 0:
        if rows % n:
            raise complain(ValueError, f"{what}: {rows} rows are no multiple of {n}")
        return [rows // n] * n
    return list(sizes)


def all_to_all_single_with_output_shape(
    output_shape,
    tensor,
    output_split_sizes=None,
    input_split_sizes=None,
    group=None,
    async_op=False,
):
    """Parts along dimension 0 of a tensor to all processes of a group; those that come, joined.

    Args:
        output_shape (Tensor, tuple[int]): the result's shape, or a tensor of it.
        tensor (Tensor[(N, ...)]): what is sent.
        output_split_sizes (list[int]): how many rows come from each. Default: None, equally many.
        input_split_sizes (list[int]): how many rows each gets. Default: None, equally many.
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        tuple: the result and a `CommHandle` or None.

    Raises:
        TypeError: ``tensor`` is no tensor.
        ValueError: the sizes do not fit the tensor or the group.

    Examples:
        >>> from minds.communication.comm_func import all_to_all_single_with_output_shape
        >>> print(all_to_all_single_with_output_shape((2,), Tensor([1.0, 2.0]))[0])
        [1. 2.]
    """
    what = "all_to_all_single_with_output_shape"
    expect_tensor(tensor, what)
    ranks = ranks_of(group, what)
    shape = tuple(getattr(output_shape, "shape", output_shape))
    send = split_sizes(input_split_sizes, tensor.shape[0], len(ranks), what)
    receive = split_sizes(output_split_sizes, shape[0], len(ranks), what)
    if sum(receive) != shape[0]:
        raise complain(ValueError, f"{what}: sizes {receive} of {shape[0]} rows")
    return handles.maybe_beside(
        async_op,
        [(shape, tensor.dtype)],
        lambda: by_rows(tensor, send, receive, ranks, what),
    )


def all_to_all_v_c(output, input, send_count_matrix, group=None, async_op=False):
    """Parts of a flat tensor to all processes of a group, by the table of all sizes.

    Args:
        output (Tensor): is given what comes.
        input (Tensor): what is sent, part by part.
        send_count_matrix (list[int]): how many elements the i-th sends to the j-th, at i * n + j.
        group (str): the group. Default: None, all processes.
        async_op (bool): whether to go on meanwhile. Default: False.

    Returns:
        CommHandle, None: None unless ``async_op``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: the sizes do not fit the tensor or the group.

    Examples:
        >>> from minds.communication.comm_func import all_to_all_v_c
        >>> x = Tensor([0.0, 0.0])
        >>> all_to_all_v_c(x, Tensor([1.0, 2.0]), [2])
        >>> print(x)
        [1. 2.]
    """
    ranks = ranks_of(group, "all_to_all_v_c")
    n, here = len(ranks), ranks.index(world.rank)
    if len(send_count_matrix) != n * n:
        raise complain(
            ValueError, f"all_to_all_v_c: {len(send_count_matrix)} sizes for {n} processes"
        )
    send = list(send_count_matrix[here * n : here * n + n])
    receive = list(send_count_matrix[here::n])

    def work():
        flat = P.reshape(input, (-1,))
        return P.reshape(by_rows(flat, send, receive, ranks, "all_to_all_v_c"), output.shape)

    if async_op:
        return handles.begin(work, output.assign_value)
    output.assign_value(work())
    return None


__all__ = ["all_to_all_single_with_output_shape", "all_to_all_v_c", "all_to_all_with_output_shape"]

_guard(__name__)

"""Functions whose results have sizes that only the contents of their operands tell."""

from __future__ import annotations

from .. import unbacked
from ..faces import face
from ..rules import axis_of


@face(cls=True)
def unique(input):
    """The distinct elements in order of their first occurrence, and for each element which it is.

    Args:
        input (Tensor): the operand.

    Returns:
        tuple: a vector of the dtype of ``input``, and int32 (int64 for int64) positions in it of
        the shape of ``input``.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> values, index = ops.unique(Tensor([3, 1, 3]))
        >>> print(values, index)
        [3 1] [0 1 0]
    """
    return unbacked.distinct(input)


@face(method=True, mint=True)
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The elements (or slices along ``dim``) without equal neighbours.

    Args:
        input (Tensor): the operand.
        return_inverse (bool): also where each element went. Default: False.
        return_counts (bool): also how many each one stands for. Default: False.
        dim (int): the dimension; None flattens first. Default: None.

    Returns:
        Tensor, or a tuple with the int64 Tensors asked for.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: ``dim`` is out of range.

    Examples:
        >>> print(ops.unique_consecutive(Tensor([1, 1, 2, 1])))
        [1 2 1]
    """
    dim = dim if dim is None else axis_of(dim, input.ndim, "dim")
    return unbacked.asked(unbacked.distinct_runs(input, dim), return_inverse, return_counts)


@face(method=True)
def bincount(input, weights=None, minlength=0):
    """How often each integer occurs.

    Args:
        input (Tensor[N, int]): not negative.
        weights (Tensor): what each occurrence counts. Default: 1.
        minlength (int): the least size of the result. Default: 0.

    Returns:
        Tensor: float32, or of the dtype of ``weights``.

    Raises:
        ValueError: an element is negative.

    Examples:
        >>> print(ops.bincount(Tensor([0, 2, 2])))
        [1. 0. 2.]
    """
    return unbacked.counts(input, weights, minlength)


@face(cls="CTCGreedyDecoder(merge_repeated=True)")
def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True):
    """The classes of the best scores at each time, without repetitions and blanks (the last class).

    Args:
        inputs (Tensor[(T, N, C), float]): scores.
        sequence_length (Tensor[(N,), int]): how many times count.
        merge_repeated (bool): equal classes in a row are one. Default: True.

    Returns:
        tuple: the result as a sparse matrix: indices (M, 2), values (M,) and shape (2,), int64; and
        minus the sum of the best scores (N, 1).

    Raises:
        TypeError: ``inputs`` is not a Tensor.

    Examples:
        >>> x = Tensor([[[0.6, 0.4, 0.2]], [[0.8, 0.6, 0.3]]])
        >>> _, values, _, _ = ops.ctc_greedy_decoder(x, Tensor([2], ms.int32))
        >>> print(values)
        [0]
    """
    return tuple(unbacked.ctc_greedy_decoder(inputs, sequence_length, bool(merge_repeated)))

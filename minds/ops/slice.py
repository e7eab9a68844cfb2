"""Strided slices and their adjoint.

Rules and kernels see full-rank ``begin``, ``end``, ``step`` in one form, which `function.indexing`
makes from Python's slices: ``begin`` is the first element taken, ``end`` lies beyond the last; with
a negative step it may be -1, "before the first".
"""

from __future__ import annotations

from ..base.errors import expect
from ..ir.abstract import AbstractTensor
from ..tensor import Tensor
from .define import P, op
from .rules import dims_of
from .sharding import Rule, names


def _sizes(begin, end, step) -> tuple:
    return tuple(max(0, -((b - e) // s)) for b, e, s in zip(begin, end, step, strict=False))


@op
def strided_slice(input: Tensor, begin: tuple, end: tuple, step: tuple) -> Tensor:
    """Every ``step``-th element from ``begin`` up to but without ``end``, in each dimension.

    Args:
        input (Tensor): the operand.
        begin, end, step (tuple[int]): of each dimension; positions count from the start, and a
            negative step may end at -1.

    Returns:
        Tensor: of the same dtype.

    Raises:
        ValueError: a step is 0, a tuple has not one entry per dimension, or the slice leaves the
            tensor.
    """
    expect(
        len(begin) == len(end) == len(step) == input.ndim,
        "begin, end and step",
        f"of length {input.ndim}",
        got=(begin, end, step),
    )
    _inside(input.shape, begin, end, step)
    return AbstractTensor(_sizes(begin, end, step), input.dtype)


def _inside(shape, begin, end, step) -> None:
    for n, b, e, s in zip(shape, begin, end, step, strict=False):
        expect(s != 0, "step", "nonzero", got=step)
        inside = 0 <= b <= e <= n if s > 0 else -1 <= e <= b < max(n, 1)
        expect(inside, "the slice", f"inside of shape {shape}", got=f"{b}:{e}:{s}")


@strided_slice.bprop
def _(x, begin, end, step, out, dout):
    return (P.strided_slice_dx(dout, x.shape, begin, end, step),)


def _taken_whole(shape, begin, end, step) -> list:
    """Letters of the dimensions of which everything is taken, in order."""
    return [
        n if (b, e, by) == (0, size, 1) else None
        for n, size, b, e, by in zip(names(len(shape)), shape, begin, end, step)
    ]


@strided_slice.shard
def _(x, begin, end, step):
    letters = tuple(_taken_whole(x.shape, begin, end, step))
    return Rule((letters,), (letters,), {"end": letters})


@strided_slice.batch
def _(b, x, begin, end, step):
    return P.strided_slice(x, (0, *begin), (b.n, *end), (1, *step))


@op
def strided_slice_dx(dout: Tensor, shape: tuple, begin: tuple, end: tuple, step: tuple) -> Tensor:
    """Zeros of ``shape`` with ``dout`` in the slice: the gradient of `strided_slice`.

    Args:
        dout (Tensor): the cotangent of the slice.
        shape (tuple[int]): the shape of what was sliced.
        begin, end, step (tuple[int]): the slice.

    Returns:
        Tensor[shape]: of the dtype of ``dout``.

    Raises:
        ValueError: ``dout`` has not the shape of the slice.
    """
    expect(
        dout.shape == _sizes(begin, end, step),
        "dout",
        f"of shape {_sizes(begin, end, step)}",
        got=dout.shape,
    )
    return AbstractTensor(shape, dout.dtype)


@strided_slice_dx.normalize
def _(dout, shape, begin, end, step):
    return {"shape": dims_of(shape, "shape")}


@strided_slice_dx.bprop
def _(d, shape, begin, end, step, out, dout):
    return (P.strided_slice(dout, begin, end, step),)


@strided_slice_dx.shard
def _(dout, shape, begin, end, step):
    letters = tuple(_taken_whole(shape, begin, end, step))
    return Rule((letters,), (letters,), {"shape": letters, "end": letters})


@strided_slice_dx.batch
def _(b, d, shape, begin, end, step):
    return P.strided_slice_dx(d, (b.n, *shape), (0, *begin), (b.n, *end), (1, *step))

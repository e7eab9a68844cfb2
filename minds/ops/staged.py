"""Marks of pipelines: where stages begin, what belongs to one micro-batch, and what adds up all of them.

A program with a `PipelineCell` has its network once, for a micro-batch that stands for all. What takes part
in that goes in by `micro_part` or `micro_same` and comes out by `micro_total` or `micro_joined`, which are
each other's gradients; `minds.sharding` runs what is between them for every micro-batch. Nothing else can:
these ops have no kernel.
"""

from __future__ import annotations

from ..base.errors import expect
from ..ir.abstract import AbstractTensor
from ..tensor import Tensor
from .define import NO_KERNEL, P, op
from .rules import same


@op(kernel="view")
def staged(value: Tensor, stage: int) -> Tensor:
    """The same value, where a stage of a pipeline takes it.

    Args:
        value (Tensor): any tensor.
        stage (int): the stage that computes with it.

    Returns:
        Tensor: ``value``.
    """
    return same(value)


@staged.bprop
def _(value, stage, out, dout):
    return (P.cotangent(dout, value),)


@staged.batch
def _(b, value, stage):
    return P.staged(b.every(value)[0], stage)


@op(kernel="view")
def cotangent(dout: Tensor, value: Tensor) -> Tensor:
    """The cotangent of a value that was `staged` or `placed`: its stage goes on with the backward pass there,
    and it lies as the value.

    Args:
        dout (Tensor): the cotangent.
        value (Tensor): the value.

    Returns:
        Tensor: ``dout``.
    """
    return same(dout)


@cotangent.bprop
def _(dout, value, out, further):
    return further, None


@cotangent.batch
def _(b, dout, value):
    return P.cotangent(*b.every(dout, value))


@op(kernel=NO_KERNEL)
def micro_part(x: Tensor, count: int) -> Tensor:
    """What a micro-batch has of a tensor.

    Args:
        x (Tensor[(n, count, ...)]): samples, the micro-batches along dimension 1.
        count (int): how many micro-batches there are.

    Returns:
        Tensor[(n, ...)]: a row of dimension 1.
    """
    expect(x.shape[1] == count, "x", f"{count} micro-batches along dimension 1", got=x)
    return AbstractTensor((x.shape[0], *x.shape[2:]), x.dtype)


@micro_part.bprop
def _(x, count, out, dout):
    return (P.micro_joined(dout, count),)


@op(kernel=NO_KERNEL)
def micro_joined(x: Tensor, count: int) -> Tensor:
    """What all micro-batches have of a tensor.

    Args:
        x (Tensor[(n, ...)]): of a micro-batch.
        count (int): how many micro-batches there are.

    Returns:
        Tensor[(n, count, ...)]: the rows of dimension 1 are of the micro-batches.
    """
    return AbstractTensor((x.shape[0], count, *x.shape[1:]), x.dtype)


@micro_joined.bprop
def _(x, count, out, dout):
    return (P.cotangent(P.micro_part(dout, count), x),)


@op(kernel="view")
def micro_same(x: Tensor, count: int) -> Tensor:
    """A tensor that all micro-batches have.

    Args:
        x (Tensor): any tensor.
        count (int): how many micro-batches there are.

    Returns:
        Tensor: ``x``.
    """
    return same(x)


@micro_same.bprop
def _(x, count, out, dout):
    return (P.micro_total(dout, count),)


@op(kernel=NO_KERNEL)
def micro_total(x: Tensor, count: int) -> Tensor:
    """The sum over all micro-batches.

    Args:
        x (Tensor): of a micro-batch.
        count (int): how many micro-batches there are.

    Returns:
        Tensor: the sum, like ``x``.
    """
    return same(x)


@micro_total.bprop
def _(x, count, out, dout):
    return (P.cotangent(P.micro_same(dout, count), x),)


ENTERING = (P.micro_part, P.micro_same)
"""What goes into the part of a program that is run for every micro-batch."""
LEAVING = (P.micro_total, P.micro_joined)
"""What comes out of it."""

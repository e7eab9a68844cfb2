"""What losses need below the composites of `losses`: the log-likelihood of class ids, and one-hot
rows.
"""

from __future__ import annotations

from ..base.errors import expect
from ..ir.abstract import AbstractTensor
from ..ir.dim import is_size
from ..tensor import Tensor
from .define import P, op
from .rules import axis_of, floating, integral
from .sharding import Rule, names


@op(batch="fold")
def nll(logp: Tensor, target: Tensor) -> Tensor:
    r"""The negative log-likelihood of each sample's class, :math:`-\log p_{i, t_i}`.

    Args:
        logp (Tensor[(N, C), float]): log-probabilities.
        target (Tensor[(N,), int]): class ids in [0, C).

    Returns:
        Tensor[(N,)]: of the dtype of ``logp``.

    Raises:
        TypeError: ``logp`` is not floating point, or ``target`` holds no integers.
        ValueError: the shapes do not fit, or a class id is out of range.
    """
    floating(logp, "logp")
    integral(target, "target")
    expect(logp.ndim == 2, "logp", "of rank 2 (samples, classes)", got=f"shape {logp.shape}")
    expect(
        target.shape == logp.shape[:1],
        "target",
        f"of shape {logp.shape[:1]}, one class id per sample",
        got=target.shape,
    )
    return AbstractTensor(target.shape, logp.dtype)


@nll.bprop
def _(logp, target, out, dout):
    return P.nll_dx(dout, target, logp.shape[1]), None


@op(batch="fold")
def nll_dx(dout: Tensor, target: Tensor, classes: int) -> Tensor:
    """The gradient of `nll`: minus each cotangent in the column of its class.

    Args:
        dout (Tensor[(N,), float]): the cotangents.
        target (Tensor[(N,), int]): class ids in [0, classes).
        classes (int): the number of classes.

    Returns:
        Tensor[(N, classes)]: of the dtype of ``dout``.

    Raises:
        ValueError: ``target`` has another shape than ``dout``, or a class id is out of range.
    """
    integral(target, "target")
    expect(
        target.shape == dout.shape and dout.ndim == 1,
        "target",
        f"of the shape of dout, {dout.shape}",
        got=target.shape,
    )
    return AbstractTensor((dout.shape[0], classes), dout.dtype)


@nll_dx.bprop
def _(d, target, classes, out, dout):
    return P.nll(dout, target), None


@op(promote="on_value off_value")
def one_hot(
    indices: Tensor, depth: int, on_value: Tensor = 1, off_value: Tensor = 0, axis: int = -1
) -> Tensor:
    """Rows with ``on_value`` at one position and ``off_value`` elsewhere; all off where an index is
    out of range.

    Args:
        indices (Tensor[any shape, int]): the positions.
        depth (int): the length of each row.
        on_value (Tensor | number): a scalar. Default: 1.
        off_value (Tensor | number): a scalar. Default: 0.
        axis (int): where the new dimension goes; -1 is last. Default: -1.

    Returns:
        Tensor: of the common dtype of the two values, one rank higher than ``indices``.

    Raises:
        TypeError: ``indices`` holds no integers, or ``depth`` is no int.
        ValueError: ``axis`` is out of range, or ``depth`` is negative.

    Examples:
        >>> print(ops.one_hot(Tensor([0, 2]), 3))
        [[1 0 0]
         [0 0 1]]
    """
    integral(indices, "indices")
    expect(is_size(depth), "depth", "an int", TypeError, got=repr(depth))
    expect(depth >= 0, "depth", "at least 0", got=depth)
    expect(
        on_value.shape == () and off_value.shape == (),
        "on_value and off_value",
        "scalars",
        got=f"{on_value} and {off_value}",
    )
    shape = indices.shape[:axis] + (depth,) + indices.shape[axis:]
    return AbstractTensor(shape, on_value.dtype)


@one_hot.normalize
def _(indices, depth, on_value, off_value, axis):
    return {"axis": axis_of(axis, indices.ndim + 1)}


@one_hot.bprop
def _(indices, depth, on_value, off_value, axis, out, dout, need):
    hit = P.one_hot(indices, depth, P.cast(1, dout.dtype), P.cast(0, dout.dtype), axis)
    at = P.sum(dout * hit) if need[1] else None
    return None, at, P.sum(dout * (1 - hit)) if need[2] else None


@one_hot.shard
def _(indices, depth, on_value, off_value, axis):
    letters = names(len(indices.shape))
    out = list(letters)
    out.insert(axis % (len(out) + 1), None)
    return Rule((tuple(letters), (), ()), (tuple(out),))


@one_hot.batch
def _(b, indices, depth, on_value, off_value, axis):
    return (
        None if b.mask[1] or b.mask[2] else P.one_hot(indices, depth, on_value, off_value, axis + 1)
    )

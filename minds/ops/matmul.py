"""The matrix product. Vectors and other ranks are brought to it by `functional.matmul`."""

from __future__ import annotations

from ..base.errors import complain, expect
from ..ir.abstract import AbstractTensor
from ..tensor import Tensor
from .batching import leading
from .define import P, op
from .rules import broadcast, numeric, unbroadcast
from .sharding import Rule, names


@op(
    promote="x y",
    cls="BatchMatMul(transpose_a=False, transpose_b=False) "
    "MatMul(transpose_a=False, transpose_b=False)",
)
def matmul(x: Tensor, y: Tensor, transpose_a: bool = False, transpose_b: bool = False) -> Tensor:
    r"""The product of the matrices in the last two dimensions; the dimensions before them
    broadcast.

    Args:
        x (Tensor[(..., M, K), number]): the left factors, ``(..., K, M)`` with ``transpose_a``.
        y (Tensor[(..., K, N), number]): the right factors, ``(..., N, K)`` with ``transpose_b``.
        transpose_a (bool): transpose the matrices of ``x`` first. Default: False.
        transpose_b (bool): transpose the matrices of ``y`` first. Default: False.

    Returns:
        Tensor[(..., M, N)]: of the common dtype.

    Raises:
        TypeError: the operands are bool.
        ValueError: an operand has less than two dimensions, or the sizes do not fit.

    Examples:
        >>> print(ops.matmul(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])))
        [[11.]]
    """
    numeric(x, "x")
    for name, flag in (("transpose_a", transpose_a), ("transpose_b", transpose_b)):
        expect(isinstance(flag, int), name, "a bool", TypeError, got=type(flag).__name__)
    expect(
        x.ndim >= 2 and y.ndim >= 2,
        "both operands",
        "of rank 2 or more",
        got=f"shapes {x.shape} and {y.shape}",
    )
    m, k = x.shape[:-3:-1] if transpose_a else x.shape[-2:]
    found, n = y.shape[:-3:-1] if transpose_b else y.shape[-2:]
    if k != found:
        other = y.shape[-1 if not transpose_b else -2]
        flip = f"transpose_b={not transpose_b} would fit" if other == k else None
        raise complain(
            ValueError,
            f"inner dimensions differ: {k} and {found}",
            cure=flip,
            expected=f"x.shape[{-1 - transpose_a}] == y.shape[{transpose_b - 2}]",
        )
    return AbstractTensor(broadcast(x.shape[:-2], y.shape[:-2]) + (m, n), x.dtype)


@matmul.bprop
def _(x, y, ta, tb, out, dout, need):
    dx = dy = None
    if x.dtype.is_complex:
        x, y = P.conj(x), P.conj(y)
    if need[0]:
        dx = P.matmul(y, dout, tb, True) if ta else P.matmul(dout, y, False, not tb)
        dx = unbroadcast(dx, x.shape)
    if need[1]:
        if len(x.shape) > 2 and len(y.shape) == 2 and not ta:
            # One product over all rows, instead of one per batch and a sum.
            x, dout = P.reshape(x, (-1, x.shape[-1])), P.reshape(dout, (-1, dout.shape[-1]))
        dy = P.matmul(dout, x, True, ta) if tb else P.matmul(x, dout, not ta, False)
        dy = unbroadcast(dy, y.shape)
    return dx, dy


@matmul.shard
def _(x, y, ta, tb):
    front = names(max(len(x.shape), len(y.shape)) - 2)

    def of(t, other, last):
        before = front[len(front) - len(t.shape) + 2 :]
        sizes = dict(zip(reversed(before), reversed(t.shape[:-2])))
        others = dict(zip(reversed(front), reversed(other.shape[:-2])))
        kept = [n if sizes[n] >= others.get(n, 1) else None for n in before]
        return (*kept, *last)

    left = of(x, y, ("k", "m") if ta else ("m", "k"))
    right = of(y, x, ("n", "k") if tb else ("k", "n"))
    return Rule((left, right), ((*front, "m", "n"),))


@matmul.batch
def _(b, x, y, ta, tb):
    if not b.mask[1] and len(y.shape) == 2 and not ta:
        # One product over all rows of all examples.
        return P.matmul(P.reshape(x, (-1, x.shape[-1])), y, ta, tb)
    return leading(P.matmul, b, [x, y, ta, tb])

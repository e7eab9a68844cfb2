"""The shape of arrays: views, permutations, joining and taking apart."""

from __future__ import annotations

from ..base.errors import complain, expect
from ..ir.abstract import AbstractTensor, AbstractTuple
from ..ir.dim import is_size
from ..tensor import Tensor
from .batching import raised
from .define import P, op
from .rules import axes_of, axis_of, broadcast, dims_of, joined, same, unbroadcast
from .sharding import Rule, names


@op(kernel="view", function=True, alias="reshape_", cls=True, mint=True)
def reshape(input: Tensor, shape: tuple) -> Tensor:
    """The same elements in another shape; no copy.

    Args:
        input (Tensor): the operand.
        shape (tuple[int]): the new shape; one size may be -1 and is computed.

    Returns:
        Tensor: of the same dtype.

    Raises:
        TypeError: ``shape`` is no sequence of ints.
        ValueError: the numbers of elements differ.

    Examples:
        >>> print(ops.reshape(Tensor([1, 2, 3, 4]), (2, -1)))
        [[1 2]
         [3 4]]
    """
    return AbstractTensor(shape, input.dtype)


@reshape.normalize
def _(x, shape):
    wanted = (shape,) if is_size(shape) else shape
    expect(
        isinstance(wanted, (tuple, list)) and all(map(is_size, wanted)),
        "shape",
        "a tuple of ints",
        TypeError,
        got=repr(shape),
    )
    known, unknown = 1, 0
    for n in wanted:
        expect(n >= -1, "shape", "without sizes below -1", got=shape)
        known, unknown = (known, unknown + 1) if n == -1 else (known * n, unknown)
    expect(unknown <= 1, "shape", "with at most one -1", got=shape)
    if unknown and known and x.size % known == 0:
        return {"shape": tuple(x.size // known if n == -1 else n for n in wanted)}
    if unknown or known != x.size:
        raise complain(
            ValueError,
            f"{x.size} elements do not fill shape {tuple(wanted)}",
            expected=f"sizes whose product is {x.size}",
        )
    return {"shape": tuple(wanted)}


@reshape.bprop
def _(x, shape, out, dout):
    return (P.reshape(dout, x.shape),)


@reshape.shard
def _(x, shape):
    old, new = tuple(x.shape), tuple(shape)
    left, right = [None] * len(old), [None] * len(new)
    # Dimensions in groups of equal products: the first ones of a group count the same blocks.
    ahead = [d for d, n in enumerate(old) if n != 1], [d for d, n in enumerate(new) if n != 1]
    while all(ahead) and x.size:
        first = [dims.pop(0) for dims in ahead]
        left[first[0]] = right[first[1]] = f"g{first[0]}"
        m, n = old[first[0]], new[first[1]]
        while m != n:
            if m < n:
                m *= old[ahead[0].pop(0)]
            else:
                n *= new[ahead[1].pop(0)]
    return Rule((tuple(left),), (tuple(right),), {"shape": tuple(right)})


@reshape.batch
def _(b, x, shape):
    return P.reshape(x, (b.n, *shape))


@op
def transpose(input: Tensor, perm: tuple) -> Tensor:
    """The same elements with permuted dimensions.

    Args:
        input (Tensor): the operand.
        perm (tuple[int]): which dimension comes where.

    Returns:
        Tensor: of the same dtype.

    Raises:
        ValueError: ``perm`` is no permutation of the dimensions.

    Examples:
        >>> print(ops.transpose(Tensor([[1, 2], [3, 4]]), (1, 0)))
        [[1 3]
         [2 4]]
    """
    return AbstractTensor(tuple(input.shape[d] for d in perm), input.dtype)


@transpose.normalize
def _(x, perm):
    every = f"a permutation of {x.ndim} dimensions"
    expect(isinstance(perm, (tuple, list)), "perm", every, got=perm)
    size = f"{every}: the size of perm should equal to rank of input"
    expect(len(perm) == x.ndim, "perm", size, got=perm)
    found = tuple(axis_of(d, x.ndim, "the perm value") for d in perm)
    expect(len(set(found)) == x.ndim, "perm", f"{every}: perms should all be unique dim", got=perm)
    return {"perm": found}


@transpose.bprop
def _(x, perm, out, dout):
    return (P.transpose(dout, tuple(perm.index(i) for i in range(len(perm)))),)


@transpose.shard
def _(x, perm):
    letters = names(len(x.shape))
    return Rule((tuple(letters),), (tuple([letters[p] for p in perm]),))


@transpose.batch
def _(b, x, perm):
    return P.transpose(x, (0, *(d + 1 for d in perm)))


@op(function=True, mint="broadcast_to nn.functional.broadcast_to", cls="BroadcastTo(shape)")
def broadcast_to(input: Tensor, shape: tuple) -> Tensor:
    """Repeat dimensions of size 1, and new leading ones, to reach ``shape``.

    Args:
        input (Tensor): the operand.
        shape (tuple[int]): the new shape; -1 keeps a size.

    Returns:
        Tensor: of the same dtype.

    Raises:
        ValueError: a size differs and is not 1.

    Examples:
        >>> print(ops.broadcast_to(Tensor([1, 2]), (2, 2)))
        [[1 2]
         [1 2]]
    """
    return AbstractTensor(shape, input.dtype)


@broadcast_to.normalize
def _(x, shape):
    expect(isinstance(shape, (tuple, list)), "shape", "a tuple of ints", TypeError, got=repr(shape))
    lead = len(shape) - x.ndim
    expect(lead >= 0, "shape", f"of rank {x.ndim} or more", got=shape)
    filled = tuple(x.shape[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(shape))
    dims_of(filled, "shape")
    expect(
        broadcast(x.shape, filled) == filled,
        "shape",
        f"one that {x.shape} broadcasts to",
        got=shape,
    )
    return {"shape": filled}


@broadcast_to.bprop
def _(x, shape, out, dout):
    return (unbroadcast(dout, x.shape),)


@broadcast_to.shard
def _(x, shape):
    letters, new = names(len(shape)), len(shape) - len(x.shape)
    kept = [n if x.shape[d] == shape[new + d] else None for d, n in enumerate(letters[new:])]
    return Rule((tuple(kept),), (tuple(letters),), {"shape": tuple(letters)})


@broadcast_to.batch
def _(b, x, shape):
    return P.broadcast_to(raised(x, len(shape)), (b.n, *shape))


@op(batch="axis")
def concat(tensors: tuple[Tensor, ...], axis: int = 0) -> Tensor:
    """Join tensors along a dimension. They have one dtype (`functional.concat` promotes).

    Args:
        tensors (tuple[Tensor]): of equal sizes but along ``axis``.
        axis (int): the dimension. Default: 0.

    Returns:
        Tensor: of the same dtype.

    Raises:
        TypeError: the dtypes differ.
        ValueError: nothing is given, ``axis`` is out of range, or other sizes differ.

    Examples:
        >>> print(ops.concat((Tensor([1, 2]), Tensor([3]))))
        [1 2 3]
    """
    first, total = tensors[0], 0
    for i, t in enumerate(tensors):
        expect(
            t.dtype is first.dtype,
            f"tensors[{i}]",
            f"{first.dtype.name} like tensors[0]",
            TypeError,
            got=t.dtype.name,
        )
        fits = len(t.shape) == len(first.shape) and all(
            d == axis or a == b for d, (a, b) in enumerate(zip(t.shape, first.shape, strict=False))
        )
        if not fits:
            raise complain(
                ValueError,
                f"tensors[{i}] has shape {t.shape}, tensors[0] has {first.shape}",
                expected=f"equal shapes but along axis {axis}",
            )
        total += t.shape[axis]
    return AbstractTensor(first.shape[:axis] + (total,) + first.shape[axis + 1 :], first.dtype)


@concat.normalize
def _(tensors, axis):
    expect(len(tensors) > 0, "tensors", "at least one tensor")
    expect(
        tensors[0].ndim > 0, "tensors[0]", "of rank 1 or more", cure="use ops.stack to join scalars"
    )
    return {"axis": axis_of(axis, tensors[0].ndim)}


@concat.bprop
def _(tensors, axis, out, dout):
    parts = P.split(dout, tuple(t.shape[axis] for t in tensors), axis)
    return (tuple(parts[i] for i in range(len(tensors))),)


@op(batch="axis")
def split(input: Tensor, sizes: tuple, axis: int = 0) -> tuple[Tensor, ...]:
    """Cut a tensor into parts along a dimension.

    Args:
        input (Tensor): the operand.
        sizes (tuple[int]): the size of each part; they add up to the dimension.
        axis (int): the dimension. Default: 0.

    Returns:
        tuple[Tensor]: the parts.

    Raises:
        ValueError: the sizes do not add up, or ``axis`` is out of range.
    """
    expect(
        sum(sizes) == input.shape[axis],
        "sizes",
        f"sizes that add up to {input.shape[axis]}",
        got=sizes,
    )
    return AbstractTuple(
        AbstractTensor(input.shape[:axis] + (n,) + input.shape[axis + 1 :], input.dtype)
        for n in sizes
    )


@split.normalize
def _(x, sizes, axis):
    expect(x.ndim > 0, "input", "of rank 1 or more")
    return {"sizes": dims_of(sizes, "sizes"), "axis": axis_of(axis, x.ndim)}


@split.bprop
def _(x, sizes, axis, out, dout):
    joined = P.concat(tuple(dout[i] for i in range(len(sizes))), axis)
    # Of open sizes the sum is another expression than the dimension that it equals.
    return (joined if all(type(n) is int for n in sizes) else P.reshape(joined, x.shape),)


@op(cls="Pad(paddings)")
def pad(input: Tensor, paddings: tuple, value: float = 0) -> Tensor:
    """Add elements of one value around a tensor.

    Args:
        input (Tensor): the operand.
        paddings (tuple): for each dimension, how many to add before and after.
        value (number): their value. Default: 0.

    Returns:
        Tensor: of the same dtype.

    Raises:
        ValueError: ``paddings`` has not one pair per dimension, or is negative.
    """
    return AbstractTensor(
        tuple(n + lo + hi for n, (lo, hi) in zip(input.shape, paddings, strict=False)), input.dtype
    )


@pad.normalize
def _(x, paddings, value):
    pairs = tuple(tuple(p) for p in paddings)
    expect(
        len(pairs) == x.ndim and all(len(p) == 2 for p in pairs),
        "paddings",
        f"{x.ndim} pairs",
        got=paddings,
    )
    expect(all(n >= 0 for p in pairs for n in p), "paddings", "at least 0", got=paddings)
    return {"paddings": pairs, "value": float(value)}


@pad.bprop
def _(x, paddings, value, out, dout):
    begin = tuple(lo for lo, _ in paddings)
    end = tuple(lo + n for (lo, _), n in zip(paddings, x.shape, strict=False))
    return (P.strided_slice(dout, begin, end, (1,) * len(begin)),)


@pad.shard
def _(x, paddings, value):
    letters = [None if any(p) else n for n, p in zip(names(len(x.shape)), paddings)]
    return Rule((tuple(letters),), (tuple(letters),))


@pad.batch
def _(b, x, paddings, value):
    return P.pad(x, ((0, 0), *paddings), value)


@op(batch="axis", cls="ReverseV2(axis)")
def flip(input: Tensor, axis: tuple) -> Tensor:
    """Reverse the order of elements along dimensions.

    Args:
        input (Tensor): the operand.
        axis (int, tuple[int]): the dimensions.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: a dimension is out of range or given twice.

    Examples:
        >>> print(ops.flip(Tensor([1, 2, 3]), (0,)))
        [3 2 1]
    """
    return same(input)


@flip.normalize
def _(x, axis):
    return {"axis": () if axis == () else axes_of(axis, x.ndim)}


@flip.bprop
def _(x, axis, out, dout):
    return (P.flip(dout, axis),)


@op(
    promote="input other", inplace={"out": "input other"}, elementwise=True, function=True, cls=True
)
def select(condition: Tensor, input: Tensor, other: Tensor) -> Tensor:
    """``input`` where ``condition`` holds, else ``other``; all three broadcast.

    Args:
        condition (Tensor[bool]): what decides.
        input (Tensor | number): values where it holds.
        other (Tensor | number): values elsewhere.

    Returns:
        Tensor: of the broadcast shape and the common dtype of the values.

    Raises:
        TypeError: ``condition`` is not bool.
        ValueError: the shapes do not broadcast.

    Examples:
        >>> print(ops.select(Tensor([True, False]), Tensor([1.0, 2.0]), 0))
        [1. 0.]
    """
    expect(
        condition.dtype.is_bool,
        "condition",
        "of dtype bool",
        TypeError,
        got=condition.dtype.name,
        cure="compare it: condition != 0",
    )
    return AbstractTensor(broadcast(condition.shape, joined(input, other).shape), input.dtype)


@select.bprop
def _(condition, x, y, out, dout, need):
    return (
        None,
        unbroadcast(P.select(condition, dout, 0), x.shape) if need[1] else None,
        unbroadcast(P.select(condition, 0, dout), y.shape) if need[2] else None,
    )


def _triangle(x, k) -> AbstractTensor:
    expect(isinstance(k, int) and abs(k) < 2**62, "k", "an int", TypeError, got=repr(k))
    expect(x.ndim >= 2, "input", "of rank 2 or more", got=f"shape {x.shape}")
    return same(x)


@op(batch="leading", cls="Tril(diagonal: k = 0)")
def tril(input: Tensor, k: int = 0) -> Tensor:
    """The lower triangles of the matrices in the last two dimensions; 0 above diagonal ``k``.

    Args:
        input (Tensor): of rank 2 or more.
        k (int): the last diagonal kept; 0 is the main one. Default: 0.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: ``input`` has less than two dimensions.

    Examples:
        >>> print(ops.tril(Tensor([[1, 2], [3, 4]])))
        [[1 0]
         [3 4]]
    """
    return _triangle(input, k)


@tril.bprop
def _(x, k, out, dout):
    return (P.tril(dout, k),)


@op(batch="leading", cls="Triu(diagonal: k = 0)")
def triu(input: Tensor, k: int = 0) -> Tensor:
    """The upper triangles of the matrices in the last two dimensions; 0 below diagonal ``k``.

    Args:
        input (Tensor): of rank 2 or more.
        k (int): the first diagonal kept; 0 is the main one. Default: 0.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        ValueError: ``input`` has less than two dimensions.

    Examples:
        >>> print(ops.triu(Tensor([[1, 2], [3, 4]])))
        [[1 2]
         [0 4]]
    """
    return _triangle(input, k)


@triu.bprop
def _(x, k, out, dout):
    return (P.triu(dout, k),)

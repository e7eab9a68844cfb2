"""Products of vectors, matrices and tensors."""

from __future__ import annotations

from ...base.errors import complain, expect
from ..define import P
from ..faces import face
from ..repeated import repeated
from ..rules import axis_of, scaled_by
from .common import is_tensor
from .create_func import diagonal
from .elsewhere import elsewhere


@face(method=True, mint=True)
@repeated
def matmul(input, other):
    """The matrix product as NumPy defines it: vectors are rows on the left and columns on the
    right, batches broadcast.

    Args:
        input (Tensor[(..., M, K), number]): the left operand, or a vector of K.
        other (Tensor[(..., K, N), number]): the right operand, or a vector of K.

    Returns:
        Tensor: of the common dtype.

    Raises:
        ValueError: an operand is a scalar, or the sizes do not fit.

    Examples:
        >>> print(ops.matmul(Tensor([1.0, 2.0]), Tensor([[3.0], [4.0]])))
        [11.]
    """
    for name, v in (("input", input), ("other", other)):
        expect(hasattr(v, "shape"), f"matmul: {name}", "a Tensor", TypeError, got=type(v).__name__)
    a, b = len(input.shape), len(other.shape)
    if a >= 2 and b >= 2:
        return P.matmul(input, other)
    expect(
        a > 0 and b > 0,
        "matmul: both operands",
        "of rank 1 or more",
        got=f"shapes {input.shape} and {other.shape}",
    )
    x = P.reshape(input, (1,) + input.shape) if a == 1 else input
    y = P.reshape(other, other.shape + (1,)) if b == 1 else other
    out = P.matmul(x, y)
    shape = out.shape
    if a == 1:
        shape = shape[:-2] + shape[-1:]
    return P.reshape(out, shape[:-1] if b == 1 else shape)


@face(method=True)
@repeated
def bmm(input_x, mat2):
    """The products of batches of matrices.

    Args:
        input_x (Tensor[(B, M, K), number]): the left factors.
        mat2 (Tensor[(B, K, N), number]): the right factors.

    Returns:
        Tensor[(B, M, N)]: the products.

    Raises:
        TypeError: ``input_x`` is not a Tensor.
        ValueError: the shape of ``mat2`` does not fit ``input_x``.

    Examples:
        >>> print(ops.bmm(ops.ones((1, 1, 2)), ops.ones((1, 2, 1))))
        [[[2.]]]
    """
    return P.matmul(input_x, mat2)


@face(method=True, mint=True)
def mm(input, mat2):
    """The product of two matrices.

    Examples:
        >>> print(ops.mm(ops.ones((1, 2)), ops.ones((2, 1))))
        [[2.]]
    """
    expect(
        len(input.shape) == 2 and len(mat2.shape) == 2,
        "mm: both operands",
        "matrices",
        got=f"shapes {input.shape} and {mat2.shape}",
    )
    return P.matmul(input, mat2)


@repeated
def mv(mat, vec):
    """The product of a matrix and a vector.

    Examples:
        >>> print(ops.mv(ops.ones((1, 2)), ops.ones((2,))))
        [2.]
    """
    return matmul(mat, vec)


@face(method=True, mint=True)
def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    r""":math:`\beta x + \alpha A B`.

    Args:
        input (Tensor): x, which broadcasts to (M, N).
        mat1 (Tensor[(M, K), number]): A.
        mat2 (Tensor[(K, N), number]): B.
        beta (number): the factor of x. Default: 1.
        alpha (number): the factor of the product. Default: 1.

    Returns:
        Tensor[(M, N)]: the sum.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``mat1`` does not fit ``input``.

    Examples:
        >>> print(ops.addmm(Tensor([[1.0]]), ops.ones((1, 2)), ops.ones((2, 1))))
        [[3.]]
    """
    product = P.matmul(mat1, mat2)
    return scaled_by(input, beta) + scaled_by(product, alpha)


@face(method=True, mint=True)
def baddbmm(input, batch1, batch2, beta=1, alpha=1):
    r""":math:`\beta x + \alpha A B` for a batch of matrices.

    Args:
        input (Tensor): x, which broadcasts to (B, M, N).
        batch1 (Tensor[(B, M, K), number]): A.
        batch2 (Tensor[(B, K, N), number]): B.
        beta (number): the factor of x. Default: 1.
        alpha (number): the factor of the product. Default: 1.

    Returns:
        Tensor[(B, M, N)]: the sum.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the shape of ``batch1`` does not fit ``input``.

    Examples:
        >>> print(ops.baddbmm(Tensor([[[1.0]]]), ops.ones((1, 1, 2)), ops.ones((1, 2, 1))))
        [[[3.]]]
    """
    return addmm(input, batch1, batch2, beta=beta, alpha=alpha)


@face(method=True, mint=True)
@repeated
def dot(input, other):
    """The product over the last dimension of ``input`` and the last but one of ``other``, as
    NumPy's ``dot``.

    Args:
        input (Tensor[any shape, number]): the left factor.
        other (Tensor[any shape, number]): the right factor.

    Returns:
        Tensor: the dimensions of both without the summed ones.

    Raises:
        ValueError: the shape of ``other`` does not fit ``input``.

    Examples:
        >>> print(ops.dot(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
        11.0
    """
    if not input.shape or not other.shape:
        return input * other
    return tensor_dot(input, other, ((len(input.shape) - 1,), (max(len(other.shape) - 2, 0),)))


@face(method=True)
def inner(input, other):
    """The product over the last dimensions of both operands.

    Args:
        input (Tensor[any shape, number]): the left factor.
        other (Tensor[any shape, number]): the right factor, of the same last dimension.

    Returns:
        Tensor: of shape ``input.shape[:-1] + other.shape[:-1]``.

    Raises:
        ValueError: the shape of ``other`` does not fit ``input``.

    Examples:
        >>> print(ops.inner(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
        11.0
    """
    if not input.shape or not other.shape:
        return input * other
    return tensor_dot(input, other, ((len(input.shape) - 1,), (len(other.shape) - 1,)))


@face(method=True, mint=True)
@repeated
def outer(input, vec2):
    """The products of each element of one vector with each of another.

    Args:
        input (Tensor[(M,), number]): one vector.
        vec2 (Tensor[(N,), number]): the other.

    Returns:
        Tensor[(M, N)]: the products.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.outer(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
        [[3. 4.]
         [6. 8.]]
    """
    column, row = (
        P.reshape(v, shape) if is_tensor(v) else v
        for v, shape in ((input, (-1, 1)), (vec2, (1, -1)))
    )
    return P.mul(column, row)


@face(alias="tensordot")
def tensor_dot(x1, x2, axes):
    """The sum of products over dimensions of two tensors.

    Args:
        x1 (Tensor): the left operand.
        x2 (Tensor): the right operand.
        axes (int, tuple): how many last dimensions of the left meet the first of the right; or two
            tuples of dimensions.

    Returns:
        Tensor: the other dimensions of the left, then those of the right.

    Raises:
        ValueError: sizes that meet differ.

    Examples:
        >>> print(ops.tensor_dot(ops.ones((2, 3)), ops.ones((3, 2)), 1))
        [[3. 3.]
         [3. 3.]]
    """
    if isinstance(axes, int):
        axes = (tuple(range(len(x1.shape) - axes, len(x1.shape))), tuple(range(axes)))
    left, right = ((a,) if isinstance(a, int) else tuple(a) for a in axes)
    left = tuple(axis_of(a, len(x1.shape)) for a in left)
    right = tuple(axis_of(a, len(x2.shape)) for a in right)
    sizes, others = [x1.shape[a] for a in left], [x2.shape[a] for a in right]
    expect(sizes == others, "axes", "dimensions of equal size", got=f"{sizes} and {others}")
    rows = tuple(i for i in range(len(x1.shape)) if i not in left)
    columns = tuple(i for i in range(len(x2.shape)) if i not in right)
    k = 1
    for n in sizes:
        k *= n
    shape = tuple(x1.shape[i] for i in rows) + tuple(x2.shape[i] for i in columns)
    m = 1
    for i in rows:
        m *= x1.shape[i]
    n = 1
    for i in columns:
        n *= x2.shape[i]
    a = P.reshape(P.transpose(x1, rows + left), (m, k))
    b = P.reshape(P.transpose(x2, right + columns), (k, n))
    return P.reshape(P.matmul(a, b), shape)


@face(method=True)
def kron(input, other):
    """The Kronecker product: each element of ``input`` times all of ``other``.

    Args:
        input (Tensor[any shape, number]): the left factor.
        other (Tensor[any shape, number]): the right factor.

    Returns:
        Tensor: each size the product of both sizes.

    Raises:
        AttributeError: an operand is no Tensor.

    Examples:
        >>> print(ops.kron(Tensor([1.0, 2.0]), Tensor([1.0, 1.0])))
        [1. 1. 2. 2.]
    """
    rank = max(len(input.shape), len(other.shape))
    a = (1,) * (rank - len(input.shape)) + input.shape
    b = (1,) * (rank - len(other.shape)) + other.shape
    x = P.reshape(input, tuple(n for s in a for n in (s, 1)))
    y = P.reshape(other, tuple(n for s in b for n in (1, s)))
    return P.reshape(P.mul(x, y), tuple(p * q for p, q in zip(a, b, strict=False)))


# ---- einsum


@face(mint=True)
@repeated
def einsum(equation, *operands):
    """Sums of products in Einstein's notation.

    Args:
        equation (str): one group of letters per operand, separated by commas; after ``->`` those of
            the result. Without it, the letters that occur once, in alphabetical order. ``...``
            stands for dimensions that broadcast.
        operands (Tensor): the operands.

    Returns:
        Tensor: the result.

    Raises:
        ValueError: the equation does not fit the operands.

    Examples:
        >>> print(ops.einsum("ij,jk->ik", ops.ones((1, 2)), ops.ones((2, 1))))
        [[2.]]
    """
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = tuple(operands[0])
    terms, result = _parse(equation, operands)
    terms = [_once(x, t) for x, t in zip(operands, terms, strict=False)]
    x, have = terms[0]
    for k, (y, letters) in enumerate(terms[1:], 1):
        later = set(result).union(*[t for _, t in terms[k + 1 :]])
        x, have = _pair(x, have, y, letters, later)
    gone = tuple(i for i, c in enumerate(have) if c not in result)
    if gone:
        x, have = P.sum(x, gone), "".join(c for c in have if c in result)
    return x if have == result else P.transpose(x, tuple(have.index(c) for c in result))


def _parse(equation: str, operands) -> tuple:
    """The letters of each operand and of the result; dimensions of ``...`` get capital letters from
    the end.
    """
    left, arrow, result = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    expect(
        len(terms) == len(operands), "equation", f"with {len(operands)} groups", got=repr(equation)
    )
    spare = "ZYXWVUTSRQPONMLKJIHGFEDCBA"
    widest, full = "", []
    for x, t in zip(operands, terms, strict=False):
        n = len(x.shape) - len(t.replace("...", ""))
        fits = n == 0 or n > 0 and "..." in t
        expect(fits, f"the group {t!r}", f"of {len(x.shape)} letters", got=repr(equation))
        dots = spare[:n][::-1] if "..." in t else ""
        widest = dots if len(dots) > len(widest) else widest
        full.append(t.replace("...", dots))
    if not arrow:
        letters = "".join(full)
        result = widest + "".join(
            sorted(c for c in set(letters) if letters.count(c) == 1 and c not in widest)
        )
    else:
        result = result.replace("...", widest)
    for c in result:
        expect(
            any(c in t for t in full) and result.count(c) == 1,
            "equation",
            f"one where {c!r} comes once, and from an operand",
            got=repr(equation),
        )
    return full, result


def _once(x, letters: str):
    """``x`` with repeated letters taken along their diagonal."""
    for c in letters:
        while letters.count(c) > 1:
            i = letters.index(c)
            j = letters.index(c, i + 1)
            x = diagonal(x, 0, i, j)
            letters = letters[:i] + letters[i + 1 : j] + letters[j + 1 :] + c
    return x, letters


def _pair(x, a: str, y, b: str, later: set):
    """The product of two operands, summed over letters that nobody needs later, by one batched
    matrix product.
    """
    shared = [c for c in a if c in b]
    sizes = {}
    for letters, t in ((a, x), (b, y)):
        for c, n in zip(letters, t.shape, strict=False):
            known = sizes.get(c, 1)
            if known != n and 1 not in (known, n):
                raise complain(
                    ValueError,
                    f"einsum: {c!r} has sizes {known} and {n}",
                    expected="one size per letter",
                )
            sizes[c] = max(known, n) if 0 not in (known, n) else 0
    x = P.broadcast_to(
        x, tuple(sizes[c] if c in shared else n for c, n in zip(a, x.shape, strict=False))
    )
    y = P.broadcast_to(
        y, tuple(sizes[c] if c in shared else n for c, n in zip(b, y.shape, strict=False))
    )
    batch = [c for c in shared if c in later]
    met = [c for c in shared if c not in later]
    rows, columns = [c for c in a if c not in shared], [c for c in b if c not in shared]

    def packed(t, letters, order, shape):
        return P.reshape(P.transpose(t, tuple(letters.index(c) for c in order)), shape)

    def size(letters):
        n = 1
        for c in letters:
            n *= sizes[c]
        return n

    lead, m, k, n = size(batch), size(rows), size(met), size(columns)
    left = packed(x, a, batch + rows + met, (lead, m, k))
    right = packed(y, b, batch + met + columns, (lead, k, n))
    out = "".join(batch + rows + columns)
    return P.reshape(P.matmul(left, right), tuple(sizes[c] for c in out)), out


# MindSpore has other functions here too.
__getattr__, __dir__ = elsewhere(__name__)

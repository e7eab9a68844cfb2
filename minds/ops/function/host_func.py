"""Functions that NumPy and SciPy compute on the host and that few programs use: factorisations with
Householder reflectors, suppression of boxes, distances of sequences.

Each is an op of its own that is not in the registry: it has no native kernel, and no other op
refers to it.
"""

from __future__ import annotations

import math

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...ir.abstract import AbstractTensor, AbstractTuple
from ...tensor import Tensor
from ..define import P, library_op
from ..faces import face, offer, primitive
from ..rules import no_gradient, same
from .array_func import swapaxes
from .common import hosted, known_values


def _each(fn, rank: int = 2):
    """``fn`` of matrices, on batches of them; of a batch of none it is asked for one of zeros."""

    def batched(x, *rest):
        lead = x.shape[:-rank]
        if not lead:
            return fn(x, *rest)
        rows = [
            fn(*parts)
            for parts in zip(
                *(a.reshape(math.prod(lead), *a.shape[len(lead) :]) for a in (x, *rest)),
                strict=True,
            )
        ]
        if not rows:
            one = fn(*[np.zeros(a.shape[len(lead) :], a.dtype) for a in (x, *rest)])
            if isinstance(one, tuple):
                return tuple(np.zeros(lead + v.shape, v.dtype) for v in one)
            return np.zeros(lead + one.shape, one.dtype)
        if isinstance(rows[0], tuple):
            return tuple(np.stack(c).reshape(lead + c[0].shape) for c in zip(*rows, strict=True))
        return np.stack(rows).reshape(lead + rows[0].shape)

    return batched


def _geqrf_one(a):
    import scipy.linalg.lapack as lapack

    if not a.size:
        return a.copy(), np.zeros(0, a.dtype)
    qr, tau, _, _ = lapack.get_lapack_funcs("geqrf", (a,))(a)
    return qr, tau


@hosted(_each(_geqrf_one))
def _geqrf(x: Tensor):
    return AbstractTuple((same(x), AbstractTensor(x.shape[:-2] + (min(x.shape[-2:]),), x.dtype)))


@face(method=True, cls=True)
def geqrf(input):
    """The QR factorisation with the reflectors below the diagonal and their factors apart.

    Args:
        input (Tensor[(..., M, N), float]): the matrices.

    Returns:
        tuple: the packed factors (..., M, N), and tau (..., min(M, N)).

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> y, tau = ops.geqrf(Tensor([[3.0], [4.0]]))
        >>> print(y.asnumpy().round(3), tau.asnumpy().round(3))
        [[-5. ]
         [ 0.5]] [1.6]
    """
    return _geqrf(input)


@face(method=True, cls=True)
def orgqr(input, input2):
    """The orthonormal columns that `geqrf` packed.

    Args:
        input (Tensor[(..., M, N), float]): the packed factors.
        input2 (Tensor[(..., K), float]): tau.

    Returns:
        Tensor[(..., M, N)]: of the same dtype.

    Raises:
        TypeError: ``input`` has a wrong type.

    Examples:
        >>> print(ops.orgqr(*ops.geqrf(Tensor([[3.0], [4.0]]))).asnumpy().round(3))
        [[-0.6]
         [-0.8]]
    """
    m, n, k = *input.shape[-2:], input2.shape[-1]
    rank = len(input.shape)
    packed = P.strided_slice(input, (0,) * rank, (*input.shape[:-1], k), (1,) * rank)
    # The product of I - tau_i v_i v_i^T is I - V T V^T, where T = (I + D U)^-1 D with D = diag(tau)
    # and U the products of the v above the diagonal: Schreiber and Van Loan, 1989.
    v = P.tril(packed, -1) + P.eye(m, k, input.dtype)
    above = P.triu(P.matmul(v, v, True, False), 1)
    factors = P.reshape(input2, (*input2.shape, 1))
    eye = P.eye(k, k, input.dtype)
    t = P.solve(eye + factors * above, factors * eye)
    return P.eye(m, n, input.dtype) - P.matmul(
        v,
        P.matmul(
            t,
            P.strided_slice(v, (0,) * rank, (*v.shape[:-2], min(n, m), k), (1,) * rank),
            False,
            True,
        ),
    )


@face(cls="Ormqr(left=True, transpose=False)")
def ormqr(input, tau, other, left=True, transpose=False):
    """The product of the orthogonal matrix that `geqrf` packed and another matrix.

    Args:
        input (Tensor[(..., M, K), float]): the packed factors.
        tau (Tensor[(..., K), float]): their factors.
        other (Tensor[(..., M, N), float]): the other matrix; (..., N, M) with ``left`` unset.
        left (bool): Q stands on the left. Default: True.
        transpose (bool): Q is transposed. Default: False.

    Returns:
        Tensor[(..., M, N), float]: the product, of the shape of ``other``.

    Raises:
        TypeError: ``tau`` is not a Tensor.

    Examples:
        >>> y, tau = ops.geqrf(Tensor([[3.0], [4.0]]))
        >>> print(ops.ormqr(y, tau, Tensor([[3.0], [4.0]]), transpose=True).asnumpy().round(3) + 0.0)
        [[-5.]
         [ 0.]]
    """
    m = input.shape[-2]
    rank = len(input.shape) - 2
    square = P.pad(input, ((0, 0),) * rank + ((0, 0), (0, max(m - input.shape[-1], 0))), 0)
    q = orgqr(square, tau)
    return P.matmul(q, other, transpose, False) if left else P.matmul(other, q, False, transpose)


def _exchanged(pivots, m: int, dtype):
    """The matrix P of A = P L U, from the exchanges of rows, counted from 1."""
    order = np.arange(m)
    for i, p in enumerate(pivots):
        order[[i, p - 1]] = order[[p - 1, i]]
    out = np.zeros((m, m), dtype.np)
    out[order, np.arange(m)] = 1
    return out


@hosted(lambda pivots, m, dtype: _each(lambda p: _exchanged(p, m, dtype), 1)(pivots), nondiff=True)
def _row_exchanges(pivots: Tensor, m: int, dtype: dt.DType):
    return AbstractTensor(pivots.shape[:-1] + (m, m), dtype)


def _triangles(lu) -> tuple:
    """L and U of a packed factorisation."""
    (m, n), rank = lu.shape[-2:], len(lu.shape)
    k, lead = min(m, n), lu.shape[:-2]
    start, by = (0,) * rank, (1,) * rank
    low = P.tril(P.strided_slice(lu, start, (*lead, m, k), by), -1) + P.eye(m, k, lu.dtype)
    return low, P.triu(P.strided_slice(lu, start, (*lead, k, n), by), 0)


def _lu_one(a):
    import scipy.linalg

    lu, pivots = scipy.linalg.lu_factor(a)
    return lu, pivots.astype(np.int32)


@hosted(_each(_lu_one))
def lu_packed(x: Tensor):
    """The packed triangles of an LU factorisation, and the exchanges of rows, counted from 0."""
    return AbstractTuple((same(x), AbstractTensor(x.shape[:-2] + (min(x.shape[-2:]),), dt.int32)))


@lu_packed.bprop
def _(x, out, dout):
    """L^-T (tril(L^T dL, -1) + triu(dU U^T)) U^-T, with the rows exchanged back."""
    m, n = x.shape[-2:]
    expect(m == n, "input", "of square matrices, for a gradient", got=f"shape {x.shape}")
    low, up = _triangles(out[0])
    inner = P.tril(P.matmul(low, P.tril(dout[0], -1), True, False), -1)
    inner = inner + P.triu(P.matmul(P.triu(dout[0], 0), up, False, True), 0)
    left = P.solve(swapaxes(low, -1, -2), inner)
    inside = swapaxes(P.solve(up, swapaxes(left, -1, -2)), -1, -2)
    return (P.matmul(_row_exchanges(out[1] + 1, m, x.dtype), inside),)


@face(cls="LuUnpack(unpack_data=True, unpack_pivots=True)")
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    """Permutation, lower and upper triangle of a packed LU factorisation.

    Args:
        LU_data (Tensor[(..., M, N), float]): the packed factors.
        LU_pivots (Tensor[(..., min(M, N)), int]): the exchanges of rows, counted from 1.
        unpack_data, unpack_pivots (bool): whether the triangles, and the permutation, are wanted;
            None stands for what is not. Default: True.

    Returns:
        tuple: P, L and U, whose product is the matrix.

    Raises:
        TypeError: ``LU_data`` is not a Tensor.

    Examples:
        >>> p, l, u = ops.lu_unpack(Tensor([[2.0, 1.0], [0.5, 3.0]]), Tensor([2, 2]))
        >>> print(p, u)
        [[0. 1.]
         [1. 0.]] [[2. 1.]
         [0. 3.]]
    """
    low, up = _triangles(LU_data)
    p = _row_exchanges(LU_pivots, LU_data.shape[-2], LU_data.dtype) if unpack_pivots else None
    return (
        p,
        (low if unpack_data else None),
        (up if unpack_data else None),
    )


@face(method=True, cls=True)
def lu_solve(b, LU_data, LU_pivots):
    """The solutions of A x = b, with A as a packed LU factorisation.

    Args:
        b (Tensor[(..., N, K), float]): the right sides.
        LU_data (Tensor[(..., N, N), float]): both factors in one matrix, as of `lu_factor`.
        LU_pivots (Tensor[(..., N), int]): the pivots, counted from 1.

    Returns:
        Tensor[(..., N, K)]: the solutions.

    Raises:
        TypeError: ``b`` is not a Tensor.
        ValueError: ``LU_data`` is not of square matrices, or ``LU_pivots`` not of one number per row.

    Examples:
        >>> print(ops.lu_solve(Tensor([[2.0]]), Tensor([[4.0]]), Tensor([1])))
        [[0.5]]
    """
    n = LU_data.shape[-1]
    expect(
        LU_data.ndim > 1 and LU_data.shape[-2] == n,
        "LU_data",
        "of square matrices",
        got=LU_data.shape,
    )
    expect(
        LU_pivots.shape == LU_data.shape[:-1],
        "LU_pivots",
        f"of shape {LU_data.shape[:-1]}",
        got=LU_pivots.shape,
    )
    low, up = _triangles(LU_data)
    p = _row_exchanges(LU_pivots, n, LU_data.dtype)
    return P.solve(up, P.solve(low, P.matmul(p, b, True, False)))


def _expm(a):
    import scipy.linalg

    return scipy.linalg.expm(a).astype(a.dtype)


def _expm_rule(input: Tensor):
    return same(input)


_matrix_exp = library_op(_expm_rule, host=_expm)


@_matrix_exp.bprop
def _(x, out, dout):
    """The Fréchet derivative is a block of the exponential of [[x^T, dout], [0, x^T]]."""
    n, rank = x.shape[-1], len(x.shape) - 2
    xt = P.transpose(x, tuple(range(rank)) + (rank + 1, rank))
    zero = xt * 0
    block = P.concat((P.concat((xt, dout), rank + 1), P.concat((zero, xt), rank + 1)), rank)
    return (
        P.strided_slice(
            _matrix_exp(block), (0,) * rank + (0, n), x.shape[:-2] + (n, 2 * n), (1,) * (rank + 2)
        ),
    )


@face(cls=True)
def matrix_exp(input):
    r"""The exponentials of square matrices, :math:`\sum_k A^k / k!`.

    Args:
        input (Tensor[(..., N, N), float]): the matrices.

    Returns:
        Tensor: of the same shape and dtype.

    Raises:
        TypeError: ``input`` is not a Tensor.

    Examples:
        >>> print(ops.matrix_exp(Tensor([[0.0, 1.0], [0.0, 0.0]])))
        [[1. 1.]
         [0. 1.]]
    """
    expect(input.ndim >= 2, "input", "a matrix, or a batch of them", got=f"shape {input.shape}")
    return _matrix_exp(input)


@hosted(np.nextafter)
def _nextafter(x: Tensor, other: Tensor):
    return same(x)


@_nextafter.bprop
def _(x, other, out, dout):
    """A step of the least size: the identity, as far as a derivative can see."""
    return dout, None


@face(method=True, cls="NextAfter")
def nextafter(input, other):
    """The next number towards ``other``.

    Args:
        input (Tensor[any shape, float]): the start.
        other (Tensor[any shape, float]): the direction; shapes broadcast.

    Returns:
        Tensor: of the shape that both broadcast to.

    Raises:
        TypeError: ``input`` has a dtype that is not supported.

    Examples:
        >>> print(ops.nextafter(Tensor([0.0], ms.float64), Tensor([1.0], ms.float64)) > 0)
        [ True]
    """
    shape = np.broadcast_shapes(input.shape, other.shape)
    return _nextafter(P.broadcast_to(input, shape), P.broadcast_to(other, shape))


# ---- boxes and sequences


def _suppress(boxes, threshold):
    """Boxes by falling score; a box that overlaps one kept before it is masked."""
    order = np.argsort(-boxes[:, 4], kind="stable")
    b = boxes[order].astype(np.float64)
    area = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    keep = np.ones(len(b), bool)
    for i in range(len(b)):
        if keep[i]:
            w = np.clip(
                np.minimum(b[i, 2], b[i + 1 :, 2]) - np.maximum(b[i, 0], b[i + 1 :, 0]), 0, None
            )
            h = np.clip(
                np.minimum(b[i, 3], b[i + 1 :, 3]) - np.maximum(b[i, 1], b[i + 1 :, 1]), 0, None
            )
            union = area[i] + area[i + 1 :] - w * h
            keep[i + 1 :] &= (w * h <= threshold * union) | (union <= 0)  # or both have no area
    return boxes[order], np.arange(len(b)), keep


@hosted(_suppress)
def _nms_with_mask(bboxes: Tensor, iou_threshold: float):
    rows = len(bboxes.shape) == 2 and bboxes.shape[1] == 5
    expect(rows, "bboxes", "rows of four coordinates and a score", got=f"shape {bboxes.shape}")
    n = bboxes.shape[:1]
    return AbstractTuple((same(bboxes), AbstractTensor(n, dt.int32), AbstractTensor(n, dt.bool_)))


def _ngram(states, logp, size):
    out = logp.copy()
    for at in np.ndindex(*states.shape[:2]):
        s = states[at]
        for i in range(len(s) - size + 1):
            if (s[i : i + size - 1] == s[len(s) - size + 1 :]).all():
                out[(*at, s[i + size - 1])] = -np.finfo(np.float32).max
    return out


@hosted(_ngram)
def _no_repeat_ngram(state_seq: Tensor, log_probs: Tensor, size: int):
    return same(log_probs)


@_no_repeat_ngram.bprop
def _(state_seq, log_probs, size, out, dout):
    return None, P.select(P.equal(out, log_probs), dout, 0)


def _betainc_host(a, b, x):
    import scipy.special

    return scipy.special.betainc(a, b, x)


@hosted(_betainc_host)
def _betainc(a: Tensor, b: Tensor, x: Tensor):
    """The regularised incomplete beta function of ``x``."""
    return same(x)


@_betainc.bprop
def _(a, b, x, out, dout, need):
    if need[0] or need[1]:
        raise no_gradient("betainc", "a" if need[0] else "b")
    scale = P.lgamma(a + b) - P.lgamma(a) - P.lgamma(b)
    return None, None, dout * P.exp(scale + (a - 1) * P.log(x) + (b - 1) * P.log1p(-x))


offer(_betainc, "betainc", cls=True)


def _levenshtein(a: list, b: list) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        old, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(old[j] + 1, row[-1] + 1, old[j - 1] + (x != y)))
    return row[-1]


def _distances(hi, hv, ti, tv, shape, normalize):
    """The distances of sparse sequences; the last coordinate is the place in a sequence."""
    out = np.zeros(shape, np.float32)
    for at in np.ndindex(*shape):
        a, b = (
            [v for i, v in zip(index, values, strict=True) if tuple(i[:-1]) == at]
            for index, values in ((hi, hv), (ti, tv))
        )
        d = _levenshtein(a, b)
        out[at] = d if not normalize else d / len(b) if b else np.inf if a else 0
    return out


@hosted(_distances, nondiff=True)
def _edit_distance(hi: Tensor, hv: Tensor, ti: Tensor, tv: Tensor, shape: tuple, normalize: bool):
    return AbstractTensor(shape, dt.float32)


@primitive
def NMSWithMask(iou_threshold=0.5):
    return lambda bboxes: _nms_with_mask(bboxes, float(iou_threshold))


@primitive
def NoRepeatNGram(ngram_size=1):
    return lambda state_seq, log_probs: _no_repeat_ngram(state_seq, log_probs, ngram_size)


@primitive
def EditDistance(normalize=True):
    """How many insertions, deletions and exchanges make a sequence into another, for pairs of sequences
    that are the rows of sparse tensors.

    Args:
        normalize (bool): divide by the length of the true sequence. Default: True.
        hypothesis_indices (Tensor[(n, R), int64]): the places of the elements of the first sequences;
            the last coordinate is the place in a sequence.
        hypothesis_values (Tensor[(n,)]): the elements.
        hypothesis_shape (Tensor[(R,), int64]): the dense shape; its values are known when compiling.
        truth_indices, truth_values, truth_shape (Tensor): likewise of the true sequences.

    Returns:
        Tensor[float32]: of the larger of both shapes, without the last dimension.

    Raises:
        ValueError: the ranks differ.
        CompileTimeError: the values of a shape are known only at run time.

    Examples:
        >>> at, shape = Tensor([[0, 0], [0, 1]]), Tensor([1, 2])
        >>> print(ops.EditDistance()(at, Tensor([1.0, 2.0]), shape, at, Tensor([1.0, 3.0]), shape))
        [0.5]
    """

    def call(
        hypothesis_indices,
        hypothesis_values,
        hypothesis_shape,
        truth_indices,
        truth_values,
        truth_shape,
    ):
        shapes = known_values("EditDistance", hypothesis_shape, truth_shape)
        ranks = [len(s) for s in shapes]
        expect(ranks[0] == ranks[1], "truth_shape", f"of {ranks[0]} elements", got=ranks[1])
        shape = tuple(int(n) for n in np.maximum(*shapes)[:-1])
        return _edit_distance(
            hypothesis_indices, hypothesis_values, truth_indices, truth_values, shape, normalize
        )

    return call

"""Class spellings that few programs use: the continuation of the tables of `operations`."""

from __future__ import annotations

from ...base import dtype as dt
from .. import functional as F
from ..define import P
from ..states import written


def _segments(function):
    """Ids are in order, so the last one tells how many segments there are."""
    return lambda: (
        lambda input_x, segment_ids: function(input_x, segment_ids, int(segment_ids[-1]) + 1)
    )


def _sparse_to_dense(indices, values, sparse_shape):
    rows = indices if len(indices.shape) > 1 else P.reshape(indices, (-1, 1))
    values = P.broadcast_to(values, rows.shape[:1]) if not values.shape else values
    return P.tensor_scatter(P.full(tuple(sparse_shape), 0, values.dtype), rows, values, "update")


def _space_to_depth(x, size):
    n, c, h, w = x.shape
    out = P.reshape(x, (n, c, h // size, size, w // size, size))
    return P.reshape(
        P.transpose(out, (0, 3, 5, 1, 2, 4)), (n, c * size * size, h // size, w // size)
    )


def _depth_to_space(x, size):
    n, c, h, w = x.shape
    out = P.reshape(x, (n, size, size, c // (size * size), h, w))
    return P.reshape(
        P.transpose(out, (0, 3, 4, 1, 5, 2)), (n, c // (size * size), h * size, w * size)
    )


def _sparse_softmax(is_grad=False):
    def call(logits, labels):
        if not is_grad:
            return F.cross_entropy(logits, labels)
        hot = F.one_hot(labels, logits.shape[1], 1, 0)
        return (P.softmax(logits, -1) - P.cast(hot, logits.dtype)) / logits.shape[0]

    return call


def _apply_momentum(use_nesterov=False, use_locking=False, gradient_scale=1.0):
    def call(variable, accumulation, learning_rate, gradient, momentum):
        gradient = gradient * gradient_scale
        moved = written(accumulation, accumulation * momentum + gradient)
        step = gradient + moved * momentum if use_nesterov else moved
        return written(variable, variable - step * learning_rate)

    return call


def _sgd(dampening=0.0, weight_decay=0.0, nesterov=False):
    """The first step takes the gradient itself as the accumulation; ``stat`` tells, and is 0
    afterwards.
    """

    def call(parameters, gradient, learning_rate, accum, momentum, stat):
        gradient = gradient + parameters * weight_decay if weight_decay else gradient
        later = accum * momentum + gradient * (1.0 - dampening)
        moved = written(accum, P.select(P.greater(stat, 0), gradient, later))
        written(stat, stat * 0)
        step = gradient + moved * momentum if nesterov else moved
        return written(parameters, parameters - step * learning_rate)

    return call


def _count_nonzero(dims=None):
    return lambda x: F.count_nonzero(x, () if dims is None else dims)


MADE = {
    "AdaptiveMaxPool2D": lambda output_size: lambda x: F.adaptive_max_pool2d(x, output_size, True),
    "ApplyMomentum": _apply_momentum,
    "ApproximateEqual": lambda tolerance=1e-5: lambda x, y: F.approximate_equal(x, y, tolerance),
    "BartlettWindow": lambda periodic=True, dtype=dt.float32: (
        lambda n: F.bartlett_window(n, periodic, dtype=dtype)
    ),
    "BlackmanWindow": lambda periodic=True, dtype=dt.float32: (
        lambda n: F.blackman_window(n, periodic, dtype=dtype)
    ),
    "Bucketize": lambda boundaries: lambda input: F.bucketize(input, list(boundaries), right=True),
    "Cdist": lambda p=2.0: lambda x1, x2: F.cdist(x1, x2, p),
    "ChannelShuffle": lambda group: lambda x: F.channel_shuffle(x, group),
    "Cholesky": lambda upper=False: lambda input_x: P.cholesky(input_x, upper),
    "CholeskyInverse": lambda upper=False: lambda x: F.cholesky_inverse(x, upper),
    "CholeskySolve": lambda upper=False: lambda x1, x2: F.cholesky_solve(x1, x2, upper),
    "TransposeView": lambda: F.transpose,
    "ConjugateTranspose": lambda: lambda x, perm: P.conj(P.transpose(x, perm)),
    "CountNonZero": _count_nonzero,
    "Cross": lambda dim=-65530: lambda input, other: F.cross(input, other, dim),
    "Cummax": lambda axis: lambda input: P.cummax(input, axis),
    "Cummin": lambda axis: lambda input: P.cummin(input, axis),
    "DepthToSpace": lambda block_size: lambda x: _depth_to_space(x, block_size),
    "Dropout2D": lambda keep_prob=0.5: (
        lambda x: (lambda out: (out, P.not_equal(out, 0)))(F.dropout2d(x, 1.0 - keep_prob))
    ),
    "Dropout3D": lambda keep_prob=0.5: (
        lambda x: (lambda out: (out, P.not_equal(out, 0)))(F.dropout3d(x, 1.0 - keep_prob))
    ),
    "Einsum": lambda equation: lambda x: F.einsum(equation, *x),
    "FillDiagonal": lambda fill_value, wrap=False: lambda x: x.fill_diagonal(fill_value, wrap),
    "FillV2": lambda: (
        lambda shape, value: P.broadcast_to(
            value, tuple(shape.tolist() if hasattr(shape, "tolist") else shape)
        )
    ),
    "GLU": lambda axis=-1: lambda x: F.glu(x, axis),
    "HammingWindow": lambda periodic=True, alpha=0.54, beta=0.46, dtype=dt.float32: (
        lambda n: F.hamming_window(n, periodic, alpha, beta, dtype=dtype)
    ),
    "Histogram": lambda bins=100, min=0.0, max=0.0: (
        lambda x: P.cast(F.histc(x, bins, min, max), x.dtype if x.dtype.is_float else dt.int32)
    ),
    "IdentityN": lambda: lambda x: tuple(P.copy(v) for v in x),
    "Identity": lambda: lambda x: P.copy(x),
    "Inv": lambda: lambda x: P.cast(P.reciprocal(x), x.dtype),
    "InTopK": lambda k: lambda x1, x2: F.intopk(x1, x2, k),
    "IndexAdd": lambda axis, use_lock=True, check_index_bound=True: (
        lambda x, indices, y: F.assign(x, F.index_add(x, indices, y, axis))
    ),
    "IndexPut": lambda accumulate=0: (
        lambda x1, x2, indices: x1.index_put(indices, x2, bool(accumulate))
    ),
    "InplaceAdd": lambda indices: lambda x, input_v: F.inplace_add(x, input_v, indices),
    "InplaceSub": lambda indices: lambda x, input_v: F.inplace_sub(x, input_v, indices),
    "InplaceUpdate": lambda indices: lambda x, v: F.inplace_update(x, v, indices),
    "IsClose": lambda rtol=1e-5, atol=1e-8, equal_nan=True: (
        lambda input, other: F.isclose(input, other, rtol, atol, equal_nan)
    ),
    "LogSpace": lambda steps=10, base=10, dtype=dt.float32: (
        lambda start, end: F.logspace(start, end, steps, base, dtype=dtype)
    ),
    "Logit": lambda eps=-1.0: lambda input: F.logit(input, None if eps < 0 else eps),
    "LowerBound": lambda out_type=dt.int32: (
        lambda sorted_x, values: P.cast(P.search(sorted_x, values, False), out_type)
    ),
    "UpperBound": lambda out_type=dt.int32: (
        lambda sorted_x, values: P.cast(P.search(sorted_x, values, True), out_type)
    ),
    "MatrixInverse": lambda adjoint=False: lambda x: P.inverse(F.adjoint(x) if adjoint else x),
    "MatrixPower": lambda n: lambda x: F.matrix_power(x, n),
    "MatrixSolve": lambda adjoint=False: lambda matrix, rhs: F.matrix_solve(matrix, rhs, adjoint),
    "MulNoNan": lambda: lambda x, y: P.select(P.equal(y, 0), 0, P.mul(x, y)),
    "Mvlgamma": lambda p: lambda x: F.mvlgamma(x, p),
    "NanToNum": lambda nan=None, posinf=None, neginf=None: (
        lambda input: F.nan_to_num(input, nan, posinf, neginf)
    ),
    "Qr": lambda full_matrices=False: lambda x: F.qr(x, "complete" if full_matrices else "reduced"),
    "ReverseSequence": lambda seq_dim, batch_dim=0: (
        lambda x, seq_lengths: F.reverse_sequence(x, seq_lengths, seq_dim, batch_dim)
    ),
    "Roll": lambda shifts, dims=None: lambda input: F.roll(input, shifts, dims),
    "SGD": _sgd,
    "SearchSorted": lambda dtype=dt.int64, right=False: (
        lambda sorted_sequence, values, sorter=None: P.cast(
            F.searchsorted(sorted_sequence, values, right=right, sorter=sorter), dtype
        )
    ),
    "SegmentMax": _segments(F.unsorted_segment_max),
    "SegmentMean": _segments(F.segment_mean),
    "SegmentMin": _segments(F.unsorted_segment_min),
    "SegmentProd": _segments(F.unsorted_segment_prod),
    "SegmentSum": _segments(F.unsorted_segment_sum),
    "SoftMarginLoss": lambda reduction="mean": (
        lambda input, target: F.soft_margin_loss(input, target, reduction)
    ),
    "SpaceToDepth": lambda block_size: lambda x: _space_to_depth(x, block_size),
    "SparseSoftmaxCrossEntropyWithLogits": _sparse_softmax,
    "SparseToDense": lambda: _sparse_to_dense,
    "SplitV": lambda size_splits, split_dim, num_split=None: (
        lambda x: F.split(x, list(size_splits), split_dim)
    ),
    "SquareSumAll": lambda: lambda x, y: (P.sum(P.square(x)), P.sum(P.square(y))),
    "Svd": lambda full_matrices=False, compute_uv=True: (
        lambda input: F.svd(input, full_matrices, compute_uv)
    ),
    "TensorScatterElements": lambda axis=0, reduction="none": (
        lambda data, indices, updates: F.tensor_scatter_elements(
            data, indices, updates, axis, reduction
        )
    ),
    "TrilIndices": lambda row, col, offset=0, dtype=dt.int32: (
        lambda: F.tril_indices(row, col, offset, dtype=dtype)
    ),
    "TriuIndices": lambda row, col, offset=0, dtype=dt.int32: (
        lambda: F.triu_indices(row, col, offset, dtype=dtype)
    ),
    "TupleToArray": lambda: lambda input_x: F.tuple_to_array(input_x),
    "UniqueConsecutive": lambda return_inverse=False, return_counts=False, dim=None: (
        lambda x: F.unique_consecutive(x, return_inverse, return_counts, dim)
    ),
}

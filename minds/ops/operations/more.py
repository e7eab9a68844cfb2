"""Class spellings of functions on images, sequences, diagonals, distributions and blocks:
`operations` continued.
"""

from __future__ import annotations

import math

from ...base import dtype as dt
from ...base.errors import expect
from ...tensor import Tensor
from .. import functional as F
from ..define import P
from ..function.common import as_tensor, key_of, known_values
from ..function.host_func import CLASSES
from ..function.sampling import bilinear, resized
from ..rules import known


def _size(size) -> tuple:
    """A size given as ints or as a tensor."""
    known(size, "size")
    if isinstance(size, (int, tuple, list)):
        return (size,) if isinstance(size, int) else tuple(size)
    return tuple(int(n) for n in known_values("size", size)[0])


def _resize(mode):
    def make(align_corners=False, half_pixel_centers=False):
        return lambda image, size: resized(
            image, _size(size), mode, align_corners, half_pixel_centers
        )

    return make


def _resize_to(mode):
    def make(size, align_corners=False, half_pixel_centers=False):
        return lambda image: resized(image, tuple(size), mode, align_corners, half_pixel_centers)

    return make


def _upsample3d(mode):
    def call(aligned):
        def upsample(x, output_size=None, scales=None):
            return F.interpolate(
                x, output_size or None, tuple(scales) if scales else None, mode, aligned
            )

        return upsample

    return call


def _roi_align(pooled_height, pooled_width, spatial_scale, sample_num=2, roi_end_mode=1):
    """The means of samples on a grid in each region; regions are (image, x0, y0, x1, y1)."""

    def call(features, rois):
        n, c, h, w = features.shape
        m = rois.shape[0]
        parts = [
            P.reshape(P.strided_slice(rois, (0, i), (m, i + 1), (1, 1)), (m, 1)) for i in range(5)
        ]
        images = P.gather(features, P.reshape(P.cast(parts[0], dt.int64), (m,)), 0)
        places = []
        for low, high, pooled, size in (
            (parts[2], parts[4], pooled_height, h),
            (parts[1], parts[3], pooled_width, w),
        ):
            first = low * spatial_scale
            length = (high + roi_end_mode) * spatial_scale - first
            length = length if roi_end_mode else P.maximum(length, 1.0)
            steps = (
                P.cast(P.arange(0, pooled * sample_num, 1, dt.int64), features.dtype) + 0.5
            ) / sample_num
            at = first + P.reshape(steps, (1, -1)) * (length / pooled)
            outside = P.logical_or(P.less(at, -1.0), P.greater(at, float(size)))
            places.append(P.select(outside, -9.0, P.maximum(P.minimum(at, size - 1.0), 0)))
        rows = P.broadcast_to(
            F.expand_dims(places[0], 2), (m, places[0].shape[1], places[1].shape[1])
        )
        columns = P.broadcast_to(F.expand_dims(places[1], 1), rows.shape)
        return P.avg_pool2d(
            bilinear(images, [rows, columns]),
            (sample_num, sample_num),
            (sample_num, sample_num),
            (0, 0, 0, 0),
            True,
        )

    return call


def _bincount(array, size, weights):
    """Sums of weights by value; values that are too large do not count."""
    count = int(known_values("Bincount", size)[0])
    flat = P.cast(P.reshape(array, (-1,)), dt.int64)
    kept = P.less(flat, count)
    given = P.reshape(weights, (-1,)) if weights.size else P.full(flat.shape, 1, weights.dtype)
    rows = P.reshape(P.select(kept, flat, 0), (-1, 1))
    return P.tensor_scatter(
        P.full((count,), 0, weights.dtype), rows, P.select(kept, given, 0), "add"
    )


def _data_format(src_format, dst_format):
    order = [src_format.index(c) for c in dst_format]
    back = [dst_format.index(c) for c in src_format]
    return order, back


def _invert_permutation(input_x):
    """Of a tuple, or of a tensor."""
    if isinstance(input_x, (tuple, list)):
        expect(
            sorted(input_x) == list(range(len(input_x))), "input_x", "a permutation", got=input_x
        )
        return tuple(sorted(range(len(input_x)), key=input_x.__getitem__))
    n = input_x.shape[0]
    places = P.cast(P.arange(0, n, 1, dt.int64), input_x.dtype)
    return P.tensor_scatter(places, P.reshape(P.cast(input_x, dt.int64), (n, 1)), places, "update")


def _fft_with_size(signal_ndim, inverse, real, norm="backward", onesided=True, signal_sizes=()):
    def call(x):
        axes = tuple(range(-signal_ndim, 0))
        size = tuple(signal_sizes) or None
        if not real:
            return (F.ifftn if inverse else F.fftn)(x, None, axes, norm)
        if inverse:
            if onesided:
                return F.irfftn(x, size, axes, norm)
            return P.real(F.ifftn(x, size, axes, norm))
        return F.rfftn(x, None, axes, norm) if onesided else F.fftn(x, None, axes, norm)

    return call


def _lp_norm(axis, p=2, keep_dims=False, epsilon=1e-12):
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    return lambda x: P.pow(P.maximum(P.sum(P.pow(P.abs(x), p), axes, keep_dims), epsilon), 1.0 / p)


def _update_cache(input_x, indices, updates, max_num):
    """Rows of a parameter replaced; indices that are negative or too large are left out."""
    rows, n = P.reshape(P.cast(indices, dt.int64), (-1,)), input_x.shape[0]
    limit = max_num if isinstance(max_num, int) else int(known_values("UpdateCache", max_num)[0])
    fits = P.logical_and(P.greater_equal(rows, 0), P.less(rows, min(limit, n)))
    wide = P.pad(input_x, ((0, 1),) + ((0, 0),) * (len(input_x.shape) - 1), 0)
    new = P.tensor_scatter(
        wide,
        P.reshape(P.select(fits, rows, n), (-1, 1)),
        P.reshape(P.cast(updates, input_x.dtype), rows.shape + input_x.shape[1:]),
        "update",
    )
    F.assign(
        input_x,
        P.strided_slice(new, (0,) * len(input_x.shape), input_x.shape, (1,) * len(input_x.shape)),
    )
    return P.full((1,), 0, input_x.dtype)


def _random_shuffle(seed=0, seed2=0):
    return lambda x: F.shuffle(x, seed or seed2)


def _bernoulli(seed=-1, offset=0):
    def call(x, p):
        chance = P.broadcast_to(P.cast(as_tensor(p), dt.float32), x.shape)
        return P.cast(P.less(P.uniform(key_of(max(seed, 0)), x.shape, dt.float32), chance), x.dtype)

    return call


def _uniform_int(seed=0, seed2=0):
    def call(shape, minval, maxval):
        u = P.uniform(key_of(seed or seed2), _size(shape), dt.float64)
        return P.cast(P.floor(u * (maxval - minval)), dt.int32) + P.cast(
            as_tensor(minval), dt.int32
        )

    return call


def _im2col(ksizes, strides=1, dilations=1, pads=0):
    def call(x):
        out = F.unfold(x, ksizes, dilations, pads, strides)
        k = math.prod(
            (ksizes, ksizes)
            if isinstance(ksizes, int)
            else tuple(ksizes) * (2 if len(ksizes) == 1 else 1)
        )
        return P.reshape(out, (x.shape[0], x.shape[1], k, out.shape[-1]))

    return call


def _parallel_concat(values):
    return P.concat(tuple(values), 0)


def _crop(method="bilinear", extrapolation_value=0.0):
    return lambda x, boxes, box_index, crop_size: F.crop_and_resize(
        x, boxes, box_index, _size(crop_size), method, extrapolation_value
    )


def _median(global_median=False, axis=0, keep_dims=False, ignore_nan=False):
    def call(x):
        x_, axis_ = (P.reshape(x, (-1,)), 0) if global_median else (x, axis)
        out = (F.nanmedian if ignore_nan else F.median)(
            x_, axis_, False if global_median else keep_dims
        )
        return (P.reshape(out[0], ()), P.reshape(out[1], ())) if global_median else out

    return call


def _histogram_fixed_width(nbins, dtype="int32"):
    def call(x, range_):
        low, high = range_[0], range_[1]
        place = P.floor((P.reshape(x, (-1,)) - low) * (nbins / (high - low)))
        rows = P.reshape(P.cast(P.maximum(P.minimum(place, nbins - 1), 0), dt.int64), (-1, 1))
        return P.tensor_scatter(
            P.full((nbins,), 0, dt.int32), rows, P.full((x.size,), 1, dt.int32), "add"
        )

    return call


def _truncated_normal(dtype=dt.float32, seed=0, seed2=0):
    """The normal distribution between -2 and 2, by its inverse."""
    edge = math.erf(2 / math.sqrt(2))

    def call(shape):
        u = P.uniform(key_of(seed or seed2), _size(shape), dt.float64)
        return P.cast(P.erfinv((u * 2 - 1) * edge) * math.sqrt(2), dtype)

    return call


MADE = {
    **CLASSES,
    "AffineGrid": lambda align_corners=False: (
        lambda theta, output_size: F.affine_grid(theta, _size(output_size), align_corners)
    ),
    "BatchToSpace": lambda block_size, crops: (
        lambda x: F.batch_to_space_nd(x, (block_size,) * 2, crops)
    ),
    "BatchToSpaceND": lambda block_shape, crops: (
        lambda x: F.batch_to_space_nd(x, block_shape, crops)
    ),
    "BatchToSpaceNDV2": lambda: (
        lambda x, block_shape, crops: F.batch_to_space_nd(
            x, _size(block_shape), known_values("BatchToSpaceNDV2", as_tensor(crops))[0].tolist()
        )
    ),
    "SpaceToBatch": lambda block_size, paddings: (
        lambda x: F.space_to_batch_nd(x, (block_size,) * 2, paddings)
    ),
    "SpaceToBatchND": lambda block_shape, paddings: (
        lambda x: F.space_to_batch_nd(x, block_shape, paddings)
    ),
    "Bernoulli": _bernoulli,
    "Bincount": lambda: _bincount,
    "BoundingBoxDecode": lambda max_shape, means=(0.0,) * 4, stds=(1.0,) * 4, wh_ratio_clip=0.016: (
        lambda anchor_box, deltas: F.bounding_box_decode(
            anchor_box, deltas, max_shape, means, stds, wh_ratio_clip
        )
    ),
    "BoundingBoxEncode": lambda means=(0.0,) * 4, stds=(1.0,) * 4: (
        lambda anchor_box, groundtruth_box: F.bounding_box_encode(
            anchor_box, groundtruth_box, means, stds
        )
    ),
    "CTCGreedyDecoder": lambda merge_repeated=True: (
        lambda inputs, sequence_length: F.ctc_greedy_decoder(
            inputs, sequence_length, merge_repeated
        )
    ),
    "CTCLossV2": lambda blank=0, reduction="none", zero_infinity=False: (
        lambda log_probs, targets, input_lengths, target_lengths: F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity
        )
    ),
    "Col2Im": lambda kernel_size, dilation=1, padding=0, stride=1: (
        lambda x, output_size: F.col2im(x, output_size, kernel_size, dilation, padding, stride)
    ),
    "CropAndResize": _crop,
    "CumulativeLogsumexp": lambda exclusive=False, reverse=False: (
        lambda x, axis: _log_sums(
            x,
            axis if isinstance(axis, int) else int(known_values("axis", axis)[0]),
            exclusive,
            reverse,
        )
    ),
    "DataFormatDimMap": lambda src_format="NHWC", dst_format="NCHW": (
        lambda x: P.gather(
            Tensor(_data_format(src_format, dst_format)[0], x.dtype), P.mod(x, len(src_format)), 0
        )
    ),
    "DataFormatVecPermute": lambda src_format="NHWC", dst_format="NCHW": (
        lambda x: P.gather(x, Tensor(_data_format(src_format, dst_format)[0]), 0)
    ),
    "DivNoNan": lambda: (
        lambda x1, x2: P.select(P.equal(x2, 0), 0, P.div(x1, P.select(P.equal(x2, 0), 1, x2)))
    ),
    "EmbeddingLookup": lambda: _lookup,
    "Dense": lambda: lambda x, w, b=None: F.dense(x, w, b),
    "Eig": lambda compute_v=False: (
        lambda x: F.eig(x) if compute_v else (F.eig(x)[0], P.full((0,), 0, dt.complex64))
    ),
    "EuclideanNorm": lambda keep_dims=False: (
        lambda x, axes: P.sqrt(P.sum(P.square(x), _size(axes), keep_dims))
    ),
    "FFTWithSize": _fft_with_size,
    "GridSampler2D": lambda interpolation_mode="bilinear", padding_mode="zeros", align_corners=False: (
        lambda input_x, grid: F.grid_sample(
            input_x, grid, interpolation_mode, padding_mode, align_corners
        )
    ),
    "GridSampler3D": lambda interpolation_mode="bilinear", padding_mode="zeros", align_corners=False: (
        lambda input_x, grid: F.grid_sample(
            input_x, grid, interpolation_mode, padding_mode, align_corners
        )
    ),
    "HistogramFixedWidth": _histogram_fixed_width,
    "IOU": lambda mode="iou": lambda anchor_boxes, gt_boxes: F.iou(anchor_boxes, gt_boxes, mode),
    "Im2Col": _im2col,
    "InplaceIndexAdd": lambda axis: (
        lambda var, indices, updates: F.inplace_index_add(var, indices, updates, axis)
    ),
    "InplaceUpdateV2": lambda: lambda x, indices, v: F.inplace_update(x, v, indices),
    "InvertPermutation": lambda: _invert_permutation,
    "LogUniformCandidateSampler": lambda num_true=1, num_sampled=5, unique=True, range_max=5, seed=0: (
        lambda true_classes: F.log_uniform_candidate_sampler(
            true_classes, num_true, num_sampled, unique, range_max, seed
        )
    ),
    "LpNorm": _lp_norm,
    "LuUnpack": lambda unpack_data=True, unpack_pivots=True: (
        lambda LU_data, LU_pivots: F.lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)
    ),
    "MatrixDiagV3": lambda align="RIGHT_LEFT": (
        lambda x, k=0, num_rows=-1, num_cols=-1, padding_value=0: F.matrix_diag(
            x, k, num_rows, num_cols, padding_value, align
        )
    ),
    "MatrixDiagPartV3": lambda align="RIGHT_LEFT": (
        lambda x, k, padding_value: F.matrix_diag_part(x, k, padding_value, align)
    ),
    "MatrixSetDiagV3": lambda align="RIGHT_LEFT": (
        lambda x, diagonal, k: F.matrix_set_diag(x, diagonal, k, align)
    ),
    "Median": _median,
    "MirrorPad": lambda mode="REFLECT": (
        lambda input_x, paddings: F.mirror_pad(input_x, paddings, mode)
    ),
    "MultiMarginLoss": lambda p=1, margin=1.0, reduction="mean": (
        lambda x, target, weight=None: F.multi_margin_loss(x, target, p, margin, weight, reduction)
    ),
    "MultilabelMarginLoss": lambda reduction="mean": (
        lambda x, target: (F.multilabel_margin_loss(x, target, reduction), _is_target(x, target))
    ),
    "Multinomial": lambda seed=0, seed2=0, dtype=dt.int32: (
        lambda x, num_samples: P.cast(
            F.multinomial_with_replacement(x, seed, seed2, int(num_samples)), dtype
        )
    ),
    "MultinomialWithReplacement": lambda numsamples, replacement=False: (
        lambda x, seed, offset: F.multinomial_with_replacement(
            x,
            *[
                int(v) if isinstance(v, int) else int(known_values("seed", v)[0])
                for v in (seed, offset)
            ],
            numsamples,
            replacement,
        )
    ),
    "Ormqr": lambda left=True, transpose=False: (
        lambda x, tau, other: F.ormqr(x, tau, other, left, transpose)
    ),
    "Padding": lambda pad_dim_size=8: lambda x: F.padding(x, pad_dim_size),
    "ParallelConcat": lambda: _parallel_concat,
    "Pdist": lambda p=2.0: lambda x: F.pdist(x, p),
    "ROIAlign": _roi_align,
    "RandomCategorical": lambda dtype=dt.int64: (
        lambda logits, num_sample, seed=0: F.random_categorical(logits, num_sample, seed, dtype)
    ),
    "RandomChoiceWithMask": lambda count=256, seed=0, seed2=0: (
        lambda input_x: F.choice_with_mask(input_x, count, seed or seed2)
    ),
    "RandomGamma": lambda seed=0, seed2=0: (
        lambda shape, alpha: F.random_gamma(shape, alpha, seed or seed2)
    ),
    "RandomPoisson": lambda seed=0, seed2=0, dtype=dt.int64: (
        lambda shape, rate: F.random_poisson(shape, rate, seed or seed2, dtype)
    ),
    "RandomShuffle": _random_shuffle,
    "Renorm": lambda p, dim, maxnorm: lambda x: F.renorm(x, p, dim, maxnorm),
    "ResizeArea": lambda align_corners=False: (
        lambda images, size: P.transpose(
            resized(
                P.transpose(P.cast(images, dt.float32), (0, 3, 1, 2)),
                _size(size),
                "area",
                align_corners,
                False,
            ),
            (0, 2, 3, 1),
        )
    ),
    "ResizeBicubic": _resize("bicubic"),
    "ResizeBilinear": _resize_to("bilinear"),
    "ResizeBilinearV2": _resize("bilinear"),
    "ResizeLinear1D": lambda coordinate_transformation_mode="align_corners": (
        lambda x, size: resized(
            x,
            _size(size),
            "linear",
            coordinate_transformation_mode == "align_corners",
            coordinate_transformation_mode == "half_pixel",
        )
    ),
    "ResizeNearestNeighbor": _resize_to("nearest"),
    "ResizeNearestNeighborV2": _resize("nearest"),
    "STFT": lambda n_fft, hop_length, win_length, normalized, onesided, return_complex: (
        lambda x, window: F.stft(
            x,
            n_fft,
            hop_length,
            win_length,
            window,
            False,
            "REFLECT",
            normalized,
            onesided,
            return_complex,
        )
    ),
    "StandardLaplace": lambda seed=0, seed2=0: (
        lambda shape: F.standard_laplace(_size(shape), seed or seed2)
    ),
    "TripletMarginLoss": lambda p=2, swap=False, eps=1e-6, reduction="mean": (
        lambda x, positive, negative, margin: F.triplet_margin_loss(
            x, positive, negative, float(margin), p, eps, swap, reduction
        )
    ),
    "TruncatedNormal": _truncated_normal,
    "UniformCandidateSampler": lambda num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits=False: (
        lambda true_classes: F.uniform_candidate_sampler(
            true_classes, num_true, num_sampled, unique, range_max, seed
        )
    ),
    "UniformInt": _uniform_int,
    "UnravelIndex": lambda: lambda indices, dims: _unraveled(indices, dims),
    "UpdateCache": lambda: _update_cache,
    "UpsampleNearest3D": lambda: _upsample3d("nearest")(None),
    "UpsampleTrilinear3D": lambda align_corners=False: _upsample3d("trilinear")(align_corners),
}


def _log_sums(x, axis, exclusive, reverse):
    x = P.flip(x, (axis,)) if reverse else x
    out = F.logcumsumexp(x, axis)
    if exclusive:
        pads = tuple((1, 0) if i == axis % len(x.shape) else (0, 0) for i in range(len(x.shape)))
        out = F.narrow(P.pad(out, pads, -math.inf), axis, 0, x.shape[axis])
    return P.flip(out, (axis,)) if reverse else out


def _lookup(table, indices, offset=0):
    """Rows of a table; zeros for indices that are outside."""
    rows = P.sub(indices, offset)
    fits = P.logical_and(P.greater_equal(rows, 0), P.less(rows, table.shape[0]))
    found = P.gather(table, P.select(fits, rows, 0), 0)
    return P.select(P.reshape(fits, fits.shape + (1,) * (len(table.shape) - 1)), found, 0)


def _is_target(x, target):
    """1 at the classes of each row that are among its targets, before the first -1."""
    rows = P.reshape(P.cast(target, dt.int64), (-1, x.shape[-1]))
    live = P.equal(P.cumsum(P.cast(P.less(rows, 0), dt.int32), 1, False, False), 0)
    place = (
        P.select(live, rows, 0)
        + P.reshape(P.arange(0, rows.shape[0], 1, dt.int64), (-1, 1)) * x.shape[-1]
    )
    hits = P.tensor_scatter(
        P.full((x.size,), 0, dt.int32),
        P.reshape(place, (-1, 1)),
        P.reshape(P.cast(live, dt.int32), (-1,)),
        "max",
    )
    return P.reshape(P.cast(hits, target.dtype), x.shape)


def _unraveled(indices, dims):
    """Coordinates of flat positions, one column each."""
    sizes, out, rest = _size(dims), [], indices
    for n in reversed(sizes):
        out.append(P.mod(rest, n))
        rest = P.floor_divide(rest, n)
    return F.stack(out[::-1], 0)

"""Primitive classes on images and regions whose call differs from the function's."""

from __future__ import annotations

from ...base import dtype as dt
from ...base.errors import expect
from ..define import P
from ..faces import primitive
from ..function.common import sizes_of
from ..function.sampling import bilinear, resized
from ..functional import WITHIN as F


@primitive(like="affine_grid")
def AffineGrid(align_corners=False):
    return lambda theta, output_size: F.affine_grid(theta, sizes_of(output_size), align_corners)


@primitive(like="bounding_box_decode")
def BoundingBoxDecode(max_shape, means=(0.0,) * 4, stds=(1.0,) * 4, wh_ratio_clip=0.016):
    return lambda anchor_box, deltas: F.bounding_box_decode(
        anchor_box, deltas, max_shape, means, stds, wh_ratio_clip
    )


@primitive(like="bounding_box_encode")
def BoundingBoxEncode(means=(0.0,) * 4, stds=(1.0,) * 4):
    return lambda anchor_box, groundtruth_box: F.bounding_box_encode(
        anchor_box, groundtruth_box, means, stds
    )


@primitive(like="crop_and_resize")
def CropAndResize(method="bilinear", extrapolation_value=0.0):
    return lambda x, boxes, box_index, crop_size: F.crop_and_resize(
        x, boxes, box_index, sizes_of(crop_size), method, extrapolation_value
    )


@primitive
def ResizeV2(coordinate_transformation_mode="half_pixel", mode="nearest"):
    """Resizes images: the nearest pixel before a place, or linear or cubic between the pixels.

    Args:
        coordinate_transformation_mode (str): ``"half_pixel"``, or ``"align_corners"``, which the nearest
            pixel has not. Default: ``"half_pixel"``.
        mode (str): ``"nearest"``, ``"linear"`` or ``"cubic"``. Default: ``"nearest"``.
        x (Tensor[(N, C, H, W)]): the images.
        roi (Tensor), scales (Tensor): without effect.
        sizes (Tensor[(4,), int], tuple[int]): N, C and the new height and width.

    Returns:
        Tensor[(N, C, height, width)]: the images of the new size.

    Raises:
        ValueError: a mode is none of these, or the sizes are no four.

    Examples:
        >>> x, no = Tensor([[[[1.0, 2.0]]]]), Tensor([0.0])
        >>> print(ops.ResizeV2()(x, no, no, (1, 1, 1, 4)))
        [[[[1. 1. 2. 2.]]]]
    """
    corners = coordinate_transformation_mode == "align_corners"
    known = corners or coordinate_transformation_mode == "half_pixel"
    expect(known, "coordinate_transformation_mode", "'half_pixel' or 'align_corners'")
    kind = {"nearest": "nearest", "linear": "bilinear", "cubic": "bicubic"}.get(mode)
    expect(kind is not None, "mode", "'nearest', 'linear' or 'cubic'", got=repr(mode))
    fits = not (corners and mode == "nearest")
    expect(fits, "coordinate_transformation_mode", "'half_pixel' where mode is 'nearest'")

    def call(x, roi, scales, sizes):
        wanted = sizes_of(sizes)
        fits = len(wanted) == 4 and tuple(wanted[:2]) == tuple(x.shape[:2])
        expect(fits, "sizes", "the first two sizes of x and two more", got=wanted)
        found = resized(x, tuple(wanted[2:]), kind, corners, mode != "nearest")
        return found if found.dtype is x.dtype else P.cast(found, x.dtype)

    return call


@primitive
def ROIAlign(pooled_height, pooled_width, spatial_scale, sample_num=2, roi_end_mode=1):
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


@primitive(like="interpolate")
def ResizeArea(align_corners=False):
    return lambda images, size: P.transpose(
        resized(
            P.transpose(P.cast(images, dt.float32), (0, 3, 1, 2)),
            sizes_of(size),
            "area",
            align_corners,
            False,
        ),
        (0, 2, 3, 1),
    )


def _resize(mode):
    def make(align_corners=False, half_pixel_centers=False):
        return lambda image, size: resized(
            image, sizes_of(size), mode, align_corners, half_pixel_centers
        )

    return make


def _resize_to(mode):
    def make(size, align_corners=False, half_pixel_centers=False):
        return lambda image: resized(image, tuple(size), mode, align_corners, half_pixel_centers)

    return make


@primitive
def ResizeLinear1D(coordinate_transformation_mode="align_corners"):
    return lambda x, size: resized(
        x,
        sizes_of(size),
        "linear",
        coordinate_transformation_mode == "align_corners",
        coordinate_transformation_mode == "half_pixel",
    )


def _upsample3d(mode):
    def call(aligned):
        def upsample(x, output_size=None, scales=None):
            return F.interpolate(
                x, output_size or None, tuple(scales) if scales else None, mode, aligned
            )

        return upsample

    return call


@primitive(like="interpolate")
def UpsampleNearest3D():
    return _upsample3d("nearest")(None)


@primitive
def UpsampleTrilinear3D(align_corners=False):
    return _upsample3d("trilinear")(align_corners)


primitive(name="ResizeBicubic", like="interpolate")(_resize("bicubic"))
primitive(name="ResizeBilinear", like="interpolate")(_resize_to("bilinear"))
primitive(name="ResizeBilinearV2", like="interpolate")(_resize("bilinear"))
primitive(name="ResizeNearestNeighbor", like="interpolate")(_resize_to("nearest"))
primitive(name="ResizeNearestNeighborV2", like="interpolate")(_resize("nearest"))

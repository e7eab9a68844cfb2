"""Boxes, sampling of images at given places, and blocks of space in the batch."""

from __future__ import annotations

import math

from ...base import dtype as dt
from ...base.errors import expect
from ...base.limits import check_memory
from ..define import P
from ..faces import face
from .array_func import expand_dims, transpose
from .create_func import linspace
from .elsewhere import elsewhere
from .join_func import stack
from .sampling import reflected, sampled, taps_of


def _columns(boxes):
    """The four numbers of boxes (..., 4), apart."""
    n = len(boxes.shape)
    return [
        P.reshape(
            P.strided_slice(boxes, (0,) * (n - 1) + (i,), boxes.shape[:-1] + (i + 1,), (1,) * n),
            boxes.shape[:-1],
        )
        for i in range(4)
    ]


@face(cls="IOU(mode='iou')")
def iou(anchor_boxes, gt_boxes, mode="iou"):
    """The overlap of each pair of boxes over their union, or over the ground truth's area.

    Args:
        anchor_boxes (Tensor[(N, 4), float]): boxes (x0, y0, x1, y1); sides include both ends.
        gt_boxes (Tensor[(M, 4), float]): the ground truth.
        mode (str): ``"iou"``, or ``"iof"`` for the ground truth's area below the line. Default:
            ``"iou"``.

    Returns:
        Tensor[(M, N)]: of the same dtype.

    Raises:
        ValueError: ``mode`` is another word.

    Examples:
        >>> print(ops.iou(Tensor([[0.0, 0.0, 1.0, 1.0]]), Tensor([[0.0, 0.0, 1.0, 3.0]])))
        [[0.5]]
    """
    expect(mode in ("iou", "iof"), "mode", "'iou' or 'iof'", got=repr(mode))
    a = [P.reshape(c, (1, -1)) for c in _columns(anchor_boxes)]
    g = [P.reshape(c, (-1, 1)) for c in _columns(gt_boxes)]
    width = P.maximum(P.minimum(a[2], g[2]) - P.maximum(a[0], g[0]) + 1.0, 0)
    height = P.maximum(P.minimum(a[3], g[3]) - P.maximum(a[1], g[1]) + 1.0, 0)
    common = width * height
    area = [(b[2] - b[0] + 1.0) * (b[3] - b[1] + 1.0) for b in (a, g)]
    return common / (area[1] if mode == "iof" else area[0] + area[1] - common)


def _centred(boxes) -> list:
    """Centre and size of boxes whose sides include both ends."""
    x0, y0, x1, y1 = _columns(boxes)
    return [(x0 + x1) * 0.5, (y0 + y1) * 0.5, x1 - x0 + 1.0, y1 - y0 + 1.0]


def bounding_box_encode(
    anchor_box, groundtruth_box, means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0)
):
    """How boxes differ from anchors: moves in units of the anchor's size, logarithms of the ratios
    of sizes.

    Args:
        anchor_box (Tensor[(N, 4), float]): the anchors.
        groundtruth_box (Tensor[(N, 4), float]): the boxes.
        means, stds (tuple[float]): what the four numbers are normalised by.

    Returns:
        Tensor[(N, 4)]: of the same dtype.

    Raises:
        ValueError: ``anchor_box`` has a rank that does not fit.

    Examples:
        >>> x = Tensor([[2.0, 2.0, 5.0, 5.0]])
        >>> print(ops.bounding_box_encode(x, x))
        [[0. 0. 0. 0.]]
    """
    a, g = _centred(anchor_box), _centred(groundtruth_box)
    moves = [(g[0] - a[0]) / a[2], (g[1] - a[1]) / a[3], P.log(g[2] / a[2]), P.log(g[3] / a[3])]
    return stack([(v - m) / s for v, m, s in zip(moves, means, stds, strict=True)], -1)


def bounding_box_decode(
    anchor_box,
    deltas,
    max_shape,
    means=(0.0, 0.0, 0.0, 0.0),
    stds=(1.0, 1.0, 1.0, 1.0),
    wh_ratio_clip=0.016,
):
    """The boxes that `bounding_box_encode` describes, within an image.

    Args:
        anchor_box (Tensor[(N, 4), float]): the anchors.
        deltas (Tensor[(N, 4), float]): their differences.
        max_shape (tuple[int]): height and width of the image.
        means, stds (tuple[float]): what the four numbers were normalised by.
        wh_ratio_clip (float): the logarithms of ratios stay within plus and minus log of this.
            Default: 0.016.

    Returns:
        Tensor[(N, 4)]: of the same dtype.

    Raises:
        ValueError: ``anchor_box`` has a rank that does not fit.

    Examples:
        >>> print(ops.bounding_box_decode(Tensor([[2.0, 2.0, 5.0, 5.0]]), ops.zeros((1, 4)), (4, 8)))
        [[2. 2. 5. 4.]]
    """
    x, y, w, h = _centred(anchor_box)
    d = [c * s + m for c, m, s in zip(_columns(deltas), means, stds, strict=True)]
    limit = abs(math.log(wh_ratio_clip))
    d[2:] = [P.maximum(P.minimum(c, limit), -limit) for c in d[2:]]
    x, y, w, h = x + w * d[0], y + h * d[1], w * P.exp(d[2]), h * P.exp(d[3])
    corners = [x - (w - 1.0) * 0.5, y - (h - 1.0) * 0.5, x + (w - 1.0) * 0.5, y + (h - 1.0) * 0.5]
    ends = (max_shape[1], max_shape[0]) * 2
    return stack([P.maximum(P.minimum(c, e), 0) for c, e in zip(corners, ends, strict=True)], -1)


@face(cls=True)
def check_valid(bboxes, img_metas):
    """Whether boxes lie within an image.

    Args:
        bboxes (Tensor[(N, 4), number]): the boxes.
        img_metas (Tensor[(3,), number]): height, width and scale of the image.

    Returns:
        Tensor[(N,), bool]

    Raises:
        TypeError: ``img_metas`` is not a Tensor.

    Examples:
        >>> print(ops.check_valid(Tensor([[0.0, 0, 1, 1], [0, 0, 9, 9]]), Tensor([5.0, 5.0, 1.0])))
        [ True False]
    """
    x0, y0, x1, y1 = _columns(bboxes)
    height, width = img_metas[0] * img_metas[2], img_metas[1] * img_metas[2]
    inside = P.logical_and(P.greater_equal(x0, 0), P.greater_equal(y0, 0))
    return P.logical_and(
        inside, P.logical_and(P.less_equal(x1, width - 1), P.less_equal(y1, height - 1))
    )


@face(
    cls="GridSampler2D(interpolation_mode: mode = 'bilinear', padding_mode='zeros', "
    "align_corners=False) "
    "GridSampler3D(interpolation_mode: mode = 'bilinear', padding_mode='zeros', "
    "align_corners=False)",
)
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=False):
    """Images or volumes sampled at places.

    Args:
        input (Tensor[(N, C, H, W) or (N, C, D, H, W), float]): what is sampled.
        grid (Tensor[(N, OH, OW, 2) or (N, OD, OH, OW, 3), float]): places (x, y) or (x, y, z),
            where -1 and 1 are the ends.
        mode (str): ``"bilinear"``, ``"nearest"`` or, of images, ``"bicubic"``. Default:
            ``"bilinear"``.
        padding_mode (str): what is outside: ``"zeros"``, the ``"border"``, or its ``"reflection"``.
            Default: ``"zeros"``.
        align_corners (bool): -1 and 1 are the centres of the outer elements, not their edges.
            Default: False.

    Returns:
        Tensor[(N, C, OH, OW) or (N, C, OD, OH, OW)]: of the same dtype.

    Raises:
        ValueError: a mode is another word, or the ranks differ.

    Examples:
        >>> x = Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> print(ops.grid_sample(x, ops.zeros((1, 1, 1, 2))))
        [[[[2.5]]]]
    """
    rank = len(input.shape) - 2
    expect(
        mode in ("bilinear", "nearest", "bicubic") and (mode != "bicubic" or rank == 2),
        "mode",
        "'bilinear', 'nearest' or, for images, 'bicubic'",
        got=repr(mode),
    )
    expect(
        padding_mode in ("zeros", "border", "reflection"),
        "padding_mode",
        "'zeros', 'border' or 'reflection'",
        got=repr(padding_mode),
    )
    expect(
        len(grid.shape) == rank + 2 and grid.shape[-1] == rank,
        "grid",
        f"of rank {rank + 2}, with {rank} last",
        got=grid.shape,
    )
    sizes = list(input.shape[2:])
    taps = []
    for i, n in enumerate(sizes):
        last = rank - 1 - i
        at = P.reshape(
            P.strided_slice(
                grid, (0,) * (rank + 1) + (last,), grid.shape[:-1] + (last + 1,), (1,) * (rank + 2)
            ),
            grid.shape[:-1],
        )
        at = (at + 1) * ((n - 1) / 2) if align_corners else ((at + 1) * n - 1) * 0.5
        if mode != "bicubic" and padding_mode != "zeros":
            at = (
                reflected(at, n, align_corners)
                if padding_mode == "reflection"
                else P.maximum(P.minimum(at, n - 1), 0)
            )
        taps.append(taps_of(at, mode, n))
    outside = padding_mode if mode == "bicubic" or padding_mode == "zeros" else "border"
    return sampled(P.reshape(input, input.shape[:2] + (-1,)), sizes, taps, outside, align_corners)


def affine_grid(theta, size, align_corners=False):
    """The places that `grid_sample` samples for an affine map.

    Args:
        theta (Tensor[(N, 2, 3) or (N, 3, 4), float]): the maps.
        size (tuple[int]): the shape (N, C, H, W) or (N, C, D, H, W) of the result of sampling.
        align_corners (bool): as in `grid_sample`. Default: False.

    Returns:
        Tensor[(N, H, W, 2) or (N, D, H, W, 3)]: of the same dtype.

    Raises:
        ValueError: ``theta`` has a rank that does not fit.

    Examples:
        >>> print(ops.affine_grid(Tensor([[[1.0, 0, 0], [0, 1, 0]]]), (1, 1, 1, 2)))
        [[[[-0.5  0. ]
           [ 0.5  0. ]]]]
    """
    rank = len(size) - 2
    expect(
        rank in (2, 3) and theta.shape[1:] == (rank, rank + 1),
        "theta and size",
        "of matching rank",
        got=f"{theta.shape} and {size}",
    )
    if all(type(n) is int for n in (*size, theta.shape[0])):
        places = theta.shape[0] * math.prod(size[2:])
        check_memory(places * (rank + 1) * theta.dtype.itemsize, "the list of places")
    lines = [
        (linspace(-1.0, 1.0, n) if n > 1 else P.full((1,), 0.0, dt.float32))
        * (1.0 if align_corners else (n - 1) / n)
        for n in size[2:]
    ]
    places = [
        P.broadcast_to(
            P.reshape(lines[i], tuple(-1 if j == i else 1 for j in range(rank))), tuple(size[2:])
        )
        for i in reversed(range(rank))
    ]
    base = P.cast(
        stack(
            [P.reshape(p, (-1,)) for p in (*places, P.full(tuple(size[2:]), 1.0, dt.float32))], -1
        ),
        theta.dtype,
    )
    out = P.matmul(P.broadcast_to(base, (theta.shape[0],) + base.shape), theta, False, True)
    return P.reshape(out, (theta.shape[0],) + tuple(size[2:]) + (rank,))


def crop_and_resize(
    image, boxes, box_indices, crop_size, method="bilinear", extrapolation_value=0.0
):
    """Parts of images in one size.

    Args:
        image (Tensor[(N, H, W, C), number]): the images, channels last.
        boxes (Tensor[(M, 4), float]): (y0, x0, y1, x1), where 0 and 1 are the ends.
        box_indices (Tensor[(M,), int]): which image each part is of.
        crop_size (tuple[int]): height and width of the results.
        method (str): ``"bilinear"``, ``"nearest"``, or ``"bilinear_v2"``, which takes a box of whole
            pixels, both ends included and at least one, and resizes it with pixels' centres.
        extrapolation_value (float): what is outside of the image. Default: 0.

    Returns:
        ``Tensor[(M, *crop_size, C), float32]``

    Raises:
        ValueError: ``method`` is another word.

    Examples:
        >>> x = ops.reshape(ops.arange(4.0), (1, 2, 2, 1))
        >>> print(ops.crop_and_resize(x, Tensor([[0.0, 0, 1, 1]]), Tensor([0], ms.int32), (1, 1)))
        [[[[1.5]]]]
    """
    expect(
        method in ("bilinear", "nearest", "bilinear_v2"),
        "method",
        "'bilinear', 'nearest' or 'bilinear_v2'",
        got=repr(method),
    )
    n, *sizes, c = image.shape
    corners = _columns(P.cast(boxes, dt.float32))
    if method == "bilinear_v2":
        return _resized_boxes(image, corners, box_indices, crop_size)
    at, outside = [], None
    for i, (size, m) in enumerate(zip(sizes, crop_size, strict=True)):
        low, high = (P.reshape(corners[i + j], (-1, 1)) for j in (0, 2))
        steps = P.reshape(P.cast(P.arange(0, m, 1, dt.int64), dt.float32), (1, -1))
        if m > 1:
            place = low * (size - 1) + steps * ((high - low) * (size - 1) / (m - 1))
        else:
            place = (low + high) * (0.5 * (size - 1)) + steps
        # (M, crop height, crop width)
        place = P.broadcast_to(expand_dims(place, 2 - i), (boxes.shape[0],) + tuple(crop_size))
        far = P.logical_or(P.less(place, 0), P.greater(place, size - 1))
        outside = far if outside is None else P.logical_or(outside, far)
        at.append(P.maximum(P.minimum(place, size - 1), 0))
    seen = P.gather(P.cast(transpose(image, (0, 3, 1, 2)), dt.float32), box_indices, 0)
    flat = P.reshape(seen, (boxes.shape[0], c, -1))
    taps = [
        taps_of(
            P.floor(p + 0.5) if method == "nearest" else p,
            "nearest" if method == "nearest" else "bilinear",
            s,
        )
        for p, s in zip(at, sizes, strict=True)
    ]
    out = transpose(sampled(flat, sizes, taps, "border", True), (0, 2, 3, 1))
    return P.select(expand_dims(outside, -1), float(extrapolation_value), out)


def _resized_boxes(image, corners, box_indices, crop_size):
    """`crop_and_resize` by ``bilinear_v2``. What is beyond the image is its nearest pixel."""
    _, *sizes, c = image.shape
    m = box_indices.shape[0]
    taps = []
    for i, (size, k) in enumerate(zip(sizes, crop_size, strict=True)):
        first, last = (P.trunc(P.reshape(corners[i + j] * size, (-1, 1))) for j in (0, 2))
        extent = P.maximum(last - first + 1, 1)
        steps = P.reshape(P.cast(P.arange(0, k, 1, dt.int64), dt.float32), (1, -1))
        place = (steps + 0.5) * (extent / k) - 0.5
        low, high = (P.maximum(P.minimum(f(place), extent - 1), 0) for f in (P.floor, P.ceil))
        shape = (m, k, 1) if i == 0 else (m, 1, k)
        ends = (P.maximum(P.minimum(first + v, size - 1), 0) for v in (low, high))
        taps.append([P.reshape(v, shape) for v in (*ends, place - low)])
    flat = P.reshape(P.cast(image, dt.float32), (image.shape[0], -1, c))
    rows = P.gather(flat, box_indices, 0)  # (M, H·W, C)

    def pixels(y, x):
        at = P.cast(y * sizes[1] + x, dt.int32)
        at = P.broadcast_to(P.reshape(at, (m, -1, 1)), (m, crop_size[0] * crop_size[1], c))
        return P.reshape(P.gather_d(rows, 1, at), (m, *crop_size, c))

    (top, bottom, down), (left, right, along) = taps
    down, along = expand_dims(down, -1), expand_dims(along, -1)
    upper = pixels(top, left) + (pixels(top, right) - pixels(top, left)) * along
    lower = pixels(bottom, left) + (pixels(bottom, right) - pixels(bottom, left)) * along
    return upper + (lower - upper) * down


def _blocks(block, rank: int) -> tuple:
    return (block,) * rank if isinstance(block, int) else tuple(block)


@face(cls="SpaceToBatchND(block_shape: block_size, paddings)")
def space_to_batch_nd(input_x, block_size, paddings):
    """Blocks of the last dimensions taken apart: elements at the same place of their block form one
    sample.

    Args:
        input_x (Tensor[(N, ...)]): the operand.
        block_size (int, tuple[int]): the size of a block in each of the last dimensions.
        paddings (tuple[tuple[int]]): zeros before and after each of them; then blocks must fit.

    Returns:
        ``Tensor[(N * prod(block_size), ..., *sizes / block_size)]``

    Raises:
        ValueError: ``input_x`` has a rank that does not fit.

    Examples:
        >>> x = Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> ops.space_to_batch_nd(x, [2, 2], [[0, 0], [0, 0]]).shape
        (4, 1, 1, 1)
    """
    rank = len(paddings)
    block, keep = _blocks(block_size, rank), len(input_x.shape) - rank
    x = P.pad(input_x, ((0, 0),) * keep + tuple(tuple(p) for p in paddings), 0)
    expect(
        all(n % b == 0 for n, b in zip(x.shape[keep:], block, strict=True)),
        "block_size",
        "a divisor of the padded sizes",
        got=f"{block} of {x.shape[keep:]}",
    )
    cut = P.reshape(
        x,
        x.shape[:keep]
        + tuple(m for n, b in zip(x.shape[keep:], block, strict=True) for m in (n // b, b)),
    )
    inner = tuple(keep + 2 * i + 1 for i in range(rank))
    moved = P.transpose(cut, inner + tuple(range(keep)) + tuple(keep + 2 * i for i in range(rank)))
    return P.reshape(moved, (x.shape[0] * math.prod(block),) + moved.shape[rank + 1 :])


@face(cls="BatchToSpaceND(block_shape, crops)")
def batch_to_space_nd(input_x, block_shape, crops):
    """The inverse of `space_to_batch_nd`: blocks put together, ``crops`` cut off.

    Args:
        input_x (Tensor): blocks as rows of the first dimension.
        block_shape (tuple[int], int): the sizes of a block.
        crops (tuple): how much to cut off, (before, after) of each dimension.

    Returns:
        Tensor: of the same dtype.

    Raises:
        ValueError: ``input_x`` has a rank that does not fit.

    Examples:
        >>> x = ops.reshape(ops.arange(4.0), (4, 1, 1, 1))
        >>> print(ops.batch_to_space_nd(x, [2, 2], [[0, 0], [0, 0]]))
        [[[[0. 1.]
           [2. 3.]]]]
    """
    rank = len(crops)
    block, keep = _blocks(block_shape, rank), len(input_x.shape) - rank
    count = math.prod(block)
    expect(
        input_x.shape[0] % count == 0,
        "block_shape",
        "a divisor of the batch",
        got=f"{block} of {input_x.shape[0]}",
    )
    cut = P.reshape(input_x, block + (input_x.shape[0] // count,) + input_x.shape[1:])
    order = tuple(range(rank, rank + keep)) + tuple(
        a for i in range(rank) for a in (rank + keep + i, i)
    )
    whole = P.transpose(cut, order)
    whole = P.reshape(
        whole,
        whole.shape[:keep] + tuple(n * b for n, b in zip(input_x.shape[keep:], block, strict=True)),
    )
    begin = (0,) * keep + tuple(c[0] for c in crops)
    end = whole.shape[:keep] + tuple(
        n - c[1] for n, c in zip(whole.shape[keep:], crops, strict=True)
    )
    return P.strided_slice(whole, begin, end, (1,) * len(begin))


# MindSpore has other functions here too.
__getattr__, __dir__ = elsewhere(__name__)

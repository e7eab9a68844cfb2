"""Primitive classes that take pieces out of images: windows, glimpses, deformed and scaled ones."""

from __future__ import annotations

import math

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ..define import P
from ..faces import primitive
from ..function.common import as_tensor, key_of, sizes_of, window_pad
from ..function.sampling import deformed
from ..rules import pair_of


def _plane(v, name: str, at: int = 2) -> tuple:
    """Height and width of one, two or four numbers, the first of which stands at ``at``."""
    return pair_of(v[at : at + 2] if isinstance(v, (tuple, list)) and len(v) == 4 else v, name)


def _windows(x, kernel, step, spread) -> list:
    """For each element of the window what it sees of padded images (N, C, H, W)."""
    out = [(x.shape[2 + i] - (kernel[i] - 1) * spread[i] - 1) // step[i] + 1 for i in range(2)]
    for i in range(2):
        expect(out[i] > 0, "x", f"as large as the window {kernel}", got=x.shape)
    seen = []
    for m in range(kernel[0]):
        for n in range(kernel[1]):
            first = (0, 0, m * spread[0], n * spread[1])
            last = [first[2 + i] + (out[i] - 1) * step[i] + 1 for i in range(2)]
            seen.append(P.strided_slice(x, first, (*x.shape[:2], *last), (1, 1, *step)))
    return seen


@primitive
def Dilation2D(stride, dilation, pad_mode="SAME", data_format="NCHW"):
    """Grayscale dilation: the maximum in each window of the image plus the filter.

    Args:
        stride, dilation (int, tuple[int]): one, two or four numbers (1, 1, height, width).
        pad_mode (str): ``"SAME"`` or ``"VALID"``. Default: ``"SAME"``.
        data_format (str): ``"NCHW"``. Default: ``"NCHW"``.
        x (Tensor[(N, C, H, W), float]): the images.
        filter (Tensor[(C, KH, KW), float]): what is added to the elements of a window.

    Returns:
        Tensor[(N, C, OH, OW)]: of the dtype of ``x``.

    Raises:
        ValueError: the filter does not fit the images, or ``data_format`` is another.

    Examples:
        >>> x = ops.reshape(ops.arange(9.0), (1, 1, 3, 3))
        >>> print(ops.Dilation2D(1, 1, "VALID")(x, Tensor([[[9.0, 0.0], [0.0, 0.0]]])))
        [[[[ 9. 10.]
           [12. 13.]]]]
    """
    expect(data_format == "NCHW", "data_format", "'NCHW'", got=repr(data_format))
    step, spread = _plane(stride, "stride"), _plane(dilation, "dilation")

    def call(x, filter):
        expect(len(x.shape) == 4, "x", "of rank 4", got=x.shape)
        expect(
            len(filter.shape) == 3 and filter.shape[0] == x.shape[1],
            "filter",
            f"of shape ({x.shape[1]}, height, width)",
            got=filter.shape,
        )
        pads = window_pad(pad_mode, 0, x.shape[2:], filter.shape[1:], step, spread)
        if any(pads):
            x = P.pad(x, ((0, 0), (0, 0), pads[:2], pads[2:]), -math.inf)
        seen = _windows(x, filter.shape[1:], step, spread)
        weights = P.reshape(filter, (filter.shape[0], -1, 1, 1))
        best = None
        for i, part in enumerate(seen):
            weight = P.strided_slice(
                weights, (0, i, 0, 0), (filter.shape[0], i + 1, 1, 1), (1,) * 4
            )
            value = part + P.reshape(weight, (1, -1, 1, 1))
            best = value if best is None else P.maximum(best, value)
        return best

    return call


@primitive
def ExtractImagePatches(ksizes, strides, rates, padding="VALID"):
    """The windows of images, their elements beside the channels.

    Args:
        ksizes (tuple[int]): (1, 1, height, width) of the window.
        strides, rates (tuple[int]): likewise the step, and the distance of the window's elements.
        padding (str): ``"VALID"`` or ``"SAME"``. Default: ``"VALID"``.
        input_x (Tensor[(N, C, H, W)]): the images.

    Returns:
        Tensor[(N, KH KW C, OH, OW)]: the elements of a window from left to right and down, each with
        all channels.

    Raises:
        ValueError: the window is larger than the images.

    Examples:
        >>> x = ops.reshape(ops.arange(9.0), (1, 1, 3, 3))
        >>> print(ops.ExtractImagePatches((1, 1, 2, 2), (1, 1, 1, 1), (1, 1, 1, 1))(x)[0, :, 0, 0])
        [0. 1. 3. 4.]
    """
    kernel, step = _plane(ksizes, "ksizes"), _plane(strides, "strides")
    spread = _plane(rates, "rates")

    def call(input_x):
        pads = window_pad(padding, 0, input_x.shape[2:], kernel, step, spread)
        x = P.pad(input_x, ((0, 0), (0, 0), pads[:2], pads[2:]), 0) if any(pads) else input_x
        return P.concat(_windows(x, kernel, step, spread), 1)

    return call


@primitive
def DeformableOffsets(
    strides,
    pads,
    ksize,
    dilations=(1, 1, 1, 1),
    data_format="NCHW",
    deformable_groups=1,
    modulated=True,
):
    """What the moved elements of the windows of a deformable convolution see, each window as a tile
    of the result.

    Args:
        strides, dilations (tuple[int]): four numbers, of N, C, H and W.
        pads (tuple[int]): above, below, left and right.
        ksize (tuple[int]): (KH, KW).
        data_format (str): ``"NCHW"`` or ``"NHWC"``, of the images, the offsets and the result; the
            numbers of ``strides`` and ``dilations`` are in its order. Default: ``"NCHW"``.
        deformable_groups (int): G, into how many parts the channels are divided. Default: 1.
        modulated (bool): whether there are weights among the offsets. Default: True.
        x (Tensor[(N, C, H, W), float]): the images.
        offsets (Tensor[(N, 3 G KH KW, OH, OW), float]): as in `deformable_conv2d`.

    Returns:
        Tensor[(N, C, OH KH, OW KW)]: of the dtype of ``x``.

    Raises:
        ValueError: ``data_format`` is another.

    Examples:
        >>> op = ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))
        >>> op(ops.ones((1, 1, 4, 4)), ops.ones((1, 12, 3, 3))).shape
        (1, 1, 6, 6)
    """
    formats = ("NCHW", "NHWC")
    expect(data_format in formats, "data_format", "'NCHW' or 'NHWC'", got=repr(data_format))
    last = data_format == "NHWC"
    across = slice(1, 3) if last else slice(2, 4)

    def call(x, offsets):
        if last:
            x, offsets = (P.transpose(v, (0, 3, 1, 2)) for v in (x, offsets))
        seen = deformed(
            x,
            offsets,
            ksize,
            strides[across],
            pads,
            dilations[across],
            deformable_groups,
            modulated,
        )
        n, c, _, oh, ow = seen.shape
        order = (0, 4, 2, 5, 3, 1) if last else (0, 1, 4, 2, 5, 3)
        tiles = P.transpose(P.reshape(seen, (n, c, *ksize, oh, ow)), order)
        size = (oh * ksize[0], ow * ksize[1])
        return P.reshape(tiles, (n, *size, c) if last else (n, c, *size))

    return call


def _noise(noise: str, shape: tuple):
    """What stands outside of the images."""
    if noise == "zero":
        return P.full(shape, 0, dt.float32)
    draw = P.uniform if noise == "uniform" else P.normal
    return draw(key_of(0), shape, dt.float32)


@primitive
def ExtractGlimpse(centered=True, normalized=True, uniform_noise=True, noise="uniform"):
    """A window of each image at its own place; outside of the image stands noise.

    Args:
        centered (bool): the offset (0, 0) is the middle of the image, not its upper left corner.
            Default: True.
        normalized (bool): offsets are parts of the image. Default: True.
        uniform_noise (bool): the noise is uniform. Default: True.
        noise (str): ``"uniform"``, ``"gaussian"`` or ``"zero"``. Default: ``"uniform"``.
        x (Tensor[(N, H, W, C), float32]): the images.
        size (Tensor[(2,), int], tuple[int]): height and width of the window.
        offsets (Tensor[(N, 2), float32]): row and column of the window's middle.

    Returns:
        Tensor[(N, h, w, C), float32]: the windows.

    Raises:
        ValueError: ``noise`` is another, or shapes do not fit.

    Examples:
        >>> x = ops.reshape(ops.arange(9.0), (1, 3, 3, 1))
        >>> op = ops.ExtractGlimpse(False, False, False, "zero")
        >>> print(op(x, Tensor([2, 2], ms.int32), Tensor([[1.0, 1.0]]))[0, :, :, 0])
        [[0. 1.]
         [3. 4.]]
    """
    words = ("uniform",) if uniform_noise else ("uniform", "gaussian", "zero")
    expect(noise in words, "noise", " or ".join(map(repr, words)), got=repr(noise))

    def call(x, size, offsets):
        expect(len(x.shape) == 4, "x", "of rank 4", got=x.shape)
        n, wide = x.shape[0], sizes_of(size)
        expect(tuple(offsets.shape) == (n, 2), "offsets", f"of shape ({n}, 2)", got=offsets.shape)
        places, inside = [], []
        for i, (all_of, some) in enumerate(zip(x.shape[1:3], wide, strict=True)):
            at = P.strided_slice(offsets, (0, i), (n, i + 1), (1, 1))
            at = at * all_of if normalized else at
            at = (at + all_of) / 2 if centered else at
            at = P.trunc(at - some / 2) + P.cast(P.arange(0, some, 1, dt.int64), at.dtype)
            inside.append(P.logical_and(P.greater_equal(at, 0), P.less(at, all_of)))
            places.append(P.cast(P.maximum(P.minimum(at, all_of - 1), 0), dt.int64))
        rows, columns = P.reshape(places[0], (n, -1, 1)), P.reshape(places[1], (n, 1, -1))
        shape = (n, *wide, x.shape[3])
        flat = P.reshape(rows * x.shape[2] + columns, (n, -1, 1))
        flat = P.broadcast_to(flat, (n, flat.shape[1], shape[3]))
        seen = P.reshape(P.gather_d(P.reshape(x, (n, -1, shape[3])), 1, flat), shape)
        here = P.logical_and(
            P.reshape(inside[0], (n, -1, 1, 1)), P.reshape(inside[1], (n, 1, -1, 1))
        )
        return P.select(here, seen, _noise(noise, shape))

    return call


def _lanczos(radius: float):
    def kernel(t):
        safe = P.select(P.less(t, 1e-3), 1.0, t)
        wave = radius * P.sin(math.pi * safe) * P.sin(math.pi * safe / radius)
        return P.select(P.less(t, 1e-3), 1.0, wave / (math.pi**2 * P.square(safe)))

    return kernel, radius


def _piecewise(near, far):
    """Two polynomials, for distances below 1 and below 2."""

    def value(c, t):
        return ((c[0] * t + c[1]) * t + c[2]) * t + c[3]

    return (lambda t: P.select(P.less(t, 1.0), value(near, t), value(far, t))), 2.0


_KERNELS = {
    "lanczos1": _lanczos(1.0),
    "lanczos3": _lanczos(3.0),
    "lanczos5": _lanczos(5.0),
    "gaussian": (lambda t: P.exp(P.square(t) * -2.0), 1.5),
    "box": (lambda t: P.select(P.less(t, 0.5), 1.0, P.select(P.equal(t, 0.5), 0.5, t * 0)), 1.0),
    "triangle": (lambda t: 1 - t, 1.0),
    "keyscubic": _piecewise((1.5, -2.5, 0.0, 1.0), (-0.5, 2.5, -4.0, 2.0)),
    "mitchellcubic": _piecewise((7 / 6, -2.0, 0.0, 8 / 9), (-7 / 18, 2.0, -10 / 3, 16 / 9)),
}


def _matrix(kernel, radius, antialias, old: int, new: int, scale, move):
    """The (new, old) matrix that scales and moves a dimension."""
    inverse = 1 / scale
    width = P.maximum(inverse, 1.0) if antialias else P.maximum(inverse * 0, 1.0)
    steps = [P.cast(P.arange(0, n, 1, dt.int64), dt.float32) + 0.5 for n in (new, old)]
    middle = P.reshape(steps[0] * inverse - move * inverse, (new, 1))
    far = P.abs(P.reshape(steps[1], (1, old)) - middle) / width
    weights = P.select(P.less_equal(far, radius), kernel(far), 0.0)
    total = P.sum(weights, -1, True)
    some = P.greater(P.abs(total), 1000 * float(np.finfo(np.float32).tiny))
    weights = P.select(some, weights / P.select(some, total, 1.0), 0.0)
    inside = P.logical_and(P.greater_equal(middle, 0.0), P.less_equal(middle, float(old)))
    return P.select(inside, weights, 0.0)


@primitive
def ScaleAndTranslate(kernel_type="lanczos3", antialias=True):
    """Images scaled and moved, and cut or filled up to a size.

    Args:
        kernel_type (str): ``"lanczos1"``, ``"lanczos3"``, ``"lanczos5"``, ``"gaussian"``, ``"box"``,
            ``"triangle"``, ``"keyscubic"`` or ``"mitchellcubic"``. Default: ``"lanczos3"``.
        antialias (bool): widen the kernel where the image shrinks. Default: True.
        images (Tensor[(N, H, W, C), number]): the images.
        size (Tensor[(2,), int], tuple[int]): the new height and width.
        scale, translation (Tensor[(2,), float32]): of rows and columns: how large an old element
            becomes, and by how many new elements the image moves down and right.

    Returns:
        Tensor[(N, h, w, C), float32]: the new images; what lies outside of the old ones is 0.

    Raises:
        ValueError: ``kernel_type`` is another, or ``images`` has another rank.

    Examples:
        >>> x = ops.reshape(ops.arange(4.0), (1, 2, 2, 1))
        >>> op = ops.ScaleAndTranslate("box", False)
        >>> print(op(x, (2, 2), Tensor([1.0, 1.0]), Tensor([0.0, 0.0]))[0, :, :, 0])
        [[0. 1.]
         [2. 3.]]
    """
    words = ", ".join(map(repr, _KERNELS))
    expect(kernel_type in _KERNELS, "kernel_type", f"one of {words}", got=repr(kernel_type))
    kernel, radius = _KERNELS[kernel_type]

    def call(images, size, scale, translation):
        expect(len(images.shape) == 4, "images", "of rank 4", got=images.shape)
        (n, h, w, c), new = images.shape, sizes_of(size)
        scale, translation = as_tensor(scale), as_tensor(translation)
        rows, columns = (
            _matrix(
                kernel,
                radius,
                antialias,
                old,
                new[i],
                P.strided_slice(scale, (i,), (i + 1,), (1,)),
                P.strided_slice(translation, (i,), (i + 1,), (1,)),
            )
            for i, old in enumerate((h, w))
        )
        flat = P.reshape(P.cast(images, dt.float32), (n, h, w * c))
        flat = P.reshape(P.matmul(rows, flat), (n * new[0], w, c))
        return P.reshape(P.matmul(columns, flat), (n, *new, c))

    return call

"""Cells that rearrange or measure images ``(N, C, H, W)``."""

from __future__ import annotations

import math

from ... import ops
from ...base import dtype as dt
from ...base.errors import complain
from ...base.late import all_of, late
from ...base.limits import times
from ...ops.define import P
from ..cell import Cell
from . import checks


class PixelShuffle(Cell):
    """Moves blocks of r² channels into r × r pixels.

    Args:
        upscale_factor (int): r.

    Inputs:
        - **input** (Tensor[(..., C · r², H, W)])

    Outputs:
        Tensor[(..., C, H · r, W · r)].

    Raises:
        TypeError: ``upscale_factor`` is no int.
        ValueError: it is not positive, or the channels are no multiple of its square.

    Source: Shi et al., Real-Time Single Image and Video Super-Resolution, 2016.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.PixelShuffle(2)(ms.ops.ones((1, 8, 3, 3))).shape
        (1, 2, 6, 6)
    """

    def __init__(self, upscale_factor):
        super().__init__()
        self.upscale_factor = checks.positive_int("PixelShuffle", "upscale_factor", upscale_factor)

    def construct(self, input):
        r, lead, (c, h, w) = self.upscale_factor, input.shape[:-3], input.shape[-3:]
        if c % (r * r) != 0:
            raise ValueError(f"PixelShuffle: {c} channels are no multiple of {r * r}")
        input = ops.reshape(input, (-1, c // (r * r), r, r, h, w))
        return ops.reshape(
            ops.transpose(input, (0, 1, 4, 2, 5, 3)), lead + (c // (r * r), h * r, w * r)
        )


class PixelUnshuffle(Cell):
    """The inverse of `PixelShuffle`.

    Args:
        downscale_factor (int): r.

    Inputs:
        - **input** (Tensor[(..., C, H · r, W · r)])

    Outputs:
        Tensor[(..., C · r², H, W)].

    Raises:
        TypeError: ``downscale_factor`` is no int.
        ValueError: it is not positive, or does not divide the sides.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.PixelUnshuffle(3)(ms.ops.ones((1, 1, 9, 9))).shape
        (1, 9, 3, 3)
    """

    def __init__(self, downscale_factor):
        super().__init__()
        self.downscale_factor = checks.positive_int(
            "PixelUnshuffle", "downscale_factor", downscale_factor
        )

    def construct(self, input):
        r, lead, (c, h, w) = self.downscale_factor, input.shape[:-3], input.shape[-3:]
        if h % r != 0 or w % r != 0:
            raise ValueError(
                f"PixelUnshuffle: {h} by {w} pixels do not divide into blocks of {r} by {r}"
            )
        input = ops.reshape(input, (-1, c, h // r, r, w // r, r))
        return ops.reshape(
            ops.transpose(input, (0, 1, 3, 5, 2, 4)), lead + (c * r * r, h // r, w // r)
        )


class ChannelShuffle(Cell):
    """Divides the channels into groups and interleaves them.

    Args:
        groups (int): how many; a divisor of the channels.

    Inputs:
        - **x** (Tensor[(N, C, ...)])

    Outputs:
        Tensor, of the shape and dtype of ``x``.

    Raises:
        TypeError: ``groups`` is no int.
        ValueError: it is not positive, or does not divide the channels.

    Source: Zhang et al., ShuffleNet, 2017.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> x = ms.Tensor([0.0, 1.0, 2.0, 3.0]).reshape(1, 4, 1, 1)
        >>> print(nn.ChannelShuffle(2)(x).flatten())
        [0. 2. 1. 3.]
    """

    def __init__(self, groups):
        super().__init__()
        self.groups = checks.positive_int("ChannelShuffle", "groups", groups)

    def construct(self, x):
        n, c = x.shape[0], x.shape[1]
        if c % self.groups != 0:
            raise ValueError(
                f"ChannelShuffle: {c} channels do not divide into {self.groups} groups"
            )
        out = ops.reshape(x, (n, self.groups, c // self.groups, -1))
        return ops.reshape(ops.transpose(out, (0, 2, 1, 3)), x.shape)


class CentralCrop(Cell):
    """The central part of images.

    Args:
        central_fraction (float): the part of each side that is kept, in (0, 1].

    Inputs:
        - **image** (Tensor[(C, H, W)] or [(N, C, H, W)])

    Outputs:
        Tensor[(C, H', W')] or [(N, C, H', W')].

    Raises:
        TypeError: ``central_fraction`` is no number.
        ValueError: it is out of range.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.CentralCrop(0.5)(ms.ops.ones((3, 8, 4))).shape
        (3, 4, 2)
    """

    def __init__(self, central_fraction):
        super().__init__()
        self.central_fraction = checks.number_in(
            "CentralCrop", "central_fraction", central_fraction, 0, 1, "(]"
        )

    def construct(self, image):
        height, width = image.shape[-2], image.shape[-1]
        top = int((height - height * self.central_fraction) / 2)
        left = int((width - width * self.central_fraction) / 2)
        return image[..., top : height - top, left : width - left]


class ImageGradients(Cell):
    """Differences of neighbouring pixels, downwards and to the right; 0 at the last.

    Inputs:
        - **images** (Tensor[(N, C, H, W)])

    Outputs:
        Tuple of dy and dx, of the shape of the input.

    Raises:
        IndexError: the rank is below 4.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> dy, dx = nn.ImageGradients()(ms.Tensor([[[[1.0, 2.0], [4.0, 8.0]]]]))
        >>> print(dy[0, 0])
        [[3. 6.]
         [0. 0.]]
        >>> print(dx[0, 0])
        [[1. 0.]
         [4. 0.]]
    """

    def construct(self, images):
        dy = images[:, :, 1:, :] - images[:, :, :-1, :]
        dx = images[:, :, :, 1:] - images[:, :, :, :-1]
        return P.pad(dy, ((0, 0), (0, 0), (0, 1), (0, 0)), 0), P.pad(
            dx, ((0, 0), (0, 0), (0, 0), (0, 1)), 0
        )


class PSNR(Cell):
    r"""The peak signal-to-noise ratio :math:`10\log_{10}(max^2/mse)` of two batches of images.

    Args:
        max_val (number): the largest possible value. Default 1.

    Inputs:
        - **img1** (Tensor[(N, C, H, W)]), **img2** (Tensor[(N, C, H, W)])

    Outputs:
        Tensor[(N,)].

    Raises:
        TypeError: ``max_val`` is no number.
        ValueError: it is not positive, or the shapes do not broadcast.

    Examples:
        >>> from minds import nn
        >>> from minds import ops
        >>> print(nn.PSNR()(ops.zeros((1, 1, 2, 2)), ops.full((1, 1, 2, 2), 0.1)).asnumpy().round(3))
        [inf]
    """

    def __init__(self, max_val=1.0):
        super().__init__()
        self.max_val = checks.number_in("PSNR", "max_val", max_val, 0, math.inf, "()")

    def construct(self, img1, img2):
        mse = ops.mean(ops.square(img1 - img2), (-3, -2, -1))
        return 10 * ops.log(self.max_val**2 / mse) / math.log(10)


class Upsample(Cell):
    """Enlarges images: by repeating pixels, or by linear interpolation between them.

    Args:
        size (int, tuple[int]): the height and width that result. Default None.
        scale_factor (number, tuple): by how much the sides grow, where no size is given. Default
            None.
        mode (str): ``nearest``, or ``bilinear`` for images, ``linear`` for ``(N, C, L)``. Default
            nearest.
        align_corners (bool): corner pixels keep their places. Default None, False.
        recompute_scale_factor (bool): without effect.

    Inputs:
        - **x** (Tensor[(N, C, H, W)] or [(N, C, L)])

    Outputs:
        Tensor[(N, C, H', W')] or [(N, C, L')].

    Raises:
        ValueError: not exactly one of ``size`` and ``scale_factor``, or another mode.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Upsample(scale_factor=2.0)(ms.Tensor([[[[1.0, 2.0]]]])).asnumpy().tolist()
        [[[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]]]]
    """

    def __init__(
        self,
        size=None,
        scale_factor=None,
        mode="nearest",
        align_corners=None,
        recompute_scale_factor=None,
    ):
        super().__init__()
        if (size is None) == (scale_factor is None):
            raise complain(
                ValueError,
                f"Upsample: size is {size}, scale_factor {scale_factor}",
                expected="one of them",
            )
        self.size, self.scale_factor = size, scale_factor
        self.mode = checks.one_of("Upsample", "mode", mode, ("nearest", "linear", "bilinear"))
        self.align_corners = bool(align_corners)

    def construct(self, x):
        dims = x.ndim - 2
        for i in range(dims):
            size = x.shape[2 + i]
            if self.size is not None:
                new = self.size[i] if isinstance(self.size, (tuple, list)) else self.size
            else:
                factor = (
                    self.scale_factor[i]
                    if isinstance(self.scale_factor, (tuple, list))
                    else self.scale_factor
                )
                new = int(size * factor)
            x = (
                _nearest(x, 2 + i, new)
                if self.mode == "nearest"
                else _linear(x, 2 + i, new, self.align_corners)
            )
        return x


def _nearest(x, axis, new):
    """Pixel floor(i · size / new) along an axis."""
    index = ops.floor_divide(ops.arange(0, new, 1) * x.shape[axis], new)
    return P.gather(x, index, axis)


def _linear(x, axis, new, corners):
    """Linear interpolation along an axis, at the centres of the new pixels or with the corners in
    place.
    """
    size = x.shape[axis]
    at = ops.cast(ops.arange(0, new, 1), x.dtype)
    if corners:
        at = at * ((size - 1) / max(new - 1, 1))
    else:
        at = ops.maximum((at + 0.5) * (size / new) - 0.5, 0)
    low = ops.minimum(ops.floor(at), size - 1)
    share = ops.reshape(at - low, (new,) + (1,) * (x.ndim - axis - 1))
    first = ops.cast(low, dt.int64)
    a, b = P.gather(x, first, axis), P.gather(x, ops.minimum(first + 1, size - 1), axis)
    return a + (b - a) * share


class Unfold(Cell):
    """Patches of images, laid out along the channels.

    Args:
        ksizes (tuple[int]), strides (tuple[int]), rates (tuple[int]): ``(1, rows, columns, 1)`` of
            the patches, of the steps between them, and of the steps within them.
        padding (str): ``valid`` or ``same``. Default valid.

    Inputs:
        - **input_x** (Tensor[(N, C, H, W)])

    Outputs:
        Tensor[(N, rows · columns · C, H', W')], the place within the patch first.

    Raises:
        ValueError: an argument is not of this form.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> nn.Unfold((1, 2, 2, 1), (1, 2, 2, 1), (1, 1, 1, 1))(ms.ops.ones((1, 3, 4, 4))).shape
        (1, 12, 2, 2)
    """

    def __init__(self, ksizes, strides, rates, padding="valid"):
        super().__init__()
        for name, v in (("ksizes", ksizes), ("strides", strides), ("rates", rates)):
            if not isinstance(v, (tuple, list)) or len(v) != 4 or v[0] != 1 or v[3] != 1:
                raise complain(
                    ValueError, f"Unfold: {name} is {v}", expected="(1, rows, columns, 1)"
                )
        self.ksizes, self.strides, self.rates = (
            tuple(ksizes[1:3]),
            tuple(strides[1:3]),
            tuple(rates[1:3]),
        )
        self.padding = checks.one_of("Unfold", "padding", padding.lower(), ("valid", "same"))

    def construct(self, input_x):
        reach = tuple((k - 1) * r + 1 for k, r in zip(self.ksizes, self.rates))
        if self.padding == "same":
            need = [
                max((-(-n // s) - 1) * s + e - n, 0)
                for n, s, e in zip(input_x.shape[2:], self.strides, reach)
            ]
            input_x = P.pad(
                input_x,
                (
                    (0, 0),
                    (0, 0),
                    (need[0] // 2, need[0] - need[0] // 2),
                    (need[1] // 2, need[1] - need[1] // 2),
                ),
                0,
            )
        n, c, h, w = input_x.shape
        rows, columns = (
            (h - reach[0]) // self.strides[0] + 1,
            (w - reach[1]) // self.strides[1] + 1,
        )
        times(self.ksizes[0] * self.ksizes[1], "the size of the kernel")
        parts = []
        for i in range(self.ksizes[0]):
            for j in range(self.ksizes[1]):
                top, left = i * self.rates[0], j * self.rates[1]
                end = (
                    n,
                    c,
                    top + (rows - 1) * self.strides[0] + 1,
                    left + (columns - 1) * self.strides[1] + 1,
                )
                parts.append(
                    P.strided_slice(input_x, (0, 0, top, left), end, (1, 1) + self.strides)
                )
        return P.concat(parts, 1)


class ResizeBilinear(Cell):
    """Images in another size, by linear interpolation along both dimensions; a layer of MindSpore 1.x.

    Args:
        half_pixel_centers (bool): whether elements lie at the centres of their pixels. Default False.

    Inputs:
        - **x** (Tensor[(N, C, H, W), float])
        - **size** (tuple[int]) - the new height and width. Default None, from ``scale_factor``.
        - **scale_factor** (int) - how many times larger both become. Default None.
        - **align_corners** (bool) - whether corners keep their values. Default False.

    Outputs:
        Tensor[(N, C, H', W')], of the dtype of ``x``.

    Raises:
        ValueError: none or both of ``size`` and ``scale_factor`` are given.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> print(nn.ResizeBilinear()(ms.Tensor([[[[1.0, 3.0]]]]), size=(1, 4)))
        [[[[1. 2. 3. 3.]]]]
    """

    def __init__(self, half_pixel_centers=False):
        super().__init__()
        self.half_pixel_centers = checks.boolean(
            "ResizeBilinear", "half_pixel_centers", half_pixel_centers
        )

    def construct(self, x, size=None, scale_factor=None, align_corners=False):
        if (size is None) == (scale_factor is None):
            what = f"ResizeBilinear: size is {size!r}, scale_factor {scale_factor!r}"
            raise complain(ValueError, what, expected="one of them")
        if size is None:
            size = (x.shape[-2] * scale_factor, x.shape[-1] * scale_factor)
        return ops.ResizeBilinearV2(align_corners, self.half_pixel_centers)(x, size)


__all__ = [
    "CentralCrop",
    "ChannelShuffle",
    "ImageGradients",
    "PSNR",
    "PixelShuffle",
    "PixelUnshuffle",
    "ResizeBilinear",
    "Unfold",
    "Upsample",
]

# MindSpore has other layers here too.
__getattr__, __dir__ = late(__name__, {}, (), all_of("nn"))

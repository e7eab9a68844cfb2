"""Transforms of an image's colours, one pixel at a time or by its histogram."""

from __future__ import annotations

import numpy as np

from ...base.worded import complain
from . import checks
from .checks import checked, optional
from .convert import hsv_to_rgb, luma, rgb_to_hsv
from .images import ImageTransform, like, pillow

_COLOURS = ("uint8", "uint16", "float32")


def mix(a: np.ndarray, other, factor: float) -> np.ndarray:
    """``factor`` of ``a`` and the rest of ``other``."""
    one = np.float32 if a.dtype.itemsize <= 4 else np.float64
    return like(a, a.astype(one) * one(factor) + np.asarray(other, one) * (1 - one(factor)))


def brightness(a, factor):
    one = np.float32 if a.dtype.itemsize <= 4 else np.float64
    return like(a, a.astype(one) * one(factor))


def contrast(a, factor):
    mean = luma(a).mean(dtype=np.float64)
    return mix(a, int(mean + 0.5) if a.dtype.kind in "iu" else mean, factor)


def saturation(a, factor):
    return mix(a, luma(a)[..., None], factor)


def sharpness(a, factor):
    return mix(a, smooth(a), factor)


def smooth(a: np.ndarray) -> np.ndarray:
    """The mean of each pixel, five times, and its eight neighbours; pixels at the edge stay."""
    wide = a.astype(np.float32)
    inner = wide[1:-1, 1:-1] * 4
    for y in range(3):
        for x in range(3):
            inner = inner + wide[y : y + wide.shape[0] - 2, x : x + wide.shape[1] - 2]
    made = a.copy()
    made[1:-1, 1:-1] = like(a, inner / np.float32(13))
    return made


def hue(a, factor):
    """The hue turned by a part of the circle; bytes go through hues and saturations of bytes."""
    if a.dtype != np.uint8:
        hsv = rgb_to_hsv(a)
        hsv[..., 0] = (hsv[..., 0] + factor) % 1.0
        return hsv_to_rgb(hsv).astype(a.dtype)
    turned, saturation, value = _hsv_bytes(a.astype(np.int64))
    turned = (turned + int(np.float32(factor) * 255)) % 256
    return like(a, hsv_to_rgb(np.stack([turned / 255.0, saturation / 255.0, value], -1)))


def _hsv_bytes(rgb: np.ndarray) -> tuple:
    """Hue in 256ths of the circle, saturation and value of bytes, by OpenCV's integer arithmetic."""
    value = rgb.max(-1)
    span = value - rgb.min(-1)
    r, g, b = np.moveaxis(rgb, -1, 0)
    six = np.where(value == r, g - b, np.where(value == g, b - r + 2 * span, r - g + 4 * span))
    per_six = np.rint((256 << 12) / (6.0 * np.maximum(span, 1))).astype(np.int64)
    per_value = np.rint((255 << 12) / np.maximum(value, 1)).astype(np.int64)
    hue = (six * per_six + 2048) >> 12
    return np.where(span == 0, 0, hue) % 256, (span * per_value + 2048) >> 12, value


class AdjustBrightness(ImageTransform):
    """Pixels times a factor.

    Args:
        brightness_factor (float): not negative; 0 makes black, 1 changes nothing.

    Raises:
        TypeError: the factor is no number.
        ValueError: it is negative.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.AdjustBrightness(2.0)(np.array([[10, 200]], np.uint8)).tolist()
        [[20, 255]]
    """

    channels = (1, 3)
    enhance, _of_arrays = "Brightness", staticmethod(brightness)

    @checked(brightness_factor=checks.AMOUNT)
    def __init__(self, brightness_factor: float):
        self.factor = brightness_factor

    def transform(self, a):
        return type(self)._of_arrays(a, self.factor)

    def _of_pillow(self, image):
        return getattr(pillow().ImageEnhance, self.enhance)(image).enhance(self.factor)


class AdjustContrast(AdjustBrightness):
    """The distance of pixels from the image's mean brightness times a factor.

    Args:
        contrast_factor (float): not negative; 0 makes grey, 1 changes nothing.

    Raises:
        TypeError: the factor is no number.
        ValueError: it is negative.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.AdjustContrast(0)(np.array([[[10] * 3, [20] * 3]], np.uint8))[0, 0].tolist()
        [15, 15, 15]
    """

    ranks, channels, dtypes = (3,), (3,), _COLOURS
    enhance, _of_arrays = "Contrast", staticmethod(contrast)

    @checked(contrast_factor=checks.AMOUNT)
    def __init__(self, contrast_factor: float):
        self.factor = contrast_factor


class AdjustSaturation(AdjustBrightness):
    """The distance of pixels from their shade of grey times a factor.

    Args:
        saturation_factor (float): not negative; 0 makes grey, 1 changes nothing.

    Raises:
        TypeError: the factor is no number.
        ValueError: it is negative.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.AdjustSaturation(0)(np.array([[[100, 0, 0]]], np.uint8)).tolist()
        [[[30, 30, 30]]]
    """

    ranks, channels, dtypes = (3,), (3,), _COLOURS
    enhance, _of_arrays = "Color", staticmethod(saturation)

    @checked(saturation_factor=checks.within(0, checks.FLOAT_MAX, float, int, named=False))
    def __init__(self, saturation_factor: float):
        self.factor = saturation_factor


class AdjustSharpness(AdjustBrightness):
    """The distance of pixels from a smoothed image times a factor.

    Args:
        sharpness_factor (float): not negative; 0 smooths, 1 changes nothing.

    Raises:
        TypeError: the factor is no number.
        ValueError: it is negative.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> image = np.array([[0, 0, 0], [0, 130, 0], [0, 0, 0]], np.uint8)
        >>> vision.AdjustSharpness(0)(image)[1].tolist()
        [0, 50, 0]
    """

    channels = ()
    _of_arrays, _of_pillow = staticmethod(sharpness), None

    @checked(sharpness_factor=checks.within(0, checks.FLOAT_MAX, float, int, named=False))
    def __init__(self, sharpness_factor: float):
        self.factor = sharpness_factor


class AdjustHue(AdjustBrightness):
    """Hues turned by a part of the circle of colours.

    Args:
        hue_factor (float): the part, in [-0.5, 0.5].

    Raises:
        TypeError: the factor is no number.
        ValueError: it is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.AdjustHue(0.5)(np.array([[[200, 0, 0]]], np.uint8)).shape
        (1, 1, 3)
    """

    ranks, channels, dtypes = (3,), (3,), ("uint8", "float32")
    _of_arrays = staticmethod(hue)

    @checked(hue_factor=checks.within(-0.5, 0.5, float, int))
    def __init__(self, hue_factor: float):
        self.factor = hue_factor

    def _of_pillow(self, image):
        if image.mode in ("L", "1", "I", "F"):
            return image
        turned, *others = image.convert("HSV").split()
        table = [(i + int(self.factor * 255)) % 256 for i in range(256)]
        return pillow().Image.merge("HSV", (turned.point(table), *others)).convert(image.mode)


class AdjustGamma(ImageTransform):
    r"""Pixels, as parts of the greatest, by :math:`\text{gain} \cdot x^\gamma`.

    Args:
        gamma (float): not negative.
        gain (float): the factor. Default: 1.

    Raises:
        TypeError: an argument is no number.
        ValueError: ``gamma`` is negative.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.AdjustGamma(2.0)(np.array([[255, 128]], np.uint8)).tolist()
        [[255, 64]]
    """

    ranks, channels = (2, 3, 4), (1, 3)

    @checked(
        gamma=checks.within(0, checks.FLOAT_MAX, float, int, named=False),
        gain=optional(checks.within(-checks.FLOAT_MAX, checks.FLOAT_MAX, float, int, named=False)),
    )
    def __init__(self, gamma: float, gain: float = 1):
        self.gamma, self.gain = gamma, 1 if gain is None else gain

    def transform(self, a):
        if a.dtype.kind == "f":
            powers = np.power(a.astype(np.float32), np.float32(self.gamma))
            return np.clip(powers * np.float32(self.gain), 0, 1)
        return np.array(self._table()).astype(a.dtype)[np.clip(a, 0, 255)]

    def _of_pillow(self, image):
        count = len(image.getbands())
        return image.point(self._table() * count) if count in (1, 3) else image

    def _table(self) -> list[int]:
        """What each byte becomes."""
        most = (255 + 1 - 0.001) * self.gain
        return [max(0, min(int(most * pow(x / 255.0, self.gamma)), 255)) for x in range(256)]


def by_channel(a: np.ndarray, change) -> np.ndarray:
    """``change`` of each channel of an image."""
    if a.ndim == 2:
        return change(a)
    return np.stack([change(a[..., c]) for c in range(a.shape[2])], -1)


class _ByHistogram(ImageTransform):
    """Takes one or three channels of bytes."""

    channels, dtypes = (1, 3), ("uint8",)


class AutoContrast(_ByHistogram):
    """Each channel stretched so that its darkest pixel is 0 and its brightest 255.

    Args:
        cutoff (float): per cent of the darkest and of the brightest pixels that are left out, in
            [0, 50). Default: 0.0.
        ignore (int, list[int], tuple[int], None): bytes that are left out. Default: None.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.AutoContrast()(np.array([[10, 20, 30]], np.uint8)).tolist()
        [[0, 127, 255]]
    """

    @checked(cutoff=checks.within(0, 50, int, float, ends="[)"), ignore=optional(checks.ignored))
    def __init__(self, cutoff: float = 0.0, ignore=None):
        self.cutoff = cutoff
        self.ignore = (
            [] if ignore is None else [ignore] if isinstance(ignore, int) else list(ignore)
        )

    def transform(self, a):
        return by_channel(a, self._stretched)

    def _stretched(self, a):
        counts = np.bincount(a.ravel(), minlength=256)
        counts[self.ignore] = 0
        if self.cutoff >= 1:
            cut = int(counts.sum()) * int(self.cutoff) // 100  # whole per cent, as MindSpore
            for order in (slice(None), slice(None, None, -1)):
                seen = np.cumsum(counts[order])
                counts[order] = np.minimum(counts[order], np.clip(seen - cut, 0, None))
        there = np.flatnonzero(counts)
        if not len(there) or there[0] == there[-1]:
            return a
        scale = np.float32(255) / np.float32(there[-1] - there[0])  # rounded as MindSpore does
        table = np.arange(256, dtype=np.float32) * scale + np.float32(-there[0]) * scale
        return np.clip(table.astype(np.int64), 0, 255).astype(np.uint8)[a]

    def _of_pillow(self, image):
        return pillow().ImageOps.autocontrast(image, self.cutoff, self.ignore)


class Equalize(_ByHistogram):
    """Each channel changed so that its histogram is flat.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.Equalize()(np.array([[10, 20], [20, 30]], np.uint8)).tolist()
        [[0, 170], [170, 255]]
    """

    def transform(self, a):
        return by_channel(a, self._flat)

    @staticmethod
    def _flat(a):
        counts = np.bincount(a.ravel(), minlength=256)
        first = int(np.flatnonzero(counts)[0])
        if counts[first] == a.size:
            return a
        scale = np.float32(255.0) / np.float32(a.size - counts[first])
        table = (np.cumsum(counts) - counts[first]).astype(np.float32) * scale
        return np.clip(np.rint(table), 0, 255).astype(np.uint8)[a]

    def _of_pillow(self, image):
        return pillow().ImageOps.equalize(image)


class Invert(ImageTransform):
    """255 minus each pixel.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.Invert()(np.array([[[5, 250, 0]]], np.uint8)).tolist()
        [[[250, 5, 255]]]
    """

    ranks, channels = (3,), (3,)

    def transform(self, a):
        return like(a, 255 - a.astype(np.float64 if a.itemsize > 2 else np.float32))

    def _of_pillow(self, image):
        return pillow().ImageOps.invert(image)


class Posterize(ImageTransform):
    """Only the highest bits of each pixel.

    Args:
        bits (int): how many, in [0, 8].

    Raises:
        TypeError: ``bits`` is no int.
        ValueError: it is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.Posterize(1)(np.array([[127, 128]], np.uint8)).tolist()
        [[0, 128]]
    """

    @checked(bits=checks.within(0, 8, int))
    def __init__(self, bits: int):
        self.bits = bits

    def _fits(self, a):
        super()._fits(a)
        if a.dtype not in (np.uint8, np.int8):
            raise complain(
                RuntimeError,
                f"Posterize: data type of input image should be int8 or uint8, but got {a.dtype}",
            )

    def transform(self, a):
        mask = (0xFF << (8 - self.bits)) & 0xFF
        return (a.view(np.uint8) & np.uint8(mask)).view(a.dtype)


def _threshold(name: str, value) -> None:
    checks.of(float, int, list, tuple)(name, value)
    values = (value, value) if isinstance(value, (float, int)) else value
    for i, v in enumerate(values):
        checks.of(float, int)(f"{name}[{i}]", v)
    if len(values) != 2:
        raise complain(TypeError, "threshold must be a single number or sequence of two numbers.")
    for i, v in enumerate(values):
        checks.in_range(0, 255, f"{name}[{i}]", v)
    if values[1] < values[0]:
        raise complain(ValueError, "threshold must be in order of (min, max).")


class Solarize(ImageTransform):
    """255 minus each pixel that lies in a range.

    Args:
        threshold (float, tuple[float, float], list[float]): the least and the greatest of the range; one
            number, or twice the same, is the least.

    Raises:
        TypeError: ``threshold`` has a wrong type.
        ValueError: it is out of range, or not in order.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.Solarize((100, 255))(np.array([[99, 200]], np.uint8)).tolist()
        [[99, 55]]
    """

    channels = (1, 3)

    @checked(threshold=_threshold)
    def __init__(self, threshold):
        low, high = (threshold,) * 2 if isinstance(threshold, (float, int)) else threshold
        self.range = low, 255 if low == high else high

    def transform(self, a):
        low, high = self.range
        inverted = like(a, 255 - a.astype(np.float64 if a.itemsize > 2 else np.float32))
        return np.where((a >= low) & (a <= high), inverted, a)

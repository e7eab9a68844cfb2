"""Transforms of an image's colours with random parameters."""

from __future__ import annotations

import numbers

import numpy as np

from ...base.worded import complain
from .. import rowrng
from . import checks, enhance
from .checks import checked, optional
from .images import ImageTransform, PillowTransform, pillow


class _Perhaps(ImageTransform):
    """Another transform with probability ``prob``; Pillow images become arrays."""

    def _maybe(self, transform: ImageTransform, prob: float) -> None:
        """What is done, and how often."""
        self.inner, self.prob = transform, prob

    def _fits(self, a, called=None):
        self.inner._fits(a, called or type(self).__name__)

    def transform(self, a):
        return self.inner.transform(a) if rowrng.current().random() < self.prob else a


class RandomAdjustSharpness(_Perhaps):
    """`AdjustSharpness` with some probability.

    Args:
        degree (float): the factor.
        prob (float): the probability, in [0, 1]. Default: 0.5.

    Raises:
        TypeError: an argument is no number.
        ValueError: an argument is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomAdjustSharpness(1.0, 1.0)(np.full((3, 3), 7, np.uint8))[0].tolist()
        [7, 7, 7]
    """

    @checked(degree=checks.AMOUNT, prob=checks.PROBABILITY)
    def __init__(self, degree: float, prob: float = 0.5):
        self._maybe(enhance.AdjustSharpness(degree), prob)


class RandomAutoContrast(_Perhaps):
    """`AutoContrast` with some probability.

    Args:
        cutoff (float): per cent of the darkest and of the brightest pixels that are left out, in
            [0, 50). Default: 0.0.
        ignore (int, list[int], tuple[int], None): bytes that are left out. Default: None.
        prob (float): the probability, in [0, 1]. Default: 0.5.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomAutoContrast(prob=1.0)(np.array([[10, 20, 30]], np.uint8)).tolist()
        [[0, 127, 255]]
    """

    @checked(
        cutoff=checks.within(0, 50, int, float, ends="[)"),
        ignore=optional(checks.ignored),
        prob=checks.PROBABILITY,
    )
    def __init__(self, cutoff: float = 0.0, ignore=None, prob: float = 0.5):
        self._maybe(enhance.AutoContrast(cutoff, ignore), prob)


class RandomEqualize(_Perhaps):
    """`Equalize` with some probability.

    Args:
        prob (float): the probability, in [0, 1]. Default: 0.5.

    Raises:
        TypeError: ``prob`` is no number.
        ValueError: it is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomEqualize(1.0)(np.array([[10, 20], [20, 30]], np.uint8)).tolist()
        [[0, 170], [170, 255]]
    """

    @checked(prob=checks.PROBABILITY)
    def __init__(self, prob: float = 0.5):
        self._maybe(enhance.Equalize(), prob)


class RandomInvert(_Perhaps):
    """`Invert` with some probability.

    Args:
        prob (float): the probability, in [0, 1]. Default: 0.5.

    Raises:
        TypeError: ``prob`` is no number.
        ValueError: it is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomInvert(1.0)(np.array([[[5, 250, 0]]], np.uint8)).tolist()
        [[[250, 5, 255]]]
    """

    @checked(prob=checks.PROBABILITY)
    def __init__(self, prob: float = 0.5):
        self._maybe(enhance.Invert(), prob)


def _drawn(low: float, high: float) -> float:
    return float(rowrng.current().uniform(low, high))


class RandomColor(ImageTransform):
    """`AdjustSaturation` by a random factor.

    Args:
        degrees (tuple[float, float], list[float]): the least and the greatest factor. Default:
            ``(0.1, 1.9)``.

    Raises:
        TypeError: ``degrees`` is no list of numbers.
        ValueError: there are not two, they are negative, or not in order.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomColor((0, 0))(np.array([[[100, 0, 0]]], np.uint8)).tolist()
        [[[30, 30, 30]]]
    """

    made, ranks, channels = enhance.AdjustSaturation, (3,), (3,)

    @checked(degrees=checks.factor_range)
    def __init__(self, degrees=(0.1, 1.9)):
        self.degrees = (0.1, 1.9) if degrees is None else degrees

    def _one(self, value):
        if isinstance(value, np.ndarray):
            self._fits(value)
        return self._drawn()._one(value)

    def _drawn(self) -> ImageTransform:
        """The transform of one row."""
        return self.made(_drawn(*self.degrees))


class _PillowSharpness(enhance.AdjustSharpness):
    """Keeps Pillow images."""

    def _of_pillow(self, image):
        return pillow().ImageEnhance.Sharpness(image).enhance(self.factor)


class RandomSharpness(RandomColor):
    """`AdjustSharpness` by a random factor.

    Args:
        degrees (tuple[float, float], list[float]): the least and the greatest factor. Default:
            ``(0.1, 1.9)``.

    Raises:
        TypeError: ``degrees`` is no list of numbers.
        ValueError: there are not two, they are negative, or not in order.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomSharpness((1, 1))(np.full((3, 3), 7, np.uint8))[0].tolist()
        [7, 7, 7]
    """

    made, ranks, channels = _PillowSharpness, (2, 3), ()


def _adjustment(bound: tuple, is_hue: bool = False):
    def rule(name: str, value) -> None:
        checks.of(numbers.Number, list, tuple)(name, value)
        if isinstance(value, numbers.Number):
            if value < 0:
                said = f"The input value of {name} cannot be negative."
                raise complain(ValueError, said)
            checks.in_range(*bound, "", value if is_hue else 1 + value)
            return
        if len(value) != 2:
            raise complain(TypeError, f"If {name} is a sequence, the length must be 2.")
        if value[0] > value[1]:
            said = f"{name} value should be in (min,max) format. Got ({value[0]}, {value[1]})."
            raise complain(ValueError, said)
        for v in value:
            checks.in_range(*bound, "", v)

    return rule


class RandomColorAdjust(ImageTransform):
    """Brightness, contrast, saturation and hue, by random factors in a random order.

    Args:
        brightness (float, tuple[float, float], list[float]): the least and the greatest factor; one
            number is how far from 1 it may be. Default: ``(1, 1)``.
        contrast (float, tuple[float, float], list[float]): the same. Default: ``(1, 1)``.
        saturation (float, tuple[float, float], list[float]): the same. Default: ``(1, 1)``.
        hue (float, tuple[float, float], list[float]): parts of the circle, in [-0.5, 0.5]; one number is
            how far from 0. Default: ``(0, 0)``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomColorAdjust((2, 2))(np.array([[[10, 20, 200]]], np.uint8)).tolist()
        [[[20, 40, 255]]]
    """

    ranks, channels = (3,), (3,)

    @checked(
        brightness=_adjustment((0, checks.FLOAT_MAX)),
        contrast=_adjustment((0, checks.FLOAT_MAX)),
        saturation=_adjustment((0, checks.FLOAT_MAX)),
        hue=_adjustment((-0.5, 0.5), True),
    )
    def __init__(self, brightness=(1, 1), contrast=(1, 1), saturation=(1, 1), hue=(0, 0)):
        kinds = (
            (enhance.AdjustBrightness, brightness, 1),
            (enhance.AdjustContrast, contrast, 1),
            (enhance.AdjustSaturation, saturation, 1),
            (enhance.AdjustHue, hue, 0),
        )
        self.steps = []
        for kind, value, center in kinds:
            if isinstance(value, numbers.Number):
                low = center - value
                value = (max(0, low) if center else low, center + value)
            self.steps.append((kind, value, center))

    def _changed(self, value, change, all_of_them: bool = False):
        """The steps in a random order, of arrays those that change something."""
        drawn = [(kind, _drawn(*bounds), none) for kind, bounds, none in self.steps]
        for i in rowrng.current().permutation(len(drawn)):
            kind, factor, nothing = drawn[i]
            if all_of_them or factor != nothing:
                value = change(kind(factor), value)
        return value

    def transform(self, a):
        return self._changed(a, lambda step, x: step._one(x))

    def _of_pillow(self, image):
        return self._changed(image, lambda step, x: step._of_pillow(x), True)


_EIGEN = np.array([55.46, 4.794, 1.148])
_VECTORS = np.array(
    [[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]]
)


class RandomLighting(ImageTransform):
    """Noise along the principal components of ImageNet's colours.

    Source: A. Krizhevsky and others, ImageNet classification with deep convolutional neural networks,
    2012.

    Args:
        alpha (float): the noise's standard deviation, not negative. Default: 0.05.

    Raises:
        TypeError: ``alpha`` is no number.
        ValueError: it is negative.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomLighting(0.0)(np.array([[[1, 2, 3]]], np.uint8)).tolist()
        [[[1, 2, 3]]]
    """

    ranks, channels = (3,), (3,)

    @checked(alpha=checks.AMOUNT)
    def __init__(self, alpha: float = 0.05):
        self.alpha = alpha

    def transform(self, a):
        noise = _VECTORS @ (_EIGEN * rowrng.current().normal(0.0, self.alpha, 3))
        if a.dtype.kind == "f":
            return (a + noise).astype(a.dtype)
        limits = np.iinfo(a.dtype)
        return np.clip(a + noise, limits.min, min(limits.max, 255)).astype(a.dtype)

    def _of_pillow(self, image):
        return pillow().Image.fromarray(self.transform(np.asarray(image.convert("RGB"))))


def _bits(name: str, value) -> None:
    if value is None:
        return
    checks.of(list, tuple, int)(name, value)
    if isinstance(value, int):
        checks.in_range(1, 8, "", value)
        return
    if len(value) != 2:
        raise complain(
            TypeError,
            "Size of bits should be a single integer or a list/tuple (min, max) of length 2.",
        )
    for v in value:
        checks.BYTE(name, v)
    if not 1 <= value[0] <= value[1] <= 8:
        raise complain(ValueError, "Input is not within the required interval of [1, 8].")


class RandomPosterize(ImageTransform):
    """`Posterize` to a random number of bits.

    Args:
        bits (int, tuple[int, int], list[int]): the least and the greatest number; an int is the only
            one. Default: ``(8, 8)``.

    Raises:
        TypeError: ``bits`` has a wrong type.
        ValueError: it is out of [1, 8], or not in order.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomPosterize(1)(np.array([[127, 128]], np.uint8)).tolist()
        [[0, 128]]
    """

    @checked(bits=_bits)
    def __init__(self, bits=(8, 8)):
        self.bits = (8, 8) if bits is None else (bits, bits) if isinstance(bits, int) else bits

    def _one(self, value):
        low, high = self.bits
        return enhance.Posterize(int(rowrng.current().integers(low, high + 1)))._one(value)


def _solar(name: str, value) -> None:
    checks.of(tuple)(name, value)
    for i, v in enumerate(value):
        checks.of(int)(f"{name}[{i}]", v)
    if len(value) != 2:
        raise complain(ValueError, "threshold must be a sequence of two numbers.")
    for v in value:
        checks.in_range(0, 255, "", v)
    if value[1] < value[0]:
        raise complain(ValueError, "threshold must be in min max format numbers.")


class RandomSolarize(ImageTransform):
    """`Solarize` of a random range within ``threshold``.

    Args:
        threshold (tuple[int, int]): the least and the greatest number of the range. Default: ``(0, 255)``.

    Raises:
        TypeError: ``threshold`` is no tuple of ints.
        ValueError: it is out of [0, 255], or not in order.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomSolarize((9, 9))(np.array([[8, 9]], np.uint8)).tolist()
        [[8, 246]]
    """

    @checked(threshold=_solar)
    def __init__(self, threshold=(0, 255)):
        self.threshold = threshold

    def _one(self, value):
        low, high = self.threshold
        ends = sorted(int(n) for n in rowrng.current().integers(low, high + 1, 2))
        return enhance.Solarize(tuple(ends))._one(value)


class RandomGrayscale(PillowTransform):
    """A Pillow image in shades of grey with some probability, with as many channels as before.

    Args:
        prob (float): the probability, in [0, 1]. Default: 0.1.

    Raises:
        TypeError: ``prob`` is no number, or the image is not of Pillow.
        ValueError: it is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomGrayscale(1.0)(vision.ToPIL()(np.zeros((1, 2, 3), np.uint8))).mode
        'RGB'
    """

    @checked(prob=checks.PROBABILITY)
    def __init__(self, prob: float = 0.1):
        self.prob = prob

    def _of_pillow(self, image):
        if rowrng.current().random() >= self.prob:
            return image
        grey = image.convert("L")
        return grey if image.mode == "L" else pillow().Image.merge("RGB", (grey,) * 3)

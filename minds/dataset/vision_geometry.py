"""Transforms of images that move pixels: sizes, mirrors, margins and cuts."""

from __future__ import annotations

import numpy as np

from ..base.errors import complain
from . import resample, rowrng
from .images import MODES, Border, ImageTransform, Inter, is_pillow, size_of
from .transforms import check_probability


class Resize(ImageTransform):
    """An image in another size.

    Args:
        size (int, tuple[int, int]): (height, width); an int is the shorter side and keeps the
            proportions.
        interpolation (Inter): how pixels are found. Default: ``Inter.LINEAR``. ANTIALIAS and
            PILCUBIC need Pillow images.

    Raises:
        TypeError: ``size`` or ``interpolation`` has a wrong type.
        ValueError: ``size`` is not positive.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.Resize((2, 2))([[0.0, 4.0, 8.0, 12.0]] * 4).tolist()
        [[2.0, 10.0], [2.0, 10.0]]
    """

    def __init__(self, size, interpolation: Inter = Inter.LINEAR):
        self.size = (size, None) if isinstance(size, int) and size > 0 else size_of("size", size)
        if not isinstance(interpolation, Inter):
            raise complain(
                TypeError, f"interpolation must be an Inter, got {type(interpolation).__name__}"
            )
        self.interpolation = interpolation

    def _target(self, height: int, width: int) -> tuple[int, int]:
        short, other = self.size
        if other is not None:
            return short, other
        return (
            (short, int(short * width / height))
            if height <= width
            else (int(short * height / width), short)
        )

    def _one(self, value):
        if is_pillow(value):
            height, width = self._target(value.height, value.width)
            kind = {Inter.ANTIALIAS: 1, Inter.PILCUBIC: 3, Inter.AREA: 4}.get(
                self.interpolation, self.interpolation
            )
            return value.resize((width, height), int(kind))
        return super()._one(value)

    def transform(self, a):
        if self.interpolation not in MODES:
            raise complain(
                TypeError,
                f"Resize: {self.interpolation.name} works on Pillow images only",
                cure="use ToPIL first",
            )
        return resample.resize(a, *self._target(*a.shape[:2]), MODES[self.interpolation])


class HorizontalFlip(ImageTransform):
    """Left and right exchanged.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.HorizontalFlip()([[1, 2], [3, 4]]).tolist()
        [[2, 1], [4, 3]]
    """

    def transform(self, a):
        return np.ascontiguousarray(a[:, ::-1])


class VerticalFlip(ImageTransform):
    """Top and bottom exchanged.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.VerticalFlip()([[1, 2], [3, 4]]).tolist()
        [[3, 4], [1, 2]]
    """

    def transform(self, a):
        return np.ascontiguousarray(a[::-1])


class RandomHorizontalFlip(HorizontalFlip):
    """Left and right exchanged with some probability.

    Args:
        prob (float): the probability, in [0, 1]. Default: 0.5.

    Raises:
        TypeError: ``prob`` is no number.
        ValueError: it is out of range.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.RandomHorizontalFlip(1.0)([[1, 2], [3, 4]]).tolist()
        [[2, 1], [4, 3]]
    """

    def __init__(self, prob: float = 0.5):
        self.prob = check_probability(prob)

    def transform(self, a):
        return super().transform(a) if rowrng.current().random() < self.prob else a


class RandomVerticalFlip(VerticalFlip):
    """Top and bottom exchanged with some probability.

    Args:
        prob (float): the probability, in [0, 1]. Default: 0.5.

    Raises:
        TypeError: ``prob`` is no number.
        ValueError: it is out of range.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.RandomVerticalFlip(1.0)([[1, 2], [3, 4]]).tolist()
        [[3, 4], [1, 2]]
    """

    def __init__(self, prob: float = 0.5):
        self.prob = check_probability(prob)

    def transform(self, a):
        return super().transform(a) if rowrng.current().random() < self.prob else a


class Pad(ImageTransform):
    """Pixels added at the edges.

    Args:
        padding (int, tuple): for all edges; or (left and right, top and bottom); or (left, top,
            right, bottom).
        fill_value (int, tuple): the constant, one or one per channel. Default: 0.
        padding_mode (Border): what is added. Default: ``Border.CONSTANT``.

    Raises:
        ValueError: ``padding`` is not 1, 2 or 4 ints of at least 0, or the mode is unknown.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.Pad((1, 0))([[5]]).tolist()
        [[0, 5, 0]]
    """

    def __init__(self, padding, fill_value=0, padding_mode: Border = Border.CONSTANT):
        values = (padding,) if isinstance(padding, int) else tuple(padding)
        if len(values) not in (1, 2, 4) or any(
            isinstance(v, bool) or not isinstance(v, int) or v < 0 for v in values
        ):
            raise complain(
                ValueError, f"padding must be 1, 2 or 4 non-negative ints, got {padding!r}"
            )
        self.left, self.top, self.right, self.bottom = values * (4 // len(values))
        self.fill, self.mode = fill_value, Border(padding_mode)

    def transform(self, a):
        around = [(self.top, self.bottom), (self.left, self.right)] + [(0, 0)] * (a.ndim - 2)
        if self.mode is not Border.CONSTANT:
            return np.pad(a, around, self.mode.value)
        height, width = a.shape[:2]
        out = np.empty(
            (height + self.top + self.bottom, width + self.left + self.right, *a.shape[2:]), a.dtype
        )
        out[...] = self.fill
        out[self.top : self.top + height, self.left : self.left + width] = a
        return out


class Crop(ImageTransform):
    """A part of an image.

    Args:
        coordinates (tuple[int, int]): row and column of its top left corner.
        size (int, tuple[int, int]): (height, width).

    Raises:
        TypeError: ``size`` is no int or pair of ints.
        ValueError: it is not positive; or the part is not inside the image (raised when it is cut
            out).

    Examples:
        >>> from minds.dataset import vision
        >>> vision.Crop((0, 1), (2, 1))([[1, 2], [3, 4]]).tolist()
        [[2], [4]]
    """

    def __init__(self, coordinates, size):
        if (
            not isinstance(coordinates, (list, tuple))
            or [type(v) for v in coordinates] != [int] * 2
        ):
            raise complain(TypeError, f"coordinates must be a pair of ints, got {coordinates!r}")
        self.corner, self.size = tuple(coordinates), size_of("size", size)

    def transform(self, a):
        (top, left), (height, width) = self.corner, self.size
        if min(top, left) < 0 or top + height > a.shape[0] or left + width > a.shape[1]:
            raise complain(
                ValueError,
                f"{type(self).__name__}: {height}×{width} at {self.corner} is not inside an image "
                "of "
                f"{a.shape[0]}×{a.shape[1]}",
            )
        return np.ascontiguousarray(a[top : top + height, left : left + width])


class CenterCrop(ImageTransform):
    """The middle part of an image; zeros where the image is smaller.

    Args:
        size (int, tuple[int, int]): (height, width).

    Raises:
        TypeError: ``size`` is no int or pair of ints.
        ValueError: it is not positive.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.CenterCrop(1)([[1, 2, 3], [4, 5, 6], [7, 8, 9]]).tolist()
        [[5]]
    """

    def __init__(self, size):
        self.size = size_of("size", size)

    def transform(self, a):
        height, width = self.size
        extra = [max(0, n - m) for n, m in zip(self.size, a.shape)]
        if any(extra):
            (down, across) = extra
            a = Pad((across // 2, down // 2, across - across // 2, down - down // 2)).transform(a)
        return Crop(((a.shape[0] - height) // 2, (a.shape[1] - width) // 2), self.size).transform(a)


class RandomCrop(ImageTransform):
    """A part of size ``size`` at a random place.

    Args:
        size (int, tuple[int, int]): (height, width).
        padding (int, tuple, optional): added first, as in `Pad`.
        pad_if_needed (bool): whether an image that is too small is padded. Default: False.
        fill_value (int, tuple): as in `Pad`. Default: 0.
        padding_mode (Border): as in `Pad`. Default: ``Border.CONSTANT``.

    Raises:
        TypeError: ``size`` is no int or pair of ints.
        ValueError: ``size`` is not positive, or the image is smaller (raised when it is cut).

    Examples:
        >>> from minds.dataset import vision
        >>> vision.RandomCrop(2)([[1, 2, 3]] * 3).shape
        (2, 2)
    """

    def __init__(
        self,
        size,
        padding=None,
        pad_if_needed: bool = False,
        fill_value=0,
        padding_mode: Border = Border.CONSTANT,
    ):
        self.size, self.pad_if_needed, self.fill, self.mode = (
            size_of("size", size),
            pad_if_needed,
            fill_value,
            padding_mode,
        )
        self.pad = None if padding is None else Pad(padding, fill_value, padding_mode)

    def transform(self, a):
        a = a if self.pad is None else self.pad.transform(a)
        if self.pad_if_needed:
            down, across = (max(0, n - m) for n, m in zip(self.size, a.shape))
            a = Pad((across, down), self.fill, self.mode).transform(a) if down or across else a
        (height, width), rng = self.size, rowrng.current()
        if height > a.shape[0] or width > a.shape[1]:
            raise complain(
                ValueError,
                f"RandomCrop: {height}×{width} does not fit an image of {a.shape[0]}×{a.shape[1]}",
            )
        top, left = (
            int(rng.integers(a.shape[0] - height + 1)),
            int(rng.integers(a.shape[1] - width + 1)),
        )
        return np.ascontiguousarray(a[top : top + height, left : left + width])

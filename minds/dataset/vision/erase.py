"""Transforms that blur an image or overwrite parts of it."""

from __future__ import annotations

import math
import numbers

import numpy as np

from ...base.worded import complain
from .. import rowrng
from . import checks
from .checks import checked, optional
from .images import ImageTransform, like


def _odd(name: str, value) -> None:
    if value % 2 != 1:
        raise complain(ValueError, f"Input {name} is not an odd value.")


def _kernel_size(name: str, value) -> None:
    checks.of(int, list, tuple)(name, value)
    if isinstance(value, int):
        checks.in_range(1, checks.FLOAT_MAX, name, value)
        _odd(name, value)
        return
    if len(value) != 2:
        raise complain(
            TypeError,
            "Kernel size should be a single integer or a list/tuple (kernel_width, kernel_height) "
            "of length 2.",
        )
    for i, v in enumerate(value):
        checks.of(int)(f"{name}[{i}]", v)
        checks.in_range(1, checks.FLOAT_MAX, name, v)
        _odd(f"{name}[{i}]", v)


def _sigma(name: str, value) -> None:
    checks.of(numbers.Number, list, tuple)(name, value)
    values = (value,) if isinstance(value, numbers.Number) else value
    if not isinstance(value, numbers.Number) and len(value) != 2:
        said = "Sigma should be a single number or a list/tuple of length 2 for width and height."
        raise complain(TypeError, said)
    for i, v in enumerate(values):
        checks.of(numbers.Number)(f"size[{i}]", v)
        checks.in_range(0, checks.FLOAT_MAX, name, v)


def gaussian(size: int, sigma: float) -> np.ndarray:
    """The weights of a Gaussian."""
    weights = np.exp(-0.5 * ((np.arange(size) - (size - 1) / 2) / sigma) ** 2)
    return (weights / weights.sum()).astype(np.float32)


class GaussianBlur(ImageTransform):
    """An image blurred by a Gaussian.

    Args:
        kernel_size (int, tuple[int, int], list[int]): (width, height) of the Gaussian, odd.
        sigma (float, tuple[float, float], list[float], None): standard deviations across and down.
            Default: None, they follow from the size.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or a size is even.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.GaussianBlur((3, 1))(np.array([[0, 0, 100, 0, 0]], np.uint8)).tolist()
        [[0, 24, 52, 24, 0]]
    """

    @checked(kernel_size=_kernel_size, sigma=optional(_sigma))
    def __init__(self, kernel_size, sigma=None):
        width, height = (kernel_size,) * 2 if isinstance(kernel_size, int) else kernel_size
        sigmas = (sigma or 0,) * 2 if not isinstance(sigma, (list, tuple)) else sigma
        across = sigmas[0] or 0.3 * ((width - 1) * 0.5 - 1) + 0.8
        down = sigmas[1] or across
        self.weights = gaussian(width, across), gaussian(height, down)

    def transform(self, a):
        made = a.astype(np.float32 if a.itemsize <= 4 else np.float64)
        for axis, weights in ((1, self.weights[0]), (0, self.weights[1])):
            made = _filtered(made, weights, axis)
        return like(a, made)


def _filtered(a: np.ndarray, weights: np.ndarray, axis: int) -> np.ndarray:
    """An image weighted along an axis; beyond its edge it is mirrored without the edge."""
    reach, n = len(weights) // 2, a.shape[axis]
    if not reach:
        return a
    around = [(0, 0)] * a.ndim
    around[axis] = (reach, reach)
    wide = np.pad(a, around, "reflect" if n > 1 else "edge")
    cut = [slice(None)] * a.ndim
    out = np.zeros_like(a)
    for i, w in enumerate(weights):
        cut[axis] = slice(i, i + n)
        out += w * wide[tuple(cut)]
    return out


def _erase_value(name: str, value) -> None:
    checks.of(float, int, tuple)(name, value)
    values = (value,) * 3 if isinstance(value, (float, int)) else value
    for i, v in enumerate(values):
        checks.of(float, int)(f"{name}[{i}]", v)
    if len(values) != 3:
        raise complain(TypeError, "value should be a single integer/float or a 3-tuple.")
    for i, v in enumerate(values):
        checks.in_range(0, 255, f"{name}[{i}]", v)


class Erase(ImageTransform):
    """A rectangle of an image overwritten.

    Args:
        top (int): row of its top left corner.
        left (int): column of its top left corner.
        height (int): of the rectangle.
        width (int): of the rectangle.
        value (float, tuple): what is written, one number or one per channel. Default: 0.0.
        inplace (bool): whether the image itself is changed. Default: False.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the corner is not inside the image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.Erase(0, 1, 1, 1, 9)(np.ones((1, 2, 3), np.uint8)).tolist()
        [[[1, 1, 1], [9, 9, 9]]]
    """

    ranks, channels = (3,), (3,)

    @checked(
        top=checks.NOT_NEGATIVE,
        left=checks.NOT_NEGATIVE,
        height=checks.COUNT,
        width=checks.COUNT,
        inplace=checks.FLAG,
        value=_erase_value,
    )
    def __init__(self, top, left, height, width, value=0.0, inplace: bool = False):
        self.part = slice(top, top + height), slice(left, left + width)
        self.value, self.inplace = value, inplace

    def transform(self, a):
        rows, columns = self.part
        if rows.start > a.shape[0] or columns.start > a.shape[1]:
            raise complain(
                RuntimeError,
                f"Erase: the top left corner ({rows.start}, {columns.start}) is not inside an image "
                f"of {a.shape[0]} by {a.shape[1]} pixels",
            )
        height, width = rows.stop - rows.start, columns.stop - columns.start
        if height > a.shape[0] or width > a.shape[1]:
            raise complain(
                RuntimeError,
                f"Erase: box size is too large for image erase: height {height} and width {width} in an "
                f"image of {a.shape[0]} by {a.shape[1]} pixels",
            )
        a = a if self.inplace and a.flags.writeable else a.copy()
        a[rows, columns] = np.asarray(self.value).astype(a.dtype)
        return a


class CutOut(ImageTransform):
    """Squares at random places of an image overwritten by 0.

    Args:
        length (int): a side of a square.
        num_patches (int): how many. Default: 1.
        is_hwc (bool): whether the channels are last. Default: True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is not positive.
        RuntimeError: the square is larger than the image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> int((vision.CutOut(2)(np.ones((4, 4, 1), np.uint8)) == 0).sum())
        4
    """

    ranks = (3,)

    @checked(
        length=checks.within(1, checks.FLOAT_MAX, int, named=False),
        num_patches=checks.within(1, checks.FLOAT_MAX, int, named=False),
        is_hwc=checks.FLAG,
    )
    def __init__(self, length: int, num_patches: int = 1, is_hwc: bool = True):
        self.length, self.count, self.is_hwc = length, num_patches, is_hwc

    def transform(self, a):
        made = a.copy()
        view = made if self.is_hwc else made.transpose(1, 2, 0)
        (height, width), n = view.shape[:2], self.length
        if n > height or n > width:
            raise complain(
                RuntimeError,
                f"CutOut: box size is too large for image erase, got box height: {n}"
                f"box weight: {n}, and image height: {height}, image width: {width}",
            )
        rng = rowrng.current()
        for _ in range(self.count):
            y, x = int(rng.integers(height - n + 1)), int(rng.integers(width - n + 1))
            view[y : y + n, x : x + n] = 0
        return made


def _erasing_value(name: str, value) -> None:
    checks.of(int, list, tuple, str)(name, value)
    three = isinstance(value, (tuple, list)) and len(value) == 3
    if not (isinstance(value, numbers.Number) or value == "random" or three):
        raise complain(
            ValueError,
            "The value for erasing should be either a single value, or a string 'random', "
            "or a sequence of 3 elements for RGB respectively.",
        )
    if isinstance(value, int):
        checks.in_range(0, 255, "", value)
    elif three:
        for v in value:
            checks.BYTE(name, v)


def _range_of(low_end: str):
    def rule(name: str, value) -> None:
        checks.items(
            checks.of(float, int), 2, said=f"{name} should be a list or tuple of length 2."
        )(name, value)
        checks.ordered(name, value)
        for v in value:
            checks.in_range(0, checks.FLOAT_MAX, "", v, low_end + "]")

    return rule


class RandomErasing(ImageTransform):
    """A random rectangle of an array (C, H, W) overwritten, with some probability.

    Args:
        prob (float): the probability, in [0, 1]. Default: 0.5.
        scale (tuple[float, float], list[float]): the least and the greatest part of the area. Default:
            ``(0.02, 0.33)``.
        ratio (tuple[float, float], list[float]): the least and the greatest width by height. Default:
            ``(0.3, 3.3)``.
        value (int, str, tuple[int], list[int]): what is written, one number, one per channel, or "random" for
            normal noise. Default: 0.
        inplace (bool): whether the array itself is changed. Default: False.
        max_attempts (int): how often a rectangle is drawn until one fits. Default: 10.

    Raises:
        TypeError: an argument has a wrong type, or the image is no array.
        ValueError: an argument is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> bool((vision.RandomErasing(1.0)(np.ones((3, 9, 9))) == 0).any())
        True
    """

    in_python = True

    @checked(
        prob=checks.of(float, int),
        scale=_range_of("["),
        ratio=_range_of("("),
        value=_erasing_value,
        inplace=checks.FLAG,
        max_attempts=checks.within(1, checks.FLOAT_MAX, int, named=False),
    )
    def __init__(
        self,
        prob: float = 0.5,
        scale=(0.02, 0.33),
        ratio=(0.3, 3.3),
        value=0,
        inplace: bool = False,
        max_attempts: int = 10,
    ):
        checks.in_range(0.0, 1.0, "prob", prob)
        checks.above_zero("scale[1]", scale[1])
        self.prob, self.scale, self.ratio = prob, scale, ratio
        self.value, self.inplace, self.attempts = value, inplace, max_attempts

    def _one(self, value):
        if rowrng.current().random() >= self.prob:
            return value
        if not isinstance(value, np.ndarray):
            raise complain(TypeError, f"img should be NumPy array. Got {type(value)}.")
        if value.ndim != 3:
            said = f"RandomErasing: an array of shape {value.shape}"
            raise complain(ValueError, said, expected="an image (C, H, W)")
        return self.transform(value)

    def transform(self, a):
        rng = rowrng.current()
        channels, height, width = a.shape
        for _ in range(self.attempts):
            area, aspect = rng.uniform(*self.scale) * height * width, rng.uniform(*self.ratio)
            w = round(math.sqrt(area * aspect))
            h = round(w / aspect)
            if h < height and w < width:
                break
        else:
            return a
        y, x = int(rng.integers(height - h + 1)), int(rng.integers(width - w + 1))
        value = self.value
        if isinstance(value, str):
            value = rng.normal(size=(channels, h, w))
        elif not isinstance(value, numbers.Number):
            value = np.array(value)[:, None, None]
        a = a if self.inplace and a.flags.writeable else a.copy()
        a[:, y : y + h, x : x + w] = value
        return a

"""Transforms that change the size of an image, or of a part of it."""

from __future__ import annotations

import math

import numpy as np

from ...base.worded import complain
from .. import rowrng
from . import checks
from .checks import checked, optional
from .codec import Encoded
from .images import WANTS_PILLOW, ImageTransform, Planned, pair
from .job import Job
from .utils import Inter

_KINDS = {
    Inter.NEAREST: "nearest",
    Inter.LINEAR: "linear",
    Inter.CUBIC: "cubic",
    Inter.AREA: "area",
    Inter.PILCUBIC: "pillow_cubic",
}
_RATIO = (3.0 / 4.0, 4.0 / 3.0)


def kind_of(inter: Inter) -> str:
    """The interpolation's name in `Job`."""
    if inter not in _KINDS:
        raise complain(TypeError, WANTS_PILLOW.format(np.ndarray))
    return _KINDS[inter]


def pillow_kind(inter: Inter) -> int:
    """The interpolation's number in Pillow."""
    if inter in (Inter.AREA, Inter.PILCUBIC):
        raise complain(TypeError, "Current Interpolation is not supported with PIL input.")
    return int(inter)


def target(size, height: int, width: int) -> tuple[int, int]:
    """Height and width of a resized image; one int is its shorter side."""
    if not isinstance(size, int):
        return tuple(size)
    if height < width:
        return size, max(1, int(size * (width / height)))
    return max(1, int(size / (width / height))), size


def draw_part(height: int, width: int, scale, ratio, attempts: int) -> tuple[int, int, int, int]:
    """Top, left, height and width of a random part of an image. Its area and the logarithm of its
    ratio of sides are uniform; after ``attempts`` that did not fit it is the largest in the centre.
    """
    rng = rowrng.current()
    least, low = scale[0], math.log(ratio[0])
    more, longer = scale[1] - least, math.log(ratio[1]) - low
    for _ in range(attempts):
        area = (least + more * rng.random()) * height * width
        aspect = math.exp(low + longer * rng.random())
        w = round(math.sqrt(area * aspect))
        h = round(w / aspect)
        if 0 < w <= width and 0 < h <= height:
            top, left = rng.integers(height - h + 1), rng.integers(width - w + 1)
            return int(top), int(left), h, w
    w, h = width, height
    if width / height < ratio[0]:
        h = max(1, round(width / ratio[0]))
    elif width / height > ratio[1]:
        w = max(1, round(height * ratio[1]))
    return round((height - h) / 2), round((width - w) / 2), h, w


class Resize(Planned):
    """An image in another size.

    Args:
        size (int, tuple[int, int]): (height, width); an int is the shorter side and keeps the
            proportions.
        interpolation (Inter): how pixels are found. Default: ``Inter.LINEAR``. ANTIALIAS is for Pillow
            images, AREA and PILCUBIC for arrays.

    Raises:
        TypeError: ``size`` or ``interpolation`` has a wrong type.
        ValueError: ``size`` is not positive.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.Resize((2, 2))(np.array([[0.0, 4.0, 8.0, 12.0]] * 4)).tolist()
        [[2.0, 10.0], [2.0, 10.0]]
    """

    @checked(size=checks.resize_size, interpolation=checks.INTERPOLATION)
    def __init__(self, size, interpolation: Inter = Inter.LINEAR):
        self.size, self.interpolation = size, interpolation

    def _plan(self, job):
        job.resize(*target(self.size, job.height, job.width), kind_of(self.interpolation))

    def _of_pillow(self, image):
        kind = pillow_kind(self.interpolation)
        height, width = target(self.size, image.height, image.width)
        return image.resize((width, height), kind)


class ResizedCrop(Planned):
    """A part of an image in another size.

    Args:
        top (int): row of its top left corner.
        left (int): column of its top left corner.
        height (int): of the part.
        width (int): of the part.
        size (int, tuple[int, int]): (height, width) of the result.
        interpolation (Inter): how pixels are found. Default: ``Inter.BILINEAR``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the part is not inside the image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.ResizedCrop(0, 1, 2, 2, 4)(np.zeros((3, 3, 3), np.uint8)).shape
        (4, 4, 3)
    """

    ranks = (2, 3)

    @checked(
        top=checks.NOT_NEGATIVE,
        left=checks.NOT_NEGATIVE,
        height=checks.COUNT,
        width=checks.COUNT,
        interpolation=checks.INTERPOLATION,
        size=checks.size,
    )
    def __init__(self, top, left, height, width, size, interpolation: Inter = Inter.BILINEAR):
        self.part, self.size = (top, left, height, width), pair(size)
        if interpolation is Inter.ANTIALIAS:
            raise complain(
                RuntimeError,
                "Unsupported interpolation, only support NEAREST, LINEAR, CUBIC, AREA and PILCUBIC.",
            )
        self.interpolation = interpolation

    def _plan(self, job):
        top, left, height, width = self.part
        if top + height > job.height:
            said = f"the sum of top and height: {top + height} exceeds image height: {job.height}"
            raise complain(RuntimeError, f"ResizedCrop: {said}")
        if left + width > job.width:
            said = f"the sum of left and width: {left + width} exceeds image width: {job.width}"
            raise complain(RuntimeError, f"ResizedCrop: {said}")
        job.crop(*self.part)
        job.resize(*self.size, kind_of(self.interpolation))


class RandomResizedCrop(Planned):
    """A random part of an image in another size.

    Args:
        size (int, tuple[int, int]): (height, width) of the result.
        scale (tuple[float, float]): the least and the greatest part of the area. Default:
            ``(0.08, 1.0)``.
        ratio (tuple[float, float]): the least and the greatest width by height of the part. Default:
            ``(3/4, 4/3)``.
        interpolation (Inter): how pixels are found. Default: ``Inter.BILINEAR``.
        max_attempts (int): how often a part is drawn until one fits. Default: 10.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomResizedCrop(4)(np.zeros((8, 9, 3), np.uint8)).shape
        (4, 4, 3)
    """

    @checked(
        interpolation=optional(checks.INTERPOLATION),
        size=checks.size,
        scale=optional(checks.area_scale),
        ratio=optional(checks.aspect_ratio),
        max_attempts=optional(checks.COUNT),
    )
    def __init__(
        self,
        size,
        scale=(0.08, 1.0),
        ratio=_RATIO,
        interpolation: Inter = Inter.BILINEAR,
        max_attempts: int = 10,
    ):
        self.size, self.interpolation = pair(size), interpolation or Inter.BILINEAR
        self.how = scale or (0.08, 1.0), ratio or _RATIO, max_attempts or 10

    def _draw(self, height, width):
        return draw_part(height, width, *self.how)

    def _plan(self, job, *part):
        job.crop(*part)
        job.resize(*self.size, kind_of(self.interpolation))

    def _of_pillow(self, image):
        kind = pillow_kind(self.interpolation)
        top, left, height, width = self._draw(image.height, image.width)
        part = image.crop((left, top, left + width, top + height))
        return part.resize(self.size[::-1], kind)


def as_file(image, name: str) -> Encoded:
    """An argument of a transform as an encoded image."""
    if not isinstance(image, np.ndarray):
        raise complain(
            TypeError,
            f"Input should be an encoded image in 1-D NumPy format, got {type(image)}.",
        )
    if image.ndim != 1 or image.dtype != np.uint8:
        raise complain(
            TypeError,
            "Input should be an encoded image with uint8 type in 1-D NumPy format, "
            f"got format:{type(image)}, dtype:{image.dtype.type}.",
        )
    return Encoded(image, name)


class RandomCropDecodeResize(RandomResizedCrop):
    """`Decode` and `RandomResizedCrop` in one: only the part is decoded.

    Args:
        size (int, tuple[int, int]): (height, width) of the result.
        scale (tuple[float, float]): the least and the greatest part of the area. Default:
            ``(0.08, 1.0)``.
        ratio (tuple[float, float]): the least and the greatest width by height of the part. Default:
            ``(3/4, 4/3)``.
        interpolation (Inter): how pixels are found. Default: ``Inter.BILINEAR``.
        max_attempts (int): how often a part is drawn until one fits. Default: 10.

    Raises:
        TypeError: an argument has a wrong type, or the input is no 1-D array of bytes.
        ValueError: an argument is out of range.
        RuntimeError: the bytes are no image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> data = vision.encode_jpeg(np.zeros((20, 30, 3), np.uint8))
        >>> vision.RandomCropDecodeResize(8)(data).shape
        (8, 8, 3)
    """

    def _one(self, value):
        job = self._job(value)
        self._plan_row(job)
        return job.finish()

    def _job(self, value) -> Job:
        """What is to be done to an encoded image."""
        return Job(as_file(value, "RandomCropDecodeResize"))


class RandomResize(ImageTransform):
    """An image in another size by an interpolation drawn for each: nearest, linear, cubic or area.

    Args:
        size (int, tuple[int, int]): (height, width); an int is the shorter side and keeps the
            proportions.

    Raises:
        TypeError: ``size`` has a wrong type.
        ValueError: it is not positive.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomResize(4)(np.zeros((8, 10, 3), np.uint8)).shape
        (4, 5, 3)
    """

    @checked(size=checks.resize_size)
    def __init__(self, size):
        self.size = size

    def transform(self, a):
        return Resize(self.size, drawn_kind()).transform(a)


def drawn_kind() -> Inter:
    """One of the interpolations that arrays of any number of channels take."""
    kinds = (Inter.NEAREST, Inter.LINEAR, Inter.CUBIC, Inter.AREA)
    return kinds[int(rowrng.current().integers(len(kinds)))]

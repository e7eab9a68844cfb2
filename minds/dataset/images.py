"""What transforms of images share: arrays and Pillow images, sizes, margins."""

from __future__ import annotations

from enum import Enum, IntEnum

import numpy as np

from ..base.errors import BackendError, complain
from .transforms import RowTransform


class Inter(IntEnum):
    """Interpolation.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.Inter.NEAREST.name
        'NEAREST'
    """

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5


class Border(str, Enum):
    """What lies beyond the edge of an image: a constant, its edge, its mirror without or with the
    edge.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.Border.EDGE.value
        'edge'
    """

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


MODES = {
    Inter.NEAREST: "nearest",
    Inter.BILINEAR: "linear",
    Inter.BICUBIC: "cubic",
    Inter.AREA: "area",
}


def pillow():
    try:
        from PIL import Image
    except ImportError as e:
        raise BackendError("this transform needs Pillow: pip install pillow") from e
    return Image


def is_pillow(x) -> bool:
    return type(x).__module__.startswith("PIL.")


def size_of(name: str, size, one_for_both: bool = True) -> tuple:
    """``size`` as (height, width); an int stands for both."""
    values = (size, size) if isinstance(size, int) and one_for_both else size
    if not isinstance(values, (list, tuple)) or any(
        isinstance(v, bool) or not isinstance(v, int) for v in values
    ):
        raise complain(TypeError, f"{name} must be an int or a pair of ints, got {size!r}")
    if len(values) != 2 or min(values) < 1:
        raise complain(ValueError, f"{name} must be one or two positive ints, got {size!r}")
    return tuple(values)


def pixels(name: str, value) -> np.ndarray:
    """What a transform works on, as an array of numbers."""
    a = np.asarray(value)
    if a.dtype.kind not in "biufc":
        raise complain(TypeError, f"{name}: an array of {a.dtype}", expected="numbers")
    return a


def channels(name: str, values) -> np.ndarray:
    if (
        not isinstance(values, (list, tuple))
        or not values
        or not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
    ):
        raise complain(TypeError, f"{name} must be a non-empty list of numbers, got {values!r}")
    return np.array(values, np.float32)


class ImageTransform(RowTransform):
    """A transform of an image; refuses what has not two or three dimensions."""

    def __call__(self, *values):
        made = tuple([self._one(v) for v in values])
        return made[0] if len(made) == 1 else made

    def _one(self, value):
        if is_pillow(value):
            return pillow().fromarray(self.transform(np.asarray(value)))
        a = pixels(type(self).__name__, value)
        if a.ndim not in (2, 3):
            raise complain(
                ValueError,
                f"{type(self).__name__}: an array of shape {a.shape}",
                expected="an image (H, W) or (H, W, C)",
            )
        return self.transform(a)

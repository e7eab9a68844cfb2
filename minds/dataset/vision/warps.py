"""Transforms that turn, move, shear and tilt images."""

from __future__ import annotations

import math
import numbers

import numpy as np

from ... import _core
from ...base.worded import complain
from .. import rowrng
from . import checks, resample
from .checks import checked, optional
from .images import (
    WANTS_PILLOW,
    ImageTransform,
    PillowTransform,
    border,
    fill_for,
    is_pillow,
    pillow,
    triple,
)
from .sizes import pillow_kind
from .utils import Inter

_KINDS = {
    Inter.NEAREST: "nearest",
    Inter.LINEAR: "linear",
    Inter.CUBIC: "cubic",
    Inter.AREA: "linear",
}


def _kind(inter: Inter, name: str) -> int:
    if inter not in _KINDS:
        raise complain(
            RuntimeError,
            f"{name}: Invalid InterpolationMode, only support Linear, Nearest, Cubic and Area.",
        )
    return resample.KINDS[_KINDS[inter]]


def warp(a: np.ndarray, back, inter: Inter, fill, size=None, name: str = "Affine") -> np.ndarray:
    """An image seen through a map: ``back`` (2, 3) or (3, 3) takes places of the result to those of
    ``a``; ``size`` is the result's (height, width).
    """
    back = np.asarray(back, np.float64)
    projective = len(back) == 3
    numbers_ = (*back.ravel().tolist(), *(() if projective else (0.0, 0.0, 1.0)))
    form = a if a.dtype in (np.uint8, np.float32) else a.astype(np.float32)
    outside = border(fill, 1 if a.ndim == 2 else a.shape[2])
    to = np.empty((*(size or a.shape[:2]), *a.shape[2:]), form.dtype)
    _core.warp_image(
        np.ascontiguousarray(form), numbers_, projective, _kind(inter, name), outside, to
    )
    return to if form is a else (np.rint(to) if a.dtype.kind in "iu" else to).astype(a.dtype)


def inverse(matrix) -> np.ndarray:
    """The map (2, 3) that undoes another."""
    whole = np.vstack([np.asarray(matrix, np.float64), [0.0, 0.0, 1.0]])
    return np.linalg.inv(whole)[:2]


def affine_matrix(center, angle: float, shift, scale: float, shear) -> np.ndarray:
    """The map (2, 3) from an image to its turned, scaled, sheared and shifted form; angles in
    degrees.
    """
    turn, sx, sy = math.radians(angle), math.radians(shear[0]), math.radians(shear[1])
    matrix = np.array(
        [
            [math.cos(turn - sy) / math.cos(sy), 0.0],
            [math.sin(turn - sy) / math.cos(sy), 0.0],
        ]
    )
    across = -math.cos(turn - sy) * math.tan(sx) / math.cos(sy) - math.sin(turn)
    down = -math.sin(turn - sy) * math.tan(sx) / math.cos(sy) + math.cos(turn)
    matrix[:, 1] = across, down
    matrix *= scale
    offset = np.array(center) + shift - matrix @ np.array(center)
    return np.column_stack([matrix, offset])


def rotation(height: int, width: int, degrees: float, expand: bool, center) -> tuple:
    """The map (2, 3) from an image to its form turned against the clock, and the form's size."""
    turn = math.radians(degrees)
    cos, sin = math.cos(turn), math.sin(turn)
    x, y = center if center else ((width - 1) / 2, (height - 1) / 2)
    matrix = np.array([[cos, sin, (1 - cos) * x - sin * y], [-sin, cos, sin * x + (1 - cos) * y]])
    if not expand:
        return matrix, (height, width)
    new_width = height * abs(sin) + width * abs(cos)
    new_height = height * abs(cos) + width * abs(sin)
    matrix[0, 2] += (new_width - width) / 2
    matrix[1, 2] += (new_height - height) / 2
    return matrix, (round(new_height), round(new_width))


def rotate(a, degrees: float, inter: Inter, expand: bool, center, fill) -> np.ndarray:
    """An array turned against the clock."""
    if a.ndim == 4:
        return np.stack([rotate(f, degrees, inter, expand, center, fill) for f in a])
    matrix, size = rotation(*a.shape[:2], degrees, expand, center)
    # MindSpore's order: blue, green, red.
    return warp(a, inverse(matrix), inter, triple(fill)[::-1], size, "Rotate")


def _shears(name: str, value) -> None:
    checks.of(numbers.Number, tuple, list)(name, value)
    if not isinstance(value, (list, tuple)):
        checks.in_range(-180, 180, name, value)
        return
    if len(value) != 2:
        raise complain(TypeError, "The length of shear should be 2.")
    for i, v in enumerate(value):
        checks.within(-180, 180, int, float)(f"{name}[{i}]", v)


def _resampling(inter: Inter) -> None:
    if inter is Inter.ANTIALIAS:
        raise complain(
            RuntimeError,
            "Unsupported interpolation, only support NEAREST, LINEAR, CUBIC, AREA and PILCUBIC.",
        )


class Affine(ImageTransform):
    """An image turned, shifted, scaled and sheared about its centre.

    Args:
        degrees (float): the angle, with the clock, in [-180, 180].
        translate (tuple[float, float], list[float]): parts of the width and the height, in [-1, 1].
        scale (float): the factor, positive.
        shear (float, tuple[float, float], list[float]): angles along x and y, in [-180, 180]; one is along x.
        resample (Inter): how pixels are found. Default: ``Inter.NEAREST``.
        fill_value (int, tuple): what lies outside. Default: 0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: ``resample`` is ANTIALIAS or PILCUBIC.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.Affine(0, (0.5, 0), 1.0, 0)(np.array([[1, 2], [3, 4]], np.uint8)).tolist()
        [[0, 1], [0, 3]]
    """

    @checked(
        degrees=checks.within(-180, 180, int, float),
        translate=checks.items(
            checks.within(-1.0, 1.0, int, float), 2, said="The length of translate should be 2."
        ),
        scale=checks.positive(int, float),
        shear=_shears,
        resample=checks.INTERPOLATION,
        fill_value=checks.fill,
    )
    def __init__(self, degrees, translate, scale, shear, resample=Inter.NEAREST, fill_value=0):
        _resampling(resample)
        shear = (shear, 0.0) if isinstance(shear, numbers.Number) else shear
        self.how = degrees, translate, scale, shear
        self.inter, self.fill = resample, fill_value

    def transform(self, a):
        degrees, translate, scale, shear = self.how
        height, width = a.shape[:2]
        shift = np.array([translate[0] * width, translate[1] * height])
        center = ((width - 1) / 2, (height - 1) / 2)
        matrix = affine_matrix(center, degrees, shift, scale, shear)
        return warp(a, inverse(matrix), self.inter, self.fill)


class Rotate(ImageTransform):
    """An image turned against the clock.

    Args:
        degrees (float): the angle.
        resample (Inter): how pixels are found. Default: ``Inter.NEAREST``.
        expand (bool): whether the result is as large as the turned image needs. Default: False.
        center (tuple[float, float], None): x and y that stay. Default: None, the middle.
        fill_value (int, tuple): what lies outside. Default: 0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: ``resample`` is ANTIALIAS or PILCUBIC.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.Rotate(90)(np.array([[1, 2], [3, 4]], np.uint8)).tolist()
        [[2, 4], [1, 3]]
    """

    ranks = (2, 3, 4)

    @checked(
        degrees=checks.NUMBER,
        resample=checks.INTERPOLATION,
        expand=checks.FLAG,
        center=optional(checks.center),
        fill_value=checks.fill,
    )
    def __init__(self, degrees, resample=Inter.NEAREST, expand=False, center=None, fill_value=0):
        _resampling(resample)
        self.how = degrees % 360, resample, expand, center, fill_value

    def transform(self, a):
        return rotate(a, *self.how)


class RandomRotation(ImageTransform):
    """An image turned by a random angle.

    Args:
        degrees (float, tuple[float, float], list[float]): the least and the greatest angle; one number is
            for both directions.
        resample (Inter): how pixels are found. Default: ``Inter.NEAREST``.
        expand (bool): whether the result is as large as the turned image needs. Default: False.
        center (tuple[float, float], None): x and y that stay. Default: None, the middle.
        fill_value (int, tuple): what lies outside. Default: 0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomRotation((90, 90))(np.array([[1, 2], [3, 4]], np.uint8)).tolist()
        [[2, 4], [1, 3]]
    """

    @checked(
        degrees=checks.degrees_range,
        resample=checks.INTERPOLATION,
        expand=checks.FLAG,
        center=optional(checks.center),
        fill_value=checks.fill,
    )
    def __init__(self, degrees, resample=Inter.NEAREST, expand=False, center=None, fill_value=0):
        if isinstance(degrees, (int, float)):
            self.degrees = -(degrees % 360), degrees % 360
        elif degrees[1] - degrees[0] >= 360:
            self.degrees = -180, 180
        else:
            low, high = degrees[0] % 360, degrees[1] % 360
            self.degrees = low, high + 360 if low > high else high
        self.inter, self.expand, self.center, self.fill = resample, expand, center, fill_value

    def _angle(self) -> float:
        return float(rowrng.current().uniform(*self.degrees))

    def transform(self, a):
        return rotate(a, self._angle(), self.inter, self.expand, self.center, self.fill)

    def _of_pillow(self, image):
        kind = pillow_kind(self.inter)
        fill = fill_for(image, self.fill)
        return image.rotate(self._angle() % 360.0, kind, self.expand, self.center, fillcolor=fill)


def _translate(name: str, value) -> None:
    said = "translate should be a list or tuple of length 2 or 4."
    checks.items(checks.of(int, float), (2, 4), said=said)(name, value)
    for i, v in enumerate(value):
        checks.in_range(-1.0, 1.0, f"translate at {i}", v)


def _scale(name: str, value) -> None:
    said = "scale should be a list or tuple of length 2."
    checks.of(tuple, list)(name, value)
    checks.items(checks.of(int, float), 2, said=said)(name, value)
    if value[0] > value[1]:
        said = "Input scale[1] must be equal to or greater than scale[0]."
        raise complain(ValueError, said)
    checks.in_range(0, checks.FLOAT_MAX, "", value[0])
    checks.in_range(0, checks.FLOAT_MAX, "", value[1])
    checks.above_zero("scale[1]", value[1])


def _random_shears(name: str, value) -> None:
    checks.of(numbers.Number, tuple, list)(name, value)
    if isinstance(value, numbers.Number):
        checks.above_zero(name, value)
        return
    checks.items(checks.of(int, float), (2, 4), said="shear must be of length 2 or 4.")(name, value)
    if any(value[i] > value[i + 1] for i in range(0, len(value), 2)):
        said = "Input shear[1] must be equal to or greater than shear[0]"
        more = " and shear[3] must be equal to or greater than shear[2]."
        raise complain(ValueError, said + (more if len(value) == 4 else ""))


class RandomAffine(ImageTransform):
    """An image turned, shifted, scaled and sheared at random.

    Args:
        degrees (float, tuple[float, float], list[float]): the least and the greatest angle; one number is
            for both directions.
        translate (tuple, list, None): the least and the greatest part of the width, then of the height;
            of two numbers, the greatest parts in both directions. Default: None, none.
        scale (tuple[float, float], list[float], None): the least and the greatest factor. Default: None, 1.
        shear (float, tuple, list, None): the least and the greatest angle along x, then along y; one
            number is for both directions along x. Default: None, none.
        resample (Inter): how pixels are found. Default: ``Inter.NEAREST``.
        fill_value (int, tuple): what lies outside. Default: 0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomAffine((0, 0))(np.array([[1, 2], [3, 4]], np.uint8)).tolist()
        [[1, 2], [3, 4]]
    """

    @checked(
        degrees=checks.degrees_range,
        translate=optional(_translate),
        scale=optional(_scale),
        shear=optional(_random_shears),
        resample=checks.INTERPOLATION,
        fill_value=optional(checks.fill),
    )
    def __init__(
        self, degrees, translate=None, scale=None, shear=None, resample=Inter.NEAREST, fill_value=0
    ):
        self.degrees = (-degrees, degrees) if isinstance(degrees, numbers.Number) else degrees
        t = translate or (0.0, 0.0)
        self.translate = t if len(t) == 4 else (-t[0], t[0], -t[1], t[1])
        self.pillow_translate = t[:2]
        self.scale = scale or (1.0, 1.0)
        s = (-shear, shear) if isinstance(shear, numbers.Number) else shear or (0.0, 0.0)
        self.shear = (*s, 0.0, 0.0)[:4]
        self.inter, self.fill = resample, 0 if fill_value is None else fill_value

    def _drawn(self) -> tuple:
        draw = rowrng.current().uniform
        t, s = self.translate, self.shear
        angle, shift = draw(*self.degrees), (draw(t[0], t[1]), draw(t[2], t[3]))
        return angle, shift, draw(*self.scale), (draw(s[0], s[1]), draw(s[2], s[3]))

    def transform(self, a):
        angle, shift, scale, shear = self._drawn()
        height, width = a.shape[:2]
        shift = np.array([shift[0] * width, shift[1] * height])
        center = ((width - 1) / 2, (height - 1) / 2)
        matrix = affine_matrix(center, angle, shift, scale, shear)
        return warp(a, inverse(matrix), self.inter, self.fill)

    def _of_pillow(self, image):
        kind = pillow_kind(self.inter)
        angle, shift, scale, shear = self._drawn()
        (x, y), (width, height) = shift, image.size
        turn, sx, sy = (math.radians(v) for v in (angle, *shear))
        center = np.array([width * 0.5 + 0.5, height * 0.5 + 0.5])
        spread = math.cos(turn + sx) * math.cos(turn + sy) + math.sin(turn + sx) * math.sin(
            turn + sy
        )
        matrix = np.array(
            [
                [math.cos(turn + sx), math.sin(turn + sx)],
                [-math.sin(turn + sy), math.cos(turn + sy)],
            ]
        ) / (scale * spread)
        offset = center - matrix @ (center + np.round([x * width, y * height]))
        rows = np.column_stack([matrix, offset]).ravel().tolist()
        how = pillow().Image.Transform.AFFINE
        return image.transform(image.size, how, rows, kind, fillcolor=fill_for(image, self.fill))


def perspective_map(start, end) -> np.ndarray:
    """The map (3, 3) that takes four points to four others."""
    rows = []
    for (x, y), (u, v) in zip(start, end):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    wanted = np.array(end, np.float64).ravel()
    found = np.linalg.lstsq(np.array(rows, np.float64), wanted, rcond=None)[0]
    return np.append(found, 1.0).reshape(3, 3)


def tilt_pillow(image, start, end, kind: int):
    """A Pillow image whose points ``start`` come to ``end``."""
    back = perspective_map(end, start).ravel()[:8].tolist()
    return image.transform(image.size, pillow().Image.Transform.PERSPECTIVE, back, kind)


def _points(name: str, value) -> None:
    checks.of(list, tuple)(name, value)
    for i, p in enumerate(value):
        checks.of(list, tuple)(f"{name}[{i}]", p)
    if len(value) != 4:
        raise complain(TypeError, f"{name} should be a list or tuple of length 4.")
    for i, p in enumerate(value):
        if len(p) != 2:
            raise complain(TypeError, f"{name}[{i}] should be a list or tuple of length 2.")
        for j, v in enumerate(p):
            checks.within(-(2**31), 2**31 - 1, int)(f"{name}[{i}][{j}]", v)


class Perspective(ImageTransform):
    """An image tilted so that four points come to four others.

    Args:
        start_points (list, tuple): four pairs of ints, x and y, from the top left corner with the clock.
        end_points (list, tuple): where they come to.
        interpolation (Inter): how pixels are found. Default: ``Inter.BILINEAR``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> square = [[0, 0], [1, 0], [1, 1], [0, 1]]
        >>> vision.Perspective(square, square)(np.array([[1, 2], [3, 4]], np.uint8)).tolist()
        [[1, 2], [3, 4]]
    """

    @checked(start_points=_points, end_points=_points, interpolation=checks.INTERPOLATION)
    def __init__(self, start_points, end_points, interpolation: Inter = Inter.BILINEAR):
        self.start, self.end, self.inter = start_points, end_points, interpolation

    def transform(self, a):
        if self.inter is Inter.ANTIALIAS:
            raise complain(TypeError, WANTS_PILLOW.format(type(a)))
        back = np.linalg.pinv(perspective_map(self.start, self.end))
        return warp(a, back, self.inter, 0, None, "Perspective")

    def _of_pillow(self, image):
        return tilt_pillow(image, self.start, self.end, pillow_kind(self.inter))


class RandomPerspective(PillowTransform):
    """A Pillow image tilted at random with some probability.

    Args:
        distortion_scale (float): how far a corner may move, as a part of half the side, in [0, 1].
            Default: 0.5.
        prob (float): the probability, in [0, 1]. Default: 0.5.
        interpolation (Inter): how pixels are found. Default: ``Inter.BICUBIC``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range, or the image is not of Pillow.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RandomPerspective()(vision.ToPIL()(np.zeros((4, 5), np.uint8))).size
        (5, 4)
    """

    @checked(
        distortion_scale=checks.of(float),
        prob=checks.within(0.0, 1.0, float),
        interpolation=checks.INTERPOLATION,
    )
    def __init__(
        self,
        distortion_scale: float = 0.5,
        prob: float = 0.5,
        interpolation: Inter = Inter.BICUBIC,
    ):
        checks.in_range(0.0, 1.0, "distortion_scale", distortion_scale)
        self.distortion, self.prob, self.inter = distortion_scale, prob, interpolation

    def _one(self, value):
        if not is_pillow(value):
            raise complain(ValueError, "Input image should be a Pillow image.")
        return super()._one(value)

    def _of_pillow(self, image):
        rng = rowrng.current()
        if rng.random() >= self.prob:
            return image
        width, height = image.size
        across, down = int(width / 2 * self.distortion), int(height / 2 * self.distortion)
        far_x, far_y = width - 1, height - 1
        start = [(0, 0), (far_x, 0), (far_x, far_y), (0, far_y)]
        moves = zip(rng.integers(across + 1, size=4), rng.integers(down + 1, size=4))
        end = [(int(abs(x - dx)), int(abs(y - dy))) for (x, y), (dx, dy) in zip(start, moves)]
        return tilt_pillow(image, start, end, pillow_kind(self.inter))

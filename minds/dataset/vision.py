"""Image transforms on NumPy arrays (H, W) or (H, W, C), and on Pillow images where Pillow is
installed.

A transform that is given a Pillow image gives one back, unless it is there to make an array of it.
"""

from __future__ import annotations

import io
import numbers
from enum import Enum, IntEnum

import numpy as np

from ..base import dtype as dt
from ..base.boundary import guard as _guard
from ..base.errors import BackendError, complain
from . import resample, rowrng
from .transforms import RowTransform, check_probability


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


_KIND = {
    Inter.NEAREST: "nearest",
    Inter.BILINEAR: "linear",
    Inter.BICUBIC: "cubic",
    Inter.AREA: "area",
}


def _pillow():
    try:
        from PIL import Image
    except ImportError as e:
        raise BackendError("this transform needs Pillow: pip install pillow") from e
    return Image


def _is_pillow(x) -> bool:
    return type(x).__module__.startswith("PIL.")


def _size(name: str, size, one_for_both: bool = True) -> tuple:
    """``size`` as (height, width); an int stands for both."""
    values = (size, size) if isinstance(size, int) and one_for_both else size
    if not isinstance(values, (list, tuple)) or any(
        isinstance(v, bool) or not isinstance(v, int) for v in values
    ):
        raise complain(TypeError, f"{name} must be an int or a pair of ints, got {size!r}")
    if len(values) != 2 or min(values) < 1:
        raise complain(ValueError, f"{name} must be one or two positive ints, got {size!r}")
    return tuple(values)


def _pixels(name: str, value) -> np.ndarray:
    """What a transform works on, as an array of numbers."""
    a = np.asarray(value)
    if a.dtype.kind not in "biufc":
        raise complain(TypeError, f"{name}: an array of {a.dtype}", expected="numbers")
    return a


def _numbers(name: str, values) -> np.ndarray:
    if (
        not isinstance(values, (list, tuple))
        or not values
        or not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
    ):
        raise complain(TypeError, f"{name} must be a non-empty list of numbers, got {values!r}")
    return np.array(values, np.float32)


class _Image(RowTransform):
    """A transform of an image; refuses what has not two or three dimensions."""

    def __call__(self, *values):
        made = tuple([self._one(v) for v in values])
        return made[0] if len(made) == 1 else made

    def _one(self, value):
        if _is_pillow(value):
            return _pillow().fromarray(self.transform(np.asarray(value)))
        a = _pixels(type(self).__name__, value)
        if a.ndim not in (2, 3):
            raise complain(
                ValueError,
                f"{type(self).__name__}: an array of shape {a.shape}",
                expected="an image (H, W) or (H, W, C)",
            )
        return self.transform(a)


class Rescale(RowTransform):
    r"""Pixels times ``rescale`` plus ``shift``, as float32.

    Args:
        rescale (float): the factor.
        shift (float): the summand.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.Rescale(1 / 255, 0.0)([[255]]).tolist()
        [[1.0]]
    """

    def __init__(self, rescale: float, shift: float):
        for name, v in (("rescale", rescale), ("shift", shift)):
            if not isinstance(v, numbers.Real):
                raise complain(TypeError, f"Rescale: {name} is {v!r}", expected="a number")
        self.rescale, self.shift = np.float32(rescale), np.float32(shift)

    def accept(self, value):
        return _pixels("Rescale", value)

    def transform(self, a):
        return a.astype(np.float32) * self.rescale + self.shift


class Resize(_Image):
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
        self.size = (size, None) if isinstance(size, int) and size > 0 else _size("size", size)
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
        if _is_pillow(value):
            height, width = self._target(value.height, value.width)
            kind = {Inter.ANTIALIAS: 1, Inter.PILCUBIC: 3, Inter.AREA: 4}.get(
                self.interpolation, self.interpolation
            )
            return value.resize((width, height), int(kind))
        return super()._one(value)

    def transform(self, a):
        if self.interpolation not in _KIND:
            raise complain(
                TypeError,
                f"Resize: {self.interpolation.name} works on Pillow images only",
                cure="use ToPIL first",
            )
        return resample.resize(a, *self._target(*a.shape[:2]), _KIND[self.interpolation])


class HWC2CHW(_Image):
    """The channels first: (H, W, C) → (C, H, W). An image (H, W) stays as it is.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.HWC2CHW()(np.zeros((4, 5, 3))).shape
        (3, 4, 5)
    """

    def transform(self, a):
        return np.ascontiguousarray(a.transpose(2, 0, 1)) if a.ndim == 3 else a


class Normalize(_Image):
    r"""Per channel: :math:`(x - \text{mean}) / \text{std}`, as float32.

    Args:
        mean (list[float]): one per channel, or one for all.
        std (list[float]): the same; not zero.
        is_hwc (bool): whether the channels are last. Default: True.

    Raises:
        TypeError: ``mean`` or ``std`` is no list of numbers.
        ValueError: lengths differ from each other or from the channels, or a std is not positive.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.Normalize([1.0], [2.0])([[1.0, 5.0]]).tolist()
        [[0.0, 2.0]]
    """

    def __init__(self, mean, std, is_hwc: bool = True):
        self.mean, self.std, self.is_hwc = _numbers("mean", mean), _numbers("std", std), is_hwc
        if len(self.mean) != len(self.std):
            raise complain(
                ValueError, f"Normalize: {len(self.mean)} means and {len(self.std)} stds"
            )
        if (self.std <= 0).any():
            raise complain(ValueError, f"Normalize: std must be positive, got {list(std)}")

    def transform(self, a):
        channels = 1 if a.ndim == 2 else a.shape[-1 if self.is_hwc else 0]
        if len(self.mean) not in (1, channels):
            raise complain(
                ValueError, f"Normalize: {len(self.mean)} means for an image of shape {a.shape}"
            )
        shape = (-1,) if self.is_hwc or a.ndim == 2 else (-1, 1, 1)
        return (a.astype(np.float32) - self.mean.reshape(shape)) / self.std.reshape(shape)


class ToTensor(RowTransform):
    """An image as (C, H, W), divided by 255.

    Args:
        output_type (dtype): the result's. Default: float32.

    Raises:
        TypeError: ``output_type`` is no dtype.
        ValueError: the value is no image (H, W) or (H, W, C).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.ToTensor()(np.full((1, 2, 3), 255)).tolist()
        [[[1.0, 1.0]], [[1.0, 1.0]], [[1.0, 1.0]]]
    """

    def __init__(self, output_type=np.float32):
        self.dtype = dt.of(output_type)

    def transform(self, a):
        if a.ndim not in (2, 3):
            raise complain(
                ValueError,
                f"ToTensor: an array of shape {a.shape}",
                expected="an image (H, W) or (H, W, C)",
            )
        a = a[..., np.newaxis] if a.ndim == 2 else a
        return (np.ascontiguousarray(a.transpose(2, 0, 1)) / np.float32(255)).astype(self.dtype.np)


class ToType(RowTransform):
    """Values in another dtype.

    Args:
        data_type (dtype): a dtype of minds or of NumPy.

    Raises:
        TypeError: ``data_type`` is no dtype.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.ToType(np.int32)([[2.7]]).tolist()
        [[2]]
    """

    def __init__(self, data_type):
        self.dtype = dt.of(data_type)

    def transform(self, a):
        return a.astype(self.dtype.np)


class ToNumpy(RowTransform):
    """A Pillow image as an array.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.ToNumpy()(vision.ToPIL()(np.zeros((2, 3), np.uint8))).shape
        (2, 3)
    """

    def transform(self, a):
        return np.array(a)


class ToPIL:
    """An array as a Pillow image.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.ToPIL()(np.zeros((2, 3), np.uint8)).size
        (3, 2)
    """

    def __call__(self, image):
        if _is_pillow(image):
            return image
        a = np.asarray(image)
        if a.ndim not in (2, 3):
            what = f"ToPIL: an array of rank {a.ndim} is no image"
            raise complain(ValueError, what, expected="(H, W) or (H, W, C)")
        return _pillow().fromarray(a[..., 0] if a.ndim == 3 and a.shape[-1] == 1 else a)


class Decode:
    """An encoded image (the bytes of a JPEG, PNG, … file) as RGB, decoded by Pillow.

    Args:
        to_pil (bool): whether the result is a Pillow image instead of an array. Default: False.

    Raises:
        RuntimeError: the bytes are no image, or Pillow is missing.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> import io
        >>> data = io.BytesIO()
        >>> vision.ToPIL()(np.zeros((2, 3), np.uint8)).save(data, "png")
        >>> vision.Decode()(data.getvalue()).shape
        (2, 3, 3)
    """

    def __init__(self, to_pil: bool = False):
        self.to_pil = to_pil

    def __call__(self, data):
        data = data if isinstance(data, bytes) else np.ascontiguousarray(data).tobytes()
        try:
            image = _pillow().open(io.BytesIO(data)).convert("RGB")
        except OSError as e:
            raise complain(RuntimeError, f"Decode: {e}") from e
        return image if self.to_pil else np.array(image)


class HorizontalFlip(_Image):
    """Left and right exchanged.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.HorizontalFlip()([[1, 2], [3, 4]]).tolist()
        [[2, 1], [4, 3]]
    """

    def transform(self, a):
        return np.ascontiguousarray(a[:, ::-1])


class VerticalFlip(_Image):
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


class Pad(_Image):
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


class Crop(_Image):
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
        self.corner, self.size = tuple(coordinates), _size("size", size)

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


class CenterCrop(_Image):
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
        self.size = _size("size", size)

    def transform(self, a):
        height, width = self.size
        extra = [max(0, n - m) for n, m in zip(self.size, a.shape)]
        if any(extra):
            (down, across) = extra
            a = Pad((across // 2, down // 2, across - across // 2, down - down // 2)).transform(a)
        return Crop(((a.shape[0] - height) // 2, (a.shape[1] - width) // 2), self.size).transform(a)


class RandomCrop(_Image):
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
            _size("size", size),
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


class Grayscale(_Image):
    """Luma 0.299 R + 0.587 G + 0.114 B, on one or three channels.

    Args:
        num_output_channels (int): 1 or 3. Default: 1.

    Raises:
        ValueError: ``num_output_channels`` is neither 1 nor 3.

    Examples:
        >>> from minds.dataset import vision
        >>> vision.Grayscale()([[[10.0, 10.0, 10.0]]]).tolist()
        [[10.0]]
    """

    def __init__(self, num_output_channels: int = 1):
        if np.ndim(num_output_channels) or num_output_channels not in (1, 3):
            raise complain(
                ValueError, f"num_output_channels must be 1 or 3, got {num_output_channels}"
            )
        self.channels = num_output_channels

    def transform(self, a):
        luma = (
            a
            if a.ndim == 2
            else np.floor(a[..., :3] @ np.array([0.299, 0.587, 0.114]) + 0.5).astype(a.dtype)
        )
        return luma if self.channels == 1 else np.stack([luma] * 3, -1)


__all__ = [
    "Border",
    "CenterCrop",
    "Crop",
    "Decode",
    "Grayscale",
    "HWC2CHW",
    "HorizontalFlip",
    "Inter",
    "Normalize",
    "Pad",
    "RandomCrop",
    "RandomHorizontalFlip",
    "RandomVerticalFlip",
    "Rescale",
    "Resize",
    "ToNumpy",
    "ToPIL",
    "ToTensor",
    "ToType",
    "VerticalFlip",
]
_guard(__name__)

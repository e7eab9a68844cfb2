"""Transforms of an image's form: dtype, order of channels and colours, Pillow and arrays."""

from __future__ import annotations

import numbers

import numpy as np

from ...base import dtype as dt
from ...base.worded import complain
from ..recorded import Recorded
from ..transforms import RowTransform, TypeCast
from . import checks
from .checks import checked
from .codec import Encoded
from .images import ImageTransform, Planned, is_pillow, pillow
from .job import Job
from .utils import ConvertMode


class Decode(Planned):
    """An encoded image (the bytes of a JPEG, PNG, … file) as RGB.

    Args:
        to_pil (bool): whether the result is a Pillow image instead of an array. Default: False.

    Raises:
        TypeError: the input is no bytes and no 1-D array.
        RuntimeError: the bytes are no image; a ValueError where ``to_pil`` is set.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> data = vision.encode_png(np.zeros((2, 3, 3), np.uint8))
        >>> vision.Decode()(data).shape
        (2, 3, 3)
    """

    @checked(to_pil=checks.FLAG)
    def __init__(self, to_pil: bool = False):
        self.to_pil = self.in_python = to_pil

    def _one(self, value):
        job = self._job(value)
        if not self.to_pil:
            return job.finish()
        try:
            return pillow().Image.fromarray(job.source.decode())
        except RuntimeError as e:
            raise complain(ValueError, f"{e}\n: Failed to decode given image.") from e

    def _job(self, value) -> Job:
        """What is to be done to an encoded image: nothing so far."""
        data = np.frombuffer(value, np.uint8) if isinstance(value, bytes) else value
        if not isinstance(data, np.ndarray):
            said = f"The type of the encoded image should be {np.ndarray}, but got {type(data)}."
            raise complain(TypeError, said)
        if data.dtype.kind == "U":
            kind = data.dtype.type
            raise complain(TypeError, f"The data type of the encoded image can not be {kind}.")
        if data.ndim != 1:
            said = "The number of array dimensions of the encoded image should be 1, but got "
            raise complain(TypeError, f"{said}{data.ndim}.")
        try:
            return Job(Encoded(data.view(np.uint8)))
        except RuntimeError as e:
            if not self.to_pil:
                raise
            raise complain(ValueError, f"{e}\n: Failed to decode given image.") from e

    def _plan_row(self, job):
        pass


class Rescale(ImageTransform):
    r"""Pixels times ``rescale`` plus ``shift``, as float32.

    Args:
        rescale (float): the factor.
        shift (float): the summand.

    Raises:
        TypeError: an argument is no number.
        ValueError: it is out of range.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.Rescale(1 / 255, 0.0)(np.array([[255]])).tolist()
        [[1.0]]
    """

    @checked(rescale=checks.of(numbers.Number), shift=checks.of(numbers.Number))
    def __init__(self, rescale: float, shift: float):
        checks.NUMBER("rescale", rescale)
        checks.NUMBER("shift", shift)
        self.rescale, self.shift = np.float32(rescale), np.float32(shift)

    def _fits(self, a):
        if a.dtype.kind not in "biuf":
            raise complain(TypeError, f"Rescale: an array of {a.dtype}", expected="numbers")

    def transform(self, a):
        return a.astype(np.float32) * self.rescale + self.shift


class HWC2CHW(Planned):
    """The channels first: (H, W, C) → (C, H, W). An image (H, W) stays as it is.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.HWC2CHW()(np.zeros((4, 5, 3))).shape
        (3, 4, 5)
    """

    ranks = (2, 3)

    def _plan(self, job):
        if len(job.source.shape) == 3:
            job.planar()


class Normalize(Planned):
    r"""Per channel: :math:`(x - \text{mean}) / \text{std}`, as float32.

    Args:
        mean (list[float], tuple[float]): one per channel, or one for all, in [0, 255].
        std (list[float], tuple[float]): the same, in (0, 255].
        is_hwc (bool): whether the channels are last. Default: True.

    Raises:
        TypeError: ``mean`` or ``std`` is no list of numbers.
        ValueError: lengths differ from each other, or a number is out of range.
        RuntimeError: there are not as many numbers as channels.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.Normalize([1.0], [2.0])(np.array([[1.0, 5.0]])).tolist()
        [[0.0, 2.0]]
    """

    extra = 0

    @checked(mean=checks.of(list, tuple), std=checks.of(list, tuple))
    def __init__(self, mean, std, is_hwc: bool = True):
        if len(mean) != len(std):
            raise complain(ValueError, "Length of mean and std must be equal.")
        checks.means("mean", mean)
        checks.stds("std", std)
        checks.FLAG("is_hwc", is_hwc)
        self.mean, self.std, self.is_hwc = np.float32(mean), np.float32(std), is_hwc
        self._last = 0, ()

    def _numbers(self, channels: int) -> tuple:
        """The means and stds of so many channels."""
        last, numbers = self._last
        if last != channels:
            numbers = self._spread(channels)
            self._last = channels, numbers
        return numbers

    def _spread(self, channels: int) -> tuple:
        if len(self.mean) not in (1, channels):
            raise complain(
                RuntimeError,
                f"{type(self).__name__}: number of channels does not match the size of mean and std "
                f"vectors, got channels: {channels}, size of mean: {len(self.mean)}",
            )
        return tuple([np.broadcast_to(v, (channels,)) for v in (self.mean, self.std)])

    def _plan(self, job):
        if not self.is_hwc and len(job.source.shape) == 3:
            job.replace(self._planar)
        else:
            job.normalize(*self._numbers(job.channels))

    def _planar(self, a: np.ndarray) -> np.ndarray:
        mean, std = [v[:, None, None] for v in self._numbers(len(a))]
        return (a.astype(np.float32) - mean) / std


class NormalizePad(Normalize):
    r"""`Normalize`, and a channel of zeros more.

    Args:
        mean (list[float], tuple[float]): one per channel, or one for all, in [0, 255].
        std (list[float], tuple[float]): the same, in (0, 255].
        dtype (str): "float32" or "float16". Default: "float32".
        is_hwc (bool): whether the channels are last. Default: True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: lengths differ from each other, or an argument is out of range.
        RuntimeError: there are not as many numbers as channels.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.NormalizePad([1.0], [2.0])(np.ones((2, 2, 3))).shape
        (2, 2, 4)
    """

    ranks = (2, 3)

    def __init__(self, mean, std, dtype: str = "float32", is_hwc: bool = True):
        super().__init__(mean, std, is_hwc)
        if not isinstance(dtype, str):
            raise complain(TypeError, "dtype should be string.")
        if dtype not in ("float32", "float16"):
            raise complain(ValueError, "dtype only supports float32 or float16.")
        self.dtype = np.dtype(dtype)

    def _plan(self, job):
        super()._plan(job)
        job.replace(self._padded)

    def _padded(self, a: np.ndarray) -> np.ndarray:
        a = a[..., None] if a.ndim == 2 else a
        sides = [(0, 0), (0, 0), (0, 1)] if self.is_hwc else [(0, 1), (0, 0), (0, 0)]
        return np.pad(a.astype(self.dtype), sides)


class ToTensor(Planned):
    """An image as (C, H, W), divided by 255.

    Args:
        output_type (dtype): the result's. Default: float32.

    Raises:
        TypeError: ``output_type`` is no dtype.
        RuntimeError: the value is no image (H, W) or (H, W, C).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.ToTensor()(np.full((1, 2, 3), 255)).tolist()
        [[[1.0, 1.0]], [[1.0, 1.0]], [[1.0, 1.0]]]
    """

    ranks = (2, 3)

    def __init__(self, output_type=np.float32):
        try:
            self.dtype = dt.of(np.nan if output_type is None else output_type)
        except (TypeError, ValueError):
            kinds = [dt.DType, np.dtype]
            raise complain(
                TypeError,
                f"Argument output_type with value {output_type} is not of type {kinds}, "
                f"but got {type(output_type)}.",
            ) from None

    def _plan(self, job):
        if len(job.source.shape) == 2:
            job.replace(lambda a: a[..., None])
        if self.dtype is dt.float32:
            job.normalize(
                np.zeros(job.channels, np.float32), np.full(job.channels, 255, np.float32)
            )
            job.planar()
        else:
            job.replace(self._divided)

    def _divided(self, a: np.ndarray) -> np.ndarray:
        return (np.ascontiguousarray(a.transpose(2, 0, 1)) / np.float32(255)).astype(self.dtype.np)


class ToType(TypeCast):
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


class ToPIL(Recorded):
    """An array of bytes as a Pillow image; one channel may have other numbers too.

    Raises:
        TypeError: the value is no array, or its dtype has no form in Pillow.
        ValueError: the value is no image (H, W) or (H, W, C) of at most four channels.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.ToPIL()(np.zeros((2, 3), np.uint8)).size
        (3, 2)
    """

    in_python = True

    def __call__(self, image):
        if is_pillow(image):
            return image
        if not isinstance(image, np.ndarray):
            raise complain(
                TypeError,
                "The input image should be of type numpy.ndarray or PIL.Image.Image. "
                f"Got {type(image)}.",
            )
        if image.ndim not in (2, 3):
            said = f"The dimension of input image should be 2 or 3. Got {image.ndim}."
            raise complain(ValueError, said)
        channels = image.shape[2] if image.ndim == 3 else 1
        if channels > 4:
            said = f"The channel of input image should not exceed 4. Got {channels}."
            raise complain(ValueError, said)
        one = channels == 1
        if image.dtype.kind not in ("biuf" if one else "u") or not one and image.dtype != np.uint8:
            form = "[H, W] or [H, W, 1]" if one else "[H, W, 2], [H, W, 3] or [H, W, 4]"
            said = (
                f"The input image type {image.dtype} is not supported when image shape is {form}."
            )
            raise complain(TypeError, said)
        a = image[..., 0] if one and image.ndim == 3 else image
        return pillow().Image.fromarray(np.ascontiguousarray(a))


class Grayscale(ImageTransform):
    """An image in shades of grey: 0.299 R + 0.587 G + 0.114 B.

    Args:
        num_output_channels (int): 1 or 3. Default: 1.

    Raises:
        TypeError: ``num_output_channels`` is no int.
        ValueError: it is neither 1 nor 3.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.Grayscale()(vision.ToPIL()(np.full((1, 2, 3), 9, np.uint8))).mode
        'L'
    """

    @checked(num_output_channels=checks.of(int))
    def __init__(self, num_output_channels: int = 1):
        if num_output_channels not in (1, 3):
            raise complain(
                ValueError,
                "Number of channels of the output grayscale image"
                f"should be either 1 or 3. Got {num_output_channels}.",
            )
        self.count = num_output_channels

    channels, in_python = (1, 3, 4), True

    def transform(self, a):
        grey = luma(a) if a.ndim == 3 and a.shape[2] > 1 else a.reshape(a.shape[:2])
        return grey if self.count == 1 else np.stack([grey] * 3, -1)

    def _of_pillow(self, image):
        grey = image.convert("L")
        return grey if self.count == 1 else pillow().Image.merge("RGB", (grey,) * 3)


def luma(rgb: np.ndarray) -> np.ndarray:
    """The brightness of colours in the last axis: bytes by weights of 15 bits, as OpenCV."""
    if rgb.dtype.kind == "f":
        return rgb[..., :3] @ np.array([0.299, 0.587, 0.114], rgb.dtype)
    sums = rgb[..., :3].astype(np.int32) @ np.array([9798, 19235, 3735], np.int32)
    return ((sums + (1 << 14)) >> 15).astype(rgb.dtype)


_FROM = {0: 3, 1: 4, 2: 3, 3: 4, 4: 3, 5: 4, 6: 3, 7: 3, 8: 1, 9: 1, 10: 4, 11: 4}


def _full(a: np.ndarray):
    """The number of a pixel that is not transparent at all."""
    return 1.0 if a.dtype.kind == "f" else np.iinfo(a.dtype).max


class ConvertColor(ImageTransform):
    """An image in another order of colours.

    Args:
        convert_mode (ConvertMode): from which and to which.

    Raises:
        TypeError: ``convert_mode`` is no ConvertMode.
        RuntimeError: the image has other channels than the mode starts from.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.ConvertColor(vision.ConvertMode.COLOR_RGB2BGR)(np.array([[[1, 2, 3]]])).tolist()
        [[[3, 2, 1]]]
    """

    @checked(convert_mode=checks.of(ConvertMode))
    def __init__(self, convert_mode: ConvertMode):
        self.mode = convert_mode

    def transform(self, a):
        channels = 1 if a.ndim == 2 else a.shape[2]
        if channels not in (1, 3, 4):
            said = (
                f"ConvertColor: number of channels of image should be 1, 3, 4, but got:{channels}"
            )
            raise complain(RuntimeError, said)
        if channels not in ((1,) if _FROM[self.mode] == 1 else (3, 4)):
            raise complain(
                RuntimeError,
                f"ConvertColor: {self.mode.name} of an image of {channels} channels",
                expected=f"{_FROM[self.mode]} channels",
            )
        if _FROM[self.mode] == 3:
            a = a[..., :3]
        elif self.mode is ConvertMode.COLOR_BGRA2RGBA and channels == 3:
            a = np.concatenate([a, np.full((*a.shape[:2], 1), _full(a), a.dtype)], -1)
        mode = ConvertMode
        if self.mode in (mode.COLOR_RGB2GRAY, mode.COLOR_RGBA2GRAY):
            return luma(a)
        if self.mode in (mode.COLOR_BGR2GRAY, mode.COLOR_BGRA2GRAY):
            return luma(np.ascontiguousarray(a[..., 2::-1]))
        if self.mode in (mode.COLOR_GRAY2BGR, mode.COLOR_GRAY2BGRA):
            a = np.repeat(a.reshape(*a.shape[:2], 1), 3, 2)
        if self.mode in (2, 3, 4, 5):
            a = np.concatenate([a[..., 2::-1], a[..., 3:]], -1)
        if self.mode in (0, 2, 9):
            a = np.concatenate([a, np.full((*a.shape[:2], 1), _full(a), a.dtype)], -1)
        return np.ascontiguousarray(a[..., :3] if self.mode in (1, 3) else a)


def rgb_to_hsv(rgb: np.ndarray) -> np.ndarray:
    """Hue, saturation and value of colours in the last axis, hue in [0, 1), in their unit."""
    rgb = rgb.astype(np.float64)
    value, low = rgb.max(-1), rgb.min(-1)
    span = np.where(value == low, 1.0, value - low)
    r, g, b = np.moveaxis((value[..., None] - rgb) / span[..., None], -1, 0)
    is_red, is_green = rgb[..., 0] == value, rgb[..., 1] == value
    hue = np.where(is_red, b - g, np.where(is_green, 2.0 + r - b, 4.0 + g - r)) / 6.0 % 1.0
    saturation = (value - low) / np.where(value == 0, 1.0, value)
    return np.stack([np.where(value == low, 0.0, hue), saturation, value], -1)


def hsv_to_rgb(hsv: np.ndarray) -> np.ndarray:
    """Colours of hue in [0, 1), saturation and value in the last axis."""
    h, s, v = np.moveaxis(hsv.astype(np.float64), -1, 0)
    sector = np.trunc(h * 6.0)
    f = h * 6.0 - sector
    p, q, t = v * (1.0 - s), v * (1.0 - s * f), v * (1.0 - s * (1.0 - f))
    which = sector.astype(np.int64) % 6
    rgb = [
        np.choose(which, c) for c in ((v, q, p, p, t, v), (t, v, v, q, p, p), (p, p, t, v, v, q))
    ]
    return np.where((s == 0.0)[..., None], v[..., None], np.stack(rgb, -1))


class RgbToHsv(ImageTransform):
    """Red, green and blue as hue, saturation and value, float64; hue in [0, 1).

    Args:
        is_hwc (bool): whether the channels are last. Default: False.

    Raises:
        TypeError: ``is_hwc`` is no bool, or the value is no image, or batch, of three channels.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.RgbToHsv(True)(np.array([[[0.0, 1.0, 0.0]]])).round(3).tolist()
        [[[0.333, 1.0, 1.0]]]
    """

    _convert, in_python = staticmethod(rgb_to_hsv), True

    @checked(is_hwc=checks.FLAG)
    def __init__(self, is_hwc: bool = False):
        self.axis = -1 if is_hwc else -3

    def _one(self, value):
        if not isinstance(value, np.ndarray):
            raise complain(TypeError, f"img should be NumPy image. Got {type(value)}.")
        if value.ndim not in (3, 4):
            shapes = "(H, W, C)/(N, H, W, C)/(C, H, W)/(N, C, H, W)"
            raise complain(TypeError, f"img shape should be {shapes}. Got {value.shape}.")
        count = value.shape[self.axis]
        if count != 3:
            said = f"img should be 3 channels RGB img. Got {count} channels."
            raise complain(TypeError, said)
        made = type(self)._convert(np.moveaxis(value, self.axis, -1))
        return np.ascontiguousarray(np.moveaxis(made, -1, self.axis))


class HsvToRgb(RgbToHsv):
    """Hue, saturation and value as red, green and blue, float64; hue in [0, 1).

    Args:
        is_hwc (bool): whether the channels are last. Default: False.

    Raises:
        TypeError: ``is_hwc`` is no bool, or the value is no image, or batch, of three channels.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.HsvToRgb(True)(np.array([[[0.5, 1.0, 1.0]]])).tolist()
        [[[0.0, 1.0, 1.0]]]
    """

    _convert = staticmethod(hsv_to_rgb)


class LinearTransformation(ImageTransform):
    """A flattened image minus a vector, times a square matrix, in its shape again.

    Args:
        transformation_matrix (numpy.ndarray): (D, D), where D is the number of elements.
        mean_vector (numpy.ndarray): (D,).

    Raises:
        TypeError: an argument, or the image, is no array.
        ValueError: shapes do not fit.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.LinearTransformation(2 * np.eye(2), np.ones(2))(np.array([[3.0, 4.0]])).tolist()
        [[4.0, 6.0]]
    """

    in_python = True

    @checked(transformation_matrix=checks.of(np.ndarray), mean_vector=checks.of(np.ndarray))
    def __init__(self, transformation_matrix, mean_vector):
        shape = transformation_matrix.shape
        if len(shape) != 2 or shape[0] != shape[1]:
            said = f"transformation_matrix should be a square matrix. Got shape {shape} instead."
            raise complain(ValueError, said)
        if mean_vector.shape[:1] != shape[:1]:
            raise complain(
                ValueError,
                f"mean_vector length {len(mean_vector)} should match either one dimension of the "
                f"squaretransformation_matrix {shape}.",
            )
        self.matrix, self.mean = transformation_matrix, mean_vector

    def _one(self, value):
        if not isinstance(value, np.ndarray):
            raise complain(TypeError, f"img should be NumPy array. Got {type(value)}")
        if value.size != len(self.matrix):
            raise complain(
                ValueError,
                f"transformation_matrix shape {self.matrix.shape} not compatible with "
                f"Numpy image shape {value.shape}.",
            )
        return ((value.reshape(1, -1) - self.mean) @ self.matrix).reshape(value.shape)

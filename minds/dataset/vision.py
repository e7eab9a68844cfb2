"""Image transforms on NumPy arrays (H, W) or (H, W, C), and on Pillow images where Pillow is
installed.

A transform that is given a Pillow image gives one back, unless it is there to make an array of it.
"""

from __future__ import annotations

import io
import numbers

import numpy as np

from ..base import dtype as dt
from ..base.boundary import guard as _guard
from ..base.errors import complain
from .images import Border, ImageTransform, Inter, channels, is_pillow, pillow, pixels
from .transforms import RowTransform
from .vision_geometry import (
    CenterCrop,
    Crop,
    HorizontalFlip,
    Pad,
    RandomCrop,
    RandomHorizontalFlip,
    RandomVerticalFlip,
    Resize,
    VerticalFlip,
)


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
        return pixels("Rescale", value)

    def transform(self, a):
        return a.astype(np.float32) * self.rescale + self.shift


class HWC2CHW(ImageTransform):
    """The channels first: (H, W, C) → (C, H, W). An image (H, W) stays as it is.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import vision
        >>> vision.HWC2CHW()(np.zeros((4, 5, 3))).shape
        (3, 4, 5)
    """

    def transform(self, a):
        return np.ascontiguousarray(a.transpose(2, 0, 1)) if a.ndim == 3 else a


class Normalize(ImageTransform):
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
        self.mean, self.std, self.is_hwc = channels("mean", mean), channels("std", std), is_hwc
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
        if is_pillow(image):
            return image
        a = np.asarray(image)
        if a.ndim not in (2, 3):
            what = f"ToPIL: an array of rank {a.ndim} is no image"
            raise complain(ValueError, what, expected="(H, W) or (H, W, C)")
        return pillow().fromarray(a[..., 0] if a.ndim == 3 and a.shape[-1] == 1 else a)


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
            image = pillow().open(io.BytesIO(data)).convert("RGB")
        except OSError as e:
            raise complain(RuntimeError, f"Decode: {e}") from e
        return image if self.to_pil else np.array(image)


class Grayscale(ImageTransform):
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

"""`dataset.vision.py_transforms_util`: what image transforms do, as functions."""

from __future__ import annotations

import numpy as np

from ..base.errors import complain
from ..dataset.vision import Decode, HsvToRgb, Normalize, RgbToHsv, ToPIL
from ..dataset.vision.images import is_pillow as is_pil


def is_numpy(img) -> bool:
    """Whether an image is an array."""
    return isinstance(img, np.ndarray)


def hwc_to_chw(img: np.ndarray) -> np.ndarray:
    """An image (H, W, C) as (C, H, W); one of two dimensions as it is.

    Raises:
        TypeError: it is no array of two or three dimensions.
    """
    if not is_numpy(img) or img.ndim not in (2, 3):
        raise complain(
            TypeError,
            f"hwc_to_chw: img has type {type(img).__name__}, {np.ndim(img)} dimensions",
            expected="an array of two or three dimensions",
        )
    return img if img.ndim == 2 else img.transpose(2, 0, 1).copy()


def to_type(img: np.ndarray, output_type) -> np.ndarray:
    """An image of another dtype."""
    return np.asarray(img).astype(output_type)


def to_tensor(img, output_type) -> np.ndarray:
    """An image as an array (C, H, W) of numbers from 0 to 1.

    Raises:
        TypeError: it is no image.
    """
    if not (is_pil(img) or is_numpy(img)):
        raise complain(
            TypeError, f"to_tensor: img has type {type(img).__name__}", expected="an image"
        )
    array = np.asarray(img)
    return to_type(hwc_to_chw(array[:, :, None] if array.ndim == 2 else array) / 255.0, output_type)


def decode(img) -> object:
    """An encoded image as a Pillow image."""
    return Decode(to_pil=True)(img)


def to_pil(img) -> object:
    """An array (H, W, C) as a Pillow image."""
    return img if is_pil(img) else ToPIL()(img)


def normalize(img: np.ndarray, mean, std, pad_channel: bool = False, dtype="float32"):
    """An image (C, H, W) less means, divided by deviations.

    Raises:
        ValueError: ``pad_channel``; use `vision.NormalizePad`.
    """
    if pad_channel:
        raise complain(ValueError, "normalize: pad_channel", cure="use vision.NormalizePad")
    return Normalize(list(mean), list(std), is_hwc=False)(img).astype(dtype)


def rgb_to_hsvs(np_rgb_imgs: np.ndarray, is_hwc: bool) -> np.ndarray:
    """Red, green and blue as hue, saturation and value."""
    return RgbToHsv(is_hwc)(np_rgb_imgs)


def hsv_to_rgbs(np_hsv_imgs: np.ndarray, is_hwc: bool) -> np.ndarray:
    """Hue, saturation and value as red, green and blue."""
    return HsvToRgb(is_hwc)(np_hsv_imgs)


__all__ = [
    "decode",
    "hsv_to_rgbs",
    "hwc_to_chw",
    "is_numpy",
    "is_pil",
    "normalize",
    "rgb_to_hsvs",
    "to_pil",
    "to_tensor",
    "to_type",
]

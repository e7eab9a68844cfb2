"""How an image that does not fit is refused: in MindSpore's words, which differ by transform."""

from __future__ import annotations

import re

import numpy as np

_TWO = "input tensor should have at least 2 dimensions, but got: {rank}"
_DECODE = (
    "the image tensor should have at least two dimensions. You may need to perform Decode first."
)
_FLAT = "input tensor is not in shape of <H,W> or <H,W,C>, but got rank: {rank}{decode}"
_DEEP = "input tensor is not in shape of <H,W,C>, but got rank: {rank}"
_IMAGE = "image shape is not <H,W,C> or <H,W>, got rank: {rank}"
_COLOUR = "{what} <H,W,C> or channel is not 3, got rank: {{rank}}, and shape: {{shape}}"
_GREY = "channel of input image should be 1 or 3, but got: {channels}"
_THREE = "channel of input image should be 3, but got: {channels}"
_COUNT = "image shape is incorrect, expected num of channels is 3, but got:"
_POSTERIZE = "Posterize: input image is not in shape of <H,W,C> or <H,W>, but got rank: {rank}"
_SHARPNESS = "Sharpness: shape of input is not <H,W,C> or <H,W>, but got rank: {rank}"
_random_color = _COLOUR.format(what="image shape is not")
_lighting = _COLOUR.format(what="input tensor is not in shape of")

# Of a wrong number of dimensions; words with a name of their own show no other.
_RANKS = {
    "AdjustGamma": "input tensor is not in shape of <...,H,W,C> or <H,W>, got shape:{shape}",
    "AdjustSharpness": _SHARPNESS,
    "Affine": "input tensor is not in shape of <H,W,C> or <H,W>, but got rank: {rank}",
    "AutoAugment": _DEEP,
    "AutoContrast": "image rank should be 2 or 3, but got: {rank}",
    "CenterCrop": "Input tensor should have at least 2 dimensions, but got: {rank}",
    "ConvertColor": _FLAT,
    "Crop": _FLAT,
    "CutOut": "image shape is not <H,W,C>, but got rank: {rank}",
    "Equalize": "image rank should be 2 or 3, but got: {rank}",
    "Erase": _DEEP,
    "GaussianBlur": _FLAT,
    "HWC2CHW": "image shape should be <H,W> or <H,W,C>, but got rank: {rank}",
    "HorizontalFlip": _DECODE,
    "Invert": _DEEP,
    "Normalize": _TWO,
    "NormalizePad": _FLAT,
    "Posterize": _POSTERIZE,
    "RandomAdjustSharpness": _IMAGE,
    "RandomAutoContrast": _IMAGE,
    "RandomColor": _random_color,
    "RandomCrop": f"RandomCropOp: {_TWO}",
    "RandomEqualize": _FLAT,
    "RandomHorizontalFlip": _DECODE,
    "RandomInvert": "image shape is not <H,W,C>, got rank: {rank}",
    "RandomLighting": _lighting,
    "RandomPosterize": _POSTERIZE,
    "RandomResize": f"Resize: {_DECODE}",
    "RandomResizedCrop": _TWO,
    "RandomRotation": f"Rotate: {_FLAT}",
    "RandomSharpness": _SHARPNESS,
    "RandomVerticalFlip": _FLAT,
    "Resize": _DECODE,
    "ResizedCrop": f"ResizedCropOp: {_FLAT}",
    "Rotate": _DECODE,
    "SlicePatches": "Rank of input data should be greater than 2, but got:{rank}",
    "ToTensor": "image shape should be <H,W,C>, but got rank: {rank}",
    "VerticalFlip": _DECODE,
}
_CHANNELS = {
    "AdjustGamma": _GREY,
    "AutoAugment": _THREE,
    "AutoContrast": _GREY,
    "Equalize": _GREY,
    "Erase": _THREE,
    "Invert": "the number of channels of input tensor is not 3, but got: {channels}",
    "RandomAutoContrast": f"{_COUNT} {{channels}}",
    "RandomColor": _random_color,
    "RandomEqualize": "input image is not in channel of 1 or 3, but got: {channels}",
    "RandomInvert": f"{_COUNT}{{channels}}",
    "RandomLighting": _lighting,
}
_UNFIT = "the {} of image tensor does not match the requirement of operator. "


def _said(name: str, words: str, a: np.ndarray) -> str:
    shape = "<" + ",".join(map(str, a.shape)) + ">"
    decode = ". You may need to perform Decode first." if a.ndim == 1 else ""
    facts = {"rank": a.ndim, "shape": shape, "decode": decode, "channels": channels_of(a)}
    said = words.format(**facts)
    return said if re.match(r"\w+: ", words) else f"{name}: {said}"


def channels_of(a: np.ndarray) -> int:
    """How many channels an image (H, W) or (..., H, W, C) has."""
    return 1 if a.ndim < 3 else a.shape[-1]


def of_rank(name: str, a: np.ndarray, ranks: tuple) -> str:
    """What is said of an image with a number of dimensions that is none of ``ranks``."""
    if name in _RANKS:
        return _said(name, _RANKS[name], a)
    named = {2: "<H, W>", 3: "<H, W, C>"}
    shapes = " or ".join(named.get(r, "<..., H, W, C>") for r in ranks)
    decode = " You may need to perform Decode first." if a.ndim == 1 else ""
    return (
        f"{name}: {_UNFIT.format('dimension')}Expecting tensor in dimension of {listed(ranks)}, in "
        f"shape of {shapes}. But got dimension {a.ndim}.{decode}"
    )


def of_channels(name: str, a: np.ndarray, counts: tuple) -> str:
    """What is said of an image with a number of channels that is none of ``counts``."""
    if name in _CHANNELS:
        return _said(name, _CHANNELS[name], a)
    return (
        f"{name}: {_UNFIT.format('channel')}Expecting tensor in channel of {listed(counts)}. But got "
        f"channel {channels_of(a)}."
    )


def of_dtype(name: str, a: np.ndarray, dtypes: tuple) -> str:
    """What is said of an image with a dtype that is none of ``dtypes``."""
    if name == "RandomEqualize":
        return f"{name}: input image is not in type of uint8, but got: {a.dtype}"
    got = "string" if a.dtype.kind in "US" else a.dtype
    return (
        f"{name}: {_UNFIT.format('data type')}Expecting tensor in type of "
        f"{listed(dtypes or ('numbers',))}. But got type {got}."
    )


def listed(values: tuple) -> str:
    """Names in parentheses."""
    return "(" + ", ".join(map(str, values)) + ")"

"""Primitive classes on the colours of images, whose last dimension is the channels."""

from __future__ import annotations

from ...base.errors import expect
from ..define import P
from ..faces import face
from ..function.common import cut
from ..functional import WITHIN as F


def _channels(x, name: str) -> list:
    expect(len(x.shape) >= 1 and x.shape[-1] == 3, name, "of 3 channels last", got=x.shape)
    return [cut(x, -1 + len(x.shape), i, i + 1) for i in range(3)]


def _joined(parts):
    return F.concat(parts, -1)


def _between(x):
    """``x``, cut off at 0 and 1."""
    return P.minimum(P.maximum(x, 0), 1)


def _to_hsv(r, g, b) -> tuple:
    value = P.maximum(P.maximum(r, g), b)
    width = value - P.minimum(P.minimum(r, g), b)
    black, grey = P.less_equal(value, 0), P.less_equal(width, 0)
    apart = 6 * P.select(grey, 1, width)
    hue = P.select(P.equal(g, value), (b - r) / apart + 2 / 6, (r - g) / apart + 4 / 6)
    hue = P.select(P.equal(r, value), (g - b) / apart, hue)
    hue = P.select(grey, 0, P.select(P.less(hue, 0), hue + 1, hue))
    return hue, P.select(black, 0, width / P.select(black, 1, value)), value


def _to_rgb(hue, saturation, value) -> tuple:
    sixths = hue * 6
    reds, greens = P.abs(sixths - 3) - 1, 2 - P.abs(sixths - 2)
    blues = 2 - P.abs(sixths - 4)
    return tuple(
        [(1 - saturation + saturation * _between(c)) * value for c in (reds, greens, blues)]
    )


@face(cls="RGBToHSV")
def _(images):
    """Hue, saturation and value, each from 0 to 1, of colours from 0 to 1."""
    return _joined(_to_hsv(*_channels(images, "images")))


@face(cls="HSVToRGB")
def _(x):
    """Red, green and blue of hue, saturation and value, all from 0 to 1."""
    return _joined(_to_rgb(*_channels(x, "x")))


@face(cls="AdjustHue")
def _(image, delta):
    """RGB images whose hue, from 0 to 1 around the circle, is changed by ``delta``."""
    hue, saturation, value = _to_hsv(*_channels(image, "image"))
    hue = hue + P.cast(delta, image.dtype)
    return _joined(_to_rgb(hue - P.floor(hue), saturation, value))


@face(cls="AdjustSaturation")
def _(image, scale):
    """RGB images whose saturation is ``scale`` times as large, at most 1."""
    hue, saturation, value = _to_hsv(*_channels(image, "image"))
    return _joined(_to_rgb(hue, _between(saturation * P.cast(scale, image.dtype)), value))


@face(cls="AdjustContrastv2")
def _(images, contrast_factor):
    """Images whose differences from the mean of each channel are ``contrast_factor`` times as
    large.
    """
    expect(len(images.shape) >= 3, "images", "of rank 3 or more", got=images.shape)
    mean = F.mean(images, (-3, -2), True)
    return (images - mean) * P.cast(contrast_factor, images.dtype) + mean

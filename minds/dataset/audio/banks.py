"""Matrices that turn spectra into features: filter banks and the cosine transform."""

from __future__ import annotations

import math

import numpy as np

from ...base.errors import complain
from ..arguments import Typed, count, non_negative_float, positive_float, positive_int
from .enums import MelType, NormMode, NormType


def _to_mel(f, kind: MelType):
    if kind == MelType.HTK:
        return 2595 * np.log10(1 + f / 700)
    knee = 1000 / (200 / 3)
    above = knee + np.log(np.maximum(f, 1000) / 1000) / (math.log(6.4) / 27)
    return np.where(f >= 1000, above, f / (200 / 3))


def _to_hertz(m, kind: MelType):
    if kind == MelType.HTK:
        return 700 * (10 ** (m / 2595) - 1)
    knee = 1000 / (200 / 3)
    above = 1000 * np.exp(math.log(6.4) / 27 * (m - knee))
    return np.where(m >= knee, above, m * (200 / 3))


def triangles(n_freqs: int, corners: np.ndarray, sample_rate: int) -> np.ndarray:
    """A matrix (frequencies, filters): each filter rises from a corner to the next and falls to the
    one after.
    """
    frequencies = np.linspace(0, sample_rate // 2, n_freqs)
    slopes = corners[None, :] - frequencies[:, None]
    widths = np.diff(corners)
    with np.errstate(divide="ignore", invalid="ignore"):
        rising, falling = -slopes[:, :-2] / widths[:-1], slopes[:, 2:] / widths[1:]
        return np.maximum(0, np.minimum(rising, falling))


def mel_bank(n_freqs, f_min, f_max, n_mels, sample_rate, norm, mel_type) -> np.ndarray:
    """`melscale_fbanks` in float64, without checks."""
    ends = (_to_mel(np.float64(f), mel_type) for f in (f_min, f_max))
    corners = _to_hertz(np.linspace(*ends, n_mels + 2), mel_type)
    bank = triangles(n_freqs, corners, sample_rate)
    return bank * (2 / (corners[2:] - corners[:-2])) if norm == NormType.SLANEY else bank


def linear_bank(n_freqs, f_min, f_max, n_filter, sample_rate) -> np.ndarray:
    """`linear_fbanks` in float64, without checks."""
    return triangles(n_freqs, np.linspace(f_min, f_max, n_filter + 2), sample_rate)


def cosines(n_mfcc, n_mels, norm) -> np.ndarray:
    """`create_dct` in float64, without checks."""
    matrix = np.cos(math.pi / n_mels * (np.arange(n_mels)[:, None] + 0.5) * np.arange(n_mfcc))
    if norm == NormMode.NONE:
        return matrix * 2
    matrix[:, 0] /= math.sqrt(2)
    return matrix * math.sqrt(2 / n_mels)


def _in_order(f_min, f_max) -> None:
    if f_min > f_max:
        said = f"no more than f_max, but got f_min: {f_min} and f_max: {f_max}."
        raise complain(ValueError, f"Input f_min should be {said}")


def melscale_fbanks(
    n_freqs, f_min, f_max, n_mels, sample_rate, norm=NormType.NONE, mel_type=MelType.HTK
):
    """The matrix that turns spectra into energies of bands of the mel scale.

    Args:
        n_freqs (int): frequencies of a spectrum, not negative.
        f_min (float): where the first band begins, in Hz, not negative.
        f_max (float): where the last band ends, positive.
        n_mels (int): how many bands.
        sample_rate (int): of the signal.
        norm (NormType): whether bands have equal areas. Default: ``NormType.NONE``.
        mel_type (MelType): the formula of the scale. Default: ``MelType.HTK``.

    Returns:
        numpy.ndarray: (n_freqs, n_mels), of float32.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> from minds.dataset import audio
        >>> audio.melscale_fbanks(n_freqs=10, f_min=0, f_max=50, n_mels=5, sample_rate=100).shape
        (10, 5)
    """
    count("n_freqs", n_freqs)
    non_negative_float("f_min", f_min)
    positive_float("f_max", f_max)
    _in_order(f_min, f_max)
    positive_int("n_mels", n_mels)
    positive_int("sample_rate", sample_rate)
    Typed(NormType)("norm", norm)
    Typed(MelType)("mel_type", mel_type)
    return mel_bank(n_freqs, f_min, f_max, n_mels, sample_rate, norm, mel_type).astype(np.float32)


def linear_fbanks(n_freqs, f_min, f_max, n_filter, sample_rate):
    """The matrix that turns spectra into energies of bands of equal width.

    Args:
        n_freqs (int): frequencies of a spectrum, not negative.
        f_min (float): where the first band begins, in Hz, not negative.
        f_max (float): where the last band ends, positive.
        n_filter (int): how many bands.
        sample_rate (int): of the signal.

    Returns:
        numpy.ndarray: (n_freqs, n_filter), of float32.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> from minds.dataset import audio
        >>> audio.linear_fbanks(n_freqs=10, f_min=0, f_max=50, n_filter=5, sample_rate=100).shape
        (10, 5)
    """
    count("n_freqs", n_freqs)
    non_negative_float("f_min", f_min)
    positive_float("f_max", f_max)
    _in_order(f_min, f_max)
    positive_int("n_filter", n_filter)
    positive_int("sample_rate", sample_rate)
    return linear_bank(n_freqs, f_min, f_max, n_filter, sample_rate).astype(np.float32)


def create_dct(n_mfcc, n_mels, norm=NormMode.NONE):
    """The matrix of a cosine transform of the second kind.

    Args:
        n_mfcc (int): how many coefficients it gives, positive.
        n_mels (int): how many values it takes, positive.
        norm (NormMode): whether it is orthonormal. Default: ``NormMode.NONE``.

    Returns:
        numpy.ndarray: (n_mels, n_mfcc), of float32.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is not positive.

    Examples:
        >>> from minds.dataset import audio
        >>> audio.create_dct(2, 3, audio.NormMode.ORTHO).shape
        (3, 2)
    """
    for name, value, kind in (
        ("n_mfcc", n_mfcc, int),
        ("n_mels", n_mels, int),
        ("norm", norm, NormMode),
    ):
        if not isinstance(value, kind):
            said = f"{name} with value {value} is not of type {kind}, but got {type(value)}."
            raise complain(TypeError, said)
    for name, value in (("n_mfcc", n_mfcc), ("n_mels", n_mels)):
        if value <= 0:
            raise complain(ValueError, f"{name} must be greater than 0, but got {value}.")
    return cosines(n_mfcc, n_mels, norm).astype(np.float32)

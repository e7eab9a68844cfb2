"""The choices that transforms of audio offer."""

from __future__ import annotations

from enum import Enum


class BorderType(str, Enum):
    """How a signal goes on behind its ends.

    Examples:
        >>> from minds.dataset import audio
        >>> audio.BorderType.EDGE.value
        'edge'
    """

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class DensityFunction(str, Enum):
    """The distribution of a dither: triangular, rectangular, Gaussian.

    Examples:
        >>> from minds.dataset import audio
        >>> audio.DensityFunction.TPDF.value
        'TPDF'
    """

    TPDF = "TPDF"
    RPDF = "RPDF"
    GPDF = "GPDF"


class FadeShape(str, Enum):
    """How a fade rises.

    Examples:
        >>> from minds.dataset import audio
        >>> audio.FadeShape.LINEAR.value
        'linear'
    """

    QUARTER_SINE = "quarter_sine"
    HALF_SINE = "half_sine"
    LINEAR = "linear"
    LOGARITHMIC = "logarithmic"
    EXPONENTIAL = "exponential"


class GainType(str, Enum):
    """What a gain multiplies.

    Examples:
        >>> from minds.dataset import audio
        >>> audio.GainType.DB.value
        'db'
    """

    AMPLITUDE = "amplitude"
    POWER = "power"
    DB = "db"


class Interpolation(str, Enum):
    """How a value between samples is found.

    Examples:
        >>> from minds.dataset import audio
        >>> audio.Interpolation.LINEAR.value
        'linear'
    """

    LINEAR = "linear"
    QUADRATIC = "quadratic"


class MelType(str, Enum):
    """The formula of the mel scale.

    Examples:
        >>> from minds.dataset import audio
        >>> audio.MelType.HTK.value
        'htk'
    """

    HTK = "htk"
    SLANEY = "slaney"


class Modulation(str, Enum):
    """The wave that modulates a delay.

    Examples:
        >>> from minds.dataset import audio
        >>> audio.Modulation.SINUSOIDAL.value
        'sinusoidal'
    """

    SINUSOIDAL = "sinusoidal"
    TRIANGULAR = "triangular"


class NormMode(str, Enum):
    """Whether a cosine transform is orthonormal.

    Examples:
        >>> from minds.dataset import audio
        >>> audio.NormMode.ORTHO.value
        'ortho'
    """

    ORTHO = "ortho"
    NONE = "none"


class NormType(str, Enum):
    """Whether the triangles of a mel filter bank have equal areas.

    Examples:
        >>> from minds.dataset import audio
        >>> audio.NormType.SLANEY.value
        'slaney'
    """

    SLANEY = "slaney"
    NONE = "none"


class ResampleMethod(str, Enum):
    """The window of the sinc function that resamples.

    Examples:
        >>> from minds.dataset import audio
        >>> audio.ResampleMethod.KAISER_WINDOW.value
        'kaiser_window'
    """

    SINC_INTERPOLATION = "sinc_interpolation"
    KAISER_WINDOW = "kaiser_window"


class ScaleType(str, Enum):
    """What a spectrogram holds.

    Examples:
        >>> from minds.dataset import audio
        >>> audio.ScaleType.POWER.value
        'power'
    """

    POWER = "power"
    MAGNITUDE = "magnitude"


class WindowType(str, Enum):
    """The window of a short-time Fourier transform.

    Examples:
        >>> from minds.dataset import audio
        >>> audio.WindowType.HANN.value
        'hann'
    """

    BARTLETT = "bartlett"
    BLACKMAN = "blackman"
    HAMMING = "hamming"
    HANN = "hann"
    KAISER = "kaiser"

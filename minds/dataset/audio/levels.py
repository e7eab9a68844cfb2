"""Transforms of every sample on its own: decibels, gains, companding, complex numbers, contrast."""

from __future__ import annotations

import math

import numpy as np

from ..arguments import (
    Number,
    Optional,
    Typed,
    any_float,
    count,
    non_negative_float,
    positive_float,
    positive_int,
    real,
    takes,
)
from .base import AudioTransform, fault
from .enums import FadeShape, GainType, ScaleType


class AmplitudeToDB(AudioTransform):
    """Amplitudes or powers in decibels.

    Args:
        stype (ScaleType): what the values are. Default: ``ScaleType.POWER``.
        ref_value (float): what is 0 dB, positive. Default: 1.0.
        amin (float): the smallest value that is told from 0, positive. Default: 1e-10.
        top_db (float): how far below the largest value of a spectrogram the results may be, positive.
            Default: 80.0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., freq, time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.AmplitudeToDB()(np.array([[1.0, 100.0]])).tolist()
        [[0.0, 20.0]]
    """

    _axes = ("freq", "time")

    @takes(
        stype=Typed(ScaleType), ref_value=positive_float, amin=positive_float, top_db=positive_float
    )
    def __init__(self, stype=ScaleType.POWER, ref_value=1.0, amin=1e-10, top_db=80.0):
        pass

    def _make(self, a):
        factor = 10 if self.stype == ScaleType.POWER else 20
        db = factor * np.log10(np.maximum(a, np.asarray(self.amin, a.dtype)))
        db -= np.asarray(factor * math.log10(max(self.amin, self.ref_value)), a.dtype)
        last = tuple(range(-min(a.ndim, 3), 0))
        return np.maximum(db, db.max(axis=last, keepdims=True) - np.asarray(self.top_db, a.dtype))


class DBToAmplitude(AudioTransform):
    """Decibels as amplitudes or powers.

    Args:
        ref (float): what 0 dB is.
        power (float): 1 for powers, 0.5 for amplitudes.

    Raises:
        TypeError: an argument is no number.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.DBToAmplitude(2, 1)(np.array([0.0, 10.0])).tolist()
        [2.0, 20.0]
    """

    @takes(ref=any_float, power=any_float)
    def __init__(self, ref, power):
        pass

    def _make(self, a):
        return np.asarray(self.ref * np.power(np.power(10.0, 0.1 * a), self.power), a.dtype)


class Angle(AudioTransform):
    """The angle of complex numbers.

    Raises:
        RuntimeError: the value is no array <..., complex=2> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.Angle()(np.array([[1.0, 0.0]])).tolist()
        [0.0]
    """

    _axes = ("complex=2",)

    def _make(self, a):
        return np.arctan2(a[..., 1], a[..., 0])


class ComplexNorm(AudioTransform):
    """The absolute value of complex numbers, to a power.

    Args:
        power (float): not negative. Default: 1.0.

    Raises:
        TypeError: ``power`` is no number.
        ValueError: it is out of range.
        RuntimeError: the value is no array <..., complex=2> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.ComplexNorm(2)(np.array([[3.0, 4.0]])).tolist()
        [25.0]
    """

    _axes = ("complex=2",)

    @takes(power=non_negative_float)
    def __init__(self, power=1.0):
        pass

    def _make(self, a):
        return np.power((a * a).sum(-1), np.asarray(0.5 * self.power, a.dtype))


class Magphase(ComplexNorm):
    """The absolute value of complex numbers, to a power, and their angle.

    Args:
        power (float): not negative. Default: 1.0.

    Raises:
        TypeError: ``power`` is no number.
        ValueError: it is out of range.
        RuntimeError: the value is no array <..., complex=2> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> [v.tolist() for v in audio.Magphase()(np.array([[3.0, 0.0]]))]
        [[3.0], [0.0]]
    """

    def _make(self, a):
        return super()._make(a), np.arctan2(a[..., 1], a[..., 0])


class Contrast(AudioTransform):
    """A signal with more contrast.

    Args:
        enhancement_amount (float): how much more, in ``[0, 100]``. Default: 75.0.

    Raises:
        TypeError: ``enhancement_amount`` is no number.
        ValueError: it is out of range.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.Contrast()(np.array([0.0, 1.0])).tolist()
        [0.0, 1.0]
    """

    @takes(enhancement_amount=Number((float, int), 0, 100))
    def __init__(self, enhancement_amount=75.0):
        pass

    def _make(self, a):
        angle = a * np.asarray(math.pi / 2, a.dtype)
        more = np.asarray(self.enhancement_amount / 750, a.dtype)
        return np.sin(angle + more * np.sin(4 * angle))


class DCShift(AudioTransform):
    """A signal moved up or down.

    Args:
        shift (float): how far, in ``[-2, 2]``.
        limiter_gain (float, optional): how much of what would leave the range is kept. Default:
            None, ``shift``.

    Raises:
        TypeError: an argument is no number.
        ValueError: ``shift`` is out of range.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.DCShift(0.25)(np.array([0.0, 0.5])).tolist()
        [0.25, 0.75]
    """

    @takes(shift=Number((float, int), -2.0, 2.0), limiter_gain=Optional(Number((float, int))))
    def __init__(self, shift, limiter_gain=None):
        self.limiter_gain = limiter_gain if limiter_gain else shift

    def _make(self, a):
        shift, gain = self.shift, self.limiter_gain
        most = 1 - (abs(shift) - gain)
        with np.errstate(all="ignore"):
            if shift == gain:
                made = np.clip(a + shift, -1, 1)
            elif shift > 0:
                limited = np.minimum((a - most) * gain / (1 - most) + most + shift, most)
                made = np.where(a > most, limited, np.clip(a + shift, -1, 1))
            else:
                limited = np.maximum((a + most) * gain / (1 - most) + most + shift, -most)
                made = np.where(a < -most, limited, np.clip(a + shift, -1, 1))
        return made.astype(a.dtype)


def _gain(a, db):
    """A signal whose level is changed by some decibels."""
    return a * np.asarray(10 ** (db / 20), a.dtype) if db else a.copy()


class Gain(AudioTransform):
    """A signal that is louder.

    Args:
        gain_db (float): by how many decibels. Default: 1.0.

    Raises:
        TypeError: ``gain_db`` is no number.
        ValueError: it is out of range.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.Gain(20)(np.array([0.5])).tolist()
        [5.0]
    """

    @takes(gain_db=any_float)
    def __init__(self, gain_db=1.0):
        pass

    def _make(self, a):
        return _gain(a, self.gain_db)


def _fitting(gain, gain_type) -> None:
    by_type = {GainType.AMPLITUDE: non_negative_float, GainType.POWER: positive_float}
    by_type.get(gain_type, any_float)("gain", gain)


class Vol(AudioTransform):
    """A signal at another volume, cut to ``[-1, 1]``.

    Args:
        gain (float): of what ``gain_type`` says.
        gain_type (GainType): Default: ``GainType.AMPLITUDE``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``gain`` is out of range.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.Vol(0.5)(np.array([0.5, 4.0])).tolist()
        [0.25, 1.0]
    """

    @takes(_fitting, gain=Typed(*real), gain_type=Typed(GainType))
    def __init__(self, gain, gain_type=GainType.AMPLITUDE):
        pass

    def _make(self, a):
        if self.gain_type == GainType.AMPLITUDE:
            made = a * np.asarray(self.gain, a.dtype)
        else:
            made = _gain(
                a, self.gain if self.gain_type == GainType.DB else 10 * math.log10(self.gain)
            )
        return np.clip(made, -1, 1)


class MuLawEncoding(AudioTransform):
    """A signal in ``[-1, 1]`` as the integers of the mu law.

    Args:
        quantization_channels (int): how many. Default: 256.

    Raises:
        TypeError: ``quantization_channels`` is no int.
        ValueError: it is not positive.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.MuLawEncoding()(np.array([-1.0, 0.0, 0.1])).tolist()
        [0, 128, 203]
    """

    @takes(quantization_channels=positive_int)
    def __init__(self, quantization_channels=256):
        pass

    def _make(self, a):
        mu = np.asarray(self.quantization_channels - 1, a.dtype)
        bent = np.sign(a) * np.log1p(mu * np.abs(a)) / np.log1p(mu)
        return ((bent + 1) / 2 * mu + 0.5).astype(np.int32)


class MuLawDecoding(AudioTransform):
    """The integers of the mu law as a signal.

    Args:
        quantization_channels (int): how many. Default: 256.

    Raises:
        TypeError: ``quantization_channels`` is no int.
        ValueError: it is not positive.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.MuLawDecoding()(np.array([0, 255])).tolist()
        [-1.0, 1.0]
    """

    @takes(quantization_channels=positive_int)
    def __init__(self, quantization_channels=256):
        pass

    def _make(self, a):
        mu = np.asarray(self.quantization_channels - 1, a.dtype)
        bent = a / mu * 2 - 1
        return np.sign(bent) * np.expm1(np.abs(bent) * np.log1p(mu)) / mu


_RISES = {
    FadeShape.LINEAR: lambda t: t,
    FadeShape.EXPONENTIAL: lambda t: 2 ** (t - 1) * t,
    FadeShape.LOGARITHMIC: lambda t: np.log10(0.1 + t) + 1,
    FadeShape.QUARTER_SINE: lambda t: np.sin(t * math.pi / 2),
    FadeShape.HALF_SINE: lambda t: np.sin(t * math.pi - math.pi / 2) / 2 + 0.5,
}


class Fade(AudioTransform):
    """A signal that comes and goes softly.

    Args:
        fade_in_len (int): the samples of its rise, not negative. Default: 0.
        fade_out_len (int): the samples of its fall, not negative. Default: 0.
        fade_shape (FadeShape): Default: ``FadeShape.LINEAR``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a length is negative.
        RuntimeError: the value is no array <..., time>, or shorter (raised when the transform is
            called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.Fade(3)(np.ones(4)).tolist()
        [0.0, 0.5, 1.0, 1.0]
    """

    @takes(fade_in_len=count, fade_out_len=count, fade_shape=Typed(FadeShape))
    def __init__(self, fade_in_len=0, fade_out_len=0, fade_shape=FadeShape.LINEAR):
        pass

    def _keeps(self):
        return not self.fade_in_len and not self.fade_out_len

    def _make(self, a):
        size, rise = a.shape[-1], _RISES[self.fade_shape]
        for name in ("fade_in_len", "fade_out_len"):
            if (length := getattr(self, name)) > size:
                wanted = f"'{name}' should be no greater than 'length of waveform'"
                got = f"{name} {length} while length of waveform {size}."
                raise fault(f"Fade: invalid parameter, {wanted}, but got: {got}")
        begin, end = np.ones(size), np.ones(size)
        begin[: self.fade_in_len] = rise(np.linspace(0, 1, self.fade_in_len))
        if self.fade_out_len:
            end[-self.fade_out_len :] = rise(1 - np.linspace(0, 1, self.fade_out_len))
        return (begin * end * a).astype(a.dtype)

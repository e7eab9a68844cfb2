"""Filters by difference equations: the second order ones of audio, and general ones.

A `_Biquad` says its six coefficients; those of the cookbook of Robert Bristow-Johnson are functions of
the angle w0 of a frequency and of its sine over 2 Q.
"""

from __future__ import annotations

import math

import numpy as np

from ...base.errors import complain
from ..arguments import (
    Each,
    Number,
    Typed,
    any_float,
    boolean,
    check_type,
    nonzero_float,
    nonzero_int,
    takes,
)
from .base import AudioTransform

_WIDTH = Number((float, int), 0, 1, "(")


def _quality(_, value) -> None:
    _WIDTH("Q", value)


def difference(a, b, x: np.ndarray, clamp: bool) -> np.ndarray:
    """The signal y with a0 y[t] = b0 x[t] + b1 x[t-1] + … - a1 y[t-1] - …, perhaps cut to [-1, 1]."""
    import scipy.signal

    y = scipy.signal.lfilter(np.asarray(b, x.dtype), np.asarray(a, x.dtype), x)
    return np.clip(y, -1, 1).astype(x.dtype) if clamp else y.astype(x.dtype)


class _Biquad(AudioTransform):
    """Base of the filters of second order: `_coefficients`."""

    _floats_only = True

    def _coefficients(self) -> tuple:
        """The numbers b0, b1, b2, a0, a1, a2."""
        raise NotImplementedError

    def _make(self, a):
        c = np.array(self._coefficients(), np.float64)
        return difference(c[3:], c[:3], a, True)

    def _angle(self, frequency) -> tuple[float, float, float]:
        """The cosine of w0, its sine, and the sine over 2 Q."""
        w0 = 2 * math.pi * frequency / self.sample_rate
        return math.cos(w0), math.sin(w0), math.sin(w0) / 2 / self.Q


class Biquad(_Biquad):
    """The filter of second order with given coefficients.

    Args:
        b0 (float): of the signal now.
        b1 (float): of the signal one step ago.
        b2 (float): of the signal two steps ago.
        a0 (float): of the result now, not zero.
        a1 (float): of the result one step ago.
        a2 (float): of the result two steps ago.

    Raises:
        TypeError: an argument is no number.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array of floats <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.Biquad(0.5, 0, 0, 1, 0, 0)(np.array([0.5, 1.0])).tolist()
        [0.25, 0.5]
    """

    _arrays_only = False

    @takes(b0=any_float, b1=any_float, b2=any_float, a0=nonzero_float, a1=any_float, a2=any_float)
    def __init__(self, b0, b1, b2, a0, a1, a2):
        pass

    def _coefficients(self):
        return self.b0, self.b1, self.b2, self.a0, self.a1, self.a2


class AllpassBiquad(_Biquad):
    """A filter that changes phases and no amplitudes.

    Args:
        sample_rate (int): of the signal, not zero.
        central_freq (float): the frequency in Hz.
        Q (float): quality, in ``(0, 1]``. Default: 0.707.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array of floats <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.AllpassBiquad(44100, 200.0)(np.array([[1.0, 0.0]])).shape
        (1, 2)
    """

    @takes(sample_rate=nonzero_int, central_freq=any_float, Q=_quality)
    def __init__(self, sample_rate, central_freq, Q=0.707):
        pass

    def _coefficients(self):
        cos, _, alpha = self._angle(self.central_freq)
        return 1 - alpha, -2 * cos, 1 + alpha, 1 + alpha, -2 * cos, 1 - alpha


class BandBiquad(_Biquad):
    """A filter that lets a band pass, with a gentle slope.

    Args:
        sample_rate (int): of the signal, not zero.
        central_freq (float): the middle of the band in Hz.
        Q (float): quality, in ``(0, 1]``. Default: 0.707.
        noise (bool): whether the filter is that for noise, not for tones. Default: False.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array of floats <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.BandBiquad(44100, 200.0)(np.array([[1.0, 0.0]])).shape
        (1, 2)
    """

    @takes(sample_rate=nonzero_int, central_freq=any_float, Q=_quality, noise=boolean)
    def __init__(self, sample_rate, central_freq, Q=0.707, noise=False):
        pass

    def _coefficients(self):
        cos = self._angle(self.central_freq)[0]
        a2 = math.exp(-2 * math.pi * self.central_freq / self.Q / self.sample_rate)
        a1 = -4 * a2 / (1 + a2) * cos
        b0 = math.sqrt(1 - a1 * a1 / (4 * a2)) * (1 - a2)
        if self.noise:
            b0 = math.sqrt(((1 + a2) * (1 + a2) - a1 * a1) * (1 - a2) / (1 + a2))
        return b0, 0, 0, 1, a1, a2


class BandpassBiquad(_Biquad):
    """A filter that lets a band pass.

    Args:
        sample_rate (int): of the signal, not zero.
        central_freq (float): the middle of the band in Hz.
        Q (float): quality, in ``(0, 1]``. Default: 0.707.
        const_skirt_gain (bool): whether the skirts, not the peak, have a constant gain. Default:
            False.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array of floats <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.BandpassBiquad(44100, 200.0)(np.array([[1.0, 0.0]])).shape
        (1, 2)
    """

    @takes(sample_rate=nonzero_int, central_freq=any_float, Q=_quality, const_skirt_gain=boolean)
    def __init__(self, sample_rate, central_freq, Q=0.707, const_skirt_gain=False):
        pass

    def _coefficients(self):
        cos, sin, alpha = self._angle(self.central_freq)
        b = sin / 2 if self.const_skirt_gain else alpha
        return b, 0, -b, 1 + alpha, -2 * cos, 1 - alpha


class BandrejectBiquad(_Biquad):
    """A filter that lets all but a band pass.

    Args:
        sample_rate (int): of the signal, not zero.
        central_freq (float): the middle of the band in Hz.
        Q (float): quality, in ``(0, 1]``. Default: 0.707.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array of floats <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.BandrejectBiquad(44100, 200.0)(np.array([[1.0, 0.0]])).shape
        (1, 2)
    """

    @takes(sample_rate=nonzero_int, central_freq=any_float, Q=_quality)
    def __init__(self, sample_rate, central_freq, Q=0.707):
        pass

    def _coefficients(self):
        cos, _, alpha = self._angle(self.central_freq)
        return 1, -2 * cos, 1, 1 + alpha, -2 * cos, 1 - alpha


def shelf(gain_db: float, cos: float, alpha: float, high: bool) -> tuple:
    """The coefficients of a filter that changes the low or the high frequencies by a gain."""
    gain = math.exp(gain_db / 40 * math.log(10))
    root, sign = 2 * math.sqrt(gain) * alpha, 1 if high else -1
    up, down, turn = gain + 1, gain - 1, sign * cos
    return (
        gain * (up + down * turn + root),
        -2 * gain * (down + up * turn) * sign,
        gain * (up + down * turn - root),
        up - down * turn + root,
        2 * (down - up * turn) * sign,
        up - down * turn - root,
    )


class BassBiquad(_Biquad):
    """A filter that changes the low frequencies.

    Args:
        sample_rate (int): of the signal, not zero.
        gain (float): of the low frequencies in dB.
        central_freq (float): where they end, in Hz. Default: 100.0.
        Q (float): quality, in ``(0, 1]``. Default: 0.707.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array of floats <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.BassBiquad(44100, 10.0)(np.array([[0.1, 0.0]])).shape
        (1, 2)
    """

    @takes(sample_rate=nonzero_int, gain=any_float, central_freq=any_float, Q=_quality)
    def __init__(self, sample_rate, gain, central_freq=100.0, Q=0.707):
        pass

    def _coefficients(self):
        cos, _, alpha = self._angle(self.central_freq)
        return shelf(self.gain, cos, alpha, high=False)


class TrebleBiquad(_Biquad):
    """A filter that changes the high frequencies.

    Args:
        sample_rate (int): of the signal, not zero.
        gain (float): of the high frequencies in dB.
        central_freq (float): where they begin, in Hz. Default: 3000.
        Q (float): quality, in ``(0, 1]``. Default: 0.707.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array of floats <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.TrebleBiquad(44100, 10.0)(np.array([[0.1, 0.0]])).shape
        (1, 2)
    """

    @takes(sample_rate=nonzero_int, gain=any_float, central_freq=any_float, Q=_quality)
    def __init__(self, sample_rate, gain, central_freq=3000, Q=0.707):
        pass

    def _coefficients(self):
        cos, _, alpha = self._angle(self.central_freq)
        return shelf(self.gain, cos, alpha, high=True)


def _of_rates(words: str, *rates):
    """The rule for a sample rate that is one of some."""

    def rule(name, value):
        check_type(name, value, (int,))
        if value not in rates:
            raise complain(ValueError, words.format(value))

    return rule


class DeemphBiquad(_Biquad):
    """The filter that takes back the emphasis of a compact disc.

    Args:
        sample_rate (int): 44100 or 48000.

    Raises:
        TypeError: ``sample_rate`` is no int.
        ValueError: it is another.
        RuntimeError: the value is no array of floats <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.DeemphBiquad(44100)(np.array([[0.1, 0.0]])).shape
        (1, 2)
    """

    _shelves = {44100: (5283, 0.4845, -9.477), 48000: (5356, 0.479, -9.62)}

    @takes(
        sample_rate=_of_rates(
            "Argument sample_rate should be 44100 or 48000, but got {}.", 44100, 48000
        )
    )
    def __init__(self, sample_rate):
        pass

    def _coefficients(self):
        frequency, slope, gain_db = self._shelves[self.sample_rate]
        w0 = 2 * math.pi * frequency / self.sample_rate
        gain = math.exp(gain_db / 40 * math.log(10))
        alpha = math.sin(w0) / 2 * math.sqrt((gain + 1 / gain) * (1 / slope - 1) + 2)
        return shelf(gain_db, math.cos(w0), alpha, high=True)


class EqualizerBiquad(_Biquad):
    """A filter that changes a band.

    Args:
        sample_rate (int): of the signal, not zero.
        center_freq (float): the middle of the band in Hz.
        gain (float): of the band in dB.
        Q (float): quality, in ``(0, 1]``. Default: 0.707.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array of floats <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.EqualizerBiquad(44100, 1500, 5.5)(np.array([[0.1, 0.0]])).shape
        (1, 2)
    """

    @takes(
        sample_rate=nonzero_int,
        center_freq=lambda _, value: any_float("central_freq", value),
        gain=any_float,
        Q=_quality,
    )
    def __init__(self, sample_rate, center_freq, gain, Q=0.707):
        pass

    def _coefficients(self):
        cos, _, alpha = self._angle(self.center_freq)
        gain = math.exp(self.gain / 40 * math.log(10))
        times, over = alpha * gain, alpha / gain
        return 1 + times, -2 * cos, 1 - times, 1 + over, -2 * cos, 1 - over


class HighpassBiquad(_Biquad):
    """A filter that lets high frequencies pass.

    Args:
        sample_rate (int): of the signal, not zero.
        cutoff_freq (float): where they begin, in Hz.
        Q (float): quality, in ``(0, 1]``. Default: 0.707.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array of floats <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.HighpassBiquad(44100, 1500)(np.array([[0.1, 0.0]])).shape
        (1, 2)
    """

    @takes(sample_rate=nonzero_int, cutoff_freq=any_float, Q=_quality)
    def __init__(self, sample_rate, cutoff_freq, Q=0.707):
        pass

    def _coefficients(self):
        cos, _, alpha = self._angle(self.cutoff_freq)
        return (1 + cos) / 2, -1 - cos, (1 + cos) / 2, 1 + alpha, -2 * cos, 1 - alpha


class LowpassBiquad(_Biquad):
    """A filter that lets low frequencies pass.

    Args:
        sample_rate (int): of the signal, not zero.
        cutoff_freq (float): where they end, in Hz.
        Q (float): quality, in ``(0, 1]``. Default: 0.707.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array of floats <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.LowpassBiquad(4000, 1500)(np.array([[0.1, 0.0]])).shape
        (1, 2)
    """

    @takes(sample_rate=nonzero_int, cutoff_freq=any_float, Q=_quality)
    def __init__(self, sample_rate, cutoff_freq, Q=0.707):
        pass

    def _coefficients(self):
        cos, _, alpha = self._angle(self.cutoff_freq)
        return (1 - cos) / 2, 1 - cos, (1 - cos) / 2, 1 + alpha, -2 * cos, 1 - alpha


class RiaaBiquad(_Biquad):
    """The equalisation of vinyl records, with gain 1 at 1 kHz.

    Args:
        sample_rate (int): 44100, 48000, 88200 or 96000.

    Raises:
        TypeError: ``sample_rate`` is no int.
        ValueError: it is another.
        RuntimeError: the value is no array of floats <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.RiaaBiquad(44100)(np.array([[0.1, 0.0]])).shape
        (1, 2)
    """

    _roots = {  # two zeros, two poles
        44100: (-0.2014898, 0.9233820, 0.7083149, 0.9924091),
        48000: (-0.1766069, 0.9321590, 0.7396325, 0.9931330),
        88200: (-0.1168735, 0.9648312, 0.8590646, 0.9964002),
        96000: (-0.1141486, 0.9676817, 0.8699137, 0.9966946),
    }

    @takes(
        sample_rate=_of_rates(
            "sample_rate should be one of [44100, 48000, 88200, 96000], but got {}.", *_roots
        )
    )
    def __init__(self, sample_rate):
        pass

    def _coefficients(self):
        z0, z1, p0, p1 = self._roots[self.sample_rate]
        b, a = np.poly([z0, z1]), np.poly([p0, p1])
        at = np.exp(-2j * math.pi * 1000 / self.sample_rate) ** np.arange(3)
        return *(b * abs((a @ at) / (b @ at))), *a


def _equally_many(a_coeffs, b_coeffs, **_) -> None:
    if len(a_coeffs) != len(b_coeffs):
        said = "The size of a_coeffs should be the same as that of b_coeffs."
        raise complain(ValueError, said)


class LFilter(AudioTransform):
    """The filter of a difference equation.

    Args:
        a_coeffs (list[float]): of the result, that of now first.
        b_coeffs (list[float]): of the signal, as many.
        clamp (bool): whether the result is cut to ``[-1, 1]``. Default: True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a coefficient is out of range, or their numbers differ.
        RuntimeError: the value is no array of floats <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.LFilter([1.0, -0.5], [0.5, 0.0])(np.array([1.0, 0.0, 0.0])).tolist()
        [0.5, 0.25, 0.125]
    """

    _floats_only = True

    @takes(
        _equally_many,
        a_coeffs=Typed(list, tuple),
        b_coeffs=Typed(list, tuple),
        clamp=boolean,
    )
    def __init__(self, a_coeffs, b_coeffs, clamp=True):
        Each(any_float)("a_coeffs", a_coeffs)
        Each(any_float)("b_coeffs", b_coeffs)

    def _make(self, a):
        return difference(self.a_coeffs, self.b_coeffs, a, self.clamp)


class Filtfilt(LFilter):
    """The filter of a difference equation, forward and then backward, so that phases stay.

    Args:
        a_coeffs (list[float]): of the result, that of now first.
        b_coeffs (list[float]): of the signal, as many.
        clamp (bool): whether the result is cut to ``[-1, 1]``. Default: True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a coefficient is out of range, or their numbers differ.
        RuntimeError: the value is no array of floats <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.Filtfilt([1.0, -0.5], [0.5, 0.0])(np.array([1.0, 0.0])).tolist()
        [0.3125, 0.125]
    """

    def _make(self, a):
        forward = difference(self.a_coeffs, self.b_coeffs, a, False)[..., ::-1]
        return difference(self.a_coeffs, self.b_coeffs, forward, self.clamp)[..., ::-1]

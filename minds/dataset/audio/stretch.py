"""Transforms of time: other rates, other speeds, other pitches."""

from __future__ import annotations

import math

import numpy as np

from ..arguments import (
    Number,
    Optional,
    Typed,
    any_int,
    count,
    float_above_zero,
    nonzero_int,
    positive_float,
    positive_int,
    takes,
)
from .base import AudioTransform, fault, to_complex, to_pairs
from .enums import ResampleMethod, WindowType
from .fourier import istft, stft
from .spectra import _Windowed, fitting_window


def vocode(z: np.ndarray, rate: float, advance: np.ndarray) -> np.ndarray:
    """Spectra <..., freq, time> played ``rate`` times as fast; ``advance`` is the phase that each
    frequency gains between two windows.
    """
    if rate == 1.0:
        return z
    times = np.arange(0, z.shape[-1], rate)
    z = np.pad(z, [(0, 0)] * (z.ndim - 1) + [(0, 2)])
    left = times.astype(int)
    here, there = z[..., left], z[..., left + 1]
    turn = np.angle(there) - np.angle(here) - advance
    turn = turn - 2 * math.pi * np.round(turn / (2 * math.pi)) + advance
    phases = np.concatenate([np.angle(z[..., :1]), turn[..., :-1]], -1).cumsum(-1)
    part = times % 1
    return (part * np.abs(there) + (1 - part) * np.abs(here)) * np.exp(1j * phases)


class PhaseVocoder(AudioTransform):
    """Spectra at another speed and the same pitch.

    Args:
        rate (float): how many times as fast, positive.
        phase_advance (numpy.ndarray): (freq, 1), the phase that each frequency gains between two
            windows, of the dtype of the spectra.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``rate`` is out of range.
        RuntimeError: the value is no array <..., freq, num_frame, complex=2> that fits
            ``phase_advance`` (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.PhaseVocoder(2.0, np.zeros((5, 1)))(np.ones((5, 8, 2))).shape
        (5, 4, 2)
    """

    _axes = ("freq", "num_frame", "complex=2")

    @takes(rate=positive_float, phase_advance=Typed(np.ndarray))
    def __init__(self, rate, phase_advance):
        pass

    def _make(self, a):
        advance = self.phase_advance
        if advance.dtype != a.dtype:
            names = f"data type of phase_advance: {advance.dtype} while data type of input tensor"
            said = "data type of phase_advance should be equal to data type of input tensor"
            raise fault(f"PhaseVocoder: invalid parameter, {said}, but got: {names}: {a.dtype}.")
        if advance.shape != (a.shape[-3], 1):
            got = f"{advance.shape} while the frequencies are {a.shape[-3]}."
            said = "'phase_advance' should be in shape of <freq, 1>"
            raise fault(f"PhaseVocoder: invalid parameter, {said}, but got: {got}")
        return to_pairs(vocode(to_complex(a), self.rate, advance)).astype(a.dtype)


class TimeStretch(AudioTransform):
    """Spectra at another speed and the same pitch.

    Args:
        hop_length (int, optional): the samples between two windows. Default: ``n_freq - 1``.
        n_freq (int): frequencies of a spectrum, for the default of ``hop_length``. Default: 201.
        fixed_rate (float, optional): how many times as fast. Default: 1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., freq, num_frame, complex=2> (raised when the
            transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.TimeStretch(4, 5, 2.0)(np.ones((5, 8, 2))).shape
        (5, 4, 2)
    """

    _axes = ("freq", "num_frame", "complex=2")

    @takes(
        hop_length=Optional(positive_int), n_freq=positive_int, fixed_rate=Optional(positive_float)
    )
    def __init__(self, hop_length=None, n_freq=201, fixed_rate=None):
        self.hop_length = n_freq - 1 if hop_length is None else hop_length
        self.fixed_rate = 1 if fixed_rate is None else fixed_rate

    def _make(self, a):
        advance = np.linspace(0, math.pi * self.hop_length, a.shape[-3])[:, None]
        return to_pairs(vocode(to_complex(a), self.fixed_rate, advance)).astype(a.dtype)


def resampled(a, old: int, new: int, method, width, rolloff, beta) -> np.ndarray:
    """A signal of rate ``old`` at rate ``new``: each new sample is the sum of the old ones around its
    place, weighted by a windowed sinc function.
    """
    common = math.gcd(old, new)
    old, new = old // common, new // common
    rate = min(old, new) * rolloff
    reach, size = math.ceil(width * old / rate), a.shape[-1]
    places = np.arange(math.ceil(new * size / old)) * old / new
    first = places.astype(int)
    near = first[:, None] + np.arange(-reach, reach + 2)
    t = np.clip((near - places[:, None]) * (rate / old), -width, width)
    if method == ResampleMethod.KAISER_WINDOW:
        shape = np.i0(beta * np.sqrt(np.maximum(1 - (t / width) ** 2, 0))) / np.i0(beta)
    else:
        shape = np.cos(t * math.pi / width / 2) ** 2
    factors = np.sinc(t) * shape * (rate / old)
    x = np.pad(a, [(0, 0)] * (a.ndim - 1) + [(reach, reach + 1)])
    windows = np.lib.stride_tricks.sliding_window_view(x, 2 * reach + 2, axis=-1)
    return np.einsum("...jk,jk->...j", windows[..., first, :], factors).astype(a.dtype)


class Resample(AudioTransform):
    """A signal at another rate.

    Args:
        orig_freq (float): its rate, positive. Default: 16000.
        new_freq (float): the new rate, positive. Default: 16000.
        resample_method (ResampleMethod): the window. Default:
            ``ResampleMethod.SINC_INTERPOLATION``.
        lowpass_filter_width (int): the sharpness of the filter, in zeros of the sinc. Default: 6.
        rolloff (float): where the filter cuts off, as a part of half the rate, in ``(0, 1]``.
            Default: 0.99.
        beta (float, optional): of the Kaiser window. Default: 14.769656459379492.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.Resample(48000, 16000)(np.ones((2, 30))).shape
        (2, 10)
    """

    @takes(
        orig_freq=float_above_zero,
        new_freq=float_above_zero,
        resample_method=Typed(ResampleMethod),
        lowpass_filter_width=positive_int,
        rolloff=Number((float,), 0, 1.0, "("),
    )
    def __init__(
        self,
        orig_freq=16000,
        new_freq=16000,
        resample_method=ResampleMethod.SINC_INTERPOLATION,
        lowpass_filter_width=6,
        rolloff=0.99,
        beta=None,
    ):
        self.beta = beta if beta is not None else 14.769656459379492

    def _keeps(self):
        return self.orig_freq == self.new_freq

    def _make(self, a):
        return resampled(
            a,
            int(self.orig_freq),
            int(self.new_freq),
            self.resample_method,
            self.lowpass_filter_width,
            self.rolloff,
            self.beta,
        )


class PitchShift(_Windowed):
    """A signal at another pitch and the same speed.

    Args:
        sample_rate (int): of the signal, not negative.
        n_steps (int): how many steps higher.
        bins_per_octave (int): the steps of an octave, not zero. Default: 12.
        n_fft (int): the samples of a transform. Default: 512.
        win_length (int, optional): the samples of a window, at most ``n_fft``. Default: ``n_fft``.
        hop_length (int, optional): the samples between two windows. Default: a quarter of a window.
        window (WindowType): Default: ``WindowType.HANN``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.PitchShift(16000, 4, n_fft=16)(np.ones((2, 30))).shape
        (2, 30)
    """

    @takes(
        fitting_window,
        sample_rate=count,
        n_steps=any_int,
        bins_per_octave=nonzero_int,
        n_fft=positive_int,
        window=Typed(WindowType),
        win_length=Optional(positive_int),
        hop_length=Optional(positive_int),
    )
    def __init__(
        self,
        sample_rate,
        n_steps,
        bins_per_octave=12,
        n_fft=512,
        win_length=None,
        hop_length=None,
        window=WindowType.HANN,
    ):
        self._fill_in(4)

    def _make(self, a):
        size, hop, w = a.shape[-1], self.hop_length, self._window(self.window)
        rate = 2.0 ** (-self.n_steps / self.bins_per_octave)
        z = stft(a.astype(np.float64), self.n_fft, hop, w)
        z = vocode(z, rate, np.linspace(0, math.pi * hop, z.shape[-2])[:, None])
        slow = istft(z, self.n_fft, hop, w, length=round(size / rate))
        sinc = ResampleMethod.SINC_INTERPOLATION
        made = resampled(slow, int(self.sample_rate / rate), self.sample_rate, sinc, 6, 0.99, None)
        made = made[..., :size]
        missing = size - made.shape[-1]
        return np.pad(made, [(0, 0)] * (a.ndim - 1) + [(0, missing)]).astype(a.dtype)

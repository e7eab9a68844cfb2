"""Spectrograms: signals to spectra over time, and back."""

from __future__ import annotations

import math

import numpy as np

from ...base.errors import complain
from .. import rowrng
from ..arguments import (
    Optional,
    Typed,
    boolean,
    count,
    non_negative_float,
    positive_float,
    positive_int,
    takes,
)
from .base import AudioTransform, fault, to_complex, to_pairs
from .enums import BorderType, WindowType
from .fourier import centered, istft, stft, window


def fitting_window(win_length, n_fft, **_) -> None:
    """Refuse a window that is longer than its transform.

    Raises:
        ValueError: it is.
    """
    if win_length is not None and win_length > n_fft:
        raise complain(
            ValueError,
            "Input win_length should be no more than n_fft, but got win_length: "
            f"{win_length} and n_fft: {n_fft}.",
        )


class _Windowed(AudioTransform):
    """Base of the transforms with a short-time Fourier transform: fills in its lengths."""

    def _fill_in(self, overlap=2) -> None:
        self.win_length = self.win_length or self.n_fft
        self.hop_length = self.hop_length or self.win_length // overlap

    def _window(self, kind) -> np.ndarray:
        return centered(window(kind, self.win_length), self.n_fft)


def padded(a: np.ndarray, pad: int) -> np.ndarray:
    """A signal with zeros on both sides."""
    return np.pad(a, [(0, 0)] * (a.ndim - 1) + [(pad, pad)])


class Spectrogram(_Windowed):
    """The spectra of windows of a signal.

    Args:
        n_fft (int): the samples of a transform. Default: 400.
        win_length (int, optional): the samples of a window, at most ``n_fft``. Default: ``n_fft``.
        hop_length (int, optional): the samples between two windows. Default: half a window.
        pad (int): the zeros on both sides of the signal. Default: 0.
        window (WindowType): Default: ``WindowType.HANN``.
        power (float): of the amplitudes; 0 gives complex numbers, as pairs. Default: 2.0.
        normalized (bool): whether spectra are divided by the window's norm. Default: False.
        center (bool): whether the first window's middle is the first sample. Default: True.
        pad_mode (BorderType): how the signal goes on then. Default: ``BorderType.REFLECT``.
        onesided (bool): whether frequencies above half the rate are left out. Default: True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.Spectrogram(n_fft=8)(np.zeros((2, 30))).shape
        (2, 5, 8)
    """

    _arrays_only = False

    @takes(
        fitting_window,
        n_fft=positive_int,
        win_length=Optional(positive_int),
        hop_length=Optional(positive_int),
        pad=count,
        window=Typed(WindowType),
        power=non_negative_float,
        normalized=boolean,
        center=boolean,
        onesided=boolean,
        pad_mode=Typed(BorderType),
    )
    def __init__(
        self,
        n_fft=400,
        win_length=None,
        hop_length=None,
        pad=0,
        window=WindowType.HANN,
        power=2.0,
        normalized=False,
        center=True,
        pad_mode=BorderType.REFLECT,
        onesided=True,
    ):
        self._fill_in()

    def _check(self, a):
        if not a.ndim:
            raise fault("Spectrogram: input tensor is not in shape of <..., time>.")
        if a.dtype.kind not in "biuf":
            got = "string" if a.dtype.kind in "US" else a.dtype
            said = f"input tensor type should be int, float or double, but got: {got}"
            raise fault(f"Spectrogram: {said}")

    def _make(self, a):
        w = self._window(self.window)
        x = padded(a, self.pad)
        if self.center and x.shape[-1] <= self.n_fft // 2 and self.pad_mode == BorderType.REFLECT:
            said = "Padding size should be less than the corresponding input dimension."
            raise fault(f"Spectrogram: {said}")
        z = stft(x, self.n_fft, self.hop_length, w, self.center, self.pad_mode, self.onesided)
        if self.normalized:
            z = z / math.sqrt((w * w).sum())
        made = np.abs(z) ** self.power if self.power else to_pairs(z)
        return made.astype(a.dtype)


class InverseSpectrogram(_Windowed):
    """The signal of complex spectra.

    Args:
        length (int, optional): of the signal. Default: what the windows cover.
        n_fft (int): the samples of a transform. Default: 400.
        win_length (int, optional): the samples of a window, at most ``n_fft``. Default: ``n_fft``.
        hop_length (int, optional): the samples between two windows. Default: half a window.
        pad (int): the samples that are dropped on both sides of the signal. Default: 0.
        window (WindowType): Default: ``WindowType.HANN``.
        normalized (bool): whether spectra were divided by the window's norm. Default: False.
        center (bool): whether the first window's middle is the first sample. Default: True.
        pad_mode (BorderType): accepted, without effect. Default: ``BorderType.REFLECT``.
        onesided (bool): whether frequencies above half the rate are left out. Default: True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., freq, time, complex=2> (raised when the transform
            is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.InverseSpectrogram(n_fft=8)(np.zeros((2, 5, 8, 2))).shape
        (2, 28)
    """

    _axes = ("freq", "time", "complex=2")

    @takes(
        fitting_window,
        length=Optional(count),
        n_fft=positive_int,
        window=Typed(WindowType),
        normalized=boolean,
        center=boolean,
        pad_mode=Typed(BorderType),
        onesided=boolean,
        pad=count,
        hop_length=Optional(positive_int),
        win_length=Optional(positive_int),
    )
    def __init__(
        self,
        length=None,
        n_fft=400,
        win_length=None,
        hop_length=None,
        pad=0,
        window=WindowType.HANN,
        normalized=False,
        center=True,
        pad_mode=BorderType.REFLECT,
        onesided=True,
    ):
        self._fill_in()

    def _make(self, a):
        w = self._window(self.window)
        z = to_complex(a)
        if self.normalized:
            z = z * math.sqrt((w * w).sum())
        whole = self.length + 2 * self.pad if self.length else None
        x = istft(z, self.n_fft, self.hop_length, w, self.center, self.onesided, whole)
        if self.pad:
            x = x[..., self.pad : x.shape[-1] - self.pad]
        return x.astype(a.dtype)


class GriffinLim(_Windowed):
    """A signal whose spectra have given amplitudes, by the algorithm of Griffin and Lim.

    Args:
        n_fft (int): the samples of a transform. Default: 400.
        n_iter (int): how often phases are improved. Default: 32.
        win_length (int, optional): the samples of a window, at most ``n_fft``. Default: ``n_fft``.
        hop_length (int, optional): the samples between two windows. Default: half a window.
        window_type (WindowType): Default: ``WindowType.HANN``.
        power (float): of the amplitudes in the spectrogram. Default: 2.0.
        momentum (float): of the phases. Default: 0.99.
        length (int, optional): of the signal. Default: what the windows cover.
        rand_init (bool): whether the first phases are random. Default: True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., freq, time> of ``n_fft // 2 + 1`` frequencies
            (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.GriffinLim(n_fft=8)(np.ones((5, 8))).shape
        (28,)
    """

    _axes = ("freq", "time")

    @takes(
        fitting_window,
        n_fft=positive_int,
        n_iter=positive_int,
        win_length=Optional(count),
        hop_length=Optional(count),
        window_type=Typed(WindowType),
        power=positive_float,
        momentum=non_negative_float,
        length=Optional(count),
        rand_init=boolean,
    )
    def __init__(
        self,
        n_fft=400,
        n_iter=32,
        win_length=None,
        hop_length=None,
        window_type=WindowType.HANN,
        power=2.0,
        momentum=0.99,
        length=None,
        rand_init=True,
    ):
        self._fill_in()

    def _make(self, a):
        if a.shape[-2] != self.n_fft // 2 + 1:
            raise fault("GriffinLim: the frequency of the input should equal to n_fft / 2 + 1")
        w, hop = self._window(self.window_type), self.hop_length
        amplitudes = np.power(a.astype(np.float64), 1 / self.power)
        phases = np.ones(a.shape, np.complex128)
        if self.rand_init:
            phases = rowrng.current().random((*a.shape, 2)) @ np.array([1, 1j])
        before = 0
        for _ in range(self.n_iter):
            x = istft(amplitudes * phases, self.n_fft, hop, w)
            now = stft(x, self.n_fft, hop, w)
            phases = now + self.momentum / (1 + self.momentum) * (now - before)
            phases = phases / (np.abs(phases) + 1e-16)
            before = now
        return istft(amplitudes * phases, self.n_fft, hop, w, length=self.length).astype(a.dtype)


class SpectralCentroid(_Windowed):
    """The mean frequency of each window of a signal.

    Args:
        sample_rate (int): of the signal, not negative.
        n_fft (int): the samples of a transform. Default: 400.
        win_length (int, optional): the samples of a window, at most ``n_fft``. Default: ``n_fft``.
        hop_length (int, optional): the samples between two windows. Default: half a window.
        pad (int): the zeros on both sides of the signal. Default: 0.
        window (WindowType): Default: ``WindowType.HANN``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.SpectralCentroid(44100, n_fft=8)(np.ones((2, 30))).shape
        (2, 1, 8)
    """

    _arrays_only = False

    @takes(
        fitting_window,
        sample_rate=count,
        pad=count,
        window=Typed(WindowType),
        n_fft=positive_int,
        win_length=Optional(positive_int),
        hop_length=Optional(positive_int),
    )
    def __init__(
        self,
        sample_rate,
        n_fft=400,
        win_length=None,
        hop_length=None,
        pad=0,
        window=WindowType.HANN,
    ):
        self._fill_in()

    def _make(self, a):
        w = self._window(self.window)
        z = np.abs(stft(padded(a, self.pad), self.n_fft, self.hop_length, w))
        frequencies = np.linspace(0, self.sample_rate // 2, 1 + self.n_fft // 2)[:, None]
        with np.errstate(invalid="ignore"):
            made = (frequencies * z).sum(-2, keepdims=True) / z.sum(-2, keepdims=True)
        return made.astype(a.dtype)

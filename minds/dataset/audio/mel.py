"""Features of spectra in bands: the mel scale, and cepstra."""

from __future__ import annotations

import numpy as np

from ...base.errors import complain
from .. import rowrng
from ..arguments import (
    FLOAT32,
    Number,
    Optional,
    Typed,
    any_real,
    boolean,
    check_type,
    count,
    float_above_zero,
    non_negative_float,
    positive_float,
    positive_int,
    takes,
)
from .banks import cosines, linear_bank, mel_bank
from .base import AudioTransform, fault
from .enums import BorderType, MelType, NormMode, NormType, ScaleType, WindowType
from .levels import AmplitudeToDB
from .spectra import Spectrogram, fitting_window


def _band(f_min, f_max, sample_rate, **_) -> None:
    if f_max is not None:
        if f_min >= f_max:
            raise complain(ValueError, "MelScale: f_max should be greater than f_min.")
    elif f_min >= sample_rate // 2:
        said = "sample_rate // 2 should be greater than f_min when f_max is set to None."
        raise complain(ValueError, f"MelScale: {said}")


class MelScale(AudioTransform):
    """Spectra as energies of bands of the mel scale.

    Args:
        n_mels (int): how many bands. Default: 128.
        sample_rate (int): of the signal. Default: 16000.
        f_min (float): where the first band begins, in Hz. Default: 0.0.
        f_max (float, optional): where the last band ends. Default: half the rate.
        n_stft (int): frequencies of a spectrum. Default: 201.
        norm (NormType): whether bands have equal areas. Default: ``NormType.NONE``.
        mel_type (MelType): the formula of the scale. Default: ``MelType.HTK``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., freq, time> of ``n_stft`` frequencies (raised when
            the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.MelScale(4, n_stft=9)(np.ones((9, 3))).shape
        (4, 3)
    """

    _axes = ("freq", "time")

    @takes(
        _band,
        n_mels=positive_int,
        sample_rate=positive_int,
        f_min=any_real,
        f_max=Optional(positive_float),
        n_stft=positive_int,
        norm=Typed(NormType),
        mel_type=Typed(MelType),
    )
    def __init__(
        self,
        n_mels=128,
        sample_rate=16000,
        f_min=0.0,
        f_max=None,
        n_stft=201,
        norm=NormType.NONE,
        mel_type=MelType.HTK,
    ):
        self.f_max = f_max if f_max is not None else sample_rate // 2
        self._bank = mel_bank(n_stft, f_min, self.f_max, n_mels, sample_rate, norm, mel_type)

    def _make(self, a):
        if a.shape[-2] != self.n_stft:
            got = f"n_stft {self.n_stft} while freq {a.shape[-2]}."
            said = f"invalid parameter, 'n_stft' should be equal to 'freq', but got: {got}"
            raise fault(f"MelScale: {said}")
        return self._bank.T.astype(a.dtype) @ a


def _descent(_, value) -> None:
    if value is not None:
        for name in ("sgd_lr", "sgd_momentum"):
            non_negative_float(name, value[name])


class InverseMelScale(AudioTransform):
    """Spectra that have given energies of bands of the mel scale, by gradient descent from random ones.

    Args:
        n_stft (int): frequencies of a spectrum.
        n_mels (int): how many bands. Default: 128.
        sample_rate (int): of the signal. Default: 16000.
        f_min (float): where the first band begins, in Hz. Default: 0.0.
        f_max (float, optional): where the last band ends. Default: half the rate.
        max_iter (int): the most steps. Default: 100000.
        tolerance_loss (float): the loss that is small enough. Default: 1e-5.
        tolerance_change (float): the change of the loss that is small enough. Default: 1e-8.
        sgdargs (dict, optional): ``sgd_lr`` and ``sgd_momentum``. Default: 0.1 and 0.9.
        norm (NormType): whether bands have equal areas. Default: ``NormType.NONE``.
        mel_type (MelType): the formula of the scale. Default: ``MelType.HTK``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., freq, time> of ``n_mels`` bands (raised when the
            transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.InverseMelScale(9, 4, max_iter=10)(np.ones((2, 4, 3))).shape
        (2, 9, 3)
    """

    _axes = ("freq", "time")

    @takes(
        _band,
        n_mels=positive_int,
        sample_rate=positive_int,
        f_min=any_real,
        f_max=Optional(positive_float),
        n_stft=positive_int,
        norm=Typed(NormType),
        mel_type=Typed(MelType),
        max_iter=positive_int,
        tolerance_loss=positive_float,
        tolerance_change=positive_float,
        sgdargs=_descent,
    )
    def __init__(
        self,
        n_stft,
        n_mels=128,
        sample_rate=16000,
        f_min=0.0,
        f_max=None,
        max_iter=100000,
        tolerance_loss=1e-5,
        tolerance_change=1e-8,
        sgdargs=None,
        norm=NormType.NONE,
        mel_type=MelType.HTK,
    ):
        self.f_max = f_max if f_max is not None else sample_rate // 2
        self.sgdargs = sgdargs or {"sgd_lr": 0.1, "sgd_momentum": 0.9}
        self._bank = mel_bank(n_stft, f_min, self.f_max, n_mels, sample_rate, norm, mel_type)

    def _make(self, a):
        if a.shape[-2] != self.n_mels:
            said = "n_mels must be equal to the penultimate dimension of input."
            raise fault(f"InverseMelScale: {said}")
        wanted = np.swapaxes(a.astype(np.float64), -1, -2).reshape(-1, a.shape[-1], self.n_mels)
        found = rowrng.current().random((*wanted.shape[:-1], self.n_stft))
        speed, last = np.zeros_like(found), np.inf
        rate, momentum = self.sgdargs["sgd_lr"], self.sgdargs["sgd_momentum"]
        for _ in range(self.max_iter):
            error = wanted - found @ self._bank
            loss = (error**2).sum(-1).mean()
            slope = -2 * (error @ self._bank.T) / (error.shape[0] * error.shape[1])
            speed = momentum * speed + slope
            found = np.maximum(found - rate * speed, 0)
            if loss < self.tolerance_loss or abs(last - loss) < self.tolerance_change:
                break
            last = loss
        made = np.swapaxes(found, -1, -2).reshape(*a.shape[:-2], self.n_stft, a.shape[-1])
        return made.astype(a.dtype)


def _mel_type(_, value) -> None:
    """``mel_scale``, which MindSpore's messages call by its other name."""
    check_type("mel_type", value, (MelType,))


def _in_range(f_min, f_max, sample_rate, **_) -> None:
    if f_max is None and f_min >= sample_rate // 2:
        raise complain(
            ValueError,
            "MelSpectrogram: sample_rate // 2 should be greater than f_min when f_max is set to "
            f"None, but got f_min: {f_min}.",
        )
    _ordered(f_min, f_max)


def _ordered(f_min, f_max) -> None:
    if f_max is not None and f_min > f_max:
        said = f"equal to f_min, but got f_min: {f_min} and f_max: {f_max}."
        raise complain(ValueError, f"f_max should be greater than or {said}")


_SPECTRUM = {
    "window": Typed(WindowType),
    "normalized": boolean,
    "center": boolean,
    "pad_mode": Typed(BorderType),
    "onesided": boolean,
    "pad": count,
    "hop_length": Optional(positive_int),
    "win_length": Optional(positive_int),
}


class MelSpectrogram(AudioTransform):
    """The energies of bands of the mel scale over time.

    Args:
        sample_rate (int): of the signal, not negative. Default: 16000.
        n_fft (int): the samples of a transform. Default: 400.
        win_length (int, optional): the samples of a window, at most ``n_fft``. Default: ``n_fft``.
        hop_length (int, optional): the samples between two windows. Default: half a window.
        f_min (float): where the first band begins, in Hz. Default: 0.0.
        f_max (float, optional): where the last band ends. Default: half the rate.
        pad (int): the zeros on both sides of the signal. Default: 0.
        n_mels (int): how many bands. Default: 128.
        window (WindowType): Default: ``WindowType.HANN``.
        power (float): of the amplitudes, positive. Default: 2.0.
        normalized (bool): whether spectra are divided by the window's norm. Default: False.
        center (bool): whether the first window's middle is the first sample. Default: True.
        pad_mode (BorderType): how the signal goes on then. Default: ``BorderType.REFLECT``.
        onesided (bool): whether frequencies above half the rate are left out. Default: True.
        norm (NormType): whether bands have equal areas. Default: ``NormType.NONE``.
        mel_scale (MelType): the formula of the scale. Default: ``MelType.HTK``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.MelSpectrogram(n_fft=16, n_mels=4)(np.ones((2, 30))).shape
        (2, 4, 4)
    """

    @takes(
        _in_range,
        fitting_window,
        sample_rate=count,
        n_fft=positive_int,
        n_mels=count,
        f_min=Typed(float),
        f_max=Optional(Number((float, int), 0, FLOAT32)),
        norm=Typed(NormType),
        mel_scale=_mel_type,
        power=float_above_zero,
        **_SPECTRUM,
    )
    def __init__(
        self,
        sample_rate=16000,
        n_fft=400,
        win_length=None,
        hop_length=None,
        f_min=0.0,
        f_max=None,
        pad=0,
        n_mels=128,
        window=WindowType.HANN,
        power=2.0,
        normalized=False,
        center=True,
        pad_mode=BorderType.REFLECT,
        onesided=True,
        norm=NormType.NONE,
        mel_scale=MelType.HTK,
    ):
        self.f_max = f_max if f_max is not None else sample_rate // 2
        self._spectra = Spectrogram(
            n_fft,
            win_length,
            hop_length,
            pad,
            window,
            power,
            normalized,
            center,
            pad_mode,
            onesided,
        )
        freqs = n_fft // 2 + 1 if onesided else n_fft
        self._bank = mel_bank(freqs, f_min, self.f_max, n_mels, sample_rate, norm, mel_scale)

    def _make(self, a):
        return (self._bank.T @ self._spectra._make(a.astype(np.float64))).astype(a.dtype)


def _second_kind(name: str, value) -> None:
    if value != 2:
        raise complain(ValueError, f"Input {name} must be 2, but got : {value}.")


def _cepstra(energies, logarithms: bool, matrix, dtype):
    """The cosine transforms of energies <..., band, time>, in decibels or as natural logarithms."""
    if logarithms:
        energies = np.log(energies + 1e-6)
    else:
        energies = AmplitudeToDB(ScaleType.POWER, 1.0, 1e-10, 80.0)._make(energies)
    return (matrix.T @ energies).astype(dtype)


class MFCC(AudioTransform):
    """The cepstral coefficients of bands of the mel scale over time.

    Args:
        sample_rate (int): of the signal, not negative. Default: 16000.
        n_mfcc (int): how many coefficients. Default: 40.
        dct_type (int): always 2, the kind of the cosine transform. Default: 2.
        norm (NormMode): whether that is orthonormal. Default: ``NormMode.ORTHO``.
        log_mels (bool): whether logarithms are natural, not decibels. Default: False.
        melkwargs (dict, optional): arguments of `MelSpectrogram`. Default: None.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> op = audio.MFCC(n_mfcc=3, melkwargs={"n_fft": 16, "n_mels": 4})
        >>> op(np.ones((2, 30))).shape
        (2, 3, 4)
    """

    @takes(
        sample_rate=count,
        log_mels=boolean,
        norm=Typed(NormMode),
        n_mfcc=count,
        dct_type=_second_kind,
        melkwargs=Optional(Typed(dict)),
    )
    def __init__(
        self,
        sample_rate=16000,
        n_mfcc=40,
        dct_type=2,
        norm=NormMode.ORTHO,
        log_mels=False,
        melkwargs=None,
    ):
        given = dict(melkwargs or {})
        n_mels = given.get("n_mels", 128)
        self._mels = MelSpectrogram(sample_rate, **given)
        if n_mels < n_mfcc:
            raise complain(
                ValueError,
                "Input n_mels should be greater than or equal to n_mfcc, but got n_mfcc: "
                f"{n_mfcc} and n_mels: {n_mels}.",
            )
        self._matrix = cosines(n_mfcc, n_mels, norm)

    def _make(self, a):
        energies = self._mels._make(a.astype(np.float64))
        return _cepstra(energies, self.log_mels, self._matrix, a.dtype)


class LFCC(AudioTransform):
    """The cepstral coefficients of bands of equal width over time.

    Args:
        sample_rate (int): of the signal, not negative. Default: 16000.
        n_filter (int): how many bands. Default: 128.
        n_lfcc (int): how many coefficients. Default: 40.
        f_min (float): where the first band begins, in Hz. Default: 0.0.
        f_max (float, optional): where the last band ends. Default: half the rate.
        dct_type (int): always 2, the kind of the cosine transform. Default: 2.
        norm (NormMode): whether that is orthonormal. Default: ``NormMode.ORTHO``.
        log_lf (bool): whether logarithms are natural, not decibels. Default: False.
        speckwargs (dict, optional): arguments of `Spectrogram`. Default: None.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.LFCC(n_filter=4, n_lfcc=3, speckwargs={"n_fft": 16})(np.ones((2, 30))).shape
        (2, 3, 4)
    """

    @takes(
        sample_rate=count,
        n_filter=positive_int,
        n_lfcc=positive_int,
        log_lf=boolean,
        norm=Typed(NormMode),
        f_min=non_negative_float,
        f_max=Optional(Number((float, int), 0, FLOAT32)),
        dct_type=_second_kind,
        speckwargs=Optional(Typed(dict)),
    )
    def __init__(
        self,
        sample_rate=16000,
        n_filter=128,
        n_lfcc=40,
        f_min=0.0,
        f_max=None,
        dct_type=2,
        norm=NormMode.ORTHO,
        log_lf=False,
        speckwargs=None,
    ):
        _ordered(f_min, f_max)
        if f_max is None and f_min >= sample_rate // 2:
            raise complain(
                ValueError,
                "Input sample_rate // 2 should be greater than f_min when f_max is set to None, but "
                f"got f_min: {f_min} and sample_rate: {sample_rate}.",
            )
        self.f_max = f_max if f_max is not None else sample_rate // 2
        given = dict(speckwargs or {})
        check_type("power", given.get("power", 2.0), (float,))
        n_fft = given.get("n_fft", 400)
        if n_fft < n_lfcc:
            said = f"equal to n_lfcc, but got n_fft: {n_fft} and n_lfcc: {n_lfcc}."
            raise complain(ValueError, f"n_fft should be greater than or {said}")
        self._spectra = Spectrogram(**given)
        freqs = n_fft // 2 + 1 if self._spectra.onesided else n_fft
        self._bank = linear_bank(freqs, f_min, self.f_max, n_filter, sample_rate)
        self._matrix = cosines(n_lfcc, n_filter, norm)

    def _make(self, a):
        energies = self._bank.T @ self._spectra._make(a.astype(np.float64))
        return _cepstra(energies, self.log_lf, self._matrix, a.dtype)

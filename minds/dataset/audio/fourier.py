"""The short-time Fourier transform of real signals, and its inverse."""

from __future__ import annotations

import numpy as np

from ...base.worded import complain
from .enums import BorderType, WindowType

_PAD = {
    BorderType.CONSTANT: "constant",
    BorderType.EDGE: "edge",
    BorderType.REFLECT: "reflect",
    BorderType.SYMMETRIC: "symmetric",
}


def window(kind: WindowType, length: int) -> np.ndarray:
    """A window of float64, periodic: one more sample would be the first again."""
    if length == 1:
        return np.ones(1)
    if kind == WindowType.KAISER:
        return np.kaiser(length + 1, 12.0)[:-1]
    shapes = {
        WindowType.BARTLETT: np.bartlett,
        WindowType.BLACKMAN: np.blackman,
        WindowType.HAMMING: np.hamming,
        WindowType.HANN: np.hanning,
    }
    return shapes[kind](length + 1)[:-1]


def centered(w: np.ndarray, n_fft: int) -> np.ndarray:
    """A window with zeros on both sides."""
    left = (n_fft - len(w)) // 2
    return np.pad(w, (left, n_fft - len(w) - left))


def stft(x, n_fft, hop, w, center=True, pad_mode=BorderType.REFLECT, onesided=True):
    """The spectra of windows of a signal: complex <..., freq, time>.

    Args:
        x (numpy.ndarray): <..., time>.
        n_fft (int): the samples of a window.
        hop (int): the samples between two windows.
        w (numpy.ndarray): the window's factors.
        center (bool): whether the first window's middle is the first sample.
        pad_mode (BorderType): how the signal goes on then.
        onesided (bool): whether frequencies above half the rate are left out.
    """
    if center:
        half = n_fft // 2
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(half, half)], mode=_PAD[pad_mode])
    if x.shape[-1] < n_fft:
        raise complain(
            RuntimeError,
            f"Spectrogram: n_fft should be more than 0 and at most the length of the signal, "
            f"{x.shape[-1]}, but got {n_fft}.",
        )
    frames = np.lib.stride_tricks.sliding_window_view(x, n_fft, axis=-1)[..., ::hop, :]
    transform = np.fft.rfft if onesided else np.fft.fft
    return np.moveaxis(transform(frames * w, axis=-1), -1, -2)


def istft(z, n_fft, hop, w, center=True, onesided=True, length=None):
    """The signal of which `stft` makes the spectra ``z``.

    Args:
        z (numpy.ndarray): complex <..., freq, time>.
        n_fft (int): the samples of a window.
        hop (int): the samples between two windows.
        w (numpy.ndarray): the window's factors.
        center (bool): whether the first window's middle is the first sample.
        onesided (bool): whether frequencies above half the rate are left out.
        length (int, optional): of the signal. Default: what the windows cover.
    """
    inverse = np.fft.irfft if onesided else np.fft.ifft
    frames = inverse(np.moveaxis(z, -2, -1), n_fft, axis=-1).real * w
    count = frames.shape[-2]
    size = n_fft + hop * (count - 1)
    x, weight = np.zeros((*frames.shape[:-2], size)), np.zeros(size)
    for i in range(count):
        x[..., i * hop : i * hop + n_fft] += frames[..., i, :]
        weight[i * hop : i * hop + n_fft] += w * w
    begin = n_fft // 2 if center else 0
    end = begin + length if length else size - begin
    x, weight = x[..., begin:end], weight[begin:end]
    made = np.divide(x, weight, out=np.zeros_like(x), where=weight > 1e-11)
    missing = (length or made.shape[-1]) - made.shape[-1]
    return np.pad(made, [(0, 0)] * (made.ndim - 1) + [(0, max(missing, 0))])

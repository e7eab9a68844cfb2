"""What is seen of a signal over time: slopes, normalised features, the pitch."""

from __future__ import annotations

import math

import numpy as np

from ..arguments import (
    INT32,
    Number,
    Typed,
    boolean,
    count,
    float_above_zero,
    nonzero_int,
    positive_float,
    positive_int,
    takes,
)
from .base import AudioTransform
from .enums import BorderType
from .fourier import _PAD


class ComputeDeltas(AudioTransform):
    """The slopes of features over time.

    Args:
        win_length (int): over how many times a slope is taken, at least 3. Default: 5.
        pad_mode (BorderType): how features go on behind their ends. Default: ``BorderType.EDGE``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``win_length`` is out of range.
        RuntimeError: the value is no array <..., freq, time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.ComputeDeltas(3)(np.array([[0.0, 1.0, 2.0, 3.0]])).tolist()
        [[0.5, 1.0, 1.0, 0.5]]
    """

    _axes = ("freq", "time")

    @takes(pad_mode=Typed(BorderType), win_length=Number((int,), 3, INT32))
    def __init__(self, win_length=5, pad_mode=BorderType.EDGE):
        pass

    def _make(self, a):
        n = (self.win_length - 1) // 2
        x = np.pad(a, [(0, 0)] * (a.ndim - 1) + [(n, n)], mode=_PAD[self.pad_mode])
        windows = np.lib.stride_tricks.sliding_window_view(x, 2 * n + 1, axis=-1)
        weights = np.arange(-n, n + 1) / (n * (n + 1) * (2 * n + 1) / 3)
        return (windows @ weights).astype(a.dtype)


class SlidingWindowCmn(AudioTransform):
    """Features less their mean over a window that slides.

    Args:
        cmn_window (int): the window. Default: 600.
        min_cmn_window (int): the window at the beginning, where it is not centred. Default: 100.
        center (bool): whether windows have their time in the middle, not at the end. Default: False.
        norm_vars (bool): whether the variance becomes 1. Default: False.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a window is out of range.
        RuntimeError: the value is no array <..., freq, time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.SlidingWindowCmn()(np.array([[1.0], [3.0]])).tolist()
        [[-1.0], [1.0]]
    """

    _axes = ("freq", "time")

    @takes(cmn_window=count, min_cmn_window=count, center=boolean, norm_vars=boolean)
    def __init__(self, cmn_window=600, min_cmn_window=100, center=False, norm_vars=False):
        pass

    def _range(self, t: int, frames: int) -> tuple[int, int]:
        """The window of a time."""
        size = self.cmn_window
        begin, end = (t - size // 2, t - size // 2 + size) if self.center else (t - size, t + 1)
        if begin < 0:
            begin, end = 0, end - begin
        if not self.center and end > t:
            end = max(t + 1, self.min_cmn_window)
        if end > frames:
            begin, end = max(begin - (end - frames), 0), frames
        return begin, end

    def _make(self, a):
        frames = a.shape[-2]
        x = a.astype(np.float64)
        zero = np.zeros((*a.shape[:-2], 1, a.shape[-1]))
        sums = np.concatenate([zero, x.cumsum(-2)], -2)
        squares = np.concatenate([zero, (x * x).cumsum(-2)], -2)
        begin, end = np.array([self._range(t, frames) for t in range(frames)]).T
        size = (end - begin)[:, None]
        mean = (sums[..., end, :] - sums[..., begin, :]) / size
        made = x - mean
        if self.norm_vars:
            variance = (squares[..., end, :] - squares[..., begin, :]) / size - mean * mean
            with np.errstate(all="ignore"):
                made = np.where(size == 1, 0, made / np.sqrt(variance))
        return made.astype(a.dtype)


class DetectPitchFrequency(AudioTransform):
    """The pitch of a signal over time, by its correlation with itself.

    Args:
        sample_rate (int): of the signal, not zero.
        frame_time (float): between two pitches, in seconds, positive. Default: 0.01.
        win_length (int): over how many pitches the median is taken, positive. Default: 30.
        freq_low (float): the lowest pitch in Hz, positive. Default: 85.
        freq_high (float): the highest pitch in Hz, positive. Default: 3400.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array of floats <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.DetectPitchFrequency(30, 0.1, 3, 5, 25)(np.ones((2, 40))).shape
        (2, 13)
    """

    _floats_only = True

    @takes(
        sample_rate=nonzero_int,
        frame_time=float_above_zero,
        win_length=positive_int,
        freq_low=positive_float,
        freq_high=positive_float,
    )
    def __init__(self, sample_rate, frame_time=0.01, win_length=30, freq_low=85, freq_high=3400):
        pass

    def _of(self, value):
        half = isinstance(value, np.ndarray) and value.dtype == np.float16
        return super()._of(value.astype(np.float32) if half else value).astype(np.float32)

    def _make(self, a):
        x = a.reshape(-1, a.shape[-1]).astype(np.float64)
        lags = self._median(self._lags(self._correlation(x)))
        made = self.sample_rate / (1e-9 + lags.astype(np.float32))
        return made.reshape(*a.shape[:-1], made.shape[-1])

    def _correlation(self, x):
        """How a frame and what comes some lag later are alike: (signal, frame, lag)."""
        lags = math.ceil(self.sample_rate / self.freq_low)
        size = math.ceil(self.sample_rate * self.frame_time)
        frames = math.ceil(x.shape[-1] / size)
        x = np.pad(x, ((0, 0), (0, lags + frames * size - x.shape[-1])))
        made = []
        for lag in range(1, lags + 1):
            first = x[:, :-lag][:, : frames * size].reshape(len(x), frames, size)
            second = x[:, lag:][:, : frames * size].reshape(len(x), frames, size)
            norms = (1e-9 + np.linalg.norm(v, axis=-1) for v in (first, second))
            made.append((first * second).sum(-1) / np.prod([n**2 for n in norms], axis=0))
        return np.stack(made, -1)

    def _lags(self, alike):
        """The lag of each frame: that of the best below half the range, if it is nearly the best."""
        low = math.ceil(self.sample_rate / self.freq_high)
        whole, half = alike[..., low:], alike[..., low : alike.shape[-1] // 2]
        best = whole.argmax(-1)
        if half.shape[-1]:
            best = np.where(half.max(-1) > 0.99 * whole.max(-1), half.argmax(-1), best)
        return best + low + 1

    def _median(self, lags):
        """The medians of windows that end at each frame."""
        pad = (self.win_length - 1) // 2
        x = np.concatenate([np.repeat(lags[:, :1], pad, -1), lags], -1)
        windows = np.lib.stride_tricks.sliding_window_view(x, self.win_length, axis=-1)
        return np.sort(windows, axis=-1)[..., (self.win_length - 1) // 2]

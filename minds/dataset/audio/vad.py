"""Voice activity detection: a signal from where somebody begins to speak."""

from __future__ import annotations

import math

import numpy as np

from ...base.errors import complain
from ..arguments import any_real, non_negative_float, positive_float, positive_int, takes
from .base import AudioTransform, fault
from .enums import WindowType
from .fourier import window


def _up_and_down(noise_up_time, noise_down_time, **_) -> None:
    if noise_up_time < noise_down_time:
        raise complain(
            ValueError,
            "Input noise_up_time should be greater than noise_down_time, but got noise_up_time: "
            f"{noise_up_time} and noise_down_time: {noise_down_time}.",
        )


def _duration(name: str, value) -> None:
    if value:
        non_negative_float(name, value)


class Vad(AudioTransform):
    """A signal without what comes before the voice. It is the detector of SoX: the power of the cepstrum
    where voices have theirs, smoothed over time, triggers it.

    Args:
        sample_rate (int): of the signal, positive.
        trigger_level (float): of the power. Default: 7.0.
        trigger_time (float): the time constant of the power in seconds. Default: 0.25.
        search_time (float): how far before the trigger the voice may begin. Default: 1.0.
        allowed_gap (float): how long the voice may be silent there. Default: 0.25.
        pre_trigger_time (float): how much is kept before the voice. Default: 0.0.
        boot_time (float): how long the noise is learned at first. Default: 0.35.
        noise_up_time (float): the time constant of noise that rises. Default: 0.1.
        noise_down_time (float): of noise that falls. Default: 0.01.
        noise_reduction_amount (float): how much of the noise is taken away. Default: 1.35.
        measure_freq (float): measures per second, positive. Default: 20.0.
        measure_duration (float, optional): of a measure. Default: twice the time between two.
        measure_smooth_time (float): the time constant of spectra. Default: 0.4.
        hp_filter_freq (float): the lowest frequency of spectra in Hz, positive. Default: 50.0.
        lp_filter_freq (float): the highest frequency of spectra, positive. Default: 6000.0.
        hp_lifter_freq (float): the lowest pitch, positive. Default: 150.0.
        lp_lifter_freq (float): the highest pitch, positive. Default: 2000.0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.Vad(16000)(np.zeros((2, 9))).shape
        (2, 9)
    """

    @takes(
        _up_and_down,
        sample_rate=positive_int,
        trigger_level=any_real,
        trigger_time=non_negative_float,
        search_time=non_negative_float,
        allowed_gap=non_negative_float,
        pre_trigger_time=non_negative_float,
        boot_time=non_negative_float,
        noise_up_time=non_negative_float,
        noise_down_time=non_negative_float,
        noise_reduction_amount=non_negative_float,
        measure_freq=positive_float,
        measure_duration=_duration,
        measure_smooth_time=non_negative_float,
        hp_filter_freq=positive_float,
        lp_filter_freq=positive_float,
        hp_lifter_freq=positive_float,
        lp_lifter_freq=positive_float,
    )
    def __init__(
        self,
        sample_rate,
        trigger_level=7.0,
        trigger_time=0.25,
        search_time=1.0,
        allowed_gap=0.25,
        pre_trigger_time=0.0,
        boot_time=0.35,
        noise_up_time=0.1,
        noise_down_time=0.01,
        noise_reduction_amount=1.35,
        measure_freq=20.0,
        measure_duration=None,
        measure_smooth_time=0.4,
        hp_filter_freq=50.0,
        lp_filter_freq=6000.0,
        hp_lifter_freq=150.0,
        lp_lifter_freq=2000.0,
    ):
        self.measure_duration = measure_duration or 2.0 / measure_freq

    def _make(self, a):
        x = a.reshape(-1, a.shape[-1]).astype(np.float64)
        made = a.reshape(x.shape)[:, self._begin(x) :]
        return made.reshape(*a.shape[:-1], made.shape[-1])

    def _begin(self, x) -> int:
        """The first sample that is kept."""
        rate = self.sample_rate
        period = int(rate / self.measure_freq + 0.5)
        searched = math.ceil(np.float32(self.search_time) * np.float32(self.measure_freq))
        size = int(rate * self.measure_duration + 0.5)
        kept = int(self.pre_trigger_time * rate + 0.5) + searched * period + size
        mult = _fading(self.trigger_time, self.measure_freq)
        measures = [_Spectra(self, size) for _ in x]
        means, past = np.zeros(len(x)), np.zeros((len(x), searched))
        for number, at in enumerate(range(size - 1, x.shape[1], period)):
            flushed = -1
            for i, measure in enumerate(measures):
                frame = x[i, max(at - size, 0) : at]
                past[i, number % searched] = level = measure(
                    np.pad(frame, (size - len(frame), 0)), number
                )
                means[i] = means[i] * mult + level * (1 - mult)
                if flushed >= 0 or means[i] >= self.trigger_level:
                    flushed = max(flushed, self._back(past[i], number % searched))
            if flushed >= 0:
                flushed = min(flushed, searched)
                return max(at + 1 - kept + (searched - flushed) * period, 0)
        begin = x.shape[1] - kept
        return begin if begin >= 0 else max(begin + x.shape[1], 0)

    def _back(self, past, k: int) -> int:
        """How many measures before the last one the voice began."""
        n, gap = len(past), int(self.allowed_gap * self.measure_freq + 0.5)
        trigger = silent = n
        for j in range(n):
            level = past[(k - j) % n]
            if level >= self.trigger_level and j <= trigger + gap:
                silent = trigger = j
            elif level == 0 and trigger >= silent:
                silent = j
        return min(n - 1, silent)


def _fading(time: float, frequency: float) -> float:
    """What is left of a value after one measure."""
    return math.exp(-1 / (time * frequency)) if time else 0.0


class _Spectra:
    """The spectrum and the noise of one channel, and the measures of its frames."""

    def __init__(self, of: Vad, size: int):
        self.of = of
        rate = of.sample_rate
        self.length = 16
        while self.length < size:
            self.length *= 2
        self.window = window(WindowType.HANN, size) * 2 / math.sqrt(size)
        self.begin = max(int(of.hp_filter_freq / rate * self.length + 0.5), 1)
        self.end = min(int(of.lp_filter_freq / rate * self.length + 0.5), self.length // 2)
        width = self.end - self.begin
        if width < 1:
            raise fault(
                "Vad: the end of spectrum must be greater than the start. Check if `hp_filter_freq` "
                "is too large or `lp_filter_freq` is too small."
            )
        self.lifter = window(WindowType.HANN, width) * 2 / math.sqrt(width)
        self.first = math.ceil(rate * 0.5 / of.lp_lifter_freq)
        self.last = min(math.floor(rate * 0.5 / of.hp_lifter_freq), self.length // 4)
        if self.last <= self.first:
            raise fault(
                "Vad: the end of cepstrum must be greater than the start. Check if `hp_lifter_freq` "
                "is too large or `lp_lifter_freq` is too small."
            )
        self.spectrum = np.zeros(width)
        self.noise = np.zeros(width)
        self.boots = int(of.boot_time * of.measure_freq - 0.5)

    def __call__(self, frame, number: int) -> float:
        of = self.of
        booting = number <= self.boots
        now = np.abs(np.fft.rfft(frame * self.window, self.length))[self.begin : self.end]
        mult = (
            number / (1 + number) if booting else _fading(of.measure_smooth_time, of.measure_freq)
        )
        self.spectrum = self.spectrum * mult + now * (1 - mult)
        power = self.spectrum**2
        up, down = (_fading(t, of.measure_freq) for t in (of.noise_up_time, of.noise_down_time))
        mult = 0 if booting else np.where(power > self.noise, up, down)
        self.noise = self.noise * mult + power * (1 - mult)
        voice = np.sqrt(np.maximum(power - of.noise_reduction_amount * self.noise, 0))
        cepstrum = np.zeros(self.length // 2)
        cepstrum[self.begin : self.end] = voice * self.lifter
        found = (np.abs(np.fft.rfft(cepstrum)[self.first : self.last]) ** 2).sum()
        return max(0.0, 21 + math.log(found / (self.last - self.first))) if found > 0 else 0.0

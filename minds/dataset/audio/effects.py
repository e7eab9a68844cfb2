"""Effects: dither, overdrive, and delays that vary."""

from __future__ import annotations

import math

import numpy as np

from .. import rowrng
from ..arguments import Number, Typed, any_int, boolean, nonzero_int, takes
from .base import AudioTransform, fault
from .enums import DensityFunction, Interpolation, Modulation


class Dither(AudioTransform):
    """A signal in steps of 16 bits, with noise that hides the steps.

    Args:
        density_function (DensityFunction): of the noise. Default: ``DensityFunction.TPDF``.
        noise_shaping (bool): whether the noise is moved to high frequencies. Default: False.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> bool((abs(audio.Dither()(np.zeros(100))) < 1e-4).all())
        True
    """

    @takes(density_function=Typed(DensityFunction), noise_shaping=boolean)
    def __init__(self, density_function=DensityFunction.TPDF, noise_shaping=False):
        pass

    def _make(self, a):
        scaled = a * np.asarray(2**15 - 2, a.dtype)
        size = a.shape[-1]
        random = rowrng.current()
        if self.density_function == DensityFunction.RPDF:
            noise = random.random() - 0.5
        elif self.density_function == DensityFunction.GPDF:
            channels = scaled.reshape(-1, size)
            noise = scaled[..., :1] * 0
            for _ in range(6):
                noise = noise + channels[random.integers(len(channels)), random.integers(size)]
            noise = noise / (6 * 2**15)
        else:
            noise = random.permutation(np.bartlett(size + 1)[:size])
        made = np.round(scaled + noise) / 2**15
        if self.noise_shaping:
            error = made - a
            made = made + np.concatenate([np.zeros_like(error[..., :1]), error[..., :-1]], -1)
        return made.astype(a.dtype)


class Overdrive(AudioTransform):
    """A signal with the distortion of an overdriven amplifier.

    Args:
        gain (float): in dB, in ``[0, 100]``. Default: 20.0.
        color (float): how much of the even harmonics there is, in ``[0, 100]``. Default: 20.0.

    Raises:
        TypeError: an argument is no number.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.Overdrive()(np.zeros(2)).shape
        (2,)
    """

    @takes(gain=Number((float, int), 0, 100), color=Number((float, int), 0, 100))
    def __init__(self, gain=20.0, color=20.0):
        pass

    def _make(self, a):
        import scipy.signal

        x = a.astype(np.float64) * 10 ** (self.gain / 20) + self.color / 200
        cut = np.clip(x, -1, 1)
        bent = cut - cut**3 / 3
        level = scipy.signal.lfilter([1, -1], [1, -0.995], bent)
        return np.clip(a * 0.5 + level * 0.75, -1, 1).astype(a.dtype)


def wave_table(kind: Modulation, size: int, low: float, high: float, phase: float) -> np.ndarray:
    """One period of a wave between ``low`` and ``high``."""
    point = (np.arange(size) + int(phase / math.pi / 2 * size + 0.5)) % size
    if kind == Modulation.SINUSOIDAL:
        wave = (np.sin(point / size * math.pi * 2) + 1) / 2
    else:
        quarter, d = 4 * point // size, 2 * point / size
        wave = np.select([quarter == 0, quarter < 3], [d + 0.5, 1.5 - d], d - 1.5)
    return wave * (high - low) + low


class Phaser(AudioTransform):
    """A signal with copies of itself whose delays vary.

    Args:
        sample_rate (int): of the signal.
        gain_in (float): of the signal, in ``[0, 1]``. Default: 0.4.
        gain_out (float): of the result, in ``[0, 1e9]``. Default: 0.74.
        delay_ms (float): the longest delay in ms, in ``[0, 5]``. Default: 3.0.
        decay (float): of the copies, in ``[0, 0.99]``. Default: 0.4.
        mod_speed (float): of the variation in Hz, in ``[0.1, 2]``. Default: 0.5.
        sinusoidal (bool): whether the variation is a sine, not a triangle. Default: True.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., time> (raised when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.Phaser(44100)(np.zeros((2, 9))).shape
        (2, 9)
    """

    @takes(
        sample_rate=any_int,
        gain_in=Number((float, int), 0, 1),
        gain_out=Number((float, int), 0, 1e9),
        delay_ms=Number((float, int), 0, 5.0),
        decay=Number((float, int), 0, 0.99),
        mod_speed=Number((float, int), 0.1, 2),
        sinusoidal=boolean,
    )
    def __init__(
        self,
        sample_rate,
        gain_in=0.4,
        gain_out=0.74,
        delay_ms=3.0,
        decay=0.4,
        mod_speed=0.5,
        sinusoidal=True,
    ):
        pass

    def _make(self, a):
        size = int(self.delay_ms * 0.001 * self.sample_rate + 0.5)
        period = int(self.sample_rate / self.mod_speed + 0.5)
        if size < 1 or period < 1:
            said = "'delay_ms' and 'sample_rate' are too small for a delay of one sample."
            raise fault(f"Phaser: invalid parameter, {said}")
        kind = Modulation.SINUSOIDAL if self.sinusoidal else Modulation.TRIANGULAR
        delays = (wave_table(kind, period, 1, size, math.pi / 2) + 0.5).astype(int)
        x = np.ascontiguousarray(np.moveaxis(a, -1, 0)) * np.asarray(self.gain_in, a.dtype)
        copies = np.zeros((size, *x.shape[1:]), a.dtype)
        decay = np.asarray(self.decay, a.dtype)
        at = 0
        for t in range(len(x)):
            x[t] += copies[(at + delays[t % period]) % size]
            at = (at + 1) % size
            copies[at] = x[t] * decay
        return np.clip(np.moveaxis(x, 0, -1) * np.asarray(self.gain_out, a.dtype), -1, 1)


class Flanger(AudioTransform):
    """A signal with a copy of itself whose delay varies, in each channel at another phase.

    Args:
        sample_rate (int): of the signal, not zero.
        delay (float): the shortest delay in ms, in ``[0, 30]``. Default: 0.0.
        depth (float): how much longer it becomes, in ms, in ``[0, 10]``. Default: 2.0.
        regen (float): how much of the copy is fed back, in percent, in ``[-95, 95]``. Default: 0.0.
        width (float): how much of the copy is in the result, in percent, in ``[0, 100]``. Default:
            71.0.
        speed (float): of the variation in Hz, in ``[0.1, 10]``. Default: 0.5.
        phase (float): between channels, in percent of a period, in ``[0, 100]``. Default: 25.0.
        modulation (Modulation): the wave. Default: ``Modulation.SINUSOIDAL``.
        interpolation (Interpolation): between samples. Default: ``Interpolation.LINEAR``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., channel, time> of at most four channels (raised when
            the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.Flanger(44100)(np.zeros((2, 9))).shape
        (2, 9)
    """

    _axes = ("channel", "time")

    @takes(
        sample_rate=nonzero_int,
        delay=Number((float, int), 0, 30),
        depth=Number((float, int), 0, 10),
        regen=Number((float, int), -95, 95),
        width=Number((float, int), 0, 100),
        speed=Number((float, int), 0.1, 10),
        phase=Number((float, int), 0, 100),
        modulation=Typed(Modulation),
        interpolation=Typed(Interpolation),
    )
    def __init__(
        self,
        sample_rate,
        delay=0.0,
        depth=2.0,
        regen=0.0,
        width=71.0,
        speed=0.5,
        phase=25.0,
        modulation=Modulation.SINUSOIDAL,
        interpolation=Interpolation.LINEAR,
    ):
        pass

    def _of(self, value):
        return super()._of(value).astype(value.dtype)

    def _make(self, a):
        channels = a.shape[-2]
        if channels > 4:
            raise fault(
                "Flanger: the channel of input tensor does not match the requirement of operator. "
                f"Expecting tensor with channel less than or equal to 4. But got channel {channels}."
            )
        rate = self.sample_rate
        size = int((self.delay + self.depth) / 1000 * rate + 0.5) + 2
        period = int(rate / self.speed)
        if size < 3 or period < 1:
            said = "'sample_rate' is too small for a delay of one sample."
            raise fault(f"Flanger: invalid parameter, {said}")
        low = math.floor(self.delay / 1000 * rate + 0.5)
        wave = wave_table(self.modulation, period, low, size - 2, 3 * math.pi / 2)
        begin = (np.arange(channels) * period * (self.phase / 100) + 0.5).astype(int)
        x = np.moveaxis(a.reshape(-1, channels, a.shape[-1]), -1, 0).astype(np.float64)
        return self._delayed(x, wave, begin, size).reshape(a.shape)

    def _delayed(self, x, wave, begin, size):
        """The result for ``x`` (time, batch, channel)."""
        back, share = self.regen / 100, self.width / 100
        own = 1 / (1 + share)
        share = share / (1 + share) * (1 - abs(back))
        copies, last = np.zeros((size, *x.shape[1:])), np.zeros(x.shape[1:])
        channel, made = np.arange(x.shape[2]), np.empty_like(x)
        at = 0
        for t in range(len(x)):
            at = (at - 1) % size
            delay = wave[(t + begin) % len(wave)]
            whole = np.floor(delay).astype(int)
            part = delay - whole
            copies[at] = x[t] + last * back
            first, second, third = (copies[(at + whole + i) % size, :, channel].T for i in range(3))
            if self.interpolation == Interpolation.LINEAR:
                last = first + (second - first) * part
            else:
                second, third = second - first, third - first
                curve = third / 2 - second
                last = first + (curve * part + second * 2 - third / 2) * part
            made[t] = x[t] * own + last * share
        return np.moveaxis(np.clip(made, -1, 1), 0, -1)

"""Masks over parts of spectrograms."""

from __future__ import annotations

import numpy as np

from .. import rowrng
from ..arguments import (
    Number,
    any_real,
    boolean,
    check_type,
    count,
    non_negative_float,
    positive_int,
    real,
    takes,
)
from .base import AudioTransform, fault

_AXIS = Number((int,), 1, 2)


def masked(name, a, start: int, width: int, value: float, axis: int) -> np.ndarray:
    """``a`` with ``value`` in ``width`` places of ``axis``, -2 or -1."""
    size = a.shape[axis]
    if start >= size:
        said = "'mask_start' should be less than the length of the masked dimension"
        got = f"'mask_start' {start} and length {size}"
        raise fault(f"{name}: invalid parameter, {said}, but got: {got}")
    if start + width > size:
        said = "the sum of 'mask_start' and 'mask_width' should be no more than the length of the"
        got = f"'mask_start' {start}, 'mask_width' {width} and length {size}"
        raise fault(f"{name}: invalid parameter, {said} masked dimension, but got: {got}")
    made = a.copy()
    made[(..., slice(start, start + width)) + (slice(None),) * (-1 - axis)] = value
    return made


def randomly_masked(a, most: int, value: float, axis: int) -> np.ndarray:
    """``a`` with ``value`` in fewer than ``most`` places of ``axis``, others in each channel."""
    random, size = rowrng.current(), a.shape[axis]
    shape = (*a.shape[:-2], 1, 1)
    width = random.random(shape) * most
    start = (random.random(shape) * (size - width)).astype(int)
    place = np.arange(size)[:, None] if axis == -2 else np.arange(size)
    return np.where((place >= start) & (place < start + width.astype(int)), a.dtype.type(value), a)


class MaskAlongAxis(AudioTransform):
    """A spectrogram with one value in a range of frequencies or times.

    Args:
        mask_start (int): where the range begins, not negative.
        mask_width (int): how long it is, positive.
        mask_value (float): the value.
        axis (int): 1 for frequencies, 2 for times.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., freq, time>, or the range is outside of it (raised
            when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.MaskAlongAxis(0, 1, 9.0, 1)(np.zeros((2, 2))).tolist()
        [[9.0, 9.0], [0.0, 0.0]]
    """

    _axes = ("freq", "time")

    @takes(mask_start=count, mask_width=positive_int, mask_value=any_real, axis=_AXIS)
    def __init__(self, mask_start, mask_width, mask_value, axis):
        pass

    def _make(self, a):
        places = self.mask_start, self.mask_width
        return masked("MaskAlongAxis", a, *places, self.mask_value, self.axis - 3)


class MaskAlongAxisIID(AudioTransform):
    """A spectrogram with one value in a random range of frequencies or times, another in each channel.

    Args:
        mask_param (int): ranges are shorter than this, not negative.
        mask_value (float): the value.
        axis (int): 1 for frequencies, 2 for times.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., freq, time>, or shorter than ``mask_param`` (raised
            when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.MaskAlongAxisIID(1, 9.0, 1)(np.zeros((3, 2, 2))).shape
        (3, 2, 2)
    """

    _axes = ("freq", "time")

    @takes(mask_param=count, mask_value=any_real, axis=_AXIS)
    def __init__(self, mask_param, mask_value, axis):
        pass

    def _make(self, a):
        if self.mask_param > a.shape[self.axis - 3]:
            said = f"mask_param should be less than or equal to {a.shape[self.axis - 3]}"
            raise fault(f"MaskAlongAxisIID: invalid parameter, {said}, but got: {self.mask_param}.")
        return randomly_masked(a, self.mask_param, self.mask_value, self.axis - 3)


def _width(name: str, value) -> None:
    check_type(name, value, (int,))
    non_negative_float(name, value)


class _Masking(AudioTransform):
    """Base of the masks of one axis, ``_axis``."""

    _axes = ("freq", "time")
    _axis = -1

    def _masked(self, a, width: int):
        name, size = type(self).__name__, a.shape[self._axis]
        if width > size:
            axis = "time" if self._axis == -1 else "frequency"
            said = f"'{axis}_mask_param' should be less than or equal to the length of {axis} dimension"
            got = f"'{axis}_mask_param' {width} and length {size}"
            raise fault(f"{name}: invalid parameter, {said}, but got: {got}")
        if self.iid_masks:
            return randomly_masked(a, width, self.mask_value, self._axis)
        return masked(name, a, self.mask_start, width, self.mask_value, self._axis)


class FrequencyMasking(_Masking):
    """A spectrogram with one value in a range of frequencies.

    Args:
        iid_masks (bool): whether the range is random, another in each channel. Default: False.
        freq_mask_param (int): how long the range is, or is at most, not negative. Default: 0.
        mask_start (int): where it begins if it is not random, not negative. Default: 0.
        mask_value (float): the value, not negative. Default: 0.0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., freq, time>, or the range is outside of it (raised
            when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.FrequencyMasking(freq_mask_param=1)(np.ones((2, 2))).tolist()
        [[0.0, 0.0], [1.0, 1.0]]
    """

    _axis = -2

    @takes(
        iid_masks=boolean,
        freq_mask_param=lambda _, value: _width("mask_param", value),
        mask_start=_width,
        mask_value=Number(real, 0, non_negative_float.high),
    )
    def __init__(self, iid_masks=False, freq_mask_param=0, mask_start=0, mask_value=0.0):
        pass

    def _make(self, a):
        return self._masked(a, self.freq_mask_param)


class TimeMasking(_Masking):
    """A spectrogram with one value in a range of times.

    Args:
        iid_masks (bool): whether the range is random, another in each channel. Default: False.
        time_mask_param (int): how long the range is, or is at most, not negative. Default: 0.
        mask_start (int): where it begins if it is not random, not negative. Default: 0.
        mask_value (float): the value, not negative. Default: 0.0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        RuntimeError: the value is no array <..., freq, time>, or the range is outside of it (raised
            when the transform is called).

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import audio
        >>> audio.TimeMasking(time_mask_param=1)(np.ones((2, 2))).tolist()
        [[0.0, 1.0], [0.0, 1.0]]
    """

    @takes(
        iid_masks=boolean,
        time_mask_param=lambda _, value: _width("mask_param", value),
        mask_start=_width,
        mask_value=Number(real, 0, non_negative_float.high),
    )
    def __init__(self, iid_masks=False, time_mask_param=0, mask_start=0, mask_value=0.0):
        pass

    def _make(self, a):
        return self._masked(a, self.time_mask_param)

"""A row's image and what is to be done to it: cuts, a new size, mirrors, numbers, channels first.

What is asked for is collected as long as it can be done in one walk in this order, by the native
core without the interpreter lock, and the cut while a file is decoded; what comes out of order is
done to what was made so far.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ... import _core
from ..buffers import empty
from ..inplace import result
from . import resample
from .codec import Encoded

_CUT, _SIZED, _MIRRORED, _NORMALIZED, _PLANAR = range(5)


class Job:
    """An image and what is asked for so far.

    Args:
        source (numpy.ndarray, Encoded): an image (H, W) or (H, W, C), or a file.
    """

    __slots__ = (
        "source", "stage", "box", "height", "width", "kind", "mirror", "upside_down", "mean", "std",
        "channels_first",
    )  # fmt: skip

    def __init__(self, source):
        self._begin(source)

    def _begin(self, source) -> None:
        self.source = source
        self.height, self.width = source.shape[:2]
        self.stage, self.box, self.kind = _CUT, (0, 0, self.width, self.height), "linear"
        self.mirror = self.upside_down = self.channels_first = False
        self.mean = self.std = None

    def _reach(self, stage: int, again: bool) -> None:
        """What follows is of ``stage``; a stage before it, or the same unless ``again``, is over."""
        if self.stage > stage or self.stage == stage and not again:
            self._begin(self.run())
        self.stage = stage

    @property
    def channels(self) -> int:
        return self.source.shape[2] if len(self.source.shape) == 3 else 1

    def replace(self, change: Callable) -> None:
        """Do something that is not collected to what was made so far."""
        self._begin(change(self.run()))

    def crop(self, top: int, left: int, height: int, width: int) -> None:
        """Cut a part out that lies inside."""
        self._reach(_CUT, True)
        x, y = self.box[:2]
        self.box = x + left, y + top, width, height
        self.height, self.width = height, width

    def resize(self, height: int, width: int, kind: str) -> None:
        """Change the size."""
        if (height, width) == (self.height, self.width):
            return
        self._reach(_SIZED, False)
        self.height, self.width, self.kind = height, width, kind

    def flip(self, mirror: bool, upside_down: bool) -> None:
        """Exchange left and right, or top and bottom."""
        self._reach(_MIRRORED, True)
        self.mirror ^= mirror
        self.upside_down ^= upside_down

    def normalize(self, mean: np.ndarray, std: np.ndarray) -> None:
        """Subtract and divide, per channel, which are last."""
        self._reach(_NORMALIZED, False)
        self.mean, self.std = mean, std

    def planar(self) -> None:
        """Put the channels first."""
        self._reach(_PLANAR, False)
        self.channels_first = True

    def finish(self) -> np.ndarray:
        """`run`, of the last there is to do: the image may be written to where the row is wanted."""
        return self.run(result)

    def run(self, memory: Callable = empty) -> np.ndarray:
        """The image that was asked for; an array of its own unless nothing was. ``memory(shape,
        dtype)`` gives an array for it.
        """
        if isinstance(self.source, Encoded):
            if self.source.is_native:
                return self._run_natively(self.source.augment, memory)
            self.source = self.source.decode()
        a = self.source
        if self.stage == _CUT and self.box == (0, 0, a.shape[1], a.shape[0]):
            return a
        if a.dtype == np.uint8 and a.ndim == 3 and min(a.shape) > 0:
            source = np.ascontiguousarray(a)
            return self._run_natively(lambda *how: _core.augment_image(source, False, *how), memory)
        return self._run_by_numpy(a)

    def _run_natively(self, augment: Callable, memory: Callable) -> np.ndarray:
        shape = self.height, self.width, self.channels
        if self.channels_first:
            shape = shape[2], shape[0], shape[1]
        mean = () if self.mean is None else tuple(self.mean.tolist())
        std = () if self.std is None else tuple(self.std.tolist())
        to = memory(shape, np.float32 if mean else np.uint8)
        augment(
            self.box, resample.KINDS[self.kind], self.mirror, self.upside_down, self.channels_first,
            mean, std, to,
        )  # fmt: skip
        return to

    def _run_by_numpy(self, a: np.ndarray) -> np.ndarray:
        x, y, width, height = self.box
        a = a[y : y + height, x : x + width]
        if a.shape[:2] != (self.height, self.width):
            a = resample.resize(a, self.height, self.width, self.kind)
        a = a[:: -1 if self.upside_down else 1, :: -1 if self.mirror else 1]
        if self.mean is not None:
            a = (a.astype(np.float32) - self.mean) / self.std
        if self.channels_first and a.ndim == 3:
            a = a.transpose(2, 0, 1)
        return np.ascontiguousarray(a)

"""Encoded images: JPEG by libjpeg-turbo where it is found, everything else by Pillow."""

from __future__ import annotations

import functools
import glob
import importlib.util
import io
import os

import numpy as np

from ... import _core
from ...base.errors import BackendError
from ...base.worded import complain


@functools.cache
def has_native_jpeg() -> bool:
    """Whether a libjpeg-turbo was found: that of Pillow's wheel, or the system's."""
    spec = importlib.util.find_spec("PIL")
    beside = os.path.dirname(os.path.dirname(spec.origin)) if spec and spec.origin else ""
    found = glob.glob(os.path.join(beside, "pillow.libs", "libjpeg-*.so.62*")) if beside else []
    return any(_core.open_jpeg_library(path) for path in [*found, "libjpeg.so.62"])


class Encoded:
    """An encoded image that is not decoded yet, with the shape of what it holds.

    Args:
        data (numpy.ndarray): the bytes of a file.
        name (str): who decodes, for errors.

    Raises:
        RuntimeError: the bytes are no image.
    """

    __slots__ = ("data", "is_native", "name", "shape", "_image")

    def __init__(self, data: np.ndarray, name: str = "Decode"):
        self.data, self.name, self._image = np.ascontiguousarray(data), name, None
        if not data.size:
            raise complain(RuntimeError, f"{name}: Input Tensor has no data.")
        self.is_native = bytes(data[:3]) == b"\xff\xd8\xff" and has_native_jpeg()
        if self.is_native:
            try:
                self.shape = (*_core.jpeg_size(self.data), 3)
            except _core.BackendFault:
                self.is_native = False  # of four colours
            except _core.Error as e:
                raise self._fault(e) from e
        if not self.is_native:
            self._image = self._open()
            self.shape = (self._image.height, self._image.width, 3)

    def _fault(self, e) -> Exception:
        return complain(RuntimeError, f"{self.name}: image decode failed. {e}")

    def _open(self):
        try:
            from PIL import Image
        except ImportError as e:
            raise BackendError("images other than JPEG need Pillow: pip install pillow") from e
        try:
            return Image.open(io.BytesIO(self.data.tobytes()))
        except Exception as e:  # Pillow's readers raise many kinds for broken files
            raise self._fault(e) from e

    def decode(self) -> np.ndarray:
        """The whole image as RGB."""
        image = self._image or self._open()
        try:
            return np.array(image.convert("RGB"))
        except Exception as e:  # Pillow's readers raise many kinds for broken files
            raise self._fault(e) from e

    def augment(self, *how) -> None:
        """Decodes and augments in one walk; arguments of the core's ``augment_image``."""
        try:
            _core.augment_image(self.data, True, *how)
        except _core.Error as e:
            raise self._fault(e) from e

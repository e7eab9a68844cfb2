"""What all transforms of audio share: which arrays they take, and in which dtype they compute."""

from __future__ import annotations

import numpy as np

from ...base.errors import complain
from ..recorded import Recorded
from ..transforms.base import given


def fault(said: str) -> Exception:
    """The error for a signal that a transform cannot take."""
    return complain(RuntimeError, said)


class AudioTransform(Recorded):
    """Base of all transforms of audio: `_make` gets an array of floats.

    ``_axes`` are the last dimensions that a value must have; ``complex=2`` holds real and imaginary
    part. A float64 stays one, all else becomes float32; with ``_floats_only`` integers are refused
    and a float16 is given back as one. ``_arrays_only``: whether lists are refused.
    """

    _axes = ("time",)
    _floats_only = False
    _arrays_only = True

    def __call__(self, *values):
        if len(given(values)) > 1:
            said = "The op is OneToOne, can only accept one tensor as input."
            raise fault(f"{type(self).__name__}: {said}")
        return self._of(values[0])

    def _of(self, value):
        if self._arrays_only and not isinstance(value, np.ndarray):
            raise complain(TypeError, f"Input should be NumPy audio, got {type(value)}.")
        a = np.asarray(value)
        self._check(a)
        if self._keeps():
            return a.copy()
        dtype = a.dtype
        made = self._make(a if dtype in (np.float32, np.float64) else a.astype(np.float32))
        return made.astype(dtype) if self._floats_only and dtype == np.float16 else made

    def _keeps(self) -> bool:
        """Whether values stay as they are, in their dtype."""
        return False

    def _check(self, a):
        name, axes = type(self).__name__, self._axes
        is_complex = axes[-1].startswith("complex")
        if a.ndim < len(axes) or is_complex and a.shape[-1] != 2:
            wanted = f"<..., {', '.join(axes)}>."
            got = "" if is_complex else f" But got tensor with dimension {a.ndim}."
            raise fault(
                f"{name}: the shape of input tensor does not match the requirement of operator. "
                f"Expecting tensor in shape of {wanted}{got}"
            )
        if a.dtype.kind not in ("f" if self._floats_only else "biuf"):
            wanted = "[float, double]" if self._floats_only else "[int, float, double]"
            got = "string" if a.dtype.kind in "US" else a.dtype
            raise fault(
                f"{name}: the data type of input tensor does not match the requirement of operator. "
                f"Expecting tensor in type of {wanted}. But got type {got}."
            )

    def _make(self, a: np.ndarray):
        """What a value becomes."""
        raise NotImplementedError


def to_complex(a: np.ndarray) -> np.ndarray:
    """Pairs of real and imaginary part as complex numbers."""
    return a[..., 0] + 1j * a[..., 1]


def to_pairs(z: np.ndarray) -> np.ndarray:
    """Complex numbers as pairs of real and imaginary part."""
    return np.stack([z.real, z.imag], -1)

"""Discrete Fourier transforms under NumPy's names and with NumPy's parameters, over `minds.ops`."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from ..base.boundary import guard as _guard
from ..ops import docs, functional
from ..ops.functional import WITHIN as F
from .create import array_of


def _one(fn: Callable) -> Callable:
    def transform(a, n=None, axis=-1, norm=None):
        return fn(array_of(a), n, axis, norm)

    return transform


def _two(fn: Callable) -> Callable:
    def transform(a, s=None, axes=(-2, -1), norm=None):
        return fn(array_of(a), s, axes, norm)

    return transform


def _all(fn: Callable) -> Callable:
    def transform(a, s=None, axes=None, norm=None):
        return fn(array_of(a), s, axes, norm)

    return transform


def _shift(fn: Callable) -> Callable:
    def shift(x, axes=None):
        return fn(array_of(x), axes)

    return shift


def _frequencies(fn: Callable) -> Callable:
    def frequencies(n, d=1.0, dtype=None):
        return fn(n, d, dtype=dtype)

    return frequencies


_MAKERS = {
    _one: "fft ifft rfft irfft hfft ihfft",
    _two: "fft2 ifft2 rfft2 irfft2 hfft2 ihfft2",
    _all: "fftn ifftn rfftn irfftn hfftn ihfftn",
    _shift: "fftshift ifftshift",
    _frequencies: "fftfreq rfftfreq",
}


def _made(name: str, make: Callable) -> Callable:
    function, like = make(getattr(F, name)), functional.NAMES[name]
    function.__name__ = function.__qualname__ = name
    of = functional.parameters_of(like)
    text = docs.adapted(like.__doc__, list(inspect.signature(function).parameters), of)
    function.__doc__ = text.replace(f"ops.{name}(", f"ms.numpy.fft.{name}(")
    return function


globals().update({name: _made(name, m) for m, names in _MAKERS.items() for name in names.split()})

__all__ = sorted(name for names in _MAKERS.values() for name in names.split())
_guard(__name__)

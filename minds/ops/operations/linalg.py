"""Primitive classes of linear algebra and Fourier transforms whose call differs from the function's."""

from __future__ import annotations

from ...base import dtype as dt
from ..define import P
from ..faces import face, primitive
from ..functional import WITHIN as F


@primitive(like="eig")
def Eig(compute_v=False):
    return lambda x: F.eig(x) if compute_v else (F.eig(x)[0], P.full((0,), 0, dt.complex64))


@primitive(like="fftn")
def FFTWithSize(signal_ndim, inverse, real, norm="backward", onesided=True, signal_sizes=()):
    if signal_ndim not in (1, 2, 3):
        raise ValueError(f"FFTWithSize: signal_ndim is {signal_ndim!r}, expected 1, 2 or 3")

    def call(x):
        axes = tuple(range(-signal_ndim, 0))
        size = tuple(signal_sizes) or None
        if not real:
            return (F.ifftn if inverse else F.fftn)(x, None, axes, norm)
        if inverse:
            if onesided:
                return F.irfftn(x, size, axes, norm)
            return P.real(F.ifftn(x, size, axes, norm))
        return F.rfftn(x, None, axes, norm) if onesided else F.fftn(x, None, axes, norm)

    return call


@primitive(like="stft")
def STFT(n_fft, hop_length, win_length, normalized, onesided, return_complex):
    return lambda x, window: F.stft(
        x,
        n_fft,
        hop_length,
        win_length,
        window,
        False,
        "REFLECT",
        normalized,
        onesided,
        return_complex,
    )


@face(cls="ConjugateTranspose", like="conj")
def _(x, perm):
    return P.conj(P.transpose(x, perm))


@primitive(like="einsum")
def Einsum(equation):
    return lambda x: F.einsum(equation, *x)


@primitive(like="inverse")
def MatrixInverse(adjoint=False):
    return lambda x: P.inverse(F.adjoint(x) if adjoint else x)


@primitive(like="qr")
def Qr(full_matrices=False):
    return lambda x: F.qr(x, "complete" if full_matrices else "reduced")

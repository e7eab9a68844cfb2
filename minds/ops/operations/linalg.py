"""Primitive classes of linear algebra and Fourier transforms whose call differs from the function's."""

from __future__ import annotations

import numpy as np

from ...base import dtype as dt
from ...base.errors import expect
from ...ir.abstract import AbstractTensor, AbstractTuple
from ...tensor import Tensor
from ..define import P
from ..faces import face, primitive
from ..function.common import hosted
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


@hosted(lambda x: np.linalg.eigh(x), nondiff=True)
def _eigh(x: Tensor):
    return AbstractTuple((AbstractTensor(x.shape[:-1], x.dtype), AbstractTensor(x.shape, x.dtype)))


@primitive(inner=True)
def SelfAdjointEig(compute_v=True):
    """The eigenvalues of symmetric matrices, rising, and the vectors; 0 in place of these if they are not
    wanted.
    """

    def call(x):
        values, vectors = _eigh(x)
        return values, vectors if compute_v else P.full((1,), 0, x.dtype)

    return call


@hosted(lambda diagonals, rhs: _tridiagonal(diagonals, rhs), nondiff=True)
def _solve_tridiagonal(diagonals: Tensor, rhs: Tensor):
    return AbstractTensor(rhs.shape, rhs.dtype)


def _tridiagonal(diagonals, rhs):
    n = rhs.shape[-2]
    matrix = np.zeros(rhs.shape[:-2] + (n, n), rhs.dtype)
    at = np.arange(n)
    matrix[..., at, at] = diagonals[..., 1, :]
    matrix[..., at[:-1], at[1:]] = diagonals[..., 0, :-1]
    matrix[..., at[1:], at[:-1]] = diagonals[..., 2, 1:]
    return np.linalg.solve(matrix, rhs)


@primitive(inner=True)
def TridiagonalSolve(partial_pivoting=True):
    """The solution of a system whose matrix is given by its diagonals: upper, main, lower.

    Args:
        partial_pivoting (bool): has no effect: rows are always exchanged where that helps.
    """

    def call(diagonals, rhs):
        fits = diagonals.shape[-2] == 3 and diagonals.shape[-1] == rhs.shape[-2]
        expect(fits, "diagonals", f"of shape (..., 3, {rhs.shape[-2]})", got=diagonals.shape)
        return _solve_tridiagonal(diagonals, rhs)

    return call

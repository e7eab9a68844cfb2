"""Invertible maps of random variables.

A map g gives its logarithm of the derivative too, so that the density of g(X) is known from that of
X: :math:`\\log p_Y(y) = \\log p_X(g^{-1}(y)) + \\log |(g^{-1})'(y)|`.
"""

from ....base.boundary import guard as _guard
from .bijector import Bijector
from .maps import Exp, GumbelCDF, Invert, PowerTransform, ScalarAffine, Softplus

__all__ = ["Bijector", "Exp", "GumbelCDF", "Invert", "PowerTransform", "ScalarAffine", "Softplus"]
_guard(__name__)

"""Distributions of random variables, and the maps (bijectors) that make others of them."""

from . import bijector, distribution

__all__ = ["bijector", "distribution"]

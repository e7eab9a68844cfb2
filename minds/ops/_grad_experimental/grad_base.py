"""`bprop_getters`: register the gradient of a primitive class."""

from ..primitive import bprop_getters

__all__ = ["bprop_getters"]

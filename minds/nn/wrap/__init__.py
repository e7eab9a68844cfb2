"""Cells around a network: with its loss, its gradient, its training step."""

from ...base.late import given_out
from . import cell_wrapper, grad_reducer, loss_scale

_NAMES = given_out(cell_wrapper, grad_reducer, loss_scale)
globals().update(_NAMES)
__all__ = sorted(_NAMES)

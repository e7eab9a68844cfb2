"""Cells around a network: with its loss, its gradient, its training step."""

from ...base.late import all_of, given_out, late
from . import cell_wrapper, grad_reducer, loss_scale, pipelines

_NAMES = given_out(cell_wrapper, grad_reducer, loss_scale, pipelines)
globals().update(_NAMES)
__all__ = sorted(_NAMES)
__getattr__, __dir__ = late(__name__, {}, (), all_of("nn"))

"""Losses, by family; `minds.nn` lists them."""

from ...base.late import all_of, given_out, late
from . import classification, regression, sequence
from .base import LossBase

_Loss = LossBase
_NAMES = given_out(classification, regression, sequence)
globals().update(_NAMES)
__all__ = ["LossBase", *sorted(_NAMES)]
__getattr__, __dir__ = late(__name__, {}, ["loss"], all_of("nn"))

"""Optimisers, by family; `minds.nn` lists them."""

from ...base.late import all_of, given_out, late
from . import adafactor, adam, adaptive, lars, momentum, rprop
from .optimizer import Optimizer, opt_init_args_register

_NAMES = given_out(adafactor, adam, adaptive, lars, momentum, rprop)
globals().update(_NAMES)
__all__ = ["Optimizer", "opt_init_args_register", *sorted(_NAMES)]
__getattr__, __dir__ = late(__name__, {}, (), all_of("nn"))

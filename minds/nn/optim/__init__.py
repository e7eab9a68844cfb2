"""Optimisers; `minds.nn` exports them all."""

from .adam import Adam, AdaMax, AdamOffload, AdamWeightDecay, Lamb, LazyAdam
from .adaptive import FTRL, Adadelta, Adagrad, ProximalAdagrad, RMSProp
from .lars import LARS
from .momentum import SGD, Momentum
from .optimizer import Optimizer, opt_init_args_register
from .rprop import ASGD, Rprop

__all__ = [
    "ASGD",
    "AdaMax",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamOffload",
    "AdamWeightDecay",
    "FTRL",
    "LARS",
    "Lamb",
    "LazyAdam",
    "Momentum",
    "Optimizer",
    "ProximalAdagrad",
    "RMSProp",
    "Rprop",
    "SGD",
    "opt_init_args_register",
]

"""Optimizers with groups of parameters, whose learning rates schedulers set: torch's algorithms."""

from ...base.boundary import guard as _guard
from . import lr_scheduler
from .adam import Adam, Adamax, AdamW, NAdam, RAdam
from .adaptive import Adadelta, Adagrad, RMSprop
from .descent import ASGD, SGD, Rprop
from .optimizer import Optimizer

__all__ = [
    "ASGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SGD",
    "lr_scheduler",
]
_guard(__name__)

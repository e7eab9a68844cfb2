"""Callbacks of `minds.train.Model`."""

from ...base.boundary import guard as _guard
from .base import Callback, CallbackParams, RunContext
from .checkpoint import CheckpointConfig, ModelCheckpoint
from .monitor import History, LambdaCallback, LossMonitor, TimeMonitor
from .resume import BackupAndRestore, OnRequestExit
from .schedule import EarlyStopping, LearningRateScheduler, ReduceLROnPlateau
from .summary import SummaryCollector

__all__ = [
    "BackupAndRestore",
    "Callback",
    "CallbackParams",
    "CheckpointConfig",
    "EarlyStopping",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "ModelCheckpoint",
    "OnRequestExit",
    "ReduceLROnPlateau",
    "RunContext",
    "SummaryCollector",
    "TimeMonitor",
]
_guard(__name__)

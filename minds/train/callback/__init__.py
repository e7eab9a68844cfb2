"""Callbacks of `minds.train.Model`."""

from ...base.boundary import guard as _guard
from ...base.late import late as _late
from .averages import EvaluateAverages
from .base import Callback, CallbackParams, RunContext
from .base import CallbackParams as _InternalCallbackParam
from .checkpoint import CheckpointConfig, ModelCheckpoint
from .flops import FlopsUtilizationCollector
from .monitor import History, LambdaCallback, LossMonitor, TimeMonitor
from .progress import ProgressBar
from .resume import BackupAndRestore, OnRequestExit
from .schedule import EarlyStopping, LearningRateScheduler, ReduceLROnPlateau
from .summary import SummaryCollector
from .waiting import WaitedDSCallback

__all__ = [
    "BackupAndRestore",
    "Callback",
    "CallbackParams",
    "CheckpointConfig",
    "EarlyStopping",
    "EvaluateAverages",
    "FlopsUtilizationCollector",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "ModelCheckpoint",
    "OnRequestExit",
    "ProgressBar",
    "ReduceLROnPlateau",
    "RunContext",
    "SummaryCollector",
    "TimeMonitor",
    "WaitedDSCallback",
]
__getattr__, __dir__ = _late(
    __name__,
    {
        "train": "SummaryLandscape",
        "compat.callbacks": """TrainFaultTolerance _CallbackManager _CheckpointManager
            _checkpoint_cb_for_save_op _chg_ckpt_file_name_if_same_exist _set_cur_net""",
    },
)
_guard(__name__)

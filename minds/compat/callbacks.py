"""`train.callback._callback` and `train.callback._checkpoint`: the callbacks, and what MindSpore's
models import beside them.
"""

from __future__ import annotations

import functools
import os

import numpy as np

from ..base.errors import complain
from ..base.late import late
from ..tensor import Parameter, Tensor
from ..train import callback
from ..train.callback.base import CallbackList
from ..train.callback.checkpoint import free_prefix
from ..train.serialization import load_param_into_net


def _handle_loss(loss):
    """The loss among a step's results, as a number where it is a tensor."""
    first = loss[0] if isinstance(loss, (tuple, list)) else loss
    if isinstance(first, Tensor):
        return first if isinstance(loss, (tuple, list)) else float(np.mean(first.asnumpy()))
    return loss


def set_cur_net(net) -> None:
    """Accepted: a program of minds changes the parameters of the network itself.

    Args:
        net (Cell): the network whose checkpoint will be saved.
    """


class CheckpointManager:
    """The checkpoints of a folder whose names begin alike.

    Args:
        format (str): the ending of their names. Default "ckpt".
    """

    def __init__(self, format: str = "ckpt"):
        self._files: list[str] = []
        self._ending = f".{format}"

    @property
    def ckpoint_filelist(self) -> list[str]:
        """Their paths."""
        return self._files

    @property
    def ckpoint_num(self) -> int:
        """How many there are."""
        return len(self._files)

    def update_ckpoint_filelist(self, directory: str, prefix: str) -> None:
        """Look which there are: ``prefix-`` and numbers."""
        self._files = []
        for name in sorted(os.listdir(directory)):
            stem, ending = os.path.splitext(name)
            numbers = stem.removeprefix(f"{prefix}-")
            if ending == self._ending and numbers != stem and not any(map(str.isalpha, numbers)):
                self._files.append(os.path.join(directory, name))

    def remove_ckpoint_file(self, file_name: str) -> None:
        """Delete one."""
        os.remove(file_name)
        gone = os.path.realpath(file_name)
        self._files = [f for f in self._files if os.path.realpath(f) != gone]

    def keep_one_ckpoint_per_minutes(self, minutes: float, cur_time: float) -> None:
        """Of the files that are younger than some minutes delete all but the first."""
        young = [f for f in self._files if cur_time - os.path.getmtime(f) < 60 * minutes]
        for file_name in sorted(young, key=os.path.getmtime)[1:]:
            self.remove_ckpoint_file(file_name)

    def remove_oldest_ckpoint_file(self) -> None:
        """Delete the one that was written first."""
        self.remove_ckpoint_file(min(self._files, key=os.path.getmtime))


class CallbackManager(CallbackList):
    """Several callbacks, whose hooks are called by name: ``manager.step_end(run_context)``."""

    def __getattr__(self, hook: str):
        if hook.startswith("_") or not hasattr(callback.Callback, hook):
            raise AttributeError(f"_CallbackManager: callbacks have no {hook!r}")
        return functools.partial(self.call, hook)


_current: list = [None]


def _set_cur_net(net) -> None:
    """Remember the network that `_checkpoint_cb_for_save_op` fills."""
    _current[0] = net


def _checkpoint_cb_for_save_op(parameter_list: list[dict]) -> bool:
    """Give the remembered network values: dicts of ``name`` and ``data``."""
    if _current[0] is None:
        return False
    load_param_into_net(
        _current[0], {p["name"]: Parameter(p["data"], name=p["name"]) for p in parameter_list}
    )
    return True


def _chg_ckpt_file_name_if_same_exist(directory: str, prefix: str, exception: bool = False) -> str:
    """The prefix of names of checkpoints, with a number where there are such files already."""
    return free_prefix(directory, prefix)


class TrainFaultTolerance(callback.Callback):
    """MindSpore's recovery of jobs on clusters of Ascend devices, which is refused here.

    Args:
        settings (Any), options (Any): MindSpore's.

    Raises:
        RuntimeError: always.

    Examples:
        >>> from minds import train
        >>> train.TrainFaultTolerance.__name__
        'TrainFaultTolerance'
    """

    def __init__(self, *settings, **options):
        raise complain(
            RuntimeError,
            "TrainFaultTolerance: it recovers jobs on Ascend clusters",
            cure="use train.BackupAndRestore",
        )


_CallbackManager, _CheckpointManager = CallbackManager, CheckpointManager
__getattr__, __dir__ = late(__name__, {}, (), lambda name: getattr(callback, name, None))


__all__ = callback.__all__

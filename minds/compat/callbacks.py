"""`train.callback._callback` and `train.callback._checkpoint`: the callbacks, and what MindSpore's
models import beside them.
"""

from __future__ import annotations

import os

import numpy as np

from ..base.late import late
from ..tensor import Tensor
from ..train import callback


def _handle_loss(loss):
    """The loss among a step's results, as a number where it is a tensor."""
    first = loss[0] if isinstance(loss, (tuple, list)) else loss
    if isinstance(first, Tensor):
        return first if isinstance(loss, (tuple, list)) else float(np.mean(first.asnumpy()))
    return loss


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
        self._files.remove(file_name)

    def remove_oldest_ckpoint_file(self) -> None:
        """Delete the one that was written first."""
        self.remove_ckpoint_file(min(self._files, key=os.path.getmtime))


__getattr__, __dir__ = late(__name__, {}, (), lambda name: getattr(callback, name, None))


__all__ = callback.__all__

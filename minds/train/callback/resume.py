"""Callbacks that save a training's state, and let it go on from there."""

from __future__ import annotations

import json
import os
import signal
import threading

from ...base.errors import complain
from ...base.options import get_context
from .. import state
from ..exporting import export
from .base import Callback


def _folder(name: str, path) -> str:
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        kind = ValueError if path == "" else TypeError
        raise complain(kind, f"{name}: the folder is {path!r}", expected="a str that is not empty")
    return os.path.abspath(os.fspath(path))


def _flag(name: str, argument: str, value) -> bool:
    if not isinstance(value, bool):
        raise complain(TypeError, f"{name}: {argument} is {value!r}", expected="a bool")
    return value


class BackupAndRestore(Callback):
    """Saves the training's state after epochs or steps; a training that was killed goes on from it:
    with the same losses, to the last bit, as one that was not.

    Args:
        backup_dir (str): the folder, made if needed; the file is ``backup.ckpt``.
        save_freq (str, int): ``"epoch"``, or every so many epochs. Default: ``"epoch"``.
        delete_checkpoint (bool): whether the file is removed when the training ends. Default: True.
        save_steps (int, optional): save after every so many steps, too. Default: None.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is empty or not positive.

    Examples:
        >>> import os, tempfile, minds as ms
        >>> from minds import nn, train
        >>> folder = tempfile.mkdtemp()
        >>> net = nn.Dense(1, 1)
        >>> model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        >>> data = ms.dataset.NumpySlicesDataset(([[1.0]] * 4, [[1.0]] * 4), ["x", "y"])
        >>> cast = ms.dataset.transforms.TypeCast(ms.float32)
        >>> data = data.map(cast, "x").map(cast, "y").batch(2)
        >>> model.train(2, data, train.BackupAndRestore(folder, delete_checkpoint=False))
        >>> os.listdir(folder)
        ['backup.ckpt']
    """

    def __init__(self, backup_dir, save_freq="epoch", delete_checkpoint=True, save_steps=None):
        name = "BackupAndRestore"
        self._path = os.path.join(_folder(name, backup_dir), "backup.ckpt")
        for argument, value in (("save_freq", save_freq), ("save_steps", save_steps)):
            if value not in ("epoch", None) and (type(value) is not int or value < 1):
                kind = ValueError if type(value) is int else TypeError
                said = f"{name}: {argument} is {value!r}"
                raise complain(kind, said, expected="a positive int")
        self._epochs = 1 if save_freq == "epoch" else save_freq
        self._steps, self._delete = save_steps, _flag(name, "delete_checkpoint", delete_checkpoint)

    def on_train_begin(self, run_context):
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        if os.path.exists(self._path):
            run_context.original_args().resume = self._path

    def on_train_step_end(self, run_context):
        p = run_context.original_args()
        if self._steps and p.cur_step_num % self._steps == 0:
            state.ask_to_save(self._path, p)

    def on_train_epoch_end(self, run_context):
        p = run_context.original_args()
        if self._epochs and p.cur_epoch_num % self._epochs == 0:
            state.ask_to_save(self._path, p)

    def on_train_end(self, run_context):
        if self._delete and os.path.exists(self._path):
            os.unlink(self._path)


class OnRequestExit(Callback):
    """Ends the training after the present step when a signal asks for it, and saves its state; the
    next training with this callback goes on from there.

    Args:
        save_ckpt (bool): whether the state is saved: ``<directory>/rank_0/<file_name>_train.ckpt``.
            Default: True.
        save_mindir (bool): whether the network is exported beside it. Default: True.
        file_name (str): how the files' names begin. Default: ``"Net"``.
        directory (str): the folder. Default: ``"./"``.
        sig (int): the signal. Default: ``signal.SIGTERM``.
        config_file (str, optional): a JSON file; ``{"GracefulExit": 1}`` in it asks for the end, too.
            Default: None.

    Raises:
        ValueError: an argument has a wrong type, or the signal cannot be caught.

    Examples:
        >>> import os, signal, tempfile, minds as ms
        >>> from minds import nn, train
        >>> folder = tempfile.mkdtemp()
        >>> net = nn.Dense(1, 1)
        >>> model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        >>> data = ms.dataset.NumpySlicesDataset(([[1.0]] * 4, [[1.0]] * 4), ["x", "y"])
        >>> cast = ms.dataset.transforms.TypeCast(ms.float32)
        >>> data = data.map(cast, "x").map(cast, "y").batch(2)
        >>> ask = train.LambdaCallback(on_train_step_end=lambda run: signal.raise_signal(signal.SIGTERM))
        >>> leave = train.OnRequestExit(file_name="net", directory=folder, save_mindir=False)
        >>> model.train(9, data, [ask, leave])
        >>> os.listdir(os.path.join(folder, "rank_0"))
        ['net_train.ckpt']
    """

    def __init__(
        self,
        save_ckpt=True,
        save_mindir=True,
        file_name="Net",
        directory="./",
        config_file=None,
        sig=signal.SIGTERM,
    ):
        name = "OnRequestExit"
        self._save = _flag(name, "save_ckpt", save_ckpt)
        self._export = _flag(name, "save_mindir", save_mindir)
        if not isinstance(file_name, str) or not file_name or os.sep in file_name:
            raise complain(ValueError, f"{name}: file_name is {file_name!r}", expected="a str")
        if not isinstance(sig, int) or sig in (signal.SIGKILL, signal.SIGSTOP):
            raise complain(
                ValueError, f"{name}: sig is {sig!r}", expected="a signal that can be caught"
            )
        if config_file is not None and not isinstance(config_file, (str, os.PathLike)):
            raise complain(ValueError, f"{name}: config_file is {config_file!r}", expected="a str")
        folder = os.path.join(_folder(name, directory), f"rank_{get_context('device_id')}")
        self._path = os.path.join(folder, f"{file_name}_train")
        self._signal, self._config, self._asked, self._before = int(sig), config_file, False, None

    def _answer(self, signum, frame) -> None:
        self._asked = True

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(self._signal, self._answer)
        return self

    def __exit__(self, *error):
        if self._before is not None:
            signal.signal(self._signal, self._before)
            self._before = None

    def on_train_begin(self, run_context):
        self._asked = False
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        if self._save and os.path.exists(f"{self._path}.ckpt"):
            run_context.original_args().resume = f"{self._path}.ckpt"

    def on_train_step_end(self, run_context):
        if not self._asked and not self._is_told():
            return
        p = run_context.original_args()
        if self._save:
            state.ask_to_save(f"{self._path}.ckpt", p)
        if self._export:
            inputs = p.train_dataset_element[: 1 if p.loss_fn is not None else None]
            export(p.network, *inputs, file_name=self._path, file_format="MINDIR")
        self._asked = True
        run_context.request_stop()

    def on_train_end(self, run_context):
        # A training that went through leaves nothing that the next one would go on from.
        if not self._asked and self._save and os.path.exists(f"{self._path}.ckpt"):
            os.unlink(f"{self._path}.ckpt")

    def on_eval_step_end(self, run_context):
        if self._asked or self._is_told():
            run_context.request_stop()

    def _is_told(self) -> bool:
        if self._config is None or not os.path.exists(self._config):
            return False
        try:
            with open(self._config, encoding="utf-8") as f:
                return json.load(f).get("GracefulExit") == 1
        except (ValueError, AttributeError):  # half written: the next step looks again
            return False

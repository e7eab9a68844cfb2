"""`ModelCheckpoint`: saves the training network from time to time."""

from __future__ import annotations

import os
import re
import time

from ...base.errors import complain
from ...base.sealed import seal_of
from ...nn.cell import Cell
from ..serialization import save_checkpoint
from ..state import ask_to_save, save_training
from .base import Callback


def _count(name: str, value, low: int = 0) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise complain(
            TypeError,
            f"CheckpointConfig: {name} has type {type(value).__name__}",
            expected="an int",
        )
    if value < low:
        raise complain(
            ValueError, f"CheckpointConfig: {name} is {value}", expected=f"at least {low}"
        )
    return value


class CheckpointConfig:
    """When a checkpoint is saved and which ones are kept.

    Args:
        save_checkpoint_steps (int): save every so many steps; 0 or None never. Default: 1.
        save_checkpoint_seconds (int): save every so many seconds, if there is no number of steps; 0
            never. Default: 0.
        keep_checkpoint_max (int): keep the newest so many; 0 keeps all. Default: 5.
        keep_checkpoint_per_n_minutes (int): keep one per so many minutes, if there is no maximum; 0
            never. Default: 0.
        integrated_save (bool): see `save_checkpoint`.
        async_save (bool): whether a thread writes while the training goes on. Default: False.
        saved_network (Cell, optional): save this instead of the training network.
        append_info (list, optional): ``"epoch_num"``, ``"step_num"``, dicts of further values, and
            ``"training_state"``: what ``Model.train(resume=…)`` needs to go on exactly from there.
            Default: None.
        enc_key (bytes, optional), enc_mode (str): see `save_checkpoint`; not with ``"training_state"``.
        exception_save (bool): whether to save when the training ends with an exception. Default:
            False.
        crc_check (bool), remove_redundancy (bool): accepted; checksums are always written.
        format (str): ``"ckpt"`` or ``"safetensors"``. Default: ``"ckpt"``.
        kwargs (Any): MindSpore's further settings, kept as attributes, without effect.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is negative, neither steps nor seconds are given, or the format is
            unknown.

    Examples:
        >>> from minds import train
        >>> train.CheckpointConfig(100, keep_checkpoint_max=3).keep_checkpoint_max
        3
    """

    def __init__(
        self,
        save_checkpoint_steps=1,
        save_checkpoint_seconds=0,
        keep_checkpoint_max=5,
        keep_checkpoint_per_n_minutes=0,
        integrated_save=True,
        async_save=False,
        saved_network=None,
        append_info=None,
        enc_key=None,
        enc_mode="AES-GCM",
        exception_save=False,
        crc_check=False,
        remove_redundancy=False,
        format="ckpt",
        **kwargs,
    ):
        self._limit(
            save_checkpoint_steps=save_checkpoint_steps,
            save_checkpoint_seconds=save_checkpoint_seconds,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_per_n_minutes=keep_checkpoint_per_n_minutes,
        )
        if saved_network is not None and not isinstance(saved_network, Cell):
            raise complain(
                TypeError,
                f"CheckpointConfig: saved_network has type {type(saved_network).__name__}",
                expected="a Cell",
            )
        if format not in ("ckpt", "safetensors") or (enc_key is not None and format != "ckpt"):
            said = f"CheckpointConfig: format is {format!r}" + " with enc_key" * (
                enc_key is not None
            )
            raise complain(ValueError, said, expected="'ckpt', or 'safetensors' without enc_key")
        seal_of("CheckpointConfig", enc_key, enc_mode)  # raises where they do not fit
        self.enc_key, self.enc_mode = enc_key, enc_mode
        self.format = format
        self._add(append_info)
        others = (saved_network, enc_key)
        if self.with_state and (format != "ckpt" or others != (None, None) or async_save):
            raise complain(
                ValueError,
                "CheckpointConfig: append_info holds 'training_state'",
                expected="the format 'ckpt', no saved_network, enc_key or async_save beside it",
            )
        self.integrated_save, self.async_save, self.saved_network = (
            integrated_save,
            async_save,
            saved_network,
        )
        self.exception_save = exception_save
        for name, value in kwargs.items():
            setattr(self, name, value)

    def _limit(self, **limits) -> None:
        """Set when checkpoints are written and how many are kept: of each pair one counts; the other is
        None, as in MindSpore.
        """
        for name, value in limits.items():
            setattr(self, name, _count(name, value or 0))
        for first, second in (
            ("save_checkpoint_steps", "save_checkpoint_seconds"),
            ("keep_checkpoint_max", "keep_checkpoint_per_n_minutes"),
        ):
            if getattr(self, first):
                setattr(self, second, None)
            elif getattr(self, second):
                setattr(self, first, None)
        if not self.save_checkpoint_steps and not self.save_checkpoint_seconds:
            raise complain(
                ValueError,
                "CheckpointConfig: neither save_checkpoint_steps nor save_checkpoint_seconds is "
                "given",
            )

    def _add(self, append_info) -> None:
        """Set what checkpoints hold besides the network."""
        self.append_dict, self.with_state = {}, False
        for item in append_info or []:
            if item == "training_state":
                self.with_state = True
            elif item in ("epoch_num", "step_num"):
                self.append_dict[item] = None
            elif isinstance(item, dict):
                self.append_dict.update(item)
            else:
                raise complain(
                    ValueError if isinstance(item, str) else TypeError,
                    f"CheckpointConfig: append_info holds {item!r}",
                    expected="'epoch_num', 'step_num', 'training_state' or dicts",
                )

    def get_checkpoint_policy(self) -> dict:
        """The numbers as a dict.

        Returns:
            dict[str, Any]: the numbers, None for those that do not count, and the network.

        Examples:
            >>> from minds import train
            >>> train.CheckpointConfig(100).get_checkpoint_policy()["save_checkpoint_steps"]
            100
        """
        return {
            n: getattr(self, n)
            for n in (
                "save_checkpoint_steps",
                "save_checkpoint_seconds",
                "keep_checkpoint_max",
                "keep_checkpoint_per_n_minutes",
                "saved_network",
            )
        }


class ModelCheckpoint(Callback):
    """Saves the training network as ``prefix-epoch_step.ckpt``; also after the last step.

    If the folder already holds files of that prefix, ``prefix_1``, ``prefix_2``, … is used, so
    that no run overwrites another's files.

    Args:
        prefix (str, Callable): how names start, or a function of `CallbackParams` that gives the whole name
            of each, without its ending. Default: ``"CKP"``.
        directory (str, optional): the folder, made if needed. Default: the working folder.
        config (CheckpointConfig, optional): when to save and what to keep. Default:
            `CheckpointConfig()`.

    Raises:
        ImportError: the variable ``AITURBO`` asks for what is not supported.
        TypeError: ``directory`` is no str, or ``config`` no CheckpointConfig.
        ValueError: ``prefix`` is no str, is empty or holds a path separator.

    Examples:
        >>> import minds as ms
        >>> from minds.dataset import transforms
        >>> from minds import nn
        >>> from minds import train
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> net = nn.Dense(1, 1)
        >>> model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        >>> data = ms.dataset.NumpySlicesDataset(([[1.0]] * 4, [[1.0]] * 4), ["x", "y"])
        >>> cast = ms.dataset.transforms.TypeCast(ms.float32)
        >>> data = data.map(cast, "x").map(cast, "y").batch(2)
        >>> model.train(1, data, train.ModelCheckpoint("net", folder))
        >>> sorted(os.listdir(folder))
        ['net-1_1.ckpt', 'net-1_2.ckpt']
    """

    def __init__(
        self, prefix="CKP", directory: str | None = None, config: CheckpointConfig | None = None
    ):
        if os.environ.get("AITURBO") == "1":
            raise complain(
                ImportError,
                "ModelCheckpoint: AITURBO=1 asks for the package aiturbo, which is not supported",
                cure="unset AITURBO",
            )
        if not callable(prefix) and (not isinstance(prefix, str) or not prefix or "/" in prefix):
            raise complain(
                ValueError, f"ModelCheckpoint: prefix is {prefix!r}", expected="a str without '/'"
            )
        if (
            directory is not None
            and not isinstance(directory, (str, os.PathLike))
            and not callable(directory)
        ):
            raise complain(
                TypeError,
                f"ModelCheckpoint: directory has type {type(directory).__name__}",
                expected="a str",
            )
        if config is not None and not isinstance(config, CheckpointConfig):
            raise complain(
                TypeError,
                f"ModelCheckpoint: config has type {type(config).__name__}",
                expected="a CheckpointConfig",
            )
        self._given_prefix, self._given_directory = prefix, directory
        self._config = config or CheckpointConfig()
        self._prefix, self._directory, self._saved, self._params = None, None, [], None
        self._latest, self._last_step, self._last_time, self._kept_time = "", 0, 0.0, 0.0

    @property
    def latest_ckpt_file_name(self) -> str:
        """The path of the newest checkpoint; empty before the first.

        Examples:
            >>> from minds import train
            >>> train.ModelCheckpoint().latest_ckpt_file_name
            ''
        """
        return self._latest

    @property
    def get_config(self) -> CheckpointConfig:
        """The configuration.

        Examples:
            >>> from minds import train
            >>> train.ModelCheckpoint().get_config.keep_checkpoint_max
            5
        """
        return self._config

    def begin(self, run_context):
        p = self._params = run_context.original_args()
        directory = (
            self._given_directory(p) if callable(self._given_directory) else self._given_directory
        )
        self._directory = os.path.abspath(os.fspath(directory or "."))
        os.makedirs(self._directory, exist_ok=True)
        if not callable(self._given_prefix):
            self._prefix = free_prefix(self._directory, self._given_prefix)
        self._saved, self._last_step = [], p.get("last_save_ckpt_step") or 0
        self._last_time = self._kept_time = time.monotonic()

    def step_end(self, run_context):
        if self._directory is None:
            self.begin(run_context)
        p, config = run_context.original_args(), self._config
        if config.save_checkpoint_steps:
            due = p.cur_step_num - self._last_step >= config.save_checkpoint_steps
        else:
            due = time.monotonic() - self._last_time >= config.save_checkpoint_seconds
        if due:
            self._save(p)

    def end(self, run_context):
        p = run_context.original_args()
        if p.cur_step_num != self._last_step:
            self._save(p)

    def on_eval_begin(self, run_context):
        """Nothing: there is nothing to save in an evaluation."""

    on_eval_step_end = on_eval_end = on_eval_begin

    def __exit__(self, kind, error, trace):
        if kind is not None and self._config.exception_save and self._params is not None:
            self._save(self._params, "_breakpoint")

    def _save(self, p, mark: str = "") -> None:
        config = self._config
        step = (p.cur_step_num - 1) % p.batch_num + 1
        name = f"{self._prefix}-{p.cur_epoch_num}_{step}"
        if callable(self._given_prefix):
            name = self._given_prefix(p)
        path = os.path.join(self._directory, f"{name}{mark}.{config.format}")
        more = {
            n: {"epoch_num": p.cur_epoch_num, "step_num": p.cur_step_num}.get(n, v)
            if v is None
            else v
            for n, v in config.append_dict.items()
        }
        if config.with_state:
            # A mark tells that the training ends with an exception: no callback comes after it.
            (save_training if mark else ask_to_save)(path, p, **more)
        else:
            save_checkpoint(
                config.saved_network or p.train_network,
                path,
                integrated_save=config.integrated_save,
                async_save=config.async_save,
                append_dict=more or None,
                enc_key=config.enc_key,
                enc_mode=config.enc_mode,
                format=config.format,
            )
        self._latest, self._last_step, self._last_time = path, p.cur_step_num, time.monotonic()
        self._saved.append(path)
        self._forget()

    def _forget(self) -> None:
        """Remove what need not be kept."""
        config = self._config
        if config.keep_checkpoint_max:
            while len(self._saved) > config.keep_checkpoint_max:
                _remove(self._saved.pop(0))
        elif config.keep_checkpoint_per_n_minutes:
            # The newest file stands for the present period; older ones of the period go.
            while len(self._saved) > 1:
                _remove(self._saved.pop(0))
            if time.monotonic() - self._kept_time >= 60 * config.keep_checkpoint_per_n_minutes:
                self._kept_time = time.monotonic()
                self._saved.clear()


def free_prefix(directory: str, prefix: str) -> str:
    """``prefix``, or with a number where checkpoints of this name are in the folder."""
    taken = re.compile(rf"{re.escape(prefix)}(?:_(\d+))?-\d+_\d+\.(?:ckpt|safetensors)")
    numbers = [int(m.group(1) or 0) for m in map(taken.fullmatch, os.listdir(directory)) if m]
    return f"{prefix}_{max(numbers) + 1}" if numbers else prefix


def _remove(path: str) -> None:
    # The user may have moved the file away.
    if os.path.exists(path):
        os.unlink(path)

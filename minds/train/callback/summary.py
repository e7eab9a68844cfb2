"""`SummaryCollector`: a callback that writes losses, metrics and weights for TensorBoard."""

from __future__ import annotations

import os
import re

import numpy as np

from ...base.worded import complain
from ...tensor import Tensor
from ..summary.record import SummaryRecord
from ..summary.trail import Trail
from .base import Callback, loss_of

_WITHOUT = ("collect_graph", "collect_train_lineage", "collect_eval_lineage")
_WITHOUT += ("collect_dataset_graph", "collect_input_data")
_KNOWN = ("collect_metric", "histogram_regular", "collect_tensor", "collect_landscape", *_WITHOUT)


def _typed(name: str, value, *kinds: type) -> None:
    masked = isinstance(value, bool) and bool not in kinds
    if masked or not isinstance(value, kinds):
        names = [kind.__name__ for kind in kinds]
        got = type(value).__name__
        said = f"For `{name}` the type should be a valid type of {names}, but got {got}."
        raise complain(TypeError, said)


def _positive(name: str, value: int) -> None:
    if value <= 0:
        said = f"the value of `{name}` should be greater than 0, but got `{value}`."
        raise complain(ValueError, said)


def _folder(summary_dir) -> None:
    if not isinstance(summary_dir, str):
        raise complain(TypeError, "The summary_dir is invalid, the type should be string.")
    if not summary_dir.strip():
        raise complain(ValueError, "The summary_dir is invalid, it should be non-blank.")
    if os.path.exists(summary_dir) and not os.path.isdir(summary_dir):
        raise NotADirectoryError(f"The summary_dir {summary_dir!r} is no folder")


def _lineage(data) -> None:
    """What a user says of a run, as numbers and text by name."""
    _typed("custom_lineage_data", data, dict, type(None))
    for name, value in (data or {}).items():
        _typed(f"custom_lineage_data -> {name}", name, str)
        _typed(f"the value of custom_lineage_data -> {name}", value, int, str, float)


class SummaryCollector(Callback):
    """Writes the loss, the metrics of evaluations and histograms of the weights for TensorBoard, and
    what summary ops of the network, such as `ops.ScalarSummary`, showed last.

    Args:
        summary_dir (str): the folder, made if it is not there.
        collect_freq (int): every so many steps, positive. Default: 10.
        num_process (int): accepted, without effect. Default: 32.
        collect_specified_data (dict, optional): ``collect_metric`` (bool), whether losses and metrics
            are written; ``histogram_regular`` (str, None), a regular expression for the names of the
            weights whose histograms are; ``collect_landscape`` (dict), the steps or epochs whose weights
            are kept for `SummaryLandscape`; the other keys of MindSpore's are accepted, and what they
            would write only MindInsight shows. Default: None.
        keep_default_action (bool): whether losses, metrics and the histograms of the first five weights
            are written where ``collect_specified_data`` does not say. Default: True.
        custom_lineage_data (dict, optional): accepted, without effect. Default: None.
        collect_tensor_freq (int, optional): accepted, without effect. Default: None.
        max_file_size (int, optional): the bytes after which nothing more is written. Default: None.
        export_options (dict, optional): as of `SummaryRecord`. Default: None.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument has a value that is not allowed.

    Examples:
        >>> import os, tempfile
        >>> import numpy as np
        >>> import minds as ms
        >>> import minds.dataset as ds
        >>> from minds import nn, train
        >>> folder = tempfile.mkdtemp()
        >>> x = np.ones((8, 2), np.float32)
        >>> data = ds.NumpySlicesDataset((x, x[:, :1]), ["x", "y"]).batch(4)
        >>> net = nn.Dense(2, 1)
        >>> optimizer = nn.SGD(net.trainable_params(), 0.1)
        >>> model = train.Model(net, nn.MSELoss(), optimizer)
        >>> model.train(2, data, callbacks=train.SummaryCollector(folder, collect_freq=1))
        >>> len(os.listdir(folder))
        1
    """

    def __init__(
        self,
        summary_dir: str,
        collect_freq: int = 10,
        num_process: int = 32,
        collect_specified_data: dict | None = None,
        keep_default_action: bool = True,
        custom_lineage_data: dict | None = None,
        collect_tensor_freq: int | None = None,
        max_file_size: int | None = None,
        export_options: dict | None = None,
    ):
        _folder(summary_dir)
        _typed("collect_freq", collect_freq, int)
        _positive("collect_freq", collect_freq)
        _typed("keep_default_action", keep_default_action, bool)
        for name, value in (
            ("collect_tensor_freq", collect_tensor_freq),
            ("max_file_size", max_file_size),
        ):
            if value is not None:
                _typed(name, value, int)
                _positive(name, value)
        _typed("export_options", export_options, dict, type(None))
        _lineage(custom_lineage_data)
        wanted = self._wanted(collect_specified_data, keep_default_action)
        self._metrics, self._names = wanted
        self._freq = collect_freq
        asked = (collect_specified_data or {}).get("collect_landscape")
        self._trail = None if asked is None else Trail(summary_dir, asked)
        self._given = {
            "log_dir": summary_dir,
            "max_file_size": max_file_size,
            "export_options": export_options,
        }
        SummaryRecord._check(summary_dir, "", "", max_file_size, False)
        SummaryRecord._options(export_options)
        self._record, self._users = None, 0

    @staticmethod
    def _wanted(data, default: bool) -> tuple:
        """Whether metrics are written, and the expression for names of weights: None for the first
        five, "" for none.
        """
        _typed("collect_specified_data", data, dict, type(None))
        data = data or {}
        for name in data:
            _typed(name, name, str)
        unknown = set(data) - set(_KNOWN)
        if unknown:
            said = f"the keys {unknown} of `collect_specified_data` are unsupported, expect the follow keys"
            raise complain(ValueError, f"{said}: {list(_KNOWN)}")
        for name, value in data.items():
            if name == "histogram_regular":
                _typed(name, value, str, type(None))
            elif name != "collect_landscape":
                _typed(name, value, bool)
        names = data.get("histogram_regular", None if default else "")
        try:
            re.compile(names or "")
        except re.error as e:
            said = "For `collect_specified_data`, the value of `histogram_regular` is not a valid regular"
            raise complain(ValueError, f"{said} expression. Detail: {e}.") from None
        metrics = data.get("collect_metric", default)
        return metrics, names

    def __enter__(self):
        self._open()
        return self

    def __exit__(self, *error):
        self._close()

    def _open(self) -> None:
        if not self._users:
            self._record = SummaryRecord(**self._given)
        self._users += 1

    def _close(self) -> None:
        self._users -= 1
        if not self._users:
            self._record.close()

    def on_train_begin(self, run_context):
        self._open()

    def on_train_end(self, run_context):
        if self._trail is not None:
            self._trail.finish()
        self._close()

    def on_train_epoch_end(self, run_context):
        self._reached("epoch", run_context.original_args())

    def _reached(self, unit: str, params) -> None:
        if self._trail is not None:
            self._trail.reached(unit, params[f"cur_{unit}_num"], params.network)

    def on_train_step_end(self, run_context):
        """Write the loss and the histograms, every so many steps.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> import tempfile
            >>> from minds import train
            >>> params = train.callback.CallbackParams(cur_epoch_num=1, cur_step_num=3, batch_num=4)
            >>> collector = train.SummaryCollector(tempfile.mkdtemp())
            >>> collector.on_train_step_end(train.callback.RunContext(params))
        """
        params = run_context.original_args()
        step = params.cur_step_num
        self._reached("step", params)
        if step != 1 and step % self._freq:
            return
        loss = loss_of(params.get("net_outputs"))
        if self._metrics and loss is not None:
            self._record.add_value("scalar", "loss", Tensor(np.float32(loss)))
        for weight in self._weights(params.get("train_network") or params.get("network")):
            if weight.ndim:
                self._record.add_value("histogram", weight.name, Tensor(weight.asnumpy()))
        self._record.record(step)

    def _weights(self, network) -> list:
        if network is None or self._names == "":
            return []
        optimizer = getattr(network, "optimizer", None)
        weights = network.trainable_params() if optimizer is None else list(optimizer.parameters)
        if self._names is None:
            return weights[:5]
        return [w for w in weights if re.match(self._names, w.name)]

    def on_eval_begin(self, run_context):
        self._open()

    def on_eval_end(self, run_context):
        """Write the metrics.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> import tempfile
            >>> from minds import train
            >>> params = train.callback.CallbackParams(eval_results={"acc": 0.5}, cur_step_num=3)
            >>> with train.SummaryCollector(tempfile.mkdtemp()) as collector:
            ...     collector.on_eval_begin(train.callback.RunContext(params))
            ...     collector.on_eval_end(train.callback.RunContext(params))
        """
        params = run_context.original_args()
        if self._metrics:
            for name, value in (params.get("eval_results") or {}).items():
                a = np.asarray(value, np.float32)
                if a.size == 1:
                    self._record.add_value("scalar", f"eval/{name}", Tensor(a))
            self._record.record(params.get("cur_step_num") or 0)
        self._close()

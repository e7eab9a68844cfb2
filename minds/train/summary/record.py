"""`SummaryRecord`: values of a training in files that TensorBoard reads."""

from __future__ import annotations

import io
import os
import time
import weakref

import numpy as np

from ...base.errors import complain
from ...nn import Cell
from ...ops.summary import LISTENERS
from ...records.tfrecord import framed
from ...tensor import Tensor
from . import events

_PLUGINS = {
    "scalar": events.scalar,
    "tensor": events.tensor,
    "histogram": events.histogram,
    "image": events.images,
}
_WITHOUT = ("train_lineage", "eval_lineage", "dataset_graph", "custom_lineage_data", "graph")
_WITHOUT += ("landscape",)


def _fitting(plugin: str, a: np.ndarray) -> None:
    """Refuse a value that a plugin cannot show.

    Raises:
        ValueError: it is one.
    """
    name = f"{plugin.capitalize()}Summary"
    if plugin == "scalar" and a.size != 1:
        said = f"shape ({', '.join(map(str, a.shape))}) is no scalar or one element"
        raise complain(ValueError, f"{name}: the value of {said}")
    if plugin == "image" and (a.ndim != 4 or a.shape[1] not in (1, 3, 4)):
        raise complain(
            ValueError,
            f"{name}: the value has the shape {a.shape}",
            expected="(n, channels, height, width) of 1, 3 or 4 channels",
        )
    if plugin in ("histogram", "tensor") and a.ndim == 0:
        raise complain(
            ValueError, f"{name}: the value is a number", expected="at least one dimension"
        )


def _listener(record: weakref.ref):
    """What a summary op tells a record, for as long as there is one."""

    def listen(plugin: str, tag: str, a: np.ndarray) -> None:
        heard = record()
        if heard is not None:
            heard._keep(plugin, tag, a)

    listen.writes = True
    return listen


class SummaryRecord:
    """Writes values of a training to a file that TensorBoard reads.

    They are those of `add_value`, and until `close` those that `ops.ScalarSummary`,
    `ops.ImageSummary`, `ops.TensorSummary` and `ops.HistogramSummary` show in any program.

    Args:
        log_dir (str): the folder, made if it is not there.
        file_prefix (str): what the file's name begins with. Default: "events".
        file_suffix (str): what it ends with. Default: "_MS".
        num_process (int): accepted, without effect. Default: 32.
        network (Cell, optional): accepted, without effect: graphs are not written. Default: None.
        max_file_size (int, optional): the bytes after which nothing more is written. Default: None.
        raise_exception (bool): whether an error of writing is raised, not printed. Default: False.
        export_options (dict, optional): ``{"tensor_format": "npy"}`` writes tensors to files of
            NumPy's too. Default: None.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument has a value that is not allowed.

    Examples:
        >>> import tempfile
        >>> import minds as ms
        >>> from minds import train
        >>> with train.SummaryRecord(tempfile.mkdtemp()) as record:
        ...     record.add_value("scalar", "loss", ms.Tensor(0.5))
        ...     record.record(1)
        True
        >>> from minds import nn, ops
        >>> class Net(nn.Cell):
        ...     def construct(self, x):
        ...         ops.ScalarSummary()("sum", x.sum())
        ...         return x * 2
        >>> with train.SummaryRecord(tempfile.mkdtemp()) as record:
        ...     y = Net()(ms.Tensor([1.0, 2.0]))
        ...     record.record(1)
        True
    """

    def __init__(
        self,
        log_dir: str,
        file_prefix: str = "events",
        file_suffix: str = "_MS",
        num_process: int = 32,
        network=None,
        max_file_size: int | None = None,
        raise_exception: bool = False,
        export_options: dict | None = None,
    ):
        self._check(log_dir, file_prefix, file_suffix, max_file_size, raise_exception)
        self._export = self._options(export_options)
        os.makedirs(log_dir, exist_ok=True)
        now = int(time.time())
        host = os.uname().nodename
        name = f"{file_prefix}.out.tfevents.{now}.{host}.{os.getpid()}.{id(self):x}{file_suffix}"
        self._log_dir, self._path = os.path.realpath(log_dir), os.path.join(log_dir, name)
        self._arrays = os.path.join(log_dir, f"export_{now}", "tensor")
        self._limit, self._raises = max_file_size or None, raise_exception
        self._mode, self._pool, self._closed = "train", [], False
        self._file = io.BufferedWriter(io.FileIO(self._path, "wb"))
        self._write(events.event(version="brain.Event:2"))
        listen = _listener(weakref.ref(self))
        LISTENERS.append(listen)
        self._hears_no_more = weakref.finalize(self, LISTENERS.remove, listen)

    @staticmethod
    def _check(log_dir, prefix, suffix, size, raises) -> None:
        if not isinstance(log_dir, str):
            raise complain(TypeError, "The log_dir is invalid, the type should be string.")
        if not log_dir.strip():
            raise complain(ValueError, "The log_dir is invalid, it should be non-blank.")
        if not isinstance(prefix, str) or not isinstance(suffix, str):
            odd = prefix if not isinstance(prefix, str) else suffix
            said = f"`file_prefix` and `file_suffix` should be str, but got type {type(odd)}"
            raise complain(TypeError, said)
        if {*prefix, *suffix} & set("/\\\0"):
            said = f"The file_prefix {prefix!r} or file_suffix {suffix!r} is illegal: it is no name"
            raise complain(ValueError, said)
        if size is not None and (isinstance(size, bool) or not isinstance(size, int)):
            raise complain(
                TypeError, f"the 'max_file_size' should be int type, but got {type(size)}"
            )
        if not isinstance(raises, bool):
            said = "The type of 'raise_exception' should be 'bool', but got type "
            raise complain(TypeError, f"{said}'{type(raises).__name__}'.")

    @staticmethod
    def _options(options) -> str | None:
        if options is None:
            return None
        if not isinstance(options, dict):
            said = "For `export_options` the type should be a valid type of ['dict', 'NoneType'], but got "
            raise complain(TypeError, f"{said}{type(options).__name__}.")
        if set(options) - {"tensor_format"}:
            unknown = sorted(map(str, set(options) - {"tensor_format"}))
            said = f'the keys {unknown} of "export_options" are unsupported'
            raise complain(ValueError, said, expected="tensor_format")
        if options.get("tensor_format") not in ("npy", None):
            said = f'the export_format {set(options.values())} of "export_options" are unsupported for '
            raise complain(
                ValueError, f"{said}tensor_format, expect the follow values: {[None, 'npy']}"
            )
        return options.get("tensor_format")

    def __enter__(self):
        if self._closed:
            said = "SummaryRecord has been closed, please check if close() method is called"
            raise complain(ValueError, said)
        return self

    def __exit__(self, *error):
        self.close()

    @property
    def log_dir(self) -> str:
        """The path of the file.

        Returns:
            str: absolute.

        Examples:
            >>> import os, tempfile
            >>> from minds import train
            >>> with train.SummaryRecord(tempfile.mkdtemp()) as record:
            ...     os.path.exists(record.log_dir)
            True
        """
        return os.path.realpath(self._path)

    def set_mode(self, mode: str) -> None:
        """Say what the values are of.

        Args:
            mode (str): ``"train"`` or ``"eval"``.

        Raises:
            ValueError: ``mode`` is another.

        Examples:
            >>> import tempfile
            >>> from minds import train
            >>> with train.SummaryRecord(tempfile.mkdtemp()) as record:
            ...     record.set_mode("eval")
        """
        if mode not in ("train", "eval"):
            said = f"{mode!r} is not a recognized mode"
            raise complain(ValueError, said, expected='"train" or "eval"')
        self._mode = mode

    def add_value(self, plugin: str, name: str, value) -> None:
        """Keep a value for the next `record`; of one name and plugin, the last.

        Args:
            plugin (str): ``"scalar"``, ``"tensor"``, ``"histogram"`` or ``"image"``.
            name (str): its name in TensorBoard.
            value (Tensor): one element for a scalar, (n, channels, height, width) for images.

        Raises:
            TypeError: ``value`` is no tensor.
            ValueError: ``plugin`` or ``name`` is none, or the value's shape does not fit.

        Examples:
            >>> import tempfile
            >>> import minds as ms
            >>> from minds import train
            >>> with train.SummaryRecord(tempfile.mkdtemp()) as record:
            ...     record.add_value("histogram", "weight", ms.Tensor([0.5, 1.5]))
        """
        if plugin in _WITHOUT:
            said = f"values of the plugin {plugin!r} are MindInsight's"
            raise complain(ValueError, said, cure="TensorBoard cannot show them: leave them out")
        if plugin not in _PLUGINS:
            said = f'no such "plugin" of {plugin!r}'
            raise complain(ValueError, said, expected=", ".join(_PLUGINS))
        if not name or not isinstance(name, str):
            said = f'the parameter "name" type should be str, but got {type(name)}.'
            raise complain(ValueError, said)
        if not isinstance(value, Tensor):
            said = f'the parameter "value" expect to be Tensor, but got {type(value).__name__}'
            raise complain(TypeError, said)
        self._keep(plugin, name, np.array(value.asnumpy()))

    def _keep(self, plugin: str, name: str, a: np.ndarray) -> None:
        _fitting(plugin, a)
        self._pool = [kept for kept in self._pool if kept[:2] != (plugin, name)]
        self._pool.append((plugin, name, a))

    def record(self, step: int, train_network=None, plugin_filter=None) -> bool:
        """Write the values that were added, and that programs showed, since the last time, as of a
        step; of one name and plugin, the last.

        Args:
            step (int): the step.
            train_network (Cell, optional): accepted, without effect. Default: None.
            plugin_filter (Callable, optional): of the name of a plugin; values for which it is false
                are dropped. Default: None.

        Returns:
            bool: False if the record was closed, or its file is full.

        Raises:
            TypeError: an argument has a wrong type.

        Examples:
            >>> import tempfile
            >>> from minds import train
            >>> with train.SummaryRecord(tempfile.mkdtemp()) as record:
            ...     record.record(1)
            True
        """
        if isinstance(step, bool) or not isinstance(step, int):
            raise complain(TypeError, f"step is {step!r}", expected="an int")
        if train_network is not None and not isinstance(train_network, Cell):
            raise complain(TypeError, f"train_network is {train_network!r}", expected="a Cell")
        if self._closed:
            return False
        kept, self._pool = self._pool, []
        for plugin, name, a in kept:
            if plugin_filter is not None and not plugin_filter(plugin):
                continue
            if plugin == "tensor" and self._export:
                os.makedirs(self._arrays, exist_ok=True)
                np.save(os.path.join(self._arrays, f"{name.replace(os.sep, '_')}_{step}.npy"), a)
            if not self._write(events.event(step, _PLUGINS[plugin](name, a))):
                return False
        return True

    def _write(self, message: bytes) -> bool:
        data = framed(message)
        try:
            if self._limit is not None and self._file.tell() + len(data) > self._limit:
                said = f"max_file_size of {self._limit} bytes is reached: {self._path}"
                raise complain(RuntimeError, said)
            self._named(self._file.write, data)
        except (OSError, RuntimeError):
            if self._raises:
                raise
            return False
        return True

    def _named(self, function, *args) -> None:
        """Call a method of the file; an error, of a full disk say, names it."""
        try:
            function(*args)
        except OSError as e:
            raise OSError(e.errno, e.strerror, self._path) from e

    def flush(self) -> None:
        """Have what was written on the disk.

        Examples:
            >>> import tempfile
            >>> from minds import train
            >>> with train.SummaryRecord(tempfile.mkdtemp()) as record:
            ...     record.flush()
        """
        if not self._closed:
            self._named(self._file.flush)

    def close(self) -> None:
        """End the file; once is enough.

        Examples:
            >>> import tempfile
            >>> from minds import train
            >>> record = train.SummaryRecord(tempfile.mkdtemp())
            >>> record.close()
            >>> record.record(1)
            False
        """
        if not self._closed:
            self._closed = True
            self._hears_no_more()
            self._named(self._file.close)

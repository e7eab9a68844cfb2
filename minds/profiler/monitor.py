"""`DynamicProfilerMonitor` and `EnvProfiler`: profiles that a file or the environment asks for."""

from __future__ import annotations

import json
import os

from ..base.errors import complain
from ..train import Callback
from .session import Profiler, tensorboard_trace_handler

_FILE = "profiler_config.json"
_ENVIRONMENT = "MS_PROFILER_OPTIONS"


class DynamicProfilerMonitor(Callback):
    """Profiles the steps that a file asks for, which may change while the training runs: JSON with
    ``start_step`` and ``stop_step``, the first and the last step.

    Args:
        cfg_path (str): the folder with the file ``profiler_config.json``; it is made if it is not there.
        output_path (str): where traces are written. Default: ``"./dyn_profile_data"``.
        poll_interval (int): accepted; the file is looked at in each step.
        kwargs (Any): accepted.

    Raises:
        TypeError: ``cfg_path`` is no str.

    Examples:
        >>> import os, tempfile
        >>> from minds.profiler import DynamicProfilerMonitor
        >>> folder = tempfile.mkdtemp()
        >>> monitor = DynamicProfilerMonitor(folder, os.path.join(folder, "out"))
        >>> monitor.step()
    """

    def __init__(self, cfg_path=None, output_path="./dyn_profile_data", poll_interval=2, **kwargs):
        if not isinstance(cfg_path, str):
            said = f"DynamicProfilerMonitor: cfg_path is {cfg_path!r}"
            raise complain(TypeError, said, expected="a str")
        self._path, self._output, self._number = os.path.join(cfg_path, _FILE), output_path, 0
        self._running: tuple | None = None  # a profiler and its last step
        os.makedirs(cfg_path, exist_ok=True)
        if not os.path.exists(self._path):
            with open(self._path, "w", encoding="utf-8") as f:
                json.dump({"start_step": -1, "stop_step": -1}, f)

    def _asked(self) -> tuple[int, int]:
        try:
            with open(self._path, encoding="utf-8") as f:
                said = json.load(f)
            return int(said.get("start_step", -1)), int(said.get("stop_step", -1))
        except (OSError, ValueError):  # it is being written
            return -1, -1

    def step_begin(self, run_context):
        self._enter(run_context.original_args().cur_step_num)

    def step_end(self, run_context):
        self._leave(run_context.original_args().cur_step_num)

    def end(self, run_context):
        if self._running is not None:
            self._leave(self._running[1])

    def step(self) -> None:
        """A step of a loop without `Model` has ended.

        Examples:
            >>> import tempfile
            >>> from minds.profiler import DynamicProfilerMonitor
            >>> DynamicProfilerMonitor(tempfile.mkdtemp()).step()
        """
        self._leave(self._number)
        self._number += 1
        self._enter(self._number)

    def _enter(self, number: int) -> None:
        start, stop = self._asked()
        if self._running is None and number == start <= stop:
            self._running = Profiler(output_path=self._output), stop

    def _leave(self, number: int) -> None:
        if self._running is None or number < self._running[1]:
            return
        profiler, self._running = self._running[0], None
        profiler.stop()
        tensorboard_trace_handler(self._output, f"step_{number}")(profiler)


class EnvProfiler:
    """A profile of the whole process where the variable ``MS_PROFILER_OPTIONS`` asks for one: JSON with
    ``"start": true``, and ``output_path``.

    Examples:
        >>> from minds.profiler import EnvProfiler
        >>> EnvProfiler().analyse()
    """

    profiler: Profiler | None = None

    @classmethod
    def init_profiler(cls) -> None:
        """Start, if the variable says so.

        Raises:
            ValueError: the variable is no JSON.

        Examples:
            >>> from minds.profiler import EnvProfiler
            >>> EnvProfiler.init_profiler()
        """
        options = json.loads(os.environ.get(_ENVIRONMENT) or "{}")
        if options.pop("start", False) and cls.profiler is None:
            cls.profiler = Profiler(output_path=options.get("output_path", "./data"))

    def analyse(self) -> None:
        """Write what was found.

        Examples:
            >>> from minds.profiler import EnvProfiler
            >>> EnvProfiler().analyse()
        """
        if self.profiler is not None:
            self.profiler.analyse()
            EnvProfiler.profiler = None


__all__ = ["DynamicProfilerMonitor", "EnvProfiler"]

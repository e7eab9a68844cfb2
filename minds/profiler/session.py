"""`Profiler` and `profile`: MindSpore's names for a profile of steps whose results are files."""

from __future__ import annotations

import csv
import json
import os
import time
import warnings

from ..base import marks
from ..base.errors import complain
from .marking import kept_domains
from .names import ExperimentalConfig, ProfilerAction, ProfilerLevel
from .places import place_of
from .record import Profile
from .trace import write_trace

_RECORDS = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
_ACCEPTED = """activities with_stack profile_memory data_process parallel_strategy hbm_ddr pcie sync_enable
    record_shapes aic_metrics l2_cache data_simplification mstx mstx_domain_include mstx_domain_exclude
    sys_io sys_interconnection host_sys export_type"""


class _Session:
    """Shared by `Profiler` and `profile`: recording by steps, and what is written."""

    def _begin(self, schedule, on_trace_ready, start: bool, records: bool, output_path: str):
        if schedule is not None and not callable(schedule):
            raise complain(TypeError, f"profiler: schedule is {schedule!r}", expected="a schedule")
        if on_trace_ready is not None and not callable(on_trace_ready):
            said = f"profiler: on_trace_ready is {on_trace_ready!r}"
            raise complain(TypeError, said, expected="a function that takes the profiler")
        self._schedule, self._ready, self._records = schedule, on_trace_ready, records
        self.output_path = output_path
        self.step_num, self._begun = 0, None
        self._profile, self._started = Profile(), False
        self._metadata: dict = {}
        self._steps: list[tuple[int, int, int]] = []
        if start:
            self.start()

    def _action(self) -> ProfilerAction:
        return ProfilerAction.RECORD if self._schedule is None else self._schedule(self.step_num)

    def start(self) -> None:
        """Record from now on, as far as the schedule says.

        Examples:
            >>> from minds.profiler import profile
            >>> p = profile(start_profile=False)
            >>> p.start()
            >>> p.stop()
        """
        if self._started:
            warnings.warn("the profiler runs already", stacklevel=2)
            return
        self._started, self._begun = True, time.perf_counter_ns()
        self._turn()

    def _turn(self) -> None:
        """Run the profile, or not, as the action of this step says."""
        wanted = self._started and self._records and self._action() in _RECORDS
        self._profile.start() if wanted and not self._profile.running else None
        self._profile.stop() if not wanted else None

    def stop(self) -> None:
        """Record nothing any more; what was recorded goes to ``on_trace_ready``.

        Examples:
            >>> from minds.profiler import profile
            >>> p = profile()
            >>> p.stop()
        """
        if not self._started:
            warnings.warn("the profiler does not run", stacklevel=2)
            return
        self._end_step()
        self._started = False
        self._turn()
        if self._profile.work or self._profile.marks:
            self._give()

    def _end_step(self) -> None:
        now = time.perf_counter_ns()
        if self._profile.running:
            marks.mark(f"step {self.step_num}", self._begun, now)
            self._steps.append((self.step_num, self._begun, now))
        self._begun = now

    def step(self) -> None:
        """A step has ended.

        Raises:
            RuntimeError: it does not run.

        Examples:
            >>> from minds.profiler import profile, schedule
            >>> with profile(schedule=schedule(wait=1, active=1)) as p:
            ...     p.step()
            ...     p.step()
        """
        if not self._started:
            raise complain(RuntimeError, "profiler: step() before start()")
        self._end_step()
        saves = self._action() is ProfilerAction.RECORD_AND_SAVE
        if saves:
            self._profile.stop()
        self.step_num += 1
        if saves:
            self._give()
        self._turn()

    def _give(self) -> None:
        """Hand what was recorded to ``on_trace_ready``, and forget it."""
        if self._ready is not None:
            self._ready(self)
            self._profile, self._steps = Profile(), []

    def add_metadata(self, key: str, value: str) -> None:
        """Note a text, which the trace keeps.

        Args:
            key (str): its name.
            value (str): the text.

        Raises:
            TypeError: one is no str.

        Examples:
            >>> from minds.profiler import profile
            >>> with profile() as p:
            ...     p.add_metadata("batch", "32")
        """
        if not isinstance(key, str) or not isinstance(value, str):
            raise complain(TypeError, f"add_metadata: {key!r}, {value!r}", expected="two strs")
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Note a value in JSON, which the trace keeps.

        Args:
            key (str): its name.
            value (str): JSON.

        Raises:
            TypeError: one is no str.
            ValueError: ``value`` is no JSON.

        Examples:
            >>> from minds.profiler import profile
            >>> with profile() as p:
            ...     p.add_metadata_json("sizes", "[1, 2]")
        """
        if not isinstance(key, str) or not isinstance(value, str):
            raise complain(TypeError, f"add_metadata_json: {key!r}, {value!r}", expected="two strs")
        self._metadata[key] = json.loads(value)

    def _write(self, folder: str) -> None:
        """Write what was recorded into ``folder``: a trace, tables and pictures."""
        os.makedirs(folder, exist_ok=True)
        p, at = self._profile, lambda name: os.path.join(folder, name)
        kept = kept_domains(p.marks, self._domains)
        write_trace(at("trace_view.json"), p.work, kept, self._metadata, p.exchanges)
        p.save_flame_graph(at("flame_graph.svg"))
        p.save_memory_chart(at("memory.svg"))
        head = ["name", "calls", "ms", "share"]
        _table(at("op_statistic.csv"), head, p.ops())
        _table(at("line_statistic.csv"), head, p.lines())
        _table(at("memory_record.csv"), ["ms", "bytes"], p.memory())
        steps = [(n, (e - b) / 1e6) for n, b, e in self._steps]
        _table(at("step_trace_time.csv"), ["step", "ms"], steps)
        kernels = [
            (w.op, place_of(w), w.program or "eager", w.begin / 1e6, (w.end - w.begin) / 1e6)
            for w in p.work
            if w.op
        ]
        _table(at("kernel_details.csv"), ["name", "line", "program", "begin ms", "ms"], kernels)

    _domains = ((), ())

    def __enter__(self):
        if not self._started:
            self.start()
        return self

    def __exit__(self, *error) -> None:
        if self._started:
            self.stop()


def _table(path: str, head: list, rows) -> None:
    with open(path, "w", encoding="utf-8", newline="") as f:
        csv.writer(f).writerows([head, *rows])


class profile(_Session):
    """Records steps. With a schedule, ``on_trace_ready`` gets what each stretch of active steps gave;
    without, what was recorded until `stop`.

    Args:
        activities (Iterable[ProfilerActivity], optional): accepted; all devices are watched.
        with_stack (bool), profile_memory (bool), data_process (bool), parallel_strategy (bool),
            hbm_ddr (bool), pcie (bool), sync_enable (bool), record_shapes (bool): accepted; lines, shapes,
            memory and the waiting for data are always recorded.
        start_profile (bool): whether it starts at once. Default: ``True``.
        schedule (schedule, optional): which steps are recorded. Default: all.
        on_trace_ready (Callable, optional): gets this object; see `tensorboard_trace_handler`.
        experimental_config (_ExperimentalConfig, optional): further settings.

    Raises:
        TypeError: an argument has a wrong type.

    Examples:
        >>> import os, tempfile
        >>> from minds import ops
        >>> from minds.profiler import profile, schedule, tensorboard_trace_handler
        >>> folder = tempfile.mkdtemp()
        >>> x = ops.ones((4, 4))
        >>> save = tensorboard_trace_handler(folder)
        >>> with profile(schedule=schedule(wait=1, active=1, repeat=1), on_trace_ready=save) as p:
        ...     for _ in range(4):
        ...         _ = x @ x
        ...         p.step()
        >>> [made] = os.listdir(folder)
        >>> "trace_view.json" in os.listdir(os.path.join(folder, made))
        True
    """

    def __init__(
        self,
        activities=None,
        with_stack: bool = False,
        profile_memory: bool = False,
        data_process: bool = False,
        parallel_strategy: bool = False,
        start_profile: bool = True,
        hbm_ddr: bool = False,
        pcie: bool = False,
        sync_enable: bool = True,
        record_shapes: bool = False,
        schedule=None,
        on_trace_ready=None,
        experimental_config=None,
    ):
        if not isinstance(start_profile, bool):
            raise complain(
                TypeError, f"profile: start_profile is {start_profile!r}", expected="a bool"
            )
        config = ExperimentalConfig() if experimental_config is None else experimental_config
        if not isinstance(config, ExperimentalConfig):
            kind = type(config).__name__
            said = f"profile: experimental_config has type {kind}"
            raise complain(TypeError, said, expected="an _ExperimentalConfig")
        self._domains = (tuple(config.mstx_domain_include), tuple(config.mstx_domain_exclude))
        records = config.profiler_level is not ProfilerLevel.LevelNone
        self._begin(schedule, on_trace_ready, start_profile, records, "./data")

    def __str__(self) -> str:
        return str(self._profile)


class Profiler(_Session):
    """Records from its creation on; `analyse` writes what it found.

    Args:
        kwargs (Any): ``start_profile`` (bool), whether it starts at once, by default True; ``output_path``
            (str), the folder, by default ``"./data"``; ``profiler_level``, ``schedule`` and
            ``on_trace_ready`` as of `profile`; MindSpore's other settings are accepted.

    Raises:
        TypeError: an argument has a wrong type, or is unknown.

    Examples:
        >>> import os, tempfile
        >>> from minds import ops
        >>> from minds.profiler import Profiler
        >>> folder = tempfile.mkdtemp()
        >>> profiler = Profiler(output_path=folder)
        >>> _ = ops.ones((4, 4)) @ ops.ones((4, 4))
        >>> profiler.analyse()
        >>> "op_statistic.csv" in os.listdir(folder)
        True
    """

    def __init__(self, **kwargs):
        known = "start_profile output_path profiler_level schedule on_trace_ready"
        unknown = set(kwargs) - {*_ACCEPTED.split(), *known.split()}
        if unknown:
            said = f"Profiler: there is no argument {', '.join(sorted(unknown))}"
            raise complain(TypeError, said, expected=known)
        path = kwargs.get("output_path", "./data")
        if not isinstance(path, str):
            raise complain(TypeError, f"Profiler: output_path is {path!r}", expected="a str")
        level = kwargs.get("profiler_level", ProfilerLevel.Level0)
        self._domains = tuple(
            tuple(kwargs.get(f"mstx_domain_{k}") or ()) for k in ("include", "exclude")
        )
        ready, start = kwargs.get("on_trace_ready"), kwargs.get("start_profile", True)
        records = level is not ProfilerLevel.LevelNone
        self._begin(kwargs.get("schedule"), ready, start, records, path)

    def analyse(
        self, offline_path=None, pretty: bool = False, step_list=None, mode: str = "sync"
    ) -> None:
        """Stop, and write what was recorded into the folder: ``trace_view.json`` for Perfetto, tables of
        ops, lines, kernels, steps and memory, a flame graph and a picture of the memory.

        Args:
            offline_path (str, optional): not supported, must be None: files are written at once.
            pretty (bool), mode (str): accepted.
            step_list (list[int], optional): accepted; all steps that were recorded are written.

        Raises:
            ValueError: ``offline_path`` is given.
            OSError: the files cannot be written.

        Examples:
            >>> import tempfile
            >>> from minds.profiler import Profiler
            >>> Profiler(output_path=tempfile.mkdtemp()).analyse()
        """
        if offline_path is not None:
            raise complain(
                ValueError,
                f"analyse: offline_path is {offline_path!r}",
                expected="None: there are no files but those that are written at the end",
            )
        if self._started:
            ready, self._ready = self._ready, None
            self.stop()
            self._ready = ready
        self._write(self.output_path)

    @staticmethod
    def offline_analyse(path: str, pretty=False, step_list=None, data_simplification=True) -> None:
        """Not needed: what `analyse` writes is whole.

        Args:
            path (str): a folder that `analyse` wrote.
            pretty (bool), step_list (list), data_simplification (bool): accepted.

        Raises:
            FileNotFoundError: there is no ``trace_view.json`` in the folder.

        Examples:
            >>> import tempfile
            >>> from minds.profiler import Profiler
            >>> folder = tempfile.mkdtemp()
            >>> Profiler(output_path=folder).analyse()
            >>> Profiler.offline_analyse(folder)
        """
        if not os.path.exists(os.path.join(path, "trace_view.json")):
            raise complain(FileNotFoundError, f"offline_analyse: {path!r} has no trace_view.json")

    def op_analyse(self, op_name, device_id=None) -> str:
        """The time of kernels of some ops.

        Args:
            op_name (str, list[str]): their names.
            device_id (int, optional): accepted.

        Returns:
            str: JSON: by name, the calls and the milliseconds.

        Raises:
            TypeError: ``op_name`` is no name.

        Examples:
            >>> from minds import ops
            >>> from minds.profiler import Profiler
            >>> profiler = Profiler()
            >>> _ = ops.ones((4, 4)) @ ops.ones((4, 4))
            >>> profiler.stop()
            >>> "calls" in profiler.op_analyse("matmul")
            True
        """
        names = [op_name] if isinstance(op_name, str) else op_name
        if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
            raise complain(TypeError, f"op_analyse: op_name is {op_name!r}", expected="strs")
        rows = {r.name: {"calls": r.calls, "ms": r.ms} for r in self._profile.ops()}
        return json.dumps({n: rows.get(n, {"calls": 0, "ms": 0.0}) for n in names})


def tensorboard_trace_handler(
    dir_name: str | None = None,
    worker_name: str | None = None,
    analyse_flag: bool = True,
    async_mode: bool = False,
):
    """For ``on_trace_ready``: writes each trace into a folder of its own.

    Args:
        dir_name (str, optional): where the folders are made. Default: that of the profiler.
        worker_name (str, optional): their names begin with it. Default: ``"rank"``.
        analyse_flag (bool): whether anything is written. Default: ``True``.
        async_mode (bool): accepted.

    Returns:
        Callable: it.

    Raises:
        TypeError: a name is no str.

    Examples:
        >>> from minds.profiler import tensorboard_trace_handler
        >>> callable(tensorboard_trace_handler("./data"))
        True
    """
    for name, value in (("dir_name", dir_name), ("worker_name", worker_name)):
        if value is not None and not isinstance(value, str):
            said = f"tensorboard_trace_handler: {name} is {value!r}"
            raise complain(TypeError, said, expected="a str")

    def save(session) -> None:
        if analyse_flag:
            made = f"{worker_name or 'rank'}_{os.getpid()}_{time.time_ns()}"
            session._write(os.path.join(dir_name or session.output_path, made))

    return save

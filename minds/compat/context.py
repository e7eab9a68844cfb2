"""Execution mode, device and settings, under MindSpore's module name."""

from __future__ import annotations

import contextlib

from ..base import data_parallel
from ..base.boundary import guard as _guard
from ..base.errors import complain
from ..base.options import (
    GRAPH_MODE,
    PYNATIVE_MODE,
    Division,
    OptimizerParallel,
    divide_among,
    get_context,
    set_context,
)
from ..base.world import world
from ..ops.placed import dims_of, mesh_of
from .jit_config import COMPATIBLE, LAX, STRICT


class ParallelMode:
    """How training is spread over devices, as MindSpore names it.

    Examples:
        >>> import minds as ms
        >>> ms.ParallelMode.STAND_ALONE
        'stand_alone'
    """

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = [STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL]


_DEFAULTS = {
    "device_num": 1,
    "global_rank": 0,
    "gradients_mean": False,
    "gradient_fp32_sync": True,
    "loss_repeated_mean": True,
    "parallel_mode": ParallelMode.STAND_ALONE,
    "search_mode": "recursive_programming",
    "auto_parallel_search_mode": "recursive_programming",
    "parameter_broadcast": False,
    "strategy_ckpt_load_file": "",
    "strategy_ckpt_save_file": "",
    "strategy_ckpt_config": {},
    "full_batch": False,
    "dataset_strategy": "data_parallel",
    "enable_parallel_optimizer": False,
    "enable_alltoall": False,
    "all_reduce_fusion_config": [],
    "pipeline_stages": 1,
    "pipeline_config": {},
    "pipeline_result_broadcast": False,
    "grad_accumulation_step": 1,
    "parallel_optimizer_config": {},
    "comm_fusion": {},
    "group_ckpt_save_file": "",
    "auto_pipeline": False,
    "communi_parallel_mode": "all_group_parallel",
    "optimizer_weight_shard_size": -1,
    "optimizer_weight_shard_aggregated_save": False,
    "enable_all_reduce_fusion": True,
}
_PIPELINES = {"pipeline_interleave": False, "pipeline_scheduler": "1f1b"}
_SEARCHES = ("recursive_programming", "dynamic_programming", "sharding_propagation")
_parallel = dict(_DEFAULTS)
_given: set = set()
_OF_THE_WORLD = {"device_num": "size", "global_rank": "rank"}
"""What `communication.init` finds out, unless it was set."""


def set_auto_parallel_context(**settings) -> None:
    """Set how training is spread over devices. With ``parallel_mode`` ``"semi_auto_parallel"`` or
    ``"auto_parallel"``, each of ``device_num`` processes compiles its own part of a program for all of them:
    ``global_rank``'s. Of the arguments a process has a part, which ``dataset_strategy`` describes; they are
    whole with ``full_batch=True``. Parameters are rank 0's when a program first takes them; a process keeps
    its part of those that are divided. With ``enable_parallel_optimizer=True`` the states of optimisers are
    divided among processes that would hold the same, with ``parallel_optimizer_config={"optimizer_level":
    "level3"}`` the weights too. ``"auto_parallel"`` searches the layouts that the program does not say, by
    one algorithm for the modes ``"recursive_programming"`` and ``"dynamic_programming"``; with the
    ``search_mode`` ``"sharding_propagation"`` they follow from those that it says, without a search.

    Args:
        settings (Any): MindSpore's settings, such as ``parallel_mode``, ``device_num`` and
            ``gradients_mean``.

    Raises:
        TypeError: ``dataset_strategy`` or ``parallel_optimizer_config`` has a wrong type.
        ValueError: an unknown setting, or a parallel mode or level that does not exist.

    Examples:
        >>> ms.context.set_auto_parallel_context(gradients_mean=True)
        >>> ms.context.reset_auto_parallel_context()
    """
    for name, value in settings.items():
        if name not in _DEFAULTS:
            raise complain(ValueError, f"set_auto_parallel_context: unknown setting {name!r}")
        if name == "parallel_mode" and value not in ParallelMode.MODE_LIST:
            raise complain(
                ValueError,
                f"set_auto_parallel_context: parallel_mode is {value!r}",
                expected=f"one of {ParallelMode.MODE_LIST}",
            )
        if name in ("search_mode", "auto_parallel_search_mode") and value not in _SEARCHES:
            what = f"set_auto_parallel_context: {name} is {value!r}"
            raise complain(ValueError, what, expected=", ".join(map(repr, _SEARCHES)))
    _expect_in_range(settings)
    if "comm_fusion" in settings:
        expect_fusion(settings["comm_fusion"])
    if "auto_parallel_search_mode" in settings:
        settings.setdefault("search_mode", settings["auto_parallel_search_mode"])
    if "search_mode" in settings:
        settings["auto_parallel_search_mode"] = settings["search_mode"]
    batch = _batch(settings.get("dataset_strategy", _parallel["dataset_strategy"]))
    optimizer = _optimizer({**_parallel, **settings})
    count = settings.get("device_num", get_auto_parallel_context("device_num"))
    stages, schedule = _pipeline({**_parallel, **settings}, count)
    config = settings.get("strategy_ckpt_config", {})
    if not isinstance(config, dict):
        what = f"set_auto_parallel_context: strategy_ckpt_config is {config!r}"
        raise complain(TypeError, what, expected="a dict")
    _parallel.update(settings)
    _given.update(settings)
    data_parallel.configure(_parallel, settings)
    divides = _parallel["parallel_mode"] in ("semi_auto_parallel", "auto_parallel")
    size, rank = (get_auto_parallel_context(n) for n in ("device_num", "global_rank"))
    batch = "full_batch" if _parallel["full_batch"] else batch
    searches = (
        _parallel["parallel_mode"] == "auto_parallel"
        and _parallel["search_mode"] != "sharding_propagation"
    )
    kept = _parallel["strategy_ckpt_config"]
    load = kept.get("load_file") or _parallel["strategy_ckpt_load_file"]
    save = kept.get("save_file") or _parallel["strategy_ckpt_save_file"]
    how = batch, searches, optimizer, load, save, stages, schedule
    division = Division(size, rank, *how)
    divide_among(division if divides else None)


_COMMUNICATION = "all_group_parallel", "same_server_group_parallel", "no_group_parallel"
_RANKS = 4096


def _expect_in_range(settings: dict) -> None:
    """Raise unless the numbers of processes and the kind of their communication can be."""
    what = "set_auto_parallel_context:"
    for name, least, most in ("device_num", 1, None), ("global_rank", 0, _RANKS - 1):
        n = settings.get(name, least)
        if type(n) is not int:
            kind = type(n).__name__
            raise complain(TypeError, f"{what} {name} has type {kind}", expected="an int")
        if n < least or most is not None and n > most:
            expected = f"at least {least}" if most is None else f"in [{least}, {most}]"
            raise complain(ValueError, f"{what} {name} is {n}", expected=expected)
    kind = settings.get("communi_parallel_mode", _COMMUNICATION[0])
    if kind not in _COMMUNICATION:
        expected = ", ".join(map(repr, _COMMUNICATION))
        raise complain(ValueError, f"{what} communi_parallel_mode is {kind!r}", expected=expected)


_FUSED = ("allreduce", "allgather", "reducescatter")


def expect_fusion(config) -> None:
    """Raise unless a ``comm_fusion`` can be: the sizes of buckets are chosen by minds itself.

    Raises:
        TypeError: it is no dict, or an entry is none.
        KeyError: a name or a mode is unknown, or missing.
    """
    if not isinstance(config, dict):
        raise complain(TypeError, f"comm_fusion is {config!r}", expected="a dict")
    for kind, entry in config.items():
        if kind == "openstate":
            continue
        if kind not in _FUSED:
            raise complain(KeyError, f"comm_fusion has {kind!r}", expected=", ".join(_FUSED))
        if not isinstance(entry, dict):
            raise complain(TypeError, f"comm_fusion[{kind!r}] is {entry!r}", expected="a dict")
        modes = ("auto", "size", "index")[: 3 if kind == "allreduce" else 2]
        if "config" not in entry or entry.get("mode") not in modes:
            expected = f"'mode', one of {', '.join(modes)}, and 'config'"
            raise complain(KeyError, f"comm_fusion[{kind!r}] is {entry!r}", expected=expected)
        good = {"auto": object, "size": int, "index": list}[entry["mode"]]
        if not isinstance(entry["config"], good):
            what = f"comm_fusion[{kind!r}]: config is {entry['config']!r}"
            raise complain(TypeError, what, expected=f"of type {good.__name__}")


_SCHEDULES = {"gpipe": "gpipe", "1f1b": "1f1b", "zero_bubble_v": "zb"}


def _pipeline(settings: dict, size: int) -> tuple[int, str]:
    """How many stages there are, and their schedule."""
    stages, config = settings["pipeline_stages"], settings["pipeline_config"]
    what = "set_auto_parallel_context:"
    if type(stages) is not int:
        kind = type(stages).__name__
        raise complain(TypeError, f"{what} pipeline_stages has type {kind}", expected="an int")
    if not isinstance(config, dict):
        raise complain(TypeError, f"{what} pipeline_config is {config!r}", expected="a dict")
    named = config.get("pipeline_scheduler", "1f1b")
    if stages < 1 or stages > 1 and size > 1 and size % stages:
        expected = f"a number that divides {size}, of processes"
        raise complain(ValueError, f"{what} pipeline_stages is {stages}", expected=expected)
    if named not in _SCHEDULES:
        expected = ", ".join(map(repr, _SCHEDULES))
        raise complain(ValueError, f"{what} pipeline_scheduler is {named!r}", expected=expected)
    return stages, "interleaved" if config.get("pipeline_interleave") else _SCHEDULES[named]


_LEVELS = {"level1": 1, "level2": 2, "level3": 3}


def _optimizer(settings: dict) -> OptimizerParallel | None:
    """What ``parallel_optimizer_config`` says, where the optimiser is divided."""
    given = settings["parallel_optimizer_config"]
    if not isinstance(given, dict):
        what = f"set_auto_parallel_context: parallel_optimizer_config is {given!r}"
        raise complain(TypeError, what, expected="a dict")
    level = given.get("optimizer_level", "level1")
    shard = given.get("gradient_accumulation_shard", False)
    kilobytes = given.get("parallel_optimizer_threshold", 64)
    most = given.get("optimizer_weight_shard_size", -1)
    what = "set_auto_parallel_context: parallel_optimizer_config: "
    if not isinstance(shard, bool):
        kind = type(shard).__name__
        text = f"{what}gradient_accumulation_shard has type {kind}"
        raise complain(TypeError, text, expected="a bool")
    if level not in _LEVELS:
        expected = ", ".join(map(repr, _LEVELS))
        raise complain(ValueError, f"{what}optimizer_level is {level!r}", expected=expected)
    for name, n, least in (
        ("parallel_optimizer_threshold", kilobytes, 0),
        ("optimizer_weight_shard_size", most, -1),
    ):
        if type(n) is not int:
            raise complain(
                TypeError, f"{what}{name} has type {type(n).__name__}", expected="an int"
            )
        if n < least:
            raise complain(ValueError, f"{what}{name} is {n}", expected=f"at least {least}")
    if not settings["enable_parallel_optimizer"]:
        return None
    return OptimizerParallel(_LEVELS[level], kilobytes << 10, most)


def _batch(strategy) -> str | tuple:
    """What `Division.batch` is for a ``dataset_strategy``."""
    if strategy in ("data_parallel", "full_batch"):
        return strategy
    if not isinstance(strategy, tuple):
        raise complain(
            TypeError,
            f"set_auto_parallel_context: dataset_strategy is {strategy!r}",
            expected="'data_parallel', 'full_batch', or a tuple with one strategy for each argument",
        )
    return tuple([(dims_of(s), mesh_of(s)) for s in strategy])


@contextlib.contextmanager
def parallel_settings(**settings):
    """`set_auto_parallel_context` with these alone inside of a block; how many processes there are stays."""
    before, given = dict(_parallel), {n: _parallel[n] for n in _given}
    kept = {n: v for n, v in given.items() if n in _OF_THE_WORLD}
    reset_auto_parallel_context()
    try:
        set_auto_parallel_context(**kept, **settings)
        yield
    finally:
        reset_auto_parallel_context()
        if given:
            set_auto_parallel_context(**given)
        _parallel.update(before)


def get_auto_parallel_context(attr_key: str):
    """A setting of `set_auto_parallel_context`.

    Args:
        attr_key (str): the setting.

    Returns:
        Any: its value.

    Raises:
        ValueError: an unknown setting.

    Examples:
        >>> ms.context.get_auto_parallel_context("device_num")
        1
    """
    config = _parallel["pipeline_config"]
    if attr_key in _PIPELINES:
        return config.get(attr_key, _PIPELINES[attr_key])
    if attr_key not in _parallel:
        raise complain(ValueError, f"get_auto_parallel_context: unknown setting {attr_key!r}")
    if attr_key in _OF_THE_WORLD and attr_key not in _given:
        return getattr(world, _OF_THE_WORLD[attr_key])
    if attr_key == "full_batch":
        return _parallel["full_batch"] or _parallel["dataset_strategy"] == "full_batch"
    return _parallel[attr_key]


def is_set(name: str) -> bool:
    """Whether a setting of `set_auto_parallel_context` was given."""
    return name in _given


def reset_auto_parallel_context() -> None:
    """Take all settings of `set_auto_parallel_context` back.

    Examples:
        >>> import minds as ms
        >>> ms.reset_auto_parallel_context()
    """
    _parallel.clear()
    _parallel.update(_DEFAULTS)
    _given.clear()
    data_parallel.configure(_parallel, {})
    divide_among(None)


class _SettingsByName:
    """The settings of `set_context` as attributes."""

    def __getattr__(self, name: str):
        try:
            return get_context(name)
        except ValueError:
            raise AttributeError(f"context: there is no setting {name!r}") from None


K_CONTEXT = None
"""What `_context` gave; None before it was asked for."""


def _context() -> _SettingsByName:
    """The settings, by attribute: MindSpore's own object for them."""
    global K_CONTEXT
    K_CONTEXT = K_CONTEXT or _SettingsByName()
    return K_CONTEXT


def get_jit_config() -> dict | None:
    """What `set_context` was given as ``jit_config``.

    Returns:
        dict, None: it.

    Examples:
        >>> import minds as ms
        >>> from minds import context
        >>> ms.set_context(jit_config={"jit_level": "O1"})
        >>> context.get_jit_config()
        {'jit_level': 'O1'}
        >>> ms.set_context(jit_config=None)
    """
    return get_context("jit_config")


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Choose the device.

    Args:
        device_target (str): "CPU", "GPU" or "Ascend".
        device_id (int): which one. Default None.

    Raises:
        ValueError: there is no such device.

    Examples:
        >>> ms.set_device("CPU")
    """
    set_context(
        device_target=device_target, **({} if device_id is None else {"device_id": device_id})
    )


def set_deterministic(deterministic: bool) -> None:
    """Ask for results that are the same in each run, which those of minds are in any case.

    Args:
        deterministic (bool): whether.

    Raises:
        TypeError: ``deterministic`` is no bool.

    Examples:
        >>> ms.set_deterministic(True)
    """
    if not isinstance(deterministic, bool):
        raise complain(
            TypeError, f"set_deterministic: deterministic is {deterministic!r}", expected="a bool"
        )
    set_context(deterministic="ON" if deterministic else "OFF")


def set_recursion_limit(recursion_limit: int = 1000) -> None:
    """Limit how deep recursive calls of a compiled program may nest, in thousands: the setting
    ``max_call_depth``. They take no stack of the machine, so the default is a million, as far as there is
    memory; a run raises RecursionError beyond. Calls that are followed while compiling may nest 4,000 deep.

    Args:
        recursion_limit (int): thousands of nested calls, at least 1. Default 1000.

    Raises:
        TypeError: ``recursion_limit`` is no int.
        ValueError: it is not positive.

    Examples:
        >>> ms.set_recursion_limit(1000)
    """
    if not isinstance(recursion_limit, int) or isinstance(recursion_limit, bool):
        raise complain(
            TypeError,
            f"set_recursion_limit: recursion_limit is {recursion_limit!r}",
            expected="an int",
        )
    if recursion_limit <= 0:
        raise complain(
            ValueError,
            f"set_recursion_limit: recursion_limit is {recursion_limit}",
            expected="an int > 0",
        )
    set_context(max_call_depth=recursion_limit)


__all__ = [
    "COMPATIBLE",
    "LAX",
    "STRICT",
    "GRAPH_MODE",
    "PYNATIVE_MODE",
    "ParallelMode",
    "get_auto_parallel_context",
    "get_context",
    "get_jit_config",
    "reset_auto_parallel_context",
    "set_auto_parallel_context",
    "set_context",
    "set_deterministic",
    "set_device",
    "set_recursion_limit",
]
_guard(__name__)

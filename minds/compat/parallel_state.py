"""What MindSpore's modules `parallel._utils`, `parallel._auto_parallel_context` and
`parallel._ps_context` say of the settings of `set_auto_parallel_context`.
"""

from __future__ import annotations

from ..base.errors import complain
from .context import (
    ParallelMode,
    get_auto_parallel_context,
    is_set,
    reset_auto_parallel_context,
    set_auto_parallel_context,
)

_SEARCHING = (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)


def _get_parallel_mode() -> str:
    """The setting ``parallel_mode``."""
    return get_auto_parallel_context("parallel_mode")


def _is_in_auto_parallel_mode() -> bool:
    """Whether operators are divided among the processes."""
    return _get_parallel_mode() in _SEARCHING


def _is_in_data_parallel_mode() -> bool:
    """Whether each process has the whole network and a part of the data."""
    return _get_parallel_mode() == ParallelMode.DATA_PARALLEL


def _device_number_check(parallel_mode: str, device_number: int) -> None:
    """Refuse several processes that do not know of each other."""
    if parallel_mode == ParallelMode.STAND_ALONE and device_number != 1:
        raise complain(
            ValueError,
            f"device_number is {device_number} where parallel_mode is {parallel_mode!r}",
            expected="1",
        )


def _is_sharding_propagation() -> bool:
    """Whether what is not marked is divided as its neighbours are."""
    return get_auto_parallel_context("search_mode") == "sharding_propagation"


def _get_device_num() -> int:
    """Among how many processes work is divided."""
    if _get_parallel_mode() == ParallelMode.STAND_ALONE:
        return 1
    return get_auto_parallel_context("device_num")


def _get_global_rank() -> int:
    """The number of this process."""
    return get_auto_parallel_context("global_rank")


def _get_gradients_mean() -> bool:
    """The setting ``gradients_mean``."""
    return get_auto_parallel_context("gradients_mean")


def _get_parameter_broadcast() -> bool:
    """The setting ``parameter_broadcast``."""
    return get_auto_parallel_context("parameter_broadcast")


def _get_full_batch() -> bool:
    """The setting ``full_batch``."""
    return get_auto_parallel_context("full_batch")


def _get_pipeline_stages() -> int:
    """The setting ``pipeline_stages``."""
    return get_auto_parallel_context("pipeline_stages")


def _get_stage_device_num() -> int:
    """How many processes a stage of a pipeline has."""
    return _get_device_num() // _get_pipeline_stages()


def _get_enable_parallel_optimizer() -> bool:
    """The setting ``enable_parallel_optimizer``."""
    return get_auto_parallel_context("enable_parallel_optimizer")


class _AutoParallelContext:
    """The settings as an object with ``get_NAME`` and ``set_NAME``."""

    def __getattr__(self, name: str):
        action, _, setting = name.partition("_")
        if action == "get":
            return lambda: get_auto_parallel_context(setting)
        if action == "set":
            return lambda value: set_auto_parallel_context(**{setting: value})
        raise AttributeError(name)

    def get_device_num_is_set(self) -> bool:
        """Whether ``device_num`` was set."""
        return is_set("device_num")

    def get_parameter_broadcast_is_set(self) -> bool:
        """Whether ``parameter_broadcast`` was set."""
        return is_set("parameter_broadcast")

    def get_pipeline_interleave(self) -> bool:
        """Whether a group of devices has several stages."""
        return get_auto_parallel_context("pipeline_config").get("pipeline_interleave", False)

    def get_pipeline_scheduler(self) -> str:
        """The order in which stages work."""
        return get_auto_parallel_context("pipeline_config").get("pipeline_scheduler", "1f1b")

    def set_all_reduce_fusion_split_indices(self, indices, group: str = "") -> None:
        """Keep where a bucket of gradients ends; minds cuts them by their size."""
        if not isinstance(indices, list) or not all(type(i) is int for i in indices):
            raise complain(TypeError, f"indices is {indices!r}", expected="a list of ints")
        if len(set(indices)) != len(indices):
            raise complain(ValueError, f"indices is {indices!r}", expected="each once")
        _INDICES[group] = list(indices)

    def get_all_reduce_fusion_split_indices(self, group: str = "") -> list[int]:
        """What was set."""
        return list(_INDICES.get(group, ()))

    def set_all_reduce_fusion_split_sizes(self, sizes, group: str = "") -> None:
        """Keep how large a bucket is, in percent; minds cuts gradients by their bytes."""
        if not isinstance(sizes, list) or not all(isinstance(n, (int, float)) for n in sizes):
            raise complain(TypeError, f"sizes is {sizes!r}", expected="a list of numbers")
        _SIZES[group] = list(sizes)

    def get_all_reduce_fusion_split_sizes(self, group: str = "") -> list:
        """What was set."""
        return list(_SIZES.get(group, ()))

    def set_enable_all_reduce_fusion(self, enable_all_reduce_fusion: bool) -> None:
        """Accepted; gradients are always reduced in buckets."""
        set_auto_parallel_context(enable_all_reduce_fusion=enable_all_reduce_fusion)

    def fusion_threshold_mb(self, kind: str = "allreduce") -> int:
        """How many megabytes ``comm_fusion`` says that a bucket has; minds cuts gradients by its own."""
        said = get_auto_parallel_context("comm_fusion").get(kind, {})
        return said.get("config") or 64 if said.get("mode") != "index" else 64

    def allgather_fusion_threshold_mb(self) -> int:
        """`fusion_threshold_mb` of gathers."""
        return self.fusion_threshold_mb("allgather")

    def reducescatter_fusion_threshold_mb(self) -> int:
        """`fusion_threshold_mb` of scatters."""
        return self.fusion_threshold_mb("reducescatter")

    def get_enable_all_gather_fusion(self) -> bool:
        """Whether ``comm_fusion`` leaves this open."""
        return get_auto_parallel_context("comm_fusion").get("openstate", True)

    get_enable_reduce_scatter_fusion = get_enable_all_gather_fusion

    def get_enable_all_reduce_fusion(self) -> bool:
        """Whether neither ``comm_fusion`` nor ``enable_all_reduce_fusion`` says no."""
        own = get_auto_parallel_context("enable_all_reduce_fusion")
        return own and self.get_enable_all_gather_fusion()

    def reset(self) -> None:
        """Take all settings back."""
        _INDICES.clear()
        _SIZES.clear()
        reset_auto_parallel_context()


_INDICES: dict[str, list] = {}
_SIZES: dict[str, list] = {}
_CONTEXT = _AutoParallelContext()


def auto_parallel_context() -> _AutoParallelContext:
    """The settings as an object."""
    return _CONTEXT


def _reset_op_id() -> None:
    """Accepted: ops have no numbers that outlive their program."""


def _is_role_worker() -> bool:
    """Whether this process trains: each one does, for there are no parameter servers."""
    return True


def _is_role_sched() -> bool:
    """Whether this process only schedules others: none does."""
    return False


_is_role_pserver = _is_ps_mode = _is_role_sched

__all__ = ["auto_parallel_context"]

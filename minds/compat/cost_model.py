"""MindSpore's settings of the cost of a strategy, under its module name `parallel._cost_model_context`. They
are kept: the cost that minds searches by is that of a `Cluster`.
"""

from __future__ import annotations

from ..base.errors import complain

_DEFAULTS = {
    "device_memory_capacity": 16.0 * 2**30,
    "costmodel_alpha": 1.0,
    "costmodel_beta": 400.0,
    "costmodel_gamma": 0.001,
    "costmodel_simplify_cal": True,
    "costmodel_communi_threshold": 2048.0,
    "costmodel_communi_const": 3072.0,
    "costmodel_communi_bias": 1024.0,
    "run_phase": 0,
    "costmodel_allreduce_fusion_algorithm": 0,
    "costmodel_allreduce_fusion_times": 0,
    "costmodel_allreduce_fusion_tail_percent": 0.1,
    "costmodel_allreduce_fusion_tail_time": 0.1,
    "costmodel_allreduce_fusion_allreduce_inherent_time": 0.1,
    "costmodel_allreduce_fusion_allreduce_bandwidth": 0.1,
    "costmodel_allreduce_fusion_computation_time_parameter": 0.1,
}
_OTHERS = {"multi_subgraphs": False, "algo_single_loop": False, "rp_matmul_mem_coef": 0.1}
_settings: dict = {**_DEFAULTS, **_OTHERS}


def set_cost_model_context(**kwargs) -> None:
    """Set some of the settings.

    Args:
        kwargs (Any): values by name.

    Raises:
        ValueError: there is no such setting.
    """
    for name, value in kwargs.items():
        _expect_name("set_cost_model_context", name)
        _settings[name] = value


def get_cost_model_context(attr_key: str):
    """A setting.

    Args:
        attr_key (str): its name.

    Returns:
        Any: its value.

    Raises:
        ValueError: there is no such setting.
    """
    _expect_name("get_cost_model_context", attr_key)
    return _settings[attr_key]


def reset_cost_model_context() -> None:
    """Take all settings back."""
    _settings.update(_DEFAULTS, **_OTHERS)


def _expect_name(what: str, name: str) -> None:
    if name not in _DEFAULTS:
        raise complain(
            ValueError, f"{what}: unknown setting {name!r}", expected=", ".join(_DEFAULTS)
        )


def _set_multi_subgraphs(multi_subgraph: bool = True) -> None:
    """Accepted: a program is always searched as a whole."""
    _settings["multi_subgraphs"] = multi_subgraph


def _get_multi_subgraphs() -> bool:
    return _settings["multi_subgraphs"]


def _set_algo_single_loop(single_loop: bool = True) -> None:
    """Accepted: equal layers are always searched as one."""
    _settings["algo_single_loop"] = single_loop


def _get_algo_single_loop() -> bool:
    return _settings["algo_single_loop"]


def _set_rp_matmul_mem_coef(coefficient: float) -> None:
    """Accepted: a search counts the memory that a program takes."""
    _settings["rp_matmul_mem_coef"] = coefficient


__all__ = ["get_cost_model_context", "reset_cost_model_context", "set_cost_model_context"]

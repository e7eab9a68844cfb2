"""Settings of the search for layouts, under MindSpore's names."""

from __future__ import annotations

from dataclasses import asdict, fields, replace

from ..base.boundary import guard as _guard
from ..base.errors import complain
from ..base.options import SearchLimits, limit_search, search_limits

_NAMES = {f.name: type(f.default) for f in fields(SearchLimits)}


def set_algo_parameters(**kwargs) -> None:
    """Set what the search of ``parallel_mode="auto_parallel"`` tries.

    Args:
        fully_use_devices (bool): whether all devices are to take part in every product, where its
            dimensions allow that. Default: False, what costs least.
        elementwise_op_strategy_follow (bool): whether elementwise ops are divided as those around them, which
            they always are: layouts go from op to op. Default: False.
        enable_algo_approxi (bool): whether only some layouts of a tensor are tried. Default: False.
        algo_approxi_epsilon (float): how many then, its reciprocal, in (0, 1]. Default: 0.1.
        tensor_slice_align_enable (bool): whether the last dimension of a part of a weight must be a multiple
            of ``tensor_slice_align_size``. Default: False.
        tensor_slice_align_size (int): in [1, 1024]. Default: 16.

    Raises:
        TypeError: a value has a wrong type.
        ValueError: a name is unknown, or a number out of range.

    Examples:
        >>> import minds as ms
        >>> ms.set_algo_parameters(algo_approxi_epsilon=0.2)
        >>> ms.get_algo_parameters("algo_approxi_epsilon")
        0.2
        >>> ms.reset_algo_parameters()
    """
    for name, value in kwargs.items():
        _expect_name("set_algo_parameters", name)
        kind = _NAMES[name]
        if type(value) is not kind:
            what = f"set_algo_parameters: {name} has type {type(value).__name__}"
            raise complain(TypeError, what, expected=f"a {kind.__name__}")
    found = replace(search_limits(), **kwargs)
    if not 1 <= found.tensor_slice_align_size <= 1024:
        what = f"set_algo_parameters: tensor_slice_align_size is {found.tensor_slice_align_size}"
        raise complain(ValueError, what, expected="in [1, 1024]")
    if not 0 < found.algo_approxi_epsilon <= 1:
        what = f"set_algo_parameters: algo_approxi_epsilon is {found.algo_approxi_epsilon}"
        raise complain(ValueError, what, expected="in (0, 1]")
    limit_search(found)


def get_algo_parameters(attr_key: str):
    """A setting of `set_algo_parameters`.

    Args:
        attr_key (str): its name.

    Returns:
        bool, int, float: it.

    Raises:
        ValueError: there is none of this name.

    Examples:
        >>> import minds as ms
        >>> ms.get_algo_parameters("fully_use_devices")
        False
    """
    _expect_name("get_algo_parameters", attr_key)
    return asdict(search_limits())[attr_key]


def reset_algo_parameters() -> None:
    """Take all settings of `set_algo_parameters` back.

    Examples:
        >>> import minds as ms
        >>> ms.reset_algo_parameters()
    """
    limit_search(SearchLimits())


def _expect_name(what: str, name) -> None:
    if name not in _NAMES:
        expected = ", ".join(map(repr, _NAMES))
        raise complain(ValueError, f"{what}: unknown setting {name!r}", expected=expected)


__all__ = ["get_algo_parameters", "reset_algo_parameters", "set_algo_parameters"]
_guard(__name__)

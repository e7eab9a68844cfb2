"""What MindSpore's operators of the user's are registered with: kept, and without effect, for minds reads
types and shapes from the rules of `Custom`.
"""

from __future__ import annotations

import copy

from .internals import vm_impl_registry


class _Formats:
    """By name, such as ``F32_Default``, a pair of dtype and layout."""

    def __getattr__(self, name: str) -> tuple[str, str]:
        dtype, _, layout = name.partition("_")
        if not layout or not dtype[:1].isalpha():
            raise AttributeError(f"DataType has no attribute {name!r}")
        return dtype, layout


DataType = _Formats()


class CustomRegOp:
    """Describes a kernel of the user's; each method gives the description back.

    Args:
        op_name (str): the name. Default: "Custom".

    Examples:
        >>> from minds.ops import CustomRegOp, DataType
        >>> info = CustomRegOp("add").input(0, "x").output(0, "y").target("CPU").get_op_info()
        >>> info["op_name"], info["target"]
        ('add', ['CPU'])
    """

    def __init__(self, op_name="Custom"):
        self._info = {"op_name": op_name}

    def _note(self, kind: str, *what) -> CustomRegOp:
        self._info.setdefault(kind, []).append(what[0] if len(what) == 1 else what)
        return self

    def input(self, index=None, name=None, param_type="required", **kwargs) -> CustomRegOp:
        """Describe an input: its place, its name, whether it is required."""
        return self._note("inputs", index, name, param_type)

    def output(self, index=None, name=None, param_type="required", **kwargs) -> CustomRegOp:
        """Describe an output: its place, its name, whether it is required."""
        return self._note("outputs", index, name, param_type)

    def attr(self, name=None, param_type=None, value_type=None, **kwargs) -> CustomRegOp:
        """Describe an attribute."""
        return self._note("attrs", name, param_type, value_type)

    def dtype_format(self, *formats) -> CustomRegOp:
        """Describe a combination of dtypes, one `DataType` for each input and output."""
        return self._note("dtype_format", formats)

    def target(self, target=None) -> CustomRegOp:
        """Describe the device."""
        return self._note("target", target)

    def get_op_info(self) -> dict:
        """The description as a dict."""
        return copy.deepcopy(self._info)


def custom_info_register(*reg_info):
    """Decorate a kernel; has no effect.

    Args:
        reg_info (dict): what `CustomRegOp.get_op_info` gives.

    Returns:
        Callable: a decorator that gives the function back.

    Examples:
        >>> from minds.ops import custom_info_register
        >>> custom_info_register({})(len) is len
        True
    """
    return lambda fn: fn


def get_vm_impl_fn(prim):
    """The function that was registered with ``vm_impl_registry`` for a primitive or a name, applied to
    the primitive.

    Args:
        prim (Primitive, str): which.

    Returns:
        Callable, None: the function; None if there is none.

    Examples:
        >>> from minds.ops import get_vm_impl_fn, vm_impl_registry
        >>> _ = vm_impl_registry.register("Twice")(lambda self: lambda x: 2 * x)
        >>> get_vm_impl_fn("Twice")(3)
        6
    """
    found = vm_impl_registry.get(prim if isinstance(prim, str) else type(prim).__name__)
    return None if found is None else found(prim)


__all__ = ["CustomRegOp", "DataType", "custom_info_register", "get_vm_impl_fn", "vm_impl_registry"]

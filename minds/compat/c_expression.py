"""`_c_expression`, MindSpore's native module: the names in it that its tests and models import."""

from __future__ import annotations

import types

from ..base.options import get_context, set_context
from ..tensor import Tensor
from . import native_types as typing

TensorPy = Tensor


class MSContext:
    """The settings as the native module has them."""

    _only: MSContext | None = None

    @classmethod
    def get_instance(cls) -> MSContext:
        """The one object."""
        cls._only = cls._only or cls()
        return cls._only

    def get_ascend_soc_version(self) -> str:
        """The kind of Ascend processor: none."""
        return ""

    def get_param(self, name: str):
        """A setting of `set_context`."""
        return get_context(name)

    def set_device_target_inner(self, target: str) -> None:
        """Choose the device."""
        set_context(device_target=target)


security = types.SimpleNamespace(enable_security=lambda: False)

__all__ = ["MSContext", "Tensor", "TensorPy", "security", "typing"]

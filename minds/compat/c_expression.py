"""`_c_expression`, MindSpore's native module: the names in it that its tests and models import."""

from __future__ import annotations

import copy
import enum
import types

import numpy as np

from ..base.errors import complain
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


class ParamInfo:
    """What makes a parameter of an object of a subclass of Tensor, as its ``param_info``.

    Attributes:
        name (str): the name. Default "Parameter".
        requires_grad (bool): whether it is trained. Default True.
        parameter_shape (tuple[int]): its shape.
        layerwise_parallel, parallel_optimizer (bool): as of `Parameter`.
    """

    def __init__(self):
        self.name, self.requires_grad, self.parameter_shape = "Parameter", True, ()
        self.layerwise_parallel, self.parallel_optimizer = False, True

    def clone(self) -> ParamInfo:
        """Another one, with the same attributes."""
        return copy.copy(self)


class AmpLevel(enum.IntEnum):
    """The levels of mixed precision as numbers."""

    AmpO0, AmpO1, AmpO2, AmpO3, AmpAuto = range(5)


def create_amp_strategy(*settings):
    """A precision for a cell's ``amp_strategy``; refused, for programs of minds have theirs from the
    cells.

    Raises:
        RuntimeError: always.
    """
    raise complain(
        RuntimeError,
        "create_amp_strategy: precisions are no attributes of cells",
        cure="use amp.auto_mixed_precision or amp.custom_mixed_precision",
    )


def _random_normal(seed: int, arr: np.ndarray, mean: float, sigma: float) -> None:
    """Write numbers of a normal distribution into an array."""
    arr[...] = np.random.default_rng(seed).normal(mean, sigma, arr.shape)


def _random_uniform(seed: int, arr: np.ndarray, a: float, b: float) -> None:
    """Write numbers between two bounds into an array."""
    arr[...] = np.random.default_rng(seed).uniform(a, b, arr.shape)


amp = types.SimpleNamespace(AmpLevel=AmpLevel, create_amp_strategy=create_amp_strategy)
security = types.SimpleNamespace(enable_security=lambda: False)

__all__ = [
    "AmpLevel",
    "MSContext",
    "ParamInfo",
    "Tensor",
    "TensorPy",
    "amp",
    "create_amp_strategy",
    "security",
    "typing",
]

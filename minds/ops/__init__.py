"""Ops: each a definition with its gradient and a kernel per backend, under the names MindSpore
gives them.
"""

from ..base.boundary import guard as _guard
from ..base.late import late
from . import above, composite, functional, operations, primitive, sparse_tensor, spellings
from .above import HOMES
from .composite import HyperMap, Map, MultitypeFuncGraph, add_flags, constexpr, hyper_add, partial
from .define import P
from .function.elsewhere import spelled
from .primitive import (
    Primitive,
    PrimitiveWithCheck,
    PrimitiveWithInfer,
    bprop_getters,
    prim_attr_register,
)

globals().update(functional.NAMES)
globals().update(sparse_tensor.NAMES)
_LISTED = [
    "HyperMap",
    "Map",
    "MultitypeFuncGraph",
    "Primitive",
    "PrimitiveWithCheck",
    "PrimitiveWithInfer",
    "add_flags",
    "bprop_getters",
    "constexpr",
    "hyper_add",
    "partial",
    "prim_attr_register",
    *functional.__all__,
    *sparse_tensor.NAMES,
]


def _primitive(name: str):
    """The class spelling of an op, or a function that MindSpore makes from another one."""
    if name == "__all__":  # only when somebody asks: what classes there are takes time to say
        return sorted({*_LISTED, *above.names(), *operations.__all__})
    return None if name.startswith("_") else getattr(operations, name, None) or spelled(name)


__getattr__, _names = late(__name__, HOMES, ["auto_generate"], _primitive)


def __dir__() -> list:
    return sorted({*_names(), *dir(operations)})


_guard(__name__)

"""Ops: each a Python definition (`define`), its gradient, and a kernel per backend; and MindSpore's names for them."""
from . import (arith, array, compare, control, conv, create, elementwise, index, loss, matmul, norm, order, pool, random,
               reduce, scalar, scan, slice, softmax, special, trig)
from . import composite, functional, operations
from .composite import HyperMap, Map, MultitypeFuncGraph, Partial, add_flags, constexpr, hyper_add, partial
from .define import P
from .primitive import Primitive, PrimitiveWithCheck, PrimitiveWithInfer, bprop_getters, prim_attr_register

globals().update(functional.NAMES)
__all__ = ["HyperMap", "Map", "MultitypeFuncGraph", "P", "Partial", "Primitive", "PrimitiveWithCheck", "PrimitiveWithInfer",
           "add_flags", "bprop_getters", "constexpr", "hyper_add", "partial", "prim_attr_register", *functional.__all__]


def __getattr__(name: str):
    if not name.startswith("_") and hasattr(operations, name):
        return getattr(operations, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list:
    return sorted({*globals(), *dir(operations)})

"""Ops: each a Python definition (`define`), its gradient, and a kernel per backend; and MindSpore's names for them."""
from . import (arith, array, compare, control, conv, create, elementwise, index, loss, matmul, norm, order, pool, random,
               reduce, scalar, scan, slice, softmax, special, trig)
from . import functional
from .define import P

globals().update(functional.NAMES)
__all__ = ["P", *functional.__all__]

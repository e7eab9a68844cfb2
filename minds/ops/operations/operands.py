"""What class spellings refuse although the functions behind them would take it.

A function of `ops` takes numbers for tensors and computes with integers as floats. MindSpore's
classes do not: ``P.Exp()(5.0)`` and ``P.Sin()`` of bools are TypeErrors that its users' tests rely
on. The classes of elementwise ops of floats take floats; one table by name says which operands the
others take, and classes that are not in it take what their functions take.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...base.errors import expect
from ...ir.abstract import AbstractScalar, AbstractTensor
from ...ir.node import Node
from ...tensor import Tensor
from ..define import Op

_FLOATS = """
    BCEWithLogitsLoss Cdist Ceil CeLU CheckNumerics Complex Dropout Elu FastGeLU FastGelu Floor GeLU
    Gelu Geqrf HShrink Igamma Igammac IsInf KLDivLoss L2Loss L2Normalize Logit LogNormalReverse
    Lstsq Mish NMSWithMask NanToNum NextAfter NuclearNorm Pdist Polar Qr RGBToHSV ReLU6 Rint
    SigmoidCrossEntropyWithLogits SmoothL1Loss SoftShrink Softplus Softsign Svd Zeta
"""
_TENSORS = """
    Abs Argmax Argmin BatchNorm BiasAdd Conj EqualCount Flatten HSigmoid HSwish Identity Imag IsFinite IsNan
    Lgamma LogSoftmax LogicalNot Neg NonZero ReLU Real Reciprocal ReduceAll ReduceAny ReduceMax
    ReduceMean ReduceMin ReduceProd ReduceSum Reshape Round SeLU Sign Softmax
    SoftmaxCrossEntropyWithLogits Sort Sqrt Square TopK Trunc
"""
_NUMBERS = "AssignAdd AssignSub Conv2D HSigmoid HSwish PReLU SeLU TopK"
_ALIKE = "BatchMatMul BiasAdd Conv2D EqualCount MatMul SoftmaxCrossEntropyWithLogits"
_NO_ARRAYS = "LogicalAnd LogicalOr"
_MATRICES = "MatMul"
_SEQUENCES = "AccumulateNV2 AddN"


def _is_tensor(v) -> bool:
    return isinstance(v, Tensor) or isinstance(v, Node) and isinstance(v.abstract, AbstractTensor)


def _is_known(v) -> bool:
    """Whether ``v`` is a value that is surely no tensor: a number, a text, a sequence of them."""
    plain = v is None or isinstance(v, (bool, int, float, complex, np.generic, str, list, tuple))
    return plain or isinstance(v, Node) and isinstance(v.abstract, AbstractScalar)


def _first(name: str, args: tuple) -> None:
    """The first operand is a tensor."""
    if args:
        expect(not _is_known(args[0]), f"{name}: x", "a tensor", TypeError)


def _floats(name: str, args: tuple) -> None:
    _first(name, args)
    for v in filter(_is_tensor, args):
        expect(v.dtype.is_inexact, f"{name}: x", "a tensor of floats", TypeError, got=v.dtype)


def _numbers(name: str, args: tuple) -> None:
    for v in filter(_is_tensor, args):
        expect(not v.dtype.is_bool, f"{name}: x", "a tensor of numbers", TypeError, got=v.dtype)


def _alike(name: str, args: tuple) -> None:
    kinds = {str(v.dtype): v.dtype for v in args if _is_tensor(v)}
    expect(len(kinds) < 2, f"{name}: x and y", "of one dtype", TypeError, got=" and ".join(kinds))


def _sequence(name: str, args: tuple) -> None:
    if args:
        expect(not _is_tensor(args[0]), f"{name}: x", "a tuple or list of tensors", TypeError)
        held = args[0] if isinstance(args[0], (tuple, list)) else ()
        _no_arrays(name, held)
        _alike(name, held)


def _no_arrays(name: str, args) -> None:
    for v in args:
        expect(not isinstance(v, np.ndarray), f"{name}: x", "a tensor", TypeError, got="an array")


def _matrices(name: str, args: tuple) -> None:
    for v in filter(_is_tensor, args):
        expect(len(v.shape) == 2, f"{name}: x and y", "of rank 2", got=f"shape {v.shape}")


_KINDS = (
    (_FLOATS, _floats),
    (_TENSORS, _first),
    (_NUMBERS, _numbers),
    (_ALIKE, _alike),
    (_SEQUENCES, _sequence),
    (_NO_ARRAYS, _no_arrays),
    (_MATRICES, _matrices),
)
_CHECKS: dict[str, tuple] = {}
for _names, _check in _KINDS:
    for _name in _names.split():
        _CHECKS[_name] = (*_CHECKS.get(_name, ()), _check)


def check_of(name: str, target) -> Callable | None:
    """The function that refuses operands of the class ``name`` of the function or op ``target``, or
    None where there is none.
    """
    casts = isinstance(target, Op) and target.elementwise and target.floating
    checks = _CHECKS.get(name, (_floats,) if casts and len(target.kinds) == 1 else None)
    if checks is None:
        return None

    def check(*args) -> None:
        for one in checks:
            one(name, args)

    return check

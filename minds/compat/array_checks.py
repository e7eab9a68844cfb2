"""`numpy.utils` and `scipy.utils`: what MindSpore's tests of both import to make operands."""

from __future__ import annotations

from .. import numpy as mnp
from .. import ops
from ..base.errors import complain
from ..tensor import Tensor

_NARROW = {mnp.float64: mnp.float32, mnp.int64: mnp.int32}


def _convert_64_to_32(tensor: Tensor) -> Tensor:
    """The tensor; one of 64 bits with 32."""
    return tensor.astype(_NARROW.get(tensor.dtype, tensor.dtype))


def _to_tensor(*args, dtype=None):
    """Each of ``args`` as a tensor, one alone without a tuple; numbers and lists with 32 bits, or of
    ``dtype``.
    """
    made = tuple([a if isinstance(a, Tensor) else _made(a, dtype) for a in args])
    return made[0] if len(made) == 1 else made


def _made(a, dtype) -> Tensor:
    if not isinstance(a, (bool, int, float, list, tuple)):
        raise complain(TypeError, f"_to_tensor: an argument is {a!r}", expected="array like")
    return _convert_64_to_32(Tensor(a)) if dtype is None else Tensor(a).astype(dtype)


def _safe_normalize(x: Tensor, threshold=None):
    """``x`` divided by its Euclidean norm, and the norm; both are zero if the norm is not above
    ``threshold``, of floats the precision at the first element.
    """
    norm = ops.sqrt(ops.sum(ops.square(x)))
    if threshold is None:
        threshold = ops.eps(x[(0,) * x.ndim]) if x.dtype.is_float else 0
    above = norm > threshold
    return ops.where(above, x / norm, ops.zeros_like(x)), ops.where(above, norm, 0)


def _raise_type_error(info, param=None):
    """Raise ``TypeError``, in both modes."""
    raise TypeError(info if param is None else f"{info}{param}")


def _raise_value_error(info, param=None):
    """Raise ``ValueError``, in both modes."""
    raise ValueError(info if param is None else f"{info}{param}")


def __getattr__(name: str):
    return getattr(mnp, name)


__all__ = [
    "_convert_64_to_32",
    "_raise_type_error",
    "_raise_value_error",
    "_safe_normalize",
    "_to_tensor",
]

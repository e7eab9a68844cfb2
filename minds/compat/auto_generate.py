"""MindSpore's generated spellings of ops: functions and classes by name, ``name_op`` and
``name_view`` for ``name``.

A name is looked up among the public functions, the primitives and the classes; a suffix says how
MindSpore calls its kernel: ``abs_op`` is ``abs``, ``transpose_view`` a ``transpose``; ``gather_ext``
takes torch's parameters, as that of `mint`.
"""

from __future__ import annotations

from .. import mint
from ..ops import functional, operations
from ..ops.define import P

arg_max_with_value_, arg_min_with_value_ = (
    operations.ArgMaxWithValue(),
    operations.ArgMinWithValue(),
)
_SUFFIXES = ("_op", "_impl", "_view", "_ext")


def slice_ext(input, dim, start, end, step):
    """Elements ``start``, ``start + step``, … before ``end`` of a dimension.

    Args:
        input (Tensor): the operand.
        dim (int): the dimension.
        start, end (int): the bounds; negative ones count from the end.
        step (int): the distance, positive.

    Examples:
        >>> print(ops.auto_generate.slice_ext(Tensor([1, 2, 3, 4]), 0, 1, 4, 2))
        [2 4]
    """
    index = [slice(None)] * len(input.shape)
    index[dim] = slice(start, end, step)
    return input[tuple(index)]


def softmax_ext(input, dim=None, dtype=None):
    """The softmax along a dimension.

    Args:
        input (Tensor): the operand.
        dim (int): the dimension. Default: 0 where the rank is 0, 1 or 3, else 1.
        dtype (DType): the dtype to compute in. Default: that of ``input``.

    Examples:
        >>> print(ops.auto_generate.softmax_ext(Tensor([[0.0, 0.0]])))
        [[0.5 0.5]]
    """
    if dim is None:
        dim = 0 if len(input.shape) in (0, 1, 3) else 1
    return mint.nn.functional.softmax(input, dim, dtype=dtype)


def __getattr__(name: str):
    stem = name
    while True:
        found = globals().get(stem) or functional.NAMES.get(stem) or getattr(P, stem, None)
        if callable(found):
            return found
        suffix = next((s for s in _SUFFIXES if stem.endswith(s)), None)
        if suffix is None:
            break
        stem = stem.removesuffix(suffix)
        if suffix == "_ext" and hasattr(mint, stem):
            return getattr(mint, stem)
    if not name.startswith("_") and hasattr(operations, name):
        return getattr(operations, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

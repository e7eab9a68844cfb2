"""Comparison, logic on truth values, and bitwise logic on integers. None of them has a gradient."""

from __future__ import annotations

from ..base.dtype import bool_
from .families import binary, unary

_TRUTH = {"on": "any", "dtype": bool_, "nondiff": True}
_BITS = {"on": "bits", "nondiff": True}

equal = binary(
    "equal",
    "Whether ``input`` is equal to ``other``. nan equals nothing.",
    "ops.equal(Tensor([1, 2]), 2) -> [False  True]",
    function="equal eq",
    mint="eq",
    **_TRUTH,
)

not_equal = binary(
    "not_equal",
    "Whether ``input`` is different from ``other``.",
    "ops.not_equal(Tensor([1, 2]), 2) -> [ True False]",
    function="not_equal ne",
    **_TRUTH,
)

less = binary(
    "less",
    "Whether ``input`` is less than ``other``.",
    "ops.less(Tensor([1, 2]), 2) -> [ True False]",
    function="less lt",
    alias="tensor_lt",
    **_TRUTH,
)

less_equal = binary(
    "less_equal",
    "Whether ``input`` is at most ``other``.",
    "ops.less_equal(Tensor([1, 2]), 2) -> [ True  True]",
    function="less_equal le",
    alias="tensor_le",
    **_TRUTH,
)

greater = binary(
    "greater",
    "Whether ``input`` is greater than ``other``.",
    "ops.greater(Tensor([1, 2]), 2) -> [False False]",
    function="greater gt",
    alias="tensor_gt",
    **_TRUTH,
)

greater_equal = binary(
    "greater_equal",
    "Whether ``input`` is at least ``other``.",
    "ops.greater_equal(Tensor([1, 2]), 2) -> [False  True]",
    function="greater_equal ge",
    alias="tensor_ge",
    **_TRUTH,
)

logical_and = binary(
    "logical_and",
    "Whether both operands are nonzero.",
    "ops.logical_and(Tensor([True, False]), True) -> [ True False]",
    **_TRUTH,
)

logical_or = binary(
    "logical_or",
    "Whether at least one operand is nonzero.",
    "ops.logical_or(Tensor([True, False]), False) -> [ True False]",
    **_TRUTH,
)

logical_xor = binary(
    "logical_xor",
    "Whether exactly one operand is nonzero.",
    "ops.logical_xor(Tensor([True, False]), True) -> [False  True]",
    **_TRUTH,
)

logical_not = unary(
    "logical_not",
    "Whether the operand is zero.",
    "ops.logical_not(Tensor([True, False])) -> [False  True]",
    **_TRUTH,
)

isnan = unary(
    "isnan",
    "Whether the operand is not a number.",
    "ops.isnan(Tensor([1.0, float('nan')])) -> [False  True]",
    cls="IsNan",
    mint=False,
    sparse=True,
    **_TRUTH,
)

isinf = unary(
    "isinf",
    "Whether the operand is infinite.",
    "ops.isinf(Tensor([1.0, -float('inf')])) -> [False  True]",
    cls="IsInf",
    sparse=True,
    **_TRUTH,
)

isfinite = unary(
    "isfinite",
    "Whether the operand is neither infinite nor nan.",
    "ops.isfinite(Tensor([1.0, float('nan')])) -> [ True False]",
    cls="IsFinite",
    sparse=True,
    **_TRUTH,
)


bitwise_not = unary(
    "bitwise_not",
    "Every bit inverted; for bool, the negation.",
    "ops.bitwise_not(Tensor([0, 1])) -> [-1 -2]",
    on="bits",
    cls="Invert",
    numpy="bitwise_not invert",
)

bitwise_and = binary(
    "bitwise_and",
    "The bits set in both operands.",
    "ops.bitwise_and(Tensor([6]), 3) -> [2]",
    **_BITS,
)

bitwise_or = binary(
    "bitwise_or",
    "The bits set in at least one operand.",
    "ops.bitwise_or(Tensor([6]), 3) -> [7]",
    **_BITS,
)

bitwise_xor = binary(
    "bitwise_xor",
    "The bits set in exactly one operand.",
    "ops.bitwise_xor(Tensor([6]), 3) -> [5]",
    **_BITS,
)

left_shift = binary(
    "left_shift",
    "``input`` shifted left by ``other`` bits.",
    "ops.bitwise_left_shift(Tensor([3]), 2) -> [12]",
    function="bitwise_left_shift",
    mint=False,
    numpy=False,
    **_BITS,
)

right_shift = binary(
    "right_shift",
    "``input`` shifted right by ``other`` bits; the sign is kept.",
    "ops.bitwise_right_shift(Tensor([-12]), 2) -> [-3]",
    function="bitwise_right_shift",
    mint=False,
    numpy=False,
    **_BITS,
)

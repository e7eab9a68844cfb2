"""Constants: run-time numbers computed from constants only are computed now.

Scalars are folded as Python computes them, which for the operations below is what the kernels
compute; tensors are folded if they have rank 0, by the eager reading of the op, hence by the same
kernel.
"""

from __future__ import annotations

import operator

from ..ir.abstract import AbstractScalar, AbstractTensor
from ..ir.build import as_node, building
from ..ir.node import Apply, Constant
from ..ops.define import ATTR, NO_KERNEL, TENSOR, Op
from .driver import OP, rule

_ANY = {
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "logical_not": operator.not_,
    "logical_and": lambda x, y: bool(x and y),
    "logical_or": lambda x, y: bool(x or y),
}
_NUMBERS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg}
_INTS = {"floor_divide": operator.floordiv, "mod": operator.mod}


@rule(OP)
def fold(n: Apply):
    """An op on constants -> its value."""
    op, a = n.fn, n.abstract
    for x in n.args:
        if x.__class__ is not Constant:
            return None
    if isinstance(a, AbstractScalar):
        return _fold_scalar(op, n, a)
    if (
        isinstance(a, AbstractTensor)
        and a.shape == ()
        and not op.has_effect
        and op.kernel != NO_KERNEL
        and (op.tensor_at or op.name == "full")
    ):
        return _fold_tensor(op, n)
    return None


def _fold_scalar(op: Op, n: Apply, a: AbstractScalar):
    values = [x.value for x in n.args]
    if op.name == "scalar_cast":
        x = values[0]
        if (
            type(x) not in (bool, int, float)
            or type(x) is float
            and a.kind is int
            and not abs(x) < 2**63
        ):
            return None
        return Constant(a.kind(x), a, n.loc)
    kinds = {type(x) for x in values}
    fn = _ANY.get(op.name)
    if fn is None and kinds <= {int, float} and len(kinds) == 1:
        fn = _NUMBERS.get(op.name)
        if fn is None and kinds == {int} and values[-1] != 0:
            fn = _INTS.get(op.name)
    if fn is None or not kinds <= {bool, int, float}:
        return None
    value = fn(*values)
    if type(value) is not a.kind or a.kind is int and not -(2**63) <= value < 2**63:
        return None
    return Constant(value, a, n.loc)


def _fold_tensor(op: Op, n: Apply):
    values = [x.value for x in n.args]
    if any(
        k not in (ATTR, TENSOR) or k == TENSOR and getattr(v, "shape", None) != ()
        for k, v in zip(op.kinds, values)
    ):
        return None
    with building(None):
        value = op(*values)
    folded = as_node(value)
    return folded if folded.abstract is n.abstract else None


RULES = (fold,)

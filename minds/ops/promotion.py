"""The dtypes of an op's operands: one promotion for both modes, of tensors, nodes and numbers.

A number is weak: it never widens a tensor of its own kind. Numbers alone are tensors for an op that
the user calls, float32 for floats; they stay Python's numbers where Python's operators meet them in
a program.
"""

from __future__ import annotations

from ..base import dtype as dt
from ..ir.abstract import AbstractScalar, AbstractTensor

ALONE = {bool: dt.bool_, int: dt.int64, float: dt.float32}
"""The dtype of a number without a tensor beside it that becomes one, by its kind."""
NUMBERS = {bool: dt.bool_, int: dt.int64, float: dt.float64}
"""The dtype of a number of a program."""
KIND_OF = {dtype: kind for kind, dtype in NUMBERS.items()}


def common_dtype(operands, floating: bool, alone: dict = ALONE) -> dt.DType:
    """The dtype that promotable operands are cast to.

    Args:
        operands (list): abstract values of tensors and numbers.
        floating (bool): where that is not floating point, it is float32 instead.
        alone (dict): the dtypes of numbers alone by kind.
    """
    found, kinds = None, set()
    for a in operands:
        if isinstance(a, AbstractScalar):
            kinds.add(a.kind)
        else:
            found = a.dtype if found is None else dt.promote(found, a.dtype)
    if complex in kinds:
        found = found or dt.float32
    if found is None:
        return alone[float if floating or float in kinds else int if int in kinds else bool]
    for kind in kinds:
        found = dt.promote_scalar(found, kind)
    return dt.float32 if floating and found.kind in "bui" else found


def promote(op, bound: list, look, convert, alone: dict = ALONE) -> None:
    """Cast the promotable operands of a call to their common dtype, in place.

    Args:
        look (callable): the abstract value of operand ``i`` of ``bound``, which is no tensor yet,
            or an error.
        convert (callable): ``convert(value, abstract, dtype)`` is the operand in that dtype.
        alone (dict): as for `common_dtype`.
    """
    views = []
    for i in op.promote_at:
        a = getattr(bound[i], "abstract", None)
        views.append(a if type(a) is AbstractTensor else look(op, bound, i))
    common = common_dtype(views, op.floating, alone)
    for i, a in zip(op.promote_at, views):
        if type(a) is not AbstractTensor or a.dtype is not common:
            bound[i] = convert(bound[i], a, common)


def is_uniform(op, bound: list) -> bool:
    """Whether the promotable operands have one dtype already."""
    first = None
    for i in op.promote_at:
        a = getattr(bound[i], "abstract", None)
        if type(a) is not AbstractTensor or first is not None and a.dtype is not first:
            return False
        first = a.dtype
    return not op.floating or first.kind in "fc"

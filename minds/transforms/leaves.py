"""What a transformation sees of nested arguments and results: their tensors and numbers, on tensors
and in a program that is being compiled.
"""

from __future__ import annotations

from ..base import dtype as dt
from ..base import tree
from ..base.errors import complain
from ..frontend.describe import describe
from ..frontend.function_types import UnionValue
from ..frontend.value_types import abstract, is_made
from ..frontend.values import flatten, unflatten
from ..ir import build
from ..ir.abstract import AbstractScalar, AbstractTensor
from ..ir.node import Constant, Node
from ..ops.define import P
from ..tensor import Parameter, Tensor


def compiling():
    """The interpreter whose program is being built, or None when ops run at once."""
    return getattr(build.current(), "ip", None)


def tensors(value) -> list:
    """The tensors of a nested value, in order."""
    return [value] if type(value) is Tensor else tree.leaves(value, only=_is_tensor)


def with_tensors(value, new):
    """``value`` with its tensors replaced by those of an iterator, in order."""
    if type(value) is Tensor:
        return next(new)
    return tree.map(lambda v: next(new) if isinstance(v, Tensor) else v, value)


def tensors_and_numbers(value) -> list:
    """The tensors and numbers of a nested value, in order."""
    return tree.leaves(value, only=lambda v: isinstance(v, (Tensor, bool, int, float)))


def expect_inexact(dtypes: list, what: str) -> None:
    """Raise unless one of the tensors of an argument to differentiate by can be moved a little.

    Raises:
        TypeError: all of them hold integers or bools.
    """
    if dtypes and not any(d.is_inexact for d in dtypes):
        raise complain(
            TypeError,
            f"grad: {what} holds {dtypes[0].name}, which has no gradient",
            expected="a floating point or complex Tensor",
            cure="cast it with .astype(ms.float32), or choose another grad_position",
        )


def beside_inexact(arguments: list) -> bool:
    """Whether one of several arguments, each the list of its tensors, can be moved a little: then the
    others have gradients as MindSpore takes them, of their own dtypes.
    """
    return len(arguments) > 1 and any(t.dtype.is_inexact for a in arguments for t in a)


def leaf_tensors(value, position: int, integers: bool = False) -> list:
    """The tensors of the argument at ``position``.

    Raises:
        TypeError: there are none, or all are integers or bools, unless those are taken.
    """
    found = tensors(value)
    if not integers:
        expect_inexact([t.dtype for t in found], f"argument {position}")
    if not found:
        raise without_gradient(position, describe(value))
    return found


def without_gradient(position: int, what: str) -> Exception:
    """The error of an argument by which nothing can be differentiated."""
    return complain(
        TypeError,
        f"grad: argument {position} is {what}, which has no gradient",
        expected="a Tensor or a float",
        cure="choose another grad_position",
    )


def holds_float(value) -> bool:
    """Whether there is a float in a nested value."""
    return type(value) is not Tensor and any(type(v) is float for v in tree.leaves(value))


def leaves_of(value) -> list:
    """The tensors of a nested value, or its nodes in a program."""
    found: list = []
    flatten(value, found)
    _expect_no_choice(value)
    return found


def _expect_no_choice(value) -> None:
    """Raise where a tensor is one of several of different ranks, which the run chooses."""
    if isinstance(value, UnionValue):
        if sum(isinstance(abstract(v), AbstractTensor) for v in value.options) > 1:
            raise complain(
                TypeError,
                f"the results differ: {describe(value)}, which the run chooses",
                cure="give it one shape on every path, such as with reshape",
            )
    elif isinstance(value, (tuple, list, dict)):
        for v in value.values() if isinstance(value, dict) else value:
            _expect_no_choice(v)


def with_leaves(value, leaves):
    """``value`` with its tensors or nodes replaced in order."""
    if compiling() is None:
        return with_tensors(value, iter(leaves))
    return unflatten(flatten(value, []), iter(leaves))


def tensors_only(value):
    """``value`` with its numbers as tensors, float32 or int64."""
    return tree.map(_as_tensor, value, is_leaf=is_made)


def _as_tensor(v):
    if isinstance(v, (Node, Tensor)):
        kind = v.abstract.kind if isinstance(v.abstract, AbstractScalar) else None
        if kind is not None:
            return P.scalar_to_tensor(v, _DTYPES[kind])
        return v.value() if isinstance(v, Parameter) and compiling() is None else v
    return P.full((), v, _DTYPES[type(v)]) if type(v) in _DTYPES else v


_DTYPES = {bool: dt.bool_, int: dt.int64, float: dt.float32}


def with_number_nodes(value):
    """``value`` with its floats as nodes, by which derivatives can be taken; those of tuples and
    lists, not of named ones.
    """
    return tree.map(
        lambda v: Constant(v, abstract(v)) if type(v) is float else v,
        value,
        is_leaf=lambda v: not isinstance(v, (tuple, list)) or hasattr(v, "_fields"),
    )


def _is_tensor(v) -> bool:
    return isinstance(v, Tensor)


__all__ = [
    "compiling",
    "holds_float",
    "expect_inexact",
    "leaf_tensors",
    "leaves_of",
    "tensors",
    "tensors_and_numbers",
    "tensors_only",
    "with_leaves",
    "with_number_nodes",
    "with_tensors",
    "without_gradient",
]

"""Operators and truth: Python's on values known now, ops on tensors, CPython's number semantics on
run-time scalars, special methods of users' classes.
"""

from __future__ import annotations

import operator
from functools import partial

import gast

from ..base import dtype as dt
from ..base.errors import complain
from ..ir import dim
from ..ir.abstract import AbstractScalar
from ..ir.dim import Dim
from ..ir.node import Node
from ..ops.define import Op, P
from ..ops.promotion import NUMBERS as OF_NUMBERS
from ..tensor import Parameter, Tensor
from . import chosen, foreign, special, text
from .region import require
from .values import NUMBERS, Choice, LocalDict, LocalList, LocalSet, View, describe, need_static

PYTHON = {
    gast.Add: operator.add,
    gast.Sub: operator.sub,
    gast.Mult: operator.mul,
    gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv,
    gast.Mod: operator.mod,
    gast.Pow: operator.pow,
    gast.MatMult: operator.matmul,
    gast.BitAnd: operator.and_,
    gast.BitOr: operator.or_,
    gast.BitXor: operator.xor,
    gast.LShift: operator.lshift,
    gast.RShift: operator.rshift,
    gast.Lt: operator.lt,
    gast.LtE: operator.le,
    gast.Gt: operator.gt,
    gast.GtE: operator.ge,
    gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
    gast.USub: operator.neg,
    gast.UAdd: operator.pos,
    gast.Invert: operator.invert,
}
_COMPARE = {
    gast.Lt: "less",
    gast.LtE: "less_equal",
    gast.Gt: "greater",
    gast.GtE: "greater_equal",
    gast.Eq: "equal",
    gast.NotEq: "not_equal",
}
_BITS = {
    gast.BitAnd: "bitwise_and",
    gast.BitOr: "bitwise_or",
    gast.BitXor: "bitwise_xor",
    gast.LShift: "left_shift",
    gast.RShift: "right_shift",
}
_MADE = {list: LocalList, dict: LocalDict, set: LocalSet}
LONGEST = 10_000_000
"""The number of elements of a sequence, or bits of a number, that compiling may take."""
_ARITHMETIC = {gast.Add: "add", gast.Sub: "sub", gast.Mult: "mul"}


def is_scalar(v) -> bool:
    """Whether ``v`` is a Python number, known now or at run time."""
    return (
        type(v) in NUMBERS
        or type(v) is Dim
        or isinstance(v, Node)
        and isinstance(v.abstract, AbstractScalar)
    )


def kind_of(v) -> type:
    """bool, int or float."""
    return v.abstract.kind if isinstance(v, (Node, Dim)) else type(v)


def binary(ip, op: type, a, b):
    """``a op b`` for a gast operator class."""
    if type(a) is Choice or type(b) is Choice:
        return _of_chosen(ip, op, a, b)
    if isinstance(a, str) and op is gast.Mod:
        return text.formatted(ip, "%", a, b)
    if op is gast.Add and (isinstance(a, text.Text) or isinstance(b, text.Text)):
        return text.joined([a, b])
    if type(a) is Dim or type(b) is Dim:
        a, b = _of_sizes(ip, op, a, b)
    result = special.binary(ip, op, a, b)
    if result is not NotImplemented:
        return result
    if op is gast.NotEq and (result := special.binary(ip, gast.Eq, a, b)) is not NotImplemented:
        return negated(ip, truth_scalar(ip, result))
    if not (isinstance(a, (Node, Tensor)) or isinstance(b, (Node, Tensor))):
        if (
            op in (gast.LShift, gast.RShift)
            and type(a) in NUMBERS
            and type(b) in NUMBERS
            and float in (type(a), type(b))
        ):
            raise complain(
                TypeError,
                "unsupported operand types for a shift: only integer types are supported, but got "
                f"{type(a).__name__} and {type(b).__name__}",
            )
        _expect_moderate(op, a, b)
        if isinstance(a, View) or isinstance(b, View):
            a, b = (
                set(v.items()) if isinstance(v, View) else set(v) if isinstance(v, dict) else v
                for v in (a, b)
            )
        result = foreign.frozen(PYTHON[op](a, b))
        made = _MADE.get(type(result))
        return result if made is None else made(result)
    a, b = foreign.operand(a), foreign.operand(b)
    if is_scalar(a) and is_scalar(b):
        return _scalar(ip, op, a, b)
    for sequence, number in ((a, b), (b, a)):
        if (
            op is gast.Mult
            and isinstance(sequence, (str, bytes, tuple, list))
            and is_scalar(number)
            and (kind_of(number) is not float)
        ):
            need_static(number, "the number of repetitions")
        if isinstance(sequence, (tuple, list)) and is_scalar(number):
            if op in (gast.Eq, gast.NotEq):
                return op is gast.NotEq
            raise complain(TypeError, f"unsupported operand types: {describe(a)} and {describe(b)}")
    if isinstance(a, (tuple, list)) or isinstance(b, (tuple, list)):
        a, b = (_as_tensor(ip, v) for v in (a, b))
    if op in (gast.Eq, gast.NotEq) and (_no_operand(a) or _no_operand(b)):
        return op is gast.NotEq
    for v in (a, b):
        if _no_operand(v):
            raise complain(
                TypeError,
                f"unsupported operand types: {describe(a)} and {describe(b)}",
                operands=[("left", describe(a)), ("right", describe(b))],
            )
    if op in _COMPARE:
        return ip.native(getattr(P, _COMPARE[op]), a, b)
    return ip.native(PYTHON[op], _unboxed(ip, a), _unboxed(ip, b))


def _swapped(ip, op: type, b, a):
    return binary(ip, op, a, b)


def _of_chosen(ip, op: type, a, b):
    """An operator on values of which one at least is chosen at run time."""
    if type(a) is Choice:
        done = partial(_swapped, ip, op, b)
        return chosen.tested(ip, a, done) if op in _COMPARE else chosen.each(ip, a, done)
    done = partial(binary, ip, op, a)
    return chosen.tested(ip, b, done) if op in _COMPARE else chosen.each(ip, b, done)


_EXACT = (gast.Add, gast.Sub, gast.Mult, gast.FloorDiv, gast.Mod)


def _of_sizes(ip, op: type, a, b) -> tuple:
    """The operands of an operator, of which one at least is a `Dim`: they stay what they are where
    the result is a size, or known for all sizes; else they become numbers of the run.
    """
    if not (dim.is_size(a) and dim.is_size(b)):
        return tuple(
            [ip.node(v) if type(v) is Dim and is_scalar(w) else v for v, w in ((a, b), (b, a))]
        )
    scope = dim.current()
    if op in _EXACT or op is gast.Pow and type(b) is int and 0 <= b <= 8 or scope is None:
        return a, b
    if op in _COMPARE and not (scope.leaves(a - b) and _depends(op, a, b)):
        return a, b
    return tuple([ip.node(v) if type(v) is Dim else v for v in (a, b)])


def _depends(op: type, a, b) -> bool:
    """Whether a comparison of sizes holds for some of them and not for others."""
    if op in (gast.Eq, gast.NotEq):
        return a is not b and dim.decided("eq", a - b) is None
    return dim.decided("lt", a - b if op in (gast.Lt, gast.GtE) else b - a) is None


def _expect_moderate(op: type, a, b) -> None:
    """Raise where an operator on values known now would not end, or fill the memory."""
    if (
        type(a) is int
        and type(b) is int
        and (
            op is gast.Pow
            and b > 0
            and a.bit_length() * b > LONGEST
            or op is gast.LShift
            and b > LONGEST
        )
    ):
        raise complain(
            OverflowError, f"the int would have more than {LONGEST} bits", cure="use a float"
        )
    if op is gast.Mult:
        a, b = (b, a) if type(a) is int else (a, b)
        if type(b) is int and isinstance(a, (list, tuple, str, bytes)) and len(a) * b > LONGEST:
            raise complain(
                MemoryError,
                f"the {describe(a)[:20]} would have {len(a) * b} elements",
                expected=f"at most {LONGEST} while compiling",
                cure="use a tensor",
            )


def _as_tensor(ip, v):
    """An operand beside a tensor: a sequence of numbers becomes a tensor."""
    return ip.call(Tensor, [v], {}) if isinstance(v, (tuple, list)) else v


def _unboxed(ip, v):
    return ip.node(v) if isinstance(v, Tensor) else v


def _no_operand(v) -> bool:
    return (
        v is None or isinstance(v, (str, dict)) or callable(v) and not isinstance(v, (Node, Tensor))
    )


def truth(ip, value):
    """The truth of a value: a bool, or a node that is a bool scalar or a bool tensor of one
    element.

    Raises:
        ValueError: a tensor of several elements.
    """
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        return bool(value)
    if isinstance(value, Parameter):
        value = ip.read(value)
    if type(value) is Dim:
        value = binary(ip, gast.NotEq, value, 0)
    if isinstance(value, Choice):
        return chosen.tested(ip, value, lambda v: truth(ip, v))
    if not isinstance(value, Node):
        special_truth = special.truth(ip, value)
        return (
            ip.native(bool, value) if special_truth is NotImplemented else truth(ip, special_truth)
        )
    if is_scalar(value):
        return (
            value
            if value.abstract.kind is bool
            else ip.native(P.not_equal, value, value.abstract.kind(0))
        )
    if value.abstract.size != 1:
        raise ambiguous(value.abstract)
    return value if value.abstract.dtype.is_bool else ip.native(P.not_equal, value, 0)


def ambiguous(a) -> Exception:
    """The error of a truth that a tensor of abstract value ``a`` does not have."""
    return complain(
        ValueError,
        f"The truth value of an array with more than one element is ambiguous. It is {a!r}",
        expected="one element",
        cure="use .any() or .all()",
    )


def truth_scalar(ip, value):
    """`truth` as a Python bool, which a run-time tensor is not."""
    test = truth(ip, value)
    return (
        test if not isinstance(test, Node) or is_scalar(test) else ip.native(P.item, test, "bool")
    )


def negated(ip, test):
    """``not test`` of a bool, known now or at run time."""
    return ip.native(P.logical_not, test) if isinstance(test, Node) else not test


def to_kind(ip, v, kind: type):
    """A scalar as ``bool``, ``int`` or ``float``."""
    if type(v) is Dim:
        if kind is int:
            return v
        v = ip.node(v)
    if not isinstance(v, Node):
        return kind(v)
    return v if v.abstract.kind is kind else ip.native(P.scalar_cast, v, OF_NUMBERS[kind])


EXACT = 2**53
"""Below it every int is a float."""

LARGEST = 2.0**63 - 1024
"""The largest float that is an int of 64 bits."""


def _scalar(ip, op: type, a, b):
    """An operator on numbers of which one at least is known only at run time."""
    kinds = (kind_of(a), kind_of(b))
    if op in _COMPARE:
        common = float if float in kinds else int if int in kinds else bool
        if (
            int in kinds
            and float in kinds
            and not any(type(v) in NUMBERS and abs(v) < EXACT for v in (a, b))
        ):
            return _exactly(ip, getattr(P, _COMPARE[op]), a, b, kinds)
        return ip.native(getattr(P, _COMPARE[op]), to_kind(ip, a, common), to_kind(ip, b, common))
    if op in _BITS:
        if float in kinds:
            raise complain(
                TypeError,
                f"unsupported operand types for a bit operator: {describe(a)} and {describe(b)}",
            )
        if op in (gast.LShift, gast.RShift):
            _require_shift_count(ip, b)
        common = bool if kinds == (bool, bool) and op not in (gast.LShift, gast.RShift) else int
        return ip.native(getattr(P, _BITS[op]), to_kind(ip, a, common), to_kind(ip, b, common))
    common = float if float in kinds or op is gast.Div else int
    a, b = to_kind(ip, a, common), to_kind(ip, b, common)
    if op in _ARITHMETIC:
        return ip.native(getattr(P, _ARITHMETIC[op]), a, b)
    if op is gast.Div:
        return ip.native(P.div, a, b)
    if op is gast.FloorDiv:
        return ip.native(P.floor_divide, a, b)
    if op is gast.Mod:
        return ip.native(P.mod, a, b)
    if op is gast.Pow:
        if common is int and (isinstance(b, Node) or b < 0):
            raise complain(
                TypeError,
                "the type of an int to a run-time or negative int power depends on its value",
                operands=[("base", describe(a)), ("exponent", describe(b))],
                cure="make the base a float: float(base) ** exponent",
            )
        return ip.native(P.pow, a, b)
    raise complain(TypeError, f"unsupported operand types: {describe(a)} and {describe(b)}")


def _exactly(ip, compare: Op, a, b, kinds: tuple):
    """The comparison of an int and a float as CPython does it: where they are equal as floats, the
    float is whole, and compared as an int.
    """

    def build(a, b):
        x, y = (
            P.minimum(P.scalar_cast(v, dt.float64), LARGEST) if k is int else v
            for v, k in zip((a, b), kinds)
        )
        tie = P.equal(x, y)
        i, j = (
            v if k is int else P.scalar_cast(P.select(tie, v, 0.0), dt.int64)
            for v, k in zip((a, b), kinds)
        )
        return P.logical_or(
            P.logical_and(tie, compare(i, j)), P.logical_and(P.logical_not(tie), compare(x, y))
        )

    return ip.native(build, ip.node(a), ip.node(b))


def _require_shift_count(ip, count) -> None:
    """A negative number of bits is an error, as in CPython: now, or when the program gets here."""
    error = complain(ValueError, "the shift count must be a non-negative integer")
    if isinstance(count, Node):
        require(ip, ip.native(P.greater_equal, count, 0), error)
    elif count < 0:
        raise error


def unary(ip, op: type, v):
    """``op v`` for ``+``, ``-`` and ``~``."""
    if type(v) is Choice:
        return chosen.each(ip, v, lambda o: unary(ip, op, o))
    if type(v) is Dim and op is gast.Invert:
        v = ip.node(v)
    if not isinstance(v, (Node, Tensor)):
        result = special.unary(ip, op, v)
        return PYTHON[op](v) if result is NotImplemented else result
    if is_scalar(v):
        if op is gast.Invert:
            if v.abstract.kind is float:
                raise complain(TypeError, "bad operand type for unary ~: float")
            return ip.native(P.bitwise_not, to_kind(ip, v, int))
        v = v if v.abstract.kind is float else to_kind(ip, v, int)
        return v if op is gast.UAdd else ip.native(P.neg, v)
    return v if op is gast.UAdd else ip.native(PYTHON[op], ip.node(v))

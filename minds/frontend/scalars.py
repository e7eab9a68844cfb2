"""Operators and truth: Python's on values known now, ops on tensors, CPython's number semantics on
run-time scalars, special methods of users' classes.
"""

from __future__ import annotations

import operator

import gast

from ..base import dtype as dt
from ..base.errors import ambiguous, complain, performed, refuse
from ..ir import dim
from ..ir.abstract import AbstractScalar
from ..ir.dim import Dim
from ..ir.node import Node
from ..ops.define import Op, P
from ..ops.promotion import NUMBERS as OF_NUMBERS
from ..tensor import Parameter, Tensor
from . import foreign, list_places, run_arrays, run_lists, special, text, union_values
from .conditions import of_choice, require
from .describe import describe, need_static
from .function_types import UnionValue
from .raises import awaited
from .value_types import LOCAL, NUMBERS, RunArray, RunList, View, local

PYTHON = {op: getattr(operator, f"__{name}__") for op, name in special.NAMES.items()}
"""What an operator does to values that are known now."""
_WORDS = (
    "Lt:less LtE:less_equal Gt:greater GtE:greater_equal Eq:equal NotEq:not_equal Add Sub Mult:mul "
    "Div FloorDiv:floor_divide Mod Pow BitAnd:bitwise_and BitOr:bitwise_or BitXor:bitwise_xor "
    "LShift:left_shift RShift:right_shift"
)
_OPS = {op: getattr(P, name) for op, name in special.named(_WORDS).items()}
"""The ops that operators on numbers of the run are."""
_SHIFTS = (gast.LShift, gast.RShift)
_BITS = (gast.BitAnd, gast.BitOr, gast.BitXor, *_SHIFTS)
OPERATORS: dict = {}
"""(class, operator of gast) → what it does to a container of `collections`; filled by `collection_kinds`."""
LONGEST = 10_000_000
"""The number of elements of a sequence, or bits of a number, that compiling may take."""


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
    if type(a) in NUMBERS and type(b) in NUMBERS:
        return _of_known(op, a, b)
    if type(a) is UnionValue or type(b) is UnionValue:
        return _of_chosen(ip, op, a, b)
    if isinstance(a, str) and op is gast.Mod:
        return text.formatted(ip, "%", a, b)
    if op is gast.Add and (isinstance(a, text.Text) or isinstance(b, text.Text)):
        return text.joined([a, b])
    if op is gast.Add and run_lists.is_one(a, b):
        return run_lists.added(ip, a, b)
    if op is gast.Mult:
        for v, times in ((a, b), (b, a)):
            if run_lists.is_open(v) and is_scalar(times) and kind_of(times) is not float:
                return list_places.repeated(ip, v, times)
    if type(a) is Dim or type(b) is Dim:
        a, b = _of_sizes(ip, op, a, b)
    if type(a) is RunArray or type(b) is RunArray:
        if not any(isinstance(v, (Node, Tensor)) and not is_scalar(v) for v in (a, b)):
            return run_arrays.called(ip, PYTHON[op], [a, b])
        a, b = (v.node if type(v) is RunArray else v for v in (a, b))  # beside a tensor, it is one
    result = special.binary(ip, op, a, b)
    if result is not NotImplemented:
        return result
    if op is gast.NotEq and (result := special.binary(ip, gast.Eq, a, b)) is not NotImplemented:
        return negated(ip, truth_scalar(ip, result))
    if isinstance(a, LOCAL) and a.kind is not None and (a.kind.cls, op) in OPERATORS:
        return ip.call(OPERATORS[a.kind.cls, op], [a, b], {})
    if not (isinstance(a, (Node, Tensor)) or isinstance(b, (Node, Tensor))):
        return _of_known(op, a, b)
    a, b = foreign.operand(a), foreign.operand(b)
    if is_scalar(a) and is_scalar(b):
        return _scalar(ip, op, a, b)
    if is_scalar(a) or is_scalar(b):
        sequence, number = (b, a) if is_scalar(a) else (a, b)
        repeated = isinstance(sequence, (str, bytes, tuple, list)) and kind_of(number) is not float
        if op is gast.Mult and repeated:
            number = need_static(number, "the number of repetitions")
            return _of_known(op, sequence, number)
        if isinstance(sequence, (tuple, list)):
            if op in _EQUALITY:
                return op is gast.NotEq
            raise complain(TypeError, f"unsupported operand types: {describe(a)} and {describe(b)}")
    if op is not gast.MatMult:  # beside a tensor, a sequence of numbers is one
        a, b = (ip.call(Tensor, [v], {}) if isinstance(v, (tuple, list)) else v for v in (a, b))
    if _no_operand(a) or _no_operand(b):
        if op in _EQUALITY:
            return op is gast.NotEq
        raise complain(
            TypeError,
            f"unsupported operand types: {describe(a)} and {describe(b)}",
            operands=[("left", describe(a)), ("right", describe(b))],
        )
    if op in special.COMPARE:
        return ip.native(_OPS[op], a, b)
    return ip.native(PYTHON[op], *[ip.node(v) if isinstance(v, Tensor) else v for v in (a, b)])


_EQUALITY = (gast.Eq, gast.NotEq)


def _of_known(op: type, a, b):
    """An operator on values of Python."""
    kinds = (type(a), type(b))
    if op in _SHIFTS and float in kinds and all(k in NUMBERS for k in kinds):
        raise complain(
            TypeError,
            "unsupported operand types for a shift: only integer types are supported, but got "
            f"{kinds[0].__name__} and {kinds[1].__name__}",
        )
    _expect_moderate(op, a, b)
    if View in kinds:
        a, b = (
            set(v.items()) if isinstance(v, View) else set(v) if isinstance(v, dict) else v
            for v in (a, b)
        )
    result = local(foreign.frozen(performed(PYTHON[op], a, b)))
    kinds = [v.kind for v in (a, b) if isinstance(v, LOCAL) and v.kind is not None]
    if kinds and isinstance(result, LOCAL):
        result.kind = kinds[0]
    return result


def _of_chosen(ip, op: type, a, b):
    """An operator on values of which one at least is chosen at run time."""
    use = union_values.tested if op in special.COMPARE else of_choice
    if type(a) is UnionValue:
        return use(ip, a, lambda v: binary(ip, op, v, b))
    return use(ip, b, lambda v: binary(ip, op, a, v))


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
    if op in special.COMPARE and not (scope.leaves(a - b) and _depends(op, a, b)):
        return a, b
    return tuple([ip.node(v) if type(v) is Dim else v for v in (a, b)])


def _depends(op: type, a, b) -> bool:
    """Whether a comparison of sizes holds for some of them and not for others."""
    if op in _EQUALITY:
        return a is not b and dim.decided("eq", a - b) is None
    return dim.decided("lt", a - b if op in (gast.Lt, gast.GtE) else b - a) is None


def _expect_moderate(op: type, a, b) -> None:
    """Raise where an operator on values known now would not end, or fill the memory."""
    whole = type(a) is int and type(b) is int
    power = whole and op is gast.Pow and b > 0 and a.bit_length() * b > LONGEST
    if power or whole and op is gast.LShift and b > LONGEST:
        raise complain(
            OverflowError, f"the int would have more than {LONGEST} bits", cure="use a float"
        )
    if op is gast.Mult:
        a, b = (b, a) if type(a) is int else (a, b)
        if type(b) is int and isinstance(a, (list, tuple, str, bytes)) and len(a) * b > LONGEST:
            what = f"the {describe(a)[:20]} would have {len(a) * b} elements"
            expected = f"at most {LONGEST} while compiling"
            raise complain(MemoryError, what, expected=expected, cure="use a tensor")


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
    if type(value) is RunList:
        value = run_lists.length(ip, value)
    if type(value) is RunArray:
        value = value.node
    if type(value) is Dim:
        value = binary(ip, gast.NotEq, value, 0)
    if isinstance(value, UnionValue):
        return union_values.tested(ip, value, lambda v: truth(ip, v))
    if not isinstance(value, Node):
        answer = special.truth(ip, value)
        return ip.native(bool, value) if answer is NotImplemented else truth(ip, answer)
    if is_scalar(value):
        kind = value.abstract.kind
        return value if kind is bool else ip.native(P.not_equal, value, kind(0))
    if value.abstract.size != 1:
        raise ambiguous(value.abstract)
    return value if value.abstract.dtype.is_bool else ip.native(P.not_equal, value, 0)


def truth_scalar(ip, value):
    """`truth` as a Python bool, which a run-time tensor is not."""
    test = truth(ip, value)
    known = not isinstance(test, Node) or is_scalar(test)
    return test if known else ip.native(P.item, test, "bool")


def number_of(ip, x, kind: str):
    """The only item of a tensor as a number that Python takes: no gradient flows, as none does eagerly."""
    return ip.native(lambda: P.item(P.stop_gradient(ip.node(x)), kind))


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
        return performed(kind, v)
    return v if v.abstract.kind is kind else ip.native(P.scalar_cast, v, OF_NUMBERS[kind])


EXACT = 2**53
"""Below it every int is a float."""

LARGEST = 2.0**63 - 1024
"""The largest float that is an int of 64 bits."""


def _scalar(ip, op: type, a, b):
    """An operator on numbers of which one at least is known only at run time."""
    kinds = (kind_of(a), kind_of(b))
    if op in special.COMPARE:
        common = float if float in kinds else int if int in kinds else bool
        small = any(type(v) in NUMBERS and abs(v) < EXACT for v in (a, b))
        if int in kinds and float in kinds and not small:
            return _exactly(ip, _OPS[op], a, b, kinds)
        return ip.native(_OPS[op], to_kind(ip, a, common), to_kind(ip, b, common))
    if op in _BITS:
        if float in kinds:
            raise complain(
                TypeError,
                f"unsupported operand types for a bit operator: {describe(a)} and {describe(b)}",
            )
        if op in _SHIFTS:
            _require_shift_count(ip, b)
        common = bool if kinds == (bool, bool) and op not in _SHIFTS else int
        return ip.native(_OPS[op], to_kind(ip, a, common), to_kind(ip, b, common))
    if op in _DIVISIONS and isinstance(b, Node) and awaited(ip, ZeroDivisionError):
        _require_divisor(ip, op, kinds, b)
    common = float if float in kinds or op is gast.Div else int
    a, b = to_kind(ip, a, common), to_kind(ip, b, common)
    if op not in _OPS:
        raise complain(TypeError, f"unsupported operand types: {describe(a)} and {describe(b)}")
    if op is gast.Pow and common is int and (isinstance(b, Node) or b < 0):
        what = "the type of an int to a run-time or negative int power depends on its value"
        operands = [("base", describe(a)), ("exponent", describe(b))]
        cure = "make the base a float: float(base) ** exponent"
        raise refuse(TypeError, what, operands=operands, cure=cure)
    return ip.native(_OPS[op], a, b)


_DIVISIONS = (gast.Div, gast.FloorDiv, gast.Mod)


def _require_divisor(ip, op: type, kinds: tuple, b: Node) -> None:
    """The program checks a divisor, where a handler waits for what a division by zero raises."""
    try:
        PYTHON[op](kinds[0](1), kinds[1](0))
    except ZeroDivisionError as e:
        require(ip, truth(ip, b), ZeroDivisionError(str(e)))


def _exactly(ip, compare: Op, a, b, kinds: tuple):
    """An int and a float as CPython compares them: equal as floats, then as ints."""

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
    if type(v) is UnionValue:
        return of_choice(ip, v, lambda o: unary(ip, op, o))
    if type(v) is Dim and op is gast.Invert:
        v = ip.node(v)
    if type(v) is RunArray:
        return run_arrays.called(ip, PYTHON[op], [v])
    if not isinstance(v, (Node, Tensor)):
        result = special.call(ip, v, f"__{special.NAMES[op]}__")
        return performed(PYTHON[op], v) if result is NotImplemented else result
    if is_scalar(v):
        if op is gast.Invert:
            if v.abstract.kind is float:
                raise complain(TypeError, "bad operand type for unary ~: float")
            return ip.native(P.bitwise_not, to_kind(ip, v, int))
        v = v if v.abstract.kind is float else to_kind(ip, v, int)
        return v if op is gast.UAdd else ip.native(P.neg, v)
    return v if op is gast.UAdd else ip.native(PYTHON[op], ip.node(v))

"""What is done with a value of which run-time data chooses one among several: a string, None, an
object, a dtype, a function (`values.UnionValue`).

An operation on such a value is done on each value that it may be, in a branch of its own, and the
results are joined. What fails for some of them is an error when the program gets there, as in
CPython; what fails for all is one at once.
"""

from __future__ import annotations

import enum

import gast

from ..base.dtype import DType
from ..ir.node import Node
from ..ops.define import P
from . import conditions, special
from .cells import is_cell
from .function_types import Closure, UnionValue
from .source import bound_names
from .value_types import LocalList


def is_data(v) -> bool:
    """Whether ``v`` is a choice among more than functions and None."""
    return type(v) is UnionValue and not all(o is None or _is_function(o) for o in v.options)


def _is_function(v) -> bool:
    """Whether ``v`` is called, and nothing else: no object of a class that has a ``__call__``."""
    if isinstance(v, (Closure, type)) or is_cell(type(v)):
        return True
    of_object = special.is_written(getattr(type(v), "__call__", None))
    return not isinstance(v, (Node, str)) and callable(v) and not of_object


def first(args):
    """The first choice of data among values; None if there is none."""
    for a in args:
        if type(a) is UnionValue and is_data(a):
            return a
    return None


def first_inside(args):
    """The first choice of data in the tuples and lists among values; None if there is none."""
    for a in args:
        found = first(a) if type(a) in (tuple, LocalList) else None
        if found is not None:
            return found
    return None


def on_args(ip, choice: UnionValue, args: list, kwargs: dict, use):
    """``use(args, kwargs)`` with each value that ``choice``, one of the arguments, may be in its place."""

    def put(v, option):
        if type(v) in (tuple, LocalList) and any(e is choice for e in v):
            return type(v)([put(e, option) for e in v])
        return option if v is choice else v

    return conditions.of_choice(
        ip,
        choice,
        lambda o: use([put(v, o) for v in args], {k: put(v, o) for k, v in kwargs.items()}),
    )


def tested(ip, choice: UnionValue, test):
    """``test(option)``, a question with a bool for an answer, of the one that is chosen: from its
    number alone where all answers are known now.
    """
    if not any(isinstance(o, Node) for o in choice.options):
        answers = _known(test, choice.options)
        if answers is not None:
            return _by_number(ip, choice, answers)
    return conditions.of_choice(ip, choice, test)


def _known(test, options: tuple):
    """The answers for all options, or None where one is not a bool that is known now."""
    answers = []
    for o in options:
        if not (o is None or isinstance(o, (str, bytes, DType, enum.Enum))):
            return None
        answers.append(test(o))
        if type(answers[-1]) is not bool:
            return None
    return answers


def _by_number(ip, choice: UnionValue, answers: list):
    if len(set(answers)) == 1:
        return answers[0]
    rare = answers.count(True) <= len(answers) // 2
    found = None
    for i, answer in enumerate(answers):
        if answer is rare:
            one = ip.native(P.equal, ip.node(choice.selector), i)
            found = one if found is None else ip.native(P.logical_or, found, one)
    return found if rare else ip.native(P.logical_not, found)


# ---- what a condition says of a choice


def narrow(ip, test: gast.AST, holds: bool) -> None:
    """In a branch where ``test`` is ``holds``, a variable of which that leaves one value has this value."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        narrow(ip, test.operand, not holds)
    elif isinstance(test, gast.BoolOp):
        if isinstance(test.op, gast.And) is holds:
            for value in test.values:
                narrow(ip, value, holds)
    else:
        _narrow_one(ip, test, holds)


def _narrow_one(ip, test: gast.AST, holds: bool) -> None:
    name, answer = _question(ip, test)
    vars = ip.frames[-1].vars
    choice = vars.get(name)
    if type(choice) is not UnionValue:
        return
    left = [o for o in choice.options if answer(o) is not (not holds)]
    if len(left) == 1:
        vars[name] = left[0]


def _question(ip, test: gast.AST) -> tuple:
    """(the variable that a test asks about, the answer for a value: a bool, or None where it depends)."""
    if isinstance(test, gast.Name):
        return test.id, lambda v: False if v is None else bool(v) if isinstance(v, str) else None
    if isinstance(test, gast.Compare) and len(test.ops) == 1 and isinstance(test.left, gast.Name):
        (op,), (right,) = test.ops, test.comparators
        known = right.value if isinstance(right, gast.Constant) else _UNKNOWN
        if known is None or isinstance(known, str):
            negative = isinstance(op, (gast.IsNot, gast.NotEq))
            if negative or isinstance(op, (gast.Is, gast.Eq)):
                return test.left.id, lambda v: _is(v, known, negative)
    if (
        isinstance(test, gast.Call)
        and isinstance(test.func, gast.Name)
        and test.func.id == "isinstance"
        and len(test.args) == 2
        and isinstance(test.args[0], gast.Name)
        and not bound_names([test])
    ):
        kinds = ip.eval(test.args[1])
        return test.args[0].id, lambda v: ip.call(isinstance, [v, kinds], {})
    return None, None


_UNKNOWN = object()


def _is(v, known, negative: bool):
    if v is None or isinstance(v, str):
        return (v == known) is not negative
    return negative if known is None else None

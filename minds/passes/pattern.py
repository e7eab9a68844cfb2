"""Patterns: rewrite rules written as the expressions they match.

>>> x, p, q = wild("x p q")
>>> ALGEBRA = rules(M.neg(M.neg(x)) >> x, M.mul(x, 1) >> x)

A wildcard matches any operand, and the same one wherever it occurs again; a number matches a
constant of that value (exactly: 0.0 is not -0.0). The right side is a wildcard or a function of
what the wildcards matched (attributes as Python values) that returns a node or None. With
``where=`` a rule has a condition on the apply itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..ir.node import Apply, Constant, Node
from ..ops.define import ATTR, P
from .driver import rule


class Wild:
    """Matches anything."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name


def wild(names: str) -> list[Wild]:
    """Wildcards by name, separated by spaces."""
    return [Wild(n) for n in names.split()]


class Pattern:
    """An op applied to patterns, wildcards and numbers; ``>>`` gives the rule (pattern, right
    side).
    """

    __slots__ = ("op", "args")

    def __init__(self, op: str, args: tuple):
        self.op, self.args = op, args

    def __rshift__(self, right) -> tuple:
        return self, right

    def match(self, n: Node, found: dict) -> bool:
        """Whether ``n`` is an instance; fills ``found``. Patterns are shallow, so this recurs as
        deep as the pattern is.
        """
        if (
            n.__class__ is not Apply
            or getattr(n.fn, "name", None) != self.op
            or len(n.args) < len(self.args)
        ):
            return False
        return all(_match(p, a, found) for p, a in zip(self.args, n.args))


def _match(p, a: Node, found: dict) -> bool:
    if p.__class__ is Wild:
        return found.setdefault(p.name, a) is a
    if p.__class__ is Pattern:
        return p.match(a, found)
    v = number_of(a)
    return v is not None and _same_number(v, p)


def number_of(a: Node):
    """The real number that a scalar or rank-0 constant holds; None for anything else."""
    if a.__class__ is not Constant:
        return None
    v = a.value
    if type(v) in (bool, int, float):
        return v
    if getattr(v, "shape", None) != () or not hasattr(v, "asnumpy"):
        return None
    v = v.item()
    return None if type(v) is complex else v


def _same_number(a, b) -> bool:
    return a == b and (a != 0 or math.copysign(1.0, a) == math.copysign(1.0, b))


class _Ops:
    """``M.add(x, 0)`` is the pattern of the op named ``add``."""

    def __getattr__(self, name: str) -> Callable:
        return lambda *args: Pattern(name, args)


M = _Ops()


def rules(*pairs) -> list[Callable]:
    """The driver's rules for ``pattern >> right`` pairs."""
    return [_compile(*p) for p in pairs]


def _compile(pattern: Pattern, right) -> Callable:
    first = [
        (i, Apply if p.__class__ is Pattern else Constant)
        for i, p in enumerate(pattern.args)
        if p.__class__ is not Wild
    ]

    known = _attributes(pattern)

    def rewrite(n: Apply):
        args = n.args
        for i, kind in first:  # most applies fail here
            if args[i].__class__ is not kind:
                return None
        found: dict = {}
        if not pattern.match(n, found):
            return None
        if right.__class__ is Wild:
            a = found[right.name]
            return a if a.abstract is n.abstract else None
        return right(n, **{k: _value(a) if k in known else a for k, a in found.items()})

    rewrite.__name__ = f"{pattern.op}_rule"
    return rule(pattern.op)(rewrite)


def _attributes(pattern: Pattern) -> set[str]:
    """The names of the wildcards that stand for attributes."""
    found = set()
    for kind, p in zip(getattr(P, pattern.op).kinds, pattern.args):
        if p.__class__ is Pattern:
            found |= _attributes(p)
        elif p.__class__ is Wild and kind == ATTR:
            found.add(p.name)
    return found


def _value(a: Node):
    """What a rule sees of an attribute: its value, where that is known."""
    return a.value if a.__class__ is Constant else a

"""Sharding rules: along what an op may be divided among devices.

A rule gives each dimension of the operands and results a factor, by a letter. Devices may share a
factor: each takes its part of all dimensions that have its letter, and the op on these parts is
the part of the result. Where a result lacks the letter, devices get terms of it, to be summed (or as the
rule says). A dimension that must be whole is ``.``. Most ops get their rule from the family of their
batching rule, since what does not see other examples does not see other parts:

leading    elementwise: every dimension; ops on matrices: all but the last two
axis       every dimension but those that ``axis`` or ``dim`` name; reductions give terms along these
fold       dimension 0

The others say it in notation, ``conv2d.shard("n c . ., o c . . -> n o . .")``, or by a function of the
op's parameters. Attributes that are shapes are in the rule too: they get the sizes of the part.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from ..ir.abstract import AbstractTensor, AbstractTuple
from .define import ATTR, TENSORS, Op

REDUCTIONS = {
    "sum": "sum",
    "amax": "max",
    "amin": "min",
    "prod": "prod",
    "any": "max",
    "all": "min",
}
"""What terms of the results of an op are combined by."""


@dataclass(frozen=True)
class Rule:
    """How one application of an op may be divided.

    Attributes:
        operands: the letters of each tensor operand, None for a dimension that must be whole.
        results: the same of each result.
        attrs: the same of attributes that are shapes, by name.
        how: what combines terms.
        decomposes: whether the op is to be replaced by its decomposition where its first operand lies
            divided along a dimension that must be whole.
        local: for factors along which a part is not the op on parts, what it is: a function of the op's
            parameters, of which part this is, and of how many there are.
        reaches: for factors along which a part takes more than its parts of operands: (operand, dimension,
            a function of which part this is and of how many there are that gives the first element and
            the one behind the last).
        compute: what a part is where such a factor is divided: a function of the op's parameters, and of
            ``places``: for each of these factors which part this is, and of how many.
    """

    operands: tuple
    results: tuple
    attrs: dict = field(default_factory=dict)
    how: str = "sum"
    decomposes: bool = False
    local: dict = field(default_factory=dict)
    reaches: dict = field(default_factory=dict)
    compute: Callable | None = None

    def sizes(self, shapes: tuple, outs: tuple) -> dict[str, int]:
        """In how many parts each factor can be divided at most, from the shapes of operands and
        results: each dimension that has its letter must divide.
        """
        found: dict[str, int] = {}
        for letters, shape in zip((*self.operands, *self.results), (*shapes, *outs)):
            for letter, n in zip(letters, shape):
                if letter is not None:
                    found[letter] = math.gcd(found.get(letter, 0), n)
        return found


def rule_of(op: Op, params: list, out) -> Rule | None:
    """The rule of an application: ``params`` as the op has them, abstract values for tensors; ``out``
    the abstract value of its result. None where it must not be divided.
    """
    rule = op.shard_rule or FAMILIES.get(op.batch_family)
    if rule is None:
        return None
    tensors = operands_of(op, params)
    if not all(isinstance(t, AbstractTensor) for t in tensors):
        return None
    outs = out.items if isinstance(out, AbstractTuple) else (out,)
    shapes = [t.shape for t in tensors]
    if not all(type(n) is int for s in (*shapes, *[o.shape for o in outs]) for n in s):
        return None
    if isinstance(rule, str):
        found = parse(rule)
    elif op.shard_rule is not None:
        found = rule(*params)
    else:
        found = rule(op, params, shapes, [o.shape for o in outs])
    return found if found is None or _fits(found, shapes, outs) else None


def operands_of(op: Op, params: list) -> list:
    """The tensor operands of an application, those of a variadic one each by itself."""
    found = []
    for p, kind in zip(params, op.kinds):
        if kind == TENSORS:
            found += p
        elif kind != ATTR and p is not None:
            found.append(p)
    return found


def parse(notation: str) -> Rule:
    """A rule from its notation; ``name:`` in front of a part makes it that of an attribute."""
    left, right = notation.split("->")
    operands, attrs = [], {}
    for part in left.split(","):
        name, _, letters = part.rpartition(":")
        if name:
            attrs[name.strip()] = _letters(letters)
        else:
            operands.append(_letters(letters))
    return Rule(tuple(operands), tuple(map(_letters, right.split(","))), attrs)


def _letters(text: str) -> tuple:
    return tuple([None if c == "." else c for c in text.split()])


def _fits(rule: Rule, shapes: list, outs: tuple) -> bool:
    """Whether the ranks are those of the rule: notation is for one rank."""
    ranks = [len(s) for s in shapes] + [len(o.shape) for o in outs]
    return ranks == [len(letters) for letters in (*rule.operands, *rule.results)]


def names(rank: int, first: int = 0) -> list[str]:
    """Letters for the dimensions of a tensor."""
    return [f"d{first + i}" for i in range(rank)]


def leading(op: Op, params: list, shapes: list, outs: list) -> Rule:
    """Dimensions from the right are the same ones; one of size 1 is the same for all."""
    whole = 0 if op.elementwise or op.name in _EACH else 2
    rank = max([len(s) for s in (*shapes, *outs)])
    letters = [None if i >= rank - whole else n for i, n in enumerate(names(rank))]
    full = [
        max([s[i - rank] for s in shapes if len(s) >= rank - i], default=1) for i in range(rank)
    ]

    def of(shape):
        behind = letters[rank - len(shape) :]
        return tuple(
            [
                n if size == f else None
                for n, size, f in zip(behind, shape, full[-len(shape) or rank :])
            ]
        )

    if whole:
        # Results of other ranks (determinants, singular values) keep the dimensions in front.
        front = letters[: rank - 2]
        made = [tuple(front[: len(o)]) + (None,) * (len(o) - len(front)) for o in outs]
        return Rule(tuple(map(of, shapes)), tuple(made))
    return Rule(tuple(map(of, shapes)), tuple(map(of, outs)))


_EACH = ("stop_gradient", "copy", "real", "imag", "conj")
"""Ops that are elementwise without being fused as such."""


def axis(op: Op, params: list, shapes: list, outs: list) -> Rule | None:
    """All dimensions but those that are named see only themselves."""
    at = next((p for n, p in zip(op.names, params) if n in ("axis", "dim")), None)
    rank = len(shapes[0])
    named = range(rank) if at is None else (at,) if isinstance(at, int) else tuple(at)
    named = {d % rank for d in named} if rank else set()
    letters = names(rank)
    if op.name in REDUCTIONS:
        kept = dict(zip(op.names, params))["keepdims"]
        out = [None if d in named else n for d, n in enumerate(letters) if kept or d not in named]
        return Rule((tuple(letters),), (tuple(out),), how=REDUCTIONS[op.name])
    free = [None if d in named else n for d, n in enumerate(letters)]
    # Operands may be of other sizes where only a part of one is read.
    same = [d for d in range(rank) if len({s[d] for s in shapes if len(s) == rank}) == 1]
    free = [n if d in same else None for d, n in enumerate(free)]
    if any(len(s) != rank for s in shapes):
        return None
    made = [
        tuple(free) if len(o) == rank else tuple([n for d, n in enumerate(free) if d not in named])
        for o in outs
    ]
    return Rule((tuple(free),) * len(shapes), tuple(made))


def fold(op: Op, params: list, shapes: list, outs: list) -> Rule:
    """Dimension 0 counts samples."""

    def of(s):
        return ("n",) + (None,) * (len(s) - 1)

    attrs = {n: of(p) for n, p in zip(op.names, params) if n == "in_shape"}
    return Rule(tuple(map(of, shapes)), tuple(map(of, outs)), attrs)


FAMILIES = {"leading": leading, "axis": axis, "fold": fold}

__all__ = ["REDUCTIONS", "Rule", "names", "operands_of", "parse", "rule_of"]

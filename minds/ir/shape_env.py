"""What one compilation assumes of sizes, and the sizes that its program will find when it runs."""

from __future__ import annotations

import math
import os
from contextlib import contextmanager

from ..base.errors import CompileTimeError, complain
from . import build
from .abstract import AbstractTensor
from .dim import (
    Dim,
    Unbacked,
    bounds,
    constant_of,
    current,
    evaluate,
    of_var,
    replaced,
    solved,
    state,
    variables,
)
from .sizes import is_unbacked


class Respecialise(BaseException):
    """The compilation needs to know more of a size: it starts again with ``known``, a dict of `Var`
    to size (None: for the sizes at hand). No `Exception`, since no code between may go on without
    the answer.

    Attributes:
        why: what is needed, for messages; with the place in the user's code.
    """

    def __init__(self, known: dict | None, why: str):
        super().__init__(why)
        builder = build.current()
        here = getattr(builder, "ip", None)
        loc = here.here() if here is not None else getattr(builder, "loc", None)
        self.known = known
        self.why = why if loc is None else f"{why} (at {os.path.basename(loc.file)}:{loc.line})"


class ShapeEnv:
    """The assumptions of one compilation.

    Attributes:
        example: the size of each variable by which questions are answered.
        answers: (kind, size) → bool, what was asked and answered.
        generic: the example is made up, so that no two sizes are equal by chance; conditions of the
            user's on sizes are then left to the run.
        found: each `Unbacked` of the compilation.
        known: sizes by which those are replaced.
        joined: a size that differs on two paths → what it is there.
        alike: what was made of the same operands, by their structure: sizes that are found twice
            are one.
        unfit: two sizes that did not broadcast.
        widening: the sizes that the loop being interpreted carries from one iteration to the next.
    """

    def __init__(self, example: dict, generic: bool, known: dict | None = None):
        self.example, self.generic, self.answers = dict(example), generic, {}
        self.found, self.known, self.joined, self.alike = [], known or {}, {}, {}
        self.widening = self.unfit = None

    def __enter__(self) -> ShapeEnv:
        self.outer, state.scope = current(), self
        return self

    def __exit__(self, *exc) -> None:
        state.scope = self.outer

    def ask(self, kind: str, v: Dim) -> bool:
        """Whether ``v < 0`` (``lt``) or ``v == 0`` (``eq``) for the example."""
        found = self.answers.get((kind, v))
        if found is None:
            for x in variables(v):
                if x not in self.example:  # it is found: no whole number, so it equals nothing
                    k = len(self.example)
                    self.example[x] = (
                        100003.5 + 210 * k
                        if x.high == math.inf
                        else x.high * (0.5 + 0.377 / (k + 1))
                    )
            value = evaluate(v, self.example)
            found = value < 0 if kind == "lt" else value == 0
            if found and kind == "eq":
                equation = solved(v, 0)
                if equation is not None:
                    raise Respecialise(dict([equation]), "`{!r}` must be `{!r}`".format(*equation))
            self.answers[kind, v] = found
        return found

    def leaves(self, v) -> bool:
        """Whether conditions of the user's on the size ``v`` are left to the run."""
        return self.generic or any(type(x) is Unbacked for x in variables(v))

    def find(self, what: str, most=math.inf):
        """A size that the op ``what`` will find."""
        x = Unbacked(f"{what}.{len(self.found)}", 0, bounds(most)[1])
        self.found.append(x)
        return replaced(of_var(x), self.known)

    def join(self, a, b):
        """The size of what is of size ``a`` on one path and ``b`` on another, which the run finds;
        None if what is computed with it needs one size that is not both.
        """
        if a is b or type(a) is type(b) is int and a == b:
            return a
        if self.widening is not None and a in self.widening:
            self.joined[a].add(b)
            return a
        joint = self.find("either")
        if type(joint) is int and any(type(v) is int and v != joint for v in (a, b)):
            return None
        self.joined[joint] = {a, b}
        if self.widening is not None:
            self.widening.add(joint)
        return joint

    def may_equal(self, d, n) -> bool:
        """Whether the size ``d`` that the run finds may be taken for ``n``: on no path it is known
        to be another.
        """
        return type(n) is not int or all(
            type(v) is not int or v == n for v in self.joined.get(d, ())
        )

    def doubted(self) -> tuple | None:
        """(variable, size): the last equation about a size to be found that was taken not to hold,
        solved; that it is 0 or 1 is asked for other reasons than that sizes must fit.
        """
        for (kind, v), answer in reversed(self.answers.items()):
            x = (
                None
                if answer or kind != "eq"
                else next((x for x in variables(v) if type(x) is Unbacked), None)
            )
            equation = x and solved(v, 0, x)
            if equation and (type(equation[1]) is Dim or equation[1] > 1):
                return equation
        return None

    def denied(self) -> tuple | None:
        """(variable, size): the last equation of two sizes that was taken not to hold, solved."""
        for (kind, v), answer in reversed(self.answers.items()):
            equation = solved(v, 0) if kind == "eq" and not answer else None
            if equation is not None and type(equation[1]) is Dim:
                return equation
        return None

    def number(self, v: Dim) -> int:
        """The value of ``v``, for which alone the program is then made."""
        if any(type(x) is Unbacked for x in variables(v)):
            raise complain(
                CompileTimeError,
                f"the size {v!r} is known only at run time",
                expected="a number that is known when the program is compiled",
                cure="compute with the tensor, or loop over its rows",
            )
        raise Respecialise(
            None if self.generic else {x: self.example[x] for x in variables(v)},
            f"the number `{v!r}` is needed to compile",
        )

    def holds(self, env: dict) -> bool:
        """Whether all answers are right for other sizes."""
        return self._wrong(env) is None

    def broken(self, env: dict) -> str | None:
        """The first assumption that other sizes break, or None."""
        wrong = self._wrong(env)
        if wrong is None:
            return None
        (kind, v), answer = wrong
        sign, rest = {"lt": (">=", "<"), "eq": ("!=", "==")}[kind][answer], constant_of(v)
        return f"{v - rest!r} {sign} {-rest}"

    def _wrong(self, env: dict) -> tuple | None:
        for (kind, v), answer in self.answers.items():
            if self.found and not all(x in env for x in variables(v)):
                continue  # of a size that is found later
            value = evaluate(v, env)
            if (value < 0 if kind == "lt" else value == 0) != answer:
                return (kind, v), answer
        return None


@contextmanager
def carrying(sizes: set):
    """While it lasts, what differs on two paths is what a loop carries from one iteration to the
    next: such ``sizes`` stay, and others join them.
    """
    scope = current()
    if scope is None:
        yield
        return
    outer, scope.widening = scope.widening, sizes
    try:
        yield
    finally:
        scope.widening = outer


def finding() -> bool:
    """Whether the program that is compiled finds sizes."""
    scope = current()
    return scope is not None and bool(scope.found)


def of_any_size(a):
    """An abstract value like ``a`` whose sizes that the run finds are others: of what may have one
    or another.
    """
    if not is_unbacked(a):
        return a
    return AbstractTensor(
        [current().find("either") if is_unbacked(d) else d for d in a.shape], a.dtype
    )


def unbacked(what: str, most=math.inf):
    """A size that the op ``what`` finds when it runs, and that is not more than ``most``.

    Raises:
        CompileTimeError: what is compiled is not a program whose sizes may be found by its run.
    """
    if build.current() is None:
        return of_var(Unbacked(what))
    scope = current()
    if scope is None:
        raise complain(
            CompileTimeError,
            f"{what}: the size of its result is known only at run time",
            cure="call it outside of the function that is traced",
        )
    return scope.find(what, most)


__all__ = ["Respecialise", "ShapeEnv", "carrying", "finding", "of_any_size", "unbacked"]

"""Generator functions in terms of two statements: `yield a` and `b = yield a`.

A `yield` inside of an expression is a statement before it, behind what Python computes before it:
`f(a(), yield b)` is `<0> = f; <1> = a(); <2> = yield b; <0>(<1>, <2>)`. `yield from a` is a loop.
"""

from __future__ import annotations

import itertools

import gast

from ..base.kept import remembered
from .desugar import call, load, placed
from .walks import contains, own_nodes

YIELDS = (gast.Yield, gast.YieldFrom)


@remembered
def is_generator(tree: gast.AST) -> bool:
    """Whether a function has a `yield` of its own."""
    return isinstance(tree, gast.FunctionDef) and contains(tree.body, YIELDS)


def function(node: gast.FunctionDef):
    """A generator function with its `yield`s as statements."""
    if is_generator(node):
        node.body = _Names().block(node.body)
    return node


def generator(frame):
    """Compiled code that calls it makes the generator of a call that has its arguments."""


def advance(iterator, sent):
    """Compiled code that calls it takes the next element of an iterator, or `END`."""


def throw_into(generator, error):
    """Compiled code that calls it raises an exception where a generator stands."""


def is_ended(element) -> bool:
    """Compiled code that calls it asks whether an iterator has given `END`."""


def result_of(iterator):
    """Compiled code that calls it gets what a generator has returned."""


class _Names:
    """The rewrite of one function, which numbers its intermediate results."""

    def __init__(self):
        self.numbers = itertools.count()

    def block(self, statements: list) -> list:
        """Statements in which `yield` is a statement."""
        return [s for old in statements for s in self._statement(old)]

    def _statement(self, s: gast.AST) -> list:
        if not contains([s], YIELDS) or _is_plain(s):
            return [s]
        if isinstance(s, gast.While) and contains([s.test], YIELDS) and not s.orelse:
            leave = gast.If(gast.UnaryOp(gast.Not(), s.test), [gast.Break()], [])
            s.test, s.body = placed(gast.Constant(True, None), s), [placed(leave, s.test), *s.body]
        before: list = []
        for field, value in gast.iter_fields(s):
            if (
                isinstance(value, gast.AST)
                and field not in ("target", "test")
                or (field == "test" and isinstance(s, gast.If))
            ):
                setattr(s, field, self._expression(value, before))
            elif field in ("body", "orelse", "finalbody"):
                setattr(s, field, self.block(value))
        for part in getattr(s, "cases", None) or getattr(s, "handlers", None) or ():
            part.body = self.block(part.body)
        return [*before, s]

    def _expression(self, e: gast.AST, before: list):
        """``e`` without `yield`: what is to be done before it is added to ``before``."""
        if not contains([e], YIELDS):
            return e
        if isinstance(e, gast.YieldFrom):
            return self._delegated(e, before)
        if isinstance(e, gast.Yield):
            value = e.value or placed(gast.Constant(None, None), e)
            e.value = self._expression(value, before)
            return self._kept(e, before)
        places = _places(e)
        last = max((k for k, (_, v) in enumerate(places) if contains([v], YIELDS)), default=-1)
        for put, value in places[: last + 1]:
            if contains([value], YIELDS):
                put(self._expression(value, before))
            elif not isinstance(value, (gast.Constant, gast.Name)):
                put(self._kept(value, before))
        return e

    def _kept(self, e: gast.AST, before: list):
        """The value of ``e``, which is computed now."""
        name = f"<{next(self.numbers)}>"
        target = gast.Name(name, gast.Store(), None, None)
        before.append(placed(gast.Assign([target], e, None), e))
        return placed(load(name), e)

    def _delegated(self, e: gast.YieldFrom, before: list):
        """`yield from a`: each element of ``a`` in turn; its value is what ``a`` returns."""
        source = self._kept(call(iter, self._expression(e.value, before)), before)
        name = f"<{next(self.numbers)}>"
        element, sent = (gast.Name(name, gast.Store(), None, None) for _ in range(2))
        first = gast.Assign([element], call(advance, source, gast.Constant(None, None)), None)
        go_on = gast.UnaryOp(gast.Not(), call(is_ended, load(name)))
        hand_out = gast.Assign([sent], gast.Yield(load(name)), None)
        hand_out.delegates = source.id
        body = [
            hand_out,
            gast.Assign([element], call(advance, source, load(name)), None),
        ]
        before += [placed(s, e) for s in (first, gast.While(go_on, body, []))]
        return placed(call(result_of, source), e)


def _is_plain(s: gast.AST) -> bool:
    """Whether ``s`` is `yield a` or `b = yield a`, and there is no other in it."""
    if not isinstance(s, (gast.Expr, gast.Assign)) or not isinstance(s.value, gast.Yield):
        return False
    return sum(isinstance(n, YIELDS) for n in own_nodes([s])) == 1 and s.value.value is not None


def _places(e: gast.AST) -> list:
    """(setter, expression) of what is computed for ``e`` in any case, in order."""
    if isinstance(e, gast.Dict):
        pairs = range(len(e.keys))
        both = [(held, k) for k in pairs for held in (e.keys, e.values) if held[k] is not None]
        return [(lambda v, held=held, k=k: held.__setitem__(k, v), held[k]) for held, k in both]
    fields = [f for f, _ in gast.iter_fields(e)]
    if isinstance(e, gast.IfExp):
        fields = ["test"]
    found: list = []
    for f in fields:
        value = getattr(e, f)
        if isinstance(value, list):
            found += [
                (lambda v, held=value, k=k: held.__setitem__(k, v), w) for k, w in enumerate(value)
            ]
        elif isinstance(value, gast.expr):
            found.append((lambda v, f=f: setattr(e, f, v), value))
    if isinstance(e, (gast.BoolOp, gast.Compare)):
        found = found[: 1 if isinstance(e, gast.BoolOp) else 2]
    return [
        place
        for put, v in found
        for place in (_places(v) if isinstance(v, (gast.keyword, gast.Starred)) else [(put, v)])
        if isinstance(place[1], gast.expr)
    ]

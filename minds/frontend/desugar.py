"""Python in terms of fewer forms: rewrites of constructs, applied once, when a function is read.

A rewrite takes a node whose parts are rewritten already, and gives what stands for it, a node or
for a statement a list of them. What it makes has the place of what it stands for, so that messages
show the user's source. Names that start with ``<`` belong to rewrites.
"""

from __future__ import annotations

import ast

import gast

REWRITES: dict[type, object] = {}
"""By the class of a node of `ast`: what rewrites the node of gast."""


def rewrites(kind: type):
    """Register the rewrite of a construct."""

    def register(fn):
        REWRITES[kind] = fn
        return fn

    return register


def placed(node: gast.AST, like: gast.AST) -> gast.AST:
    """``node``; what is new in it stands where ``like`` does."""
    stack = [node]
    while stack:
        n = stack.pop()
        if not hasattr(n, "lineno"):
            gast.copy_location(n, like)
            stack += gast.iter_child_nodes(n)
    return node


def load(name: str) -> gast.Name:
    """The value of a variable."""
    return gast.Name(name, gast.Load(), None, None)


def call(fn, *args: gast.AST) -> gast.Call:
    """A call of ``fn`` itself, whatever its name means to the user."""
    return gast.Call(gast.Constant(fn, None), list(args), [])


@rewrites(ast.Assert)
def assert_(node: gast.Assert):
    """`assert a, b` is `if a: pass; else: raise AssertionError(b)`."""
    error = call(AssertionError, *([] if node.msg is None else [node.msg]))
    return placed(gast.If(node.test, [gast.Pass()], [gast.Raise(error, None)]), node)


@rewrites(ast.AnnAssign)
def annotated(node: gast.AnnAssign):
    """`a: T = b` is `a = b`; `a: T` is nothing. Classes ask for what ``annotates``."""
    new = gast.Pass() if node.value is None else gast.Assign([node.target], node.value, None)
    new.annotates, new.annotation = node.target, node.annotation
    return placed(new, node)


@rewrites(ast.With)
def with_(node: gast.With) -> list:
    """`with a as b, c: body` enters ``a``, then ``c``, and leaves them on every way out of ``body``.
    The form `with a as b` that is left, without a body, enters.
    """
    body = node.body
    for item in reversed(node.items):
        place = context_of(item)

        def leave(at, place=place):
            return placed(gast.Expr(call(leave_context, gast.Constant(place, None))), at)

        enter = placed(gast.With([item], [], None), node)
        body = [enter, *_leaving(body, leave), leave(node)]
    return body


def context_of(item: gast.withitem) -> str:
    """The variable that holds the object of a `with` while its body runs."""
    return f"<with {item.context_expr.lineno}:{item.context_expr.col_offset}>"


def leave_context(place: str) -> None:
    """Compiled code that calls it leaves the context that the variable ``place`` holds."""


def _leaving(statements: list, leave, in_loop: bool = False) -> list:
    """``statements`` with ``leave(s)`` before each statement ``s`` that leaves them."""
    out = []
    for s in statements:
        if isinstance(s, gast.Return):
            if not (s.value is None or isinstance(s.value, (gast.Constant, gast.Name))):
                name = f"<result {s.lineno}:{s.col_offset}>"
                target = gast.Name(name, gast.Store(), None, None)
                out.append(placed(gast.Assign([target], s.value, None), s))
                s = placed(gast.Return(placed(load(name), s.value)), s)
            out.append(leave(s))
        elif isinstance(s, (gast.Break, gast.Continue)):
            out += [] if in_loop else [leave(s)]
        elif isinstance(s, (gast.If, gast.For, gast.While)):
            s.body = _leaving(s.body, leave, in_loop or not isinstance(s, gast.If))
            s.orelse = _leaving(s.orelse, leave, in_loop)
        elif isinstance(s, gast.Match):
            for case in s.cases:
                case.body = _leaving(case.body, leave, in_loop)
        out.append(s)
    return out


def loops(node: gast.AST) -> list:
    """The statements that a comprehension stands for: loops and conditions around a `yield`."""
    pair = isinstance(node, gast.DictComp)
    element = gast.Tuple([node.key, node.value], gast.Load()) if pair else node.elt
    body: list = [gast.Expr(gast.Yield(element))]
    for g in reversed(node.generators):
        for condition in reversed(g.ifs):
            body = [gast.If(condition, body, [])]
        body = [gast.For(g.target, g.iter, body, [], None)]
    return [placed(body[0], node)]

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
def with_(node: gast.With):
    """`with a, b: body` is `with a: with b: body`."""
    body = node.body
    for item in reversed(node.items):
        body = [placed(gast.With([item], body, None), node)]
    return body[0]


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

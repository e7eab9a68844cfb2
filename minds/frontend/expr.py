"""Expressions."""

from __future__ import annotations

from functools import partial

import gast

from ..base.errors import ParseError, complain, performed
from ..ir.node import Node
from . import elements, special, text, union_values
from .access import getattr_
from .compare import as_key, compared
from .conditions import runtime_if
from .describe import describe, need_static
from .emit import REQUIRED
from .function_types import Bound, Closure
from .iterators import sequence
from .registry import EXPR, expr
from .scalars import binary, negated, truth, truth_scalar, unary
from .source import Source, assigned_names
from .value_types import LocalDict, LocalList, LocalSet
from .variables import assign_name, lookup


def _elements(ip, nodes) -> list:
    return _spread(ip, nodes, [ip.eval(_plain(n)) for n in nodes])


def _spread(ip, nodes, values) -> list:
    """Values of expressions, with the elements of those that have a star."""
    if gast.Starred not in map(type, nodes):
        return list(values[: len(nodes)])
    out: list = []
    for n, value in zip(nodes, values):
        out += sequence(ip, value) if isinstance(n, gast.Starred) else [value]
    return out


def _plain(n: gast.AST) -> gast.AST:
    """The expression without its star."""
    return n.value if isinstance(n, gast.Starred) else n


def _mapping(ip, v):
    """What stands behind ``**``: of a user's mapping a dict."""
    return ip.call(dict, [v], {}) if special.has(v, "keys") else v


@expr(gast.Dict)
def _dict(ip, node):
    both = [ip.eval(n) for pair in zip(node.keys, node.values) for n in pair if n is not None]
    found = iter(both)
    out = LocalDict()
    for k in node.keys:
        if k is None:
            performed(out.update, _mapping(ip, next(found)))
        else:
            key = as_key(ip, next(found))
            out[key] = next(found)
    return out


@expr(gast.BinOp)
def _binop(ip, node):
    a, b = ip.eval(node.left), ip.eval(node.right)
    ip.activations.calling = (node, [(node.left, a), (node.right, b)])
    return binary(ip, type(node.op), a, b)


@expr(gast.UnaryOp)
def _unaryop(ip, node):
    value = ip.eval(node.operand)
    if not isinstance(node.op, gast.Not):
        return unary(ip, type(node.op), value)
    return negated(ip, truth_scalar(ip, value))


def _short_circuit(ip, is_and: bool, nodes: list):
    value = ip.eval(nodes[0])
    if len(nodes) == 1:
        return value
    test = truth(ip, value)

    def rest():
        union_values.narrow(ip, nodes[0], is_and)
        return _short_circuit(ip, is_and, nodes[1:])

    if not isinstance(test, Node):
        return rest() if test is is_and else value
    if is_and:
        return runtime_if(ip, test, rest, lambda: value, "and")
    return runtime_if(ip, test, lambda: value, rest, "or")


@expr(gast.IfExp)
def _ifexp(ip, node):
    test = truth(ip, ip.eval(node.test))
    if isinstance(test, Node):
        return runtime_if(
            ip,
            test,
            lambda: _where(ip, node.test, True, node.body),
            lambda: _where(ip, node.test, False, node.orelse),
        )
    return ip.eval(node.body if test else node.orelse)


def _where(ip, test, holds: bool, node):
    """The value of an expression where a test is known to hold or not to."""
    union_values.narrow(ip, test, holds)
    return ip.eval(node)


def _chain(ip, left, left_node, rest: list, node):
    op, right_node = rest[0]
    right = ip.eval(right_node)
    ip.activations.calling = (node, [(left_node, left), (right_node, right)])
    value = compared(ip, op, left, right)
    if len(rest) == 1:
        return value
    test = truth(ip, value)

    def more():
        return _chain(ip, right, right_node, rest[1:], node)

    if isinstance(test, Node):
        return runtime_if(ip, test, more, lambda: value, "and")
    return more() if test else value


@expr(gast.Call)
def _call(ip, node):
    given = [*map(_plain, node.args), *[k.value for k in node.keywords]]
    fn, *found = [ip.eval(n) for n in (node.func, *given)]
    args = _spread(ip, node.args, found)
    kwargs = _keywords(ip, node.keywords, found[len(node.args) :]) if node.keywords else {}
    calling = (node, partial(_operands, node, fn, found))
    ip.activations.calling = calling
    try:
        return ip.call(fn, args, kwargs)
    except (TypeError, ValueError, IndexError):
        ip.activations.calling = calling
        raise


def _operands(node, fn, found: list) -> list:
    """(syntax or keyword, value) of what a call is given, and of what is called in vain."""
    keys = (*node.args, *(k.arg for k in node.keywords))
    named = [
        (k, v) for k, v in zip(keys, found) if k is not None and not isinstance(k, gast.Starred)
    ]
    if not callable(fn) and not isinstance(fn, (Closure, Bound)):
        named.insert(0, (node.func, fn))
    return named


def _keywords(ip, keywords, values) -> dict:
    kwargs: dict = {}
    for k, value in zip(keywords, values):
        given = _mapping(ip, value) if k.arg is None else {k.arg: value}
        if not isinstance(given, dict):
            raise complain(TypeError, f"argument after ** must be a dict, not {describe(value)}")
        if any(not isinstance(name, str) for name in given):
            raise complain(TypeError, "keywords must be strings")
        if doubled := [name for name in given if name in kwargs]:
            raise complain(TypeError, f"got multiple values for keyword argument {doubled[0]!r}")
        kwargs.update(given)
    return kwargs


@expr(gast.Subscript)
def _subscript(ip, node):
    owner, index = elements.owner(ip, node.value), ip.eval(node.slice)
    if not isinstance(owner, elements.Among):
        ip.activations.calling = (node, [(node.value, owner), (node.slice, index)])
    return elements.read(ip, owner, index)


@expr(gast.Slice)
def _slice(ip, node):
    return slice(*[None if n is None else ip.eval(n) for n in (node.lower, node.upper, node.step)])


@expr(gast.JoinedStr)
def _joined(ip, node):
    pieces = [v.value if isinstance(v, gast.Constant) else ip.eval(v) for v in node.values]
    return _on_each(ip, pieces, text.joined)


@expr(gast.FormattedValue)
def _formatted(ip, node):
    value, spec = ip.eval(node.value), ""
    if node.format_spec is not None:
        spec = need_static(ip.eval(node.format_spec), "the format of a value")
    how = (node.conversion, spec)
    return _on_each(ip, [value], lambda found: text.formatted(ip, "{}", how, *found))


def _on_each(ip, values: list, use):
    """``use(values)`` for each of those that run-time data may choose."""
    choice = union_values.first(values)
    if choice is None:
        return use(values)
    return union_values.on_args(ip, choice, values, {}, lambda found, _: _on_each(ip, found, use))


def closure(ip, node, name: str) -> Closure:
    """The function that a def or lambda makes."""
    frame = ip.frames[-1]
    if isinstance(frame.source.tree, gast.ClassDef):
        frame = frame.outer  # functions do not see the variables of a class around them
    source = Source(node, frame.source.file, f"{frame.source.name}.{name}", assigned_names(node))
    defaults = [ip.eval(d) for d in node.args.defaults]
    kw_defaults = [REQUIRED if d is None else ip.eval(d) for d in node.args.kw_defaults]
    return Closure(source, frame, defaults, kw_defaults, name)


@expr(gast.NamedExpr)
def _walrus(ip, node):
    value, frame = ip.eval(node.value), ip.frames[-1]
    while isinstance(frame.source.tree, _COMPREHENSIONS):
        if ip.flow.nested != frame.depth:
            raise complain(
                ParseError,
                "':=' in a generator expression or beside a lambda cannot bind a name "
                "under a run-time condition",
                cure="write the loop as a for statement",
            )
        frame = frame.outer
    assign_name(ip, node.target.id, value, frame)
    return value


_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


EXPR.update(
    {
        gast.Constant: lambda ip, node: node.value,
        gast.Name: lambda ip, node: lookup(ip, node.id),
        gast.Tuple: lambda ip, node: tuple(_elements(ip, node.elts)),
        gast.List: lambda ip, node: LocalList(_elements(ip, node.elts)),
        gast.Set: lambda ip, node: LocalSet(
            [as_key(ip, v, "an element of a set") for v in _elements(ip, node.elts)]
        ),
        gast.BoolOp: lambda ip, node: _short_circuit(
            ip, isinstance(node.op, gast.And), node.values
        ),
        gast.Compare: lambda ip, node: _chain(
            ip, ip.eval(node.left), node.left, list(zip(node.ops, node.comparators)), node
        ),
        gast.Attribute: lambda ip, node: getattr_(ip, ip.eval(node.value), node.attr),
        gast.Lambda: lambda ip, node: closure(ip, node, "<lambda>"),
    }
)

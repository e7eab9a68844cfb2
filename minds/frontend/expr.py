"""Expressions."""

from __future__ import annotations

import builtins

import gast

from ..base.errors import ParseError, complain
from ..ir.node import Node
from . import chosen, text
from .access import did_you_mean, getattr_, sequence, subscript
from .compare import as_key, compared
from .emit import REQUIRED
from .interp import EXPR
from .kinds import Unseen
from .region import require, runtime_if
from .scalars import binary, negated, to_kind, truth, truth_scalar, unary
from .source import Source, assigned_names, assignments
from .values import (
    Bound,
    Choice,
    Closure,
    LocalDict,
    LocalList,
    LocalSet,
    Missing,
    Sometimes,
    describe,
    need_static,
)


def expr(kind):
    """Register the handler of an expression."""

    def register(fn):
        EXPR[kind] = fn
        return fn

    return register


@expr(gast.Constant)
def _constant(ip, node):
    return node.value


@expr(gast.Name)
def _name(ip, node):
    return lookup(ip, node.id)


def lookup(ip, name: str):
    """The value of a name where the interpreter is.

    Raises:
        NameError, UnboundLocalError: it has none.
    """
    frame = ip.frames[-1]
    inner = True
    scope = frame
    while scope is not None:
        if name in scope.vars:
            value = scope.vars[name]
            if isinstance(value, Unseen):
                value = value.read(ip)
            if isinstance(value, Missing):
                places = assignments(scope.source, name) if value.kind is TypeError else ()
                raise complain(
                    value.kind,
                    value.text,
                    cure=value.cure,
                    operands=[(f"line {line}", shown) for line, shown in places],
                )
            why = ip.tensors.stale(value)
            if why is not None:
                value = ip.tensors.missing(name, why)
                raise complain(value.kind, value.text, cure=value.cure)
            return _when_set(ip, name, value) if isinstance(value, Sometimes) else value
        if name in scope.source.assigned:
            raise complain(
                UnboundLocalError if inner else NameError,
                f"{name!r} is used before it has a value",
                cure=f"assign {name!r} first",
            )
        scope, inner = scope.outer, False
    if name in frame.cells:
        try:
            return ip.seen(frame.cells[name], "cell_contents", frame.cells[name].cell_contents)
        except ValueError:
            raise complain(
                NameError, f"{name!r} has no value yet in the enclosing function"
            ) from None
    if name in frame.globals:
        return ip.seen(frame.globals, name, frame.globals[name])
    if hasattr(builtins, name):
        return getattr(builtins, name)
    known = [*frame.vars, *frame.cells, *frame.globals, *dir(builtins)]
    raise complain(
        NameError,
        f"name {name!r} is not defined",
        cure=did_you_mean(name, known) or "define it before the function is compiled",
    )


def _when_set(ip, name: str, variable: Sometimes):
    """The value of a variable that may have none: then it is an error when the program gets
    here.
    """
    require(ip, variable.known, NameError(f"{name!r} has no value"))
    return variable.value


@expr(gast.Tuple)
def _tuple(ip, node):
    return tuple(_elements(ip, node.elts))


@expr(gast.List)
def _list(ip, node):
    return LocalList(_elements(ip, node.elts))


@expr(gast.Set)
def _set(ip, node):
    return LocalSet([as_key(ip, v, "an element of a set") for v in _elements(ip, node.elts)])


def _elements(ip, nodes) -> list:
    out: list = []
    for n, value in zip(nodes, [ip.eval(_plain(n)) for n in nodes]):
        if isinstance(n, gast.Starred):
            out += sequence(ip, value)
        else:
            out.append(value)
    return out


def _plain(n: gast.AST) -> gast.AST:
    """The expression without its star."""
    return n.value if isinstance(n, gast.Starred) else n


@expr(gast.Dict)
def _dict(ip, node):
    out = LocalDict()
    both = [ip.eval(n) for pair in zip(node.keys, node.values) for n in pair if n is not None]
    found = iter(both)
    for k in node.keys:
        if k is None:
            out.update(next(found))
        else:
            key = as_key(ip, next(found))
            out[key] = next(found)
    return out


@expr(gast.BinOp)
def _binop(ip, node):
    a, b = ip.eval(node.left), ip.eval(node.right)
    ip.calling = (node, [(node.left, a), (node.right, b)])
    return binary(ip, type(node.op), a, b)


@expr(gast.UnaryOp)
def _unaryop(ip, node):
    value = ip.eval(node.operand)
    if not isinstance(node.op, gast.Not):
        return unary(ip, type(node.op), value)
    return negated(ip, truth_scalar(ip, value))


@expr(gast.BoolOp)
def _boolop(ip, node):
    return _short_circuit(ip, isinstance(node.op, gast.And), node.values)


def _short_circuit(ip, is_and: bool, nodes: list):
    value = ip.eval(nodes[0])
    if len(nodes) == 1:
        return value
    test = truth(ip, value)

    def rest():
        chosen.narrow(ip, nodes[0], is_and)
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
    chosen.narrow(ip, test, holds)
    return ip.eval(node)


@expr(gast.Compare)
def _compare(ip, node):
    return _chain(ip, ip.eval(node.left), node.left, list(zip(node.ops, node.comparators)), node)


def _chain(ip, left, left_node, rest: list, node):
    op, right_node = rest[0]
    right = ip.eval(right_node)
    ip.calling = (node, [(left_node, left), (right_node, right)])
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
    parts = [node.func, *map(_plain, node.args), *(k.value for k in node.keywords)]
    fn, *found = [ip.eval(n) for n in parts]
    args: list = []
    named: list = []
    for a, value in zip(node.args, found):
        if isinstance(a, gast.Starred):
            args += sequence(ip, value)
        else:
            args.append(value)
            named.append((a, value))
    kwargs: dict = {}
    for k, value in zip(node.keywords, found[len(node.args) :]):
        if k.arg is None:
            if not isinstance(value, dict):
                raise complain(
                    TypeError, f"argument after ** must be a dict, not {describe(value)}"
                )
            if doubled := [name for name in value if name in kwargs]:
                raise complain(
                    TypeError, f"got multiple values for keyword argument {doubled[0]!r}"
                )
            kwargs.update(value)
        else:
            if k.arg in kwargs:
                raise complain(TypeError, f"got multiple values for keyword argument {k.arg!r}")
            kwargs[k.arg] = value
            named.append((k.arg, value))
    if not callable(fn) and not isinstance(fn, (Closure, Bound)):
        named.insert(0, (node.func, fn))
    ip.calling = (node, named)
    try:
        return ip.call(fn, args, kwargs)
    except (TypeError, ValueError, IndexError):
        ip.calling = (node, named)
        raise


@expr(gast.Attribute)
def _attribute(ip, node):
    return getattr_(ip, ip.eval(node.value), node.attr)


@expr(gast.Subscript)
def _subscript(ip, node):
    owner, index = ip.eval(node.value), ip.eval(node.slice)
    ip.calling = (node, [(node.value, owner), (node.slice, index)])
    return subscript(ip, owner, index)


@expr(gast.Slice)
def _slice(ip, node):
    return slice(*[None if n is None else ip.eval(n) for n in (node.lower, node.upper, node.step)])


@expr(gast.JoinedStr)
def _joined(ip, node):
    return _joined_of(
        ip, [v.value if isinstance(v, gast.Constant) else ip.eval(v) for v in node.values]
    )


def _joined_of(ip, pieces: list):
    choice = chosen.first(pieces)
    if choice is None:
        return text.joined(pieces)
    return chosen.on_args(ip, choice, pieces, {}, lambda found, _: _joined_of(ip, found))


@expr(gast.FormattedValue)
def _formatted(ip, node):
    value = ip.eval(node.value)
    spec = (
        ""
        if node.format_spec is None
        else need_static(ip.eval(node.format_spec), "the format of a value")
    )

    def shown(v):
        return text.formatted(ip, "{}", (node.conversion, spec), v)

    return chosen.each(ip, value, shown) if type(value) is Choice else shown(value)


@expr(gast.Lambda)
def _lambda(ip, node):
    return closure(ip, node, "<lambda>")


def closure(ip, node, name: str) -> Closure:
    """The function that a def or lambda makes."""
    frame = ip.frames[-1]
    source = Source(node, frame.source.file, f"{frame.source.name}.{name}", assigned_names(node))
    defaults = [ip.eval(d) for d in node.args.defaults]
    kw_defaults = [REQUIRED if d is None else ip.eval(d) for d in node.args.kw_defaults]
    return Closure(source, frame, defaults, kw_defaults, name)


@expr(gast.NamedExpr)
def _walrus(ip, node):
    value, frame = ip.eval(node.value), ip.frames[-1]
    while isinstance(frame.source.tree, _COMPREHENSIONS):
        if ip.nested != frame.depth:
            raise complain(
                ParseError,
                "':=' in a generator expression or beside a lambda cannot bind a name "
                "under a run-time condition",
                cure="write the loop as a for statement",
            )
        frame = frame.outer
    frame.vars[node.target.id] = value
    return value


_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


__all__ = ["binary", "closure", "to_kind", "truth"]

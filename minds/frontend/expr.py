"""Expressions."""
from __future__ import annotations

import builtins
from dataclasses import replace

import gast

from ..base.errors import CompileTimeError, ParseError, complain
from ..ir.dim import Dim
from ..ir.node import Node
from ..ops.define import P
from ..tensor import Tensor
from . import chosen, special, text
from .access import Iterated, did_you_mean, getattr_, known_key, sequence, subscript
from .emit import REQUIRED
from .interp import EXPR
from .kinds import attributes_of, is_made
from .region import require, runtime_if
from .scalars import PYTHON, binary, is_scalar, negated, to_kind, truth, truth_scalar, unary
from .source import Source, assigned_names, assignments, bound_names
from .values import Bound, Choice, Closure, LocalDict, LocalList, Missing, Sometimes, describe, need_static


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
            if isinstance(value, Missing):
                places = assignments(scope.source, name) if value.kind is TypeError else ()
                raise complain(value.kind, value.text, cure=value.cure,
                               operands=[(f"line {line}", shown) for line, shown in places])
            return _when_set(ip, name, value) if isinstance(value, Sometimes) else value
        if name in scope.source.assigned:
            raise complain(UnboundLocalError if inner else NameError,
                           f"{name!r} is used before it has a value", cure=f"assign {name!r} first")
        scope, inner = scope.outer, False
    if name in frame.cells:
        try:
            return ip.seen(frame.cells[name], "cell_contents", frame.cells[name].cell_contents)
        except ValueError:
            raise complain(NameError, f"{name!r} has no value yet in the enclosing function") from None
    if name in frame.globals:
        return ip.seen(frame.globals, name, frame.globals[name])
    if hasattr(builtins, name):
        return getattr(builtins, name)
    known = [*frame.vars, *frame.cells, *frame.globals, *dir(builtins)]
    raise complain(NameError, f"name {name!r} is not defined",
                   cure=did_you_mean(name, known) or "define it before the function is compiled")


def _when_set(ip, name: str, variable: Sometimes):
    """The value of a variable that may have none: then it is an error when the program gets here."""
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
    return {need_static(v, "an element of a set") for v in _elements(ip, node.elts)}


def _elements(ip, nodes) -> list:
    out: list = []
    for n in nodes:
        if isinstance(n, gast.Starred):
            out += sequence(ip, ip.eval(n.value))
        else:
            out.append(ip.eval(n))
    return out


@expr(gast.Dict)
def _dict(ip, node):
    out = LocalDict()
    for k, v in zip(node.keys, node.values):
        if k is None:
            out.update(ip.eval(v))
        else:
            out[as_key(ip.eval(k))] = ip.eval(v)
    return out


def as_key(v):
    """``v``, which becomes a key of a dict.

    Raises:
        TypeError: it cannot be one.
    """
    v = known_key(v)
    if _mutable(v):
        raise complain(TypeError, f"a key of a dict is {describe(v)}, which may change",
                       expected="a string, a number, or a tuple of such")
    return v


def _mutable(v) -> bool:
    return isinstance(v, (list, dict, set)) or isinstance(v, tuple) and any(map(_mutable, v))


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
    value = _compare_one(ip, op, left, right)
    if len(rest) == 1:
        return value
    test = truth(ip, value)

    def more():
        return _chain(ip, right, right_node, rest[1:], node)
    if isinstance(test, Node):
        return runtime_if(ip, test, more, lambda: value, "and")
    return more() if test else value


def _compare_one(ip, op, left, right):
    if isinstance(left, Choice):
        return chosen.tested(ip, left, lambda v: _compare_one(ip, op, v, right))
    if isinstance(right, Choice):
        return chosen.tested(ip, right, lambda v: _compare_one(ip, op, left, v))
    if isinstance(op, (gast.Is, gast.IsNot)):
        same = _is(left, right) if not (isinstance(left, Node) and type(right) is bool) else None
        if same is None:
            same = binary(ip, gast.Eq, left, right)
            return negated(ip, same) if isinstance(op, gast.IsNot) else same
        return same if isinstance(op, gast.Is) else not same
    if isinstance(op, (gast.In, gast.NotIn)):
        found = contains(ip, left, right)
        if isinstance(op, gast.In):
            return found
        return negated(ip, found)
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)) and _has_node((left, right)):
        return _compare_sequences(ip, op, left, right)
    return binary(ip, type(op), left, right)


def _is(left, right) -> bool:
    """Whether two values are one object; one that compiled code made is its attributes."""
    return left is right or is_made(left) and is_made(right) and attributes_of(left) is attributes_of(right)


def _has_node(v) -> bool:
    return isinstance(v, (Node, Tensor)) or isinstance(v, (tuple, list)) and any(map(_has_node, v))


_STRICT = {gast.Lt: gast.Lt, gast.LtE: gast.Lt, gast.Gt: gast.Gt, gast.GtE: gast.Gt}


def _compare_sequences(ip, op, left, right):
    """Two sequences with elements that are known at run time: equal elements, or the order of the first that
    differ.
    """
    if isinstance(op, (gast.Eq, gast.NotEq)):
        same = equal(ip, left, right)
        return same if isinstance(op, gast.Eq) else negated(ip, same)
    result = PYTHON[type(op)](len(left), len(right))
    for a, b in reversed(list(zip(left, right))):
        same = equal(ip, a, b)
        if same is True:
            continue
        ordered = truth_scalar(ip, _compare_one(ip, _STRICT[type(op)](), a, b))
        if same is False:
            result = ordered
        else:
            result = or_(ip, and_(ip, same, result), and_(ip, negated(ip, same), ordered))
    return result


def and_(ip, a, b):
    """``a and b`` for bools, known now or at run time, without short circuit; so is `or_`."""
    if isinstance(a, Node) and isinstance(b, Node):
        return ip.native(P.logical_and, a, b)
    known, other = (b, a) if isinstance(a, Node) else (a, b)
    return other if known else False


def or_(ip, a, b):
    if isinstance(a, Node) and isinstance(b, Node):
        return ip.native(P.logical_or, a, b)
    known, other = (b, a) if isinstance(a, Node) else (a, b)
    return True if known else other


def equal(ip, a, b):
    """Whether two elements are equal, as CPython's containers ask: a bool, or a run-time bool."""
    if a is b:
        return True
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        if isinstance(a, tuple) is not isinstance(b, tuple) or len(a) != len(b):
            return False
        return _all_equal(ip, a, b)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and _all_equal(ip, a.values(), [b[k] for k in a])
    if is_tensor(a) or is_tensor(b):
        if not all(is_tensor(v) or is_scalar(v) for v in (a, b)) or (
                is_tensor(a) and is_tensor(b) and a.shape != b.shape):
            return False
    elif not (is_scalar(a) and is_scalar(b)):
        return not isinstance(a, Node) and not isinstance(b, Node) and bool(a == b)
    same = binary(ip, gast.Eq, a, b)
    if is_tensor(same) and same.abstract.size != 1:
        same = ip.native(lambda: P.all(ip.node(same), None, False))
    return truth_scalar(ip, same)


def _all_equal(ip, a, b):
    result = True
    for v, w in zip(a, b):
        result = and_(ip, result, equal(ip, v, w))
        if result is False:
            break
    return result


def is_tensor(v) -> bool:
    """Whether ``v`` is a tensor of the program or one that is known now."""
    return isinstance(v, (Node, Tensor)) and not is_scalar(v)


def contains(ip, item, container):
    if isinstance(container, (Node, Tensor)):
        return truth_scalar(ip, ip.native(lambda: P.any(P.equal(ip.node(container), item), None, False)))
    if isinstance(container, range) and isinstance(item, Node) and is_scalar(item):
        return _in_range(ip, item, container)
    if isinstance(item, (Node, Dim)) and isinstance(container, (dict, set, frozenset)):
        container = tuple(container)        # a number of the run has no hash
    if isinstance(container, (tuple, list)):
        found = False
        for v in container:
            found = or_(ip, found, equal(ip, v, item))
            if found is True:
                break
        return found
    found = special.call(ip, container, "__contains__", item)
    if found is not NotImplemented:
        return truth_scalar(ip, found)
    if special.has(container, "__iter__"):
        return contains(ip, item, tuple(sequence(ip, container)))
    return need_static(item, "the item") in container


def _in_range(ip, item, r: range):
    if not r:
        return False
    low, high = min(r[0], r[-1]), max(r[0], r[-1])
    inside = and_(ip, binary(ip, gast.LtE, low, item), binary(ip, gast.LtE, item, high))
    on_step = binary(ip, gast.Eq, binary(ip, gast.Mod, binary(ip, gast.Sub, item, low), abs(r.step)), 0)
    return and_(ip, inside, on_step)


@expr(gast.Call)
def _call(ip, node):
    fn = ip.eval(node.func)
    args: list = []
    named: list = []
    for a in node.args:
        if isinstance(a, gast.Starred):
            args += sequence(ip, ip.eval(a.value))
        else:
            args.append(ip.eval(a))
            named.append((a, args[-1]))
    kwargs: dict = {}
    for k in node.keywords:
        value = ip.eval(k.value)
        if k.arg is None:
            if not isinstance(value, dict):
                raise complain(TypeError, f"argument after ** must be a dict, not {describe(value)}")
            kwargs.update(value)
        else:
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
    return _joined_of(ip, [v.value if isinstance(v, gast.Constant) else ip.eval(v) for v in node.values])


def _joined_of(ip, pieces: list):
    choice = chosen.first(pieces)
    if choice is None:
        return text.joined(pieces)
    return chosen.on_args(ip, choice, pieces, {}, lambda found, _: _joined_of(ip, found))


@expr(gast.FormattedValue)
def _formatted(ip, node):
    value = ip.eval(node.value)
    spec = "" if node.format_spec is None else need_static(ip.eval(node.format_spec), "the format of a value")
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
    value = ip.eval(node.value)
    ip.frames[-1].vars[node.target.id] = value
    return value


@expr(gast.ListComp)
def _listcomp(ip, node):
    return LocalList(_comprehension(ip, node, lambda: ip.eval(node.elt)))


@expr(gast.GeneratorExp)
def _genexp(ip, node):
    return Iterated(_comprehension(ip, node, lambda: ip.eval(node.elt)))


@expr(gast.SetComp)
def _setcomp(ip, node):
    return set(_comprehension(ip, node, lambda: need_static(ip.eval(node.elt), "an element of a set")))


@expr(gast.DictComp)
def _dictcomp(ip, node):
    return LocalDict(
        _comprehension(ip, node, lambda: (as_key(ip.eval(node.key)), ip.eval(node.value)))
    )


def _comprehension(ip, node, element) -> list:
    """The elements of a comprehension. Functions made in it see its variables, in a frame of their own."""
    if not any(isinstance(n, gast.Lambda) for n in gast.walk(node)):
        return _elements_of(ip, node, element)
    outer = ip.frames[-1]
    source = Source(
        node,
        outer.source.file,
        outer.source.name,
        frozenset(bound_names([g.target for g in node.generators])),
    )
    own = replace(outer, vars={}, source=source, outer=outer)
    ip.frames.append(own)
    try:
        return _elements_of(ip, node, element)
    finally:
        own.finished = True
        ip.frames.pop()


def _elements_of(ip, node, element) -> list:
    """The elements, with the targets bound only while they are computed."""
    out: list = []
    hidden: dict = {}

    def level(i: int) -> None:
        if i == len(node.generators):
            out.append(element())
            return
        g = node.generators[i]
        for item in sequence(ip, ip.eval(g.iter)):
            bind_target(ip, g.target, item, hidden)
            for condition in g.ifs:
                test = truth(ip, ip.eval(condition))
                if isinstance(test, Node):
                    raise complain(
                        CompileTimeError,
                        "the length of a comprehension depends on a run-time value",
                        cure="multiply by the condition, or use ops.select",
                    )
                if not test:
                    break
            else:
                level(i + 1)
    level(0)
    vars = ip.frames[-1].vars
    if ip.frames[-1].source.tree is node:
        return out
    for name, value in hidden.items():
        if value is _ABSENT:
            vars.pop(name, None)
        else:
            vars[name] = value
    return out


_ABSENT = object()


def bind_target(ip, target, value, hidden: dict) -> None:
    """Bind a comprehension's target, noting in ``hidden`` what it hides."""
    if isinstance(target, gast.Name):
        vars = ip.frames[-1].vars
        hidden.setdefault(target.id, vars.get(target.id, _ABSENT))
        vars[target.id] = value
        return
    if not isinstance(target, (gast.Tuple, gast.List)):
        raise complain(ParseError, "the target of a comprehension must be a name or a tuple of names")
    items = sequence(ip, value)
    if len(items) != len(target.elts):
        raise complain(ValueError, f"cannot unpack {len(items)} values into {len(target.elts)} names")
    for t, v in zip(target.elts, items):
        bind_target(ip, t, v, hidden)


__all__ = ["binary", "closure", "to_kind", "truth"]

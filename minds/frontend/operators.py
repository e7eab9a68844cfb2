"""The module `operator` over values of compiled code."""

from __future__ import annotations

import operator

import gast

from .access import getattr_, subscript
from .compare import compared, contains
from .interp import EMITTERS
from .scalars import binary, negated, truth_scalar, unary
from .setitem import delete, store
from .stmt import updated
from .values import need_static

_BINARY = {
    "add": gast.Add,
    "sub": gast.Sub,
    "mul": gast.Mult,
    "truediv": gast.Div,
    "floordiv": gast.FloorDiv,
    "mod": gast.Mod,
    "pow": gast.Pow,
    "matmul": gast.MatMult,
    "and_": gast.BitAnd,
    "or_": gast.BitOr,
    "xor": gast.BitXor,
    "lshift": gast.LShift,
    "rshift": gast.RShift,
    "concat": gast.Add,
}
_COMPARE = {
    "lt": gast.Lt,
    "le": gast.LtE,
    "gt": gast.Gt,
    "ge": gast.GtE,
    "eq": gast.Eq,
    "ne": gast.NotEq,
    "is_": gast.Is,
    "is_not": gast.IsNot,
}
_UNARY = {"neg": gast.USub, "pos": gast.UAdd, "invert": gast.Invert, "inv": gast.Invert}


def _register(name: str, emitter) -> None:
    EMITTERS[getattr(operator, name)] = emitter


def _register_operators() -> None:
    for name, op in _BINARY.items():
        _register(name, lambda ip, a, b, op=op: binary(ip, op, a, b))
        _register("i" + name.strip("_"), lambda ip, a, b, op=op: updated(ip, op, a, b))
    for name, op in _COMPARE.items():
        _register(name, lambda ip, a, b, op=op: compared(ip, op(), a, b))
    for name, op in _UNARY.items():
        _register(name, lambda ip, v, op=op: unary(ip, op, v))
    _register("not_", lambda ip, v: negated(ip, truth_scalar(ip, v)))
    _register("truth", truth_scalar)
    _register("abs", lambda ip, v: ip.call(abs, [v], {}))
    _register("index", lambda ip, v: ip.call(int, [v], {}))
    _register("getitem", subscript)
    _register("delitem", delete)
    _register("contains", lambda ip, container, item: contains(ip, item, container))
    _register("countOf", lambda ip, items, v: ip.call(list.count, [items, v], {}))


_register_operators()
_register("setitem", store)


# ---- itemgetter and its like: made with what is known, called with anything


def _known(cls: type):
    def emit(ip, *args, **kwargs):
        for v in (*args, *kwargs.values()):
            need_static(v, f"an argument of operator.{cls.__name__}")
        return cls(*args, **kwargs)

    return emit


for _cls in (operator.itemgetter, operator.attrgetter, operator.methodcaller):
    EMITTERS[_cls] = _known(_cls)


def _picked(ip, getter, pick):
    _, keys = getter.__reduce__()
    found = [pick(k) for k in keys]
    return found[0] if len(found) == 1 else tuple(found)


def _attribute(ip, v, path: str):
    for name in path.split("."):
        v = getattr_(ip, v, name)
    return v


def _called(ip, caller, v):
    make, (name, *args) = caller.__reduce__()
    kwargs = getattr(make, "keywords", {})
    if kwargs:
        (name, *_), args = make.args, [name, *args][len(make.args) - 1 :]
    return ip.call(getattr_(ip, v, name), list(args), dict(kwargs))


EMITTERS[operator.itemgetter, "__call__"] = lambda ip, fn, v: _picked(
    ip, fn, lambda k: subscript(ip, v, k)
)
EMITTERS[operator.attrgetter, "__call__"] = lambda ip, fn, v: _picked(
    ip, fn, lambda k: _attribute(ip, v, k)
)
EMITTERS[operator.methodcaller, "__call__"] = _called

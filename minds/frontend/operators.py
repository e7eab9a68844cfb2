"""The module `operator` over values of compiled code, and the methods behind operators."""

from __future__ import annotations

import operator

import gast

from ..base.errors import complain
from ..ops.sparse_coo import dense_to_sparse_coo
from ..ops.sparse_csr_forms import dense_to_sparse_csr
from ..tensor import Tensor
from . import special
from .access import BEHIND, getattr_, subscript
from .compare import compared, contains
from .numbers import known
from .registry import EMITTERS
from .scalars import PYTHON, binary, negated, truth_scalar, unary
from .setitem import delete, store
from .stmt import updated


def _of_two(how, op):
    """What emits an operator; that of a sum or difference takes a factor, as `Tensor.__add__` does."""

    def emitted(ip, a, b):
        return how(ip, op, a, b)

    def scaled(ip, a, b, *, alpha=1):
        return how(ip, op, a, b if alpha == 1 else binary(ip, gast.Mult, b, alpha))

    return scaled if op in (gast.Add, gast.Sub) else emitted


for _op, _fn in PYTHON.items():
    if _op in special.UNARY:
        EMITTERS[_fn] = lambda ip, v, *, op=_op: unary(ip, op, v)
    elif _op in special.COMPARE:
        EMITTERS[_fn] = lambda ip, a, b, *, op=_op: compared(ip, op(), a, b)
    else:
        EMITTERS[_fn] = _of_two(binary, _op)
        EMITTERS[getattr(operator, f"__i{special.NAMES[_op]}__")] = _of_two(updated, _op)

_FUNCTIONS = {
    "concat": lambda ip, a, b: binary(ip, gast.Add, a, b),
    "iconcat": lambda ip, a, b: updated(ip, gast.Add, a, b),
    "is_": lambda ip, a, b: compared(ip, gast.Is(), a, b),
    "is_not": lambda ip, a, b: compared(ip, gast.IsNot(), a, b),
    "inv": lambda ip, v: unary(ip, gast.Invert, v),
    "not_": lambda ip, v: negated(ip, truth_scalar(ip, v)),
    "truth": truth_scalar,
    "abs": lambda ip, v: ip.call(abs, [v], {}),
    "index": lambda ip, v: ip.call(int, [v], {}),
    "getitem": subscript,
    "setitem": store,
    "delitem": delete,
    "contains": lambda ip, container, item: contains(ip, item, container),
    "countOf": lambda ip, items, v: ip.call(list.count, [ip.call(list, [items], {}), v], {}),
    "indexOf": lambda ip, items, v: ip.call(list.index, [ip.call(list, [items], {}), v], {}),
}
for _name, _emitter in _FUNCTIONS.items():
    EMITTERS[getattr(operator, _name)] = _emitter


# ---- methods behind operators: ``x.__add__(y)``


def _reflected(fn):
    def swapped(v, other):
        """``fn(other, v)``."""

    EMITTERS[swapped] = lambda ip, v, other: EMITTERS[fn](ip, other, v)
    return swapped


for _op, _fn in PYTHON.items():
    _name = special.NAMES[_op]
    BEHIND[f"__{_name}__"] = _fn
    if _op not in special.UNARY and _op not in special.COMPARE:
        BEHIND[f"__i{_name}__"] = getattr(operator, f"__i{_name}__")
        BEHIND[f"__r{_name}__"] = _reflected(_fn)
for _name in ("getitem", "setitem", "delitem", "contains"):
    BEHIND[f"__{_name}__"] = getattr(operator, _name)
for _fn in (len, abs, iter, bool, int, float):
    BEHIND[f"__{_fn.__name__}__"] = _fn
for _name in BEHIND.keys() & vars(Tensor).keys():
    EMITTERS[vars(Tensor)[_name]] = EMITTERS[BEHIND[_name]]


# ---- methods that make sparse tensors, which compiled code takes apart


for _name, _fn in (("to_coo", dense_to_sparse_coo), ("to_csr", dense_to_sparse_csr)):
    EMITTERS[vars(Tensor)[_name]] = lambda ip, tensor, fn=_fn: ip.call(fn, [tensor], {})


# ---- itemgetter and its like: made with what is known, called with anything


def _picked(pick):
    def emit(ip, getter, *values):
        if len(values) != 1:
            what = f"{type(getter).__name__} expected 1 argument, got {len(values)}"
            raise complain(TypeError, what)
        (v,) = values
        found = [pick(ip, v, key) for key in getter.__reduce__()[1]]
        return found[0] if len(found) == 1 else tuple(found)

    return emit


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


for _cls, _emitter in (
    (operator.itemgetter, _picked(subscript)),
    (operator.attrgetter, _picked(_attribute)),
    (operator.methodcaller, _called),
):
    EMITTERS[_cls] = known(_cls)
    EMITTERS[_cls, "__call__"] = _emitter

"""The last call of a cell whose gradient will be asked for, as `Cell.set_grad` says: a gradient with respect
to parameters that is taken of the cell with the same arguments, while nothing has changed, goes back through
that call, as in MindSpore. So what the cell does besides computing, such as moving averages and masks that it
draws, is done once, and nothing is computed twice.
"""

from __future__ import annotations

import weakref
from typing import NamedTuple

from ..ad import tape
from ..frontend.cells import is_cell
from ..frontend.imports import ABSENT
from ..frontend.store import Bindings
from ..ir import prim
from ..ir.node import Apply, Graph, Node
from ..ops.control import host_
from ..tensor import Tensor
from .graph_pullback import GraphPullback
from .tape_pullback import TapePullback


class LastCall(NamedTuple):
    """A call that can be pulled back through.

    Attributes:
        given: (arguments, named ones).
        weights: the parameters by which it can be differentiated.
        run: its pullback.
        when: what tells whether anything has changed since: in compiled code (builder, apply, version of
            the store), else the contents of parameters and arguments, and the cells' settings.
    """

    given: tuple
    weights: list
    run: TapePullback | GraphPullback
    when: object


class _By:
    """The pullback of a call with respect to some of its weights."""

    def __init__(self, call: LastCall, weights):
        known = {id(w): i for i, w in enumerate(call.weights)}
        self._run, self.value, self._at = call.run, call.run.value, [known[id(w)] for w in weights]

    def pull(self, counted, douts=None) -> tuple[list, list]:
        """As of `GraphPullback`."""
        by_position, by_weight = self._run.pull(counted, douts)
        return by_position, [by_weight[i] for i in self._at]


def _serves(call: LastCall, args, kwargs, weights) -> bool:
    """Whether ``call`` had these arguments, and can be differentiated by these weights."""
    known = set(map(id, call.weights))
    return _same(call.given, (tuple(args), kwargs)) and all(id(w) in known for w in weights)


def _same(a, b) -> bool:
    """Whether two arguments are one object, or words and numbers that are equal."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if type(a) is tuple:
        return len(a) == len(b) and all(map(_same, a, b))
    if type(a) is dict:
        return list(a) == list(b) and all(map(_same, a.values(), b.values()))
    return type(a) in (int, float, bool, str) and a == b


# ---- in compiled code


def emit(cell, around):
    """What the compiler calls for a cell whose gradient will be asked for; ``around`` is what it would
    else, None for `Interp.construct_cell`.
    """

    def called(ip, args, kwargs):
        known, weights = ip.activations, cell.trainable_params()
        alone = known.derived or not known.frames  # it, or the program, has a gradient as a whole
        if alone or not weights or cell._derivative() is not None:
            return around(ip, args, kwargs) if around else ip.construct_cell(cell, args, kwargs)
        run = GraphPullback(ip, cell, args, kwargs, (), weights)
        graph, before = ip.builder.graph, ip.builder.before
        last = graph.tail if before is None else before.prev
        when = ip.builder, last, ip.store.version()
        known.last_calls[id(cell)] = LastCall((tuple(args), kwargs), weights, run, when)
        return run.value

    return called


def emitted(ip, fn, args, kwargs, weights) -> _By | None:
    """The pullback of the last call of ``fn``, if that serves."""
    if not is_cell(type(fn)):
        return None
    ip.imports.attribute_read(fn, "requires_grad", getattr(fn, "requires_grad", ABSENT))
    call = ip.activations.last_calls.get(id(fn))
    if call is None or not _serves(call, args, kwargs, weights):
        return None
    builder, last, version = call.when
    if builder is not ip.builder or last.graph is not builder.graph:
        return None
    if _assigns(last.next, builder.before) or _changed(ip.store, version):
        return None
    return _By(call, weights)


def _assigns(n: Apply | None, end: Apply | None) -> bool:
    """Whether an apply from ``n`` on may write a parameter."""
    while n is not end:
        called = isinstance(n.fn, (Graph, Node))
        if n.fn in (prim.assign, host_) or called and n.has_effect:
            return True
        n = n.next
    return False


def _changed(store, since) -> bool:
    """Whether anything but variables has changed since that version, or is not known to have not."""
    version = store.version()
    while version is not since:
        if version is None or any(type(cell) is not Bindings for cell, _ in version.other.values()):
            return True
        version = version.parent
    return False


# ---- in PyNative mode

_calls: dict[int, tuple] = {}
"""Identity of a cell → (weak reference to it, its last call)."""


def records() -> bool:
    """Whether a call made here can be pulled back through later."""
    return not tape.active() and tape.may_record()


def record(cell, args: tuple, kwargs: dict, call):
    """``call(args, kwargs)``, the eager call of ``cell``, kept for its gradient."""
    weights = cell.trainable_params()
    forget(cell)  # its memory can be used again
    if not weights or cell._derivative() is not None:
        return call(args, kwargs)
    run = TapePullback(
        lambda *args, **kwargs: call(args, kwargs), args, kwargs, (), weights, once=True
    )
    key = id(cell)
    _calls[key] = (
        weakref.ref(cell, lambda _: _calls.pop(key, None)),
        LastCall((args, kwargs), weights, run, (_contents(cell, args, kwargs), _settings(cell))),
    )
    return run.value


def forget(cell) -> None:
    """Let go of the last call of a cell."""
    _calls.pop(id(cell), None)


def recorded(fn, args, kwargs, weights) -> _By | None:
    """The pullback of the last call of ``fn``, if that serves; it does once."""
    of, call = _calls.get(id(fn), (None, None))
    if call is None or of() is not fn or not records() or not _serves(call, args, kwargs, weights):
        return None
    forget(fn)
    contents, settings = call.when
    now = _contents(fn, *call.given)
    same = [a.data_ptr for a in contents] == [a.data_ptr for a in now]
    return _By(call, weights) if same and settings == _settings(fn) else None


def _contents(cell, args, kwargs) -> list:
    """What tensors hold, in boxes of their own: who changes a tensor gives it other memory."""
    held = (*args, *kwargs.values(), *_attributes(cell))
    tensors = (*cell.get_parameters(), *[v for v in held if isinstance(v, Tensor)])
    return [t._array.reshape(t.shape) for t in tensors]


def _settings(cell) -> list:
    """The words, numbers and flags that a cell and those below it have for attributes."""
    return [v for v in _attributes(cell) if v is None or type(v) in (int, float, bool, str)]


def _attributes(cell) -> list:
    return [v for _, c in cell.cells_and_names() for v in vars(c).values()]


__all__ = ["emit", "emitted", "forget", "record", "recorded", "records"]

"""What an eager call of a cell does besides `construct`: hooks, casts of `to_float`, and a custom
``bprop``.
"""
from __future__ import annotations

from typing import Callable

from ..base.errors import complain
from ..eager import custom_call
from ..ir.abstract import AbstractTensor
from ..ir.node import Node
from ..ops.define import P
from ..tensor import Tensor


class Handle:
    """What registering a hook returns.

    Examples:
        >>> from minds import nn
        >>> handle = nn.ReLU().register_forward_hook(lambda cell, inputs, output: None)
        >>> handle.remove()
    """

    def __init__(self, hooks: list, fn: Callable):
        self._hooks, self._fn = hooks, fn

    def remove(self) -> None:
        """Take the hook away; a second call does nothing."""
        if self._fn in self._hooks:
            self._hooks.remove(self._fn)


def register(cell, kind: str, fn: Callable) -> Handle:
    """Add ``fn`` to the hooks of ``kind`` of ``cell``.

    Raises:
        TypeError: ``fn`` cannot be called.
    """
    if not callable(fn):
        raise complain(TypeError, f"register_{kind}_hook: hook_fn has type {type(fn).__name__}",
                       expected="a function")
    if "_hooks" not in vars(cell):
        cell._hooks = {}
    found = cell._hooks.setdefault(kind, [])
    found.append(fn)
    cell._plain = False
    return Handle(found, fn)


def call(cell, args: tuple, kwargs: dict):
    """Run ``cell`` eagerly with all that it asks for, in the order: pre hooks, casts, construct or bprop,
    hooks.
    """
    hooks = vars(cell).get("_hooks", {})
    for fn in hooks.get("forward_pre", ()):
        changed = fn(cell, args)
        if changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    douts = []
    if hooks.get("backward"):
        args = _watch_inputs(cell, hooks["backward"], args, douts)
    out = _construct(cell, args, kwargs)
    for fn in hooks.get("forward", ()):
        changed = fn(cell, args, out)
        out = out if changed is None else changed
    if hooks.get("backward_pre") or hooks.get("backward"):
        out = _watch_outputs(cell, hooks.get("backward_pre", ()), out, douts)
    return out


def _own_floats(cell) -> dict:
    """The parameters that `to_float` casts: trained ones, so that moving statistics keep their precision."""
    return {n: p for n, p in cell._params.items() if p is not None and p.requires_grad and p.dtype.is_float
            and vars(cell).get(n) is p}


def emit_cast(cell):
    """What the compiler calls instead of ``construct`` for a cell with `to_float`."""
    def around(ip, args, kwargs):
        dtype, own = cell._float_dtype, _own_floats(cell)
        args = [ip.native(cast_floats, a, dtype) for a in args]
        try:
            vars(cell).update((n, ip.native(P.cast, ip.read(p), dtype)) for n, p in own.items())
            return ip.call(type(cell).construct, [cell, *args], kwargs)
        finally:
            vars(cell).update(own)
            # What the program was made from are the parameters, not the nodes that stood for them.
            ip.guards.update({(id(cell), n): (cell, n, p) for n, p in own.items()
                              if (id(cell), n) in ip.guards})
    return around


def _construct(cell, args: tuple, kwargs: dict):
    if cell._float_dtype is None:
        return _differentiable(cell, args, kwargs)
    args = tuple(cast_floats(a, cell._float_dtype) for a in args)
    own = _own_floats(cell)
    try:
        # The cell sees cast copies of its parameters while it runs; gradients flow through the casts.
        vars(cell).update((n, P.cast(p, cell._float_dtype)) for n, p in own.items())
        return _differentiable(cell, args, kwargs)
    finally:
        vars(cell).update(own)


def _differentiable(cell, args: tuple, kwargs: dict):
    if getattr(type(cell), "bprop", None) is None:
        return cell.construct(*args, **kwargs)
    return custom_call(lambda *a: cell.construct(*a, **kwargs), cell.bprop, args)


def cast_floats(value, dtype):
    """``value`` with every floating point tensor in it cast to ``dtype``."""
    if isinstance(value, Tensor) or isinstance(value, Node) and isinstance(value.abstract, AbstractTensor):
        own = value.dtype
        return P.cast(value, dtype) if own.is_float and own is not dtype else value
    if isinstance(value, (tuple, list)):
        return type(value)(cast_floats(v, dtype) for v in value)
    return value


def _watch_inputs(cell, fns: list, args: tuple, douts: list) -> tuple:
    """``args`` passed through an identity whose gradient calls the backward hooks."""
    places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]

    def backward(*params):
        grads = tuple(params[-1])
        for fn in fns:
            changed = fn(cell, grads, douts[-1] if douts else ())
            if changed is not None:
                grads = changed if isinstance(changed, tuple) else (changed,)
        return grads

    seen = custom_call(lambda *tensors: tensors, backward, tuple(args[i] for i in places))
    args = list(args)
    for i, t in zip(places, seen):
        args[i] = t
    return tuple(args)


def _watch_outputs(cell, fns, out, douts: list):
    """``out`` passed through an identity whose gradient calls the backward pre hooks and notes what
    arrives.
    """
    single = isinstance(out, Tensor)

    def backward(*params):
        grads = (params[-1],) if single else tuple(params[-1])
        for fn in fns:
            changed = fn(cell, grads)
            if changed is not None:
                grads = changed if isinstance(changed, tuple) else (changed,)
        douts.append(grads)
        return grads

    if single:
        return custom_call(lambda t: t, backward, (out,))
    return custom_call(lambda *tensors: tensors, backward, tuple(out))


__all__ = ["Handle", "call", "cast_floats", "emit_cast", "register"]
